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
  fixture->use.one_file = true;
  assert_non_null(strstr(conll(state, sentence), "error: a sentence of CoNLL-U has one side"));
}

static void test_many_columns(void **state) {
  foreign_fixture *fixture = *state;
  fixture->use.one_file = false;
  ee_buffer text = {0};
  for (int i = 0; i < 300; i++) ee_buffer_addf(&text, "c%d ", i);
  assert_string_equal(conll(state, ee_buffer_terminate(&text)), "{\"tokens\":[\"c0\"],\"tags\":[\"c299\"]}");
  ee_buffer_fini(&text);
}

EE_TEST_FILE(NULL, NULL, EE_FOREIGN_TEST(test_langextract), EE_FOREIGN_TEST(test_boxes), EE_FOREIGN_TEST(test_turned),
             EE_FOREIGN_TEST(test_regions), EE_FOREIGN_TEST(test_annotators), EE_FOREIGN_TEST(test_models),
             EE_FOREIGN_TEST(test_conll), EE_FOREIGN_TEST(test_conll_u), EE_FOREIGN_TEST(test_many_columns));
