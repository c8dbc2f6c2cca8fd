/* similarity.c: the weighted mean over match fields; stops as soon as the threshold is out of reach. */
#include "judge/pairing/similarity.h"

#include <math.h>

#include "judge/fields/alternatives.h"
#include "judge/plan.h"
#include "prim/edit.h"
#include "prim/normalize.h"
#include "prim/number.h"
#include "prim/sort.h"

#define LIMITS (sizeof((ee_similarity *)NULL)->limits / sizeof(uint32_t))

/* The rounding error of a sum of terms: closer to the threshold the mean is computed to the end. */
#define SLACK 0x1p-30

/* Preparing ------------------------------------------------------------------------------------- */

static void read_cell(const ee_match_field *field, const ee_value *value, ee_arena *arena, ee_match_cell *cell) {
  static const uint8_t forms[] = {EE_NORMAL_TRIM, EE_NORMAL_CASEFOLD};
  cell->value = value;
  cell->may_be_empty = false;
  if (ee_value_is_empty(value, &field->empty)) {
    cell->kind = EE_CELL_EMPTY;
  } else if (field->field == NULL && ee_type_of(value) == EE_STRING) {
    cell->kind = EE_CELL_TEXT;
    cell->text = ee_normalize(ee_value_text(value), forms, sizeof forms, arena);
  } else {
    cell->kind = EE_CELL_OTHER;
  }
}

/* A field whose expected value may hold several correct answers: without one it is empty. */
static void prepare_several(const ee_match_field *field, const ee_value *value, ee_match_cell *cell) {
  ee_alternatives answers = ee_alternatives_of(field->field, value);
  if (!answers.several) return;
  cell->kind = answers.filled > 0 ? EE_CELL_OTHER : EE_CELL_EMPTY;
  cell->may_be_empty = answers.may_be_empty;
}

typedef enum side { EXPECTED, CANDIDATE } side;

static ee_match_cell *read_cells(const ee_match_rule *rule, const ee_item_table *table, side which,
                                 const uint32_t *rows, size_t count, ee_arena *arena) {
  ee_match_cell *cells = ee_arena_alloc(arena, (size_t)table->rows * rule->field_count * sizeof *cells);
  for (size_t i = 0; i < count; i++) {
    for (size_t k = 0; k < rule->field_count; k++) {
      const ee_match_field *field = &rule->fields[k];
      uint32_t column = which == CANDIDATE ? field->candidate_column : field->expected_column;
      const ee_value *value = ee_item_cell(table, rows[i], column);
      ee_match_cell *cell = &cells[rows[i] * rule->field_count + k];
      read_cell(field, value, arena, cell);
      bool several = field->field != NULL && field->field->several != EE_SEVERAL_NONE;
      if (several && which == EXPECTED) prepare_several(field, value, cell);
    }
  }
  return cells;
}

static void prepare_texts(ee_match_cell *cells, size_t field_count, const uint32_t *rows, size_t count,
                          ee_arena *arena) {
  for (size_t i = 0; i < count; i++) {
    for (size_t k = 0; k < field_count; k++) {
      ee_match_cell *cell = &cells[rows[i] * field_count + k];
      if (cell->kind != EE_CELL_TEXT) continue;
      ee_edit_text *prepared = ee_arena_alloc(arena, sizeof *prepared);
      ee_edit_text_init(prepared, cell->text, arena);
      cell->prepared = prepared;
      cell->length = prepared->length;
    }
  }
}

static void set_bit(uint64_t *bits, size_t at) { bits[at / 64] |= UINT64_C(1) << (at % 64); }

/* Which fields the listed rows have, and how many these are together. Where keys are data there are many fields, of
 * which an item has few. */
static uint64_t *find_filled(const ee_similarity *similarity, const ee_match_cell *cells, uint32_t table_rows,
                             const uint32_t *rows, size_t count, uint64_t *together) {
  size_t fields = similarity->rule->field_count, words = similarity->field_words;
  uint64_t *filled = EE_NEW_ARRAY(similarity->context->arena, uint64_t, table_rows * words);
  *together = 0;
  for (size_t i = 0; i < count; i++) {
    for (size_t k = 0; k < fields; k++) {
      if (cells[rows[i] * fields + k].kind == EE_CELL_EMPTY) continue;
      set_bit(filled + rows[i] * words, k);
      ++*together;
    }
  }
  return filled;
}

/* A candidate item with a text. */
typedef struct column_text {
  ee_str text;
  uint32_t column;
} column_text;

