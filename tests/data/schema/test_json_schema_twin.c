/* JSON Schema against a slow twin on random schemas and instances; what is built to take for ever. */
#include "data/schema/schema_fixture.h"

#include "base/buffer.h"
#include "base/work.h"
#include "data/schema/json_schema.h"
#include "data/schema/schema_twin.h"
#include "support/arena.h"
#include "support/random.h"

/* Random schemas ------------------------------------------------------------------------------- */

static const char *const names[] = {"a", "b", "c", "ab", "ba"};
static const char *const patterns[] = {"^a", "b$", "^[ab]*$", "^.{2}$", "c|ab"};
static const char *const types[] = {"null", "boolean", "number", "integer", "string", "array", "object"};
static const char *const numbers[] = {"0", "1", "2", "1.0", "1.5", "0.1", "3", "-1", "2.50", "10e-1", "0.25"};
static const char *const texts[] = {"\"\"",
                                    "\"a\"",
                                    "\"b\"",
                                    "\"ab\"",
                                    "\"ba\"",
                                    "\"c\"",
                                    "\"cab\"",
                                    "\"\xC3\xA9\x62\"",
                                    "\"\\ud83d\\ude00\"",
                                    "\"a\xF0\x9F\x98\x80\""};
#define PICK(random, list) ((list)[test_random_below(random, sizeof(list) / sizeof *(list))])

static void random_value(test_random *random, ee_buffer *out, int depth) {
  size_t kind = test_random_below(random, depth > 0 ? 9 : 5);
  if (kind == 0) ee_buffer_add_text(out, test_random_below(random, 2) == 0 ? "null" : "true");
  if (kind == 1) ee_buffer_add_text(out, "false");
  if (kind == 2 || kind == 3) ee_buffer_add_text(out, PICK(random, numbers));
  if (kind == 4) ee_buffer_add_text(out, PICK(random, texts));
  if (kind == 5 || kind == 6) {
    ee_buffer_add_char(out, '[');
    for (size_t i = 0, count = test_random_below(random, 4); i < count; i++) {
      if (i > 0) ee_buffer_add_char(out, ',');
      random_value(random, out, depth - 1);
    }
    ee_buffer_add_char(out, ']');
  }
  if (kind > 6) {
    size_t mask = test_random_below(random, 32);
    const char *before = "{";
    for (size_t i = 0; i < 5; i++) {
      if ((mask >> i & 1) == 0) continue;
      ee_buffer_addf(out, "%s\"%s\":", before, names[i]);
      random_value(random, out, depth - 1);
      before = ",";
    }
    ee_buffer_add_text(out, *before == '{' ? "{}" : "}");
  }
}

static void random_schema(test_random *random, ee_buffer *out, int depth);

static void random_schemas(test_random *random, ee_buffer *out, int depth, size_t count) {
  ee_buffer_add_char(out, '[');
  for (size_t i = 0; i < count; i++) {
    if (i > 0) ee_buffer_add_char(out, ',');
    random_schema(random, out, depth);
  }
  ee_buffer_add_char(out, ']');
}

/* {"NAME": schema} for some of the five names. */
static void random_named(test_random *random, ee_buffer *out, int depth, const char *const *keys) {
  size_t mask = test_random_below(random, 32);
  const char *before = "{";
  for (size_t i = 0; i < 5; i++) {
    if ((mask >> i & 1) == 0) continue;
    ee_buffer_addf(out, "%s\"%s\":", before, keys[i]);
    random_schema(random, out, depth);
    before = ",";
  }
  ee_buffer_add_text(out, *before == '{' ? "{}" : "}");
}

static void random_names(test_random *random, ee_buffer *out) {
  size_t mask = test_random_below(random, 8) | test_random_below(random, 2) << 4;
  const char *before = "[";
  for (size_t i = 0; i < 5; i++) {
    if ((mask >> i & 1) == 0) continue;
    ee_buffer_addf(out, "%s\"%s\"", before, names[i]);
    before = ",";
  }
  ee_buffer_add_text(out, *before == '[' ? "[]" : "]");
}

