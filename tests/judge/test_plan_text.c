/* test_plan_text.c: rules as `evalengine check` prints them: every judge and strategy with options that are not the
 * default ones, and with the default ones. */
#include "judge/plan_fixture.h"

static void assert_plan(const char *rules, const char *wanted) {
  fixture f;
  fixture_open(&f);
  fixture_rules(&f, rules);
  ee_plan_print(f.plan, &f.text);
  assert_string_equal(ee_buffer_terminate(&f.text), wanted);
  fixture_close(&f);
}

#define JUDGE(kind, options) "{\"ee\":\"rules\",\"items\":[{\"ee\":\"" kind "\"" options "}]}"

/* A field of ee.fields: its strategy, which is its path, too, and the options. */
typedef struct field {
  const char *strategy, *options;
} field;

static void assert_fields(const field *fields, size_t count, const char *wanted) {
  ee_buffer rules = {0};
  ee_buffer_add_text(&rules, "{\"ee\":\"rules\",\"items\":[{\"ee\":\"fields\",\"items\":[");
  for (size_t i = 0; i < count; i++)
    ee_buffer_addf(&rules, "%s{\"ee\":\"%s\",\"items\":[\"%s\"]%s}", i > 0 ? "," : "", fields[i].strategy,
                   fields[i].strategy, fields[i].options);
  ee_buffer_add_text(&rules, "]}]}");
  assert_plan(ee_buffer_terminate(&rules), wanted);
  ee_buffer_fini(&rules);
}

static void test_strategies(void **state) {
  (void)state;
  static const field fields[] = {{"exact", ""},
                                 {"numeric", ""},
                                 {"date", ""},
                                 {"fuzzy", ""},
                                 {"pattern", ",\"pattern\":\"^x\""},
                                 {"one_of", ",\"values\":[\"a\",1,true]"},
                                 {"set", ""},
                                 {"iou", ""},
                                 {"distance", ",\"threshold\":2"},
                                 {"ignore", ""},
                                 {"auto", ""}};
  assert_fields(fields, sizeof fields / sizeof *fields,
                "rules rules (rules.lua)\n"
                "judge fields (fields), weight 1, pass 0.8, borderline 0.6\n"
                "  aggregate weighted_average\n"
                "  exact  exact  weight 1\n"
                "  numeric  numeric  weight 1\n"
                "  date  date  weight 1\n"
                "  fuzzy  fuzzy  weight 1\n"
                "  pattern  pattern(pattern = \"^x\")  weight 1  (calls Lua)\n"
                "  one_of  one_of(values = { \"a\", 1, true })  weight 1\n"
                "  set  set  weight 1\n"
                "  iou  iou  weight 1\n"
                "  distance  distance(threshold = 2)  weight 1\n"
                "  auto  auto  weight 1\n"
                "  ignore  ignore\n"
                "score weighted mean of the judges\n"
                "calls Lua: fields\n");
}

