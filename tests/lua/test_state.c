/* test_state.c: the sandbox, limits, places of errors. */
#include "lua/rule_text.h"

#include "base/buffer.h"

/* The sandbox ---------------------------------------------------------------------------------- */

static void test_names_that_are_there(void **state) {
  (void)state;
  assert_result(
      "local names = {}\n"
      "for _, f in ipairs { assert, error, ipairs, pairs, pcall, select, tonumber, tostring, type, xpcall, rawequal,\n"
      "  rawget, rawlen, rawset, setmetatable, getmetatable, print, require } do names[#names + 1] = type(f) end\n"
      "return #names .. _VERSION .. type(ee) .. type(utf8.char) .. type(math.floor) .. type(table.concat)",
      "18Lua 5.4tablefunctionfunctionfunction");
}

static void test_names_that_are_not(void **state) {
  (void)state;
  const char *const names[] = {"next",  "load",      "loadfile", "dofile", "collectgarbage", "io", "os",
                               "debug", "coroutine", "package",  "_G"};
  for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
    char text[64], expected[128];
    snprintf(text, sizeof(text), "\nreturn %s", names[i]);
    snprintf(expected, sizeof(expected), "rules.lua:2: '%s' is not available in rules", names[i]);
    assert_run_fails(text, expected);
  }
  assert_run_fails("return string.dump", "rules.lua:1: undefined name 'string.dump'");
  assert_run_fails("return math.random()", "rules.lua:1: undefined name 'math.random'");
  assert_run_fails("return math.randomseed", "rules.lua:1: undefined name 'math.randomseed'");
  assert_result("return tostring(('x').dump) .. tostring(('x').length)", "nilnil");
}

static void test_undefined_names(void **state) {
  (void)state;
  assert_run_fails("local a = 1\nreturn pirnt(a)", "rules.lua:2: undefined name 'pirnt' (did you mean 'print'?)");
  assert_run_fails("return exact 'a'", "rules.lua:1: undefined name 'exact' (did you mean 'ee.exact'?)");
  assert_run_fails("return something_else", "rules.lua:1: undefined name 'something_else'");
  assert_run_fails("return ee.text.trmi(' ')",
                   "rules.lua:1: undefined name 'ee.text.trmi' (did you mean 'ee.text.trim'?)");
  assert_run_fails("return ee.txet.trim ' '", "rules.lua:1: undefined name 'ee.txet' (did you mean 'ee.text'?)");
}

static void test_frozen(void **state) {
  (void)state;
  assert_run_fails("\nx = 1", "rules.lua:2: assignment to global 'x' (missing 'local'?)");
  assert_run_fails("function f() end", "rules.lua:1: assignment to global 'f' (missing 'local'?)");
  assert_run_fails("print = 1", "rules.lua:1: assignment to 'print', which belongs to the sandbox (missing 'local'?)");
  assert_run_fails("string.format = 1", "rules.lua:1: 'string' cannot be changed (assignment to 'format')");
  assert_run_fails("ee.exact = 1", "rules.lua:1: 'ee' cannot be changed (assignment to 'exact')");
  assert_run_fails("ee.text.trim = 1", "rules.lua:1: 'ee.text' cannot be changed (assignment to 'trim')");
  assert_run_fails("rawset(math, 'pi', 3)", "rules.lua:1: cannot change a protected table");
  assert_run_fails("setmetatable(math, {})", "rules.lua:1: cannot change a protected metatable");
  assert_run_fails("table.insert(math, 3)", "rules.lua:1: 'math' cannot be changed (assignment to '1')");
  assert_result("return tostring(getmetatable(string)) .. tostring(getmetatable('')) .. tostring(getmetatable(ee))",
                "falsefalsefalse");
  assert_run_fails("local _, behind = pairs(math) behind.pi = 3",
                   "rules.lua:1: 'math' cannot be changed (assignment to 'pi')");
  assert_run_fails("setmetatable({}, { __gc = print })",
                   "rules.lua:1: '__gc' is not available: it would depend on when memory is collected");
  assert_run_fails("setmetatable({}, { __mode = 'k' })",
                   "rules.lua:1: '__mode' is not available: it would depend on when memory is collected");
  assert_result("local t = setmetatable({}, { __index = { a = 'b' } }) return t.a", "b");
}

