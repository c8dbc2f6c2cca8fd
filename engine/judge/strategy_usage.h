/* strategy_usage.h: which choice a judge made how often, over a data set.
 *
 * For `evalengine check RULES DATA`: what each field will use, and why. */
#ifndef EE_JUDGE_STRATEGY_USAGE_H
#define EE_JUDGE_STRATEGY_USAGE_H

#include <stdint.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/str.h"

typedef struct ee_strategy_usage {
  struct ee_strategy_used {
    ee_str path;
    const char *choice, *why; /* static, or in the plan's arena */
    uint64_t count;
  } * items; /* in order of first appearance of the path, then of the choice */
  size_t count, capacity;
  uint64_t left_out; /* not listed beyond EE_STRATEGY_USAGE_LIMIT */
  uint32_t *slots;   /* hash of an item to its place + 1; NULL before the first */
  ee_arena names;
} ee_strategy_usage;

#define EE_STRATEGY_USAGE_LIMIT 1000

void ee_strategy_usage_init(ee_strategy_usage *observation);
void ee_strategy_usage_fini(ee_strategy_usage *observation);
/* Counts one choice; `path` is copied where it is new. */
void ee_strategy_usage_add(ee_strategy_usage *observation, ee_str path, const char *choice, const char *why);
/* Lists one choice without counting it: what is configured and occurs in no case shows as that. */
void ee_strategy_usage_mention(ee_strategy_usage *observation, ee_str path, const char *choice, const char *why);
/* Appends a line a path and choice, indented by two spaces: "  bio  SEMANTIC  text, 40 values". */
void ee_strategy_usage_print(const ee_strategy_usage *observation, ee_buffer *out);

#endif
