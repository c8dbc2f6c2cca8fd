/* comparison.c: joining two runs, what becomes of each case, and what to tell of it. */
#include "report/comparison.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "prim/stats.h"
#include "report/comparison_parts.h"

/* Ids that are named in a message, and bytes of each. */
#define IDS_NAMED 3
#define ID_SHOWN 40
/* Judges and fields named in a note. */
#define NAMES_NOTED 5
/* Longer names of runs would drive out of a message what matters. */
#define NAME_SHOWN 60

const char *ee_comparison_name(const ee_comparison *comparison, ee_side side) {
  const char *name = comparison->options.names[side];
  return name != NULL ? name : side == EE_SIDE_BASE ? "base" : "new";
}

/* Joining -------------------------------------------------------------------------------------- */

/* Texts of the data that a sentence names: the first ones in full, of all others that there are some. */
typedef struct naming {
  ee_arena *arena;
  ee_buffer text;
  uint64_t count;
  size_t most;
} naming;

static void name_one(naming *names, ee_str text) {
  if (names->count++ >= names->most) return;
  int length = (int)ee_utf8_cut(text, ID_SHOWN);
  ee_buffer_addf(&names->text, "%s'%.*s%s'", names->count > 1 ? ", " : "", length, text.data,
                 (size_t)length < text.length ? "..." : "");
}

static const char *names_of(naming *names) {
  if (names->count > names->most) ee_buffer_add_text(&names->text, ", ...");
  const char *text = ee_arena_printf(names->arena, "%s", ee_buffer_terminate(&names->text));
  ee_buffer_fini(&names->text);
  return text;
}

static const char *plural(uint64_t count) { return count == 1 ? "" : "s"; }

static const char *short_name(ee_comparison *comparison, ee_side side) {
  const char *name = ee_comparison_name(comparison, side);
  if (comparison->options.names[side] != NULL && strlen(name) <= NAME_SHOWN)
    return ee_arena_printf(&comparison->arena, "'%s'", name);
  return side == EE_SIDE_BASE ? "the base" : "the new run";
}

static bool has_other_expected(const ee_compared_case *item) {
  return item->base->has_hash && item->fresh->has_hash && item->base->expected_hash != item->fresh->expected_hash;
}

static void join(ee_comparison *comparison) {
  const ee_run_rows *base = &comparison->runs[EE_SIDE_BASE], *fresh = &comparison->runs[EE_SIDE_NEW];
  comparison->cases = ee_calloc(base->row_count + 1, sizeof *comparison->cases);
  for (size_t i = 0; i < base->row_count; i++) {
    uint32_t partner = ee_run_find(fresh, base->rows[i].id);
    if (partner == EE_NO_NUMBER) continue;
    ee_compared_case *item = &comparison->cases[comparison->case_count++];
    *item = (ee_compared_case){.base = &base->rows[i], .fresh = &fresh->rows[partner]};
    comparison->other_expected += has_other_expected(item);
    comparison->on_trust += !item->base->has_hash || !item->fresh->has_hash;
  }
  comparison->lone[EE_SIDE_BASE] = base->row_count - comparison->case_count;
  comparison->lone[EE_SIDE_NEW] = fresh->row_count - comparison->case_count;
}

/* "2 ids are only in 'base.jsonl' ('a', 'b')" */
static const char *tell_lone_ids(ee_comparison *comparison, ee_side side) {
  const ee_run_rows *run = &comparison->runs[side], *other = &comparison->runs[!side];
  uint64_t count = comparison->lone[side];
  naming names = {.arena = &comparison->arena, .most = IDS_NAMED};
  for (size_t i = 0; i < run->row_count && names.count <= names.most; i++)
    if (ee_run_find(other, run->rows[i].id) == EE_NO_NUMBER) name_one(&names, run->rows[i].id);
  return ee_arena_printf(&comparison->arena, "%" PRIu64 " id%s only in %s (%s)", count, count == 1 ? " is" : "s are",
                         short_name(comparison, side), names_of(&names));
}

static const char *tell_other_expected(ee_comparison *comparison) {
  uint64_t count = comparison->other_expected;
  naming names = {.arena = &comparison->arena, .most = IDS_NAMED};
  for (size_t i = 0; i < comparison->case_count && names.count <= names.most; i++)
    if (has_other_expected(&comparison->cases[i])) name_one(&names, comparison->cases[i].base->id);
  return ee_arena_printf(&comparison->arena, "%" PRIu64 " id%s other expected values (%s)", count,
                         count == 1 ? " has" : "s have", names_of(&names));
}

