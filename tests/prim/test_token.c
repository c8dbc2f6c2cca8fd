/* test_token.c: texts as bags of words, against plain lists of words. */
#include "prim/token.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "prim/edit.h"
#include "prim/random_text.h"
#include "support/arena.h"

static void assert_close(double got, double expected, double tolerance) {
  if (!(fabs(got - expected) <= tolerance)) fail_msg("got %.17g, expected %.17g", got, expected);
}

/* Slow and obvious twins ----------------------------------------------------------------------- */

typedef struct words {
  ee_str word[TEST_TEXT_MAX];
  size_t count;
} words;

static void split(ee_str text, words *out) {
  static uint32_t points[TEST_TEXT_MAX];
  size_t count = test_points_of(text, points), at = 0, start = 0;
  int inside = 0;
  char unused[4];
  out->count = 0;
  for (size_t i = 0; i <= count; i++) {
    int white = i == count || test_is_white(points[i]);
    if (white && inside) out->word[out->count++] = (ee_str){text.data + start, at - start};
    if (!white && !inside) start = at;
    inside = !white;
    if (i < count) at += test_put_utf8(points[i], unused);
  }
}

static int bytewise(ee_str a, ee_str b) {
  for (size_t i = 0; i < a.length && i < b.length; i++)
    if (a.data[i] != b.data[i]) return (unsigned char)a.data[i] < (unsigned char)b.data[i] ? -1 : 1;
  return a.length < b.length ? -1 : a.length > b.length;
}

static void sort(words *list) {
  for (size_t i = 0; i < list->count; i++)
    for (size_t k = i; k > 0 && bytewise(list->word[k - 1], list->word[k]) > 0; k--) {
      ee_str kept = list->word[k];
      list->word[k] = list->word[k - 1];
      list->word[k - 1] = kept;
    }
}

static int has(const words *list, ee_str word) {
  for (size_t i = 0; i < list->count; i++)
    if (bytewise(list->word[i], word) == 0) return 1;
  return 0;
}

/* The words of `list`, each once, that `other` has too (or has not). */
static void pick(const words *list, const words *other, int shared, words *out) {
  out->count = 0;
  for (size_t i = 0; i < list->count; i++)
    if (has(other, list->word[i]) == shared && !has(out, list->word[i])) out->word[out->count++] = list->word[i];
}

typedef struct joined {
  uint32_t points[4 * TEST_TEXT_MAX];
  size_t count;
} joined;

static void join(const words *first, const words *second, joined *out) {
  static uint32_t points[TEST_TEXT_MAX];
  out->count = 0;
  for (int part = 0; part < 2; part++) {
    const words *list = part == 0 ? first : second;
    for (size_t i = 0; list != NULL && i < list->count; i++) {
      if (out->count != 0) out->points[out->count++] = ' ';
      size_t count = test_points_of(list->word[i], points);
      for (size_t k = 0; k < count; k++) out->points[out->count++] = points[k];
    }
  }
}

static double plain_ratio(const joined *a, const joined *b) {
  static size_t table[2 * TEST_TEXT_MAX + 1][2 * TEST_TEXT_MAX + 1];
  if (a->count + b->count == 0) return 1;
  for (size_t i = 0; i <= a->count; i++)
    for (size_t j = 0; j <= b->count; j++) {
      if (i == 0 || j == 0)
        table[i][j] = 0;
      else if (a->points[i - 1] == b->points[j - 1])
        table[i][j] = table[i - 1][j - 1] + 1;
      else
        table[i][j] = table[i - 1][j] > table[i][j - 1] ? table[i - 1][j] : table[i][j - 1];
    }
  return 2.0 * (double)table[a->count][b->count] / (double)(a->count + b->count);
}

static words wa, wb, shared, only_a, only_b;
static joined ja, jb, ji;

static double plain_token_sort(ee_str a, ee_str b) {
  split(a, &wa);
  split(b, &wb);
  sort(&wa);
  sort(&wb);
  join(&wa, NULL, &ja);
  join(&wb, NULL, &jb);
  return plain_ratio(&ja, &jb);
}

