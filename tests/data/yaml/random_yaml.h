/* random_yaml.h: a document as YAML in random styles. */
#ifndef EE_TESTS_DATA_RANDOM_YAML_H
#define EE_TESTS_DATA_RANDOM_YAML_H

#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "data/json/value.h"
#include "support/random.h"

enum { YAML_ANCHORS = 16 };

/* Writes a document and changes it on the way: lists and mappings get further members that are aliases and merges. */
typedef struct yaml_writer {
  test_random *random;
  ee_arena *arena; /* of the document */
  ee_buffer *out;
  ee_value *anchored[YAML_ANCHORS]; /* complete nodes that have the anchors a0, a1, ... */
  size_t anchors;
  size_t members; /* that were added */
} yaml_writer;

static inline bool yaml_once_in(yaml_writer *w, size_t n) { return test_random_below(w->random, n) == 0; }

static inline void yaml_spaces(yaml_writer *w, size_t count) {
  for (; count > 0; count--) ee_buffer_add_char(w->out, ' ');
}

/* The end of a line, perhaps behind a comment and before blank lines. */
static inline void yaml_line_end(yaml_writer *w) {
  if (yaml_once_in(w, 6)) ee_buffer_add_text(w->out, "  # a: [comment, \"");
  ee_buffer_add_char(w->out, '\n');
  while (yaml_once_in(w, 10)) ee_buffer_add_text(w->out, yaml_once_in(w, 2) ? "\n" : "   # more\n");
}

/* Between the tokens of brackets: nothing, a space, or a line break and more indentation than any block has. */
static inline void yaml_flow_space(yaml_writer *w) {
  if (yaml_once_in(w, 4)) ee_buffer_add_char(w->out, ' ');
  if (!yaml_once_in(w, 12)) return;
  ee_buffer_add_char(w->out, '\n');
  yaml_spaces(w, 40);
  if (yaml_once_in(w, 2)) ee_buffer_add_char(w->out, '\t');
}

/* Scalars -------------------------------------------------------------------------------------- */

static inline void yaml_number(yaml_writer *w, const ee_value *value) {
  char digits[32];
  ee_str text = ee_value_number_text(value, digits);
  bool whole = memchr(text.data, '.', text.length) == NULL && memchr(text.data, 'e', text.length) == NULL &&
               memchr(text.data, 'E', text.length) == NULL;
  if (whole && text.data[0] != '-' && text.length < 16 && yaml_once_in(w, 4)) {
    ee_buffer_addf(w->out, yaml_once_in(w, 2) ? "0x%llx" : "0o%llo", (unsigned long long)ee_value_number(value));
    return;
  }
  if (text.data[0] == '-') {
    ee_buffer_add_char(w->out, '-');
    text.data++, text.length--;
  } else if (yaml_once_in(w, 5)) {
    ee_buffer_add_char(w->out, '+');
  }
  if (text.length > 2 && memcmp(text.data, "0.", 2) == 0 && yaml_once_in(w, 3)) {
    text.data++, text.length--;
  } else if (yaml_once_in(w, 5)) {
    ee_buffer_add_text(w->out, "00");
  }
  ee_buffer_add_str(w->out, text);
  if (whole && yaml_once_in(w, 5)) ee_buffer_add_text(w->out, yaml_once_in(w, 2) ? "." : ".0");
}

static inline void yaml_double_quoted(yaml_writer *w, ee_str text) {
  ee_buffer_add_char(w->out, '"');
  for (size_t i = 0; i < text.length;) {
    uint32_t c;
    size_t length = ee_utf8_decode(text.data + i, text.length - i, &c);
    if (c == '\n' && yaml_once_in(w, 2)) {
      ee_buffer_add_text(w->out, "\\n");
    } else if (c < 0x20 || c == '"' || c == '\\' || yaml_once_in(w, 8)) {
      if (c < 0x100 && yaml_once_in(w, 2)) {
        ee_buffer_addf(w->out, "\\x%02X", c);
      } else if (c < 0x10000 && yaml_once_in(w, 2)) {
        ee_buffer_addf(w->out, "\\u%04x", c);
      } else if (c >= 0x10000 && yaml_once_in(w, 2)) {
        ee_buffer_addf(w->out, "\\u%04X\\u%04x", 0xd7c0 + (c >> 10), 0xdc00 + (c & 0x3ff));
      } else {
        ee_buffer_addf(w->out, "\\U%08x", c);
      }
    } else {
      ee_buffer_add(w->out, text.data + i, length);
    }
    i += length;
  }
  ee_buffer_add_char(w->out, '"');
}

