/* confidence.h: how sure a candidate says it is of its values: where it says so, and what of it comes true in a case.
 *
 * The option `confidence` of a judge with fields names a path in which '*' stands for the path of each field:
 * "confidences.*" beside the values, "*.confidence" inside an object that holds value and confidence. In the second
 * form the value is taken out of the object before anything is compared. A path is looked up in the candidate, then in
 * the record of the case. An empty value is an abstention: it has no confidence, whatever the candidate says.
 *
 * A document (a case, as one judge sees it) is right when no value is wrong or invented and no required one missing. */
#ifndef EE_JUDGE_CONFIDENCE_H
#define EE_JUDGE_CONFIDENCE_H

#include "base/list.h"
#include "data/files/record.h"
#include "judge/compile.h"
#include "judge/result.h"

/* Rules ------------------------------------------------------------------------------------------ */

typedef enum ee_confidence_scale {
  EE_SCALE_SHARE,       /* 0..1 */
  EE_SCALE_PERCENT,     /* 0..100 */
  EE_SCALE_LOGPROB,     /* a log probability, or an array of those of the tokens: e to their sum */
  EE_SCALE_MEAN_LOGPROB /* e to their mean: a confidence for each token */
} ee_confidence_scale;
#define EE_CONFIDENCE_SCALES "share|percent|logprob|mean_logprob"

typedef enum ee_document_confidence {
  EE_DOCUMENT_MIN,     /* of the values that have one */
  EE_DOCUMENT_PRODUCT, /* of them: that of independent values */
  EE_DOCUMENT_MEAN,
  EE_DOCUMENT_PATH /* the candidate says it */
} ee_document_confidence;

/* What a person pays for a value. */
typedef struct ee_value_costs {
  double incorrect, missing, spurious; /* >= 0 */
} ee_value_costs;

/* Of a judge. In the plan's arena. */
typedef struct ee_confidence_rules {
  ee_str pattern; /* "confidences.*"; empty: only fields with a confidence of their own have one */
  ee_confidence_scale scale;
  const ee_path *const *values; /* where the value is in an object that also holds the confidence, in order */
  size_t value_count;
  ee_document_confidence document;
  const ee_path *document_path;
  const double *accept; /* wanted accuracies; none: the report has its own */
  size_t accept_count;
  bool has_confidence; /* some field or the document has one */
  bool has_cost;
  ee_value_costs cost;
} ee_confidence_rules;

/* Of a field. */
typedef struct ee_field_confidence {
  const ee_confidence_rules *rules;
  const ee_path *path; /* wildcards as in the field's path; NULL: the field has no confidence */
  bool wrapped;        /* the value and its confidence are in one object */
} ee_field_confidence;

/* The rows of a judge's options `confidence` and `cost`. */
extern const ee_option ee_confidence_options[], ee_cost_options[];
#define EE_CONFIDENCE_OPTION                                                                                           \
  {                                                                                                                    \
    .name = "confidence", .type = EE_OPTION_TEXT_OR_TABLE, .default_text = "none", .inner = ee_confidence_options,     \
    .help =                                                                                                            \
        "Where candidates say how sure they are, '*' being a field's path: \"confidences.*\", or \"*.confidence\" "    \
        "for values in objects { value, confidence }; or a table."                                                     \
  }
#define EE_COST_OPTION                                                                                                 \
  {                                                                                                                    \
    .name = "cost", .type = EE_OPTION_TABLE, .default_text = "none", .inner = ee_cost_options,                         \
    .help = "{ incorrect = 5, missing = 1, spurious = 5 }: what an error of each kind costs; reports have the mean "   \
            "cost of a document and the threshold that costs least."                                                   \
  }

/* Reads `confidence` and `cost` of the judge `node`, and whether a field has a confidence of its own. NULL if there is
 * nothing of all that, or after errors. */
