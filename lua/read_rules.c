/* read_rules.c: the constructors of a rule file, and the rule nodes made from what they recorded.
 *
 * A constructor only records kind, argument, file and line in a userdata. When the file has returned, its value is
 * converted to the nodes of judge/rule_node.h. */
#include "lua/read_rules.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "judge/judge.h"
#include "judge/script.h"
#include "judge/strategy/strategy.h"
#include "lua/sandbox.h"
#include "lua/values.h"
#include "prim/normalize.h"

/* The name of the nodes' metatable in the registry. */
#define NODE "ee.rule"

typedef enum recorded_class {
  NODE_PLAIN,      /* a rule, judge, strategy ... */
  NODE_DEFINITION, /* what ee.strategy returned: calling it makes nodes */
  NODE_UNKNOWN,    /* ee.NAME for an unknown name: calling it is a mistake */
  NODE_DROPPED     /* a mistake that has been reported; left out of the tree */
} recorded_class;

/* A full userdata with the user values below. */
typedef struct recorded_node {
  recorded_class class;
  const char *file; /* where the constructor was called; a source's path, or NULL */
  size_t line;
} recorded_node;

enum {
  NODE_KIND = 1,     /* a string: "exact", the name of a project's own strategy, or of an unknown constructor */
  NODE_ARGUMENT = 2, /* what the constructor was called with */
  NODE_MADE_BY = 3,  /* the definition that made it, or nil */
  NODE_USER_VALUES = 3
};

/* Constructors besides judges and strategies. */
static const char *const other_constructors[] = {"rules", "gate", "summary", "report", "strategy", NULL};

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

/* Pops the kind and pushes a node of that kind and `class`, with the caller's place. */
static recorded_node *push_node(lua_State *L, recorded_class class) {
  recorded_node *node = lua_newuserdatauv(L, sizeof(*node), NODE_USER_VALUES);
  node->class = class;
  ee_lua_place(L, 1, &node->file, &node->line);
  luaL_setmetatable(L, NODE);
  lua_insert(L, -2);
  lua_setiuservalue(L, -2, NODE_KIND);
  return node;
}

/* Stores the argument of a constructor in the node on top of the stack; arguments begin at index `first`. */
static void take_arguments(lua_State *L, recorded_node *node, int first, const char *subject) {
  int last = lua_gettop(L) - 1;
  if (last < first || lua_isnil(L, first)) {
    ee_lua_mistake(L, "%s is called with nothing%s", subject, last < first ? "" : " (its argument is nil)");
    node->class = NODE_DROPPED;
    return;
  }
  if (last > first)
    ee_lua_mistake(L, "%s is called with %d values, it takes one: a string, or a table { ... }", subject,
                   last - first + 1);
  lua_pushvalue(L, first);
  lua_setiuservalue(L, -2, NODE_ARGUMENT);
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
  recorded_node *node = push_node(L, NODE_PLAIN);
  take_arguments(L, node, 3, subject);
  if (strcmp(kind, "strategy") == 0 && node->class == NODE_PLAIN) node->class = NODE_DEFINITION;
  return 1;
}

static bool is_constructor(lua_State *L, int index) { return lua_tocfunction(L, index) == construct; }

/* Calling nodes -------------------------------------------------------------------------------- */

/* Pushes the name in the strategy definition at index 1; false when it has none. */
static bool push_definition_name(lua_State *L) {
  if (lua_getiuservalue(L, 1, NODE_ARGUMENT) == LUA_TTABLE) {
    lua_rawgeti(L, -1, 1);
    lua_remove(L, -2);
  }
  return lua_type(L, -1) == LUA_TSTRING;
}

/* Calling a definition makes a node of the project's own strategy. Stack: definition, arguments. */
static int construct_own(lua_State *L) {
  bool named = push_definition_name(L);
  const char *name = named ? lua_tostring(L, -1) : "a strategy without name";
  lua_insert(L, 2);
  refuse_during_case(L, name);
  if (named)
    lua_pushvalue(L, 2);
  else
    lua_pushliteral(L, "custom"); /* the missing name is reported with the definition */
  recorded_node *node = push_node(L, NODE_PLAIN);
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, -2, NODE_MADE_BY);
  take_arguments(L, node, 3, name);
  return 1;
}