static void test_pairs_is_sorted(void **state) {
  (void)state;
  const char *list = "local out = {} for k, v in pairs(t) do out[#out + 1] = tostring(k) .. '=' .. tostring(v) end "
                     "return table.concat(out, ' ')";
  char text[512];
  const struct {
    const char *table, *expected;
  } cases[] = {
      {"{ b = 1, a = 2, [10] = 3, [2] = 4, [-1] = 5, [2.5] = 6, [true] = 7, [false] = 8, B = 9 }",
       "-1=5 2=4 2.5=6 10=3 B=9 a=2 b=1 false=8 true=7"},
      {"{ 'x', 'y', 'z' }", "1=x 2=y 3=z"},
      {"{}", ""},
      {"{ 'x', nil, 'z', n = 3 }", "1=x 3=z n=3"},
      {"setmetatable({}, { __pairs = function() return function(_, k) if not k then return 'only', 1 end end end })",
       "only=1"},
      {"{ [math.maxinteger] = 1, [math.mininteger] = 2, [1e300] = 3, [-1e300] = 4 }",
       "-1e+300=4 -9223372036854775808=2 9223372036854775807=1 1e+300=3"},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
    snprintf(text, sizeof(text), "local t = %s\n%s", cases[i].table, list);
    assert_result(text, cases[i].expected);
  }
  assert_run_fails("\nfor k in pairs { [{}] = 1 } do end", "rules.lua:2: pairs: a key that is a table has no order");
  /* Fields may be cleared on the way. */
  assert_result("local t, n = { a = 1, b = 2, c = 3, d = 4 }, 0 for k in pairs(t) do n = n + 1 t.c = nil t[k] = nil "
                "end return n .. ''",
                "3");
  assert_result("local t, n = { 1, 2, 3, 4 }, 0 for k in pairs(t) do n = n + 1 t[3] = nil end return n .. ''", "3");
  assert_result("local n = 0 for k, v in pairs(math) do n = n + 1 end return tostring(n > 20)", "true");
  /* Holes: the length of such a table may be the number of its keys. All keys of random sets, in order. */
  assert_result(
      "local s, seed = '', 5\n"
      "local function random(n) seed = (seed * 1103515245 + 12345) % 2147483648 return seed // 65536 % n end\n"
      "for round = 1, 2000 do\n"
      "  local t, keys, has = {}, {}, {}\n"
      "  for _ = 1, random(9) do\n"
      "    local key = 1 + random(12)\n"
      "    if not has[key] then keys[#keys + 1] = key end\n"
      "    has[key], t[key] = true, round\n"
      "  end\n"
      "  table.sort(keys)\n"
      "  local found = {}\n"
      "  for key, value in pairs(t) do found[#found + 1] = key assert(value == round) end\n"
      "  assert(table.concat(keys, ' ') == table.concat(found, ' '), table.concat(keys, ' '))\n"
      "end\n"
      "local t, out = {}, {} for _, k in ipairs { 9, 6, 5, 4, 2, 1 } do t[k] = k end\n"
      "for k in pairs(t) do out[#out + 1] = k end return table.concat(out, ' ')",
      "1 2 4 5 6 9");
  /* What pairs returns may be called with anything. */
  assert_result(
      "local f, out = pairs { 1, 2 }, '' for _, a in ipairs { 5, 'x', {} } do local key = f(a, math.maxinteger) "
      "out = out .. tostring(key) end return out",
      "12nil");
  assert_result(
      "local f = pairs { a = 1, b = 2 } local a, b, c = f(5, 5) b = f() c = f('x') return a .. b .. tostring(c)",
      "abnil");
}

