/* dsl.c: the constructors, which only record what they were called with and where. */
#include "lua/dsl.h"

#include <string.h>

#include "judge/judge.h"
#include "judge/strategy/strategy.h"
#include "lua/node.h"
#include "lua/sandbox.h"

/* Constructors besides judges and strategies. */
static const char *const other_constructors[] = {"rules", "gate", "strategy", NULL};

/* What the rule language names and this version does not have. */
static const char *const later_constructors[] = {"summary", "report", NULL};

static bool is_one_of(const char *word, const char *const *words) {
  for (; *words != NULL; words++) {
    if (strcmp(word, *words) == 0) return true;
  }
  return false;
}

static bool is_constructor_name(const char *name) {
  if (is_one_of(name, other_constructors)) return true;
  ee_str text = ee_str_from(name);
  return ee_judge_type_find(text) != NULL || ee_strategy_type_find(text) != NULL;
}

/* Pushes a node of class `class` with the kind on top of the stack (which is popped), at the caller's place. */
static ee_lua_node *push_node(lua_State *L, ee_lua_node_class class) {
  ee_lua_node *node = lua_newuserdatauv(L, sizeof(*node), EE_LUA_NODE_USER_VALUES);
  node->class = class;
  ee_lua_place(L, 1, &node->file, &node->line);
  luaL_setmetatable(L, EE_LUA_NODE);
  lua_insert(L, -2);
  lua_setiuservalue(L, -2, EE_LUA_NODE_KIND);
  return node;
}

/* Takes what a constructor was called with: arguments from index `first` on, the node on top of the stack. */
static void take_arguments(lua_State *L, ee_lua_node *node, int first, const char *subject) {
  int last = lua_gettop(L) - 1;
  if (last < first || lua_isnil(L, first)) {
    ee_lua_mistake(L, "%s is called with nothing%s", subject, last < first ? "" : " (its argument is nil)");
    node->class = EE_LUA_NODE_DROPPED;
    return;
  }
  if (last > first)
    ee_lua_mistake(L, "%s is called with %d values, it takes one: a text, or a table { ... }", subject,
                   last - first + 1);
  lua_pushvalue(L, first);
  lua_setiuservalue(L, -2, EE_LUA_NODE_ARGUMENT);
}

static void refuse_during_case(lua_State *L, const char *subject) {
  if (ee_lua_of(L)->current != NULL)
    luaL_error(L, "%s describes rules and cannot be called while a case is judged", subject);
}

/* Every constructor. Upvalue 1: the kind. */
static int construct(lua_State *L) {
  lua_pushvalue(L, lua_upvalueindex(1));
  const char *kind = lua_tostring(L, -1);
  const char *subject = lua_pushfstring(L, "ee.%s", kind);
  lua_rotate(L, 1, 2); /* kind and subject below the arguments */
  refuse_during_case(L, subject);
  lua_pushvalue(L, 1);
  ee_lua_node *node = push_node(L, EE_LUA_NODE_PLAIN);
  take_arguments(L, node, 3, subject);
  if (strcmp(kind, "strategy") == 0 && node->class == EE_LUA_NODE_PLAIN) node->class = EE_LUA_NODE_DEFINITION;
  return 1;
}

bool ee_lua_is_constructor(lua_State *L, int index) { return lua_tocfunction(L, index) == construct; }

/* Calling nodes -------------------------------------------------------------------------------- */

/* Pushes the name that a definition (at index 1) gives its strategy; false when it gives none. */
static bool push_definition_name(lua_State *L) {
  if (lua_getiuservalue(L, 1, EE_LUA_NODE_ARGUMENT) == LUA_TTABLE) {
    lua_rawgeti(L, -1, 1);
    lua_remove(L, -2);
  }
  return lua_type(L, -1) == LUA_TSTRING;
}

/* A definition is called: a node of the project's own strategy. Stack: definition, arguments. */
static int construct_own(lua_State *L) {
  bool named = push_definition_name(L);
  const char *name = named ? lua_tostring(L, -1) : "a strategy without name";
  lua_insert(L, 2);
  refuse_during_case(L, name);
  if (named)
    lua_pushvalue(L, 2);
  else
    lua_pushliteral(L, "custom"); /* the definition's own mistake is found where it is checked */
  ee_lua_node *node = push_node(L, EE_LUA_NODE_PLAIN);
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, -2, EE_LUA_NODE_MADE_BY);
  take_arguments(L, node, 3, name);
  return 1;
}

/* An unknown constructor is called: the mistake is recorded and the file goes on. The node takes the kind that was
 * probably meant, so that its own mistakes come to light too. */
