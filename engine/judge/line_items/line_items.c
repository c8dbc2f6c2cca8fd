/* line_items.c: ee.line_items, one case: the lists are paired, then compared field by field and list by list. */
#include "judge/line_items/line_items.h"

#include "base/work.h"
#include "data/json/path.h"
#include "judge/confidence.h"
#include "judge/details.h"
#include "judge/error_kind.h"
#include "judge/pairing/item_keys.h"

/* Totals that differ by less than the rounding of similarities are equal. */
#define SAME_TOTAL 1e-9

static const ee_field_rules plain_rules = {EE_TN_SCORE, EE_UNEXPECTED_FAIL};

/* Counts ---------------------------------------------------------------------------------------- */

/* Evaluates `when` of every score field of `items` and its inner lists, depth first, into `*next`, and advances it. */
static void evaluate_conditions(const ee_line_items *items, ee_context *context, ee_condition **next) {
  for (size_t i = 0; i < items->list.count; i++) *(*next)++ = ee_field_condition(&items->list.fields[i], context);
  for (size_t i = 0; i < items->nested_count; i++) evaluate_conditions(&items->nested[i], context, next);
}

/* Initializes a scorer with all counts 0. `findings` may be NULL. `first` (may be NULL) is a scorer that has scored the
 * same case: its conditions and the names of its attributes are reused, so no function is called a second time. */
static void start_scorer(ee_item_scorer *scorer, const ee_judge *judge, ee_context *context, ee_findings *findings,
                         const ee_item_scorer *first) {
  ee_arena *arena = context->arena;
  *scorer = (ee_item_scorer){.context = context, .arena = arena, .judge = judge, .findings = findings};
  size_t count = first != NULL ? first->parts.count : judge->attribute_count;
  EE_LIST_RESERVE(&scorer->parts, arena, count);
  for (size_t i = 0; i < count; i++) {
    ee_str name = first != NULL ? first->parts.items[i].name : judge->attributes[i].name;
    double weight = i < judge->attribute_count ? ((const ee_line_items *)judge->data)->weights[i] : 1;
    *EE_LIST_ADD(&scorer->parts, arena) = (ee_script_part){.name = name, .weight = weight};
  }
  if (first != NULL) {
    ee_item_columns_copy(&scorer->names, &first->names, arena);
    scorer->conditions = first->conditions;
    return;
  }
  ee_item_columns_start(&scorer->names, arena);
  ee_condition *conditions = ee_arena_alloc(arena, count * sizeof *conditions), *next = conditions;
  evaluate_conditions(judge->data, context, &next);
  scorer->conditions = conditions;
}

/* The index in `parts` of the counts for `key`, a key of the data, in the inner list named `list` (empty: the outermost
 * list). Added if it is new. */
static uint32_t part_of_key(ee_item_scorer *scorer, ee_str list, ee_str key) {
  ee_str name = key;
  if (list.length > 0) {
    const char *text = ee_arena_printf(scorer->arena, "%.*s.%.*s", EE_STR_ARG(list), EE_STR_ARG(key));
    name = ee_str_from(text);
  }
  size_t part = scorer->judge->attribute_count + ee_item_columns_add_key(&scorer->names, name);
  if (part < scorer->parts.count) return (uint32_t)part;
  *EE_LIST_ADD(&scorer->parts, scorer->arena) = (ee_script_part){.name = name, .weight = 1};
  return (uint32_t)part;
}

static void count(ee_item_scorer *scorer, const ee_item_field *field, ee_class value_class) {
  ee_counts_add_class(&scorer->parts.items[field->part].counts, value_class);
}

/* The slot of a part's attribute. */
static int32_t slot_of(const ee_item_scorer *scorer, size_t part) {
  return part < scorer->judge->attribute_count ? (int32_t)part : -1;
}

/* Counts an outcome that is not a match. */
static void count_miss(ee_item_scorer *scorer, const ee_item_field *field, const ee_field_outcome *outcome,
                       const ee_finding *place, const ee_value *expected, const ee_value *candidate) {
  ee_script_part *part = &scorer->parts.items[field->part];
  ee_field_count(field->field, scorer->context, outcome, part->name, slot_of(scorer, field->part), place, expected,
                 candidate, &part->counts);
}

/* Adds how sure the candidate is of a value that was judged; `item` is the candidate's, NULL if the candidate lacks it.
 */
static void add_confidence(ee_item_lists *lists, const ee_item_field *item_field, ee_class value_class,
                           const ee_value *item) {
  ee_item_scorer *scorer = lists->scorer;
  if (scorer->confidences == NULL) return;
  const ee_field *field = item_field->field;
  const ee_value *found =
      field->confidence != NULL && item != NULL ? ee_path_get(field->confidence->path, item, scorer->arena) : NULL;
  ee_confidences_add(scorer->confidences, field->confidence, scorer->parts.items[item_field->part].name, value_class,
                     field->required, found, scorer->arena);
}

/* Findings -------------------------------------------------------------------------------------- */

/* The path of the list in findings, such as "orders[2].lines" for an inner list. */
static ee_str path_of(ee_item_lists *lists) {
  if (lists->path.data != NULL) return lists->path;
  ee_str own = ee_list_path_text(lists->items->paths.expected);
  lists->path = own;
  if (lists->outer == NULL) return own;
  ee_str outer = path_of((ee_item_lists *)lists->outer);
  const char *dot = own.length > 0 && own.data[0] == '[' ? "" : ".";
  lists->path = ee_str_from(ee_arena_printf(lists->scorer->arena, "%.*s[%u]%s%.*s", EE_STR_ARG(outer),
                                            lists->outer_index, dot, EE_STR_ARG(own)));
  return lists->path;
}

/* The judge cannot score this case, and `reason` is noted. */
static void fail(ee_item_lists *lists, ee_fault fault, ee_reason reason) {
  lists->scorer->failed = true;
  if (lists->scorer->findings != NULL) ee_findings_fail(lists->scorer->findings, fault, path_of(lists), reason);
}

/* Lists ----------------------------------------------------------------------------------------- */

/* The values at the path of an array in both documents. */
typedef struct found_lists {
  const ee_value *expected, *candidate; /* arrays; NULL: none, which counts as an empty one */
  bool bad_expected;                    /* another value is there */
  const ee_value *bad_candidate;        /* the other value; else NULL */
} found_lists;

/* An array with a copy of `object` as its only element. */
static const ee_value *list_of_one(const ee_value *object, ee_arena *arena) {
  ee_value *list = ee_value_new(arena, EE_ARRAY), *copy = EE_NEW(arena, ee_value);
  *copy = *object; // NOLINT(clang-analyzer-core.NullDereference): callers have seen that it is an object
  copy->json.next = copy->json.prev = NULL;
  ee_value_append(list, copy);
  return list;
}

/* A single item is often written as an object instead of an array: where no side has an array, each object is an array
 * of one. */
