/* test_values.c: documents in Lua, and back. */
#include "lua/rule_text.h"

#include <math.h>

#include "data/json/json_reader.h"
#include "data/json/json_writer.h"
#include "data/random_document.h"
#include "lua/values.h"

enum { ROUNDS = 3000 };

/* Begins a case by hand: what callbacks.c does around one. */
static void begin_case(ee_lua *lua, ee_arena *arena) {
  static const ee_case current;
  ee_lua_values_end(lua);
  lua->current = &current;
  lua->arena = arena;
}

static void end_case(ee_lua *lua) {
  ee_lua_values_end(lua);
  lua->current = NULL;
  lua->arena = NULL;
}

static const ee_value *read_json(ee_arena *arena, const char *json) {
  ee_error error;
  const ee_value *value = ee_json_read(arena, ee_str_from(json), NULL, &error);
  if (value == NULL) fail_msg("%s: %s", error_text(&error), json);
  return value;
}

/* Runs `return function(x) BODY end` on the document `json`; the result is on the stack, or an error in `error`. */
static ee_status call_with(ee_lua *lua, ee_arena *arena, const char *json, const char *body, ee_error *error) {
  char text[4096];
  snprintf(text, sizeof text, "local kept, node = nil, ee.exact 'a'\nreturn function(x) %s end", body);
  run_text(lua, text);
  begin_case(lua, arena);
  ee_lua_push_value(lua, read_json(arena, json));
  return ee_lua_call(lua, 1, 1, error);
}

/* `body`, with the document as x, returns what tostring shows as `expected`. */
static void assert_on(const char *json, const char *body, const char *expected) {
  ee_lua *lua = new_state();
  ee_arena arena;
  ee_arena_init(&arena, 0);
  char wrapped[4000];
  snprintf(wrapped, sizeof wrapped, "local function f() %s end return tostring((f()))", body);
  ee_error error;
  if (call_with(lua, &arena, json, wrapped, &error) != EE_OK) fail_msg("%s\n%s", error_text(&error), body);
  assert_string_equal(lua_tostring(lua->L, -1), expected);
  end_case(lua);
  ee_lua_free(lua);
  ee_arena_fini(&arena);
}

static void assert_on_fails(const char *json, const char *body, const char *message) {
  ee_lua *lua = new_state();
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_error error;
  assert_int_equal(call_with(lua, &arena, json, body, &error), EE_ERROR_RULES);
  assert_string_equal(error.message, message);
  assert_int_equal(error.line, 2);
  end_case(lua);
  ee_lua_free(lua);
  ee_arena_fini(&arena);
}

/* Reading -------------------------------------------------------------------------------------- */

static const char invoice[] =
    "{\"z\":1,\"a\":{\"b\":[10,20.5,null,\"x\"],\"n\":null,\"t\":true},\"\":\"empty\",\"z z\":2}";

static void test_index(void **state) {
  (void)state;
  assert_on(invoice, "return x.z", "1");
  assert_on(invoice, "return x.a.b[1] .. x.a.b[2] .. x.a.b[4]", "1020.5x");
  assert_on(invoice, "return x.a.b[3] == ee.null and x.a.n == ee.null", "true");
  assert_on(invoice, "return x.a.t", "true");
  assert_on(invoice, "return x[''] .. x['z z']", "empty2");
  assert_on(invoice, "return x.q", "nil");
  assert_on(invoice, "return x.a.b[0]", "nil");
  assert_on(invoice, "return x.a.b[5]", "nil");
  assert_on(invoice, "return x.a.b[-1]", "nil");
  assert_on(invoice, "return x.a.b[2.0]", "20.5");
  assert_on(invoice, "return x.a.b[1.5]", "nil");
  assert_on(invoice, "return x.a.b.length", "nil");
  assert_on(invoice, "return x.a.b['1']", "nil");
  assert_on(invoice, "return x[1]", "nil");
  assert_on(invoice, "return x[{}]", "nil");
  assert_on(invoice, "return x[ee.null]", "nil");
  assert_on("[]", "return x[1]", "nil");
  assert_on("[1,2,3,4,5,6,7]",
            "local s = '' for i = 7, 1, -1 do s = s .. x[i] end return s .. x[4] .. x[6] .. x[2] .. x[7] .. x[1]",
            "765432146271");
  assert_on_fails(invoice, "return x.q.r", "attempt to index a nil value (field 'q')");
}

/* Any order of access gives the same elements as walking. */
static void test_random_access(void **state) {
  (void)state;
  test_random random = test_random_start("values access", 41);
  ee_lua *lua = new_state();
  ee_arena arena;
  ee_arena_init(&arena, 0);
  begin_case(lua, &arena);
  for (int round = 0; round < 300; round++) {
    ee_value *array = ee_value_new(&arena, EE_ARRAY);
    size_t count = 1 + test_random_below(&random, 40);
    for (size_t i = 0; i < count; i++) ee_value_append(array, ee_value_new_number(&arena, (double)i));
    ee_lua_push_value(lua, array);
    for (int i = 0; i < 40; i++) {
      size_t index = test_random_below(&random, count + 2);
      lua_geti(lua->L, -1, (lua_Integer)index);
      if (index >= 1 && index <= count)
        assert_int_equal(lua_tointeger(lua->L, -1), index - 1);
      else
        assert_true(lua_isnil(lua->L, -1));
      lua_pop(lua->L, 1);
    }
    lua_pop(lua->L, 1);
  }
  ee_lua_free(lua);
  ee_arena_fini(&arena);
}

