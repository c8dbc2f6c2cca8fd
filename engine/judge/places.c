/* places.c: the paths of a list, and mean, weighted mean, median and least of its places. */
#include "judge/places.h"

#include <math.h>
#include <stdbool.h>

#include "base/fixed.h"
#include "prim/sort.h"

/* Paths ---------------------------------------------------------------------------------------- */

static const ee_path *parse_path(ee_plan_builder *builder, const ee_rule_node *node, const char *subject, ee_str text) {
  ee_error error = {0};
  const ee_path *path = ee_path_parse(builder->arena, text, &error);
  if (path == NULL) {
    ee_compile_error(builder, node, "%s: bad path: %s", subject, error.message);
  } else if (path->wildcards > 0) {
    ee_compile_error(builder, node, "%s: path '%.*s' has a [*], which only ee.fields takes", subject, (int)text.length,
                     text.data);
  }
  return path;
}

const ee_path *ee_list_option_path(ee_plan_builder *builder, const ee_rule_node *node, const char *subject,
                                   const char *name) {
  ee_rule_value value = ee_rule_node_get(node, name);
  ee_error ignored = {0};
  /* One that cannot be parsed was reported by the check of the options. */
  if (value.type != EE_RULE_TEXT || ee_path_parse(builder->arena, value.text, &ignored) == NULL) return NULL;
  return parse_path(builder, node, subject, value.text);
}

void ee_list_paths_compile(ee_plan_builder *builder, const ee_rule_node *node, const char *subject,
                           ee_list_paths *paths) {
  *paths = (ee_list_paths){NULL, NULL};
  if (node->item_count > 0) {
    const ee_rule_value *first = &node->items[0];
    if (first->type == EE_RULE_TEXT) {
      paths->expected = parse_path(builder, node, subject, first->text);
    } else {
      ee_compile_error(builder, node, "%s takes the path of its list (a string) as its first value, got %s", subject,
                       ee_rule_value_describe(first, builder->arena));
    }
  }
  if (node->item_count > 1) {
    ee_compile_error(builder, node, "%s takes one path, but %s follows it", subject,
                     ee_rule_value_describe(&node->items[1], builder->arena));
  }
  const ee_path *candidate = ee_list_option_path(builder, node, subject, "candidate");
  paths->candidate = candidate != NULL ? candidate : paths->expected;
}

ee_str ee_list_path_text(const ee_path *path) { return path != NULL ? path->text : EE_STR("document"); }

void ee_list_paths_print(const ee_list_paths *paths, const char *what, ee_buffer *out) {
  ee_buffer_addf(out, "  %s ", what);
  ee_buffer_add_str(out, ee_list_path_text(paths->expected));
  if (paths->candidate != paths->expected) {
    ee_buffer_add_text(out, ", in the candidate ");
    ee_buffer_add_str(out, ee_list_path_text(paths->candidate));
  }
  ee_buffer_add_char(out, '\n');
}

/* Scores --------------------------------------------------------------------------------------- */

const char *ee_place_aggregate_name(ee_place_aggregate aggregate) {
  static const char *const names[] = {"mean", "weighted_mean", "median", "min"};
  return names[aggregate];
}

static bool before(const ee_place *a, const ee_place *b) { return a->score < b->score; }

EE_DEFINE_SORT(sort_places, ee_place, before)

static double mean(const ee_place *places, size_t count) {
  ee_fixed sum = {0};
  for (size_t i = 0; i < count; i++) ee_fixed_add(&sum, ee_fixed_from(places[i].score));
  return ee_fixed_mean(sum, count);
}

/* Rounding is monotone, so that the weighted scores never add up to more than the weights, and all scores 1 give 1. */
static double weighted_mean(const ee_place *places, size_t count) {
  double largest = 0;
  for (size_t i = 0; i < count; i++) largest = fmax(largest, places[i].weight);
  if (!(largest > 0)) return -1;
  int exponent;
  frexp(largest, &exponent);
  ee_fixed sum = {0}, weights = {0};
  for (size_t i = 0; i < count; i++) {
    double weight = ldexp(places[i].weight, -exponent); /* below 1, and exact but for what is as good as nothing */
    ee_fixed_add(&sum, ee_fixed_from(weight * places[i].score));
    ee_fixed_add(&weights, ee_fixed_from(weight));
  }
  return ee_fixed_value(sum) / ee_fixed_value(weights);
}

static double median(ee_place *places, size_t count, ee_arena *scratch) {
  sort_places(places, count, scratch);
  double middle = places[count / 2].score;
  return count % 2 == 1 ? middle : (places[count / 2 - 1].score + middle) / 2;
}

static double least(const ee_place *places, size_t count) {
  double score = places[0].score;
  for (size_t i = 1; i < count; i++) score = fmin(score, places[i].score);
  return score;
}

double ee_places_score(ee_place_aggregate aggregate, ee_place *places, size_t count, ee_arena *scratch) {
  switch (aggregate) {
  case EE_PLACES_MEAN: return mean(places, count);
  case EE_PLACES_WEIGHTED_MEAN: return weighted_mean(places, count);
  case EE_PLACES_MEDIAN: return median(places, count, scratch);
  default: return least(places, count);
  }
}
