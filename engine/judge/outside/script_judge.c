/* script_judge.c: ee.judge { "name", function }, a judge written in the rule file. */
#include "judge/details.h"

#include "base/memory.h"
#include "base/printable.h"
#include "judge/gate.h"
#include "judge/outside/protocol.h"
#include "judge/plan.h"
#include "judge/result.h"
#include "prim/number.h"

typedef struct script_judge {
  int function;
  bool splits; /* its counts have incorrect and spurious values apart */
  size_t metric_count, counter_count;
  ee_declared_metrics declared;
} script_judge;

/* More metrics are more than a table holds (EE_CASE_METRIC_LIMIT of run/), more counters more than a line. */
enum { METRICS_MAX = 16, COUNTERS_MAX = 100, NAME_MAX_BYTES = 64 };

static const ee_option script_judge_options[] = {
    {.name = "needs_expected",
     .type = EE_OPTION_BOOL,
     .default_text = "true",
     .help =
         "false: cases without an expected value are judged, too, if no other judge needs one; it is ee.null then."},
    {.name = "asks",
     .type = EE_OPTION_BOOL,
     .default_text = "false",
     .help =
         "true: the function may ask the provider's model, ee.ask(prompt [, options]); it is called again when answers "
         "are there."},
    {.name = "metrics",
     .type = EE_OPTION_TEXTS,
     .default_text = "none",
     .help =
         "Names of per-case metrics that the function returns in metrics, each 0..1: the report has their means with "
         "intervals, gates and compare use them. A case without one is left out of its mean; a judge in error has "
         "the worst value."},
    {.name = "lower_is_better",
     .type = EE_OPTION_TEXTS,
     .default_text = "none",
     .help = "Names in metrics that are better when lower."},
    {.name = "counters",
     .type = EE_OPTION_TEXTS,
     .default_text = "none",
     .help = "Names of whole numbers from 0 that the function returns in counters; the report has their sums."},
    {.name = "split_counts",
     .type = EE_OPTION_BOOL,
     .default_text = "false",
     .help =
         "true: details.metrics says which false positives are incorrect values (also in fn) and which spurious, { tp, "
         "tn, incorrect, spurious, missing }, and the table has the columns wrong and invented."},
    {.name = NULL},
};

/* Names that the rule declares ------------------------------------------------------------------ */

/* Names are words of gates, "JUDGE:METRIC[SLICE]=X", and heads of columns. */
static bool is_word(ee_str name) {
  for (size_t i = 0; i < name.length; i++) {
    char c = name.data[i];
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!letter && c != '_' && c != '-' && c != '.') return false;
  }
  return name.length > 0 && name.length <= NAME_MAX_BYTES;
}

/* Metrics that every judge has, and those that it has over its fields. */
static bool is_taken(ee_str name) {
  for (size_t i = 0; ee_gate_metric_names[i] != NULL; i++)
    if (!ee_gate_metric_is_of_field((ee_gate_metric)i) && ee_str_is(name, ee_gate_metric_names[i])) return true;
  return false;
}

static bool is_among(const char *const *names, size_t count, ee_str name) {
  for (size_t i = 0; i < count; i++)
    if (ee_str_is(name, names[i])) return true;
  return false;
}

/* The names of a checked option, NULL-terminated, `*count` of them; NULL: none. */
static const char *const *read_names(ee_plan_builder *builder, const ee_rule_node *node, const char *option, size_t max,
                                     size_t *count) {
  ee_rule_value value = ee_rule_node_get(node, option);
  *count = 0;
  if (value.type != EE_RULE_TABLE || value.node->item_count == 0) return NULL;
  size_t given = value.node->item_count;
  const char **names = EE_NEW_ARRAY(builder->arena, const char *, given + 1);
  if (given > max) ee_compile_error(builder, node, "option '%s' of ee.judge has more than %zu names", option, max);
  for (size_t i = 0; i < given && i < max; i++) {
    if (value.node->items[i].type != EE_RULE_TEXT) return NULL; /* reported */
    ee_str name = value.node->items[i].text;
    if (!is_word(name))
      ee_compile_error(builder, node,
                       "option '%s' of ee.judge: '%.*s' must be 1 to %d letters, digits, '_', '-' and '.'", option,
                       (int)ee_utf8_cut(name, 100), name.data, NAME_MAX_BYTES);
    else if (is_taken(name))
      ee_compile_error(builder, node, "option '%s' of ee.judge: every judge has a metric '%.*s'", option,
                       EE_STR_ARG(name));
    else if (is_among(names, *count, name))
      ee_compile_error(builder, node, "option '%s' of ee.judge has '%.*s' twice", option, EE_STR_ARG(name));
    else
      names[(*count)++] = ee_arena_copy(builder->arena, name.data, name.length);
  }
  return names;
}

