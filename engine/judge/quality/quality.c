/* quality.c: ee.quality, one case.
 *
 * The keys of both objects are found, put into buckets and compared; the buckets and scores make the parts, and the
 * parts the score (RQS). */
#include <math.h>

#include "base/fixed.h"
#include "judge/details.h"
#include "judge/formula.h"
#include "judge/quality/canonical_text.h"
#include "judge/quality/quality.h"
#include "judge/result.h"
#include "judge/strategy_usage.h"
#include "prim/date.h"
#include "prim/number.h"

const char *const ee_quality_bucket_names[EE_QUALITY_BUCKETS] = {"both_non_null", "aio_missing_or_null",
                                                                 "gt_null_aio_has_value", "extra_keys", "neither"};

static const char *const case_metrics[EE_QUALITY_PARTS + 1] = {"rqs",    "accuracy",      "completeness",
                                                               "safety", "hallucination", NULL};
static const char *const lower_is_better[] = {"hallucination", NULL};

/* The state of judging one case. */
typedef struct quality_case {
  const ee_judge *judge;
  const ee_quality *quality;
  ee_context *context;
  ee_arena *arena;
  ee_quality_keys keys;
  ee_quality_result *result;
  ee_attribute_result *attributes; /* in the order of their first keys */
  ee_findings findings;
  ee_fixed score_sum; /* does not depend on the order of the keys */
  size_t matched;
  bool failed;
} quality_case;

/* The kind of comparison ----------------------------------------------------------------------- */

static bool is_number(ee_str text, ee_arena *scratch) {
  static const ee_number_format plain = {.decimal = '.'};
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  double value;
  bool number = ee_number_parse(text, plain, scratch, &value, NULL);
  ee_arena_rewind(scratch, mark);
  return number;
}

static bool is_word(ee_str text, const char *word, size_t length) {
  if (text.length != length) return false;
  for (size_t i = 0; i < length; i++) {
    if ((text.data[i] | 0x20) != word[i]) return false;
  }
  return true;
}

static bool has_space(ee_str text) {
  for (size_t at = 0; at < text.length;) {
    uint32_t code_point;
    size_t bytes = ee_utf8_decode(text.data + at, text.length - at, &code_point);
    if (bytes == 0) return false;
    if (ee_is_space(code_point)) return true;
    at += bytes;
  }
  return false;
}

/* One @ with text before it; after it a dot that is neither the first nor the last character; no space. */
static bool is_email(ee_str text) {
  const char *at = memchr(text.data, '@', text.length);
  if (at == NULL || at == text.data) return false;
  const char *domain = at + 1, *end = text.data + text.length;
  if (end - domain < 3 || memchr(domain, '@', (size_t)(end - domain)) != NULL) return false;
  return memchr(domain + 1, '.', (size_t)(end - domain) - 2) != NULL && !has_space(text);
}

/* The kind that compares an expected value (not NULL) which the configuration does not name: by its type. `*why` gets
 * one of ee_quality_key.why. */
static ee_quality_kind kind_of_value(const ee_value *expected, ee_arena *scratch, const char **why) {
  switch (ee_type_of(expected)) {
  case EE_NUMBER: *why = "number"; return EE_QUALITY_EXACT;
  case EE_TRUE:
  case EE_FALSE: *why = "boolean"; return EE_QUALITY_EXACT;
  case EE_ARRAY: *why = "list"; return EE_QUALITY_EXACT;
  case EE_OBJECT: *why = "object"; return EE_QUALITY_EXACT;
  default: break;
  }
  ee_str text = ee_str_trim(ee_value_text(expected));
  *why = "text";
  if (text.length == 0) return EE_QUALITY_SEMANTIC;
  if (is_number(text, scratch)) {
    *why = "number";
  } else if (is_word(text, "true", 4) || is_word(text, "false", 5)) {
    *why = "boolean";
  } else if (ee_date_looks_like(text)) {
    *why = "date";
  } else if (is_email(text)) {
    *why = "email";
  } else {
    return EE_QUALITY_SEMANTIC;
  }
  return EE_QUALITY_EXACT;
}

/* Keys of two objects -------------------------------------------------------------------------- */

static void add_key(const ee_quality *quality, bool *found, ee_quality_keys *keys, ee_str key, const ee_value *expected,
                    const ee_value *candidate) {
  ee_quality_key *item = &keys->items[keys->count];
  *item = (ee_quality_key){.path = key, .attribute = key, .expected = expected, .candidate = candidate};
  item->entry = ee_quality_find(quality, key);
  item->slot = (uint32_t)keys->count++;
  if (found != NULL && item->entry != NULL) found[item->entry - quality->entries] = true;
}

/* Both sides mostly have their keys in the same order, so the next member is tried first. */
static const ee_value *partner(const ee_value *object, ee_str key, const ee_value **guess, ee_arena *arena) {
  const ee_value *found = *guess;
  if (found == NULL || !ee_str_equal(ee_value_key(found), key)) found = ee_value_member(object, key, arena);
  if (found != NULL) *guess = ee_value_next(found);
  return found;
}

