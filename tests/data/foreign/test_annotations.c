/* test_annotations.c: LangExtract's documents, Label Studio's tasks, CoNLL's sentences. */
#include <math.h>

#include "data/foreign/foreign_fixture.h"
#include "data/json/json_reader.h"
#include "support/random.h"

static const char *langextract(void **state, const char *text) {
  return foreign_convert(*state, &ee_foreign_langextract, text);
}
static const char *studio(void **state, const char *text) {
  return foreign_convert(*state, &ee_foreign_label_studio, text);
}
static const char *conll(void **state, const char *text) { return foreign_convert(*state, &ee_foreign_conll, text); }

static void test_langextract(void **state) {
  assert_string_equal(
      langextract(
          state,
          "{\"document_id\":\"d\",\"text\":\"ab\",\"extractions\":[{\"extraction_class\":\"C\",\"extraction_text\":"
          "\"a\",\"char_interval\":{\"start_pos\":0,\"end_pos\":1},\"alignment_status\":\"match_exact\"},{"
          "\"extraction_class\":\"C\",\"extraction_text\":\"B\",\"char_interval\":{\"start_pos\":1,\"end_pos\":2},"
          "\"alignment_status\":\"match_fuzzy\",\"attributes\":{\"k\":\"v\"}},{\"extraction_class\":\"C\","
          "\"extraction_text\":\"zz\",\"char_interval\":null}]}"),
      "{\"id\":\"d\",\"text\":\"ab\",\"extractions\":[{\"label\":\"C\",\"start\":0,\"end\":1,\"text\":\"a\"},{"
      "\"label\":\"C\","
      "\"start\":1,\"end\":2,\"quote\":\"B\",\"attributes\":{\"k\":\"v\"}},{\"label\":\"C\",\"text\":\"zz\"}]}");
  for (size_t i = 0; i < 3; i++) assert_int_equal(*foreign_note(*state, i) != '\0', i != 1);
  assert_string_equal(langextract(state, "{\"document_id\":\"d\",\"text\":\"ab\",\"extractions\":null}"),
                      "{\"id\":\"d\",\"text\":\"ab\",\"extractions\":[]}");
  assert_non_null(strstr(foreign_note(*state, 1), "is null"));
  assert_non_null(strstr(langextract(state, "{\"text\":\"ab\",\"extractions\":[{}]}"), "error: extraction 1 has no"));
  assert_non_null(strstr(langextract(state, "{\"text\":\"ab\",\"extractions\":[3]}"), "error: extraction 1 has no"));
  assert_non_null(strstr(langextract(state, "{\"extractions\":null}"), "error: not a document of LangExtract"));
  assert_non_null(strstr(langextract(state, "{\"text\":\"a\",\"extractions\":{}}"), "error: not a document"));
}

/* Offsets are a pair of numbers; what is null is not there. */
static void test_intervals(void **state) {
  static const char *const intervals[] = {"{\"start_pos\":1}", "{\"start_pos\":null,\"end_pos\":2}", "[1,2]",
                                          "{\"start_pos\":1,\"end_pos\":\"2\"}"};
  foreign_fixture *fixture = *state;
  for (size_t i = 0; i < sizeof intervals / sizeof *intervals; i++)
    assert_string_equal(
        langextract(state,
                    ee_arena_printf(&fixture->arena,
                                    "{\"text\":3,\"extractions\":[{\"extraction_class\":\"C\",\"extraction_text\":7,"
                                    "\"alignment_status\":\"match_fuzzy\",\"attributes\":null,\"char_interval\":%s}]}",
                                    intervals[i])),
        "{\"extractions\":[{\"label\":\"C\",\"text\":7}]}");
  assert_non_null(strstr(foreign_note(fixture, 0), "4 records of langextract: an extraction without an interval"));
  assert_string_equal(foreign_note(fixture, 2), "");
  assert_non_null(strstr(
      langextract(state, "{\"text\":\"\",\"extractions\":[{\"extraction_class\":\"C\",\"extraction_text\":null}]}"),
      "error: extraction 1 has no"));
}

#define TASK(annotations, predictions)                                                                                 \
  "{\"id\":4,\"data\":{\"image\":\"x.png\"},\"annotations\":" annotations ",\"predictions\":" predictions "}"
