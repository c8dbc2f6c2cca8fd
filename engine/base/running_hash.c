/* running_hash.c: xxHash's streaming state. */
#include "base/running_hash.h"

#include <stdint.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/memory.h"
#include "base/wide_hash.h"

/* What xxHash's state needs; malloc() aligns to 16 bytes only. */
#define ALIGNMENT 64

struct ee_running_hash {
  XXH3_state_t *state; /* in the same allocation */
};

ee_running_hash *ee_running_hash_new(void) {
  ee_running_hash *hash = ee_malloc(sizeof *hash + ALIGNMENT + sizeof(XXH3_state_t));
  uintptr_t after = (uintptr_t)(hash + 1);
  hash->state = (XXH3_state_t *)((after + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
  XXH3_INITSTATE(hash->state);
  XXH3_64bits_reset(hash->state);
  return hash;
}

void ee_running_hash_free(ee_running_hash *hash) { ee_free(hash); }

void ee_running_hash_add(ee_running_hash *hash, const void *data, size_t length) {
  if (length == 0) return;
#ifdef EE_WIDE_HASH
  if (ee_has_wide_hash()) {
    ee_wide_hash_update(hash->state, data, length);
    return;
  }
#endif
  XXH3_64bits_update(hash->state, data, length); /* unreached: another processor */
}

void ee_running_hash_add_text(ee_running_hash *hash, ee_str text) {
  unsigned char length[8];
  for (int i = 0; i < 8; i++) length[i] = (unsigned char)((uint64_t)text.length >> 8 * i);
  ee_running_hash_add(hash, length, sizeof length);
  ee_running_hash_add(hash, text.data, text.length);
}

uint64_t ee_running_hash_value(const ee_running_hash *hash) { return XXH3_64bits_digest(hash->state); }
