/* bench_work.c: recorded answers judged on many cores. */
#include "cli/bench_work.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/runtime.h"
#include "report/bench_trial.h"

#define MOST_WORKERS 1024
/* What a worker keeps of its memory from case to case. */
#define ARENA_KEPT ((size_t)4 << 20)

void ee_bench_case_open(ee_bench_case *current, const ee_bench_record *record, ee_arena *arena) {
  ee_error_list errors;
  ee_error_list_init(&errors);
  *current = (ee_bench_case){.record = record,
                             .schema = ee_json_schema_compile(arena, record->target_schema, &errors),
                             .document = {.text = record->document}};
  ee_error_list_fini(&errors);
}

void ee_bench_work_progress(const ee_bench_work *work) {
  size_t done = ee_bench_journal_count(work->journal) - work->resumed;
  ee_terminal_progress(work->terminal, done, done, work->set->count * work->trials - work->resumed);
}

/* Workers take one record after the other. */
typedef struct pool {
  ee_bench_work *work;
  pthread_mutex_t mutex; /* of what follows, the journal and the terminal */
  size_t next;
  ee_status status;
  ee_error error;
} pool;

/* The next record that lacks a trial; false when there is none, or the run is to end. */
static bool take_case(pool *self, size_t *number) {
  const ee_bench_work *work = self->work;
  bool found = false;
  pthread_mutex_lock(&self->mutex);
  while (!found && self->next < work->set->count && self->status == EE_OK && !ee_flag_is_set(work->interrupted)) {
    *number = self->next++;
    for (size_t t = 0; t < work->trials && !found; t++)
      found = ee_bench_journal_find(work->journal, *number, t).data == NULL;
  }
  pthread_mutex_unlock(&self->mutex);
  return found;
}

/* False when the run is to end. */
static bool keep(pool *self, size_t number, size_t trial, ee_str text) {
  pthread_mutex_lock(&self->mutex);
  if (self->status == EE_OK)
    self->status = ee_bench_journal_add(self->work->journal, number, trial, text, &self->error);
  ee_bench_work_progress(self->work);
  bool more = self->status == EE_OK && !ee_flag_is_set(self->work->interrupted);
  pthread_mutex_unlock(&self->mutex);
  return more;
}

static bool is_missing(pool *self, size_t number, size_t trial) {
  pthread_mutex_lock(&self->mutex);
  bool missing = ee_bench_journal_find(self->work->journal, number, trial).data == NULL;
  pthread_mutex_unlock(&self->mutex);
  return missing;
}

static void judge_case(pool *self, size_t number, ee_arena *arena, ee_buffer *text) {
  const ee_bench_record *record = &self->work->set->records[number];
  ee_bench_case current;
  ee_bench_case_open(&current, record, arena);
  bool more = true;
  for (size_t t = 0; t < self->work->trials && more; t++) {
    if (!is_missing(self, number, t)) continue;
    ee_buffer_clear(text);
    ee_bench_trial_write(record, &current.document, current.schema, record->answers[t % record->answer_count], NULL,
                         arena, text);
    more = keep(self, number, t, (ee_str){text->data, text->length});
  }
}

static void *run_worker(void *user) {
  pool *self = user;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_buffer text;
  ee_buffer_init(&text);
  size_t number;
  while (take_case(self, &number)) {
    judge_case(self, number, &arena, &text);
    ee_arena_reset(&arena, ARENA_KEPT);
  }
  ee_buffer_fini(&text);
  ee_arena_fini(&arena);
  return NULL;
}

ee_status ee_bench_work_recorded(ee_bench_work *work, unsigned jobs, ee_error *error) {
  pool self = {.work = work, .mutex = PTHREAD_MUTEX_INITIALIZER};
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  size_t count = jobs > 0 ? jobs : online > 0 ? (size_t)online : 1;
  if (count > work->set->count) count = work->set->count;
  if (count > MOST_WORKERS) count = MOST_WORKERS;
  pthread_t *threads = ee_calloc(count + 1, sizeof *threads);
  size_t started = 0;
  /* This thread is a worker too; where no further one can be made, those that there are do it all. */
  while (started + 1 < count && pthread_create(&threads[started], NULL, run_worker, &self) == 0) started++;
  run_worker(&self);
  for (size_t i = 0; i < started; i++) pthread_join(threads[i], NULL);
  free(threads);
  if (self.status != EE_OK && error != NULL) *error = self.error;
  return self.status;
}
