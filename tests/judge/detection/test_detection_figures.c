/* test_detection_figures.c: what the images of a data set come to: figures, classes, notes, however they are cut into
 * parts. */
#include "judge/corpus_state.h"
#include "judge/corpus_view.h"
#include "judge/plan_fixture.h"
#include "run/gate_decision.h"

#include <math.h>
#include <sys/resource.h>

#include "base/hash_index.h"
#include "base/work.h"
#include "judge/detection/detection.h"
#include "run/totals.h"
#include "support/random.h"

#define RULES(options) "{\"ee\":\"rules\",\"items\":[{\"ee\":\"detection\"" options "}]}"

/* A data set while it is judged. */
typedef struct data_set {
  fixture f;
  ee_totals totals;
} data_set;

static void open_set(data_set *d, const char *rules) {
  fixture_open(&d->f);
  fixture_rules(&d->f, rules);
  ee_totals_init(&d->totals, d->f.plan);
}

static void close_set(data_set *d) {
  ee_totals_fini(&d->totals);
  fixture_close(&d->f);
}

/* Judges an image into `totals`. */
static void judge_into(data_set *d, ee_totals *totals, const char *id, const char *expected, const char *candidate) {
  fixture *f = &d->f;
  ee_arena_reset(&f->case_arena, 0);
  f->current = (ee_case){.id = ee_str_from(id),
                         .expected = fixture_json(&f->case_arena, expected),
                         .candidate = candidate != NULL ? fixture_json(&f->case_arena, candidate) : NULL,
                         .candidate_state = candidate != NULL ? EE_CANDIDATE_READ : EE_CANDIDATE_MISSING};
  f->context =
      (ee_context){.plan = f->plan, .arena = &f->case_arena, .script = &f->script, .rule_errors = &f->rule_errors};
  ee_plan_judge(f->plan, &f->context, &f->current, &f->result);
  ee_totals_add(totals, &f->result, &f->case_arena);
}

static void add_image(data_set *d, const char *id, const char *expected, const char *candidate) {
  judge_into(d, &d->totals, id, expected, candidate);
}

static const ee_corpus_summary *finish(data_set *d) {
  ee_totals_finish(&d->totals);
  return d->totals.all.judges[0].corpus;
}

/* Figures -------------------------------------------------------------------------------------- */

/* Two classes: of `a` the better detection is true and one object is missed, of `b` nothing is found, `c` has no
 * object. */
static void add_two_classes(data_set *d) {
  add_image(d, "2", "[{\"bbox\":[0,0,10,10],\"category\":\"a\"}]",
            "[{\"bbox\":[0,0,10,10],\"category\":\"a\",\"score\":0.9},{\"bbox\":[50,0,10,10],\"category\":\"c\","
            "\"score\":0.8}]");
  add_image(d, "10", "[{\"bbox\":[0,0,10,10],\"category\":\"a\"},{\"bbox\":[0,0,10,10],\"category\":\"b\"}]",
            "[{\"bbox\":[80,0,10,10],\"category\":\"a\",\"score\":0.5}]");
}

static void test_figures(void **state) {
  (void)state;
  data_set d;
  open_set(&d, RULES());
  add_two_classes(&d);
  assert_null(d.totals.all.judges[0].corpus);
  const ee_corpus_summary *figures = finish(&d);
  /* 51 of the 101 recall points are at most 0.5. */
  double half = 51.0 / 101;
  assert_true(fabs(figure_value(figures, "AP") - half / 2) < 1e-12);
  assert_true(fabs(figure_value(figures, "APs") - half / 2) < 1e-12);
  assert_figure(figures, "APm", -1);
  assert_figure(figures, "AR1", 0.25);
  assert_figure(figures, "AR100", 0.25);
  assert_figure(figures, "precision", 1.0 / 3);
  assert_figure(figures, "recall", 1.0 / 3);
  assert_figure(figures, "images", 2);
  assert_figure(figures, "objects", 3);
  assert_figure(figures, "detections", 3);
  assert_figure(figures, "tp", 1);
  assert_figure(figures, "fp", 2);
  assert_figure(figures, "fn", 2);
  /* Without ties, so that gates on them hold. */
  assert_figure(figures, "tied", 0);
  assert_figure(figures, "AP_low", figure_value(figures, "AP"));
  assert_figure(figures, "AP_high", figure_value(figures, "AP"));
  assert_true(figure_find(figures, "tp")->is_count && !figure_find(figures, "AP")->is_count);
  /* Worst first; a class without objects has no AP and stands last. */
  assert_string_equal(figures->row_title, "class");
  assert_int_equal(figures->row_count, 3);
  assert_true(ee_str_is(figures->rows[0].name, "b") && figures->rows[0].values[0].value == 0);
  assert_true(ee_str_is(figures->rows[1].name, "a") && fabs(figures->rows[1].values[0].value - half) < 1e-12);
  assert_true(ee_str_is(figures->rows[2].name, "c") && !figures->rows[2].values[0].defined);
  assert_string_equal(figures->columns[3], "AR100");
  assert_true(figures->rows[1].values[4].value == 2 && figures->rows[1].values[5].value == 2);
  assert_true(figures->rows[2].values[4].value == 0 && figures->rows[2].values[5].value == 1);
  assert_note(figures, "2 objects missed (first in '10')");
  assert_note(figures, "2 false detections on background (first in '2', '10')");
  /* A second time changes nothing, and clearing forgets it. */
  assert_ptr_equal(finish(&d), figures);
  ee_totals_clear(&d.totals);
  assert_null(d.totals.all.judges[0].corpus);
  assert_figure(finish(&d), "images", 0);
  close_set(&d);
}

