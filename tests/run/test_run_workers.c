/* test_run_workers.c: as many workers as were asked for, what they measure of their time, and what they do not judge.
 */
#include "run/run_listener.h"

#include <time.h>

/* As many threads as were asked for judge, and no more ------------------------------------------- */

enum { MOST_THREADS = 16 };

typedef struct meeting {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  unsigned wanted;
  pthread_t threads[MOST_THREADS];
  unsigned count;
  unsigned rows;
} meeting;

static void short_while(void) { nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL); }

/* Waits until so many threads have been here. */
static void meet(void *user, const ee_case_result *result, ee_arena *scratch, ee_buffer *out) {
  meeting *self = user;
  (void)result, (void)scratch, (void)out;
  struct timespec end;
  clock_gettime(CLOCK_REALTIME, &end);
  end.tv_sec += 20;
  pthread_mutex_lock(&self->lock);
  unsigned number = 0;
  while (number < self->count && !pthread_equal(self->threads[number], pthread_self())) number++;
  if (number == self->count && number < MOST_THREADS) self->threads[self->count++] = pthread_self();
  self->rows++;
  pthread_cond_broadcast(&self->changed);
  while (self->count < self->wanted && pthread_cond_timedwait(&self->changed, &self->lock, &end) == 0) continue;
  pthread_mutex_unlock(&self->lock);
  short_while(); /* time for one too many to take a record */
}

static void test_number_of_workers(void **state) {
  (void)state;
  small_rules rules;
  small_rules_open(&rules);
  temporary file;
  temporary_open(&file);
  enum { RECORDS = 60 };
  for (int i = 0; i < RECORDS; i++) fprintf(file.file, "{\"id\":\"%d\",\"expected\":1}\n", i);
  temporary_written(&file);
  for (unsigned jobs = 1; jobs <= 5; jobs++) {
    meeting self = {.wanted = jobs};
    pthread_mutex_init(&self.lock, NULL);
    pthread_cond_init(&self.changed, NULL);
    const char *name = file.name;
    ee_error error = {0};
    ee_dataset *dataset = ee_dataset_open(&name, 1, &error);
    atomic_store(&rules.opened, 0);
    ee_run_options options = {.jobs = jobs, .block_size = 1, .hooks = {.user = &self, .format = meet}};
    ee_run_result result;
    assert_int_equal(ee_run(rules.plan, dataset, &options, &result, &error), EE_OK);
    assert_int_equal(self.count, jobs);
    assert_int_equal(self.rows, RECORDS);
    assert_int_equal(atomic_load(&rules.opened), jobs);
    bool here = false;
    for (unsigned i = 0; i < self.count; i++) here = here || pthread_equal(self.threads[i], pthread_self());
    assert_true(here); /* the caller's thread works, too */
    ee_totals_fini(&result.totals);
    ee_dataset_close(dataset);
    pthread_mutex_destroy(&self.lock);
    pthread_cond_destroy(&self.changed);
  }
  temporary_remove(&file);
  small_rules_close(&rules);
}

/* What is judged while a commit takes long --------------------------------------------------------- */

typedef struct long_commit {
  atomic_uint judged;
  unsigned wanted, seen; /* while the first block is being written */
  ee_buffer rows;
} long_commit;

static void count_judged(void *user, const ee_case_result *result, ee_arena *scratch, ee_buffer *out) {
  long_commit *self = user;
  (void)scratch;
  ee_buffer_add_str(out, result->source->id);
  atomic_fetch_add(&self->judged, 1);
}

static ee_status write_first_long(void *user, const char *data, size_t length, ee_error *error) {
  long_commit *self = user;
  (void)error;
  if (self->rows.length == 0) {
    for (int i = 0; i < 10000 && atomic_load(&self->judged) < self->wanted; i++) short_while();
    for (int i = 0; i < 25; i++) short_while(); /* time for one too many */
    self->seen = atomic_load(&self->judged);
  }
  ee_buffer_add(&self->rows, data, length);
  return EE_OK;
}