static found_lists find_lists(const ee_line_items *items, const ee_value *expected, const ee_value *candidate,
                              ee_context *context) {
  const ee_empty_rule *empty = &context->plan->empty;
  expected = ee_list_path_get(items->paths.expected, expected, context->arena);
  candidate = ee_list_path_get(items->paths.candidate, candidate, context->arena);
  if (ee_value_is_no_list(expected, empty)) expected = NULL;
  if (ee_value_is_no_list(candidate, empty)) candidate = NULL;
  if (ee_type_of(expected) == EE_OBJECT && (candidate == NULL || ee_type_of(candidate) == EE_OBJECT)) {
    expected = list_of_one(expected, context->arena);
    if (candidate != NULL) candidate = list_of_one(candidate, context->arena);
  }
  found_lists found = {.bad_expected = expected != NULL && ee_type_of(expected) != EE_ARRAY};
  /* Without an expected array the candidate's items are extra, and the case is in no mean. */
  if (!found.bad_expected) found.expected = expected;
  if (candidate != NULL && ee_type_of(candidate) != EE_ARRAY)
    found.bad_candidate = candidate;
  else
    found.candidate = candidate;
  return found;
}

/* Reports values that are not arrays. Such a candidate counts as one spurious item, and as unread under the path of the
 * array. */
static void report_bad_lists(ee_item_lists *lists, const found_lists *found) {
  ee_item_scorer *scorer = lists->scorer;
  if (found->bad_expected) {
    fail(lists, EE_FAULT_DATA, EE_REASON_OF("expected value is not an array"));
  } else if (found->bad_candidate != NULL) {
    scorer->alone++;
    lists->extra++;
    ee_str path = ee_list_path_text(lists->items->paths.candidate);
    uint32_t part = part_of_key(scorer, EE_STR(""), lists->outer == NULL ? path : lists->items->name);
    scorer->parts.items[part].counts.unread_candidates++;
    if (lists->outer != NULL) path = path_of(lists);
    ee_unread unread = {.strategy = &ee_set_strategy,
                        .strategy_name = ee_set_strategy.name,
                        .document = EE_CANDIDATE,
                        .attribute = scorer->parts.items[part].name,
                        .slot = slot_of(scorer, part),
                        .place = {.path = path, .row = EE_NO_ROW},
                        .value = found->bad_candidate};
    *EE_LIST_ADD(&scorer->context->unread, scorer->context->arena) = unread;
    if (scorer->findings != NULL && scorer->quiet == 0)
      ee_findings_note(scorer->findings, path, EE_REASON_OF("candidate is not an array"));
  }
}

/* Makes comparisons of whole items ignore the order of their inner lists: drops the forms of the items that were made
 * before, and they are made again on demand. */
static void order_inner_lists(ee_item_table *table, const ee_line_items *items) {
  if (items->inner_count == 0) return;
  table->inner = items->inner;
  table->inner_count = items->inner_count;
  for (uint32_t i = 0; i < table->rows; i++) table->filled[i] = NULL;
}

/* Sets up the comparison of two arrays; NULL stands for an empty one. */
static void start_lists(ee_item_lists *lists, const ee_line_items *items, ee_item_scorer *scorer,
                        const ee_value *expected, const ee_value *candidate) {
  const ee_empty_rule *empty = &scorer->context->plan->empty;
  *lists = (ee_item_lists){.items = items, .scorer = scorer};
  bool keep_empty = items->match.method == EE_MATCH_INDEX;
  ee_item_table_start(&lists->expected, expected, empty, keep_empty, scorer->arena);
  ee_item_table_start(&lists->candidate, candidate, empty, keep_empty, scorer->arena);
  order_inner_lists(&lists->expected, items);
  order_inner_lists(&lists->candidate, items);
}

/* Pairing --------------------------------------------------------------------------------------- */

/* Makes every key of the items a score field. False when there are too many. */
static bool fields_from_data(ee_item_lists *lists, ee_item_keys *keys) {
  const ee_line_items *items = lists->items;
  ee_item_keys_find(keys, &lists->aligner, &items->columns, &items->list, items->automatic);
  if (keys->too_many) return false;
  ee_item_scorer *scorer = lists->scorer;
  ee_item_field *fields = ee_arena_alloc(scorer->arena, keys->count * sizeof *fields);
  ee_condition *conditions = ee_arena_alloc(scorer->arena, keys->count * sizeof *conditions);
  for (size_t i = 0; i < keys->count; i++) {
    fields[i] = keys->fields[i];
    fields[i].part = part_of_key(scorer, items->name, keys->fields[i].field->name);
    conditions[i] = (ee_condition){.judged = true};
  }
  lists->fields = fields;
  lists->conditions = conditions;
  lists->field_count = keys->count;
  if (!items->match_score_fields) return true;
  lists->match.fields = keys->match;
  lists->match.field_count = keys->count;
  return true;
}

/* With match = "fields" the score fields are the match fields too: removes those that are not judged in this case. */
static void leave_out_unjudged(ee_item_lists *lists) {
  ee_match_field *match = ee_arena_alloc(lists->scorer->arena, lists->match.field_count * sizeof *match);
  size_t kept = 0;
  for (size_t i = 0; i < lists->field_count; i++) {
    if (lists->conditions[i].judged) match[kept++] = lists->match.fields[i];
  }
  lists->match.fields = match;
  lists->match.field_count = kept;
}

/* Takes the values of a candidate item out of the objects that hold their confidences. */
static void unwrap_row(ee_item_lists *lists, uint32_t row) {
  const ee_field_confidence *wrapped = NULL;
  const ee_field_list *list = &lists->items->list;
  for (size_t i = 0; i < list->count && list->confidence != NULL; i++)
    if (list->fields[i].confidence != NULL && list->fields[i].confidence->wrapped) wrapped = list->fields[i].confidence;
  if (wrapped == NULL) return;
  ee_item_table *table = &lists->candidate;
  for (uint32_t k = 0; k < table->columns; k++) {
    const ee_value **cell = &table->cells[(size_t)row * table->columns + k];
    *cell = ee_confidence_unwrap(wrapped, *cell, lists->scorer->arena);
  }
}

/* Reads the values of all columns. Without `all`, candidate items that have a partner are skipped. */
static void read_values(ee_item_lists *lists, const ee_item_columns *columns, bool all) {
  ee_arena *arena = lists->scorer->arena;
  ee_item_table_set_columns(&lists->expected, columns, arena);
  ee_item_table_set_columns(&lists->candidate, columns, arena);
  ee_item_guess guess;
  guess.count = 0;
  for (uint32_t i = 0; i < lists->expected.rows; i++) {
    ee_item_table_fetch(&lists->expected, columns, &guess, i, arena);
  }
  for (uint32_t i = 0; i < lists->candidate.rows; i++) {
    /* Only equal items are paired at this point, and the values of the expected item have been read. */
    if (!all && lists->aligner.expected_of[i] != EE_UNPAIRED) continue;
    ee_item_table_fetch(&lists->candidate, columns, &guess, i, arena);
    unwrap_row(lists, i);
  }
}

/* Sets what is compared: the declared fields or the keys of the data. False when there are too many keys. */
static bool set_fields(ee_item_lists *lists, ee_item_columns *columns) {
  const ee_line_items *items = lists->items;
  lists->match = items->match;
  *columns = items->columns;
  if (items->automatic == NULL) {
    lists->fields = items->fields;
    lists->conditions = lists->scorer->conditions + items->first_condition;
    lists->field_count = items->list.count;
  } else {
    ee_item_keys keys;
    if (!fields_from_data(lists, &keys)) return false;
    *columns = keys.columns;
  }
  if (items->match_score_fields) leave_out_unjudged(lists);
  return true;
}

/* Pairs by greedy and by optimal: lists->aligner gets the pairs of the rule's method, `other` those of the other one.
 * Pairs of equal items, if any, go to the greedy aligner only. */
