/* formula.c: formulas with their numbers, as text. */
#include "judge/formula.h"

#include "prim/number.h"

#define DIGITS 6

const char *ee_formula_operand(double value, ee_arena *arena) {
  char text[32];
  int length = (int)ee_double_format(value, text);
  return ee_arena_printf(arena, value < 0 ? "(%.*s)" : "%.*s", length, text);
}

const char *ee_formula_result(double value, ee_arena *arena) {
  char text[32];
  int length = (int)ee_double_format_short(value, DIGITS, text);
  return ee_arena_printf(arena, "%.*s", length, text);
}

/* Whether the printed number is on the side of the limit that the sign says. */
static bool agrees(const char *text, ee_limit side, double limit, bool matched) {
  double shown = ee_decimal_to_double(ee_str_from(text));
  if (side == EE_LIMIT_MIN) return matched ? shown >= limit : shown < limit;
  return matched ? shown <= limit : shown > limit;
}

static const char *unit_text(const char *unit, double value, ee_arena *arena) {
  return unit == NULL ? "" : ee_arena_printf(arena, value == 1 ? " %s" : " %ss", unit);
}

ee_str ee_formula_decision(const char *expression, double value, const char *unit, ee_limit side, double limit,
                           bool matched, ee_arena *arena) {
  const char *shown = ee_formula_result(value, arena);
  /* A match that the slack for rounding allows stays as it is. */
  bool within = side == EE_LIMIT_MIN ? value >= limit : value <= limit;
  if (within == matched && !agrees(shown, side, limit, matched)) shown = ee_formula_operand(value, arena);
  const char *sign = side == EE_LIMIT_MIN ? (matched ? ">=" : "<") : (matched ? "<=" : ">");
  return ee_str_from(ee_arena_printf(arena, "%s = %s%s %s %s%s", expression, shown, unit_text(unit, value, arena), sign,
                                     ee_formula_operand(limit, arena), unit_text(unit, limit, arena)));
}
