/* comparison_notes.c: whether two runs can be compared, and what a reader must know to trust the metrics. */
#include <inttypes.h>

#include "report/comparison_inside.h"
#include "report/comparison_state.h"

/* Bytes of an id that is named. */
#define ID_SHOWN 40
/* Judges and fields named in a note. */
#define NAMES_NOTED 5
/* A run with a longer name is called "the base" or "the new run" in messages. */
#define NAME_SHOWN 60

/* Names ----------------------------------------------------------------------------------------- */

/* The texts of the data in a sentence: the first `max` of them, then "...". */
typedef struct naming {
  ee_arena *arena;
  ee_buffer text;
  uint64_t count;
  size_t max;
} naming;

static void name_one(naming *names, ee_str text) {
  if (names->count++ >= names->max) return;
  int length = (int)ee_utf8_cut(text, ID_SHOWN);
  ee_buffer_addf(&names->text, "%s'%.*s%s'", names->count > 1 ? ", " : "", length, text.data,
                 (size_t)length < text.length ? "..." : "");
}

static const char *names_of(naming *names) {
  if (names->count > names->max) ee_buffer_add_text(&names->text, ", ...");
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

/* Checks ----------------------------------------------------------------------------------------- */

/* "'a', 'b', ...", where `count` ids have that in common. */
static const char *ids_text(ee_comparison *comparison, const ee_first_ids *named, uint64_t count) {
  naming names = {.arena = &comparison->arena, .max = EE_IDS_NAMED};
  for (size_t i = 0; i < EE_IDS_NAMED && named->ids[i].data != NULL; i++) name_one(&names, named->ids[i]);
  names.count = count;
  return names_of(&names);
}

/* "2 ids are only in 'base.jsonl' ('a', 'b')" */
static const char *lone_ids_text(ee_comparison *comparison, ee_side side) {
  uint64_t count = comparison->lone[side];
  return ee_arena_printf(&comparison->arena, "%" PRIu64 " id%s only in %s (%s)", count, count == 1 ? " is" : "s are",
                         short_name(comparison, side), ids_text(comparison, &comparison->lone_ids[side], count));
}

static const char *other_expected_text(ee_comparison *comparison) {
  uint64_t count = comparison->other_expected;
  return ee_arena_printf(&comparison->arena, "%" PRIu64 " id%s other expected values (%s)", count,
                         count == 1 ? " has" : "s have", ids_text(comparison, &comparison->other_expected_ids, count));
}

/* How the data sets differ: at most three phrases. */
static size_t list_differences(ee_comparison *comparison, const char *parts[3]) {
  size_t count = 0;
  for (int side = EE_SIDE_BASE; side <= EE_SIDE_NEW; side++)
    if (comparison->lone[side] > 0) parts[count++] = lone_ids_text(comparison, (ee_side)side);
  if (comparison->other_expected > 0) parts[count++] = other_expected_text(comparison);
  return count;
}

static ee_status check_rows(ee_comparison *comparison, ee_error *error) {
  for (int side = EE_SIDE_BASE; side <= EE_SIDE_NEW; side++)
    if (comparison->rows[side] == 0)
      return ee_error_set(error, EE_ERROR_DATA, "no results in %s (an evaluation writes them with --results)",
                          short_name(comparison, (ee_side)side));
  return EE_OK;
}

/* Something in common. */
static ee_status check_cases(ee_comparison *comparison, ee_error *error) {
  const char *parts[3] = {"", "", ""}, *base = short_name(comparison, EE_SIDE_BASE),
             *fresh = short_name(comparison, EE_SIDE_NEW);
  if (comparison->case_count > 0) return EE_OK;
  if (comparison->unscored > 0)
    return ee_error_set(error, EE_ERROR_DATA, "%s and %s have no case with a score in common", base, fresh);
  list_differences(comparison, parts);
  return ee_error_set(error, EE_ERROR_DATA, "%s and %s have no id in common: %s, %s", base, fresh, parts[0], parts[1]);
}

static ee_status check_ids(ee_comparison *comparison, ee_error *error) {
  const char *parts[3], *base = short_name(comparison, EE_SIDE_BASE), *fresh = short_name(comparison, EE_SIDE_NEW);
  size_t count = list_differences(comparison, parts);
  if (count == 0 || comparison->options.common) return EE_OK;
  bool single = comparison->case_count == 1;
  return ee_error_set(
      error, EE_ERROR_DATA, "%s and %s do not cover the same data: %s%s%s%s%s (--common compares the %s%s in both)",
      base, fresh, parts[0], count > 1 ? ", " : "", count > 1 ? parts[1] : "", count > 2 ? ", " : "",
      count > 2 ? parts[2] : "", single ? "" : ee_arena_printf(&comparison->arena, "%zu ", comparison->case_count),
      single ? "case" : "cases");
}

/* Scores under different rules differ even where the answers are the same. */
static ee_status check_rules(ee_comparison *comparison, ee_error *error) {
  uint64_t other = comparison->other_rules;
  if (other == 0 || comparison->options.force) return EE_OK;
  const char *list = ids_text(comparison, &comparison->other_rules_ids, other);
  return ee_error_set(error, EE_ERROR_RULES,
                      "%s and %s were judged by different rules (%" PRIu64 " of %zu case%s: %s): judge both again with "
                      "the same rules and options, or compare them as they are with --force",
                      short_name(comparison, EE_SIDE_BASE), short_name(comparison, EE_SIDE_NEW), other,
                      comparison->case_count, plural(comparison->case_count), list);
}

ee_status ee_comparison_check_part(ee_comparison *comparison, ee_error *error) {
  ee_status status = check_ids(comparison, error);
  return status == EE_OK ? check_rules(comparison, error) : status;
}

ee_status ee_comparison_check(ee_comparison *comparison, ee_error *error) {
  ee_status status = check_rows(comparison, error);
  if (status == EE_OK) status = check_cases(comparison, error);
  return status == EE_OK ? ee_comparison_check_part(comparison, error) : status;
}

/* Notes ----------------------------------------------------------------------------------------- */

void ee_comparison_add_note(ee_comparison *comparison, const char *text) {
  *EE_LIST_ADD(&comparison->notes, NULL) = text;
}

const char *ee_comparison_note(const ee_comparison *comparison, size_t number) {
  return number < comparison->notes.count ? comparison->notes.items[number] : NULL;
}

static void note_lines(ee_comparison *comparison, ee_side side) {
  const ee_run_rows *run = &comparison->runs[side];
  const char *name = short_name(comparison, side);
  if (run->unreadable > 0)
    ee_comparison_add_note(comparison, ee_arena_printf(&comparison->arena, "%s: %" PRIu64 " line%s could not be read",
                                                       name, run->unreadable, plural(run->unreadable)));
  if (run->duplicates > 0)
    ee_comparison_add_note(comparison,
                           ee_arena_printf(&comparison->arena, "%s: %" PRIu64 " line%s with an id seen before left out",
                                           name, run->duplicates, plural(run->duplicates)));
}

/* Judges that no case has on both sides. */
static void note_lone_judges(ee_comparison *comparison, ee_side side) {
  naming names = {.arena = &comparison->arena, .max = NAMES_NOTED};
  const uint32_t *order = ee_comparison_order_judges(comparison, &comparison->arena);
  for (size_t i = 0; i < comparison->known_judges.count; i++) {
    const ee_known_judge *known = &comparison->known_judges.items[order[i]];
    if (known->totals.cases == 0 && known->totals.without[!side] > 0) name_one(&names, known->name);
  }
  const char *list = names_of(&names);
  if (names.count == 0) return;
  ee_comparison_add_note(
      comparison, ee_arena_printf(&comparison->arena, "%" PRIu64 " judge%s only in %s and not compared: %s",
                                  names.count, names.count == 1 ? " is" : "s are", short_name(comparison, side), list));
}

/* "judge 'a' is missing in 2 cases of the base, which are left out of its metrics" */
static void note_missing(ee_comparison *comparison, const char *kind, ee_str name, const uint64_t without[2],
                         const char *of) {
  for (int side = EE_SIDE_BASE; side <= EE_SIDE_NEW; side++) {
    uint64_t count = without[side];
    if (count == 0) continue;
    ee_comparison_add_note(
        comparison, ee_arena_printf(&comparison->arena,
                                    "%s '%.*s' is missing in %" PRIu64 " case%s of %s, which %s left out of its %s",
                                    kind, (int)ee_utf8_cut(name, ID_SHOWN), name.data, count, plural(count),
                                    short_name(comparison, (ee_side)side), count == 1 ? "is" : "are", of));
  }
}

static void note_lone_fields(ee_comparison *comparison, ee_side side) {
  naming names = {.arena = &comparison->arena, .max = NAMES_NOTED};
  for (size_t i = 0; i < comparison->lone_field_count; i++) {
    if (comparison->lone_fields[i].side != side) continue;
    name_one(&names, ee_comparison_field_name(comparison, comparison->lone_fields[i].attribute, &comparison->arena));
  }
  const char *list = names_of(&names);
  if (names.count == 0) return;
  ee_comparison_add_note(
      comparison, ee_arena_printf(&comparison->arena, "%" PRIu64 " field%s only in %s and in no metric: %s",
                                  names.count, names.count == 1 ? " is" : "s are", short_name(comparison, side), list));
}

void ee_comparison_add_notes(ee_comparison *comparison) {
  const char *parts[3], *missing = comparison->options.missing_parts;
  size_t count = list_differences(comparison, parts);
  if (missing != NULL)
    ee_comparison_add_note(comparison, ee_arena_printf(&comparison->arena, "%s: the others are compared", missing));
  for (size_t i = 0; i < count; i++) ee_comparison_add_note(comparison, parts[i]);
  if (comparison->other_rules > 0)
    ee_comparison_add_note(
        comparison,
        ee_arena_printf(&comparison->arena,
                        "%" PRIu64 " case%s judged by other rules in %s than in %s (their rules_hash differs): the "
                        "rules may explain the change",
                        comparison->other_rules, comparison->other_rules == 1 ? " was" : "s were",
                        short_name(comparison, EE_SIDE_NEW), short_name(comparison, EE_SIDE_BASE)));
  if (comparison->on_trust > 0)
    ee_comparison_add_note(
        comparison, ee_arena_printf(&comparison->arena,
                                    "%" PRIu64 " case%s no expected_hash on both sides: assumed to be the same data",
                                    comparison->on_trust, comparison->on_trust == 1 ? " has" : "s have"));
  for (int side = EE_SIDE_BASE; side <= EE_SIDE_NEW; side++) {
    note_lines(comparison, (ee_side)side);
    note_lone_judges(comparison, (ee_side)side);
    note_lone_fields(comparison, (ee_side)side);
  }
  if (comparison->unscored > 0)
    ee_comparison_add_note(comparison,
                           ee_arena_printf(&comparison->arena,
                                           "%" PRIu64 " case%s no score on one side or both, because of the expected "
                                           "values, and %s not compared",
                                           comparison->unscored, comparison->unscored == 1 ? " has" : "s have",
                                           comparison->unscored == 1 ? "is" : "are"));
  for (size_t i = 0; i < comparison->judge_count; i++) {
    const ee_compared_judge *judge = &comparison->judges[i];
    note_missing(comparison, "judge", comparison->known_judges.items[judge->judge].name, judge->without, "metrics");
  }
  for (size_t i = 0; i < comparison->measure_count; i++) {
    const ee_compared_measure *measure = &comparison->measures[i];
    note_missing(comparison, "measure", comparison->known_measures.items[measure->measure].name, measure->without,
                 "mean");
  }
  if (comparison->averaged > 0)
    ee_comparison_add_note(
        comparison,
        ee_arena_printf(&comparison->arena,
                        "%" PRIu64 " case%s other trials in %s than in %s: the means over the trials of each run "
                        "are compared, their counts are summed, and a field is wrong if it is in any trial",
                        comparison->averaged, comparison->averaged == 1 ? " has" : "s have",
                        short_name(comparison, EE_SIDE_NEW), short_name(comparison, EE_SIDE_BASE)));
  if (comparison->slices_left_out)
    ee_comparison_add_note(comparison,
                           ee_arena_printf(&comparison->arena, "values of slices beyond the first %d are not compared",
                                           EE_COMPARED_SLICES));
  size_t listed, changed = ee_comparison_changed_cases(comparison, &listed);
  if (listed < changed && comparison->options.shown == 0)
    ee_comparison_add_note(
        comparison, ee_arena_printf(&comparison->arena,
                                    "%zu of the %zu cases that changed are listed: states have the %d that got worse "
                                    "and the %d that got better by most",
                                    listed, changed, EE_STATE_CASES, EE_STATE_CASES));
  if (comparison->left_out.data != NULL)
    ee_comparison_add_note(
        comparison, ee_arena_printf(&comparison->arena, "judges beyond the first %d are not compared (first: '%.*s')",
                                    EE_COMPARED_JUDGES, (int)ee_utf8_cut(comparison->left_out, ID_SHOWN),
                                    comparison->left_out.data));
}
