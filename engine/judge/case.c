/* case.c: judging one case by all judges of a plan, and what a worker keeps open for it. */
#include "judge/case.h"

#include <stdio.h>

#include "base/limits.h"
#include "base/memory.h"
#include "data/files/image_boxes.h"
#include "judge/aggregate.h"
#include "judge/corrections.h"
#include "judge/error_kind.h"
#include "judge/measure.h"
#include "judge/plan.h"

/* Errors of the current case -------------------------------------------------------------------- */

/* Errors of one case that are kept; further ones are only counted. */
#define ERRORS_KEPT 100
/* Units of work that each accepted document costs by itself. */
#define WORK_OF_DOCUMENT 1000
/* Bytes of an id or a path in a message. */
#define ID_SHOWN 100

/* Appends " (case 'ID')" to the message, which is cut where both do not fit. */
static void add_case(ee_error *error, ee_str id) {
  id.length = ee_utf8_cut(id, ID_SHOWN);
  char suffix[ID_SHOWN + 16];
  int written = snprintf(suffix, sizeof suffix, " (case '%.*s')", (int)id.length, id.length > 0 ? id.data : "");
  size_t suffix_length = (size_t)written;
  ee_str message = ee_str_from(error->message);
  size_t kept = ee_utf8_cut(message, sizeof error->message - 1 - suffix_length);
  memcpy(error->message + kept, suffix, suffix_length + 1);
}

ee_str ee_context_rule_error(ee_context *context, const ee_error *error) {
  if (!context->dry_run && error->status == EE_ERROR_LIMIT)
    context->given_up++;
  else if (!context->dry_run)
    context->rule_error_count++;
  if (!context->dry_run && context->rule_errors != NULL && context->rule_errors->count < ERRORS_KEPT) {
    ee_error copy = *error;
    if (context->current != NULL) add_case(&copy, context->current->id);
    ee_error_list_add(context->rule_errors, &copy);
  }
  const char *text;
  if (error->file[0] == '\0') {
    text = ee_arena_printf(context->arena, "%s", error->message);
  } else if (error->line == 0) {
    text = ee_arena_printf(context->arena, "%s: %s", error->file, error->message);
  } else {
    text = ee_arena_printf(context->arena, "%s:%zu: %s", error->file, error->line, error->message);
  }
  return ee_str_from(text);
}

ee_str ee_context_given_up(ee_context *context, const ee_rule_node *node, ee_str name, uint64_t units,
                           ee_error *error) {
  char reason[EE_WORK_REASON];
  ee_work_reason(units, reason);
  char subject[ID_SHOWN + 16] = "";
  if (name.length > 0) snprintf(subject, sizeof subject, "'%.*s' ", (int)ee_utf8_cut(name, ID_SHOWN), name.data);
  const char *file = node != NULL ? node->file : NULL;
  ee_error_at(error, EE_ERROR_LIMIT, file, node != NULL ? node->line : 0, 0, "%s%s", subject, reason);
  return ee_str_from(ee_arena_printf(context->arena, "%s", reason));
}

void ee_context_warn(ee_context *context, const char *message) {
  if (context->dry_run || context->warnings == NULL || context->warnings->count >= ERRORS_KEPT) return;
  ee_error_list_addf(context->warnings, EE_OK, NULL, 0, "%s", message);
}

void ee_context_no_answer(ee_context *context, ee_str path, ee_str reason) {
  if (context->dry_run) return;
  context->provider_failures++;
  if (context->rule_errors == NULL || context->rule_errors->count >= ERRORS_KEPT) return;
  ee_str id = context->current != NULL ? context->current->id : EE_STR("");
  char place[ID_SHOWN + 16] = "";
  if (path.length > 0) snprintf(place, sizeof place, " for '%.*s'", (int)ee_utf8_cut(path, ID_SHOWN), path.data);
  ee_error_list_addf(context->rule_errors, EE_ERROR_PROVIDER, NULL, 0, "no answer%s (case '%.*s'): %.*s", place,
                     (int)ee_utf8_cut(id, ID_SHOWN), id.length > 0 ? id.data : "", (int)reason.length,
                     reason.length > 0 ? reason.data : "");
}

