/* test_coco_join.c: COCO's annotations and results as records. */
#include "data/temporary_files.h"

#ifdef EE_WITH_ZLIB
#include <zlib.h>
#endif
#include <inttypes.h>
#include <math.h>

#include "base/memory.h"
#include "data/coco/coco.h"
#include "data/expected_set.h"
#include "data/json/json_reader.h"
#include "data/json/json_writer.h"
#include "support/random.h"

#define TRUTH names[0]
#define RESULTS names[1]

/* What came of two files. */
typedef struct joined {
  ee_buffer records;  /* a line each */
  ee_buffer messages; /* without the folder */
  ee_coco_counts counts;
  bool is_coco;
  ee_status status;
  ee_error error;
} joined;

static void joined_free(joined *j) {
  ee_buffer_fini(&j->records);
  ee_buffer_fini(&j->messages);
}

/* Appends `text` with the files called T and R. */
static void add_short(ee_buffer *out, const char *text) {
  while (*text != '\0') {
    if (strncmp(text, TRUTH, strlen(TRUTH)) == 0 || strncmp(text, RESULTS, strlen(RESULTS)) == 0) {
      ee_buffer_add_char(out, strncmp(text, TRUTH, strlen(TRUTH)) == 0 ? 'T' : 'R');
      text += strlen(TRUTH);
    } else {
      ee_buffer_add_char(out, *text++);
    }
  }
}

static void add_message(ee_buffer *out, const ee_error *error) {
  ee_buffer line = {0};
  if (error->status == EE_OK) ee_buffer_add_text(out, "warning ");
  ee_error_print(error, &line);
  add_short(out, ee_buffer_terminate(&line));
  ee_buffer_add_char(out, '\n');
  ee_buffer_fini(&line);
}

/* Reads and joins the two files; `results` false: the annotations only. */
static joined join(bool results) {
  joined j = {.status = EE_OK};
  ee_error_list told;
  ee_error_list_init(&told);
  ee_expected_set *set = ee_expected_set_open(TRUTH, NULL, NULL, &told, &j.error);
  if (set == NULL) {
    j.status = j.error.status;
  } else {
    ee_coco *coco = ee_expected_set_coco(set);
    j.is_coco = coco != NULL;
    const char *file = RESULTS;
    if (j.is_coco && results) j.status = ee_coco_join(coco, &file, 1, NULL, &told, &j.error);
    if (j.is_coco) j.counts = ee_coco_count(coco);
    while (j.is_coco && results && j.status == EE_OK && ee_coco_make_record(coco, &j.records))
      ee_buffer_add_char(&j.records, '\n');
    ee_expected_set_close(set);
  }
  for (size_t i = 0; i < told.count; i++) add_message(&j.messages, &told.items[i]);
  ee_error_list_fini(&told);
  return j;
}

static void assert_text(const ee_buffer *buffer, const char *text) {
  if (buffer->length != strlen(text) || (buffer->length > 0 && memcmp(buffer->data, text, buffer->length) != 0)) {
    fprintf(stderr, "got:\n%.*s\nexpected:\n%s\n", (int)buffer->length, buffer->data, text);
    fail();
  }
}

static void check(const char *truth, const char *results, const char *records, const char *messages) {
  write_file(TRUTH, truth, strlen(truth));
  write_file(RESULTS, results, strlen(results));
  joined j = join(true);
  if (j.status != EE_OK) print_error("%s\n", j.error.message);
  assert_int_equal(j.status, EE_OK);
  assert_true(j.is_coco);
  ee_buffer_terminate(&j.records);
  assert_text(&j.records, records);
  assert_text(&j.messages, messages);
  joined_free(&j);
}

static void check_refused(const char *truth, const char *results, const char *message, const char *messages) {
  write_file(TRUTH, truth, strlen(truth));
  write_file(RESULTS, results, strlen(results));
  joined j = join(true);
  ee_buffer got = {0};
  assert_int_not_equal(j.status, EE_OK);
  add_message(&got, &j.error);
  ee_buffer_add(&got, j.messages.data, j.messages.length);
  ee_buffer all = {0};
  ee_buffer_addf(&all, "%s\n%s", message, messages);
  assert_text(&got, ee_buffer_terminate(&all));
  ee_buffer_fini(&got);
  ee_buffer_fini(&all);
  joined_free(&j);
}

#define CATEGORIES "\"categories\":[{\"id\":1,\"name\":\"person\"},{\"id\":3,\"name\":\"car\"}]"
#define IMAGES "\"images\":[{\"id\":9,\"file_name\":\"i.jpg\"},{\"id\":2}]"

static void test_records(void **state) {
  (void)state;
  check("{\"info\":{\"a\":[1,{\"b\":\"}\"}]}," IMAGES ",\"annotations\":["
        "{\"segmentation\":[[1.5,2,3,4]],\"area\":10.50,\"iscrowd\":0,\"image_id\":2,\"bbox\":[1, "
        "2.0,3e0,4],\"category_id\":3,\"id\":70},"
        "{\"id\":71,\"image_id\":9,\"category_id\":1,\"bbox\":[0,0,5,5],\"iscrowd\":1,\"ignore\":0,\"segmentation\":{"
        "\"counts\":\"x\\u0041\",\"size\":[1,2]}},"
        "{\"image_id\":2,\"category_id\":1,\"bbox\":[9,9,9,9]}]," CATEGORIES "}",
        "[{\"image_id\":9,\"category_id\":1,\"bbox\":[0,0,5,4.999999999999999999],\"score\":0.50},\n"
        " {\"score\":1E-2,\"bbox\":[1,1,1,1],\"category_id\":3,\"image_id\":2,\"id\":4,\"area\":1},\n"
        " {\"image_id\":2,\"category_id\":1,\"bbox\":[-1,-0,1,1]}]",
        "{\"id\":2,\"expected\":["
        "{\"bbox\":[1,2.0,3e0,4],\"category\":\"car\",\"category_id\":3,\"area\":10.50,\"iscrowd\":0,\"id\":70,\"image_"
        "id\":2},"
        "{\"bbox\":[9,9,9,9],\"category\":\"person\",\"category_id\":1,\"image_id\":2}],"
        "\"candidate\":[{\"bbox\":[1,1,1,1],\"category\":\"car\",\"category_id\":3,\"score\":1E-2},"
        "{\"bbox\":[-1,-0,1,1],\"category\":\"person\",\"category_id\":1}]}\n"
        "{\"id\":9,\"expected\":["
        "{\"bbox\":[0,0,5,5],\"category\":\"person\",\"category_id\":1,\"iscrowd\":1,\"ignore\":0,\"id\":71,\"image_"
        "id\":9}],"
        "\"candidate\":[{\"bbox\":[0,0,5,4.999999999999999999],\"category\":\"person\",\"category_id\":1,\"score\":0."
        "50}]}\n",
        "");
  /* No detections, no annotations; a byte order mark; keys with escapes. */
  check("\xef\xbb\xbf\n {" CATEGORIES ",\"annot\\u0061tions\":[],\"images\":[{\"id\":1}]} \n", "[]",
        "{\"id\":1,\"expected\":[],\"candidate\":[]}\n", "");
  check("{" IMAGES ",\"annotations\":[{\"image\\u005fid\":9,\"category_id\":1,\"bb\\u006fx\":[1,2,3,4]}]," CATEGORIES
        "}",
        "",
        "{\"id\":2,\"expected\":[],\"candidate\":[]}\n"
        "{\"id\":9,\"expected\":[{\"bbox\":[1,2,3,4],\"category\":\"person\",\"category_id\":1,\"image_id\":9}],"
        "\"candidate\":[]}\n",
        "");
  /* JSONL, and nulls for what is optional. */
  check("{" IMAGES
        ",\"annotations\":[{\"image_id\":9,\"category_id\":1,\"bbox\":[1,2,3,4],\"area\":null,\"id\":null}]," CATEGORIES
        "}",
        "{\"image_id\":2,\"category_id\":1,\"bbox\":[1,2,3,4],\"score\":null}\n\n{\"image_id\":2,\"category_id\":1,"
        "\"bbox\":[5,6,7,8],\"score\":1}\n",
        "{\"id\":2,\"expected\":[],\"candidate\":[{\"bbox\":[1,2,3,4],\"category\":\"person\",\"category_id\":1},"
        "{\"bbox\":[5,6,7,8],\"category\":\"person\",\"category_id\":1,\"score\":1}]}\n"
        "{\"id\":9,\"expected\":[{\"bbox\":[1,2,3,4],\"category\":\"person\",\"category_id\":1,\"image_id\":9}],"
        "\"candidate\":[]}\n",
        "");
}

