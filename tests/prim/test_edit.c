/* test_edit.c: edit distances against full tables over decoded code points. */
#include "prim/edit.h"

#include <math.h>

#include "prim/random_text.h"
#include "support/arena.h"

/* Slow and obvious twins ----------------------------------------------------------------------- */

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }
static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

static size_t table_levenshtein(const uint32_t *a, size_t na, const uint32_t *b, size_t nb) {
  static size_t table[TEST_TEXT_MAX + 1][TEST_TEXT_MAX + 1];
  for (size_t i = 0; i <= na; i++)
    for (size_t j = 0; j <= nb; j++) {
      if (i == 0 || j == 0) {
        table[i][j] = i + j;
        continue;
      }
      size_t change = table[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
      table[i][j] = smaller(change, smaller(table[i - 1][j], table[i][j - 1]) + 1);
    }
  return table[na][nb];
}

static size_t table_lcs(const uint32_t *a, size_t na, const uint32_t *b, size_t nb) {
  static size_t table[TEST_TEXT_MAX + 1][TEST_TEXT_MAX + 1];
  for (size_t i = 0; i <= na; i++)
    for (size_t j = 0; j <= nb; j++) {
      if (i == 0 || j == 0)
        table[i][j] = 0;
      else if (a[i - 1] == b[j - 1])
        table[i][j] = table[i - 1][j - 1] + 1;
      else
        table[i][j] = larger(table[i - 1][j], table[i][j - 1]);
    }
  return table[na][nb];
}

/* Jaro by definition: each code point of `a` takes the first free equal one of `b` within the window; the matched code
 * points at different ranks, halved and rounded down, are the transpositions. */
static double plain_jaro(const uint32_t *a, size_t na, const uint32_t *b, size_t nb) {
  if (na == 0 && nb == 0) return 1;
  size_t half = larger(na, nb) / 2;
  size_t window = half > 0 ? half - 1 : 0;
  static char used[TEST_TEXT_MAX];
  static uint32_t matched_a[TEST_TEXT_MAX], matched_b[TEST_TEXT_MAX];
  memset(used, 0, sizeof used);
  size_t m = 0, ranks = 0, apart = 0;
  for (size_t i = 0; i < na; i++)
    for (size_t j = 0; j < nb; j++) {
      size_t distance = i > j ? i - j : j - i;
      if (distance > window || used[j] || a[i] != b[j]) continue;
      used[j] = 1;
      matched_a[m++] = a[i];
      break;
    }
  for (size_t j = 0; j < nb; j++)
    if (used[j]) matched_b[ranks++] = b[j];
  if (m == 0) return 0;
  for (size_t k = 0; k < m; k++) apart += matched_a[k] != matched_b[k];
  double matches = (double)m;
  return (matches / (double)na + matches / (double)nb + (matches - (double)(apart / 2)) / matches) / 3;
}

static double plain_jaro_winkler(const uint32_t *a, size_t na, const uint32_t *b, size_t nb) {
  double jaro = plain_jaro(a, na, b, nb);
  size_t prefix = 0;
  while (prefix < 4 && prefix < na && prefix < nb && a[prefix] == b[prefix]) prefix++;
  return jaro + (double)prefix * 0.1 * (1 - jaro);
}

static void assert_close(double got, double expected, double tolerance) {
  if (!(fabs(got - expected) <= tolerance)) fail_msg("got %.17g, expected %.17g", got, expected);
}

/* Known facts ---------------------------------------------------------------------------------- */

static void knows_distances(void **state) {
  (void)state;
  static const struct {
    const char *a, *b;
    size_t distance, lcs;
  } facts[] = {
      {"kitten", "sitting", 3, 4},
      {"", "", 0, 0},
      {"", "abc", 3, 0},
      {"a", "a", 0, 1},
      {"a", "b", 1, 0},
      {"flaw", "lawn", 2, 3},
      {"saturday", "sunday", 3, 5},
      {"intention", "execution", 5, 5},
      {"gumbo", "gambol", 2, 4},
      {"rosettacode", "raisethysword", 8, 6},
      {"ca", "abc", 3, 1}, /* no transpositions: Damerau's variant has 2 */
      {"Acme Shipping", "Acme - Shipping", 2, 13},
      {"caf\u00e9", "cafe", 1, 3},
      {"\u00e9", "e\u0301", 2, 0}, /* code points, not graphemes */
      {"\u65e5\u672c\u8a9e", "\u65e5\u672c", 1, 2},
      {"\U0001F44D", "\U0001F44E", 1, 0}, /* one code point of four bytes */
      {"\u00e9", "\u00e8", 1, 0},         /* the same first byte */
      {"\u0436", "j", 1, 0},
      {"\u03a3", "\u03c3", 1, 0},
  };
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    ee_str a = ee_str_from(facts[i].a), b = ee_str_from(facts[i].b);
    assert_int_equal(ee_levenshtein(a, b, EE_NO_LIMIT, &arena), facts[i].distance);
    assert_int_equal(ee_levenshtein(b, a, EE_NO_LIMIT, &arena), facts[i].distance);
    assert_int_equal(ee_lcs_length(a, b, &arena), facts[i].lcs);
  }
  assert_int_equal(ee_levenshtein(EE_STR("a\0b"), EE_STR("a\0c"), EE_NO_LIMIT, &arena), 1);
  assert_int_equal(ee_levenshtein(EE_STR("a\0b"), EE_STR("a"), EE_NO_LIMIT, &arena), 2);
  const ee_str nothing = {NULL, 0}; /* an empty slice need not point anywhere */
  assert_int_equal(ee_levenshtein(nothing, EE_STR("ab"), EE_NO_LIMIT, &arena), 2);
  assert_int_equal(ee_levenshtein(EE_STR("\u00e9b"), nothing, 1, &arena), 2);
  assert_int_equal(ee_levenshtein(nothing, nothing, 0, &arena), 0);
  assert_int_equal(ee_lcs_length(nothing, EE_STR("ab"), &arena), 0);
  assert_int_equal(ee_lcs_length(nothing, EE_STR("\u00e9"), &arena), 0);
  assert_true(ee_levenshtein_similarity(nothing, nothing, &arena) == 1);
  assert_true(ee_ratio(nothing, nothing, &arena) == 1);
  assert_true(ee_jaro(nothing, EE_STR("\u00e9"), &arena) == 0);
  assert_true(ee_jaro_winkler(nothing, nothing, &arena) == 1);
}