static void align_both(ee_item_lists *lists, ee_aligner *other) {
  ee_aligner *own = &lists->aligner;
  if (own->rule->method == EE_MATCH_OPTIMAL) {
    *other = *own;
    ee_align_start_beside(own, other);
    lists->compared = ee_align_both(other, own);
  } else {
    ee_align_start_beside(other, own);
    lists->compared = ee_align_both(own, other);
  }
}

static bool is_any_filled(const ee_item_table *table, uint32_t row, uint32_t column, const ee_empty_rule *empty) {
  return !ee_value_is_empty(ee_item_cell(table, row, column), empty);
}

/* True if an item of the table has a value by which the rule pairs. */
static bool has_match_value(const ee_item_lists *lists, const ee_item_table *table, ee_document_side side) {
  const ee_match_rule *match = &lists->match;
  const ee_empty_rule *empty = &lists->scorer->context->plan->empty;
  bool by_key = match->method == EE_MATCH_KEY;
  for (size_t k = 0; k < (by_key ? 1 : match->field_count); k++) {
    const ee_match_field *field = by_key ? NULL : &match->fields[k];
    uint32_t column = by_key                ? match->key_column
                      : side == EE_EXPECTED ? field->expected_column
                                            : field->candidate_column;
    for (uint32_t row = 0; row < table->rows; row++)
      if (is_any_filled(table, row, column, by_key ? empty : &field->empty)) return true;
  }
  return false;
}

/* The sides, as bits, whose items can be paired by what the rule says. Equal items are paired already. */
static unsigned find_match_sides(const ee_item_lists *lists) {
  const unsigned both = 1u << EE_EXPECTED | 1u << EE_CANDIDATE;
  if (lists->items->match_names == NULL || ee_align_is_complete(&lists->aligner)) return both;
  return (unsigned)has_match_value(lists, &lists->expected, EE_EXPECTED) << EE_EXPECTED |
         (unsigned)has_match_value(lists, &lists->candidate, EE_CANDIDATE) << EE_CANDIDATE;
}

/* Where no item has a field by which the rule pairs, nothing but equal items would be paired: the score fields decide
 * instead, as with match = "fields". */
static void pair_by_score_fields(ee_item_lists *lists) {
  ee_match_field *match = ee_arena_alloc(lists->scorer->arena, lists->field_count * sizeof *match);
  size_t count = 0;
  for (size_t i = 0; i < lists->field_count; i++) {
    const ee_item_field *field = &lists->fields[i];
    if (!lists->conditions[i].judged) continue;
    match[count++] = (ee_match_field){.field = field->field,
                                      .empty = field->field->strategy->empty,
                                      .weight = field->field->weight,
                                      .expected_column = field->expected_column,
                                      .candidate_column = field->candidate_column};
  }
  if (count == 0) return;
  if (lists->match.method == EE_MATCH_KEY) lists->match.method = EE_MATCH_GREEDY;
  lists->match.fields = match;
  lists->match.field_count = count;
  if (lists->scorer->unpairable == NULL) lists->scorer->unpairable = lists->items->match_names;
}

/* Whether the arrays can be paired by the match fields of the rule. */
static void choose_match(ee_item_lists *lists) {
  if (lists->expected.rows == 0 || lists->candidate.rows == 0) return;
  unsigned sides = find_match_sides(lists);
  lists->scorer->match_sides |= sides;
  if (sides != 0)
    lists->scorer->paired = true;
  else
    pair_by_score_fields(lists);
}

static void fail_too_many(ee_item_lists *lists) {
  const char *text =
      ee_arena_printf(lists->scorer->arena, "too many similar items: more than %zu pairs", lists->match.pair_limit);
  fail(lists, EE_FAULT_RULES, (ee_reason){.kind = EE_REASON_TEXT, .text = ee_str_from(text)});
}

/* Pairs what is left over on both sides, the most similar items first, whatever the threshold is. */
static void pair_below(ee_item_lists *lists) {
  ee_aligner *aligner = &lists->aligner;
  uint32_t rows = lists->expected.rows;
  bool left[2] = {false, false};
  for (uint32_t row = 0; row < rows; row++) left[0] |= aligner->candidate_of[row] == EE_UNPAIRED;
  for (uint32_t row = 0; row < lists->candidate.rows; row++) left[1] |= aligner->expected_of[row] == EE_UNPAIRED;
  if (!left[0] || !left[1] || aligner->too_many) return;
  lists->is_below = EE_NEW_ARRAY(lists->scorer->arena, bool, rows);
  for (uint32_t row = 0; row < rows; row++) lists->is_below[row] = aligner->candidate_of[row] == EE_UNPAIRED;
  ee_match_rule any = lists->match;
  any.threshold = 0;
  any.method = EE_MATCH_GREEDY;
  aligner->rule = &any;
  ee_align(aligner);
  aligner->rule = &lists->match;
}

/* Pairs the items and reads the values to be compared. With `other` (may be NULL) and compare_methods the items are
 * also paired by the other one of greedy and optimal, into `other`; lists->compared says whether both were done. False
 * if the pairing depends on pending requests: the pairs have no meaning then. */
static bool align_lists(ee_item_lists *lists, ee_aligner *other) {
  ee_context *context = lists->scorer->context;
  ee_aligner *aligner = &lists->aligner;
  bool both = other != NULL && lists->items->compare_methods;
  bool is_optimal = lists->items->match.method == EE_MATCH_OPTIMAL;
  ee_align_start(aligner, context, &lists->expected, &lists->candidate);
  if (lists->items->equal_first) ee_align_equal(aligner);
  ee_item_columns columns;
  if (!set_fields(lists, &columns)) {
    fail(lists, EE_FAULT_RULES, EE_REASON_OF(EE_ITEM_KEYS_TOO_MANY));
    return true;
  }
  read_values(lists, &columns, (both || is_optimal) && !ee_align_is_complete(aligner));
  choose_match(lists);
  aligner->rule = &lists->match;
  aligner->fields = lists->fields;
  aligner->conditions = lists->conditions;
  aligner->field_count = lists->field_count;
  uint64_t pending_before = context->pending_answers;
  if (both) {
    align_both(lists, other);
  } else {
    ee_align(aligner);
    if (lists->items->pairs_below) pair_below(lists);
  }
  if (context->pending_answers > pending_before) return false;
  if (aligner->too_many) fail_too_many(lists);
  if (aligner->fell_back) context->fallbacks++;
  return true;
}

/* Scoring --------------------------------------------------------------------------------------- */

static ee_finding finding_at(ee_item_lists *lists, uint32_t index) {
  return (ee_finding){.path = path_of(lists), .row = index};
}

static bool lists_findings(const ee_item_lists *lists) {
  return lists->scorer->findings != NULL && lists->scorer->quiet == 0;
}

/* Adds how a value of a pair, or of an item without a partner (`row` or `column` is EE_UNPAIRED), was judged; in full
 * detail. */
