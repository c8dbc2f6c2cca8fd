/* test_agentv.c: what AgentV's evaluators say of a case, against what we say; and where the two differ, why.
 *
 * agentv_fields.jsonl holds inputs and results of its field_accuracy, header_confusion, line_item_matching and
 * multi_field_fuzzy evaluators, and of its boxes and distances. */
#include "peers/agentv_compare.h"

#include <evalengine.h>
#include <time.h>
#include <unistd.h>

#include "data/files/record.h"
#include "prim/box.h"

#define DATA_FILE "tests/peers/agentv_fields.jsonl"

/* Where we say something else: the quantities that differ, with our value, and the reason. */
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
    {"hc-02", "supplier.name.f1=0",
     "F1 is 2TP / (2TP + FP + FN), so 0 with errors and no match; theirs leaves it undefined."},
    {"hc-08", "f.f1=0", "F1 is 2TP / (2TP + FP + FN), so 0 with errors and no match; theirs leaves it undefined."},
    {"hc-14", "f.f1=0", "F1 is 2TP / (2TP + FP + FN), so 0 with errors and no match; theirs leaves it undefined."},
    {"li-06", "description.f1=0",
     "F1 is 2TP / (2TP + FP + FN), so 0 with errors and no match; theirs leaves it undefined."},
    {"li-08", "description.f1=0",
     "F1 is 2TP / (2TP + FP + FN), so 0 with errors and no match; theirs leaves it undefined."},
    {"li-16", "description.f1=0 quantity.f1=0 line_total.f1=0",
     "F1 is 2TP / (2TP + FP + FN), so 0 with errors and no match; theirs leaves it undefined."},
    {"hc-04", "invoice_number.f1=0 supplier.name.f1=0 macro_precision=0.6666666666666666",
     "An attribute with an error counts 0 in a mean where it is undefined; theirs leaves it out of the mean "
     "precision."},
    {"hc-10", "f.f1=0 macro_precision=0",
     "An attribute with an error counts 0 in a mean where it is undefined; theirs has no mean precision then."},
    {"hc-12", "score=1 f.tn=1 total_tn=1 macro_f1=-",
     "A blank text is as empty as \"\", so this is a true negative, and nothing is wrong; theirs counts it nowhere."},
    {"li-12",
     "score=0 description.tp=0 description.fp=1 description.fn=1 description.precision=0 description.recall=0 "
     "description.f1=0 macro_f1=0 alignment=[] matched=0 missing=1 extra=1",
     "A match field that only one side has scores 0, here 0.5 in the mean; theirs leaves it out."},
    {"li-14",
     "description.tp=0 description.tn=0 description.fp=1 description.fn=0 description.precision=0 description.f1=0 "
     "quantity.tp=0 quantity.tn=0 quantity.fp=1 quantity.fn=0 quantity.precision=0 quantity.f1=0 "
     "line_total.tp=0 line_total.tn=0 line_total.fp=1 line_total.fn=0 line_total.precision=0 line_total.f1=0 "
     "macro_f1=0 parsed=1 extra=1",
     "Without a list nothing is expected, and each value of a candidate item is a false positive; theirs counts none."},
};
enum { DEVIATIONS = sizeof deviations / sizeof *deviations };

/* Rule files ----------------------------------------------------------------------------------- */

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

/* Judging -------------------------------------------------------------------------------------- */

/* The expected document of a row: given, or to be found in a conversation as in any data set. */
static ee_buffer expected_text(const ee_value *row, ee_arena *arena) {
  const ee_value *expected = member(row, "expected");
  if (expected == NULL) {
    ee_case found;
    ee_error error = {0};
    assert_int_equal(ee_record_read(row, &(ee_record_paths){0}, &(ee_record_place){.line = 1}, arena, &found, &error),
                     EE_OK);
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

/* Comparing ------------------------------------------------------------------------------------ */

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
  const ee_value **rows = read_rows(DATA_FILE, &arena, &count);
  for (size_t i = 0; i < count; i++) {
    const ee_value *evaluator = member(rows[i], "evaluator");
    if (has_text(evaluator, "iou_score") || has_text(evaluator, "distance")) continue;
    const char *id = text_of(member(rows[i], "id"));
    const deviation *known = deviation_of(deviations, DEVIATIONS, id);
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
    assert_ptr_equal(deviation_of(deviations, DEVIATIONS, deviations[i].id), &deviations[i]);
  }
  ee_buffer_fini(&text);
  ee_arena_fini(&arena);
}

/* Boxes and distances -------------------------------------------------------------------------- */

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
  const ee_value **rows = read_rows(DATA_FILE, &arena, &count);
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

/* Texts ---------------------------------------------------------------------------------------- */

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

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_rows), cmocka_unit_test(test_boxes_and_distances),
             cmocka_unit_test(test_texts));
