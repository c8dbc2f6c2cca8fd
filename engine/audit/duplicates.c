/* duplicates.c: the same document under several ids.
 *
 * same-source: records whose source texts are equal (without case, spaces folded) and whose expected values differ. At
 * least one of two different values is wrong: weight 0.5.
 *
 * duplicate: records with equal expected values and equal source texts, or equal expected values without source texts
 * that are not equal by chance. At each path the chance is the share of all pairs of other values that are equal; the
 * two paths with the smallest, c and d, count, since paths depend on each other (a vendor's name and address). N
 * records then have N^2 / 2 * c * d equal pairs by chance; groups where that is below 0.001 are reported. Weight 0.1:
 * nothing is judged wrongly, but one document counts twice.
 *
 * Where more than a fifth of the records are in such groups, documents repeat by nature (prompts, labels of a
 * classifier): nothing is reported but a note. */
#include <math.h>

#include "audit/checks.h"
#include "prim/sort.h"

#define DUPLICATE_WEIGHT 0.1
#define SAME_SOURCE_WEIGHT 0.5
#define MAX_SHARE 0.2
#define MAX_CHANCE 0.001
/* Values that differ between two records and are listed. */
#define MAX_LISTED 20
/* Bytes of a value in a finding. */
#define SHOWN 200

typedef struct keyed {
  uint64_t key;
  uint32_t record;
} keyed;

static bool is_before(const keyed *a, const keyed *b) {
  return a->key != b->key ? a->key < b->key : a->record < b->record;
}
EE_DEFINE_SORT(sort_keyed, keyed, is_before)

/* Records by key, those without one left out. */
typedef struct groups {
  keyed *items;
  size_t count;
} groups;

typedef uint64_t key_of(const ee_audit *audit, uint32_t record, ee_arena *scratch);

/* Of the folded source text; 0: none. */
static uint64_t source_key(const ee_audit *audit, uint32_t record, ee_arena *scratch) {
  ee_str folded = ee_audit_fold(ee_audit_source(audit, record), scratch);
  return folded.length > 0 ? ee_hash_bytes(folded.data, folded.length, 0) | 1 : 0;
}

static uint64_t document_key(const ee_audit *audit, uint32_t record, ee_arena *scratch) {
  const ee_audit_record *at = &audit->records.items[record];
  if (at->leaves == 0) return 0;
  return ee_hash_mix(at->hash ^ source_key(audit, record, scratch)) | 1;
}

static groups group_by(ee_audit *audit, key_of *key, ee_arena *arena) {
  groups all = {.items = EE_NEW_ARRAY(arena, keyed, audit->records.count)};
  ee_arena scratch;
  ee_arena_init(&scratch, 0);
  for (uint32_t i = 0; i < audit->records.count; i++) {
    uint64_t value = key(audit, i, &scratch);
    if (value != 0) all.items[all.count++] = (keyed){value, i};
    ee_arena_reset(&scratch, (size_t)1 << 20);
  }
  ee_arena_fini(&scratch);
  sort_keyed(all.items, all.count, arena);
  return all;
}

/* The number of records from `start` on that share its key. */
static size_t group_size(const groups *all, size_t start) {
  size_t end = start + 1;
  while (end < all->count && all->items[end].key == all->items[start].key) end++;
  return end - start;
}

static bool repeats_by_nature(ee_audit *audit, ee_audit_kind kind, const char *what, uint64_t repeated, size_t count) {
  if (repeated <= 4 || (double)repeated <= MAX_SHARE * (double)count) return false;
  ee_audit_note_that(audit, kind, "not checked: %s of %llu of %zu records occur more than once", what,
                     (unsigned long long)repeated, count);
  return true;
}

/* Equal source texts ------------------------------------------------------------------------------ */

/* The leaves of one record that another one has otherwise. */
typedef struct difference {
  ee_audit *audit;
  uint32_t first, second; /* records */
  const ee_value *other;  /* the expected value of the record that is not walked */
  bool backwards;         /* `second` is walked: only what `first` lacks */
  size_t listed;
} difference;

