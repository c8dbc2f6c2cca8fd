/* test_resume.c: a run that goes on from any of its checkpoints ends as if it had never been cut short. */
#include "run/run_listener.h"
#include "support/random.h"
#include "support/totals_text.h"

enum { RECORDS = 1500, MAX_PLACES = 5000 };

/* A checkpoint: what was committed until then. */
typedef struct checkpoint {
  ee_run_place place;
  ee_str totals; /* since the one before */
  size_t rows, messages, collected;
} checkpoint;

typedef struct recorder {
  listener listener; /* first: the hooks' `user` */
  ee_arena arena;
  checkpoint items[MAX_PLACES];
  size_t count;
  size_t every; /* keeps each of so many */
  size_t offered;
  bool last;
} recorder;

static ee_status record_checkpoint(void *user, const ee_run_place *place, ee_totals *since, bool last, bool *kept,
                                   ee_error *error) {
  recorder *self = user;
  (void)error;
  self->last = self->last || last;
  if (!last && self->offered++ % self->every != 0) return EE_OK; /* nothing is said: not kept */
  *kept = true;
  assert_true(self->count < MAX_PLACES);
  self->items[self->count++] = (checkpoint){.place = *place,
                                            .totals = totals_save(since, &self->arena),
                                            .rows = self->listener.rows.length,
                                            .messages = self->listener.messages.length,
                                            .collected = self->listener.collected.length};
  return EE_OK;
}

static void recorder_open(recorder *self, size_t every) {
  memset(self, 0, sizeof *self);
  listener_open(&self->listener);
  ee_arena_init(&self->arena, 0);
  self->every = every;
}

static void recorder_close(recorder *self) {
  listener_close(&self->listener);
  ee_arena_fini(&self->arena);
}

/* What is run, and how. */
typedef struct settings {
  const small_rules *rules;
  const char *file, *more; /* another one, or NULL */
  const char *expected;
  ee_run_options options;
} settings;

static ee_run_result run_recorded(const settings *setting, size_t block, recorder *self, ee_status status,
                                  ee_error *error) {
  ee_run_options options = setting->options;
  const char *const files[] = {setting->file, setting->more};
  ee_dataset *dataset = ee_dataset_open(files, setting->more != NULL ? 2 : 1, error);
  assert_non_null(dataset);
  options.block_size = block;
  ee_error_list errors;
  ee_error_list_init(&errors);
  if (setting->expected != NULL) {
    options.expected = ee_expected_set_open(setting->expected, NULL, NULL, &errors, error);
    assert_non_null(options.expected);
  }
  options.hooks = (ee_run_hooks){.user = self,
                                 .format = listen_format,
                                 .write = listen_write,
                                 .format_collected = listen_format,
                                 .collect = listen_collect,
                                 .report = listen_report,
                                 .checkpoint = record_checkpoint,
                                 .progress = listen_progress};
  options.interrupted = &self->listener.interrupted;
  ee_run_result result;
  assert_int_equal(ee_run(setting->rules->plan, dataset, &options, &result, error), status);
  ee_expected_set_close(options.expected);
  ee_error_list_fini(&errors);
  ee_dataset_close(dataset);
  return result;
}

/* The totals of the first `count` checkpoints. */
static void restore(const recorder *reference, size_t count, ee_totals *totals, const ee_plan *plan) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_totals_init(totals, plan);
  for (size_t i = 0; i < count; i++) {
    ee_totals part;
    assert_true(totals_load(&part, plan, reference->items[i].totals, &arena));
    ee_totals_merge(totals, &part);
    ee_totals_fini(&part);
  }
  ee_arena_fini(&arena);
}

