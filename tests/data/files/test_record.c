/* test_record.c: where id, expected and candidate are found in records of many makes. */
#include <string.h>

#include "base/buffer.h"
#include "data/files/record.h"
#include "data/json/json_reader.h"
#include "data/json/json_writer.h"
#include "support/arena.h"

static ee_value *read_text(const char *text) {
  ee_value *value = ee_json_read(&arena, ee_str_from(text), NULL, NULL);
  if (value == NULL) print_error("%s\n", text);
  assert_non_null(value);
  return value;
}

static const char *text_of(const ee_value *value) {
  if (value == NULL) return "none";
  ee_buffer out = {0};
  ee_json_write_value(&out, value);
  char *text = ee_arena_copy(&arena, out.data, out.length);
  ee_buffer_fini(&out);
  return text;
}

static void check(const char *record, const char *id, const char *expected, ee_candidate_state candidate_state,
                  const char *candidate, const char *candidate_text) {
  ee_case found;
  ee_error error = {0};
  ee_value *value = read_text(record);
  ee_status status = ee_record_read(value, NULL, &(ee_record_place){.line = 17}, &arena, &found, &error);
  if (status != EE_OK) print_error("%s: %s\n", record, error.message);
  assert_int_equal(status, EE_OK);
  assert_ptr_equal(found.record, value);
  assert_true(ee_str_is(found.id, id));
  assert_string_equal(text_of(found.expected), expected);
  assert_int_equal(found.candidate_state, candidate_state);
  assert_string_equal(text_of(found.candidate), candidate);
  if (candidate_text == NULL) {
    assert_null(found.candidate_text.data);
  } else {
    assert_true(ee_str_is(found.candidate_text, candidate_text));
  }
}

#define NO_EXPECTED_OF(members) "record has no expected value: it has " members

static ee_path_list list_of(const char *first, const char *second) {
  const ee_path **items = EE_NEW_ARRAY(&arena, const ee_path *, 2);
  items[0] = ee_record_path_parse(&arena, ee_str_from(first), NULL);
  if (second != NULL) items[1] = ee_record_path_parse(&arena, ee_str_from(second), NULL);
  return (ee_path_list){items, second != NULL ? 2 : 1};
}

static void test_known_names(void **state) {
  (void)state;
  static const char *const ids[] = {"id", "case_id", "caseId", "eval_id", "test_id"};
  static const char *const expected[] = {"expected", "expected_output", "reference_answer", "ground_truth", "gt"};
  static const char *const candidates[] = {"candidate", "candidate_answer", "output", "prediction", "aio"};
  for (size_t i = 0; i < 5; i++) {
    for (size_t k = 0; k < 5; k++) {
      /* The names from the i-th on, the last first: the i-th wins, wherever it stands. */
      ee_buffer record = {0};
      ee_buffer_add_char(&record, '{');
      for (size_t n = 5; n-- > 0;) {
        if (n >= i) ee_buffer_addf(&record, "\"%s\":\"id%zu\",\"%s\":[%zu],", ids[n], n, expected[n], n);
        if (n >= k) ee_buffer_addf(&record, "\"%s\":{\"n\":%zu},", candidates[n], n);
      }
      ee_buffer_add_text(&record, "\"other\":0}");
      char id[8] = "id0", list[8] = "[0]", object[8] = "{\"n\":0}";
      id[2] = list[1] = (char)('0' + i);
      object[5] = (char)('0' + k);
      check(ee_buffer_terminate(&record), id, list, EE_CANDIDATE_READ, object, NULL);
      ee_buffer_fini(&record);
    }
  }
}

static void test_ids(void **state) {
  (void)state;
  check("{\"expected\":1,\"output\":2}", "-:17", "1", EE_CANDIDATE_READ, "2", NULL);
  check("{\"id\":null,\"expected\":1,\"output\":2}", "-:17", "1", EE_CANDIDATE_READ, "2", NULL);
  check("{\"id\":null,\"case_id\":\"x\",\"expected\":1,\"output\":2}", "x", "1", EE_CANDIDATE_READ, "2", NULL);
  check("{\"id\":7,\"expected\":1,\"output\":2}", "7", "1", EE_CANDIDATE_READ, "2", NULL);
  check("{\"id\":7.50,\"expected\":1,\"output\":2}", "7.5", "1", EE_CANDIDATE_READ, "2", NULL);
  check("{\"id\":9007199254740993,\"expected\":1,\"output\":2}", "9007199254740993", "1", EE_CANDIDATE_READ, "2", NULL);
  check("{\"id\":\"\",\"expected\":1,\"output\":2}", "", "1", EE_CANDIDATE_READ, "2", NULL);
}

static void test_texts(void **state) {
  (void)state;
  check("{\"expected\":\"{\\\"a\\\":1}\",\"candidate\":\"```json\\n{\\\"a\\\":2}\\n```\"}", "-:17", "{\"a\":1}",
        EE_CANDIDATE_READ, "{\"a\":2}", "```json\n{\"a\":2}\n```");
  check("{\"expected\":\"just text\",\"candidate\":\"just text\"}", "-:17", "\"just text\"", EE_CANDIDATE_UNPARSEABLE,
        "none", "just text");
  check("{\"expected\":{\"a\":1},\"candidate\":\"just text\"}", "-:17", "{\"a\":1}", EE_CANDIDATE_UNPARSEABLE, "none",
        "just text");
  check("{\"expected\":\"see [1,2] there\",\"candidate\":\" 42 \"}", "-:17", "\"see [1,2] there\"", EE_CANDIDATE_READ,
        "42", " 42 ");
  check("{\"expected\":{},\"candidate\":\"\"}", "-:17", "{}", EE_CANDIDATE_UNPARSEABLE, "none", "");
  check("{\"expected\":{},\"candidate\":\"{\\\"a\\\":\"}", "-:17", "{}", EE_CANDIDATE_UNPARSEABLE, "none", "{\"a\":");
  check("{\"expected\":true,\"candidate\":false}", "-:17", "true", EE_CANDIDATE_READ, "false", NULL);
}