void ee_judge_fail(const ee_judge *judge, ee_context *context, const ee_error *error, ee_str reason,
                   ee_judge_result *result) {
  ee_str text = ee_context_rule_error(context, error);
  ee_findings findings;
  ee_findings_start(&findings, context->arena, 0);
  ee_findings_fail(&findings, EE_FAULT_RULES, judge->name,
                   (ee_reason){.kind = EE_REASON_TEXT, .text = reason.length > 0 ? reason : text});
  ee_findings_finish(&findings, result);
}

/* Opening a plan -------------------------------------------------------------------------------- */

/* Opens the states of the judges that keep one. */
static ee_status open_states(ee_open_plan *open, ee_error *error) {
  const ee_plan *plan = open->plan;
  for (size_t i = 0; i < plan->judge_count; i++) {
    const ee_judge *judge = plan->judges[i];
    if (judge->type->open == NULL) continue;
    if (open->states == NULL) open->states = ee_calloc(plan->judge_count, sizeof *open->states);
    ee_status status = judge->type->open(judge, open, &open->states[judge->number], error);
    if (status != EE_OK) return status;
  }
  return EE_OK;
}

static ee_status open_rest(ee_open_plan *open, ee_provider *provider, ee_error *error) {
  if (open->plan->needs_provider && provider != NULL) {
    open->session = provider->vtable->open(provider, error);
    if (open->session == NULL) return EE_ERROR_SYSTEM;
  }
  return open_states(open, error);
}

ee_status ee_open_plan_init(ee_open_plan *open, const ee_plan *plan, ee_provider *provider,
                            const volatile sig_atomic_t *interrupted, ee_error *error) {
  *open = (ee_open_plan){.plan = plan, .interrupted = interrupted};
  if (plan->needs_script) {
    open->script = plan->vtable->open(plan->host, error);
    if (open->script == NULL) return EE_ERROR_RULES;
  }
  return open_rest(open, provider, error);
}

ee_status ee_open_plan_init_with(ee_open_plan *open, const ee_plan *plan, ee_script *script, ee_provider *provider,
                                 const volatile sig_atomic_t *interrupted, ee_error *error) {
  *open = (ee_open_plan){.plan = plan, .script = script, .borrowed_script = true, .interrupted = interrupted};
  return open_rest(open, provider, error);
}

void ee_open_plan_fini(ee_open_plan *open) {
  if (open->states != NULL) {
    /* If opening failed, some states are not open. */
    for (size_t i = open->plan->judge_count; i-- > 0;) {
      const ee_judge *judge = open->plan->judges[i];
      void *state = open->states[judge->number];
      if (state != NULL) judge->type->close(judge, state);
    }
    ee_free(open->states);
  }
  if (open->session != NULL) open->session->vtable->close(open->session);
  if (open->script != NULL && !open->borrowed_script) open->plan->vtable->close(open->script);
  *open = (ee_open_plan){0};
}

/* Judging --------------------------------------------------------------------------------------- */

/* The counts of all attributes of a judge together. */
static ee_counts pooled(const ee_judge_result *result) {
  ee_counts counts = {0};
  for (size_t i = 0; i < result->attribute_count; i++) {
    const ee_attribute_result *attribute = &result->attributes[i];
    if (attribute->slot >= 0 && result->judge->attributes[attribute->slot].derived) continue;
    ee_counts_add(&counts, &attribute->counts);
  }
  return counts;
}

static bool all_unscored(const ee_judge_result *results, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!results[i].unscored) return false;
  return count > 0;
}

/* The case's score: the weighted mean of its judges, or the rule file's function. */
static ee_aggregate_result case_score(const ee_plan *plan, ee_context *context, const ee_judge_result *results,
                                      size_t count, ee_str *formula) {
  if (count == 0) return (ee_aggregate_result){.score = 1, .vacuous = true};
  if (all_unscored(results, count)) return (ee_aggregate_result){.score = 0};
  ee_script_part *parts = ee_arena_alloc(context->arena, count * sizeof *parts);
  bool function = plan->score_function != EE_NO_FUNCTION;
  for (size_t i = 0; i < count; i++) {
    const ee_judge *judge = results[i].judge;
    parts[i] = (ee_script_part){
        .name = judge->name, .scored = !results[i].unscored, .score = results[i].score, .weight = judge->weight};
    if (function) parts[i].counts = pooled(&results[i]);
  }
  ee_aggregate aggregate = {.kind = function ? EE_AGGREGATE_FUNCTION : EE_AGGREGATE_WEIGHTED_AVERAGE,
                            .function = plan->score_function};
  ee_aggregate_result result = ee_aggregate_parts(&aggregate, context, parts, count);
  if (ee_context_keeps_outcomes(context))
    *formula = ee_aggregate_formula(&aggregate, &result, parts, count, context->arena);
  return result;
}

