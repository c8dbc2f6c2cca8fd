/* strategy_usage.h: how often a judge chose which strategy for which path, over a data set.
 *
 * For `evalengine check RULES DATA`: what each field uses, and why. */
#ifndef EE_JUDGE_STRATEGY_USAGE_H
#define EE_JUDGE_STRATEGY_USAGE_H

#include <stdint.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/hash_index.h"
#include "base/list.h"
#include "base/str.h"

/* Choices that are listed; further ones are only counted. */
#define EE_STRATEGY_USAGE_LIMIT 1000

typedef struct ee_strategy_used {
  ee_str path;
  size_t first;             /* the first item of the same path */
  const char *choice, *why; /* borrowed */
  uint64_t count;           /* of values */
} ee_strategy_used;

typedef struct ee_strategy_usage {
  EE_LIST(ee_strategy_used);
  ee_hash_index index; /* of items, by path, choice and reason */
  uint64_t left_out;   /* values of choices beyond the limit */
  ee_arena arena;
} ee_strategy_usage;

void ee_strategy_usage_init(ee_strategy_usage *usage);
void ee_strategy_usage_fini(ee_strategy_usage *usage);
/* Counts one value at `path` for which `choice` was made because of `why`. `path` is copied if it is new; the others
 * are static or in the plan's arena. */
void ee_strategy_usage_add(ee_strategy_usage *usage, ee_str path, const char *choice, const char *why);
/* Lists a choice without counting a value: a configured one that no case has is printed as such. */
void ee_strategy_usage_mention(ee_strategy_usage *usage, ee_str path, const char *choice, const char *why);
/* Appends a line per path and choice, indented by two spaces, in the order of the paths' first appearance:
 * "  bio  SEMANTIC  text, 40 values". */
void ee_strategy_usage_print(const ee_strategy_usage *usage, ee_buffer *out);

#endif
