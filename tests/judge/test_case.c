/* test_case.c: what a worker opens for a plan is opened once, closed once, and handed to each case. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "judge/case.h"
#include "judge/plan.h"

/* What happened, in order: one letter an event. */
typedef struct record {
  char events[64];
  size_t count;
  bool no_script, no_asker;
  int failing_judge; /* its number; -1: none */
  bool failing_has_state;
} record;

static void note(record *r, char event) {
  assert_true(r->count + 1 < sizeof r->events);
  r->events[r->count++] = event;
}

struct ee_script {
  record *record;
};

static ee_script *open_script(void *host, ee_error *error) {
  record *r = host;
  if (r->no_script) {
    ee_error_at(error, EE_ERROR_RULES, "rules.lua", 3, 0, "does not load");
    return NULL;
  }
  note(r, 'S');
  ee_script *script = ee_malloc(sizeof *script);
  script->record = r;
  return script;
}

static void close_script(ee_script *script) {
  note(script->record, 's');
  ee_free(script);
}

static const ee_script_vtable scripts = {.open = open_script, .close = close_script};

typedef struct provider {
  ee_provider base;
  record *record;
} provider;
typedef struct session {
  ee_provider_session base;
  record *record;
} session;

static ee_provider_session *open_asker(ee_provider *base, ee_error *error) {
  record *r = ((provider *)(void *)base)->record;
  if (r->no_asker) {
    ee_error_set(error, EE_ERROR_SYSTEM, "no asker");
    return NULL;
  }
  note(r, 'A');
  session *made = ee_malloc(sizeof *made);
  *made = (session){{base->vtable}, r};
  return &made->base;
}

static void close_asker(ee_provider_session *base) {
  note(((session *)(void *)base)->record, 'a');
  ee_free(base);
}

static const ee_provider_vtable providers = {.name = "fake", .open = open_asker, .close = close_asker};

/* A judge keeps the record's address, and its number in the events. */
static ee_status open_state(const ee_judge *judge, const ee_open_plan *open, void **state, ee_error *error) {
  record *r = judge->data;
  assert_ptr_equal(open->plan->judges[judge->number], judge);
  bool fails = r->failing_judge == (int)judge->number;
  if (!fails || r->failing_has_state) {
    *state = r;
    note(r, (char)('0' + judge->number));
  }
  return fails ? ee_error_set(error, EE_ERROR_SYSTEM, "judge %u does not open", judge->number) : EE_OK;
}

static void close_state(const ee_judge *judge, void *state) {
  assert_ptr_equal(state, judge->data);
  note(state, (char)('5' + judge->number));
}

static const ee_judge_type keeping = {.name = "keeping", .open = open_state, .close = close_state};
static const ee_judge_type plain = {.name = "plain"};

typedef struct setting {
  record record;
  ee_judge judges[4];
  const ee_judge *list[4];
  ee_plan plan;
  provider provider;
  volatile sig_atomic_t interrupted;
  ee_arena arena;
} setting;

/* Four judges, of which the second and the last keep something. */
static void set_up(setting *s) {
  *s = (setting){.record = {.failing_judge = -1}, .provider = {.base = {.vtable = &providers}}};
  s->provider.record = &s->record;
  for (uint32_t i = 0; i < 4; i++) {
    s->judges[i] = (ee_judge){.type = i % 2 == 1 ? &keeping : &plain, .number = i, .data = &s->record};
    s->list[i] = &s->judges[i];
  }
  s->plan = (ee_plan){.judges = s->list,
                      .judge_count = 4,
                      .vtable = &scripts,
                      .host = &s->record,
                      .needs_script = true,
                      .needs_provider = true};
  ee_arena_init(&s->arena, 0);
}

#define assert_events(s, expected) assert_string_equal((s)->record.events, expected)

