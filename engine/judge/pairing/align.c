/* align.c: pairing equal items, items of equal keys, and items at the same place. */
#include "judge/pairing/align_parts.h"

#include "base/hash.h"
#include "judge/plan.h"

void ee_align_start(ee_aligner *aligner, ee_context *context, const ee_item_table *expected,
                    const ee_item_table *candidate) {
  *aligner = (ee_aligner){.context = context, .expected = expected, .candidate = candidate};
  ee_arena *arena = context->arena;
  aligner->candidate_of = ee_arena_alloc(arena, expected->rows * sizeof *aligner->candidate_of);
  aligner->expected_of = ee_arena_alloc(arena, candidate->rows * sizeof *aligner->expected_of);
  aligner->similarity = ee_arena_alloc(arena, expected->rows * sizeof *aligner->similarity);
  aligner->equal = ee_arena_calloc(arena, expected->rows, sizeof *aligner->equal);
  for (uint32_t i = 0; i < expected->rows; i++) aligner->candidate_of[i] = EE_UNPAIRED;
  for (uint32_t i = 0; i < candidate->rows; i++) aligner->expected_of[i] = EE_UNPAIRED;
}

void ee_align_start_beside(ee_aligner *aligner, const ee_aligner *other) {
  ee_align_start(aligner, other->context, other->expected, other->candidate);
  aligner->rule = other->rule;
  aligner->fields = other->fields;
  aligner->conditions = other->conditions;
  aligner->field_count = other->field_count;
}

bool ee_align_is_complete(const ee_aligner *aligner) {
  uint32_t rows = aligner->expected->rows, columns = aligner->candidate->rows, pairs = 0;
  for (uint32_t i = 0; i < rows; i++) pairs += aligner->candidate_of[i] != EE_UNPAIRED;
  return pairs == (rows < columns ? rows : columns);
}

ee_fixed ee_align_total(const ee_aligner *aligner) {
  ee_fixed total = {0};
  for (uint32_t i = 0; i < aligner->expected->rows; i++) {
    if (aligner->candidate_of[i] != EE_UNPAIRED) ee_fixed_add(&total, ee_fixed_from(aligner->similarity[i]));
  }
  return total;
}

/* Hash chains -------------------------------------------------------------------------------------------------------
 */

/* Rows by hash; a chain lists its rows in ascending order. */
typedef struct row_chains {
  uint32_t *heads, *next;
  uint64_t *hashes;
  size_t mask;
} row_chains;

static void chains_start(row_chains *chains, uint32_t rows, ee_arena *arena) {
  size_t size = 16;
  while (size < (size_t)rows * 2) size *= 2;
  chains->mask = size - 1;
  chains->heads = ee_arena_alloc(arena, size * sizeof *chains->heads);
  memset(chains->heads, 0xff, size * sizeof *chains->heads);
  chains->next = ee_arena_alloc(arena, rows * sizeof *chains->next);
  chains->hashes = ee_arena_alloc(arena, rows * sizeof *chains->hashes);
}

static uint32_t *chain_of(const row_chains *chains, uint64_t hash) {
  return &chains->heads[ee_hash_mix(hash) & chains->mask];
}

/* Rows must come in descending order. */
static void chains_add(row_chains *chains, uint32_t row, uint64_t hash) {
  uint32_t *head = chain_of(chains, hash);
  chains->hashes[row] = hash;
  chains->next[row] = *head;
  *head = row;
}

/* Equal items -------------------------------------------------------------------------------------------------------
 */

/* Items that are equal as they stand are so without their empty members, which then need not be looked for. */
static bool equal_in_place(const ee_aligner *aligner, uint32_t index) {
  const ee_value *expected = aligner->expected->items[index], *candidate = aligner->candidate->items[index];
  if (ee_value_equal(expected, candidate)) return true;
  const ee_value *a = ee_item_filled(aligner->expected, index), *b = ee_item_filled(aligner->candidate, index);
  return (a != expected || b != candidate) && ee_value_equal(a, b);
}