static inline void yaml_single_quoted(yaml_writer *w, ee_str text) {
  ee_buffer_add_char(w->out, '\'');
  for (size_t i = 0; i < text.length; i++) {
    if (text.data[i] == '\'') ee_buffer_add_char(w->out, '\'');
    ee_buffer_add_char(w->out, text.data[i]);
  }
  ee_buffer_add_char(w->out, '\'');
}

/* A block text below the line of its parent, whose indentation is `indent` (-1 at the root). */
static inline void yaml_literal(yaml_writer *w, ee_str text, int indent) {
  size_t newlines = 0;
  while (newlines < text.length && text.data[text.length - 1 - newlines] == '\n') newlines++;
  size_t column = indent < 0 ? 2 : (size_t)indent + 2;
  bool indicator = text.data[0] == ' ' || text.data[0] == '\t' || yaml_once_in(w, 4);
  bool folded = memchr(text.data, '\n', text.length - newlines) == NULL && newlines <= 1 && text.data[0] != ' ' &&
                text.data[0] != '\t' && yaml_once_in(w, 2);
  ee_buffer_addf(w->out, "%s%s%s\n", folded ? ">" : "|", indicator ? "2" : "",
                 newlines == 0   ? "-"
                 : newlines == 1 ? ""
                                 : "+");
  for (size_t i = 0; i < text.length;) {
    const char *newline = memchr(text.data + i, '\n', text.length - i);
    size_t length = newline != NULL ? (size_t)(newline - text.data) - i : text.length - i;
    if (length > 0) yaml_spaces(w, column);
    ee_buffer_add(w->out, text.data + i, length);
    ee_buffer_add_char(w->out, '\n');
    i += length + 1;
  }
}

/* What a text allows. */
static inline bool yaml_has_only(ee_str text, bool newlines) {
  for (size_t i = 0; i < text.length; i++) {
    unsigned char c = (unsigned char)text.data[i];
    if ((c < 0x20 && !(newlines && c == '\n')) || c == 0x7f) return false;
  }
  return true;
}

static inline bool yaml_is_plain(ee_str text) {
  static const char *const words[] = {"null", "Null", "NULL", "true", "True", "TRUE", "false", "False", "FALSE", NULL};
  if (text.length == 0) return false;
  for (const char *const *word = words; *word != NULL; word++)
    if (ee_str_is(text, *word)) return false;
  for (size_t i = 0; i < text.length; i++) {
    char c = text.data[i];
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
    bool inside = i > 0 && i + 1 < text.length;
    if (!letter && !(i > 0 && c >= '0' && c <= '9') && !(inside && c == ' ' && text.data[i - 1] != ' ')) return false;
  }
  return true;
}

/* A text on one line. */
static inline void yaml_text(yaml_writer *w, ee_str text) {
  if (yaml_is_plain(text) && yaml_once_in(w, 2)) {
    ee_buffer_add_str(w->out, text);
  } else if (yaml_has_only(text, false) && yaml_once_in(w, 2)) {
    yaml_single_quoted(w, text);
  } else {
    yaml_double_quoted(w, text);
  }
}