/* A judge that had nothing to score but values which it cannot read has no score: 1 would be praise for nothing. */
static void leave_out_unread(ee_judge_result *result) {
  if (!result->vacuous || pooled(result).unread == 0) return;
  result->vacuous = false;
  result->unscored = true;
  result->score = 0;
}

/* The numbers of the judges of a case, `*count` of them; NULL: all judges of the plan. */
static const uint32_t *select_judges(const ee_plan *plan, const ee_case *current, size_t *count) {
  static const uint32_t none[1];
  *count = plan->judge_count;
  if (plan->selection == NULL) return NULL;
  const uint32_t *selected = ee_selection_find(plan->selection, current->id, count);
  return selected != NULL ? selected : none;
}

/* The case with what could be repaired of its candidate. */
static const ee_case *repaired_case(const ee_case *current, ee_arena *arena) {
  if (current->repaired == NULL) return current;
  ee_case *copy = EE_NEW(arena, ee_case);
  *copy = *current;
  copy->candidate = current->repaired;
  copy->candidate_state = EE_CANDIDATE_READ;
  return copy;
}

/* The case with the texts of its documents in NFC, so that nothing that compares them needs to think of it. */
static const ee_case *nfc_case(const ee_case *current, ee_arena *arena) {
  const ee_value *expected = ee_value_nfc(arena, current->expected);
  const ee_value *candidate = ee_value_nfc(arena, current->candidate);
  const ee_value *repaired = ee_value_nfc(arena, current->repaired);
  if (expected == current->expected && candidate == current->candidate && repaired == current->repaired) return current;
  ee_case *copy = EE_NEW(arena, ee_case);
  *copy = *current;
  copy->expected = expected;
  copy->candidate = candidate;
  copy->repaired = repaired;
  return copy;
}

/* One judge that judges the case of its context. */
typedef struct judging {
  const ee_judge *judge;
  ee_context *context;
  ee_judge_result *result;
} judging;

static void judge_case(void *user) {
  const judging *self = user;
  ee_work_bound(EE_BOUND_ITEMS, self->context->alternatives, "accepted documents");
  self->judge->type->judge_case(self->judge, self->context, self->result);
}

/* Ends a judge that was left in the middle: what it has found so far is not kept. */
static void give_up_judge(const judging *self, uint64_t units) {
  ee_context *context = self->context;
  const ee_judge *judge = self->judge;
  context->unread = (ee_unread_list){0};
  context->outcomes = (ee_outcome_list){0};
  context->fallbacks = 0;
  *self->result = (ee_judge_result){.judge = judge, .detail = context->detail, .bare = true};
  ee_error error;
  ee_str reason = ee_context_given_up(context, judge->node, judge->name, units, &error);
  ee_judge_fail(judge, context, &error, reason, self->result);
}

/* Judges the case of the context by one judge, which may use half of the work that is left. */
static void judge_by(const ee_judge *judge, ee_context *context, ee_judge_result *result) {
  const ee_case *before = context->current, *current = judge->type->as_written ? context->as_written : before;
  if (judge->repair) current = repaired_case(current, context->arena);
  bool enters = context->script != NULL && current != before;
  context->current = current;
  if (enters) context->plan->vtable->begin_case(context->script, current, context->arena);
  judging self = {judge, context, result};
  uint64_t units = ee_work_half();
  ee_work_end end = ee_work_try(units, judge_case, &self);
  if (enters) context->plan->vtable->begin_case(context->script, before, context->arena);
  context->current = before;
  if (end == EE_WORK_DONE) return;
  context->place = NULL;
  context->keeps_compared = false;
  ee_work_pass_on(end);
  give_up_judge(&self, units);
}

