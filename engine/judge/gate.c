/* gate.c: gates of rule files and of --fail-under: read, checked, resolved. */
#include "judge/gate.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>

#include "judge/plan.h"
#include "prim/number.h"
#include "prim/pass_at_k.h"
#include "prim/ratio_interval.h"

#define SHOWN 200 /* bytes of a name in a message */

const char *const ee_gate_metric_names[] = {
    [EE_GATE_MEAN_SCORE] = "mean_score",
    [EE_GATE_PASS_RATE] = "pass_rate",
    [EE_GATE_STRAIGHT_THROUGH] = "straight_through",
    [EE_GATE_CORRECTIONS] = "corrections",
    [EE_GATE_PASS_AT_K] = "pass@k",
    [EE_GATE_PASS_ALL_K] = "pass^k",
    [EE_GATE_CASE_PASS_RATE] = "case_pass_rate",
    [EE_GATE_MICRO_PRECISION] = "micro_precision",
    [EE_GATE_MICRO_RECALL] = "micro_recall",
    [EE_GATE_MICRO_F1] = "micro_f1",
    [EE_GATE_MACRO_PRECISION] = "macro_precision",
    [EE_GATE_MACRO_RECALL] = "macro_recall",
    [EE_GATE_MACRO_F1] = "macro_f1",
    [EE_GATE_WEIGHTED_PRECISION] = "weighted_precision",
    [EE_GATE_WEIGHTED_RECALL] = "weighted_recall",
    [EE_GATE_WEIGHTED_F1] = "weighted_f1",
    [EE_GATE_PRECISION] = "precision",
    [EE_GATE_RECALL] = "recall",
    [EE_GATE_F1] = "f1",
    [EE_GATE_SPECIFICITY] = "specificity",
    NULL,
};

/* A metric of one type of judge, which is not in the list above. */
static bool is_own(ee_gate_metric metric) { return metric == EE_GATE_CASE_METRIC || metric == EE_GATE_CORPUS_METRIC; }

ee_str ee_gate_metric_name(const ee_gate *gate) {
  if (is_own(gate->metric)) return gate->own_metric;
  // NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): all others are in the list
  const char *name = ee_gate_metric_names[gate->metric];
  assert(name != NULL);
  return ee_str_from(name);
}

void ee_gate_print_metric(const ee_gate *gate, ee_buffer *out) {
  ee_str name = ee_gate_metric_name(gate);
  if (gate->k > 0)
    ee_buffer_addf(out, "%.*s%" PRIu64, (int)name.length - 1, name.data, gate->k);
  else
    ee_buffer_add_str(out, name);
}

/* Metrics of documents, whatever judge finds what is wrong. */
static bool is_of_documents(ee_gate_metric metric) {
  return metric == EE_GATE_STRAIGHT_THROUGH || metric == EE_GATE_CORRECTIONS || metric == EE_GATE_CASE_PASS_RATE;
}

/* Whether the metric has a k. */
static bool has_k(ee_gate_metric metric) { return metric == EE_GATE_PASS_AT_K || metric == EE_GATE_PASS_ALL_K; }

/* Metrics that need no judge. */
static bool is_of_cases(ee_gate_metric metric) {
  return metric == EE_GATE_MEAN_SCORE || metric == EE_GATE_PASS_RATE || has_k(metric) || is_of_documents(metric);
}

/* Metrics of types of judges ------------------------------------------------------------------------- */

#define NOT_MEASURED EE_GATE_NO_SLOT

static size_t find_word(const char *const *words, ee_str name) {
  for (size_t i = 0; words != NULL && words[i] != NULL; i++)
    if (ee_str_is(name, words[i])) return i;
  return NOT_MEASURED;
}

/* Names of the per-case or corpus metrics of a type, NULL-terminated; NULL: none. */
static const char *const *own_names(const ee_judge_type *type, ee_gate_metric metric) {
  if (metric == EE_GATE_CASE_METRIC) return type->case_metrics;
  return type->corpus != NULL ? type->corpus->gate_metrics : NULL;
}

/* Those of a judge: of its type, or the per-case metrics that the rule file declares. */
static const char *const *names_of(const ee_judge *judge, ee_gate_metric metric) {
  return metric == EE_GATE_CASE_METRIC ? ee_judge_case_metrics(judge) : own_names(judge->type, metric);
}

/* Whether the judge has the metric. */
static bool has_own(const ee_judge *judge, ee_gate_metric metric, ee_str name) {
  return find_word(names_of(judge, metric), name) != NOT_MEASURED;
}

/* A type of judge that has the metric, preferably one in the plan; NULL: no type has it. */
static const ee_judge_type *type_that_has(const ee_plan *plan, ee_gate_metric metric, ee_str name) {
  for (size_t i = 0; i < plan->judge_count; i++)
    if (has_own(plan->judges[i], metric, name)) return plan->judges[i]->type;
  for (size_t i = 0; ee_judge_types[i] != NULL; i++)
    if (find_word(own_names(ee_judge_types[i], metric), name) != NOT_MEASURED) return ee_judge_types[i];
  return NULL;
}

