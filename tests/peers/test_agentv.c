/* test_agentv.c: what AgentV's evaluators say of a case, against what we say; and where the two differ, why.
 *
 * agentv_fields.jsonl holds inputs and results of its field_accuracy, header_confusion, line_item_matching and
 * multi_field_fuzzy evaluators, and of its boxes and distances. */
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
#include <time.h>
#include <unistd.h>

#include "data/json_reader.h"
#include "data/json_writer.h"
#include "data/record.h"
#include "prim/confusion.h"
#include "prim/geometry.h"

/* Where we say something else: the quantities that differ, with our value, and the reason. */
typedef struct deviation {
  const char *id;
  const char *ours;
  const char *reason;
} deviation;

static const deviation deviations[] = {
    {"fa-041", "score=1 verdict=pass",
     "100.01 and 100 are 0.01 apart as decimals; the slack of a tolerance takes the rounding of doubles out."},
    {"fa-049", "score=1 verdict=pass", "Text is read whole, grouping included; theirs stops at the comma and reads 1."},
    {"fa-057", "score=1 verdict=pass", "Null and missing are two spellings of empty, and two empty values are equal."},
    {"fa-061", "refused: line 3: option 'weight' of ee.exact must be at least 0, got -1",
     "A negative weight is a mistake of the rule file."},
    {"fa-073", "score=1 verdict=pass",
     "Of several documents in one text the longest counts, the first of equals; theirs finds none."},
    {"fa-075", "score=1 verdict=pass",
     "A candidate is never rewritten; theirs turns the text of 'passed' into a boolean."},
    {"fa-091", "score=1 verdict=pass",
     "Declared formats decide how 03/04/2025 is read; theirs reads it the American way first."},
    {"fa-095", "score=1 verdict=pass", "20250115 is ISO 8601 in its basic form, which is read by default."},
    {"fa-097", "score=0 verdict=fail", "The calendar is checked: 30 February is no date; theirs goes on to 2 March."},
    {"fa-099", "score=0 verdict=fail", "'about 12' is no date in any format; theirs finds 1 December 2001 in it."},
    {"fa-105", "score=1 verdict=pass", "The time zone of the machine never matters."},
    {"hc-04", "macro_precision=0.6666666666666666",
     "An attribute with an error counts 0 in a mean where it is undefined; theirs leaves it out of the mean "
     "precision."},
    {"hc-10", "macro_precision=0",
     "An attribute with an error counts 0 in a mean where it is undefined; theirs has no mean precision then."},
    {"hc-12", "score=1 f.tn=1 total_tn=1 macro_f1=-",
     "A blank text is as empty as \"\", so this is a true negative, and nothing is wrong; theirs counts it nowhere."},
    {"li-12",
     "score=0 description.tp=0 description.fp=1 description.fn=1 description.precision=0 description.recall=0 "
     "description.f1=- macro_f1=0 alignment=[] matched=0 missing=1 extra=1",
     "A match field that only one side has scores 0, here 0.5 in the mean; theirs leaves it out."},
    {"li-14",
     "description.tp=0 description.tn=0 description.fp=1 description.fn=0 description.precision=0 "
     "quantity.tp=0 quantity.tn=0 quantity.fp=1 quantity.fn=0 quantity.precision=0 "
     "line_total.tp=0 line_total.tn=0 line_total.fp=1 line_total.fn=0 line_total.precision=0 "
     "macro_f1=0 parsed=1 extra=1",
     "Without a list nothing is expected, and each value of a candidate item is a false positive; theirs counts none."},
};
enum { DEVIATIONS = sizeof deviations / sizeof *deviations };

/* Documents ------------------------------------------------------------------------------------------------------- */

static const ee_value *member(const ee_value *value, const char *key) {
  return ee_value_member(value, ee_str_from(key), NULL);
}

static const char *text_of(const ee_value *value) {
  assert_int_equal(ee_type_of(value), EE_STRING);
  return value->json.valuestring;
}

static bool has_text(const ee_value *value, const char *text) {
  return ee_type_of(value) == EE_STRING && ee_str_is(ee_value_text(value), text);
}