/* Ids are equal when their decimal values are, also where doubles cannot tell them apart. */
static void test_ids(void **state) {
  (void)state;
  check("{\"images\":[{\"id\":9007199254740993},{\"id\":9007199254740992},{\"id\":-4},{\"id\":1e2}],"
        "\"annotations\":[{\"image_id\":9007199254740993.0,\"category_id\":1.0,\"bbox\":[1,2,3,4]}]," CATEGORIES "}",
        "[{\"image_id\":9.007199254740992e15,\"category_id\":1,\"bbox\":[1,2,3,4]},{\"image_id\":100,\"category_id\":"
        "3e0,\"bbox\":[1,2,3,4]}]",
        "{\"id\":-4,\"expected\":[],\"candidate\":[]}\n"
        "{\"id\":100,\"expected\":[],\"candidate\":[{\"bbox\":[1,2,3,4],\"category\":\"car\",\"category_id\":3}]}\n"
        "{\"id\":9007199254740992,\"expected\":[],\"candidate\":[{\"bbox\":[1,2,3,4],\"category\":\"person\","
        "\"category_id\":1}]}\n"
        "{\"id\":9007199254740993,\"expected\":[{\"bbox\":[1,2,3,4],\"category\":\"person\",\"category_id\":1,\"image_"
        "id\":9007199254740993}],\"candidate\":[]}\n",
        "");
}

#define ONE(category) "{\"image_id\":1,\"category_id\":" category ",\"bbox\":[1,2,3,4]}"
#define GOT(name, id) "{\"bbox\":[1,2,3,4],\"category\":\"" name "\",\"category_id\":" id "}"

static void test_categories(void **state) {
  (void)state;
  /* Of one name; a plain name like one that was made; names with escapes and other scripts; ids that are not declared.
   */
  check("{\"images\":[{\"id\":1}],\"annotations\":[],\"categories\":[{\"id\":1,\"name\":\"a\"},{\"id\":2,\"name\":"
        "\"a\"},{\"id\":3,\"name\":\"a (1)\"},"
        "{\"id\":4,\"name\":\"category "
        "17\"},{\"id\":5,\"name\":\"\\u00e4\\n\\\"\"},{\"id\":6,\"name\":\"\"},{\"id\":7,\"name\":\"b\"}]}",
        "[" ONE("1") "," ONE("2") "," ONE("3") "," ONE("4") "," ONE("5") "," ONE("6") "," ONE("7") ",\n" ONE(
            "17") "," ONE("18") "," ONE("18") "]",
        "{\"id\":1,\"expected\":[],\"candidate\":[" GOT("a (1)", "1") "," GOT("a (2)", "2") "," GOT(
            "a (1) (3)", "3") "," GOT("category 17", "4") "," GOT("\xc3\xa4\\n\\\"",
                                                                  "5") "," GOT("", "6") "," GOT("b", "7") "]}\n",
        "R:2:1: category 17 is not among the categories of 'T' (detections: 1)\n"
        "R:2:50: category 18 is not among the categories of 'T' (detections: 2)\n");
  /* Without a name, or with one that is no text, the id is the name. */
  check("{\"images\":[{\"id\":1}],\"annotations\":[],\"categories\":[{\"id\":17},{\"id\":18,\"name\":null}]}",
        "[" ONE("17") "," ONE("18") "]",
        "{\"id\":1,\"expected\":[],\"candidate\":[" GOT("17", "17") "," GOT("18", "18") "]}\n", "");
  check("{\"images\":[{\"id\":1}],\n\"annotations\":[" ONE("5") "," ONE(
            "7") "],\"categories\":[{\"id\":7,\"name\":\"b\"}]}",
        "[]",
        "{\"id\":1,\"expected\":[{\"bbox\":[1,2,3,4],\"category\":\"b\",\"category_id\":7,\"image_id\":1}],"
        "\"candidate\":[]}\n",
        "T:2:16: category 5 of this annotation is not in 'categories'\n");
  check("{\"images\":[{\"id\":1}],\n\"annotations\":[" ONE("5") "]}", "[" ONE("5") "]",
        "{\"id\":1,\"expected\":[{\"bbox\":[1,2,3,4],\"category\":\"category "
        "5\",\"category_id\":5,\"image_id\":1}],\"candidate\":[" GOT("category 5", "5") "]}\n",
        "warning T: no array 'categories': categories are named by their ids\n");
}

static void test_bad_entries(void **state) {
  (void)state;
  check(
      "{\"images\":[{\"id\":1},{\"id\":\"2\"},{\"id\":1.0},{\"file_name\":\"x\"},7,{\"id\":1.5}],\n"
      "\"annotations\":[\n"
      "{\"image_id\":\"1\",\"category_id\":1,\"bbox\":[1,2,3,4]},\n"
      "{\"category_id\":1,\"bbox\":[1,2,3,4]},\n"
      "{\"image_id\":1,\"bbox\":[1,2,3,4]},\n"
      "{\"image_id\":1,\"category_id\":1},\n"
      "{\"image_id\":1,\"category_id\":1,\"bbox\":[1,2,3]},{\"image_id\":1,\"category_id\":1,\"bbox\":[1,2,3,4,5]},\n"
      "{\"image_id\":1,\"category_id\":1,\"bbox\":[1,2,\"3\",4]},\n"
      "{\"image_id\":1,\"category_id\":1,\"bbox\":[[1,2,3,4]]},\n"
      "{\"image_id\":1,\"category_id\":1,\"bbox\":\"1,2,3,4\"},\n"
      "{\"image_id\":1,\"category_id\":1,\"bbox\":[1,2,3,4],\"area\":\"5\"},\n"
      "{\"image_id\":1,\"category_id\":1,\"bbox\":[1,2,3,4],\"iscrowd\":[]},\n"
      "{\"image_id\":1,\"category_id\":1,\"bbox\":[1,2,3,4],\"id\":\"x\"},\n"
      "{\"image_id\":8,\"category_id\":1,\"bbox\":[1,2,3,4]},\n"
      "null,\n"
      "{\"image_id\":1,\"category_id\":1,\"bbox\":[1,2,3,4],\"iscrowd\":false,\"ignore\":true,\"sixsix\":1,\"id\":5}],"
      "\n"
      "\"categories\":[{\"id\":1,\"name\":\"a\"},{\"id\":1,\"name\":\"b\"},{\"id\":2},{\"id\":3,\"name\":3},{\"name\":"
      "\"x\"}]}\n",
      "[" ONE(
          "1") ",\n{\"image_id\":null},\n{\"image_id\":1,\"category_id\":1,\"bbox\":[1,2,3,4],\"score\":\"1\"},\n[1],\n"
               "{\"image_id\":1,\"category_id\":1,\"bbox\":[1,2,NaN,4]},\n{\"image_id\":1\n,\"category_id\":01},\n"
               "{\"image_id\":5,\"category_id\":1,\"bbox\":[1,2,3,4]},{\"image_id\":6,\"category_id\":1,\"bbox\":[1,2,"
               "3,4]},\n"
               "{\"image_id\":5,\"category_id\":1,\"bbox\":[1,2,3,4]}]",
      "{\"id\":1,\"expected\":[{\"bbox\":[1,2,3,4],\"category\":\"a\",\"category_id\":1,\"iscrowd\":false,\"ignore\":"
      "true,\"id\":5,"
      "\"image_id\":1}],"
      "\"candidate\":[" GOT("a", "1") "]}\n",
      "T:1:21: 'id' of this image is not a whole number of at most 18 digits\n"
      "T:1:32: duplicate id 1 in 'images', the first one counts\n"
      "T:1:43: 'id' of this image is missing\n"
      "T:1:61: this image is not an object\n"
      "T:1:63: 'id' of this image is not a whole number of at most 18 digits\n"
      "T:3:1: 'image_id' of this annotation is not a whole number of at most 18 digits\n"
      "T:4:1: 'image_id' of this annotation is missing\n"
      "T:5:1: 'category_id' of this annotation is missing\n"
      "T:6:1: 'bbox' of this annotation is missing\n"
      "T:7:1: 'bbox' of this annotation is not an array of four numbers\n"
      "T:7:47: 'bbox' of this annotation is not an array of four numbers\n"
      "T:8:1: 'bbox' of this annotation is not an array of four numbers\n"
      "T:9:1: 'bbox' of this annotation is not an array of four numbers\n"
      "T:10:1: 'bbox' of this annotation is not an array of four numbers\n"
      "T:11:1: 'area' of this annotation is not a number\n"
      "T:12:1: 'iscrowd' of this annotation is not a number\n"
      "T:13:1: 'id' of this annotation is not a number\n"
      "T:15:1: this annotation is not an object\n"
      "T:17:35: duplicate id 1 in 'categories', the first one counts\n"
      "T:17:64: 'name' of this category is not a string\n"
      "T:17:82: 'id' of this category is missing\n"
      "T:14:1: image 8 of this annotation is not in 'images'\n"
      "R:2:1: 'image_id' of this detection is missing\n"
      "R:3:1: 'score' of this detection is not a number\n"
      "R:4:1: this detection is not an object\n"
      "R:5:43: NaN is not JSON: write null\n"
      "R:7:16: leading zero in number\n"
      "R:8:1: image 5 is not among the images of 'T' (detections: 2)\n"
      "R:8:49: image 6 is not among the images of 'T' (detections: 1)\n");
  joined j = join(true);
  assert_int_equal(j.counts.images, 1);
  assert_int_equal(j.counts.annotations, 1);
  assert_int_equal(j.counts.truths_in_error, 22);
  assert_int_equal(j.counts.detections, 1);
  assert_int_equal(j.counts.detections_in_error, 5);
  assert_int_equal(j.counts.detections_without_image, 3);
  joined_free(&j);
}

