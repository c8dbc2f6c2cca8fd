/* test_detection.c: one image: its score, what is found, and why the rest is not. */
#include "judge/plan_fixture.h"

#include "judge/detection/detection.h"
#include "support/random.h"

#define RULES(options) "{\"ee\":\"rules\",\"items\":[{\"ee\":\"detection\"" options "}]}"

static void open_rules(fixture *f, const char *rules) {
  fixture_open(f);
  fixture_rules(f, rules);
}

/* Judges with rules of their own. */
#define assert_image(rules, expected, candidate, wanted_score, hits, misses)                                           \
  do {                                                                                                                 \
    fixture one;                                                                                                       \
    open_rules(&one, rules);                                                                                           \
    const ee_judge_result *result = fixture_judge_case(&one, expected, candidate);                                     \
    assert_true(result->score == (wanted_score));                                                                      \
    assert_hits(&one, result, hits);                                                                                   \
    assert_misses(&one, result, misses);                                                                               \
    fixture_close(&one);                                                                                               \
  } while (0)

/* Findings ------------------------------------------------------------------------------------- */

#define STREET                                                                                                         \
  "[{\"bbox\":[0,0,10,10],\"category\":\"person\"},{\"bbox\":[100,0,10,10],\"category\":\"person\"},"                  \
  "{\"bbox\":[200,0,10,10],\"category\":\"cat\"},{\"bbox\":[300,0,50,50],\"category\":\"person\",\"iscrowd\":1}]"
#define STREET_SEEN                                                                                                    \
  "[{\"bbox\":[0,0,10,10],\"category\":\"person\",\"score\":0.9},"                                                     \
  "{\"bbox\":[0,0,10,9],\"category\":\"person\",\"score\":0.8},"                                                       \
  "{\"bbox\":[105,0,10,10],\"category\":\"person\",\"score\":0.7},"                                                    \
  "{\"bbox\":[200,0,10,10],\"category\":\"dog\",\"score\":0.6},"                                                       \
  "{\"bbox\":[500,0,10,10],\"category\":\"cat\",\"score\":0.5},"                                                       \
  "{\"bbox\":[310,10,10,10],\"category\":\"person\",\"score\":0.4}]"

static void test_findings(void **state) {
  (void)state;
  fixture f;
  open_rules(&f, RULES());
  const ee_judge_result *result = fixture_judge_case(&f, STREET, STREET_SEEN);
  assert_hits(&f, result, "0 person");
  assert_misses(
      &f, result,
      "1 person (missed); 2 cat (missed); det 1 person (duplicate); det 2 person (poor localisation: IoU 0.333333); "
      "det 3 dog (wrong class: cat); det 4 cat (background)");
  assert_string_equal(fixture_attributes(&f, result), "person* 1 0 2 1; cat* 0 0 1 1; dog* 0 0 1 0");
  assert_int_equal(result->attributes[0].counts.wrong, 1);
  assert_int_equal(result->attributes[1].counts.wrong, 0);
  assert_int_equal(result->attributes[2].counts.wrong, 1);
  assert_reasoning(result, "1/3 objects found, 4 false detections");
  assert_true(result->score == 2 * 0.2 * (1.0 / 3) / (0.2 + 1.0 / 3));
  assert_false(result->vacuous || result->failed);
  const ee_detection_case *image = result->corpus_part;
  assert_int_equal(image->counts[EE_DETECTION_IGNORED], 1);
  assert_int_equal(image->counts[EE_DETECTION_CROWDS], 1);
  assert_int_equal(image->counts[EE_DETECTION_MISSED], 2);
  fixture_close(&f);
}

