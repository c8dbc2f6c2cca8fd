/* agentv.c: the evaluators of a YAML data set: which there are, which judge which case, and the tree of all of
 * them. */
#include "judge/outside/agentv.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/hash_index.h"
#include "judge/outside/agentv_node.h"

#define NOT_JUDGING UINT32_MAX

/* One of the data set's evaluators; equal ones are one. */
typedef struct evaluator {
  const ee_value *node; /* the first of the equal ones */
  ee_agentv_kind kind;
  uint32_t line, column;
  size_t met;      /* as which it was met: decides between those of one place, or of none */
  uint32_t number; /* of the judge: in the order of the file */
  size_t last;     /* the case that had it last, from 1 */
  ee_str name;
} evaluator;

/* What a node is that was met before: many cases share one. */
typedef struct known_node {
  const ee_value *node;
  uint32_t evaluator; /* NOT_JUDGING: it judges nothing */
} known_node;

/* The evaluators that judge a case, by their places in the list. */
typedef struct case_judges {
  const uint32_t *evaluators;
  size_t count;
} case_judges;

typedef struct collection {
  ee_agentv_builder builder;
  evaluator *evaluators;
  size_t count, capacity;
  ee_hash_index by_value; /* of evaluators, by the hash of their nodes */
  known_node *nodes;
  size_t node_count, node_capacity;
  ee_hash_index by_node; /* of nodes, by their addresses */
  size_t text_count;
  const ee_value *first_text;
} collection;

/* A list of items of `size` bytes in the arena with room for one more. */
static void *grow(ee_arena *arena, void *items, size_t count, size_t *capacity, size_t size) {
  if (count < *capacity) return items;
  *capacity = *capacity > 0 ? *capacity * 2 : 16;
  void *larger = ee_arena_alloc(arena, *capacity * size);
  if (count > 0) memcpy(larger, items, count * size);
  return larger;
}

/* Collecting ----------------------------------------------------------------------------------- */

/* The evaluator that `node` is, or is equal to. */
static uint32_t take_evaluator(collection *c, const ee_value *node, ee_agentv_kind kind) {
  uint64_t hash = ee_value_hash(node);
  size_t at = 0, number;
  while (ee_hash_index_next(&c->by_value, hash, &at, &number)) {
    if (ee_value_equal(c->evaluators[number].node, node)) return (uint32_t)number;
  }
  struct ee_yaml_place place = ee_case_file_place(c->builder.file, node);
  c->evaluators = grow(c->builder.arena, c->evaluators, c->count, &c->capacity, sizeof *c->evaluators);
  c->evaluators[c->count] =
      (evaluator){.node = node, .kind = kind, .line = place.line, .column = place.column, .met = c->count};
  ee_hash_index_add(&c->by_value, hash, c->count);
  return (uint32_t)c->count++;
}

/* What a node is that was not met before. */
static uint32_t look_at(collection *c, const ee_value *node) {
  ee_type type = ee_type_of(node);
  if (type == EE_OBJECT) {
    ee_agentv_kind kind = ee_agentv_kind_of(&c->builder, node);
    return kind != EE_AGENTV_NONE ? take_evaluator(c, node, kind) : NOT_JUDGING;
  }
  if (type == EE_STRING) {
    if (c->text_count++ == 0) c->first_text = node;
  } else if (type > EE_NULL) {
    ee_agentv_report(&c->builder, EE_ERROR_RULES, node, "an evaluator must be a mapping, got %s", ee_type_name(node));
  }
  return NOT_JUDGING;
}

static uint32_t take_node(collection *c, const ee_value *node) {
  uint64_t hash = ee_hash_mix((uint64_t)(uintptr_t)node);
  size_t at = 0, number;
  while (ee_hash_index_next(&c->by_node, hash, &at, &number)) {
    if (c->nodes[number].node == node) return c->nodes[number].evaluator;
  }
  c->nodes = grow(c->builder.arena, c->nodes, c->node_count, &c->node_capacity, sizeof *c->nodes);
  known_node *added = &c->nodes[c->node_count];
  ee_hash_index_add(&c->by_node, hash, c->node_count++);
  *added = (known_node){node, look_at(c, node)};
  return added->evaluator;
}

static case_judges take_case(collection *c, const ee_file_case *one, size_t number) {
  uint32_t *evaluators = EE_NEW_ARRAY(c->builder.arena, uint32_t, one->evaluator_count);
  case_judges judges = {evaluators, 0};
  for (size_t i = 0; i < one->evaluator_count; i++) {
    uint32_t taken = take_node(c, one->evaluators[i]);
    if (taken == NOT_JUDGING || c->evaluators[taken].last == number) continue;
    c->evaluators[taken].last = number;
    evaluators[judges.count++] = taken;
  }
  return judges;
}