static void test_refused(void **state) {
  (void)state;
  check_refused("{" IMAGES ",\n\"annotations\":[{\"image_id\":1,}]}", "[]", "T:2:30: expected a key in double quotes",
                "");
  check_refused("{" IMAGES ",\"annotations\":[{\"image_id\":1", "[]", "T:1:79: unexpected end of text", "");
  check_refused("{" IMAGES ",\"annotations\":[]", "[]", "T:1:67: unexpected end of text", "");
  check_refused("{" IMAGES "," IMAGES, "[]", "T:1:51: this array occurs twice", "");
  check_refused("{" IMAGES "," CATEGORIES "}", "[]", "T: no array 'annotations' in this COCO file", "");
  check_refused("{\"annotations\":[]," CATEGORIES "}", "[]", "T: no array 'images' in this COCO file", "");
  check_refused("{\"annotations\":[],\"images\":[]," CATEGORIES "}", "[]", "T: no image in 'images'", "");
  check_refused("{" IMAGES ",\"annotations\":[]}", "{\"id\":1,\"candidate\":[]}\n",
                "nothing in 'R' is a COCO detection: { image_id, category_id, bbox, score }",
                "warning T: no array 'categories': categories are named by their ids\n"
                "R:1:1: 'image_id' of this detection is missing\n");
}

/* Broken files with one of the lists, or none; annotations without a list of categories. */
static void test_parts_of_files(void **state) {
  (void)state;
  check_refused("{\"categories\":[{\"id\":1},]}", "[]", "T:1:25: expected a value", "");
  check_refused("{\"info\":[1,]}", "[]",
                "no record in 'T' has an id and an expected value: looked for id, case_id, caseId, eval_id, test_id "
                "(--expected-id NAME) and for expected, expected_output, reference_answer, ground_truth, gt "
                "(--expected-path PATH)",
                "T:1:12: expected a value\n");
  check_refused("{\"annotations\":[{\"image_id\":1,\"category_id\":1,\"bbox\":[1,2,3,4]}]}", "[]",
                "T: no array 'images' in this COCO file", "");
  /* Names that are empty, and equal. */
  check("{" IMAGES ",\"annotations\":[{\"image_id\":9,\"category_id\":5,\"bbox\":[1,2,3,4]}],"
        "\"categories\":[{\"id\":5,\"name\":\"\"},{\"id\":6,\"name\":\"\"}]}",
        "[]",
        "{\"id\":2,\"expected\":[],\"candidate\":[]}\n"
        "{\"id\":9,\"expected\":[{\"bbox\":[1,2,3,4],\"category\":\" (5)\",\"category_id\":5,\"image_id\":9}],"
        "\"candidate\":[]}\n",
        "");
}

/* Joins results that cannot be read, or not to their end; `interrupt` is set. */
static void test_unread_results(void **state) {
  (void)state;
  static const char truth[] = "{" IMAGES ",\"annotations\":[]," CATEGORIES "}";
  static const volatile sig_atomic_t stop = 1;
  static const struct {
    const char *file, *message;
    const volatile sig_atomic_t *interrupt;
  } cases[] = {{"/proc/self/mem", "cannot read '/proc/self/mem': Input/output error", NULL},
               {"/nowhere/results.json", "cannot open '/nowhere/results.json': No such file or directory", NULL},
               {RESULTS, "reading the results was interrupted", &stop}};
  write_file(TRUTH, truth, sizeof truth - 1);
  write_file(RESULTS, "[]", 2);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ee_error_list told;
    ee_error_list_init(&told);
    ee_expected_set *set = ee_expected_set_open(TRUTH, NULL, NULL, &told, NULL);
    assert_non_null(set);
    ee_error error = {0};
    assert_int_equal(ee_coco_join(ee_expected_set_coco(set), &cases[i].file, 1, cases[i].interrupt, &told, &error),
                     EE_ERROR_SYSTEM);
    assert_string_equal(error.message, cases[i].message);
    assert_int_equal(told.count, 0);
    ee_expected_set_close(set);
    ee_error_list_fini(&told);
  }
}

/* More mistakes between the results than are listed. */
static void test_many_mistakes(void **state) {
  (void)state;
  static const char truth[] = "{" IMAGES ",\"annotations\":[]," CATEGORIES "}";
  ee_buffer commas = {0};
  ee_buffer_add_text(&commas, "[{\"image_id\":9,\"category_id\":1,\"bbox\":[1,2,3,4],\"score\":1}");
  for (int i = 0; i < 1500; i++) ee_buffer_add_char(&commas, ',');
  ee_buffer_add_text(&commas, "1]");
  write_file(TRUTH, truth, sizeof truth - 1);
  write_file(RESULTS, commas.data, commas.length);
  joined j = join(true);
  assert_int_equal(j.status, EE_OK);
  assert_int_equal(j.counts.detections, 1);
  assert_int_equal(j.counts.detections_in_error, 1500);
  const char *end = strstr(ee_buffer_terminate(&j.messages), "warning");
  assert_non_null(end);
  assert_string_equal(
      end, "warning R:1: 499 more records could not be split off\nwarning R: 500 more detections in error\n");
  joined_free(&j);
  ee_buffer_fini(&commas);
}

#ifdef EE_WITH_ZLIB
/* Packed annotations that end in the white space before them, between two members, and in a list. */
static void test_cut_short(void **state) {
  (void)state;
  test_random random = test_random_start("coco that is cut short", 97);
  for (int kind = 0; kind < 3; kind++) {
    ee_buffer text = {0};
    for (int i = 0; kind == 0 && i < 800000; i++) ee_buffer_add_char(&text, " \n\t\r"[test_random_below(&random, 4)]);
    ee_buffer_add_text(&text, "{\"images\":[{\"id\":1}");
    for (int i = 0; kind == 2 && i < 150000; i++) ee_buffer_addf(&text, ",{\"id\":%u}", (unsigned)(i + 2));
    ee_buffer_add_text(&text, "],\"info\":\"");
    for (int i = 0; kind == 1 && i < 800000; i++)
      ee_buffer_add_char(&text, (char)('a' + test_random_below(&random, 26)));
    ee_buffer_add_text(&text, "\"}");
    gzFile file = gzopen(TRUTH, "wb");
    assert_non_null(file);
    assert_int_equal(gzwrite(file, text.data, (unsigned)text.length), text.length);
    assert_int_equal(gzclose(file), Z_OK);
    FILE *packed = fopen(TRUTH, "rb");
    assert_int_equal(fseek(packed, 0, SEEK_END), 0);
    long length = ftell(packed);
    fclose(packed);
    assert_int_equal(truncate(TRUTH, length * 3 / 4), 0);
    joined j = join(false);
    assert_int_equal(j.status, EE_ERROR_DATA);
    ee_buffer all = {0};
    add_message(&all, &j.error);
    ee_buffer_add(&all, j.messages.data, j.messages.length);
    assert_non_null(strstr(ee_buffer_terminate(&all), "compressed data in 'T' is cut short"));
    ee_buffer_fini(&all);
    ee_buffer_fini(&text);
    joined_free(&j);
  }
}
#endif