static double plain_token_set(ee_str a, ee_str b) {
  split(a, &wa);
  split(b, &wb);
  if (wa.count == 0 && wb.count == 0) return 1;
  if (wa.count == 0 || wb.count == 0) return 0;
  sort(&wa);
  sort(&wb);
  pick(&wa, &wb, 1, &shared);
  pick(&wa, &wb, 0, &only_a);
  pick(&wb, &wa, 0, &only_b);
  if (shared.count != 0 && (only_a.count == 0 || only_b.count == 0)) return 1;
  join(&shared, NULL, &ji);
  join(&shared, &only_a, &ja);
  join(&shared, &only_b, &jb);
  return fmax(plain_ratio(&ja, &jb), fmax(plain_ratio(&ji, &ja), plain_ratio(&ji, &jb)));
}

static size_t plain_common(ee_str a, ee_str b) {
  split(a, &wa);
  split(b, &wb);
  size_t common = 0, left = wb.count;
  for (size_t i = 0; i < wa.count; i++)
    for (size_t j = 0; j < left; j++)
      if (bytewise(wa.word[i], wb.word[j]) == 0) {
        wb.word[j] = wb.word[--left]; /* each word of b serves once */
        common++;
        break;
      }
  return common;
}

/* Tests ---------------------------------------------------------------------------------------- */

static void splits_at_unicode_white_space(void **state) {
  (void)state;
  ee_str *tokens;
  assert_int_equal(ee_tokens(EE_STR(""), EE_WHITESPACE_TOKENS, &arena, &tokens), 0);
  assert_int_equal(ee_tokens(EE_STR(" \t\r\n\v\f"), EE_WHITESPACE_TOKENS, &arena, &tokens), 0);
  assert_int_equal(ee_tokens(EE_STR("\u00a0\u3000\u2003\xc2\x85"), EE_WHITESPACE_TOKENS, &arena, &tokens), 0);
  assert_int_equal(ee_tokens(EE_STR("one"), EE_WHITESPACE_TOKENS, &arena, &tokens), 1);
  assert_true(ee_str_is(tokens[0], "one"));
  assert_int_equal(ee_tokens(EE_STR("  to be\u00a0or\u3000not\n"), EE_WHITESPACE_TOKENS, &arena, &tokens), 4);
  assert_true(ee_str_is(tokens[0], "to"));
  assert_true(ee_str_is(tokens[1], "be"));
  assert_true(ee_str_is(tokens[2], "or"));
  assert_true(ee_str_is(tokens[3], "not"));
  /* Zero width space, word joiner, BOM and the Mongolian vowel separator are not White_Space; nor is NUL. */
  assert_int_equal(ee_tokens(EE_STR("a\u200bb\u2060c\ufeffd\u180ee"), EE_WHITESPACE_TOKENS, &arena, &tokens), 1);
  assert_int_equal(ee_tokens(EE_STR("a\0b c"), EE_WHITESPACE_TOKENS, &arena, &tokens), 2);
  assert_int_equal(tokens[0].length, 3);
  /* The last byte of U+0820 and U+4E20 is that of a Latin-1 no-break space or a blank: bytes must not be mistaken. */
  assert_int_equal(ee_tokens(EE_STR("\u0820\u4e20\u00e0\u00c5\u0405"), EE_WHITESPACE_TOKENS, &arena, &tokens), 1);
}

static void splits_like_the_plain_loop(void **state) {
  (void)state;
  test_random random = test_random_start("token: split", 201);
  static uint32_t points[TEST_TEXT_MAX];
  for (int round = 0; round < 4000; round++) {
    test_alphabet alphabet = (test_alphabet)test_random_below(&random, TEST_ALPHABETS);
    if (round % 2 == 0) alphabet = TEST_SPACES;
    ee_str text = test_text_of(points, test_random_points(&random, alphabet, test_length(&random), points));
    ee_arena_mark mark = ee_arena_get_mark(&arena);
    ee_str *tokens;
    size_t count = ee_tokens(text, EE_WHITESPACE_TOKENS, &arena, &tokens);
    split(text, &wa);
    assert_int_equal(count, wa.count);
    for (size_t i = 0; i < count; i++) {
      assert_ptr_equal(tokens[i].data, wa.word[i].data);
      assert_int_equal(tokens[i].length, wa.word[i].length);
    }
    ee_arena_rewind(&arena, mark);
    test_text_free(text);
  }
}

