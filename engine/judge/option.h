/* option.h: rows that say which options a thing takes.
 *
 * Layer: judge. From these rows come the load-time checks, --help-on, the README's tables and the editor's meta file. */
#ifndef EE_JUDGE_OPTION_H
#define EE_JUDGE_OPTION_H

#include <stdbool.h>

#include "base/error.h"
#include "judge/spec.h"

typedef enum ee_option_type {
  EE_OPTION_BOOL,
  EE_OPTION_NUMBER,           /* within min..max */
  EE_OPTION_TEXT,
  EE_OPTION_PATH,             /* a text that ee_path_parse() takes */
  EE_OPTION_CHOICE,           /* one of choices */
  EE_OPTION_TEXTS,            /* a list of texts */
  EE_OPTION_FUNCTION,
  EE_OPTION_CHOICE_OR_FUNCTION,
  EE_OPTION_NORMALIZE,        /* a normal form's name, a list of them, or a function */
  EE_OPTION_VALUES,           /* a list of texts, numbers, booleans or ee.null */
  EE_OPTION_NUMBER_OR_PATH,   /* a number within min..max, or a path */
  EE_OPTION_NUMBERS,          /* a list of numbers within min..max, one at least */
  EE_OPTION_TABLE,            /* a plain table with options of its own, checked by its compiler */
  EE_OPTION_TEXT_OR_TABLE,    /* `match = "fields"` or `match = { ... }` */
  EE_OPTION_STRATEGY,         /* a strategy node, checked by its compiler */
  EE_OPTION_TEXT_OR_FALSE     /* `cache = "FILE"` or `cache = false` */
} ee_option_type;

typedef struct ee_option {
  const char *name; /* NULL ends a table of rows */
  ee_option_type type;
  const char *standard; /* the default as it is shown: "0.85", "\"levenshtein\"", "none" */
  const char *unit;     /* NULL when there is none */
  const char *help;     /* one sentence */
  double min, max;      /* of numbers, inclusive */
  const char *choices;  /* of choices: "levenshtein|jaro_winkler|..." */
  const struct ee_option *inner; /* of a table with options of its own: their rows; NULL where its keys are the data's */
} ee_option;

/* Checks every named option of `spec` against the tables of rows (`tables` NULL-terminated): unknown ones with a suggestion,
 * wrong types, values out of range, unknown choices. `subject` is how messages call the thing ("ee.numeric"). Adds to
 * `errors`; returns whether all was well. */
bool ee_options_check(const ee_spec *spec, const char *subject, const ee_option *const *tables, ee_error_list *errors);

/* Values of options that were checked, or `standard` when they are not there (or were wrong). */
double ee_option_number(const ee_spec *spec, const char *name, double standard);
bool ee_option_bool(const ee_spec *spec, const char *name, bool standard);
ee_str ee_option_text(const ee_spec *spec, const char *name, const char *standard);
/* The index of the option's text in `choices` ("a|b|c"), or of `standard`. */
int ee_option_choice(const ee_spec *spec, const char *name, const char *choices, const char *standard);
/* The function's number, or EE_NO_FUNCTION. */
int ee_option_function(const ee_spec *spec, const char *name);

#endif
