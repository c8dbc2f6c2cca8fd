/* test_ngram.c: n-grams counted against plain lists of them; Dice, chrF and BLEU by their formulas. */
#include "prim/ngram.h"

#include <math.h>

#include "prim/random_text.h"
#include "support/arena.h"

static void assert_close(double got, double expected) {
  if (!(fabs(got - expected) <= 1e-12)) fail_msg("got %.17g, expected %.17g", got, expected);
}

/* Slow and obvious twins ----------------------------------------------------------------------- */

static size_t n_grams(size_t count, size_t n) { return count >= n ? count - n + 1 : 0; }

/* How many n-grams of `a` find a free one of `b`. */
static size_t plain_common(const uint32_t *a, size_t na, const uint32_t *b, size_t nb, size_t n) {
  static bool used[TEST_TEXT_MAX];
  size_t common = 0;
  memset(used, 0, sizeof used);
  for (size_t i = 0; i < n_grams(na, n); i++)
    for (size_t k = 0; k < n_grams(nb, n); k++) {
      if (used[k] || memcmp(a + i, b + k, n * sizeof *a) != 0) continue;
      used[k] = true;
      common++;
      break;
    }
  return common;
}

static size_t without_white(const uint32_t *text, size_t count, uint32_t *out) {
  size_t kept = 0;
  for (size_t i = 0; i < count; i++)
    if (!test_is_white(text[i])) out[kept++] = text[i];
  return kept;
}

/* Words as numbers: the place of the first equal word of both texts. Punctuation at the end, else at the beginning, of
 * a word is a word. */
typedef struct plain_words {
  const uint32_t *at[2 * TEST_TEXT_MAX];
  size_t length[2 * TEST_TEXT_MAX];
  size_t count;
} plain_words;

static void add_word(plain_words *words, const uint32_t *at, size_t length) {
  words->at[words->count] = at;
  words->length[words->count++] = length;
}

static bool is_punctuation(uint32_t c) {
  return c < 0x80 && c != 0 && strchr("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", (int)c) != NULL;
}

static void add_words(plain_words *words, const uint32_t *text, size_t count, bool parted) {
  for (size_t i = 0; i < count;) {
    size_t end = i;
    while (end < count && !test_is_white(text[end])) end++;
    size_t length = end - i;
    if (length > 1 && parted && is_punctuation(text[end - 1])) {
      add_word(words, text + i, length - 1);
      add_word(words, text + end - 1, 1);
    } else if (length > 1 && parted && is_punctuation(text[i])) {
      add_word(words, text + i, 1);
      add_word(words, text + i + 1, length - 1);
    } else if (length > 0) {
      add_word(words, text + i, length);
    }
    i = end + 1;
  }
}

static size_t number_words(const uint32_t *a, size_t na, const uint32_t *b, size_t nb, bool parted, uint32_t *x,
                           uint32_t *y, size_t *y_count) {
  static plain_words words;
  words.count = 0;
  add_words(&words, a, na, parted);
  size_t x_count = words.count;
  add_words(&words, b, nb, parted);
  for (size_t i = 0; i < words.count; i++) {
    size_t first = 0;
    while (words.length[first] != words.length[i] ||
           memcmp(words.at[first], words.at[i], words.length[i] * sizeof *a) != 0)
      first++;
    if (i < x_count)
      x[i] = (uint32_t)first;
    else
      y[i - x_count] = (uint32_t)first;
  }
  *y_count = words.count - x_count;
  return x_count;
}

typedef struct sums {
  double precision, recall;
  size_t orders;
} sums;

static void add_orders(sums *total, const uint32_t *x, size_t nx, const uint32_t *y, size_t ny, size_t order) {
  for (size_t n = 1; n <= order; n++) {
    size_t expected = n_grams(nx, n), candidate = n_grams(ny, n);
    if (expected == 0 || candidate == 0) continue;
    double common = (double)plain_common(x, nx, y, ny, n);
    total->precision += common / (double)candidate;
    total->recall += common / (double)expected;
    total->orders++;
  }
}

static double plain_chrf(const uint32_t *a, size_t na, const uint32_t *b, size_t nb, size_t order, size_t word_order,
                         double beta) {
  static uint32_t x[2 * TEST_TEXT_MAX], y[2 * TEST_TEXT_MAX];
  sums total = {0};
  size_t ny = without_white(b, nb, y), nx = without_white(a, na, x);
  add_orders(&total, x, nx, y, ny, order);
  nx = number_words(a, na, b, nb, true, x, y, &ny);
  add_orders(&total, x, nx, y, ny, word_order);
  if (total.orders == 0) return 0;
  double p = total.precision / (double)total.orders, r = total.recall / (double)total.orders;
  return p + r == 0 ? 0 : (1 + beta * beta) * p * r / (beta * beta * p + r);
}

