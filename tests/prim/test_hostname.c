/* Host names: RFC 1123, Punycode, IDNA2008. */
#include "prim/hostname.h"

#include <stdio.h>

#include "support/arena.h"
#include "support/random.h"

#define FITS true
#define MISFITS false

typedef struct fact {
  const char *name;
  bool ascii, international;
} fact;

static void check(const fact *facts, size_t count) {
  for (size_t i = 0; i < count; i++) {
    ee_str name = ee_str_from(facts[i].name);
    if (ee_hostname_valid(name, false, &arena) != facts[i].ascii) fail_msg("'%s' as a host name", facts[i].name);
    if (ee_hostname_valid(name, true, &arena) != facts[i].international)
      fail_msg("'%s' as an international host name", facts[i].name);
  }
}
#define CHECK(facts) check(facts, sizeof(facts) / sizeof *(facts))

#define SIXTY_THREE "a23456789b123456789c123456789d123456789e123456789f123456789g123"

static void test_labels(void **state) {
  (void)state;
  static const fact facts[] = {
      {"a", FITS, FITS},
      {"www.Example.COM", FITS, FITS},
      {"3com.7", FITS, FITS},
      {"a--b.c-d", FITS, FITS},
      {"", MISFITS, MISFITS},
      {".", MISFITS, MISFITS},
      {"a.", MISFITS, MISFITS},
      {".a", MISFITS, MISFITS},
      {"a..b", MISFITS, MISFITS},
      {"-a", MISFITS, MISFITS},
      {"a-", MISFITS, MISFITS},
      {"a_b", MISFITS, MISFITS},
      {"a b", MISFITS, MISFITS},
      {"a\n", MISFITS, MISFITS},
      {"xn", FITS, FITS},
      {"xn--", MISFITS, MISFITS}, /* ends in a hyphen */
      {SIXTY_THREE ".a", FITS, FITS},
      {SIXTY_THREE "4.a", MISFITS, MISFITS},
      {SIXTY_THREE "." SIXTY_THREE "." SIXTY_THREE "."
                   "a23456789b123456789c123456789d123456789e123456789f123456789g1",
       FITS, FITS}, /* 253 */
      {SIXTY_THREE "." SIXTY_THREE "." SIXTY_THREE "."
                   "a23456789b123456789c123456789d123456789e123456789f123456789g12",
       MISFITS, MISFITS},
  };
  CHECK(facts);
}

static void test_encoded(void **state) {
  (void)state;
  static const fact facts[] = {
      {"xn--mnchen-3ya", FITS, FITS},
      {"XN--Mnchen-3ya.de", FITS, FITS},
      {"xn--fiqs8s", FITS, FITS}, /* two letters, no ASCII */
      {"xn--bcher-kva", FITS, FITS},
      /* Sentences of RFC 3492 and others, encoded by Python. */
      {"xn--proprostnemluvesky-uyb24dma41a", FITS, FITS},
      {"xn--mgbcah9ar9a4efegftvvn", FITS, FITS},
      {"xn--ihqwcrb4cv8a8dqg056pqjye", FITS, FITS},
      {"xn--b1abfaaepdrnnbgefbadotcwatmq2g4l", FITS, FITS},
      {"xn--n8jok5ay5dzabd5bym9f0cm5685rrjetr6pdxa", FITS, FITS},
      {"xn--tisaohkhngthchnitingvit-kjcr8268qyxafd2f1b9g", FITS, FITS},
      {"xn--tda", FITS, FITS},
      {"xn--tdaaa", FITS, FITS},
      {"xn--abc-hoa0299g", FITS, FITS},
      {"xn--4gq1496h", FITS, FITS},
      {"xn--0caaa8620fbab", FITS, FITS},
      {"xn--mxacdefghi", FITS, FITS},
      {"xn--x", MISFITS, MISFITS},        /* ends inside a number */
      {"xn--99999999", MISFITS, MISFITS}, /* past Unicode */
      {"xn--999999999999999999", MISFITS, MISFITS},
      {"xn--abc-", MISFITS, MISFITS},  /* ASCII only */
      {"xn--mnchen-3yaa", FITS, FITS}, /* the letter twice */
      {"xn---9uc", MISFITS, MISFITS},  /* not as Punycode would write it */
      {"xn--ab_c", MISFITS, MISFITS},
      {"xn--7a", MISFITS, MISFITS}, /* U+0080 */
      {"xn--"
       "a23456789b123456789c123456789d123456789e123456789f123456789",
       MISFITS, MISFITS},
  };
  CHECK(facts);
}