static const ee_value *read_json(ee_arena *arena, ee_str text) {
  ee_error error = {0};
  const ee_value *value = ee_json_read(arena, text, NULL, &error);
  if (value == NULL) fail_msg("%s: %.*s", error.message, (int)text.length, text.data);
  return value;
}

/* Rule files ------------------------------------------------------------------------------------------------------ */

/* Appends ", name = value" for an option that `from` has. */
static void add_option(ee_buffer *rules, const ee_value *from, const char *key, const char *name) {
  const ee_value *value = member(from, key);
  if (value == NULL) return;
  ee_buffer_addf(rules, ", %s = ", name);
  if (ee_type_of(value) != EE_ARRAY) {
    ee_json_write_value(rules, value);
    return;
  }
  ee_buffer_add_text(rules, "{ ");
  for (const ee_value *item = ee_value_child(value); item != NULL; item = ee_value_next(item)) {
    ee_json_write_value(rules, item);
    ee_buffer_add_text(rules, ", ");
  }
  ee_buffer_add_char(rules, '}');
}

/* The strategy that one of their fields asks for. */
static void add_field(ee_buffer *rules, const ee_value *field, const char *strategy) {
  const ee_value *match = member(field, "match");
  if (has_text(match, "numeric_tolerance")) strategy = "numeric";
  if (has_text(match, "date")) strategy = "date";
  ee_buffer_addf(rules, "    ee.%s { ", strategy);
  ee_json_write_value(rules, member(field, "path"));
  static const char *const options[] = {"tolerance", "relative", "formats", "required", "weight", "threshold"};
  for (size_t i = 0; i < sizeof options / sizeof *options; i++) add_option(rules, field, options[i], options[i]);
}

static void add_fields_judge(ee_buffer *rules, const ee_value *row) {
  const ee_value *config = member(row, "config");
  bool fuzzy = has_text(member(row, "evaluator"), "multi_field_fuzzy");
  ee_buffer_add_text(rules, "  ee.fields {\n");
  for (const ee_value *field = ee_value_child(member(config, "fields")); field != NULL; field = ee_value_next(field)) {
    add_field(rules, field, fuzzy ? "fuzzy" : "exact");
    if (fuzzy) add_option(rules, config, "algorithm", "algorithm");
    ee_buffer_add_text(rules, " },\n");
  }
  bool header = has_text(member(row, "evaluator"), "header_confusion");
  ee_buffer_add_text(rules, header ? "    aggregate = \"macro_f1\"" : "    name = \"fields\"");
  add_option(rules, config, "aggregation", "aggregate");
  ee_buffer_add_text(rules, "\n  },\n");
}

/* Their defaults, written out: description decides, and these three are scored, all by equality. */
static void add_items_judge(ee_buffer *rules, const ee_value *row) {
  const ee_value *config = member(row, "config");
  const ee_value *match = member(config, "match_fields"), *score = member(config, "score_fields");
  ee_buffer_add_text(rules, "  ee.line_items {\n    \"line_items\",\n    match = { ");
  for (const ee_value *field = match == NULL ? NULL : ee_value_child(match); field != NULL;
       field = ee_value_next(field)) {
    ee_json_write_value(rules, field);
    ee_buffer_add_text(rules, ", ");
  }
  if (match == NULL) ee_buffer_add_text(rules, "\"description\"");
  add_option(rules, config, "threshold", "threshold");
  ee_buffer_add_text(rules, " },\n");
  if (score == NULL) {
    ee_buffer_add_text(rules,
                       "    ee.exact \"description\",\n    ee.exact \"quantity\",\n    ee.exact \"line_total\",\n");
  }
  for (const ee_value *field = score == NULL ? NULL : ee_value_child(score); field != NULL;
       field = ee_value_next(field)) {
    ee_buffer_add_text(rules, "    ee.exact ");
    ee_json_write_value(rules, field);
    ee_buffer_add_text(rules, ",\n");
  }
  ee_buffer_add_text(rules, "  },\n");
}

