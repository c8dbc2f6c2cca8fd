/* JSON Schema: facts by keyword, violations in their order, and what is no schema. */
#include "data/schema/schema_fixture.h"
#include "support/arena.h"

/* Schema, instance, violations. */
typedef struct fact {
  const char *schema, *instance, *violations;
} fact;

static void check_facts(const fact *facts, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (schema_needs_patterns(facts[i].schema)) continue;
    const ee_json_schema *schema = schema_compile(&arena, schema_json(&arena, facts[i].schema));
    ee_schema_result result;
    ee_json_schema_validate(schema, schema_json(&arena, facts[i].instance), &arena, &result);
    const char *found = schema_violations(&arena, &result);
    if (strcmp(found, facts[i].violations) != 0)
      fail_msg("%s\n  on %s:\n%s\n  expected:\n%s", facts[i].schema, facts[i].instance, found, facts[i].violations);
    ee_arena_reset(&arena, 0);
  }
}
#define CHECK(facts) check_facts(facts, sizeof(facts) / sizeof *(facts))

static void test_types(void **state) {
  (void)state;
  static const fact facts[] = {
      {"true", "1", ""},
      {"false", "1", "  nothing is allowed"},
      {"{}", "null", ""},
      {"{\"type\":\"string\"}", "\"\"", ""},
      {"{\"type\":\"string\"}", "1", " /type expected a string, got a number"},
      {"{\"type\":\"null\"}", "false", " /type expected null, got a boolean"},
      {"{\"type\":\"boolean\"}", "false", ""},
      {"{\"type\":\"boolean\"}", "null", " /type expected a boolean, got null"},
      {"{\"type\":\"number\"}", "\"1\"", " /type expected a number, got a string"},
      {"{\"type\":\"integer\"}", "1.0", ""},
      {"{\"type\":\"integer\"}", "10e-1", ""},
      {"{\"type\":\"integer\"}", "1e300", ""},
      {"{\"type\":\"integer\"}", "12345678901234567890", ""},
      {"{\"type\":\"integer\"}", "12345678901234567890.5", " /type expected an integer, got 12345678901234567890.5"},
      {"{\"type\":\"integer\"}", "1.5", " /type expected an integer, got 1.5"},
      {"{\"type\":\"integer\"}", "[]", " /type expected an integer, got an array"},
      {"{\"type\":[\"string\",\"null\"]}", "null", ""},
      {"{\"type\":[\"string\",\"null\"]}", "{}", " /type expected null or a string, got an object"},
      {"{\"type\":[\"string\",\"null\",\"array\"]}", "1", " /type expected null, a string or an array, got a number"},
  };
  CHECK(facts);
}

static void test_values(void **state) {
  (void)state;
  static const fact facts[] = {
      {"{\"enum\":[1,\"a\",null]}", "1.0", ""},
      {"{\"enum\":[1,\"a\",null]}", "null", ""},
      {"{\"enum\":[1,\"a\",null]}", "\"b\"", " /enum expected 1, \"a\" or null, got \"b\""},
      {"{\"enum\":[1,2,3,4,5,6,7,8,9,10]}", "11", " /enum expected 1, 2, 3, 4, 5, 6, 7, 8 or one of 2 more, got 11"},
      {"{\"enum\":[1,2,3,4,5,6,7,8,9,10,12,13,14,15,16,17,18,19]}", "11",
       " /enum expected 1, 2, 3, 4, 5, 6, 7, 8 or one of 10 more, got 11"},
      {"{\"enum\":[[],{}]}", "{}", ""},
      {"{\"enum\":[[],{\"a\":1}]}", "{}", " /enum expected [] or {\"a\":1}, got {}"},
      {"{\"enum\":[]}", "1", " /enum expected nothing, got a number"},
      {"{\"enum\":[true]}", "1", " /enum expected true, got 1"},
      {"{\"enum\":[0]}", "false", " /enum expected 0, got false"},
      /* null is a value here, and not nothing. */
      {"{\"const\":{\"a\":null}}", "{\"a\":null}", ""},
      {"{\"const\":{\"a\":null}}", "{}", " /const expected {\"a\":null}, got {}"},
      {"{\"const\":{}}", "{\"a\":null}", " /const expected {}, got {\"a\":null}"},
      {"{\"const\":{\"a\":1,\"b\":[1,2]}}", "{\"b\":[1,2.0],\"a\":1}", ""},
      {"{\"const\":{\"a\":1,\"b\":[1,2]}}", "{\"b\":[2,1],\"a\":1}",
       " /const expected {\"a\":1,\"b\":[1,2]}, got {\"b\":[2,1],\"a\":1}"},
      {"{\"const\":100000000000000000000000001}", "100000000000000000000000001.0", ""},
      {"{\"const\":100000000000000000000000001}", "100000000000000000000000002",
       " /const expected 100000000000000000000000001, got 100000000000000000000000002"},
      {"{\"const\":\"\\u0000\\n\"}", "\"\\u007f\"", " /const expected \"\\u0000\\u000a\", got \"\\u007f\""},
      {"{\"const\":null}", "\"0123456789012345678901234567890123456789012345678901234567890123\"",
       " /const expected null, got \"012345678901234567890123456789012345678901234567890123456789...\""},
      {"{\"const\":null}", "[\"0123456789012345678901234567890123456789\",\"01234567890123456789\",\"a\"]",
       " /const expected null, got [\"0123456789012345678901234567890123456789\",\"01234567890123456789\",...]"},
  };
  CHECK(facts);
}

