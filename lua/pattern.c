/* pattern.c: matching Lua's patterns by backtracking, a step at a time.
 *
 * A pattern is a sequence of elements: one byte, a class or a set, each perhaps with a repetition; captures; %b, %f and
 * references to captures. `match_here` walks over the elements and calls itself where it may have to come back: for a
 * repetition and for the rest after a bracket of a capture. The depth of these calls is bounded as Lua bounds it, so
 * that the same patterns are too complex. */
#include "lua/pattern.h"

#include <lauxlib.h>
#include <stdbool.h>
#include <string.h>

#include "base/work.h"

/* Bounds of Lua. */
enum { CAPTURES_MAX = 32, DEPTH_MAX = 200 };

/* Work: units of an element that is tried at a place, and of a byte that a repetition takes. */
enum { STEP_WORK = 8, BYTE_WORK = 2 };
/* So many bytes are charged at a time. */
enum { CHUNK = 4096 };

#define ESCAPE '%'

/* The length of a capture that is not closed yet, and of one that is a position. */
#define OPEN ((ptrdiff_t)-1)
#define POSITION ((ptrdiff_t)-2)

typedef struct capture {
  const char *start;
  ptrdiff_t length; /* or OPEN, or POSITION */
} capture;

/* A subject and a pattern; both end in a NUL that does not belong to them. */
typedef struct matcher {
  lua_State *L;
  const char *subject, *subject_end;
  const char *pattern_end;
  int depth;
  int count;
  capture captures[CAPTURES_MAX];
} matcher;

static const char *match_here(matcher *m, const char *at, const char *pattern);

/* Single bytes ---------------------------------------------------------------------------------- */

// NOLINTNEXTLINE(clang-analyzer-core.NullDereference): texts of Lua end in a NUL
static unsigned char byte_at(const char *at) { return (unsigned char)*at; }

static bool is_between(unsigned char c, char first, char last) { return c >= first && c <= last; }
static bool is_lower(unsigned char c) { return is_between(c, 'a', 'z'); }
static bool is_upper(unsigned char c) { return is_between(c, 'A', 'Z'); }
static bool is_digit(unsigned char c) { return is_between(c, '0', '9'); }
static bool is_alnum(unsigned char c) { return is_lower(c) || is_upper(c) || is_digit(c); }
static bool is_graph(unsigned char c) { return is_between(c, '!', '~'); }

/* Whether `c` is in the class of the letter `name`, as in the "C" locale; an upper-case letter is the complement. Any
 * other character stands for itself. */
static bool is_in_class(unsigned char c, unsigned char name) {
  bool found;
  switch (name | 0x20) {
  case 'a': found = is_lower(c) || is_upper(c); break;
  case 'c': found = c < 0x20 || c == 0x7f; break;
  case 'd': found = is_digit(c); break;
  case 'g': found = is_graph(c); break;
  case 'l': found = is_lower(c); break;
  case 'p': found = is_graph(c) && !is_alnum(c); break;
  case 's': found = c == ' ' || (c >= '\t' && c <= '\r'); break;
  case 'u': found = is_upper(c); break;
  case 'w': found = is_alnum(c); break;
  case 'x': found = is_digit(c) || is_between(c | 0x20, 'a', 'f'); break;
  case 'z': found = c == '\0'; break; /* of Lua 5.1, and still there */
  default: return c == name;
  }
  return is_upper(name) ? !found : found;
}

/* Where the element at `pattern` ends: a byte, a class or a set. */
static const char *element_end(const matcher *m, const char *pattern) {
  char first = *pattern++;
  if (first == ESCAPE) {
    if (pattern == m->pattern_end) luaL_error(m->L, "malformed pattern (ends with '%%')");
    return pattern + 1;
  }
  if (first != '[') return pattern;
  if (*pattern == '^') pattern++;
  /* A bracket right at the start is a member of the set. */
  do {
    if (pattern == m->pattern_end) luaL_error(m->L, "malformed pattern (missing ']')");
    char c = *pattern++;
    if (c == ESCAPE && pattern < m->pattern_end) pattern++;
  } while (*pattern != ']');
  return pattern + 1;
}