/* The length of the state of 50 images with one object each, whose areas begin with `from` and go on by `step`. */
static size_t state_of_areas(double from, double step) {
  data_set d;
  ee_buffer text = {0};
  open_set(&d, RULES());
  for (int i = 0; i < 50; i++) {
    char id[8], expected[120];
    snprintf(id, sizeof id, "%d", i);
    snprintf(expected, sizeof expected, "[{\"bbox\":[0,0,10,10],\"category\":\"a\",\"area\":%g}]", from + step * i);
    add_image(&d, id, expected, "[]");
  }
  corpus_write(&d.totals, &text);
  size_t length = text.length;
  ee_buffer_fini(&text);
  close_set(&d);
  return length;
}

/* States have only the areas that are not those of the boxes. */
static void test_areas_in_states(void **state) {
  (void)state;
  size_t plain = state_of_areas(100, 0), other = state_of_areas(11.25, 0.1);
  assert_in_range(other, plain + 50 * 4, plain + 50 * 20);
  assert_in_range(plain, 1, 50 * 20);
}

/* Metrics that need more than a limit of work are left out; within it they are those of no limit, and an interrupt
 * changes nothing. */
static void test_limited(void **state) {
  (void)state;
  bool complete = false;
  size_t rounds = 0;
  double whole = 51.0 / 101 / 2;
  const volatile sig_atomic_t interrupted = 1, *before = ee_work_watch(&interrupted);
  for (uint64_t units = 0; !complete; units = 2 * units + 1, rounds++) {
    data_set d;
    open_set(&d, RULES());
    add_two_classes(&d);
    complete = ee_totals_finish_within(&d.totals, units);
    const ee_corpus_summary *figures = d.totals.all.judges[0].corpus;
    assert_non_null(figures);
    if (complete)
      assert_true(fabs(figure_value(figures, "AP") - whole) < 1e-12);
    else
      assert_int_equal(figures->metric_count + figures->row_count, 0);
    assert_true(ee_work_left() == EE_WORK_UNLIMITED);
    close_set(&d);
  }
  assert_true(rounds > 1 && rounds < 40);
  assert_ptr_equal(ee_work_watch(before), &interrupted);
}

static void test_nothing(void **state) {
  (void)state;
  data_set d;
  open_set(&d, RULES());
  const ee_corpus_summary *figures = finish(&d);
  assert_figure(figures, "AP", -1);
  assert_figure(figures, "precision", -1);
  assert_figure(figures, "images", 0);
  assert_int_equal(figures->row_count, 0);
  assert_int_equal(figures->note_count, 0);
  close_set(&d);
  open_set(&d, RULES());
  add_image(&d, "1", "{\"a\":1}", "[{\"bbox\":[0,0,1,1],\"score\":1}]");
  add_image(&d, "2", "[]", NULL);
  figures = finish(&d);
  assert_figure(figures, "images", 1);
  assert_figure(figures, "detections", 0);
  assert_note(figures, "1 record without an array of objects, excluded from all metrics (first in '1')");
  close_set(&d);
}