static void knows_similarities(void **state) {
  (void)state;
  assert_close(ee_levenshtein_similarity(EE_STR(""), EE_STR(""), &arena), 1, 0);
  assert_close(ee_levenshtein_similarity(EE_STR(""), EE_STR("x"), &arena), 0, 0);
  assert_close(ee_levenshtein_similarity(EE_STR("kitten"), EE_STR("sitting"), &arena), 4 / 7.0, 1e-15);
  assert_close(ee_levenshtein_similarity(EE_STR("Acme - Shipping"), EE_STR("Acme Shipping"), &arena), 13 / 15.0, 1e-15);
  assert_close(ee_ratio(EE_STR(""), EE_STR(""), &arena), 1, 0);
  assert_close(ee_ratio(EE_STR(""), EE_STR("x"), &arena), 0, 0);
  /* The examples of the packages that made this measure known. */
  assert_close(ee_ratio(EE_STR("this is a test"), EE_STR("this is a test!"), &arena), 28 / 29.0, 1e-15);
  assert_close(ee_ratio(EE_STR("fuzzy wuzzy was a bear"), EE_STR("wuzzy fuzzy was a bear"), &arena), 40 / 44.0, 1e-15);
}

/* Winkler's published table (three and four digits), and what follows from the definition. */
static void knows_jaro_winkler(void **state) {
  (void)state;
  static const struct {
    const char *a, *b;
    double jaro, jaro_winkler;
  } facts[] = {
      {"MARTHA", "MARHTA", 0.9444, 0.9611},
      {"DIXON", "DICKSONX", 0.7667, 0.8133},
      {"DWAYNE", "DUANE", 0.8222, 0.8400},
      {"SHACKLEFORD", "SHACKELFORD", 0.9697, 0.9818},
      {"DUNNINGHAM", "CUNNIGHAM", 0.8963, 0.8963},
      {"NICHLESON", "NICHULSON", 0.9259, 0.9556},
      {"JONES", "JOHNSON", 0.7905, 0.8324},
      {"MASSEY", "MASSIE", 0.8889, 0.9333},
      {"ABROMS", "ABRAMS", 0.8889, 0.9222},
      {"HARDIN", "MARTINEZ", 0.7222, 0.7222},
      {"ITMAN", "SMITH", 0.4667, 0.4667},
      {"JERALDINE", "GERALDINE", 0.9259, 0.9259},
      {"MICHELLE", "MICHAEL", 0.8690, 0.9214},
      {"JULIES", "JULIUS", 0.8889, 0.9333},
      {"TANYA", "TONYA", 0.8667, 0.8800},
      {"SEAN", "SUSAN", 0.7833, 0.8050},
      {"JON", "JOHN", 0.9167, 0.9333},
      {"JON", "JAN", 0.7778, 0.8000},
      {"JELLYFISH", "SMELLYFISH", 0.8963, 0.8963},
      {"", "", 1, 1},
      {"", "A", 0, 0},
      {"A", "A", 1, 1},
      {"A", "B", 0, 0},
      {"AB", "BA", 0, 0},                         /* the window of two letters is 0 */
      {"ABCXYZ", "BCAXYZ", 17 / 18.0, 17 / 18.0}, /* three out of place are one transposition */
      {"ABC", "XYZ", 0, 0},
      {"\u041c\u0410\u0420\u0422\u0410", "\u041c\u0410\u0420\u0410\u0422", 0.9333, 0.9533},
  };
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    ee_str a = ee_str_from(facts[i].a), b = ee_str_from(facts[i].b);
    assert_close(ee_jaro(a, b, &arena), facts[i].jaro, 0.00005001);
    assert_close(ee_jaro(b, a, &arena), facts[i].jaro, 0.00005001);
    assert_close(ee_jaro_winkler(a, b, &arena), facts[i].jaro_winkler, 0.00005001);
    assert_close(ee_jaro_winkler(b, a, &arena), facts[i].jaro_winkler, 0.00005001);
  }
  /* Always applied: below 0.7 too, where some packages leave the prefix out. */
  double low = ee_jaro(EE_STR("ABxxxxxxxx"), EE_STR("AByyyyyyyy"), &arena);
  assert_true(low < 0.7);
  assert_close(ee_jaro_winkler(EE_STR("ABxxxxxxxx"), EE_STR("AByyyyyyyy"), &arena), low + 0.2 * (1 - low), 1e-15);
}