/* Compares the items that stand at the same place. True when both lists are equal throughout. */
static bool compare_in_place(const ee_aligner *aligner, bool *same) {
  uint32_t rows = aligner->expected->rows, columns = aligner->candidate->rows;
  bool all = rows == columns;
  for (uint32_t i = 0; i < rows && i < columns; i++) {
    same[i] = equal_in_place(aligner, i);
    all = all && same[i];
  }
  return all;
}

/* Takes the first row of `chains` whose item equals the candidate item `column`, of hash `hash`, out of them and
 * returns it; EE_UNPAIRED when there is none. `same` (NULL: not known) tells it of items at the same place. */
static uint32_t remove_equal(const ee_aligner *aligner, const row_chains *chains, uint32_t column, uint64_t hash,
                             const bool *same) {
  for (uint32_t *link = chain_of(chains, hash); *link != EE_UNPAIRED; link = &chains->next[*link]) {
    uint32_t row = *link;
    if (chains->hashes[row] != hash) continue;
    bool equal = same != NULL && row == column ? same[row]
                                               : ee_value_equal(ee_item_filled(aligner->expected, row),
                                                                ee_item_filled(aligner->candidate, column));
    if (!equal) continue;
    *link = chains->next[row];
    return row;
  }
  return EE_UNPAIRED;
}

static void take_equal(ee_aligner *aligner, uint32_t row, uint32_t column) {
  ee_align_take(aligner, row, column, 1);
  aligner->equal[row] = true;
}

void ee_align_equal(ee_aligner *aligner) {
  uint32_t rows = aligner->expected->rows, columns = aligner->candidate->rows;
  if (rows == 0 || columns == 0) return;
  ee_arena *arena = aligner->context->arena;
  bool *same = ee_arena_alloc(arena, rows < columns ? rows : columns);
  if (compare_in_place(aligner, same)) {
    for (uint32_t i = 0; i < rows; i++) take_equal(aligner, i, i);
    return;
  }
  row_chains chains;
  chains_start(&chains, rows, arena);
  for (uint32_t row = rows; row-- > 0;) chains_add(&chains, row, ee_value_hash(ee_item_filled(aligner->expected, row)));
  for (uint32_t column = 0; column < columns; column++) {
    /* Equal values have equal hashes, and those of the expected items are known already. */
    bool known = column < rows && same[column];
    uint64_t hash = known ? chains.hashes[column] : ee_value_hash(ee_item_filled(aligner->candidate, column));
    uint32_t row = remove_equal(aligner, &chains, column, hash, same);
    if (row != EE_UNPAIRED) take_equal(aligner, row, column);
  }
}

/* Keys --------------------------------------------------------------------------------------------------------------
 */

/* The key of an item, or NULL when it has none. `*failed`: its function failed. */
static const ee_value *key_of(ee_aligner *aligner, const ee_item_table *table, uint32_t row, bool *failed) {
  const ee_match_rule *rule = aligner->rule;
  ee_context *context = aligner->context;
  const ee_value *key = NULL;
  *failed = false;
  if (rule->key_function == EE_NO_FUNCTION) {
    key = ee_item_cell(table, row, rule->key_column);
  } else {
    ee_error error = {0};
    ee_status status = context->plan->vtable->map(context->script, rule->key_function, table->items[row], &key, &error);
    if (status != EE_OK) {
      ee_context_rule_error(context, &error);
      *failed = true;
      return NULL;
    }
  }
  return ee_value_is_empty(key, &context->plan->empty) ? NULL : key;
}

/* The keys of one side's items. */
typedef struct item_keys {
  const ee_value **keys; /* NULL: none */
  bool *keyless;         /* there is none, and not because its function failed */
  uint32_t keyless_count;
} item_keys;