static void keep_outcome(ee_item_lists *lists, const ee_item_field *item, const ee_field_outcome *outcome, uint32_t row,
                         uint32_t column, const ee_value *expected, const ee_value *candidate) {
  ee_item_scorer *scorer = lists->scorer;
  if (!ee_context_keeps_outcomes(scorer->context) || scorer->findings == NULL) return;
  uint32_t expected_index = row == EE_UNPAIRED ? EE_NO_ROW : lists->expected.indices[row];
  uint32_t candidate_index = column == EE_UNPAIRED ? EE_NO_ROW : lists->candidate.indices[column];
  ee_finding place = finding_at(lists, row == EE_UNPAIRED ? candidate_index : expected_index);
  place.field = item->field->expected_path->text;
  place.reason = outcome->comparison.reason;
  ee_field_keep_outcome(item->field, scorer->context, outcome, scorer->parts.items[item->part].name, &place, expected,
                        candidate, expected_index, candidate_index);
}

/* Equal items were not compared, and the values of the candidate not read. */
static void keep_equal(ee_item_lists *lists, const ee_item_field *item, ee_class value_class, uint32_t row,
                       uint32_t column, const ee_value *expected) {
  if (!ee_context_keeps_outcomes(lists->scorer->context)) return;
  ee_field_outcome outcome = {.value_class = value_class, .score = 1, .scored = true, .comparison = {.matched = true}};
  keep_outcome(lists, item, &outcome, row, column, expected,
               ee_path_get(item->field->candidate_path, lists->candidate.items[column], lists->scorer->arena));
}

/* Adds a value to the mean of its pair. A key of the data that both items lack is left out. */
static void add_to_mean(ee_item_lists *lists, const ee_item_field *item, ee_class value_class, double score) {
  if (value_class == EE_CLASS_TN && lists->items->automatic != NULL) return;
  ee_item_mean_add(&lists->mean, item->field->weight, score);
}

/* Judges one field of a pair. True when it matched. */
static bool score_field(ee_item_lists *lists, size_t k, uint32_t row, uint32_t column) {
  const ee_item_field *item = &lists->fields[k];
  const ee_condition *condition = &lists->conditions[k];
  const ee_value *expected = ee_item_cell(&lists->expected, row, item->expected_column);
  const ee_value *candidate = expected;
  if (!lists->aligner.equal[row]) {
    candidate = ee_item_cell(&lists->candidate, column, item->candidate_column);
  } else if (!condition->failed) {
    bool empty = ee_field_value_is_empty(expected, &item->field->strategy->empty);
    ee_class value_class = empty ? EE_CLASS_TN : EE_CLASS_TP;
    count(lists->scorer, item, value_class);
    add_to_mean(lists, item, value_class, 1);
    add_confidence(lists, item, value_class, lists->candidate.items[column]);
    keep_equal(lists, item, value_class, row, column, expected);
    return true;
  }
  ee_script_place place = ee_field_place(item->field, lists->expected.items[row], lists->candidate.items[column]);
  ee_field_outcome outcome;
  ee_field_judge_when(item->field, condition, plain_rules, lists->scorer->context, expected, candidate, &place,
                      &outcome);
  keep_outcome(lists, item, &outcome, row, column, expected, candidate);
  if (outcome.scored) add_to_mean(lists, item, outcome.value_class, outcome.score);
  add_confidence(lists, item, outcome.value_class, lists->candidate.items[column]);
  if (ee_outcome_matched(&outcome)) {
    count(lists->scorer, item, outcome.value_class);
    return true;
  }
  ee_finding finding = finding_at(lists, lists->expected.indices[row]);
  finding.field = item->field->expected_path->text;
  finding.reason = outcome.comparison.reason;
  count_miss(lists->scorer, item, &outcome, &finding, expected, candidate);
  if (!lists_findings(lists)) return false;
  ee_mismatch *mismatch =
      ee_findings_miss(lists->scorer->findings, &finding, outcome.value_class, expected, candidate, outcome.score);
  mismatch->attribute = lists->scorer->parts.items[item->part].name;
  mismatch->slot = slot_of(lists->scorer, item->part);
  mismatch->unread_candidate = outcome.comparison.unread[EE_CANDIDATE];
  return false;
}

static bool score_lists(ee_item_lists *lists);

/* Judges the inner lists of a pair of items, or of a single item (the other is NULL), which has `index` in its list.
 * True when nothing in them is wrong. */
static bool score_inside(ee_item_lists *outer, uint32_t index, const ee_value *expected, const ee_value *candidate) {
  ee_item_scorer *scorer = outer->scorer;
  bool good = true;
  for (size_t i = 0; i < outer->items->nested_count; i++) {
    const ee_line_items *items = &outer->items->nested[i];
    found_lists found = find_lists(items, expected, candidate, scorer->context);
    ee_item_lists *lists = EE_NEW(scorer->arena, ee_item_lists);
    start_lists(lists, items, scorer, found.expected, found.candidate);
    lists->outer = outer;
    lists->outer_index = index;
    report_bad_lists(lists, &found);
    /* The case is judged again when its pending requests have replies. */
    if (!align_lists(lists, NULL)) return false;
    good = score_lists(lists) && !found.bad_expected && good;
    ee_item_mean_add(&outer->mean, items->weight, ee_item_mean_score(lists, scorer->judge->data).score);
  }
  return good;
}

/* Whether of equal items only counts are kept. */
static bool may_count_equal(const ee_item_lists *lists) {
  const ee_item_scorer *scorer = lists->scorer;
  if (scorer->confidences != NULL || ee_context_keeps_outcomes(scorer->context)) return false;
  for (size_t k = 0; k < lists->field_count; k++)
    if (lists->conditions[k].failed) return false;
  return true;
}

/* Counts the fields of equal items where nothing else is kept of them. Mostly all have a value. */
static void count_equal(ee_item_lists *lists, uint32_t row) {
  const ee_value *const *cells = lists->expected.cells + (size_t)row * lists->expected.columns;
  size_t k = 0;
  for (; k < lists->field_count; k++) {
    const ee_item_field *item = &lists->fields[k];
    if (ee_field_value_is_empty(cells[item->expected_column], &item->field->strategy->empty) &&
        lists->conditions[k].judged)
      break;
  }
  if (k == lists->field_count) {
    lists->full_pairs++;
    lists->mean.sum = lists->mean.weights = lists->weights;
    return;
  }
  for (k = 0; k < lists->field_count; k++) {
    const ee_item_field *item = &lists->fields[k];
    if (!lists->conditions[k].judged) continue;
    bool empty = ee_field_value_is_empty(cells[item->expected_column], &item->field->strategy->empty);
    ee_class value_class = empty ? EE_CLASS_TN : EE_CLASS_TP;
    count(lists->scorer, item, value_class);
    add_to_mean(lists, item, value_class, 1);
  }
}

/* Adds the pairs of equal items without an empty field to the counts of the fields. */
static void count_full_pairs(ee_item_lists *lists) {
  for (size_t k = 0; k < lists->field_count; k++)
    if (lists->conditions[k].judged) lists->scorer->parts.items[lists->fields[k].part].counts.tp += lists->full_pairs;
  lists->full_pairs = 0;
}

/* True when nothing in the pair is wrong. */
static bool score_pair(ee_item_lists *lists, uint32_t row, uint32_t column) {
  bool good = true;
  bool counted = lists->counts_equal && lists->aligner.equal[row];
  if (counted) count_equal(lists, row);
  for (size_t k = 0; k < lists->field_count && !counted; k++) {
    if (lists->conditions[k].judged && !score_field(lists, k, row, column)) good = false;
  }
  uint32_t index = lists->expected.indices[row];
  if (lists->items->nested_count > 0)
    good = score_inside(lists, index, lists->expected.items[row], lists->candidate.items[column]) && good;
  ee_item_mean_end_pair(&lists->mean, lists->scorer->judge->data, good);
  if (!good || lists->scorer->context->counts_only || !lists_findings(lists)) return good;
  ee_finding hit = finding_at(lists, index);
  ee_findings_hit(lists->scorer->findings, &hit);
  return true;
}