static void test_no_addresses(void **state) {
  (void)state;
  assert_result("return tostring {}", "table");
  assert_result("return tostring(print)", "function: builtin");
  assert_result("\nlocal function f() end\nreturn tostring(f)", "function: rules.lua:2");
  assert_result("return ('%s %s|%10s|%-3s|%d%%'):format({}, print, true, 'x', 3)",
                "table function: builtin|      true|x  |3%");
  assert_result("return ('%s'):format(setmetatable({}, { __tostring = function() return 'mine' end }))", "mine");
  assert_result("return tostring(setmetatable({}, { __name = 'thing' }))", "thing");
  assert_result("return tostring(ee.exact 'a')", "rule");
  assert_run_fails("return ('%p'):format {}", "rules.lua:1: '%p' is not available: it would print an address");
  assert_run_fails("return ('%d'):format(1.5)",
                   "rules.lua:1: bad argument #1 to 'format' (number has no integer representation)");
  assert_run_fails("return ('%y'):format(1)", "rules.lua:1: invalid conversion '%y' to 'format'");
  assert_run_fails("return ('%s %s'):format(1)", "rules.lua:1: bad argument #2 to 'format' (no value)");
  /* A name that is no text counts for nothing, in long lines too. */
  assert_result("local t = setmetatable({}, { __name = 1 }) print(t, ('x'):rep(5000), t, t) "
                "return tostring(t) .. ('%s%s'):format(t, t)",
                "tabletabletable");
}

static void test_sort_is_stable(void **state) {
  (void)state;
  assert_result("local t = {}\n"
                "for i = 1, 1000 do t[i] = { key = (i * 7919) % 13, place = i } end\n"
                "table.sort(t, function(a, b) return a.key < b.key end)\n"
                "for i = 2, #t do\n"
                "  local a, b = t[i - 1], t[i]\n"
                "  if a.key > b.key or (a.key == b.key and a.place > b.place) then return 'wrong at ' .. i end\n"
                "end\n"
                "return 'stable'",
                "stable");
  assert_result("local t = { 5, 2, 8, 1, 9, 3 } table.sort(t) return table.concat(t, ' ')", "1 2 3 5 8 9");
  assert_result("local t = { 'b', 'a' } table.sort(t, function(a, b) return a > b end) return table.concat(t)", "ba");
  assert_result("local t = { 3, 1, 2 } table.sort(t, function() return true end) return #t .. ''", "3");
  assert_run_fails("table.sort { 1, 'x' }", "rules.lua:1: attempt to compare string with number");
  assert_run_fails("table.sort({ 2, 1 }, function(a, b) return a.x < b end)",
                   "rules.lua:1: attempt to index a number value (local 'a')");
}

/* Errors --------------------------------------------------------------------------------------- */

static void test_places(void **state) {
  (void)state;
  assert_run_fails("\n\nlocal x = nil + 1", "rules.lua:3: attempt to perform arithmetic on a nil value");
  assert_run_fails("\nreturn ee.rules {", "rules.lua:2: unexpected symbol near <eof>");
  assert_run_fails("error 'boom'", "rules.lua:1: boom");
  assert_run_fails("\nerror('boom', 0)", "rules.lua:2: boom");
  assert_run_fails("error('one\\ntwo')", "rules.lua:1: one");
  assert_run_fails("error {}", "rules.lua:1: error object is a table");
  assert_run_fails("error()", "rules.lua:1: error object is nil");
  assert_run_fails("error(12)", "rules.lua:1: error object is the number 12");
  assert_run_fails("\nassert(false)", "rules.lua:2: assertion failed!");
  assert_run_fails("\nassert(nil, 'no')", "rules.lua:2: no");
  assert_run_fails("error 'bad \\xff byte'", "rules.lua:1: bad ? byte");
  assert_run_fails("local function f() error('deep', 2) end\n\nf()", "rules.lua:3: deep");
  assert_run_fails("\nlocal x = ee.text.split('a', '')", "rules.lua:2: ee.text.split needs a separator");
  assert_run_fails("\nlocal function f() return 1 + f() end\nreturn f()",
                   "rules.lua: stack overflow (a function that calls itself without end?)");
  assert_run_fails(
      "\nlocal t = setmetatable({}, {}) getmetatable(t).__index = function(t, k) return t[k .. 'x'] end\nreturn t.a",
      "rules.lua:2: C stack overflow");
}

