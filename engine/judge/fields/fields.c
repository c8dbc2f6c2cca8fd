/* fields.c: ee.fields, values at declared paths, scored and classed in one pass. */
#include "base/work.h"
#include "judge/aggregate.h"

#include "base/printable.h"
#include "data/json/json_query.h"
#include "judge/confidence.h"
#include "judge/fields/field.h"
#include "judge/plan.h"
#include "judge/result.h"
#include "prim/number.h"

#define TN_CHOICES "score|skip"
#define UNEXPECTED_CHOICES "fail|skip|pass"

typedef struct fields_judge {
  ee_field_list list;
  const bool *beside; /* by field: on both sides it is in the object in which the field before it is */
  ee_field_rules rules;
  ee_aggregate aggregate;
} fields_judge;

static const ee_option fields_options[] = {
    {.name = "aggregate",
     .type = EE_OPTION_CHOICE_OR_FUNCTION,
     .default_text = "\"weighted_average\"",
     .help = "How the fields' scores become the judge's score, or a function of the array of fields that returns 0..1.",
     .choices = EE_AGGREGATE_CHOICES},
    {.name = "tn",
     .type = EE_OPTION_CHOICE,
     .default_text = "\"score\"",
     .help = "Whether a field that is empty on both sides scores 1 or is left out of the score.",
     .choices = TN_CHOICES},
    {.name = "on_unexpected",
     .type = EE_OPTION_CHOICE,
     .default_text = "\"fail\"",
     .help =
         "A value where nothing was expected scores 0, is left out of the score, or scores 1; always a false positive.",
     .choices = UNEXPECTED_CHOICES},
    EE_CONFIDENCE_OPTION,
    EE_COST_OPTION,
    {.name = NULL},
};

/* Whether all fields are of the document as a whole. */
static bool are_of_whole(const ee_field_list *list) {
  for (size_t i = 0; i < list->count; i++)
    if (list->fields[i].candidate_path == NULL || list->fields[i].candidate_path->count > 0) return false;
  return true;
}

/* The names of the fields, in the plan's arena. */
static const ee_attribute *attributes_of(ee_plan_builder *builder, const ee_field_list *list) {
  ee_attribute *attributes = EE_NEW_ARRAY(builder->arena, ee_attribute, list->count);
  for (size_t i = 0; i < list->count; i++) attributes[i].name = list->fields[i].name;
  return attributes;
}

/* Whether both paths are those of members of one object, without looking at a document; of no use for a path with
 * wildcards, which is walked, and for a query, which has them or no steps. */
static bool are_members_of_one(const ee_path *a, const ee_path *b) {
  if (a->other_count > 0) return false; /* find_value() looks at those of `b` */
  if (a->count == 0 || a->count != b->count || a->steps[a->count - 1].kind != EE_STEP_KEY) return false;
  for (size_t i = 0; i < a->count; i++) {
    const ee_step *x = &a->steps[i], *y = &b->steps[i];
    if (x->kind != y->kind) return false;
    if (i + 1 < a->count && (x->index != y->index || !ee_str_equal(x->key, y->key))) return false;
  }
  return true;
}

static const bool *find_beside(ee_plan_builder *builder, const ee_field_list *list) {
  bool *beside = EE_NEW_ARRAY(builder->arena, bool, list->count);
  for (size_t i = 1; i < list->count; i++)
    beside[i] = are_members_of_one(list->fields[i - 1].expected_path, list->fields[i].expected_path) &&
                are_members_of_one(list->fields[i - 1].candidate_path, list->fields[i].candidate_path);
  return beside;
}

