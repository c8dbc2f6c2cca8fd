/* line_items.c: ee.line_items, lists of objects: first paired, then compared field by field. */
#include "judge/line_items.h"

#include "judge/aggregate.h"
#include "judge/collect.h"
#include "judge/item_keys.h"
#include "prim/number.h"

static const ee_field_rules plain_rules = {EE_TN_SCORE, EE_UNEXPECTED_FAIL};

/* One case under way. */
typedef struct items_case {
  const ee_line_items *items;
  ee_context *context;
  ee_arena *arena;
  ee_item_table expected, candidate;
  ee_aligner aligner;
  ee_match_rule match; /* the compiled one, or with the keys of the data */
  const ee_item_field *fields;
  ee_condition *conditions;
  size_t field_count;
  bool too_many_keys;    /* no field is judged, and only equal items are paired */
  ee_script_part *parts; /* one a score field: its counts */
  ee_collector collector;
  size_t pairs, missing, extra;
} items_case;

/* The lists ---------------------------------------------------------------------------------------------------------
 */

/* The list on one side: NULL when there is none. A value that is no list is reported. */
static const ee_value *find_list(items_case *c, const ee_value *document, bool *is_list) {
  const ee_empty_rule *empty = &c->context->plan->empty;
  const ee_value *list = ee_path_get(c->items->path, document, c->arena);
  *is_list = true;
  if (ee_type_of(list) == EE_ARRAY) return list;
  *is_list = ee_value_is_empty(list, empty);
  return NULL;
}

/* Makes every key of the items a score field. */
static void fields_from_data(items_case *c, ee_item_keys *keys) {
  ee_item_keys_find(keys, &c->aligner, &c->items->columns, &c->items->list, c->items->automatic);
  c->too_many_keys = keys->too_many;
  if (keys->too_many) return;
  c->fields = keys->fields;
  c->field_count = keys->count;
  if (!c->items->match_score_fields) return;
  c->match.fields = keys->match;
  c->match.field_count = keys->count;
}

/* Pairing -----------------------------------------------------------------------------------------------------------
 */

static void ask_conditions(items_case *c) {
  c->conditions = ee_arena_alloc(c->arena, c->field_count * sizeof *c->conditions);
  for (size_t i = 0; i < c->field_count; i++) c->conditions[i] = ee_field_condition(c->fields[i].field, c->context);
}

/* Where the score fields decide what belongs together, those that are not judged in this case do not. */
static void leave_out_unjudged(items_case *c) {
  ee_match_field *match = ee_arena_alloc(c->arena, c->match.field_count * sizeof *match);
  size_t count = 0;
  for (size_t i = 0; i < c->field_count; i++) {
    if (c->conditions[i].judged) match[count++] = c->match.fields[i];
  }
  c->match.fields = match;
  c->match.field_count = count;
}

/* Pairs the items and reads the values that will be compared. */
static void align(items_case *c) {
  const ee_line_items *items = c->items;
  ee_align_start(&c->aligner, c->context, &c->expected, &c->candidate);
  if (items->equal_first) ee_align_equal(&c->aligner);
  c->match = items->match;
  c->fields = items->fields;
  c->field_count = items->list.count;
  const ee_item_columns *columns = &items->columns;
  ee_item_keys own;
  if (items->automatic != NULL) {
    fields_from_data(c, &own);
    if (c->too_many_keys) return;
    columns = &own.columns;
  }
  ask_conditions(c);
  if (items->match_score_fields) leave_out_unjudged(c);
  ee_item_table_set_columns(&c->expected, columns, c->arena);
  ee_item_table_set_columns(&c->candidate, columns, c->arena);
  ee_item_guess guess;
  guess.count = 0;
  for (uint32_t i = 0; i < c->expected.rows; i++) ee_item_table_fetch(&c->expected, columns, &guess, i, c->arena);
  for (uint32_t i = 0; i < c->candidate.rows; i++) {
    if (c->aligner.expected_of[i] == EE_UNPAIRED) ee_item_table_fetch(&c->candidate, columns, &guess, i, c->arena);
  }
  c->aligner.rule = &c->match;
  c->aligner.fields = c->fields;
  c->aligner.conditions = c->conditions;
  c->aligner.field_count = c->field_count;
  ee_align(&c->aligner);
}