enum { SIMPLE = 19, KEYWORDS = 37 };

static void random_keyword(test_random *random, ee_buffer *out, int depth, size_t keyword) {
  static const char *const counts[] = {"minLength", "maxLength",     "minItems",
                                       "maxItems",  "minProperties", "maxProperties"};
  static const char *const limits[] = {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"};
  static const char *const inner[] = {"not",          "if", "then", "else", "items", "contains", "additionalProperties",
                                      "propertyNames"};
  static const char *const lists[] = {"allOf", "anyOf", "oneOf", "prefixItems"};
  static const char *const divisors[] = {"0.5", "0.1", "2", "0.25"};
  if (keyword < 6) {
    ee_buffer_addf(out, "\"%s\":%zu", counts[keyword], test_random_below(random, 4));
  } else if (keyword < 10) {
    ee_buffer_addf(out, "\"%s\":%s", limits[keyword - 6], PICK(random, numbers));
  } else if (keyword == 10) {
    ee_buffer_addf(out, "\"multipleOf\":%s", PICK(random, divisors));
  } else if (keyword == 11) {
    ee_buffer_addf(out, "\"type\":\"%s\"", PICK(random, types));
  } else if (keyword == 12) {
    ee_buffer_addf(out, "\"type\":[\"%s\",\"%s\"]", types[test_random_below(random, 4)],
                   types[4 + test_random_below(random, 3)]);
  } else if (keyword == 13) {
    ee_buffer_add_text(out, "\"const\":");
    random_value(random, out, 1);
  } else if (keyword == 14) {
    ee_buffer_add_text(out, "\"enum\":[");
    for (size_t i = 0, count = 1 + test_random_below(random, 6); i < count; i++) {
      if (i > 0) ee_buffer_add_char(out, ',');
      random_value(random, out, 1);
    }
    ee_buffer_add_char(out, ']');
  } else if (keyword == 15) {
    ee_buffer_addf(out, "\"pattern\":\"%s\"", PICK(random, patterns));
  } else if (keyword == 16) {
    ee_buffer_add_text(out, test_random_below(random, 3) > 0 ? "\"uniqueItems\":true" : "\"uniqueItems\":false");
  } else if (keyword == 17) {
    ee_buffer_add_text(out, "\"required\":");
    random_names(random, out);
  } else if (keyword == 18) {
    ee_buffer_addf(out, "\"dependentRequired\":{\"%s\":", PICK(random, names));
    random_names(random, out);
    ee_buffer_add_char(out, '}');
  } else if (keyword < 27) {
    ee_buffer_addf(out, "\"%s\":", inner[keyword - SIMPLE]);
    random_schema(random, out, depth - 1);
  } else if (keyword < 31) {
    ee_buffer_addf(out, "\"%s\":", lists[keyword - 27]);
    random_schemas(random, out, depth - 1, 1 + test_random_below(random, 3));
  } else if (keyword == 31) {
    ee_buffer_add_text(out, "\"properties\":");
    random_named(random, out, depth - 1, names);
  } else if (keyword == 32) {
    ee_buffer_add_text(out, "\"patternProperties\":");
    random_named(random, out, depth - 1, patterns);
  } else if (keyword == 33) {
    ee_buffer_add_text(out, "\"dependentSchemas\":");
    random_named(random, out, depth - 1, names);
  } else if (keyword == 34) {
    size_t target = test_random_below(random, 4);
    if (target == 3)
      ee_buffer_add_text(out, "\"$ref\":\"#\"");
    else
      ee_buffer_addf(out, "\"$ref\":\"#/$defs/d%zu\"", target);
  } else {
    ee_buffer_addf(out, "\"%s\":%zu", keyword == 35 ? "minContains" : "maxContains", test_random_below(random, 3));
  }
}

static void random_keywords(test_random *random, ee_buffer *out, int depth) {
  bool used[KEYWORDS] = {false};
  const char *before = "";
  for (size_t i = 0, count = 1 + test_random_below(random, 4); i < count; i++) {
    size_t keyword = test_random_below(random, depth > 0 ? KEYWORDS : SIMPLE);
    if (used[keyword] || (keyword == 11 && used[12]) || (keyword == 12 && used[11])) continue;
    used[keyword] = true;
    ee_buffer_add_text(out, before);
    random_keyword(random, out, depth, keyword);
    before = ",";
  }
}

static void random_schema(test_random *random, ee_buffer *out, int depth) {
  size_t kind = test_random_below(random, 20);
  if (kind < 2) {
    ee_buffer_add_text(out, kind == 0 ? "true" : "false");
    return;
  }
  ee_buffer_add_char(out, '{');
  random_keywords(random, out, depth);
  ee_buffer_add_char(out, '}');
}

static void random_root(test_random *random, ee_buffer *out) {
  ee_buffer_add_char(out, '{');
  random_keywords(random, out, 3);
  ee_buffer_add_text(out, ",\"$defs\":");
  for (int i = 0; i < 3; i++) {
    ee_buffer_addf(out, "%s\"d%d\":", i == 0 ? "{" : ",", i);
    random_schema(random, out, 2);
  }
  ee_buffer_add_text(out, "}}");
}

/* Cycles --------------------------------------------------------------------------------------- */

static bool is_one_of(const char *name, const char *const *words) {
  for (; *words != NULL; words++)
    if (strcmp(name, *words) == 0) return true;
  return false;
}

/* Whether `schema` asks one of the schemas on the way to it about the same value. */
static bool comes_back(const cJSON *root, const cJSON *schema, const cJSON **way, size_t length) {
  static const char *const one[] = {"not", "if", "then", "else", NULL};
  static const char *const many[] = {"allOf", "anyOf", "oneOf", "dependentSchemas", NULL};
  for (size_t i = 0; i < length; i++)
    if (way[i] == schema) return true;
  way[length++] = schema;
  bool conditional = twin_get(schema, "if") != NULL;
  for (const cJSON *k = schema->child; k != NULL; k = k->next) {
    if (strcmp(k->string, "$ref") == 0) {
      const cJSON *target = strcmp(k->valuestring, "#") == 0
                                ? root
                                : twin_get(twin_get(root, "$defs"), k->valuestring + strlen("#/$defs/"));
      if (comes_back(root, target, way, length)) return true;
    }
    if (is_one_of(k->string, one) && (conditional || strcmp(k->string, "not") == 0) && comes_back(root, k, way, length))
      return true;
    for (const cJSON *s = is_one_of(k->string, many) ? k->child : NULL; s != NULL; s = s->next)
      if (comes_back(root, s, way, length)) return true;
  }
  return false;
}

/* The same from every schema of the document. All objects but $defs, properties and their like are schemas; asking
 * those too does no harm, as none of their members is called like a keyword. */
static bool has_cycle(const cJSON *root, const cJSON *at) {
  const cJSON *way[200];
  if (cJSON_IsObject(at) && comes_back(root, at, way, 0)) return true;
  for (const cJSON *child = at->child; child != NULL; child = child->next) {
    if (child->string != NULL && (strcmp(child->string, "const") == 0 || strcmp(child->string, "enum") == 0)) continue;
    if (has_cycle(root, child)) return true;
  }
  return false;
}

/* Comparing ------------------------------------------------------------------------------------ */

/* What a JSON Pointer leads to; no key here needs an escape. */
static const cJSON *at_pointer(const cJSON *tree, ee_str pointer) {
  char text[400];
  snprintf(text, sizeof text, "%.*s", (int)pointer.length, pointer.data);
  char *state = NULL;
  for (char *step = strtok_r(text, "/", &state); step != NULL && tree != NULL; step = strtok_r(NULL, "/", &state))
    tree = cJSON_IsArray(tree) ? cJSON_GetArrayItem(tree, atoi(step)) : twin_get(tree, step);
  return tree;
}

static int compare_items(const void *a, const void *b) { return strcmp(a, b); }

/* Sorts and removes duplicates. */
static void make_set(twin_list *list) {
  qsort(list->items, list->count, sizeof *list->items, compare_items);
  size_t kept = 0;
  for (size_t i = 0; i < list->count; i++) {
    if (kept > 0 && strcmp(list->items[kept - 1], list->items[i]) == 0) continue;
    memmove(list->items[kept++], list->items[i], sizeof *list->items);
  }
  list->count = kept;
}

static bool has_choice(const char *schema) {
  return strstr(schema, "\"anyOf\"") != NULL || strstr(schema, "\"oneOf\"") != NULL;
}

static twin_list ours, theirs;

/* Every violation leads somewhere; without choices they are those of the twin. */
static void compare_violations(const cJSON *schema, const cJSON *instance, const char *schema_text,
                               const char *instance_text, const ee_schema_result *result) {
  ours.count = theirs.count = 0;
  for (size_t i = 0; i < result->count; i++) {
    const ee_violation *v = &result->violations[i];
    assert_true(v->message.length > 0);
    if (at_pointer(instance, v->place) == NULL || at_pointer(schema, v->keyword) == NULL)
      fail_msg("'%.*s' or '%.*s' leads nowhere: %s on %s", (int)v->place.length, v->place.data, (int)v->keyword.length,
               v->keyword.data, schema_text, instance_text);
    twin_print(ours.items[ours.count++], "%.*s %.*s", (int)v->place.length, v->place.data, (int)v->keyword.length,
               v->keyword.data);
  }
  if (has_choice(schema_text) || result->total > result->count) return;
  twin t = {schema, &theirs};
  twin_fits(&t, schema, instance, "", "");
  if (theirs.count == 4096) return;
  make_set(&ours);
  make_set(&theirs);
  bool same = ours.count == theirs.count;
  for (size_t i = 0; same && i < ours.count; i++) same = strcmp(ours.items[i], theirs.items[i]) == 0;
  if (same) return;
  for (size_t i = 0; i < ours.count; i++) print_error("ours   %s\n", ours.items[i]);
  for (size_t i = 0; i < theirs.count; i++) print_error("theirs %s\n", theirs.items[i]);
  fail_msg("%s on %s", schema_text, instance_text);
}

typedef struct tally {
  size_t cyclic, valid, invalid;
} tally;

static void compare_one(test_random *random, ee_buffer *text, tally *counts) {
  ee_buffer_clear(text);
  random_root(random, text);
  const char *schema_text = ee_arena_copy(&arena, text->data, text->length);
  if (schema_needs_patterns(schema_text)) return;
  cJSON *schema = cJSON_Parse(schema_text);
  assert_non_null(schema);
  ee_error_list errors;
  ee_error_list_init(&errors);
  const ee_json_schema *compiled = ee_json_schema_compile(&arena, schema_json(&arena, schema_text), NULL, &errors);
  if ((compiled == NULL) != has_cycle(schema, schema))
    fail_msg("cycle or not: %s\n%s", schema_text, schema_told(&arena, &errors));
  for (size_t i = 0; i < errors.count; i++)
    assert_non_null(strstr(errors.items[i].message, "/$ref: refers to itself without entering the instance"));
  ee_error_list_fini(&errors);
  counts->cyclic += compiled == NULL;
  for (int i = 0; i < 8 && compiled != NULL; i++) {
    ee_buffer_clear(text);
    random_value(random, text, 3);
    const char *instance_text = ee_arena_copy(&arena, text->data, text->length);
    cJSON *instance = cJSON_Parse(instance_text);
    ee_schema_result result;
    ee_json_schema_validate(compiled, schema_json(&arena, instance_text), &arena, &result);
    twin t = {schema, NULL};
    if (twin_fits(&t, schema, instance, "", "") != result.valid)
      fail_msg("%s on %s: %s", schema_text, instance_text, result.valid ? "valid" : schema_violations(&arena, &result));
    assert_int_equal(result.valid, result.total == 0);
    compare_violations(schema, instance, schema_text, instance_text, &result);
    *(result.valid ? &counts->valid : &counts->invalid) += 1;
    cJSON_Delete(instance);
  }
  cJSON_Delete(schema);
}

static void test_twin(void **state) {
  (void)state;
  test_random random = test_random_start("schema twin", 20240917);
  ee_buffer text;
  ee_buffer_init(&text);
  tally counts = {0};
  for (int i = 0; i < 4000; i++) {
    compare_one(&random, &text, &counts);
    ee_arena_reset(&arena, 0);
  }
  print_message("%zu valid, %zu invalid, %zu schemas with a cycle\n", counts.valid, counts.invalid, counts.cyclic);
  assert_true(counts.valid > 2000 && counts.invalid > 2000 && counts.cyclic > 10);
  ee_buffer_fini(&text);
}

/* Endurance ------------------------------------------------------------------------------------ */

/* Every level asks the next one twice: 2^40 ways, and nearly as many violations counted. */
static void test_no_doubling(void **state) {
  (void)state;
  static const char *const keywords[] = {"allOf", "anyOf", "oneOf"};
  for (size_t k = 0; k < 3; k++) {
    ee_buffer text;
    ee_buffer_init(&text);
    ee_buffer_add_text(&text, "{\"$ref\":\"#/$defs/d0\",\"$defs\":{");
    for (int i = 0; i < 40; i++)
      ee_buffer_addf(&text,
                     "\"d%d\":{\"%s\":[{\"$ref\":\"#/$defs/d%d\"},{\"$ref\":\"#/$defs/d%d\"}],\"minProperties\":0},", i,
                     keywords[k], i + 1, i + 1);
    ee_buffer_add_text(&text, "\"d40\":{\"properties\":{\"a\":{\"type\":\"string\"}}}}}");
    const ee_json_schema *schema = schema_compile(&arena, schema_json(&arena, ee_buffer_terminate(&text)));
    ee_schema_result result;
    uint64_t before = ee_work_done();
    ee_json_schema_validate(schema, schema_json(&arena, "{\"a\":1}"), &arena, &result);
    assert_false(result.valid);
    assert_true(ee_str_is(result.violations[0].place, "/a"));
    assert_int_equal(result.total, 1);
    ee_json_schema_validate(schema, schema_json(&arena, "{\"a\":\"1\"}"), &arena, &result);
    assert_int_equal(result.valid, k < 2);
    /* Each level is judged once: far fewer units than ways. */
    assert_true(ee_work_done() - before < 10000000);
    ee_buffer_fini(&text);
  }
}

/* A list of lists, as deep as the reader lets it be. */
static const ee_value *nested(int depth, const char *innermost) {
  ee_buffer text;
  ee_buffer_init(&text);
  for (int i = 0; i < depth; i++) ee_buffer_add_char(&text, '[');
  ee_buffer_add_text(&text, innermost);
  for (int i = 0; i < depth; i++) ee_buffer_add_char(&text, ']');
  const ee_value *value = schema_json(&arena, ee_buffer_terminate(&text));
  ee_buffer_fini(&text);
  return value;
}

static void test_deep(void **state) {
  (void)state;
  ee_schema_result result;
  const ee_value *deep = nested(511, "1"), *wrong = nested(511, "\"x\"");
  const ee_json_schema *schema = schema_compile(
      &arena, schema_json(&arena, "{\"anyOf\":[{\"type\":\"number\"},{\"allOf\":[{\"type\":\"array\"},{\"items\":"
                                  "{\"$ref\":\"#\"},\"uniqueItems\":true}]}]}"));
  ee_json_schema_validate(schema, deep, &arena, &result);
  assert_true(result.valid);
  ee_json_schema_validate(schema, wrong, &arena, &result);
  assert_false(result.valid);
  assert_int_equal(result.total, 1);
  assert_int_equal(result.violations[0].place.length, 2 * 511);
  assert_true(ee_str_is(result.violations[0].message, "expected a number or an array, got a string"));
}

/* References that lead on and on at one value: 100 a level are too many for 512 levels, and say so. */
static void test_too_deep(void **state) {
  (void)state;
  ee_buffer text;
  ee_buffer_init(&text);
  ee_buffer_add_text(&text, "{\"$ref\":\"#/$defs/d0\",\"$defs\":{");
  for (int i = 0; i < 100; i++) ee_buffer_addf(&text, "\"d%d\":{\"$ref\":\"#/$defs/d%d\"},", i, i + 1);
  ee_buffer_add_text(&text, "\"d100\":{\"items\":{\"$ref\":\"#\"}}}}");
  const ee_json_schema *schema = schema_compile(&arena, schema_json(&arena, ee_buffer_terminate(&text)));
  ee_schema_result result;
  ee_json_schema_validate(schema, nested(20, "1"), &arena, &result);
  assert_true(result.valid);
  ee_json_schema_validate(schema, nested(500, "1"), &arena, &result);
  assert_false(result.valid);
  assert_int_equal(result.total, 1);
  assert_true(ee_str_is(result.violations[0].message, "more than 4096 schemas inside each other: given up"));
  /* Not below `not` either. */
  ee_buffer_clear(&text);
  ee_buffer_add_text(&text, "{\"not\":{\"$ref\":\"#/$defs/d0\"},\"$defs\":{");
  for (int i = 0; i < 5000; i++) ee_buffer_addf(&text, "\"d%d\":{\"$ref\":\"#/$defs/d%d\"},", i, i + 1);
  ee_buffer_add_text(&text, "\"d5000\":false}}");
  schema = schema_compile(&arena, schema_json(&arena, ee_buffer_terminate(&text)));
  ee_json_schema_validate(schema, schema_json(&arena, "1"), &arena, &result);
  assert_false(result.valid);
  /* Nor for what is evaluated. */
  ee_buffer_clear(&text);
  ee_buffer_add_text(&text, "{\"$ref\":\"#/$defs/d0\",\"unevaluatedProperties\":false,\"$defs\":{");
  for (int i = 0; i < 5000; i++) ee_buffer_addf(&text, "\"d%d\":{\"$ref\":\"#/$defs/d%d\"},", i, i + 1);
  ee_buffer_add_text(&text, "\"d5000\":{\"properties\":{\"a\":true}}}}");
  schema = schema_compile(&arena, schema_json(&arena, ee_buffer_terminate(&text)));
  ee_json_schema_validate(schema, schema_json(&arena, "{\"a\":1}"), &arena, &result);
  assert_false(result.valid);
  assert_true(
      ee_str_is(result.violations[result.count - 1].message, "more than 4096 schemas inside each other: given up"));
  ee_buffer_fini(&text);
}

static void test_large(void **state) {
  (void)state;
  enum { COUNT = 100000 };
  ee_value *numbers_list = ee_value_new(&arena, EE_ARRAY), *equal = ee_value_new(&arena, EE_ARRAY);
  for (int i = 0; i < COUNT; i++) {
    ee_value_append(numbers_list, ee_value_new_number(&arena, i));
    ee_value_append(equal, ee_value_new_number(&arena, 7));
  }
  /* As many decimals of one double. */
  ee_buffer text;
  ee_buffer_init(&text);
  for (int i = 0; i < COUNT; i++) ee_buffer_addf(&text, "%s0.1000000000000000000%06d7", i == 0 ? "[" : ",", i);
  ee_buffer_add_char(&text, ']');
  const ee_value *close = schema_json(&arena, ee_buffer_terminate(&text));
  const ee_json_schema *schema = schema_compile(&arena, schema_json(&arena, "{\"uniqueItems\":true}"));
  ee_schema_result result;
  ee_json_schema_validate(schema, numbers_list, &arena, &result);
  assert_true(result.valid);
  ee_json_schema_validate(schema, close, &arena, &result);
  assert_true(result.valid);
  ee_json_schema_validate(schema, equal, &arena, &result);
  assert_true(ee_str_is(result.violations[0].message, "elements 0 and 1 are equal"));
  ee_buffer_fini(&text);
}

EE_TEST_FILE(make_arena, free_arena, cmocka_unit_test(test_twin), cmocka_unit_test(test_no_doubling),
             cmocka_unit_test(test_deep), cmocka_unit_test(test_too_deep), cmocka_unit_test(test_large));