/* Goes on from checkpoint `number` of `reference`. */
static ee_run_result resume(const settings *setting, const recorder *reference, size_t number, size_t block,
                            recorder *self, ee_status status, ee_error *error) {
  const checkpoint *from = &reference->items[number];
  settings resumed = *setting;
  ee_totals before;
  restore(reference, number + 1, &before, setting->rules->plan);
  resumed.options.from = &from->place;
  resumed.options.before = &before;
  recorder_open(self, 1);
  ee_buffer_add(&self->listener.rows, reference->listener.rows.data, from->rows);
  ee_buffer_add(&self->listener.messages, reference->listener.messages.data, from->messages);
  ee_buffer_add(&self->listener.collected, reference->listener.collected.data, from->collected);
  ee_run_result result = run_recorded(&resumed, block, self, status, error);
  ee_totals_fini(&before);
  return result;
}

static void assert_resumes(const settings *setting, const recorder *reference, ee_run_result *whole, size_t number,
                           size_t block) {
  recorder *self = ee_calloc(1, sizeof *self);
  ee_error error = {0};
  ee_run_result result = resume(setting, reference, number, block, self, EE_OK, &error);
  assert_same_buffer(&self->listener.rows, &reference->listener.rows);
  assert_same_buffer(&self->listener.messages, &reference->listener.messages);
  assert_same_buffer(&self->listener.collected, &reference->listener.collected);
  assert_int_equal(result.data_errors, whole->data_errors);
  assert_int_equal(result.stopped, whole->stopped);
  ee_str a = totals_save(&result.totals, &self->arena), b = totals_save(&whole->totals, &self->arena);
  assert_true(ee_str_equal(a, b));
  ee_totals_fini(&result.totals);
  recorder_close(self);
  ee_free(self);
}

/* Runs `setting` whole, then from many of its checkpoints, with other numbers of workers and other blocks. Returns the
 * errors of the last place. */
static uint64_t check(settings setting, uint64_t seed) {
  test_random random = test_random_start("resume", seed);
  recorder *reference = ee_calloc(1, sizeof *reference);
  recorder_open(reference, 1);
  ee_error error = {0};
  setting.options.jobs = 1;
  ee_run_result whole = run_recorded(&setting, 3000, reference, EE_OK, &error);
  assert_true(reference->count > 2);
  assert_int_equal(reference->last, !whole.stopped);
  for (size_t i = 1; i < reference->count; i++) {
    const ee_run_place *before = &reference->items[i - 1].place, *place = &reference->items[i].place;
    assert_true(place->records >= before->records && place->errors >= before->errors && place->cases >= before->cases);
  }
  uint64_t errors = reference->items[reference->count - 1].place.errors;
  for (size_t i = 0; i < 24; i++) {
    static const size_t blocks[] = {1, 700, 3000, 40000};
    size_t number = i == 0 ? 0 : i == 1 ? reference->count - 1 : test_random_below(&random, (uint32_t)reference->count);
    setting.options.jobs = (unsigned)(1 + test_random_below(&random, 4));
    assert_resumes(&setting, reference, &whole, number, blocks[test_random_below(&random, 4)]);
  }
  ee_totals_fini(&whole.totals);
  recorder_close(reference);
  ee_free(reference);
  return errors;
}

/* Good records, duplicates, broken ones, some that raise an error of the rules, and lines that are no records. */
static void write_records(ee_buffer *text, uint64_t seed) {
  test_random random = test_random_start("resume", seed);
  for (size_t i = 0; i < RECORDS; i++) {
    size_t id = test_random_below(&random, 20) == 0 ? test_random_below(&random, RECORDS) : i;
    switch (test_random_below(&random, 20)) {
    case 0: ee_buffer_addf(text, "{\"id\":\"c%zu\" \"expected\":{}}\n", id); break;
    case 1: ee_buffer_addf(text, "{\"id\":\"c%zu\",\"candidate\":{}}\n", id); break;
    case 2: ee_buffer_add_text(text, "\n"); break;
    default:
      ee_buffer_addf(text,
                     "{\"id\":\"c%zu\",\"expected\":{\"number\":%zu,\"total\":%zu},\"candidate\":{\"number\":%zu,"
                     "\"total\":%zu},\"lang\":\"l%zu\",\"kind\":\"k%zu\",\"raise\":%s,\"id2\":1,\"id2\":2}\n",
                     id, i, i % 3, i - i % 2, test_random_below(&random, 3), i % 7, i % 11,
                     test_random_below(&random, 20) == 0 ? "true" : "false");
    }
  }
}

