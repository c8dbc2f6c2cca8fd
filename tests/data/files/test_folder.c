/* test_folder.c: which files of a directory are data, and what their ids are. */
#include <sys/stat.h>

#include "data/files/dataset.h"
#include "data/temporary_files.h"

static char directory[300];

/* Writes "d/PATH", after its folder. */
static void put(const char *path, const char *text) {
  char name[900];
  snprintf(name, sizeof name, "%s/%s", directory, path);
  for (char *slash = name + strlen(directory) + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
    *slash = '\0';
    mkdir(name, 0700);
    *slash = '/';
  }
  write_file(name, text, strlen(text));
}

static void put_link(const char *path, const char *target) {
  char name[900];
  snprintf(name, sizeof name, "%s/%s", directory, path);
  assert_int_equal(symlink(target, name), 0);
}

static void start(void) {
  snprintf(directory, sizeof directory, "%s/d", folder);
  assert_int_equal(mkdir(directory, 0700), 0);
}

static void finish(void) {
  char command[400];
  snprintf(command, sizeof command, "rm -r '%s'", directory);
  assert_int_equal(system(command), 0);
}

/* The ids of the files, in order, and what was said of the others. Ends the directory. */
static void check(const char *ids, const char *note) {
  ee_error error = {0};
  ee_dataset *dataset = ee_dataset_open((const char *const[]){directory}, 1, &error);
  if (dataset == NULL) print_error("%s\n", error.message);
  assert_non_null(dataset);
  ee_buffer all = {0};
  for (size_t i = 0; i < ee_dataset_file_count(dataset); i++) {
    ee_str id = ee_dataset_file_id(dataset, i);
    ee_buffer_addf(&all, "%.*s ", (int)id.length, id.data);
  }
  assert_string_equal(ee_buffer_terminate(&all), ids);
  const ee_error_list *notes = ee_dataset_notes(dataset);
  assert_string_equal(notes->count > 0 ? notes->items[0].message : "", note);
  ee_buffer_fini(&all);
  ee_dataset_close(dataset);
  finish();
}

/* `wanted`: the message, in which D is the directory. */
static void check_refused(const char *wanted) {
  ee_error error = {0};
  assert_null(ee_dataset_open((const char *const[]){directory}, 1, &error));
  assert_int_equal(error.status, EE_ERROR_SYSTEM);
  char message[2000];
  const char *at = strstr(wanted, "D");
  snprintf(message, sizeof message, "%.*s%s%s", (int)(at - wanted), wanted, directory, at + 1);
  assert_string_equal(error.message, message);
  finish();
}

/* Names that say nothing: the first bracket, or that it is a table, makes a file data. */
static void test_by_content(void **state) {
  (void)state;
  start();
  put("array", "\xef\xbb\xbf [1]");
  put("table", "a,b\n1,2\n");
  put("empty", "");
  put("blank", " \n");
  put("prose", "see\n{\"a\":1}\n");
  put("cases.yaml", "tests: []\n");
  put_link("unreadable", "/proc/self/mem");
#ifdef EE_WITH_ZLIB
  /* "{}\n" */
  static const unsigned char packed[] = {0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xab, 0xae,
                                         0xe5, 0x02, 0x00, 0x06, 0xb0, 0xa1, 0xdd, 0x03, 0x00, 0x00, 0x00};
  char name[400];
  snprintf(name, sizeof name, "%s/packed", directory);
  write_file(name, packed, sizeof packed);
  const char *found = "array large packed table ";
#else
  const char *found = "array large table ";
#endif
  char large[100001] = "{\"a\":\"";
  memset(large + 6, 'x', sizeof large - 7);
  put("large", large);
  check(found, "5 other files are not read, for example 'blank'");
}

/* A suffix that all have is not of their ids. */
static void test_suffixes(void **state) {
  (void)state;
  start();
  put("a.txt", "{}");
  put("sub/b.txt", "{}");
  check("a sub/b ", "");
  start();
  put("aaaa.txt", "{}");
  put("b", "{}");
  check("aaaa.txt b ", "");
  start();
  put("aaaa.txt", "{}");
  put("bbbb.out", "{}");
  check("aaaa.txt bbbb.out ", "");
  start();
  put("v1.0/a", "{}");
  put("v1.0/b", "{}");
  check("v1.0/a v1.0/b ", "");
  start();
  put("a", "{}");
  put("b.txt", "{}");
  check("a b.txt ", "");
  start();
  put("a.json.gz", "{}");
  put("b.csv.zst", "{}");
  put("c.gz", "{}");
  check("a b ", "1 other file is not read, for example 'c.gz'");
}

static void test_refused(void **state) {
  (void)state;
  start();
  put("a.json", "{}");
  put_link("b.json", "nowhere");
  check_refused("cannot open 'D/b.json': No such file or directory");
  /* 32 levels are read, and not one more. */
  for (int levels = 32; levels < 34; levels++) {
    char path[200] = "";
    for (int i = 0; i < levels; i++) strcat(path, "s/");
    strcat(path, "a.json");
    start();
    put(path, "{}");
    char message[300] = "directories in 'D";
    for (int i = 0; i < levels; i++) strcat(message, "/s");
    if (levels == 33) {
      check_refused(strcat(message, "' are nested too deep"));
      continue;
    }
    path[strlen(path) - strlen(".json")] = ' ';
    path[strlen(path) - strlen("json")] = '\0';
    check(path, "");
  }
}

/* Files, and directories with files, in one list; a name is cut from the ids of those in directories only. */
static void test_cut_names(void **state) {
  (void)state;
  start();
  put("x_a.json", "{\"n\":1}");
  put("x_b.json", "{\"n\":2}");
  put("y_c.json", "{\"n\":3}");
  write_file(names[0], "{\"n\":4}\n", 8);
  const char *const files[] = {names[0], directory, directory};
  for (int wanted = 0; wanted < 2; wanted++) {
    ee_dataset *dataset = ee_dataset_open(files + 1 - wanted, 2 + (size_t)wanted, NULL);
    assert_non_null(dataset);
    assert_int_equal(ee_dataset_cut_names(dataset, ee_str_from(wanted ? "x_" : "z"), EE_STR(""), NULL), EE_OK);
    assert_int_equal(ee_dataset_file_count(dataset), wanted ? 5 : 0);
    if (wanted) {
      assert_null(ee_dataset_file_id(dataset, 0).data);
      assert_true(ee_str_is(ee_dataset_file_id(dataset, 1), "a") && ee_str_is(ee_dataset_file_id(dataset, 4), "b"));
    } else {
      assert_int_equal(ee_dataset_take_part(dataset, 1, 2, NULL), EE_OK);
    }
    uint64_t taken, total;
    ee_dataset_progress(dataset, &taken, &total);
    assert_int_equal(total, wanted ? 8 + 4 * 7 : 0);
    ee_block block;
    ee_block_init(&block);
    size_t records = 0;
    for (bool done = false; !done; records += block.count)
      assert_int_equal(ee_dataset_next(dataset, &block, &done, NULL), EE_OK);
    assert_int_equal(records, wanted ? 5 : 0);
    ee_block_fini(&block);
    ee_dataset_close(dataset);
  }
  finish();
}

EE_TEST_FILE(set_up, tear_down, cmocka_unit_test(test_by_content), cmocka_unit_test(test_suffixes),
             cmocka_unit_test(test_refused), cmocka_unit_test(test_cut_names));
