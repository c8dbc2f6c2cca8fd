/* test_stored_row.c: rows of this program and of others, and what is no row. */
#include <stdio.h>
#include <string.h>

#include "data/json/json_reader.h"
#include "judge/small_rules.h"
#include "report/row.h"
#include "report/stored_row.h"
#include "support/arena.h"

static ee_stored_row read_row(const char *text) {
  ee_error error = {0};
  const ee_value *record = ee_json_read(&arena, ee_str_from(text), NULL, &error);
  if (record == NULL) fail_msg("%s: %s", text, error.message);
  ee_stored_row row;
  if (!ee_stored_row_read(record, &arena, &row, &error)) fail_msg("%s: %s", text, error.message);
  assert_ptr_equal(row.record, record);
  return row;
}

static void refuse(const char *text, const char *message) {
  ee_error error = {0};
  const ee_value *record = ee_json_read(&arena, ee_str_from(text), NULL, &error);
  assert_non_null(record);
  ee_stored_row row;
  if (ee_stored_row_read(record, &arena, &row, &error)) fail_msg("taken: %s", text);
  assert_int_equal(error.status, EE_ERROR_DATA);
  assert_string_equal(error.message, message);
  assert_string_equal(error.file, "");
}

#define assert_text(text, expected) assert_string_equal(ee_arena_copy(&arena, (text).data, (text).length), expected)

static void assert_attribute(const ee_stored_judge *judge, size_t number, const char *name, unsigned tp, unsigned tn,
                             unsigned fp, unsigned fn) {
  assert_true(number < judge->attribute_count);
  const ee_stored_attribute *attribute = &judge->attributes[number];
  assert_text(attribute->name, name);
  assert_int_equal(attribute->counts.tp, tp);
  assert_int_equal(attribute->counts.tn, tn);
  assert_int_equal(attribute->counts.fp, fp);
  assert_int_equal(attribute->counts.fn, fn);
  assert_int_equal(attribute->counts.wrong, 0);
}

/* What is written comes back. */
static void test_own_rows(void **state) {
  (void)state;
  static const char *const records[] = {
      "{\"id\":\"a\",\"expected\":{\"number\":\"7\",\"total\":100},\"candidate\":{\"number\":\"7\",\"total\":90}}",
      "{\"id\":2,\"expected\":{\"number\":\"7\",\"total\":100},\"candidate\":\"sorry\"}",
  };
  small_rules rules;
  small_rules_open(&rules);
  for (size_t i = 0; i < 2; i++) {
    ee_case_result result = small_judge_record(&rules, &arena, records[i]);
    ee_buffer out = {0};
    ee_row_write(&result, &arena, &out);
    ee_stored_row row = read_row(ee_arena_copy(&arena, out.data, out.length));
    ee_buffer_fini(&out);
    assert_true(ee_str_equal(row.id, result.source->id));
    assert_true(row.score == result.score);
    assert_int_equal(row.verdict, result.verdict);
    assert_true(row.has_hash);
    assert_true(row.expected_hash == result.expected_hash);
    assert_int_equal(row.judge_count, result.judge_count);
    for (size_t k = 0; k < row.judge_count; k++) {
      const ee_stored_judge *stored = &row.judges[k];
      const ee_judge_result *judged = &result.judges[k];
      assert_true(ee_str_equal(stored->name, judged->judge->name));
      assert_true(ee_str_is(stored->type, judged->judge->type->name));
      assert_true(stored->has_score);
      assert_true(stored->score == judged->score);
      assert_true(stored->weight == judged->judge->weight);
      assert_int_equal(stored->verdict, judged->verdict);
      if (k > 0) continue; /* a script's details are its own */
      assert_int_equal(stored->attribute_count, judged->attribute_count);
      for (size_t n = 0; n < stored->attribute_count; n++) {
        const ee_counts *counts = &judged->attributes[n].counts;
        assert_true(ee_str_equal(stored->attributes[n].name, judged->attributes[n].name));
        assert_int_equal(stored->attributes[n].counts.tp, counts->tp);
        assert_int_equal(stored->attributes[n].counts.tn, counts->tn);
        assert_int_equal(stored->attributes[n].counts.fp, counts->fp);
        assert_int_equal(stored->attributes[n].counts.fn, counts->fn);
      }
    }
  }
  small_rules_close(&rules);
}

