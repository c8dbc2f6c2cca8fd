/* test_tokenizer.c: tokenizers against plain loops over decoded code points, and rules with patterns. */
#include "prim/tokenizer.h"

#include <stdio.h>

#include "prim/random_text.h"
#include "support/arena.h"

/* Slow and obvious twins ----------------------------------------------------------------------- */

typedef struct points {
  uint32_t at[32 * TEST_TEXT_MAX];
  size_t count;
} points;

/* A rule of mteval: two classes of code points and where spaces go. */
typedef struct rule {
  bool (*first)(uint32_t), (*second)(uint32_t); /* second NULL: a rule of one code point */
  const char *out;                              /* '1' and '2' are what was found */
} rule;

static void apply(const rule *with, points *text) {
  static points made;
  made.count = 0;
  for (size_t i = 0; i < text->count;) {
    bool is_one = with->second == NULL;
    bool found = with->first(text->at[i]) && (is_one || (i + 1 < text->count && with->second(text->at[i + 1])));
    if (!found) {
      made.at[made.count++] = text->at[i++];
      continue;
    }
    for (const char *c = with->out; *c != '\0'; c++)
      made.at[made.count++] = *c == '1' ? text->at[i] : *c == '2' ? text->at[i + 1] : (uint32_t)*c;
    i += is_one ? 1 : 2;
  }
  *text = made;
}

static void replace(points *text, const char *from, const char *to) {
  static points made;
  made.count = 0;
  for (size_t i = 0; i < text->count;) {
    size_t same = 0;
    while (from[same] != '\0' && i + same < text->count && text->at[i + same] == (uint32_t)from[same]) same++;
    if (from[same] != '\0') {
      made.at[made.count++] = text->at[i++];
      continue;
    }
    for (const char *c = to; *c != '\0'; c++) made.at[made.count++] = (uint32_t)*c;
    i += same;
  }
  *text = made;
}

static bool is_digit(uint32_t c) { return c >= '0' && c <= '9'; }
static bool is_no_digit(uint32_t c) { return !is_digit(c); }
static bool is_stop(uint32_t c) { return c == '.' || c == ','; }
static bool is_hyphen(uint32_t c) { return c == '-'; }
static bool is_punctuation(uint32_t c) {
  return c < 0x80 && c != 0 && strchr(" !\"#$%&()*+/:;<=>?@[\\]^_`{|}~", (int)c) != NULL;
}

static void plain_13a(points *text) {
  static const rule rules[] = {{is_punctuation, NULL, " 1 "},
                               {is_no_digit, is_stop, "1 2 "},
                               {is_stop, is_no_digit, " 1 2"},
                               {is_digit, is_hyphen, "1 2 "}};
  replace(text, "<skipped>", "");
  replace(text, "-\n", "");
  replace(text, "\n", " ");
  replace(text, "&quot;", "\"");
  replace(text, "&amp;", "&");
  replace(text, "&lt;", "<");
  replace(text, "&gt;", ">");
  memmove(text->at + 1, text->at, text->count * sizeof *text->at);
  text->at[0] = text->at[text->count + 1] = ' ';
  text->count += 2;
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) apply(&rules[i], text);
}

/* The classes of the code points that the test for "intl" and "words" uses, as Unicode has them. */
static const uint32_t numbers[] = {'0', '7', 0x663 /* Arabic-Indic 3 */, 0xbd /* 1/2 */, 0x2167 /* VIII */};
static const uint32_t marks[] = {'.', ',', '-', '!', 0x3002 /* full stop */, 0xab, 0x2019, 0xbf};
static const uint32_t symbols[] = {'$', '+', 0x20ac /* euro */, 0x1f600, 0xb0};
static const uint32_t letters[] = {'a', 'Z', 0xe9, 0x3b1, 0x6771, 0x301 /* a mark */};
static const uint32_t spaces[] = {' ', 0x3000};

#define HAS(list, c) has((list), sizeof(list) / sizeof *(list), (c))
static bool has(const uint32_t *list, size_t count, uint32_t c) {
  for (size_t i = 0; i < count; i++)
    if (list[i] == c) return true;
  return false;
}
static bool is_other_than_number(uint32_t c) { return !HAS(numbers, c); }
static bool is_mark(uint32_t c) { return HAS(marks, c); }
static bool is_symbol(uint32_t c) { return HAS(symbols, c); }
static bool is_word(uint32_t c) { return HAS(letters, c) || HAS(numbers, c); }

static void plain_intl(points *text) {
  static const rule rules[] = {
      {is_other_than_number, is_mark, "1 2 "}, {is_mark, is_other_than_number, " 1 2"}, {is_symbol, NULL, " 1 "}};
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) apply(&rules[i], text);
}

static bool is_no_space(uint32_t c) { return !test_is_white(c); }