/* What the options about matching do to it. */
static void test_operating_point(void **state) {
  (void)state;
  assert_image(RULES(",\"min_score\":0.75"), STREET, STREET_SEEN, 0.4, "0 person",
               "1 person (missed); 2 cat (missed); det 1 person (duplicate)");
  assert_image(RULES(",\"min_score\":0.9"), STREET, STREET_SEEN, 0.5, "0 person", "1 person (missed); 2 cat (missed)");
  assert_image(RULES(",\"threshold\":0.3,\"min_score\":0.65"), STREET, STREET_SEEN, 2.0 / 3, "0 person; 1 person",
               "2 cat (missed); det 1 person (duplicate)");
  /* The limit is one of an image and class. */
  assert_image(RULES(",\"max_detections\":[1]"), STREET, STREET_SEEN, 1.0 / 3, "0 person",
               "1 person (missed); 2 cat (missed); det 3 dog (wrong class: cat); det 4 cat (background)");
  assert_image(RULES(",\"classes\":false"), STREET, STREET_SEEN, 0.5, "0 person; 2 cat",
               "1 person (missed); det 1 person (duplicate); det 2 person (poor localisation: IoU 0.333333); det 4 cat "
               "(background)");
  /* Objects outside the first range count nowhere, and what finds one counts nowhere either. */
  assert_image(RULES(",\"area_ranges\":[0,99]"), STREET, STREET_SEEN, 0, "", "det 1 person (duplicate)");
}

static void test_empty(void **state) {
  (void)state;
  fixture f;
  open_rules(&f, RULES());
  static const char *const nothing[] = {"[]", "null", "\"\"", "[{\"bbox\":[0,0,9,9],\"category\":1,\"iscrowd\":true}]"};
  for (size_t i = 0; i < sizeof nothing / sizeof *nothing; i++) {
    const ee_judge_result *result = fixture_judge_case(&f, nothing[i], "[]");
    assert_true(result->score == 1 && result->vacuous);
    assert_misses(&f, result, "");
  }
  const ee_judge_result *result = fixture_judge_case(&f, "[]", "[{\"bbox\":[0,0,9,9],\"score\":1}]");
  assert_true(result->score == 0 && !result->vacuous);
  assert_misses(&f, result, "det 0 (none) (background)");
  result = fixture_judge_case(&f, "[{\"bbox\":[0,0,9,9]}]", "[]");
  assert_true(result->score == 0 && !result->vacuous);
  assert_misses(&f, result, "0 (none) (missed)");
  /* Without a class on both sides there is one class. */
  result = fixture_judge_case(&f, "[{\"bbox\":[0,0,9,9]}]", "[{\"bbox\":[0,0,9,9]}]");
  assert_true(result->score == 1 && !result->vacuous);
  /* No candidate at all is no empty one. */
  result = fixture_judge_case(&f, "[]", NULL);
  assert_true(result->score == 0 && !result->vacuous);
  assert_misses(&f, result, "candidate (missing)");
  result = fixture_judge_case(&f, "[{\"bbox\":[0,0,9,9],\"category\":7}]", NULL);
  assert_true(result->score == 0);
  assert_misses(&f, result, "candidate (missing); 0 7 (missed)");
  result = fixture_judge_case(&f, "[]", "{\"a\":1}");
  assert_true(result->score == 0 && !result->failed);
  assert_misses(&f, result, "candidate (not an array)");
  result = fixture_judge_case(&f, "{\"a\":1}", "[]");
  assert_true(result->score == 0 && result->failed);
  assert_misses(&f, result, "expected (not an array)");
  fixture_close(&f);
}

