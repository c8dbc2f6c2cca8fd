/* calibration_total.c: distinct confidences and their answers. */
#include "run/calibration_total.h"

#include <string.h>

#include "data/json/json_writer.h"
#include "prim/sort.h"

/* Tables ---------------------------------------------------------------------------------------- */

static void table_fini(ee_confidence_table *table) {
  EE_LIST_FINI(table);
  ee_hash_index_fini(&table->index);
}

/* Empties the table and keeps its memory. */
static void table_clear(ee_confidence_table *table) {
  ee_hash_index_clear(&table->index);
  *table = (ee_confidence_table){.items = table->items, .capacity = table->capacity, .index = table->index};
}

static void add_answers(ee_answer_counts *to, const ee_answer_counts *answers) {
  to->right += answers->right;
  to->incorrect += answers->incorrect;
  to->spurious += answers->spurious;
}

static void table_add(ee_confidence_table *table, double confidence, const ee_answer_counts *answers) {
  if (confidence == 0) confidence = 0; /* -0 has other bits */
  uint64_t bits;
  memcpy(&bits, &confidence, sizeof bits);
  uint64_t hash = ee_hash_mix(bits);
  size_t at = 0, number;
  /* ee_hash_mix is a bijection: confidences of equal hash are equal. */
  if (!ee_hash_index_next(&table->index, hash, &at, &number)) {
    number = table->count;
    ee_hash_index_add(&table->index, hash, number);
    *EE_LIST_ADD(table, NULL) = (ee_confidence_count){.confidence = confidence};
  }
  add_answers(&table->items[number].answers, answers);
}

static ee_str copy(ee_arena *arena, ee_str text) {
  return (ee_str){ee_arena_copy(arena, text.data, text.length), text.length};
}

static void add_bad(ee_confidence_table *table, const ee_value *found, ee_str id, ee_arena *names, ee_buffer *text) {
  table->bad++;
  if (!ee_case_example_wants(&table->bad_case, id)) return;
  ee_buffer_clear(text);
  if (ee_type_of(found) == EE_STRING)
    ee_buffer_add_str(text, ee_value_text(found));
  else if (found != NULL)
    ee_json_write_value(text, found);
  ee_str value = {text->data, text->length};
  value.length = ee_utf8_cut(value, EE_CONFIDENCE_BYTES);
  ee_case_example_offer(&table->bad_case, names, id, value, EE_STR(""));
}

static void add_value(ee_confidence_table *table, const ee_confidence_value *value, ee_str id, ee_arena *names,
                      ee_buffer *text) {
  ee_answer_counts answers = {
      .right = value->right, .incorrect = !value->right && !value->spurious, .spurious = value->spurious};
  switch (value->state) {
  case EE_CONFIDENCE_READ: table_add(table, value->confidence, &answers); return;
  case EE_CONFIDENCE_ABSTAINED:
    table->silent_right += value->right;
    table->silent_wrong += !value->right;
    return;
  case EE_CONFIDENCE_MISSING:
    table->missing++;
    if (ee_case_example_wants(&table->missing_case, id))
      ee_case_example_offer(&table->missing_case, names, id, EE_STR(""), EE_STR(""));
    break;
  case EE_CONFIDENCE_BAD: add_bad(table, value->found, id, names, text); break;
  case EE_CONFIDENCE_NONE: table->none = true; break;
  }
  add_answers(&table->unsure, &answers);
}

static void table_merge(ee_confidence_table *to, const ee_confidence_table *from, ee_arena *names) {
  for (size_t i = 0; i < from->count; i++) table_add(to, from->items[i].confidence, &from->items[i].answers);
  add_answers(&to->unsure, &from->unsure);
  to->silent_right += from->silent_right;
  to->silent_wrong += from->silent_wrong;
  to->missing += from->missing;
  to->bad += from->bad;
  to->none |= from->none;
  to->several |= from->several;
  ee_case_example_merge(&to->missing_case, names, &from->missing_case);
  ee_case_example_merge(&to->bad_case, names, &from->bad_case);
}

/* Totals ---------------------------------------------------------------------------------------- */

void ee_calibration_total_fini(ee_calibration_total *total) {
  table_fini(&total->documents);
  for (size_t i = 0; i < total->ready; i++) table_fini(&total->items[i]);
  EE_LIST_FINI(total);
  *total = (ee_calibration_total){0};
}

void ee_calibration_total_clear(ee_calibration_total *total) {
  table_clear(&total->documents);
  for (size_t i = 0; i < total->count; i++) table_clear(&total->items[i]);
  *total = (ee_calibration_total){
      .documents = total->documents, .items = total->items, .capacity = total->capacity, .ready = total->ready};
}