/* Calling an unknown constructor records a mistake, and the file goes on. The node gets the suggested kind, so that its
 * other mistakes are reported, too. */
static int construct_unknown(lua_State *L) {
  lua_getiuservalue(L, 1, NODE_KIND);
  const char *name = lua_tostring(L, -1);
  lua_replace(L, 1);
  refuse_during_case(L, "a constructor");
  const char *subject = lua_pushfstring(L, "ee.%s", name);
  lua_insert(L, 2);
  lua_pushvalue(L, lua_upvalueindex(1));
  const char *suggestion = ee_lua_suggest(L, -1, name);
  lua_pop(L, 1);
  recorded_class class = NODE_DROPPED;
  if (suggestion == NULL) {
    ee_lua_mistake(L, "unknown constructor 'ee.%s'", name);
  } else {
    ee_lua_mistake(L, "unknown constructor 'ee.%s' (did you mean 'ee.%s'?)", name, suggestion);
    if (is_constructor_name(suggestion)) class = NODE_PLAIN;
  }
  lua_pushstring(L, class == NODE_PLAIN ? suggestion : name);
  recorded_node *node = push_node(L, class);
  if (class == NODE_PLAIN) take_arguments(L, node, 3, subject);
  // NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): such a node has a suggestion
  if (node->class == NODE_PLAIN && strcmp(suggestion, "strategy") == 0) node->class = NODE_DEFINITION;
  return 1;
}

/* Pushes an argument as a message shows it: 'b' for the string "b" and for a table that begins with it. */
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
  recorded_node *node = luaL_checkudata(L, 1, NODE);
  if (node->class == NODE_DEFINITION) return construct_own(L);
  if (node->class == NODE_UNKNOWN) return construct_unknown(L);
  lua_settop(L, 2);
  const char *prefix = lua_getiuservalue(L, 1, NODE_MADE_BY) == LUA_TNIL ? "ee." : "";
  lua_getiuservalue(L, 1, NODE_KIND);
  const char *kind = lua_tostring(L, -1);
  const char *next = push_argument_text(L, 2);
  if (node->class != NODE_DROPPED)
    ee_lua_mistake(L, "%s%s is called like a function (missing comma before %s?)", prefix, kind, next);
  lua_settop(L, 1);
  return 1;
}

/* __index of nodes. Probably the node is a misspelt name, as in ee.txet.trim. Upvalue 1: the open table `ee`. */
static int index_node(lua_State *L) {
  recorded_node *node = luaL_checkudata(L, 1, NODE);
  if (node->class != NODE_UNKNOWN) return luaL_error(L, "the result of a constructor cannot be read");
  lua_getiuservalue(L, 1, NODE_KIND);
  return ee_lua_raise_unknown(L, lua_upvalueindex(1), "ee", lua_tostring(L, -1));
}

/* __index of the open table `ee`, for unknown names. */
static int unknown_name(lua_State *L) {
  if (lua_type(L, 2) != LUA_TSTRING) return 0;
  if (!ee_lua_of(L)->loading) return ee_lua_raise_unknown(L, 1, "ee", lua_tostring(L, 2));
  lua_pushvalue(L, 2);
  push_node(L, NODE_UNKNOWN);
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

void ee_lua_constructors_open(ee_lua *lua) {
  lua_State *L = lua->L;
  for (const char *const *name = other_constructors; *name != NULL; name++) add_constructor(L, *name);
  for (const ee_judge_type *const *type = ee_judge_types; *type != NULL; type++) add_constructor(L, (*type)->name);
  for (const ee_strategy_type *const *type = ee_strategy_types; *type != NULL; type++)
    add_constructor(L, (*type)->name);

  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, unknown_name);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, -2);

  luaL_newmetatable(L, NODE);
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

/* Patterns ------------------------------------------------------------------------------------- */

/* The syntax of Lua 5.4 patterns (reference manual, 6.4.1). */
enum { CAPTURE_LIMIT = 32 };

/* Captures by number; `open` ones are not closed yet. */
typedef struct captures {
  bool open[CAPTURE_LIMIT];
  int count;
} captures;

