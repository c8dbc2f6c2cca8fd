/* distance_score.c: ee.distance_score compares two lists of points by their distances. */
#include <math.h>

#include "base/work.h"
#include "judge/aggregate.h"
#include "judge/details.h"
#include "judge/geometry/shape.h"
#include "judge/plan.h"
#include "judge/result.h"
#include "judge/strategy/strategy.h"
#include "prim/number.h"

#define SUBJECT "ee.distance_score"
#define AGGREGATES "mean|median|min"

static const ee_option distance_score_options[] = {
    EE_CANDIDATE_PATH_OPTION,
    EE_DISTANCE_OPTION_ROWS,
    {.name = "aggregate",
     .type = EE_OPTION_CHOICE,
     .default_text = "\"mean\"",
     .help = "From the points' scores to one, over the longer list; a missing partner counts 0.",
     .choices = AGGREGATES},
    {.name = "match",
     .type = EE_OPTION_CHOICE,
     .default_text = "\"index\"",
     .help = "Points are paired by position.",
     .choices = "index"},
    {.name = NULL},
};

typedef struct distance_score {
  ee_list_paths paths;
  ee_strategy reader; /* for values that are not points */
  ee_str attribute;
  ee_distance_metric metric;
  double threshold;
  bool linear;
  ee_place_aggregate aggregate;
} distance_score;

static void distance_score_compile(ee_plan_builder *builder, const ee_rule_node *node, ee_judge *judge) {
  static const ee_place_aggregate aggregates[] = {EE_PLACES_MEAN, EE_PLACES_MEDIAN, EE_PLACES_MIN};
  distance_score *score = EE_NEW(builder->arena, distance_score);
  judge->data = score;
  ee_list_paths_compile(builder, node, SUBJECT, false, &score->paths);
  score->metric = (ee_distance_metric)ee_option_choice(node, "metric", EE_DISTANCE_METRICS, "euclidean");
  score->linear = ee_option_is(node, "score", "linear");
  score->aggregate = aggregates[ee_option_choice(node, "aggregate", AGGREGATES, "mean")];
  score->threshold = ee_option_number(node, "threshold", 0);
  if (ee_rule_node_get(node, "threshold").type == EE_RULE_NONE) {
    ee_compile_error(builder, node, SUBJECT " needs option 'threshold'");
  }
  char text[32];
  ee_double_format_short(score->threshold, 17, text);
  ee_attribute *attribute = EE_NEW(builder->arena, ee_attribute);
  attribute->name = ee_str_from(ee_arena_printf(builder->arena, "%s<=%s", ee_distance_name(score->metric), text));
  score->attribute = attribute->name;
  score->reader = (ee_strategy){.type = &ee_distance_strategy, .node = node, .normalize_function = EE_NO_FUNCTION};
  judge->attributes = attribute;
  judge->attribute_count = 1;
}

/* The points ----------------------------------------------------------------------------------- */

/* A side of a case. A single point is a list of one. */
typedef struct side {
  const ee_value *first; /* the first item */
  uint32_t count;
  bool is_list;
} side;

/* A case while it is judged. */
typedef struct distance_case {
  const distance_score *score;
  ee_context *context;
  ee_arena *arena;
  side expected, candidate;
  ee_findings findings;
  ee_counts counts;
  ee_place *places;
  uint32_t place_count;
  ee_value *pairs, *errors;
  bool truncated;
} distance_case;

/* An array of numbers is a point, any other array is a list of points. */
static bool is_single(const ee_value *array) {
  bool numbers = false;
  for (const ee_value *item = ee_value_child(array); item != NULL; item = ee_value_next(item)) {
    if (ee_type_of(item) >= EE_ARRAY) return false;
    numbers |= ee_type_of(item) == EE_NUMBER;
  }
  return numbers;
}

/* False when the value is neither a point nor a list. */
static bool read_side(const distance_case *c, const ee_path *path, const ee_value *document, side *s) {
  const ee_value *value = path != NULL ? ee_path_get_array(path, document, c->arena) : document;
  *s = (side){.is_list = true};
  if (ee_value_is_no_list(value, &c->context->plan->empty)) return true;
  if (ee_type_of(value) != EE_ARRAY) return false;
  s->is_list = !is_single(value);
  s->first = s->is_list ? ee_value_child(value) : value;
  s->count = s->is_list ? ee_value_count(value) : 1;
  ee_work_bound(EE_BOUND_ITEMS, s->count, "items in an array");
  return true;
}

/* Judging -------------------------------------------------------------------------------------- */

