/* case_file.h: a YAML data set: cases and their evaluators.
 *
 * The file is an array of cases, or an object with that array as `evalcases`, `eval_cases`, `tests` or `cases` (one of
 * them); an empty array is valid. A case is an object with `id`, `expected_messages` (or another of record.h's names),
 * an optional candidate (record.h's names too), and optional evaluators.
 *
 * Each case becomes a record of record.h, as JSON text, with the line of the case. An element that is not an object
 * becomes a record too, so that the record's reader reports it. The record is the case, with two additions from `vars`:
 * `vars.expected_output` as `expected_output` if the case has no expected value, and `vars.input` as `input` if it has
 * none. An expected_output that is a single reference ("{{ vars.answer.text }}" or "{{ answer.text }}") becomes the
 * value of that variable of the case, or nothing if there is none. Other templates are not filled in, and files that a
 * case names are not read. Only Lua rules and judging programs use `input` and the rest of `vars`.
 *
 * Evaluators are at `execution.evaluators`, `evaluators`, `assert` or `assertions`, of the data set and of each case. A
 * case's evaluators replace the data set's; assertions of both apply. The order: evaluators, the data set's assertions,
 * the case's assertions. A case with `execution.skip_defaults: true` ignores all of the data set's. Strings in these
 * arrays are criteria for a person or a model, not evaluators; they are listed too, so that they can be counted. */
#ifndef EE_DATA_FILES_CASE_FILE_H
#define EE_DATA_FILES_CASE_FILE_H

#include <signal.h>

#include "base/error.h"
#include "data/files/block.h"
#include "data/yaml/yaml_reader.h"

/* Limit of evaluators over all cases that have their own (yaml_reader.h bounds nodes and what aliases repeat). */
#define EE_CASE_FILE_EVALUATORS ((size_t)8 << 20)

typedef struct ee_file_case {
  ee_str id;                         /* by record.h's known names; data NULL: none or invalid */
  const ee_value *record;            /* the case, usually an object */
  size_t line, column;               /* from 1 */
  const ee_value *const *evaluators; /* of this case, in order; cases that have only the data set's share one array */
  size_t evaluator_count;
} ee_file_case;

typedef struct ee_case_file {
  char *name;     /* as given */
  ee_arena arena; /* of everything below */
  ee_yaml_places places;
  const ee_value *root;
  ee_str title;        /* `name` of the data set; else empty */
  ee_file_case *cases; /* in the order of the file */
  size_t count;
} ee_case_file;

/* Reads the whole `file` ("-": standard input; plain or .gz). NULL with `error` (file, line and column):
 * EE_ERROR_SYSTEM if it cannot be read or `interrupt` (may be NULL) was set; EE_ERROR_DATA if compressed data is
 * damaged, it is not YAML, has no array of cases, or is too long. Free with ee_case_file_close(). Memory: the tree.
 * Time: linear in the nodes. */
ee_case_file *ee_case_file_open(const char *file, const volatile sig_atomic_t *interrupt, ee_error *error);
/* The same for a text. `text` need not outlive the call; `name` is copied. */
ee_case_file *ee_case_file_read(const char *name, ee_str text, ee_error *error);
/* NULL is allowed. */
void ee_case_file_close(ee_case_file *file);

/* The first array or object whose key looks like a misspelt key of evaluators ('evaluator'), in the data set or a case,
 * and the key that may be `*meant`; NULL if there is none. Such evaluators are ignored. */
const ee_value *ee_case_file_misspelt(const ee_case_file *file, const char **meant);

/* The place of a node of the file, for messages. */
struct ee_yaml_place ee_case_file_place(const ee_case_file *file, const ee_value *node);

/* Appends the records of the cases from `first` on to `block`, about `max_bytes` of them and at least one. Returns the
 * number of the next case. A record's `byte` is the number of its case. */
size_t ee_case_file_fill(const ee_case_file *file, size_t first, size_t max_bytes, ee_block *block);

#endif
