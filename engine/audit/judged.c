/* judged.c: paths that no judge compares.
 *
 * Functions of a rule file cannot say which paths they use, so each path is tested: in up to three records that have a
 * value there, the value is removed from one side and then from the other, and the record is judged against itself. If
 * scores, counts, hits and misses do not change, no judge compares the path. A container is tested before its members.
 * Paths of ee.ignore are excluded on purpose and not reported.
 *
 * Weight 0.3 for a path, however many values it has: no verdict is wrong, and it may be on purpose (ee.ignore says so).
 */
#include <inttypes.h>

#include "audit/checks.h"
#include "judge/case.h"
#include "judge/fields/field.h"
#include "judge/plan.h"

#define WEIGHT 0.3
#define TRIES 3
/* Max paths to test; if there are more, the keys are probably data. */
#define MAX_PATHS 2000

typedef struct judged {
  ee_audit *audit;
  const ee_open_plan *open;
  uint32_t *tries; /* by column: TRIES records that have a value there */
  uint8_t *try_count;
  uint64_t *values;         /* by column: that are not empty */
  ee_audit_entry **entries; /* by column: of paths that nobody looks at */
} judged;

static void find_tries(void *user, const ee_audit_node *node, ee_arena *arena) {
  (void)arena;
  judged *self = user;
  if (ee_value_is_empty(node->value, &(ee_empty_rule){.containers = true})) return;
  uint8_t *count = &self->try_count[node->column];
  uint32_t *tries = &self->tries[node->column * TRIES];
  self->values[node->column]++;
  if (*count < TRIES && (*count == 0 || tries[*count - 1] != node->record)) tries[(*count)++] = node->record;
}

/* A copy of `value`, which is at column `at`, without what is at column `dropped`. Values that do not hold the dropped
 * one are shared. Recursion is bounded by the reader's nesting limit. */
static ee_value *copy_without(const judged *self, const ee_value *value, const uint32_t *chain, size_t depth,
                              ee_arena *arena) {
  const ee_audit_column *step = &self->audit->columns.items[chain[depth - 1]];
  ee_type type = ee_type_of(value);
  if (type != (step->element ? EE_ARRAY : EE_OBJECT)) return ee_value_copy(arena, value);
  ee_value *copy = ee_value_new(arena, type);
  for (const ee_value *child = ee_value_child(value); child != NULL; child = ee_value_next(child)) {
    bool on_path = step->element || ee_str_equal(ee_value_key(child), step->key);
    if (on_path && depth == 1) continue;
    ee_value *kept = on_path ? copy_without(self, child, chain, depth - 1, arena) : ee_value_copy(arena, child);
    if (type == EE_ARRAY)
      ee_value_append(copy, kept);
    else
      ee_value_set(arena, copy, ee_value_key(child), kept);
  }
  return copy;
}

/* The visible parts of a result. */
static uint64_t mark_of(const ee_case_result *result) {
  uint64_t mark = result->judge_count;
  for (size_t i = 0; i < result->judge_count; i++) {
    const ee_judge_result *judge = &result->judges[i];
    uint64_t seen[] = {judge->hit_count,    judge->miss_count, judge->attribute_count,
                       judge->unread_count, judge->vacuous,    judge->failed};
    mark = ee_hash_bytes(seen, sizeof seen, mark);
    mark = ee_hash_bytes(&judge->score, sizeof judge->score, mark);
    mark = ee_hash_bytes(judge->reasoning.data, judge->reasoning.length, mark);
    for (size_t k = 0; k < judge->attribute_count; k++) {
      const ee_counts *counts = &judge->attributes[k].counts;
      uint64_t numbers[] = {counts->tp, counts->tn, counts->fp, counts->fn};
      mark = ee_hash_bytes(numbers, sizeof numbers, mark);
    }
  }
  return ee_hash_bytes(&result->score, sizeof result->score, mark);
}

static uint64_t judge(const judged *self, uint32_t record, const ee_value *expected, const ee_value *candidate,
                      ee_arena *arena) {
  ee_case current = {.id = self->audit->records.items[record].id,
                     .record = expected,
                     .expected = expected,
                     .candidate = candidate,
                     .candidate_state = EE_CANDIDATE_READ};
  ee_context context = ee_open_plan_context(self->open, arena);
  ee_case_result result;
  ee_plan_judge(self->open->plan, &context, &current, &result);
  return mark_of(&result);
}

