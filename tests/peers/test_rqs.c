/* test_rqs.c: what the json_rqs evaluator of eval-integration says of a case, against what we say; and where the two
 * differ, why.
 *
 * rqs_cases.jsonl holds its inputs and results, as far as they were executed; `similarity` is the table that stood in
 * for its language model. IGNORE is read as theirs reads it, ignore = "everywhere". */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above. */
#include <cmocka.h>

#include <evalengine.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "data/json/json_reader.h"
#include "data/json/json_writer.h"

/* Where we say something else: the quantities that differ, with our value, and the reason. */
typedef struct deviation {
  const char *id;
  const char *ours;
  const char *reason;
} deviation;

static const deviation deviations[] = {
    {"rqs-11", "accuracy=1 rqs=0.85 a=exact,1,1",
     "Numbers are compared by decimal value, and 1 is 1.0; theirs compares how they are written."},
    {"rqs-21", "accuracy=1 rqs=0.85 a=semantic,1,1",
     "Equal text has similarity 1 without asking anybody; theirs asks, and without a model scores 0."},
};
enum { DEVIATIONS = sizeof deviations / sizeof *deviations };

/* Documents ------------------------------------------------------------------------------------ */

static const ee_value *member(const ee_value *value, const char *key) {
  return ee_value_member(value, ee_str_from(key), NULL);
}

static const char *text_of(const ee_value *value) {
  assert_int_equal(ee_type_of(value), EE_STRING);
  return value->json.valuestring;
}

static const ee_value *first_of(const ee_value *container) {
  return container == NULL ? NULL : ee_value_child(container);
}

static const ee_value *read_json(ee_arena *arena, ee_str text) {
  ee_error error = {0};
  const ee_value *value = ee_json_read(arena, text, NULL, &error);
  if (value == NULL) fail_msg("%s: %.*s", error.message, (int)text.length, text.data);
  return value;
}

static ee_buffer json_text(const ee_value *value) {
  ee_buffer text;
  ee_buffer_init(&text);
  ee_json_write_value(&text, value);
  return text;
}

/* Their path of a leaf in our words: items#1_d is items[0].d. Their keys of objects hold no underscore. */
static const char *our_path(ee_arena *arena, ee_str path, bool flat) {
  if (!flat) return ee_arena_copy(arena, path.data, path.length);
  char *text = ee_arena_copy(arena, path.data, path.length), *out = ee_arena_alloc(arena, 4 * path.length + 1);
  char *at = out;
  while (*text != '\0') {
    if (*text == '#') {
      at += sprintf(at, "[%lu]", strtoul(text + 1, &text, 10) - 1);
    } else {
      *at++ = *text == '_' ? '.' : *text;
      text++;
    }
  }
  *at = '\0';
  return out;
}

/* Rule files ----------------------------------------------------------------------------------- */

static void add_table(ee_buffer *rules, const ee_value *object, ee_arena *arena, bool flat) {
  ee_buffer_add_text(rules, "{ ");
  for (const ee_value *one = first_of(object); one != NULL; one = ee_value_next(one)) {
    ee_buffer_add_char(rules, '[');
    ee_json_write_string(rules, ee_str_from(our_path(arena, ee_value_key(one), flat)));
    ee_buffer_add_text(rules, "] = ");
    ee_json_write_value(rules, one);
    ee_buffer_add_text(rules, ", ");
  }
  ee_buffer_add_char(rules, '}');
}

static void add_rules(ee_buffer *rules, const ee_value *row, ee_arena *arena) {
  static const char *const known[] = {"field_strategies", "similarity", "flatten", "w_accuracy", "w_safety"};
  const ee_value *config = member(row, "config");
  for (const ee_value *one = first_of(config); one != NULL; one = ee_value_next(one)) {
    bool is_known = false;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) is_known |= ee_str_is(ee_value_key(one), known[i]);
    if (!is_known) fail_msg("option '%s' is not used", one->json.string);
  }
  bool flat = ee_type_of(member(config, "flatten")) == EE_TRUE;
  ee_buffer_add_text(rules, "local known = ");
  add_table(rules, member(config, "similarity"), arena, false);
  ee_buffer_add_text(rules, "\nreturn ee.rules {\n  ee.quality {\n    strategies = ");
  add_table(rules, member(config, "field_strategies"), arena, flat);
  ee_buffer_add_text(rules, ",\n    similarity = function(expected, candidate)\n"
                            "      return known[tostring(expected) .. '||' .. tostring(candidate)] or 0\n    end,\n"
                            "    ignore = 'everywhere',\n    weights = { ");
  static const char *const weights[] = {"accuracy", "completeness", "safety", "hallucination"};
  for (size_t i = 0; i < sizeof weights / sizeof *weights; i++) {
    const ee_value *weight = member(config, ee_arena_printf(arena, "w_%s", weights[i]));
    if (weight != NULL) ee_buffer_addf(rules, "%s = %.17g, ", weights[i], ee_value_number(weight));
  }
  ee_buffer_addf(rules, "},\n    depth = '%s',\n  },\n}\n", flat ? "leaves" : "top");
}