static void write_file(const char *path, const ee_buffer *text) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(text->data, 1, text->length, file), text->length);
  assert_int_equal(fclose(file), 0);
}

typedef struct mistakes {
  size_t count;
  ee_error first;
} mistakes;

static void on_error(void *user, const ee_error *error) {
  mistakes *list = user;
  if (list->count++ == 0) list->first = *error;
}

/* Writes and loads a rule file with the judges in `body`. */
static ee_rules *load_rules(const ee_buffer *body, mistakes *list) {
  char path[] = P_tmpdir "/ee-agentv-XXXXXX.lua";
  int descriptor = mkstemps(path, 4);
  assert_true(descriptor >= 0);
  close(descriptor);
  ee_buffer text;
  ee_buffer_init(&text);
  ee_buffer_add_text(&text, "return ee.rules {\n");
  ee_buffer_add(&text, body->data, body->length);
  ee_buffer_add_text(&text, "}\n");
  write_file(path, &text);
  ee_buffer_fini(&text);
  *list = (mistakes){0};
  ee_rules *rules = ee_rules_load(path, on_error, list);
  unlink(path);
  return rules;
}

/* Judging --------------------------------------------------------------------------------------------------------- */

/* The expected document of a row: given, or to be found in a conversation as in any data set. */
static ee_buffer expected_text(const ee_value *row, ee_arena *arena) {
  const ee_value *expected = member(row, "expected");
  if (expected == NULL) {
    ee_case found;
    ee_error error = {0};
    assert_int_equal(ee_record_read(row, &(ee_record_paths){0}, 1, arena, &found, &error), EE_OK);
    expected = found.expected;
  }
  ee_buffer text;
  ee_buffer_init(&text);
  ee_json_write_value(&text, expected);
  return text;
}

/* Our result for a row, or NULL when its rules do not load. */
static const ee_value *judge_row(const ee_value *row, ee_arena *arena, mistakes *list) {
  ee_buffer body;
  ee_buffer_init(&body);
  if (has_text(member(row, "evaluator"), "line_item_matching")) {
    add_items_judge(&body, row);
  } else {
    add_fields_judge(&body, row);
  }
  ee_rules *rules = load_rules(&body, list);
  ee_buffer_fini(&body);
  if (rules == NULL) return NULL;
  assert_int_equal(list->count, 0);
  ee_error error = {0};
  ee_evaluator *evaluator = ee_evaluator_new(rules, &error);
  assert_non_null(evaluator);
  ee_buffer expected = expected_text(row, arena);
  ee_str candidate = ee_value_text(member(row, "candidate"));
  const char *json = NULL;
  size_t length = 0;
  double score = -1;
  assert_int_equal(ee_evaluate_text(evaluator, text_of(member(row, "id")), expected.data, expected.length,
                                    candidate.data, candidate.length, &json, &length, &score, &error),
                   EE_OK);
  const ee_value *result = read_json(arena, (ee_str){json, length});
  assert_true(score == ee_value_number(member(result, "score")));
  ee_buffer_fini(&expected);
  ee_evaluator_free(evaluator);
  ee_rules_free(rules);
  return result;
}

/* Comparing ------------------------------------------------------------------------------------------------------- */

static void add_difference(ee_buffer *differences, const char *name, const char *detail, const ee_value *ours) {
  ee_buffer_addf(differences, "%s%s%s=", differences->length > 0 ? " " : "", name, detail);
  if (ee_type_of(ours) == EE_STRING) {
    ee_buffer_add_str(differences, ee_value_text(ours));
  } else if (ours == NULL) {
    ee_buffer_add_char(differences, '-');
  } else {
    ee_json_write_value(differences, ours);
  }
}

/* Numbers to 1e-9, all else exactly; a metric that is not there is undefined. */
static bool same_value(const ee_value *theirs, const ee_value *ours) {
  if (ee_type_of(theirs) == EE_NUMBER && ee_type_of(ours) == EE_NUMBER) {
    return fabs(ee_value_number(theirs) - ee_value_number(ours)) <= 1e-9;
  }
  return ee_value_equal(theirs, ours);
}

