/* References between schemas: resources, anchors, dynamic scopes, drafts, registries, what is beside, OpenAPI. */
#include "data/schema/schema_compiler.h"
#include "data/schema/schema_fixture.h"
#include "support/arena.h"

/* What is loaded in these tests: a name below file:///d/. */
typedef struct test_file {
  const char *name, *text;
} test_file;
static const test_file files[] = {
    {"b.json", "{\"type\":\"string\",\"definitions\":{\"n\":{\"type\":\"null\"}}}"},
    {"sub/c.json", "{\"items\":{\"$ref\":\"../b.json#/definitions/n\"}}"},
    {"bad.json", "{\"properties\":{\"x\":{\"type\":\"strin\"}}}"},
    {"id.json", "{\"$id\":\"https://x.test/named\",\"const\":1}"},
    {"meta.json", "{\"$id\":\"https://x.test/meta\",\"$schema\":\"https://json-schema.org/draft/2020-12/schema\","
                  "\"$vocabulary\":{\"https://json-schema.org/draft/2020-12/vocab/core\":true,"
                  "\"https://json-schema.org/draft/2020-12/vocab/applicator\":true}}"},
    {"strict.json", "{\"$id\":\"https://x.test/strict\",\"$schema\":\"https://json-schema.org/draft/2020-12/schema\","
                    "\"$vocabulary\":{\"https://x.test/unknown\":true,\"https://x.test/other\":false}}"},
    {"formats.json", "{\"$id\":\"https://x.test/formats\",\"$schema\":\"https://json-schema.org/draft/2019-09/schema\","
                     "\"$vocabulary\":{\"https://json-schema.org/draft/2019-09/vocab/format\":true}}"},
    {"assert.json", "{\"$id\":\"https://x.test/assert\",\"$schema\":\"https://json-schema.org/draft/2020-12/schema\","
                    "\"$vocabulary\":{\"https://json-schema.org/draft/2020-12/vocab/format-assertion\":false}}"},
    {"loop1.json", "{\"$id\":\"https://x.test/loop1\",\"$schema\":\"https://x.test/loop2\"}"},
    {"loop2.json", "{\"$id\":\"https://x.test/loop2\",\"$schema\":\"https://x.test/loop1\"}"},
    {"seven.json", "{\"$id\":\"https://x.test/seven\",\"$schema\":\"http://json-schema.org/draft-07/schema#\","
                   "\"$vocabulary\":{\"https://x.test/unknown\":true}}"},
    {"lax.json", "{\"$id\":\"https://x.test/lax\",\"$schema\":\"https://json-schema.org/draft/2019-09/schema\","
                 "\"$vocabulary\":{\"https://json-schema.org/draft/2019-09/vocab/core\":true,"
                 "\"https://json-schema.org/draft/2019-09/vocab/format\":false,"
                 "\"https://json-schema.org/draft/2019-09/vocab/format-assertion\":false,"
                 "\"https://json-schema.org/draft/2019-09/vocab/validation\":true,"
                 "\"https://x.test/a-vocabulary-with-a-very-long-name-that-nobody-knows\":false}}"},
    {"inner.json", "{\"$defs\":{\"a\":{\"$id\":\"https://x.test/inside\",\"$anchor\":\"x\",\"const\":2}}}"},
};

static bool load(void *user, ee_arena *in, ee_str uri, ee_schema_source *source, const char **why) {
  (void)user;
  static const char prefix[] = "file:///d/";
  *why = NULL;
  if (uri.length < strlen(prefix) || memcmp(uri.data, prefix, strlen(prefix)) != 0) return false;
  ee_str name = {uri.data + strlen(prefix), uri.length - strlen(prefix)};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    if (!ee_str_is(name, files[i].name)) continue;
    *source = (ee_schema_source){schema_json(in, files[i].text), uri, uri, files[i].name};
    return true;
  }
  *why = "not there";
  return false;
}

/* All files but b.json under their $id, b.json under a name. */
static ee_schema_registry *make_registry(void) {
  ee_schema_registry *registry = ee_schema_registry_new(&arena);
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    const char *other = NULL;
    ee_schema_source source = {.document = schema_json(&arena, files[i].text), .name = files[i].name};
    assert_true(ee_schema_registry_add(registry, i == 0 ? EE_STR("names/b.json") : EE_STR(""), &source,
                                       EE_DRAFT_2020_12, &other));
  }
  return registry;
}

/* `violations` after "mistake " or "warning ": what the compiler says. */
typedef struct row {
  const char *schema, *instance, *violations;
} row;

