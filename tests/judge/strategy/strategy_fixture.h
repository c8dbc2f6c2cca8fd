/* strategy_fixture.h: rule trees built by hand, a script in C, and comparisons of JSON texts, for tests of strategies.
 */
#ifndef EE_TESTS_JUDGE_STRATEGY_FIXTURE_H
#define EE_TESTS_JUDGE_STRATEGY_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "data/json/json_reader.h"
#include "judge/fields/field.h"
#include "judge/plan.h"
#include "judge/strategy/strategy.h"

/* The functions of the script, by number. */
enum {
  FUNCTION_SCORE,   /* a strategy: answers what the script holds */
  FUNCTION_RAISE,   /* anything: raises an error at rules.lua:12 */
  FUNCTION_LOWER,   /* a map: ASCII letters of a text in lower case */
  FUNCTION_NOTHING, /* a map: nothing */
};

struct ee_script {
  double score;
  const char *reason; /* or NULL */
  size_t calls;
  ee_script_place place; /* of the last strategy call */
  ee_arena *arena;
};

typedef struct fixture {
  ee_arena arena;      /* the plan's */
  ee_arena case_arena; /* the case's */
  ee_error_list errors, rule_errors;
  ee_plan plan;
  ee_plan_builder builder;
  ee_script script;
  ee_case current;
  ee_context context;
} fixture;

static inline ee_status script_raise(ee_error *error) {
  return ee_error_at(error, EE_ERROR_RULES, "rules.lua", 12, 0, "strategy returned nothing (did you forget 'return'?)");
}

static inline ee_status script_strategy(ee_script *script, int function, const ee_value *expected,
                                        const ee_value *candidate, const ee_script_place *place,
                                        ee_script_score *result, ee_error *error) {
  (void)expected, (void)candidate;
  script->calls++;
  script->place = *place;
  if (function == FUNCTION_RAISE) return script_raise(error);
  assert_int_equal(function, FUNCTION_SCORE);
  result->score = script->score;
  if (script->reason != NULL) result->reason = ee_str_from(script->reason);
  return EE_OK;
}

static inline ee_status script_map(ee_script *script, int function, const ee_value *value, const ee_value **result,
                                   ee_error *error) {
  script->calls++;
  if (function == FUNCTION_RAISE) return script_raise(error);
  *result = function == FUNCTION_NOTHING ? NULL : value;
  if (function == FUNCTION_NOTHING || ee_type_of(value) != EE_STRING) return EE_OK;
  ee_value *copy = ee_value_copy(script->arena, value);
  for (char *at = copy->json.valuestring; *at != '\0'; at++) {
    if (*at >= 'A' && *at <= 'Z') *at = (char)(*at + 32);
  }
  *result = copy;
  return EE_OK;
}

/* A plain search; "[" is a bad pattern. */
static inline ee_status script_pattern(ee_script *script, ee_str pattern, ee_str subject, bool *result,
                                       ee_error *error) {
  script->calls++;
  if (ee_str_is(pattern, "[")) return ee_error_set(error, EE_ERROR_RULES, "malformed pattern");
  *result = pattern.length == 0 ||
            (subject.length > 0 && memmem(subject.data, subject.length, pattern.data, pattern.length) != NULL);
  return EE_OK;
}

static const ee_script_vtable script_vtable = {
    .strategy = script_strategy, .map = script_map, .pattern = script_pattern};

static inline void fixture_open(fixture *f) {
  memset(f, 0, sizeof *f);
  ee_arena_init(&f->arena, 0);
  ee_arena_init(&f->case_arena, 0);
  ee_error_list_init(&f->errors);
  ee_error_list_init(&f->rule_errors);
  f->plan = (ee_plan){.arena = &f->arena, .score_function = EE_NO_FUNCTION, .vtable = &script_vtable};
  f->builder = (ee_plan_builder){.arena = &f->arena, .plan = &f->plan, .errors = &f->errors};
  f->script.arena = &f->case_arena;
  f->current.id = EE_STR("inv-001");
  f->context = (ee_context){.plan = &f->plan,
                            .arena = &f->case_arena,
                            .script = &f->script,
                            .current = &f->current,
                            .rule_errors = &f->rule_errors};
}

static inline void fixture_close(fixture *f) {
  ee_error_list_fini(&f->errors);
  ee_error_list_fini(&f->rule_errors);
  ee_arena_fini(&f->arena);
  ee_arena_fini(&f->case_arena);
}

/* Building trees: node(f, "numeric", ITEMS(T("p")), OPTIONS(O("tolerance", N(0.01)))) -------------------------------
 */

