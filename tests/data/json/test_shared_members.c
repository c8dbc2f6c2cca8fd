/* test_shared_members.c: a document whose members share what they spell alike is the one that is read without that. */
#include <stdlib.h>
#include <string.h>

#include "data/json/json_equal.h"
#include "data/json/json_reader.h"
#include "data/json/json_writer.h"
#include "data/json/known_keys.h"
#include "support/arena.h"
#include "support/random.h"

static const char *const keys[] = {"a", "b", "description", "unit_price", "\\u0061", "e\u0301", "a\\\"b", "lines"};
enum { KEYS = sizeof keys / sizeof *keys };
/* Values, the last ones with a code point that NFC may change and half a surrogate pair. */
static const char *const values[] = {"\"text\"", "12.5",  "1.50", "\"\\u00e9\"", "\"a \x7f\"",
                                     "null",     "1e400", "\"\"", "\"e\u0301\"", "\"\\ud800\""};
enum { VALUES = sizeof values / sizeof *values };

static void add_value(test_random *random, ee_buffer *text, int depth) {
  size_t kind = depth == 0 ? 1 : test_random_below(random, depth > 4 ? 1 : 3);
  if (kind == 0) {
    bool usual = test_random_below(random, 8) > 0;
    ee_buffer_add_text(text, values[test_random_below(random, usual ? 2 : VALUES)]);
    return;
  }
  ee_buffer_add_char(text, kind == 1 ? '{' : '[');
  size_t count = test_random_below(random, 30) == 0 ? 20 : test_random_below(random, 6);
  for (size_t i = 0; i < count; i++) {
    if (i > 0) ee_buffer_add_text(text, test_random_below(random, 6) == 0 ? ", " : ",");
    size_t key = test_random_below(random, 12) == 0 ? test_random_below(random, KEYS) : i;
    if (kind == 1 && key < KEYS) ee_buffer_addf(text, "\"%s\":", keys[key]);
    if (kind == 1 && key >= KEYS) ee_buffer_addf(text, "\"k%zu\":", key);
    add_value(random, text, depth + 1);
  }
  ee_buffer_add_char(text, kind == 1 ? '}' : ']');
}

/* Appends `text` with a few changes: a byte, or a piece between commas that is missing, there twice or put elsewhere.
 */
static void add_changed(test_random *random, ee_buffer *out, ee_str text) {
  size_t start = out->length, changes = test_random_below(random, 4);
  ee_buffer_add_str(out, text);
  for (size_t i = 0; i < changes; i++) {
    size_t length = out->length - start, at = test_random_below(random, length);
    char *body = out->data + start;
    const char *from = memchr(body + at, ',', length - at);
    const char *to = from != NULL ? memchr(from + 1, ',', (size_t)(body + length - from - 1)) : NULL;
    char piece[4096];
    if (test_random_below(random, 2) == 0 || to == NULL) {
      if (body[at] >= '0' && body[at] <= '8') body[at]++;
      if (body[at] >= 'm' && body[at] <= 'o') body[at]--; /* may spell a word of JSON incorrectly */
      continue;
    }
    size_t size = (size_t)(to - from), place = (size_t)(from - body);
    if (size > sizeof piece) continue;
    memcpy(piece, from, size);
    if (test_random_below(random, 2) == 0) {
      ee_buffer_add(out, piece, size); /* room for it */
      body = out->data + start;
      memmove(body + place + size, body + place, length - place);
      memcpy(body + place, piece, size);
    } else {
      memmove(body + (from - body), to, (size_t)(body + length - to));
      out->length -= size;
    }
  }
}

static void note_duplicate(void *user, ee_str key, size_t offset) {
  ee_buffer_addf(user, "%.*s at %zu;", EE_STR_ARG(key), offset);
}

/* Containers of `b` that have the children of one of `a`, which are then equal. */
static size_t count_shared(const ee_value *a, const ee_value *b) {
  if (ee_type_of(a) < EE_ARRAY || ee_type_of(a) != ee_type_of(b)) return 0;
  if (ee_value_child(a) != NULL && ee_value_shares(a, b)) {
    assert_true(ee_value_equal(a, b) && ee_json_equal(a, b) && ee_value_compare(a, b, &arena) == 0);
    return 1;
  }
  size_t count = 0;
  for (const ee_value *x = ee_value_child(a); x != NULL; x = ee_value_next(x))
    for (const ee_value *y = ee_value_child(b); y != NULL; y = ee_value_next(y)) count += count_shared(x, y);
  return count;
}