static void test_long_paths(void **state) {
  (void)state;
  char folder[300];
  strcpy(folder, "a-folder-with-a-name-that-is-longer-than-lua-shows-in-messages-of-errors");
  assert_int_equal(mkdir(folder, 0700), 0);
  char path[400];
  snprintf(path, sizeof(path), "%s/rules.lua", folder);
  for (int i = 0; i < 2; i++) {
    write_text(path, i == 0 ? "\nreturn 1 + {}" : "\nreturn )");
    ee_error error = {0};
    ee_lua *lua = new_state();
    assert_int_equal(ee_lua_run_file(lua, path, &error), EE_ERROR_RULES);
    assert_string_equal(error.file, path);
    assert_int_equal(error.line, 2);
    assert_string_equal(error.message,
                        i == 0 ? "attempt to perform arithmetic on a table value" : "unexpected symbol near ')'");
    ee_lua_free(lua);
  }
}

static void test_files(void **state) {
  (void)state;
  ee_lua *lua = new_state();
  ee_error error = {0};
  assert_int_equal(ee_lua_run_file(lua, "missing.lua", &error), EE_ERROR_RULES);
  assert_string_equal(error_text(&error), "missing.lua: cannot be read: No such file or directory");
  assert_int_equal(ee_lua_run_file(lua, ".", &error), EE_ERROR_RULES);
  assert_string_equal(error_text(&error), ".: cannot be read: Is a directory");
  ee_lua_free(lua);
  assert_run_fails("\x1bLua", "rules.lua: compiled Lua is not accepted, only Lua text");
  assert_result("#!/usr/bin/env evalengine\nreturn 'x'", "x");
  assert_result("\xEF\xBB\xBFreturn 'x'", "x");
  assert_run_fails("#!/usr/bin/env evalengine\nerror 'here'", "rules.lua:2: here");
}

/* Limits --------------------------------------------------------------------------------------- */

#define BUDGET "instruction budget of 10000000 used up (a loop that does not end? --lua-budget gives more)"

static void test_budget(void **state) {
  (void)state;
  assert_run_fails("\nwhile true do end", "rules.lua:2: " BUDGET);
  assert_run_fails("while true do pcall(function() while true do end end) end", "rules.lua:1: " BUDGET);
  assert_run_fails("while true do\nxpcall(function() while true do end end, function() while true do end end) end",
                   "rules.lua:2: " BUDGET);
  assert_run_fails("local t = setmetatable({}, { __close = function() while true do end end })\n"
                   "local u <close> = t\n"
                   "while true do end",
                   "rules.lua:3: " BUDGET);
  assert_run_fails("local t = setmetatable({}, { __index = function(_, k)\nwhile true do end end })\npcall(function() "
                   "return t.x end)\nreturn 1",
                   "rules.lua:2: " BUDGET);
  assert_run_fails("local s = ('x'):rep(100)\nwhile true do s:gsub('x', function() return 'y' end) end",
                   "rules.lua:2: " BUDGET);
}