static void check(const row *rows, size_t count, const ee_schema_options *options) {
  for (size_t i = 0; i < count; i++) {
    if (schema_needs_patterns(rows[i].schema)) continue;
    ee_error_list errors;
    ee_error_list_init(&errors);
    const ee_json_schema *schema =
        ee_json_schema_compile(&arena, schema_json(&arena, rows[i].schema), options, &errors);
    const char *told = schema_told(&arena, &errors);
    ee_schema_result result = {.valid = true};
    if (schema != NULL) {
      ee_json_schema_validate(schema, schema_json(&arena, rows[i].instance), &arena, &result);
      assert_true(ee_json_schema_size(schema) > 0);
      const char *found = schema_violations(&arena, &result);
      if (*found != '\0') told = ee_arena_printf(&arena, "%s%s%s", told, *told != '\0' ? "\n" : "", found);
    }
    if (strcmp(told, rows[i].violations) != 0)
      fail_msg("%s\n  on %s:\n%s\n  expected:\n%s", rows[i].schema, rows[i].instance, told, rows[i].violations);
    ee_error_list_fini(&errors);
  }
}
#define CHECK(rows, options) check(rows, sizeof(rows) / sizeof *(rows), options)

static void test_resources(void **state) {
  (void)state;
  static const row rows[] = {
      {"{\"$id\":\"https://x.test/r/a\",\"$ref\":\"b#/$defs/n\",\"$defs\":{\"b\":{\"$id\":\"b\",\"$defs\":{\"n\":"
       "{\"type\":\"null\"}}}}}",
       "1", " /$defs/b/$defs/n/type expected null, got a number"},
      {"{\"$id\":\"https://x.test/r/a\",\"$defs\":{\"b\":{\"$id\":\"b\",\"$ref\":\"#/$defs/n\"},\"n\":true}}", "1",
       "/$defs/b/$ref: '#/$defs/n' refers to nothing"},
      {"{\"$ref\":\"urn:x:y#n\",\"$defs\":{\"b\":{\"$id\":\"urn:x:y\",\"not\":{\"$anchor\":\"n\",\"const\":1}}}}", "2",
       " /$defs/b/not/const expected 1, got 2"},
      {"{\"not\":{\"$id\":\"x\"}}", "1", " /not fits what 'not' excludes"},
      {"{\"not\":{\"$id\":\"x#y\"}}", "1", "/not/$id: '$id' has a fragment ('$anchor' names a part)"},
      {"{\"not\":{\"$id\":3}}", "1", "/not/$id: expected a URI, got a number"},
      {"{\"$id\":\"https://x.test/a\",\"not\":{\"$id\":\"https://x.test/a#\",\"const\":1}}", "1",
       " /not fits what 'not' excludes"},
      {"{\"$anchor\":\"a\",\"$defs\":{\"b\":{\"$id\":\"b\",\"$anchor\":\"a\",\"const\":1}},\"$ref\":\"b#a\"}", "2",
       " /$defs/b/const expected 1, got 2"},
      {"{\"$anchor\":\"a\",\"$dynamicAnchor\":\"a\",\"$defs\":{\"b\":{\"$dynamicAnchor\":\"c\"}}}", "2", ""},
      {"{\"$anchor\":3}", "2", "/$anchor: expected a name, got a number"},
      {"{\"$dynamicAnchor\":\"a:b\"}", "2", "/$dynamicAnchor: 'a:b' is not a valid anchor name"},
      /* Not a schema, and so not a resource. */
      {"{\"enum\":[{\"$id\":\"https://x.test/e\",\"a\":1}],\"$ref\":\"https://x.test/e\"}", "1",
       "/$ref: 'https://x.test/e' is not known, and nothing is loaded from the network (a file or folder with it can "
       "be "
       "named in 'registry')"},
      {"{\"$ref\":\"#/x-a/b\",\"x-a\":{\"b\":{\"$id\":\"https://x.test/e\",\"$ref\":\"#c\",\"$defs\":{\"c\":{"
       "\"$anchor\":\"c\",\"const\":1}}}}}",
       "2", " /x-a/b/$defs/c/const expected 1, got 2"},
      /* A cycle that is met at a schema that another one lists. */
      {"{\"properties\":{\"x\":{\"$ref\":\"#/$defs/p/allOf/0\"}},\"$defs\":{\"p\":{\"allOf\":[{\"$ref\":\"#/$defs/"
       "p\"}]}}}",
       "1", "/$defs/p/allOf/0/$ref: refers to itself without entering the instance"},
      /* What is evaluated through references. */
      {"{\"$ref\":\"#/$defs/a\",\"unevaluatedProperties\":false,\"$defs\":{\"a\":{\"properties\":{\"x\":true}}}}",
       "{\"x\":1,\"y\":2}", "/y /unevaluatedProperties 'y' is not allowed"},
  };
  CHECK(rows, NULL);
}

