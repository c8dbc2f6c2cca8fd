/* test_coco_judge.c: the facts about COCO's evaluator through the judge: one image a record, read by 1 and by 7
 * workers, in the order of the file and backwards. The facts are in coco/, with a README. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above. */
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "judge/corpus_view.h"
#include "judge/plan_fixture.h"
#include "run/run.h"

enum { CASES = 36, STATS = 12 };

static size_t compared, wrong;

static const ee_value *member(const ee_value *value, const char *key) {
  return ee_value_member(value, ee_str_from(key), NULL);
}
static double number_at(const ee_value *array, size_t index) { return ee_value_number(ee_value_element(array, index)); }

/* Records -----------------------------------------------------------------------------------------------------------
 */

static void add_member(ee_buffer *out, const char *name, const ee_value *value) {
  if (value == NULL) return;
  ee_buffer_addf(out, ",\"%s\":", name);
  ee_json_write_value(out, value);
}

/* {"bbox":[...] from four elements of `row` */
static void add_box(ee_buffer *out, const ee_value *row, size_t first) {
  ee_buffer_add_text(out, "{\"bbox\":[");
  for (size_t i = 0; i < 4; i++) {
    if (i > 0) ee_buffer_add_char(out, ',');
    ee_json_write_value(out, ee_value_element(row, first + i));
  }
  ee_buffer_add_char(out, ']');
}

static void add_objects(ee_buffer *out, const ee_value *objects, double image) {
  bool any = false;
  for (const ee_value *row = ee_value_child(objects); row != NULL; row = ee_value_next(row)) {
    if (number_at(row, 1) != image) continue;
    if (any) ee_buffer_add_char(out, ',');
    any = true;
    add_box(out, row, 3);
    add_member(out, "id", ee_value_element(row, 0));
    add_member(out, "image_id", ee_value_element(row, 1));
    add_member(out, "category", ee_value_element(row, 2));
    add_member(out, "area", ee_value_element(row, 7));
    add_member(out, "iscrowd", ee_value_element(row, 8));
    add_member(out, "ignore", ee_value_element(row, 9));
    ee_buffer_add_char(out, '}');
  }
}

static void add_detections(ee_buffer *out, const ee_value *detections, double image) {
  bool any = false;
  for (const ee_value *row = ee_value_child(detections); row != NULL; row = ee_value_next(row)) {
    if (number_at(row, 0) != image) continue;
    if (any) ee_buffer_add_char(out, ',');
    any = true;
    add_box(out, row, 2);
    add_member(out, "category", ee_value_element(row, 1));
    add_member(out, "score", ee_value_element(row, 6));
    ee_buffer_add_char(out, '}');
  }
}

/* One line an image. */
static void print_records(const ee_value *inputs, bool backwards, ee_buffer *out) {
  const ee_value *images = member(inputs, "images");
  size_t count = ee_value_count(images);
  for (size_t i = 0; i < count; i++) {
    const ee_value *image = ee_value_element(images, backwards ? count - 1 - i : i);
    double number = ee_value_number(image);
    ee_buffer_add_text(out, "{\"id\":");
    ee_json_write_value(out, image);
    ee_buffer_add_text(out, ",\"expected\":[");
    add_objects(out, member(inputs, "objects"), number);
    ee_buffer_add_text(out, "],\"candidate\":[");
    add_detections(out, member(inputs, "detections"), number);
    ee_buffer_add_text(out, "]}\n");
  }
}

/* Rules -------------------------------------------------------------------------------------------------------------
 */

static void add_option(ee_buffer *out, const char *name, const ee_value *value) {
  if (value == NULL) return;
  ee_buffer_addf(out, ",\"%s\":", name);
  ee_json_write_value(out, value);
}

