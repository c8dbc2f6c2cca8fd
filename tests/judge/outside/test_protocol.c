/* test_protocol.c: payloads for judges outside the engine, and what their answers become. */
#include "judge/outside/protocol.h"
#include "judge/plan_fixture.h"
#include "support/random.h"

static const char *payload_of(fixture *f, const char *record, const char *config) {
  ee_arena_reset(&f->case_arena, 0);
  ee_error error = {0};
  ee_case current;
  const ee_value *value = fixture_json(&f->case_arena, record);
  if (ee_record_read(value, NULL, &(ee_record_place){.line = 7}, &f->case_arena, &current, &error) != EE_OK)
    fail_msg("%s", error.message);
  ee_buffer_clear(&f->text);
  ee_protocol_write_payload(&current, config != NULL ? fixture_json(&f->case_arena, config) : NULL, &f->text);
  return ee_buffer_terminate(&f->text);
}

static void test_payload(void **state) {
  (void)state;
  static const struct {
    const char *record, *config, *payload;
  } rows[] = {
      {"{\"id\":\"a\",\"expected\":{\"x\":\"\\n\\\"\\\\\",\"n\":1.50},\"candidate\":{\"x\":[]}}", NULL,
       "{\"id\":\"a\",\"candidate_answer\":\"{\\\"x\\\":[]}\",\"reference_answer\":\"{\\\"x\\\":"
       "\\\"\\\\n\\\\\\\"\\\\\\\\\\\","
       "\\\"n\\\":1.5}\",\"expected_messages\":[{\"role\":\"assistant\",\"content\":{\"x\":\"\\n\\\"\\\\\",\"n\":1.5}}]"
       ","
       "\"config\":{},\"expected\":{\"x\":\"\\n\\\"\\\\\",\"n\":1.5},\"candidate\":{\"x\":[]}}"},
      /* The candidate's text as it was found, prose and all; the names of the protocol are its own. */
      {"{\"case_id\":3,\"expected\":\"yes\",\"candidate\":\"So: "
       "{\\\"x\\\":1}!\",\"config\":5,\"id\":null,\"lang\":\"de\"}",
       "{\"b\":[1,{}],\"a\":null}",
       "{\"id\":\"3\",\"candidate_answer\":\"So: "
       "{\\\"x\\\":1}!\",\"reference_answer\":\"yes\",\"expected_messages\":[{\"role\":"
       "\"assistant\",\"content\":\"yes\"}],\"config\":{\"b\":[1,{}],\"a\":null},\"case_id\":3,\"expected\":\"yes\","
       "\"candidate\":\"So: {\\\"x\\\":1}!\",\"lang\":\"de\"}"},
      {"{\"expected_messages\":[{\"role\":\"user\",\"content\":\"?\"},{\"role\":\"assistant\",\"content\":{\"t\":"
       "9007199254740993}}]}",
       "{}",
       "{\"id\":\"-:7\",\"candidate_answer\":null,\"reference_answer\":\"{\\\"t\\\":9007199254740993}\",\"expected_"
       "messages\":[{"
       "\"role\":\"user\",\"content\":\"?\"},{\"role\":\"assistant\",\"content\":{\"t\":9007199254740993}}],\"config\":"
       "{}}"},
      {"{\"reference_answer\":[true],\"candidate_answer\":\"none\",\"expected_messages\":null}", NULL,
       "{\"id\":\"-:7\",\"candidate_answer\":\"none\",\"reference_answer\":\"[true]\",\"expected_messages\":[{"
       "\"role\":"
       "\"assistant\",\"content\":[true]}],\"config\":{}}"},
  };
  fixture f;
  fixture_open(&f);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    assert_string_equal(payload_of(&f, rows[i].record, rows[i].config), rows[i].payload);
  fixture_close(&f);
}