/* Whether the tokens are the runs in `text` of what `belongs` is true for. */
static void assert_runs(const points *text, bool (*belongs)(uint32_t), const ee_str *tokens, size_t count) {
  size_t found = 0;
  static uint32_t token[32 * TEST_TEXT_MAX];
  for (size_t i = 0; i < text->count;) {
    size_t end = i;
    while (end < text->count && belongs(text->at[end])) end++;
    if (end == i) {
      i++;
      continue;
    }
    assert_true(found < count);
    assert_int_equal(test_points_of(tokens[found], token), end - i);
    assert_memory_equal(token, text->at + i, (end - i) * sizeof *token);
    found++;
    i = end;
  }
  assert_int_equal(found, count);
}

/* Tests ---------------------------------------------------------------------------------------- */

static size_t split(ee_str text, ee_token_kind kind, size_t n, ee_str **tokens) {
  return ee_tokens(text, (ee_tokenizer){kind, n}, &arena, tokens);
}

static void assert_tokens(const char *text, ee_token_kind kind, size_t n, const char *joined) {
  ee_str *tokens;
  char got[512];
  size_t length = 0, count = split(ee_str_from(text), kind, n, &tokens);
  for (size_t i = 0; i < count; i++)
    length += (size_t)snprintf(got + length, sizeof got - length, "%s%.*s", i > 0 ? "|" : "", EE_STR_ARG(tokens[i]));
  got[length] = '\0';
  assert_string_equal(got, joined);
}

static void knows_tokens(void **state) {
  (void)state;
  assert_tokens("It's 1,000.5 $, \u00fcber-\u4e2d\u6587!", EE_TOKEN_WORDS, 0, "It|s|1|000|5|\u00fcber|\u4e2d\u6587");
  assert_tokens("It's \u00dcBER_x", EE_TOKEN_ROUGE, 0, "it|s|\u00fcber|x");
  assert_tokens("a\u3000b\u00e9", EE_TOKEN_CHARACTERS, 0, "a|b|\u00e9");
  assert_tokens("ab\u00e9d", EE_TOKEN_NGRAMS, 2, "ab|b\u00e9|\u00e9d");
  assert_tokens("ab", EE_TOKEN_NGRAMS, 3, "ab");
  assert_tokens("abc", EE_TOKEN_NGRAMS, 3, "abc");
  assert_tokens("a b", EE_TOKEN_NGRAMS, 1, "a| |b");
  assert_tokens("", EE_TOKEN_NGRAMS, 2, "");
  assert_tokens("The quick, a brown-fox's AN", EE_TOKEN_SQUAD, 0, "quick|brownfoxs");
  /* sacrebleu's and mteval's own cases: punctuation apart, numbers and apostrophes whole. */
  assert_tokens("Hello, World!", EE_TOKEN_13A, 0, "Hello|,|World|!");
  assert_tokens("It's 1,000.5 dollars.", EE_TOKEN_13A, 0, "It's|1,000.5|dollars|.");
  assert_tokens("2014-15 state-of-the-art 5.", EE_TOKEN_13A, 0, "2014|-|15|state-of-the-art|5|.");
  assert_tokens("&quot;a&amp;b&quot; &lt;c&gt;", EE_TOKEN_13A, 0, "\"|a|&|b|\"|<|c|>");
  assert_tokens("a <skipped> hyphen-\nated", EE_TOKEN_13A, 0, "a|hyphenated");
  assert_tokens("", EE_TOKEN_13A, 0, "");
  assert_tokens("a\x7f.b ~c", EE_TOKEN_13A, 0, "a\x7f|.|b|~|c");
  assert_tokens("a\xff\xfe", EE_TOKEN_CHARACTERS, 0, "a|\xff|\xfe");
  assert_tokens("5.", EE_TOKEN_INTL, 0, "5.");
  assert_tokens("\u00ab5,5\u00bb 3\u20ac.", EE_TOKEN_INTL, 0, "\u00ab5,5|\u00bb|3|\u20ac|.");
  const ee_str nothing = {NULL, 0};
  for (int kind = 0; kind <= EE_TOKEN_INTL; kind++) {
    ee_str *tokens;
    assert_int_equal(split(nothing, (ee_token_kind)kind, 2, &tokens), 0);
  }
}

static void agrees_with_rules_of_mteval(void **state) {
  (void)state;
  test_random random = test_random_start("tokenizer: 13a", 221);
  static const char *const pieces[] = {"a",      "B",    "7",    "0",   ".", ",",         "-",      "\n", " ", "&quot;",
                                       "&amp;",  "&lt;", "&gt;", "lt;", "$", "<skipped>", "'",      "/",  "~", "\u00e9",
                                       "\u4e2d", "(",    "_",    "\"",  "&", ";",         "\u3000", "\t", "!", "<skip"};
  static points text;
  for (int round = 0; round < 20000; round++) {
    char bytes[512];
    size_t length = 0;
    for (size_t left = test_random_below(&random, 24); left > 0; left--) {
      const char *piece = pieces[test_random_below(&random, sizeof pieces / sizeof *pieces)];
      memcpy(bytes + length, piece, strlen(piece));
      length += strlen(piece);
    }
    ee_arena_mark mark = ee_arena_get_mark(&arena);
    ee_str *tokens;
    size_t count = split((ee_str){bytes, length}, EE_TOKEN_13A, 0, &tokens);
    text.count = test_points_of((ee_str){bytes, length}, text.at);
    plain_13a(&text);
    assert_runs(&text, is_no_space, tokens, count);
    ee_arena_rewind(&arena, mark);
  }
}