/* AR is called after its limits, and one class in all has no rows. */
static void test_parameters(void **state) {
  (void)state;
  data_set d;
  open_set(&d, RULES(",\"max_detections\":[2,5],\"classes\":false,\"mode\":\"corrected\",\"thresholds\":[0.3,0.5]"));
  add_two_classes(&d);
  const ee_corpus_summary *figures = finish(&d);
  assert_int_equal(figures->row_count, 0);
  assert_figure(figures, "AR2", 1.0 / 3);
  assert_figure(figures, "AR5", 1.0 / 3);
  assert_null(figure_find(figures, "AR100"));
  assert_true(figure_value(figures, "AP") > 0.3 && figure_value(figures, "AP50") == figure_value(figures, "AP"));
  assert_figure(figures, "AP75", -1);
  close_set(&d);
}

/* AP50 and AP75, of the data set and of each class, are known if the thresholds list them, wherever they stand. */
static void test_thresholds(void **state) {
  (void)state;
  static const struct {
    const char *rules;
    bool has_50, has_75;
  } lists[] = {{RULES(",\"thresholds\":[0.75]"), false, true},     {RULES(",\"thresholds\":[0.5]"), true, false},
               {RULES(",\"thresholds\":[0.3,0.75]"), false, true}, {RULES(",\"thresholds\":[0.3,0.5]"), true, false},
               {RULES(",\"thresholds\":[0.3]"), false, false},     {RULES(), true, true}};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    data_set d;
    open_set(&d, lists[i].rules);
    add_two_classes(&d);
    const ee_corpus_summary *figures = finish(&d);
    /* The boxes that are found are equal: each threshold gives the same. */
    double ap = figure_value(figures, "AP");
    assert_true(ap > 0.2);
    assert_figure(figures, "AP50", lists[i].has_50 ? ap : -1);
    assert_figure(figures, "AP75", lists[i].has_75 ? ap : -1);
    const ee_corpus_metric *a = figures->rows[1].values;
    assert_string_equal(a[1].name, "AP50");
    assert_string_equal(a[2].name, "AP75");
    assert_true(a[0].defined && a[1].defined == lists[i].has_50 && a[2].defined == lists[i].has_75);
    if (a[1].defined) assert_true(a[1].value == a[0].value);
    if (a[2].defined) assert_true(a[2].value == a[0].value);
    close_set(&d);
  }
}

/* Notes ---------------------------------------------------------------------------------------- */

static void test_counters(void **state) {
  (void)state;
  data_set d;
  open_set(&d, RULES(",\"max_detections\":[1],\"min_score\":0.2"));
  add_image(&d, "x", "[{\"bbox\":[0,0,10,10]},{\"bbox\":[0,0,1,-1]}]",
            "[{\"bbox\":[0,0,10,10],\"score\":0.9},{\"bbox\":[0,0,10,10],\"score\":0.8},{\"bbox\":[0,0,10,10],"
            "\"score\":0.1},{\"bbox\":[0,0,10,10]},7]");
  const ee_corpus_summary *figures = finish(&d);
  assert_figure(figures, "dropped", 2);
  assert_figure(figures, "low_score", 2); /* one of them is no detection at all */
  assert_figure(figures, "bad_objects", 1);
  assert_figure(figures, "bad_detections", 1);
  assert_figure(figures, "without_score", 1);
  assert_note(figures, "1 detection has no score: no average precision (first in 'x')");
  assert_note(figures, "1 object without a usable box, which no detection can match (first in 'x')");
  assert_note(figures, "1 detection without a usable box (first in 'x')");
  assert_note(figures, "2 detections below min_score = 0.2, counted in average precision only (first in 'x')");
  assert_note(figures, "2 detections dropped: beyond max_detections = 1 in the image and class (first in 'x')");
  assert_note(figures, "1 object with an area outside the range, not counted (first in 'x')");
  assert_figure(figures, "AP", -1);
  assert_figure(figures, "recall", 1);
  close_set(&d);
}

/* What is no detection is a false one of the lowest score there is; only a detection takes the average precision away
 * when it has no score. */
