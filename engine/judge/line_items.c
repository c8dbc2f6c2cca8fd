/* line_items.c: ee.line_items, lists of objects: first paired, then compared field by field. */
#include "judge/line_items.h"

#include "judge/aggregate.h"
#include "judge/collect.h"
#include "prim/number.h"

/* Where the keys come from the data, there is a cell for every item and every key. With up to KEYS_UNBOUNDED keys that
 * is a table like any other. With more the keys themselves may be data, cells grow with the square of the list, and a
 * case has at most CELL_LIMIT of them, of 8 bytes each. */
#define KEYS_UNBOUNDED 256
#define CELL_LIMIT ((size_t)1 << 23)

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
  bool too_many_keys;    /* above CELL_LIMIT: no field is judged, and only equal items are paired */
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

/* Keys of the data --------------------------------------------------------------------------------------------------
 */

/* What finds the score fields of a case whose rule names none. */
typedef struct key_finder {
  items_case *c;
  ee_item_columns *columns;
  ee_item_guess guess;
  uint32_t *found; /* columns of the keys in order of appearance */
  size_t count, capacity;
  bool *seen; /* per column, up to seen_count */
  size_t seen_count;
} key_finder;

static bool is_ignored(const ee_line_items *items, ee_str key) {
  for (size_t i = 0; i < items->list.ignored_count; i++) {
    const ee_path *path = items->list.ignored[i].expected_path;
    if (path->count == 1 && path->steps[0].kind != EE_STEP_INDEX && ee_str_equal(path->steps[0].key, key)) return true;
  }
  return false;
}

static void *larger(ee_arena *arena, const void *old, size_t old_size, size_t new_size) {
  char *memory = ee_arena_calloc(arena, new_size, 1);
  if (old_size > 0) memcpy(memory, old, old_size);
  return memory;
}

/* Notes the key in `column` (of `finder->columns`) as a score field, once. */
static void note_key(key_finder *finder, uint32_t column) {
  if (column >= finder->seen_count) {
    size_t wanted = column < 16 ? 32 : (size_t)column * 2;
    finder->seen = larger(finder->c->arena, finder->seen, finder->seen_count, wanted);
    finder->seen_count = wanted;
  }
  if (finder->seen[column]) return;
  finder->seen[column] = true;
  if (finder->count == finder->capacity) {
    size_t wanted = finder->capacity < 16 ? 32 : finder->capacity * 2;
    finder->found =
        larger(finder->c->arena, finder->found, finder->count * sizeof *finder->found, wanted * sizeof *finder->found);
    finder->capacity = wanted;
  }
  finder->found[finder->count++] = column;
}

static void find_keys(key_finder *finder, const ee_value *item) {
  if (ee_type_of(item) != EE_OBJECT) return;
  uint32_t position = 0;
  for (const ee_value *member = ee_value_child(item); member != NULL; member = ee_value_next(member), position++) {
    ee_str key = ee_value_key(member);
    uint32_t before = finder->columns->count;
    uint32_t column = ee_item_guess_column(&finder->guess, finder->columns, position, key);
    if (column == EE_NO_COLUMN) {
      if (is_ignored(finder->c->items, key)) continue;
      column = ee_item_columns_add_key(finder->columns, key);
      if (position < EE_ITEM_GUESSES) finder->guess.members[position].column = column;
    }
    if (column < before && column < finder->seen_count && finder->seen[column]) continue;
    if (!is_ignored(finder->c->items, key)) note_key(finder, column);
  }
}

/* A field by key, compared by ee.auto. */
static void make_field(items_case *c, ee_str key, ee_field *field) {
  ee_step *step = ee_arena_alloc(c->arena, sizeof *step);
  *step = (ee_step){.kind = EE_STEP_KEY, .key = key};
  ee_path *path = ee_arena_alloc(c->arena, sizeof *path);
  *path = (ee_path){.text = key, .steps = step, .count = 1};
  *field = (ee_field){.name = key,
                      .expected_path = path,
                      .candidate_path = path,
                      .strategy = c->items->automatic,
                      .weight = 1,
                      .required = true,
                      .when = EE_NO_FUNCTION};
}

static bool has_too_many(const items_case *c, const ee_item_columns *columns) {
  size_t rows = (size_t)c->expected.rows + c->candidate.rows;
  return columns->count > KEYS_UNBOUNDED && rows * columns->count > CELL_LIMIT;
}

/* The keys of all items; false when there are too many. Candidate items that are paired as equal have no other keys
 * than their partners, but for those of empty members. */
static bool find_all_keys(key_finder *finder) {
  const items_case *c = finder->c;
  for (uint32_t i = 0; i < c->expected.rows && !has_too_many(c, finder->columns); i++) {
    find_keys(finder, c->expected.items[i]);
  }
  for (uint32_t i = 0; i < c->candidate.rows && !has_too_many(c, finder->columns); i++) {
    bool paired = c->aligner.expected_of[i] != EE_UNPAIRED;
    if (!paired || ee_item_filled(&c->candidate, i) != c->candidate.items[i]) find_keys(finder, c->candidate.items[i]);
  }
  return !has_too_many(c, finder->columns);
}

/* Makes every key of the items a score field. */
static void fields_from_data(items_case *c, ee_item_columns *columns) {
  ee_item_columns_copy(columns, &c->items->columns, c->arena);
  key_finder finder = {.c = c, .columns = columns};
  c->too_many_keys = !find_all_keys(&finder);
  if (c->too_many_keys) return;
  ee_item_field *fields = ee_arena_alloc(c->arena, finder.count * sizeof *fields);
  ee_field *made = ee_arena_alloc(c->arena, finder.count * sizeof *made);
  for (size_t i = 0; i < finder.count; i++) {
    make_field(c, columns->items[finder.found[i]].key, &made[i]);
    fields[i] = (ee_item_field){&made[i], finder.found[i], finder.found[i]};
  }
  c->fields = fields;
  c->field_count = finder.count;
  if (!c->items->match_score_fields) return;
  ee_match_field *match = ee_arena_alloc(c->arena, finder.count * sizeof *match);
  for (size_t i = 0; i < finder.count; i++) {
    match[i] = (ee_match_field){.field = &made[i],
                                .empty = made[i].strategy->empty,
                                .weight = 1,
                                .expected_column = fields[i].expected_column,
                                .candidate_column = fields[i].candidate_column};
  }
  c->match.fields = match;
  c->match.field_count = finder.count;
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
  ee_item_columns own;
  if (items->automatic != NULL) {
    fields_from_data(c, &own);
    if (c->too_many_keys) return;
    columns = &own;
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
  align(c);
  if (c->aligner.too_many) {
    result->failed = true;
    const char *text = ee_arena_printf(c->arena, "too many similar items: more than %zu pairs", c->match.pair_limit);
    ee_collect_note(&c->collector, items->path->text, (ee_reason){.kind = EE_REASON_TEXT, .text = ee_str_from(text)});
  }
  if (c->too_many_keys) {
    result->failed = true;
    ee_collect_note(&c->collector, items->path->text,
                    EE_REASON_OF("too many distinct keys: more than 8388608 items x keys"));
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