static ee_finding finding_at(const distance_case *c, uint32_t index, bool is_expected) {
  const ee_list_paths *paths = &c->score->paths;
  bool is_list = is_expected ? c->expected.is_list : c->candidate.is_list;
  return (ee_finding){.path = ee_list_path_text(is_expected ? paths->expected : paths->candidate),
                      .row = is_list ? index : EE_NO_ROW};
}

static void set(const distance_case *c, ee_value *object, const char *key, ee_value *value) {
  ee_value_set(c->arena, object, ee_str_from(key), value);
}

/* A new object at the end of `list`, NULL when it is full. */
static ee_value *new_entry(distance_case *c, ee_value *list, uint32_t index) {
  if (ee_value_count(list) == ee_details_limit(c->context->detail)) {
    c->truncated = true;
    return NULL;
  }
  ee_value *entry = ee_value_new(c->arena, EE_OBJECT);
  set(c, entry, "index", ee_value_new_number(c->arena, index));
  ee_value_append(list, entry);
  return entry;
}

static void add_error(distance_case *c, uint32_t index, const char *side_name, const char *text) {
  ee_value *entry = new_entry(c, c->errors, index);
  if (entry == NULL) return;
  if (side_name != NULL) set(c, entry, "side", ee_value_new_string(c->arena, ee_str_from(side_name)));
  set(c, entry, "reason", ee_value_new_string(c->arena, ee_str_from(text)));
}

/* Adds a value that is not a point to the unread ones. */
static void add_unread(distance_case *c, uint32_t index, ee_document_side document, const ee_value *value,
                       ee_reason reason) {
  add_error(c, index, ee_document_side_name(document), reason.text.data);
  ee_finding place = finding_at(c, index, document == EE_EXPECTED);
  place.reason = reason;
  c->counts.unread_candidates += document == EE_CANDIDATE;
  ee_strategy_add_unread(&c->score->reader, c->context, document, c->score->attribute, 0, &place, value);
}

/* The distance of two values; false, with `*reason`, when they cannot be compared. `*unread`: the expected one is not a
 * point. */
static bool find_distance(distance_case *c, uint32_t index, const ee_value *expected, const ee_value *candidate,
                          double *distance, ee_reason *reason, bool *unread) {
  const double *a = NULL, *b = NULL;
  size_t a_count = 0, b_count = 0;
  const char *a_error = ee_point_read(expected, c->arena, &a, &a_count);
  const char *b_error = ee_point_read(candidate, c->arena, &b, &b_count);
  if (b_error != NULL) {
    *reason = (ee_reason){.kind = EE_REASON_BAD_CANDIDATE, .text = ee_str_from(b_error), .first = 1};
    add_unread(c, index, EE_CANDIDATE, candidate, *reason);
  }
  if (a_error != NULL) {
    *reason = (ee_reason){.kind = EE_REASON_BAD_EXPECTED, .text = ee_str_from(a_error), .first = 1};
    add_unread(c, index, EE_EXPECTED, expected, *reason);
    *unread = true;
  }
  if (a_error != NULL || b_error != NULL) return false;
  if (a_count != b_count) {
    *reason = (ee_reason){.kind = EE_REASON_DIMENSIONS, .first = (double)a_count, .second = (double)b_count};
    add_error(c, index, NULL, "dimensions differ");
  } else {
    *distance = ee_point_distance(c->score->metric, a, b, a_count);
    return true;
  }
  return false;
}

/* Adds a point, or a pair of them, in full detail; one value may be NULL. `distance` negative: it was not computed. */
static void keep_outcome(distance_case *c, ee_class value_class, const ee_finding *place, uint32_t index,
                         const ee_value *expected, const ee_value *candidate, double distance, double closeness) {
  if (!ee_context_keeps_outcomes(c->context)) return;
  const distance_score *score = c->score;
  ee_outcome kept = {.place = *place,
                     .attribute = score->attribute,
                     .value_class = value_class,
                     .expected = expected,
                     .candidate = candidate,
                     .score = closeness,
                     .weight = value_class == EE_CLASS_UNREAD ? 0 : 1,
                     .strategy = ee_str_from(ee_distance_strategy.name),
                     .row = expected != NULL ? index : EE_NO_ROW,
                     .partner = candidate != NULL ? index : EE_NO_ROW};
  if (distance >= 0) {
    const double *a = NULL, *b = NULL;
    size_t dimension = 0, same = 0;
    ee_point_read(expected, c->arena, &a, &dimension);
    ee_point_read(candidate, c->arena, &b, &same);
    ee_distance_explain(score->metric, a, b, dimension, score->threshold, score->linear, c->arena, &kept.how);
  }
  if (kept.place.row == EE_NO_ROW) kept.row = kept.partner = EE_NO_ROW; /* not of a list */
  ee_outcomes_add(&c->context->outcomes, c->arena, &kept);
}

