/* schema_uri.c: see schema_uri.h. */
#include "data/schema/schema_uri.h"

/* The parts of a reference; data NULL: it has no such part. */
typedef struct uri_parts {
  ee_str scheme, authority, path, query, fragment;
} uri_parts;

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* The bytes of the scheme, without its colon; 0: none. */
static size_t scheme_length(ee_str uri) {
  if (uri.length == 0 || !is_letter(uri.data[0])) return 0;
  for (size_t i = 1; i < uri.length; i++) {
    char c = uri.data[i];
    if (c == ':') return i;
    if (!is_letter(c) && !is_digit(c) && c != '+' && c != '-' && c != '.') return 0;
  }
  return 0;
}

bool ee_uri_is_absolute(ee_str uri) { return scheme_length(uri) > 0; }

ee_str ee_uri_split(ee_str uri, ee_str *fragment) {
  const char *hash = uri.length > 0 ? memchr(uri.data, '#', uri.length) : NULL;
  *fragment = (ee_str){NULL, 0};
  if (hash == NULL) return uri;
  *fragment = (ee_str){hash + 1, (size_t)(uri.data + uri.length - hash - 1)};
  return (ee_str){uri.data, (size_t)(hash - uri.data)};
}

/* The bytes before the first of `ends`. */
static size_t length_before(ee_str text, const char *ends) {
  size_t length = 0;
  while (length < text.length && memchr(ends, text.data[length], strlen(ends)) == NULL) length++;
  return length;
}

static ee_str drop(ee_str text, size_t length) {
  return length == 0 ? text : (ee_str){text.data + length, text.length - length};
}

static uri_parts take_apart(ee_str uri) {
  uri_parts parts = {0};
  ee_str rest = ee_uri_split(uri, &parts.fragment);
  size_t length = scheme_length(rest);
  if (length > 0) {
    parts.scheme = (ee_str){rest.data, length};
    rest = drop(rest, length + 1);
  }
  if (rest.length >= 2 && rest.data[0] == '/' && rest.data[1] == '/') {
    rest = drop(rest, 2);
    parts.authority = (ee_str){rest.data, length_before(rest, "/?")};
    rest = drop(rest, parts.authority.length);
  }
  parts.path = (ee_str){rest.data, length_before(rest, "?")};
  rest = drop(rest, parts.path.length);
  if (rest.length > 0) parts.query = drop(rest, 1);
  return parts;
}

typedef struct writing {
  char *data;
  size_t length;
} writing;

static void put(writing *out, ee_str text) {
  // NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): a text of some length has bytes
  if (text.length > 0) memcpy(out->data + out->length, text.data, text.length);
  out->length += text.length;
}

static void put_lower(writing *out, ee_str text) {
  for (size_t i = 0; i < text.length; i++) {
    char c = text.data[i];
    out->data[out->length++] = (char)(c >= 'A' && c <= 'Z' ? c + 32 : c);
  }
}

/* RFC 3986, section 5.2.4: appends `path` without "." and ".." segments; a relative path stays relative. */
static void put_path(writing *out, ee_str path) {
  size_t start = out->length;
  bool is_relative = path.length > 0 && path.data[0] != '/';
  while (path.length > 0) {
    size_t length = length_before(drop(path, path.data[0] == '/'), "/") + (path.data[0] == '/');
    ee_str segment = {path.data, length}, name = drop(segment, segment.data[0] == '/');
    bool is_last = length == path.length, rooted = segment.data[0] == '/';
    path = drop(path, length);
    if (ee_str_is(name, ".") || ee_str_is(name, "..")) {
      if (name.length == 2) {
        while (out->length > start && out->data[out->length - 1] != '/') out->length--;
        if (out->length > start) out->length--;
      }
      if (is_last && rooted && !(is_relative && out->length == start)) out->data[out->length++] = '/';
      continue;
    }
    put(out, is_relative && out->length == start ? name : segment);
  }
}

