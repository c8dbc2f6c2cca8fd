/* test_box.c: boxes one by one and many at once, and distances of points. */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "prim/box.h"
#include "prim/random_double.h"
#include "support/random.h"

/* Boxes ---------------------------------------------------------------------------------------- */

/* From published examples of detection libraries, and worked out by the formula; origin corners x1, y1, x2, y2. */
static const struct {
  ee_box a, b;
  double iou;
} iou_facts[] = {
    {{100, 100, 200, 200}, {150, 150, 250, 250}, 0.14285714285714285}, /* partial */
    {{0, 0, 10, 10}, {20, 20, 30, 30}, 0},                             /* apart */
    {{0, 0, 10, 10}, {2, 2, 8, 8}, 0.36},                              /* contained */
    {{0, 0, 1, 1}, {0.5, 0.5, 1.5, 1.5}, 0.14285714285714285},         /* fractions */
    {{0, 0, 100, 100}, {0, 0, 50, 50}, 0.25},
    {{0, 0, 50, 50}, {0, 0, 100, 100}, 0.25},
    {{0, 0, 50, 50}, {200, 200, 300, 300}, 0},
    {{200, 200, 300, 300}, {0, 0, 50, 50}, 0},
    {{285.3538, 185.5758, 1193.511, 851.4551}, {285.3538, 185.5758, 1193.511, 851.4551}, 1},
    {{285.3538, 185.5758, 1193.511, 851.4551}, {279.244, 197.9812, 1189.4746, 849.2019}, 0.9672750679628966},
    {{285.1472, 188.7374, 1192.4984, 851.0669}, {285.1472, 188.7374, 1192.4984, 851.0669}, 1},
    {{279.244, 197.9812, 1189.4746, 849.2019}, {285.3538, 185.5758, 1193.511, 851.4551}, 0.9672750679628966},
    {{279.244, 197.9812, 1189.4746, 849.2019}, {279.244, 197.9812, 1189.4746, 849.2019}, 1},
    {{-1, -1, 1, 1}, {0, 0, 1, 1}, 0.25},
    {{-1, -1, 1, 1}, {1, 1, 2, 2}, 0},
    {{0.5, 0.5, 1, 1}, {0, 0, 1, 1}, 0.25},
    {{0, 0, 10, 10}, {9.999999, 9.999999, 20, 20}, 4.999999492516047e-15}, /* tiny overlap */
    {{0, 0, 1e-09, 1e-09}, {0, 0, 1e-09, 1e-09}, 1},                       /* very small */
    {{100000000, 100000000, 100000001, 100000001},
     {100000000.5, 100000000, 100000001.5, 100000001},
     0.3333333333333333},                                     /* large offset, third */
    {{0, 0, 1e-200, 1e-200}, {0, 0, 1e-200, 1e-200}, 1},      /* w*h underflows double */
    {{0, 0, 4, 4}, {1, 1, 3, 3}, 0.25},                       /* same centre: DIoU = IoU */
    {{0.1, 0.1, 0.4, 0.4}, {0.1, 0.1, 0.4, 0.4}, 1},          /* identical fractions: exactly 1 */
    {{0, 0, 100, 90}, {0, 0, 100, 100}, 0.9},                 /* exactly .9 */
    {{10, 20, 40, 60}, {12, 22, 40, 60}, 0.8866666666666667}, /* supervision jaccard doc */
    {{0, 0, 50, 50}, {0, 0, 100, 100}, 0.25},                 /* crowd: 1.0 */
    {{39, 28.46, 71.4, 55.83}, {27.78, 20.87, 55.043000000000006, 58.870000000000005}, 0.29595020733139543},
    {{29, 24.93, 44.544, 49.9}, {35.4, 43.08, 51.9, 59.8}, 0.10365148202049163},
    {{50.63, 17.59, 76.43, 38.82}, {52, 0.97, 58.5, 22.81}, 0.051741175178875325},
    {{4.2714, 52.13, 24.5574, 62.790000000000006}, {16.6, 45.02, 44.6, 64.80000000000001}, 0.12378590314879394},
    {{33.3, 18.7, 38.3, 51.980000000000004}, {18.8, 32.21, 39.164, 36.08}, 0.08567304121320464},
    {{49.3, 33.75, 65.3, 48.92}, {49, 37.09, 67, 43.300000000000004}, 0.389433252332053},
    {{40.8, 17.05, 45.8, 48.5}, {36.6411, 18.41, 75.34110000000001, 56.08}, 0.10272225935714777},
    {{48.57, 45.06, 57.870000000000005, 60.84}, {17.4355, 38.55, 49.435500000000005, 62.08}, 0.015413905757986686},
    {{22.45, 15.8, 35.45, 45.95}, {16, 37.54, 33.044, 69.61}, 0.10488546581260746},
    {{45.4188, 15.88, 69.8188, 40.7}, {32.2, 23.59, 56.2, 33.269999999999996}, 0.14226670575826492},
    {{9.584, 5.28, 24.584, 20.03}, {6.24, 5.9, 42.24, 7.82}, 0.11010436976717514},
    {{21.4, 10.4, 39.367, 26.979999999999997}, {15.3, 26.24, 41.3, 31.479999999999997}, 0.031593161138195755},
    {{22.0888, 0.4, 51.0888, 24.599999999999998}, {19.3324, 21.2, 31.3324, 55.900000000000006}, 0.028918896457154907},
    {{22.7369, 51.12, 48.436899999999994, 56.97}, {26.8, 44.49, 52.8, 81.53}, 0.1282678286110515},
    {{36.22, 48.37, 52.82, 51.559999999999995}, {23.7, 24.36, 60.900000000000006, 62.41}, 0.03741115962302008},
    {{45.91, 6.26, 69.81, 11.46}, {31.43, 2.61, 59.43, 7.15}, 0.050269209816549656},
};

