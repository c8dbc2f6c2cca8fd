/* test_json_lenient.c: texts that are nearly JSON: each mistake with its count, documents with planted mistakes, cut
 * documents against the obvious search, and valid ones, which are never changed. */
#include "data/json/json_lenient.h"

#include <string.h>

#include "data/json/json_in_prose.h"
#include "data/json/json_reader.h"
#include "data/json/json_writer.h"
#include "data/random_document.h"
#include "support/arena.h"

typedef struct fact {
  const char *text, *json; /* json NULL: no answer */
  const char *repairs;     /* "trailing_comma 2, cut 1" */
} fact;

static const fact facts[] = {
    {"{\"a\":1}", "{\"a\":1}", ""},
    {"[1,2,]", "[1,2]", "trailing_comma 1"},
    {"{\"a\":[1,],}", "{\"a\":[1]}", "trailing_comma 2"},
    {"{'a': 'it''s', 'b': 'it\\'s'}", "{\"a\":\"it''s\",\"b\":\"it's\"}", "single_quotes 4, escape 1"},
    {"{'a': 'say \"x\"'}", "{\"a\":\"say \\\"x\\\"\"}", "single_quotes 2"},
    {"{'name': 'Joe's', 'n': 1}", "{\"name\":\"Joe's\",\"n\":1}", "single_quotes 3"},
    {"{total: 5, $x_1: true, a-b: {}}", "{\"total\":5,\"$x_1\":true,\"a-b\":{}}", "unquoted_key 3"},
    {"{1: 2}", "{\"1\":2}", "unquoted_key 1"},
    {"// an answer\n{\"a\": 1 /* one */, # two\n \"b\": \"// no # comment\"} // end",
     "{\"a\":1,\"b\":\"// no # comment\"}", "comment 4"},
    {"{\"a\": True, \"b\": None, \"c\": [False]}", "{\"a\":true,\"b\":null,\"c\":[false]}", "python_literal 3"},
    {"[NaN, -Infinity, Infinity]", "[null,null,null]", "not_a_number 3"},
    {"{\"a\": \"two\nlines\tand\"}", "{\"a\":\"two\\nlines\\tand\"}", "control_character 2"},
    {"{\"a\": \"\\d+ \\'x\\'\"}", "{\"a\":\"\\\\d+ 'x'\"}", "escape 3"},
    {"\"{\\\"a\\\":1}\"", "{\"a\":1}", "double_encoding 1"},
    {"\"\\\"[1]\\\"\"", "[1]", "double_encoding 2"},
    {"{\\\"a\\\": [\\\"x\\\"]}", "{\"a\":[\"x\"]}", "double_encoding 1"},
    {"\"{\\\"a\\\":1,}\"", "{\"a\":1}", "trailing_comma 1, double_encoding 1"},
    {"{\"total\": 5, \"before\": {\"total\": 7},}", "{\"total\":5,\"before\":{\"total\":7}}", "trailing_comma 1"},
    {"```json\n{'a': 1,}\n```", "{\"a\":1}", "fence 1, trailing_comma 1, single_quotes 1"},
    {"Here: {a: 1} done", "{\"a\":1}", "prose 1, unquoted_key 1"},
    /* Cut: what was being written is left out. */
    {"{\"a\": 1, \"b\": [1, 2", "{\"a\":1,\"b\":[1]}", "cut 1"},
    {"{\"a\": 1, \"b\": \"x\", \"c\": {\"d", "{\"a\":1,\"b\":\"x\"}", "cut 1"},
    {"[{\"a\": true}, {\"a\": tr", "[{\"a\":true}]", "cut 1"},
    {"{\"a\": \"x\"", "{\"a\":\"x\"}", "cut 1"},
    {"{\"a\": \"x\", ", "{\"a\":\"x\"}", "cut 1"},
    {"{\"a\": 12", NULL, ""},
    {"{\"a\": [[", NULL, ""},
    {"{", NULL, ""},
    {"```json\n{\"a\": [1, 2], \"b\":\n```\nDone.", "{\"a\":[1,2]}", "fence 1, cut 1"},
    {"It is {\"a\": [1, 2], \"b\": \"x", "{\"a\":[1,2]}", "prose 1, cut 1"},
    /* Other mistakes are no document, nor is a piece of it. */
    {"[1,,2]", NULL, ""},
    {"{\"a\": 1 \"b\": {\"c\": 2}}", NULL, ""},
    {"{\"a\": oops, \"b\": {\"c\": 2}}", NULL, ""},
    {"{\"a\": 1, \"b\": [{\"c\": 2}}", NULL, ""},
    {"[1, 2, ...]", NULL, ""},
    {"{'a': +1, 'b': {'c': 2}}", NULL, ""},
    {"(1, 2)", NULL, ""},
    {"{\"a\", \"b\"}", NULL, ""},
    {"\"The list [1,2] is short\"", "\"The list [1,2] is short\"", ""},
    {"\"text\"", "\"text\"", ""},
    {"just words", NULL, ""},
    {"", NULL, ""},
};

