/* test_row.c: one case as one line of JSON. */
#include <evalengine.h>

#include "judge/details.h"
#include "judge/line_items/line_items.h"
#include "judge/small_rules.h"
#include "report/row.h"
#include "support/random.h"

#include <stdio.h>

static ee_buffer row_of(const ee_case_result *result) {
  ee_arena scratch;
  ee_arena_init(&scratch, 0);
  ee_buffer out = {0};
  ee_row_write(result, &scratch, &out);
  ee_buffer_terminate(&out);
  ee_arena_fini(&scratch);
  return out;
}

static void assert_row(const char *record, const char *expected) {
  small_rules rules;
  small_rules_open(&rules);
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_case_result result = small_judge_record(&rules, &arena, record);
  ee_buffer row = row_of(&result);
  assert_string_equal(row.data, expected);
  ee_buffer_fini(&row);
  ee_arena_fini(&arena);
  small_rules_close(&rules);
}

static void test_whole_rows(void **state) {
  (void)state;
  assert_row(
      "{\"id\":\"inv-1\",\"expected\":{\"number\":\"7\",\"total\":100},"
      "\"candidate\":{\"total\":102,\"number\":\"7\",\"note\":\"x\"},\"kind\":\"tables\"}",
      "{\"schema\":2,\"id\":\"inv-1\",\"version\":\"" EE_VERSION
      "\",\"expected_hash\":\"0078db9dc7f534e3\",\"score\":0.6,"
      "\"verdict\":\"borderline\",\"detail\":\"misses\",\"slices\":{\"lang\":[\"(missing)\"]},"
      "\"hits\":[\"number\"],\"misses\":[\"total (outside tolerance: diff=2, tolerance=0.01)\",\"note (nothing "
      "expected)\"],\"reasoning\":\"header: 1/3 fields matched\","
      "\"candidate_answer\":{\"total\":102,\"number\":\"7\",\"note\":\"x\"},\"straight_through\":false,\"corrections\":"
      "{\"changed\":1,\"removed\":1},\"evaluator_results\":["
      "{\"name\":\"header\",\"type\":\"fields\",\"score\":0.2,\"weight\":1,\"verdict\":\"fail\",\"hits\":[\"number\"],"
      "\"misses\":[\"total (outside tolerance: diff=2, tolerance=0.01)\",\"note (nothing expected)\"],"
      "\"reasoning\":\"1/3 fields matched\",\"details\":{\"metrics\":{"
      "\"number\":{\"tp\":1,\"tn\":0,\"fp\":0,\"fn\":0,\"precision\":1,\"recall\":1,\"f1\":1},"
      "\"total\":{\"tp\":0,\"tn\":0,\"fp\":1,\"fn\":1,\"incorrect\":1,\"precision\":0,\"recall\":0,\"f1\":0},"
      "\"note\":{\"tp\":0,\"tn\":0,\"fp\":1,\"fn\":0,\"spurious\":1,\"precision\":0,\"f1\":0}},\"mismatches\":["
      "{\"path\":\"total\",\"expected\":100,\"candidate\":102,\"score\":0,\"reason\":\"outside tolerance: diff=2, "
      "tolerance=0.01\",\"class\":\"incorrect\"},{\"path\":\"note\",\"candidate\":\"x\",\"score\":0,"
      "\"reason\":\"nothing expected\",\"class\":\"spurious\"}]}},"
      "{\"name\":\"seen\",\"type\":\"judge\",\"score\":1,\"weight\":1,\"verdict\":\"pass\",\"hits\":[],\"misses\":[],"
      "\"reasoning\":\"\",\"own_counts\":true,\"details\":{\"metrics\":{\"tables\":{\"tp\":1}}}}]}\n");
}

/* Results made by hand -------------------------------------------------------------------------- */

typedef struct hand_made {
  ee_arena arena;
  ee_judge judge;
  ee_judge_result judged;
  ee_case source;
  ee_case_result result;
} hand_made;

static void hand_made_open(hand_made *h) {
  memset(h, 0, sizeof *h);
  ee_arena_init(&h->arena, 0);
  h->judge = (ee_judge){.type = &ee_line_items_judge, .name = EE_STR("items"), .weight = 2.5};
  h->judged = (ee_judge_result){.judge = &h->judge, .score = 1};
  h->source = (ee_case){.id = EE_STR("x"), .candidate_state = EE_CANDIDATE_MISSING};
  h->result = (ee_case_result){.source = &h->source, .score = 1, .judges = &h->judged, .judge_count = 1};
}

