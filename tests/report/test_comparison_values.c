/* test_comparison_values.c: the values of a case from two runs side by side: a slow twin on random lists, the fields
 * that values count for, and lists and values that are too long. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/json/json_reader.h"
#include "report/made_runs.h"

/* A row whose only judge has these attributes, each right once, and this details.mismatches. */
static ee_stored_row row_of(ee_arena *arena, const char *const *attributes, const char *mismatches, const char *rest) {
  ee_error error;
  const char *text =
      ee_arena_printf(arena, "{\"name\":\"lines\",\"details\":{\"mismatches\":[%s]%s}}", mismatches, rest);
  ee_stored_judge *judge = EE_NEW(arena, ee_stored_judge);
  *judge = (ee_stored_judge){.name = EE_STR("lines"), .entry = ee_json_read(arena, ee_str_from(text), NULL, &error)};
  if (judge->entry == NULL) fail_msg("%s in %s", error.message, text);
  ee_stored_attribute *list = EE_NEW_ARRAY(arena, ee_stored_attribute, 10);
  for (; attributes[judge->attribute_count] != NULL; judge->attribute_count++)
    list[judge->attribute_count] =
        (ee_stored_attribute){.name = ee_str_from(attributes[judge->attribute_count]), .counts = {.tp = 1}};
  judge->attributes = list;
  return (ee_stored_row){.id = EE_STR("a"), .score = 1, .judges = judge, .judge_count = 1};
}

static ee_comparison *compare_lists(ee_arena *arena, const char *const *attributes, const char *const *lists,
                                    const char *const *rests) {
  ee_stored_row rows[] = {row_of(arena, attributes, lists[0], rests[0]), row_of(arena, attributes, lists[1], rests[1])};
  made_run base = {&rows[0], 1}, fresh = {&rows[1], 1};
  return compare_or_fail(&base, &fresh, (ee_comparison_options){0});
}

static const char *const nothing[] = {"", ""};

/* The twin -------------------------------------------------------------------------------------- */

enum { ROUNDS = 3000, PATHS = 6, LONGEST = 9 };

/* How often a side lists each path, with an expected value and without. */
typedef struct listing {
  size_t times[PATHS][2];
  const char *text;
} listing;

static listing random_listing(test_random *random, ee_arena *arena) {
  listing made = {.text = ""};
  for (size_t count = test_random_below(random, LONGEST); count > 0; count--) {
    size_t path = test_random_below(random, PATHS), expected = test_random_below(random, 2);
    made.times[path][expected]++;
    made.text = ee_arena_printf(arena, "%s%s{\"path\":\"p%zu\"%s,\"candidate\":%zu,\"reason\":\"r\"}", made.text,
                                *made.text != '\0' ? "," : "", path, expected ? ",\"expected\":7" : "", count);
  }
  return made;
}

static void test_random_lists(void **state) {
  (void)state;
  static const char *const attributes[] = {"p0", "p1", "p2", "p3", NULL};
  test_random random = test_random_start("values", 77);
  for (size_t round = 0; round < ROUNDS; round++) {
    ee_arena arena;
    ee_arena_init(&arena, 0);
    listing sides[] = {random_listing(&random, &arena), random_listing(&random, &arena)};
    const char *texts[] = {sides[0].text, sides[1].text};
    ee_comparison *comparison = compare_lists(&arena, attributes, texts, nothing);
    const ee_compared_value *values;
    size_t count = ee_comparison_values(comparison, 0, &arena, &values), total = 0;
    for (size_t path = 0; path < PATHS; path++) {
      for (size_t expected = 0; expected < 2; expected++) {
        size_t old = sides[0].times[path][expected], fresh = sides[1].times[path][expected], found[2][2] = {{0}};
        const char *name = ee_arena_printf(&arena, "p%zu", path);
        for (size_t i = 0; i < count; i++) {
          if (!ee_str_is(values[i].path, name) || (values[i].expected.data != NULL) != (expected == 1)) continue;
          found[values[i].wrong[0]][values[i].wrong[1]]++;
          assert_true(ee_str_is(values[i].field, path < 4 ? name : ""));
          for (int side = 0; side < 2; side++)
            if (!values[i].wrong[side]) assert_ptr_equal(values[i].values[side].data, values[i].expected.data);
        }
        size_t both = old < fresh ? old : fresh;
        total += old + fresh - both;
        assert_int_equal(found[1][1], both);
        assert_int_equal(found[1][0], old - both);
        assert_int_equal(found[0][1], fresh - both);
        assert_int_equal(found[0][0], 0);
      }
    }
    assert_int_equal(count, total);
    ee_comparison_free(comparison);
    ee_arena_fini(&arena);
  }
}

