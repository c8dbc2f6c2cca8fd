/* iou_matrix.c: intersection over union of many boxes with many.
 *
 * Blocks of columns are laid out axis by axis on the stack, with their areas, and stay in the first cache while all
 * rows pass over them. A row of code per instruction set does what ee_iou() does, operation by operation in the same
 * order; each of them is correctly rounded, so the bits are the same. Boxes that ee_iou() would scale first are left to
 * it. */
#include <stdbool.h>
#include <stdint.h>

#include "prim/geometry.h"
#include "prim/magnitude.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define EE_HAVE_AVX2_ROW 1
#include <immintrin.h>
#endif

enum { BLOCK = 256 };

typedef struct column_block {
  double x1[BLOCK], y1[BLOCK], x2[BLOCK], y2[BLOCK], area[BLOCK];
  size_t count;
  size_t strange_count;
  uint16_t strange[BLOCK]; /* the columns that are left to ee_iou() */
} column_block;

/* Whether a box needs no scaling beside another such box. */
static bool is_plain(ee_box box) {
  return ee_is_ordinary(ee_larger(fabs(box.x1), fabs(box.x2))) && ee_is_ordinary(ee_larger(fabs(box.y1), fabs(box.y2)));
}

static void fill_block(column_block *block, const ee_box *boxes, size_t count) {
  block->count = count;
  block->strange_count = 0;
  for (size_t i = 0; i < count; i++) {
    ee_box box = boxes[i];
    bool strange = !is_plain(box);
    if (strange) {
      block->strange[block->strange_count++] = (uint16_t)i;
      box = (ee_box){0, 0, 0, 0};
    }
    block->x1[i] = box.x1;
    block->y1[i] = box.y1;
    block->x2[i] = box.x2;
    block->y2[i] = box.y2;
    block->area[i] = (box.x2 - box.x1) * (box.y2 - box.y1);
  }
}

typedef void iou_row(ee_box box, const column_block *block, size_t from, double *out);

static void portable_row(ee_box box, const column_block *block, size_t from, double *out) {
  double box_area = (box.x2 - box.x1) * (box.y2 - box.y1);
  for (size_t i = from; i < block->count; i++) {
    double width = ee_smaller(box.x2, block->x2[i]) - ee_larger(box.x1, block->x1[i]);
    double height = ee_smaller(box.y2, block->y2[i]) - ee_larger(box.y1, block->y1[i]);
    double intersection = ee_larger(width, 0) * ee_larger(height, 0);
    double all = box_area + block->area[i] - intersection;
    out[i] = all > 0 ? ee_smaller(intersection / all, 1) : 0;
  }
}

#ifdef EE_HAVE_AVX2_ROW
/* Four columns at a time. Its own target: the rest of the program runs on every processor. */
__attribute__((target("avx2"))) static void avx2_row(ee_box box, const column_block *block, size_t from, double *out) {
  const __m256d x1 = _mm256_set1_pd(box.x1), y1 = _mm256_set1_pd(box.y1), x2 = _mm256_set1_pd(box.x2),
                y2 = _mm256_set1_pd(box.y2), zero = _mm256_setzero_pd(), one = _mm256_set1_pd(1),
                box_area = _mm256_set1_pd((box.x2 - box.x1) * (box.y2 - box.y1));
  size_t i = from;
  for (; i + 4 <= block->count; i += 4) {
    __m256d width = _mm256_sub_pd(_mm256_min_pd(x2, _mm256_loadu_pd(block->x2 + i)),
                                  _mm256_max_pd(x1, _mm256_loadu_pd(block->x1 + i)));
    __m256d height = _mm256_sub_pd(_mm256_min_pd(y2, _mm256_loadu_pd(block->y2 + i)),
                                   _mm256_max_pd(y1, _mm256_loadu_pd(block->y1 + i)));
    __m256d intersection = _mm256_mul_pd(_mm256_max_pd(width, zero), _mm256_max_pd(height, zero));
    __m256d all = _mm256_sub_pd(_mm256_add_pd(box_area, _mm256_loadu_pd(block->area + i)), intersection);
    /* Where the union is 0 the quotient is NaN, and the mask makes it 0. */
    __m256d iou = _mm256_min_pd(_mm256_div_pd(intersection, all), one);
    _mm256_storeu_pd(out + i, _mm256_and_pd(_mm256_cmp_pd(all, zero, _CMP_GT_OQ), iou));
  }
  portable_row(box, block, i, out);
}
#endif

static void fill_matrix(iou_row *row, const ee_box *a, size_t rows, const ee_box *b, size_t columns, double *out) {
  column_block block;
  for (size_t start = 0; start < columns; start += BLOCK) {
    fill_block(&block, b + start, columns - start < BLOCK ? columns - start : BLOCK);
    for (size_t r = 0; r < rows; r++) {
      double *to = out + r * columns + start;
      if (is_plain(a[r])) {
        row(a[r], &block, 0, to);
        for (size_t i = 0; i < block.strange_count; i++) {
          size_t column = block.strange[i];
          to[column] = ee_iou(a[r], b[start + column]);
        }
      } else {
        for (size_t i = 0; i < block.count; i++) to[i] = ee_iou(a[r], b[start + i]);
      }
    }
  }
}

void ee_iou_matrix(const ee_box *a, size_t rows, const ee_box *b, size_t columns, double *out) {
#ifdef EE_HAVE_AVX2_ROW
  /* Asked once a matrix: a look at a word that the C library has filled. */
  if (__builtin_cpu_supports("avx2")) {
    fill_matrix(avx2_row, a, rows, b, columns, out);
    return;
  }
#endif
  ee_iou_matrix_portable(a, rows, b, columns, out);
}

void ee_iou_matrix_portable(const ee_box *a, size_t rows, const ee_box *b, size_t columns, double *out) {
  fill_matrix(portable_row, a, rows, b, columns, out);
}