static void test_dynamic(void **state) {
  (void)state;
#define TREE                                                                                                           \
  "{\"$id\":\"https://x.test/"                                                                                         \
  "tree\",\"$dynamicAnchor\":\"n\",\"properties\":{\"c\":{\"items\":{\"$dynamicRef\":\"#n\"}}}}"
  static const row rows[] = {
      {"{\"$id\":\"https://x.test/strict\",\"$dynamicAnchor\":\"n\",\"$ref\":\"tree\",\"unevaluatedProperties\":false,"
       "\"$defs\":{\"t\":" TREE "}}",
       "{\"c\":[{\"d\":1}]}", "/c/0/d /unevaluatedProperties 'd' is not allowed"},
      {"{\"$id\":\"https://x.test/lax\",\"$ref\":\"tree\",\"unevaluatedProperties\":false,\"$defs\":{\"t\":" TREE "}}",
       "{\"c\":[{\"d\":1}]}", ""},
      /* Two ways to one scope. */
      {"{\"properties\":{\"p\":{\"$ref\":\"one\"},\"q\":{\"$ref\":\"two\"}},\"$defs\":{"
       "\"1\":{\"$id\":\"one\",\"$dynamicAnchor\":\"x\",\"items\":{\"$ref\":\"two\"}},"
       "\"2\":{\"$id\":\"two\",\"$dynamicAnchor\":\"y\",\"items\":{\"$ref\":\"one\"},\"maximum\":3}}}",
       "{\"p\":[4],\"q\":[[4]]}",
       "/p/0 /$defs/2/maximum expected at most 3, got 4\n"
       "/q/0/0 /$defs/2/maximum expected at most 3, got 4"},
      /* Two ways to one schema, which means something else on each. */
      {"{\"properties\":{\"a\":{\"$ref\":\"one\"},\"b\":{\"$ref\":\"two\"}},\"$defs\":{\"g\":{\"$id\":\"g\",\"items\":{"
       "\"$dynamicRef\":\"#t\"},\"$defs\":{\"t\":{\"$dynamicAnchor\":\"t\"}}},\"1\":{\"$id\":\"one\",\"$ref\":\"g\","
       "\"$defs\":{\"t\":{\"$dynamicAnchor\":\"t\",\"type\":\"number\"}}},\"2\":{\"$id\":\"two\",\"$ref\":\"g\",\"$"
       "defs\":"
       "{\"t\":{\"$dynamicAnchor\":\"t\",\"type\":\"string\"}}}}}",
       "{\"a\":[1,\"x\"],\"b\":[1,\"x\"]}",
       "/a/1 /$defs/1/$defs/t/type expected a number, got a string\n"
       "/b/0 /$defs/2/$defs/t/type expected a string, got a number"},
      {"{\"$schema\":\"https://json-schema.org/draft/2019-09/schema\",\"$id\":\"https://x.test/"
       "a\",\"$recursiveAnchor\":true,"
       "\"$ref\":\"b\",\"maxProperties\":1,\"$defs\":{\"b\":{\"$id\":\"b\",\"$recursiveAnchor\":true,\"properties\":{"
       "\"x\":{"
       "\"$recursiveRef\":\"#\"}}}}}",
       "{\"x\":{\"x\":1,\"y\":2}}", "/x /maxProperties expected at most 1 member, got 2"},
      {"{\"$schema\":\"https://json-schema.org/draft/2019-09/schema\",\"$id\":\"https://x.test/"
       "a\",\"$recursiveAnchor\":true,"
       "\"$ref\":\"b\",\"maxProperties\":1,\"$defs\":{\"b\":{\"$id\":\"b\",\"properties\":{\"x\":{\"$recursiveRef\":\"#"
       "\"}}}}}",
       "{\"x\":{\"x\":1,\"y\":2}}", ""},
      {"{\"$dynamicRef\":\"#a\",\"$defs\":{\"x\":{\"$anchor\":\"a\",\"const\":1}}}", "2",
       " /$defs/x/const expected 1, got 2"},
      {"{\"$dynamicRef\":\"#a\",\"$dynamicAnchor\":\"a\"}", "2",
       "/$dynamicRef: refers to itself without entering the instance"},
  };
  CHECK(rows, NULL);
}

#define D19 "\"$schema\":\"https://json-schema.org/draft/2019-09/schema\""
#define D7 "\"$schema\":\"http://json-schema.org/draft-07/schema#\""
#define D6 "\"$schema\":\"http://json-schema.org/draft-06/schema#\""
#define D4 "\"$schema\":\"http://json-schema.org/draft-04/schema#\""