/* Whether `c` is in the set from `pattern`, its '[', to `last`, its ']'. */
static bool is_in_set(unsigned char c, const char *pattern, const char *last) {
  pattern++;
  bool wanted = *pattern != '^';
  if (!wanted) pattern++;
  for (; pattern < last; pattern++) {
    if (*pattern == ESCAPE) {
      pattern++;
      if (is_in_class(c, byte_at(pattern))) return wanted;
    } else if (pattern[1] == '-' && pattern + 2 < last) {
      if (byte_at(pattern) <= c && c <= byte_at(pattern + 2)) return wanted;
      pattern += 2;
    } else if (byte_at(pattern) == c) {
      return wanted;
    }
  }
  return !wanted;
}

/* Whether the byte at `at` is one of the element `pattern`..`end`. */
static bool takes(const matcher *m, const char *at, const char *pattern, const char *end) {
  if (at >= m->subject_end) return false;
  unsigned char c = byte_at(at);
  switch (*pattern) {
  case '.': return true;
  case ESCAPE: return is_in_class(c, byte_at(pattern + 1));
  case '[': return is_in_set(c, pattern, end - 1);
  default: return byte_at(pattern) == c;
  }
}

/* Repetitions ----------------------------------------------------------------------------------- */

/* As many as possible, then fewer. */
static const char *match_most(matcher *m, const char *at, const char *pattern, const char *end) {
  ptrdiff_t count = 0;
  while (takes(m, at + count, pattern, end)) {
    if (++count % CHUNK == 0) ee_work(BYTE_WORK * CHUNK);
  }
  ee_work(BYTE_WORK * (uint64_t)(count % CHUNK));
  for (; count >= 0; count--) {
    const char *found = match_here(m, at + count, end + 1);
    if (found != NULL) return found;
  }
  return NULL;
}

/* As few as possible, then more. */
static const char *match_least(matcher *m, const char *at, const char *pattern, const char *end) {
  for (;; at++) {
    const char *found = match_here(m, at, end + 1);
    if (found != NULL) return found;
    if (!takes(m, at, pattern, end)) return NULL;
  }
}

/* Captures -------------------------------------------------------------------------------------- */

static const char *open_capture(matcher *m, const char *at, const char *pattern, ptrdiff_t length) {
  if (m->count >= CAPTURES_MAX) luaL_error(m->L, "too many captures");
  m->captures[m->count++] = (capture){at, length};
  const char *found = match_here(m, at, pattern);
  if (found == NULL) m->count--;
  return found;
}

static const char *close_capture(matcher *m, const char *at, const char *pattern) {
  int number = m->count - 1;
  while (number >= 0 && m->captures[number].length != OPEN) number--;
  if (number < 0) luaL_error(m->L, "invalid pattern capture");
  m->captures[number].length = at - m->captures[number].start;
  const char *found = match_here(m, at, pattern);
  if (found == NULL) m->captures[number].length = OPEN;
  return found;
}

/* What the capture with the digit `name` has matched, once more. */
static const char *match_again(matcher *m, const char *at, unsigned char name) {
  int number = name - '1';
  if (number < 0 || number >= m->count || m->captures[number].length == OPEN)
    luaL_error(m->L, "invalid capture index %%%d", number + 1);
  const capture *again = &m->captures[number];
  if (again->length == POSITION || m->subject_end - at < again->length) return NULL;
  size_t length = (size_t)again->length;
  ee_work(length / 8);
  // NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): a finished capture has a start
  return memcmp(again->start, at, length) == 0 ? at + length : NULL;
}

/* Other elements -------------------------------------------------------------------------------- */

/* %bxy, whose two bytes are at `pair`. */
static const char *match_balance(matcher *m, const char *at, const char *pair) {
  if (pair >= m->pattern_end - 1) luaL_error(m->L, "malformed pattern (missing arguments to '%%b')");
  if (*at != *pair) return NULL;
  char first = pair[0], last = pair[1];
  size_t open = 1;
  for (const char *next = at + 1; next < m->subject_end; next++) {
    if (*next == last) {
      if (--open > 0) continue;
      ee_work(BYTE_WORK * (uint64_t)(next - at));
      return next + 1;
    }
    if (*next == first) open++;
  }
  ee_work(BYTE_WORK * (uint64_t)(m->subject_end - at));
  return NULL;
}