/* True when `field`, a match field, is a score field too: its values are counted as those of the score field. */
static bool is_scored(const ee_item_lists *lists, const ee_field *field) {
  for (size_t k = 0; k < lists->field_count; k++)
    if (lists->conditions[k].judged && ee_str_equal(lists->fields[k].field->name, field->name)) return true;
  return false;
}

/* "not a number", or more. In the case's arena. */
static const char *why_unread(const ee_strategy *strategy, const ee_value *value, ee_arena *arena) {
  const char *why = strategy->type->why_unread != NULL ? strategy->type->why_unread(strategy, value, arena) : NULL;
  return why != NULL ? why : ee_arena_printf(arena, "not %s", strategy->type->reads_one);
}

/* Why an item may have no partner: "PATH unreadable: REASON" of the first match field that could not be read; empty if
 * all could. All of them are counted, under the name of the match field where it is not a score field. */
static ee_str unreadable_text(ee_item_lists *lists, uint32_t row, ee_document_side document) {
  bool is_expected = document == EE_EXPECTED;
  const ee_item_table *table = is_expected ? &lists->expected : &lists->candidate;
  ee_item_scorer *scorer = lists->scorer;
  ee_str text = {0};
  if (table->columns == 0) return text; /* too many keys: nothing was read */
  for (size_t k = 0; k < lists->match.field_count; k++) {
    const ee_match_field *match = &lists->match.fields[k];
    if (match->field == NULL) continue;
    const ee_value *value = ee_item_cell(table, row, is_expected ? match->expected_column : match->candidate_column);
    const ee_strategy *strategy = match->field->strategy;
    if (ee_value_is_empty(value, &match->empty)) continue;
    if (is_expected)
      value = ee_field_unread(match->field, value, false, scorer->arena);
    else if (ee_strategy_reads(strategy, document, value, scorer->arena))
      continue;
    if (value == NULL) continue;
    ee_str path = (is_expected ? match->field->expected_path : match->field->candidate_path)->text;
    if (text.length == 0)
      text = ee_str_from(ee_arena_printf(scorer->arena, "%.*s unreadable: %s", EE_STR_ARG(path),
                                         why_unread(strategy, value, scorer->arena)));
    if (is_scored(lists, match->field)) continue;
    uint32_t part = part_of_key(scorer, lists->items->name, match->field->name);
    ee_finding place = finding_at(lists, table->indices[row]);
    place.field = path;
    place.reason = EE_REASON_OF("match field");
    ee_counts *counts = &scorer->parts.items[part].counts;
    counts->unread += is_expected;
    counts->unread_candidates += !is_expected;
    ee_str name = scorer->parts.items[part].name;
    ee_strategy_add_unread(strategy, scorer->context, document, name, -1, &place, value);
    /* A candidate's is in no class. */
    ee_field_outcome outcome = {.value_class = EE_CLASS_UNREAD, .comparison = {.reason = place.reason}};
    if (is_expected && scorer->findings != NULL)
      ee_field_keep_outcome(match->field, scorer->context, &outcome, name, &place, value, NULL, table->indices[row],
                            EE_NO_ROW);
  }
  return text;
}

/* Counts a field of an item without a partner. */
static void count_single(ee_item_lists *lists, const ee_item_field *field, uint32_t row, ee_document_side document,
                         const ee_value *value) {
  bool is_expected = document == EE_EXPECTED;
  lists->scorer->single_values++;
  ee_reason reason = {.kind = is_expected ? EE_REASON_MISSING_ITEM : EE_REASON_EXTRA_ITEM};
  ee_field_outcome outcome = {.value_class = is_expected ? EE_CLASS_MISSING : EE_CLASS_INVENTED,
                              .scored = true,
                              .comparison = {.reason = reason}};
  if (is_expected) outcome.answer = ee_field_unread(field->field, value, true, lists->scorer->arena);
  bool reads = is_expected ? outcome.answer == NULL
                           : ee_strategy_reads(field->field->strategy, document, value, lists->scorer->arena);
  if (!reads && is_expected) outcome.value_class = EE_CLASS_UNREAD;
  add_confidence(lists, field, outcome.value_class, is_expected ? NULL : lists->candidate.items[row]);
  keep_outcome(lists, field, &outcome, is_expected ? row : EE_UNPAIRED, is_expected ? EE_UNPAIRED : row,
               is_expected ? value : NULL, is_expected ? NULL : value);
  if (reads) {
    count(lists->scorer, field, outcome.value_class);
    return;
  }
  outcome.comparison.unread[document] = true;
  ee_finding place = finding_at(lists, (is_expected ? &lists->expected : &lists->candidate)->indices[row]);
  place.field = (is_expected ? field->field->expected_path : field->field->candidate_path)->text;
  count_miss(lists->scorer, field, &outcome, &place, value, value);
}

/* Scores an item without a partner: each non-empty field, also of its inner lists, is missing or invented. The item is
 * one miss. */
static void score_single(ee_item_lists *lists, uint32_t row, ee_document_side document) {
  bool is_expected = document == EE_EXPECTED;
  const ee_item_table *table = is_expected ? &lists->expected : &lists->candidate;
  ee_item_scorer *scorer = lists->scorer;
  const ee_value *item = table->items[row];
  uint32_t values_before = scorer->single_values;
  for (size_t k = 0; k < lists->field_count; k++) {
    const ee_item_field *field = &lists->fields[k];
    if (!lists->conditions[k].judged) continue;
    const ee_value *value = ee_item_cell(table, row, is_expected ? field->expected_column : field->candidate_column);
    bool empty = is_expected ? ee_field_expects_nothing(field->field, value, true)
                             : ee_value_is_empty(value, &field->field->strategy->empty);
    if (empty) continue;
    count_single(lists, field, row, document, value);
  }
  scorer->quiet++;
  score_inside(lists, table->indices[row], is_expected ? item : NULL, is_expected ? NULL : item);
  scorer->quiet--;
  lists->mean.sum = lists->mean.weights = 0;
  /* Empty items, which only method index keeps, are not counted. */
  if (ee_item_is_empty(table, row)) return;
  ee_str unreadable = unreadable_text(lists, row, document);
  scorer->alone++;
  lists->missing += is_expected;
  lists->extra += !is_expected;
  if (!lists_findings(lists)) return;
  ee_finding finding = finding_at(lists, table->indices[row]);
  finding.reason.kind = is_expected ? EE_REASON_MISSING_ITEM : EE_REASON_EXTRA_ITEM;
  finding.reason.text = unreadable;
  ee_mismatch *mismatch =
      ee_findings_miss(scorer->findings, &finding, is_expected ? EE_CLASS_MISSING : EE_CLASS_INVENTED,
                       is_expected ? item : NULL, is_expected ? NULL : item, 0);
  mismatch->is_row = true;
  mismatch->row_values = scorer->single_values - values_before;
}