static void test_strategies_with_options(void **state) {
  (void)state;
  static const field fields[] = {{"exact", ",\"weight\":2.5,\"required\":false,\"candidate\":\"other\",\"normalize\":["
                                           "\"trim\",\"casefold\"],\"null_values\":[\"N/A\",\"-\"]"},
                                 {"numeric", ",\"tolerance\":0.05,\"relative\":true,\"threshold\":0.75"},
                                 {"date", ",\"tolerance_days\":2"},
                                 {"fuzzy", ",\"algorithm\":\"token_sort\",\"threshold\":0.9,\"score\":\"similarity\""},
                                 {"set", ",\"match\":{\"ee\":\"fuzzy\",\"threshold\":0.5},\"threshold\":0.25"},
                                 {"iou", ",\"threshold\":0.5,\"format\":\"xywh\""},
                                 {"distance", ",\"threshold\":2,\"metric\":\"manhattan\""}};
  assert_fields(
      fields, sizeof fields / sizeof *fields,
      "rules rules (rules.lua)\n"
      "judge fields (fields), weight 1, pass 0.8, borderline 0.6\n"
      "  aggregate weighted_average\n"
      "  exact  exact(candidate = \"other\", normalize = { \"trim\", \"casefold\" }, null_values = { \"N/A\", "
      "\"-\" }, required = false)  weight 2.5\n"
      "  numeric  numeric(relative = true, threshold = 0.75, tolerance = 0.05)  weight 1\n"
      "  date  date(tolerance_days = 2)  weight 1\n"
      "  fuzzy  fuzzy(algorithm = \"token_sort\", score = \"similarity\", threshold = 0.9)  weight 1\n"
      "  set  set(match = fuzzy{ threshold = 0.5 }, threshold = 0.25)  weight 1\n"
      "  iou  iou(format = \"xywh\", threshold = 0.5)  weight 1\n"
      "  distance  distance(metric = \"manhattan\", threshold = 2)  weight 1\n"
      "  omitting a wrong 'exact' raises the score from 0.706 to 1, all else right (not with required = true)\n"
      "score weighted mean of the judges\n"
      "calls Lua: nothing\n");
}

static void test_head(void **state) {
  (void)state;
  assert_plan("{\"ee\":\"rules\",\"name\":\"n\",\"case\":{\"id\":[\"a\",\"b\"],\"expected_id\":\"c\",\"expected\":"
              "\"d\",\"candidate\":\"e\",\"records\":\"f\"},\"null_values\":[\"N/"
              "A\",\"-\"],\"empty\":\"containers\",\"slices\":[\"s.t\",\"u\"],\"cluster\":\"doc\",\"confidence\":0.9,"
              "\"measures\":[\"cost\",\"time\"],\"trials\":\"pass_any\",\"repair\":true,\"verdict\":{\"pass\":0.9,"
              "\"borderline\":0.5},\"items\":[{\"ee\":\"fields\",\"name\":\"h\",\"weight\":3,\"verdict\":{\"pass\":0.7}"
              ",\"aggregate\":\"macro_f1\",\"tn\":\"skip\",\"on_unexpected\":\"skip\",\"items\":[{\"ee\":\"exact\","
              "\"items\":[\"a\"]}]},{\"ee\":\"gate\",\"metric\":\"mean_score\",\"min\":0.5},{\"ee\":\"gate\",\"judge\":"
              "\"h\",\"field\":\"a\",\"metric\":\"f1\",\"min\":0.5,\"min_support\":20,\"confidence\":0.8},{\"ee\":"
              "\"gate\",\"judge\":\"h\",\"metric\":\"mean_score\",\"max\":0.75,\"slice\":\"u\",\"min_cases\":5}]}",
              "rules n (rules.lua)\n"
              "case id=a,b expected_id=c expected=d candidate=e records=f\n"
              "candidates that are nearly JSON are repaired\n"
              "empty: blank, \"N/A\", \"-\", [] and {}\n"
              "slice s.t\n"
              "slice u\n"
              "trials pass_any\n"
              "cluster doc\n"
              "confidence 0.9\n"
              "measure cost\n"
              "measure time\n"
              "judge h (fields), weight 3, pass 0.7, borderline 0.5\n"
              "  aggregate macro_f1, tn skip, on_unexpected skip\n"
              "  a  exact  weight 1\n"
              "gate mean_score >= 0.5\n"
              "gate h a f1 >= 0.5, from 20 units on, at confidence 0.8\n"
              "gate h mean_score[u] <= 0.75, from 5 cases of a value on\n"
              "score weighted mean of the judges\n"
              "calls Lua: nothing\n");
}

