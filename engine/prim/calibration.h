/* calibration.h: what confidences are worth: calibration, ranking, and the threshold above which answers may be
 * trusted.
 *
 * All functions take the distinct confidences of the answers in ascending order, each with how many of its answers were
 * right and how many wrong. So the order of the cases and ties need no rule: answers of equal confidence are always
 * together. Same bits on every machine (prim/special.h). */
#ifndef EE_PRIM_CALIBRATION_H
#define EE_PRIM_CALIBRATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "prim/confusion.h"
#include "prim/statistics.h"

typedef struct ee_confident {
  double confidence; /* 0..1 */
  uint64_t right, wrong;
} ee_confident;

/* Figures --------------------------------------------------------------------------------------- */

/* At most this many bins of about equal numbers of answers, and at least EE_CALIBRATION_BIN_SIZE answers in each: with
 * fewer, a bin says more about chance than about the confidences. */
#define EE_CALIBRATION_BINS 10
#define EE_CALIBRATION_BIN_SIZE 10

typedef struct ee_calibration_bin {
  double low, high;      /* the lowest and the highest confidence in it */
  double confidence;     /* their mean */
  uint64_t right, count; /* count > 0 */
} ee_calibration_bin;

/* Undefined without answers, and AUROC also where all answers are right or all are wrong. */
typedef struct ee_calibration {
  uint64_t count, right;
  ee_metric accuracy, confidence; /* right / count; the mean confidence */
  ee_calibration_bin bins[EE_CALIBRATION_BINS];
  size_t bin_count;
  /* Expected calibration error: the mean of |accuracy - mean confidence| of the bins, weighted by their answers
   * (Naeini et al. 2015, with bins of equal mass: Nixon et al. 2019). */
  ee_metric ece;
  /* The mean ECE that chance alone gives with these confidences and this many answers if each is right with exactly the
   * probability that it claims; an ECE near it says nothing against the confidences (Broecker and Smith 2007; Roelofs
   * et al. 2022). Exact: twice the sum of (m - k) P(k right) over k below the expected number m; of large bins by the
   * normal approximation, sqrt(2 / pi) times the deviation. */
  ee_metric ece_by_chance;
  /* Brier score: the mean of (confidence - right)^2 (1950). Murphy's decomposition (1973) over the bins: reliability
   * (mean squared distance of the bins' accuracy from their mean confidence; 0 is best) - resolution (of the bins'
   * accuracy from that of all; the more the better) + uncertainty (accuracy (1 - accuracy)). What is left over,
   * `within`, comes from confidences that differ within a bin (Stephenson et al. 2008). */
  ee_metric brier, reliability, resolution, uncertainty, within;
  /* The probability that a right answer has a higher confidence than a wrong one, ties one half (Mann and Whitney
   * 1947), and its interval (Newcombe 2006, method 5, with the variance of Hanley and McNeil 1982). */
  ee_metric auroc;
  ee_interval auroc_interval;
  /* Area under the risk-coverage curve: the mean, over k = 1..n, of the share of wrong answers among the k surest
   * (Geifman and El-Yaniv 2019); among answers of equal confidence in random order. `excess`: over that of a ranking
   * with all right answers first. */
  ee_metric aurc, aurc_excess;
} ee_calibration;

/* `confidents` ascending, distinct; entries without answers are allowed. `confidence`, 0.5..0.9999, is that of the
 * interval. O(answers) for AURC, else O(count log count).
 */
void ee_calibrate(const ee_confident *confidents, size_t count, double confidence, ee_calibration *calibration);

/* Thresholds ------------------------------------------------------------------------------------- */

/* The answers that a threshold accepts. */
typedef struct ee_acceptance {
  bool found;            /* else nothing can be accepted, and the next four are 0 */
  double threshold;      /* accept answers of at least this confidence */
  uint64_t right, wrong; /* of those accepted */
  double lowest;         /* their accuracy is at least this, at the level asked for, if this threshold had been the only
                            one that was looked at */
  uint64_t needed;       /* answers that must be accepted without a single error: log(1 - sure) / log(wanted), up */
  uint64_t surest, surest_wrong; /* of the strictest threshold that was tested; 0: there are too few answers */
  uint64_t enough; /* nothing found: about how many answers would do if they are like these; 0: more would not help */
} ee_acceptance;

/* The lowest threshold whose accepted answers are right in a share of at least `wanted` (0..1), with probability `sure`
 * (0.5..1). Each threshold is tested by the exact binomial tail, which is the one-sided bound of Clopper and Pearson,
 * and the search is accounted for: thresholds are tested from the strictest one downwards, which is the one that
 * accepts enough answers to pass without an error, and each that passes hands the level at which it was tested on to
 * the next (fixed sequence testing, as in "Learn then Test", Angelopoulos et al. 2021). So that one error among the
 * surest does not end the search, the strictest one gets 7/10 of the level 1 - `sure`, and those that accept 1/4, 1/2,
 * 3/4 and all of the answers share the rest (the fallback procedure: Wiens 2003). The order depends on confidences
 * only, never on what is right. Needs answers that are independent of each other and like the ones to come. */
ee_acceptance ee_accept(const ee_confident *confidents, size_t count, double wanted, double sure);

/* A point of the risk-coverage curve. */
typedef struct ee_coverage_point {
  double threshold;
  uint64_t accepted, wrong;
} ee_coverage_point;

/* The strictest thresholds that accept at least 1/parts, 2/parts, ... of `whole` answers (>= all of `confidents`: those
 * without a confidence are never accepted), strictest first, each once. Returns how many; `points` has room for
 * `parts`. */
size_t ee_coverage_curve(const ee_confident *confidents, size_t count, uint64_t whole, size_t parts,
                         ee_coverage_point *points);

#endif