void ee_quality_find_keys(const ee_quality *quality, const ee_value *expected, const ee_value *candidate,
                          ee_arena *arena, bool *found, ee_quality_keys *keys) {
  size_t expected_count = expected != NULL ? ee_value_count(expected) : 0;
  size_t candidate_count = candidate != NULL ? ee_value_count(candidate) : 0;
  *keys = (ee_quality_keys){0};
  keys->items = ee_arena_alloc(arena, (expected_count + candidate_count) * sizeof *keys->items);
  size_t common = 0;
  const ee_value *guess = candidate_count > 0 ? ee_value_child(candidate) : NULL;
  const ee_value *member = expected_count > 0 ? ee_value_child(expected) : NULL;
  for (; member != NULL; member = ee_value_next(member)) {
    const ee_value *other = partner(candidate, ee_value_key(member), &guess, arena);
    add_key(quality, found, keys, ee_value_key(member), member, other);
    common += other != NULL;
  }
  keys->expected_count = keys->count;
  if (common < candidate_count) {
    guess = expected_count > 0 ? ee_value_child(expected) : NULL;
    for (member = ee_value_child(candidate); member != NULL; member = ee_value_next(member)) {
      if (partner(expected, ee_value_key(member), &guess, arena) != NULL) continue;
      add_key(quality, found, keys, ee_value_key(member), NULL, member);
    }
  }
  keys->attribute_count = keys->count;
}

/* Comparing ------------------------------------------------------------------------------------ */

static void conclude(ee_comparison *comparison, bool matched, double similarity, ee_reason reason) {
  *comparison = (ee_comparison){.score = matched ? 1 : 0, .matched = matched, .similarity = similarity};
  if (!matched) comparison->reason = reason;
}

static bool is_container(ee_type type) { return type == EE_ARRAY || type == EE_OBJECT; }

/* Scalars are compared as texts, so that only an array or object against another type is a type mismatch. */
static void compare_exact(quality_case *c, const ee_quality_key *key, ee_comparison *comparison) {
  ee_type type = ee_type_of(key->expected), got = ee_type_of(key->candidate);
  ee_reason reason = {.kind = EE_REASON_VALUE_MISMATCH};
  if (type != got && (is_container(type) || is_container(got))) {
    reason = (ee_reason){.kind = EE_REASON_TYPE_MISMATCH, .first = got, .second = type};
  }
  bool matched = ee_canonical_texts_equal(key->expected, key->candidate, &c->quality->empty, c->arena);
  conclude(comparison, matched, matched ? 1 : 0, reason);
}

/* FUZZY and SEMANTIC by the rule file's function, which is not called for equal values. */
static void compare_by_function(quality_case *c, const ee_quality_key *key, double threshold,
                                ee_comparison *comparison) {
  if (ee_value_equal_by(key->expected, key->candidate, &c->quality->empty, c->arena)) {
    conclude(comparison, true, 1, (ee_reason){0});
    return;
  }
  ee_context *context = c->context;
  double similarity = 0;
  ee_error error = {0};
  ee_status status = context->plan->vtable->similarity(context->script, c->quality->similarity, key->expected,
                                                       key->candidate, &similarity, &error);
  if (status == EE_OK && !ee_score_round(&similarity)) {
    status = ee_error_at(&error, EE_ERROR_RULES, c->judge->node->file, c->judge->node->line, 0,
                         "a similarity outside 0..1: %.17g", similarity);
  }
  if (status != EE_OK) {
    *comparison = (ee_comparison){.failed = true};
    comparison->reason = (ee_reason){.kind = EE_REASON_TEXT, .text = ee_context_rule_error(context, &error)};
    return;
  }
  conclude(comparison, ee_score_reaches(similarity, threshold), similarity,
           (ee_reason){.kind = EE_REASON_SIMILARITY, .first = similarity, .second = threshold});
}

/* The value as a string; itself if it is one already. */
static const ee_value *text_value(const ee_value *value, ee_arena *arena) {
  ee_str text = ee_canonical_text(value, arena);
  if (ee_type_of(value) == EE_STRING && text.length == value->length) return value;
  return ee_value_new_string(arena, text);
}

/* FUZZY and SEMANTIC by ee.fuzzy and ee.semantic, which only compare texts. */
static void compare_texts(quality_case *c, const ee_quality_key *key, const ee_strategy *strategy,
                          const ee_script_place *place, ee_comparison *comparison) {
  const ee_value *expected = key->expected, *candidate = key->candidate;
  ee_arena_mark mark = ee_arena_get_mark(c->arena);
  if (!ee_value_equal_by(expected, candidate, &c->quality->empty, c->arena)) {
    expected = text_value(expected, c->arena);
    candidate = text_value(candidate, c->arena);
  }
  ee_strategy_compare(strategy, c->context, expected, candidate, place, comparison);
  /* Requests to a provider are kept for the rest of the case. */
  if (!ee_strategy_uses_provider(strategy) && !c->context->keeps_compared) ee_arena_rewind(c->arena, mark);
}

