/* item_keys.c: listing the keys that line items have, each once. */
#include "judge/pairing/item_keys.h"

/* There is a cell for every item and every key. Up to KEYS_UNBOUNDED keys are always allowed. With more, the keys may
 * be data themselves, and a case has at most CELL_LIMIT cells, of 8 bytes each. */
#define KEYS_UNBOUNDED 256
#define CELL_LIMIT ((size_t)1 << 23)

typedef struct key_finder {
  const ee_aligner *aligner;
  const ee_field_list *ignored; /* or NULL */
  ee_arena *arena;
  ee_item_columns *columns;
  ee_item_guess guess;
  struct {
    EE_LIST(uint32_t);
  } found;    /* columns of the keys in order of appearance */
  bool *seen; /* by column, up to seen_count */
  size_t seen_count;
} key_finder;

static bool is_ignored(const ee_field_list *ignored, ee_str key) {
  if (ignored == NULL) return false;
  for (size_t i = 0; i < ignored->ignored_count; i++) {
    const ee_path *path = ignored->ignored[i].expected_path;
    if (path->count == 1 && path->steps[0].kind != EE_STEP_INDEX && ee_str_equal(path->steps[0].key, key)) return true;
  }
  return false;
}

/* Notes the key in `column` (of `finder->columns`) as a field, once. */
static void note_key(key_finder *finder, uint32_t column) {
  if (column >= finder->seen_count) {
    size_t count = column < 16 ? 32 : (size_t)column * 2;
    bool *seen = EE_NEW_ARRAY(finder->arena, bool, count);
    if (finder->seen_count > 0) memcpy(seen, finder->seen, finder->seen_count);
    finder->seen = seen;
    finder->seen_count = count;
  }
  if (finder->seen[column]) return;
  finder->seen[column] = true;
  *EE_LIST_ADD(&finder->found, finder->arena) = column;
}

static void find_keys(key_finder *finder, const ee_value *item) {
  if (ee_type_of(item) != EE_OBJECT) return;
  uint32_t position = 0;
  for (const ee_value *member = ee_value_child(item); member != NULL; member = ee_value_next(member), position++) {
    ee_str key = ee_value_key(member);
    size_t before = finder->columns->count;
    uint32_t column = ee_item_guess_column(&finder->guess, finder->columns, position, key);
    if (column == EE_NO_COLUMN) {
      if (is_ignored(finder->ignored, key)) continue;
      column = ee_item_columns_add_key(finder->columns, key);
      if (position < EE_ITEM_GUESSES) finder->guess.members[position].column = column;
    }
    if (column < before && column < finder->seen_count && finder->seen[column]) continue;
    if (!is_ignored(finder->ignored, key)) note_key(finder, column);
  }
}

static bool has_too_many(const key_finder *finder) {
  const ee_aligner *aligner = finder->aligner;
  size_t rows = (size_t)aligner->expected->rows + aligner->candidate->rows;
  return finder->columns->count > KEYS_UNBOUNDED && rows * finder->columns->count > CELL_LIMIT;
}

/* The keys of all items; false when there are too many. Candidate items that are paired as equal have the same keys as
 * their partners, except for those of empty members. */
static bool find_all_keys(key_finder *finder) {
  const ee_aligner *aligner = finder->aligner;
  const ee_item_table *expected = aligner->expected, *candidate = aligner->candidate;
  for (uint32_t i = 0; i < expected->rows && !has_too_many(finder); i++) find_keys(finder, expected->items[i]);
  for (uint32_t i = 0; i < candidate->rows && !has_too_many(finder); i++) {
    bool paired = aligner->expected_of[i] != EE_UNPAIRED;
    if (!paired || ee_item_filled(candidate, i) != candidate->items[i]) find_keys(finder, candidate->items[i]);
  }
  return !has_too_many(finder);
}

static void make_field(ee_arena *arena, ee_str key, const ee_strategy *strategy, ee_field *field) {
  ee_step *step = ee_arena_alloc(arena, sizeof *step);
  *step = (ee_step){.kind = EE_STEP_KEY, .key = key};
  ee_path *path = ee_arena_alloc(arena, sizeof *path);
  *path = (ee_path){.text = key, .steps = step, .count = 1};
  *field = (ee_field){.name = key,
                      .expected_path = path,
                      .candidate_path = path,
                      .strategy = strategy,
                      .weight = 1,
                      .required = true,
                      .when = EE_NO_FUNCTION};
}

void ee_item_keys_find(ee_item_keys *keys, const ee_aligner *aligner, const ee_item_columns *given,
                       const ee_field_list *ignored, const ee_strategy *strategy) {
  ee_arena *arena = aligner->context->arena;
  *keys = (ee_item_keys){0};
  ee_item_columns_copy(&keys->columns, given, arena);
  key_finder finder = {.aligner = aligner, .ignored = ignored, .arena = arena, .columns = &keys->columns};
  keys->too_many = !find_all_keys(&finder);
  if (keys->too_many) return;
  ee_item_field *fields = ee_arena_alloc(arena, finder.found.count * sizeof *fields);
  ee_match_field *match = ee_arena_alloc(arena, finder.found.count * sizeof *match);
  ee_field *made = ee_arena_alloc(arena, finder.found.count * sizeof *made);
  for (size_t i = 0; i < finder.found.count; i++) {
    uint32_t column = finder.found.items[i];
    make_field(arena, keys->columns.items[column].key, strategy, &made[i]);
    fields[i] = (ee_item_field){&made[i], column, column, (uint32_t)i};
    match[i] = (ee_match_field){.field = &made[i],
                                .empty = strategy->empty,
                                .weight = 1,
                                .expected_column = column,
                                .candidate_column = column};
  }
  keys->fields = fields;
  keys->match = match;
  keys->count = finder.found.count;
}