/* "pass@3", "pass^3" */
static bool find_pass(ee_str name, ee_gate *gate) {
  size_t digits = 0;
  while (digits < name.length && name.data[name.length - 1 - digits] >= '0' &&
         name.data[name.length - 1 - digits] <= '9')
    digits++;
  ee_str word = {name.data, name.length - digits};
  bool at = ee_str_is(word, "pass@");
  if (digits == 0 || digits > 4 || (!at && !ee_str_is(word, "pass^"))) return false;
  gate->metric = at ? EE_GATE_PASS_AT_K : EE_GATE_PASS_ALL_K;
  gate->k = 0;
  for (size_t i = word.length; i < name.length; i++) gate->k = gate->k * 10 + (uint64_t)(name.data[i] - '0');
  return true;
}

/* A metric that a judge's rule declares is meant before one of that name that fields have: of the gate's judge, or, of
 * a gate without one, of any. */
static bool find_declared(const ee_plan *plan, ee_str name, ee_gate *gate) {
  for (size_t i = 0; i < plan->judge_count && gate->field.length == 0; i++) {
    const ee_judge *judge = plan->judges[i];
    if (judge->declared == NULL || find_word(judge->declared->metrics, name) == NOT_MEASURED) continue;
    if (gate->judge.length > 0 && !ee_str_equal(gate->judge, judge->name)) continue;
    gate->metric = EE_GATE_CASE_METRIC;
    gate->own_metric = name;
    return true;
  }
  return false;
}

/* Sets `metric` and `own_metric` of `gate` to the metric `name` (borrowed): of all judges, of the types of the plan's
 * judges, or of any type. False if there is none. */
static bool find_metric(const ee_plan *plan, ee_str name, ee_gate *gate) {
  if (find_declared(plan, name, gate) || find_pass(name, gate)) return true;
  for (size_t i = 0; ee_gate_metric_names[i] != NULL; i++) {
    if (!ee_str_is(name, ee_gate_metric_names[i])) continue;
    gate->metric = (ee_gate_metric)i;
    return true;
  }
  /* Types may have metrics of one name: that of the judge comes first, then those of the plan's judges. */
  enum { OF_JUDGE, OF_PLAN, OF_ANY, CHOICES };
  for (int choice = OF_JUDGE; choice < CHOICES; choice++) {
    for (ee_gate_metric metric = EE_GATE_CASE_METRIC; metric <= EE_GATE_CORPUS_METRIC; metric++) {
      bool found = choice == OF_ANY && type_that_has(plan, metric, name) != NULL;
      for (size_t i = 0; i < plan->judge_count && choice != OF_ANY && !found; i++)
        found = (choice == OF_PLAN || ee_str_equal(plan->judges[i]->name, gate->judge)) &&
                has_own(plan->judges[i], metric, name);
      if (!found) continue;
      gate->metric = metric;
      gate->own_metric = name;
      return true;
    }
  }
  return false;
}

/* Names and suggestions ------------------------------------------------------------------------ */

static int shown(ee_str text) { return (int)ee_utf8_cut(text, SHOWN); }

static const ee_judge *find_judge(const ee_plan *plan, ee_str name) {
  for (size_t i = 0; i < plan->judge_count; i++)
    if (ee_str_equal(plan->judges[i]->name, name)) return plan->judges[i];
  return NULL;
}

static size_t find_attribute(const ee_judge *judge, ee_str name) {
  for (size_t i = 0; i < judge->attribute_count; i++)
    if (ee_str_equal(judge->attributes[i].name, name)) return i;
  return EE_GATE_NO_SLOT;
}

/* Sets `error` to "unknown KIND 'name'", with the word of `words` (NULL-terminated) that was probably meant, or with
 * all of them. */
static void set_unknown(ee_error *error, const char *kind, ee_str name, const char *in, const char *const *words) {
  ee_arena scratch;
  ee_arena_init(&scratch, 0);
  ee_buffer text;
  ee_buffer_init(&text);
  ee_buffer_addf(&text, "unknown %s '%.*s'%s", kind, shown(name), name.data, in);
  const char *meant = ee_did_you_mean(ee_arena_copy(&scratch, name.data, name.length), words);
  if (meant != NULL) {
    ee_buffer_addf(&text, " (did you mean '%s'?)", meant);
  } else if (words[0] != NULL) {
    ee_buffer_add_text(&text, " (known: ");
    for (size_t i = 0; words[i] != NULL; i++) ee_buffer_addf(&text, i > 0 ? ", '%s'" : "'%s'", words[i]);
    ee_buffer_add_char(&text, ')');
  }
  ee_error_set(error, EE_ERROR_RULES, "%s", ee_buffer_terminate(&text));
  ee_buffer_fini(&text);
  ee_arena_fini(&scratch);
}

