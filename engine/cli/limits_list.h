/* limits_list.h: all bounds of the program, with and without an option, for --help-on limits and the manual. */
#ifndef EE_CLI_LIMITS_LIST_H
#define EE_CLI_LIMITS_LIST_H

#include <stddef.h>

#include "base/arena.h"

/* One bound. Texts are static or in the arena. */
typedef struct ee_listed_limit {
  const char *group;  /* "Input" */
  const char *option; /* with its dashes; NULL: fixed */
  const char *value;  /* the default, or the fixed value: "64 MiB", "512 levels" */
  const char *what;   /* is bounded */
  const char *beyond; /* what happens beyond it */
} ee_listed_limit;

/* The bounds in the order of the page; `*count` gets their number. */
const ee_listed_limit *ee_limits_list(ee_arena *arena, size_t *count);

#endif
