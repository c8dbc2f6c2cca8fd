/* test_local_twin.c: the local similarity against every possible pairing of words, by a textbook Jaro-Winkler. */
#ifdef EE_WITH_STEMMER
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "provider/local_words.h"
#include "provider/provider.h"
#include "support/random.h"

enum { ROUNDS = 8000, WORDS = 7, LETTERS = 64 };

/* Slow and obvious ----------------------------------------------------------------------------- */

static size_t decode(ee_str text, uint32_t *out) {
  size_t count = 0;
  for (size_t at = 0; at < text.length && count < LETTERS; count++)
    at += ee_utf8_decode(text.data + at, text.length - at, &out[count]);
  return count;
}

/* Winkler 1990, with the prefix bonus for all. */
static double jaro_winkler(ee_str a_text, ee_str b_text) {
  uint32_t a[LETTERS], b[LETTERS], in_a[LETTERS], in_b[LETTERS];
  bool used[LETTERS] = {false};
  size_t n = decode(a_text, a), m = decode(b_text, b), common = 0, kept = 0, moved = 0, prefix = 0;
  size_t window = (n > m ? n : m) / 2;
  if (window > 0) window--;
  for (size_t i = 0; i < n; i++) {
    for (size_t k = 0; k < m; k++) {
      if (used[k] || a[i] != b[k] || (i > k ? i - k : k - i) > window) continue;
      used[k] = true;
      in_a[common++] = a[i];
      break;
    }
  }
  if (common == 0) return 0;
  for (size_t k = 0; k < m; k++) {
    if (used[k]) in_b[kept++] = b[k];
  }
  for (size_t i = 0; i < common; i++) moved += in_a[i] != in_b[i];
  double c = (double)common;
  double jaro = (c / (double)n + c / (double)m + (c - (double)(moved / 2)) / c) / 3;
  while (prefix < 4 && prefix < n && prefix < m && a[prefix] == b[prefix]) prefix++;
  return jaro + (double)prefix * 0.1 * (1 - jaro);
}

