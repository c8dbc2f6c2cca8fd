/* test_local_words.c: which words a text has. */
#include "provider/local_words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "prim/number.h"
#include "support/random.h"

#ifdef EE_WITH_STEMMER
static ee_arena arena;

static int make_arena(void **state) {
  (void)state;
  ee_arena_init(&arena, 0);
  return 0;
}

static int free_arena(void **state) {
  (void)state;
  ee_arena_fini(&arena);
  return 0;
}

static ee_word_reader *reader_of(const char *language) {
  ee_error error = {0};
  ee_word_reader *reader = ee_word_reader_new(ee_str_from(language), &error);
  if (reader == NULL) fail_msg("%s", error.message);
  return reader;
}

/* The words with a space between them, numbers behind a "#". The text is read from a malloc of its length. */
static const char *words_of(ee_word_reader *reader, ee_str text, bool keep_stop_words) {
  char *exact = malloc(text.length + (text.length == 0));
  memcpy(exact, text.data, text.length);
  ee_word *words;
  size_t count = ee_words_read(reader, (ee_str){exact, text.length}, keep_stop_words, &arena, &words);
  free(exact); /* the words do not need it any more */
  ee_buffer out;
  ee_buffer_init(&out);
  for (size_t i = 0; i < count; i++) {
    if (i > 0) ee_buffer_add_char(&out, ' ');
    if (words[i].is_number) ee_buffer_add_char(&out, '#');
    ee_buffer_add_str(&out, words[i].text);
  }
  const char *result = ee_arena_copy(&arena, out.data, out.length);
  ee_buffer_fini(&out);
  return result;
}

typedef struct fact {
  const char *text, *words;
} fact;

static void check_facts(const char *language, const fact *facts, size_t count, bool keep_stop_words) {
  ee_word_reader *reader = reader_of(language);
  for (size_t i = 0; i < count; i++) {
    /* Twice: the second time from the table of known words. */
    for (int ticket = 0; ticket < 2; ticket++) {
      const char *words = words_of(reader, ee_str_from(facts[i].text), keep_stop_words);
      if (strcmp(words, facts[i].words) != 0)
        fail_msg("\"%s\": \"%s\", not \"%s\"", facts[i].text, words, facts[i].words);
    }
  }
  ee_word_reader_free(reader);
}
#define CHECK(language, keep, ...)                                                                                     \
  do {                                                                                                                 \
    static const fact facts[] = {__VA_ARGS__};                                                                         \
    check_facts(language, facts, sizeof facts / sizeof *facts, keep);                                                  \
  } while (0)

static void reads_words(void **state) {
  (void)state;
  CHECK("english", false, {"", ""}, {"  \t\n ", ""}, {"!?* ---", ""},
        {"Senior engineer with 10 years of experience...", "senior engin #10 year experi"},
        {"Experienced senior engineer, 10+ years...", "experienc senior engin #10 year"}, {"RUNNING runs", "run run"},
        {"the of and is were", ""}, {"not no nor never none without", "not no nor never none without"},
        {"above below over under", "abov below over under"},      /* the stems are Snowball's */
        {"well-known snake_case a/b", "well known snake case b"}, /* "a" is an article */
        {"e-mail: x@y.org", "e mail x y org"}, {"C++", "c"}, {"Café CAFÉ cafe\xcc\x81", "café café café"},
        {"Straße STRASSE", "strass strass"}, {"ﬁne", "fine"}, {"ＦＵＬＬ", "full"},
        {"co\xc2\xadoper\xe2\x80\x8d"
         "ate cooperate",
         "cooper cooper"},                 /* soft hyphen, joiner */
        {"one\xe2\x80\x8btwo", "one two"}, /* zero width space */
        {"\xe2\x9d\xa4\xef\xb8\x8f love \xf0\x9f\x98\x80", "love"}, {"b12 10th 3D mp3s", "b12 10th 3d mp3s"},
        {"\xcc\x81 x", "x"}); /* a mark without a letter */
}

