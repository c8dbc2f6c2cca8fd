/* item_table.h: the items of a list as rows, and the values that are compared as columns.
 *
 * Each value is read from its item once. Most columns are a single key: an item's members are walked once, and each key
 * is first looked up at the position where the item before had it, since the items of a list mostly have the same keys.
 */
#ifndef EE_JUDGE_PAIRING_ITEM_TABLE_H
#define EE_JUDGE_PAIRING_ITEM_TABLE_H

#include "base/hash_index.h"
#include "base/list.h"
#include "data/json/json_equal.h"
#include "data/json/path.h"
#include "data/json/value.h"

#define EE_NO_COLUMN UINT32_MAX

typedef struct ee_item_column {
  ee_str key;          /* the path's only step; data NULL for other paths */
  const ee_path *path; /* NULL for a single key */
} ee_item_column;

/* The columns of both lists: made at load, or in a case when the keys come from the data. */
typedef struct ee_item_columns {
  EE_LIST(ee_item_column);
  ee_arena *arena;     /* of the list and the index */
  size_t path_count;   /* columns that need a path */
  ee_hash_index index; /* columns by key; empty while there are only a few */
} ee_item_columns;

void ee_item_columns_start(ee_item_columns *columns, ee_arena *arena);
/* A copy of `source` that grows in `arena`; it borrows the source's items until then. */
void ee_item_columns_copy(ee_item_columns *columns, const ee_item_columns *source, ee_arena *arena);
/* The column of `path` (no wildcards) or of `key`, added if it is new. Both are borrowed. */
uint32_t ee_item_columns_add(ee_item_columns *columns, const ee_path *path);
uint32_t ee_item_columns_add_key(ee_item_columns *columns, ee_str key);

/* The columns of the keys of the last item, by position: shared by both lists. All zero at first. */
#define EE_ITEM_GUESSES 32
typedef struct ee_item_guess {
  uint32_t count;
  struct {
    const char *key;
    uint32_t length, column;
  } members[EE_ITEM_GUESSES];
} ee_item_guess;

/* The column of `key`, the member at `position` of an item, or EE_NO_COLUMN. Updates the guess. Positions must come
 * in order from 0. */
uint32_t ee_item_guess_column(ee_item_guess *guess, const ee_item_columns *columns, uint32_t position, ee_str key);

/* A list inside the items whose order has no meaning, by its path in them, and such lists inside its own items. */
typedef struct ee_inner_list {
  const ee_path *path;
  const struct ee_inner_list *inner;
  size_t inner_count;
} ee_inner_list;

/* The items of one list. */
typedef struct ee_item_table {
  const ee_value **items;
  const ee_value **filled; /* ee_item_filled() of each row; NULL: not made yet */
  uint32_t *indices;       /* each row's index in the list */
  uint32_t rows;
  uint32_t columns;
  const ee_value **cells; /* rows * columns; NULL: missing, or not fetched */
  const ee_empty_rule *empty;
  const ee_inner_list *inner; /* set by the caller after ee_item_table_start() */
  size_t inner_count;
  ee_arena *arena;
} ee_item_table;

/* Makes rows of the elements of `list` (an array; NULL: none), without empty ones unless `keep_empty`. No cells yet.
 * The table borrows `rule` and `arena`. */
void ee_item_table_start(ee_item_table *table, const ee_value *list, const ee_empty_rule *rule, bool keep_empty,
                         ee_arena *arena);
/* Makes room for cells of `columns`, all missing. */
void ee_item_table_set_columns(ee_item_table *table, const ee_item_columns *columns, ee_arena *arena);
/* Reads the cells of one row. */
void ee_item_table_fetch(ee_item_table *table, const ee_item_columns *columns, ee_item_guess *guess, uint32_t row,
                         ee_arena *arena);

/* Makes what ee_item_filled() returns. */
const ee_value *ee_item_fill(const ee_item_table *table, uint32_t row);

/* The item without its empty members and with its inner lists in the order of their canonical JSON. This decides which
 * items are equal and which comes first, so that neither the spelling of an empty value nor the order of an inner list
 * matters. Made on first use, O(n log n) comparisons for inner lists of n; the item itself where nothing changes. */
static inline const ee_value *ee_item_filled(const ee_item_table *table, uint32_t row) {
  return table->filled[row] != NULL ? table->filled[row] : ee_item_fill(table, row);
}

/* Whether two items, as ee_item_filled() gives them, are equal. */
static inline bool ee_items_equal(const ee_item_table *table, const ee_value *a, const ee_value *b) {
  return table->empty->none ? ee_json_equal(a, b) : ee_value_equal(a, b);
}

/* True when the item is empty, or has only empty members and such an object counts as empty. */
bool ee_item_is_empty(const ee_item_table *table, uint32_t row);

static inline const ee_value *ee_item_cell(const ee_item_table *table, uint32_t row, uint32_t column) {
  return table->cells[(size_t)row * table->columns + column];
}

#endif