static void test_line_items(void **state) {
  (void)state;
  assert_plan(JUDGE("line_items", ",\"items\":[\"l\",{\"ee\":\"exact\",\"items\":[\"a\"]},{\"ee\":\"numeric\","
                                  "\"items\":[\"b\"],\"weight\":2}],\"match\":\"a\""),
              "rules rules (rules.lua)\n"
              "judge line_items (line_items), weight 1, pass 0.8, borderline 0.6\n"
              "  list l\n"
              "  match a, threshold 0.8, method greedy\n"
              "  a  exact  weight 1\n"
              "  b  numeric  weight 2\n"
              "score weighted mean of the judges\n"
              "calls Lua: nothing\n");
}

static void test_line_items_with_options(void **state) {
  (void)state;
  assert_plan(JUDGE("line_items",
                    ",\"items\":[\"l\",{\"ee\":\"exact\",\"items\":[\"a\"]},{\"ee\":\"numeric\",\"items\":[\"b\"]"
                    ",\"weight\":2}],\"candidate\":\"m\",\"match\":{\"items\":[\"a\",\"b\"],\"threshold\":0.5,"
                    "\"method\":\"optimal\",\"gate\":\"count\",\"max_pairs\":1000},\"score\":\"mean\",\"of\":"
                    "\"longer\",\"clip\":0.25,\"below_threshold\":\"incorrect\""),
              "rules rules (rules.lua)\n"
              "judge line_items (line_items), weight 1, pass 0.8, borderline 0.6\n"
              "  list l, in the candidate m\n"
              "  match a, b, threshold 0.5, method optimal, gate count, max_pairs 1000\n"
              "  score mean of longer, clip 0.25\n"
              "  pairs below the threshold are incorrect\n"
              "  a  exact  weight 1\n"
              "  b  numeric  weight 2\n"
              "score weighted mean of the judges\n"
              "calls Lua: nothing\n");
}

static void test_line_items_by_key(void **state) {
  (void)state;
  assert_plan(JUDGE("line_items", ",\"items\":[\"l\",{\"ee\":\"exact\",\"items\":[\"a\"]}],\"match\":{\"method\":"
                                  "\"key\",\"key\":\"id\"},\"score\":\"coverage\""),
              "rules rules (rules.lua)\n"
              "judge line_items (line_items), weight 1, pass 0.8, borderline 0.6\n"
              "  list l\n"
              "  match method key, id\n"
              "  score coverage\n"
              "  a  exact  weight 1\n"
              "score weighted mean of the judges\n"
              "calls Lua: nothing\n");
}

static void test_quality(void **state) {
  (void)state;
  assert_plan(JUDGE("quality", ""), "rules rules (rules.lua)\n"
                                    "judge quality (quality), weight 1, pass 0.8, borderline 0.6\n"
                                    "  depth top, ignore accuracy, scale none\n"
                                    "  weights accuracy 0.45, completeness 0.25, safety 0.15, hallucination 0.15\n"
                                    "  thresholds FUZZY 0.85, SEMANTIC 0.8\n"
                                    "  every other key  by its expected value: number, boolean, date, email, list, "
                                    "object EXACT; other text SEMANTIC\n"
                                    "score weighted mean of the judges\n"
                                    "provider local, english\n"
                                    "calls Lua: nothing\n");
}

static void test_quality_with_options(void **state) {
  (void)state;
  assert_plan(JUDGE("quality", ",\"items\":[\"q\"],\"candidate\":\"r\",\"strategies\":{\"a\":\"EXACT\",\"b\":{\"ee\":"
                               "\"numeric\",\"tolerance\":1},\"c\":\"IGNORE\"},\"weights\":{\"accuracy\":0.5,"
                               "\"completeness\":0.25,\"safety\":0.125,\"hallucination\":0.0625},\"fuzzy_threshold\":0."
                               "75,\"ignore\":\"everywhere\",\"scale\":\"max\",\"depth\":\"leaves\""),
              "rules rules (rules.lua)\n"
              "judge quality (quality), weight 1, pass 0.8, borderline 0.6\n"
              "  object q, in the candidate r\n"
              "  depth leaves, ignore everywhere, scale max\n"
              "  weights accuracy 0.5, completeness 0.25, safety 0.125, hallucination 0.0625 (sum 0.9375)\n"
              "  thresholds FUZZY 0.75, SEMANTIC 0.8\n"
              "  a  EXACT  rules.lua:1\n"
              "  b  numeric  rules.lua:1\n"
              "  c  IGNORE  rules.lua:1\n"
              "  every other leaf  by its expected value: number, boolean, date, email, list, object EXACT; other text "
              "SEMANTIC\n"
              "score weighted mean of the judges\n"
              "provider local, english\n"
              "calls Lua: nothing\n");
}

