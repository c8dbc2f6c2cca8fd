/* test_normalize.c: loosened texts against Unicode's own data, as Python's unicodedata has it, and against plain loops.
 */
#include "prim/normalize.h"

#include <utf8proc.h>

#include "prim/letter.h"
#include "prim/normalize_facts.h"
#include "prim/random_text.h"
#include "support/arena.h"

static ee_str apply(ee_str text, ee_normal_form form) {
  uint8_t forms[1] = {(uint8_t)form};
  return ee_normalize(text, forms, 1, &arena);
}

static void assert_text(ee_str got, ee_str expected) {
  if (!ee_str_equal(got, expected))
    fail_msg("got '%.*s', expected '%.*s'", (int)got.length, got.data, (int)expected.length, expected.data);
}

static void assert_form(ee_normal_form form, const char *text, const char *expected) {
  assert_text(apply(ee_str_from(text), form), ee_str_from(expected));
}

/* Names ---------------------------------------------------------------------------------------- */

static void knows_names(void **state) {
  (void)state;
  static const char *const names[] = {"trim",   "casefold", "nfkc",     "collapse_space", "alnum",
                                      "digits", "text",     "unaccent", "punctuation",    "articles",
                                      "squad",  "url",      "email",    "phone"};
  assert_int_equal(EE_NORMAL_COUNT, sizeof names / sizeof *names);
  for (int i = 0; i < EE_NORMAL_COUNT; i++) {
    assert_string_equal(ee_normal_form_names[i], names[i]);
    assert_int_equal(ee_normal_form_find(ee_str_from(names[i])), i);
  }
  assert_null(ee_normal_form_names[EE_NORMAL_COUNT]);
  assert_int_equal(ee_normal_form_find(EE_STR("")), -1);
  assert_int_equal(ee_normal_form_find(EE_STR("tri")), -1);
  assert_int_equal(ee_normal_form_find(EE_STR("trimm")), -1);
  assert_int_equal(ee_normal_form_find(EE_STR("Trim")), -1);
  assert_int_equal(ee_normal_form_find(EE_STR("trim\0")), -1);
  assert_int_equal(ee_normal_form_find(EE_STR("lower")), -1);
}

/* Known facts ---------------------------------------------------------------------------------- */

static void knows_case_folding(void **state) {
  (void)state;
  static const char *const facts[][2] = {
      {"", ""},
      {"Hello, World 123!", "hello, world 123!"},
      {"@[`{AZaz", "@[`{azaz"}, /* the neighbours of the ASCII letters */
      {"Stra\u00dfe", "strasse"},
      {"STRASSE", "strasse"},
      {"\u1e9e", "ss"},
      {"\u03a3\u03c3\u03c2", "\u03c3\u03c3\u03c3"}, /* both small sigmas fold to one */
      {"\u00c9\u00d6\u00d8\u00de", "\u00e9\u00f6\u00f8\u00fe"},
      {"\u00d7\u00f7\u00ff", "\u00d7\u00f7\u00ff"},
      {"\u00b5", "\u03bc"},
      {"\u0130", "i\u0307"}, /* Turkish I with a dot: full folding, no locale */
      {"I\u0131", "i\u0131"},
      {"\u0178", "\u00ff"},
      {"\u017f", "s"},
      {"\u212a", "k"},
      {"\u212b", "\u00e5"},
      {"\ufb01\ufb04", "fiffl"},
      {"\u0149", "\u02bcn"},
      {"\u0390", "\u03b9\u0308\u0301"},
      {"\u0587", "\u0565\u0582"},
      {"\u01c4\u01c5", "\u01c6\u01c6"},
      {"\u0416\u0401\u042f", "\u0436\u0451\u044f"},
      {"\u10a0", "\u2d00"},
      {"\uab70", "\u13a0"}, /* Cherokee folds to the capitals */
      {"\uff21", "\uff41"},
      {"\U00010400", "\U00010428"},
      {"\u65e5\u672c\u8a9e \U0001F600", "\u65e5\u672c\u8a9e \U0001F600"},
      {"E\u0301", "e\u0301"}, /* folding does not compose */
  };
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) assert_form(EE_NORMAL_CASEFOLD, facts[i][0], facts[i][1]);
}

