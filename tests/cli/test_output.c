/* test_output.c: files that appear whole or not at all, and what is written directly. */
#include "cli/command_folder.h"

#include <sys/stat.h>

#include "base/error.h"
#include "cli/output.h"

static void write_output(const char *path, const char *text, bool keep) {
  ee_output output;
  ee_error error;
  assert_int_equal(ee_output_open(&output, path, &error), EE_OK);
  assert_int_equal(ee_output_write(&output, text, strlen(text), &error), EE_OK);
  assert_int_equal(ee_output_close(&output, keep, &error), EE_OK);
  assert_int_equal(ee_output_close(&output, keep, &error), EE_OK);
}

static void assert_refused(const char *path, const char *expected) {
  ee_output output;
  ee_error error;
  assert_int_equal(ee_output_open(&output, path, &error), EE_ERROR_SYSTEM);
  if (expected != NULL) assert_string_equal(error.message, expected);
  assert_int_equal(ee_output_close(&output, true, &error), EE_OK);
}

static void test_whole_or_not_at_all(void **state) {
  (void)state;
  write_output("new", "one", true);
  assert_content("new", "one");
  assert_int_equal(chmod("new", 0640), 0);
  write_output("./new", "two", true);
  assert_content("new", "two");
  struct stat status;
  assert_int_equal(stat("new", &status), 0);
  assert_int_equal(status.st_mode & 0777, 0640);
  write_output("new", "three", false);
  assert_content("new", "two");
  assert_int_equal(remove_files(), 1);
  write_output("new", "four", false);
  assert_int_equal(remove_files(), 0);
}

/* A program that is ended in the middle leaves the old file, where the file system knows files without names. */
static void test_nothing_is_left_behind(void **state) {
  (void)state;
  save_text("old", "one");
  int result[2];
  assert_int_equal(pipe(result), 0);
  pid_t child = fork();
  if (child == 0) {
    ee_output output;
    ee_error error;
    bool fine = ee_output_open(&output, "old", &error) == EE_OK && ee_output_write(&output, "two", 3, &error) == EE_OK;
    char kind = !fine ? 'f' : output.unnamed ? 'u' : 'n';
    _exit(write(result[1], &kind, 1) == 1 ? 0 : 1);
  }
  int how;
  char kind;
  assert_int_equal(waitpid(child, &how, 0), child);
  assert_int_equal(read(result[0], &kind, 1), 1);
  close(result[0]);
  close(result[1]);
  assert_true(kind == 'u' || kind == 'n');
  assert_content("old", "one");
  assert_int_equal(remove_files(), kind == 'u' ? 1 : 2);
}