/* Lists inside a list arrive as one list. */
static void add_ranges(ee_buffer *out, const ee_value *ranges) {
  if (ranges == NULL) return;
  ee_buffer_add_text(out, ",\"area_ranges\":[");
  for (const ee_value *pair = ee_value_child(ranges); pair != NULL; pair = ee_value_next(pair)) {
    if (pair != ee_value_child(ranges)) ee_buffer_add_char(out, ',');
    ee_json_write_number(out, number_at(pair, 0));
    ee_buffer_add_char(out, ',');
    ee_json_write_number(out, number_at(pair, 1));
  }
  ee_buffer_add_char(out, ']');
}

static void make_rules(fixture *f, const ee_value *parameters, const char *mode, double threshold, double min_score) {
  ee_buffer rules = {0};
  ee_buffer_addf(
      &rules,
      "{\"ee\":\"rules\",\"items\":[{\"ee\":\"detection\",\"mode\":\"%s\",\"threshold\":%.17g,\"min_score\":%.17g",
      mode, threshold, min_score);
  add_option(&rules, "thresholds", member(parameters, "iouThrs"));
  add_option(&rules, "max_detections", member(parameters, "maxDets"));
  add_ranges(&rules, member(parameters, "areaRng"));
  ee_buffer_add_text(&rules, "}]}");
  fixture_rules(f, ee_buffer_terminate(&rules));
  ee_buffer_fini(&rules);
}

/* Runs the file; the totals are the caller's. */
static ee_run_result run(const fixture *f, const char *file, unsigned jobs) {
  ee_error error = {0};
  ee_dataset *dataset = ee_dataset_open(&file, 1, &error);
  if (dataset == NULL) fail_msg("%s", error.message);
  ee_dataset_set_sizes(dataset, 7, 0); /* many small blocks */
  ee_run_options options = {.jobs = jobs};
  ee_run_result result;
  if (ee_run(f->plan, dataset, &options, &result, &error) != EE_OK) fail_msg("%s", error.message);
  ee_dataset_close(dataset);
  return result;
}

/* Comparing ---------------------------------------------------------------------------------------------------------
 */

static void same(ee_str id, const char *what, double ours, double theirs) {
  compared++;
  if (memcmp(&ours, &theirs, sizeof ours) == 0) return;
  wrong++;
  print_error("%.*s: %s is %.17g, not %.17g\n", (int)id.length, id.data, what, ours, theirs);
}

/* COCO's names, but for AR at limits of one's own. */
static void compare_stats(ee_str id, const ee_corpus_summary *figures, const ee_value *parameters,
                          const double *stats) {
  static const char *const names[STATS] = {"AP",  "AP50", "AP75",  "APs", "APm", "APl",
                                           "AR1", "AR10", "AR100", "ARs", "ARm", "ARl"};
  const ee_value *limits = member(parameters, "maxDets");
  char last[32];
  snprintf(last, sizeof last, "AR%.0f", limits != NULL ? number_at(limits, ee_value_count(limits) - 1) : 100);
  for (size_t i = 0; i < STATS; i++) {
    const char *name = i == 8 ? last : names[i];
    same(id, name, figure_value(figures, name), stats[i]);
  }
  double ap = figure_value(figures, "AP"), low = figure_value(figures, "AP_low"),
         high = figure_value(figures, "AP_high");
  if (low >= 0 && ap >= 0 && !(low <= ap && ap <= high)) {
    wrong++;
    print_error("%.*s: AP %.17g is not within %.17g to %.17g\n", (int)id.length, id.data, ap, low, high);
  }
}

static void compare_classes(ee_str id, const ee_corpus_summary *figures, const ee_value *classes) {
  for (const ee_value *row = ee_value_child(classes); row != NULL; row = ee_value_next(row)) {
    char name[32];
    snprintf(name, sizeof name, "%.0f", number_at(row, 0));
    const ee_corpus_row *found = NULL;
    for (size_t i = 0; i < figures->row_count; i++)
      if (ee_str_is(figures->rows[i].name, name)) found = &figures->rows[i];
    for (size_t k = 0; k < 4; k++) {
      double value = found != NULL && found->values[k].defined ? found->values[k].value : -1;
      same(id, name, value, number_at(row, k + 1));
    }
  }
}