static void knows_compatibility_composition(void **state) {
  (void)state;
  static const char *const facts[][2] = {
      {"", ""},
      {"plain ASCII stays", "plain ASCII stays"},
      {"e\u0301", "\u00e9"},
      {"\u00e9", "\u00e9"},
      {"\ufb01x", "fix"},
      {"\u2460", "1"},
      {"x\u00b2", "x2"},
      {"\u00bd", "1\u20442"},
      {"\u2026", "..."},
      {"\u00a0", " "},
      {"\u3000", " "},
      {"\u212b", "\u00c5"},
      {"\uff21\uff11", "A1"},
      {"\uff76\uff9e", "\u30ac"},
      {"\u1100\u1161\u11a8", "\uac01"},
      {"\u0958", "\u0915\u093c"},         /* excluded from composition */
      {"q\u0307\u0323", "q\u0323\u0307"}, /* canonical order */
      {"a\u0323\u0302", "\u1ead"},
      {"\u2163", "IV"},
      {"\u00df\u03c2", "\u00df\u03c2"}, /* case stays */
      {"\u200b\u00ad", "\u200b\u00ad"}, /* nothing is ignored */
      {"\u0344", "\u0308\u0301"},
      {"\U0001D54F\U0001D7D8", "X0"},
  };
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) assert_form(EE_NORMAL_NFKC, facts[i][0], facts[i][1]);
}

static void knows_white_space_letters_and_digits(void **state) {
  (void)state;
  assert_form(EE_NORMAL_TRIM, "", "");
  assert_form(EE_NORMAL_TRIM, " \t\r\n", "");
  assert_form(EE_NORMAL_TRIM, "\u00a0\u3000 a  b\u2003\n", "a  b");
  assert_form(EE_NORMAL_TRIM, "\u200b a", "\u200b a"); /* zero width space is no White_Space */
  assert_form(EE_NORMAL_COLLAPSE_SPACE, "", "");
  assert_form(EE_NORMAL_COLLAPSE_SPACE, "  a \t\n b\u00a0c  ", " a b c "); /* the ends stay, as one space */
  assert_form(EE_NORMAL_COLLAPSE_SPACE, "\u3000", " ");
  assert_form(EE_NORMAL_COLLAPSE_SPACE, "a\tb", "a b");
  assert_form(EE_NORMAL_ALNUM, "", "");
  assert_form(EE_NORMAL_ALNUM, "INV-2025/001 (b)_c", "INV2025001bc");
  assert_form(EE_NORMAL_ALNUM, "\u00e9e\u0301 \u6771\u4eac \u0663 \u2167 \u00b2 \u00bd",
              "\u00e9e\u0301\u6771\u4eac\u0663\u2167\u00b2\u00bd");
  assert_form(EE_NORMAL_ALNUM, "\u20ac$+=\u2014\U0001F600\u200b\u00a0", ""); /* symbols, punctuation, format, space */
  assert_form(EE_NORMAL_DIGITS, "", "");
  assert_form(EE_NORMAL_DIGITS, "+49 (0)30/12-34x", "490301234");
  assert_form(EE_NORMAL_DIGITS, "\u0660\u0661\u0669 \u096b \uff15 \U0001D7CE\U0001D7FF", "0195509");
  assert_form(EE_NORMAL_DIGITS, "\u00b2\u2460\u2167\u00bd\u4e09", ""); /* numbers, but no decimal digits */
  assert_text(apply(EE_STR(" a\0b "), EE_NORMAL_TRIM), EE_STR("a\0b"));
  assert_text(apply(EE_STR("A\0\u00c9"), EE_NORMAL_CASEFOLD), EE_STR("a\0\u00e9"));
  assert_text(apply(EE_STR("A\0e\u0301"), EE_NORMAL_NFKC), EE_STR("A\0\u00e9"));
  assert_text(apply(EE_STR("1\0002"), EE_NORMAL_DIGITS), EE_STR("12"));
}

static void agrees_with_unicode_data(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof normalize_facts / sizeof *normalize_facts; i++) {
    const normalize_fact *fact = &normalize_facts[i];
    assert_form(EE_NORMAL_CASEFOLD, fact->text, fact->casefold);
    assert_form(EE_NORMAL_NFKC, fact->text, fact->nfkc);
    assert_form(EE_NORMAL_ALNUM, fact->text, fact->alnum);
    assert_form(EE_NORMAL_DIGITS, fact->text, fact->digits);
    ee_arena_reset(&arena, 0);
  }
}

