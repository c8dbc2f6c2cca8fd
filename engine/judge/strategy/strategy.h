/* strategy.h: comparing one expected with one candidate value.
 *
 * A strategy's row says everything about it; its `compare` is called only with two values that are not
 * empty, and only after `ee_strategy_compare()` dealt with what all strategies share. */
#ifndef EE_JUDGE_STRATEGY_STRATEGY_H
#define EE_JUDGE_STRATEGY_STRATEGY_H

#include <stdbool.h>

#include "base/error.h"
#include "data/json/value.h"
#include "judge/case.h"
#include "judge/compile.h"
#include "judge/formula.h"
#include "judge/result.h"
#include "judge/script.h"

typedef struct ee_strategy ee_strategy;

/* The outcome of one comparison. */
typedef struct ee_comparison {
  double score; /* 0..1; 1 or 0 unless the strategy grades */
  bool matched;
  bool failed;       /* a script's error, a value in error or no answer; then not matched, score 0 */
  double similarity; /* what was compared with the threshold, 0..1; 1 or 0 of strategies without a similarity;
                        negative: not known (a long text that cannot match) */
  ee_reason reason;
  bool unread[2]; /* by ee_document_side: the strategy could not read that value; never when it matched */
  /* By ee_document_side, where ee_context.keeps_compared is set: the normalized values that the strategy compared, kept
   * until the end of the case. NULL: nothing was compared, since both values are equal as they are. */
  const ee_value *compared[2];
} ee_comparison;

typedef struct ee_strategy_type {
  const char *name;         /* as in ee.NAME; engine/help/NAME.txt says what it computes */
  const char *help;         /* one line */
  const ee_option *options; /* its own, besides ee_strategy_shared_options */
  double threshold;         /* the default of `threshold`; negative: must be given */
  bool equal_matches;       /* equal raw values match before anything is parsed */
  const char *positional;   /* values after the path, for the editor's meta file: "[2] string"; NULL: takes none */
  bool takes_function;      /* without a path its first value is a function */
  bool calls_script;  /* every comparison enters the script; other strategies only with a function of the rule file */
  bool uses_provider; /* without a function of the rule file it may ask a provider */
  bool is_numeric;    /* compares numbers */
  bool is_ignored;    /* fields with it are not judged */
  bool ignores_expected;    /* looks at the candidate alone */
  bool normalizes_elements; /* compares arrays whose elements it normalizes itself, instead of the whole values */
  /* Reads the options of `node`, which were checked, into `strategy`; errors go to the builder. NULL: no options. */
  void (*compile)(ee_plan_builder *builder, const ee_rule_node *node, ee_strategy *strategy);
  void (*compare)(const ee_strategy *strategy, ee_context *context, const ee_value *expected, const ee_value *candidate,
                  ee_comparison *result);
  /* Whether the strategy can read `value`, which is normalized and not empty. A value that it cannot read is reported
   * as unread, and `remedies` say with which option it could. NULL: it reads every value. */
  bool (*reads)(const ee_strategy *strategy, ee_document_side document, const ee_value *value, ee_arena *scratch);
  /* Whether a value that it cannot read is one in any case: an ambiguous date. Without a candidate it is then missing,
   * and not unread. NULL: only what it reads. */
  bool (*reads_somehow)(const ee_strategy *strategy, const ee_value *value, ee_arena *scratch);
  /* Adds the vote of a value that is not empty to the field's, where strategy->decimal_number is not 0. */
  void (*vote)(const ee_strategy *strategy, ee_document_side document, const ee_value *value,
               struct ee_decimal_votes *votes, ee_arena *scratch);
  /* In order of preference, at most EE_REMEDY_LIMIT; the end has no option. NULL: none. */
  const ee_remedy *remedies;
  /* What it reads: "a number", "numbers". NULL where `reads` is. */
  const char *reads_one, *reads_many;
  /* Why it cannot read `value`, as static text, where there is more to say than that it is not `reads_one`. NULL: there
   * is not. */
  const char *(*why_unread)(const ee_strategy *strategy, const ee_value *value, ee_arena *scratch);
  /* How `result` came from two normalized values: sets measure, value and formula of `how` (formula.h), and its values
   * where they were read as something else (a number in a text). `result` has not failed, and neither value is empty.
   * Called in full detail only; everything is made in the case's arena. NULL: there is nothing to measure. */
  void (*explain)(const ee_strategy *strategy, ee_context *context, const ee_value *expected, const ee_value *candidate,
                  const ee_comparison *result, ee_explanation *how);
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
  bool scalars_as_text;     /* "text" is among them */
  int normalize_function;   /* or EE_NO_FUNCTION */
  int function;             /* custom's, or EE_NO_FUNCTION */
  const ee_strategy *inner; /* what compares the elements of an array; NULL: none */
  ee_empty_rule empty;      /* the plan's null_values and the field's own */
  size_t decimal_number;    /* decimal = "auto": 1 + its number among those of the plan; else 0 */
  void *data;               /* what the type's compile() made */
};

extern const ee_strategy_type ee_exact_strategy, ee_numeric_strategy, ee_date_strategy, ee_fuzzy_strategy,
    ee_semantic_strategy, ee_pattern_strategy, ee_one_of_strategy, ee_set_strategy, ee_iou_strategy,
    ee_distance_strategy, ee_any_of_strategy, ee_ignore_strategy, ee_auto_strategy, ee_custom_strategy;

/* All rows, in the order of the documentation; NULL-terminated. */
extern const ee_strategy_type *const ee_strategy_types[];
const ee_strategy_type *ee_strategy_type_find(ee_str name);
/* weight, required, threshold, candidate, when, null_values, name, normalize, alternatives. A row of
 * the same name in a type's own options (another default) replaces the shared one. */
