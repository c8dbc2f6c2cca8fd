/* tree.h: ee.tree: a whole document against a whole document, without declared paths.
 *
 * Both documents are compared recursively. Objects are compared by key; the items of arrays are paired first, by the
 * score that the pair would have; all else is a leaf, which a strategy compares. A place is a path in which [*] stands
 * for every index; strategies, methods of arrays and weights are chosen by place, counts are kept by place.
 *
 * Definitions. E and C are the values of both documents at one place; either may be absent. A value is empty as
 * ee_value_is_empty() says. A leaf is a value that is not an array or object, an array or object without children, and
 * any value at a place for which a strategy is declared (or by type: `array`, `object`). Each leaf pair has a class:
 * both empty TN; E empty, C not: spurious; C empty, E not: missing; else correct or incorrect by the strategy, whose
 * score s (0..1) counts 0 below `clip`.
 *
 * A comparison gives a sum and a size; its score is sum / size, 1 for size 0:
 *
 *   leaf pair                (w * s, w), w being the weight of its place. TN: (w, w) where the expected document has
 *                            the value, with tn = "either" also where only the candidate has it; else (0, 0). Spurious:
 *                            by on_unexpected (0, w), (0, 0) or (w, w). Unread expected values: (0, 0)
 *   E alone, C alone         the sum of its leaves, each against nothing
 *   E, C of different types  (0, the larger number of weighted leaves of both), where one is an array or object with
 *                            children and the other not empty; all leaves of E are missing, those of C spurious. With a
 *                            strategy for `mixed`: a leaf pair of both values as JSON
 *   objects, arrays          aggregate "leaves": sums and sizes of the children are added up.
 *                            "mean", "union": (sum(w * score of child), sum(w)) / sum(w) over the keys of both objects
 *                            as one leaf, an absent child scoring 0; over the pairs of an array, and over the items
 *                            without a partner: of the side that has more of them ("mean": the longer array, where all
 *                            are paired that can be) or of both sides ("union")
 *
 * Alternatives (with `alternatives`): {"anyOf": [...]} in the expected document, at any depth, or an array of values
 * that are no arrays or objects as the whole of it against such a value, are several correct values. The one with the
 * highest score against C counts, the first of equally good ones, as if it stood there alone. Without C, or in an item
 * without a partner, it is one that is empty, else the largest.
 *
 * Pairing: items whose score is below `threshold` are not paired. optimal: the largest total score. greedy: the best
 * remaining pair first. set: as optimal, of pairs of score 1. key: equal keys; among several of one key greedy. index:
 * by position. Ties, and what is left when threshold is 0, are decided by equal items first (greedy), then by a hash of
 * the items that does not depend on the order of keys and of arrays that are paired.
 *
 * Cost: at most the leaves of E times those of C (arrays by index and key: linear). */
#ifndef EE_JUDGE_TREE_TREE_H
#define EE_JUDGE_TREE_TREE_H

#include "base/fixed.h"
#include "base/hash_index.h"
#include "base/list.h"
#include "judge/fields/field.h"
#include "judge/judge.h"
#include "judge/plan.h"

/* The compiled judge ---------------------------------------------------------------------------- */

typedef enum ee_tree_method { EE_TREE_OPTIMAL, EE_TREE_GREEDY, EE_TREE_KEY, EE_TREE_INDEX, EE_TREE_SET } ee_tree_method;
/* Their names, in the order of the enum: the choices of the option. */
#define EE_TREE_METHODS "optimal|greedy|key|index|set"

typedef enum ee_tree_aggregate { EE_TREE_LEAVES, EE_TREE_MEAN, EE_TREE_UNION, EE_TREE_FUNCTION } ee_tree_aggregate;
#define EE_TREE_AGGREGATES "leaves|mean|union"

/* Where candidates lack a value and nothing is expected, too. */
typedef enum ee_tree_tn { EE_TREE_TN_SCORE, EE_TREE_TN_SKIP, EE_TREE_TN_EITHER } ee_tree_tn;

/* What a strategy can be declared for besides paths. */
typedef enum ee_tree_type {
  EE_TREE_STRING,
  EE_TREE_INTEGER, /* a number without a fraction; where it has no strategy, that of numbers */
  EE_TREE_NUMBER,
  EE_TREE_BOOLEAN,
  EE_TREE_NULL, /* where null is a value */
  EE_TREE_ARRAY,
  EE_TREE_OBJECT,
  EE_TREE_TYPES
} ee_tree_type;
extern const char *const ee_tree_type_names[EE_TREE_TYPES + 1];

