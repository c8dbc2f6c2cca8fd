/* test_text_measure.c: similarities by name against the functions that compute them, and matrices against single calls.
 */
#include "prim/text_measure.h"

#include "prim/damerau.h"
#include "prim/edit.h"
#include "prim/random_text.h"
#include "prim/token.h"
#include "support/arena.h"

static double share(size_t parts, size_t whole) { return whole == 0 ? 1 : (double)parts / (double)whole; }

static size_t longer(ee_str a, ee_str b) {
  size_t x = ee_utf8_count(a.data, a.length), y = ee_utf8_count(b.data, b.length);
  return x > y ? x : y;
}

static double error_free(size_t edits, size_t expected) {
  if (expected == 0) return edits == 0 ? 1 : 0;
  return edits < expected ? (double)(expected - edits) / (double)expected : 0;
}

/* Straight from the headers. */
static double plain(const ee_text_measure *m, ee_str a, ee_str b) {
  size_t parts, whole;
  switch (m->algorithm) {
  case EE_LEVENSHTEIN: return ee_levenshtein_similarity(a, b, &arena);
  case EE_JARO_WINKLER: return ee_jaro_winkler(a, b, &arena);
  case EE_TOKEN_SORT: return ee_token_sort(a, b, m->tokenizer, &arena);
  case EE_TOKEN_SET: return ee_token_set(a, b, m->tokenizer, &arena);
  case EE_TOKEN_F1: return ee_token_f1(a, b, m->tokenizer, &arena);
  case EE_RATIO: return ee_ratio(a, b, &arena);
  case EE_PARTIAL_RATIO: return ee_partial_ratio(a, b, &arena);
  case EE_PARTIAL_TOKEN_SORT: return ee_partial_token_sort(a, b, m->tokenizer, &arena);
  case EE_PARTIAL_TOKEN_SET: return ee_partial_token_set(a, b, m->tokenizer, &arena);
  case EE_DAMERAU: return share(longer(a, b) - ee_damerau(a, b, &arena), longer(a, b));
  case EE_OSA: return share(longer(a, b) - ee_osa(a, b, &arena), longer(a, b));
  case EE_HAMMING: return share(longer(a, b) - ee_hamming(a, b), longer(a, b));
  case EE_LCS: return share(ee_lcs_length(a, b, &arena), longer(a, b));
  case EE_DICE: ee_dice_parts(a, b, m->n, &arena, &parts, &whole); return share(parts, whole);
  case EE_CHRF: {
    ee_chrf chrf = {.order = m->n, .word_order = m->word_order, .beta = m->beta};
    ee_chrf_count(&chrf, a, b, &arena);
    return ee_str_is_blank(a) && ee_str_is_blank(b) ? 1 : ee_chrf_score(&chrf);
  }
  case EE_BLEU: {
    ee_bleu bleu = {.order = m->n};
    ee_bleu_count(&bleu, a, b, m->tokenizer, &arena);
    return bleu.expected == 0 && bleu.candidate == 0 ? 1 : ee_bleu_score(&bleu, true);
  }
  case EE_ROUGE_L: ee_rouge_l_parts(a, b, m->tokenizer, &arena, &parts, &whole); return share(parts, whole);
  case EE_WER: ee_wer_parts(a, b, m->tokenizer, &arena, &parts, &whole); return error_free(parts, whole);
  case EE_CER: ee_cer_parts(a, b, &arena, &parts, &whole); return error_free(parts, whole);
  }
  return -1;
}

enum { TEXTS = 80 };
static ee_str texts[TEXTS];

static void make_texts(test_random *random, size_t count) {
  static uint32_t points[TEST_TEXT_MAX];
  for (size_t i = 0; i < count; i++) {
    test_alphabet alphabet =
        test_random_below(random, 2) == 0 ? TEST_WORDS : (test_alphabet)test_random_below(random, TEST_ALPHABETS);
    size_t longest = test_random_below(random, 10) == 0 ? 150 : 25;
    texts[i] = test_text_of(points, test_random_points(random, alphabet, test_random_below(random, longest), points));
  }
}

static ee_text_measure random_measure(test_random *random, ee_text_algorithm algorithm) {
  ee_text_measure measure = ee_text_measure_of(algorithm);
  if (test_random_below(random, 3) == 0) return measure;
  measure.tokenizer.kind = (ee_token_kind)test_random_below(random, EE_TOKEN_INTL + 1);
  if (algorithm == EE_BLEU && measure.tokenizer.kind == EE_TOKEN_NGRAMS) measure.tokenizer.kind = EE_TOKEN_13A;
  measure.n = measure.tokenizer.n = 1 + test_random_below(random, 7);
  measure.word_order = test_random_below(random, 3);
  measure.beta = (double)test_random_below(random, 7) / 2;
  return measure;
}

