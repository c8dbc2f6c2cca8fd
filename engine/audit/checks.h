/* checks.h: what the checks of an audit share: the records of the truth, a table of their paths, the work list.
 *
 * A check is a file with one function of ee_audit; audit.c calls them in order. */
#ifndef EE_AUDIT_CHECKS_H
#define EE_AUDIT_CHECKS_H

#include "audit/audit.h"
#include "base/buffer.h"
#include "base/hash_index.h"
#include "base/list.h"
#include "judge/case.h"

/* Records ---------------------------------------------------------------------------------------- */

#define EE_NO_RECORD UINT32_MAX

typedef struct ee_audit_record {
  ee_str id;
  size_t expected, length;      /* its expected value as JSON, in `texts` */
  size_t source, source_length; /* its source text, in `texts`; length 0: none */
  uint64_t hash;                /* of the expected value */
  uint64_t leaves;              /* values that are not empty */
  const char *file;
  uint64_t line;
} ee_audit_record;

/* A record that was left out because of its id. */
typedef struct ee_audit_repeat {
  uint32_t record; /* the first one with the id */
  const char *file;
  uint64_t line;
} ee_audit_repeat;

/* Paths ------------------------------------------------------------------------------------------ */

/* A distinct text or number at a path. */
typedef struct ee_audit_value {
  uint64_t hash;
  ee_type type;
  ee_str text; /* as printed; longer ones than EE_AUDIT_TEXT bytes are cut off */
  bool whole;  /* the text was not cut */
  uint64_t count;
  uint32_t first; /* record */
} ee_audit_value;

/* Bytes of a distinct value that are kept. */
#define EE_AUDIT_TEXT 120

/* A path with [*] for all elements of an array, and what the truth has there. */
typedef struct ee_audit_column {
  ee_str path;                   /* "items[*].price"; "$" for the expected value itself */
  ee_str key;                    /* the last step; empty for elements and the root */
  uint32_t parent;               /* its own number for the root */
  uint32_t depth;                /* number of [*] in the path */
  bool element;                  /* the last step is [*] */
  uint32_t first;                /* the first record that has it */
  uint64_t nodes;                /* values of any type, null too */
  uint64_t types[EE_OBJECT + 1]; /* of them; blank strings count as EE_NULL */
  uint64_t scalars;              /* strings, numbers and booleans that are not blank */
  struct {
    EE_LIST(ee_audit_value);
  } values;            /* the distinct scalars, in order of their first appearance */
  ee_hash_index index; /* of them */
  bool truncated;      /* there are more distinct values than are kept */
} ee_audit_column;

/* Distinct values that are kept at a path. */
#define EE_AUDIT_DISTINCT 200000

/* The work list ---------------------------------------------------------------------------------- */

typedef struct ee_audit_entry ee_audit_entry;

/* Candidates ------------------------------------------------------------------------------------- */

/* A value of one candidate that was judged wrong. */
typedef struct ee_audit_difference {
  uint32_t record, candidate;
  ee_str path, column;       /* of the expected value: "items[3].price", "items[*].price" */
  ee_str expected, proposed; /* texts; `proposed` empty: the candidate has no value */
  uint64_t key;              /* equal for candidates that say the same */
  bool extra;                /* an item that the truth lacks; `path` is that of the array */
  bool slight;               /* they differ by case, spaces and signs only, or by 0 where nothing is expected */
} ee_audit_difference;

typedef struct ee_audit_differences {
  EE_LIST(ee_audit_difference);
} ee_audit_differences;

typedef struct ee_audit_model {
  ee_str name;
  uint8_t *seen; /* a bit a record */
  uint64_t joined;
} ee_audit_model;

struct ee_audit {
  ee_arena arena; /* of everything below that is not malloc's */
  ee_audit_options options;
  ee_buffer texts;
  struct {
    EE_LIST(ee_audit_record);
  } records;
  ee_hash_index ids; /* of the records */
  struct {
    EE_LIST(ee_audit_repeat);
  } repeats;
  struct {
    EE_LIST(ee_audit_column);
  } columns; /* [0] is the root; a parent comes before its children */
  ee_hash_index column_index;
  struct {
    EE_LIST(ee_audit_model);
  } models;
  ee_audit_differences differences, annotations; /* of candidates; of another annotator */
  struct {
    EE_LIST(ee_audit_entry *);
  } entries;
  ee_hash_index entry_index; /* of the entries about one value, by record and path */
  ee_hash_index misspelt;    /* by record and path: misspelt keys, and the keys that were meant */
  struct {
    EE_LIST(ee_audit_note);
  } notes;
  ee_audit_report report;
};