static void fields_compile(ee_plan_builder *builder, const ee_rule_node *node, ee_judge *judge) {
  fields_judge *fields = EE_NEW(builder->arena, fields_judge);
  size_t errors_before = builder->errors->count;
  ee_field_list_compile(builder, node, "ee.fields", 0, true, &fields->list);
  if (fields->list.count == 0 && builder->errors->count == errors_before) {
    ee_compile_error(builder, node, "ee.fields has no fields");
  }
  fields->beside = find_beside(builder, &fields->list);
  fields->rules.tn = (ee_tn_rule)ee_option_choice(node, "tn", TN_CHOICES, "score");
  fields->rules.unexpected = (ee_unexpected_rule)ee_option_choice(node, "on_unexpected", UNEXPECTED_CHOICES, "fail");
  fields->aggregate = ee_aggregate_option(node);
  judge->data = fields;
  judge->fields = &fields->list;
  judge->confidence = fields->list.confidence;
  judge->attributes = attributes_of(builder, &fields->list);
  judge->attribute_count = fields->list.count;
  judge->calls_script = ee_field_list_calls_script(&fields->list) || fields->aggregate.kind == EE_AGGREGATE_FUNCTION;
  judge->uses_provider = ee_field_list_uses_provider(&fields->list);
  judge->takes_text = are_of_whole(&fields->list);
}

/* One field of one case while its values are compared. */
typedef struct field_walk {
  const fields_judge *fields;
  const ee_field *field;
  int32_t slot; /* of the field among the judge's attributes */
  const ee_condition *condition;
  ee_context *context;
  ee_findings *findings;
  uint32_t *rows; /* the indices at the wildcards so far */
  size_t depth;
  const ee_query_node *node;   /* of the nodes of a query: the current one; NULL: none */
  ee_confidences *confidences; /* NULL: nothing of them is asked */
  ee_counts counts;
  double score_sum;
  size_t places;                           /* where values were looked for */
  size_t scored, compared, matched, found; /* numbers of values; `found`: matched and not empty */
} field_walk;

/* The field's path with the current indices instead of wildcards: "items[3].price". */
static ee_str place_text(const field_walk *walk) {
  if (walk->node != NULL) return ee_query_place_text(walk->node->place, walk->context->arena);
  const ee_path *written = walk->field->expected_path;
  ee_str path = written->text;
  if (walk->depth == 0) return path;
  if (written->query != NULL) path = ee_path_text_of(written, walk->context->arena);
  char *text = ee_arena_alloc(walk->context->arena, path.length + walk->depth * 10);
  char *out = text;
  size_t next = 0;
  char quote = '\0';
  for (size_t i = 0; i < path.length; i++) {
    char c = path.data[i];
    if (quote == '\0' && c == '*' && i > 0 && path.data[i - 1] == '[' && next < walk->depth) {
      out = ee_findings_number(out, walk->rows[next++]);
      continue;
    }
    *out++ = c;
    if (quote == '\0') {
      /* A quote begins a key only after a bracket. */
      if ((c == '"' || c == '\'') && i > 0 && path.data[i - 1] == '[') quote = c;
    } else if (c == '\\') {
      *out++ = path.data[++i];
    } else if (c == quote) {
      quote = '\0';
    }
  }
  return (ee_str){text, (size_t)(out - text)};
}

/* Adds how a value was judged, in full detail. */
static void keep_outcome(field_walk *walk, const ee_field_outcome *outcome, const ee_value *expected,
                         const ee_value *candidate) {
  if (!ee_context_keeps_outcomes(walk->context)) return;
  ee_finding place = {.path = place_text(walk), .row = EE_NO_ROW, .reason = outcome->comparison.reason};
  ee_field_keep_outcome(walk->field, walk->context, outcome, walk->field->name, &place, expected, candidate, EE_NO_ROW,
                        EE_NO_ROW);
}