/* Files that are not COCO's, although they may look so. */
static void test_other_files(void **state) {
  (void)state;
  static const char *const texts[] = {
      "{\"id\":\"a\",\"expected\":1}",
      "{\"id\":\"a\",\"expected\":1,\"images\":[{\"id\":1}]}\n{\"id\":\"b\",\"expected\":1,\"images\":[3]}",
      "{\"images\":[1],\"annotations\":[],\"id\":\"a\",\"expected\":1}\n{\"images\":[1],\"annotations\":[]}",
      "{\"id\":\"a\",\"expected\":1,\"categories\":[]}",
      "[{\"id\":\"a\",\"expected\":1,\"images\":[],\"annotations\":[]}]",
      "{\"images\":{\"a\":[]},\"annotations\":[],\"id\":\"a\",\"expected\":1}",
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    write_file(TRUTH, texts[i], strlen(texts[i]));
    joined j = join(false);
    assert_int_equal(j.status, EE_OK);
    assert_false(j.is_coco);
    assert_text(&j.messages, i == 2 ? "T:2: record has no id: it has 'images', 'annotations'\n" : "");
    joined_free(&j);
  }
}

/* Annotations are read in pieces: every place where a piece may end. */
static void test_pieces(void **state) {
  (void)state;
  static const char rest[] =
      "\"," IMAGES ",\n\"annotations\" : [ "
      "{\"segmentation\":[[1.5,2,3,4],[]],\"text\":\"\\ud83d\\ude00\xf0\x9f\x98\x80\",\"area\":10.50,\"iscrowd\":false,"
      "\"image_id\":2,\"bbox\":[1, "
      "2.0,3e0,4],\"category_id\":3,\"id\":70},{\"image_id\":9,\"category_id\":1,\"bbox\":[0,0,5,5]} "
      "]\n,\"more\":-12.5e3,"
      "\"categories\":[{\"id\":1,\"name\":\"person\"},{\"id\":3,\"name\":\"car\"}],\"last\":[7,null,true]}\n ";
  static const char records[] = "{\"id\":2,\"expected\":[{\"bbox\":[1,2.0,3e0,4],\"category\":\"car\",\"category_id\":"
                                "3,\"area\":10.50,\"iscrowd\":false,\"id\":70,\"image_id\":2}],"
                                "\"candidate\":[]}\n"
                                "{\"id\":9,\"expected\":[{\"bbox\":[0,0,5,5],\"category\":\"person\",\"category_id\":1,"
                                "\"image_id\":9}],\"candidate\":[]}\n";
  size_t piece = 256 * 1024, length = sizeof rest - 1;
  char *text = ee_malloc(piece + length);
  write_file(RESULTS, "[]", 2);
  for (size_t cut = 0; cut <= length; cut++) {
    size_t head = piece - cut;
    memset(text, 'x', head);
    memcpy(text, "{\"info\":\"", 9);
    memcpy(text + head, rest, length);
    write_file(TRUTH, text, head + length);
    joined j = join(true);
    if (j.status != EE_OK) print_error("cut at %zu: %s\n", cut, j.error.message);
    assert_int_equal(j.status, EE_OK);
    assert_text(&j.records, records);
    assert_text(&j.messages, "");
    joined_free(&j);
  }
  ee_free(text);
}

/* A file that ends too early is never taken for a whole one. */
static void test_truncated(void **state) {
  (void)state;
  static const char text[] =
      "{" IMAGES ",\"annotations\":[{\"image_id\":2,\"category_id\":3,\"bbox\":[1,2,3,4]}]," CATEGORIES "}";
  write_file(RESULTS, "[]", 2);
  for (size_t length = 0; length < sizeof text - 1; length++) {
    write_file(TRUTH, text, length);
    joined j = join(true);
    assert_int_equal(j.status, EE_ERROR_DATA);
    joined_free(&j);
  }
}

/* Behind the first piece the text before is gone: places are still right, and what is no COCO file after all is an
 * error. */
static void test_places(void **state) {
  (void)state;
  ee_buffer text = {0};
  ee_buffer_add_text(&text, "{\"images\":[{\"id\":1}],\n\"annotations\":[\n");
  for (int i = 0; i < 20000; i++)
    ee_buffer_addf(&text, "{\"image_id\":1,\"category_id\":1,\"bbox\":[1,2,3,%d]},%s", i, i % 3 == 0 ? "\n" : "");
  size_t good = text.length;
  ee_buffer_add_text(
      &text, "{\"image_id\":1,\"category_id\":1},\n{\"image_id\":4,\"category_id\":1,\"bbox\":[1,2,3,4]}],\n" CATEGORIES
             "}\n");
  write_file(TRUTH, text.data, text.length);
  write_file(RESULTS, "[]", 2);
  joined j = join(true);
  assert_int_equal(j.status, EE_OK);
  assert_int_equal(j.counts.annotations, 20000);
  assert_text(
      &j.messages,
      "T:6670:53: 'bbox' of this annotation is missing\nT:6671:1: image 4 of this annotation is not in 'images'\n");
  joined_free(&j);

  ee_buffer_add_text(&text, "{\"id\":1}\n");
  write_file(TRUTH, text.data, text.length);
  j = join(true);
  assert_int_equal(j.status, EE_ERROR_DATA);
  assert_string_equal(j.error.message, "text after the document");
  assert_int_equal(j.error.line, 6673);
  joined_free(&j);

  text.length = good;
  ee_buffer_add_text(&text, "x");
  write_file(TRUTH, text.data, text.length);
  j = join(true);
  assert_int_equal(j.status, EE_ERROR_DATA);
  assert_int_equal(j.error.line, 6670);
  assert_int_equal(j.error.column, 53);
  joined_free(&j);
  ee_buffer_fini(&text);
}

/* Deep nesting in what is skipped, and an entry far longer than a piece. */
static void test_skipped(void **state) {
  (void)state;
  for (size_t depth = 480; depth <= 600; depth += 120) {
    ee_buffer text = {0};
    ee_buffer_add_text(&text, "{\"images\":[{\"id\":1,\"deep\":");
    for (size_t i = 0; i < depth; i++) ee_buffer_add_text(&text, "[");
    for (size_t i = 0; i < depth; i++) ee_buffer_add_text(&text, "]");
    ee_buffer_add_text(&text,
                       "}],\"annotations\":[{\"image_id\":1,\"category_id\":1,\"bbox\":[1,2,3,4],\"segmentation\":[");
    for (int i = 0; i < 300000; i++) ee_buffer_addf(&text, "%d,", i);
    ee_buffer_add_text(&text, "0]}]," CATEGORIES "}");
    write_file(TRUTH, text.data, text.length);
    write_file(RESULTS, "[]", 2);
    joined j = join(true);
    assert_int_equal(j.status, depth < 512 ? EE_OK : EE_ERROR_DATA);
    if (depth < 512) assert_int_equal(j.counts.annotations, 1);
    if (depth > 512) assert_string_equal(j.error.message, "nesting deeper than 512");
    joined_free(&j);
    ee_buffer_fini(&text);
  }
}

