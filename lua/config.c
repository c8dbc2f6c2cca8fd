/* config.c: from a JSON object to frozen tables. */
#include "lua/config.h"

#include "lua/sandbox.h"
#include "lua/values.h"

/* Pushes `value`; tables are frozen and called by the text at `name`. The reader's nesting limit bounds the recursion.
 */
static void push_frozen(ee_lua *lua, const ee_value *value, int name) {
  lua_State *L = lua->L;
  ee_type type = ee_type_of(value);
  if (type != EE_ARRAY && type != EE_OBJECT) {
    ee_lua_push_value(lua, value);
    return;
  }
  luaL_checkstack(L, 10, "ee.config is nested too deeply");
  int count = (int)ee_value_count(value);
  lua_createtable(L, type == EE_ARRAY ? count : 0, type == EE_OBJECT ? count : 0);
  int table = lua_gettop(L);
  lua_Integer place = 0;
  for (const ee_value *at = ee_value_child(value); at != NULL; at = ee_value_next(at)) {
    if (type == EE_ARRAY) {
      lua_pushfstring(L, "%s[%I]", lua_tostring(L, name), (LUAI_UACINT)++place);
      push_frozen(lua, at, table + 1);
      lua_rawseti(L, table, place);
    } else if (ee_type_of(at) != EE_NULL) {
      lua_pushfstring(L, "%s.%s", lua_tostring(L, name), at->json.string);
      lua_pushlstring(L, at->json.string, at->key_length);
      push_frozen(lua, at, table + 1);
      lua_rawset(L, table);
    }
    lua_settop(L, table);
  }
  ee_lua_freeze(L, lua_tostring(L, name), false);
}

void ee_lua_config_open(ee_lua *lua, const ee_value *config) {
  lua_State *L = lua->L;
  lua_pushliteral(L, "ee.config");
  int name = lua_gettop(L);
  if (ee_type_of(config) == EE_OBJECT) {
    push_frozen(lua, config, name);
  } else {
    lua_newtable(L);
    ee_lua_freeze(L, lua_tostring(L, name), false);
  }
  lua_setfield(L, name - 1, "config");
  lua_pop(L, 1);
}