static void agrees_with_rules_of_unicode(void **state) {
  (void)state;
  test_random random = test_random_start("tokenizer: intl", 222);
  static points text;
  static uint32_t kept[TEST_TEXT_MAX];
  for (int round = 0; round < 5000; round++) {
    size_t count = test_random_below(&random, 30);
    for (size_t i = 0; i < count; i++) {
      switch (test_random_below(&random, 5)) {
      case 0: kept[i] = numbers[test_random_below(&random, 5)]; break;
      case 1: kept[i] = marks[test_random_below(&random, 8)]; break;
      case 2: kept[i] = symbols[test_random_below(&random, 5)]; break;
      case 3: kept[i] = letters[test_random_below(&random, 6)]; break;
      default: kept[i] = spaces[test_random_below(&random, 2)];
      }
    }
    ee_str bytes = test_text_of(kept, count), *tokens;
    ee_arena_mark mark = ee_arena_get_mark(&arena);
    memcpy(text.at, kept, count * sizeof *kept);
    text.count = count;
    size_t found = split(bytes, EE_TOKEN_WORDS, 0, &tokens);
    assert_runs(&text, is_word, tokens, found);
    plain_intl(&text);
    found = split(bytes, EE_TOKEN_INTL, 0, &tokens);
    assert_runs(&text, is_no_space, tokens, found);
    ee_arena_rewind(&arena, mark);
    test_text_free(bytes);
  }
}

static void cuts_characters_and_ngrams(void **state) {
  (void)state;
  test_random random = test_random_start("tokenizer: n-grams", 223);
  static uint32_t text[TEST_TEXT_MAX], token[TEST_TEXT_MAX];
  for (int round = 0; round < 3000; round++) {
    test_alphabet alphabet = (test_alphabet)test_random_below(&random, TEST_ALPHABETS);
    size_t count = test_random_points(&random, alphabet, test_random_below(&random, 40), text), found = 0;
    size_t n = 1 + test_random_below(&random, 9);
    ee_str bytes = test_text_of(text, count), *tokens;
    ee_arena_mark mark = ee_arena_get_mark(&arena);
    size_t tokens_count = split(bytes, EE_TOKEN_CHARACTERS, 0, &tokens);
    for (size_t i = 0; i < count; i++) {
      if (test_is_white(text[i])) continue;
      assert_true(found < tokens_count && test_points_of(tokens[found], token) == 1 && token[0] == text[i]);
      found++;
    }
    assert_int_equal(found, tokens_count);
    tokens_count = split(bytes, EE_TOKEN_NGRAMS, n, &tokens);
    assert_int_equal(tokens_count, count == 0 ? 0 : count < n ? 1 : count - n + 1);
    for (size_t i = 0; i < tokens_count; i++) {
      size_t length = count < n ? count : n;
      assert_int_equal(test_points_of(tokens[i], token), length);
      assert_memory_equal(token, text + i, length * sizeof *text);
    }
    ee_arena_rewind(&arena, mark);
    test_text_free(bytes);
  }
}

static void numbers_equal_tokens_equally(void **state) {
  (void)state;
  test_random random = test_random_start("tokenizer: numbers", 224);
  for (int round = 0; round < 2000; round++) {
    static test_text_pair pair;
    pair.na = test_random_points(&random, TEST_WORDS, test_random_below(&random, 80), pair.pa);
    pair.nb = test_random_points(&random, TEST_WORDS, test_random_below(&random, 80), pair.pb);
    pair.a = test_text_of(pair.pa, pair.na);
    pair.b = test_text_of(pair.pb, pair.nb);
    ee_arena_mark mark = ee_arena_get_mark(&arena);
    ee_str *tokens[2];
    ee_symbols numbered[2];
    size_t a_count = split(pair.a, EE_TOKEN_WHITESPACE, 0, &tokens[0]);
    size_t b_count = split(pair.b, EE_TOKEN_WHITESPACE, 0, &tokens[1]);
    ee_token_symbols(pair.a, pair.b, EE_WHITESPACE_TOKENS, &arena, &numbered[0], &numbered[1]);
    assert_true(numbered[0].count == a_count && numbered[1].count == b_count);
    for (size_t i = 0; i < a_count; i++) {
      for (size_t k = 0; k < b_count; k++)
        assert_int_equal(numbered[0].at[i] == numbered[1].at[k], ee_str_equal(tokens[0][i], tokens[1][k]));
      for (size_t k = 0; k < a_count; k++)
        assert_int_equal(numbered[0].at[i] == numbered[0].at[k], ee_str_equal(tokens[0][i], tokens[0][k]));
    }
    ee_arena_rewind(&arena, mark);
    test_free_pair(&pair);
  }
}

EE_TEST_FILE(make_arena, free_arena, cmocka_unit_test(knows_tokens), cmocka_unit_test(agrees_with_rules_of_mteval),
             cmocka_unit_test(agrees_with_rules_of_unicode), cmocka_unit_test(cuts_characters_and_ngrams),
             cmocka_unit_test(numbers_equal_tokens_equally));
