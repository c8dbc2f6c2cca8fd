/* item_table.c: items as rows of values. */
#include "judge/pairing/item_table.h"

#include "base/hash_index.h"
#include "base/work.h"
#include "judge/pairing/pairs.h"

/* Columns ------------------------------------------------------------------------------------------ */

/* Up to this many columns are searched one by one. */
#define SEARCHED 8

void ee_item_columns_start(ee_item_columns *columns, ee_arena *arena) {
  *columns = (ee_item_columns){.arena = arena, .index = {.arena = arena}};
}

void ee_item_columns_copy(ee_item_columns *columns, const ee_item_columns *source, ee_arena *arena) {
  *columns = *source;
  columns->arena = columns->index.arena = arena;
  /* Without spare room the first addition moves the columns; until then they are only read. */
  columns->capacity = source->count;
  if (source->index.capacity == 0) return;
  size_t size = source->index.capacity * sizeof *source->index.slots;
  columns->index.slots = ee_arena_alloc(arena, size);
  memcpy(columns->index.slots, source->index.slots, size);
}

static uint64_t key_hash(ee_str key) { return ee_hash_bytes(key.data, key.length, 0); }

static void index_column(ee_item_columns *columns, uint32_t column) {
  ee_str key = columns->items[column].key;
  if (key.data != NULL) ee_hash_index_add(&columns->index, key_hash(key), column);
}

static uint32_t add_column(ee_item_columns *columns, ee_item_column column) {
  *EE_LIST_ADD(columns, columns->arena) = column;
  if (column.path != NULL) columns->path_count++;
  uint32_t last = (uint32_t)columns->count - 1;
  if (columns->count == SEARCHED + 1) {
    for (uint32_t i = 0; i <= last; i++) index_column(columns, i);
  } else if (columns->count > SEARCHED) {
    index_column(columns, last);
  }
  return last;
}

static uint32_t find_column(const ee_item_columns *columns, ee_str key) {
  if (columns->count <= SEARCHED) {
    for (uint32_t i = 0; i < columns->count; i++) {
      if (columns->items[i].key.data != NULL && ee_str_equal(columns->items[i].key, key)) return i;
    }
    return EE_NO_COLUMN;
  }
  size_t at = 0, column;
  uint64_t hash = key_hash(key);
  while (ee_hash_index_next(&columns->index, hash, &at, &column)) {
    if (ee_str_equal(columns->items[column].key, key)) return (uint32_t)column;
  }
  return EE_NO_COLUMN;
}

uint32_t ee_item_columns_add_key(ee_item_columns *columns, ee_str key) {
  uint32_t found = find_column(columns, key);
  return found != EE_NO_COLUMN ? found : add_column(columns, (ee_item_column){.key = key});
}

uint32_t ee_item_columns_add(ee_item_columns *columns, const ee_path *path) {
  if (path->count == 1 && path->steps[0].kind == EE_STEP_KEY && path->other_count == 0) {
    return ee_item_columns_add_key(columns, path->steps[0].key);
  }
  for (uint32_t i = 0; i < columns->count; i++) {
    const ee_path *known = columns->items[i].path;
    if (known != NULL && known->others == path->others && ee_str_equal(known->text, path->text)) return i;
  }
  return add_column(columns, (ee_item_column){.path = path});
}

uint32_t ee_item_guess_column(ee_item_guess *guess, const ee_item_columns *columns, uint32_t position, ee_str key) {
  if (position >= EE_ITEM_GUESSES) return find_column(columns, key);
  if (position < guess->count &&
      ee_str_equal((ee_str){guess->members[position].key, guess->members[position].length}, key))
    return guess->members[position].column;
  uint32_t column = find_column(columns, key);
  if (position >= guess->count) guess->count = position + 1;
  guess->members[position].key = key.data;
  guess->members[position].length = (uint32_t)key.length;
  guess->members[position].column = column;
  return column;
}

/* Inner lists ------------------------------------------------------------------------------------- */

static ee_value *copy_node(const ee_value *value, ee_arena *arena) {
  ee_value *node = ee_arena_alloc(arena, sizeof *node);
  *node = *value;
  return node;
}