static void test_length(void **state) {
  (void)state;
  assert_on(invoice, "return #x.a.b", "4");
  assert_on("[]", "return #x", "0");
  assert_on_fails(invoice, "return #x", "an object has no length (only an array has)");
}

static void test_pairs(void **state) {
  (void)state;
  assert_on(invoice, "local s = '' for k, v in pairs(x) do s = s .. k .. '=' .. tostring(v) .. ';' end return s",
            "z=1;a={\"b\":[10,20.5,null,\"x\"],\"n\":null,\"t\":true};=empty;z z=2;");
  assert_on(invoice, "local s = '' for i, v in pairs(x.a.b) do s = s .. i .. tostring(v) end return s",
            "110220.53null4x");
  assert_on(invoice, "local s = '' for i, v in ipairs(x.a.b) do s = s .. i .. tostring(v) end return s",
            "110220.53null4x");
  assert_on("{}", "for k in pairs(x) do return k end", "nil");
  /* Two walks at once do not disturb each other. */
  assert_on("[1,2]",
            "local s = '' for _, a in pairs(x) do for _, b in pairs(x) do s = s .. a .. b .. ' ' end end return s",
            "11 12 21 22 ");
}

static void test_equal(void **state) {
  (void)state;
  assert_on("[{\"a\":1,\"b\":[2]},{\"b\":[2.0],\"a\":1},{\"b\":[2]}]",
            "return tostring(x[1] == x[2]) .. tostring(x[1] == x[3]) .. tostring(x[1] ~= x[3])", "truefalsetrue");
  assert_on("[[],{}]", "return x[1] == x[2] or x[1] == ee.null or x[1] == {} or x[1] == 1", "false");
  assert_on("[9007199254740993,9007199254740992]", "return x[1] == x[2]", "false");
}

static void test_tostring(void **state) {
  (void)state;
  assert_on("{\"a\":[1,1.50,\"\\u00e9\\n\",9007199254740993]}", "return x",
            "{\"a\":[1,1.5,\"é\\n\",9007199254740993]}");
  assert_on("{\"a\":[1,2]}", "return ('%s'):format(x.a)", "[1,2]");
  assert_on("null", "return tostring(x) .. tostring(ee.null)", "nullnull");
}

static void test_read_only(void **state) {
  (void)state;
  assert_on_fails("{}", "x.a = 1", "a document cannot be changed (ee.copy gives a table that can)");
  assert_on_fails("[1]", "x[1] = nil", "a document cannot be changed (ee.copy gives a table that can)");
  assert_on_fails("[1]", "table.insert(x, 1)", "a document cannot be changed (ee.copy gives a table that can)");
  assert_on_fails("[1]", "setmetatable(x, {})", "bad argument #1 to 'setmetatable' (table expected, got ee.value)");
  assert_on("[1]", "return getmetatable(x) .. getmetatable(ee.null)", "valuenull");
  assert_on_fails("{}", "return ee.null.a", "attempt to index a userdata value (field 'null')");
}

static void test_after_the_case(void **state) {
  (void)state;
  ee_lua *lua = new_state();
  ee_arena arena;
  ee_arena_init(&arena, 0);
  run_text(
      lua,
      "local kept, walk, copy\n"
      "local uses = { function() return kept.a end, function() return #kept.b end, function() return tostring(kept) "
      "end,\n"
      "  function() for _ in pairs(kept) do end end, function() walk() end, function() return kept == kept.b end,\n"
      "  function() return ee.get(kept, 'a') end, function() return ee.each(kept.b) end, function() return "
      "ee.copy(kept) end,\n"
      "  function() return ee.type(kept) end, function() return ee.copy { kept } end }\n"
      "return function(x)\n"
      "  if x then kept, walk, copy = x, pairs(x.b), ee.copy(x) return end\n"
      "  for i, use in ipairs(uses) do\n"
      "    local passed, message = pcall(use)\n"
      "    if passed then error('use ' .. i .. ' passed') end\n"
      "    if not message:find('this value belongs to a case that has ended', 1, true) then error(message, 0) end\n"
      "  end\n"
      "  local passed, message = pcall(ee.json, kept)\n"
      "  return tostring(passed) .. ' ' .. message .. ' ' .. copy.a .. #copy.b\nend");
  begin_case(lua, &arena);
  lua_pushvalue(lua->L, -1);
  ee_lua_push_value(lua, read_json(&arena, "{\"a\":1,\"b\":[1,2]}"));
  ee_error error;
  assert_int_equal(ee_lua_call(lua, 1, 0, &error), EE_OK);
  end_case(lua);
  ee_arena_fini(&arena);
  for (int other_case = 0; other_case < 2; other_case++) {
    if (other_case == 1) begin_case(lua, &arena);
    lua_pushvalue(lua->L, -1);
    if (ee_lua_call(lua, 0, 1, &error) != EE_OK) fail_msg("%s", error_text(&error));
    assert_string_equal(lua_tostring(lua->L, -1),
                        "false cannot be written as JSON: a value of a case that has ended 12");
    lua_pop(lua->L, 1);
  }
  ee_lua_free(lua);
}

