/* comparison_fields.c: the attributes of both runs as fields, and in which cases they are right.
 *
 * Two walks over the cases: the first finds what there is, the second compares it, when it is known which attributes
 * are fields of both. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "prim/stats.h"
#include "report/comparison_parts.h"

/* What there is -------------------------------------------------------------------------------- */

/* Of the cases that have its judge on both sides. */
typedef struct seen_attribute {
  uint64_t cases[2]; /* that mention it */
  ee_counts counts[2];
} seen_attribute;

typedef struct seen_judge {
  uint64_t cases, without[2];
  ee_sample score[2];
} seen_judge;

typedef struct survey {
  const ee_comparison *comparison;
  seen_judge *judges;
  seen_attribute *attributes;
} survey;

static void see_attributes(survey *self, ee_side side, const ee_row_judge *judge) {
  const ee_row_attribute *attributes = ee_run_attributes(&self->comparison->runs[side], judge);
  for (uint32_t i = 0; i < judge->count; i++) {
    seen_attribute *seen = &self->attributes[attributes[i].attribute];
    seen->cases[side]++;
    ee_counts_add(&seen->counts[side], &self->comparison->known_counts[attributes[i].counts]);
  }
}

static void see_case(survey *self, const ee_compared_case *item) {
  const ee_run_rows *runs = self->comparison->runs;
  for (uint32_t i = 0; i < item->base->judge_count; i++) {
    const ee_row_judge *before = &runs[EE_SIDE_BASE].judges[item->base->first_judge + i];
    const ee_row_judge *after = ee_run_judge(&runs[EE_SIDE_NEW], item->fresh, before->judge);
    seen_judge *seen = &self->judges[before->judge];
    if (after == NULL) {
      seen->without[EE_SIDE_NEW]++;
      continue;
    }
    seen->cases++;
    if (!isnan(before->score) && !isnan(after->score)) {
      ee_sample_add(&seen->score[EE_SIDE_BASE], before->score);
      ee_sample_add(&seen->score[EE_SIDE_NEW], after->score);
    }
    see_attributes(self, EE_SIDE_BASE, before);
    see_attributes(self, EE_SIDE_NEW, after);
  }
  for (uint32_t i = 0; i < item->fresh->judge_count; i++) {
    const ee_row_judge *after = &runs[EE_SIDE_NEW].judges[item->fresh->first_judge + i];
    if (ee_run_judge(&runs[EE_SIDE_BASE], item->base, after->judge) == NULL)
      self->judges[after->judge].without[EE_SIDE_BASE]++;
  }
}

/* Fields --------------------------------------------------------------------------------------- */

/* Expected on one side, unknown on the other: their rules differ. A key that only one candidate made up, where nothing
 * was ever expected, is no such thing: the other side is right not to have it. */
static bool is_lone(const seen_attribute *seen, ee_side *side) {
  for (int s = EE_SIDE_BASE; s <= EE_SIDE_NEW; s++) {
    *side = (ee_side)s;
    if (seen->cases[s] > 0 && seen->cases[!s] == 0 && seen->counts[s].tp + seen->counts[s].fn > 0) return true;
  }
  return false;
}

static void add_field(ee_comparison *comparison, ee_compared_judge *judge, uint32_t attribute,
                      const seen_attribute *seen) {
  ee_side side;
  if (seen->cases[EE_SIDE_BASE] + seen->cases[EE_SIDE_NEW] == 0) return;
  if (is_lone(seen, &side)) {
    comparison->lone_fields[comparison->lone_field_count++] = (ee_lone_field){attribute, side};
    return;
  }
  comparison->field_of[attribute] = (uint32_t)comparison->field_count;
  comparison->fields[comparison->field_count++] = (ee_compared_field){.judge = judge->judge,
                                                                      .attribute = attribute,
                                                                      .before = seen->counts[EE_SIDE_BASE],
                                                                      .after = seen->counts[EE_SIDE_NEW]};
  judge->field_count++;
  judge->any_counts |= !comparison->known_attributes[attribute].derived;
}

