/* code_judge.c: ee.code_judge { "name", script = "other.lua" }, another rule file as a judge of this one.
 *
 * The other rule file is a plan of its own, compiled through the loader and opened once a worker. A case is judged by
 * that plan in the same arena, with the provider session of the outer plan, so that its requests are sent with the
 * others of the case. */

#include "base/hash_index.h"
#include "base/memory.h"
#include "base/printable.h"
#include "base/runtime.h"
#include "judge/case.h"
#include "judge/details.h"
#include "judge/plan.h"
#include "judge/result.h"
#include "judge/strategy_usage.h"

#define SUBJECT "ee.code_judge"
/* Limit of the judges that one case enters through one judge: files that include others twice double them at each
 * level. */
#define INNER_JUDGE_LIMIT ((size_t)10000)

typedef struct code_judge {
  const ee_plan *plan;
  const char *script;     /* as found from the working directory */
  const ee_value *config; /* NULL: none given */
  const uint32_t *slots;  /* of several judges, by number: where the static attributes of each begin among ours */
} code_judge;

static const ee_option code_judge_options[] = {
    {.name = "script",
     .type = EE_OPTION_TEXT,
     .default_text = "must be given",
     .help = "The other rule file, relative to this file's folder."},
    {.name = "config",
     .lua_type = "table<string, any>",
     .type = EE_OPTION_TABLE,
     .is_data = true,
     .default_text = "{}",
     .help = "Plain data, ee.config of the other rule file."},
    {.name = NULL},
};

/* Compiling ------------------------------------------------------------------------------------ */

/* The file's name as found from the working directory; NULL with an error. */
static const char *compile_script(ee_plan_builder *builder, const ee_rule_node *node) {
  ee_rule_value script = ee_rule_node_get(node, "script");
  if (script.type == EE_RULE_NONE)
    ee_compile_error(builder, node, SUBJECT " has no script (write script = \"other.lua\")");
  if (script.type != EE_RULE_TEXT) return NULL; /* reported by the check of the options */
  if (ee_str_is_blank(script.text)) {
    ee_compile_error(builder, node, "option 'script' of " SUBJECT " is empty");
    return NULL;
  }
  if (memchr(script.text.data, '\0', script.text.length) != NULL) {
    ee_compile_error(builder, node, "option 'script' of " SUBJECT " contains a NUL");
    return NULL;
  }
  return ee_file_name_beside(builder->arena, node->file, script.text);
}

/* A run has one provider: if both files name one they must agree, if one does it serves both. */
static void share_provider(ee_plan_builder *builder, const ee_rule_node *node, const ee_plan *inner) {
  ee_provider_settings *outer = &builder->plan->provider;
  if (!inner->needs_provider || !inner->provider.named) return;
  if (!outer->named) {
    *outer = inner->provider;
  } else if (!ee_provider_settings_equal(outer, &inner->provider)) {
    ee_compile_error(builder, node, "%s names a different provider than %s:%zu (a run has one provider)", inner->file,
                     outer->rule_file != NULL ? outer->rule_file : "-", outer->line);
  }
}

static size_t count_attributes(const ee_plan *inner) {
  size_t count = 0;
  for (size_t i = 0; i < inner->judge_count; i++) count += inner->judges[i]->attribute_count;
  return count;
}

/* "JUDGE/ATTR". */
static ee_str joined_name(ee_arena *arena, ee_str judge, ee_str attribute) {
  size_t length = judge.length + 1 + attribute.length;
  char *text = ee_arena_alloc(arena, length + 1);
  memcpy(text, judge.data, judge.length);
  text[judge.length] = '/';
  if (attribute.length > 0) memcpy(text + judge.length + 1, attribute.data, attribute.length);
  text[length] = '\0';
  return (ee_str){text, length};
}