/* The zeros of all scripts with decimal digits; one to nine follow each. */
static void reads_digits_of_all_scripts(void **state) {
  (void)state;
  static const uint32_t zeros[] = {
      0x30,    0x660,   0x6f0,   0x7c0,   0x966,   0x9e6,   0xa66,   0xae6,   0xb66,   0xbe6,   0xc66,
      0xce6,   0xd66,   0xde6,   0xe50,   0xed0,   0xf20,   0x1040,  0x1090,  0x17e0,  0x1810,  0x1946,
      0x19d0,  0x1a80,  0x1a90,  0x1b50,  0x1bb0,  0x1c40,  0x1c50,  0xa620,  0xa8d0,  0xa900,  0xa9d0,
      0xa9f0,  0xaa50,  0xabf0,  0xff10,  0x104a0, 0x10d30, 0x11066, 0x110f0, 0x11136, 0x111d0, 0x112f0,
      0x11450, 0x114d0, 0x11650, 0x116c0, 0x11730, 0x118e0, 0x11950, 0x11c50, 0x11d50, 0x11da0, 0x16a60,
      0x16ac0, 0x16b50, 0x1d7ce, 0x1d7d8, 0x1d7e2, 0x1d7ec, 0x1d7f6, 0x1e140, 0x1e2f0, 0x1e950, 0x1fbf0};
  for (size_t i = 0; i < sizeof zeros / sizeof *zeros; i++)
    for (uint32_t digit = 0; digit < 10; digit++) {
      char text[4], expected[1] = {(char)('0' + digit)};
      size_t length = test_put_utf8(zeros[i] + digit, text);
      assert_text(apply((ee_str){text, length}, EE_NORMAL_DIGITS), (ee_str){expected, 1});
      assert_text(apply((ee_str){text, length}, EE_NORMAL_ALNUM), (ee_str){text, length});
    }
}

/* Every code point by itself: the result is valid, and folding or composing it again changes no more. */
static void handles_every_code_point(void **state) {
  (void)state;
  for (uint32_t point = 0; point < 0x110000; point++) {
    if (point >= 0xd800 && point < 0xe000) continue;
    char text[4];
    size_t length = test_put_utf8(point, text);
    for (int form = 0; form < EE_NORMAL_COUNT; form++) {
      ee_str once = apply((ee_str){text, length}, (ee_normal_form)form);
      ee_str twice = apply(once, (ee_normal_form)form);
      if (ee_utf8_valid_prefix(once.data, once.length) != once.length || !ee_str_equal(once, twice))
        fail_msg("U+%04X by '%s'", point, ee_normal_form_names[form]);
      assert_true(form != EE_NORMAL_TRIM || (once.length == 0) == test_is_white(point));
    }
    if (point % 1024 == 0) ee_arena_reset(&arena, 0);
  }
}

/* Texts that grow as much as any: by three times under folding, to eighteen code points of one under composition. */
static void handles_growing_texts(void **state) {
  (void)state;
  static const char one[] = "\ufdfa",
                    grown[] =
                        "\u0635\u0644\u0649 \u0627\u0644\u0644\u0647 \u0639\u0644\u064a\u0647 \u0648\u0633\u0644\u0645";
  static const char upsilon[] = "\u03b0", folded[] = "\u03c5\u0308\u0301";
  for (size_t count = 1; count <= 100; count++) {
    char text[400], expected[4000];
    size_t length = 0, size = 0;
    for (size_t i = 0; i < count; i++) {
      memcpy(text + 3 * i, one, 3);
      memcpy(expected + length, grown, sizeof grown - 1);
      length += sizeof grown - 1;
    }
    assert_text(apply((ee_str){text, 3 * count}, EE_NORMAL_NFKC), (ee_str){expected, length});
    for (size_t i = 0; i < count; i++) {
      memcpy(text + 2 * i, upsilon, 2);
      memcpy(expected + size, folded, 6);
      size += 6;
    }
    assert_text(apply((ee_str){text, 2 * count}, EE_NORMAL_CASEFOLD), (ee_str){expected, size});
  }
}