/* The attributes, sorted by judge; where each judge's begin. */
static uint32_t *sort_attributes(const ee_comparison *comparison, size_t *first_of_judge) {
  size_t count = comparison->known_attribute_count, judges = comparison->known_judge_count;
  uint32_t *order = ee_calloc(count + 1, sizeof *order);
  for (size_t i = 0; i < count; i++) first_of_judge[comparison->known_attributes[i].judge + 1]++;
  for (size_t i = 0; i < judges; i++) first_of_judge[i + 1] += first_of_judge[i];
  for (uint32_t i = 0; i < count; i++) order[first_of_judge[comparison->known_attributes[i].judge]++] = i;
  for (size_t i = judges; i > 0; i--) first_of_judge[i] = first_of_judge[i - 1];
  first_of_judge[0] = 0;
  return order;
}

static void list_fields(ee_comparison *comparison, const survey *seen) {
  size_t count = comparison->known_attribute_count, judges = comparison->known_judge_count;
  comparison->judges = ee_calloc(judges + 1, sizeof *comparison->judges);
  comparison->fields = ee_calloc(count + 1, sizeof *comparison->fields);
  comparison->lone_fields = ee_calloc(count + 1, sizeof *comparison->lone_fields);
  comparison->field_of = ee_malloc((count + 1) * sizeof *comparison->field_of);
  for (size_t i = 0; i < count; i++) comparison->field_of[i] = EE_NO_NUMBER;
  size_t *first_of_judge = ee_calloc(judges + 1, sizeof *first_of_judge);
  uint32_t *order = sort_attributes(comparison, first_of_judge);
  for (uint32_t number = 0; number < judges; number++) {
    const seen_judge *known = &seen->judges[number];
    if (known->cases == 0) continue;
    ee_compared_judge *judge = &comparison->judges[comparison->judge_count++];
    *judge = (ee_compared_judge){.judge = number, .cases = known->cases, .first_field = comparison->field_count};
    for (int side = EE_SIDE_BASE; side <= EE_SIDE_NEW; side++) {
      judge->without[side] = known->without[side];
      judge->score[side] = (ee_metric){known->score[side].count > 0, ee_sample_mean(&known->score[side])};
    }
    for (size_t i = first_of_judge[number]; i < first_of_judge[number + 1]; i++)
      add_field(comparison, judge, order[i], &seen->attributes[order[i]]);
  }
  free(order);
  free(first_of_judge);
}

/* Pairs ---------------------------------------------------------------------------------------- */

/* The base's counts of the attributes of one case and judge. */
typedef struct pairing {
  size_t *stamps; /* by attribute: the number of the judge's turn that last mentioned it */
  uint32_t *before;
  size_t turn;
} pairing;

static void visit_judge(const ee_comparison *comparison, pairing *pairs, size_t item, const ee_row_judge *before,
                        const ee_row_judge *after, ee_visit_pair *visit, void *user) {
  const ee_row_attribute *old = ee_run_attributes(&comparison->runs[EE_SIDE_BASE], before);
  const ee_row_attribute *fresh = ee_run_attributes(&comparison->runs[EE_SIDE_NEW], after);
  pairs->turn++;
  for (uint32_t i = 0; i < before->count; i++) {
    pairs->stamps[old[i].attribute] = pairs->turn;
    pairs->before[old[i].attribute] = old[i].counts;
  }
  for (uint32_t i = 0; i < after->count; i++) {
    uint32_t attribute = fresh[i].attribute, field = comparison->field_of[attribute];
    bool both = pairs->stamps[attribute] == pairs->turn;
    pairs->stamps[attribute] = 0;
    if (field != EE_NO_NUMBER) visit(user, item, field, both ? pairs->before[attribute] : 0, fresh[i].counts);
  }
  for (uint32_t i = 0; i < before->count; i++) {
    uint32_t attribute = old[i].attribute, field = comparison->field_of[attribute];
    if (field != EE_NO_NUMBER && pairs->stamps[attribute] == pairs->turn) visit(user, item, field, old[i].counts, 0);
  }
}