static void print_repairs(const ee_repairs *repairs, ee_buffer *out) {
  for (int i = 0; i < EE_REPAIR_COUNT; i++)
    if (repairs->counts[i] > 0)
      ee_buffer_addf(out, "%s%s %d", out->length > 0 ? ", " : "", ee_repair_name((ee_repair)i),
                     (int)repairs->counts[i]);
}

static void test_facts(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    const fact *f = &facts[i];
    ee_repairs repairs;
    ee_buffer out = {0}, kinds = {0};
    const ee_value *value = ee_json_in_prose_repair(&arena, ee_str_from(f->text), EE_REPAIRS_ALL, &repairs, NULL);
    if (value != NULL) ee_json_write_value(&out, value);
    const char *got = value != NULL ? ee_buffer_terminate(&out) : "nothing";
    print_repairs(&repairs, &kinds);
    if (strcmp(got, f->json != NULL ? f->json : "nothing") != 0 || strcmp(ee_buffer_terminate(&kinds), f->repairs) != 0)
      print_error("in: %s\n", f->text);
    assert_string_equal(got, f->json != NULL ? f->json : "nothing");
    assert_string_equal(kinds.data, f->repairs);
    ee_buffer_fini(&out);
    ee_buffer_fini(&kinds);
  }
}

/* Without a repair in the set, the mistake is one. */
static void test_allowed(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    const fact *f = &facts[i];
    for (int kind = EE_REPAIR_PROSE + 1; kind < EE_REPAIR_COUNT; kind++) {
      if (strstr(f->repairs, ee_repair_name((ee_repair)kind)) == NULL) continue;
      ee_repairs repairs;
      ee_value *value =
          ee_json_in_prose_repair(&arena, ee_str_from(f->text), EE_REPAIRS_ALL & ~(1u << kind), &repairs, NULL);
      /* A text in quotes is a string then. */
      if (value != NULL && ee_type_of(value) != EE_STRING) print_error("in: %s\n", f->text);
      assert_true(value == NULL || ee_type_of(value) == EE_STRING);
    }
  }
}

static void test_valid(void **state) {
  (void)state;
  test_random random = test_random_start("lenient", 61);
  ee_buffer text = {0};
  for (int i = 0; i < 3000; i++) {
    ee_buffer_clear(&text);
    random_document(&random, &text, 6, 4, true);
    ee_arena_reset(&arena, 0);
    const ee_value *strict = ee_json_read(&arena, (ee_str){text.data, text.length}, NULL, NULL);
    if (ee_type_of(strict) < EE_ARRAY) continue;
    ee_repairs repairs = {{0}};
    size_t start = 0, end = 0;
    while (text.data[start] != '{' && text.data[start] != '[') start++;
    const ee_value *lenient =
        ee_json_lenient_read(&arena, (ee_str){text.data + start, text.length - start}, EE_REPAIRS_ALL, &end, &repairs);
    assert_true(ee_value_equal(strict, lenient));
    assert_int_equal(ee_repairs_total(&repairs), 0);
    assert_true(ee_json_is_blank((ee_str){text.data + start + end, text.length - start - end}));
  }
  ee_buffer_fini(&text);
}

/* Planted mistakes ------------------------------------------------------------------------------ */

typedef struct planter {
  test_random *random;
  ee_buffer damaged, sound;
  ee_repairs planted;
} planter;

static bool plant(planter *p, ee_repair kind) {
  bool planted = test_random_below(p->random, 3) == 0;
  p->planted.counts[kind] += planted;
  return planted;
}

static void both(planter *p, const char *text) {
  ee_buffer_add_text(&p->damaged, text);
  ee_buffer_add_text(&p->sound, text);
}

