/* item_lists.c: two lists of items: first paired, then compared field by field and list by list. */
#include "judge/line_items/item_lists.h"
#include "data/json/path.h"

#include "judge/pairing/item_keys.h"

static const ee_field_rules plain_rules = {EE_TN_SCORE, EE_UNEXPECTED_FAIL};

/* The scorer --------------------------------------------------------------------------------------------------------
 */

static void ask_conditions(const ee_line_items *items, ee_context *context, ee_condition **next) {
  for (size_t i = 0; i < items->list.count; i++) *(*next)++ = ee_field_condition(&items->list.fields[i], context);
  for (size_t i = 0; i < items->nested_count; i++) ask_conditions(&items->nested[i], context, next);
}

void ee_item_scorer_start(ee_item_scorer *scorer, const ee_judge *judge, ee_context *context, ee_findings *findings,
                          const ee_item_scorer *before) {
  ee_arena *arena = context->arena;
  size_t count = before != NULL ? before->part_count : judge->attribute_count;
  *scorer = (ee_item_scorer){.context = context,
                             .arena = arena,
                             .judge = judge,
                             .findings = findings,
                             .part_count = count,
                             .part_capacity = count};
  scorer->parts = EE_NEW_ARRAY(arena, ee_script_part, count);
  for (size_t i = 0; i < count; i++)
    scorer->parts[i].name = before != NULL ? before->parts[i].name : judge->attributes[i].name;
  if (before != NULL) {
    ee_item_columns_copy(&scorer->names, &before->names, arena);
    scorer->conditions = before->conditions;
    return;
  }
  ee_item_columns_start(&scorer->names, arena);
  ee_condition *asked = ee_arena_alloc(arena, count * sizeof *asked), *next = asked;
  ask_conditions(judge->data, context, &next);
  scorer->conditions = asked;
}

/* The part that counts `key`, of which only the data knows, in the list called `list`. */
static uint32_t part_of_key(ee_item_scorer *scorer, ee_str list, ee_str key) {
  ee_str name = key;
  if (list.length > 0) {
    const char *text =
        ee_arena_printf(scorer->arena, "%.*s.%.*s", (int)list.length, list.data, (int)key.length, key.data);
    name = ee_str_from(text);
  }
  size_t part = scorer->judge->attribute_count + ee_item_columns_add_key(&scorer->names, name);
  if (part < scorer->part_count) return (uint32_t)part;
  if (scorer->part_count == scorer->part_capacity) {
    scorer->part_capacity = scorer->part_capacity < 8 ? 16 : scorer->part_capacity * 2;
    ee_script_part *larger = ee_arena_alloc(scorer->arena, scorer->part_capacity * sizeof *larger);
    if (scorer->part_count > 0) memcpy(larger, scorer->parts, scorer->part_count * sizeof *larger);
    scorer->parts = larger;
  }
  scorer->parts[scorer->part_count++] = (ee_script_part){.name = name};
  return (uint32_t)part;
}

static void count(ee_item_scorer *scorer, const ee_item_field *field, ee_class value_class) {
  ee_counts_add_class(&scorer->parts[field->part].counts, value_class);
}

/* Findings ----------------------------------------------------------------------------------------------------------
 */

/* "orders[2].lines" of a list inside another. */
static ee_str path_of(ee_item_lists *lists) {
  if (lists->path.data != NULL) return lists->path;
  ee_str own = lists->items->path->text;
  lists->path = own;
  if (lists->around == NULL) return own;
  ee_str around = path_of((ee_item_lists *)lists->around);
  const char *dot = own.length > 0 && own.data[0] == '[' ? "" : ".";
  lists->path = ee_str_from(ee_arena_printf(lists->scorer->arena, "%.*s[%u]%s%.*s", (int)around.length, around.data,
                                            lists->place, dot, (int)own.length, own.data));
  return lists->path;
}