/* Against the twins ---------------------------------------------------------------------------- */

static size_t pick_limit(test_random *random, size_t distance) {
  switch (test_random_below(random, 6)) {
  case 0: return 0;
  case 1: return distance;
  case 2: return distance != 0 ? distance - 1 : 0;
  case 3: return distance + 1;
  case 4: return test_random_below(random, 2 * distance + 2);
  default: return test_random_below(random, 320);
  }
}

static void agrees_with_the_table(void **state) {
  (void)state;
  test_random random = test_random_start("edit: table", 101);
  static test_text_pair pair;
  for (int round = 0; round < 3000; round++) {
    test_random_pair(&random, &pair);
    size_t distance = table_levenshtein(pair.pa, pair.na, pair.pb, pair.nb);
    size_t lcs = table_lcs(pair.pa, pair.na, pair.pb, pair.nb);
    size_t longer = larger(pair.na, pair.nb);
    ee_arena_mark before = ee_arena_get_mark(&arena);
    assert_int_equal(ee_levenshtein(pair.a, pair.b, EE_NO_LIMIT, &arena), distance);
    assert_int_equal(ee_levenshtein(pair.b, pair.a, EE_NO_LIMIT, &arena), distance);
    assert_int_equal(ee_lcs_length(pair.a, pair.b, &arena), lcs);
    assert_int_equal(ee_lcs_length(pair.b, pair.a, &arena), lcs);
    for (int k = 0; k < 3; k++) {
      size_t limit = pick_limit(&random, distance);
      size_t expected = distance <= limit ? distance : limit + 1;
      size_t got = ee_levenshtein(pair.a, pair.b, limit, &arena);
      if (got != expected)
        fail_msg("round %d: lengths %zu and %zu, limit %zu: got %zu, expected %zu", round, pair.na, pair.nb, limit, got,
                 expected);
    }
    double similarity = longer != 0 ? (double)(longer - distance) / (double)longer : 1;
    assert_close(ee_levenshtein_similarity(pair.a, pair.b, &arena), similarity, 1e-15);
    double ratio = pair.na + pair.nb != 0 ? 2.0 * (double)lcs / (double)(pair.na + pair.nb) : 1;
    assert_close(ee_ratio(pair.a, pair.b, &arena), ratio, 1e-15);
    ee_arena_mark after = ee_arena_get_mark(&arena);
    assert_ptr_equal(before.block, after.block);
    assert_ptr_equal(before.at, after.at);
    test_free_pair(&pair);
  }
}

/* Every pair of lengths around the borders of one, two and three blocks, alike and unlike, ASCII and not. */
static void agrees_at_block_borders(void **state) {
  (void)state;
  test_random random = test_random_start("edit: borders", 102);
  static const size_t lengths[] = {0, 1, 62, 63, 64, 65, 66, 127, 128, 129, 191, 192, 193};
  enum { LENGTHS = sizeof lengths / sizeof *lengths };
  static uint32_t a[TEST_TEXT_MAX], b[TEST_TEXT_MAX];
  for (size_t i = 0; i < LENGTHS; i++)
    for (size_t j = 0; j < LENGTHS; j++)
      for (int kind = 0; kind < 4; kind++) {
        test_alphabet alphabet = kind % 2 == 0 ? TEST_AB : TEST_CYRILLIC;
        size_t na = test_random_points(&random, alphabet, lengths[i], a);
        size_t nb = test_random_points(&random, alphabet, lengths[j], b);
        if (kind >= 2) memcpy(b + 1, a, (smaller(na, nb) > 0 ? smaller(na, nb) - 1 : 0) * sizeof *a);
        ee_str ta = test_text_of(a, na), tb = test_text_of(b, nb);
        size_t distance = table_levenshtein(a, na, b, nb);
        assert_int_equal(ee_levenshtein(ta, tb, EE_NO_LIMIT, &arena), distance);
        for (size_t limit = distance > 2 ? distance - 2 : 0; limit <= distance + 2; limit++)
          assert_int_equal(ee_levenshtein(ta, tb, limit, &arena), smaller(distance, limit + 1));
        assert_int_equal(ee_lcs_length(ta, tb, &arena), table_lcs(a, na, b, nb));
        test_text_free(ta);
        test_text_free(tb);
      }
}

/* Many blocks and a narrow limit: one text is the other with a run inserted, taken out or moved, so that the cheapest
 * way leads along the edge of what a limit leaves to look at. */
