/* quality_align.c: which elements of two lists at the same place belong together.
 *
 * In this order: elements that are the same; empty ones with empty ones; those that are equal without what is empty
 * inside them; texts that are alike; objects whose members are alike on average. Among elements that differ only in how
 * their emptiness is spelled the first step takes those of the same keys, and sorting decides about the others, so that
 * the order of a list changes nothing. */
#include "judge/pairing/item_keys.h"
#include "judge/pairing/pairs.h"
#include "judge/quality/quality_judge.h"
#include "prim/sort.h"

/* Elements that are less alike than this do not belong together. */
#define ALIGN_THRESHOLD 0.5

/* One element of a list. Where nothing inside it is empty all three values are one. */
typedef struct element {
  const ee_value *value;
  const ee_value *filled; /* without what is empty inside it */
  const ee_value *marked; /* with a blank text for all that is empty: null and "  " are the same, no key is not */
  uint32_t index;
  ee_arena *scratch; /* for comparing values */
} element;

/* Elements of one side that have no partner yet. */
typedef struct elements {
  element *items;
  uint32_t count;
  bool any_empty; /* there was something empty in the list: a value, or inside of one */
} elements;

typedef struct alignment {
  const ee_quality *quality;
  ee_context *context;
  ee_arena *arena;
  elements expected, candidate;
  uint32_t *partner; /* per index of the expected list: that of the candidate's, or EE_UNPAIRED */
} alignment;

/* What is empty -------------------------------------------------------------------------------- */

static bool has_empty_inside(const ee_value *value, const ee_empty_rule *rule) {
  if (ee_type_of(value) < EE_ARRAY) return false;
  for (const ee_value *child = ee_value_child(value); child != NULL; child = ee_value_next(child)) {
    if (ee_value_is_empty(child, rule) || has_empty_inside(child, rule)) return true;
  }
  return false;
}

/* A copy of a list or an object without what is empty at any depth, or with a blank text in its place. The recursion is
 * bounded by the reader's nesting limit. */
static ee_value *rewrite(const ee_value *value, bool marked, const ee_empty_rule *rule, ee_arena *arena) {
  ee_value *copy = ee_value_new(arena, ee_type_of(value));
  for (const ee_value *child = ee_value_child(value); child != NULL; child = ee_value_next(child)) {
    ee_value *node;
    if (ee_value_is_empty(child, rule)) {
      if (!marked) continue;
      node = ee_value_new_string(arena, EE_STR(""));
    } else if (ee_type_of(child) >= EE_ARRAY) {
      node = rewrite(child, marked, rule, arena);
    } else {
      node = ee_arena_alloc(arena, sizeof *node);
      *node = *child;
    }
    if (ee_type_of(value) == EE_OBJECT) {
      ee_value_set(arena, copy, ee_value_key(child), node);
    } else {
      ee_value_append(copy, node);
    }
  }
  return copy;
}

static elements list_elements(const alignment *a, const ee_value *list) {
  const ee_empty_rule *rule = &a->quality->empty;
  elements found = {.items = ee_arena_alloc(a->arena, ee_value_count(list) * sizeof *found.items)};
  const ee_value *blank = NULL;
  for (const ee_value *value = ee_value_child(list); value != NULL; value = ee_value_next(value), found.count++) {
    element *item = &found.items[found.count];
    *item = (element){.value = value, .filled = value, .marked = value, .index = found.count, .scratch = a->arena};
    if (ee_value_is_empty(value, rule)) {
      if (blank == NULL) blank = ee_value_new_string(a->arena, EE_STR(""));
      item->marked = blank;
    } else if (has_empty_inside(value, rule)) {
      item->filled = rewrite(value, false, rule, a->arena);
      item->marked = rewrite(value, true, rule, a->arena);
    }
    found.any_empty = found.any_empty || item->marked != value;
  }
  return found;
}

/* Partners ------------------------------------------------------------------------------------- */

