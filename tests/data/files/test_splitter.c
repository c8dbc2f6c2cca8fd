/* test_splitter.c: an array's elements are split alike at once, where they are passed 16 bytes at a time, and in pieces
 * of a few bytes, where they are scanned byte by byte. */
#include "data/files/splitter.h"

#include <stdio.h>
#include <string.h>

#include "support/random.h"

/* Splits `text`, which arrives in pieces of up to `most` bytes; a line for each record and error, in their order. */
static void split(test_random *random, ee_str text, size_t most, ee_buffer *out) {
  ee_splitter splitter;
  ee_block block;
  ee_buffer rest = {0};
  ee_splitter_start(&splitter, 1 << 20, false);
  for (size_t at = 0, taken; at <= text.length; at += taken + (taken == 0)) {
    size_t left = text.length - at;
    taken = left < most ? left : 1 + test_random_below(random, most);
    ee_block_init(&block);
    ee_buffer_add(&block.text, rest.data, rest.length);
    ee_buffer_clear(&rest);
    ee_buffer_add(&block.text, text.data + at, taken);
    ee_splitter_run(&splitter, &block, taken == left);
    for (size_t i = 0, k = 0; i < block.count || k < block.errors.count;) {
      const ee_record_span *span = &block.records[i];
      const ee_error *error = &block.errors.items[k];
      if (k == block.errors.count || (i < block.count && span->byte < error->offset)) {
        ee_buffer_addf(out, "%zu:%zu %zu %.*s\n", (size_t)span->line, (size_t)span->column, (size_t)span->byte,
                       (int)span->length, block.text.data + span->offset);
        i++;
      } else {
        ee_buffer_addf(out, "%zu:%zu %zu %s\n", error->line, error->column, error->offset, error->message);
        k++;
      }
    }
    ee_splitter_cut(&splitter, &block, &rest);
    ee_block_fini(&block);
    if (taken == left) break;
  }
  ee_buffer_fini(&rest);
}

static void add_spaces(test_random *random, ee_buffer *out) {
  static const char *const spaces[] = {"", "", "", " ", "\n", "\n  ", "\r\n"};
  ee_buffer_add_text(out, spaces[test_random_below(random, sizeof spaces / sizeof *spaces)]);
}

static void add_value(test_random *random, ee_buffer *out, size_t depth) {
  static const char *const scalars[] = {
      "1",           "-2.5e3",   "true",     "null",           "\"\"",    "\"some text that is long\"",
      "\"[}{]\\n\"", "\"\\\"\"", "\"\\\\\"", "\"\xc3\xa9|~\"", "\"} ]\"", "123456789012345678901234567890"};
  size_t kind = test_random_below(random, depth > 4 ? 1 : 3);
  if (kind == 0) {
    ee_buffer_add_text(out, scalars[test_random_below(random, sizeof scalars / sizeof *scalars)]);
    return;
  }
  ee_buffer_add_char(out, kind == 1 ? '{' : '[');
  for (size_t i = 0, count = test_random_below(random, 4); i < count; i++) {
    if (i > 0) ee_buffer_add_char(out, ',');
    add_spaces(random, out);
    if (kind == 1) ee_buffer_addf(out, "\"key %zu\":", i);
    add_value(random, out, depth + 1);
  }
  add_spaces(random, out);
  ee_buffer_add_char(out, kind == 1 ? '}' : ']');
}

static void test_pieces(void **state) {
  (void)state;
  test_random random = test_random_start("splitter", 31);
  static const char bytes[] = "[]{},:\"\\ \n|1x\x01\x80";
  ee_buffer text = {0}, whole = {0}, pieces = {0};
  for (int round = 0; round < 20000; round++) {
    ee_buffer_clear(&text);
    ee_buffer_clear(&whole);
    ee_buffer_clear(&pieces);
    ee_buffer_add_char(&text, '[');
    for (size_t i = 0, count = test_random_below(&random, 12); i < count; i++) {
      if (i > 0) ee_buffer_add_char(&text, ',');
      add_spaces(&random, &text);
      add_value(&random, &text, 0);
    }
    if (test_random_below(&random, 100) == 0)
      for (int i = 0; i < 70; i++) ee_buffer_add_text(&text, i < 35 ? "[" : "{\"k\":");
    ee_buffer_add_text(&text, "]\n");
    for (size_t changes = test_random_below(&random, 4); changes > 0; changes--)
      text.data[1 + test_random_below(&random, text.length - 1)] = bytes[test_random_below(&random, sizeof bytes - 1)];
    ee_str all = {text.data, text.length};
    split(&random, all, all.length + 1, &whole);
    split(&random, all, 15, &pieces);
    if (whole.length != pieces.length || (whole.length > 0 && memcmp(whole.data, pieces.data, whole.length) != 0)) {
      fprintf(stderr, "%.*s\nat once:\n%.*s\nin pieces:\n%.*s\n", (int)text.length, text.data, (int)whole.length,
              whole.data, (int)pieces.length, pieces.data);
      fail();
    }
  }
  ee_buffer_fini(&text);
  ee_buffer_fini(&whole);
  ee_buffer_fini(&pieces);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(test_pieces)};
EE_TEST_ARRAY(NULL, NULL, tests);
