/* test_code_judge_reply.c: a case's result as an answer of the code_judge protocol, and as one judge of another rule
 * file. */
#include "data/json/json_writer.h"
#include "judge/small_rules.h"
#include "report/row.h"
#include "support/random.h"

#include <stdio.h>

static const char record_text[] = "{\"id\":\"inv-1\",\"expected\":{\"number\":\"7\",\"total\":100},"
                                  "\"candidate\":{\"total\":102,\"number\":\"7\",\"note\":\"x\"},\"kind\":\"tables\"}";

#define HEADER_DETAILS                                                                                                 \
  "{\"metrics\":{\"number\":{\"tp\":1,\"tn\":0,\"fp\":0,\"fn\":0,\"precision\":1,\"recall\":1,\"f1\":1},"              \
  "\"total\":{\"tp\":0,\"tn\":0,\"fp\":1,\"fn\":1,\"incorrect\":1,\"precision\":0,\"recall\":0,\"f1\":0},"             \
  "\"note\":{\"tp\":0,\"tn\":0,\"fp\":1,\"fn\":0,\"spurious\":1,\"precision\":0,\"f1\":0}},\"mismatches\":["           \
  "{\"path\":\"total\",\"expected\":100,\"candidate\":102,\"score\":0,\"reason\":\"outside tolerance: diff=2, "        \
  "tolerance=0.01\",\"class\":\"incorrect\"},{\"path\":\"note\",\"candidate\":\"x\",\"score\":0,"                      \
  "\"reason\":\"nothing expected\",\"class\":\"spurious\"}]}"
#define HEADER_MISSES "[\"total (outside tolerance: diff=2, tolerance=0.01)\",\"note (nothing expected)\"]"

/* What `write` appends, read back too: one line, one object. */
static ee_buffer text_of(void (*write)(const ee_case_result *, ee_arena *, ee_buffer *), const ee_case_result *result) {
  ee_arena scratch;
  ee_arena_init(&scratch, 0);
  ee_buffer out = {0};
  write(result, &scratch, &out);
  assert_true(out.length > 0 && out.data[out.length - 1] == '\n');
  assert_null(memchr(out.data, '\n', out.length - 1));
  ee_buffer_terminate(&out);
  ee_error error = {0};
  const ee_value *value = ee_json_read(&scratch, (ee_str){out.data, out.length}, NULL, &error);
  if (value == NULL) fail_msg("%s: %s", error.message, out.data);
  assert_int_equal(ee_type_of(value), EE_OBJECT);
  ee_arena_fini(&scratch);
  return out;
}

static void assert_judgement(const ee_case_result *result, const char *expected) {
  ee_buffer out = text_of(ee_code_judge_reply_write, result);
  assert_string_equal(out.data, expected);
  ee_buffer_fini(&out);
}

typedef struct judged_case {
  small_rules rules;
  ee_arena arena;
  ee_case_result result;
} judged_case;

static void judged_case_open(judged_case *c, const char *record) {
  small_rules_open(&c->rules);
  ee_arena_init(&c->arena, 0);
  c->result = small_judge_record(&c->rules, &c->arena, record);
}

static void judged_case_close(judged_case *c) {
  ee_arena_fini(&c->arena);
  small_rules_close(&c->rules);
}

static void test_several_judges(void **state) {
  (void)state;
  judged_case c;
  judged_case_open(&c, record_text);
  assert_judgement(
      &c.result,
      "{\"score\":0.6,\"hits\":[\"number\"],\"misses\":" HEADER_MISSES
      ",\"reasoning\":\"header: 1/3 fields matched\",\"details\":{\"metrics\":{"
      "\"header/number\":{\"tp\":1,\"tn\":0,\"fp\":0,\"fn\":0,\"precision\":1,\"recall\":1,\"f1\":1},"
      "\"header/total\":{\"tp\":0,\"tn\":0,\"fp\":1,\"fn\":1,\"incorrect\":1,\"precision\":0,\"recall\":0,\"f1\":0},"
      "\"header/note\":{\"tp\":0,\"tn\":0,\"fp\":1,\"fn\":0,\"spurious\":1,\"precision\":0,\"f1\":0},"
      "\"seen/tables\":{\"tp\":1,\"tn\":0,\"fp\":0,\"fn\":0,\"precision\":1,\"recall\":1,\"f1\":1}},"
      "\"evaluator_results\":["
      "{\"name\":\"header\",\"type\":\"fields\",\"score\":0.2,\"weight\":1,\"verdict\":\"fail\","
      "\"hits\":[\"number\"],\"misses\":" HEADER_MISSES
      ",\"reasoning\":\"1/3 fields matched\",\"details\":" HEADER_DETAILS "},"
      "{\"name\":\"seen\",\"type\":\"judge\",\"score\":1,\"weight\":1,\"verdict\":\"pass\",\"hits\":[],"
      "\"misses\":[],\"reasoning\":\"\",\"own_counts\":true,"
      "\"details\":{\"metrics\":{\"tables\":{\"tp\":1}}}}]}}\n");
  judged_case_close(&c);
}