static void compare(quality_case *c, ee_quality_key *key, ee_quality_kind kind) {
  const ee_quality *quality = c->quality;
  ee_script_place place = {.path = key->path};
  switch (kind) {
  case EE_QUALITY_FUZZY:
  case EE_QUALITY_SEMANTIC:
    if (quality->similarity != EE_NO_FUNCTION) {
      compare_by_function(c, key, quality->thresholds[kind], &key->comparison);
    } else {
      compare_texts(c, key, kind == EE_QUALITY_FUZZY ? quality->fuzzy : quality->semantic, &place, &key->comparison);
    }
    break;
  case EE_QUALITY_STRATEGY:
    ee_strategy_compare(key->entry->strategy, c->context, key->expected, key->candidate, &place, &key->comparison);
    break;
  default: compare_exact(c, key, &key->comparison); break;
  }
}

/* Explaining, in full detail ------------------------------------------------------------------- */

/* What EXACT compares, where it is not the value as it is. */
static const ee_value *as_compared(quality_case *c, const ee_value *value) {
  if (is_container(ee_type_of(value))) return NULL;
  const ee_value *text = text_value(value, c->arena);
  return ee_values_same(text, value) ? NULL : text;
}

static void explain(quality_case *c, const ee_quality_key *key, ee_quality_kind kind, ee_explanation *how) {
  const ee_comparison *comparison = &key->comparison;
  const ee_quality *quality = c->quality;
  if (kind == EE_QUALITY_STRATEGY) {
    ee_strategy_explain(key->entry->strategy, c->context, key->expected, key->candidate, comparison, how);
  } else if (kind != EE_QUALITY_FUZZY && kind != EE_QUALITY_SEMANTIC) {
    if (comparison->matched) how->formula = EE_STR("equal");
    how->expected = as_compared(c, key->expected);
    how->candidate = as_compared(c, key->candidate);
  } else if (quality->similarity == EE_NO_FUNCTION) {
    const ee_strategy *strategy = kind == EE_QUALITY_FUZZY ? quality->fuzzy : quality->semantic;
    ee_strategy_explain(strategy, c->context, key->expected, key->candidate, comparison, how);
  } else if (!comparison->failed) {
    how->measure = "similarity";
    how->value = comparison->similarity;
    how->threshold = quality->thresholds[kind];
    ee_explanation_decide(how, NULL, EE_LIMIT_MIN, comparison->matched, c->arena);
  }
}

static void keep_outcome(quality_case *c, const ee_quality_key *key, ee_quality_kind kind, ee_class value_class) {
  if (!ee_context_keeps_outcomes(c->context)) return;
  ee_outcome kept = {.place = {.path = key->path, .row = EE_NO_ROW},
                     .attribute = key->attribute,
                     .value_class = value_class,
                     .expected = key->expected,
                     .candidate = key->candidate,
                     .score = key->compared ? key->comparison.score : 0,
                     .weight = key->compared ? 1 : 0,
                     .strategy = ee_str_from(key->strategy),
                     .row = EE_NO_ROW,
                     .partner = EE_NO_ROW};
  if (value_class == EE_CLASS_TN) kept.score = 1;
  if (value_class == EE_CLASS_MISSING) kept.place.reason = EE_REASON_OF("missing");
  if (value_class == EE_CLASS_INVENTED) kept.place.reason.kind = EE_REASON_UNEXPECTED;
  if (key->compared) {
    kept.place.reason = key->comparison.reason;
    explain(c, key, kind, &kept.how);
  }
  ee_outcomes_add(&c->context->outcomes, c->arena, &kept);
}

/* Judging a key -------------------------------------------------------------------------------- */

static void classify(quality_case *c, ee_quality_key *key, bool extra) {
  const ee_empty_rule *rule = &c->quality->empty;
  if (key->entry != NULL && key->entry->strategy != NULL) rule = &key->entry->strategy->empty;
  bool no_candidate = ee_value_is_empty(key->candidate, rule);
  if (extra) {
    key->bucket = EE_QUALITY_EXTRA;
  } else if (ee_value_is_empty(key->expected, rule)) {
    key->bucket = no_candidate ? EE_QUALITY_NEITHER : EE_QUALITY_UNEXPECTED;
  } else {
    key->bucket = no_candidate ? EE_QUALITY_MISSING : EE_QUALITY_BOTH;
  }
}

/* Sets `strategy` and `why`; returns the kind that compares the key. */
static ee_quality_kind choose(quality_case *c, ee_quality_key *key) {
  ee_quality_kind kind = EE_QUALITY_EXACT;
  key->strategy = key->why = "";
  if (key->entry != NULL) {
    kind = key->entry->kind;
    key->strategy = key->entry->name;
    key->why = "config";
  } else if (key->bucket == EE_QUALITY_BOTH || key->bucket == EE_QUALITY_MISSING) {
    kind = kind_of_value(key->expected, c->arena, &key->why);
    key->strategy = ee_quality_kind_names[kind];
  }
  key->ignored = kind == EE_QUALITY_IGNORE;
  return kind;
}

