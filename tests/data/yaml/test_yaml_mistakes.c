/* test_yaml_mistakes.c: invalid texts of every kind, with the location and the message of each error. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/yaml/yaml_reader.h"
#include "support/arena.h"

typedef struct mistake {
  const char *text;
  size_t length; /* 0: up to the NUL */
  size_t line, column;
  const char *message;
} mistake;

/* The offset of a line and a column, by looking for the line. */
static size_t offset_of(ee_str text, size_t line, size_t column) {
  size_t start = text.length >= 3 && memcmp(text.data, "\xef\xbb\xbf", 3) == 0 ? 3 : 0, at = start;
  for (size_t now = 1; now < line; at++) {
    assert_true(at < text.length);
    char next = at + 1 < text.length ? text.data[at + 1] : '\0';
    now += text.data[at] == '\n' || (text.data[at] == '\r' && next != '\n');
  }
  return at + column - 1;
}

static void check_mistake(const mistake *wanted) {
  ee_str text = {wanted->text, wanted->length > 0 ? wanted->length : strlen(wanted->text)};
  char *copy = malloc(text.length > 0 ? text.length : 1);
  memcpy(copy, text.data, text.length);
  ee_error error = {0};
  ee_yaml_places places = {0};
  ee_arena_reset(&arena, 0);
  const ee_value *value = ee_yaml_read(&arena, (ee_str){copy, text.length}, &places, &error);
  free(copy);
  if (value == NULL && error.line == wanted->line && error.column == wanted->column &&
      strcmp(error.message, wanted->message) == 0) {
    assert_int_equal(error.status, EE_ERROR_DATA);
    assert_string_equal(error.file, "");
    assert_int_equal(error.offset, offset_of(text, error.line, error.column));
    return;
  }
  print_error("%s\n wanted %zu:%zu %s\n got    %zu:%zu %s\n", wanted->text, wanted->line, wanted->column,
              wanted->message, error.line, error.column, value != NULL ? "(a value)" : error.message);
  fail();
}

static void check_mistakes(const mistake *mistakes, size_t count) {
  for (size_t i = 0; i < count; i++) check_mistake(&mistakes[i]);
}

#define CHECK_MISTAKES(mistakes) check_mistakes(mistakes, sizeof(mistakes) / sizeof *(mistakes))

static void test_characters(void **state) {
  (void)state;
  static const char tab[] = "a tab cannot be used for indentation";
  static const mistake mistakes[] = {
      {"a:\n\tb: 1\n", 0, 2, 1, tab},
      {"a: 1\n\tb: 2\n", 0, 2, 1, tab},
      {"a:\n  b: 1\n  \tc: 2\n", 0, 3, 3, tab},
      {"a:\n  - b\n\t- c\n", 0, 3, 1, tab},
      {"- a\n\t- b\n", 0, 2, 1, tab},
      {"\ta: 1", 0, 1, 1, tab},
      {"a: b\n \t c: 1\n", 0, 2, 2, tab},
      {"-\ta", 0, 1, 2, tab},
      {"a: |\n\tb\n", 0, 2, 1, tab},
      {"\xc3\xa4: \xff", 0, 1, 5, "invalid UTF-8"},
      {"a: 1\nb: \xc3", 0, 2, 4, "invalid UTF-8"},
      {"a: \xed\xa0\x80", 0, 1, 4, "invalid UTF-8"},
      {"a: \xc0\xaf", 0, 1, 4, "invalid UTF-8"},
      {"\xef\xbb\xbfxx\xfe", 0, 1, 3, "invalid UTF-8"},
      {"a: \x01\xff", 0, 1, 4, "control character U+0001"},
      {"a: 1\nb: \0c", 10, 2, 4, "control character U+0000"},
      {"\"\x1b\"", 0, 1, 2, "control character U+001B"},
      {"# \x08", 0, 1, 3, "control character U+0008"},
      {"{\"a\": \"\x02\"}", 0, 1, 8, "control character U+0002"},
      {"a: b\x7f", 0, 1, 5, "character U+007F outside quotes"},
      {"- \"\x7f\"\n- |\n  a\n  \xc2\x80", 0, 4, 3, "character U+0080 outside quotes"},
      {"a: 1\n\xef\xbb\xbf"
       "b: 2",
       0, 2, 1, "a byte order mark in the middle of the file"},
      {"a: '\xef\xbf\xbf'\nb: \xef\xbf\xbe", 0, 2, 4, "character U+FFFE outside quotes"},
      {"\xff\xfe"
       "a\0",
       4, 1, 1, "UTF-16 or UTF-32 text (only UTF-8 is read)"},
      {"\xfe\xff\0a", 4, 1, 1, "UTF-16 or UTF-32 text (only UTF-8 is read)"},
      {"a\0:\0", 4, 1, 1, "UTF-16 or UTF-32 text (only UTF-8 is read)"},
      {"\0a\0:", 4, 1, 1, "UTF-16 or UTF-32 text (only UTF-8 is read)"},
      {"\0\0\xfe\xff\0\0\0a", 8, 1, 1, "UTF-16 or UTF-32 text (only UTF-8 is read)"},
      {"a\0\0\0", 4, 1, 1, "UTF-16 or UTF-32 text (only UTF-8 is read)"},
      {"ab\0c", 4, 1, 3, "control character U+0000"},
  };
  CHECK_MISTAKES(mistakes);
}

