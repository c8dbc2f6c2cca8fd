/* quality_leaves.c: the leaves of two objects for depth = "leaves", with the elements of arrays paired on the way down.
 */
#include <math.h>

#include "base/hash_index.h"
#include "base/work.h"
#include "data/json/path.h"
#include "judge/pairing/item_keys.h"
#include "judge/pairing/pairs.h"
#include "judge/quality/canonical_text.h"
#include "judge/quality/quality.h"
#include "prim/edit.h"
#include "prim/normalize.h"
#include "prim/sort.h"

/* Elements that are less similar do not belong together. */
#define MIN_SIMILARITY 0.5
/* The paths of all leaves of a case together, in bytes. */
#define PATH_LIMIT ((size_t)64 << 20)

/* Units of a look at a value, of its copy, of comparing two, and of a leaf, besides its path. */
#define VALUE_WORK 4
#define COPY_WORK 20
#define COMPARE_WORK 50
#define LEAF_WORK 200

/* Strategies of pairing --------------------------------------------------------------------------- */

/* As EXACT does. */
static void compare_exact(const ee_strategy *strategy, ee_context *context, const ee_value *expected,
                          const ee_value *candidate, ee_comparison *result) {
  if (ee_canonical_texts_equal(expected, candidate, &strategy->empty, context->arena))
    ee_comparison_match(result);
  else
    ee_comparison_miss(result, (ee_reason){.kind = EE_REASON_VALUE_MISMATCH});
}

/* Values of EXACT and of keys that the configuration does not name: equal by EXACT, else how alike two texts are. */
static void compare_alike(const ee_strategy *strategy, ee_context *context, const ee_value *expected,
                          const ee_value *candidate, ee_comparison *result) {
  static const uint8_t forms[] = {EE_NORMAL_TRIM, EE_NORMAL_CASEFOLD};
  compare_exact(strategy, context, expected, candidate, result);
  if (result->matched || ee_type_of(expected) != EE_STRING || ee_type_of(candidate) != EE_STRING) return;
  ee_edit_text texts[2];
  const ee_value *const values[2] = {expected, candidate};
  for (size_t i = 0; i < 2; i++)
    ee_edit_text_init(&texts[i], ee_normalize(ee_value_text(values[i]), forms, sizeof forms, context->arena),
                      context->arena);
  size_t longer = texts[0].length > texts[1].length ? texts[0].length : texts[1].length;
  result->score = ee_edit_similarity(ee_edit_distance(&texts[0], &texts[1], longer, context->arena), longer);
}

/* FUZZY by a function of the rule file. */
static void compare_by_function(const ee_strategy *strategy, ee_context *context, const ee_value *expected,
                                const ee_value *candidate, ee_comparison *result) {
  ee_error error = {0};
  double similarity = 0;
  *result = (ee_comparison){0};
  ee_status status =
      context->plan->vtable->similarity(context->script, strategy->function, expected, candidate, &similarity, &error);
  if (status != EE_OK)
    ee_comparison_script_error(result, context, &error);
  else if (similarity >= 0 && similarity <= 1)
    result->score = similarity; /* another one is reported where the pair is judged */
}

static const ee_strategy_type exact_type = {.name = "EXACT", .equal_matches = true, .compare = compare_exact},
                              alike_type = {.name = "alike", .equal_matches = true, .compare = compare_alike},
                              function_type = {.name = "FUZZY", .equal_matches = true, .compare = compare_by_function};

static const ee_strategy *pairing_strategy(ee_arena *arena, const ee_quality *quality, const ee_strategy_type *type) {
  ee_strategy *strategy = EE_NEW(arena, ee_strategy);
  *strategy = *quality->automatic;
  strategy->type = type;
  strategy->name = ee_str_from(type->name);
  strategy->empty = quality->empty;
  if (type == &function_type) strategy->function = quality->similarity;
  return strategy;
}