static void knows_boxes(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof iou_facts / sizeof *iou_facts; i++)
    for (int turn = 0; turn < 2; turn++) {
      double got = turn == 0 ? ee_iou(iou_facts[i].a, iou_facts[i].b) : ee_iou(iou_facts[i].b, iou_facts[i].a);
      if (!(fabs(got - iou_facts[i].iou) <= 1e-9 * iou_facts[i].iou))
        fail_msg("row %zu: %.17g, not %.17g", i, got, iou_facts[i].iou);
    }
  /* No area: 0, also against itself. */
  ee_box point = {0, 0, 0, 0}, line = {0, 0, 5, 0}, square = {0, 0, 5, 5};
  assert_true(ee_iou(point, point) == 0);
  assert_true(ee_iou(line, line) == 0);
  assert_true(ee_iou(line, point) == 0);
  assert_true(ee_iou(line, square) == 0);
  assert_true(ee_iou(square, point) == 0);
  assert_true(ee_iou((ee_box){5, 0, 10, 5}, square) == 0); /* an edge in common */
  assert_true(ee_iou((ee_box){5, 5, 10, 10}, square) == 0);
}

static void checks_boxes(void **state) {
  (void)state;
  assert_null(ee_box_check((ee_box){0, 0, 1, 1}));
  assert_null(ee_box_check((ee_box){-5, -5, -5, -5}));
  assert_null(ee_box_check((ee_box){-DBL_MAX, -DBL_MAX, DBL_MAX, DBL_MAX}));
  assert_non_null(ee_box_check((ee_box){1, 0, 0, 1}));
  assert_non_null(ee_box_check((ee_box){0, 1, 1, 0}));
  assert_non_null(ee_box_check((ee_box){10, 10, 0, 0}));
  const double strange[] = {NAN, INFINITY, -INFINITY};
  for (int i = 0; i < 3; i++)
    for (int place = 0; place < 4; place++) {
      double c[4] = {0, 0, 1, 1};
      c[place] = strange[i];
      const char *why = ee_box_check((ee_box){c[0], c[1], c[2], c[3]});
      assert_non_null(why);
      assert_true(why[0] != '\0');
    }
}

