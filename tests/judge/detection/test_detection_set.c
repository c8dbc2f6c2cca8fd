/* test_detection_set.c: the order of images and classes of a data set, what goes with them, and which images a counter
 * names. */
#include "judge/detection/detection_set.h"

#include "judge/plan_fixture.h"

#define RULES "{\"ee\":\"rules\",\"items\":[{\"ee\":\"detection\"}]}"

/* Whole numbers of up to 18 digits by value, then other ids by bytes. */
static const char *const in_order[] = {"-999999999999999999",
                                       "-5",
                                       "-0",
                                       "0",
                                       "00",
                                       "9",
                                       "10",
                                       "999999999999999999",
                                       "",
                                       "+7",
                                       "-",
                                       "--1",
                                       "-1000000000000000000",
                                       "1.5",
                                       "1000000000000000000",
                                       "7a",
                                       "a7"};
enum { IMAGES = sizeof in_order / sizeof *in_order };

/* An image with as many objects as its id has bytes, and one detection: their boxes and ids say whose they are. */
static void add(ee_detection_set *set, size_t place) {
  ee_ap_object objects[32] = {{.image = 0}};
  uint64_t ids[32] = {0};
  size_t count = strlen(in_order[place]);
  for (size_t i = 0; i < count; i++) {
    objects[i] = (ee_ap_object){
        .category = (uint32_t)(i % 2), .box = {(double)place, (double)i, 1, 1}, .area = 1, .crowd = i % 3 == 0};
    ids[i] = place % 2 == 0 ? 0 : 100 * place + i;
  }
  ee_ap_detection detection = {.category = 1, .box = {(double)place, 0, 2, 2}, .score = (double)place};
  ee_detection_class classes[2] = {{.name = EE_STR("b"), .numbered = true, .number = 20 - (double)place},
                                   {.name = EE_STR("a")}};
  for (size_t i = 0; i < 2; i++) classes[i].hash = ee_hash_bytes(classes[i].name.data, classes[i].name.length, 0);
  ee_detection_case image = {.objects = objects,
                             .object_ids = place % 2 == 0 ? NULL : ids,
                             .object_count = count,
                             .detections = &detection,
                             .detection_count = 1,
                             .classes = classes,
                             .class_count = 2};
  image.counts[0] = 2;
  image.counts[1] = place >= IMAGES - 2 ? 1 : 0;
  const ee_case source = {.id = ee_str_from(in_order[place])};
  const ee_judge_result result = {.corpus_part = &image};
  ee_detection_set_add(set, &source, &result);
}

static void check(ee_detection_set *set) {
  ee_detection_set_sort(set);
  assert_int_equal(set->image_ends.count, IMAGES);
  size_t at = 0;
  for (size_t place = 0; place < IMAGES; place++) {
    if (!ee_str_is(ee_detection_set_id(set, place), in_order[place]))
      fail_msg("%zu: %.*s, not %s", place, EE_STR_ARG(ee_detection_set_id(set, place)), in_order[place]);
    for (size_t i = 0; i < strlen(in_order[place]); i++, at++) {
      const ee_ap_object *object = &set->objects.items[at];
      assert_int_equal(object->image, place);
      assert_true(object->box[0] == (double)place && object->box[1] == (double)i);
      assert_true(object->crowd == (i % 3 == 0));
      assert_true(ee_str_is(set->classes.items[object->category].name, i % 2 == 0 ? "b" : "a"));
      assert_int_equal(set->object_ids.items[at], place % 2 == 0 ? 0 : 100 * place + i);
    }
    const ee_ap_detection *detection = &set->detections.items[place];
    assert_int_equal(detection->image, place);
    assert_true(detection->score == (double)place && detection->box[0] == (double)place);
    assert_true(ee_str_is(set->classes.items[detection->category].name, "a"));
  }
  assert_int_equal(set->objects.count, at);
  assert_int_equal(set->object_ids.count, at);
  /* Numbered classes first; of several numbers the lowest. */
  assert_int_equal(set->classes.count, 2);
  assert_true(ee_str_is(set->classes.items[0].name, "b") && set->classes.items[0].number == 20 - (double)(IMAGES - 1));
  assert_false(set->classes.items[1].numbered);
  /* The first images by id. */
  assert_int_equal(set->counts[0].count, 2 * IMAGES);
  assert_int_equal(set->counts[0].image_count, EE_DETECTION_SHOWN);
  for (size_t i = 0; i < EE_DETECTION_SHOWN; i++) assert_int_equal(set->counts[0].images[i], i);
  assert_int_equal(set->counts[1].count, 2);
  assert_int_equal(set->counts[1].image_count, 2);
  assert_int_equal(set->counts[1].images[0], IMAGES - 2);
  assert_int_equal(set->counts[1].images[1], IMAGES - 1);
  assert_int_equal(set->counts[2].count, 0);
}

/* The same after it was written and read. */
static void check_state(ee_detection_set *set, const ee_judge *judge) {
  ee_buffer text = {0};
  ee_state_line line;
  ee_state_write(&line, &text);
  ee_detection_set_state(set, &line);
  assert_true(ee_state_close(&line));
  ee_arena arena;
  ee_error error;
  ee_arena_init(&arena, 0);
  ee_detection_set *read = ee_detection_set_open(judge);
  ee_state_read(&line, ee_json_read_data(&arena, (ee_str){text.data, text.length}, &error));
  ee_detection_set_state(read, &line);
  assert_true(ee_state_close(&line));
  check(read);
  ee_detection_set_close(read);
  ee_arena_fini(&arena);
  ee_buffer_fini(&text);
}

static void test_order(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  fixture_rules(&f, RULES);
  /* In steps that reach every image: in order, backwards, and mixed; in one set, and in two that are merged. */
  for (size_t step = 1; step < IMAGES; step++) {
    for (size_t split = 0; split <= IMAGES; split += IMAGES / 2) {
      ee_detection_set *set = ee_detection_set_open(f.plan->judges[0]),
                       *other = ee_detection_set_open(f.plan->judges[0]);
      add(other, 0);
      ee_detection_set_clear(other); /* nothing of it is left */
      for (size_t i = 0; i < IMAGES; i++) add(i < split ? set : other, i * step % IMAGES);
      if (split % 2 == 0) ee_detection_set_sort(other);
      ee_detection_set_merge(set, other);
      check(set);
      check(set); /* what is sorted stays */
      check_state(set, f.plan->judges[0]);
      ee_detection_set_close(set);
      ee_detection_set_close(other);
    }
  }
  fixture_close(&f);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_order));
