/* array_seeker.c: a walk over brackets and keys that keeps the keys of the outer levels. */
#include "data/files/array_seeker.h"

#include <string.h>

#include "data/json/json_scan.h"

/* The levels are objects at the keys `keys`: whether these are the path. */
static bool is_path(const ee_array_seeker *s, const char *path, size_t levels) {
  for (size_t i = 0; i < levels; i++) {
    size_t length = strlen(s->keys[i]);
    if (strncmp(path, s->keys[i], length) != 0 || memchr(path, '.', length) != NULL) return false;
    path += length;
    if (i + 1 < levels ? *path != '.' : *path != '\0') return false;
    path += i + 1 < levels;
  }
  return true;
}

/* Whether the array that opens now, at the last key, is one that is looked for. */
static bool is_wanted(const ee_array_seeker *s) {
  if (s->depth > EE_SEEKER_DEPTH || s->matched != s->depth) return false;
  for (const char *const *path = s->paths; *path != NULL; path++)
    if (is_path(s, *path, s->depth)) return true;
  return false;
}

static void end_string(ee_array_seeker *s) {
  s->in_string = false;
  if (!s->is_key || s->depth > EE_SEEKER_DEPTH || s->matched < s->depth - 1) return;
  bool fits = s->key_length <= EE_SEEKER_KEY;
  s->matched = fits ? s->depth : s->depth - 1;
  if (!fits) return;
  memcpy(s->keys[s->depth - 1], s->key, s->key_length);
  s->keys[s->depth - 1][s->key_length] = '\0';
}

static void add_to_key(ee_array_seeker *s, char c) {
  if (s->key_length < EE_SEEKER_KEY)
    s->key[s->key_length++] = c;
  else
    s->key_length = EE_SEEKER_KEY + 1;
}

static void pass(ee_array_seeker *s, char c) {
  s->byte += 1;
  if (c != '\n') return;
  s->line += 1;
  s->line_byte = s->byte;
}

/* Most of the text before the records is in strings. */
static void pass_string(ee_array_seeker *s, char c) {
  if (s->escaped) {
    s->escaped = false;
    add_to_key(s, c);
  } else if (c == '"') {
    end_string(s);
  } else {
    s->escaped = c == '\\';
    add_to_key(s, c);
  }
}

static void go_deeper(ee_array_seeker *s, bool is_array) {
  if (s->depth < 64) {
    uint64_t bit = UINT64_C(1) << s->depth;
    s->arrays = is_array ? s->arrays | bit : s->arrays & ~bit;
  }
  s->depth += 1;
  s->is_key = !is_array;
}

/* A bracket is open. */
static bool is_in_object(const ee_array_seeker *s) { return s->depth <= 64 && (s->arrays >> (s->depth - 1) & 1) == 0; }

ee_seek ee_array_seeker_run(ee_array_seeker *s, ee_str text, size_t *at) {
  while (*at < text.length) {
    char c = text.data[*at];
    if (s->in_string) {
      pass_string(s, c);
    } else if (!s->begun) {
      bool mark = s->byte < 3 && (unsigned char)c == (unsigned char)"\xef\xbb\xbf"[s->byte];
      if (c == '{') {
        s->begun = true;
        go_deeper(s, false);
      } else if (!ee_json_is_space(c) && !mark) {
        return EE_SEEK_ABSENT;
      }
    } else if (c == '"') {
      s->in_string = true;
      s->key_length = 0;
    } else if (c == '[' && is_wanted(s)) {
      pass(s, c);
      *at += 1;
      return EE_SEEK_FOUND;
    } else if (c == '{' || c == '[') {
      go_deeper(s, c == '[');
    } else if (c == '}' || c == ']') {
      s->depth -= 1;
      s->is_key = false;
      if (s->matched > s->depth) s->matched = s->depth;
      if (s->depth == 0) return EE_SEEK_ABSENT;
    } else if (c == ',') {
      s->is_key = is_in_object(s);
    } else if (c == ':') {
      s->is_key = false;
    }
    pass(s, c);
    *at += 1;
  }
  return EE_SEEK_MORE;
}