static inline void yaml_scalar(yaml_writer *w, const ee_value *value) {
  static const char *const nulls[] = {"null", "~", "Null", "NULL", "!!null ''"};
  static const char *const trues[] = {"true", "True", "TRUE", "!!bool 'true'"};
  static const char *const falses[] = {"false", "False", "FALSE", "!!bool \"False\""};
  switch (ee_type_of(value)) {
  case EE_TRUE: ee_buffer_add_text(w->out, trues[test_random_below(w->random, 4)]); break;
  case EE_FALSE: ee_buffer_add_text(w->out, falses[test_random_below(w->random, 4)]); break;
  case EE_NUMBER: yaml_number(w, value); break;
  case EE_STRING:
    if (yaml_once_in(w, 10)) ee_buffer_add_text(w->out, yaml_once_in(w, 2) ? "!!str " : "! ");
    yaml_text(w, ee_value_text(value));
    break;
  default: ee_buffer_add_text(w->out, nulls[test_random_below(w->random, 5)]); break;
  }
}

/* Containers ----------------------------------------------------------------------------------- */

/* Gives the node that comes next an anchor, perhaps; its number, or YAML_ANCHORS. The node is entered when complete. */
static inline size_t yaml_begin_anchor(yaml_writer *w) {
  if (w->anchors == YAML_ANCHORS || !yaml_once_in(w, 6)) return YAML_ANCHORS;
  ee_buffer_addf(w->out, "&a%zu ", w->anchors);
  return w->anchors++;
}

static inline void yaml_end_anchor(yaml_writer *w, size_t number, ee_value *value) {
  if (number < YAML_ANCHORS) w->anchored[number] = value;
}

/* A complete anchored node, and its number; NULL when chance says so. */
static inline ee_value *yaml_pick(yaml_writer *w, size_t *number) {
  if (w->anchors == 0 || !yaml_once_in(w, 2)) return NULL;
  *number = test_random_below(w->random, w->anchors);
  return w->anchored[*number];
}

static inline void yaml_add_copy(yaml_writer *w, ee_value *container, const char *key, const ee_value *value) {
  ee_value *copy = ee_value_copy(w->arena, value);
  if (key == NULL) {
    ee_value_append(container, copy);
  } else {
    ee_value_set(w->arena, container, ee_str_from(key), copy);
  }
}

/* Adds what a merge of `source` brings. */
static inline void yaml_merge(yaml_writer *w, ee_value *object, const ee_value *source) {
  for (const ee_value *member = ee_value_child(source); member != NULL; member = ee_value_next(member)) {
    if (ee_value_member(object, ee_value_key(member), w->arena) != NULL) continue;
    ee_value_set(w->arena, object, ee_value_key(member), ee_value_copy(w->arena, member));
  }
}

static inline void yaml_flow(yaml_writer *w, ee_value *value) {
  bool object = ee_type_of(value) == EE_OBJECT;
  if (!object && ee_type_of(value) != EE_ARRAY) {
    yaml_scalar(w, value);
    return;
  }
  const ee_value *last = value->json.child != NULL ? (ee_value *)value->json.child->prev : NULL;
  ee_buffer_add_char(w->out, object ? '{' : '[');
  for (ee_value *child = (ee_value *)value->json.child; child != NULL; child = (ee_value *)child->json.next) {
    yaml_flow_space(w);
    if (object) {
      yaml_text(w, ee_value_key(child));
      ee_buffer_add_text(w->out, ": ");
    }
    size_t number = yaml_begin_anchor(w);
    yaml_flow(w, child);
    yaml_end_anchor(w, number, child);
    yaml_flow_space(w);
    if (child == last) break;
    ee_buffer_add_char(w->out, ',');
  }
  size_t number;
  ee_value *again = yaml_pick(w, &number);
  if (again != NULL) {
    char key[32];
    if (last != NULL) ee_buffer_add_text(w->out, ", ");
    snprintf(key, sizeof key, "added%zu", w->members++);
    if (object && ee_type_of(again) == EE_OBJECT && yaml_once_in(w, 2)) {
      ee_buffer_addf(w->out, "<<: [*a%zu]", number);
      yaml_merge(w, value, again);
    } else {
      if (object) ee_buffer_addf(w->out, "%s: ", key);
      ee_buffer_addf(w->out, "*a%zu", number);
      yaml_add_copy(w, value, object ? key : NULL, again);
    }
  } else if (last != NULL && yaml_once_in(w, 6)) {
    ee_buffer_add_text(w->out, ", ");
  }
  ee_buffer_add_char(w->out, object ? '}' : ']');
}