static size_t shared, texts_kept;

/* Everything that is known of the document. `known` NULL: nothing is shared. */
static void read_all(ee_str text, ee_known_keys *known, ee_arena *sources, ee_buffer *out) {
  ee_error error;
  uint64_t surrogates = 0;
  ee_buffer_clear(out);
  ee_json_options options = {.on_duplicate_key = note_duplicate,
                             .user = out,
                             .lone_surrogates = &surrogates,
                             .sources = sources,
                             .known = known,
                             .shares = known != NULL};
  const ee_value *value = ee_json_read(&arena, text, &options, &error);
  ee_buffer_addf(out, "%d;", (int)surrogates);
  if (value == NULL) {
    ee_buffer_addf(out, "%zu:%zu: %s", (size_t)error.line, (size_t)error.column, error.message);
  } else {
    const ee_value *first = ee_value_child(value);
    for (const ee_value *part = first; part != NULL; part = ee_value_next(part)) {
      texts_kept += ee_type_of(part) >= EE_ARRAY && ee_value_source(part) != NULL;
      ee_json_write_value(out, part);
      ee_json_write_value(out, ee_value_copy(&arena, part));
      ee_buffer_addf(out, " %llx plain %d %d\n", (unsigned long long)ee_value_hash(part),
                     ee_type_of(part) >= EE_ARRAY && ee_value_is_plain(part), ee_value_equal(first, part));
      const ee_value *before = (const ee_value *)part->json.prev;
      if (known != NULL && part != first) shared += count_shared(before, part);
    }
  }
  ee_buffer_terminate(out);
}

static void test_random_documents(void **state) {
  (void)state;
  test_random random = test_random_start("shared members", 71);
  ee_buffer document = {0}, text = {0}, with = {0}, without = {0};
  ee_arena sources;
  ee_arena_init(&sources, 0);
  size_t broken = 0;
  for (int file = 0; file < 40; file++) {
    ee_known_keys known;
    ee_known_keys_init(&known);
    for (int i = 0; i < 500; i++) {
      ee_arena_reset(&arena, 1 << 20), ee_arena_reset(&sources, 1 << 20);
      ee_buffer_clear(&document), ee_buffer_clear(&text);
      add_value(&random, &document, 0);
      ee_buffer_add_text(&text, "{\"id\":1,\"truth\":");
      ee_buffer_add_str(&text, (ee_str){document.data, document.length});
      for (int k = 0; k < 2; k++) {
        ee_buffer_add_text(&text, k == 0 ? ",\"answer\":" : ",\"other\":");
        add_changed(&random, &text, (ee_str){document.data, document.length});
      }
      ee_buffer_add_char(&text, '}');
      if (test_random_below(&random, 20) == 0) text.length = test_random_below(&random, text.length);
      char *exact = malloc(text.length + 1); /* of its very size, for sanitizers */
      assert_non_null(exact);
      memcpy(exact, text.data, text.length);
      ee_arena *kept = i % 2 == 0 ? &sources : NULL;
      read_all((ee_str){exact, text.length}, NULL, kept, &without);
      read_all((ee_str){exact, text.length}, &known, kept, &with);
      free(exact);
      assert_string_equal(with.data, without.data);
      broken += strstr(with.data, ";1:") != NULL;
    }
    ee_known_keys_fini(&known);
  }
  assert_true(shared > 5000 && texts_kept > 5000 && broken > 500);
  ee_arena_fini(&sources);
  ee_buffer_fini(&document), ee_buffer_fini(&text), ee_buffer_fini(&with), ee_buffer_fini(&without);
}