static void test_iou_score(void **state) {
  (void)state;
  assert_plan(JUDGE("iou_score", ",\"items\":[\"b\"],\"format\":\"xyxy\""),
              "rules rules (rules.lua)\n"
              "judge iou_score (iou_score), weight 1, pass 0.8, borderline 0.6\n"
              "  shapes b\n"
              "  read as xyxy, iou\n"
              "  match index, threshold 0.5\n"
              "  score mean\n"
              "score weighted mean of the judges\n"
              "calls Lua: nothing\n");
}

static void test_iou_score_with_options(void **state) {
  (void)state;
  assert_plan(JUDGE("iou_score",
                    ",\"items\":[\"b\"],\"candidate\":\"c\",\"format\":\"oriented\",\"metric\":\"iou\",\"angle\":"
                    "\"radians\",\"direction\":\"y_to_x\",\"polygon\":\"area\",\"fill\":\"non_zero\",\"label\":"
                    "\"l\",\"box\":\"x\",\"match\":\"optimal\",\"thresholds\":[0.5,0.75],\"gate\":\"count\",\"max_"
                    "pairs\":99,\"aggregate\":\"weighted_mean\",\"item_weight\":\"w\""),
              "rules rules (rules.lua)\n"
              "judge iou_score (iou_score), weight 1, pass 0.8, borderline 0.6\n"
              "  shapes b, in the candidate c\n"
              "  read as oriented, iou, angle in radians y_to_x, fill non_zero, box x, label l\n"
              "  match optimal, gate count, up to 99 pairs, threshold 0.5, 0.75\n"
              "  score weighted_mean by w\n"
              "score weighted mean of the judges\n"
              "calls Lua: nothing\n");
}

static void test_distance_score(void **state) {
  (void)state;
  assert_plan(JUDGE("distance_score", ",\"items\":[\"p\"],\"candidate\":\"q\",\"metric\":\"cosine\",\"threshold\":0.5,"
                                      "\"score\":\"linear\",\"aggregate\":\"median\""),
              "rules rules (rules.lua)\n"
              "judge distance_score (distance_score), weight 1, pass 0.8, borderline 0.6\n"
              "  points p, in the candidate q\n"
              "  cosine, threshold 0.5, score linear, match index, median\n"
              "score weighted mean of the judges\n"
              "calls Lua: nothing\n");
}

static void test_detection(void **state) {
  (void)state;
  assert_plan(JUDGE("detection", ""),
              "rules rules (rules.lua)\n"
              "judge detection (detection), weight 1, pass 0.8, borderline 0.6\n"
              "  box bbox, category category, score score, area area, crowd iscrowd, ignore ignore\n"
              "  format xywh, classes true, mode coco\n"
              "  precision, recall, F1 at IoU 0.5\n"
              "  average precision at IoU 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95\n"
              "  max_detections 1, 10, 100; area_ranges 0..1e+10, 0..1024, 1024..9216, 9216..1e+10\n"
              "score weighted mean of the judges\n"
              "calls Lua: nothing\n");
}