static void test_numbers(void **state) {
  (void)state;
  static const fact facts[] = {
      {"{\"maximum\":3}", "3.0", ""},
      {"{\"maximum\":3}", "3.5", " /maximum expected at most 3, got 3.5"},
      {"{\"maximum\":3}", "\"x\"", ""},
      {"{\"maximum\":0.1}", "0.1", ""},
      {"{\"maximum\":0.1}", "0.10000000000000000000001",
       " /maximum expected at most 0.1, got 0.10000000000000000000001"},
      {"{\"exclusiveMaximum\":3}", "2.9999", ""},
      {"{\"exclusiveMaximum\":3}", "3", " /exclusiveMaximum expected less than 3, got 3"},
      {"{\"exclusiveMaximum\":1e400}", "1e399", ""},
      {"{\"exclusiveMaximum\":1e400}", "10e399", " /exclusiveMaximum expected less than 1e400, got 10e399"},
      {"{\"minimum\":-2}", "-2", ""},
      {"{\"minimum\":-2}", "-2.5", " /minimum expected at least -2, got -2.5"},
      {"{\"minimum\":9007199254740993}", "9007199254740992",
       " /minimum expected at least 9007199254740993, got 9007199254740992"},
      {"{\"exclusiveMinimum\":0}", "-0.0", " /exclusiveMinimum expected more than 0, got 0"},
      {"{\"exclusiveMinimum\":0}", "1e-400", ""},
      {"{\"multipleOf\":0.01}", "19.99", ""},
      {"{\"multipleOf\":0.01}", "19.995", " /multipleOf expected a multiple of 0.01, got 19.995"},
      {"{\"multipleOf\":0.0001}", "0.0075", ""},
      {"{\"multipleOf\":2}", "0", ""},
      {"{\"multipleOf\":1.5}", "-4.5", ""},
      {"{\"multipleOf\":0.5}", "1e308", ""},
      {"{\"multipleOf\":7}", "700000000000000000000000000000000000007e3", ""},
      {"{\"multipleOf\":7}", "700000000000000000000000000000000000008",
       " /multipleOf expected a multiple of 7, got 700000000000000000000000000000000000008"},
  };
  CHECK(facts);
}

static void test_texts(void **state) {
  (void)state;
  static const fact facts[] = {
      {"{\"maxLength\":2}", "\"\xF0\x9F\x98\x80\xC3\xA9\"", ""},
      {"{\"maxLength\":2.0}", "\"abc\"", " /maxLength expected at most 2 characters, got 3"},
      {"{\"maxLength\":1}", "\"ab\"", " /maxLength expected at most 1 character, got 2"},
      {"{\"minLength\":2}", "\"\xF0\x9F\x98\x80\"", " /minLength expected at least 2 characters, got 1"},
      {"{\"minLength\":2}", "[]", ""},
      {"{\"maxLength\":1e30}", "\"ab\"", ""},
      {"{\"pattern\":\"b\"}", "\"abc\"", ""},
      {"{\"pattern\":\"^b\"}", "\"abc\"", " /pattern \"abc\" does not match the pattern '^b'"},
      {"{\"pattern\":\"c$\"}", "\"abc\\n\"", " /pattern \"abc\\u000a\" does not match the pattern 'c$'"},
      {"{\"pattern\":\"^.$\"}", "\"\xF0\x9F\x98\x80\"", ""},
      {"{\"pattern\":\"^\\\\d$\"}", "\"\xD9\xA3\"", " /pattern \"\xD9\xA3\" does not match the pattern '^\\d$'"},
      {"{\"pattern\":\"a\"}", "1", ""},
      {"{\"format\":\"date\"}", "\"x\"", ""},
  };
  CHECK(facts);
}

static void test_arrays(void **state) {
  (void)state;
  static const fact facts[] = {
      {"{\"maxItems\":1}", "[1,2]", " /maxItems expected at most 1 element, got 2"},
      {"{\"minItems\":2}", "[1]", " /minItems expected at least 2 elements, got 1"},
      {"{\"minItems\":2}", "{}", ""},
      {"{\"items\":{\"type\":\"number\"}}", "[1,\"a\",2,null]",
       "/1 /items/type expected a number, got a string\n/3 /items/type expected a number, got null"},
      {"{\"items\":false}", "[]", ""},
      {"{\"items\":false}", "[1]", "/0 /items element 0 is not allowed"},
      {"{\"prefixItems\":[{\"const\":1},true],\"items\":{\"const\":3}}", "[1,2,3,3]", ""},
      {"{\"prefixItems\":[{\"const\":1},true],\"items\":{\"const\":3}}", "[2,2,4]",
       "/0 /prefixItems/0/const expected 1, got 2\n/2 /items/const expected 3, got 4"},
      {"{\"prefixItems\":[{\"const\":1},true]}", "[1]", ""},
      {"{\"items\":false,\"prefixItems\":[true]}", "[1,2]", "/1 /items element 1 is not allowed"},
      {"{\"contains\":{\"type\":\"number\"}}", "[\"a\"]",
       " /contains expected at least 1 element matching 'contains', got 0"},
      {"{\"contains\":{\"type\":\"number\"},\"minContains\":0}", "[]", ""},
      {"{\"contains\":{\"type\":\"number\"},\"minContains\":2}", "[1]",
       " /minContains expected at least 2 elements matching 'contains', got 1"},
      {"{\"maxContains\":1,\"contains\":{\"type\":\"number\"}}", "[1,\"a\",2]",
       " /maxContains expected at most 1 element matching 'contains', got 2"},
      {"{\"maxContains\":0}", "[1]", ""},
      {"{\"uniqueItems\":true}", "[1,true,\"1\",[1],{\"a\":1},null,false,0,\"\"]", ""},
      {"{\"uniqueItems\":true}", "[3,1,2,2,1.0]", " /uniqueItems elements 2 and 3 are equal"},
      {"{\"uniqueItems\":true}", "[{\"a\":1,\"b\":2},{\"b\":2,\"a\":1}]", " /uniqueItems elements 0 and 1 are equal"},
      {"{\"uniqueItems\":true}", "[{\"a\":null},{}]", ""},
      {"{\"uniqueItems\":true}", "[1,1,1]", " /uniqueItems elements 0 and 1 are equal"},
      {"{\"uniqueItems\":true}", "[0.1,0.10000000000000000000001]", ""},
      {"{\"uniqueItems\":true}", "[0.10000000000000000000001,1.000000000000000000001e-1]", ""},
      {"{\"uniqueItems\":true}", "[0.10000000000000000000001,1.0000000000000000000001e-1]",
       " /uniqueItems elements 0 and 1 are equal"},
      {"{\"uniqueItems\":false}", "[1,1]", ""},
  };
  CHECK(facts);
}