static void compile_names(ee_plan_builder *builder, const ee_rule_node *node, ee_judge *judge, script_judge *script) {
  ee_declared_metrics *declared = &script->declared;
  size_t lower_count;
  declared->metrics = read_names(builder, node, "metrics", METRICS_MAX, &script->metric_count);
  declared->lower_is_better = read_names(builder, node, "lower_is_better", METRICS_MAX, &lower_count);
  declared->counters = read_names(builder, node, "counters", COUNTERS_MAX, &script->counter_count);
  for (size_t i = 0; i < lower_count; i++) {
    ee_str name = ee_str_from(declared->lower_is_better[i]);
    if (is_among(declared->metrics, script->metric_count, name)) continue;
    const char *meant = declared->metrics != NULL ? ee_suggestion(builder->arena, name, declared->metrics) : "";
    ee_compile_error(builder, node, "option 'lower_is_better' of ee.judge: '%s' is not in 'metrics'%s",
                     declared->lower_is_better[i], meant);
  }
  if (declared->metrics != NULL || declared->counters != NULL) judge->declared = declared;
}

static void script_compile(ee_plan_builder *builder, const ee_rule_node *node, ee_judge *judge) {
  script_judge *script = EE_NEW(builder->arena, script_judge);
  script->function = EE_NO_FUNCTION;
  judge->data = script;
  judge->calls_script = judge->takes_text = true;
  judge->asks_model = ee_option_bool(node, "asks", false);
  judge->ignores_expected = !ee_option_bool(node, "needs_expected", true);
  script->splits = ee_option_bool(node, "split_counts", false);
  judge->brings_counts = !script->splits;
  compile_names(builder, node, judge, script);
  bool named = false;
  for (size_t i = 0; i < node->item_count; i++) {
    const ee_rule_value *item = &node->items[i];
    if (item->type == EE_RULE_TEXT && i == 0) {
      if (ee_rule_node_get(node, "name").type != EE_RULE_NONE)
        ee_compile_error(builder, node, "ee.judge has two names");
      if (item->text.length == 0) ee_compile_error(builder, node, "the name of ee.judge is empty");
      judge->name = item->text;
      named = true;
    } else if (item->type == EE_RULE_FUNCTION && script->function == EE_NO_FUNCTION) {
      script->function = item->function;
    } else {
      ee_compile_error(builder, node, "ee.judge takes a name and one function, got also %s",
                       ee_rule_value_describe(item, builder->arena));
    }
  }
  if (script->function != EE_NO_FUNCTION) return;
  ee_compile_error(
      builder, node, "ee.judge%s%.*s%s has no function (write ee.judge { \"name\", function(case) ... end })",
      named ? " '" : "", named ? (int)judge->name.length : 0, named ? judge->name.data : "", named ? "'" : "");
}

static const double *worst_metrics(const script_judge *script, ee_arena *arena);

static void fail(const ee_judge *judge, ee_context *context, const ee_error *error, ee_judge_result *result) {
  result->case_metrics = worst_metrics(judge->data, context->arena);
  ee_judge_fail(judge, context, error, EE_STR(""), result);
}

