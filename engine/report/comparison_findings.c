/* comparison_findings.c: what the metrics of a comparison mean: better or worse, which fields and slices are after the
 * correction for their number, whether a margin is kept, what --fail-on says, and slices that say another thing than
 * the whole. */
#include <inttypes.h>
#include <math.h>

#include "base/memory.h"
#include "report/comparison_inside.h"

#define ID_SHOWN 40
/* Fields and slices named in a sentence. */
#define NAMED 3
/* With more changed cases chance alone makes one worse in more than 99.9 % of all comparisons. */
#define CHANGES_SAID 9

/* Significance ---------------------------------------------------------------------------------- */

static void adjust(const ee_comparison *comparison, double *p, size_t count) {
  switch (comparison->options.correction) {
  case EE_CORRECTION_HOLM: ee_holm(p, count); break;
  case EE_CORRECTION_BH: ee_benjamini_hochberg(p, count); break;
  case EE_CORRECTION_NONE: break;
  }
}

static void adjust_all(ee_comparison *comparison) {
  size_t fields = comparison->field_count, slices = comparison->slice_count;
  double *p = ee_malloc(((fields > slices ? fields : slices) + 1) * sizeof *p);
  for (size_t i = 0; i < fields; i++) p[i] = comparison->fields[i].f1.p;
  adjust(comparison, p, fields);
  for (size_t i = 0; i < fields; i++) comparison->fields[i].f1.p_adjusted = p[i];
  for (size_t i = 0; i < slices; i++) p[i] = comparison->slices[i].score.p;
  adjust(comparison, p, slices);
  for (size_t i = 0; i < slices; i++) comparison->slices[i].score.p_adjusted = p[i];
  ee_free(p);
}

size_t ee_comparison_field_family(const ee_comparison *comparison) {
  size_t count = 0;
  for (size_t i = 0; i < comparison->field_count; i++) count += isnan(comparison->fields[i].f1.p) ? 0 : 1;
  return count;
}

size_t ee_comparison_slice_family(const ee_comparison *comparison) {
  size_t count = 0;
  for (size_t i = 0; i < comparison->slice_count; i++) count += isnan(comparison->slices[i].score.p) ? 0 : 1;
  return count;
}

static int verdict_of(const ee_comparison *comparison, double change, double p) {
  /* 1 - 0.95 is a little more than 0.05. */
  if (isnan(p) || p > 1 - comparison->options.confidence - 1e-12) return 0;
  return change > EE_SCORE_SLACK ? 1 : change < -EE_SCORE_SLACK ? -1 : 0;
}

int ee_estimate_verdict(const ee_comparison *comparison, const ee_estimate *estimate) {
  return estimate->change.defined ? verdict_of(comparison, estimate->change.value, estimate->p_adjusted) : 0;
}

int ee_field_verdict(const ee_comparison *comparison, const ee_compared_field *field) {
  if (field->f1.change.defined) return ee_estimate_verdict(comparison, &field->f1);
  return field->wrong.change.defined ? verdict_of(comparison, -field->wrong.change.value, field->f1.p_adjusted) : 0;
}

static bool any_difference(const ee_comparison *comparison) {
  if (comparison->changed + comparison->fixed + comparison->broken > 0) return true;
  for (size_t i = 0; i < 3; i++)
    for (size_t k = 0; k < 3; k++)
      if (i != k && comparison->verdicts[i][k] > 0) return true;
  return ee_comparison_has_degrees(comparison);
}

static ee_finding_of_runs find(const ee_comparison *comparison) {
  if (!any_difference(comparison)) return EE_RUNS_EQUAL;
  /* As a sum over the cases: the slack then means the same for any number of them. */
  double cases = (double)comparison->case_count;
  if (comparison->score.change_range.low * cases > EE_SCORE_SLACK) return EE_RUNS_BETTER;
  if (comparison->score.change_range.high * cases < -EE_SCORE_SLACK) return EE_RUNS_WORSE;
  return EE_RUNS_UNDECIDED;
}

static void hold_margin(ee_comparison *comparison) {
  const ee_interval range = comparison->score.change_range;
  double margin = comparison->options.margin;
  if (!(margin > 0)) return;
  if (range.low > -margin) comparison->margin = EE_MARGIN_NOT_WORSE;
  if (range.high < -margin) comparison->margin = EE_MARGIN_WORSE;
  comparison->equivalent = range.low > -margin && range.high < margin;
}