static ee_item_table table_of(const alignment *a, const elements *side, bool marked) {
  ee_item_table table = {.rows = side->count, .empty = &a->quality->empty, .arena = a->arena};
  table.items = ee_arena_alloc(a->arena, side->count * sizeof *table.items);
  table.indices = ee_arena_alloc(a->arena, side->count * sizeof *table.indices);
  for (uint32_t i = 0; i < side->count; i++) {
    table.items[i] = marked ? side->items[i].marked : side->items[i].filled;
    table.indices[i] = side->items[i].index;
  }
  table.filled = table.items;
  return table;
}

/* Notes the pairs that an aligner found between `expected` and `candidate`. */
static void take_pairs(const alignment *a, const ee_aligner *aligner) {
  for (uint32_t i = 0; i < aligner->expected->rows; i++) {
    uint32_t row = aligner->candidate_of[i];
    if (row != EE_UNPAIRED) a->partner[aligner->expected->indices[i]] = aligner->candidate->indices[row];
  }
}

static void keep_unpaired(elements *side, const uint32_t *partners) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < side->count; i++) {
    if (partners[i] == EE_UNPAIRED) side->items[kept++] = side->items[i];
  }
  side->count = kept;
}

static void pair_equal(alignment *a, bool marked) {
  ee_item_table expected = table_of(a, &a->expected, marked), candidate = table_of(a, &a->candidate, marked);
  ee_aligner aligner;
  ee_align_start(&aligner, a->context, &expected, &candidate);
  ee_align_equal(&aligner);
  take_pairs(a, &aligner);
  keep_unpaired(&a->expected, aligner.candidate_of);
  keep_unpaired(&a->candidate, aligner.expected_of);
}

static bool before(const element *a, const element *b) {
  return ee_value_compare(a->marked, b->marked, a->scratch) < 0;
}

EE_DEFINE_SORT(sort_elements, element, before)

/* Takes the elements of which `belongs` is true out of `side`; both keep their order. */
static elements take_out(const alignment *a, elements *side, bool (*belongs)(const alignment *a, const element *item)) {
  elements taken = {.items = ee_arena_alloc(a->arena, side->count * sizeof *taken.items)};
  uint32_t kept = 0;
  for (uint32_t i = 0; i < side->count; i++) {
    elements *to = belongs(a, &side->items[i]) ? &taken : side;
    to->items[to == side ? kept++ : taken.count++] = side->items[i];
  }
  side->count = kept;
  return taken;
}

/* With what is empty inside it left out, for that may leave nothing that counts. */
static bool is_empty(const alignment *a, const element *item) {
  return ee_value_is_empty(item->filled, &a->quality->empty);
}

static bool is_text(const alignment *a, const element *item) {
  (void)a;
  return ee_type_of(item->filled) == EE_STRING;
}

/* Empty elements stand for each other, so that a list against itself is perfect however it spells them. */
static void pair_empty(alignment *a) {
  elements expected = take_out(a, &a->expected, is_empty), candidate = take_out(a, &a->candidate, is_empty);
  for (uint32_t i = 0; i < expected.count && i < candidate.count; i++) {
    a->partner[expected.items[i].index] = candidate.items[i].index;
  }
}

/* What is alike -------------------------------------------------------------------------------- */

/* Takes the most similar pairs, by `match`. The tables have their cells. */
static ee_reason pair_similar(const alignment *a, ee_aligner *aligner, const ee_match_field *match, size_t count) {
  ee_match_rule rule = {.method = EE_MATCH_GREEDY,
                        .fields = match,
                        .field_count = count,
                        .threshold = ALIGN_THRESHOLD,
                        .similarity_function = EE_NO_FUNCTION,
                        .key_function = EE_NO_FUNCTION,
                        .key_column = EE_NO_COLUMN,
                        .pair_limit = EE_PAIRS_LIMIT};
  aligner->rule = &rule;
  ee_align(aligner);
  aligner->rule = NULL;
  if (aligner->too_many) return EE_REASON_OF("too many similar items: more than 8388608 pairs");
  take_pairs(a, aligner);
  return (ee_reason){0};
}

