/* compile.h: what reads the nodes of a rule file: options checked against rows, mistakes, files that rules name.
 *
 * Judges, strategies and gates compile themselves with it; plan.h puts them together. From the rows come
 * the load-time checks, --help-on, the manual's tables and the editor's meta file. */
#ifndef EE_JUDGE_COMPILE_H
#define EE_JUDGE_COMPILE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/error.h"
#include "data/json/path.h"
#include "data/json/value.h"
#include "judge/rule_node.h"

struct ee_judge;
struct ee_plan;

/* Options -------------------------------------------------------------------------------------- */

typedef enum ee_option_type {
  EE_OPTION_BOOL,
  EE_OPTION_NUMBER, /* within min..max */
  EE_OPTION_TEXT,
  EE_OPTION_PATH,   /* a text that ee_path_parse() takes */
  EE_OPTION_CHOICE, /* one of choices */
  EE_OPTION_TEXTS,  /* a list of texts */
  EE_OPTION_FUNCTION,
  EE_OPTION_CHOICE_OR_FUNCTION,
  EE_OPTION_NORMALIZE,      /* a normal form's name, a list of them, or a function */
  EE_OPTION_VALUES,         /* a list of texts, numbers, booleans or ee.null */
  EE_OPTION_NUMBER_OR_PATH, /* a number within min..max, or a path */
  EE_OPTION_NUMBERS,        /* a list of numbers within min..max, one at least */
  EE_OPTION_TABLE,          /* a plain table with options of its own, checked by its compiler */
  EE_OPTION_TEXT_OR_TABLE,  /* `match = "fields"` or `match = { ... }` */
  EE_OPTION_STRATEGY,       /* a strategy node, checked by its compiler */
  EE_OPTION_TEXT_OR_FALSE   /* `cache = "FILE"` or `cache = false` */
} ee_option_type;

typedef struct ee_option {
  const char *name; /* NULL ends a table of rows */
  ee_option_type type;
  const char *default_text;                     /* the default as it is shown: "0.85", "\"levenshtein\"", "none" */
  const char *unit;                             /* NULL when there is none */
  const char *help;                             /* one sentence */
  double min, max;                              /* of numbers, inclusive */
  const char *choices;                          /* of choices: "levenshtein|jaro_winkler|..." */
  const char *(*list_choices)(ee_arena *arena); /* instead: choices that other tables have, in `arena` */
  const struct ee_option
      *inner;   /* of a table with options of its own: their rows; NULL where its keys are the data's */
  bool is_data; /* a table of plain data, kept as a document: arrays in arrays stay what they are */
} ee_option;

/* Checks every named option of `node` against the tables of rows (`tables` NULL-terminated): unknown ones with a
 * suggestion, wrong types, values out of range, unknown choices. `subject` is how messages call the thing
 * ("ee.numeric"). Adds to `errors`; returns whether all was well. */
bool ee_options_check(const ee_rule_node *node, const char *subject, const ee_option *const *tables,
                      ee_error_list *errors);

/* The choices of a row, "a|b|c", in `arena` or static; NULL for a row without choices. */
const char *ee_option_choices(const ee_option *row, ee_arena *arena);

/* Values of options that were checked, or `standard` when they are not there (or were wrong). */
double ee_option_number(const ee_rule_node *node, const char *name, double fallback);
bool ee_option_bool(const ee_rule_node *node, const char *name, bool fallback);
ee_str ee_option_text(const ee_rule_node *node, const char *name, const char *default_text);
/* The index of the option's text in `choices` ("a|b|c"), or of `standard`. */
int ee_option_choice(const ee_rule_node *node, const char *name, const char *choices, const char *default_text);
/* The function's number, or EE_NO_FUNCTION. */
int ee_option_function(const ee_rule_node *node, const char *name);

/* The builder ---------------------------------------------------------------------------------- */

/* How a rule file inside a rule file is loaded (ee.code_judge); lua/ implements it, tests do too. */
typedef struct ee_rules_loader {
  void *user;
  /* Loads the rule file `path` (as found from here) with `config` (an object; NULL: {}). The plan lives as long as the
   * one it is loaded for. Mistakes, those of its own file among them, are added to `errors`; NULL then. A file that is
   * being loaded already is one: "includes itself". */
  const struct ee_plan *(*load)(void *user, const char *path, const ee_value *config, ee_error_list *errors);
} ee_rules_loader;

/* What compile functions need. */
typedef struct ee_plan_builder {
  ee_arena *arena;
  struct ee_plan *plan;
  ee_error_list *errors;
  const ee_rules_loader *loader; /* NULL: ee.code_judge is a mistake */
} ee_plan_builder;