/* %f, whose set is at `set`: whether it begins at `at`. The subject is as if it had a NUL at either end. */
static bool is_frontier(const matcher *m, const char *at, const char *set, const char *end) {
  unsigned char before = at == m->subject ? '\0' : byte_at(at - 1), here = at == m->subject_end ? '\0' : byte_at(at);
  return !is_in_set(before, set, end - 1) && is_in_set(here, set, end - 1);
}

/* One element that is not special, with its repetition. Sets `*at` and `*pattern` to where matching goes on; true when
 * it has been done to the end, and `*at` is the result (NULL: no match). */
static bool match_element(matcher *m, const char **at, const char **pattern) {
  const char *here = *at, *element = *pattern, *end = element_end(m, element);
  bool taken = takes(m, here, element, end);
  char repetition = end < m->pattern_end ? *end : '\0';
  *pattern = end + 1;
  /* Nothing to come back to: as Lua does, without going deeper. */
  if (!taken && (repetition == '?' || repetition == '*' || repetition == '-')) return false;
  switch (repetition) {
  case '?':
    *at = match_here(m, here + 1, end + 1);
    if (*at != NULL) return true;
    *at = here;
    return false;
  case '*': *at = match_most(m, here, element, end); return true;
  case '+': *at = taken ? match_most(m, here + 1, element, end) : NULL; return true;
  case '-': *at = match_least(m, here, element, end); return true;
  default:
    *pattern = end;
    *at = taken ? here + 1 : NULL;
    return !taken;
  }
}

/* The same for %b, %f and %1, where `**pattern` is the '%'; false with `*special` unset for any other. */
static bool match_special(matcher *m, const char **at, const char **pattern, bool *special) {
  const char *element = *pattern;
  unsigned char name = byte_at(element + 1);
  *special = true;
  if (name == 'b') {
    *at = match_balance(m, *at, element + 2);
    *pattern = element + 4;
  } else if (name == 'f') {
    const char *set = element + 2;
    if (*set != '[') luaL_error(m->L, "missing '[' after '%%f' in pattern");
    const char *end = element_end(m, set);
    if (!is_frontier(m, *at, set, end)) *at = NULL;
    *pattern = end;
  } else if (is_digit(name)) {
    *at = match_again(m, *at, name);
    *pattern = element + 2;
  } else {
    *special = false;
  }
  return *at == NULL;
}

/* Matches the rest of the pattern at `at`; where it ends, or NULL. */
static const char *match_here(matcher *m, const char *at, const char *pattern) {
  if (m->depth-- == 0) luaL_error(m->L, "pattern too complex");
  bool done = false;
  while (!done && pattern != m->pattern_end) {
    ee_work(STEP_WORK);
    bool special = false;
    switch (*pattern) {
    case '(':
      at = pattern[1] == ')' ? open_capture(m, at, pattern + 2, POSITION) : open_capture(m, at, pattern + 1, OPEN);
      done = true;
      continue;
    case ')':
      at = close_capture(m, at, pattern + 1);
      done = true;
      continue;
    case '$':
      if (pattern + 1 != m->pattern_end) break;
      if (at != m->subject_end) at = NULL;
      done = true;
      continue;
    case ESCAPE: done = match_special(m, &at, &pattern, &special); break;
    default: break;
    }
    if (!special) done = match_element(m, &at, &pattern);
  }
  m->depth++;
  return at;
}

/* From Lua --------------------------------------------------------------------------------------- */

static void start(matcher *m, lua_State *L, const char *subject, size_t subject_length, const char *pattern,
                  size_t pattern_length) {
  *m = (matcher){
      .L = L, .subject = subject, .subject_end = subject + subject_length, .pattern_end = pattern + pattern_length};
}

/* Matches at one place, from the start of the pattern. */
static const char *match_at(matcher *m, const char *at, const char *pattern) {
  m->depth = DEPTH_MAX;
  m->count = 0;
  return match_here(m, at, pattern);
}

/* The capture with that number, from 0, of the match from `at` to `end`; without captures the first is all of it.
 * Returns its length, or POSITION with the position pushed. */