static void knows_similarities(void **state) {
  (void)state;
  static const struct {
    const char *a, *b;
    double sort, set, f1;
  } facts[] = {
      {"", "", 1, 1, 1},
      {" \t", "\u00a0", 1, 1, 1},
      {"", "word", 0, 0, 0},
      {"word", "  ", 0, 0, 0},
      {"same words", "words   same", 1, 1, 1},
      {"fuzzy wuzzy was a bear", "wuzzy fuzzy was a bear", 1, 1, 1},
      {"fuzzy was a bear", "fuzzy fuzzy was a bear", 32 / 38.0, 1, 8 / 9.0},
      {"new york mets vs atlanta braves", "atlanta braves vs new york mets", 1, 1, 1},
      {"mariners vs angels", "los angeles angels of anaheim at seattle mariners", -1, 30 / 33.0, 4 / 11.0},
      {"the cat sat", "the cat", -1, 1, 4 / 5.0},
      {"a a a b", "a b b", -1, 1, 4 / 7.0},
      {"abc", "abd", 2 / 3.0, 2 / 3.0, 0},
      {"Abc", "abc", 2 / 3.0, 2 / 3.0, 0}, /* case counts: normalisation is the caller's */
  };
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
    for (int turn = 0; turn < 2; turn++) {
      ee_str a = ee_str_from(turn == 0 ? facts[i].a : facts[i].b), b = ee_str_from(turn == 0 ? facts[i].b : facts[i].a);
      if (facts[i].sort >= 0) assert_close(ee_token_sort(a, b, EE_WHITESPACE_TOKENS, &arena), facts[i].sort, 1e-15);
      assert_close(ee_token_set(a, b, EE_WHITESPACE_TOKENS, &arena), facts[i].set, 1e-15);
      assert_close(ee_token_f1(a, b, EE_WHITESPACE_TOKENS, &arena), facts[i].f1, 1e-15);
    }
  const ee_str nothing = {NULL, 0}; /* an empty slice need not point anywhere */
  assert_true(ee_token_sort(nothing, EE_STR(" "), EE_WHITESPACE_TOKENS, &arena) == 1 &&
              ee_token_sort(nothing, EE_STR("a"), EE_WHITESPACE_TOKENS, &arena) == 0);
  assert_true(ee_token_set(nothing, nothing, EE_WHITESPACE_TOKENS, &arena) == 1 &&
              ee_token_set(EE_STR("a"), nothing, EE_WHITESPACE_TOKENS, &arena) == 0);
  assert_true(ee_token_f1(nothing, nothing, EE_WHITESPACE_TOKENS, &arena) == 1 &&
              ee_token_f1(nothing, EE_STR("a"), EE_WHITESPACE_TOKENS, &arena) == 0);
  size_t parts, whole;
  ee_token_f1_parts(EE_STR("a a a b"), EE_STR("a b b"), EE_WHITESPACE_TOKENS, &arena, &parts, &whole);
  assert_int_equal(parts, 4);
  assert_int_equal(whole, 7);
  ee_token_f1_parts(EE_STR(""), EE_STR(" "), EE_WHITESPACE_TOKENS, &arena, &parts, &whole);
  assert_int_equal(parts, 0);
  assert_int_equal(whole, 0);
}

