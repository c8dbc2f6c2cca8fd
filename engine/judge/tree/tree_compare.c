/* tree_compare.c: the recursion of ee.tree over two documents: leaves, objects, arrays and their pairing.
 *
 * One function compares two values, whether only their score is asked, to pair the items of an array, or also counts
 * and findings: so a pair is scored as it was paired. */
#include <math.h>

#include "base/work.h"
#include "data/json/json_writer.h"
#include "judge/pairing/pairs.h"
#include "judge/tree/tree.h"
#include "prim/assign.h"
#include "prim/number.h"
#include "prim/sort.h"

/* Units of a comparison of two values, besides what the strategy charges. */
#define COMPARE_WORK 30
#define LEAF_WORK 60
/* Units of pairing two arrays, and of each item and pair. */
#define ARRAY_WORK 1000
#define ITEM_WORK 50

/* Pairs up to which a matrix is solved as it is; larger arrays are solved sparsely. */
#define DENSE_PAIRS ((size_t)1 << 16)
/* Times that a matrix is solved with bounds, before all its pairs are compared. */
#define ROUNDS 16
/* The first of them are with bounds from hashes alone. */
#define COARSE_ROUNDS 3
/* Among equally good pairings that with more equal items is taken: far below what scores differ by. */
#define EQUAL_BONUS 0x1p-50

#define NO_PARTNER UINT32_MAX

typedef struct comparer {
  const ee_judge *judge;
  const ee_tree *tree;
  ee_context *context;
  ee_arena *arena;
  ee_tree_places *places;
  ee_findings *findings;
  ee_tree_result *details;
  struct {
    EE_LIST(ee_attribute_result);
  } attributes;
  bool keep;     /* counts and findings are added */
  bool measured; /* this has been compared before, to be paired: errors are counted already */
  bool fell_back, failed;
  bool rewinds;          /* what comparing allocated can go */
  ee_tree_node *normals; /* those with a normal form, the newest first */
} comparer;

/* Where a value is, for findings: in an item of an array, or (path without data) in none. */
typedef struct where {
  ee_str path;
  uint32_t row;
} where;

static ee_tree_sum compare(comparer *c, const ee_tree_node *expected, const ee_tree_node *candidate, where at);

/* Errors ---------------------------------------------------------------------------------------- */

/* The counters of errors, which a second comparison must not raise again. */
typedef struct error_counts {
  uint64_t errors, failures, given_up;
  size_t listed;
} error_counts;

static error_counts save_errors(const ee_context *context) {
  return (error_counts){context->rule_error_count, context->provider_failures, context->given_up,
                        context->rule_errors != NULL ? context->rule_errors->count : 0};
}

static void restore_errors(ee_context *context, const error_counts *saved) {
  context->rule_error_count = saved->errors;
  context->provider_failures = saved->failures;
  context->given_up = saved->given_up;
  if (context->rule_errors != NULL) context->rule_errors->count = saved->listed;
}

/* Sums ------------------------------------------------------------------------------------------ */

void ee_tree_sum_add(ee_tree_sum *to, const ee_tree_sum *from) {
  ee_fixed_add(&to->sum, from->sum);
  ee_fixed_add(&to->size, from->size);
  to->right += from->right;
  to->wrong += from->wrong;
  to->missing += from->missing;
  to->spurious += from->spurious;
  to->nothing += from->nothing;
}

/* sum / size; 1 for size 0. */
static double score_of(const ee_tree_sum *sum) {
  if (sum->size.units == 0) return 1;
  if (sum->sum.units == sum->size.units) return 1;
  return fmin((double)sum->sum.units / (double)sum->size.units, 1);
}

/* What the children of an object or array give together. */
typedef struct fold {
  ee_tree_sum total;   /* "mean", "union": weighted scores and weights of children with a partner */
  ee_tree_sum lone[2]; /* of items without one, by side */
  struct {
    EE_LIST(ee_script_part);
  } parts; /* of a function */
} fold;

static void add_classes(ee_tree_sum *to, const ee_tree_sum *from) {
  ee_tree_sum classes = *from;
  classes.sum = classes.size = (ee_fixed){0};
  ee_tree_sum_add(to, &classes);
}

/* Adds a child to `to`, a member of the fold. */
static void add_child(comparer *c, fold *f, ee_tree_sum *to, ee_tree_place *place, double weight,
                      const ee_tree_sum *child) {
  if (c->tree->aggregate == EE_TREE_LEAVES) {
    ee_tree_sum_add(to, child);
    return;
  }
  add_classes(&f->total, child);
  double score = score_of(child);
  bool scored = child->size.units != 0 && weight > 0;
  if (c->tree->aggregate == EE_TREE_FUNCTION) {
    ee_counts counts = {.tp = child->right,
                        .tn = child->nothing,
                        .fp = (uint64_t)child->wrong + child->spurious,
                        .fn = (uint64_t)child->wrong + child->missing,
                        .wrong = child->wrong};
    ee_str name = place->is_item || place->parent == NULL ? ee_tree_place_name(c->places, place) : place->key;
    *EE_LIST_ADD(&f->parts, c->arena) =
        (ee_script_part){.name = name, .scored = scored, .score = score, .weight = weight, .counts = counts};
    return;
  }
  if (!scored) return;
  ee_fixed_add(&to->sum, ee_fixed_from(weight * score));
  ee_fixed_add(&to->size, ee_fixed_from(weight));
}

static double call_function(comparer *c, const fold *f) {
  ee_context *context = c->context;
  double score = 0;
  ee_error error = {0};
  ee_status status = context->plan->vtable->aggregate(context->script, c->tree->function, f->parts.items,
                                                      f->parts.count, &score, &error);
  if (status == EE_OK && score >= 0 && score <= 1) return score;
  if (status == EE_OK)
    ee_error_at(&error, EE_ERROR_RULES, c->judge->node->file, c->judge->node->line, 0,
                "aggregate returned a number outside 0..1: %g", score);
  bool first = !c->failed;
  c->failed = true;
  error_counts saved = save_errors(context);
  ee_str reason = ee_context_rule_error(context, &error);
  if (first)
    ee_findings_fail(c->findings, EE_FAULT_RULES, EE_STR("aggregate"),
                     (ee_reason){.kind = EE_REASON_TEXT, .text = reason});
  if (c->measured) restore_errors(context, &saved);
  return 0;
}