/* Of a judge that adds no outcomes itself its hits and misses are those of the case. */
static void add_findings(ee_context *context, const ee_judge_result *result) {
  ee_outcome_list *outcomes = &context->outcomes;
  static const ee_outcome plain = {.row = EE_NO_ROW, .partner = EE_NO_ROW, .weight = 1};
  for (size_t i = 0; i < result->hit_count; i++) {
    ee_outcome hit = plain;
    hit.place = result->hits[i];
    hit.value_class = EE_CLASS_TP;
    hit.score = 1;
    ee_outcomes_add(outcomes, context->arena, &hit);
  }
  size_t next = 0; /* mismatches are in the order of the misses */
  for (size_t i = 0; i < result->miss_count; i++) {
    ee_outcome miss = plain;
    miss.place = result->misses[i];
    miss.value_class = EE_CLASS_WRONG;
    const ee_mismatch *mismatch = next < result->mismatch_count ? &result->mismatches[next] : NULL;
    if (mismatch != NULL && ee_finding_same_place(&mismatch->finding, &miss.place)) {
      next++;
      miss.expected = mismatch->expected;
      miss.candidate = mismatch->candidate;
      miss.score = mismatch->score;
      miss.value_class = mismatch->value_class;
    }
    ee_outcomes_add(outcomes, context->arena, &miss);
  }
}

/* One pass over the judges of a case. */
typedef struct pass {
  const ee_plan *plan;
  ee_context *context;
  ee_judge_result *results;
  const uint32_t *selected; /* NULL: all */
  size_t count, next;       /* of the judges that may judge the case */
  size_t kept;              /* results: of those that `when` does not leave out */
  const ee_judge **left_out;
  size_t left_out_count;
  ee_aggregate_result score;
  ee_str formula;
} pass;

static void judge_one(const pass *self, const ee_judge *judge, ee_judge_result *result) {
  ee_context *context = self->context;
  context->fallbacks = context->polygon_steps = 0;
  context->unread = (ee_unread_list){0};
  context->outcomes = (ee_outcome_list){0};
  judge_by(judge, context, result);
  result->fallbacks = context->fallbacks;
  result->unread = context->unread.items;
  result->unread_count = context->unread.count;
  if (ee_context_keeps_outcomes(context) && context->outcomes.count == 0) add_findings(context, result);
  result->outcomes = context->outcomes.items;
  result->outcome_count = context->outcomes.count;
  result->outcomes_cut = context->outcomes.cut;
  leave_out_unread(result);
  result->verdict = ee_verdict_of(result->score, judge->verdict);
}

/* The condition of one judge. */
typedef struct asking {
  const ee_judge *judge;
  ee_context *context;
  ee_status status;
  bool judged;
  ee_error error;
} asking;

static void ask_when(void *user) {
  asking *self = user;
  self->status =
      self->context->plan->vtable->condition(self->context->script, self->judge->when, &self->judged, &self->error);
}

/* Whether the judge judges the case. Where its `when` fails, that is the judge's failure, in `result`. */
static bool is_wanted(ee_context *context, const ee_judge *judge, ee_judge_result *result) {
  if (!judge->has_when) return true;
  asking self = {.judge = judge, .context = context, .status = EE_OK, .judged = true};
  uint64_t units = ee_work_half();
  ee_work_end end = ee_work_try(units, ask_when, &self);
  ee_str reason = {0};
  if (end != EE_WORK_DONE) {
    ee_work_pass_on(end);
    reason = ee_context_given_up(context, judge->node, EE_STR("when"), units, &self.error);
    self.status = EE_ERROR_LIMIT;
  }
  if (self.status == EE_OK) return self.judged;
  ee_judge_fail(judge, context, &self.error, reason, result);
  result->bare = true;
  result->verdict = ee_verdict_of(result->score, judge->verdict);
  return true;
}

