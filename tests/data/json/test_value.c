/* test_value.c: equality, hashes and order against slow twins, building and copying. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/json/json_equal.h"
#include "data/json/json_reader.h"
#include "data/json/json_writer.h"
#include "data/random_document.h"
#include "support/arena.h"

static ee_arena scratch;

static int set_up(void **state) {
  ee_arena_init(&scratch, 0);
  return make_arena(state);
}

static int tear_down(void **state) {
  ee_arena_fini(&scratch);
  return free_arena(state);
}

static ee_value *read_text(const char *text) {
  ee_value *value = ee_json_read(&arena, ee_str_from(text), NULL, NULL);
  if (value == NULL) print_error("%s\n", text);
  assert_non_null(value);
  return value;
}

/* Slow twins ----------------------------------------------------------------------------------- */

/* A number as sign, digits without zeros at either end, and the exponent of its first digit. */
typedef struct decimal {
  int sign;
  char digits[512];
  size_t count;
  long exponent;
} decimal;

static decimal take_apart(ee_str text) {
  decimal d = {.sign = 1};
  size_t at = 0;
  long places = 0;
  bool fraction = false;
  if (text.data[0] == '-') d.sign = -1, at = 1;
  for (; at < text.length && strchr("eE", text.data[at]) == NULL; at++) {
    if (text.data[at] == '.') {
      fraction = true;
      continue;
    }
    places += fraction;
    if (d.count > 0 || text.data[at] != '0') d.digits[d.count++] = text.data[at];
  }
  long power = 0;
  if (at < text.length) {
    char exponent[64];
    snprintf(exponent, sizeof exponent, "%.*s", (int)(text.length - at - 1), text.data + at + 1);
    power = strtol(exponent, NULL, 10);
  }
  d.exponent = (long)d.count + power - places;
  while (d.count > 0 && d.digits[d.count - 1] == '0') d.count--;
  if (d.count == 0) d.sign = 0, d.exponent = 0;
  return d;
}

static int slow_compare_numbers(const ee_value *a, const ee_value *b) {
  char a_text[32], b_text[32];
  decimal x = take_apart(ee_value_number_text(a, a_text)), y = take_apart(ee_value_number_text(b, b_text));
  if (x.sign != y.sign) return x.sign < y.sign ? -1 : 1;
  if (x.exponent != y.exponent) return x.exponent < y.exponent ? -x.sign : x.sign;
  for (size_t i = 0; i < x.count || i < y.count; i++) {
    char p = i < x.count ? x.digits[i] : '0', q = i < y.count ? y.digits[i] : '0';
    if (p != q) return p < q ? -x.sign : x.sign;
  }
  return 0;
}

static int slow_compare_texts(ee_str a, ee_str b) {
  for (size_t i = 0; i < a.length && i < b.length; i++)
    if (a.data[i] != b.data[i]) return (unsigned char)a.data[i] < (unsigned char)b.data[i] ? -1 : 1;
  return (a.length > b.length) - (a.length < b.length);
}

/* The type for comparing: a blank string is null. */
static ee_type slow_type(const ee_value *value) {
  bool blank = ee_type_of(value) == EE_STRING && ee_str_trim(ee_value_text(value)).length == 0;
  return blank ? EE_NULL : ee_type_of(value);
}

/* The member of `object` that is not null whose key comes next behind `key` (NULL data: the first). */
static const ee_value *next_by_key(const ee_value *object, ee_str key) {
  const ee_value *best = NULL;
  for (const ee_value *member = ee_value_child(object); member != NULL; member = ee_value_next(member)) {
    if (slow_type(member) == EE_NULL) continue;
    if (key.data != NULL && slow_compare_texts(ee_value_key(member), key) <= 0) continue;
    if (best == NULL || slow_compare_texts(ee_value_key(member), ee_value_key(best)) < 0) best = member;
  }
  return best;
}

static int slow_compare(const ee_value *a, const ee_value *b) {
  ee_type type = slow_type(a);
  if (type != slow_type(b)) return type < slow_type(b) ? -1 : 1;
  if (type == EE_NUMBER) return slow_compare_numbers(a, b);
  if (type == EE_STRING) return slow_compare_texts(ee_value_text(a), ee_value_text(b));
  if (type == EE_ARRAY) {
    for (size_t i = 0;; i++) {
      const ee_value *p = ee_value_element(a, i), *q = ee_value_element(b, i);
      if (p == NULL || q == NULL) return (p != NULL) - (q != NULL);
      int order = slow_compare(p, q);
      if (order != 0) return order;
    }
  }
  if (type != EE_OBJECT) return 0;
  ee_str key = {NULL, 0}, other_key = {NULL, 0};
  for (;;) {
    const ee_value *p = next_by_key(a, key), *q = next_by_key(b, other_key);
    if (p == NULL || q == NULL) return (p != NULL) - (q != NULL);
    key = ee_value_key(p);
    other_key = ee_value_key(q);
    int order = slow_compare_texts(key, other_key);
    if (order == 0) order = slow_compare(p, q);
    if (order != 0) return order;
  }
}

