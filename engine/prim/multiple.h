/* multiple.h: whole numbers and multiples, by decimal value.
 *
 * Texts are JSON number texts, as ee_decimal_compare() takes them. Everything is linear in the text's
 * length, whatever the exponent. Exponents past 10^17 count as 10^17. */
#ifndef EE_PRIM_MULTIPLE_H
#define EE_PRIM_MULTIPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

/* True when the number has no fraction: "1", "1.0", "10e-1", "1e300", "0e-7"; not "0.5". */
bool ee_decimal_is_whole(ee_str text);

/* A hash that texts of one decimal value share. */
uint64_t ee_decimal_hash(ee_str text);

/* A positive number digits * 10^exponent, taken apart once to divide many. */
typedef struct ee_divisor {
  uint64_t digits; /* its last digit is not 0 */
  int64_t exponent;
} ee_divisor;

/* A divisor has at most so many digits between the first and the last that are not 0. */
#define EE_DIVISOR_DIGITS 18

/* False for 0, for negative numbers, for more digits, and for exponents past 10^15. */
bool ee_divisor_read(ee_str text, ee_divisor *divisor);
/* True when `text` is a whole multiple of `divisor`: "0.3" of 0.1, "-4" of 2, "0" of everything. */
bool ee_divisor_divides(const ee_divisor *divisor, ee_str text);

#endif