static inline void yaml_block(yaml_writer *w, ee_value *value, int indent, bool on_line);

/* A value behind "- " or "key:" of a container at `indent`: on the rest of the line, or below it. */
static inline void yaml_value(yaml_writer *w, ee_value *value, int indent, bool in_list) {
  ee_buffer_add_char(w->out, ' ');
  size_t number = yaml_begin_anchor(w);
  ee_type type = ee_type_of(value);
  bool container = (type == EE_ARRAY || type == EE_OBJECT) && ee_value_count(value) > 0;
  ee_str text = type == EE_STRING ? ee_value_text(value) : (ee_str){NULL, 0};
  if (container && !yaml_once_in(w, 4)) {
    /* A list may stand as deep as the key that it belongs to. */
    bool compact = in_list && number == YAML_ANCHORS && yaml_once_in(w, 2);
    bool shallow = !in_list && type == EE_ARRAY && indent >= 0 && yaml_once_in(w, 3);
    if (!compact) yaml_line_end(w);
    yaml_block(w, value,
               compact   ? indent + 2
               : shallow ? indent
                         : indent + 1 + (int)test_random_below(w->random, 4),
               compact);
  } else if (text.length > 0 && text.data[0] != '\n' && yaml_has_only(text, true) && yaml_once_in(w, 3)) {
    yaml_literal(w, text, indent);
  } else {
    yaml_flow(w, value);
    yaml_line_end(w);
  }
  yaml_end_anchor(w, number, value);
}

/* The members of a container that has some, each on its line; `on_line`: the first one's indentation is written. */
static inline void yaml_block(yaml_writer *w, ee_value *value, int indent, bool on_line) {
  bool object = ee_type_of(value) == EE_OBJECT;
  const ee_value *last = (ee_value *)value->json.child->prev;
  for (ee_value *child = (ee_value *)value->json.child; child != NULL; child = (ee_value *)child->json.next) {
    if (!on_line) yaml_spaces(w, (size_t)indent);
    on_line = false;
    if (object && yaml_once_in(w, 8)) {
      ee_buffer_add_text(w->out, "? ");
      yaml_text(w, ee_value_key(child));
      yaml_line_end(w);
      yaml_spaces(w, (size_t)indent);
    } else if (object) {
      yaml_text(w, ee_value_key(child));
      if (yaml_once_in(w, 10)) ee_buffer_add_char(w->out, ' ');
    }
    ee_buffer_add_char(w->out, object ? ':' : '-');
    yaml_value(w, child, indent, !object);
    if (child == last) break;
  }
  size_t number;
  ee_value *again = yaml_pick(w, &number);
  if (again == NULL) return;
  char key[32];
  snprintf(key, sizeof key, "added%zu", w->members++);
  yaml_spaces(w, (size_t)indent);
  if (object && ee_type_of(again) == EE_OBJECT && yaml_once_in(w, 2)) {
    ee_buffer_addf(w->out, "<<: *a%zu\n", number);
    yaml_merge(w, value, again);
  } else {
    ee_buffer_addf(w->out, "%s%s *a%zu", object ? key : "", object ? ":" : "-", number);
    yaml_add_copy(w, value, object ? key : NULL, again);
    yaml_line_end(w);
  }
}

/* Writes `value`, which grows by its aliases and merges, and is as what was written reads afterwards. */
static inline void yaml_document(test_random *random, ee_arena *arena, ee_buffer *out, ee_value *value) {
  yaml_writer w = {.random = random, .arena = arena, .out = out};
  if (yaml_once_in(&w, 5)) ee_buffer_add_text(out, "%YAML 1.2\n---\n");
  yaml_line_end(&w);
  if (ee_value_child(value) != NULL && !yaml_once_in(&w, 5)) {
    yaml_block(&w, value, (int)test_random_below(random, 3), false);
  } else {
    yaml_flow(&w, value);
    ee_buffer_add_char(out, '\n');
  }
  if (yaml_once_in(&w, 5)) ee_buffer_add_text(out, "...\n");
}

#endif