static bool has_word(const char *const *words, size_t count, const char *word) {
  for (size_t i = 0; i < count; i++)
    if (strcmp(words[i], word) == 0) return true;
  return false;
}

static void set_unknown_judge(ee_error *error, const ee_plan *plan, ee_str name) {
  ee_arena scratch;
  ee_arena_init(&scratch, 0);
  const char **words = EE_NEW_ARRAY(&scratch, const char *, plan->judge_count + 1);
  for (size_t i = 0; i < plan->judge_count; i++)
    words[i] = ee_arena_copy(&scratch, plan->judges[i]->name.data, plan->judges[i]->name.length);
  set_unknown(error, "judge", name, "", words);
  ee_arena_fini(&scratch);
}

static void set_unknown_field(ee_error *error, const ee_judge *judge, ee_str name) {
  ee_arena scratch;
  ee_arena_init(&scratch, 0);
  const char **words = EE_NEW_ARRAY(&scratch, const char *, judge->attribute_count + 1);
  for (size_t i = 0; i < judge->attribute_count; i++)
    words[i] = ee_arena_copy(&scratch, judge->attributes[i].name.data, judge->attributes[i].name.length);
  set_unknown(error, "field", name, ee_arena_printf(&scratch, " of judge '%.*s'", shown(judge->name), judge->name.data),
              words);
  ee_arena_fini(&scratch);
}

/* Reports an unknown metric, with those that a gate on this plan can have. */
static void set_unknown_metric(ee_error *error, const ee_plan *plan, ee_str name) {
  size_t limit = 1;
  for (size_t i = 0; ee_gate_metric_names[i] != NULL; i++) limit++;
  for (ee_gate_metric metric = EE_GATE_CASE_METRIC; metric <= EE_GATE_CORPUS_METRIC; metric++)
    for (size_t i = 0; i < plan->judge_count; i++)
      for (const char *const *at = names_of(plan->judges[i], metric); at != NULL && *at != NULL; at++) limit++;
  ee_arena scratch;
  ee_arena_init(&scratch, 0);
  const char **words = EE_NEW_ARRAY(&scratch, const char *, limit);
  size_t count = 0;
  for (; ee_gate_metric_names[count] != NULL; count++) words[count] = ee_gate_metric_names[count];
  for (ee_gate_metric metric = EE_GATE_CASE_METRIC; metric <= EE_GATE_CORPUS_METRIC; metric++)
    for (size_t i = 0; i < plan->judge_count; i++)
      for (const char *const *at = names_of(plan->judges[i], metric); at != NULL && *at != NULL; at++)
        if (!has_word(words, count, *at)) words[count++] = *at;
  set_unknown(error, "metric", name, "", words);
  ee_arena_fini(&scratch);
}

/* Checks --------------------------------------------------------------------------------------- */

static bool check_limit(double limit, ee_error *error) {
  if (limit >= 0 && limit <= 1) return true;
  char text[32], share[32];
  ee_double_format_short(limit, 6, text);
  ee_double_format_short(limit / 100, 6, share);
  if (limit > 1 && limit <= 100)
    ee_error_set(error, EE_ERROR_RULES, "limit must be within 0..1, got %s (did you mean %s?)", text, share);
  else
    ee_error_set(error, EE_ERROR_RULES, "limit must be within 0..1%s%s", isfinite(limit) ? ", got " : "",
                 isfinite(limit) ? text : "");
  return false;
}

static const ee_judge *only_judge_that_has(const ee_plan *plan, const ee_gate *gate) {
  const ee_judge *only = NULL;
  for (size_t i = 0; i < plan->judge_count; i++) {
    if (!has_own(plan->judges[i], gate->metric, gate->own_metric)) continue;
    if (only != NULL) return NULL;
    only = plan->judges[i];
  }
  return only;
}

/* The judge that the gate is about; NULL: the case's score, or no or several judges that it can be about. */
static const ee_judge *judge_of(const ee_plan *plan, const ee_gate *gate) {
  if (gate->judge.length > 0) return find_judge(plan, gate->judge);
  if (is_own(gate->metric)) return only_judge_that_has(plan, gate);
  bool needed = gate->field.length > 0 || !is_of_cases(gate->metric);
  return needed && plan->judge_count == 1 ? plan->judges[0] : NULL;
}