static void test_bad_items(void **state) {
  (void)state;
  assert_image(
      RULES(),
      "[{\"bbox\":[0,0,10],\"category\":\"a\"},{\"category\":\"a\"},{\"bbox\":[0,0,10,\"10\"],\"category\":\"a\"},"
      "{\"bbox\":[0,0,-5,10],\"category\":\"a\"},7,{\"bbox\":{\"format\":\"polygon\",\"coordinates\":[0,0,1,1]}},"
      "{\"bbox\":[0,0,10,10],\"category\":[1]},{\"bbox\":[50,50,10,10],\"category\":\"a\"}]",
      "[{\"bbox\":[0,0,10],\"category\":\"a\",\"score\":1},{\"bbox\":[50,50,10,10],\"category\":\"a\",\"score\":0.5},"
      "{\"bbox\":[0,0,10,-10],\"category\":\"a\",\"score\":0.5},false]",
      2 * (1.0 / 3) * (1.0 / 7) / (1.0 / 3 + 1.0 / 7), "7 a",
      "0 a (not four numbers); 1 a (no box); 2 a (not four numbers); 4 (none) (not an object); 5 (none) (unknown "
      "format "
      "of the box); 6 (none) (the category is neither a string nor a number); det 0 a (not four numbers); det 2 a "
      "(negative "
      "size); det 3 (none) (not an object)");
  /* A negative size gives a negative area, which is outside the range of all areas: COCO's arithmetic. With an area of
   * its own the object counts, and nothing finds it. */
  assert_image(RULES(), "[{\"bbox\":[0,0,-5,10],\"area\":50}]", "[{\"bbox\":[0,0,-5,10],\"score\":1}]", 0, "",
               "0 (none) (negative size); det 0 (none) (negative size)");
  assert_image(RULES(",\"format\":\"xyxy\""), "[{\"bbox\":[5,0,0,10],\"area\":50}]", "[]", 0, "",
               "0 (none) (corners the wrong way round)");
  assert_image(RULES(",\"format\":\"xyxy\""), "[{\"bbox\":[-1e308,0,1e308,10]}]", "[]", 0, "",
               "0 (none) (coordinates too far apart)");
  /* An infinite area is outside that range too. */
  assert_image(RULES(), "[{\"bbox\":[1e308,1e308,1e308,1e308]}]", "[{\"bbox\":[1e308,1e308,1e308,1e308],\"score\":1}]",
               1, "", "");
}

/* Reading -------------------------------------------------------------------------------------- */

static void test_formats(void **state) {
  (void)state;
  const char *xyxy = "[{\"bbox\":[10,20,40,60]}]", *xywh = "[{\"bbox\":[10,20,30,40],\"score\":1}]";
  const char *cxcywh = "[{\"bbox\":[25,40,30,40],\"score\":1}]";
  const char *own = "[{\"bbox\":{\"format\":\"xyxy\",\"coordinates\":[10,20,40,60]},\"score\":1}]";
  const char *undeclared = "[{\"bbox\":{\"coordinates\":[10,20,30,40]},\"score\":1}]";
  assert_image(RULES(",\"threshold\":1"), "[{\"bbox\":[10,20,30,40]}]", xywh, 1, "0 (none)", "");
  assert_image(RULES(",\"threshold\":1"), "[{\"bbox\":[10,20,30,40]}]", own, 1, "0 (none)", "");
  assert_image(RULES(",\"threshold\":1"), "[{\"bbox\":[10,20,30,40]}]", undeclared, 1, "0 (none)", "");
  assert_image(RULES(",\"threshold\":1,\"format\":\"xyxy\""), xyxy, own, 1, "0 (none)", "");
  assert_image(RULES(",\"threshold\":1,\"format\":\"xyxy\",\"candidate_format\":\"cxcywh\""), xyxy, cxcywh, 1,
               "0 (none)", "");
  assert_image(RULES(",\"threshold\":1,\"format\":\"cxcywh\""), "[{\"bbox\":[25,40,30,40]}]", cxcywh, 1, "0 (none)",
               "");
  assert_image(RULES(",\"threshold\":1,\"format\":\"cxcywh\""), "[{\"bbox\":[25,40,30,40]}]", own, 1, "0 (none)", "");
  assert_image(RULES(",\"threshold\":0.9"), "[{\"bbox\":[10,20,30,40]}]", cxcywh, 0, "",
               "0 (none) (missed); det 0 (none) (poor localisation: IoU 0.142857)");
}