static void hand_made_close(hand_made *h) { ee_arena_fini(&h->arena); }

/* The row, read back. */
static const ee_value *read_row(hand_made *h) {
  ee_buffer row = row_of(&h->result);
  assert_true(row.length > 0 && row.data[row.length - 1] == '\n');
  assert_null(memchr(row.data, '\n', row.length - 1));
  ee_error error;
  const ee_value *value = ee_json_read(&h->arena, (ee_str){row.data, row.length}, NULL, &error);
  if (value == NULL) fail_msg("%s: %s", error.message, row.data);
  ee_buffer_fini(&row);
  return value;
}

static const ee_value *member(const ee_value *value, const char *key) {
  const ee_value *found = ee_value_member(value, ee_str_from(key), NULL);
  if (found == NULL) fail_msg("no member '%s'", key);
  return found;
}

static const ee_value *details_of(const ee_value *row) {
  return member(ee_value_element(member(row, "evaluator_results"), 0), "details");
}

static void assert_has(const hand_made *h, const char *part) {
  ee_buffer row = row_of(&h->result);
  if (strstr(row.data, part) == NULL) fail_msg("'%s' is not in %s", part, row.data);
  ee_buffer_fini(&row);
}

static void assert_has_not(const hand_made *h, const char *part) {
  ee_buffer row = row_of(&h->result);
  if (strstr(row.data, part) != NULL) fail_msg("'%s' is in %s", part, row.data);
  ee_buffer_fini(&row);
}

/* Counts of a case are there where they say something; documents in full detail only. */
static void test_members_of_a_case(void **state) {
  (void)state;
  hand_made h;
  hand_made_open(&h);
  assert_has_not(&h, "rule_errors");
  assert_has_not(&h, "provider_failures");
  assert_has_not(&h, "own_counts");
  h.result.rule_errors = 12;
  h.result.provider_failures = 1;
  h.judge.brings_counts = true;
  assert_has(&h, ",\"rule_errors\":12,\"provider_failures\":1,\"evaluator_results\":[");
  assert_has(&h, ",\"own_counts\":true,\"details\":");
  ee_error error;
  h.source.record =
      ee_json_read(&h.arena, EE_STR("{\"id\":\"x\",\"gt\":{\"a\":null},\"aio\":2,\"page\":\"1.png\"}"), NULL, &error);
  h.source.expected = ee_value_member(h.source.record, EE_STR("gt"), NULL);
  assert_has_not(&h, "1.png");
  h.result.detail = EE_DETAIL_FULL;
  assert_has(&h, ",\"detail\":\"full\",");
  assert_has(&h, ",\"expected\":{\"a\":null},\"record\":{\"page\":\"1.png\"},\"evaluator_results\"");
  h.source.record = ee_json_read(&h.arena, EE_STR("{\"id\":\"x\",\"gt\":3}"), NULL, &error);
  assert_has_not(&h, "\"record\"");
  hand_made_close(&h);
}

static void test_line_items(void **state) {
  (void)state;
  hand_made h;
  hand_made_open(&h);
  static const ee_alignment alignment[] = {{0, 2, 0.94}, {3, 12, 1}};
  static const ee_finding misses[] = {
      {.path = {"lines", 5}, .row = 1, .field = {NULL, 0}, .reason = {.kind = EE_REASON_MISSING_ITEM}},
      {.path = {"lines", 5}, .row = 12, .field = {"price", 5}, .reason = {.kind = EE_REASON_VALUE_MISMATCH}}};
  ee_item_report report = {.alignment = alignment, .alignment_count = 2, .missing_items = 1, .extra_items = 11};
  h.judged.details = &report;
  h.judged.misses = misses;
  h.judged.miss_count = 2;
  assert_has(&h, "\"details\":{\"metrics\":{},\"alignment\":[{\"expected\":0,\"candidate\":2,\"similarity\":0.94},"
                 "{\"expected\":3,\"candidate\":12,\"similarity\":1}],"
                 "\"items\":{\"matched\":2,\"missing\":1,\"extra\":11},\"mismatches\":[]}");
  assert_has(&h, "\"weight\":2.5,");
  assert_has(&h, "\"misses\":[\"lines[1] (missing item)\",\"lines[12].price (value mismatch)\"]");
  report.alignment_count = report.missing_items = report.extra_items = 0;
  assert_has(&h, "\"alignment\":[],\"items\":{\"matched\":0,\"missing\":0,\"extra\":0}");
  h.judged.details = NULL;
  assert_has_not(&h, "alignment");
  assert_has_not(&h, "items\":{");
  assert_has_not(&h, "vacuous");
  h.judged.vacuous = true;
  assert_has(&h, "\"mismatches\":[],\"vacuous\":true}");
  hand_made_close(&h);
}