/* Adds a mistake at the node's location. */
void ee_compile_error(ee_plan_builder *builder, const ee_rule_node *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds a warning at the node's location. */
void ee_compile_warn(ee_plan_builder *builder, const ee_rule_node *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Adds the warnings of another plan, except those that this plan has already. */
void ee_compile_add_warnings(ee_plan_builder *builder, const ee_error *warnings, size_t count);

/* Reads the name of ee.exec and ee.code_judge (`subject` in messages), which may come first without a key, as in
 * ee.judge. `hint` ends the message about any other string: " (write ...)", or "". */
void ee_compile_name(ee_plan_builder *builder, const ee_rule_node *node, const char *subject, const char *hint,
                     struct ee_judge *judge);
/* Reads the option 'config', an object, as a document into `*config`; NULL if it is not given. False, with `*config`
 * NULL, if it is invalid. */
bool ee_compile_config(ee_plan_builder *builder, const ee_rule_node *node, const char *subject,
                       const ee_value **config);

/* Paths ---------------------------------------------------------------------------------------- */

/* Flags of ee_compile_path(). */
enum {
  EE_PATH_NO_WILDCARD = 1, /* error: "SUBJECT: path 'P' has a [*], which only ee.fields takes" */
  EE_PATH_ONE_VALUE = 2,   /* error: "SUBJECT: 'P' names many values, and one is needed" */
  EE_PATH_CHECKED = 4,     /* ee_options_check() reported a text that is not a path: no second error */
  EE_PATH_SAY_BAD = 8      /* errors of the syntax begin with "bad path: " after the subject */
};
/* The path that `text` is, in the plan's arena; NULL with an error at `node` when it is not a path. One with [*] is
 * returned, too, after the error that the flags ask for. `subject` begins the messages ("ee.quality"); it may be NULL
 * without wildcard flags. */
const ee_path *ee_compile_path(ee_plan_builder *builder, const ee_rule_node *node, ee_str text, const char *subject,
                               unsigned flags);
/* The path in the option `name` of a node whose options were checked, without [*]; NULL when it is not given or not a
 * path. */
const ee_path *ee_compile_option_path(ee_plan_builder *builder, const ee_rule_node *node, const char *subject,
                                      const char *name);

/* Where a judge's value is in both documents. A NULL path is the whole document. */
typedef struct ee_list_paths {
  const ee_path *expected, *candidate;
} ee_list_paths;
/* Reads the positional path of a judge, which may be left out, and its option `candidate`. */
void ee_list_paths_compile(ee_plan_builder *builder, const ee_rule_node *node, const char *subject,
                           ee_list_paths *paths);
/* The path as written; "document" for NULL. */
ee_str ee_list_path_text(const ee_path *path);
/* Prints "  WHAT path" and the candidate's path where it differs, and ends the line. */
void ee_list_paths_print(const ee_list_paths *paths, const char *what, ee_buffer *out);

/* Weights ---------------------------------------------------------------------------------------- */

/* Reports weights of `count` things that sum to 0, or to infinity: "the weights OF sum to 0", `of` being "of
 * ee.fields". A `sum` that is NaN is not reported. */
void ee_compile_check_weights(ee_plan_builder *builder, const ee_rule_node *node, const char *of, size_t count,
                              double sum);

/* Plain data and files that rules name --------------------------------------------------------- */

/* Converts a table of plain data to a document: the one that the table was made from, or a new one in `arena`, frozen,
 * so that workers may share it. A table with names only becomes an object (sorted by key), one with positions only an
 * array, an empty one an empty object. NULL, with `*error` a text in `arena` that names the place, if the table is not
 * plain data ("'fields[2]' is a function"), has both names and positions, a number that is not finite, or more than a
 * million values after shared tables are copied. */
const ee_value *ee_rule_node_to_value(ee_arena *arena, const ee_rule_node *table, const char **error);

#define EE_COMPILE_FILE_LIMIT ((size_t)16 << 20)

/* `name` as the system knows it, in the plan's arena; NULL with a mistake for an empty one, or one with a NUL. */
const char *ee_compile_file_path(ee_plan_builder *builder, const ee_rule_node *node, const char *subject, ee_str name);

/* Appends the whole ordinary file `name` (as ee_compile_file_path() gave it) to `text` and mixes it into the plan's
 * hash of files. False with a mistake at the node's location if it cannot be read or is larger than
 * EE_COMPILE_FILE_LIMIT.
 */
bool ee_compile_read_file(ee_plan_builder *builder, const ee_rule_node *node, const char *subject, const char *name,
                          ee_buffer *text);

#endif
