/* test_yaml_random.c: random documents as YAML in random styles, as JSON, and damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "data/json/json_reader.h"
#include "data/json/json_writer.h"
#include "data/random_document.h"
#include "data/yaml/random_yaml.h"
#include "data/yaml/yaml_reader.h"

static ee_arena arena;

static int set_up(void **state) {
  (void)state;
  ee_arena_init(&arena, 0);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  ee_arena_fini(&arena);
  return 0;
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

EE_TEST_FILE(NULL, NULL, cmocka_unit_test_setup_teardown(test_styles, set_up, tear_down),
             cmocka_unit_test_setup_teardown(test_json, set_up, tear_down),
             cmocka_unit_test_setup_teardown(test_damage, set_up, tear_down));