/* Values that are read often have a metatable of their own; nothing but the speed tells. */
static void test_fast_values(void **state) {
  (void)state;
  static const char document[] =
      "{\"z\":1,\"a\":{\"b\":[10,20.5,null,\"x\",{\"c\":[7]}],\"n\":null,\"t\":true},\"__index\":5}";
  assert_on(document,
            "local out = {}\n"
            "for round = 1, 20 do\n"
            "  local b = x.a.b\n"
            "  out[round] = tostring(b[1]) .. tostring(b[2]) .. tostring(b[3]) .. b[4] .. #b .. b[5].c[1] .. "
            "tostring(b[6]) .. tostring(b[0])\n"
            "    .. tostring(b.x) .. tostring(x.q) .. tostring(x[1]) .. tostring(x.a.t) .. x.__index .. "
            "tostring(x.__len) .. tostring(x == x)\n"
            "    .. tostring(x.a) .. ee.json(b) .. getmetatable(b) .. ee.type(x.a) .. ee.type(b) .. ee.get(x, "
            "'a.b[4].c[0]')\n"
            "  for i, v in ee.each(b) do out[round] = out[round] .. i .. tostring(v) end\n"
            "  for k, v in pairs(x.a) do out[round] = out[round] .. k .. tostring(v) end\n"
            "  if out[round] ~= out[1] then return 'round ' .. round .. ': ' .. out[round] .. ' not ' .. out[1] end\n"
            "end\n"
            "return out[20]",
            "1020.5nullx57nilnilnilnilniltrue5niltrue{\"b\":[10,20.5,null,\"x\",{\"c\":[7]}],\"n\":null,\"t\":true}"
            "[10,20.5,null,\"x\",{\"c\":[7]}]valueobjectarray7110220.53null4x5{\"c\":[7]}"
            "b[10,20.5,null,\"x\",{\"c\":[7]}]nnullttrue");
  assert_on_fails(document, "for _ = 1, 50 do local _ = x.z end x.z = 2",
                  "a document cannot be changed (ee.copy gives a table that can)");
  assert_on_fails(document, "for _ = 1, 50 do local _ = x.a.b[1] end rawset(x, 'z', 1)",
                  "bad argument #1 to 'rawset' (table expected, got ee.value)");
  assert_on_fails(document, "for _ = 1, 50 do local _ = x.a end return #x",
                  "an object has no length (only an array has)");
  /* They end with their case, and so do those that they gave. */
  ee_lua *lua = new_state();
  ee_arena arena;
  ee_arena_init(&arena, 0);
  run_text(lua, "local kept, inner, list\n"
                "return function(x)\n"
                "  if x then\n"
                "    kept = x\n"
                "    for _ = 1, 100 do inner, list = x.a, x.a.b local _ = inner.t, list[1], list[5].c end\n"
                "    return\n"
                "  end\n"
                "  for i, use in ipairs { function() return kept.z end, function() return inner.t end, function() "
                "return list[1] end,\n"
                "      function() return list[5] end, function() return #list end, function() return kept.q end } do\n"
                "    local passed, message = pcall(use)\n"
                "    if passed or not message:find('has ended', 1, true) then error('use ' .. i) end\n"
                "  end\nend");
  for (int round = 0; round < 3; round++) {
    ee_error error;
    begin_case(lua, &arena);
    lua_pushvalue(lua->L, -1);
    ee_lua_push_value(lua, read_json(&arena, document));
    if (ee_lua_call(lua, 1, 0, &error) != EE_OK) fail_msg("%s", error_text(&error));
    assert_true(lua->fast_count >= 3);
    end_case(lua);
    assert_int_equal(lua->fast_count, 0);
    if (round == 1) begin_case(lua, &arena);
    lua_pushvalue(lua->L, -1);
    if (ee_lua_call(lua, 0, 0, &error) != EE_OK) fail_msg("%s", error_text(&error));
  }
  ee_lua_free(lua);
  ee_arena_fini(&arena);
}

/* Random documents read many times in random places, beside copies of them. */
static void test_fast_twin(void **state) {
  (void)state;
  test_random random = test_random_start("values fast", 43);
  for (int round = 0; round < 150; round++) {
    ee_lua *lua = new_state();
    ee_arena arena;
    ee_arena_init(&arena, 0);
    run_text(lua, "local function same(a, b)\n"
                  "  if type(a) ~= 'userdata' or a == ee.null then return a == b end\n"
                  "  for k, v in pairs(b) do if not same(a[k], v) then return false end end\n"
                  "  if ee.type(a) == 'array' then\n"
                  "    for i, v in ee.each(a) do if not same(v, b[i]) then return false end end\n"
                  "    return #a == #b and a[#a + 1] == nil and a[0] == nil and a.x == nil\n"
                  "  end\n"
                  "  for k, v in pairs(a) do if not same(v, b[k]) then return false end end\n"
                  "  return a['no such member'] == nil and a[1] == nil\n"
                  "end\n"
                  "return function(x)\n"
                  "  local copy = ee.copy(x)\n"
                  "  for _ = 1, 12 do if not same(x, copy) then return false end end\n"
                  "  return true\nend");
    ee_buffer json = {0};
    random_document(&random, &json, 6, 4, false);
    ee_error error;
    const ee_value *document = ee_json_read(&arena, (ee_str){json.data, json.length}, NULL, &error);
    begin_case(lua, &arena);
    /* Some states have no memory for fast values. */
    if (round % 3 == 0) lua->fast_bytes = lua->limits.memory / 4 - 1000;
    ee_lua_push_value(lua, document);
    if (ee_lua_call(lua, 1, 1, &error) != EE_OK) fail_msg("%s", error_text(&error));
    assert_true(lua_toboolean(lua->L, -1));
    end_case(lua);
    ee_buffer_fini(&json);
    ee_lua_free(lua);
    ee_arena_fini(&arena);
  }
}