/* The position after the set that begins at `at` ('['), or 0 when its end is missing. */
static size_t skip_set(ee_str pattern, size_t at) {
  at++;
  if (at < pattern.length && pattern.data[at] == '^') at++;
  bool first = true; /* a ']' in first position is literal */
  while (at < pattern.length && (first || pattern.data[at] != ']')) {
    at += pattern.data[at] == '%' ? 2 : 1;
    first = false;
  }
  return at < pattern.length ? at + 1 : 0;
}

static const char *open_capture(captures *seen, bool of_position) {
  if (seen->count == CAPTURE_LIMIT) return "too many captures";
  seen->open[seen->count++] = !of_position;
  return NULL;
}

static const char *close_capture(captures *seen) {
  for (int i = seen->count - 1; i >= 0; i--) {
    if (!seen->open[i]) continue;
    seen->open[i] = false;
    return NULL;
  }
  return "a ')' without '('";
}

/* Checks the escape at `*at` ('%') and moves `*at` after it. */
static const char *check_escape(ee_str pattern, size_t *at, const captures *seen) {
  if (*at + 1 >= pattern.length) return "it ends with '%'";
  char c = pattern.data[*at + 1];
  *at += 2;
  if (c == 'b') {
    if (*at + 1 >= pattern.length) return "missing arguments to '%b'";
    *at += 2;
  } else if (c == 'f') {
    if (*at >= pattern.length || pattern.data[*at] != '[') return "missing '[' after '%f'";
  } else if (c >= '0' && c <= '9') {
    int capture = c - '1';
    if (capture < 0 || capture >= seen->count || seen->open[capture]) return "a back reference to no capture";
  }
  return NULL;
}

const char *ee_lua_pattern_check(ee_str pattern) {
  captures seen = {.count = 0};
  const char *wrong = NULL;
  for (size_t at = 0; at < pattern.length && wrong == NULL;) {
    switch (pattern.data[at]) {
    case '(': {
      bool of_position = at + 1 < pattern.length && pattern.data[at + 1] == ')';
      wrong = open_capture(&seen, of_position);
      at += of_position ? 2 : 1;
      break;
    }
    case ')':
      wrong = close_capture(&seen);
      at++;
      break;
    case '%': wrong = check_escape(pattern, &at, &seen); break;
    case '[':
      at = skip_set(pattern, at);
      if (at == 0) return "missing ']'";
      break;
    default: at++;
    }
  }
  for (int i = 0; i < seen.count && wrong == NULL; i++) {
    if (seen.open[i]) wrong = "missing ')'";
  }
  return wrong;
}

/* Reading the tree ----------------------------------------------------------------------------- */

/* Bounds of one rule file: nesting, and the number of values (shared lists count each time). */
enum { DEPTH_LIMIT = 100, VALUE_LIMIT = 1000000 };

/* Stack indexes of the tables of converted nodes. */
enum { MEMO = 3, DATA_MEMO = 4 };

typedef struct builder {
  ee_lua *lua;
  ee_arena *arena;
  ee_error_list *errors;
  int memo;  /* stack index of a table: node or table -> rule node (light userdata), false while it is converted */
  bool data; /* inside an option with plain data: lists are not flattened */
  const char *data_option; /* its name */
  const char *file;        /* of the innermost node: where mistakes inside it are reported */
  size_t line;
  const char *last_file, *last_copy; /* cache of one: the last file name copied to the arena */
  int depth;
  size_t values;
} builder;

/* Positional values. */
typedef struct value_list {
  EE_LIST(ee_rule_value);
} value_list;

static bool convert_value(builder *self, int index, ee_rule_value *out);

static void mistake(builder *self, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void mistake(builder *self, const char *format, ...) {
  char message[sizeof(((ee_error *)0)->message)];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof(message), format, arguments);
  va_end(arguments);
  ee_error_list_addf(self->errors, EE_ERROR_RULES, self->file, self->line, "%s", message);
}

static const char *copy_file(builder *self, const char *file) {
  if (file == NULL) return NULL;
  if (file != self->last_file) {
    self->last_file = file;
    self->last_copy = ee_arena_copy(self->arena, file, strlen(file));
  }
  return self->last_copy;
}

static ee_str copy_text(builder *self, int index) {
  size_t length;
  const char *text = lua_tolstring(self->lua->L, index, &length);
  return (ee_str){ee_arena_copy(self->arena, text, length), length};
}