static ee_tree_sum finish(comparer *c, fold *f) {
  ee_tree_aggregate aggregate = c->tree->aggregate;
  ee_tree_sum total = f->total;
  if (aggregate == EE_TREE_LEAVES) return total;
  double score = 0;
  bool scored = false;
  if (aggregate == EE_TREE_FUNCTION) {
    scored = f->parts.count > 0;
    if (scored) score = call_function(c, f);
  } else {
    ee_fixed size = f->lone[0].size;
    if (aggregate == EE_TREE_UNION)
      ee_fixed_add(&size, f->lone[1].size);
    else if (f->lone[1].size.units > size.units)
      size = f->lone[1].size;
    ee_fixed_add(&total.size, size);
    ee_fixed_add(&total.sum, f->lone[0].sum);
    ee_fixed_add(&total.sum, f->lone[1].sum);
    scored = total.size.units != 0;
    if (scored) score = score_of(&total);
  }
  total.sum = ee_fixed_from(score);
  total.size = ee_fixed_from(scored ? 1 : 0);
  return total;
}

/* Findings -------------------------------------------------------------------------------------- */

static ee_finding finding_at(comparer *c, ee_tree_place *place, where at) {
  if (at.path.data == NULL) return (ee_finding){.path = ee_tree_place_name(c->places, place), .row = EE_NO_ROW};
  ee_str tail = ee_tree_place_tail(c->places, place);
  if (tail.length == 0 || tail.data[0] != '[') return (ee_finding){.path = at.path, .row = at.row, .field = tail};
  /* A key in brackets has no dot before it. */
  const char *text = at.row == EE_NO_ROW
                         ? ee_arena_printf(c->arena, "%.*s%.*s", EE_STR_ARG(at.path), EE_STR_ARG(tail))
                         : ee_arena_printf(c->arena, "%.*s[%u]%.*s", EE_STR_ARG(at.path), at.row, EE_STR_ARG(tail));
  return (ee_finding){.path = ee_str_from(text), .row = EE_NO_ROW};
}

/* The path of an array. */
static ee_str path_of_array(comparer *c, ee_tree_place *place, where at) {
  ee_finding finding = finding_at(c, place, at);
  if (finding.row == EE_NO_ROW && finding.field.length == 0) return finding.path;
  ee_str path = finding.path, tail = finding.field;
  const char *dot = tail.length > 0 ? "." : "";
  ee_work(path.length + tail.length);
  if (finding.row == EE_NO_ROW)
    return ee_str_from(ee_arena_printf(c->arena, "%.*s%s%.*s", EE_STR_ARG(path), dot, EE_STR_ARG(tail)));
  return ee_str_from(ee_arena_printf(c->arena, "%.*s[%u]%s%.*s", EE_STR_ARG(path), finding.row, dot, EE_STR_ARG(tail)));
}

/* The place of an item that only the candidate has. */
static where extra_item(comparer *c, ee_str path, uint32_t index) {
  return (where){ee_str_from(ee_arena_printf(c->arena, "%.*s[+%u]", EE_STR_ARG(path), index)), EE_NO_ROW};
}

static ee_attribute_result *attribute_of(comparer *c, ee_tree_place *place) {
  if (place->slot == EE_TREE_NO_SLOT) {
    place->slot = (uint32_t)c->attributes.count;
    *EE_LIST_ADD(&c->attributes, c->arena) =
        (ee_attribute_result){.name = ee_tree_place_name(c->places, place), .slot = -1};
  }
  return &c->attributes.items[place->slot];
}

/* Counts a leaf pair, and lists it as a hit or a miss. */
static void note_leaf(comparer *c, const ee_field *field, ee_tree_place *place, const ee_value *expected,
                      const ee_value *candidate, const ee_field_outcome *outcome, where at) {
  ee_finding finding = finding_at(c, place, at);
  finding.reason = outcome->comparison.reason;
  ee_attribute_result *attribute = attribute_of(c, place);
  ee_field_count(field, c->context, outcome, attribute->name, -1, &finding, expected, candidate, &attribute->counts);
  ee_field_keep_outcome(field, c->context, outcome, attribute->name, &finding, expected, candidate, EE_NO_ROW,
                        EE_NO_ROW);
  if (ee_outcome_matched(outcome)) {
    if (outcome->value_class == EE_CLASS_TP) ee_findings_hit(c->findings, &finding);
    return;
  }
  ee_mismatch *mismatch =
      ee_findings_miss(c->findings, &finding, outcome->value_class, expected, candidate, outcome->score);
  mismatch->attribute = attribute->name;
  mismatch->slot = -1;
  mismatch->unread_candidate = outcome->comparison.unread[EE_CANDIDATE];
}

/* Leaves ---------------------------------------------------------------------------------------- */

static void add_class(ee_tree_sum *sum, ee_class value_class) {
  switch (value_class) {
  case EE_CLASS_TP: sum->right++; break;
  case EE_CLASS_TN: sum->nothing++; break;
  case EE_CLASS_WRONG: sum->wrong++; break;
  case EE_CLASS_MISSING: sum->missing++; break;
  case EE_CLASS_INVENTED: sum->spurious++; break;
  case EE_CLASS_UNREAD: break;
  }
}

/* What a leaf pair scores, by its outcome. Clips the outcome's score. */
static ee_tree_sum leaf_sum(const ee_tree *tree, double weight, bool is_expected, ee_field_outcome *outcome) {
  if (outcome->value_class == EE_CLASS_TN && tree->tn == EE_TREE_TN_SCORE) outcome->scored = is_expected;
  bool clipped =
      !ee_score_reaches(outcome->score, tree->clip) || (tree->clip_unmatched && outcome->value_class == EE_CLASS_WRONG);
  if (clipped) outcome->score = 0;
  ee_tree_sum sum = {.size = {0}};
  add_class(&sum, outcome->value_class);
  if (!outcome->scored) return sum;
  sum.size = ee_fixed_from(weight);
  sum.sum = outcome->score == 1 ? sum.size : ee_fixed_from(weight * outcome->score);
  return sum;
}

/* Compares two leaves; one may be NULL. `shown` are the values for findings, which differ from those that are compared
 * if the types are mixed. */