/* `confidence` is what the candidate has at the confidence's path. */
static void judge_value(field_walk *walk, const ee_value *expected, const ee_value *candidate,
                        const ee_value *confidence) {
  walk->places++;
  candidate = ee_field_unwrap(walk->field, candidate, walk->context->arena);
  ee_script_place place = ee_field_place(walk->field, NULL, NULL);
  ee_field_outcome outcome;
  ee_field_judge_when(walk->field, walk->condition, walk->fields->rules, walk->context, expected, candidate, &place,
                      &outcome);
  keep_outcome(walk, &outcome, expected, candidate);
  ee_confidences_add(walk->confidences, walk->field->confidence, walk->field->name, outcome.value_class,
                     walk->field->required, confidence, walk->context->arena);
  if (outcome.scored) {
    walk->score_sum += outcome.score;
    walk->scored++;
  }
  walk->compared += outcome.value_class != EE_CLASS_UNREAD;
  if (ee_outcome_matched(&outcome)) {
    ee_counts_add_class(&walk->counts, outcome.value_class);
    walk->matched++;
    if (outcome.value_class == EE_CLASS_TP) walk->found++;
    return;
  }
  ee_finding finding = {.path = place_text(walk), .row = EE_NO_ROW, .reason = outcome.comparison.reason};
  ee_field_count(walk->field, walk->context, &outcome, walk->field->name, walk->slot, &finding, expected, candidate,
                 &walk->counts);
  ee_mismatch *mismatch =
      ee_findings_miss(walk->findings, &finding, outcome.value_class, expected, candidate, outcome.score);
  mismatch->attribute = walk->field->name;
  mismatch->slot = walk->slot;
  mismatch->unread_candidate = outcome.comparison.unread[EE_CANDIDATE];
}

/* The first wildcard step of `path` from step `from` on, or its end. */
static size_t next_wildcard(const ee_path *path, size_t from) {
  while (from < path->count && path->steps[from].kind != EE_STEP_ALL) from++;
  return from;
}

/* What a wildcard finds on one side. A value that is neither an array nor empty is judged itself. */
typedef struct wildcard {
  const ee_value *element; /* the array's first, or NULL */
  const ee_value *single;  /* a value that is not an array, or NULL */
} wildcard;

static wildcard wildcard_of(const field_walk *walk, const ee_value *value) {
  if (ee_type_of(value) == EE_ARRAY) {
    ee_work_bound(EE_BOUND_ITEMS, ee_value_count(value), "items in an array");
    return (wildcard){.element = ee_value_child(value)};
  }
  return (wildcard){.single = ee_value_is_empty(value, &walk->field->strategy->empty) ? NULL : value};
}

/* Where a walk is in a document: the value, and the next step of the path to it. */
typedef struct walk_place {
  const ee_path *path; /* NULL: nothing to look up, and `value` stays NULL */
  size_t step;
  const ee_value *value;
} walk_place;

/* The place at the next wildcard of the path, or at its end. */
static walk_place walk_on(walk_place at, ee_arena *arena) {
  if (at.path == NULL) return at;
  size_t end = next_wildcard(at.path, at.step);
  return (walk_place){at.path, end, ee_path_get_steps(at.path, at.step, end, at.value, arena)};
}

static walk_place walk_into(walk_place at, const ee_value *element) {
  return (walk_place){at.path, at.path != NULL ? at.step + 1 : 0, element};
}

static const ee_value *next_of(const ee_value *element) { return element != NULL ? ee_value_next(element) : NULL; }

/* Units of a value besides comparing it. */
#define VALUE_WORK 200

/* Walks both paths, and that of the confidences: pairs the elements at a wildcard by index, and judges the values at
 * the end. Values that are not arrays are one more pair at the wildcard, so that a value instead of an array is an
 * error besides the missing elements. Recursion is bounded by the number of wildcards in the path. */
static void walk_paths(field_walk *walk, walk_place expected, walk_place candidate, walk_place confidence) {
  ee_arena *arena = walk->context->arena;
  expected = walk_on(expected, arena);
  candidate = walk_on(candidate, arena);
  confidence = walk_on(confidence, arena);
  if (expected.step == expected.path->count) {
    ee_work(VALUE_WORK);
    judge_value(walk, expected.value, candidate.value, confidence.value);
    return;
  }
  wildcard at_expected = wildcard_of(walk, expected.value), at_candidate = wildcard_of(walk, candidate.value);
  if (at_expected.single != NULL || at_candidate.single != NULL) {
    judge_value(walk, at_expected.single, at_candidate.single, NULL);
  }
  const ee_value *left = at_expected.element, *right = at_candidate.element;
  const ee_value *sure = ee_type_of(confidence.value) == EE_ARRAY ? ee_value_child(confidence.value) : NULL;
  size_t depth = walk->depth++;
  for (uint32_t i = 0; left != NULL || right != NULL; i++) {
    walk->rows[depth] = i;
    walk_paths(walk, walk_into(expected, left), walk_into(candidate, right), walk_into(confidence, sure));
    left = next_of(left);
    right = next_of(right);
    sure = next_of(sure);
  }
  walk->depth = depth;
}