void ee_quality_compile_pairing(ee_arena *arena, ee_quality *quality) {
  quality->pair_exact = pairing_strategy(arena, quality, &exact_type);
  quality->pair_alike = pairing_strategy(arena, quality, &alike_type);
  if (quality->similarity != EE_NO_FUNCTION) quality->pair_fuzzy = pairing_strategy(arena, quality, &function_type);
}

/* The strategy by which an entry of the configuration pairs; NULL: as values that it does not name. So do EXACT, which
 * else would tear apart what is written wrong, and models, since the number of pairs is the product of both arrays. */
static const ee_strategy *strategy_of(const ee_quality *quality, const ee_quality_entry *entry) {
  if (entry == NULL) return NULL;
  if (entry->kind == EE_QUALITY_FUZZY) return quality->pair_fuzzy;
  if (entry->kind != EE_QUALITY_STRATEGY || ee_strategy_uses_provider(entry->strategy)) return NULL;
  return entry->strategy;
}

/* Pairing the elements of two arrays ------------------------------------------------------------ */

/* One element of an array. If nothing inside it is empty, all three values are the same. */
typedef struct element {
  const ee_value *value;
  const ee_value *filled; /* without the empty values inside it */
  const ee_value *marked; /* with NaN, which no document has, for every empty value: null and "  " are the same, a
                             missing key is not */
  uint32_t index;
  ee_arena *scratch; /* for comparing values */
} element;

/* Elements of one side that have no partner yet. */
typedef struct elements {
  element *items;
  uint32_t count;
  bool any_empty; /* the array has an empty value, or one with an empty value inside */
} elements;

typedef struct alignment {
  const ee_quality *quality;
  ee_context *context;
  ee_arena *arena;
  ee_path_text *name; /* of the elements, with [*]; grown for their members and cut again */
  elements expected, candidate;
  uint32_t *partner; /* by index of the expected array: index of the candidate element, or EE_UNPAIRED */
} alignment;

/* Empty values inside elements ----------------------------------------------------------------- */

static bool has_empty_inside(const ee_value *value, const ee_empty_rule *rule) {
  if (ee_type_of(value) < EE_ARRAY) return false;
  ee_work(VALUE_WORK * (uint64_t)ee_value_count(value));
  for (const ee_value *child = ee_value_child(value); child != NULL; child = ee_value_next(child)) {
    if (ee_value_is_empty(child, rule) || has_empty_inside(child, rule)) return true;
  }
  return false;
}

/* A copy of an array or object without empty values at any depth, or with NaN in their place. The recursion is bounded
 * by the reader's nesting limit. */
static ee_value *rewrite(const ee_value *value, bool marked, const ee_empty_rule *rule, ee_arena *arena) {
  ee_value *copy = ee_value_new(arena, ee_type_of(value));
  ee_work(COPY_WORK * (uint64_t)ee_value_count(value));
  for (const ee_value *child = ee_value_child(value); child != NULL; child = ee_value_next(child)) {
    ee_value *node;
    if (ee_value_is_empty(child, rule)) {
      if (!marked) continue;
      node = ee_value_new_number(arena, NAN);
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
      if (blank == NULL) blank = ee_value_new_number(a->arena, NAN);
      item->marked = blank;
    } else if (has_empty_inside(value, rule)) {
      item->filled = rewrite(value, false, rule, a->arena);
      item->marked = rewrite(value, true, rule, a->arena);
    }
    found.any_empty = found.any_empty || item->marked != value;
  }
  return found;
}

/* Equal elements ------------------------------------------------------------------------------- */

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

/* Keeps the pairs that an aligner has found. */
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
  ee_work(COMPARE_WORK);
  return ee_value_compare(a->marked, b->marked, a->scratch) < 0;
}

EE_DEFINE_SORT(sort_elements, element, before)

/* Moves the elements for which `belongs` is true out of `side`; both keep their order. */
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

/* Without the empty values inside it, since these may be all it has. */
static bool is_empty(const alignment *a, const element *item) {
  return ee_value_is_empty(item->filled, &a->quality->empty);
}

