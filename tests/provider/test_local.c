/* test_local.c: similarity by words against a slow and obvious twin, and what it does to texts of any length. */
#include "provider/provider.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "prim/edit.h"
#include "prim/number.h"
#include "provider/local_words.h"
#include "support/random.h"

#ifdef EE_WITH_STEMMER

/* Counting memory ------------------------------------------------------------------------------ */

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define COUNTS_MEMORY 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define COUNTS_MEMORY 0
#endif
#endif
#if !defined(COUNTS_MEMORY) && defined(__GLIBC__)
#define COUNTS_MEMORY 1
#elif !defined(COUNTS_MEMORY)
#define COUNTS_MEMORY 0
#endif

#if COUNTS_MEMORY
/* The program's own malloc comes before that of the C library, for the libraries too. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);

static _Atomic size_t allocations; /* other threads have their part in it */

void *malloc(size_t size) {
  allocations++;
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  allocations++;
  return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
  allocations++;
  return __libc_realloc(memory, size);
}
#endif

/* Asking --------------------------------------------------------------------------------------- */

typedef struct fixture {
  ee_provider *provider;
  ee_provider_session *session;
  ee_word_reader *reader;
  ee_arena scratch, words;
} fixture;

static int open_fixture(void **state) {
  fixture *f = test_calloc(1, sizeof *f);
  ee_error error = {0};
  f->provider = ee_local_provider_open(&(ee_provider_settings){.language = EE_STR("english")}, &error);
  if (f->provider == NULL) fail_msg("%s", error.message);
  f->session = f->provider->vtable->open(f->provider, &error);
  f->reader = ee_word_reader_new(EE_STR("english"), &error);
  ee_arena_init(&f->scratch, 0);
  ee_arena_init(&f->words, 0);
  (void)ee_arena_alloc(&f->scratch, 1);
  *state = f;
  return 0;
}

static int close_fixture(void **state) {
  fixture *f = *state;
  f->provider->vtable->close(f->session);
  f->provider->vtable->free(f->provider);
  ee_word_reader_free(f->reader);
  ee_arena_fini(&f->scratch);
  ee_arena_fini(&f->words);
  test_free(f);
  return 0;
}

static ee_answer ask(fixture *f, ee_str expected, ee_str candidate) {
  ee_answer answer = {.state = EE_ANSWER_PENDING};
  ee_arena_mark mark = ee_arena_get_mark(&f->scratch);
  f->session->vtable->similarity(f->session, expected, candidate, &f->scratch, &answer);
  assert_ptr_equal(mark.at, ee_arena_get_mark(&f->scratch).at);
  return answer;
}

static double similarity(fixture *f, ee_str expected, ee_str candidate) {
  ee_answer answer = ask(f, expected, candidate);
  assert_int_equal(answer.state, EE_ANSWER_GIVEN);
  assert_true(answer.similarity >= 0 && answer.similarity <= 1);
  return answer.similarity;
}

static void knows_texts(void **state) {
  fixture *f = *state;
  static const struct {
    const char *expected, *candidate;
    double similarity;
  } facts[] = {
      /* "experience" and "experienced" have different stems, of similarity 14/15. */
      {"Senior engineer with 10 years of experience...", "Experienced senior engineer, 10+ years...",
       2 * (4 + 14.0 / 15) / 10},
      {"The cat sat on the mat.", "A cat, sitting at the mats", 2 * 2.0 / 6},
      {"paid", "not paid", 2 / 3.0},
      {"It is not paid", "It isn't paid.", 1},
      {"10 apples", "10.0 apple", 1},
      {"10 apples", "11 apples", 0.5}, /* numbers are equal or not */
      {"1000", "1001", 0},
      {"$1,000", "1000 USD", 2 / 3.0},
      {"-5 degrees", "5 degrees", 0.5},
      {"dog bites man", "Man bites dog!", 1}, /* where a lexical similarity errs */
      {"cheap", "inexpensive", 0},            /* and again */
      {"the", "of", 0},                       /* only stop words: they stay, on both sides */
      {"to be or to be", "to be, or", 2 * 3.0 / 8},
      {"to be or not to be", "not", 1}, /* all others are stop words */
      {"the same", "same the", 1},
      {"the", "same", 0},
      {"the the", "the", 2 / 3.0},
      {"cat", "the", 0},
      {"!!!", "???", 0},
      {" !!! ", "!!!", 1},
      {"☃", "☃ ", 1},
      {"", " ", 1},
      {"", "cat", 0},
      {"...", "cat", 0},
      {"a a a", "a", 0.5},
      {"cat cat cat", "cat dog", 2 / 5.0},
      {"中文", "中国", 0.5},
      {"ÀÉÎ", "àéî", 1},
      {"abcde7", "abcde7ghijkl", 0.9}, /* the least that counts: a prefix of four, and half the length */
      {"abcde7", "abcde7ghijklm", 0},
      {"x1martha", "x1marhta", 2 * (23 / 24.0 + 0.4 / 24) / 2},
      /* The word that is in both goes to other partners, because 10.4/11 twice is more than 1 and nothing. */
      {"abcdefg7 abcdefg7qrs", "abcdefg7 abcdefg7tuv", 10.4 / 11},
  };
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    double got = similarity(f, ee_str_from(facts[i].expected), ee_str_from(facts[i].candidate));
    if (fabs(got - facts[i].similarity) > 1e-12)
      fail_msg("\"%s\" and \"%s\": %.17g, not %.17g", facts[i].expected, facts[i].candidate, got, facts[i].similarity);
  }
}