static int construct_unknown(lua_State *L) {
  lua_getiuservalue(L, 1, EE_LUA_NODE_KIND);
  const char *name = lua_tostring(L, -1);
  lua_replace(L, 1);
  refuse_during_case(L, "a constructor");
  const char *subject = lua_pushfstring(L, "ee.%s", name);
  lua_insert(L, 2);
  lua_pushvalue(L, lua_upvalueindex(1));
  const char *suggestion = ee_lua_suggest(L, -1, name);
  lua_pop(L, 1);
  ee_lua_node_class class = EE_LUA_NODE_DROPPED;
  if (is_one_of(name, later_constructors)) {
    ee_lua_mistake(L, "'ee.%s' is not available in this version", name);
  } else if (suggestion == NULL) {
    ee_lua_mistake(L, "unknown constructor 'ee.%s'", name);
  } else {
    ee_lua_mistake(L, "unknown constructor 'ee.%s' (did you mean 'ee.%s'?)", name, suggestion);
    if (is_constructor_name(suggestion)) class = EE_LUA_NODE_PLAIN;
  }
  lua_pushstring(L, class == EE_LUA_NODE_PLAIN ? suggestion : name);
  ee_lua_node *node = push_node(L, class);
  if (class == EE_LUA_NODE_PLAIN) take_arguments(L, node, 3, subject);
  if (node->class == EE_LUA_NODE_PLAIN && strcmp(suggestion, "strategy") == 0) node->class = EE_LUA_NODE_DEFINITION;
  return 1;
}

/* Pushes how a message shows what a node was called with: 'b' for a text or a table that begins with it. */
static const char *push_argument_text(lua_State *L, int index) {
  lua_pushvalue(L, index);
  if (lua_istable(L, -1)) {
    lua_rawgeti(L, -1, 1);
    lua_remove(L, -2);
  }
  if (lua_type(L, -1) == LUA_TSTRING) return lua_pushfstring(L, "'%s'", lua_tostring(L, -1));
  return lua_pushstring(L, lua_istable(L, index) ? "'{'" : "'('");
}

/* Upvalue 1: the open table `ee`. */
static int call_node(lua_State *L) {
  ee_lua_node *node = luaL_checkudata(L, 1, EE_LUA_NODE);
  if (node->class == EE_LUA_NODE_DEFINITION) return construct_own(L);
  if (node->class == EE_LUA_NODE_UNKNOWN) return construct_unknown(L);
  lua_settop(L, 2);
  const char *prefix = lua_getiuservalue(L, 1, EE_LUA_NODE_MADE_BY) == LUA_TNIL ? "ee." : "";
  lua_getiuservalue(L, 1, EE_LUA_NODE_KIND);
  const char *kind = lua_tostring(L, -1);
  const char *next = push_argument_text(L, 2);
  if (node->class != EE_LUA_NODE_DROPPED)
    ee_lua_mistake(L, "%s%s is called like a function (missing comma before %s?)", prefix, kind, next);
  lua_settop(L, 1);
  return 1;
}

/* __index of nodes: only an unknown name is likely to be read, as in ee.txet.trim. Upvalue 1: the open table `ee`. */
static int index_node(lua_State *L) {
  ee_lua_node *node = luaL_checkudata(L, 1, EE_LUA_NODE);
  if (node->class != EE_LUA_NODE_UNKNOWN) return luaL_error(L, "what a constructor returns cannot be read");
  lua_getiuservalue(L, 1, EE_LUA_NODE_KIND);
  return ee_lua_raise_unknown(L, lua_upvalueindex(1), "ee", lua_tostring(L, -1));
}

/* __index of the open table `ee`: a name that it does not have. */
static int unknown_name(lua_State *L) {
  if (lua_type(L, 2) != LUA_TSTRING) return 0;
  if (!ee_lua_of(L)->loading) return ee_lua_raise_unknown(L, 1, "ee", lua_tostring(L, 2));
  lua_pushvalue(L, 2);
  push_node(L, EE_LUA_NODE_UNKNOWN);
  return 1;
}

/* Opening -------------------------------------------------------------------------------------- */

/* Adds the constructor `name` to the table on top of the stack. */
static void add_constructor(lua_State *L, const char *name) {
  lua_pushstring(L, name);
  lua_pushvalue(L, -1);
  lua_pushcclosure(L, construct, 1);
  lua_rawset(L, -3);
}

void ee_lua_dsl_open(ee_lua *lua) {
  lua_State *L = lua->L;
  for (const char *const *name = other_constructors; *name != NULL; name++) add_constructor(L, *name);
  for (const ee_judge_type *const *type = ee_judge_types; *type != NULL; type++) add_constructor(L, (*type)->name);
  for (const ee_strategy_type *type = ee_strategy_types; type->name != NULL; type++) add_constructor(L, type->name);

  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, unknown_name);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, -2);

  luaL_newmetatable(L, EE_LUA_NODE);
  lua_pushvalue(L, -2);
  lua_pushcclosure(L, call_node, 1);
  lua_setfield(L, -2, "__call");
  lua_pushvalue(L, -2);
  lua_pushcclosure(L, index_node, 1);
  lua_setfield(L, -2, "__index");
  lua_pushliteral(L, "rule");
  lua_setfield(L, -2, "__name");
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  lua_pop(L, 1);
}
