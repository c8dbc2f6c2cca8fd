/* ratio_interval.c: intervals of ratios, and the critical points they need. */
#include "prim/ratio_interval.h"

#define PI 3.14159265358979323846
/* From here on the normal distribution stands for Student's. */
#define MANY_UNITS 30

/* Critical points ------------------------------------------------------------------------------- */

/* e^-x for 0 <= x < 100, as 1 / (e^(x / 1024))^1024: logarithms and powers of libraries differ in the last bit. */
static double exp_minus(double x) {
  double small = x / 1024, term = 1, sum = 1;
  for (int i = 1; i < 12; i++) sum += term *= small / i;
  for (int i = 0; i < 10; i++) sum *= sum;
  return 1 / sum;
}

/* The angle whose tangent is x >= 0: halved four times, then Taylor's series. */
static double arc_tangent(double x) {
  for (int i = 0; i < 4; i++) x /= 1 + sqrt(1 + x * x);
  double square = x * x, power = x, sum = 0;
  for (int i = 1; i < 30; i += 4) {
    sum += power / i - power * square / (i + 2);
    power *= square * square;
  }
  return 16 * sum;
}

/* The probability that |x| <= z: sqrt(2 / pi) e^(-z^2 / 2) (z + z^3 / 3 + z^5 / 15 + ...). */
static double normal_within(double z) {
  double term = z, sum = z;
  for (int i = 3; term > sum * 1e-18; i += 2) sum += term *= z * z / i;
  return sqrt(2 / PI) * exp_minus(z * z / 2) * sum;
}

/* The probability that |x| <= t: Abramowitz and Stegun 26.7.3 and 26.7.4, finite sums for whole degrees of freedom. */
static double student_within(double t, uint64_t degrees) {
  double freedom = (double)degrees, angle = arc_tangent(t / sqrt(freedom));
  double cosine = sqrt(freedom / (freedom + t * t)), sine = t / sqrt(freedom + t * t);
  bool odd = degrees % 2 == 1;
  double term = odd ? cosine : 1, sum = 0;
  for (uint64_t k = odd ? 3 : 2; k <= degrees; k += 2) {
    sum += term;
    term *= cosine * cosine * (double)(k - 1) / (double)k;
  }
  return odd ? 2 / PI * (angle + sine * sum) : sine * sum;
}

double ee_probability_within(double x, uint64_t degrees) {
  if (degrees > 0) return student_within(x, degrees);
  return x < 9 ? normal_within(x) : 1;
}

double ee_critical_point(double confidence, uint64_t degrees) {
  double low = 0, high = degrees == 0 ? 8 : 1e5;
  for (;;) {
    double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) return high;
    if (ee_probability_within(middle, degrees) < confidence)
      low = middle;
    else
      high = middle;
  }
}

/* The interval ---------------------------------------------------------------------------------- */

/* The number of independent values that are as certain as the ratio. */
static double effective_number(const ee_ratio_sums *sums) {
  double n = (double)sums->units, extra = sums->b / n, b = sums->b + extra;
  double ratio = sums->a / b;
  double residuals = sums->aa - 2 * ratio * sums->ab + ratio * ratio * (sums->bb + extra * extra);
  double variance = (n + 1) / n * residuals / (b * b);
  /* Nothing is right in any unit: they are equal, and no variance says how many of them are independent. */
  if (ratio <= 0 || variance <= 0) return n;
  double number = ratio * (1 - ratio) / variance * n / (n + 1);
  return number > 1 ? number : 1;
}

ee_interval ee_ratio_interval(const ee_ratio_sums *sums, double confidence) {
  if (sums->units < 2 || sums->b <= 0) return (ee_interval){0, 1};
  double ratio = sums->a / sums->b, n = effective_number(sums);
  double point = ee_critical_point(confidence, sums->units < MANY_UNITS ? sums->units - 1 : 0);
  double square = point * point / n;
  double middle = ratio + square / 2, half = sqrt(square * (ratio * (1 - ratio) + square / 4));
  ee_interval interval = {(middle - half) / (1 + square), (middle + half) / (1 + square)};
  if (sums->a <= 0 || interval.low < 0) interval.low = 0;
  if (sums->a >= sums->b || interval.high > 1) interval.high = 1;
  return interval;
}