#define BOX(size, turn)                                                                                                \
  "{\"id\":\"r\",\"to_name\":\"image\"," size                                                                          \
  "\"type\":\"rectanglelabels\",\"value\":{\"x\":10,\"y\":20,\"width\":30,"                                            \
  "\"height\":40,\"rotation\":" turn ",\"rectanglelabels\":[\"Car\"]}}"
#define SIZE "\"original_width\":200,\"original_height\":100,"

static void test_boxes(void **state) {
  /* The prediction lacks the size, which the annotation has. */
  assert_string_equal(
      studio(state,
             TASK("[{\"result\":[" BOX(SIZE, "0") "]}]", "[{\"model_version\":\"m\",\"result\":[" BOX("", "0") "]}]")),
      "{\"id\":4,\"expected\":{\"boxes\":[{\"label\":\"Car\",\"bbox\":[20,20,60,40]}]},\"candidate\":{\"boxes\":"
      "[{\"label\":\"Car\",\"bbox\":[20,20,60,40]}]},\"model\":\"m\",\"text\":\"x.png\",\"data\":{\"image\":"
      "\"x.png\"}}");
  assert_string_equal(foreign_note(*state, 4), "");
  assert_non_null(strstr(studio(state, TASK("[{\"result\":[" BOX("", "0") "]}]", "[]")), "\"bbox\":[10,20,30,40]"));
  assert_non_null(strstr(foreign_note(*state, 4), "in percent"));
  assert_non_null(strstr(foreign_note(*state, 2), "no prediction"));
  /* A quarter of a turn, clockwise on the screen, around the corner. */
  const char *turned =
      strstr(studio(state, TASK("[{\"result\":[" BOX(SIZE, "90") "]}]", "[]")), "\"bbox\":[[20,20],[20");
  assert_non_null(turned);
}

/* The corners of turned rectangles, against the definition with the C library's sine. */
static void test_turned(void **state) {
  foreign_fixture *fixture = *state;
  test_random random = test_random_start("test_turned", 11);
  for (int i = 0; i < 2000; i++) {
    double v[5];
    for (size_t k = 0; k < 5; k++) v[k] = (double)test_random_below(&random, 1000) / 10;
    const char *text = ee_arena_printf(
        &fixture->arena,
        "{\"id\":1,\"data\":{},\"annotations\":[{\"result\":[{\"type\":\"rectangle\",\"original_width\":400,\"original_"
        "height\":"
        "300,\"value\":{\"x\":%.17g,\"y\":%.17g,\"width\":%.17g,\"height\":%.17g,\"rotation\":%.17g}}]}]}",
        v[0], v[1], v[2], v[3], v[4] + 0.05);
    const ee_value *record = ee_json_read_data(&fixture->arena, ee_str_from(studio(state, text)), NULL);
    const ee_value *box = ee_value_member(
        ee_value_child(ee_value_member(ee_value_member(record, EE_STR("expected"), NULL), EE_STR("boxes"), NULL)),
        EE_STR("bbox"), NULL);
    double angle = (v[4] + 0.05) * acos(-1) / 180;
    for (size_t corner = 0; corner < 4; corner++) {
      double along = corner == 1 || corner == 2 ? v[2] * 4 : 0, down = corner >= 2 ? v[3] * 3 : 0;
      double x = v[0] * 4 + along * cos(angle) - down * sin(angle),
             y = v[1] * 3 + along * sin(angle) + down * cos(angle);
      const ee_value *point = ee_value_element(box, corner);
      assert_true(fabs(ee_value_number(ee_value_element(point, 0)) - x) < 1e-9);
      assert_true(fabs(ee_value_number(ee_value_element(point, 1)) - y) < 1e-9);
    }
    ee_arena_reset(&fixture->arena, SIZE_MAX);
  }
}

