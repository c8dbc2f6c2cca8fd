/* plan.h: a rule file, checked and compiled.
 *
 * Immutable after ee_plan_compile() and shared by all workers. */
#ifndef EE_JUDGE_PLAN_H
#define EE_JUDGE_PLAN_H

#include "base/arena.h"
#include "base/error.h"
#include "data/files/record.h"
#include "judge/compile.h"
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
  const ee_path *const *slices;
  size_t slice_count;
  const ee_judge *const *judges;
  size_t judge_count;
  const ee_gate *gates;
  size_t gate_count;
  ee_verdict_limits verdict;
  int score_function;  /* or EE_NO_FUNCTION */
  bool needs_script;   /* judging enters the script that vtable->open makes of `host` */
  bool needs_provider; /* a strategy asks a provider for similarity */
  bool runs_programs;  /* judging waits for other programs */
  ee_provider_settings provider;
  const struct ee_selection
      *selection;           /* which judges judge which case, set by who loaded the plan; NULL: all judge all */
  const ee_error *warnings; /* what loads and yet deserves a word (EE_OK, with their places) */
  size_t warning_count;
  size_t function_count;          /* script functions that the tree names, set by who loaded it */
  const ee_script_vtable *vtable; /* NULL without scripts */
  void *host;                     /* handed to vtable->open */
  uint64_t rules_hash; /* of the texts of files that rules name (0: none); who loaded the rule files mixes theirs in */
} ee_plan;

/* Validates the whole tree below `root` (a "rules" node) and compiles it; every mistake is added to `errors`, sorted by
 * place at the end. NULL when there was any. `vtable` and `host` may be NULL when the tree has no functions. */
ee_plan *ee_plan_compile(ee_arena *arena, const ee_rule_node *root, const ee_script_vtable *vtable, void *host,
                         ee_error_list *errors);
/* The same with a loader for rule files that it names. */
ee_plan *ee_plan_compile_with(ee_arena *arena, const ee_rule_node *root, const ee_script_vtable *vtable, void *host,
                              const ee_rules_loader *loader, ee_error_list *errors);

/* Options of ee.rules: rows for checks and documentation. */
extern const ee_option ee_rules_options[];

/* Judges one case: every judge, then the case's score and verdict. `result` and all it points to live in the context's
 * arena. The caller resets the arena afterwards. Calls begin_case and end_case of the script. Where the plan has a
 * selection, only the judges of the case's id judge it, and `result` has no others; a case that no judge judges scores
 * 1 and is vacuous (ee_run() leaves it out).
 *
 * What an asker leaves open is asked for, and the case judged again, until nothing is: in a turn of its own
 * (EE_NO_TICKET), with begin and end. Not so while collecting, where context->open_answers tells and `result` is worth
 * nothing, and not when the context is settled. */
void ee_plan_judge(const ee_plan *plan, ee_context *context, const ee_case *current, ee_case_result *result);

/* The same in one pass, whatever the asker leaves open: for judges that run a plan inside a case of another one, which
 * asks. The context's counters begin at 0. */
void ee_plan_judge_once(const ee_plan *plan, ee_context *context, const ee_case *current, ee_case_result *result);

/* Prints the compiled plan and which nodes call Lua, for `evalengine check`. */
void ee_plan_print(const ee_plan *plan, ee_buffer *out);

#endif