static void test_from_every_place(void **state) {
  (void)state;
  small_rules rules;
  small_rules_open(&rules);
  ee_buffer text = {0};
  write_records(&text, 1);
  temporary file;
  temporary_fill(&file, text.data, text.length);
  settings setting = {.rules = &rules, .file = file.name};
  check(setting, 1);
  setting.options = (ee_run_options){.limit = 1200};
  check(setting, 2);
  static const char *const only[] = {"c*7"};
  setting.options = (ee_run_options){.limit = 60, .choice = {.only = only, .only_count = 1}};
  check(setting, 3);
  temporary_remove(&file);
  ee_buffer_fini(&text);
  small_rules_close(&rules);
}

/* One array, in which a value is missing between the records, an error that is no record; more of them than are listed,
 * so that a note follows. */
static void test_errors_without_a_record(void **state) {
  (void)state;
  small_rules rules;
  small_rules_open(&rules);
  ee_buffer text = {0};
  ee_buffer_add_char(&text, '[');
  for (size_t i = 0; i < 2500; i++)
    ee_buffer_addf(&text, "%s{\"id\":\"a%zu\",\"expected\":{\"number\":1},\"candidate\":{\"number\":%zu}}",
                   i == 0       ? ""
                   : i % 2 == 0 ? ",,"
                                : ",\n",
                   i, i % 3);
  ee_buffer_add_text(&text, ",,,]\n");
  temporary file;
  temporary_fill(&file, text.data, text.length);
  /* 1,249 between records, three after the last one, and the note how many are not listed. */
  assert_int_equal(check((settings){.rules = &rules, .file = file.name}, 4), 1249 + 3 + 1);
  /* They count for what comes after them, too. */
  temporary more;
  static const char rest[] =
      "[{\"id\":\"x\",\"expected\":1},,{\"id\":\"y\",\"expected\":1},{\"id\":\"z\",\"expected\":1}]";
  temporary_fill(&more, rest, sizeof rest - 1);
  assert_int_equal(check((settings){.rules = &rules, .file = file.name, .more = more.name}, 7), 1249 + 3 + 1 + 1);
  temporary_remove(&more);
  temporary_remove(&file);
  ee_buffer_fini(&text);
  small_rules_close(&rules);
}

/* Expected values in a file of their own: which were asked for is known after resuming, too. */
static void test_expected_values(void **state) {
  (void)state;
  small_rules rules;
  small_rules_open(&rules);
  ee_buffer text = {0}, truth = {0};
  for (size_t i = 0; i < RECORDS; i++) {
    if (i % 3 != 0) ee_buffer_addf(&text, "{\"id\":\"c%zu\",\"candidate\":{\"number\":%zu}}\n", i, i % 5);
    ee_buffer_addf(&truth, "{\"id\":\"c%zu\",\"expected\":{\"number\":%zu}}\n", i, i % 7);
  }
  temporary file, expected;
  temporary_fill(&file, text.data, text.length);
  temporary_fill(&expected, truth.data, truth.length);
  settings setting = {.rules = &rules, .file = file.name, .expected = expected.name, .options = {.judge_absent = true}};
  check(setting, 5);
  temporary_remove(&file);
  temporary_remove(&expected);
  ee_buffer_fini(&text);
  ee_buffer_fini(&truth);
  small_rules_close(&rules);
}

