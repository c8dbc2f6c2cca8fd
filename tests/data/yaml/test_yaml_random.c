/* test_yaml_random.c: random documents as YAML in random styles, as JSON, and damaged. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "data/json/json_reader.h"
#include "data/json/json_writer.h"
#include "data/json/value.h"
#include "data/random_document.h"
#include "data/yaml/yaml_reader.h"
#include "support/arena.h"
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

static bool yaml_once_in(yaml_writer *w, size_t n) { return test_random_below(w->random, n) == 0; }

static void yaml_spaces(yaml_writer *w, size_t count) {
  for (; count > 0; count--) ee_buffer_add_char(w->out, ' ');
}

/* The end of a line, perhaps after a comment and before blank lines. */
static void yaml_line_end(yaml_writer *w) {
  if (yaml_once_in(w, 6)) ee_buffer_add_text(w->out, "  # a: [comment, \"");
  ee_buffer_add_char(w->out, '\n');
  while (yaml_once_in(w, 10)) ee_buffer_add_text(w->out, yaml_once_in(w, 2) ? "\n" : "   # more\n");
}

/* Between the tokens of brackets: nothing, a space, or a line break and more indentation than any block has. */
static void yaml_flow_space(yaml_writer *w) {
  if (yaml_once_in(w, 4)) ee_buffer_add_char(w->out, ' ');
  if (!yaml_once_in(w, 12)) return;
  ee_buffer_add_char(w->out, '\n');
  yaml_spaces(w, 40);
  if (yaml_once_in(w, 2)) ee_buffer_add_char(w->out, '\t');
}

/* Scalars -------------------------------------------------------------------------------------- */

