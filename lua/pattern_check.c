/* pattern_check.c: the syntax of Lua 5.4 patterns (reference manual, 6.4.1). */
#include "lua/pattern_check.h"

#include <stdbool.h>

enum { CAPTURE_LIMIT = 32 };

/* Captures by number; `open` ones are not closed yet. */
typedef struct captures {
  bool open[CAPTURE_LIMIT];
  int count;
} captures;

/* The place behind the set that begins at `at` ('['), or 0 when its end is missing. */
static size_t skip_set(ee_str pattern, size_t at) {
  at++;
  if (at < pattern.length && pattern.data[at] == '^') at++;
  bool first = true; /* a ']' in the first place is itself */
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

/* What follows a '%' at `*at`; moves `*at` behind it. */
static const char *check_escape(ee_str pattern, size_t *at, const captures *seen) {
  if (*at + 1 >= pattern.length) return "it ends with '%'";
  char c = pattern.data[*at + 1];
  *at += 2;
  if (c == 'b') {
    if (*at + 1 >= pattern.length) return "missing arguments to '%b'";
    *at += 2;
  } else if (c == 'f') {
    if (*at >= pattern.length || pattern.data[*at] != '[') return "missing '[' behind '%f'";
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