static bool is_text(const alignment *a, const element *item) {
  (void)a;
  return ee_type_of(item->filled) == EE_STRING;
}

static bool is_scalar(const alignment *a, const element *item) {
  (void)a;
  return ee_type_of(item->filled) < EE_ARRAY;
}

static bool is_any(const alignment *a, const element *item) {
  (void)a, (void)item;
  return true;
}

/* Empty elements pair with each other, so that an array against itself is perfect however they are spelled. */
static void pair_empty(alignment *a) {
  elements expected = take_out(a, &a->expected, is_empty), candidate = take_out(a, &a->candidate, is_empty);
  for (uint32_t i = 0; i < expected.count && i < candidate.count; i++) {
    a->partner[expected.items[i].index] = candidate.items[i].index;
  }
}

/* Similar elements ----------------------------------------------------------------------------- */

/* Pairs the most similar elements by `match`. The tables must have their cells. */
static ee_reason pair_similar(const alignment *a, ee_aligner *aligner, const ee_match_field *match, size_t count) {
  ee_match_rule rule = {.method = EE_MATCH_GREEDY,
                        .fields = match,
                        .field_count = count,
                        .threshold = MIN_SIMILARITY,
                        .similarity_function = EE_NO_FUNCTION,
                        .key_function = EE_NO_FUNCTION,
                        .key_column = EE_NO_COLUMN,
                        .pair_limit = EE_PAIRS_LIMIT};
  aligner->rule = &rule;
  ee_align(aligner);
  aligner->rule = NULL;
  if (aligner->too_many) return EE_REASON_OF("too many similar items: more pairs than --max-pairs");
  take_pairs(a, aligner);
  return (ee_reason){0};
}

/* The elements that `belongs` takes, as their own and only cells: by `strategy`, or NULL, as strings by edit distance.
 * Those without a partner are put back where `keeps`. */
static ee_reason pair_whole(alignment *a, bool (*belongs)(const alignment *a, const element *item),
                            const ee_strategy *strategy, bool keeps) {
  elements *const sides[2] = {&a->expected, &a->candidate};
  elements taken[2] = {take_out(a, sides[0], belongs), take_out(a, sides[1], belongs)};
  ee_aligner aligner = {0};
  ee_reason failure = {0};
  if (taken[0].count > 0 && taken[1].count > 0) {
    ee_item_table tables[2];
    for (size_t i = 0; i < 2; i++) {
      tables[i] = table_of(a, &taken[i], false);
      tables[i].columns = 1;
      tables[i].cells = tables[i].items;
    }
    ee_align_start(&aligner, a->context, &tables[0], &tables[1]);
    static const ee_path here = {.text = {"", 0}};
    ee_field field = {.expected_path = &here, .candidate_path = &here, .strategy = strategy, .required = true};
    field.when = EE_NO_FUNCTION;
    ee_match_field whole = {.field = strategy != NULL ? &field : NULL, .empty = a->quality->empty, .weight = 1};
    failure = pair_similar(a, &aligner, &whole, 1);
  }
  for (size_t i = 0; i < 2 && keeps; i++) {
    uint32_t *partners = i == 0 ? aligner.candidate_of : aligner.expected_of;
    for (uint32_t k = 0; k < taken[i].count; k++)
      if (partners == NULL || partners[k] == EE_UNPAIRED) sides[i]->items[sides[i]->count++] = taken[i].items[k];
  }
  return failure;
}

/* Strings by edit distance, like those inside objects. */
static ee_reason pair_texts(alignment *a) { return pair_whole(a, is_text, NULL, false); }

/* Whether one side has strings and the other has other values that are not arrays or objects: EXACT compares them. */
static bool has_mixed_scalars(const alignment *a) {
  bool strings[2] = {false, false}, others[2] = {false, false};
  const elements *const sides[2] = {&a->expected, &a->candidate};
  for (size_t i = 0; i < 2; i++) {
    for (uint32_t k = 0; k < sides[i]->count; k++) {
      bool text = is_text(a, &sides[i]->items[k]);
      strings[i] |= text;
      others[i] |= !text && is_scalar(a, &sides[i]->items[k]);
    }
  }
  return (strings[0] && others[1]) || (others[0] && strings[1]);
}