static void test_long_lists_are_cut(void **state) {
  (void)state;
  hand_made h;
  hand_made_open(&h);
  enum { MANY = 10050 };
  ee_alignment *alignment = EE_NEW_ARRAY(&h.arena, ee_alignment, MANY);
  ee_mismatch *mismatches = EE_NEW_ARRAY(&h.arena, ee_mismatch, MANY);
  ee_finding *misses = EE_NEW_ARRAY(&h.arena, ee_finding, MANY);
  for (uint32_t i = 0; i < MANY; i++) {
    alignment[i] = (ee_alignment){i, i, 1};
    misses[i] = (ee_finding){.path = EE_STR("p"), .row = i};
    mismatches[i].finding = misses[i];
  }
  ee_item_report report = {.alignment = alignment};
  h.judged.details = &report;
  h.judged.mismatches = mismatches;
  h.judged.misses = misses;
  static const struct {
    ee_detail detail;
    size_t alignments, mismatches;
    bool cut;
  } lists[] = {{EE_DETAIL_MISSES, 50, 50, false}, {EE_DETAIL_MISSES, 51, 3, true},
               {EE_DETAIL_MISSES, 3, 51, true},   {EE_DETAIL_MISSES, MANY, MANY, true},
               {EE_DETAIL_FULL, 51, 51, false},   {EE_DETAIL_FULL, 10000, 10000, false},
               {EE_DETAIL_FULL, 10001, 3, true},  {EE_DETAIL_FULL, MANY, MANY, true}};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    size_t limit = lists[i].detail == EE_DETAIL_FULL ? 10000 : 50;
    h.result.detail = h.judged.detail = lists[i].detail;
    report.alignment_count = lists[i].alignments;
    h.judged.mismatch_count = h.judged.miss_count = lists[i].mismatches;
    const ee_value *row = read_row(&h), *details = details_of(row);
    size_t alignments = lists[i].alignments < limit ? lists[i].alignments : limit;
    size_t shown = lists[i].mismatches < limit ? lists[i].mismatches : limit;
    assert_int_equal(ee_value_count(member(details, "alignment")), alignments);
    assert_int_equal(ee_value_count(member(details, "mismatches")), shown);
    /* The counts and the misses are not cut. */
    assert_true(ee_value_number(member(member(details, "items"), "matched")) == (double)lists[i].alignments);
    assert_int_equal(ee_value_count(member(row, "misses")), lists[i].mismatches);
    assert_int_equal(ee_value_member(details, EE_STR("truncated"), NULL) != NULL, lists[i].cut);
  }
  hand_made_close(&h);
}

static void test_candidates(void **state) {
  (void)state;
  hand_made h;
  hand_made_open(&h);
  assert_has(&h, "\"candidate_answer\":null,\"candidate_state\":\"missing\",");
  h.source.candidate_state = EE_CANDIDATE_UNPARSEABLE;
  h.source.candidate_text = EE_STR("Sorry,\n\"no\" \x7f \xc3\xa9");
  assert_has(&h, "\"candidate_answer\":\"Sorry,\\n\\\"no\\\" \\u007f \xc3\xa9\",\"candidate_state\":\"unparseable\",");
  /* A document found in prose: the document. */
  h.source.candidate = ee_value_new_number(&h.arena, 3);
  h.source.candidate_state = EE_CANDIDATE_READ;
  assert_has(&h, "\"candidate_answer\":3,\"evaluator_results\"");
  hand_made_close(&h);
}