static bool is_noticed(const judged *self, uint32_t column, ee_arena *arena) {
  uint32_t chain[512];
  size_t depth = 0;
  for (uint32_t at = column; at != 0 && depth < 512; at = self->audit->columns.items[at].parent) chain[depth++] = at;
  for (size_t i = 0; i < self->try_count[column]; i++) {
    ee_arena_reset(arena, (size_t)1 << 20);
    uint32_t record = self->tries[column * TRIES + i];
    const ee_value *whole = ee_audit_expected(self->audit, record, arena);
    const ee_value *less = copy_without(self, whole, chain, depth, arena);
    uint64_t before = judge(self, record, whole, whole, arena);
    if (judge(self, record, less, whole, arena) != before || judge(self, record, whole, less, arena) != before)
      return true;
  }
  return false;
}

/* Whether ee.ignore names the path, in a document or in the items of an array. */
static bool is_ignored(const judged *self, ee_str path) {
  const ee_plan *plan = self->open->plan;
  for (size_t i = 0; i < plan->judge_count; i++) {
    const ee_field_list *fields = plan->judges[i]->fields;
    for (size_t k = 0; fields != NULL && k < fields->ignored_count; k++) {
      ee_str ignored = fields->ignored[k].expected_path->text;
      if (path.length < ignored.length) continue;
      size_t before = path.length - ignored.length;
      bool same = memcmp(path.data + before, ignored.data, ignored.length) == 0;
      if (same && (before == 0 || (before >= 2 && memcmp(path.data + before - 2, "].", 2) == 0))) return true;
    }
  }
  return false;
}

static void name_records(void *user, const ee_audit_node *node, ee_arena *arena) {
  (void)arena;
  judged *self = user;
  if (self->entries[node->column] != NULL && !ee_value_is_empty(node->value, &(ee_empty_rule){.containers = true}))
    ee_audit_affect(self->audit, self->entries[node->column], node->record);
}

static void try_paths(judged *self) {
  ee_audit *audit = self->audit;
  ee_arena scratch;
  ee_arena_init(&scratch, 0);
  bool *covered = EE_NEW_ARRAY(&audit->arena, bool, audit->columns.count),
       any = false; /* inside a path that is already reported */
  for (uint32_t i = 1; i < audit->columns.count; i++) {
    const ee_audit_column *column = &audit->columns.items[i];
    covered[i] = covered[column->parent];
    if (covered[i] || column->element || self->try_count[i] == 0) continue;
    covered[i] = is_ignored(self, column->path);
    if (covered[i] || is_noticed(self, i, &scratch)) continue;
    covered[i] = any = true;
    self->entries[i] = ee_audit_find(audit, EE_AUDIT_UNJUDGED, column->path, WEIGHT, 1,
                                     column->values.count > 0 ? column->values.items[0].text : EE_STR(""), EE_STR(""),
                                     "no judge compares the %" PRIu64 " value%s at this path", self->values[i],
                                     self->values[i] == 1 ? "" : "s");
  }
  ee_arena_fini(&scratch);
  if (any) ee_audit_walk(audit, name_records, self);
}

void ee_audit_check_judged(ee_audit *audit, const ee_open_plan *open) {
  size_t count = audit->columns.count;
  if (!ee_audit_wants(audit, EE_AUDIT_UNJUDGED) || open == NULL || audit->report.inferred) return;
  if (open->plan->runs_programs || count > MAX_PATHS) {
    ee_audit_note_that(audit, EE_AUDIT_UNJUDGED,
                       open->plan->runs_programs ? "not checked: the rules run other programs"
                                                 : "not checked: the truth has more than %d paths",
                       MAX_PATHS);
    return;
  }
  judged self = {.audit = audit,
                 .open = open,
                 .tries = EE_NEW_ARRAY(&audit->arena, uint32_t, count * TRIES),
                 .try_count = EE_NEW_ARRAY(&audit->arena, uint8_t, count),
                 .values = EE_NEW_ARRAY(&audit->arena, uint64_t, count),
                 .entries = EE_NEW_ARRAY(&audit->arena, ee_audit_entry *, count)};
  ee_audit_walk(audit, find_tries, &self);
  try_paths(&self);
}