/* The values of one side, where queries are paired; a path that is not a query has one. */
static ee_query_nodes nodes_of(const ee_path *path, const ee_value *document, ee_arena *arena) {
  ee_query_nodes nodes = {0};
  if (path->query != NULL) {
    ee_json_query_find(path->query, document, arena, &nodes);
    ee_work_bound(EE_BOUND_ITEMS, nodes.count, "nodes of a query");
    return nodes;
  }
  const ee_value *value = ee_path_get(path, document, arena);
  if (value != NULL) *EE_LIST_ADD(&nodes, arena) = (ee_query_node){value, NULL};
  return nodes;
}

/* Pairs what the queries find by position. A strategy for arrays, and several right answers, take it all at once. */
static void judge_nodes(field_walk *walk, ee_attribute_result *attribute) {
  const ee_field *field = walk->field;
  const ee_case *current = walk->context->current;
  ee_arena *arena = walk->context->arena;
  if (field->strategy->type->normalizes_elements || field->several != EE_SEVERAL_NONE) {
    const ee_value *expected = ee_path_get_array(field->expected_path, current->expected, arena);
    const ee_value *candidate = field->several != EE_SEVERAL_NONE
                                    ? ee_path_get(field->candidate_path, current->candidate, arena)
                                    : ee_path_get_array(field->candidate_path, current->candidate, arena);
    judge_value(walk, expected, candidate, NULL);
    attribute->there[EE_EXPECTED] = expected != NULL;
    attribute->there[EE_CANDIDATE] = candidate != NULL;
    return;
  }
  ee_query_nodes expected = nodes_of(field->expected_path, current->expected, arena);
  ee_query_nodes candidate = nodes_of(field->candidate_path, current->candidate, arena);
  attribute->there[EE_EXPECTED] = expected.count > 0;
  attribute->there[EE_CANDIDATE] = candidate.count > 0;
  for (size_t i = 0; i < expected.count || i < candidate.count; i++) {
    const ee_query_node *left = i < expected.count ? &expected.items[i] : NULL;
    const ee_query_node *right = i < candidate.count ? &candidate.items[i] : NULL;
    const ee_query_node *place = i < expected.count ? &expected.items[i] : &candidate.items[i];
    walk->node = place->place != NULL ? place : NULL;
    ee_work(VALUE_WORK);
    judge_value(walk, left != NULL ? left->value : NULL, right != NULL ? right->value : NULL, NULL);
  }
  walk->node = NULL;
  if (walk->places == 0) judge_value(walk, NULL, NULL, NULL);
}

/* Fields of a case, for its reasoning. */
typedef struct field_counts {
  size_t judged;   /* those that `when` does not exclude */
  size_t compared; /* with a value on either side that could be read */
  size_t matched;  /* of these: with matching values only, as in the hits */
  size_t empty;    /* on both sides, at every place: they match, but are no hits */
} field_counts;

/* The object in which the last step of `path` should be, or an array on the way to it where an object should be; NULL
 * if there is neither. */
static const ee_value *around(const ee_path *path, const ee_value *document, ee_arena *arena) {
  if (path->count == 0 || path->steps[path->count - 1].kind == EE_STEP_INDEX) return NULL;
  for (size_t i = path->count; i-- > 0;) {
    const ee_value *found = ee_path_get_steps(path, 0, i, document, arena);
    if (found == NULL) continue;
    if (ee_type_of(found) == EE_OBJECT) return i + 1 == path->count ? found : NULL;
    return ee_type_of(found) == EE_ARRAY && path->steps[i].kind != EE_STEP_INDEX ? found : NULL;
  }
  return NULL;
}

