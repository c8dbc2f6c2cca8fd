/* scratch.c: a userdata with an arena, a buffer and the paths that were parsed. */
#include "lua/scratch.h"

#include <lauxlib.h>

#define KEPT_BYTES ((size_t)1 << 20)
#define PATH_LIMIT 1000

typedef struct scratch {
  ee_arena arena;
  ee_arena paths;
  ee_buffer buffer;
  size_t path_count;
} scratch;

/* Registry keys: the addresses of these. */
static const char scratch_key = 0, paths_key = 0;

static int collect(lua_State *L) {
  scratch *self = lua_touserdata(L, 1);
  ee_arena_fini(&self->arena);
  ee_arena_fini(&self->paths);
  ee_buffer_fini(&self->buffer);
  return 0;
}

void ee_lua_scratch_open(lua_State *L) {
  scratch *self = lua_newuserdatauv(L, sizeof *self, 0);
  ee_arena_init(&self->arena, 0);
  ee_arena_init(&self->paths, 4096);
  ee_buffer_init(&self->buffer);
  self->path_count = 0;
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, collect);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &scratch_key);
  lua_newtable(L);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &paths_key);
}

static scratch *scratch_of(lua_State *L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &scratch_key);
  scratch *self = lua_touserdata(L, -1);
  lua_pop(L, 1);
  return self;
}

ee_arena *ee_lua_scratch_arena(lua_State *L) {
  scratch *self = scratch_of(L);
  ee_arena_reset(&self->arena, KEPT_BYTES);
  return &self->arena;
}

ee_buffer *ee_lua_scratch_buffer(lua_State *L) {
  scratch *self = scratch_of(L);
  if (self->buffer.capacity > KEPT_BYTES) ee_buffer_fini(&self->buffer);
  ee_buffer_clear(&self->buffer);
  return &self->buffer;
}

/* Forgets all paths where there are too many: a rule makes them on the fly, without end. Replaces the table on top of
 * the stack. */
static void trim_paths(lua_State *L, scratch *self) {
  if (self->path_count < PATH_LIMIT && ee_arena_held(&self->paths) <= KEPT_BYTES) return;
  /* The new table first: without memory for it, the old one must stay true. */
  lua_newtable(L);
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &paths_key);
  lua_replace(L, -2);
  ee_arena_reset(&self->paths, KEPT_BYTES);
  self->path_count = 0;
}

const ee_path *ee_lua_scratch_path(lua_State *L, ee_str text, ee_error *error) {
  int top = lua_gettop(L);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &paths_key);
  lua_pushlstring(L, text.data, text.length);
  lua_rawget(L, -2);
  const ee_path *path = lua_touserdata(L, -1);
  lua_pop(L, 1);
  if (path == NULL) {
    scratch *self = scratch_of(L);
    trim_paths(L, self);
    ee_arena_mark mark = ee_arena_get_mark(&self->paths);
    path = ee_path_parse(&self->paths, text, error);
    if (path == NULL) {
      ee_arena_rewind(&self->paths, mark);
    } else {
      self->path_count++;
      lua_pushlstring(L, text.data, text.length);
      lua_pushlightuserdata(L, (void *)(uintptr_t)path);
      lua_rawset(L, -3);
    }
  }
  lua_settop(L, top);
  return path;
}
