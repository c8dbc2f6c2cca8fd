/* sums.c: numbers that do not add up.
 *
 * Relations are learned from the truth itself. Of the numbers of a record (and of the sums of a number over all items
 * of an array that all have it), and of the numbers of each item of an array:
 *
 *   T = S               a sum over items and another number ("items[*].amount adds up to total")
 *   T = A + B, T = A + B + C, T = A + B - C
 *   T = A * B, T = A * B / 100
 *
 * A relation is learned when it holds in at least 90 % of at least 10 rows that have all its numbers; also in 90 % of
 * at least 5 rows where it is not trivial (no term is 0, no factor 0, 1 or 100, a sum has two items), with at least 4
 * different results among these. It holds when the difference is at most one unit of the last decimal place that the
 * result is usually written with, or for whole numbers when it is 0.
 *
 * A row is reported when a relation does not hold and no other one with the same result does (net = gross holds where
 * tax is 0, and gross = net + tax explains the others). The number that occurs in most failing and fewest holding
 * relations is reported; in a tie, the result. Weight: 0.5 times the share of rows where the relation holds, 0.7 times
 * when two failing relations point to the same number. A relation over items is not reported if a number of one of its
 * items is. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "audit/checks.h"
#include "prim/number.h"
#include "prim/sort.h"

#define MIN_ROWS 10
#define MIN_TELLING 5
#define MIN_RESULTS 4
#define MIN_SHARE 0.9
#define WEIGHT 0.5
#define WEIGHT_BY_TWO 0.7
/* Max quantities of a table that are compared; those with most values are kept. */
#define MAX_NUMBERS 24
/* Of these for the relations of four numbers. */
#define MAX_OF_FOUR 12
/* Rows on which hopeless relations are given up, and the share below which they are. */
#define SAMPLE 400
#define SAMPLE_SHARE 0.6
/* Relations in the notes. */
#define MAX_NOTES 20
#define MAX_DECIMALS 4

/* A number of a table. */
typedef struct quantity {
  uint32_t column;
  bool sum; /* over the items of an array */
  char decimal;
  int decimals; /* it is usually written with */
} quantity;

/* A table of numbers: a row for each record or item, a column for each quantity; NaN where one is missing. */
typedef struct table {
  uint32_t element; /* the column of the items; 0: of whole records */
  quantity quantities[MAX_NUMBERS];
  size_t count;
  struct {
    EE_LIST(uint32_t);
  } records; /* by row */
  struct {
    EE_LIST(double);
  } cells;             /* by row and quantity */
  uint8_t *many_items; /* of whole records: by row and quantity, whether a sum is of several items */
} table;

typedef enum relation_kind { SAME, PLUS, PLUS_PLUS, PLUS_MINUS, TIMES, PERCENT } relation_kind;

typedef struct rule {
  relation_kind kind;
  uint8_t result, terms[3];
  uint8_t term_count;
  uint64_t rows, holds; /* rows that have all numbers */
  double share;
} rule;

typedef struct relations {
  EE_LIST(rule);
} relations;

typedef struct sums {
  ee_audit *audit;
  ee_arena *arena;
  table *tables;
  size_t table_count;
  uint32_t *table_of;   /* by column: of its items; by the column of a quantity: where it is; plus 1; 0: none */
  uint8_t *place_of;    /* by the column of a quantity */
  ee_hash_index blamed; /* of numbers in items: by record and column */
} sums;

/* Tables ------------------------------------------------------------------------------------------ */

