/* printable.c: which characters are written out, and how. */
#include "base/printable.h"

#include <stdio.h>

/* Characters without a shape of their own, which make two different texts look the same. */
static bool is_unseen(uint32_t c) {
  return c == 0xad || c == 0x180e || c == 0x200b || (c >= 0x2060 && c <= 0x2065) || (c >= 0x206a && c <= 0x206f) ||
         c == 0xfeff || (c >= 0xfff9 && c <= 0xfffb) || (c & 0xfffe) == 0xfffe || (c >= 0xe0000 && c <= 0xe007f);
}

/* Joiners decide what Persian or Indic words and some emoji look like; beside an ASCII character, an end or what is not
 * shown as itself they do nothing. */
static bool is_joiner(uint32_t c) { return c == 0x200c || c == 0x200d; }

static bool can_be_joined(uint32_t c) { return c > 0x7f && !ee_is_harmful(c) && !is_unseen(c) && !is_joiner(c); }

static bool joins(ee_str text, size_t at, size_t length) {
  size_t before = at, after = at + length;
  uint32_t c;
  while (before > 0 && at - before < 4 && ((unsigned char)text.data[before - 1] & 0xc0) == 0x80) before--;
  if (before == 0 || after == text.length) return false;
  before--;
  if (ee_utf8_decode(text.data + before, at - before, &c) != at - before || !can_be_joined(c)) return false;
  return ee_utf8_decode(text.data + after, text.length - after, &c) > 0 && can_be_joined(c);
}

/* What CI servers take for commands in a log: "::" where a line may begin (GitHub), "##[" and "##vso[" anywhere
 * (GitHub, Azure). */
static bool is_command(ee_str text, size_t at) {
  ee_str rest = {text.data + at, text.length - at};
  if (rest.data[0] == '#')
    return (rest.length > 2 && memcmp(rest.data, "##[", 3) == 0) ||
           (rest.length > 5 && memcmp(rest.data, "##vso[", 6) == 0);
  if (rest.length < 2 || memcmp(rest.data, "::", 2) != 0) return false;
  return at == 0 || strchr(" \t\n", text.data[at - 1]) != NULL; /* lines may break at any space */
}

size_t ee_printable_step(ee_str text, size_t at, ee_printable how, uint32_t *c, bool *stays) {
  size_t length = ee_utf8_decode(text.data + at, text.length - at, c);
  if (length == 0) {
    *c = 0xfffd;
    *stays = false;
    return 1;
  }
  *stays = *c >= 0x20 && *c < 0x7f;
  if (*stays) {
    if (*c == '#' || *c == ':') *stays = !is_command(text, at);
    return length;
  }
  if (how == EE_PRINT_LINES && (*c == '\n' || *c == '\t'))
    *stays = true;
  else
    *stays = !ee_is_harmful(*c) && !is_unseen(*c) && (!is_joiner(*c) || joins(text, at, length));
  return length;
}

/* From `at` on, to the first character that cannot stay, or the end. */
static size_t plain_end(ee_str text, size_t at, ee_printable how) {
  while (at < text.length) {
    uint32_t c;
    bool stays;
    size_t length = ee_printable_step(text, at, how, &c, &stays);
    if (!stays) break;
    at += length;
  }
  return at;
}

size_t ee_printable_prefix(ee_str text, ee_printable how) { return plain_end(text, 0, how); }

void ee_add_escape(ee_buffer *out, uint32_t c) {
  if (c == 0xfffd) {
    ee_buffer_add_text(out, "\xef\xbf\xbd");
  } else if (c == '\n' || c == '\r' || c == '\t') {
    ee_buffer_add_text(out, c == '\n' ? "\\n" : c == '\r' ? "\\r" : "\\t");
  } else if (c <= 0xffff) {
    ee_buffer_addf(out, "\\u%04x", (unsigned)c);
  } else {
    ee_buffer_addf(out, "\\u%04x\\u%04x", (unsigned)(0xd800 + ((c - 0x10000) >> 10)),
                   (unsigned)(0xdc00 + ((c - 0x10000) & 0x3ff)));
  }
}

void ee_add_printable(ee_buffer *out, ee_str text, ee_printable how) {
  for (size_t at = 0; at < text.length;) {
    size_t end = plain_end(text, at, how);
    ee_buffer_add(out, text.data + at, end - at);
    at = end;
    if (at == text.length) return;
    uint32_t c;
    bool stays;
    at += ee_printable_step(text, at, how, &c, &stays);
    ee_add_escape(out, c);
  }
}

void ee_write_message(ee_str text) {
  ee_buffer out;
  ee_buffer_init(&out);
  ee_add_printable(&out, text, EE_PRINT_LINES);
  fwrite(out.data, 1, out.length, stderr);
  ee_buffer_fini(&out);
}
