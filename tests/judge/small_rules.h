/* small_rules.h: a small rule file as a tree, and its script in C, for tests of runs, totals and reports.
 *
 *   ee.rules { name = "invoice", slices = { "lang" },
 *     ee.fields { name = "header", ee.exact "number", ee.numeric { "total", tolerance = 0.01, weight = 3 }, ee.exact {
 * "note", required = false } }, ee.judge { "seen", function },   -- raises when record.raise is true; else score 1 and
 * details.metrics of one attribute, record.kind
 *   }
 */
#ifndef EE_TESTS_JUDGE_SMALL_RULES_H
#define EE_TESTS_JUDGE_SMALL_RULES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "data/json/json_reader.h"
#include "judge/plan.h"

typedef struct small_rules {
  ee_arena arena;
  ee_plan *plan;
  bool refuse_to_open; /* the script cannot be made */
  atomic_int opened;   /* scripts so far */
} small_rules;

/* Script ------------------------------------------------------------------------------------------------------------
 */

struct ee_script {
  const ee_case *current;
  ee_arena *arena;
};

static inline ee_script *small_open(void *host, ee_error *error) {
  small_rules *rules = host;
  if (rules->refuse_to_open) {
    ee_error_at(error, EE_ERROR_RULES, "rules.lua", 1, 0, "does not load a second time");
    return NULL;
  }
  atomic_fetch_add(&rules->opened, 1);
  return ee_calloc(1, sizeof(ee_script));
}

static inline void small_close(ee_script *script) { ee_free(script); }

static inline void small_begin(ee_script *script, const ee_case *current, ee_arena *arena) {
  script->current = current;
  script->arena = arena;
}

static inline void small_end(ee_script *script) { script->current = NULL; }

static inline ee_status small_judge(ee_script *script, int function, const ee_script_model *model,
                                    ee_script_judgement *result, ee_error *error) {
  (void)model;
  assert_int_equal(function, 0);
  const ee_value *record = script->current->record;
  if (ee_type_of(ee_value_member(record, EE_STR("raise"), NULL)) == EE_TRUE)
    return ee_error_at(error, EE_ERROR_RULES, "rules.lua", 30, 0, "attempt to index a nil value");
  result->score = 1;
  const ee_value *kind = ee_value_member(record, EE_STR("kind"), NULL);
  if (ee_type_of(kind) != EE_STRING) return EE_OK;
  ee_value *details = ee_value_new(script->arena, EE_OBJECT), *metrics = ee_value_new(script->arena, EE_OBJECT);
  ee_value *counts = ee_value_new(script->arena, EE_OBJECT);
  ee_value_set(script->arena, counts, EE_STR("tp"), ee_value_new_number(script->arena, 1));
  ee_value_set(script->arena, metrics, ee_value_text(kind), counts);
  ee_value_set(script->arena, details, EE_STR("metrics"), metrics);
  result->details = details;
  return EE_OK;
}

static const ee_script_vtable small_vtable = {
    .open = small_open, .close = small_close, .begin_case = small_begin, .end_case = small_end, .judge = small_judge};

/* The tree ----------------------------------------------------------------------------------------------------------
 */

static inline ee_rule_value small_text(const char *text) {
  return (ee_rule_value){.type = EE_RULE_TEXT, .text = ee_str_from(text)};
}

static inline ee_rule_value small_number(double number) {
  return (ee_rule_value){.type = EE_RULE_NUMBER, .number = number};
}

static inline ee_rule_value small_node(ee_arena *arena, const char *kind, const ee_rule_value *items, size_t item_count,
                                       const ee_rule_option *options, size_t option_count) {
  ee_rule_node *spec = EE_NEW(arena, ee_rule_node);
  *spec = (ee_rule_node){.kind = ee_str_from(kind), .file = "rules.lua", .line = 1};
  spec->items = (const void *)ee_arena_copy(arena, items, item_count * sizeof *items);
  spec->item_count = item_count;
  spec->options = (const void *)ee_arena_copy(arena, options, option_count * sizeof *options);
  spec->option_count = option_count;
  return (ee_rule_value){.type = *kind != '\0' ? EE_RULE_NODE : EE_RULE_TABLE, .node = spec};
}

static inline void small_rules_open(small_rules *rules) {
  *rules = (small_rules){0};
  ee_arena *arena = &rules->arena;
  ee_arena_init(arena, 0);
  ee_rule_value number = small_text("number"), total = small_text("total"), note = small_text("note");
  ee_rule_option total_options[] = {{EE_STR("tolerance"), small_number(0.01)}, {EE_STR("weight"), small_number(3)}};
  ee_rule_option note_options[] = {{EE_STR("required"), {.type = EE_RULE_BOOL, .boolean = false}}};
  ee_rule_value fields[] = {small_node(arena, "exact", &number, 1, NULL, 0),
                            small_node(arena, "numeric", &total, 1, total_options, 2),
                            small_node(arena, "exact", &note, 1, note_options, 1)};
  ee_rule_option header = {EE_STR("name"), small_text("header")};
  ee_rule_value seen[] = {small_text("seen"), {.type = EE_RULE_FUNCTION, .function = 0}};
  ee_rule_value judges[] = {small_node(arena, "fields", fields, 3, &header, 1),
                            small_node(arena, "judge", seen, 2, NULL, 0)};
  ee_rule_value lang = small_text("lang");
  ee_rule_option options[] = {{EE_STR("name"), small_text("invoice")},
                              {EE_STR("slices"), small_node(arena, "", &lang, 1, NULL, 0)}};
  ee_rule_value root = small_node(arena, "rules", judges, 2, options, 2);
  ee_error_list errors;
  ee_error_list_init(&errors);
  rules->plan = ee_plan_compile(arena, root.node, &small_vtable, rules, &errors);
  for (size_t i = 0; i < errors.count; i++) print_error("%s\n", errors.items[i].message);
  assert_int_equal(errors.count, 0);
  assert_non_null(rules->plan);
  ee_error_list_fini(&errors);
}

static inline void small_rules_close(small_rules *rules) { ee_arena_fini(&rules->arena); }

/* Judges the record `text`, which must be readable, into `arena`. */
static inline ee_case_result small_judge_record(const small_rules *rules, ee_arena *arena, const char *text) {
  ee_error error = {0};
  ee_value *record = ee_json_read(arena, ee_str_from(text), NULL, &error);
  if (record == NULL) fail_msg("%s: %s", text, error.message);
  ee_case *current = EE_NEW(arena, ee_case);
  if (ee_record_read(record, &rules->plan->paths, &(ee_record_place){.line = 1}, arena, current, &error) != EE_OK)
    fail_msg("%s: %s", text, error.message);
  ee_script *script = small_open(rules->plan->host, &error);
  ee_context context = {.plan = rules->plan, .arena = arena, .script = script};
  ee_case_result result;
  ee_plan_judge(rules->plan, &context, current, &result);
  small_close(script);
  return result;
}

#endif