static void compare(ee_buffer *differences, const char *name, const ee_value *theirs, const ee_value *ours) {
  if (!same_value(theirs, ours)) add_difference(differences, name, "", ours);
}

static void compare_count(ee_buffer *differences, ee_arena *arena, const char *name, const ee_value *theirs,
                          size_t ours) {
  if (ee_value_number(theirs) == (double)ours) return;
  add_difference(differences, name, "", ee_value_new_number(arena, (double)ours));
}

static const char *const metric_names[] = {"tp", "tn", "fp", "fn", "precision", "recall", "f1"};
enum { METRICS = sizeof metric_names / sizeof *metric_names };

/* The attributes of either side; one that the other side does not have differs in everything it has. */
static void compare_metrics(ee_buffer *differences, const ee_value *theirs, const ee_value *ours) {
  for (const ee_value *attribute = ee_value_child(theirs); attribute != NULL; attribute = ee_value_next(attribute)) {
    const ee_value *other = ee_value_member(ours, ee_value_key(attribute), NULL);
    for (size_t i = 0; i < METRICS; i++) {
      const ee_value *value = member(other, metric_names[i]);
      if (same_value(member(attribute, metric_names[i]), value)) continue;
      char name[128];
      snprintf(name, sizeof name, "%s.", attribute->json.string);
      add_difference(differences, name, metric_names[i], value);
    }
  }
  for (const ee_value *attribute = ee_value_child(ours); attribute != NULL; attribute = ee_value_next(attribute)) {
    if (ee_value_member(theirs, ee_value_key(attribute), NULL) != NULL) continue;
    for (size_t i = 0; i < METRICS; i++) {
      const ee_value *value = member(attribute, metric_names[i]);
      if (value == NULL) continue;
      char name[128];
      snprintf(name, sizeof name, "%s.", attribute->json.string);
      add_difference(differences, name, metric_names[i], value);
    }
  }
}

static void compare_average(ee_buffer *differences, ee_arena *arena, const ee_value *summary, const char *name,
                            ee_metric ours) {
  compare(differences, name, member(summary, name), ours.defined ? ee_value_new_number(arena, ours.value) : NULL);
}

/* Their totals and averages over attributes, from our counts. */
static void compare_summary(ee_buffer *differences, ee_arena *arena, const ee_value *summary, const ee_value *metrics) {
  ee_counts counts[16], sum = {0};
  size_t count = 0;
  for (const ee_value *one = ee_value_child(metrics); one != NULL; one = ee_value_next(one)) {
    assert_true(count < sizeof counts / sizeof *counts);
    counts[count] = (ee_counts){.tp = (uint64_t)ee_value_number(member(one, "tp")),
                                .tn = (uint64_t)ee_value_number(member(one, "tn")),
                                .fp = (uint64_t)ee_value_number(member(one, "fp")),
                                .fn = (uint64_t)ee_value_number(member(one, "fn"))};
    ee_counts_add(&sum, &counts[count++]);
  }
  if (member(summary, "total_tp") != NULL) {
    compare_count(differences, arena, "total_tp", member(summary, "total_tp"), sum.tp);
    compare_count(differences, arena, "total_tn", member(summary, "total_tn"), sum.tn);
    compare_count(differences, arena, "total_fp", member(summary, "total_fp"), sum.fp);
    compare_count(differences, arena, "total_fn", member(summary, "total_fn"), sum.fn);
    ee_averages macro = ee_macro(counts, count);
    compare_average(differences, arena, summary, "macro_precision", macro.precision);
    compare_average(differences, arena, summary, "macro_recall", macro.recall);
  }
  compare_average(differences, arena, summary, "macro_f1", ee_macro(counts, count).f1);
}