static void compare_counts(ee_str id, const ee_corpus_summary *figures, const ee_value *row) {
  same(id, "tp", figure_value(figures, "tp"), number_at(row, 2));
  same(id, "fp", figure_value(figures, "fp"), number_at(row, 3));
  same(id, "fn", figure_value(figures, "fn"), number_at(row, 4));
}

/* Where mode = "corrected" says something else, and what; all others agree. */
typedef struct correction {
  const char *id, *note;
  double stats[STATS]; /* of a second evaluator in Python and numpy; all 0: not compared */
} correction;

static const correction corrections[] = {
    {"h21_dup_gt_ids",
     "1 object with the same id as a later object (corrected: kept apart) (first in '1')",
     {1, 1, 1, 1, -1, -1, 1, 1, 1, 1, -1, -1}},
    {"real_hotcoco_zero",
     "1 object with the id 0 (corrected: can be found) (first in '0')",
     {1, 1, 1, -1, 1, -1, 0.6666666666666667, 1, 1, -1, 1, -1}},
    {"p2_maxdets",
     "max_detections without 100 (corrected: AP at the largest one, 1000)",
     {0.5546950262242136, 0.7786368877256966, 0.5763668520440944, 0.5876460813547775, 0.5530448216629894,
      0.5348271687225563, 0.00542257901207782, 0.04938507991610617, 0.8174375497215592, 0.8196572801241372,
      0.81021421107628, 0.8282193958664547}},
    /* The one object that counts is missed, the detection that finds the other one counts nowhere: nothing is found. */
    {"h11_ignore_field",
     "1 object marked 'ignore' (corrected: not counted) (first in '1')",
     {0, 0, 0, 0, -1, -1, 0, 0, 0, 0, -1, -1}},
    {"h03_nodets", "no detections at all (corrected: metrics are 0, where COCO's evaluator ends with an error)", {0}},
    {"real_fce_ignore", NULL, {0}},
};

static const correction *find_correction(ee_str id) {
  for (size_t i = 0; i < sizeof corrections / sizeof *corrections; i++)
    if (ee_str_is(id, corrections[i].id)) return &corrections[i];
  return NULL;
}

static bool is_correction(ee_str note) {
  static const char word[] = "(corrected: ";
  return memmem(note.data, note.length, word, sizeof word - 1) != NULL;
}

static void compare_corrected(ee_str id, const char *file, const ee_value *parameters, const double *stats) {
  fixture f;
  fixture_open(&f);
  make_rules(&f, parameters, "corrected", 0.5, -1e9);
  ee_run_result result = run(&f, file, 3);
  const ee_corpus_summary *figures = result.totals.all.judges[0].corpus;
  const correction *corrected = find_correction(id);
  if (corrected == NULL) {
    compare_stats(id, figures, parameters, stats);
    for (size_t i = 0; i < figures->note_count; i++) assert_false(is_correction(figures->notes[i]));
  } else {
    if (corrected->note != NULL && !has_note(figures, corrected->note))
      fail_msg("%s: no note '%s'", corrected->id, corrected->note);
    if (corrected->stats[0] != 0 || corrected->stats[4] != 0) compare_stats(id, figures, parameters, corrected->stats);
  }
  ee_totals_fini(&result.totals);
  fixture_close(&f);
}

/* One case at one operating point: both numbers of workers say the same, byte by byte. */
static void compare_point(ee_str id, const char *file, const ee_value *row, const ee_value *parameters,
                          const double *stats, const ee_value *point) {
  const ee_value *expected = member(row, "expected");
  fixture f;
  fixture_open(&f);
  make_rules(&f, parameters, "coco", point != NULL ? number_at(point, 0) : 0.5,
             point != NULL ? number_at(point, 1) : -1e9);
  ee_buffer texts[2] = {{0}, {0}};
  for (size_t i = 0; i < 2; i++) {
    ee_run_result result = run(&f, file, i == 0 ? 1 : 7);
    const ee_corpus_summary *figures = result.totals.all.judges[0].corpus;
    assert_non_null(figures);
    compare_stats(id, figures, parameters, stats);
    compare_classes(id, figures, member(expected, "per_category"));
    if (point != NULL) compare_counts(id, figures, point);
    figures_print(figures, &texts[i]);
    ee_totals_fini(&result.totals);
  }
  assert_string_equal(ee_buffer_terminate(&texts[0]), ee_buffer_terminate(&texts[1]));
  ee_buffer_fini(&texts[0]);
  ee_buffer_fini(&texts[1]);
  fixture_close(&f);
}