static void test_everything(void **state) {
  (void)state;
  setting s;
  set_up(&s);
  ee_open_plan open;
  ee_error error;
  assert_int_equal(ee_open_plan_init(&open, &s.plan, &s.provider.base, &s.interrupted, &error), EE_OK);
  assert_events(&s, "SA13");
  ee_context context = ee_open_plan_context(&open, &s.arena);
  assert_ptr_equal(context.plan, &s.plan);
  assert_ptr_equal(context.arena, &s.arena);
  assert_ptr_equal(context.script, open.script);
  assert_ptr_equal(context.session, open.session);
  assert_ptr_equal(context.interrupted, &s.interrupted);
  assert_true(context.script != NULL && context.session != NULL);
  assert_null(context.states[0]);
  assert_ptr_equal(context.states[1], &s.record);
  assert_null(context.states[2]);
  assert_ptr_equal(context.states[3], &s.record);
  assert_false(context.dry_run || context.is_final_round);
  assert_true(context.rule_errors == NULL && context.memo == NULL && context.current == NULL);
  ee_open_plan_fini(&open);
  assert_events(&s, "SA1386as");
  ee_open_plan_fini(&open); /* is closed already */
  assert_events(&s, "SA1386as");
  ee_arena_fini(&s.arena);
}

static void test_only_what_is_needed(void **state) {
  (void)state;
  setting s;
  set_up(&s);
  s.plan.needs_script = s.plan.needs_provider = false;
  s.plan.judge_count = 1;
  s.plan.vtable = NULL;
  ee_open_plan open;
  assert_int_equal(ee_open_plan_init(&open, &s.plan, &s.provider.base, NULL, NULL), EE_OK);
  assert_events(&s, "");
  assert_true(open.script == NULL && open.session == NULL && open.states == NULL && open.interrupted == NULL);
  ee_open_plan_fini(&open);
  /* A provider is needed, and there is none: values that need one get no answer. */
  s.plan.needs_provider = true;
  assert_int_equal(ee_open_plan_init(&open, &s.plan, NULL, NULL, NULL), EE_OK);
  assert_null(open.session);
  ee_open_plan_fini(&open);
  assert_events(&s, "");
  ee_arena_fini(&s.arena);
}

static void test_script_of_another(void **state) {
  (void)state;
  setting s;
  set_up(&s);
  struct ee_script own = {&s.record};
  ee_open_plan open;
  assert_int_equal(ee_open_plan_init_with(&open, &s.plan, &own, &s.provider.base, NULL, NULL), EE_OK);
  assert_ptr_equal(ee_open_plan_context(&open, &s.arena).script, &own);
  ee_open_plan_fini(&open);
  assert_events(&s, "A1386a");
  ee_arena_fini(&s.arena);
}

static void test_failures(void **state) {
  (void)state;
  static const struct {
    bool no_script, no_asker;
    int judge;
    bool has_state;
    ee_status status;
    const char *events, *message;
  } rows[] = {
      {true, false, -1, false, EE_ERROR_RULES, "", "does not load"},
      {false, true, -1, false, EE_ERROR_SYSTEM, "Ss", "no asker"},
      {false, false, 1, false, EE_ERROR_SYSTEM, "SAas", "judge 1 does not open"},
      /* What was opened is closed, and so is half a state. */
      {false, false, 3, false, EE_ERROR_SYSTEM, "SA16as", "judge 3 does not open"},
      {false, false, 3, true, EE_ERROR_SYSTEM, "SA1386as", "judge 3 does not open"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    setting s;
    set_up(&s);
    s.record.no_script = rows[i].no_script;
    s.record.no_asker = rows[i].no_asker;
    s.record.failing_judge = rows[i].judge;
    s.record.failing_has_state = rows[i].has_state;
    ee_open_plan open;
    ee_error error = {0};
    assert_int_equal(ee_open_plan_init(&open, &s.plan, &s.provider.base, NULL, &error), rows[i].status);
    assert_string_equal(error.message, rows[i].message);
    ee_open_plan_fini(&open);
    assert_events(&s, rows[i].events);
    ee_arena_fini(&s.arena);
  }
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_everything), cmocka_unit_test(test_only_what_is_needed),
             cmocka_unit_test(test_script_of_another), cmocka_unit_test(test_failures));