/* A mistake of the judge itself. */
static void fail(ee_item_lists *lists, ee_reason reason) {
  lists->scorer->failed = true;
  if (lists->scorer->findings != NULL) ee_findings_note(lists->scorer->findings, path_of(lists), reason);
}

/* Lists -------------------------------------------------------------------------------------------------------------
 */

const ee_value *ee_item_list_find(const ee_line_items *items, const ee_value *root, ee_context *context,
                                  bool *is_list) {
  const ee_value *list = ee_path_get(items->path, root, context->arena);
  *is_list = true;
  if (ee_type_of(list) == EE_ARRAY) return list;
  *is_list = ee_value_is_empty(list, &context->plan->empty);
  return NULL;
}

/* What was asked of the items before is asked anew. */
static void order_inner_lists(ee_item_table *table, const ee_line_items *items) {
  if (items->inner_count == 0) return;
  table->inner = items->inner;
  table->inner_count = items->inner_count;
  for (uint32_t i = 0; i < table->rows; i++) table->filled[i] = NULL;
}

void ee_item_lists_start(ee_item_lists *lists, const ee_line_items *items, ee_item_scorer *scorer,
                         const ee_value *expected, const ee_value *candidate) {
  const ee_empty_rule *empty = &scorer->context->plan->empty;
  *lists = (ee_item_lists){.items = items, .scorer = scorer};
  bool keep_empty = items->match.method == EE_MATCH_INDEX;
  ee_item_table_start(&lists->expected, expected, empty, keep_empty, scorer->arena);
  ee_item_table_start(&lists->candidate, candidate, empty, keep_empty, scorer->arena);
  order_inner_lists(&lists->expected, items);
  order_inner_lists(&lists->candidate, items);
}

/* Pairing -----------------------------------------------------------------------------------------------------------
 */

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

/* Where the score fields decide what belongs together, those that are not judged in this case do not. */
static void leave_out_unjudged(ee_item_lists *lists) {
  ee_match_field *match = ee_arena_alloc(lists->scorer->arena, lists->match.field_count * sizeof *match);
  size_t kept = 0;
  for (size_t i = 0; i < lists->field_count; i++) {
    if (lists->conditions[i].judged) match[kept++] = lists->match.fields[i];
  }
  lists->match.fields = match;
  lists->match.field_count = kept;
}

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
    /* What greedy has paired by now is equal. */
    if (!all && lists->aligner.expected_of[i] != EE_UNPAIRED) continue;
    ee_item_table_fetch(&lists->candidate, columns, &guess, i, arena);
  }
}

/* Sets what is compared: the declared fields, or the keys of the data. False when there are too many. */
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

/* Pairs by both methods; `other` gets what the rule's method does not take. */
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

static void tell_too_many(ee_item_lists *lists) {
  const char *text =
      ee_arena_printf(lists->scorer->arena, "too many similar items: more than %zu pairs", lists->match.pair_limit);
  fail(lists, (ee_reason){.kind = EE_REASON_TEXT, .text = ee_str_from(text)});
}

bool ee_item_lists_align(ee_item_lists *lists, ee_aligner *other) {
  ee_context *context = lists->scorer->context;
  ee_aligner *aligner = &lists->aligner;
  bool both = other != NULL && lists->items->compare_methods;
  bool is_optimal = lists->items->match.method == EE_MATCH_OPTIMAL;
  ee_align_start(aligner, context, &lists->expected, &lists->candidate);
  if (lists->items->equal_first) ee_align_equal(aligner);
  ee_item_columns columns;
  if (!set_fields(lists, &columns)) {
    fail(lists, EE_REASON_OF(EE_ITEM_KEYS_TOO_MANY));
    return true;
  }
  read_values(lists, &columns, (both || is_optimal) && !ee_align_is_complete(aligner));
  aligner->rule = &lists->match;
  aligner->fields = lists->fields;
  aligner->conditions = lists->conditions;
  aligner->field_count = lists->field_count;
  uint64_t open_before = context->pending_answers;
  /* A value is met once a pair here, and counted where its item is scored. */
  ee_unreadable unreadable = context->unreadable;
  if (both) {
    align_both(lists, other);
  } else {
    ee_align(aligner);
  }
  context->unreadable = unreadable;
  if (context->pending_answers > open_before) return false;
  if (aligner->too_many) tell_too_many(lists);
  if (aligner->fell_back) context->fallbacks++;
  return true;
}

