/* calibration.c: figures of confidences, and thresholds. */
#include "prim/calibration.h"

#include <math.h>

#include "base/memory.h"
#include "prim/ratio_interval.h"
#include "prim/special.h"

/* Steps that the exact error by chance of one bin may take; larger bins are normal to a percent. */
#define EXACT_STEPS 2e7
#define SQRT_2_OVER_PI 0.79788456080286535588

static ee_metric defined(double value) { return (ee_metric){.defined = true, .value = value}; }

static uint64_t answers(const ee_confident *confident) { return confident->right + confident->wrong; }

/* Bins ------------------------------------------------------------------------------------------ */

/* The bin of the answers whose middle one is number `middle` (from 0) of `total`. */
static size_t bin_of(double middle, uint64_t total, size_t bins) {
  return (size_t)(middle / (double)total * (double)bins); /* below `bins`: `total` is far from 2^53 */
}

/* Twice the sum of (mean - k) P(k) over k < mean, where each of the answers from `first` to `last` happens with its
 * confidence, or, which is the same, its opposite with 1 - confidence: the rarer one is counted. */
static double chance_of_bin(const ee_confident *first, const ee_confident *last) {
  double right = 0, wrong = 0, variance = 0, count = 0;
  for (const ee_confident *at = first; at <= last; at++) {
    double times = (double)answers(at);
    right += times * at->confidence;
    wrong += times * (1 - at->confidence);
    variance += times * at->confidence * (1 - at->confidence);
    count += times;
  }
  bool rare_right = right < wrong;
  double mean = rare_right ? right : wrong;
  if (mean <= 0) return 0;
  if (count * (mean + 1) > EXACT_STEPS) return SQRT_2_OVER_PI * sqrt(variance);
  size_t limit = (size_t)ceil(mean); /* k = 0 .. limit - 1 are below the mean */
  double *chances = ee_calloc(limit, sizeof *chances);
  chances[0] = 1;
  for (const ee_confident *at = first; at <= last; at++) {
    double p = rare_right ? at->confidence : 1 - at->confidence;
    for (uint64_t i = 0; i < answers(at); i++) {
      for (size_t k = limit; k-- > 1;) chances[k] += (chances[k - 1] - chances[k]) * p;
      chances[0] *= 1 - p;
    }
  }
  double sum = 0;
  for (size_t k = 0; k < limit; k++) sum += (mean - (double)k) * chances[k];
  ee_free(chances);
  return 2 * sum;
}

/* The bins, and what is summed over them. */
static void add_bins(const ee_confident *confidents, size_t count, ee_calibration *calibration) {
  uint64_t total = calibration->count;
  uint64_t most = total / EE_CALIBRATION_BIN_SIZE;
  size_t bins = most < 1 ? 1 : most < EE_CALIBRATION_BINS ? (size_t)most : EE_CALIBRATION_BINS;
  double ece = 0, by_chance = 0, reliability = 0, resolution = 0;
  uint64_t passed = 0;
  for (size_t at = 0; at < count;) {
    if (answers(&confidents[at]) == 0) {
      at++;
      continue;
    }
    size_t number = bin_of((double)passed + (double)answers(&confidents[at]) / 2, total, bins), first = at, last = at;
    ee_calibration_bin bin = {.low = confidents[at].confidence};
    double sum = 0;
    for (; at < count; at++) {
      uint64_t times = answers(&confidents[at]);
      if (times == 0) continue;
      if (bin_of((double)passed + (double)times / 2, total, bins) != number) break;
      bin.high = confidents[at].confidence;
      bin.right += confidents[at].right;
      bin.count += times;
      sum += (double)times * confidents[at].confidence;
      passed += times;
      last = at;
    }
    double share = (double)bin.count / (double)total, accuracy = (double)bin.right / (double)bin.count;
    bin.confidence = sum / (double)bin.count;
    double gap = accuracy - bin.confidence, away = accuracy - calibration->accuracy.value;
    ece += share * fabs(gap);
    reliability += share * gap * gap;
    resolution += share * away * away;
    by_chance += chance_of_bin(&confidents[first], &confidents[last]) / (double)total;
    calibration->bins[calibration->bin_count++] = bin;
  }
  calibration->ece = defined(ece);
  calibration->ece_by_chance = defined(by_chance);
  calibration->reliability = defined(reliability);
  calibration->resolution = defined(resolution);
}

