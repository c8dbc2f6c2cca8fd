/* run_listener.h: runs over temporary files, and what their hooks get. */
#ifndef EE_TESTS_JUDGE_RUN_LISTENER_H
#define EE_TESTS_JUDGE_RUN_LISTENER_H

#include "data/files/dataset.h"
#include "judge/small_rules.h"
#include "run/run.h"

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define GOOD(id) "{\"id\":\"" id "\",\"expected\":{\"number\":1},\"candidate\":{\"number\":1}}\n"

/* What the hooks of a run got. */
typedef struct listener {
  ee_buffer rows, messages;
  ee_buffer collected;       /* what collects results must get the same rows */
  atomic_uint foreign_calls; /* of format, on other threads than the test's */
  pthread_t thread;
  size_t writes, fail_at; /* the write that fails, from 1; 0: none */
  size_t commits, interrupt_at;
  volatile sig_atomic_t interrupted;
  uint64_t last_cases;
  bool unknown_total; /* of pipes */
} listener;

static inline void listen_format(void *user, const ee_case_result *result, ee_arena *scratch, ee_buffer *out) {
  listener *l = user;
  (void)scratch;
  if (!pthread_equal(pthread_self(), l->thread)) atomic_fetch_add(&l->foreign_calls, 1);
  ee_buffer_add_str(out, result->source->id);
  ee_buffer_addf(out, " %.17g %016" PRIx64 "\n", result->score, result->expected_hash);
}

static inline ee_status listen_write(void *user, const char *data, size_t length, ee_error *error) {
  listener *l = user;
  if (++l->writes == l->fail_at) return ee_error_set(error, EE_ERROR_SYSTEM, "cannot write: disk full");
  ee_buffer_add(&l->rows, data, length);
  return EE_OK;
}

static inline ee_status listen_collect(void *user, ee_str row, uint64_t *errors, ee_error *error) {
  (void)errors, (void)error;
  ee_buffer_add_str(&((listener *)user)->collected, row);
  return EE_OK;
}

static inline void listen_report(void *user, const ee_error *error) {
  listener *l = user;
  ee_buffer_add_text(&l->messages, error->status == EE_OK               ? "warning "
                                   : error->status == EE_ERROR_RULES    ? "rule "
                                   : error->status == EE_ERROR_PROVIDER ? "answer "
                                                                        : "");
  ee_error_print(error, &l->messages);
  ee_buffer_add_char(&l->messages, '\n');
}

static inline void listen_progress(void *user, uint64_t cases, const ee_sample *scores, uint64_t taken,
                                   uint64_t total) {
  listener *l = user;
  assert_true(taken <= total || l->unknown_total);
  assert_true(cases >= l->last_cases && scores->count <= cases);
  l->last_cases = cases;
  if (++l->commits == l->interrupt_at) __atomic_store_n(&l->interrupted, 1, __ATOMIC_RELAXED);
}

static inline void listener_open(listener *l) {
  memset(l, 0, sizeof *l);
  l->thread = pthread_self();
}

static inline void listener_close(listener *l) {
  ee_buffer_fini(&l->rows);
  ee_buffer_fini(&l->collected);
  ee_buffer_fini(&l->messages);
}

/* Runs `options` over files; fails the test unless the status is `status`. */
static inline ee_run_result run_files(const small_rules *rules, const char *const *files, size_t count,
                                      ee_run_options options, listener *l, ee_status status, ee_error *error) {
  ee_dataset *dataset = ee_dataset_open(files, count, error);
  assert_non_null(dataset);
  options.hooks = (ee_run_hooks){.user = l,
                                 .format = listen_format,
                                 .write = listen_write,
                                 .format_collected = listen_format,
                                 .collect = listen_collect,
                                 .report = listen_report,
                                 .progress = listen_progress};
  options.interrupted = &l->interrupted;
  ee_run_result result;
  assert_int_equal(ee_run(rules->plan, dataset, &options, &result, error), status);
  if (status == EE_OK) {
    assert_int_equal(l->collected.length, l->rows.length);
    if (l->rows.length > 0) assert_memory_equal(l->collected.data, l->rows.data, l->rows.length);
  }
  ee_dataset_close(dataset);
  return result;
}

static inline ee_run_result run_file(const small_rules *rules, const char *file, ee_run_options options, listener *l) {
  ee_error error = {0};
  return run_files(rules, &file, 1, options, l, EE_OK, &error);
}

/* Temporary files ---------------------------------------------------------------------------------------------------
 */

typedef struct temporary {
  char name[192];
  FILE *file;
} temporary;

static inline void temporary_open(temporary *t) {
  const char *folder = getenv("TMPDIR");
  snprintf(t->name, sizeof t->name, "%.150s/ee-test-run-XXXXXX", folder != NULL ? folder : P_tmpdir);
  int descriptor = mkstemp(t->name);
  assert_true(descriptor >= 0);
  t->file = fdopen(descriptor, "w");
  assert_non_null(t->file);
}

static inline void temporary_written(temporary *t) { assert_int_equal(fclose(t->file), 0); }
static inline void temporary_remove(temporary *t) { assert_int_equal(unlink(t->name), 0); }

static inline void temporary_fill(temporary *t, const char *text, size_t length) {
  temporary_open(t);
  assert_int_equal(fwrite(text, 1, length, t->file), length);
  temporary_written(t);
}

static inline void assert_same_buffer(const ee_buffer *a, const ee_buffer *b) {
  assert_int_equal(a->length, b->length);
  if (a->length > 0) assert_memory_equal(a->data, b->data, a->length);
}

static inline size_t count_newlines(const ee_buffer *buffer) {
  size_t count = 0;
  for (size_t i = 0; i < buffer->length; i++) count += buffer->data[i] == '\n';
  return count;
}

#endif
