/* types.c: values that cannot be read, or have another type than the others at their path.
 *
 * unreadable, with rules: each record is judged against an empty answer, and the strategies say which expected values
 * they cannot read. Those of one path that an option would read are one finding (weight 1 each: they are judged
 * wrongly). Of the rest, a text without digits that occurs several times is one finding, as are more than 20 of a path;
 * others are findings of their own (weight 0.9).
 *
 * unreadable, for fields that take any text and where there are no rules (those inferred from the data know what the
 * values are): at a path with at least 10 values, at least 90 % of them numbers (JSON numbers, or texts that are
 * numbers and mostly have decimals: others are codes), or dates in any order, or booleans: the other texts
 * (weight 0.8).
 *
 * mixed-type: at a path with at least 10 values, at least 90 % of them of one JSON type: those of another type, for
 * each type; texts only if they can be read as the type (else they are unreadable). Also texts that are numbers only
 * with a currency or percent sign, where more values are plain numbers. Weight 0.1: mostly judged rightly, but not by
 * every strategy. */
#include <inttypes.h>

#include "audit/checks.h"
#include "judge/case.h"
#include "judge/plan.h"
#include "judge/strategy/strategy.h"
#include "prim/date.h"
#include "prim/number.h"
#include "prim/sort.h"

#define REMEDY_WEIGHT 1
#define UNREAD_WEIGHT 0.9
#define SHAPE_WEIGHT 0.8
#define MIXED_WEIGHT 0.1
#define MIN_VALUES 10
#define MIN_SHARE 0.9
/* Findings of one path that are not one. */
#define MAX_SINGLE 20
/* Bytes of a value in a finding. */
#define SHOWN 120

static ee_str keep(ee_arena *arena, ee_str text) {
  return (ee_str){ee_arena_copy(arena, text.data, text.length), text.length};
}

/* Values that cannot be read ---------------------------------------------------------------------- */

/* A value that cannot be read. */
typedef struct unread {
  uint32_t record;
  ee_str path, column, text;
  uint32_t remedies;                /* bit i: remedy i of the strategy reads it */
  const char *what;                 /* "a number" */
  const ee_strategy_type *strategy; /* NULL: most values of the path are otherwise */
  uint64_t same;                    /* a hash of the text; what is sorted by */
} unread;

typedef struct unread_list {
  EE_LIST(unread);
} unread_list;

static bool is_before(const unread *a, const unread *b) {
  int order = ee_str_compare(a->column, b->column);
  if (order != 0) return order < 0;
  if (a->record != b->record) return a->record < b->record;
  return ee_str_compare(a->path, b->path) < 0;
}
EE_DEFINE_SORT(sort_unread, unread, is_before)

/* The values at the path that can be read or not; 0: not known. */
static uint64_t count_at(const ee_audit *audit, ee_str path) {
  for (size_t i = 0; i < audit->columns.count; i++)
    if (ee_str_equal(audit->columns.items[i].path, path)) return audit->columns.items[i].scalars;
  return 0;
}

/* The remedy that reads most of the values, as a number; -1: none reads any. */
static int best_remedy(const unread *items, size_t count) {
  uint64_t reads[EE_REMEDY_LIMIT] = {0}, most = 0;
  int best = -1;
  for (size_t i = 0; i < count; i++)
    for (int r = 0; r < EE_REMEDY_LIMIT; r++) reads[r] += items[i].remedies >> r & 1;
  for (int r = 0; r < EE_REMEDY_LIMIT; r++) {
    if (reads[r] <= most) continue;
    most = reads[r];
    best = r;
  }
  return best;
}

/* One finding of the items for which `chosen` is set, which it takes from the list. */
static void report_several(ee_audit *audit, unread *items, size_t count, const bool *chosen, double weight,
                           const char *advice) {
  uint64_t values = 0, all = count_at(audit, items[0].column);
  const unread *first = &items[0];
  for (size_t i = 0; i < count; i++) {
    if (!chosen[i]) continue;
    if (values == 0) first = &items[i];
    values++;
  }
  ee_audit_entry *entry =
      ee_audit_find(audit, EE_AUDIT_UNREADABLE, first->column, weight, values, first->text, EE_STR(""),
                    "%" PRIu64 " of %" PRIu64 " values cannot be read as %s%s", values, all, first->what, advice);
  for (size_t i = 0; i < count; i++)
    if (chosen[i]) ee_audit_affect(audit, entry, items[i].record);
}

