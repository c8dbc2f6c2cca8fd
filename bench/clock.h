/* clock.h: how the benchmarks take time, and the median of their rounds. */
#ifndef EE_BENCH_CLOCK_H
#define EE_BENCH_CLOCK_H

#include <stdlib.h>
#include <time.h>

/* Seconds of a clock that nobody sets. */
static inline double now_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static inline int compare_doubles(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

/* Sorts `count` > 0 values, the least first, and returns the one in the middle. */
static inline double sort_for_median(double *values, size_t count) {
  qsort(values, count, sizeof *values, compare_doubles);
  return values[count / 2];
}

#endif
