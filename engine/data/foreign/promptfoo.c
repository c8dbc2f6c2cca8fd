/* promptfoo.c: results of promptfoo (github.com/promptfoo/promptfoo, src/types/index.ts: EvaluateResult, and files
 * written by its release 0.123.1).
 *
 * `promptfoo eval -o FILE.json` and `promptfoo export` write one object whose results are at results.results, since
 * version 2 of the format beside `results.version`; what its Node package returns has them at `results`; FILE.jsonl has
 * one result a line. A result is one test for one provider and one prompt, so a file with several of these has several
 * runs, which must not be mixed.
 *
 * The expected value is, in this order: a variable with a name that says so (`expected`, `ground_truth`, ...), or the
 * value of the first assertion that names a reference: equals, contains-json and is-json do not, since their value is a
 * part or a schema. A value that is one template, "{{name}}", is that variable. */
#include "data/foreign/foreign.h"

#include <string.h>

enum { NO_OUTPUT, NO_EXPECTED, OTHER_ASSERTS, TEMPLATE, RUBRIC };

static const char *const notes[] = {
    [NO_OUTPUT] = "an error instead of an output, judged as an empty candidate",
    [NO_EXPECTED] = "neither a variable called 'expected' nor an assertion such as equals has an expected value: "
                    "--expected-path vars.NAME names another variable, --expected FILE a file of expected values",
    [OTHER_ASSERTS] = "assertions of promptfoo such as contains or javascript are not judged here; what promptfoo "
                      "decided is in the record as tool_pass and tool_score",
    [TEMPLATE] = "the expected value in an assertion is a template or a file, which only promptfoo can fill in",
    [RUBRIC] = "the text of llm-rubric is in the record as rubric: ee.llm { prompt = ... } judges by it",
    NULL};

static const char *const truth_names[] = {"expected",
                                          "expected_output",
                                          "expectedOutput",
                                          "reference_answer",
                                          "ground_truth",
                                          "groundTruth",
                                          "gt",
                                          "gold",
                                          "__expected",
                                          NULL};

/* Assertions whose value is what the output should be. */
static const char *const references[] = {"equals", "similar", "levenshtein", "rouge-n", "bleu",
                                         "gleu",   "meteor",  "factuality",  NULL};

static const ee_value *member(const ee_value *object, const char *key) {
  return ee_value_member(object, ee_str_from(key), NULL);
}

static bool is_one_of(ee_str text, const char *const *list) {
  for (; *list != NULL; list++)
    if (ee_str_is(text, *list)) return true;
  return false;
}

static bool is_result(const ee_value *record) {
  bool has_test = ee_type_of(member(record, "vars")) == EE_OBJECT || member(record, "testCase") != NULL;
  bool has_verdict = ee_type_of(member(record, "success")) == EE_TRUE ||
                     ee_type_of(member(record, "success")) == EE_FALSE || member(record, "gradingResult") != NULL;
  return has_test && has_verdict && member(record, "provider") != NULL;
}

/* The variable that "{{name}}" stands for; `*other`: the text is another template, or a file. */
static const ee_value *fill_in(const ee_value *value, const ee_value *vars, bool *other) {
  *other = false;
  if (ee_type_of(value) != EE_STRING) return value;
  ee_str text = ee_str_trim(ee_value_text(value));
  if (text.length >= 7 && memcmp(text.data, "file://", 7) == 0) *other = true;
  if (text.length > 4 && memcmp(text.data, "{{", 2) == 0 && memcmp(text.data + text.length - 2, "}}", 2) == 0) {
    ee_str name = ee_str_trim((ee_str){text.data + 2, text.length - 4});
    const ee_value *found = ee_value_member(vars, name, NULL);
    if (found != NULL) return found;
  }
  *other = *other || memmem(text.data, text.length, "{{", 2) != NULL || memmem(text.data, text.length, "{%", 2) != NULL;
  return value;
}

typedef struct search {
  const ee_value *vars, *found;
  bool others, templates;
  ee_buffer rubric; /* texts of llm-rubric, a line each */
} search;