/* Counts a value; false beyond the limit, which is reported once. */
static bool count_value(builder *self) {
  if (self->values++ < VALUE_LIMIT) return true;
  if (self->values == VALUE_LIMIT + 1) mistake(self, "the rule file describes more than %d values", (int)VALUE_LIMIT);
  return false;
}

/* Shared tables and cycles --------------------------------------------------------------------- */

/* Begins the node or table at `index` (absolute). False when there is nothing to do: `*known` is its rule node from
 * before, or NULL when it contains itself or is nested too deeply (which is reported). */
static bool enter(builder *self, int index, const ee_rule_node **known) {
  lua_State *L = self->lua->L;
  *known = NULL;
  lua_pushvalue(L, index);
  int type = lua_rawget(L, self->memo);
  if (type == LUA_TLIGHTUSERDATA) *known = lua_touserdata(L, -1);
  lua_pop(L, 1);
  if (type == LUA_TLIGHTUSERDATA) return false;
  if (type == LUA_TBOOLEAN) {
    mistake(self, "a table contains itself");
    return false;
  }
  if (self->depth >= DEPTH_LIMIT) {
    mistake(self, "tables are nested more than %d deep", (int)DEPTH_LIMIT);
    return false;
  }
  luaL_checkstack(L, 12, "nested too deeply");
  self->depth++;
  lua_pushvalue(L, index);
  lua_pushboolean(L, 0);
  lua_rawset(L, self->memo);
  return true;
}

/* Ends it. With `node` NULL it may be converted again: a flattened list can occur in several places. */
static void leave(builder *self, int index, const ee_rule_node *node) {
  lua_State *L = self->lua->L;
  self->depth--;
  lua_pushvalue(L, index);
  if (node == NULL)
    lua_pushnil(L);
  else
    lua_pushlightuserdata(L, (void *)(uintptr_t)node);
  lua_rawset(L, self->memo);
}

/* Tables --------------------------------------------------------------------------------------- */

/* True when all keys of the table at `index` are positive integers: a list, which is flattened inside another. */
static bool is_list(lua_State *L, int index) {
  for (lua_pushnil(L); lua_next(L, index) != 0; lua_pop(L, 1)) {
    if (!lua_isinteger(L, -2) || lua_tointeger(L, -2) < 1) {
      lua_pop(L, 2);
      return false;
    }
  }
  return true;
}

static int compare_integers(const void *left, const void *right) {
  lua_Integer a = *(const lua_Integer *)left, b = *(const lua_Integer *)right;
  return (a > b) - (a < b);
}

static int compare_options(const void *left, const void *right) {
  return ee_str_compare(((const ee_rule_option *)left)->name, ((const ee_rule_option *)right)->name);
}

/* The keys of a table. Arrays in the arena. */
typedef struct table_keys {
  lua_Integer *positions; /* sorted */
  size_t position_count;
  ee_rule_option *options; /* names only, sorted */
  size_t option_count;
} table_keys;

/* Reads the keys of the table at `index`; reports holes and keys of other types. */
static table_keys read_keys(builder *self, int index) {
  lua_State *L = self->lua->L;
  size_t count = 0;
  for (lua_pushnil(L); lua_next(L, index) != 0; lua_pop(L, 1)) count++;
  table_keys keys = {.positions = EE_NEW_ARRAY(self->arena, lua_Integer, count),
                     .options = EE_NEW_ARRAY(self->arena, ee_rule_option, count)};
  for (lua_pushnil(L); lua_next(L, index) != 0; lua_pop(L, 1)) {
    if (lua_type(L, -2) == LUA_TSTRING) {
      keys.options[keys.option_count++].name = ee_nfc(copy_text(self, -2), self->arena);
    } else if (lua_isinteger(L, -2) && lua_tointeger(L, -2) >= 1) {
      keys.positions[keys.position_count++] = lua_tointeger(L, -2);
    } else if (lua_type(L, -2) == LUA_TNUMBER) {
      mistake(self, "a table has the key %.14g, expected names, or indexes from 1 on", lua_tonumber(L, -2));
    } else {
      mistake(self, "a table has a %s as a key, expected names, or indexes from 1 on", luaL_typename(L, -2));
    }
  }
  if (keys.position_count > 0) qsort(keys.positions, keys.position_count, sizeof(*keys.positions), compare_integers);
  if (keys.option_count > 0) qsort(keys.options, keys.option_count, sizeof(*keys.options), compare_options);
  for (size_t i = 0; i < keys.position_count; i++) {
    if (keys.positions[i] == (lua_Integer)i + 1) continue;
    mistake(self, "a list has a hole at index %zu (nil: a name that is not defined?)", i + 1);
    break;
  }
  return keys;
}

