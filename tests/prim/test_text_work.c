/* test_text_work.c: comparing texts charges its work (base/work.h): what grows with the product of both lengths, or
 * with their sum, is charged so, and not many times that. */
#include "prim/text_measure.h"

#include <stdlib.h>
#include <string.h>

#include "base/work.h"
#include "prim/edit.h"

enum { LENGTH = 600, WORDS = LENGTH / 6 };

static const struct {
  ee_text_algorithm algorithm;
  uint64_t lowest, highest; /* units of two texts of LENGTH bytes that have little in common */
} measures[] = {
    /* A step each symbol pair. */
    {EE_DAMERAU, (uint64_t)LENGTH *LENGTH, (uint64_t)4 * LENGTH *LENGTH},
    {EE_OSA, (uint64_t)LENGTH *LENGTH, (uint64_t)4 * LENGTH *LENGTH},
    /* Words of the machine hold many. */
    {EE_LEVENSHTEIN, LENGTH, (uint64_t)LENGTH *LENGTH},
    {EE_LCS, LENGTH, (uint64_t)LENGTH *LENGTH},
    {EE_RATIO, LENGTH, (uint64_t)LENGTH *LENGTH},
    {EE_PARTIAL_RATIO, LENGTH, (uint64_t)20 * LENGTH *LENGTH},
    {EE_JARO_WINKLER, LENGTH, (uint64_t)4 * LENGTH *LENGTH},
    {EE_TOKEN_SORT, LENGTH, (uint64_t)LENGTH *LENGTH},
    {EE_TOKEN_SET, LENGTH, (uint64_t)LENGTH *LENGTH},
    {EE_TOKEN_F1, LENGTH, (uint64_t)LENGTH *LENGTH},
    {EE_DICE, LENGTH, (uint64_t)LENGTH *LENGTH},
    {EE_CHRF, LENGTH, (uint64_t)LENGTH *LENGTH},
    {EE_BLEU, LENGTH, (uint64_t)LENGTH *LENGTH},
    {EE_ROUGE_L, LENGTH, (uint64_t)LENGTH *LENGTH},
    {EE_WER, LENGTH, (uint64_t)LENGTH *LENGTH},
    {EE_CER, LENGTH, (uint64_t)LENGTH *LENGTH},
};

/* Words of five letters that are not the other text's. */
static ee_str make_text(char *room, unsigned from) {
  for (unsigned i = 0; i < LENGTH; i++) room[i] = i % 6 == 5 ? ' ' : (char)('a' + (i * 7 + i / 6 * from + from) % 26);
  return (ee_str){room, LENGTH};
}

static void charges_work(void **state) {
  (void)state;
  char rooms[2][LENGTH];
  ee_str a = make_text(rooms[0], 3), b = make_text(rooms[1], 11);
  ee_arena scratch;
  ee_arena_init(&scratch, 0);
  for (size_t i = 0; i < sizeof measures / sizeof *measures; i++) {
    ee_text_measure measure = ee_text_measure_of(measures[i].algorithm);
    uint64_t before = ee_work_done();
    ee_text_measure_score(&measure, a, b, &scratch);
    uint64_t units = ee_work_done() - before;
    if (units < measures[i].lowest || units > measures[i].highest)
      fail_msg("%zu: algorithm %d: %llu units", i, (int)measures[i].algorithm, (unsigned long long)units);
    /* A matrix of them costs as much a pair, and a unit more. */
    enum { ROWS = 5, COLUMNS = 7 };
    ee_str expected[ROWS], candidate[COLUMNS];
    double matrix[ROWS * COLUMNS];
    for (size_t k = 0; k < ROWS; k++) expected[k] = a;
    for (size_t k = 0; k < COLUMNS; k++) candidate[k] = b;
    before = ee_work_done();
    ee_text_measure_matrix(&measure, expected, ROWS, candidate, COLUMNS, matrix, &scratch);
    uint64_t all = ee_work_done() - before;
    if (measures[i].algorithm != EE_LEVENSHTEIN && all < ROWS * COLUMNS * (units + 2 * LENGTH))
      fail_msg("%zu: algorithm %d: %llu units in a matrix", i, (int)measures[i].algorithm, (unsigned long long)all);
    assert_true(all >= (uint64_t)ROWS * LENGTH);
  }
  ee_arena_fini(&scratch);
}

/* Long texts that have little in common: a step for each word of the machine in each column, and not many times that.
 */
static void charges_long_texts(void **state) {
  (void)state;
  enum { LETTERS = 10000, STEPS = LETTERS / 64 * LETTERS };
  char *texts[2] = {malloc(LETTERS), malloc(LETTERS)};
  for (size_t i = 0; i < LETTERS; i++) {
    texts[0][i] = (char)('a' + (i * i + i / 7) % 13);
    texts[1][i] = (char)('n' + (i * i + i / 5) % 13);
  }
  ee_arena scratch;
  ee_arena_init(&scratch, 0);
  uint64_t before = ee_work_done();
  size_t distance = ee_levenshtein((ee_str){texts[0], LETTERS}, (ee_str){texts[1], LETTERS}, SIZE_MAX, &scratch);
  assert_int_equal(distance, LETTERS);
  uint64_t units = ee_work_done() - before;
  if (units < STEPS || units > (uint64_t)20 * STEPS) fail_msg("%llu units", (unsigned long long)units);
  ee_arena_fini(&scratch);
  free(texts[0]);
  free(texts[1]);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(charges_work), cmocka_unit_test(charges_long_texts));