/* The values of a key ----------------------------------------------------------------------------- */

static void fetch(ee_item_table *table, const ee_item_columns *columns, ee_item_guess *guess, ee_arena *arena) {
  ee_item_table_set_columns(table, columns, arena);
  for (uint32_t i = 0; i < table->rows; i++) ee_item_table_fetch(table, columns, guess, i, arena);
}

/* Whether the column has strings and other scalars. */
static bool is_mixed(const ee_item_table *const tables[2], uint32_t column) {
  bool text = false, other = false;
  for (size_t i = 0; i < 2; i++) {
    for (uint32_t row = 0; row < tables[i]->rows; row++) {
      ee_type type = ee_type_of(ee_item_cell(tables[i], row, column));
      text |= type == EE_STRING;
      other |= type == EE_NUMBER || type == EE_TRUE || type == EE_FALSE;
    }
  }
  return text && other;
}

/* Objects by all their keys, each by its strategy. Elements without keys have been paired if they are equal; else they
 * are not a pair. */
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
  /* By similarity of the values; only among pairs of equal similarity those with more matching fields come first. */
  const ee_item_table *const tables[2] = {&expected, &candidate};
  ee_match_field *match = ee_arena_alloc(a->arena, keys.count * sizeof *match);
  ee_item_field *fields = ee_arena_alloc(a->arena, keys.count * sizeof *fields);
  ee_condition *conditions = ee_arena_alloc(a->arena, keys.count * sizeof *conditions);
  size_t count = 0;
  for (size_t i = 0; i < keys.count; i++) {
    size_t length = a->name->length;
    ee_path_text_add_key(a->name, keys.fields[i].field->name);
    const ee_quality_entry *entry = ee_quality_find(a->quality, ee_path_text_get(a->name));
    a->name->length = length;
    if (entry != NULL && entry->kind == EE_QUALITY_IGNORE) continue;
    const ee_strategy *strategy = strategy_of(a->quality, entry);
    if (strategy == NULL && is_mixed(tables, keys.match[i].expected_column)) strategy = a->quality->pair_alike;
    match[count] = keys.match[i];
    fields[count] = keys.fields[i];
    match[count].field = NULL;
    if (strategy != NULL) {
      ee_field *field = ee_arena_alloc(a->arena, sizeof *field);
      *field = *keys.fields[i].field;
      field->strategy = strategy;
      match[count].field = fields[count].field = field;
      match[count].empty = strategy->empty;
    }
    conditions[count++] = (ee_condition){.judged = true};
  }
  if (count == 0) { /* all are ignored */
    memcpy(match, keys.match, keys.count * sizeof *match);
    for (; count < keys.count; count++) {
      match[count].field = NULL;
      fields[count] = keys.fields[count];
      conditions[count] = (ee_condition){.judged = true};
    }
  }
  aligner.fields = fields;
  aligner.conditions = conditions;
  aligner.field_count = count;
  return pair_similar(a, &aligner, match, count);
}

/* Pairs the elements of two arrays: `partner`, of the expected array's length, gets the index of each one's partner or
 * EE_UNPAIRED. The order of the arrays changes nothing but indices. NONE, or why there are no pairs: the arrays are too
 * large. Scratch memory is given back.
 *
 * In this order: equal elements; empty ones with empty ones; those that are equal without the empty values inside them;
 * elements that the configuration names, by its strategy; else similar strings; objects whose members are similar on
 * average, each by its strategy. Among elements that differ only in the spelling of
 * empty values the first step pairs those of the same keys, and canonical order decides about the others. */