/* Whether this kind of finding was requested. */
bool ee_audit_wants(const ee_audit *audit, ee_audit_kind kind);

/* Adds evidence that the value at `path` of `record` is wrong. Texts are copied. `reason` is a format. */
void ee_audit_blame(ee_audit *audit, ee_audit_kind kind, uint32_t record, ee_str path, double weight, ee_str expected,
                    ee_str proposed, const char *reason, ...) __attribute__((format(printf, 8, 9)));
/* Adds a separate finding for several values or records. ee_audit_affect() names the records. */
ee_audit_entry *ee_audit_find(ee_audit *audit, ee_audit_kind kind, ee_str path, double weight, uint64_t values,
                              ee_str expected, ee_str proposed, const char *reason, ...)
    __attribute__((format(printf, 8, 9)));
/* Records must come in order; one that came last is not counted again. */
void ee_audit_affect(ee_audit *audit, ee_audit_entry *entry, uint32_t record);
void ee_audit_note_that(ee_audit *audit, ee_audit_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The record called `id`, or EE_NO_RECORD. */
uint32_t ee_audit_find_record(const ee_audit *audit, ee_str id);
/* The expected value of a record, read into `arena`. */
const ee_value *ee_audit_expected(const ee_audit *audit, uint32_t record, ee_arena *arena);
/* Keeps the source text that `current` brings, for a record that has none. */
void ee_audit_bring_source(ee_audit *audit, uint32_t record, const ee_case *current, ee_arena *scratch);
/* The source text of a record; length 0: none. */
ee_str ee_audit_source(const ee_audit *audit, uint32_t record);

/* Walking ---------------------------------------------------------------------------------------- */

typedef struct ee_audit_node {
  uint32_t record, column;
  ee_str path;                    /* "items[3].price"; lives for the call */
  const ee_value *value, *parent; /* the object or array that it is in; NULL for the root */
} ee_audit_node;

/* Called for each value of each record, containers before what they hold. `arena` is reset after the record. */
typedef void ee_audit_visit(void *user, const ee_audit_node *node, ee_arena *arena);
void ee_audit_walk(ee_audit *audit, ee_audit_visit *visit, void *user);
/* The same for one record, whose expected value is `expected`. */
void ee_audit_walk_record(ee_audit *audit, uint32_t record, const ee_value *expected, ee_audit_visit *visit, void *user,
                          ee_arena *arena);

/* Values ----------------------------------------------------------------------------------------- */

/* A value as text: a string unchanged, other values as JSON; at most `limit` bytes. In `arena` or the value's own. */
ee_str ee_audit_text(const ee_value *value, size_t limit, ee_arena *arena);
/* A scalar that is not null and not blank. */
bool ee_audit_is_scalar(const ee_value *value);
/* "items[*].price" for "items[3].price", in `arena`. */
ee_str ee_audit_without_indices(ee_str path, ee_arena *arena);
/* A text without case, with single spaces, and in NFKC. */
ee_str ee_audit_fold(ee_str text, ee_arena *arena);
/* The number that a value is or that its text says ("1,234.50", "$8.20", "12 %"); false if none. `*decimals` (may be
 * NULL) gets the digits after the decimal sign. */
bool ee_audit_number(const ee_value *value, char decimal, ee_arena *scratch, double *number, int *decimals);
/* Whether two texts differ by one insertion, deletion, substitution or exchange of neighbours; they are not equal. */
bool ee_audit_one_edit(ee_str a, ee_str b);

/* The checks ------------------------------------------------------------------------------------- */

void ee_audit_check_duplicates(ee_audit *audit);
void ee_audit_check_keys(ee_audit *audit);
void ee_audit_check_labels(ee_audit *audit);
void ee_audit_check_source(ee_audit *audit);
void ee_audit_check_sums(ee_audit *audit);
void ee_audit_check_types(ee_audit *audit, const struct ee_open_plan *open);
void ee_audit_check_judged(ee_audit *audit, const struct ee_open_plan *open);
void ee_audit_check_candidates(ee_audit *audit);
void ee_audit_check_annotations(ee_audit *audit);

#endif