/* The table of the field, added if it is new. Values come in the order of the fields: the next one is likely that after
 * `*guess`. */
static ee_confidence_table *table_of(ee_calibration_total *total, ee_str name, size_t *guess, ee_arena *names) {
  for (size_t k = 0; k < total->count; k++) {
    size_t number = (*guess + k) % total->count;
    if (!ee_str_equal(total->items[number].name, name)) continue;
    *guess = number;
    return &total->items[number];
  }
  if (total->count == total->ready) {
    EE_LIST_RESERVE(total, NULL, 1);
    total->items[total->ready++] = (ee_confidence_table){0};
  }
  *guess = total->count;
  ee_confidence_table *table = &total->items[total->count++];
  table->name = copy(names, name);
  return table;
}

static int compare_costs(const ee_value_costs *a, const ee_value_costs *b) {
  if (a->incorrect != b->incorrect) return a->incorrect < b->incorrect ? -1 : 1;
  if (a->missing != b->missing) return a->missing < b->missing ? -1 : 1;
  return (a->spurious > b->spurious) - (a->spurious < b->spurious);
}

static void add_cost(ee_calibration_total *total, const ee_value_costs *costs) {
  int order = total->has_cost ? compare_costs(costs, &total->costs) : 0;
  total->other_costs |= order != 0;
  if (order < 0 || !total->has_cost) total->costs = *costs;
  total->has_cost = true;
}

void ee_calibration_total_add(ee_calibration_total *total, const ee_confidences *confidences, bool clustered, ee_str id,
                              ee_arena *names, ee_buffer *text) {
  if (confidences == NULL) return;
  total->cases++;
  total->clustered += clustered;
  if (confidences->has_cost) {
    add_cost(total, &confidences->costs);
    ee_sample_add(&total->cost, confidences->cost);
  }
  size_t guess = 0;
  for (size_t i = 0; i < confidences->count; i++) {
    const ee_confidence_value *value = &confidences->items[i];
    ee_confidence_table *table = table_of(total, value->field, &guess, names);
    table->several |= table->last_case == total->cases;
    table->last_case = total->cases;
    add_value(table, value, id, names, text);
    guess++;
  }
  if (confidences->has_document) add_value(&total->documents, &confidences->document, id, names, text);
}

void ee_calibration_total_merge(ee_calibration_total *total, const ee_calibration_total *from, ee_arena *names) {
  total->cases += from->cases;
  total->clustered += from->clustered;
  if (from->has_cost) {
    add_cost(total, &from->costs);
    total->other_costs |= from->other_costs;
    ee_sample_merge(&total->cost, &from->cost);
  }
  size_t guess = 0;
  for (size_t i = 0; i < from->count; i++, guess++)
    table_merge(table_of(total, from->items[i].name, &guess, names), &from->items[i], names);
  table_merge(&total->documents, &from->documents, names);
}

static bool name_before(const ee_confidence_table *a, const ee_confidence_table *b) {
  return ee_str_compare(a->name, b->name) < 0;
}
EE_DEFINE_SORT(sort_tables, ee_confidence_table, name_before)

void ee_calibration_total_settle(ee_calibration_total *total) {
  ee_arena scratch;
  ee_arena_init(&scratch, 0);
  sort_tables(total->items, total->count, &scratch);
  ee_arena_fini(&scratch);
}

/* Reading them ---------------------------------------------------------------------------------- */

ee_answer_counts ee_confidence_table_answers(const ee_confidence_table *table) {
  ee_answer_counts all = table->unsure;
  for (size_t i = 0; i < table->count; i++) add_answers(&all, &table->items[i].answers);
  return all;
}

static bool is_lower(const ee_confident *a, const ee_confident *b) { return a->confidence < b->confidence; }
EE_DEFINE_SORT(sort_confidents, ee_confident, is_lower)

const ee_confident *ee_confidence_table_sorted(const ee_confidence_table *table, ee_arena *arena) {
  ee_confident *sorted = EE_NEW_ARRAY(arena, ee_confident, table->count);
  for (size_t i = 0; i < table->count; i++) {
    const ee_answer_counts *answers = &table->items[i].answers;
    sorted[i] = (ee_confident){table->items[i].confidence, answers->right, answers->incorrect + answers->spurious};
  }
  sort_confidents(sorted, table->count, arena);
  return sorted;
}

static bool is_less_sure(const ee_confidence_count *a, const ee_confidence_count *b) {
  return a->confidence < b->confidence;
}
EE_DEFINE_SORT(sort_counts, ee_confidence_count, is_less_sure)