static void test_drafts(void **state) {
  (void)state;
  static const row rows[] = {
      {"{" D7 ",\"items\":[{\"const\":1}],\"additionalItems\":{\"const\":2}}", "[2,1]",
       "/0 /items/0/const expected 1, got 2\n/1 /additionalItems/const expected 2, got 1"},
      {"{" D7 ",\"items\":{\"const\":1},\"additionalItems\":false}", "[1,1]", ""},
      {"{" D7 ",\"items\":[]}", "[1]", ""},
      {"{" D19 ",\"items\":[true],\"unevaluatedItems\":false}", "[1,2]",
       "/1 /unevaluatedItems element 1 is not allowed"},
      {"{" D19 ",\"contains\":{\"const\":1},\"unevaluatedItems\":false}", "[1]",
       "/0 /unevaluatedItems element 0 is not allowed"},
      {"{\"contains\":{\"const\":1},\"unevaluatedItems\":false}", "[1,2]",
       "/1 /unevaluatedItems element 1 is not allowed"},
      {"{" D7 ",\"dependencies\":{\"a\":[\"b\"],\"b\":{\"required\":[\"c\"]},\"d\":false}}",
       "{\"a\":1,\"b\":1,\"d\":1}", " /dependencies/b/required 'c' is missing\n /dependencies/d nothing is allowed"},
      {"{" D7 ",\"dependencies\":{\"a\":[\"b\"]}}", "{\"a\":1}", " /dependencies/a 'b' is missing, which 'a' requires"},
      {"{" D7 ",\"dependencies\":{\"a\":false}}", "{\"a\":1}", " /dependencies/a nothing is allowed"},
      {"{" D7
       ",\"items\":{\"$id\":\"x\",\"$ref\":\"#/definitions/n\"},\"definitions\":{\"n\":{\"$id\":\"#/n\",\"const\":1}}}",
       "[2]", "/0 /definitions/n/const expected 1, got 2"},
      {"{" D19 ",\"$anchor\":\"a:b\",\"items\":{\"$ref\":\"#a:b\"},\"const\":1,\"not\":{\"$recursiveAnchor\":true}}",
       "1", " /not fits what 'not' excludes"},
      {"{" D7 ",\"dependencies\":1}", "1",
       "/dependencies: expected an object of schemas and arrays of names, got a number"},
      {"{" D7
       ",\"$ref\":\"#/definitions/a\",\"minimum\":5,\"type\":\"string\",\"definitions\":{\"a\":{\"maximum\":1}}}",
       "0", "warning /minimum: has no effect beside '$ref' before draft 2019-09"},
      {"{" D7 ",\"$ref\":\"#/definitions/a\",\"minimum\":5,\"maximum\":3,\"definitions\":{\"a\":true}}", "0",
       "warning /minimum: has no effect beside '$ref' before draft 2019-09 (and 1 more such keywords)"},
      {"{" D7 ",\"properties\":{\"$ref\":{\"const\":1}}}", "{\"$ref\":2}",
       "/$ref /properties/$ref/const expected 1, got 2"},
      {"{" D7 ",\"$ref\":\"#a\",\"definitions\":{\"x\":{\"$id\":\"#a\",\"const\":1}}}", "2",
       " /definitions/x/const expected 1, got 2"},
      {"{" D7 ",\"$ref\":\"u:x#a\",\"definitions\":{\"x\":{\"$id\":\"u:x#a\",\"const\":1}}}", "2",
       " /definitions/x/const expected 1, got 2"},
      {"{" D7 ",\"definitions\":{\"x\":{\"$id\":\"#a\"},\"y\":{\"$id\":\"#a\"}}}", "2", ""},
      {"{" D7 ",\"$defs\":{\"x\":{\"const\":1},\"y\":\"text\"},\"$ref\":\"#/$defs/x\"}", "2",
       " /$defs/x/const expected 1, got 2"},
      {"{" D7 ",\"$defs\":3}", "2", ""},
      {"{" D7 ",\"prefixItems\":[false],\"unevaluatedItems\":false,\"minContains\":2}", "[1]",
       "warning /prefixItems: 'prefixItems' has no effect in draft 07: it is a keyword from draft 2020-12 on, if "
       "'$schema' "
       "says so\n"
       "warning /unevaluatedItems: 'unevaluatedItems' has no effect in draft 07: it is a keyword from draft 2019-09 "
       "on, if "
       "'$schema' says so\n"
       "warning /minContains: 'minContains' has no effect in draft 07: it is a keyword from draft 2019-09 on, if "
       "'$schema' "
       "says so"},
      {"{" D6 ",\"if\":true,\"else\":false,\"contains\":{\"const\":1},\"propertyNames\":false}", "[2]",
       "warning /if: 'if' has no effect in draft 06: it is a keyword from draft 07 on, if '$schema' says so\n"
       "warning /else: 'else' has no effect in draft 06: it is a keyword from draft 07 on, if '$schema' says so\n"
       " /contains expected at least 1 element matching 'contains', got 0"},
      {"{" D4 ",\"maximum\":3,\"exclusiveMaximum\":true,\"minimum\":1,\"exclusiveMinimum\":false}", "3",
       " /maximum expected less than 3, got 3"},
      {"{" D4 ",\"minimum\":3,\"exclusiveMinimum\":true}", "3", " /minimum expected more than 3, got 3"},
      {"{" D4 ",\"exclusiveMinimum\":3}", "3", "/exclusiveMinimum: expected a boolean (draft 04), got a number"},
      {"{" D4
       ",\"$ref\":\"u:x#/definitions/y\",\"definitions\":{\"x\":{\"id\":\"u:x\",\"definitions\":{\"y\":{\"type\":"
       "\"null\"}}}}}",
       "2", " /definitions/x/definitions/y/type expected null, got a number"},
      {"{" D4 ",\"const\":1,\"id\":3}", "2",
       "warning /const: 'const' has no effect in draft 04: it is a keyword from draft 06 on, if '$schema' says so\n"
       "/id: expected a URI, got a number"},
      {"{\"id\":\"x\",\"additionalItems\":false,\"divisibleBy\":2,\"$recursiveRef\":\"#\"}", "2",
       "warning /id: unknown keyword (did you mean '$id'?)\n"
       "warning /additionalItems: 'additionalItems' has no effect in draft 2020-12: use 'prefixItems' and 'items'\n"
       "warning /divisibleBy: 'divisibleBy' has no effect in draft 2020-12: use 'multipleOf'\n"
       "warning /$recursiveRef: '$recursiveRef' has no effect in draft 2020-12: use '$dynamicRef'"},
      {"{\"$schema\":\"http://json-schema.org/draft-03/schema#\",\"maximum\":1,\"exclusiveMaximum\":true}", "1",
       "warning /$schema: unknown dialect, treated as draft 04\n /maximum expected less than 1, got 1"},
      {"{\"$schema\":\"http://json-schema.org/draft-05/schema#\",\"maximum\":1,\"exclusiveMaximum\":true}", "1",
       " /maximum expected less than 1, got 1"},
      {"{\"$schema\":\"https://spec.openapis.org/oas/3.1/dialect/base\",\"const\":1}", "1", ""},
      {"{\"$schema\":\"httpx\"}", "1", "warning /$schema: unknown dialect, treated as draft 2020-12"},
      {"{\"$schema\":\"http:x\"}", "1", "warning /$schema: unknown dialect, treated as draft 2020-12"},
      {"{\"$schema\":3}", "1", "/$schema: expected a URI, got a number"},
      /* An embedded resource of another draft. */
      {"{\"items\":{\"$id\":\"u:x\"," D7 ",\"items\":[{\"const\":1}]}}", "[[2]]",
       "/0/0 /items/items/0/const expected 1, got 2"},
      {"{\"items\":{\"$id\":\"u:x\",\"$schema\":\"u:y\"}}", "[[2]]",
       "warning /items/$schema: unknown dialect, treated as draft 2020-12"},
  };
  CHECK(rows, NULL);
  static const row default_rows[] = {
      {"{\"maximum\":1,\"exclusiveMaximum\":true}", "1", " /maximum expected less than 1, got 1"},
      {"{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"const\":1}", "2", " /const expected 1, got 2"}};
  ee_schema_options options = {.draft = EE_DRAFT_04};
  CHECK(default_rows, &options);
}

