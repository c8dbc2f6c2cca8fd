/* test_yaml_bounds.c: texts made to take time or memory. They are answered with a result, or an error at its place, and
 * with no more memory than the bounds of yaml_reader.h allow; a text that took quadratic time would show as a hang. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/yaml/yaml_reader.h"

static ee_arena arena;
static ee_buffer text;

static int set_up(void **state) {
  (void)state;
  ee_arena_init(&arena, 0);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  ee_arena_fini(&arena);
  ee_buffer_fini(&text);
  return 0;
}

static void add(const char *part, size_t times) {
  for (size_t i = 0; i < times; i++) ee_buffer_add_text(&text, part);
}

/* Reads and clears `text`; the arena is empty before and holds the tree after. */
static const ee_value *read_it(ee_error *error) {
  ee_arena_fini(&arena);
  ee_arena_init(&arena, 0);
  const ee_value *value = ee_yaml_read(&arena, (ee_str){text.data, text.length}, NULL, error);
  return value;
}

static void check_error(size_t line, size_t column, const char *message) {
  ee_error error = {0};
  const ee_value *value = read_it(&error);
  if (value != NULL || error.line != line || error.column != column || strcmp(error.message, message) != 0)
    print_error("%.60s...\n wanted %zu:%zu %s\n got    %zu:%zu %s\n", ee_buffer_terminate(&text), line, column, message,
                error.line, error.column, value != NULL ? "(a value)" : error.message);
  assert_null(value);
  assert_int_equal(error.line, line);
  assert_int_equal(error.column, column);
  assert_string_equal(error.message, message);
  /* Whatever was built before is in proportion to the text. */
  assert_true(ee_arena_held(&arena) <= 400 * text.length + ((size_t)1 << 20));
  ee_buffer_clear(&text);
}

static const ee_value *check_good(void) {
  ee_error error = {0};
  const ee_value *value = read_it(&error);
  if (value == NULL)
    print_error("%.60s...: %zu:%zu %s\n", ee_buffer_terminate(&text), error.line, error.column, error.message);
  assert_non_null(value);
  ee_buffer_clear(&text);
  return value;
}

/* Nesting -------------------------------------------------------------------------------------- */

static void test_depth(void **state) {
  (void)state;
  static const size_t sizes[] = {10000, 1000000};
  for (size_t i = 0; i < 2; i++) {
    size_t n = sizes[i];
    add("[", n), check_error(1, EE_YAML_BRACKETS + 1, "brackets nested deeper than 256");
    add("{a: ", n), check_error(1, 4 * EE_YAML_BRACKETS + 1, "brackets nested deeper than 256");
    add("{", n), check_error(1, 2, "a key is an object or an array");
    add("{? ", n), check_error(1, 4, "a key is an object or an array");
    add("? ", n), check_error(1, 3, "a key is an object or an array");
    add("- ", n), check_error(1, 2 * EE_YAML_DEPTH + 1, "nesting deeper than 512");
    add("&a [", n), check_error(1, 4 * EE_YAML_BRACKETS + 1, "brackets nested deeper than 256");
    add("!!seq [", n), check_error(1, 7 * EE_YAML_BRACKETS + 1, "brackets nested deeper than 256");
    add("[[],", n), check_error(1, 4 * (EE_YAML_BRACKETS - 1) + 2, "brackets nested deeper than 256");
    add("[\n", n), check_error(EE_YAML_BRACKETS + 1, 1, "brackets nested deeper than 256");
  }
  for (size_t k = 0; k < 600; k++) add(" ", k), add("-\n", 1);
  check_error(EE_YAML_DEPTH + 1, EE_YAML_DEPTH + 1, "nesting deeper than 512");
  for (size_t k = 0; k < 600; k++) add(" ", k), add("a:\n", 1);
  check_error(EE_YAML_DEPTH + 1, EE_YAML_DEPTH + 1, "nesting deeper than 512");
}

static void test_allowed_depth(void **state) {
  (void)state;
  /* As deep as may be: blocks and brackets, and JSON in brackets only. */
  add("- ", EE_YAML_DEPTH), add("1", 1), check_good();
  add("- ", EE_YAML_DEPTH + 1), add("1", 1), check_error(1, 2 * EE_YAML_DEPTH + 1, "nesting deeper than 512");
  add("- ", 256), add("[", 256), add("x", 1), add("]", 256), check_good();
  add("- ", 257), add("[", 256), add("x", 1), add("]", 256);
  check_error(1, 2 * 257 + 256, "nesting deeper than 512");
  add("[", 512), add("]", 512), check_good();
  add("[", 512), add("x", 1), add("]", 512), check_error(1, 257, "brackets nested deeper than 256");
  /* Through aliases. */
  add("- &a ", 1), add("[", 200), add("]", 200), add("\n", 1), add("- ", 312), add("*a", 1), check_good();
  add("- &a ", 1), add("[", 200), add("]", 200), add("\n", 1), add("- ", 313), add("*a", 1);
  check_error(2, 2 * 313 + 1, "nesting deeper than 512");
}

/* Aliases -------------------------------------------------------------------------------------- */

