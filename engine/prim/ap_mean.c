/* ap_mean.c: COCO's parameters, and the means over its curves. See average_precision.h. */
#include <string.h>

#include "prim/average_precision.h"

/* numpy.linspace(start, stop, n): start + i * step in doubles, of which only the last is put right. */
#define THRESHOLD(i) (0.5 + (i) * ((0.95 - 0.5) / 9))
static const double thresholds[] = {THRESHOLD(0), THRESHOLD(1), THRESHOLD(2), THRESHOLD(3), THRESHOLD(4),
                                    THRESHOLD(5), THRESHOLD(6), THRESHOLD(7), THRESHOLD(8), 0.95};
#define RECALL(i) ((i) * (1.0 / 100))
#define TEN_RECALLS(i)                                                                                                 \
  RECALL(i), RECALL(i + 1), RECALL(i + 2), RECALL(i + 3), RECALL(i + 4), RECALL(i + 5), RECALL(i + 6), RECALL(i + 7),  \
      RECALL(i + 8), RECALL(i + 9)
static const double recalls[] = {TEN_RECALLS(0),
                                 TEN_RECALLS(10),
                                 TEN_RECALLS(20),
                                 TEN_RECALLS(30),
                                 TEN_RECALLS(40),
                                 TEN_RECALLS(50),
                                 TEN_RECALLS(60),
                                 TEN_RECALLS(70),
                                 TEN_RECALLS(80),
                                 TEN_RECALLS(90),
                                 1.0};
static const ee_ap_range ranges[] = {{0, 1e10}, {0, 32 * 32}, {32 * 32, 96 * 96}, {96 * 96, 1e10}};
static const unsigned limits[] = {1, 10, 100};

#define COUNT(array) (sizeof(array) / sizeof *(array))

void ee_ap_defaults(ee_ap_parameters *parameters) {
  *parameters = (ee_ap_parameters){.thresholds = thresholds,
                                   .threshold_count = COUNT(thresholds),
                                   .recalls = recalls,
                                   .recall_count = COUNT(recalls),
                                   .ranges = ranges,
                                   .range_count = COUNT(ranges),
                                   .limits = limits,
                                   .limit_count = COUNT(limits),
                                   .use_categories = true};
}

/* Halves down to blocks of at most 128, and eight running sums in a block. */
static double sum_pairwise(const double *values, size_t count) {
  if (count < 8) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += values[i];
    return sum;
  }
  if (count > 128) {
    size_t half = count / 2 - count / 2 % 8;
    return sum_pairwise(values, half) + sum_pairwise(values + half, count - half);
  }
  double sums[8];
  memcpy(sums, values, sizeof sums);
  size_t i = 8;
  for (; i < count - count % 8; i += 8) {
    for (size_t k = 0; k < 8; k++) sums[k] += values[i + k];
  }
  double sum = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
  for (; i < count; i++) sum += values[i];
  return sum;
}

double ee_pairwise_sum(const double *values, size_t count) {
  const size_t buffer = 8192; /* numpy.getbufsize() */
  double sum = 0;
  for (size_t i = 0; i < count; i += buffer) sum += sum_pairwise(values + i, count - i < buffer ? count - i : buffer);
  return sum;
}

/* The indices `from` to `to` that an index or EE_AP_ALL stands for. */
typedef struct span {
  size_t from, to;
} span;

static span span_of(long index, size_t count) {
  return index == EE_AP_ALL ? (span){0, count} : (span){(size_t)index, (size_t)index + 1};
}

static double mean(const double *values, size_t count) {
  return count == 0 ? -1 : ee_pairwise_sum(values, count) / (double)count;
}

/* The mean of values[row][category][range][limit] for rows and categories of two spans, in this order. */
static double mean_of(const ee_ap_result *result, const double *values, span rows, span categories, size_t range,
                      size_t limit, ee_arena *scratch) {
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  double *defined =
      ee_arena_alloc(scratch, (rows.to - rows.from) * (categories.to - categories.from) * sizeof *defined);
  size_t count = 0, step = result->parameters.range_count * result->parameters.limit_count;
  size_t offset = range * result->parameters.limit_count + limit;
  for (size_t row = rows.from; row < rows.to; row++) {
    for (size_t category = categories.from; category < categories.to; category++) {
      double value = values[(row * result->categories + category) * step + offset];
      if (value > -1) defined[count++] = value;
    }
  }
  double answer = mean(defined, count);
  ee_arena_rewind(scratch, mark);
  return answer;
}

