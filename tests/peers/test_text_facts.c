/* test_text_facts.c: similarities, distances and error rates of texts that others have published.
 *
 * text_cases.jsonl holds a fact a line: where it is from, the measure, both texts (arrays for a data set), the value,
 * to its tolerance, and where our definition is another one, why. Similarities of 0 to 100 are written / 100. What
 * deviates must do so. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
/* cmocka.h needs some of the above. */
#include <cmocka.h>

#include "data/json/json_reader.h"
#include "prim/damerau.h"
#include "prim/edit.h"
#include "prim/text_measure.h"
#include "prim/token.h"

static ee_arena arena;

static const ee_value *member(const ee_value *value, const char *key) {
  return value == NULL ? NULL : ee_value_member(value, ee_str_from(key), NULL);
}

static const ee_value *needed(const ee_value *value, const char *key) {
  const ee_value *found = member(value, key);
  if (found == NULL) fail_msg("no member '%s'", key);
  return found;
}

static double number_or(const ee_value *value, double fallback) {
  return value == NULL ? fallback : ee_value_number(value);
}

/* The position of `name` in "a|b|c", or -1. */
static int place_in(const char *names, ee_str name) {
  int place = 0;
  for (const char *at = names; at != NULL; place++) {
    const char *end = strchr(at, '|');
    size_t length = end == NULL ? strlen(at) : (size_t)(end - at);
    if (ee_str_equal(name, (ee_str){at, length})) return place;
    at = end == NULL ? NULL : end + 1;
  }
  return -1;
}

static double distance_of(ee_str name, ee_str a, ee_str b) {
  if (ee_str_is(name, "damerau distance")) return (double)ee_damerau(a, b, &arena);
  if (ee_str_is(name, "osa distance")) return (double)ee_osa(a, b, &arena);
  if (ee_str_is(name, "hamming distance")) return (double)ee_hamming(a, b);
  if (ee_str_is(name, "levenshtein distance")) return (double)ee_levenshtein(a, b, EE_NO_LIMIT, &arena);
  if (ee_str_is(name, "jaro")) return ee_jaro(a, b, &arena);
  return -1;
}

static void add_errors(bool of_letters, ee_str a, ee_str b, size_t *edits, size_t *expected) {
  size_t more_edits, more;
  if (of_letters)
    ee_cer_parts(a, b, &arena, &more_edits, &more);
  else
    ee_wer_parts(a, b, EE_WHITESPACE_TOKENS, &arena, &more_edits, &more);
  *edits += more_edits;
  *expected += more;
}

static double rate(size_t edits, size_t expected) {
  return expected > 0 ? (double)edits / (double)expected : (double)edits;
}

/* Of two arrays: error rates and chrF from what is added up. */
static double corpus_value(const ee_value *row, ee_str name) {
  const ee_value *a = ee_value_child(needed(row, "expected")), *b = ee_value_child(needed(row, "candidate"));
  size_t edits = 0, expected = 0;
  ee_chrf total = {.order = 6, .beta = number_or(member(member(row, "options"), "beta"), 2)};
  for (; a != NULL; a = ee_value_next(a), b = ee_value_next(b)) {
    ee_chrf one = {.order = 6};
    ee_str x = ee_value_text(a), y = ee_value_text(b);
    if (ee_str_is(name, "corpus_wer") || ee_str_is(name, "corpus_cer"))
      add_errors(ee_str_is(name, "corpus_cer"), x, y, &edits, &expected);
    ee_chrf_count(&one, x, y, &arena);
    for (size_t n = 0; n < one.order; n++) {
      total.counts[n].expected += one.counts[n].expected;
      total.counts[n].candidate += one.counts[n].candidate;
      total.counts[n].common += one.counts[n].common;
    }
  }
  return ee_str_is(name, "corpus_chrf") ? ee_chrf_score(&total) : rate(edits, expected);
}

static double similarity_of(const ee_value *row, ee_str name, ee_str a, ee_str b) {
  const ee_value *options = member(row, "options"), *tokenizer = member(options, "tokenizer");
  int algorithm = place_in(EE_TEXT_ALGORITHMS, name);
  if (algorithm < 0) fail_msg("unknown measure '%.*s'", EE_STR_ARG(name));
  ee_text_measure measure = ee_text_measure_of((ee_text_algorithm)algorithm);
  if (tokenizer != NULL) {
    int kind = place_in(EE_TOKENIZERS, ee_value_text(tokenizer));
    assert_true(kind >= 0);
    measure.tokenizer.kind = (ee_token_kind)kind;
  }
  measure.beta = number_or(member(options, "beta"), measure.beta);
  return ee_text_measure_score(&measure, a, b, &arena).value;
}

static double value_of(const ee_value *row) {
  ee_str name = ee_value_text(needed(row, "measure"));
  if (ee_type_of(needed(row, "expected")) == EE_ARRAY) return corpus_value(row, name);
  ee_str a = ee_value_text(needed(row, "expected")), b = ee_value_text(needed(row, "candidate"));
  double distance = distance_of(name, a, b);
  if (distance >= 0) return distance;
  if (ee_str_is(name, "wer") || ee_str_is(name, "cer")) {
    size_t edits = 0, expected = 0;
    add_errors(ee_str_is(name, "cer"), a, b, &edits, &expected);
    return rate(edits, expected);
  }
  return similarity_of(row, name, a, b);
}

static void knows_published_values(void **state) {
  (void)state;
  FILE *file = fopen("tests/peers/text_cases.jsonl", "rb");
  assert_non_null(file);
  char *line = NULL;
  size_t capacity = 0, held = 0, deviating = 0;
  ee_arena_init(&arena, 0);
  for (ssize_t length; (length = getline(&line, &capacity, file)) > 0;) {
    ee_error error = {0};
    const ee_value *row = ee_json_read(&arena, (ee_str){line, (size_t)length}, NULL, &error);
    if (row == NULL) fail_msg("%s", error.message);
    double wanted = ee_value_number(needed(row, "value")), got = value_of(row);
    bool same = fabs(got - wanted) <= number_or(member(row, "tolerance"), 1e-9);
    bool deviates = member(row, "deviates") != NULL;
    if (same == deviates) fail_msg("%s: %.17g, theirs is %.17g", needed(row, "id")->json.valuestring, got, wanted);
    held += !deviates;
    deviating += deviates;
  }
  printf("%zu values held, %zu of another definition\n", held, deviating);
  assert_int_equal(held, 193);
  assert_int_equal(deviating, 13);
  free(line);
  fclose(file);
  ee_arena_fini(&arena);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(knows_published_values));
