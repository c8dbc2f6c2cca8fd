/* raw_state.h: a Lua state that has everything: all of Lua's libraries, and a function for any system call. What an
 * attacker would have who has left the sandbox. Only tests have it. */
#ifndef EE_TESTS_RAW_STATE_H
#define EE_TESTS_RAW_STATE_H

#include <errno.h>
#include <lauxlib.h>
#include <lualib.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The number of a system call by its name or number; -1 where this processor or this kernel's headers lack it. */
static int raw_number(lua_State *L, int index) {
  if (lua_isinteger(L, index)) return (int)lua_tointeger(L, index);
  int number = seccomp_syscall_resolve_name(luaL_checkstring(L, index));
  return number < 0 ? -1 : number;
}

/* syscall(NAME, ...): integers and addresses of strings. Returns the result, and "EPERM" or the like where it is -1;
 * nothing where there is no such call. */
static int raw_syscall(lua_State *L) {
  long arguments[6] = {0};
  int number = raw_number(L, 1);
  if (number == -1) return 0;
  for (int i = 0; i < 6; i++) {
    int index = i + 2;
    if (lua_type(L, index) == LUA_TSTRING)
      arguments[i] = (long)(uintptr_t)lua_tostring(L, index);
    else if (lua_type(L, index) == LUA_TUSERDATA)
      arguments[i] = (long)(uintptr_t)lua_touserdata(L, index);
    else if (lua_isinteger(L, index))
      arguments[i] = (long)lua_tointeger(L, index);
  }
  long result = syscall(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
  const char *name = result == -1 ? strerrorname_np(errno) : NULL;
  lua_pushinteger(L, (lua_Integer)result);
  lua_pushstring(L, name);
  return 2;
}

/* buffer(SIZE): zeroed memory for calls that fill or read a structure. */
static int raw_buffer(lua_State *L) {
  size_t size = (size_t)luaL_checkinteger(L, 1);
  memset(lua_newuserdatauv(L, size, 0), 0, size);
  return 1;
}

/* pointers(STRING, ...): an array of addresses, for execve(); the strings must stay alive. */
static int raw_pointers(lua_State *L) {
  int count = lua_gettop(L);
  const char **list = lua_newuserdatauv(L, ((size_t)count + 1) * sizeof *list, count);
  for (int i = 0; i < count; i++) list[i] = lua_tostring(L, i + 1);
  list[count] = NULL;
  return 1;
}

/* call32(NUMBER, A, B, C): a system call of 32-bit programs; nothing on other processors. */
static int raw_call32(lua_State *L) {
#ifdef __x86_64__
  int result;
  __asm__ volatile("int $0x80"
                   : "=a"(result)
                   : "a"((int)luaL_checkinteger(L, 1)), "b"((int)luaL_optinteger(L, 2, 0)),
                     "c"((int)luaL_optinteger(L, 3, 0)), "d"((int)luaL_optinteger(L, 4, 0))
                   : "memory");
  lua_pushinteger(L, result < 0 ? -1 : result);
  lua_pushstring(L, result < 0 ? strerrorname_np(-result) : NULL);
  return 2;
#else
  (void)L;
  return 0;
#endif
}

static lua_State *raw_state_new(void) {
  lua_State *L = luaL_newstate();
  luaL_openlibs(L);
  lua_register(L, "syscall", raw_syscall);
  lua_register(L, "buffer", raw_buffer);
  lua_register(L, "pointers", raw_pointers);
  lua_register(L, "call32", raw_call32);
  return L;
}

#endif