static void reads_apostrophes(void **state) {
  (void)state;
  CHECK("english", false, {"don't isn't won't can't shan't ain't", "not not not not not not"},
        {"can’t CAN'T cannot can not", "not not not not"}, {"needn't", "need not"}, {"couldn't've", "not"},
        {"John's dogs' 'quoted' rock'n'roll O'Brien", "john dog quot rocknrol obrien"},
        {"we're I'll you've he'd I'm", ""}, {"n't 's '", "nt s"}, {"the 1990's", "#1990"}, {"5'10", "#5 #10"},
        {"it's", ""}, {"let's go", "let go"});
  CHECK("english", true, {"don't won't can't cannot shan't", "do not will not can not can not shall not"},
        {"I'm we’re they'd've", "i am we are they would have"});
  /* Apostrophes elsewhere part words. */
  CHECK("french", false, {"l'homme d’accord", "l homm d accord"});
}

static void reads_numbers(void **state) {
  (void)state;
  CHECK("english", false, {"10+ 10% $10 (10) 10. 10, 10;", "#10 #10 #10 #10 #10 #10 #10"},
        {"007 7 7.0 7.00 07.", "#7 #7 #7 #7 #7"}, {"0 0.0 -0 00", "#0 #0 #0 #0"},
        {"0.50 .5 -.5 0,5", "#0.5 #0.5 #-0.5 #0.5"}, {"1,000 1,000,000.50 12,345", "#1000 #1000000.5 #12345"},
        {"1,5 12,34 3,14159", "#1.5 #12.34 #3.14159"}, {"0,123", "#0.123"}, /* nobody groups a zero */
        {"1.234,56 1.234.567", "#1234.56 #1234567"},                        /* only so it makes sense */
        {"1.234", "#1.234"}, {"1,2,3 1,2.5,3", "#1 #2 #3 #1 #2 #5 #3"},
        {"15.01.2024 2024-01-15 12/05/2024", "#15 #1 #2024 #2024 #1 #15 #12 #5 #2024"},
        {"192.168.0.1", "#192 #168 #0 #1"}, {"-5 (-5) [−5 x-5 5-3 - 5", "#-5 #-5 #-5 x #5 #5 #3 #5"},
        {"--5 +5 -$5", "#5 #5 #5"}, {"a\n-5", "#-5"}, {"10.5kg 10kg 3.5 kg", "#10.5 kg 10kg #3.5 kg"}, {"1e5", "1e5"},
        {"٣٤ ３．５ ١٬٢٣٤٫٥ 𝟙𝟘", "#34 #3.5 #1234.5 #10"}, {"x² ½", "x2 #1 #2"}, {"v1.2", "v1 #2"},
        {"123456789012345678901234567890.10", "#123456789012345678901234567890.1"}, {"...5 ..", "#5"}, {"1,", "#1"},
        {"-1,5", "#-1.5"});
}

static void reads_scripts(void **state) {
  (void)state;
  CHECK("english", false, {"中文 text", "中 文 text"}, {"日本語のテスト", "日 本 語 の テ ス ト"}, {"カ・キ", "カ キ"},
        {"ไทย", "ไ ท ย"}, {"第10回", "第 #10 回"}, {"한국어 말", "한국어 말"}, {"ΣΊΣΥΦΟΣ", "σίσυφοσ"},
        {"Привет МИР", "привет мир"});
  /* Radicals, iteration marks, numerals, extensions, half width: one word each. */
  CHECK("english", false, {"w⼀y", "w 一 y"}, {"人々", "人 々"}, {"〡〢", "〡 〢"}, {"〻〻", "〻 〻"},
        {"ㇰㇿ", "ㇰ ㇿ"}, {"㐀䶵", "㐀 䶵"}, {"豈﨩", "豈 﨩"}, {"𛀀𛀁", "𛀀 𛀁"}, {"𠀀𠀁", "𠀀 𠀁"}, {"가〵나", "가〵나"},
        {"Ｂﾊ", "b ハ"});
  CHECK("russian", false, {"бегают бегал", "бега бега"});
  CHECK("german", false,
        {"Die Häuser und das Haus", "die haus und das haus"}); /* stop words are known for English only */
}