/* The text of a number, of what is in a document and of what is not. */
static void test_source(void **state) {
  (void)state;
  static const char numbers[] =
      "{\"a\":[1000.0,-0.0,1e3,18446744073709551616,0.1,7],\"t\":\"x\",\"n\":null,\"o\":{\"p\":1.50}}";
  assert_on(numbers,
            "local out = {} for i = 1, 6 do out[i] = ee.source(x.a, i) end\n"
            "return table.concat(out, ' ')",
            "1000.0 -0.0 1e3 18446744073709551616 0.1 7");
  assert_on(numbers,
            "return table.concat({ ee.source(x, 'a[0]'), ee.source(x, 'o.p'), ee.source(x, '/a/2'), ee.source(x, 't'), "
            "ee.source(x, 'n'),\n"
            "  ee.source(x.o), ee.source({ y = x.o, z = 2.5 }, 'z'), ee.source(0.1 + 0.2), ee.source(3), "
            "tostring(ee.source(x, 'q')),\n"
            "  tostring(ee.source(x.a, 7)), tostring(ee.source(x.a, 0)), tostring(ee.source(x, 1)) }, ' ')",
            "1000.0 1.50 1e3 \"x\" null {\"p\":1.50} 2.5 0.30000000000000004 3 nil nil nil nil");
  assert_on_fails(numbers, "return ee.source(x, 'a[')", "unclosed '[' in path 'a['");
  assert_on_fails(numbers, "return ee.source(function() end)", "cannot be written as JSON: a function");
}

static void test_parse(void **state) {
  (void)state;
  assert_on("{}",
            "local v = ee.parse('{\"a\": [1, 2.50, null, \"\\\\u00e9\"], \"b\": {}}')\n"
            "return v.a[1] + #v.a .. ' ' .. ee.source(v.a, 2) .. ' ' .. tostring(v.a[3] == ee.null) .. v.a[4] .. "
            "ee.type(v) .. ee.json(v.b)",
            "5 2.50 trueéobject{}");
  assert_on("{}", "return ee.parse('[1') == nil and select(2, ee.parse('[1'))",
            "unexpected end of text at line 1 column 3");
  assert_on("{}", "return select(2, ee.parse('see [1]'))", "expected a value at line 1 column 1");
  assert_on("{}", "return tostring(ee.parse('null') == ee.null) .. tostring(ee.parse(' 3 ')) .. ee.parse('\"x\"')",
            "true3x");
  assert_on("{\"a\":1}", "return tostring(ee.parse('{\"a\":1.0}') == x)", "true");
  assert_on_fails("{}", "return ee.parse({})", "bad argument #1 to 'parse' (string expected, got table)");
  /* What a case may parse is bounded; while a file loads, values are tables. */
  assert_on("{}",
            "local text, count = '[' .. ('1,'):rep(99999) .. '1]', 0\n"
            "for i = 1, 100 do local v, why = ee.parse(text) if not v then return i .. ' ' .. why end end",
            "7 too many values: a case may parse as many as fit into the memory of the rule's state");
  assert_result(
      "local v = ee.parse '{\"a\":[1,{}],\"b\":null}' return type(v) .. #v.a .. type(v.a[2]) .. tostring(v.b)",
      "table2tablenull");
}

static void test_array(void **state) {
  (void)state;
  assert_result("local list = ee.array() local before = ee.json(list) list[1] = 7 table.insert(list, 8)\n"
                "return before .. ee.json(list) .. ee.json { a = ee.array(), b = {}, c = ee.array(1, 'x') } .. "
                "ee.type(list) .. #list .. type(list)",
                "[][7,8]{\"a\":[],\"b\":{},\"c\":[1,\"x\"]}array2table");
  assert_result("local list = ee.array() list.a = 1 local ok, why = pcall(ee.json, list) return why",
                "cannot be written as JSON: a table that is both a list and an object");
  assert_result("return tostring(pcall(setmetatable, ee.array(), {})) .. getmetatable(ee.array())", "falsearray");
}