/* Whether the judge's options allow it to have the corpus metric. */
static bool check_possible(const ee_gate *gate, const ee_judge *judge, ee_error *error) {
  const ee_corpus_type *corpus = judge->type->corpus;
  if (gate->metric != EE_GATE_CORPUS_METRIC || corpus->lacks == NULL) return true;
  ee_arena scratch;
  ee_arena_init(&scratch, 0);
  const char *why = corpus->lacks(judge, gate->own_metric, &scratch);
  if (why != NULL)
    ee_error_set(error, EE_ERROR_RULES, "judge '%.*s' never has metric '%.*s': its %s", shown(judge->name),
                 judge->name.data, shown(gate->own_metric), gate->own_metric.data, why);
  ee_arena_fini(&scratch);
  return why == NULL;
}

/* Whether `judge` (NULL: no single one) has the metric. */
static bool check_own(const ee_plan *plan, const ee_gate *gate, const ee_judge *judge, ee_error *error) {
  ee_str name = gate->own_metric;
  const ee_judge_type *type = type_that_has(plan, gate->metric, name);
  bool here = false;
  for (size_t i = 0; i < plan->judge_count; i++) here |= has_own(plan->judges[i], gate->metric, name);
  if (type == NULL) {
    set_unknown_metric(error, plan, name);
  } else if (judge != NULL) {
    if (has_own(judge, gate->metric, name)) return check_possible(gate, judge, error);
    ee_error_set(error, EE_ERROR_RULES, "judge '%.*s' has no metric '%.*s'", shown(judge->name), judge->name.data,
                 shown(name), name.data);
  } else if (here) {
    ee_error_set(error, EE_ERROR_RULES, "metric '%.*s' needs a judge: there are several", shown(name), name.data);
  } else {
    ee_error_set(error, EE_ERROR_RULES, "no judge here provides '%.*s' (ee.%s does)", shown(name), name.data,
                 type->name);
  }
  return false;
}

static bool check_k(const ee_gate *gate, ee_error *error) {
  bool takes = has_k(gate->metric);
  if (takes ? ee_pass_size_find(gate->k) < EE_PASS_SIZES : gate->k == 0) return true;
  if (takes)
    ee_error_set(error, EE_ERROR_RULES, "'k' of %s must be 1 to 5, 8, 10, 16, 20, 32, 50, 64 or 100",
                 ee_gate_metric_names[gate->metric]);
  else
    ee_error_set(error, EE_ERROR_RULES, "'k' is of the metrics pass@k and pass^k");
  return false;
}

static bool check_subject(const ee_plan *plan, const ee_gate *gate, ee_error *error) {
  const char *metric = is_own(gate->metric) ? NULL : ee_gate_metric_names[gate->metric];
  const ee_judge *judge = gate->subject;
  if (gate->judge.length > 0 && judge == NULL) {
    set_unknown_judge(error, plan, gate->judge);
    return false;
  }
  if (gate->judge.length > 0 && is_of_documents(gate->metric)) {
    ee_error_set(error, EE_ERROR_RULES, "metric '%s' is of whole documents: leave out the judge", metric);
    return false;
  }
  if (gate->field.length == 0 && is_own(gate->metric)) return check_own(plan, gate, judge, error);
  if (gate->field.length == 0) {
    if (gate->metric == EE_GATE_SPECIFICITY) {
      ee_error_set(error, EE_ERROR_RULES, "metric '%s' needs a field", metric);
    } else if (ee_gate_metric_is_of_field(gate->metric)) {
      ee_error_set(error, EE_ERROR_RULES,
                   "metric '%s' needs a field; of a whole judge it is 'micro_%s', 'macro_%s' or 'weighted_%s'", metric,
                   metric, metric, metric);
    } else if (judge == NULL && !is_of_cases(gate->metric)) {
      ee_error_set(error, EE_ERROR_RULES, "metric '%s' needs a judge: there are several", metric);
    } else {
      return true;
    }
    return false;
  }
  if (judge == NULL) {
    ee_error_set(error, EE_ERROR_RULES, "field '%.*s' needs a judge: there are several", shown(gate->field),
                 gate->field.data);
    return false;
  }
  if (gate->metric == EE_GATE_CORPUS_METRIC && judge->type->corpus != NULL &&
      find_word(judge->type->corpus->row_metrics, gate->own_metric) != NOT_MEASURED)
    return true;
  if (!ee_gate_metric_is_of_field(gate->metric)) {
    ee_str name = ee_gate_metric_name(gate);
    ee_error_set(error, EE_ERROR_RULES,
                 "fields have no metric '%.*s', only 'precision', 'recall', 'f1' and 'specificity'", shown(name),
                 name.data);
    return false;
  }
  /* A judge without static attributes gets them from the data. */
  if (judge->attribute_count == 0 || judge->data_attributes || gate->slot != EE_GATE_NO_SLOT) return true;
  set_unknown_field(error, judge, gate->field);
  return false;
}

