/* field.c: compiling one field, and classing and scoring one pair of its values. */
#include "judge/fields/field.h"

#include "data/json/json_writer.h"
#include "judge/plan.h"

/* Compiling -------------------------------------------------------------------------------------------------------- */

/* How messages call the strategy that a node makes. */
static const char *subject_of(ee_plan_builder *builder, const ee_spec *spec) {
  ee_spec_value node = {.type = EE_SPEC_NODE, .spec = spec};
  return ee_spec_describe(&node, builder->arena);
}

static const ee_path *parse_path(ee_plan_builder *builder, const ee_spec *spec, ee_str text) {
  ee_error error = {0};
  const ee_path *path = ee_path_parse(builder->arena, text, &error);
  if (path == NULL) ee_plan_error(builder, spec, "bad path: %s", error.message);
  return path;
}

static const ee_path *compile_path(ee_plan_builder *builder, const ee_spec *spec) {
  if (spec->item_count > 0 && spec->items[0].type == EE_SPEC_TEXT)
    return parse_path(builder, spec, spec->items[0].text);
  const char *subject = subject_of(builder, spec);
  if (spec->item_count == 0) {
    ee_plan_error(builder, spec, "%s needs a path as its first value", subject);
  } else {
    ee_plan_error(builder, spec, "%s needs a path (a string) as its first value, got %s", subject,
                  ee_spec_describe(&spec->items[0], builder->arena));
  }
  return NULL;
}

static void check_wildcards(ee_plan_builder *builder, const ee_spec *spec, bool allowed, const ee_path *expected,
                            const ee_path *candidate) {
  const ee_path *with = expected->wildcards > 0 ? expected : candidate;
  if (with->wildcards > 0 && !allowed) {
    ee_plan_error(builder, spec, "path '%.*s' has a [*], which only ee.fields takes", (int)with->text.length,
                  with->text.data);
  } else if (expected->wildcards != candidate->wildcards) {
    ee_plan_error(builder, spec, "path '%.*s' and its candidate path '%.*s' differ in their number of [*]",
                  (int)expected->text.length, expected->text.data, (int)candidate->text.length, candidate->text.data);
  }
}

bool ee_field_compile(ee_plan_builder *builder, const ee_spec *spec, bool allow_wildcard, ee_field *field) {
  size_t errors_before = builder->errors->count;
  *field = (ee_field){.when = EE_NO_FUNCTION};
  field->strategy = ee_strategy_compile(builder, spec);
  if (field->strategy == NULL) return false;
  field->ignored = strcmp(field->strategy->type->name, "ignore") == 0;
  field->expected_path = compile_path(builder, spec);
  field->candidate_path = field->expected_path;
  ee_spec_value candidate = ee_spec_get(spec, "candidate");
  /* A candidate path that cannot be parsed was reported by the check of the options. */
  if (candidate.type == EE_SPEC_TEXT) {
    ee_error ignored;
    field->candidate_path = ee_path_parse(builder->arena, candidate.text, &ignored);
  }
  if (field->expected_path != NULL && field->candidate_path != NULL) {
    check_wildcards(builder, spec, allow_wildcard, field->expected_path, field->candidate_path);
  }
  ee_spec_value name = ee_spec_get(spec, "name");
  if (name.type == EE_SPEC_TEXT && ee_str_is_blank(name.text)) {
    ee_plan_error(builder, spec, "option 'name' of %s is empty", subject_of(builder, spec));
  }
  if (name.type == EE_SPEC_TEXT) {
    field->name = name.text;
  } else if (field->expected_path != NULL) {
    field->name = field->expected_path->text;
  }
  field->weight = ee_option_number(spec, "weight", 1);
  field->required = ee_option_bool(spec, "required", true);
  field->when = ee_option_function(spec, "when");
  return builder->errors->count == errors_before;
}

/* Judging ---------------------------------------------------------------------------------------------------------- */

/* ee_value_is_empty(), decided here for what nearly all values are: a number, or a text that begins with a visible
 * ASCII character, where no texts are listed as empty. */
static inline bool is_empty(const ee_value *value, const ee_empty_rule *rule) {
  if (value != NULL && rule->null_value_count == 0) {
    ee_type type = ee_type_of(value);
    if (type == EE_NUMBER) return false;
    char first = type == EE_STRING ? value->json.valuestring[0] : '\0';
    if (first > ' ' && first < 0x7f) return false;
  }
  return ee_value_is_empty(value, rule);
}

static void judge_nothing(ee_field_rules rules, ee_field_outcome *outcome) {
  *outcome = (ee_field_outcome){.value_class = EE_CLASS_TN,
                                .score = 1,
                                .scored = rules.tn == EE_TN_SCORE,
                                .comparison = {.score = 1, .matched = true, .similarity = 1}};
}