/* How the numbers of a path are written; false if most of its values are not numbers. */
static bool describe(const ee_audit_column *column, quantity *made, ee_arena *arena) {
  uint64_t numbers[2] = {0, 0}, decimals[2][MAX_DECIMALS + 1] = {{0}};
  ee_arena_mark mark = ee_arena_get_mark(arena);
  for (size_t i = 0; i < column->values.count; i++) {
    const ee_audit_value *value = &column->values.items[i];
    if (value->type != EE_STRING && value->type != EE_NUMBER) continue;
    const ee_value *text = ee_value_new_string(arena, value->text);
    for (int comma = 0; comma < 2; comma++) {
      double number;
      int places;
      if (!ee_audit_number(text, comma ? ',' : '.', arena, &number, &places)) continue;
      numbers[comma] += value->count;
      decimals[comma][places < MAX_DECIMALS ? places : MAX_DECIMALS] += value->count;
    }
    ee_arena_rewind(arena, mark);
  }
  int comma = numbers[1] > numbers[0];
  uint64_t above = 0;
  made->decimal = comma ? ',' : '.';
  made->decimals = MAX_DECIMALS;
  while (made->decimals > 0 && 20 * (above += decimals[comma][made->decimals]) < numbers[comma]) made->decimals--;
  return column->scalars >= MIN_ROWS && 5 * numbers[comma] >= 4 * column->scalars;
}

/* The items that a column is in: an element column, or 0. */
static uint32_t items_of(const ee_audit *audit, uint32_t column) {
  while (column != 0 && !audit->columns.items[column].element) column = audit->columns.items[column].parent;
  return column;
}

static table *table_for(sums *self, uint32_t element) {
  if (self->table_of[element] > 0) return &self->tables[self->table_of[element] - 1];
  table *made = &self->tables[self->table_count++];
  made->element = element;
  self->table_of[element] = (uint32_t)self->table_count;
  return made;
}

static void find_quantities(sums *self) {
  const ee_audit *audit = self->audit;
  for (uint32_t i = 1; i < audit->columns.count; i++) {
    const ee_audit_column *column = &audit->columns.items[i];
    quantity made = {.column = i};
    if (column->element || !describe(column, &made, self->arena)) continue;
    table *into = table_for(self, items_of(audit, i));
    if (into->count == MAX_NUMBERS) continue;
    self->table_of[i] = (uint32_t)(into - self->tables) + 1;
    self->place_of[i] = (uint8_t)into->count;
    into->quantities[into->count++] = made;
  }
}

static double *add_row(table *into, uint32_t record, ee_arena *arena) {
  *EE_LIST_ADD(&into->records, arena) = record;
  EE_LIST_RESERVE(&into->cells, arena, into->count);
  double *row = into->cells.items + into->cells.count;
  for (size_t i = 0; i < into->count; i++) row[i] = NAN;
  into->cells.count += into->count;
  return row;
}

static void fill(void *user, const ee_audit_node *node, ee_arena *arena) {
  sums *self = user;
  const ee_audit_column *column = &self->audit->columns.items[node->column];
  if (self->table_of[node->column] == 0) return;
  table *into = &self->tables[self->table_of[node->column] - 1];
  if (node->column == 0 || column->element) {
    add_row(into, node->record, self->arena);
    return;
  }
  uint8_t place = self->place_of[node->column];
  double number;
  if (into->records.count == 0 || into->records.items[into->records.count - 1] != node->record ||
      !ee_audit_number(node->value, into->quantities[place].decimal, arena, &number, NULL))
    return;
  into->cells.items[into->cells.count - into->count + place] = number;
}

/* Adds the sums over items to the table of whole records. */
static void add_sums(sums *self, table *whole) {
  size_t rows = whole->records.count, numbers = whole->count;
  for (size_t t = 0; t < self->table_count; t++) {
    const table *items = &self->tables[t];
    for (size_t i = 0; i < items->count && items->element > 0 && whole->count < MAX_NUMBERS; i++) {
      whole->quantities[whole->count] = items->quantities[i];
      whole->quantities[whole->count++].sum = true;
    }
  }
  if (whole->count == numbers) return;
  double *cells = EE_NEW_ARRAY(self->arena, double, rows * whole->count);
  whole->many_items = EE_NEW_ARRAY(self->arena, uint8_t, rows * whole->count);
  for (size_t row = 0; row < rows; row++)
    for (size_t i = 0; i < whole->count; i++)
      cells[row * whole->count + i] = i < numbers ? whole->cells.items[row * numbers + i] : NAN;
  for (size_t i = numbers; i < whole->count; i++) {
    const table *items = &self->tables[self->table_of[whole->quantities[i].column] - 1];
    uint8_t place = self->place_of[whole->quantities[i].column];
    for (size_t row = 0; row < items->records.count; row++) {
      size_t to = items->records.items[row] * whole->count + i; /* rows of records are numbered like them */
      bool first = row == 0 || items->records.items[row - 1] != items->records.items[row];
      cells[to] = (first ? 0 : cells[to]) + items->cells.items[row * items->count + place];
      whole->many_items[to] = !first;
    }
  }
  whole->cells.items = cells;
  whole->cells.count = rows * whole->count;
}