/* With the smoothing of mteval-v13a; `is_sentence` as in ee_bleu_parts_of(). */
static double plain_bleu(const uint32_t *x, size_t nx, const uint32_t *y, size_t ny, size_t order, bool is_sentence) {
  double product = 1, smooth = 1;
  size_t used = order;
  bool any = false, ended = false;
  for (size_t n = 1; n <= order; n++) any = any || plain_common(x, nx, y, ny, n) > 0;
  if (!any) return 0;
  for (size_t n = 1; n <= order && !ended; n++) {
    size_t total = n_grams(ny, n), common = plain_common(x, nx, y, ny, n);
    if (total == 0) {
      ended = true;
      if (is_sentence)
        used = n - 1;
      else
        product = 0;
      continue;
    }
    if (common == 0) smooth *= 2;
    product *= common == 0 ? 1 / (smooth * (double)total) : (double)common / (double)total;
  }
  double penalty = ny < nx ? exp(1 - (double)nx / (double)ny) : 1;
  return penalty * pow(product, 1 / (double)used);
}

/* Tests ---------------------------------------------------------------------------------------- */

static void random_texts(test_random *random, test_text_pair *pair, test_alphabet alphabet, size_t longest) {
  pair->na = test_random_points(random, alphabet, test_random_below(random, longest), pair->pa);
  if (test_random_below(random, 3) == 0) {
    pair->nb = test_random_points(random, alphabet, test_random_below(random, longest), pair->pb);
  } else {
    memcpy(pair->pb, pair->pa, pair->na * sizeof *pair->pa);
    pair->nb = test_edit_points(random, alphabet, test_random_below(random, 8), pair->pb, pair->na);
  }
  pair->a = test_text_of(pair->pa, pair->na);
  pair->b = test_text_of(pair->pb, pair->nb);
}

static test_text_pair pair;

static void counts_as_plain_lists_do(void **state) {
  (void)state;
  test_random random = test_random_start("ngram: counts", 231);
  for (int round = 0; round < 3000; round++) {
    random_texts(&random, &pair, (test_alphabet)test_random_below(&random, TEST_ALPHABETS), 60);
    size_t order = 1 + test_random_below(&random, EE_NGRAM_LIMIT);
    ee_ngram_count counts[EE_NGRAM_LIMIT];
    ee_arena_mark mark = ee_arena_get_mark(&arena);
    ee_ngram_counts((ee_symbols){pair.pa, pair.na}, (ee_symbols){pair.pb, pair.nb}, order, counts, &arena);
    assert_ptr_equal(mark.at, ee_arena_get_mark(&arena).at);
    for (size_t n = 1; n <= order; n++) {
      assert_int_equal(counts[n - 1].expected, n_grams(pair.na, n));
      assert_int_equal(counts[n - 1].candidate, n_grams(pair.nb, n));
      assert_int_equal(counts[n - 1].common, plain_common(pair.pa, pair.na, pair.pb, pair.nb, n));
    }
    test_free_pair(&pair);
  }
}

static void dice_agrees(void **state) {
  (void)state;
  test_random random = test_random_start("ngram: dice", 232);
  for (int round = 0; round < 3000; round++) {
    random_texts(&random, &pair, (test_alphabet)test_random_below(&random, TEST_ALPHABETS), 20);
    size_t n = 1 + test_random_below(&random, 5), parts, whole;
    size_t x = n_grams(pair.na, n), y = n_grams(pair.nb, n);
    size_t common = plain_common(pair.pa, pair.na, pair.pb, pair.nb, n);
    /* A text without n-grams is one. */
    if (x == 0 || y == 0)
      common = pair.na > 0 && pair.na == pair.nb && memcmp(pair.pa, pair.pb, pair.na * sizeof *pair.pa) == 0;
    if (x == 0 && pair.na > 0) x = 1;
    if (y == 0 && pair.nb > 0) y = 1;
    ee_dice_parts(pair.a, pair.b, n, &arena, &parts, &whole);
    assert_int_equal(parts, 2 * common);
    assert_int_equal(whole, x + y);
    test_free_pair(&pair);
  }
}

