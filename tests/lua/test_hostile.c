/* test_hostile.c: rule files that push against the walls: memory that runs out anywhere, values nested without end. */
#include "lua/rule_text.h"

#include "base/buffer.h"
#include "data/json/json_reader.h"
#include "judge/case.h"
#include "judge/plan.h"

/* A case and what judges it. */
typedef struct fixture {
  ee_rule_file *file;
  ee_script *script;
  ee_arena arena;
  ee_error_list rule_errors;
} fixture;

/* Loads rules.lua and opens a script; false with `error` when memory does not allow it. */
static bool open_fixture(fixture *self, size_t memory, ee_error *error) {
  ee_error_list errors;
  ee_error_list_init(&errors);
  ee_rule_file_options options = {.limits = {.memory = memory, .instructions = -1}};
  *self = (fixture){.file = ee_rule_file_load("rules.lua", &options, &errors)};
  if (self->file == NULL) *error = errors.items[0];
  ee_error_list_fini(&errors);
  if (self->file == NULL) return false;
  const ee_plan *plan = ee_rule_file_plan(self->file);
  self->script = plan->vtable->open(plan->host, error);
  ee_arena_init(&self->arena, 0);
  ee_error_list_init(&self->rule_errors);
  return self->script != NULL;
}

static void close_fixture(fixture *self) {
  if (self->file == NULL) return;
  if (self->script != NULL) ee_rule_file_plan(self->file)->vtable->close(self->script);
  ee_error_list_fini(&self->rule_errors);
  ee_arena_fini(&self->arena);
  ee_rule_file_free(self->file);
}

static const ee_value *read_json(ee_arena *arena, const char *text) {
  ee_error error;
  const ee_value *value = ee_json_read(arena, ee_str_from(text), NULL, &error);
  if (value == NULL) fail_msg("%s: %s", text, error.message);
  return value;
}

/* Judges `document` against itself. */
static void judge(fixture *self, const char *document, ee_case_result *result) {
  const ee_plan *plan = ee_rule_file_plan(self->file);
  ee_context context = {.plan = plan, .arena = &self->arena, .script = self->script, .rule_errors = &self->rule_errors};
  const ee_value *value = read_json(&self->arena, document);
  const ee_case current = {.id = EE_STR("c"), .record = value, .expected = value, .candidate = value};
  ee_plan_judge(plan, &context, &current, result);
}

/* Everything that calls Lua, and values of every kind in both directions. */
static const char everything[] =
    "local function text(v) return ('%s'):format(v):rep(20) end\n"
    "local own = ee.strategy { 'own', options = { country = { 'string', help = 'x' } }, score = function(a, b, c)\n"
    "  local t = {} for i = 1, 30 do t[i] = text(a) .. i .. c.path .. c.options.country end\n"
    "  return #t > 0, table.concat(t):sub(1, 1000) end }\n"
    "return ee.rules {\n"
    "  score = function(judges) return judges[1].score end,\n"
    "  ee.fields { name = 'f', aggregate = function(fields) return fields[1].score end,\n"
    "    ee.exact { 'a', normalize = text, when = function(case) return not ee.is_empty(case.id) end },\n"
    "    ee.pattern { 'b', pattern = '%d' }, own { 'b', name = 'own', country = 'DE' } },\n"
    "  ee.line_items { 'l', name = 's', match = { similarity = function(a, b) return ee.json(a) == ee.json(b) end },\n"
    "    ee.custom { 'd', function(a, b, c) return ee.get(c.item.expected, 'd') == b end } },\n"
    "  ee.line_items { 'l', name = 'k', match = { method = 'key', key = function(item) return tostring(item) end } },\n"
    "  ee.judge { 'j', function(case)\n"
    "    local copy, seen = ee.copy(case.record), {}\n"
    "    for key, value in pairs(case.record) do seen[key] = value end\n"
    "    pcall(function() seen.x = ('y'):rep(20000) end)\n"
    "    return { score = 1, hits = { tostring(case.expected) }, misses = { ee.json(copy) }, reasoning = case.id,\n"
    "             details = { copy = copy, seen = seen } } end },\n"
    "}\n";

/* However little a state may hold, a run ends with an error that says so, or with results; never outside a protected
 * call, where Lua would abort. */
static void test_memory_runs_out_anywhere(void **state) {
  (void)state;
  write_text("rules.lua", everything);
  size_t refused = 0, tripped = 0, fine = 0;
  for (size_t memory = 1000; memory < 200000; memory += 331) {
    fixture self;
    ee_error error = {0};
    if (!open_fixture(&self, memory, &error)) {
      if (strstr(error.message, "out of memory") == NULL) fail_msg("%zu bytes: %s", memory, error.message);
      refused++;
    } else {
      ee_case_result result;
      judge(&self, "{\"a\":1,\"b\":\"x2\",\"l\":[{\"d\":\"one\"},{\"d\":null},{\"d\":[1,{}]}]}", &result);
      for (size_t i = 0; i < self.rule_errors.count; i++) {
        const char *message = self.rule_errors.items[i].message;
        if (strstr(message, "out of memory") == NULL) fail_msg("%zu bytes: %s", memory, message);
      }
      tripped += self.rule_errors.count > 0;
      fine += self.rule_errors.count == 0;
    }
    close_fixture(&self);
  }
  assert_true(refused > 10 && tripped > 10 && fine > 10);
}

/* A function that wraps what another call made would else build a tree that no recursion survives. */
static void test_nesting_across_calls(void **state) {
  (void)state;
  write_text("rules.lua", "local kept\n"
                          "local function wrap(v) return { kept or v } end\n"
                          "local function keep(expected, candidate) kept = candidate return true end\n"
                          "return ee.rules { ee.line_items { 'l', match = { method = 'index' },\n"
                          "  ee.custom { 'd', normalize = wrap, keep } },\n"
                          "  ee.judge { 'j', function() local last = kept kept = nil\n"
                          "    return { score = 1, details = { kept = last } } end } }\n");
  fixture self;
  ee_error error;
  assert_true(open_fixture(&self, 0, &error));
  for (int items = 10; items <= 1000; items *= 10) {
    ee_buffer document = {0};
    ee_buffer_add_text(&document, "{\"l\":[");
    for (int i = 0; i < items; i++) ee_buffer_addf(&document, "%s{\"d\":\"%d\"}", i > 0 ? "," : "", i);
    ee_buffer_add_text(&document, "]}");
    ee_case_result result;
    self.rule_errors.count = 0;
    judge(&self, ee_buffer_terminate(&document), &result);
    assert_int_equal(self.rule_errors.count > 0, items > 10);
    for (size_t i = 0; i < self.rule_errors.count; i++)
      assert_non_null(strstr(self.rule_errors.items[i].message, "a table nested deeper than 100"));
    ee_buffer_fini(&document);
  }
  close_fixture(&self);
}

EE_TEST_FILE(rule_text_setup, rule_text_teardown, cmocka_unit_test(test_memory_runs_out_anywhere),
             cmocka_unit_test(test_nesting_across_calls));
