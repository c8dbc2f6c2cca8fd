/* read_rules.c: from the tables and nodes of a rule file to the neutral tree of judge/rule_node.h. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "judge/script.h"
#include "lua/dsl.h"
#include "lua/node.h"
#include "lua/pattern_check.h"
#include "lua/sandbox.h"
#include "lua/values.h"

/* Bounds on what one rule file may describe: nesting, and values in all (shared lists count each time). */
enum { DEPTH_LIMIT = 100, VALUE_LIMIT = 1000000 };

/* Where the tables of what has been converted stand on the stack. */
enum { MEMO = 3, DATA_MEMO = 4 };

typedef struct builder {
  ee_lua *lua;
  ee_arena *arena;
  ee_error_list *errors;
  int memo;  /* stack index of a table: node or table -> its spec (light userdata), or false while it is under way */
  bool data; /* inside an option that holds plain data: lists stay lists */
  const char *data_option; /* its name */
  const char *file;        /* of the innermost node: where mistakes inside it are reported */
  size_t line;
  const char *last_file, *last_copy; /* files are few: the last one copied to the arena */
  int depth;
  size_t values;
} builder;

/* A growing list of positional values. */
typedef struct value_list {
  ee_rule_value *items;
  size_t count, capacity;
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

static void add_value(builder *self, value_list *list, ee_rule_value value) {
  if (list->count == list->capacity) {
    size_t capacity = list->capacity == 0 ? 8 : 2 * list->capacity;
    ee_rule_value *items = EE_NEW_ARRAY(self->arena, ee_rule_value, capacity);
    if (list->count > 0) memcpy(items, list->items, list->count * sizeof(*items));
    list->items = items;
    list->capacity = capacity;
  }
  list->items[list->count++] = value;
}

/* Counts a value; false beyond the limit, which is reported once. */
static bool count_value(builder *self) {
  if (self->values++ < VALUE_LIMIT) return true;
  if (self->values == VALUE_LIMIT + 1) mistake(self, "the rule file describes more than %d values", (int)VALUE_LIMIT);
  return false;
}

/* Shared tables and cycles --------------------------------------------------------------------- */

/* Begins the node or table at `index` (absolute). False when there is nothing to do: `*known` is its spec from before,
 * or NULL when it contains itself or is nested too deeply (which is reported). */
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

/* Ends it; `spec` NULL forgets it (a list that was flattened may stand in several places). */
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

/* What the keys of a table are. Arrays in the arena. */
typedef struct table_keys {
  lua_Integer *positions; /* sorted */
  size_t position_count;
  ee_rule_option *options; /* names only, sorted */
  size_t option_count;
} table_keys;

/* Sorts out the keys of the table at `index`; holes and keys of other types are reported. */
static table_keys read_keys(builder *self, int index) {
  lua_State *L = self->lua->L;
  size_t count = 0;
  for (lua_pushnil(L); lua_next(L, index) != 0; lua_pop(L, 1)) count++;
  table_keys keys = {.positions = EE_NEW_ARRAY(self->arena, lua_Integer, count),
                     .options = EE_NEW_ARRAY(self->arena, ee_rule_option, count)};
  for (lua_pushnil(L); lua_next(L, index) != 0; lua_pop(L, 1)) {
    if (lua_type(L, -2) == LUA_TSTRING) {
      keys.options[keys.option_count++].name = copy_text(self, -2);
    } else if (lua_isinteger(L, -2) && lua_tointeger(L, -2) >= 1) {
      keys.positions[keys.position_count++] = lua_tointeger(L, -2);
    } else if (lua_type(L, -2) == LUA_TNUMBER) {
      mistake(self, "a table has the key %.14g, expected names, or places from 1 on", lua_tonumber(L, -2));
    } else {
      mistake(self, "a table has a %s as a key, expected names, or places from 1 on", luaL_typename(L, -2));
    }
  }
  if (keys.position_count > 0) qsort(keys.positions, keys.position_count, sizeof(*keys.positions), compare_integers);
  if (keys.option_count > 0) qsort(keys.options, keys.option_count, sizeof(*keys.options), compare_options);
  for (size_t i = 0; i < keys.position_count; i++) {
    if (keys.positions[i] == (lua_Integer)i + 1) continue;
    mistake(self, "a list has a hole at place %zu (nil: a name that is not defined?)", i + 1);
    break;
  }
  return keys;
}

/* Adds the positional values of the table at `index` (absolute) to `list`; lists among them are flattened, except in
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
        /* It stood as an option's value before, so it is a table by now. */
        for (size_t j = 0; j < known->item_count; j++) add_value(self, list, known->items[j]);
        self->values += known->item_count;
      }
    } else if (convert_value(self, item, &value)) {
      add_value(self, list, value);
    }
    lua_pop(L, 1);
  }
}

