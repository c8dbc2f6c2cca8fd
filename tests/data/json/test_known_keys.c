/* test_known_keys.c: a document read by keys that are known, and written by its source, is the one that is read and
 * written without them. */
#include "base/limits.h"
#include "data/json/known_keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/json/json_reader.h"
#include "data/json/json_writer.h"
#include "data/json/value.h"
#include "support/arena.h"
#include "support/random.h"

/* Keys in several spellings, long ones, one that NFC changes, some that differ in one byte. */
static const char *const keys[] = {"a",
                                   "b",
                                   "\\u0061",
                                   "",
                                   "description",
                                   "descriptiom",
                                   "unit_price",
                                   "unit_prize",
                                   "unit\\u005fprice",
                                   "e\u0301",
                                   "\u6771",
                                   "a\\\"b",
                                   "an even longer key of many words",
                                   "an even longer key of many words!"};
enum { KEYS = sizeof keys / sizeof *keys };
/* Values, most of them written as they are. */
static const char *const values[] = {"\"text\"",
                                     "12.5",
                                     "1.50",
                                     "-0",
                                     "0",
                                     "1e5",
                                     "0.000001",
                                     "1e-7",
                                     "1234567.25",
                                     "123456789012345678901234567890",
                                     "12345678901234567",
                                     "\"\\u00e9\"",
                                     "\"\u00e9\u6771\"",
                                     "\"\u200e\"",
                                     "\"\u061c\"",
                                     "\"a\x7f\"",
                                     "\"a long text with \x7f\"",
                                     "true",
                                     "false",
                                     "null",
                                     "\"\\/\"",
                                     "\"a \\\" \\\\\"",
                                     "\"\\\\ \\n : , \\t\"",
                                     "\"a text of more than sixteen bytes\""};
enum { VALUES = sizeof values / sizeof *values };

/* Mostly the keys from `first` on, in order; sometimes others, the same again, or numbered ones. */
static void add_document(test_random *random, ee_buffer *text, int depth) {
  size_t choice = depth == 0 ? 0 : test_random_below(random, depth > 4 ? 1 : 4);
  if (depth > 0 && choice == 0) {
    bool usual = test_random_below(random, 4) > 0;
    ee_buffer_add_text(text, values[usual ? test_random_below(random, 2) : test_random_below(random, VALUES)]);
    return;
  }
  bool is_object = choice != 1;
  size_t first = test_random_below(random, 3), count = test_random_below(random, 20) == 0 ? 40 : 5;
  ee_buffer_add_char(text, is_object ? '{' : '[');
  for (size_t i = 0; i < test_random_below(random, count + 1); i++) {
    if (i > 0) ee_buffer_add_text(text, test_random_below(random, 4) == 0 ? " , " : ",");
    size_t odd = test_random_below(random, 12), key = odd < 2 ? test_random_below(random, KEYS) : first + i;
    if (is_object && odd == 2)
      ee_buffer_addf(text, "\"k%zu\":", test_random_below(random, 200));
    else if (is_object)
      ee_buffer_addf(text, "\"%s\"%s", keys[key % KEYS], odd == 3 ? "\n: " : ":");
    add_document(random, text, depth + 1);
  }
  ee_buffer_add_char(text, is_object ? '}' : ']');
}

static void note_duplicate(void *user, ee_str key, size_t offset) {
  ee_buffer_addf(user, "%.*s at %zu;", EE_STR_ARG(key), offset);
}

static size_t sources, respelled, spaced;

