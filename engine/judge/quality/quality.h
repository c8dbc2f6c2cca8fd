/* quality.h: ee.quality: how complete, faithful and right a whole answer is.
 *
 * Compiled and printed by quality_compile.c, judged by quality.c; quality_leaves.c finds the leaves for
 * depth = "leaves". */
#ifndef EE_JUDGE_QUALITY_QUALITY_H
#define EE_JUDGE_QUALITY_QUALITY_H

#include "base/hash_index.h"
#include "judge/fields/field.h"
#include "judge/judge.h"
#include "judge/plan.h"

/* The compiled judge ---------------------------------------------------------------------------- */

typedef enum ee_quality_kind {
  EE_QUALITY_EXACT,
  EE_QUALITY_FUZZY,
  EE_QUALITY_SEMANTIC,
  EE_QUALITY_IGNORE,
  EE_QUALITY_STRATEGY, /* a strategy of the rule language */
  EE_QUALITY_KINDS
} ee_quality_kind;
/* "EXACT", "FUZZY", "SEMANTIC", "IGNORE", then NULL. */
extern const char *const ee_quality_kind_names[EE_QUALITY_KINDS];

/* The configured strategy of one key. In the plan's arena. */
typedef struct ee_quality_entry {
  ee_str key;     /* as in the data: the key, or with depth = "leaves" the path as path.h spells it */
  ee_str written; /* as in the configuration */
  ee_quality_kind kind;
  const ee_strategy *strategy; /* of STRATEGY; NULL otherwise */
  const char *name;            /* of the kind, or of the strategy */
  const char *file;            /* of the configuration */
  size_t line;
  const char *place; /* "rules.lua:14" */
} ee_quality_entry;

/* The index into weights of ee_quality and ee_quality_result. */
enum { EE_WEIGHT_ACCURACY, EE_WEIGHT_COMPLETENESS, EE_WEIGHT_SAFETY, EE_WEIGHT_HALLUCINATION, EE_WEIGHTS };

/* The compiled judge. In the plan's arena. */
typedef struct ee_quality {
  ee_list_paths paths; /* of the objects in both documents */
  ee_quality_entry *entries;
  size_t entry_count;
  ee_hash_index index;                                     /* of the entries by key */
  const ee_strategy *fuzzy, *semantic;                     /* NULL with a similarity function */
  const ee_strategy *automatic;                            /* for pairing items of arrays, as are the next three */
  const ee_strategy *pair_exact, *pair_alike, *pair_fuzzy; /* the last NULL without a similarity function */
  double thresholds[EE_QUALITY_KINDS];                     /* of FUZZY and SEMANTIC */
  double weights[EE_WEIGHTS];
  double maximum;                  /* the divisor of scale = "max"; 0: not scaled */
  int similarity, formula, safety; /* functions, or EE_NO_FUNCTION */
  bool leaves;                     /* depth = "leaves" */
  bool ignore_everywhere;          /* ignore = "everywhere" */
  ee_empty_rule empty;
} ee_quality;

extern const ee_option ee_quality_options[];
/* Options of the table `weights`. */
extern const ee_option ee_quality_weight_options[];

/* The judge record's compile() and print(). */
void ee_quality_compile(ee_plan_builder *builder, const ee_rule_node *node, ee_judge *judge);
void ee_quality_print(const ee_judge *judge, ee_buffer *out);

/* The entry of `key`, or NULL. */
const ee_quality_entry *ee_quality_find(const ee_quality *quality, ee_str key);

/* The result of a case -------------------------------------------------------------------------- */

/* On which sides a key has a value. gt_non_null of SEMANTICS is the first two together. */
typedef enum ee_quality_bucket {
  EE_QUALITY_BOTH,       /* both_non_null */
  EE_QUALITY_MISSING,    /* aio_missing_or_null: expected, and no value in the candidate */
  EE_QUALITY_UNEXPECTED, /* gt_null_aio_has_value: expected to be empty, and the candidate has a value */
  EE_QUALITY_EXTRA,      /* extra_keys: in the candidate only, with any value */
  EE_QUALITY_NEITHER,    /* in the expected document, and empty on both sides; not reported */
  EE_QUALITY_BUCKETS
} ee_quality_bucket;
/* "both_non_null", "aio_missing_or_null", "gt_null_aio_has_value", "extra_keys", "neither". */
extern const char *const ee_quality_bucket_names[EE_QUALITY_BUCKETS];