bool ee_gate_resolve(const ee_plan *plan, ee_gate *gate, ee_error *error) {
  gate->subject = judge_of(plan, gate);
  gate->slot = EE_GATE_NO_SLOT;
  if (gate->subject != NULL && gate->field.length > 0) gate->slot = find_attribute(gate->subject, gate->field);
  if (gate->subject != NULL && gate->metric == EE_GATE_CASE_METRIC)
    gate->slot = find_word(ee_judge_case_metrics(gate->subject), gate->own_metric);
  return check_k(gate, error) && check_subject(plan, gate, error);
}

/* True when the metric of a resolved gate is better when lower, so that it needs a 'max'. */
static bool is_better_lower(const ee_gate *gate) {
  if (gate->metric != EE_GATE_CASE_METRIC) return gate->metric == EE_GATE_CORRECTIONS;
  return find_word(ee_judge_lower_is_better(gate->subject), gate->own_metric) != NOT_MEASURED;
}

/* Slices and confidence ------------------------------------------------------------------------ */

/* `slice`: the gate has one; averages over fields have intervals for all cases only (run/total_interval.h). */
static bool check_confidence(const ee_gate *gate, bool slice, ee_error *error) {
  bool average = gate->metric >= EE_GATE_MACRO_PRECISION && gate->metric <= EE_GATE_WEIGHTED_F1;
  const char *why = gate->metric == EE_GATE_CORPUS_METRIC ? "a metric of the whole data set"
                    : gate->metric == EE_GATE_CORRECTIONS ? "not a share (straight_through has an interval)"
                    : average && slice ? "an average over fields within a slice (micro_ metrics have one there)"
                                       : NULL;
  if (gate->confidence == 0 || why == NULL) return true;
  ee_str name = ee_gate_metric_name(gate);
  ee_error_set(error, EE_ERROR_RULES, "'%.*s' has no interval, so 'confidence' does not apply: it is %s", shown(name),
               name.data, why);
  return false;
}

/* Bytes of "PATH=VALUE" before the equals sign that is not in brackets; all of them if there is none. */
static size_t path_length(ee_str text) {
  int depth = 0;
  size_t length = 0;
  for (; length < text.length && (depth > 0 || text.data[length] != '='); length++)
    depth += (text.data[length] == '[') - (text.data[length] == ']');
  return length;
}

/* Sets the slice of `gate` from its text, and adds its path to those of the plan. */
static bool set_slice(ee_plan *plan, ee_str text, ee_gate *gate, ee_error *error) {
  size_t length = path_length(text);
  ee_str path = {text.data, length};
  gate->slice = text;
  if (length < text.length) gate->slice_value = (ee_str){text.data + length + 1, text.length - length - 1};
  if (gate->metric == EE_GATE_CORPUS_METRIC) {
    ee_error_set(error, EE_ERROR_RULES, "'%.*s' is a metric of the whole data set, not of a slice",
                 EE_STR_ARG(gate->own_metric));
    return false;
  }
  if (ee_gate_metric_is_of_trials(gate->metric)) {
    ee_error_set(error, EE_ERROR_RULES, "'%s' is of the trials of all cases, not of a slice",
                 ee_gate_metric_names[gate->metric]);
    return false;
  }
  return ee_plan_add_slice(plan, path, &gate->slice_number, error);
}

/* Reading --fail-under ------------------------------------------------------------------------- */

static ee_str copy(ee_arena *arena, ee_str text) {
  return (ee_str){ee_arena_copy(arena, text.data, text.length), text.length};
}

/* Splits "JUDGE" or "JUDGE:FIELD". Both may contain colons, so the longest name of a judge comes first. */
static void split_subject(const ee_plan *plan, ee_str subject, ee_gate *gate) {
  size_t best = 0;
  for (size_t i = 0; i < plan->judge_count; i++) {
    ee_str name = plan->judges[i]->name;
    if (name.length > subject.length || memcmp(name.data, subject.data, name.length) != 0) continue;
    if (name.length < subject.length && subject.data[name.length] != ':') continue;
    if (name.length > best) best = name.length;
  }
  if (best == 0) {
    const char *colon = memchr(subject.data, ':', subject.length);
    best = colon != NULL ? (size_t)(colon - subject.data) : subject.length;
  }
  gate->judge = (ee_str){subject.data, best};
  if (best < subject.length) gate->field = (ee_str){subject.data + best + 1, subject.length - best - 1};
}

/* Cuts "[SLICE]" off the end of `*left` and returns SLICE; data NULL if there is none. Fields and paths have brackets
 * too, so it begins at the first one after the name of a metric, else at the last one. */
static ee_str cut_slice(const ee_plan *plan, ee_str *left) {
  if (left->length == 0 || left->data[left->length - 1] != ']') return (ee_str){NULL, 0};
  size_t open = left->length, word = 0;
  for (size_t i = 0; i < left->length; i++) {
    if (left->data[i] == ':') word = i + 1;
    if (left->data[i] != '[') continue;
    ee_gate unused = {0};
    open = i;
    if (find_metric(plan, (ee_str){left->data + word, i - word}, &unused)) break;
  }
  if (open == left->length) return (ee_str){NULL, 0};
  ee_str slice = {left->data + open + 1, left->length - open - 2};
  left->length = open;
  return slice;
}