static ee_class class_of(const ee_quality_key *key) {
  switch (key->bucket) {
  case EE_QUALITY_BOTH: return key->comparison.matched ? EE_CLASS_TP : EE_CLASS_WRONG;
  case EE_QUALITY_MISSING: return EE_CLASS_MISSING;
  case EE_QUALITY_NEITHER: return EE_CLASS_TN;
  default: return EE_CLASS_INVENTED;
  }
}

static void add_miss(quality_case *c, const ee_quality_key *key, ee_reason reason, double score) {
  ee_finding finding = {.path = key->path, .row = EE_NO_ROW, .reason = reason};
  ee_mismatch *mismatch = ee_findings_miss(&c->findings, &finding, class_of(key), key->expected, key->candidate, score);
  if (!key->ignored) mismatch->attribute = key->attribute;
  mismatch->unread_candidate = key->compared && key->comparison.unread[EE_CANDIDATE];
}

/* Lists the key as a hit or a miss, unless it is ignored. */
static void add_finding(quality_case *c, const ee_quality_key *key) {
  if (key->ignored) return;
  switch (key->bucket) {
  case EE_QUALITY_BOTH:
    if (key->comparison.matched) {
      ee_findings_hit(&c->findings, &(ee_finding){.path = key->path, .row = EE_NO_ROW});
    } else {
      add_miss(c, key, key->comparison.reason, key->comparison.score);
    }
    break;
  case EE_QUALITY_MISSING: add_miss(c, key, EE_REASON_OF("missing"), 0); break;
  case EE_QUALITY_UNEXPECTED:
  case EE_QUALITY_EXTRA: add_miss(c, key, (ee_reason){.kind = EE_REASON_UNEXPECTED}, 0); break;
  default: break;
  }
}

static void judge_key(quality_case *c, size_t i) {
  ee_quality_key *key = &c->keys.items[i];
  classify(c, key, i >= c->keys.expected_count);
  ee_quality_kind kind = choose(c, key);
  if (key->ignored && c->quality->ignore_everywhere) return;
  c->result->counts[key->bucket]++;
  c->result->distinct_keys++;
  if (key->bucket == EE_QUALITY_BOTH && !key->ignored) {
    key->compared = true;
    c->context->keeps_compared = ee_context_keeps_outcomes(c->context);
    compare(c, key, kind);
    c->context->keeps_compared = false;
    ee_fixed_add(&c->score_sum, ee_fixed_from(key->comparison.score));
    c->result->compared++;
    c->matched += key->comparison.matched;
  }
  add_finding(c, key);
  if (key->ignored) return;
  c->attributes[key->slot].name = key->attribute;
  bool nothing = key->bucket == EE_QUALITY_EXTRA && ee_value_is_empty(key->candidate, &c->quality->empty);
  if (nothing) return;
  ee_class value_class = class_of(key);
  ee_counts_add_class(&c->attributes[key->slot].counts, value_class);
  keep_outcome(c, key, kind, value_class);
}

/* The attributes that have counts. */
static void set_attributes(quality_case *c, ee_judge_result *result) {
  size_t count = 0;
  for (size_t i = 0; i < c->keys.attribute_count; i++) {
    const ee_counts *counts = &c->attributes[i].counts;
    if (counts->tp + counts->tn + counts->fp + counts->fn == 0) continue;
    c->attributes[count] = c->attributes[i];
    c->attributes[count++].slot = -1;
  }
  result->attributes = c->attributes;
  result->attribute_count = count;
}

/* Parts ---------------------------------------------------------------------------------------- */

static void fail(quality_case *c, ee_fault fault, ee_str place, ee_reason reason) {
  c->failed = true;
  ee_findings_fail(&c->findings, fault, place, reason);
}

/* Calls a function of the rule file that returns 0..1; 0 with an error on record if it fails. */
static double combine(quality_case *c, int function, const char *name, bool with_safety) {
  const double *parts = c->result->parts, *weights = c->quality->weights;
  ee_script_number numbers[8] = {
      {"accuracy", parts[EE_QUALITY_ACCURACY]},
      {"completeness", parts[EE_QUALITY_COMPLETENESS]},
      {"hallucination", parts[EE_QUALITY_HALLUCINATION]},
      {"weight_accuracy", weights[EE_WEIGHT_ACCURACY]},
      {"weight_completeness", weights[EE_WEIGHT_COMPLETENESS]},
      {"weight_safety", weights[EE_WEIGHT_SAFETY]},
      {"weight_hallucination", weights[EE_WEIGHT_HALLUCINATION]},
  };
  size_t count = 7;
  if (with_safety) numbers[count++] = (ee_script_number){"safety", parts[EE_QUALITY_SAFETY]};
  ee_context *context = c->context;
  double value = 0;
  ee_error error = {0};
  ee_status status = context->plan->vtable->combine(context->script, function, numbers, count, &value, &error);
  if (status == EE_OK && !ee_score_round(&value)) {
    status = ee_error_at(&error, EE_ERROR_RULES, c->judge->node->file, c->judge->node->line, 0,
                         "%s returned a number outside 0..1: %.17g", name, value);
  }
  if (status == EE_OK) return value;
  fail(c, EE_FAULT_RULES, ee_str_from(name),
       (ee_reason){.kind = EE_REASON_TEXT, .text = ee_context_rule_error(context, &error)});
  return 0;
}

