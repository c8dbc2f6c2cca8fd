/* test_coco_boxes.c: images that are judged as boxes against the same ones judged from their records' texts. */
#include "data/temporary_files.h"

#include <inttypes.h>

#include "data/coco/coco.h"
#include "data/files/image_boxes.h"
#include "run/run.h"
#include "support/random.h"
#include "support/rule_json.h"
#include "support/totals_text.h"

#define TRUTH names[0]
#define RESULTS names[1]

/* Rules, and whether images are judged as boxes under them. */
static const struct {
  const char *text;
  bool boxes;
} rules[] = {
    {"{\"ee\":\"rules\",\"items\":[{\"ee\":\"detection\"}]}", true},
    {"{\"ee\":\"rules\",\"items\":[{\"ee\":\"detection\",\"mode\":\"corrected\"}]}", true},
    {"{\"ee\":\"rules\",\"items\":[{\"ee\":\"detection\",\"classes\":false}]}", true},
    {"{\"ee\":\"rules\",\"items\":[{\"ee\":\"detection\",\"threshold\":0.3,\"min_score\":0.2,\"max_detections\":[2]}]}",
     true},
    {"{\"ee\":\"rules\",\"items\":[{\"ee\":\"detection\",\"name\":\"a\",\"area_ranges\":[1,50]},"
     "{\"ee\":\"detection\",\"name\":\"b\",\"box\":\"bbox\",\"id\":\"id\"}]}",
     true},
    {"{\"ee\":\"rules\",\"items\":[{\"ee\":\"detection\",\"format\":\"xyxy\"}]}", false},
    {"{\"ee\":\"rules\",\"items\":[{\"ee\":\"detection\",\"area\":\"size\"}]}", false},
    {"{\"ee\":\"rules\",\"items\":[{\"ee\":\"detection\"}],\"slices\":[\"id\"]}", false},
};
enum { RULES = sizeof rules / sizeof *rules };

static const ee_plan *compile(size_t number, ee_arena *arena) {
  ee_error_list errors;
  ee_error_list_init(&errors);
  ee_error error = {0};
  const ee_value *tree = ee_json_read(arena, ee_str_from(rules[number].text), NULL, &error);
  assert_non_null(tree);
  const ee_plan *plan = ee_plan_compile(arena, test_rule_node(arena, tree, 1), NULL, NULL, &errors);
  if (plan == NULL) fail_msg("%s: %s", rules[number].text, errors.items[0].message);
  ee_error_list_fini(&errors);
  return plan;
}

/* Random files --------------------------------------------------------------------------------- */

#define PICK(random, list) ((list)[test_random_below(random, sizeof(list) / sizeof *(list))])

static const char *const image_ids[] = {"1", "2", "3.0", "40", "-7", "123456789012345678", "0"};
static const char *const odd_numbers[] = {"1e999",
                                          "-3",
                                          "0",
                                          "-0",
                                          "1e-400",
                                          "2.5e1",
                                          "0.1234567890123456789",
                                          "9007199254740993",
                                          "12345678901234567890123",
                                          "4.9e-324",
                                          "1E2",
                                          "2.5e+1",
                                          "12.345678",
                                          "1234567.8",
                                          "12345678.9",
                                          "0.1234567",
                                          "0.12345678",
                                          "123.45e-1",
                                          "7.25E0",
                                          "0.95302412332176871"};

static void add_number(test_random *random, ee_buffer *out, unsigned odd) {
  if (test_random_below(random, 1000) < odd)
    ee_buffer_add_text(out, PICK(random, odd_numbers));
  else
    ee_buffer_addf(out, "%zu.%0*zu", test_random_below(random, 90), 1 + (int)test_random_below(random, 3),
                   test_random_below(random, 10));
}

