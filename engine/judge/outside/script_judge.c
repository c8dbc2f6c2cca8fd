/* script_judge.c: ee.judge { "name", function }, a judge written in the rule file. */
#include "judge/details.h"

#include "base/printable.h"
#include "judge/outside/protocol.h"
#include "judge/plan.h"
#include "judge/result.h"
#include "prim/number.h"

typedef struct script_judge {
  int function;
} script_judge;

static const ee_option script_judge_options[] = {
    {.name = "needs_expected",
     .type = EE_OPTION_BOOL,
     .default_text = "true",
     .help =
         "false: cases without an expected value are judged, too, if no other judge needs one; it is ee.null then."},
    {.name = NULL},
};

static void script_compile(ee_plan_builder *builder, const ee_rule_node *node, ee_judge *judge) {
  script_judge *script = EE_NEW(builder->arena, script_judge);
  script->function = EE_NO_FUNCTION;
  judge->data = script;
  judge->calls_script = judge->brings_counts = judge->takes_text = true;
  judge->ignores_expected = !ee_option_bool(node, "needs_expected", true);
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

static void fail(const ee_judge *judge, ee_context *context, const ee_error *error, ee_judge_result *result) {
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
static bool check_count_names(const ee_value *metrics, ee_str attribute, const ee_rule_node *node, ee_error *error) {
  static const char *const names[] = {"tp", "tn", "fp", "fn", "precision", "recall", "f1", NULL};
  for (const ee_value *entry = ee_value_child(metrics); entry != NULL; entry = ee_value_next(entry)) {
    ee_str key = ee_value_key(entry);
    size_t i = 0;
    while (names[i] != NULL && !ee_str_is(key, names[i])) i++;
    if (names[i] != NULL) continue;
    ee_error_at(error, EE_ERROR_RULES, node->file, node->line, 0,
                "details.metrics['%.*s'] has an unknown count '%.*s' (tp, tn, fp, fn)",
                (int)ee_utf8_cut(attribute, 100), attribute.data, (int)ee_utf8_cut(key, 100), key.data);
    return false;
  }
  return true;
}

/* Reads details.metrics, if present, as attributes. */
static bool read_metrics(const ee_value *details, ee_context *context, const ee_rule_node *node,
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
    if (!check_count_names(entry, name, node, error)) return false;
    ee_attribute_result *attribute = &attributes[count++];
    *attribute = (ee_attribute_result){.name = name, .slot = -1};
    if (!read_count(entry, name, "tp", &attribute->counts.tp, node, error)) return false;
    if (!read_count(entry, name, "tn", &attribute->counts.tn, node, error)) return false;
    if (!read_count(entry, name, "fp", &attribute->counts.fp, node, error)) return false;
    if (!read_count(entry, name, "fn", &attribute->counts.fn, node, error)) return false;
  }
  result->attributes = attributes;
  result->attribute_count = count;
  return true;
}

static void script_judge_case(const ee_judge *judge, ee_context *context, ee_judge_result *result) {
  const script_judge *script = judge->data;
  ee_script_judgement answer = {0};
  ee_error error = {0};
  if (context->plan->vtable->judge(context->script, script->function, &answer, &error) != EE_OK) {
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
  if (answer.details != NULL && !read_metrics(answer.details, context, judge->node, result, &error)) {
    fail(judge, context, &error, result);
    return;
  }
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
  result->details = answer.details;
}

static void script_print(const ee_judge *judge, ee_buffer *out) {
  ee_add_shown(out, "  function of ", ee_str_from(judge->node->file != NULL ? judge->node->file : "-"), "");
  ee_buffer_addf(out, ":%zu  (calls Lua)\n", judge->node->line);
}

const ee_judge_type ee_script_judge = {
    .name = "judge",
    .help = "A Lua function of the case.",
    .positional = "[integer] string|ee.judge_function",
    .options = script_judge_options,
    .compile = script_compile,
    .judge_case = script_judge_case,
    .write_details = ee_details_write_value,
    .print = script_print,
};