static size_t without(unread *items, size_t count, const bool *chosen) {
  size_t kept = 0;
  for (size_t i = 0; i < count; i++)
    if (!chosen[i]) items[kept++] = items[i];
  return kept;
}

/* Takes the values that an option would read. */
static size_t report_remedy(ee_audit *audit, unread *items, size_t count, bool *chosen, ee_arena *arena) {
  int best = items[0].strategy != NULL ? best_remedy(items, count) : -1;
  if (best < 0) return count;
  size_t reads = 0;
  for (size_t i = 0; i < count; i++) reads += chosen[i] = (items[i].remedies >> best & 1) != 0;
  const char *advice =
      ee_arena_printf(arena, "; %s reads %s", items[0].strategy->remedies[best].option, reads == 1 ? "it" : "them");
  report_several(audit, items, count, chosen, REMEDY_WEIGHT, advice);
  return without(items, count, chosen);
}

static bool has_digit(ee_str text) {
  for (size_t i = 0; i < text.length; i++)
    if ((unsigned char)(text.data[i] - '0') < 10) return true;
  return false;
}

/* Takes the values that may stand for no value: texts without digits that occur several times. */
static size_t report_repeated(ee_audit *audit, unread *items, size_t count, bool *chosen, ee_arena *arena) {
  for (size_t first = 0; first < count;) {
    size_t same = 0;
    for (size_t i = 0; i < count; i++) same += chosen[i] = items[i].same == items[first].same;
    if (same < 2 || items[first].text.length > 30 || has_digit(items[first].text)) {
      first++;
      continue;
    }
    const char *advice =
        ee_arena_printf(arena, "; if it means 'no value': null_values = { \"%.*s\" }", EE_STR_ARG(items[first].text));
    report_several(audit, items, count, chosen, UNREAD_WEIGHT, advice);
    count = without(items, count, chosen);
  }
  return count;
}

/* The values of one path. */
static void report_path(ee_audit *audit, unread *items, size_t count, ee_arena *arena) {
  bool *chosen = EE_NEW_ARRAY(arena, bool, count);
  count = report_remedy(audit, items, count, chosen, arena);
  if (count > 0) count = report_repeated(audit, items, count, chosen, arena);
  if (count > MAX_SINGLE) {
    memset(chosen, true, count * sizeof *chosen);
    report_several(audit, items, count, chosen, UNREAD_WEIGHT, "");
    return;
  }
  for (size_t i = 0; i < count; i++)
    ee_audit_blame(audit, EE_AUDIT_UNREADABLE, items[i].record, items[i].path,
                   items[i].strategy != NULL ? UNREAD_WEIGHT : SHAPE_WEIGHT, items[i].text, EE_STR(""),
                   "cannot be read as %s", items[i].what);
}

static void report_unread(ee_audit *audit, unread_list *list, ee_arena *arena) {
  sort_unread(list->items, list->count, arena);
  for (size_t at = 0, end; at < list->count; at = end) {
    for (end = at + 1; end < list->count && ee_str_equal(list->items[end].column, list->items[at].column); end++)
      continue;
    report_path(audit, &list->items[at], end - at, arena);
  }
}

static void add_unread(unread_list *list, uint32_t record, ee_str path, const ee_value *value, unread made,
                       ee_arena *arena) {
  made.record = record;
  made.path = keep(arena, path);
  made.column = ee_audit_without_indices(made.path, arena);
  made.text = keep(arena, ee_audit_text(value, SHOWN, arena));
  made.same = ee_value_hash(value);
  *EE_LIST_ADD(list, arena) = made;
}

/* By the rules ------------------------------------------------------------------------------------ */