static double between(test_random *random, double low, double high) {
  return low + test_random_unit(random) * (high - low);
}

static double smaller(double a, double b) { return a < b ? a : b; }
static double larger(double a, double b) { return a > b ? a : b; }

/* On whole numbers, areas are cells that can be counted. */
static void agrees_with_counted_cells(void **state) {
  (void)state;
  test_random random = test_random_start("geometry: cells", 601);
  enum { SIDE = 10 };
  for (int round = 0; round < 10000; round++) {
    int c[8];
    for (int i = 0; i < 8; i++) c[i] = (int)test_random_below(&random, SIDE + 1);
    for (int i = 0; i < 8; i += 4)
      for (int axis = 0; axis < 2; axis++)
        if (c[i + axis] > c[i + axis + 2]) {
          int kept = c[i + axis];
          c[i + axis] = c[i + axis + 2];
          c[i + axis + 2] = kept;
        }
    int both = 0, any = 0;
    for (int x = 0; x < SIDE; x++)
      for (int y = 0; y < SIDE; y++) {
        int in_a = x >= c[0] && x < c[2] && y >= c[1] && y < c[3],
            in_b = x >= c[4] && x < c[6] && y >= c[5] && y < c[7];
        both += in_a && in_b;
        any += in_a || in_b;
      }
    ee_box a = {c[0], c[1], c[2], c[3]}, b = {c[4], c[5], c[6], c[7]};
    double expected = any != 0 ? (double)both / any : 0;
    if (ee_iou(a, b) != expected) fail_msg("round %d: %.17g, not %d of %d", round, ee_iou(a, b), both, any);
  }
}

static long double long_iou(ee_box a, ee_box b) {
  long double width = fminl(a.x2, b.x2) - fmaxl(a.x1, b.x1), height = fminl(a.y2, b.y2) - fmaxl(a.y1, b.y1);
  long double both = width > 0 && height > 0 ? width * height : 0;
  long double any = ((long double)a.x2 - a.x1) * ((long double)a.y2 - a.y1) +
                    ((long double)b.x2 - b.x1) * ((long double)b.y2 - b.y1) - both;
  return any > 0 ? both / any : 0;
}

static ee_box random_box(test_random *random) {
  double x1 = between(random, -1, 1), x2 = between(random, -1, 1), y1 = between(random, -1, 1),
         y2 = between(random, -1, 1);
  return (ee_box){smaller(x1, x2), smaller(y1, y2), larger(x1, x2), larger(y1, y2)};
}

static ee_box scaled(ee_box box, int x, int y) {
  return (ee_box){ldexp(box.x1, x), ldexp(box.y1, y), ldexp(box.x2, x), ldexp(box.y2, y)};
}

