/* test_yaml_reader.c: what YAML 1.2 with the core schema means, as the JSON that it reads like; and places of nodes. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/json/json_reader.h"
#include "data/json/json_writer.h"
#include "data/yaml/yaml_reader.h"
#include "support/arena.h"

/* Reads a copy of the text in a block of exactly its size, so that a sanitizer sees each byte read past its end. */
static ee_value *read_exactly(ee_str text, ee_yaml_places *places, ee_error *error) {
  char *copy = malloc(text.length > 0 ? text.length : 1);
  memcpy(copy, text.data, text.length);
  ee_value *value = ee_yaml_read(&arena, (ee_str){copy, text.length}, places, error);
  free(copy);
  return value;
}

static ee_value *read_text(const char *text) {
  ee_error error;
  ee_value *value = read_exactly(ee_str_from(text), NULL, &error);
  if (value == NULL) print_error("%s: %zu:%zu: %s\n", text, error.line, error.column, error.message);
  assert_non_null(value);
  return value;
}

/* Reads like `json`, member for member and in its order. */
static void check_text(const char *text, const char *json) {
  ee_error error = {0};
  ee_arena_reset(&arena, 0);
  const ee_value *value = read_exactly(ee_str_from(text), NULL, &error);
  ee_buffer out = {0};
  if (value != NULL) ee_json_write_value(&out, value);
  ee_buffer_terminate(&out);
  if (value == NULL || strcmp(out.data, json) != 0) {
    print_error("%s\n wanted %s\n got    %s", text, json, value != NULL ? out.data : "");
    if (value == NULL) print_error("%zu:%zu: %s", error.line, error.column, error.message);
    print_error("\n");
    fail();
  }
  ee_buffer_fini(&out);
}

typedef struct fact {
  const char *yaml, *json;
} fact;

static void check_facts(const fact *facts, size_t count) {
  for (size_t i = 0; i < count; i++) check_text(facts[i].yaml, facts[i].json);
}

#define CHECK_FACTS(facts) check_facts(facts, sizeof(facts) / sizeof *(facts))

/* Scalars -------------------------------------------------------------------------------------- */

static void test_core_schema(void **state) {
  (void)state;
  static const fact facts[] = {
      {"[null, Null, NULL, ~, ]", "[null,null,null,null]"},
      {"- \n-", "[null,null]"},
      {"[true, True, TRUE, false, False, FALSE]", "[true,true,true,false,false,false]"},
      {"[tRUE, yes, Yes, no, NO, on, off, y, n, t, f]",
       "[\"tRUE\",\"yes\",\"Yes\",\"no\",\"NO\",\"on\",\"off\",\"y\",\"n\",\"t\",\"f\"]"},
      {"[0, 7, 42, -17, +12, 010, 0008, -007, +00]", "[0,7,42,-17,12,10,8,-7,0]"},
      {"[0o7, 0o17, 0o010, 0x1F, 0xdeadBEEF, 0x0]", "[7,15,8,31,3735928559,0]"},
      {"[0o8, 0xg, 0x, 0o, -0x1, +0o7, 0X1F, 0O7]",
       "[\"0o8\",\"0xg\",\"0x\",\"0o\",\"-0x1\",\"+0o7\",\"0X1F\",\"0O7\"]"},
      {"[1.5, -0.25, +1.25, .5, -.5, +.5, 1., -1., 00.5]", "[1.5,-0.25,1.25,0.5,-0.5,0.5,1,-1,0.5]"},
      {"[1e3, 1E3, 1e+3, 1e-3, 1.e2, .5e1, 12.5E-1, 1e05]", "[1000,1000,1000,0.001,100,5,1.25,100000]"},
      {"[e5, 1e, 1e+, ., +, .e1, 1.2.3, 1-2, --1, +-1, 1 2]",
       "[\"e5\",\"1e\",\"1e+\",\".\",\"+\",\".e1\",\"1.2.3\",\"1-2\",\"--1\",\"+-1\",\"1 2\"]"},
      {"[1_000, 0b1, 0b101, 12:30:00, 190:20:30, '1,000', 1 000]",
       "[\"1_000\",\"0b1\",\"0b101\",\"12:30:00\",\"190:20:30\",\"1,000\",\"1 000\"]"},
      {"[2024-01-31, 2001-12-14t21:59:43.10-05:00, 2024-01-31 10:00:00]",
       "[\"2024-01-31\",\"2001-12-14t21:59:43.10-05:00\",\"2024-01-31 10:00:00\"]"},
      {"[infinity, inf, nan, NaN, .Nan, .iNF, -.nan]",
       "[\"infinity\",\"inf\",\"nan\",\"NaN\",\".Nan\",\".iNF\",\"-.nan\"]"},
      {"[\"1\", '1', \"true\", 'null', '', \"\"]", "[\"1\",\"1\",\"true\",\"null\",\"\",\"\"]"},
      {"- |\n  12\n- >-\n  true\n", "[\"12\\n\",\"true\"]"},
      {"0x1fffffffffffff", "9007199254740991"},
      {"0x20000000000001", "9007199254740993"},
      {"0o400000000000000001", "9007199254740993"},
      {"0xffffffffffffffffffffffffffffffff", "340282366920938463463374607431768211455"},
      {"0x3b9aca00", "1000000000"}, /* limbs of nine zeros */
      {"0xde0b6b3a7640000", "1000000000000000000"},
      {"9007199254740993", "9007199254740993"},
      {"+0009007199254740993", "9007199254740993"},
      {"-123456789012345678901234567890", "-123456789012345678901234567890"},
      {"1e400", "1e400"},
      {"000.10000000000000000001", "0.10000000000000000001"},
      {"-.30000000000000000001", "-0.30000000000000000001"},
      {"- -0\n- -0.0\n- 0e9", "[0,0,0]"},
      {"0.10", "0.1"},
  };
  CHECK_FACTS(facts);
}

