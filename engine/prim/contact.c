/* contact.c: normal forms of URLs, e-mail addresses and telephone numbers. */
#include "prim/contact.h"

#include "prim/normalize.h"

static bool is_alpha(char c) { return (unsigned char)((c | 0x20) - 'a') < 26; }
static char lower(char c) { return is_alpha(c) ? (char)(c | 0x20) : c; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool has_space(ee_str text) {
  for (size_t at = 0; at < text.length;) {
    uint32_t code_point = (unsigned char)text.data[at];
    size_t bytes = code_point < 0x80 ? 1 : ee_utf8_decode(text.data + at, text.length - at, &code_point);
    if (ee_is_space(code_point)) return true;
    at += bytes > 0 ? bytes : 1;
  }
  return false;
}

/* The first of `bytes` at or after `at`, or the end. */
static size_t find_any(ee_str text, size_t at, const char *bytes) {
  while (at < text.length && (text.data[at] == '\0' || strchr(bytes, text.data[at]) == NULL)) at++;
  return at;
}

static ee_str part_of(ee_str text, size_t from, size_t to) { return (ee_str){text.data + from, to - from}; }

static ee_str folded(ee_str text, ee_arena *arena) {
  static const uint8_t forms[] = {EE_NORMAL_CASEFOLD};
  return ee_normalize(text, forms, 1, arena);
}

/* URLs -------------------------------------------------------------------------------------------- */

/* The parts of a URL as they are written, each borrowed. */
typedef struct url {
  ee_str scheme; /* empty: none is given */
  ee_str user;   /* with "@", or empty */
  ee_str host, port;
  ee_str path, rest; /* `rest` is query and fragment */
} url;

static bool is_host(ee_str host) {
  if (host.length == 0 || host.data[0] == '.' || memchr(host.data, '.', host.length) == NULL) return false;
  for (size_t i = 0; i < host.length; i++) {
    char c = host.data[i];
    if (!is_alpha(c) && !is_digit(c) && c != '-' && c != '.' && (unsigned char)c < 0x80) return false;
  }
  return true;
}

/* The end of a scheme and "://", or 0. */
static size_t scheme_end(ee_str text) {
  size_t at = 0;
  while (at < text.length && (is_alpha(text.data[at]) || (at > 0 && (is_digit(text.data[at]) || text.data[at] == '+' ||
                                                                     text.data[at] == '-' || text.data[at] == '.'))))
    at++;
  return at > 0 && text.length - at >= 3 && memcmp(text.data + at, "://", 3) == 0 ? at + 3 : 0;
}

/* Splits "user@host:port"; false if it has more than one port. */
static bool split_authority(ee_str text, url *parts) {
  size_t start = 0, end = text.length;
  for (size_t i = 0; i < text.length; i++) {
    if (text.data[i] == '@') start = i + 1;
  }
  size_t host_end;
  if (start < end && text.data[start] == '[') {
    host_end = find_any(text, start, "]");
    if (host_end == end) return false;
    host_end++;
  } else {
    host_end = find_any(text, start, ":");
  }
  parts->user = part_of(text, 0, start);
  parts->host = part_of(text, start, host_end);
  if (host_end < end && text.data[host_end] != ':') return false;
  parts->port = part_of(text, host_end < end ? host_end + 1 : end, end);
  for (size_t i = 0; i < parts->port.length; i++) {
    if (!is_digit(parts->port.data[i])) return false;
  }
  return true;
}

static bool split_url(ee_str text, url *parts) {
  size_t start = scheme_end(text);
  size_t authority_end = find_any(text, start, "/?#"), path_end = find_any(text, authority_end, "?#");
  *parts = (url){.scheme = part_of(text, 0, start > 0 ? start - 3 : 0),
                 .path = part_of(text, authority_end, path_end),
                 .rest = part_of(text, path_end, text.length)};
  if (!split_authority(part_of(text, start, authority_end), parts)) return false;
  return start > 0 || (parts->user.length == 0 && is_host(parts->host));
}

static bool is_default_port(ee_str scheme, ee_str port) {
  if (port.length == 0) return true;
  if (ee_str_is(scheme, "http") || ee_str_is(scheme, "ws")) return ee_str_is(port, "80");
  if (ee_str_is(scheme, "https") || ee_str_is(scheme, "wss")) return ee_str_is(port, "443");
  return ee_str_is(scheme, "ftp") && ee_str_is(port, "21");
}

static bool has_paths(ee_str scheme) {
  return scheme.length == 0 || ee_str_is(scheme, "http") || ee_str_is(scheme, "https") || ee_str_is(scheme, "ftp") ||
         ee_str_is(scheme, "ws") || ee_str_is(scheme, "wss");
}

static bool is_unreserved(char c) { return is_alpha(c) || is_digit(c) || c == '-' || c == '.' || c == '_' || c == '~'; }

static char upper_hex(char c) { return is_alpha(c) ? (char)(c & ~0x20) : c; }

/* The byte of the percent-encoding at `at`, or -1. */
static int encoded_at(ee_str text, size_t at) {
  if (text.data[at] != '%' || text.length - at <= 2) return -1;
  int high = ee_hex_digit(text.data[at + 1]), low = ee_hex_digit(text.data[at + 2]);
  return high >= 0 && low >= 0 ? 16 * high + low : -1;
}

/* Whether there is a percent sign that begins no encoding. */
static bool has_bare_percent(ee_str text) {
  for (size_t at = 0; at < text.length; at++) {
    if (text.data[at] != '%') continue;
    if (encoded_at(text, at) < 0) return true;
    at += 2;
  }
  return false;
}

/* Whether `c` would become part of an encoding that the text does not have, after a bare percent sign: "%%41a" is not
 * "%Aa". What else `out` ends with is whole encodings. */
static bool would_encode(const char *out, size_t length, char c) {
  if (ee_hex_digit(c) < 0 || length == 0) return false;
  return out[length - 1] == '%' || (length > 1 && out[length - 2] == '%' && ee_hex_digit(out[length - 1]) >= 0);
}

/* Appends `text` with its percent-encodings normalized to `out`; returns the new length. */
static size_t put_decoded(char *out, size_t length, ee_str text) {
  for (size_t at = 0; at < text.length; at++) {
    int code = encoded_at(text, at);
    if (code < 0) {
      out[length++] = text.data[at];
      continue;
    }
    char decoded = (char)code;
    if (code < 0x80 && is_unreserved(decoded) && !would_encode(out, length, decoded)) {
      out[length++] = decoded;
    } else {
      out[length++] = '%';
      out[length++] = upper_hex(text.data[at + 1]);
      out[length++] = upper_hex(text.data[at + 2]);
    }
    at += 2;
  }
  return length;
}

/* Takes "." and ".." out of a path that begins with "/", in place (RFC 3986, 5.2.4); returns its new length. */
static size_t drop_dots(char *path, size_t count) {
  size_t length = 0;
  for (size_t at = 0; at < count;) {
    size_t end = at + 1;
    while (end < count && path[end] != '/') end++;
    const size_t segment = end - at - 1;
    const bool is_last = end == count, is_dot = segment == 1 && path[at + 1] == '.';
    const bool is_up = segment == 2 && path[at + 1] == '.' && path[at + 2] == '.';
    if (is_up) {
      while (length > 0 && path[--length] != '/') continue;
    }
    if (is_dot || is_up) {
      if (is_last) path[length++] = '/';
    } else {
      memmove(path + length, path + at, end - at);
      length += end - at;
    }
    at = end;
  }
  return length;
}

static size_t put(char *out, size_t length, ee_str text) {
  memcpy(out + length, text.data, text.length);
  return length + text.length;
}

/* In a host without a bare percent sign. */
static ee_str normal_host(ee_str host, ee_arena *arena) {
  char *decoded = ee_arena_alloc(arena, host.length);
  ee_str lower_case = folded((ee_str){decoded, put_decoded(decoded, 0, host)}, arena);
  char *out = ee_arena_alloc(arena, lower_case.length);
  return (ee_str){out, put_decoded(out, 0, lower_case)};
}

ee_str ee_normal_url(ee_str text, ee_arena *arena) {
  text = ee_str_trim(text);
  url parts;
  if (has_space(text) || !split_url(text, &parts) || has_bare_percent(parts.host)) return text;
  ee_str scheme = folded(parts.scheme, arena), host = normal_host(parts.host, arena);
  char *out = ee_arena_alloc(arena, text.length + host.length + 2);
  size_t length = 0;
  if (scheme.length > 0) length = put(out, put(out, length, scheme), EE_STR("://"));
  length = put_decoded(out, length, parts.user);
  length = put(out, length, host);
  if (!is_default_port(scheme, parts.port)) length = put(out, put(out, length, EE_STR(":")), parts.port);
  size_t path = length;
  length = put_decoded(out, length, parts.path);
  length = path + drop_dots(out + path, length - path);
  if (length == path && has_paths(scheme)) out[length++] = '/';
  length = put_decoded(out, length, parts.rest);
  return (ee_str){out, length};
}

/* E-mail ------------------------------------------------------------------------------------------ */

static bool begins_with_mailto(ee_str text) {
  static const char mailto[] = "mailto:";
  if (text.length < sizeof mailto - 1) return false;
  for (size_t i = 0; i < sizeof mailto - 1; i++) {
    if (lower(text.data[i]) != mailto[i]) return false;
  }
  return true;
}

/* The position of the last `c`, or the end. */
static size_t find_last(ee_str text, char c) {
  for (size_t at = text.length; at > 0; at--) {
    if (text.data[at - 1] == c) return at - 1;
  }
  return text.length;
}

ee_str ee_normal_email(ee_str text, ee_arena *arena) {
  text = ee_str_trim(text);
  ee_str address = text;
  size_t open = find_last(address, '<');
  if (open < address.length && find_last(address, '>') == address.length - 1)
    address = ee_str_trim(part_of(address, open + 1, address.length - 1));
  while (begins_with_mailto(address)) address = ee_str_trim(part_of(address, 7, find_any(address, 7, "?")));
  size_t at = find_last(address, '@');
  if (at == address.length || at == 0 || has_space(part_of(address, at, address.length))) return text;
  if (find_any(address, at, "<>") < address.length) return text; /* more than a domain */
  size_t end = address.length;
  while (end > at + 1 && address.data[end - 1] == '.') end--;
  if (end == at + 1) return text;
  ee_str domain = folded(part_of(address, at + 1, end), arena);
  char *out = ee_arena_alloc(arena, at + 1 + domain.length);
  return (ee_str){out, put(out, put(out, 0, part_of(address, 0, at + 1)), domain)};
}

/* Telephone --------------------------------------------------------------------------------------- */

/* What separates the digits of a number. */
static bool is_separator(uint32_t c) {
  return ee_is_space(c) || c == '-' || c == '.' || c == '/' || c == '(' || c == ')' || c == 0x2212 ||
         (c >= 0x2010 && c <= 0x2015) || c == 0x00AD;
}

/* The length of the word for an extension that `text` begins with, and of what may follow it; 0: it begins otherwise.
 */
static size_t extension_word(ee_str text) {
  static const char *const words[] = {";ext=", "extension", "ext", "x", "#"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    size_t length = strlen(words[i]), same = 0;
    while (same < length && same < text.length && lower(text.data[same]) == words[i][same]) same++;
    if (same < length) continue;
    while (length < text.length && (text.data[length] == '.' || text.data[length] == ':')) length++;
    return length;
  }
  return 0;
}

/* The first digit or plus sign, or the end: what is before it is a label if it has letters, dots, colons and spaces
 * only. */
static size_t skip_label(ee_str text) {
  for (size_t at = 0; at < text.length;) {
    uint32_t c = (unsigned char)text.data[at];
    size_t bytes = c < 0x80 ? 1 : ee_utf8_decode(text.data + at, text.length - at, &c);
    if (ee_decimal_digit(c) >= 0 || c == '+' || c == 0xFF0B || c == '(') return at;
    if (!ee_is_alnum(c) && !ee_is_space(c) && c != '.' && c != ':') return text.length;
    at += bytes > 0 ? bytes : 1;
  }
  return text.length;
}

ee_str ee_normal_phone(ee_str text, ee_arena *arena) {
  text = ee_str_trim(text);
  char *out = ee_arena_alloc(arena, text.length + 8);
  size_t length = 0, at = skip_label(text), digits = 0, extension = 0;
  bool is_international = false, in_extension = false;
  if (at == text.length) return text;
  while (at < text.length) {
    uint32_t c = (unsigned char)text.data[at];
    size_t bytes = c < 0x80 ? 1 : ee_utf8_decode(text.data + at, text.length - at, &c);
    const ee_str rest = part_of(text, at, text.length);
    const int digit = ee_decimal_digit(c);
    size_t word;
    at += bytes > 0 ? bytes : 1;
    if (digit >= 0) {
      out[length++] = (char)('0' + digit);
      digits += !in_extension;
      extension += in_extension;
      /* The first two digits may be the 00 before the country's. */
      if (!is_international && !in_extension && digits == 2 && out[0] == '0' && out[1] == '0') {
        out[0] = '+';
        length = 1;
        digits = 0;
        is_international = true;
      }
    } else if ((c == '+' || c == 0xFF0B) && length == 0) {
      out[length++] = '+';
      is_international = true;
    } else if (is_international && digits > 0 && !in_extension && rest.length >= 3 &&
               memcmp(rest.data, "(0)", 3) == 0) {
      at += 2;
    } else if (!in_extension && digits > 0 && (word = extension_word(rest)) > 0) {
      at += word - 1;
      in_extension = true;
      length = put(out, length, EE_STR(";ext="));
    } else if (!is_separator(c)) {
      return text;
    }
  }
  if (digits == 0 || (in_extension && extension == 0)) return text;
  return (ee_str){out, length};
}
