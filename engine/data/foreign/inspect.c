/* inspect.c: logs of Inspect (github.com/UKGovernmentBEIS/inspect_ai, src/inspect_ai/log/_log.py: EvalSample, and logs
 * in its tests).
 *
 * A log in JSON is one object with the samples at `samples`; a log with the ending .eval is a zip archive with a sample
 * an entry, samples/ID_epoch_N.json. `target` is the expected value, of several each is correct; the completion is the
 * candidate. In a multiple choice the target is a letter and the completion a text with it, so the answer that the
 * scorer took from the text is the candidate. Epochs are trials. */
#include "data/foreign/foreign.h"

#include <string.h>

#include "data/json/json_writer.h"

enum { ERROR, NO_OUTPUT, CHOICE, NO_TARGET };

static const char *const notes[] = {
    [ERROR] = "the sample ended with an error, and what it has as output is judged",
    [NO_OUTPUT] = "no output, judged as an empty candidate",
    [CHOICE] = "a multiple choice: the answer that the log's scorer found in the output is judged, not the output",
    [NO_TARGET] = "the target is empty: what the scorer holds against it is not in the log",
    NULL};

static const ee_value *member(const ee_value *object, const char *key) {
  return ee_value_member(object, ee_str_from(key), NULL);
}

static bool is_sample(const ee_value *record) {
  return ee_type_of(member(record, "epoch")) == EE_NUMBER && member(record, "target") != NULL &&
         member(record, "input") != NULL;
}

/* Long texts are kept beside the sample: "attachment://HASH" stands for them. */
static ee_str resolve(ee_str text, const ee_value *record) {
  static const char mark[] = "attachment://";
  size_t length = sizeof mark - 1;
  if (text.data == NULL || text.length <= length || memcmp(text.data, mark, length) != 0) return text;
  const ee_value *found =
      ee_value_member(member(record, "attachments"), (ee_str){text.data + length, text.length - length}, NULL);
  return ee_type_of(found) == EE_STRING ? ee_value_text(found) : text;
}

static ee_str completion_of(const ee_value *record, ee_arena *arena) {
  const ee_value *output = member(record, "output"), *text = member(output, "completion");
  if (ee_type_of(text) == EE_STRING && ee_value_count(text) > 0) return resolve(ee_value_text(text), record);
  const ee_value *choices = member(output, "choices");
  const ee_value *first = ee_type_of(choices) == EE_ARRAY ? ee_value_child(choices) : NULL;
  return resolve(ee_foreign_content(member(member(first, "message"), "content"), arena), record);
}

/* The answer that the first scorer found. */
static ee_str answer_of(const ee_value *scores) {
  if (ee_type_of(scores) != EE_OBJECT) return (ee_str){NULL, 0};
  for (const ee_value *score = ee_value_child(scores); score != NULL; score = ee_value_next(score)) {
    const ee_value *answer = member(score, "answer");
    if (ee_type_of(answer) == EE_STRING) return ee_value_text(answer);
  }
  return (ee_str){NULL, 0};
}

static void add_target(ee_foreign_reading *r, const ee_value *target) {
  bool several = ee_type_of(target) == EE_ARRAY;
  if (several && ee_value_count(target) == 1) {
    target = ee_value_child(target);
    several = false;
  }
  bool empty = ee_type_of(target) <= EE_NULL || (several && ee_value_count(target) == 0) ||
               (ee_type_of(target) == EE_STRING && ee_str_trim(ee_value_text(target)).length == 0);
  if (empty) ee_foreign_note_record(r, NO_TARGET);
  if (!several) {
    ee_foreign_add(r, "expected", target);
    return;
  }
  ee_foreign_add_key(r, "expected");
  EE_JSON_ADD(r->out, "{\"anyOf\":");
  ee_json_write_value(r->out, target);
  ee_buffer_add_char(r->out, '}');
}

/* {"match": "C"}: what each scorer decided. */
static void add_scores(ee_foreign_reading *r, const ee_value *scores) {
  if (ee_type_of(scores) != EE_OBJECT || ee_value_count(scores) == 0) return;
  ee_foreign_add_key(r, "scores");
  char before = '{';
  for (const ee_value *score = ee_value_child(scores); score != NULL; score = ee_value_next(score)) {
    ee_buffer_add_char(r->out, before);
    ee_json_write_string(r->out, ee_value_key(score));
    ee_buffer_add_char(r->out, ':');
    ee_json_write_value(r->out, ee_type_of(score) == EE_OBJECT ? member(score, "value") : score);
    before = ',';
  }
  ee_buffer_add_char(r->out, '}');
}