/* Everything that is known of the document: its text, its hash, duplicates, errors, memory. */
static void read_all(ee_str text, ee_known_keys *known, ee_buffer *out) {
  ee_arena own, kept;
  ee_arena_init(&own, 0);
  ee_arena_init(&kept, 0);
  ee_error error;
  ee_buffer_clear(out);
  ee_json_options options = {
      .on_duplicate_key = note_duplicate, .user = out, .known = known, .sources = known != NULL ? &kept : NULL};
  const ee_value *value = ee_json_read(&own, text, &options, &error);
  ee_buffer_addf(out, "%zu bytes;", ee_arena_used(&own));
  if (value == NULL) {
    ee_buffer_addf(out, "%zu:%zu: %s", (size_t)error.line, (size_t)error.column, error.message);
  } else {
    ee_buffer_addf(out, "%llx ", (unsigned long long)ee_value_hash(value));
    size_t start = out->length;
    ee_json_write_value(out, value);
    bool is_container = ee_type_of(value) >= EE_ARRAY; /* what is left of a document may be a string */
    const ee_source *source = is_container ? ee_value_source(value) : NULL;
    sources += source != NULL;
    respelled += source != NULL && source->respellings != NULL;
    spaced += source != NULL && source->spaced;
    ee_value *copy = ee_value_copy(&own, value);
    if (is_container) assert_null(ee_value_source(copy));
    size_t length = out->length;
    ee_json_write_value(out, copy);
    assert_int_equal(out->length - length, length - start);
    assert_memory_equal(out->data + length, out->data + start, length - start);
    out->length = length;
    assert_true(ee_value_hash(copy) == ee_value_hash(value));
    for (int i = 0; i < KEYS; i++) {
      const ee_value *member = ee_value_member(value, ee_str_from(keys[i]), NULL);
      if (member != NULL) ee_buffer_addf(out, " %d:%u", i, member->key_length);
    }
    ee_buffer_addf(out, " plain %d", is_container && ee_value_is_plain(value));
  }
  ee_buffer_terminate(out);
  ee_arena_fini(&own);
  ee_arena_fini(&kept);
}

static void test_random_documents(void **state) {
  (void)state;
  test_random random = test_random_start("known keys", 34);
  ee_buffer text = {0}, with = {0}, without = {0};
  size_t broken = 0, duplicates = 0;
  for (int file = 0; file < 20; file++) {
    ee_known_keys known;
    ee_known_keys_init(&known);
    for (int i = 0; i < 500; i++) {
      ee_buffer_clear(&text);
      add_document(&random, &text, 0);
      if (test_random_below(&random, 10) == 0) text.length = test_random_below(&random, text.length);
      if (test_random_below(&random, 10) == 0 && text.length > 0)
        text.data[test_random_below(&random, text.length)] = "\"\\x:,{}]\x01\xff"[test_random_below(&random, 10)];
      char *exact = malloc(text.length + 1); /* of its very size, for sanitizers */
      assert_non_null(exact);
      if (text.length > 0) memcpy(exact, text.data, text.length);
      read_all((ee_str){exact, text.length}, NULL, &without);
      read_all((ee_str){exact, text.length}, &known, &with);
      free(exact);
      assert_string_equal(with.data, without.data);
      broken += strstr(with.data, "bytes;1:") != NULL;
      duplicates += strstr(with.data, " at ") != NULL;
    }
    ee_known_keys_fini(&known);
  }
  assert_true(broken > 100 && duplicates > 100 && sources > 1000 && respelled > 500 && spaced > 500);
  ee_buffer_fini(&text), ee_buffer_fini(&with), ee_buffer_fini(&without);
}