/* Scoring -----------------------------------------------------------------------------------------------------------
 */

static ee_finding finding_at(const items_case *c, uint32_t index) {
  return (ee_finding){.path = c->items->path->text, .row = index};
}

/* Judges one field of a pair. True when it matched. */
static bool judge_pair_field(items_case *c, size_t k, uint32_t row, uint32_t column) {
  const ee_item_field *item = &c->fields[k];
  const ee_condition *condition = &c->conditions[k];
  const ee_value *expected = ee_item_cell(&c->expected, row, item->expected_column);
  ee_counts *counts = &c->parts[k].counts;
  const ee_value *candidate = expected;
  if (!c->aligner.equal[row]) {
    candidate = ee_item_cell(&c->candidate, column, item->candidate_column);
  } else if (!condition->failed) {
    bool empty = ee_value_is_empty(expected, &item->field->strategy->empty);
    ee_counts_add_class(counts, empty ? EE_CLASS_TN : EE_CLASS_TP);
    return true;
  }
  ee_script_place place = ee_field_place(item->field, c->expected.items[row], c->candidate.items[column]);
  ee_field_outcome outcome;
  ee_field_judge_when(item->field, condition, plain_rules, c->context, expected, candidate, &place, &outcome);
  ee_counts_add_class(counts, outcome.value_class);
  if (ee_outcome_matched(&outcome)) return true;
  ee_finding finding = finding_at(c, c->expected.indices[row]);
  finding.field = item->field->expected_path->text;
  finding.reason = outcome.comparison.reason;
  ee_collect_miss(&c->collector, &finding, expected, candidate, outcome.score);
  return false;
}

static void judge_pair(items_case *c, uint32_t row, uint32_t column, ee_alignment *alignment) {
  *alignment = (ee_alignment){c->expected.indices[row], c->candidate.indices[column], c->aligner.similarity[row]};
  bool all = true;
  for (size_t k = 0; k < c->field_count; k++) {
    if (c->conditions[k].judged && !judge_pair_field(c, k, row, column)) all = false;
  }
  if (!all) return;
  ee_finding hit = finding_at(c, c->expected.indices[row]);
  ee_collect_hit(&c->collector, &hit);
}

/* An item without partner: an error in each field that it has. */
static void judge_single(items_case *c, const ee_item_table *table, uint32_t row, bool is_expected) {
  const ee_value *item = table->items[row];
  for (size_t k = 0; k < c->field_count; k++) {
    const ee_item_field *field = &c->fields[k];
    if (!c->conditions[k].judged) continue;
    const ee_value *value = ee_item_cell(table, row, is_expected ? field->expected_column : field->candidate_column);
    if (ee_value_is_empty(value, &field->field->strategy->empty)) continue;
    ee_counts_add_class(&c->parts[k].counts, is_expected ? EE_CLASS_MISSING : EE_CLASS_INVENTED);
  }
  /* Only method index keeps empty items, for their places: they are no items. */
  if (ee_item_is_empty(table, row)) return;
  ee_finding finding = finding_at(c, table->indices[row]);
  finding.reason.kind = is_expected ? EE_REASON_MISSING_ITEM : EE_REASON_EXTRA_ITEM;
  ee_collect_miss(&c->collector, &finding, is_expected ? item : NULL, is_expected ? NULL : item, 0);
  if (is_expected) {
    c->missing++;
  } else {
    c->extra++;
  }
}

static void judge_items(items_case *c, ee_judge_result *result) {
  c->parts = EE_NEW_ARRAY(c->arena, ee_script_part, c->field_count);
  uint32_t most = c->expected.rows < c->candidate.rows ? c->expected.rows : c->candidate.rows;
  ee_alignment *alignment = ee_arena_alloc(c->arena, most * sizeof *alignment);
  for (uint32_t row = 0; row < c->expected.rows; row++) {
    uint32_t column = c->aligner.candidate_of[row];
    if (column == EE_UNPAIRED) {
      judge_single(c, &c->expected, row, true);
    } else {
      judge_pair(c, row, column, &alignment[c->pairs++]);
    }
  }
  for (uint32_t row = 0; row < c->candidate.rows; row++) {
    if (c->aligner.expected_of[row] == EE_UNPAIRED) judge_single(c, &c->candidate, row, false);
  }
  result->has_alignment = true;
  result->alignment = alignment;
  result->alignment_count = c->pairs;
  result->missing_items = c->missing;
  result->extra_items = c->extra;
}

