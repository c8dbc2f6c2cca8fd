/* agentv_types.c: what an evaluator of a YAML data set is and what it is called; mistakes, and what is left out. */
#include "judge/outside/agentv_node.h"

#include <stdarg.h>
#include <stdio.h>

#include "judge/geometry/shape.h"

/* Bytes of a name in a message. */
#define NAME_SHOWN 100

/* Telling -------------------------------------------------------------------------------------- */

void ee_agentv_report(ee_agentv_builder *builder, ee_status status, const ee_value *node, const char *format, ...) {
  size_t *count = status != EE_OK ? &builder->mistakes : &builder->warnings;
  if (++*count > EE_AGENTV_REPORTED) return;
  char message[sizeof((ee_error *)NULL)->message];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  message[ee_utf8_valid_prefix(message, strlen(message))] = '\0';
  struct ee_yaml_place place = ee_case_file_place(builder->file, node);
  ee_error error;
  ee_error_at(&error, status, builder->file->name, place.line, place.column, "%s", message);
  ee_error_list_add(builder->errors, &error);
}

const char *ee_agentv_suggestion(ee_agentv_builder *builder, ee_str word, const char *const *words) {
  const char *found = ee_did_you_mean(ee_arena_copy(builder->arena, word.data, word.length), words);
  return found == NULL ? "" : ee_arena_printf(builder->arena, " (did you mean '%s'?)", found);
}

const char *ee_agentv_quoted(ee_agentv_builder *builder, ee_str name) {
  return ee_arena_printf(builder->arena, "'%.*s'", (int)ee_utf8_cut(name, NAME_SHOWN), name.data);
}

void ee_agentv_note(ee_agentv_builder *builder, const char *what, const char *why, bool is_option, const ee_value *node,
                    ee_str name) {
  for (size_t i = 0; i < builder->word_count; i++) {
    if (strcmp(builder->words[i].what, what) != 0) continue;
    builder->words[i].count++;
    return;
  }
  if (builder->word_count == builder->word_capacity) {
    size_t capacity = builder->word_capacity > 0 ? builder->word_capacity * 2 : 8;
    ee_agentv_word *words = EE_NEW_ARRAY(builder->arena, ee_agentv_word, capacity);
    if (builder->word_count > 0) memcpy(words, builder->words, builder->word_count * sizeof *words);
    builder->words = words;
    builder->word_capacity = capacity;
  }
  builder->words[builder->word_count++] =
      (ee_agentv_word){.what = what, .why = why, .is_option = is_option, .first = node, .name = name, .count = 1};
}

void ee_agentv_report_words(ee_agentv_builder *builder) {
  const char *file = builder->file->name;
  if (builder->mistakes > EE_AGENTV_REPORTED)
    ee_error_list_addf(builder->errors, EE_ERROR_RULES, file, 0, "%zu more mistakes in the evaluators",
                       builder->mistakes - EE_AGENTV_REPORTED);
  if (builder->warnings > EE_AGENTV_REPORTED)
    ee_error_list_addf(builder->errors, EE_OK, file, 0, "%zu more words about the evaluators",
                       builder->warnings - EE_AGENTV_REPORTED);
  builder->warnings = 0; /* what follows is little */
  for (size_t i = 0; i < builder->word_count; i++) {
    const ee_agentv_word *word = &builder->words[i];
    const char *name = word->name.data != NULL ? ee_agentv_quoted(builder, word->name) : NULL;
    const char *first = name != NULL ? ee_arena_printf(builder->arena, " (the first is %s)", name) : "";
    if (word->is_option && word->count == 1) {
      ee_agentv_report(builder, EE_OK, word->first, "option '%s' of evaluator %s is left aside: %s", word->what, name,
                       word->why);
    } else if (word->is_option) {
      ee_agentv_report(builder, EE_OK, word->first, "option '%s' of %zu evaluators%s is left aside: %s", word->what,
                       word->count, first, word->why);
    } else if (word->count == 1) {
      ee_agentv_report(builder, EE_OK, word->first, "%s%s %s is left out: %s",
                       name != NULL ? "evaluator " : "an evaluator", name != NULL ? name : "", word->what, word->why);
    } else {
      ee_agentv_report(builder, EE_OK, word->first, "%zu evaluators %s%s are left out: %s", word->count, word->what,
                       first, word->why);
    }
  }
}