/* More tokens that are written differently than are kept: such a document is written value by value. */
static void test_many_respelled(void **state) {
  (void)state;
  ee_known_keys known;
  ee_known_keys_init(&known);
  ee_buffer text = {0}, with = {0}, without = {0};
  ee_buffer_add_text(&text, "{\"a\":[1.0,{\"b\":[");
  for (int i = 0; i < 2000; i++) ee_buffer_addf(&text, "%s%d.0", i > 0 ? "," : "", i % 10);
  ee_buffer_add_text(&text, "]}],\"c\":{\"d\":2.50}}");
  size_t before = sources;
  read_all((ee_str){text.data, text.length}, NULL, &without);
  read_all((ee_str){text.data, text.length}, &known, &with);
  assert_string_equal(with.data, without.data);
  assert_int_equal(sources, before);
  /* More arrays than have a source. */
  ee_buffer_clear(&text);
  ee_buffer_add_char(&text, '[');
  for (int i = 0; i < 2000; i++) ee_buffer_add_text(&text, i > 0 ? ",[]" : "[]");
  ee_buffer_add_char(&text, ']');
  read_all((ee_str){text.data, text.length}, NULL, &without);
  read_all((ee_str){text.data, text.length}, &known, &with);
  assert_string_equal(with.data, without.data);
  assert_int_equal(sources, before);
  /* A known object of more members than have no index, keys that are written differently without an escape. */
  for (int i = 0; i < 40; i++) {
    ee_buffer_clear(&text);
    for (int k = 0; k < 40; k++)
      ee_buffer_addf(&text, "%c\"k%d%s\": %d", k > 0 ? ',' : '{', k, k % 10 == 9 && i >= 20 ? "\x7f" : "", i * k);
    ee_buffer_add_char(&text, '}');
    read_all((ee_str){text.data, text.length}, NULL, &without);
    read_all((ee_str){text.data, text.length}, &known, &with);
    assert_string_equal(with.data, without.data);
  }
  ee_known_keys_fini(&known);
  ee_buffer_fini(&text), ee_buffer_fini(&with), ee_buffer_fini(&without);
}

/* A document that takes too much memory ends at the same place, by known keys, too: in arrays, objects and members. */
static void test_memory_limit(void **state) {
  (void)state;
  static const char *const items[] = {"{\"a\":1,\"b\":2}", "3", "{\"a\":{\"a\":{\"a\":4}}}"};
  ee_limits limits = EE_LIMITS_DEFAULT;
  limits.memory = (size_t)256 * 1024;
  ee_limits_set(&limits);
  ee_buffer text = {0}, with = {0}, without = {0};
  for (size_t i = 0; i < sizeof items / sizeof *items; i++) {
    ee_known_keys known;
    ee_known_keys_init(&known);
    for (int count = 3; count < 10000; count += 9000) {
      ee_buffer_clear(&text);
      for (int k = 0; k < count; k++) ee_buffer_addf(&text, "%c%s", k > 0 ? ',' : '[', items[i]);
      ee_buffer_add_char(&text, ']');
      read_all((ee_str){text.data, text.length}, NULL, &without);
      read_all((ee_str){text.data, text.length}, &known, &with);
      assert_string_equal(with.data, without.data);
      assert_int_equal(strstr(with.data, "values takes more than 256 KiB of memory") != NULL, count > 3);
    }
    ee_known_keys_fini(&known);
  }
  ee_limits_set(NULL);
  ee_buffer_fini(&text), ee_buffer_fini(&with), ee_buffer_fini(&without);
}

/* Keys that are never the same are not kept without end. */
static void test_limits(void **state) {
  (void)state;
  ee_known_keys known;
  ee_known_keys_init(&known);
  ee_buffer text = {0};
  size_t before = 0;
  for (int i = 0; i < 40000; i++) {
    ee_buffer_clear(&text);
    ee_buffer_addf(&text, "{\"number %d\":{\"and %d\":{\"x\":1}},\"%0300d\":1}", i, i, i);
    ee_json_options options = {.known = &known};
    ee_arena_reset(&arena, 0);
    const ee_value *value = ee_json_read(&arena, (ee_str){text.data, text.length}, &options, NULL);
    assert_int_equal(ee_value_count(value), 2);
    if (i == 20000) before = ee_arena_held(&known.arena);
  }
  assert_int_equal(ee_arena_held(&known.arena), before);
  assert_true(before < 2000000);
  ee_buffer_fini(&text);
  ee_known_keys_fini(&known);
}

/* The key at the text, which is `key` in quotes. */
static ee_known_key *find(ee_known_object *object, const char *key) {
  char quoted[256];
  int length = snprintf(quoted, sizeof quoted, "\"%s\"", key);
  char *exact = memcpy(malloc((size_t)length), quoted, (size_t)length);
  ee_known_key *found = ee_known_keys_find(object, exact, exact + length);
  assert_null(ee_known_keys_find(object, exact, exact + length - 1));
  free(exact);
  return found;
}