/* A trip leaves the state usable, and the budget is the same for each call, whatever came before. */
static void test_budget_is_fresh_for_each_call(void **state) {
  (void)state;
  ee_error error = {0};
  ee_lua *lua = ee_lua_new(NULL, (ee_lua_limits){.instructions = 2000}, NULL, 0, NULL, &error);
  run_text(lua, "return function(n) for _ = 1, n do end return n end");
  long long limit = 0;
  for (int round = 0; round < 3; round++) {
    long long low = 0, high = 100000; /* low passes, high trips */
    while (high - low > 1) {
      long long middle = (low + high) / 2;
      lua_pushvalue(lua->L, -1);
      lua_pushinteger(lua->L, middle);
      int top = lua_gettop(lua->L) - 2;
      if (ee_lua_call(lua, 1, 1, &error) == EE_OK) {
        assert_int_equal(lua_tointeger(lua->L, -1), middle);
        lua_pop(lua->L, 1);
        low = middle;
      } else {
        assert_string_equal(
            error_text(&error),
            "rules.lua:1: instruction budget of 2000 used up (a loop that does not end? --lua-budget gives more)");
        high = middle;
      }
      assert_int_equal(lua_gettop(lua->L), top);
    }
    if (round > 0) assert_int_equal(low, limit);
    limit = low;
    assert_in_range(limit, 1000, 2000);
  }
  ee_lua_free(lua);

  lua = ee_lua_new(NULL, (ee_lua_limits){.instructions = 0}, NULL, 0, NULL, &error);
  run_text(lua, "for _ = 1, 20000000 do end return 1");
  ee_lua_free(lua);
}

#define MEMORY "out of memory: the rule's state holds more than 64 MiB"

static void test_memory(void **state) {
  (void)state;
  assert_run_fails("return ('x'):rep(1000000000)", "rules.lua: " MEMORY);
  assert_run_fails("local t = {} for i = 1, 1e9 do t[i] = {} end", "rules.lua: " MEMORY);
  assert_run_fails("while true do pcall(string.rep, 'x', 1000000000) end", "rules.lua: " MEMORY);
  assert_run_fails("xpcall(string.rep, function() return 1 end, 'x', 1000000000)", "rules.lua: " MEMORY);

  ee_lua *lua = new_state();
  ee_error error = {0};
  run_text(lua, "local kept = ('y'):rep(1000)\nreturn {\nfunction() local t = {} while true do t[#t + 1] = "
                "('x'):rep(100000) .. #t end end,\n"
                "function() return kept end }");
  for (int i = 0; i < 3; i++) {
    lua_rawgeti(lua->L, -1, 1);
    assert_int_equal(ee_lua_call(lua, 0, 0, &error), EE_ERROR_RULES);
    assert_string_equal(error_text(&error), "rules.lua:3: " MEMORY);
    assert_true(lua->memory_used < ((size_t)8 << 20));
    lua_rawgeti(lua->L, -1, 2);
    assert_int_equal(ee_lua_call(lua, 0, 1, &error), EE_OK);
    assert_int_equal(lua_rawlen(lua->L, -1), 1000);
    lua_pop(lua->L, 1);
  }
  ee_lua_free(lua);
  assert_null(ee_lua_new(NULL, (ee_lua_limits){.memory = 1000}, NULL, 0, NULL, &error));
  assert_string_equal(error_text(&error), "out of memory: the rule's state holds more than 1000 bytes");
  assert_null(ee_lua_new(NULL, (ee_lua_limits){.memory = 20480}, NULL, 0, NULL, &error));
  assert_string_equal(error.message, "out of memory: the rule's state holds more than 20 KiB");
}

/* pcall and xpcall still are what they were. */
static void test_protected_calls(void **state) {
  (void)state;
  assert_result("local ok, a, b = pcall(function(...) return ... end, 'a', 'b') return tostring(ok) .. a .. b",
                "trueab");
  assert_result("local ok, e = pcall(error, 'x', 0) return tostring(ok) .. e", "falsex");
  assert_result("local ok, e = pcall(error, { code = 'c' }) return e.code", "c");
  assert_result(
      "local ok, e = xpcall(function(x) error(x, 0) end, function(m) return 'handled ' .. m end, 'it') return e",
      "handled it");
  assert_result("return select('#', xpcall(function() return 1, 2, 3 end, print)) .. ''", "4");
  assert_run_fails("pcall()", "rules.lua:1: bad argument #1 to 'pcall' (value expected)");
}