static int sign(int order) { return (order > 0) - (order < 0); }

/* Checks everything that two values must agree on with each other and with the twin; the hashes before and after they
 * are cached. */
static int check_pair(const ee_value *a, const ee_value *b) {
  int order = slow_compare(a, b);
  assert_int_equal(sign(ee_value_compare(a, b, &scratch)), order);
  assert_int_equal(sign(ee_value_compare(b, a, &scratch)), -order);
  assert_int_equal(ee_value_equal(a, b), order == 0);
  assert_int_equal(ee_value_equal(b, a), order == 0);
  uint64_t a_hash = ee_value_hash(a), b_hash = ee_value_hash(b);
  assert_true(a_hash != 0 && b_hash != 0);
  if (order == 0) assert_true(a_hash == b_hash);
  assert_int_equal(ee_value_equal(a, b), order == 0);
  return order;
}

/* Tests ---------------------------------------------------------------------------------------- */

static void test_numbers(void **state) {
  (void)state;
  static const char *const ascending[] = {"-1e400",
                                          "-1.8e308",
                                          "-9007199254740993",
                                          "-9007199254740992",
                                          "-1.5",
                                          "-1",
                                          "-1e-400",
                                          "0",
                                          "1e-500",
                                          "1e-400",
                                          "5e-324",
                                          "0.1",
                                          "0.10000000000000000001",
                                          "0.3",
                                          "0.30000000000000004",
                                          "1",
                                          "1.0000000000000000000000001",
                                          "10",
                                          "9007199254740992",
                                          "9007199254740993",
                                          "9007199254740994",
                                          "123456789012345678901234567890",
                                          "123456789012345678901234567891",
                                          "1.7976931348623157e308",
                                          "1.7976931348623158e308",
                                          "1.8e308",
                                          "1e400",
                                          "1e401"};
  size_t count = sizeof ascending / sizeof *ascending;
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < count; k++)
      assert_int_equal(check_pair(read_text(ascending[i]), read_text(ascending[k])), (i > k) - (i < k));
  static const char *const same[][4] = {
      {"1", "1.0", "10e-1", "0.1e1"},
      {"0", "-0", "0.0", "0e400"},
      {"9007199254740993", "9007199254740993.0", "90071992547409930e-1", "9.007199254740993e15"},
      {"1e400", "10e399", "0.1e401", "1000e397"},
      {"-1e-400", "-10e-401", "-0.1e-399", "-1.0e-400"}};
  for (size_t row = 0; row < sizeof same / sizeof *same; row++)
    for (size_t i = 0; i < 4; i++)
      for (size_t k = 0; k < 4; k++) assert_int_equal(check_pair(read_text(same[row][i]), read_text(same[row][k])), 0);
}

/* Numbers that no text gives, as a program may build them. */
static void test_built_numbers(void **state) {
  (void)state;
  const double values[] = {(double)-INFINITY, -1.0, 0.0, (double)INFINITY, (double)NAN};
  for (size_t i = 0; i < 5; i++) {
    for (size_t k = 0; k < 5; k++) {
      ee_value *a = ee_value_new_number(&arena, values[i]), *b = ee_value_new_number(&arena, values[k]);
      assert_int_equal(sign(ee_value_compare(a, b, &scratch)), (i > k) - (i < k));
      assert_int_equal(ee_value_equal(a, b), i == k);
      if (i == k) assert_true(ee_value_hash(a) == ee_value_hash(b));
    }
  }
  assert_true(ee_value_compare(read_text("1e400"), ee_value_new_number(&arena, (double)INFINITY), &scratch) < 0);
  assert_true(ee_value_compare(ee_value_new_number(&arena, (double)INFINITY), read_text("1e400"), &scratch) > 0);
  assert_true(ee_value_compare(read_text("-1e400"), ee_value_new_number(&arena, (double)-INFINITY), &scratch) > 0);
}