static void test_letters(void **state) {
  (void)state;
  static const fact facts[] = {
      {"m\u00fcnchen.de", MISFITS, FITS},
      {"a\u3002b\uff0ec\uff61d", MISFITS, FITS}, /* other dots */
      {"\u3002a", MISFITS, MISFITS},
      {"M\u00dcNCHEN.de", MISFITS, MISFITS}, /* capitals have lower case */
      {"M\u00fcnchen.de", MISFITS, MISFITS},
      {"\u00fcM", MISFITS, MISFITS},
      {"stra\u00dfe", MISFITS, FITS},
      {"\u03c2\u0f0b\u3007", MISFITS, FITS},
      {"mu\u0308nchen", MISFITS, MISFITS}, /* not in normal form C */
      {"\u0308a", MISFITS, MISFITS},       /* begins with a mark */
      {"\u0903a\u00fc", MISFITS, MISFITS},
      {"\u0488\u00fc", MISFITS, MISFITS},
      {"-\u00fc", MISFITS, MISFITS},
      {"\u00fc-", MISFITS, MISFITS},
      {"a\u00fc--b", MISFITS, MISFITS}, /* hyphens in third and fourth place */
      {"\u00fc b", MISFITS, MISFITS},
      {"\u00fc\u2028", MISFITS, MISFITS},
      {"a\u00a0b", MISFITS, MISFITS},
      {"\u00fc\u00ad", MISFITS, MISFITS}, /* ignorable */
      {"\uac00\u1100", MISFITS, MISFITS}, /* a Hangul consonant by itself */
      {"a\u20d0", MISFITS, MISFITS},
      {"a\U0001d165", MISFITS, MISFITS},
      {"a\ufdd0", MISFITS, MISFITS},
      {"a\u0640", MISFITS, MISFITS},
      {"a\u2603", MISFITS, MISFITS}, /* a symbol */
      {"\ufb01", MISFITS, MISFITS},  /* a ligature, which NFKC takes apart */
      {"\U0001d54f", MISFITS, MISFITS},
      {"\u0e01\u0e34", MISFITS, FITS}, /* letter and mark */
      {"\u0905\u0903", MISFITS, FITS}, /* spacing mark */
      {"\u0966", MISFITS, FITS},       /* digit */
      {"\u02b0a\u00fc", MISFITS, MISFITS},
      {"\u4e2d\u3005", MISFITS, FITS},
      {"\u01c5", MISFITS, MISFITS}, /* title case */
      /* More than 63 characters when encoded, although fewer letters. */
      {"\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc"
       "\u00fc"
       "\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc"
       "\u00fc"
       "\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc"
       "\u00fc"
       "\u00fc\u00fc",
       MISFITS, MISFITS},
  };
  CHECK(facts);
}

