/* quality.c: ee.quality, one case: buckets, comparisons, and the parts of the score. */
#include <math.h>

#include "base/fixed.h"
#include "judge/findings.h"
#include "judge/quality/quality_judge.h"
#include "judge/quality/text_form.h"
#include "prim/number.h"

const char *const ee_quality_bucket_names[EE_QUALITY_BUCKETS] = {"both_non_null", "aio_missing_or_null",
                                                                 "gt_null_aio_has_value", "extra_keys", "neither"};

static const char *const measures[EE_QUALITY_PARTS + 1] = {"rqs",    "accuracy",      "completeness",
                                                           "safety", "hallucination", NULL};
static const char *const lower_is_better[] = {"hallucination", NULL};

/* One case under way. */
typedef struct quality_case {
  const ee_judge *judge;
  const ee_quality *quality;
  ee_context *context;
  ee_arena *arena;
  ee_quality_keys keys;
  ee_quality_result *result;
  ee_attribute_result *attributes; /* one an attribute, in the order of their first keys */
  ee_findings findings;
  ee_fixed score_sum; /* does not depend on the order of the keys */
  size_t matched;
  bool failed;
} quality_case;

/* Comparing ------------------------------------------------------------------------------------ */

static void conclude(ee_comparison *comparison, bool matched, double similarity, ee_reason reason) {
  *comparison = (ee_comparison){.score = matched ? 1 : 0, .matched = matched, .similarity = similarity};
  if (!matched) comparison->reason = reason;
}

static bool is_container(ee_type type) { return type == EE_ARRAY || type == EE_OBJECT; }

/* Scalars are compared as texts, so that only a container in the place of something else is of the wrong type. */
static void compare_exact(quality_case *c, const ee_quality_key *key, ee_comparison *comparison) {
  ee_type wanted = ee_type_of(key->expected), got = ee_type_of(key->candidate);
  ee_reason reason = {.kind = EE_REASON_VALUE_MISMATCH};
  if (wanted != got && (is_container(wanted) || is_container(got))) {
    reason = (ee_reason){.kind = EE_REASON_TYPE_MISMATCH, .first = got, .second = wanted};
  }
  bool matched = ee_text_forms_equal(key->expected, key->candidate, c->arena);
  conclude(comparison, matched, matched ? 1 : 0, reason);
}

/* FUZZY and SEMANTIC by the rule file's function, which is not asked about equal values. */
static void compare_by_function(quality_case *c, const ee_quality_key *key, double threshold,
                                ee_comparison *comparison) {
  if (ee_value_equal(key->expected, key->candidate)) {
    conclude(comparison, true, 1, (ee_reason){0});
    return;
  }
  ee_context *context = c->context;
  double similarity = 0;
  ee_error error = {0};
  ee_status status = context->plan->vtable->similarity(context->script, c->quality->similarity, key->expected,
                                                       key->candidate, &similarity, &error);
  if (status == EE_OK && !(similarity >= 0 && similarity <= 1)) {
    status = ee_error_at(&error, EE_ERROR_RULES, c->judge->node->file, c->judge->node->line, 0,
                         "a similarity outside 0..1: %g", similarity);
  }
  if (status != EE_OK) {
    *comparison = (ee_comparison){.failed = true};
    comparison->reason = (ee_reason){.kind = EE_REASON_TEXT, .text = ee_context_rule_error(context, &error)};
    return;
  }
  conclude(comparison, ee_score_reaches(similarity, threshold), similarity,
           (ee_reason){.kind = EE_REASON_SIMILARITY, .first = similarity, .second = threshold});
}

/* The value as a text; itself where it is one already. */
static const ee_value *text_value(const ee_value *value, ee_arena *arena) {
  ee_str text = ee_text_form(value, arena);
  if (ee_type_of(value) == EE_STRING && text.length == value->length) return value;
  return ee_value_new_string(arena, text);
}