/* Relations --------------------------------------------------------------------------------------- */

typedef enum outcome { MISSING, FAILS, HOLDS } outcome;

/* The value of the relation's right-hand side. */
static double result_of(const rule *relation, const double *row) {
  double a = row[relation->terms[0]], b = relation->term_count > 1 ? row[relation->terms[1]] : 0,
         c = relation->term_count > 2 ? row[relation->terms[2]] : 0;
  switch (relation->kind) {
  case SAME: return a;
  case PLUS: return a + b;
  case PLUS_PLUS: return a + b + c;
  case PLUS_MINUS: return a + b - c;
  case TIMES: return a * b;
  case PERCENT: return a * b / 100;
  }
  return NAN;
}

static outcome look_at_row(const table *numbers, const rule *relation, const double *row) {
  double result = row[relation->result], made = result_of(relation, row);
  if (isnan(result) || isnan(made)) return MISSING;
  static const double units[MAX_DECIMALS + 1] = {0, 1.01e-1, 1.01e-2, 1.01e-3, 1.01e-4};
  double slack = units[numbers->quantities[relation->result].decimals] + 1e-9 * fabs(result);
  return fabs(result - made) <= slack ? HOLDS : FAILS;
}

/* Whether the relation is not trivial in this row. */
static bool is_telling(const table *numbers, const rule *relation, size_t at) {
  const double *row = numbers->cells.items + at * numbers->count;
  if (row[relation->result] == 0) return false;
  bool product = relation->kind == TIMES || relation->kind == PERCENT;
  for (size_t i = 0; i < relation->term_count; i++) {
    double term = row[relation->terms[i]];
    if (term == 0 || (product && (term == 1 || term == 100))) return false;
    if (relation->kind == SAME && !numbers->many_items[at * numbers->count + relation->terms[i]]) return false;
  }
  return true;
}

/* Counts where a relation holds; true if it is learned. */
static bool is_learned(const table *numbers, rule *relation) {
  uint64_t telling = 0, telling_holds = 0;
  double results[MIN_RESULTS];
  size_t distinct = 0;
  for (size_t row = 0; row < numbers->records.count; row++) {
    outcome found = look_at_row(numbers, relation, numbers->cells.items + row * numbers->count);
    if (found == MISSING) continue;
    relation->rows++;
    relation->holds += found == HOLDS;
    if (relation->rows == SAMPLE && (double)relation->holds < SAMPLE_SHARE * SAMPLE) return false;
    if (!is_telling(numbers, relation, row)) continue;
    telling++;
    if (found == FAILS) continue;
    telling_holds++;
    double result = numbers->cells.items[row * numbers->count + relation->result];
    size_t known = 0;
    while (known < distinct && results[known] != result) known++;
    if (known == distinct && distinct < MIN_RESULTS) results[distinct++] = result;
  }
  relation->share = relation->rows > 0 ? (double)relation->holds / (double)relation->rows : 0;
  return relation->rows >= MIN_ROWS && relation->share >= MIN_SHARE && telling >= MIN_TELLING &&
         (double)telling_holds >= MIN_SHARE * (double)telling && distinct == MIN_RESULTS;
}

static void try_relation(sums *self, const table *numbers, relations *learned, rule made) {
  if (is_learned(numbers, &made)) *EE_LIST_ADD(learned, self->arena) = made;
}