static void test_foreign_rows(void **state) {
  (void)state;
  ee_stored_row row =
      read_row("{\"timestamp\":\"2026-02-20T21:38:57.582Z\",\"test_id\":\"metrics-003\",\"suite\":\"d\","
               "\"score\":0.66,\"target\":\"mock\",\"scores\":[{\"name\":\"header\",\"type\":\"script\","
               "\"score\":0.66,\"weight\":2,\"verdict\":\"fail\",\"details\":{\"metrics\":{\"n\":{\"tp\":"
               "1,\"tn\":0,\"fp\":0,\"fn\":0,\"precision\":1},\"s.name\":{\"tp\":0,\"tn\":0,\"fp\":1,"
               "\"fn\":1}},\"summary\":{\"total_tp\":4}},\"assertions\":[]}],\"assertions\":[]}");
  assert_text(row.id, "metrics-003");
  assert_false(row.has_hash);
  assert_int_equal(row.verdict, EE_VERDICT_BORDERLINE); /* by the usual limits */
  assert_int_equal(row.judge_count, 1);
  const ee_stored_judge *judge = &row.judges[0];
  assert_text(judge->name, "header");
  assert_text(judge->type, "script");
  assert_true(judge->weight == 2);
  assert_int_equal(judge->verdict, EE_VERDICT_FAIL); /* as it says */
  assert_int_equal(judge->attribute_count, 2);
  assert_attribute(judge, 0, "n", 1, 0, 0, 0);
  assert_attribute(judge, 1, "s.name", 0, 0, 1, 1);

  assert_text(read_row("{\"eval_id\":\"e\",\"score\":1}").id, "e");
  assert_text(read_row("{\"testId\":\"camel\",\"score\":0.4}").id, "camel");
  assert_text(read_row("{\"id\":null,\"caseId\":1e2,\"score\":1}").id, "100");
  assert_int_equal(read_row("{\"id\":\"a\",\"score\":0.79}").verdict, EE_VERDICT_BORDERLINE);
  assert_int_equal(read_row("{\"id\":\"a\",\"score\":0.8,\"verdict\":\"skip\"}").verdict, EE_VERDICT_PASS);
  assert_int_equal(read_row("{\"id\":\"a\",\"score\":0.8,\"verdict\":\"fail\"}").verdict, EE_VERDICT_FAIL);
  assert_int_equal(read_row("{\"id\":\"a\",\"score\":0.59}").verdict, EE_VERDICT_FAIL);
  assert_int_equal(read_row("{\"id\":\"a\",\"score\":0.59}").judge_count, 0);
  assert_true(read_row("{\"id\":\"a\",\"score\":1.0000000000000002}").score == 1);
  assert_true(read_row("{\"id\":\"a\",\"score\":-1e-10}").score == 0);
}

/* Judges inside judges, without names, of one name, without scores. */
static void test_judges(void **state) {
  (void)state;
  ee_stored_row row =
      read_row("{\"id\":\"a\",\"score\":1,\"evaluator_results\":[{\"name\":\"gate\",\"score\":1,\"scores\":[{\"name\":"
               "\"safe\",\"type\":\"llm\",\"score\":0.5,\"weight\":-1},{\"type\":\"script\",\"details\":{\"metrics\":{"
               "\"x\":{\"tp\":3,\"fp\":2,\"fn\":1,\"retold\":true}}}}]},7,{\"name\":\"gate\",\"score\":2},{\"name\":"
               "\"gate (2)\",\"score\":0},{\"name\":\"gate\",\"score\":0},{}],\"scores\":[{\"name\":\"not this\"}]}");
  static const char *const names[] = {"gate",         "gate/safe", "gate/script", "gate (2)",
                                      "gate (2) (2)", "gate (3)",  "(unnamed)"};
  assert_int_equal(row.judge_count, 7);
  for (size_t i = 0; i < 7; i++) assert_text(row.judges[i].name, names[i]);
  assert_text(row.judges[1].type, "llm");
  assert_true(row.judges[1].weight == 1);
  assert_int_equal(row.judges[1].verdict, EE_VERDICT_FAIL);
  assert_false(row.judges[2].has_score);
  assert_attribute(&row.judges[2], 0, "x", 3, 0, 2, 1);
  assert_true(row.judges[2].attributes[0].derived);
  assert_false(row.judges[3].has_score); /* 2 is none */
  assert_true(row.judges[4].has_score);
}

/* A long name is not repeated for each judge inside, at each depth. */
static void test_long_names_inside(void **state) {
  (void)state;
  enum { LENGTH = 1000, DEPTH = 200 };
  char name[LENGTH + 1];
  memset(name, 'n', LENGTH);
  name[LENGTH] = '\0';
  ee_buffer text = {0};
  ee_buffer_add_text(&text, "{\"id\":\"a\",\"score\":1");
  for (size_t i = 0; i < DEPTH; i++) ee_buffer_addf(&text, ",\"scores\":[{\"name\":\"%s\"", name);
  for (size_t i = 0; i < DEPTH; i++) ee_buffer_add_text(&text, "}]");
  ee_buffer_add_text(&text, "}");
  ee_stored_row row = read_row(ee_buffer_terminate(&text));
  assert_int_equal(row.judge_count, DEPTH);
  assert_text(row.judges[0].name, name);
  const char *inner = ee_arena_printf(&arena, "%.256s/%s", name, name);
  assert_text(row.judges[1].name, inner);
  assert_text(row.judges[2].name, ee_arena_printf(&arena, "%s (2)", inner)); /* their names begin alike */
  for (size_t i = 0; i < DEPTH; i++) assert_true(row.judges[i].name.length < 256 + LENGTH + 10);
  ee_buffer_fini(&text);
}