static void judge_record(const ee_audit *audit, const ee_open_plan *open, uint32_t record, unread_list *list,
                         ee_arena *arena, ee_arena *scratch) {
  const ee_value *nothing = ee_value_new(scratch, EE_OBJECT);
  ee_case current = {.id = audit->records.items[record].id,
                     .record = nothing,
                     .expected = ee_audit_expected(audit, record, scratch),
                     .candidate = nothing,
                     .candidate_state = EE_CANDIDATE_READ};
  ee_context context = ee_open_plan_context(open, scratch);
  ee_case_result result;
  ee_plan_judge(open->plan, &context, &current, &result);
  for (size_t i = 0; i < result.judge_count; i++) {
    for (size_t k = 0; k < result.judges[i].unread_count; k++) {
      const ee_unread *found = &result.judges[i].unread[k];
      if (found->document != EE_EXPECTED) continue;
      ee_buffer place;
      ee_buffer_init(&place);
      ee_finding_print_place(&found->place, &place);
      unread made = {.remedies = found->remedies, .what = found->strategy->reads_one, .strategy = found->strategy};
      add_unread(list, record, (ee_str){place.data, place.length}, found->value, made, arena);
      ee_buffer_fini(&place);
    }
  }
}

static void check_by_rules(ee_audit *audit, const ee_open_plan *open, unread_list *list, ee_arena *arena) {
  if (open->plan->runs_programs) {
    ee_audit_note_that(audit, EE_AUDIT_UNREADABLE, "not checked by the rules: they run other programs");
    return;
  }
  ee_arena scratch;
  ee_arena_init(&scratch, 0);
  for (uint32_t i = 0; i < audit->records.count; i++) {
    judge_record(audit, open, i, list, arena, &scratch);
    ee_arena_reset(&scratch, (size_t)1 << 20);
  }
  ee_arena_fini(&scratch);
}

/* By what most values are ------------------------------------------------------------------------- */

typedef enum shape { SHAPE_NONE, SHAPE_NUMBER, SHAPE_DATE, SHAPE_BOOLEAN } shape;

static const char *const shape_names[] = {"", "a number", "a date", "true or false"};

static bool is_number(const ee_value *value, ee_arena *arena, int *decimals) {
  double number;
  return ee_audit_number(value, '.', arena, &number, decimals) || ee_audit_number(value, ',', arena, &number, decimals);
}

static bool is_date(const ee_value *value) {
  ee_date_readings readings;
  return ee_type_of(value) == EE_STRING && ee_date_read(ee_value_text(value), &(ee_date_rules){0}, &readings) > 0;
}

static bool is_boolean(const ee_value *value, ee_arena *arena) {
  static const char *const words[] = {"true", "false", "yes", "no", "y", "n", "0", "1", NULL};
  if (ee_type_of(value) == EE_TRUE || ee_type_of(value) == EE_FALSE) return true;
  ee_str folded = ee_audit_fold(ee_audit_text(value, 20, arena), arena);
  for (size_t i = 0; words[i] != NULL; i++)
    if (ee_str_is(folded, words[i])) return true;
  return false;
}

static bool has_shape(shape wanted, const ee_value *value, ee_arena *arena) {
  switch (wanted) {
  case SHAPE_NUMBER: return is_number(value, arena, NULL);
  case SHAPE_DATE: return is_date(value);
  case SHAPE_BOOLEAN: return is_boolean(value, arena);
  case SHAPE_NONE: return true;
  }
  return true;
}

/* What at least 90 % of the values of a path are. */
static shape shape_of(const ee_audit_column *column, ee_arena *arena) {
  uint64_t numbers = 0, decimals = 0, dates = 0, all = column->scalars;
  ee_arena_mark mark = ee_arena_get_mark(arena);
  double enough = MIN_SHARE * (double)all;
  if (all < MIN_VALUES) return SHAPE_NONE;
  if ((double)(column->types[EE_TRUE] + column->types[EE_FALSE]) >= enough) return SHAPE_BOOLEAN;
  if ((double)column->types[EE_NUMBER] >= enough) return SHAPE_NUMBER;
  for (size_t i = 0; i < column->values.count; i++) {
    const ee_audit_value *value = &column->values.items[i];
    const ee_value *text = ee_value_new_string(arena, value->text);
    int places = 0;
    if (value->type == EE_NUMBER || is_number(text, arena, &places)) numbers += value->count;
    if (places > 0) decimals += value->count;
    if (value->type == EE_STRING && is_date(text)) dates += value->count;
    ee_arena_rewind(arena, mark);
    /* Most paths have neither. */
    if (i == 50 && numbers == 0 && dates == 0) return SHAPE_NONE;
  }
  if ((double)dates >= enough && dates > numbers) return SHAPE_DATE;
  return (double)numbers >= enough && 2 * decimals >= all ? SHAPE_NUMBER : SHAPE_NONE;
}