/* Ten levels, each ten times the one before. */
static void add_laughs(const char *scalar, const char *open, const char *separator, const char *close) {
  for (int level = 0; level < 10; level++) {
    ee_buffer_addf(&text, "a%d: &a%d %s", level, level, open);
    for (int i = 0; i < 10; i++) {
      if (separator[0] == ':') ee_buffer_addf(&text, "k%d: ", i);
      if (level == 0) {
        add(scalar, 1);
      } else {
        ee_buffer_addf(&text, "*a%d", level - 1);
      }
      if (i < 9) add(", ", 1);
    }
    ee_buffer_addf(&text, "%s\n", close);
  }
}

static void test_laughs(void **state) {
  (void)state;
  static const char nodes[] = "aliases repeat more than 524288 nodes",
                    bytes[] = "aliases repeat more than 64 MiB of strings";
  add_laughs("lol", "[", ",", "]"), check_error(6, 25, nodes);
  add_laughs("lol", "{", ":", "}"), check_error(6, 41, nodes);
  /* Merges count as what they bring. */
  add("a: &a {", 1);
  for (int i = 0; i < 1000; i++) ee_buffer_addf(&text, "k%d: 1, ", i);
  add("}\n", 1);
  for (int i = 0; i < 1000; i++) ee_buffer_addf(&text, "b%d: {<<: *a}\n", i);
  check_error(525, 12, nodes);
  /* Inside of merges, without a single alias. */
  add("{<<: ", 200), add("{", 1);
  for (int i = 0; i < 4000; i++) ee_buffer_addf(&text, "k%d: 1, ", i);
  add("}", 201);
  ee_error error = {0};
  assert_null(read_it(&error));
  assert_string_equal(error.message, nodes);
  ee_buffer_clear(&text);
  /* Few nodes, much text: in values, and in keys. */
  add("a: &a ", 1), add("x", 100000), add("\nb: [", 1), add("*a, ", 1000), add("]", 1);
  check_error(2, 5 + 4 * 671, bytes);
  add("a: &a {? ", 1), add("x", 100000), add("}\nb: [", 1), add("*a, ", 1000), add("]", 1);
  check_error(2, 5 + 4 * 671, bytes);
}

static size_t count_nodes(const ee_value *value) {
  size_t count = 1;
  for (const ee_value *child = ee_value_child(value); child != NULL; child = ee_value_next(child))
    count += count_nodes(child);
  return count;
}

/* As many as may be, and the nodes are there. */
static void test_allowed_aliases(void **state) {
  (void)state;
  add("- &a [", 1), add("1,", 1023), add("]\n- [", 1), add("*a,", 512), add("]", 1);
  const ee_value *value = check_good();
  assert_int_equal(count_nodes(value), 1 + 1024 + 1 + 512 * 1024);
  assert_true(ee_arena_held(&arena) < (size_t)256 << 20);
  add("- &a [", 1), add("1,", 1023), add("]\n- [", 1), add("*a,", 513), add("]", 1);
  check_error(2, 4 + 3 * 512, "aliases repeat more than 524288 nodes");
  add("- &a x\n", 1), add("- *a\n", 100000);
  assert_int_equal(ee_value_count(check_good()), 100001);
  /* Texts are shared: a thousand aliases of 64 KB each take no memory for them. */
  add("- &a ", 1), add("x", 65536), add("\n", 1), add("- *a\n", 1000), check_good();
  assert_true(ee_arena_held(&arena) < (size_t)1 << 20);
  for (int i = 0; i < 20000; i++) ee_buffer_addf(&text, "- &a%d [%d]\n- *a%d\n", i, i, i / 2);
  assert_int_equal(ee_value_count(check_good()), 40000);
}

/* Texts ---------------------------------------------------------------------------------------- */

static void test_long_texts(void **state) {
  (void)state;
  const size_t n = 300000;
  add("x", n), assert_int_equal(check_good()->length, n);
  add("x ", n), assert_int_equal(check_good()->length, 2 * n - 1);
  add("\"", 1), add("\\\\", n), add("\"", 1), assert_int_equal(check_good()->length, n);
  add("'", 1), add("''", n), add("'", 1), assert_int_equal(check_good()->length, n);
  add("|\n", 1), add(" x\n", n), assert_int_equal(check_good()->length, 2 * n);
  add(">\n", 1), add(" x\n\n", n), assert_int_equal(check_good()->length, 2 * n);
  add("# x\n", n), check_good();
  add("#", n), check_good();
  add("- &a x\n- *a\n", n / 10), check_good();
  add("- !!str x\n", n / 10), check_good();
  add("\xe2\x80\xa8", n / 3), assert_int_equal(check_good()->length, n / 3 * 3);
  add("# \n\"", 1), add("\\ud83d\\ude00", n / 12), add("\"", 1), assert_int_equal(check_good()->length, n / 12 * 4);
  add("9", n), assert_int_equal(check_good()->length, n);
  add("\"", 1), add("x", n), check_error(1, 1, "the quoted string that begins here is not closed");
  add("\"", n), check_error(1, 3, "unexpected '\"' after the end of the value");
  add("&a *a\n", n), check_error(1, 4, "unexpected '*' after the end of the value");
  add("!!x ", n), check_error(1, 1, "unknown tag '!!x'");
  add("x", n), add(": 1", 1);
  check_error(1, n + 1, "unexpected ':' (put a string with ':' in quotes, or check the indentation)");
  add("k: ", n), check_error(1, 5, "unexpected ':' (put a string with ':' in quotes, or check the indentation)");
  add("|", n), check_error(1, 2, "a block string begins on the line after its '|' or '>'");
  add("0x", 1), add("f", 1024), assert_int_equal(check_good()->length, 1234);
  add("0x", 1), add("f", 1025);
  check_error(1, 1, "'0xffffffffffffffffffffffffffffffffffffff...' has more than 1024 digits");
}