static void test_regions(void **state) {
  const char *record =
      studio(state, "{\"id\":1,\"data\":{\"text\":\"abc\",\"url\":\"u\"},\"completions\":[{\"result\":["
                    "{\"type\":\"labels\",\"value\":{\"start\":0,\"end\":2,\"text\":\"ab\",\"labels\":[\"P\"]}},"
                    "{\"type\":\"hypertextlabels\",\"value\":{\"start\":\"/p[1]\",\"end\":\"/"
                    "p[1]\",\"text\":\"c\",\"globalOffsets\":{"
                    "\"start\":2,\"end\":3},\"hypertextlabels\":[\"Q\"]}},"
                    "{\"type\":\"choices\",\"from_name\":\"mood\",\"value\":{\"choices\":[\"good\"]}},"
                    "{\"type\":\"choices\",\"from_name\":\"topics\",\"value\":{\"choices\":[\"a\",\"b\"]}},"
                    "{\"type\":\"textarea\",\"from_name\":\"note\",\"value\":{\"text\":[\"hi\"]}},"
                    "{\"type\":\"rating\",\"from_name\":\"stars\",\"value\":{\"rating\":4}},"
                    "{\"type\":\"polygonlabels\",\"original_width\":100,\"original_height\":100,\"value\":{\"points\":["
                    "[0,0],[1,0],[0,1]],"
                    "\"polygonlabels\":[\"T\"]}},"
                    "{\"id\":\"r\",\"type\":\"rectangle\",\"original_width\":100,\"original_height\":100,\"value\":{"
                    "\"x\":1,\"y\":2,\"width\":3,"
                    "\"height\":4,\"rotation\":0}},{\"id\":\"r\",\"type\":\"labels\",\"value\":{\"labels\":[\"L\"]}},"
                    "{\"type\":\"brushlabels\",\"value\":{\"format\":\"rle\"}}, 7, "
                    "{\"type\":\"polygon\",\"value\":{\"points\":[[0],1,2]}}]}]}");
  assert_string_equal(
      record,
      "{\"id\":1,\"expected\":{\"boxes\":[{\"label\":\"T\",\"bbox\":[[0,0],[1,0],[0,1]]},{\"label\":\"L\",\"bbox\":[1,"
      "2,3,4]"
      "}],\"spans\":[{\"label\":\"P\",\"start\":0,\"end\":2,\"text\":\"ab\"},{\"label\":\"Q\",\"start\":2,\"end\":3}],"
      "\"choices\":{\"mood\":\"good\",\"topics\":[\"a\",\"b\"]},\"fields\":{\"note\":\"hi\",\"stars\":4}},\"text\":"
      "\"abc\","
      "\"data\":{\"text\":\"abc\",\"url\":\"u\"}}");
  assert_non_null(strstr(foreign_note(*state, 3), "are left out (case '1')"));
}

/* The documents of `results` as the annotation of a task with the text "abc"; the notes 3 (other regions) and 4. */
static const char *document(void **state, const char *results) {
  foreign_fixture *fixture = *state;
  memset(&fixture->seen, 0, sizeof fixture->seen);
  const char *record =
      studio(state, ee_arena_printf(&fixture->arena, "{\"data\":{\"text\":\"abc\"},\"annotations\":[{\"result\":%s}]}",
                                    results));
  const char *end = strstr(record, ",\"text\":\"abc\",\"data\"");
  assert_non_null(end);
  size_t start = strlen("{\"expected\":");
  return ee_arena_copy(&fixture->arena, record + start, (size_t)(end - record) - start);
}

static void assert_document(void **state, const char *results, const char *expected, bool others) {
  char *text = (char *)(uintptr_t)document(state, results);
  if (strncmp(text, expected, strlen(expected)) != 0) fail_msg("%s: %s, not %s", results, text, expected);
  assert_int_equal(*foreign_note(*state, 3) != '\0', others);
}