static ee_tree_sum compare_values(comparer *c, const ee_tree_leaf *leaf, ee_tree_place *place, const ee_value *expected,
                                  const ee_value *candidate, const ee_value *const shown[2], where at) {
  const ee_tree *tree = c->tree;
  ee_context *context = c->context;
  const ee_field *field = &leaf->field;
  ee_field_rules rules = {tree->tn == EE_TREE_TN_SKIP ? EE_TN_SKIP : EE_TN_SCORE, tree->unexpected};
  ee_script_place script_place = {.path = {NULL, 0}};
  if (c->keep || c->judge->calls_script || c->judge->uses_provider)
    script_place.path = ee_tree_place_name(c->places, place);
  ee_work(LEAF_WORK);
  error_counts saved = save_errors(context);
  ee_field_outcome outcome;
  context->keeps_compared = c->keep && ee_context_keeps_outcomes(context);
  ee_field_judge(field, rules, context, expected, candidate, &script_place, &outcome);
  context->keeps_compared = false;
  if (c->measured) restore_errors(context, &saved);
  ee_tree_sum sum = leaf_sum(tree, place->leaf_weight, expected != NULL, &outcome);
  /* What only the candidate has and is empty is not there. */
  bool absent = expected == NULL && outcome.value_class == EE_CLASS_TN;
  if (absent) sum.nothing = 0;
  if (c->keep && !absent) note_leaf(c, field, place, shown[EE_EXPECTED], shown[EE_CANDIDATE], &outcome, at);
  return sum;
}

static ee_tree_sum compare_leaves(comparer *c, const ee_tree_node *expected, const ee_tree_node *candidate, where at) {
  const ee_tree_node *by =
      expected == NULL || (expected->empty && candidate != NULL && !candidate->empty) ? candidate : expected;
  const ee_value *values[2] = {expected != NULL ? expected->value : NULL, candidate != NULL ? candidate->value : NULL};
  return compare_values(c, by->leaf, by->place, values[0], values[1], values, at);
}

static ee_type kind_of(const ee_value *value) {
  ee_type type = ee_type_of(value);
  return type == EE_TRUE ? EE_FALSE : type;
}

/* What may be given back: the memory since then, and the normal forms in it. */
typedef struct start {
  ee_arena_mark mark;
  ee_tree_node *normals;
} start;

static start start_here(const comparer *c) { return (start){ee_arena_get_mark(c->arena), c->normals}; }

static void give_back(comparer *c, start since) {
  for (; c->normals != since.normals; c->normals = c->normals->normal_before) c->normals->normal = NULL;
  ee_arena_rewind(c->arena, since.mark);
}

/* The value of a plain leaf in normal form. */
static const ee_value *normal_of(comparer *c, const ee_tree_node *node) {
  if (node->normal == NULL) {
    ee_tree_node *own = (ee_tree_node *)(uintptr_t)node;
    ee_comparison never;
    ee_strategy_normalize(node->leaf->field.strategy, c->context, node->value, &own->normal, &never);
    if (own->normal == NULL) return NULL; /* unreached: plain leaves have no function */
    own->normal_before = c->normals;
    c->normals = own;
  }
  return node->normal;
}

/* compare_leaves() for values of two arrays that are paired, where each is compared with each: only the sum, from
 * normal forms that are kept. Adds to `sum`; false, and nothing is done, where this short way does not apply. */
static bool add_plain(comparer *c, const ee_tree_node *expected, const ee_tree_node *candidate, ee_tree_sum *sum) {
  if (c->keep || !expected->plain || !candidate->plain || expected->leaf != candidate->leaf) return false;
  const ee_tree_leaf *leaf = expected->leaf;
  const ee_strategy *strategy = leaf->field.strategy;
  const ee_tree *tree = c->tree;
  ee_work(LEAF_WORK);
  if (strategy->type->equal_matches && expected->hash == candidate->hash &&
      ee_values_same(expected->value, candidate->value)) {
    ee_tree_sum_add(sum, &expected->perfect);
    return true;
  }
  if (tree->mixed != NULL && expected->place->leaf == NULL && kind_of(expected->value) != kind_of(candidate->value))
    return false;
  if (leaf->is_exact && !ee_strategy_same(strategy, c->context, expected->value, candidate->value)) {
    ee_fixed_add(&sum->size, expected->size);
    sum->wrong++;
    return true;
  }
  ee_comparison comparison;
  if (!ee_strategy_compare_ready(strategy, c->context, normal_of(c, expected), normal_of(c, candidate), &comparison))
    return false;
  if (comparison.unread[EE_EXPECTED]) return true;
  ee_fixed_add(&sum->size, expected->size);
  if (comparison.matched)
    sum->right++;
  else
    sum->wrong++;
  if (!ee_score_reaches(comparison.score, tree->clip) || (tree->clip_unmatched && !comparison.matched)) return true;
  if (comparison.score == 1)
    ee_fixed_add(&sum->sum, expected->size);
  else if (comparison.score > 0)
    ee_fixed_add(&sum->sum, ee_fixed_from(expected->place->leaf_weight * comparison.score));
  return true;
}

/* The value as a string of JSON. */
static const ee_value *as_json(comparer *c, const ee_value *value) {
  ee_buffer text;
  ee_buffer_init(&text);
  ee_json_write_canonical(&text, value, c->arena);
  ee_work(text.length);
  const ee_value *string = ee_value_new_string(c->arena, (ee_str){text.data, text.length});
  ee_buffer_fini(&text);
  return string;
}

/* Values alone ---------------------------------------------------------------------------------- */

/* The one of several correct values that counts without a partner: the node has its size. */
static const ee_tree_node *lone_option(const ee_tree_node *node) {
  const ee_tree_node *child = node->children;
  while (child->nothing != node->nothing || child->size.units != node->size.units) child++;
  return child;
}

/* Notes all leaves of a value that has no partner. */
static void note_alone(comparer *c, const ee_tree_node *node, ee_document_side document, where at) {
  bool expected = document == EE_EXPECTED;
  if (node->option_count > 0) {
    note_alone(c, lone_option(node), document, at);
    return;
  }
  if (node->count == 0) {
    compare_leaves(c, expected ? node : NULL, expected ? NULL : node, at);
    return;
  }
  bool is_array = ee_type_of(node->value) == EE_ARRAY;
  ee_str path = is_array ? path_of_array(c, node->place, at) : EE_STR("");
  for (uint32_t i = 0; i < node->count; i++) {
    where inner = !is_array ? at : expected ? (where){path, i} : extra_item(c, path, i);
    note_alone(c, &node->children[i], document, inner);
  }
}