/* A number is the node that the JSON reader makes of the same number. */
static void test_number_nodes(void **state) {
  (void)state;
  static const struct {
    const char *yaml, *json;
  } cases[] = {{"010", "10"},
               {"+1", "1"},
               {"-0", "-0"},
               {"-00", "-0"},
               {"1.", "1"},
               {".5", "0.5"},
               {"0.10", "0.10"},
               {"999999999999999", "999999999999999"},
               {"-1000000000000000", "-1000000000000000"},
               {"9007199254740992", "9007199254740992"},
               {"+09007199254740993", "9007199254740993"},
               {"0x20000000000001", "9007199254740993"},
               {"00.1000000000000000055511151231257827", "0.1000000000000000055511151231257827"},
               {"1.e400", "1e400"},
               {"-1e-400", "-1e-400"},
               {"2147483648", "2147483648"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[128];
    snprintf(text, sizeof text, "# no JSON\n%s", cases[i].yaml);
    const ee_value *value = read_text(text), *wanted = ee_json_read(&arena, ee_str_from(cases[i].json), NULL, NULL);
    assert_int_equal(ee_type_of(value), EE_NUMBER);
    assert_memory_equal(&value->json.valuedouble, &wanted->json.valuedouble, sizeof(double));
    assert_int_equal(value->json.valueint, wanted->json.valueint);
    assert_int_equal(value->length, wanted->length);
    assert_true(ee_str_equal(ee_value_text(value), ee_value_text(wanted)));
  }
}

static void test_tags(void **state) {
  (void)state;
  static const fact facts[] = {
      {"[!!str 12, !!str true, !!str null, !!str , !!str a]", "[\"12\",\"true\",\"null\",\"\",\"a\"]"},
      {"[!!int 12, !!int \"010\", !!int '0x1F', !!int 0o17]", "[12,10,31,15]"},
      {"[!!float 1, !!float \"1.5\", !!float 1e3]", "[1,1.5,1000]"},
      {"[!!bool true, !!bool \"False\"]", "[true,false]"},
      {"[!!null '', !!null ~, !!null \"null\", !!null ]", "[null,null,null,null]"},
      {"!!map {a: !!seq [1]}", "{\"a\":[1]}"},
      {"!!seq\n- a\n", "[\"a\"]"},
      {"!!map\na: b\n", "{\"a\":\"b\"}"},
      {"[! 12, ! true, ! a, ! [1], ! {a: 1}, ! '12']", "[\"12\",\"true\",\"a\",[1],{\"a\":1},\"12\"]"},
      {"- ! &x 12\n- *x\n- &y ! 13\n- *y\n- &z\n  ! 14\n- *z", "[\"12\",\"12\",\"13\",\"13\",\"14\",\"14\"]"},
      {"!<tag:yaml.org,2002:str> 12", "\"12\""},
      {"%TAG !e! tag:yaml.org,2002:\n--- !e!str 12", "\"12\""},
      {"%TAG !! tag:yaml.org,2002:\n---\n!!str 12", "\"12\""},
      {"!!str a: 1\n!!int 2: b", "{\"a\":1,\"2\":\"b\"}"},
      {"!!str &a 12: *a", "{\"12\":\"12\"}"},
  };
  CHECK_FACTS(facts);
}

static void test_quotes(void **state) {
  (void)state;
  static const fact facts[] = {
      {"'it''s'", "\"it's\""},
      {"'\\n \\u0041'", "\"\\\\n \\\\u0041\""},
      {"# c\n\"\\\\ \\\" \\/ \\b \\e \\f \\n \\r \\t \\v \\0 \\a\"",
       "\"\\\\ \\\" / \\b \\u001b \\f \\n \\r \\t \\u000b \\u0000 \\u0007\""},
      {"\"\\x41\\u00e9\\U0001F600\\ \\_\\N\\L\\P\"", "\"A\xc3\xa9\xf0\x9f\x98\x80 \xc2\xa0\\u0085\\u2028\\u2029\""},
      {"\"a\n  b\n\n  c\\\n  d\\n\\\n  \\  e\"", "\"a b\\ncd\\n  e\""},
      {"'a\n  b\n\n\n  c'", "\"a b\\n\\nc\""},
      {"\" a \n \t b \"", "\" a b \""},
      {"# c\n\"\\ud83d\\ude00\\u0041\\uD834\\uDD1E\"", "\"\xf0\x9f\x98\x80"
                                                       "A\xf0\x9d\x84\x9e\""},
      {"# c\n\"\\\\ud83d\\\\\\ud83d\\ude00\"", "\"\\\\ud83d\\\\\xf0\x9f\x98\x80\""},
      {"- '\\ud83d'\n- \\ud83d\\ude00\n- |\n  \\ud83d\n- \"\\ud83d\\ude00\"",
       "[\"\\\\ud83d\",\"\\\\ud83d\\\\ude00\",\"\\\\ud83d\\n\",\"\xf0\x9f\x98\x80\"]"},
      {"# \xee\x80\x80\n- \"\x7f\xee\x80\x81\\ue028\"\n- '\xc2\x80\xef\xbf\xbf'",
       "[\"\\u007f\xee\x80\x81\xee\x80\xa8\",\"\\u0080\xef\xbf\xbf\"]"},
      {"- \"a \xe2\x80\xa8 b\"\n- a \xc2\x85 b\n- 'a \xe2\x80\xa9'\n- |\n  a\xc2\x85  b\n",
       "[\"a \\u2028 b\",\"a \\u0085 b\",\"a \\u2029\",\"a\\u0085  b\\n\"]"},
      {"a\xe2\x80\xa8"
       "b: \xe2\x80\xa9",
       "{\"a\\u2028"
       "b\":\"\\u2029\"}"},
      {"# a\xe2\x80\xa8"
       "b: c\nd: 1",
       "{\"d\":1}"},
      {"\"\xef\xbb\xbf\"", "\"\xef\xbb\xbf\""},
  };
  CHECK_FACTS(facts);
}

static void test_plain_texts(void **state) {
  (void)state;
  static const fact facts[] = {
      {"a b  c", "\"a b  c\""},
      {"C:\\dir\\", "\"C:\\\\dir\\\\\""},
      {"a\nb\n\nc\n\n\nd", "\"a b\\nc\\n\\nd\""},
      {"k: a\n  b\n\n  c\nl: d", "{\"k\":\"a b\\nc\",\"l\":\"d\"}"},
      {"[a b, c\n d, e#f, g #h\n]", "[\"a b\",\"c d\",\"e#f\",\"g\"]"},
      {"url: http://example.com/?a=b&c=d#e", "{\"url\":\"http://example.com/?a=b&c=d#e\"}"},
      {"[http://a.b/c?d, a:b, -a, a ?b]", "[\"http://a.b/c?d\",\"a:b\",\"-a\",\"a ?b\"]"},
      {"- -a\n- ?b\n- :c\n- a - b\n- a ? b\n- a,b\n- a]b\n- a{b\n- a}",
       "[\"-a\",\"?b\",\":c\",\"a - b\",\"a ? b\",\"a,b\",\"a]b\",\"a{b\",\"a}\"]"},
      {"a!b: c&d*e|f>g'h\"i%j@k`l", "{\"a!b\":\"c&d*e|f>g'h\\\"i%j@k`l\"}"},
      {"\xe6\x97\xa5\xe6\x9c\xac: \xc3\xa4\xc3\xb6", "{\"\xe6\x97\xa5\xe6\x9c\xac\":\"\xc3\xa4\xc3\xb6\"}"},
      {"a:\tb\nc:  \t d\t\n", "{\"a\":\"b\",\"c\":\"d\"}"},
  };
  CHECK_FACTS(facts);
}

static void test_block_texts(void **state) {
  (void)state;
  static const fact facts[] = {
      {"|\n a\n b\n", "\"a\\nb\\n\""},
      {"|-\n a\n b\n\n", "\"a\\nb\""},
      {"|+\n a\n\n\n", "\"a\\n\\n\\n\""},
      {"k: |\n  a\n   b\n\n  c\nl: 1", "{\"k\":\"a\\n b\\n\\nc\\n\",\"l\":1}"},
      {"k: |2\n   a\n  b\n", "{\"k\":\" a\\nb\\n\"}"},
      {"k: |+2 # c\n   a\n", "{\"k\":\" a\\n\"}"},
      {">\n a\n b\n\n c\n", "\"a b\\nc\\n\""},
      {">\n a\n   b\n   c\n d\n", "\"a\\n  b\\n  c\\nd\\n\""},
      {">-\n a\n\n\n b\n", "\"a\\n\\nb\""},
      {"- |\n a # no comment\n # neither\n- |\n\n- >\n\n a\n", "[\"a # no comment\\n# neither\\n\",\"\",\"\\na\\n\"]"},
      {"- |\n a: 1\n - \"b\\n\"\n", "[\"a: 1\\n- \\\"b\\\\n\\\"\\n\"]"},
      {"a: |\n  x\n  \t\n  y\nb: |2\n  \tz\n", "{\"a\":\"x\\n\\t\\ny\\n\",\"b\":\"\\tz\\n\"}"},
      {"--- |\n a\n \t\n b\n", "\"a\\n\\t\\nb\\n\""},
      {"a: |\r\n  x\r\n  y\r\nb: 1\r\n", "{\"a\":\"x\\ny\\n\",\"b\":1}"},
      {"a: |\n  x\n # c\nb: 1\n", "{\"a\":\"x\\n\",\"b\":1}"},
      {"a: |", "{\"a\":\"\"}"},
      {"|\n a", "\"a\""},
      /* A last line of spaces alone ends like any other. */
      {"- |+\n   ", "[\"\\n\"]"},
      {"foo: |\n  x\n   ", "{\"foo\":\"x\\n \\n\"}"},
      {"foo: |\n  x\n  ", "{\"foo\":\"x\\n\"}"},
      {"a: b\n  ", "{\"a\":\"b\"}"},
  };
  CHECK_FACTS(facts);
}

/* Containers ----------------------------------------------------------------------------------- */

static void test_containers(void **state) {
  (void)state;
  static const fact facts[] = {
      {"- a\n- - b\n  - c\n-\n  - d\n", "[\"a\",[\"b\",\"c\"],[\"d\"]]"},
      {"a: 1\nb:\n  c: 2\n  d:\n  - 3\n  - e: 4\n    f: 5\n", "{\"a\":1,\"b\":{\"c\":2,\"d\":[3,{\"e\":4,\"f\":5}]}}"},
      {"a:\n- 1\n- 2\nb:\n", "{\"a\":[1,2],\"b\":null}"},
      {"- a: 1\n  b: 2\n- c: 3\n", "[{\"a\":1,\"b\":2},{\"c\":3}]"},
      {"? a\n: 1\n? b\n? c\n: - 2\n  - 3\n", "{\"a\":1,\"b\":null,\"c\":[2,3]}"},
      {"? |\n  long\n  key\n: 1\n", "{\"long\\nkey\\n\":1}"},
      {"[]", "[]"},
      {"# c\n{}", "{}"},
      {"{a: 1, b: [2, {c: 3}], 'd': 4, \"e\":5, f: , g, }",
       "{\"a\":1,\"b\":[2,{\"c\":3}],\"d\":4,\"e\":5,\"f\":null,\"g\":null}"},
      {"[a: 1, b, {c: d}, ? e : f]", "[{\"a\":1},\"b\",{\"c\":\"d\"},{\"e\":\"f\"}]"},
      {"[a,\n\tb,\n c\n]", "[\"a\",\"b\",\"c\"]"},
      {"a: {b: 1,\n  c: 2\n  }\nd: 3", "{\"a\":{\"b\":1,\"c\":2},\"d\":3}"},
      {"{1: a, true: b, null: c, 1.50: d, ~: e, 010: f}",
       "{\"1\":\"a\",\"true\":\"b\",\"null\":\"c\",\"1.50\":\"d\",\"~\":\"e\",\"010\":\"f\"}"},
      {"? \n: 1", "{\"\":1}"},
      {"'a b': 1\n\"c\\td\": 2\ne f: 3", "{\"a b\":1,\"c\\td\":2,\"e f\":3}"},
      {"a: 1 # c\n# d\n\nb: 2   # e", "{\"a\":1,\"b\":2}"},
      {"a: 1\n\t\nb: 2\n  \t# c\n\t \t\nc: 3\n\t", "{\"a\":1,\"b\":2,\"c\":3}"},
      {"a:   # c\n  b: 1", "{\"a\":{\"b\":1}}"},
      {"=: 1\n<: 2", "{\"=\":1,\"<\":2}"},
      {"a: 1\r\nb:\r\n  - 2\r\n", "{\"a\":1,\"b\":[2]}"},
      {"a: 1\rb: 2\r", "{\"a\":1,\"b\":2}"},
  };
  CHECK_FACTS(facts);
}

static void test_documents(void **state) {
  (void)state;
  static const fact facts[] = {
      {"", "null"},
      {"\n\n", "null"},
      {"# only a comment", "null"},
      {"---", "null"},
      {"---\n...\n", "null"},
      {"--- a", "\"a\""},
      {"---\na: 1\n", "{\"a\":1}"},
      {"a: 1\n...\n", "{\"a\":1}"},
      {"a: 1\n...\n# c\n...\n", "{\"a\":1}"},
      {"%YAML 1.2\n---\na: 1\n", "{\"a\":1}"},
      {"%YAML 1.1\n--- no\n", "\"no\""},
      {"# c\n\n--- # d\n- 1\n", "[1]"},
      {"\xef\xbb\xbf"
       "a: 1",
       "{\"a\":1}"},
      {"\xef\xbb\xbf{\"a\": 1}", "{\"a\":1}"},
      {"\xef\xbb\xbf", "null"},
      {"a", "\"a\""},
      {"12", "12"},
      {"---a", "\"---a\""},
      {"- ---\n", "[\"---\"]"},
  };
  CHECK_FACTS(facts);
  ee_value *value = ee_yaml_read(&arena, (ee_str){NULL, 0}, NULL, NULL);
  assert_int_equal(ee_type_of(value), EE_NULL);
  value = read_exactly(EE_STR("# c\n\"a\\0b\": \"c\\0\""), NULL, NULL);
  assert_int_equal(ee_value_child(value)->key_length, 3);
  assert_memory_equal(ee_value_child(value)->json.string, "a\0b", 4);
  assert_int_equal(ee_value_child(value)->length, 2);
}

/* What is JSON reads as JSON, also where libyaml would not have it. */
static void test_json(void **state) {
  (void)state;
  static const fact facts[] = {
      {"\t{\"a\"\n:\t1,\r\n\"b\" : [ ]\t}\n\t", "{\"a\":1,\"b\":[]}"},
      {"{\"a\":{\"b\":[1,2.50,true,null,\"\\u0000\\ud83d\\ude00\x7f\"]}}",
       "{\"a\":{\"b\":[1,2.5,true,null,\"\\u0000\xf0\x9f\x98\x80\\u007f\"]}}"},
      {"\t\"a\"", "\"a\""},
      {"\t12\t", "12"},
      {"{\"<<\": {\"a\": 1}}", "{\"<<\":{\"a\":1}}"},
      {"{\"no\": \"yes\", \"a\": 1e400}", "{\"no\":\"yes\",\"a\":1e400}"},
  };
  CHECK_FACTS(facts);
  ee_buffer text = {0};
  ee_buffer_add_text(&text, "{\"");
  for (size_t i = 0; i < 3000; i++) ee_buffer_add_char(&text, 'k');
  ee_buffer_add_text(&text, "\":");
  for (size_t i = 0; i < EE_YAML_DEPTH - 1; i++) ee_buffer_add_char(&text, '[');
  for (size_t i = 0; i < EE_YAML_DEPTH - 1; i++) ee_buffer_add_char(&text, ']');
  ee_buffer_add_char(&text, '}');
  const ee_value *value = read_exactly((ee_str){text.data, text.length}, NULL, NULL);
  assert_int_equal(ee_value_child(value)->key_length, 3000);
  ee_buffer_fini(&text);
}

/* Anchors -------------------------------------------------------------------------------------- */

static void test_aliases(void **state) {
  (void)state;
  static const fact facts[] = {
      {"- &a x\n- *a\n", "[\"x\",\"x\"]"},
      {"- &a 010\n- *a\n- {*a : 1}\n", "[10,10,{\"010\":1}]"},
      {"a: &x {p: [1, 2]}\nb: *x\nc: [*x, *x]\n",
       "{\"a\":{\"p\":[1,2]},\"b\":{\"p\":[1,2]},\"c\":[{\"p\":[1,2]},{\"p\":[1,2]}]}"},
      {"- &a 1\n- *a\n- &a 2\n- *a\n", "[1,1,2,2]"},
      {"- &a [&a 1, *a]\n- *a\n", "[[1,1],1]"},
      {"- &a [x]\n- &b [*a, *a]\n- [*b, *b]\n", "[[\"x\"],[[\"x\"],[\"x\"]],[[[\"x\"],[\"x\"]],[[\"x\"],[\"x\"]]]]"},
      {"&k key: &v value\n*v : *k\n", "{\"key\":\"value\",\"value\":\"key\"}"},
      {"- &e\n- *e\n- &f ''\n- *f", "[null,null,\"\",\"\"]"},
      {"- &t !!str 1\n- *t\n- &n\n  a: 1\n- *n", "[\"1\",\"1\",{\"a\":1},{\"a\":1}]"},
      {"- &a1-_B 1\n- *a1-_B", "[1,1]"},
      {"- &a {}\n- *a\n- &b []\n- *b", "[{},{},[],[]]"},
      {"&r\na: 1\nb: &s [2]\nc: *s", "{\"a\":1,\"b\":[2],\"c\":[2]}"},
  };
  CHECK_FACTS(facts);
}

/* Copies are nodes of their own: linked as a list of their parent, with texts that live as long as the tree. */
static void test_copies(void **state) {
  (void)state;
  ee_buffer text = {0};
  ee_buffer_add_text(&text, "a: &a {");
  for (int i = 0; i < 40; i++) ee_buffer_addf(&text, "key%d: v%d, ", i, i);
  ee_buffer_add_text(&text, "}\nb: *a\nc: {<<: *a, key7: own}\n");
  const ee_value *root = read_exactly((ee_str){text.data, text.length}, NULL, NULL);
  ee_buffer_fini(&text);
  assert_non_null(root);
  const ee_value *a = ee_value_member(root, EE_STR("a"), NULL), *b = ee_value_member(root, EE_STR("b"), NULL);
  const ee_value *c = ee_value_member(root, EE_STR("c"), NULL);
  assert_true(a != b && ee_value_equal(a, b) && ee_value_count(b) == 40 && ee_value_count(c) == 40);
  assert_true(ee_value_hash(a) == ee_value_hash(b));
  for (int i = 0; i < 40; i++) {
    char key[16], value[16];
    snprintf(key, sizeof key, "key%d", i);
    snprintf(value, sizeof value, "v%d", i);
    const ee_value *in_a = ee_value_member(a, ee_str_from(key), NULL),
                   *in_b = ee_value_member(b, ee_str_from(key), NULL);
    const ee_value *in_c = ee_value_member(c, ee_str_from(key), NULL);
    assert_true(in_a != NULL && in_b != NULL && in_a != in_b && in_c != in_a && in_c != in_b);
    assert_string_equal(in_b->json.valuestring, value);
    assert_string_equal(in_c->json.valuestring, i == 7 ? "own" : value);
    assert_ptr_equal(in_a->json.valuestring, in_b->json.valuestring);
    assert_true(in_b->hash != 0 && in_b->index == NULL);
  }
  const cJSON *first = b->json.child;
  assert_ptr_equal(first->prev->next, NULL);
  for (const cJSON *member = first; member->next != NULL; member = member->next)
    assert_ptr_equal(member->next->prev, member);
}

static void test_merge_keys(void **state) {
  (void)state;
  static const fact facts[] = {
      {"a: &a {x: 1, y: 2}\nb: {<<: *a, y: 3, z: 4}", "{\"a\":{\"x\":1,\"y\":2},\"b\":{\"y\":3,\"z\":4,\"x\":1}}"},
      {"- &a {x: 1}\n- &b {x: 2, y: 3}\n- <<: [*a, *b]\n- <<: [*b, *a]\n",
       "[{\"x\":1},{\"x\":2,\"y\":3},{\"x\":1,\"y\":3},{\"x\":2,\"y\":3}]"},
      {"{<<: {a: 1}, b: 2}", "{\"b\":2,\"a\":1}"},
      {"{a: 0, <<: [{a: 1, b: 2}, {b: 3, c: 4}]}", "{\"a\":0,\"b\":2,\"c\":4}"},
      {"- &a {x: 1}\n- &b {<<: *a, y: 2}\n- {<<: *b, z: 3}\n- *b",
       "[{\"x\":1},{\"y\":2,\"x\":1},{\"z\":3,\"y\":2,\"x\":1},{\"y\":2,\"x\":1}]"},
      /* A merged object may have an anchor, and keeps its members. */
      {"- {<<: &x {a: 1, b: {c: 2}}, d: 3}\n- *x\n", "[{\"d\":3,\"a\":1,\"b\":{\"c\":2}},{\"a\":1,\"b\":{\"c\":2}}]"},
      {"- {<<: &l [&m {a: 1}, {b: 2}]}\n- *l\n- *m\n- <<: *l",
       "[{\"a\":1,\"b\":2},[{\"a\":1},{\"b\":2}],{\"a\":1},{\"a\":1,\"b\":2}]"},
      {"- &a {x: [1]}\n- <<: *a\n- <<: *a\n- *a", "[{\"x\":[1]},{\"x\":[1]},{\"x\":[1]},{\"x\":[1]}]"},
      {"{'<<': {a: 1}, \"b\": 1}", "{\"<<\":{\"a\":1},\"b\":1}"},
      {"{!!str <<: {a: 1}, <<: {b: 1}}", "{\"<<\":{\"a\":1},\"b\":1}"},
      {"{<<: {}, a: 1}", "{\"a\":1}"},
      {"{<<: [], a: 1}", "{\"a\":1}"},
      {"[<<, a: <<]", "[\"<<\",{\"a\":\"<<\"}]"},
      {"<<: {a: {<<: {b: 1}, c: 2}}", "{\"a\":{\"c\":2,\"b\":1}}"},
  };
  CHECK_FACTS(facts);
}

/* Places --------------------------------------------------------------------------------------- */

static void check_place(const ee_yaml_places *places, const ee_value *node, uint32_t line, uint32_t column) {
  assert_non_null(node);
  struct ee_yaml_place place = ee_yaml_place_of(places, node);
  assert_ptr_equal(place.value, node);
  assert_int_equal(place.line, line);
  assert_int_equal(place.column, column);
}

static const ee_value *at(const ee_value *node, const char *key) {
  return ee_value_member(node, ee_str_from(key), NULL);
}

static void test_places(void **state) {
  (void)state;
  ee_yaml_places places = {0};
  const ee_value *root =
      read_exactly(EE_STR("\xef\xbb\xbf# c\r\n\xc3\xa4: x\r\nb:\r\n  - &a {p: 1}\r\n  - [\xc3\xa4, y]\r\n"
                          "c: *a\r\nd:\r\ne: {<<: *a, q: 2}\r\nf: !!str &s 1\r\ng: *s\r\n"),
                   &places, NULL);
  assert_non_null(root);
  check_place(&places, root, 2, 1);
  check_place(&places, at(root, "\xc3\xa4"), 2, 5); /* in bytes */
  const ee_value *b = at(root, "b");
  check_place(&places, b, 4, 3);
  check_place(&places, ee_value_child(b), 4, 5);
  check_place(&places, at(ee_value_child(b), "p"), 4, 12);
  check_place(&places, ee_value_element(ee_value_element(b, 1), 1), 5, 10);
  check_place(&places, at(root, "c"), 6, 4);
  check_place(&places, at(at(root, "c"), "p"), 4, 12); /* where the copied text stands */
  check_place(&places, at(root, "d"), 7, 3);
  check_place(&places, at(at(root, "e"), "p"), 4, 12);
  check_place(&places, at(at(root, "e"), "q"), 8, 16);
  check_place(&places, at(root, "f"), 9, 4);
  check_place(&places, at(root, "g"), 10, 4);
  ee_value other = {0};
  assert_int_equal(ee_yaml_place_of(&places, &other).line, 0);
  assert_int_equal(ee_yaml_place_of(&places, NULL).line, 0);

  ee_yaml_places json_places = {0};
  assert_int_equal(ee_yaml_place_of(&json_places, root).line, 0);
  root = read_exactly(EE_STR(" {\"a\": [ ],\n \"b\":{ \"c\" : [1, \"]\\\"}\" ,[ { } ] ] } , \"d\":-1e5 }\n"),
                      &json_places, NULL);
  check_place(&json_places, root, 1, 2);
  check_place(&json_places, at(root, "a"), 1, 8);
  check_place(&json_places, at(root, "b"), 2, 6);
  const ee_value *c = at(at(root, "b"), "c");
  check_place(&json_places, c, 2, 14);
  check_place(&json_places, ee_value_element(c, 0), 2, 15);
  check_place(&json_places, ee_value_element(c, 1), 2, 18);
  check_place(&json_places, ee_value_element(c, 2), 2, 26);
  check_place(&json_places, ee_value_child(ee_value_element(c, 2)), 2, 28);
  check_place(&json_places, at(root, "d"), 2, 44);
  assert_int_equal(json_places.count, 9);
}

static void test_names(void **state) {
  (void)state;
  static const char *const yes[] = {"a.yaml", "a.yml", "b/a.yaml.gz", "a.yml.gz", ".yaml"};
  static const char *const no[] = {"a.json", "yaml", "a.yaml.bak", "a.gz", "", "a.yamlgz", "a.YAML"};
  for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) assert_true(ee_is_yaml_name(yes[i]));
  for (size_t i = 0; i < sizeof no / sizeof *no; i++) assert_false(ee_is_yaml_name(no[i]));
}

