/* item_table.c: line items as rows of values. */
#include "judge/pairing/item_table.h"

#include "base/hash.h"

/* Up to so many columns are searched one by one. */
#define SEARCHED 8

void ee_item_columns_start(ee_item_columns *columns, ee_arena *arena) { *columns = (ee_item_columns){.arena = arena}; }

void ee_item_columns_copy(ee_item_columns *columns, const ee_item_columns *source, ee_arena *arena) {
  *columns = *source;
  columns->arena = arena;
  /* Without spare room the first addition moves the columns; until then they are only read. */
  columns->capacity = source->count;
  if (source->slots == NULL) return;
  columns->slots = ee_arena_alloc(arena, source->slot_count * sizeof *columns->slots);
  memcpy(columns->slots, source->slots, source->slot_count * sizeof *columns->slots);
}

static uint64_t key_hash(ee_str key) { return ee_hash_bytes(key.data, key.length, 0); }

static void add_slot(ee_item_columns *columns, uint32_t column) {
  ee_str key = columns->items[column].key;
  if (key.data == NULL) return;
  size_t at = (size_t)key_hash(key) & (columns->slot_count - 1);
  while (columns->slots[at] != 0) at = (at + 1) & (columns->slot_count - 1);
  columns->slots[at] = column + 1;
}

/* Keeps at least half of the slots free. */
static void index_column(ee_item_columns *columns, uint32_t column) {
  if (columns->count <= SEARCHED) return;
  if (columns->slots != NULL && (size_t)columns->count * 2 <= columns->slot_count) {
    add_slot(columns, column);
    return;
  }
  columns->slot_count = columns->slots == NULL ? 4 * SEARCHED : columns->slot_count * 2;
  while (columns->slot_count < (size_t)columns->count * 2) columns->slot_count *= 2;
  columns->slots = EE_NEW_ARRAY(columns->arena, uint32_t, columns->slot_count);
  for (uint32_t i = 0; i < columns->count; i++) add_slot(columns, i);
}

static uint32_t add_column(ee_item_columns *columns, ee_item_column column) {
  if (columns->count == columns->capacity) {
    columns->capacity = columns->capacity < 8 ? 16 : columns->capacity * 2;
    ee_item_column *items = ee_arena_alloc(columns->arena, columns->capacity * sizeof *items);
    if (columns->count > 0) memcpy(items, columns->items, columns->count * sizeof *items);
    columns->items = items;
  }
  columns->items[columns->count++] = column;
  if (column.path != NULL) columns->path_count++;
  index_column(columns, columns->count - 1);
  return columns->count - 1;
}

uint32_t ee_item_columns_find(const ee_item_columns *columns, ee_str key) {
  if (columns->slots == NULL) {
    for (uint32_t i = 0; i < columns->count; i++) {
      if (columns->items[i].key.data != NULL && ee_str_equal(columns->items[i].key, key)) return i;
    }
    return EE_NO_COLUMN;
  }
  size_t at = (size_t)key_hash(key) & (columns->slot_count - 1);
  for (; columns->slots[at] != 0; at = (at + 1) & (columns->slot_count - 1)) {
    uint32_t column = columns->slots[at] - 1;
    if (ee_str_equal(columns->items[column].key, key)) return column;
  }
  return EE_NO_COLUMN;
}

uint32_t ee_item_columns_add_key(ee_item_columns *columns, ee_str key) {
  uint32_t found = ee_item_columns_find(columns, key);
  return found != EE_NO_COLUMN ? found : add_column(columns, (ee_item_column){.key = key});
}

uint32_t ee_item_columns_add(ee_item_columns *columns, const ee_path *path) {
  if (path->count == 1 && path->steps[0].kind == EE_STEP_KEY) {
    return ee_item_columns_add_key(columns, path->steps[0].key);
  }
  for (uint32_t i = 0; i < columns->count; i++) {
    if (columns->items[i].path != NULL && ee_str_equal(columns->items[i].path->text, path->text)) return i;
  }
  return add_column(columns, (ee_item_column){.path = path});
}

uint32_t ee_item_guess_column(ee_item_guess *guess, const ee_item_columns *columns, uint32_t position, ee_str key) {
  if (position >= EE_ITEM_GUESSES) return ee_item_columns_find(columns, key);
  if (position < guess->count && guess->members[position].length == key.length &&
      memcmp(guess->members[position].key, key.data, key.length) == 0) {
    return guess->members[position].column;
  }
  uint32_t column = ee_item_columns_find(columns, key);
  /* Positions are walked from 0 on, so that there is no gap. */
  if (position >= guess->count) guess->count = position + 1;
  guess->members[position].key = key.data;
  guess->members[position].length = (uint32_t)key.length;
  guess->members[position].column = column;
  return column;
}

void ee_item_table_start(ee_item_table *table, const ee_value *list, const ee_empty_rule *rule, bool keep_empty,
                         ee_arena *arena) {
  *table = (ee_item_table){.empty = rule, .arena = arena};
  if (list == NULL) return;
  size_t most = ee_value_count(list);
  table->items = ee_arena_alloc(arena, most * sizeof *table->items);
  table->filled = ee_arena_alloc(arena, most * sizeof *table->filled);
  table->indices = ee_arena_alloc(arena, most * sizeof *table->indices);
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
             ee_item_in_order(table->items[row], table->inner, table->inner_count, table->empty, table->arena);
}

bool ee_item_is_empty(const ee_item_table *table, uint32_t row) {
  if (ee_value_is_empty(table->items[row], table->empty)) return true;
  return table->empty->containers && ee_value_is_empty(ee_item_filled(table, row), table->empty);
}

void ee_item_table_set_columns(ee_item_table *table, const ee_item_columns *columns, ee_arena *arena) {
  table->columns = columns->count;
  table->cells = ee_arena_calloc(arena, (size_t)table->rows * columns->count, sizeof *table->cells);
}

void ee_item_table_fetch(ee_item_table *table, const ee_item_columns *columns, ee_item_guess *guess, uint32_t row,
                         ee_arena *arena) {
  const ee_value *item = table->items[row];
  const ee_value **cells = table->cells + (size_t)row * table->columns;
  if (ee_type_of(item) == EE_OBJECT && columns->count > columns->path_count) {
    uint32_t position = 0;
    for (const ee_value *member = ee_value_child(item); member != NULL; member = ee_value_next(member), position++) {
      uint32_t column = ee_item_guess_column(guess, columns, position, ee_value_key(member));
      if (column != EE_NO_COLUMN) cells[column] = member;
    }
  }
  if (columns->path_count == 0) return;
  for (uint32_t i = 0; i < columns->count; i++) {
    if (columns->items[i].path != NULL) cells[i] = ee_path_get(columns->items[i].path, item, arena);
  }
}