static void agrees_within_narrow_limits(void **state) {
  (void)state;
  test_random random = test_random_start("edit: narrow", 107);
  static uint32_t a[2 * TEST_TEXT_MAX], b[2 * TEST_TEXT_MAX];
  for (int round = 0; round < 400; round++) {
    static const test_alphabet alphabets[] = {TEST_AB, TEST_ABCD, TEST_ASCII, TEST_GREEK};
    test_alphabet alphabet = alphabets[round % 4];
    size_t na = test_random_points(&random, alphabet, 100 + test_random_below(&random, 300), a), nb = 0;
    size_t run = test_random_below(&random, 100), cut = test_random_below(&random, 100),
           at = test_random_below(&random, na);
    /* b: a run of its own, then `a` from `cut` on, with another run at a place of its own and a few single edits */
    if (round % 3 != 0) nb = test_random_points(&random, alphabet, run, b);
    for (size_t i = round % 3 != 1 ? smaller(cut, na) : 0; i < na; i++) {
      if (i == at && round % 5 == 0) nb += test_random_points(&random, alphabet, run / 2, b + nb);
      b[nb++] = a[i];
    }
    nb = smaller(nb, TEST_TEXT_MAX - 10);
    nb = test_edit_points(&random, alphabet, test_random_below(&random, 8), b, nb);
    ee_str ta = test_text_of(a, na), tb = test_text_of(b, nb);
    size_t distance = table_levenshtein(a, na, b, nb), least = distance > 6 ? distance - 6 : 0;
    for (size_t limit = least; limit < distance + 70; limit += limit < distance + 6 ? 1 : 7) {
      size_t expected = smaller(distance, limit + 1);
      size_t got = ee_levenshtein(ta, tb, limit, &arena), turned = ee_levenshtein(tb, ta, limit, &arena);
      if (got != expected || turned != expected)
        fail_msg("round %d: lengths %zu and %zu, limit %zu: got %zu and %zu, expected %zu", round, na, nb, limit, got,
                 turned, expected);
    }
    for (size_t limit = 0; limit < least; limit += 1 + least / 9)
      assert_int_equal(ee_levenshtein(ta, tb, limit, &arena), limit + 1);
    test_text_free(ta);
    test_text_free(tb);
  }
}

static void jaro_agrees_with_its_definition(void **state) {
  (void)state;
  test_random random = test_random_start("edit: jaro", 103);
  static test_text_pair pair;
  for (int round = 0; round < 6000; round++) {
    test_random_pair(&random, &pair);
    if (round % 2 == 0) { /* short texts of few letters are where transpositions live */
      test_free_pair(&pair);
      pair.na = test_random_points(&random, TEST_ABCD, test_random_below(&random, 16), pair.pa);
      pair.nb = test_random_points(&random, TEST_ABCD, test_random_below(&random, 16), pair.pb);
      pair.a = test_text_of(pair.pa, pair.na);
      pair.b = test_text_of(pair.pb, pair.nb);
    }
    ee_arena_mark before = ee_arena_get_mark(&arena);
    double jaro = ee_jaro(pair.a, pair.b, &arena);
    double winkler = ee_jaro_winkler(pair.a, pair.b, &arena);
    assert_close(jaro, plain_jaro(pair.pa, pair.na, pair.pb, pair.nb), 1e-14);
    assert_close(winkler, plain_jaro_winkler(pair.pa, pair.na, pair.pb, pair.nb), 1e-14);
    assert_true(jaro >= 0 && jaro <= winkler && winkler <= 1);
    /* One value whichever side comes first: a score must not depend on the rounding of a sum's order. */
    assert_true(ee_jaro(pair.b, pair.a, &arena) == jaro);
    assert_true(ee_jaro_winkler(pair.b, pair.a, &arena) == winkler);
    assert_true(ee_jaro_winkler(pair.a, pair.a, &arena) == 1);
    assert_ptr_equal(before.at, ee_arena_get_mark(&arena).at);
    test_free_pair(&pair);
  }
}

static void is_a_metric(void **state) {
  (void)state;
  test_random random = test_random_start("edit: metric", 104);
  static test_text_pair pair;
  static uint32_t pc[TEST_TEXT_MAX];
  for (int round = 0; round < 3000; round++) {
    test_random_pair(&random, &pair);
    memcpy(pc, pair.pb, pair.nb * sizeof *pc);
    size_t nc = test_edit_points(&random, TEST_MIXED, test_random_below(&random, 20), pc, pair.nb);
    ee_str c = test_text_of(pc, nc);
    size_t ab = ee_levenshtein(pair.a, pair.b, EE_NO_LIMIT, &arena);
    size_t bc = ee_levenshtein(pair.b, c, EE_NO_LIMIT, &arena);
    size_t ac = ee_levenshtein(pair.a, c, EE_NO_LIMIT, &arena);
    assert_true(ac <= ab + bc);
    assert_true(ab <= ac + bc);
    assert_int_equal(ee_levenshtein(pair.a, pair.a, EE_NO_LIMIT, &arena), 0);
    assert_int_equal(ee_levenshtein(pair.a, pair.a, 0, &arena), 0);
    assert_int_equal(ab == 0, ee_str_equal(pair.a, pair.b));
    assert_true(ab >= larger(pair.na, pair.nb) - smaller(pair.na, pair.nb));
    assert_true(ab <= larger(pair.na, pair.nb));
    /* Insertions and deletions alone cost between one and two times as much. */
    size_t indel = pair.na + pair.nb - 2 * ee_lcs_length(pair.a, pair.b, &arena);
    assert_true(ab <= indel && indel <= 2 * ab);
    test_text_free(c);
    test_free_pair(&pair);
  }
}

