/* test_audit_values.c: texts that are one edit apart, paths without indices, numbers in texts. */
#include "audit_fixture.h"

#include "audit/checks.h"
#include "support/random.h"

/* One insertion, deletion, substitution or exchange of neighbours, tried one after the other. */
static bool slow_one_edit(const char *a, const char *b) {
  size_t m = strlen(a), n = strlen(b);
  if (strcmp(a, b) == 0) return false;
  for (size_t i = 0; i <= m; i++) {
    char made[64];
    if (i < m) { /* deletion */
      snprintf(made, sizeof made, "%.*s%s", (int)i, a, a + i + 1);
      if (strcmp(made, b) == 0) return true;
    }
    for (const char *c = "abc"; *c != '\0'; c++) {
      snprintf(made, sizeof made, "%.*s%c%s", (int)i, a, *c, a + i); /* insertion */
      if (strcmp(made, b) == 0) return true;
      if (i == m) continue;
      snprintf(made, sizeof made, "%.*s%c%s", (int)i, a, *c, a + i + 1); /* substitution */
      if (strcmp(made, b) == 0) return true;
    }
    if (i + 1 < m && m == n) {
      snprintf(made, sizeof made, "%.*s%c%c%s", (int)i, a, a[i + 1], a[i], a + i + 2);
      if (strcmp(made, b) == 0) return true;
    }
  }
  return false;
}

static void one_edit_against_trying(void **state) {
  (void)state;
  test_random random = test_random_start("one edit", 5);
  size_t near = 0;
  for (int round = 0; round < 20000; round++) {
    char a[9] = "", b[9] = "";
    size_t m = 1 + test_random_below(&random, 6), n = 1 + test_random_below(&random, 6);
    for (size_t i = 0; i < m; i++) a[i] = "abc"[test_random_below(&random, 3)];
    for (size_t i = 0; i < n; i++)
      b[i] = i < m && test_random_below(&random, 4) > 0 ? a[i] : "abc"[test_random_below(&random, 3)];
    bool wanted = slow_one_edit(a, b);
    near += wanted;
    if (ee_audit_one_edit(ee_str_from(a), ee_str_from(b)) != wanted) fail_msg("'%s' '%s'", a, b);
  }
  assert_true(near > 1000);
  assert_true(ee_audit_one_edit(EE_STR("M\xc3\xbcller"), EE_STR("Muller")));
  assert_true(ee_audit_one_edit(EE_STR("M\xc3\xbcller"), EE_STR("\xc3\xbcMller")));
}

static void paths_without_indices(void **state) {
  (void)state;
  static const char *const pairs[][2] = {{"items[3].price", "items[*].price"},
                                         {"a[0][12].b", "a[*][*].b"},
                                         {"total", "total"},
                                         {"a[\"x.1\"]", "a[\"x.1\"]"},
                                         {"", ""}};
  ee_arena arena;
  ee_arena_init(&arena, 0);
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    assert_true(ee_str_is(ee_audit_without_indices(ee_str_from(pairs[i][0]), &arena), pairs[i][1]));
  ee_arena_fini(&arena);
}

static void numbers_in_texts(void **state) {
  (void)state;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  const struct {
    const char *json;
    bool is_number;
    double number;
    int decimals;
  } cases[] = {{"7.25", true, 7.25, 2},     {"\"1,234.50\"", true, 1234.5, 2},
               {"\"$8.20\"", true, 8.2, 2}, {"\"12 %\"", true, 12, 0},
               {"\"1O.50\"", false, 0, 0},  {"\"\"", false, 0, 0},
               {"null", false, 0, 0},       {"1e3", true, 1000, 0},
               {"true", false, 0, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double number = 0;
    int decimals = 0;
    const ee_value *value = ee_json_read(&arena, ee_str_from(cases[i].json), NULL, NULL);
    bool read = ee_audit_number(value, '.', &arena, &number, &decimals);
    if (read != cases[i].is_number || (read && (number != cases[i].number || decimals != cases[i].decimals)))
      fail_msg("%s: %d %g %d", cases[i].json, read, number, decimals);
  }
  ee_arena_fini(&arena);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(one_edit_against_trying), cmocka_unit_test(paths_without_indices),
             cmocka_unit_test(numbers_in_texts));
