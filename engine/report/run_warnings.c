/* run_warnings.c: warnings about a whole run: candidates that no case has, and rules that do not fit the data. */
#include "report/run_warnings.h"

#include <inttypes.h>

#include "report/calibration_report.h"
#include "report/measures_report.h"
#include "run/misfit.h"

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
         file != NULL ? "" : ": name its path with --candidate NAME, or case = { candidate = ... } in a rule file");
}

/* Most ids occur again: repeats of cases, rather than slips. */
static void warn_of_repeats(warner *self) {
  const ee_totals *totals = self->totals;
  if (totals->duplicates * 2 < totals->scored || self->plan->paths.trial.count > 0) return;
  WARN(self,
       "%" PRIu64 " record%s an id seen before: if cases are repeated, name what tells their trials apart with "
       "--trial PATH (--trial " EE_TRIAL_FILES ": each data file is one)",
       totals->duplicates, totals->duplicates == 1 ? " has" : "s have");
}

/* A path of ids that was mistyped would name cases by their lines, and join two runs by these. */
static void warn_of_ids(warner *self) {
  const ee_path_list *paths = &self->plan->paths.id;
  uint64_t unnamed = self->totals->unnamed, scored = self->totals->scored;
  if (paths->count == 0 || unnamed == 0) return;
  ee_str path = paths->items[paths->count - 1]->text;
  if (unnamed == scored)
    WARN(self, "no record has an id at '%.*s': cases are named by file and line", EE_STR_ARG(path));
  else
    WARN(self, "%" PRIu64 " of %" PRIu64 " cases have no id at '%.*s': they are named by file and line", unnamed,
         scored, EE_STR_ARG(path));
}

/* A path of trials that was mistyped would make of several trials one case, and repeats of it. */
static void warn_of_trials(warner *self) {
  const ee_path_list *paths = &self->plan->paths.trial;
  uint64_t untold = self->totals->untold, scored = self->totals->scored;
  if (paths->count == 0 || untold == 0) return;
  ee_str path = paths->items[paths->count - 1]->text;
  if (untold == scored)
    WARN(self, "no record has a trial at '%.*s': the first record of an id is its only candidate", EE_STR_ARG(path));
  else
    WARN(self, "%" PRIu64 " of %" PRIu64 " cases ha%s no trial at '%.*s'", untold, scored, untold == 1 ? "s" : "ve",
         EE_STR_ARG(path));
}

/* A path of clusters that was mistyped would leave intervals as narrow as those of independent cases. Trials have their
 * case as cluster in any case. */
static void warn_of_clusters(warner *self) {
  const ee_path *path = self->plan->cluster;
  if (path == NULL || self->totals->all.units.clustered.count > 0) return;
  WARN(self, "no record has a cluster at '%.*s': intervals count every case by itself", EE_STR_ARG(path->text));
}

static void warn_of_pages(warner *self) {
  const ee_totals *totals = self->totals;
  if (self->plan->cluster != NULL) return;
  ee_buffer text = {0};
  ee_page_hint_print(&totals->pages, totals->scored, &text);
  if (text.length > 0) WARN(self, "%s", ee_buffer_terminate(&text));
  ee_buffer_fini(&text);
}

/* "12 candidates are not JSON; --repair reads 11 of them (trailing commas 7, cut 4)" */
static void warn_of_repairs(warner *self) {
  const ee_totals *totals = self->totals;
  if (totals->repairable == 0 || ee_plan_repairs(self->plan)) return;
  const char *kinds = "";
  for (int i = EE_REPAIR_PROSE + 1; i < EE_REPAIR_COUNT; i++)
    if (totals->repairs[i] > 0)
      kinds = ee_arena_printf(&self->arena, "%s%s%s %" PRIu64, kinds, *kinds != '\0' ? ", " : "",
                              ee_repair_words((ee_repair)i), totals->repairs[i]);
  uint64_t broken = totals->candidates_unparseable + totals->candidates_encoded;
  const char *which = totals->repairable < broken
                          ? ee_arena_printf(&self->arena, "%" PRIu64 " of them", totals->repairable)
                      : broken == 1 ? "it"
                                    : "all of them";
  WARN(self, "%" PRIu64 " candidate%s not JSON; --repair reads %s (%s)", broken, broken == 1 ? " is" : "s are", which,
       kinds);
}

/* Judges ---------------------------------------------------------------------------------------- */

/* The same sentences are under the judge's table. */
static void warn_of_misfits(warner *self, const ee_judge *judge, const ee_judge_total *total) {
  ee_misfit_list misfits = ee_misfits_of(judge, total, self->origin->chosen_cases, &self->arena);
  for (size_t i = 0; i < misfits.count; i++)
    if (misfits.items[i].grave && misfits.items[i].kind != EE_MISFIT_IN_ERROR)
      WARN(self, "%.*s: %.*s", EE_STR_ARG(judge->name), EE_STR_ARG(misfits.items[i].text));
}

void ee_run_warnings(const ee_plan *plan, const ee_totals *totals, const ee_run_origin *origin,
                     ee_error_list *warnings) {
  if (totals->scored == 0) return;
  warner self = {.plan = plan, .totals = totals, .origin = origin, .warnings = warnings};
  ee_arena_init(&self.arena, 0);
  warn_of_candidates(&self);
  warn_of_repairs(&self);
  warn_of_repeats(&self);
  warn_of_ids(&self);
  warn_of_trials(&self);
  warn_of_clusters(&self);
  warn_of_pages(&self);
  for (size_t i = 0; i < plan->judge_count && !origin->notes_shown; i++)
    warn_of_misfits(&self, plan->judges[i], &totals->all.judges[i]);
  const ee_named_calibration *calibrations = ee_calibrations_of(plan, &totals->all, &self.arena);
  for (size_t i = 0; i < plan->judge_count && !origin->notes_shown; i++)
    ee_calibration_warn(&calibrations[i], warnings);
  if (!origin->notes_shown)
    ee_measures_warn(ee_measures_of(plan, &totals->all, &self.arena), plan->measure_count, warnings);
  ee_arena_fini(&self.arena);
}