typedef struct shapes {
  ee_audit *audit;
  shape *shapes; /* by column */
  unread_list *list;
  const unread_list *known; /* sorted as they were added: by record */
  size_t next;
  ee_arena *arena;
} shapes;

/* Whether the rules could not read the value, either. */
static bool is_known(shapes *self, const ee_audit_node *node) {
  while (self->next < self->known->count && self->known->items[self->next].record < node->record) self->next++;
  for (size_t i = self->next; i < self->known->count && self->known->items[i].record == node->record; i++)
    if (ee_str_equal(self->known->items[i].path, node->path)) return true;
  return false;
}

static void look_at_shape(void *user, const ee_audit_node *node, ee_arena *arena) {
  shapes *self = user;
  shape wanted = self->shapes[node->column];
  if (wanted == SHAPE_NONE || !ee_audit_is_scalar(node->value) || has_shape(wanted, node->value, arena)) return;
  if (is_known(self, node)) return;
  add_unread(self->list, node->record, node->path, node->value, (unread){.what = shape_names[wanted]}, self->arena);
}

/* Suggested rules read numbers and dates as most values are, but compare true and false as texts. */
static void check_by_shape(ee_audit *audit, const unread_list *known, unread_list *list, ee_arena *arena) {
  shapes self = {.audit = audit,
                 .shapes = EE_NEW_ARRAY(arena, shape, audit->columns.count),
                 .list = list,
                 .known = known,
                 .arena = arena};
  bool any = false;
  for (size_t i = 0; i < audit->columns.count; i++) {
    shape found = shape_of(&audit->columns.items[i], arena);
    if (found == SHAPE_BOOLEAN || !audit->report.inferred) self.shapes[i] = found;
    any = any || self.shapes[i] != SHAPE_NONE;
  }
  if (any) ee_audit_walk(audit, look_at_shape, &self);
}

/* JSON types -------------------------------------------------------------------------------------- */

static const char *const type_names[] = {[EE_FALSE] = "booleans", [EE_TRUE] = "booleans", [EE_NUMBER] = "numbers",
                                         [EE_STRING] = "strings", [EE_ARRAY] = "arrays",  [EE_OBJECT] = "objects"};

static ee_type plain_type(ee_type type) { return type == EE_TRUE ? EE_FALSE : type; }

typedef struct mixed {
  ee_audit *audit;
  ee_type *usual;           /* by column; EE_MISSING: none */
  ee_audit_entry **entries; /* by column and type */
  uint64_t *counts;         /* the same */
  bool report;
} mixed;

#define TYPES (EE_OBJECT + 1)

static void look_at_type(void *user, const ee_audit_node *node, ee_arena *arena) {
  mixed *self = user;
  ee_type usual = self->usual[node->column], type = plain_type(ee_type_of(node->value));
  if (usual == EE_MISSING || type == usual || ee_value_is_empty(node->value, NULL)) return;
  /* A text that is not a number is unreadable. */
  if (type == EE_STRING && usual == EE_NUMBER && !has_shape(SHAPE_NUMBER, node->value, arena)) return;
  if (type == EE_STRING && usual == EE_FALSE && !has_shape(SHAPE_BOOLEAN, node->value, arena)) return;
  size_t at = node->column * TYPES + type;
  if (!self->report) {
    self->counts[at]++;
    return;
  }
  const ee_audit_column *column = &self->audit->columns.items[node->column];
  if (self->entries[at] == NULL)
    self->entries[at] = ee_audit_find(self->audit, EE_AUDIT_MIXED_TYPE, column->path, MIXED_WEIGHT, self->counts[at],
                                      ee_audit_text(node->value, SHOWN, arena), EE_STR(""),
                                      "%" PRIu64 " of %" PRIu64 " values are %s, the others %s", self->counts[at],
                                      column->nodes - column->types[EE_NULL], type_names[type], type_names[usual]);
  ee_audit_affect(self->audit, self->entries[at], node->record);
}