/* Expected values without a record are judged where that is asked for, after all records. */
static void test_absent_records(void **state) {
  (void)state;
  small_rules rules;
  small_rules_open(&rules);
  static const char records[] = "{\"id\":\"b\",\"candidate\":{\"number\":1}}\n",
                    truth[] = "{\"id\":\"a\",\"expected\":{\"number\":1}}\n{\"id\":\"b\",\"expected\":{\"number\":1}}\n"
                              "{\"id\":\"c\",\"expected\":{\"number\":1}}\n";
  temporary file, expected;
  temporary_fill(&file, records, sizeof records - 1);
  temporary_fill(&expected, truth, sizeof truth - 1);
  for (int asked = 0; asked < 2; asked++) {
    settings setting = {
        .rules = &rules, .file = file.name, .expected = expected.name, .options = {.judge_absent = asked == 1}};
    recorder *self = ee_calloc(1, sizeof *self);
    recorder_open(self, 1);
    ee_error error = {0};
    ee_run_result result = run_recorded(&setting, 3000, self, EE_OK, &error);
    assert_int_equal(result.totals.records, 1);
    assert_int_equal(result.totals.absent, asked == 1 ? 2 : 0);
    assert_int_equal(result.totals.scored, asked == 1 ? 3 : 1);
    assert_int_equal(count_newlines(&self->listener.rows), asked == 1 ? 3 : 1);
    assert_int_equal(self->listener.rows.data[0], 'b');
    ee_totals_fini(&result.totals);
    recorder_close(self);
    ee_free(self);
  }
  temporary_remove(&file);
  temporary_remove(&expected);
  small_rules_close(&rules);
}

/* An interrupt loses nothing that was committed. */
static void test_interrupts(void **state) {
  (void)state;
  small_rules rules;
  small_rules_open(&rules);
  ee_buffer text = {0};
  write_records(&text, 6);
  temporary file;
  temporary_fill(&file, text.data, text.length);
  settings setting = {.rules = &rules, .file = file.name, .options = {.jobs = 1}};
  ee_error error = {0};
  recorder *whole = ee_calloc(1, sizeof *whole), *cut = ee_calloc(1, sizeof *cut);
  recorder_open(whole, 1);
  ee_run_result result = run_recorded(&setting, 3000, whole, EE_OK, &error);
  for (unsigned jobs = 1; jobs <= 4; jobs++) {
    for (size_t at = 1; at < 40; at += 13) {
      recorder_open(cut, SIZE_MAX); /* the first commit, and the end */
      cut->listener.interrupt_at = at;
      setting.options.jobs = jobs;
      ee_run_result first = run_recorded(&setting, 3000, cut, EE_OK, &error);
      assert_true(first.interrupted);
      assert_int_equal(cut->items[cut->count - 1].rows, cut->listener.rows.length);
      ee_totals_fini(&first.totals);
      recorder *rest = ee_calloc(1, sizeof *rest);
      ee_run_result second = resume(&setting, cut, cut->count - 1, 3000, rest, EE_OK, &error);
      assert_same_buffer(&rest->listener.rows, &whole->listener.rows);
      assert_same_buffer(&rest->listener.messages, &whole->listener.messages);
      ee_str a = totals_save(&second.totals, &rest->arena), b = totals_save(&result.totals, &rest->arena);
      assert_true(ee_str_equal(a, b));
      ee_totals_fini(&second.totals);
      recorder_close(rest);
      recorder_close(cut);
      ee_free(rest);
    }
  }
  ee_totals_fini(&result.totals);
  recorder_close(whole);
  ee_free(whole);
  ee_free(cut);
  temporary_remove(&file);
  ee_buffer_fini(&text);
  small_rules_close(&rules);
}

/* A checkpoint that cannot be written ------------------------------------------------------------ */

typedef struct failing {
  pthread_mutex_t lock;
  pthread_cond_t formatted;
  size_t cases, offered, writes;
} failing;

static void count_format(void *user, const ee_case_result *result, ee_arena *scratch, ee_buffer *out) {
  failing *self = user;
  (void)result, (void)scratch;
  ee_buffer_add_char(out, '.');
  pthread_mutex_lock(&self->lock);
  self->cases++;
  pthread_cond_broadcast(&self->formatted);
  pthread_mutex_unlock(&self->lock);
}

static ee_status count_write(void *user, const char *data, size_t length, ee_error *error) {
  (void)data, (void)length, (void)error;
  ((failing *)user)->writes++;
  return EE_OK;
}

