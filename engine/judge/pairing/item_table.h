/* item_table.h: the values that are compared, read from each line item once.
 *
 * A row an item, a column a path. Most paths are a single key; an item's members are then walked once,
 * and a member is first sought where the same key stood in the item before, since items of one list tend to be alike.
 */
#ifndef EE_JUDGE_PAIRING_ITEM_TABLE_H
#define EE_JUDGE_PAIRING_ITEM_TABLE_H

#include "data/json/path.h"
#include "data/json/value.h"
#include "judge/pairing/item_order.h"

#define EE_NO_COLUMN UINT32_MAX

typedef struct ee_item_column {
  ee_str key;          /* the path's only step, or data NULL */
  const ee_path *path; /* of all other paths, or NULL */
} ee_item_column;

/* The columns of both sides of a comparison: made at load, or for a case where the keys come from the data. */
typedef struct ee_item_columns {
  ee_arena *arena; /* what the arrays grow in */
  ee_item_column *items;
  uint32_t count, capacity;
  uint32_t path_count; /* of the columns that need a path */
  uint32_t *slots;     /* key's hash to column + 1, once there are more than a few; NULL before */
  size_t slot_count;   /* a power of two */
} ee_item_columns;

void ee_item_columns_start(ee_item_columns *columns, ee_arena *arena);
/* A copy of `source` that grows in `arena`. */
void ee_item_columns_copy(ee_item_columns *columns, const ee_item_columns *source, ee_arena *arena);
/* The column of `path` (no wildcards) or of `key`, added where there is none yet. Both are borrowed. */
uint32_t ee_item_columns_add(ee_item_columns *columns, const ee_path *path);
uint32_t ee_item_columns_add_key(ee_item_columns *columns, ee_str key);
/* The column of `key`, or EE_NO_COLUMN. */
uint32_t ee_item_columns_find(const ee_item_columns *columns, ee_str key);

/* Where keys stood in the last item: shared by the tables of both sides. All zero at first. */
#define EE_ITEM_GUESSES 32
typedef struct ee_item_guess {
  uint32_t count;
  struct {
    const char *key;
    uint32_t length, column;
  } members[EE_ITEM_GUESSES];
} ee_item_guess;

/* The column of the key of the member at `position` of an item, by the guess, else by ee_item_columns_find(); the guess
 * learns. */
uint32_t ee_item_guess_column(ee_item_guess *guess, const ee_item_columns *columns, uint32_t position, ee_str key);

/* The items of one list. */
typedef struct ee_item_table {
  const ee_value **items;
  const ee_value **filled; /* ee_item_filled() of each, NULL until asked for */
  uint32_t *indices;       /* where each item stands in its list */
  uint32_t rows;
  uint32_t columns;
  const ee_value **cells; /* rows * columns; NULL: missing, or not fetched */
  const ee_empty_rule *empty;
  const ee_inner_list *inner; /* lists inside the items whose order means nothing; the caller's to fill in */
  size_t inner_count;
  ee_arena *arena;
} ee_item_table;

/* Lists the elements of `list` (an array, or NULL for none), without the empty ones unless `keep_empty`. No cells yet.
 * The table borrows `rule` and `arena`. */
void ee_item_table_start(ee_item_table *table, const ee_value *list, const ee_empty_rule *rule, bool keep_empty,
                         ee_arena *arena);
/* Makes room for cells of `columns`, all missing. */
void ee_item_table_set_columns(ee_item_table *table, const ee_item_columns *columns, ee_arena *arena);
/* Reads the cells of one row. */
void ee_item_table_fetch(ee_item_table *table, const ee_item_columns *columns, ee_item_guess *guess, uint32_t row,
                         ee_arena *arena);

/* What ee_item_filled() does where it was not asked before. */
const ee_value *ee_item_fill(const ee_item_table *table, uint32_t row);

/* The item without its empty members, inner lists in the order of their canonical JSON. How an empty value is spelled
 * must not matter, so this is what decides which items are equal, and which comes first. Made when it is first asked
 * for. */
static inline const ee_value *ee_item_filled(const ee_item_table *table, uint32_t row) {
  return table->filled[row] != NULL ? table->filled[row] : ee_item_fill(table, row);
}

/* True when the item is empty, or has empty members only and such an object counts as empty. */
bool ee_item_is_empty(const ee_item_table *table, uint32_t row);

static inline const ee_value *ee_item_cell(const ee_item_table *table, uint32_t row, uint32_t column) {
  return table->cells[(size_t)row * table->columns + column];
}

#endif
