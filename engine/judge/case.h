/* case.h: judging one case: what a worker keeps open for a plan, and the context that judges get.
 *
 * One thread at a time uses an open plan and its contexts. */
#ifndef EE_JUDGE_CASE_H
#define EE_JUDGE_CASE_H

#include <signal.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/work.h"
#include "data/files/record.h"
#include "judge/outcome.h"
#include "judge/provider_session.h"
#include "judge/result.h"
#include "judge/script.h"

struct ee_plan;
struct ee_similarity_memo;

/* The context ---------------------------------------------------------------------------------- */

/* What judges get while a case is judged. */
typedef struct ee_context {
  const struct ee_plan *plan;
  ee_arena *arena;     /* the case's; reset after it */
  ee_script *script;   /* NULL when the plan needs none */
  void *const *states; /* of judges that keep something between cases, by judge number; NULL: no judge keeps anything */
  const ee_script_place *place;             /* of the value being compared; set by ee_strategy_compare() */
  const ee_case *current;                   /* its documents are in NFC (ee_value_nfc()) */
  const ee_case *as_written;                /* the same case before that */
  const volatile sig_atomic_t *interrupted; /* ends waiting for a program; NULL: never */
  ee_error_list *rule_errors; /* errors of the script's functions, in order; messages end in (case 'ID') */
  ee_error_list *warnings;    /* about the current case, which count nothing; a run prints each text once. NULL: none */
  uint64_t rule_error_count;  /* of the current case */
  ee_provider_session *session; /* NULL when the plan needs no provider */
  bool keeps_compared;          /* ee_strategy_compare() keeps what it compared; see ee_comparison */
  ee_detail detail;             /* full: judges add an outcome for each value */
  bool kinds;                   /* decides the kinds of errors (error_kind.h) */
  bool counts_only;             /* nobody reads hits, misses and reasoning: judges may leave out all but one miss */
  bool dry_run;                 /* judges only to collect provider requests; the result is discarded */
  bool is_final_round;          /* pending requests now count as failures */
  uint64_t pending_answers;     /* of the current case: requested and not known yet */
  uint64_t provider_failures;   /* of the current case: values without a score because no answer came */
  uint64_t alternatives;        /* accepted documents of the current case; 0: its expected value is the only one */
  uint64_t given_up;            /* of the current case: values, judges and functions that were given up (base/work.h) */
  uint64_t fallbacks;       /* of the current judge: lists paired by greedy because optimal would be too much work */
  ee_unread_list unread;    /* of the current judge: values that the rules cannot read */
  ee_outcome_list outcomes; /* of the current judge, in full detail */
  uint64_t polygon_steps;   /* of the current judge: spent on overlaps of polygons (prim/polygon.h) */
  const struct ee_decimal_votes *decimals; /* of the current case's values, where the plan has not decided; or NULL */
  struct ee_similarity_memo *memo; /* answers of the current case, in its arena (strategy_semantic.c); NULL: none yet.
                                      Who resets the arena sets it to NULL, as ee_plan_judge() does */
} ee_context;

/* Whether judges add outcomes. */
static inline bool ee_context_keeps_outcomes(const ee_context *context) {
  return context->detail == EE_DETAIL_FULL && !context->dry_run;
}

/* Records a script's error for the current case and returns its text, "file:line: message", in the case's arena. The
 * list keeps at most 100 errors a case; all are counted: as given up where the status is EE_ERROR_LIMIT. Records
 * nothing in a dry run. */
ee_str ee_context_rule_error(ee_context *context, const ee_error *error);

/* Fills `error` (EE_ERROR_LIMIT) for something given up after that much work: it belongs to `node` (may be NULL), and
 * `name` (may be empty) says what it is. Returns the reason alone, in the case's arena. */
ee_str ee_context_given_up(ee_context *context, const struct ee_rule_node *node, ee_str name, uint64_t units,
                           ee_error *error);

