/* bench_drift.c: two runs, case by case. */
#include "report/bench_drift.h"

#include <stdlib.h>

#include "base/buffer.h"
#include "judge/extraction/extraction.h"
#include "report/bench_keys.h"

/* A case of either run; sorted by its id. */
typedef struct one_case {
  ee_str id;
  const ee_value *node;
  size_t number;
} one_case;

typedef struct case_list {
  one_case *items;
  size_t count;
} case_list;

static const ee_value *member(const ee_value *object, const char *name) {
  return ee_value_member(object, ee_str_from(name), NULL);
}

static ee_str text(const ee_value *object, const char *name) {
  const ee_value *value = member(object, name);
  return ee_type_of(value) == EE_STRING ? ee_value_text(value) : EE_STR("");
}

static int compare_cases(const void *left, const void *right) {
  const one_case *a = left, *b = right;
  int order = ee_str_compare(a->id, b->id);
  return order != 0 ? order : (a->number > b->number) - (a->number < b->number);
}

static int compare_changes(const void *left, const void *right) {
  const ee_bench_change *const *a = left, *const *b = right;
  return (*a > *b) - (*a < *b);
}

static case_list list_cases(const ee_value *run, ee_arena *arena) {
  const ee_value *cases = member(run, "cases");
  case_list list = {EE_NEW_ARRAY(arena, one_case, ee_value_count(cases) + 1), 0};
  for (const ee_value *node = ee_value_child(cases); node != NULL; node = ee_value_next(node)) {
    list.items[list.count] = (one_case){text(node, "caseId"), node, list.count};
    list.count++;
  }
  if (list.count > 0) qsort(list.items, list.count, sizeof *list.items, compare_cases);
  return list;
}

/* What came of one case: over its trials, what there was in any. */
typedef struct outcome {
  unsigned kinds; /* bits by ee_empty_kind */
  ee_extraction_keys keys;
} outcome;

static outcome outcome_of(const ee_value *of_case, ee_arena *arena) {
  outcome all = {0};
  const ee_value *trials = member(of_case, "trials");
  for (const ee_value *trial = ee_value_child(trials); trial != NULL; trial = ee_value_next(trial)) {
    ee_empty_kind kind;
    if (ee_empty_kind_find(text(trial, "kind"), &kind)) all.kinds |= 1u << kind;
    ee_extraction_keys keys = ee_bench_keys_of(member(trial, "extractions"), arena);
    all.keys = ee_extraction_keys_union(&all.keys, &keys, arena);
  }
  return all;
}

static ee_str describe_kinds(unsigned kinds, ee_arena *arena) {
  const char *words = "";
  for (int kind = EE_NON_EMPTY; kind <= EE_EMPTY_BY_FAILURE; kind++)
    if ((kinds & (1u << kind)) != 0)
      words =
          ee_arena_printf(arena, "%s%s%s", words, *words != '\0' ? ", " : "", ee_empty_kind_name((ee_empty_kind)kind));
  return ee_str_from(words);
}

/* False when nothing changed. */
static bool compare_case(const one_case *now, const one_case *before, ee_arena *arena, ee_bench_change *change) {
  outcome a = outcome_of(now->node, arena), b = outcome_of(before->node, arena);
  size_t shared = ee_extraction_keys_shared(&a.keys, &b.keys);
  *change = (ee_bench_change){.case_id = now->id,
                              .kinds = describe_kinds(a.kinds, arena),
                              .kinds_before = describe_kinds(b.kinds, arena),
                              .gained = a.keys.count - shared,
                              .lost = b.keys.count - shared};
  return a.kinds != b.kinds || change->gained > 0 || change->lost > 0;
}

void ee_bench_compare(const ee_value *run, const ee_value *before, ee_arena *arena, ee_bench_comparison *comparison) {
  *comparison = (ee_bench_comparison){.same_data = ee_str_equal(text(run, "data_hash"), text(before, "data_hash"))};
  case_list now = list_cases(run, arena), old = list_cases(before, arena);
  /* One place a case of the run, in its order; those in use are then listed in that order. */
  ee_bench_change *places = EE_NEW_ARRAY(arena, ee_bench_change, now.count + 1);
  ee_bench_change **used = EE_NEW_ARRAY(arena, ee_bench_change *, now.count + 1);
  for (size_t i = 0, k = 0; i < now.count || k < old.count;) {
    int order = i == now.count ? 1 : k == old.count ? -1 : ee_str_compare(now.items[i].id, old.items[k].id);
    comparison->only_now += order < 0;
    comparison->only_before += order > 0;
    comparison->cases += order == 0;
    if (order == 0) {
      ee_bench_change *change = &places[now.items[i].number];
      if (compare_case(&now.items[i], &old.items[k], arena, change)) used[comparison->change_count++] = change;
      comparison->gained += change->gained;
      comparison->lost += change->lost;
    }
    i += order <= 0;
    k += order >= 0;
  }
  if (comparison->change_count > 0) qsort(used, comparison->change_count, sizeof *used, compare_changes);
  ee_bench_change *changes = EE_NEW_ARRAY(arena, ee_bench_change, comparison->change_count + 1);
  for (size_t i = 0; i < comparison->change_count; i++) changes[i] = *used[i];
  comparison->changes = changes;
}
