/* test_where.c: conditions on the members of a case, against one that spells every rule out. */
#include "run/where.h"

#include <string.h>

#include "data/json/json_reader.h"
#include "run/run_listener.h"
#include "support/arena.h"
#include "support/random.h"

static ee_value *read_text(const char *text) { return ee_json_read(&arena, ee_str_from(text), NULL, NULL); }

static bool keeps(const char *record, const char *truth, const char *const *texts, size_t count) {
  ee_where list[8];
  for (size_t i = 0; i < count; i++) {
    ee_error error = {0};
    if (ee_where_parse(&arena, texts[i], &list[i], &error) != EE_OK) fail_msg("%s", error.message);
  }
  ee_case current = {.record = read_text(record), .truth = truth != NULL ? read_text(truth) : NULL};
  return ee_where_keeps(list, count, &current, &arena);
}

static void test_values(void **state) {
  (void)state;
  static const struct {
    const char *record, *where;
    bool kept;
  } cases[] = {
      {"{\"a\":\"x\"}", "a=x", true},
      {"{\"a\":\"x\"}", "a=X", false},
      {"{\"a\":\"x\"}", "a!=x", false},
      {"{\"a\":\"x\"}", "a!=y", true},
      {"{\"a\":\"x=y\"}", "a=x=y", true},
      {"{\"a\":\"\"}", "a=", true},
      {"{}", "a=", false},
      {"{}", "a=(missing)", true},
      {"{\"a\":null}", "a=(missing)", true},
      {"{}", "a!=x", true},
      {"{\"a\":1}", "a=1", true},
      {"{\"a\":1.50}", "a=1.5", true},
      {"{\"a\":1}", "a=1.0", true},
      {"{\"a\":1}", "a=01x", false},
      {"{\"a\":\"1\"}", "a=1", true},
      {"{\"a\":\"1\"}", "a=1.0", false},
      {"{\"a\":true}", "a=true", true},
      {"{\"a\":false}", "a=true", false},
      {"{\"a\":[\"x\",2]}", "a=2", true},
      {"{\"a\":[\"x\",2]}", "a!=x", false},
      {"{\"a\":[]}", "a=(missing)", false},
      {"{\"a\":{\"b\":1}}", "a={\"b\":1}", true},
      {"{\"meta\":{\"split\":\"test\"}}", "meta.split=test", true},
      {"{\"a\":[{\"b\":1}]}", "a[0].b=1", true},
      {"{\"a=b\":1}", "[\"a=b\"]=1", true},
      {"{\"a\":1}", "$={\"a\":1}", true},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    bool kept = keeps(cases[i].record, NULL, &cases[i].where, 1);
    if (kept != cases[i].kept) print_error("%s where %s\n", cases[i].record, cases[i].where);
    assert_int_equal(kept, cases[i].kept);
    /* The file of expected values counts for what the record lacks. */
    if (cases[i].where[0] != '$') assert_int_equal(keeps("{}", cases[i].record, &cases[i].where, 1), cases[i].kept);
  }
  const char *where = "a=1";
  assert_false(keeps("{\"a\":2}", "{\"a\":1}", &where, 1));
}

static void test_mistakes(void **state) {
  (void)state;
  static const char *const texts[] = {"", "a", "=x", "!=x", "a[=b", "a[*]=1", "[\"a=b\"]"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    ee_where where;
    ee_error error = {0};
    assert_int_equal(ee_where_parse(&arena, texts[i], &where, &error), EE_ERROR_USAGE);
    assert_non_null(strstr(error.message, "--where"));
  }
}

/* Conditions on two members with values 0 to 3. */
static void test_twin(void **state) {
  (void)state;
  test_random random = test_random_start("where", 5);
  for (int round = 0; round < 5000; round++) {
    int values[2] = {(int)test_random_below(&random, 4), (int)test_random_below(&random, 4)};
    const char *texts[6];
    size_t count = test_random_below(&random, 7);
    bool asked[2] = {false, false}, has[2] = {false, false}, excluded = false;
    for (size_t i = 0; i < count; i++) {
      int member = (int)test_random_below(&random, 2), value = (int)test_random_below(&random, 4);
      bool excludes = test_random_below(&random, 3) == 0;
      texts[i] = ee_arena_printf(&arena, "%c%s%d", 'a' + member, excludes ? "!=" : "=", value);
      excluded = excluded || (excludes && values[member] == value);
      asked[member] = asked[member] || !excludes;
      has[member] = has[member] || (!excludes && values[member] == value);
    }
    bool wanted = !excluded && (!asked[0] || has[0]) && (!asked[1] || has[1]);
    const char *record = ee_arena_printf(&arena, "{\"a\":%d,\"b\":%d}", values[0], values[1]);
    assert_int_equal(keeps(record, NULL, texts, count), wanted);
    ee_arena_reset(&arena, 0);
  }
}