/* A custom judge's details pass as they are; without any nothing is made up. */
static void test_details_of_scripts(void **state) {
  (void)state;
  hand_made h;
  hand_made_open(&h);
  h.judge.type = &ee_script_judge;
  h.judged.vacuous = true;
  assert_has(&h, "\"details\":{}}]}");
  ee_attribute_result attribute = {.name = EE_STR("a"), .slot = -1, .counts = {.tp = 1}};
  h.judged.attributes = &attribute;
  h.judged.attribute_count = 1;
  ee_error error;
  h.judged.details = ee_json_read(
      &h.arena, EE_STR("{\"metrics\":{\"a\":{\"tp\":1}},\"truncated\":0,\"n\":12345678901234567890}"), NULL, &error);
  assert_has(&h, "\"details\":{\"metrics\":{\"a\":{\"tp\":1}},\"truncated\":0,\"n\":12345678901234567890}}]}");
  hand_made_close(&h);
}

static void test_reasoning(void **state) {
  (void)state;
  hand_made h;
  hand_made_open(&h);
  ee_judge other = h.judge;
  other.name = EE_STR("second \"judge\"");
  ee_judge_result results[3] = {h.judged, h.judged, h.judged};
  results[0].reasoning = EE_STR("11/12 fields matched");
  results[2].judge = &other;
  results[2].reasoning = EE_STR("a\tb");
  h.result.judges = results;
  h.result.judge_count = 3;
  assert_has(&h, "\"reasoning\":\"items: 11/12 fields matched; second \\\"judge\\\": a\\tb\",\"candidate");
  h.result.judge_count = 0;
  assert_has(&h, "\"hits\":[],\"misses\":[],\"reasoning\":\"\",\"candidate_answer\":null,\"candidate_state\":"
                 "\"missing\",\"evaluator_results\":[]}");
  hand_made_close(&h);
}

/* Random texts ---------------------------------------------------------------------------------- */

static ee_str random_text(test_random *random, ee_arena *arena) {
  static const char *const pieces[] = {"a",    "total",    "\"",           "\\", "\n", "\x01",
                                       "\x1f", "\xc3\xa9", "\xe2\x82\xac", " ",  "/",  "\xf0\x9f\x98\x80",
                                       "\t",   "",         "\x7f"};
  ee_buffer text = {0};
  for (size_t i = test_random_below(random, 6); i > 0; i--)
    ee_buffer_add_text(&text, pieces[test_random_below(random, 15)]);
  ee_str copy = {ee_arena_copy(arena, text.data, text.length), text.length};
  ee_buffer_fini(&text);
  return copy;
}

static ee_finding random_finding(test_random *random, ee_arena *arena) {
  return (ee_finding){.path = random_text(random, arena),
                      .row = test_random_below(random, 2) == 0 ? EE_NO_ROW : (uint32_t)test_random_below(random, 100),
                      .field = random_text(random, arena),
                      .reason = {.kind = test_random_below(random, 2) == 0 ? EE_REASON_NONE : EE_REASON_TEXT,
                                 .text = random_text(random, arena)}};
}

static void assert_findings(const ee_value *list, size_t from, const ee_finding *findings, size_t count) {
  for (size_t i = 0; i < count; i++) {
    ee_buffer text = {0};
    ee_finding_print(&findings[i], &text);
    const ee_value *value = ee_value_element(list, from + i);
    assert_non_null(value);
    assert_true(ee_str_equal(ee_value_text(value), (ee_str){text.data, text.length}));
    ee_buffer_fini(&text);
  }
}