static bool parse_gate(ee_plan *plan, ee_str text, ee_arena *arena, ee_gate *gate, ee_error *error) {
  const char *equals = memrchr(text.data, '=', text.length);
  if (equals == NULL || equals[1] == ']' || memchr(equals, ']', (size_t)(text.data + text.length - equals)) != NULL) {
    ee_error_set(error, EE_ERROR_USAGE, "no limit: expected [JUDGE:[FIELD:]]METRIC[SLICE]=X");
    return false;
  }
  ee_str left = {text.data, (size_t)(equals - text.data)};
  ee_str limit = {equals + 1, text.length - left.length - 1};
  ee_str slice = cut_slice(plan, &left);
  const char *colon = memrchr(left.data, ':', left.length);
  ee_str metric = left;
  if (colon != NULL) {
    ee_str subject = {left.data, (size_t)(colon - left.data)};
    metric = (ee_str){colon + 1, left.length - subject.length - 1};
    split_subject(plan, subject, gate);
    if (gate->judge.length == 0) {
      ee_error_set(error, EE_ERROR_USAGE, "no judge before ':'");
      return false;
    }
    if (gate->judge.length < subject.length && gate->field.length == 0) {
      ee_error_set(error, EE_ERROR_USAGE, "no field between '%.*s:' and '%.*s'", shown(gate->judge), gate->judge.data,
                   shown(metric), metric.data);
      return false;
    }
    gate->judge = copy(arena, gate->judge);
    gate->field = copy(arena, gate->field);
  }
  if (!find_metric(plan, copy(arena, metric), gate)) {
    set_unknown_metric(error, plan, metric);
    return false;
  }
  gate->has_min = true;
  if (!ee_number_parse(limit, (ee_number_format){.decimal = '.'}, arena, &gate->min, NULL)) {
    ee_error_set(error, EE_ERROR_USAGE, "limit '%.*s' is not a number", shown(limit), limit.data);
    return false;
  }
  if ((gate->metric != EE_GATE_CORRECTIONS && !check_limit(gate->min, error)) || !ee_gate_resolve(plan, gate, error) ||
      !check_confidence(gate, slice.data != NULL, error))
    return false;
  if (slice.data != NULL && !set_slice(plan, copy(arena, slice), gate, error)) return false;
  if (!is_better_lower(gate)) return true;
  ee_error_set(error, EE_ERROR_USAGE, "'%.*s' is better when lower: use ee.gate { metric = \"%.*s\", max = ... }",
               shown(metric), metric.data, shown(metric), metric.data);
  return false;
}

bool ee_gate_parse(ee_plan *plan, const char *text, double confidence, ee_arena *arena, ee_gate *gate,
                   ee_error *error) {
  *gate = (ee_gate){.judge = EE_STR(""), .field = EE_STR(""), .max_unread = plan->max_unread, .confidence = confidence};
  ee_error problem;
  if (ee_utf8_valid_prefix(text, strlen(text)) != strlen(text)) {
    ee_error_set(error, EE_ERROR_USAGE, "gate '%s' is not valid UTF-8", text);
    return false;
  }
  if (parse_gate(plan, ee_str_from(text), arena, gate, &problem)) return true;
  ee_error_set(error, EE_ERROR_USAGE, "gate '%.*s': %s", shown(ee_str_from(text)), text, problem.message);
  return false;
}

/* Compiling ee.gate ---------------------------------------------------------------------------- */

/* Whether "a|b|c" has the name. */
static bool is_listed(const char *names, const char *name) {
  size_t length = strlen(name);
  for (const char *at = names; at != NULL; at = strchr(at, '|')) {
    at += *at == '|';
    if (strncmp(at, name, length) == 0 && (at[length] == '|' || at[length] == '\0')) return true;
  }
  return false;
}

/* The names of all metrics, each once: of all judges, then per-case and corpus metrics of types of judges. */
static const char *list_metrics(ee_arena *arena) {
  const char *names = ee_gate_metric_names[0];
  for (size_t i = 1; ee_gate_metric_names[i] != NULL; i++)
    names = ee_arena_printf(arena, "%s|%s", names, ee_gate_metric_names[i]);
  for (ee_gate_metric metric = EE_GATE_CASE_METRIC; metric <= EE_GATE_CORPUS_METRIC; metric++)
    for (size_t i = 0; ee_judge_types[i] != NULL; i++)
      for (const char *const *at = own_names(ee_judge_types[i], metric); at != NULL && *at != NULL; at++)
        if (!is_listed(names, *at)) names = ee_arena_printf(arena, "%s|%s", names, *at);
  return names;
}

