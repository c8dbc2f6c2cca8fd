/* tree_read.c: the values of a document with what comparing needs to know: places, strategies, weights, hashes. */
#include <math.h>

#include "base/work.h"
#include "data/json/json_equal.h"
#include "judge/tree/tree.h"
#include "prim/sort.h"

/* Units of a value, and of a place that is new. */
#define VALUE_WORK 40
#define PLACE_WORK 100

#define SEED_ARRAY UINT64_C(0x7b1f8c02a4d9e635)
#define SEED_OBJECT UINT64_C(0x2c9d4f60b81e3a77)
#define SEED_EMPTY UINT64_C(0x51a6e7d3094bc8f2)

/* Selectors ------------------------------------------------------------------------------------- */

/* Whether `key` is what `pattern` says, in which * stands for any characters. */
static bool matches_key(ee_str pattern, ee_str key) {
  size_t p = 0, k = 0, star = SIZE_MAX, from = 0;
  while (k < key.length) {
    if (p < pattern.length && pattern.data[p] == '*') {
      star = p++;
      from = k;
    } else if (p < pattern.length && pattern.data[p] == key.data[k]) {
      p++;
      k++;
    } else if (star != SIZE_MAX) {
      p = star + 1;
      k = ++from;
      ee_work(1);
    } else {
      return false;
    }
  }
  while (p < pattern.length && pattern.data[p] == '*') p++;
  return p == pattern.length;
}

static bool matches(const ee_tree_selector *selector, const ee_tree_place *place) {
  if (selector->anywhere ? place->depth < selector->count : place->depth != selector->count) return false;
  for (size_t i = selector->count; i > 0; i--, place = place->parent) {
    const ee_step *step = &selector->steps[i - 1];
    if (place == NULL || (step->kind == EE_STEP_ALL) != place->is_item) return false;
    if (place->is_item) continue;
    if (selector->literal ? !ee_str_equal(step->key, place->key) : !matches_key(step->key, place->key)) return false;
  }
  return true;
}

/* Sets what the schema says of a place that no path of the rule file names. */
static void choose_by_schema(ee_tree_places *places, ee_tree_place *place) {
  ee_tree_schemas *schemas = EE_NEW(places->arena, ee_tree_schemas);
  ee_tree_schemas_of(places->tree, place, schemas, places->arena);
  place->schemas = schemas;
  if (place->leaf == NULL) place->leaf = ee_tree_leaf_by_schema(places->tree, schemas);
}

/* Sets what the rule file says of the place. All selectors that match are noted as found. */
static void choose(ee_tree_places *places, ee_tree_place *place) {
  const ee_tree *tree = places->tree;
  bool *found = places->found;
  ee_work(PLACE_WORK + 10 * (tree->leaf_count + tree->array_count + tree->weight_count));
  place->weight = 1;
  place->leaf_weight = place->parent != NULL ? place->parent->leaf_weight : 1;
  place->arrays = &tree->other_arrays;
  for (size_t i = tree->leaf_count; i-- > 0;) {
    if (!matches(&tree->leaves[i].selector, place)) continue;
    place->leaf = &tree->leaves[i];
    if (found != NULL) found[i] = true;
  }
  if (tree->schema != NULL) choose_by_schema(places, place);
  for (size_t i = tree->array_count; i-- > 0;) {
    if (!matches(&tree->arrays[i].selector, place)) continue;
    place->arrays = &tree->arrays[i];
    if (found != NULL) found[tree->leaf_count + i] = true;
  }
  for (size_t i = tree->weight_count; i-- > 0;) {
    if (!matches(&tree->weights[i].selector, place)) continue;
    place->weight = place->leaf_weight = tree->weights[i].weight;
    if (found != NULL) found[tree->leaf_count + tree->array_count + i] = true;
  }
}

/* Places ---------------------------------------------------------------------------------------- */