/* Composition of runs of marks of every length, against utf8proc's own ordering. */
static void orders_marks_as_unicode_does(void **state) {
  (void)state;
  test_random random = test_random_start("normalize: marks", 303);
  /* Overlays, marks below, above, to the right, Hebrew points, Kana, virama; a base and a mark in one; some that
   * compose.
   */
  static const uint32_t marks[] = {0x300, 0x301, 0x302, 0x303,  0x308,  0x315,  0x316,  0x323,   0x327,   0x328,
                                   0x334, 0x345, 0x344, 0x5b0,  0x5b1,  0x5bc,  0x5c1,  0x64b,   0x651,   0x94d,
                                   0x93c, 0xe38, 0xf71, 0x302a, 0x3099, 0x1dce, 0xfb1e, 0x1d165, 0x1d16d, 0x1e94a};
  static const uint32_t others[] = {'a', 'e', 'q', 0xe9, 0x1e69, 0x1100, 0x1161, 0x11a8, 0xac00, 0xfb01, 0xfb2a, 0x34f};
  static uint32_t points[TEST_TEXT_MAX];
  for (int round = 0; round < 3000; round++) {
    size_t count = test_random_below(&random, TEST_TEXT_MAX), other = 1 + test_random_below(&random, 60);
    size_t kinds = 1 + test_random_below(&random, sizeof marks / sizeof *marks);
    if (round % 2 == 0) count = count % 40;
    for (size_t i = 0; i < count; i++)
      points[i] = test_random_below(&random, other) == 0
                      ? others[test_random_below(&random, sizeof others / sizeof *others)]
                      : marks[test_random_below(&random, kinds)];
    ee_str text = test_text_of(points, count);
    utf8proc_uint8_t *twin = NULL;
    utf8proc_ssize_t length = utf8proc_map((const utf8proc_uint8_t *)text.data, (utf8proc_ssize_t)text.length, &twin,
                                           UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT);
    assert_true(length >= 0);
    assert_text(apply(text, EE_NORMAL_NFKC), (ee_str){(const char *)twin, (size_t)length});
    free(twin);
    length = utf8proc_map((const utf8proc_uint8_t *)text.data, (utf8proc_ssize_t)text.length, &twin,
                          UTF8PROC_STABLE | UTF8PROC_COMPOSE);
    assert_true(length >= 0);
    assert_text(ee_nfc(text, &arena), (ee_str){(const char *)twin, (size_t)length});
    free(twin);
    test_text_free(text);
    ee_arena_reset(&arena, 0);
  }
}

/* Every code point alone and beside another one, with utf8proc as the twin: the quick look at a text must not miss any
 * that NFC changes. */
static void composes_every_code_point(void **state) {
  (void)state;
  static const uint32_t beside[] = {0, 'a', 0x301, 0x1100, 0xac00, 0x9c7, 0x1025, 0x1b05, 0x11131};
  for (uint32_t c = 1; c < 0x20000; c++) {
    if (c >= 0xd800 && c <= 0xdfff) continue;
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
      char text[8];
      size_t size = beside[i] == 0 ? 0 : ee_utf8_encode(beside[i], text);
      size += ee_utf8_encode(c, text + size);
      utf8proc_uint8_t *twin = NULL;
      utf8proc_ssize_t length = utf8proc_map((const utf8proc_uint8_t *)text, (utf8proc_ssize_t)size, &twin,
                                             UTF8PROC_STABLE | UTF8PROC_COMPOSE);
      assert_text(ee_nfc((ee_str){text, size}, &arena), (ee_str){(const char *)twin, (size_t)length});
      free(twin);
    }
    if (c % 64 == 0) ee_arena_reset(&arena, 0);
  }
}

/* Two million pairs of marks; in quadratic time they would take hours. */
static void orders_very_many_marks(void **state) {
  (void)state;
  const size_t count = 2000000;
  char *text = malloc(4 * count), *expected = malloc(4 * count);
  for (size_t i = 0; i < count; i++) {
    memcpy(text + 4 * i, "\u0315\u0316", 4);
    memcpy(expected + 2 * i, "\u0316", 2);
    memcpy(expected + 2 * count + 2 * i, "\u0315", 2);
  }
  ee_str got = apply((ee_str){text, 4 * count}, EE_NORMAL_NFKC);
  assert_true(ee_str_equal(got, (ee_str){expected, 4 * count}));
  free(text);
  free(expected);
}

/* Against plain loops -------------------------------------------------------------------------- */

