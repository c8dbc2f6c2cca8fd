/* prim_call.h: calling ee.prim.* from a test.
 *
 * A call under way is a state with ee.prim on its stack at PRIM, the function and its arguments above. */
#ifndef EE_TESTS_LUA_PRIM_CALL_H
#define EE_TESTS_LUA_PRIM_CALL_H

#include "lua/rule_text.h"

enum { PRIM = 2 };

static inline ee_lua *open_prims(void) {
  ee_lua *lua = new_state();
  run_text(lua, "return ee.prim");
  assert_int_equal(lua_gettop(lua->L), PRIM);
  return lua;
}

static inline void begin(ee_lua *lua, const char *name) {
  lua_settop(lua->L, PRIM);
  assert_int_equal(lua_getfield(lua->L, PRIM, name), LUA_TFUNCTION);
}

/* Calls with what was pushed; one result is on top. */
static inline void finish(ee_lua *lua) {
  ee_error error;
  if (ee_lua_call(lua, lua_gettop(lua->L) - PRIM - 1, 1, &error) != EE_OK) fail_msg("%s", error_text(&error));
}

static inline double number_result(ee_lua *lua) {
  finish(lua);
  assert_int_equal(lua_type(lua->L, -1), LUA_TNUMBER);
  return lua_tonumber(lua->L, -1);
}

static inline void push_numbers(ee_lua *lua, const double *numbers, size_t count) {
  lua_newtable(lua->L);
  for (size_t i = 0; i < count; i++) {
    lua_pushnumber(lua->L, numbers[i]);
    lua_rawseti(lua->L, -2, (lua_Integer)i + 1);
  }
}

#endif