/* Lists a pair below the threshold that has no values to compare. */
static void list_pair_below(ee_item_lists *lists, uint32_t row, uint32_t column, ee_reason reason) {
  ee_finding finding = finding_at(lists, lists->expected.indices[row]);
  finding.reason = reason;
  ee_mismatch *mismatch = ee_findings_miss(lists->scorer->findings, &finding, EE_CLASS_WRONG,
                                           lists->expected.items[row], lists->candidate.items[column], 0);
  mismatch->is_row = true;
}

/* Scores two items that are paired although they are below the threshold: what both have is incorrect, even if it is
 * the same; what one has is missing or invented. Items of their inner lists have no partners. */
static void score_below(ee_item_lists *lists, uint32_t row, uint32_t column) {
  ee_item_scorer *scorer = lists->scorer;
  const ee_reason reason = {
      .kind = EE_REASON_SIMILARITY, .first = lists->aligner.similarity[row], .second = lists->items->match.threshold};
  size_t listed = scorer->findings != NULL ? scorer->findings->misses.count : 0;
  for (size_t k = 0; k < lists->field_count; k++) {
    const ee_item_field *item = &lists->fields[k];
    if (!lists->conditions[k].judged) continue;
    const ee_value *expected = ee_item_cell(&lists->expected, row, item->expected_column);
    const ee_value *candidate = ee_item_cell(&lists->candidate, column, item->candidate_column);
    const ee_strategy *strategy = item->field->strategy;
    bool no_candidate = ee_value_is_empty(candidate, &strategy->empty);
    bool no_expected = ee_field_expects_nothing(item->field, expected, no_candidate);
    if (no_expected && no_candidate) continue;
    ee_field_outcome outcome = {.scored = true, .comparison = {.reason = reason}};
    outcome.value_class = no_expected ? EE_CLASS_INVENTED : no_candidate ? EE_CLASS_MISSING : EE_CLASS_WRONG;
    bool *unread = outcome.comparison.unread;
    if (!no_expected) outcome.answer = ee_field_unread(item->field, expected, no_candidate, scorer->arena);
    unread[EE_EXPECTED] = outcome.answer != NULL;
    unread[EE_CANDIDATE] = !no_candidate && !ee_strategy_reads(strategy, EE_CANDIDATE, candidate, scorer->arena);
    if (unread[EE_EXPECTED]) outcome.value_class = EE_CLASS_UNREAD;
    outcome.scored = !unread[EE_EXPECTED];
    keep_outcome(lists, item, &outcome, row, column, expected, candidate);
    add_confidence(lists, item, outcome.value_class, lists->candidate.items[column]);
    ee_finding finding = finding_at(lists, lists->expected.indices[row]);
    finding.field = item->field->expected_path->text;
    finding.reason = reason;
    count_miss(scorer, item, &outcome, &finding, expected, candidate);
    if (!lists_findings(lists)) continue;
    ee_mismatch *mismatch = ee_findings_miss(scorer->findings, &finding, outcome.value_class, expected, candidate, 0);
    mismatch->attribute = scorer->parts.items[item->part].name;
    mismatch->slot = slot_of(scorer, item->part);
    mismatch->unread_candidate = unread[EE_CANDIDATE];
  }
  score_inside(lists, lists->expected.indices[row], lists->expected.items[row], NULL);
  score_inside(lists, lists->candidate.indices[column], NULL, lists->candidate.items[column]);
  lists->mean.sum = lists->mean.weights = 0;
  if (lists_findings(lists) && scorer->findings->misses.count == listed) list_pair_below(lists, row, column, reason);
  lists->below++;
  scorer->alone++;
}

/* Counts and lists what is right and wrong in pairs and in items without a partner. True if nothing is wrong. */
static bool score_lists(ee_item_lists *lists) {
  bool good = true;
  lists->counts_equal = may_count_equal(lists);
  lists->weights = 0;
  for (size_t k = 0; k < lists->field_count; k++)
    if (lists->conditions[k].judged) lists->weights += lists->fields[k].field->weight;
  for (uint32_t row = 0; row < lists->expected.rows; row++) {
    uint32_t column = lists->aligner.candidate_of[row];
    if (column == EE_UNPAIRED) {
      score_single(lists, row, EE_EXPECTED);
    } else if (lists->is_below != NULL && lists->is_below[row]) {
      score_below(lists, row, column);
    } else {
      lists->pairs++;
      good = score_pair(lists, row, column) && good;
    }
  }
  for (uint32_t row = 0; row < lists->candidate.rows; row++) {
    if (lists->aligner.expected_of[row] == EE_UNPAIRED) score_single(lists, row, EE_CANDIDATE);
  }
  if (lists->full_pairs > 0) count_full_pairs(lists);
  return good && lists->missing + lists->extra + lists->below == 0;
}

/* The score ------------------------------------------------------------------------------------- */

static void set_attributes(const ee_item_scorer *scorer, ee_judge_result *result) {
  ee_attribute_result *attributes = ee_arena_alloc(scorer->arena, scorer->parts.count * sizeof *attributes);
  size_t count = 0;
  for (size_t i = 0; i < scorer->parts.count; i++) {
    const ee_counts *counts = &scorer->parts.items[i].counts;
    if (counts->tp + counts->tn + counts->fp + counts->fn + counts->unread + counts->unread_candidates == 0) continue;
    attributes[count++] =
        (ee_attribute_result){.name = scorer->parts.items[i].name, .slot = slot_of(scorer, i), .counts = *counts};
  }
  result->attributes = attributes;
  result->attribute_count = count;
}

static void set_alignment(const ee_item_lists *lists, ee_item_report *report) {
  ee_alignment *alignment = ee_arena_alloc(lists->scorer->arena, (lists->pairs + lists->below) * sizeof *alignment);
  size_t count = 0;
  for (uint32_t row = 0; row < lists->expected.rows; row++) {
    uint32_t column = lists->aligner.candidate_of[row];
    if (column == EE_UNPAIRED) continue;
    alignment[count++] =
        (ee_alignment){lists->expected.indices[row], lists->candidate.indices[column], lists->aligner.similarity[row]};
  }
  report->alignment = alignment;
  report->alignment_count = count;
  report->missing_items = lists->missing;
  report->extra_items = lists->extra;
  report->below_items = lists->below;
}

/* Greedy and optimal ---------------------------------------------------------------------------- */

/* The score of the case with the pairs of `other`. Restores the counters of errors, which the first scoring has counted
 * already. */
static double score_by(const ee_item_lists *lists, const ee_aligner *other) {
  ee_item_scorer *first = lists->scorer;
  ee_context *context = first->context;
  uint64_t errors = context->rule_error_count, failures = context->provider_failures, fallbacks = context->fallbacks,
           given_up = context->given_up;
  size_t unread = context->unread.count;
  size_t reported = context->rule_errors != NULL ? context->rule_errors->count : 0;
  ee_item_scorer scorer;
  start_scorer(&scorer, first->judge, context, NULL, first);
  ee_item_lists again = *lists;
  again.scorer = &scorer;
  again.aligner = *other;
  again.pairs = again.missing = again.extra = again.below = 0;
  again.mean = (ee_item_mean){0};
  score_lists(&again);
  context->rule_error_count = errors;
  context->provider_failures = failures;
  context->given_up = given_up;
  context->fallbacks = fallbacks;
  context->unread.count = unread;
  if (context->rule_errors != NULL) context->rule_errors->count = reported;
  return ee_item_score_of(&again).score;
}