static void test_whole(void **state) {
  (void)state;
  static const struct {
    const char *text;
    bool is;
    int64_t whole;
  } rows[] = {
      {"0", true, 0},
      {"-0", true, 0},
      {"6.0", true, 6},
      {"60e-1", true, 6},
      {"-17", true, -17},
      {"9007199254740992", true, EE_WHOLE_LIMIT},
      {"-9007199254740992", true, -EE_WHOLE_LIMIT},
      {"9007199254740993", false, 0}, /* its double is the limit */
      {"1e16", false, 0},
      {"0.5", false, 0},
      {"6.00000000000000000001", false, 0}, /* its double is 6 */
      {"1e-400", false, 0},                 /* its double is 0 */
      {"\"6\"", false, 0},
      {"null", false, 0},
      {"true", false, 0},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    int64_t whole = 99;
    if (ee_value_whole(read_text(rows[i].text), &whole) != rows[i].is) fail_msg("%s", rows[i].text);
    assert_int_equal(whole, rows[i].is ? rows[i].whole : 99);
  }
  assert_false(ee_value_whole(NULL, &(int64_t){0}));
}

static void test_types(void **state) {
  (void)state;
  static const char *const ascending[] = {
      "null",      "false",    "true", "-1",    "1",   "\"\\u0000\"", "\"1\"",    "\"a\"",     "\"\xc3\xa4\"",
      "[]",        "[null]",   "[1]",  "[1,0]", "[2]", "{}",          "{\"\":0}", "{\"a\":1}", "{\"a\":1,\"b\":0}",
      "{\"a\":2}", "{\"b\":0}"};
  static const char *const names[] = {"null",   "boolean", "boolean", "number", "number", "string", "string",
                                      "string", "string",  "array",   "array",  "array",  "array",  "array",
                                      "object", "object",  "object",  "object", "object", "object"};
  size_t count = sizeof ascending / sizeof *ascending;
  for (size_t i = 0; i < count; i++) {
    assert_string_equal(ee_type_name(read_text(ascending[i])), names[i]);
    for (size_t k = 0; k < count; k++)
      assert_int_equal(check_pair(read_text(ascending[i]), read_text(ascending[k])), (i > k) - (i < k));
  }
  assert_string_equal(ee_type_name(NULL), "missing");
  assert_true(ee_value_equal(NULL, NULL));
  assert_false(ee_value_equal(NULL, read_text("null")));
  assert_true(ee_value_compare(NULL, read_text("null"), &scratch) < 0);
  assert_true(ee_value_hash(NULL) == ee_value_hash(read_text("null")));
}

/* Members that are null or blank are as if they were not there, at every depth and in objects with an index; elements
 * are there. */
static void test_null_members(void **state) {
  (void)state;
  static const char *const same[][2] = {{"{\"x\":null}", "{}"},
                                        {"{\"x\":null}", "{\"y\":null,\"z\":null}"},
                                        {"{\"a\":1,\"x\":null}", "{\"a\":1}"},
                                        {"{\"x\":null,\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1}"},
                                        {"{\"a\":{\"b\":{\"x\":null}}}", "{\"a\":{\"b\":{}}}"},
                                        {"[{\"x\":null},null]", "[{},null]"},
                                        {"{\"a\":[{\"x\":null,\"b\":0}]}", "{\"y\":null,\"a\":[{\"b\":0}]}"},
                                        {"{\"x\":\"\"}", "{\"x\":null}"},
                                        {"[null,\" \",{\"x\":\"\\n\"}]", "[\"\",null,{}]"}};
  for (size_t i = 0; i < sizeof same / sizeof *same; i++)
    assert_int_equal(check_pair(read_text(same[i][0]), read_text(same[i][1])), 0);
  static const char *const different[][2] = {{"{\"x\":{}}", "{}"},
                                             {"{\"x\":[]}", "{\"x\":null}"},
                                             {"{\"x\":[null]}", "{\"x\":[]}"},
                                             {"{\"x\":0,\"a\":1}", "{\"x\":null,\"a\":1}"},
                                             {"{\"a\":null,\"b\":1}", "{\"a\":1,\"b\":null}"},
                                             {"[{\"x\":null}]", "[null]"},
                                             {"[null]", "[]"},
                                             {"[1,null]", "[1]"}};
  for (size_t i = 0; i < sizeof different / sizeof *different; i++) {
    assert_int_not_equal(check_pair(read_text(different[i][0]), read_text(different[i][1])), 0);
    assert_true(ee_value_hash(read_text(different[i][0])) != ee_value_hash(read_text(different[i][1])));
  }
  ee_value *large = ee_value_new(&arena, EE_OBJECT), *small = ee_value_new(&arena, EE_OBJECT);
  for (int i = 0; i < 60; i++) {
    ee_str key = ee_str_from(ee_arena_printf(&arena, "%d", i));
    bool null = i % 5 != 0;
    ee_value_set(&arena, large, key, null ? ee_value_new(&arena, EE_NULL) : ee_value_new_number(&arena, i));
    key = ee_str_from(ee_arena_printf(&arena, "%d", 59 - i));
    if ((59 - i) % 5 == 0) ee_value_set(&arena, small, key, ee_value_new_number(&arena, 59 - i));
  }
  assert_int_equal(check_pair(large, small), 0);
  ee_value_set(&arena, small, EE_STR("1"), ee_value_new_number(&arena, 1));
  assert_int_not_equal(check_pair(large, small), 0);
}

