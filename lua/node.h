/* node.h: what constructors leave behind for read_rules.c.
 *
 * Layer: lua, between dsl.c and read_rules.c. */
#ifndef EE_LUA_NODE_H
#define EE_LUA_NODE_H

#include "lua/state.h"

/* The name of the nodes' metatable in the registry. */
#define EE_LUA_NODE "ee.rule"

typedef enum ee_lua_node_class {
  EE_LUA_NODE_PLAIN,      /* of the kind in its user value */
  EE_LUA_NODE_DEFINITION, /* what ee.strategy returned: calling it makes nodes */
  EE_LUA_NODE_UNKNOWN,    /* ee.NAME for an unknown name: calling it is a mistake */
  EE_LUA_NODE_DROPPED     /* a mistake that has been reported; it leaves no trace in the tree */
} ee_lua_node_class;

/* A full userdata with the user values below. */
typedef struct ee_lua_node {
  ee_lua_node_class class;
  const char *file; /* where the constructor was called; a source's path, or NULL */
  size_t line;
} ee_lua_node;

enum {
  EE_LUA_NODE_KIND = 1,     /* text: "exact"; of a project's own strategy its name; of an unknown constructor that */
  EE_LUA_NODE_ARGUMENT = 2, /* what the constructor was called with */
  EE_LUA_NODE_MADE_BY = 3,  /* the definition that made it, or nil */
  EE_LUA_NODE_USER_VALUES = 3
};

/* True when the value at `index` is a constructor that was not called. */
bool ee_lua_is_constructor(lua_State *L, int index);

#endif