/* Each place knows its own keys, the latest added first; a key at several places is kept once. */
static void test_places(void **state) {
  (void)state;
  ee_known_keys known;
  ee_known_keys_init(&known);
  ee_known_key *total = ee_known_keys_add(&known, known.root, EE_STR("total"), 1);
  ee_known_key *lines = ee_known_keys_add(&known, known.root, EE_STR("lines"), 2);
  assert_true(find(known.root, "total") == total && find(known.root, "lines") == lines);
  assert_true(total->mask == 1 && lines->mask == 2 && total->bit == 1 && lines->bit == 2 && lines->length == 5);
  assert_true(lines->hash == ee_key_hash(EE_STR("lines")) && lines->before == total && total->before == NULL);
  assert_null(find(known.root, "sku"));
  ee_known_object *inside = ee_known_keys_inside(&known, lines);
  assert_non_null(inside);
  assert_true(ee_known_keys_inside(&known, lines) == inside);
  assert_null(find(inside, "total"));
  ee_known_key *other = ee_known_keys_add(&known, inside, EE_STR("total"), 1);
  assert_true(other != total && other->key == total->key && find(inside, "total") == other);
  assert_int_equal(known.texts.count, 2);
  assert_int_equal(known.bytes, 10);
  /* A thousand places. */
  size_t places = 2;
  for (ee_known_object *place = inside; place != NULL; places += place != NULL)
    place = ee_known_keys_inside(&known, ee_known_keys_add(&known, place, EE_STR("in"), 1));
  assert_int_equal(places, 1000);
  assert_true(ee_known_keys_inside(&known, lines) == inside);
  ee_known_keys_fini(&known);
}

/* 64 keys at a place, of up to 100 bytes; and none any more once a thousand found no room. */
static void test_keys_of_a_place(void **state) {
  (void)state;
  ee_known_keys known;
  ee_known_keys_init(&known);
  char key[128];
  memset(key, 'k', sizeof key);
  assert_null(ee_known_keys_add(&known, known.root, (ee_str){key, 101}, 1));
  assert_int_equal(known.root->unlisted, 1);
  for (size_t i = 0; i < EE_KNOWN_KEYS_OF_OBJECT; i++) {
    ee_known_key *added = ee_known_keys_add(&known, known.root, (ee_str){key, 100 - i}, 1);
    assert_non_null(added);
    assert_true(added->mask == UINT64_C(1) << i);
  }
  for (size_t i = 1; i <= 1000; i++) {
    assert_non_null(find(known.root, "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk"));
    assert_int_equal(known.root->unlisted, i);
    assert_null(ee_known_keys_add(&known, known.root, EE_STR("k"), 1));
  }
  assert_null(find(known.root, "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk"));
  assert_null(ee_known_keys_add(&known, known.root, EE_STR("k"), 1));
  assert_int_equal(known.root->unlisted, 1001);
  ee_known_keys_fini(&known);
}

/* 100,000 bytes of keys, of all places together. */
static void test_bytes_of_keys(void **state) {
  (void)state;
  ee_known_keys known;
  ee_known_keys_init(&known);
  ee_known_object *place = known.root;
  size_t added = 0;
  for (;; added++) {
    char key[101];
    snprintf(key, sizeof key, "%0100zu", added);
    ee_known_key *one = ee_known_keys_add(&known, place, ee_str_from(key), 1);
    if (one == NULL) break;
    if (added % EE_KNOWN_KEYS_OF_OBJECT == EE_KNOWN_KEYS_OF_OBJECT - 1) place = ee_known_keys_inside(&known, one);
  }
  assert_int_equal(added, 1000);
  assert_int_equal(known.bytes, 100000);
  ee_known_keys_fini(&known);
}

EE_TEST_FILE(make_arena, free_arena, cmocka_unit_test(test_random_documents), cmocka_unit_test(test_many_respelled),
             cmocka_unit_test(test_memory_limit), cmocka_unit_test(test_limits), cmocka_unit_test(test_places),
             cmocka_unit_test(test_keys_of_a_place), cmocka_unit_test(test_bytes_of_keys));