/* Values that are not what the type of their region says are left out, and counted. */
static void test_broken_regions(void **state) {
  static const char *const others[] = {
      "{\"type\":\"rectangle\",\"value\":{\"x\":1,\"y\":2,\"width\":3}}",
      "{\"type\":\"rectangle\",\"value\":{\"x\":\"1\",\"y\":2,\"width\":3,\"height\":4}}",
      "{\"type\":\"polygon\",\"value\":{\"points\":[[0,0],[1,1]]}}",
      "{\"type\":\"polygon\",\"value\":{\"points\":{\"a\":1,\"b\":2,\"c\":3}}}",
      "{\"type\":\"polygon\",\"value\":{\"points\":[[0,0],[1,1],[1,0,0]]}}",
      "{\"type\":\"polygon\",\"value\":{\"points\":[[0,0],[1,1],[\"1\",0]]}}",
      "{\"type\":\"polygon\",\"value\":{\"points\":[[0,0],[1,1],[1,\"0\"]]}}",
      "{\"type\":\"polygon\",\"value\":{\"points\":[[0,0],{\"x\":1,\"y\":1},[1,0]]}}",
      "{\"type\":\"labels\",\"value\":{\"start\":\"0\",\"end\":1,\"labels\":[\"P\"]}}",
      "{\"type\":\"labels\",\"value\":{\"start\":0,\"labels\":[\"P\"]}}",
      /* Stretches of audio. */
      "{\"type\":\"labels\",\"value\":{\"start\":3,\"end\":8,\"channel\":0,\"labels\":[\"P\"]}}",
      "{\"type\":\"labels\",\"original_length\":98.7,\"value\":{\"start\":3.1,\"end\":8.2,\"labels\":[\"P\"]}}",
      /* A label whose region is not there. */
      "{\"id\":\"r\",\"type\":\"labels\",\"value\":{\"labels\":[\"P\"]}}",
      "{\"type\":\"ellipselabels\",\"value\":{\"x\":1}}",
  };
  foreign_fixture *fixture = *state;
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    assert_document(state, ee_arena_printf(&fixture->arena, "[%s]", others[i]), "{}", true);
  /* Controls: without a name, without a value, and twice. */
  assert_document(state, "[{\"type\":\"choices\",\"value\":{\"choices\":[\"a\"]}}]", "{\"choices\":{}}", true);
  assert_document(state, "[{\"type\":\"number\",\"from_name\":\"n\",\"value\":{\"number\":null}}]", "{\"fields\":{}}",
                  true);
  assert_document(
      state,
      "[{\"type\":\"number\",\"from_name\":\"n\",\"value\":{\"number\":3}},{\"type\":\"number\",\"from_name\":"
      "\"n\",\"value\":{\"number\":4}},{\"type\":\"datetime\",\"from_name\":\"d\",\"value\":{\"datetime\":"
      "\"2025-01-02\"}}]",
      "{\"fields\":{\"n\":3,\"d\":\"2025-01-02\"}}", true);
  assert_document(state, "{}", "{}", false);
}

#define SPAN(id, label) "{" id "\"type\":\"labels\",\"value\":{\"start\":0,\"end\":1" label "}}"

/* Where the label of a region is. */
static void test_labels(void **state) {
  assert_document(state, "[" SPAN("", ",\"labels\":\"P\"") "]", "{\"spans\":[{\"label\":\"P\",\"start\":0,\"end\":1}]}",
                  false);
  static const char *const none[] = {SPAN("", ""), SPAN("", ",\"labels\":[]"), SPAN("", ",\"labels\":[7]"),
                                     SPAN("\"id\":\"r\",", "")};
  foreign_fixture *fixture = *state;
  for (size_t i = 0; i < sizeof none / sizeof *none; i++)
    assert_document(state, ee_arena_printf(&fixture->arena, "[%s]", none[i]), "{\"spans\":[{\"start\":0,\"end\":1}]}",
                    false);
  /* In another result of the region, and not of another region. */
  assert_document(
      state,
      "[" SPAN("\"id\":\"r\",", "") ",{\"id\":\"q\",\"type\":\"labels\",\"value\":{\"labels\":[\"Q\"]}},{\"id\":\"r\","
                                    "\"type\":\"labels\",\"value\":{\"labels\":[\"R\"]}}]",
      "{\"spans\":[{\"label\":\"R\",\"start\":0,\"end\":1}]}", true);
  /* Of several labels the first one counts, and it is said. */
  assert_string_equal(foreign_note(fixture, 5), "");
  assert_document(state, "[" SPAN("", ",\"labels\":[\"P\",\"Q\"]") "]",
                  "{\"spans\":[{\"label\":\"P\",\"start\":0,\"end\":1}]}", false);
  assert_non_null(strstr(foreign_note(fixture, 5), "several labels: the first one counts"));
  assert_document(state, "[" SPAN("", ",\"labels\":[\"P\"]") "]",
                  "{\"spans\":[{\"label\":\"P\",\"start\":0,\"end\":1}]}", false);
  assert_string_equal(foreign_note(fixture, 5), "");
  /* A span whose offsets in the page are null is of a text. */
  assert_document(
      state, "[{\"type\":\"hypertextlabels\",\"value\":{\"start\":0,\"end\":1,\"text\":\"a\",\"globalOffsets\":null}}]",
      "{\"spans\":[{\"start\":0,\"end\":1,\"text\":\"a\"}]}", false);
  assert_document(state, "[{\"type\":\"labels\",\"value\":{\"start\":0,\"end\":1,\"text\":[\"a\"]}}]",
                  "{\"spans\":[{\"start\":0,\"end\":1}]}", false);
}