static void test_objects(void **state) {
  (void)state;
  static const fact facts[] = {
      {"{\"maxProperties\":1}", "{\"a\":1,\"b\":2}", " /maxProperties expected at most 1 member, got 2"},
      {"{\"minProperties\":1}", "{}", " /minProperties expected at least 1 member, got 0"},
      {"{\"required\":[\"a\",\"b\",\"c\"]}", "{\"b\":null}", " /required 'a' is missing\n /required 'c' is missing"},
      {"{\"required\":[\"a\"]}", "[]", ""},
      {"{\"dependentRequired\":{\"a\":[\"b\",\"c\"]}}", "{\"c\":1}", ""},
      {"{\"dependentRequired\":{\"a\":[\"b\",\"c\"]}}", "{\"a\":1,\"c\":1}",
       " /dependentRequired/a 'b' is missing, which 'a' requires"},
      {"{\"properties\":{\"a\":{\"type\":\"number\"},\"b\":false}}", "{\"a\":\"x\",\"b\":1,\"c\":1}",
       "/a /properties/a/type expected a number, got a string\n/b /properties/b 'b' is not allowed"},
      {"{\"properties\":{\"a\":true},\"additionalProperties\":false}", "{\"x\":1,\"a\":2,\"y/~\":3}",
       "/x /additionalProperties 'x' is not allowed\n/y~1~0 /additionalProperties 'y/~' is not allowed"},
      {"{\"patternProperties\":{\"^x\":{\"type\":\"number\"},\"y\":{\"minimum\":2}}}",
       "{\"xy\":1,\"x\":\"a\",\"z\":null}",
       "/xy /patternProperties/y/minimum expected at least 2, got 1\n"
       "/x /patternProperties/^x/type expected a number, got a string"},
      {"{\"properties\":{\"a\":true},\"patternProperties\":{\"^x\":true},\"additionalProperties\":{\"type\":\"null\"}}",
       "{\"a\":1,\"xx\":1,\"b\":1}", "/b /additionalProperties/type expected null, got a number"},
      {"{\"propertyNames\":{\"maxLength\":2}}", "{\"abc\":{\"abcd\":1}}",
       "/abc /propertyNames/maxLength its name: expected at most 2 characters, got 3"},
      {"{\"propertyNames\":{\"pattern\":\"^a\"},\"additionalProperties\":{\"type\":\"null\"}}", "{\"b\":1}",
       "/b /propertyNames/pattern its name: \"b\" does not match the pattern '^a'\n"
       "/b /additionalProperties/type expected null, got a number"},
      {"{\"propertyNames\":false}", "{\"b\":1}", "/b /propertyNames 'b' is not allowed"},
      {"{\"dependentSchemas\":{\"a\":{\"required\":[\"b\"]},\"x\":false}}", "{\"a\":1}",
       " /dependentSchemas/a/required 'b' is missing"},
  };
  CHECK(facts);
}

static void test_combining(void **state) {
  (void)state;
  static const fact facts[] = {
      {"{\"allOf\":[{\"minimum\":2},{\"maximum\":1}]}", "1.5",
       " /allOf/0/minimum expected at least 2, got 1.5\n /allOf/1/maximum expected at most 1, got 1.5"},
      {"{\"anyOf\":[{\"type\":\"string\"},{\"minimum\":2}]}", "2", ""},
      {"{\"anyOf\":[{\"type\":\"string\"},{\"minimum\":2}]}", "1", " /anyOf/1/minimum expected at least 2, got 1"},
      {"{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"null\"}]}", "1",
       " /anyOf expected null or a string, got a number"},
      {"{\"anyOf\":[{\"const\":\"a\"},{\"enum\":[\"b\",\"c\"]},{\"type\":\"null\"}]}", "\"d\"",
       " /anyOf expected \"a\", \"b\", \"c\" or null, got \"d\""},
      {"{\"anyOf\":[false,false]}", "1", " /anyOf expected nothing, got a number"},
      /* Branches that a member tells apart: the right one is explained, wherever it stands. */
      {"{\"oneOf\":[{\"properties\":{\"kind\":{\"const\":\"a\"}},\"required\":[\"x\"]},"
       "{\"properties\":{\"kind\":{\"const\":\"b\"},\"y\":{\"type\":\"number\"}},\"required\":[\"z\"]}]}",
       "{\"kind\":\"b\",\"y\":\"1\"}",
       " /oneOf/1/required 'z' is missing\n/y /oneOf/1/properties/y/type expected a number, got a string"},
      {"{\"anyOf\":[{\"$ref\":\"#/$defs/a\"},{\"$ref\":\"#/$defs/b\"}],\"$defs\":{\"a\":{\"type\":\"object\","
       "\"required\":[\"p\",\"q\"]},\"b\":{\"type\":\"object\",\"required\":[\"r\"]}}}",
       "{}", " /$defs/b/required 'r' is missing"},
      {"{\"oneOf\":[{\"type\":\"number\"},{\"minimum\":1},{\"type\":\"string\"}]}", "2",
       " /oneOf fits 2 alternatives (0 and 1), exactly one is allowed"},
      {"{\"oneOf\":[true,true,true]}", "2", " /oneOf fits 3 alternatives (0, 1, ...), exactly one is allowed"},
      {"{\"oneOf\":[{\"type\":\"number\"},{\"minimum\":1}]}", "0", ""},
      {"{\"not\":{\"type\":\"number\"}}", "1", " /not fits what 'not' excludes"},
      {"{\"not\":{\"type\":\"number\"}}", "null", ""},
      {"{\"not\":{\"not\":{\"type\":\"number\"}}}", "null", " /not fits what 'not' excludes"},
      {"{\"if\":{\"type\":\"number\"},\"then\":{\"minimum\":2},\"else\":{\"type\":\"string\"}}", "1",
       " /then/minimum expected at least 2, got 1"},
      {"{\"else\":{\"type\":\"string\"},\"then\":{\"minimum\":2},\"if\":{\"type\":\"number\"}}", "null",
       " /else/type expected a string, got null"},
      {"{\"then\":false}", "1", ""},
      {"{\"if\":false}", "1", ""},
      {"{\"if\":true,\"else\":false}", "1", ""},
      {"{\"allOf\":[{\"$ref\":\"#/$defs/a\"},{\"$ref\":\"#/$defs/a\"}],\"$defs\":{\"a\":{\"type\":\"null\"}}}", "1",
       " /$defs/a/type expected null, got a number"},
      {"{\"items\":{\"anyOf\":[{\"anyOf\":[{\"const\":1},{\"const\":2}]},{\"type\":\"object\",\"required\":[\"a\"]}]}}",
       "[1,{\"a\":1},3,{}]",
       "/2 /items/anyOf expected 1, 2 or an object, got 3\n/3 /items/anyOf/1/required 'a' is missing"},
      {"{\"anyOf\":[{\"$ref\":\"#/$defs/u\"},{\"type\":\"null\"}],\"$defs\":{\"u\":{\"oneOf\":[{\"type\":\"string\"},"
       "{\"$ref\":\"#/$defs/n\"}]},\"n\":{\"type\":\"number\",\"minimum\":3}}}",
       "2", " /$defs/n/minimum expected at least 3, got 2"},
      {"{\"anyOf\":[{\"$ref\":\"#/$defs/u\"},{\"type\":\"null\"}],\"$defs\":{\"u\":{\"oneOf\":[{\"type\":\"string\"},"
       "{\"$ref\":\"#/$defs/n\"}]},\"n\":{\"type\":\"number\",\"minimum\":3}}}",
       "true", " /anyOf expected null, a number or a string, got a boolean"},
      /* A choice in a choice that fails because two of its branches fit. */
      {"{\"anyOf\":[{\"oneOf\":[true,{\"minimum\":0}]},{\"type\":\"null\"}]}", "1",
       " /anyOf/0/oneOf fits 2 alternatives (0 and 1), exactly one is allowed"},
  };
  CHECK(facts);
}