/* Scaling by powers of two changes no ratio of areas, however far the areas leave the range of doubles. */
static void agrees_with_long_doubles(void **state) {
  (void)state;
  test_random random = test_random_start("geometry: iou", 602);
  size_t meeting = 0;
  for (int round = 0; round < 40000; round++) {
    int x = 0, y = 0;
    if (round % 4 == 1) x = y = (int)test_random_below(&random, 2004) - 980;
    if (round % 4 == 2) x = (int)test_random_below(&random, 2004) - 980;
    if (round % 4 == 3) y = round % 8 == 3 ? 1023 : -900;
    ee_box plain_a = random_box(&random), plain_b = random_box(&random);
    ee_box a = scaled(plain_a, x, y), b = scaled(plain_b, x, y);
    long double expected = long_iou(plain_a, plain_b);
    double got = ee_iou(a, b);
    assert_null(ee_box_check(a));
    if (!(got >= 0 && got <= 1) || fabsl((long double)got - expected) > 1e-12L)
      fail_msg("{%a, %a, %a, %a} and {%a, %a, %a, %a}: %.17g, not %.17Lg", a.x1, a.y1, a.x2, a.y2, b.x1, b.y1, b.x2,
               b.y2, got, expected);
    meeting += expected > 0;
    assert_true(ee_iou(b, a) == got);
    assert_true(ee_iou(a, a) == 1);
    ee_box turned_a = {a.y1, a.x1, a.y2, a.x2}, turned_b = {b.y1, b.x1, b.y2, b.x2};
    assert_true(fabs(ee_iou(turned_a, turned_b) - got) <= 1e-15);
  }
  assert_true(meeting > 5000);
  ee_box all = {-DBL_MAX, -DBL_MAX, DBL_MAX, DBL_MAX}, right = {0, -DBL_MAX, DBL_MAX, DBL_MAX},
         tiny = {0, 0, 5e-324, 5e-324};
  assert_true(ee_iou(all, all) == 1);
  assert_true(fabs(ee_iou(all, right) - 0.5) < 1e-15);
  assert_true(ee_iou(all, tiny) >= 0 && ee_iou(all, tiny) < 1e-300);
  assert_true(ee_iou((ee_box){-DBL_MAX, 0, 0, 1}, (ee_box){0, 0, DBL_MAX, 1}) == 0);
}

/* Distances ------------------------------------------------------------------------------------ */

static void assert_near(double got, long double expected, long double relative, const char *what) {
  if ((long double)got == expected) return;
  if (!(fabsl((long double)got - expected) <= relative * fabsl(expected)))
    fail_msg("%s: %.17g, not %.17Lg", what, got, expected);
}

static void knows_distances(void **state) {
  (void)state;
  static const struct {
    size_t dimension;
    double a[4], b[4], euclidean, manhattan, cosine;
  } facts[] = {
      {3, {1, 2, 3}, {1, 2, 3}, 0, 0, 0},
      {2, {1, 0}, {-1, 0}, 2, 2, 2},
      {2, {0, 0}, {0, 0}, 0, 0, 1},
      {2, {0, 0}, {3, 4}, 5, 7, 1},
      {2, {1, 0}, {0, 1}, 1.4142135623730951, 2, 1},
      {2, {1e-200, 0}, {0, 1e-200}, 1.414213562373095e-200, 2e-200, 1},
      {0, {0}, {0}, 0, 0, 1},
      {4, {1, 2, 3, 4}, {4, 3, 2, 1}, 4.47213595499958, 8, 0.33333333333333337},
      {1, {-2}, {5}, 7, 7, 2},
      {2, {3e200, 0}, {0, 4e200}, 5e200, 7e200, 1},
      {2, {3e-200, 4e-200}, {0, 0}, 5e-200, 7e-200, 1},
      {2, {1e308, 0}, {0, 1e308}, 1.4142135623730951e308, INFINITY, 1}, /* the sum is no double */
      {1, {1.5e308}, {-1.5e308}, INFINITY, INFINITY, 2},
      {2, {1e200, 1e200}, {1e-200, 1e-200}, 1.4142135623730951e200, 2e200, 0},
      {2, {0, 1e200}, {0, 2e-200}, 1e200, 1e200, 0},
      {3, {0, 3e200, 4e200}, {0, 4e-200, 3e-200}, 5e200, 7e200, 0.04},
  };
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    size_t n = facts[i].dimension;
    assert_near(ee_euclidean(facts[i].a, facts[i].b, n), facts[i].euclidean, 1e-12L, "euclidean");
    assert_near(ee_manhattan(facts[i].a, facts[i].b, n), facts[i].manhattan, 1e-12L, "manhattan");
    double cosine = ee_cosine(facts[i].a, facts[i].b, n);
    if (!(fabs(cosine - facts[i].cosine) <= 1e-12))
      fail_msg("row %zu: cosine %.17g, not %.17g", i, cosine, facts[i].cosine);
  }
}