static void test_paths(void **state) {
  (void)state;
  /* Long keys, of one length and of several, and a key for two members. */
  assert_image(RULES(",\"box\":\"where_the_object_is_in_the_picture\",\"category\":\"what_it_is_that_is_to_be_"
                     "seen_there\",\"score\":\"how_sure_it_is_that_it_is_this_one\",\"crowd\":\"flag\",\"ignore\":"
                     "\"flag\""),
               "[{\"where_the_object_is_in_the_picture\":[0,0,9,9],\"what_it_is_that_is_to_be_seen_there\":\"a\"},"
               "{\"where_the_object_is_in_the_picture\":[50,0,9,9],\"what_it_is_that_is_to_be_seen_there\":\"a\","
               "\"flag\":1}]",
               "[{\"where_the_object_is_in_the_picture\":[0,0,9,9],\"what_it_is_that_is_to_be_seen_there\":\"a\","
               "\"how_sure_it_is_that_it_is_this_one\":1}]",
               1, "0 a", "");
  fixture f;
  fixture_open(&f);
  fixture_rules(&f, "{\"ee\":\"rules\",\"items\":[{\"ee\":\"detection\",\"items\":[\"page.boxes\"],\"box\":\"shape."
                    "box\",\"category\":"
                    "\"labels[0]\",\"score\":\"sure\",\"crowd\":\"/flags/many\"}]}");
  const ee_judge_result *result =
      fixture_judge_case(&f,
                         "{\"page\":{\"boxes\":[{\"shape\":{\"box\":[0,0,5,5]},\"labels\":[\"a\",\"b\"]},"
                         "{\"shape\":{\"box\":[50,0,5,5]},\"labels\":[\"a\"],\"flags\":{\"many\":1}}]}}",
                         "{\"page\":{\"boxes\":[{\"shape\":{\"box\":[0,0,5,5]},\"labels\":[\"a\"],\"sure\":3},"
                         "{\"shape\":{\"box\":[50,0,5,5]},\"labels\":[\"a\"],\"sure\":2}]}}");
  assert_true(result->score == 1);
  const ee_detection_case *image = result->corpus_part;
  assert_true(image->detections[0].score == 3 && image->unscored == NULL);
  assert_true(image->objects[1].crowd);
  /* Nothing at the path is an empty array. */
  assert_true(fixture_judge_case(&f, "{}", "{\"page\":{}}")->vacuous);
  fixture_close(&f);
}

/* 17 and "17" are one class; category_id stands in for a missing category, and orders classes. */
static void test_classes(void **state) {
  (void)state;
  fixture f;
  open_rules(&f, RULES());
  const ee_judge_result *result = fixture_judge_case(
      &f, "[{\"bbox\":[0,0,5,5],\"category\":17},{\"bbox\":[9,9,5,5],\"category_id\":4}]",
      "[{\"bbox\":[0,0,5,5],\"category\":\"17\",\"score\":1},{\"bbox\":[9,9,5,5],\"category\":4.0,\"score\":1}]");
  assert_true(result->score == 1);
  assert_string_equal(fixture_attributes(&f, result), "17* 1 0 0 0; 4* 1 0 0 0");
  const ee_detection_class person = {.name = EE_STR("person"), .number = 2, .numbered = true};
  const ee_detection_class zebra = {.name = EE_STR("zebra"), .number = 1, .numbered = true};
  const ee_detection_class cat = {.name = EE_STR("cat")}, dog = {.name = EE_STR("dog")};
  assert_true(ee_detection_compare_classes(&zebra, &person) < 0);
  assert_true(ee_detection_compare_classes(&person, &cat) < 0);
  assert_true(ee_detection_compare_classes(&dog, &cat) > 0);
  assert_int_equal(ee_detection_compare_classes(&cat, &cat), 0);
  fixture_close(&f);
}

/* Ids count in items that name their image too, or where the rule file says so; the id 0 has its effect in mode "coco"
 * only. */
