/* Host names: RFC 1123, Punycode, IDNA2008. */
#include "prim/hostname.h"

#include "support/arena.h"

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

EE_TEST_FILE(make_arena, free_arena, cmocka_unit_test(test_labels), cmocka_unit_test(test_encoded),
             cmocka_unit_test(test_letters), cmocka_unit_test(test_contexts), cmocka_unit_test(test_directions));