static bool text_before(const column_text *a, const column_text *b) { return ee_str_compare(a->text, b->text) < 0; }

EE_DEFINE_SORT(sort_texts, column_text, text_before)

/* The candidate texts of a single match field, which each expected text is compared with in one go. Texts that begin
 * alike are together, so that most batches are decided as a whole. */
static void make_batches(ee_similarity *similarity) {
  ee_arena *arena = similarity->context->arena;
  similarity->words = (similarity->candidate->rows + 63) / 64;
  similarity->open = ee_arena_alloc(arena, similarity->words * sizeof *similarity->open);
  similarity->others = EE_NEW_ARRAY(arena, uint64_t, similarity->words);
  similarity->distances = ee_arena_alloc(arena, similarity->candidate->rows * sizeof *similarity->distances);
  column_text *sorted = ee_arena_alloc(arena, similarity->column_count * sizeof *sorted);
  size_t count = 0;
  for (size_t i = 0; i < similarity->column_count; i++) {
    const ee_match_cell *cell = &similarity->candidate_cells[similarity->columns[i]];
    if (cell->kind == EE_CELL_TEXT)
      sorted[count++] = (column_text){cell->text, similarity->columns[i]};
    else
      set_bit(similarity->others, similarity->columns[i]);
  }
  if (count > EE_EDIT_BATCH) sort_texts(sorted, count, arena);
  const ee_edit_text **texts = ee_arena_alloc(arena, count * sizeof *texts);
  similarity->batch_columns = ee_arena_alloc(arena, count * sizeof *similarity->batch_columns);
  for (size_t i = 0; i < count; i++) {
    similarity->batch_columns[i] = sorted[i].column;
    texts[i] = similarity->candidate_cells[sorted[i].column].prepared;
  }
  similarity->batch_count = (count + EE_EDIT_BATCH - 1) / EE_EDIT_BATCH;
  similarity->batches = ee_arena_alloc(arena, similarity->batch_count * sizeof *similarity->batches);
  similarity->bounds = NULL;
  if (similarity->batch_count > 1)
    similarity->bounds = ee_arena_alloc(arena, similarity->batch_count * sizeof *similarity->bounds);
  for (size_t i = 0; i < similarity->batch_count; i++) {
    size_t first = i * EE_EDIT_BATCH, rest = count - first;
    size_t size = rest < EE_EDIT_BATCH ? rest : EE_EDIT_BATCH;
    ee_edit_batch_init(&similarity->batches[i], texts + first, size, arena);
    if (similarity->bounds != NULL) ee_edit_bounds_init(&similarity->bounds[i], texts + first, size);
  }
}

void ee_similarity_start(ee_similarity *similarity, const ee_match_rule *rule, ee_context *context,
                         const ee_item_table *expected, const uint32_t *expected_rows, size_t expected_count,
                         const ee_item_table *candidate, const uint32_t *candidate_rows, size_t candidate_count) {
  similarity->rule = rule;
  similarity->context = context;
  similarity->expected = expected;
  similarity->candidate = candidate;
  similarity->expected_cells = NULL;
  similarity->candidate_cells = NULL;
  memset(similarity->limits, 0, sizeof similarity->limits);
  if (rule->similarity_function != EE_NO_FUNCTION) return;
  ee_arena *arena = context->arena;
  similarity->expected_cells = read_cells(rule, expected, EXPECTED, expected_rows, expected_count, arena);
  similarity->candidate_cells = read_cells(rule, candidate, CANDIDATE, candidate_rows, candidate_count, arena);
}

void ee_similarity_prepare(ee_similarity *similarity, const uint32_t *expected_rows, size_t expected_count,
                           const uint32_t *candidate_rows, size_t candidate_count) {
  similarity->columns = candidate_rows;
  similarity->column_count = candidate_count;
  const ee_match_rule *rule = similarity->rule;
  if (rule->similarity_function != EE_NO_FUNCTION) return;
  ee_arena *arena = similarity->context->arena;
  prepare_texts(similarity->expected_cells, rule->field_count, expected_rows, expected_count, arena);
  prepare_texts(similarity->candidate_cells, rule->field_count, candidate_rows, candidate_count, arena);
  uint64_t filled_expected;
  similarity->field_words = (rule->field_count + 63) / 64;
  similarity->expected_filled = find_filled(similarity, similarity->expected_cells, similarity->expected->rows,
                                            expected_rows, expected_count, &filled_expected);
  similarity->candidate_filled = find_filled(similarity, similarity->candidate_cells, similarity->candidate->rows,
                                             candidate_rows, candidate_count, &similarity->filled_candidates);
  if (rule->field_count == 1) make_batches(similarity);
}