static ee_tree_sum compare_alone(comparer *c, const ee_tree_node *node, ee_document_side document, where at) {
  if (c->keep) note_alone(c, node, document, at);
  return node->alone;
}

/* Values of different types, one of them with children. */
static ee_tree_sum compare_unlike(comparer *c, const ee_tree_node *expected, const ee_tree_node *candidate, where at) {
  if (c->keep) {
    note_alone(c, expected, EE_EXPECTED, at);
    note_alone(c, candidate, EE_CANDIDATE, at);
  }
  ee_tree_sum sum = {.missing = expected->alone.missing,
                     .nothing = expected->alone.nothing,
                     .spurious = candidate->alone.spurious,
                     .size = expected->size.units > candidate->size.units ? expected->size : candidate->size};
  if (c->tree->aggregate != EE_TREE_LEAVES) sum.size = ee_fixed_from(sum.size.units != 0 ? 1 : 0);
  return sum;
}

/* Objects --------------------------------------------------------------------------------------- */

/* The members of two objects, side by side. */
typedef struct member_walk {
  const ee_tree_node *left, *left_end, *right, *right_end; /* what is left of either object */
  bool in_left, in_right;                                  /* which objects have the next place */
} member_walk;

static member_walk walk_members(const ee_tree_node *expected, const ee_tree_node *candidate) {
  member_walk walk = {.left = expected->children, .right = candidate->children};
  walk.left_end = expected->count > 0 ? walk.left + expected->count : walk.left;
  walk.right_end = candidate->count > 0 ? walk.right + candidate->count : walk.right;
  return walk;
}

/* Goes to the next place; NULL after the last one. Both lists are sorted by the number of the place. */
static ee_tree_place *next_place(member_walk *walk) {
  walk->in_left = walk->left != walk->left_end;
  walk->in_right = walk->right != walk->right_end;
  if (walk->in_left && walk->in_right) {
    uint32_t left = walk->left->place->number, right = walk->right->place->number;
    walk->in_left = left <= right;
    walk->in_right = right <= left;
  }
  return walk->in_left ? walk->left->place : walk->in_right ? walk->right->place : NULL;
}

static void pass_place(member_walk *walk) {
  if (walk->in_left) walk->left++;
  if (walk->in_right) walk->right++;
}

static ee_tree_sum compare_objects(comparer *c, const ee_tree_node *expected, const ee_tree_node *candidate, where at) {
  fold f = {.total = {.size = {0}}};
  member_walk walk = walk_members(expected, candidate);
  for (ee_tree_place *place; (place = next_place(&walk)) != NULL; pass_place(&walk)) {
    ee_tree_sum sum;
    if (walk.in_left && walk.in_right) {
      if (c->tree->aggregate == EE_TREE_LEAVES && add_plain(c, walk.left, walk.right, &f.total)) continue;
      sum = compare(c, walk.left, walk.right, at);
    } else {
      sum =
          walk.in_left ? compare_alone(c, walk.left, EE_EXPECTED, at) : compare_alone(c, walk.right, EE_CANDIDATE, at);
    }
    add_child(c, &f, &f.total, place, place->weight, &sum);
  }
  return finish(c, &f);
}

/* Bounds ---------------------------------------------------------------------------------------- */

/* An upper bound for the score of two values, without comparing them: equal ones get all, different ones of an exact
 * strategy nothing, others all that the expected one has. `fine`: what is cheap to compare is compared. */
static ee_tree_sum bound_sum(comparer *c, const ee_tree_node *expected, const ee_tree_node *candidate, bool fine) {
  const ee_tree *tree = c->tree;
  if (expected->option_count > 0) {
    /* Which of several correct values counts depends on their scores, and one may have more leaves than another. */
    ee_tree_sum most = {.size = candidate->size};
    for (uint32_t i = 0; i < expected->option_count; i++) ee_fixed_add(&most.size, expected->children[i].size);
    if (tree->aggregate != EE_TREE_LEAVES && most.size.units != 0) most.size = ee_fixed_from(1);
    most.sum = most.size;
    return most;
  }
  if (expected->hash == candidate->hash && expected->reflexive) return expected->perfect;
  ee_tree_sum plain = {.size = {0}};
  if (fine && expected->plain && expected->leaf->is_cheap && add_plain(c, expected, candidate, &plain)) return plain;
  bool objects = expected->count > 0 && candidate->count > 0 && ee_type_of(expected->value) == EE_OBJECT &&
                 ee_type_of(candidate->value) == EE_OBJECT;
  if (!objects) {
    ee_tree_sum sum = {.size = expected->size};
    bool differ = expected->plain && candidate->plain && expected->leaf == candidate->leaf &&
                  expected->leaf->is_exact && expected->hash != candidate->hash &&
                  (tree->mixed == NULL || expected->place->leaf != NULL);
    bool counts_both = tree->unexpected == EE_UNEXPECTED_PASS || tree->tn == EE_TREE_TN_EITHER;
    if (!differ && counts_both) ee_fixed_add(&sum.size, candidate->size);
    if (tree->aggregate != EE_TREE_LEAVES && sum.size.units != 0) sum.size = ee_fixed_from(1);
    if (!differ) sum.sum = sum.size;
    return sum;
  }
  fold f = {.total = {.size = {0}}};
  ee_work(expected->count + candidate->count);
  member_walk walk = walk_members(expected, candidate);
  for (ee_tree_place *place; (place = next_place(&walk)) != NULL; pass_place(&walk)) {
    ee_tree_sum sum = !walk.in_left    ? walk.right->alone
                      : !walk.in_right ? walk.left->alone
                                       : bound_sum(c, walk.left, walk.right, fine);
    add_child(c, &f, &f.total, place, place->weight, &sum);
  }
  return finish(c, &f);
}

static double bound_of(comparer *c, const ee_tree_node *expected, const ee_tree_node *candidate, bool fine) {
  bool keep = c->keep;
  c->keep = false;
  ee_tree_sum sum = bound_sum(c, expected, candidate, fine);
  c->keep = keep;
  return score_of(&sum);
}

