/* test_counted.c: calls into Lua that would not end, or not soon, are given up at a limit of work, whatever they do; an
 * interrupt ends them, too. */
#include "lua/rule_text.h"

#include <lauxlib.h>
#include <lualib.h>
#include <signal.h>
#include <time.h>

#include "base/limits.h"
#include "base/work.h"

static volatile sig_atomic_t interrupted;

/* Calls the function that the file `text` returns; a limit of `units` around it. */
typedef struct call {
  ee_lua *lua;
  ee_error error;
  ee_status status;
} call;

static void run_call(void *user) {
  call *self = user;
  lua_pushvalue(self->lua->L, -1);
  self->status = ee_lua_call(self->lua, 0, 0, &self->error);
}

static ee_work_end call_within(call *self, uint64_t units) {
  self->error = (ee_error){0};
  return ee_work_try(units, run_call, self);
}

#define UNITS (EE_WORK_SECOND / 50)
#define GIVEN_UP "rules.lua:2: given up after 0.02 s of work (--timeout)"

/* Without a limit of instructions, so that only work can end it. */
static ee_lua *state_without_budget(void) {
  ee_error error;
  ee_lua *lua = ee_lua_new("rules.lua", (ee_lua_limits){.instructions = 0}, NULL, 0, NULL, &error);
  assert_non_null(lua);
  return lua;
}

/* Bodies of functions on the second line, none of which would end within the life of a test. */
static const char *const endless[] = {
    "while true do end",
    "local function f() return f() end return f()",
    "repeat local ok = pcall(error, 'x') until false",
    "while true do pcall(function() while true do end end) end",
    "while true do xpcall(function() while true do end end, function(e) while true do end end) end",
    "while true do pcall(pcall, pcall, error) end",
    "local t <close> = setmetatable({}, {__close = function() while true do end end}) while true do end",
    "return ('a'):rep(200):find(('.-'):rep(30) .. 'b')",
    "return ('a'):rep(40000):match('%w+@')",
    "return ('a'):rep(40000):gsub('.-b', '')",
    "for _ in ('a'):rep(40000):gmatch('.-b') do end",
    "return ('('):rep(60000):gsub('%b()', '')",
    "while true do pcall(string.find, ('a'):rep(40000), '%w+@') end",
    "while true do string.rep('x', 100000) end",
    "while true do local s = string.format('%099.99f', 1e300) end",
    "while true do string.rep('x', 1000000):reverse():upper() end",
    "while true do pcall(string.rep, 'x', 1e9) end",
    "local s = '' while true do s = (s .. 'x'):sub(-100000) end",
    "local t = {} for i = 1, 1e5 do t[i] = i end while true do table.concat(t, ',') end",
    "local t = {} for i = 1, 1e5 do t[i] = i end while true do table.insert(t, 1, 0) table.remove(t, 1) end",
    "table.insert(setmetatable({}, {__len = function() return 1 << 60 end}), 1, 0)",
    "table.remove(setmetatable({}, {__len = function() return 1 << 60 end}), 1)",
    "table.move({}, 1, 1 << 60, 2)",
    "table.concat(setmetatable({}, {__index = tostring, __name = ''}), '', 1, math.maxinteger)",
    "table.sort({3, 1, 2}, function() while true do end end)",
    "local t = {} for i = 1, 1e5 do t[i] = -i end while true do table.sort(t, function(a, b) return true end) end",
    "local t = {} for i = 1, 1e5 do t['k' .. i] = i end while true do for k in pairs(t) do break end end",
    "while true do select('#', table.unpack({}, 1, 100000)) end",
    "while true do tonumber((' '):rep(1000000)) end",
    "local s = ('a'):rep(1000000) while true do utf8.len(s) end",
    "local t = setmetatable({}, {__index = function(t, k) return t[k + 1] end}) while true do pcall(function() return "
    "t[1] "
    "end) end",
    "while true do ee.prim.levenshtein(('a'):rep(5000), ('b'):rep(5000)) end",
    "ee.prim.damerau(('ab'):rep(50000), ('ba'):rep(40000) .. 'x')",
    "ee.prim.osa(('ab'):rep(50000), ('ba'):rep(40000) .. 'x')",
    "ee.prim.partial_ratio(('ab'):rep(20000), ('bac'):rep(40000))",
    "while true do ee.prim.hamming(('a'):rep(5000), ('b'):rep(5000)) end",
    "ee.prim.wer(('a b '):rep(200000), ('b a c '):rep(200000))",
    "ee.prim.rouge_l(('a b '):rep(200000), ('b a c '):rep(200000))",
    "while true do ee.prim.chrf(('ab'):rep(5000), ('bac'):rep(5000)) end",
    "while true do ee.prim.bleu(('ab '):rep(5000), ('ac '):rep(5000)) end",
    "while true do ee.prim.tokens(('ab '):rep(5000), '13a') end",
    "while true do ee.prim.normalize(('Ab '):rep(5000), 'squad') end",
    "local t = {} for i = 1, 2000 do t[i] = ('ab '):rep(i % 50) end ee.prim.similarity_matrix(t, t, 'token_set')",
    "local t = {} for i = 1, 2000 do t[i] = ('ab '):rep(i % 50) end while true do ee.prim.similarity_matrix(t, t) end",
};

