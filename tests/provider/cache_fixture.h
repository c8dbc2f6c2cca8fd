/* cache_fixture.h: a folder for files of answers, and short words for using them. */
#ifndef EE_TESTS_PROVIDER_CACHE_FIXTURE_H
#define EE_TESTS_PROVIDER_CACHE_FIXTURE_H

#include "provider/answer_cache.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buffer.h"

#define ANOTHER "(remove it, or name another with cache = ...)"

static char folder[256];

static inline char *name_of(const char *file) {
  static char names[4][512];
  static int next;
  char *name = names[next++ % 4];
  snprintf(name, sizeof names[0], "%s/%s", folder, file);
  return name;
}

static inline void empty_folder(const char *path) {
  DIR *directory = opendir(path);
  assert_non_null(directory);
  ee_buffer name = {0};
  for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    ee_buffer_clear(&name);
    ee_buffer_addf(&name, "%s/%s", path, entry->d_name);
    if (unlink(ee_buffer_terminate(&name)) == 0) continue;
    empty_folder(name.data);
    assert_int_equal(rmdir(name.data), 0);
  }
  ee_buffer_fini(&name);
  closedir(directory);
}

static inline int set_up(void **state) {
  (void)state;
  /* In memory where that is possible: a busy disk makes these tests slow. */
  const char *parent = getenv("TMPDIR");
  if (parent == NULL && access("/dev/shm", W_OK) == 0) parent = "/dev/shm";
  snprintf(folder, sizeof folder, "%s/ee_cache_XXXXXX", parent != NULL ? parent : P_tmpdir);
  return mkdtemp(folder) != NULL ? 0 : -1;
}

static inline int tear_down(void **state) {
  (void)state;
  empty_folder(folder);
  return rmdir(folder);
}

static inline void write_file(const char *name, const void *data, size_t length) {
  FILE *file = fopen(name, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(data, 1, length, file), length);
  assert_int_equal(fclose(file), 0);
}

static inline void read_file(const char *name, ee_buffer *data) {
  FILE *file = fopen(name, "rb");
  assert_non_null(file);
  ee_buffer_clear(data);
  for (size_t got = 1; got > 0; data->length += got) {
    got = fread(ee_buffer_reserve(data, 65536), 1, 65536, file);
  }
  fclose(file);
}

static inline ee_answer_cache *open_good(const char *name) {
  ee_error error = {0};
  ee_answer_cache *cache = ee_answer_cache_open(name, &error);
  if (cache == NULL) fail_msg("%s", error.message);
  assert_null(ee_answer_cache_problem(cache));
  return cache;
}

static inline void open_bad(const char *name, const char *message) {
  ee_error error = {0};
  char expected[1024];
  snprintf(expected, sizeof expected, message, name);
  assert_null(ee_answer_cache_open(name, &error));
  assert_string_equal(error.message, expected);
  assert_int_equal(error.status, EE_ERROR_SYSTEM);
  assert_null(ee_answer_cache_open(name, NULL));
}

static inline ee_cache_key plain_key(const char *text) {
  return (ee_cache_key){EE_STR("openai http://127.0.0.1/v1"), EE_STR("m"), EE_STR("embedding"), ee_str_from(text)};
}

static inline bool has(ee_answer_cache *cache, const char *text, const char *answer) {
  ee_buffer got = {0};
  ee_cache_key key = plain_key(text);
  bool found = ee_answer_cache_get(cache, &key, &got);
  bool equal = found && ee_str_is((ee_str){got.data, got.length}, answer);
  if (found && !equal) fail_msg("%.*s instead of %s", (int)got.length, got.data, answer);
  ee_buffer_fini(&got);
  return equal;
}

static inline void put(ee_answer_cache *cache, const char *text, const char *answer) {
  ee_cache_key key = plain_key(text);
  ee_answer_cache_put(cache, &key, ee_str_from(answer));
}

static inline void keep_one(const char *name) {
  ee_answer_cache *cache = open_good(name);
  put(cache, "text", "answer");
  assert_null(ee_answer_cache_problem(cache));
  ee_answer_cache_close(cache);
}

static inline void check_one(const char *name) {
  ee_answer_cache *cache = open_good(name);
  assert_true(has(cache, "text", "answer"));
  assert_false(has(cache, "tex", "answer"));
  ee_answer_cache_close(cache);
}

/* In a child process: it tells what went wrong on stderr and by its status. */
#define CHECK(condition)                                                                                               \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                                  \
      _exit(1);                                                                                                        \
    }                                                                                                                  \
  } while (0)

static inline void assert_child(pid_t child) {
  int status = -1;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
}

#endif