/* Comparing ------------------------------------------------------------------------------------- */

static size_t compute_limit(ee_similarity *similarity, size_t longer) {
  size_t limit = ee_edit_limit(similarity->rule->threshold, longer);
  if (longer < LIMITS) similarity->limits[longer] = limit == SIZE_MAX ? UINT32_MAX : (uint32_t)limit + 1;
  return limit;
}

/* The largest distance of two texts, the longer of `longer` code points, whose similarity alone reaches the threshold;
 * SIZE_MAX when none does. */
static inline size_t edit_limit(ee_similarity *similarity, size_t longer) {
  if (longer >= LIMITS || similarity->limits[longer] == 0) return compute_limit(similarity, longer);
  uint32_t stored = similarity->limits[longer];
  return stored == UINT32_MAX ? SIZE_MAX : stored - 1;
}

static size_t longer_of(const ee_match_cell *a, const ee_match_cell *b) {
  return a->length > b->length ? a->length : b->length;
}

/* The largest distance of texts of these lengths that reaches the threshold; it grows with the longer one. */
static inline size_t limit_of_lengths(ee_similarity *similarity, size_t a, size_t b) {
  size_t longer = a > b ? a : b;
  return longer == 0 ? 0 : edit_limit(similarity, longer);
}

/* True if the rule compares nothing but two texts, and the same text reaches the threshold. */
static bool same_text_reaches(ee_similarity *similarity) {
  const ee_match_rule *rule = similarity->rule;
  return rule->similarity_function == EE_NO_FUNCTION && rule->field_count == 1 && edit_limit(similarity, 1) != SIZE_MAX;
}

/* A text and who has it: the last row of each side, and how many there are. */
typedef struct shared_text {
  uint32_t row, column, rows, columns;
} shared_text;

/* The place of `text` in `texts`, whose index it is; SIZE_MAX: not found. */
static size_t find_text(const ee_similarity *similarity, const ee_hash_index *index, const shared_text *texts,
                        ee_str text, uint64_t hash) {
  size_t at = 0, found;
  while (ee_hash_index_next(index, hash, &at, &found))
    if (ee_str_equal(similarity->expected_cells[texts[found].row].text, text)) return found;
  return SIZE_MAX;
}

size_t ee_similarity_same(ee_similarity *similarity, const uint32_t *expected_rows, size_t expected_count,
                          const uint32_t *candidate_rows, size_t candidate_count, ee_row_pair *pairs) {
  if (!same_text_reaches(similarity)) return 0;
  ee_arena *arena = similarity->context->arena;
  ee_arena_mark mark = ee_arena_get_mark(arena);
  shared_text *texts = ee_arena_alloc(arena, expected_count * sizeof *texts);
  ee_hash_index index = {.arena = arena};
  ee_hash_index_reserve(&index, expected_count);
  for (size_t i = 0; i < expected_count; i++) {
    const ee_match_cell *cell = &similarity->expected_cells[expected_rows[i]];
    if (cell->kind != EE_CELL_TEXT) continue;
    uint64_t hash = ee_hash_bytes(cell->text.data, cell->text.length, 0);
    size_t at = find_text(similarity, &index, texts, cell->text, hash);
    if (at == SIZE_MAX) {
      at = index.count;
      ee_hash_index_add(&index, hash, at);
      texts[at] = (shared_text){.row = expected_rows[i]};
    }
    texts[at].rows++;
  }
  for (size_t i = 0; i < candidate_count; i++) {
    const ee_match_cell *cell = &similarity->candidate_cells[candidate_rows[i]];
    if (cell->kind != EE_CELL_TEXT) continue;
    uint64_t hash = ee_hash_bytes(cell->text.data, cell->text.length, 0);
    size_t at = find_text(similarity, &index, texts, cell->text, hash);
    if (at == SIZE_MAX) continue;
    texts[at].column = candidate_rows[i];
    texts[at].columns++;
  }
  size_t count = 0;
  for (size_t i = 0; i < index.count; i++)
    if (texts[i].rows == 1 && texts[i].columns == 1) pairs[count++] = (ee_row_pair){texts[i].row, texts[i].column};
  ee_arena_rewind(arena, mark);
  return count;
}