/* Whether the option `name` of `spec` holds data as it stands, with lists in lists (judge/spec_value.h checks the
 * rest). */
static bool is_data(const ee_rule_node *node, ee_str name) {
  if (ee_str_is(name, "schema")) return ee_str_is(node->kind, "schema");
  return ee_str_is(name, "config") && (ee_str_is(node->kind, "exec") || ee_str_is(node->kind, "code_judge"));
}

/* Converts the value on top of the stack, the option `name` of `spec`. What stands elsewhere too is converted once more
 * where it is data, because lists come out otherwise. */
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

/* Fills items and options of `spec` from the table at `index` (absolute). */
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

/* Patterns are checked here because only lua/ knows Lua's. One value alone is a pattern where no path is needed, and a
 * path without a pattern is reported anyway. */
static void check_pattern(builder *self, const ee_rule_node *node) {
  ee_rule_value pattern = ee_rule_node_get(node, "pattern");
  if (pattern.type == EE_RULE_NONE && node->item_count > 0) pattern = node->items[node->item_count > 1 ? 1 : 0];
  if (pattern.type != EE_RULE_TEXT) return;
  const char *wrong = ee_lua_pattern_check(pattern.text);
  if (wrong != NULL)
    mistake(self, "bad pattern '%.*s': %s", (int)ee_utf8_cut(pattern.text, 100), pattern.text.data, wrong);
}