static void test_ids(void **state) {
  (void)state;
  const char *coco = "[{\"id\":0,\"image_id\":3,\"bbox\":[0,0,5,5]}]", *plain = "[{\"id\":0,\"bbox\":[0,0,5,5]}]";
  const char *found = "[{\"bbox\":[0,0,5,5],\"score\":1}]";
  assert_image(RULES(), coco, found, 0, "", "0 (none) (missed); det 0 (none) (duplicate)");
  assert_image(RULES(",\"mode\":\"corrected\""), coco, found, 1, "0 (none)", "");
  assert_image(RULES(), plain, found, 1, "0 (none)", "");
  assert_image(RULES(",\"id\":\"id\""), plain, found, 0, "", "0 (none) (missed); det 0 (none) (duplicate)");
  assert_image(RULES(",\"mode\":\"corrected\""), "[{\"bbox\":[0,0,5,5],\"ignore\":1}]", found, 1, "", "");
  assert_image(RULES(), "[{\"bbox\":[0,0,5,5],\"ignore\":1}]", found, 1, "0 (none)", "");
}

/* Long lists ----------------------------------------------------------------------------------- */

static void test_many(void **state) {
  (void)state;
  fixture f;
  open_rules(&f, RULES(",\"max_detections\":[1000]"));
  ee_buffer expected = {0}, candidate = {0};
  for (int i = 0; i < 300; i++) {
    ee_buffer_addf(&expected, "%s{\"bbox\":[%d,0,5,5],\"category\":\"a\"}", i > 0 ? "," : "[", 10 * i);
    ee_buffer_addf(&candidate, "%s{\"bbox\":[%d,0,5,5],\"category\":\"a\",\"score\":1}", i > 0 ? "," : "[",
                   10 * i + 1500);
  }
  ee_buffer_add_char(&expected, ']');
  ee_buffer_add_char(&candidate, ']');
  const ee_judge_result *result =
      fixture_judge_case(&f, ee_buffer_terminate(&expected), ee_buffer_terminate(&candidate));
  assert_true(result->score == 0.5);
  assert_int_equal(result->hit_count, 51);
  assert_int_equal(result->miss_count, 51);
  ee_buffer text = {0};
  ee_finding_print(&result->hits[50], &text);
  assert_string_equal(ee_buffer_terminate(&text), "100 more");
  ee_buffer_clear(&text);
  ee_finding_print(&result->misses[50], &text);
  assert_string_equal(ee_buffer_terminate(&text), "250 more");
  ee_buffer_fini(&text);
  ee_buffer_fini(&expected);
  ee_buffer_fini(&candidate);
  fixture_close(&f);
}

/* Scores --------------------------------------------------------------------------------------- */

/* A detection without a score chooses behind the others, by its best overlap: the order of the list decides nothing. */
static void test_without_scores(void **state) {
  (void)state;
  fixture f;
  open_rules(&f, RULES(",\"min_score\":0.5,\"threshold\":0.3"));
  const char *objects = "[{\"bbox\":[0,0,10,10]},{\"bbox\":[6,0,10,10]}]";
  /* The one in the middle reaches both, the other only the left or the right one: it must choose first. */
  static const char *const lists[] = {
      "[{\"bbox\":[3,0,10,10]},{\"bbox\":[0,0,10,9]}]", "[{\"bbox\":[0,0,10,9]},{\"bbox\":[3,0,10,10]}]",
      "[{\"bbox\":[3,0,10,10]},{\"bbox\":[7,0,10,9]}]", "[{\"bbox\":[7,0,10,9]},{\"bbox\":[3,0,10,10]}]"};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    const ee_judge_result *result = fixture_judge_case(&f, objects, lists[i]);
    assert_true(result->score == 1);
    assert_int_equal(((const ee_detection_case *)result->corpus_part)->counts[EE_DETECTION_UNSCORED], 2);
  }
  /* With scores the one in the middle takes the left one (the last of equal overlaps would be the right one). */
  const ee_judge_result *result = fixture_judge_case(&f, objects,
                                                     "[{\"bbox\":[2,0,10,10],\"score\":0.9},{\"bbox\":[0,0,10,9],"
                                                     "\"score\":null},{\"bbox\":[6,0,10,10],\"score\":0.4}]");
  assert_misses(&f, result, "1 (none) (missed); det 1 (none) (duplicate)");
  assert_int_equal(((const ee_detection_case *)result->corpus_part)->counts[EE_DETECTION_LOW_SCORE], 1);
  fixture_close(&f);
}