static void agrees_with_plain_sums(void **state) {
  (void)state;
  test_random random = test_random_start("geometry: distances", 603);
  for (int round = 0; round < 20000; round++) {
    double a[40], b[40], c[40];
    size_t n = 1 + test_random_below(&random, round % 4 == 0 ? 40 : 4);
    int exponent = round % 3 == 0 ? (int)test_random_below(&random, 1960) - 980 : 0;
    int other = round % 6 == 0 ? (int)test_random_below(&random, 1960) - 980 : exponent;
    int top = exponent > other ? exponent : other;
    /* The sums run over the numbers as they are before they are scaled by powers of two, in the range of doubles. */
    long double squares = 0, sum = 0, product = 0, square_a = 0, square_b = 0;
    for (size_t i = 0; i < n; i++) {
      double x = between(&random, -100, 100), y = between(&random, -100, 100);
      if (round % 5 == 0) y = x * (round % 10 == 0 ? 2 : -3);
      a[i] = ldexp(x, exponent);
      b[i] = ldexp(y, other);
      c[i] = ldexp(between(&random, -100, 100), exponent);
      long double difference = ldexpl(x, exponent - top) - ldexpl(y, other - top);
      squares += difference * difference;
      sum += fabsl(difference);
      product += (long double)x * y;
      square_a += (long double)x * x;
      square_b += (long double)y * y;
    }
    assert_near(ee_euclidean(a, b, n), ldexpl(sqrtl(squares), top), 1e-13L, "euclidean");
    assert_near(ee_manhattan(a, b, n), ldexpl(sum, top), 1e-13L, "manhattan");
    double cosine = ee_cosine(a, b, n);
    long double expected = 1 - product / (sqrtl(square_a) * sqrtl(square_b));
    if (!(cosine >= 0 && cosine <= 2 && fabsl((long double)cosine - expected) <= 1e-13L))
      fail_msg("round %d: cosine %.17g, not %.17Lg", round, cosine, expected);
    assert_true(ee_euclidean(b, a, n) == ee_euclidean(a, b, n));
    assert_true(ee_manhattan(b, a, n) == ee_manhattan(a, b, n));
    assert_true(fabs(ee_cosine(b, a, n) - cosine) <= 1e-15);
    assert_true(ee_euclidean(a, a, n) == 0);
    assert_true(ee_manhattan(a, a, n) == 0);
    double itself = ee_cosine(a, a, n);
    assert_true(itself >= 0 && itself <= 1e-15); /* never below 0 */
    double ab = ee_euclidean(a, b, n), bc = ee_euclidean(b, c, n), ac = ee_euclidean(a, c, n);
    assert_true(ac <= (ab + bc) * (1 + 1e-14));
    assert_true(ee_manhattan(a, c, n) <= (ee_manhattan(a, b, n) + ee_manhattan(b, c, n)) * (1 + 1e-14));
  }
}

/* Formats and areas ---------------------------------------------------------------------------- */

static void assert_box(ee_box got, double x1, double y1, double x2, double y2) {
  if (!(got.x1 == x1 && got.y1 == y1 && got.x2 == x2 && got.y2 == y2))
    fail_msg("{%a, %a, %a, %a}, not {%a, %a, %a, %a}", got.x1, got.y1, got.x2, got.y2, x1, y1, x2, y2);
}

static void reads_formats(void **state) {
  (void)state;
  assert_box(ee_box_from_xywh((double[]){10, 20, 30, 40}), 10, 20, 40, 60);
  assert_box(ee_box_from_xywh((double[]){-1.5, 2, 0, 0}), -1.5, 2, -1.5, 2);
  assert_box(ee_box_from_cxcywh((double[]){25, 40, 30, 40}), 10, 20, 40, 60);
  assert_box(ee_box_from_cxcywh((double[]){0.5, 0.5, 1, 1}), 0, 0, 1, 1);
  assert_box(ee_box_from_xywh((double[]){10, 10, -5, 20}), 10, 10, 5, 30);
  /* However small beside the coordinate, a negative length is no box, and neither is what leaves the range. */
  const double wrong[][4] = {{0, 0, -1, 1},  {0, 0, 1, -1},       {1e20, 0, -1, 1},        {0, -1e20, 1, -5e-324},
                             {0, 0, NAN, 1}, {INFINITY, 0, 1, 1}, {DBL_MAX, 0, DBL_MAX, 1}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) assert_non_null(ee_box_check(ee_box_from_xywh(wrong[i])));
  for (size_t i = 0; i + 1 < sizeof wrong / sizeof *wrong; i++)
    assert_non_null(ee_box_check(ee_box_from_cxcywh(wrong[i])));
}