/* All relations whose result is number `t`. */
static void try_result(sums *self, const table *numbers, uint8_t t, relations *learned) {
  uint8_t count = (uint8_t)numbers->count;
  for (uint8_t a = 0; a < count; a++) {
    if (a == t) continue;
    if (numbers->quantities[a].sum && !numbers->quantities[t].sum)
      try_relation(self, numbers, learned, (rule){.kind = SAME, .result = t, .terms = {a}, .term_count = 1});
    for (uint8_t b = 0; b < count; b++) {
      if (b == t || b <= a) continue;
      try_relation(self, numbers, learned, (rule){.kind = PLUS, .result = t, .terms = {a, b}, .term_count = 2});
      try_relation(self, numbers, learned, (rule){.kind = TIMES, .result = t, .terms = {a, b}, .term_count = 2});
      try_relation(self, numbers, learned, (rule){.kind = PERCENT, .result = t, .terms = {a, b}, .term_count = 2});
      for (uint8_t c = 0; c < count && count <= MAX_OF_FOUR; c++) {
        if (c == t || c == a || c == b) continue;
        rule made = {.kind = PLUS_MINUS, .result = t, .terms = {a, b, c}, .term_count = 3};
        /* T = A + B - C is A = T + C - B as well: only the first result is kept. */
        if (t < c) try_relation(self, numbers, learned, made);
        made.kind = PLUS_PLUS;
        if (c > b) try_relation(self, numbers, learned, made);
      }
    }
  }
}

static bool is_better(const rule *a, const rule *b) {
  return a->share != b->share ? a->share > b->share : a->rows > b->rows;
}
EE_DEFINE_SORT(sort_relations, rule, is_better)

static const char *name_of(const sums *self, const table *numbers, uint8_t place) {
  const quantity *at = &numbers->quantities[place];
  ee_str path = self->audit->columns.items[at->column].path;
  return ee_arena_printf(self->arena, at->sum ? "sum of %.*s" : "%.*s", EE_STR_ARG(path));
}

/* "total = net + tax" */
static const char *formula_of(const sums *self, const table *numbers, const rule *relation) {
  static const char *const signs[][2] = {[SAME] = {"", ""},         [PLUS] = {"+", ""},  [PLUS_PLUS] = {"+", "+"},
                                         [PLUS_MINUS] = {"+", "-"}, [TIMES] = {"*", ""}, [PERCENT] = {"*", ""}};
  const char *text = ee_arena_printf(self->arena, "%s = %s", name_of(self, numbers, relation->result),
                                     name_of(self, numbers, relation->terms[0]));
  for (size_t i = 1; i < relation->term_count; i++)
    text = ee_arena_printf(self->arena, "%s %s %s", text, signs[relation->kind][i - 1],
                           name_of(self, numbers, relation->terms[i]));
  return relation->kind == PERCENT ? ee_arena_printf(self->arena, "%s / 100", text) : text;
}

/* Rows that fail ---------------------------------------------------------------------------------- */

static ee_str number_text(double number, int decimals, ee_arena *arena) {
  return ee_str_from(ee_arena_printf(arena, "%.*f", decimals, number));
}

/* What number `place` would have to be; NaN if the relation does not say. */
static double solve(const rule *relation, const double *row, uint8_t place) {
  double made = result_of(relation, row), missing = row[relation->result] - made;
  if (place == relation->result) return made;
  double own = row[place], others = made / own;
  switch (relation->kind) {
  case PLUS_MINUS:
    if (place == relation->terms[2]) return own - missing;
    return own + missing;
  case TIMES:
  case PERCENT: return others != 0 && isfinite(others) ? row[relation->result] / others : NAN;
  default: return own + missing;
  }
}