static ee_reason pair_elements(const ee_quality *quality, ee_context *context, ee_path_text *name,
                               const ee_value *expected, const ee_value *candidate, uint32_t *partner) {
  alignment a = {.quality = quality, .context = context, .arena = context->arena, .name = name, .partner = partner};
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
  size_t length = name->length;
  ee_path_text_add_all(name);
  const ee_strategy *configured = strategy_of(quality, ee_quality_find(quality, ee_path_text_get(name)));
  ee_reason failure = {0};
  if (configured != NULL) {
    failure = pair_whole(&a, is_any, configured, false);
  } else {
    if (has_mixed_scalars(&a)) failure = pair_whole(&a, is_scalar, quality->pair_exact, true);
    if (failure.kind == EE_REASON_NONE) failure = pair_texts(&a);
    if (failure.kind == EE_REASON_NONE) failure = pair_objects(&a);
  }
  name->length = length;
  ee_arena_rewind(a.arena, mark);
  return failure;
}

/* The walk ------------------------------------------------------------------------------------- */

typedef struct key_list {
  EE_LIST(ee_quality_key);
} key_list;

/* Shared by the leaves of one attribute. */
typedef struct attribute {
  ee_str name;
  const ee_quality_entry *entry; /* of the name with [*] */
} attribute;

/* A walk through both documents. */
typedef struct leaf_walk {
  const ee_quality *quality;
  ee_context *context;
  ee_arena *arena;
  bool *found; /* as in ee_quality_find_keys() */
  key_list expected, extra;
  ee_path_text path, name; /* of the current place; `name` has [*] for every index */
  size_t lists;            /* arrays on the way down: without any, path and name are equal */
  size_t path_bytes;
  struct {
    EE_LIST(attribute);
  } attributes;
  ee_hash_index index; /* of the attributes by name */
  ee_str failure_place;
  ee_reason failure;
} leaf_walk;

static bool has_failed(const leaf_walk *walk) { return walk->failure.kind != EE_REASON_NONE; }

static void fail(leaf_walk *walk, ee_reason reason) {
  ee_str place = ee_path_text_get(&walk->path);
  place.length = ee_utf8_cut(place, 200);
  walk->failure_place = place.length > 0 ? (ee_str){ee_arena_copy(walk->arena, place.data, place.length), place.length}
                                         : EE_STR("leaves");
  walk->failure = reason;
}

/* Leaves and attributes ------------------------------------------------------------------------ */

static ee_str copy_text(leaf_walk *walk, const ee_path_text *text) {
  walk->path_bytes += text->length;
  return (ee_str){ee_arena_copy(walk->arena, text->data, text->length), text->length};
}

/* The attribute of the current place; made if it is new. */
static uint32_t current_attribute(leaf_walk *walk) {
  ee_str name = ee_path_text_get(&walk->name);
  uint64_t hash = ee_hash_bytes(name.data, name.length, 0);
  size_t at = 0, number;
  while (ee_hash_index_next(&walk->index, hash, &at, &number)) {
    if (ee_str_equal(walk->attributes.items[number].name, name)) return (uint32_t)number;
  }
  ee_hash_index_add(&walk->index, hash, walk->attributes.count);
  *EE_LIST_ADD(&walk->attributes, walk->arena) =
      (attribute){.name = copy_text(walk, &walk->name), .entry = ee_quality_find(walk->quality, name)};
  return (uint32_t)walk->attributes.count - 1;
}

static void note_found(const leaf_walk *walk, const ee_quality_entry *entry) {
  if (walk->found != NULL && entry != NULL) walk->found[entry - walk->quality->entries] = true;
}

/* Adds a leaf at the current place. The configuration may name its own path, or all of them by [*]. */
static void add_leaf(leaf_walk *walk, const ee_value *expected, const ee_value *candidate) {
  ee_work(LEAF_WORK + walk->path.length + walk->name.length);
  uint32_t slot = current_attribute(walk);
  const attribute *at = &walk->attributes.items[slot];
  ee_quality_key key = {.attribute = at->name, .path = at->name, .slot = slot, .entry = at->entry};
  key.expected = expected;
  key.candidate = candidate;
  note_found(walk, key.entry);
  if (walk->lists > 0) {
    key.path = copy_text(walk, &walk->path);
    const ee_quality_entry *own = ee_quality_find(walk->quality, key.path);
    if (own != NULL) key.entry = own;
    note_found(walk, own);
  }
  if (walk->path_bytes > PATH_LIMIT) {
    fail(walk, EE_REASON_OF("the paths of the leaves are too long: more than 67108864 bytes"));
    return;
  }
  key_list *list = expected != NULL ? &walk->expected : &walk->extra;
  *EE_LIST_ADD(list, walk->arena) = key;
}