/* Adds the positional values of the table at `index` (absolute) to `list`. Lists among them are flattened, except in
 * data. */
static void convert_positions(builder *self, int index, const table_keys *keys, value_list *list) {
  lua_State *L = self->lua->L;
  for (size_t i = 0; i < keys->position_count && self->values <= VALUE_LIMIT; i++) {
    lua_rawgeti(L, index, keys->positions[i]);
    ee_lua_thaw(L);
    int item = lua_gettop(L);
    const ee_rule_node *known;
    ee_rule_value value;
    if (!self->data && lua_istable(L, item) && is_list(L, item)) {
      if (!count_value(self)) {
        lua_pop(L, 1);
        return;
      }
      if (enter(self, item, &known)) {
        table_keys inner = read_keys(self, item);
        convert_positions(self, item, &inner, list);
        leave(self, item, NULL);
      } else if (known != NULL) {
        /* It was an option's value before and has been converted. */
        for (size_t j = 0; j < known->item_count; j++) *EE_LIST_ADD(list, self->arena) = known->items[j];
        self->values += known->item_count;
      }
    } else if (convert_value(self, item, &value)) {
      *EE_LIST_ADD(list, self->arena) = value;
    }
    lua_pop(L, 1);
  }
}

/* Whether the option `name` of a judge is plain data with arrays in arrays (ee_rule_node_to_value() checks the rest).
 */
static bool is_data(const ee_rule_node *node, ee_str name) {
  const ee_judge_type *type = ee_judge_type_find(node->kind);
  for (const ee_option *row = type != NULL ? type->options : NULL; row != NULL && row->name != NULL; row++)
    if (row->is_data && ee_str_is(name, row->name)) return true;
  return false;
}

/* Converts the value on top of the stack, the option `name` of `node`. Data has a memo of its own, because its lists
 * are not flattened. */
static bool convert_option(builder *self, const ee_rule_node *node, ee_str name, ee_rule_value *out) {
  int index = lua_gettop(self->lua->L), memo = self->memo;
  if (self->data || !is_data(node, name)) return convert_value(self, index, out);
  self->data = true;
  self->data_option = name.data;
  self->memo = DATA_MEMO;
  bool good = convert_value(self, index, out);
  self->data = false;
  self->memo = memo;
  return good;
}

/* Fills items and options of `node` from the table at `index` (absolute). */
static void convert_content(builder *self, int index, ee_rule_node *node) {
  lua_State *L = self->lua->L;
  table_keys keys = read_keys(self, index);
  value_list list = {0};
  convert_positions(self, index, &keys, &list);
  node->items = list.items;
  node->item_count = list.count;
  size_t kept = 0;
  for (size_t i = 0; i < keys.option_count; i++) {
    ee_rule_option option = keys.options[i];
    lua_pushlstring(L, option.name.data, option.name.length);
    lua_rawget(L, index);
    ee_lua_thaw(L);
    if (convert_option(self, node, option.name, &option.value)) keys.options[kept++] = option;
    lua_pop(L, 1);
  }
  node->options = keys.options;
  node->option_count = kept;
}

static const ee_rule_node *convert_table(builder *self, int index) {
  const ee_rule_node *known;
  if (!enter(self, index, &known)) return known;
  ee_rule_node *node = EE_NEW(self->arena, ee_rule_node);
  node->file = copy_file(self, self->file);
  node->line = self->line;
  convert_content(self, index, node);
  leave(self, index, node);
  return node;
}

/* Nodes ---------------------------------------------------------------------------------------- */

/* Patterns are checked here because only lua/ knows their syntax. A single value is the pattern where no path is
 * needed; a path without a pattern is reported elsewhere. */