static void test_keys(void **state) {
  (void)state;
  static const mistake mistakes[] = {
      {"id: 1\nb: 2\nid: 3\n", 0, 3, 1, "duplicate key 'id' (first on line 1)"},
      {"a:\n  - x: 1\n    y: 2\n    \"x\": 3\n", 0, 4, 5, "duplicate key 'x' (first on line 2)"},
      {"{a: 1, b: {a: 1},\n 'a': 2}", 0, 2, 2, "duplicate key 'a' (first on line 1)"},
      {"{\"a\": 1,\n \"b\": {\"a\": 2},\n\"\\u0061\": 3}", 0, 3, 1, "duplicate key 'a' (first on line 1)"},
      {"{\"q\": \"]}\\\"\", \"r\": [[1], {\"x\": 1,\n\"y\": {},\n  \"x\": 2}], \"q\": 3}", 0, 3, 3,
       "duplicate key 'x' (first on line 1)"},
      {"1: a\n1: b", 0, 2, 1, "duplicate key '1' (first on line 1)"},
      {"&k a: 1\n*k : 2", 0, 2, 1, "duplicate key 'a' (first on line 1)"},
      {"? a\n? a\n", 0, 2, 3, "duplicate key 'a' (first on line 1)"},
      {"<<: {a: 1}\nb: 1\n<<: {c: 1}", 0, 3, 1, "duplicate key '<<' (first on line 1)"},
      {"\"a\\nb\": 1\n'a\n\n  b': 2", 0, 2, 1, "expected ':' after the key that begins here"},
      {"\"a\\nb\": 1\n\"a\\nb\": 2", 0, 2, 1, "duplicate key 'a?b' (first on line 1)"},
      {"a234567890123456789012345678901234567890z: 1\na234567890123456789012345678901234567890z: 1\n", 0, 2, 1,
       "duplicate key 'a234567890123456789012345678901234567890...' (first on line 1)"},
      {"{k1: 1, k2: 1, k3: 1, k4: 1, k5: 1, k6: 1, k7: 1, k8: 1, k9: 1, k10: 1,\nk11: 1, k12: 1, k13: 1, k14: 1, k15: "
       "1,"
       " k16: 1, k17: 1, k18: 1,\nk12: 1}",
       0, 3, 1, "duplicate key 'k12' (first on line 2)"},
      {"? [a]\n: 1", 0, 1, 3, "a key is an object or an array"},
      {"{[a]: 1}", 0, 1, 2, "a key is an object or an array"},
      {"? {a: 1}\n: 1", 0, 1, 3, "a key is an object or an array"},
      {"- &a [1]\n- *a : 1", 0, 2, 3, "a key is an object or an array"},
      {"{{a: 1}: 1}", 0, 1, 2, "a key is an object or an array"},
      {"[?b]", 0, 1, 2, "a string in brackets begins with '?' (put it in quotes)"},
      {"[a, {\xc3\xa4: 1, ?b: 1}]", 0, 1, 13, "a string in brackets begins with '?' (put it in quotes)"},
      {"a: 1\nb\nc: 2\n", 0, 2, 1, "expected ':' after the key that begins here"},
      {"a:\n  b: 1\n  c\n", 0, 3, 3, "expected ':' after the key that begins here"},
  };
  CHECK_MISTAKES(mistakes);
  /* Keys that are longer than libyaml looks ahead. */
  char text[2048] = "a: 1\n";
  memset(text + 5, 'k', 1500);
  strcpy(text + 1505, ": 1\n");
  check_mistake(&(mistake){text, 0, 2, 1, "a key of more than 1024 characters"});
}