/* Ranking ---------------------------------------------------------------------------------------- */

/* The variance of the area `area` with `m` and `n` answers (Hanley and McNeil 1982), where both numbers but those of
 * the denominator are their mean. */
static double area_variance(double area, double m, double n) {
  double more = (m + n) / 2 - 1;
  return area * (1 - area) * (1 + more * (1 - area) / (2 - area) + more * area / (1 + area)) / (m * n);
}

/* The area at which `observed` is just `point` deviations away: between it and `limit`. */
static double area_limit(double observed, double limit, double m, double n, double point) {
  double inner = observed, outer = limit;
  for (int i = 0; i < 60; i++) {
    double middle = inner + (outer - inner) / 2, distance = observed - middle;
    if (distance * distance < point * point * area_variance(middle, m, n))
      inner = middle;
    else
      outer = middle;
  }
  return inner;
}

static void add_auroc(const ee_confident *confidents, size_t count, double confidence, ee_calibration *calibration) {
  double right = (double)calibration->right, wrong = (double)(calibration->count - calibration->right);
  if (right <= 0 || wrong <= 0) return;
  double wins = 0, wrong_below = 0; /* pairs: exact up to 2^53 */
  for (size_t i = 0; i < count; i++) {
    wins += (double)confidents[i].right * (wrong_below + (double)confidents[i].wrong / 2);
    wrong_below += (double)confidents[i].wrong;
  }
  double area = wins / (right * wrong), point = ee_critical_point(confidence, 0);
  calibration->auroc = defined(area);
  calibration->auroc_interval = (ee_interval){area > 0 ? area_limit(area, 0, right, wrong, point) : 0,
                                              area < 1 ? area_limit(area, 1, right, wrong, point) : 1};
}

static void add_aurc(const ee_confident *confidents, size_t count, ee_calibration *calibration) {
  double area = 0, best = 0, taken = 0, errors = 0;
  for (size_t i = count; i-- > 0;) {
    uint64_t times = answers(&confidents[i]);
    double each = times > 0 ? (double)confidents[i].wrong / (double)times : 0;
    for (uint64_t k = 1; k <= times; k++) area += (errors + (double)k * each) / (taken + (double)k);
    taken += (double)times;
    errors += (double)confidents[i].wrong;
  }
  double right = (double)calibration->right;
  for (uint64_t k = 1; k <= calibration->count - calibration->right; k++) best += (double)k / (right + (double)k);
  double total = (double)calibration->count;
  calibration->aurc = defined(area / total);
  double excess = (area - best) / total;
  calibration->aurc_excess = defined(excess > 0 ? excess : 0);
}

void ee_calibrate(const ee_confident *confidents, size_t count, double confidence, ee_calibration *calibration) {
  *calibration = (ee_calibration){0};
  double claimed = 0, brier = 0;
  for (size_t i = 0; i < count; i++) {
    const ee_confident *at = &confidents[i];
    double p = at->confidence;
    calibration->count += answers(at);
    calibration->right += at->right;
    claimed += (double)answers(at) * p;
    brier += (double)at->right * (1 - p) * (1 - p) + (double)at->wrong * p * p;
  }
  if (calibration->count == 0) return;
  double total = (double)calibration->count, accuracy = (double)calibration->right / total;
  calibration->accuracy = defined(accuracy);
  calibration->confidence = defined(claimed / total);
  calibration->brier = defined(brier / total);
  calibration->uncertainty = defined(accuracy * (1 - accuracy));
  add_bins(confidents, count, calibration);
  calibration->within = defined(brier / total - (calibration->reliability.value - calibration->resolution.value +
                                                 calibration->uncertainty.value));
  add_auroc(confidents, count, confidence, calibration);
  add_aurc(confidents, count, calibration);
}

/* Thresholds ------------------------------------------------------------------------------------- */

/* Whether `wrong` of `accepted` show that the share of wrong ones is at most `risk`. */
static bool holds(uint64_t wrong, uint64_t accepted, double risk, double level) {
  return ee_binomial_at_most(wrong, accepted, risk) <= level;
}

