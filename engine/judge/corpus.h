/* corpus.h: metrics of the whole data set that are not sums over cases, such as average precision.
 *
 * A judge type with an ee_corpus_type keeps what it needs of each case; parts are merged, and `finish` computes the
 * metrics, which do not depend on the order of the cases. Only for the whole data set, not for slices. */
#ifndef EE_JUDGE_CORPUS_H
#define EE_JUDGE_CORPUS_H

#include "base/arena.h"
#include "base/str.h"
#include "data/json/state_line.h"

struct ee_judge;
struct ee_judge_result;
struct ee_case;
struct ee_label_summary;

/* A metric of the whole data set. */
typedef struct ee_corpus_metric {
  const char *name;
  bool defined;
  bool is_count; /* a whole number; else a share 0..1, or a coefficient -1..1 */
  double value;
} ee_corpus_metric;

/* A share or coefficient; `value` counts only if it is defined. */
static inline ee_corpus_metric ee_corpus_share(const char *name, bool defined, double value) {
  return (ee_corpus_metric){.name = name, .defined = defined, .value = defined ? value : 0};
}

static inline ee_corpus_metric ee_corpus_count(const char *name, uint64_t count) {
  return (ee_corpus_metric){.name = name, .defined = true, .is_count = true, .value = (double)count};
}

/* A row of a table, of a class for example: a name and a value per column. */
typedef struct ee_corpus_row {
  ee_str name;
  const ee_corpus_metric *values; /* one per column, named like the columns */
} ee_corpus_row;

/* A further table. */
typedef struct ee_corpus_table {
  const char *name; /* "schemes": in JSON */
  const char *row_title;
  const char *const *columns;
  size_t column_count;
  const ee_corpus_row *rows;
  size_t row_count;
} ee_corpus_table;

/* The metrics of a data set, in the arena that ee_corpus_type.finish got. */
typedef struct ee_corpus_summary {
  const ee_corpus_metric *metrics;
  size_t metric_count;
  size_t in_tables;      /* the last ones of the metrics: pages show them in `tables` only */
  const char *row_title; /* "class" */
  const char *const *columns;
  size_t column_count;
  const ee_corpus_row *rows; /* worst first */
  size_t row_count;
  const ee_corpus_table *tables; /* shown before the rows */
  size_t table_count;
  const struct ee_label_summary *confusion; /* what was confused with what (label_matrix.h); NULL: not known */
  const ee_str *notes;                      /* sentences: corrections, suspicions, with ids of records */
  size_t note_count;
} ee_corpus_summary;

typedef struct ee_corpus_type {
  /* Names of the metrics (shares) that gates may use, NULL-terminated; some may be undefined for a data set. */
  const char *const *gate_metrics;
  /* Those that a gate may ask of one row of the summary by its name, NULL-terminated; NULL: none. They are
   * gate_metrics, too. */
  const char *const *row_metrics;
  /* Why `judge` can never have the metric, whatever the data ("thresholds have no 0.75"), in `arena` or static; NULL if
   * it can. The function may be NULL. */
  const char *(*lacks)(const struct ee_judge *judge, ee_str metric, ee_arena *arena);
  void *(*open)(const struct ee_judge *judge); /* an empty part, malloc'd */
  void (*close)(void *corpus_part);
  void (*clear)(void *corpus_part); /* keeps memory */
  void (*add)(void *corpus_part, const struct ee_case *source,
              const struct ee_judge_result *result);   /* result->corpus_part is what judge_case kept */
  void (*merge)(void *corpus_part, const void *other); /* of other cases, in any order */
  /* Writes all that was added, the same bytes for the same cases in whatever order and parts they came; or reads it
   * into an empty part. What is written may be sorted before. Not after `finish`. */
  void (*state)(void *corpus_part, ee_state_line *line);
  void (*finish)(const struct ee_judge *judge, void *corpus_part, ee_arena *arena, ee_corpus_summary *summary);
} ee_corpus_type;

#endif