static ee_status keep_nothing(void *user, const ee_run_place *place, ee_totals *since, bool last, bool *kept,
                              ee_error *error) {
  (void)user, (void)place, (void)since, (void)last, (void)kept, (void)error;
  return EE_OK;
}

/* Longer than all blocks that are put aside may take where checkpoints are kept. */
static void count_judged_late(void *user, const ee_case_result *result, ee_arena *scratch, ee_buffer *out) {
  for (int i = 0; i < 12; i++) short_while();
  count_judged(user, result, scratch, out);
}

/* Returns how many blocks are judged while the first one is written; at most `wanted`, if that is the limit. */
static unsigned count_while_writing(const ee_plan *plan, const char *file, ee_run_options options, unsigned wanted) {
  long_commit self = {.wanted = wanted};
  options.block_size = 1;
  options.hooks.user = &self;
  options.hooks.write = write_first_long;
  ee_error error = {0};
  ee_dataset *dataset = ee_dataset_open(&file, 1, &error);
  ee_run_result result;
  assert_int_equal(ee_run(plan, dataset, &options, &result, &error), EE_OK);
  assert_int_equal(result.totals.scored, 26);
  assert_string_equal(ee_buffer_terminate(&self.rows), "abcdefghijklmnopqrstuvwxyz");
  ee_buffer_fini(&self.rows);
  ee_totals_fini(&result.totals);
  ee_dataset_close(dataset);
  return self.seen;
}

/* The other worker judges five blocks and waits; only one where later blocks might be judged in vain, or where a run
 * that is killed would lose what took long. */
static void test_blocks_put_aside(void **state) {
  (void)state;
  small_rules rules;
  small_rules_open(&rules);
  temporary file;
  temporary_open(&file);
  for (char id = 'a'; id <= 'z'; id++) fprintf(file.file, "{\"id\":\"%c\",\"expected\":1}\n", id);
  temporary_written(&file);
  const ee_run_hooks fast = {.format = count_judged};
  const ee_run_hooks kept = {.format = count_judged, .checkpoint = keep_nothing};
  const ee_run_hooks slow = {.format = count_judged_late, .checkpoint = keep_nothing};
  const struct {
    ee_run_options options;
    unsigned wanted;
  } runs[] = {{{.jobs = 2, .hooks = fast}, 6},
              {{.jobs = 2, .strict = true, .hooks = fast}, 2},
              {{.jobs = 2, .limit = 26, .hooks = fast}, 2},
              {{.jobs = 1, .hooks = fast}, 1},
              {{.jobs = 2, .hooks = slow}, 2}};
  for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
    assert_int_equal(count_while_writing(rules.plan, file.name, runs[i].options, runs[i].wanted), runs[i].wanted);
  /* On a busy machine a block may take long. */
  unsigned most = 0;
  for (int i = 0; i < 50 && most < 6; i++) {
    unsigned seen = count_while_writing(rules.plan, file.name, (ee_run_options){.jobs = 2, .hooks = kept}, 6);
    most = seen > most ? seen : most;
  }
  assert_int_equal(most, 6);
  temporary_remove(&file);
  small_rules_close(&rules);
}

/* Time -------------------------------------------------------------------------------------------- */

static ee_status judge_slowly(ee_script *script, int function, const ee_script_model *model,
                              ee_script_judgement *result, ee_error *error) {
  short_while();
  return small_judge(script, function, model, result, error);
}

static void format_slowly(void *user, const ee_case_result *result, ee_arena *scratch, ee_buffer *out) {
  (void)user, (void)result, (void)scratch;
  ee_buffer_add_char(out, '\n');
  short_while();
}

static ee_status write_slowly(void *user, const char *data, size_t length, ee_error *error) {
  (void)user, (void)data, (void)length, (void)error;
  short_while();
  return EE_OK;
}

static void *write_later(void *argument) {
  const int *end = argument;
  static const char text[] = GOOD("a") GOOD("b") GOOD("c") GOOD("d");
  for (size_t i = 0, length = (sizeof text - 1) / 4; i < 4; i++) {
    short_while();
    assert_int_equal(write(*end, text + i * length, length), length);
  }
  close(*end);
  return NULL;
}