/* Cases that no record brought have no other members. */
static void test_payload_without_record(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  ee_case current = {.id = EE_STR("a"),
                     .expected = fixture_json(&f.arena, "1"),
                     .candidate = fixture_json(&f.arena, "\"text\""),
                     .candidate_state = EE_CANDIDATE_READ};
  ee_protocol_write_payload(&current, NULL, &f.text);
  assert_string_equal(
      ee_buffer_terminate(&f.text),
      "{\"id\":\"a\",\"candidate_answer\":\"text\",\"reference_answer\":\"1\",\"expected_messages\":[{\"role\":"
      "\"assistant\",\"content\":1}],\"config\":{}}");
  fixture_close(&f);
}

/* What is put into the payload as text comes out of it as it was, whatever it is and wherever the buffer has to grow.
 */
static void test_text_survives(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  for (size_t length = 0; length < 700; length++) {
    ee_arena_reset(&f.case_arena, 0);
    ee_value *expected = ee_value_new(&f.case_arena, EE_ARRAY);
    char *text = ee_arena_alloc(&f.case_arena, length + 1);
    for (size_t i = 0; i < length; i++) text[i] = "\\\"\x01/\x7f\na\t"[(i * i + length) % 8];
    ee_value_append(expected, ee_value_new_string(&f.case_arena, (ee_str){text, length}));
    const ee_case current = {.id = EE_STR("a"), .expected = expected, .candidate = expected};
    ee_buffer payload = {0};
    ee_protocol_write_payload(&current, NULL, &payload);
    ee_error error = {0};
    const ee_value *read = ee_json_read(&f.case_arena, (ee_str){payload.data, payload.length}, NULL, &error);
    assert_non_null(read);
    static const char *const names[] = {"candidate_answer", "reference_answer"};
    for (size_t i = 0; i < 2; i++) {
      const ee_value *inner = ee_value_member(read, ee_str_from(names[i]), NULL);
      assert_int_equal(ee_type_of(inner), EE_STRING);
      assert_true(ee_value_equal(ee_json_read(&f.case_arena, ee_value_text(inner), NULL, &error), expected));
    }
    assert_null(memchr(payload.data, '\n', payload.length));
    ee_buffer_fini(&payload);
  }
  fixture_close(&f);
}

static void test_answer(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  static const ee_judge judge = {.name = {"j", 1}};
  ee_judge_result result = {.judge = &judge};
  const char *text = " {\"score\": 2.5e-1, \"hits\": [\"a\", \"b (x)\"], \"misses\": [\"c\"], \"reasoning\": \"one "
                     "\\u0000 two\", \"details\": {\"z\": "
                     "1.10, \"a\": [null], \"metrics\": {\"t\": {\"tp\": 2, \"fn\": 1, \"precision\": 1, \"own\": []}, "
                     "\"share\": 0.5, \"u\": "
                     "{\"tn\": 3e0}, \"half\": {\"tp\": 0.5}, \"none\": {\"precision\": 1}, \"below\": {\"fp\": -1}, "
                     "\"told\": {\"tp\": 1, \"retold\": "
                     "true}, \"text\": {\"tp\": \"1\"}, \"not\": {\"fp\": 4, \"retold\": false}}}, \"more\": 1}\r\n";
  char *copy = strdup(text);
  assert_null(ee_protocol_read_answer(ee_str_from(copy), &f.case_arena, &result));
  memset(copy, 'x', strlen(copy));
  free(copy);
  assert_true(result.score == 0.25 && result.judge == &judge);
  assert_hits(&f, &result, "a; b (x)");
  assert_misses(&f, &result, "c");
  assert_true(ee_str_equal(result.reasoning, EE_STR("one \0 two")));
  assert_string_equal(fixture_attributes(&f, &result), "t* 2 0 0 1; u* 0 3 0 0; not* 0 0 4 0");
  ee_buffer_clear(&f.text);
  ee_json_write_value(&f.text, result.details);
  assert_string_equal(
      ee_buffer_terminate(&f.text),
      "{\"z\":1.1,\"a\":[null],\"metrics\":{\"t\":{\"tp\":2,\"fn\":1,\"precision\":1,\"own\":[]},\"share\":0.5,\"u\":{"
      "\"tn\":3},\"half\":{\"tp\":0.5},\"none\":{\"precision\":1},\"below\":{\"fp\":-1},\"told\":{\"tp\":1,"
      "\"retold\":true},\"text\":{\"tp\":\"1\"},\"not\":{\"fp\":4,\"retold\":false}}}");
  fixture_close(&f);
}