/* FUZZY and SEMANTIC by ee.fuzzy and ee.semantic, which only compare texts. */
static void compare_texts(quality_case *c, const ee_quality_key *key, const ee_strategy *strategy,
                          const ee_script_place *place, ee_comparison *comparison) {
  const ee_value *expected = key->expected, *candidate = key->candidate;
  ee_arena_mark mark = ee_arena_get_mark(c->arena);
  if (!ee_value_equal(expected, candidate)) {
    expected = text_value(expected, c->arena);
    candidate = text_value(candidate, c->arena);
  }
  ee_strategy_compare(strategy, c->context, expected, candidate, place, comparison);
  /* What a provider was asked is remembered for the rest of the case. */
  if (!ee_strategy_uses_provider(strategy)) ee_arena_rewind(c->arena, mark);
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

/* Keys ----------------------------------------------------------------------------------------- */

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

/* Sets `strategy` and `why`; returns what compares the key. */
static ee_quality_kind choose(quality_case *c, ee_quality_key *key) {
  ee_quality_kind kind = EE_QUALITY_EXACT;
  key->strategy = key->why = "";
  if (key->entry != NULL) {
    kind = key->entry->kind;
    key->strategy = key->entry->name;
    key->why = "config";
  } else if (key->bucket == EE_QUALITY_BOTH || key->bucket == EE_QUALITY_MISSING) {
    kind = ee_quality_choose(key->expected, c->arena, &key->why);
    key->strategy = ee_quality_kind_names[kind];
  }
  key->ignored = kind == EE_QUALITY_IGNORE;
  return kind;
}

static void add_miss(quality_case *c, const ee_quality_key *key, ee_reason reason, double score) {
  ee_finding finding = {.path = key->path, .row = EE_NO_ROW, .reason = reason};
  ee_findings_miss(&c->findings, &finding, key->expected, key->candidate, score);
}

/* Tells the key as a hit or a miss. */
static void tell(quality_case *c, const ee_quality_key *key) {
  switch (key->bucket) {
  case EE_QUALITY_BOTH:
    if (!key->compared) break;
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

static ee_class class_of(const ee_quality_key *key) {
  switch (key->bucket) {
  case EE_QUALITY_BOTH: return key->comparison.matched ? EE_CLASS_TP : EE_CLASS_WRONG;
  case EE_QUALITY_MISSING: return EE_CLASS_MISSING;
  case EE_QUALITY_NEITHER: return EE_CLASS_TN;
  default: return EE_CLASS_INVENTED;
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
    compare(c, key, kind);
    ee_fixed_add(&c->score_sum, ee_fixed_from(key->comparison.score));
    c->result->compared++;
    c->matched += key->comparison.matched;
  }
  tell(c, key);
  if (key->ignored) return;
  c->attributes[key->slot].name = key->attribute;
  bool nothing = key->bucket == EE_QUALITY_EXTRA && ee_value_is_empty(key->candidate, &c->quality->empty);
  if (!nothing) ee_counts_add_class(&c->attributes[key->slot].counts, class_of(key));
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

static void fail(quality_case *c, ee_str place, ee_reason reason) {
  c->failed = true;
  ee_findings_note(&c->findings, place, reason);
}

/* Asks a function of the rule file for one number. 0 when it has none to give, which is recorded. */
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
  if (status == EE_OK && !(value >= 0 && value <= 1)) {
    status = ee_error_at(&error, EE_ERROR_RULES, c->judge->node->file, c->judge->node->line, 0,
                         "%s returned a number outside 0..1: %g", name, value);
  }
  if (status == EE_OK) return value;
  fail(c, ee_str_from(name), (ee_reason){.kind = EE_REASON_TEXT, .text = ee_context_rule_error(context, &error)});
  return 0;
}

static double ratio(size_t part, size_t whole, double of_none) {
  return whole == 0 ? of_none : (double)part / (double)whole;
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
  size_t both = counts[EE_QUALITY_BOTH], invented = counts[EE_QUALITY_EXTRA] + counts[EE_QUALITY_UNEXPECTED];
  parts[EE_QUALITY_ACCURACY] = result->compared == 0 ? 1 : ee_fixed_mean(c->score_sum, result->compared);
  parts[EE_QUALITY_COMPLETENESS] = ratio(both, both + counts[EE_QUALITY_MISSING], 1);
  parts[EE_QUALITY_HALLUCINATION] = ratio(invented, result->distinct_keys, 0);
  parts[EE_QUALITY_SAFETY] = 1;
  if (quality->safety != EE_NO_FUNCTION) parts[EE_QUALITY_SAFETY] = combine(c, quality->safety, "safety", false);
  if (c->failed) return;
  parts[EE_QUALITY_RQS] =
      quality->formula != EE_NO_FUNCTION ? combine(c, quality->formula, "formula", true) : weighted_sum(quality, parts);
  if (c->failed) parts[EE_QUALITY_RQS] = 0;
}

/* The case ------------------------------------------------------------------------------------- */

/* What is compared: two objects, or NULL for an empty one. */
typedef struct quality_sides {
  const ee_value *expected, *candidate;
  bool no_expected;  /* the expected value is no object: an error of the judge */
  bool no_candidate; /* there is no object to judge */
  bool anything;     /* one of the documents has something at the path */
  ee_reason reason;  /* of no_candidate */
  ee_str reasoning;  /* likewise */
} quality_sides;

/* Where a path leads to the object, an expected one that is not there is an empty one; so is then the candidate's. */
static quality_sides find_sides(const ee_quality *quality, const ee_context *context) {
  const ee_case *current = context->current;
  const ee_value *expected = current->expected, *candidate = current->candidate;
  if (quality->path != NULL) {
    expected = ee_path_get(quality->path, expected, context->arena);
    candidate = ee_path_get(quality->path, candidate, context->arena);
  }
  quality_sides sides = {.anything = expected != NULL || candidate != NULL};
  bool nothing_expected = quality->path != NULL && ee_value_is_empty(expected, &quality->empty);
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
  } else if (quality->path != NULL && absent) {
    sides.reason = EE_REASON_OF("missing");
    sides.reasoning = EE_STR("no candidate object");
  } else {
    sides.reason = EE_REASON_OF("not an object");
    sides.reasoning = EE_STR("candidate is no object");
  }
  sides.no_candidate = true;
  sides.candidate = NULL;
  return sides;
}

/* "2/3 keys matched, 1 missing, 2 unexpected", "no key to compare, ...". */
static ee_str reasoning(const quality_case *c) {
  static const char matched[] = " keys matched, ", none[] = "no key to compare, ", missing[] = " missing, ",
                    unexpected[] = " unexpected";
  const size_t *counts = c->result->counts;
  char *text = ee_arena_alloc(c->arena, 4 * 20 + 1 + sizeof matched + sizeof none + sizeof missing + sizeof unexpected);
  char *out = text;
  if (c->result->compared > 0) {
    out = ee_findings_number(out, c->matched);
    *out++ = '/';
    out = ee_findings_number(out, c->result->compared);
    out = (char *)memcpy(out, matched, sizeof matched - 1) + sizeof matched - 1;
  } else {
    out = (char *)memcpy(out, none, sizeof none - 1) + sizeof none - 1;
  }
  out = ee_findings_number(out, counts[EE_QUALITY_MISSING]);
  out = (char *)memcpy(out, missing, sizeof missing - 1) + sizeof missing - 1;
  out = ee_findings_number(out, counts[EE_QUALITY_UNEXPECTED] + counts[EE_QUALITY_EXTRA]);
  out = (char *)memcpy(out, unexpected, sizeof unexpected - 1) + sizeof unexpected - 1;
  return (ee_str){text, (size_t)(out - text)};
}

/* `found` may be NULL. */
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

static void quality_judge_case(const ee_judge *judge, ee_context *context, ee_judge_result *result) {
  const ee_quality *quality = judge->data;
  quality_case *c = start_case(judge, context);
  quality_sides sides = find_sides(quality, context);
  bool *found = ee_arena_calloc(c->arena, judge->expected_path_count, sizeof *found);
  if (!sides.no_expected) find_keys(quality, context, &sides, found, &c->keys);
  if (quality->path != NULL) found[quality->entry_count] = sides.anything;
  ee_findings_start(&c->findings, c->arena, c->keys.expected_count);
  c->attributes = ee_arena_calloc(c->arena, c->keys.attribute_count, sizeof *c->attributes);
  if (sides.no_expected) fail(c, EE_STR("expected"), EE_REASON_OF("not an object"));
  if (c->keys.failure.kind != EE_REASON_NONE) fail(c, c->keys.failure_place, c->keys.failure);
  if (sides.no_candidate) ee_findings_note(&c->findings, EE_STR("candidate"), sides.reason);
  for (size_t i = 0; i < c->keys.count; i++) judge_key(c, i);
  /* What is judged again once its answers are there needs no functions called for it now. */
  bool for_good = !context->dry_run && context->pending_answers == 0;
  if (!c->failed && !sides.no_candidate && for_good) set_parts(c);
  c->result->keys = c->keys.items;
  c->result->key_count = c->keys.count;
  c->result->score_sum = ee_fixed_value(c->score_sum);
  set_attributes(c, result);
  ee_findings_finish(&c->findings, result);
  result->found = found;
  result->score = c->result->parts[EE_QUALITY_RQS];
  result->failed = c->failed;
  result->case_metrics = c->result->parts;
  result->details = c->result;
  result->reasoning = sides.no_candidate ? sides.reasoning : reasoning(c);
}

/* Observing ------------------------------------------------------------------------------------ */

static void quality_observe(const ee_judge *judge, ee_context *context, struct ee_strategy_usage *observed) {
  const ee_quality *quality = judge->data;
  for (size_t i = 0; i < quality->entry_count; i++) {
    const ee_quality_entry *entry = &quality->entries[i];
    ee_strategy_usage_mention(observed, entry->written, entry->name, entry->place);
  }
  quality_sides sides = find_sides(quality, context);
  if (sides.no_expected) return;
  ee_quality_keys keys;
  find_keys(quality, context, &sides, NULL, &keys);
  for (size_t i = 0; i < keys.count; i++) {
    const ee_quality_key *key = &keys.items[i];
    if (key->entry != NULL) {
      ee_strategy_usage_add(observed, key->entry->written, key->entry->name, key->entry->place);
    } else if (i < keys.expected_count && !ee_value_is_empty(key->expected, &quality->empty)) {
      const char *why;
      ee_quality_kind kind = ee_quality_choose(key->expected, context->arena, &why);
      ee_strategy_usage_add(observed, key->attribute, ee_quality_kind_names[kind], why);
    }
  }
}

const ee_judge_type ee_quality_judge = {
    .name = "quality",
    .help = "How complete, faithful and right a whole answer is, in one figure (RQS) and its parts.",
    .options = ee_quality_options,
    .compile = ee_quality_compile,
    .takes_path = true,
    .judge_case = quality_judge_case,
    .write_details = ee_quality_write_details,
    .list_keys = ee_quality_list_keys,
    .case_metrics = measures,
    .lower_is_better = lower_is_better,
    .observe = quality_observe,
    .print = ee_quality_print,
};