static void set_attributes(const items_case *c, ee_judge_result *result) {
  ee_attribute_result *attributes = ee_arena_alloc(c->arena, c->field_count * sizeof *attributes);
  size_t count = 0;
  for (size_t i = 0; i < c->field_count; i++) {
    const ee_counts *counts = &c->parts[i].counts;
    if (counts->tp + counts->tn + counts->fp + counts->fn == 0) continue;
    int32_t slot = c->items->automatic == NULL ? (int32_t)i : -1;
    attributes[count++] = (ee_attribute_result){c->fields[i].field->name, slot, *counts};
  }
  result->attributes = attributes;
  result->attribute_count = count;
}

/* "9/10 items matched, 1 missing, 0 extra". */
static ee_str reasoning(const items_case *c) {
  static const char matched[] = " items matched, ", missing[] = " missing, ", extra[] = " extra";
  char *text = ee_arena_alloc(c->arena, 4 * 20 + sizeof matched + sizeof missing + sizeof extra);
  char *out = ee_collect_number(text, c->pairs);
  *out++ = '/';
  out = ee_collect_number(out, c->pairs + c->missing);
  out = (char *)memcpy(out, matched, sizeof matched - 1) + sizeof matched - 1;
  out = ee_collect_number(out, c->missing);
  out = (char *)memcpy(out, missing, sizeof missing - 1) + sizeof missing - 1;
  out = ee_collect_number(out, c->extra);
  out = (char *)memcpy(out, extra, sizeof extra - 1) + sizeof extra - 1;
  return (ee_str){text, (size_t)(out - text)};
}

/* The mean F1 of the score fields. Items that have none of them, such as plain texts, still cost when they stand alone.
 */
static void set_score(items_case *c, ee_judge_result *result) {
  ee_aggregate macro = {EE_AGGREGATE_MACRO_F1, EE_NO_FUNCTION};
  ee_aggregate_result total = ee_aggregate_parts(&macro, c->context, c->parts, c->field_count);
  result->score = total.score;
  result->vacuous = total.vacuous;
  if (total.vacuous && c->missing + c->extra > 0) {
    result->score = 0;
    result->vacuous = false;
  }
}

static void line_items_judge_case(const ee_judge *judge, ee_context *context, ee_judge_result *result) {
  const ee_line_items *items = judge->data;
  const ee_case *current = context->current;
  items_case *c = ee_arena_alloc(context->arena, sizeof *c);
  c->items = items;
  c->context = context;
  c->arena = context->arena;
  c->pairs = c->missing = c->extra = 0;
  c->too_many_keys = false;
  bool expected_is_list, candidate_is_list;
  const ee_value *expected = find_list(c, current->expected, &expected_is_list);
  const ee_value *candidate = find_list(c, current->candidate, &candidate_is_list);
  /* Without a list to compare with, candidate items are neither right nor wrong. */
  if (!expected_is_list) candidate = NULL;
  bool keep_empty = items->match.method == EE_MATCH_INDEX;
  ee_item_table_start(&c->expected, expected, &context->plan->empty, keep_empty, c->arena);
  ee_item_table_start(&c->candidate, candidate, &context->plan->empty, keep_empty, c->arena);
  ee_collect_start(&c->collector, c->arena, c->expected.rows);

  bool no_candidate = current->candidate_state != EE_CANDIDATE_READ;
  if (no_candidate) ee_collect_no_candidate(&c->collector, current->candidate_state);
  result->failed = !expected_is_list || !candidate_is_list;
  if (result->failed) ee_collect_note(&c->collector, items->path->text, EE_REASON_OF("not a list"));
  uint64_t open_before = context->open_answers;
  align(c);
  /* Which items belong together is not known yet: the case is judged again, and no needless question asked now. */
  if (context->open_answers > open_before) return;
  if (c->aligner.too_many) {
    result->failed = true;
    const char *text = ee_arena_printf(c->arena, "too many similar items: more than %zu pairs", c->match.pair_limit);
    ee_collect_note(&c->collector, items->path->text, (ee_reason){.kind = EE_REASON_TEXT, .text = ee_str_from(text)});
  }
  if (c->too_many_keys) {
    result->failed = true;
    ee_collect_note(&c->collector, items->path->text, EE_REASON_OF(EE_ITEM_KEYS_TOO_MANY));
  }
  judge_items(c, result);
  set_attributes(c, result);
  if (!result->failed && !no_candidate) set_score(c, result);
  ee_collect_finish(&c->collector, result);
  result->reasoning = no_candidate ? EE_STR("no candidate document") : reasoning(c);
}