/* Opens the texts of a batch that are near enough to the text `a`. */
static void compare_batch(ee_similarity *similarity, const ee_match_cell *a, size_t at) {
  const ee_edit_batch *batch = &similarity->batches[at];
  const uint32_t *columns = similarity->batch_columns + at * EE_EDIT_BATCH;
  if (similarity->bounds != NULL) {
    const ee_edit_bounds *bounds = &similarity->bounds[at];
    if (ee_edit_is_beyond(bounds, a->prepared, limit_of_lengths(similarity, a->length, bounds->longest))) return;
  }
  size_t limits[EE_EDIT_BATCH], distances[EE_EDIT_BATCH];
  for (size_t k = 0; k < batch->count; k++) limits[k] = limit_of_lengths(similarity, a->length, batch->lengths[k]);
  ee_edit_batch_distances(batch, a->prepared, limits, distances, similarity->context->arena);
  for (size_t k = 0; k < batch->count; k++) {
    if (distances[k] > limits[k]) continue;
    similarity->distances[columns[k]] = (uint32_t)distances[k];
    set_bit(similarity->open, columns[k]);
  }
}

/* Units of a pair; of a field that one of its items has, and of 64 fields that are looked at together. */
#define PAIR_WORK 40
#define FIELD_WORK 4

uint64_t ee_similarity_work(const ee_similarity *similarity, uint32_t row) {
  const ee_match_rule *rule = similarity->rule;
  uint64_t work = PAIR_WORK * (uint64_t)similarity->column_count;
  if (rule->similarity_function != EE_NO_FUNCTION || rule->field_count <= 1) return work;
  const uint64_t *filled = similarity->expected_filled + row * similarity->field_words;
  uint64_t fields = similarity->field_words;
  for (size_t i = 0; i < similarity->field_words; i++) fields += (uint64_t)__builtin_popcountll(filled[i]);
  return work + FIELD_WORK * (fields * similarity->column_count + similarity->filled_candidates);
}

size_t ee_similarity_open(ee_similarity *similarity, uint32_t row, uint32_t *columns) {
  const ee_match_rule *rule = similarity->rule;
  bool is_text = rule->similarity_function == EE_NO_FUNCTION && rule->field_count == 1 &&
                 similarity->expected_cells[row].kind == EE_CELL_TEXT;
  if (!is_text) {
    memcpy(columns, similarity->columns, similarity->column_count * sizeof *columns);
    return similarity->column_count;
  }
  if (edit_limit(similarity, 1) == SIZE_MAX) return 0; /* not even the same text reaches the threshold */
  memcpy(similarity->open, similarity->others, similarity->words * sizeof *similarity->open);
  for (size_t i = 0; i < similarity->batch_count; i++) compare_batch(similarity, &similarity->expected_cells[row], i);
  size_t count = 0;
  for (size_t i = 0; i < similarity->words; i++)
    for (uint64_t word = similarity->open[i]; word != 0; word &= word - 1)
      columns[count++] = (uint32_t)(64 * i) + (uint32_t)__builtin_ctzll(word);
  return count;
}

static bool equal_items(const ee_similarity *similarity, uint32_t row, uint32_t column) {
  const ee_value *a = ee_item_filled(similarity->expected, row), *b = ee_item_filled(similarity->candidate, column);
  return ee_value_hash(a) == ee_value_hash(b) && ee_items_equal(similarity->expected, a, b);
}

/* A field without a strategy that has values on both sides; negative when it is below `needed`. */
static double plain_score(const ee_empty_rule *empty, const ee_match_cell *a, const ee_match_cell *b, double needed,
                          ee_arena *arena) {
  if (a->kind != b->kind) return 0;
  if (a->kind == EE_CELL_OTHER) return ee_value_equal_by(a->value, b->value, empty, arena) ? 1 : 0;
  size_t longer = longer_of(a, b);
  size_t limit = longer;
  if (needed > 0 && needed <= 1) limit = (size_t)floor((1 - needed) * (double)longer) + 1;
  size_t distance = ee_edit_distance(a->prepared, b->prepared, limit, arena);
  return distance > limit ? -1 : ee_edit_similarity(distance, longer);
}