/* Of a plain score the judge's name is the hit, or the miss. */
static void add_own_finding(const ee_judge *judge, ee_context *context, const ee_script_judgement *answer,
                            ee_judge_result *result) {
  ee_findings findings;
  ee_findings_start(&findings, context->arena, 0);
  if (answer->score >= 1) {
    ee_findings_hit(&findings, &(ee_finding){.path = judge->name, .row = EE_NO_ROW});
  } else {
    ee_reason reason = {.kind = answer->reasoning.length > 0 ? EE_REASON_TEXT : EE_REASON_NONE,
                        .text = answer->reasoning};
    ee_findings_note(&findings, judge->name, reason);
  }
  ee_findings_finish(&findings, result);
}

static const ee_finding *findings(ee_arena *arena, const ee_str *texts, size_t count) {
  ee_finding *list = ee_arena_alloc(arena, count * sizeof *list);
  for (size_t i = 0; i < count; i++) list[i] = (ee_finding){.path = texts[i], .row = EE_NO_ROW};
  return list;
}

/* Reads one count of `metrics`, 0 if missing. */
static bool read_count(const ee_value *metrics, ee_str attribute, const char *name, uint64_t *count,
                       const ee_rule_node *node, ee_error *error) {
  const ee_value *value = ee_value_member(metrics, ee_str_from(name), NULL);
  *count = 0;
  if (value == NULL) return true;
  if (ee_protocol_read_count(value, count)) return true;
  ee_error_at(error, EE_ERROR_RULES, node->file, node->line, 0,
              "details.metrics['%.*s'].%s is not a count (an integer of at least 0)", (int)ee_utf8_cut(attribute, 100),
              attribute.data, name);
  return false;
}

/* Refuses unknown keys; precision, recall and f1 are ignored. */
static bool check_count_names(const ee_value *metrics, ee_str attribute, bool splits, const ee_rule_node *node,
                              ee_error *error) {
  static const char *const names[] = {"tp", "tn", "fp", "fn", "precision", "recall", "f1", NULL};
  for (const ee_value *entry = ee_value_child(metrics); entry != NULL; entry = ee_value_next(entry)) {
    ee_str key = ee_value_key(entry);
    size_t i = 0;
    while (names[i] != NULL && !ee_str_is(key, names[i])) i++;
    if (names[i] != NULL) continue;
    bool of_split = ee_str_is(key, "incorrect") || ee_str_is(key, "spurious") || ee_str_is(key, "missing");
    if (of_split && splits) continue;
    ee_error_at(error, EE_ERROR_RULES, node->file, node->line, 0,
                of_split ? "details.metrics['%.*s'] has the count '%.*s', which needs split_counts = true in ee.judge"
                         : "details.metrics['%.*s'] has an unknown count '%.*s' (tp, tn, fp, fn)",
                (int)ee_utf8_cut(attribute, 100), attribute.data, (int)ee_utf8_cut(key, 100), key.data);
    return false;
  }
  return true;
}

/* `*sum`, fp or fn, must be that of its two parts; where it is not given it is computed. */
static bool check_sum(const ee_value *metrics, ee_str attribute, const char *name, uint64_t parts, uint64_t *sum,
                      const ee_rule_node *node, ee_error *error) {
  bool given = ee_value_member(metrics, ee_str_from(name), NULL) != NULL;
  if (given && *sum != parts) {
    ee_error_at(error, EE_ERROR_RULES, node->file, node->line, 0,
                "details.metrics['%.*s'].%s is not the sum of incorrect and %s", (int)ee_utf8_cut(attribute, 100),
                attribute.data, name, *name == 'f' && name[1] == 'p' ? "spurious" : "missing");
    return false;
  }
  *sum = parts;
  return true;
}