static void test_metaschemas(void **state) {
  (void)state;
  static const char *const uris[] = {
      "https://json-schema.org/draft/2020-12/schema", "https://json-schema.org/draft/2019-09/schema",
      "http://json-schema.org/draft-07/schema#", "http://json-schema.org/draft-06/schema#",
      "http://json-schema.org/draft-04/schema"};
  static const char *const good[] = {"{}", "{\"type\":\"string\",\"properties\":{\"a\":{\"minimum\":1}}}",
                                     "{\"enum\":[1],\"required\":[\"a\"],\"allOf\":[{}]}"};
  static const char *const bad[] = {"1",
                                    "{\"type\":\"strin\"}",
                                    "{\"minLength\":-1}",
                                    "{\"properties\":{\"a\":{\"required\":3}}}",
                                    "{\"allOf\":[]}",
                                    "{\"multipleOf\":0}",
                                    "{\"pattern\":3}",
                                    "{\"not\":1}",
                                    "{\"uniqueItems\":1}",
                                    "{\"additionalProperties\":1}",
                                    "{\"title\":1}",
                                    "{\"patternProperties\":{\"a\":1}}",
                                    "{\"enum\":1}"};
#ifdef EE_WITH_PCRE2
  for (size_t i = 0; i < 5; i++) {
    const char *text = ee_arena_printf(&arena, "{\"$ref\":\"%s\"}", uris[i]);
    const ee_json_schema *schema = schema_compile(&arena, schema_json(&arena, text));
    ee_schema_result result;
    for (size_t k = 0; k < sizeof good / sizeof *good; k++) {
      ee_json_schema_validate(schema, schema_json(&arena, good[k]), &arena, &result);
      if (!result.valid) fail_msg("%s by %s: %s", good[k], uris[i], schema_violations(&arena, &result));
    }
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
      ee_json_schema_validate(schema, schema_json(&arena, bad[k]), &arena, &result);
      if (result.valid) fail_msg("%s by %s", bad[k], uris[i]);
    }
    ee_json_schema_validate(schema, schema_json(&arena, "true"), &arena, &result);
    assert_int_equal(result.valid, i < 4);
  }
  static const row rows[] = {
      {"{\"$ref\":\"https://json-schema.org/draft/2020-12/meta/validation#/$defs/simpleTypes\"}", "\"text\"",
       " https://json-schema.org/draft/2020-12/meta/validation#/$defs/simpleTypes/enum expected \"array\", "
       "\"boolean\", "
       "\"integer\", \"null\", \"number\", \"object\" or \"string\", got \"text\""},
  };
  CHECK(rows, NULL);
#else
  (void)uris, (void)good, (void)bad;
#endif
}