/* Full case folding of the blocks that random_text.h draws from. */
static size_t plain_fold(uint32_t point, uint32_t *out) {
  out[0] = point;
  if (point == 0xdf) {
    out[0] = out[1] = 's';
    return 2;
  }
  if (point == 0x3b0) { /* small upsilon with dialytika and tonos */
    out[0] = 0x3c5;
    out[1] = 0x308;
    out[2] = 0x301;
    return 3;
  }
  if ((point >= 'A' && point <= 'Z') || (point >= 0xc0 && point <= 0xde && point != 0xd7))
    out[0] = point + 32;
  else if (point == 0xb5)
    out[0] = 0x3bc;
  else if (point == 0x3c2)
    out[0] = 0x3c3;
  else if (point >= 0x391 && point <= 0x3ab)
    out[0] = point + 32;
  else if (point >= 0x410 && point <= 0x42f)
    out[0] = point + 32;
  else if (point >= 0x400 && point <= 0x40f)
    out[0] = point + 80;
  return 1;
}

/* Twins of unaccent and punctuation, over code points. */
static void removes_accents_and_punctuation(void **state) {
  (void)state;
  static const char *const accents[][2] = {{"\u00e9", "e"},
                                           {"e\u0301", "e"},
                                           {"Stra\u00dfe", "Strasse"},
                                           {"\u0141\u00f3d\u017a", "Lodz"},
                                           {"\u00d8rsted", "Orsted"},
                                           {"\u00c6r\u00f8", "AEro"},
                                           {"\u0152uvre", "OEuvre"},
                                           {"\u0130stanbul \u0131", "Istanbul i"},
                                           {"\u0110or\u0111e", "Dorde"},
                                           {"\u00de\u00f3r", "THor"},
                                           {"Vi\u1ec7t Nam", "Viet Nam"},
                                           {"\u03ac\u1f04", "\u03b1\u03b1"},
                                           {"\u0451\u0439", "\u0435\u0438"},
                                           {"\u304c\u3071", "\u304c\u3071"},
                                           {"\ud55c\uad6d", "\ud55c\uad6d"},
                                           {"\u0ccb", "\u0ccb"},
                                           {"\u0e44\u0e17\u0e22", "\u0e44\u0e17\u0e22"},
                                           {"\u0625", "\u0625"},
                                           {"\u0301", ""},
                                           {"plain", "plain"},
                                           {"\u0958", "\u0958"},
                                           {"\u1e9e", "SS"},
                                           {"\u00bd", "\u00bd"}};
  for (size_t i = 0; i < sizeof accents / sizeof *accents; i++)
    assert_form(EE_NORMAL_UNACCENT, accents[i][0], accents[i][1]);
  static const char *const marks[][2] = {{"Acme, Inc.", "Acme Inc"},
                                         {"Acme Inc", "Acme Inc"},
                                         {"U.S.A.", "USA"},
                                         {"O'Brien", "OBrien"},
                                         {"O\u2019Brien", "OBrien"},
                                         {"foo-bar", "foo bar"},
                                         {"foo - bar", "foo bar"},
                                         {"(foo) [bar]", "foo bar"},
                                         {"3.50", "3.50"},
                                         {"1,234.50", "1,234.50"},
                                         {"-5", "-5"},
                                         {"A-5", "A 5"},
                                         {"1-5", "1 5"},
                                         {"5%", "5%"},
                                         {"AT&T", "AT T"},
                                         {"\u00abfoo\u00bb\u2026", "foo"},
                                         {"...", ""},
                                         {"$5", "$5"},
                                         {"a_b", "a b"},
                                         {"3.", "3"},
                                         {"10:30", "10 30"},
                                         {"1'-2", "1 2"},
                                         {"St. John's, NL", "St Johns NL"}};
  for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
    assert_form(EE_NORMAL_PUNCTUATION, marks[i][0], marks[i][1]);
  for (uint32_t point = 0x80; point < 0x110000; point++) {
    if (point >= 0xd800 && point < 0xe000) continue;
    uint32_t plain[EE_PLAIN_LETTER_LIMIT];
    for (int fold = 0; fold < 2; fold++) {
      size_t count = ee_plain_letter(point, fold == 1, plain), bytes = 0;
      assert_true(count <= EE_PLAIN_LETTER_LIMIT);
      char text[4];
      for (size_t i = 0; i < count; i++) {
        bytes += ee_utf8_encode(plain[i], text);
        if (plain[i] >= 0x300 && plain[i] < 0x370 && fold == 0) fail_msg("U+%04X keeps an accent", point);
      }
      if (bytes > (fold == 0 ? 2u : 3u) * ee_utf8_encode(point, text)) fail_msg("U+%04X takes %zu bytes", point, bytes);
    }
  }
}