/* In a dry run only judges that may use a provider. */
static void judge_each(void *user) {
  pass *self = user;
  for (; self->next < self->count; self->next++) {
    const ee_judge *judge = self->plan->judges[self->selected != NULL ? self->selected[self->next] : self->next];
    ee_judge_result *result = &self->results[self->kept];
    *result = (ee_judge_result){.judge = judge, .detail = self->context->detail};
    if (!is_wanted(self->context, judge, result)) {
      self->left_out[self->left_out_count++] = judge;
      continue;
    }
    self->kept++;
    if (result->failed) continue;
    if (!self->context->dry_run || judge->uses_provider || judge->asks_model) judge_one(self, judge, result);
  }
}

static void score_case(void *user) {
  pass *self = user;
  self->score = case_score(self->plan, self->context, self->results, self->kept, &self->formula);
}

/* The work that a case may use. */
static uint64_t units_of_case(void) {
  uint64_t seconds = ee_limits_get()->timeout;
  return seconds > 0 ? ee_work_product(seconds, EE_WORK_SECOND) : EE_WORK_UNLIMITED;
}

/* Judges by all judges, which may use `units`, then by the rule file's function of their scores. */
static ee_work_end judge_by_all(pass *self, uint64_t units) {
  ee_work_end end = ee_work_try(units, judge_each, self);
  /* A score that is discarded is not computed: it may call a function. */
  bool scores = !self->context->dry_run && self->context->pending_answers == 0;
  if (end != EE_WORK_INTERRUPTED && scores)
    end = ee_work_try(units < EE_WORK_UNLIMITED ? units / EE_AFTERWARDS_PART : units, score_case, self);
  if (end == EE_WORK_GIVEN_UP) self->score.failed = true;
  return end;
}

/* What follows from the judges of a case. */
typedef struct afterwards {
  ee_context *context;
  ee_case_result *result;
} afterwards;

static void decide_kinds(void *user) {
  const afterwards *self = user;
  ee_error_kinds_decide(self->result, self->context->arena);
}

/* The kinds of errors have a limit of their own. Mismatches that it leaves out have no kind; that is reported, unless a
 * judge of the case was given up already. */
static ee_work_end decide_kinds_within_limit(ee_context *context, bool is_inner, ee_case_result *result) {
  afterwards self = {context, result};
  uint64_t units = is_inner ? EE_WORK_UNLIMITED : units_of_case();
  if (units < EE_WORK_UNLIMITED) units /= EE_AFTERWARDS_PART;
  ee_work_end end = ee_work_try(units, decide_kinds, &self);
  if (end != EE_WORK_GIVEN_UP || context->given_up > 0) return end;
  ee_error error;
  ee_context_given_up(context, NULL, EE_STR("kinds of errors"), units, &error);
  ee_context_rule_error(context, &error);
  result->given_up = context->given_up;
  return EE_WORK_DONE;
}

/* One pass over the judges, which may use `units`, for a case whose expected value is one document. */
static ee_work_end judge_document(const ee_plan *plan, ee_context *context, const ee_case *current, uint64_t units,
                                  ee_case_result *result) {
  context->current = current;
  context->place = NULL;
  context->rule_error_count = 0;
  context->pending_answers = 0;
  context->provider_failures = 0;
  context->given_up = 0;
  context->memo = NULL;
  if (plan->repair) current = context->current = repaired_case(current, context->arena);
  context->as_written = current;
  uint64_t expected_hash = current->boxes != NULL ? current->boxes->expected_hash : ee_value_hash(current->expected);
  current = context->current = nfc_case(current, context->arena);
  bool script = context->script != NULL && plan->vtable != NULL;
  if (script) plan->vtable->begin_case(context->script, current, context->arena);

  /* First, because it leaves the hashes of all values in their nodes, where line_items looks for equal items. */
  ee_value_hash(current->expected);
  pass self = {.plan = plan, .context = context};
  self.selected = select_judges(plan, current, &self.count);
  self.results = EE_NEW_ARRAY(context->arena, ee_judge_result, self.count);
  self.left_out = EE_NEW_ARRAY(context->arena, const ee_judge *, self.count);
  ee_work_end end = judge_by_all(&self, units);
  if (script) plan->vtable->end_case(context->script);
  *result = (ee_case_result){.source = current, .plan = plan, .detail = context->detail};
  if (end == EE_WORK_INTERRUPTED) return end;

  const ee_aggregate_result *score = &self.score;
  *result = (ee_case_result){.source = current,
                             .cluster = ee_plan_cluster_of(plan, current, context->arena),
                             .score = score->score,
                             .verdict = ee_verdict_of(score->score, plan->verdict),
                             .expected_hash = expected_hash,
                             .detail = context->detail,
                             .plan = plan,
                             .judges = self.results,
                             .judge_count = self.kept,
                             .left_out = self.left_out,
                             .left_out_count = self.left_out_count,
                             .unscored = all_unscored(self.results, self.kept),
                             .score_error = score->failed ? score->error : EE_STR(""),
                             .rule_errors = context->rule_error_count,
                             .provider_failures = context->provider_failures,
                             .given_up = context->given_up,
                             .measures = ee_measures_read(plan, current, context->arena),
                             .measure_count = plan->measure_count,
                             .formula = self.formula};
  return EE_WORK_DONE;
}