ee_str ee_uri_resolve(ee_arena *arena, ee_str base, ee_str reference) {
  uri_parts from = take_apart(base), to = take_apart(reference);
  writing merged = {ee_arena_alloc(arena, base.length + reference.length + 2), 0};
  if (to.scheme.data == NULL) {
    to.scheme = from.scheme;
    if (to.authority.data == NULL) {
      to.authority = from.authority;
      if (to.path.length == 0) {
        to.path = from.path;
        if (to.query.data == NULL) to.query = from.query;
      } else if (to.path.data[0] != '/') { // NOLINT(clang-analyzer-core.NullDereference): it has a length
        size_t folder = from.path.length;
        while (folder > 0 && from.path.data[folder - 1] != '/') folder--;
        if (from.authority.data != NULL && from.path.length == 0) put(&merged, EE_STR("/"));
        put(&merged, (ee_str){from.path.data, folder});
        put(&merged, to.path);
        to.path = (ee_str){merged.data, merged.length};
      }
    }
  }
  writing out = {ee_arena_alloc(arena, base.length + reference.length + 8), 0};
  if (to.scheme.data != NULL) {
    put_lower(&out, to.scheme);
    put(&out, EE_STR(":"));
  }
  if (to.authority.data != NULL) {
    put(&out, EE_STR("//"));
    put_lower(&out, to.authority);
  }
  put_path(&out, to.path);
  if (to.query.data != NULL) {
    put(&out, EE_STR("?"));
    put(&out, to.query);
  }
  if (to.fragment.data != NULL) {
    put(&out, EE_STR("#"));
    put(&out, to.fragment);
  }
  out.data[out.length] = '\0';
  return (ee_str){out.data, out.length};
}

ee_str ee_uri_folder(ee_str uri) {
  ee_str path = take_apart(uri).path;
  while (path.length > 0 && path.data[path.length - 1] != '/') path.length--;
  if (path.length == 0) return (ee_str){"", 0};
  return (ee_str){uri.data, (size_t)(path.data + path.length - uri.data)};
}

ee_str ee_uri_decode(ee_arena *arena, ee_str text) {
  char *out = ee_arena_alloc(arena, text.length + 1);
  size_t length = 0;
  for (size_t i = 0; i < text.length; i++) {
    char c = text.data[i];
    if (c == '%') {
      if (i + 2 >= text.length) return (ee_str){NULL, 0};
      int high = ee_hex_digit(text.data[i + 1]), low = ee_hex_digit(text.data[i + 2]);
      if (high < 0 || low < 0) return (ee_str){NULL, 0};
      c = (char)(high * 16 + low);
      i += 2;
    }
    out[length++] = c;
  }
  out[length] = '\0';
  if (ee_utf8_valid_prefix(out, length) != length) return (ee_str){NULL, 0};
  return (ee_str){out, length};
}

ee_str ee_uri_of_file(ee_arena *arena, const char *path) {
  static const char hex[] = "0123456789ABCDEF";
  size_t length = strlen(path);
  writing out = {ee_arena_alloc(arena, 3 * length + 8), 0};
  put(&out, EE_STR("file://"));
  for (size_t i = 0; i < length; i++) {
    unsigned char c = (unsigned char)path[i];
    if (is_letter((char)c) || is_digit((char)c) || strchr("/-._~!$&'()*+,;=:@", (char)c) != NULL)
      out.data[out.length++] = (char)c;
    else
      put(&out, (ee_str){(char[]){'%', hex[c >> 4], hex[c & 15]}, 3});
  }
  out.data[out.length] = '\0';
  return (ee_str){out.data, out.length};
}

const char *ee_uri_file(ee_arena *arena, ee_str uri) {
  uri_parts parts = take_apart(uri);
  if (!ee_str_is(parts.scheme, "file") || parts.authority.length > 0 || parts.query.data != NULL) return NULL;
  ee_str path = ee_uri_decode(arena, parts.path);
  if (path.data == NULL || path.length == 0 || path.data[0] != '/' || strlen(path.data) != path.length) return NULL;
  return path.data;
}