/* The parts of what differs between the data sets, at most three. */
static size_t tell_differences(ee_comparison *comparison, const char *parts[3]) {
  size_t count = 0;
  for (int side = EE_SIDE_BASE; side <= EE_SIDE_NEW; side++)
    if (comparison->lone[side] > 0) parts[count++] = tell_lone_ids(comparison, (ee_side)side);
  if (comparison->other_expected > 0) parts[count++] = tell_other_expected(comparison);
  return count;
}

static ee_status check_rows(ee_comparison *comparison, ee_error *error) {
  for (int side = EE_SIDE_BASE; side <= EE_SIDE_NEW; side++)
    if (comparison->runs[side].row_count == 0)
      return ee_error_set(error, EE_ERROR_DATA, "no results in %s (an evaluation writes them with --results)",
                          short_name(comparison, (ee_side)side));
  return EE_OK;
}

static ee_status check_data(ee_comparison *comparison, ee_error *error) {
  const char *parts[3], *base = short_name(comparison, EE_SIDE_BASE), *fresh = short_name(comparison, EE_SIDE_NEW);
  size_t count = tell_differences(comparison, parts);
  if (comparison->case_count == 0)
    return ee_error_set(error, EE_ERROR_DATA, "%s and %s have no id in common: %s, %s", base, fresh, parts[0],
                        parts[1]);
  if (count == 0 || comparison->options.common) return EE_OK;
  bool single = comparison->case_count == 1;
  return ee_error_set(
      error, EE_ERROR_DATA,
      "%s and %s are not over the same data: %s%s%s%s%s (--common compares the %s%s that both have)", base, fresh,
      parts[0], count > 1 ? ", " : "", count > 1 ? parts[1] : "", count > 2 ? ", " : "", count > 2 ? parts[2] : "",
      single ? "" : ee_arena_printf(&comparison->arena, "%zu ", comparison->case_count), single ? "case" : "cases");
}

/* Cases ---------------------------------------------------------------------------------------- */

/* A difference of 0.3 and 0.2 reaches a threshold of 0.1, though not as doubles. */
static ee_outcome outcome_of(double delta, double threshold) {
  double size = fabs(delta);
  if (size <= EE_SCORE_SLACK || size < threshold - EE_SCORE_SLACK) return EE_OUTCOME_TIE;
  return delta > 0 ? EE_OUTCOME_WIN : EE_OUTCOME_LOSS;
}

static ee_metric gain_of(double base, double delta) {
  if (base >= 1 - EE_SCORE_SLACK) return (ee_metric){false, 0};
  return (ee_metric){true, delta / (1 - base)};
}

static void judge_cases(ee_comparison *comparison) {
  ee_fixed gains = {0};
  for (size_t i = 0; i < comparison->case_count; i++) {
    ee_compared_case *item = &comparison->cases[i];
    ee_verdict before = item->base->verdict, after = item->fresh->verdict;
    item->delta = item->fresh->score - item->base->score;
    item->outcome = outcome_of(item->delta, comparison->options.threshold);
    item->gain = gain_of(item->base->score, item->delta);
    comparison->outcomes[item->outcome]++;
    comparison->changed += fabs(item->delta) > EE_SCORE_SLACK;
    comparison->verdicts[before][after]++;
    comparison->passed[EE_SIDE_BASE] += before == EE_VERDICT_PASS;
    comparison->passed[EE_SIDE_NEW] += after == EE_VERDICT_PASS;
    comparison->pass_fixed += before != EE_VERDICT_PASS && after == EE_VERDICT_PASS;
    comparison->pass_broken += before == EE_VERDICT_PASS && after != EE_VERDICT_PASS;
    if (!item->gain.defined) continue;
    ee_fixed_add(&gains, ee_fixed_from(item->gain.value));
    comparison->gains++;
  }
  if (comparison->gains > 0) comparison->gain = (ee_metric){true, ee_fixed_mean(gains, comparison->gains)};
  comparison->pass_p = ee_mcnemar_exact(comparison->pass_fixed, comparison->pass_broken);
}