static void space(planter *p) {
  if (test_random_below(p->random, 4) == 0) ee_buffer_add_char(&p->damaged, "\n \t"[test_random_below(p->random, 3)]);
  if (test_random_below(p->random, 10) > 0) return;
  static const char *const comments[] = {"/* {\"x\":[1] */", "// it's\n", "# }\n", "/***/", "/* // */"};
  p->planted.counts[EE_REPAIR_COMMENT]++;
  ee_buffer_add_text(&p->damaged, comments[test_random_below(p->random, 5)]);
}

static void string(planter *p, const char *text) {
  bool single = plant(p, EE_REPAIR_SINGLE_QUOTES);
  ee_buffer_addf(&p->sound, "\"%s\"", text);
  ee_buffer_addf(&p->damaged, single ? "'%s'" : "\"%s\"", text);
}

static void value(planter *p, int depth);

static void container(planter *p, int depth, bool is_object) {
  both(p, is_object ? "{" : "[");
  size_t count = test_random_below(p->random, 4);
  for (size_t i = 0; i < count; i++) {
    if (i > 0) both(p, ",");
    space(p);
    if (is_object) {
      const char *key = (const char *[]){"a", "total", "_x1", "Nan"}[i];
      if (plant(p, EE_REPAIR_UNQUOTED_KEY)) {
        ee_buffer_addf(&p->sound, "\"%s\"", key);
        ee_buffer_add_text(&p->damaged, key);
      } else {
        string(p, key);
      }
      space(p);
      both(p, ":");
      space(p);
    }
    value(p, depth - 1);
    space(p);
  }
  if (plant(p, EE_REPAIR_TRAILING_COMMA)) ee_buffer_add_char(&p->damaged, ',');
  space(p);
  both(p, is_object ? "}" : "]");
}

static void value(planter *p, int depth) {
  static const char *const strings[] = {"", "x", "]},", "// no", "# no", "True", "a\\nb", "\\u00e9", "it is"};
  static const char *const words[][2] = {{"true", "True"}, {"false", "False"}, {"null", "None"}};
  size_t word = test_random_below(p->random, 3);
  switch (test_random_below(p->random, depth > 0 ? 7 : 4)) {
  case 0: both(p, (const char *[]){"1", "-2.5e3", "0"}[word]); return;
  case 1:
    ee_buffer_add_text(&p->sound, words[word][0]);
    ee_buffer_add_text(&p->damaged, words[word][plant(p, EE_REPAIR_PYTHON_LITERAL)]);
    return;
  case 2:
    ee_buffer_add_text(&p->sound, "null");
    ee_buffer_add_text(&p->damaged, plant(p, EE_REPAIR_NOT_A_NUMBER) ? "NaN" : "null");
    return;
  case 3: string(p, strings[test_random_below(p->random, sizeof strings / sizeof *strings)]); return;
  case 4: container(p, depth, false); return;
  default: container(p, depth, true); return;
  }
}

static void test_planted(void **state) {
  (void)state;
  test_random random = test_random_start("lenient", 62);
  for (int i = 0; i < 5000; i++) {
    planter p = {.random = &random};
    container(&p, 4, i % 2 == 0);
    ee_arena_reset(&arena, 0);
    const ee_value *sound = ee_json_read(&arena, (ee_str){p.sound.data, p.sound.length}, NULL, NULL);
    assert_non_null(sound);
    ee_repairs repairs;
    const ee_value *found =
        ee_json_in_prose_repair(&arena, (ee_str){p.damaged.data, p.damaged.length}, EE_REPAIRS_ALL, &repairs, NULL);
    bool right = ee_value_equal(sound, found);
    for (int kind = 0; kind < EE_REPAIR_COUNT; kind++) right = right && repairs.counts[kind] == p.planted.counts[kind];
    if (!right) print_error("in: %.*s\n", (int)p.damaged.length, p.damaged.data);
    assert_true(right);
    ee_buffer_fini(&p.damaged);
    ee_buffer_fini(&p.sound);
  }
}

/* Cut documents --------------------------------------------------------------------------------- */