static void test_references(void **state) {
  (void)state;
  static const fact facts[] = {
      {"{\"$ref\":\"#/$defs/a\",\"$defs\":{\"a\":{\"type\":\"null\"}}}", "1",
       " /$defs/a/type expected null, got a number"},
      {"{\"properties\":{\"a\":{\"$ref\":\"#\"}},\"additionalProperties\":false}", "{\"a\":{\"a\":{\"b\":1}}}",
       "/a/a/b /additionalProperties 'b' is not allowed"},
      {"{\"$ref\":\"#n\",\"$defs\":{\"x\":{\"$anchor\":\"n\",\"type\":\"null\"}}}", "1",
       " /$defs/x/type expected null, got a number"},
      {"{\"$ref\":\"#n\",\"$defs\":{\"x\":{\"$dynamicAnchor\":\"n\",\"type\":\"null\"}}}", "null", ""},
      {"{\"$ref\":\"#/$defs/a~1b~0%25%22\",\"$defs\":{\"a/b~%\\\"\":{\"type\":\"null\"}}}", "1",
       " /$defs/a~1b~0%\"/type expected null, got a number"},
      {"{\"$ref\":\"#/definitions/a\",\"definitions\":{\"a\":{\"type\":\"null\"}}}", "null", ""},
      {"{\"$id\":\"https://x.test/s\",\"$ref\":\"https://x.test/s#/$defs/a\",\"$defs\":{\"a\":{\"type\":\"null\"}}}",
       "null", ""},
      {"{\"$id\":\"https://x.test/s\",\"items\":{\"$ref\":\"https://x.test/s\"},\"type\":\"array\"}", "[[],[[1]]]",
       "/1/0/0 /type expected an array, got a number"},
      {"{\"prefixItems\":[{\"type\":\"null\"},{\"$ref\":\"#/prefixItems/0\"}]}", "[null,1]",
       "/1 /prefixItems/0/type expected null, got a number"},
      /* A schema below a keyword that nobody knows, with an anchor that only this way is found. */
      {"{\"$ref\":\"#/x-mine/a\",\"x-mine\":{\"a\":{\"items\":{\"$ref\":\"#deep\"},\"not\":{\"$anchor\":\"deep\","
       "\"type\":\"null\"}}}}",
       "[1]", "/0 /x-mine/a/not/type expected null, got a number"},
      {"{\"$ref\":\"#/$defs/a\",\"minimum\":5,\"$defs\":{\"a\":{\"maximum\":1}}}", "3",
       " /minimum expected at least 5, got 3\n /$defs/a/maximum expected at most 1, got 3"},
  };
  CHECK(facts);
}

/* As many pointers into a list as it has elements: each leads to its own, and none walks the list. */
static void test_references_into_list(void **state) {
  (void)state;
  enum { COUNT = 60000 };
  ee_buffer text = {0};
  ee_buffer_add_text(&text, "{\"$defs\":{\"a\":{\"anyOf\":[");
  for (int i = 0; i < COUNT; i++) ee_buffer_addf(&text, "%s{\"const\":%d}", i > 0 ? "," : "", i);
  ee_buffer_add_text(&text, "]}},\"properties\":{");
  for (int i = 0; i < COUNT; i++)
    ee_buffer_addf(&text, "%s\"p%d\":{\"$ref\":\"#/$defs/a/anyOf/%d\"}", i > 0 ? "," : "", i, COUNT - 1 - i);
  ee_buffer_add_text(&text, "}}");
  const ee_json_schema *schema = schema_compile(&arena, schema_json(&arena, ee_buffer_terminate(&text)));
  ee_schema_result result;
  ee_json_schema_validate(schema, schema_json(&arena, "{\"p0\":59999,\"p1\":59998,\"p59999\":0,\"p7\":7}"), &arena,
                          &result);
  assert_string_equal(schema_violations(&arena, &result), "/p7 /$defs/a/anyOf/59992/const expected 59992, got 7");
  ee_buffer_clear(&text);
  ee_buffer_addf(&text,
                 "{\"$ref\":\"#/allOf/17\",\"allOf\":[true,true,true,true,true,true,true,true,true,true,true,true,"
                 "true,true,true,true,true]}");
  ee_error_list errors;
  ee_error_list_init(&errors);
  assert_null(ee_json_schema_compile(&arena, schema_json(&arena, ee_buffer_terminate(&text)), NULL, &errors));
  assert_string_equal(schema_told(&arena, &errors), "/$ref: '#/allOf/17' refers to nothing");
  ee_error_list_fini(&errors);
  ee_buffer_fini(&text);
}

