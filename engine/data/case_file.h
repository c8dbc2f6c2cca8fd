/* case_file.h: a YAML data set: cases, and the evaluators that it brings.
 *
 * Layer: data. A mapping with `evalcases` or `tests` (a list of cases), or the list itself. A case is a mapping with `id`,
 * `expected_messages` (or another of record.h's names; `vars` with `expected_output` or `input` is looked into too), an optional
 * candidate, and evaluators of its own. Evaluators stand at `execution.evaluators`, `evaluators` or `assert`, of the data set and of
 * each case: a case's evaluators stand in the place of the data set's, its `assert` beside them. Texts in a list of evaluators are criteria for a
 * reader or a model, not evaluators.
 *
 * Cases become the records of record.h, one JSON text each, with the line on which the case stands. */
#ifndef EE_DATA_CASE_FILE_H
#define EE_DATA_CASE_FILE_H

#include <signal.h>

#include "base/error.h"
#include "data/dataset.h"
#include "data/yaml_reader.h"

typedef struct ee_file_case {
  ee_str id;               /* data NULL: it has none, or no usable one */
  const ee_value *record;  /* the mapping, as read */
  size_t line;
  const ee_value *const *evaluators; /* the nodes (mappings and texts) that judge this case, in order */
  size_t evaluator_count;
} ee_file_case;

typedef struct ee_case_file {
  char *name;          /* as given */
  ee_arena arena;      /* of everything below */
  ee_yaml_places places;
  const ee_value *root;
  ee_str title;        /* `name` of the data set; else empty */
  ee_file_case *cases; /* in the order of the file */
  size_t count;
} ee_case_file;

/* Reads `file` ("-": standard input; plain or .gz) whole. NULL with `error` (file, line and column): EE_ERROR_SYSTEM when it cannot
 * be read or `interrupt` (may be NULL) was set; EE_ERROR_DATA when it is no YAML or holds no list of cases. Free with ee_case_file_close(). */
ee_case_file *ee_case_file_open(const char *file, const volatile sig_atomic_t *interrupt, ee_error *error);
void ee_case_file_close(ee_case_file *file);

/* The place of a node of the file, for messages. */
struct ee_yaml_place ee_case_file_place(const ee_case_file *file, const ee_value *node);

/* Appends the records of cases `first` and on to `block`, about `most` bytes of them, and returns the number of the next case. */
size_t ee_case_file_fill(const ee_case_file *file, size_t first, size_t most, ee_block *block);

#endif