/* Places by path. */
typedef struct ee_tree_selector {
  ee_str written;
  const ee_step *steps; /* keys, in which * stands for any characters, and [*] */
  size_t count;
  bool anywhere;  /* begins with "*.": any steps may come before */
  bool literal;   /* a JSON Pointer: * is a star */
  size_t letters; /* characters of its keys that are no star */
  bool exact;     /* names one place */
} ee_tree_selector;

/* A strategy of leaves. */
typedef struct ee_tree_leaf {
  ee_str format;             /* of one that is chosen by a format of the schema */
  ee_tree_selector selector; /* of one that is chosen by path */
  ee_field field;            /* name: as written */
  const char *place;         /* "rules.lua:14" */
  bool is_reflexive;         /* equal values score 1, and no function has to be called to know it */
  bool is_exact;             /* what is not equal does not match */
  bool is_plain;             /* compares scalars without a script or a provider: see ee_strategy_compare_ready() */
  bool is_cheap;             /* a plain one that compares in no more time than reading takes */
} ee_tree_leaf;

typedef struct ee_tree_arrays {
  ee_tree_selector selector;
  ee_tree_method method;
  double threshold;
  const ee_path *key; /* of method key */
} ee_tree_arrays;

typedef struct ee_tree_weight {
  ee_tree_selector selector;
  double weight;
} ee_tree_weight;

/* Lists are sorted: the most specific selector first. */
typedef struct ee_tree {
  ee_list_paths paths;
  ee_tree_leaf *leaves;
  size_t leaf_count;
  const ee_tree_leaf *by_type[EE_TREE_TYPES]; /* NULL: none */
  const ee_tree_leaf *mixed;                  /* NULL: none */
  ee_tree_leaf *formats;                      /* by format of the schema */
  size_t format_count;
  const ee_value *schema; /* NULL: none */
  bool votes;             /* a strategy decides from all values how it reads them */
  const ee_tree_leaf *otherwise;
  ee_tree_arrays *arrays;
  size_t array_count;
  ee_tree_arrays other_arrays;
  ee_tree_weight *weights;
  size_t weight_count;
  ee_tree_aggregate aggregate;
  int function; /* of the aggregate, or EE_NO_FUNCTION */
  double clip;
  bool clip_unmatched;
  bool alternatives; /* {"anyOf": [...]} in the expected document */
  ee_tree_tn tn;
  ee_unexpected_rule unexpected;
  uint64_t max_pairs;
  ee_empty_rule empty;
} ee_tree;

extern const ee_option ee_tree_options[];
/* Options of an entry of `arrays`. */
extern const ee_option ee_tree_array_options[];

/* The judge record's compile() and print(). */
void ee_tree_compile(ee_plan_builder *builder, const ee_rule_node *node, ee_judge *judge);
void ee_tree_print(const ee_judge *judge, ee_buffer *out);
/* "optimal". */
const char *ee_tree_method_name(ee_tree_method method);

/* Places and nodes ----------------------------------------------------------------------------- */

#define EE_TREE_NO_SLOT UINT32_MAX

#define EE_TREE_SCHEMAS 16

/* The schemas of a place. Most places have one. */
typedef struct ee_tree_schemas {
  const ee_value *items[EE_TREE_SCHEMAS];
  size_t count;
} ee_tree_schemas;

/* A place of a case. */
typedef struct ee_tree_place {
  struct ee_tree_place *parent;       /* NULL: the root */
  struct ee_tree_place *next, *first; /* the parent's next child; the first child; in the order of their first value */
  bool is_item;
  ee_str key; /* of what is not an item */
  uint64_t key_hash;
  uint32_t number, depth;
  const ee_tree_leaf *leaf;       /* chosen by path or schema; NULL: by the value's type */
  const ee_tree_schemas *schemas; /* NULL: the rule file has none */
  const ee_tree_arrays *arrays;
  double weight;      /* among its siblings */
  double leaf_weight; /* of a leaf here */
  ee_str name;        /* "items[*].price"; data NULL: not made yet */
  ee_str tail;        /* after the last "[*]", without the dot: "price"; data NULL: as `name` */
  uint32_t slot;      /* of the attribute, or EE_TREE_NO_SLOT */
} ee_tree_place;

/* The score of a comparison in the making, and its leaves by class. */
typedef struct ee_tree_sum {
  ee_fixed sum, size;
  uint32_t right, wrong, missing, spurious, nothing;
} ee_tree_sum;