static void test_no_detections(void **state) {
  (void)state;
  data_set d;
  open_set(&d, RULES());
  add_image(&d, "a", "[{\"bbox\":[0,0,10,10]}]", "[\"a box\",{\"bbox\":[0,0,10,10],\"score\":-5}]");
  add_image(&d, "b", "[{\"bbox\":[0,0,10,10]}]",
            "[{\"category\":\"(none)\"},{\"bbox\":[0,0,10]},{\"bbox\":[0,0,10,10],\"score\":-6}]");
  const ee_corpus_summary *figures = finish(&d);
  assert_true(fabs(figure_value(figures, "AP") - 1) < 1e-12);
  assert_figure(figures, "without_score", 0);
  assert_figure(figures, "bad_detections", 3);
  assert_figure(figures, "tp", 2);
  assert_figure(figures, "fp", 3);
  assert_note(figures, "3 detections without a usable box (first in 'a', 'b')");
  close_set(&d);
  open_set(&d, RULES());
  add_image(&d, "b", "[{\"bbox\":[0,0,10,10]}]", "[{\"bbox\":[0,0,10,10],\"score\":1}]");
  add_image(&d, "c", "[]", "[{\"bbox\":[0,0,10,10]},7]");
  add_image(&d, "d", "[]", "[{\"bbox\":[0,0,10,10],\"score\":\"high\"}]");
  figures = finish(&d);
  assert_figure(figures, "AP", -1);
  assert_figure(figures, "without_score", 2);
  assert_note(figures, "2 detections have no score: no average precision (first in 'c', 'd')");
  close_set(&d);
}

/* A street of boxes in the format that `format` prints. */
static void add_street(data_set *d, unsigned number, const char *object_format, const char *detection_format) {
  ee_buffer objects = {0}, detections = {0};
  for (unsigned i = 0; i < 5; i++) {
    unsigned x = 100 * i + 7 * number, y = 50 + 31 * i, w = 30 + 5 * i, h = 40;
    ee_buffer_addf(&objects, "%s{\"bbox\":", i > 0 ? "," : "[");
    ee_buffer_addf(&detections, "%s{\"score\":%u,\"bbox\":", i > 0 ? "," : "[", i);
    ee_buffer *out = &objects;
    for (const char *format = object_format;; format = detection_format, out = &detections) {
      if (strcmp(format, "xyxy") == 0)
        ee_buffer_addf(out, "[%u,%u,%u,%u]}", x, y, x + w, y + h);
      else if (strcmp(format, "cxcywh") == 0)
        ee_buffer_addf(out, "[%.1f,%.1f,%u,%u]}", x + w / 2.0, y + h / 2.0, w, h);
      else if (strcmp(format, "yxyx") == 0)
        ee_buffer_addf(out, "[%u,%u,%u,%u]}", y, x, y + h, x + w);
      else if (strcmp(format, "share") == 0)
        ee_buffer_addf(out, "[%.4f,%.4f,%.4f,%.4f]}", x / 1000.0, y / 1000.0, w / 1000.0, h / 1000.0);
      else
        ee_buffer_addf(out, "[%u,%u,%u,%u]}", x, y, w, h);
      if (out == &detections) break;
    }
  }
  char id[16];
  snprintf(id, sizeof id, "street-%u", number);
  ee_buffer_add_char(&objects, ']');
  ee_buffer_add_char(&detections, ']');
  add_image(d, id, ee_buffer_terminate(&objects), ee_buffer_terminate(&detections));
  ee_buffer_fini(&objects);
  ee_buffer_fini(&detections);
}

static void check_suspicion(const char *rules, const char *objects, const char *detections, const char *beginning) {
  data_set d;
  open_set(&d, rules);
  add_image(&d, "empty", "[]", "[]");
  for (unsigned i = 0; i < 10; i++) add_street(&d, i, objects, detections);
  const ee_corpus_summary *figures = finish(&d);
  if (beginning == NULL) {
    for (size_t i = 0; i < figures->note_count; i++)
      assert_null(memmem(figures->notes[i].data, figures->notes[i].length, "look", 4));
  } else {
    assert_true(figures->note_count > 0);
    ee_str note = figures->notes[0];
    if (note.length < strlen(beginning) || memcmp(note.data, beginning, strlen(beginning)) != 0)
      fail_msg("'%.*s' is not '%s'", (int)note.length, note.data, beginning);
    assert_non_null(memmem(note.data, note.length, "(first in 'street-0')", 21));
  }
  close_set(&d);
}