static void handles_long_texts(void **state) {
  (void)state;
  enum { LONG = 20000 };
  char *a = malloc(LONG), *b = malloc(LONG + 7);
  memset(a, 'x', LONG);
  memset(b, 'x', LONG + 7);
  for (size_t i = 100; i < LONG; i += 1000) b[i] = 'y';
  ee_str ta = {a, LONG}, tb = {b, LONG + 7};
  assert_int_equal(ee_levenshtein(ta, tb, EE_NO_LIMIT, &arena), 20); /* 20 changes, of which 7 are insertions */
  assert_int_equal(ee_levenshtein(ta, tb, 19, &arena), 20);
  assert_int_equal(ee_levenshtein(ta, tb, 20, &arena), 20);
  assert_int_equal(ee_levenshtein(ta, tb, 10, &arena), 11);
  assert_int_equal(ee_lcs_length(ta, tb, &arena), LONG - 13);
  free(a);
  free(b);
}

/* Thresholds ----------------------------------------------------------------------------------- */

/* parts/whole >= hundredths/scale in whole numbers. */
static int exactly_reaches(size_t parts, size_t whole, size_t share, size_t scale) {
  return parts * scale >= share * whole;
}

static void limits_are_exact_for_decimal_thresholds(void **state) {
  (void)state;
  for (size_t longer = 1; longer <= 200; longer++)
    for (size_t k = 0; k <= 100; k++) {
      size_t exact = longer * (100 - k) / 100;
      size_t limit = ee_edit_limit((double)k / 100, longer);
      if (limit != exact) fail_msg("threshold %zu/100, length %zu: %zu, not %zu", k, longer, limit, exact);
    }
  for (size_t longer = 1; longer <= 3000; longer += longer < 40 ? 1 : 37)
    for (size_t k = 0; k <= 1000; k++)
      assert_int_equal(ee_edit_limit((double)k / 1000, longer), longer * (1000 - k) / 1000);
  for (size_t longer = 1; longer <= 60; longer++)
    for (size_t whole = 1; whole <= 60; whole++)
      for (size_t parts = 0; parts <= whole; parts++)
        assert_int_equal(ee_edit_limit((double)parts / (double)whole, longer), longer * (whole - parts) / whole);
  assert_int_equal(ee_edit_limit(0.8, 20), 4);
  assert_int_equal(ee_edit_limit(0.85, 20), 3);
  assert_int_equal(ee_edit_limit(1, 20), 0);
  assert_int_equal(ee_edit_limit(0, 20), 20);
  assert_int_equal(ee_edit_limit(1.01, 20), SIZE_MAX);
  assert_int_equal(ee_edit_limit(2, 1), SIZE_MAX);
  assert_int_equal(ee_edit_limit(1.000001, 1000), SIZE_MAX);
}

static void ratios_are_exact_for_decimal_thresholds(void **state) {
  (void)state;
  for (size_t whole = 1; whole <= 120; whole++)
    for (size_t parts = 0; parts <= whole; parts++)
      for (size_t k = 0; k <= 100; k++) {
        int exact = exactly_reaches(parts, whole, k, 100);
        if (ee_ratio_reaches(parts, whole, (double)k / 100) != exact)
          fail_msg("%zu of %zu at %zu/100 should be %d", parts, whole, k, exact);
      }
  test_random random = test_random_start("edit: ratios", 105);
  for (int round = 0; round < 100000; round++) {
    size_t whole = 1 + test_random_below(&random, 1000000), k = test_random_below(&random, 10001);
    size_t parts = smaller(whole, whole * k / 10000 + test_random_below(&random, 3));
    assert_int_equal(ee_ratio_reaches(parts, whole, (double)k / 10000), exactly_reaches(parts, whole, k, 10000));
  }
  assert_true(ee_ratio_reaches(0, 0, 1));
  assert_true(ee_ratio_reaches(0, 0, 0));
  assert_true(ee_ratio_reaches(16, 20, 0.8));
  assert_false(ee_ratio_reaches(7999999, 10000000, 0.8));
  assert_false(ee_ratio_reaches(0, 1, 1e-9));
  assert_false(ee_ratio_reaches(1, 1, 1.001));
}

/* The limit is the last distance that the ratio lets pass, at any threshold. */
static void limit_and_ratio_agree(void **state) {
  (void)state;
  test_random random = test_random_start("edit: limit and ratio", 106);
  for (int round = 0; round < 100000; round++) {
    size_t longer = 1 + test_random_below(&random, test_random_below(&random, 2) == 0 ? 300 : 1000000);
    double threshold = test_random_unit(&random);
    size_t limit = ee_edit_limit(threshold, longer);
    assert_true(limit <= longer);
    assert_true(ee_ratio_reaches(longer - limit, longer, threshold));
    if (limit < longer) assert_false(ee_ratio_reaches(longer - limit - 1, longer, threshold));
  }
}

/* Texts are UTF-8; what is not must do no harm. */
static void bad_bytes_are_symbols(void **state) {
  (void)state;
  assert_int_equal(ee_levenshtein(EE_STR("\xff\xfe"), EE_STR("\xff"), 10, &arena), 1);
  assert_int_equal(ee_winkler_prefix(EE_STR("\xff\xfe"), EE_STR("\xff\xfe")), 0);
  assert_int_equal(ee_winkler_prefix(EE_STR("a\xff"), EE_STR("a\xff")), 1);
  /* What looks shorter has more symbols: no part is as long. */
  char needle[150];
  memset(needle, 'b', 10);
  memset(needle + 10, '\x80', 110);
  static const char bs[] =
      "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";
  assert_true(ee_partial_ratio((ee_str){needle, 120}, EE_STR(bs), &arena) == 0);
}