/* What is known about a path that a document lacks; NULL: nothing. */
static const ee_absence *find_absence(const ee_field *field, ee_context *context, const ee_value *expected,
                                      const ee_value *candidate) {
  const ee_case *current = context->current;
  ee_absence absence = {.value = expected != NULL ? expected : candidate};
  if (expected == NULL) absence.around[EE_EXPECTED] = around(field->expected_path, current->expected, context->arena);
  if (candidate == NULL)
    absence.around[EE_CANDIDATE] = around(field->candidate_path, current->candidate, context->arena);
  if (absence.around[EE_EXPECTED] == NULL && absence.around[EE_CANDIDATE] == NULL) return NULL;
  ee_absence *kept = EE_NEW(context->arena, ee_absence);
  *kept = absence;
  return kept;
}

/* Where the field before was found in one document. */
typedef struct found_place {
  const ee_value *object; /* that has it, or would have it; NULL: none */
  const ee_value *member; /* NULL: the object has no such member */
} found_place;

/* The value at `path`, which is not a query and has no wildcards. `beside`: in the object of the place before.
 * Documents mostly have their members in the order of the rule file; those that were read as they are have no key
 * twice. */
static const ee_value *find_value(const ee_path *path, bool beside, const ee_value *document, found_place *place,
                                  ee_arena *arena) {
  if (path->other_count > 0 || path->query != NULL || path->count == 0) return ee_path_get(path, document, arena);
  const ee_step *last = &path->steps[path->count - 1];
  const ee_value *next = beside && place->member != NULL ? ee_value_next(place->member) : NULL;
  if (!beside) place->object = ee_path_get_steps(path, 0, path->count - 1, document, arena);
  if (last->kind != EE_STEP_KEY)
    place->member = ee_path_get_steps(path, path->count - 1, path->count, place->object, arena);
  else if (next != NULL && ee_value_is_plain(place->object) && ee_str_equal(ee_value_key(next), last->key))
    place->member = next;
  else
    place->member = ee_value_member(place->object, last->key, arena);
  return place->member;
}

/* Whether the field's values match because they are equal, and there is nothing more to say about them: so it is with
 * most values. False: not known. */
static bool match_at_once(const field_walk *walk, const ee_value *expected, const ee_value *candidate) {
  const ee_field *field = walk->field;
  const ee_strategy *strategy = field->strategy;
  if (expected == NULL || candidate == NULL || field->several != EE_SEVERAL_NONE || !strategy->type->equal_matches ||
      walk->condition->failed || walk->confidences != NULL || field->confidence != NULL ||
      ee_context_keeps_outcomes(walk->context))
    return false;
  return !ee_field_value_is_empty(expected, &strategy->empty) &&
         !ee_field_value_is_empty(candidate, &strategy->empty) &&
         ee_strategy_same(strategy, walk->context, expected, candidate);
}

/* As judge_value() does for such values. */
static void count_match(field_walk *walk) {
  walk->places++;
  walk->score_sum++;
  walk->scored++;
  walk->compared++;
  walk->matched++;
  walk->found++;
  ee_counts_add_class(&walk->counts, EE_CLASS_TP);
}

/* Judges one field, unless its `when` excludes it from the case. `before` is where the field before was found, by
 * ee_document_side. */