static void on_error(void *user, const ee_error *error) {
  (void)user;
  print_error("rules:%zu: %s\n", error->line, error->message);
}

/* The rule file stays at `path`: an evaluator reads it again. */
static ee_rules *load_rules(const ee_value *row, char *path, ee_arena *arena) {
  int descriptor = mkstemps(path, 4);
  assert_true(descriptor >= 0);
  ee_buffer text;
  ee_buffer_init(&text);
  add_rules(&text, row, arena);
  assert_int_equal(write(descriptor, text.data, text.length), text.length);
  close(descriptor);
  ee_rules *rules = ee_rules_load(path, on_error, NULL);
  if (rules == NULL) print_error("%s", ee_buffer_terminate(&text));
  ee_buffer_fini(&text);
  assert_non_null(rules);
  return rules;
}

/* Our details for a row. */
static const ee_value *judge_row(const ee_value *row, ee_arena *arena) {
  char path[] = P_tmpdir "/ee-rqs-XXXXXX.lua";
  ee_rules *rules = load_rules(row, path, arena);
  ee_error error = {0};
  ee_evaluator *evaluator = ee_evaluator_new(rules, &error);
  unlink(path);
  if (evaluator == NULL) fail_msg("%s", error.message);
  ee_buffer expected = json_text(member(row, "expected")), candidate = json_text(member(row, "candidate"));
  const char *json = NULL;
  size_t length = 0;
  double score = -1;
  ee_status status = ee_evaluate_text(evaluator, text_of(member(row, "id")), expected.data, expected.length,
                                      candidate.data, candidate.length, &json, &length, &score, &error);
  if (status != EE_OK) fail_msg("%s", error.message);
  assert_int_equal(ee_evaluator_rule_errors(evaluator, NULL), 0);
  const ee_value *judged = first_of(member(read_json(arena, (ee_str){json, length}), "evaluator_results"));
  const ee_value *details = member(judged, "details");
  assert_true(score == ee_value_number(member(details, "rqs")));
  ee_buffer_fini(&expected);
  ee_buffer_fini(&candidate);
  ee_evaluator_free(evaluator);
  ee_rules_free(rules);
  return details;
}

/* Comparing ------------------------------------------------------------------------------------ */

static void add_difference(ee_buffer *out, const char *name, const ee_value *ours) {
  ee_buffer_addf(out, "%s%s=", out->length > 0 ? " " : "", name);
  ee_json_write_value(out, ours);
}

static void compare_number(ee_buffer *out, const char *name, const ee_value *theirs, const ee_value *ours) {
  assert_int_equal(ee_type_of(theirs), EE_NUMBER);
  if (ee_type_of(ours) != EE_NUMBER || fabs(ee_value_number(theirs) - ee_value_number(ours)) > 1e-12)
    add_difference(out, name, ours);
}

/* The same paths, in any order. */
static void compare_paths(ee_buffer *out, ee_arena *arena, bool flat, const char *name, const ee_value *theirs,
                          const ee_value *ours) {
  assert_int_equal(ee_type_of(theirs), EE_ARRAY);
  bool same = ee_type_of(ours) == EE_ARRAY && ee_value_count(theirs) == ee_value_count(ours);
  for (const ee_value *one = first_of(theirs); one != NULL && same; one = ee_value_next(one)) {
    const char *path = our_path(arena, ee_value_text(one), flat);
    same = false;
    for (const ee_value *other = first_of(ours); other != NULL; other = ee_value_next(other))
      same |= ee_str_is(ee_value_text(other), path);
  }
  if (!same) add_difference(out, name, ours);
}