static void check_pattern(builder *self, const ee_rule_node *node) {
  ee_rule_value pattern = ee_rule_node_get(node, "pattern");
  if (pattern.type == EE_RULE_NONE && node->item_count > 0) pattern = node->items[node->item_count > 1 ? 1 : 0];
  if (pattern.type != EE_RULE_TEXT) return;
  const char *wrong = ee_lua_pattern_check(pattern.text);
  if (wrong != NULL)
    mistake(self, "bad pattern '%.*s': %s", (int)ee_utf8_cut(pattern.text, 100), pattern.text.data, wrong);
}

/* Any value but a table means a list of one. */
static void convert_argument(builder *self, ee_rule_node *node) {
  lua_State *L = self->lua->L;
  ee_lua_thaw(L);
  int argument = lua_gettop(L);
  if (lua_istable(L, argument)) {
    /* The table is entered, too: a list that contains its own node would not end. */
    const ee_rule_node *known;
    if (enter(self, argument, &known)) {
      convert_content(self, argument, node);
      leave(self, argument, NULL);
    } else if (known != NULL) {
      node->items = known->items;
      node->item_count = known->item_count;
      node->options = known->options;
      node->option_count = known->option_count;
    }
    return;
  }
  ee_rule_value value;
  value_list list = {0};
  if (convert_value(self, argument, &value)) *EE_LIST_ADD(&list, self->arena) = value;
  node->items = list.items;
  node->item_count = list.count;
}

static const ee_rule_node *convert_node(builder *self, int index) {
  lua_State *L = self->lua->L;
  const recorded_node *call = lua_touserdata(L, index);
  const ee_rule_node *known;
  const char *outer_file = self->file;
  size_t outer_line = self->line;
  self->file = call->file;
  self->line = call->line;
  if (enter(self, index, &known)) {
    ee_rule_node *node = EE_NEW(self->arena, ee_rule_node);
    node->file = copy_file(self, call->file);
    node->line = call->line;
    lua_getiuservalue(L, index, NODE_KIND);
    node->kind = copy_text(self, -1);
    lua_pop(L, 1);
    lua_getiuservalue(L, index, NODE_ARGUMENT);
    convert_argument(self, node);
    lua_pop(L, 1);
    if (lua_getiuservalue(L, index, NODE_MADE_BY) != LUA_TNIL) node->definition = convert_node(self, lua_gettop(L));
    lua_pop(L, 1);
    if (ee_str_is(node->kind, "pattern") && node->definition == NULL) check_pattern(self, node);
    leave(self, index, node);
    known = node;
  }
  self->file = outer_file;
  self->line = outer_line;
  return known;
}

/* Values --------------------------------------------------------------------------------------- */

/* Registers the function at `index`; returns its number. */
static int add_function(builder *self, int index) {
  ee_lua *lua = self->lua;
  lua_State *L = lua->L;
  if (lua->functions.count == INT_MAX) luaL_error(L, "too many functions");
  lua_pushvalue(L, index);
  ee_lua_function function = {.reference = luaL_ref(L, LUA_REGISTRYINDEX)};
  ee_lua_function_place(L, index, &function.file, &function.line);
  *EE_LIST_ADD(&lua->functions, NULL) = function;
  return (int)lua->functions.count - 1;
}

/* The tree holds numbers as double. In data, an integer that would lose digits is refused. */
static bool convert_number(builder *self, int index, ee_rule_value *out) {
  lua_State *L = self->lua->L;
  out->type = EE_RULE_NUMBER;
  out->is_integer = lua_isinteger(L, index) != 0;
  out->number = lua_tonumber(L, index);
  lua_Integer integer = lua_tointeger(L, index), limit = (lua_Integer)1 << 53;
  if (!self->data || !out->is_integer || (integer <= limit && integer >= -limit)) return true;
  mistake(self, "'%s' holds the whole number %lld, which is too large: write it as a string", self->data_option,
          (long long)integer);
  return false;
}