static void compare_leaf(void *user, const ee_audit_node *node, ee_arena *arena) {
  difference *self = user;
  if (!ee_audit_is_scalar(node->value) || self->listed >= MAX_LISTED) return;
  const ee_value *other = self->other;
  if (node->parent != NULL) {
    const ee_path *path = ee_path_parse(arena, node->path, NULL);
    other = path != NULL ? ee_path_get(path, self->other, arena) : NULL;
  }
  bool empty = ee_value_is_empty(other, NULL);
  if (self->backwards ? !empty : ee_value_equal(node->value, other)) return;
  self->listed++;
  const ee_value *left = self->backwards ? NULL : node->value, *right = self->backwards ? node->value : other;
  ee_str texts[2] = {EE_STR(""), EE_STR("")};
  if (left != NULL) texts[0] = ee_audit_text(left, SHOWN, arena);
  if (!ee_value_is_empty(right, NULL)) texts[1] = ee_audit_text(right, SHOWN, arena);
  ee_str id = self->audit->records.items[self->second].id;
  ee_audit_entry *entry =
      ee_audit_find(self->audit, EE_AUDIT_SAME_SOURCE, node->path, SAME_SOURCE_WEIGHT, 1, texts[0], texts[1],
                    "'%.*s' has the same source text but %s here", (int)ee_utf8_cut(id, 60), id.data,
                    texts[1].length == 0 ? "no value" : "another value");
  ee_audit_affect(self->audit, entry, self->first);
  ee_audit_affect(self->audit, entry, self->second);
}

static void compare_records(ee_audit *audit, uint32_t first, uint32_t second, ee_arena *arena) {
  const ee_value *left = ee_audit_expected(audit, first, arena), *right = ee_audit_expected(audit, second, arena);
  difference self = {.audit = audit, .first = first, .second = second, .other = right};
  ee_audit_walk_record(audit, first, left, compare_leaf, &self, arena);
  self.other = left;
  self.backwards = true;
  ee_audit_walk_record(audit, second, right, compare_leaf, &self, arena);
}

static void check_sources(ee_audit *audit, ee_arena *arena) {
  groups all = group_by(audit, source_key, arena);
  uint64_t repeated = 0;
  for (size_t at = 0, size; at < all.count; at += size)
    if ((size = group_size(&all, at)) > 1) repeated += size;
  if (repeats_by_nature(audit, EE_AUDIT_SAME_SOURCE, "the source texts", repeated, all.count)) return;
  ee_arena scratch;
  ee_arena_init(&scratch, 0);
  for (size_t at = 0, size; at < all.count; at += size) {
    size = group_size(&all, at);
    for (size_t i = 1; i < size; i++) {
      uint32_t first = all.items[at].record, second = all.items[at + i].record;
      if (audit->records.items[first].hash != audit->records.items[second].hash)
        compare_records(audit, first, second, &scratch);
      ee_arena_reset(&scratch, (size_t)1 << 20);
    }
  }
  ee_arena_fini(&scratch);
}

/* Equal documents --------------------------------------------------------------------------------- */

/* How improbable the values of a group are. */
typedef struct identity {
  ee_audit *audit;
  uint64_t group;           /* records in it */
  const double *collisions; /* by column: pairs of equal values */
  double *chances;          /* by column: the smallest of a value there; 1 without one */
} identity;

static void weigh_leaf(void *user, const ee_audit_node *node, ee_arena *arena) {
  (void)arena;
  identity *self = user;
  if (!ee_audit_is_scalar(node->value)) return;
  const ee_audit_column *column = &self->audit->columns.items[node->column];
  size_t at = 0, number;
  uint64_t count = self->group;
  if (ee_hash_index_next(&column->index, ee_value_hash(node->value), &at, &number))
    count = column->values.items[number].count;
  double all = (double)column->scalars, own = (double)count, group = (double)self->group;
  double pairs = fmax(all * (all - 1) / 2, 1);
  double chance = (self->collisions[node->column] - own * (own - 1) / 2 + 0.5) / pairs;
  chance = fmax(chance, (own - group) / all);
  self->chances[node->column] = fmin(self->chances[node->column], fmax(chance, 0.5 / pairs));
}

