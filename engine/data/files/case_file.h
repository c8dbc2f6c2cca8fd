/* case_file.h: a YAML data set: cases, and the evaluators that it brings.
 *
 * A mapping with `evalcases`, `eval_cases`, `tests` or `cases` (one of them: a list of cases), or the list
 * itself; an empty list is a data set without cases. A case is a mapping with `id`, `expected_messages` (or another of
 * record.h's names), an optional candidate (record.h's names too), and evaluators of its own.
 *
 * Cases become the records of record.h, one JSON text each, with the line on which the case stands; an element that is
 * no mapping becomes one too, so that whoever reads it says what is wrong with it. A record is the case as it stands,
 * and what `vars` brings: `vars.expected_output` as `expected_output` where the case itself has no expected value, and
 * `vars.input` as `input` where it has none. An expected_output that is nothing but a reference ("{{ vars.answer.text
 * }}" or "{{ answer.text }}") is the value of that variable of the case, or nothing when there is none; other templates
 * are not filled in, and neither are files read that a case names. `input` and all of `vars` are there for rules in
 * Lua and for programs that judge; nothing else looks at them.
 *
 * Evaluators stand at `execution.evaluators`, `evaluators`, `assert` or `assertions`, of the data set and of each case.
 * A case's evaluators stand in the place of the data set's evaluators; assertions of both stand beside them. The order:
 * evaluators, the data set's assertions, the case's. `execution.skip_defaults: true` of a case leaves all of the data
 * set's out. Texts in these lists are criteria for a reader or a model, not evaluators; they are listed all the same,
 * so that they can be counted. */
#ifndef EE_DATA_FILES_CASE_FILE_H
#define EE_DATA_FILES_CASE_FILE_H

#include <signal.h>

#include "base/error.h"
#include "data/files/dataset.h"
#include "data/yaml/yaml_reader.h"

/* Bytes of a file; more is an error. (What aliases may repeat is bounded by yaml_reader.h.) So is more of evaluators,
 * added up over all cases that do not simply have the data set's. */
#define EE_CASE_FILE_LIMIT ((size_t)256 << 20)
#define EE_CASE_FILE_EVALUATORS ((size_t)8 << 20)

typedef struct ee_file_case {
  ee_str id;                         /* by record.h's known names; data NULL: it has none, or no usable one */
  const ee_value *record;            /* the case, as read: a mapping, or whatever stands in its place */
  size_t line, column;               /* from 1 */
  const ee_value *const *evaluators; /* the nodes (mappings and texts, if all is well) that judge this case, in order;
                                        one array serves all cases that have the data set's and no others */
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

/* Reads `file` ("-": standard input; plain or .gz) whole. NULL with `error` (file, line and column): EE_ERROR_SYSTEM
 * when it cannot be read or `interrupt` (may be NULL) was set; EE_ERROR_DATA when packed data are damaged, it is no
 * YAML, holds no list of cases, or is too long. Free with ee_case_file_close(). Memory: the tree; time: linear in the
 * file and its nodes. */
ee_case_file *ee_case_file_open(const char *file, const volatile sig_atomic_t *interrupt, ee_error *error);
/* The same for a text, which need not live on; `name` is copied. */
ee_case_file *ee_case_file_read(const char *name, ee_str text, ee_error *error);
/* NULL is allowed. */
void ee_case_file_close(ee_case_file *file);

/* The first list or mapping whose key is nearly that of a list of evaluators ('evaluator'), in the data set or in a
 * case, with what may be `*meant`; NULL when there is none. Such a list judges nothing. */
const ee_value *ee_case_file_misspelt(const ee_case_file *file, const char **meant);

/* The place of a node of the file, for messages. */
struct ee_yaml_place ee_case_file_place(const ee_case_file *file, const ee_value *node);

/* Appends the records of cases `first` and on to `block`, about `most` bytes of them and at least one, and returns the
 * number of the next case. A record's `byte` is the number of its case. */
size_t ee_case_file_fill(const ee_case_file *file, size_t first, size_t most, ee_block *block);

#endif