static ee_tree_place *new_place(ee_tree_places *places, ee_tree_place *parent, ee_tree_place *before) {
  ee_tree_place *place = EE_NEW(places->arena, ee_tree_place);
  place->parent = parent;
  place->number = places->count++;
  place->slot = EE_TREE_NO_SLOT;
  if (parent != NULL) {
    place->depth = parent->depth + 1;
    ee_tree_place **link = before != NULL ? &before->next : &parent->first;
    place->next = *link;
    *link = place;
  }
  return place;
}

/* The place of the items of an array. */
static ee_tree_place *place_of_items(ee_tree_places *places, ee_tree_place *parent) {
  for (ee_tree_place *place = parent->first; place != NULL; place = place->next)
    if (place->is_item) return place;
  ee_tree_place *place = new_place(places, parent, NULL);
  place->is_item = true;
  choose(places, place);
  return place;
}

static uint64_t hash_of_key(const ee_value *member) {
  return member->key_hash != 0 ? member->key_hash : ee_key_hash(ee_value_key(member));
}

static bool has_key(const ee_tree_place *place, const ee_value *member) {
  return !place->is_item && ee_str_equal(place->key, ee_value_key(member));
}

/* The place of a member. Objects at one place mostly have the same keys in the same order, so that the one after
 * `before` (NULL: the first) is tried first. */
static ee_tree_place *place_of_member(ee_tree_places *places, ee_tree_place *parent, ee_tree_place *before,
                                      const ee_value *member) {
  ee_tree_place *guess = before != NULL ? before->next : parent->first;
  if (guess != NULL && has_key(guess, member)) return guess;
  uint64_t key_hash = hash_of_key(member), hash = ee_hash_mix(key_hash + parent->number);
  size_t at = 0, number;
  while (ee_hash_index_next(&places->index, hash, &at, &number)) {
    ee_tree_place *place = places->all.items[number];
    if (place->parent == parent && has_key(place, member)) return place;
  }
  ee_tree_place *place = new_place(places, parent, before);
  place->key = ee_value_key(member);
  place->key_hash = key_hash;
  choose(places, place);
  ee_hash_index_add(&places->index, hash, places->all.count);
  *EE_LIST_ADD(&places->all, places->arena) = place;
  return place;
}

static void add_steps(ee_path_text *text, const ee_tree_place *place) {
  if (place->parent == NULL) return;
  add_steps(text, place->parent);
  if (place->is_item)
    ee_path_text_add_all(text);
  else
    ee_path_text_add_key(text, place->key);
}

ee_str ee_tree_place_name(ee_tree_places *places, ee_tree_place *place) {
  if (place->name.data != NULL) return place->name;
  if (place->parent == NULL) return place->name = ee_list_path_text(places->tree->paths.expected);
  ee_path_text text = {.arena = places->arena};
  add_steps(&text, place);
  ee_work(text.length);
  return place->name = ee_path_text_get(&text);
}

/* Adds the steps after the last item. */
static void add_tail(ee_path_text *text, const ee_tree_place *place) {
  if (place->parent == NULL || place->is_item) return;
  add_tail(text, place->parent);
  ee_path_text_add_key(text, place->key);
}

ee_str ee_tree_place_tail(ee_tree_places *places, ee_tree_place *place) {
  if (place->tail.data != NULL) return place->tail;
  ee_path_text text = {.arena = places->arena};
  add_tail(&text, place);
  place->tail = text.length > 0 ? ee_path_text_get(&text) : EE_STR("");
  return place->tail;
}

/* Values ---------------------------------------------------------------------------------------- */

static ee_tree_type type_of(const ee_value *value) {
  switch (ee_type_of(value)) {
  case EE_STRING: return EE_TREE_STRING;
  case EE_NUMBER: return EE_TREE_NUMBER;
  case EE_TRUE:
  case EE_FALSE: return EE_TREE_BOOLEAN;
  case EE_ARRAY: return EE_TREE_ARRAY;
  case EE_OBJECT: return EE_TREE_OBJECT;
  default: return EE_TREE_NULL;
  }
}