static double ratio(size_t part, size_t whole, double fallback) {
  return whole == 0 ? fallback : (double)part / (double)whole;
}

double ee_quality_sum(const double *weights, const double *parts) {
  const double terms[] = {weights[EE_WEIGHT_ACCURACY] * parts[EE_QUALITY_ACCURACY],
                          weights[EE_WEIGHT_COMPLETENESS] * parts[EE_QUALITY_COMPLETENESS],
                          weights[EE_WEIGHT_SAFETY] * parts[EE_QUALITY_SAFETY],
                          -weights[EE_WEIGHT_HALLUCINATION] * parts[EE_QUALITY_HALLUCINATION]};
  double sum = 0, rest = 0;
  for (size_t i = 0; i < EE_WEIGHTS; i++) {
    double next = sum + terms[i];
    rest += fabs(sum) >= fabs(terms[i]) ? (sum - next) + terms[i] : (terms[i] - next) + sum;
    sum = next;
  }
  return sum + rest;
}

static double weighted_sum(const ee_quality *quality, const double *parts) {
  double sum = ee_quality_sum(quality->weights, parts);
  sum = fmin(fmax(sum, 0), 1);
  return quality->maximum > 0 ? fmin(sum / quality->maximum, 1) : sum;
}

static void set_parts(quality_case *c) {
  const ee_quality *quality = c->quality;
  ee_quality_result *result = c->result;
  const size_t *counts = result->counts;
  double *parts = result->parts;
  size_t both = counts[EE_QUALITY_BOTH], spurious = counts[EE_QUALITY_EXTRA] + counts[EE_QUALITY_UNEXPECTED];
  parts[EE_QUALITY_ACCURACY] = result->compared == 0 ? 1 : ee_fixed_mean(c->score_sum, result->compared);
  parts[EE_QUALITY_COMPLETENESS] = ratio(both, both + counts[EE_QUALITY_MISSING], 1);
  parts[EE_QUALITY_HALLUCINATION] = ratio(spurious, result->distinct_keys, 0);
  parts[EE_QUALITY_SAFETY] = 1;
  if (quality->safety != EE_NO_FUNCTION) parts[EE_QUALITY_SAFETY] = combine(c, quality->safety, "safety", false);
  if (c->failed) return;
  parts[EE_QUALITY_RQS] =
      quality->formula != EE_NO_FUNCTION ? combine(c, quality->formula, "formula", true) : weighted_sum(quality, parts);
  if (c->failed) parts[EE_QUALITY_RQS] = 0;
}

/* "0.5*0.9 + 0.3*1 + 0.2*1 - 0.1*0.25 = 0.925", in full detail. */
static ee_str formula_of(const quality_case *c) {
  const ee_quality *quality = c->quality;
  const double *parts = c->result->parts, *weights = quality->weights;
  ee_arena *arena = c->arena;
  const char *score = ee_formula_result(parts[EE_QUALITY_RQS], arena);
  if (c->failed) return EE_STR("");
  if (quality->formula != EE_NO_FUNCTION)
    return ee_str_from(ee_arena_printf(arena, "a function of the rule file = %s", score));
  static const struct {
    int weight, part;
    const char *sign;
  } terms[EE_WEIGHTS] = {{EE_WEIGHT_ACCURACY, EE_QUALITY_ACCURACY, ""},
                         {EE_WEIGHT_COMPLETENESS, EE_QUALITY_COMPLETENESS, " + "},
                         {EE_WEIGHT_SAFETY, EE_QUALITY_SAFETY, " + "},
                         {EE_WEIGHT_HALLUCINATION, EE_QUALITY_HALLUCINATION, " - "}};
  const char *sum = "";
  for (size_t i = 0; i < EE_WEIGHTS; i++)
    sum = ee_arena_printf(arena, "%s%s%s*%s", sum, terms[i].sign, ee_formula_operand(weights[terms[i].weight], arena),
                          ee_formula_result(parts[terms[i].part], arena));
  double raw = ee_quality_sum(weights, parts);
  if (raw < 0 || raw > 1) sum = ee_arena_printf(arena, "min(1, max(0, %s))", sum);
  if (quality->maximum > 0) sum = ee_arena_printf(arena, "(%s)/%s", sum, ee_formula_operand(quality->maximum, arena));
  if (quality->maximum > 0 && raw > quality->maximum) sum = ee_arena_printf(arena, "min(1, %s)", sum);
  return ee_str_from(ee_arena_printf(arena, "%s = %s", sum, score));
}

