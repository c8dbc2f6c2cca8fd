/* tally.h: how often each value was there: what a median needs, in memory that grows with distinct values only.
 *
 * Layer: judge. Merging is associative and commutative; measures of cases are quotients of small numbers, so there are few
 * distinct ones. Owned memory is malloc'd and kept by ee_tally_clear(). */
#ifndef EE_JUDGE_TALLY_H
#define EE_JUDGE_TALLY_H

#include <stddef.h>
#include <stdint.h>

typedef struct ee_tally {
  struct ee_tally_slot {
    double value;
    uint64_t count; /* 0: free */
  } * slots;        /* open addressing */
  size_t capacity;  /* a power of two, or 0 */
  size_t distinct;
  uint64_t total;
} ee_tally;

void ee_tally_init(ee_tally *tally);
void ee_tally_fini(ee_tally *tally);
void ee_tally_clear(ee_tally *tally);
/* `value` is finite; -0 counts as 0. */
void ee_tally_add(ee_tally *tally, double value, uint64_t count);
void ee_tally_merge(ee_tally *tally, const ee_tally *other);
/* The middle value, of an even number the mean of the two in the middle; 0 when the tally is empty. O(n log n) in distinct
 * values. */
double ee_tally_median(const ee_tally *tally);
double ee_tally_min(const ee_tally *tally);
double ee_tally_max(const ee_tally *tally);

#endif
