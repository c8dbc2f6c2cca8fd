/* corpus.h: judges that say something of the whole data set which no sum of cases says.
 *
 * Average precision needs every detection of every image. A judge whose type has a `gather` stage keeps what it needs
 * of each case; parts are merged in input order, and `finish` turns the whole into figures for the reports. Only the
 * whole is gathered, no slices. */
#ifndef EE_JUDGE_CORPUS_H
#define EE_JUDGE_CORPUS_H

#include "base/arena.h"
#include "base/str.h"

struct ee_judge;
struct ee_judge_result;
struct ee_case;

/* One figure of the whole, with its name. */
typedef struct ee_corpus_metric {
  const char *name;
  bool defined;
  bool is_count; /* a whole number; otherwise a share 0..1 */
  double value;
} ee_corpus_metric;

/* A line of a table over something (classes): a name and a value a column. */
typedef struct ee_corpus_row {
  ee_str name;
  const ee_corpus_metric *values; /* as many as there are columns; their names are the columns' */
} ee_corpus_row;

/* What a data set came to. Lives in the arena that ee_corpus_type.finish got. */
typedef struct ee_corpus_summary {
  const ee_corpus_metric *figures;
  size_t metric_count;
  const char *row_title; /* "class" */
  const char *const *columns;
  size_t column_count;
  const ee_corpus_row *rows; /* worst first */
  size_t row_count;
  const ee_str *notes; /* sentences for people: corrections, suspicions, with ids of records */
  size_t note_count;
} ee_corpus_summary;

typedef struct ee_corpus_type {
  /* Names of the corpus metrics (0..1) that a gate may use, ended by NULL. Some may be undefined for a data set. */
  const char *const *gate_metrics;
  /* Why `judge` can never give one of these, whatever the data: "thresholds have no 0.75"; NULL when it can. In the
   * arena or static. The function may be NULL. */
  const char *(*lacks)(const struct ee_judge *judge, ee_str figure, ee_arena *arena);
  void *(*open)(const struct ee_judge *judge); /* malloc'd; empty */
  void (*close)(void *corpus_part);
  void (*clear)(void *corpus_part); /* keeps memory */
  void (*add)(void *corpus_part, const struct ee_case *source,
              const struct ee_judge_result *result);   /* result->gathered is what judge_case left */
  void (*merge)(void *corpus_part, const void *other); /* `other` holds cases that come after */
  void (*finish)(const struct ee_judge *judge, void *corpus_part, ee_arena *arena, ee_corpus_summary *summary);
} ee_corpus_type;

#endif