static double strategy_score(ee_similarity *similarity, const ee_field *field, uint32_t row, uint32_t column,
                             const ee_match_cell *a, const ee_match_cell *b) {
  ee_script_place place = ee_field_place(field, similarity->expected->items[row], similarity->candidate->items[column]);
  ee_field_outcome outcome;
  ee_alternatives answers = {0};
  if (field->several != EE_SEVERAL_NONE) answers = ee_alternatives_of(field, a->value);
  if (answers.several)
    ee_alternatives_judge(field, similarity->context, answers.answers, b->value, &place, &outcome);
  else
    ee_strategy_compare(field->strategy, similarity->context, a->value, b->value, &place, &outcome.comparison);
  return outcome.comparison.score;
}

/* The fields that at least one item of a pair has, ascending. */
typedef struct field_walk {
  const uint64_t *a, *b; /* what each of the two has */
  size_t words, next;    /* of `a` and `b`: how many, and the next one to look at */
  uint64_t rest;         /* of the word before that */
} field_walk;

static inline bool next_field(field_walk *walk, size_t *field) {
  for (; walk->rest == 0; walk->next++) {
    if (walk->next == walk->words) return false;
    walk->rest = walk->a[walk->next] | walk->b[walk->next];
  }
  *field = 64 * (walk->next - 1) + (size_t)__builtin_ctzll(walk->rest);
  walk->rest &= walk->rest - 1;
  return true;
}

/* True when `field`, which one of the two has, does not count for this pair. */
static bool is_left_out(const ee_match_field *field, const ee_match_cell *a, const ee_match_cell *b) {
  return b->kind == EE_CELL_EMPTY && field->field != NULL && (a->may_be_empty || !field->field->required);
}

static bool call_function(ee_similarity *similarity, uint32_t row, uint32_t column, double *value) {
  ee_context *context = similarity->context;
  ee_error error = {0};
  ee_status status = context->plan->vtable->similarity(context->script, similarity->rule->similarity_function,
                                                       similarity->expected->items[row],
                                                       similarity->candidate->items[column], value, &error);
  if (status == EE_OK && !ee_score_round(value)) {
    status = ee_error_set(&error, EE_ERROR_RULES, "a similarity outside 0..1: %.17g", *value);
  }
  if (status == EE_OK) return ee_score_reaches(*value, similarity->rule->threshold);
  ee_context_rule_error(context, &error);
  return false;
}

bool ee_similarity_reaches(ee_similarity *similarity, uint32_t row, uint32_t column, double *value) {
  const ee_match_rule *rule = similarity->rule;
  if (rule->similarity_function != EE_NO_FUNCTION) return call_function(similarity, row, column, value);
  size_t count = rule->field_count;
  const ee_match_cell *a = similarity->expected_cells + row * count;
  const ee_match_cell *b = similarity->candidate_cells + column * count;
  /* The usual case: one field, a string. The threshold is decided on the distance, a whole number. */
  if (count == 1 && a->kind == EE_CELL_TEXT && b->kind == EE_CELL_TEXT) {
    *value = ee_edit_similarity(similarity->distances[column], longer_of(a, b));
    return true;
  }

  const field_walk all = {.a = similarity->expected_filled + row * similarity->field_words,
                          .b = similarity->candidate_filled + column * similarity->field_words,
                          .words = similarity->field_words};
  double weights = 0;
  size_t k;
  for (field_walk walk = all; next_field(&walk, &k);) {
    if (!is_left_out(&rule->fields[k], &a[k], &b[k])) weights += rule->fields[k].weight;
  }
  if (!(weights > 0)) {
    *value = equal_items(similarity, row, column) ? 1 : 0;
    return ee_score_reaches(*value, rule->threshold);
  }
  /* `rest`: what the remaining fields can still add. */
  double sum = 0, rest = weights, goal = rule->threshold * weights - SLACK * weights;
  for (field_walk walk = all; next_field(&walk, &k);) {
    const ee_match_field *field = &rule->fields[k];
    if (is_left_out(field, &a[k], &b[k]) || !(field->weight > 0)) continue;
    rest -= field->weight;
    double score = 0;
    if (a[k].kind != EE_CELL_EMPTY && b[k].kind != EE_CELL_EMPTY) {
      score = field->field != NULL
                  ? strategy_score(similarity, field->field, row, column, &a[k], &b[k])
                  : plain_score(&field->empty, &a[k], &b[k], (goal - sum - rest) / field->weight - SLACK,
                                similarity->context->arena);
      if (score < 0) return false;
    }
    sum += field->weight * score;
    if (sum + rest < goal) return false;
  }
  *value = sum / weights;
  return ee_score_reaches(*value, rule->threshold);
}