/* Other spellings are equal; one changed byte almost always is not, and the twin knows. */
static void test_random_documents(void **state) {
  (void)state;
  test_random random = test_random_start("documents", 21);
  ee_buffer text = {0}, other = {0};
  size_t different = 0, same_hash = 0;
  for (int i = 0; i < 3000; i++) {
    ee_buffer_clear(&text);
    ee_buffer_clear(&other);
    ee_arena_reset(&arena, 0);
    ee_arena_reset(&scratch, 0);
    random_document(&random, &text, i % 50 == 0 ? 80 : 12, 4, i % 3 == 0);
    ee_value *value = ee_json_read(&arena, (ee_str){text.data, text.length}, NULL, NULL);
    assert_non_null(value);
    respell_document(&random, &other, value);
    ee_value *respelled = ee_json_read(&arena, (ee_str){other.data, other.length}, NULL, NULL);
    assert_non_null(respelled);
    assert_int_equal(check_pair(value, respelled), 0);
    if (other.length == 0) continue;
    size_t place = test_random_below(&random, other.length);
    other.data[place] = (char)(other.data[place] == '1' ? '2' : '1');
    ee_value *changed = ee_json_read(&arena, (ee_str){other.data, other.length}, NULL, NULL);
    if (changed == NULL || check_pair(value, changed) == 0) continue;
    different++;
    same_hash += ee_value_hash(value) == ee_value_hash(changed);
  }
  assert_true(different > 300);
  /* Only numbers that share a double may share a hash. */
  assert_true(same_hash * 20 < different);
  ee_buffer_fini(&text);
  ee_buffer_fini(&other);
}

static void test_hash_is_stable(void **state) {
  (void)state;
  /* The order of keys does not count, their pairing with values and the nesting do. */
  assert_true(ee_value_hash(read_text("{\"a\":1,\"b\":2}")) == ee_value_hash(read_text("{\"b\":2,\"a\":1}")));
  assert_true(ee_value_hash(read_text("{\"a\":1,\"b\":2}")) != ee_value_hash(read_text("{\"a\":2,\"b\":1}")));
  assert_true(ee_value_hash(read_text("[1,2]")) != ee_value_hash(read_text("[2,1]")));
  assert_true(ee_value_hash(read_text("[[]]")) != ee_value_hash(read_text("[]")));
  assert_true(ee_value_hash(read_text("[[1],2]")) != ee_value_hash(read_text("[1,[2]]")));
  assert_true(ee_value_hash(read_text("{\"a\":{\"b\":1}}")) != ee_value_hash(read_text("{\"b\":{\"a\":1}}")));
  assert_true(ee_value_hash(read_text("\"a\"")) != ee_value_hash(read_text("[\"a\"]")));
  assert_true(ee_value_hash(read_text("1")) != ee_value_hash(read_text("\"1\"")));
  assert_true(ee_value_hash(read_text("[]")) != ee_value_hash(read_text("{}")));
  assert_true(ee_value_hash(read_text("null")) != ee_value_hash(read_text("false")));
  assert_true(ee_value_hash(read_text("{\"a\":null}")) == ee_value_hash(read_text("{}")));
}

static void test_members(void **state) {
  (void)state;
  for (size_t count = 0; count < 200; count++) {
    ee_arena_reset(&arena, 0);
    ee_value *object = ee_value_new(&arena, EE_OBJECT), *list = ee_value_new(&arena, EE_ARRAY);
    char key[16];
    for (size_t i = 0; i < count; i++) {
      int length = snprintf(key, sizeof key, "key%zu", i);
      ee_value_set(&arena, object, (ee_str){key, (size_t)length}, ee_value_new_number(&arena, (double)i));
      ee_value_append(list, ee_value_new_number(&arena, (double)i));
    }
    assert_int_equal(ee_value_count(object), count);
    for (size_t i = 0; i < count; i++) {
      int length = snprintf(key, sizeof key, "key%zu", i);
      const ee_value *member = ee_value_member(object, (ee_str){key, (size_t)length}, NULL);
      assert_true(member != NULL && member->json.valuedouble == (double)i);
      assert_ptr_equal(cJSON_GetObjectItemCaseSensitive(&object->json, key), member);
      const ee_value *element = ee_value_element(list, i);
      assert_true(element != NULL && element->json.valuedouble == (double)i);
    }
    assert_null(ee_value_member(object, EE_STR("key"), NULL));
    assert_null(ee_value_member(object, (ee_str){NULL, 0}, NULL));
    assert_null(ee_value_element(list, count));
    assert_null(ee_value_element(object, 0));
    assert_null(ee_value_member(list, EE_STR("key0"), NULL));
    assert_int_equal(cJSON_GetArraySize(&list->json), count);
  }
  assert_null(ee_value_member(NULL, EE_STR("a"), NULL));
  assert_null(ee_value_element(NULL, 0));
  /* Of duplicates that a builder makes the last is found, in small and large objects. */
  for (size_t others = 0; others < 40; others += 13) {
    ee_value *object = ee_value_new(&arena, EE_OBJECT);
    ee_value_set(&arena, object, EE_STR("a"), ee_value_new_bool(&arena, false));
    for (size_t i = 0; i < others; i++) {
      char key[16];
      snprintf(key, sizeof key, "%zu", i);
      ee_value_set(&arena, object, ee_str_from(key), ee_value_new(&arena, EE_NULL));
    }
    ee_value_set(&arena, object, EE_STR("a"), ee_value_new_bool(&arena, true));
    assert_int_equal(ee_type_of(ee_value_member(object, EE_STR("a"), NULL)), EE_TRUE);
  }
}