/* Types ---------------------------------------------------------------------------------------- */

#define MODEL "that needs a model"
#define TRACE "that needs a trace of the run"
#define TEXT "that looks at text, and answers are judged as values here"
#define CODE "that is code of another program"
#define GROUP "groups of evaluators are not followed"

static const struct type_row {
  const char *name;
  ee_agentv_kind kind;
  const char *why; /* of one that is left out */
} types[] = {
    {"field_accuracy", EE_AGENTV_FIELDS, NULL},
    {"iou_score", EE_AGENTV_IOU, NULL},
    {"code_judge", EE_AGENTV_CODE, NULL},
    {"code_grader", EE_AGENTV_CODE, NULL},
    {"script", EE_AGENTV_CODE, NULL},
    {"llm_judge", EE_AGENTV_NONE, MODEL},
    {"llm_grader", EE_AGENTV_NONE, MODEL},
    {"llm_rubric", EE_AGENTV_NONE, MODEL},
    {"agent_rubric", EE_AGENTV_NONE, MODEL},
    {"rubric", EE_AGENTV_NONE, MODEL},
    {"rubrics", EE_AGENTV_NONE, MODEL},
    {"g_eval", EE_AGENTV_NONE, MODEL},
    {"similar", EE_AGENTV_NONE, MODEL},
    {"tool_trajectory", EE_AGENTV_NONE, TRACE},
    {"skill_used", EE_AGENTV_NONE, TRACE},
    {"skill_trigger", EE_AGENTV_NONE, TRACE},
    {"latency", EE_AGENTV_NONE, TRACE},
    {"cost", EE_AGENTV_NONE, TRACE},
    {"token_usage", EE_AGENTV_NONE, TRACE},
    {"execution_metrics", EE_AGENTV_NONE, TRACE},
    {"contains", EE_AGENTV_NONE, TEXT},
    {"contains_any", EE_AGENTV_NONE, TEXT},
    {"contains_all", EE_AGENTV_NONE, TEXT},
    {"icontains", EE_AGENTV_NONE, TEXT},
    {"icontains_any", EE_AGENTV_NONE, TEXT},
    {"icontains_all", EE_AGENTV_NONE, TEXT},
    {"starts_with", EE_AGENTV_NONE, TEXT},
    {"ends_with", EE_AGENTV_NONE, TEXT},
    {"regex", EE_AGENTV_NONE, TEXT},
    {"equals", EE_AGENTV_NONE, TEXT},
    {"is_json", EE_AGENTV_NONE, TEXT},
    {"javascript", EE_AGENTV_NONE, CODE},
    {"python", EE_AGENTV_NONE, CODE},
    {"webhook", EE_AGENTV_NONE, CODE},
    {"composite", EE_AGENTV_NONE, GROUP},
    {"assert_set", EE_AGENTV_NONE, GROUP},
};
enum { TYPE_COUNT = sizeof types / sizeof *types };

static bool begins_with(const char *text, const char *start) { return strncmp(text, start, strlen(start)) == 0; }

const char *ee_agentv_word_of(ee_arena *arena, ee_str word) {
  char *text = ee_arena_copy(arena, word.data, word.length);
  for (char *at = text; *at != '\0'; at++) {
    if (*at == '-') *at = '_';
  }
  return text;
}

static const struct type_row *find_type(const char *name) {
  static const struct type_row trajectory = {"trajectory", EE_AGENTV_NONE, TRACE};
  for (size_t i = 0; i < TYPE_COUNT; i++) {
    if (strcmp(name, types[i].name) == 0) return &types[i];
  }
  if (begins_with(name, "trajectory:")) return &trajectory;
  if (!begins_with(name, "not_")) return NULL;
  /* The opposite of what is left out is left out too. */
  const struct type_row *opposite = find_type(name + strlen("not_"));
  return opposite != NULL && opposite->kind == EE_AGENTV_NONE ? opposite : NULL;
}