/* Pairing --------------------------------------------------------------------------------------- */

/* The pairs of two arrays. */
typedef struct pairing {
  const ee_tree_arrays *rule;
  const ee_tree_node *expected, *candidate;
  uint32_t *candidate_of, *expected_of; /* by index, or NO_PARTNER */
  ee_tree_sum *sums;                    /* by expected index, where it is known */
  bool *known, *compared;               /* by expected index: the sum is known; the pair was compared to find it */
  bool fell_back;
} pairing;

/* Items that have no partner yet, in canonical order. */
typedef struct ranked {
  const ee_tree_node *node;
  uint32_t index;
} ranked;

static bool ranks_before(const ranked *a, const ranked *b) { return a->node->hash < b->node->hash; }
EE_DEFINE_SORT(sort_ranked, ranked, ranks_before)

static ranked *rank_items(comparer *c, const ee_tree_node *array, const uint32_t *partners, uint32_t *count) {
  ranked *items = ee_arena_alloc(c->arena, array->count * sizeof *items);
  *count = 0;
  for (uint32_t i = 0; i < array->count; i++)
    if (partners[i] == NO_PARTNER) items[(*count)++] = (ranked){&array->children[i], i};
  sort_ranked(items, *count, c->arena);
  return items;
}

static void join(pairing *p, uint32_t expected, uint32_t candidate, const ee_tree_sum *sum) {
  p->candidate_of[expected] = candidate;
  p->expected_of[candidate] = expected;
  if (sum == NULL) return;
  p->sums[expected] = *sum;
  p->known[expected] = true;
}

/* Pairs equal items. Among several equal ones by index. */
static uint32_t join_equal(comparer *c, pairing *p) {
  ee_arena_mark mark = ee_arena_get_mark(c->arena);
  uint32_t rows, columns, joined = 0;
  const ranked *left = rank_items(c, p->expected, p->candidate_of, &rows);
  const ranked *right = rank_items(c, p->candidate, p->expected_of, &columns);
  for (uint32_t i = 0, k = 0; i < rows && k < columns;) {
    if (left[i].node->hash < right[k].node->hash) {
      i++;
    } else if (left[i].node->hash > right[k].node->hash) {
      k++;
    } else {
      if (ee_tree_same(c->tree, left[i].node, right[k].node, c->arena)) {
        join(p, left[i].index, right[k].index, NULL);
        joined++;
      }
      i++;
      k++;
    }
  }
  ee_arena_rewind(c->arena, mark);
  return joined;
}

static void part_all(pairing *p) {
  for (uint32_t i = 0; i < p->expected->count; i++) p->candidate_of[i] = NO_PARTNER;
  for (uint32_t i = 0; i < p->candidate->count; i++) p->expected_of[i] = NO_PARTNER;
}

/* The items without a partner, and what each pair of them scores, or at most can. */
typedef struct matrix {
  const ranked *rows, *columns;
  uint32_t row_count, column_count;
  double *scores;
  bool *exact;       /* the score is that of the pair, not only a bound */
  ee_tree_sum *sums; /* of pairs that were compared; NULL: not kept */
} matrix;

static const where nowhere = {{NULL, 0}, EE_NO_ROW};

static size_t cell_of(const matrix *m, uint32_t row, uint32_t column) { return (size_t)row * m->column_count + column; }

static void evaluate(comparer *c, matrix *m, uint32_t row, uint32_t column) {
  bool keep = c->keep;
  c->keep = false;
  size_t at = cell_of(m, row, column);
  ee_tree_sum sum = compare(c, m->rows[row].node, m->columns[column].node, nowhere);
  if (m->sums != NULL) m->sums[at] = sum;
  m->scores[at] = score_of(&sum);
  m->exact[at] = true;
  c->keep = keep;
}

/* Compares every row with every column, except for pairs that cannot reach the threshold. */
static void evaluate_all(comparer *c, matrix *m, double threshold) {
  for (uint32_t i = 0; i < m->row_count; i++) {
    for (uint32_t k = 0; k < m->column_count; k++) {
      size_t at = cell_of(m, i, k);
      if (!m->exact[at] && ee_score_reaches(m->scores[at], threshold)) evaluate(c, m, i, k);
    }
  }
}

/* Whether bounds hold: a function of the rule file may return anything, and a provider is asked for all pairs at once.
 */
static bool is_bounded(const comparer *c) { return c->tree->aggregate != EE_TREE_FUNCTION && !c->judge->uses_provider; }

/* Prepares the matrix: bounds, or with `all` the scores. */
static void measure(comparer *c, matrix *m, bool all, double threshold) {
  size_t count = (size_t)m->row_count * m->column_count;
  ee_work(ee_work_product(count, ITEM_WORK));
  m->scores = ee_arena_alloc(c->arena, count * sizeof *m->scores);
  m->exact = ee_arena_calloc(c->arena, count, sizeof *m->exact);
  if (count <= DENSE_PAIRS) m->sums = ee_arena_alloc(c->arena, count * sizeof *m->sums);
  bool bounded = is_bounded(c);
  for (uint32_t i = 0; i < m->row_count; i++)
    for (uint32_t k = 0; k < m->column_count; k++)
      m->scores[cell_of(m, i, k)] = bounded ? bound_of(c, m->rows[i].node, m->columns[k].node, false) : 1;
  if (all || !bounded) evaluate_all(c, m, threshold);
}

static void join_cell(pairing *p, const matrix *m, uint32_t row, uint32_t column) {
  size_t at = cell_of(m, row, column);
  join(p, m->rows[row].index, m->columns[column].index, m->exact[at] && m->sums != NULL ? &m->sums[at] : NULL);
  p->compared[m->rows[row].index] = m->exact[at];
}

static double similarity_of(const matrix *m, uint32_t row, uint32_t column) {
  double score = m->scores[cell_of(m, row, column)];
  bool equal = score == 1 && m->rows[row].node->hash == m->columns[column].node->hash;
  return equal ? score + EQUAL_BONUS : score;
}

static bool is_possible(const pairing *p, const matrix *m, uint32_t row, uint32_t column) {
  double score = m->scores[cell_of(m, row, column)];
  return score > 0 && ee_score_reaches(score, p->rule->threshold);
}

