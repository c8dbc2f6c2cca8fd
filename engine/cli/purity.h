/* purity.h: whether the functions of a rule file answer the same whatever was judged before.
 *
 * Every case is judged twice, in the order of the data and in another, each time in a fresh script; what each function
 * answered is hashed a case, and a function whose hashes differ keeps state. */
#ifndef EE_CLI_PURITY_H
#define EE_CLI_PURITY_H

#include "cli/record_list.h"

typedef struct ee_purity_function {
  bool differs;
  char example[80]; /* the id of the first case in which it did, cut */
} ee_purity_function;

typedef struct ee_purity {
  ee_purity_function *functions; /* by number; owned */
  size_t function_count;
  size_t case_count;       /* records judged */
  size_t unreadable_count; /* records that are no cases; evaluating tells why */
} ee_purity;

/* Judges the records that are cases; `provider` (NULL: none) is asked for similarity. EE_ERROR_SYSTEM when an asker
 * cannot be made, EE_ERROR_RULES when a script does not open. ee_purity_fini() in either case. */
ee_status ee_purity_check(const ee_plan *plan, ee_provider *provider, const ee_record_list *list, ee_purity *purity,
                          ee_error *error);
void ee_purity_fini(ee_purity *purity);

#endif