/* Very many images, and errors without end. */
static void test_many(void **state) {
  (void)state;
  ee_buffer text = {0};
  ee_buffer_add_text(&text, "{\"images\":[");
  for (int i = 0; i < 200000; i++) ee_buffer_addf(&text, "%s{\"id\":%d}", i > 0 ? "," : "", (i * 7919) % 200003);
  ee_buffer_add_text(&text, "],\"annotations\":[],\"categories\":[]}");
  write_file(TRUTH, text.data, text.length);
  ee_buffer_clear(&text);
  ee_buffer_add_text(&text, "[" ONE("1"));
  for (int i = 0; i < 5000; i++)
    ee_buffer_addf(&text, ",\n{\"image_id\":%d},{\"image_id\":%d,\"category_id\":1,\"bbox\":[1,2,3,4]}", i, 300000 + i);
  ee_buffer_add_text(&text, "]");
  write_file(RESULTS, text.data, text.length);
  joined j = join(true);
  assert_int_equal(j.status, EE_OK);
  assert_int_equal(j.counts.images, 200000);
  assert_int_equal(j.counts.detections_in_error, 5000 + 1);
  assert_int_equal(j.counts.detections_without_image, 5000);
  size_t lines = 0;
  for (size_t i = 0; i < j.messages.length; i++) lines += j.messages.data[i] == '\n';
  assert_int_equal(lines, 1000 + 1 + 1000 + 1 + 1);
  ee_buffer_terminate(&j.messages);
  assert_non_null(strstr(j.messages.data, "warning R: 4000 more detections in error\n"));
  assert_non_null(strstr(j.messages.data, "warning 4000 more images of detections in error\n"));
  joined_free(&j);
  ee_buffer_fini(&text);
}

/* Results as an array, from which detections are taken as they are read, and as lines, which are records first: each on
 * a line of its own, so that the messages are the same, too. */
static void add_found(test_random *random, ee_buffer *out) {
  static const char *const odd[] = {
      "{\"image_id\":1,\"category_id\":1,\"bbox\":[1,2,3],\"score\":0.5}",
      "{\"image_id\":77,\"category_id\":1,\"bbox\":[1,2,3,4],\"score\":0.5}",
      "{\"image_id\":1,\"category_id\":99,\"bbox\":[1,2,3,4],\"score\":0.5}",
      "{\"image_id\":\"1\",\"category_id\":1,\"bbox\":[1,2,3,4],\"score\":0.5}",
      "{\"image_id\":1.5,\"category_id\":1,\"bbox\":[1,2,3,4],\"score\":0.5}",
      "{\"image_id\":1234567890123456789,\"category_id\":1,\"bbox\":[1,2,3,4],\"score\":0.5}",
      "{\"image_id\":2,\"category_id\":1,\"bbox\":[1,2,3,4],\"score\":\"high\"}",
      "{\"image_id\":2,\"category_id\":1,\"bbox\":[1,2,3,4],\"score\":NaN}",
      "{\"image_id\":2,\"category_id\":1,\"bbox\":[1,2,3,04],\"score\":0.5}",
      "{\"image_id\":2,\"category_id\":1,\"bbox\":null,\"score\":0.5}",
      "{\"image_id\":2,\"category_id\":1,\"bbox\":[1,2,3,4],\"score\":0.5,}",
      "7",
      "[{\"image_id\":2}]",
      "null"};
  static const char *const usual[] = {"{\"image_id\":%d,\"category_id\":%d,\"bbox\":[%d.%d,2.50,-3e1,4],\"score\":0.5}",
                                      "{\"image_id\": %d, \"category_id\": %d, \"bbox\": [%d.%d, 2, 0.5, 4]}",
                                      "{\"image\\u005fid\":%d,\"category_id\":%d,\"bbox\":[%d,%d,3,4],\"score\":null}",
                                      "{\"image_id\":%d,\"category_id\":%d,\"bbox\":[%d,%d,3,4],\"image_id\":1}",
                                      "{\"image_id\":%d,\"category_id\":%d,\"s\":\"}],[{ \\\"\",\"bbox\":[%d,%d,3,4]}"};
  size_t way = test_random_below(random, 60);
  if (way < sizeof odd / sizeof *odd && test_random_below(random, 3) == 0)
    ee_buffer_add_text(out, odd[way]);
  else {
    /* One after the other: the order in which arguments are computed is the compiler's. */
    int image = 1 + (int)test_random_below(random, 4), category = 1 + (int)test_random_below(random, 3);
    int x = (int)test_random_below(random, 1000), y = (int)test_random_below(random, 100);
    ee_buffer_addf(out, usual[way < 5 ? way : way & 1], image, category, x, y);
  }
}

static void test_taken(void **state) {
  (void)state;
  test_random random = test_random_start("coco taken", 33);
  static const char truth[] = "{" CATEGORIES ",\"images\":[{\"id\":1},{\"id\":2},{\"id\":3}],\"annotations\":[]}";
  write_file(TRUTH, truth, strlen(truth));
  for (int round = 0; round < 40; round++) {
    ee_buffer array = {0}, lines = {0};
    size_t count = round % 4 == 0 ? 6000 : 1 + test_random_below(&random, 100); /* 6,000 are several blocks */
    ee_buffer_add_text(&array, "[\n");
    ee_buffer_add_text(&lines, "\n");
    for (size_t i = 0; i < count; i++) {
      size_t from = lines.length;
      if (i == 0) /* the file is lines of JSON */
        ee_buffer_add_text(&lines, ONE("1"));
      else
        add_found(&random, &lines);
      ee_buffer_add(&array, lines.data + from, lines.length - from);
      ee_buffer_add_text(&array, i + 1 < count ? ",\n" : "\n]");
      ee_buffer_add_char(&lines, '\n');
    }
    write_file(RESULTS, array.data, array.length);
    joined taken = join(true);
    write_file(RESULTS, lines.data, lines.length);
    joined split = join(true);
    assert_int_equal(taken.status, split.status);
    assert_int_equal(taken.counts.detections, split.counts.detections);
    assert_int_equal(taken.counts.detections_in_error, split.counts.detections_in_error);
    assert_int_equal(taken.counts.detections_without_image, split.counts.detections_without_image);
    assert_text(&taken.records, ee_buffer_terminate(&split.records));
    assert_text(&taken.messages, ee_buffer_terminate(&split.messages));
    joined_free(&taken);
    joined_free(&split);
    ee_buffer_fini(&array);
    ee_buffer_fini(&lines);
  }
}

/* Entries over several lines, as json.dump(indent=...) writes them, and such with much else in them: lines are counted,
 * and none is lost where a block ends. */
static void test_taken_with_lines(void **state) {
  (void)state;
  static const char truth[] = "{" CATEGORIES ",\"images\":[{\"id\":1}],\"annotations\":[]}";
  write_file(TRUTH, truth, strlen(truth));
  for (int length = 0; length <= 6000; length += 3000) {
    ee_buffer text = {0}, wanted = {0};
    char counts[6001];
    memset(counts, 'x', (size_t)length);
    counts[length] = '\0';
    ee_buffer_add_text(&text, "[\n");
    for (int i = 0; i < 200; i++)
      ee_buffer_addf(&text,
                     "  {\n    \"image_id\": 1,\n    \"category_id\": 1,\n    \"bbox\": [\n      1, 2,\n      3, 4\n"
                     "    ],\n    \"score\": 0.%d,\n    \"counts\": \"%s\"\n  },\n",
                     1 + i % 9, counts);
    ee_buffer_add_text(&text, "  {\"image_id\": 1, \"category_id\": 1, \"score\": 1}\n]\n");
    write_file(RESULTS, text.data, text.length);
    joined j = join(true);
    assert_int_equal(j.status, EE_OK);
    assert_int_equal(j.counts.detections, 200);
    assert_int_equal(j.counts.detections_in_error, 1);
    ee_buffer_addf(&wanted, "R:%d:3: 'bbox' of this detection is missing\n", 2 + 200 * 10);
    assert_text(&j.messages, ee_buffer_terminate(&wanted));
    joined_free(&j);
    ee_buffer_fini(&text);
    ee_buffer_fini(&wanted);
  }
}