/* The relations that fail in a row, the best of each result, and that no other one with that result explains. */
static size_t find_failures(const table *numbers, const relations *learned, const double *row,
                            const rule *failures[MAX_NUMBERS], int blame[MAX_NUMBERS]) {
  bool explained[MAX_NUMBERS] = {false};
  memset(blame, 0, MAX_NUMBERS * sizeof *blame);
  for (size_t i = 0; i < learned->count; i++) {
    const rule *relation = &learned->items[i];
    if (look_at_row(numbers, relation, row) != HOLDS) continue;
    explained[relation->result] = true;
    blame[relation->result] -= 2;
    for (size_t k = 0; k < relation->term_count; k++) blame[relation->terms[k]] -= 2;
  }
  size_t count = 0;
  for (size_t i = 0; i < learned->count; i++) {
    const rule *relation = &learned->items[i];
    if (explained[relation->result] || look_at_row(numbers, relation, row) != FAILS) continue;
    explained[relation->result] = true; /* only the best one is reported */
    blame[relation->result]++;
    for (size_t k = 0; k < relation->term_count; k++) blame[relation->terms[k]]++;
    failures[count++] = relation;
  }
  return count;
}

/* The path of the item that is the `ordinal`th of its table in a record. */
typedef struct item_search {
  uint32_t element;
  size_t ordinal;
  ee_str path;
  ee_arena *arena;
} item_search;

static void find_item(void *user, const ee_audit_node *node, ee_arena *arena) {
  (void)arena;
  item_search *self = user;
  if (node->column != self->element || self->path.data != NULL || self->ordinal-- > 0) return;
  self->path = (ee_str){ee_arena_copy(self->arena, node->path.data, node->path.length), node->path.length};
}

/* "items[3].price": a number of row `at`. */
static ee_str place_text(sums *self, const table *numbers, size_t at, uint8_t place, ee_arena *scratch) {
  const quantity *number = &numbers->quantities[place];
  ee_str path = self->audit->columns.items[number->column].path;
  if (numbers->element == 0) return path;
  uint32_t record = numbers->records.items[at];
  item_search search = {.element = numbers->element, .arena = scratch};
  while (search.ordinal < at && numbers->records.items[at - search.ordinal - 1] == record) search.ordinal++;
  ee_audit_walk_record(self->audit, record, ee_audit_expected(self->audit, record, scratch), find_item, &search,
                       scratch);
  size_t prefix = self->audit->columns.items[numbers->element].path.length;
  return ee_str_from(
      ee_arena_printf(scratch, "%.*s%.*s", EE_STR_ARG(search.path), (int)(path.length - prefix), path.data + prefix));
}

/* "2 * 3.50 = 7.00" */
static const char *sum_text(const table *numbers, const rule *relation, const double *row, ee_arena *arena) {
  static const char *const signs[][2] = {[SAME] = {"", ""},         [PLUS] = {"+", ""},  [PLUS_PLUS] = {"+", "+"},
                                         [PLUS_MINUS] = {"+", "-"}, [TIMES] = {"*", ""}, [PERCENT] = {"*", ""}};
  const char *text = "";
  for (size_t i = 0; i < relation->term_count; i++) {
    uint8_t term = relation->terms[i];
    ee_str number = number_text(row[term], numbers->quantities[term].decimals, arena);
    text = ee_arena_printf(arena, "%s%s%s%s%.*s", text, i > 0 ? " " : "", i > 0 ? signs[relation->kind][i - 1] : "",
                           i > 0 ? " " : "", EE_STR_ARG(number));
  }
  if (relation->term_count == 1) return text;
  ee_str result = number_text(result_of(relation, row), numbers->quantities[relation->result].decimals, arena);
  return ee_arena_printf(arena, "%s%s = %.*s", text, relation->kind == PERCENT ? " / 100" : "", EE_STR_ARG(result));
}

/* Whether a sum of the relation has an item whose number is blamed already. */
static bool has_blamed_item(const sums *self, const table *numbers, uint32_t record, const rule *relation) {
  for (size_t i = 0; i <= relation->term_count; i++) {
    const quantity *number = &numbers->quantities[i == 0 ? relation->result : relation->terms[i - 1]];
    size_t start = 0, ignored;
    uint64_t hash = ee_hash_mix((uint64_t)record << 32 | number->column);
    if (number->sum && ee_hash_index_next(&self->blamed, hash, &start, &ignored)) return true;
  }
  return false;
}