static void test_short_answers(void **state) {
  (void)state;
  static const struct {
    const char *text;
    double score;
  } rows[] = {
      {"{\"score\":0}", 0},
      {"{\"score\":-0}", 0},
      {"{\"score\":1.0000000000000002}", 1},
      {"{\"score\":1e-400}", 0},
      {"{\"score\":0.5,\"hits\":null,\"misses\":null,\"reasoning\":null,\"details\":null}", 0.5},
      {"{\"score\":0.5,\"details\":{\"metrics\":[1]}}", 0.5},
      {"{\"score\":0.25,\"score\":0.5,\"hits\":[],\"details\":{}}", 0.5},
  };
  fixture f;
  fixture_open(&f);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ee_judge_result result = {0};
    assert_null(ee_protocol_read_answer(ee_str_from(rows[i].text), &f.case_arena, &result));
    assert_true(result.score == rows[i].score);
    assert_int_equal(result.hit_count + result.miss_count + result.reasoning.length + result.attribute_count, 0);
    assert_int_equal(ee_type_of(result.details), EE_OBJECT);
  }
  fixture_close(&f);
}

/* A few megabytes of text must not become gigabytes, nor a deep one end the program. */
static void test_large_answers(void **state) {
  (void)state;
  static const struct {
    const char *begin, *part, *end, *reason;
    size_t count;
  } rows[] = {
      {"{\"score\":1,\"hits\":[", "\"\",", "\"\"]}", "the answer has more than 2000000 values", 3000000},
      {"{\"score\":1,\"details\":{\"a\":", "[", "", "no JSON: nesting deeper than 512", 100000},
      {"{\"score\":1,\"details\":{\"a\":", "{\"a\":", "", "no JSON: nesting deeper than 512", 100000},
      {"{\"score\":0.", "3", "}", NULL, 1000000},
      {"{\"score\":1,\"hits\":[", "\"\",", "\"\"]}", NULL, 500000},
  };
  fixture f;
  fixture_open(&f);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ee_judge_result result = {0};
    ee_buffer text = {0};
    ee_buffer_add_text(&text, rows[i].begin);
    for (size_t k = 0; k < rows[i].count; k++) ee_buffer_add_text(&text, rows[i].part);
    ee_buffer_add_text(&text, rows[i].end);
    const char *wrong = ee_protocol_read_answer((ee_str){text.data, text.length}, &f.case_arena, &result);
    if (rows[i].reason == NULL) {
      if (wrong != NULL) fail_msg("row %zu: %s", i, wrong);
    } else {
      assert_non_null(wrong);
      assert_memory_equal(wrong, rows[i].reason, strlen(rows[i].reason));
    }
    ee_buffer_fini(&text);
    ee_arena_reset(&f.case_arena, 0);
  }
  fixture_close(&f);
}