/* Another worker has judged the next block by then. */
static ee_status fail_checkpoint(void *user, const ee_run_place *place, ee_totals *since, bool last, bool *kept,
                                 ee_error *error) {
  failing *self = user;
  (void)place, (void)since, (void)last, (void)kept;
  struct timespec end;
  clock_gettime(CLOCK_REALTIME, &end);
  end.tv_sec += 20;
  pthread_mutex_lock(&self->lock);
  while (self->cases < 2 && pthread_cond_timedwait(&self->formatted, &self->lock, &end) == 0) continue;
  self->offered++;
  pthread_mutex_unlock(&self->lock);
  return ee_error_set(error, EE_ERROR_SYSTEM, "disk full, attempt %zu", self->offered);
}

/* Ends the run at once: what was judged meanwhile is not committed. The first failure is the one that is reported. */
static void test_failed_checkpoint(void **state) {
  (void)state;
  small_rules rules;
  small_rules_open(&rules);
  temporary file;
  static const char text[] = GOOD("a") GOOD("b") GOOD("c") GOOD("d");
  temporary_fill(&file, text, sizeof text - 1);
  for (size_t round = 0; round < 20; round++) {
    failing self = {.cases = 0};
    pthread_mutex_init(&self.lock, NULL);
    pthread_cond_init(&self.formatted, NULL);
    ee_error error = {0};
    const char *name = file.name;
    ee_dataset *dataset = ee_dataset_open(&name, 1, &error);
    assert_non_null(dataset);
    ee_run_options options = {
        .jobs = 2,
        .block_size = 1,
        .hooks = {.user = &self, .format = count_format, .write = count_write, .checkpoint = fail_checkpoint}};
    ee_run_result result;
    assert_int_equal(ee_run(rules.plan, dataset, &options, &result, &error), EE_ERROR_SYSTEM);
    assert_string_equal(error.message, "disk full, attempt 1");
    assert_int_equal(self.writes, 1);
    assert_int_equal(result.totals.scored, 1);
    ee_totals_fini(&result.totals);
    ee_dataset_close(dataset);
    pthread_cond_destroy(&self.formatted);
    pthread_mutex_destroy(&self.lock);
  }
  temporary_remove(&file);
  small_rules_close(&rules);
}

static ee_status collect_third(void *user, ee_str row, uint64_t *errors, ee_error *error) {
  recorder *self = user;
  (void)errors;
  ee_buffer_add_str(&self->listener.collected, row);
  return count_newlines(&self->listener.collected) == 3 ? ee_error_set(error, EE_ERROR_SYSTEM, "disk full") : EE_OK;
}

/* What could not be collected is not in a checkpoint: a resumed run judges it again. */
static void test_failed_collection(void **state) {
  (void)state;
  small_rules rules;
  small_rules_open(&rules);
  temporary file;
  static const char text[] = GOOD("a") GOOD("b") GOOD("c") GOOD("d") GOOD("e");
  temporary_fill(&file, text, sizeof text - 1);
  for (unsigned jobs = 1; jobs <= 3; jobs++) {
    for (size_t block = 0; block < 2; block++) {
      recorder *self = ee_calloc(1, sizeof *self);
      recorder_open(self, 1);
      ee_error error = {0};
      const char *name = file.name;
      ee_dataset *dataset = ee_dataset_open(&name, 1, &error);
      ee_run_options options = {.jobs = jobs, .block_size = block == 0 ? 1 : sizeof text};
      options.hooks = (ee_run_hooks){.user = self,
                                     .format = listen_format,
                                     .write = listen_write,
                                     .format_collected = listen_format,
                                     .collect = collect_third,
                                     .checkpoint = record_checkpoint};
      ee_run_result result;
      assert_int_equal(ee_run(rules.plan, dataset, &options, &result, &error), EE_ERROR_SYSTEM);
      assert_string_equal(error.message, "disk full");
      assert_true(self->last);
      for (size_t i = 0; i < self->count; i++)
        assert_int_equal(self->items[i].place.records, block > 0 ? 0 : i < 2 ? i + 1 : 2);
      assert_int_equal(self->count, block > 0 ? 1 : 3);
      ee_totals_fini(&result.totals);
      ee_dataset_close(dataset);
      recorder_close(self);
      ee_free(self);
    }
  }
  temporary_remove(&file);
  small_rules_close(&rules);
}