/* Whatever the texts, the row is one line of JSON, and its lists are those of the judges, in order, at both places. */
static void test_random_texts(void **state) {
  (void)state;
  test_random random = test_random_start("row", 31);
  for (int round = 0; round < 3000; round++) {
    hand_made h;
    hand_made_open(&h);
    enum { JUDGES = 3, MOST = 4 };
    ee_judge_result results[JUDGES];
    ee_judge judges[JUDGES];
    size_t hits = 0, misses = 0;
    for (size_t i = 0; i < JUDGES; i++) {
      ee_finding *found = EE_NEW_ARRAY(&h.arena, ee_finding, 2 * MOST);
      ee_mismatch *mismatches = EE_NEW_ARRAY(&h.arena, ee_mismatch, MOST);
      for (size_t k = 0; k < 2 * MOST; k++) found[k] = random_finding(&random, &h.arena);
      for (size_t k = 0; k < MOST; k++) mismatches[k] = (ee_mismatch){.finding = found[MOST + k], .score = 0.5};
      judges[i] = (ee_judge){.type = &ee_fields_judge, .name = random_text(&random, &h.arena), .weight = 1};
      results[i] = (ee_judge_result){.judge = &judges[i],
                                     .score = test_random_unit(&random),
                                     .hits = found,
                                     .hit_count = test_random_below(&random, MOST + 1),
                                     .misses = found + MOST,
                                     .miss_count = test_random_below(&random, MOST + 1),
                                     .reasoning = random_text(&random, &h.arena),
                                     .mismatches = mismatches};
      results[i].mismatch_count = results[i].miss_count;
      hits += results[i].hit_count;
      misses += results[i].miss_count;
    }
    h.source.id = random_text(&random, &h.arena);
    h.result.judges = results;
    h.result.judge_count = JUDGES;
    h.result.score = test_random_unit(&random);
    h.result.expected_hash = test_random_bits(&random);
    const ee_value *row = read_row(&h);
    assert_true(ee_str_equal(ee_value_text(member(row, "id")), h.source.id));
    assert_true(ee_value_number(member(row, "score")) == h.result.score);
    char hash[32];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)h.result.expected_hash);
    assert_true(ee_str_is(ee_value_text(member(row, "expected_hash")), hash));
    assert_int_equal(ee_value_count(member(row, "hits")), hits);
    assert_int_equal(ee_value_count(member(row, "misses")), misses);
    hits = misses = 0;
    for (size_t i = 0; i < JUDGES; i++) {
      const ee_value *judge = ee_value_element(member(row, "evaluator_results"), i);
      assert_true(ee_str_equal(ee_value_text(member(judge, "name")), judges[i].name));
      assert_true(ee_str_equal(ee_value_text(member(judge, "reasoning")), results[i].reasoning));
      assert_true(ee_value_number(member(judge, "score")) == results[i].score);
      assert_int_equal(ee_value_count(member(judge, "hits")), results[i].hit_count);
      assert_int_equal(ee_value_count(member(judge, "misses")), results[i].miss_count);
      assert_findings(member(judge, "hits"), 0, results[i].hits, results[i].hit_count);
      assert_findings(member(judge, "misses"), 0, results[i].misses, results[i].miss_count);
      assert_findings(member(row, "hits"), hits, results[i].hits, results[i].hit_count);
      assert_findings(member(row, "misses"), misses, results[i].misses, results[i].miss_count);
      hits += results[i].hit_count;
      misses += results[i].miss_count;
    }
    hand_made_close(&h);
  }
}

/* The members of "metrics" that are made at load have the bytes of those that are not. */
static void test_members_made_at_load(void **state) {
  (void)state;
  static const ee_attribute known[] = {{.name = EE_STR("invoice.total")},
                                       {.name = EE_STR("a \"quoted\" name\n"), .derived = true},
                                       {.name = EE_STR("\xc3\xa9")},
                                       {.name = EE_STR("")}};
  test_random random = test_random_start("members made at load", 1);
  for (int i = 0; i < 5000; i++) {
    hand_made h;
    hand_made_open(&h);
    h.judge.attributes = known;
    h.judge.attribute_count = 4;
    ee_attribute_result results[5] = {{.name = EE_STR("of the data"), .slot = -1}};
    for (int32_t k = 0; k < 4; k++) results[k + 1] = (ee_attribute_result){.name = known[k].name, .slot = k};
    for (int k = 0; k < 5; k++) {
      ee_counts *counts = &results[k].counts;
      counts->tp = test_random_below(&random, 3);
      if (test_random_below(&random, 2) == 0) continue;
      counts->fn = test_random_below(&random, 3);
      counts->tn = test_random_below(&random, 2);
      counts->wrong = test_random_below(&random, 2);
      counts->fp = counts->wrong + test_random_below(&random, 2);
    }
    h.judged.attributes = results;
    h.judged.attribute_count = test_random_below(&random, 6);
    ee_buffer as_written = row_of(&h.result);
    h.judge.right_members = ee_details_prepare(&h.judge, &h.arena);
    ee_buffer prepared = row_of(&h.result);
    assert_string_equal(prepared.data, as_written.data);
    ee_buffer_fini(&as_written);
    ee_buffer_fini(&prepared);
    hand_made_close(&h);
  }
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_whole_rows), cmocka_unit_test(test_line_items),
             cmocka_unit_test(test_members_of_a_case), cmocka_unit_test(test_long_lists_are_cut),
             cmocka_unit_test(test_candidates), cmocka_unit_test(test_details_of_scripts),
             cmocka_unit_test(test_reasoning), cmocka_unit_test(test_random_texts),
             cmocka_unit_test(test_members_made_at_load));