/* Any value but a table stands for a list of one. */
static void convert_argument(builder *self, ee_rule_node *node) {
  lua_State *L = self->lua->L;
  ee_lua_thaw(L);
  int argument = lua_gettop(L);
  if (lua_istable(L, argument)) {
    /* The table is entered too: a list of rules that holds its own node would go on for ever. */
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
  if (convert_value(self, argument, &value)) add_value(self, &list, value);
  node->items = list.items;
  node->item_count = list.count;
}

static const ee_rule_node *convert_node(builder *self, int index) {
  lua_State *L = self->lua->L;
  const ee_lua_node *call = lua_touserdata(L, index);
  const ee_rule_node *known;
  const char *outer_file = self->file;
  size_t outer_line = self->line;
  self->file = call->file;
  self->line = call->line;
  if (enter(self, index, &known)) {
    ee_rule_node *node = EE_NEW(self->arena, ee_rule_node);
    node->file = copy_file(self, call->file);
    node->line = call->line;
    lua_getiuservalue(L, index, EE_LUA_NODE_KIND);
    node->kind = copy_text(self, -1);
    lua_pop(L, 1);
    lua_getiuservalue(L, index, EE_LUA_NODE_ARGUMENT);
    convert_argument(self, node);
    lua_pop(L, 1);
    if (lua_getiuservalue(L, index, EE_LUA_NODE_MADE_BY) != LUA_TNIL)
      node->definition = convert_node(self, lua_gettop(L));
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

/* Gives the function at `index` a number. */
static int add_function(builder *self, int index) {
  ee_lua *lua = self->lua;
  lua_State *L = lua->L;
  if (lua->function_count == INT_MAX) luaL_error(L, "too many functions");
  lua_pushvalue(L, index);
  ee_lua_function function = {.reference = luaL_ref(L, LUA_REGISTRYINDEX)};
  ee_lua_function_place(L, index, &function.file, &function.line);
  if ((lua->function_count & (lua->function_count - 1)) == 0) {
    size_t capacity = lua->function_count == 0 ? 1 : 2 * lua->function_count;
    lua->functions = ee_realloc(lua->functions, capacity, sizeof(*lua->functions));
  }
  lua->functions[lua->function_count] = function;
  return (int)lua->function_count++;
}

/* A number, which a tree holds as a double: one that would lose digits on its way to another program is refused. */
static bool convert_number(builder *self, int index, ee_rule_value *out) {
  lua_State *L = self->lua->L;
  out->type = EE_RULE_NUMBER;
  out->is_integer = lua_isinteger(L, index) != 0;
  out->number = lua_tonumber(L, index);
  lua_Integer integer = lua_tointeger(L, index), limit = (lua_Integer)1 << 53;
  if (!self->data || !out->is_integer || (integer <= limit && integer >= -limit)) return true;
  mistake(self, "'%s' holds the whole number %lld, which is too large: write it as a text", self->data_option,
          (long long)integer);
  return false;
}

/* A userdata: a node, ee.null, or something that does not belong here. */
static bool convert_userdata(builder *self, int index, ee_rule_value *out) {
  lua_State *L = self->lua->L;
  if (ee_lua_is_null(L, index)) {
    out->type = EE_RULE_NULL;
    return true;
  }
  const ee_lua_node *node = luaL_testudata(L, index, EE_LUA_NODE);
  if (node == NULL) {
    mistake(self, "a document's value stands where a rule or plain data belongs");
    return false;
  }
  if (node->class == EE_LUA_NODE_DROPPED) return false;
  if (node->class == EE_LUA_NODE_UNKNOWN) {
    lua_getiuservalue(L, index, EE_LUA_NODE_KIND);
    ee_error_list_addf(self->errors, EE_ERROR_RULES, node->file, node->line, "unknown name 'ee.%s'",
                       lua_tostring(L, -1));
    lua_pop(L, 1);
    return false;
  }
  out->type = EE_RULE_NODE;
  out->node = convert_node(self, index);
  return out->node != NULL;
}

/* Converts the value at `index` (absolute); false when it is left out of the tree (which is reported). */
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
    if (ee_utf8_valid_prefix(out->text.data, out->text.length) == out->text.length) return true;
    mistake(self, "a text is no valid UTF-8");
    return false;
  case LUA_TFUNCTION:
    if (ee_lua_is_constructor(L, index)) {
      lua_getupvalue(L, index, 1);
      mistake(self, "'ee.%s' stands alone: a constructor must be called, as in ee.%s { ... }", lua_tostring(L, -1),
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
  default: mistake(self, "a %s stands where data belongs", luaL_typename(L, index)); return false;
  }
}

/* The root ------------------------------------------------------------------------------------- */

typedef struct spec_request {
  ee_arena *arena;
  const char *file;
  ee_error_list *errors;
  const ee_rule_node *root;
} spec_request;

/* Upvalue-free trampoline. Stack: the request, the value that the file returned. */
static int to_spec(lua_State *L) {
  spec_request *request = lua_touserdata(L, 1);
  builder self = {.lua = ee_lua_of(L), .arena = request->arena, .errors = request->errors, .file = request->file};
  lua_newtable(L);
  lua_newtable(L);
  self.memo = MEMO;
  const ee_lua_node *node = luaL_testudata(L, 2, EE_LUA_NODE);
  if (node == NULL) {
    if (lua_isnil(L, 2))
      mistake(&self, "the file returns nothing (did you forget 'return ee.rules { ... }'?)");
    else
      mistake(&self, "the file returns a %s, expected ee.rules { ... }", luaL_typename(L, 2));
    return 0;
  }
  if (node->class == EE_LUA_NODE_DROPPED) return 0;
  lua_getiuservalue(L, 2, EE_LUA_NODE_KIND);
  const char *kind = lua_tostring(L, -1);
  if (node->class != EE_LUA_NODE_PLAIN || strcmp(kind, "rules") != 0) {
    lua_getiuservalue(L, 2, EE_LUA_NODE_MADE_BY);
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
  spec_request request = {.arena = arena, .file = file, .errors = errors};
  for (size_t i = 0; i < lua->mistakes.count; i++) ee_error_list_add(errors, &lua->mistakes.items[i]);
  lua->mistakes.count = 0;
  lua_pushcfunction(lua->L, to_spec);
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

void ee_lua_push_function(ee_lua *lua, int number) {
  lua_rawgeti(lua->L, LUA_REGISTRYINDEX, lua->functions[number].reference);
}