/* Printing ----------------------------------------------------------------------------------------------------------
 */

static void print_column(const ee_item_columns *columns, uint32_t column, ee_buffer *out) {
  const ee_item_column *item = &columns->items[column];
  ee_buffer_add_str(out, item->path != NULL ? item->path->text : item->key);
}

static void print_greedy(const ee_line_items *items, ee_buffer *out) {
  const ee_match_rule *rule = &items->match;
  if (rule->similarity_function != EE_NO_FUNCTION) {
    ee_buffer_add_text(out, "similarity function  (calls Lua)");
  } else if (items->match_score_fields) {
    ee_buffer_add_text(out, "the score fields");
  }
  for (size_t i = 0; i < rule->field_count && !items->match_score_fields; i++) {
    const ee_match_field *field = &rule->fields[i];
    if (i > 0) ee_buffer_add_text(out, ", ");
    if (field->field == NULL) {
      print_column(&items->columns, field->expected_column, out);
      continue;
    }
    ee_field_print(field->field, out);
    if (ee_field_calls_script(field->field)) ee_buffer_add_text(out, "  (calls Lua)");
  }
  char threshold[32];
  ee_double_format_short(rule->threshold, 6, threshold);
  ee_buffer_addf(out, ", threshold %s, method greedy", threshold);
}

static void line_items_print(const ee_judge *judge, ee_buffer *out) {
  const ee_line_items *items = judge->data;
  ee_buffer_addf(out, "  list %.*s\n  match ", (int)items->path->text.length, items->path->text.data);
  switch (items->match.method) {
  case EE_MATCH_GREEDY: print_greedy(items, out); break;
  case EE_MATCH_INDEX: ee_buffer_add_text(out, "method index"); break;
  case EE_MATCH_KEY:
    ee_buffer_add_text(out, "method key, ");
    if (items->match.key_function != EE_NO_FUNCTION) {
      ee_buffer_add_text(out, "function  (calls Lua)");
    } else {
      print_column(&items->columns, items->match.key_column, out);
    }
    break;
  }
  ee_buffer_add_char(out, '\n');
  ee_field_list_print(&items->list, out);
  if (items->automatic != NULL) ee_buffer_add_text(out, "  every key of the items  auto\n");
}

const ee_judge_type ee_line_items_judge = {
    .name = "line_items",
    .help = "Lists of objects: items are paired, then compared field by field.",
    .description =
        "Similarity of a pair is the weighted mean over the match fields: texts 1 - edit distance / longer length "
        "after trim "
        "and casefold, all else 1 when equal, else 0; a strategy in match decides for its field. A match field that is "
        "empty "
        "on both sides is left out, on one side 0; with none left 1 when the items are equal, else 0. Items are equal "
        "without their empty members. Pairs below the "
        "threshold are none. greedy takes the best remaining pair first; ties: more matching score fields, equal "
        "items, the "
        "items' canonical order, index. key pairs equal keys, and items without one that are equal; index "
        "pairs by position; both say similarity 1. Each score field is "
        "then classed as in ee.fields within pairs; an item without partner is an FN, or an FP, for each score field "
        "that it "
        "has. The score is the macro F1 over score fields: an undefined F1 counts 0 if there was an FP or FN, a field "
        "that is "
        "only TN is left out, 1 (vacuous) when none is left and every item has a partner. Without declared fields "
        "every key of "
        "both sides is one, compared by ee.auto, but for those of ee.ignore. Empty items are none. A value that is no "
        "list is "
        "an error of this judge: score 0; so are more than 8,388,608 pairs at or above the threshold, and, "
        "without declared fields, more than 256 distinct keys and 8,388,608 items x keys.",
    .options = ee_line_items_options,
    .compile = ee_line_items_compile,
    .judge_case = line_items_judge_case,
    .print = line_items_print,
};
