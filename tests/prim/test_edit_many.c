/* test_edit_many.c: prepared texts and batches of them against a full table over code points. */
#include "prim/edit_many.h"

#include "prim/edit.h"
#include "prim/random_text.h"
#include "support/arena.h"

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/* The slow and obvious twin. */
static size_t table_distance(const uint32_t *a, size_t na, const uint32_t *b, size_t nb) {
  static size_t table[TEST_TEXT_MAX + 1][TEST_TEXT_MAX + 1];
  for (size_t i = 0; i <= na; i++)
    for (size_t j = 0; j <= nb; j++)
      table[i][j] = i == 0 || j == 0 ? i + j
                                     : least(table[i - 1][j - 1] + (a[i - 1] != b[j - 1]),
                                             least(table[i - 1][j], table[i][j - 1]) + 1);
  return table[na][nb];
}

enum { TEXTS = EE_EDIT_BATCH };

typedef struct sample {
  uint32_t points[TEXTS + 1][TEST_TEXT_MAX];
  size_t lengths[TEXTS + 1];
  ee_str texts[TEXTS + 1];
  ee_edit_text prepared[TEXTS + 1];
  const ee_edit_text *list[TEXTS];
} sample;

/* `count` texts and one more, the last; some are edited copies. */
static void make_sample(test_random *random, sample *s, size_t count) {
  test_alphabet alphabet = (test_alphabet)test_random_below(random, TEST_ALPHABETS);
  static const size_t ends[] = {33, 33, 65, 65, 140}; /* one more than what fits into a lane, or far more */
  size_t end = ends[test_random_below(random, sizeof ends / sizeof *ends)];
  for (size_t i = count + 1; i-- > 0;) {
    test_alphabet own =
        test_random_below(random, 12) == 0 ? (test_alphabet)test_random_below(random, TEST_ALPHABETS) : alphabet;
    if (i < count && test_random_below(random, 2) == 0) {
      memcpy(s->points[i], s->points[count], s->lengths[count] * sizeof **s->points);
      s->lengths[i] = test_edit_points(random, own, test_random_below(random, 9), s->points[i], s->lengths[count]);
      if (end < 140) s->lengths[i] = least(s->lengths[i], end - 1);
    } else {
      s->lengths[i] = test_random_points(random, own, test_random_below(random, end), s->points[i]);
    }
    s->texts[i] = test_text_of(s->points[i], s->lengths[i]);
    ee_edit_text_init(&s->prepared[i], s->texts[i], &arena);
    assert_int_equal(s->prepared[i].length, s->lengths[i]);
    if (i < count) s->list[i] = &s->prepared[i];
  }
}

static void agrees_with_the_table(void **state) {
  (void)state;
  test_random random = test_random_start("edit_many: batches", 111);
  static sample s;
  size_t in_lanes[2] = {0, 0}; /* batches in lanes of 32 and of 64 bits */
  for (int round = 0; round < 600; round++) {
    size_t count = round == 0 ? 0 : 1 + test_random_below(&random, TEXTS);
    make_sample(&random, &s, count);
    ee_edit_batch batch;
    ee_edit_batch_init(&batch, s.list, count, &arena);
    if (batch.masks != NULL) in_lanes[batch.word_size == 8]++;
    size_t expected[TEXTS], limits[TEXTS], got[TEXTS], portable[TEXTS];
    for (size_t i = 0; i < count; i++) {
      expected[i] = table_distance(s.points[i], s.lengths[i], s.points[count], s.lengths[count]);
      limits[i] = test_random_below(&random, 3) == 0 ? test_random_below(&random, 70)
                                                     : expected[i] + test_random_below(&random, 4) / 2;
    }
    const ee_edit_text *text = &s.prepared[count];
    ee_edit_batch_distances(&batch, text, NULL, got, &arena);
    ee_edit_batch_distances_portable(&batch, text, NULL, portable, &arena);
    for (size_t i = 0; i < count; i++) {
      assert_int_equal(got[i], expected[i]);
      assert_int_equal(portable[i], expected[i]);
      assert_int_equal(ee_edit_distance(text, s.list[i], EE_NO_LIMIT, &arena), expected[i]);
    }
    for (int k = 0; k < 2; k++) { /* most within their limits, then few */
      ee_edit_batch_distances(&batch, text, limits, got, &arena);
      ee_edit_batch_distances_portable(&batch, text, limits, portable, &arena);
      for (size_t i = 0; i < count; i++) {
        size_t within = least(expected[i], limits[i] + 1);
        assert_int_equal(got[i], within);
        assert_int_equal(portable[i], within);
        assert_int_equal(ee_edit_distance(s.list[i], text, limits[i], &arena), within);
        limits[i] = expected[i] > 0 ? expected[i] - 1 - test_random_below(&random, expected[i]) / 4 : 0;
      }
    }
    for (size_t i = 0; i <= count; i++) test_text_free(s.texts[i]);
    ee_arena_reset(&arena, SIZE_MAX);
  }
  /* All ways were taken: both widths, of about 100 batches each, and one by one. */
  assert_true(in_lanes[0] >= 40 && in_lanes[1] >= 40 && in_lanes[0] + in_lanes[1] <= 540);
}