/* A userdata: a node, ee.null, or a mistake. */
static bool convert_userdata(builder *self, int index, ee_rule_value *out) {
  lua_State *L = self->lua->L;
  if (ee_lua_is_null(L, index)) {
    out->type = EE_RULE_NULL;
    return true;
  }
  const recorded_node *node = luaL_testudata(L, index, NODE);
  if (node == NULL) {
    mistake(self, "a document's value where a rule or plain data is expected");
    return false;
  }
  if (node->class == NODE_DROPPED) return false;
  if (node->class == NODE_UNKNOWN) {
    lua_getiuservalue(L, index, NODE_KIND);
    ee_error_list_addf(self->errors, EE_ERROR_RULES, node->file, node->line, "unknown name 'ee.%s'",
                       lua_tostring(L, -1));
    lua_pop(L, 1);
    return false;
  }
  out->type = EE_RULE_NODE;
  out->node = convert_node(self, index);
  return out->node != NULL;
}

/* Converts the value at `index` (absolute); false when it is left out of the tree, which is reported. */
static bool convert_value(builder *self, int index, ee_rule_value *out) {
  lua_State *L = self->lua->L;
  *out = (ee_rule_value){.function = EE_NO_FUNCTION};
  if (!count_value(self)) return false;
  switch (lua_type(L, index)) {
  case LUA_TBOOLEAN:
    out->type = EE_RULE_BOOL;
    out->boolean = lua_toboolean(L, index) != 0;
    return true;
  case LUA_TNUMBER: return convert_number(self, index, out);
  case LUA_TSTRING:
    out->type = EE_RULE_TEXT;
    out->text = copy_text(self, index);
    if (ee_utf8_valid_prefix(out->text.data, out->text.length) == out->text.length) {
      /* As the documents are: judge/case.c. */
      out->text = ee_nfc(out->text, self->arena);
      return true;
    }
    mistake(self, "a string is not valid UTF-8");
    return false;
  case LUA_TFUNCTION:
    if (is_constructor(L, index)) {
      lua_getupvalue(L, index, 1);
      mistake(self, "'ee.%s' is a constructor and must be called, as in ee.%s { ... }", lua_tostring(L, -1),
              lua_tostring(L, -1));
      lua_pop(L, 1);
      return false;
    }
    out->type = EE_RULE_FUNCTION;
    out->function = add_function(self, index);
    return true;
  case LUA_TTABLE:
    out->type = EE_RULE_TABLE;
    out->node = convert_table(self, index);
    return out->node != NULL;
  case LUA_TUSERDATA: return convert_userdata(self, index, out);
  default: mistake(self, "a %s where data is expected", luaL_typename(L, index)); return false;
  }
}

/* The root ------------------------------------------------------------------------------------- */

typedef struct tree_request {
  ee_arena *arena;
  const char *file;
  ee_error_list *errors;
  const ee_rule_node *root;
} tree_request;

/* Stack: the request, the value that the file returned. */
static int read_tree(lua_State *L) {
  tree_request *request = lua_touserdata(L, 1);
  builder self = {.lua = ee_lua_of(L), .arena = request->arena, .errors = request->errors, .file = request->file};
  lua_newtable(L);
  lua_newtable(L);
  self.memo = MEMO;
  const recorded_node *node = luaL_testudata(L, 2, NODE);
  if (node == NULL) {
    if (lua_isnil(L, 2))
      mistake(&self, "the file returns nothing (did you forget 'return ee.rules { ... }'?)");
    else
      mistake(&self, "the file returns a %s, expected ee.rules { ... }", luaL_typename(L, 2));
    return 0;
  }
  if (node->class == NODE_DROPPED) return 0;
  lua_getiuservalue(L, 2, NODE_KIND);
  const char *kind = lua_tostring(L, -1);
  if (node->class != NODE_PLAIN || strcmp(kind, "rules") != 0) {
    lua_getiuservalue(L, 2, NODE_MADE_BY);
    const char *prefix = lua_isnil(L, -1) ? "ee." : "";
    ee_error_list_addf(self.errors, EE_ERROR_RULES, node->file, node->line,
                       "the file returns %s%s, expected ee.rules { ... }", prefix, kind);
    return 0;
  }
  lua_settop(L, DATA_MEMO);
  request->root = convert_node(&self, 2);
  return 0;
}