/* The file ends right after what was before a value in the entry before: 32 bytes, which are compared at once. */
static void test_cut_after_a_step(void **state) {
  (void)state;
  static const char truth[] = "{" CATEGORIES ",\"images\":[{\"id\":1}],\"annotations\":[]}";
  static const char step[] = ",\"abcdefghijklmnopqrstuvwxyza\": ";
  assert_int_equal(sizeof step - 1, 32);
  ee_buffer text = {0};
  ee_buffer_addf(&text, "[{\"image_id\":1,\"category_id\":1,\"bbox\":[1,2,3,4],\"score\":1%s1},\n", step);
  ee_buffer_addf(&text, "{\"image_id\":1,\"category_id\":1,\"bbox\":[1,2,3,4],\"score\":1%s", step);
  write_file(TRUTH, truth, strlen(truth));
  write_file(RESULTS, text.data, text.length);
  joined j = join(true);
  assert_int_equal(j.counts.detections, 1);
  assert_non_null(strstr(ee_buffer_terminate(&j.messages), "R:2:"));
  joined_free(&j);
  ee_buffer_fini(&text);
}

/* The twin ------------------------------------------------------------------------------------- */

typedef struct twin_item {
  int64_t image, category;
  int number;
  bool scored;
} twin_item;

static void print_item(test_random *random, ee_buffer *out, const twin_item *item, bool detection) {
  char members[5][80];
  size_t count = 0;
  snprintf(members[count++], 80, "\"image_id\":%" PRId64 "%s", item->image,
           test_random_below(random, 4) == 0 ? ".0" : "");
  snprintf(members[count++], 80, "\"category_id\": %" PRId64, item->category);
  snprintf(members[count++], 80, "\"bbox\":[%d, 2.50,3,4]", item->number);
  if (item->scored) snprintf(members[count++], 80, detection ? "\"score\":0.%d" : "\"area\" :%d.0", item->number);
  if (test_random_below(random, 2) == 0) snprintf(members[count++], 80, "\"other\":[[1,2.5],{\"id\":7,\"bbox\":0}]");
  for (size_t i = count; i > 1; i--) {
    size_t other = test_random_below(random, i);
    char kept[80];
    memcpy(kept, members[i - 1], 80);
    memcpy(members[i - 1], members[other], 80);
    memcpy(members[other], kept, 80);
  }
  ee_buffer_add_char(out, '{');
  for (size_t i = 0; i < count; i++) ee_buffer_addf(out, "%s%s", i > 0 ? "," : "", members[i]);
  ee_buffer_add_char(out, '}');
}

static void print_items(test_random *random, ee_buffer *out, const twin_item *items, size_t count, bool detections) {
  ee_buffer_add_char(out, '[');
  for (size_t i = 0; i < count; i++) {
    if (i > 0) ee_buffer_add_text(out, test_random_below(random, 3) == 0 ? ",\n" : ",");
    print_item(random, out, &items[i], detections);
  }
  ee_buffer_add_char(out, ']');
}

static void twin_list(ee_buffer *out, int64_t image, const twin_item *items, size_t count,
                      const char *const *categories, bool detections) {
  bool first = true;
  for (size_t i = 0; i < count; i++) {
    if (items[i].image != image || categories[items[i].category] == NULL) continue;
    ee_buffer_addf(out, "%s{\"bbox\":[%d,2.50,3,4],\"category\":\"%s\",\"category_id\":%" PRId64, first ? "" : ",",
                   items[i].number, categories[items[i].category], items[i].category);
    first = false;
    if (items[i].scored) ee_buffer_addf(out, detections ? ",\"score\":0.%d" : ",\"area\":%d.0", items[i].number);
    if (!detections) ee_buffer_addf(out, ",\"image_id\":%" PRId64, image);
    ee_buffer_add_char(out, '}');
  }
}

static void make_items(test_random *random, twin_item *items, size_t count, const int64_t *images, size_t image_count) {
  for (size_t i = 0; i < count; i++)
    items[i] = (twin_item){.image = images[test_random_below(random, image_count + 1)], /* one is in no list */
                           .category = (int64_t)test_random_below(random, 6),
                           .number = (int)i,
                           .scored = test_random_below(random, 5) > 0};
}

/* Random files against a join that looks at every item for every image. */
static void test_twin(void **state) {
  (void)state;
  test_random random = test_random_start("coco_join", 21);
  static const char *const categories[] = {NULL, "cat", "dog (2)", "dog (3)", "bird", NULL};
  static const char list[] = "\"categories\":[{\"id\":1,\"name\":\"cat\"},{\"id\":2,\"name\":\"dog\"},{\"id\":3,"
                             "\"name\":\"dog\"},{\"id\":4,\"name\":\"bird\"}]";
  enum { MOST = 200 };
  for (int round = 0; round < 400; round++) {
    size_t image_count = 1 + test_random_below(&random, 40);
    int64_t images[41];
    twin_item objects[MOST], detections[MOST];
    for (size_t i = 0; i < image_count; i++) images[i] = (int64_t)(i * 37 % 41) * 1000003 - 5000;
    images[image_count] = 77;
    size_t object_count = test_random_below(&random, MOST), detection_count = test_random_below(&random, MOST);
    make_items(&random, objects, object_count, images, image_count);
    make_items(&random, detections, detection_count, images, image_count);

    ee_buffer parts[3] = {{0}}, text = {0}, twin = {0};
    ee_buffer_add_text(&parts[0], "\"images\":[");
    for (size_t i = 0; i < image_count; i++)
      ee_buffer_addf(&parts[0], "%s{\"id\":%" PRId64 "}", i > 0 ? "," : "", images[i]);
    ee_buffer_add_char(&parts[0], ']');
    ee_buffer_add_text(&parts[1], "\"annotations\":");
    print_items(&random, &parts[1], objects, object_count, false);
    ee_buffer_add_text(&parts[2], list);
    size_t turn = test_random_below(&random, 3);
    for (size_t i = 0; i < 3; i++) {
      ee_buffer_add_char(&text, i == 0 ? '{' : ',');
      ee_buffer_add(&text, parts[(i + turn) % 3].data, parts[(i + turn) % 3].length);
      ee_buffer_fini(&parts[(i + turn) % 3]);
    }
    ee_buffer_add_char(&text, '}');
    write_file(TRUTH, text.data, text.length);
    ee_buffer_clear(&text);
    print_items(&random, &text, detections, detection_count, true);
    write_file(RESULTS, text.data, text.length);
    ee_buffer_fini(&text);

    for (int64_t rank = 0; rank < 41; rank++) {
      int64_t image = rank * 1000003 - 5000;
      bool there = false;
      for (size_t i = 0; i < image_count; i++) there = there || images[i] == image;
      if (!there) continue;
      ee_buffer_addf(&twin, "{\"id\":%" PRId64 ",\"expected\":[", image);
      twin_list(&twin, image, objects, object_count, categories, false);
      ee_buffer_add_text(&twin, "],\"candidate\":[");
      twin_list(&twin, image, detections, detection_count, categories, true);
      ee_buffer_add_text(&twin, "]}\n");
    }
    joined j = join(true);
    assert_int_equal(j.status, EE_OK);
    assert_text(&j.records, ee_buffer_terminate(&twin));
    size_t strangers = 0, undeclared = 0;
    for (size_t i = 0; i < object_count; i++)
      strangers += objects[i].image == 77 || categories[objects[i].category] == NULL;
    assert_int_equal(j.counts.truths_in_error, strangers);
    strangers = 0;
    for (size_t i = 0; i < detection_count; i++) {
      strangers += detections[i].image == 77;
      undeclared += detections[i].image != 77 && categories[detections[i].category] == NULL;
    }
    assert_int_equal(j.counts.detections_without_image, strangers);
    assert_int_equal(j.counts.detections_in_error, undeclared);
    assert_int_equal(j.counts.detections, detection_count - strangers - undeclared);
    joined_free(&j);
    ee_buffer_fini(&twin);
  }
}

/* The twin that reads trees ---------------------------------------------------------------------- */

/* Files of one entry a line, odd and broken ones among them, against the same read into trees. */

static const char *pick(test_random *random, const char *const *texts, size_t count) {
  return texts[test_random_below(random, count)];
}
#define PICK(texts) pick(random, texts, sizeof texts / sizeof *texts)

/* Odd values are rare, so that most entries are good. */
static const char *odd_or(test_random *random, const char *good) {
  static const char *const odd[] = {"null", "true", "false", "\"2\"", "[]", "{}",   "1.5", "1e30",       "[1,2,3]",
                                    "-",    "01",   "1.",    "NaN",   "'1", "\"\n", "tru", "[1,2,3,4,5]"};
  return test_random_below(random, 25) > 0 ? good : PICK(odd);
}

