/* test_damerau.c: distances with swaps against their recurrences over all pairs of places, and against shortest ways
 * through all short texts. */
#include "prim/damerau.h"

#include "prim/random_text.h"
#include "support/arena.h"

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

/* Slow and obvious twins ----------------------------------------------------------------------- */

/* Lowrance and Wagner's definition: a swap of a[k] and a[i] for b[l] and b[j] costs 1, and what is between them is
 * deleted and inserted; all pairs of places are tried. */
static size_t plain_damerau(const uint32_t *a, size_t na, const uint32_t *b, size_t nb) {
  static size_t table[64][64];
  for (size_t i = 0; i <= na; i++)
    for (size_t j = 0; j <= nb; j++) {
      if (i == 0 || j == 0) {
        table[i][j] = i + j;
        continue;
      }
      size_t best = table[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
      best = smaller(best, smaller(table[i - 1][j], table[i][j - 1]) + 1);
      for (size_t k = 1; k < i; k++)
        for (size_t l = 1; l < j; l++)
          if (a[i - 1] == b[l - 1] && a[k - 1] == b[j - 1])
            best = smaller(best, table[k - 1][l - 1] + (i - k - 1) + 1 + (j - l - 1));
      table[i][j] = best;
    }
  return table[na][nb];
}

static size_t plain_osa(const uint32_t *a, size_t na, const uint32_t *b, size_t nb) {
  static size_t table[TEST_TEXT_MAX + 1][TEST_TEXT_MAX + 1];
  for (size_t i = 0; i <= na; i++)
    for (size_t j = 0; j <= nb; j++) {
      if (i == 0 || j == 0) {
        table[i][j] = i + j;
        continue;
      }
      size_t best = table[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
      best = smaller(best, smaller(table[i - 1][j], table[i][j - 1]) + 1);
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) best = smaller(best, table[i - 2][j - 2] + 1);
      table[i][j] = best;
    }
  return table[na][nb];
}

static size_t plain_hamming(const uint32_t *a, size_t na, const uint32_t *b, size_t nb) {
  size_t distance = na > nb ? na - nb : nb - na;
  for (size_t i = 0; i < na && i < nb; i++) distance += a[i] != b[i];
  return distance;
}

/* Texts of up to four letters of three, as numbers; the shortest way from one to another by single edits, in which
 * texts may get up to six letters on the way. */
enum { LETTERS = 3, LONGEST = 6, TEXTS = 1093 /* 1 + 3 + 9 + ... + 729 */, SHORT_TEXTS = 121 };

static size_t text_at(size_t number, char *text) {
  size_t length = 0, count = 1;
  while (number >= count) {
    number -= count;
    count *= LETTERS;
    length++;
  }
  for (size_t i = length; i-- > 0; number /= LETTERS) text[i] = (char)('a' + number % LETTERS);
  return length;
}

static size_t number_of(const char *text, size_t length) {
  size_t number = 0, first = 0, count = 1;
  for (size_t i = 0; i < length; i++) {
    number = number * LETTERS + (size_t)(text[i] - 'a');
    first += count;
    count *= LETTERS;
  }
  return first + number;
}

static size_t queue[TEXTS], queued;
static int steps[TEXTS];

static void reach(const char *text, size_t length, int count) {
  size_t number = number_of(text, length);
  if (steps[number] >= 0) return;
  steps[number] = count;
  queue[queued++] = number;
}

static void walk_from(size_t start) {
  for (size_t i = 0; i < TEXTS; i++) steps[i] = -1;
  queued = 0;
  steps[start] = 0;
  queue[queued++] = start;
  for (size_t at = 0; at < queued; at++) {
    char text[LONGEST + 1], other[LONGEST + 1];
    size_t length = text_at(queue[at], text);
    int next = steps[queue[at]] + 1;
    for (size_t i = 0; i < length; i++) { /* delete, substitute, swap */
      memcpy(other, text, i);
      memcpy(other + i, text + i + 1, length - i - 1);
      reach(other, length - 1, next);
      memcpy(other, text, length);
      for (int c = 0; c < LETTERS; c++) {
        other[i] = (char)('a' + c);
        reach(other, length, next);
      }
      if (i + 1 == length) continue;
      other[i] = text[i + 1];
      other[i + 1] = text[i];
      reach(other, length, next);
    }
    for (size_t i = 0; i <= length && length < LONGEST; i++) /* insert */
      for (int c = 0; c < LETTERS; c++) {
        memcpy(other, text, i);
        other[i] = (char)('a' + c);
        memcpy(other + i + 1, text + i, length - i);
        reach(other, length + 1, next);
      }
  }
}

/* Tests ---------------------------------------------------------------------------------------- */

static void knows_distances(void **state) {
  (void)state;
  static const struct {
    const char *a, *b;
    size_t damerau, osa, hamming;
  } facts[] = {
      {"", "", 0, 0, 0},
      {"", "abc", 3, 3, 3},
      {"ca", "abc", 2, 3, 3},
      {"test", "tset", 1, 1, 2},
      {"aluminum", "Catalan", 7, 7, 8},
      {"Niall", "Neil", 3, 3, 3},
      {"ATCG", "TAGC", 2, 2, 4},
      {"karolin", "kathrin", 3, 3, 3},
      {"a cat", "an abct", 3, 4, 5},
      {"\u00c1\u00c4", "ABCD", 4, 4, 4},
      {"\u03b1\u03b2", "\u03b2\u03b1", 1, 1, 2},
      {"\U0001F600a", "a\U0001F600", 1, 1, 2},
  };
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    ee_str a = ee_str_from(facts[i].a), b = ee_str_from(facts[i].b);
    for (int turn = 0; turn < 2; turn++) {
      assert_int_equal(ee_damerau(turn ? b : a, turn ? a : b, &arena), facts[i].damerau);
      assert_int_equal(ee_osa(turn ? b : a, turn ? a : b, &arena), facts[i].osa);
      assert_int_equal(ee_hamming(turn ? b : a, turn ? a : b), facts[i].hamming);
    }
  }
  const ee_str nothing = {NULL, 0};
  assert_int_equal(ee_damerau(nothing, EE_STR("ab"), &arena), 2);
  assert_int_equal(ee_osa(nothing, EE_STR("\u00e9"), &arena), 1);
  assert_int_equal(ee_hamming(nothing, nothing), 0);
}