static void test_missing_candidates(void **state) {
  (void)state;
  check("{\"expected\":{\"a\":1}}", "-:17", "{\"a\":1}", EE_CANDIDATE_MISSING, "none", NULL);
  check("{\"expected\":{\"a\":1},\"candidate\":null}", "-:17", "{\"a\":1}", EE_CANDIDATE_MISSING, "none", NULL);
  check("{\"expected\":1,\"candidate\":null,\"output\":[3]}", "-:17", "1", EE_CANDIDATE_READ, "[3]", NULL);
  check("{\"expected\":null,\"output\":[3]}", "-:17", "null", EE_CANDIDATE_READ, "[3]", NULL);
  check("{\"expected\":null,\"gt\":[4],\"output\":[3]}", "-:17", "[4]", EE_CANDIDATE_READ, "[3]", NULL);
}

static void test_messages(void **state) {
  (void)state;
  check("{\"expected_messages\":[{\"role\":\"user\",\"content\":\"[0]\"},{\"role\":\"assistant\",\"content\":\"[1]\"},"
        "{\"role\":\"assistant\",\"content\":\"[2]\"},{\"role\":\"user\",\"content\":\"[3]\"}],\"output\":1}",
        "-:17", "[2]", EE_CANDIDATE_READ, "1", NULL);
  check("{\"expected_messages\":[{\"role\":\"assistant\",\"content\":{\"a\":1}}],\"output\":1}", "-:17", "{\"a\":1}",
        EE_CANDIDATE_READ, "1", NULL);
  check("{\"expected_messages\":[{\"role\":\"assistant\",\"content\":\"as text\"}],\"output\":1}", "-:17",
        "\"as text\"", EE_CANDIDATE_READ, "1", NULL);
  check("{\"expected_messages\":[{\"role\":\"assistant\",\"content\":[1]}],\"gt\":[9],\"output\":1}", "-:17", "[9]",
        EE_CANDIDATE_READ, "1", NULL);
}

/* A list of messages under another name is read like expected_messages; any other list is the expected value. */
static void test_lists_of_messages(void **state) {
  (void)state;
  static const char *const expected[] = {"expected", "expected_output", "reference_answer", "ground_truth", "gt"};
  for (int i = 0; i < 5; i++) {
    const char *record =
        ee_arena_printf(&arena,
                        "{\"%s\":[{\"role\":\"user\",\"content\":1},{\"role\":\"assistant\",\"content\":{\"a\":2}},"
                        "{\"role\":\"assistant\",\"tool_calls\":[]}],"
                        "\"expected_messages\":[{\"role\":\"assistant\",\"content\":3}],\"output\":1}",
                        expected[i]);
    check(record, "-:17", "{\"a\":2}", EE_CANDIDATE_READ, "1", NULL);
  }
  static const char *const lists[] = {"[]",
                                      "[{\"role\":\"user\",\"content\":1}]",
                                      "[{\"role\":\"assistant\"}]",
                                      "[{\"role\":\"assistant\",\"content\":1},{\"content\":2}]",
                                      "[{\"role\":\"assistant\",\"content\":1},7]",
                                      "[{\"role\":null},{\"role\":\"assistant\",\"content\":1}]",
                                      "[[{\"role\":\"assistant\",\"content\":1}]]"};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    check(ee_arena_printf(&arena, "{\"expected\":%s,\"output\":1}", lists[i]), "-:17", lists[i], EE_CANDIDATE_READ, "1",
          NULL);
}

static void test_parts(void **state) {
  (void)state;
  static const struct {
    const char *content, *expected;
  } cases[] = {
      {"[{\"type\":\"text\",\"text\":\"{\\\"a\\\":1}\"}]", "{\"a\":1}"},
      {"[{\"type\":\"text\",\"value\":\"one\"},{\"type\":\"file\",\"value\":\"x.txt\"},{\"type\":\"text\",\"value\":"
       "\"two\"}]",
       "\"one\\ntwo\""},
      {"[{\"type\":\"text\",\"text\":\"\"},{\"type\":\"text\",\"text\":\"x\"}]", "\"\\nx\""},
      {"[{\"type\":\"text\",\"text\":\"\"}]", "\"\""},
      {"[{\"type\":\"text\",\"value\":\"v\",\"text\":\"t\"}]", "\"t\""},
      {"[{\"type\":\"text\",\"text\":\"{\\\"a\\\":\"},{\"type\":\"text\",\"text\":\"1}\"}]", "{\"a\":1}"},
      /* No parts: the list itself. */
      {"[]", "[]"},
      {"[1]", "[1]"},
      {"[{\"type\":\"file\"}]", "[{\"type\":\"file\"}]"},
      {"[{\"type\":\"text\"}]", "[{\"type\":\"text\"}]"},
      {"[{\"type\":\"text\",\"text\":1}]", "[{\"type\":\"text\",\"text\":1}]"},
      {"[{\"type\":\"text\",\"text\":\"x\"},{\"a\":1}]", "[{\"type\":\"text\",\"text\":\"x\"},{\"a\":1}]"},
      {"{\"type\":\"text\",\"text\":\"x\"}", "{\"type\":\"text\",\"text\":\"x\"}"},
  };
  static const char *const holders[] = {"expected_messages", "expected_output"};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (int k = 0; k < 2; k++)
      check(ee_arena_printf(&arena, "{\"%s\":[{\"role\":\"assistant\",\"content\":%s}],\"output\":1}", holders[k],
                            cases[i].content),
            "-:17", cases[i].expected, EE_CANDIDATE_READ, "1", NULL);
  /* Parts without a message are a value like any other. */
  check("{\"expected\":[{\"type\":\"text\",\"text\":\"x\"}],\"output\":1}", "-:17",
        "[{\"type\":\"text\",\"text\":\"x\"}]", EE_CANDIDATE_READ, "1", NULL);
}