double ee_ap_mean_precision(const ee_ap_result *result, long threshold, long category, size_t range, size_t limit,
                            ee_arena *scratch) {
  span rows = span_of(threshold, result->parameters.threshold_count);
  size_t recall_count = result->parameters.recall_count;
  return mean_of(result, result->precision, (span){rows.from * recall_count, rows.to * recall_count},
                 span_of(category, result->categories), range, limit, scratch);
}

double ee_ap_mean_recall(const ee_ap_result *result, long threshold, long category, size_t range, size_t limit,
                         ee_arena *scratch) {
  return mean_of(result, result->recall, span_of(threshold, result->parameters.threshold_count),
                 span_of(category, result->categories), range, limit, scratch);
}

void ee_ap_tie_range(const ee_ap_result *result, ee_arena *scratch, double range[2]) {
  const ee_ap_parameters *p = &result->parameters;
  size_t count = p->threshold_count * p->recall_count * result->categories;
  for (size_t side = 0; side < 2; side++) {
    const double *values = side == 0 ? result->lowest : result->highest;
    ee_arena_mark mark = ee_arena_get_mark(scratch);
    double *defined = ee_arena_alloc(scratch, count * sizeof *defined);
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
      if (values[i] > -1) defined[found++] = values[i];
    }
    range[side] = mean(defined, found);
    ee_arena_rewind(scratch, mark);
  }
}

/* The twelve ----------------------------------------------------------------------------------- */

const char *const ee_ap_names[EE_AP_TWELVE] = {"AP",  "AP50", "AP75",  "APs", "APm", "APl",
                                               "AR1", "AR10", "AR100", "ARs", "ARm", "ARl"};

/* What each of the twelve is a mean of: 0 stands for all thresholds, and for the last limit. */
static const struct {
  bool recall;
  double threshold;
  size_t range;
  unsigned limit;
} twelve[EE_AP_TWELVE] = {{false, 0, 0, 0}, {false, 0.5, 0, 0}, {false, 0.75, 0, 0}, {false, 0, 1, 0},
                          {false, 0, 2, 0}, {false, 0, 3, 0},   {true, 0, 0, 1},     {true, 0, 0, 10},
                          {true, 0, 0, 0},  {true, 0, 1, 0},    {true, 0, 2, 0},     {true, 0, 3, 0}};

/* The index of a threshold, or how many there are. */
static size_t threshold_index(const ee_ap_parameters *parameters, double threshold) {
  size_t i = 0;
  while (i < parameters->threshold_count && parameters->thresholds[i] != threshold) i++;
  return i;
}

static size_t limit_index(const ee_ap_parameters *parameters, unsigned limit) {
  if (limit == 0) return parameters->limit_count - 1;
  size_t i = 0;
  while (i < parameters->limit_count && parameters->limits[i] != limit) i++;
  return i;
}

void ee_ap_twelve(const ee_ap_result *result, ee_arena *scratch, double numbers[EE_AP_TWELVE]) {
  const ee_ap_parameters *p = &result->parameters;
  for (size_t i = 0; i < EE_AP_TWELVE; i++) {
    size_t threshold = threshold_index(p, twelve[i].threshold), limit = limit_index(p, twelve[i].limit);
    bool all = twelve[i].threshold == 0;
    numbers[i] = -1;
    if ((!all && threshold == p->threshold_count) || limit == p->limit_count || twelve[i].range >= p->range_count)
      continue;
    numbers[i] = (twelve[i].recall ? ee_ap_mean_recall : ee_ap_mean_precision)(
        result, all ? EE_AP_ALL : (long)threshold, EE_AP_ALL, twelve[i].range, limit, scratch);
  }
}
