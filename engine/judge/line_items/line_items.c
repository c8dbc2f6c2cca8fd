/* line_items.c: ee.line_items, lists of objects: what a case comes to. */
#include "judge/line_items/line_items.h"

#include "judge/aggregate.h"
#include "judge/line_items/item_hints.h"
#include "judge/line_items/item_lists.h"

/* What counts tell --------------------------------------------------------------------------------------------------
 */

static void set_attributes(const ee_item_scorer *scorer, ee_judge_result *result) {
  ee_attribute_result *attributes = ee_arena_alloc(scorer->arena, scorer->part_count * sizeof *attributes);
  size_t count = 0;
  for (size_t i = 0; i < scorer->part_count; i++) {
    const ee_counts *counts = &scorer->parts[i].counts;
    if (counts->tp + counts->tn + counts->fp + counts->fn == 0) continue;
    int32_t slot = i < scorer->judge->attribute_count ? (int32_t)i : -1;
    attributes[count++] = (ee_attribute_result){scorer->parts[i].name, slot, *counts};
  }
  result->attributes = attributes;
  result->attribute_count = count;
}

/* The mean F1 of the score fields. Items that have none of them, such as plain texts, still cost when they stand alone.
 */
static ee_aggregate_result score_of(const ee_item_scorer *scorer) {
  if (scorer->failed) return (ee_aggregate_result){.score = 0};
  ee_aggregate macro = {EE_AGGREGATE_MACRO_F1, EE_NO_FUNCTION};
  ee_aggregate_result total = ee_aggregate_parts(&macro, scorer->context, scorer->parts, scorer->part_count);
  if (total.vacuous && scorer->alone > 0) total = (ee_aggregate_result){.score = 0};
  return total;
}

static void set_alignment(const ee_item_lists *lists, ee_item_report *report) {
  ee_alignment *alignment = ee_arena_alloc(lists->scorer->arena, lists->pairs * sizeof *alignment);
  size_t count = 0;
  for (uint32_t row = 0; row < lists->expected.rows; row++) {
    uint32_t column = lists->aligner.candidate_of[row];
    if (column == EE_UNPAIRED) continue;
    alignment[count++] =
        (ee_alignment){lists->expected.indices[row], lists->candidate.indices[column], lists->aligner.similarity[row]};
  }
  report->alignment = alignment;
  report->alignment_count = count;
  report->missing_items = lists->missing;
  report->extra_items = lists->extra;
}

/* Greedy and optimal ------------------------------------------------------------------------------------------------
 */

/* Totals that differ in less than similarities are rounded off by are equal. */
#define SAME_TOTAL 1e-9

/* The case's score by other pairs. What goes wrong has been told once. */
static double score_by(const ee_item_lists *lists, const ee_aligner *other) {
  ee_item_scorer *first = lists->scorer;
  ee_context *context = first->context;
  uint64_t errors = context->rule_error_count, failures = context->provider_failures, fallbacks = context->fallbacks;
  ee_unreadable unreadable = context->unreadable;
  size_t told = context->rule_errors != NULL ? context->rule_errors->count : 0;
  ee_item_scorer scorer;
  ee_item_scorer_start(&scorer, first->judge, context, NULL, first);
  ee_item_lists again = *lists;
  again.scorer = &scorer;
  again.aligner = *other;
  again.pairs = again.missing = again.extra = 0;
  ee_item_lists_score(&again);
  context->rule_error_count = errors;
  context->provider_failures = failures;
  context->fallbacks = fallbacks;
  context->unreadable = unreadable;
  if (context->rule_errors != NULL) context->rule_errors->count = told;
  return score_of(&scorer).score;
}

static uint32_t partner_index(const ee_item_lists *lists, const ee_aligner *aligner, uint32_t row) {
  uint32_t column = aligner->candidate_of[row];
  return column == EE_UNPAIRED ? EE_NO_ROW : lists->candidate.indices[column];
}

static void find_differences(const ee_item_lists *lists, const ee_aligner *greedy, const ee_aligner *optimal,
                             ee_methods_compared *methods) {
  uint32_t rows = lists->expected.rows;
  ee_pairing_difference *found = ee_arena_alloc(lists->scorer->arena, rows * sizeof *found);
  for (uint32_t row = 0; row < rows; row++) {
    if (greedy->candidate_of[row] == optimal->candidate_of[row]) continue;
    found[methods->difference_count++] = (ee_pairing_difference){
        lists->expected.indices[row], partner_index(lists, greedy, row), partner_index(lists, optimal, row)};
  }
  methods->differences = found;
}