/* Stop words stay where they are asked for, all others come out the same. */
static void keeps_stop_words(void **state) {
  (void)state;
  CHECK("english", true, {"To be, or not to be", "to be or not to be"}, {"the of and", "the of and"},
        {"10 a", "#10 a"});
}

/* Equal words have equal hashes, and numbers of equal value are one and the same word; numbers and words never are. */
static void hashes_follow_values(void **state) {
  (void)state;
  test_random random = test_random_start("local_words: numbers", 801);
  ee_word_reader *reader = reader_of("english");
  for (int round = 0; round < 3000; round++) {
    char text[2][64];
    for (int i = 0; i < 2; i++) {
      int fraction = (int)test_random_below(&random, 3);
      snprintf(text[i], sizeof text[i], "%s%0*d%s%.*s", test_random_below(&random, 2) == 0 ? "-" : "",
               1 + (int)test_random_below(&random, 4), (int)test_random_below(&random, 12), fraction > 0 ? "." : "",
               fraction, test_random_below(&random, 2) == 0 ? "00" : "50");
    }
    ee_word *a, *b;
    assert_int_equal(ee_words_read(reader, ee_str_from(text[0]), false, &arena, &a), 1);
    assert_int_equal(ee_words_read(reader, ee_str_from(text[1]), false, &arena, &b), 1);
    bool equal = ee_decimal_compare(ee_str_from(text[0]), ee_str_from(text[1])) == 0;
    assert_true(a->is_number && b->is_number);
    if (equal != ee_str_equal(a->text, b->text) || equal != (a->hash == b->hash))
      fail_msg("'%s' and '%s' became '%.*s' and '%.*s'", text[0], text[1], (int)a->text.length, a->text.data,
               (int)b->text.length, b->text.data);
    assert_int_equal(ee_decimal_compare(a->text, ee_str_from(text[0])), 0);
  }
  ee_arena_reset(&arena, 0);
  ee_word_reader_free(reader);
}

/* More words than the table of known words has room for: nothing comes out different. */
static void forgets_without_harm(void **state) {
  (void)state;
  test_random random = test_random_start("local_words: table", 802);
  static const char *const endings[] = {"", "s", "ing", "ed", "ations", "fulness", "antidisestablishmentarianisms"};
  ee_word_reader *worn = reader_of("english");
  for (int round = 0; round < 40000; round++) {
    char text[80];
    size_t length = 0;
    for (size_t left = 2 + test_random_below(&random, 3); left > 0; left--)
      text[length++] = (char)('a' + test_random_below(&random, 26));
    snprintf(text + length, sizeof text - length, "%s", endings[test_random_below(&random, 7)]);
    const char *known = words_of(worn, ee_str_from(text), true);
    if (round % 200 == 0) {
      ee_word_reader *fresh = reader_of("english");
      assert_string_equal(known, words_of(fresh, ee_str_from(text), true));
      ee_word_reader_free(fresh);
      assert_string_equal(known, words_of(worn, ee_str_from(text), true));
    }
    if (round % 1000 == 0) ee_arena_reset(&arena, 0);
  }
  ee_word_reader_free(worn);
}