static void assert_changed(const settings *setting, const recorder *reference, size_t number) {
  recorder *self = ee_calloc(1, sizeof *self);
  ee_error error = {0};
  size_t rows = reference->items[number].rows;
  ee_run_result result = resume(setting, reference, number, 3000, self, EE_ERROR_RULES, &error);
  char message[128];
  snprintf(message, sizeof message, "the data has changed: its first %" PRIu64 " records are others than before",
           reference->items[number].place.records);
  assert_string_equal(error.message, message);
  assert_int_equal(self->listener.rows.length, rows);
  assert_int_equal(self->count, 0);
  ee_totals_fini(&result.totals);
  recorder_close(self);
  ee_free(self);
}

/* Other data before the place is refused; what comes after it may differ. */
static void test_other_data(void **state) {
  (void)state;
  small_rules rules;
  small_rules_open(&rules);
  ee_buffer text = {0};
  for (size_t i = 0; i < RECORDS; i++)
    ee_buffer_addf(&text, "{\"id\":\"c%04zu\",\"expected\":{\"number\":1},\"candidate\":{\"number\":%zu}}\n", i, i % 3);
  size_t length = text.length / RECORDS;
  temporary file, other;
  temporary_fill(&file, text.data, text.length);
  settings setting = {.rules = &rules, .file = file.name, .options = {.jobs = 2}};
  recorder *reference = ee_calloc(1, sizeof *reference);
  recorder_open(reference, 1);
  ee_error error = {0};
  ee_run_result whole = run_recorded(&setting, 3000, reference, EE_OK, &error);
  size_t number = reference->count / 2, records = (size_t)reference->items[number].place.records;
  /* Another name of the file is other data: messages have it. */
  temporary_fill(&other, text.data, text.length);
  setting.file = other.name;
  assert_changed(&setting, reference, number);
  temporary_remove(&other);
  setting.file = file.name;
  FILE *open = fopen(file.name, "r+b");
  assert_non_null(open);
  assert_int_equal(fseek(open, (long)(records * length + 1), SEEK_SET), 0);
  assert_int_equal(fputc('x', open), 'x'); /* in the first record after the place */
  assert_int_equal(fflush(open), 0);
  recorder *self = ee_calloc(1, sizeof *self);
  ee_run_result result = resume(&setting, reference, number, 3000, self, EE_OK, &error);
  assert_int_equal(result.totals.unreadable, 1);
  ee_totals_fini(&result.totals);
  recorder_close(self);
  ee_free(self);
  assert_int_equal(fseek(open, (long)((records - 1) * length + 10), SEEK_SET), 0);
  assert_int_equal(fputc('y', open), 'y'); /* in the last one before it */
  assert_int_equal(fclose(open), 0);
  assert_changed(&setting, reference, number);
  assert_int_equal(truncate(file.name, (off_t)((records - 1) * length)), 0);
  assert_changed(&setting, reference, number);
  assert_int_equal(truncate(file.name, 0), 0);
  assert_changed(&setting, reference, number);
  ee_totals_fini(&whole.totals);
  recorder_close(reference);
  ee_free(reference);
  temporary_remove(&file);
  ee_buffer_fini(&text);
  small_rules_close(&rules);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_from_every_place), cmocka_unit_test(test_errors_without_a_record),
             cmocka_unit_test(test_expected_values), cmocka_unit_test(test_absent_records),
             cmocka_unit_test(test_interrupts), cmocka_unit_test(test_other_data),
             cmocka_unit_test(test_failed_checkpoint), cmocka_unit_test(test_failed_collection));