/* Slices that say another thing --------------------------------------------------------------------- */

static const char *rises(double change) { return change > 0 ? "rises" : "falls"; }

ee_str ee_comparison_slice_name(const ee_comparison *comparison, const ee_compared_slice *slice, ee_arena *arena) {
  const ee_known_slice *known = &comparison->known_slices.items[slice->slice];
  return ee_str_from(ee_arena_printf(arena, "%.*s = %.*s", EE_STR_ARG(known->path), EE_STR_ARG(known->value)));
}

/* "the mean score rises, but by more than chance falls where vendor = ACME (-0.120, p 0.004 corrected)" */
static void note_worse_slices(ee_comparison *comparison) {
  ee_arena *arena = &comparison->arena;
  const char *list = "";
  size_t count = 0;
  if (comparison->finding == EE_RUNS_WORSE) return;
  for (size_t i = 0; i < comparison->slice_count; i++) {
    const ee_compared_slice *slice = &comparison->slices[i];
    if (ee_estimate_verdict(comparison, &slice->score) >= 0 || count++ >= NAMED) continue;
    list = ee_arena_printf(arena, "%s%s'%.*s' (%s, p %s corrected)", list, count > 1 ? ", " : "",
                           EE_STR_ARG(ee_comparison_slice_name(comparison, slice, arena)),
                           ee_change_text(arena, slice->score.change), ee_p_number(arena, slice->score.p_adjusted));
  }
  if (count == 0) return;
  if (count > NAMED) list = ee_arena_printf(arena, "%s and %zu more", list, count - NAMED);
  double change = comparison->score.change.value;
  const char *whole = change > EE_SCORE_SLACK    ? "rises"
                      : change < -EE_SCORE_SLACK ? "falls no more than chance"
                                                 : "stays";
  ee_comparison_add_note(
      comparison, ee_arena_printf(arena, "the mean score %s, but falls by more than chance where %s", whole, list));
}

/* The change of a slice, of the mean score or of the F1 pooled over all fields; false if it is undefined. */
static bool change_of(const ee_compared_slice *slice, bool pooled, double *change) {
  ee_metric before = slice->score.before, after = slice->score.after;
  if (pooled) {
    before = ee_f1(&slice->before);
    after = ee_f1(&slice->after);
  }
  *change = after.value - before.value;
  return slice->cases > 0 && before.defined && after.defined;
}

/* A metric that rises over all cases and falls in every value of a slice, or the reverse (Simpson 1951). The mix of
 * cases is the same in both runs, so the mean score does it only where cases have no value or several; F1 also does it
 * where a run finds more values in one slice than in another. */
static void note_reversal(ee_comparison *comparison, size_t first, size_t end, bool pooled, double whole) {
  ee_arena *arena = &comparison->arena;
  size_t against = 0;
  if (fabs(whole) <= EE_SCORE_SLACK) return;
  for (size_t i = first; i < end; i++) {
    double change;
    if (!change_of(&comparison->slices[i], pooled, &change) || fabs(change) <= EE_SCORE_SLACK) continue;
    if ((change > 0) == (whole > 0)) return;
    against++;
  }
  if (against < 2) return;
  ee_comparison_add_note(
      comparison,
      ee_arena_printf(
          arena, "%s %s over all cases (%s), but %s in each of the %zu values of '%.*s' in which it changes: %s",
          pooled ? "F1 of all fields" : "the mean score", rises(whole), ee_change_text(arena, (ee_metric){true, whole}),
          rises(-whole), against, EE_STR_ARG(comparison->known_slices.items[comparison->slices[first].slice].path),
          pooled ? "the runs found different shares of their values in them (Simpson's reversal)"
                 : "what rises or falls are cases without a value or with several"));
}

static double pooled_change(const ee_comparison *comparison) {
  ee_counts before = {0}, after = {0};
  for (size_t i = 0; i < comparison->field_count; i++) {
    const ee_compared_field *field = &comparison->fields[i];
    if (comparison->known_attributes.items[field->attribute].derived) continue;
    ee_counts_add(&before, &field->before);
    ee_counts_add(&after, &field->after);
  }
  return ee_f1(&after).value - ee_f1(&before).value;
}

static ee_str path_of(const ee_comparison *comparison, size_t slice) {
  return comparison->known_slices.items[comparison->slices[slice].slice].path;
}