static void knows_prefixes(void **state) {
  (void)state;
  assert_int_equal(ee_winkler_prefix(EE_STR(""), EE_STR("a")), 0);
  assert_int_equal(ee_winkler_prefix(EE_STR("ab"), EE_STR("abc")), 2);
  assert_int_equal(ee_winkler_prefix(EE_STR("abcde"), EE_STR("abcdef")), 4);
  assert_int_equal(ee_winkler_prefix(EE_STR("\xc3\xa9"), EE_STR("\xc3\xa8")), 0);
}

/* Lengths in bytes and in symbols say something else. */
static void counts_symbols_not_bytes(void **state) {
  (void)state;
  assert_int_equal(ee_levenshtein(EE_STR("\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e"), EE_STR("abcdefghi"), 2, &arena), 3);
  assert_int_equal(ee_levenshtein(EE_STR("\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e"), EE_STR("abcdefghi"), 9, &arena), 9);
  uint32_t many_letters[130];
  char letters[392];
  memset(letters, 'a', 391);
  for (uint32_t i = 0; i < 130; i++) many_letters[i] = 0x4e00 + i;
  ee_str ideographs = test_text_of(many_letters, 130);
  assert_int_equal(ee_levenshtein(ideographs, (ee_str){letters, 391}, 5, &arena), 6);
  assert_int_equal(ee_levenshtein(ideographs, (ee_str){letters, 391}, 391, &arena), 391);
  test_text_free(ideographs);
  char text[6001];
  for (size_t i = 0; i < 6000; i += 2) memcpy(text + i, "\xc3\xa9", 2);
  for (size_t count = 2030; count < 3000; count += 11) {
    ee_str many = {text, 2 * count};
    assert_int_equal(ee_levenshtein(many, EE_STR("bc"), count - 1, &arena), count);
    assert_int_equal(ee_levenshtein(many, EE_STR("bc"), count, &arena), count);
  }
}

/* What differs is near the end of the shorter text, and a block of 64 rows ends there: the limit is passed between two
 * looks at it. More letters than bytes can name, so that blocks are used for any limit. */
static void costs_may_rise_at_the_end(void **state) {
  (void)state;
  test_random random = test_random_start("edit: late costs", 109);
  static uint32_t a[TEST_TEXT_MAX], b[TEST_TEXT_MAX];
  for (int round = 0; round < 500; round++) {
    size_t nb = 176 + test_random_below(&random, 16), excess = 1 + test_random_below(&random, 15), na = 0;
    size_t equal = 172 + test_random_below(&random, 16);
    while (na < 1 + excess) a[na++] = 0x4e00;
    b[0] = 0x4e01;
    for (size_t i = 1; i < nb; i++) {
      b[i] = 0x5000 + (uint32_t)i;
      a[na++] = i < equal ? b[i] : 0x6000 + (uint32_t)i;
    }
    size_t limit = excess + test_random_below(&random, 6), distance = table_levenshtein(a, na, b, nb);
    ee_str ta = test_text_of(a, na), tb = test_text_of(b, nb);
    assert_int_equal(ee_levenshtein(ta, tb, limit, &arena), smaller(distance, limit + 1));
    assert_int_equal(ee_levenshtein(tb, ta, limit, &arena), smaller(distance, limit + 1));
    test_text_free(ta);
    test_text_free(tb);
  }
}

static void tiny_thresholds_ask_for_something(void **state) {
  (void)state;
  assert_int_equal(ee_edit_limit(1e-300, 10), 9); /* one symbol in common */
  assert_int_equal(ee_edit_limit(0, 10), 10);
  assert_int_equal(ee_edit_limit(1, 10), 0);
}

/* Texts are valid UTF-8; a byte that is none of it counts as a symbol, and nothing hangs. */
static void ends_on_bytes_that_are_no_text(void **state) {
  (void)state;
  ee_str bad = {"a\xff\xc3", 3}, good = {"a\u00e9", 3};
  assert_int_equal(ee_levenshtein(bad, bad, EE_NO_LIMIT, &arena), 0);
  assert_in_range(ee_levenshtein(bad, good, EE_NO_LIMIT, &arena), 1, 3);
  assert_in_range(ee_levenshtein(good, bad, EE_NO_LIMIT, &arena), 1, 3);
}

/* Texts of as many different symbols as fit into bytes, and a few more, in pages of their own; the other text has some
 * that the first lacks. */
