/* unit_shares.h: what each unit adds to a metric of two runs, for units that are not complete before all rows are read:
 * clusters, whose cases may be in several parts of the data; and for averages over fields, which need what a unit has
 * in all of them.
 *
 * Up to 2^bits units are kept apart. Where there are more, they are put together by the first bits of their keys, which
 * are hashes: sums of random groups vary as much as the units in them do. A list that is sorted depends only on what
 * was added, in any order and however it was divided and merged. */
#ifndef EE_REPORT_UNIT_SHARES_H
#define EE_REPORT_UNIT_SHARES_H

#include "base/list.h"
#include "prim/paired_ratio.h"

typedef struct ee_unit_share {
  uint64_t key;
  ee_paired_share share;
} ee_unit_share;

/* All zero is empty. */
typedef struct ee_unit_shares {
  EE_LIST(ee_unit_share); /* of several with one key all count */
  bool full;              /* an entry for each group, in the order of their numbers */
} ee_unit_shares;

/* The key of the group that a unit is in. Ascending keys have ascending groups; that of a group is its own. */
static inline uint64_t ee_share_group(uint64_t key, unsigned bits) { return key >> (64 - bits) << (64 - bits) | 1; }

void ee_unit_shares_add(ee_unit_shares *shares, uint64_t key, const ee_paired_share *share);
/* Adds to the group of `key`; memory for 2^(bits + 1) groups at most. */
void ee_unit_shares_add_grouped(ee_unit_shares *shares, unsigned bits, uint64_t key, const ee_paired_share *share);
void ee_unit_shares_merge(ee_unit_shares *shares, const ee_unit_shares *other);
/* Ascending keys, each once. */
void ee_unit_shares_sort(ee_unit_shares *shares);
/* Puts all into groups, sorted. */
void ee_unit_shares_group(ee_unit_shares *shares, unsigned bits);
void ee_unit_shares_fini(ee_unit_shares *shares);

#endif