static bool read_counts(const ee_value *entry, ee_str name, bool splits, ee_counts *counts, const ee_rule_node *node,
                        ee_error *error) {
  if (!check_count_names(entry, name, splits, node, error)) return false;
  if (!read_count(entry, name, "tp", &counts->tp, node, error) ||
      !read_count(entry, name, "tn", &counts->tn, node, error) ||
      !read_count(entry, name, "fp", &counts->fp, node, error) ||
      !read_count(entry, name, "fn", &counts->fn, node, error))
    return false;
  if (!splits) return true;
  uint64_t spurious, missing;
  return read_count(entry, name, "incorrect", &counts->wrong, node, error) &&
         read_count(entry, name, "spurious", &spurious, node, error) &&
         read_count(entry, name, "missing", &missing, node, error) &&
         check_sum(entry, name, "fp", counts->wrong + spurious, &counts->fp, node, error) &&
         check_sum(entry, name, "fn", counts->wrong + missing, &counts->fn, node, error);
}

/* The counts as a row has them, where the judge may have given fewer: a reader finds every one in them. */
static ee_value *write_counts(const ee_counts *counts, ee_arena *arena) {
  ee_value *object = ee_value_new(arena, EE_OBJECT);
  const struct {
    const char *name;
    uint64_t count;
  } all[] = {{"tp", counts->tp}, {"tn", counts->tn},           {"fp", counts->fp},
             {"fn", counts->fn}, {"incorrect", counts->wrong}, {"spurious", counts->fp - counts->wrong}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    ee_value_set(arena, object, ee_str_from(all[i].name), ee_value_new_number(arena, (double)all[i].count));
  return object;
}

/* The details with the counts in full. */
static const ee_value *with_counts(const ee_value *details, const ee_judge_result *result, ee_arena *arena) {
  ee_value *metrics = ee_value_new(arena, EE_OBJECT);
  for (size_t i = 0; i < result->attribute_count; i++)
    ee_value_set(arena, metrics, result->attributes[i].name, write_counts(&result->attributes[i].counts, arena));
  const ee_value *given = ee_value_member(details, EE_STR("metrics"), arena);
  ee_value *all = ee_value_new(arena, EE_OBJECT);
  for (const ee_value *member = ee_value_child(details); member != NULL; member = ee_value_next(member)) {
    ee_value *copy = member == given ? metrics : EE_NEW(arena, ee_value);
    if (member != given) {
      *copy = *member; /* its children are shared */
      copy->json.next = copy->json.prev = NULL;
    }
    ee_value_set(arena, all, ee_value_key(member), copy);
  }
  return all;
}

/* Reads details.metrics, if present, as attributes. */
static bool read_metrics(const ee_value *details, ee_context *context, bool splits, const ee_rule_node *node,
                         ee_judge_result *result, ee_error *error) {
  const ee_value *metrics = ee_value_member(details, EE_STR("metrics"), context->arena);
  if (metrics == NULL) return true;
  if (ee_type_of(metrics) != EE_OBJECT) {
    /* Lua has the same table for an empty array and an empty object. */
    if (ee_type_of(metrics) == EE_ARRAY && ee_value_count(metrics) == 0) return true;
    ee_error_at(error, EE_ERROR_RULES, node->file, node->line, 0, "details.metrics must be an object, got %s",
                ee_type_name(metrics));
    return false;
  }
  ee_attribute_result *attributes = ee_arena_alloc(context->arena, ee_value_count(metrics) * sizeof *attributes);
  size_t count = 0;
  for (const ee_value *entry = ee_value_child(metrics); entry != NULL; entry = ee_value_next(entry)) {
    ee_str name = ee_value_key(entry);
    if (ee_type_of(entry) != EE_OBJECT) {
      ee_error_at(error, EE_ERROR_RULES, node->file, node->line, 0, "details.metrics['%.*s'] must be an object, got %s",
                  (int)ee_utf8_cut(name, 100), name.data, ee_type_name(entry));
      return false;
    }
    ee_attribute_result *attribute = &attributes[count++];
    *attribute = (ee_attribute_result){.name = name, .slot = -1};
    if (!read_counts(entry, name, splits, &attribute->counts, node, error)) return false;
  }
  result->attributes = attributes;
  result->attribute_count = count;
  return true;
}

/* Metrics and counters -------------------------------------------------------------------------- */

/* The number of a name of `names`; `count` with an error when the rule does not declare it. */
static size_t find_declared(const char *const *names, size_t count, const char *option, ee_str name,
                            const ee_rule_node *node, ee_arena *arena, ee_error *error) {
  for (size_t i = 0; i < count; i++)
    if (ee_str_is(name, names[i])) return i;
  ee_error_at(error, EE_ERROR_RULES, node->file, node->line, 0, "%s['%.*s'] is not in option '%s' of ee.judge%s",
              option, (int)ee_utf8_cut(name, 100), name.data, option,
              count > 0 ? ee_suggestion(arena, name, names) : "");
  return count;
}

/* All metrics, -1 for those that the case does not have; NULL with an error. */
static const double *read_case_metrics(const script_judge *script, const ee_value *metrics, const ee_rule_node *node,
                                       ee_arena *arena, ee_error *error) {
  double *values = EE_NEW_ARRAY(arena, double, script->metric_count + 1);
  for (size_t i = 0; i < script->metric_count; i++) values[i] = -1;
  for (const ee_value *at = metrics != NULL ? ee_value_child(metrics) : NULL; at != NULL; at = ee_value_next(at)) {
    ee_str name = ee_value_key(at);
    size_t number = find_declared(script->declared.metrics, script->metric_count, "metrics", name, node, arena, error);
    if (number == script->metric_count) return NULL;
    ee_type type = ee_type_of(at);
    if (type == EE_NULL) continue;
    values[number] = type == EE_TRUE ? 1 : type == EE_FALSE ? 0 : ee_value_number(at);
    if (type == EE_TRUE || type == EE_FALSE || (type == EE_NUMBER && ee_score_round(&values[number]))) continue;
    if (type == EE_NUMBER)
      ee_error_at(error, EE_ERROR_RULES, node->file, node->line, 0, "metrics['%.*s'] is outside 0..1: %.17g",
                  EE_STR_ARG(name), values[number]);
    else
      ee_error_at(error, EE_ERROR_RULES, node->file, node->line, 0, "metrics['%.*s'] must be a number, got %s",
                  EE_STR_ARG(name), ee_type_name(at));
    return NULL;
  }
  return values;
}

/* All counters; NULL with an error. */
static const uint64_t *read_counters(const script_judge *script, const ee_value *counters, const ee_rule_node *node,
                                     ee_arena *arena, ee_error *error) {
  uint64_t *values = EE_NEW_ARRAY(arena, uint64_t, script->counter_count + 1);
  for (const ee_value *at = counters != NULL ? ee_value_child(counters) : NULL; at != NULL; at = ee_value_next(at)) {
    ee_str name = ee_value_key(at);
    size_t number =
        find_declared(script->declared.counters, script->counter_count, "counters", name, node, arena, error);
    if (number == script->counter_count) return NULL;
    if (ee_protocol_read_count(at, &values[number])) continue;
    ee_error_at(error, EE_ERROR_RULES, node->file, node->line, 0,
                "counters['%.*s'] is not a count (an integer of at least 0)", EE_STR_ARG(name));
    return NULL;
  }
  return values;
}

/* A judge in error is not better than one that is always wrong. */
static const double *worst_metrics(const script_judge *script, ee_arena *arena) {
  if (script->metric_count == 0) return NULL;
  double *values = EE_NEW_ARRAY(arena, double, script->metric_count);
  for (size_t i = 0; i < script->metric_count; i++) {
    const char *const *lower = script->declared.lower_is_better;
    for (; lower != NULL && *lower != NULL; lower++)
      if (strcmp(*lower, script->declared.metrics[i]) == 0) values[i] = 1;
  }
  return values;
}

/* Sums of counters ------------------------------------------------------------------------------ */

/* Whole numbers up to 10^12 a case; a sum ends at 2^53, the largest that JSON's readers keep. */
#define SUM_MAX ((uint64_t)1 << 53)

typedef struct counter_sums {
  size_t count;
  uint64_t sums[];
} counter_sums;

static void *counters_open(const ee_judge *judge) {
  const script_judge *script = judge->data;
  if (script->counter_count == 0) return NULL;
  counter_sums *self = ee_calloc(1, sizeof *self + script->counter_count * sizeof *self->sums);
  self->count = script->counter_count;
  return self;
}

static void counters_close(void *corpus_part) { ee_free(corpus_part); }

static void counters_clear(void *corpus_part) {
  counter_sums *self = corpus_part;
  memset(self->sums, 0, self->count * sizeof *self->sums);
}

static void add_sums(counter_sums *self, const uint64_t *added) {
  for (size_t i = 0; i < self->count; i++)
    self->sums[i] = added[i] > SUM_MAX - self->sums[i] ? SUM_MAX : self->sums[i] + added[i];
}

static void counters_add(void *corpus_part, const ee_case *source, const ee_judge_result *result) {
  (void)source;
  if (result->corpus_part != NULL) add_sums(corpus_part, result->corpus_part);
}

static void counters_merge(void *corpus_part, const void *other) {
  add_sums(corpus_part, ((const counter_sums *)other)->sums);
}

static void counters_state(void *corpus_part, ee_state_line *line) {
  counter_sums *self = corpus_part;
  for (size_t i = 0; i < self->count; i++) {
    ee_state_count(line, &self->sums[i]);
    if (self->sums[i] > SUM_MAX) ee_state_fail(line);
  }
}

static void counters_finish(const ee_judge *judge, void *corpus_part, ee_arena *arena, ee_corpus_summary *summary) {
  const script_judge *script = judge->data;
  const counter_sums *self = corpus_part;
  ee_corpus_metric *metrics = EE_NEW_ARRAY(arena, ee_corpus_metric, self->count);
  for (size_t i = 0; i < self->count; i++)
    metrics[i] = (ee_corpus_metric){
        .name = script->declared.counters[i], .defined = true, .is_count = true, .value = (double)self->sums[i]};
  *summary = (ee_corpus_summary){.metrics = metrics, .metric_count = self->count};
}

static const ee_corpus_type counters_corpus = {.open = counters_open,
                                               .close = counters_close,
                                               .clear = counters_clear,
                                               .add = counters_add,
                                               .merge = counters_merge,
                                               .state = counters_state,
                                               .finish = counters_finish};

/* Judging --------------------------------------------------------------------------------------- */

/* What a function asks in one case. */
typedef struct asking {
  const ee_judge *judge;
  ee_context *context;
  bool pending;     /* an answer is not there yet */
  ee_str no_answer; /* why the first one will never be; data NULL: there is none */
} asking;

/* An answer that does not come, or cannot be used. */
static void refuse_answer(void *user, ee_str why) {
  asking *self = user;
  ee_arena *arena = self->context->arena;
  if (self->no_answer.data == NULL) self->no_answer = (ee_str){ee_arena_copy(arena, why.data, why.length), why.length};
  ee_context_no_answer(self->context, self->judge->name, why);
}

static void ask_model(void *user, const ee_chat *chat, ee_answer *answer) {
  asking *self = user;
  ee_context *context = self->context;
  *answer = (ee_answer){.state = EE_ANSWER_FAILED, .text = EE_STR("no provider with a model")};
  if (context->session != NULL && context->session->vtable->complete != NULL)
    context->session->vtable->complete(context->session, chat, context->arena, answer);
  if (answer->state == EE_ANSWER_PENDING && context->is_final_round)
    *answer = (ee_answer){.state = EE_ANSWER_FAILED,
                          .text = EE_STR("not requested in time (does a function of the rule file keep state?)")};
  answer->text = (ee_str){ee_arena_copy(context->arena, answer->text.data, answer->text.length), answer->text.length};
  self->pending |= answer->state == EE_ANSWER_PENDING;
  if (answer->state == EE_ANSWER_FAILED) refuse_answer(self, answer->text);
}

/* No verdict, because of the model: the case has no score by this judge. */
static void leave_unscored(const ee_judge *judge, ee_context *context, ee_str why, ee_judge_result *result) {
  ee_findings findings;
  ee_findings_start(&findings, context->arena, 0);
  const char *text = ee_arena_printf(context->arena, "no answer: %.*s", EE_STR_ARG(why));
  ee_findings_note(&findings, judge->name, (ee_reason){.kind = EE_REASON_TEXT, .text = ee_str_from(text)});
  ee_findings_finish(&findings, result);
  result->unscored = true;
  result->reasoning = EE_STR("no answer of the model");
}

static void script_judge_case(const ee_judge *judge, ee_context *context, ee_judge_result *result) {
  const script_judge *script = judge->data;
  ee_script_judgement answer = {0};
  ee_error error = {0};
  asking self = {.judge = judge, .context = context};
  const ee_script_model model = {&self, ask_model, refuse_answer};
  ee_status status = context->plan->vtable->judge(context->script, script->function, judge->asks_model ? &model : NULL,
                                                  &answer, &error);
  if (self.pending) {
    context->pending_answers++;
    leave_unscored(judge, context, EE_STR("not there yet"), result);
    return;
  }
  if (status != EE_OK && self.no_answer.data != NULL) {
    leave_unscored(judge, context, self.no_answer, result);
    return;
  }
  if (status != EE_OK) {
    fail(judge, context, &error, result);
    return;
  }
  if (!ee_score_round(&answer.score)) {
    ee_error_at(&error, EE_ERROR_RULES, judge->node->file, judge->node->line, 0, "a score outside 0..1: %.17g",
                answer.score);
    fail(judge, context, &error, result);
    return;
  }
  if (answer.details != NULL && ee_type_of(answer.details) != EE_OBJECT) {
    ee_error_at(&error, EE_ERROR_RULES, judge->node->file, judge->node->line, 0, "details must be an object, got %s",
                ee_type_name(answer.details));
    fail(judge, context, &error, result);
    return;
  }
  const double *metrics = read_case_metrics(script, answer.metrics, judge->node, context->arena, &error);
  const uint64_t *counters =
      metrics != NULL ? read_counters(script, answer.counters, judge->node, context->arena, &error) : NULL;
  if (counters == NULL ||
      (answer.details != NULL && !read_metrics(answer.details, context, script->splits, judge->node, result, &error))) {
    fail(judge, context, &error, result);
    return;
  }
  if (script->metric_count > 0) result->case_metrics = metrics;
  if (script->counter_count > 0) result->corpus_part = counters;
  result->score = answer.score;
  result->reasoning = answer.reasoning;
  if (answer.plain) {
    add_own_finding(judge, context, &answer, result);
    return;
  }
  result->hits = findings(context->arena, answer.hits, answer.hit_count);
  result->hit_count = answer.hit_count;
  result->misses = findings(context->arena, answer.misses, answer.miss_count);
  result->miss_count = answer.miss_count;
  bool in_full = script->splits && result->attribute_count > 0;
  result->details = in_full ? with_counts(answer.details, result, context->arena) : answer.details;
}

static void script_print(const ee_judge *judge, ee_buffer *out) {
  ee_add_shown(out, "  function of ", ee_str_from(judge->node->file != NULL ? judge->node->file : "-"), "");
  ee_buffer_addf(out, ":%zu  (calls Lua)\n", judge->node->line);
  const script_judge *script = judge->data;
  for (size_t i = 0; i < script->metric_count; i++)
    ee_buffer_addf(out, i == 0 ? "  metrics %s" : ", %s", script->declared.metrics[i]);
  if (script->metric_count > 0) ee_buffer_add_char(out, '\n');
  for (size_t i = 0; i < script->counter_count; i++)
    ee_buffer_addf(out, i == 0 ? "  counters %s" : ", %s", script->declared.counters[i]);
  if (script->counter_count > 0) ee_buffer_add_char(out, '\n');
}

const ee_judge_type ee_script_judge = {
    .name = "judge",
    .help = "A Lua function of the case.",
    .positional = "[integer] string|ee.judge_function",
    .options = script_judge_options,
    .compile = script_compile,
    .judge_case = script_judge_case,
    .write_details = ee_details_write_value,
    .corpus = &counters_corpus,
    .print = script_print,
};
