/* compile.h: helpers that compile the nodes of a rule file: options checked against rows, errors, paths, data, files.
 *
 * Used by judges, strategies and gates; plan.h puts them together. The rows are the source of the checks, of --help-on,
 * of the manual's tables and of the editor's meta file. */
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
  EE_OPTION_PATH,   /* a string that ee_path_parse() accepts */
  EE_OPTION_PATHS,  /* a path, or an array of paths */
  EE_OPTION_CHOICE, /* one of choices */
  EE_OPTION_TEXTS,  /* an array of strings */
  EE_OPTION_FUNCTION,
  EE_OPTION_CHOICE_OR_FUNCTION,
  EE_OPTION_NORMALIZE,      /* the name of a normal form, an array of names, or a function */
  EE_OPTION_VALUES,         /* an array of strings, numbers, booleans or ee.null */
  EE_OPTION_NUMBER_OR_PATH, /* a number within min..max, or a path */
  EE_OPTION_NUMBERS,        /* a non-empty array of numbers within min..max */
  EE_OPTION_TABLE,          /* a plain table with options of its own, checked by its compiler */
  EE_OPTION_TEXT_OR_TABLE,  /* `match = "fields"` or `match = { ... }` */
  EE_OPTION_STRATEGY,       /* a strategy node, checked by its compiler */
  EE_OPTION_TEXT_OR_FALSE   /* `cache = "FILE"` or `cache = false` */
} ee_option_type;

typedef struct ee_option {
  const char *name; /* NULL ends a table of rows */
  ee_option_type type;
  const char *default_text;                     /* the default, as shown: "0.85", "\"levenshtein\"", "none" */
  const char *unit;                             /* or NULL */
  const char *help;                             /* one sentence */
  double min, max;                              /* of numbers, inclusive */
  const char *choices;                          /* of choices: "levenshtein|jaro_winkler|..." */
  const char *(*list_choices)(ee_arena *arena); /* instead of `choices`, in `arena` */
  bool open_choice;              /* a choice that is checked later: it may be a name that the rule file declares */
  const struct ee_option *inner; /* rows of a table's own options; NULL where its keys come from the data */
  bool is_data;                  /* a table of plain data, kept as a document: nested arrays are not flattened */
  const char *lua_type;          /* its type in the editor's meta file where `type` says too little; else NULL */
} ee_option;

/* Checks every named option of `node` against `tables` of rows (NULL-terminated): reports unknown names (with a
 * suggestion), wrong types, values out of range and unknown choices. `subject` names the node in messages
 * ("ee.numeric"). False with errors. */
bool ee_options_check(const ee_rule_node *node, const char *subject, const ee_option *const *tables,
                      ee_error_list *errors);

/* The choices of a row, "a|b|c", in `arena` or static; NULL for a row without choices. */
const char *ee_option_choices(const ee_option *row, ee_arena *arena);

/* Values of checked options; `fallback` for an option that is missing or was wrong. */
double ee_option_number(const ee_rule_node *node, const char *name, double fallback);
bool ee_option_bool(const ee_rule_node *node, const char *name, bool fallback);
ee_str ee_option_text(const ee_rule_node *node, const char *name, const char *fallback);
/* The index of the option's text in `choices` ("a|b|c"), else of `fallback`. */
int ee_option_choice(const ee_rule_node *node, const char *name, const char *choices, const char *fallback);
/* Whether the option's text is `choice`; false for an option that is not given. */
bool ee_option_is(const ee_rule_node *node, const char *name, const char *choice);
/* The function's number, or EE_NO_FUNCTION. */
int ee_option_function(const ee_rule_node *node, const char *name);

/* The builder ---------------------------------------------------------------------------------- */

/* Loads rule files that ee.code_judge names; implemented by lua/ and by tests. */
typedef struct ee_rules_loader {
  void *user;
  /* Loads the rule file `path`, relative to the working directory, with `config` (an object; NULL: {}). The plan lives
   * as long as the one that names it. NULL with errors; a file that is being loaded already is an error ("includes
   * itself"). */
  const struct ee_plan *(*load)(void *user, const char *path, const ee_value *config, ee_error_list *errors);
  const char
      *refuses_programs; /* ee.exec is an error, which ends so: ", which --no-exec forbids"; NULL: it is allowed */
  bool two_truths; /* both documents are expected values: the option 'candidate', where candidates have a value, does
                      not count */
} ee_rules_loader;

/* What compile functions need. */
typedef struct ee_plan_builder {
  ee_arena *arena;
  struct ee_plan *plan;
  ee_error_list *errors;
  const ee_rules_loader *loader; /* NULL: ee.code_judge is an error */
} ee_plan_builder;

