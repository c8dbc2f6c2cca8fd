/* label_matrix.c: labels by name, cells by pair, and the bound on labels.
 *
 * The bound is kept lazily: labels are removed, into EE_LABEL_OTHER, when there are twice as many as are kept. Those
 * that are kept are the first by name of all that ever came, whenever that is done. */
#include "judge/label_matrix.h"

#include <string.h>

#include "base/memory.h"
#include "prim/normalize.h"
#include "prim/sort.h"

static void add_label(ee_label_matrix *matrix, ee_str name, uint64_t hash) {
  ee_label *added = EE_LIST_ADD(&matrix->labels, NULL);
  *added = (ee_label){.hash = hash};
  added->name = (ee_str){ee_arena_copy(&matrix->names, name.length > 0 ? name.data : "", name.length), name.length};
}

/* EE_LABEL_NONE and EE_LABEL_OTHER, which no name finds. */
static void add_nameless(ee_label_matrix *matrix) {
  for (uint32_t i = 0; i < EE_LABEL_FIRST; i++) *EE_LIST_ADD(&matrix->labels, NULL) = (ee_label){.name = EE_STR("")};
}

static void add_named(ee_label_matrix *matrix, ee_str name) {
  uint64_t hash = ee_hash_bytes(name.data, name.length, 0);
  add_label(matrix, name, hash);
  ee_hash_index_add(&matrix->by_name, hash, matrix->labels.count - 1);
}

const ee_str *ee_label_option_compile(ee_plan_builder *builder, const ee_rule_node *node, const char *subject,
                                      const uint8_t *forms, size_t form_count, size_t *count) {
  ee_rule_value list = ee_rule_node_get(node, "labels");
  *count = 0;
  if (list.type != EE_RULE_TABLE) return NULL;
  size_t given = list.node->item_count;
  if (given == 0 || given > EE_LABEL_LIMIT) {
    ee_compile_error(builder, node, "option 'labels' of %s takes 1 to %d labels, got %zu", subject, EE_LABEL_LIMIT,
                     given);
    return NULL;
  }
  ee_str *labels = EE_NEW_ARRAY(builder->arena, ee_str, given);
  for (size_t i = 0; i < given; i++) {
    if (list.node->items[i].type != EE_RULE_TEXT) return NULL; /* reported */
    labels[i] = ee_normalize(ee_nfc(list.node->items[i].text, builder->arena), forms, form_count, builder->arena);
    for (size_t k = 0; k < i; k++)
      if (ee_str_equal(labels[i], labels[k]))
        ee_compile_error(builder, node, "option 'labels' of %s has '%.*s' twice", subject, EE_STR_ARG(labels[i]));
  }
  *count = given;
  return labels;
}

void ee_label_matrix_init(ee_label_matrix *matrix, const ee_str *given, size_t given_count, size_t fields) {
  *matrix = (ee_label_matrix){.given = given_count, .limit = EE_LABEL_LIMIT, .fields = fields};
  ee_arena_init(&matrix->names, 0);
  add_nameless(matrix);
  for (size_t i = 0; i < given_count; i++) add_named(matrix, given[i]);
}

void ee_label_matrix_fini(ee_label_matrix *matrix) {
  EE_LIST_FINI(&matrix->labels);
  EE_LIST_FINI(&matrix->cells);
  ee_hash_index_fini(&matrix->by_name);
  ee_hash_index_fini(&matrix->by_pair);
  ee_arena_fini(&matrix->names);
}

void ee_label_matrix_clear(ee_label_matrix *matrix) {
  matrix->cells.count = 0;
  ee_hash_index_clear(&matrix->by_pair);
  for (size_t i = 0; i < matrix->labels.count; i++)
    memset(matrix->labels.items[i].fields, 0, sizeof matrix->labels.items[i].fields);
  if (matrix->given > 0) return;
  matrix->labels.count = 0;
  ee_hash_index_clear(&matrix->by_name);
  ee_arena_reset(&matrix->names, 0);
  add_nameless(matrix);
}

uint32_t ee_label_matrix_find(ee_label_matrix *matrix, ee_str name) {
  uint64_t hash = ee_hash_bytes(name.data, name.length, 0);
  size_t at = 0, found;
  while (ee_hash_index_next(&matrix->by_name, hash, &at, &found))
    if (ee_str_equal(matrix->labels.items[found].name, name)) return (uint32_t)found;
  if (matrix->given > 0) return EE_LABEL_OTHER;
  add_label(matrix, name, hash);
  ee_hash_index_add(&matrix->by_name, hash, matrix->labels.count - 1);
  return (uint32_t)matrix->labels.count - 1;
}

static uint64_t pair_hash(uint32_t expected, uint32_t candidate) {
  return ee_hash_mix((uint64_t)expected << 32 | candidate);
}