static void judge_unexpected(ee_field_rules rules, ee_field_outcome *outcome) {
  double score = rules.unexpected == EE_UNEXPECTED_PASS ? 1 : 0;
  *outcome = (ee_field_outcome){.value_class = EE_CLASS_INVENTED,
                                .score = score,
                                .scored = rules.unexpected != EE_UNEXPECTED_SKIP,
                                .comparison = {.score = score, .reason = {.kind = EE_REASON_UNEXPECTED}}};
}

static void judge_missing(bool required, ee_field_outcome *outcome) {
  ee_reason_kind kind = required ? EE_REASON_REQUIRED_MISSING : EE_REASON_OPTIONAL_MISSING;
  *outcome =
      (ee_field_outcome){.value_class = EE_CLASS_MISSING, .scored = required, .comparison = {.reason = {.kind = kind}}};
}

void ee_field_judge(const ee_field *field, ee_field_rules rules, ee_context *context, const ee_value *expected,
                    const ee_value *candidate, const ee_script_place *place, ee_field_outcome *outcome) {
  const ee_strategy *strategy = field->strategy;
  bool no_expected = is_empty(expected, &strategy->empty);
  bool no_candidate = is_empty(candidate, &strategy->empty);
  if (no_expected && no_candidate) {
    judge_nothing(rules, outcome);
  } else if (no_expected) {
    judge_unexpected(rules, outcome);
  } else if (no_candidate) {
    judge_missing(field->required, outcome);
  } else {
    ee_strategy_compare(strategy, context, expected, candidate, place, &outcome->comparison);
    outcome->value_class = outcome->comparison.matched ? EE_CLASS_TP : EE_CLASS_WRONG;
    outcome->score = outcome->comparison.score;
    outcome->scored = true;
  }
}

/* Printing --------------------------------------------------------------------------------------------------------- */

static void print_value(const ee_spec_value *value, ee_buffer *out);

static void print_table(const ee_spec *table, ee_buffer *out) {
  ee_buffer_add_char(out, '{');
  for (size_t i = 0; i < table->item_count; i++) {
    ee_buffer_add_text(out, i == 0 ? " " : ", ");
    print_value(&table->items[i], out);
  }
  for (size_t i = 0; i < table->option_count; i++) {
    ee_buffer_add_text(out, i + table->item_count == 0 ? " " : ", ");
    ee_buffer_add_str(out, table->options[i].name);
    ee_buffer_add_text(out, " = ");
    print_value(&table->options[i].value, out);
  }
  ee_buffer_add_text(out, " }");
}

static void print_value(const ee_spec_value *value, ee_buffer *out) {
  switch (value->type) {
  case EE_SPEC_BOOL: ee_buffer_add_text(out, value->boolean ? "true" : "false"); break;
  case EE_SPEC_NUMBER: ee_json_write_number(out, value->number); break;
  case EE_SPEC_TEXT: ee_json_write_string(out, value->text); break;
  case EE_SPEC_TABLE: print_table(value->spec, out); break;
  case EE_SPEC_FUNCTION: ee_buffer_add_text(out, "function"); break;
  case EE_SPEC_NODE:
    ee_buffer_add_str(out, value->spec->kind);
    if (value->spec->item_count + value->spec->option_count > 0) print_table(value->spec, out);
    break;
  case EE_SPEC_NULL: ee_buffer_add_text(out, "ee.null"); break;
  case EE_SPEC_NONE: ee_buffer_add_text(out, "nil"); break;
  }
}

void ee_field_print(const ee_field *field, ee_buffer *out) {
  const ee_spec *spec = field->strategy->spec;
  ee_buffer_add_str(out, field->expected_path->text);
  ee_buffer_add_text(out, "  ");
  ee_buffer_add_str(out, field->strategy->name);
  bool any = false;
  for (size_t i = 1; i < spec->item_count; i++) {
    ee_buffer_add_text(out, any ? ", " : "(");
    print_value(&spec->items[i], out);
    any = true;
  }
  for (size_t i = 0; i < spec->option_count; i++) {
    if (ee_str_is(spec->options[i].name, "weight")) continue;
    ee_buffer_add_text(out, any ? ", " : "(");
    ee_buffer_add_str(out, spec->options[i].name);
    ee_buffer_add_text(out, " = ");
    print_value(&spec->options[i].value, out);
    any = true;
  }
  if (any) ee_buffer_add_char(out, ')');
  if (field->ignored) return;
  ee_buffer_add_text(out, "  weight ");
  ee_json_write_number(out, field->weight);
}