/* Whether `size` records that are equal to `record` are more than chance. */
static bool is_identified(ee_audit *audit, uint32_t record, size_t size, const double *collisions, ee_arena *scratch) {
  identity self = {.audit = audit,
                   .group = size,
                   .collisions = collisions,
                   .chances = EE_NEW_ARRAY(scratch, double, audit->columns.count)};
  for (size_t i = 0; i < audit->columns.count; i++) self.chances[i] = 1;
  ee_audit_walk_record(audit, record, ee_audit_expected(audit, record, scratch), weigh_leaf, &self, scratch);
  double smallest = 1, second = 1;
  for (size_t i = 0; i < audit->columns.count; i++) {
    if (self.chances[i] < smallest) {
      second = smallest;
      smallest = self.chances[i];
    } else if (self.chances[i] < second) {
      second = self.chances[i];
    }
  }
  double records = (double)audit->records.count;
  return records * records / 2 * smallest * second < MAX_CHANCE;
}

static const double *count_collisions(const ee_audit *audit, ee_arena *arena) {
  double *collisions = EE_NEW_ARRAY(arena, double, audit->columns.count);
  for (size_t i = 0; i < audit->columns.count; i++) {
    const ee_audit_column *column = &audit->columns.items[i];
    for (size_t k = 0; k < column->values.count; k++) {
      double count = (double)column->values.items[k].count;
      collisions[i] += count * (count - 1) / 2;
    }
  }
  return collisions;
}

static void report_group(ee_audit *audit, const keyed *group, size_t size) {
  bool source = audit->records.items[group[0].record].source_length > 0;
  ee_str id = audit->records.items[group[1].record].id;
  ee_audit_entry *entry =
      ee_audit_find(audit, EE_AUDIT_DUPLICATE, EE_STR(""), DUPLICATE_WEIGHT, size - 1, EE_STR(""), EE_STR(""),
                    "'%.*s'%s the same expected values%s", (int)ee_utf8_cut(id, 60), id.data,
                    size == 2 ? " has" : " and others have", source ? " and the same source text" : "");
  for (size_t i = 0; i < size; i++) ee_audit_affect(audit, entry, group[i].record);
}

static void check_documents(ee_audit *audit, ee_arena *arena) {
  groups all = group_by(audit, document_key, arena);
  const double *collisions = count_collisions(audit, arena);
  bool *reported = EE_NEW_ARRAY(arena, bool, all.count);
  uint64_t repeated = 0;
  ee_arena scratch;
  ee_arena_init(&scratch, 0);
  for (size_t at = 0, size; at < all.count; at += size) {
    size = group_size(&all, at);
    uint32_t record = all.items[at].record;
    reported[at] = size > 1 && (audit->records.items[record].source_length > 0 ||
                                is_identified(audit, record, size, collisions, &scratch));
    if (size > 1) repeated += size;
    ee_arena_reset(&scratch, (size_t)1 << 20);
  }
  ee_arena_fini(&scratch);
  if (repeats_by_nature(audit, EE_AUDIT_DUPLICATE, "the expected values", repeated, all.count)) return;
  for (size_t at = 0, size; at < all.count; at += size) {
    size = group_size(&all, at);
    if (reported[at]) report_group(audit, &all.items[at], size);
  }
}

void ee_audit_check_duplicates(ee_audit *audit) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  if (ee_audit_wants(audit, EE_AUDIT_SAME_SOURCE)) check_sources(audit, &arena);
  if (ee_audit_wants(audit, EE_AUDIT_DUPLICATE)) check_documents(audit, &arena);
  ee_arena_fini(&arena);
}