ee_ranged ee_ranged_of(ee_metric metric, const ee_ratio_sums *sums, double confidence) {
  bool known = metric.defined && sums->units >= 2;
  return (ee_ranged){metric, known ? ee_ratio_interval(sums, confidence) : EE_NO_INTERVAL};
}

ee_ratio_sums ee_ratio_of_sample(const ee_sample *sample) {
  double sum = ee_fixed_value(sample->sum), count = (double)sample->count;
  return (ee_ratio_sums){sample->count, sum, count, ee_fixed_value(sample->sum_of_squares), sum, count};
}

ee_ratio_sums ee_ratio_of_proportion(uint64_t count, uint64_t of) {
  double part = (double)count, whole = (double)of;
  return (ee_ratio_sums){of, part, whole, part, part, whole};
}

ee_ranged ee_ranged_of_sample(const ee_sample *sample, double confidence) {
  ee_ratio_sums sums = ee_ratio_of_sample(sample);
  return ee_ranged_of((ee_metric){sample->count > 0, ee_sample_mean(sample)}, &sums, confidence);
}

ee_ranged ee_ranged_of_proportion(uint64_t count, uint64_t of, double confidence) {
  ee_ratio_sums sums = ee_ratio_of_proportion(count, of);
  return ee_ranged_of((ee_metric){of > 0, of > 0 ? sums.a / sums.b : 0}, &sums, confidence);
}

/* Confusion counts ------------------------------------------------------------------------------ */

void ee_count_moments_add(ee_count_moments *moments, const ee_counts *counts) {
  uint64_t tp = counts->tp, tn = counts->tn, fp = counts->fp, fn = counts->fn;
  moments->units[EE_RATIO_PRECISION] += tp + fp > 0;
  moments->units[EE_RATIO_RECALL] += tp + fn > 0;
  moments->units[EE_RATIO_F1] += tp + fp + fn > 0;
  moments->units[EE_RATIO_SPECIFICITY] += tn + fp > 0;
  moments->tp_tp += tp * tp;
  moments->fp_fp += fp * fp;
  moments->fn_fn += fn * fn;
  moments->tn_tn += tn * tn;
  moments->tp_fp += tp * fp;
  moments->tp_fn += tp * fn;
  moments->fp_fn += fp * fn;
  moments->tn_fp += tn * fp;
}

void ee_count_moments_merge(ee_count_moments *moments, const ee_count_moments *other) {
  for (int i = 0; i < EE_COUNT_RATIOS; i++) moments->units[i] += other->units[i];
  moments->tp_tp += other->tp_tp;
  moments->fp_fp += other->fp_fp;
  moments->fn_fn += other->fn_fn;
  moments->tn_tn += other->tn_tn;
  moments->tp_fp += other->tp_fp;
  moments->tp_fn += other->tp_fn;
  moments->fp_fn += other->fp_fn;
  moments->tn_fp += other->tn_fp;
}

/* Sums of a / (a + other). */
static ee_ratio_sums share(uint64_t units, uint64_t a, uint64_t other, uint64_t aa, uint64_t a_other,
                           uint64_t other_other) {
  return (ee_ratio_sums){units,
                         (double)a,
                         (double)(a + other),
                         (double)aa,
                         (double)(aa + a_other),
                         (double)(aa + 2 * a_other + other_other)};
}

ee_ratio_sums ee_ratio_of_counts(const ee_counts *counts, const ee_count_moments *moments, ee_count_ratio ratio) {
  const ee_count_moments *m = moments;
  switch (ratio) {
  case EE_RATIO_PRECISION: return share(m->units[ratio], counts->tp, counts->fp, m->tp_tp, m->tp_fp, m->fp_fp);
  case EE_RATIO_RECALL: return share(m->units[ratio], counts->tp, counts->fn, m->tp_tp, m->tp_fn, m->fn_fn);
  case EE_RATIO_SPECIFICITY: return share(m->units[ratio], counts->tn, counts->fp, m->tn_tn, m->tn_fp, m->fp_fp);
  default:
    return share(m->units[EE_RATIO_F1], 2 * counts->tp, counts->fp + counts->fn, 4 * m->tp_tp,
                 2 * (m->tp_fp + m->tp_fn), m->fp_fp + 2 * m->fp_fn + m->fn_fn);
  }
}
