/* wanted_cases.h: the cases of --case: which ids are among them, and what was probably meant by one that does not
 * exist. */
#ifndef EE_CLI_WANTED_CASES_H
#define EE_CLI_WANTED_CASES_H

#include "cli/options.h"

/* Ids that are kept for a suggestion. */
#define EE_WANTED_NAMES 2000

typedef struct ee_wanted_cases {
  const ee_texts *ids; /* borrowed */
  ee_arena *arena;
  bool *found;                             /* for each of `ids` */
  const char *others[EE_WANTED_NAMES + 1]; /* ended by NULL */
  size_t other_count;
} ee_wanted_cases;

/* `arena` is borrowed. */
void ee_wanted_cases_init(ee_wanted_cases *wanted, const ee_texts *ids, ee_arena *arena);
/* EE_ERROR_USAGE for several cases in a format whose document is one file a case. */
ee_status ee_wanted_cases_check_format(const ee_options *options, ee_error *error);
/* Whether the case `id` is wanted, which is then found; true for every id without --case. `base` is the id without its
 * trial: who wants "a1" wants all trials of it. */
bool ee_wanted_cases_have(ee_wanted_cases *wanted, ee_str id, ee_str base);
/* Whether any trial of `base` is wanted. */
bool ee_wanted_cases_have_trials(const ee_wanted_cases *wanted, ee_str base);
/* EE_ERROR_USAGE for the first id that was not found: "no case 'inv-9' in WHERE (did you mean 'inv-8'?)". */
ee_status ee_wanted_cases_check(const ee_wanted_cases *wanted, const char *where, ee_error *error);

#endif