static void test_contexts(void **state) {
  (void)state;
  static const fact facts[] = {
      {"l\u00b7l", MISFITS, FITS},
      {"a\u00b7l", MISFITS, MISFITS},
      {"l\u00b7", MISFITS, MISFITS},
      {"\u00b7l", MISFITS, MISFITS},
      {"\u0375\u03b1", MISFITS, FITS},
      {"\u0375\u1f00", MISFITS, FITS},
      {"\u03b1\u0375", MISFITS, MISFITS},
      {"\u05d0\u05f3", MISFITS, FITS},
      {"\u05d0\u05f4", MISFITS, FITS},
      {"\u05f3\u05d0", MISFITS, MISFITS},
      {"a\u05f4", MISFITS, MISFITS},
      {"\u30fb\u30a2", MISFITS, FITS},
      {"\u30fb\u3042", MISFITS, FITS},
      {"\u30fb\u4e00", MISFITS, FITS},
      {"\u30fb\u3400", MISFITS, FITS},
      {"\u30fb\u3007", MISFITS, FITS},
      {"\u30fb\u9fa5", MISFITS, FITS},
      {"\u30fb\ufa0e", MISFITS, FITS}, /* unified ideographs among those for compatibility */
      {"\u30fb\ufa29", MISFITS, FITS},
      {"\u30fb\U00020000", MISFITS, FITS},
      {"\u30fb\u3041", MISFITS, FITS},
      {"\u30fb\u3096", MISFITS, FITS},
      {"\u30fb\u309d", MISFITS, FITS},
      {"\u30fb\u30a1", MISFITS, FITS},
      {"\u30fb\u30fa", MISFITS, FITS},
      {"\u30fb\u30fd", MISFITS, FITS},
      {"\u30fb\u31f0", MISFITS, FITS},
      {"\u30fb\u31ff", MISFITS, FITS},
      {"\u30fb\uac00", MISFITS, MISFITS}, /* Hangul is another script */
      {"\u30fb\u3105", MISFITS, MISFITS},
      {"a\u30fb", MISFITS, MISFITS},
      {"\u0628\u0661", MISFITS, FITS},
      {"\u0628\u06f1", MISFITS, FITS},
      {"\u0628\u0661\u06f1", MISFITS, MISFITS},
      /* Joiners after a virama, or between letters that join. */
      {"\u0915\u094d\u200d\u0937", MISFITS, FITS},
      {"\u0915\u094d\u200c\u0937", MISFITS, FITS},
      {"\u0915\u200d\u0937", MISFITS, MISFITS},
      {"\u0628\u200d\u0628", MISFITS, MISFITS},
      {"\u0628\u200c\u0628", MISFITS, FITS},
      {"\u0628\u064b\u200c\u064b\u0627", MISFITS, FITS}, /* with marks in between */
      {"\u0627\u200c\u0628", MISFITS, MISFITS},          /* alef does not join what follows */
      {"\u062f\u200c\u0628", MISFITS, MISFITS},
      {"\u0648\u200c\u0628", MISFITS, MISFITS},
      {"\u0688\u200c\u0628", MISFITS, MISFITS},
      {"\u06c4\u200c\u0628", MISFITS, MISFITS},
      {"\u0672\u200c\u0628", MISFITS, MISFITS},
      {"\u0623\u200c\u0628", MISFITS, MISFITS},
      {"\u0628\u200c\u0621", MISFITS, MISFITS}, /* hamza joins nothing */
      {"\u0628\u200c", MISFITS, MISFITS},
      {"a\u200cb", MISFITS, MISFITS},
  };
  CHECK(facts);
}

/* Letters of the Arabic block that join only the letter before them, and those that join both, by Unicode's table of
 * shapes: U+200C must be between one that joins what follows, and one that joins what is before it. */
static void test_joining(void **state) {
  (void)state;
  static const uint32_t both[][2] = {{0x620, 0x620}, {0x626, 0x626}, {0x628, 0x628}, {0x62a, 0x62e},
                                     {0x633, 0x63f}, {0x641, 0x647}, {0x649, 0x64a}, {0x66e, 0x66f},
                                     {0x678, 0x687}, {0x69a, 0x6bf}, {0x6c1, 0x6c2}, {0x6cc, 0x6cc},
                                     {0x6ce, 0x6ce}, {0x6d0, 0x6d1}, {0x6fa, 0x6fc}, {0x6ff, 0x6ff}};
  static const uint32_t before[][2] = {{0x622, 0x625}, {0x627, 0x627}, {0x629, 0x629}, {0x62f, 0x632}, {0x648, 0x648},
                                       {0x671, 0x673}, {0x675, 0x677}, {0x688, 0x699}, {0x6c0, 0x6c0}, {0x6c3, 0x6cb},
                                       {0x6cd, 0x6cd}, {0x6cf, 0x6cf}, {0x6d2, 0x6d3}, {0x6d5, 0x6d5}, {0x6ee, 0x6ef}};
  for (uint32_t c = 0x620; c < 0x700; c++) {
    bool joins_both = false, joins_before = false;
    for (size_t i = 0; i < sizeof both / sizeof *both; i++) joins_both |= c >= both[i][0] && c <= both[i][1];
    for (size_t i = 0; i < sizeof before / sizeof *before; i++) joins_before |= c >= before[i][0] && c <= before[i][1];
    char letter[5] = "", plain[32], left[32], right[32];
    letter[ee_utf8_encode(c, letter)] = '\0';
    snprintf(plain, sizeof plain, "\u0628%s\u0628", letter);
    if (!ee_hostname_valid(ee_str_from(plain), true, &arena)) continue; /* not for other reasons */
    snprintf(left, sizeof left, "\u0628%s\u200c\u0628", letter);
    snprintf(right, sizeof right, "\u0628\u200c%s\u0628", letter);
    bool is_mark = c >= 0x64b && !joins_both && !joins_before && ee_hostname_valid(ee_str_from(left), true, &arena);
    if (is_mark) continue; /* looked past */
    if (ee_hostname_valid(ee_str_from(left), true, &arena) != joins_both) fail_msg("U+%04X before U+200C", c);
    if (ee_hostname_valid(ee_str_from(right), true, &arena) != (joins_both || joins_before))
      fail_msg("U+%04X after U+200C", c);
  }
}