/* Several accepted documents -------------------------------------------------------------------- */

/* Each document is judged as if it were there alone, and the result of the best is that of the case. Where it has the
 * full score no other could be better, and what went wrong with the others is forgotten. Else what went wrong with any
 * of them counts: the case might have a better score without it. */

static bool is_better(const ee_case_result *a, const ee_case_result *b) {
  if (a->unscored != b->unscored) return b->unscored;
  return a->score > b->score;
}

/* Messages of one document: some of a list. */
typedef struct messages {
  size_t first, end;
} messages;

static size_t length_of(const ee_error_list *list) { return list != NULL ? list->count : 0; }

/* Leaves only `kept` of the messages from `first` on. */
static void keep_messages(ee_error_list *list, size_t first, messages kept) {
  if (list == NULL) return;
  size_t count = kept.end - kept.first;
  if (count > 0) memmove(list->items + first, list->items + kept.first, count * sizeof *list->items);
  list->count = first + count;
}

/* What each document may use of the `units` of the case: of what is left an equal share. */
static uint64_t share_of(uint64_t units, uint64_t start, uint64_t documents) {
  if (units >= EE_WORK_UNLIMITED) return units;
  uint64_t used = ee_work_done() - start;
  return used < units ? (units - used) / documents : 0;
}

/* Judges by each document, up to the first with full score. In a dry run by all. */
static ee_work_end judge_best(const ee_plan *plan, ee_context *context, const ee_case *current,
                              const ee_value *documents, uint64_t units, ee_case_result *result) {
  uint64_t count = ee_value_count(documents), start = ee_work_done();
  uint64_t pending = 0, errors = 0, failures = 0, given_up = 0;
  size_t first_error = length_of(context->rule_errors), first_warning = length_of(context->warnings);
  bool full = false;
  context->alternatives = count;
  /* Too many: each judge is given up. */
  uint64_t judged = count > ee_bound_size(EE_BOUND_ITEMS) ? 1 : count;
  const ee_value *each = ee_value_child(documents);
  for (uint64_t i = 0; i < judged && !full; i++, each = ee_value_next(each)) {
    ee_work(WORK_OF_DOCUMENT);
    ee_case *one = EE_NEW(context->arena, ee_case);
    *one = *current;
    ee_case_take_document(one, each, &plan->paths, context->arena);
    messages own_errors = {.first = length_of(context->rule_errors)};
    messages own_warnings = {.first = length_of(context->warnings)};
    ee_case_result found;
    ee_work_end end = judge_document(plan, context, one, share_of(units, start, judged - i), &found);
    own_errors.end = length_of(context->rule_errors);
    own_warnings.end = length_of(context->warnings);
    pending += context->pending_answers;
    errors += context->rule_error_count;
    failures += context->provider_failures;
    given_up += context->given_up;
    found.has_alternatives = true;
    found.alternative = i;
    if (i == 0 || end == EE_WORK_INTERRUPTED || is_better(&found, result)) *result = found;
    if (end == EE_WORK_INTERRUPTED) return end;
    full = !context->dry_run && context->pending_answers == 0 && !found.unscored && found.score >= 1;
    if (!full) continue;
    keep_messages(context->rule_errors, first_error, own_errors);
    keep_messages(context->warnings, first_warning, own_warnings);
    errors = found.rule_errors;
    failures = found.provider_failures;
    given_up = found.given_up;
  }
  context->current = result->source;
  context->pending_answers = pending;
  context->rule_error_count = result->rule_errors = errors;
  context->provider_failures = result->provider_failures = failures;
  context->given_up = result->given_up = given_up;
  result->expected_hash = ee_value_hash(current->expected);
  return EE_WORK_DONE;
}