/* What stands at the end of a text, and what stands close to what it would change. */
static void test_borders(void **state) {
  (void)state;
  static const fact facts[] = {
      {"&a", "null"},
      {"&a ", "null"},
      {"&a\tx", "\"x\""},
      {"&a\nx", "\"x\""},
      {"&a\rx", "\"x\""},
      {"&a ! 1", "\"1\""},
      {"&a\t! 1", "\"1\""},
      {"&a\r! 1", "\"1\""},
      {"[a, b]", "[\"a\",\"b\"]"},
      {"k: !!str # why\n  &a x", "{\"k\":\"x\"}"},
      {"k: !!str\n  &a x", "{\"k\":\"x\"}"},
      {"k: !!str\r  &a x", "{\"k\":\"x\"}"},
      {"k: !!str\t&a x", "{\"k\":\"x\"}"},
      {"k: &a v\n*a:", "{\"k\":\"v\",\"v\":null}"},
      {"k: &a v\n*a : 1", "{\"k\":\"v\",\"v\":1}"},
      {"|\n text", "\"text\""},
      {">\n text", "\"text\""},
      {"--- |\n text", "\"text\""},
      {"key:\t|\n text", "{\"key\":\"text\"}"},
      {"   ", "null"},
      {"a: |\r  x\r  ", "{\"a\":\"x\\n\"}"},
      {"a: 1\n\t\nb: |\n x\n ", "{\"a\":1,\"b\":\"x\\n\"}"},
      {"a: \"\\U0001f600\"", "{\"a\":\"\xf0\x9f\x98\x80\"}"},
  };
  CHECK_FACTS(facts);
  /* Tabs beside block texts at the root: read or refused, but not more than that. */
  static const char *const tabs[] = {"\t# x\na: b|c", "\t# x\n|\n a", "\t# x\n>\n a", "\t# x\n--- |\n a",
                                     "|\n a\n\t\n",   "---\n\t\n|",   ">\n\t\n a"};
  for (size_t i = 0; i < sizeof tabs / sizeof *tabs; i++) read_exactly(ee_str_from(tabs[i]), NULL, NULL);
  static const char *const wrong[] = {
      "a: !!float", "a: !!int", "a: \"\\U0000d800\"", "[- a]", "a: &a:b",
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    ee_error error = {0};
    if (read_exactly(ee_str_from(wrong[i]), NULL, &error) != NULL) fail_msg("'%s' is read", wrong[i]);
  }
}