static void test_order(void **state) {
  (void)state;
  static const fact facts[] = {
      /* The order of the instance's document, not of the schema's. */
      {"{\"required\":[\"z\"],\"allOf\":[{\"properties\":{\"b\":{\"type\":\"null\"}}}],"
       "\"properties\":{\"a\":{\"items\":{\"type\":\"null\"}},\"b\":{\"minimum\":9}}}",
       "{\"b\":1,\"a\":[1,null,2]}",
       " /required 'z' is missing\n/b /properties/b/minimum expected at least 9, got 1\n"
       "/b /allOf/0/properties/b/type expected null, got a number\n"
       "/a/0 /properties/a/items/type expected null, got a number\n"
       "/a/2 /properties/a/items/type expected null, got a number"},
  };
  CHECK(facts);
  const ee_json_schema *schema = schema_compile(&arena, schema_json(&arena, "{\"items\":{\"type\":\"null\"}}"));
  ee_value *array = ee_value_new(&arena, EE_ARRAY);
  for (int i = 0; i < 1000; i++) ee_value_append(array, ee_value_new_number(&arena, i));
  ee_schema_result result;
  ee_json_schema_validate(schema, array, &arena, &result);
  assert_false(result.valid);
  assert_int_equal(result.total, 1000);
  assert_int_equal(result.count, EE_VIOLATIONS_LISTED);
  assert_true(ee_str_is(result.violations[49].place, "/49"));
}

/* What the keywords of a schema look at, also below it. */
static void test_unevaluated(void **state) {
  (void)state;
#define REST ",\"unevaluatedProperties\":false}"
#define REST_OF_LIST ",\"unevaluatedItems\":false}"
#define A_OR_B "[{\"properties\":{\"a\":true},\"required\":[\"a\"]},{\"properties\":{\"b\":true},\"required\":[\"b\"]}]"
#define IF_K "{\"if\":{\"properties\":{\"k\":{\"const\":1}},\"required\":[\"k\"]}"
  static const fact facts[] = {
      {"{\"anyOf\":" A_OR_B REST, "{\"a\":1,\"b\":1}", ""},
      {"{\"anyOf\":" A_OR_B REST, "{\"a\":1,\"c\":1}", "/c /unevaluatedProperties 'c' is not allowed"},
      {"{\"anyOf\":" A_OR_B REST, "{\"c\":1}",
       " /anyOf/0/required 'a' is missing\n/c /unevaluatedProperties 'c' is not allowed"},
      {"{\"oneOf\":" A_OR_B REST, "{\"b\":1,\"c\":1}", "/c /unevaluatedProperties 'c' is not allowed"},
      {IF_K ",\"then\":{\"properties\":{\"a\":true}},\"else\":{\"properties\":{\"b\":true}}" REST, "{\"k\":1,\"a\":1}",
       ""},
      {IF_K ",\"then\":{\"properties\":{\"a\":true}},\"else\":{\"properties\":{\"b\":true}}" REST, "{\"b\":1,\"a\":1}",
       "/a /unevaluatedProperties 'a' is not allowed"},
      {IF_K ",\"else\":{\"properties\":{\"b\":true}}" REST, "{\"k\":1}", ""},
      {"{\"dependentSchemas\":{\"a\":{\"properties\":{\"a\":true,\"b\":true}},\"c\":{\"properties\":{\"d\":true}}"
       "}" REST,
       "{\"a\":1,\"b\":1,\"d\":1}", "/d /unevaluatedProperties 'd' is not allowed"},
      {"{\"allOf\":[{\"additionalProperties\":true}]" REST, "{\"a\":1}", ""},
      {"{\"allOf\":[{\"minProperties\":1,\"minItems\":1,\"properties\":{\"a\":true}}]" REST, "{\"a\":1,\"b\":1}",
       "/b /unevaluatedProperties 'b' is not allowed"},
      {"{\"allOf\":[{\"unevaluatedProperties\":true}]" REST, "{\"a\":1}", ""},
      {"{\"minItems\":1,\"properties\":{\"a\":true}" REST, "{\"a\":1}", ""},
      {"{\"allOf\":[{\"$ref\":\"#/$defs/a\"},{\"$ref\":\"#/$defs/"
       "a\"}],\"$defs\":{\"a\":{\"properties\":{\"a\":true}}}" REST,
       "{\"a\":1}", ""},
      {"{\"properties\":{\"a\":true},\"patternProperties\":{\"^b\":true,\"^c\":true}" REST,
       "{\"a\":1,\"b\":1,\"c\":1,\"d\":1}", "/d /unevaluatedProperties 'd' is not allowed"},
      {"{\"allOf\":[{\"properties\":{\"b\":true}},{\"patternProperties\":{\"^b\":true}}]" REST, "{\"b\":1}", ""},
      {"{\"prefixItems\":[true],\"contains\":{\"const\":1}" REST_OF_LIST, "[1,1,2]",
       "/2 /unevaluatedItems element 2 is not allowed"},
      {"{\"allOf\":[{\"items\":true}]" REST_OF_LIST, "[1,2]", ""},
      {"{\"unevaluatedItems\":false" REST, "{\"a\":1,\"b\":1}",
       "/a /unevaluatedProperties 'a' is not allowed\n/b /unevaluatedProperties 'b' is not allowed"},
      {"{\"unevaluatedItems\":false" REST, "[1]", "/0 /unevaluatedItems element 0 is not allowed"},
      {"{\"allOf\":[{\"unevaluatedItems\":{\"type\":\"string\"}},{\"unevaluatedItems\":{\"minimum\":5}},"
       "{\"unevaluatedItems\":{\"maximum\":0}}]" REST_OF_LIST,
       "[3]",
       "/0 /allOf/0/unevaluatedItems/type expected a string, got a number\n"
       "/0 /allOf/1/unevaluatedItems/minimum expected at least 5, got 3\n"
       "/0 /allOf/2/unevaluatedItems/maximum expected at most 0, got 3"},
  };
  CHECK(facts);
}