/* The twin ------------------------------------------------------------------------------------- */

static double worth(fixture *f, const ee_word *a, const ee_word *b) {
  if (a->is_number || b->is_number) return a->is_number && b->is_number && ee_decimal_compare(a->text, b->text) == 0;
  if (ee_str_equal(a->text, b->text)) return 1;
  double jaro_winkler = ee_jaro_winkler(a->text, b->text, &f->words);
  return jaro_winkler >= 0.9 - 1e-12 ? jaro_winkler : 0;
}

/* The best sum, by trying every partner of each word, and none. `taken` has a bit for each word of b. */
static double best_sum(fixture *f, const ee_word *a, size_t a_count, const ee_word *b, size_t b_count, unsigned taken) {
  if (a_count == 0) return 0;
  double best = best_sum(f, a + 1, a_count - 1, b, b_count, taken);
  for (size_t k = 0; k < b_count; k++) {
    double pair = (taken >> k & 1u) != 0 ? 0 : worth(f, a, &b[k]);
    if (pair == 0) continue;
    double sum = pair + best_sum(f, a + 1, a_count - 1, b, b_count, taken | 1u << k);
    if (sum > best) best = sum;
  }
  return best;
}

/* -1 where a side has no word; the definition is then another one. */
static double twin(fixture *f, ee_str expected, ee_str candidate) {
  ee_word *a, *b;
  size_t n = ee_words_read(f->reader, expected, false, &f->words, &a);
  size_t m = ee_words_read(f->reader, candidate, false, &f->words, &b);
  double result = n == 0 || m == 0 ? -1 : 2 * best_sum(f, a, n, b, m, 0) / (double)(n + m);
  ee_arena_reset(&f->words, 0);
  return result;
}

/* Words of few letters with digits in them are not stemmed, so that they are often nearly alike. */
static size_t random_word(test_random *random, char *out) {
  static const char *const whole[] = {"engineer", "engineers", "engineering", "experience", "experienced", "the",
                                      "not",      "10",        "10.0",        "1,000",      "1000",        "prefix",
                                      "prefixes", "café",      "cafés",       "中"};
  if (test_random_below(random, 4) == 0) return (size_t)sprintf(out, "%s", whole[test_random_below(random, 16)]);
  static const char *const letters[] = {"a", "b", "c", "7", "é"};
  size_t length = (size_t)sprintf(out, "%s", test_random_below(random, 2) == 0 ? "abca" : "x7");
  for (size_t left = test_random_below(random, 8); left > 0; left--)
    length += (size_t)sprintf(out + length, "%s", letters[test_random_below(random, 5)]);
  return length;
}

static ee_str random_text(test_random *random, size_t words, char *out) {
  size_t length = 0;
  for (size_t i = 0; i < words; i++) {
    length += random_word(random, out + length);
    out[length++] = ' ';
  }
  return (ee_str){out, length};
}

static void agrees_with_the_twin(void **state) {
  fixture *f = *state;
  test_random random = test_random_start("local: twin", 811);
  int between = 0;
  for (int round = 0; round < 20000; round++) {
    char text[2][256];
    ee_str a = random_text(&random, 1 + test_random_below(&random, 6), text[0]);
    ee_str b = random_text(&random, 1 + test_random_below(&random, 6), text[1]);
    double expected = twin(f, a, b);
    if (expected < 0) continue;
    double got = similarity(f, a, b);
    if (fabs(got - expected) > 1e-12)
      fail_msg("round %d: \"%.*s\" and \"%.*s\": %.17g, not %.17g", round, (int)a.length, a.data, (int)b.length, b.data,
               got, expected);
    between += got > 0 && got < 1;
  }
  assert_true(between > 5000);
}