/* A time in seconds. */
static void add_latency(ee_foreign_reading *r, const ee_value *record) {
  const ee_value *time = member(record, "total_time");
  if (ee_type_of(time) != EE_NUMBER) time = member(member(record, "output"), "time");
  if (ee_type_of(time) != EE_NUMBER) return;
  ee_foreign_add_measure(r, EE_FOREIGN_LATENCY, ee_value_new_number(r->arena, ee_value_number(time) * 1000));
}

static ee_foreign_result read(ee_foreign_reading *r, const ee_value *record, ee_error *error) {
  if (!is_sample(record)) {
    ee_error_set(error, EE_ERROR_DATA,
                 "not a sample of Inspect: 'id', 'epoch', 'input' and 'target' are expected in it");
    return EE_FOREIGN_BROKEN;
  }
  const ee_value *output = member(record, "output"), *scores = member(record, "scores"),
                 *input = member(record, "input");
  bool choice = ee_type_of(member(record, "choices")) == EE_ARRAY && ee_value_count(member(record, "choices")) > 0;
  ee_foreign_add_id(r, member(record, "id"));
  ee_foreign_add(r, "epoch", member(record, "epoch"));
  add_target(r, member(record, "target"));
  ee_str text = completion_of(record, r->arena), answer = choice ? answer_of(scores) : (ee_str){NULL, 0};
  if (answer.data != NULL) {
    ee_foreign_note_record(r, CHOICE);
    ee_foreign_add_text(r, "completion", text);
    text = answer;
  }
  bool failed = ee_type_of(member(record, "error")) > EE_NULL;
  if (failed) ee_foreign_note_record(r, ERROR);
  if (text.data == NULL && !failed) ee_foreign_note_record(r, NO_OUTPUT);
  ee_foreign_add_text(r, "candidate", text);
  ee_foreign_add(r, "model", member(output, "model"));
  ee_foreign_add_text(
      r, "input",
      resolve(ee_type_of(input) == EE_STRING ? ee_value_text(input) : ee_foreign_last_message(input, "user", r->arena),
              record));
  ee_foreign_add(r, "choices", member(record, "choices"));
  add_scores(r, scores);
  add_latency(r, record);
  ee_foreign_add_measure(r, EE_FOREIGN_TOKENS, member(member(output, "usage"), "total_tokens"));
  ee_foreign_add(r, "metadata", member(record, "metadata"));
  return EE_FOREIGN_RECORD;
}

/* The names of an archive's entries: "samples/ID_epoch_2.json". An id may have "_epoch_2" in it, too. */
static bool has_later_epoch(ee_str names) {
  static const char mark[] = "_epoch_", ending[] = ".json";
  const char *at = names.data, *end = at + names.length;
  while ((at = memmem(at, (size_t)(end - at), mark, sizeof mark - 1)) != NULL) {
    at += sizeof mark - 1;
    const char *number = at;
    while (at < end && *at >= '0' && *at <= '9') at++;
    bool is_name = (size_t)(end - at) >= sizeof ending - 1 && memcmp(at, ending, sizeof ending - 1) == 0;
    if (is_name && at > number && !ee_str_is((ee_str){number, (size_t)(at - number)}, "1")) return true;
  }
  return false;
}

/* The configuration of the run is before the samples. */
static bool has_epochs(ee_str head) {
  static const char key[] = "\"epochs\"";
  const char *at = memmem(head.data, head.length, key, sizeof key - 1), *end = head.data + head.length;
  if (at == NULL) return has_later_epoch(head);
  at += sizeof key - 1;
  while (at < end && (*at == ' ' || *at == ':' || *at == '\n')) at++;
  return at < end && *at >= '1' && *at <= '9' && (*at != '1' || (end - at > 1 && at[1] >= '0' && at[1] <= '9'));
}

static const char *const arrays[] = {"samples", NULL};
static const char *const variants[] = {"model", NULL};

const ee_foreign_format ee_foreign_inspect = {
    .name = "inspect",
    .what = "a log of Inspect",
    .arrays = arrays,
    .entries = "samples/",
    .trial = "epoch",
    .has_trials = has_epochs,
    .variants = variants,
    .notes = notes,
    .is = is_sample,
    .read = read,
};