static uint32_t partner_index(const ee_item_lists *lists, const ee_aligner *aligner, uint32_t row) {
  uint32_t column = aligner->candidate_of[row];
  return column == EE_UNPAIRED ? EE_NO_ROW : lists->candidate.indices[column];
}

static void find_differences(const ee_item_lists *lists, const ee_aligner *greedy, const ee_aligner *optimal,
                             ee_methods_compared *methods) {
  uint32_t rows = lists->expected.rows;
  ee_pairing_difference *found = ee_arena_alloc(lists->scorer->arena, rows * sizeof *found);
  for (uint32_t row = 0; row < rows; row++) {
    if (greedy->candidate_of[row] == optimal->candidate_of[row]) continue;
    found[methods->difference_count++] = (ee_pairing_difference){
        lists->expected.indices[row], partner_index(lists, greedy, row), partner_index(lists, optimal, row)};
  }
  methods->differences = found;
}

/* Compares greedy with optimal. `other` has the pairs of the method that the rule does not use; `score` is the score by
 * the rule's method. */
static const ee_methods_compared *compare_methods(const ee_item_lists *lists, const ee_aligner *other, double score) {
  bool is_optimal = lists->items->match.method == EE_MATCH_OPTIMAL;
  const ee_aligner *greedy = is_optimal ? other : &lists->aligner, *optimal = is_optimal ? &lists->aligner : other;
  ee_methods_compared *methods = EE_NEW(lists->scorer->arena, ee_methods_compared);
  find_differences(lists, greedy, optimal, methods);
  double other_score = methods->difference_count == 0 ? score : score_by(lists, other);
  ee_fixed left = ee_align_total(greedy), right = ee_align_total(optimal);
  double lost = ee_fixed_value((ee_fixed){right.units - left.units});
  methods->greedy = (struct ee_method_outcome){ee_fixed_value(left), is_optimal ? other_score : score};
  methods->optimal = (struct ee_method_outcome){ee_fixed_value(right), is_optimal ? score : other_score};
  methods->lost = lost > SAME_TOTAL ? lost : 0;
  return methods;
}

/* Reasoning ------------------------------------------------------------------------------------- */

/* "9/10 items matched, 1 missing, 0 extra", followed by the fallback, what greedy loses, and hints, as they apply. */
static ee_str reasoning(const ee_item_lists *lists, const ee_item_report *report) {
  ee_arena *arena = lists->scorer->arena;
  const uint64_t counts[] = {lists->pairs, lists->pairs + lists->below + lists->missing, lists->missing, lists->extra,
                             lists->below};
  const char *format = lists->below > 0 ? "#/# items matched, # missing, # extra, # below the threshold"
                                        : "#/# items matched, # missing, # extra";
  ee_str usual = ee_findings_text(arena, format, counts);
  const char *more = ee_item_hints_text(report, arena);
  if (report->methods != NULL && report->methods->lost > 0)
    more = ee_arena_printf(arena, "; greedy loses %.6g of the largest total similarity, %.6g%s", report->methods->lost,
                           report->methods->optimal.similarity, more);
  if (lists->scorer->context->fallbacks > 0)
    more = ee_arena_printf(arena, "; paired by greedy, since optimal would be too much work%s", more);
  if (*more == '\0') return usual;
  return ee_str_from(ee_arena_printf(arena, "%.*s%s", EE_STR_ARG(usual), more));
}

/* Details --------------------------------------------------------------------------------------- */

static void add_outcome(ee_buffer *out, const struct ee_method_outcome *outcome) {
  EE_JSON_ADD(out, "{\"similarity\":");
  ee_json_write_score(out, outcome->similarity);
  EE_JSON_ADD(out, ",\"score\":");
  ee_json_write_score(out, outcome->score);
  ee_buffer_add_char(out, '}');
}

/* The index of an item, or null for EE_NO_ROW. */
static void add_item(ee_buffer *out, uint32_t item) {
  if (item == EE_NO_ROW)
    EE_JSON_ADD(out, "null");
  else
    ee_json_write_count(out, item);
}

/* Returns whether the list was cut. */
static bool add_methods(ee_buffer *out, const ee_judge_result *result, const ee_methods_compared *methods) {
  EE_JSON_ADD(out, ",\"methods\":{\"greedy\":");
  add_outcome(out, &methods->greedy);
  EE_JSON_ADD(out, ",\"optimal\":");
  add_outcome(out, &methods->optimal);
  EE_JSON_ADD(out, ",\"similarity_lost\":");
  ee_json_write_score(out, methods->lost);
  EE_JSON_ADD(out, ",\"different_pairs\":[");
  for (size_t i = 0; i < ee_details_shown(result, methods->difference_count); i++) {
    const ee_pairing_difference *difference = &methods->differences[i];
    if (i > 0) ee_buffer_add_char(out, ',');
    EE_JSON_ADD(out, "{\"expected\":");
    ee_json_write_count(out, difference->expected);
    EE_JSON_ADD(out, ",\"greedy\":");
    add_item(out, difference->greedy);
    EE_JSON_ADD(out, ",\"optimal\":");
    add_item(out, difference->optimal);
    ee_buffer_add_char(out, '}');
  }
  EE_JSON_ADD(out, "]}");
  return methods->difference_count > ee_details_limit(result->detail);
}

static void add_parts(ee_buffer *out, const uint32_t parts[2]) {
  ee_buffer_add_char(out, '[');
  ee_json_write_count(out, parts[0]);
  ee_buffer_add_char(out, ',');
  ee_json_write_count(out, parts[1]);
  ee_buffer_add_char(out, ']');
}

static void add_hints(ee_buffer *out, const ee_item_report *report) {
  EE_JSON_ADD(out, ",\"hints\":[");
  for (size_t i = 0; i < report->hint_count; i++) {
    const ee_item_hint *hint = &report->hints[i];
    if (i > 0) ee_buffer_add_char(out, ',');
    if (hint->merged) {
      EE_JSON_ADD(out, "{\"kind\":\"merged\",\"expected\":");
      add_parts(out, hint->parts);
      EE_JSON_ADD(out, ",\"candidate\":");
      ee_json_write_count(out, hint->whole);
    } else {
      EE_JSON_ADD(out, "{\"kind\":\"split\",\"expected\":");
      ee_json_write_count(out, hint->whole);
      EE_JSON_ADD(out, ",\"candidate\":");
      add_parts(out, hint->parts);
    }
    ee_buffer_add_char(out, '}');
  }
  ee_buffer_add_char(out, ']');
}

static void add_alignment(ee_buffer *out, const ee_judge_result *result, const ee_item_report *report) {
  EE_JSON_ADD(out, ",\"alignment\":[");
  for (size_t i = 0; i < ee_details_shown(result, report->alignment_count); i++) {
    const ee_alignment *pair = &report->alignment[i];
    if (i > 0) ee_buffer_add_char(out, ',');
    EE_JSON_ADD(out, "{\"expected\":");
    ee_json_write_count(out, pair->expected);
    EE_JSON_ADD(out, ",\"candidate\":");
    ee_json_write_count(out, pair->candidate);
    EE_JSON_ADD(out, ",\"similarity\":");
    ee_json_write_score(out, pair->similarity);
    ee_buffer_add_char(out, '}');
  }
  EE_JSON_ADD(out, "],\"items\":{\"matched\":");
  ee_json_write_count(out, report->alignment_count - report->below_items);
  EE_JSON_ADD(out, ",\"missing\":");
  ee_json_write_count(out, report->missing_items);
  EE_JSON_ADD(out, ",\"extra\":");
  ee_json_write_count(out, report->extra_items);
  if (report->below_items > 0) {
    EE_JSON_ADD(out, ",\"below_threshold\":");
    ee_json_write_count(out, report->below_items);
  }
  ee_buffer_add_char(out, '}');
}