/* `odd`: of 1,000 numbers. */
static void add_box(test_random *random, ee_buffer *out, unsigned odd) {
  ee_buffer_add_text(out, "\"bbox\": ");
  for (int i = 0; i < 4; i++) {
    ee_buffer_add_text(out, i == 0 ? "[" : test_random_below(random, 2) == 0 ? "," : ", ");
    add_number(random, out, odd);
  }
  ee_buffer_add_char(out, ']');
}

static void add_member(test_random *random, ee_buffer *out, const char *key, const char *const *values, size_t count) {
  if (test_random_below(random, 3) == 0) return;
  ee_buffer_addf(out, ",\"%s\":%s", key, values[test_random_below(random, count)]);
}

static void add_place(test_random *random, ee_buffer *out, unsigned odd) {
  size_t category = 1 + test_random_below(random, 5);
  ee_buffer_addf(out, "{\"image_id\":%s,", PICK(random, image_ids));
  if (test_random_below(random, 4) == 0) ee_buffer_add_text(out, "\"other\":[[1,2.5],{\"bbox\":0}],");
  ee_buffer_addf(out, "\"category%s_id\":%zu,", test_random_below(random, 4) == 0 ? "\\u005fid\":1,\"category" : "",
                 category);
  add_box(random, out, odd);
}

static void make_truth(test_random *random, ee_buffer *out, unsigned odd) {
  static const char *const class_names[] = {"cat", "dog", "dog (2)", "caf\xc3\xa9", "17", "a \\\"b\\\""};
  static const char *const odd_names[] = {"", " ", "cafe\xcc\x81", "\\u00a0"};
  static const char *const flags[] = {"0", "1", "true", "false", "0.0", "2", "null", "-0", "1e999"};
  static const char *const areas[] = {"10.5", "0", "-3", "1e999", "5000", "null", "1e3"};
  static const char *const ids[] = {"0",   "5",    "5.0", "77", "9007199254740993", "9007199254740992",
                                    "1e2", "null", "-0.0"};
  ee_buffer_add_text(out, "{\"images\":[");
  for (size_t i = 0; i < sizeof image_ids / sizeof *image_ids; i++)
    ee_buffer_addf(out, "%s{\"id\":%s}", i > 0 ? "," : "", image_ids[i]);
  ee_buffer_add_text(out, "],\"annotations\":[");
  size_t count = test_random_below(random, 40);
  for (size_t i = 0; i < count; i++) {
    if (i > 0) ee_buffer_add_char(out, ',');
    add_place(random, out, odd);
    add_member(random, out, "iscrowd", flags, test_random_below(random, 3) == 0 ? odd > 0 ? 9 : 8 : 1);
    add_member(random, out, "ignore", flags, test_random_below(random, 3) == 0 ? odd > 0 ? 9 : 8 : 1);
    add_member(random, out, "area", areas, odd > 0 ? 7 : 3);
    if (test_random_below(random, 2) == 0)
      ee_buffer_addf(out, ",\"id\":%zu", 100 + i);
    else
      add_member(random, out, "id", ids, 9);
    ee_buffer_add_char(out, '}');
  }
  ee_buffer_add_text(out, "]");
  if (test_random_below(random, 5) > 0) {
    ee_buffer_add_text(out, ",\"categories\":[");
    for (int i = 1; i < 6; i++) {
      bool is_odd = odd > 0 && test_random_below(random, 60) == 0;
      ee_buffer_addf(out, "%s{\"id\":%d,\"name\":\"%s\"}", i > 1 ? "," : "", i,
                     is_odd ? PICK(random, odd_names) : PICK(random, class_names));
    }
    ee_buffer_add_char(out, ']');
  }
  ee_buffer_add_char(out, '}');
}