static void test_files(void **state) {
  (void)state;
  static const row rows[] = {
      {"{\"$ref\":\"b.json\"}", "1", " b.json#/type expected a string, got a number"},
      {"{\"$ref\":\"sub/c.json\"}", "[1]", "/0 b.json#/definitions/n/type expected null, got a number"},
      {"{\"$ref\":\"none.json\"}", "1", "/$ref: not there"},
      {"{\"$ref\":\"bad.json\"}", "1", "bad.json#/properties/x/type: unknown type 'strin' (did you mean 'string'?)"},
      {"{\"$ref\":\"b.json#/x\"}", "1", "/$ref: 'b.json#/x' refers to nothing"},
      {"{\"$ref\":\"a.json\",\"$comment\":\"itself\"}", "1", "/$ref: refers to itself without entering the instance"},
      {"{\"allOf\":[{\"$ref\":\"id.json\"},{\"$ref\":\"https://x.test/named\"}]}", "2",
       " id.json#/const expected 1, got 2"},
      /* Beside it by its $id. */
      {"{\"$id\":\"https://x.test/a.json\",\"$ref\":\"sub/c.json\"}", "[1]",
       "/0 b.json#/definitions/n/type expected null, got a number"},
      {"{\"$id\":\"https://x.test/y/a.json\",\"$ref\":\"../c.json\"}", "1",
       "/$ref: 'https://x.test/c.json' is not known, and nothing is loaded from the network (a file or folder with it "
       "can "
       "be named in 'registry')"},
      {"{\"$id\":\"https://x.test/a.json\",\"$ref\":\"none.json\"}", "1", "/$ref: not there"},
      /* Read once more under its other name. */
      {"{\"$id\":\"https://x.test/a.json\",\"allOf\":[{\"$ref\":\"file:///d/b.json\"},{\"$ref\":\"b.json\"}]}", "1",
       " b.json#/type expected a string, got a number\n b.json#/type expected a string, got a number"},
      {"{\"$id\":\"https://x.test/y/a.json\",\"$ref\":\"urn:z\"}", "1",
       "/$ref: 'urn:z' is not known (a file or folder with it can be named in 'registry')"},
      {"{\"$id\":\"urn:y\",\"$ref\":\"urn:z\"}", "1",
       "/$ref: 'urn:z' is not known (a file or folder with it can be named in 'registry')"},
  };
  ee_schema_options options = {.location = EE_STR("file:///d/a.json"), .load = load};
  CHECK(rows, &options);
  static const row nowhere[] = {
      {"{\"$id\":\"https://x.test/a.json\",\"$ref\":\"b\"}", "1",
       "/$ref: 'https://x.test/b' is not known, and nothing is loaded from the network (a file or folder with it can "
       "be named in 'registry')"},
  };
  CHECK(nowhere, &(ee_schema_options){.load = load});
}

static void test_registry(void **state) {
  (void)state;
  static const row rows[] = {
      {"{\"$ref\":\"names/b.json\"}", "1", " b.json#/type expected a string, got a number"},
      {"{\"$ref\":\"https://x.test/named\"}", "2", " id.json#/const expected 1, got 2"},
      {"{\"$ref\":\"https://x.test/inside#x\"}", "1", " inner.json#/$defs/a/const expected 2, got 1"},
      {"{\"$ref\":\"b.json\"}", "1",
       "/$ref: 'b.json' is not known (a file or folder with it can be named in 'registry')"},
      {"{\"$ref\":\"file:///etc/passwd\"}", "1",
       "/$ref: 'file:///etc/passwd' is not known (a file or folder with it can be named in 'registry')"},
      /* Dialects. */
      {"{\"$schema\":\"https://x.test/meta\",\"minimum\":5,\"properties\":{\"a\":false}}", "{\"a\":1}",
       "/a /properties/a 'a' is not allowed"},
      {"{\"$schema\":\"https://x.test/meta\",\"minimum\":5,\"contains\":true,\"minContains\":9}", "[1]", ""},
      {"{\"$schema\":\"https://x.test/strict\"}", "1",
       "/$schema: requires the vocabulary 'https://x.test/unknown', which is not known"},
      {"{\"$schema\":\"https://x.test/formats\",\"format\":\"ipv4\",\"const\":1}", "\"x\"",
       " /format \"x\" is not in the format 'ipv4'"},
      {"{\"$schema\":\"https://x.test/assert\",\"format\":\"ipv4\"}", "\"x\"",
       " /format \"x\" is not in the format 'ipv4'"},
      {"{\"$schema\":\"https://x.test/lax\",\"format\":\"ipv4\",\"const\":1}", "2", " /const expected 1, got 2"},
      {"{\"$schema\":\"https://x.test/seven\",\"const\":1}", "2", " /const expected 1, got 2"},
      {"{\"$schema\":\"https://x.test/none\"}", "1", "warning /$schema: unknown dialect, treated as draft 2020-12"},
      {"{\"$schema\":\"https://x.test/meta#x\"}", "1", "warning /$schema: unknown dialect, treated as draft 2020-12"},
  };
  ee_schema_options options = {.registry = make_registry()};
  CHECK(rows, &options);
  /* Metaschemas that name each other end. */
  static const row loop[] = {{"{\"$schema\":\"https://x.test/loop1\",\"const\":1}", "2",
                              "warning loop2.json#/$schema: unknown dialect, treated as draft 2020-12\n"
                              " /const expected 1, got 2"}};
  (void)loop;
  ee_error_list errors;
  ee_error_list_init(&errors);
  assert_non_null(ee_json_schema_compile(&arena, schema_json(&arena, loop[0].schema), &options, &errors));
  ee_error_list_fini(&errors);
  /* The first document keeps a name. */
  const char *other = NULL;
  ee_schema_registry *registry = ee_schema_registry_new(&arena);
  const ee_value *document = schema_json(&arena, "{\"$id\":\"u:a\",\"const\":1}");
  ee_schema_source first = {.document = document, .name = "first"},
                   second = {.document = schema_json(&arena, "{\"$id\":\"u:a\"}"), .name = "second"};
  assert_true(ee_schema_registry_add(registry, EE_STR(""), &first, EE_DRAFT_2020_12, &other));
  assert_true(ee_schema_registry_add(registry, EE_STR("u:b"), &first, EE_DRAFT_2020_12, &other));
  assert_false(ee_schema_registry_add(registry, EE_STR(""), &second, EE_DRAFT_2020_12, &other));
  assert_string_equal(other, "first");
  other = NULL;
  assert_false(ee_schema_registry_add(registry, EE_STR("u:b"), &second, EE_DRAFT_2020_12, &other));
  assert_string_equal(other, "first");
  /* A schema inside a document is not found by a name that is taken; one without a whole URI by none. */
  ee_schema_source third = {
      .document = schema_json(&arena, "{\"$id\":\"u:c\",\"$defs\":{\"a\":{\"$id\":\"u:a\"},\"b\":{\"$id\":\"b#\"}}}"),
      .name = "third"};
  assert_true(ee_schema_registry_add(registry, EE_STR(""), &third, EE_DRAFT_2020_12, &other));
  ee_schema_source relative = {.document = schema_json(&arena, "{\"$id\":\"rel\"}"), .name = "relative"};
  assert_true(ee_schema_registry_add(registry, EE_STR(""), &relative, EE_DRAFT_2020_12, &other));
  ee_schema_source found;
  assert_false(ee_schema_registry_find(registry, EE_STR("rel"), &found));
  assert_true(ee_schema_registry_find(registry, EE_STR("u:a"), &found));
  assert_string_equal(found.name, "first");
}