static void test_only_judge(void **state) {
  (void)state;
  judged_case c;
  judged_case_open(&c, record_text);
  c.result.judge_count = 1;
  c.result.score = c.result.judges[0].score;
  assert_judgement(&c.result, "{\"score\":0.2,\"hits\":[\"number\"],\"misses\":" HEADER_MISSES
                              ",\"reasoning\":\"1/3 fields matched\",\"details\":" HEADER_DETAILS "}\n");
  judged_case_close(&c);
}

/* One of the rule file's own brings its details itself, or none. */
static void test_details_of_others(void **state) {
  (void)state;
  judged_case c;
  judged_case_open(&c, record_text);
  ee_judge_result seen = c.result.judges[1];
  ee_case_result result = c.result;
  result.judges = &seen;
  result.judge_count = 1;
  result.score = 1;
  assert_judgement(&result, "{\"score\":1,\"hits\":[],\"misses\":[],\"reasoning\":\"\","
                            "\"details\":{\"metrics\":{\"tables\":{\"tp\":1}}}}\n");
  seen.details = NULL;
  const ee_judge_type *const types[] = {&ee_script_judge, &ee_exec_judge, &ee_code_judge};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    ee_judge judge = *seen.judge;
    judge.type = types[i];
    seen.judge = &judge;
    assert_judgement(&result, "{\"score\":1,\"hits\":[],\"misses\":[],\"reasoning\":\"\",\"details\":{}}\n");
    seen.judge = c.result.judges[1].judge;
  }
  judged_case_close(&c);
}

/* No judge of a data set's may judge a case. */
static void test_no_judge(void **state) {
  (void)state;
  judged_case c;
  judged_case_open(&c, record_text);
  c.result.judge_count = 0;
  c.result.score = 1;
  assert_judgement(&c.result, "{\"score\":1,\"hits\":[],\"misses\":[],\"reasoning\":\"\","
                              "\"details\":{\"metrics\":{},\"evaluator_results\":[]}}\n");
  judged_case_close(&c);
}

static void test_score_error(void **state) {
  (void)state;
  judged_case c;
  judged_case_open(&c, record_text);
  c.result.judge_count = 1;
  c.result.score = 0;
  c.result.score_error = EE_STR("rules.lua:3: \"x\" is nil");
  assert_judgement(&c.result,
                   "{\"score\":0,\"hits\":[\"number\"],\"misses\":[\"score (rules.lua:3: \\\"x\\\" is nil)\","
                   "\"total (outside tolerance: diff=2, tolerance=0.01)\",\"note (nothing expected)\"],"
                   "\"reasoning\":\"1/3 fields matched\",\"details\":" HEADER_DETAILS "}\n");
  judged_case_close(&c);
}

static void test_names_are_escaped(void **state) {
  (void)state;
  judged_case c;
  judged_case_open(&c, record_text);
  ee_judge header = *c.result.judges[0].judge;
  header.name = EE_STR("a\"b\n");
  ee_judge_result judges[] = {c.result.judges[0], c.result.judges[1]};
  ee_attribute_result attribute = {.name = EE_STR("x\\y"), .slot = -1, .counts = {.tp = 12}};
  judges[0].judge = &header;
  judges[0].attributes = &attribute;
  judges[0].attribute_count = 1;
  c.result.judges = judges;
  ee_buffer out = text_of(ee_code_judge_reply_write, &c.result);
  assert_non_null(strstr(out.data, "\"a\\\"b\\n/x\\\\y\":{\"tp\":12,"));
  assert_non_null(strstr(out.data, "\"reasoning\":\"a\\\"b\\n: 1/3 fields matched\""));
  ee_buffer_fini(&out);
  judged_case_close(&c);
}

