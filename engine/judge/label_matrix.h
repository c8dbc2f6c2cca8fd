/* label_matrix.h: what was confused with what: how often each expected label met each candidate label.
 *
 * Labels are found in the data, or given by the rules. A matrix of found labels keeps EE_LABEL_LIMIT of them, the first
 * in byte order; all others are one label, EE_LABEL_OTHER. Which are kept does not depend on the order in which they
 * came, so matrices can be merged in any order. What is missing or spurious meets EE_LABEL_NONE. Each label also has
 * counts of its own, whose meaning is the caller's. */
#ifndef EE_JUDGE_LABEL_MATRIX_H
#define EE_JUDGE_LABEL_MATRIX_H

#include "base/arena.h"
#include "base/hash_index.h"
#include "base/list.h"
#include "base/str.h"
#include "data/json/state_line.h"
#include "judge/compile.h"
#include "prim/confusion.h"

#define EE_LABEL_LIMIT 400
/* Counts of its own that a label has, at most. */
#define EE_LABEL_FIELDS 8

/* Numbers of labels; those with a name begin at EE_LABEL_FIRST. */
enum { EE_LABEL_NONE, EE_LABEL_OTHER, EE_LABEL_FIRST };

typedef struct ee_label {
  ee_str name; /* in the matrix's arena */
  uint64_t hash;
  uint64_t fields[EE_LABEL_FIELDS];
} ee_label;

typedef struct ee_label_cell {
  uint32_t expected, candidate; /* numbers of labels */
  uint64_t count;
} ee_label_cell;

/* malloc'd. */
typedef struct ee_label_matrix {
  size_t given;  /* labels of the rules: no others are kept; 0: labels are found in the data */
  size_t limit;  /* EE_LABEL_LIMIT, except in tests */
  size_t fields; /* of a label */
  struct {
    EE_LIST(ee_label);
  } labels; /* EE_LABEL_NONE and EE_LABEL_OTHER first */
  ee_hash_index by_name;
  ee_arena names;
  struct {
    EE_LIST(ee_label_cell);
  } cells;
  ee_hash_index by_pair;
} ee_label_matrix;

/* Reads the option `labels` of `subject` ("ee.spans"): strings, each once in NFC and in these normal forms, in their
 * order. In the plan's arena; NULL with `*count` 0: not given, or with errors. */
const ee_str *ee_label_option_compile(ee_plan_builder *builder, const ee_rule_node *node, const char *subject,
                                      const uint8_t *forms, size_t form_count, size_t *count);

/* An empty matrix. `given` (borrowed; may be empty): the labels of the rules, in their order, each once. */
void ee_label_matrix_init(ee_label_matrix *matrix, const ee_str *given, size_t given_count, size_t fields);
void ee_label_matrix_fini(ee_label_matrix *matrix);
/* Forgets what was added, and keeps memory. */
void ee_label_matrix_clear(ee_label_matrix *matrix);

/* The number of the label called `name`; EE_LABEL_OTHER if the rules give labels and it is not one. Numbers are valid
 * until ee_label_matrix_settle(). O(1) */
uint32_t ee_label_matrix_find(ee_label_matrix *matrix, ee_str name);
/* Adds `count` pairs of two labels. */
void ee_label_matrix_add(ee_label_matrix *matrix, uint32_t expected, uint32_t candidate, uint64_t count);
/* To be called after each case: removes labels above the limit when there are many of them. Amortised O(1) a label. */
void ee_label_matrix_settle(ee_label_matrix *matrix);
/* Adds all of `other`, of the same rules, and settles. */
void ee_label_matrix_merge(ee_label_matrix *matrix, const ee_label_matrix *other);
/* Writes the matrix, the same bytes in whatever order it was filled, or reads it into an empty one. */
void ee_label_matrix_state(ee_label_matrix *matrix, ee_state_line *line);

/* Summaries ------------------------------------------------------------------------------------ */

/* A matrix as reports show it: labels in the order of the rules, else of their bytes. */
typedef struct ee_label_summary {
  const ee_str *labels; /* printable UTF-8 or not, as in the data */
  size_t count;         /* of `labels` */
  /* (count + 2) rows of (count + 2) counts: a row an expected label, a column a candidate label; after the labels the
   * others, then what has no label: a spurious value in the last row, a missing one in the last column. */
  const uint64_t *cells;
  const uint64_t (*fields)[EE_LABEL_FIELDS]; /* of each label, then of the others */
  bool has_other, has_missing, has_spurious; /* some count in these rows and columns is not 0 */
} ee_label_summary;

/* In `arena`. The matrix is sorted, and may not be added to afterwards. */
const ee_label_summary *ee_label_matrix_summarize(ee_label_matrix *matrix, ee_arena *arena);

static inline uint64_t ee_label_summary_at(const ee_label_summary *summary, size_t expected, size_t candidate) {
  return summary->cells[expected * (summary->count + 2) + candidate];
}

#endif