static void test_suspicions(void **state) {
  (void)state;
  check_suspicion(RULES(), "xywh", "xywh", NULL);
  check_suspicion(RULES(",\"format\":\"xyxy\""), "xyxy", "xyxy", NULL);
  check_suspicion(RULES(), "xywh", "xyxy",
                  "the detections look like xyxy, not xywh: mean best IoU of an object 1 instead of 0.");
  check_suspicion(RULES(), "xyxy", "xywh",
                  "the objects look like xyxy, not xywh: mean best IoU of an object 1 instead of 0.");
  check_suspicion(RULES(",\"candidate_format\":\"xyxy\""), "xywh", "xyxy", NULL);
  check_suspicion(RULES(",\"format\":\"xyxy\",\"candidate_format\":\"xywh\""), "xyxy", "xywh", NULL);
  check_suspicion(RULES(",\"candidate_format\":\"cxcywh\""), "xywh", "xyxy",
                  "the detections look like xyxy, not cxcywh: mean best IoU of an object 1 ");
  check_suspicion(RULES(",\"format\":\"xyxy\""), "xyxy", "xywh",
                  "the detections look like xywh, not xyxy: mean best IoU of an object 1 instead of 0");
  check_suspicion(RULES(",\"format\":\"cxcywh\""), "cxcywh", "xywh",
                  "the detections look like xywh, not cxcywh: mean best IoU of an object 1 ");
  check_suspicion(RULES(",\"format\":\"xyxy\""), "xyxy", "yxyx",
                  "the detections look like [y1, x1, y2, x2], not xyxy: mean best IoU of an object 1 ");
  check_suspicion(
      RULES(), "xywh", "share",
      "the detections look like shares of the image's size, the objects like pixels: no coordinate above 0.");
  check_suspicion(
      RULES(), "share", "xywh",
      "the objects look like shares of the image's size, the detections like pixels: no coordinate above 0.");
}

static void assert_advice(const char *rules, const char *objects, const char *detections, const char *advice) {
  data_set d;
  open_set(&d, rules);
  for (unsigned i = 0; i < 10; i++) add_street(&d, i, objects, detections);
  ee_str note = finish(&d)->notes[0];
  assert_true(note.length > strlen(advice));
  assert_memory_equal(note.data + note.length - strlen(advice), advice, strlen(advice));
  close_set(&d);
}

/* Options that the advice names are there, and are those of the right side. */
static void test_advice(void **state) {
  (void)state;
  assert_advice(RULES(), "xywh", "xyxy", ": set candidate_format = \"xyxy\"");
  assert_advice(RULES(",\"format\":\"xyxy\""), "xywh", "xywh", ": set format = \"xywh\"");
  assert_advice(RULES(), "xyxy", "xywh", ": set format = \"xyxy\", candidate_format = \"xywh\"");
  assert_advice(RULES(), "xywh", "yxyx", "(first in 'street-0')");
}

/* However many detections on background there are besides. */
static void test_suspicion_among_background(void **state) {
  (void)state;
  data_set d;
  open_set(&d, RULES());
  ee_buffer text = {0};
  ee_buffer_add_text(&text, "[{\"bbox\":[500,400,560,480],\"score\":0.9}");
  for (int i = 0; i < 90; i++)
    ee_buffer_addf(&text, ",{\"bbox\":[%d,%d,%d,%d],\"score\":0.1}", i, i % 7, i + 2, i % 7 + 3);
  ee_buffer_add_char(&text, ']');
  add_image(&d, "1", "[{\"bbox\":[500,400,60,80]}]", ee_buffer_terminate(&text));
  assert_note(finish(&d),
              "the detections look like xyxy, not xywh: mean best IoU of an object 1 instead of 0.018 (first "
              "in '1'): set candidate_format = \"xyxy\"");
  ee_buffer_fini(&text);
  close_set(&d);
}

static void test_strange_classes(void **state) {
  (void)state;
  data_set d;
  open_set(&d, RULES());
  add_image(&d, "1", "[{\"bbox\":[0,0,10,10],\"category\":\"cat\"},{\"bbox\":[0,0,10,10],\"category\":\"dog\"}]",
            "[{\"bbox\":[0,0,10,10],\"category\":17,\"score\":1}]");
  assert_note(finish(&d), "no class of the detections ('17') is one of the objects ('cat', 'dog')");
  close_set(&d);
}

