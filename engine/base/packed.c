/* packed.c: numbers as bytes.
 *
 * A double begins with a whole number, whose lowest 3 bits say how to go on: 0 to 5: it is the rest, with its sign in
 * the lowest bit, divided by 10^0, 10^1, 10^2, 10^3, 10^4 or 10^6; 6: four bytes of a float follow; 7: eight bytes. */
#include "base/packed.h"

#include <float.h>
#include <math.h>

enum { FORM_BITS = 3, FORM_FLOAT = 6, FORM_DOUBLE = 7, FORMS_DECIMAL = 6, FLOAT_BYTES = 5 };
static const double scales[FORMS_DECIMAL] = {1, 1e1, 1e2, 1e3, 1e4, 1e6};
/* Beyond it a double takes no more bytes than its decimal digits. */
#define MAX_DECIMAL 0x1p50

void ee_pack_count(ee_buffer *out, uint64_t count) {
  char *to = ee_buffer_reserve(out, 10), *start = to;
  for (; count >= 0x80; count >>= 7) *to++ = (char)((count & 0x7f) | 0x80);
  *to++ = (char)count;
  out->length += (size_t)(to - start);
}

static void add_bytes(ee_buffer *out, uint64_t bits, size_t count) {
  char *to = ee_buffer_reserve(out, count);
  for (size_t i = 0; i < count; i++) to[i] = (char)(bits >> (8 * i));
  out->length += count;
}

void ee_pack_bits(ee_buffer *out, uint64_t bits) {
  char *to = ee_buffer_reserve(out, 1 + sizeof bits), *start = to++;
  for (; bits != 0; bits <<= 8) *to++ = (char)(bits >> 56);
  *start = (char)(to - start - 1);
  out->length += (size_t)(to - start);
}

static uint64_t bits_of(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

/* The shortest way to write `value` as a decimal number: false if it is not one of few digits. A quotient of two exact
 * doubles is rounded once, as reading a decimal number is: so it is the same double. */
static bool as_decimal(double value, uint64_t *packed) {
  for (unsigned form = 0; form < FORMS_DECIMAL; form++) {
    double scaled = nearbyint(value * scales[form]);
    if (!(fabs(scaled) < MAX_DECIMAL)) return false;
    if (bits_of(scaled / scales[form]) != bits_of(value)) continue;
    uint64_t size = (uint64_t)fabs(scaled);
    *packed = (size << 1 | (signbit(scaled) != 0)) << FORM_BITS | form;
    return true;
  }
  return false;
}

static bool is_float(double value) { return fabs(value) <= FLT_MAX && bits_of((double)(float)value) == bits_of(value); }

void ee_pack_real(ee_buffer *out, double value) {
  uint64_t packed;
  bool decimal = as_decimal(value, &packed), short_float = is_float(value);
  if (decimal && (!short_float || packed < UINT64_C(1) << (7 * FLOAT_BYTES))) {
    ee_pack_count(out, packed);
  } else if (short_float) {
    float number = (float)value;
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    ee_pack_count(out, FORM_FLOAT);
    add_bytes(out, bits, sizeof bits);
  } else {
    ee_pack_count(out, FORM_DOUBLE);
    add_bytes(out, bits_of(value), sizeof value);
  }
}

ee_unpacker ee_unpacker_of(const ee_buffer *bytes) {
  static const unsigned char nothing[1];
  const unsigned char *at = bytes->length > 0 ? (const unsigned char *)bytes->data : nothing;
  return (ee_unpacker){.at = at, .end = at + bytes->length};
}

static uint64_t fail(ee_unpacker *bytes) {
  bytes->failed = true;
  bytes->at = bytes->end;
  return 0;
}

uint64_t ee_unpack_count(ee_unpacker *bytes) {
  uint64_t count = 0;
  for (unsigned shift = 0; bytes->at < bytes->end && shift < 64; shift += 7) {
    unsigned byte = *bytes->at++;
    uint64_t part = byte & 0x7f;
    if (part << shift >> shift != part || (byte == 0 && shift > 0)) return fail(bytes);
    count |= part << shift;
    if (byte < 0x80) return count;
  }
  return fail(bytes);
}

const unsigned char *ee_unpack_bytes(ee_unpacker *bytes, size_t count) {
  if (count > (size_t)(bytes->end - bytes->at)) {
    fail(bytes);
    return NULL;
  }
  bytes->at += count;
  return bytes->at - count;
}

/* Whole numbers of `count` bytes, the lowest first. */
static uint64_t take_whole(ee_unpacker *bytes, size_t count) {
  const unsigned char *from = ee_unpack_bytes(bytes, count);
  uint64_t bits = 0;
  for (size_t i = 0; from != NULL && i < count; i++) bits |= (uint64_t)from[i] << (8 * i);
  return bits;
}

uint64_t ee_unpack_bits(ee_unpacker *bytes) {
  const unsigned char *length = ee_unpack_bytes(bytes, 1);
  if (length == NULL || *length > sizeof(uint64_t)) return fail(bytes);
  const unsigned char *from = ee_unpack_bytes(bytes, *length);
  uint64_t bits = 0;
  for (size_t i = 0; from != NULL && i < *length; i++) bits |= (uint64_t)from[i] << (56 - 8 * i);
  return bits;
}

double ee_unpack_real(ee_unpacker *bytes) {
  uint64_t packed = ee_unpack_count(bytes);
  unsigned form = packed & ((1u << FORM_BITS) - 1);
  if (form < FORMS_DECIMAL) {
    double size = (double)(packed >> (FORM_BITS + 1));
    return (packed >> FORM_BITS & 1 ? -size : size) / scales[form];
  }
  if (packed != form) return (double)fail(bytes);
  if (form == FORM_FLOAT) {
    uint32_t bits = (uint32_t)take_whole(bytes, sizeof bits);
    float number;
    memcpy(&number, &bits, sizeof number);
    return (double)number;
  }
  uint64_t bits = take_whole(bytes, sizeof bits);
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
