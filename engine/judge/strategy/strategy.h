/* strategy.h: comparing one expected with one candidate value.
 *
 * A strategy's row says everything about it; its `compare` is called only with two values that are not
 * empty, and only after `ee_strategy_compare()` dealt with what all strategies share. */
#ifndef EE_JUDGE_STRATEGY_STRATEGY_H
#define EE_JUDGE_STRATEGY_STRATEGY_H

#include <stdbool.h>

#include "base/error.h"
#include "data/json/value.h"
#include "judge/compile.h"
#include "judge/context.h"
#include "judge/reason.h"
#include "judge/script.h"

typedef struct ee_strategy ee_strategy;

/* The outcome of one comparison. */
typedef struct ee_comparison {
  double score; /* 0..1; 1 or 0 unless the strategy grades */
  bool matched;
  bool failed;       /* a script's error, a value in error or no answer; then not matched, score 0 */
  double similarity; /* the figure that was held against the threshold, 0..1; of strategies that measure nothing 1 or 0;
                        negative: not known (a long text that cannot match) */
  ee_reason reason;
} ee_comparison;

typedef struct ee_strategy_type {
  const char *name;         /* as in ee.NAME */
  const char *help;         /* one line */
  const char *description;  /* what exactly it computes, for --help-on */
  const ee_option *options; /* its own, besides ee_strategy_shared_options */
  double threshold;         /* the default of `threshold`; negative: must be given */
  bool equal_matches;       /* equal raw values match before anything is parsed */
  bool positional;          /* takes a second positional value (custom's function, one_of's list, pattern's text) */
  /* Reads the options of `spec` (already checked by row) into `strategy`; adds mistakes to the builder's errors. NULL:
   * none. */
  void (*compile)(ee_plan_builder *builder, const ee_rule_node *node, ee_strategy *strategy);
  void (*compare)(const ee_strategy *strategy, ee_context *context, const ee_value *expected, const ee_value *candidate,
                  ee_comparison *result);
} ee_strategy_type;

/* A compiled strategy. In the plan's arena, immutable. */
struct ee_strategy {
  const ee_strategy_type *type;
  ee_str name;              /* the row's, or that of a project's own strategy */
  const ee_rule_node *node; /* for place, own options and messages */
  double threshold;
  bool graded;          /* score = "similarity" / "linear", or a custom function: the score is the similarity */
  const uint8_t *forms; /* normal forms applied to texts before comparing */
  size_t form_count;
  int normalize_function; /* or EE_NO_FUNCTION */
  int function;           /* custom's, or EE_NO_FUNCTION */
  ee_empty_rule empty;    /* the plan's null_values and the field's own */
  void *data;             /* what the type's compile() made */
};

/* All rows, in the order of the documentation; ended by a NULL name. */
extern const ee_strategy_type ee_strategy_types[];
const ee_strategy_type *ee_strategy_type_find(ee_str name);
/* weight, required, threshold, candidate, when, null_values, name, normalize. Where a type's own options have a row of
 * the same name (another default), that row stands for both. */
extern const ee_option ee_strategy_shared_options[];
/* Options of ee.strategy, which defines a project's own one: help, options, score. */
extern const ee_option ee_strategy_definition_options[];

/* Compiles a strategy node (not its path). NULL when it is no strategy; mistakes go to the builder's errors. */
const ee_strategy *ee_strategy_compile(ee_plan_builder *builder, const ee_rule_node *node);

/* Compares two values that are not empty: equal raw values first (where the type says so), normalize, then the type's
 * own compare; never raises. A script's error is recorded in the context and costs the value its score. */
void ee_strategy_compare(const ee_strategy *strategy, ee_context *context, const ee_value *expected,
                         const ee_value *candidate, const ee_script_place *place, ee_comparison *result);

/* True when two equal values always match with score 1 and without calling a script: what lets equal line items be
 * paired before anything is compared. */
bool ee_strategy_is_reflexive(const ee_strategy *strategy);
/* True when comparing may ask a provider. */
bool ee_strategy_uses_provider(const ee_strategy *strategy);
/* True when comparing may enter the script. */
bool ee_strategy_calls_script(const ee_strategy *strategy);

#endif