static void add_box(ee_buffer *text, test_random *random, bool first, const char *rest) {
  ee_buffer_addf(text, "%s{\"bbox\":[%u,%u,%u,%u],\"category\":\"%c\"%s}", first ? "" : ",",
                 (unsigned)test_random_below(random, 12), (unsigned)test_random_below(random, 4),
                 4 + (unsigned)test_random_below(random, 6), 4 + (unsigned)test_random_below(random, 6),
                 "ab"[test_random_below(random, 2)], rest);
}

/* Shuffles the items of a list that was written with one item a line. */
static void shuffle(ee_buffer *list, test_random *random, size_t count, const size_t *ends) {
  ee_buffer copy = {0};
  size_t order[16];
  for (size_t i = 0; i < count; i++) order[i] = i;
  for (size_t i = count; i > 1; i--) {
    size_t k = test_random_below(random, i), kept = order[k];
    order[k] = order[i - 1];
    order[i - 1] = kept;
  }
  ee_buffer_add_char(&copy, '[');
  for (size_t i = 0; i < count; i++) {
    size_t from = order[i] == 0 ? 0 : ends[order[i] - 1];
    if (i > 0) ee_buffer_add_char(&copy, ',');
    ee_buffer_add(&copy, list->data + from, ends[order[i]] - from);
  }
  ee_buffer_add_char(&copy, ']');
  ee_buffer_clear(list);
  ee_buffer_add(list, copy.data, copy.length);
  ee_buffer_fini(&copy);
}

/* Without scores and with distinct ones, the order of detections changes no count; and an image against itself is
 * perfect. */
static void test_order(void **state) {
  (void)state;
  test_random random = test_random_start("test_detection", 20140914);
  for (int round = 0; round < 300; round++) {
    bool scored = test_random_below(&random, 2) == 0;
    size_t count = 1 + test_random_below(&random, 8), ends[16];
    ee_buffer objects = {0}, list = {0};
    ee_buffer_add_char(&objects, '[');
    for (size_t i = 0, n = test_random_below(&random, 8); i < n; i++) add_box(&objects, &random, i == 0, "");
    ee_buffer_add_char(&objects, ']');
    for (size_t i = 0; i < count; i++) {
      char score[32] = "";
      if (scored) snprintf(score, sizeof score, ",\"score\":%zu", i);
      add_box(&list, &random, true, score);
      ends[i] = list.length;
    }
    fixture f[2];
    const ee_judge_result *results[2];
    for (size_t i = 0; i < 2; i++) {
      ee_buffer copy = {0};
      ee_buffer_add(&copy, list.data, list.length);
      shuffle(&copy, &random, count, ends);
      open_rules(&f[i], RULES(",\"threshold\":0.4"));
      results[i] = fixture_judge_case(&f[i], ee_buffer_terminate(&objects), ee_buffer_terminate(&copy));
      ee_buffer_fini(&copy);
    }
    assert_true(results[0]->score == results[1]->score);
    const ee_detection_case *a = results[0]->corpus_part, *b = results[1]->corpus_part;
    assert_memory_equal(a->counts, b->counts, sizeof a->counts);
    const ee_judge_result *itself =
        fixture_judge_case(&f[0], ee_buffer_terminate(&objects), ee_buffer_terminate(&objects));
    assert_true(itself->score == 1);
    fixture_close(&f[0]);
    fixture_close(&f[1]);
    ee_buffer_fini(&objects);
    ee_buffer_fini(&list);
  }
}