static void agrees_with_plain_lists(void **state) {
  (void)state;
  test_random random = test_random_start("token: lists", 202);
  static uint32_t pa[TEST_TEXT_MAX], pb[TEST_TEXT_MAX];
  for (int round = 0; round < 3000; round++) {
    static const test_alphabet alphabets[] = {TEST_WORDS, TEST_WORDS, TEST_SPACES, TEST_ASCII, TEST_MIXED};
    test_alphabet alphabet = alphabets[test_random_below(&random, 5)];
    size_t longest = test_random_below(&random, 4) == 0 ? 200 : 40;
    size_t na = test_random_points(&random, alphabet, test_random_below(&random, longest), pa);
    size_t nb = test_random_points(&random, alphabet, test_random_below(&random, longest), pb);
    if (round % 3 == 0) {
      memcpy(pb, pa, na * sizeof *pa);
      nb = test_edit_points(&random, alphabet, test_random_below(&random, 8), pb, na);
    }
    ee_str a = test_text_of(pa, na), b = test_text_of(pb, nb);
    ee_arena_mark mark = ee_arena_get_mark(&arena);
    double sorted = ee_token_sort(a, b, EE_WHITESPACE_TOKENS, &arena),
           set = ee_token_set(a, b, EE_WHITESPACE_TOKENS, &arena), f1 = ee_token_f1(a, b, EE_WHITESPACE_TOKENS, &arena);
    assert_close(sorted, plain_token_sort(a, b), 1e-15);
    assert_close(set, plain_token_set(a, b), 1e-15);
    size_t common = plain_common(a, b), parts, whole;
    split(b, &wb);
    size_t total = wa.count + wb.count;
    assert_close(f1, total != 0 ? 2.0 * (double)common / (double)total : 1, 1e-15);
    ee_token_f1_parts(a, b, EE_WHITESPACE_TOKENS, &arena, &parts, &whole);
    assert_int_equal(parts, 2 * common);
    assert_int_equal(whole, total);
    assert_true(ee_token_sort(b, a, EE_WHITESPACE_TOKENS, &arena) == sorted);
    assert_true(ee_token_set(b, a, EE_WHITESPACE_TOKENS, &arena) == set);
    assert_true(ee_token_f1(b, a, EE_WHITESPACE_TOKENS, &arena) == f1);
    assert_true(ee_token_sort(a, a, EE_WHITESPACE_TOKENS, &arena) == 1);
    assert_true(ee_token_set(a, a, EE_WHITESPACE_TOKENS, &arena) == 1);
    assert_true(ee_token_f1(a, a, EE_WHITESPACE_TOKENS, &arena) == 1);
    assert_true(sorted >= 0 && sorted <= 1 && set >= 0 && set <= 1 && f1 >= 0 && f1 <= 1);
    assert_ptr_equal(mark.at, ee_arena_get_mark(&arena).at); /* scratch is given back */
    test_text_free(a);
    test_text_free(b);
  }
}

/* The order of the words changes nothing. */
static void ignores_the_order_of_words(void **state) {
  (void)state;
  test_random random = test_random_start("token: order", 203);
  static const char *const vocabulary[] = {"alpha", "beta",          "gamma",        "be",         "b",
                                           "alph",  "\u00e9t\u00e9", "\u6771\u4eac", "\U0001F600", "x1"};
  for (int round = 0; round < 2000; round++) {
    char a[256] = "", b[256] = "";
    const char *picked[12];
    size_t count = 1 + test_random_below(&random, 12);
    for (size_t i = 0; i < count; i++) picked[i] = vocabulary[test_random_below(&random, 10)];
    for (size_t i = 0; i < count; i++) {
      strcat(a, picked[i]);
      strcat(a, " ");
    }
    for (size_t i = count; i > 0; i--) {
      size_t k = test_random_below(&random, i);
      strcat(b, "\t");
      strcat(b, picked[k]);
      picked[k] = picked[i - 1];
    }
    assert_true(ee_token_sort(ee_str_from(a), ee_str_from(b), EE_WHITESPACE_TOKENS, &arena) == 1);
    assert_true(ee_token_set(ee_str_from(a), ee_str_from(b), EE_WHITESPACE_TOKENS, &arena) == 1);
    assert_true(ee_token_f1(ee_str_from(a), ee_str_from(b), EE_WHITESPACE_TOKENS, &arena) == 1);
  }
}