/* Of the branches of a choice the one with the fewest violations is explained: all of them are counted. */
static void test_fewest(void **state) {
  (void)state;
  static const fact facts[] = {
      {"{\"anyOf\":[{\"dependentRequired\":{\"a\":[\"x\",\"y\"],\"b\":[\"z\"],\"c\":[\"x\"]}},{\"minProperties\":5}]}",
       "{\"a\":1,\"b\":1}", " /anyOf/1/minProperties expected at least 5 members, got 2"},
      {"{\"anyOf\":[{\"unevaluatedProperties\":false},{\"unevaluatedProperties\":{\"type\":\"string\"}}]}",
       "{\"a\":1,\"b\":\"\"}", "/a /anyOf/1/unevaluatedProperties/type expected a string, got a number"},
      {"{\"dependentRequired\":{\"a\":[\"x\"],\"b\":[\"y\"]}}", "{\"a\":1,\"b\":1}",
       " /dependentRequired/a 'x' is missing, which 'a' requires\n"
       " /dependentRequired/b 'y' is missing, which 'b' requires"},
  };
  CHECK(facts);
  /* Twice as many with each schema: they are counted once, and up to a limit. */
  ee_buffer text;
  ee_buffer_init(&text);
  ee_buffer_add_text(&text, "{\"anyOf\":[{\"$ref\":\"#/$defs/0\"},{\"minItems\":2,\"allOf\":[{\"$ref\":\"#/$defs/0\"},"
                            "{\"$ref\":\"#/$defs/0\"}]},{\"maxItems\":0,\"minItems\":3}],\"$defs\":{");
  for (int i = 0; i < 40; i++)
    ee_buffer_addf(&text, "\"%d\":{\"allOf\":[{\"$ref\":\"#/$defs/%d\"},{\"$ref\":\"#/$defs/%d\"}]},", i, i + 1, i + 1);
  ee_buffer_add_text(&text, "\"40\":{\"items\":false}}}");
  ee_schema_result result;
  const ee_json_schema *schema = schema_compile(&arena, schema_json(&arena, ee_buffer_terminate(&text)));
  ee_json_schema_validate(schema, schema_json(&arena, "[1]"), &arena, &result);
  assert_string_equal(schema_violations(&arena, &result), " /anyOf/2/maxItems expected at most 0 elements, got 1\n"
                                                          " /anyOf/2/minItems expected at least 3 elements, got 1");
  ee_buffer_fini(&text);
}

/* Of every kind of violation all are counted, and some listed. */
static void test_many_violations(void **state) {
  (void)state;
  static const struct {
    const char *schema, *element;
    size_t total;
  } rows[] = {
      {"{\"items\":false}", "1", 80},
      {"{\"items\":{\"required\":[\"a\",\"b\"]}}", "{}", 160},
      {"{\"items\":{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"null\"}]}}", "1", 80},
#ifdef EE_WITH_PCRE2
      /* What is undecided below 'not' has no place of its own, and is told after the others. */
      {"{\"items\":{\"maximum\":0,\"not\":{\"propertyNames\":{\"pattern\":\"^(a+)+$\"}}}}", "1", 161},
#endif
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ee_buffer text;
    ee_buffer_init(&text);
    for (int k = 0; k < 80; k++) ee_buffer_addf(&text, "%c%s", k == 0 ? '[' : ',', rows[i].element);
    if (i == 3) ee_buffer_add_text(&text, ",{\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!\":1}");
    ee_buffer_add_char(&text, ']');
    ee_schema_result result;
    ee_json_schema_validate(schema_compile(&arena, schema_json(&arena, rows[i].schema)),
                            schema_json(&arena, ee_buffer_terminate(&text)), &arena, &result);
    assert_int_equal(result.total, rows[i].total);
    assert_int_equal(result.count, EE_VIOLATIONS_LISTED);
    ee_buffer_fini(&text);
  }
}

static void test_missing(void **state) {
  (void)state;
  static const fact facts[] = {
      {"true", NULL, ""},
      {"{}", NULL, ""},
      {"{\"title\":\"x\",\"$defs\":{\"a\":false}}", NULL, ""},
      {"false", NULL, "  missing"},
      {"{\"minimum\":1}", NULL, "  missing"},
  };
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    ee_schema_result result;
    ee_json_schema_validate(schema_compile(&arena, schema_json(&arena, facts[i].schema)), NULL, &arena, &result);
    assert_string_equal(schema_violations(&arena, &result), facts[i].violations);
  }
}

/* Schema, expected messages. */
typedef struct mistake {
  const char *schema, *told;
} mistake;

