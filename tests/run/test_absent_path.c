/* test_absent_path.c: which key was meant, of the keys that cases without a path have. */
#include "run/absent_path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/json/json_reader.h"
#include "support/arena.h"
#include "support/random.h"

/* A side whose examined cases have these keys, as absent_path.h writes them. */
static ee_absent_path with_keys(const char *const *cases) {
  ee_absent_path path = {0};
  struct ee_absent_side *side = &path.sides[EE_CANDIDATE];
  side->items = EE_NEW_ARRAY(&arena, ee_case_example, EE_ABSENT_CASES);
  for (; *cases != NULL; cases++)
    side->items[side->cases++] = (ee_case_example){.id = EE_STR("x"), .text = ee_str_from(*cases)};
  return path;
}
#define WITH_KEYS(...) with_keys((const char *const[]){__VA_ARGS__, NULL})

static void check(const ee_absent_path *path, const char *name, const char *meant, uint32_t agreements) {
  static const char *const taken[] = {"vat", NULL};
  uint32_t agreed = 77;
  ee_str got = ee_absent_path_meant(path, EE_CANDIDATE, ee_str_from(name), taken, &arena, &agreed);
  if (!ee_str_is(got, meant) || agreed != agreements)
    fail_msg("'%s': '%.*s' in %u, not '%s' in %u", name, EE_STR_ARG(got), agreed, meant, agreements);
}

static void finds_the_value_that_agrees(void **state) {
  (void)state;
  /* Names of one digit, of two, with signs in them, at the start, in the middle and at the end. */
  ee_absent_path path = WITH_KEYS("-1:a+12:invoice_date-3:+1:", "-12:invoice_date+1:a", "+12:invoice_date");
  check(&path, "issued", "invoice_date", 2);
  path = WITH_KEYS("-1:a-2:bb+14:invoice_number", "+14:invoice_number-1:a");
  check(&path, "code", "invoice_number", 2);
  path = WITH_KEYS("+1:a+1:b", "+1:b", "-1:a");
  check(&path, "zzzzzz", "b", 2);
  path = WITH_KEYS("+1:a+1:b", "+1:b+1:a"); /* the first of equal ones */
  check(&path, "zzzzzz", "a", 2);
  path = WITH_KEYS("+3:vat+3:vax"); /* another field has it */
  check(&path, "zzzzzz", "vax", 1);
}

static void asks_a_third_of_the_cases_to_agree(void **state) {
  (void)state;
  ee_absent_path path = WITH_KEYS("+5:first", "-5:first", "-5:first");
  check(&path, "zzzzzz", "first", 1);
  path = WITH_KEYS("+5:first", "-5:first", "-5:first", "-5:first");
  check(&path, "zzzzzz", "", 0);
}

static void else_takes_a_similar_name(void **state) {
  (void)state;
  ee_absent_path path = WITH_KEYS("-5:other-14:invoice_number", "[");
  check(&path, "invoce_number", "invoice_number", 0);
  check(&path, "zzzzzz", "", 0);
  assert_int_equal(ee_absent_path_arrays(&path, EE_CANDIDATE), 1);
  assert_int_equal(ee_absent_path_arrays(&path, EE_EXPECTED), 0);
}

/* States of other programs may hold anything: what is cut short ends the keys of its case. */
static void ends_at_damage(void **state) {
  (void)state;
  static const char *const damaged[] = {"+", "+5", "+5:", "+5:firs", "+99:first", ""};
  for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
    size_t length = strlen(damaged[i]);
    char *exact = ee_arena_copy(&arena, damaged[i], length);
    ee_absent_path path = WITH_KEYS("");
    path.sides[EE_CANDIDATE].items[0].text = (ee_str){exact, length};
    check(&path, "first", "", 0);
  }
  ee_absent_path path = WITH_KEYS("+5:first+9:x");
  check(&path, "zzzzzz", "first", 1);
}

/* Random cases against a list of all of them ----------------------------------------------------- */