/* The third of a name comes behind the second, however many there are. */
static void test_many_of_one_name(void **state) {
  (void)state;
  enum { MANY = 20000 };
  ee_buffer text = {0};
  ee_buffer_add_text(&text, "{\"id\":\"a\",\"score\":1,\"scores\":[{\"name\":\"j\"}");
  for (size_t i = 1; i < MANY; i++) ee_buffer_add_text(&text, ",{\"name\":\"j\"}");
  ee_buffer_add_text(&text, "]}");
  ee_stored_row row = read_row(ee_buffer_terminate(&text));
  assert_int_equal(row.judge_count, MANY);
  assert_text(row.judges[MANY - 1].name, "j (20000)");
  ee_buffer_fini(&text);
}

static void test_metrics(void **state) {
  (void)state;
  ee_stored_row row = read_row(
      "{\"id\":\"a\",\"score\":1,\"evaluator_results\":[{\"name\":\"j\",\"score\":1,\"details\":{\"metrics\":{"
      "\"good\":{\"tp\":1,\"tn\":2,\"fp\":3,\"fn\":4},\"no tn\":{\"tp\":1,\"fp\":0,\"fn\":0},\"half\":{\"tp\":0.5,"
      "\"fp\":0,\"fn\":0},\"negative\":{\"tp\":-1,\"fp\":0,\"fn\":0},\"text\":{\"tp\":\"1\",\"fp\":0,\"fn\":0},"
      "\"huge\":{\"tp\":1e13,\"fp\":0,\"fn\":0},\"no fn\":{\"tp\":1,\"fp\":0},\"tn is null\":{\"tp\":1,\"fp\":0,"
      "\"fn\":0,\"tn\":null},\"rouge\":{\"precision\":0.1},\"number\":3,\"\":{\"tp\":1.0,\"tn\":0,\"fp\":0,\"fn\":1e1}"
      "}}},{\"name\":\"none\",\"details\":{\"metrics\":[1]}},{\"name\":\"odd\",\"details\":7}]}");
  assert_int_equal(row.judge_count, 3);
  assert_int_equal(row.judges[0].attribute_count, 4);
  assert_attribute(&row.judges[0], 0, "good", 1, 2, 3, 4);
  assert_attribute(&row.judges[0], 1, "no tn", 1, 0, 0, 0);
  assert_attribute(&row.judges[0], 2, "no fn", 1, 0, 0, 0);
  assert_attribute(&row.judges[0], 3, "", 1, 0, 0, 10);
  assert_int_equal(row.judges[1].attribute_count, 0);
  assert_int_equal(row.judges[2].attribute_count, 0);
}

static void test_hash(void **state) {
  (void)state;
  ee_stored_row row = read_row("{\"id\":\"a\",\"score\":1,\"expected_hash\":\"0f2c64d1a0b3e785\"}");
  assert_true(row.has_hash);
  assert_true(row.expected_hash == UINT64_C(0x0f2c64d1a0b3e785));
  assert_false(read_row("{\"id\":\"a\",\"score\":1,\"expected_hash\":\"f2c64d1a0b3e785\"}").has_hash);
  assert_false(read_row("{\"id\":\"a\",\"score\":1,\"expected_hash\":\"0f2c64d1a0b3e78G\"}").has_hash);
  assert_false(read_row("{\"id\":\"a\",\"score\":1,\"expected_hash\":17}").has_hash);
}

static void test_no_rows(void **state) {
  (void)state;
  refuse("[1]", "record must be an object, got an array");
  refuse("{\"score\":1}", "row has no id");
  refuse("{\"id\":null,\"testId\":7,\"score\":1}", "row has no id");
  refuse("{\"id\":{},\"score\":1}", "id must be a string or a number, got an object");
  refuse("{\"id\":\"a\"}", "row has no score");
  refuse("{\"id\":\"a\",\"score\":null}", "score must be a number, got null");
  refuse("{\"id\":\"a\",\"score\":\"1\"}", "score must be a number, got a string");
  refuse("{\"id\":\"a\",\"score\":1.5}", "score must be from 0 to 1, got 1.5");
  refuse("{\"id\":\"a\",\"score\":-0.001}", "score must be from 0 to 1, got -0.001");
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test_setup_teardown(test_own_rows, make_arena, free_arena),
             cmocka_unit_test_setup_teardown(test_foreign_rows, make_arena, free_arena),
             cmocka_unit_test_setup_teardown(test_judges, make_arena, free_arena),
             cmocka_unit_test_setup_teardown(test_long_names_inside, make_arena, free_arena),
             cmocka_unit_test_setup_teardown(test_many_of_one_name, make_arena, free_arena),
             cmocka_unit_test_setup_teardown(test_metrics, make_arena, free_arena),
             cmocka_unit_test_setup_teardown(test_hash, make_arena, free_arena),
             cmocka_unit_test_setup_teardown(test_no_rows, make_arena, free_arena));