/* The case ------------------------------------------------------------------------------------- */

/* What is compared: two objects, or NULL for an empty one. */
typedef struct quality_sides {
  const ee_value *expected, *candidate;
  bool no_expected;  /* the expected value is not an object: an error of the judge */
  bool no_candidate; /* there is no candidate object */
  bool anything;     /* one of the documents has something at the path */
  ee_reason reason;  /* of no_candidate */
  ee_str reasoning;  /* of no_candidate */
} quality_sides;

/* With a path, a missing expected object is an empty one; then a missing candidate object is empty too. */
static quality_sides find_sides(const ee_quality *quality, const ee_context *context) {
  const ee_case *current = context->current;
  const ee_list_paths *paths = &quality->paths;
  const ee_value *expected = ee_list_path_get(paths->expected, current->expected, context->arena);
  const ee_value *candidate = ee_list_path_get(paths->candidate, current->candidate, context->arena);
  quality_sides sides = {.anything = expected != NULL || candidate != NULL};
  bool nothing_expected = paths->expected != NULL && ee_value_is_empty(expected, &quality->empty);
  sides.no_expected = !nothing_expected && ee_type_of(expected) != EE_OBJECT;
  if (ee_type_of(expected) == EE_OBJECT) sides.expected = expected;
  if (ee_type_of(candidate) == EE_OBJECT) sides.candidate = candidate;
  bool absent = ee_value_is_empty(candidate, &quality->empty);
  if (current->candidate_state == EE_CANDIDATE_MISSING) {
    sides.reason = EE_REASON_OF("missing");
    sides.reasoning = EE_STR("no candidate document");
  } else if (current->candidate_state == EE_CANDIDATE_UNPARSEABLE) {
    sides.reason = EE_REASON_OF("no JSON found");
    sides.reasoning = EE_STR("no candidate document");
  } else if (sides.candidate != NULL || (nothing_expected && absent)) {
    return sides;
  } else if (paths->candidate != NULL && absent) {
    sides.reason = EE_REASON_OF("missing");
    sides.reasoning = EE_STR("no candidate object");
  } else {
    sides.reason = EE_REASON_OF("not an object");
    sides.reasoning = EE_STR("candidate is not an object");
  }
  sides.no_candidate = true;
  sides.candidate = NULL;
  return sides;
}

/* "2/3 keys matched, 1 missing, 2 unexpected", "no key to compare, ...". */
static ee_str reasoning(const quality_case *c) {
  const size_t *counts = c->result->counts;
  size_t missing = counts[EE_QUALITY_MISSING], unexpected = counts[EE_QUALITY_UNEXPECTED] + counts[EE_QUALITY_EXTRA];
  if (c->result->compared == 0)
    return ee_findings_text(c->arena, "no key to compare, # missing, # unexpected", (uint64_t[]){missing, unexpected});
  return ee_findings_text(c->arena, "#/# keys matched, # missing, # unexpected",
                          (uint64_t[]){c->matched, c->result->compared, missing, unexpected});
}

static void find_keys(const ee_quality *quality, ee_context *context, const quality_sides *sides, bool *found,
                      ee_quality_keys *keys) {
  if (quality->leaves) {
    ee_quality_find_leaves(quality, context, sides->expected, sides->candidate, found, keys);
  } else {
    ee_quality_find_keys(quality, sides->expected, sides->candidate, context->arena, found, keys);
  }
}

static quality_case *start_case(const ee_judge *judge, ee_context *context) {
  const ee_quality *quality = judge->data;
  quality_case *c = EE_NEW(context->arena, quality_case);
  c->judge = judge;
  c->quality = quality;
  c->context = context;
  c->arena = context->arena;
  c->result = EE_NEW(context->arena, ee_quality_result);
  memcpy(c->result->weights, quality->weights, sizeof c->result->weights);
  c->result->maximum = quality->maximum;
  c->result->by_formula = quality->formula != EE_NO_FUNCTION;
  return c;
}

/* What nobody could read has nothing invented; showing it as an example of that would mislead. */
static const double unread_parts[EE_QUALITY_PARTS] = {[EE_QUALITY_HALLUCINATION] = -1};