/* By edit distance, as the texts inside of objects are: a text is its own and only cell. */
static ee_reason pair_texts(alignment *a) {
  elements texts[2] = {take_out(a, &a->expected, is_text), take_out(a, &a->candidate, is_text)};
  if (texts[0].count == 0 || texts[1].count == 0) return (ee_reason){0};
  ee_item_table tables[2];
  for (size_t i = 0; i < 2; i++) {
    tables[i] = table_of(a, &texts[i], false);
    tables[i].columns = 1;
    tables[i].cells = tables[i].items;
  }
  ee_aligner aligner;
  ee_align_start(&aligner, a->context, &tables[0], &tables[1]);
  ee_match_field whole = {.empty = a->quality->empty, .weight = 1};
  return pair_similar(a, &aligner, &whole, 1);
}

static void fetch(ee_item_table *table, const ee_item_columns *columns, ee_item_guess *guess, ee_arena *arena) {
  ee_item_table_set_columns(table, columns, arena);
  for (uint32_t i = 0; i < table->rows; i++) ee_item_table_fetch(table, columns, guess, i, arena);
}

/* By all keys of the data. Elements without keys are equal, which is settled, or no pair. */
static ee_reason pair_objects(alignment *a) {
  ee_item_table expected = table_of(a, &a->expected, false), candidate = table_of(a, &a->candidate, false);
  if (expected.rows == 0 || candidate.rows == 0) return (ee_reason){0};
  ee_aligner aligner;
  ee_align_start(&aligner, a->context, &expected, &candidate);
  static const ee_item_columns none = {.count = 0};
  ee_item_keys keys;
  ee_item_keys_find(&keys, &aligner, &none, NULL, a->quality->automatic);
  if (keys.too_many) return EE_REASON_OF(EE_ITEM_KEYS_TOO_MANY);
  if (keys.count == 0) return (ee_reason){0};
  ee_item_guess guess;
  guess.count = 0;
  fetch(&expected, &keys.columns, &guess, a->arena);
  fetch(&candidate, &keys.columns, &guess, a->arena);
  /* Alike, not equal: whether values are right is asked afterwards. Only of pairs that are as much alike those with
   * more values that are equal come first. */
  ee_match_field *match = ee_arena_alloc(a->arena, keys.count * sizeof *match);
  ee_condition *conditions = ee_arena_alloc(a->arena, keys.count * sizeof *conditions);
  for (size_t i = 0; i < keys.count; i++) {
    match[i] = keys.match[i];
    match[i].field = NULL;
    conditions[i] = (ee_condition){.judged = true};
  }
  aligner.fields = keys.fields;
  aligner.conditions = conditions;
  aligner.field_count = keys.count;
  return pair_similar(a, &aligner, match, keys.count);
}

ee_reason ee_quality_align(const ee_quality *quality, ee_context *context, const ee_value *expected,
                           const ee_value *candidate, uint32_t *partner) {
  alignment a = {.quality = quality, .context = context, .arena = context->arena, .partner = partner};
  /* Only the pairs are needed afterwards. */
  ee_arena_mark mark = ee_arena_get_mark(a.arena);
  for (uint32_t i = 0; i < ee_value_count(expected); i++) partner[i] = EE_UNPAIRED;
  a.expected = list_elements(&a, expected);
  a.candidate = list_elements(&a, candidate);
  pair_equal(&a, true);
  if (a.expected.any_empty || a.candidate.any_empty) {
    sort_elements(a.expected.items, a.expected.count, a.arena);
    sort_elements(a.candidate.items, a.candidate.count, a.arena);
    pair_empty(&a);
    pair_equal(&a, false);
  }
  ee_reason failure = pair_texts(&a);
  if (failure.kind == EE_REASON_NONE) failure = pair_objects(&a);
  ee_arena_rewind(a.arena, mark);
  return failure;
}