static void compare_alignment(ee_buffer *differences, ee_arena *arena, const ee_value *theirs, const ee_value *ours) {
  const ee_value *pairs = member(theirs, "alignment"), *our_pairs = member(ours, "alignment");
  const ee_value *a = ee_value_child(pairs), *b = ee_value_child(our_pairs);
  bool same = ee_value_count(pairs) == ee_value_count(our_pairs);
  for (; same && a != NULL; a = ee_value_next(a), b = ee_value_next(b)) {
    same = same_value(member(a, "expectedIdx"), member(b, "expected")) &&
           same_value(member(a, "parsedIdx"), member(b, "candidate")) &&
           same_value(member(a, "similarity"), member(b, "similarity"));
  }
  if (!same) add_difference(differences, "alignment", "", our_pairs);
  const ee_value *items = member(ours, "items"), *summary = member(theirs, "summary");
  size_t matched = (size_t)ee_value_number(member(items, "matched"));
  size_t missing = (size_t)ee_value_number(member(items, "missing"));
  size_t extra = (size_t)ee_value_number(member(items, "extra"));
  compare_count(differences, arena, "matched", member(summary, "matched_count"), matched);
  compare_count(differences, arena, "expected", member(summary, "expected_count"), matched + missing);
  compare_count(differences, arena, "parsed", member(summary, "parsed_count"), matched + extra);
  size_t unmatched = ee_value_count(member(theirs, "unmatched_expected"));
  if (unmatched != missing) add_difference(differences, "missing", "", member(items, "missing"));
  size_t unmatched_parsed = ee_value_count(member(theirs, "unmatched_parsed"));
  if (unmatched_parsed != extra) add_difference(differences, "extra", "", member(items, "extra"));
}

/* Fails when `object` has a member that is not listed, so that nothing of a row is passed over. */
static void assert_known_members(const ee_value *object, const char *const *names, size_t count) {
  for (const ee_value *one = object == NULL ? NULL : ee_value_child(object); one != NULL; one = ee_value_next(one)) {
    bool known = false;
    for (size_t i = 0; i < count && !known; i++) known = ee_str_is(ee_value_key(one), names[i]);
    if (!known) fail_msg("'%s' is not compared", one->json.string);
  }
}

static void assert_whole_row_is_used(const ee_value *row) {
  static const char *const results[] = {"score", "verdict", "verdict_seed_era", "details"};
  static const char *const parts[] = {"metrics", "summary", "alignment", "unmatched_expected", "unmatched_parsed"};
  static const char *const configs[] = {"fields",       "aggregation",  "algorithm",
                                        "match_fields", "score_fields", "threshold"};
  static const char *const options[] = {"path",    "match",    "tolerance", "relative",
                                        "formats", "required", "weight",    "threshold"};
  const ee_value *config = member(row, "config"), *expect = member(row, "expect");
  assert_known_members(expect, results, sizeof results / sizeof *results);
  assert_known_members(member(expect, "details"), parts, sizeof parts / sizeof *parts);
  if (ee_type_of(config) != EE_OBJECT) return;
  assert_known_members(config, configs, sizeof configs / sizeof *configs);
  const ee_value *fields = member(config, "fields");
  for (const ee_value *field = fields == NULL ? NULL : ee_value_child(fields); field != NULL;
       field = ee_value_next(field)) {
    assert_known_members(field, options, sizeof options / sizeof *options);
  }
}

/* What of `row` we see differently, as "score=1 verdict=pass"; "" when nothing. */
static const char *differences_of(const ee_value *row, ee_arena *arena, ee_buffer *out) {
  ee_buffer_clear(out);
  mistakes list;
  const ee_value *result = judge_row(row, arena, &list);
  if (result == NULL) {
    ee_buffer_addf(out, "refused: line %zu: %s", list.first.line, list.first.message);
    return ee_buffer_terminate(out);
  }
  const ee_value *expect = member(row, "expect");
  const ee_value *judged = ee_value_child(member(result, "evaluator_results"));
  const ee_value *details = member(judged, "details"), *their_details = member(expect, "details");
  compare(out, "score", member(expect, "score"), member(judged, "score"));
  /* Their limits of today are others; ours are those of their first releases. */
  const ee_value *verdict = member(expect, "verdict_seed_era");
  if (verdict == NULL) verdict = member(expect, "verdict");
  if (verdict != NULL) compare(out, "verdict", verdict, member(judged, "verdict"));
  if (their_details != NULL) {
    compare_metrics(out, member(their_details, "metrics"), member(details, "metrics"));
    compare_summary(out, arena, member(their_details, "summary"), member(details, "metrics"));
  }
  if (member(their_details, "alignment") != NULL) compare_alignment(out, arena, their_details, details);
  return ee_buffer_terminate(out);
}