/* Counts and lists what does not match; parameters as for keep_outcome(). */
static void add_miss(distance_case *c, ee_class value_class, const ee_finding *finding, uint32_t index,
                     const ee_value *expected, const ee_value *candidate, double distance, double closeness) {
  ee_counts_add_class(&c->counts, value_class);
  keep_outcome(c, value_class, finding, index, expected, candidate, distance, closeness);
  ee_mismatch *mismatch = ee_findings_miss(&c->findings, finding, value_class, expected, candidate, closeness);
  mismatch->attribute = c->score->attribute;
  mismatch->slot = 0;
  mismatch->unread_candidate = finding->reason.kind == EE_REASON_BAD_CANDIDATE;
}

static void judge_pair(distance_case *c, uint32_t index, const ee_value *expected, const ee_value *candidate) {
  const distance_score *score = c->score;
  ee_finding finding = finding_at(c, index, true);
  double distance = -1, closeness = 0;
  bool unread = false;
  if (find_distance(c, index, expected, candidate, &distance, &finding.reason, &unread)) {
    closeness = ee_distance_score(distance, score->threshold, score->linear);
    ee_value *entry = new_entry(c, c->pairs, index);
    if (entry != NULL) {
      set(c, entry, "distance", ee_value_new_number(c->arena, distance));
      set(c, entry, "score", ee_value_new_number(c->arena, closeness));
    }
    if (ee_distance_within(distance, score->threshold)) {
      ee_counts_add_class(&c->counts, EE_CLASS_TP);
      ee_findings_hit(&c->findings, &finding);
      keep_outcome(c, EE_CLASS_TP, &finding, index, expected, candidate, distance, closeness);
      c->places[c->place_count++].score = closeness;
      return;
    }
    finding.reason =
        (ee_reason){.kind = EE_REASON_ABOVE, .text = EE_STR("distance"), .first = distance, .second = score->threshold};
  }
  add_miss(c, unread ? EE_CLASS_UNREAD : EE_CLASS_WRONG, &finding, index, expected, candidate, distance, closeness);
  if (unread) return;
  c->places[c->place_count++].score = closeness;
}

static void judge_unpaired(distance_case *c, uint32_t index, const ee_value *item, bool is_expected) {
  ee_finding finding = finding_at(c, index, is_expected);
  finding.reason.kind = is_expected ? EE_REASON_MISSING_ITEM : EE_REASON_EXTRA_ITEM;
  const char *error = ee_strategy_reads(&c->score->reader, is_expected ? EE_EXPECTED : EE_CANDIDATE, item, c->arena)
                          ? NULL
                          : ee_distance_strategy.why_unread(&c->score->reader, item, c->arena);
  if (error != NULL) {
    ee_reason_kind kind = is_expected ? EE_REASON_BAD_EXPECTED : EE_REASON_BAD_CANDIDATE;
    finding.reason = (ee_reason){.kind = kind, .text = ee_str_from(error), .first = 1};
    add_unread(c, index, is_expected ? EE_EXPECTED : EE_CANDIDATE, item, finding.reason);
  }
  bool unread = error != NULL && is_expected;
  ee_class value_class = unread ? EE_CLASS_UNREAD : is_expected ? EE_CLASS_MISSING : EE_CLASS_INVENTED;
  add_miss(c, value_class, &finding, index, is_expected ? item : NULL, is_expected ? NULL : item, -1, 0);
  if (unread) return;
  c->places[c->place_count++].score = 0;
}

/* Pairs points by index; indices that are empty on both sides are skipped. */
static void judge_points(distance_case *c) {
  const ee_empty_rule *empty = &c->context->plan->empty;
  uint32_t max = c->expected.count > c->candidate.count ? c->expected.count : c->candidate.count;
  c->places = EE_NEW_ARRAY(c->arena, ee_place, max);
  const ee_value *expected = c->expected.first, *candidate = c->candidate.first;
  for (uint32_t i = 0; i < max; i++) {
    const ee_value *e = i < c->expected.count && !ee_value_is_no_list(expected, empty) ? expected : NULL;
    const ee_value *p = i < c->candidate.count && !ee_value_is_no_list(candidate, empty) ? candidate : NULL;
    if (e != NULL && p != NULL) {
      judge_pair(c, i, e, p);
    } else if (e != NULL || p != NULL) {
      judge_unpaired(c, i, e != NULL ? e : p, e != NULL);
    }
    if (i < c->expected.count) expected = ee_value_next(expected);
    if (i < c->candidate.count) candidate = ee_value_next(candidate);
  }
}

