/* whole_fixture.h: whole runs through the public header, and the program to compare with. */
#ifndef EE_TESTS_API_WHOLE_FIXTURE_H
#define EE_TESTS_API_WHOLE_FIXTURE_H

#include <evalengine.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define INVOICE_RULES "rules/invoice.lua"
#define INVOICES "samples/invoices.jsonl"

typedef struct text {
  char *data;
  size_t length;
} text;

static inline text read_stream(FILE *stream) {
  text all = {malloc(1 << 16), 0};
  size_t room = 1 << 16, got;
  while ((got = fread(all.data + all.length, 1, room - all.length - 1, stream)) > 0) {
    all.length += got;
    if (room - all.length < 2) all.data = realloc(all.data, room *= 2);
  }
  all.data[all.length] = '\0';
  return all;
}

static inline text read_file(const char *name) {
  FILE *file = fopen(name, "rb");
  if (file == NULL) fail_msg("cannot open %s", name);
  text all = read_stream(file);
  fclose(file);
  return all;
}

/* What the program prints on standard output; the exit status must be `status`. */
__attribute__((format(printf, 2, 3))) static inline text run_program(int status, const char *format, ...) {
  char command[4096];
  int length = snprintf(command, sizeof command, "evalengine ");
  va_list arguments;
  va_start(arguments, format);
  length += vsnprintf(command + length, sizeof command - (size_t)length, format, arguments);
  va_end(arguments);
  snprintf(command + length, sizeof command - (size_t)length, " 2>/dev/null");
  FILE *pipe = popen(command, "r");
  assert_non_null(pipe);
  text all = read_stream(pipe);
  int ended = pclose(pipe);
  if (!WIFEXITED(ended) || WEXITSTATUS(ended) != status) fail_msg("%s: status %d", command, WEXITSTATUS(ended));
  return all;
}

/* What came back through callbacks. */
typedef struct heard {
  pthread_t thread; /* on which they must be called */
  size_t cases, messages, progress;
  size_t stop_after; /* cases; 0: never */
  text rows;
  ee_error first; /* message that is an error */
} heard;

static inline int on_case(void *user, const char *row, size_t length) {
  heard *self = user;
  assert_true(pthread_equal(self->thread, pthread_self()) != 0);
  assert_int_equal(strlen(row), length);
  self->rows.data = realloc(self->rows.data, self->rows.length + length + 2);
  memcpy(self->rows.data + self->rows.length, row, length);
  memcpy(self->rows.data + self->rows.length + length, "\n", 2);
  self->rows.length += length + 1;
  self->cases++;
  return self->stop_after > 0 && self->cases == self->stop_after;
}

static inline void on_message(void *user, const ee_error *error) {
  heard *self = user;
  assert_true(pthread_equal(self->thread, pthread_self()) != 0);
  self->messages++;
  if (error->status != EE_OK && self->first.message[0] == '\0') self->first = *error;
}

static inline int on_progress(void *user, const ee_progress_of_run *progress) {
  heard *self = user;
  assert_true(pthread_equal(self->thread, pthread_self()) != 0);
  assert_true(progress->cases == 0 ? isnan(progress->mean_score) : progress->mean_score >= 0);
  self->progress++;
  return 0;
}

static inline ee_evaluate_options listening(heard *user) {
  user->thread = pthread_self();
  return (ee_evaluate_options){.size = sizeof(ee_evaluate_options),
                               .on_case = on_case,
                               .on_message = on_message,
                               .on_progress = on_progress,
                               .user = user};
}

/* Bytes that are given in pieces of odd sizes. */
typedef struct pieces {
  text all;
  size_t at, size;
  pthread_t thread;
} pieces;

static inline ptrdiff_t read_pieces(void *user, char *out, size_t room) {
  pieces *self = user;
  assert_true(pthread_equal(self->thread, pthread_self()) != 0);
  size_t left = self->all.length - self->at, take = self->size < left ? self->size : left;
  if (take > room) take = room;
  memcpy(out, self->all.data + self->at, take);
  self->at += take;
  return (ptrdiff_t)take;
}

static inline ee_rules *rules_at(const char *path) {
  heard user = {.thread = pthread_self()};
  ee_rules *rules = ee_rules_load(path, on_message, &user);
  if (rules == NULL) fail_msg("%s: %s", path, user.first.message);
  return rules;
}

static inline ee_rules *rules_of(const char *lua) {
  heard user = {.thread = pthread_self()};
  ee_rules *rules = ee_rules_parse("test.lua", lua, strlen(lua), on_message, &user);
  if (rules == NULL) fail_msg("%s", user.first.message);
  return rules;
}

static inline ee_result *evaluated(const ee_rules *rules, const char *file, const ee_evaluate_options *options) {
  ee_error error = {0};
  ee_result *result = ee_evaluate(rules, &file, 1, options, &error);
  if (result == NULL) fail_msg("status %d: %s", (int)error.status, error.message);
  return result;
}

static inline text report_of(ee_result *result, const char *format, const char *const *arguments, size_t count) {
  ee_error error = {0};
  const char *data;
  size_t length;
  ee_status status = ee_result_report(result, format, arguments, count, &data, &length, &error);
  if (status != EE_OK) fail_msg("%s: %d: %s", format != NULL ? format : "the first report", (int)status, error.message);
  assert_int_equal(data[length], 0);
  text copy = {malloc(length + 1), length};
  memcpy(copy.data, data, length + 1);
  return copy;
}

static inline void assert_same(text found, text wanted) {
  size_t at = 0;
  while (at < found.length && at < wanted.length && found.data[at] == wanted.data[at]) at++;
  if (found.length != wanted.length || at < wanted.length)
    fail_msg("%zu and %zu bytes differ from byte %zu on: ...%.200s\n  instead of ...%.200s", found.length,
             wanted.length, at, found.data + at, wanted.data + at);
}

static inline void free_text(text *all) {
  free(all->data);
  *all = (text){NULL, 0};
}

#endif