/* One document under several names is read once; another one cannot be at its place. */
static void test_locations(void **state) {
  (void)state;
  const char *other;
  ee_schema_registry *registry = ee_schema_registry_new(&arena);
  ee_schema_source one = {.document = schema_json(&arena, "{\"const\":1}"),
                          .location = EE_STR("file:///d/r"),
                          .name = "one"},
                   two = {.document = schema_json(&arena, "{\"const\":2}"),
                          .location = EE_STR("file:///d/r"),
                          .name = "two"};
  assert_true(ee_schema_registry_add(registry, EE_STR("u:one"), &one, EE_DRAFT_2020_12, &other));
  assert_true(ee_schema_registry_add(registry, EE_STR("u:uno"), &one, EE_DRAFT_2020_12, &other));
  assert_false(ee_schema_registry_add(registry, EE_STR("u:two"), &two, EE_DRAFT_2020_12, &other));
  assert_string_equal(other, "one");
  static const row rows[] = {
      {"{\"allOf\":[{\"$ref\":\"u:one\"},{\"$ref\":\"u:uno\"}]}", "3", " one#/const expected 1, got 3"},
  };
  CHECK(rows, &(ee_schema_options){.registry = registry});
}

/* Anchors that are found one after the other, because each is where no keyword looks. After a number of rounds this is
 * given up; what has been found by then has its schema. */
static void test_rounds(void **state) {
  (void)state;
  for (int count = 1; count < 40; count++) {
    ee_buffer text;
    ee_buffer_init(&text);
    ee_buffer_add_text(&text, "{\"allOf\":[");
    for (int i = 0; i < count; i++) ee_buffer_addf(&text, "{\"$ref\":\"#a%d\"},", i);
    ee_buffer_addf(&text, "{\"$ref\":\"#/x/%d\"}],\"x\":{", count - 1);
    for (int i = 0; i < count; i++)
      ee_buffer_addf(&text, "%s\"%d\":{\"contentSchema\":{\"$anchor\":\"a%d\",\"$ref\":\"#/x/%d\"}}", i > 0 ? "," : "",
                     i, i, i > 0 ? i - 1 : count);
    ee_buffer_addf(&text, ",\"%d\":{\"const\":1}}}", count);
    ee_error_list errors;
    ee_error_list_init(&errors);
    const ee_json_schema *schema =
        ee_json_schema_compile(&arena, schema_json(&arena, ee_buffer_terminate(&text)), NULL, &errors);
    if (schema != NULL) {
      ee_schema_result result;
      ee_json_schema_validate(schema, schema_json(&arena, "2"), &arena, &result);
      assert_int_equal(result.total, 1);
    } else {
      assert_true(count > 16);
      assert_non_null(strstr(errors.items[0].message, "refers to nothing"));
    }
    assert_int_equal(schema == NULL, errors.count > 0);
    ee_error_list_fini(&errors);
    ee_buffer_fini(&text);
  }
}