/* Bytes that are not UTF-8 are a character each. */
static void counts_broken_bytes(void **state) {
  (void)state;
  assert_int_equal(ee_hamming(EE_STR("a\xff"
                                     "b"),
                              EE_STR("a\xff"
                                     "c")),
                   1);
  assert_int_equal(ee_hamming(EE_STR("\xff\xfe"), EE_STR("\xfe\xff\xff")), 3);
  assert_int_equal(ee_hamming(EE_STR("\xc3"), EE_STR("\xc3\xa4")), 1);
}

static void damerau_is_the_shortest_way(void **state) {
  (void)state;
  for (size_t i = 0; i < SHORT_TEXTS; i++) {
    char a[LONGEST], b[LONGEST];
    size_t na = text_at(i, a);
    walk_from(i);
    for (size_t k = 0; k < SHORT_TEXTS; k++) {
      size_t nb = text_at(k, b);
      assert_int_equal(ee_damerau((ee_str){a, na}, (ee_str){b, nb}, &arena), (size_t)steps[k]);
    }
  }
}

static void agrees_with_all_pairs_of_places(void **state) {
  (void)state;
  test_random random = test_random_start("damerau: places", 211);
  static uint32_t a[TEST_TEXT_MAX], b[TEST_TEXT_MAX];
  for (int round = 0; round < 3000; round++) {
    test_alphabet alphabet = (test_alphabet)test_random_below(&random, TEST_ALPHABETS);
    size_t na = test_random_points(&random, alphabet, test_random_below(&random, 24), a), nb;
    if (round % 2 == 0) {
      nb = test_random_points(&random, alphabet, test_random_below(&random, 24), b);
    } else {
      memcpy(b, a, na * sizeof *a);
      nb = test_edit_points(&random, alphabet, test_random_below(&random, 10), b, na);
    }
    ee_str ta = test_text_of(a, na), tb = test_text_of(b, nb);
    ee_arena_mark mark = ee_arena_get_mark(&arena);
    size_t damerau = plain_damerau(a, na, b, nb), osa = plain_osa(a, na, b, nb);
    assert_int_equal(ee_damerau(ta, tb, &arena), damerau);
    assert_int_equal(ee_damerau(tb, ta, &arena), damerau);
    assert_int_equal(ee_osa(ta, tb, &arena), osa);
    assert_int_equal(ee_osa(tb, ta, &arena), osa);
    assert_true(damerau <= osa);
    assert_int_equal(ee_hamming(ta, tb), plain_hamming(a, na, b, nb));
    assert_ptr_equal(mark.at, ee_arena_get_mark(&arena).at); /* scratch is given back */
    test_text_free(ta);
    test_text_free(tb);
  }
}

static void osa_agrees_at_all_lengths(void **state) {
  (void)state;
  test_random random = test_random_start("damerau: osa", 212);
  static test_text_pair pair;
  for (int round = 0; round < 1500; round++) {
    test_random_pair(&random, &pair);
    size_t osa = plain_osa(pair.pa, pair.na, pair.pb, pair.nb);
    assert_int_equal(ee_osa(pair.a, pair.b, &arena), osa);
    assert_int_equal(ee_osa(pair.b, pair.a, &arena), osa);
    assert_int_equal(ee_hamming(pair.a, pair.b), plain_hamming(pair.pa, pair.na, pair.pb, pair.nb));
    test_free_pair(&pair);
  }
}

static void damerau_is_a_metric(void **state) {
  (void)state;
  test_random random = test_random_start("damerau: metric", 213);
  static test_text_pair pair, other;
  for (int round = 0; round < 300; round++) {
    test_random_pair(&random, &pair);
    test_random_pair(&random, &other);
    size_t ab = ee_damerau(pair.a, pair.b, &arena), ac = ee_damerau(pair.a, other.a, &arena);
    size_t bc = ee_damerau(pair.b, other.a, &arena);
    assert_true(ab <= ac + bc && ac <= ab + bc && bc <= ab + ac);
    assert_int_equal(ee_damerau(pair.a, pair.a, &arena), 0);
    test_free_pair(&pair);
    test_free_pair(&other);
  }
}

EE_TEST_FILE(make_arena, free_arena, cmocka_unit_test(knows_distances), cmocka_unit_test(counts_broken_bytes),
             cmocka_unit_test(damerau_is_the_shortest_way), cmocka_unit_test(agrees_with_all_pairs_of_places),
             cmocka_unit_test(osa_agrees_at_all_lengths), cmocka_unit_test(damerau_is_a_metric));