/* Adds an error at the node's place. */
void ee_compile_error(ee_plan_builder *builder, const ee_rule_node *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds a warning at the node's place. */
void ee_compile_warn(ee_plan_builder *builder, const ee_rule_node *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Adds the warnings of another plan, without those that this plan has already. */
void ee_compile_add_warnings(ee_plan_builder *builder, const ee_error *warnings, size_t count);

/* For ee.exec and ee.code_judge (`subject`): takes the judge's name from the first positional value and reports other
 * positional values; `hint` is appended to that message (" (write ...)", or ""). */
void ee_compile_name(ee_plan_builder *builder, const ee_rule_node *node, const char *subject, const char *hint,
                     struct ee_judge *judge);
/* Sets `*config` to the option 'config' as a document, an object; NULL if it is not given. False with errors. */
bool ee_compile_config(ee_plan_builder *builder, const ee_rule_node *node, const char *subject,
                       const ee_value **config);

/* Paths ---------------------------------------------------------------------------------------- */

/* Flags of ee_compile_path(). */
enum {
  EE_PATH_NO_WILDCARD = 1, /* error: "SUBJECT: path 'P' has a [*], which only ee.fields takes" */
  EE_PATH_NO_QUERY = 16,   /* error: "SUBJECT: 'P' is a query; ..." */
  EE_PATH_ONE_VALUE = 2,   /* error: "SUBJECT: 'P' may name several values; the path must name one" */
  EE_PATH_CHECKED = 4,     /* ee_options_check() reported a text that is not a path: no second error */
  EE_PATH_SAY_BAD = 8      /* errors of the syntax begin with "bad path: " after the subject */
};
/* Parses `text` as a path in the plan's arena; NULL with an error at `node` when it is not one. A path with [*] is
 * returned even after the error that the flags ask for. `subject` begins the messages ("ee.quality"); it may be NULL
 * without wildcard flags. */
const ee_path *ee_compile_path(ee_plan_builder *builder, const ee_rule_node *node, ee_str text, const char *subject,
                               unsigned flags);
/* The path in the option `name` of a node whose options were checked, without [*]; NULL when it is not given or not a
 * path. */
const ee_path *ee_compile_option_path(ee_plan_builder *builder, const ee_rule_node *node, const char *subject,
                                      const char *name);

/* Where a judge's value is in both documents. A NULL path is the whole document, in the rule file "$" or no path. */
typedef struct ee_list_paths {
  const ee_path *expected, *candidate;
} ee_list_paths;
/* Reads the positional path of a judge, which may be left out, and its option `candidate`. `followed`: strategies may
 * follow the path, or be there without it. */
void ee_list_paths_compile(ee_plan_builder *builder, const ee_rule_node *node, const char *subject, bool followed,
                           ee_list_paths *paths);
/* The same for a judge of a whole object, which takes nothing but the path: reports each other positional value as
 * "SUBJECT takes WHAT, got a number"; `option` is where strategies belong. */
void ee_list_paths_compile_alone(ee_plan_builder *builder, const ee_rule_node *node, const char *subject,
                                 const char *what, const char *option, ee_list_paths *paths);
/* The row of the option `candidate`. */
#define EE_CANDIDATE_PATH_OPTION                                                                                       \
  {                                                                                                                    \
    .name = "candidate", .type = EE_OPTION_PATH, .default_text = "the path itself",                                    \
    .help = "The path in the candidate, if it differs; \"$\" is the whole document."                                   \
  }
/* The value at `path` in the document `root`. */
const ee_value *ee_list_path_get(const ee_path *path, const ee_value *root, ee_arena *arena);
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

/* The plain table as a document, frozen so that workers may share it: the one it was made from, or a new one in
 * `arena`. Named values make an object (sorted by key), positional values an array, an empty table an empty object.
 * NULL with
 * `*error`, in `arena` and with the place, for a table that is not data: a function, names and positions in one table,
 * a number that is not finite, shared tables that expand to more than a million values. */
const ee_value *ee_rule_node_to_value(ee_arena *arena, const ee_rule_node *table, const char **error);

#define EE_COMPILE_FILE_LIMIT ((size_t)16 << 20)

/* `name` relative to the rule file's folder, in the plan's arena; NULL with an error if it is empty or has a NUL. */
const char *ee_compile_file_path(ee_plan_builder *builder, const ee_rule_node *node, const char *subject, ee_str name);

/* Appends the regular file `name` (of ee_compile_file_path()) to `text` and adds it to the plan's rules_hash. False
 * with an error when it cannot be read or is larger than EE_COMPILE_FILE_LIMIT. */
bool ee_compile_read_file(ee_plan_builder *builder, const ee_rule_node *node, const char *subject, const char *name,
                          ee_buffer *text);

#endif