/* The leaf's strategy by the type of `value`; not NULL. */
static const ee_tree_leaf *leaf_of(const ee_tree *tree, const ee_tree_place *place, const ee_value *value) {
  if (place->leaf != NULL) return place->leaf;
  ee_tree_type type = type_of(value);
  if (type == EE_TREE_NUMBER && tree->by_type[EE_TREE_INTEGER] != NULL) {
    double number = ee_value_number(value);
    if (number == floor(number)) return tree->by_type[EE_TREE_INTEGER];
  }
  return tree->by_type[type] != NULL ? tree->by_type[type] : tree->otherwise;
}

/* A hash that does not depend on the order of keys and items. */
static uint64_t hash_any_order(const ee_value *value) {
  ee_type type = ee_type_of(value);
  if (type < EE_ARRAY) return ee_value_hash(value);
  uint64_t sum = 0;
  for (const ee_value *child = ee_value_child(value); child != NULL; child = ee_value_next(child)) {
    uint64_t hash = hash_any_order(child);
    sum += ee_hash_mix(type == EE_OBJECT ? hash + hash_of_key(child) : hash);
    ee_work(VALUE_WORK);
  }
  return ee_hash_mix(sum + (type == EE_OBJECT ? SEED_OBJECT : SEED_ARRAY) + ee_value_count(value));
}

/* A hash that values share which are equal for the strategy. */
static uint64_t hash_of_leaf(const ee_tree_leaf *leaf, const ee_value *value) {
  if (leaf->field.strategy->empty.none) return ee_json_hash(value);
  return leaf->field.strategy->type == &ee_set_strategy ? hash_any_order(value) : ee_value_hash(value);
}

/* What a value that is one child scores against nothing, and against an equal value. `unread`: the rules cannot read
 * it. */
static void set_sums(const ee_tree *tree, ee_document_side document, bool unread, ee_tree_node *node) {
  static const ee_fixed none = {0};
  bool expected = document == EE_EXPECTED;
  bool scored = !unread, right = false, equal_scored = true;
  if (node->nothing) {
    scored = right = tree->tn == EE_TREE_TN_EITHER || (tree->tn == EE_TREE_TN_SCORE && expected);
    equal_scored = tree->tn != EE_TREE_TN_SKIP;
  } else if (!expected) {
    scored = tree->unexpected != EE_UNEXPECTED_SKIP;
    right = tree->unexpected == EE_UNEXPECTED_PASS;
  }
  node->alone.size = scored ? node->size : none;
  node->alone.sum = right ? node->size : none;
  node->perfect.size = node->perfect.sum = equal_scored ? node->size : none;
}

static void read_leaf(ee_tree_places *places, ee_document_side document, ee_tree_node *node) {
  const ee_value *value = node->value;
  node->empty = ee_value_is_empty(value, &node->leaf->field.strategy->empty);
  node->hash = node->empty ? SEED_EMPTY : hash_of_leaf(node->leaf, value);
  node->reflexive = node->leaf->is_reflexive;
  node->plain = !node->empty && node->leaf->is_plain && ee_type_of(value) < EE_ARRAY;
  node->size = ee_fixed_from(node->place->leaf_weight);
  node->nothing = node->empty || node->size.units == 0;
  bool expected = document == EE_EXPECTED;
  bool unread = expected && !node->empty && !ee_strategy_misses(node->leaf->field.strategy, value, places->arena);
  set_sums(places->tree, document, unread, node);
  if (node->empty) {
    node->alone.nothing = expected;
    node->perfect.nothing = 1;
  } else {
    node->alone.missing = expected && !unread;
    node->alone.spurious = !expected;
    node->perfect.right = 1;
  }
}

