/* reason.h: why a value matched or did not, kept as figures until somebody wants to read it.
 */
#ifndef EE_JUDGE_REASON_H
#define EE_JUDGE_REASON_H

#include "base/buffer.h"
#include "base/str.h"

typedef enum ee_reason_kind {
  EE_REASON_NONE,
  EE_REASON_VALUE_MISMATCH,     /* value mismatch */
  EE_REASON_TYPE_MISMATCH,      /* type mismatch: got string, expected number (first, second: ee_type) */
  EE_REASON_OUTSIDE_TOLERANCE,  /* outside tolerance: diff=2, tolerance=0.01 */
  EE_REASON_RELATIVE_TOLERANCE, /* outside tolerance: diff=2 (2% of 100), tolerance=1%: first diff, second tolerance,
                                   third expected */
  EE_REASON_SIMILARITY,   /* similarity 0.8 below 0.85; similarity below 0.85 when first is negative (not computed) */
  EE_REASON_SCORE,        /* score 0.5 below 1: of a script's function that gave no reason */
  EE_REASON_DATE_DIFFERS, /* date differs by 3 days; by 90 minutes below a day: first, in days */
  EE_REASON_SET_DIFFERS,  /* 2 elements missing, 1 extra: first, second */
  EE_REASON_BELOW,        /* iou 0.31 below 0.5: text (static) names the figure, which may be negative; first, second */
  EE_REASON_ABOVE,        /* distance 3.2 above 2: text (static), first, second */
  EE_REASON_DIMENSIONS,   /* dimensions differ: 3 and 2: first of the expected, second of the candidate point */
  EE_REASON_BAD_EXPECTED, /* unreadable expected box: TEXT; first is 1 for a point */
  EE_REASON_BAD_CANDIDATE,    /* unreadable candidate box: TEXT; first is 1 for a point */
  EE_REASON_REQUIRED_MISSING, /* required, missing */
  EE_REASON_OPTIONAL_MISSING, /* optional, missing */
  EE_REASON_UNEXPECTED,       /* nothing expected */
  EE_REASON_MISSING_ITEM,     /* missing item; missing item: TEXT where text is not empty */
  EE_REASON_EXTRA_ITEM,       /* extra item; the same */
  EE_REASON_TEXT /* `text` as it is; the other fixed reasons (unparseable candidate date, ...) are texts too */
} ee_reason_kind;

typedef struct ee_reason {
  ee_reason_kind kind;
  double first, second, third;
  ee_str text; /* lives as long as the case */
} ee_reason;

#define EE_REASON_OF(literal) ((ee_reason){.kind = EE_REASON_TEXT, .text = {(literal), sizeof(literal) - 1}})

/* Appends the reason as text, figures to six digits; nothing for EE_REASON_NONE. */
void ee_reason_print(const ee_reason *reason, ee_buffer *out);

#endif