static void test_schema_check(void **state) {
  (void)state;
  assert_on(
      "{\"total\":5,\"items\":[1,\"x\"]}",
      "local schema = { type = 'object', required = { 'id' }, properties = { items = { items = { type = 'number' } } } "
      "}\n"
      "local out = ''\n"
      "for _ = 1, 3 do\n"
      "  local good, found = ee.schema.check(schema, x)\n"
      "  out = tostring(good) .. #found\n"
      "  for _, v in ipairs(found) do out = out .. '|' .. v.path .. ': ' .. v.message .. ' (' .. v.keyword .. ')' end\n"
      "end\n"
      "return out .. '|' .. tostring(ee.schema.check(schema, { id = 1 })) .. tostring(ee.schema.check(true, nil)) .. "
      "tostring(ee.schema.check(false, 1))\n"
      "  .. tostring(ee.schema.check({ type = 'array' }, ee.array())) .. select('#', ee.schema.check(true, 1))",
      "false2|: 'id' is missing (/required)|/items/1: expected a number, got a string "
      "(/properties/items/items/type)|truetruefalsetrue1");
  assert_on_fails("{}", "return ee.schema.check({ type = 'strin' }, 1)",
                  "bad argument #1 to 'check' (bad schema: /type: unknown type 'strin' (did you mean 'string'?))");
  assert_on_fails("{}", "return ee.schema.check('x', 1)",
                  "bad argument #1 to 'check' (a schema expected: a table, true or false)");
  assert_on_fails("{}", "return ee.schema.check(true, function() end)", "bad argument #2 to 'check' (a function)");
  assert_on_fails("{}", "return ee.schema.chek", "undefined name 'ee.schema.chek' (did you mean 'ee.schema.check'?)");
  /* More schemas than are kept, again and again; and the constructor is what it was. */
  assert_on("{}",
            "for round = 1, 3 do for i = 1, 40 do\n"
            "  assert(ee.schema.check({ minimum = i }, i) and not ee.schema.check({ minimum = i }, i - 1))\n"
            "end end return type(ee.schema)",
            "userdata");
}

/* The shortest text that reads back. */
static void test_number_texts(void **state) {
  (void)state;
  assert_result(
      "local out = {} for i, v in ipairs { 0.1, 0.1 + 0.2, 1/3, 100.0, -0.0, 1e15, 1e100, 2^53, 5e-324, "
      "123456789.123456789, math.huge } do\n"
      "  out[i] = tostring(v) assert(v == math.huge or tonumber(out[i]) == v) assert(('%s'):format(v) == out[i] and "
      "table.concat { v } == out[i])\n"
      "end return table.concat(out, ' ') .. ' ' .. ('%d %5s'):format(3.0, 0.5) .. ' ' .. tostring(3) .. table.concat { "
      "3, 0.1 + 0.2 }",
      "0.1 0.30000000000000004 0.3333333333333333 100.0 -0.0 1e+15 1e+100 9007199254740992.0 4.9406564584125e-324 "
      "123456789.12345679 inf 3   0.5 330.30000000000000004");
}

/* Scalars -------------------------------------------------------------------------------------- */

