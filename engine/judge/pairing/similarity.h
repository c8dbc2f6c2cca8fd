/* similarity.h: the similarity of two line items: a weighted mean over match fields, or a function of the rule file. */
#ifndef EE_JUDGE_PAIRING_SIMILARITY_H
#define EE_JUDGE_PAIRING_SIMILARITY_H

#include "judge/fields/field.h"
#include "judge/pairing/item_table.h"
#include "prim/edit_many.h"

typedef enum ee_match_method { EE_MATCH_GREEDY, EE_MATCH_OPTIMAL, EE_MATCH_KEY, EE_MATCH_INDEX } ee_match_method;
/* Their names, in the order of the enum: the choices of the option. */
#define EE_MATCH_METHODS "greedy|optimal|key|index"

/* One field that decides which items belong together. */
typedef struct ee_match_field {
  const ee_field *field; /* NULL: strings by edit distance after trim and casefold, other values equal or not */
  ee_empty_rule empty;
  double weight;
  uint32_t expected_column, candidate_column;
} ee_match_field;

/* `match` of ee.line_items. */
typedef struct ee_match_rule {
  ee_match_method method;
  const ee_match_field *fields;
  size_t field_count;
  double threshold;
  int similarity_function; /* or EE_NO_FUNCTION */
  int key_function;        /* or EE_NO_FUNCTION */
  uint32_t key_column;     /* of method key without a function */
  size_t pair_limit;       /* EE_PAIRS_LIMIT, except in tests */
  uint64_t max_pairs;      /* of optimal: rows times columns */
  bool count_first;        /* of optimal: as many pairs as possible, then the largest total */
} ee_match_rule;

/* A match field's value in one item, ready to be compared. */
typedef struct ee_match_cell {
  enum { EE_CELL_EMPTY, EE_CELL_TEXT, EE_CELL_OTHER } kind;
  bool may_be_empty; /* expected: one of several correct answers is empty */
  const ee_value *value;
  ee_str text;                  /* TEXT: trimmed and case folded */
  size_t length;                /* TEXT: code points; set by ee_similarity_prepare() */
  const ee_edit_text *prepared; /* TEXT: `text`; the same */
} ee_match_cell;

/* Two lists of items whose pairs can be compared. */
typedef struct ee_similarity {
  const ee_match_rule *rule;
  ee_context *context;
  const ee_item_table *expected, *candidate;
  ee_match_cell *expected_cells, *candidate_cells; /* rows * field_count */
  uint64_t *expected_filled, *candidate_filled;    /* rows * field_words; bit by field: the cell is not EMPTY */
  size_t field_words;                              /* of an item */
  uint64_t filled_candidates;                      /* cells of the prepared candidate items that are not EMPTY */
  uint32_t limits[128];                            /* by length: ee_edit_limit() + 1; 0: not computed */
  const uint32_t *columns;                         /* the candidate rows to be compared */
  size_t column_count;
  /* With a single match field: the candidate texts in batches, and what one expected text is from each. */
  ee_edit_batch *batches;
  size_t batch_count;
  ee_edit_bounds *bounds;  /* of the batches; NULL: there is one */
  uint32_t *batch_columns; /* of the texts of the batches */
  uint64_t *others;        /* bit by column: listed, but not a text */
  uint64_t *open;          /* bit by column: may reach the threshold with the expected item */
  size_t words;            /* of these */
  uint32_t *distances;     /* by column that is open and a text, if the expected item has a text */
} ee_similarity;

/* Reads the values of the listed rows of both tables, ascending; other rows must not be compared. */
void ee_similarity_start(ee_similarity *similarity, const ee_match_rule *rule, ee_context *context,
                         const ee_item_table *expected, const uint32_t *expected_rows, size_t expected_count,
                         const ee_item_table *candidate, const uint32_t *candidate_rows, size_t candidate_count);

typedef struct ee_row_pair {
  uint32_t row, column;
} ee_row_pair;

/* Of the rows that were listed at the start, the pairs that have similarity 1 while none of the two has it with any
 * other item: texts of a single match field that are equal, and occur once on each side. Nothing is compared for that.
 * `pairs` has room for all expected rows; returns how many there are. */
size_t ee_similarity_same(ee_similarity *similarity, const uint32_t *expected_rows, size_t expected_count,
                          const uint32_t *candidate_rows, size_t candidate_count, ee_row_pair *pairs);

/* Prepares rows for being compared: those listed at the start, or some of them, ascending. */
void ee_similarity_prepare(ee_similarity *similarity, const uint32_t *expected_rows, size_t expected_count,
                           const uint32_t *candidate_rows, size_t candidate_count);

/* Units of work of comparing expected item `row` with each prepared candidate item, besides what long values take. */
uint64_t ee_similarity_work(const ee_similarity *similarity, uint32_t row);

/* Lists those of the prepared candidate items, ascending, that may reach the threshold with expected item `row`;
 * `columns` has room for all. */
size_t ee_similarity_open(ee_similarity *similarity, uint32_t row, uint32_t *columns);

/* The similarity (0..1) of expected item `row` and candidate item `column`, which the last ee_similarity_open() listed
 * for `row`: the weighted mean over the match fields. Fields that are empty on both sides are left out; those empty on
 * one side score 0. If no field is left, it is 1 when the items are equal without their empty members, else 0. False
 * when it is below the threshold; it may be incomplete then. */
bool ee_similarity_reaches(ee_similarity *similarity, uint32_t row, uint32_t column, double *value);

#endif