static void handles_many_words(void **state) {
  (void)state;
  enum { WORDS = 3000 };
  char *a = malloc(WORDS * 8), *b = malloc(WORDS * 8);
  size_t la = 0, lb = 0;
  for (int i = 0; i < WORDS; i++) {
    la += (size_t)snprintf(a + la, 8, "w%d ", i % 1000);
    lb += (size_t)snprintf(b + lb, 8, "w%d ", (WORDS - i) % 2000);
  }
  size_t parts, whole;
  ee_token_f1_parts((ee_str){a, la}, (ee_str){b, lb}, EE_WHITESPACE_TOKENS, &arena, &parts, &whole);
  assert_int_equal(whole, 2 * WORDS);
  /* a has w0..w999 three times each; b has 3000..1 modulo 2000: w1..w999 twice, w1000 twice, w1001..w1999 once, w0
   * once. */
  assert_int_equal(parts, 2 * (999 * 2 + 1));
  free(a);
  free(b);
}

static void texts_without_words_are_alike(void **state) {
  (void)state;
  assert_true(ee_token_set(EE_STR(""), EE_STR(" "), EE_WHITESPACE_TOKENS, &arena) == 1);
  assert_true(ee_token_sort(EE_STR(""), EE_STR(" "), EE_WHITESPACE_TOKENS, &arena) == 1);
}

/* Similarities of sequences of words: tables over the words themselves. */
static size_t word_table[TEST_TEXT_MAX + 1][TEST_TEXT_MAX + 1];

static size_t plain_word_lcs(const words *a, const words *b) {
  for (size_t i = 0; i <= a->count; i++)
    for (size_t j = 0; j <= b->count; j++) {
      if (i == 0 || j == 0) {
        word_table[i][j] = 0;
        continue;
      }
      size_t longer = word_table[i - 1][j] > word_table[i][j - 1] ? word_table[i - 1][j] : word_table[i][j - 1];
      bool same = bytewise(a->word[i - 1], b->word[j - 1]) == 0;
      word_table[i][j] = same ? word_table[i - 1][j - 1] + 1 : longer;
    }
  return word_table[a->count][b->count];
}

static size_t plain_word_edits(const words *a, const words *b) {
  for (size_t i = 0; i <= a->count; i++)
    for (size_t j = 0; j <= b->count; j++) {
      if (i == 0 || j == 0) {
        word_table[i][j] = i + j;
        continue;
      }
      size_t changed = word_table[i - 1][j - 1] + (bytewise(a->word[i - 1], b->word[j - 1]) != 0);
      size_t shorter = word_table[i - 1][j] < word_table[i][j - 1] ? word_table[i - 1][j] : word_table[i][j - 1];
      word_table[i][j] = changed < shorter + 1 ? changed : shorter + 1;
    }
  return word_table[a->count][b->count];
}

static void sequences_agree_with_tables(void **state) {
  (void)state;
  test_random random = test_random_start("token: sequences", 204);
  static uint32_t pa[TEST_TEXT_MAX], pb[TEST_TEXT_MAX];
  for (int round = 0; round < 3000; round++) {
    size_t longest = test_random_below(&random, 6) == 0 ? 400 : 60;
    size_t na = test_random_points(&random, TEST_WORDS, test_random_below(&random, longest), pa);
    size_t nb = test_random_points(&random, TEST_WORDS, test_random_below(&random, longest), pb);
    if (round % 3 == 0) {
      memcpy(pb, pa, na * sizeof *pa);
      nb = test_edit_points(&random, TEST_WORDS, test_random_below(&random, 12), pb, na);
    }
    ee_str a = test_text_of(pa, na), b = test_text_of(pb, nb);
    size_t parts, whole, edits, count;
    split(a, &wa);
    split(b, &wb);
    ee_rouge_l_parts(a, b, EE_WHITESPACE_TOKENS, &arena, &parts, &whole);
    assert_int_equal(parts, 2 * plain_word_lcs(&wa, &wb));
    assert_int_equal(whole, wa.count + wb.count);
    ee_wer_parts(a, b, EE_WHITESPACE_TOKENS, &arena, &edits, &count);
    assert_int_equal(edits, plain_word_edits(&wa, &wb));
    assert_int_equal(count, wa.count);
    test_text_free(a);
    test_text_free(b);
  }
}