/* Going down ----------------------------------------------------------------------------------- */

static void walk_pair(leaf_walk *walk, const ee_value *expected, const ee_value *candidate);

static void walk_member(leaf_walk *walk, ee_str key, const ee_value *expected, const ee_value *candidate) {
  size_t path_length = walk->path.length, name_length = walk->name.length;
  ee_path_text_add_key(&walk->path, key);
  ee_path_text_add_key(&walk->name, key);
  walk_pair(walk, expected, candidate);
  walk->path.length = path_length;
  walk->name.length = name_length;
}

/* `extra`: only the candidate has the item, and the index is the candidate's. */
static void walk_item(leaf_walk *walk, uint32_t index, bool extra, const ee_value *expected,
                      const ee_value *candidate) {
  size_t path_length = walk->path.length, name_length = walk->name.length;
  walk->lists++;
  if (extra) {
    ee_path_text_add_extra(&walk->path, index);
  } else {
    ee_path_text_add_index(&walk->path, index);
  }
  ee_path_text_add_all(&walk->name);
  walk_pair(walk, expected, candidate);
  walk->path.length = path_length;
  walk->name.length = name_length;
  walk->lists--;
}

/* NULL is an empty object. */
static void walk_objects(leaf_walk *walk, const ee_value *expected, const ee_value *candidate) {
  ee_quality_keys keys;
  static const ee_quality no_entries = {.entry_count = 0};
  ee_quality_find_keys(&no_entries, expected, candidate, walk->arena, NULL, &keys);
  for (size_t i = 0; i < keys.count && !has_failed(walk); i++) {
    walk_member(walk, keys.items[i].path, keys.items[i].expected, keys.items[i].candidate);
  }
}

/* Arrays --------------------------------------------------------------------------------------- */

/* The items in the order of the arrays: the expected ones with their partners, then the other candidate items. */
static void walk_lists(leaf_walk *walk, const ee_value *expected, const ee_value *candidate) {
  uint32_t count = ee_value_count(candidate), index = 0;
  ee_work_bound(EE_BOUND_ITEMS, count, "items in an array");
  ee_work_bound(EE_BOUND_ITEMS, ee_value_count(expected), "items in an array");
  uint32_t *partner = ee_arena_alloc(walk->arena, ee_value_count(expected) * sizeof *partner);
  const ee_value **items = ee_arena_alloc(walk->arena, count * sizeof *items);
  bool *taken = ee_arena_calloc(walk->arena, count, sizeof *taken);
  ee_reason failure = pair_elements(walk->quality, walk->context, &walk->name, expected, candidate, partner);
  if (failure.kind != EE_REASON_NONE) {
    fail(walk, failure);
    return;
  }
  for (const ee_value *item = ee_value_child(candidate); item != NULL; item = ee_value_next(item)) {
    items[index++] = item;
  }
  index = 0;
  for (const ee_value *item = ee_value_child(expected); item != NULL && !has_failed(walk);
       item = ee_value_next(item), index++) {
    bool paired = partner[index] != EE_UNPAIRED;
    if (paired) taken[partner[index]] = true;
    walk_item(walk, index, false, item, paired ? items[partner[index]] : NULL);
  }
  for (index = 0; index < count && !has_failed(walk); index++) {
    if (!taken[index]) walk_item(walk, index, true, NULL, items[index]);
  }
}

/* Any two values ------------------------------------------------------------------------------- */