static void test_wrong_answers(void **state) {
  (void)state;
  static const struct {
    const char *text, *reason;
  } rows[] = {
      {"", "no JSON: the answer is empty"},
      {" \n", "no JSON: the answer is empty"},
      {"\n ok\n", "no JSON: expected a value at line 2 column 2"},
      {"{\"score\":1}\n{\"score\":1}", "no JSON: text after the document at line 2 column 1"},
      {"{\"score\":1", "no JSON: unexpected end of text at line 1 column 11"},
      {"{\"score\":NaN}", "no JSON: NaN is not JSON: write null at line 1 column 10"},
      {"{\"score\":1,\"hits\":[\"\xFF\"]}", "no JSON: invalid UTF-8 at line 1 column 21"},
      {"[1]", "the answer must be an object, got an array"},
      {"1", "the answer must be an object, got a number"},
      {"null", "the answer must be an object, got null"},
      {"{}", "score is missing"},
      {"{\"Score\":1}", "score is missing"},
      {"{\"score\":null}", "score must be a number, got null"},
      {"{\"score\":true}", "score must be a number, got a boolean"},
      {"{\"score\":\"1\"}", "score must be a number, got a string"},
      {"{\"score\":1.5}", "score 1.5 is outside 0..1"},
      {"{\"score\":1.000000000001}", "score 1.000000000001 is outside 0..1"},
      {"{\"score\":-1e-12}", "score -1e-12 is outside 0..1"},
      {"{\"score\":1e999}", "score 1e999 is outside 0..1"},
      {"{\"score\":123456789012345678901234567890123456789}",
       "score 12345678901234567890123456789012... is outside 0..1"},
      {"{\"score\":1,\"hits\":\"a\"}", "hits must be an array, got a string"},
      {"{\"score\":1,\"hits\":[],\"misses\":[\"a\",{}]}", "misses[1] must be a string, got an object"},
      {"{\"score\":1,\"misses\":[null]}", "misses[0] must be a string, got null"},
      {"{\"score\":1,\"reasoning\":[]}", "reasoning must be a string, got an array"},
      {"{\"score\":1,\"details\":[]}", "details must be an object, got an array"},
      {"{\"score\":1,\"details\":\"x\"}", "details must be an object, got a string"},
      {"{\"score\":1,\"details\":false}", "details must be an object, got a boolean"},
  };
  fixture f;
  fixture_open(&f);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    static const ee_judge_result empty;
    ee_judge_result result = {0};
    const char *wrong = ee_protocol_read_answer(ee_str_from(rows[i].text), &f.case_arena, &result);
    assert_non_null(wrong);
    assert_string_equal(wrong, rows[i].reason);
    assert_memory_equal(&result, &empty, sizeof result);
  }
  fixture_close(&f);
}

/* Nothing that a program writes brings the reader down. */
static void test_cut_and_changed_answers(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  test_random random = test_random_start("protocol", 5);
  const char *good = "{\"score\":0.5,\"hits\":[\"a\"],\"misses\":[\"b\"],\"reasoning\":\"r\",\"details\":{\"metrics\":{"
                     "\"m\":{\"tp\":1,"
                     "\"fp\":2}},\"x\":[{},[],null]}}";
  size_t length = strlen(good), wrong = 0;
  for (int round = 0; round < 20000; round++) {
    ee_arena_reset(&f.case_arena, 0);
    char *text = malloc(length);
    memcpy(text, good, length);
    size_t size = test_random_below(&random, 4) == 0 ? test_random_below(&random, length + 1) : length;
    for (size_t changes = 1 + test_random_below(&random, 3); changes > 0; changes--)
      text[test_random_below(&random, length)] = "{}[]\",:0-9e.ntx\xC3"[test_random_below(&random, 17)];
    ee_judge_result result = {0};
    const char *reason = ee_protocol_read_answer((ee_str){text, size}, &f.case_arena, &result);
    free(text);
    wrong += reason != NULL;
    if (reason == NULL) {
      assert_true(result.score >= 0 && result.score <= 1);
      fixture_findings(&f, result.hits, result.hit_count);
      fixture_attributes(&f, &result);
      assert_int_equal(ee_type_of(result.details), EE_OBJECT);
    }
  }
  assert_true(wrong > 5000 && wrong < 20000);
  fixture_close(&f);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_payload), cmocka_unit_test(test_payload_without_record),
             cmocka_unit_test(test_text_survives), cmocka_unit_test(test_answer), cmocka_unit_test(test_short_answers),
             cmocka_unit_test(test_wrong_answers), cmocka_unit_test(test_large_answers),
             cmocka_unit_test(test_cut_and_changed_answers));