enum { MOST = 60 };

typedef struct made_case {
  const char *id;
  bool there[2];
  const char *around[2]; /* as JSON; NULL: nothing */
  const char *text[2];   /* what is kept of it */
} made_case;

/* An object with keys of which some have the value 7, which the other document has; NULL: an array. */
static void random_around(test_random *random, made_case *made, int side, bool has_value) {
  size_t keys = test_random_below(random, 8) == 0 ? EE_ABSENT_KEYS - 1 + test_random_below(random, 4)
                                                  : test_random_below(random, 5);
  const char *json = "", *text = "";
  for (size_t i = 0; i < keys; i++) {
    bool agrees = test_random_below(random, 3) == 0;
    const char *name = ee_arena_printf(&arena, "%.*s%zu", (int)test_random_below(random, 12), "long-name-of", i);
    json = ee_arena_printf(&arena, "%s%s\"%s\":%d", json, i > 0 ? "," : "", name, agrees ? 7 : 8);
    if (i < EE_ABSENT_KEYS)
      text = ee_arena_printf(&arena, "%s%c%zu:%s", text, agrees && has_value ? '+' : '-', strlen(name), name);
  }
  made->around[side] = ee_arena_printf(&arena, "{%s}", json);
  made->text[side] = text;
}

static ee_attribute_result made_attribute(const made_case *made, bool has_value) {
  ee_absence *absence = EE_NEW(&arena, ee_absence);
  for (int side = 0; side < 2; side++)
    if (made->around[side] != NULL)
      absence->around[side] = ee_json_read(&arena, ee_str_from(made->around[side]), NULL, NULL);
  if (has_value) absence->value = ee_value_new_number(&arena, 7);
  return (ee_attribute_result){.there = {made->there[0], made->there[1]},
                               .absence = made->around[0] == NULL && made->around[1] == NULL ? NULL : absence};
}

static int by_id(const void *a, const void *b) {
  return strcmp((*(const made_case *const *)a)->id, (*(const made_case *const *)b)->id);
}

static void assert_kept(const ee_absent_path *path, const made_case *cases, size_t count) {
  for (int side = 0; side < 2; side++) {
    const made_case *sorted[MOST];
    size_t kept = 0;
    bool there = false;
    for (size_t i = 0; i < count; i++) {
      there = there || cases[i].there[side];
      if (cases[i].around[side] != NULL) sorted[kept++] = &cases[i];
    }
    qsort(sorted, kept, sizeof *sorted, by_id);
    if (kept > EE_ABSENT_CASES) kept = EE_ABSENT_CASES;
    assert_int_equal(path->there[side], there);
    assert_int_equal(path->sides[side].cases, there ? 0 : kept);
    uint32_t arrays = 0;
    for (size_t i = 0; i < kept && !there; i++) {
      const ee_case_example *example = &path->sides[side].items[i];
      assert_true(ee_str_is(example->id, sorted[i]->id));
      if (!ee_str_is(example->text, sorted[i]->text[side]))
        fail_msg("%.*s, not %s", EE_STR_ARG(example->text), sorted[i]->text[side]);
      arrays += strcmp(sorted[i]->text[side], "[") == 0;
    }
    assert_int_equal(ee_absent_path_arrays(path, (ee_document_side)side), arrays);
  }
}

static bool read_again(ee_absent_path *path, ee_absent_path *read) {
  ee_buffer out = {0};
  ee_state_line line;
  ee_state_write(&line, &out);
  ee_absent_path_state(&line, &arena, path);
  bool good = ee_state_close(&line);
  *read = (ee_absent_path){.there = {false}};
  if (good) {
    ee_state_read(&line, ee_json_read(&arena, (ee_str){out.data, out.length}, NULL, NULL));
    ee_absent_path_state(&line, &arena, read);
    good = ee_state_close(&line);
  }
  ee_buffer_fini(&out);
  return good;
}