/* Why the conditions choose nothing, of these records. */
static const char *explain(const char *records, uint64_t most, const char *const *texts, size_t count) {
  ee_where list[4];
  temporary data;
  ee_error error = {0};
  for (size_t i = 0; i < count; i++) assert_int_equal(ee_where_parse(&arena, texts[i], &list[i], &error), EE_OK);
  temporary_fill(&data, records, strlen(records));
  const char *name = data.name;
  ee_dataset *dataset = ee_dataset_open(&name, 1, &error);
  assert_non_null(dataset);
  const char *text = ee_where_explain(list, count, dataset, most, NULL, NULL, &arena);
  ee_dataset_close(dataset);
  temporary_remove(&data);
  return text;
}
#define explained(records, ...)                                                                                        \
  explain((records), UINT64_MAX, (const char *const[]){__VA_ARGS__},                                                   \
          sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

#define RECORD(more) "{\"id\":\"x\",\"expected\":1" more "}\n"

static void test_explained(void **state) {
  (void)state;
  const char *two = RECORD(",\"a\":\"x\",\"b\":1") RECORD(",\"a\":\"y\"") RECORD(",\"a\":\"x\"");
  assert_string_equal(explained(two, "a=z"), "no case has a=z: 'a' is 'x' (2), 'y' (1)");
  assert_string_equal(explained(two, "b=2"), "no case has b=2: 'b' is '1' (1), '(missing)' (2)");
  assert_string_equal(explained(two, "c=2"), "no case has 'c'");
  /* The first path whose values do not occur; where each does, it is the conditions together. */
  assert_string_equal(explained(two, "a=x", "b=2", "a=z"), "no case has b=2: 'b' is '1' (1), '(missing)' (2)");
  assert_null(explained(two, "a=y", "b=1"));
  /* The values of an array are its elements. */
  assert_string_equal(explained(RECORD(",\"a\":[1,\"x\",1]"), "a=z"), "no case has a=z: 'a' is '1' (2), 'x' (1)");
  /* Of a long value its beginning, and values that begin alike are one. */
#define FORTY "0123456789012345678901234567890123456789"
  assert_string_equal(explained(RECORD(",\"a\":\"" FORTY "x\"") RECORD(",\"a\":\"" FORTY "y\""), "a=z"),
                      "no case has a=z: 'a' is '" FORTY "' (2)");
  /* Of many values the first ones. */
  ee_buffer text = {0};
  for (int i = 0; i < 40; i++) ee_buffer_addf(&text, RECORD(",\"a\":%d"), i % 20);
  assert_string_equal(explained(ee_buffer_terminate(&text), "a=z"),
                      "no case has a=z: 'a' is '0' (2), '1' (2), '2' (2), '3' (2), '4' (2), '5' (2), '6' (2), '7' (2), "
                      "'8' (2), '9' (2), ...");
  /* Ten are all named. */
  ee_buffer_clear(&text);
  for (int i = 0; i < 20; i++) ee_buffer_addf(&text, RECORD(",\"a\":%d"), i % 10);
  assert_string_equal(explained(ee_buffer_terminate(&text), "a=z"),
                      "no case has a=z: 'a' is '0' (2), '1' (2), '2' (2), '3' (2), '4' (2), '5' (2), '6' (2), '7' (2), "
                      "'8' (2), '9' (2)");
  ee_buffer_add_text(&text, RECORD(",\"a\":10"));
  assert_string_equal(explained(ee_buffer_terminate(&text), "a=z"),
                      "no case has a=z: 'a' is '0' (2), '1' (2), '2' (2), '3' (2), '4' (2), '5' (2), '6' (2), '7' (2), "
                      "'8' (2), '9' (2), ...");
  ee_buffer_fini(&text);
  /* What is excluded explains nothing by itself. */
  assert_null(explained(RECORD(",\"a\":1"), "a!=1"));
  assert_string_equal(explained(RECORD(",\"a\":1") RECORD(",\"a\":2"), "a!=1", "a=3", "a!=2"),
                      "no case has a=3: 'a' is '1' (1), '2' (1)");
  /* A value beside records without one. */
  assert_string_equal(explained(RECORD("") RECORD(",\"a\":[]"), "a=1"), "no case has 'a'");
}

static bool wants_ones(void *user, const ee_case *current) {
  ++*(int *)user;
  return ee_str_is(current->id, "a1") || ee_str_is(current->id, "b1 (trial 2)");
}

/* A case fulfils all of a choice: one of the globs, which see its id without the trial, each condition, and what the
 * caller wants, which is asked last. */
static void test_choices(void **state) {
  (void)state;
  static const char *const globs[] = {"a*", "*1"};
  ee_where where;
  ee_error error = {0};
  assert_int_equal(ee_where_parse(&arena, "x=1", &where, &error), EE_OK);
  static const struct {
    const char *id, *base, *record;
    size_t globs, conditions;
    bool wants, kept;
    int asked;
  } facts[] = {
      {"c3", NULL, "{}", 0, 0, false, true, 0},
      {"c3", NULL, "{}", 1, 0, false, false, 0},
      {"a3", NULL, "{}", 1, 0, false, true, 0},
      {"c1", NULL, "{}", 1, 0, false, false, 0},
      {"c1", NULL, "{}", 2, 0, false, true, 0},
      {"a3", NULL, "{}", 2, 0, false, true, 0},
      {"c1 (trial 2)", "c1", "{}", 2, 0, false, true, 0},
      {"c2 (trial 1)", "c2", "{}", 2, 0, false, false, 0},
      {"a1", NULL, "{\"x\":1}", 2, 1, false, true, 0},
      {"a1", NULL, "{\"x\":2}", 2, 1, false, false, 0},
      {"c3", NULL, "{\"x\":1}", 2, 1, false, false, 0},
      {"a1", NULL, "{\"x\":1}", 2, 1, true, true, 1},
      {"a1", NULL, "{\"x\":2}", 2, 1, true, false, 0},
      {"c3", NULL, "{\"x\":1}", 2, 1, true, false, 0},
      {"a2", NULL, "{\"x\":1}", 2, 1, true, false, 1},
      {"b1 (trial 2)", "b1", "{\"x\":1}", 2, 1, true, true, 1},
      {"b1 (trial 1)", "b1", "{\"x\":1}", 2, 1, true, false, 1},
      {"a2", NULL, "{}", 0, 0, true, false, 1},
  };
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    int asked = 0;
    ee_case current = {.id = ee_str_from(facts[i].id), .record = read_text(facts[i].record)};
    if (facts[i].base != NULL) current.base = ee_str_from(facts[i].base);
    ee_case_choice choice = {.only = globs,
                             .only_count = facts[i].globs,
                             .where = &where,
                             .where_count = facts[i].conditions,
                             .wants = facts[i].wants ? wants_ones : NULL,
                             .user = &asked};
    if (ee_case_choice_keeps(&choice, &current, &arena) != facts[i].kept) fail_msg("%zu: %s", i, facts[i].id);
    assert_int_equal(asked, facts[i].asked);
  }
}