static void test_halves(void **state) {
  (void)state;
  static const struct {
    const char *record;
    bool has_expected;
  } cases[] = {{"{\"gt\":0}", true},
               {"{\"gt\":null}", false},
               {"{}", false},
               {"[1]", false},
               {"{\"expected\":null,\"expected_messages\":[{\"role\":\"assistant\",\"content\":false}]}", true},
               {"{\"expected_messages\":[{\"role\":\"assistant\",\"content\":null}]}", false},
               {"{\"expected_messages\":[{\"role\":\"user\",\"content\":1}]}", false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    assert_int_equal(ee_record_has_expected(read_text(cases[i].record), NULL), cases[i].has_expected);
  ee_str id;
  assert_int_equal(ee_record_read_id(read_text("{\"case_id\":7.0}"), NULL, EE_PART_ID, &arena, &id, NULL), EE_OK);
  assert_true(ee_str_is(id, "7"));
  ee_record_paths by_path = {.id = list_of("a.b", NULL)};
  assert_int_equal(
      ee_record_read_id(read_text("{\"id\":1,\"a\":{\"b\":\"x\"}}"), &by_path, EE_PART_ID, &arena, &id, NULL), EE_OK);
  assert_true(ee_str_is(id, "x"));
  assert_int_equal(ee_record_read_id(read_text("{\"id\":1}"), &by_path, EE_PART_ID, &arena, &id, NULL), EE_OK);
  assert_null(id.data);
  ee_error error;
  assert_int_equal(ee_record_read_id(read_text("{\"id\":[]}"), NULL, EE_PART_ID, &arena, &id, &error), EE_ERROR_DATA);
  assert_string_equal(error.message, "id must be a string or a number, got an array");
  assert_int_equal(ee_record_read_id(read_text("7"), NULL, EE_PART_ID, &arena, &id, &error), EE_ERROR_DATA);
  assert_string_equal(error.message, "record must be an object, got a number");
}

static void test_refused(void **state) {
  (void)state;
  static const struct {
    const char *record, *message;
  } cases[] = {
      {"[1]", "record must be an object, got an array"},
      {"1", "record must be an object, got a number"},
      {"null", "record must be an object, got null"},
      {"{}", "record has no expected value: it is empty"},
      {"{\"id\":\"a\",\"candidate\":{}}", NO_EXPECTED_OF("'id', 'candidate'")},
      {"{\"expected_messages\":[{\"role\":\"user\",\"content\":\"[0]\"}]}", NO_EXPECTED_OF("'expected_messages'")},
      {"{\"expected_messages\":{\"role\":\"assistant\"}}", NO_EXPECTED_OF("'expected_messages'")},
      {"{\"expected_messages\":[1,\"a\",null,{\"role\":1,\"content\":2}]}", NO_EXPECTED_OF("'expected_messages'")},
      {"{\"id\":[1],\"expected\":1}", "id must be a string or a number, got an array"},
      {"{\"id\":true,\"expected\":1}", "id must be a string or a number, got a boolean"},
      {"{\"case_id\":{},\"expected\":1}", "id must be a string or a number, got an object"},
      {"{\"\":1,\"b\":2}", NO_EXPECTED_OF("'', 'b'")},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ee_case found;
    ee_error error = {0};
    assert_int_equal(
        ee_record_read(read_text(cases[i].record), NULL, &(ee_record_place){.line = 1}, &arena, &found, &error),
        EE_ERROR_DATA);
    assert_string_equal(error.message, cases[i].message);
    assert_int_equal(error.line, 0);
    assert_int_equal(
        ee_record_read(read_text(cases[i].record), NULL, &(ee_record_place){.line = 1}, &arena, &found, NULL),
        EE_ERROR_DATA);
  }
}

static void test_paths(void **state) {
  (void)state;
  /* One that is in error itself has been reported. */
  const ee_path *none = NULL;
  assert_int_equal(ee_record_paths_check(&(ee_record_paths){.records = {&none, 1}}, NULL), EE_OK);
  ee_record_paths paths = {
      .id = list_of("meta.key", NULL), .expected = list_of("truth", NULL), .candidate = list_of("answers[1]", NULL)};
  ee_case found;
  ee_error error = {0};
  ee_value *record = read_text("{\"id\":\"no\",\"meta\":{\"key\":\"yes\"},\"expected\":0,\"truth\":{\"a\":1},"
                               "\"candidate\":0,\"answers\":[1,\"[2]\"]}");
  assert_int_equal(ee_record_read(record, &paths, &(ee_record_place){.line = 3}, &arena, &found, &error), EE_OK);
  assert_true(ee_str_is(found.id, "yes"));
  assert_string_equal(text_of(found.expected), "{\"a\":1}");
  assert_string_equal(text_of(found.candidate), "[2]");
  /* A path that is given is the only place that is looked at. */
  record = read_text("{\"id\":\"no\",\"truth\":1,\"candidate\":0}");
  assert_int_equal(ee_record_read(record, &paths, &(ee_record_place){.line = 3}, &arena, &found, &error), EE_OK);
  assert_true(ee_str_is(found.id, "-:3"));
  assert_int_equal(found.candidate_state, EE_CANDIDATE_MISSING);
  record = read_text("{\"expected\":1,\"expected_messages\":[{\"role\":\"assistant\",\"content\":1}]}");
  assert_int_equal(ee_record_read(record, &paths, &(ee_record_place){.line = 3}, &arena, &found, &error),
                   EE_ERROR_DATA);
  assert_string_equal(error.message, "record has no expected value: it has 'expected', 'expected_messages'");
  /* Of several the first that has a value that is not null. */
  paths = (ee_record_paths){.id = list_of("doc", "meta.key"), .candidate = list_of("a", "$.b")};
  record = read_text("{\"meta\":{\"key\":\"m\"},\"doc\":null,\"gt\":1,\"a\":null,\"b\":[2]}");
  assert_int_equal(ee_record_read(record, &paths, &(ee_record_place){.line = 3}, &arena, &found, &error), EE_OK);
  assert_true(ee_str_is(found.id, "m"));
  assert_string_equal(text_of(found.candidate), "[2]");
  paths.candidate = list_of("$", NULL);
  assert_int_equal(ee_record_read(record, &paths, &(ee_record_place){.line = 3}, &arena, &found, &error), EE_OK);
  assert_ptr_equal(found.candidate, record);
}

/* Reads the record of a file of answers and of a file of expected values. */
static void check_halves(const char *record, const char *id, const char *candidate, const char *expected) {
  ee_case found;
  ee_error error = {0};
  ee_value *value = read_text(record);
  assert_int_equal(ee_record_read_answer(value, NULL, &(ee_record_place){.line = 17}, &arena, &found, &error), EE_OK);
  if (!ee_str_is(found.id, id) || strcmp(text_of(found.candidate), candidate) != 0) print_error("%s\n", record);
  assert_true(ee_str_is(found.id, id));
  assert_string_equal(text_of(found.candidate), candidate);
  ee_str own;
  const ee_value *document = NULL;
  ee_status status = ee_record_read_expected(value, NULL, (ee_str){NULL, 0}, &arena, &own, &document, &error);
  if (status == EE_OK) {
    assert_true(ee_str_is(own, id));
    if (strcmp(text_of(document), expected) != 0) print_error("%s\n", record);
    assert_string_equal(text_of(document), expected);
  } else {
    if (strcmp(error.message, expected) != 0) print_error("%s\n", record);
    assert_string_equal(error.message, expected);
  }
}

static void test_two_files(void **state) {
  (void)state;
  /* A record without a name of a part is the document, without its id. */
  check_halves("{\"id\":\"a\",\"total\":5}", "a", "{\"total\":5}", "{\"total\":5}");
  check_halves("{\"total\":5,\"case_id\":7,\"x\":{}}", "7", "{\"total\":5,\"x\":{}}", "{\"total\":5,\"x\":{}}");
  check_halves("{\"total\":5}", "-:17", "{\"total\":5}", "record has no id: it has 'total'");
  check_halves("{\"id\":\"a\"}", "a", "none", NO_EXPECTED_OF("'id'"));
  /* Names that fields have, too, alone beside others are fields. */
  check_halves("{\"id\":1,\"label\":\"spam\"}", "1", "{\"label\":\"spam\"}", "{\"label\":\"spam\"}");
  check_halves("{\"id\":1,\"label\":\"spam\",\"n\":1}", "1", "{\"label\":\"spam\",\"n\":1}",
               "{\"label\":\"spam\",\"n\":1}");
  check_halves("{\"id\":1,\"reference\":{\"po\":5},\"n\":1}", "1", "{\"reference\":{\"po\":5},\"n\":1}",
               "{\"reference\":{\"po\":5},\"n\":1}");
  check_halves("{\"id\":1,\"answer\":\"Paris\",\"question\":\"?\"}", "1", "{\"answer\":\"Paris\",\"question\":\"?\"}",
               "{\"answer\":\"Paris\",\"question\":\"?\"}");
  /* A lone document, whatever its name. */
  check_halves("{\"id\":1,\"label\":{\"n\":1}}", "1", "{\"n\":1}", "{\"n\":1}");
  check_halves("{\"id\":1,\"meta\":{},\"gold\":\"{\\\"n\\\":1}\",\"split\":\"x\"}", "1", "{\"n\":1}", "{\"n\":1}");
  check_halves("{\"id\":1,\"input\":\"..\",\"output\":[3]}", "1", "[3]", "[3]");
  check_halves("{\"id\":1,\"response\":\"no idea\"}", "1", "none", "\"no idea\"");
  check_halves("{\"id\":1,\"pred\":7}", "1", "7", "7");
  /* Both parts in one record: the other one is not looked at. */
  check_halves("{\"id\":1,\"expected\":{\"a\":1},\"response\":{\"a\":2}}", "1", "{\"a\":2}", "{\"a\":1}");
  check_halves("{\"id\":1,\"gold\":{\"a\":1},\"pred\":{\"a\":2},\"n\":3}", "1", "{\"a\":2}", "{\"a\":1}");
  check_halves("{\"id\":1,\"expected\":{\"a\":1}}", "1", "none", "{\"a\":1}");
  check_halves("{\"id\":1,\"output\":{\"a\":1},\"n\":1}", "1", "{\"a\":1}", NO_EXPECTED_OF("'id', 'output', 'n'"));
  check_halves("{\"id\":1,\"expected_messages\":[]}", "1", "none", NO_EXPECTED_OF("'id', 'expected_messages'"));
}

/* Where a path names one part, an ordinary name is the other. */
static void test_path_and_ordinary_name(void **state) {
  (void)state;
  const ee_path *path = ee_path_parse(&arena, EE_STR("x[0]"), NULL),
                *whole = ee_record_path_parse(&arena, EE_STR("$"), NULL);
  const ee_path_list named = {&path, 1}, record = {&whole, 1};
  static const char text[] = "{\"x\":[1],\"target\":2,\"pred\":3}";
  const ee_value *value = ee_json_read(&arena, EE_STR(text), NULL, NULL);
  ee_case got;
  assert_int_equal(ee_record_read(value, &(ee_record_paths){.candidate = named}, NULL, &arena, &got, NULL), EE_OK);
  assert_true(ee_value_number(got.candidate) == 1 && ee_value_number(got.expected) == 2);
  assert_int_equal(ee_record_read(value, &(ee_record_paths){.expected = named}, NULL, &arena, &got, NULL), EE_OK);
  assert_true(ee_value_number(got.expected) == 1 && ee_value_number(got.candidate) == 3);
  /* Not the part itself, nor one inside it, nor where no expected value is needed. */
  path = ee_path_parse(&arena, EE_STR("target"), NULL);
  const ee_value *lone = ee_json_read(&arena, EE_STR("{\"x\":[1],\"target\":2}"), NULL, NULL);
  assert_int_equal(ee_record_read(lone, &(ee_record_paths){.candidate = named}, NULL, &arena, &got, NULL),
                   EE_ERROR_DATA);
  const ee_value *answer = ee_json_read(&arena, EE_STR("{\"x\":[1],\"pred\":3}"), NULL, NULL);
  assert_int_equal(ee_record_read(answer, &(ee_record_paths){.expected = record}, NULL, &arena, &got, NULL), EE_OK);
  assert_int_equal(got.candidate_state, EE_CANDIDATE_MISSING);
  path = ee_path_parse(&arena, EE_STR("x"), NULL);
  const ee_record_paths optional = {.candidate = named, .expected_optional = true};
  assert_int_equal(ee_record_read(lone, &optional, NULL, &arena, &got, NULL), EE_OK);
  assert_int_equal(ee_type_of(got.expected), EE_NULL);
  assert_true(ee_str_is(ee_record_likely_expected(value, &arena), "target"));
  assert_null(ee_record_likely_expected(ee_json_read(&arena, EE_STR("{\"x\":1}"), NULL, NULL), &arena).data);
}

/* Pairs of names that count only together. */
static void test_pairs(void **state) {
  (void)state;
  static const char *const pairs[][2] = {{"gt", "pred"},          {"gold", "pred"},
                                         {"truth", "actual"},     {"label", "response"},
                                         {"reference", "answer"}, {"actual", "predicted"},
                                         {"answer", "response"},  {"expected", "actual"},
                                         {"target", "output"},    {"expected", "answer"},
                                         {"label", "prediction"}, {"gt", "response"},
                                         {"truth", "candidate"},  {"expected_output", "actual_output"}};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    check(ee_arena_printf(&arena, "{\"%s\":[2],\"%s\":[1],\"n\":1}", pairs[i][1], pairs[i][0]), "-:17", "[1]",
          EE_CANDIDATE_READ, "[2]", NULL);
  }
  check("{\"expected\":1,\"label\":[2]}", "-:17", "1", EE_CANDIDATE_MISSING, "none", NULL);
  check("{\"expected\":1,\"candidate\":2,\"answer\":3,\"pred\":4}", "-:17", "1", EE_CANDIDATE_READ, "2", NULL);
}

/* An answer given as messages: the last one of the assistant. */
static void test_candidate_messages(void **state) {
  (void)state;
  static const char *const names[] = {"candidate", "candidate_answer", "output", "prediction", "aio", "response"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    check(
        ee_arena_printf(&arena,
                        "{\"gt\":1,\"%s\":[{\"role\":\"user\",\"content\":\"[0]\"},{\"role\":\"assistant\","
                        "\"content\":[{\"type\":\"text\",\"text\":\"Here: \"},{\"type\":\"text\",\"text\":\"[2]\"}]}]}",
                        names[i]),
        "-:17", "1", EE_CANDIDATE_READ, "[2]", "Here: \n[2]");
  }
  check("{\"gt\":1,\"output\":[{\"role\":\"user\",\"content\":\"[0]\"}]}", "-:17", "1", EE_CANDIDATE_READ,
        "[{\"role\":\"user\",\"content\":\"[0]\"}]", NULL);
}

/* What ee_case_write_rest() gives of a record, and of one of a file of expected values (NULL: none). */
static void check_rest(const char *record, const char *truth, const ee_record_paths *paths, const char *expected) {
  ee_case found = {.record = read_text(record), .truth = truth != NULL ? read_text(truth) : NULL};
  ee_buffer out = {0};
  ee_buffer_add_text(&out, "before");
  bool any = ee_case_write_rest(&found, paths, &arena, &out);
  assert_string_equal(ee_buffer_terminate(&out) + strlen("before"), expected != NULL ? expected : "");
  assert_true(any == (expected != NULL));
  ee_buffer_fini(&out);
}

static void test_rest(void **state) {
  (void)state;
  check_rest("{\"id\":1,\"expected\":{\"a\":1},\"candidate\":\"{}\",\"documentText\":\"x\",\"meta\":{\"at\":[1]}}",
             NULL, NULL, "{\"documentText\":\"x\",\"meta\":{\"at\":[1]}}");
  check_rest("{\"id\":1,\"expected\":{\"a\":1},\"candidate\":null}", NULL, NULL, NULL);
  check_rest("{\"id\":1,\"gt\":5,\"aio\":5,\"5\":5}", NULL, NULL, "{\"5\":5}");
  check_rest(
      "{\"expected_messages\":[{\"role\":\"user\",\"content\":\"q\"},{\"role\":\"assistant\",\"content\":\"{}\"}],"
      "\"output\":1}",
      NULL, NULL, "{\"expected_messages\":[{\"role\":\"user\",\"content\":\"q\"},{\"role\":\"assistant\"}]}");
  ee_record_paths paths = {.expected = list_of("data.truth", NULL), .candidate = list_of("data.answer", NULL)};
  check_rest("{\"id\":\"x\",\"data\":{\"truth\":{\"a\":1},\"answer\":{\"a\":2},\"page\":3},\"output\":4}", NULL, &paths,
             "{\"data\":{\"page\":3},\"output\":4}");
  /* The whole record is the document. */
  check_rest("{\"id\":1,\"a\":1}", "{\"id\":1,\"a\":2}", NULL, NULL);
  check_rest("[1]", "{\"id\":1,\"expected\":2,\"image\":\"1.png\"}", NULL, "{\"image\":\"1.png\"}");
  check_rest("{\"id\":1,\"candidate\":{},\"meta\":1}", "{\"id\":1,\"label\":{\"q\":1},\"tags\":[2]}", NULL,
             "{\"meta\":1,\"tags\":[2]}");
  /* Of both files; the record's own members first. */
  check_rest("{\"id\":1,\"candidate\":{},\"meta\":1}", "{\"id\":1,\"expected\":{},\"meta\":2,\"image\":\"1.png\"}",
             NULL, "{\"meta\":1,\"image\":\"1.png\"}");
}

/* "a (trial 1):{...} a (trial 2):..." of all candidates of a record. */
static const char *trials_of(const char *record, const ee_record_paths *paths) {
  static const ee_record_paths known = {0};
  if (paths == NULL) paths = &known;
  ee_case current;
  assert_int_equal(ee_record_read(read_text(record), paths, &(ee_record_place){.line = 17}, &arena, &current, NULL),
                   EE_OK);
  assert_true(ee_str_is(ee_case_base(&current), "a"));
  const char *text = "";
  for (size_t i = 0; i < ee_case_trial_count(&current); i++) {
    if (i > 0) ee_case_take_trial(&current, i, paths, &arena);
    text = ee_arena_printf(&arena, "%s%s%.*s:%s", text, i > 0 ? " " : "", EE_STR_ARG(current.id),
                           text_of(current.candidate));
  }
  return text;
}

static void test_trials(void **state) {
  (void)state;
  const char *by_name = "{\"id\":\"a\",\"expected\":{\"x\":1},\"candidates\":[{\"x\":1},\"{\\\"x\\\":2}\",null]}";
  assert_string_equal(trials_of(by_name, NULL), "a (trial 1):{\"x\":1} a (trial 2):{\"x\":2} a (trial 3):none");
  assert_string_equal(trials_of("{\"id\":\"a\",\"gt\":1,\"candidate_answers\":[5]}", NULL), "a (trial 1):5");
  /* An array that is the document, or may be, is not taken for trials. */
  assert_string_equal(trials_of("{\"id\":\"a\",\"expected\":[1],\"candidates\":[1,2]}", NULL), "a:none");
  assert_string_equal(trials_of("{\"id\":\"a\",\"expected\":{\"candidates\":[1]},\"candidates\":[1]}", NULL), "a:none");
  assert_string_equal(trials_of("{\"id\":\"a\",\"expected\":{},\"output\":{},\"candidates\":[1]}", NULL), "a:{}");
  assert_string_equal(trials_of("{\"id\":\"a\",\"expected\":{},\"output\":[1,2]}", NULL), "a:[1,2]");
  assert_string_equal(trials_of("{\"id\":\"a\",\"expected\":{},\"candidates\":[]}", NULL), "a:none");
  /* Declared. */
  ee_record_paths lists = {.candidates = list_of("runs.all", NULL)};
  assert_string_equal(trials_of("{\"id\":\"a\",\"expected\":[1],\"runs\":{\"all\":[[1],[2]]}}", &lists),
                      "a (trial 1):[1] a (trial 2):[2]");
  assert_string_equal(trials_of("{\"id\":\"a\",\"expected\":1,\"runs\":{\"all\":7}}", &lists), "a:7");
  ee_record_paths named = {.trial = list_of("run", NULL)};
  assert_string_equal(trials_of("{\"id\":\"a\",\"expected\":1,\"output\":2,\"run\":3.0}", &named), "a (trial 3):2");
  assert_string_equal(trials_of("{\"id\":\"a\",\"expected\":1,\"output\":2,\"run\":\"x y\"}", &named),
                      "a (trial x y):2");
  assert_string_equal(trials_of("{\"id\":\"a\",\"expected\":1,\"output\":2}", &named), "a:2");
  ee_error error = {0};
  named.candidates = lists.candidates;
  assert_int_equal(ee_record_paths_check(&named, &error), EE_ERROR_USAGE);
  ee_case current;
  ee_buffer rest = {0};
  ee_record_read(read_text("{\"id\":\"a\",\"expected\":{},\"candidates\":[1],\"page\":3}"), NULL,
                 &(ee_record_place){.line = 1}, &arena, &current, NULL);
  assert_true(ee_case_write_rest(&current, NULL, &arena, &rest));
  assert_string_equal(ee_buffer_terminate(&rest), "{\"page\":3}");
  ee_buffer_fini(&rest);
}

/* The trials of an answer whose expected value is in another file. */
static const char *trials_of_answer(const char *record, const ee_record_paths *paths) {
  ee_case current;
  assert_int_equal(ee_record_read_answer(read_text(record), paths, NULL, &arena, &current, NULL), EE_OK);
  current.truth = read_text("{\"id\":\"a\",\"expected\":{}}");
  current.expected = read_text("{}");
  if (current.trials == NULL) ee_case_find_trials(&current, paths, &arena);
  const char *text = "";
  for (size_t i = 0; i < ee_case_trial_count(&current); i++) {
    if (i > 0) ee_case_take_trial(&current, i, NULL, &arena);
    text = ee_arena_printf(&arena, "%s%s%.*s:%s", text, i > 0 ? " " : "", EE_STR_ARG(current.id),
                           text_of(current.candidate));
  }
  return text;
}

static void test_trials_of_answers(void **state) {
  (void)state;
  assert_string_equal(trials_of_answer("{\"id\":\"a\",\"candidates\":[1,2]}", NULL), "a (trial 1):1 a (trial 2):2");
  assert_string_equal(trials_of_answer("{\"id\":\"a\",\"case_id\":1,\"prompt\":\"p\",\"candidates\":[1]}", NULL),
                      "a (trial 1):1");
  assert_string_equal(trials_of_answer("{\"id\":\"a\",\"vars\":{},\"total\":5,\"candidates\":[1]}", NULL),
                      "a (trial 1):1");
  /* With other members the record is the document; an answer has no trials besides. */
  assert_string_equal(trials_of_answer("{\"id\":\"a\",\"total\":5,\"candidates\":[1]}", NULL),
                      "a:{\"total\":5,\"candidates\":[1]}");
  assert_string_equal(trials_of_answer("{\"id\":\"a\",\"output\":7,\"candidates\":[1]}", NULL), "a:7");
  /* Declared; not an array there. */
  ee_record_paths lists = {.candidates = list_of("runs", NULL)};
  assert_string_equal(trials_of_answer("{\"id\":\"a\",\"runs\":[5,6]}", &lists), "a (trial 1):5 a (trial 2):6");
  assert_string_equal(trials_of_answer("{\"id\":\"a\",\"runs\":7}", &lists), "a:7");
  /* Without an id and a place. */
  assert_string_equal(trials_of_answer("{\"output\":7}", NULL), "-@0:7");
}

static void test_trials_at_the_edges(void **state) {
  (void)state;
  ee_case current;
  const ee_record_place place = {.line = 1};
  ee_record_read(read_text("{\"id\":\"a\",\"expected\":1,\"output\":2}"), NULL, &place, &arena, &current, NULL);
  ee_case_take_trial(&current, 3, NULL, &arena);
  assert_true(ee_str_is(current.id, "a"));
  assert_string_equal(text_of(current.candidate), "2");
  ee_record_read(read_text("{\"id\":\"a\",\"expected\":1,\"candidates\":[2,3]}"), NULL, &place, &arena, &current, NULL);
  ee_case_take_trial(&current, 3, NULL, &arena);
  assert_true(ee_str_is(current.id, "a (trial 4)"));
  assert_int_equal(current.candidate_state, EE_CANDIDATE_MISSING);
  assert_true(ee_str_is(ee_trial_id((ee_str){NULL, 0}, EE_STR("1"), &arena), " (trial 1)"));
  assert_true(ee_str_is(ee_trial_id(EE_STR("b"), EE_STR(""), &arena), "b"));
  ee_record_paths paths = {.trial = list_of("run", "try")};
  assert_false(ee_record_trials_are_files(&paths));
  assert_false(ee_record_trials_are_files(NULL));
  /* What may be given together. */
  ee_error error = {0};
  paths = (ee_record_paths){.candidates = list_of("runs", NULL)};
  assert_int_equal(ee_record_paths_check(&paths, &error), EE_OK);
  paths.candidate = list_of("answer", NULL);
  assert_int_equal(ee_record_paths_check(&paths, &error), EE_ERROR_USAGE);
  assert_string_equal(error.message, "'candidates' (several in a record) and 'candidate' exclude each other");
  paths = (ee_record_paths){.candidate = list_of("answer", NULL), .trial = list_of("run", NULL)};
  assert_int_equal(ee_record_paths_check(&paths, &error), EE_OK);
  /* What the RFC would quote is a path without its "$.", but for a query. */
  assert_int_equal(ee_record_path_parse(&arena, EE_STR("$.doc-id"), &error)->count, 1);
  assert_true(ee_str_is(ee_record_path_parse(&arena, EE_STR("$.doc-id"), &error)->steps[0].key, "doc-id"));
  assert_int_equal(ee_record_path_parse(&arena, EE_STR("$.a b.c"), &error)->count, 2);
  static const char *const refused[] = {"$.", "$[", "$.a-b[?@.c d]", "$.a-b[", "$x[", "$.a-b[*]"};
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
    assert_null(ee_record_path_parse(&arena, ee_str_from(refused[i]), &error));
  /* Records are looked for step by step. */
  paths = (ee_record_paths){.expected = list_of("$..truth", NULL), .records = list_of("$.a.l", "$")};
  assert_int_equal(ee_record_paths_check(&paths, &error), EE_OK);
  paths.records = list_of("a", "$..l");
  assert_int_equal(ee_record_paths_check(&paths, &error), EE_ERROR_USAGE);
  assert_string_equal(error.message,
                      "'$..l' is a query; the path of the records must have keys and indices from 0 on only");
}

/* Nulls under several names; what is left of a record without its id and its context; escapes that are not JSON's. */
static void test_odd_records(void **state) {
  (void)state;
  check("{\"expected\":null,\"gt\":null,\"output\":null,\"aio\":null}", "-:17", "null", EE_CANDIDATE_MISSING, "none",
        NULL);
  ee_record_paths paths = {.expected = list_of("a", "b"), .candidate = list_of("c", "d")};
  const ee_record_place place = {.line = 1};
  ee_case found;
  assert_int_equal(
      ee_record_read(read_text("{\"a\":null,\"b\":null,\"c\":null,\"d\":null}"), &paths, &place, &arena, &found, NULL),
      EE_OK);
  assert_int_equal(found.candidate_state, EE_CANDIDATE_MISSING);
  assert_string_equal(text_of(found.expected), "null");
  check_halves("{\"id\":1,\"label\":\"[1]\"}", "1", "[1]", "[1]");
  check_halves("{\"id\":1,\"case_id\":2,\"prompt\":\"p\",\"output\":[3]}", "1", "[3]", "[3]");
  assert_int_equal(ee_record_read(read_text("{\"expected\":1,\"candidate\":\"a \\\\q \\\\ud83d b\\\\\"}"), NULL, &place,
                                  &arena, &found, NULL),
                   EE_OK);
  assert_int_equal(found.lone_surrogates, 1);
  /* Where no expected value is needed. */
  paths = (ee_record_paths){.expected_optional = true};
  assert_int_equal(ee_record_read(read_text("{\"id\":1,\"x\":2}"), &paths, &place, &arena, &found, NULL), EE_OK);
  assert_string_equal(text_of(found.candidate), "{\"x\":2}");
  paths.candidate = list_of("y", NULL);
  assert_int_equal(ee_record_read(read_text("{\"id\":1,\"x\":2}"), &paths, &place, &arena, &found, NULL), EE_OK);
  assert_int_equal(found.candidate_state, EE_CANDIDATE_MISSING);
  assert_string_equal(text_of(found.expected), "null");
}

/* A text is the answer where the expected value is one value. */
static void test_kept_texts(void **state) {
  (void)state;
  static const struct {
    const char *expected, *candidate, *wanted;
  } cases[] = {{"\"x\"", "plain words", "\"plain words\""},
               {"1", "one", "\"one\""},
               {"true", "yes", "\"yes\""},
               {"false", "no", "\"no\""},
               {"1", "7", "7"},
               {"{}", "plain words", "none"},
               {"null", "plain words", "none"},
               {"[1]", "one", "none"},
               {"\"see [1] for details\"", "see [2] for details", "\"see [2] for details\""},
               {"\"see [1]\"", "so\\n```json\\n[2]\\n```", "\"so\\n```json\\n[2]\\n```\""},
               {"\"see [1]\"", "[2]", "[2]"},
               {"\" [1] \"", "see [2] for details", "[2]"},
               {"{}", "see [2] for details", "[2]"},
               {"null", "see [2] for details", "[2]"}};
  ee_record_paths paths = {.keep_text = true};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *record =
        ee_arena_printf(&arena, "{\"expected\":%s,\"output\":\"%s\"}", cases[i].expected, cases[i].candidate);
    ee_case found;
    assert_int_equal(ee_record_read(read_text(record), &paths, &(ee_record_place){.line = 1}, &arena, &found, NULL),
                     EE_OK);
    assert_string_equal(text_of(found.candidate), cases[i].wanted);
    bool none = strcmp(cases[i].wanted, "none") == 0;
    assert_int_equal(found.candidate_state, none ? EE_CANDIDATE_UNPARSEABLE : EE_CANDIDATE_READ);
  }
  ee_case found;
  /* Where nothing need be expected, a text is the answer, unless a judge looks for a document. */
  for (int inside = 0; inside < 2; inside++) {
    paths.expected_optional = true;
    paths.looks_inside = inside;
    ee_record_read(read_text("{\"id\":1,\"output\":\"plain words\"}"), &paths, &(ee_record_place){.line = 1}, &arena,
                   &found, NULL);
    assert_string_equal(text_of(found.candidate), inside ? "none" : "\"plain words\"");
  }
  paths.expected_optional = false;
  /* Where another judge compares members, the document in it counts. */
  ee_record_read(read_text("{\"expected\":\"see [1]\",\"output\":\"see [2]\"}"), &paths, &(ee_record_place){.line = 1},
                 &arena, &found, NULL);
  assert_string_equal(text_of(found.candidate), "[2]");
  assert_string_equal(text_of(found.expected), "\"see [1]\"");
}