static ptrdiff_t get_capture(const matcher *m, int number, const char *at, const char *end, const char **text) {
  *text = at;
  if (number >= m->count) {
    if (number != 0) luaL_error(m->L, "invalid capture index %%%d", number + 1);
    return end - at;
  }
  const capture *found = &m->captures[number];
  if (found->length == OPEN) luaL_error(m->L, "unfinished capture");
  *text = found->start;
  if (found->length == POSITION) lua_pushinteger(m->L, (lua_Integer)(found->start - m->subject) + 1);
  return found->length;
}

static void push_capture(const matcher *m, int number, const char *at, const char *end) {
  const char *text;
  ptrdiff_t length = get_capture(m, number, at, end, &text);
  if (length != POSITION) lua_pushlstring(m->L, text, (size_t)length);
}

/* Pushes all captures; without any the match itself, unless `at` is NULL. Returns how many. */
static int push_captures(const matcher *m, const char *at, const char *end) {
  int count = m->count == 0 && at != NULL ? 1 : m->count;
  luaL_checkstack(m->L, count, "too many captures");
  for (int i = 0; i < count; i++) push_capture(m, i, at, end);
  return count;
}

/* The index from 0 of the position `index`, which counts from the end if it is negative. */
static size_t start_index(lua_Integer index, size_t length) {
  if (index > 0) return (size_t)index - 1;
  if (index == 0 || index < -(lua_Integer)length) return 0;
  return length - (size_t)-index;
}

static bool has_specials(const char *pattern, size_t length) {
  for (size_t i = 0; i < length; i++)
    if (pattern[i] != '\0' && strchr("^$*+?.([%-", pattern[i]) != NULL) return true;
  return false;
}

static int find_plain(lua_State *L, const char *subject, size_t length, size_t first, const char *part, size_t size) {
  ee_work((length - first) / 4);
  const char *found = memmem(subject + first, length - first, part, size);
  if (found == NULL) {
    luaL_pushfail(L);
    return 1;
  }
  lua_pushinteger(L, (lua_Integer)(found - subject) + 1);
  lua_pushinteger(L, (lua_Integer)(found - subject) + (lua_Integer)size);
  return 2;
}

static int search(lua_State *L, bool find) {
  size_t length, pattern_length;
  const char *subject = luaL_checklstring(L, 1, &length), *pattern = luaL_checklstring(L, 2, &pattern_length);
  size_t first = start_index(luaL_optinteger(L, 3, 1), length);
  if (first > length) {
    luaL_pushfail(L);
    return 1;
  }
  if (find && (lua_toboolean(L, 4) || !has_specials(pattern, pattern_length)))
    return find_plain(L, subject, length, first, pattern, pattern_length);
  matcher m;
  start(&m, L, subject, length, pattern, pattern_length);
  bool anchored = *pattern == '^';
  const char *at = subject + first;
  do {
    const char *end = match_at(&m, at, pattern + anchored);
    if (end == NULL) continue;
    if (!find) return push_captures(&m, at, end);
    lua_pushinteger(L, (lua_Integer)(at - subject) + 1);
    lua_pushinteger(L, (lua_Integer)(end - subject));
    return push_captures(&m, NULL, NULL) + 2;
  } while (at++ < m.subject_end && !anchored);
  luaL_pushfail(L);
  return 1;
}

int ee_lua_find(lua_State *L) { return search(L, true); }
int ee_lua_match(lua_State *L) { return search(L, false); }

/* Where a search over all matches is. */
typedef struct walk {
  size_t next; /* the first place where a match may begin */
  bool any;
  size_t last; /* with `any`: where the match before ended; the next one does not end there, too */
} walk;

/* Upvalues: the subject, the pattern, the walk. */
static int next_match(lua_State *L) {
  size_t length, pattern_length;
  const char *subject = lua_tolstring(L, lua_upvalueindex(1), &length),
             *pattern = lua_tolstring(L, lua_upvalueindex(2), &pattern_length);
  walk *self = lua_touserdata(L, lua_upvalueindex(3));
  matcher m;
  start(&m, L, subject, length, pattern, pattern_length);
  for (size_t at = self->next; at <= length; at++) {
    const char *end = match_at(&m, subject + at, pattern);
    if (end == NULL || (self->any && end == subject + self->last)) continue;
    *self = (walk){.next = (size_t)(end - subject), .any = true, .last = (size_t)(end - subject)};
    return push_captures(&m, subject + at, end);
  }
  return 0;
}