/* About how many answers would do if they had the share of errors of `accepted`, which are those of `total`: found by
 * doubling, then by halving. 0 for a share that is too high. */
static uint64_t answers_enough(uint64_t wrong, uint64_t accepted, uint64_t total, double risk, double level) {
  double share = (double)wrong / (double)accepted;
  if (share >= risk) return 0;
  double low = 1, high = 2;
#define TIMES(count, factor) ((uint64_t)ceil((double)(count) * (factor)-1e-9))
  while (high < 1e6 && !holds(TIMES(wrong, high), TIMES(accepted, high), risk, level)) high *= 2;
  if (high >= 1e6) return 0;
  for (int i = 0; i < 30; i++) {
    double middle = (low + high) / 2;
    if (holds(TIMES(wrong, middle), TIMES(accepted, middle), risk, level))
      high = middle;
    else
      low = middle;
  }
  return TIMES(total, high);
#undef TIMES
}

/* How many answers without an error show that at least `wanted` are right. */
static uint64_t answers_needed(double wanted, double level) {
  double count = wanted > 0 ? ceil(ee_log(level) / ee_log(wanted) - 1e-9) : 1;
  return count < 1 ? 1 : (uint64_t)count;
}

/* The share of the level that the strictest threshold gets; the rest goes to the others that start again, at these
 * shares of all answers. */
#define FIRST_SHARE 0.7
static const double starts[] = {0.25, 0.5, 0.75, 1};
#define STARTS (sizeof starts / sizeof *starts)

ee_acceptance ee_accept(const ee_confident *confidents, size_t count, double wanted, double sure) {
  double level = 1 - sure, risk = 1 - wanted;
  ee_acceptance found = {0};
  if (wanted >= 1) return found; /* no number of answers shows it */
  uint64_t total = 0;
  for (size_t i = 0; i < count; i++) total += answers(&confidents[i]);
  found.needed = answers_needed(wanted, level);
  /* Few answers leave nothing to share. */
  double first = answers_needed(wanted, FIRST_SHARE * level) <= total ? FIRST_SHARE : 1;
  uint64_t strictest = answers_needed(wanted, first * level);
  double allowed = first * level; /* the level at which the next threshold is tested */
  size_t started = 0;
  uint64_t accepted = 0, wrong = 0, best_accepted = 0, best_wrong = 0;
  for (size_t i = count; i-- > 0;) {
    if (answers(&confidents[i]) == 0) continue;
    accepted += answers(&confidents[i]);
    wrong += confidents[i].wrong;
    if (accepted < strictest) continue;
    if (found.surest == 0) {
      found.surest = accepted;
      found.surest_wrong = wrong;
    }
    if (best_accepted == 0 || (double)wrong * (double)best_accepted <= (double)best_wrong * (double)accepted) {
      best_accepted = accepted;
      best_wrong = wrong;
    }
    for (; started < STARTS && (double)accepted >= starts[started] * (double)total; started++)
      allowed += (1 - first) * level / (double)STARTS; // NOLINT(bugprone-integer-division): their number
    if (!(allowed > 0)) continue;
    if (!holds(wrong, accepted, risk, allowed)) {
      allowed = 0;
      continue;
    }
    found.found = true;
    found.threshold = confidents[i].confidence;
    found.right = accepted - wrong;
    found.wrong = wrong;
  }
  if (found.found)
    found.lowest = 1 - ee_binomial_upper_limit(found.wrong, found.right + found.wrong, level);
  else if (best_accepted > 0)
    found.enough = answers_enough(best_wrong, best_accepted, total, risk, first * level);
  return found;
}

size_t ee_coverage_curve(const ee_confident *confidents, size_t count, uint64_t whole, size_t parts,
                         ee_coverage_point *points) {
  size_t made = 0;
  uint64_t accepted = 0, wrong = 0;
  double next = 1;
  for (size_t i = count; i-- > 0 && whole > 0;) {
    if (answers(&confidents[i]) == 0) continue;
    accepted += answers(&confidents[i]);
    wrong += confidents[i].wrong;
    double reached = (double)accepted / (double)whole * (double)parts + 1e-9;
    if (reached < next) continue;
    points[made++] = (ee_coverage_point){confidents[i].confidence, accepted, wrong};
    next = floor(reached) + 1;
  }
  return made;
}