static void test_directions(void **state) {
  (void)state;
  static const fact facts[] = {
      {"\u05d0", MISFITS, FITS},
      {"\u0627\u0628.a", MISFITS, FITS},
      {"\u05d01", MISFITS, FITS},
      {"\u05d0-1\u05b0", MISFITS, FITS}, /* ends in a mark */
      {"0\u0627", MISFITS, MISFITS},     /* a label begins with a letter */
      {"0a.\u05d0", MISFITS, MISFITS},   /* so do the other labels */
      {"0a.b", FITS, FITS},
      {"a\u05d0", MISFITS, MISFITS},
      {"\u05d0a", MISFITS, MISFITS},
      {"\u05d0\u06601", MISFITS, MISFITS}, /* digits of two kinds */
      {"\u0627\u0661", MISFITS, FITS},
      {"a-b.\u05d0", MISFITS, FITS},
      {"a1.\u05d0", MISFITS, FITS},
      {"a\u0661", MISFITS, MISFITS},
      {"xn--4dbrk0ce", FITS, FITS},     /* Hebrew letters */
      {"xn--0ca24w", MISFITS, MISFITS}, /* from left and right */
  };
  CHECK(facts);
}

/* U+30FB needs a letter of Han, Hiragana or Katakana: the borders of their ranges. U+3021 to U+3029 are numbers, and
 * the last of Han are composed: no label has them, whatever stands beside. */
static void test_each_script(void **state) {
  (void)state;
  static const struct {
    uint32_t first, last;
    bool is_letter;
  } ranges[] = {{0x3041, 0x3096, true},  {0x309d, 0x309e, true}, {0x30a1, 0x30fa, true},  {0x30fd, 0x30fe, true},
                {0x31f0, 0x31ff, true},  {0x3005, 0x3005, true}, {0x3007, 0x3007, true},  {0x3021, 0x3029, false},
                {0x3400, 0x4dbf, true},  {0x4e00, 0x9ffc, true}, {0xf900, 0xf900, false}, {0x20000, 0x20000, true},
                {0x1b000, 0x1b000, true}};
  static const uint32_t others[] = {0x3040, 0x3097, 0x309c, 0x30a0, 0x3004,  0x3006,  0x3020,  0x302a, 0x33ff,
                                    0xa000, 0xf8ff, 0xfb00, 0x3200, 0x1afff, 0x1b168, 0x1ffff, 0x323b0};
  char text[16] = "\u30fb";
  for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
    for (int end = 0; end < 2; end++) {
      ee_str name = {text, 3 + ee_utf8_encode(end != 0 ? ranges[i].last : ranges[i].first, text + 3)};
      if (ee_hostname_valid(name, true, &arena) != ranges[i].is_letter)
        fail_msg("a label with '%.*s'", (int)name.length, text);
    }
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    ee_str name = {text, 3 + ee_utf8_encode(others[i], text + 3)};
    if (ee_hostname_valid(name, true, &arena)) fail_msg("a label with U+%04X", (unsigned)others[i]);
  }
}

static void test_borders(void **state) {
  (void)state;
  static const fact facts[] = {
      {"a{b", MISFITS, MISFITS},
      {"xab12", FITS, FITS}, /* begins as "xn--" does */
      {"xnb12", FITS, FITS},
      {"xn-b1", FITS, FITS},
      {"xn--ib9b", MISFITS, MISFITS}, /* U+D800 */
      {"xn--999999999999", MISFITS, MISFITS},
      {"xn---zca", MISFITS, MISFITS}, /* a hyphen after no letters */
      {"\u00e4b-c", MISFITS, FITS},
      {"\u00e4--c", MISFITS, FITS},
      {"\u00e4b--c", MISFITS, MISFITS},
      {"a\uffff", MISFITS, MISFITS},
      {"a\ufdd0", MISFITS, MISFITS},
      {"a\ua960", MISFITS, MISFITS}, /* old Hangul */
      {"a\ud7b0", MISFITS, MISFITS},
      {"\u05d0\ufb1e\u05f3", MISFITS, FITS}, /* a Hebrew mark before the geresh */
      {"\u30ab\u30fb", MISFITS, FITS},
      {"\u30ab\u30fb.\u05d0", MISFITS, MISFITS}, /* beside a name from the right a label ends in a letter or digit */
      {"\u200c\u0628", MISFITS, MISFITS},
      {"\u0628\u200c", MISFITS, MISFITS},
      {"\u0628\u200c\u06f1", MISFITS, MISFITS}, /* what does not join */
      {"\u0628\u200c\u0621", MISFITS, MISFITS},
      {"\u0628\u200c\u0674", MISFITS, MISFITS},
      {"\u0628\u200c\u06d4", MISFITS, MISFITS},
      {"\u0628\u200c\u06fd", MISFITS, MISFITS},
      {"\u0628\u200c\u06fe", MISFITS, MISFITS},
      {"\u0628\u200c\u0628", MISFITS, FITS},
      {"\u0628\u064b\u200c\u0628", MISFITS, FITS},
  };
  CHECK(facts);
  /* 40 letters, but more than 63 characters when they are encoded. */
  char text[200];
  ee_str name = {text, 0};
  for (uint32_t i = 0; i < 40; i++)
    name.length += ee_utf8_encode(i % 2 == 0 ? 0x4e00 + 97 * i : 0x5d0 + i % 20, text + name.length);
  assert_false(ee_hostname_valid(name, true, &arena));
}