int ee_lua_gmatch(lua_State *L) {
  size_t length;
  luaL_checklstring(L, 1, &length);
  luaL_checkstring(L, 2);
  size_t first = start_index(luaL_optinteger(L, 3, 1), length);
  lua_settop(L, 2);
  walk *self = lua_newuserdatauv(L, sizeof *self, 0);
  *self = (walk){.next = first > length ? length + 1 : first};
  lua_pushcclosure(L, next_match, 3);
  return 1;
}

/* Adds the replacement string at 3 for the match from `at` to `end`. */
static void add_string(const matcher *m, luaL_Buffer *out, const char *at, const char *end) {
  size_t length;
  const char *text = lua_tolstring(m->L, 3, &length), *text_end = text + length;
  for (const char *escape; (escape = memchr(text, ESCAPE, (size_t)(text_end - text))) != NULL; text = escape + 2) {
    luaL_addlstring(out, text, (size_t)(escape - text));
    char name = escape[1];
    if (name == ESCAPE) {
      luaL_addchar(out, ESCAPE);
    } else if (name == '0') {
      luaL_addlstring(out, at, (size_t)(end - at));
    } else if (is_digit((unsigned char)name)) {
      const char *found;
      ptrdiff_t size = get_capture(m, name - '1', at, end, &found);
      if (size == POSITION)
        luaL_addvalue(out);
      else
        luaL_addlstring(out, found, (size_t)size);
    } else {
      luaL_error(m->L, "invalid use of '%c' in replacement string", ESCAPE);
    }
  }
  luaL_addlstring(out, text, (size_t)(text_end - text));
}

/* Adds what takes the place of the match, by the type of the value at 3; false if that is the match itself. */
static bool add_replacement(const matcher *m, luaL_Buffer *out, const char *at, const char *end, int type) {
  lua_State *L = m->L;
  if (type == LUA_TFUNCTION) {
    lua_pushvalue(L, 3);
    lua_call(L, push_captures(m, at, end), 1);
  } else if (type == LUA_TTABLE) {
    push_capture(m, 0, at, end);
    lua_gettable(L, 3);
  } else {
    add_string(m, out, at, end);
    return true;
  }
  if (!lua_toboolean(L, -1)) {
    lua_pop(L, 1);
    luaL_addlstring(out, at, (size_t)(end - at));
    return false;
  }
  if (!lua_isstring(L, -1)) luaL_error(L, "invalid replacement value (a %s)", luaL_typename(L, -1));
  luaL_addvalue(out);
  return true;
}

int ee_lua_gsub(lua_State *L) {
  size_t length, pattern_length;
  const char *subject = luaL_checklstring(L, 1, &length), *pattern = luaL_checklstring(L, 2, &pattern_length);
  int type = lua_type(L, 3);
  lua_Integer max = luaL_optinteger(L, 4, (lua_Integer)length + 1), count = 0;
  luaL_argexpected(L, type == LUA_TNUMBER || type == LUA_TSTRING || type == LUA_TFUNCTION || type == LUA_TTABLE, 3,
                   "string/function/table");
  bool anchored = *pattern == '^', changed = false;
  matcher m;
  start(&m, L, subject, length, pattern, pattern_length);
  luaL_Buffer out;
  luaL_buffinit(L, &out);
  const char *at = subject, *last = NULL;
  while (count < max) {
    const char *end = match_at(&m, at, pattern + anchored);
    if (end != NULL && end != last) {
      count++;
      changed |= add_replacement(&m, &out, at, end, type);
      at = last = end;
    } else if (at < m.subject_end) {
      luaL_addchar(&out, *at++); // NOLINT(clang-analyzer-core.NullDereference): luaL_prepbuffsize() is never NULL
    } else {
      break;
    }
    if (anchored) break;
  }
  if (changed) {
    luaL_addlstring(&out, at, (size_t)(m.subject_end - at));
    luaL_pushresult(&out);
  } else {
    lua_pushvalue(L, 1);
  }
  lua_pushinteger(L, count);
  return 2;
}
