/* quality_judge.h: the compiled ee.quality, and what its files share.
 *
 * included by quality*.c and by tests. */
#ifndef EE_JUDGE_QUALITY_QUALITY_JUDGE_H
#define EE_JUDGE_QUALITY_QUALITY_JUDGE_H

#include <math.h>

#include "judge/compile.h"
#include "judge/plan.h"
#include "judge/quality/quality.h"
#include "judge/strategy_usage.h"

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

/* What the configuration says of one key. In the plan's arena. */
typedef struct ee_quality_entry {
  ee_str key;     /* as data have it: the key, or with depth = "leaves" the path in its one spelling (path.h) */
  ee_str written; /* as the configuration has it */
  ee_quality_kind kind;
  const ee_strategy *strategy; /* of STRATEGY; NULL otherwise */
  const char *name;            /* of the kind, or of the strategy */
  const char *file;            /* where it was said */
  size_t line;
  const char *place; /* "rules.lua:14" */
} ee_quality_entry;

/* The index into weights of ee_quality and ee_quality_result. */
enum { EE_WEIGHT_ACCURACY, EE_WEIGHT_COMPLETENESS, EE_WEIGHT_SAFETY, EE_WEIGHT_HALLUCINATION, EE_WEIGHTS };

/* The compiled judge. In the plan's arena. */
typedef struct ee_quality {
  const ee_path *path; /* of the object in both documents; NULL: the documents themselves */
  ee_quality_entry *entries;
  size_t entry_count;
  uint32_t *slots; /* hash of the key to entry + 1, open addressing, at most half full */
  size_t slot_mask;
  const ee_strategy *fuzzy, *semantic; /* NULL with a similarity function */
  const ee_strategy *automatic;        /* aligns items of lists */
  double thresholds[EE_QUALITY_KINDS]; /* of FUZZY and SEMANTIC */
  double weights[EE_WEIGHTS];
  double maximum;                  /* of scale = "max"; 0: not scaled */
  int similarity, formula, safety; /* functions, or EE_NO_FUNCTION */
  bool leaves;                     /* depth = "leaves" */
  bool ignore_everywhere;          /* ignore = "everywhere" */
  ee_empty_rule empty;
} ee_quality;

extern const ee_option ee_quality_options[];
/* Options of the table `weights`. */
extern const ee_option ee_quality_weight_options[];

/* Compiles the node: the judge record's compile(). */
void ee_quality_compile(ee_plan_builder *builder, const ee_rule_node *node, ee_judge *judge);
/* The judge record's print(). */
void ee_quality_print(const ee_judge *judge, ee_buffer *out);

/* wa*accuracy + wc*completeness + ws*safety - wh*hallucination, with `parts` as in ee_quality_result. What rounding
 * takes off is added up apart (Neumaier 1974): the default weights must give 0.7375 where that is the answer. */
static inline double ee_quality_sum(const double *weights, const double *parts) {
  const double terms[] = {weights[EE_WEIGHT_ACCURACY] * parts[EE_QUALITY_ACCURACY],
                          weights[EE_WEIGHT_COMPLETENESS] * parts[EE_QUALITY_COMPLETENESS],
                          weights[EE_WEIGHT_SAFETY] * parts[EE_QUALITY_SAFETY],
                          -weights[EE_WEIGHT_HALLUCINATION] * parts[EE_QUALITY_HALLUCINATION]};
  double sum = 0, rest = 0;
  for (size_t i = 0; i < EE_WEIGHTS; i++) {
    double next = sum + terms[i];
    rest += fabs(sum) >= fabs(terms[i]) ? (sum - next) + terms[i] : (terms[i] - next) + sum;
    sum = next;
  }
  return sum + rest;
}

/* Strategies in a file ------------------------------------------------------------------------- */

/* One member of the file's object, in the order of the file; a key may stand twice. */
typedef struct ee_quality_member {
  ee_str key;
  const ee_value *value;
  size_t line;
} ee_quality_member;

#define EE_QUALITY_FILE_LIMIT EE_COMPILE_FILE_LIMIT

typedef struct ee_quality_file {
  const char *name; /* as the system knows it: relative names stand beside the rule file */
  const ee_quality_member *members;
  size_t count;
} ee_quality_file;

/* Reads the JSON file `name` that `spec` names, into the plan's arena. False when it cannot be read or is no object,
 * which is reported: at its own place, or at `spec`'s where there is no text to point at. */
bool ee_quality_file_read(ee_plan_builder *builder, const ee_rule_node *node, ee_str name, ee_quality_file *file);

/* Choosing ------------------------------------------------------------------------------------- */

/* What the configuration says of `key`, or NULL. */
const ee_quality_entry *ee_quality_find(const ee_quality *quality, ee_str key);
/* Which of the kinds compares an expected value (not NULL) that the configuration does not name: by its type. `*why` is
 * one of ee_quality_key.why. */
ee_quality_kind ee_quality_choose(const ee_value *expected, ee_arena *scratch, const char **why);

/* Keys ----------------------------------------------------------------------------------------- */

/* The keys of a case. In the case's arena. */
typedef struct ee_quality_keys {
  ee_quality_key *items; /* path, attribute, expected, candidate, entry and slot are set, all else is zero */
  size_t expected_count; /* those of the expected document come first, the others are extra */
  size_t count;
  size_t attribute_count;
  ee_str failure_place; /* lists that are too large to be aligned, paths that are too long: */
  ee_reason failure;    /* not NONE; there are no keys then */
} ee_quality_keys;

/* The members of two objects; NULL stands for an empty one. `found`, one an entry of the configuration (NULL: none is
 * asked for), becomes true where an entry has a key. Linear. */
void ee_quality_find_keys(const ee_quality *quality, const ee_value *expected, const ee_value *candidate,
                          ee_arena *arena, bool *found, ee_quality_keys *keys);
/* Their leaves: values that are no list and no object, or an empty one against nothing or another leaf; and whatever
 * stands where the configuration names a place, which is not looked into. An empty value
 * against the inside of a list or an object is taken for one at each of its leaves. Lists at the same place are aligned
 * first. */
void ee_quality_find_leaves(const ee_quality *quality, ee_context *context, const ee_value *expected,
                            const ee_value *candidate, bool *found, ee_quality_keys *keys);
/* Pairs the elements of two arrays that belong together: `partner`, of the expected array's length, gets the index of
 * each one's partner or EE_UNPAIRED (align.h). The order of the arrays changes nothing but indices. NONE, or why there
 * are no pairs: the arrays are too large. Scratch memory is given back. */
ee_reason ee_quality_align(const ee_quality *quality, ee_context *context, const ee_value *expected,
                           const ee_value *candidate, uint32_t *partner);

/* The paths of all leaves of a case are not longer than this together, in bytes. */
#define EE_QUALITY_PATH_LIMIT ((size_t)64 << 20)

#endif