#define SIZED(image, size)                                                                                             \
  "{\"result\":[{\"to_name\":\"" image "\"," size "\"type\":\"rectangle\",\"value\":{\"x\":10,\"y\":10,\"width\":10,"  \
  "\"height\":10}}]}"

/* The size of an image is that of the same image in any annotation, then in any prediction; both sides of it. */
static void test_sizes(void **state) {
  foreign_fixture *fixture = *state;
  static const struct {
    const char *annotations, *predictions, *box;
  } cases[] = {
      {"[" SIZED("a", "") "," SIZED("b", SIZE) "," SIZED("a", SIZE) "]", "[]", "[20,10,20,10]"},
      {"[" SIZED("a", "") "," SIZED("b", SIZE) "]", "[" SIZED("b", SIZE) "," SIZED("a", SIZE) "]", "[20,10,20,10]"},
      {"[" SIZED("a", "") "," SIZED("b", SIZE) "]", "[]", "[10,10,10,10]"},
      {"[" SIZED("a", "\"original_width\":200,") "]", "{}", "[10,10,10,10]"},
      {"[" SIZED("a", "\"original_width\":200,\"original_height\":0,") ",{\"result\":7},3]", "[]", "[10,10,10,10]"},
      {"[" SIZED("a", SIZE) "]", "[]", "[20,10,20,10]"},
      {"[" SIZED("a", "") "]", "[" SIZED("b", "") "]", "[10,10,10,10]"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    memset(&fixture->seen, 0, sizeof fixture->seen);
    fixture->use.candidate_given = true;
    const char *record =
        studio(state, ee_arena_printf(&fixture->arena, "{\"data\":{},\"annotations\":%s,\"predictions\":%s}",
                                      cases[i].annotations, cases[i].predictions));
    char *box = ee_arena_printf(&fixture->arena, "{\"expected\":{\"boxes\":[{\"bbox\":%s}]}", cases[i].box);
    if (strncmp(record, box, strlen(box)) != 0 && i != 1) fail_msg("%zu: %s", i, record);
    if (i == 1) assert_non_null(strstr(record, "error: the task has 2 predictions, and two of model_version ''"));
    assert_int_equal(*foreign_note(fixture, 4) != '\0', cases[i].box[1] == '1');
  }
  fixture->use.candidate_given = false;
  assert_document(
      state,
      "[{\"type\":\"polygon\",\"value\":{\"points\":[[0,0],[1,0],[0,1]]}},{\"type\":\"rectangle\",\"value\":{"
      "\"x\":1,\"y\":2,\"width\":3,\"height\":4}}]",
      "{\"boxes\":[{\"bbox\":[[0,0],[1,0],[0,1]]},{\"bbox\":[1,2,3,4]}]}", false);
  assert_non_null(strstr(foreign_note(fixture, 4), "1 record of label-studio: the export does not say"));
  /* The size from a prediction alone. */
  assert_non_null(
      strstr(studio(state, "{\"data\":{},\"annotations\":[" SIZED("a", "") "],\"predictions\":[" SIZED("a", SIZE) "]}"),
             "{\"expected\":{\"boxes\":[{\"bbox\":[20,10,20,10]}]}"));
}

#define CHOICE(value) "{\"result\":[{\"type\":\"choices\",\"from_name\":\"c\",\"value\":{\"choices\":[\"" value "\"]}}]"

static void test_annotators(void **state) {
  foreign_fixture *fixture = *state;
  assert_non_null(strstr(studio(state, TASK("[" CHOICE("a") ",\"was_cancelled\":true}," CHOICE("b") "}]", "[]")),
                         "\"expected\":{\"choices\":{\"c\":\"b\"}}"));
  assert_string_equal(foreign_note(fixture, 1), "");
  assert_non_null(strstr(studio(state, TASK("[" CHOICE("a") "}," CHOICE("b") ",\"ground_truth\":true}]", "[]")),
                         "\"expected\":{\"choices\":{\"c\":\"b\"}}"));
  assert_string_equal(foreign_note(fixture, 1), "");
  assert_non_null(strstr(studio(state, TASK("[" CHOICE("a") "}," CHOICE("b") "}]", "[]")),
                         "\"expected\":{\"choices\":{\"c\":\"a\"}}"));
  assert_non_null(strstr(foreign_note(fixture, 1), "several annotations"));
  /* The first of those that are marked; so an older version called it. What is not an annotation does not count. */
  memset(&fixture->seen, 0, sizeof fixture->seen);
  assert_non_null(strstr(studio(state, TASK("[7," CHOICE("a") "}," CHOICE("b") ",\"honeypot\":true}," CHOICE(
                                                "c") ",\"ground_truth\":true}]",
                                            "[]")),
                         "\"expected\":{\"choices\":{\"c\":\"b\"}}"));
  assert_string_equal(foreign_note(fixture, 1), "");
  assert_string_equal(studio(state, TASK("[]", "[]")), "nothing");
  assert_string_equal(studio(state, TASK("[]", "[" CHOICE("a") "}]")), "nothing");
  assert_non_null(strstr(foreign_note(fixture, 0), "2 records of label-studio: nobody has annotated"));
  fixture->use.one_file = false; /* a file of predictions */
  assert_non_null(
      strstr(studio(state, TASK("[]", "[" CHOICE("a") "}]")), "{\"id\":4,\"candidate\":{\"choices\":{\"c\":\"a\"}}"));
}

static void test_models(void **state) {
  foreign_fixture *fixture = *state;
  const char *two = TASK("[" CHOICE("a") "}]",
                         "[" CHOICE("a") ",\"model_version\":\"m1\"}," CHOICE("b") ",\"model_version\":\"m2\"}]");
  assert_string_equal(studio(state, two),
                      "error: the task has 2 predictions: --candidate predictions.MODEL chooses one, such as "
                      "predictions[\"m1\"]");
  fixture->use.candidate_given = true;
  assert_non_null(strstr(studio(state, two),
                         "\"predictions\":{\"m1\":{\"choices\":{\"c\":\"a\"}},\"m2\":{\"choices\":{\"c\":\"b\"}}}"));
  assert_string_equal(studio(state, TASK("[" CHOICE("a") "}]", "[" CHOICE("a") "}," CHOICE("b") "}]")),
                      "error: the task has 2 predictions, and two of model_version ''");
  assert_non_null(strstr(studio(state, "{\"id\":1,\"image\":\"x\",\"annotator\":1}"), "export as JSON"));
  assert_non_null(strstr(studio(state, "{\"id\":1,\"image\":\"x\",\"annotation_id\":1}"), "export as JSON"));
  static const char *const not_tasks[] = {"{\"id\":1}", "{\"data\":[],\"annotations\":[]}",
                                          "{\"data\":{},\"annotations\":{}}", "{\"data\":{},\"predictions\":1}"};
  for (size_t i = 0; i < sizeof not_tasks / sizeof *not_tasks; i++)
    assert_string_equal(studio(state, not_tasks[i]),
                        "error: not a task of Label Studio: 'data' and 'annotations' are expected in it");
}

/* A file of predictions alone, and one where neither side has anything. */
static void test_sides(void **state) {
  foreign_fixture *fixture = *state;
  fixture->use.one_file = false;
  assert_string_equal(
      studio(state, "{\"data\":{\"a\":\"x\",\"b\":\"y\"},\"predictions\":[" CHOICE("a") ",\"score\":0.5}]}"),
      "{\"candidate\":{\"choices\":{\"c\":\"a\"}},\"model_score\":0.5,\"data\":{\"a\":\"x\",\"b\":\"y\"}}");
  assert_string_equal(studio(state, "{\"data\":{\"n\":1},\"annotations\":[" CHOICE("a") "}]}"),
                      "{\"expected\":{\"choices\":{\"c\":\"a\"}},\"data\":{\"n\":1}}");
  assert_string_equal(studio(state, "{\"data\":{},\"predictions\":[]}"), "nothing");
}

static void test_conll(void **state) {
  foreign_fixture *fixture = *state;
  assert_string_equal(
      conll(state, "EU NNP  B-ORG B-PER\r\nsays\tVBZ O O"),
      "{\"expected\":{\"tokens\":[\"EU\",\"says\"],\"tags\":[\"B-ORG\",\"O\"]},\"candidate\":{\"tokens\":[\"EU\","
      "\"says\"],\"tags\":[\"B-PER\",\"O\"]}}");
  assert_non_null(strstr(conll(state, "EU NNP B-NP B-ORG"), "error: the last column but one has tags of phrases"));
  assert_non_null(strstr(conll(state, "EU O"), "got 2 columns: --from conll EXPECTED FOUND takes two files"));
  assert_string_equal(conll(state, "a O O\nb O"), "error: line 8 has 2 columns, the first one of the sentence 3");
  assert_string_equal(conll(state, "a O\n\xff O"), "error: line 8 is not valid UTF-8");
  fixture->use.one_file = false;
  assert_string_equal(conll(state, "# sent_id = s1\n# text = EU says\nEU O\nsays O"),
                      "{\"id\":\"s1\",\"text\":\"EU says\",\"tokens\":[\"EU\",\"says\"],\"tags\":[\"O\",\"O\"]}");
  assert_string_equal(conll(state, "a"),
                      "error: a line needs a token and a tag, got 1 column: --from conll EXPECTED FOUND "
                      "takes two files");
  assert_string_equal(conll(state, "# sent_id = s1\n#\n"),
                      "error: a line needs a token and a tag, got 1 column: --from "
                      "conll EXPECTED FOUND takes two files");
  assert_string_equal(conll(state, "# x\n"), "nothing");
}

static void test_conll_u(void **state) {
  foreign_fixture *fixture = *state;
  fixture->use.one_file = false;
  const char *sentence = "1-2\tzum\t_\t_\t_\t_\t_\t_\t_\t_\n1\tzu\tzu\tADP\t_\t_\t3\tcase\t_\t_\n2\t_\t_\tPUNCT\t_\tA="
                         "b|C=d\t0\troot\t_\t_";
  assert_string_equal(
      conll(state, sentence),
      "{\"words\":[{\"form\":\"zu\",\"lemma\":\"zu\",\"upos\":\"ADP\",\"head\":\"3\",\"deprel\":\"case\"},{\"form\":"
      "\"_\",\"upos\":\"PUNCT\",\"feats\":\"A=b|C=d\",\"head\":\"0\",\"deprel\":\"root\"}]}");
  assert_non_null(strstr(foreign_note(fixture, 0), "ranges of words"));
  /* Comments of ten columns, too. */
  fixture->seen.notes[0].count = 0;
  assert_string_equal(conll(state, "# sent_id = s\n#\t2\t3\t4\t5\t6\t7\t8\t9\tO\n1\ta\t_\t_\t_\t_\t_\t_\t_\t_"),
                      "{\"id\":\"s\",\"words\":[{\"form\":\"a\"}]}");
  assert_string_equal(foreign_note(fixture, 0), "");
  fixture->use.one_file = true;
  assert_non_null(strstr(conll(state, sentence), "error: a sentence of CoNLL-U has one side"));
}

/* A word is "#", too: the amounts in pounds of CoNLL-2000. */
static void test_conll_hash(void **state) {
  foreign_fixture *fixture = *state;
  assert_string_equal(
      conll(state, "for IN B-PP B-PP\n# # B-NP O\n3.1 CD I-NP I-NP"),
      "{\"expected\":{\"tokens\":[\"for\",\"#\",\"3.1\"],\"tags\":[\"B-PP\",\"B-NP\",\"I-NP\"]},\"candidate\":{"
      "\"tokens\":[\"for\",\"#\",\"3.1\"],\"tags\":[\"B-PP\",\"O\",\"I-NP\"]}}");
  fixture->use.one_file = false;
  /* The first word of a sentence, by its tag. */
  assert_string_equal(conll(state, "# O\n3 O"), "{\"tokens\":[\"#\",\"3\"],\"tags\":[\"O\",\"O\"]}");
  assert_string_equal(conll(state, "#\tB-NP\n3 O"), "{\"tokens\":[\"#\",\"3\"],\"tags\":[\"B-NP\",\"O\"]}");
  /* Later ones by their columns, whatever the tags are. */
  assert_string_equal(conll(state, "3 CD\n# SYM"), "{\"tokens\":[\"3\",\"#\"],\"tags\":[\"CD\",\"SYM\"]}");
  assert_string_equal(conll(state, "a\rO"), "{\"tokens\":[\"a\"],\"tags\":[\"O\"]}");
  /* Comments: of other columns, before the words without a tag, or of a key and a value. */
  static const char *const comments[] = {"# one two\n3 O", "3 O\n# one two", "# newdoc\n3 O", "# b-c\n3 O",
                                         "# 1-NP\n3 O",    "# ABC\n3 O",     "# -NP\n3 O",    "# B-\n3 O"};
  for (size_t i = 0; i < sizeof comments / sizeof *comments; i++)
    assert_string_equal(conll(state, comments[i]), "{\"tokens\":[\"3\"],\"tags\":[\"O\"]}");
  assert_string_equal(conll(state, "# text = O\n3 a b O"), "{\"text\":\"O\",\"tokens\":[\"3\"],\"tags\":[\"O\"]}");
  assert_string_equal(conll(state, "# O\n# B-NP"), "nothing");
}

/* Comments that only look as if they had an id, and lines that have nothing. */
static void test_conll_comments(void **state) {
  foreign_fixture *fixture = *state;
  fixture->use.one_file = false;
  static const char *const others[] = {"# sent_id",       "# sent_id =", "# sent_id s1",
                                       "# sent_ids = s1", "# id = s1",   "# sent_id = \r"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    assert_string_equal(conll(state, ee_arena_printf(&fixture->arena, "%s\na b c O\n \t\r\n", others[i])),
                        "{\"tokens\":[\"a\"],\"tags\":[\"O\"]}");
  assert_string_equal(conll(state, "#\tsent_id = s1\n\na O\n#x O\n"),
                      "{\"id\":\"s1\",\"tokens\":[\"a\",\"#x\"],\"tags\":[\"O\",\"O\"]}");
}

/* Nine tabs are not enough for CoNLL-U: a line of it begins with the number of a word. */
static void test_conll_numbers(void **state) {
  foreign_fixture *fixture = *state;
  fixture->use.one_file = false;
#define REST "\tb\tc\td\te\tf\tg\th\ti\tO"
  static const char *const words[] = {"w", "1x2", "1-", "1.b", "-1", "1/2", "1:"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    assert_string_equal(conll(state, ee_arena_printf(&fixture->arena, "%s" REST, words[i])),
                        ee_arena_printf(&fixture->arena, "{\"tokens\":[\"%s\"],\"tags\":[\"O\"]}", words[i]));
  /* Without a first cell: cells of white space. */
  assert_string_equal(conll(state, REST), "{\"tokens\":[\"b\"],\"tags\":[\"O\"]}");
  assert_string_equal(conll(state, "w" REST "\n1" REST),
                      "error: line 8 has 10 columns, the first one of the sentence 10");
  /* A sentence of ranges and empty words has no words. */
  assert_string_equal(conll(state, "1-2" REST "\n1.1" REST), "{\"words\":[]}");
  assert_non_null(strstr(foreign_note(fixture, 0), "ranges of words"));
}

/* Tags of phrases in the last column but one say that the file has one side, unless both columns have them. */
static void test_conll_phrases(void **state) {
  static const char phrases[] = "error: the last column but one has tags of phrases";
  assert_non_null(strstr(conll(state, "a NN O O\nb NN I-SBAR B-ORG"), phrases));
  assert_non_null(strstr(conll(state, "a NN B-NP B-NP"), "\"candidate\":{\"tokens\":[\"a\"],\"tags\":[\"B-NP\"]}"));
  static const char *const others[] = {"B-ORG", "BxNP", "B-", "NP", "B-NPS"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    foreign_fixture *fixture = *state;
    assert_non_null(
        strstr(conll(state, ee_arena_printf(&fixture->arena, "# c\na NN %s O", others[i])), "{\"expected\":"));
  }
}

static void test_many_columns(void **state) {
  foreign_fixture *fixture = *state;
  fixture->use.one_file = false;
  ee_buffer text = {0};
  for (int i = 0; i < 300; i++) ee_buffer_addf(&text, "c%d ", i);
  assert_string_equal(conll(state, ee_buffer_terminate(&text)), "{\"tokens\":[\"c0\"],\"tags\":[\"c299\"]}");
  ee_buffer_fini(&text);
}

EE_TEST_FILE(NULL, NULL, EE_FOREIGN_TEST(test_langextract), EE_FOREIGN_TEST(test_intervals),
             EE_FOREIGN_TEST(test_boxes), EE_FOREIGN_TEST(test_turned), EE_FOREIGN_TEST(test_regions),
             EE_FOREIGN_TEST(test_broken_regions), EE_FOREIGN_TEST(test_labels), EE_FOREIGN_TEST(test_sizes),
             EE_FOREIGN_TEST(test_annotators), EE_FOREIGN_TEST(test_models), EE_FOREIGN_TEST(test_sides),
             EE_FOREIGN_TEST(test_conll), EE_FOREIGN_TEST(test_conll_hash), EE_FOREIGN_TEST(test_conll_comments),
             EE_FOREIGN_TEST(test_conll_numbers), EE_FOREIGN_TEST(test_conll_phrases), EE_FOREIGN_TEST(test_conll_u),
             EE_FOREIGN_TEST(test_many_columns));
