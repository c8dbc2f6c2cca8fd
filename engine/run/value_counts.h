/* value_counts.h: how often each value was there: what a median needs, in memory that grows with distinct values only.
 *
 * Merging is associative and commutative; measures of cases are quotients of small numbers, so there are few
 * distinct ones. Owned memory is malloc'd and kept by ee_value_counts_clear(). */
#ifndef EE_RUN_VALUE_COUNTS_H
#define EE_RUN_VALUE_COUNTS_H

#include <stddef.h>
#include <stdint.h>

typedef struct ee_value_counts {
  struct ee_value_counts_slot {
    double value;
    uint64_t count; /* 0: free */
  } * slots;        /* open addressing */
  size_t capacity;  /* a power of two, or 0 */
  size_t distinct;
  uint64_t total;
} ee_value_counts;

void ee_value_counts_init(ee_value_counts *tally);
void ee_value_counts_fini(ee_value_counts *tally);
void ee_value_counts_clear(ee_value_counts *tally);
/* `value` is finite; -0 counts as 0. */
void ee_value_counts_add(ee_value_counts *tally, double value, uint64_t count);
void ee_value_counts_merge(ee_value_counts *tally, const ee_value_counts *other);
/* The middle value, of an even number the mean of the two in the middle; 0 when the tally is empty. O(n log n) in
 * distinct values. */
double ee_value_counts_median(const ee_value_counts *tally);
double ee_value_counts_min(const ee_value_counts *tally);
double ee_value_counts_max(const ee_value_counts *tally);

#endif