const ee_option ee_gate_options[] = {
    {.name = "judge",
     .type = EE_OPTION_TEXT,
     .default_text = "the case's score",
     .help = "The judge whose metrics are compared with the limits."},
    {.name = "field",
     .type = EE_OPTION_TEXT,
     .default_text = "the whole judge",
     .help = "One field (attribute) of the judge."},
    {.name = "metric",
     .type = EE_OPTION_CHOICE,
     .default_text = "must be given",
     .help =
         "mean_score and pass_rate of the cases or of a judge; straight_through, the share of cases without anything "
         "to "
         "correct, and corrections, edits a case (with max); of cases with several candidates pass@k and pass^k (with "
         "k), and case_pass_rate (option trials of ee.rules); micro, macro and weighted averages of a judge; "
         "precision, "
         "recall, f1 and specificity of a field; means of the per-case metrics of ee.quality and ee.extraction "
         "(hallucination is better when lower, so it needs a max, and it is of readable answers only: add a "
         "gate on completeness), and of those that an ee.judge declares in its option metrics; corpus metrics of "
         "ee.detection, ee.extraction, ee.spans and ee.confusion.",
     .open_choice = true,
     .list_choices = list_metrics},
    {.name = "k",
     .type = EE_OPTION_NUMBER,
     .default_text = "none",
     .help = "The number of trials of pass@k and pass^k.",
     .min = 1,
     .max = 100},
    {.name = "min",
     .type = EE_OPTION_NUMBER,
     .default_text = "none",
     .help = "The lowest value that passes.",
     .min = 0,
     .max = 1},
    {.name = "max",
     .type = EE_OPTION_NUMBER,
     .default_text = "none",
     .help = "The highest value that passes; above 1 only for corrections.",
     .min = 0,
     .max = 1e15},
    {.name = "max_unread",
     .type = EE_OPTION_NUMBER,
     .default_text = "as in ee.rules",
     .help = "The largest share of a field's expected values that may be unreadable; above it the gate fails.",
     .min = 0,
     .max = 1},
    {.name = "min_support",
     .type = EE_OPTION_NUMBER,
     .default_text = "0",
     .unit = "units",
     .help = "With fewer units the gate is UNDECIDED. Units are the cases, or where cases have a cluster the clusters, "
             "in which the metric has a denominator: of recall those in which the field has an expected value.",
     .min = 0,
     .max = 1e15},
    {.name = "slice",
     .type = EE_OPTION_TEXT,
     .default_text = "all cases",
     .help = "Only the cases with one value, \"meta.language=de\", or every value of a path separately, "
             "\"meta.language\": then "
             "every value must pass. The path is added to 'slices' of ee.rules."},
    {.name = "min_cases",
     .type = EE_OPTION_NUMBER,
     .default_text = "0",
     .unit = "cases",
     .help = "A value of the slice with fewer scored cases does not count, and the report says so. A gate in which no "
             "value counts is undecided: it fails.",
     .min = 0,
     .max = 1e15},
    {.name = "confidence",
     .type = EE_OPTION_NUMBER,
     .default_text = "none",
     .help =
         "Compares the lower end of the metric's two-sided interval at this confidence, such as 0.95, with 'min', and "
         "the upper end with 'max', instead of the metric.",
     .min = EE_LOWEST_CONFIDENCE,
     .max = EE_HIGHEST_CONFIDENCE},
    {.name = NULL},
};

/* A path that is nearly one of 'slices' is probably meant to be that one. */
static void warn_of_slice(ee_plan_builder *builder, const ee_rule_node *node, size_t listed, const ee_gate *gate) {
  if (gate->slice_number < listed || listed == 0) return;
  const ee_plan *plan = builder->plan;
  const char **words = EE_NEW_ARRAY(builder->arena, const char *, listed + 1);
  for (size_t i = 0; i < listed; i++) {
    if (plan->slices[i] == NULL) return; /* an error already */
    words[i] = ee_arena_copy(builder->arena, plan->slices[i]->text.data, plan->slices[i]->text.length);
  }
  ee_str path = plan->slices[gate->slice_number]->text;
  const char *meant = ee_did_you_mean(ee_arena_copy(builder->arena, path.data, path.length), words);
  if (meant != NULL)
    ee_compile_warn(builder, node, "ee.gate has a slice '%.*s' that is not in 'slices' (did you mean '%s'?)",
                    EE_STR_ARG(path), meant);
}

static void compile_slice(ee_plan_builder *builder, const ee_rule_node *node, ee_gate *gate) {
  ee_rule_value slice = ee_rule_node_get(node, "slice");
  size_t listed = builder->plan->slice_count;
  ee_error error = {0};
  if (slice.type == EE_RULE_TEXT && slice.text.length > 0) {
    if (set_slice(builder->plan, slice.text, gate, &error))
      warn_of_slice(builder, node, listed, gate);
    else
      ee_compile_error(builder, node, "ee.gate: slice: %s", error.message);
  } else if (gate->min_cases > 0) {
    ee_compile_error(builder, node, "'min_cases' of ee.gate needs a 'slice' (without one, 'min_support' counts units)");
  }
}