/* An image that would take too many comparisons is in error and in no figure. */
static void test_too_much(void **state) {
  (void)state;
  static const char objects[] = "[{\"bbox\":[0,0,9,9]},{\"bbox\":[0,0,9,9],\"category\":\"a\"},{\"bbox\":[0,0,9,9]}]";
  static const char scored[] = "[{\"bbox\":[0,0,9,9],\"score\":1},{\"bbox\":[0,0,9,9],\"score\":1}]";
  static const char unscored[] = "[{\"bbox\":[0,0,9,9],\"score\":1},{\"bbox\":[0,0,9,9]}]";
  static const struct {
    const char *rules, *detections;
    size_t needed;
  } rows[] = {{RULES(), scored, 6},
              {RULES(), unscored, 9},
              {RULES(",\"max_detections\":[1]"), scored, 6}, /* one of each class */
              {RULES(",\"max_detections\":[1],\"classes\":false"), scored, 3}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    for (size_t missing = 0; missing < 2; missing++) {
      fixture f;
      open_rules(&f, rows[i].rules);
      ee_detection small = *(const ee_detection *)f.plan->judges[0]->data;
      small.pair_limit = rows[i].needed - missing;
      ee_judge judge = *f.plan->judges[0];
      judge.data = &small;
      const ee_judge *judges[] = {&judge};
      f.plan->judges = judges;
      const ee_judge_result *result = fixture_judge_case(&f, objects, rows[i].detections);
      const ee_detection_case *image = result->corpus_part;
      assert_true(result->failed == (missing > 0));
      assert_int_equal(image->counts[EE_DETECTION_TOO_MUCH], missing);
      assert_int_equal(image->object_count, missing > 0 ? 0 : 3);
      if (missing > 0) {
        char text[100];
        snprintf(text, sizeof text, "expected (too many objects and detections: more than %zu comparisons)",
                 small.pair_limit);
        assert_misses(&f, result, text);
        assert_true(result->score == 0);
      }
      fixture_close(&f);
    }
  }
}

/* The rule file -------------------------------------------------------------------------------- */

static void test_mistakes(void **state) {
  (void)state;
  check_mistakes(RULES(",\"line\":3,\"treshold\":0.5"),
                 "3: unknown option 'treshold' for ee.detection (did you mean 'threshold'?)");
  check_mistakes(RULES(",\"line\":3,\"threshold\":0"),
                 "3: option 'threshold' of ee.detection must be above 0: at 0 boxes that do not overlap match");
  check_mistakes(RULES(",\"line\":3,\"thresholds\":[0.5,0]"),
                 "3: a threshold of ee.detection must be above 0 and at most 1, got 0");
  check_mistakes(RULES(",\"line\":3,\"thresholds\":[]"),
                 "3: option 'thresholds' of ee.detection takes 1 to 1000 numbers, got 0");
  check_mistakes(
      RULES(",\"line\":3,\"thresholds\":{\"a\":0.5}"),
      "3: option 'thresholds' of ee.detection must be an array of strings, numbers or booleans, but it has the key "
      "'a'");
  check_mistakes(RULES(",\"line\":3,\"thresholds\":[\"a\"]"),
                 "3: option 'thresholds' of ee.detection takes numbers, got a string");
  check_mistakes(RULES(",\"line\":3,\"max_detections\":[10,1]"),
                 "3: option 'max_detections' of ee.detection must be ascending whole numbers of at least 1");
  check_mistakes(RULES(",\"line\":3,\"max_detections\":[1.5]"),
                 "3: option 'max_detections' of ee.detection must be ascending whole numbers of at least 1");
  check_mistakes(RULES(",\"line\":3,\"area_ranges\":[0,10,20]"),
                 "3: option 'area_ranges' of ee.detection takes pairs of a lower and an upper area");
  check_mistakes(RULES(",\"line\":3,\"area_ranges\":[10,0]"),
                 "3: option 'area_ranges' of ee.detection takes pairs of a lower and an upper area");
  check_mistakes(RULES(",\"line\":3,\"mode\":\"fixed\""),
                 "3: option 'mode' of ee.detection must be one of 'coco', 'corrected', got 'fixed'");
  check_mistakes(RULES(",\"line\":3,\"items\":[\"boxes\",7]"),
                 "3: ee.detection takes the path of a list and options, got a number");
  check_mistakes(RULES(",\"line\":3,\"items\":[\"boxes[*]\"]"),
                 "3: ee.detection: path 'boxes[*]' has a [*], which only ee.fields takes");
  check_mistakes(RULES(",\"line\":3,\"box\":\"shapes[*].box\""),
                 "3: option 'box' of ee.detection: 'shapes[*].box' may name several values; the path must name one");
}