/* SQuAD's normal form and its articles, over code points of ASCII, accents and Greek. */
static bool is_of_word(uint32_t c) {
  return (c < 0x80 && (c == '_' || (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z'))) || c == 0xe9 ||
         c == 0x3b1 || c == 0x301;
}

static bool is_article_of(const uint32_t *word, size_t count) {
  static const char *const articles[] = {"a", "an", "the"};
  for (size_t i = 0; i < 3; i++) {
    size_t same = 0;
    while (same < count && articles[i][same] != '\0' && (word[same] | 0x20) == (uint32_t)articles[i][same]) same++;
    if (same == count && articles[i][same] == '\0') return true;
  }
  return false;
}

static size_t plain_articles(const uint32_t *text, size_t count, uint32_t *out) {
  static uint32_t spaced[TEST_TEXT_MAX];
  size_t length = 0, kept = 0;
  for (size_t i = 0; i < count;) {
    size_t end = i;
    while (end < count && is_of_word(text[end])) end++;
    if (end == i) {
      spaced[length++] = text[i++];
    } else if (is_article_of(text + i, end - i)) {
      spaced[length++] = ' ';
      i = end;
    } else {
      while (i < end) spaced[length++] = text[i++];
    }
  }
  for (size_t i = 0; i < length; i++) { /* single spaces, none at the ends */
    if (!test_is_white(spaced[i]))
      out[kept++] = spaced[i];
    else if (kept > 0 && out[kept - 1] != ' ')
      out[kept++] = ' ';
  }
  return kept > 0 && out[kept - 1] == ' ' ? kept - 1 : kept;
}

static void removes_articles_as_squad_does(void **state) {
  (void)state;
  static const char *const facts[][3] = {{"", "", ""},
                                         {"The", "", ""},
                                         {"A an THE", "", ""},
                                         {"the cat", "cat", "cat"},
                                         {"A cat, an owl", "cat, owl", "cat owl"},
                                         {"Athens theatre an_a", "Athens theatre an_a", "athens theatre ana"},
                                         {"a\u0301 \u00e1", "a\u0301 \u00e1", "a\u0301 \u00e1"},
                                         {"U.S.A. a-b", "U.S. . -b", "usa ab"},
                                         {"the-end", "-end", "theend"},
                                         {"  two \t spaces ", "two spaces", "two spaces"},
                                         {"Stra\u00dfe", "Stra\u00dfe", "strasse"}};
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    assert_form(EE_NORMAL_ARTICLES, facts[i][0], facts[i][1]);
    assert_form(EE_NORMAL_SQUAD, facts[i][0], facts[i][2]);
  }
  test_random random = test_random_start("normalize: articles", 305);
  static const char *const pieces[] = {"a",  "A",      "an",     "the",    "THE", "n", "t",     "h",
                                       "e",  " ",      " ",      " ",      "-",   ".", "_",     "7",
                                       "\t", "\u00e9", "\u03b1", "\u3000", "'",   "~", "\u0301"};
  static uint32_t points[TEST_TEXT_MAX], expected[TEST_TEXT_MAX];
  for (int round = 0; round < 10000; round++) {
    char text[256];
    size_t length = 0, kept = 0;
    for (size_t left = test_random_below(&random, 20); left > 0; left--) {
      const char *piece = pieces[test_random_below(&random, sizeof pieces / sizeof *pieces)];
      memcpy(text + length, piece, strlen(piece));
      length += strlen(piece);
    }
    size_t count = test_points_of((ee_str){text, length}, points);
    ee_str twin = test_text_of(expected, plain_articles(points, count, expected));
    assert_text(apply((ee_str){text, length}, EE_NORMAL_ARTICLES), twin);
    test_text_free(twin);
    for (size_t i = 0; i < count; i++) {
      uint32_t c = points[i] >= 'A' && points[i] <= 'Z' ? points[i] + 32 : points[i];
      bool is_punctuation = c > 0 && c < 0x80 && strchr("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", (int)c) != NULL;
      if (!is_punctuation) points[kept++] = c;
    }
    twin = test_text_of(expected, plain_articles(points, kept, expected));
    assert_text(apply((ee_str){text, length}, EE_NORMAL_SQUAD), twin);
    test_text_free(twin);
    ee_arena_reset(&arena, 0);
  }
}

static void reads_digits_of_each_script(void **state) {
  (void)state;
  for (uint32_t point = 0; point < 0x20000; point++) {
    if (point >= 0xd800 && point < 0xe000) continue;
    char text[4];
    ee_str form = apply((ee_str){text, ee_utf8_encode(point, text)}, EE_NORMAL_DIGITS);
    assert_int_equal(ee_decimal_digit(point), form.length == 1 ? form.data[0] - '0' : -1);
  }
}

static void agrees_with_plain_loops(void **state) {
  (void)state;
  test_random random = test_random_start("normalize: loops", 301);
  static uint32_t points[TEST_TEXT_MAX], expected[3 * TEST_TEXT_MAX];
  for (int round = 0; round < 4000; round++) {
    test_alphabet alphabet = (test_alphabet)test_random_below(&random, TEST_ALPHABETS);
    size_t length = test_length(&random) % 250;
    size_t count = test_random_points(&random, round % 3 == 0 ? TEST_SPACES : alphabet, length, points);
    ee_str text = test_text_of(points, count);
    char *copy = malloc(text.length + 1);
    memcpy(copy, text.data, text.length);

    size_t folded = 0;
    for (size_t i = 0; i < count; i++) folded += plain_fold(points[i], expected + folded);
    ee_str twin = test_text_of(expected, folded);
    assert_text(apply(text, EE_NORMAL_CASEFOLD), twin);
    test_text_free(twin);

    size_t first = 0, last = count;
    while (first < count && test_is_white(points[first])) first++;
    while (last > first && test_is_white(points[last - 1])) last--;
    twin = test_text_of(points + first, last - first);
    assert_text(apply(text, EE_NORMAL_TRIM), twin);
    test_text_free(twin);

    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
      if (!test_is_white(points[i]))
        expected[kept++] = points[i];
      else if (i == 0 || !test_is_white(points[i - 1]))
        expected[kept++] = ' ';
    }
    twin = test_text_of(expected, kept);
    assert_text(apply(text, EE_NORMAL_COLLAPSE_SPACE), twin);
    test_text_free(twin);

    kept = 0;
    for (size_t i = 0; i < count; i++)
      if (points[i] >= '0' && points[i] <= '9') expected[kept++] = points[i];
    twin = test_text_of(expected, kept);
    assert_text(apply(text, EE_NORMAL_DIGITS), twin);
    test_text_free(twin);

    kept = 0;
    for (size_t i = 0; i < count; i++) {
      uint32_t p = points[i];
      int ascii = (p >= '0' && p <= '9') || (p >= 'A' && p <= 'Z') || (p >= 'a' && p <= 'z');
      int other = p >= 0xb5 && p != 0xd7 && p != 0xf7 && p < 0x1f600 && !test_is_white(p);
      if (ascii || other) expected[kept++] = p;
    }
    twin = test_text_of(expected, kept);
    assert_text(apply(text, EE_NORMAL_ALNUM), twin);
    test_text_free(twin);

    assert_memory_equal(text.data, copy, text.length); /* the input is only read */
    free(copy);
    test_text_free(text);
    ee_arena_reset(&arena, 0);
  }
}

/* A list of forms is one form after the other; the result is valid UTF-8, and a form applied twice changes no more. */
static void applies_forms_in_order(void **state) {
  (void)state;
  test_random random = test_random_start("normalize: order", 302);
  static uint32_t points[TEST_TEXT_MAX];
  for (int round = 0; round < 3000; round++) {
    size_t count = test_random_points(&random, TEST_MIXED, test_length(&random) % 100, points);
    for (size_t i = 0; i < count; i++) /* some from all of the planes, assigned or not */
      if (test_random_below(&random, 8) == 0) {
        uint32_t point = (uint32_t)test_random_below(&random, 0x110000);
        points[i] = point >= 0xd800 && point < 0xe000 ? 0xfb03 : point;
      }
    ee_str text = test_text_of(points, count);
    uint8_t forms[4];
    size_t length = test_random_below(&random, 5);
    ee_str step = text;
    for (size_t i = 0; i < length; i++) {
      forms[i] = (uint8_t)test_random_below(&random, EE_NORMAL_COUNT);
      step = apply(step, (ee_normal_form)forms[i]);
    }
    ee_str whole = ee_normalize(text, forms, length, &arena);
    assert_text(whole, step);
    assert_int_equal(ee_utf8_valid_prefix(whole.data, whole.length), whole.length);
    for (int form = 0; form < EE_NORMAL_COUNT; form++) {
      ee_str once = apply(text, (ee_normal_form)form);
      assert_text(apply(once, (ee_normal_form)form), once);
    }
    test_text_free(text);
    ee_arena_reset(&arena, 0);
  }
  uint8_t forms[] = {EE_NORMAL_CASEFOLD, EE_NORMAL_NFKC, EE_NORMAL_TRIM};
  assert_text(ee_normalize(EE_STR("\u00a0 \uff33\u00c9\u00a0"), forms, 3, &arena), EE_STR("s\u00e9"));
  assert_text(ee_normalize(EE_STR("As is"), forms, 0, &arena), EE_STR("As is"));
  for (int form = 0; form < EE_NORMAL_COUNT; form++) /* an empty slice need not point anywhere */
    assert_int_equal(apply((ee_str){NULL, 0}, (ee_normal_form)form).length, 0);
}

/* Blocks of combining diacritical marks, to their last one. */
static void knows_where_accents_end(void **state) {
  (void)state;
  static const uint32_t blocks[][2] = {
      {0x300, 0x36F}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x20D0, 0x20FF}, {0xFE20, 0xFE2F}};
  uint32_t out[EE_PLAIN_LETTER_LIMIT];
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
    assert_int_equal(ee_plain_letter(blocks[i][0], false, out), 0);
    assert_int_equal(ee_plain_letter(blocks[i][1], false, out), 0);
    assert_true(ee_plain_letter(blocks[i][0] - 1, false, out) > 0);
    assert_true(ee_plain_letter(blocks[i][1] + 1, false, out) > 0);
  }
}