static void make_results(test_random *random, ee_buffer *out, unsigned odd) {
  size_t count = test_random_below(random, 60);
  ee_buffer_add_char(out, '[');
  for (size_t i = 0; i < count; i++) {
    if (i > 0) ee_buffer_add_text(out, ", ");
    add_place(random, out, odd);
    if (test_random_below(random, 1000) >= odd) {
      ee_buffer_add_text(out, ",\"score\":");
      if (test_random_below(random, 1000) < odd)
        ee_buffer_add_text(out, PICK(random, odd_numbers));
      else
        ee_buffer_addf(out, "%.*g", 1 + (int)test_random_below(random, 17), test_random_unit(random));
    }
    ee_buffer_add_char(out, '}');
  }
  ee_buffer_add_char(out, ']');
}

/* Two runs ------------------------------------------------------------------------------------- */

static size_t made, refused; /* images that could be had as boxes, or not */

static bool count_boxes(const void *user, uint64_t number, ee_arena *arena, ee_image_boxes *boxes) {
  bool good = ee_coco_make_boxes(user, number, arena, boxes);
  made += good;
  refused += !good;
  return good;
}

/* The state of all totals, in `arena`. */
static ee_str run(const ee_plan *plan, bool boxes, ee_run_options options, ee_arena *arena) {
  ee_error_list told;
  ee_error_list_init(&told);
  ee_error error = {0};
  options.expected = ee_expected_set_open(TRUTH, NULL, NULL, &told, &error);
  if (options.expected == NULL) fail_msg("%s", error.message);
  ee_coco *coco = ee_expected_set_coco(options.expected);
  assert_non_null(coco);
  const char *file = RESULTS;
  if (ee_coco_join(coco, &file, 1, NULL, &told, &error) != EE_OK) fail_msg("%s", error.message);
  ee_dataset *dataset = ee_dataset_open_made(file, ee_coco_count(coco).images, ee_coco_make_record, coco);
  if (boxes) ee_dataset_set_boxes(dataset, count_boxes);
  ee_run_result result;
  options.jobs = 1;
  options.part = true;
  options.block_size = 300;
  assert_int_equal(ee_run(plan, dataset, &options, &result, &error), EE_OK);
  assert_int_equal(result.totals.records, sizeof image_ids / sizeof *image_ids);
  ee_str text = totals_save(&result.totals, arena);
  ee_totals_fini(&result.totals);
  ee_dataset_close(dataset);
  ee_expected_set_close(options.expected);
  ee_error_list_fini(&told);
  return text;
}

static void test_twin(void **state) {
  (void)state;
  test_random random = test_random_start("coco boxes", 71);
  ee_arena arena;
  ee_arena_init(&arena, 0);
  made = refused = 0;
  for (int round = 0; round < 2000; round++) {
    ee_buffer truth = {0}, results = {0};
    unsigned odd = round % 3 == 0 ? 0 : 10;
    make_truth(&random, &truth, odd);
    make_results(&random, &results, odd);
    write_file(TRUTH, truth.data, truth.length);
    write_file(RESULTS, results.data, results.length);
    size_t number = test_random_below(&random, RULES);
    const ee_plan *plan = compile(number, &arena);
    ee_run_options options = {.limit = 0};
    if (test_random_below(&random, 5) == 0) options.kinds = true;
    if (test_random_below(&random, 5) == 0) options.detail = EE_DETAIL_FULL;
    size_t before = made + refused;
    ee_str direct = run(plan, true, options, &arena);
    bool used = rules[number].boxes && !options.kinds && options.detail != EE_DETAIL_FULL;
    assert_true(used == (made + refused > before));
    ee_str from_text = run(plan, false, options, &arena);
    if (!ee_str_equal(direct, from_text))
      fail_msg("round %d, %s:\n%.*s\n%.*s\n%.*s\n%.*s", round, rules[number].text, EE_STR_ARG(direct),
               EE_STR_ARG(from_text), (int)truth.length, truth.data, (int)results.length, results.data);
    ee_buffer_fini(&truth);
    ee_buffer_fini(&results);
    ee_arena_reset(&arena, 0);
  }
  assert_true(made > 4000 && refused > 500);
  ee_arena_fini(&arena);
}

EE_TEST_FILE(set_up, tear_down, cmocka_unit_test(test_twin));
