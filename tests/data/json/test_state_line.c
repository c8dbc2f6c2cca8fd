/* test_state_line.c: what is written is what is read, zeros cost nothing, and garbage is refused. */
#include "data/json/state_line.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/json/json_reader.h"
#include "support/arena.h"
#include "support/random.h"

static ee_buffer out;

static int tear_down(void **state) {
  ee_buffer_fini(&out);
  return free_arena(state);
}

static const ee_value *parse(const char *text) { return ee_json_read(&arena, ee_str_from(text), NULL, NULL); }

/* A total with a bit of everything --------------------------------------------------------------- */

typedef struct item {
  uint64_t count;
  ee_str name;
  double real;
} item;

typedef struct total {
  uint64_t counts[9];
  uint32_t small;
  size_t size;
  bool flag;
  double real;
  ee_fixed sum;
  ee_sample sample;
  ee_counts confusion;
  ee_str text, empty;
  size_t item_count;
  item items[12];
  struct {
    uint64_t counts[3];
    double real;
    ee_fixed sum;
    ee_str text;
    bool flag;
    size_t item_count;
    item items[12];
  } packed;
} total;

enum { SMALL_LIMIT = 70000 };

static void items_state(ee_state_line *line, size_t *count, item *items) {
  *count = ee_state_items(line, *count);
  if (*count > 12) {
    ee_state_fail(line);
    *count = 0;
  }
  for (size_t i = 0; i < *count; i++) {
    ee_state_begin(line);
    ee_state_count(line, &items[i].count);
    ee_state_text(line, &arena, &items[i].name);
    ee_state_real(line, &items[i].real);
    ee_state_end(line);
  }
  ee_state_end(line);
}

static void total_state(ee_state_line *line, total *of) {
  ee_state_counts(line, of->counts, 5);
  ee_state_begin(line);
  ee_state_small(line, &of->small, SMALL_LIMIT);
  ee_state_size(line, &of->size);
  ee_state_begin(line);
  ee_state_begin(line);
  ee_state_flag(line, &of->flag);
  ee_state_end(line);
  ee_state_real(line, &of->real);
  ee_state_end(line);
  ee_state_end(line);
  ee_state_counts(line, of->counts + 5, 4);
  ee_state_fixed(line, &of->sum);
  ee_state_sample(line, &of->sample);
  ee_state_confusion(line, &of->confusion);
  ee_state_text(line, &arena, &of->text);
  items_state(line, &of->item_count, of->items);
  ee_state_begin_packed(line);
  ee_state_counts(line, of->packed.counts, 3);
  ee_state_begin(line);
  ee_state_real(line, &of->packed.real);
  ee_state_fixed(line, &of->packed.sum);
  ee_state_end(line);
  ee_state_text(line, &arena, &of->packed.text);
  items_state(line, &of->packed.item_count, of->packed.items);
  ee_state_flag(line, &of->packed.flag);
  ee_state_end_packed(line);
  ee_state_text(line, &arena, &of->empty);
}

static const char *write_total(total *of) {
  ee_state_line line;
  ee_buffer_clear(&out);
  ee_state_write(&line, &out);
  total_state(&line, of);
  assert_true(ee_state_close(&line));
  return ee_buffer_terminate(&out);
}

static bool read_total(const ee_value *value, total *of) {
  ee_state_line line;
  *of = (total){0};
  ee_state_read(&line, value);
  total_state(&line, of);
  return ee_state_close(&line);
}

static uint64_t random_count(test_random *random) {
  uint64_t bits = test_random_bits(random);
  switch (test_random_below(random, 6)) {
  case 0: return bits % 10;
  case 1: return bits % 1000;
  case 2: return bits >> test_random_below(random, 64);
  case 3: return (UINT64_C(1) << 53) - 1 + bits % 3;
  default: return 0;
  }
}