void ee_comparison_visit_pairs(const ee_comparison *comparison, ee_visit_pair *visit, void *user) {
  const ee_run_rows *runs = comparison->runs;
  pairing pairs = {.stamps = ee_calloc(comparison->known_attribute_count + 1, sizeof *pairs.stamps),
                   .before = ee_calloc(comparison->known_attribute_count + 1, sizeof *pairs.before)};
  for (size_t i = 0; i < comparison->case_count; i++) {
    const ee_compared_case *item = &comparison->cases[i];
    for (uint32_t k = 0; k < item->base->judge_count; k++) {
      const ee_row_judge *before = &runs[EE_SIDE_BASE].judges[item->base->first_judge + k];
      const ee_row_judge *after = ee_run_judge(&runs[EE_SIDE_NEW], item->fresh, before->judge);
      if (after != NULL) visit_judge(comparison, &pairs, i, before, after, visit, user);
    }
  }
  free(pairs.stamps);
  free(pairs.before);
}

/* Changes -------------------------------------------------------------------------------------- */

static void add_change(ee_comparison *comparison, ee_compared_case *item, ee_change change) {
  if (item->fixed + item->broken == 0) item->first_change = comparison->change_count;
  comparison->changes = ee_comparison_grow(comparison->changes, &comparison->change_capacity,
                                           comparison->change_count + 1, sizeof *comparison->changes);
  comparison->changes[comparison->change_count++] = change;
}

static void compare_pair(void *user, size_t number, uint32_t field_number, uint32_t before, uint32_t after) {
  ee_comparison *comparison = user;
  const ee_counts *old = &comparison->known_counts[before], *fresh = &comparison->known_counts[after];
  uint64_t errors_before = old->fp + old->fn, errors_after = fresh->fp + fresh->fn;
  if (errors_before + errors_after == 0) return;
  ee_compared_case *item = &comparison->cases[number];
  ee_compared_field *field = &comparison->fields[field_number];
  if (errors_before > 0 && errors_after > 0) {
    item->still_wrong++;
    field->still_wrong++;
    field->fewer += errors_after < errors_before;
    field->more += errors_after > errors_before;
    return;
  }
  bool broken = errors_after > 0;
  add_change(comparison, item, (ee_change){(uint32_t)number, field_number, broken});
  if (broken) {
    item->broken++;
    field->broken++;
    comparison->broken++;
  } else {
    item->fixed++;
    field->fixed++;
    comparison->fixed++;
  }
}

/* The changes by field: their cases stay in order. */
static void index_changes(ee_comparison *comparison) {
  comparison->field_changes = ee_calloc(comparison->change_count + 1, sizeof *comparison->field_changes);
  size_t at = 0, *next = ee_calloc(comparison->field_count + 1, sizeof *next);
  for (size_t i = 0; i < comparison->field_count; i++) {
    comparison->fields[i].first_change = next[i] = at;
    at += comparison->fields[i].fixed + comparison->fields[i].broken;
  }
  for (size_t i = 0; i < comparison->change_count; i++)
    comparison->field_changes[next[comparison->changes[i].field]++] = i;
  free(next);
}

static void count_right(ee_comparison *comparison) {
  for (size_t i = 0; i < comparison->judge_count; i++) {
    const ee_compared_judge *judge = &comparison->judges[i];
    for (size_t k = 0; k < judge->field_count; k++) {
      ee_compared_field *field = &comparison->fields[judge->first_field + k];
      field->still_right = judge->cases - field->fixed - field->broken - field->still_wrong;
    }
  }
}

void ee_comparison_compare_fields(ee_comparison *comparison) {
  for (size_t i = 1; i < comparison->known_attribute_count; i++)
    comparison->several_judges |= comparison->known_attributes[i].judge != comparison->known_attributes[0].judge;
  survey seen = {.comparison = comparison,
                 .judges = ee_calloc(comparison->known_judge_count + 1, sizeof *seen.judges),
                 .attributes = ee_calloc(comparison->known_attribute_count + 1, sizeof *seen.attributes)};
  for (size_t i = 0; i < comparison->case_count; i++) see_case(&seen, &comparison->cases[i]);
  list_fields(comparison, &seen);
  free(seen.judges);
  free(seen.attributes);
  ee_comparison_visit_pairs(comparison, compare_pair, comparison);
  index_changes(comparison);
  count_right(comparison);
}