static const mistake mistakes[] = {
    {"1", ": expected a schema (an object or a boolean), got a number"},
    {"{\"properties\":{\"a\":null}}", "/properties/a: expected a schema (an object or a boolean), got null"},
    {"{\"properties\":[]}", "/properties: expected an object of schemas, got an array"},
    {"{\"patternProperties\":1}", "/patternProperties: expected an object of schemas, got a number"},
    {"{\"$defs\":{\"x\":{\"type\":\"strin\"}}}", "/$defs/x/type: unknown type 'strin' (did you mean 'string'?)"},
    {"{\"type\":\"xyzzy\"}", "/type: unknown type 'xyzzy'"},
    {"{\"type\":1}", "/type: expected the name of a type, got a number"},
    {"{\"type\":[]}", "/type: an empty array of types"},
    {"{\"type\":[\"null\",\"null\",2]}", "/type/1: duplicate type\n/type/2: expected the name of a type, got a number"},
    {"{\"enum\":1}", "/enum: expected an array of values, got a number"},
    {"{\"enum\":[]}", "warning /enum: an empty array of values, which nothing fits"},
    {"{\"minimum\":\"1\"}", "/minimum: expected a number, got a string"},
    {"{\"exclusiveMaximum\":true}", "/exclusiveMaximum: expected a number, got a boolean"},
    {"{\"multipleOf\":0}", "/multipleOf: expected a number above 0, got 0"},
    {"{\"multipleOf\":-1.5}", "/multipleOf: expected a number above 0, got -1.5"},
    {"{\"multipleOf\":\"1\"}", "/multipleOf: expected a number above 0, got a string"},
    {"{\"multipleOf\":1e1000000000000001}",
     "/multipleOf: 1e1000000000000001 has more than 500 digits, or too large an exponent"},
    {"{\"maxLength\":-1}", "/maxLength: expected a whole number from 0, got -1"},
    {"{\"minItems\":1.5}", "/minItems: expected a whole number from 0, got 1.5"},
    {"{\"maxContains\":null}", "/maxContains: expected a whole number from 0, got null"},
    {"{\"pattern\":1}", "/pattern: expected a pattern, got a number"},
    {"{\"pattern\":\"a(\"}", "/pattern: bad pattern 'a(': missing closing parenthesis"},
    {"{\"patternProperties\":{\"a**\":true}}",
     "/patternProperties/a**: bad pattern 'a**': nothing to repeat at character 3"},
    {"{\"uniqueItems\":1}", "/uniqueItems: expected a boolean, got a number"},
    {"{\"required\":\"a\"}", "/required: expected an array of names, got a string"},
    {"{\"required\":[\"a\",1,\"b\",\"a\"]}",
     "/required/1: expected a name, got a number\n/required/2: duplicate name 'a'"},
    {"{\"dependentRequired\":{\"a\":{}}}", "/dependentRequired/a: expected an array of names, got an object"},
    {"{\"dependentRequired\":1}", "/dependentRequired: expected an object of arrays of names, got a number"},
    {"{\"allOf\":[]}", "/allOf: an empty array of schemas"},
    {"{\"anyOf\":{}}", "/anyOf: expected an array of schemas, got an object"},
    {"{\"items\":[true]}", "/items: expected a schema, got an array ('prefixItems' takes an array)"},
    {"{\"$defs\":1}", "/$defs: expected an object of schemas, got a number"},
    {"{\"$anchor\":\"1\"}", "/$anchor: '1' is not a valid anchor name"},
    {"{\"$anchor\":\"a\",\"not\":{\"$anchor\":\"a\"}}", "/not: duplicate anchor 'a'"},
    {"{\"$ref\":1}", "/$ref: expected a reference, got a number"},
    {"{\"$ref\":\"#/$defs/a\"}", "/$ref: '#/$defs/a' refers to nothing"},
    {"{\"$ref\":\"#a\"}", "/$ref: '#a' refers to nothing"},
    {"{\"$ref\":\"#/%zz\"}", "/$ref: '#/%zz' refers to nothing"},
    {"{\"$ref\":\"#/~2\"}", "/$ref: '#/~2' refers to nothing"},
    {"{\"$ref\":\"#/a~\"}", "/$ref: '#/a~' refers to nothing"},
    {"{\"$ref\":\"#/a~0~1\"}", "/$ref: '#/a~0~1' refers to nothing"},
    {"{\"$ref\":\"#/allOf/\",\"allOf\":[true]}", "/$ref: '#/allOf/' refers to nothing"},
    {"{\"$ref\":\"#/allOf/1234567890\",\"allOf\":[true]}", "/$ref: '#/allOf/1234567890' refers to nothing"},
    {"{\"$ref\":\"#/allOf/x\",\"allOf\":[true]}", "/$ref: '#/allOf/x' refers to nothing"},
    {"{\"$ref\":\"#/allOf/!\",\"allOf\":[true]}", "/$ref: '#/allOf/!' refers to nothing"},
    {"{\"$ref\":\"#/allOf/1\",\"allOf\":[true]}", "/$ref: '#/allOf/1' refers to nothing"},
    {"{\"$ref\":\"#/allOf/00\",\"allOf\":[true]}", "/$ref: '#/allOf/00' refers to nothing"},
    {"{\"$ref\":\"other.json\"}",
     "/$ref: 'other.json' is not known (a file or folder with it can be named in 'registry')"},
    {"{\"$ref\":\"https://x.test/other.json\"}", "/$ref: 'https://x.test/other.json' is not known, and nothing is "
                                                 "loaded from the network (a file or folder with it "
                                                 "can be named in 'registry')"},
    {"{\"$ref\":\"#/required\",\"required\":[]}",
     "/required: expected a schema (an object or a boolean), got an array"},
    {"{\"$id\":\"x#y\"}", "/$id: '$id' has a fragment ('$anchor' names a part)"},
    {"{\"$dynamicRef\":\"#a\"}", "/$dynamicRef: '#a' refers to nothing"},
    {"{\"$dynamicRef\":1}", "/$dynamicRef: expected a reference, got a number"},
    {"{\"unevaluatedProperties\":1}",
     "/unevaluatedProperties: expected a schema (an object or a boolean), got a number"},
    /* Ways that never enter the instance. */
    {"{\"$ref\":\"#\"}", "/$ref: refers to itself without entering the instance"},
    {"{\"allOf\":[{\"$ref\":\"#/$defs/a\"}],\"$defs\":{\"a\":{\"anyOf\":[true,{\"not\":{\"$ref\":\"#\"}}]}}}",
     "/$defs/a/anyOf/1/not/$ref: refers to itself without entering the instance"},
    {"{\"dependentSchemas\":{\"a\":{\"if\":{\"$ref\":\"#\"}}}}",
     "/dependentSchemas/a/if/$ref: refers to itself without entering the instance"},
    {"{\"dependentSchemas\":{\"a\":{\"if\":true,\"then\":{\"$ref\":\"#\"}}}}",
     "/dependentSchemas/a/then/$ref: refers to itself without entering the instance"},
    {"{\"items\":{\"$ref\":\"#\"},\"properties\":{\"a\":{\"$ref\":\"#\"}},\"propertyNames\":{\"$ref\":\"#\"}}", ""},
    /* Words. */
    {"{\"reqired\":[\"a\"]}", "warning /reqired: unknown keyword (did you mean 'required'?)"},
    {"{\"properties\":{\"reqired\":{\"minLenght\":1}}}",
     "warning /properties/reqired/minLenght: unknown keyword (did you mean 'minLength'?)"},
    {"{\"tilte\":\"a\",\"x-order\":1,\"example\":2}", ""},
    {"{\"$defss\":{},\"a-keyword-of-others-with-more-than-forty-bytes\":1}", ""},
    {"{\"$anchor\":\"aZ_0-.\",\"$ref\":\"#aZ_0-.\"}", "/$ref: refers to itself without entering the instance"},
    {"{\"$anchor\":\"\"}", "/$anchor: '' is not a valid anchor name"},
    {"{\"$anchor\":\"0a\"}", "/$anchor: '0a' is not a valid anchor name"},
    {"{\"$anchor\":\"a[\"}", "/$anchor: 'a[' is not a valid anchor name"},
    {"{\"$anchor\":\"a~\"}", "/$anchor: 'a~' is not a valid anchor name"},
    {"{\"$anchor\":\"a!\"}", "/$anchor: 'a!' is not a valid anchor name"},
    {"{\"$schema\":\"\"}", "warning /$schema: unknown dialect, treated as draft 2020-12"},
    {"{\"$schema\":\"urn:x:y\"}", "warning /$schema: unknown dialect, treated as draft 2020-12"},
    {"{\"$schema\":\"x:y\"}", "warning /$schema: unknown dialect, treated as draft 2020-12"},
    {"{\"$schema\":\"httpx://y\"}", "warning /$schema: unknown dialect, treated as draft 2020-12"},
    {"{\"nullable\":true}", "warning /nullable: 'nullable' has no effect in draft 2020-12: "
                            "use 'type' with an array that has \"null\""},
    {"{\"dependencies\":{}}", "warning /dependencies: 'dependencies' has no effect in draft 2020-12: "
                              "use 'dependentRequired' and 'dependentSchemas'"},
    {"{\"$schema\":\"http://json-schema.org/draft-07/schema#\"}", ""},
    {"{\"$schema\":\"https://x.test/mine\"}", "warning /$schema: unknown dialect, treated as draft 2020-12"},
};