static void agrees_where_names_run_out(void **state) {
  (void)state;
  test_random random = test_random_start("edit: names", 108);
  static uint32_t a[TEST_TEXT_MAX], b[TEST_TEXT_MAX];
  for (int round = 0; round < 300; round++) {
    size_t different = 120 + test_random_below(&random, 14), na = 0, nb = 0;
    uint32_t first = round % 2 == 0 ? 0x4e00 : 0x380, step = round % 3 == 0 ? 1 : 61;
    while (na < different) {
      a[na] = first + (uint32_t)na * step;
      na++;
    }
    for (size_t i = 0; i < na; i++) { /* shuffled, then similar */
      size_t k = test_random_below(&random, na);
      uint32_t moved = a[i];
      a[i] = a[k];
      a[k] = moved;
    }
    for (size_t i = 0; i < na; i++) {
      size_t pick = test_random_below(&random, 10);
      if (pick == 0) b[nb++] = first + (uint32_t)(different + test_random_below(&random, 40)) * step;
      if (pick == 1) b[nb++] = (uint32_t)('a' + test_random_below(&random, 26));
      if (pick != 2) b[nb++] = a[i];
    }
    ee_str ta = test_text_of(a, na), tb = test_text_of(b, nb);
    size_t distance = table_levenshtein(a, na, b, nb), lcs = table_lcs(a, na, b, nb);
    assert_int_equal(ee_levenshtein(ta, tb, EE_NO_LIMIT, &arena), distance);
    assert_int_equal(ee_levenshtein(tb, ta, EE_NO_LIMIT, &arena), distance);
    assert_int_equal(ee_levenshtein(ta, tb, distance, &arena), distance);
    if (distance > 0) assert_int_equal(ee_levenshtein(ta, tb, distance - 1, &arena), distance);
    assert_int_equal(ee_lcs_length(ta, tb, &arena), lcs);
    assert_int_equal(ee_lcs_length(tb, ta, &arena), lcs);
    assert_close(ee_jaro_winkler(ta, tb, &arena), plain_jaro_winkler(a, na, b, nb), 1e-14);
    assert_close(ee_jaro_winkler(tb, ta, &arena), plain_jaro_winkler(a, na, b, nb), 1e-14);
    test_text_free(ta);
    test_text_free(tb);
  }
}

/* Partial ratio ------------------------------------------------------------------------------------ */

/* The best ratio of `a`, not longer than `b`, and any part of `b` that is as long, or shorter and at an end. */
static double plain_partial_of(const uint32_t *a, size_t na, const uint32_t *b, size_t nb) {
  double best = 0;
  for (size_t start = 0; start < nb; start++)
    for (size_t end = start + 1; end <= nb; end++) {
      if (end - start > na || (end - start < na && start != 0 && end != nb)) continue;
      double ratio = 2.0 * (double)table_lcs(a, na, b + start, end - start) / (double)(na + end - start);
      if (ratio > best) best = ratio;
    }
  return best;
}

static double plain_partial(const uint32_t *a, size_t na, const uint32_t *b, size_t nb) {
  if (na == 0 && nb == 0) return 1;
  if (na == 0 || nb == 0) return 0;
  if (na < nb) return plain_partial_of(a, na, b, nb);
  if (na > nb) return plain_partial_of(b, nb, a, na);
  return fmax(plain_partial_of(a, na, b, nb), plain_partial_of(b, nb, a, na));
}

static void check_partial(const uint32_t *a, size_t na, const uint32_t *b, size_t nb) {
  ee_str ta = test_text_of(a, na), tb = test_text_of(b, nb);
  double wanted = plain_partial(a, na, b, nb);
  assert_close(ee_partial_ratio(ta, tb, &arena), wanted, 1e-15);
  assert_close(ee_partial_ratio(tb, ta, &arena), wanted, 1e-15);
  /* The part that is named is one of those, and has that ratio. */
  ee_part part = ee_best_part(ta, tb, &arena);
  if (part.common > 0) {
    const uint32_t *whole = part.of_a ? b : a, *parted = part.of_a ? a : b;
    size_t whole_count = part.of_a ? nb : na, parted_count = part.of_a ? na : nb;
    assert_true(whole_count <= parted_count && part.whole == whole_count);
    assert_true(part.length <= whole_count && part.start + part.length <= parted_count);
    assert_true(part.length == whole_count || part.start == 0 || part.start + part.length == parted_count);
    assert_int_equal(part.common, table_lcs(whole, whole_count, parted + part.start, part.length));
    assert_close(2.0 * (double)part.common / (double)(whole_count + part.length), wanted, 1e-15);
  } else {
    assert_true(wanted == 0 || na + nb == 0);
  }
  test_text_free(ta);
  test_text_free(tb);
}

static void partial_ratio_agrees_with_all_parts(void **state) {
  (void)state;
  test_random random = test_random_start("edit: partial", 108);
  static uint32_t a[TEST_TEXT_MAX], b[TEST_TEXT_MAX];
  for (int round = 0; round < 1500; round++) {
    test_alphabet alphabet = (test_alphabet)test_random_below(&random, TEST_ALPHABETS);
    size_t na = test_random_points(&random, alphabet, test_random_below(&random, 12), a), nb;
    if (round % 3 == 0) {
      nb = test_random_points(&random, alphabet, test_random_below(&random, 30), b);
    } else { /* a changed copy within other text */
      size_t before = test_random_below(&random, 12);
      nb = test_random_points(&random, alphabet, before, b);
      memcpy(b + nb, a, na * sizeof *a);
      nb += test_edit_points(&random, alphabet, test_random_below(&random, 5), b + nb, na);
      nb += test_random_points(&random, alphabet, test_random_below(&random, 12), b + nb);
    }
    check_partial(a, na, b, nb);
  }
  for (size_t na = 126; na < 132; na++) { /* around as many letters as bytes can name */
    for (size_t i = 0; i < na; i++) a[i] = 0x4e00 + (uint32_t)i;
    memcpy(b, a + 3, (na - 3) * sizeof *a);
    memcpy(b + na - 3, a, 9 * sizeof *a);
    check_partial(a, na, b, na + 6);
  }
  for (int round = 0; round < 8; round++) { /* needles around 64, of one page and of several */
    test_alphabet alphabet = round % 2 == 0 ? TEST_AB : TEST_MIXED;
    size_t na = test_random_points(&random, alphabet, 63 + test_random_below(&random, 4), a);
    size_t nb = test_random_points(&random, alphabet, 7, b);
    memcpy(b + nb, a, na * sizeof *a);
    nb += test_edit_points(&random, alphabet, 9, b + nb, na);
    check_partial(a, na, b, nb);
  }
}