static void quality_judge_case(const ee_judge *judge, ee_context *context, ee_judge_result *result) {
  const ee_quality *quality = judge->data;
  quality_case *c = start_case(judge, context);
  quality_sides sides = find_sides(quality, context);
  bool *found = ee_arena_calloc(c->arena, judge->expected_path_count, sizeof *found);
  if (!sides.no_expected) find_keys(quality, context, &sides, found, &c->keys);
  if (judge->expected_path_count > quality->entry_count) found[quality->entry_count] = sides.anything;
  ee_findings_start(&c->findings, c->arena, c->keys.expected_count);
  c->attributes = ee_arena_calloc(c->arena, c->keys.attribute_count, sizeof *c->attributes);
  if (sides.no_expected) fail(c, EE_FAULT_DATA, EE_STR("expected"), EE_REASON_OF("not an object"));
  if (c->keys.failure.kind != EE_REASON_NONE) fail(c, EE_FAULT_RULES, c->keys.failure_place, c->keys.failure);
  if (sides.no_candidate) ee_findings_note(&c->findings, EE_STR("candidate"), sides.reason);
  for (size_t i = 0; i < c->keys.count; i++) judge_key(c, i);
  /* Functions are not called for a case that is judged again when its pending requests have replies. */
  bool is_final = !context->dry_run && context->pending_answers == 0;
  if (!c->failed && !sides.no_candidate && is_final) set_parts(c);
  c->result->keys = c->keys.items;
  c->result->key_count = c->keys.count;
  c->result->score_sum = ee_fixed_value(c->score_sum);
  set_attributes(c, result);
  ee_findings_finish(&c->findings, result);
  result->found = found;
  result->score = c->result->parts[EE_QUALITY_RQS];
  result->case_metrics = sides.no_candidate ? unread_parts : c->result->parts;
  if (ee_context_keeps_outcomes(context) && !sides.no_candidate) result->formula = formula_of(c);
  result->details = c->result;
  result->reasoning = sides.no_candidate ? sides.reasoning : reasoning(c);
}

static void quality_observe(const ee_judge *judge, ee_context *context, struct ee_strategy_usage *usage) {
  const ee_quality *quality = judge->data;
  for (size_t i = 0; i < quality->entry_count; i++) {
    const ee_quality_entry *entry = &quality->entries[i];
    ee_strategy_usage_mention(usage, entry->written, entry->name, entry->place);
  }
  quality_sides sides = find_sides(quality, context);
  if (sides.no_expected) return;
  ee_quality_keys keys;
  find_keys(quality, context, &sides, NULL, &keys);
  for (size_t i = 0; i < keys.count; i++) {
    const ee_quality_key *key = &keys.items[i];
    if (key->entry != NULL) {
      ee_strategy_usage_add(usage, key->entry->written, key->entry->name, key->entry->place);
    } else if (i < keys.expected_count && !ee_value_is_empty(key->expected, &quality->empty)) {
      const char *why;
      ee_quality_kind kind = kind_of_value(key->expected, context->arena, &why);
      ee_strategy_usage_add(usage, key->attribute, ee_quality_kind_names[kind], why);
    }
  }
}

/* Details --------------------------------------------------------------------------------------- */

/* The details have what the score can be computed from: accuracy = sum of the fields' scores / counts.compared,
 * completeness = both_non_null / gt_non_null, hallucination = (extra_keys + gt_null_aio_has_value) / distinct_keys. */

static void add_weights(ee_buffer *out, const ee_quality_result *quality) {
  EE_JSON_ADD(out, ",\"weights\":{\"accuracy\":");
  ee_json_write_score(out, quality->weights[0]);
  EE_JSON_ADD(out, ",\"completeness\":");
  ee_json_write_score(out, quality->weights[1]);
  EE_JSON_ADD(out, ",\"safety\":");
  ee_json_write_score(out, quality->weights[2]);
  EE_JSON_ADD(out, ",\"hallucination\":");
  ee_json_write_score(out, quality->weights[3]);
  ee_buffer_add_char(out, '}');
  if (quality->maximum != 0) {
    EE_JSON_ADD(out, ",\"maximum\":");
    ee_json_write_score(out, quality->maximum);
  }
  if (quality->by_formula) EE_JSON_ADD(out, ",\"formula\":true");
}

static void add_counts(ee_buffer *out, const ee_quality_result *quality) {
  const size_t *counts = quality->counts;
  EE_JSON_ADD(out, ",\"counts\":{\"both_non_null\":");
  ee_json_write_count(out, counts[EE_QUALITY_BOTH]);
  EE_JSON_ADD(out, ",\"aio_missing_or_null\":");
  ee_json_write_count(out, counts[EE_QUALITY_MISSING]);
  EE_JSON_ADD(out, ",\"gt_non_null\":");
  ee_json_write_count(out, counts[EE_QUALITY_BOTH] + counts[EE_QUALITY_MISSING]);
  EE_JSON_ADD(out, ",\"gt_null_aio_has_value\":");
  ee_json_write_count(out, counts[EE_QUALITY_UNEXPECTED]);
  EE_JSON_ADD(out, ",\"extra_keys\":");
  ee_json_write_count(out, counts[EE_QUALITY_EXTRA]);
  EE_JSON_ADD(out, ",\"distinct_keys\":");
  ee_json_write_count(out, quality->distinct_keys);
  EE_JSON_ADD(out, ",\"compared\":");
  ee_json_write_count(out, quality->compared);
  ee_buffer_add_char(out, '}');
}

/* Appends the path to an array of `*count` paths; one too many is only counted. */
static void add_path(ee_buffer *out, ee_str path, size_t limit, size_t *count) {
  if (*count < limit) {
    if (*count > 0) ee_buffer_add_char(out, ',');
    ee_json_write_string(out, path);
  }
  ++*count;
}