static bool number_before(const ee_tree_node *a, const ee_tree_node *b) { return a->place->number < b->place->number; }
EE_DEFINE_SORT(sort_nodes, ee_tree_node, number_before)

/* False for a value that is ignored. */
static bool read_node(ee_tree_places *places, ee_document_side document, ee_tree_place *place, const ee_value *value,
                      ee_tree_node *node);

static void read_children(ee_tree_places *places, ee_document_side document, ee_tree_node *node) {
  const ee_value *value = node->value;
  bool is_object = ee_type_of(value) == EE_OBJECT, sorted = true;
  uint32_t count = 0;
  ee_tree_place *place = is_object ? NULL : place_of_items(places, node->place);
  node->children = ee_arena_alloc(places->arena, ee_value_count(value) * sizeof *node->children);
  for (const ee_value *child = ee_value_child(value); child != NULL; child = ee_value_next(child)) {
    if (is_object) place = place_of_member(places, node->place, place, child);
    if (!read_node(places, document, place, child, &node->children[count])) continue;
    if (count > 0 && node->children[count - 1].place->number > place->number) sorted = false;
    count++;
  }
  node->count = count;
  if (is_object && !sorted) sort_nodes(node->children, count, places->arena);
}

/* What the children give together. */
static void sum_children(const ee_tree *tree, ee_document_side document, ee_tree_node *node) {
  bool is_object = ee_type_of(node->value) == EE_OBJECT,
       in_order = !is_object && node->place->arrays->method == EE_TREE_INDEX;
  uint64_t hash = 0;
  node->nothing = node->reflexive = true;
  for (uint32_t i = 0; i < node->count; i++) {
    const ee_tree_node *child = &node->children[i];
    if (!child->nothing) node->nothing = false;
    if (!child->reflexive) node->reflexive = false;
    ee_fixed_add(&node->size, child->size);
    ee_tree_sum_add(&node->alone, &child->alone);
    ee_tree_sum_add(&node->perfect, &child->perfect);
    if (in_order)
      hash = ee_hash_mix(hash + SEED_ARRAY) ^ child->hash;
    else
      hash += ee_hash_mix(is_object ? child->hash + child->place->key_hash : child->hash);
  }
  node->hash = ee_hash_mix(hash + (is_object ? SEED_OBJECT : SEED_ARRAY));
  if (tree->aggregate == EE_TREE_LEAVES) return;
  /* One child of its parent. */
  ee_tree_node whole = {.nothing = node->nothing, .size = ee_fixed_from(node->size.units != 0 ? 1 : 0)};
  set_sums(tree, document, false, &whole);
  node->alone.sum = whole.alone.sum;
  node->alone.size = whole.alone.size;
  node->perfect.sum = node->perfect.size = ee_fixed_from(node->perfect.size.units != 0 ? 1 : 0);
}

/* Whether `a` counts where nothing answers it: it is empty, and `b` is not; or it is larger. */
static bool stands_for(const ee_tree_node *a, const ee_tree_node *b) {
  return a->nothing != b->nothing ? a->nothing : a->size.units > b->size.units;
}

/* Reads alternatives, which all stand at the node's place. False if all of them are ignored. */
static bool read_options(ee_tree_places *places, const ee_value *options, ee_tree_node *node) {
  node->children = ee_arena_alloc(places->arena, ee_value_count(options) * sizeof *node->children);
  const ee_tree_node *alone = NULL;
  for (const ee_value *option = ee_value_child(options); option != NULL; option = ee_value_next(option)) {
    ee_tree_node *child = &node->children[node->option_count];
    if (!read_node(places, EE_EXPECTED, node->place, option, child)) continue;
    node->option_count++;
    node->hash += ee_hash_mix(child->hash);
    if (alone == NULL || stands_for(child, alone)) alone = child;
  }
  if (alone == NULL) return false;
  node->leaf = alone->leaf;
  node->nothing = alone->nothing;
  node->size = alone->size;
  node->alone = alone->alone;
  node->perfect = alone->perfect;
  return true;
}