/* The two modes: what one names as a defect, the other corrects. */
static void test_modes(void **state) {
  (void)state;
  const char *expected =
      "[{\"bbox\":[0,0,10,10],\"id\":5,\"image_id\":1,\"ignore\":1},{\"bbox\":[50,0,10,10],\"id\":0,\"image_id\":1},"
      "{\"bbox\":[90,0,10,10],\"id\":5,\"image_id\":1}]";
  const char *candidate = "[{\"bbox\":[0,0,10,10],\"score\":0.9},{\"bbox\":[50,0,10,10],\"score\":0.8},{\"bbox\":[90,0,"
                          "10,10],\"score\":0.7}]";
  data_set d;
  open_set(&d, RULES());
  add_image(&d, "1", expected, candidate);
  const ee_corpus_summary *figures = finish(&d);
  /* The object at 0 is read as the one at 90, the one at 50 is never found. */
  assert_figure(figures, "tp", 1);
  assert_figure(figures, "fp", 2);
  assert_figure(figures, "fn", 2);
  assert_note(figures, "1 object marked 'ignore', which has no effect in COCO's evaluator (mode = \"corrected\" "
                       "honours it) (first in '1')");
  assert_note(
      figures,
      "1 object with the same id as a later object (by the order of images, then of the array), which is used in place "
      "of each; COCO's evaluator uses the order of its file (mode = \"corrected\" keeps them apart) (first in '1')");
  assert_note(figures, "1 object with the id 0: COCO's evaluator counts detections of such an object as false (mode = "
                       "\"corrected\" does not) "
                       "(first in '1')");
  close_set(&d);
  open_set(&d, RULES(",\"mode\":\"corrected\""));
  add_image(&d, "1", expected, candidate);
  figures = finish(&d);
  assert_figure(figures, "tp", 2);
  assert_figure(figures, "fp", 0);
  assert_figure(figures, "fn", 0);
  assert_true(fabs(figure_value(figures, "AP") - 1) < 1e-12);
  assert_note(figures, "1 object marked 'ignore' (corrected: not counted) (first in '1')");
  assert_note(figures, "1 object with the same id as a later object (corrected: kept apart) (first in '1')");
  assert_note(figures, "1 object with the id 0 (corrected: can be found) (first in '1')");
  close_set(&d);
}

/* Equal scores --------------------------------------------------------------------------------- */

static void test_ties(void **state) {
  (void)state;
  data_set d;
  open_set(&d, RULES());
  add_image(&d, "1", "[]", "[{\"bbox\":[0,0,10,10],\"score\":0.5}]");
  add_image(&d, "2", "[{\"bbox\":[0,0,10,10]}]", "[{\"bbox\":[0,0,10,10],\"score\":0.5}]");
  const ee_corpus_summary *figures = finish(&d);
  assert_true(fabs(figure_value(figures, "AP") - 0.5) < 1e-12);
  assert_true(figure_value(figures, "AP_low") == figure_value(figures, "AP"));
  assert_true(fabs(figure_value(figures, "AP_high") - 1) < 1e-12);
  assert_figure(figures, "tied", 2);
  assert_note(figures, "2 detections with equal scores in their class: AP would be about 0.5 with the false ones of "
                       "these first, about 1 "
                       "with the true ones first (an estimate: the matches within an image are not changed)");
  close_set(&d);
}

/* Parts ---------------------------------------------------------------------------------------- */

enum { IMAGES = 40 };

static void add_items(ee_buffer *out, test_random *random, bool detections, bool scores, unsigned image) {
  ee_buffer_add_char(out, '[');
  for (size_t i = 0, n = test_random_below(random, 6); i < n; i++) {
    ee_buffer_addf(out, "%s{\"bbox\":[%zu,%zu,%zu,%zu],\"category\":\"%c\"", i > 0 ? "," : "",
                   test_random_below(random, 9) * 8, test_random_below(random, 3) * 8,
                   4 + test_random_below(random, 20), 4 + test_random_below(random, 20),
                   "abcdef"[test_random_below(random, 6)]);
    if (test_random_below(random, 8) == 0) ee_buffer_addf(out, ",\"category_id\":%zu", test_random_below(random, 9));
    if (detections) {
      if (scores || test_random_below(random, 30) > 0)
        ee_buffer_addf(out, ",\"score\":0.%zu", 1 + test_random_below(random, 9));
    } else {
      if (test_random_below(random, 6) == 0) ee_buffer_add_text(out, ",\"iscrowd\":1");
      if (test_random_below(random, 6) == 0) ee_buffer_add_text(out, ",\"ignore\":1");
      ee_buffer_addf(out, ",\"id\":%zu,\"image_id\":%u", test_random_below(random, 60), image);
    }
    ee_buffer_add_char(out, '}');
  }
  ee_buffer_add_char(out, ']');
}

enum { PARTS = 6 };

/* Any partition of the images, in any order and merged as any tree, with states in between, gives the same bytes; so
 * does the state of all of them. */