/* One pass: over the judges, or over them for each accepted document. Without `is_inner` the case has its own limits of
 * work. */
static ee_work_end judge_once(const ee_plan *plan, ee_context *context, const ee_case *current, bool is_inner,
                              ee_case_result *result) {
  const ee_value *documents = ee_case_documents(current, &plan->paths);
  uint64_t units = is_inner ? EE_WORK_UNLIMITED : units_of_case();
  context->alternatives = 0;
  ee_work_end end;
  if (documents == NULL)
    end = judge_document(plan, context, current, units, result);
  else
    end = judge_best(plan, context, current, documents, is_inner ? ee_work_left() : units, result);
  if (end == EE_WORK_INTERRUPTED) return end;
  if (context->dry_run || context->pending_answers > 0) return EE_WORK_DONE;
  result->corrections = ee_corrections_of(result, context->arena);
  if (context->kinds && decide_kinds_within_limit(context, is_inner, result) == EE_WORK_INTERRUPTED)
    return EE_WORK_INTERRUPTED;
  return EE_WORK_DONE;
}

/* Judges, sends the pending requests and judges again, until none is pending. */
static ee_work_end judge_asking(const ee_plan *plan, ee_context *context, const ee_case *current,
                                ee_case_result *result) {
  ee_provider_session *session = context->session;
  size_t errors_before = context->rule_errors != NULL ? context->rule_errors->count : 0;
  ee_provider_session_begin(session, EE_NO_TICKET);
  /* Programs run once, after all requests are answered. */
  context->dry_run = plan->runs_programs;
  ee_work_end end;
  for (unsigned round = 0;; round++) {
    end = judge_once(plan, context, current, false, result);
    if (end == EE_WORK_INTERRUPTED) break;
    if (context->pending_answers == 0 || context->is_final_round) {
      if (!context->dry_run) break;
      context->dry_run = false;
      continue;
    }
    context->is_final_round = session->vtable->ask(session, NULL) != EE_OK || round >= EE_PROVIDER_ROUNDS;
    if (context->rule_errors != NULL) context->rule_errors->count = errors_before;
  }
  context->is_final_round = false;
  ee_provider_session_end(session);
  return end;
}

/* Without a look at all cases the values of this one decide. */
static void decide_decimals(const ee_plan *plan, ee_context *context, const ee_case *current) {
  context->decimals = NULL;
  if (plan->decimals->count == 0 || plan->decimals->decided) return;
  ee_decimal_votes *votes = ee_arena_calloc(context->arena, plan->decimals->count, sizeof *votes);
  ee_decimal_votes_add_case(plan, current, votes, context->arena);
  context->decimals = votes;
}

void ee_plan_judge_once(const ee_plan *plan, ee_context *context, const ee_case *current, ee_case_result *result) {
  context->plan = plan;
  context->current = current;
  decide_decimals(plan, context, current);
  ee_work_pass_on(judge_once(plan, context, current, true, result));
}

ee_work_end ee_plan_judge(const ee_plan *plan, ee_context *context, const ee_case *current, ee_case_result *result) {
  context->plan = plan;
  context->current = current;
  const volatile sig_atomic_t *before = ee_work_watch(context->interrupted);
  ee_arena *arena = context->arena;
  bool sets_limit = arena->limit == 0 && ee_limits_get()->memory > 0;
  if (sets_limit) ee_arena_set_limit(arena, ee_arena_used(arena) + ee_bound_size(EE_BOUND_MEMORY));
  decide_decimals(plan, context, current);
  bool asks = ee_provider_session_is_async(context->session) && !context->dry_run && !context->is_final_round;
  ee_work_end end =
      asks ? judge_asking(plan, context, current, result) : judge_once(plan, context, current, false, result);
  if (sets_limit) ee_arena_set_limit(arena, 0);
  ee_work_watch(before);
  return end;
}