static bool read_node(ee_tree_places *places, ee_document_side document, ee_tree_place *place, const ee_value *value,
                      ee_tree_node *node) {
  const ee_tree *tree = places->tree;
  *node = (ee_tree_node){.value = value, .place = place};
  const ee_value *options = tree->alternatives && document == EE_EXPECTED ? ee_value_any_of(value) : NULL;
  if (options != NULL) return read_options(places, options, node);
  node->leaf = leaf_of(tree, place, value);
  if (node->leaf->field.ignored) return false;
  ee_work(VALUE_WORK);
  ee_type type = ee_type_of(value);
  bool is_container = type >= EE_ARRAY && ee_value_count(value) > 0;
  bool by_type = type >= EE_ARRAY && tree->by_type[type == EE_ARRAY ? EE_TREE_ARRAY : EE_TREE_OBJECT] != NULL;
  if (is_container && place->leaf == NULL && !by_type) {
    read_children(places, document, node);
    if (node->count == 0) return false; /* all in it is ignored */
    sum_children(tree, document, node);
  } else {
    read_leaf(places, document, node);
  }
  return true;
}

static void start(ee_tree_places *places) {
  if (places->root != NULL) return;
  places->index.arena = places->arena;
  places->root = new_place(places, NULL, NULL);
  choose(places, places->root);
}

ee_tree_node *ee_tree_read_options(ee_tree_places *places, const ee_value *options) {
  start(places);
  ee_tree_node *node = EE_NEW(places->arena, ee_tree_node);
  *node = (ee_tree_node){.value = options, .place = places->root};
  return read_options(places, options, node) ? node : NULL;
}

ee_tree_node *ee_tree_read(ee_tree_places *places, ee_document_side document, const ee_value *value) {
  start(places);
  if (value == NULL) return NULL;
  ee_tree_node *node = EE_NEW(places->arena, ee_tree_node);
  return read_node(places, document, places->root, value, node) ? node : NULL;
}

/* Equality -------------------------------------------------------------------------------------- */

static bool hash_before(const ee_tree_node *const *a, const ee_tree_node *const *b) { return (*a)->hash < (*b)->hash; }
typedef const ee_tree_node *node_pointer;
EE_DEFINE_SORT(sort_by_hash, node_pointer, hash_before)

static const ee_tree_node **by_hash(const ee_tree_node *node, ee_arena *scratch) {
  const ee_tree_node **items = ee_arena_alloc(scratch, node->count * sizeof *items);
  for (uint32_t i = 0; i < node->count; i++) items[i] = &node->children[i];
  sort_by_hash(items, node->count, scratch);
  return items;
}

bool ee_tree_same(const ee_tree *tree, const ee_tree_node *a, const ee_tree_node *b, ee_arena *scratch) {
  ee_work(VALUE_WORK);
  if (a->hash != b->hash || a->count != b->count || a->place != b->place) return false;
  if (a->count == 0) {
    if (a->empty || b->empty) return a->empty && b->empty;
    if (ee_type_of(a->value) != ee_type_of(b->value)) return false;
    return ee_value_equal_by(a->value, b->value, &a->leaf->field.strategy->empty, scratch);
  }
  ee_type type = ee_type_of(a->value);
  if (type != ee_type_of(b->value)) return false;
  if (type == EE_OBJECT || a->place->arrays->method == EE_TREE_INDEX) {
    for (uint32_t i = 0; i < a->count; i++)
      if (!ee_tree_same(tree, &a->children[i], &b->children[i], scratch)) return false;
    return true;
  }
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  const ee_tree_node **left = by_hash(a, scratch), **right = by_hash(b, scratch);
  bool same = true;
  for (uint32_t i = 0; i < a->count && same; i++) same = ee_tree_same(tree, left[i], right[i], scratch);
  ee_arena_rewind(scratch, mark);
  return same;
}