static void test_parts(void **state) {
  (void)state;
  static const char *const rules[] = {RULES(), RULES(",\"mode\":\"corrected\""),
                                      RULES(",\"classes\":false,\"max_detections\":[1,3]")};
  test_random random = test_random_start("test_detection_figures", 1405);
  for (int round = 0; round < 120; round++) {
    const char *rule = rules[test_random_below(&random, 3)];
    bool scores = test_random_below(&random, 4) > 0;
    char *images[IMAGES][2], ids[IMAGES][16];
    size_t order[IMAGES];
    for (unsigned i = 0; i < IMAGES; i++) {
      snprintf(ids[i], sizeof ids[i], test_random_below(&random, 2) > 0 ? "%u" : "image %u", i);
      for (size_t side = 0; side < 2; side++) {
        ee_buffer text = {0};
        add_items(&text, &random, side == 1, scores, i);
        images[i][side] = strdup(ee_buffer_terminate(&text));
        ee_buffer_fini(&text);
      }
      size_t at = test_random_below(&random, i + 1);
      order[i] = order[at];
      order[at] = i;
    }
    data_set whole, merged;
    open_set(&whole, rule);
    open_set(&merged, rule);
    ee_totals parts[PARTS];
    for (size_t i = 0; i < PARTS; i++) {
      ee_totals_init(&parts[i], merged.f.plan);
    }
    for (size_t i = 0; i < IMAGES; i++) {
      size_t moved = order[i], part = test_random_below(&random, PARTS);
      add_image(&whole, ids[i], images[i][0], images[i][1]);
      judge_into(&merged, &parts[part], ids[moved], images[moved][0], images[moved][1]);
    }
    for (size_t left = PARTS; left > 1; left--) {
      size_t from = test_random_below(&random, left), to = test_random_below(&random, left - 1);
      to += to >= from;
      if (test_random_below(&random, 2) == 0) corpus_through_state(&parts[from]);
      ee_totals_merge(&parts[to], &parts[from]);
      ee_totals merged_away = parts[from];
      parts[from] = parts[left - 1];
      ee_totals_fini(&merged_away);
    }
    corpus_through_state(&parts[0]);
    ee_totals_merge(&merged.totals, &parts[0]);
    ee_totals_fini(&parts[0]);
    ee_buffer states[2] = {{0}, {0}};
    corpus_write(&whole.totals, &states[0]);
    corpus_write(&merged.totals, &states[1]);
    assert_string_equal(ee_buffer_terminate(&states[0]), ee_buffer_terminate(&states[1]));
    corpus_refuses_damage(&whole.totals, (ee_str){states[0].data, states[0].length}, &random);
    ee_buffer_fini(&states[0]);
    ee_buffer_fini(&states[1]);
    ee_buffer texts[2] = {{0}, {0}};
    figures_print(finish(&whole), &texts[0]);
    figures_print(finish(&merged), &texts[1]);
    assert_string_equal(ee_buffer_terminate(&texts[0]), ee_buffer_terminate(&texts[1]));
    /* The pooled attributes add up to the counts of the whole, but where objects stand for others. */
    const ee_judge_averages averages = ee_judge_total_averages(&whole.totals.all.judges[0]);
    if (rule == rules[1]) {
      assert_figure(finish(&whole), "tp", (double)averages.pooled.tp);
      assert_figure(finish(&whole), "fp", (double)averages.pooled.fp);
      assert_figure(finish(&whole), "fn", (double)averages.pooled.fn);
    }
    ee_buffer_fini(&texts[0]);
    ee_buffer_fini(&texts[1]);
    for (size_t i = 0; i < IMAGES; i++)
      for (size_t side = 0; side < 2; side++) free(images[i][side]);
    close_set(&whole);
    close_set(&merged);
  }
}

/* Gates ---------------------------------------------------------------------------------------- */

static ee_gate_result decide(data_set *d, const char *text) {
  ee_gate *gate = EE_NEW(&d->f.arena, ee_gate);
  ee_error error = {0};
  if (!ee_gate_parse(d->f.plan, text, 0, &d->f.arena, gate, &error)) fail_msg("%s", error.message);
  return ee_gate_decide(gate, &d->totals);
}