void ee_label_matrix_add(ee_label_matrix *matrix, uint32_t expected, uint32_t candidate, uint64_t count) {
  if (count == 0) return;
  uint64_t hash = pair_hash(expected, candidate);
  size_t at = 0, found;
  while (ee_hash_index_next(&matrix->by_pair, hash, &at, &found)) {
    ee_label_cell *cell = &matrix->cells.items[found];
    if (cell->expected != expected || cell->candidate != candidate) continue;
    cell->count += count;
    return;
  }
  *EE_LIST_ADD(&matrix->cells, NULL) = (ee_label_cell){expected, candidate, count};
  ee_hash_index_add(&matrix->by_pair, hash, matrix->cells.count - 1);
}

/* Order and bound ------------------------------------------------------------------------------ */

typedef struct placed_label {
  ee_label label;
  uint32_t number;
} placed_label;

static bool labels_before(const placed_label *a, const placed_label *b) {
  return ee_str_compare(a->label.name, b->label.name) < 0;
}
EE_DEFINE_SORT(sort_labels, placed_label, labels_before)

static bool cells_before(const ee_label_cell *a, const ee_label_cell *b) {
  return a->expected != b->expected ? a->expected < b->expected : a->candidate < b->candidate;
}
EE_DEFINE_SORT(sort_cells, ee_label_cell, cells_before)

/* Sorts found labels by name and moves those above the limit into EE_LABEL_OTHER. `places` gets the new number of each
 * label. Labels of the rules stay. */
static void place_labels(ee_label_matrix *matrix, uint32_t *places, ee_arena *work) {
  size_t found = matrix->labels.count - EE_LABEL_FIRST;
  for (uint32_t i = 0; i < matrix->labels.count; i++) places[i] = i;
  if (matrix->given > 0) return; /* in the order of the rules */
  placed_label *placed = EE_NEW_ARRAY(work, placed_label, found + 1);
  for (size_t i = 0; i < found; i++)
    placed[i] = (placed_label){matrix->labels.items[EE_LABEL_FIRST + i], (uint32_t)(EE_LABEL_FIRST + i)};
  sort_labels(placed, found, work);
  /* The names are in an arena that is filled again, so that those of removed labels take no room. */
  for (size_t i = 0; i < found; i++)
    placed[i].label.name.data = ee_arena_copy(work, placed[i].label.name.data, placed[i].label.name.length);
  ee_arena_reset(&matrix->names, 0);
  ee_hash_index_clear(&matrix->by_name);
  uint64_t *other = matrix->labels.items[EE_LABEL_OTHER].fields;
  for (size_t i = 0; i < found; i++) {
    ee_label *label = &placed[i].label;
    if (i >= matrix->limit) {
      places[placed[i].number] = EE_LABEL_OTHER;
      for (size_t k = 0; k < matrix->fields; k++) other[k] += label->fields[k];
      continue;
    }
    places[placed[i].number] = (uint32_t)(EE_LABEL_FIRST + i);
    label->name.data = ee_arena_copy(&matrix->names, label->name.data, label->name.length);
    matrix->labels.items[EE_LABEL_FIRST + i] = *label;
    ee_hash_index_add(&matrix->by_name, label->hash, EE_LABEL_FIRST + i);
  }
  if (found > matrix->limit) matrix->labels.count = EE_LABEL_FIRST + matrix->limit;
}

static void arrange(ee_label_matrix *matrix) {
  ee_arena work;
  ee_arena_init(&work, 0);
  uint32_t *places = EE_NEW_ARRAY(&work, uint32_t, matrix->labels.count);
  place_labels(matrix, places, &work);
  size_t count = matrix->cells.count;
  ee_label_cell *cells = ee_arena_alloc(&work, count * sizeof *cells + 1);
  if (count > 0) memcpy(cells, matrix->cells.items, count * sizeof *cells);
  for (size_t i = 0; i < count; i++) {
    cells[i].expected = places[cells[i].expected];
    cells[i].candidate = places[cells[i].candidate];
  }
  sort_cells(cells, count, &work);
  matrix->cells.count = 0;
  ee_hash_index_clear(&matrix->by_pair);
  for (size_t i = 0; i < count; i++) ee_label_matrix_add(matrix, cells[i].expected, cells[i].candidate, cells[i].count);
  ee_arena_fini(&work);
}

void ee_label_matrix_settle(ee_label_matrix *matrix) {
  if (matrix->given == 0 && matrix->labels.count - EE_LABEL_FIRST >= 2 * matrix->limit) arrange(matrix);
}