/* Each phase has its own time, and no time is in two phases; of none anything without being asked. */
static void test_timings(void **state) {
  (void)state;
  static const uint64_t short_ns = 2000000;
  small_rules rules;
  small_rules_open(&rules);
  ee_script_vtable slow = small_vtable;
  slow.judge = judge_slowly;
  rules.plan->vtable = &slow;
  for (unsigned i = 0; i < 8; i++) {
    bool asked = i % 2 == 1, in_one = i / 2 % 2 == 0, formats = i / 4 == 1;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    char name[32];
    snprintf(name, sizeof name, "/dev/fd/%d", ends[0]);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, write_later, &ends[1]), 0);
    const char *names[] = {name};
    ee_error error = {0};
    ee_dataset *dataset = ee_dataset_open(names, 1, &error);
    assert_non_null(dataset);
    ee_run_options options = {.jobs = 1, .block_size = in_one ? 0 : 1, .timings = asked};
    if (formats) options.hooks = (ee_run_hooks){.format = format_slowly, .write = write_slowly};
    ee_run_result result;
    assert_int_equal(ee_run(rules.plan, dataset, &options, &result, &error), EE_OK);
    pthread_join(thread, NULL);
    close(ends[0]);
    const ee_run_timings *t = &result.timings;
    assert_int_equal(result.totals.scored, 4);
    assert_true(t->wall_ns >= 4 * short_ns);
    assert_int_equal(t->ask_ns, 0);
    if (!asked) {
      assert_int_equal(t->read_ns + t->judge_ns + t->write_ns, 0);
    } else {
      assert_true(t->judge_ns >= 4 * short_ns);
      assert_true(t->read_ns > 0);
      if (formats)
        assert_true(t->write_ns >= 5 * short_ns);
      else
        assert_int_equal(t->write_ns, 0);
      assert_true(t->read_ns + t->judge_ns + t->write_ns <= t->wall_ns);
    }
    ee_totals_fini(&result.totals);
    ee_dataset_close(dataset);
  }
  small_rules_close(&rules);
}

/* Limits ------------------------------------------------------------------------------------------ */

static void count_rows(void *user, const ee_case_result *result, ee_arena *scratch, ee_buffer *out) {
  (void)result, (void)scratch, (void)out;
  ++*(unsigned *)user;
}

/* Up to a limit of 1,000 no case beyond it is judged; above that, those of a block may be. */
static void test_limits_of_which_no_more_is_judged(void **state) {
  (void)state;
  small_rules rules;
  small_rules_open(&rules);
  temporary file;
  temporary_open(&file);
  enum { RECORDS = 1200 };
  for (int i = 0; i < RECORDS; i++) fprintf(file.file, "{\"id\":\"%d\",\"expected\":1}\n", i);
  temporary_written(&file);
  static const unsigned limits[] = {1, 999, 1000, 1001, RECORDS, RECORDS + 1};
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
    const char *name = file.name;
    ee_error error = {0};
    ee_dataset *dataset = ee_dataset_open(&name, 1, &error);
    unsigned rows = 0;
    ee_run_options options = {.jobs = 1, .limit = limits[i], .hooks = {.user = &rows, .format = count_rows}};
    ee_run_result result;
    assert_int_equal(ee_run(rules.plan, dataset, &options, &result, &error), EE_OK);
    unsigned most = limits[i] < RECORDS ? limits[i] : RECORDS;
    assert_int_equal(result.totals.scored, most);
    if (limits[i] <= 1000) assert_int_equal(rows, most);
    /* Judged in one block, and that again up to the limit. */
    if (limits[i] == 1001) assert_int_equal(rows, RECORDS + 1001);
    ee_totals_fini(&result.totals);
    ee_dataset_close(dataset);
  }
  temporary_remove(&file);
  small_rules_close(&rules);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_number_of_workers), cmocka_unit_test(test_blocks_put_aside),
             cmocka_unit_test(test_timings), cmocka_unit_test(test_limits_of_which_no_more_is_judged));