/* Adds a warning about the current case, unless it is a dry run. */
void ee_context_warn(ee_context *context, const char *message);

/* Records that no answer came for the value at `path`: counts it, and adds an error (EE_ERROR_PROVIDER, without a
 * place) that names path, case and `reason`. Does nothing in a dry run. */
void ee_context_no_answer(ee_context *context, ee_str path, ee_str reason);

/* Makes `result` that of a judge in error: score 0, and its name with `reason` (empty: the error's text) as its only
 * miss. Records the error like ee_context_rule_error(). */
void ee_judge_fail(const struct ee_judge *judge, ee_context *context, const ee_error *error, ee_str reason,
                   ee_judge_result *result);

/* Open plans ----------------------------------------------------------------------------------- */

/* What a worker opens once for a plan and keeps from case to case. */
typedef struct ee_open_plan {
  const struct ee_plan *plan;
  ee_script *script;            /* NULL when the plan needs none */
  bool borrowed_script;         /* the script is not closed with the plan */
  ee_provider_session *session; /* NULL when the plan needs none, or without a provider */
  void **states; /* by judge number; NULL entries of types that keep nothing; NULL: no type keeps anything */
  const volatile sig_atomic_t *interrupted; /* NULL: never */
} ee_open_plan;

/* Opens the plan's script, a session of `provider` (may be NULL) and the states of judges. Fails with EE_ERROR_RULES
 * (the script, a judge's state) or EE_ERROR_SYSTEM. Call ee_open_plan_fini() also after a failure. `plan`, `provider`
 * and `interrupted` (NULL: never) must outlive `open`. */
ee_status ee_open_plan_init(ee_open_plan *open, const struct ee_plan *plan, ee_provider *provider,
                            const volatile sig_atomic_t *interrupted, ee_error *error);
/* The same with a script of the plan that is open already and that the caller closes afterwards. */
ee_status ee_open_plan_init_with(ee_open_plan *open, const struct ee_plan *plan, ee_script *script,
                                 ee_provider *provider, const volatile sig_atomic_t *interrupted, ee_error *error);
/* Closes everything. Does nothing if `open` is all zero. */
void ee_open_plan_fini(ee_open_plan *open);

/* A context for the next case; what is not in `open` is zero. */
static inline ee_context ee_open_plan_context(const ee_open_plan *open, ee_arena *arena) {
  return (ee_context){.plan = open->plan,
                      .arena = arena,
                      .script = open->script,
                      .states = open->states,
                      .interrupted = open->interrupted,
                      .session = open->session};
}

/* Judging -------------------------------------------------------------------------------------- */

/* Judges one case: every judge, then the case's score and verdict. It may use --timeout (base/limits.h) seconds of
 * work, a judge half of what is left, a value half of that; what takes more is given up: a value or judge in error.
 * Returns EE_WORK_INTERRUPTED when the flag of the context ended it: then there is no result. Else EE_WORK_DONE.
 * `result` and all it points to live in the context's arena, which the caller resets afterwards. Calls begin_case and
 * end_case of the script. Where the plan has a selection, only the judges of the case's id judge it, and `result` has
 * no others; a case without judges scores 1 and is vacuous (ee_run() leaves it out).
 *
 * While the session has pending requests they are sent and the case is judged again, as a ticket of its own
 * (EE_NO_TICKET). Not so in a dry run, where context->pending_answers counts them and `result` is meaningless, and not
 * in a final round. */
ee_work_end ee_plan_judge(const struct ee_plan *plan, ee_context *context, const ee_case *current,
                          ee_case_result *result);

/* The same in one pass, whatever requests are pending: for a judge that runs a plan inside a case of another plan,
 * which sends them. It has what its judge has left. The context's counters start at 0. */
void ee_plan_judge_once(const struct ee_plan *plan, ee_context *context, const ee_case *current,
                        ee_case_result *result);

#endif