const ee_rule_node *ee_lua_read_rules(ee_lua *lua, ee_arena *arena, const char *file, ee_error_list *errors) {
  tree_request request = {.arena = arena, .file = file, .errors = errors};
  for (size_t i = 0; i < lua->mistakes.count; i++) ee_error_list_add(errors, &lua->mistakes.items[i]);
  lua->mistakes.count = 0;
  lua_pushcfunction(lua->L, read_tree);
  lua_insert(lua->L, -2);
  lua_pushlightuserdata(lua->L, &request);
  lua_insert(lua->L, -2);
  ee_error error;
  if (ee_lua_call(lua, 2, 0, &error) != EE_OK) {
    ee_error_list_add(errors, &error);
    return NULL;
  }
  return request.root;
}

typedef struct module_request {
  ee_arena *arena;
  const char *file;
  const size_t *lines;
  ee_error_list *errors;
  value_list values;
} module_request;

/* Adds the node at `index` to the values; a mistake for anything else. */
static void add_node(builder *self, int index, value_list *values) {
  const recorded_node *node = luaL_testudata(self->lua->L, index, NODE);
  ee_rule_value value;
  if (node == NULL)
    mistake(self, "the module returns %s, expected a strategy, a rule or an array of them",
            ee_lua_describe(self->lua, index));
  else if (convert_value(self, index, &value))
    *EE_LIST_ADD(values, self->arena) = value;
}

/* Stack: the request, the array. */
static int read_modules(lua_State *L) {
  module_request *request = lua_touserdata(L, 1);
  builder self = {.lua = ee_lua_of(L), .arena = request->arena, .errors = request->errors, .file = request->file};
  lua_newtable(L);
  lua_newtable(L);
  self.memo = MEMO;
  size_t count = lua_rawlen(L, 2);
  for (size_t i = 0; i < count; i++) {
    self.line = request->lines[i];
    lua_rawgeti(L, 2, (lua_Integer)i + 1);
    int module = lua_gettop(L);
    size_t nodes = lua_istable(L, module) ? lua_rawlen(L, module) : 0;
    if (nodes == 0) add_node(&self, module, &request->values);
    for (size_t k = 0; k < nodes; k++) {
      lua_rawgeti(L, module, (lua_Integer)k + 1);
      add_node(&self, lua_gettop(L), &request->values);
      lua_pop(L, 1);
    }
    lua_pop(L, 1);
  }
  return 0;
}

void ee_lua_read_modules(ee_lua *lua, ee_arena *arena, const char *file, const size_t *lines,
                         const ee_rule_value **values, size_t *count, ee_error_list *errors) {
  module_request request = {.arena = arena, .file = file, .lines = lines, .errors = errors};
  for (size_t i = 0; i < lua->mistakes.count; i++) ee_error_list_add(errors, &lua->mistakes.items[i]);
  lua->mistakes.count = 0;
  lua_pushcfunction(lua->L, read_modules);
  lua_insert(lua->L, -2);
  lua_pushlightuserdata(lua->L, &request);
  lua_insert(lua->L, -2);
  ee_error error;
  if (ee_lua_call(lua, 2, 0, &error) != EE_OK) ee_error_list_add(errors, &error);
  *values = request.values.items;
  *count = request.values.count;
}

void ee_lua_check_rules(lua_State *L, int index, const char *who) {
  const recorded_node *node = luaL_testudata(L, index, NODE);
  if (node == NULL) luaL_error(L, "%s takes ee.rules { ... }, got a %s", who, luaL_typename(L, index));
  // cppcheck-suppress nullPointerRedundantCheck; luaL_error() does not return
  if (node->class == NODE_DROPPED) return; // NOLINT(clang-analyzer-core.NullDereference): for the same reason
  lua_getiuservalue(L, index, NODE_KIND);
  const char *kind = lua_tostring(L, -1);
  bool own = lua_getiuservalue(L, index, NODE_MADE_BY) != LUA_TNIL;
  if (own || node->class != NODE_PLAIN || strcmp(kind, "rules") != 0)
    luaL_error(L, "%s takes ee.rules { ... }, got %s%s", who, own ? "" : "ee.", kind);
}

void ee_lua_push_function(ee_lua *lua, int number) {
  lua_rawgeti(lua->L, LUA_REGISTRYINDEX, lua->functions.items[number].reference);
}