/* Punycode as section 6.3 of RFC 3492 writes it, after "xn--". Returns the length. */
static size_t encode(const uint32_t *letters, size_t count, char *out) {
  uint64_t n = 128, delta = 0, bias = 72;
  size_t length = (size_t)sprintf(out, "xn--"), basic = 0, handled;
  for (size_t i = 0; i < count; i++)
    if (letters[i] < 128) out[length++] = (char)letters[i], basic++;
  if (basic > 0) out[length++] = '-';
  for (handled = basic; handled < count; n++, delta++) {
    uint64_t next = UINT32_MAX;
    for (size_t i = 0; i < count; i++)
      if (letters[i] >= n && letters[i] < next) next = letters[i];
    delta += (next - n) * (handled + 1);
    n = next;
    for (size_t i = 0; i < count; i++) {
      delta += letters[i] < n;
      if (letters[i] != n) continue;
      uint64_t q = delta, k = 36;
      for (;; k += 36) {
        uint64_t t = k <= bias ? 1 : k >= bias + 26 ? 26 : k - bias, digit = q < t ? q : t + (q - t) % (36 - t);
        out[length++] = (char)(digit < 26 ? 'a' + digit : '0' + digit - 26);
        if (q < t) break;
        q = (q - t) / (36 - t);
      }
      delta = handled == basic ? delta / 700 : delta / 2;
      delta += delta / ++handled;
      for (k = 0; delta > 455; k += 36) delta /= 35;
      bias = k + 36 * delta / (delta + 38);
      delta = 0;
    }
  }
  out[length] = '\0';
  return length;
}

/* Letters near each other and far apart: what another program encodes is read as it is meant. */
static void test_encoded_by_a_twin(void **state) {
  (void)state;
  static const uint32_t ranges[][2] = {{'a', 26}, {0x4e00, 0x5000}, {0xac00, 11172}, {0x20000, 0xa000}, {0xe0, 20}};
  test_random random = test_random_start("hostname: twin", 1207);
  size_t tried = 0;
  for (int round = 0; round < 6000; round++) {
    uint32_t letters[24];
    size_t count = 1 + test_random_below(&random, 20), kinds = 1 + test_random_below(&random, 5);
    bool foreign = false;
    for (size_t i = 0; i < count; i++) {
      const uint32_t *range = ranges[(kinds + test_random_below(&random, kinds)) % 5];
      letters[i] = range[0] + (uint32_t)test_random_below(&random, range[1]);
      foreign |= letters[i] >= 128;
    }
    char name[400];
    size_t length = encode(letters, count, name);
    if (!foreign) continue;
    tried++;
    for (int international = 0; international <= 1; international++)
      if (ee_hostname_valid((ee_str){name, length}, international, &arena) != (length <= 63))
        fail_msg("'%s' of %zu letters", name, count);
  }
  assert_true(tried > 4000);
}

EE_TEST_FILE(make_arena, free_arena, cmocka_unit_test(test_labels), cmocka_unit_test(test_encoded),
             cmocka_unit_test(test_letters), cmocka_unit_test(test_contexts), cmocka_unit_test(test_joining),
             cmocka_unit_test(test_directions), cmocka_unit_test(test_each_script), cmocka_unit_test(test_borders),
             cmocka_unit_test(test_encoded_by_a_twin));
