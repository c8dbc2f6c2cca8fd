/* number.h: decimal numbers as text, numeric tolerance, whole numbers and multiples.
 *
 * Independent of the locale. */
#ifndef EE_PRIM_NUMBER_H
#define EE_PRIM_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

/* A number as read. */
typedef struct ee_number {
  double value;  /* the nearest double */
  ee_str digits; /* the decimal text, for ee_decimal_compare(); empty: the shortest text of `value` */
} ee_number;

/* How numbers are written in texts. The first member must be set. */
typedef struct ee_number_format {
  char decimal;          /* '.' or ',' */
  bool money;            /* also reads currencies, (1.00), a trailing minus, 5,- */
  bool percent;          /* also reads percent signs, and signs as in money; "19%" is 19 */
  const ee_str *symbols; /* marks that may be before and after the digits, by ee_number_symbol(); NULL: none */
  size_t symbol_count;
} ee_number_format;

/* Reads all of `text`, except white space at both ends, as a decimal number: [+-] digits with at most one decimal sign
 * and an optional exponent. Digits may be grouped by the other sign ("1,234.56" if decimal is '.'), by ', U+2019 or a
 * space (also U+00A0, U+2007, U+2009, U+202F), in groups of three or as in India (12,34,567). They may be decimal
 * digits of any script; U+2212 is a minus. "12abc", "", "NaN" and "inf" are not numbers.
 *
 * With `money` also: before and after the digits, in any case, one code of ISO 4217 and one currency sign or word (any
 * character of Unicode's category Sc, and those of currency_signs.inc: RM, Rs., kr, US$, zl, euros); brackets or a
 * trailing minus for negative; a sign and dashes instead of cents ("5,-", "5.-", "5,--"). CR and DR are not read:
 * which of them is negative depends on the account. With `percent`: one of % percent pct Prozent procent pourcent
 * "por ciento". `symbols`: one before and one after the digits; they are skipped, not compared.
 *
 * Returns true on success; `*value` gets the nearest double (infinite past the range of doubles) and `*digits` (may be
 * NULL) a plain decimal text ("-1234.56": no grouping, '.' as decimal sign, exponent kept) in `arena`, for
 * ee_decimal_compare(). */
bool ee_number_parse(ee_str text, ee_number_format format, ee_arena *arena, double *value, ee_str *digits);

/* A symbol for ee_number_format, in `arena`: lower case, without accents, spaces and dots; empty if nothing is left. */
ee_str ee_number_symbol(ee_str text, ee_arena *arena);

/* The decimal sign that `text` shows: '.' or ',' if only that one reads it; 0 if both do ("1,234", "12") or none. The
 * sign in `format` is ignored. `arena` is scratch. */
char ee_number_decimal_sign(ee_str text, ee_number_format format, ee_arena *arena);

/* Brings a score to 0..1: a sum of shares such as 1 + 2^-52 is 1. Up to 2^-40 outside counts as rounding. False, and
 * the score is unchanged, for what is farther outside, and for NaN. There is no -0. */
bool ee_score_round(double *score);

/* The double nearest to a JSON number text (RFC 8259's grammar, not checked), correctly rounded; +-infinity past the
 * range. */
double ee_decimal_to_double(ee_str text);

/* Compares two JSON number texts by decimal value, at any length: < 0, 0, > 0. "1" = "1.0" = "10e-1", "0" = "-0". */
int ee_decimal_compare(ee_str a, ee_str b);

/* True if a JSON number text has no fraction: "1", "1.0", "10e-1", "1e300", "0e-7"; not "0.5". Linear in the length of
 * the text whatever the exponent, like the functions below; exponents past 10^17 count as 10^17. */
bool ee_decimal_is_whole(ee_str text);

/* A hash that is equal for texts of equal decimal value. */
uint64_t ee_decimal_hash(ee_str text);

/* A positive number digits * 10^exponent, read once to test many multiples. */
typedef struct ee_divisor {
  uint64_t digits; /* the last digit is not 0; 0: they are `text` */
  ee_str text;     /* digits, and a point perhaps, of a part of the text that was read; borrowed */
  int64_t exponent;
} ee_divisor;

/* The maximum number of digits of a divisor, without leading and trailing zeros. */
#define EE_DIVISOR_DIGITS 500

/* False for 0, for negative numbers, for more digits, and for exponents past 10^15. */
bool ee_divisor_read(ee_str text, ee_divisor *divisor);
/* True if `text` is a whole multiple of `divisor`: "0.3" of 0.1, "-4" of 2, "0" of everything. Linear, for a divisor of
 * more than 18 digits times their number; charges work (base/work.h) for those. */
bool ee_divisor_divides(const ee_divisor *divisor, ee_str text);

/* |a - b| of two JSON number texts, by decimal value and to 17 digits, however close they are; infinite past the range
 * of doubles. */
double ee_decimal_difference(ee_str a, ee_str b);

/* Writes the shortest decimal text that reads back as `value` (finite) and returns its length, at most 32; no NUL.
 * Integers below 1e21 have no exponent and no point; -0 is "0"; others look like 0.1, 1e-7, 1.5e300. */
size_t ee_double_format(double value, char out[32]);

/* `value` for a person, at most `digits` significant digits, no trailing zeros: "0.01", "1234.5", "1e+30";
 * NUL-terminated. */
size_t ee_double_format_short(double value, int digits, char out[32]);

/* True if |x - y| is at most `tolerance` (>= 0; in units of y, or a share of |y| if `relative` and y != 0), with a
 * slack of min(2^-50 * max(|x|,|y|), 2^-20 * tolerance in units of y) for the rounding of decimals; at tolerance 0, if
 * x == y. False unless both are finite. */
bool ee_within_tolerance(double x, double y, double tolerance, bool relative);

/* The same for numbers as read, both finite: by decimal value at tolerance 0, and where the tolerance is too small for
 * the precision of doubles. `*difference` gets the |x - y| that was compared. */
bool ee_numbers_within_tolerance(const ee_number *x, const ee_number *y, double tolerance, bool relative,
                                 double *difference);

/* True if a score is at least a limit (>= 0) written as a decimal, with a relative slack of 2^-50 as in
 * ee_ratio_reaches(): a computed mean may be an ulp or two below the exact one. */
static inline bool ee_score_reaches(double score, double limit) { return score >= limit - limit * 0x1p-50; }

/* max(0, 1 - |x-y|/|y|); 1 if both are equal, 0 if only y is 0 or one is not finite. */
double ee_linear_closeness(double x, double y);
/* The same in which x and y have the same part: max(0, 1 - |x-y| / max(|x|,|y|)), and max(0, 1 - |x-y| / (|x|+|y|)),
 * which is 0 for numbers of different signs. */
double ee_symmetric_closeness(double x, double y);
double ee_sum_closeness(double x, double y);

#endif