/* Calls ---------------------------------------------------------------------------------------- */

static int nested(lua_State *L) {
  ee_lua *lua = ee_lua_of(L);
  ee_error error = {0};
  lua_pushvalue(L, 1);
  int top = lua_gettop(L) - 1;
  ee_status status = ee_lua_call(lua, 0, 1, &error);
  if (status == EE_OK) return 1;
  assert_int_equal(lua_gettop(L), top);
  if (lua->out_of_budget) return luaL_error(L, "inner: %s", error.message);
  lua_pushfstring(L, "%s|%d", error.message, (int)error.line);
  return 1;
}

static void test_nested_calls(void **state) {
  (void)state;
  ee_lua *lua = new_state();
  ee_error error = {0};
  const struct {
    const char *text, *expected;
  } cases[] = {
      {"return function(call) return call(function() return 'x' end) end", "x"},
      {"return function(call)\nreturn call(function()\nerror 'inside' end) end", "inside|3"},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
    run_text(lua, cases[i].text);
    lua_pushcfunction(lua->L, nested);
    assert_int_equal(ee_lua_call(lua, 1, 1, &error), EE_OK);
    assert_string_equal(lua_tostring(lua->L, -1), cases[i].expected);
    lua_pop(lua->L, 1);
  }
  run_text(lua, "return function(call)\ncall(function()\nwhile true do end end) end");
  lua_pushcfunction(lua->L, nested);
  assert_int_equal(ee_lua_call(lua, 1, 1, &error), EE_ERROR_RULES);
  assert_string_equal(error_text(&error), "rules.lua:3: " BUDGET);
  assert_int_equal(lua->depth, 0);
  ee_lua_free(lua);
}

/* require -------------------------------------------------------------------------------------- */

static void test_require(void **state) {
  (void)state;
  mkdir("parts", 0700);
  write_text("parts/iban.lua", "return { name = 'iban' }");
  write_text("nothing.lua", "local x = 1");
  write_text("a.lua", "return require 'b'");
  write_text("b.lua", "return require 'a'");
  write_text("self.lua", "return require 'self'");
  write_text("broken.lua", "\n\nreturn (");
  write_text("raises.lua", "\nlocal x = nil .. 'a'");
  assert_result("return require('parts.iban').name", "iban");
  assert_result("return tostring(require 'parts.iban' == require 'parts.iban')", "true");
  assert_run_fails("\nrequire 'nothing'", "rules.lua:2: module 'nothing' returned nothing (did you forget 'return'?)");
  assert_run_fails("require 'a'", "b.lua:1: require cycle: a -> b -> a");
  assert_run_fails("require 'self'", "self.lua:1: require cycle: self -> self");
  ee_lua *lua = new_state();
  ee_error error = {0};
  write_text("rules.lua", "require 'x.missing'");
  assert_int_equal(ee_lua_run_file(lua, "rules.lua", &error), EE_ERROR_RULES);
  const char *start = "module 'x.missing' not found: no file 'x/missing.lua' or '";
  const char *end = "/evalengine/rules/x/missing.lua'";
  assert_memory_equal(error.message, start, strlen(start));
  assert_string_equal(error.message + strlen(error.message) - strlen(end), end);
  ee_lua_free(lua);
  assert_run_fails("require 'broken'", "broken.lua:3: unexpected symbol near <eof>");
  assert_run_fails("require 'raises'", "raises.lua:2: attempt to concatenate a nil value");
  const char *const bad[] = {"../x", "/etc/passwd", "a..b", ".a", "a.", "", "a/b", "a b"};
  for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
    char text[64], expected[128];
    snprintf(text, sizeof(text), "require '%s'", bad[i]);
    snprintf(expected, sizeof(expected), "rules.lua:1: '%s' is not a module name", bad[i]);
    assert_run_fails(text, expected);
  }
  lua = new_state();
  run_text(lua, "return function() return require 'parts.iban' end");
  assert_int_equal(ee_lua_call(lua, 0, 1, &error), EE_ERROR_RULES);
  assert_string_equal(error_text(&error),
                      "rules.lua:1: require 'parts.iban' is called in a function; call it where the file loads");
  ee_lua_free(lua);
}