/* Texts of 16-bit and 32-bit units are refused as such. */
static void test_other_units(void **state) {
  (void)state;
  static const struct {
    ee_str text;
    bool wide;
  } facts[] = {
      {EE_STR("\xff\xfe"
              "a\0"),
       true},
      {EE_STR("\xfe\xff\0a"), true},
      {EE_STR("\xfe\x01"
              "ab"),
       false},
      {EE_STR("a\0b\0"), true},
      {EE_STR("a\0bc"), false},
      {EE_STR("\0a\0b"), true},
      {EE_STR("\0abc"), false},
      {EE_STR("\0\0\0a"), true},
      {EE_STR("\0\0\xfe\xff"), true},
      {EE_STR("\0\0ab"), false},
      {EE_STR("\0\0\0\0"), false},
      {EE_STR("\0\0\xfe\0"), false},
      {EE_STR("\xff"
              "abc"),
       false},
      {EE_STR("\xff\xfe"), true},
      {EE_STR("a\0"), false},
  };
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    ee_error error = {0};
    assert_null(read_exactly(facts[i].text, NULL, &error));
    if ((strstr(error.message, "UTF-16") != NULL) != facts[i].wide) fail_msg("%zu: %s", i, error.message);
  }
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test_setup_teardown(test_core_schema, make_arena, free_arena),
             cmocka_unit_test_setup_teardown(test_number_nodes, make_arena, free_arena),
             cmocka_unit_test_setup_teardown(test_tags, make_arena, free_arena),
             cmocka_unit_test_setup_teardown(test_quotes, make_arena, free_arena),
             cmocka_unit_test_setup_teardown(test_plain_texts, make_arena, free_arena),
             cmocka_unit_test_setup_teardown(test_block_texts, make_arena, free_arena),
             cmocka_unit_test_setup_teardown(test_containers, make_arena, free_arena),
             cmocka_unit_test_setup_teardown(test_documents, make_arena, free_arena),
             cmocka_unit_test_setup_teardown(test_json, make_arena, free_arena),
             cmocka_unit_test_setup_teardown(test_aliases, make_arena, free_arena),
             cmocka_unit_test_setup_teardown(test_copies, make_arena, free_arena),
             cmocka_unit_test_setup_teardown(test_merge_keys, make_arena, free_arena),
             cmocka_unit_test_setup_teardown(test_places, make_arena, free_arena),
             cmocka_unit_test_setup_teardown(test_names, make_arena, free_arena),
             cmocka_unit_test_setup_teardown(test_borders, make_arena, free_arena),
             cmocka_unit_test_setup_teardown(test_other_units, make_arena, free_arena));