static void agrees_with_the_functions(void **state) {
  (void)state;
  test_random random = test_random_start("text_measure: functions", 251);
  for (int round = 0; round < 250; round++) {
    make_texts(&random, 8);
    for (int algorithm = EE_LEVENSHTEIN; algorithm <= EE_CER; algorithm++) {
      ee_text_measure measure = random_measure(&random, (ee_text_algorithm)algorithm);
      for (size_t i = 0; i < 8; i++)
        for (size_t k = 0; k < 8; k++) {
          ee_arena_mark mark = ee_arena_get_mark(&arena);
          ee_text_score score = ee_text_measure_score(&measure, texts[i], texts[k], &arena);
          assert_ptr_equal(mark.at, ee_arena_get_mark(&arena).at);
          assert_true(score.value == plain(&measure, texts[i], texts[k]));
          assert_true(score.value >= 0 && score.value <= 1);
          if (i == k) assert_true(score.value == 1);
          if (score.is_ratio) assert_true(score.value == share(score.parts, score.whole));
        }
    }
    for (size_t i = 0; i < 8; i++) test_text_free(texts[i]);
  }
}

static void matrix_agrees_with_single_calls(void **state) {
  (void)state;
  test_random random = test_random_start("text_measure: matrix", 252);
  static double matrix[TEXTS * TEXTS];
  for (int round = 0; round < 60; round++) {
    make_texts(&random, TEXTS);
    ee_text_algorithm algorithm =
        round % 2 == 0 ? EE_LEVENSHTEIN : (ee_text_algorithm)test_random_below(&random, EE_CER + 1);
    ee_text_measure measure = random_measure(&random, algorithm);
    size_t rows = test_random_below(&random, TEXTS), columns = test_random_below(&random, TEXTS);
    ee_arena_mark mark = ee_arena_get_mark(&arena);
    ee_text_measure_matrix(&measure, texts, rows, texts + TEXTS - columns, columns, matrix, &arena);
    assert_ptr_equal(mark.at, ee_arena_get_mark(&arena).at);
    for (size_t i = 0; i < rows; i++)
      for (size_t k = 0; k < columns; k++)
        assert_true(matrix[i * columns + k] == plain(&measure, texts[i], texts[TEXTS - columns + k]));
    for (size_t i = 0; i < TEXTS; i++) test_text_free(texts[i]);
  }
}

/* Bytes that are not UTF-8, too: whatever they are, a similarity is one. */
static void survives_broken_texts(void **state) {
  (void)state;
  test_random random = test_random_start("text measures of broken texts", 20261124);
  for (int round = 0; round < 3000; round++) {
    char bytes[2][12];
    ee_str sides[2];
    for (int side = 0; side < 2; side++) {
      size_t length = test_random_below(&random, sizeof bytes[side]);
      for (size_t i = 0; i < length; i++)
        bytes[side][i] = "ab \x80\xbf\xc3\xa4\xe4\xff\xf0"[test_random_below(&random, 10)];
      sides[side] = (ee_str){bytes[side], length};
    }
    for (int algorithm = EE_LEVENSHTEIN; algorithm <= EE_CER; algorithm++) {
      ee_text_measure measure = random_measure(&random, (ee_text_algorithm)algorithm);
      ee_text_score score = ee_text_measure_score(&measure, sides[0], sides[1], &arena);
      if (!(score.value >= 0 && score.value <= 1)) fail_msg("%d: %g", algorithm, score.value);
    }
    ee_arena_reset(&arena, 0);
  }
}

static void has_defaults_and_options(void **state) {
  (void)state;
  ee_text_measure bleu = ee_text_measure_of(EE_BLEU), chrf = ee_text_measure_of(EE_CHRF);
  assert_true(bleu.tokenizer.kind == EE_TOKEN_13A && bleu.n == 4);
  assert_true(chrf.n == 6 && chrf.word_order == 0 && chrf.beta == 2);
  assert_true(ee_text_measure_of(EE_ROUGE_L).tokenizer.kind == EE_TOKEN_ROUGE);
  assert_true(ee_text_measure_of(EE_WER).tokenizer.kind == EE_TOKEN_WHITESPACE);
  assert_true(ee_text_measure_of(EE_DICE).n == 2);
  assert_int_equal(ee_text_measure_options(EE_LEVENSHTEIN, EE_TOKEN_WHITESPACE), 0);
  assert_int_equal(ee_text_measure_options(EE_CER, EE_TOKEN_WHITESPACE), 0);
  assert_int_equal(ee_text_measure_options(EE_WER, EE_TOKEN_WORDS), EE_MEASURE_TOKENIZER);
  assert_int_equal(ee_text_measure_options(EE_TOKEN_F1, EE_TOKEN_NGRAMS), EE_MEASURE_TOKENIZER | EE_MEASURE_N);
  assert_int_equal(ee_text_measure_options(EE_BLEU, EE_TOKEN_13A), EE_MEASURE_TOKENIZER | EE_MEASURE_N);
  assert_int_equal(ee_text_measure_options(EE_DICE, EE_TOKEN_WHITESPACE), EE_MEASURE_N);
  assert_int_equal(ee_text_measure_options(EE_CHRF, EE_TOKEN_WHITESPACE),
                   EE_MEASURE_N | EE_MEASURE_WORD_ORDER | EE_MEASURE_BETA);
}

EE_TEST_FILE(make_arena, free_arena, cmocka_unit_test(agrees_with_the_functions),
             cmocka_unit_test(matrix_agrees_with_single_calls), cmocka_unit_test(survives_broken_texts),
             cmocka_unit_test(has_defaults_and_options));