/* Whatever the bytes are, words come out that are valid UTF-8, of the expected kind, and in linear time. */
static void survives_any_text(void **state) {
  (void)state;
  test_random random = test_random_start("local_words: any", 803);
  static const char *const pieces[] = {"n't",
                                       "'s",
                                       "'",
                                       "’",
                                       "1",
                                       "12",
                                       ",",
                                       ".",
                                       "-",
                                       "−",
                                       " ",
                                       "(",
                                       "a",
                                       "ca",
                                       "wo",
                                       "the",
                                       "cannot",
                                       "É",
                                       "ß",
                                       "中",
                                       "の",
                                       "ไ",
                                       "\xcc\x81",
                                       "\xef\xb8\x8f",
                                       "\xe2\x80\x8d",
                                       "٣",
                                       "½",
                                       "😀",
                                       "ab",
                                       "xyz",
                                       "\xc2\xad",
                                       "ŉ"};
  enum { PIECES = sizeof pieces / sizeof *pieces };
  ee_word_reader *reader = reader_of("english");
  for (int round = 0; round < 20000; round++) {
    char text[128];
    size_t length = 0;
    for (size_t left = test_random_below(&random, 16); left > 0; left--) {
      const char *piece = pieces[test_random_below(&random, PIECES)];
      memcpy(text + length, piece, strlen(piece));
      length += strlen(piece);
    }
    ee_word *words, *kept;
    size_t count = ee_words_read(reader, (ee_str){text, length}, false, &arena, &words);
    size_t kept_count = ee_words_read(reader, (ee_str){text, length}, true, &arena, &kept);
    assert_true(count <= kept_count);
    for (size_t i = 0, k = 0; i < count; i++, k++) { /* without stop words: a part of them, in the same order */
      while (k < kept_count && !ee_str_equal(kept[k].text, words[i].text)) k++;
      assert_true(k < kept_count);
    }
    for (size_t i = 0; i < kept_count; i++) {
      assert_true(kept[i].text.length > 0);
      assert_int_equal(ee_utf8_valid_prefix(kept[i].text.data, kept[i].text.length), kept[i].text.length);
      bool digits = true;
      for (size_t k = 0; k < kept[i].text.length; k++)
        digits = digits && strchr("-.0123456789", kept[i].text.data[k]) != NULL;
      assert_int_equal(digits, kept[i].is_number);
    }
    ee_arena_reset(&arena, 0);
  }
  for (size_t i = 0; i < PIECES; i++) { /* one piece, very often */
    size_t size = strlen(pieces[i]), times = 200000;
    char *text = malloc(times * size);
    for (size_t k = 0; k < times; k++) memcpy(text + k * size, pieces[i], size);
    ee_word *words;
    assert_true(ee_words_read(reader, (ee_str){text, times * size}, true, &arena, &words) <= 2 * times);
    free(text);
    ee_arena_reset(&arena, 1 << 20);
  }
  ee_word_reader_free(reader);
}

static void knows_its_languages(void **state) {
  (void)state;
  ee_error error = {0};
  assert_null(ee_word_reader_new(EE_STR("englsh"), &error));
  assert_int_equal(error.status, EE_ERROR_RULES);
  assert_string_equal(error.message, "unknown language 'englsh' for the provider 'local' (did you mean 'english'?)");
  assert_null(ee_word_reader_new(EE_STR("klingon"), &error));
  assert_non_null(strstr(error.message, "unknown language 'klingon' for the provider 'local' (there are: arabic, "));
  assert_null(ee_word_reader_new(EE_STR("en"),
                                 &error)); /* a name that Snowball knows, but not its own: stop words would be lost */
  assert_null(ee_word_reader_new(EE_STR(""), &error));
  char *large = malloc(1000);
  memset(large, 'x', 1000);
  assert_null(ee_word_reader_new((ee_str){large, 1000}, &error));
  free(large);
  ee_word_reader_free(NULL);
}

EE_TEST_FILE(make_arena, free_arena, cmocka_unit_test(reads_words), cmocka_unit_test(reads_apostrophes),
             cmocka_unit_test(reads_numbers), cmocka_unit_test(reads_scripts), cmocka_unit_test(keeps_stop_words),
             cmocka_unit_test(hashes_follow_values), cmocka_unit_test(forgets_without_harm),
             cmocka_unit_test(survives_any_text), cmocka_unit_test(knows_its_languages));
#else
static void says_that_it_cannot(void **state) {
  (void)state;
  ee_error error = {0};
  assert_null(ee_word_reader_new(EE_STR("english"), &error));
  assert_int_equal(error.status, EE_ERROR_RULES);
  assert_string_equal(error.message, "this evalengine was built without libstemmer, which the provider 'local' needs");
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(says_that_it_cannot));
#endif
