/* formula.h: formulas with their numbers, as text for a person who wants to check a score.
 *
 * "1 - 2/22 = 0.909091 >= 0.85": an expression, its value, and how it compares with the limit that decided. Parts are
 * joined by "; ". Everything is made in an arena, in full detail only. */
#ifndef EE_JUDGE_FORMULA_H
#define EE_JUDGE_FORMULA_H

#include "base/arena.h"
#include "base/str.h"

typedef enum ee_limit {
  EE_LIMIT_MIN, /* matches from the limit on */
  EE_LIMIT_MAX  /* matches up to the limit */
} ee_limit;

/* `value` as an operand: the shortest text that reads back, in brackets if it is negative. */
const char *ee_formula_operand(double value, ee_arena *arena);

/* `value` as a result: six significant digits. */
const char *ee_formula_result(double value, ee_arena *arena);

/* "EXPRESSION = VALUE >= LIMIT", with the name of the measure where no formula gives it ("similarity = 0.83 >= 0.8"),
 * or one of <, <= and >, as `matched` says; `unit`, such as "day" (NULL: none), follows both numbers. The value has
 * more digits where six would contradict the sign. */
ee_str ee_formula_decision(const char *expression, double value, const char *unit, ee_limit side, double limit,
                           bool matched, ee_arena *arena);

#endif