static void judge_field(const fields_judge *fields, size_t number, ee_context *context, ee_findings *findings,
                        ee_confidences *confidences, found_place before[2], ee_attribute_result *attribute,
                        ee_script_part *part, field_counts *counts) {
  const ee_field *field = &fields->list.fields[number];
  bool beside = fields->beside[number] && before[EE_EXPECTED].object != NULL && before[EE_CANDIDATE].object != NULL;
  ee_condition condition = ee_field_condition(field, context);
  if (!condition.judged) {
    before[EE_EXPECTED] = before[EE_CANDIDATE] = (found_place){0};
    return;
  }
  field_walk walk = {.fields = fields,
                     .field = field,
                     .slot = (int32_t)number,
                     .condition = &condition,
                     .context = context,
                     .findings = findings,
                     .confidences = confidences};
  const ee_case *current = context->current;
  const ee_value *root = ee_confidence_root(field->confidence, current);
  walk_place confidence = {.path = root != NULL ? field->confidence->path : NULL, .value = root};
  *attribute = (ee_attribute_result){.there = {true, true}};
  if (field->pairs_nodes) {
    judge_nodes(&walk, attribute);
  } else if (field->expected_path->wildcards == 0) {
    const ee_value *expected =
        find_value(field->expected_path, beside, current->expected, &before[EE_EXPECTED], context->arena);
    const ee_value *candidate =
        find_value(field->candidate_path, beside, current->candidate, &before[EE_CANDIDATE], context->arena);
    if (match_at_once(&walk, expected, candidate))
      count_match(&walk);
    else
      judge_value(&walk, expected, candidate, walk_on(confidence, context->arena).value);
    attribute->there[EE_EXPECTED] = expected != NULL;
    attribute->there[EE_CANDIDATE] = candidate != NULL;
    if (expected == NULL || candidate == NULL) attribute->absence = find_absence(field, context, expected, candidate);
  } else {
    walk.rows = ee_arena_alloc(context->arena, field->expected_path->wildcards * sizeof *walk.rows);
    walk_paths(&walk, (walk_place){field->expected_path, 0, current->expected},
               (walk_place){field->candidate_path, 0, current->candidate}, confidence);
    /* Without any place, as of two empty arrays, the field is empty on both sides. */
    if (walk.places == 0) judge_value(&walk, NULL, NULL, NULL);
  }
  bool all_matched = walk.matched == walk.compared;
  bool all_empty = all_matched && walk.found == 0; /* also two empty arrays at a wildcard */
  counts->judged++;
  counts->empty += all_empty && walk.compared > 0;
  counts->compared += !all_empty;
  counts->matched += all_matched && !all_empty;
  if (all_matched && !all_empty && !context->counts_only) {
    ee_finding hit = {.path = field->expected_path->text, .row = EE_NO_ROW};
    ee_findings_hit(findings, &hit);
  }
  *part =
      (ee_script_part){.name = field->name, .scored = walk.scored > 0, .weight = field->weight, .counts = walk.counts};
  if (walk.scored > 0) part->score = walk.score_sum / (double)walk.scored;
  attribute->name = field->name;
  attribute->slot = (int32_t)number;
  attribute->counts = walk.counts;
}

/* "2/3 fields matched, 1 empty on both sides". */
static ee_str reasoning(const field_counts *counts, ee_arena *arena) {
  const char *format = counts->empty > 0 ? "#/# fields matched, # empty on both sides" : "#/# fields matched";
  return ee_findings_text(arena, format, (uint64_t[]){counts->matched, counts->compared, counts->empty});
}