static bool is_leaf(const ee_value *value) { return ee_type_of(value) < EE_ARRAY || ee_value_count(value) == 0; }

static bool is_nothing(const leaf_walk *walk, const ee_value *value) {
  return is_leaf(value) && ee_value_is_empty(value, &walk->quality->empty);
}

/* All leaves of `expected`, where the candidate has none. */
static void walk_expected(leaf_walk *walk, const ee_value *expected) {
  uint32_t index = 0;
  if (is_leaf(expected)) add_leaf(walk, expected, NULL);
  for (const ee_value *child = ee_value_child(expected); child != NULL && !has_failed(walk);
       child = ee_value_next(child), index++) {
    if (ee_type_of(expected) == EE_ARRAY) {
      walk_item(walk, index, false, child, NULL);
    } else {
      walk_member(walk, ee_value_key(child), child, NULL);
    }
  }
}

/* All leaves of `candidate`, each against `expected`, an empty value; NULL: the leaves are extra. */
static void walk_candidate(leaf_walk *walk, const ee_value *expected, const ee_value *candidate) {
  uint32_t index = 0;
  if (is_leaf(candidate)) add_leaf(walk, expected, candidate);
  for (const ee_value *child = ee_value_child(candidate); child != NULL && !has_failed(walk);
       child = ee_value_next(child), index++) {
    if (ee_type_of(candidate) == EE_ARRAY) {
      walk_item(walk, index, true, expected, child);
    } else {
      walk_member(walk, ee_value_key(child), expected, child);
    }
  }
}

/* True if the configuration names the current place, which is then one leaf with any value. */
static bool is_configured(const leaf_walk *walk) {
  if (walk->quality->entry_count == 0) return false;
  if (ee_quality_find(walk->quality, ee_path_text_get(&walk->name)) != NULL) return true;
  return walk->lists > 0 && ee_quality_find(walk->quality, ee_path_text_get(&walk->path)) != NULL;
}

/* Both values at the current place; one may be NULL. Recursion is bounded by the reader's nesting limit. */
static void walk_pair(leaf_walk *walk, const ee_value *expected, const ee_value *candidate) {
  ee_type type = ee_type_of(expected), other = ee_type_of(candidate);
  if ((is_leaf(expected) && is_leaf(candidate)) || is_configured(walk)) {
    add_leaf(walk, expected, candidate);
  } else if (is_nothing(walk, expected)) {
    walk_candidate(walk, expected, candidate);
  } else if (is_nothing(walk, candidate)) {
    walk_expected(walk, expected);
  } else if (type == EE_OBJECT && other == EE_OBJECT) {
    walk_objects(walk, expected, candidate);
  } else if (type == EE_ARRAY && other == EE_ARRAY) {
    walk_lists(walk, expected, candidate);
  } else {
    walk_expected(walk, expected);
    walk_candidate(walk, NULL, candidate);
  }
}

void ee_quality_find_leaves(const ee_quality *quality, ee_context *context, const ee_value *expected,
                            const ee_value *candidate, bool *found, ee_quality_keys *keys) {
  leaf_walk walk = {.quality = quality, .context = context, .arena = context->arena, .found = found};
  walk.path.arena = walk.name.arena = walk.index.arena = walk.arena;
  walk_objects(&walk, expected, candidate);
  *keys = (ee_quality_keys){0};
  if (has_failed(&walk)) {
    keys->failure_place = walk.failure_place;
    keys->failure = walk.failure;
    return;
  }
  keys->expected_count = walk.expected.count;
  keys->count = walk.expected.count + walk.extra.count;
  keys->attribute_count = walk.attributes.count;
  keys->items = ee_arena_alloc(walk.arena, keys->count * sizeof *keys->items);
  if (walk.expected.count > 0) memcpy(keys->items, walk.expected.items, walk.expected.count * sizeof *keys->items);
  if (walk.extra.count > 0) {
    memcpy(keys->items + walk.expected.count, walk.extra.items, walk.extra.count * sizeof *keys->items);
  }
}