/* Texts of one word: what is not compared letter by letter must not have been alike. Lengths, prefixes and alphabets
 * are drawn so that many pairs lie near 0.9, on both sides and on it. */
static void drops_no_pair_that_is_alike(void **state) {
  fixture *f = *state;
  test_random random = test_random_start("local: filter", 812);
  static const char *const alphabets[][6] = {{"a", "b", "c", "d", "e", "f"},
                                             {"a", "a", "a", "b", "b", "7"},
                                             {"б", "в", "г", "a", "3", "ж"},
                                             {"\xf0\x90\x90\xa8", "\xf0\x90\x90\xa9", "a", "\xc7\xa8", "b", "ё"}};
  int alike = 0, near = 0, exact = 0;
  for (int round = 0; round < 200000; round++) {
    const char *const *alphabet = alphabets[test_random_below(&random, 4)];
    char text[2][400];
    size_t length[2] = {0, 0};
    size_t prefix = test_random_below(&random, 6), common = test_random_below(&random, round % 50 == 0 ? 80 : 9);
    for (size_t i = 0; i < prefix + common; i++) {
      const char *letter = alphabet[test_random_below(&random, 6)];
      for (int side = 0; side < 2; side++) {
        const char *one =
            i >= prefix && test_random_below(&random, 8) == 0 ? alphabet[test_random_below(&random, 6)] : letter;
        length[side] += (size_t)sprintf(text[side] + length[side], "%s", one);
      }
    }
    for (size_t more = test_random_below(&random, 5); more > 0; more--)
      length[0] += (size_t)sprintf(text[0] + length[0], "%s", alphabet[test_random_below(&random, 6)]);
    for (int side = 0; side < 2; side++)
      length[side] += (size_t)sprintf(text[side] + length[side], "9z"); /* a word, no stem */
    ee_str a = {text[0], length[0]}, b = {text[1], length[1]};
    double expected = twin(f, a, b), got = similarity(f, a, b);
    if (fabs(got - expected) > 1e-15)
      fail_msg("\"%.*s\" and \"%.*s\": %.17g, not %.17g", (int)a.length, a.data, (int)b.length, b.data, got, expected);
    alike += got > 0 && got < 1;
    near += got >= 0.9 - 1e-12 && got < 0.92;
    exact += fabs(got - 0.9) < 1e-12;
  }
  assert_true(alike > 30000 && near > 2000 && exact > 0);
}

/* Properties ----------------------------------------------------------------------------------- */

/* What the provider says of itself rests on Jaro-Winkler being symmetric. */
static void jaro_winkler_is_symmetric(void **state) {
  fixture *f = *state;
  test_random random = test_random_start("local: symmetry", 813);
  for (int round = 0; round < 200000; round++) {
    char text[2][128];
    ee_str pair[2];
    size_t letters = 2 + test_random_below(&random, 6);
    for (int side = 0; side < 2; side++) {
      size_t length = test_random_below(&random, round % 4 == 0 ? 100 : 14);
      for (size_t i = 0; i < length; i++) text[side][i] = (char)('a' + test_random_below(&random, letters));
      pair[side] = (ee_str){text[side], length};
    }
    double there = ee_jaro_winkler(pair[0], pair[1], &f->words), back = ee_jaro_winkler(pair[1], pair[0], &f->words);
    assert_memory_equal(&there, &back, sizeof there);
  }
}

/* The words of `text`, which stand between spaces, in another order. */
static ee_str shuffled(test_random *random, ee_str text, char *out) {
  ee_str words[32];
  size_t count = 0, length = 0;
  for (size_t at = 0; at < text.length; count++) {
    const char *end = memchr(text.data + at, ' ', text.length - at);
    words[count] = (ee_str){text.data + at, (size_t)(end - text.data) - at};
    at += words[count].length + 1;
  }
  for (; count > 0; count--) {
    size_t k = test_random_below(random, count);
    memcpy(out + length, words[k].data, words[k].length);
    length += words[k].length;
    out[length++] = ' ';
    words[k] = words[count - 1];
  }
  return (ee_str){out, length};
}