static void fields_judge_case(const ee_judge *judge, ee_context *context, ee_judge_result *result) {
  const fields_judge *fields = judge->data;
  size_t count = fields->list.count;
  ee_arena *arena = context->arena;
  ee_script_part *parts = ee_arena_alloc(arena, count * sizeof *parts);
  ee_attribute_result *attributes = ee_arena_alloc(arena, count * sizeof *attributes);
  ee_findings findings;
  ee_findings_start(&findings, arena, context->counts_only ? 0 : count);
  bool no_candidate = context->current->candidate_state != EE_CANDIDATE_READ;
  if (no_candidate) ee_findings_no_candidate(&findings, context->current->candidate_state);
  field_counts counts = {0};
  ee_confidences *confidences = ee_confidences_start(fields->list.confidence, arena);
  found_place before[2] = {{0}, {0}};
  for (size_t i = 0; i < count; i++) {
    size_t at = counts.judged;
    judge_field(fields, i, context, &findings, confidences, before, &attributes[at], &parts[at], &counts);
  }
  if (!no_candidate) {
    ee_aggregate_result total = ee_aggregate_parts(&fields->aggregate, context, parts, counts.judged);
    result->score = total.score;
    result->vacuous = total.vacuous;
    if (ee_context_keeps_outcomes(context))
      result->formula = ee_aggregate_formula(&fields->aggregate, &total, parts, counts.judged, arena);
    if (total.failed) {
      ee_findings_fail(&findings, EE_FAULT_RULES, EE_STR("aggregate"),
                       (ee_reason){.kind = EE_REASON_TEXT, .text = total.error});
    }
  }
  ee_confidences_finish(confidences, fields->list.confidence, context->current, no_candidate, arena);
  result->confidences = confidences;
  ee_findings_finish(&findings, result);
  result->attributes = attributes;
  result->attribute_count = counts.judged;
  if (!context->counts_only)
    result->reasoning = no_candidate ? EE_STR("no candidate document") : reasoning(&counts, arena);
}

static void fields_show_values(const ee_judge *judge, ee_document_side document, const ee_value *root,
                               struct ee_decimal_votes *votes, ee_arena *arena) {
  const fields_judge *fields = judge->data;
  for (size_t i = 0; i < fields->list.count; i++) {
    ee_field_show(&fields->list.fields[i], document, root, votes, arena);
  }
}

/* A field that is not required scores 0 with a wrong value and nothing without one: says what leaving it out pays. */
static void print_omissions(const fields_judge *fields, ee_buffer *out) {
  ee_aggregate_kind kind = fields->aggregate.kind;
  if (kind != EE_AGGREGATE_WEIGHTED_AVERAGE && kind != EE_AGGREGATE_ALL_OR_NOTHING) return;
  double weights = 0;
  for (size_t i = 0; i < fields->list.count; i++) weights += fields->list.fields[i].weight;
  for (size_t i = 0; i < fields->list.count; i++) {
    const ee_field *field = &fields->list.fields[i];
    /* Without another field that is scored, leaving the value out scores 0 too. */
    if (field->required || !(field->weight > 0) || !(weights > field->weight)) continue;
    double before = kind == EE_AGGREGATE_ALL_OR_NOTHING ? 0 : (weights - field->weight) / weights;
    char number[32];
    size_t length = ee_double_format_short(before, 3, number);
    ee_add_shown(out, "  omitting a wrong '", field->name, "'");
    ee_buffer_addf(out, " raises the score from %.*s to 1, all else right (not with required = true)\n", (int)length,
                   number);
  }
}

static void fields_print(const ee_judge *judge, ee_buffer *out) {
  const fields_judge *fields = judge->data;
  ee_buffer_addf(out, "  aggregate %s", ee_aggregate_name(&fields->aggregate));
  if (fields->aggregate.kind == EE_AGGREGATE_FUNCTION) ee_buffer_add_text(out, "  (calls Lua)");
  if (fields->rules.tn == EE_TN_SKIP) ee_buffer_add_text(out, ", tn skip");
  if (fields->rules.unexpected == EE_UNEXPECTED_SKIP) ee_buffer_add_text(out, ", on_unexpected skip");
  if (fields->rules.unexpected == EE_UNEXPECTED_PASS) ee_buffer_add_text(out, ", on_unexpected pass");
  ee_buffer_add_char(out, '\n');
  ee_confidence_print(fields->list.confidence, out);
  ee_field_list_print(&fields->list, out);
  print_omissions(fields, out);
}

const ee_judge_type ee_fields_judge = {
    .name = "fields",
    .help = "Values at declared paths: a score and confusion counts in one pass.",
    .positional = "[integer] ee.node.field|ee.node.field[]",
    .options = fields_options,
    .compile = fields_compile,
    .lists_values = true,
    .judge_case = fields_judge_case,
    .show_values = fields_show_values,
    .print = fields_print,
};