/* Lowers the bounds by what is cheap to compare. */
static void refine(comparer *c, matrix *m) {
  for (uint32_t i = 0; i < m->row_count; i++) {
    for (uint32_t k = 0; k < m->column_count; k++) {
      size_t at = cell_of(m, i, k);
      if (!m->exact[at] && m->scores[at] > 0) m->scores[at] = bound_of(c, m->rows[i].node, m->columns[k].node, true);
    }
  }
}

/* Compares the chosen pairs whose score is only bounded so far. False: all scores are known. */
static bool evaluate_chosen(comparer *c, const pairing *p, matrix *m, const uint32_t *column_of) {
  bool any = false;
  for (uint32_t i = 0; i < m->row_count; i++) {
    if (column_of[i] == UINT32_MAX || m->exact[cell_of(m, i, column_of[i])] || !is_possible(p, m, i, column_of[i]))
      continue;
    evaluate(c, m, i, column_of[i]);
    any = true;
  }
  return any;
}

/* The best pairing by bounds is the best of all once the scores of its own pairs are known, since those of other
 * pairings can only be less than their bounds. */
static void join_dense(comparer *c, pairing *p, matrix *m) {
  size_t count = (size_t)m->row_count * m->column_count;
  double *costs = ee_arena_alloc(c->arena, count * sizeof *costs);
  uint32_t *column_of = ee_arena_alloc(c->arena, m->row_count * sizeof *column_of);
  bool again = true;
  for (int round = 0; again; round++) {
    /* Before a pairing is chosen: one that was chosen by the bounds before may no longer be possible. */
    if (round == COARSE_ROUNDS) refine(c, m);
    ee_work(count);
    for (uint32_t i = 0; i < m->row_count; i++)
      for (uint32_t k = 0; k < m->column_count; k++)
        costs[cell_of(m, i, k)] = is_possible(p, m, i, k) ? 1 - similarity_of(m, i, k) : 1;
    ee_assign_dense(costs, m->row_count, m->column_count, column_of, c->arena);
    if (round == ROUNDS)
      evaluate_all(c, m, p->rule->threshold);
    else
      again = evaluate_chosen(c, p, m, column_of);
    if (round > ROUNDS) break;
  }
  for (uint32_t i = 0; i < m->row_count; i++)
    if (column_of[i] != UINT32_MAX && is_possible(p, m, i, column_of[i])) join_cell(p, m, i, column_of[i]);
}

/* Pairs of a large matrix that greedy pairing has in memory at a time. */
#define GREEDY_AT_ONCE ((size_t)1 << 20)

static void join_greedily(comparer *c, pairing *p, const matrix *m) {
  for (uint32_t i = 0; i < m->row_count; i++)
    for (uint32_t k = 0; k < m->column_count; k++)
      m->scores[cell_of(m, i, k)] = is_possible(p, m, i, k) ? similarity_of(m, i, k) : 0;
  uint32_t *column_of = ee_arena_alloc(c->arena, m->row_count * sizeof *column_of);
  ee_greedy_dense(m->scores, m->row_count, m->column_count, GREEDY_AT_ONCE, column_of, c->arena);
  for (uint32_t i = 0; i < m->row_count; i++)
    if (column_of[i] != UINT32_MAX) join_cell(p, m, i, column_of[i]);
}

/* The best pairing of all possible pairs; false if that is too much work, or there are more than may be in memory. */
static bool join_listed(comparer *c, pairing *p, const matrix *m) {
  ee_pairs pairs = {.rows = m->row_count, .columns = m->column_count, .limit = EE_PAIRS_LIMIT, .arena = c->arena};
  for (uint32_t i = 0; i < m->row_count; i++) {
    for (uint32_t k = 0; k < m->column_count; k++) {
      if (!is_possible(p, m, i, k)) continue;
      if (pairs.count == pairs.limit) return false;
      ee_pairs_add(&pairs, i, k, similarity_of(m, i, k));
      ee_pair *pair = &pairs.items[pairs.count - 1];
      pair->matches = 0;
      pair->row_rank = i;
      pair->column_rank = k;
    }
  }
  size_t taken = ee_pairs_choose_optimal(&pairs, EE_PAIRS_OPTIMAL);
  if (taken == SIZE_MAX) return false;
  for (size_t i = 0; i < taken; i++) join_cell(p, m, pairs.items[i].row, pairs.items[i].column);
  return true;
}

/* Pairs what is left, whatever it scores. */
static void join_rest(pairing *p, const matrix *m) {
  for (uint32_t i = 0, k = 0; i < m->row_count; i++) {
    if (p->candidate_of[m->rows[i].index] != NO_PARTNER) continue;
    while (k < m->column_count && p->expected_of[m->columns[k].index] != NO_PARTNER) k++;
    if (k == m->column_count) return;
    join_cell(p, m, i, k);
  }
}

static void join_by_score(comparer *c, pairing *p) {
  const ee_tree_arrays *rule = p->rule;
  uint32_t rows = p->expected->count, columns = p->candidate->count;
  bool greedy = rule->method == EE_TREE_GREEDY;
  double threshold = rule->threshold;
  if (rows == 1 && columns == 1 && threshold == 0) {
    join(p, 0, 0, NULL);
    return;
  }
  if (p->expected->reflexive) {
    uint32_t joined = join_equal(c, p);
    if (joined == rows && joined == columns) return;
    /* The best total may need other partners for equal items. */
    if (!greedy) part_all(p);
  }
  start since = start_here(c);
  matrix m = {.scores = NULL};
  m.rows = rank_items(c, p->expected, p->candidate_of, &m.row_count);
  m.columns = rank_items(c, p->candidate, p->expected_of, &m.column_count);
  if (m.row_count == 0 || m.column_count == 0) return;
  uint64_t count = (uint64_t)m.row_count * m.column_count;
  bool allowed = count <= c->tree->max_pairs, dense = !greedy && allowed && count <= DENSE_PAIRS;
  measure(c, &m, !dense, threshold);
  if (dense) {
    join_dense(c, p, &m);
  } else if (greedy || !allowed || !join_listed(c, p, &m)) {
    p->fell_back = !greedy;
    join_greedily(c, p, &m);
  }
  if (threshold == 0) join_rest(p, &m);
  if (c->rewinds) give_back(c, since);
}

static void join_by_index(pairing *p) {
  for (uint32_t i = 0; i < p->expected->count && i < p->candidate->count; i++) join(p, i, i, NULL);
}