static void has_its_properties(void **state) {
  fixture *f = *state;
  test_random random = test_random_start("local: properties", 814);
  for (int round = 0; round < 5000; round++) {
    char text[5][600];
    ee_str a = random_text(&random, 1 + test_random_below(&random, 15), text[0]);
    ee_str b = random_text(&random, 1 + test_random_below(&random, 15), text[1]);
    double here = similarity(f, a, b), back = similarity(f, b, a);
    assert_memory_equal(&here, &back, sizeof here);
    double moved = similarity(f, shuffled(&random, a, text[2]), shuffled(&random, b, text[3]));
    assert_memory_equal(&here, &moved, sizeof here);
    assert_true(similarity(f, a, shuffled(&random, a, text[2])) == 1);
    /* A word that is like no other lowers what was there, and twice the same text keeps it. */
    size_t length = (size_t)sprintf(text[4], "%.*s", (int)b.length, b.data);
    length += (size_t)sprintf(text[4] + length, "qqqq0qqqqqqqq");
    ee_word *words;
    bool has_words = ee_words_read(f->reader, a, false, &f->words, &words) > 0 &&
                     ee_words_read(f->reader, b, false, &f->words, &words) > 0;
    ee_arena_reset(&f->words, 0);
    if (has_words && here > 0) assert_true(similarity(f, a, (ee_str){text[4], length}) < here);
    memcpy(text[2], a.data, a.length);
    memcpy(text[2] + a.length, a.data, a.length);
    memcpy(text[3], b.data, b.length);
    memcpy(text[3] + b.length, b.data, b.length);
    if (has_words)
      assert_true(fabs(similarity(f, (ee_str){text[2], 2 * a.length}, (ee_str){text[3], 2 * b.length}) - here) < 1e-12);
  }
}

/* Long texts ----------------------------------------------------------------------------------- */

typedef struct long_text {
  char *data;
  size_t length;
} long_text;

enum { LONG_SIZE = 3000000 };

static void add(long_text *text, const char *word) {
  size_t length = strlen(word);
  assert_true(text->length + length + 1 <= LONG_SIZE);
  memcpy(text->data + text->length, word, length);
  text->length += length;
  text->data[text->length++] = ' ';
}

/* An answer within some seconds of processor time, which is generous: it takes some tenths of one, and without bounds
 * it would be minutes. NaN: too many words. */
static double ask_long(fixture *f, long_text texts[2]) {
  clock_t start = clock();
  ee_answer answer = ask(f, (ee_str){texts[0].data, texts[0].length}, (ee_str){texts[1].data, texts[1].length});
  double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
  if (seconds > 20) fail_msg("%g s", seconds);
  if (ee_arena_held(&f->scratch) > (size_t)300 << 20) fail_msg("%zu bytes", ee_arena_held(&f->scratch));
  ee_arena_reset(&f->scratch, 1 << 20);
  texts[0].length = texts[1].length = 0;
  if (answer.state == EE_ANSWER_GIVEN) return answer.similarity;
  assert_int_equal(answer.state, EE_ANSWER_FAILED);
  assert_true(ee_str_is(answer.text, "too many similar words to pair"));
  return NAN;
}

static void ends_on_long_texts(void **state) {
  fixture *f = *state;
  test_random random = test_random_start("local: long", 815);
  long_text texts[2] = {{malloc(LONG_SIZE), 0}, {malloc(LONG_SIZE), 0}};
  char word[64];

  for (int i = 0; i < 100000; i++) { /* one word, often; "a" is a stop word as well */
    add(&texts[0], "a");
    if (i % 2 == 0) add(&texts[1], "a");
  }
  assert_true(fabs(ask_long(f, texts) - 2 / 3.0) < 1e-12);

  for (int i = 0; i < 100000; i++) { /* three words that all want each other */
    add(&texts[0], "user7");
    add(&texts[1], i % 2 == 0 ? "users7" : "userx7");
  }
  double pair = ee_jaro_winkler(EE_STR("user7"), EE_STR("users7"), &f->words);
  assert_true(pair < 1 && fabs(ask_long(f, texts) - pair) < 1e-12);

  for (int i = 0; i < 100000; i++) { /* numbers: those divisible by three are in both */
    snprintf(word, sizeof word, "%d", i);
    add(&texts[0], word);
    snprintf(word, sizeof word, "%d", 3 * i);
    add(&texts[1], word);
  }
  assert_true(fabs(ask_long(f, texts) - 33334 / 100000.0) < 1e-12);

  for (int i = 0; i < 100000; i++) { /* a vocabulary of 5,000 words, as in a long document */
    for (int side = 0; side < 2; side++) {
      uint64_t number = test_random_below(&random, 5000) * UINT64_C(0x9e3779b97f4a7c15) >> 24;
      size_t length = 0;
      for (; length < 4 + number % 7; length++) word[length] = (char)('a' + (number >> 4 * length) % 16);
      word[length] = '\0';
      add(&texts[side], word);
    }
  }
  double document = ask_long(f, texts);
  if (!(document > 0.85 && document < 0.95)) /* the words' counts differ by chance */
    fail_msg("%.17g", document);

  static const struct {
    int count;
    const char *format;
    bool answered;
  } hostile[] = {
      {400, "prefix%03u0", true},    /* nearly all pairs are alike */
      {5000, "prefix%04u0x", false}, /* and here too many are */
      {5000, "p%08ux", false},       /* many comparisons */
      {100000, "x%06uy", false},     /* too many to look at */
  };
  for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
    for (unsigned k = 0; k < (unsigned)hostile[i].count; k++) {
      for (unsigned side = 0; side < 2; side++) {
        snprintf(word, sizeof word, hostile[i].format, 2 * k + side);
        add(&texts[side], word);
      }
    }
    double got = ask_long(f, texts);
    if (isnan(got) == hostile[i].answered) fail_msg("row %zu: %g", i, got);
    if (hostile[i].answered) assert_true(got > 0.9 && got < 1);
  }

  while (texts[0].length < 1000000) { /* two words of a million letters */
    memcpy(texts[0].data + texts[0].length, "abcdefghij", 10);
    memcpy(texts[1].data + texts[1].length, "abcdefghji", 10);
    texts[0].length += 10;
    texts[1].length += 10;
  }
  assert_true(ask_long(f, texts) > 0.9);
  free(texts[0].data);
  free(texts[1].data);
}