void ee_label_matrix_merge(ee_label_matrix *matrix, const ee_label_matrix *other) {
  size_t count = other->labels.count;
  uint32_t *numbers = ee_calloc(count, sizeof *numbers);
  for (uint32_t i = 0; i < count; i++) {
    const ee_label *label = &other->labels.items[i];
    numbers[i] = i < EE_LABEL_FIRST ? i : ee_label_matrix_find(matrix, label->name);
    uint64_t *fields = matrix->labels.items[numbers[i]].fields;
    for (size_t k = 0; k < matrix->fields; k++) fields[k] += label->fields[k];
  }
  for (size_t i = 0; i < other->cells.count; i++) {
    const ee_label_cell *cell = &other->cells.items[i];
    ee_label_matrix_add(matrix, numbers[cell->expected], numbers[cell->candidate], cell->count);
  }
  ee_free(numbers);
  ee_label_matrix_settle(matrix);
}

/* State ---------------------------------------------------------------------------------------- */

EE_STATE_COVERS(ee_label, 24 + 8 * EE_LABEL_FIELDS);
EE_STATE_COVERS(ee_label_cell, 16);

void ee_label_matrix_state(ee_label_matrix *matrix, ee_state_line *line) {
  bool reads = ee_state_reading(line);
  if (!reads) arrange(matrix);
  ee_state_begin(line);
  ee_arena names;
  ee_arena_init(&names, 0);
  size_t found = matrix->given > 0 ? 0 : ee_state_items(line, matrix->labels.count - EE_LABEL_FIRST);
  if (found > matrix->limit) ee_state_fail(line);
  for (size_t i = 0; ee_state_goes_on(line, i, found); i++) {
    ee_str name = reads ? (ee_str){NULL, 0} : matrix->labels.items[EE_LABEL_FIRST + i].name;
    ee_state_text(line, &names, &name);
    if (!reads || ee_state_failed(line)) continue;
    if (name.data == NULL || ee_label_matrix_find(matrix, name) != EE_LABEL_FIRST + i) ee_state_fail(line);
  }
  if (matrix->given == 0) ee_state_end(line);
  ee_arena_fini(&names);
  for (size_t i = 0; i < matrix->labels.count; i++)
    ee_state_counts(line, matrix->labels.items[i].fields, matrix->fields);
  size_t cells = ee_state_items(line, matrix->cells.count);
  for (size_t i = 0; ee_state_goes_on(line, i, cells); i++) {
    ee_label_cell cell = {0};
    if (!reads) cell = matrix->cells.items[i];
    ee_state_small(line, &cell.expected, (uint32_t)matrix->labels.count - 1);
    ee_state_small(line, &cell.candidate, (uint32_t)matrix->labels.count - 1);
    ee_state_count(line, &cell.count);
    if (reads && !ee_state_failed(line)) ee_label_matrix_add(matrix, cell.expected, cell.candidate, cell.count);
  }
  ee_state_end(line);
  ee_state_end(line);
}

/* Summaries ------------------------------------------------------------------------------------ */

const ee_label_summary *ee_label_matrix_summarize(ee_label_matrix *matrix, ee_arena *arena) {
  arrange(matrix);
  ee_label_summary *summary = EE_NEW(arena, ee_label_summary);
  size_t count = summary->count = matrix->labels.count - EE_LABEL_FIRST, side = count + 2;
  ee_str *labels = EE_NEW_ARRAY(arena, ee_str, count + 1);
  uint64_t *cells = EE_NEW_ARRAY(arena, uint64_t, side * side);
  uint64_t(*fields)[EE_LABEL_FIELDS] = ee_arena_calloc(arena, count + 1, sizeof *fields);
  for (size_t i = 0; i < count; i++) {
    const ee_label *label = &matrix->labels.items[EE_LABEL_FIRST + i];
    labels[i] = (ee_str){ee_arena_copy(arena, label->name.data, label->name.length), label->name.length};
    memcpy(fields[i], label->fields, sizeof label->fields);
  }
  memcpy(fields[count], matrix->labels.items[EE_LABEL_OTHER].fields, sizeof fields[count]);
  for (size_t k = 0; k < EE_LABEL_FIELDS; k++) summary->has_other |= fields[count][k] != 0;
  for (size_t i = 0; i < matrix->cells.count; i++) {
    const ee_label_cell *cell = &matrix->cells.items[i];
    size_t places[2];
    const uint32_t numbers[2] = {cell->expected, cell->candidate};
    for (size_t k = 0; k < 2; k++)
      places[k] = numbers[k] >= EE_LABEL_FIRST   ? numbers[k] - EE_LABEL_FIRST
                  : numbers[k] == EE_LABEL_OTHER ? count
                                                 : count + 1;
    cells[places[0] * side + places[1]] += cell->count;
    summary->has_other |= places[0] == count || places[1] == count;
    summary->has_spurious |= places[0] == count + 1;
    summary->has_missing |= places[1] == count + 1;
  }
  summary->labels = labels;
  summary->cells = cells;
  summary->fields = (const uint64_t(*)[EE_LABEL_FIELDS])fields;
  return summary;
}