/* Texts are UTF-8; what is not must do no harm. */
static void leaves_bad_bytes_alone(void **state) {
  (void)state;
  assert_form(EE_NORMAL_NFKC, "a\xff", "a\xff");
  assert_form(EE_NORMAL_NFKC, "\xc3", "\xc3");
  for (int form = 0; form < EE_NORMAL_COUNT; form++) apply(EE_STR("\xff\xc3 A\xe2\x82"), (ee_normal_form)form);
  /* In one pass or one after the other, as in any order. */
  static const uint8_t forms[] = {EE_NORMAL_CASEFOLD, EE_NORMAL_UNACCENT, EE_NORMAL_ALNUM};
  ee_str text = EE_STR("\xc3\x89\xff \xc3 A1!\xe2\x82");
  for (size_t count = 1; count <= 3; count++) {
    ee_str one = text;
    for (size_t i = 0; i < count; i++) one = apply(one, (ee_normal_form)forms[i]);
    assert_text(ee_normalize(text, forms, count, &arena), one);
  }
}

static void forms_of_letters_are_known(void **state) {
  (void)state;
  ee_letter letter, folded;
  size_t known = 0;
  for (uint32_t c = 0; c < 0x110000; c++) {
    if (!ee_letter_find(c, &letter)) continue;
    known++;
    assert_true(ee_letter_find(letter.folded, &folded) && folded.folded == letter.folded);
  }
  assert_true(known > 30000);
}

EE_TEST_FILE(make_arena, free_arena, cmocka_unit_test(knows_names), cmocka_unit_test(knows_where_accents_end),
             cmocka_unit_test(removes_accents_and_punctuation), cmocka_unit_test(removes_articles_as_squad_does),
             cmocka_unit_test(reads_digits_of_each_script), cmocka_unit_test(knows_case_folding),
             cmocka_unit_test(knows_compatibility_composition), cmocka_unit_test(knows_white_space_letters_and_digits),
             cmocka_unit_test(agrees_with_unicode_data), cmocka_unit_test(reads_digits_of_all_scripts),
             cmocka_unit_test(handles_every_code_point), cmocka_unit_test(handles_growing_texts),
             cmocka_unit_test(composes_every_code_point), cmocka_unit_test(orders_marks_as_unicode_does),
             cmocka_unit_test(orders_very_many_marks), cmocka_unit_test(agrees_with_plain_loops),
             cmocka_unit_test(applies_forms_in_order), cmocka_unit_test(forms_of_letters_are_known),
             cmocka_unit_test(leaves_bad_bytes_alone));
