/* places.h: where a list stands in both documents, and one score from its places.
 *
 * Shared by iou_score and distance_score. */
#ifndef EE_JUDGE_PLACES_H
#define EE_JUDGE_PLACES_H

#include "data/json/path.h"
#include "judge/plan.h"

/* Where the list stands. A NULL path is the whole document. */
typedef struct ee_list_paths {
  const ee_path *expected, *candidate;
} ee_list_paths;

/* Reads the positional path of a judge, which may be left out, and its option `candidate`. `subject` is how messages
 * call the judge. */
void ee_list_paths_compile(ee_plan_builder *builder, const ee_rule_node *node, const char *subject,
                           ee_list_paths *paths);
/* A path without [*] in the option `name`; NULL when it is not given, or reported. */
const ee_path *ee_list_option_path(ee_plan_builder *builder, const ee_rule_node *node, const char *subject,
                                   const char *name);
/* The path as written; "document" for the whole one. */
ee_str ee_list_path_text(const ee_path *path);
/* Prints "  WHAT path" and the candidate's path where it differs, and ends the line. */
void ee_list_paths_print(const ee_list_paths *paths, const char *what, ee_buffer *out);

typedef enum ee_place_aggregate {
  EE_PLACES_MEAN,
  EE_PLACES_WEIGHTED_MEAN, /* sum(w * s) / sum(w) */
  EE_PLACES_MEDIAN,        /* the middle one, of an even number the mean of the two in the middle */
  EE_PLACES_MIN
} ee_place_aggregate;
#define EE_PLACE_AGGREGATES "mean|weighted_mean|median|min"
/* "mean" and so on. */
const char *ee_place_aggregate_name(ee_place_aggregate aggregate);

typedef struct ee_place {
  double score;  /* 0..1 */
  double weight; /* finite, >= 0; of the weighted mean only */
} ee_place;

/* The score of `count` (> 0) places, 0..1; negative when all of them weigh nothing. It does not depend on their order:
 * sums are whole numbers of 2^-60 of a score, or of the largest weight. The median sorts `places`. */
double ee_places_score(ee_place_aggregate aggregate, ee_place *places, size_t count, ee_arena *scratch);

#endif