/* Returns whether a list was cut. */
static bool add_buckets(ee_buffer *out, const ee_quality_result *quality, size_t limit) {
  /* Keys that are ignored everywhere are not counted as distinct keys, and are in no bucket. */
  bool everywhere = quality->distinct_keys < quality->key_count;
  bool cut = false;
  EE_JSON_ADD(out, ",\"buckets\":{");
  for (size_t bucket = 0; bucket < EE_QUALITY_NEITHER; bucket++) {
    ee_buffer_add_char(out, '"');
    ee_buffer_add_text(out, ee_quality_bucket_names[bucket]);
    EE_JSON_ADD(out, "\":[");
    size_t count = 0;
    for (size_t i = 0; i < quality->key_count && count <= limit; i++) {
      const ee_quality_key *key = &quality->keys[i];
      if (key->bucket == bucket && !(everywhere && key->ignored)) add_path(out, key->path, limit, &count);
    }
    EE_JSON_ADD(out, "],");
    cut |= count > limit;
  }
  EE_JSON_ADD(out, "\"ignored\":[");
  size_t count = 0;
  for (size_t i = 0; i < quality->key_count && count <= limit; i++)
    if (quality->keys[i].ignored) add_path(out, quality->keys[i].path, limit, &count);
  EE_JSON_ADD(out, "]}");
  return cut || count > limit;
}

static void add_field(ee_buffer *out, const ee_quality_key *key, ee_arena *scratch) {
  const ee_comparison *comparison = &key->comparison;
  EE_JSON_ADD(out, "{\"path\":");
  ee_json_write_string(out, key->path);
  EE_JSON_ADD(out, ",\"strategy\":");
  ee_json_write_string(out, ee_str_from(key->strategy));
  EE_JSON_ADD(out, ",\"why\":");
  ee_json_write_string(out, ee_str_from(key->why));
  if (comparison->similarity >= 0) {
    EE_JSON_ADD(out, ",\"similarity\":");
    ee_json_write_score(out, comparison->similarity);
  }
  EE_JSON_ADD(out, ",\"score\":");
  ee_json_write_score(out, comparison->score);
  if (!comparison->matched) {
    EE_JSON_ADD(out, ",\"reason\":");
    ee_details_add_reason(&comparison->reason, scratch, out);
  }
  ee_buffer_add_char(out, '}');
}

/* The keys that accuracy is the mean of. Returns whether the list was cut. */
static bool add_fields(ee_buffer *out, const ee_quality_result *quality, size_t limit, ee_arena *scratch) {
  EE_JSON_ADD(out, ",\"fields\":[");
  size_t count = 0;
  for (size_t i = 0; i < quality->key_count && count <= limit; i++) {
    if (!quality->keys[i].compared) continue;
    if (count++ == limit) break;
    if (count > 1) ee_buffer_add_char(out, ',');
    add_field(out, &quality->keys[i], scratch);
  }
  ee_buffer_add_char(out, ']');
  return count > limit;
}

static void quality_write_details(const ee_judge_result *result, ee_arena *scratch, ee_buffer *out) {
  const ee_quality_result *quality = result->details;
  if (quality == NULL) {
    ee_details_write_plain(result, scratch, out);
    return;
  }
  size_t limit = ee_details_limit(result->detail);
  ee_details_open(result, out);
  ee_details_add_fallback(result, out);
  ee_details_add_case_metrics(result, out);
  add_weights(out, quality);
  add_counts(out, quality);
  bool cut = add_buckets(out, quality, limit);
  cut |= add_fields(out, quality, limit, scratch);
  ee_details_close(result, cut, scratch, out);
}

static const ee_judged_key *quality_list_keys(const ee_judge_result *result, ee_arena *arena, size_t *count) {
  const ee_quality_result *quality = result->details;
  *count = quality != NULL ? quality->key_count : 0;
  ee_judged_key *keys = EE_NEW_ARRAY(arena, ee_judged_key, *count);
  for (size_t i = 0; i < *count; i++) {
    const ee_quality_key *key = &quality->keys[i];
    keys[i] = (ee_judged_key){.path = key->path,
                              .bucket = ee_quality_bucket_names[key->bucket],
                              .strategy = key->strategy,
                              .why = key->why,
                              .compared = key->compared,
                              .score = key->comparison.score,
                              .similarity = key->comparison.similarity,
                              .reason = key->comparison.reason};
  }
  return keys;
}

const ee_judge_type ee_quality_judge = {
    .name = "quality",
    .help = "How complete, faithful and correct a whole answer is: one score (RQS) and its parts.",
    .positional = "[1] string?",
    .options = ee_quality_options,
    .compile = ee_quality_compile,
    .takes_path = true,
    .lists_values = true,
    .judge_case = quality_judge_case,
    .write_details = quality_write_details,
    .list_keys = quality_list_keys,
    .case_metrics = case_metrics,
    .lower_is_better = lower_is_better,
    .observe = quality_observe,
    .print = ee_quality_print,
};