static void keeps_the_first_cases(void **state) {
  (void)state;
  test_random random = test_random_start("absent paths", 1205);
  for (int round = 0; round < 1500; round++) {
    made_case cases[MOST];
    memset(cases, 0, sizeof cases);
    size_t count = test_random_below(&random, MOST + 1), shift = test_random_below(&random, 97);
    bool once = test_random_below(&random, 3) == 0;
    ee_buffer text = {0};
    ee_absent_path whole = {.there = {false}}, parts[2] = {{.there = {false}}, {.there = {false}}}, read;
    for (size_t i = 0; i < count; i++) {
      made_case *made = &cases[i];
      bool has_value = test_random_below(&random, 4) > 0;
      made->id = ee_arena_printf(&arena, "c%zu", (i * 37 + shift) % 97);
      for (int side = 0; side < 2; side++) {
        made->there[side] = once && test_random_below(&random, 40) == 0;
        size_t kind = test_random_below(&random, 6);
        if (made->there[side] || kind == 0) continue;
        random_around(&random, made, side, has_value);
        if (kind == 1) made->around[side] = "[7]", made->text[side] = "[";
      }
      ee_attribute_result attribute = made_attribute(made, has_value);
      ee_absent_path_add(&whole, &arena, &attribute, ee_str_from(made->id), &text);
      ee_absent_path_add(&parts[test_random_below(&random, 2)], &arena, &attribute, ee_str_from(made->id), &text);
    }
    assert_kept(&whole, cases, count);
    assert_true(read_again(&whole, &read));
    assert_kept(&read, cases, count);
    size_t to = test_random_below(&random, 2);
    ee_absent_path_merge(&parts[to], &arena, &parts[1 - to]);
    assert_kept(&parts[to], cases, count);
    ee_absent_path_merge(&read, &arena, &(ee_absent_path){.there = {false}});
    assert_kept(&read, cases, count);
    ee_buffer_fini(&text);
    ee_arena_reset(&arena, 0);
  }
}

/* As many cases as are examined, and no more, are in a state. */
static void refuses_more_cases(void **state) {
  (void)state;
  for (uint32_t count = EE_ABSENT_CASES; count <= EE_ABSENT_CASES + 1; count++) {
    ee_absent_path path = {.there = {false}}, read;
    struct ee_absent_side *side = &path.sides[EE_EXPECTED];
    side->items = EE_NEW_ARRAY(&arena, ee_case_example, count);
    for (; side->cases < count; side->cases++)
      side->items[side->cases] = (ee_case_example){.id = EE_STR("x"), .text = EE_STR("[")};
    assert_int_equal(read_again(&path, &read), count == EE_ABSENT_CASES);
    if (count == EE_ABSENT_CASES) assert_int_equal(ee_absent_path_arrays(&read, EE_EXPECTED), count);
  }
}

/* Similar names are looked for up to 200 bytes: comparing takes the product of two lengths. */
static void looks_for_names_of_some_length(void **state) {
  (void)state;
  for (size_t length = 199; length <= 201; length++) {
    char name[202], key[300];
    memset(name, 'x', length), name[length] = '\0';
    snprintf(key, sizeof key, "-%zu:%sy", length, ee_arena_printf(&arena, "%.*s", (int)length - 1, name));
    ee_absent_path path = WITH_KEYS(key);
    check(&path, name, length <= 200 ? key + 5 : "", 0);
  }
  /* One letter may be enough. */
  ee_absent_path path = WITH_KEYS("+1:b", "-1:c");
  check(&path, "zzzzzz", "b", 1);
}

EE_TEST_FILE(make_arena, free_arena, cmocka_unit_test(keeps_the_first_cases), cmocka_unit_test(refuses_more_cases),
             cmocka_unit_test(looks_for_names_of_some_length), cmocka_unit_test(finds_the_value_that_agrees),
             cmocka_unit_test(asks_a_third_of_the_cases_to_agree), cmocka_unit_test(else_takes_a_similar_name),
             cmocka_unit_test(ends_at_damage));