/* The judges of all cases. */
static case_judges *take_cases(collection *c, const ee_case_file *file) {
  case_judges *judges = EE_NEW_ARRAY(c->builder.arena, case_judges, file->count);
  for (size_t i = 0; i < file->count; i++) {
    const ee_file_case *one = &file->cases[i], *before = i > 0 ? one - 1 : NULL;
    bool same =
        before != NULL && before->evaluators == one->evaluators && before->evaluator_count == one->evaluator_count;
    judges[i] = same ? judges[i - 1] : take_case(c, one, i + 1);
  }
  return judges;
}

/* Numbers and names ---------------------------------------------------------------------------- */

static int compare_places(const void *left, const void *right) {
  const evaluator *a = *(evaluator *const *)left, *b = *(evaluator *const *)right;
  if (a->line != b->line) return a->line < b->line ? -1 : 1;
  if (a->column != b->column) return a->column < b->column ? -1 : 1;
  return (a->met > b->met) - (a->met < b->met);
}

/* The evaluators in the order of the file, which numbers them. */
static evaluator **number_all(collection *c) {
  evaluator **order = EE_NEW_ARRAY(c->builder.arena, evaluator *, c->count);
  for (size_t i = 0; i < c->count; i++) order[i] = &c->evaluators[i];
  if (c->count > 0) qsort(order, c->count, sizeof *order, compare_places);
  for (size_t i = 0; i < c->count; i++) order[i]->number = (uint32_t)i;
  return order;
}

/* A name that evaluators have, and how many have asked for it. */
typedef struct base_name {
  ee_str name;
  uint32_t copies;
} base_name;

typedef struct name_table {
  ee_arena *arena;
  base_name *bases; /* as many as there are evaluators, at most */
  size_t base_count;
  ee_hash_index by_base; /* of bases */
  evaluator **order;
  ee_hash_index by_name; /* of evaluators that have their name */
} name_table;

static uint64_t hash_name(ee_str name) { return ee_hash_bytes(name.data, name.length, 0); }

static base_name *find_base(name_table *table, ee_str name) {
  uint64_t hash = hash_name(name);
  size_t at = 0, number;
  while (ee_hash_index_next(&table->by_base, hash, &at, &number)) {
    if (ee_str_equal(table->bases[number].name, name)) return &table->bases[number];
  }
  ee_hash_index_add(&table->by_base, hash, table->base_count);
  base_name *added = &table->bases[table->base_count++];
  added->name = name;
  return added;
}

static bool is_taken(const name_table *table, ee_str name) {
  size_t at = 0, number;
  while (ee_hash_index_next(&table->by_name, hash_name(name), &at, &number)) {
    if (ee_str_equal(table->order[number]->name, name)) return true;
  }
  return false;
}

/* Tells those of one name apart: "header", "header (2)". */
static void name_all(collection *c, evaluator **order) {
  ee_arena *arena = c->builder.arena;
  name_table table = {.arena = arena,
                      .bases = EE_NEW_ARRAY(arena, base_name, c->count),
                      .by_base = {.arena = arena},
                      .order = order,
                      .by_name = {.arena = arena}};
  for (size_t i = 0; i < c->count; i++) {
    base_name *base = find_base(&table, ee_agentv_name(&c->builder, order[i]->kind, order[i]->node));
    ee_str name;
    do {
      name = base->name;
      if (++base->copies > 1)
        name = ee_str_from(ee_arena_printf(arena, "%.*s (%" PRIu32 ")", (int)name.length, name.data, base->copies));
    } while (is_taken(&table, name));
    order[i]->name = name;
    ee_hash_index_add(&table.by_name, hash_name(name), i);
  }
}

/* The tree ------------------------------------------------------------------------------------- */

static const ee_rule_node *to_node(ee_agentv_builder *builder, const evaluator *one) {
  switch (one->kind) {
  case EE_AGENTV_FIELDS: return ee_agentv_fields_to_node(builder, one->node, one->name);
  case EE_AGENTV_IOU: return ee_agentv_iou_to_node(builder, one->node, one->name);
  default: return ee_agentv_code_to_node(builder, one->node, one->name);
  }
}

static const ee_rule_node *make_root(collection *c, evaluator *const *order) {
  ee_arena *arena = c->builder.arena;
  const ee_case_file *file = c->builder.file;
  ee_rule_node *root = EE_NEW(arena, ee_rule_node);
  *root = (ee_rule_node){.kind = EE_STR("rules"), .file = file->name, .line = 1};
  ee_rule_value *items = EE_NEW_ARRAY(arena, ee_rule_value, c->count);
  root->items = items;
  for (size_t i = 0; i < c->count; i++)
    items[root->item_count++] = (ee_rule_value){.type = EE_RULE_NODE, .node = to_node(&c->builder, order[i])};
  if (file->title.length > 0) {
    ee_rule_option *name = EE_NEW(arena, ee_rule_option);
    *name = (ee_rule_option){EE_STR("name"), {.type = EE_RULE_TEXT, .text = file->title}};
    root->options = name;
    root->option_count = 1;
  }
  return root;
}