static void test_copy(void **state) {
  (void)state;
  test_random random = test_random_start("copies", 22);
  ee_buffer text = {0}, first = {0}, second = {0};
  for (int i = 0; i < 500; i++) {
    ee_buffer_clear(&text);
    ee_buffer_clear(&first);
    ee_buffer_clear(&second);
    random_document(&random, &text, 40, 3, false);
    ee_arena source;
    ee_arena_init(&source, 0);
    ee_value *value = ee_json_read(&source, (ee_str){text.data, text.length}, NULL, NULL);
    assert_non_null(value);
    ee_value_freeze(value, &source);
    assert_true(value->hash != 0);
    ee_value *copy = ee_value_copy(&arena, value);
    assert_true(ee_value_equal(value, copy));
    uint64_t hash = value->hash;
    ee_json_write_value(&first, value);
    ee_arena_fini(&source); /* the copy must stand on its own */
    ee_json_write_value(&second, copy);
    assert_string_equal(ee_buffer_terminate(&first), ee_buffer_terminate(&second));
    assert_true(ee_value_hash(copy) == hash);
    ee_arena_reset(&arena, 0);
  }
  assert_null(ee_value_copy(&arena, NULL));
  ee_buffer_fini(&text);
  ee_buffer_fini(&first);
  ee_buffer_fini(&second);
}

static void drop_number_texts(ee_value *value) {
  if (ee_type_of(value) == EE_NUMBER) value->length = 0;
  for (const ee_value *child = ee_value_child(value); child != NULL; child = ee_value_next(child))
    drop_number_texts((ee_value *)child);
}

static void test_from_cjson(void **state) {
  (void)state;
  test_random random = test_random_start("trees of cJSON", 23);
  ee_buffer text = {0};
  for (int i = 0; i < 1000; i++) {
    ee_buffer_clear(&text);
    ee_arena_reset(&arena, 0);
    random_document(&random, &text, 30, 3, true);
    cJSON *tree = cJSON_ParseWithLength(text.data, text.length);
    const char *message = "";
    ee_value *copy = ee_value_from_cjson(&arena, tree, &message);
    cJSON_Delete(tree);
    assert_non_null(copy);
    assert_null(message);
    /* Both trees carry the same doubles; the texts that only the reader keeps are dropped before they are compared. */
    ee_value *value = ee_json_read(&arena, (ee_str){text.data, text.length}, NULL, NULL);
    drop_number_texts(value);
    assert_true(ee_value_equal(copy, value));
  }
  ee_buffer_fini(&text);
  assert_null(ee_value_from_cjson(&arena, NULL, NULL));
  /* Duplicate keys as in the reader. */
  cJSON *tree = cJSON_Parse("{\"a\":[1],\"b\":{\"c\":null},\"a\":\"x\"}");
  assert_true(ee_value_equal(ee_value_from_cjson(&arena, tree, NULL), read_text("{\"a\":\"x\",\"b\":{\"c\":null}}")));
  cJSON_Delete(tree);
}

static void check_refused(cJSON *tree, const char *wanted) {
  const char *message = NULL;
  assert_null(ee_value_from_cjson(&arena, tree, &message));
  assert_string_equal(message, wanted);
  assert_null(ee_value_from_cjson(&arena, tree, NULL));
  cJSON_Delete(tree);
}