static void test_print(void **state) {
  (void)state;
  fixture f;
  open_rules(&f, "{\"ee\":\"rules\",\"items\":[{\"ee\":\"detection\",\"items\":[\"boxes\"],\"format\":\"xyxy\","
                 "\"candidate_format\":\"xywh\",\"min_score\":0.3,"
                 "\"thresholds\":[0.5,0.75],\"max_detections\":[1,100],\"mode\":\"corrected\"}]}");
  ee_buffer text = {0};
  ee_detection_judge.print(f.plan->judges[0], &text);
  assert_string_equal(ee_buffer_terminate(&text),
                      "  list boxes\n"
                      "  box bbox, category category, score score, area area, crowd iscrowd, ignore "
                      "ignore\n"
                      "  format xyxy, candidate_format xywh, classes true, mode corrected\n"
                      "  precision, recall, F1 at IoU 0.5, scores from 0.3\n"
                      "  average precision at IoU 0.5, 0.75\n"
                      "  max_detections 1, 100; area_ranges 0..1e+10, 0..1024, 1024..9216, "
                      "9216..1e+10\n");
  ee_buffer_fini(&text);
  fixture_close(&f);
}

/* In full detail a false detection on an object is shown with that object. */
static void test_outcomes(void **state) {
  (void)state;
  static const struct {
    const char *place, *object;
  } facts[] = {{"det 1 person", "[0,0,10,10]"},
               {"det 2 person", "[100,0,10,10]"},
               {"det 3 dog", "[200,0,10,10]"},
               {"det 4 cat", NULL}};
  fixture f;
  open_rules(&f, RULES());
  f.detail = EE_DETAIL_FULL;
  const ee_judge_result *result = fixture_judge_case(&f, STREET, STREET_SEEN);
  size_t found = 0;
  for (size_t i = 0; i < result->outcome_count; i++)
    for (size_t k = 0; k < sizeof facts / sizeof *facts; k++) {
      const ee_outcome *outcome = &result->outcomes[i];
      if (!ee_str_is(outcome->place.path, facts[k].place)) continue;
      const ee_value *box = ee_value_member(outcome->expected, EE_STR("bbox"), NULL);
      ee_buffer_clear(&f.text);
      if (box != NULL) ee_json_write_value(&f.text, box);
      assert_string_equal(ee_buffer_terminate(&f.text), facts[k].object != NULL ? facts[k].object : "");
      found++;
    }
  assert_int_equal(found, sizeof facts / sizeof *facts);
  fixture_close(&f);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_findings), cmocka_unit_test(test_operating_point),
             cmocka_unit_test(test_empty), cmocka_unit_test(test_bad_items), cmocka_unit_test(test_formats),
             cmocka_unit_test(test_paths), cmocka_unit_test(test_classes), cmocka_unit_test(test_ids),
             cmocka_unit_test(test_many), cmocka_unit_test(test_without_scores), cmocka_unit_test(test_order),
             cmocka_unit_test(test_mistakes), cmocka_unit_test(test_print), cmocka_unit_test(test_too_much),
             cmocka_unit_test(test_outcomes));
