/* plan.h: a rule file, checked and compiled.
 *
 * Immutable after ee_plan_compile() and shared by all workers. */
#ifndef EE_JUDGE_PLAN_H
#define EE_JUDGE_PLAN_H

#include "base/arena.h"
#include "base/error.h"
#include "data/files/record.h"
#include "judge/collector.h"
#include "judge/compile.h"
#include "judge/decimal_votes.h"
#include "judge/gate.h"
#include "judge/judge.h"
#include "judge/provider_settings.h"
#include "judge/rule_node.h"
#include "judge/script.h"

struct ee_selection;

typedef struct ee_plan {
  ee_arena *arena;       /* borrowed: the plan's */
  ee_str name;           /* `name`, else the file's name without ending */
  const char *file;      /* the rule file */
  ee_record_paths paths; /* `case` */
  ee_empty_rule empty;   /* `null_values`, `empty` */
  bool repair;           /* `repair` or --repair: all judges get repaired candidates */
  const ee_path *const *slices;
  size_t slice_count;
  const ee_path *cluster; /* cases with the same value there vary together; NULL: each case by itself */
  double confidence;      /* of intervals */
  const ee_path *const *measures;
  size_t measure_count;
  const ee_judge *const *judges;
  size_t judge_count;
  const ee_gate *gates;
  size_t gate_count;
  const ee_summary_rule *summaries;
  size_t summary_count;
  const ee_report_rule *reports;
  size_t report_count;
  ee_verdict_limits verdict;
  ee_trial_rule trial_rule; /* of cases with several candidates */
  double max_unread;   /* the largest share of a field's expected values that the rules may fail to read, for gates */
  int score_function;  /* or EE_NO_FUNCTION */
  bool needs_script;   /* judging enters the script that vtable->open makes of `host` */
  bool needs_provider; /* one of the next two */
  bool compares_by_provider; /* a strategy asks a provider for similarity */
  bool asks_model;           /* a judge asks the provider's model */
  bool runs_programs;        /* judging waits for other programs */
  ee_provider_settings provider;
  /* Strategies with decimal = "auto", and what all values say of them: the one part of a plan that is written after
   * compiling, before the first case is judged. NULL for a plan that was not compiled. */
  ee_decimals *decimals;
  const struct ee_selection *selection; /* judges by case, set by the loader of the plan; NULL: all judge all cases */
  const ee_error *warnings;             /* EE_OK, with their places */
  size_t warning_count;
  size_t function_count;          /* script functions that the tree names; set by the loader of the plan */
  const ee_script_vtable *vtable; /* NULL without scripts */
  void *host;                     /* handed to vtable->open */
  uint64_t rules_hash; /* of the files that the rules name (0: none); the loader of the plan adds the rule files */
} ee_plan;

/* Checks and compiles the tree of `root` (a "rules" node). All errors are added to `errors`, sorted by place; NULL
 * then. `vtable` and `host` may be NULL when the tree has no functions. */
ee_plan *ee_plan_compile(ee_arena *arena, const ee_rule_node *root, const ee_script_vtable *vtable, void *host,
                         ee_error_list *errors);
/* The same with a loader for rule files that ee.code_judge names. */
ee_plan *ee_plan_compile_with(ee_arena *arena, const ee_rule_node *root, const ee_script_vtable *vtable, void *host,
                              const ee_rules_loader *loader, ee_error_list *errors);

/* Sets `*number` to the place of a path among the plan's slices, at which it is added if it is not there; before the
 * first case is judged. False with a message if it is not a path of one value. */
bool ee_plan_add_slice(ee_plan *plan, ee_str path, size_t *number, ee_error *error);

/* Sets the path of clusters, before the first case is judged. False with a message if it is not a path of one value. */
bool ee_plan_set_cluster(ee_plan *plan, ee_str path, ee_error *error);
/* The cluster of a case: the text at the path of clusters; data NULL where the plan has no path, or the case no value
 * there (missing, null or ""). The trials of a case are of one cluster, at least: then its id. Lives in `arena`, or as
 * long as the case. */
ee_str ee_plan_cluster_of(const ee_plan *plan, const ee_case *source, ee_arena *arena);

/* Whether cases may have boxes instead of documents (data/files/image_boxes.h), for results without rows, outcomes and
 * kinds of errors: all judges take them, and nothing else looks into a case. */
bool ee_plan_takes_boxes(const ee_plan *plan);

/* Whether some judge gets repaired candidates. */
bool ee_plan_repairs(const ee_plan *plan);

/* Options of ee.rules: rows for checks and documentation. */
extern const ee_option ee_rules_options[];

/* Prints the compiled plan and which nodes call Lua, for `evalengine check`. */
void ee_plan_print(const ee_plan *plan, ee_buffer *out);

/* Judges by case ------------------------------------------------------------------------------- */

/* Which judges judge which case, where a data set says so case by case. Lives in the plan's arena; immutable once the
 * data set's evaluators are read. */
typedef struct ee_selection ee_selection;

/* An empty selection. A case whose id is not in it has no judge: it is not of the data set. */
ee_selection *ee_selection_new(ee_arena *arena);
/* Adds case `id` with the numbers of its `count` judges, ascending (copied). The first of equal ids stays. */
void ee_selection_add(ee_selection *selection, ee_str id, const uint32_t *judges, size_t count);
/* The numbers of the judges of case `id`, `*count` of them; NULL when the id is not in the selection. O(1). */
const uint32_t *ee_selection_find(const ee_selection *selection, ee_str id, size_t *count);
/* A hash of all that was added, in order; 0 for NULL. */
uint64_t ee_selection_hash(const ee_selection *selection);

#endif