static void what_would_not_end_is_given_up(void **state) {
  (void)state;
  ee_lua *lua = state_without_budget();
  call self = {.lua = lua};
  for (size_t i = 0; i < sizeof endless / sizeof *endless; i++) {
    char text[1024];
    snprintf(text, sizeof text, "return function()\n%s end", endless[i]);
    run_text(lua, text);
    int top = lua_gettop(lua->L);
    assert_int_equal(call_within(&self, UNITS), EE_WORK_DONE);
    assert_int_equal(self.status, EE_ERROR_RULES);
    assert_int_equal(self.error.status, EE_ERROR_LIMIT);
    if (strcmp(error_text(&self.error), GIVEN_UP) != 0) fail_msg("%s: %s", endless[i], error_text(&self.error));
    assert_int_equal(lua_gettop(lua->L), top);
    lua_settop(lua->L, top - 1);
    /* The state is as good as before. */
    run_text(lua, "return function()\nreturn ('a b'):gsub('%a', '%0%0') end");
    assert_int_equal(call_within(&self, UNITS), EE_WORK_DONE);
    assert_int_equal(self.status, EE_OK);
    lua_pop(lua->L, 1);
  }
  ee_lua_free(lua);
}

/* The work of a call is the same whatever was done before it: nothing that is given up depends on that. */
static void work_does_not_depend_on_what_was_before(void **state) {
  (void)state;
  static const char text[] = "return function()\n"
                             "local t = {}\n"
                             "for i = 1, 3000 do t[i] = ('x'):rep(i % 50) .. i end\n"
                             "table.sort(t)\n"
                             "local n = 0\n"
                             "for i = 1, #t do if t[i]:find('x+7') then n = n + 1 end end\n"
                             "return n end";
  uint64_t first = 0;
  for (int round = 0; round < 3; round++) {
    ee_lua *lua = state_without_budget();
    run_text(lua, text);
    call self = {.lua = lua};
    for (int i = 0; i < 4; i++) {
      for (int k = 0; k < round * i; k++) call_within(&self, UNITS * (uint64_t)k / 40);
      uint64_t before = ee_work_done();
      assert_int_equal(call_within(&self, EE_WORK_SECOND), EE_WORK_DONE);
      assert_int_equal(self.status, EE_OK);
      uint64_t work = ee_work_done() - before;
      if (first == 0) first = work;
      assert_int_equal(work, first);
    }
    ee_lua_free(lua);
  }
}

static void short_calls_are_charged_too(void **state) {
  (void)state;
  ee_lua *lua = state_without_budget();
  run_text(lua, "return function()\nreturn 1 end");
  ee_error error;
  uint64_t before = ee_work_done();
  for (int i = 0; i < 1000; i++) {
    lua_pushvalue(lua->L, -1);
    assert_int_equal(ee_lua_call(lua, 0, 0, &error), EE_OK);
  }
  assert_true(ee_work_done() >= before);
  ee_lua_free(lua);
}

/* Calls that fail. */
static const char *const wrong[] = {
    "table.remove({1, 2, 3}, 5)",
    "table.remove({1, 2, 3}, -1)",
    "table.remove({}, 7)",
    "table.remove(7)",
    "table.remove({1}, 'x')",
    "table.insert({1}, 5, 1)",
    "table.insert({1})",
    "table.insert({1}, 1, 2, 3)",
    "table.insert(nil, 1)",
    "table.move({}, 1, 2)",
    "table.move({}, 1, math.maxinteger, 2)",
    "table.move({}, -1, math.maxinteger, 2)",
    "table.concat({1, {}})",
    "table.concat({1}, {})",
    "table.concat(7)",
    "table.unpack({}, 1, 1e8)",
    "string.rep()",
    "string.rep('x', 'y')",
    "string.rep('x', 1, {})",
    "('x'):find('[a')",
    "('x'):find('%')",
    "('x'):gsub('x', '%2')",
    "('x'):gsub('x', true)",
    "('x'):match(nil)",
    "string.gmatch('x')",
    "string.char(256)",
    "string.byte({})",
    "tonumber('7', 99)",
    "tonumber()",
    "select(0)",
    "select(-3, 1)",
    "utf8.len('x', 9)",
    "utf8.offset('x', 1, 9)",
    "utf8.codepoint('\\xff')",
};