static void test_links_stay_links(void **state) {
  (void)state;
  struct stat status;
  assert_int_equal(symlink("target", "link"), 0);
  for (int round = 0; round < 2; round++) {
    write_output("link", round == 0 ? "longer" : "one", true);
    assert_int_equal(lstat("link", &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_content("target", round == 0 ? "longer" : "one");
  }
  assert_int_equal(remove_files(), 2);
}

/* A link's file is replaced as any other: not before it is complete, and only by name. */
static void test_files_of_links(void **state) {
  (void)state;
  save_text("target", "old");
  assert_int_equal(link("target", "twin"), 0);
  assert_int_equal(symlink("target", "middle"), 0);
  assert_int_equal(symlink("middle", "link"), 0);
  ee_output output;
  ee_error error;
  assert_int_equal(ee_output_open(&output, "link", &error), EE_OK);
  assert_int_equal(ee_output_write(&output, "new", 3, &error), EE_OK);
  assert_content("target", "old");
  assert_int_equal(ee_output_close(&output, false, &error), EE_OK);
  assert_content("target", "old");
  write_output("link", "new", true);
  assert_content("target", "new");
  assert_content("twin", "old");
  assert_int_equal(remove_files(), 4);

  assert_int_equal(symlink("no/file", "nowhere"), 0);
  assert_refused("nowhere", "cannot create 'nowhere': No such file or directory");
  assert_int_equal(symlink("circle", "circle"), 0);
  assert_refused("circle", "cannot open 'circle': Too many levels of symbolic links");
  assert_int_equal(remove_files(), 2);
}

/* What is no regular file is written at once. */
#define EXISTS(name) "'" name "' exists and is not overwritten: remove it or name another file"

static ee_status write_new(const char *path, const char *text, ee_error *error) {
  ee_buffer buffer;
  ee_buffer_init(&buffer);
  ee_buffer_add_text(&buffer, text);
  ee_status status = ee_output_write_new(path, &buffer, error);
  ee_buffer_fini(&buffer);
  return status;
}

static void test_new_files_replace_nothing(void **state) {
  (void)state;
  ee_error error;
  assert_int_equal(write_new("new", "one", &error), EE_OK);
  assert_content("new", "one");
  assert_int_equal(write_new("new", "two", &error), EE_ERROR_USAGE);
  assert_string_equal(error.message, EXISTS("new"));
  assert_content("new", "one");
  /* A link without a file makes one; then there is one. */
  assert_int_equal(symlink("target", "link"), 0);
  assert_int_equal(write_new("link", "one", &error), EE_OK);
  assert_content("target", "one");
  assert_int_equal(write_new("link", "two", &error), EE_ERROR_USAGE);
  assert_string_equal(error.message, EXISTS("link"));
  assert_int_equal(mkdir("folder", 0777), 0);
  assert_int_equal(write_new("folder", "one", &error), EE_ERROR_SYSTEM);
  assert_string_equal(error.message, "cannot write 'folder': Is a directory");
  assert_int_equal(rmdir("folder"), 0);
  assert_int_equal(write_new("/dev/null", "one", &error), EE_OK);
  assert_int_equal(remove_files(), 3);
}

/* Somebody else makes the file while ours is written. */
static void test_a_file_that_appears_meanwhile_stays(void **state) {
  (void)state;
  ee_output output;
  ee_error error;
  assert_int_equal(ee_output_open_new(&output, "new", &error), EE_OK);
  assert_int_equal(ee_output_write(&output, "ours", 4, &error), EE_OK);
  save_text("new", "theirs");
  assert_int_equal(ee_output_close(&output, true, &error), EE_ERROR_USAGE);
  assert_string_equal(error.message, EXISTS("new"));
  assert_content("new", "theirs");
  assert_int_equal(remove_files(), 1);
}

static void test_pipes(void **state) {
  (void)state;
  assert_int_equal(mkfifo("pipe", 0600), 0);
  pid_t reader = fork();
  if (reader == 0) _exit(system("cat pipe >copy") == 0 ? 0 : 1);
  assert_true(reader > 0);
  write_output("pipe", "through", true);
  assert_int_equal(wait_for(reader), 0);
  assert_content("copy", "through");
  write_output("/dev/null", "gone", true);
  ee_output output;
  ee_error error;
  assert_int_equal(ee_output_open(&output, "/dev/full", &error), EE_OK);
  assert_int_equal(ee_output_write(&output, "x", 1, &error), EE_ERROR_SYSTEM);
  assert_string_equal(error.message, "cannot write '/dev/full': No space left on device");
  ee_output_close(&output, false, NULL);
  assert_int_equal(remove_files(), 2);
}

static void test_names_that_cannot_be(void **state) {
  (void)state;
  char longest[256];
  memset(longest, 'x', 250);
  longest[250] = '\0'; /* a file may be called so, but not with what the temporary name adds */
  assert_refused("", "cannot create '': No such file or directory");
  assert_refused(".", "cannot write '.': Is a directory");
  assert_refused("no/file", "cannot create 'no/file': No such file or directory");
  assert_refused(longest, NULL);
  assert_int_equal(remove_files(), 0);
}

static void test_same_file(void **state) {
  (void)state;
  assert_true(ee_output_is_same_file("new", "./new"));
  assert_false(ee_output_is_same_file("new", "other"));
  assert_false(ee_output_is_same_file("new", "no/new"));
  save_text("new", "");
  assert_int_equal(link("new", "twin"), 0);
  assert_true(ee_output_is_same_file("new", ".//new"));
  assert_true(ee_output_is_same_file("new", "twin"));
  assert_false(ee_output_is_same_file("new", "other"));
  assert_false(ee_output_is_same_file("/dev/null", "/dev/null"));
  assert_int_equal(remove_files(), 2);
}

/* The program with standard descriptors closed: what it opens must not take their places. */
static void test_closed_descriptors(void **state) {
  (void)state;
  save_text("r.lua", "return ee.rules { ee.fields { ee.exact 'x' } }\n");
  save_text("d.jsonl", "{\"expected\":{\"x\":1},\"candidate\":{\"x\":1}}\n{bad\n");
  static const struct {
    const char *redirect;
    int status;
  } runs[] = {{"<&- >&- 2>&-", 5}, {"<&- 2>&- >o", 4}, {"2>&- >o", 4}, {">&- 2>e", 5}};
  for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
    char command[4352];
    unlink("rows");
    snprintf(command, sizeof command, "evalengine r.lua d.jsonl --results rows %s", runs[i].redirect);
    int how = system(command);
    assert_true(WIFEXITED(how));
    assert_int_equal(WEXITSTATUS(how), runs[i].status);
    /* The rows are kept where the report could not be written. */
    FILE *rows = fopen("rows", "rb");
    assert_non_null(rows);
    char line[4096], rest[2];
    assert_non_null(fgets(line, sizeof line, rows));
    assert_memory_equal(line, "{\"schema\":", 10);
    assert_null(fgets(rest, sizeof rest, rows));
    fclose(rows);
  }
  remove_files();
}

EE_TEST_FILE(set_up_folder, tear_down_folder, cmocka_unit_test(test_whole_or_not_at_all),
             cmocka_unit_test(test_nothing_is_left_behind), cmocka_unit_test(test_links_stay_links),
             cmocka_unit_test(test_files_of_links), cmocka_unit_test(test_new_files_replace_nothing),
             cmocka_unit_test(test_a_file_that_appears_meanwhile_stays), cmocka_unit_test(test_pipes),
             cmocka_unit_test(test_names_that_cannot_be), cmocka_unit_test(test_same_file),
             cmocka_unit_test(test_closed_descriptors));