static void test_bad_cjson(void **state) {
  (void)state;
  check_refused(cJSON_CreateNumber((double)NAN), "NaN is not a JSON number");
  check_refused(cJSON_CreateNumber((double)-INFINITY), "infinity is not a JSON number");
  check_refused(cJSON_CreateRaw("1"), "raw node");
  check_refused(cJSON_CreateString("\xff"), "invalid UTF-8");
  cJSON *tree = cJSON_CreateArray();
  cJSON_AddItemToArray(tree, cJSON_CreateString("\xed\xa0\x80"));
  check_refused(tree, "invalid UTF-8");
  tree = cJSON_CreateObject();
  cJSON_AddNullToObject(tree, "\xc3");
  check_refused(tree, "invalid UTF-8");
  tree = cJSON_CreateArray();
  tree->type = cJSON_Invalid;
  check_refused(tree, "node without a type");
  tree = cJSON_CreateObject();
  cJSON_AddItemToArray(tree, cJSON_CreateNull());
  check_refused(tree, "object member without a key");
  for (int depth = 511; depth <= 513; depth++) {
    tree = cJSON_CreateArray();
    for (int i = 1; i < depth; i++) {
      cJSON *outer = cJSON_CreateArray();
      cJSON_AddItemToArray(outer, tree);
      tree = outer;
    }
    if (depth > 512) {
      check_refused(tree, "nesting deeper than 512");
    } else {
      assert_non_null(ee_value_from_cjson(&arena, tree, NULL));
      cJSON_Delete(tree);
    }
  }
}

