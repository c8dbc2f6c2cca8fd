/* packed.h: many numbers in few bytes, the same on every machine; base64.h makes text of them.
 *
 * A whole number takes a byte for each 7 bits that it needs. A double comes back to the last bit: as a decimal number
 * of few digits where it is one (258.15 takes 4 bytes, 0.5 takes 1), as a float where it is one, else as it is. */
#ifndef EE_BASE_PACKED_H
#define EE_BASE_PACKED_H

#include <stdint.h>

#include "base/buffer.h"

void ee_pack_count(ee_buffer *out, uint64_t count);
void ee_pack_real(ee_buffer *out, double value);
/* 64 bits whose lowest ones are often zeros: one byte for the number of bytes that follow, then these bytes. */
void ee_pack_bits(ee_buffer *out, uint64_t bits);

/* Reads what was packed. After a mistake (an end too early, a number that no writer writes) `failed` is set, and all
 * that follows is 0. */
typedef struct ee_unpacker {
  const unsigned char *at, *end;
  bool failed;
} ee_unpacker;

/* Reads `bytes` from their beginning; borrows them. */
ee_unpacker ee_unpacker_of(const ee_buffer *bytes);
uint64_t ee_unpack_count(ee_unpacker *bytes);
double ee_unpack_real(ee_unpacker *bytes);
uint64_t ee_unpack_bits(ee_unpacker *bytes);
/* The next `count` bytes; NULL if there are fewer. */
const unsigned char *ee_unpack_bytes(ee_unpacker *bytes, size_t count);

#endif
