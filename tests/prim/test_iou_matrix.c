/* test_iou_matrix.c: every pair of a matrix has the bits of ee_iou(), by either row of code. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "prim/box.h"
#include "prim/random_double.h"
#include "support/random.h"

/* Boxes of a kind: fractions, small whole numbers (which share corners), flat, any finite numbers, or all mixed. */
static ee_box random_box(test_random *random, size_t kind) {
  if (kind == 4) kind = test_random_below(random, 4);
  double c[4];
  for (int i = 0; i < 4; i++) {
    if (kind == 0) c[i] = test_random_unit(random) * 100 - 50;
    if (kind == 1 || kind == 2) c[i] = (double)test_random_below(random, 12) - 3;
    if (kind == 3) c[i] = test_random_double(random);
  }
  if (kind == 2) c[2] = c[0];
  return (ee_box){fmin(c[0], c[2]), fmin(c[1], c[3]), fmax(c[0], c[2]), fmax(c[1], c[3])};
}

static void assert_bits(const ee_box *a, size_t rows, const ee_box *b, size_t columns) {
  /* A number behind the matrix shows a write too far. */
  double *out = malloc((rows * columns + 1) * sizeof *out);
  for (int portable = 0; portable < 2; portable++) {
    for (size_t i = 0; i <= rows * columns; i++) out[i] = -7;
    if (portable == 1)
      ee_iou_matrix_portable(a, rows, b, columns, out);
    else
      ee_iou_matrix(a, rows, b, columns, out);
    for (size_t r = 0; r < rows; r++)
      for (size_t c = 0; c < columns; c++) {
        double want = ee_iou(a[r], b[c]), got = out[r * columns + c];
        if (memcmp(&want, &got, sizeof want) != 0)
          fail_msg("row %zu of %zu, column %zu of %zu: %a, not %a", r, rows, c, columns, got, want);
      }
    assert_true(out[rows * columns] == -7);
  }
  free(out);
}

static void has_the_bits_of_pairs(void **state) {
  (void)state;
  test_random random = test_random_start("iou matrix", 611);
  enum { MOST = 600 };
  static ee_box a[MOST], b[MOST];
  for (int round = 0; round < 400; round++) {
    size_t rows = test_random_below(&random, 12), columns = test_random_below(&random, round % 10 == 0 ? MOST : 40);
    if (round % 10 == 1) columns = 250 + test_random_below(&random, 12); /* about a block */
    size_t kind = test_random_below(&random, 5);
    for (size_t i = 0; i < rows; i++) a[i] = random_box(&random, kind);
    for (size_t i = 0; i < columns; i++)
      b[i] = rows > 0 && test_random_below(&random, 8) == 0 ? a[test_random_below(&random, rows)]
                                                            : random_box(&random, kind);
    assert_bits(a, rows, b, columns);
  }
}

/* One extreme box among plain ones is right, and disturbs no other. */
static void keeps_extremes_apart(void **state) {
  (void)state;
  test_random random = test_random_start("iou matrix: extremes", 612);
  const ee_box extremes[] = {{-DBL_MAX, -DBL_MAX, DBL_MAX, DBL_MAX},
                             {0, 0, 1e-200, 1e-200},
                             {0, 0, 1e80, 1},
                             {0, 0, 5e-324, 5e-324},
                             {1e-80, 0, 1e-75, 10},
                             {-1e308, -1, 1e308, 1}};
  ee_box a[9], b[9];
  for (size_t extreme = 0; extreme < sizeof extremes / sizeof *extremes; extreme++)
    for (size_t place = 0; place < 9; place++) {
      for (size_t i = 0; i < 9; i++) {
        a[i] = random_box(&random, 0);
        b[i] = random_box(&random, 0);
      }
      b[place] = extremes[extreme];
      assert_bits(a, 9, b, 9);
      a[8 - place] = extremes[extreme];
      assert_bits(a, 9, b, 9);
      double self;
      ee_iou_matrix(&extremes[extreme], 1, &extremes[extreme], 1, &self);
      assert_true(self == 1);
    }
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(has_the_bits_of_pairs), cmocka_unit_test(keeps_extremes_apart));