static item_keys keys_of(ee_aligner *aligner, const ee_item_table *table) {
  ee_arena *arena = aligner->context->arena;
  item_keys found = {.keys = ee_arena_alloc(arena, table->rows * sizeof *found.keys),
                     .keyless = ee_arena_alloc(arena, table->rows * sizeof *found.keyless)};
  for (uint32_t row = 0; row < table->rows; row++) {
    bool failed;
    found.keys[row] = key_of(aligner, table, row, &failed);
    found.keyless[row] = found.keys[row] == NULL && !failed;
    if (found.keyless[row]) found.keyless_count++;
  }
  return found;
}

/* Pairs items without a key with those that are equal to them, in the order of their indices. Nothing is known of their
 * fields by that: strategies may find fault with equal values. */
static void pair_keyless(ee_aligner *aligner, const item_keys *expected, const item_keys *candidate) {
  if (expected->keyless_count == 0 || candidate->keyless_count == 0) return;
  row_chains chains;
  chains_start(&chains, aligner->expected->rows, aligner->context->arena);
  for (uint32_t row = aligner->expected->rows; row-- > 0;) {
    if (expected->keyless[row]) chains_add(&chains, row, ee_value_hash(ee_item_filled(aligner->expected, row)));
  }
  for (uint32_t column = 0; column < aligner->candidate->rows; column++) {
    if (!candidate->keyless[column]) continue;
    uint64_t hash = ee_value_hash(ee_item_filled(aligner->candidate, column));
    uint32_t row = remove_equal(aligner, &chains, column, hash, NULL);
    if (row != EE_UNPAIRED) ee_align_take(aligner, row, column, 1);
  }
}

static void align_by_key(ee_aligner *aligner) {
  uint32_t rows = aligner->expected->rows, columns = aligner->candidate->rows;
  if (rows == 0 || columns == 0) return;
  item_keys expected = keys_of(aligner, aligner->expected), candidate = keys_of(aligner, aligner->candidate);
  pair_keyless(aligner, &expected, &candidate);
  row_chains chains;
  chains_start(&chains, rows, aligner->context->arena);
  for (uint32_t row = rows; row-- > 0;) {
    if (expected.keys[row] != NULL) chains_add(&chains, row, ee_value_hash(expected.keys[row]));
  }
  ee_pair_list pairs;
  ee_pair_list_start(&pairs, aligner, (size_t)rows * columns);
  for (uint32_t column = 0; column < columns; column++) {
    const ee_value *key = candidate.keys[column];
    if (key == NULL) continue;
    uint64_t hash = ee_value_hash(key);
    for (uint32_t row = *chain_of(&chains, hash); row != EE_UNPAIRED; row = chains.next[row]) {
      if (chains.hashes[row] != hash || !ee_value_equal(expected.keys[row], key)) continue;
      if (!ee_pair_list_add(&pairs, row, column, 1)) {
        aligner->too_many = true;
        return;
      }
    }
  }
  ee_align_resolve(aligner, pairs.items, pairs.count);
}

static void align_by_index(ee_aligner *aligner) {
  uint32_t rows = aligner->expected->rows, columns = aligner->candidate->rows;
  for (uint32_t i = 0; i < rows && i < columns; i++) ee_align_take(aligner, i, i, 1);
}

/* The pairs of equal items that there may be are those of greedy. */
static void align_optimal(ee_aligner *aligner) {
  ee_aligner greedy = *aligner;
  ee_align_start_beside(aligner, &greedy);
  ee_align_both(&greedy, aligner);
}

void ee_align(ee_aligner *aligner) {
  switch (aligner->rule->method) {
  case EE_MATCH_GREEDY: ee_align_greedy(aligner); break;
  case EE_MATCH_OPTIMAL: align_optimal(aligner); break;
  case EE_MATCH_KEY: align_by_key(aligner); break;
  case EE_MATCH_INDEX: align_by_index(aligner); break;
  }
}