static void check_mixed(ee_audit *audit, ee_arena *arena) {
  size_t count = audit->columns.count;
  mixed self = {.audit = audit,
                .usual = EE_NEW_ARRAY(arena, ee_type, count),
                .entries = EE_NEW_ARRAY(arena, ee_audit_entry *, count * TYPES),
                .counts = EE_NEW_ARRAY(arena, uint64_t, count * TYPES)};
  bool any = false;
  for (size_t i = 0; i < count; i++) {
    const ee_audit_column *column = &audit->columns.items[i];
    uint64_t all = column->nodes - column->types[EE_NULL];
    for (int type = EE_FALSE; type < TYPES && all >= MIN_VALUES; type++) {
      uint64_t own = column->types[type] + (type == EE_FALSE ? column->types[EE_TRUE] : 0);
      if (type == EE_TRUE || own == all || (double)own < MIN_SHARE * (double)all) continue;
      self.usual[i] = (ee_type)type;
      any = true;
    }
  }
  if (!any) return;
  ee_audit_walk(audit, look_at_type, &self);
  self.report = true;
  ee_audit_walk(audit, look_at_type, &self);
}

/* Signs in numbers -------------------------------------------------------------------------------- */

typedef struct signs {
  ee_audit *audit;
  bool *mixed;              /* by column */
  uint64_t *counts;         /* by column: texts with a sign */
  ee_audit_entry **entries; /* by column */
} signs;

static bool has_sign(const ee_value *value, ee_arena *arena) {
  double ignored;
  if (ee_type_of(value) != EE_STRING || !is_number(value, arena, NULL)) return false;
  ee_str text = ee_value_text(value);
  return !ee_number_parse(text, (ee_number_format){.decimal = '.'}, arena, &ignored, NULL) &&
         !ee_number_parse(text, (ee_number_format){.decimal = ','}, arena, &ignored, NULL);
}

static void look_at_sign(void *user, const ee_audit_node *node, ee_arena *arena) {
  signs *self = user;
  if (!self->mixed[node->column] || !has_sign(node->value, arena)) return;
  ee_audit_entry **entry = &self->entries[node->column];
  const ee_audit_column *column = &self->audit->columns.items[node->column];
  if (*entry == NULL)
    *entry = ee_audit_find(self->audit, EE_AUDIT_MIXED_TYPE, column->path, MIXED_WEIGHT, self->counts[node->column],
                           ee_audit_text(node->value, SHOWN, arena), EE_STR(""),
                           "%" PRIu64 " of %" PRIu64 " values have a currency or percent sign, the others are plain "
                           "numbers; format = \"money\" reads both",
                           self->counts[node->column], column->scalars);
  ee_audit_affect(self->audit, *entry, node->record);
}

static void check_signs(ee_audit *audit, ee_arena *arena) {
  size_t count = audit->columns.count;
  signs self = {.audit = audit,
                .mixed = EE_NEW_ARRAY(arena, bool, count),
                .counts = EE_NEW_ARRAY(arena, uint64_t, count),
                .entries = EE_NEW_ARRAY(arena, ee_audit_entry *, count)};
  bool any = false;
  for (size_t i = 0; i < count; i++) {
    const ee_audit_column *column = &audit->columns.items[i];
    if (shape_of(column, arena) != SHAPE_NUMBER) continue;
    for (size_t k = 0; k < column->values.count; k++) {
      const ee_audit_value *value = &column->values.items[k];
      ee_arena_mark mark = ee_arena_get_mark(arena);
      if (value->type == EE_STRING && has_sign(ee_value_new_string(arena, value->text), arena))
        self.counts[i] += value->count;
      ee_arena_rewind(arena, mark);
    }
    self.mixed[i] = self.counts[i] > 0 && 2 * self.counts[i] < column->scalars;
    any = any || self.mixed[i];
  }
  if (any) ee_audit_walk(audit, look_at_sign, &self);
}

void ee_audit_check_types(ee_audit *audit, const ee_open_plan *open) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  if (ee_audit_wants(audit, EE_AUDIT_UNREADABLE)) {
    unread_list by_rules = {0}, by_shape = {0};
    if (open != NULL) check_by_rules(audit, open, &by_rules, &arena);
    check_by_shape(audit, &by_rules, &by_shape, &arena);
    report_unread(audit, &by_rules, &arena);
    report_unread(audit, &by_shape, &arena);
  }
  if (ee_audit_wants(audit, EE_AUDIT_MIXED_TYPE)) {
    check_mixed(audit, &arena);
    check_signs(audit, &arena);
  }
  ee_arena_fini(&arena);
}