static void yaml_number(yaml_writer *w, const ee_value *value) {
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

static void yaml_double_quoted(yaml_writer *w, ee_str text) {
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

static void yaml_single_quoted(yaml_writer *w, ee_str text) {
  ee_buffer_add_char(w->out, '\'');
  for (size_t i = 0; i < text.length; i++) {
    if (text.data[i] == '\'') ee_buffer_add_char(w->out, '\'');
    ee_buffer_add_char(w->out, text.data[i]);
  }
  ee_buffer_add_char(w->out, '\'');
}

/* A block text below the line of its parent, whose indentation is `indent` (-1 at the root). */
static void yaml_literal(yaml_writer *w, ee_str text, int indent) {
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
static bool yaml_has_only(ee_str text, bool newlines) {
  for (size_t i = 0; i < text.length; i++) {
    unsigned char c = (unsigned char)text.data[i];
    if ((c < 0x20 && !(newlines && c == '\n')) || c == 0x7f) return false;
  }
  return true;
}

static bool yaml_is_plain(ee_str text) {
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
static void yaml_text(yaml_writer *w, ee_str text) {
  if (yaml_is_plain(text) && yaml_once_in(w, 2)) {
    ee_buffer_add_str(w->out, text);
  } else if (yaml_has_only(text, false) && yaml_once_in(w, 2)) {
    yaml_single_quoted(w, text);
  } else {
    yaml_double_quoted(w, text);
  }
}

static void yaml_scalar(yaml_writer *w, const ee_value *value) {
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
static size_t yaml_begin_anchor(yaml_writer *w) {
  if (w->anchors == YAML_ANCHORS || !yaml_once_in(w, 6)) return YAML_ANCHORS;
  ee_buffer_addf(w->out, "&a%zu ", w->anchors);
  return w->anchors++;
}

static void yaml_end_anchor(yaml_writer *w, size_t number, ee_value *value) {
  if (number < YAML_ANCHORS) w->anchored[number] = value;
}

/* A complete anchored node, and its number; NULL when chance says so. */
static ee_value *yaml_pick(yaml_writer *w, size_t *number) {
  if (w->anchors == 0 || !yaml_once_in(w, 2)) return NULL;
  *number = test_random_below(w->random, w->anchors);
  return w->anchored[*number];
}

static void yaml_add_copy(yaml_writer *w, ee_value *container, const char *key, const ee_value *value) {
  ee_value *copy = ee_value_copy(w->arena, value);
  if (key == NULL) {
    ee_value_append(container, copy);
  } else {
    ee_value_set(w->arena, container, ee_str_from(key), copy);
  }
}

/* Adds what a merge of `source` brings. */
static void yaml_merge(yaml_writer *w, ee_value *object, const ee_value *source) {
  for (const ee_value *member = ee_value_child(source); member != NULL; member = ee_value_next(member)) {
    if (ee_value_member(object, ee_value_key(member), w->arena) != NULL) continue;
    ee_value_set(w->arena, object, ee_value_key(member), ee_value_copy(w->arena, member));
  }
}

static void yaml_flow(yaml_writer *w, ee_value *value) {
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

static void yaml_block(yaml_writer *w, ee_value *value, int indent, bool on_line);

/* A value after "- " or "key:" of a container at `indent`: on the rest of the line, or below it. */
static void yaml_value(yaml_writer *w, ee_value *value, int indent, bool in_list) {
  ee_buffer_add_char(w->out, ' ');
  size_t number = yaml_begin_anchor(w);
  ee_type type = ee_type_of(value);
  bool container = (type == EE_ARRAY || type == EE_OBJECT) && ee_value_count(value) > 0;
  ee_str text = type == EE_STRING ? ee_value_text(value) : (ee_str){NULL, 0};
  if (container && !yaml_once_in(w, 4)) {
    /* A sequence may be indented as its key. */
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
static void yaml_block(yaml_writer *w, ee_value *value, int indent, bool on_line) {
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
static void yaml_document(test_random *random, ee_arena *tree, ee_buffer *out, ee_value *value) {
  yaml_writer w = {.random = random, .arena = tree, .out = out};
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

/* Equal node for node: unlike ee_value_equal(), members that are null count. */
static bool same_tree(const ee_value *a, const ee_value *b) {
  ee_type type = ee_type_of(a);
  if (type != ee_type_of(b)) return false;
  if (type != EE_ARRAY && type != EE_OBJECT) return ee_value_equal(a, b);
  if (ee_value_count(a) != ee_value_count(b)) return false;
  const ee_value *other = ee_value_child(b);
  for (const ee_value *child = ee_value_child(a); child != NULL; child = ee_value_next(child)) {
    const ee_value *match = type == EE_ARRAY ? other : ee_value_member(b, ee_value_key(child), NULL);
    if (match == NULL || !same_tree(child, match)) return false;
    if (other != NULL) other = ee_value_next(other);
  }
  return true;
}

/* Every node is linked to its neighbours, has no hash yet, and has a place within the text. */
static size_t check_nodes(const ee_value *value, const ee_yaml_places *places, size_t length) {
  size_t count = 1;
  struct ee_yaml_place place = ee_yaml_place_of(places, value);
  assert_true(place.line >= 1 && place.column >= 1 && place.line <= length + 1 && place.column <= length + 1);
  assert_true(value->hash == 0);
  const ee_value *before = NULL;
  for (const ee_value *child = ee_value_child(value); child != NULL; child = ee_value_next(child)) {
    if (before != NULL) assert_ptr_equal(child->json.prev, before);
    before = child;
    count += check_nodes(child, places, length);
  }
  if (before != NULL) assert_ptr_equal(value->json.child->prev, before);
  return count;
}

static ee_value *read_exactly(ee_str text, ee_yaml_places *places, ee_error *error) {
  char *copy = malloc(text.length > 0 ? text.length : 1);
  memcpy(copy, text.data, text.length);
  ee_value *value = ee_yaml_read(&arena, (ee_str){copy, text.length}, places, error);
  free(copy);
  return value;
}

static void check_same(ee_str text, const ee_value *wanted) {
  ee_error error = {0};
  ee_yaml_places places = {0};
  const ee_value *value = read_exactly(text, &places, &error);
  if (value == NULL || !same_tree(wanted, value)) {
    ee_buffer out = {0};
    ee_json_write_value(&out, wanted);
    print_error("%.*s\nwanted: %.*s\n", (int)text.length, text.data, (int)out.length, out.data);
    if (value == NULL) print_error("got: %zu:%zu: %s\n", error.line, error.column, error.message);
    ee_buffer_clear(&out);
    if (value != NULL) ee_json_write_value(&out, value);
    print_error("got: %.*s\n", (int)out.length, out.data);
    ee_buffer_fini(&out);
    fail();
  }
  assert_true(places.count >= check_nodes(value, &places, text.length));
}

/* `text` with another line break. */
static void break_lines(ee_buffer *text, const char *line_break) {
  ee_buffer out = {0};
  for (size_t i = 0; i < text->length; i++) {
    if (text->data[i] == '\n') {
      ee_buffer_add_text(&out, line_break);
    } else {
      ee_buffer_add_char(&out, text->data[i]);
    }
  }
  ee_buffer_fini(text);
  *text = out;
}

/* A mapping of some random documents: a tree that has more often many nodes than random_document() alone makes. */
static void random_tree(test_random *random, ee_buffer *json) {
  size_t count = 1 + test_random_below(random, 8);
  ee_buffer_clear(json);
  for (size_t i = 0; i < count; i++) {
    ee_buffer_addf(json, "%s\"tree%zu\":", i > 0 ? "," : "{", i);
    random_document(random, json, test_random_below(random, 12), 1 + test_random_below(random, 5), false);
  }
  ee_buffer_add_char(json, '}');
}

static void test_styles(void **state) {
  (void)state;
  test_random random = test_random_start("yaml styles", 5);
  size_t aliases = 0, merges = 0, blocks = 0, complex_keys = 0;
  ee_buffer json = {0}, text = {0};
  for (int round = 0; round < 5000; round++) {
    ee_arena_reset(&arena, 0);
    ee_buffer_clear(&text);
    random_tree(&random, &json);
    ee_value *document = ee_json_read(&arena, (ee_str){json.data, json.length}, NULL, NULL);
    assert_non_null(document);
    if (round % 8 == 5) document = (ee_value *)document->json.child;
    yaml_document(&random, &arena, &text, document);
    const char *written = ee_buffer_terminate(&text);
    aliases += strstr(written, " *a") != NULL;
    merges += strstr(written, "<<: ") != NULL;
    blocks += strstr(written, " |") != NULL || strstr(written, " >") != NULL;
    complex_keys += strstr(written, "? ") != NULL;
    if (round % 4 == 1) break_lines(&text, "\r\n");
    if (round % 16 == 3) break_lines(&text, "\r");
    check_same((ee_str){text.data, text.length}, document);
  }
  assert_true(aliases > 1500 && merges > 200 && blocks > 800 && complex_keys > 1000);
  ee_buffer_fini(&json);
  ee_buffer_fini(&text);
}

static void test_json(void **state) {
  (void)state;
  test_random random = test_random_start("yaml of json", 6);
  ee_buffer json = {0}, text = {0};
  for (int round = 0; round < 10000; round++) {
    ee_arena_reset(&arena, 0);
    ee_buffer_clear(&json);
    ee_buffer_clear(&text);
    random_document(&random, &json, test_random_below(&random, 20), 1 + test_random_below(&random, 5), false);
    const ee_value *document = ee_json_read(&arena, (ee_str){json.data, json.length}, NULL, NULL);
    assert_non_null(document);
    check_same((ee_str){json.data, json.length}, document);
    /* Behind a comment it is no JSON, and libyaml reads it; on one line, which is all that it asks for. */
    ee_buffer_add_text(&text, "# \xf0\x9f\x98\x80\n");
    ee_json_write_value(&text, document);
    check_same((ee_str){text.data, text.length}, document);
    /* As a member of a YAML document. */
    ee_buffer_clear(&text);
    ee_buffer_add_text(&text, "- ");
    ee_json_write_value(&text, document);
    ee_value *list = ee_value_new(&arena, EE_ARRAY);
    ee_value_append(list, ee_value_copy(&arena, document));
    check_same((ee_str){text.data, text.length}, list);
  }
  ee_buffer_fini(&json);
  ee_buffer_fini(&text);
}

/* The offset of a line and a column. */
static size_t offset_of(ee_str text, size_t line, size_t column) {
  size_t at = text.length >= 3 && memcmp(text.data, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
  for (size_t now = 1; now < line && at < text.length; at++) {
    char next = at + 1 < text.length ? text.data[at + 1] : '\0';
    now += text.data[at] == '\n' || (text.data[at] == '\r' && next != '\n');
  }
  return at + column - 1;
}

/* Damaged documents read, or have a mistake at a place within them. */
static void test_damage(void **state) {
  (void)state;
  static const char *const pieces[] = {"\t",      "\n",       "  ",
                                       "- ",      ": ",       ":",
                                       "[",       "]",        "{",
                                       "}",       ",",        "\"",
                                       "'",       "#",        "&a0 ",
                                       "*a0",     "!",        "|",
                                       ">",       "%",        "@",
                                       "? ",      "---",      "...",
                                       "<<: *a0", "\\u",      "\xff",
                                       "\x01",    "\xc2\x85", "\xe2\x80\xa8",
                                       "\x7f",    "\r",       "\xef\xbb\xbf",
                                       "\\ud83d", "!!int "};
  test_random random = test_random_start("damaged yaml", 7);
  ee_buffer json = {0}, text = {0};
  size_t good = 0, bad = 0;
  for (int round = 0; round < 10000; round++) {
    ee_arena_reset(&arena, 0);
    ee_buffer_clear(&json);
    ee_buffer_clear(&text);
    random_document(&random, &json, test_random_below(&random, 8), 1 + test_random_below(&random, 4), false);
    ee_value *document = ee_json_read(&arena, (ee_str){json.data, json.length}, NULL, NULL);
    yaml_document(&random, &arena, &text, document);
    ee_buffer_clear(&json);
    ee_str whole = {text.data, text.length};
    size_t place = test_random_below(&random, whole.length + 1), cut = test_random_below(&random, 4);
    ee_buffer_add(&json, whole.data, place);
    if (cut > 0) ee_buffer_add_text(&json, pieces[test_random_below(&random, sizeof pieces / sizeof *pieces)]);
    place += cut < whole.length - place ? cut : whole.length - place;
    ee_buffer_add(&json, whole.data + place, whole.length - place);
    ee_str damaged = {json.data, json.length};
    ee_error error = {0};
    ee_yaml_places places = {0};
    const ee_value *value = read_exactly(damaged, &places, &error);
    if (value != NULL) {
      good++;
      check_nodes(value, &places, damaged.length);
      continue;
    }
    bad++;
    assert_true(error.line >= 1 && error.column >= 1 && error.offset <= damaged.length && error.message[0] != '\0');
    assert_int_equal(error.status, EE_ERROR_DATA);
    if (error.offset != offset_of(damaged, error.line, error.column))
      print_error("%.*s\n%zu:%zu %s\n", (int)damaged.length, damaged.data, error.line, error.column, error.message);
    assert_int_equal(error.offset, offset_of(damaged, error.line, error.column));
    assert_null(strstr(error.message, "broken YAML")); /* libyaml's own words for what has none of ours */
  }
  assert_true(good > 200 && bad > 200);
  ee_buffer_fini(&json);
  ee_buffer_fini(&text);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test_setup_teardown(test_styles, make_arena, free_arena),
             cmocka_unit_test_setup_teardown(test_json, make_arena, free_arena),
             cmocka_unit_test_setup_teardown(test_damage, make_arena, free_arena));
