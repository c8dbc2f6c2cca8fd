/* test_runtime.c: the locale of a thread, paths next to a file, quotas of control groups. */
#include <langinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/runtime.h"

/* A locale that differs from "C" in its encoding, and where the machine has one also in its decimal point. */
static locale_t some_other_locale(void) {
  static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "C.UTF-8", "en_US.UTF-8"};
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
    locale_t locale = newlocale(LC_ALL_MASK, names[i], (locale_t)0);
    if (locale != (locale_t)0) return locale;
  }
  return (locale_t)0;
}

static void assert_c_locale(void) {
  char text[32];
  snprintf(text, sizeof(text), "%.1f", 1.5);
  assert_string_equal(text, "1.5");
  assert_string_not_equal(nl_langinfo(CODESET), "UTF-8");
}

static void test_enter_and_leave(void **state) {
  (void)state;
  locale_t other = some_other_locale();
  if (other == (locale_t)0) skip();
  locale_t start = uselocale(other);
  assert_string_equal(nl_langinfo(CODESET), "UTF-8");

  locale_t before = ee_locale_enter();
  assert_ptr_equal(before, other);
  assert_c_locale();

  locale_t inner = ee_locale_enter();
  assert_c_locale();
  ee_locale_leave(inner);
  assert_c_locale();

  ee_locale_leave(before);
  assert_ptr_equal(uselocale((locale_t)0), other);
  assert_string_equal(nl_langinfo(CODESET), "UTF-8");
  uselocale(start);
  freelocale(other);
}

static void test_global_locale_is_put_back(void **state) {
  (void)state;
  assert_ptr_equal(uselocale((locale_t)0), LC_GLOBAL_LOCALE);
  locale_t before = ee_locale_enter();
  assert_ptr_equal(before, LC_GLOBAL_LOCALE);
  assert_ptr_not_equal(uselocale((locale_t)0), LC_GLOBAL_LOCALE);
  ee_locale_leave(before);
  assert_ptr_equal(uselocale((locale_t)0), LC_GLOBAL_LOCALE);
  /* Also after a callback that has put it back by itself. */
  before = ee_locale_enter();
  freelocale(uselocale(LC_GLOBAL_LOCALE));
  ee_locale_leave(before);
  assert_ptr_equal(uselocale((locale_t)0), LC_GLOBAL_LOCALE);
}

static void *look(void *seen) {
  *(locale_t *)seen = uselocale((locale_t)0);
  return NULL;
}

static void test_other_threads_keep_theirs(void **state) {
  (void)state;
  locale_t before = ee_locale_enter();
  locale_t seen = (locale_t)0;
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, look, &seen), 0);
  pthread_join(thread, NULL);
  ee_locale_leave(before);
  assert_ptr_equal(seen, LC_GLOBAL_LOCALE);
}

/* Writing to a closed pipe does no harm, and leaves what was pending and blocked as it was. */
static void test_pipe_guard(void **state) {
  (void)state;
  sigset_t pipe_signal, before, found;
  sigemptyset(&pipe_signal);
  sigaddset(&pipe_signal, SIGPIPE);
  for (int pending = 0; pending < 2; pending++) {
    pthread_sigmask(pending ? SIG_BLOCK : SIG_UNBLOCK, &pipe_signal, &before);
    if (pending) pthread_kill(pthread_self(), SIGPIPE);
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    close(ends[0]);
    ee_pipe_guard guard;
    ee_pipe_guard_enter(&guard);
    assert_true(write(ends[1], "x", 1) < 0);
    ee_pipe_guard_leave(&guard);
    close(ends[1]);
    sigpending(&found);
    assert_int_equal(sigismember(&found, SIGPIPE), pending);
    pthread_sigmask(SIG_BLOCK, NULL, &found);
    assert_int_equal(sigismember(&found, SIGPIPE), pending);
    if (pending) sigtimedwait(&pipe_signal, NULL, &(struct timespec){0, 0});
    pthread_sigmask(SIG_SETMASK, &before, NULL);
  }
}

/* File name ------------------------------------------------------------------------------------- */

static void test_beside(void **state) {
  (void)state;
  static const struct {
    const char *file, *name, *expected;
  } rows[] = {{"rules/a.lua", "b.json", "rules/b.json"},
              {"a.lua", "b.json", "b.json"},
              {NULL, "b.json", "b.json"},
              {"/r/a.lua", "../b", "/r/../b"},
              {"/a.lua", "b", "/b"},
              {"rules/a.lua", "/b", "/b"},
              {"rules/a.lua", "", ""},
              {"", "x/y", "x/y"}};
  ee_arena arena;
  ee_arena_init(&arena, 0);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    assert_string_equal(ee_file_name_beside(&arena, rows[i].file, ee_str_from(rows[i].name)), rows[i].expected);
  /* The name need not end in a NUL. */
  assert_string_equal(ee_file_name_beside(&arena, "d/f", (ee_str){"abcd", 2}), "d/ab");
  ee_arena_fini(&arena);
}

/* Processors ------------------------------------------------------------------------------------ */