/* The attributes of a single judge as they are, those of several as "JUDGE/ATTRIBUTE". */
static void take_attributes(ee_plan_builder *builder, code_judge *code, ee_judge *judge) {
  const ee_plan *inner = code->plan;
  /* A judge without static attributes gets them from the data. */
  for (size_t i = 0; i < inner->judge_count; i++) {
    const ee_judge *one = inner->judges[i];
    judge->data_attributes |= one->data_attributes || one->attribute_count == 0;
    judge->brings_counts |= one->brings_counts;
  }
  judge->attribute_count = count_attributes(inner);
  if (inner->judge_count == 1) {
    judge->attributes = inner->judges[0]->attributes;
    return;
  }
  ee_attribute *attributes = EE_NEW_ARRAY(builder->arena, ee_attribute, judge->attribute_count);
  uint32_t *slots = EE_NEW_ARRAY(builder->arena, uint32_t, inner->judge_count), next = 0;
  for (size_t i = 0; i < inner->judge_count; i++) {
    const ee_judge *one = inner->judges[i];
    slots[one->number] = next;
    for (size_t k = 0; k < one->attribute_count; k++)
      attributes[next++] = (ee_attribute){.name = joined_name(builder->arena, one->name, one->attributes[k].name),
                                          .derived = one->attributes[k].derived};
  }
  judge->attributes = attributes;
  code->slots = slots;
}

/* Counts the judges that a case enters; false with an error when there are too many. */
static bool count_inside(ee_plan_builder *builder, const ee_rule_node *node, const ee_plan *inner, ee_judge *judge) {
  judge->inside = inner->judge_count;
  for (size_t i = 0; i < inner->judge_count; i++) judge->inside += inner->judges[i]->inside;
  if (judge->inside <= INNER_JUDGE_LIMIT) return true;
  ee_compile_error(builder, node, "'%s' and the rule files that it includes have more than %zu judges", inner->file,
                   INNER_JUDGE_LIMIT);
  return false;
}

/* The other rule file and its config are part of what identifies an evaluation. */
static void mix_hash(ee_plan_builder *builder, const code_judge *code) {
  uint64_t hashes[] = {code->plan->rules_hash, ee_value_hash(code->config)};
  builder->plan->rules_hash = ee_hash_numbers(hashes, sizeof *hashes, 2, builder->plan->rules_hash);
}

static void code_judge_compile(ee_plan_builder *builder, const ee_rule_node *node, ee_judge *judge) {
  code_judge *code = EE_NEW(builder->arena, code_judge);
  judge->data = code;
  ee_compile_name(builder, node, SUBJECT, "", judge);
  code->script = compile_script(builder, node);
  bool good = ee_compile_config(builder, node, SUBJECT, &code->config) && code->script != NULL;
  if (builder->loader == NULL) {
    ee_compile_error(builder, node, SUBJECT " cannot be used here: rule files inside rule files are not loaded");
    good = false;
  }
  if (!good) return;
  size_t errors_before = builder->errors->count;
  code->plan = builder->loader->load(builder->loader->user, code->script, code->config, builder->errors);
  if (code->plan == NULL) {
    /* Errors inside the file have a place there. A file that cannot be read, or that includes itself, has none: report
     * it where it is named. */
    const ee_error_list *errors = builder->errors;
    if (errors->count == errors_before || errors->items[errors->count - 1].line == 0)
      ee_compile_error(builder, node, "'%s' does not load", code->script);
    return;
  }
  if (!count_inside(builder, node, code->plan, judge)) return;
  share_provider(builder, node, code->plan);
  take_attributes(builder, code, judge);
  mix_hash(builder, code);
  ee_compile_add_warnings(builder, code->plan->warnings, code->plan->warning_count);
  judge->uses_provider = code->plan->compares_by_provider;
  judge->asks_model = code->plan->asks_model;
  judge->runs_program = code->plan->runs_programs;
  judge->takes_text = !code->plan->paths.looks_inside;
  judge->calls_inner_script = code->plan->needs_script;
  for (size_t i = 0; i < code->plan->judge_count; i++)
    judge->calls_inner_script |= code->plan->judges[i]->calls_inner_script;
}

/* What a worker keeps -------------------------------------------------------------------------- */

/* The inner plan uses the outer session, so it opens none. */
static ee_status code_judge_open(const ee_judge *judge, const ee_open_plan *open, void **state, ee_error *error) {
  const code_judge *code = judge->data;
  ee_open_plan *inner = ee_malloc(sizeof *inner);
  *state = inner;
  return ee_open_plan_init(inner, code->plan, NULL, open->interrupted, error);
}