static void test_gates(void **state) {
  (void)state;
  data_set d;
  open_set(&d, "{\"ee\":\"rules\",\"items\":[{\"ee\":\"detection\"},{\"ee\":\"gate\",\"metric\":\"AP50\",\"judge\":"
               "\"detection\",\"min\":0.5}]}");
  add_two_classes(&d);
  /* Nothing is decided on what is not finished. */
  assert_false(decide(&d, "AP=0").defined);
  finish(&d);
  ee_gate_result result = ee_gate_decide(&d.f.plan->gates[0], &d.totals);
  assert_true(result.defined && !result.passed && fabs(result.value - 25.5 / 101) < 1e-12);
  assert_int_equal(result.units, 2);
  assert_true(decide(&d, "detection:AP=0.25").passed);
  assert_true(decide(&d, "AR100=0.25").passed);
  assert_false(decide(&d, "AR100=0.26").passed);
  result = decide(&d, "APl=0");
  assert_true(!result.defined && !result.passed);
  ee_buffer text = {0};
  result = decide(&d, "AR1=0.3");
  ee_gate_print(&result, &text);
  assert_string_equal(ee_buffer_terminate(&text), "AR1 0.25 >= 0.3");
  ee_buffer_fini(&text);
  ee_gate gate;
  ee_error error = {0};
  assert_false(ee_gate_parse(d.f.plan, "AP51=0.5", 0, &d.f.arena, &gate, &error));
  assert_non_null(strstr(error.message, "unknown metric 'AP51' (did you mean 'AP50'?)"));
  assert_false(ee_gate_parse(d.f.plan, "rqs=0.5", 0, &d.f.arena, &gate, &error));
  assert_string_equal(error.message, "gate 'rqs=0.5': no judge here provides 'rqs' (ee.quality does)");
  assert_false(ee_gate_parse(d.f.plan, "detection:a:AP=0.5", 0, &d.f.arena, &gate, &error));
  assert_non_null(strstr(error.message, "fields have no metric 'AP', only"));
  close_set(&d);
}

/* Memory --------------------------------------------------------------------------------------- */

static size_t peak_kib(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (size_t)usage.ru_maxrss;
}

/* Half a million detections in 1,000 images and 80 classes, kept and evaluated. */
static void test_memory(void **state) {
  (void)state;
  enum { COUNT = 1000, DETECTIONS = 500, OBJECTS = 37, CLASSES = 80 };
  data_set d;
  open_set(&d, RULES());
  ee_detection_class classes[CLASSES];
  char names[CLASSES][16], id[16];
  for (size_t k = 0; k < CLASSES; k++) {
    int length = snprintf(names[k], sizeof names[k], "class %zu", k);
    classes[k] = (ee_detection_class){.name = {names[k], (size_t)length}, .hash = ee_hash_mix(k + 1)};
  }
  test_random random = test_random_start("test_memory", 77);
  ee_ap_detection detections[DETECTIONS];
  ee_ap_object objects[OBJECTS];
  for (size_t i = 0; i < COUNT; i++) {
    for (size_t k = 0; k < OBJECTS; k++)
      objects[k] = (ee_ap_object){.box = {test_random_unit(&random) * 500, test_random_unit(&random) * 500, 40, 40},
                                  .area = 1600,
                                  .category = (uint32_t)test_random_below(&random, CLASSES)};
    for (size_t k = 0; k < DETECTIONS; k++) {
      const ee_ap_object *near = &objects[test_random_below(&random, OBJECTS)];
      detections[k] = (ee_ap_detection){.box = {near->box[0] + test_random_unit(&random) * 20, near->box[1], 40, 40},
                                        .score = test_random_unit(&random),
                                        .category = near->category};
    }
    ee_detection_case image = {.objects = objects,
                               .object_count = OBJECTS,
                               .detections = detections,
                               .detection_count = DETECTIONS,
                               .classes = classes,
                               .class_count = CLASSES};
    snprintf(id, sizeof id, "%zu", i);
    ee_case source = {.id = ee_str_from(id)};
    ee_judge_result result = {.judge = d.f.plan->judges[0], .corpus_part = &image};
    ee_detection_corpus.add(d.totals.all.judges[0].corpus_part, &source, &result);
  }
  const ee_corpus_summary *figures = finish(&d);
  assert_figure(figures, "detections", COUNT * DETECTIONS);
  assert_true(figure_value(figures, "AP") > 0.01);
#if !defined(EE_ARENA_CHECKED) && !defined(__SANITIZE_THREAD__)
  print_message("%zu MB at most\n", peak_kib() / 1024);
  assert_true(peak_kib() < 200 * 1024);
#else
  (void)peak_kib;
#endif
  close_set(&d);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_figures), cmocka_unit_test(test_areas_in_states),
             cmocka_unit_test(test_limited), cmocka_unit_test(test_nothing), cmocka_unit_test(test_parameters),
             cmocka_unit_test(test_thresholds), cmocka_unit_test(test_counters), cmocka_unit_test(test_no_detections),
             cmocka_unit_test(test_suspicions), cmocka_unit_test(test_advice),
             cmocka_unit_test(test_suspicion_among_background), cmocka_unit_test(test_strange_classes),
             cmocka_unit_test(test_modes), cmocka_unit_test(test_ties), cmocka_unit_test(test_parts),
             cmocka_unit_test(test_gates), cmocka_unit_test(test_memory));
