/* unit_shares.c: lists of shares by the key of their unit. */
#include "report/unit_shares.h"

#include <stdlib.h>

void ee_unit_shares_fini(ee_unit_shares *shares) {
  EE_LIST_FINI(shares);
  shares->full = false;
}

void ee_unit_shares_add(ee_unit_shares *shares, uint64_t key, const ee_paired_share *share) {
  *EE_LIST_ADD(shares, NULL) = (ee_unit_share){key, *share};
}

static int compare_keys(const void *left, const void *right) {
  const ee_unit_share *a = left, *b = right;
  return (a->key > b->key) - (a->key < b->key);
}

static bool is_sorted(const ee_unit_shares *shares) {
  for (size_t i = 1; i < shares->count; i++)
    if (shares->items[i].key <= shares->items[i - 1].key) return false;
  return true;
}

void ee_unit_shares_sort(ee_unit_shares *shares) {
  size_t left = 0;
  if (is_sorted(shares)) return;
  qsort(shares->items, shares->count, sizeof *shares->items, compare_keys);
  for (size_t i = 0; i < shares->count; i++) {
    if (left > 0 && shares->items[left - 1].key == shares->items[i].key)
      ee_paired_share_add(&shares->items[left - 1].share, &shares->items[i].share);
    else
      shares->items[left++] = shares->items[i];
  }
  shares->count = left;
}

void ee_unit_shares_add_grouped(ee_unit_shares *shares, unsigned bits, uint64_t key, const ee_paired_share *share) {
  const size_t groups = (size_t)1 << bits;
  if (shares->full) {
    ee_paired_share_add(&shares->items[key >> (64 - bits)].share, share);
    return;
  }
  ee_unit_shares_add(shares, ee_share_group(key, bits), share);
  if (shares->count < 2 * groups) return;
  ee_unit_shares_sort(shares);
  shares->full = shares->count == groups;
}

void ee_unit_shares_merge(ee_unit_shares *shares, const ee_unit_shares *other) {
  EE_LIST_RESERVE(shares, NULL, other->count);
  for (size_t i = 0; i < other->count; i++) shares->items[shares->count++] = other->items[i];
  ee_unit_shares_sort(shares);
}

void ee_unit_shares_group(ee_unit_shares *shares, unsigned bits) {
  for (size_t i = 0; i < shares->count; i++) shares->items[i].key = ee_share_group(shares->items[i].key, bits);
  ee_unit_shares_sort(shares);
}
