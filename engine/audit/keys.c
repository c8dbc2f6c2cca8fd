/* keys.c: misspelt keys.
 *
 * A key that at most 5 % of the objects at its place have (at least one), and that differs from a key of at least half
 * of them only by case, '_', '-' and spaces, or, from four letters on, by one letter (from eight on by two): in every
 * object that has it, that key must be missing. Digits must agree: line_1 is not a misspelt line_2. The values under
 * such a key are judged as missing: weight 0.8. */
#include "audit/checks.h"
#include "prim/edit.h"

#define WEIGHT 0.8
#define MAX_SHARE 0.05
#define MIN_SHARE 0.5

typedef struct misspelt {
  uint32_t rare, usual; /* columns */
  bool together;        /* an object has both */
  ee_audit_entry *entry;
} misspelt;

typedef struct keys {
  ee_audit *audit;
  misspelt *pairs;
  size_t count;
} keys;

/* Lower case, without '_', '-' and spaces. */
static ee_str plain_key(ee_str key, ee_arena *arena) {
  ee_str folded = ee_audit_fold(key, arena);
  char *out = ee_arena_alloc(arena, folded.length);
  size_t length = 0;
  for (size_t i = 0; i < folded.length; i++)
    if (folded.data[i] != '_' && folded.data[i] != '-' && folded.data[i] != ' ') out[length++] = folded.data[i];
  return (ee_str){out, length};
}

static bool same_digits(ee_str a, ee_str b) {
  size_t i = 0, k = 0;
  for (;;) {
    while (i < a.length && (unsigned char)(a.data[i] - '0') > 9) i++;
    while (k < b.length && (unsigned char)(b.data[k] - '0') > 9) k++;
    if (i == a.length || k == b.length) return i == a.length && k == b.length;
    if (a.data[i++] != b.data[k++]) return false;
  }
}

static bool is_near(ee_str rare, ee_str usual, ee_arena *arena) {
  ee_str a = plain_key(rare, arena), b = plain_key(usual, arena);
  if (ee_str_equal(a, b)) return true;
  size_t length = b.length < a.length ? b.length : a.length;
  if (length < 4 || !same_digits(a, b)) return false;
  return ee_audit_one_edit(a, b) || (length >= 8 && ee_levenshtein(a, b, 2, arena) <= 2);
}

/* The usual key that the rare one is a misspelling of; 0: not found. */
static uint32_t find_usual(const ee_audit *audit, uint32_t rare, ee_arena *arena) {
  const ee_audit_column *column = &audit->columns.items[rare];
  double objects = (double)audit->columns.items[column->parent].types[EE_OBJECT];
  uint32_t best = 0;
  if (rare == 0 || column->element || (column->nodes > 1 && (double)column->nodes > MAX_SHARE * objects)) return 0;
  for (uint32_t i = 1; i < audit->columns.count; i++) {
    const ee_audit_column *other = &audit->columns.items[i];
    if (other->parent != column->parent || other->element || i == rare || (double)other->nodes < MIN_SHARE * objects)
      continue;
    if (other->nodes <= column->nodes || objects < 4 || !is_near(column->key, other->key, arena)) continue;
    if (best == 0 || other->nodes > audit->columns.items[best].nodes) best = i;
  }
  return best;
}

static void look_at_object(void *user, const ee_audit_node *node, ee_arena *arena) {
  keys *self = user;
  for (size_t i = 0; i < self->count; i++) {
    misspelt *pair = &self->pairs[i];
    if (pair->rare != node->column) continue;
    const ee_value *usual = ee_value_member(node->parent, self->audit->columns.items[pair->usual].key, arena);
    if (usual != NULL) pair->together = true;
    if (pair->entry == NULL) continue;
    ee_audit_affect(self->audit, pair->entry, node->record);
    const uint32_t columns[] = {pair->usual, pair->rare};
    for (int k = 0; k < 2; k++) {
      ee_str path = self->audit->columns.items[columns[k]].path;
      ee_hash_index_add(&self->audit->misspelt, ee_hash_bytes(path.data, path.length, node->record), 0);
    }
  }
}

/* Limit on the keys that are compared: an object with more has keys that are data. */
#define MAX_KEYS 5000

void ee_audit_check_keys(ee_audit *audit) {
  if (!ee_audit_wants(audit, EE_AUDIT_MISSPELT_KEY)) return;
  if (audit->columns.count > MAX_KEYS) {
    ee_audit_note_that(audit, EE_AUDIT_MISSPELT_KEY, "not checked: there are %zu paths, more than %d",
                       audit->columns.count, MAX_KEYS);
    return;
  }
  ee_arena arena;
  ee_arena_init(&arena, 0);
  keys self = {.audit = audit, .pairs = EE_NEW_ARRAY(&arena, misspelt, audit->columns.count)};
  for (uint32_t i = 1; i < audit->columns.count; i++) {
    uint32_t usual = find_usual(audit, i, &arena);
    if (usual > 0) self.pairs[self.count++] = (misspelt){.rare = i, .usual = usual};
  }
  if (self.count > 0) {
    ee_audit_walk(audit, look_at_object, &self); /* are they ever together? */
    size_t kept = 0;
    for (size_t i = 0; i < self.count; i++) {
      misspelt *pair = &self.pairs[i];
      const ee_audit_column *rare = &audit->columns.items[pair->rare], *usual = &audit->columns.items[pair->usual];
      if (pair->together) continue;
      pair->entry = ee_audit_find(audit, EE_AUDIT_MISSPELT_KEY, rare->path, WEIGHT, rare->nodes, rare->key, usual->key,
                                  "%llu of %llu objects have this key; %llu have '%.*s', which is missing here",
                                  (unsigned long long)rare->nodes,
                                  (unsigned long long)audit->columns.items[rare->parent].types[EE_OBJECT],
                                  (unsigned long long)usual->nodes, EE_STR_ARG(usual->key));
      self.pairs[kept++] = *pair;
    }
    self.count = kept;
    if (kept > 0) ee_audit_walk(audit, look_at_object, &self);
  }
  ee_arena_fini(&arena);
}