static double random_real(test_random *random) {
  static const double special[] = {0, -0.0, 1, 0.5, -1, 1e300, DBL_MIN, 5e-324, DBL_MAX, 0.1, INFINITY};
  if (test_random_below(random, 2) == 0) return special[test_random_below(random, sizeof special / sizeof *special)];
  return test_random_unit(random) - 0.5;
}

static ee_fixed random_fixed(test_random *random) {
  unsigned __int128 bits = (unsigned __int128)test_random_bits(random) << 64 | test_random_bits(random);
  switch (test_random_below(random, 4)) {
  case 0: return ee_fixed_from((double)test_random_below(random, 1000));
  case 1: return (ee_fixed){(__int128)(bits << 1) >> 1 >> test_random_below(random, 127)};
  case 2: return ee_fixed_from(test_random_unit(random) - 0.5);
  default: return (ee_fixed){0};
  }
}

static ee_str random_text(test_random *random) {
  static const char *const texts[] = {"", "name", "\"q\"\\\n", "\xc3\xa9\xe2\x82\xac", "x\x01y", "-1"};
  size_t number = test_random_below(random, 8);
  return number < 6 ? ee_str_from(texts[number]) : number == 6 ? EE_STR("nul\0inside") : (ee_str){0};
}

static void random_items(test_random *random, size_t *count, item *items) {
  *count = test_random_below(random, 3) == 0 ? test_random_below(random, 13) : 0;
  for (size_t i = 0; i < *count; i++)
    items[i] = test_random_below(random, 3) == 0
                   ? (item){0}
                   : (item){random_count(random), random_text(random), random_real(random)};
}

static void random_total(test_random *random, total *of) {
  *of = (total){.small = (uint32_t)(random_count(random) % (SMALL_LIMIT + 1)),
                .size = (size_t)random_count(random),
                .flag = test_random_below(random, 2) == 0,
                .real = random_real(random),
                .sum = random_fixed(random),
                .sample = {random_count(random), random_fixed(random), random_fixed(random)},
                .confusion = {.tn = random_count(random), .unread_candidates = random_count(random)},
                .text = random_text(random),
                .empty = random_text(random)};
  for (size_t i = 0; i < 9; i++) of->counts[i] = random_count(random);
  random_items(random, &of->item_count, of->items);
  if (test_random_below(random, 3) == 0) return;
  for (size_t i = 0; i < 3; i++) of->packed.counts[i] = random_count(random);
  of->packed.real = random_real(random);
  of->packed.sum = random_fixed(random);
  of->packed.text = random_text(random);
  of->packed.flag = test_random_below(random, 2) == 0;
  random_items(random, &of->packed.item_count, of->packed.items);
}

static void check_text(ee_str a, ee_str b) {
  assert_int_equal(a.data == NULL, b.data == NULL);
  assert_int_equal(a.length, b.length);
  if (a.length > 0) assert_memory_equal(a.data, b.data, a.length);
}

static void check_real(double a, double b) { assert_memory_equal(&a, &b, sizeof a); }

static void check_items(const item *a, const item *b, size_t count) {
  for (size_t i = 0; i < count; i++) {
    assert_int_equal(a[i].count, b[i].count);
    check_text(a[i].name, b[i].name);
    check_real(a[i].real, b[i].real);
  }
}

static void check_equal(const total *a, const total *b) {
  assert_memory_equal(a->counts, b->counts, sizeof a->counts);
  assert_int_equal(a->small, b->small);
  assert_int_equal(a->size, b->size);
  assert_int_equal(a->flag, b->flag);
  check_real(a->real, b->real);
  assert_true(a->sum.units == b->sum.units);
  assert_int_equal(a->sample.count, b->sample.count);
  assert_true(a->sample.sum.units == b->sample.sum.units);
  assert_true(a->sample.sum_of_squares.units == b->sample.sum_of_squares.units);
  assert_memory_equal(&a->confusion, &b->confusion, sizeof a->confusion);
  check_text(a->text, b->text);
  check_text(a->empty, b->empty);
  assert_int_equal(a->item_count, b->item_count);
  check_items(a->items, b->items, a->item_count);
  assert_memory_equal(a->packed.counts, b->packed.counts, sizeof a->packed.counts);
  check_real(a->packed.real, b->packed.real);
  assert_true(a->packed.sum.units == b->packed.sum.units);
  check_text(a->packed.text, b->packed.text);
  assert_int_equal(a->packed.flag, b->packed.flag);
  assert_int_equal(a->packed.item_count, b->packed.item_count);
  check_items(a->packed.items, b->packed.items, a->packed.item_count);
}