#define COLON_IN_NAME "the name of an anchor or alias has a ':' (leave a space before it)"

static void test_anchors(void **state) {
  (void)state;
  static const mistake mistakes[] = {
      {"- *x\n", 0, 1, 3, "unknown alias '*x'"},
      {"a: &x 1\nb: *y", 0, 2, 4, "unknown alias '*y'"},
      {"- *x\n- &x 1", 0, 1, 3, "unknown alias '*x'"},
      {"*x : 1", 0, 1, 1, "unknown alias '*x'"},
      {"&a [*a]", 0, 1, 5, "alias '*a' inside its own anchor"},
      {"&a\nb:\n  c: [1, *a]", 0, 3, 10, "alias '*a' inside its own anchor"},
      {"&a {<<: *a}", 0, 1, 9, "alias '*a' inside its own anchor"},
      {"&a {b: &a [*a]}", 0, 1, 12, "alias '*a' inside its own anchor"},
      {"- &a x\n- *a y", 0, 2, 6, "expected an item ('- ') of the array that begins on line 1, or less indentation"},
      {"a: &b &c d", 0, 1, 7, "expected a key of the object that begins on line 1, or less indentation"},
      {"files: *.txt", 0, 1, 8,
       "the name of an alias ('*') must consist of letters, digits, '-' and '_' (put other strings in quotes)"},
      {"a: & b", 0, 1, 4,
       "the name of an anchor ('&') must consist of letters, digits, '-' and '_' (put other strings in quotes)"},
      {"key: &an:chor value", 0, 1, 6, COLON_IN_NAME},
      {"x: &a:b 1", 0, 1, 4, COLON_IN_NAME},
      {"&a: b", 0, 1, 1, COLON_IN_NAME},
      {"- !!str &a:b c", 0, 1, 3, COLON_IN_NAME},
      {"- &a x\n- [*a:b]", 0, 2, 4, COLON_IN_NAME},
      {"a: {<<: 1}", 0, 1, 9, "'<<' must be an object or an array of objects"},
      {"- &a 1\n- {<<: *a}", 0, 2, 8, "'<<' must be an object or an array of objects"},
      {"- &a [{}, 1]\n- {<<: *a}", 0, 2, 8, "'<<' must be an object or an array of objects"},
      {"- &a [[]]\n- &b {}\n- {<<: [*b, *a]}", 0, 3, 15, "'<<' must be an object or an array of objects"},
      {"<<:\n", 0, 1, 4, "'<<' must be an object or an array of objects"},
  };
  CHECK_MISTAKES(mistakes);
}

static void test_values(void **state) {
  (void)state;
  static const mistake mistakes[] = {
      {"a: .nan", 0, 1, 4, "'.nan' is not a number in JSON"},
      {"[1, -.Inf]", 0, 1, 5, "'-.Inf' is not a number in JSON"},
      {"- +.INF", 0, 1, 3, "'+.INF' is not a number in JSON"},
      {"!!float .inf", 0, 1, 1, "'.inf' is not a number in JSON"},
      {"a: !!int 1.5", 0, 1, 4, "'1.5' is not a whole number"},
      {"a: !!int x", 0, 1, 4, "'x' is not a whole number"},
      {"a: !!int .inf", 0, 1, 4, "'.inf' is not a whole number"},
      {"a: !!float x", 0, 1, 4, "'x' is not a number"},
      {"a: !!float 0x1F", 0, 1, 4, "'0x1F' is not a number"},
      {"a: !!bool yes", 0, 1, 4, "'yes' is neither true nor false"},
      {"a: !!null 0", 0, 1, 4, "'0' is not null"},
      {"a: !!map b", 0, 1, 4, "'b' is not an object, but its tag says so"},
      {"a: !!seq b", 0, 1, 4, "'b' is not an array, but its tag says so"},
      {"a: !!str [b]", 0, 1, 4, "an array with a tag of another type"},
      {"a: !!seq {}", 0, 1, 4, "an object with a tag of another type"},
      {"a: !!set {b}", 0, 1, 4, "unknown tag '!!set'"},
      {"a: !!timestamp 2024-01-01", 0, 1, 4, "unknown tag '!!timestamp'"},
      {"a: !env HOME", 0, 1, 4, "unknown tag '!env'"},
      {"- !<x:y> z", 0, 1, 3, "unknown tag 'x:y'"},
      {"!env a: 1", 0, 1, 1, "unknown tag '!env'"},
      {"!!int a: 1", 0, 1, 1, "'a' is not a whole number"},
      {"a: !e!x 1", 0, 1, 4, "no %TAG directive declares the handle of this tag"},
      {"a: !<x y", 0, 1, 4, "invalid tag (put a string that begins with '!' in quotes)"},
      {"a: !x{y", 0, 1, 4, "invalid tag (put a string that begins with '!' in quotes)"},
  };
  CHECK_MISTAKES(mistakes);
}