static void add_number(test_random *random, ee_buffer *out) {
  static const char *const numbers[] = {"0", "-0", "1.25", "-3", "4e1", "1E-2", "640.00", "0.12345678901234567890"};
  if (test_random_below(random, 2) == 0)
    ee_buffer_addf(out, "%zu.%zu", test_random_below(random, 1000), test_random_below(random, 1000));
  else
    ee_buffer_add_text(out, PICK(numbers));
}

/* How the file is written; some entries are written in another way. */
typedef struct layout {
  const char *before_colon, *after_colon, *after_comma;
  size_t turn; /* of the members */
} layout;

static layout random_layout(test_random *random) {
  static const char *const spaces[] = {"", "", " ", "  ", "\t"};
  return (layout){PICK(spaces), PICK(spaces), PICK(spaces), test_random_below(random, 8)};
}

static void add_entry(test_random *random, const layout *usual, ee_buffer *out) {
  static const char *const keys[] = {"image_id", "category_id", "bbox", "score", "area", "iscrowd", "ignore", "id"};
  static const char *const images[] = {"2", "9", "9", "2.0", "0.9e1", "77"};
  static const char *const categories[] = {"1", "3", "3", "30e-1", "4"};
  static const char *const rest[] = {"0", "1", "0.5", "true", "0.12345678901234567"};
  static const char *const others[] = {"[[1.5,22.75,3,4]]", "{\"counts\":\"a\\\"]}\",\"size\":[1,2]}", "\"\xc3\xa9\"",
                                       "[]", "12345678901234567890123456789012345678901234567890"};
  enum { KEYS = sizeof keys / sizeof *keys };
  layout way = test_random_below(random, 5) == 0 ? random_layout(random) : *usual;
  ee_buffer_add_char(out, '{');
  if (test_random_below(random, 40) == 0)
    for (size_t i = 0; i < 20; i++) ee_buffer_addf(out, "\"one of many members that say nothing, %zu\" :  %zu,", i, i);
  bool first = true;
  for (size_t i = 0; i < KEYS; i++) {
    size_t key = (i + way.turn) % KEYS;
    if (test_random_below(random, key < 3 ? 60 : 4) == 0) continue;
    if (!first) ee_buffer_addf(out, ",%s", way.after_comma);
    first = false;
    bool escaped = test_random_below(random, 20) == 0, other = test_random_below(random, 20) == 0;
    if (other) ee_buffer_addf(out, "\"segmentation\":%s,", PICK(others));
    ee_buffer_addf(out, "\"%s%s\"%s:%s", escaped ? (keys[key][0] == 'i' ? "\\u0069" : "") : "",
                   keys[key] + (escaped && keys[key][0] == 'i'), way.before_colon, way.after_colon);
    if (key == 0) ee_buffer_add_text(out, odd_or(random, PICK(images)));
    if (key == 1) ee_buffer_add_text(out, odd_or(random, PICK(categories)));
    if (key > 2) ee_buffer_add_text(out, odd_or(random, PICK(rest)));
    if (key != 2) continue;
    const char *box = odd_or(random, NULL);
    if (box != NULL) ee_buffer_add_text(out, box);
    for (size_t k = 0; k < 4 && box == NULL; k++) {
      ee_buffer_add_text(out, k == 0 ? "[" : ",");
      ee_buffer_add_text(out, k == 0 ? "" : way.after_comma);
      add_number(random, out);
    }
    if (box == NULL) ee_buffer_add_char(out, ']');
  }
  ee_buffer_add_char(out, '}');
  if (test_random_below(random, 20) == 0)
    out->data[out->length - 1 - test_random_below(random, 9)] = " \n"[test_random_below(random, 2)];
}

static const ee_value *member_of(const ee_value *entry, const char *key) {
  const ee_value *found = ee_value_member(entry, ee_str_from(key), NULL);
  return ee_type_of(found) == EE_NULL ? NULL : found;
}

static bool is_id(const ee_value *value, int64_t *id) {
  double number = value != NULL && ee_type_of(value) == EE_NUMBER ? ee_value_number(value) : 0.5;
  *id = fabs(number) < 1e18 ? (int64_t)number : 0;
  return fabs(number) < 1e18 && (double)*id == number;
}

static bool has_type(const ee_value *value, bool flag) {
  ee_type type = ee_type_of(value);
  return value == NULL || type == EE_NUMBER || (flag && (type == EE_TRUE || type == EE_FALSE));
}

#define FAULT 200
/* What is wrong with an entry, as the messages end; NULL: nothing. */
static const char *find_fault(const ee_value *entry, bool detection, int64_t *image, int64_t *category, char *fault) {
  const char *const ids[] = {"image_id", "category_id"};
  for (size_t i = 0; i < 2; i++) {
    const ee_value *value = member_of(entry, ids[i]);
    if (is_id(value, i == 0 ? image : category)) continue;
    snprintf(fault, FAULT, "'%s' of this %s %s", ids[i], detection ? "detection" : "annotation",
             value == NULL ? "is missing" : "is not a whole number of at most 18 digits");
    return fault;
  }
  const ee_value *box = member_of(entry, "bbox");
  bool good = ee_type_of(box) == EE_ARRAY && ee_value_count(box) == 4;
  for (const ee_value *number = good ? ee_value_child(box) : NULL; number != NULL; number = ee_value_next(number))
    good = good && ee_type_of(number) == EE_NUMBER;
  const char *bad = good ? NULL : "bbox", *why = box == NULL ? "is missing" : "is not an array of four numbers";
  const char *const numbers[] = {"area", "iscrowd", "ignore", "id"};
  if (bad == NULL) why = "is not a number";
  if (bad == NULL && detection && !has_type(member_of(entry, "score"), false)) bad = "score";
  for (size_t i = 0; i < 4 && bad == NULL && !detection; i++)
    if (!has_type(member_of(entry, numbers[i]), i == 1 || i == 2)) bad = numbers[i];
  if (bad == NULL) return NULL;
  snprintf(fault, FAULT, "'%s' of this %s %s", bad, detection ? "detection" : "annotation", why);
  return fault;
}

/* The entry as it is in a record, or NULL if it is not in one of `image`. */
static ee_value *twin_entry(ee_arena *arena, const ee_value *entry, bool detection, int64_t image) {
  int64_t own_image = 0, category = 0;
  char fault[FAULT];
  if (ee_type_of(entry) != EE_OBJECT || find_fault(entry, detection, &own_image, &category, fault) != NULL) return NULL;
  if (own_image != image || (category != 1 && category != 3)) return NULL;
  const char *const kept[] = {"bbox", "score", "area", "iscrowd", "ignore", "id"};
  ee_value *made = ee_value_new(arena, EE_OBJECT);
  for (size_t i = 0; i < 6; i++) {
    const ee_value *value = member_of(entry, kept[i]);
    if (value == NULL || (detection ? i > 1 : i == 1)) continue;
    ee_value_set(arena, made, ee_str_from(kept[i]), ee_value_copy(arena, value));
  }
  ee_value_set(arena, made, EE_STR("category"),
               ee_value_new_string(arena, ee_str_from(category == 1 ? "person" : "car")));
  ee_value_set(arena, made, EE_STR("category_id"), ee_value_new_number(arena, (double)category));
  if (!detection) ee_value_set(arena, made, EE_STR("image_id"), ee_value_new_number(arena, (double)image));
  return made;
}

/* Compares a list of a record with the entries of `list` that belong into it. */
static void check_list(ee_arena *arena, const ee_value *got, const ee_value *list, bool detection, int64_t image) {
  got = ee_value_child(got);
  for (const ee_value *entry = ee_value_child(list); entry != NULL; entry = ee_value_next(entry)) {
    const ee_value *made = twin_entry(arena, entry, detection, image);
    if (made == NULL) continue;
    assert_true(got != NULL && ee_value_equal(got, made));
    got = ee_value_next(got);
  }
  assert_null(got);
}

/* Counts the entry, and returns whether it is in a record. */
static bool count_entry(const ee_value *entry, bool detection, uint64_t *in_error, uint64_t *without_image,
                        char *fault) {
  int64_t image = 0, category = 0;
  snprintf(fault, FAULT, "this %s is not an object", detection ? "detection" : "annotation");
  if (ee_type_of(entry) != EE_OBJECT || find_fault(entry, detection, &image, &category, fault) != NULL)
    return ++*in_error, false;
  fault[0] = '\0';
  if (image != 2 && image != 9) return ++*without_image, false;
  if (category != 1 && category != 3) return ++*in_error, false;
  return true;
}