static void chrf_agrees(void **state) {
  (void)state;
  test_random random = test_random_start("ngram: chrf", 233);
  static const test_alphabet alphabets[] = {TEST_WORDS, TEST_ASCII, TEST_SPACES, TEST_MIXED, TEST_GREEK, TEST_CJK};
  for (int round = 0; round < 4000; round++) {
    random_texts(&random, &pair, alphabets[test_random_below(&random, 6)], 40);
    ee_chrf chrf = {.order = 1 + test_random_below(&random, 8),
                    .word_order = test_random_below(&random, 4),
                    .beta = (double)test_random_below(&random, 5) / 2};
    ee_chrf_count(&chrf, pair.a, pair.b, &arena);
    /* An order that the expected text does not have counts on neither side, also in the sums of many texts. */
    for (size_t i = 0; i < chrf.order + chrf.word_order; i++)
      if (chrf.counts[i].expected == 0) assert_true(chrf.counts[i].candidate == 0 && chrf.counts[i].common == 0);
    double score = ee_chrf_score(&chrf);
    assert_close(score, plain_chrf(pair.pa, pair.na, pair.pb, pair.nb, chrf.order, chrf.word_order, chrf.beta));
    assert_true(score >= 0 && score <= 1);
    ee_chrf_count(&chrf, pair.a, pair.a, &arena);
    if (!ee_str_is_blank(pair.a)) assert_true(ee_chrf_score(&chrf) == 1);
    test_free_pair(&pair);
  }
}

static void bleu_agrees(void **state) {
  (void)state;
  test_random random = test_random_start("ngram: bleu", 234);
  static uint32_t x[2 * TEST_TEXT_MAX], y[2 * TEST_TEXT_MAX];
  size_t above = 0;
  for (int round = 0; round < 4000; round++) {
    random_texts(&random, &pair, TEST_WORDS, 60);
    ee_bleu bleu = {.order = 1 + test_random_below(&random, 6)};
    ee_bleu_count(&bleu, pair.a, pair.b, EE_WHITESPACE_TOKENS, &arena);
    size_t ny, nx = number_words(pair.pa, pair.na, pair.pb, pair.nb, false, x, y, &ny);
    assert_int_equal(bleu.expected, nx);
    assert_int_equal(bleu.candidate, ny);
    for (int is_sentence = 0; is_sentence < 2; is_sentence++) {
      double score = ee_bleu_score(&bleu, is_sentence);
      assert_close(score, plain_bleu(x, nx, y, ny, bleu.order, is_sentence));
      assert_true(score >= 0 && score <= 1);
      above += score > 0;
    }
    ee_bleu_count(&bleu, pair.a, pair.a, EE_WHITESPACE_TOKENS, &arena);
    if (nx > 0) assert_true(ee_bleu_score(&bleu, true) == 1);
    test_free_pair(&pair);
  }
  assert_true(above > 2000);
}

/* Counts of several pairs, added up, are those of a data set: that of sacrebleu's README, which gives 45.07 for its
 * first references. */
static void adds_up(void **state) {
  (void)state;
  static const char *const expected[] = {"The dog bit the man.", "It was not unexpected.", "The man bit him first."};
  static const char *const candidate[] = {"The dog bit the man.", "It wasn't surprising.",
                                          "The man had just bitten him."};
  ee_bleu total = {.order = 4};
  for (size_t i = 0; i < 3; i++) {
    ee_bleu bleu = {.order = 4};
    ee_bleu_count(&bleu, ee_str_from(expected[i]), ee_str_from(candidate[i]), (ee_tokenizer){EE_TOKEN_13A, 0}, &arena);
    total.expected += bleu.expected;
    total.candidate += bleu.candidate;
    for (size_t n = 0; n < 4; n++) {
      total.counts[n].common += bleu.counts[n].common;
      total.counts[n].candidate += bleu.counts[n].candidate;
    }
  }
  assert_close(ee_bleu_score(&total, false), pow((double)(12 * 6 * 4 * 3) / (17 * 14 * 11 * 8), 0.25));
  /* A data set of one short text has no 4-grams: corpus BLEU is 0, that of the sentence is not. */
  ee_bleu one = {.order = 4};
  ee_bleu_count(&one, EE_STR("a test"), EE_STR("a test"), EE_WHITESPACE_TOKENS, &arena);
  assert_true(ee_bleu_score(&one, true) == 1 && ee_bleu_score(&one, false) == 0);
}

EE_TEST_FILE(make_arena, free_arena, cmocka_unit_test(counts_as_plain_lists_do), cmocka_unit_test(dice_agrees),
             cmocka_unit_test(chrf_agrees), cmocka_unit_test(bleu_agrees), cmocka_unit_test(adds_up));
