/* test_tree_schema.c: the type that a schema declares for a place of ee.tree, and how the schema is found. */
#include <unistd.h>

#include "judge/plan_fixture.h"

/* Numbers may differ by 1, strings have three equal letters, all else is equal; x is what the schema is asked about. */
#define RULES(schema)                                                                                                  \
  "{\"ee\": \"rules\", \"items\": [{\"ee\": \"tree\", \"line\": 2, \"leaves\": {\"number\": {\"ee\": \"numeric\", "    \
  "\"tolerance\": 1}, \"format:date\": {\"ee\": \"date\"}, \"default\": {\"ee\": \"exact\"}}, \"schema\": " schema     \
  "}]}"
#define X(schema) "{\"properties\": {\"x\": " schema "}}"
#define DEFINED(schema, defs) "{\"properties\": {\"x\": " schema "}, \"$defs\": " defs "}"
#define NUMBER "{\"type\": \"number\"}"
#define REF(to) "{\"$ref\": \"" to "\"}"

/* The schemas are in a file: in rule trees written as JSON "items" are positional. */
static char file_name[] = "/tmp/ee-tree-schema-XXXXXX";

static int make_file(void **state) {
  (void)state;
  int descriptor = mkstemp(file_name);
  return descriptor < 0 ? -1 : close(descriptor);
}

static int remove_file(void **state) {
  (void)state;
  return unlink(file_name);
}

