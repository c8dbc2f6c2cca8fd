/* comparison_words.c: names, numbers and orders in which people read a comparison. */
#include <math.h>

#include "prim/sort.h"
#include "report/comparison_parts.h"

/* Names and numbers ---------------------------------------------------------------------------- */

const char *ee_comparison_share(ee_arena *arena, ee_metric metric) {
  ee_layout layout = {.arena = arena};
  return ee_cell_metric(&layout, metric, EE_INK_PLAIN).text.data;
}

const char *ee_comparison_signed(ee_arena *arena, ee_metric metric) {
  double size = fabs(metric.value);
  if (!metric.defined) return "-";
  if (size <= EE_SCORE_SLACK) return "0.000";
  if (size >= 1e6) return ee_arena_printf(arena, "%+.3g", metric.value);
  if (size >= 1) return ee_arena_printf(arena, "%+.3f", metric.value);
  if (size < 1e-5) return ee_arena_printf(arena, "%+.0e", metric.value);
  if (size < 0.0005) return ee_arena_printf(arena, "%+.*f", (int)ceil(-log10(size)), metric.value);
  return ee_arena_printf(arena, "%c%s", metric.value < 0 ? '-' : '+',
                         ee_comparison_share(arena, (ee_metric){true, size}));
}

const char *ee_comparison_range(ee_arena *arena, ee_interval interval) {
  if (isnan(interval.low)) return "-";
  return ee_arena_printf(arena, "[%s, %s]", ee_comparison_share(arena, (ee_metric){true, interval.low}),
                         ee_comparison_share(arena, (ee_metric){true, interval.high}));
}

const char *ee_comparison_signed_range(ee_arena *arena, ee_interval interval) {
  if (isnan(interval.low)) return "-";
  return ee_arena_printf(arena, "[%s, %s]", ee_comparison_signed(arena, (ee_metric){true, interval.low}),
                         ee_comparison_signed(arena, (ee_metric){true, interval.high}));
}

const char *ee_comparison_p(ee_arena *arena, double p) {
  if (p < 0.001) return "p < 0.001";
  return ee_arena_printf(arena, "p %s", ee_comparison_share(arena, (ee_metric){true, p}));
}

size_t ee_comparison_figures(const ee_comparison *comparison, ee_arena *arena, ee_compared_figure **rows) {
  const uint64_t count = comparison->case_count;
  ee_compared_figure *list = EE_NEW_ARRAY(arena, ee_compared_figure, 2 + 3 * comparison->judge_count);
  size_t used = 0;
  list[used++] = (ee_compared_figure){.what = "mean score", .values = comparison->score};
  ee_estimate pass = {.before = {true, (double)comparison->passed[EE_SIDE_BASE] / (double)count},
                      .after = {true, (double)comparison->passed[EE_SIDE_NEW] / (double)count},
                      .before_range = ee_wilson(comparison->passed[EE_SIDE_BASE], count),
                      .after_range = ee_wilson(comparison->passed[EE_SIDE_NEW], count),
                      .change_range = {NAN, NAN}};
  pass.change = (ee_metric){true, pass.after.value - pass.before.value};
  list[used++] = (ee_compared_figure){.what = "pass rate", .values = pass};
  for (size_t i = 0; i < comparison->judge_count; i++) {
    const ee_compared_judge *judge = &comparison->judges[i];
    ee_str name = comparison->known_judges.items[judge->judge].name;
    const ee_metric *score = judge->score;
    if (comparison->judge_count > 1 && score[EE_SIDE_BASE].defined)
      list[used++] = (ee_compared_figure){name, "score",
                                          (ee_estimate){score[EE_SIDE_BASE],
                                                        score[EE_SIDE_NEW],
                                                        {true, score[EE_SIDE_NEW].value - score[EE_SIDE_BASE].value},
                                                        {NAN, NAN},
                                                        {NAN, NAN},
                                                        {NAN, NAN}}};
    if (!judge->any_counts) continue;
    list[used++] = (ee_compared_figure){name, "micro F1", judge->micro};
    list[used++] = (ee_compared_figure){name, "macro F1", judge->macro};
  }
  *rows = list;
  return used;
}

const char *ee_comparison_finding(const ee_comparison *comparison) {
  static const char *const words[] = {[EE_RUNS_EQUAL] = "no difference",
                                      [EE_RUNS_BETTER] = "better",
                                      [EE_RUNS_WORSE] = "worse",
                                      [EE_RUNS_UNDECIDED] = "no evidence of a difference"};
  return words[comparison->finding];
}

const char *ee_comparison_excuse(const ee_comparison *comparison, ee_arena *arena) {
  uint64_t changed = comparison->changed;
  if (comparison->finding != EE_RUNS_UNDECIDED || changed >= EE_FEWEST_CHANGES) return "";
  if (changed == 0) return " (no score differs)";
  return ee_arena_printf(arena, " (only %d score%s)", (int)changed, changed == 1 ? " differs" : "s differ");
}

static bool lost_pass(const ee_compared_case *item) {
  return item->base->verdict == EE_VERDICT_PASS && item->fresh->verdict != EE_VERDICT_PASS;
}

static bool won_pass(const ee_compared_case *item) {
  return item->base->verdict != EE_VERDICT_PASS && item->fresh->verdict == EE_VERDICT_PASS;
}

static bool is_worse(const ee_compared_case *item) {
  if (item->outcome == EE_OUTCOME_TIE) return item->broken > 0 || lost_pass(item);
  return item->outcome == EE_OUTCOME_LOSS;
}

static bool is_better(const ee_compared_case *item) {
  if (is_worse(item)) return false;
  return item->outcome == EE_OUTCOME_WIN || item->fixed > 0 || won_pass(item);
}