/* Of more data than `most` bytes only the first cases are read, and the text says so. */
static void test_explained_in_part(void **state) {
  (void)state;
  ee_buffer text = {0};
  for (int i = 0; i < 400; i++)
    ee_buffer_addf(&text, "{\"id\":%d,\"expected\":1,\"a\":\"%s\"%4000s}\n", i, i < 200 ? "x" : "y", "");
  const char *records = ee_buffer_terminate(&text);
  unsigned cases = 0, counted = 0;
  const char *said = explain(records, 1000, (const char *const[]){"a=z"}, 1);
  assert_int_equal(sscanf(said, "none of the first %u cases has a=z: 'a' is 'x' (%u)", &cases, &counted), 2);
  assert_true(cases == counted && cases > 0 && cases < 200);
  said = explain(records, 1000, (const char *const[]){"c=2"}, 1);
  assert_string_equal(said, ee_arena_printf(&arena, "none of the first %u cases has 'c'", cases));
  /* A value of the cases that were not read is not known. */
  assert_non_null(explain(records, 1000, (const char *const[]){"a=y"}, 1));
  assert_null(explain(records, text.length, (const char *const[]){"a=y"}, 1));
  assert_string_equal(explain(records, text.length, (const char *const[]){"c=2"}, 1), "no case has 'c'");
  ee_buffer_fini(&text);
}

EE_TEST_FILE(make_arena, free_arena, cmocka_unit_test(test_values), cmocka_unit_test(test_mistakes),
             cmocka_unit_test(test_twin), cmocka_unit_test(test_explained), cmocka_unit_test(test_explained_in_part),
             cmocka_unit_test(test_choices));