static void note_reversals(ee_comparison *comparison) {
  size_t count = comparison->slice_count;
  for (size_t first = 0; first < count;) {
    size_t end = first + 1;
    while (end < count && ee_str_equal(path_of(comparison, end), path_of(comparison, first))) end++;
    note_reversal(comparison, first, end, false, comparison->score.change.value);
    note_reversal(comparison, first, end, true, pooled_change(comparison));
    first = end;
  }
}

static void note_other_cases(ee_comparison *comparison) {
  ee_arena *arena = &comparison->arena;
  if (comparison->lone[EE_SIDE_BASE] + comparison->lone[EE_SIDE_NEW] == 0) return;
  double before = ee_sample_mean(&comparison->row_scores[EE_SIDE_BASE]),
         after = ee_sample_mean(&comparison->row_scores[EE_SIDE_NEW]);
  double whole = after - before, common = comparison->score.change.value;
  if (fabs(whole) <= EE_SCORE_SLACK || fabs(common) <= EE_SCORE_SLACK || (whole > 0) == (common > 0)) return;
  ee_comparison_add_note(
      comparison,
      ee_arena_printf(arena,
                      "the mean score %s over all rows of each run (%s to %s), but %s over the cases that both "
                      "have: the runs differ in which cases they have (Simpson's reversal)",
                      rises(whole), ee_comparison_share(arena, (ee_metric){true, before}),
                      ee_comparison_share(arena, (ee_metric){true, after}), rises(common)));
}

/* Failing --------------------------------------------------------------------------------------- */

/* The first case that is worse. */
static const char *first_worse(const ee_comparison *comparison, ee_arena *arena) {
  size_t *order, count = ee_comparison_worse(comparison, arena, &order);
  if (count > 0) {
    ee_str id = comparison->cases[order[0]].base->id;
    return ee_arena_printf(arena, " (first: case '%.*s')", (int)ee_utf8_cut(id, ID_SHOWN), id.data);
  }
  return "";
}

/* If the sign of each change were a coin's, some of k cases get worse with probability 1 - 2^-k. */
static const char *chance_of_any(const ee_comparison *comparison, ee_arena *arena) {
  uint64_t changed = comparison->worse[0] + comparison->better[0];
  const char *share = changed > CHANGES_SAID
                          ? "more than 99.9 %"
                          : ee_arena_printf(arena, "%.*f %%", changed < 3 ? 0 : 1, 100 * (1 - ldexp(1, -(int)changed)));
  return ee_arena_printf(arena,
                         "; where %" PRIu64
                         " case%s, chance alone makes at least one worse in %s of comparisons (--fail-on "
                         "significant, field or margin fail on more than chance)",
                         changed, changed == 1 ? " changes" : "s change", share);
}

static const char *reason_of_any(const ee_comparison *comparison, ee_arena *arena) {
  const struct {
    uint64_t count;
    const char *one, *many;
  } parts[] = {{comparison->outcomes[EE_OUTCOME_LOSS], "case lost", "cases lost"},
               {comparison->pass_broken, "no longer passes", "no longer pass"},
               {comparison->broken, "field broken", "fields broken"}};
  const char *text = NULL;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    if (parts[i].count == 0) continue;
    text = ee_arena_printf(arena, "%s%s%" PRIu64 " %s", text != NULL ? text : "", text != NULL ? ", " : "",
                           parts[i].count, parts[i].count == 1 ? parts[i].one : parts[i].many);
  }
  if (text == NULL) return NULL;
  return ee_arena_printf(arena, "%s%s%s", text, first_worse(comparison, arena), chance_of_any(comparison, arena));
}

static const char *reason_of_mean(const ee_comparison *comparison, ee_arena *arena) {
  const ee_estimate *score = &comparison->score;
  /* Rounding adds up to less than that over many cases. */
  if (!(score->change.value * (double)comparison->case_count < -EE_SCORE_SLACK)) return NULL;
  return ee_arena_printf(arena, "the mean score fell by %s, from %s to %s",
                         ee_comparison_share(arena, (ee_metric){true, -score->change.value}),
                         ee_comparison_share(arena, score->before), ee_comparison_share(arena, score->after));
}

static const char *reason_of_significance(const ee_comparison *comparison, ee_arena *arena) {
  if (comparison->finding != EE_RUNS_WORSE) return NULL;
  const ee_estimate *score = &comparison->score;
  return ee_arena_printf(arena, "the mean score fell by %s, more than chance explains (%s interval: %s to %s)",
                         ee_comparison_share(arena, (ee_metric){true, -score->change.value}),
                         ee_confidence_text(arena, comparison->options.confidence),
                         ee_comparison_share(arena, (ee_metric){true, -score->change_range.high}),
                         ee_comparison_share(arena, (ee_metric){true, -score->change_range.low}));
}