void ee_tree_sum_add(ee_tree_sum *to, const ee_tree_sum *from);

/* A value with what comparing needs to know about it. */
typedef struct ee_tree_node {
  const ee_value *value;
  ee_tree_place *place;
  struct ee_tree_node *children; /* of an object by the number of their places; of an array as they are */
  uint32_t count;                /* 0: a leaf */
  uint32_t option_count;         /* of alternatives, which then are the children; `count` is 0 */
  bool empty;
  bool reflexive;                     /* so are the strategies of all its leaves */
  bool plain;                         /* a scalar, not empty, whose strategy is plain */
  const ee_value *normal;             /* of a plain one: in normal form; NULL: not made, or given back */
  struct ee_tree_node *normal_before; /* the one whose normal form was made before; NULL: none */
  bool nothing;                       /* all its leaves that weigh something are empty */
  const ee_tree_leaf *leaf;           /* that compares it, as far as its own value says */
  uint64_t hash;       /* of equal values the same, whatever the order of keys and of arrays that are paired */
  ee_fixed size;       /* all leaves in it, weighted */
  ee_tree_sum alone;   /* against nothing */
  ee_tree_sum perfect; /* against an equal value */
} ee_tree_node;

/* The places of a case. All zero except for `tree`, `arena` and `plan_empty` at first. */
typedef struct ee_tree_places {
  const ee_tree *tree;
  ee_arena *arena;
  bool *found; /* by selector, in the order of judge->expected_paths; NULL: not asked */
  ee_tree_place *root;
  uint32_t count;
  ee_hash_index index; /* of `all`, by parent and key */
  struct {
    EE_LIST(ee_tree_place *);
  } all;
} ee_tree_places;

/* Makes the node of `value` and of all in it; NULL for a value that is absent or ignored. Linear, except for sorting
 * keys. Recursion is bounded by the reader's nesting limit. */
ee_tree_node *ee_tree_read(ee_tree_places *places, ee_document_side document, const ee_value *value);
/* The node of an array of expected documents that are all correct answers. */
ee_tree_node *ee_tree_read_options(ee_tree_places *places, const ee_value *options);
/* The names of a place. */
ee_str ee_tree_place_name(ee_tree_places *places, ee_tree_place *place);
ee_str ee_tree_place_tail(ee_tree_places *places, ee_tree_place *place);
/* Whether two values are the same except for the order of keys and of arrays that are paired. */
bool ee_tree_same(const ee_tree *tree, const ee_tree_node *a, const ee_tree_node *b, ee_arena *scratch);

/* The schemas that apply to a place; those of its parent are known. */
void ee_tree_schemas_of(const ee_tree *tree, const ee_tree_place *place, ee_tree_schemas *out, ee_arena *arena);
/* The strategy for the format or type that they declare; NULL: none. */
const ee_tree_leaf *ee_tree_leaf_by_schema(const ee_tree *tree, const ee_tree_schemas *schemas);
/* Reads the option `schema`. NULL where it is not given, or with errors. */
const ee_value *ee_tree_schema_compile(ee_plan_builder *builder, const ee_rule_node *node);

/* Comparing ------------------------------------------------------------------------------------ */

/* The pairs of one array, for details. */
typedef struct ee_tree_alignment {
  ee_str path;
  ee_tree_method method;
  bool fell_back;
  uint32_t expected_count, candidate_count, pair_count;
  const uint32_t *pairs; /* pair_count times: expected index, candidate index */
  const double *scores;
} ee_tree_alignment;

/* Which of several correct values was taken, for details. */
typedef struct ee_tree_choice {
  ee_str path;
  uint32_t option, count; /* of count, from 0 on */
} ee_tree_choice;

/* What a case gave: the judge's `details`. */
typedef struct ee_tree_result {
  struct {
    EE_LIST(ee_tree_alignment);
  } arrays;
  struct {
    EE_LIST(ee_tree_choice);
  } choices;
  ee_tree_sum total;
  bool by_leaves; /* the score is the total's sum by its size */
} ee_tree_result;

/* Compares both documents (either may be NULL), adding counts and findings; the result's attributes are set. */
typedef struct ee_tree_comparison {
  double score;
  bool vacuous, failed;
} ee_tree_comparison;
ee_tree_comparison ee_tree_compare(const ee_judge *judge, ee_context *context, ee_tree_places *places,
                                   const ee_tree_node *expected, const ee_tree_node *candidate, ee_findings *findings,
                                   ee_tree_result *details, ee_judge_result *result);

#endif