/* Their [strategy, score, similarity] of a field; ours has the strategy in capitals. */
static void compare_fields(ee_buffer *out, ee_arena *arena, bool flat, const ee_value *theirs, const ee_value *ours) {
  size_t count = 0;
  for (const ee_value *field = first_of(theirs); field != NULL; field = ee_value_next(field), count++) {
    const char *path = our_path(arena, ee_value_key(field), flat);
    const ee_value *found = first_of(ours);
    while (found != NULL && !ee_str_is(ee_value_text(member(found, "path")), path)) found = ee_value_next(found);
    if (found == NULL) {
      add_difference(out, path, NULL);
      continue;
    }
    char text[2][128] = {{0}};
    const ee_value *similarity = member(found, "similarity");
    snprintf(text[0], sizeof text[0], "%s,%g,%g", text_of(ee_value_element(field, 0)),
             ee_value_number(ee_value_element(field, 1)), ee_value_number(ee_value_element(field, 2)));
    snprintf(text[1], sizeof text[1], "%s,%g,%g", text_of(member(found, "strategy")),
             ee_value_number(member(found, "score")), similarity == NULL ? NAN : ee_value_number(similarity));
    for (char *at = text[1]; *at != ','; at++) *at = (char)(*at >= 'A' && *at <= 'Z' ? *at + 32 : *at);
    if (strcmp(text[0], text[1]) != 0) ee_buffer_addf(out, "%s%s=%s", out->length > 0 ? " " : "", path, text[1]);
  }
  if (ee_type_of(ours) != EE_ARRAY || ee_value_count(ours) != count) add_difference(out, "fields", ours);
}

/* What of `row` we see differently; "" when nothing. */
static const char *differences_of(const ee_value *row, ee_arena *arena, ee_buffer *out) {
  static const char *const numbers[][2] = {{"completeness", "completeness"},
                                           {"hallucination", "hallucination"},
                                           {"accuracy", "accuracy"},
                                           {"safety_score", "safety"},
                                           {"rqs", "rqs"}};
  static const char *const lists[][2] = {{"extra_keys", "extra_keys"},
                                         {"gt_null_aio_has_value", "gt_null_aio_has_value"},
                                         {"aio_missing_or_null", "aio_missing_or_null"},
                                         {"both_non_null", "both_non_null"},
                                         {"ignored_keys", "ignored"}};
  enum { NUMBERS = sizeof numbers / sizeof *numbers, LISTS = sizeof lists / sizeof *lists };
  ee_buffer_clear(out);
  const ee_value *ours = judge_row(row, arena), *theirs = member(row, "expect");
  bool flat = member(row, "flat") != NULL;
  for (size_t i = 0; i < NUMBERS; i++)
    compare_number(out, numbers[i][1], member(theirs, numbers[i][0]), member(ours, numbers[i][1]));
  for (size_t i = 0; i < LISTS; i++)
    compare_paths(out, arena, flat, lists[i][1], member(theirs, lists[i][0]),
                  member(member(ours, "buckets"), lists[i][1]));
  compare_fields(out, arena, flat, member(theirs, "field_scores"), member(ours, "fields"));
  /* Nothing of a row is passed over but missing_keys: whether a key is absent or null is no question of ours. */
  assert_int_equal(ee_value_count(theirs), NUMBERS + LISTS + 2);
  assert_non_null(member(theirs, "missing_keys"));
  return ee_buffer_terminate(out);
}

static const deviation *deviation_of(const char *id) {
  for (size_t i = 0; i < DEVIATIONS; i++) {
    if (strcmp(deviations[i].id, id) == 0) return &deviations[i];
  }
  return NULL;
}

static void test_rows(void **state) {
  (void)state;
  FILE *file = fopen("tests/peers/rqs_cases.jsonl", "rb");
  assert_non_null(file);
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_buffer text;
  ee_buffer_init(&text);
  char *line = NULL;
  size_t capacity = 0, rows = 0, holding = 0, failures = 0;
  ssize_t length;
  while ((length = getline(&line, &capacity, file)) > 0) {
    const ee_value *row = read_json(&arena, (ee_str){line, (size_t)length});
    const char *id = text_of(member(row, "id"));
    const deviation *known = deviation_of(id);
    const char *differences = differences_of(row, &arena, &text), *wanted = known != NULL ? known->ours : "";
    rows++;
    holding += *differences == '\0';
    if (strcmp(differences, wanted) == 0) continue;
    print_error("%s (%s): %s, where the table says: %s\n", id, text_of(member(row, "name")), differences, wanted);
    failures++;
  }
  print_message("%zu of %zu rows hold, %d differ for a reason\n", holding, rows, (int)DEVIATIONS);
  assert_int_equal(failures, 0);
  assert_int_equal(rows, 15);
  assert_int_equal(rows - holding, DEVIATIONS);
  for (size_t i = 0; i < DEVIATIONS; i++) {
    assert_true(deviations[i].ours[0] != '\0' && strlen(deviations[i].reason) > 20);
    assert_ptr_equal(deviation_of(deviations[i].id), &deviations[i]);
  }
  free(line);
  fclose(file);
  ee_buffer_fini(&text);
  ee_arena_fini(&arena);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_rows));
