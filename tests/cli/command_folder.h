/* command_folder.h: a folder for what commands write, its files, and records of the bench. */
#ifndef EE_TESTS_CLI_COMMAND_FOLDER_H
#define EE_TESTS_CLI_COMMAND_FOLDER_H

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buffer.h"

static char command_folder[256];

static inline int set_up_folder(void **state) {
  (void)state;
  const char *parent = getenv("TMPDIR");
  snprintf(command_folder, sizeof command_folder, "%s/ee_cli_XXXXXX", parent != NULL ? parent : P_tmpdir);
  assert_non_null(mkdtemp(command_folder));
  return chdir(command_folder);
}

/* Removes what a test left; returns how many files that were. */
static inline size_t remove_files(void) {
  DIR *directory = opendir(".");
  assert_non_null(directory);
  size_t count = 0;
  for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    assert_int_equal(unlink(entry->d_name), 0);
    count++;
  }
  closedir(directory);
  return count;
}

static inline int tear_down_folder(void **state) {
  (void)state;
  remove_files();
  return chdir("/") + rmdir(command_folder);
}

static inline void save(const char *name, const ee_buffer *text) {
  FILE *file = fopen(name, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(text->data, 1, text->length, file), text->length);
  assert_int_equal(fclose(file), 0);
}

static inline void save_text(const char *name, const char *text) {
  save(name, &(ee_buffer){.data = (char *)(uintptr_t)text, .length = strlen(text)});
}

/* The bytes of the file, and a NUL after them. */
static inline ee_buffer load(const char *name) {
  ee_buffer text = {0};
  FILE *file = fopen(name, "rb");
  if (file == NULL) fail_msg("there is no '%s'", name);
  for (size_t got = 1; got > 0; text.length += got) got = fread(ee_buffer_reserve(&text, 65536), 1, 65536, file);
  fclose(file);
  ee_buffer_terminate(&text);
  return text;
}

static inline size_t count_lines(const char *name) {
  ee_buffer text = load(name);
  size_t count = 0;
  for (size_t i = 0; i < text.length; i++) count += text.data[i] == '\n';
  ee_buffer_fini(&text);
  return count;
}

static inline void assert_content(const char *name, const char *expected) {
  ee_buffer text = load(name);
  assert_string_equal(text.data, expected);
  ee_buffer_fini(&text);
}

static inline void assert_same_file(const char *name, const char *other) {
  ee_buffer a = load(name), b = load(other);
  assert_int_equal(a.length, b.length);
  assert_memory_equal(a.data, b.data, a.length);
  ee_buffer_fini(&a);
  ee_buffer_fini(&b);
}

/* Runs a line of the shell; returns its status, 128 + a signal's number where one ended it. */
static inline int shell(const char *format, ...) __attribute__((format(printf, 1, 2)));
static inline int shell(const char *format, ...) {
  char command[2048];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(command, sizeof command, format, arguments);
  va_end(arguments);
  int how = system(command);
  return WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
}

/* Starts the program with `arguments` (ended by NULL), what it prints going to "out" and "err". */
static inline pid_t start_program(const char *const *arguments) {
  char *argv[32] = {"evalengine"};
  for (size_t i = 0; arguments[i] != NULL; i++) argv[i + 1] = (char *)(uintptr_t)arguments[i];
  pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid > 0) return pid;
  int out = open("out", O_WRONLY | O_CREAT | O_TRUNC, 0666), err = open("err", O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (dup2(out, STDOUT_FILENO) < 0 || dup2(err, STDERR_FILENO) < 0) _exit(99);
  execvp("evalengine", argv);
  _exit(99);
}

static inline int wait_for(pid_t pid) {
  int how;
  assert_int_equal(waitpid(pid, &how, 0), pid);
  return WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
}

/* A record without gold spans: `words` words, each of which is quoted; of `answers` answers the later ones lack some.
 * The extraction `wrong` (counted from 0 in the first answer; SIZE_MAX: none) has its charStart and charEnd moved by
 * one. */
static inline void add_record(ee_buffer *out, size_t number, size_t words, size_t answers, size_t wrong) {
  ee_buffer document = {0}, list = {0};
  for (size_t i = 0; i < words; i++) ee_buffer_addf(&document, "w%04zu ", (number * 7 + i) % 10000);
  ee_buffer_add_text(&list, "[");
  for (size_t a = 0; a < answers; a++) {
    ee_buffer_add_text(&list, a > 0 ? ",\"" : "\"");
    ee_buffer_add_text(&list, "{\\\"extractions\\\":[");
    const char *comma = "";
    for (size_t i = 0; i < words; i++) {
      if (a > 0 && (i + a + number) % 5 == 0) continue;
      size_t start = 6 * i + (a == 0 && i == wrong);
      ee_buffer_addf(&list,
                     "%s{\\\"extractionClass\\\":\\\"w\\\",\\\"quote\\\":\\\"w%04zu\\\",\\\"charStart\\\":%zu,"
                     "\\\"charEnd\\\":%zu}",
                     comma, (number * 7 + i) % 10000, start, start + 5);
      comma = ",";
    }
    ee_buffer_add_text(&list, "]}\"");
  }
  ee_buffer_add_text(&list, "]");
  ee_buffer_addf(out,
                 "{\"caseId\":\"case-%zu\",\"category\":\"made\",\"documentText\":\"%s\",\"instructions\":\"words\","
                 "\"targetSchema\":{\"type\":\"object\",\"required\":[\"extractions\"]},\"providerResponseTexts\":%s,"
                 "\"expected\":{\"emptyResultKind\":\"non_empty\",\"minExtractions\":1,\"maxExtractions\":%zu},"
                 "\"sourceUrl\":\"https://example.org/%zu\",\"packId\":\"made\"}\n",
                 number, ee_buffer_terminate(&document), ee_buffer_terminate(&list), words, number);
  ee_buffer_fini(&document);
  ee_buffer_fini(&list);
}

#endif