static void write_schema(const char *text) {
  FILE *file = fopen(file_name, "wb");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

static ee_plan *compile_file(fixture *f, const char *schema) {
  write_schema(schema);
  return fixture_compile(f, ee_arena_printf(&f->arena, RULES("\"%s\""), file_name));
}

/* Whether the value of x is a number by the schema, though it is written as a string. */
static bool is_number(const char *schema) {
  fixture f;
  fixture_open(&f);
  assert_non_null(compile_file(&f, schema));
  bool matched = fixture_judge_case(&f, "{\"x\": \"5\"}", "{\"x\": 6}")->score == 1;
  fixture_close(&f);
  return matched;
}

static void test_types(void **state) {
  (void)state;
  static const char *const numbers[] = {
      X(NUMBER),
      X("{\"type\": \"integer\"}"),
      X("{\"type\": [\"null\", \"number\"]}"),
      X("{\"type\": [7, \"any\", \"number\"]}"),
      X("{\"oneOf\": [{\"type\": \"null\"}, " NUMBER "]}"),
      X("{\"allOf\": [{\"title\": \"a\"}, {\"anyOf\": [" NUMBER "]}]}"),
      X("{\"format\": \"time\", \"type\": \"number\"}"),
      "{\"additionalProperties\": " NUMBER "}",
      "{\"properties\": {\"y\": {}}, \"additionalProperties\": " NUMBER "}",
      "{\"allOf\": [" X("{}") ", " X(NUMBER) "]}",
      DEFINED(REF("#/$defs/n"), "{\"n\": " NUMBER "}"),
      DEFINED(REF("#/$defs/n"), "{\"n\": " REF("#/$defs/m") ", \"m\": " NUMBER "}"),
      DEFINED(REF("#/$defs/a~1b~0c~2~"), "{\"a/b~c~2~\": " NUMBER "}"),
      DEFINED(REF("#/$defs/%C3%A4%20%2541"), "{\"\xc3\xa4 %41\": " NUMBER "}"),
      DEFINED(REF("#/$defs/l/10"), "{\"l\": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, " NUMBER "]}"),
      DEFINED(REF("#/$defs/l/0"), "{\"l\": [" NUMBER "]}"),
      /* References to what is there already end, and take no room. */
      X("{\"$ref\": \"#/properties/x\", \"anyOf\": [" NUMBER "]}"),
      DEFINED("{\"$ref\": \"#/$defs/a\", \"anyOf\": [" NUMBER "]}",
              "{\"a\": {\"$ref\": \"#/$defs/b\"}, \"b\": {\"$ref\": \"#/$defs/a\"}}"),
      "{\"$ref\": \"#\", \"properties\": {\"x\": {\"$ref\": \"#/properties/x\", \"type\": \"number\"}}}",
  };
  static const char *const others[] = {
      "{}",
      X("true"),
      X("{\"type\": \"string\"}"),
      X("{\"type\": [\"string\", \"number\"]}"), /* the first one */
      X("{\"type\": \"null\"}"),
      X("{\"type\": [\"null\"]}"),
      X("{\"type\": \"float\"}"),
      X("{\"type\": {}}"),
      X("{\"anyOf\": {\"type\": \"number\"}}"),
      X("{\"items\": " NUMBER "}"),
      "{\"properties\": {\"x\": {}}, \"additionalProperties\": " NUMBER "}",
      "{\"properties\": {\"x\": " NUMBER
      ", \"x2\": 1}, \"allOf\": [" X("{\"type\": \"string\"}") "], \"properties\": {}}",
      DEFINED(REF("#/$defs/m"), "{\"n\": " NUMBER "}"),
      DEFINED(REF("#n"), "{\"n\": {\"$anchor\": \"n\", \"type\": \"number\"}}"),
      DEFINED(REF(""), "{}"),
      DEFINED(REF("other.json#/$defs/n"), "{\"n\": " NUMBER "}"),
      DEFINED(REF("#/$defs/%4"), "{\"%4\": " NUMBER "}"),
      DEFINED(REF("#/$defs/n/type"), "{\"n\": " NUMBER "}"),
      DEFINED(REF("#/$defs/l/1"), "{\"l\": [" NUMBER "]}"),
      DEFINED(REF("#/$defs/l/00"), "{\"l\": [" NUMBER "]}"),
      DEFINED(REF("#/$defs/l/"), "{\"l\": [" NUMBER "]}"),
      DEFINED(REF("#/$defs/l/0x"), "{\"l\": [" NUMBER "]}"),
      DEFINED(REF("#/$defs/l/+0"), "{\"l\": [" NUMBER "]}"),
      DEFINED(REF("#/$defs/l/10000000000000000000000"), "{\"l\": [" NUMBER "]}"),
      DEFINED("{\"$ref\": 7}", "{}"),
  };
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    if (!is_number(numbers[i])) fail_msg("no number: %s", numbers[i]);
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (is_number(others[i])) fail_msg("a number: %s", others[i]);
}

/* Items, also of arrays in arrays; the format comes before the type; what the schema does not know has the type of its
 * value. */
static void test_places(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  assert_non_null(compile_file(&f, "{\"properties\": {\"l\": {\"items\": {\"items\": " NUMBER
                                   "}}, \"d\": {\"type\": \"number\", \"format\": "
                                   "\"date\"}, \"e\": {\"format\": \"time\"}, \"k\": {\"format\": 3}}}"));
  const ee_judge_result *result =
      fixture_judge_case(&f, "{\"l\": [[\"1\", \"5\"]], \"d\": \"2025-01-02\", \"e\": \"3\", \"k\": \"3\", \"u\": 3}",
                         "{\"l\": [[2, 6]], \"d\": \"2 Jan 2025\", \"e\": 4, \"k\": \"4\", \"u\": 4}");
  assert_hits(&f, result, "l[0][0]; l[0][1]; d; u");
  assert_misses(&f, result, "e (type mismatch: got number, expected string); k (value mismatch)");
  fixture_close(&f);
}

/* More schemas for one place than are kept: the first ones count. */
static void test_many(void **state) {
  (void)state;
  ee_buffer text = {0};
  for (int first = 0; first < 2; first++) {
    ee_buffer_clear(&text);
    ee_buffer_add_text(&text, "{\"properties\": {\"x\": {\"anyOf\": [");
    if (first) ee_buffer_add_text(&text, NUMBER ",");
    for (int i = 0; i < 20; i++) ee_buffer_addf(&text, "{\"title\": \"%d\"},", i);
    ee_buffer_add_text(&text, NUMBER "]}}}");
    assert_true(is_number(ee_buffer_terminate(&text)) == first);
  }
  /* References in references. */
  for (int depth = 5; depth < 40; depth += 30) {
    ee_buffer_clear(&text);
    ee_buffer_add_text(&text, "{\"properties\": {\"x\": " REF("#/$defs/0") "}, \"$defs\": {");
    for (int i = 0; i < depth; i++) ee_buffer_addf(&text, "\"%d\": {\"$ref\": \"#/$defs/%d\"}, ", i, i + 1);
    ee_buffer_addf(&text, "\"%d\": " NUMBER "}}", depth);
    assert_true(is_number(ee_buffer_terminate(&text)) == (depth == 5));
  }
  ee_buffer_fini(&text);
}

/* Mistakes ------------------------------------------------------------------------------------- */

/* The only mistake; ":1:2: ..." is one in the file. */
static void check_file(const char *schema, const char *message) {
  fixture f;
  fixture_open(&f);
  assert_null(compile_file(&f, schema));
  assert_int_equal(f.errors.count, 1);
  ee_error_print(&f.errors.items[0], &f.text);
  assert_string_equal(ee_buffer_terminate(&f.text),
                      message[0] == ':' ? ee_arena_printf(&f.arena, "%s%s", file_name, message) : message);
  fixture_close(&f);
}

static void test_mistakes(void **state) {
  (void)state;
  check_file("{\"type\":\n tru}", ":2:2: expected a value");
  check_file("[1]", "rules.lua:2: schema of ee.tree must be an object, got an array");
  check_mistakes(RULES("\"/nowhere/s.json\""),
                 "2: schema of ee.tree: cannot open '/nowhere/s.json': No such file or directory");
  check_mistakes(RULES("\"\""), "2: schema of ee.tree: the name of the file is empty");
  check_mistakes(RULES("{\"a\": {\"function\": 1}}"), "2: schema of ee.tree: 'a' is a function");
  check_mistakes(
      "{\"ee\": \"rules\", \"items\": [{\"ee\": \"tree\", \"leaves\": {\"format:date\": {\"ee\": \"date\"}}}]}",
      "1: the leaf 'format:date' of ee.tree needs the option 'schema'");
}

EE_TEST_FILE(make_file, remove_file, cmocka_unit_test(test_types), cmocka_unit_test(test_places),
             cmocka_unit_test(test_many), cmocka_unit_test(test_mistakes));