/* Attributes that count again what others count say so; those that only the data know are never such. */
static void test_derived(void **state) {
  (void)state;
  judged_case c;
  judged_case_open(&c, record_text);
  ee_judge header = *c.result.judges[0].judge;
  const ee_attribute attributes[] = {{.name = EE_STR("number")}, {.name = EE_STR("total"), .derived = true}};
  header.attributes = attributes;
  header.attribute_count = 2;
  ee_judge_result judged = c.result.judges[0];
  ee_attribute_result found[] = {{.name = EE_STR("number"), .slot = 0, .counts = {.tp = 1}},
                                 {.name = EE_STR("total"), .slot = 1, .counts = {.fn = 1}},
                                 {.name = EE_STR("other"), .slot = -1, .counts = {.fp = 1}}};
  judged.judge = &header;
  judged.attributes = found;
  judged.attribute_count = 3;
  ee_judge_result both[] = {judged, c.result.judges[1]};
  const char *const shapes[] = {
      "\"total\":{\"tp\":0,\"tn\":0,\"fp\":0,\"fn\":1,\"recall\":0,\"f1\":0,\"derived\":true}",
      "\"header/total\":{\"tp\":0,\"tn\":0,\"fp\":0,\"fn\":1,\"recall\":0,\"f1\":0,\"derived\":true}"};
  for (size_t count = 1; count <= 2; count++) {
    ee_case_result result = c.result;
    result.judges = both;
    result.judge_count = count;
    ee_buffer out = text_of(ee_code_judge_reply_write, &result);
    const char *at = strstr(out.data, shapes[count - 1]);
    assert_non_null(at);
    size_t derived = 0;
    for (at = out.data; (at = strstr(at, "\"derived\"")) != NULL; at++) derived++;
    assert_int_equal(derived, count); /* of several also in evaluator_results */
    ee_buffer_fini(&out);
  }
  judged_case_close(&c);
}

static void test_failure(void **state) {
  (void)state;
  ee_buffer out = {0};
  ee_code_judge_reply_write_failure(EE_STR("expected ',' behind \"a\""), &out);
  assert_string_equal(ee_buffer_terminate(&out),
                      "{\"score\":0,\"hits\":[],\"misses\":[\"expected ',' behind \\\"a\\\"\"],"
                      "\"reasoning\":\"expected ',' behind \\\"a\\\"\",\"details\":{}}\n");
  ee_buffer_fini(&out);
}

/* As one judge of another rule file ------------------------------------------------------------- */

/* The text of the value behind `key` in `text`, to its end but for `tail` bytes. */
static ee_str behind(const ee_buffer *text, const char *key, size_t tail) {
  const char *at = strstr(text->data, key);
  assert_non_null(at);
  at += strlen(key);
  return (ee_str){at, (size_t)(text->data + text->length - at) - tail};
}

/* A row of a case whose only judge is the rule file that gave `inner`. */
static ee_buffer row_around(const ee_case_result *inner) {
  ee_judge judge = {.type = &ee_code_judge, .name = EE_STR("other"), .weight = 1};
  ee_judge_result judged = {.judge = &judge, .score = inner->score, .details = inner};
  ee_case_result outer = {.source = inner->source, .score = inner->score, .judges = &judged, .judge_count = 1};
  return text_of(ee_row_write, &outer);
}

static void assert_same_details(const ee_case_result *inner) {
  ee_buffer judgement = text_of(ee_code_judge_reply_write, inner), row = row_around(inner);
  ee_str called = behind(&judgement, "\"details\":", 2), inside = behind(&row, "\"details\":", 4);
  if (!ee_str_equal(called, inside)) fail_msg("%s\n%s", judgement.data, row.data);
  ee_buffer_fini(&row);
  /* And of one inside of another. */
  ee_judge judge = {.type = &ee_code_judge, .name = EE_STR("between"), .weight = 1};
  ee_judge_result judged = {.judge = &judge, .score = inner->score, .details = inner};
  ee_case_result between = {.source = inner->source, .score = inner->score, .judges = &judged, .judge_count = 1};
  row = row_around(&between);
  inside = behind(&row, "\"details\":", 4);
  assert_true(ee_str_equal(called, inside));
  ee_buffer_fini(&row);
  ee_buffer_fini(&judgement);
}

static ee_str random_name(test_random *random, ee_arena *arena) {
  static const char *const pieces[] = {"a", "b.c", "\"", "\\", "\n", "é", "[0]", "/", " ", "x y"};
  ee_buffer text = {0};
  for (size_t i = test_random_below(random, 5) + 1; i > 0; i--)
    ee_buffer_add_text(&text, pieces[test_random_below(random, sizeof pieces / sizeof *pieces)]);
  ee_str name = {ee_arena_copy(arena, text.data, text.length), text.length};
  ee_buffer_fini(&text);
  return name;
}