/* The hash tells texts apart, and their order of loading only. */
static void test_text_hash(void **state) {
  (void)state;
  uint64_t hashes[3];
  const char *const texts[] = {"return 'a'", "return 'a'", "return 'b'"};
  for (int i = 0; i < 3; i++) {
    ee_lua *lua = new_state();
    run_text(lua, texts[i]);
    hashes[i] = lua->text_hash;
    ee_lua_free(lua);
  }
  assert_true(hashes[0] == hashes[1]);
  assert_true(hashes[0] != hashes[2]);
}

/* Parameters ----------------------------------------------------------------------------------- */

static void test_parameters(void **state) {
  (void)state;
  ee_lua_parameter parameters[] = {{"n", "0.9", false, false},     {"whole", "12", false, false},
                                   {"flag", "true", false, false}, {"text", "hello", false, false},
                                   {"n", "0.5", false, false},     {"bad", "abc", false, false},
                                   {"unused", "1", false, false}};
  ee_error error = {0};
  ee_lua *lua = ee_lua_new("rules.lua", (ee_lua_limits){.instructions = -1}, parameters, 7, NULL, &error);
  run_text(lua, "local out = { ee.param('n', 0.85), ee.param('whole', 1), ee.param('flag', false), ee.param 'text',\n"
                "  ee.param('other', 'standard'), tostring(ee.param 'none'),\n"
                "  ee.param('bad', 7) }\n"
                "ee.param('bad', true)\n"
                "for i, v in ipairs(out) do out[i] = tostring(v) end return table.concat(out, ' ')");
  assert_string_equal(lua_tostring(lua->L, -1), "0.5 12 true hello standard nil 7");
  assert_int_equal(lua->mistakes.count, 2);
  assert_string_equal(error_text(&lua->mistakes.items[0]), "rules.lua:3: parameter 'bad' is 'abc', expected a number");
  assert_string_equal(error_text(&lua->mistakes.items[1]),
                      "rules.lua:4: parameter 'bad' is 'abc', expected true or false");
  for (int i = 0; i < 6; i++) assert_true(parameters[i].used);
  assert_false(parameters[6].used);
  ee_lua_free(lua);
  assert_run_fails("ee.param('x', {})",
                   "rules.lua:1: ee.param: the default of 'x' is a table, expected a string, a number or a boolean");
}

EE_TEST_FILE(rule_text_setup, rule_text_teardown, cmocka_unit_test(test_names_that_are_there),
             cmocka_unit_test(test_names_that_are_not), cmocka_unit_test(test_undefined_names),
             cmocka_unit_test(test_frozen), cmocka_unit_test(test_pairs_is_sorted), cmocka_unit_test(test_no_addresses),
             cmocka_unit_test(test_sort_is_stable), cmocka_unit_test(test_places), cmocka_unit_test(test_long_paths),
             cmocka_unit_test(test_files), cmocka_unit_test(test_budget),
             cmocka_unit_test(test_budget_is_fresh_for_each_call), cmocka_unit_test(test_memory),
             cmocka_unit_test(test_protected_calls), cmocka_unit_test(test_nested_calls),
             cmocka_unit_test(test_require), cmocka_unit_test(test_text_hash), cmocka_unit_test(test_parameters));
