/* item_order.c: sorting the lists inside of line items. */
#include "judge/pairing/item_order.h"

#include "prim/sort.h"

static ee_value *copy_node(const ee_value *value, ee_arena *arena) {
  ee_value *node = ee_arena_alloc(arena, sizeof *node);
  *node = *value;
  return node;
}

typedef struct element {
  const ee_value *value;
  ee_arena *scratch;
} element;

static bool comes_before(const element *a, const element *b) {
  return ee_value_compare(a->value, b->value, a->scratch) < 0;
}

EE_DEFINE_SORT(sort_elements, element, comes_before)

static const ee_value *sort_list(const ee_value *list, const ee_inner_list *inner, const ee_empty_rule *empty,
                                 ee_arena *arena) {
  size_t count = ee_value_count(list), at = 0;
  element *elements = ee_arena_alloc(arena, count * sizeof *elements);
  for (const ee_value *item = ee_value_child(list); item != NULL; item = ee_value_next(item))
    elements[at++] = (element){ee_item_in_order(item, inner->inner, inner->inner_count, empty, arena), arena};
  sort_elements(elements, count, arena);
  ee_value *sorted = ee_value_new(arena, EE_ARRAY);
  for (size_t i = 0; i < count; i++) ee_value_append(sorted, copy_node(elements[i].value, arena));
  return sorted;
}

/* `object` with the list behind `path`, from `step` on, sorted; `object` itself where there is none. */
static const ee_value *sort_at(const ee_value *object, const ee_inner_list *inner, size_t step,
                               const ee_empty_rule *empty, ee_arena *arena) {
  if (step == inner->path->count)
    return ee_type_of(object) == EE_ARRAY && ee_value_count(object) > 0 ? sort_list(object, inner, empty, arena)
                                                                        : object;
  if (ee_type_of(object) != EE_OBJECT || inner->path->steps[step].kind == EE_STEP_INDEX) return object;
  const ee_value *before = ee_value_member(object, inner->path->steps[step].key, arena);
  if (before == NULL) return object;
  const ee_value *after = sort_at(before, inner, step + 1, empty, arena);
  if (after == before) return object;
  ee_value *copy = ee_value_new(arena, EE_OBJECT);
  for (const ee_value *member = ee_value_child(object); member != NULL; member = ee_value_next(member))
    ee_value_set(arena, copy, ee_value_key(member), copy_node(member == before ? after : member, arena));
  return copy;
}

const ee_value *ee_item_in_order(const ee_value *item, const ee_inner_list *inner, size_t count,
                                 const ee_empty_rule *empty, ee_arena *arena) {
  item = ee_value_without_empty(arena, item, empty);
  for (size_t i = 0; i < count; i++) item = sort_at(item, &inner[i], 0, empty, arena);
  return item;
}