static const ee_value *without_order(const ee_value *item, const ee_inner_list *inner, size_t count,
                                     const ee_empty_rule *empty, ee_arena *arena);

static const ee_value *sort_list(const ee_value *list, const ee_inner_list *inner, const ee_empty_rule *empty,
                                 ee_arena *arena) {
  size_t count = ee_value_count(list), at = 0;
  ee_ranked_item *elements = ee_arena_alloc(arena, count * sizeof *elements);
  for (const ee_value *item = ee_value_child(list); item != NULL; item = ee_value_next(item))
    elements[at++] = (ee_ranked_item){.value = without_order(item, inner->inner, inner->inner_count, empty, arena)};
  ee_rank_items(elements, count, arena);
  ee_value *sorted = ee_value_new(arena, EE_ARRAY);
  for (size_t i = 0; i < count; i++) ee_value_append(sorted, copy_node(elements[i].value, arena));
  return sorted;
}

/* `object` with the list at `inner->path`, from `step` on, sorted; `object` itself if it has no such list. */
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

static const ee_value *without_order(const ee_value *item, const ee_inner_list *inner, size_t count,
                                     const ee_empty_rule *empty, ee_arena *arena) {
  item = ee_value_without_empty(arena, item, empty);
  for (size_t i = 0; i < count; i++) item = sort_at(item, &inner[i], 0, empty, arena);
  return item;
}

/* Tables ------------------------------------------------------------------------------------------ */

void ee_item_table_start(ee_item_table *table, const ee_value *list, const ee_empty_rule *rule, bool keep_empty,
                         ee_arena *arena) {
  *table = (ee_item_table){.empty = rule, .arena = arena};
  if (list == NULL) return;
  size_t max = ee_value_count(list);
  ee_work_bound(EE_BOUND_ITEMS, max, "items in an array");
  table->items = ee_arena_alloc(arena, max * sizeof *table->items);
  table->filled = ee_arena_alloc(arena, max * sizeof *table->filled);
  table->indices = ee_arena_alloc(arena, max * sizeof *table->indices);
  uint32_t index = 0;
  for (const ee_value *item = ee_value_child(list); item != NULL; item = ee_value_next(item), index++) {
    table->items[table->rows] = item;
    table->filled[table->rows] = NULL;
    if (!keep_empty && ee_item_is_empty(table, table->rows)) continue;
    table->indices[table->rows++] = index;
  }
}

const ee_value *ee_item_fill(const ee_item_table *table, uint32_t row) {
  return table->filled[row] =
             without_order(table->items[row], table->inner, table->inner_count, table->empty, table->arena);
}

bool ee_item_is_empty(const ee_item_table *table, uint32_t row) {
  if (ee_value_is_empty(table->items[row], table->empty)) return true;
  return table->empty->containers && ee_value_is_empty(ee_item_filled(table, row), table->empty);
}

void ee_item_table_set_columns(ee_item_table *table, const ee_item_columns *columns, ee_arena *arena) {
  table->columns = (uint32_t)columns->count;
  table->cells = ee_arena_calloc(arena, (size_t)table->rows * columns->count, sizeof *table->cells);
}

void ee_item_table_fetch(ee_item_table *table, const ee_item_columns *columns, ee_item_guess *guess, uint32_t row,
                         ee_arena *arena) {
  const ee_value *item = table->items[row];
  const ee_value **cells = table->cells + (size_t)row * table->columns;
  if (ee_type_of(item) == EE_OBJECT && columns->count > columns->path_count) {
    uint32_t position = 0;
    for (const ee_value *member = ee_value_child(item); member != NULL; member = ee_value_next(member), position++) {
      /* Keys that the plan knows have the same bytes in memory. */
      ee_str key = ee_value_key(member);
      bool is_guessed = position < guess->count && guess->members[position].key == key.data &&
                        guess->members[position].length == key.length;
      uint32_t column =
          is_guessed ? guess->members[position].column : ee_item_guess_column(guess, columns, position, key);
      if (column != EE_NO_COLUMN) cells[column] = member;
    }
  }
  if (columns->path_count == 0) return;
  for (uint32_t i = 0; i < columns->count; i++) {
    if (columns->items[i].path != NULL) cells[i] = ee_path_get(columns->items[i].path, item, arena);
  }
}