static void set_score(distance_case *c, ee_judge_result *result) {
  result->vacuous = c->place_count == 0;
  result->score = result->vacuous ? 1 : ee_places_score(c->score->aggregate, c->places, c->place_count, c->arena);
  if (ee_context_keeps_outcomes(c->context) && !result->vacuous)
    result->formula = ee_places_formula(c->score->aggregate, c->places, c->place_count, result->score, c->arena);
}

static void set_attribute(const distance_case *c, const ee_judge *judge, ee_judge_result *result) {
  if (c->place_count + c->counts.unread == 0) return;
  ee_attribute_result *attribute = EE_NEW(c->arena, ee_attribute_result);
  *attribute = (ee_attribute_result){.name = judge->attributes[0].name, .slot = 0, .counts = c->counts};
  result->attributes = attribute;
  result->attribute_count = 1;
}

static void distance_score_write_details(const ee_judge_result *result, ee_arena *scratch, ee_buffer *out) {
  const distance_case *c = result->details;
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  ee_details d;
  ee_details_start(&d, scratch, result);
  ee_details_set(&d, d.tree, "pairs", c->pairs);
  if (ee_value_count(c->errors) > 0) ee_details_set(&d, d.tree, "errors", c->errors);
  d.truncated = c->truncated;
  ee_details_finish(&d, result, out);
  ee_arena_rewind(scratch, mark);
}

/* "9/10 points within 2, 1 missing, 0 extra". */
static ee_str reasoning(const distance_case *c) {
  char threshold[32];
  ee_double_format_short(c->score->threshold, 6, threshold);
  size_t incorrect = (size_t)c->counts.wrong, tp = (size_t)c->counts.tp;
  size_t missing = (size_t)c->counts.fn - incorrect, extra = (size_t)c->counts.fp - incorrect;
  return ee_str_from(ee_arena_printf(c->arena, "%zu/%zu points within %s, %zu missing, %zu extra", tp,
                                     tp + incorrect + missing, threshold, missing, extra));
}

static void distance_score_judge_case(const ee_judge *judge, ee_context *context, ee_judge_result *result) {
  distance_case *c = EE_NEW(context->arena, distance_case);
  const ee_case *current = context->current;
  c->score = judge->data;
  c->context = context;
  c->arena = context->arena;
  c->pairs = ee_value_new(c->arena, EE_ARRAY);
  c->errors = ee_value_new(c->arena, EE_ARRAY);
  const ee_list_paths *paths = &c->score->paths;
  bool expected_good = read_side(c, paths->expected, current->expected, &c->expected);
  bool candidate_good = read_side(c, paths->candidate, current->candidate, &c->candidate);
  /* Without expected points, those of the candidate are neither correct nor incorrect. */
  if (!expected_good) c->candidate.count = 0;
  ee_findings_start(&c->findings, c->arena, c->expected.count);
  bool no_candidate = current->candidate_state != EE_CANDIDATE_READ;
  if (no_candidate) ee_findings_no_candidate(&c->findings, current->candidate_state);
  if (!expected_good)
    ee_findings_fail(&c->findings, EE_FAULT_DATA, ee_list_path_text(paths->expected),
                     EE_REASON_OF("not a point or an array of points"));
  else if (!candidate_good)
    ee_findings_note(&c->findings, ee_list_path_text(paths->candidate),
                     EE_REASON_OF("not a point or an array of points in the candidate"));
  judge_points(c);
  if (expected_good && candidate_good && !no_candidate) set_score(c, result);
  set_attribute(c, judge, result);
  ee_findings_finish(&c->findings, result);
  result->reasoning = no_candidate ? EE_STR("no candidate document") : reasoning(c);
  result->details = c;
}

static void distance_score_print(const ee_judge *judge, ee_buffer *out) {
  const distance_score *score = judge->data;
  char threshold[32];
  ee_double_format_short(score->threshold, 6, threshold);
  ee_list_paths_print(&score->paths, "points", out);
  ee_buffer_addf(out, "  %s, threshold %s, score %s, match index, %s\n", ee_distance_name(score->metric), threshold,
                 score->linear ? "linear" : "match", ee_place_aggregate_name(score->aggregate));
}

const ee_judge_type ee_distance_score_judge = {
    .name = "distance_score",
    .help = "Points, one or a list, by how far apart they are.",
    .positional = "[1] string?",
    .options = distance_score_options,
    .compile = distance_score_compile,
    .takes_path = true,
    .lists_values = true,
    .judge_case = distance_score_judge_case,
    .write_details = distance_score_write_details,
    .print = distance_score_print,
};