/* The longest beginning that ends in a complete value and, with its open brackets closed, is a document. */
static const ee_value *slow_cut(ee_str text) {
  for (size_t end = text.length; end > 1; end--) {
    char last = text.data[end - 1];
    if (strchr("{[ \t\r\n", last) != NULL) continue;
    if (end == text.length && last >= '0' && last <= '9') continue; /* more digits may have followed */
    char closing[600];
    size_t depth = 0;
    bool in_string = false;
    for (size_t i = 0; i < end; i++) {
      char c = text.data[i];
      if (in_string && c == '\\') i++;
      if (c == '"') in_string = !in_string;
      if (in_string) continue;
      if (c == '{' || c == '[') closing[depth++] = c == '{' ? '}' : ']';
      if (c == '}' || c == ']') depth--;
    }
    if (in_string) continue;
    ee_buffer copy = {0};
    ee_buffer_add(&copy, text.data, end);
    while (depth > 0) ee_buffer_add_char(&copy, closing[--depth]);
    const ee_value *value = ee_json_read(&arena, (ee_str){copy.data, copy.length}, NULL, NULL);
    ee_buffer_fini(&copy);
    /* A prefix of a number is a number: only the whole one counts. */
    bool inside_number =
        end < text.length && strchr("0123456789.eE+-", text.data[end]) != NULL && strchr("0123456789", last) != NULL;
    if (value != NULL && !inside_number) return value;
  }
  return NULL;
}

static void test_cut(void **state) {
  (void)state;
  test_random random = test_random_start("lenient", 63);
  size_t kept = 0;
  for (int i = 0; i < 4000; i++) {
    planter p = {.random = &random};
    container(&p, 4, i % 2 == 0);
    size_t length = test_random_below(&random, p.sound.length);
    ee_arena_reset(&arena, 0);
    ee_str text = {p.sound.data, length};
    ee_repairs repairs = {{0}};
    size_t end;
    const ee_value *found = length > 0 ? ee_json_lenient_read(&arena, text, EE_REPAIRS_ALL, &end, &repairs) : NULL;
    const ee_value *wanted = slow_cut(text);
    if (!ee_value_equal(found, wanted)) print_error("in: %.*s\n", (int)length, p.sound.data);
    assert_true(ee_value_equal(found, wanted));
    assert_int_equal(repairs.counts[EE_REPAIR_CUT], found != NULL);
    kept += found != NULL;
    ee_buffer_fini(&p.damaged);
    ee_buffer_fini(&p.sound);
  }
  assert_true(kept > 1000);
}

/* Any text: what is read is never a piece of a larger bracket, and memory and time are bounded. */
static void test_noise(void **state) {
  (void)state;
  test_random random = test_random_start("lenient", 64);
  static const char *const pieces[] = {"{",   "}",  "[",  "]",  "'",  "\"", ",",     ":",    "a",
                                       "\\",  "/",  "*",  "#",  "\n", "1",  "{'a':", "\\\"", "None",
                                       "NaN", "//", "/*", "*/", "-",  ".5", " "};
  ee_buffer text = {0};
  for (int i = 0; i < 60000; i++) {
    ee_buffer_clear(&text);
    ee_buffer_add_char(&text, "{["[i % 2]);
    for (size_t left = test_random_below(&random, 30); left > 0; left--)
      ee_buffer_add_text(&text, pieces[test_random_below(&random, sizeof pieces / sizeof *pieces)]);
    ee_arena_reset(&arena, 0);
    ee_repairs repairs = {{0}};
    size_t end = 0;
    ee_value *found = ee_json_lenient_read(&arena, (ee_str){text.data, text.length}, EE_REPAIRS_ALL, &end, &repairs);
    assert_true(end <= text.length);
    if (found != NULL) assert_int_equal(ee_type_of(found), text.data[0] == '{' ? EE_OBJECT : EE_ARRAY);
    if (found == NULL) assert_int_equal(ee_repairs_total(&repairs), 0);
    found = ee_json_in_prose_repair(&arena, (ee_str){text.data, text.length}, EE_REPAIRS_ALL, &repairs, NULL);
    if (found == NULL) assert_int_equal(ee_repairs_total(&repairs), 0);
  }
  ee_buffer_fini(&text);
}

EE_TEST_FILE(make_arena, free_arena, cmocka_unit_test(test_facts), cmocka_unit_test(test_allowed),
             cmocka_unit_test(test_valid), cmocka_unit_test(test_planted), cmocka_unit_test(test_cut),
             cmocka_unit_test(test_noise));
