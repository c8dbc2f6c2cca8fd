/* test_agentv_judges.c: what the judges of AgentV's document extraction example say of a case, against what the rule
 * files that correspond to them say, given the same config; and where the two differ, why.
 *
 * agentv_judges.jsonl holds inputs and results of header_confusion, line_item_matching and multi_field_fuzzy. Each row
 * is judged twice: by the rule file itself, and by one that has it as ee.code_judge and passes its own config on. */
#include "peers/judged_row.h"

#include <unistd.h>

#define DATA_FILE "tests/peers/agentv_judges.jsonl"

static const deviation deviations[] = {
    {"hc-02", "supplier.name.f1=0",
     "F1 is 2TP / (2TP + FP + FN), so 0 with errors and no match; theirs leaves it undefined."},
    {"hc-08", "f.f1=0", "F1 is 2TP / (2TP + FP + FN), so 0 with errors and no match; theirs leaves it undefined."},
    {"hc-14", "f.f1=0", "F1 is 2TP / (2TP + FP + FN), so 0 with errors and no match; theirs leaves it undefined."},
    {"li-06", "description.f1=0",
     "F1 is 2TP / (2TP + FP + FN), so 0 with errors and no match; theirs leaves it undefined."},
    {"li-08", "description.f1=0",
     "F1 is 2TP / (2TP + FP + FN), so 0 with errors and no match; theirs leaves it undefined."},
    {"li-16", "description.f1=0 quantity.f1=0 line_total.f1=0",
     "F1 is 2TP / (2TP + FP + FN), so 0 with errors and no match; theirs leaves it undefined."},
    {"hc-04", "invoice_number.f1=0 supplier.name.f1=0 macro_precision=0.6666666666666666",
     "An attribute with an error counts 0 in a mean where it is undefined; theirs leaves it out of the mean "
     "precision."},
    {"hc-10", "f.f1=0 macro_precision=0",
     "An attribute with an error counts 0 in a mean where it is undefined; theirs has no mean precision then."},
    {"hc-12", "score=1 f.tn=1 total_tn=1 macro_f1=-",
     "A blank text is as empty as \"\", so this is a true negative, and nothing is wrong; theirs counts it nowhere."},
    {"li-12",
     "score=0 description.tp=0 description.fp=1 description.fn=1 description.precision=0 description.recall=0 "
     "description.f1=0 macro_f1=0 alignment=[] matched=0 missing=1 extra=1",
     "A match field that only one side has scores 0, here 0.5 in the mean; theirs leaves it out."},
    {"li-14",
     "description.tp=0 description.tn=0 description.fp=1 description.fn=0 description.precision=0 description.f1=0 "
     "quantity.tp=0 quantity.tn=0 quantity.fp=1 quantity.fn=0 quantity.precision=0 quantity.f1=0 "
     "line_total.tp=0 line_total.tn=0 line_total.fp=1 line_total.fn=0 line_total.precision=0 line_total.f1=0 "
     "macro_f1=0 parsed=1 extra=1",
     "Without a list nothing is expected, and each value of a candidate item is a false positive; theirs counts none."},
    {"fz-07", "hits=0",
     "Two empty values are right and score 1, but there is nothing in them to name as a hit; theirs names it."},
};
enum { DEVIATIONS = sizeof deviations / sizeof *deviations };

static const struct {
  const char *evaluator, *rules;
} rule_files[] = {
    {"header_confusion", "rules/header_confusion.lua"},
    {"line_item_matching", "rules/line_items.lua"},
    {"multi_field_fuzzy", "rules/multi_field_fuzzy.lua"},
};

static const char *rules_of(const ee_value *row) {
  for (size_t i = 0; i < sizeof rule_files / sizeof *rule_files; i++)
    if (has_text(member(row, "evaluator"), rule_files[i].evaluator)) return test_project_path(rule_files[i].rules);
  fail_msg("no rule file for '%s'", text_of(member(row, "evaluator")));
  return NULL;
}

/* Judging -------------------------------------------------------------------------------------- */