/* Elements that are missing or new before others do not keep these from being shared; none is shared twice. */
static void test_elements(void **state) {
  (void)state;
  static const struct {
    const char *truth, *answer;
    size_t shared;
  } cases[] = {
      {"[{\"a\":1},{\"a\":2},{\"a\":3}]", "[{\"a\":1},{\"a\":2},{\"a\":3}]", 1},
      {"[{\"a\":1},{\"a\":2},{\"a\":3}]", "[{\"a\":2},{\"a\":3}]", 2},
      {"[{\"a\":1},{\"a\":2},{\"a\":3}]", "[{\"a\":9},{\"a\":1},{\"a\":2},{\"a\":3}]", 3},
      {"[{\"a\":1},{\"a\":2},{\"a\":3}]", "[{\"a\":9},{\"a\":8},{\"a\":3}]", 1},
      {"[{\"a\":1},{\"a\":2}]", "[{\"a\":1},{\"a\":1},{\"a\":2}]", 2},
      {"[{\"a\":1},{\"a\":1}]", "[{\"a\":1},{\"a\":1},{\"a\":1}]", 2},
      {"{\"a\":{\"b\":1},\"b\":[1],\"c\":{}}", "{\"b\":[1],\"a\":{\"b\":1}}", 1},
      {"{\"a\":{\"b\":1,\"b\":1},\"b\":[1]}", "{\"a\":{\"b\":1,\"b\":1},\"b\":[1]}", 1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ee_known_keys known;
    ee_known_keys_init(&known);
    ee_json_options options = {.known = &known, .shares = true};
    const ee_value *value = NULL;
    const char *text = ee_arena_printf(&arena, "{\"truth\":%s,\"answer\":%s}", cases[i].truth, cases[i].answer);
    for (int again = 0; again < 2; again++) { /* keys are known from the first time on */
      value = ee_json_read(&arena, ee_str_from(text), &options, NULL);
      assert_non_null(value);
    }
    size_t found = 0;
    const ee_value *truth = ee_value_child(value), *answer = ee_value_next(truth);
    if (ee_value_shares(truth, answer)) {
      found = 1;
    } else {
      for (const ee_value *y = ee_value_child(answer); y != NULL; y = ee_value_next(y))
        for (const ee_value *x = ee_value_child(truth); x != NULL; x = ee_value_next(x))
          found += ee_type_of(x) == ee_type_of(y) && ee_value_child(x) != NULL && ee_value_shares(x, y);
    }
    if (found != cases[i].shared) print_error("%s\n", text);
    assert_int_equal(found, cases[i].shared);
    ee_known_keys_fini(&known);
  }
}

/* Comparing in vain is bounded: a document of many levels that differs at its end. */
static void test_deep(void **state) {
  (void)state;
  ee_known_keys known;
  ee_known_keys_init(&known);
  ee_buffer text = {0}, with = {0}, without = {0};
  for (int part = 0; part < 2; part++) {
    ee_buffer_addf(&text, "%s\"part %d\":", part == 0 ? "{" : ",", part);
    for (int i = 0; i < 500; i++) ee_buffer_add_char(&text, '[');
    for (int i = 0; i < 20000; i++) ee_buffer_addf(&text, "%d,", i % 10);
    ee_buffer_addf(&text, "%d", part);
    for (int i = 0; i < 500; i++) ee_buffer_add_char(&text, ']');
  }
  ee_buffer_add_char(&text, '}');
  read_all((ee_str){text.data, text.length}, NULL, NULL, &without);
  read_all((ee_str){text.data, text.length}, &known, NULL, &with);
  assert_string_equal(with.data, without.data);
  ee_known_keys_fini(&known);
  ee_buffer_fini(&text), ee_buffer_fini(&with), ee_buffer_fini(&without);
}

/* Elements of an array that is the whole document are no members; without known keys nothing is shared; no text at all
 * is a mistake. */
static void test_options(void **state) {
  (void)state;
  ee_known_keys known;
  ee_known_keys_init(&known);
  ee_error error;
  const ee_str text = EE_STR("[{\"lines\":[1,2]},{\"lines\":[1,2]}]"), members = EE_STR("{\"a\":[1,2],\"b\":[1,2]}");
  ee_json_options options = {.known = &known, .shares = true};
  const ee_value *array = ee_json_read(&arena, text, &options, &error);
  assert_non_null(array);
  assert_false(ee_value_shares(ee_value_child(array), ee_value_next(ee_value_child(array))));
  assert_int_equal(ee_value_compare(ee_value_child(array), ee_value_next(ee_value_child(array)), &arena), 0);
  const ee_value *object = ee_json_read(&arena, members, &options, &error);
  assert_true(ee_value_shares(ee_value_child(object), ee_value_next(ee_value_child(object))));
  assert_int_equal(ee_value_compare(ee_value_child(object), ee_value_next(ee_value_child(object)), &arena), 0);
  options.known = NULL;
  object = ee_json_read(&arena, members, &options, &error);
  assert_false(ee_value_shares(ee_value_child(object), ee_value_next(ee_value_child(object))));
  options.known = &known;
  assert_null(ee_json_read(&arena, (ee_str){NULL, 0}, &options, &error));
  ee_known_keys_fini(&known);
}

EE_TEST_FILE(make_arena, free_arena, cmocka_unit_test(test_random_documents), cmocka_unit_test(test_elements),
             cmocka_unit_test(test_deep), cmocka_unit_test(test_options));