/* The text at one of two keys, of which the first wins; data NULL when neither holds one. */
static ee_str text_at(const ee_value *node, const char *key, const char *other) {
  const ee_value *value = ee_value_member(node, ee_str_from(key), NULL);
  if (ee_type_of(value) <= EE_NULL) value = ee_value_member(node, ee_str_from(other), NULL);
  return ee_type_of(value) == EE_STRING ? ee_value_text(value) : (ee_str){NULL, 0};
}

ee_agentv_kind ee_agentv_kind_of(ee_agentv_builder *builder, const ee_value *node) {
  const ee_value *type = ee_value_member(node, EE_STR("type"), NULL);
  ee_str name = text_at(node, "name", "metric");
  if (ee_type_of(type) <= EE_NULL && ee_value_member(node, EE_STR("include"), NULL) != NULL) {
    ee_agentv_note(builder, "by 'include'", "files of evaluators are not followed", false, node, name);
    return EE_AGENTV_NONE;
  }
  if (ee_type_of(type) != EE_STRING) {
    const char *who = name.data != NULL
                          ? ee_arena_printf(builder->arena, "evaluator %s", ee_agentv_quoted(builder, name))
                          : "an evaluator";
    if (ee_type_of(type) <= EE_NULL) {
      ee_agentv_report(builder, EE_ERROR_RULES, node, "%s has no type", who);
    } else {
      ee_agentv_report(builder, EE_ERROR_RULES, type, "the type of %s must be a string, got %s", who,
                       ee_type_name(type));
    }
    return EE_AGENTV_NONE;
  }
  const char *word = ee_agentv_word_of(builder->arena, ee_value_text(type));
  const struct type_row *row = find_type(word);
  if (row == NULL) {
    const char *words[TYPE_COUNT + 1];
    for (size_t i = 0; i < TYPE_COUNT; i++) words[i] = types[i].name;
    words[TYPE_COUNT] = NULL;
    const char *hint = ee_agentv_suggestion(builder, ee_str_from(word), words);
    ee_agentv_report(builder, EE_ERROR_RULES, type, "unknown type %s of an evaluator%s",
                     ee_agentv_quoted(builder, ee_value_text(type)),
                     *hint != '\0' ? hint : ": field_accuracy, iou_score and code_judge are known");
    return EE_AGENTV_NONE;
  }
  if (row->kind == EE_AGENTV_NONE)
    ee_agentv_note(builder, ee_arena_printf(builder->arena, "of type %s", ee_agentv_quoted(builder, ee_str_from(word))),
                   row->why, false, node, name);
  return row->kind;
}

bool ee_agentv_is_overlap(const ee_value *node) {
  const ee_value *metric = ee_value_member(node, EE_STR("metric"), NULL);
  if (ee_type_of(metric) != EE_STRING) return false;
  for (int i = EE_OVERLAP_IOU; i <= EE_OVERLAP_IOA; i++) {
    if (ee_str_is(ee_value_text(metric), ee_overlap_name((ee_overlap_metric)i))) return true;
  }
  return ee_type_of(ee_value_member(node, EE_STR("name"), NULL)) > EE_NULL;
}

ee_str ee_agentv_name(ee_agentv_builder *builder, ee_agentv_kind kind, const ee_value *node) {
  bool metric_names = kind != EE_AGENTV_IOU || !ee_agentv_is_overlap(node);
  ee_str name = text_at(node, "name", metric_names ? "metric" : "name");
  if (name.data != NULL && !ee_str_is_blank(name)) return name;
  const ee_value *type = ee_value_member(node, EE_STR("type"), NULL);
  return ee_str_from(ee_agentv_word_of(builder->arena, ee_value_text(type)));
}