/* Items of one key. */
typedef struct keyed {
  uint64_t hash;
  const ee_value *key;
  uint32_t index;
} keyed;

static bool key_before(const keyed *a, const keyed *b) { return a->hash < b->hash; }
EE_DEFINE_SORT(sort_keyed, keyed, key_before)

static keyed *keys_of(comparer *c, const pairing *p, const ee_tree_node *array, const uint32_t *partners,
                      uint32_t *count) {
  keyed *keys = ee_arena_alloc(c->arena, array->count * sizeof *keys);
  *count = 0;
  for (uint32_t i = 0; i < array->count; i++) {
    if (partners[i] != NO_PARTNER) continue;
    const ee_value *key = ee_path_get(p->rule->key, array->children[i].value, c->arena);
    if (ee_value_is_empty(key, &c->tree->empty)) continue;
    keys[(*count)++] = (keyed){ee_value_hash(key), key, i};
  }
  sort_keyed(keys, *count, c->arena);
  return keys;
}

/* Pairs equal items, then those of equal keys, several of one key by greedy: so that a list against itself is perfect
 * where items lack the key. */
static void join_by_key(comparer *c, pairing *p) {
  if (p->expected->reflexive) join_equal(c, p);
  start since = start_here(c);
  uint32_t rows, columns;
  const keyed *left = keys_of(c, p, p->expected, p->candidate_of, &rows);
  const keyed *right = keys_of(c, p, p->candidate, p->expected_of, &columns);
  for (uint32_t i = 0, k = 0; i < rows && k < columns;) {
    uint64_t hash = left[i].hash;
    if (hash != right[k].hash) {
      *(hash < right[k].hash ? &i : &k) += 1;
      continue;
    }
    uint32_t i_end = i, k_end = k;
    while (i_end < rows && left[i_end].hash == hash) i_end++;
    while (k_end < columns && right[k_end].hash == hash) k_end++;
    if (i_end == i + 1 && k_end == k + 1) {
      if (ee_value_equal(left[i].key, right[k].key)) join(p, left[i].index, right[k].index, NULL);
    } else {
      ranked *row_items = ee_arena_alloc(c->arena, (i_end - i) * sizeof *row_items);
      ranked *column_items = ee_arena_alloc(c->arena, (k_end - k) * sizeof *column_items);
      for (uint32_t n = i; n < i_end; n++)
        row_items[n - i] = (ranked){&p->expected->children[left[n].index], left[n].index};
      for (uint32_t n = k; n < k_end; n++)
        column_items[n - k] = (ranked){&p->candidate->children[right[n].index], right[n].index};
      sort_ranked(row_items, i_end - i, c->arena);
      sort_ranked(column_items, k_end - k, c->arena);
      matrix m = {.rows = row_items, .columns = column_items, .row_count = i_end - i, .column_count = k_end - k};
      measure(c, &m, true, 0);
      join_greedily(c, p, &m);
      join_rest(p, &m);
    }
    i = i_end;
    k = k_end;
  }
  if (c->rewinds) give_back(c, since);
}

static void join_items(comparer *c, pairing *p) {
  ee_work_bound(EE_BOUND_ITEMS, p->expected->count, "items in an array");
  ee_work_bound(EE_BOUND_ITEMS, p->candidate->count, "items in an array");
  ee_work(ARRAY_WORK + ITEM_WORK * ((uint64_t)p->expected->count + p->candidate->count));
  part_all(p);
  switch (p->rule->method) {
  case EE_TREE_INDEX: join_by_index(p); break;
  case EE_TREE_KEY: join_by_key(c, p); break;
  default: join_by_score(c, p); break;
  }
  if (p->fell_back) c->fell_back = true;
}

static pairing start_pairing(comparer *c, const ee_tree_node *expected, const ee_tree_node *candidate) {
  uint32_t rows = expected->count, columns = candidate->count;
  pairing p = {.rule = expected->place->arrays, .expected = expected, .candidate = candidate};
  p.candidate_of = ee_arena_alloc(c->arena, rows * sizeof *p.candidate_of);
  p.expected_of = ee_arena_alloc(c->arena, columns * sizeof *p.expected_of);
  p.sums = ee_arena_alloc(c->arena, rows * sizeof *p.sums);
  p.known = ee_arena_calloc(c->arena, rows, sizeof *p.known);
  p.compared = ee_arena_calloc(c->arena, rows, sizeof *p.compared);
  return p;
}

/* Arrays ---------------------------------------------------------------------------------------- */

static void keep_alignment(comparer *c, const pairing *p, ee_str path, const double *scores) {
  ee_tree_alignment alignment = {.path = path,
                                 .method = p->rule->method,
                                 .fell_back = p->fell_back,
                                 .expected_count = p->expected->count,
                                 .candidate_count = p->candidate->count};
  uint32_t *pairs = ee_arena_alloc(c->arena, p->expected->count * 2 * sizeof *pairs);
  double *kept = ee_arena_alloc(c->arena, p->expected->count * sizeof *kept);
  for (uint32_t i = 0; i < p->expected->count; i++) {
    if (p->candidate_of[i] == NO_PARTNER) continue;
    pairs[2 * alignment.pair_count] = i;
    pairs[2 * alignment.pair_count + 1] = p->candidate_of[i];
    kept[alignment.pair_count++] = scores[i];
  }
  alignment.pairs = pairs;
  alignment.scores = kept;
  *EE_LIST_ADD(&c->details->arrays, c->arena) = alignment;
}

static ee_tree_sum compare_pair(comparer *c, const pairing *p, uint32_t i, where at) {
  if (!c->keep && p->known[i]) return p->sums[i];
  bool measured = c->measured;
  c->measured = measured || p->compared[i];
  ee_tree_sum sum = compare(c, &p->expected->children[i], &p->candidate->children[p->candidate_of[i]], at);
  c->measured = measured;
  return sum;
}