static ee_finding *random_findings(test_random *random, ee_arena *arena, size_t *count) {
  *count = test_random_below(random, 4);
  ee_finding *findings = EE_NEW_ARRAY(arena, ee_finding, *count + 1);
  for (size_t i = 0; i < *count; i++)
    findings[i] =
        (ee_finding){.path = random_name(random, arena), .row = EE_NO_ROW, .reason = {.kind = EE_REASON_NONE}};
  return findings;
}

static void random_judged(test_random *random, ee_arena *arena, ee_judge_result *judged) {
  static const ee_judge_type *const types[] = {&ee_fields_judge, &ee_script_judge, &ee_exec_judge};
  ee_judge *judge = EE_NEW(arena, ee_judge);
  *judge = (ee_judge){.type = types[test_random_below(random, 3)], .name = random_name(random, arena), .weight = 1};
  size_t count = test_random_below(random, 4);
  ee_attribute *known = EE_NEW_ARRAY(arena, ee_attribute, count + 1);
  ee_attribute_result *attributes = EE_NEW_ARRAY(arena, ee_attribute_result, count + 1);
  for (size_t i = 0; i < count; i++) {
    known[i] = (ee_attribute){random_name(random, arena), test_random_below(random, 2) == 0};
    attributes[i] =
        (ee_attribute_result){.name = known[i].name,
                              .slot = test_random_below(random, 3) == 0 ? -1 : (int32_t)i,
                              .counts = {.tp = test_random_below(random, 30), .fn = test_random_below(random, 2)}};
  }
  judge->attributes = known;
  judge->attribute_count = count;
  *judged = (ee_judge_result){.judge = judge,
                              .score = (double)test_random_below(random, 5) / 4,
                              .reasoning = random_name(random, arena),
                              .attributes = attributes,
                              .attribute_count = count};
  judged->hits = random_findings(random, arena, &judged->hit_count);
  judged->misses = random_findings(random, arena, &judged->miss_count);
}

static void test_same_details_in_a_row(void **state) {
  (void)state;
  judged_case c;
  judged_case_open(&c, record_text);
  for (size_t count = 0; count <= 2; count++) {
    ee_case_result inner = c.result;
    inner.judge_count = count;
    assert_same_details(&inner);
  }
  judged_case_close(&c);

  test_random random = test_random_start("same details", 51);
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_case source = {.id = EE_STR("x"), .candidate_state = EE_CANDIDATE_MISSING};
  for (int round = 0; round < 3000; round++) {
    size_t count = test_random_below(&random, 4);
    ee_judge_result *judges = EE_NEW_ARRAY(&arena, ee_judge_result, count + 1);
    for (size_t i = 0; i < count; i++) random_judged(&random, &arena, &judges[i]);
    ee_case_result inner = {.source = &source, .score = 0.5, .judges = judges, .judge_count = count};
    assert_same_details(&inner);
    ee_arena_reset(&arena, (size_t)1 << 20);
  }
  ee_arena_fini(&arena);
}

/* A judge that is another rule file and failed before it judged has no details. */
static void test_code_judge_without_inner(void **state) {
  (void)state;
  ee_case source = {.id = EE_STR("x"), .candidate_state = EE_CANDIDATE_MISSING};
  ee_judge judge = {.type = &ee_code_judge, .name = EE_STR("other"), .weight = 1};
  ee_judge_result judged = {.judge = &judge, .failed = true, .verdict = EE_VERDICT_FAIL};
  ee_case_result outer = {.source = &source, .judges = &judged, .judge_count = 1};
  ee_buffer row = text_of(ee_row_write, &outer);
  assert_non_null(strstr(row.data, "\"type\":\"code_judge\",\"score\":0,\"weight\":1,\"verdict\":\"fail\",\"hits\":[],"
                                   "\"misses\":[],\"reasoning\":\"\",\"in_error\":true,\"details\":{}}]}\n"));
  ee_buffer_fini(&row);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_several_judges), cmocka_unit_test(test_only_judge),
             cmocka_unit_test(test_details_of_others), cmocka_unit_test(test_no_judge),
             cmocka_unit_test(test_score_error), cmocka_unit_test(test_names_are_escaped),
             cmocka_unit_test(test_derived), cmocka_unit_test(test_failure),
             cmocka_unit_test(test_same_details_in_a_row), cmocka_unit_test(test_code_judge_without_inner));