/* Scoring -----------------------------------------------------------------------------------------------------------
 */

static ee_finding finding_at(ee_item_lists *lists, uint32_t index) {
  return (ee_finding){.path = path_of(lists), .row = index};
}

static bool tells(const ee_item_lists *lists) { return lists->scorer->findings != NULL && lists->scorer->quiet == 0; }

/* Judges one field of a pair. True when it matched. */
static bool score_field(ee_item_lists *lists, size_t k, uint32_t row, uint32_t column) {
  const ee_item_field *item = &lists->fields[k];
  const ee_condition *condition = &lists->conditions[k];
  const ee_value *expected = ee_item_cell(&lists->expected, row, item->expected_column);
  const ee_value *candidate = expected;
  if (!lists->aligner.equal[row]) {
    candidate = ee_item_cell(&lists->candidate, column, item->candidate_column);
  } else if (!condition->failed) {
    bool empty = ee_value_is_empty(expected, &item->field->strategy->empty);
    count(lists->scorer, item, empty ? EE_CLASS_TN : EE_CLASS_TP);
    return true;
  }
  ee_script_place place = ee_field_place(item->field, lists->expected.items[row], lists->candidate.items[column]);
  ee_field_outcome outcome;
  ee_field_judge_when(item->field, condition, plain_rules, lists->scorer->context, expected, candidate, &place,
                      &outcome);
  count(lists->scorer, item, outcome.value_class);
  if (ee_outcome_matched(&outcome)) return true;
  if (!tells(lists)) return false;
  ee_finding finding = finding_at(lists, lists->expected.indices[row]);
  finding.field = item->field->expected_path->text;
  finding.reason = outcome.comparison.reason;
  ee_findings_miss(lists->scorer->findings, &finding, expected, candidate, outcome.score);
  return false;
}

/* Judges the lists inside a pair of items, or inside one item (the other is NULL), which is `place` in its list. True
 * when nothing in them is wrong. */
static bool score_inside(const ee_item_lists *around, uint32_t place, const ee_value *expected,
                         const ee_value *candidate) {
  ee_item_scorer *scorer = around->scorer;
  bool good = true;
  for (size_t i = 0; i < around->items->nested_count; i++) {
    const ee_line_items *items = &around->items->nested[i];
    bool expected_is_list, candidate_is_list;
    const ee_value *left = ee_item_list_find(items, expected, scorer->context, &expected_is_list);
    const ee_value *right = ee_item_list_find(items, candidate, scorer->context, &candidate_is_list);
    ee_item_lists *lists = EE_NEW(scorer->arena, ee_item_lists);
    ee_item_lists_start(lists, items, scorer, left, expected_is_list ? right : NULL);
    lists->around = around;
    lists->place = place;
    if (!expected_is_list || !candidate_is_list) fail(lists, EE_REASON_OF("not a list"));
    /* What hangs on an open answer is judged when the case is judged again. */
    if (!ee_item_lists_align(lists, NULL)) return false;
    good = ee_item_lists_score(lists) && expected_is_list && candidate_is_list && good;
  }
  return good;
}

/* True when nothing in the pair is wrong. */
static bool score_pair(ee_item_lists *lists, uint32_t row, uint32_t column) {
  bool good = true;
  for (size_t k = 0; k < lists->field_count; k++) {
    if (lists->conditions[k].judged && !score_field(lists, k, row, column)) good = false;
  }
  uint32_t place = lists->expected.indices[row];
  good = score_inside(lists, place, lists->expected.items[row], lists->candidate.items[column]) && good;
  if (!good || !tells(lists)) return good;
  ee_finding hit = finding_at(lists, place);
  ee_findings_hit(lists->scorer->findings, &hit);
  return true;
}

