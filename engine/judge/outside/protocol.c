/* protocol.c: payloads for judges outside the engine, and their answers. */
#include "judge/outside/protocol.h"

#include <math.h>

#include "data/json/json_reader.h"
#include "data/json/json_writer.h"
#include "prim/number.h"

#define COUNT_LIMIT 1e12
/* Values in an answer, which bound its memory; commas and brackets inside strings count, too. */
#define VALUE_LIMIT 2000000
/* Bytes of a number in a message. */
#define NUMBER_SHOWN 32

/* The payload ---------------------------------------------------------------------------------- */

/* Appends `value` as a JSON string: a string itself, other values as their JSON text. */
static void add_as_text(ee_buffer *out, const ee_value *value) {
  if (ee_type_of(value) == EE_STRING) {
    ee_json_write_string(out, ee_value_text(value));
    return;
  }
  /* The JSON is appended, then its escaped form, which is moved over it: no other memory is needed. JSON has no control
   * characters, so escaping at most doubles the length. */
  ee_buffer_add_char(out, '"');
  size_t from = out->length;
  ee_json_write_value(out, value);
  size_t to = out->length;
  ee_buffer_reserve(out, 2 * (to - from) + 1);
  ee_json_write_escaped(out, (ee_str){out->data + from, to - from});
  size_t length = out->length - to;
  memmove(out->data + from, out->data + to, length);
  out->length = from + length;
  ee_buffer_add_char(out, '"');
}

static void add_candidate(ee_buffer *out, const ee_case *current) {
  if (current->candidate_text.data != NULL) {
    ee_json_write_string(out, current->candidate_text);
  } else if (current->candidate == NULL) {
    ee_buffer_add_text(out, "null");
  } else {
    add_as_text(out, current->candidate);
  }
}

static void add_messages(ee_buffer *out, const ee_case *current) {
  const ee_value *messages = ee_value_member(current->record, EE_STR("expected_messages"), NULL);
  if (ee_type_of(messages) > EE_NULL) {
    ee_json_write_value(out, messages);
    return;
  }
  ee_buffer_add_text(out, "[{\"role\":\"assistant\",\"content\":");
  ee_json_write_value(out, current->expected);
  ee_buffer_add_text(out, "}]");
}

/* Members of the protocol itself, which members of the record do not replace. */
static bool is_reserved(ee_str key) {
  static const char *const names[] = {"id",    "trial", "candidate_answer", "reference_answer", "expected_messages",
                                      "config"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (ee_str_is(key, names[i])) return true;
  }
  return false;
}

void ee_protocol_write_payload(const ee_case *current, const ee_value *config, ee_buffer *out) {
  ee_buffer_add_text(out, "{\"id\":");
  ee_json_write_string(out, ee_case_base(current));
  if (current->trial.data != NULL) {
    ee_buffer_add_text(out, ",\"trial\":");
    ee_json_write_string(out, current->trial);
  }
  ee_buffer_add_text(out, ",\"candidate_answer\":");
  add_candidate(out, current);
  ee_buffer_add_text(out, ",\"reference_answer\":");
  add_as_text(out, current->expected);
  ee_buffer_add_text(out, ",\"expected_messages\":");
  add_messages(out, current);
  ee_buffer_add_text(out, ",\"config\":");
  if (config != NULL) {
    ee_json_write_value(out, config);
  } else {
    ee_buffer_add_text(out, "{}");
  }
  const ee_value *member = ee_type_of(current->record) == EE_OBJECT ? ee_value_child(current->record) : NULL;
  for (; member != NULL; member = ee_value_next(member)) {
    if (is_reserved(ee_value_key(member))) continue;
    ee_buffer_add_char(out, ',');
    ee_json_write_string(out, ee_value_key(member));
    ee_buffer_add_char(out, ':');
    ee_json_write_value(out, member);
  }
  ee_buffer_add_char(out, '}');
}

/* The answer ----------------------------------------------------------------------------------- */

/* The type of a value for messages: "an array". */
static const char *describe(const ee_value *value) { return value == NULL ? "missing" : ee_value_describe(value); }

/* A member of the answer; NULL if it is missing or null. */
static const ee_value *find(const ee_value *answer, const char *name) {
  const ee_value *value = ee_value_member(answer, ee_str_from(name), NULL);
  return ee_type_of(value) > EE_NULL ? value : NULL;
}

static const char *read_score(const ee_value *answer, ee_arena *arena, double *score) {
  const ee_value *value = ee_value_member(answer, EE_STR("score"), NULL);
  if (value == NULL) return "score is missing";
  if (ee_type_of(value) != EE_NUMBER) return ee_arena_printf(arena, "score must be a number, got %s", describe(value));
  double number = ee_value_number(value);
  if (!ee_score_round(&number)) {
    char digits[32];
    ee_str text = ee_value_number_text(value, digits);
    bool cut = text.length > NUMBER_SHOWN;
    return ee_arena_printf(arena, "score %.*s%s is outside 0..1", cut ? NUMBER_SHOWN : (int)text.length, text.data,
                           cut ? "..." : "");
  }
  *score = number;
  return NULL;
}