/* Tests ------------------------------------------------------------------------------------------ */

static void test_random_totals(void **state) {
  (void)state;
  test_random random = test_random_start("test_state_line", 1);
  for (int round = 0; round < 5000; round++) {
    total written, read;
    random_total(&random, &written);
    write_total(&written);
    char *text = ee_arena_copy(&arena, out.data, out.length);
    const ee_value *value = parse(text);
    if (value == NULL || !read_total(value, &read)) fail_msg("%s", text);
    check_equal(&written, &read);
    assert_string_equal(write_total(&read), text);
    ee_arena_reset(&arena, 0);
  }
}

static void test_text(void **state) {
  (void)state;
  total of = {0};
  assert_string_equal(write_total(&of), "[]");
  of.counts[0] = 7;
  assert_string_equal(write_total(&of), "[7]");
  of.counts[4] = 1;
  assert_string_equal(write_total(&of), "[7,-3,1]");
  of.flag = true;
  assert_string_equal(write_total(&of), "[7,-3,1,[-2,[[1]]]]");
  of.counts[6] = UINT64_C(1) << 53;
  assert_string_equal(write_total(&of), "[7,-3,1,[-2,[[1]]],0,\"20000000000000\"]");
  of = (total){.sample = {3, ee_fixed_from(2.5), ee_fixed_from(-0.25)}};
  assert_string_equal(write_total(&of), "[-11,[3,\"2.8\",\"-.4\"]]");
  of = (total){.item_count = 3, .items = {{0}, {1, EE_STR("a"), 1}, {0}}};
  assert_string_equal(write_total(&of), "[-14,[3,0,[1,\"a\",\"3ff\"],0]]");
  of = (total){.packed = {.counts = {1, 0, 300}}};
  assert_string_equal(write_total(&of), "[-15,\"AQCsAgAAAAAAAA==\"]");
}

/* Each is a mistake somewhere, and the last calls give zeros. */
static void test_garbage(void **state) {
  (void)state;
  static const char *const garbage[] = {"{}",
                                        "null",
                                        "7",
                                        "\"x\"",
                                        "[true]",
                                        "[null]",
                                        "[1.5]",
                                        "[{}]",
                                        "[[1]]",
                                        "[\"g\"]",
                                        "[\"12345678901234567\"]",
                                        "[1e300]",
                                        "[-0.5]",
                                        "[-1e300]",
                                        "[9007199254740993]",
                                        "[-5,7]",
                                        "[-16,\"x\",1]",
                                        "[-99]",
                                        "[-1]x",
                                        "[0,0,0,0,0,[70001]]",
                                        "[0,0,0,0,0,[0,0,[[2]]]]",
                                        "[0,0,0,0,0,[0,0,[[1,1]]]]",
                                        "[-5,[-2,[0,\"3ff0000000000000f\"]]]",
                                        "[-10,\"2.\xc3\xa9\"]",
                                        "[-10,\"800000000000000000.1\"]",
                                        "[-10,\"1.1234567890123456\"]",
                                        "[-10,\"--1\"]",
                                        "[-10,2]",
                                        "[-13,5]",
                                        "[-14,[3,0,0]]",
                                        "[-14,[1,0,0]]",
                                        "[-14,[-1]]",
                                        "[-14,[13,0,0,0,0,0,0,0,0,0,0,0,0,0]]",
                                        "[-14,[4000000000]]",
                                        "[-14,[\"ffffffffffffffff\",0]]",
                                        "[-15,\"AQCsAgAAAAAAAA=\"]",
                                        "[-15,\"AQCsAgAAAAAA\"]",
                                        "[-15,\"AQCsAgAAAAAAAAA=\"]",
                                        "[-15,\"gAAAAAAAAAAAAA==\"]",
                                        "[-15,\"////////////////////////\"]",
                                        "[-15,7]"};
  for (size_t i = 0; i < sizeof garbage / sizeof *garbage; i++) {
    total read;
    if (read_total(parse(garbage[i]), &read)) fail_msg("%s", garbage[i]);
  }
}