/* Why an item could have no partner: what pairs items could not be read. An empty text when that is not so. */
static ee_str unreadable_text(ee_item_lists *lists, uint32_t row, bool is_expected) {
  const ee_item_table *table = is_expected ? &lists->expected : &lists->candidate;
  ee_item_scorer *scorer = lists->scorer;
  ee_str text = {0};
  if (table->columns == 0) return text; /* too many keys: nothing was read */
  for (size_t k = 0; k < lists->match.field_count; k++) {
    const ee_match_field *match = &lists->match.fields[k];
    /* What a function of the rule file would make of the value is not known here. */
    if (match->field == NULL || match->field->strategy->normalize_function != EE_NO_FUNCTION) continue;
    const ee_value *value = ee_item_cell(table, row, is_expected ? match->expected_column : match->candidate_column);
    if (ee_value_is_empty(value, &match->empty)) continue;
    const ee_strategy *strategy = match->field->strategy;
    if (strategy->type->why_unreadable == NULL) continue;
    const char *reason =
        strategy->type->why_unreadable(strategy, is_expected, value, &scorer->context->unreadable, scorer->arena);
    if (reason == NULL || text.length > 0) continue;
    ee_str path = (is_expected ? match->field->expected_path : match->field->candidate_path)->text;
    text = ee_str_from(ee_arena_printf(scorer->arena, "%.*s unreadable: %s", (int)path.length, path.data, reason));
  }
  return text;
}

/* An item without partner: an error in each field that it has, and in each of every item inside of it. */
static void score_single(ee_item_lists *lists, uint32_t row, bool is_expected) {
  const ee_item_table *table = is_expected ? &lists->expected : &lists->candidate;
  ee_item_scorer *scorer = lists->scorer;
  const ee_value *item = table->items[row];
  for (size_t k = 0; k < lists->field_count; k++) {
    const ee_item_field *field = &lists->fields[k];
    if (!lists->conditions[k].judged) continue;
    const ee_value *value = ee_item_cell(table, row, is_expected ? field->expected_column : field->candidate_column);
    if (ee_value_is_empty(value, &field->field->strategy->empty)) continue;
    count(scorer, field, is_expected ? EE_CLASS_MISSING : EE_CLASS_INVENTED);
  }
  scorer->quiet++;
  score_inside(lists, table->indices[row], is_expected ? item : NULL, is_expected ? NULL : item);
  scorer->quiet--;
  /* Only method index keeps empty items, for their places: they are no items. */
  if (ee_item_is_empty(table, row)) return;
  ee_str unreadable = unreadable_text(lists, row, is_expected);
  scorer->alone++;
  lists->missing += is_expected;
  lists->extra += !is_expected;
  if (!tells(lists)) return;
  ee_finding finding = finding_at(lists, table->indices[row]);
  finding.reason.kind = is_expected ? EE_REASON_MISSING_ITEM : EE_REASON_EXTRA_ITEM;
  finding.reason.text = unreadable;
  ee_findings_miss(scorer->findings, &finding, is_expected ? item : NULL, is_expected ? NULL : item, 0);
}

bool ee_item_lists_score(ee_item_lists *lists) {
  bool good = true;
  for (uint32_t row = 0; row < lists->expected.rows; row++) {
    uint32_t column = lists->aligner.candidate_of[row];
    if (column == EE_UNPAIRED) {
      score_single(lists, row, true);
    } else {
      lists->pairs++;
      good = score_pair(lists, row, column) && good;
    }
  }
  for (uint32_t row = 0; row < lists->candidate.rows; row++) {
    if (lists->aligner.expected_of[row] == EE_UNPAIRED) score_single(lists, row, false);
  }
  return good && lists->missing + lists->extra == 0;
}
