/* checked_line.c: the checksum at the end of a line. */
#include "data/json/checked_line.h"

#include <inttypes.h>
#include <string.h>

#include "base/hash_index.h"

#define BEGINNING ",\"check\":\""
#define ENDING "\"}"
#define DIGITS ((size_t)16)

_Static_assert(EE_CHECK_LENGTH == sizeof BEGINNING - 1 + DIGITS + sizeof ENDING - 1, "EE_CHECK_LENGTH");

uint64_t ee_checked_line_end(ee_buffer *out, size_t start, uint64_t seed) {
  uint64_t check = ee_hash_bytes(out->data + start, out->length - start, seed);
  ee_buffer_addf(out, BEGINNING "%016" PRIx64 ENDING "\n", check);
  return check;
}

bool ee_read_hash_text(ee_str text, uint64_t *value) {
  *value = 0;
  for (size_t i = 0; i < text.length; i++) {
    int digit = ee_hex_digit(text.data[i]);
    if (digit < 0 || (text.data[i] >= 'A' && text.data[i] <= 'F')) return false;
    *value = *value << 4 | (unsigned)digit;
  }
  return text.length == DIGITS;
}

bool ee_checked_line_ends(ee_str line) {
  if (line.length < EE_CHECK_LENGTH) return false;
  const char *at = line.data + line.length - EE_CHECK_LENGTH;
  return memcmp(at, BEGINNING, sizeof BEGINNING - 1) == 0 &&
         memcmp(line.data + line.length - (sizeof ENDING - 1), ENDING, sizeof ENDING - 1) == 0;
}

ee_line_check ee_checked_line_read(ee_str line, uint64_t seed, uint64_t *check) {
  if (!ee_checked_line_ends(line)) return EE_LINE_CUT;
  ee_str digits = {line.data + line.length - EE_CHECK_LENGTH + sizeof BEGINNING - 1, DIGITS};
  if (!ee_read_hash_text(digits, check)) return EE_LINE_CUT;
  uint64_t real = ee_hash_bytes(line.data, line.length - EE_CHECK_LENGTH, seed);
  return real == *check ? EE_LINE_WHOLE : EE_LINE_CHANGED;
}