/* Where libyaml would take quadratic time. */
static void test_blanks_and_directives(void **state) {
  (void)state;
  static const char blanks[] = "more than 16384 blanks in a row";
  add("a", 1), add(" ", EE_YAML_BLANKS), add("b ", 100000), check_good();
  add("|\n a", 1), add("\n", EE_YAML_BLANKS - 1), add(" b\n", 100000), check_good();
  add("a", 1), add(" ", EE_YAML_BLANKS + 1), add("b", 1), check_error(1, 2, blanks);
  add("a: 1", 1), add(" \n\t", EE_YAML_BLANKS), add("b", 1), check_error(1, 5, blanks);
  add("[1]", 1), add("\n", 1000000), check_good(); /* it is JSON */
  for (int i = 0; i < 64; i++) ee_buffer_addf(&text, "%%TAG !a%d! b\n", i);
  add("--- 1", 1), check_good();
  for (int i = 0; i < 100000; i++) ee_buffer_addf(&text, "%%TAG !a%d! b\n", i);
  add("--- 1", 1), check_error(65, 1, "more than 64 directives");
}

static void test_many_members(void **state) {
  (void)state;
  const size_t n = 100000;
  add("[", 1), add("1,", n), add("]", 1), assert_int_equal(ee_value_count(check_good()), n);
  add("[", 1), add("a: 1,", n), add("]", 1), assert_int_equal(ee_value_count(check_good()), n);
  add("- 1\n", n), assert_int_equal(ee_value_count(check_good()), n);
  add("[", 250), add("1,", n), check_error(1, 251 + 2 * n, "the array that begins on line 1 is not closed");
  for (size_t i = 0; i < n; i++) ee_buffer_addf(&text, "k%zu: 1\n", i);
  const ee_value *value = check_good();
  assert_int_equal(ee_value_count(value), n);
  assert_non_null(ee_value_member(value, EE_STR("k99999"), NULL));
  for (size_t i = 0; i < n; i++) ee_buffer_addf(&text, "k%zu: 1\n", i);
  add("k17: 2", 1), check_error(n + 1, 1, "duplicate key 'k17' (first on line 18)");
  add("{", 1);
  for (size_t i = 0; i < n; i++) ee_buffer_addf(&text, "\"k%zu\": 1,\n", i);
  add("\"k17\": 2}", 1), check_error(n + 1, 1, "duplicate key 'k17' (first on line 18)");
}

/* The bound on all nodes holds for JSON as well: the place is that of the first node too many. */
static void test_nodes(void **state) {
  (void)state;
  add("[", 1), add("1,", EE_YAML_NODES - 1), add("1]", 1);
  check_error(1, 2 * EE_YAML_NODES, "more than 4194304 nodes");
}

/* Characters that libyaml refuses are read by way of private-use ones that the text has not; some text has all of them.
 */
static void test_stand_ins(void **state) {
  (void)state;
  for (int all = 0; all < 2; all++) {
    ee_buffer_clear(&text);
    add("a: \"\\u0001\x7f", 1);
    for (uint32_t c = 0xe000; c <= 0xf8ff - (all != 0 ? 0 : 40); c++) {
      char bytes[5] = "";
      ee_utf8_encode(c, bytes);
      add(bytes, 1);
    }
    add("\"", 1);
    ee_error error = {0};
    bool read = read_it(&error) != NULL;
    if (read == (all != 0)) fail_msg("%d: %s", all, error.message);
    if (all != 0) assert_non_null(strstr(error.message, "private-use"));
  }
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test_setup_teardown(test_depth, set_up, tear_down),
             cmocka_unit_test_setup_teardown(test_allowed_depth, set_up, tear_down),
             cmocka_unit_test_setup_teardown(test_laughs, set_up, tear_down),
             cmocka_unit_test_setup_teardown(test_allowed_aliases, set_up, tear_down),
             cmocka_unit_test_setup_teardown(test_long_texts, set_up, tear_down),
             cmocka_unit_test_setup_teardown(test_blanks_and_directives, set_up, tear_down),
             cmocka_unit_test_setup_teardown(test_many_members, set_up, tear_down),
             cmocka_unit_test_setup_teardown(test_nodes, set_up, tear_down),
             cmocka_unit_test_setup_teardown(test_stand_ins, set_up, tear_down));
