/* test_durable_file.c: names of temporary files, folders, links that are followed. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/durable_file.h"
#include "base/memory.h"

static char folder[256];

static int enter(void **state) {
  (void)state;
  const char *parent = getenv("TMPDIR");
  snprintf(folder, sizeof folder, "%s/ee_durable_XXXXXX", parent != NULL ? parent : P_tmpdir);
  return mkdtemp(folder) == NULL || chdir(folder) != 0;
}

static int leave(void **state) {
  (void)state;
  return chdir("/") + rmdir(folder);
}

static void assert_folder(const char *path, const char *expected) {
  char *found = ee_folder_of(path);
  assert_string_equal(found, expected);
  ee_free(found);
}

static void test_folders(void **state) {
  (void)state;
  assert_folder("file", ".");
  assert_folder("/file", "/");
  assert_folder("a/file", "a");
  assert_folder("/a/b/file", "/a/b");
}

/* Two processes in two containers may have the same number, and start in the same moment. */
static void test_names_differ(void **state) {
  (void)state;
  char *names[100];
  for (int i = 0; i < 100; i++) {
    names[i] = ee_temporary_name("some/file");
    assert_memory_equal(names[i], "some/.file.", 11);
    assert_int_equal(strlen(names[i]), 11 + 16 + 4);
    assert_string_equal(names[i] + 27, ".tmp");
    for (int k = 0; k < i; k++) assert_string_not_equal(names[i], names[k]);
  }
  for (int i = 0; i < 100; i++) ee_free(names[i]);
}

static void assert_followed(const char *path, const char *expected) {
  char *found = ee_followed_path(path);
  if (expected == NULL)
    assert_null(found);
  else
    assert_string_equal(found, expected);
  ee_free(found);
}

static void test_links(void **state) {
  (void)state;
  assert_followed("plain", "plain");
  assert_followed("", "");
  assert_int_equal(mkdir("sub", 0700), 0);
  assert_int_equal(symlink("../target", "sub/one"), 0);
  assert_int_equal(symlink("sub/one", "two"), 0);
  assert_int_equal(symlink("/absolute", "sub/three"), 0);
  assert_int_equal(symlink("self", "self"), 0);
  assert_followed("two", "sub/../target");
  assert_followed("./two", "./sub/../target");
  assert_followed("sub/three", "/absolute");
  assert_followed("self", NULL);
  assert_int_equal(errno, ELOOP);
  assert_followed("/proc/self/exe", NULL);
  assert_followed("/dev/fd/0", NULL);
  assert_int_equal(errno, 0);
  assert_int_equal(unlink("sub/one") + unlink("sub/three") + unlink("two") + unlink("self") + rmdir("sub"), 0);
}

static void test_rename(void **state) {
  (void)state;
  int file = open("from", O_WRONLY | O_CREAT | O_EXCL, 0600);
  assert_true(file >= 0);
  assert_true(ee_sync_file(file));
  assert_int_equal(close(file), 0);
  assert_true(ee_rename_durably("from", "to"));
  assert_false(ee_sync_file(file)); /* it is closed */
  assert_int_equal(errno, EBADF);
  assert_false(ee_rename_durably("from", "to"));
  assert_int_equal(errno, ENOENT);
  assert_int_equal(unlink("to"), 0);
  /* What cannot be synced is not an error. */
  int pipes[2];
  assert_int_equal(pipe(pipes), 0);
  assert_true(ee_sync_file(pipes[1]));
  close(pipes[0]);
  close(pipes[1]);
  assert_true(ee_sync_folder_of("no/folder"));
}

/* That the disk begins early changes neither the file nor errno, whatever it is asked for. */
static void test_early_begin(void **state) {
  (void)state;
  int file = open("begun", O_RDWR | O_CREAT | O_EXCL, 0600);
  assert_int_equal(write(file, "abc", 3), 3);
  errno = EDOM;
  ee_start_sync(file, 0, 3);
  ee_start_sync(file, 1, UINT64_C(1) << 40);
  ee_start_sync(file, UINT64_MAX, UINT64_MAX);
  ee_start_sync(-1, 0, 3);
  assert_int_equal(errno, EDOM);
  char text[4] = "";
  assert_int_equal(pread(file, text, sizeof text, 0), 3);
  assert_memory_equal(text, "abc", 4);
  assert_true(ee_sync_file(file));
  assert_int_equal(close(file) + unlink("begun"), 0);
}

EE_TEST_FILE(enter, leave, cmocka_unit_test(test_folders), cmocka_unit_test(test_names_differ),
             cmocka_unit_test(test_links), cmocka_unit_test(test_rename), cmocka_unit_test(test_early_begin));