static void line_items_write_details(const ee_judge_result *result, ee_arena *scratch, ee_buffer *out) {
  const ee_item_report *report = result->details;
  if (report == NULL) {
    ee_details_write_plain(result, scratch, out);
    return;
  }
  ee_details_open(result, out);
  add_alignment(out, result, report);
  ee_details_add_fallback(result, out);
  bool cut = report->methods != NULL && add_methods(out, result, report->methods);
  if (report->hint_count > 0) add_hints(out, report);
  cut |= report->hints_cut || report->alignment_count > ee_details_limit(result->detail);
  ee_details_close(result, cut, scratch, out);
}

const ee_item_report *ee_item_report_of(const ee_judge_result *result) {
  static const ee_item_report none = {.alignment_count = 0};
  return result->judge->type == &ee_line_items_judge && result->details != NULL ? result->details : &none;
}

/* The case -------------------------------------------------------------------------------------- */

/* Where hints are looked for. */
typedef struct hint_search {
  const ee_item_lists *lists;
  ee_item_report *report;
} hint_search;

static void search_hints(void *user) {
  const hint_search *self = user;
  ee_item_hints_find(self->lists, self->report);
}

/* Hints explain, and where nobody reads them they are not looked for. So that the case is judged alike there, they have
 * a limit of work of their own. */
static void find_hints(const ee_item_lists *lists, ee_item_report *report) {
  hint_search self = {lists, report};
  uint64_t units = ee_work_half();
  ee_work_trap trap;
  ee_work_pause(&trap);
  ee_work_end end = ee_work_try(units, search_hints, &self);
  ee_work_resume(&trap);
  if (end == EE_WORK_DONE) return;
  ee_work_pass_on(end);
  report->hint_count = 0;
  report->hints_cut = true;
}

/* The items of the hints, which are no plain missing or extra ones. */
static void set_row_kinds(const ee_item_lists *lists, const ee_item_report *report) {
  ee_findings *findings = lists->scorer->findings;
  for (size_t i = 0; i < report->hint_count; i++) {
    const ee_item_hint *hint = &report->hints[i];
    ee_class whole = hint->merged ? EE_CLASS_INVENTED : EE_CLASS_MISSING;
    for (size_t k = 0; k < findings->mismatches.count; k++) {
      ee_mismatch *mismatch = &findings->mismatches.items[k];
      uint32_t row = mismatch->finding.row;
      if (!mismatch->is_row || mismatch->finding.path.data != lists->path.data) continue;
      bool named = mismatch->value_class == whole ? row == hint->whole : row == hint->parts[0] || row == hint->parts[1];
      if (named) mismatch->kind = hint->merged ? EE_ERROR_KIND_MERGED_ROWS : EE_ERROR_KIND_SPLIT_ROW;
    }
  }
}

static void line_items_judge_case(const ee_judge *judge, ee_context *context, ee_judge_result *result) {
  const ee_line_items *items = judge->data;
  const ee_case *current = context->current;
  ee_arena *arena = context->arena;
  found_lists found = find_lists(items, current->expected, current->candidate, context);
  ee_findings *findings = EE_NEW(arena, ee_findings);
  ee_item_scorer *scorer = EE_NEW(arena, ee_item_scorer);
  ee_item_lists *lists = EE_NEW(arena, ee_item_lists);
  start_scorer(scorer, judge, context, findings, NULL);
  scorer->confidences = ee_confidences_start(items->list.confidence, arena);
  start_lists(lists, items, scorer, found.expected, found.candidate);
  ee_findings_start(findings, arena, context->counts_only ? 0 : lists->expected.rows);
  bool no_candidate = current->candidate_state != EE_CANDIDATE_READ;
  if (no_candidate) ee_findings_no_candidate(findings, current->candidate_state);
  report_bad_lists(lists, &found);
  ee_aligner other;
  /* The case is judged again when pending requests have replies. Scoring wrong pairs would only send more requests. */
  if (!align_lists(lists, &other)) return;
  score_lists(lists);
  ee_item_report *report = EE_NEW(arena, ee_item_report);
  result->details = report;
  result->paired = scorer->paired;
  result->match_sides = scorer->match_sides;
  result->match_names = lists->items->match_names;
  result->unpairable = scorer->unpairable;
  set_alignment(lists, report);
  set_attributes(scorer, result);
  result->confidences = scorer->confidences;
  ee_confidences_finish(scorer->confidences, items->list.confidence, current,
                        no_candidate || scorer->failed || scorer->alone > 0, arena);
  if (!no_candidate) {
    ee_aggregate_result total = ee_item_score_of(lists);
    result->score = total.score;
    result->vacuous = total.vacuous;
    if (ee_context_keeps_outcomes(context)) result->formula = ee_item_formula_of(lists, &total);
  }
  if (lists->compared && !no_candidate)
    result->methods = report->methods = compare_methods(lists, &other, result->score);
  if (!context->counts_only || context->kinds) find_hints(lists, report);
  if (context->kinds) set_row_kinds(lists, report);
  ee_findings_finish(findings, result);
  if (!context->counts_only)
    result->reasoning = no_candidate ? EE_STR("no candidate document") : reasoning(lists, report);
}

/* The values in the items of one list, and in the lists inside them. Recursion is bounded by the rule file. */
static void show_list(const ee_line_items *items, ee_document_side document, const ee_value *root,
                      struct ee_decimal_votes *votes, ee_arena *arena) {
  const ee_path *path = document == EE_EXPECTED ? items->paths.expected : items->paths.candidate;
  const ee_value *list = ee_list_path_get(path, root, arena);
  if (ee_type_of(list) != EE_ARRAY) return;
  for (const ee_value *item = ee_value_child(list); item != NULL; item = ee_value_next(item)) {
    for (size_t i = 0; i < items->list.count; i++) ee_field_show(&items->list.fields[i], document, item, votes, arena);
    for (size_t i = 0; i < items->match.field_count && !items->match_score_fields; i++) {
      const ee_field *field = items->match.fields[i].field;
      if (field != NULL) ee_field_show(field, document, item, votes, arena);
    }
    for (size_t i = 0; i < items->nested_count; i++) show_list(&items->nested[i], document, item, votes, arena);
  }
}

static void line_items_show_values(const ee_judge *judge, ee_document_side document, const ee_value *root,
                                   struct ee_decimal_votes *votes, ee_arena *arena) {
  show_list(judge->data, document, root, votes, arena);
}

const ee_judge_type ee_line_items_judge = {
    .name = "line_items",
    .help = "Arrays of objects: items are paired, then compared field by field.",
    .positional = "[integer] string|ee.node.field|ee.node.judge|(ee.node.field|ee.node.judge)[]",
    .options = ee_line_items_options,
    .compile = ee_line_items_compile,
    .takes_path = true,
    .lists_values = true,
    .judge_case = line_items_judge_case,
    .show_values = line_items_show_values,
    .write_details = line_items_write_details,
    .print = ee_line_items_print,
};