ee_cheapest ee_calibration_cheapest(const ee_confidence_table *tables, size_t count, ee_value_costs costs,
                                    ee_arena *scratch) {
  size_t all = 0;
  for (size_t i = 0; i < count; i++) all += tables[i].count;
  ee_confidence_count *sorted = EE_NEW_ARRAY(scratch, ee_confidence_count, all);
  ee_cheapest best = {0};
  size_t filled = 0;
  for (size_t i = 0; i < count; i++) {
    if (tables[i].count > 0) memcpy(sorted + filled, tables[i].items, tables[i].count * sizeof *sorted);
    filled += tables[i].count;
    ee_answer_counts answers = ee_confidence_table_answers(&tables[i]);
    best.now += costs.incorrect * (double)answers.incorrect + costs.spurious * (double)answers.spurious +
                costs.missing * (double)tables[i].silent_wrong;
  }
  sort_counts(sorted, all, scratch);
  best.cost = best.now;
  double cost = best.now;
  uint64_t left_out = 0;
  for (size_t i = 0; i < all; i++) {
    const ee_answer_counts *answers = &sorted[i].answers;
    cost += (costs.missing - costs.incorrect) * (double)answers->incorrect + costs.missing * (double)answers->right -
            costs.spurious * (double)answers->spurious;
    left_out += answers->right + answers->incorrect + answers->spurious;
    bool last_of_equal = i + 1 == all || sorted[i + 1].confidence > sorted[i].confidence;
    if (!last_of_equal || !(cost < best.cost)) continue;
    best.cost = cost;
    best.threshold = i + 1 < all ? sorted[i + 1].confidence : 2;
    best.left_out = left_out;
  }
  return best;
}

/* State ----------------------------------------------------------------------------------------- */

static void answers_state(ee_state_line *line, ee_answer_counts *answers) {
  ee_state_count(line, &answers->right);
  ee_state_count(line, &answers->incorrect);
  ee_state_count(line, &answers->spurious);
}

static void confidences_state(ee_state_line *line, ee_confidence_table *table) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_confidence_count *sorted = EE_NEW_ARRAY(&arena, ee_confidence_count, table->count);
  if (table->count > 0) memcpy(sorted, table->items, table->count * sizeof *sorted);
  sort_counts(sorted, table->count, &arena);
  ee_state_begin_packed(line);
  size_t count = ee_state_items(line, table->count);
  for (size_t i = 0; ee_state_goes_on(line, i, count); i++) {
    ee_confidence_count item = {0};
    if (!ee_state_reading(line)) item = sorted[i];
    ee_state_real(line, &item.confidence);
    answers_state(line, &item.answers);
    if (!(item.confidence >= 0 && item.confidence <= 1)) ee_state_fail(line);
    if (ee_state_reading(line) && !ee_state_failed(line)) table_add(table, item.confidence, &item.answers);
  }
  ee_state_end(line);
  ee_state_end_packed(line);
  ee_arena_fini(&arena);
}

EE_STATE_COVERS(ee_confidence_table, 144 + 2 * sizeof(ee_case_example));

static void table_state(ee_state_line *line, ee_confidence_table *table, ee_arena *names) {
  ee_state_begin(line);
  ee_state_text(line, names, &table->name);
  confidences_state(line, table);
  answers_state(line, &table->unsure);
  ee_state_count(line, &table->silent_right);
  ee_state_count(line, &table->silent_wrong);
  ee_state_count(line, &table->missing);
  ee_state_count(line, &table->bad);
  ee_state_flag(line, &table->none);
  ee_state_flag(line, &table->several);
  ee_case_example_state(line, names, &table->missing_case);
  ee_case_example_state(line, names, &table->bad_case);
  ee_state_end(line);
}

EE_STATE_COVERS(ee_calibration_total, 144 + sizeof(ee_confidence_table));

void ee_calibration_total_state(ee_state_line *line, ee_arena *names, ee_calibration_total *total) {
  ee_state_begin(line);
  table_state(line, &total->documents, names);
  size_t count = ee_state_items(line, total->count);
  for (size_t i = 0; ee_state_goes_on(line, i, count); i++) {
    ee_confidence_table read = {0};
    table_state(line, ee_state_reading(line) ? &read : &total->items[i], names);
    if (!ee_state_reading(line)) continue;
    *EE_LIST_ADD(total, NULL) = read;
    total->ready++;
  }
  ee_state_end(line);
  ee_state_count(line, &total->cases);
  ee_state_count(line, &total->clustered);
  ee_state_sample(line, &total->cost);
  ee_state_flag(line, &total->has_cost);
  ee_state_real(line, &total->costs.incorrect);
  ee_state_real(line, &total->costs.missing);
  ee_state_real(line, &total->costs.spurious);
  ee_state_flag(line, &total->other_costs);
  ee_state_end(line);
}
