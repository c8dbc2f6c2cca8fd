/* number.h: decimal numbers as text, and numeric tolerance.
 *
 * Nothing here reads the locale. */
#ifndef EE_PRIM_NUMBER_H
#define EE_PRIM_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/str.h"

/* A number as it was read. */
typedef struct ee_number {
  double value;  /* the nearest double */
  ee_str digits; /* its decimal text, as ee_decimal_compare() takes it; empty: the shortest one of `value` */
} ee_number;

/* How ee_number_parse() reads a text. */
typedef struct ee_number_format {
  char decimal; /* '.' or ',' */
  bool money;   /* grouping, currency signs and codes, (1.00) and a trailing minus are understood */
} ee_number_format;

/* Reads the whole of `text`, white space at both ends aside, as a decimal number: [+-] digits with at most one decimal
 * sign and an optional exponent. Grouping by the other sign ("1,234.56" when decimal is '.', also ' ', U+00A0, U+202F
 * and '), at right places only (groups of three, or the Indian 12,34,567), is understood with or without `money`. With
 * `money` also: one currency sign or ISO 4217 code before or after, brackets or a trailing minus for negative. Text
 * such as "12abc", "", "NaN", "inf" is no number.
 *
 * On success true, `*value` the nearest double, and `*digits` (may be NULL) a plain decimal text ("-1234.56", no
 * grouping, '.' as sign, exponent kept) in `arena` that ee_decimal_compare() takes. A value past the doubles' range
 * gives true and an infinite `*value`. */
bool ee_number_parse(ee_str text, ee_number_format format, ee_arena *arena, double *value, ee_str *digits);

/* The double nearest to a JSON number text (RFC 8259's grammar, not checked), correctly rounded; +-infinity past the
 * range. */
double ee_decimal_to_double(ee_str text);

/* Compares two JSON number texts by decimal value, at any length: < 0, 0, > 0. "1" = "1.0" = "10e-1", "0" = "-0". */
int ee_decimal_compare(ee_str a, ee_str b);

/* |a - b| of two JSON number texts, by decimal value and to 17 digits, however near they lie to each other; infinite
 * past the doubles' range. */
double ee_decimal_difference(ee_str a, ee_str b);

/* Writes the shortest decimal text that reads back as `value` (finite) and returns its length, at most 32; no NUL.
 * Integers below 1e21 have no exponent and no point; -0 is "0"; others look like 0.1, 1e-7, 1.5e300. */
size_t ee_double_format(double value, char out[32]);

/* `value` for a person, at most `digits` significant digits, no trailing zeros: "0.01", "1234.5", "1e+30";
 * NUL-terminated. */
size_t ee_double_format_short(double value, int digits, char out[32]);

/* True when x lies within `tolerance` (>= 0, in units of y, or a share of |y| when `relative` and y != 0) of y,
 * inclusive, with a slack of min(2^-50 * max(|x|,|y|), 2^-20 * tolerance in units of y) for the rounding of decimals;
 * at tolerance 0 x == y. x and y finite (false otherwise). */
bool ee_within_tolerance(double x, double y, double tolerance, bool relative);

/* The same for numbers as they were read, both finite: by decimal value at tolerance 0, and above it wherever the
 * tolerance is so small that doubles could not tell. `*difference` is |x - y| as it was decided on. */
bool ee_numbers_within_tolerance(const ee_number *x, const ee_number *y, double tolerance, bool relative,
                                 double *difference);

/* True when a score meets a limit (>= 0) written as a decimal: a mean of decimals may come out an ulp or two short of
 * the decimal that it is, hence the slack of 2^-50, relative, as in ee_ratio_reaches(). */
static inline bool ee_score_reaches(double score, double limit) { return score >= limit - limit * 0x1p-50; }

/* max(0, 1 - |x-y|/|y|), 0 when y = 0 and x is not, 1 when both are equal. */
double ee_linear_closeness(double x, double y);

#endif
