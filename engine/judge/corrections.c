/* corrections.c: the edits of a case, from the mismatches and counts of its judges. */
#include "judge/corrections.h"

#include "judge/judge.h"
#include "prim/sort.h"

/* Scores are sums of products: a perfect one may be this far below 1. */
#define SLACK 0x1p-50

const char *ee_correction_name(ee_correction_kind kind) {
  static const char *const names[] = {"changed", "missing", "removed", "rows_added", "rows_removed"};
  return names[kind];
}

uint64_t ee_corrections_sum(const ee_corrections *corrections) {
  uint64_t sum = 0;
  for (int i = 0; i < EE_CORRECTION_KINDS; i++) sum += corrections->kinds[i];
  return sum;
}

/* An edit, and the values that it is about. */
typedef struct edit {
  const ee_value *expected, *candidate;
  const ee_mismatch *mismatch;
} edit;

/* Edits of the same values side by side, in the order of their judges. Only which are equal matters, not the order of
 * addresses. */
static bool comes_first(const edit *a, const edit *b) {
  uintptr_t left = (uintptr_t)a->expected, right = (uintptr_t)b->expected;
  return left != right ? left < right : (uintptr_t)a->candidate < (uintptr_t)b->candidate;
}
EE_DEFINE_SORT(sort_edits, edit, comes_first)

static void count_edit(const ee_mismatch *mismatch, ee_corrections *corrections) {
  uint64_t *kinds = corrections->kinds;
  switch (mismatch->value_class) {
  case EE_CLASS_WRONG: kinds[EE_CORRECTION_CHANGED]++; break;
  case EE_CLASS_INVENTED: kinds[mismatch->is_row ? EE_CORRECTION_ROW_REMOVED : EE_CORRECTION_REMOVED]++; break;
  case EE_CLASS_MISSING:
    if (mismatch->is_row) {
      kinds[EE_CORRECTION_ROW_ADDED]++;
      corrections->row_values += mismatch->row_values;
    } else if (mismatch->finding.reason.kind == EE_REASON_OPTIONAL_MISSING) {
      corrections->optional++;
    } else {
      kinds[EE_CORRECTION_MISSING]++;
    }
    break;
  default: break;
  }
}

/* Values that are in no counts, of ignored keys, need no edit. */
static bool counts(const ee_mismatch *mismatch) { return mismatch->is_row || mismatch->attribute.length > 0; }

/* Of two judges of one value: an edit for one of them is an edit, whatever the other cannot read or does not require.
 */
static int urgency(const ee_mismatch *mismatch) {
  if (mismatch->value_class == EE_CLASS_MISSING)
    return mismatch->finding.reason.kind == EE_REASON_OPTIONAL_MISSING ? 1 : 2;
  return mismatch->value_class == EE_CLASS_WRONG || mismatch->value_class == EE_CLASS_INVENTED ? 2 : 0;
}

static bool same_values(const edit *a, const edit *b) {
  return a->expected == b->expected && a->candidate == b->candidate && (a->expected != NULL || a->candidate != NULL);
}

static void count_edits(edit *edits, size_t count, ee_corrections *corrections, ee_arena *scratch) {
  if (count > 1) sort_edits(edits, count, scratch);
  for (size_t i = 0, next; i < count; i = next) {
    const ee_mismatch *mismatch = edits[i].mismatch;
    for (next = i + 1; next < count && same_values(&edits[i], &edits[next]); next++)
      if (urgency(edits[next].mismatch) > urgency(mismatch)) mismatch = edits[next].mismatch;
    count_edit(mismatch, corrections);
  }
}

/* Of a judge that lists values. Its candidate may be one that is repaired for it alone. */
static void judge_values(const ee_case_result *result, const ee_judge_result *judged, ee_corrections *corrections) {
  const ee_case *source = result->source;
  bool has_candidate =
      source->candidate_state == EE_CANDIDATE_READ || (judged->judge->repair && source->repaired != NULL);
  if (!has_candidate) corrections->straight_through = false;
  /* A text where a list was expected to be empty is one thing to delete; the judge says no more about it. */
  if (has_candidate && !judged->failed && judged->miss_count > 0 && judged->mismatch_count == 0 && judged->score == 0)
    corrections->kinds[EE_CORRECTION_REMOVED]++;
}

/* Of a judge that runs those of other rules. */
static void judge_inner(const ee_corrections *inner, ee_corrections *corrections) {
  for (int i = 0; i < EE_CORRECTION_KINDS; i++) corrections->kinds[i] += inner->kinds[i];
  corrections->row_values += inner->row_values;
  corrections->optional += inner->optional;
  corrections->checks += inner->checks;
  if (!inner->straight_through) corrections->straight_through = false;
}

/* Of a judge that has counts only. */
static void judge_counts(const ee_judge_result *judged, ee_corrections *corrections) {
  for (size_t i = 0; i < judged->attribute_count; i++) {
    const ee_attribute_result *attribute = &judged->attributes[i];
    if (attribute->slot >= 0 && judged->judge->attributes[attribute->slot].derived) continue;
    const ee_counts *of = &attribute->counts;
    uint64_t changed = of->fp < of->fn ? of->fp : of->fn;
    corrections->kinds[EE_CORRECTION_CHANGED] += changed;
    corrections->kinds[EE_CORRECTION_REMOVED] += of->fp - changed;
    corrections->kinds[EE_CORRECTION_MISSING] += of->fn - changed;
  }
}

ee_corrections ee_corrections_of(const ee_case_result *result, ee_arena *scratch) {
  ee_corrections corrections = {.straight_through = true};
  size_t room = 0, count = 0;
  for (size_t i = 0; i < result->judge_count; i++) room += result->judges[i].mismatch_count;
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  edit *edits = ee_arena_alloc(scratch, room * sizeof *edits);
  for (size_t i = 0; i < result->judge_count; i++) {
    const ee_judge_result *judged = &result->judges[i];
    if (judged->judge->weight == 0 || judged->unscored) continue;
    if (judged->failed) corrections.straight_through = false;
    for (size_t k = 0; k < judged->mismatch_count; k++) {
      const ee_mismatch *mismatch = &judged->mismatches[k];
      if (counts(mismatch)) edits[count++] = (edit){mismatch->expected, mismatch->candidate, mismatch};
    }
    if (judged->corrections != NULL)
      judge_inner(judged->corrections, &corrections);
    else if (judged->judge->type->lists_values)
      judge_values(result, judged, &corrections);
    else if (judged->attribute_count > 0)
      judge_counts(judged, &corrections);
    else
      corrections.checks += judged->score < 1 - SLACK;
  }
  count_edits(edits, count, &corrections, scratch);
  ee_arena_rewind(scratch, mark);
  if (ee_corrections_sum(&corrections) + corrections.checks > 0) corrections.straight_through = false;
  if (result->score_error.length > 0 || result->unscored) corrections.straight_through = false;
  return corrections;
}
