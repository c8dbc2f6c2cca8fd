/* test_fuzzy.c: ee.fuzzy's algorithms: what each finds, its options and their mistakes, its formula. */
#include "judge/strategy/strategy_fixture.h"

#include "prim/text_measure.h"
#include "support/random.h"

static int open_fixture(void **state) {
  fixture *f = test_malloc(sizeof *f);
  fixture_open(f);
  *state = f;
  return 0;
}

static int close_fixture(void **state) {
  fixture_close(*state);
  test_free(*state);
  return 0;
}

static ee_rule_value text_value(const char *text) {
  return (ee_rule_value){.type = EE_RULE_TEXT, .text = ee_str_from(text)};
}

#define WITH(f, ...) compile(f, node(f, "fuzzy", ITEMS(T("p")), OPTIONS(__VA_ARGS__)))

/* The formula of comparing two JSON texts, or "". */
static const char *formula_of(fixture *f, const ee_strategy *strategy, const char *expected, const char *candidate) {
  ee_error error = {0};
  ee_explanation how = {0};
  ee_comparison result;
  const ee_value *x = ee_json_read(&f->case_arena, ee_str_from(expected), NULL, &error);
  const ee_value *y = ee_json_read(&f->case_arena, ee_str_from(candidate), NULL, &error);
  f->context.keeps_compared = true;
  ee_strategy_compare(strategy, &f->context, x, y, &(ee_script_place){0}, &result);
  ee_strategy_explain(strategy, &f->context, x, y, &result, &how);
  f->context.keeps_compared = false;
  return how.formula.length == 0 ? ""
                                 : ee_arena_printf(&f->case_arena, "%.*s", (int)how.formula.length, how.formula.data);
}