static void knows_areas(void **state) {
  (void)state;
  assert_true(ee_box_area((ee_box){1, 2, 4, 6}) == 12);
  assert_true(ee_box_area((ee_box){1, 2, 1, 6}) == 0);
  assert_true(ee_box_intersection((ee_box){0, 0, 4, 4}, (ee_box){1, 2, 9, 9}) == 6);
  assert_true(ee_box_intersection((ee_box){0, 0, 4, 4}, (ee_box){4, 0, 9, 9}) == 0);
  assert_true(ee_box_intersection((ee_box){0, 0, 4, 4}, (ee_box){5, 5, 9, 9}) == 0);
  /* What no double holds is the largest; what one holds is right, even where a side left the range. */
  ee_box all = {-DBL_MAX, -DBL_MAX, DBL_MAX, DBL_MAX};
  assert_true(ee_box_area(all) == DBL_MAX);
  assert_true(ee_box_intersection(all, all) == DBL_MAX);
  assert_true(ee_box_area((ee_box){-0x1p1023, 0, 0x1p1023, 0}) == 0);
  assert_true(ee_box_area((ee_box){-0x1p1023, 0, 0x1p1023, 0x1p-1000}) == 0x1p24);
  assert_true(ee_box_area((ee_box){0, -0x1p1023, 0x1p-1000, 0x1p1023}) == 0x1p24);
  assert_true(ee_box_area((ee_box){0, 0, 1e-200, 1e-200}) == 0);
}

/* Measures besides intersection over union ----------------------------------------------------- */

typedef struct measures {
  long double giou, diou, ciou, ios, ioa;
} measures;

/* By the published formulas, in numbers that these coordinates do not overflow. */
static measures long_measures(ee_box a, ee_box b) {
  long double width = fminl(a.x2, b.x2) - fmaxl(a.x1, b.x1), height = fminl(a.y2, b.y2) - fmaxl(a.y1, b.y1);
  long double both = width > 0 && height > 0 ? width * height : 0;
  long double wa = (long double)a.x2 - a.x1, ha = (long double)a.y2 - a.y1;
  long double wb = (long double)b.x2 - b.x1, hb = (long double)b.y2 - b.y1;
  long double any = wa * ha + wb * hb - both, iou = any > 0 ? both / any : 0;
  long double hull_w = (long double)fmax(a.x2, b.x2) - fmin(a.x1, b.x1);
  long double hull_h = (long double)fmax(a.y2, b.y2) - fmin(a.y1, b.y1);
  long double hull = hull_w * hull_h, diagonal = hull_w * hull_w + hull_h * hull_h;
  long double dx = ((long double)a.x1 + a.x2 - b.x1 - b.x2) / 2, dy = ((long double)a.y1 + a.y2 - b.y1 - b.y2) / 2;
  long double turn = atan2l(wa, ha) - atan2l(wb, hb), v = 4 / (acosl(-1) * acosl(-1)) * turn * turn;
  measures m = {.giou = hull > 0 ? iou - (hull - any) / hull : iou,
                .diou = diagonal > 0 ? iou - (dx * dx + dy * dy) / diagonal : iou};
  m.ciou = m.diou - (v > 0 ? v / (1 - iou + v) * v : 0);
  long double least = fminl(wa * ha, wb * hb);
  m.ios = least > 0 ? both / least : 0;
  m.ioa = wb * hb > 0 ? both / (wb * hb) : 0;
  return m;
}