static size_t above(size_t value, size_t highest) { return value > highest ? value - highest : 0; }

/* How far the last text is from all others at least: by length, and by how often letters with the same last six bits
 * occur, compared with the least and the most of the others. */
static size_t bound_of(const sample *s, size_t count) {
  size_t more = 0, fewer = 0, shortest = SIZE_MAX, longest = 0;
  for (size_t i = 0; i < count; i++) {
    shortest = least(shortest, s->lengths[i]);
    if (s->lengths[i] > longest) longest = s->lengths[i];
  }
  size_t apart = above(s->lengths[count], longest) + above(shortest, s->lengths[count]);
  for (uint32_t letter = 0; letter < 64; letter++) {
    size_t counts[TEXTS + 1] = {0}, lowest = SIZE_MAX, highest = 0;
    for (size_t i = 0; i <= count; i++)
      for (size_t k = 0; k < s->lengths[i]; k++) counts[i] += s->points[i][k] % 64 == letter;
    for (size_t i = 0; i < count; i++) {
      lowest = least(lowest, counts[i]);
      if (counts[i] > highest) highest = counts[i];
    }
    more += above(counts[count], highest);
    fewer += above(lowest, counts[count]);
  }
  if (fewer > more) more = fewer;
  return apart > more ? apart : more;
}

static void bounds_hold_for_all_texts(void **state) {
  (void)state;
  test_random random = test_random_start("edit_many: bounds", 112);
  static sample s;
  size_t beyond = 0;
  for (int round = 0; round < 2000; round++) {
    size_t count = 1 + test_random_below(&random, round % 2 == 0 ? 3 : TEXTS);
    make_sample(&random, &s, count);
    ee_edit_bounds bounds;
    ee_edit_bounds_init(&bounds, s.list, count);
    size_t bound = bound_of(&s, count);
    assert_false(ee_edit_is_beyond(&bounds, &s.prepared[count], bound));
    if (bound > 0) {
      beyond++;
      assert_true(ee_edit_is_beyond(&bounds, &s.prepared[count], bound - 1));
      assert_true(ee_edit_is_beyond(&bounds, &s.prepared[count], test_random_below(&random, bound)));
    }
    for (size_t i = 0; i < count; i++)
      assert_true(ee_edit_distance(&s.prepared[count], s.list[i], EE_NO_LIMIT, &arena) >= bound);
    for (size_t i = 0; i <= count; i++) test_text_free(s.texts[i]);
    ee_arena_reset(&arena, SIZE_MAX);
  }
  assert_true(beyond > 300);
}

/* Counts stop at 255, which must not make different texts look closer or farther than they are. */
static void counts_of_long_texts_are_bounds(void **state) {
  (void)state;
  char a[700], b[700];
  memset(a, 'x', sizeof a);
  memset(b, 'x', sizeof b);
  memset(b, 'y', 300);
  ee_edit_text x, y;
  ee_edit_text_init(&x, (ee_str){a, sizeof a}, &arena);
  ee_edit_text_init(&y, (ee_str){b, sizeof b}, &arena);
  assert_int_equal(ee_edit_distance(&x, &y, 300, &arena), 300);
  assert_int_equal(ee_edit_distance(&x, &y, 299, &arena), 300);
  assert_int_equal(ee_edit_distance(&x, &y, 100, &arena), 101);
}

/* A text of another script than those of the batch, or of several: letters of one byte each cannot be compared. */
static void other_scripts(void **state) {
  (void)state;
  static const char *const texts[] = {"\u0430\u0431\u0432", "\u0430\u0431", "\u0432\u0430\u0431\u0433", "", "abc"};
  static const struct {
    const char *text;
    size_t distances[5];
  } rows[] = {{"\u03b1\u03b2\u03b3", {3, 3, 4, 3, 3}},
              {"\u0430\u03b2\u0432", {1, 2, 3, 3, 3}},
              {"\u6771\u0431", {2, 1, 3, 2, 3}},
              {"abc", {3, 3, 4, 3, 0}},
              {"\u0431\u0432", {1, 2, 3, 2, 3}}};
  ee_edit_text prepared[5];
  const ee_edit_text *list[5];
  for (size_t i = 0; i < 5; i++) {
    ee_edit_text_init(&prepared[i], ee_str_from(texts[i]), &arena);
    list[i] = &prepared[i];
  }
  ee_edit_batch batch;
  ee_edit_batch_init(&batch, list, 5, &arena);
  assert_non_null(batch.masks);
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    ee_edit_text text;
    ee_edit_text_init(&text, ee_str_from(rows[k].text), &arena);
    for (int portable = 0; portable < 2; portable++) {
      size_t got[5];
      if (portable)
        ee_edit_batch_distances_portable(&batch, &text, NULL, got, &arena);
      else
        ee_edit_batch_distances(&batch, &text, NULL, got, &arena);
      for (size_t i = 0; i < 5; i++) assert_int_equal(got[i], rows[k].distances[i]);
    }
  }
}

EE_TEST_FILE(make_arena, free_arena, cmocka_unit_test(agrees_with_the_table),
             cmocka_unit_test(bounds_hold_for_all_texts), cmocka_unit_test(counts_of_long_texts_are_bounds),
             cmocka_unit_test(other_scripts));