/* One key (depth = "top") or one leaf (depth = "leaves") of a case. */
typedef struct ee_quality_key {
  ee_str path;      /* the key, or the leaf's path, unique in the case: array items have the index of the expected
                       item, [+i] if only the candidate has the item */
  ee_str attribute; /* the same with [*] for every index: counted over cases */
  ee_quality_bucket bucket;
  bool ignored;         /* IGNORE: not in accuracy; with ignore = "everywhere" not in the counts either */
  const char *strategy; /* "EXACT", "FUZZY", "SEMANTIC", "IGNORE", or the name of a strategy of the rule language; ""
                           if no value is expected and the configuration does not name the key */
  const char *why;      /* "config", "number", "boolean", "date", "email", "list", "object", "text"; "" with strategy */
  const ee_value *expected, *candidate; /* NULL: missing */
  bool compared;                        /* BOTH and not ignored: the comparison is set */
  ee_comparison comparison;
  const struct ee_quality_entry *entry; /* of the configuration; NULL: none */
  uint32_t slot;                        /* of the attribute: 0 .. ee_quality_keys.attribute_count - 1 */
} ee_quality_key;

/* The parts of the score, all 0..1: the case metrics of ee.quality, in this order. */
typedef enum ee_quality_part {
  EE_QUALITY_RQS,
  EE_QUALITY_ACCURACY,
  EE_QUALITY_COMPLETENESS,
  EE_QUALITY_SAFETY,
  EE_QUALITY_HALLUCINATION,
  EE_QUALITY_PARTS
} ee_quality_part;

/* A result's `details`, from which the score can be computed again. In the case's arena. */
typedef struct ee_quality_result {
  const ee_quality_key *keys; /* expected ones in document order, then extra ones */
  size_t key_count;
  size_t counts[EE_QUALITY_BUCKETS]; /* keys in each bucket, without keys that are ignored everywhere */
  size_t distinct_keys;              /* all keys of both sides, without keys that are ignored everywhere */
  size_t compared;                   /* keys that accuracy is the mean of */
  double score_sum;                  /* of their scores */
  double parts[EE_QUALITY_PARTS];
  double weights[4]; /* accuracy, completeness, safety, hallucination */
  double maximum;    /* the divisor of scale = "max"; 0: not scaled */
  bool by_formula;   /* a function computed the RQS */
} ee_quality_result;

/* wa*accuracy + wc*completeness + ws*safety - wh*hallucination, with `parts` as in ee_quality_result. Compensated
 * summation (Neumaier 1974): with the default weights 0.7375 must be 0.7375. */
double ee_quality_sum(const double *weights, const double *parts);

/* Keys ------------------------------------------------------------------------------------------ */

/* The keys of a case. In the case's arena. */
typedef struct ee_quality_keys {
  ee_quality_key *items; /* with path, attribute, expected, candidate, entry and slot; the rest is zero */
  size_t expected_count; /* keys of the expected document, which come first; the others are extra */
  size_t count;
  size_t attribute_count;
  ee_str failure_place; /* set with a failure */
  ee_reason failure;    /* arrays are too large to be paired, or paths too long: there are no keys; else NONE */
} ee_quality_keys;

/* Sets the strategies of pairing in `quality`, whose `automatic` is set. */
void ee_quality_compile_pairing(ee_arena *arena, ee_quality *quality);

/* The members of two objects; NULL is an empty object. `found` (NULL: not needed), one for each entry of the
 * configuration, becomes true for entries that have a key. Linear. */
void ee_quality_find_keys(const ee_quality *quality, const ee_value *expected, const ee_value *candidate,
                          ee_arena *arena, bool *found, ee_quality_keys *keys);
/* The leaves of two objects: values that are not an array or an object, empty arrays and objects, and any value at a
 * path that the configuration names. Arrays at the same path are paired first. An empty value against a filled array or
 * object is one against each of its leaves. */
void ee_quality_find_leaves(const ee_quality *quality, ee_context *context, const ee_value *expected,
                            const ee_value *candidate, bool *found, ee_quality_keys *keys);

#endif