/* The same by a rule file that has nothing but the other one. */
static ee_str judge_row_inside(const ee_value *row, const char *path, ee_arena *arena) {
  char outer[] = P_tmpdir "/ee-judges-XXXXXX.lua";
  int descriptor = mkstemps(outer, 4);
  assert_true(descriptor >= 0);
  FILE *file = fdopen(descriptor, "wb");
  assert_non_null(file);
  fprintf(file, "return ee.rules { ee.code_judge { 'inner', script = '%s', config = ee.config } }\n", path);
  assert_int_equal(fclose(file), 0);
  ee_str answer = judge_row(row, outer, arena);
  unlink(outer);
  return answer;
}

/* Comparing ------------------------------------------------------------------------------------ */

/* So that nothing of a row is passed over; `texts` are their words for hits and misses. */
static void assert_whole_row_is_used(const ee_value *row) {
  static const char *const results[] = {"score", "hits_count", "misses_count", "texts", "details"};
  static const char *const parts[] = {"metrics", "summary", "alignment", "unmatched_expected", "unmatched_parsed"};
  assert_known_members(member(row, "expect"), results, sizeof results / sizeof *results);
  assert_known_members(member(member(row, "expect"), "details"), parts, sizeof parts / sizeof *parts);
}

/* What of `row` we see differently, as "score=1 hits=1"; "" when nothing. Of line items they count pairs, we values. */
static const char *differences_of(const ee_value *row, const ee_value *ours, ee_arena *arena, ee_buffer *out) {
  ee_buffer_clear(out);
  const ee_value *expect = member(row, "expect"), *theirs = member(expect, "details");
  const ee_value *details = member(ours, "details");
  compare(out, "score", member(expect, "score"), member(ours, "score"));
  bool pairs = member(theirs, "alignment") != NULL;
  if (!pairs) {
    compare_count(out, arena, "hits", member(expect, "hits_count"), ee_value_count(member(ours, "hits")));
    compare_count(out, arena, "misses", member(expect, "misses_count"), ee_value_count(member(ours, "misses")));
  }
  if (theirs != NULL) {
    compare_metrics(out, member(theirs, "metrics"), member(details, "metrics"));
    compare_summary(out, arena, member(theirs, "summary"), member(details, "metrics"));
  }
  if (pairs) compare_alignment(out, arena, theirs, details);
  return ee_buffer_terminate(out);
}

static void test_rows(void **state) {
  (void)state;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_buffer text;
  ee_buffer_init(&text);
  size_t count, deviating = 0, failures = 0;
  const ee_value **rows = read_rows(DATA_FILE, &arena, &count);
  for (size_t i = 0; i < count; i++) {
    const char *id = text_of(member(rows[i], "id"));
    const deviation *known = deviation_of(deviations, DEVIATIONS, id);
    assert_whole_row_is_used(rows[i]);
    ee_str answer = judge_row(rows[i], rules_of(rows[i]), &arena);
    const char *differences = differences_of(rows[i], read_json(&arena, answer), &arena, &text);
    const char *wanted = known != NULL ? known->ours : "";
    if (*differences != '\0') deviating++;
    if (strcmp(differences, wanted) == 0) continue;
    print_error("%s (%s): %s, where the table says: %s\n", id, text_of(member(rows[i], "name")), differences, wanted);
    failures++;
  }
  assert_int_equal(failures, 0);
  assert_int_equal(count, 21);
  /* Every listed row is there and differs, and says why. */
  assert_int_equal(deviating, DEVIATIONS);
  for (size_t i = 0; i < DEVIATIONS; i++) assert_true(strlen(deviations[i].reason) > 20);
  ee_buffer_fini(&text);
  ee_arena_fini(&arena);
}

/* Called by another rule file, a rule file answers what it answers by itself, to the byte. */
static void test_rows_inside(void **state) {
  (void)state;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  size_t count;
  const ee_value **rows = read_rows(DATA_FILE, &arena, &count);
  for (size_t i = 0; i < count; i++) {
    const char *rules = rules_of(rows[i]);
    ee_str alone = judge_row(rows[i], rules, &arena), inside = judge_row_inside(rows[i], rules, &arena);
    if (!ee_str_equal(alone, inside))
      fail_msg("%s: alone %.*s inside %.*s", text_of(member(rows[i], "id")), (int)alone.length, alone.data,
               (int)inside.length, inside.data);
  }
  ee_arena_fini(&arena);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_rows), cmocka_unit_test(test_rows_inside));