static void write_file(char name[], const ee_buffer *text) {
  int descriptor = mkstemp(name);
  assert_true(descriptor >= 0);
  FILE *file = fdopen(descriptor, "w");
  assert_int_equal(fwrite(text->data, 1, text->length, file), text->length);
  assert_int_equal(fclose(file), 0);
}

static void compare_case(const ee_value *row, const ee_value *inputs, bool backwards) {
  ee_str id = ee_value_text(member(row, "case"));
  const ee_value *expected = member(row, "expected"), *parameters = member(row, "parameters");
  const ee_value *points = member(expected, "counts");
  double stats[STATS];
  for (size_t i = 0; i < STATS; i++) stats[i] = number_at(member(expected, "stats"), i);
  ee_buffer text = {0};
  print_records(inputs, backwards, &text);
  char name[192];
  const char *folder = getenv("TMPDIR");
  snprintf(name, sizeof name, "%.150s/ee-test-coco-XXXXXX", folder != NULL ? folder : P_tmpdir);
  write_file(name, &text);
  /* What stands twice is the last one in the order of the records, and that is not the file's when they stand
   * backwards. */
  if (!backwards || !ee_str_is(id, "h21_dup_gt_ids")) {
    if (ee_value_count(points) == 0 || backwards)
      compare_point(id, name, row, parameters, stats, ee_value_child(points));
    for (const ee_value *point = ee_value_child(points); !backwards && point != NULL; point = ee_value_next(point))
      compare_point(id, name, row, parameters, stats, point);
  }
  if (!backwards) compare_corrected(id, name, parameters, stats);
  assert_int_equal(unlink(name), 0);
  ee_buffer_fini(&text);
}

static void compare_file(const char *name, size_t *cases) {
  ee_error error = {0};
  ee_dataset *dataset = ee_dataset_open(&name, 1, &error);
  if (dataset == NULL) fail_msg("%s", error.message);
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_block block;
  ee_block_init(&block);
  const ee_value *inputs = NULL; /* the line before may hold those of this one */
  for (bool done = false;;) {
    if (ee_dataset_next(dataset, &block, &done, &error) != EE_OK) fail_msg("%s", error.message);
    if (done) break;
    for (size_t i = 0; i < block.count; i++) {
      ee_str text = {block.text.data + block.records[i].offset, block.records[i].length};
      const ee_value *row = ee_json_read(&arena, text, NULL, &error);
      if (row == NULL) fail_msg("%s: %s", name, error.message);
      if (member(row, "inputs_of") == NULL) inputs = row;
      compare_case(row, inputs, false);
      compare_case(row, inputs, true);
      ++*cases;
    }
  }
  ee_block_fini(&block);
  ee_arena_fini(&arena);
  ee_dataset_close(dataset);
}

static void test_small(void **state) {
  (void)state;
  size_t cases = 0;
  compare_file("tests/peers/coco/small.jsonl", &cases);
  assert_true(cases >= CASES / 2);
  assert_int_equal(wrong, 0);
}

#ifdef EE_WITH_ZLIB
static void test_large(void **state) {
  (void)state;
  size_t cases = 0;
  compare_file("tests/peers/coco/large.jsonl.gz", &cases);
  assert_true(cases > 0);
  print_message("%zu numbers compared\n", compared);
  assert_int_equal(wrong, 0);
}
#endif

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_small),
#ifdef EE_WITH_ZLIB
    cmocka_unit_test(test_large),
#endif
};
EE_TEST_ARRAY(NULL, NULL, tests);