/* The digits of a plain decimal without needless zeros. */
static void plain_decimal(ee_str text, char out[LETTERS]) {
  size_t length = text.length < LETTERS - 1 ? text.length : LETTERS - 1;
  memcpy(out, text.data, length);
  out[length] = '\0';
  char *digits = *out == '-' || *out == '+' ? out + 1 : out;
  while (digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9') memmove(digits, digits + 1, strlen(digits));
  if (strchr(out, '.') == NULL) return;
  while (out[strlen(out) - 1] == '0') out[strlen(out) - 1] = '\0';
  if (out[strlen(out) - 1] == '.') out[strlen(out) - 1] = '\0';
}

static double word_similarity(const ee_word *a, const ee_word *b) {
  if (a->is_number || b->is_number) {
    char x[LETTERS], y[LETTERS];
    plain_decimal(a->text, x);
    plain_decimal(b->text, y);
    return a->is_number && b->is_number && strcmp(x, y) == 0;
  }
  if (ee_str_equal(a->text, b->text)) return 1;
  double similarity = jaro_winkler(a->text, b->text);
  return similarity >= 0.9 ? similarity : 0;
}

/* The greatest sum of words a[from..n) with those of b that are free: every choice is tried. */
static double best_sum(const ee_word *a, size_t n, const ee_word *b, size_t m, size_t from, unsigned taken) {
  if (from == n) return 0;
  double best = best_sum(a, n, b, m, from + 1, taken);
  for (size_t k = 0; k < m; k++) {
    if (taken >> k & 1) continue;
    double one = word_similarity(&a[from], &b[k]);
    if (one == 0) continue; /* no better than leaving the word alone */
    double sum = one + best_sum(a, n, b, m, from + 1, taken | 1u << k);
    if (sum > best) best = sum;
  }
  return best;
}

/* Random texts --------------------------------------------------------------------------------- */

static const char *const words[] = {
    "engineer",   "engineers",   "engineering",   "Engineered", "engine",   "senior",  "Seniors",  "seniority",
    "experience", "experienced", "inexperienced", "martha",     "marhta",   "dwayne",  "duane",    "dixon",
    "dickson",    "dicksonx",    "not",           "no",         "nothing",  "the",     "of",       "and",
    "with",       "10",          "10+",           "10.0",       "1,000",    "1000",    "-5",       "5",
    "3.50",       "3.5",         "2nd",           "Straße",     "STRASSE",  "Müller",  "Muller",   "naïve",
    "naive",      "running",     "ran",           "runs",       "run",      "payment", "payments", "paid",
    "unpaid",     "invoice",     "invoices",      "total",      "totals",   "O'Neil",  "e-mail",   "email",
    "mails",      "A1B2",        "a1b3",          "relational", "relation", "relate",  "related",
};
enum { KINDS = sizeof words / sizeof *words };

/* A sentence; `other` (may be NULL) lends it some of its words. */
static char *sentence(test_random *random, const size_t *other, size_t other_count, size_t *chosen, size_t *count,
                      ee_arena *arena) {
  static const char *const gaps[] = {" ", " ", " ", ", ", "  ", "; ", "\n", " (", ") ", ": "};
  *count = 1 + test_random_below(random, WORDS);
  char *text = ee_arena_printf(arena, "%s", "");
  for (size_t i = 0; i < *count; i++) {
    bool lent = other_count > 0 && test_random_below(random, 2) == 0;
    chosen[i] = lent ? other[test_random_below(random, other_count)] : test_random_below(random, KINDS);
    /* Neighbours in the table are alike. */
    if (lent && test_random_below(random, 3) == 0) chosen[i] = (chosen[i] + 1) % KINDS;
    text = ee_arena_printf(arena, "%s%s%s", text, i == 0 ? "" : gaps[test_random_below(random, 10)], words[chosen[i]]);
  }
  return ee_arena_printf(arena, "%s%s", text, test_random_below(random, 4) == 0 ? "." : "");
}

static double ask(ee_provider_session *session, const char *expected, const char *candidate, ee_arena *arena) {
  ee_answer answer = {.state = EE_ANSWER_PENDING};
  session->vtable->similarity(session, ee_str_from(expected), ee_str_from(candidate), arena, &answer);
  assert_int_equal(answer.state, EE_ANSWER_GIVEN);
  assert_true(answer.similarity >= 0 && answer.similarity <= 1);
  return answer.similarity;
}

static void check_language(const char *language, uint64_t seed) {
  test_random random = test_random_start(language, seed);
  ee_error error = {0};
  ee_provider_settings settings = {.kind = EE_PROVIDER_LOCAL, .language = ee_str_from(language)};
  ee_provider *provider = ee_local_provider_open(&settings, &error);
  if (provider == NULL) fail_msg("%s", error.message);
  ee_provider_session *session = provider->vtable->open(provider, &error);
  assert_non_null(session);
  ee_word_reader *reader = ee_word_reader_new(settings.language, &error);
  assert_non_null(reader);
  ee_arena arena;
  ee_arena_init(&arena, 0);
  size_t between = 0, compared = 0;
  for (size_t round = 0; round < ROUNDS; round++) {
    ee_arena_reset(&arena, 0);
    size_t chosen[2][WORDS], counts[2];
    char *expected = sentence(&random, NULL, 0, chosen[0], &counts[0], &arena);
    char *candidate = sentence(&random, chosen[0], counts[0], chosen[1], &counts[1], &arena);
    if (strcmp(expected, candidate) == 0) continue;
    ee_word *a, *b;
    size_t n = ee_words_read(reader, ee_str_from(expected), false, &arena, &a);
    size_t m = ee_words_read(reader, ee_str_from(candidate), false, &arena, &b);
    if (n == 0 || m == 0 || m > 12) continue; /* texts of stop words only: see test_local.c */
    double twin = 2 * best_sum(a, n, b, m, 0, 0) / (double)(n + m);
    double ours = ask(session, expected, candidate, &arena);
    if (!(fabs(ours - twin) <= 1e-12)) fail_msg("'%s' and '%s': %.17g, twin %.17g", expected, candidate, ours, twin);
    double back = ask(session, candidate, expected, &arena);
    if (!(fabs(ours - back) <= 1e-12)) fail_msg("'%s' and '%s': %.17g, back %.17g", expected, candidate, ours, back);
    between += ours > 0 && ours < 1;
    compared++;
  }
  assert_true(compared > ROUNDS / 2 && between > compared / 4);
  ee_arena_fini(&arena);
  ee_word_reader_free(reader);
  provider->vtable->close(session);
  ee_provider_free(provider);
}

static void test_english(void **state) {
  (void)state;
  check_language("english", 61);
}

static void test_german(void **state) {
  (void)state;
  check_language("german", 62);
}

/* What the definition says of words, without looking at how they are read. */
static void test_statements(void **state) {
  (void)state;
  ee_error error = {0};
  ee_provider_settings settings = {.kind = EE_PROVIDER_LOCAL, .language = EE_STR("english")};
  ee_provider *provider = ee_local_provider_open(&settings, &error);
  assert_non_null(provider);
  ee_provider_session *session = provider->vtable->open(provider, &error);
  assert_non_null(session);
  ee_arena arena;
  ee_arena_init(&arena, 0);
  static const struct statement {
    const char *expected, *candidate;
    double similarity;
  } statements[] = {
      {"Engineers, senior", "senior ENGINEER", 1}, /* case, order, stems */
      {"10+ years", "10 years", 1},                /* 10+ is 10 */
      {"10 years", "11 years", 0.5},               /* numbers only when equal */
      {"1,000 items", "1000 items", 1},            /* numbers as numbers */
      {"3.50 total", "3.5 total", 1},              /* by decimal value */
      {"-5 degrees", "5 degrees", 0.5},            /* the sign counts */
      {"the engineer", "an engineer", 1},          /* stop words */
      {"paid", "not paid", 2.0 / 3},               /* not stays */
      {"no payment", "payment", 2.0 / 3},          /* no stays */
      {"senior senior", "senior", 2.0 / 3},        /* one to one */
      {"apple", "zebra", 0},                       /* nothing in common */
      {"STRASSE", "Straße", 1},                    /* case folding in full */
  };
  for (size_t i = 0; i < sizeof statements / sizeof *statements; i++) {
    const struct statement *s = &statements[i];
    double ours = ask(session, s->expected, s->candidate, &arena);
    if (fabs(ours - s->similarity) > 1e-12)
      fail_msg("'%s' and '%s': %.17g, not %.17g", s->expected, s->candidate, ours, s->similarity);
  }
  ee_arena_fini(&arena);
  provider->vtable->close(session);
  ee_provider_free(provider);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_english), cmocka_unit_test(test_german),
             cmocka_unit_test(test_statements));

#else

EE_TEST_FILE(NULL, NULL); /* test_local.c tests that such a program says so */

#endif