/* Fields ---------------------------------------------------------------------------------------- */

static void check_field(const char *path, const char *field) {
  static const char *const attributes[] = {"price", "a.b", "a[*].b", "c[1].d", "[0]", NULL};
  ee_arena arena;
  ee_arena_init(&arena, 0);
  const char *lists[] = {ee_arena_printf(&arena, "{\"path\":\"%s\",\"expected\":1}", path), ""};
  ee_comparison *comparison = compare_lists(&arena, attributes, lists, nothing);
  const ee_compared_value *values;
  assert_int_equal(ee_comparison_values(comparison, 0, &arena, &values), 1);
  if (!ee_str_is(values[0].field, field)) fail_msg("%s: %.*s, not %s", path, EE_STR_ARG(values[0].field), field);
  assert_string_equal(ee_value_change_name(&values[0]), "fixed");
  assert_true(values[0].values[EE_SIDE_BASE].data == NULL && ee_str_is(values[0].values[EE_SIDE_NEW], "1"));
  ee_comparison_free(comparison);
  ee_arena_fini(&arena);
}

static void test_fields(void **state) {
  (void)state;
  check_field("price", "price");
  check_field("items[0].price", "price");
  check_field("x[2].items[10].price", "price");
  check_field("items[0]", "");
  check_field("a.b", "a.b");
  check_field("a[7].b", "a[*].b");
  check_field("rows[3].a.b", "a.b");
  check_field("c[1].d", "c[1].d");
  check_field("c[2].d", "");
  check_field("[0]", "[0]");
  check_field("[", "");
  check_field("a[", "");
  check_field("a[1", "");
  check_field("].price", "price");
  check_field("", "");
}

/* Limits ---------------------------------------------------------------------------------------- */

static void test_limits(void **state) {
  (void)state;
  static const char *const attributes[] = {"x", NULL};
  ee_arena arena;
  ee_arena_init(&arena, 0);
  /* A list that its row cut says nothing of values that it does not have. */
  const char *lists[] = {"{\"path\":\"x\",\"expected\":1},{\"path\":\"y\",\"expected\":1}",
                         "{\"path\":\"x\",\"expected\":1}"};
  const char *cut[] = {"", ",\"truncated\":true"};
  const ee_compared_value *values;
  ee_comparison *comparison = compare_lists(&arena, attributes, lists, cut);
  assert_int_equal(ee_comparison_values(comparison, 0, &arena, &values), 1);
  assert_string_equal(ee_value_change_name(&values[0]), "still wrong");
  ee_comparison_free(comparison);
  /* As many as fit, and long values with their start only. */
  char *text = malloc(300000);
  size_t length = 0;
  for (size_t i = 0; i < 60; i++) {
    length += (size_t)sprintf(text + length, "%s{\"path\":\"p%zu\",\"expected\":\"", i > 0 ? "," : "", i);
    for (size_t k = 0; k < 700; k++) length += (size_t)sprintf(text + length, "\xc3\xa4");
    length += (size_t)sprintf(text + length, "\",\"candidate\":[1,\"x\"]}");
  }
  const char *longer[] = {text, ""};
  comparison = compare_lists(&arena, attributes, longer, nothing);
  assert_int_equal(ee_comparison_values(comparison, 0, &arena, &values), 50);
  ee_error error;
  const ee_value *start = ee_json_read(&arena, values[3].expected, NULL, &error);
  assert_true(start != NULL && ee_type_of(start) == EE_STRING);
  assert_int_equal(ee_value_text(start).length, 500 + 3);
  assert_true(ee_str_is(values[3].values[EE_SIDE_BASE], "[1,\"x\"]"));
  ee_comparison_free(comparison);
  longer[0] = "";
  longer[1] = text;
  comparison = compare_lists(&arena, attributes, longer, nothing);
  assert_int_equal(ee_comparison_values(comparison, 0, &arena, &values), 50);
  ee_comparison_free(comparison);
  free(text);
  ee_arena_fini(&arena);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_random_lists), cmocka_unit_test(test_fields),
             cmocka_unit_test(test_limits));