static void test_numbers(void **state) {
  (void)state;
  static const struct {
    const char *json, *shown;
  } cases[] = {
      {"1", "integer 1"},
      {"1.0", "integer 1"},
      {"1e3", "integer 1000"},
      {"-0", "integer 0"},
      {"0.5", "float 0.5"},
      {"9007199254740993", "integer 9007199254740993"},
      {"-9007199254740993", "integer -9007199254740993"},
      {"1000000000000000001", "integer 1000000000000000001"},
      {"9223372036854775807", "integer 9223372036854775807"},
      {"-9223372036854775808", "integer -9223372036854775808"},
      {"9223372036854775808", "float 9.2233720368548e+18"},
      {"-9223372036854775809", "float -9.2233720368548e+18"},
      {"99999999999999999999999", "float 1e+23"},
      {"0.1000000000000000055511151231257827", "float 0.1"},
      {"1e300", "float 1e+300"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    assert_on(cases[i].json, "return math.type(x) .. ' ' .. x", cases[i].shown);
}

static void test_strings(void **state) {
  (void)state;
  assert_on("\"a\\u0000b\"", "return #x .. ' ' .. x:byte(2) .. x:sub(3)", "3 0b");
  assert_on("{\"a\\u0000b\":1,\"a\":2}", "return x['a\\0b'] .. x.a", "12");
  assert_on("\"\"", "return #x", "0");
  assert_on("{\"a\\u0000b\":1}", "for k in pairs(x) do return #k end", "3");
}

/* ee.get and its kin --------------------------------------------------------------------------- */

static void test_get(void **state) {
  (void)state;
  assert_on(invoice, "return ee.get(x, 'a.b[1]')", "20.5");
  assert_on(invoice, "return ee.get(x, '/a/b/0')", "10");
  assert_on(invoice, "return ee.get(x, '[\"z z\"]')", "2");
  assert_on(invoice, "return ee.get(x, 'a.n')", "nil");
  assert_on(invoice, "return ee.get(x, 'a.n', 'none')", "none");
  assert_on(invoice, "return ee.get(x, 'a.q.r[3]')", "nil");
  assert_on(invoice, "return ee.get(x, 'a.q', 7)", "7");
  assert_on(invoice, "return ee.get(x, 'z.deeper', 7)", "7");
  assert_on(invoice, "return ee.get(x, 'a.t', 7)", "true");
  assert_on("{\"f\":false}", "return ee.get(x, 'f', 7)", "false");
  assert_on(invoice, "return select('#', ee.get(x, 'a.q'))", "1");
  /* Plain tables, and documents in them. */
  assert_on(invoice, "return ee.get({ a = { { b = 5 } } }, 'a[0].b')", "5");
  assert_on(invoice, "return ee.get({ a = { { b = 5 } } }, 'a.0.b')", "5");
  assert_on(invoice, "return ee.get({ ['0'] = 5 }, '/0')", "5");
  assert_on(invoice, "return ee.get({ doc = x }, 'doc.a.b[0]')", "10");
  assert_on(invoice, "return ee.get({ n = ee.null }, 'n', 3)", "3");
  assert_on(invoice, "return ee.get({ n = ee.null }, 'n.m', 3)", "3");
  assert_on(invoice, "return ee.get(setmetatable({}, { __index = { a = 4 } }), 'a')", "4");
  assert_on(invoice, "local t = setmetatable({}, {}) getmetatable(t).__index = t return ee.get(t, 'a', 4)", "4");
  assert_on(invoice, "return ee.get(setmetatable({}, { __index = function() error 'called' end }), 'a', 4)", "4");
  assert_on(invoice, "return ee.get(ee, 'text.trim') == ee.text.trim", "true");
  /* What is no container. */
  assert_on(invoice, "return tostring(ee.get(nil, 'a')) .. tostring(ee.get(5, 'a')) .. tostring(ee.get('text', 'len'))",
            "nilnilnil");
  assert_on(invoice, "return ee.get(ee.null, 'a', 1)", "1");
  assert_on_fails(invoice, "local y = ee.get(x, 'a[')", "unclosed '[' in path 'a['");
  assert_on_fails(invoice, "local y = ee.get(x, 'a[*]')", "path 'a[*]' has a wildcard, which only ee.fields accepts");
  assert_on_fails(invoice, "local y = ee.get(x)", "bad argument #2 to 'get' (string expected, got nil)");
}

/* More paths than are remembered, and ones that cannot be read. */
static void test_many_paths(void **state) {
  (void)state;
  assert_on("{\"a7\":{\"b\":5}}",
            "local sum = 0 for i = 1, 5000 do sum = sum + ee.get(x, 'a' .. i .. '.b', 0)\n"
            "  if pcall(ee.get, x, 'a' .. i .. '[') then error 'passed' end end return sum + ee.get(x, 'a7.b')",
            "10");
}

static void test_each(void **state) {
  (void)state;
  const char *walk = "local s = '' for i, v in ee.each(%s) do s = s .. i .. tostring(v) .. ' ' end return s";
  static const struct {
    const char *arguments, *expected;
  } cases[] = {
      {"x, 'a.b'", "110 220.5 3null 4x "},
      {"x.a.b", "110 220.5 3null 4x "},
      {"x, 'a'", ""},
      {"x, 'q.r'", ""},
      {"x, 'z'", ""},
      {"nil, 'a'", ""},
      {"nil", ""},
      {"ee.null", ""},
      {"{ 5, 6 }", "15 26 "},
      {"{ a = { 7 } }, 'a'", "17 "},
      {"{ a = 1 }", ""},
      {"'text'", ""},
      {"x, 'a.n'", ""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char body[256];
    snprintf(body, sizeof body, walk, cases[i].arguments);
    assert_on(invoice, body, cases[i].expected);
  }
}

static void test_is_empty(void **state) {
  (void)state;
  assert_on("[[],{},\" \\t\\u00a0\",\"x\"]",
            "local s = '' for _, v in ipairs { x[1], x[2], x[3], x[4], '', 'a', 0, false, ee.null, {} } do\n"
            "s = s .. (ee.is_empty(v) and 1 or 0) end return s .. (ee.is_empty(nil) and 1 or 0) .. (ee.is_empty() and "
            "1 or 0)",
            "001010001011");
}

static void test_copy(void **state) {
  (void)state;
  assert_on(invoice,
            "local c = ee.copy(x) c.a.b[1] = 99 c.z = nil return c.a.b[1] .. x.a.b[1] .. tostring(c.z) .. type(c.a) .. "
            "#c.a.b",
            "9910niltable4");
  assert_on(invoice, "return ee.copy(x).a.n == ee.null and ee.copy(ee.null) == ee.null and ee.copy(5)", "5");
  assert_on(invoice, "local t = { x, { 1 } } local c = ee.copy(t) c[2][1] = 2 return t[2][1] .. c[2][1] .. type(c[1])",
            "12table");
  assert_on_fails(invoice, "local t = {} t.t = t ee.copy(t)",
                  "ee.copy: a table nested deeper than 100 (does it contain itself?)");
  assert_on_fails(invoice, "ee.copy()", "bad argument #1 to 'copy' (value expected)");
}

static void test_type_and_json(void **state) {
  (void)state;
  assert_on("[[],{}]",
            "local s = '' for _, v in ipairs { x[1], x[2], ee.null, 1, 'a', true, {}, print } do s = s .. ee.type(v) "
            ".. ' ' end\n"
            "return s .. ee.type(nil)",
            "array object null number string boolean table function missing");
  assert_on("[1,null]",
            "return ee.json(x) .. ee.json { b = 1, a = { x, 'é\"' } } .. ee.json {} .. ee.json(nil) .. ee.json(0.1)",
            "[1,null]{\"a\":[[1,null],\"é\\\"\"],\"b\":1}{}null0.1");
  assert_on("[]", "return ee.json { 2^53 + 1, math.maxinteger, math.mininteger, (1 << 53) + 1, -0.0 }",
            "[9007199254740992,9223372036854775807,-9223372036854775808,9007199254740993,0]");
  assert_on_fails("[]", "ee.json(0/0)", "cannot be written as JSON: a number that is NaN or infinite");
  assert_on_fails("[]", "ee.json()", "bad argument #1 to 'json' (value expected)");
}

/* Lua to values -------------------------------------------------------------------------------- */

/* The value that the Lua expression means, as JSON, or "! why". */
static void assert_means(const char *expression, const char *expected) {
  ee_lua *lua = new_state();
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_error error;
  char body[2048];
  snprintf(body, sizeof body, "%s %s", strstr(expression, "return") == NULL ? "return" : "", expression);
  if (call_with(lua, &arena, invoice, body, &error) != EE_OK) fail_msg("%s\n%s", error_text(&error), body);
  const char *why;
  int top = lua_gettop(lua->L);
  const ee_value *value = ee_lua_to_value(lua, -1, &arena, &why);
  assert_int_equal(lua_gettop(lua->L), top);
  ee_buffer text;
  ee_buffer_init(&text);
  if (value != NULL) {
    assert_null(why);
    ee_json_write_value(&text, value);
  } else {
    ee_buffer_addf(&text, "! %s", why == NULL ? "nothing" : why);
  }
  assert_string_equal(ee_buffer_terminate(&text), expected);
  ee_buffer_fini(&text);
  end_case(lua);
  ee_lua_free(lua);
  ee_arena_fini(&arena);
}

static void test_to_value(void **state) {
  (void)state;
  assert_means("nil", "! nothing");
  assert_means("ee.null", "null");
  assert_means("true", "true");
  assert_means("1.5", "1.5");
  assert_means("(1 << 53) + 1", "9007199254740993");
  assert_means("-(1 << 53) - 1", "-9007199254740993");
  assert_means("math.mininteger", "-9223372036854775808");
  assert_means("'a\\0b'", "\"a\\u0000b\"");
  assert_means("{}", "{}");
  assert_means("{ 1, { 2, {} }, ee.null }", "[1,[2,{}],null]");
  assert_means("{ b = 1, a = { c = 'x' }, ['a\\0'] = 2, [''] = 3 }",
               "{\"\":3,\"a\":{\"c\":\"x\"},\"a\\u0000\":2,\"b\":1}");
  assert_means("x.a", "{\"b\":[10,20.5,null,\"x\"],\"n\":null,\"t\":true}");
  assert_means("{ x.a.b, x.a.b, v = nil }", "[[10,20.5,null,\"x\"],[10,20.5,null,\"x\"]]");
  assert_means("{ q = x.a.b, r = x.a.b[2] }", "{\"q\":[10,20.5,null,\"x\"],\"r\":20.5}");
  assert_means("0/0", "! a number that is NaN or infinite");
  assert_means("{ 1/0 }", "! a number that is NaN or infinite");
  assert_means("'\\xff'", "! a string that is not valid UTF-8");
  assert_means("{ ['\\xed\\xa0\\x80'] = 1 }", "! a key that is not valid UTF-8");
  assert_means("print", "! a function");
  assert_means("{ { print } }", "! a function");
  assert_means("node", "! a userdata");
  assert_means("{ 1, nil, 3 }", "! a list with holes");
  assert_means("{ [2] = 1 }", "! a list with holes");
  assert_means("{ [1] = 1, [1000000] = 2 }", "! a list with holes");
  assert_means("{ [0] = 1 }", "! a table with a key that is neither a string nor an index of a list");
  assert_means("{ [1.5] = 1 }", "! a table with a key that is neither a string nor an index of a list");
  assert_means("{ [true] = 1 }", "! a table with a key that is neither a string nor an index of a list");
  assert_means("{ [x] = 1 }", "! a table with a key that is neither a string nor an index of a list");
  assert_means("{ 1, a = 2 }", "! a table that is both a list and an object");
  assert_means("local t = {} t[1] = t return t", "! a table nested deeper than 100 (does it contain itself?)");
  assert_means("local t = {} t.a = { b = t } return t", "! a table nested deeper than 100 (does it contain itself?)");
  assert_means("local t = 1 for i = 1, 100 do t = { t } end local s = ee.json(t) return #s", "201");
  assert_means("local t = 1 for i = 1, 101 do t = { t } end return t",
               "! a table nested deeper than 100 (does it contain itself?)");
  /* Small in Lua, without end as a tree. */
  assert_means("local t = {} for i = 1, 60 do t = { t, t } end return t", "! a value that is too large");
  assert_means("local s, t = ('x'):rep(1000000), {} for i = 1, 1000 do t[i] = s end return t",
               "! a value that is too large");
}

/* A value that stands in several places of a new tree leaves the document as it was. */
static void test_sharing(void **state) {
  (void)state;
  ee_lua *lua = new_state();
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_error error;
  assert_int_equal(call_with(lua, &arena, invoice, "kept = x return { x.a.b, { k = x.a.b }, x }", &error), EE_OK);
  const char *why;
  const ee_value *value = ee_lua_to_value(lua, -1, &arena, &why);
  const ee_value *document = read_json(&arena, invoice);
  assert_true(ee_value_equal(ee_value_element(value, 2), document));
  assert_true(
      ee_value_equal(ee_value_member(ee_value_element(value, 1), EE_STR("k"), NULL), ee_value_element(value, 0)));
  assert_null(ee_value_next(ee_value_element(value, 2)));
  assert_int_equal(ee_value_count(value), 3);
  end_case(lua);
  ee_lua_free(lua);
  ee_arena_fini(&arena);
}

/* Whether Lua's tables can say the document: an empty list is an empty object there, and long fractions are doubles. */
static bool is_plain(const ee_value *value) {
  ee_type type = ee_type_of(value);
  if (type == EE_ARRAY && ee_value_count(value) == 0) return false;
  if (type == EE_NUMBER && (value->json.valuestring != NULL || !isfinite(ee_value_number(value)))) return false;
  if (type != EE_ARRAY && type != EE_OBJECT) return true;
  for (const ee_value *child = ee_value_child(value); child != NULL; child = ee_value_next(child)) {
    if (!is_plain(child)) return false;
  }
  return true;
}

/* There and back: through a proxy, and through plain tables. */
static void test_round_trips(void **state) {
  (void)state;
  test_random random = test_random_start("values round trips", 42);
  ee_lua *lua = new_state();
  run_text(lua, "return function(x) return x, { x }, ee.copy(x) end");
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_buffer json;
  ee_buffer_init(&json);
  size_t plain = 0;
  for (int round = 0; round < ROUNDS; round++) {
    ee_arena_reset(&arena, 0);
    ee_buffer_clear(&json);
    random_document(&random, &json, 6, 4, false);
    ee_error error;
    const ee_value *document = ee_json_read(&arena, (ee_str){json.data, json.length}, NULL, &error);
    if (document == NULL) continue;
    begin_case(lua, &arena);
    lua_pushvalue(lua->L, -1);
    ee_lua_push_value(lua, document);
    assert_int_equal(ee_lua_call(lua, 1, 3, &error), EE_OK);
    const char *why;
    const ee_value *wrapped = ee_lua_to_value(lua, -2, &arena, &why);
    bool exact = ee_type_of(document) != EE_NUMBER || is_plain(document);
    if (exact) {
      assert_true(ee_value_equal(ee_lua_to_value(lua, -3, &arena, &why), document));
      assert_non_null(wrapped);
      assert_true(ee_value_equal(ee_value_element(wrapped, 0), document));
    }
    if (is_plain(document)) {
      plain++;
      const ee_value *copy = ee_lua_to_value(lua, -1, &arena, &why);
      if (copy == NULL) fail_msg("%s: %.*s", why, (int)json.length, json.data);
      assert_true(ee_value_equal(copy, document));
    }
    lua_pop(lua->L, 3);
    end_case(lua);
  }
  assert_true(plain > ROUNDS / 10);
  ee_buffer_fini(&json);
  ee_arena_fini(&arena);
  ee_lua_free(lua);
}

/* Memory that ends in the middle is an error of the call; the state and later calls are none the worse. */
static void test_memory_ends(void **state) {
  (void)state;
  static const char *const bodies[] = {
      "return x.a.b[1]",
      "return tostring(x)",
      "for k, v in pairs(x) do kept = v end",
      "return ee.copy(x)",
      "return ee.json { x, { a = x } }",
      "return ee.get(x, 'a.b[0]')",
      "for _, v in ee.each(x, 'a.b') do kept = v end",
      "return x.a == x.a",
  };
  for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
    ee_lua *lua = new_state();
    char text[256];
    snprintf(text, sizeof text, "local kept\nreturn function(x) %s end", bodies[i]);
    run_text(lua, text);
    ee_arena arena;
    ee_arena_init(&arena, 0);
    begin_case(lua, &arena);
    ee_lua_push_value(lua, read_json(&arena, invoice));
    size_t failures = 0;
    bool passed = false;
    for (size_t room = 0; !passed; room += 8) {
      lua_gc(lua->L, LUA_GCCOLLECT);
      int top = lua_gettop(lua->L);
      lua_pushvalue(lua->L, -2);
      lua_pushvalue(lua->L, -2);
      lua->limits.memory = lua->memory_used + room;
      ee_error error;
      passed = ee_lua_call(lua, 1, 0, &error) == EE_OK;
      lua->limits.memory = EE_LUA_MEMORY;
      assert_int_equal(lua_gettop(lua->L), top);
      if (passed) continue;
      failures++;
      assert_non_null(strstr(error.message, "out of memory"));
    }
    assert_true(failures > 0);
    end_case(lua);
    ee_lua_free(lua);
    ee_arena_fini(&arena);
  }
}

EE_TEST_FILE(rule_text_setup, rule_text_teardown, cmocka_unit_test(test_index), cmocka_unit_test(test_random_access),
             cmocka_unit_test(test_length), cmocka_unit_test(test_pairs), cmocka_unit_test(test_equal),
             cmocka_unit_test(test_tostring), cmocka_unit_test(test_read_only), cmocka_unit_test(test_after_the_case),
             cmocka_unit_test(test_fast_values), cmocka_unit_test(test_fast_twin), cmocka_unit_test(test_source),
             cmocka_unit_test(test_parse), cmocka_unit_test(test_array), cmocka_unit_test(test_schema_check),
             cmocka_unit_test(test_number_texts), cmocka_unit_test(test_numbers), cmocka_unit_test(test_strings),
             cmocka_unit_test(test_get), cmocka_unit_test(test_many_paths), cmocka_unit_test(test_each),
             cmocka_unit_test(test_is_empty), cmocka_unit_test(test_copy), cmocka_unit_test(test_type_and_json),
             cmocka_unit_test(test_to_value), cmocka_unit_test(test_sharing), cmocka_unit_test(test_round_trips),
             cmocka_unit_test(test_memory_ends));