static void test_empty(void **state) {
  (void)state;
  const ee_str null_values[] = {EE_STR("N/A"), EE_STR("-")};
  const ee_empty_rule rule = {.null_values = null_values, .null_value_count = 2}, containers = {.containers = true};
  const ee_empty_rule none = {.none = true};
  static const struct {
    const char *text;
    bool plain, with_texts, with_containers;
  } cases[] = {{"null", true, true, true},           {"\"\"", true, true, true},
               {"\" \\t\\n\"", true, true, true},    {"\"\xc2\xa0\xe3\x80\x80\"", true, true, true},
               {"\"N/A\"", false, true, false},      {"\" N/A \"", false, true, false},
               {"\"n/a\"", false, false, false},     {"\"-\"", false, true, false},
               {"\"--\"", false, false, false},      {"[]", false, false, true},
               {"{}", false, false, true},           {"[null]", false, false, false},
               {"{\"x\":null}", false, false, true}, {"{\"x\":\"\"}", false, false, true},
               {"\"N/A.\"", false, false, false},    {"\"\\tN/A\"", false, true, false},
               {"0", false, false, false},           {"false", false, false, false},
               {"\"\\u0000\"", false, false, false}, {"\"a\"", false, false, false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ee_value *value = read_text(cases[i].text);
    assert_int_equal(ee_value_is_empty(value, NULL), cases[i].plain);
    assert_int_equal(ee_value_is_empty(value, &rule), cases[i].with_texts);
    assert_int_equal(ee_value_is_empty(value, &containers), cases[i].with_containers);
    assert_false(ee_value_is_empty(value, &none));
  }
  assert_true(ee_value_is_empty(NULL, NULL) && ee_value_is_empty(NULL, &none));
}

/* What equality by `rule` sees, as a text: members in the order of their keys, without empty ones; empty elements are
 * null. */
static void write_seen(ee_buffer *out, const ee_value *value, const ee_empty_rule *rule);

static bool is_seen(const ee_value *value, const ee_empty_rule *rule) {
  ee_type type = ee_type_of(value);
  if (rule->none) return true;
  if (type != EE_OBJECT) return !ee_value_is_empty(value, rule);
  for (const ee_value *member = ee_value_child(value); member != NULL; member = ee_value_next(member))
    if (is_seen(member, rule)) return true;
  return !rule->containers;
}

static void write_seen(ee_buffer *out, const ee_value *value, const ee_empty_rule *rule) {
  ee_type type = ee_type_of(value);
  if (!is_seen(value, rule)) {
    ee_buffer_add_text(out, "null");
  } else if (type == EE_ARRAY) {
    ee_buffer_add_char(out, '[');
    for (const ee_value *item = ee_value_child(value); item != NULL; item = ee_value_next(item)) {
      write_seen(out, item, rule);
      ee_buffer_add_char(out, ',');
    }
    ee_buffer_add_char(out, ']');
  } else if (type == EE_OBJECT) {
    ee_buffer_add_char(out, '{');
    for (const char *key = "a"; *key <= 'e'; key = &"abcdef"[*key - 'a' + 1]) {
      const ee_value *member = ee_value_member(value, (ee_str){key, 1}, NULL);
      if (member == NULL || !is_seen(member, rule)) continue;
      ee_buffer_addf(out, "%c:", *key);
      write_seen(out, member, rule);
      ee_buffer_add_char(out, ',');
    }
    ee_buffer_add_char(out, '}');
  } else {
    ee_json_write_value(out, value);
  }
}

static ee_value *random_value(test_random *random, unsigned depth) {
  static const char *const leaves[] = {"null", "\"\"", "\" \"", "\"-\"", "\"x\"",      "1",
                                       "{}",   "[]",   "false", "null",  "\"\\u00a0\""};
  if (depth == 0 || test_random_below(random, 3) == 0)
    return read_text(leaves[test_random_below(random, sizeof leaves / sizeof *leaves)]);
  bool is_object = test_random_below(random, 2) == 0;
  ee_value *value = ee_value_new(&arena, is_object ? EE_OBJECT : EE_ARRAY);
  size_t count = test_random_below(random, 4), key = test_random_below(random, 3);
  for (size_t i = 0; i < count && (!is_object || key < 5); i++, key += 1 + test_random_below(random, 2)) {
    ee_value *child = random_value(random, depth - 1);
    if (is_object)
      ee_value_set(&arena, value, (ee_str){&"abcde"[key], 1}, child);
    else
      ee_value_append(value, child);
  }
  return value;
}

/* Equality, hashes and order by a rule of what is empty, against texts. */
static void test_equality_by_a_rule(void **state) {
  (void)state;
  const ee_str null_values[] = {EE_STR("-")};
  const ee_empty_rule rules[] = {{.none = false},
                                 {.null_values = null_values, .null_value_count = 1},
                                 {.containers = true},
                                 {.null_values = null_values, .null_value_count = 1, .containers = true},
                                 {.none = true}};
  test_random random = test_random_start("equality by a rule", 25);
  size_t equal_count = 0;
  for (int round = 0; round < 60000; round++) {
    ee_arena_reset(&arena, 0);
    const ee_empty_rule *rule = &rules[test_random_below(&random, 5)];
    ee_value *values[2];
    ee_buffer texts[2] = {{0}, {0}};
    for (size_t i = 0; i < 2; i++) {
      do values[i] = random_value(&random, 3);
      while (ee_type_of(values[i]) < EE_ARRAY || ee_value_is_empty(values[i], rule));
      write_seen(&texts[i], values[i], rule);
    }
    bool same = strcmp(ee_buffer_terminate(&texts[0]), ee_buffer_terminate(&texts[1])) == 0;
    equal_count += same;
    if (ee_value_equal_by(values[0], values[1], rule, &arena) != same) fail_msg("%s\n%s", texts[0].data, texts[1].data);
    if (!rule->none) {
      const ee_value *a = ee_value_without_empty(&arena, values[0], rule);
      const ee_value *b = ee_value_without_empty(&arena, values[1], rule);
      assert_int_equal(ee_value_equal(a, b), same);
      assert_int_equal(ee_value_compare(a, b, &arena) == 0, same);
      if (same) assert_true(ee_value_hash(a) == ee_value_hash(b));
    }
    ee_buffer_fini(&texts[0]);
    ee_buffer_fini(&texts[1]);
  }
  assert_true(equal_count > 1000);
  const ee_value *list = read_text("[null,\"\"]"), *text = read_text("\"\"");
  assert_ptr_equal(ee_value_without_empty(&arena, list, NULL), list);
  assert_ptr_equal(ee_value_without_empty(&arena, text, NULL), text);
  assert_null(ee_value_without_empty(&arena, NULL, NULL));
  const ee_empty_rule none = {.none = true}, containers = {.containers = true};
  assert_ptr_equal(ee_value_without_empty(&arena, list, &none), list);
  assert_ptr_equal(ee_value_without_empty(&arena, text, &containers), text);
}

static void test_sorted_members(void **state) {
  (void)state;
  test_random random = test_random_start("sorted members", 24);
  for (int round = 0; round < 500; round++) {
    ee_arena_reset(&arena, 0);
    ee_value *object = ee_value_new(&arena, EE_OBJECT);
    size_t count = test_random_below(&random, 60), found;
    for (size_t i = 0; i < count; i++) {
      char key[16];
      snprintf(key, sizeof key, "%zu", test_random_below(&random, 50));
      if (test_random_below(&random, 4) == 0) ee_value_set(&arena, object, EE_STR("7"), ee_value_new(&arena, EE_NULL));
      ee_value_set(&arena, object, ee_str_from(key), ee_value_new_number(&arena, (double)i));
    }
    const ee_value **members = ee_value_sorted_members(object, &found, &scratch);
    assert_int_equal(found, count);
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
      sum += members[i]->json.valuedouble;
      if (i == 0) continue;
      int order = strcmp(members[i - 1]->json.string, members[i]->json.string);
      assert_true(order < 0 || (order == 0 && members[i - 1]->json.valuedouble < members[i]->json.valuedouble));
    }
    assert_true(sum == (double)(count * (count > 0 ? count - 1 : 0)) / 2);
  }
}