/* Which judge which case ----------------------------------------------------------------------- */

static int compare_numbers(const void *left, const void *right) {
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  return (a > b) - (a < b);
}

/* The weight that the judge will have; a path stands for the weights of items. */
static double weight_of(const evaluator *one) {
  const ee_value *weight = ee_value_member(one->node, EE_STR("weight"), NULL);
  return ee_type_of(weight) == EE_NUMBER ? ee_value_number(weight) : 1;
}

/* The case's id, or the one that its line gives it. */
static ee_str id_of(const ee_file_case *one, ee_arena *arena) {
  if (one->id.data != NULL) return one->id;
  char made[EE_LINE_ID_SIZE];
  ee_str id = ee_record_line_id(one->line, made);
  return (ee_str){ee_arena_copy(arena, id.data, id.length), id.length};
}

/* Judges of a case that weigh nothing together would say nothing of it. */
static void check_weights(collection *c, const ee_file_case *one, const case_judges *judges) {
  double sum = 0;
  for (size_t i = 0; i < judges->count; i++) sum += weight_of(&c->evaluators[judges->evaluators[i]]);
  if (judges->count == 0 || sum > 0) return;
  ee_agentv_report(&c->builder, EE_ERROR_RULES, one->record, "the weights of the evaluators of case %s sum to 0",
                   ee_agentv_quoted(&c->builder, id_of(one, c->builder.arena)));
}

static ee_selection *select_judges(collection *c, const case_judges *judges) {
  const ee_case_file *file = c->builder.file;
  ee_arena *arena = c->builder.arena;
  bool all = true;
  for (size_t i = 0; i < file->count; i++) all = all && judges[i].count == c->count;
  if (all) return NULL;
  ee_selection *selection = ee_selection_new(arena);
  uint32_t *numbers = EE_NEW_ARRAY(arena, uint32_t, c->count);
  size_t unjudged = 0;
  const ee_file_case *first = NULL;
  for (size_t i = 0; i < file->count; i++) {
    const ee_file_case *one = &file->cases[i];
    for (size_t k = 0; k < judges[i].count; k++) numbers[k] = c->evaluators[judges[i].evaluators[k]].number;
    if (judges[i].count > 0) qsort(numbers, judges[i].count, sizeof *numbers, compare_numbers);
    ee_selection_add(selection, id_of(one, arena), numbers, judges[i].count);
    check_weights(c, one, &judges[i]);
    if (judges[i].count == 0 && unjudged++ == 0) first = one;
  }
  if (unjudged > 0)
    ee_agentv_report(&c->builder, EE_OK, first->record,
                     "%zu case%s no evaluator that can judge %s and %s left out (%s is %s)", unjudged,
                     unjudged == 1 ? " has" : "s have", unjudged == 1 ? "it" : "them", unjudged == 1 ? "is" : "are",
                     unjudged == 1 ? "it" : "the first", ee_agentv_quoted(&c->builder, id_of(first, arena)));
  return selection;
}

const ee_rule_node *ee_agentv_to_rules(const ee_case_file *file, ee_arena *arena, ee_selection **selection,
                                       ee_error_list *errors) {
  collection c = {.builder = {.file = file, .arena = arena, .errors = errors},
                  .by_value = {.arena = arena},
                  .by_node = {.arena = arena}};
  *selection = NULL;
  case_judges *judges = take_cases(&c, file);
  evaluator **order = number_all(&c);
  name_all(&c, order);
  const ee_rule_node *root = make_root(&c, order);
  if (c.count > 0) *selection = select_judges(&c, judges);
  ee_agentv_report_words(&c.builder);
  const char *meant;
  const ee_value *misspelt = ee_case_file_misspelt(file, &meant);
  if (misspelt != NULL)
    ee_agentv_report(&c.builder, EE_OK, misspelt, "unknown key %s judges nothing (did you mean '%s'?)",
                     ee_agentv_quoted(&c.builder, ee_value_key(misspelt)), meant);
  if (c.text_count > 0)
    ee_agentv_report(&c.builder, EE_OK, c.first_text,
                     "%zu text%s among the evaluators %s left out: criteria for a reader or a model", c.text_count,
                     c.text_count == 1 ? "" : "s", c.text_count == 1 ? "is" : "are");
  return c.count > 0 && c.builder.mistakes == 0 ? root : NULL;
}