/* Whatever stands in a text, nothing is read beyond its end, and no list is longer than it. */
static void test_flipped(void **state) {
  (void)state;
  test_random random = test_random_start("test_state_line flipped", 2);
  for (int round = 0; round < 20000; round++) {
    total written, read;
    random_total(&random, &written);
    write_total(&written);
    ee_str text = {out.data, out.length};
    char *copy = ee_arena_copy(&arena, text.data, text.length);
    for (size_t flips = 1 + test_random_below(&random, 3); flips > 0; flips--)
      copy[test_random_below(&random, text.length)] = "0123456789-[],\"ABf."[test_random_below(&random, 19)];
    const ee_value *value = ee_json_read(&arena, (ee_str){copy, text.length}, NULL, NULL);
    if (value != NULL) read_total(value, &read);
    ee_arena_reset(&arena, 0);
  }
}

/* Texts and numbers that no line has. */
static void test_bad_numbers(void **state) {
  (void)state;
  static const char *const fixed[] = {
      "[\"\"]", "[\"-\"]", "[\"-.\"]", "[\"x\"]", "[\"1.\"]", "[\"1.x\"]", "[\"ffffffffffffffffff\"]"};
  for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
    ee_state_line line;
    ee_fixed sum = {0};
    ee_state_read(&line, ee_json_read(&arena, ee_str_from(fixed[i]), NULL, NULL));
    ee_state_fixed(&line, &sum);
    if (ee_state_close(&line) && (i == 3 || i > 4)) fail_msg("%s is read", fixed[i]);
  }
  static const char *const counts[] = {"[-99999999999]", "[-9007199254740992]", "[-1.5]", "[[-1]]", "[0.5]"};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    ee_state_line line;
    uint64_t count = 0;
    ee_state_read(&line, ee_json_read(&arena, ee_str_from(counts[i]), NULL, NULL));
    ee_state_count(&line, &count);
    if (ee_state_close(&line)) fail_msg("%s is read", counts[i]);
  }
  /* In a list every value is written: -2 does not stand for two zeros. */
  static const char *const lists[] = {"[[2,0,7]]", "[[2,-2,7]]", "[[2,-1,7]]"};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    ee_state_line line;
    uint64_t values[2] = {9, 9};
    ee_state_read(&line, parse(lists[i]));
    size_t count = ee_state_items(&line, 0);
    for (size_t k = 0; k < 2; k++) ee_state_count(&line, &values[k]);
    ee_state_end(&line);
    assert_int_equal(ee_state_close(&line), i == 0);
    if (i == 0) assert_true(count == 2 && values[0] == 0 && values[1] == 7);
  }
  ee_state_line line;
  ee_exact_sum sum;
  ee_state_read(&line, ee_json_read(&arena, EE_STR("[[4294967296]]"), NULL, NULL));
  ee_state_exact_sum(&line, &sum);
  assert_false(ee_state_close(&line));
}

EE_TEST_FILE(make_arena, tear_down, cmocka_unit_test(test_random_totals), cmocka_unit_test(test_text),
             cmocka_unit_test(test_garbage), cmocka_unit_test(test_flipped), cmocka_unit_test(test_bad_numbers));