/* What both methods make of the case; `other` is the pairing that is not the case's, whose score is `score`. */
static const ee_methods_compared *compare_methods(const ee_item_lists *lists, const ee_aligner *other, double score) {
  bool is_optimal = lists->items->match.method == EE_MATCH_OPTIMAL;
  const ee_aligner *greedy = is_optimal ? other : &lists->aligner, *optimal = is_optimal ? &lists->aligner : other;
  ee_methods_compared *methods = EE_NEW(lists->scorer->arena, ee_methods_compared);
  find_differences(lists, greedy, optimal, methods);
  double other_score = methods->difference_count == 0 ? score : score_by(lists, other);
  ee_fixed left = ee_align_total(greedy), right = ee_align_total(optimal);
  double lost = ee_fixed_value((ee_fixed){right.units - left.units});
  methods->greedy = (struct ee_method_outcome){ee_fixed_value(left), is_optimal ? other_score : score};
  methods->optimal = (struct ee_method_outcome){ee_fixed_value(right), is_optimal ? score : other_score};
  methods->lost = lost > SAME_TOTAL ? lost : 0;
  return methods;
}

/* Reasoning ---------------------------------------------------------------------------------------------------------
 */

/* "9/10 items matched, 1 missing, 0 extra", and what else is to be said. */
static ee_str reasoning(const ee_item_lists *lists, const ee_item_report *report) {
  static const char matched[] = " items matched, ", missing[] = " missing, ", extra[] = " extra";
  ee_arena *arena = lists->scorer->arena;
  char *text = ee_arena_alloc(arena, 4 * 20 + sizeof matched + sizeof missing + sizeof extra);
  char *out = ee_findings_number(text, lists->pairs);
  *out++ = '/';
  out = ee_findings_number(out, lists->pairs + lists->missing);
  out = (char *)memcpy(out, matched, sizeof matched - 1) + sizeof matched - 1;
  out = ee_findings_number(out, lists->missing);
  out = (char *)memcpy(out, missing, sizeof missing - 1) + sizeof missing - 1;
  out = ee_findings_number(out, lists->extra);
  out = (char *)memcpy(out, extra, sizeof extra - 1) + sizeof extra - 1;
  ee_str usual = {text, (size_t)(out - text)};
  const char *more = ee_item_hints_text(report, arena);
  if (report->methods != NULL && report->methods->lost > 0)
    more = ee_arena_printf(arena, "; greedy loses %.6g of the largest total similarity, %.6g%s", report->methods->lost,
                           report->methods->optimal.similarity, more);
  if (lists->scorer->context->fallbacks > 0)
    more = ee_arena_printf(arena, "; paired by greedy, since optimal would be too much work%s", more);
  if (*more == '\0') return usual;
  return ee_str_from(ee_arena_printf(arena, "%.*s%s", (int)usual.length, usual.data, more));
}

/* Judging -----------------------------------------------------------------------------------------------------------
 */

static void line_items_judge_case(const ee_judge *judge, ee_context *context, ee_judge_result *result) {
  const ee_line_items *items = judge->data;
  const ee_case *current = context->current;
  ee_arena *arena = context->arena;
  bool expected_is_list, candidate_is_list;
  const ee_value *expected = ee_item_list_find(items, current->expected, context, &expected_is_list);
  const ee_value *candidate = ee_item_list_find(items, current->candidate, context, &candidate_is_list);
  ee_findings *findings = EE_NEW(arena, ee_findings);
  ee_item_scorer *scorer = EE_NEW(arena, ee_item_scorer);
  ee_item_lists *lists = EE_NEW(arena, ee_item_lists);
  ee_item_scorer_start(scorer, judge, context, findings, NULL);
  /* Without a list to compare with, candidate items are neither right nor wrong. */
  ee_item_lists_start(lists, items, scorer, expected, expected_is_list ? candidate : NULL);
  ee_findings_start(findings, arena, lists->expected.rows);
  bool no_candidate = current->candidate_state != EE_CANDIDATE_READ;
  if (no_candidate) ee_findings_no_candidate(findings, current->candidate_state);
  if (!expected_is_list || !candidate_is_list) {
    scorer->failed = true;
    ee_findings_note(findings, items->path->text, EE_REASON_OF("not a list"));
  }
  ee_aligner other;
  /* Which items belong together is not known yet: the case is judged again, and no needless question asked now. */
  if (!ee_item_lists_align(lists, &other)) return;
  ee_item_lists_score(lists);
  ee_item_report *report = EE_NEW(arena, ee_item_report);
  result->details = report;
  set_alignment(lists, report);
  set_attributes(scorer, result);
  result->failed = scorer->failed;
  if (!no_candidate) {
    ee_aggregate_result total = score_of(scorer);
    result->score = total.score;
    result->vacuous = total.vacuous;
  }
  if (lists->compared && !no_candidate)
    result->methods = report->methods = compare_methods(lists, &other, result->score);
  ee_item_hints_find(lists, report);
  ee_findings_finish(findings, result);
  result->reasoning = no_candidate ? EE_STR("no candidate document") : reasoning(lists, report);
}

const ee_judge_type ee_line_items_judge = {
    .name = "line_items",
    .help = "Lists of objects: items are paired, then compared field by field.",
    .options = ee_line_items_options,
    .compile = ee_line_items_compile,
    .takes_path = true,
    .judge_case = line_items_judge_case,
    .write_details = ee_line_items_write_details,
    .print = ee_line_items_print,
};