static void assert_measures(ee_box a, ee_box b) {
  measures want = long_measures(a, b);
  const struct {
    const char *name;
    double got;
    long double want;
    double least;
  } rows[] = {{"giou", ee_giou(a, b), want.giou, -1},
              {"diou", ee_diou(a, b), want.diou, -1},
              {"ciou", ee_ciou(a, b), want.ciou, -2},
              {"ios", ee_ios(a, b), want.ios, 0},
              {"ioa", ee_ioa(a, b), want.ioa, 0}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (!(rows[i].got >= rows[i].least && rows[i].got <= 1 && fabsl(rows[i].got - rows[i].want) <= 1e-12L))
      fail_msg("%s of {%a, %a, %a, %a} and {%a, %a, %a, %a}: %.17g, not %.17Lg", rows[i].name, a.x1, a.y1, a.x2, a.y2,
               b.x1, b.y1, b.x2, b.y2, rows[i].got, rows[i].want);
}

static void agrees_with_published_formulas(void **state) {
  (void)state;
  test_random random = test_random_start("geometry: measures", 604);
  for (int round = 0; round < 40000; round++) {
    int x = 0, y = 0;
    if (round % 4 == 1) x = y = (int)test_random_below(&random, 2004) - 980;
    if (round % 4 == 2) x = (int)test_random_below(&random, 2004) - 980;
    if (round % 4 == 3) y = round % 8 == 3 ? 1023 : -900;
    ee_box a = random_box(&random), b = random_box(&random);
    /* Flat boxes, equal ones, and such that share sides. */
    if (round % 16 == 5) a.x2 = a.x1;
    if (round % 32 == 6) b.y2 = b.y1;
    if (round % 16 == 7) b = a;
    if (round % 16 == 9) b.x1 = b.x2 = a.x1 = a.x2;
    if (round % 16 == 11 && a.x1 < b.x2) b.x1 = a.x1;
    a = scaled(a, x, y);
    b = scaled(b, x, y);
    assert_measures(a, b);
    double giou = ee_giou(a, b), diou = ee_diou(a, b), ciou = ee_ciou(a, b);
    assert_true(ee_giou(b, a) == giou && ee_diou(b, a) == diou && ee_ciou(b, a) == ciou &&
                ee_ios(b, a) == ee_ios(a, b));
    double iou = ee_iou(a, b);
    assert_true(giou <= iou && diou <= iou && ciou <= diou);
    if (ee_iou(a, a) == 1)
      assert_true(ee_giou(a, a) == 1 && ee_diou(a, a) == 1 && ee_ciou(a, a) == 1 && ee_ios(a, a) == 1 &&
                  ee_ioa(a, a) == 1);
  }
}

/* Any finite coordinates: each a magnitude of its own. */
static void survives_extremes(void **state) {
  (void)state;
  test_random random = test_random_start("geometry: extremes", 605);
  static const double special[] = {0, -0.0, 5e-324, DBL_MIN, 1e-200, 1e-71, 1e-70, 1e-69,
                                   1, 1e69, 1e70,   1e71,    1e154,  1e200, 1e308, DBL_MAX};
  for (int round = 0; round < 100000; round++) {
    double at[8];
    for (int i = 0; i < 8; i++) {
      at[i] = round % 2 == 0 ? test_random_double(&random)
                             : special[test_random_below(&random, sizeof special / sizeof *special)];
      if (round % 2 == 1 && test_random_below(&random, 2) == 0) at[i] = -at[i];
    }
    ee_box a = {smaller(at[0], at[1]), smaller(at[2], at[3]), larger(at[0], at[1]), larger(at[2], at[3])};
    ee_box b = {smaller(at[4], at[5]), smaller(at[6], at[7]), larger(at[4], at[5]), larger(at[6], at[7])};
    if (round % 16 >= 14) b.x1 = a.x1, b.x2 = a.x2;
    assert_measures(a, b);
    long double want = long_iou(a, b);
    double iou = ee_iou(a, b);
    if (!(iou >= 0 && iou <= 1 && fabsl(iou - want) <= 1e-12L))
      fail_msg("{%a, %a, %a, %a} and {%a, %a, %a, %a}: %.17g, not %.17Lg", a.x1, a.y1, a.x2, a.y2, b.x1, b.y1, b.x2,
               b.y2, iou, want);
    assert_true(ee_iou(b, a) == iou);
    long double area = fminl(((long double)a.x2 - a.x1) * ((long double)a.y2 - a.y1), DBL_MAX);
    assert_near(ee_box_area(a), (double)area, 1e-15L, "area");
    assert_true(isfinite(ee_box_intersection(a, b)));
    assert_true(ee_box_intersection(a, a) == ee_box_area(a));
  }
}

/* To the bit: whole numbers move by whole numbers, and a power of two rounds nothing. */
static void keeps_its_value(void **state) {
  (void)state;
  test_random random = test_random_start("geometry: moved and scaled", 606);
  for (int round = 0; round < 20000; round++) {
    int c[8], dx = (int)test_random_below(&random, 2001) - 1000, dy = (int)test_random_below(&random, 2001) - 1000;
    for (int i = 0; i < 8; i++) c[i] = (int)test_random_below(&random, 1000);
    ee_box a = {c[0], c[1], c[0] + c[2], c[1] + c[3]}, b = {c[4], c[5], c[4] + c[6], c[5] + c[7]};
    ee_box moved_a = {a.x1 + dx, a.y1 + dy, a.x2 + dx, a.y2 + dy},
           moved_b = {b.x1 + dx, b.y1 + dy, b.x2 + dx, b.y2 + dy};
    int power = (int)test_random_below(&random, 2000) - 1000;
    ee_box scaled_a = scaled(a, power, power), scaled_b = scaled(b, power, power);
    double (*const functions[])(ee_box, ee_box) = {ee_iou, ee_giou, ee_diou, ee_ciou, ee_ios, ee_ioa};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
      double value = functions[i](a, b);
      if (functions[i](moved_a, moved_b) != value || functions[i](scaled_a, scaled_b) != value)
        fail_msg("measure %zu, round %d: %.17g, moved %.17g, scaled by 2^%d %.17g", i, round, value,
                 functions[i](moved_a, moved_b), power, functions[i](scaled_a, scaled_b));
    }
  }
}