/* Notes ---------------------------------------------------------------------------------------- */

static void add_note(ee_comparison *comparison, const char *text) {
  comparison->notes = ee_comparison_grow(comparison->notes, &comparison->note_capacity, comparison->note_count + 1,
                                         sizeof *comparison->notes);
  comparison->notes[comparison->note_count++] = text;
}

const char *ee_comparison_note(const ee_comparison *comparison, size_t number) {
  return number < comparison->note_count ? comparison->notes[number] : NULL;
}

static void note_lines(ee_comparison *comparison, ee_side side) {
  const ee_run_rows *run = &comparison->runs[side];
  const char *name = short_name(comparison, side);
  if (run->unreadable > 0)
    add_note(comparison, ee_arena_printf(&comparison->arena, "%s: %" PRIu64 " line%s could not be read", name,
                                         run->unreadable, plural(run->unreadable)));
  if (run->duplicates > 0)
    add_note(comparison, ee_arena_printf(&comparison->arena, "%s: %" PRIu64 " line%s with an id seen before left out",
                                         name, run->duplicates, plural(run->duplicates)));
}

static bool is_compared(const ee_comparison *comparison, uint32_t judge) {
  for (size_t i = 0; i < comparison->judge_count; i++)
    if (comparison->judges[i].judge == judge) return true;
  return false;
}

/* Of a judge that the cases do not have on both sides. */
static void note_lone_judges(ee_comparison *comparison, ee_side side) {
  bool *seen = ee_calloc(comparison->known_judge_count + 1, sizeof *seen);
  const ee_run_rows *run = &comparison->runs[side];
  for (size_t i = 0; i < comparison->case_count; i++) {
    const ee_run_row *row = side == EE_SIDE_BASE ? comparison->cases[i].base : comparison->cases[i].fresh;
    for (uint32_t k = 0; k < row->judge_count; k++) seen[run->judges[row->first_judge + k].judge] = true;
  }
  naming names = {.arena = &comparison->arena, .most = NAMES_NOTED};
  for (uint32_t judge = 0; judge < comparison->known_judge_count; judge++)
    if (seen[judge] && !is_compared(comparison, judge)) name_one(&names, comparison->known_judges[judge].name);
  free(seen);
  const char *list = names_of(&names);
  if (names.count == 0) return;
  add_note(comparison,
           ee_arena_printf(&comparison->arena, "%" PRIu64 " judge%s only in %s, and not compared: %s", names.count,
                           names.count == 1 ? " is" : "s are", short_name(comparison, side), list));
}

static void note_missing_judges(ee_comparison *comparison) {
  for (size_t i = 0; i < comparison->judge_count; i++) {
    const ee_compared_judge *judge = &comparison->judges[i];
    ee_str name = comparison->known_judges[judge->judge].name;
    for (int side = EE_SIDE_BASE; side <= EE_SIDE_NEW; side++) {
      uint64_t count = judge->without[side];
      if (count == 0) continue;
      add_note(comparison,
               ee_arena_printf(&comparison->arena,
                               "judge '%.*s' is missing in %" PRIu64 " case%s of %s, left out of its figures",
                               (int)ee_utf8_cut(name, ID_SHOWN), name.data, count, plural(count),
                               short_name(comparison, (ee_side)side)));
    }
  }
}

static void note_lone_fields(ee_comparison *comparison, ee_side side) {
  naming names = {.arena = &comparison->arena, .most = NAMES_NOTED};
  for (size_t i = 0; i < comparison->lone_field_count; i++) {
    if (comparison->lone_fields[i].side != side) continue;
    ee_compared_field field = {.attribute = comparison->lone_fields[i].attribute};
    field.judge = comparison->known_attributes[field.attribute].judge;
    name_one(&names, ee_comparison_field_name(comparison, &field, &comparison->arena));
  }
  const char *list = names_of(&names);
  if (names.count == 0) return;
  add_note(comparison,
           ee_arena_printf(&comparison->arena, "%" PRIu64 " field%s only in %s, and in no figure: %s", names.count,
                           names.count == 1 ? " is" : "s are", short_name(comparison, side), list));
}