static void report_failure(sums *self, const table *numbers, size_t at, const rule *relation, const int *blame,
                           ee_arena *scratch) {
  const double *row = numbers->cells.items + at * numbers->count;
  uint8_t blamed = relation->result;
  for (size_t i = 0; i < relation->term_count; i++)
    if (blame[relation->terms[i]] > blame[blamed]) blamed = relation->terms[i];
  const quantity *number = &numbers->quantities[blamed];
  int decimals = number->decimals;
  double proposed = solve(relation, row, blamed);
  uint32_t record = numbers->records.items[at];
  if (has_blamed_item(self, numbers, record, relation)) return;
  if (numbers->element != 0) ee_hash_index_add(&self->blamed, ee_hash_mix((uint64_t)record << 32 | number->column), 0);
  ee_audit_blame(self->audit, EE_AUDIT_SUM, record, place_text(self, numbers, at, blamed, scratch),
                 (blame[blamed] > 1 ? WEIGHT_BY_TWO : WEIGHT) * relation->share,
                 number_text(row[blamed], decimals, scratch),
                 isnan(proposed) ? EE_STR("") : number_text(proposed, decimals, scratch),
                 "%s holds in %" PRIu64 " of %" PRIu64 "; here %s, but %s is %s", formula_of(self, numbers, relation),
                 relation->holds, relation->rows, sum_text(numbers, relation, row, scratch),
                 name_of(self, numbers, relation->result),
                 number_text(row[relation->result], numbers->quantities[relation->result].decimals, scratch).data);
}

static void check_rows(sums *self, const table *numbers, const relations *learned) {
  ee_arena scratch;
  ee_arena_init(&scratch, 0);
  for (size_t at = 0; at < numbers->records.count; at++) {
    const rule *failures[MAX_NUMBERS];
    int blame[MAX_NUMBERS];
    size_t count = find_failures(numbers, learned, numbers->cells.items + at * numbers->count, failures, blame);
    for (size_t i = 0; i < count; i++) report_failure(self, numbers, at, failures[i], blame, &scratch);
    ee_arena_reset(&scratch, (size_t)1 << 20);
  }
  ee_arena_fini(&scratch);
}

static void check_table(sums *self, const table *numbers) {
  relations learned = {0};
  for (uint8_t t = 0; t < numbers->count; t++) try_result(self, numbers, t, &learned);
  sort_relations(learned.items, learned.count, self->arena);
  for (size_t i = 0; i < learned.count && i < MAX_NOTES; i++) {
    const rule *relation = &learned.items[i];
    ee_audit_note_that(self->audit, EE_AUDIT_SUM, "%s holds in %" PRIu64 " of %" PRIu64 " %s",
                       formula_of(self, numbers, relation), relation->holds, relation->rows,
                       numbers->element == 0 ? "records" : "items");
  }
  if (learned.count > 0) check_rows(self, numbers, &learned);
}

void ee_audit_check_sums(ee_audit *audit) {
  if (!ee_audit_wants(audit, EE_AUDIT_SUM)) return;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  size_t tables = 1;
  for (size_t i = 0; i < audit->columns.count; i++) tables += audit->columns.items[i].element;
  sums self = {.audit = audit,
               .arena = &arena,
               .tables = EE_NEW_ARRAY(&arena, table, tables),
               .table_of = EE_NEW_ARRAY(&arena, uint32_t, audit->columns.count),
               .place_of = EE_NEW_ARRAY(&arena, uint8_t, audit->columns.count),
               .blamed = {.arena = &arena}};
  table *whole = table_for(&self, 0);
  find_quantities(&self);
  if (whole->count > 0 || self.table_count > 1) ee_audit_walk(audit, fill, &self);
  add_sums(&self, whole);
  for (size_t i = self.table_count; i-- > 0;) check_table(&self, &self.tables[i]); /* items before whole records */
  ee_arena_fini(&arena);
}