/* Iou matrix ------------------------------------------------------------------------------------ */

/* Boxes of a kind: fractions, small whole numbers (which share corners), flat, any finite numbers, or all mixed. */
static ee_box random_box_of_kind(test_random *random, size_t kind) {
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
  /* A number after the matrix detects a write past the end. */
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
    for (size_t i = 0; i < rows; i++) a[i] = random_box_of_kind(&random, kind);
    for (size_t i = 0; i < columns; i++)
      b[i] = rows > 0 && test_random_below(&random, 8) == 0 ? a[test_random_below(&random, rows)]
                                                            : random_box_of_kind(&random, kind);
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
        a[i] = random_box_of_kind(&random, 0);
        b[i] = random_box_of_kind(&random, 0);
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

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(knows_boxes), cmocka_unit_test(checks_boxes),
             cmocka_unit_test(agrees_with_counted_cells), cmocka_unit_test(agrees_with_long_doubles),
             cmocka_unit_test(knows_distances), cmocka_unit_test(agrees_with_plain_sums),
             cmocka_unit_test(reads_formats), cmocka_unit_test(knows_areas),
             cmocka_unit_test(agrees_with_published_formulas), cmocka_unit_test(survives_extremes),
             cmocka_unit_test(keeps_its_value), cmocka_unit_test(has_the_bits_of_pairs),
             cmocka_unit_test(keeps_extremes_apart));
