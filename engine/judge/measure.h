/* measure.h: numbers of a record that are no part of the answer: what it cost, how long it took.
 *
 * ee.rules lists their paths in `measures`. They are in no score. */
#ifndef EE_JUDGE_MEASURE_H
#define EE_JUDGE_MEASURE_H

#include "data/files/record.h"

struct ee_plan;

typedef enum ee_measure_state {
  EE_MEASURE_MISSING,    /* the record has nothing there, or null */
  EE_MEASURE_NOT_NUMBER, /* what is there is not a number */
  EE_MEASURE_READ
} ee_measure_state;

/* A measure of one case. */
typedef struct ee_measure_value {
  ee_str name; /* its path, as the rule file has it */
  ee_measure_state state;
  double value;          /* finite; 0 unless EE_MEASURE_READ */
  const ee_value *found; /* what is there; NULL: nothing */
} ee_measure_value;

/* The plan's measures in the record of the case, else in that of its expected value; an array in `arena`. A string that
 * is a number as a whole, "0.012", as tables have them, counts as that number. */
const ee_measure_value *ee_measures_read(const struct ee_plan *plan, const ee_case *current, ee_arena *arena);

/* The number in a value: a number, or a string that is one as a whole. False for anything else, and beyond the range of
 * doubles. */
bool ee_measure_read_number(const ee_value *value, ee_arena *arena, double *number);

#endif