static void test_mistakes(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
    if (schema_needs_patterns(mistakes[i].schema)) continue;
    ee_error_list errors;
    ee_error_list_init(&errors);
    const ee_json_schema *schema =
        ee_json_schema_compile(&arena, schema_json(&arena, mistakes[i].schema), NULL, &errors);
    const char *told = schema_told(&arena, &errors);
    if (strcmp(told, mistakes[i].told) != 0)
      fail_msg("%s\n  told:\n%s\n  expected:\n%s", mistakes[i].schema, told, mistakes[i].told);
    bool bad = mistakes[i].told[0] != '\0' && strncmp(mistakes[i].told, "warning", 7) != 0;
    assert_int_equal(schema == NULL, bad);
    ee_error_list_fini(&errors);
  }
  ee_error_list errors;
  ee_error_list_init(&errors);
  assert_null(ee_json_schema_compile(&arena, NULL, NULL, &errors));
  assert_string_equal(schema_told(&arena, &errors), ": expected a schema (an object or a boolean), got nothing");
  ee_error_list_fini(&errors);
}

/* The place of a mistake is cut at its start, between characters. */
static void test_long_place(void **state) {
  (void)state;
  for (int i = 0; i < 2; i++) {
    ee_buffer text;
    ee_buffer_init(&text);
    ee_buffer_add_text(&text, "{\"properties\":{\"");
    for (int k = 0; k < 150; k++) ee_buffer_add_text(&text, "\xC3\xA9");
    ee_buffer_addf(&text, "%s\":{\"type\":1}}}", i == 0 ? "" : "a");
    ee_error_list errors;
    ee_error_list_init(&errors);
    assert_null(ee_json_schema_compile(&arena, schema_json(&arena, ee_buffer_terminate(&text)), NULL, &errors));
    const char *message = errors.items[0].message;
    assert_memory_equal(message, "...\xC3\xA9", 5);
    assert_int_equal(strcspn(message, ":"), i == 0 ? 3 + 199 : 3 + 200);
    ee_error_list_fini(&errors);
    ee_buffer_fini(&text);
  }
}

/* Of warnings a hundred are listed, and nothing more is looked for. */
static void test_many_warnings(void **state) {
  (void)state;
  for (size_t i = 0; i < 2; i++) {
    ee_buffer text;
    ee_buffer_init(&text);
    for (int k = 0; k < 150; k++) {
      ee_buffer_add_text(&text, k == 0 ? "{\"properties\":{" : ",");
      if (i == 0)
        ee_buffer_addf(&text, "\"%d\":{\"minLenght\":1}", k);
      else
        ee_buffer_addf(&text, "\"%d\":{\"$id\":\"u:%d\",\"$schema\":\"u:x\"}", k, k);
    }
    ee_buffer_add_text(&text, "}}");
    ee_error_list errors;
    ee_error_list_init(&errors);
    assert_non_null(ee_json_schema_compile(&arena, schema_json(&arena, ee_buffer_terminate(&text)), NULL, &errors));
    assert_int_equal(errors.count, 100);
    ee_error_list_fini(&errors);
    ee_buffer_fini(&text);
  }
}

/* All mistakes are counted, a hundred are listed. */
static void test_many_mistakes(void **state) {
  (void)state;
  ee_value *list = ee_value_new(&arena, EE_ARRAY);
  for (int i = 0; i < 250; i++) ee_value_append(list, ee_value_new_number(&arena, i));
  ee_value *schema = ee_value_new(&arena, EE_OBJECT);
  ee_value_set(&arena, schema, EE_STR("allOf"), list);
  ee_error_list errors;
  ee_error_list_init(&errors);
  assert_null(ee_json_schema_compile(&arena, schema, NULL, &errors));
  assert_int_equal(errors.count, 101);
  assert_string_equal(errors.items[99].message, "/allOf/99: expected a schema (an object or a boolean), got a number");
  assert_string_equal(errors.items[100].message, ": 150 more mistakes");
  ee_error_list_fini(&errors);
}

EE_TEST_FILE(make_arena, free_arena, cmocka_unit_test(test_types), cmocka_unit_test(test_values),
             cmocka_unit_test(test_numbers), cmocka_unit_test(test_texts), cmocka_unit_test(test_arrays),
             cmocka_unit_test(test_objects), cmocka_unit_test(test_combining), cmocka_unit_test(test_references),
             cmocka_unit_test(test_references_into_list), cmocka_unit_test(test_order),
             cmocka_unit_test(test_unevaluated), cmocka_unit_test(test_fewest), cmocka_unit_test(test_many_violations),
             cmocka_unit_test(test_long_place), cmocka_unit_test(test_many_warnings), cmocka_unit_test(test_missing),
             cmocka_unit_test(test_mistakes), cmocka_unit_test(test_many_mistakes));