/* Lua's message of the call; with its libraries, as `lua` has them. */
static void message_of_lua(const char *made, char out[512]) {
  lua_State *L = luaL_newstate();
  assert_non_null(L);
  luaL_openlibs(L);
  char text[512];
  snprintf(text, sizeof text, "local good, message = pcall(function() local x = %s end) return message", made);
  assert_int_equal(luaL_loadbuffer(L, text, strlen(text), "=rules.lua"), LUA_OK);
  assert_int_equal(lua_pcall(L, 0, 1, 0), LUA_OK);
  snprintf(out, 512, "%s", lua_tostring(L, -1));
  lua_close(L);
}

static void messages_are_those_of_lua(void **state) {
  (void)state;
  ee_lua *lua = state_without_budget();
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    char text[512], expected[512];
    message_of_lua(wrong[i], expected);
    snprintf(text, sizeof text, "local good, message = pcall(function() local x = %s end) return message", wrong[i]);
    run_text(lua, text);
    const char *found = lua_tostring(lua->L, -1);
    if (found == NULL || strcmp(found, expected) != 0)
      fail_msg("%s: %s, not %s", wrong[i], found != NULL ? found : "no message", expected);
    lua_pop(lua->L, 1);
  }
  ee_lua_free(lua);
}

/* Outside of a case a call may use as much as a case. */
static void loading_has_a_limit(void **state) {
  (void)state;
  ee_limits limits = *ee_limits_get();
  limits.timeout = 1;
  ee_limits_set(&limits);
  assert_run_fails("local x = 1\nreturn ('a'):rep(200):find(('.-'):rep(30) .. 'b')",
                   "rules.lua:2: given up after 1 s of work (--timeout)");
  ee_limits_set(NULL);
}

/* Depth ----------------------------------------------------------------------------------------- */

static double seconds_of_loop(ee_lua *lua, int depth) {
  lua_pushvalue(lua->L, -1);
  lua_pushinteger(lua->L, depth);
  ee_error error = {0};
  clock_t before = clock();
  if (ee_lua_call(lua, 1, 0, &error) != EE_OK) fail_msg("%s", error_text(&error));
  return (double)(clock() - before) / CLOCKS_PER_SEC;
}

/* What an instruction costs does not depend on how many calls have not returned: otherwise the clock gives up a
 * recursion that is within its work. */
static void deep_calls_cost_no_more(void **state) {
  (void)state;
  ee_lua *lua = state_without_budget();
  run_text(lua, "local function dig(n)\n"
                "if n == 0 then for i = 1, 8000000 do end return 0 end return 1 + dig(n - 1) end return dig");
  seconds_of_loop(lua, 0);
  double flat = seconds_of_loop(lua, 0), deep = seconds_of_loop(lua, 100000);
  print_message("%.3f s, and %.3f s below 100,000 calls\n", flat, deep);
  assert_true(deep < 6 * flat + 0.2);
  ee_lua_free(lua);
}

/* Interrupts ------------------------------------------------------------------------------------ */

static int interrupt_now(lua_State *L) {
  (void)L;
  interrupted = 1;
  return 0;
}

static void an_interrupt_ends_a_call(void **state) {
  (void)state;
  ee_lua *lua = state_without_budget();
  run_text(lua, "return function(stop)\nstop() while true do pcall(string.find, ('a'):rep(40000), '%w+@') end end");
  ee_work_watch(&interrupted);
  call self = {.lua = lua};
  lua_pushcfunction(lua->L, interrupt_now);
  /* Without a try around it, it is an error. */
  interrupted = 0;
  lua_pushvalue(lua->L, -2);
  lua_pushvalue(lua->L, -2);
  assert_int_equal(ee_lua_call(lua, 1, 0, &self.error), EE_ERROR_RULES);
  assert_string_equal(error_text(&self.error), "rules.lua:2: interrupted");
  /* With one, it goes on to that. */
  lua_pop(lua->L, 1);
  run_text(lua, "return function()\nwhile true do end end");
  int top = lua_gettop(lua->L);
  assert_int_equal(call_within(&self, EE_WORK_UNLIMITED), EE_WORK_INTERRUPTED);
  assert_int_equal(lua_gettop(lua->L), top);
  interrupted = 0;
  ee_work_watch(NULL);
  ee_lua_free(lua);
}

EE_TEST_FILE(rule_text_setup, rule_text_teardown, cmocka_unit_test(what_would_not_end_is_given_up),
             cmocka_unit_test(work_does_not_depend_on_what_was_before), cmocka_unit_test(short_calls_are_charged_too),
             cmocka_unit_test(messages_are_those_of_lua), cmocka_unit_test(loading_has_a_limit),
             cmocka_unit_test(deep_calls_cost_no_more), cmocka_unit_test(an_interrupt_ends_a_call));