static void test_at(void **state) {
  (void)state;
#define API                                                                                                            \
  "{\"openapi\":\"3.1.0\",\"components\":{\"schemas\":{\"A\":{\"type\":[\"string\",\"null\"]},\"B\":{\"items\":{"      \
  "\"$ref\":\"#/components/schemas/A\"}}}}}"
  ee_schema_options options = {.at = EE_STR("#/components/schemas/B")};
  static const row rows[] = {
      {API, "[null,1]", "/1 /components/schemas/A/type expected null or a string, got a number"},
      {"{\"openapi\":\"3.0.3\",\"components\":{\"schemas\":{\"B\":{\"type\":\"string\",\"nullable\":true,\"id\":\"x\"}}"
       "}}",
       "1", " /components/schemas/B/type expected null or a string, got a number"},
      {"{\"openapi\":\"3.0.3\",\"components\":{\"schemas\":{\"B\":{\"type\":\"string\",\"nullable\":false}}}}", "null",
       " /components/schemas/B/type expected a string, got null"},
      {"{\"swagger\":\"2.0\",\"components\":{\"schemas\":{\"B\":{\"maximum\":1,\"exclusiveMaximum\":true}}}}", "1",
       " /components/schemas/B/maximum expected less than 1, got 1"},
      {"{\"openapi\":\"3.1.0\",\"jsonSchemaDialect\":\"http://json-schema.org/draft-07/"
       "schema#\",\"components\":{\"schemas\":"
       "{\"B\":{\"items\":[{\"const\":1}]}}}}",
       "[2]", "/0 /components/schemas/B/items/0/const expected 1, got 2"},
      {"{\"openapi\":\"3.1.0\",\"components\":3}", "1", ": 'at': '#/components/schemas/B' refers to nothing"},
      {"{\"components\":{\"schemas\":{\"B\":{\"const\":1}}}}", "2", " /components/schemas/B/const expected 1, got 2"},
  };
  CHECK(rows, &options);
  static const row without[] = {
      {API, "1", ": an OpenAPI document has many schemas: 'at' must name one, such as \"#/components/schemas/NAME\""}};
  CHECK(without, NULL);
  static const row named[] = {
      {"{\"$defs\":{\"x\":{\"$anchor\":\"n\",\"const\":1}}}", "2", " /$defs/x/const expected 1, got 2"}};
  options.at = EE_STR("#n");
  CHECK(named, &options);
}

/* Scopes and resources by the thousand end, in a message if there are too many. */
static void test_many(void **state) {
  (void)state;
  ee_buffer text;
  ee_buffer_init(&text);
  /* Each resource enters the next; each adds an anchor, so there are as many scopes, each larger by one. */
  ee_buffer_add_text(&text, "{\"$ref\":\"r0\",\"$defs\":{");
  for (int i = 0; i < 3000; i++)
    ee_buffer_addf(&text, "%s\"d%d\":{\"$id\":\"r%d\",\"$dynamicAnchor\":\"a%d\",\"items\":{\"$ref\":\"r%d\"}}",
                   i > 0 ? "," : "", i, i, i, (i + 1) % 3000);
  ee_buffer_add_text(&text, "}}");
  ee_error_list errors;
  ee_error_list_init(&errors);
  assert_null(ee_json_schema_compile(&arena, schema_json(&arena, ee_buffer_terminate(&text)), NULL, &errors));
  assert_non_null(strstr(errors.items[0].message, "too many dynamic anchors and scopes"));
  ee_error_list_fini(&errors);
  ee_arena_reset(&arena, 0);
  /* In each of 1000 scopes the 5000 schemas of one resource are others. */
  ee_buffer_clear(&text);
  ee_buffer_add_text(&text, "{\"$ref\":\"r0\",\"$defs\":{\"big\":{\"$id\":\"big\",\"anyOf\":[true");
  for (int i = 0; i < 5000; i++) ee_buffer_add_text(&text, ",true");
  ee_buffer_add_text(&text, "]}");
  for (int i = 0; i < 1000; i++)
    ee_buffer_addf(
        &text,
        ",\"d%d\":{\"$id\":\"r%d\",\"$dynamicAnchor\":\"a%d\",\"not\":{\"$ref\":\"big\"},\"items\":{\"$ref\":\"r%d\"}}",
        i, i, i, (i + 1) % 1000);
  ee_buffer_add_text(&text, "}}");
  ee_error_list_init(&errors);
  assert_null(ee_json_schema_compile(&arena, schema_json(&arena, ee_buffer_terminate(&text)), NULL, &errors));
  assert_int_equal(errors.count, 1);
  assert_non_null(strstr(errors.items[0].message, ": more than 4194304 schemas in all"));
  ee_error_list_fini(&errors);
  ee_buffer_fini(&text);
}

EE_TEST_FILE(make_arena, free_arena, cmocka_unit_test(test_resources), cmocka_unit_test(test_dynamic),
             cmocka_unit_test(test_drafts), cmocka_unit_test(test_metaschemas), cmocka_unit_test(test_files),
             cmocka_unit_test(test_registry), cmocka_unit_test(test_locations), cmocka_unit_test(test_rounds),
             cmocka_unit_test(test_at), cmocka_unit_test(test_many));