static void takes_no_memory_once_warm(void **state) {
  fixture *f = *state;
#if COUNTS_MEMORY
  test_random random = test_random_start("local: memory", 816);
  char text[2][600];
  size_t before = 0;
  for (int round = 0; round < 4000; round++) {
    if (round == 2000) before = allocations;
    ee_str a = random_text(&random, 1 + test_random_below(&random, 15), text[0]);
    ee_str b = random_text(&random, 1 + test_random_below(&random, 15), text[1]);
    (void)similarity(f, a, b);
  }
  assert_int_equal(allocations, before);
#else
  (void)f;
  skip();
#endif
}

/* Opening -------------------------------------------------------------------------------------- */

static void opens_by_language(void **state) {
  fixture *f = *state;
  ee_error error = {0};
  assert_null(ee_local_provider_open(&(ee_provider_settings){.language = EE_STR("germn")}, &error));
  assert_int_equal(error.status, EE_ERROR_RULES);
  assert_string_equal(error.message, "unknown language 'germn' for the provider 'local' (did you mean 'german'?)");
  char language[] = "german";
  ee_provider *german = ee_local_provider_open(&(ee_provider_settings){.language = EE_STR(language)}, &error);
  assert_non_null(german);
  memset(language, 'x', sizeof language); /* the provider has a copy */
  ee_provider_session *first = german->vtable->open(german, &error), *second = german->vtable->open(german, &error);
  assert_true(first != NULL && second != NULL && first != second);
  assert_string_equal(german->vtable->name, "local");
  assert_null(german->vtable->complete);
  assert_false(ee_provider_session_is_async(first));
  ee_answer answer;
  first->vtable->similarity(first, EE_STR("Häuser"), EE_STR("Haus"), &f->scratch, &answer);
  assert_true(answer.similarity == 1);
  second->vtable->similarity(second, EE_STR("Häuser"), EE_STR("Haus"), &f->scratch, &answer);
  assert_true(answer.similarity == 1);
  assert_true(similarity(f, EE_STR("Häuser"), EE_STR("Haus")) < 1); /* English does not know */
  german->vtable->close(first);
  german->vtable->close(second);
  german->vtable->free(german);
}

EE_TEST_FILE(open_fixture, close_fixture, cmocka_unit_test(knows_texts), cmocka_unit_test(agrees_with_the_twin),
             cmocka_unit_test(drops_no_pair_that_is_alike), cmocka_unit_test(has_its_properties),
             cmocka_unit_test(jaro_winkler_is_symmetric), cmocka_unit_test(ends_on_long_texts),
             cmocka_unit_test(opens_by_language), cmocka_unit_test(takes_no_memory_once_warm));
#else
static void says_that_it_cannot(void **state) {
  (void)state;
  ee_error error = {0};
  assert_null(ee_local_provider_open(&(ee_provider_settings){.language = EE_STR("english")}, &error));
  assert_int_equal(error.status, EE_ERROR_RULES);
  assert_string_equal(error.message, "this evalengine was built without libstemmer, which the provider 'local' needs");
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(says_that_it_cannot));
#endif