static void test_descriptions(void **state) {
  (void)state;
  assert_string_equal(ee_value_describe(NULL), "nothing");
  ee_value *value = ee_json_read(&arena, EE_STR("{\"a\": true, \"b\": false, \"c\": 1}"), NULL, NULL);
  assert_string_equal(ee_value_describe(value), "an object");
  assert_true(ee_value_get_bool(value, "a", false) && !ee_value_get_bool(value, "b", true));
  assert_true(ee_value_get_bool(value, "c", true) && !ee_value_get_bool(value, "d", false) &&
              ee_value_get_bool(value, "d", true));
  assert_true(ee_json_equal(value, value));
  assert_false(ee_value_equal(value, NULL));
  assert_false(ee_value_equal(NULL, value));
  ee_empty_rule rule = {.none = true};
  assert_false(ee_value_equal_by(value, ee_value_child(value), &rule, &arena));
  assert_false(ee_value_equal_by(ee_value_child(value), value, &rule, &arena));
  assert_true(ee_value_equal_by(value, value, &rule, &arena));
}

/* Trees that no parser makes. */
static void test_broken_trees(void **state) {
  (void)state;
  char key[] = "key";
  cJSON member = {.type = cJSON_Number, .valuedouble = NAN, .string = key},
        object = {.type = cJSON_Object, .child = &member};
  const char *why = NULL;
  assert_null(ee_value_from_cjson(&arena, &object, &why));
  assert_string_equal(why, "NaN is not a JSON number");
  cJSON text = {.type = cJSON_String};
  assert_int_equal(ee_value_text(ee_value_from_cjson(&arena, &text, NULL)).length, 0);
}

/* Several correct values: {"anyOf": [...]} alone, and arrays of single values. */
static void test_options(void **state) {
  (void)state;
  static const struct {
    const char *text, *any_of;
    bool flat;
  } cases[] = {{"{\"anyOf\": [1, [2]]}", "[1,[2]]", false},
               {"{\"anyOf\": []}", NULL, false},
               {"{\"anyOf\": 1}", NULL, false},
               {"{\"anyOf\": [1], \"a\": 2}", NULL, false},
               {"{\"oneOf\": [1]}", NULL, false},
               {"[1, \"a\", null, true]", NULL, true},
               {"[1, {}]", NULL, false},
               {"[]", NULL, false},
               {"\"anyOf\"", NULL, false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const ee_value *value = read_text(cases[i].text), *found = ee_value_any_of(value);
    assert_int_equal(ee_value_is_flat(value), cases[i].flat);
    assert_true((found != NULL) == (cases[i].any_of != NULL));
    if (found != NULL) assert_true(ee_value_equal(found, read_text(cases[i].any_of)));
  }
  assert_null(ee_value_any_of(NULL));
  assert_false(ee_value_is_flat(NULL));
}

static void test_composed_keys(void **state) {
  (void)state;
  const ee_value *value = ee_json_read(&arena, EE_STR("{\"e\\u0301\": 1, \"b\": [1, 2]}"), NULL, NULL);
  const ee_value *composed = ee_value_nfc(&arena, value);
  assert_non_null(ee_value_member(composed, EE_STR("\u00e9"), NULL));
  assert_true(ee_value_nfc(&arena, composed) == composed);
  ee_buffer out = {0};
  ee_buffer_add_text(&out, "[\"e\\u0301\"");
  for (int i = 0; i < 100; i++) ee_buffer_addf(&out, ", %d", i);
  ee_buffer_add_text(&out, "]");
  composed = ee_value_nfc(&arena, ee_json_read(&arena, (ee_str){out.data, out.length}, NULL, NULL));
  assert_int_equal(ee_value_count(composed), 101);
  assert_true(ee_str_is(ee_value_text(ee_value_child(composed)), "\u00e9"));
  ee_buffer_fini(&out);
}

EE_TEST_FILE(set_up, tear_down, cmocka_unit_test(test_numbers), cmocka_unit_test(test_built_numbers),
             cmocka_unit_test(test_types), cmocka_unit_test(test_whole), cmocka_unit_test(test_null_members),
             cmocka_unit_test(test_random_documents), cmocka_unit_test(test_hash_is_stable),
             cmocka_unit_test(test_members), cmocka_unit_test(test_copy), cmocka_unit_test(test_from_cjson),
             cmocka_unit_test(test_bad_cjson), cmocka_unit_test(test_empty), cmocka_unit_test(test_equality_by_a_rule),
             cmocka_unit_test(test_sorted_members), cmocka_unit_test(test_descriptions),
             cmocka_unit_test(test_broken_trees), cmocka_unit_test(test_options), cmocka_unit_test(test_composed_keys));