/* Where several values are expected, and the rules say so, a text is one answer, too. */
static void test_text_for_options(void **state) {
  (void)state;
  static const struct {
    const char *expected;
    bool options, kept;
  } cases[] = {{"[\"one\", 2, null]", true, true},
               {"[]", true, true},
               {"{\"anyOf\": [{\"a\": 1}, \"one\"]}", true, true},
               {"[\"one\", [2]]", true, false},
               {"{\"anyOf\": []}", true, false},
               {"{\"anyOf\": [1], \"b\": 2}", true, false},
               {"[\"one\"]", false, false},
               {"{\"anyOf\": [1]}", false, false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ee_record_paths paths = {.keep_text = true, .keep_options = cases[i].options};
    const char *record = ee_arena_printf(&arena, "{\"expected\":%s,\"output\":\"one two\"}", cases[i].expected);
    ee_case found;
    assert_int_equal(ee_record_read(read_text(record), &paths, &(ee_record_place){.line = 1}, &arena, &found, NULL),
                     EE_OK);
    assert_int_equal(found.candidate_state, cases[i].kept ? EE_CANDIDATE_READ : EE_CANDIDATE_UNPARSEABLE);
    if (cases[i].kept) assert_string_equal(text_of(found.candidate), "\"one two\"");
  }
}

/* A text is the document that it is, and is not searched for one. */
static void test_expected_texts(void **state) {
  (void)state;
  static const struct {
    const char *text, *wanted;
  } cases[] = {{"see [1] for details", "\"see [1] for details\""},
               {" [1]\\n", "[1]"},
               {"{\\\"a\\\": 1}", "{\"a\":1}"},
               {"42", "42"},
               {"null", "null"},
               {"", "\"\""},
               {"[1] [2]", "\"[1] [2]\""},
               {"[1", "\"[1\""},
               {"\\n```json\\n[1]\\n```\\n", "[1]"},
               {"~~~\\n{}\\n~~~", "{}"},
               {"```\\n[1]", "[1]"},
               {"```\\n42\\n```", "\"```\\n42\\n```\""},
               {"```json\\n[1]\\n```\\nso", "\"```json\\n[1]\\n```\\nso\""},
               {"so\\n```json\\n[1]\\n```", "\"so\\n```json\\n[1]\\n```\""},
               {"```a```\\n```\\n[1]\\n```", "\"```a```\\n```\\n[1]\\n```\""},
               {"``\\n```\\n[1]\\n```", "\"``\\n```\\n[1]\\n```\""},
               /* Inline code before the fence. */
               {"```a```\\n[1]\\n```", "\"```a```\\n[1]\\n```\""},
               {"```a`b\\n```\\n[1]\\n```", "\"```a`b\\n```\\n[1]\\n```\""},
               {"~~~ `a`\\n[1]\\n~~~", "[1]"},
               {"```\\n[1]\\n```\\n```\\n[2]\\n```", "\"```\\n[1]\\n```\\n```\\n[2]\\n```\""},
               {"````", "\"````\""}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *record = ee_arena_printf(&arena, "{\"id\":\"a\",\"expected\":\"%s\",\"output\":1}", cases[i].text);
    ee_case found;
    assert_int_equal(ee_record_read(read_text(record), NULL, &(ee_record_place){.line = 1}, &arena, &found, NULL),
                     EE_OK);
    assert_string_equal(text_of(found.expected), cases[i].wanted);
    ee_str id;
    const ee_value *expected;
    assert_int_equal(ee_record_read_expected(read_text(record), NULL, (ee_str){NULL, 0}, &arena, &id, &expected, NULL),
                     EE_OK);
    assert_string_equal(text_of(expected), cases[i].wanted);
  }
}

static void check_names(const ee_record_paths *paths, ee_record_part part, const char *wanted) {
  ee_buffer names = {0};
  ee_record_names(paths, part, &names);
  assert_string_equal(ee_buffer_terminate(&names), wanted);
  ee_buffer_fini(&names);
}

/* The names that a message lists, and the parts that keys name. */
static void test_names_of_parts(void **state) {
  (void)state;
  ee_record_paths paths = {.id = list_of("doc", "meta.key"), .expected_id = list_of("$", "no")};
  check_names(NULL, EE_PART_ID, "id, case_id, caseId, eval_id, test_id");
  check_names(NULL, EE_PART_EXPECTED, "expected, expected_output, reference_answer, ground_truth, gt");
  check_names(&paths, EE_PART_ID, "doc, meta.key");
  check_names(&paths, EE_PART_EXPECTED_ID, "$, no");
  paths.expected = list_of("wanted.value", NULL);
  paths.candidate = list_of("said", NULL);
  paths.candidates = list_of("runs.all", NULL);
  static const struct {
    const char *first, *second;
    const char *parts; /* i e c, and weak ones: w a, o for either */
    bool answer;
  } cases[] = {{"x", "y", "", false},           {"id", "doc", "i", false},
               {"doc", "x", "i", false},        {"no", "x", "i", false},
               {"meta", "x", "i", false},       {"wanted", "gt", "e", true},
               {"vars", "x", "e", true},        {"said", "output", "c", true},
               {"runs", "x", "c", true},        {"gold", "label", "w", false},
               {"pred", "x", "a", false},       {"gold", "pred", "wa", true},
               {"answer", "x", "o", false},     {"gold", "answer", "wo", true},
               {"pred", "actual", "ao", true},  {"actual", "answer", "o", false},
               {"pred", "response", "a", false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ee_record_keys keys = {.id = false};
    ee_record_keys_add(&keys, ee_str_from(cases[i].first), &paths);
    ee_record_keys_add(&keys, ee_str_from(cases[i].second), &paths);
    const char *parts =
        ee_arena_printf(&arena, "%s%s%s%s%s%s", keys.id ? "i" : "", keys.expected ? "e" : "", keys.candidate ? "c" : "",
                        keys.weak_expected ? "w" : "", keys.weak_candidate ? "a" : "", keys.either ? "o" : "");
    if (strcmp(parts, cases[i].parts) != 0) print_error("%s %s\n", cases[i].first, cases[i].second);
    assert_string_equal(parts, cases[i].parts);
    assert_int_equal(ee_record_keys_have_answer(&keys), cases[i].answer);
  }
}

EE_TEST_FILE(make_arena, free_arena, cmocka_unit_test(test_known_names), cmocka_unit_test(test_ids),
             cmocka_unit_test(test_texts), cmocka_unit_test(test_missing_candidates), cmocka_unit_test(test_messages),
             cmocka_unit_test(test_lists_of_messages), cmocka_unit_test(test_parts), cmocka_unit_test(test_halves),
             cmocka_unit_test(test_refused), cmocka_unit_test(test_paths), cmocka_unit_test(test_two_files),
             cmocka_unit_test(test_pairs), cmocka_unit_test(test_path_and_ordinary_name),
             cmocka_unit_test(test_candidate_messages), cmocka_unit_test(test_rest), cmocka_unit_test(test_trials),
             cmocka_unit_test(test_trials_of_answers), cmocka_unit_test(test_trials_at_the_edges),
             cmocka_unit_test(test_odd_records), cmocka_unit_test(test_kept_texts),
             cmocka_unit_test(test_text_for_options), cmocka_unit_test(test_expected_texts),
             cmocka_unit_test(test_names_of_parts));