static const deviation *deviation_of(const char *id) {
  for (size_t i = 0; i < DEVIATIONS; i++) {
    if (strcmp(deviations[i].id, id) == 0) return &deviations[i];
  }
  return NULL;
}

/* The rows of the data file; in `arena`. */
static const ee_value **read_rows(ee_arena *arena, size_t *count) {
  FILE *file = fopen(EE_SOURCE_DIR "/tests/peers/agentv_fields.jsonl", "rb");
  assert_non_null(file);
  const ee_value **rows = EE_NEW_ARRAY(arena, const ee_value *, 200);
  char *line = NULL;
  size_t capacity = 0;
  ssize_t length;
  *count = 0;
  while ((length = getline(&line, &capacity, file)) > 0) {
    assert_true(*count < 200);
    rows[(*count)++] = read_json(arena, (ee_str){line, (size_t)length});
  }
  free(line);
  fclose(file);
  return rows;
}

/* Rows that stand on a time zone are judged in it. */
static void set_zone(const ee_value *zone) {
  if (zone == NULL) {
    unsetenv("TZ");
  } else {
    setenv("TZ", text_of(zone), 1);
  }
  tzset();
}

static void test_rows(void **state) {
  (void)state;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_buffer text;
  ee_buffer_init(&text);
  size_t count, compared = 0, deviating = 0, failures = 0;
  const ee_value **rows = read_rows(&arena, &count);
  for (size_t i = 0; i < count; i++) {
    const ee_value *evaluator = member(rows[i], "evaluator");
    if (has_text(evaluator, "iou_score") || has_text(evaluator, "distance")) continue;
    const char *id = text_of(member(rows[i], "id"));
    const deviation *known = deviation_of(id);
    assert_whole_row_is_used(rows[i]);
    set_zone(member(rows[i], "tz"));
    const char *differences = differences_of(rows[i], &arena, &text);
    const char *wanted = known != NULL ? known->ours : "";
    compared++;
    if (*differences != '\0') deviating++;
    if (strcmp(differences, wanted) == 0) continue;
    print_error("%s (%s): %s, where the table says: %s\n", id, text_of(member(rows[i], "name")), differences, wanted);
    failures++;
  }
  set_zone(NULL);
  assert_int_equal(failures, 0);
  assert_true(compared >= 70);
  /* Every listed row is there and differs, and says why. */
  assert_int_equal(deviating, DEVIATIONS);
  for (size_t i = 0; i < DEVIATIONS; i++) {
    assert_true(deviations[i].ours[0] != '\0' && strlen(deviations[i].reason) > 20);
    assert_ptr_equal(deviation_of(deviations[i].id), &deviations[i]);
  }
  ee_buffer_fini(&text);
  ee_arena_fini(&arena);
}

/* Boxes and distances --------------------------------------------------------------------------------------------- */

static size_t read_numbers(const ee_value *list, double *out, size_t most) {
  size_t count = 0;
  for (const ee_value *item = ee_value_child(list); item != NULL; item = ee_value_next(item)) {
    if (ee_type_of(item) == EE_ARRAY) {
      count += read_numbers(item, out + count, most - count);
    } else {
      assert_true(count < most);
      out[count++] = ee_value_number(item);
    }
  }
  return count;
}

/* Their polygons are judged by their bounding boxes. */
static ee_box read_box(const ee_value *value) {
  double at[16];
  size_t count = read_numbers(member(value, "coordinates"), at, 16);
  ee_box box = {at[0], at[1], at[0], at[1]};
  for (size_t i = 0; i < count; i += 2) {
    box.x1 = fmin(box.x1, at[i]);
    box.x2 = fmax(box.x2, at[i]);
    box.y1 = fmin(box.y1, at[i + 1]);
    box.y2 = fmax(box.y2, at[i + 1]);
  }
  assert_null(ee_box_check(box));
  return box;
}