static void test_brackets(void **state) {
  (void)state;
  static const mistake mistakes[] = {
      {"a:\n  b: 1\nc:\n  - [1,\n     2\n", 0, 6, 1, "the array that begins on line 4 is not closed"},
      {"[1, 2", 0, 1, 6, "the array that begins on line 1 is not closed"},
      {"[1,", 0, 1, 4, "the array that begins on line 1 is not closed"},
      {"a: {b: 1", 0, 1, 9, "the object that begins on line 1 is not closed"},
      {"a: {b:", 0, 1, 7, "the object that begins on line 1 is not closed"},
      {"a: [{b: 1}\n---\n", 0, 2, 1, "the array that begins on line 1 is not closed"},
      {"a: [\n  {b: 1,\n c: 2]\n", 0, 3, 6, "expected ',' or '}' in the object that begins on line 2"},
      {"a: [1,\n  2\nb: 3\n", 0, 3, 2, "expected ',' or ']' in the array that begins on line 1"},
      {"[a b] c", 0, 1, 7, "unexpected 'c' after the end of the value"},
      {"[1 [2]]", 0, 1, 4, "expected ',' or ']' in the array that begins on line 1"},
      {"a: ]", 0, 1, 4, "expected a value, not ']'"},
      {"[1, , 2]", 0, 1, 5, "expected a value, not ','"},
      {"[,]", 0, 1, 2, "expected a value, not ','"},
      {"[- a]", 0, 1, 2, "expected a value, not '-'"},
      {"[a, |]", 0, 1, 5, "a block string ('|') is not allowed in brackets"},
      {"a: 1\n}", 0, 2, 1, "expected a key of the object that begins on line 1, or less indentation"},
      {"{\"a\": 1} {", 0, 1, 10, "unexpected '{' after the end of the value"},
      {"{a: b: c}", 0, 1, 6, "expected ',' or '}' in the object that begins on line 1"},
  };
  CHECK_MISTAKES(mistakes);
}

static void test_blocks(void **state) {
  (void)state;
  static const char colon[] = "unexpected ':' (put a string with ':' in quotes, or check the indentation)";
  static const mistake mistakes[] = {
      {"a: b: c\n", 0, 1, 5, colon},
      {"a: 1\n  b: 2\n", 0, 2, 4, colon},
      {"title: Re: x", 0, 1, 10, colon},
      {"a: \"b\": c", 0, 1, 7, colon},
      {"a:\n  b: 1\n c: 2\n", 0, 3, 2, "expected a key of the object that begins on line 1, or less indentation"},
      {"  a: 1\nb: 2\n", 0, 2, 1, "unexpected 'b' after the end of the value"},
      {"- a\nb: 1\n", 0, 2, 1, "expected an item ('- ') of the array that begins on line 1, or less indentation"},
      {"a: 1\n- b\n", 0, 2, 1, "expected a key of the object that begins on line 1, or less indentation"},
      {"a:\n  - b\n   - c: 1\n", 0, 3, 7, colon},
      {"a: - b", 0, 1, 4, "an array item ('- ') is not allowed on the line of its key"},
      {"\"a\" - b", 0, 1, 5, "an array item ('- ') is not allowed here"},
      {"a: ? b", 0, 1, 4, "a key ('? ') is not allowed here"},
      {"a: @b", 0, 1, 4, "a string cannot begin with '@' (put it in quotes)"},
      {"- `b`", 0, 1, 3, "a string cannot begin with '`' (put it in quotes)"},
      {"a: %b", 0, 1, 4, "a string cannot begin with '%' (put it in quotes)"},
      {"a: |x\n", 0, 1, 5, "a block string begins on the line after its '|' or '>'"},
      {"a: |0\n", 0, 1, 5, "the indentation after '|' or '>' must be 1 to 9"},
      {"a: >12\n  b", 0, 1, 6, "a block string begins on the line after its '|' or '>'"},
      {"\"a\" \"b\"", 0, 1, 5, "unexpected '\"' after the end of the value"},
      {"a: \"b\" c", 0, 1, 8, "expected a key of the object that begins on line 1, or less indentation"},
  };
  CHECK_MISTAKES(mistakes);
}

