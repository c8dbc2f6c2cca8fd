/* lua_text.c: quoting, tables and comments. */
#include "judge/rule_text/lua_text.h"

#include "base/printable.h"

#include "data/json/json_writer.h"

/* Bytes of a line. */
#define LINE_WIDTH 118
/* Tables of up to this many bytes are on one line. */
#define SHORT_TABLE 90

void ee_lua_text_string(ee_buffer *out, ee_str text) {
  ee_buffer_add_char(out, '"');
  for (size_t i = 0, step; i < text.length; i += step) {
    uint32_t code_point;
    bool stays;
    step = ee_printable_step(text, i, EE_PRINT_LINE, &code_point, &stays);
    unsigned char c = (unsigned char)text.data[i];
    switch (c) {
    case '"': ee_buffer_add_text(out, "\\\""); break;
    case '\\': ee_buffer_add_text(out, "\\\\"); break;
    case '\n': ee_buffer_add_text(out, "\\n"); break;
    case '\r': ee_buffer_add_text(out, "\\r"); break;
    case '\t': ee_buffer_add_text(out, "\\t"); break;
    default:
      if (stays)
        ee_buffer_add(out, text.data + i, step);
      else if (step == 1)
        ee_buffer_addf(out, "\\%03u", c);
      else
        ee_buffer_addf(out, "\\u{%04x}", (unsigned)code_point);
    }
  }
  ee_buffer_add_char(out, '"');
}

bool ee_lua_is_name(ee_str key) {
  static const char *const keywords[] = {"and",      "break",  "do",   "else", "elseif", "end",   "false", "for",
                                         "function", "goto",   "if",   "in",   "local",  "nil",   "not",   "or",
                                         "repeat",   "return", "then", "true", "until",  "while", NULL};
  for (size_t i = 0; i < key.length; i++) {
    char c = key.data[i];
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    if (!letter && (i == 0 || c < '0' || c > '9')) return false;
  }
  for (const char *const *at = keywords; *at != NULL; at++)
    if (ee_str_is(key, *at)) return false;
  return key.length > 0;
}

static void add_spaces(ee_buffer *out, size_t count) { ee_buffer_addf(out, "%*s", (int)count, ""); }

/* The members of a table; on one line each when `open`. */
static bool add_members(ee_buffer *out, const ee_value *value, size_t indent, bool open) {
  ee_buffer_add_text(out, open ? "{\n" : "{ ");
  for (const ee_value *at = ee_value_child(value); at != NULL; at = ee_value_next(at)) {
    if (open) add_spaces(out, indent + 2);
    if (ee_type_of(value) == EE_OBJECT) {
      ee_str key = ee_value_key(at);
      if (ee_lua_is_name(key)) {
        ee_buffer_add_str(out, key);
      } else {
        ee_buffer_add_char(out, '[');
        ee_lua_text_string(out, key);
        ee_buffer_add_char(out, ']');
      }
      ee_buffer_add_text(out, " = ");
    }
    if (!ee_lua_text_value(out, at, indent + 2)) return false;
    ee_buffer_add_text(out, open ? ",\n" : ee_value_next(at) != NULL ? ", " : " ");
  }
  if (open) add_spaces(out, indent);
  ee_buffer_add_char(out, '}');
  return true;
}

static bool has_line(ee_str text) { return memchr(text.data, '\n', text.length) != NULL; }

bool ee_lua_text_value(ee_buffer *out, const ee_value *value, size_t indent) {
  char number[32];
  switch (ee_type_of(value)) {
  case EE_TRUE: ee_buffer_add_text(out, "true"); return true;
  case EE_FALSE: ee_buffer_add_text(out, "false"); return true;
  case EE_NUMBER: ee_buffer_add_str(out, ee_value_number_text(value, number)); return true;
  case EE_STRING: ee_lua_text_string(out, ee_value_text(value)); return true;
  case EE_ARRAY:
  case EE_OBJECT: {
    if (ee_value_count(value) == 0) return false;
    size_t start = out->length;
    if (!add_members(out, value, indent, false)) return false;
    ee_str text = {out->data + start, out->length - start};
    if (indent > 2 && text.length + indent <= SHORT_TABLE && !has_line(text)) return true;
    out->length = start;
    return add_members(out, value, indent, true);
  }
  default: return false;
  }
}

void ee_lua_text_comment(ee_buffer *out, size_t indent, const char *text) {
  while (*text == ' ') text++;
  while (*text != '\0') {
    add_spaces(out, indent);
    ee_buffer_add_text(out, "--");
    size_t width = indent + 2;
    for (bool first = true; *text != '\0'; first = false) {
      size_t word = strcspn(text, " \n\r\t");
      if (!first && width + 1 + word > LINE_WIDTH) break;
      ee_buffer_add_char(out, ' ');
      ee_add_printable(out, (ee_str){text, word}, EE_PRINT_LINE);
      width += 1 + word;
      text += word;
      while (*text == ' ' || *text == '\n' || *text == '\r' || *text == '\t') text++;
    }
    ee_buffer_add_char(out, '\n');
  }
}