#define T(literal) ((ee_rule_value){.type = EE_RULE_TEXT, .text = {(literal), sizeof(literal) - 1}})
#define N(value) ((ee_rule_value){.type = EE_RULE_NUMBER, .number = (value)})
#define B(value) ((ee_rule_value){.type = EE_RULE_BOOL, .boolean = (value)})
#define F(value) ((ee_rule_value){.type = EE_RULE_FUNCTION, .function = (value)})
#define NULL_VALUE ((ee_rule_value){.type = EE_RULE_NULL})
#define O(literal, option_value) ((ee_rule_option){.name = EE_STR(literal), .value = option_value})
#define COUNTED(type, ...) (type[]){__VA_ARGS__}, sizeof((type[]){__VA_ARGS__}) / sizeof(type)
#define ITEMS(...) COUNTED(ee_rule_value, __VA_ARGS__)
#define OPTIONS(...) COUNTED(ee_rule_option, __VA_ARGS__)
#define NONE NULL, 0

static inline ee_rule_node *node(fixture *f, const char *kind, const ee_rule_value *items, size_t item_count,
                                 const ee_rule_option *options, size_t option_count) {
  ee_rule_node *spec = EE_NEW(&f->arena, ee_rule_node);
  spec->kind = ee_str_from(kind);
  spec->file = "rules.lua";
  spec->line = 4;
  spec->item_count = item_count;
  spec->option_count = option_count;
  if (item_count > 0) {
    spec->items = (ee_rule_value *)(void *)ee_arena_copy(&f->arena, items, item_count * sizeof *items);
  }
  if (option_count > 0) {
    spec->options = (ee_rule_option *)(void *)ee_arena_copy(&f->arena, options, option_count * sizeof *options);
  }
  return spec;
}

/* A plain table. */
static inline ee_rule_value table(fixture *f, const ee_rule_value *items, size_t item_count,
                                  const ee_rule_option *options, size_t option_count) {
  return (ee_rule_value){.type = EE_RULE_TABLE, .node = node(f, "", items, item_count, options, option_count)};
}
#define LIST(f, ...) table(f, ITEMS(__VA_ARGS__), NONE)

/* Values and outcomes -------------------------------------------------------------------------- */

static inline const ee_value *json(fixture *f, const char *text) {
  if (text == NULL) return NULL;
  ee_error error = {0};
  const ee_value *value = ee_json_read(&f->case_arena, ee_str_from(text), NULL, &error);
  if (value == NULL) fail_msg("%s: %s", text, error.message);
  return value;
}

static inline void assert_no_errors(fixture *f) {
  if (f->errors.count > 0) fail_msg("%s", f->errors.items[0].message);
}

static inline const ee_strategy *compile(fixture *f, const ee_rule_node *spec) {
  const ee_strategy *strategy = ee_strategy_compile(&f->builder, spec);
  assert_no_errors(f);
  assert_non_null(strategy);
  return strategy;
}

static inline ee_comparison compare(fixture *f, const ee_strategy *strategy, const char *expected,
                                    const char *candidate) {
  ee_script_place place = {.path = EE_STR("p")};
  ee_comparison result;
  memset(&result, 0x5a, sizeof result);
  ee_strategy_compare(strategy, &f->context, json(f, expected), json(f, candidate), &place, &result);
  return result;
}

static inline void assert_reason(const ee_reason *reason, const char *text) {
  ee_buffer out;
  ee_buffer_init(&out);
  ee_reason_print(reason, &out);
  assert_string_equal(ee_buffer_terminate(&out), text);
  ee_buffer_fini(&out);
}

/* Asserts that a comparison matched with score 1, or missed with score 0 and `reason`. */
static inline void check_compare(fixture *f, const ee_strategy *strategy, const char *expected, const char *candidate,
                                 const char *reason) {
  ee_comparison result = compare(f, strategy, expected, candidate);
  assert_reason(&result.reason, reason == NULL ? "" : reason);
  assert_int_equal(result.matched, reason == NULL);
  assert_true(result.score == (reason == NULL ? 1 : 0));
  if (reason == NULL) assert_false(result.failed);
}
#define check_match(f, strategy, expected, candidate) check_compare(f, strategy, expected, candidate, NULL)

/* The same for a value in error. */
static inline void check_failed(fixture *f, const ee_strategy *strategy, const char *expected, const char *candidate,
                                const char *reason) {
  check_compare(f, strategy, expected, candidate, reason);
  assert_true(compare(f, strategy, expected, candidate).failed);
}

/* Asserts that exactly the errors `messages` (NULL-terminated) were reported since the last call, in this order. */
static inline void check_errors(fixture *f, const char *const *messages) {
  size_t count = 0;
  for (; messages[count] != NULL; count++) {
    if (count >= f->errors.count) fail_msg("not reported: %s", messages[count]);
    assert_string_equal(f->errors.items[count].message, messages[count]);
    assert_string_equal(f->errors.items[count].file, "rules.lua");
    assert_int_equal(f->errors.items[count].line, 4);
    assert_int_equal(f->errors.items[count].status, EE_ERROR_RULES);
  }
  if (f->errors.count > count) fail_msg("reported too: %s", f->errors.items[count].message);
  ee_error_list_fini(&f->errors);
  ee_error_list_init(&f->errors);
}
#define check_strategy_errors(f, spec, ...)                                                                            \
  (ee_strategy_compile(&(f)->builder, spec), check_errors(f, (const char *const[]){__VA_ARGS__, NULL}))

#endif