static void add_notes(ee_comparison *comparison) {
  const char *parts[3];
  size_t count = tell_differences(comparison, parts);
  for (size_t i = 0; i < count; i++) add_note(comparison, parts[i]);
  if (comparison->on_trust > 0)
    add_note(comparison, ee_arena_printf(&comparison->arena,
                                         "%" PRIu64 " case%s no expected_hash on both sides: the same data, on trust",
                                         comparison->on_trust, comparison->on_trust == 1 ? " has" : "s have"));
  for (int side = EE_SIDE_BASE; side <= EE_SIDE_NEW; side++) {
    note_lines(comparison, (ee_side)side);
    note_lone_judges(comparison, (ee_side)side);
    note_lone_fields(comparison, (ee_side)side);
  }
  note_missing_judges(comparison);
  if (comparison->left_out.data != NULL)
    add_note(comparison,
             ee_arena_printf(&comparison->arena, "judges beyond the first %d are not compared (first: '%.*s')",
                             EE_COMPARED_JUDGES, (int)ee_utf8_cut(comparison->left_out, ID_SHOWN),
                             comparison->left_out.data));
}

/* Failing -------------------------------------------------------------------------------------- */

/* The first case that is worse; the names of the judges decide nothing here. */
static const char *first_worse(const ee_comparison *comparison, ee_arena *arena) {
  size_t *order, count = ee_comparison_worse(comparison, arena, &order);
  if (count > 0) {
    ee_str id = comparison->cases[order[0]].base->id;
    return ee_arena_printf(arena, " (first: case '%.*s')", (int)ee_utf8_cut(id, ID_SHOWN), id.data);
  }
  return "";
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
  return text != NULL ? ee_arena_printf(arena, "%s%s", text, first_worse(comparison, arena)) : NULL;
}

static const char *reason_of_mean(const ee_comparison *comparison, ee_arena *arena) {
  const ee_estimate *score = &comparison->score;
  /* Of many cases, rounding adds up to less than that. */
  if (!(score->change.value * (double)comparison->case_count < -EE_SCORE_SLACK)) return NULL;
  return ee_arena_printf(arena, "the mean score fell by %s, from %s to %s",
                         ee_comparison_share(arena, (ee_metric){true, -score->change.value}),
                         ee_comparison_share(arena, score->before), ee_comparison_share(arena, score->after));
}

static const char *reason_of_significance(const ee_comparison *comparison, ee_arena *arena) {
  if (comparison->finding != EE_RUNS_WORSE) return NULL;
  const ee_estimate *score = &comparison->score;
  return ee_arena_printf(arena, "the mean score fell by %s, more than chance explains (95 %%: by %s to %s)",
                         ee_comparison_share(arena, (ee_metric){true, -score->change.value}),
                         ee_comparison_share(arena, (ee_metric){true, -score->change_range.high}),
                         ee_comparison_share(arena, (ee_metric){true, -score->change_range.low}));
}

const char *ee_fail_on_name(ee_fail_on fail_on) {
  static const char *const names[] = {[EE_FAIL_ON_NOTHING] = "",
                                      [EE_FAIL_ON_ANY] = "any",
                                      [EE_FAIL_ON_MEAN] = "mean",
                                      [EE_FAIL_ON_SIGNIFICANT] = "significant"};
  return names[fail_on];
}

static const char *reason_of(const ee_comparison *comparison, ee_arena *arena) {
  switch (comparison->options.fail_on) {
  case EE_FAIL_ON_NOTHING: break;
  case EE_FAIL_ON_ANY: return reason_of_any(comparison, arena);
  case EE_FAIL_ON_MEAN: return reason_of_mean(comparison, arena);
  case EE_FAIL_ON_SIGNIFICANT: return reason_of_significance(comparison, arena);
  }
  return NULL;
}

bool ee_comparison_fails(const ee_comparison *comparison, const char **reason) {
  *reason = comparison->failure;
  return comparison->failure != NULL;
}

/* Everything ----------------------------------------------------------------------------------- */

ee_status ee_comparison_finish(ee_comparison *comparison, ee_error *error) {
  ee_status status = check_rows(comparison, error);
  if (status != EE_OK) return status;
  join(comparison);
  status = check_data(comparison, error);
  if (status != EE_OK) return status;
  judge_cases(comparison);
  ee_comparison_compare_fields(comparison);
  ee_comparison_estimate(comparison);
  add_notes(comparison);
  comparison->failure = reason_of(comparison, &comparison->arena);
  return EE_OK;
}