static void code_judge_close(const ee_judge *judge, void *state) {
  (void)judge;
  ee_open_plan_fini(state);
  ee_free(state);
}

/* Judging -------------------------------------------------------------------------------------- */

/* Judges the case by the other plan and adds up its counters. */
static ee_case_result *judge_inner(const ee_judge *judge, ee_context *context) {
  const code_judge *code = judge->data;
  ee_context inner = ee_open_plan_context(context->states[judge->number], context->arena);
  inner.session = context->session;
  inner.detail = context->detail;
  inner.dry_run = context->dry_run;
  inner.is_final_round = context->is_final_round;
  inner.rule_errors = context->rule_errors;
  inner.warnings = context->warnings;
  ee_case_result *result = EE_NEW(context->arena, ee_case_result);
  ee_plan_judge_once(code->plan, &inner, context->current, result);
  context->rule_error_count += inner.rule_error_count;
  context->pending_answers += inner.pending_answers;
  context->provider_failures += inner.provider_failures;
  context->given_up += inner.given_up;
  for (size_t i = 0; i < result->judge_count; i++) context->fallbacks += result->judges[i].fallbacks;
  return result;
}

/* The findings of all judges; before the misses the error of the score function. */
static const ee_finding *join_findings(ee_context *context, const ee_case_result *inner, bool hits, size_t *count) {
  bool score_error = !hits && inner->score_error.length > 0;
  size_t total = score_error;
  for (size_t i = 0; i < inner->judge_count; i++)
    total += hits ? inner->judges[i].hit_count : inner->judges[i].miss_count;
  ee_finding *all = ee_arena_alloc(context->arena, total * sizeof *all);
  *count = 0;
  if (score_error)
    all[(*count)++] = (ee_finding){
        .path = EE_STR("score"), .row = EE_NO_ROW, .reason = {.kind = EE_REASON_TEXT, .text = inner->score_error}};
  for (size_t i = 0; i < inner->judge_count; i++) {
    const ee_judge_result *one = &inner->judges[i];
    size_t length = hits ? one->hit_count : one->miss_count;
    if (length > 0) memcpy(&all[*count], hits ? one->hits : one->misses, length * sizeof *all);
    *count += length;
  }
  return all;
}

/* "header: 3/4 fields matched; lines: ...". */
static ee_str join_reasonings(ee_context *context, const ee_case_result *inner) {
  size_t total = 0;
  for (size_t i = 0; i < inner->judge_count; i++)
    total += inner->judges[i].judge->name.length + inner->judges[i].reasoning.length + 4;
  char *text = ee_arena_alloc(context->arena, total + 1), *out = text;
  for (size_t i = 0; i < inner->judge_count; i++) {
    const ee_judge_result *one = &inner->judges[i];
    if (one->reasoning.length == 0) continue;
    const ee_str parts[] = {out > text ? EE_STR("; ") : EE_STR(""), one->judge->name, EE_STR(": "), one->reasoning};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
      if (parts[k].length > 0) memcpy(out, parts[k].data, parts[k].length);
      out += parts[k].length;
    }
  }
  *out = '\0';
  return (ee_str){text, (size_t)(out - text)};
}

/* The slot and the name that an attribute of one of several judges of the other file has here. */
static void join_attribute(const ee_judge *judge, ee_context *context, const ee_judge_result *one, int32_t *slot,
                           ee_str *name) {
  const code_judge *code = judge->data;
  if (*slot >= 0) {
    *slot += (int32_t)code->slots[one->judge->number];
    *name = judge->attributes[*slot].name;
  } else {
    *name = joined_name(context->arena, one->judge->name, *name);
  }
}

/* The values that the other file's judges could not read. */
static void join_unread(const ee_judge *judge, ee_context *context, const ee_case_result *inner) {
  for (size_t i = 0; i < inner->judge_count; i++) {
    const ee_judge_result *one = &inner->judges[i];
    for (size_t k = 0; k < one->unread_count; k++) {
      ee_unread *unread = EE_LIST_ADD(&context->unread, context->arena);
      *unread = one->unread[k];
      if (inner->judge_count > 1) join_attribute(judge, context, one, &unread->slot, &unread->attribute);
    }
  }
}