ee_confidence_rules *ee_confidence_compile(ee_plan_builder *builder, const ee_rule_node *node);
/* The confidence of the field `node` with the path `candidate`. NULL: it has none. */
const ee_field_confidence *ee_field_confidence_compile(ee_plan_builder *builder, ee_confidence_rules *rules,
                                                       const ee_rule_node *node, const ee_path *candidate);
/* Appends what `evalengine check` prints of `rules`, a line; nothing for NULL. */
void ee_confidence_print(const ee_confidence_rules *rules, ee_buffer *out);

/* Values ----------------------------------------------------------------------------------------- */

/* The value in `value` where it is an object with its confidence; NULL where such an object has no value. Anything else
 * as it is. `field` may be NULL. */
const ee_value *ee_confidence_unwrap(const ee_field_confidence *field, const ee_value *value, ee_arena *arena);

/* The document in which the path of the field begins: the candidate, or the record where the candidate lacks it. NULL:
 * neither, or `field` is NULL. */
const ee_value *ee_confidence_root(const ee_field_confidence *field, const ee_case *current);

/* The pattern that takes values out of objects such as the one whose JSON `text` begins with: "*.confidence"; NULL: it
 * is not one with a confidence. */
const char *ee_confidence_pattern_of(ee_str text);

typedef enum ee_confidence_state {
  EE_CONFIDENCE_READ,
  EE_CONFIDENCE_ABSTAINED, /* the candidate has no value */
  EE_CONFIDENCE_MISSING,   /* it has one, without a confidence */
  EE_CONFIDENCE_BAD,       /* it has one, and its confidence cannot be used */
  EE_CONFIDENCE_NONE       /* the field has no confidence by its rules */
} ee_confidence_state;

typedef struct ee_confidence_value {
  ee_str field; /* the attribute */
  ee_confidence_state state;
  double confidence; /* 0..1, of EE_CONFIDENCE_READ */
  bool right;
  bool spurious;         /* wrong because nothing was expected */
  const ee_value *found; /* a confidence that cannot be used */
} ee_confidence_value;

/* Of one judge in one case, in its arena. */
typedef struct ee_confidences {
  EE_LIST(ee_confidence_value); /* in the order in which they were judged; none for expected values that are unread */
  bool has_document;            /* the next one is set: false where an expected value is unread */
  ee_confidence_value document; /* `field` is empty; abstained: no value has a confidence */
  bool has_cost;
  double cost;          /* of the case */
  ee_value_costs costs; /* of a value */
  bool unread, wrong;   /* while the values are added */
} ee_confidences;

/* Empty ones for a case; NULL where `rules` is. */
ee_confidences *ee_confidences_start(const ee_confidence_rules *rules, ee_arena *arena);
/* Adds a judged value. `found` is what the candidate has as its confidence (NULL: nothing); `required`: a missing value
 * makes the document wrong. `confidences` may be NULL. */
void ee_confidences_add(ee_confidences *confidences, const ee_field_confidence *field, ee_str attribute,
                        ee_class value_class, bool required, const ee_value *found, ee_arena *arena);
/* Decides the document. `broken`: it has no answer that can be read, or the judge failed. */
void ee_confidences_finish(ee_confidences *confidences, const ee_confidence_rules *rules, const ee_case *current,
                           bool broken, ee_arena *arena);

/* Appends ,"confidences":[...] for a judge's details; nothing for NULL. Each value is ["total",0.93,true]: the field,
 * its confidence, whether it is right; null for an abstention, "missing" or "bad" for a confidence that is, "none" for
 * a field without; and "spurious" at the end where nothing was expected. Then "document_confidence":[0.93,true], "cost"
 * and "costs". */
void ee_confidences_write(const ee_confidences *confidences, ee_buffer *out);
/* Reads them back from the details of a row; NULL if there are none. Borrows from `details`. */
const ee_confidences *ee_confidences_read(const ee_value *details, ee_arena *arena);

#endif