static void test_formulas(void **state) {
  fixture *f = *state;
  static const struct {
    const char *algorithm, *expected, *candidate, *formula;
  } rows[] = {
      {"levenshtein", "\"Acme Shipping\"", "\"Acme Shiping\"", "1 - 1/13 = 0.923077 >= 0.5"},
      {"damerau", "\"ca\"", "\"abc\"", "1 - 2/3 = 0.333333 < 0.5"},
      {"osa", "\"ca\"", "\"abc\"", "1 - 3/3 = 0 < 0.5"},
      {"osa", "\"martha\"", "\"marhta\"", "1 - 1/6 = 0.833333 >= 0.5"},
      {"hamming", "\"karolin\"", "\"kathrin\"", "1 - 3/7 = 0.571429 >= 0.5"},
      {"lcs", "\"abcd\"", "\"abxd\"", "3/4 = 0.75 >= 0.5"},
      {"ratio", "\"abcd\"", "\"bcde\"", "2 * 3/(4 + 4) = 0.75 >= 0.5"},
      {"partial_ratio", "\"certain\"", "\"a cetain string\"", "2 * 6/(7 + 7) = 0.857143 >= 0.5"},
      {"partial_token_sort", "\"c a\"", "\"a b c\"", "2 * 2/(3 + 2) = 0.8 >= 0.5"},
      {"partial_token_set", "\"abc\"", "\"abd x\"", "2 * 2/(3 + 2) = 0.8 >= 0.5"},
      {"partial_token_set", "\"abc x\"", "\"x y\"", "similarity = 1 >= 0.5"},
      {"token_sort", "\"b a\"", "\"a c\"", "2 * 2/(3 + 3) = 0.666667 >= 0.5"},
      {"token_f1", "\"red car\"", "\"red bike\"", "2 * 1/4 = 0.5 >= 0.5"},
      {"dice", "\"night\"", "\"nacht\"", "2 * 1/8 = 0.25 < 0.5"},
      {"rouge_l", "\"the cat sat\"", "\"The cat, ran\"", "2 * 2/6 = 0.666667 >= 0.5"},
      {"wer", "\"this is a test\"", "\"this test\"", "max(0, 1 - 2/4) = 0.5 >= 0.5"},
      {"wer", "\"x\"", "\"x x y y\"", "max(0, 1 - 3/1) = 0 < 0.5"},
      {"cer", "\"this is a test\"", "\"this test\"", "max(0, 1 - 5/14) = 0.642857 >= 0.5"},
      {"chrf", "\"ab\"", "\"aa\"", "(1 + 4) * 0.25 * 0.25/(4 * 0.25 + 0.25) = 0.25 < 0.5"},
      {"chrf", "\"a\"", "\"b\"", "similarity = 0 < 0.5"},
      {"bleu", "\"this is a test\"", "\"this is a fest\"", "(3/4 * 2/3 * 1/2 * 1/(2 * 1))^(1/4) = 0.594604 >= 0.5"},
      {"bleu", "\"a test\"", "\"test\"", "exp(1 - 2/1) * (1/1)^(1/1) = 0.367879 < 0.5"},
      {"bleu", "\"a\"", "\"b\"", "similarity = 0 < 0.5"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const ee_strategy *strategy = WITH(f, O("algorithm", text_value(rows[i].algorithm)), O("threshold", N(0.5)));
    assert_non_null(strategy);
    const char *got = formula_of(f, strategy, rows[i].expected, rows[i].candidate);
    if (strcmp(got, rows[i].formula) != 0) fail_msg("%s: '%s', not '%s'", rows[i].algorithm, got, rows[i].formula);
  }
}

/* Thresholds that are decimals are met exactly, and those just above are missed. */
static void test_thresholds(void **state) {
  fixture *f = *state;
  static const struct {
    const char *algorithm, *expected, *candidate;
    double met, missed;
  } rows[] = {
      {"damerau", "\"abcde\"", "\"bacde\"", 0.8, 0.80001},
      {"osa", "\"abcdefghij\"", "\"abcdefghjx\"", 0.8, 0.80001},
      {"hamming", "\"abcde\"", "\"abcdx\"", 0.8, 0.80001},
      {"lcs", "\"abcde\"", "\"xabde\"", 0.8, 0.80001},
      {"dice", "\"abcdef\"", "\"abcdxy\"", 0.6, 0.60001},
      {"partial_ratio", "\"abcd\"", "\"xabyd\"", 0.75, 0.75001},
      {"rouge_l", "\"a b c d e\"", "\"a b c d x\"", 0.8, 0.80001},
      {"wer", "\"a b c d e\"", "\"a b x d y\"", 0.6, 0.60001},
      {"cer", "\"abcde\"", "\"abxde\"", 0.8, 0.80001},
      {"partial_token_sort", "\"c a\"", "\"a b c\"", 0.8, 0.80001},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ee_rule_option algorithm = O("algorithm", text_value(rows[i].algorithm));
    check_match(f, WITH(f, algorithm, O("threshold", N(rows[i].met))), rows[i].expected, rows[i].candidate);
    assert_false(
        compare(f, WITH(f, algorithm, O("threshold", N(rows[i].missed))), rows[i].expected, rows[i].candidate).matched);
    ee_comparison graded =
        compare(f, WITH(f, algorithm, O("score", T("similarity"))), rows[i].expected, rows[i].candidate);
    assert_true(graded.score == rows[i].met);
  }
}

static void test_options(void **state) {
  fixture *f = *state;
  check_match(f, WITH(f, O("algorithm", T("token_f1")), O("tokenizer", T("squad")), O("threshold", N(1))),
              "\"The cat!\"", "\"cat\"");
  ee_comparison result = compare(
      f, WITH(f, O("algorithm", T("token_f1")), O("tokenizer", T("ngrams")), O("n", N(3)), O("score", T("similarity"))),
      "\"abcd\"", "\"abce\"");
  assert_true(result.score == 0.5);
  result = compare(
      f, WITH(f, O("algorithm", T("bleu")), O("n", N(2)), O("tokenizer", T("whitespace")), O("score", T("similarity"))),
      "\"a b.\"", "\"a b\"");
  assert_true(result.score > 0.49 && result.score < 0.51);
  result = compare(f,
                   WITH(f, O("algorithm", T("chrf")), O("n", N(1)), O("word_order", N(1)), O("beta", N(1)),
                        O("score", T("similarity"))),
                   "\"ab\"", "\"ac\"");
  assert_true(result.score == 0.25);
  /* Normal forms. */
  check_match(f, WITH(f, O("normalize", T("url")), O("threshold", N(1))), "\"HTTP://Acme.com:80\"",
              "\"http://acme.com/\"");
  check_match(f, WITH(f, O("normalize", T("phone")), O("threshold", N(1))), "\"+49 (0)30 1234\"", "\"0049 30-1234\"");
}

static void test_mistakes(void **state) {
  fixture *f = *state;
  const struct {
    ee_rule_option options[3];
    const char *message;
  } rows[] = {
      {{O("algorithm", T("bleuu"))}, "(did you mean 'bleu'?)"},
      {{O("algorithm", T("wer")), O("tokenizer", T("word"))}, "(did you mean 'words'?)"},
      {{O("algorithm", T("osa")), O("n", N(2))}, "option 'n' of ee.fuzzy does not apply to algorithm 'osa'"},
      {{O("n", N(2))}, "option 'n' of ee.fuzzy does not apply to algorithm 'levenshtein'"},
      {{O("algorithm", T("wer")), O("n", N(2))},
       "option 'n' of ee.fuzzy does not apply to algorithm 'wer' without tokenizer = \"ngrams\""},
      {{O("algorithm", T("dice")), O("tokenizer", T("words"))},
       "option 'tokenizer' of ee.fuzzy does not apply to algorithm 'dice'"},
      {{O("algorithm", T("bleu")), O("beta", N(2))}, "option 'beta' of ee.fuzzy does not apply to algorithm 'bleu'"},
      {{O("algorithm", T("bleu")), O("word_order", N(2))},
       "option 'word_order' of ee.fuzzy does not apply to algorithm 'bleu'"},
      {{O("algorithm", T("bleu")), O("tokenizer", T("ngrams"))},
       "tokenizer 'ngrams' does not apply to algorithm 'bleu'"},
      {{O("algorithm", T("dice")), O("n", N(1.5))}, "option 'n' of ee.fuzzy must be a whole number"},
      {{O("algorithm", T("dice")), O("n", N(0))}, "option 'n' of ee.fuzzy must be between 1 and 16, got 0"},
      {{O("algorithm", T("chrf")), O("beta", N(-1))}, "option 'beta' of ee.fuzzy must be between 0 and 100, got -1"},
      {{O("algorithm", T("chrf")), O("word_order", N(0.5))}, "option 'word_order' of ee.fuzzy must be a whole number"},
      {{O("normalize", T("article"))},
       "unknown normal form 'article' in option 'normalize' of ee.fuzzy (did you mean 'articles'?)"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    size_t count = rows[i].options[1].name.length == 0 ? 1 : 2, before = f->errors.count;
    ee_strategy_compile(&f->builder, node(f, "fuzzy", ITEMS(T("p")), rows[i].options, count));
    assert_true(f->errors.count > before);
    const char *message = f->errors.items[before].message;
    size_t length = strlen(message), wanted = strlen(rows[i].message);
    if (length < wanted || strcmp(message + length - wanted, rows[i].message) != 0)
      fail_msg("'%s', not '%s'", message, rows[i].message);
  }
}

/* Whatever the algorithm: the score of a comparison is that of the primitive on the normalized texts. */
static void test_scores(void **state) {
  fixture *f = *state;
  test_random random = test_random_start("fuzzy: scores", 261);
  static const char *const names[] = {"levenshtein",
                                      "jaro_winkler",
                                      "token_sort",
                                      "token_set",
                                      "token_f1",
                                      "ratio",
                                      "partial_ratio",
                                      "partial_token_sort",
                                      "partial_token_set",
                                      "damerau",
                                      "osa",
                                      "hamming",
                                      "lcs",
                                      "dice",
                                      "chrf",
                                      "bleu",
                                      "rouge_l",
                                      "wer",
                                      "cer"};
  static const char *const words[] = {"the", "cat", "sat.", "\u03b3\u03ac\u03c4\u03b1", "\u732b", "on", "1,000"};
  for (int round = 0; round < 60; round++) {
    char texts[2][200] = {"\"x", "\"y"};
    for (int side = 0; side < 2; side++) {
      size_t length = 2;
      for (size_t left = 1 + test_random_below(&random, 8); left > 0; left--) {
        const char *word = words[test_random_below(&random, 7)];
        texts[side][length++] = ' ';
        memcpy(texts[side] + length, word, strlen(word));
        length += strlen(word);
      }
      memcpy(texts[side] + length, "\"", 2);
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
      ee_text_measure measure = ee_text_measure_of((ee_text_algorithm)i);
      const ee_strategy *graded = WITH(f, O("algorithm", text_value(names[i])), O("score", T("similarity")));
      const ee_strategy *plain = WITH(f, O("algorithm", text_value(names[i])), O("threshold", N(0.4)));
      ee_str x = {texts[0] + 1, strlen(texts[0]) - 2}, y = {texts[1] + 1, strlen(texts[1]) - 2};
      double wanted = ee_text_measure_score(&measure, x, y, &f->case_arena).value;
      assert_true(compare(f, graded, texts[0], texts[1]).score == wanted);
      /* A mean of quotients may be a little below the 0.4 that it is exactly. */
      assert_int_equal(compare(f, plain, texts[0], texts[1]).matched, wanted > 0.4 - 1e-12);
    }
  }
}

/* same_digits: a match without the option, of texts whose digits, known piece by piece, are the same. */
static void test_same_digits(void **state) {
  fixture *f = *state;
  test_random random = test_random_start("fuzzy: same digits", 1201);
  static const struct {
    const char *text, *digits;
  } pieces[] = {{"street", ""},         {" ", ""},       {"1", "1"},     {"2", "2"},    {"12", "12"},   {",", ""},
                {"\u0661\u0662", "12"}, {"\uff11", "1"}, {"\u00b2", ""}, {"1,2", "12"}, {"\u732b", ""}, {"main", ""}};
  size_t matched = 0, refused = 0;
  for (int round = 0; round < 4000; round++) {
    char texts[2][200], digits[2][64];
    size_t chosen[8], count = test_random_below(&random, 8);
    for (size_t i = 0; i < count; i++) chosen[i] = test_random_below(&random, sizeof pieces / sizeof *pieces);
    for (int side = 0; side < 2; side++) {
      strcpy(texts[side], "\"abcd");
      *digits[side] = '\0';
      for (size_t i = 0; i < count; i++) {
        strcat(texts[side], pieces[chosen[i]].text);
        strcat(digits[side], pieces[chosen[i]].digits);
      }
      strcat(texts[side], "\"");
      if (count > 0 && test_random_below(&random, 4) > 0)
        chosen[test_random_below(&random, count)] = test_random_below(&random, sizeof pieces / sizeof *pieces);
    }
    bool graded = test_random_below(&random, 2) == 1;
    ee_rule_option score = O("score", graded ? T("similarity") : T("match")), threshold = O("threshold", N(0.6));
    ee_comparison without = compare(f, WITH(f, score, threshold), texts[0], texts[1]);
    ee_comparison with = compare(f, WITH(f, score, threshold, O("same_digits", B(true))), texts[0], texts[1]);
    bool same = *digits[0] == '\0' || strcmp(digits[0], digits[1]) == 0;
    assert_int_equal(with.matched, without.matched && same);
    assert_true(with.score == (same ? without.score : 0));
    matched += with.matched;
    refused += without.matched && !same;
  }
  assert_true(matched > 400 && refused > 400);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test_setup_teardown(test_same_digits, open_fixture, close_fixture),
             cmocka_unit_test_setup_teardown(test_formulas, open_fixture, close_fixture),
             cmocka_unit_test_setup_teardown(test_thresholds, open_fixture, close_fixture),
             cmocka_unit_test_setup_teardown(test_options, open_fixture, close_fixture),
             cmocka_unit_test_setup_teardown(test_mistakes, open_fixture, close_fixture),
             cmocka_unit_test_setup_teardown(test_scores, open_fixture, close_fixture));