static const char *read_findings(const ee_value *answer, const char *name, ee_arena *arena, const ee_finding **findings,
                                 size_t *count) {
  const ee_value *list = find(answer, name);
  if (list == NULL) return NULL;
  if (ee_type_of(list) != EE_ARRAY) return ee_arena_printf(arena, "%s must be an array, got %s", name, describe(list));
  ee_finding *found = ee_arena_alloc(arena, ee_value_count(list) * sizeof *found);
  size_t number = 0;
  for (const ee_value *item = ee_value_child(list); item != NULL; item = ee_value_next(item)) {
    if (ee_type_of(item) != EE_STRING)
      return ee_arena_printf(arena, "%s[%zu] must be a string, got %s", name, number, describe(item));
    found[number++] = (ee_finding){.path = ee_value_text(item), .row = EE_NO_ROW};
  }
  *findings = found;
  *count = number;
  return NULL;
}

bool ee_protocol_read_count(const ee_value *value, uint64_t *count) {
  double number = ee_type_of(value) == EE_NUMBER ? ee_value_number(value) : -1;
  if (!(number >= 0 && number <= COUNT_LIMIT && floor(number) == number)) return false;
  *count = (uint64_t)number;
  return true;
}

/* Reads one count of a metric, 0 if missing; false if it is not a count. */
static bool read_member(const ee_value *metric, const char *name, uint64_t *count, bool *any) {
  const ee_value *value = ee_value_member(metric, ee_str_from(name), NULL);
  if (value == NULL) return true;
  *any = true;
  return ee_protocol_read_count(value, count);
}

bool ee_protocol_read_counts(const ee_value *metric, ee_counts *counts) {
  bool any = false;
  *counts = (ee_counts){0};
  return read_member(metric, "tp", &counts->tp, &any) && read_member(metric, "tn", &counts->tn, &any) &&
         read_member(metric, "fp", &counts->fp, &any) && read_member(metric, "fn", &counts->fn, &any) &&
         read_member(metric, "unread", &counts->unread, &any) &&
         read_member(metric, "unread_candidates", &counts->unread_candidates, &any) && any;
}

bool ee_protocol_is_derived(const ee_value *metric) {
  return ee_type_of(ee_value_member(metric, EE_STR("derived"), NULL)) == EE_TRUE ||
         ee_type_of(ee_value_member(metric, EE_STR("retold"), NULL)) == EE_TRUE;
}

static void read_metrics(const ee_value *details, ee_arena *arena, ee_judge_result *result) {
  const ee_value *metrics = ee_value_member(details, EE_STR("metrics"), NULL);
  if (ee_type_of(metrics) != EE_OBJECT) return;
  ee_attribute_result *attributes = ee_arena_alloc(arena, ee_value_count(metrics) * sizeof *attributes);
  size_t count = 0;
  for (const ee_value *metric = ee_value_child(metrics); metric != NULL; metric = ee_value_next(metric)) {
    ee_counts counts;
    if (ee_protocol_is_derived(metric) || !ee_protocol_read_counts(metric, &counts)) continue;
    attributes[count++] = (ee_attribute_result){.name = ee_value_key(metric), .slot = -1, .counts = counts};
  }
  result->attributes = attributes;
  result->attribute_count = count;
}

static const char *read_members(const ee_value *answer, ee_arena *arena, ee_judge_result *result) {
  const char *wrong = read_score(answer, arena, &result->score);
  if (wrong == NULL) wrong = read_findings(answer, "hits", arena, &result->hits, &result->hit_count);
  if (wrong == NULL) wrong = read_findings(answer, "misses", arena, &result->misses, &result->miss_count);
  if (wrong != NULL) return wrong;
  const ee_value *reasoning = find(answer, "reasoning");
  if (reasoning != NULL) {
    if (ee_type_of(reasoning) != EE_STRING)
      return ee_arena_printf(arena, "reasoning must be a string, got %s", describe(reasoning));
    result->reasoning = ee_value_text(reasoning);
  }
  const ee_value *details = find(answer, "details");
  if (details != NULL && ee_type_of(details) != EE_OBJECT)
    return ee_arena_printf(arena, "details must be an object, got %s", describe(details));
  result->details = details != NULL ? details : ee_value_new(arena, EE_OBJECT);
  read_metrics(result->details, arena, result);
  return NULL;
}

const char *ee_protocol_read_answer(ee_str text, ee_arena *arena, ee_judge_result *result) {
  if (ee_json_is_blank(text)) return "no JSON: the answer is empty";
  if (ee_json_has_more_values_than(text, VALUE_LIMIT))
    return ee_arena_printf(arena, "the answer has more than %d values", VALUE_LIMIT);
  ee_error error = {0};
  const ee_value *answer = ee_json_read(arena, text, NULL, &error);
  if (answer == NULL) {
    return ee_arena_printf(arena, "no JSON: %s at line %zu column %zu", error.message, error.line, error.column);
  }
  if (ee_type_of(answer) != EE_OBJECT)
    return ee_arena_printf(arena, "the answer must be an object, got %s", describe(answer));
  ee_judge_result read = *result;
  const char *wrong = read_members(answer, arena, &read);
  if (wrong == NULL) *result = read;
  return wrong;
}