static void test_detection_with_options(void **state) {
  (void)state;
  assert_plan(
      JUDGE("detection",
            ",\"items\":[\"d\"],\"box\":\"b\",\"category\":\"c\",\"score\":\"s\",\"area\":\"a\",\"crowd\":\"w\","
            "\"format\":\"xyxy\",\"candidate_format\":\"cxcywh\",\"threshold\":0.75,\"min_score\":0.25,\"thresholds\":["
            "0.5,0.7],\"max_detections\":[5,50],\"area_ranges\":[0,1e5,0,10],\"classes\":false,\"mode\":\"corrected\""),
      "rules rules (rules.lua)\n"
      "judge detection (detection), weight 1, pass 0.8, borderline 0.6\n"
      "  list d\n"
      "  box b, category c, score s, area a, crowd w, ignore ignore\n"
      "  format xyxy, candidate_format cxcywh, classes false, mode corrected\n"
      "  precision, recall, F1 at IoU 0.75, scores from 0.25\n"
      "  average precision at IoU 0.5, 0.7\n"
      "  max_detections 5, 50; area_ranges 0..100000, 0..10\n"
      "score weighted mean of the judges\n"
      "calls Lua: nothing\n");
}

static void test_extraction(void **state) {
  (void)state;
  assert_plan(JUDGE("extraction", ""), "rules rules (rules.lua)\n"
                                       "judge extraction (extraction), weight 1, pass 0.8, borderline 0.6\n"
                                       "  document documentText, gold goldSpans, trials providerResponseTexts\n"
                                       "  unit utf16_code_unit\n"
                                       "score weighted mean of the judges\n"
                                       "calls Lua: nothing\n");
}

static void test_extraction_with_options(void **state) {
  (void)state;
  assert_plan(JUDGE("extraction", ",\"document\":\"t\",\"unit\":\"code_point\",\"gold\":\"g\",\"trials\":\"r\""),
              "rules rules (rules.lua)\n"
              "judge extraction (extraction), weight 1, pass 0.8, borderline 0.6\n"
              "  document t, gold g, trials r\n"
              "  unit code_point\n"
              "score weighted mean of the judges\n"
              "calls Lua: nothing\n");
}

static void test_schema(void **state) {
  (void)state;
  assert_plan(
      JUDGE("schema", ",\"schema\":{\"type\":\"object\"},\"draft\":\"07\",\"formats\":true,\"candidate\":\"c\""),
      "rules rules (rules.lua)\n"
      "judge schema (schema), weight 1, pass 0.8, borderline 0.6\n"
      "  value c, schema of the rule file, formats assert\n"
      "score weighted mean of the judges\n"
      "calls Lua: nothing\n");
}

static void test_exec(void **state) {
  (void)state;
  assert_plan(
      JUDGE("exec",
            ",\"command\":[\"cat\",\"a b\"],\"cwd\":\"/\",\"env\":[\"HOME\"],\"timeout_ms\":500,\"persistent\":true"),
      "rules rules (rules.lua)\n"
      "judge exec (exec), weight 1, pass 0.8, borderline 0.6\n"
      "  runs 'cat' 'a b' in '/'\n"
      "  one process per worker, 500 ms per case\n"
      "  gets $HOME\n"
      "score weighted mean of the judges\n"
      "calls Lua: nothing\n");
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_strategies), cmocka_unit_test(test_strategies_with_options),
             cmocka_unit_test(test_head), cmocka_unit_test(test_line_items),
             cmocka_unit_test(test_line_items_with_options), cmocka_unit_test(test_line_items_by_key),
             cmocka_unit_test(test_quality), cmocka_unit_test(test_quality_with_options),
             cmocka_unit_test(test_iou_score), cmocka_unit_test(test_iou_score_with_options),
             cmocka_unit_test(test_distance_score), cmocka_unit_test(test_detection),
             cmocka_unit_test(test_detection_with_options), cmocka_unit_test(test_extraction),
             cmocka_unit_test(test_extraction_with_options), cmocka_unit_test(test_schema),
             cmocka_unit_test(test_exec));
