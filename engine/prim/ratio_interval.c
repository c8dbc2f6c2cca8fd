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

/* computed_point() at the usual confidence, which every table of a report needs; a test checks them. */
static const double usual_points[MANY_UNITS] = {
    0x1.f5c0331eeefecp+0, 0x1.96993aacc4d0bp+3, 0x1.135ea98e146b9p+2, 0x1.975a66893c1abp+1, 0x1.63628d9efb5dap+1,
    0x1.4908d359dff36p+1, 0x1.393468546e64dp+1, 0x1.2eac01e9f5b19p+1, 0x1.272b24bc92429p+1, 0x1.218e5dac50b1ep+1,
    0x1.1d33a7661d301p+1, 0x1.19b9e1b8c9966p+1, 0x1.16e356bbc352ap+1, 0x1.1486f5cb67d3bp+1, 0x1.12885ec4c0665p+1,
    0x1.10d356b5a06c1p+1, 0x1.0f590e8d62dd7p+1, 0x1.0e0e6fd5b1562p+1, 0x1.0ceb036f23f2dp+1, 0x1.0be83653b6671p+1,
    0x1.0b00d9a95443ap+1, 0x1.0a30c955b504bp+1, 0x1.0974ac3559faep+1, 0x1.08c9c5c7af879p+1, 0x1.082dd3fc3a166p+1,
    0x1.079ef5947699ep+1, 0x1.071b96b177dbp+1,  0x1.06a261e29bda9p+1, 0x1.0632348973a2ap+1, 0x1.05ca15bce2873p+1};

static double computed_point(double confidence, uint64_t degrees) {
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

double ee_critical_point(double confidence, uint64_t degrees) {
  if (confidence == EE_USUAL_CONFIDENCE && degrees < MANY_UNITS) return usual_points[degrees];
  return computed_point(confidence, degrees);
}

/* The interval ---------------------------------------------------------------------------------- */

/* Where at most this many values are wrong (or right), Wilson's limit next to 1 (or 0) is too near: three and a half,
 * and what rounding adds, since a share of a few units often is just that. */
#define FEW_VALUES (3.5 + 1e-9)

/* The smallest expected count that lets `few` values be seen, at the level of `point` standard errors: Wilson and
 * Hilferty's quantile of the gamma distribution. */
static double least_expected(double few, double point) {
  double root = 1 - 1 / (9 * few) - point / (3 * sqrt(few));
  return root > 0 ? few * root * root * root : 0;
}

/* The point that x exceeds with probability 1 - confidence; of confidences below 0.75 that of 0.75. */
static double one_sided_point(double confidence) {
  if (confidence == EE_USUAL_CONFIDENCE) return 1.6448536269514722;
  return ee_critical_point(fmax(2 * confidence - 1, EE_LOWEST_CONFIDENCE), 0);
}

/* Wilson's interval of a ratio that is as certain as `number` independent values. Where only a few of them are wrong,
 * or right, the limit next to the end is the Poisson one (Brown, Cai and DasGupta 2001): Wilson's alone covers only
 * 84 % where 0.2 wrong values are expected, whatever the number. */
static ee_interval wilson(double ratio, double number, uint64_t units, double confidence) {
  double point = ee_critical_point(confidence, units < MANY_UNITS ? units - 1 : 0);
  double square = point * point / number;
  double middle = ratio + square / 2, half = sqrt(square * (ratio * (1 - ratio) + square / 4));
  ee_interval interval = {(middle - half) / (1 + square), (middle + half) / (1 + square)};
  double right = ratio * number, wrong = (1 - ratio) * number;
  double one_sided = fmin(right, wrong) <= FEW_VALUES ? one_sided_point(confidence) : 0;
  if (wrong > 0 && wrong <= FEW_VALUES)
    interval.high = fmax(interval.high, 1 - least_expected(wrong, one_sided) / number);
  if (right > 0 && right <= FEW_VALUES) interval.low = fmin(interval.low, least_expected(right, one_sided) / number);
  return (ee_interval){ratio <= 0 ? 0 : fmax(interval.low, 0), ratio >= 1 ? 1 : fmin(interval.high, 1)};
}

ee_interval ee_interval_of_variance(double ratio, double lowered, double variance, uint64_t units, double confidence) {
  if (units < 2) return (ee_interval){0, 1};
  double n = (double)units, number = n;
  /* Where nothing is right in any unit they are equal, and no variance says how many of them are independent. */
  if (lowered > 0 && variance > 0) number = lowered * (1 - lowered) / variance * n / (n + 1);
  return wilson(ratio, number > 1 ? number : 1, units, confidence);
}

ee_interval ee_ratio_interval(const ee_ratio_sums *sums, double confidence) {
  if (sums->units < 2 || sums->b <= 0) return (ee_interval){0, 1};
  double n = (double)sums->units, extra = sums->b / n, b = sums->b + extra, lowered = sums->a / b;
  double residuals = sums->aa - 2 * lowered * sums->ab + lowered * lowered * (sums->bb + extra * extra);
  double variance = (n + 1) / n * residuals / (b * b);
  return ee_interval_of_variance(sums->a >= sums->b ? 1 : sums->a / sums->b, lowered, variance, sums->units,
                                 confidence);
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