/* Writes FOLDER/NAME; makes the folder. */
static void write_file(const char *folder, const char *name, const char *text) {
  char path[512];
  snprintf(path, sizeof path, "%s/", folder);
  for (char *at = path + 1; (at = strchr(at, '/')) != NULL; at++) {
    *at = '\0';
    mkdir(path, 0700);
    *at = '/';
  }
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

static void test_quotas(void **state) {
  (void)state;
  /* Groups under a root of our own, and what /proc/self/cgroup says of membership. */
  static const struct {
    const char *folder, *name, *text; /* up to a row without folder: one set-up */
    const char *membership;
    unsigned processors;
  } rows[] = {
      {NULL, NULL, NULL, "0::/\n", 0}, /* nothing there */
      {"", "cpu.max", "max 100000\n", NULL, 0},
      {NULL, NULL, NULL, "0::/\n", 0},
      {"", "cpu.max", "150000 100000\n", NULL, 0}, /* a container: its group is the root */
      {NULL, NULL, NULL, "0::/\n", 2},
      {"", "cpu.max", "150000 100000\n", NULL, 0}, /* and where the path is that outside of it */
      {NULL, NULL, NULL, "0::/docker/0123\n", 2},
      {"", "cpu.max", "1000 100000\n", NULL, 0},
      {NULL, NULL, NULL, "0::/\n", 1},
      {"/batch", "cpu.max", "300000 100000\n", NULL, 0}, /* the smallest on the way up */
      {"/batch/job 7", "cpu.max", "800000 100000\n", NULL, 0},
      {"/batch/job 7/step", "cpu.max", "max 100000\n", NULL, 0},
      {NULL, NULL, NULL, "0::/batch/job 7/step\n", 3},
      {"/cpu/job", "cpu.cfs_quota_us", "250000\n", NULL, 0}, /* v1 */
      {"/cpu/job", "cpu.cfs_period_us", "100000\n", NULL, 0},
      {NULL, NULL, NULL, "4:memory:/x\n3:cpuset:/y\n2:cpu,cpuacct:/job\n", 3},
      {"/cpu/job", "cpu.cfs_quota_us", "-1\n", NULL, 0},
      {"/cpu/job", "cpu.cfs_period_us", "100000\n", NULL, 0},
      {NULL, NULL, NULL, "2:cpu,cpuacct:/job\n0::/\n", 0},
      {"/cpu/job", "cpu.cfs_quota_us", "250000\n", NULL, 0}, /* without a period */
      {NULL, NULL, NULL, "2:cpu:/job\n", 0},
      {"/cpu/job", "cpu.cfs_quota_us", "250000\n", NULL, 0}, /* whatever the place of the controller in the list */
      {"/cpu/job", "cpu.cfs_period_us", "100000\n", NULL, 0},
      {NULL, NULL, NULL, "2:cpuacct,cpu:/job\n", 3},
      {"/cpu/job", "cpu.cfs_quota_us", "250000\n", NULL, 0}, /* others only contain its name */
      {"/cpu/job", "cpu.cfs_period_us", "100000\n", NULL, 0},
      {NULL, NULL, NULL, "2:cpuset,cpuacct,xcpu:/job\n", 0},
      {"", "cpu.max", "500000 100000\n", NULL, 0}, /* both versions at once: the smaller quota */
      {"/cpu/job", "cpu.cfs_quota_us", "250000\n", NULL, 0},
      {"/cpu/job", "cpu.cfs_period_us", "100000\n", NULL, 0},
      {NULL, NULL, NULL, "0::/\n2:cpu:/job\n", 3},
      {"", "cpu.max", "500000 100000\n", NULL, 0},
      {"/cpu/job", "cpu.cfs_quota_us", "850000\n", NULL, 0},
      {"/cpu/job", "cpu.cfs_period_us", "100000\n", NULL, 0},
      {NULL, NULL, NULL, "0::/\n2:cpu:/job\n", 5},
      {"", "cpu.max", "9000000000000 1\n", NULL, 0}, /* more than there can be */
      {NULL, NULL, NULL, "0::/\n", 0},
      {"", "cpu.max", "words\n", NULL, 0},
      {NULL, NULL, NULL, "0::/\nnothing\n", 0},
      {"", "cpu.max", "", NULL, 0},
      {NULL, NULL, NULL, "0::/\n", 0},
      {"", "cpu.max", "100000 0\n", NULL, 0},
      {NULL, NULL, NULL, "0::/../../other\n", 0},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char root[] = "/tmp/test_runtime_XXXXXX", folder[256];
    assert_non_null(mkdtemp(root));
    for (; rows[i].folder != NULL; i++) {
      snprintf(folder, sizeof folder, "%s%s", root, rows[i].folder);
      write_file(folder, rows[i].name, rows[i].text);
    }
    write_file(root, "membership", rows[i].membership);
    snprintf(folder, sizeof folder, "%s/membership", root);
    unsigned got = ee_cgroup_processors(root, folder);
    if (got != rows[i].processors) fail_msg("row %zu: %u, not %u", i, got, rows[i].processors);
    snprintf(folder, sizeof folder, "rm -r '%s'", root);
    assert_int_equal(system(folder), 0);
  }
  assert_int_equal(ee_cgroup_processors("/nowhere", "/nowhere/cgroup"), 0);
  /* A root, or a path, that is too long to be one. */
  char *long_root = malloc(5000), membership[] = "/tmp/test_runtime_XXXXXX";
  memset(long_root, 'a', 4999);
  long_root[4999] = '\0';
  int descriptor = mkstemp(membership);
  assert_true(descriptor >= 0);
  dprintf(descriptor, "0::/%.4090s\n", long_root);
  close(descriptor);
  assert_int_equal(ee_cgroup_processors(long_root, membership), 0);
  assert_int_equal(ee_cgroup_processors("/tmp", membership), 0);
  unlink(membership);
  free(long_root);
  assert_true(ee_processor_count() >= 1);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_enter_and_leave), cmocka_unit_test(test_global_locale_is_put_back),
             cmocka_unit_test(test_other_threads_keep_theirs), cmocka_unit_test(test_pipe_guard),
             cmocka_unit_test(test_beside), cmocka_unit_test(test_quotas));