static ee_tree_sum compare_arrays(comparer *c, const ee_tree_node *expected, const ee_tree_node *candidate, where at) {
  start since = start_here(c);
  pairing p = start_pairing(c, expected, candidate);
  join_items(c, &p);
  ee_str path = c->keep ? path_of_array(c, expected->place, at) : EE_STR("");
  double *scores = c->keep ? ee_arena_alloc(c->arena, expected->count * sizeof *scores) : NULL;
  ee_tree_place *items = expected->children[0].place;
  fold f = {.total = {.size = {0}}};
  for (uint32_t i = 0; i < expected->count; i++) {
    bool paired = p.candidate_of[i] != NO_PARTNER;
    where inner = {path, i};
    ee_tree_sum sum =
        paired ? compare_pair(c, &p, i, inner) : compare_alone(c, &expected->children[i], EE_EXPECTED, inner);
    if (scores != NULL && paired) scores[i] = score_of(&sum);
    add_child(c, &f, paired || c->tree->aggregate == EE_TREE_LEAVES ? &f.total : &f.lone[EE_EXPECTED], items, 1, &sum);
  }
  for (uint32_t i = 0; i < candidate->count; i++) {
    if (p.expected_of[i] != NO_PARTNER) continue;
    where inner = c->keep ? extra_item(c, path, i) : nowhere;
    ee_tree_sum sum = compare_alone(c, &candidate->children[i], EE_CANDIDATE, inner);
    add_child(c, &f, c->tree->aggregate == EE_TREE_LEAVES ? &f.total : &f.lone[EE_CANDIDATE], items, 1, &sum);
  }
  if (c->keep) keep_alignment(c, &p, path, scores);
  if (c->keep && p.fell_back) c->context->fallbacks++;
  ee_tree_sum total = finish(c, &f);
  if (!c->keep && c->rewinds) give_back(c, since);
  return total;
}

/* Any two values -------------------------------------------------------------------------------- */

static ee_tree_sum compare_mixed(comparer *c, const ee_tree_node *expected, const ee_tree_node *candidate, where at) {
  start since = start_here(c);
  const ee_value *shown[2] = {expected->value, candidate->value};
  ee_tree_sum sum = compare_values(c, c->tree->mixed, expected->place, as_json(c, expected->value),
                                   as_json(c, candidate->value), shown, at);
  if (!c->keep && c->rewinds) give_back(c, since);
  return sum;
}

/* Compares the best of several correct values: the first with the highest score. */
static ee_tree_sum compare_options(comparer *c, const ee_tree_node *expected, const ee_tree_node *candidate, where at) {
  bool keep = c->keep, measured = c->measured;
  uint32_t best = 0;
  ee_tree_sum best_sum = {.size = {0}};
  c->keep = false;
  for (uint32_t i = 0; i < expected->option_count; i++) {
    ee_tree_sum sum = compare(c, &expected->children[i], candidate, nowhere);
    if (i > 0 && score_of(&sum) <= score_of(&best_sum)) continue;
    best = i;
    best_sum = sum;
  }
  c->keep = keep;
  if (!keep) return best_sum;
  *EE_LIST_ADD(&c->details->choices, c->arena) =
      (ee_tree_choice){path_of_array(c, expected->place, at), best, expected->option_count};
  c->measured = true;
  ee_tree_sum sum = compare(c, &expected->children[best], candidate, at);
  c->measured = measured;
  return sum;
}

/* Recursion is bounded by the reader's nesting limit. */
static ee_tree_sum compare(comparer *c, const ee_tree_node *expected, const ee_tree_node *candidate, where at) {
  ee_work(COMPARE_WORK);
  const ee_tree *tree = c->tree;
  if (expected->option_count > 0) return compare_options(c, expected, candidate, at);
  if (!c->keep && expected->hash == candidate->hash && expected->count > 0 && expected->reflexive &&
      tree->aggregate != EE_TREE_FUNCTION && ee_tree_same(tree, expected, candidate, c->arena))
    return expected->perfect;
  ee_type type = kind_of(expected->value), other = kind_of(candidate->value);
  bool leaves = expected->count == 0 && candidate->count == 0;
  if (type != other && tree->mixed != NULL && expected->place->leaf == NULL && !expected->empty && !candidate->empty)
    return compare_mixed(c, expected, candidate, at);
  if (leaves) {
    ee_tree_sum sum = {.size = {0}};
    return add_plain(c, expected, candidate, &sum) ? sum : compare_leaves(c, expected, candidate, at);
  }
  /* An empty value, or an array or object without children against one that has some. */
  if (expected->count == 0 && (expected->empty || (type == other && ee_value_count(expected->value) == 0)))
    return compare_alone(c, candidate, EE_CANDIDATE, at);
  if (candidate->count == 0 && (candidate->empty || (type == other && ee_value_count(candidate->value) == 0)))
    return compare_alone(c, expected, EE_EXPECTED, at);
  if (type != other || expected->count == 0 || candidate->count == 0) return compare_unlike(c, expected, candidate, at);
  return type == EE_OBJECT ? compare_objects(c, expected, candidate, at) : compare_arrays(c, expected, candidate, at);
}

ee_tree_comparison ee_tree_compare(const ee_judge *judge, ee_context *context, ee_tree_places *places,
                                   const ee_tree_node *expected, const ee_tree_node *candidate, ee_findings *findings,
                                   ee_tree_result *details, ee_judge_result *result) {
  comparer c = {.judge = judge,
                .tree = judge->data,
                .context = context,
                .arena = context->arena,
                .places = places,
                .findings = findings,
                .details = details,
                .keep = true,
                .rewinds = !judge->calls_script && !judge->uses_provider};
  ee_tree_sum sum = {.size = {0}};
  if (expected != NULL && candidate != NULL)
    sum = compare(&c, expected, candidate, nowhere);
  else if (expected != NULL)
    sum = compare_alone(&c, expected, EE_EXPECTED, nowhere);
  else if (candidate != NULL)
    sum = compare_alone(&c, candidate, EE_CANDIDATE, nowhere);
  if (c.fell_back && context->fallbacks == 0) context->fallbacks = 1;
  details->total = sum;
  details->by_leaves = c.tree->aggregate == EE_TREE_LEAVES;
  result->attributes = c.attributes.items;
  result->attribute_count = c.attributes.count;
  bool wrong = sum.wrong + sum.missing + sum.spurious > 0;
  ee_tree_comparison comparison = {.failed = c.failed};
  comparison.vacuous = sum.size.units == 0 && !wrong && !c.failed;
  comparison.score = c.failed || (sum.size.units == 0 && wrong) ? 0 : score_of(&sum);
  return comparison;
}
