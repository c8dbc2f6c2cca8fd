/* run_warnings.c: warnings about a whole run, such as candidates, shapes or paths that occur in no case. */
#include "report/run_warnings.h"

#include <inttypes.h>
#include <string.h>

/* Paths that are named for each judge; others are counted. */
#define MAX_PATHS 10

typedef struct warner {
  const ee_plan *plan;
  const ee_totals *totals;
  const ee_run_origin *origin;
  ee_error_list *warnings;
  ee_arena arena; /* scratch */
} warner;

#define WARN(self, ...) ee_error_list_addf((self)->warnings, EE_OK, NULL, 0, "warning: " __VA_ARGS__)

/* Candidates ------------------------------------------------------------------------------------ */

/* When all answers are missing, they are most likely under another name. */
static void warn_of_candidates(warner *self) {
  const ee_totals *totals = self->totals;
  if (totals->candidates_missing < totals->scored || totals->absent == totals->scored) return;
  const ee_path_list *paths = &self->plan->paths.candidate;
  const char *file = self->origin->case_file;
  if (self->origin->own_candidates)
    WARN(self, "no case of '%s' has a candidate: evalengine %s RESULTS.jsonl reads them from that file", file, file);
  else if (paths->count > 0)
    WARN(self, "no record has a candidate at '%.*s'", EE_STR_ARG(paths->items[paths->count - 1]->text));
  else
    WARN(self, "no record has a candidate under a known name (candidate, candidate_answer, output, prediction, aio)%s",
         file != NULL ? "" : ": name its path with case = { candidate = ... }");
}

/* Paths ----------------------------------------------------------------------------------------- */

static bool is_found(const ee_counts *counts) { return counts->tp + counts->fp + counts->fn + counts->unread > 0; }

static bool is_inside(ee_str path, ee_str outer) {
  return outer.length > 0 && outer.length < path.length && memcmp(path.data, outer.data, outer.length) == 0 &&
         (path.data[outer.length] == '.' || path.data[outer.length] == '[');
}

/* The first step of `name` if it is a path of several steps; else an empty text. */
static ee_str first_step(ee_str name, ee_arena *scratch) {
  const ee_path *path = ee_path_parse(scratch, name, NULL);
  if (path == NULL || path->count < 2 || path->steps[0].kind == EE_STEP_ALL || path->steps[0].kind == EE_STEP_INDEX)
    return EE_STR("");
  return path->steps[0].key;
}

static bool occurs(const ee_judge *judge, const ee_judge_total *total, ee_str name) {
  for (size_t i = total->static_count; i < total->attribute_count; i++)
    if (ee_str_equal(total->attributes[i].name, name)) return true;
  for (size_t i = 0; i < judge->expected_path_count; i++)
    if (total->seen[i] && ee_str_equal(judge->expected_paths[i].name, name)) return true;
  return false;
}

/* The end of the sentence: what may be wrong with a path that no case has. */
static const char *guess(const ee_judge *judge, const ee_judge_total *total, const ee_expected_path *path,
                         ee_arena *scratch) {
  ee_str near = path->holds_rest ? EE_STR("") : ee_judge_total_near(total, path->name);
  if (near.length > 0) return ee_arena_printf(scratch, "did you mean '%.*s'?", EE_STR_ARG(near));
  if (strcmp(path->what, "key") == 0) {
    ee_str step = first_step(path->name, scratch);
    if (step.length > 0 && occurs(judge, total, step)) return "that is a path: depth = \"leaves\"";
  }
  for (size_t i = 0; i < judge->expected_path_count && strcmp(path->none, "no leaf") == 0; i++) {
    ee_str outer = judge->expected_paths[i].name;
    if (total->seen[i] && is_inside(path->name, outer))
      return ee_arena_printf(scratch, "it is inside '%.*s', which is one leaf here", (int)ee_utf8_cut(outer, 200),
                             outer.data);
  }
  return ee_arena_printf(scratch, "is the %s right?", path->what);
}

static void warn_of_path(warner *self, const ee_judge *judge, const ee_judge_total *total,
                         const ee_expected_path *path) {
  WARN(self, "%.*s: %s at '%.*s' in any case, expected or candidate: %s", EE_STR_ARG(judge->name), path->none,
       (int)ee_utf8_cut(path->name, 200), path->name.data, guess(judge, total, path, &self->arena));
}

/* Paths and keys besides the attributes: a strategy for a mistyped key does nothing. */
static void warn_of_expected_paths(warner *self, const ee_judge *judge, const ee_judge_total *total) {
  for (size_t k = 0; k < judge->expected_path_count; k++) {
    if (!judge->expected_paths[k].holds_rest || total->seen[k]) continue;
    warn_of_path(self, judge, total, &judge->expected_paths[k]);
    return;
  }
  size_t missing = 0;
  for (size_t k = 0; k < judge->expected_path_count; k++) {
    if (total->seen[k] || missing++ >= MAX_PATHS) continue;
    warn_of_path(self, judge, total, &judge->expected_paths[k]);
  }
  if (missing > MAX_PATHS)
    WARN(self, "%.*s: nothing at %zu more paths in any case", EE_STR_ARG(judge->name), missing - MAX_PATHS);
}

/* Attributes without a value: a mistyped path is a true negative in every case, and raises the score. */
static void warn_of_attributes(warner *self, const ee_judge *judge, const ee_judge_total *total) {
  bool any = total->attribute_count > total->static_count;
  for (size_t k = 0; k < total->static_count; k++) any = any || is_found(&total->attributes[k].counts);
  if (!any && total->static_count > 0) {
    WARN(self, "%.*s found nothing to compare in any case, expected or candidate: is its path right?",
         EE_STR_ARG(judge->name));
    return;
  }
  for (size_t k = 0; k < total->static_count; k++) {
    if (is_found(&total->attributes[k].counts)) continue;
    const ee_expected_path path = {.name = total->attributes[k].name, .none = "nothing", .what = "path"};
    warn_of_path(self, judge, total, &path);
  }
}

void ee_run_warnings(const ee_plan *plan, const ee_totals *totals, const ee_run_origin *origin,
                     ee_error_list *warnings) {
  if (totals->scored == 0) return;
  warner self = {.plan = plan, .totals = totals, .origin = origin, .warnings = warnings};
  ee_arena_init(&self.arena, 0);
  warn_of_candidates(&self);
  for (size_t i = 0; i < plan->judge_count && !origin->chosen_cases; i++) {
    warn_of_expected_paths(&self, plan->judges[i], &totals->all.judges[i]);
    warn_of_attributes(&self, plan->judges[i], &totals->all.judges[i]);
  }
  ee_arena_fini(&self.arena);
}
