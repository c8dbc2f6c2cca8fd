/* test_absent_path.c: which key was meant, of the keys that cases without a path have. */
#include "run/absent_path.h"

#include <string.h>

#include "support/arena.h"

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

EE_TEST_FILE(make_arena, free_arena, cmocka_unit_test(finds_the_value_that_agrees),
             cmocka_unit_test(asks_a_third_of_the_cases_to_agree), cmocka_unit_test(else_takes_a_similar_name),
             cmocka_unit_test(ends_at_damage));