static void test_quotes(void **state) {
  (void)state;
  static const char open[] = "the quoted string that begins here is not closed";
  static const mistake mistakes[] = {
      {"a: \"b\nc: 1\n", 0, 1, 4, open},
      {"a: 'it's\nb: 1", 0, 1, 8, "expected a key of the object that begins on line 1, or less indentation"},
      {"- a\n- 'b", 0, 2, 3, open},
      {"- [\"b", 0, 1, 4, open},
      {"a: \"b\n---\n", 0, 1, 4, open},
      {"\"\\q\"", 0, 1, 2, "unknown escape '\\q' (single quotes leave backslashes alone)"},
      {"\"\\\xc3\xa4\"", 0, 1, 2, "unknown escape '\\\xc3\xa4' (single quotes leave backslashes alone)"},
      {"re: \"\\d+\"", 0, 1, 6, "unknown escape '\\d' (single quotes leave backslashes alone)"},
      {"\"\\u12\"", 0, 1, 4, "expected hexadecimal digits in the escape"},
      {"\"\\xZZ\"", 0, 1, 4, "expected hexadecimal digits in the escape"},
      {"\"\\U00110000\"", 0, 1, 4, "the escape is not a Unicode character"},
      {"a: \"\\ud83d\"", 0, 1, 5, "lone surrogate in \\u escape"},
      {"a: '\\ud83d'\nb: \"\\ud83d\\ude00 \\\\ud83d \\ude00\"", 0, 2, 26, "lone surrogate in \\u escape"},
      {"\"\\ud83d\\u0041\"", 0, 1, 2, "lone surrogate in \\u escape"},
      {"[\"\\ud83d\\ud83d\\ude00\"]", 0, 1, 3, "lone surrogate in \\u escape"},
      {"a: \"\\", 0, 1, 4, open},
      {"\"\\ud8", 0, 1, 4, "expected hexadecimal digits in the escape"},
  };
  CHECK_MISTAKES(mistakes);
}

static void test_documents(void **state) {
  (void)state;
  static const mistake mistakes[] = {
      {"a: 1\n---\nb: 2\n", 0, 2, 1, "a second document (only one is allowed)"},
      {"---\n---\n", 0, 2, 1, "a second document (only one is allowed)"},
      {"a\n...\nb\n", 0, 3, 1, "unexpected 'b' after the end of the value"},
      {"a\n...\n--- b\n", 0, 3, 1, "a second document (only one is allowed)"},
      {"%FOO bar\n---\na", 0, 1, 1, "unknown directive (known are %YAML and %TAG)"},
      {"%YAML 1.2\na: 1", 0, 2, 1, "expected '---' after the directives"},
      {"%YAML 2.0\n---\na", 0, 1, 1, "the YAML version is not 1.1 or 1.2"},
      {"%YAML x\n---\na", 0, 1, 1, "invalid directive"},
      {"%YAML 1.2\n%YAML 1.2\n---\n", 0, 2, 1, "a second directive of the same kind"},
      {"%TAG !a! b\n%TAG !a! c\n---\n", 0, 2, 1, "a second directive of the same kind"},
      {"%TAG\n---\na", 0, 1, 1, "invalid directive"},
      {"%", 0, 1, 1, "invalid directive"},
  };
  CHECK_MISTAKES(mistakes);
}

/* An error is not asked for by everybody. */
static void test_without_error(void **state) {
  (void)state;
  static const char *const texts[] = {"a: [", "a: 1\na: 2", "\xff", "- *x", "{\"a\":1,\"a\":2}", "\"\x7f\" a"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    assert_null(ee_yaml_read(&arena, ee_str_from(texts[i]), NULL, NULL));
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test_setup_teardown(test_characters, make_arena, free_arena),
             cmocka_unit_test_setup_teardown(test_keys, make_arena, free_arena),
             cmocka_unit_test_setup_teardown(test_anchors, make_arena, free_arena),
             cmocka_unit_test_setup_teardown(test_values, make_arena, free_arena),
             cmocka_unit_test_setup_teardown(test_brackets, make_arena, free_arena),
             cmocka_unit_test_setup_teardown(test_blocks, make_arena, free_arena),
             cmocka_unit_test_setup_teardown(test_quotes, make_arena, free_arena),
             cmocka_unit_test_setup_teardown(test_documents, make_arena, free_arena),
             cmocka_unit_test_setup_teardown(test_without_error, make_arena, free_arena));