static void join_attributes(const ee_judge *judge, ee_context *context, const ee_case_result *inner,
                            ee_judge_result *result) {
  size_t total = 0;
  for (size_t i = 0; i < inner->judge_count; i++) total += inner->judges[i].attribute_count;
  ee_attribute_result *all = ee_arena_alloc(context->arena, total * sizeof *all);
  size_t count = 0;
  for (size_t i = 0; i < inner->judge_count; i++) {
    const ee_judge_result *one = &inner->judges[i];
    for (size_t k = 0; k < one->attribute_count; k++) {
      ee_attribute_result attribute = one->attributes[k];
      join_attribute(judge, context, one, &attribute.slot, &attribute.name);
      all[count++] = attribute;
    }
  }
  result->attributes = all;
  result->attribute_count = total;
}

static void code_judge_judge_case(const ee_judge *judge, ee_context *context, ee_judge_result *result) {
  const ee_case_result *inner = judge_inner(judge, context);
  if (context->dry_run) return;
  result->details = inner;
  result->corrections = &inner->corrections;
  result->score = inner->score;
  result->vacuous = true;
  result->unscored = inner->unscored;
  for (size_t i = 0; i < inner->judge_count; i++) {
    result->vacuous &= inner->judges[i].vacuous;
    result->failed |= inner->judges[i].failed;
    if (result->fault == NULL) result->fault = inner->judges[i].fault;
  }
  if (inner->score_error.length > 0) {
    result->vacuous = false;
    result->failed = true;
  }
  join_unread(judge, context, inner);
  const ee_judge_result *only = inner->judge_count == 1 ? &inner->judges[0] : NULL;
  if (only != NULL && inner->score_error.length == 0) {
    result->hits = only->hits;
    result->hit_count = only->hit_count;
    result->misses = only->misses;
    result->miss_count = only->miss_count;
  } else {
    result->hits = join_findings(context, inner, true, &result->hit_count);
    result->misses = join_findings(context, inner, false, &result->miss_count);
  }
  if (only != NULL) {
    result->reasoning = only->reasoning;
    result->attributes = only->attributes;
    result->attribute_count = only->attribute_count;
  } else {
    result->reasoning = join_reasonings(context, inner);
    join_attributes(judge, context, inner, result);
  }
}

/* The details of the other file's judges; {} when judging failed before it began. */
static void code_judge_write_details(const ee_judge_result *result, ee_arena *scratch, ee_buffer *out) {
  if (result->details != NULL)
    ee_details_write_case(result->details, scratch, out);
  else
    EE_JSON_ADD(out, "{}");
}

static void code_judge_observe(const ee_judge *judge, ee_context *context, ee_strategy_usage *observed) {
  const code_judge *code = judge->data;
  ee_context inner = *context;
  inner.plan = code->plan;
  for (size_t i = 0; i < code->plan->judge_count; i++) {
    const ee_judge *one = code->plan->judges[i];
    if (one->type->observe != NULL) one->type->observe(one, &inner, observed);
  }
}

/* Prints the other plan, indented by two more spaces. */
static void code_judge_print(const ee_judge *judge, ee_buffer *out) {
  const code_judge *code = judge->data;
  ee_add_shown(out, "  script ", ee_str_from(code->script), "\n");
  ee_buffer text;
  ee_buffer_init(&text);
  ee_plan_print(code->plan, &text);
  for (size_t at = 0; at < text.length;) {
    const char *end = memchr(text.data + at, '\n', text.length - at);
    size_t length = end != NULL ? (size_t)(end - text.data) + 1 - at : text.length - at;
    ee_buffer_add_text(out, "    ");
    ee_buffer_add(out, text.data + at, length);
    at += length;
  }
  ee_buffer_fini(&text);
}

const ee_judge_type ee_code_judge = {
    .name = "code_judge",
    .help = "Another rule file as a judge of this one.",
    .positional = "[1] string?",
    .options = code_judge_options,
    .compile = code_judge_compile,
    .as_written = true,
    .judge_case = code_judge_judge_case,
    .write_details = code_judge_write_details,
    .observe = code_judge_observe,
    .open = code_judge_open,
    .close = code_judge_close,
    .print = code_judge_print,
};