static void knows_partial_ratios(void **state) {
  (void)state;
  assert_true(ee_partial_ratio(EE_STR("new york mets"), EE_STR("the wonderful new york mets"), &arena) == 1);
  assert_close(ee_partial_ratio(EE_STR("physics 2 vid"), EE_STR("study physics physics 2"), &arena), 9 / 11.0, 1e-15);
  assert_true(ee_partial_ratio(EE_STR("physics 2 vid"), EE_STR("study physics physics 2 video"), &arena) == 1);
  assert_close(ee_partial_ratio(EE_STR("ax b"), EE_STR("a b a c b"), &arena), 6 / 7.0, 1e-15);
  assert_true(ee_partial_ratio(EE_STR(""), EE_STR(""), &arena) == 1);
  assert_true(ee_partial_ratio(EE_STR("a"), EE_STR(""), &arena) == 0);
  assert_true(ee_partial_ratio(EE_STR(""), EE_STR("\u00e9"), &arena) == 0);
  assert_true(ee_partial_ratio(EE_STR("b"), EE_STR("a"), &arena) == 0);
  const ee_str nothing = {NULL, 0};
  assert_true(ee_partial_ratio(nothing, nothing, &arena) == 1 && ee_partial_ratio(nothing, EE_STR("a"), &arena) == 0);
  ee_part part = ee_best_part(EE_STR("a certain string"), EE_STR("certain"), &arena);
  assert_true(part.of_a && part.start == 2 && part.length == 7 && part.common == 7 && part.whole == 7);
  part = ee_best_part(EE_STR("certain"), EE_STR("a certain string"), &arena);
  assert_true(!part.of_a && part.start == 2 && part.length == 7);
}

/* Texts that differ in one symbol or none, after common beginnings and ends of every length. */
static void one_symbol_is_one_edit(void **state) {
  (void)state;
  static const char *const symbols[] = {"", "a", "b", "\xc3\xa9", "\xce\xb1", "\xe6\xbc\xa2", "\xf0\x9f\x98\x80"};
  enum { SYMBOLS = sizeof symbols / sizeof *symbols };
  for (size_t i = 0; i < SYMBOLS * SYMBOLS; i++) {
    const char *x = symbols[i / SYMBOLS], *y = symbols[i % SYMBOLS];
    for (size_t around = 0; around < 40; around++) {
      char a[200] = "", b[200] = "";
      for (size_t k = 0; k < around; k++) strcat(a, k % 3 == 0 ? "\xce\xb2" : k % 7 == 1 ? " " : "\xce\xb3");
      strcpy(b, a);
      strcat(a, x);
      strcat(b, y);
      for (size_t k = 0; k < around / 2; k++) strcat(a, "\xd0\xb6"), strcat(b, "\xd0\xb6");
      size_t wanted = x != y;
      for (size_t limit = 0; limit < 3; limit++)
        assert_int_equal(ee_levenshtein(ee_str_from(a), ee_str_from(b), limit, &arena), wanted);
      assert_int_equal(ee_levenshtein(ee_str_from(b), ee_str_from(a), EE_NO_LIMIT, &arena), wanted);
    }
  }
}

#define EDIT_TESTS                                                                                                     \
  cmocka_unit_test(knows_distances), cmocka_unit_test(knows_similarities), cmocka_unit_test(knows_jaro_winkler),       \
      cmocka_unit_test(agrees_with_the_table), cmocka_unit_test(agrees_at_block_borders),                              \
      cmocka_unit_test(agrees_within_narrow_limits), cmocka_unit_test(jaro_agrees_with_its_definition),                \
      cmocka_unit_test(is_a_metric), cmocka_unit_test(handles_long_texts),                                             \
      cmocka_unit_test(limits_are_exact_for_decimal_thresholds),                                                       \
      cmocka_unit_test(ratios_are_exact_for_decimal_thresholds), cmocka_unit_test(limit_and_ratio_agree),              \
      cmocka_unit_test(bad_bytes_are_symbols), cmocka_unit_test(knows_prefixes),                                       \
      cmocka_unit_test(counts_symbols_not_bytes), cmocka_unit_test(costs_may_rise_at_the_end),                         \
      cmocka_unit_test(tiny_thresholds_ask_for_something), cmocka_unit_test(partial_ratio_agrees_with_all_parts),      \
      cmocka_unit_test(knows_partial_ratios), cmocka_unit_test(ends_on_bytes_that_are_no_text),                        \
      cmocka_unit_test(agrees_where_names_run_out), cmocka_unit_test(one_symbol_is_one_edit)

#ifndef EDIT_AGAIN
EE_TEST_FILE(make_arena, free_arena, EDIT_TESTS);
#endif