static void knows_error_rates(void **state) {
  (void)state;
  size_t edits, count;
  ee_cer_parts(EE_STR(" This is a test\n"), EE_STR("This test"), &arena, &edits, &count);
  assert_true(edits == 5 && count == 14);
  ee_cer_parts(EE_STR("X Y X"), EE_STR("X Z"), &arena, &edits, &count);
  assert_true(edits == 3 && count == 5);
  ee_cer_parts(EE_STR("\u03b1\u03b2"), EE_STR("  "), &arena, &edits, &count);
  assert_true(edits == 2 && count == 2);
  ee_wer_parts(EE_STR(""), EE_STR("a b"), EE_WHITESPACE_TOKENS, &arena, &edits, &count);
  assert_true(edits == 2 && count == 0);
  ee_wer_parts(EE_STR("The cat"), EE_STR("cat."), (ee_tokenizer){EE_TOKEN_SQUAD, 0}, &arena, &edits, &count);
  assert_true(edits == 0 && count == 1);
}

static double of_words(ee_str text) {
  split(text, &wa);
  return (double)wa.count;
}

static void partial_forms_agree(void **state) {
  (void)state;
  test_random random = test_random_start("token: partial", 205);
  static uint32_t pa[TEST_TEXT_MAX], pb[TEST_TEXT_MAX];
  for (int round = 0; round < 3000; round++) {
    size_t na = test_random_points(&random, TEST_WORDS, test_random_below(&random, 40), pa);
    size_t nb = test_random_points(&random, TEST_WORDS, test_random_below(&random, 40), pb);
    ee_str a = test_text_of(pa, na), b = test_text_of(pb, nb);
    double sorted = ee_partial_token_sort(a, b, EE_WHITESPACE_TOKENS, &arena);
    ee_str x = ee_token_sorted(a, EE_WHITESPACE_TOKENS, &arena), y = ee_token_sorted(b, EE_WHITESPACE_TOKENS, &arena);
    assert_true(sorted == ee_partial_ratio(x, y, &arena));
    double set = ee_partial_token_set(a, b, EE_WHITESPACE_TOKENS, &arena);
    assert_true(set == ee_partial_token_set(b, a, EE_WHITESPACE_TOKENS, &arena));
    if (of_words(a) == 0 || of_words(b) == 0) {
      assert_true(set == (of_words(a) == of_words(b)));
    } else {
      split(a, &wa);
      split(b, &wb);
      sort(&wa);
      sort(&wb);
      pick(&wa, &wb, 1, &shared);
      pick(&wa, &wb, 0, &only_a);
      pick(&wb, &wa, 0, &only_b);
      join(&only_a, NULL, &ja);
      join(&only_b, NULL, &jb);
      ee_str rest_a = test_text_of(ja.points, ja.count), rest_b = test_text_of(jb.points, jb.count);
      assert_true(set == (shared.count > 0 ? 1 : ee_partial_ratio(rest_a, rest_b, &arena)));
      test_text_free(rest_a);
      test_text_free(rest_b);
    }
    test_text_free(a);
    test_text_free(b);
  }
}

EE_TEST_FILE(make_arena, free_arena, cmocka_unit_test(splits_at_unicode_white_space),
             cmocka_unit_test(splits_like_the_plain_loop), cmocka_unit_test(knows_similarities),
             cmocka_unit_test(agrees_with_plain_lists), cmocka_unit_test(ignores_the_order_of_words),
             cmocka_unit_test(handles_many_words), cmocka_unit_test(sequences_agree_with_tables),
             cmocka_unit_test(knows_error_rates), cmocka_unit_test(partial_forms_agree),
             cmocka_unit_test(texts_without_words_are_alike));