/* A case in a list: what it lost comes first, and stands in the order of the base where that is equal. */
typedef struct ranked {
  double loss;
  int64_t fields; /* broken, less those fixed */
  size_t number;
} ranked;

static bool ranked_before(const ranked *a, const ranked *b) {
  if (a->loss != b->loss) return a->loss > b->loss;
  return a->fields > b->fields;
}
EE_DEFINE_SORT(sort_ranked, ranked, ranked_before)

/* `sign` 1: what was lost; -1: what was won. */
static size_t rank_cases(const ee_comparison *comparison, bool (*wanted)(const ee_compared_case *), int sign,
                         ee_arena *arena, size_t **order) {
  ranked *list = EE_NEW_ARRAY(arena, ranked, comparison->case_count + 1);
  size_t count = 0;
  for (size_t i = 0; i < comparison->case_count; i++) {
    const ee_compared_case *item = &comparison->cases[i];
    if (!wanted(item)) continue;
    double loss = fabs(item->delta) <= EE_SCORE_SLACK ? 0 : -item->delta;
    list[count++] = (ranked){sign * loss, sign * ((int64_t)item->broken - (int64_t)item->fixed), i};
  }
  sort_ranked(list, count, arena);
  *order = EE_NEW_ARRAY(arena, size_t, count + 1);
  for (size_t i = 0; i < count; i++) (*order)[i] = list[i].number;
  return count;
}

size_t ee_comparison_worse(const ee_comparison *comparison, ee_arena *arena, size_t **order) {
  return rank_cases(comparison, is_worse, 1, arena, order);
}

size_t ee_comparison_better(const ee_comparison *comparison, ee_arena *arena, size_t **order) {
  return rank_cases(comparison, is_better, -1, arena, order);
}

size_t ee_comparison_ties(const ee_comparison *comparison, const size_t *order, size_t count) {
  size_t ties = 0;
  for (size_t i = 0; i < count; i++) ties += comparison->cases[order[i]].outcome == EE_OUTCOME_TIE;
  return ties;
}

bool ee_comparison_has_degrees(const ee_comparison *comparison) {
  for (size_t i = 0; i < comparison->field_count; i++)
    if (comparison->fields[i].fewer + comparison->fields[i].more > 0) return true;
  return false;
}

size_t ee_comparison_rank_fields(const ee_comparison *comparison, ee_arena *arena, size_t **order) {
  ranked *list = EE_NEW_ARRAY(arena, ranked, comparison->field_count + 1);
  size_t count = 0;
  for (size_t i = 0; i < comparison->field_count; i++) {
    const ee_compared_field *field = &comparison->fields[i];
    if (field->fixed + field->broken + field->fewer + field->more == 0) continue;
    list[count++] = (ranked){(double)field->broken - (double)field->fixed,
                             (int64_t)(field->broken + field->more) - (int64_t)field->fewer, i};
  }
  sort_ranked(list, count, arena);
  *order = EE_NEW_ARRAY(arena, size_t, count + 1);
  for (size_t i = 0; i < count; i++) (*order)[i] = list[i].number;
  return count;
}

ee_str ee_comparison_field_name(const ee_comparison *comparison, const ee_compared_field *field, ee_arena *arena) {
  ee_str judge = comparison->known_judges.items[field->judge].name;
  ee_str attribute = comparison->known_attributes.items[field->attribute].name;
  if (attribute.length == 0) attribute = EE_STR("\"\"");
  if (!comparison->several_judges) return attribute;
  size_t length = judge.length + 2 + attribute.length;
  char *text = ee_arena_alloc(arena, length);
  memcpy(text, judge.data, judge.length);
  memcpy(text + judge.length, ": ", 2);
  memcpy(text + judge.length + 2, attribute.data, attribute.length);
  return (ee_str){text, length};
}

size_t ee_comparison_shown(const ee_comparison *comparison, size_t count) {
  size_t shown = comparison->options.shown;
  return shown > 0 && shown < count ? shown : count;
}

/* What happened to a case ---------------------------------------------------------------------- */

static void add_names(const ee_comparison *comparison, const ee_compared_case *item, bool broken, const char *word,
                      ee_name_writer *write, ee_arena *arena, ee_buffer *out) {
  size_t count = broken ? item->broken : item->fixed, shown = 0;
  if (count == 0) return;
  ee_buffer_addf(out, "%s%s ", out->length > 0 ? "; " : "", word);
  for (size_t i = 0; i < item->fixed + item->broken && shown < EE_CHANGES_SHOWN; i++) {
    const ee_change *change = &comparison->changes.items[item->first_change + i];
    if (change->broken != broken) continue;
    if (shown++ > 0) ee_buffer_add_text(out, ", ");
    ee_buffer_add_str(out,
                      write(arena, ee_comparison_field_name(comparison, &comparison->fields[change->field], arena)));
  }
  if (shown < count) ee_buffer_addf(out, " and %zu more", count - shown);
}

ee_str ee_comparison_changes(const ee_comparison *comparison, const ee_compared_case *item, ee_name_writer *write,
                             ee_arena *arena) {
  ee_buffer text;
  ee_buffer_init(&text);
  if (item->base->verdict != item->fresh->verdict)
    ee_buffer_addf(&text, "%s \xe2\x86\x92 %s", ee_verdict_name(item->base->verdict),
                   ee_verdict_name(item->fresh->verdict));
  add_names(comparison, item, true, "broken", write, arena, &text);
  add_names(comparison, item, false, "fixed", write, arena, &text);
  ee_str copy = {ee_arena_copy(arena, text.data != NULL ? text.data : "", text.length), text.length};
  ee_buffer_fini(&text);
  return copy;
}