extern const ee_option ee_strategy_shared_options[];
/* Options of ee.strategy, which defines a project's own one: help, options, score. */
extern const ee_option ee_strategy_definition_options[];

/* Compiles a strategy node (not its path). NULL with errors when it is not a strategy. */
const ee_strategy *ee_strategy_compile(ee_plan_builder *builder, const ee_rule_node *node);

/* Compares two values that are not empty: equal raw values first (where the type says so), normalize, then the type's
 * own compare; never raises. A script's error is recorded in the context and costs the value its score. */
void ee_strategy_compare(const ee_strategy *strategy, ee_context *context, const ee_value *expected,
                         const ee_value *candidate, const ee_script_place *place, ee_comparison *result);

/* The same for two values, neither empty nor equal, that ee_strategy_normalize() has brought into normal form: for
 * comparing each of many values with each of others, by a strategy that enters no script and asks no provider. False,
 * and nothing is compared, if it may take long. */
bool ee_strategy_compare_ready(const ee_strategy *strategy, ee_context *context, const ee_value *expected,
                               const ee_value *candidate, ee_comparison *result);

/* How the comparison of two values came about, of a context that keeps what was compared. `how` must be all zero. */
void ee_strategy_explain(const ee_strategy *strategy, ee_context *context, const ee_value *expected,
                         const ee_value *candidate, const ee_comparison *comparison, ee_explanation *how);

/* False when the strategy cannot read `value`, which is not empty. A value that a function of the rule file normalizes
 * counts as read: only a call would show what is compared. */
bool ee_strategy_reads(const ee_strategy *strategy, ee_document_side document, const ee_value *value,
                       ee_arena *scratch);

/* Whether an expected value that is not empty is missing where there is no candidate: if the strategy reads it, or
 * knows that it is one, as an ambiguous date is. */
bool ee_strategy_misses(const ee_strategy *strategy, const ee_value *value, ee_arena *scratch);
/* Adds the vote of a value on the side `document`, which may be missing, to those of its field. */
void ee_strategy_vote(const ee_strategy *strategy, ee_document_side document, const ee_value *value,
                      struct ee_decimal_votes *votes, ee_arena *scratch);
/* Adds to the context's unread values one that `strategy` cannot read, with the remedies that would. `attribute` and
 * `slot` as in ee_attribute_result. Everything is borrowed until the end of the case. */
void ee_strategy_add_unread(const ee_strategy *strategy, ee_context *context, ee_document_side document,
                            ee_str attribute, int32_t slot, const ee_finding *place, const ee_value *value);

/* True when two equal values always match with score 1 and without calling a script, so that equal line items can be
 * paired before anything is compared. */
bool ee_strategy_is_reflexive(const ee_strategy *strategy);
/* True when comparing may ask a provider. */
bool ee_strategy_uses_provider(const ee_strategy *strategy);
/* True when comparing may enter the script. */
bool ee_strategy_calls_script(const ee_strategy *strategy);

/* For writing strategies ------------------------------------------------------------------------ */

/* The row of the option `score` of a strategy that compares a similarity with a threshold. */
#define EE_SIMILARITY_SCORE_OPTION                                                                                     \
  {                                                                                                                    \
    .name = "score", .type = EE_OPTION_CHOICE, .default_text = "\"match\"",                                            \
    .help = "\"match\" scores 1 or 0; \"similarity\" scores the similarity itself.", .choices = "match|similarity"     \
  }

/* ee_value_equal(), with a short way for strings. */
static inline bool ee_values_same(const ee_value *a, const ee_value *b) {
  if (((a->json.type ^ b->json.type) & 0xff) != 0) return false;
  if ((a->json.type & 0xff) == cJSON_String) {
    return a->length == b->length && memcmp(a->json.valuestring, b->json.valuestring, a->length) == 0;
  }
  return ee_value_equal(a, b);
}

/* The same where `strategy` compares the values: what it takes for empty is equal at every depth. */
static inline bool ee_strategy_same(const ee_strategy *strategy, ee_context *context, const ee_value *a,
                                    const ee_value *b) {
  if (ee_empty_rule_is_plain(&strategy->empty) || ee_type_of(a) < EE_ARRAY) return ee_values_same(a, b);
  return ee_value_equal_by(a, b, &strategy->empty, context->arena);
}

/* Common outcomes. */
static inline void ee_comparison_match(ee_comparison *result) {
  *result = (ee_comparison){.score = 1, .matched = true, .similarity = 1};
}
static inline void ee_comparison_miss(ee_comparison *result, ee_reason reason) {
  *result = (ee_comparison){.reason = reason};
}
/* For a value in error. */
static inline void ee_comparison_fail(ee_comparison *result, ee_reason reason) {
  *result = (ee_comparison){.failed = true, .reason = reason};
}
/* A miss of unequal values: different types, or different values. */
void ee_comparison_differ(ee_comparison *result, const ee_value *expected, const ee_value *candidate);
/* A script's error: recorded, and the reason. */
void ee_comparison_script_error(ee_comparison *result, ee_context *context, const ee_error *error);

/* Applies the strategy's normal forms or function to `value`. `*out` is `value` itself where nothing changed, NULL
 * where the function gave nothing, else a new value in the case's arena. False with `result` filled when the function
 * raised. */
bool ee_strategy_normalize(const ee_strategy *strategy, ee_context *context, const ee_value *value,
                           const ee_value **out, ee_comparison *result);

#endif
