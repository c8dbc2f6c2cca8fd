/* documents.h: random business documents, and candidates that are right, nearly right and wrong about them.
 *
 * A document is a table of JSON texts, so that a test can change one value, and print the same document in other words:
 * keys in another order, empty values spelled in another way, everything some levels deeper. */
#ifndef EE_TESTS_DOCUMENTS_H
#define EE_TESTS_DOCUMENTS_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "support/random.h"

/* The values at fixed paths, by what they usually are. `code` is always a text that begins with INV-, or empty. */
typedef enum test_slot {
  TEST_CODE,
  TEST_TOTAL,
  TEST_WEIGHT,
  TEST_DATE,
  TEST_CURRENCY,
  TEST_TAGS,
  TEST_PAID,
  TEST_ADDRESS,
  TEST_NAME,
  TEST_VAT,
  TEST_SLOTS
} test_slot;
extern const char *const test_slot_paths[TEST_SLOTS];

/* The values of an item of the list `items`. */
typedef enum test_cell {
  TEST_DESCRIPTION,
  TEST_SKU,
  TEST_QUANTITY,
  TEST_PRICE,
  TEST_DELIVERED,
  TEST_NOTE,
  TEST_CELLS
} test_cell;
extern const char *const test_cell_names[TEST_CELLS];

enum { TEST_ITEMS = 8, TEST_ROWS = 4 };

typedef struct test_item {
  const char *cells[TEST_CELLS]; /* JSON texts; NULL: empty */
} test_item;

typedef struct test_document {
  const char *slots[TEST_SLOTS]; /* JSON texts; NULL: empty */
  size_t row_count;
  const char *rows[TEST_ROWS]; /* of the list `rows`, whose elements are {"value": ...}; NULL: empty */
  size_t item_count;
  test_item items[TEST_ITEMS];
} test_document;

/* Texts that count as empty besides blank ones, for rules that judge respelled documents. */
#define TEST_NULL_VALUES "[\"N/A\",\"-\"]"

/* How a document is printed. All zero: keys in order, empty values left out. */
typedef struct test_spelling {
  test_random *keys;  /* shuffles keys; NULL: does not */
  test_random *nulls; /* spells each empty value as missing, null, "", blank or a null value; NULL: leaves it out */
  const char *prefix; /* "outer.inner." puts the document two levels deeper; NULL: does not */
} test_spelling;

/* A random value for a slot or a cell; never empty. Texts live in `arena`. */
const char *test_slot_value(test_random *random, test_slot slot, ee_arena *arena);
const char *test_cell_value(test_random *random, test_cell cell, ee_arena *arena);

/* A random document; items come with duplicates and near-duplicates. */
void test_document_make(test_random *random, ee_arena *arena, test_document *document);
/* A candidate for `expected`: some values kept, some nearly right, wrong, left out or invented; items left out, added,
 * doubled and moved. */
void test_document_answer(test_random *random, ee_arena *arena, const test_document *expected,
                          test_document *candidate);
/* Puts the items into another order; `order` (may be NULL) gets where each item came from. */
void test_document_move_items(test_random *random, test_document *document, size_t *order);

/* Appends the document as JSON text. */
void test_document_print(const test_document *document, const test_spelling *spelling, ee_buffer *out);

#endif
