/* quality.h: ee.quality, how complete, faithful and right a whole answer is.
 *
 * Compiled by quality_compile.c, judged by quality.c; the keys are found by quality_keys.c
 * and, with the items of lists paired by quality_align.c, quality_leaves.c. */
#ifndef EE_JUDGE_QUALITY_QUALITY_H
#define EE_JUDGE_QUALITY_QUALITY_H

#include "judge/fields/field.h"
#include "judge/judge.h"

/* Where a key stands. gt_non_null of SEMANTICS is the first two together. */
typedef enum ee_quality_bucket {
  EE_QUALITY_BOTH,       /* both_non_null */
  EE_QUALITY_MISSING,    /* aio_missing_or_null: expected, and no value in the candidate */
  EE_QUALITY_UNEXPECTED, /* gt_null_aio_has_value: expected to be empty, and the candidate has a value */
  EE_QUALITY_EXTRA,      /* extra_keys: in the candidate only, whatever its value */
  EE_QUALITY_NEITHER,    /* in the expected document, and empty on both sides: in no list */
  EE_QUALITY_BUCKETS
} ee_quality_bucket;
/* "both_non_null", "aio_missing_or_null", "gt_null_aio_has_value", "extra_keys", "neither". */
extern const char *const ee_quality_bucket_names[EE_QUALITY_BUCKETS];

/* One key (depth = "top") or one leaf (depth = "leaves") of a case. */
typedef struct ee_quality_key {
  ee_str path;      /* the key, or the leaf's path: of list items with the index of the expected one, [+i] with that of
                       the candidate's where only it has the item; no two keys of a case have the same */
  ee_str attribute; /* the same with [*] for every index: what is pooled over cases */
  ee_quality_bucket bucket;
  bool ignored;         /* IGNORE: not in accuracy, and with ignore = "everywhere" in no bucket */
  const char *strategy; /* "EXACT", "FUZZY", "SEMANTIC", "IGNORE", or the name of a strategy of the rule language; ""
                           where no value is expected and the configuration names none */
  const char *why;      /* "config", "number", "boolean", "date", "email", "list", "object", "text"; "" with strategy */
  const ee_value *expected, *candidate; /* NULL: missing */
  bool compared;                        /* in BOTH and not ignored: the comparison is set */
  ee_comparison comparison;
  const struct ee_quality_entry *entry; /* what the configuration says of it, or NULL */
  uint32_t slot; /* keys of one attribute share it: from 0, below ee_quality_keys.attribute_count */
} ee_quality_key;

/* The parts of the score, all 0..1, in the order of ee_judge_type.measures of ee.quality. */
typedef enum ee_quality_part {
  EE_QUALITY_RQS,
  EE_QUALITY_ACCURACY,
  EE_QUALITY_COMPLETENESS,
  EE_QUALITY_SAFETY,
  EE_QUALITY_HALLUCINATION,
  EE_QUALITY_PARTS
} ee_quality_part;

/* What a case came to, for details: enough to do the sums again. In the case's arena. */
typedef struct ee_quality_result {
  const ee_quality_key *keys; /* expected ones in document order, then extra ones */
  size_t key_count;
  size_t counts[EE_QUALITY_BUCKETS]; /* keys in each bucket, without those that are ignored everywhere */
  size_t distinct_keys;              /* all keys of both sides, without those that are ignored everywhere */
  size_t compared;                   /* keys in the mean that is accuracy */
  double score_sum;                  /* of their scores */
  double parts[EE_QUALITY_PARTS];
  double weights[4]; /* accuracy, completeness, safety, hallucination */
  double maximum;    /* what scale = "max" divided by; 0: not scaled */
  bool by_formula;   /* a function gave the RQS */
} ee_quality_result;

/* The judge record's write_details() and list_keys(), of results whose `details` is an ee_quality_result. */
void ee_quality_write_details(const ee_judge_result *result, ee_arena *scratch, ee_buffer *out);
const ee_judged_key *ee_quality_list_keys(const ee_judge_result *result, ee_arena *arena, size_t *count);

#endif
