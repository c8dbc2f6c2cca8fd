/* made_runs.h: rows of two runs, made by hand or at random, and a comparison of them. */
#ifndef EE_TESTS_REPORT_MADE_RUNS_H
#define EE_TESTS_REPORT_MADE_RUNS_H

#include "judge/plan.h"
#include "report/comparison_inside.h"
#include "support/random.h"

typedef struct made_run {
  ee_stored_row *rows;
  size_t count;
} made_run;

static inline ee_comparison *compare_rows(const made_run *base, const made_run *fresh, ee_comparison_options options,
                                          ee_error *error) {
  ee_comparison *comparison = ee_comparison_new(&options);
  for (size_t i = 0; i < base->count; i++) ee_comparison_add(comparison, EE_SIDE_BASE, &base->rows[i]);
  for (size_t i = 0; i < fresh->count; i++) ee_comparison_add(comparison, EE_SIDE_NEW, &fresh->rows[i]);
  if (ee_comparison_finish(comparison, error) == EE_OK) return comparison;
  ee_comparison_free(comparison);
  return NULL;
}

static inline ee_comparison *compare_or_fail(const made_run *base, const made_run *fresh,
                                             ee_comparison_options options) {
  ee_error error = {0};
  ee_comparison *comparison = compare_rows(base, fresh, options, &error);
  if (comparison == NULL) fail_msg("%s", error.message);
  return comparison;
}

/* A verdict by the usual limits. */
static inline ee_verdict verdict_of(double score) {
  return score >= 0.8 ? EE_VERDICT_PASS : score >= 0.6 ? EE_VERDICT_BORDERLINE : EE_VERDICT_FAIL;
}

/* Rows of (id, score) without judges. */
static inline made_run scores_only(ee_arena *arena, const char *const *ids, const double *scores, size_t count) {
  made_run run = {EE_NEW_ARRAY(arena, ee_stored_row, count + 1), count};
  for (size_t i = 0; i < count; i++) {
    ee_str id = ids != NULL ? ee_str_from(ids[i]) : ee_str_from(ee_arena_printf(arena, "case-%zu", i));
    run.rows[i] = (ee_stored_row){.id = id, .score = scores[i], .verdict = verdict_of(scores[i])};
  }
  return run;
}

/* Random ones ----------------------------------------------------------------------------------- */

enum { MADE_JUDGES = 3, MADE_ATTRIBUTES = 5 };

/* What rows are made from: which judge has which attributes. */
typedef struct made_shape {
  size_t judges, attributes[MADE_JUDGES];
  bool derived[MADE_JUDGES][MADE_ATTRIBUTES];
  unsigned mentioned[MADE_JUDGES][MADE_ATTRIBUTES]; /* in so many of 8 rows */
  unsigned has_judge;                               /* in so many of 8 rows */
  bool many_items;                                  /* counts beyond 1 */
} made_shape;

static inline made_shape random_shape(test_random *random) {
  made_shape shape = {.judges = test_random_below(random, MADE_JUDGES + 1),
                      .has_judge = test_random_below(random, 3) == 0 ? 6 : 8,
                      .many_items = test_random_below(random, 2) == 0};
  for (size_t j = 0; j < MADE_JUDGES; j++) {
    shape.attributes[j] = test_random_below(random, MADE_ATTRIBUTES + 1);
    for (size_t a = 0; a < MADE_ATTRIBUTES; a++) {
      shape.derived[j][a] = test_random_below(random, 6) == 0;
      shape.mentioned[j][a] = test_random_below(random, 3) > 0 ? 8 : (unsigned)test_random_below(random, 8);
    }
  }
  return shape;
}

static inline ee_counts random_counts(test_random *random, bool many) {
  static const ee_counts classes[] = {{.tp = 1}, {.tp = 1}, {.tp = 1},         {.tn = 1},
                                      {.fp = 1}, {.fn = 1}, {.fp = 1, .fn = 1}};
  if (!many) return classes[test_random_below(random, sizeof classes / sizeof *classes)];
  return (ee_counts){.tp = test_random_below(random, 4),
                     .tn = test_random_below(random, 2),
                     .fp = test_random_below(random, 3) / 2 * test_random_below(random, 3),
                     .fn = test_random_below(random, 3) / 2 * test_random_below(random, 3)};
}

static inline double random_score(test_random *random) {
  switch (test_random_below(random, 4)) {
  case 0: return 1;
  case 1: return (double)test_random_below(random, 11) / 10;
  case 2: return (double)test_random_below(random, 2);
  default: return test_random_unit(random);
  }
}

static inline ee_stored_judge random_judge(test_random *random, ee_arena *arena, const made_shape *shape, size_t j) {
  ee_stored_attribute *attributes = EE_NEW_ARRAY(arena, ee_stored_attribute, MADE_ATTRIBUTES);
  ee_stored_judge judge = {.name = ee_str_from(ee_arena_printf(arena, "judge %zu", j)),
                           .type = EE_STR("fields"),
                           .has_score = test_random_below(random, 10) > 0,
                           .weight = 1,
                           .attributes = attributes};
  if (judge.has_score) judge.score = random_score(random);
  for (size_t a = 0; a < shape->attributes[j]; a++) {
    if (test_random_below(random, 8) >= shape->mentioned[j][a]) continue;
    attributes[judge.attribute_count++] =
        (ee_stored_attribute){ee_str_from(ee_arena_printf(arena, "field %zu", a)),
                              random_counts(random, shape->many_items), shape->derived[j][a]};
  }
  return judge;
}

/* Half of the rows have a cost. */
static inline void random_measures(test_random *random, ee_arena *arena, ee_stored_row *row) {
  if (test_random_below(random, 2) == 0) return;
  ee_measure_value *cost = EE_NEW(arena, ee_measure_value);
  *cost = (ee_measure_value){.name = EE_STR("cost"), .state = EE_MEASURE_READ, .value = test_random_unit(random)};
  if (test_random_below(random, 8) == 0) cost->state = EE_MEASURE_NOT_NUMBER;
  row->measures = cost;
  row->measure_count = 1;
}

static inline made_run random_run(test_random *random, ee_arena *arena, const made_shape *shape, size_t count) {
  made_run run = {EE_NEW_ARRAY(arena, ee_stored_row, count + 1), count};
  for (size_t i = 0; i < count; i++) {
    ee_stored_judge *judges = EE_NEW_ARRAY(arena, ee_stored_judge, MADE_JUDGES);
    double score = random_score(random);
    run.rows[i] = (ee_stored_row){.id = ee_str_from(ee_arena_printf(arena, "case-%zu", i)),
                                  .has_hash = true,
                                  .expected_hash = i * 7,
                                  .score = score,
                                  .verdict = verdict_of(score),
                                  .judges = judges};
    for (size_t j = 0; j < shape->judges; j++)
      if (test_random_below(random, 8) < shape->has_judge)
        judges[run.rows[i].judge_count++] = random_judge(random, arena, shape, j);
    random_measures(random, arena, &run.rows[i]);
  }
  return run;
}

static inline void shuffle(test_random *random, made_run *run) {
  for (size_t i = run->count; i > 1; i--) {
    size_t other = test_random_below(random, i);
    ee_stored_row row = run->rows[i - 1];
    run->rows[i - 1] = run->rows[other];
    run->rows[other] = row;
  }
}

#endif