static const char *correction_text(ee_p_correction correction) {
  static const char *const texts[] = {[EE_CORRECTION_HOLM] = "Holm's correction for",
                                      [EE_CORRECTION_BH] = "Benjamini and Hochberg's correction for",
                                      [EE_CORRECTION_NONE] = "no correction for"};
  return texts[correction];
}

static const char *reason_of_field(const ee_comparison *comparison, ee_arena *arena) {
  const char *list = "";
  size_t count = 0;
  for (size_t i = 0; i < comparison->field_count; i++) {
    const ee_compared_field *field = &comparison->fields[i];
    if (ee_field_verdict(comparison, field) >= 0 || count++ >= NAMED) continue;
    ee_str name = ee_comparison_field_name(comparison, field->attribute, arena);
    list = ee_arena_printf(arena, "%s%s'%.*s' (%s, p %s)", list, count > 1 ? ", " : "", EE_STR_ARG(name),
                           field->f1.change.defined
                               ? ee_arena_printf(arena, "F1 %s", ee_change_text(arena, field->f1.change))
                               : ee_arena_printf(arena, "wrong %s", ee_change_text(arena, field->wrong.change)),
                           ee_p_number(arena, field->f1.p_adjusted));
  }
  if (count == 0) return NULL;
  if (count > NAMED) list = ee_arena_printf(arena, "%s and %zu more", list, count - NAMED);
  return ee_arena_printf(arena, "%zu field%s worse by more than chance: %s, after %s %zu fields", count,
                         count == 1 ? " is" : "s are", list, correction_text(comparison->options.correction),
                         ee_comparison_field_family(comparison));
}

static const char *reason_of_margin(const ee_comparison *comparison, ee_arena *arena) {
  if (comparison->margin == EE_MARGIN_NOT_WORSE) return NULL;
  return ee_arena_printf(arena, "%s by more than %g: the mean score changed by %s, %s interval %s",
                         comparison->margin == EE_MARGIN_WORSE ? "worse" : "it is undecided whether it is worse",
                         comparison->options.margin, ee_change_text(arena, comparison->score.change),
                         ee_confidence_text(arena, comparison->options.confidence),
                         ee_change_range_text(arena, comparison->score.change_range));
}

const char *ee_fail_on_name(ee_fail_on fail_on) {
  static const char *const names[] = {[EE_FAIL_ON_NOTHING] = "",    [EE_FAIL_ON_ANY] = "any",
                                      [EE_FAIL_ON_MEAN] = "mean",   [EE_FAIL_ON_SIGNIFICANT] = "significant",
                                      [EE_FAIL_ON_FIELD] = "field", [EE_FAIL_ON_MARGIN] = "margin"};
  return names[fail_on];
}

const char *ee_p_correction_name(ee_p_correction correction) {
  static const char *const names[] = {
      [EE_CORRECTION_HOLM] = "holm", [EE_CORRECTION_BH] = "bh", [EE_CORRECTION_NONE] = "none"};
  return names[correction];
}

static const char *reason_of(const ee_comparison *comparison, ee_arena *arena) {
  switch (comparison->options.fail_on) {
  case EE_FAIL_ON_NOTHING: break;
  case EE_FAIL_ON_ANY: return reason_of_any(comparison, arena);
  case EE_FAIL_ON_MEAN: return reason_of_mean(comparison, arena);
  case EE_FAIL_ON_SIGNIFICANT: return reason_of_significance(comparison, arena);
  case EE_FAIL_ON_FIELD: return reason_of_field(comparison, arena);
  case EE_FAIL_ON_MARGIN: return reason_of_margin(comparison, arena);
  }
  return NULL;
}

bool ee_comparison_fails(const ee_comparison *comparison, const char **reason) {
  *reason = comparison->failure;
  return comparison->failure != NULL;
}

void ee_comparison_decide(ee_comparison *comparison) {
  adjust_all(comparison);
  comparison->finding = find(comparison);
  hold_margin(comparison);
  note_worse_slices(comparison);
  note_reversals(comparison);
  note_other_cases(comparison);
  comparison->failure = reason_of(comparison, &comparison->arena);
}