static void test_boxes_and_distances(void **state) {
  (void)state;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  size_t count, boxes = 0, distances = 0;
  const ee_value **rows = read_rows(&arena, &count);
  for (size_t i = 0; i < count; i++) {
    const ee_value *row = rows[i], *expect = member(row, "expect");
    if (has_text(member(row, "evaluator"), "iou_score")) {
      double iou = ee_iou(read_box(member(row, "expected")), read_box(member(row, "candidate")));
      assert_true(fabs(iou - ee_value_number(member(expect, "score"))) <= 1e-9);
      boxes++;
    } else if (has_text(member(row, "evaluator"), "distance")) {
      double a[8], b[8];
      size_t dimension = read_numbers(member(row, "expected"), a, 8);
      assert_int_equal(read_numbers(member(row, "candidate"), b, 8), dimension);
      const ee_value *metric = member(member(row, "config"), "metric");
      double distance = has_text(metric, "euclidean")   ? ee_euclidean(a, b, dimension)
                        : has_text(metric, "manhattan") ? ee_manhattan(a, b, dimension)
                                                        : ee_cosine(a, b, dimension);
      assert_true(fabs(distance - ee_value_number(member(expect, "distance"))) <= 1e-9);
      distances++;
    }
  }
  assert_int_equal(boxes, 5);
  assert_int_equal(distances, 4);
  ee_arena_fini(&arena);
}

/* Texts ----------------------------------------------------------------------------------------------------------- */

/* Our words for what they put in others. */
static void test_texts(void **state) {
  (void)state;
  ee_buffer body;
  ee_buffer_init(&body);
  ee_buffer_add_text(&body, "  ee.fields {\n"
                            "    ee.exact \"seller\",\n"
                            "    ee.numeric { \"total\", tolerance = 0.01 },\n"
                            "    ee.exact \"number\",\n"
                            "    ee.date \"date\",\n"
                            "    ee.exact \"vat\",\n"
                            "    ee.exact \"count\",\n"
                            "    ee.exact \"name.first\",\n"
                            "  },\n");
  mistakes list;
  ee_rules *rules = load_rules(&body, &list);
  assert_non_null(rules);
  ee_evaluator *evaluator = ee_evaluator_new(rules, NULL);
  static const char expected[] = "{\"seller\":\"A\",\"total\":100,\"number\":\"INV-1\",\"date\":\"2025-01-15\","
                                 "\"vat\":\"DE1\",\"count\":3,\"name\":{\"first\":\"B\"}}";
  static const char candidate[] = "{\"seller\":\"A\",\"total\":102,\"number\":\"INV-2\",\"date\":\"about 12\","
                                  "\"count\":\"3\",\"name\":{\"first\":\"B\"}}";
  const char *json;
  size_t length;
  assert_int_equal(ee_evaluate_text(evaluator, "texts", expected, sizeof expected - 1, candidate, sizeof candidate - 1,
                                    &json, &length, NULL, NULL),
                   EE_OK);
  ee_arena arena;
  ee_arena_init(&arena, 0);
  const ee_value *result = read_json(&arena, (ee_str){json, length});
  ee_buffer text;
  ee_buffer_init(&text);
  ee_json_write_value(&text, member(result, "hits"));
  ee_json_write_value(&text, member(result, "misses"));
  assert_string_equal(ee_buffer_terminate(&text),
                      "[\"seller\",\"name.first\"]"
                      "[\"total (outside tolerance: diff=2, tolerance=0.01)\",\"number (value mismatch)\","
                      "\"date (unparseable candidate date)\",\"vat (required, missing)\","
                      "\"count (type mismatch: got string, expected number)\"]");
  assert_string_equal(text_of(member(result, "reasoning")), "fields: 2/7 fields matched");
  ee_buffer_fini(&text);
  ee_arena_fini(&arena);
  ee_evaluator_free(evaluator);
  ee_rules_free(rules);
  ee_buffer_fini(&body);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rows),
      cmocka_unit_test(test_boxes_and_distances),
      cmocka_unit_test(test_texts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