static void compile_subject(ee_plan_builder *builder, const ee_rule_node *node, ee_gate *gate) {
  ee_error error = {0};
  if (!ee_gate_resolve(builder->plan, gate, &error)) {
    ee_compile_error(builder, node, "ee.gate: %s", error.message);
  } else if (!check_confidence(gate, ee_rule_node_get(node, "slice").type == EE_RULE_TEXT, &error)) {
    ee_compile_error(builder, node, "ee.gate: %s", error.message);
  } else if (gate->has_max && gate->max > 1 && gate->metric != EE_GATE_CORRECTIONS) {
    char got[32];
    int length = (int)ee_double_format(gate->max, got);
    ee_compile_error(builder, node, "option 'max' of ee.gate must be between 0 and 1, got %.*s", length, got);
  } else if (gate->has_min && is_better_lower(gate)) {
    ee_compile_warn(builder, node, "ee.gate has a 'min' for '%.*s', which is better when lower: use 'max'",
                    EE_STR_ARG(ee_gate_metric_name(gate)));
  }
}

static void check_limits(ee_plan_builder *builder, const ee_rule_node *node, const ee_gate *gate) {
  if (ee_rule_node_get(node, "min").type == EE_RULE_NONE && ee_rule_node_get(node, "max").type == EE_RULE_NONE) {
    ee_compile_error(builder, node, "ee.gate has neither 'min' nor 'max'");
  } else if (gate->has_min && gate->has_max && gate->min > gate->max) {
    ee_compile_error(builder, node, "ee.gate has a 'min' above its 'max', so nothing can pass");
  }
}

/* Reports an option that is an empty string. */
static void check_not_empty(ee_plan_builder *builder, const ee_rule_node *node, const char *name) {
  ee_rule_value value = ee_rule_node_get(node, name);
  if (value.type == EE_RULE_TEXT && value.text.length == 0) {
    ee_compile_error(builder, node, "option '%s' of ee.gate is empty", name);
  }
}

/* A number of things; 0 if the option is not there. */
static uint64_t whole_option(ee_plan_builder *builder, const ee_rule_node *node, const char *name) {
  double value = ee_option_number(node, name, 0);
  if (value < 0 || value > 1e15) return 0; /* reported */
  if (floor(value) != value) ee_compile_error(builder, node, "option '%s' of ee.gate must be an integer", name);
  return (uint64_t)value;
}

void ee_gate_compile(ee_plan_builder *builder, const ee_rule_node *node, ee_gate *gate) {
  static const ee_option *const tables[] = {ee_gate_options, NULL};
  ee_options_check(node, "ee.gate", tables, builder->errors);
  if (node->item_count > 0) {
    ee_compile_error(builder, node, "ee.gate takes named options only, got %s",
                     ee_rule_value_describe(&node->items[0], builder->arena));
  }
  *gate = (ee_gate){.judge = ee_option_text(node, "judge", ""),
                    .field = ee_option_text(node, "field", ""),
                    .metric = EE_GATE_MEAN_SCORE,
                    .has_min = ee_rule_node_get(node, "min").type == EE_RULE_NUMBER,
                    .has_max = ee_rule_node_get(node, "max").type == EE_RULE_NUMBER,
                    .min = ee_option_number(node, "min", 0),
                    .max = ee_option_number(node, "max", 0),
                    .confidence = ee_option_number(node, "confidence", 0),
                    .file = node->file,
                    .line = node->line};
  check_limits(builder, node, gate);
  gate->max_unread = ee_option_number(node, "max_unread", builder->plan->max_unread);
  gate->min_support = whole_option(builder, node, "min_support");
  gate->k = whole_option(builder, node, "k");
  gate->min_cases = whole_option(builder, node, "min_cases");
  check_not_empty(builder, node, "judge");
  check_not_empty(builder, node, "field");
  check_not_empty(builder, node, "slice");
  ee_rule_value metric = ee_rule_node_get(node, "metric");
  if (metric.type == EE_RULE_NONE) {
    ee_compile_error(builder, node, "ee.gate has no metric");
  } else if (metric.type == EE_RULE_TEXT && find_metric(builder->plan, metric.text, gate)) {
    compile_subject(builder, node, gate);
    compile_slice(builder, node, gate);
  } else if (metric.type == EE_RULE_TEXT) {
    ee_error error;
    set_unknown_metric(&error, builder->plan, metric.text);
    ee_compile_error(builder, node, "ee.gate: %s", error.message);
  }
}