/* That the line's message is among those of `j`. */
static void check_message(joined *j, size_t line, size_t column, const char *message) {
  ee_buffer expected = {0};
  ee_buffer_addf(&expected, "R:%zu:%zu: %s\n", line, column, message);
  if (strstr(ee_buffer_terminate(&j->messages), ee_buffer_terminate(&expected)) == NULL)
    fail_msg("no '%s' in:\n%s", expected.data, j->messages.data);
  ee_buffer_fini(&expected);
}

/* Reads the lines of `text` into trees, as an array; checks counts and messages. */
static ee_value *check_results(ee_arena *arena, const ee_buffer *text, joined *j) {
  ee_value *list = ee_value_new(arena, EE_ARRAY);
  uint64_t in_error = 0, without_image = 0, kept = 0;
  const char *end = text->data + text->length;
  size_t line = 1;
  for (const char *at = text->data, *stop; at < end; at = stop + 1, line++) {
    stop = memchr(at, '\n', (size_t)(end - at));
    ee_str all = {at, (size_t)(stop - at)};
    if (ee_json_is_blank(all)) continue;
    ee_error error;
    char fault[FAULT];
    ee_value *entry = ee_json_read(arena, all, NULL, &error);
    if (entry == NULL) {
      in_error++;
      check_message(j, line, error.column, error.message);
      continue;
    }
    kept += count_entry(entry, true, &in_error, &without_image, fault);
    if (fault[0] != '\0') check_message(j, line, 1, fault);
    ee_value_append(list, entry);
  }
  assert_int_equal(j->counts.detections, kept);
  assert_int_equal(j->counts.detections_in_error, in_error);
  assert_int_equal(j->counts.detections_without_image, without_image);
  return list;
}

static void test_trees(void **state) {
  (void)state;
  test_random random = test_random_start("coco_join trees", 23);
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_buffer truth = {0}, results = {0};
  size_t refused = 0;
  for (int round = 0; round < 2000; round++, ee_arena_reset(&arena, 0)) {
    layout usual = random_layout(&random);
    ee_buffer_clear(&truth);
    ee_buffer_clear(&results);
    ee_buffer_add_text(&truth, "{" IMAGES ",\n\"annotations\":[\n");
    for (size_t i = 0, count = test_random_below(&random, 8); i < count; i++) {
      if (i > 0) ee_buffer_add_text(&truth, ",\n");
      add_entry(&random, &usual, &truth);
    }
    ee_buffer_add_text(&truth, "],\n" CATEGORIES "}");
    usual = random_layout(&random);
    ee_buffer_add_text(&results, "{\"image_id\":2,\"category_id\":1,\"bbox\":[1,2,3,4]}\n");
    for (size_t i = 0, count = test_random_below(&random, 20); i < count; i++) {
      add_entry(&random, &usual, &results);
      ee_buffer_add_char(&results, '\n');
    }
    write_file(TRUTH, truth.data, truth.length);
    write_file(RESULTS, results.data, results.length);
    joined j = join(true);
    ee_error error;
    const ee_value *tree = ee_json_read(&arena, (ee_str){truth.data, truth.length}, NULL, &error);
    if (tree == NULL) {
      refused++;
      assert_int_equal(j.status, EE_ERROR_DATA);
      assert_string_equal(j.error.message, error.message);
      assert_int_equal(j.error.line, error.line);
      assert_int_equal(j.error.column, error.column);
    } else {
      assert_int_equal(j.status, EE_OK);
      const ee_value *objects = member_of(tree, "annotations"), *detections = check_results(&arena, &results, &j);
      uint64_t in_error = 0, kept = 0;
      char fault[FAULT];
      for (const ee_value *entry = ee_value_child(objects); entry != NULL; entry = ee_value_next(entry))
        kept += count_entry(entry, false, &in_error, &in_error, fault);
      assert_int_equal(j.counts.annotations, kept);
      assert_int_equal(j.counts.truths_in_error, in_error);
      const char *second = memchr(j.records.data, '\n', j.records.length);
      ee_str records[] = {{j.records.data, (size_t)(second - j.records.data)},
                          {second, j.records.length - (size_t)(second - j.records.data)}};
      for (size_t i = 0; i < 2; i++) {
        const ee_value *record = ee_json_read(&arena, records[i], NULL, NULL);
        check_list(&arena, member_of(record, "expected"), objects, false, i == 0 ? 2 : 9);
        check_list(&arena, member_of(record, "candidate"), detections, true, i == 0 ? 2 : 9);
      }
    }
    joined_free(&j);
  }
  assert_in_range(refused, 200, 1800);
  ee_buffer_fini(&truth);
  ee_buffer_fini(&results);
  ee_arena_fini(&arena);
}

/* Random changes of bytes: nothing but a refusal, or records that are JSON. */
static void test_random_bytes(void **state) {
  (void)state;
  test_random random = test_random_start("coco_join bytes", 22);
  static const char truth[] = "{" IMAGES ",\"annotations\":[{\"segmentation\":[[1.5,2,3,4]],\"area\":10.50,\"iscrowd\":"
                              "0,\"image_id\":2,\"bbox\":[1,2,3,4],"
                              "\"category_id\":3,\"id\":70}]," CATEGORIES "}";
  static const char results[] = "[{\"image_id\":9,\"category_id\":1,\"bbox\":[0,0,5,4.99],\"score\":0.50},{\"image_"
                                "id\":2,\"category_id\":1,\"bbox\":[0,0,5,4]}]";
  static const char bytes[] = "[]{},:\"\\0123456789.-+eE \n\x01\x80\xff";
  ee_arena arena;
  ee_arena_init(&arena, 0);
  for (int round = 0; round < 3000; round++) {
    char texts[2][400];
    memcpy(texts[0], truth, sizeof truth);
    memcpy(texts[1], results, sizeof results);
    for (size_t changes = 1 + test_random_below(&random, 3); changes > 0; changes--) {
      bool first = test_random_below(&random, 2) == 0;
      size_t length = first ? sizeof truth - 1 : sizeof results - 1;
      texts[first ? 0 : 1][test_random_below(&random, length)] = bytes[test_random_below(&random, sizeof bytes - 1)];
    }
    write_file(TRUTH, texts[0], sizeof truth - 1);
    write_file(RESULTS, texts[1], sizeof results - 1);
    joined j = join(true);
    for (size_t at = 0; at < j.records.length;) {
      const char *start = j.records.data + at, *newline = memchr(start, '\n', j.records.length - at);
      ee_error error;
      if (ee_json_read(&arena, (ee_str){start, (size_t)(newline - start)}, NULL, &error) == NULL) {
        print_error("%s\n%s\n%.*s: %s\n", texts[0], texts[1], (int)(newline - start), start, error.message);
        fail();
      }
      at += (size_t)(newline - start) + 1;
      ee_arena_reset(&arena, 0);
    }
    joined_free(&j);
  }
  ee_arena_fini(&arena);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_records),
    cmocka_unit_test(test_ids),
    cmocka_unit_test(test_categories),
    cmocka_unit_test(test_bad_entries),
    cmocka_unit_test(test_refused),
    cmocka_unit_test(test_parts_of_files),
    cmocka_unit_test(test_unread_results),
    cmocka_unit_test(test_many_mistakes),
#ifdef EE_WITH_ZLIB
    cmocka_unit_test(test_cut_short),
#endif
    cmocka_unit_test(test_other_files),
    cmocka_unit_test(test_pieces),
    cmocka_unit_test(test_truncated),
    cmocka_unit_test(test_places),
    cmocka_unit_test(test_skipped),
    cmocka_unit_test(test_many),
    cmocka_unit_test(test_twin),
    cmocka_unit_test(test_random_bytes),
    cmocka_unit_test(test_trees),
    cmocka_unit_test(test_taken),
    cmocka_unit_test(test_taken_with_lines),
    cmocka_unit_test(test_cut_after_a_step),
};
EE_TEST_ARRAY(set_up, tear_down, tests);