/* Assertions may be in sets, which hold assertions. */
static void look_at_asserts(search *s, const ee_value *list, unsigned depth) {
  if (ee_type_of(list) != EE_ARRAY || depth > 4) return;
  for (const ee_value *at = ee_value_child(list); at != NULL; at = ee_value_next(at)) {
    const ee_value *inner = member(at, "assert");
    if (inner != NULL) look_at_asserts(s, inner, depth + 1);
    ee_str type = ee_value_get_text(at, "type", "");
    bool reference = is_one_of(type, references), rubric = ee_str_is(type, "llm-rubric");
    const ee_value *value = member(at, "value");
    s->others = s->others || (!reference && !rubric && inner == NULL);
    if (rubric && ee_type_of(value) == EE_STRING) {
      if (s->rubric.length > 0) ee_buffer_add_char(&s->rubric, '\n');
      ee_buffer_add_str(&s->rubric, ee_value_text(value));
    }
    if (!reference || ee_type_of(value) <= EE_NULL || s->found != NULL) continue;
    bool other;
    value = fill_in(value, s->vars, &other);
    if (other)
      s->templates = true;
    else
      s->found = value;
  }
}

static void add_expected(ee_foreign_reading *r, const ee_value *record, const ee_value *vars) {
  search s = {.vars = vars, .found = ee_foreign_first(vars, truth_names)};
  look_at_asserts(&s, member(member(record, "testCase"), "assert"), 0);
  ee_foreign_add(r, "expected", s.found);
  if (s.found == NULL) ee_foreign_note_record(r, s.templates ? TEMPLATE : NO_EXPECTED);
  if (s.others) ee_foreign_note_record(r, OTHER_ASSERTS);
  if (s.rubric.length > 0) {
    ee_foreign_add_text(r, "rubric", (ee_str){s.rubric.data, s.rubric.length});
    ee_foreign_note_record(r, RUBRIC);
  }
  ee_buffer_fini(&s.rubric);
}

/* A provider is its name, or an object with id and label. */
static void add_provider(ee_foreign_reading *r, const ee_value *provider) {
  ee_str name = ee_type_of(provider) == EE_STRING ? ee_value_text(provider) : ee_value_get_text(provider, "label", "");
  if (name.length == 0) name = ee_value_get_text(provider, "id", "");
  if (name.length > 0) ee_foreign_add_text(r, "provider", name);
}

static ee_foreign_result read(ee_foreign_reading *r, const ee_value *record, ee_error *error) {
  if (!is_result(record)) {
    ee_error_set(error, EE_ERROR_DATA,
                 "not a result of promptfoo: 'provider', 'success' and 'vars' or 'testCase' are expected in it");
    return EE_FOREIGN_BROKEN;
  }
  const ee_value *test = member(record, "testCase"), *vars = member(record, "vars"), *prompt = member(record, "prompt");
  const ee_value *response = member(record, "response"), *output = member(response, "output");
  if (ee_type_of(vars) != EE_OBJECT) vars = member(test, "vars");
  ee_foreign_add_id(r, member(record, "testIdx"));
  add_expected(r, record, vars);
  if (ee_type_of(output) > EE_NULL)
    ee_foreign_add(r, "candidate", output);
  else
    ee_foreign_note_record(r, NO_OUTPUT);
  ee_foreign_add(r, "description", member(test, "description"));
  add_provider(r, member(record, "provider"));
  ee_foreign_add(r, "prompt", member(prompt, "label"));
  ee_foreign_add(r, "prompt_index", member(record, "promptIdx"));
  ee_foreign_add(r, "vars", vars);
  ee_foreign_add(r, "input", member(prompt, "raw"));
  ee_foreign_add_measure(r, EE_FOREIGN_COST, member(record, "cost"));
  ee_foreign_add_measure(r, EE_FOREIGN_LATENCY, member(record, "latencyMs"));
  const ee_value *usage = member(record, "tokenUsage");
  if (usage == NULL) usage = member(response, "tokenUsage");
  ee_foreign_add_measure(r, EE_FOREIGN_TOKENS, member(usage, "total"));
  ee_foreign_add(r, "tool_pass", member(record, "success"));
  ee_foreign_add(r, "tool_score", member(record, "score"));
  ee_foreign_add(r, "error", member(record, "error"));
  ee_foreign_add(r, "metadata", member(test, "metadata"));
  return EE_FOREIGN_RECORD;
}

static const char *const arrays[] = {"results.results", "results", NULL};
static const char *const variants[] = {"provider", "prompt_index", NULL};

const ee_foreign_format ee_foreign_promptfoo = {
    .name = "promptfoo",
    .what = "results of promptfoo (eval -o FILE.json or FILE.jsonl, export)",
    .arrays = arrays,
    .variants = variants,
    .notes = notes,
    .is = is_result,
    .read = read,
};
