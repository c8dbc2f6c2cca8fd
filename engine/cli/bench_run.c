/* bench_run.c: `evalengine bench run`: records to trials, in the journal, to run.json and its report. */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/data_folder.h"
#include "base/memory.h"
#include "base/runtime.h"
#include "cli/bench.h"
#include "cli/bench_journal.h"
#include "cli/interrupt.h"
#include "cli/load.h"
#include "cli/output.h"
#include "data/json/json_reader.h"
#include "data/json/json_writer.h"
#include "judge/extraction/quote_check.h"
#include "report/bench_trial.h"

#define DEFAULT_TRIALS 3

#define MAX_WORKERS 1024
/* Memory that a worker keeps from case to case. */
#define ARENA_KEPT ((size_t)4 << 20)
/* Requests in flight at a time; an interrupt loses at most this many trials. */
#define BLOCK 64

/* Everything one run holds. */
typedef struct bench_run {
  const ee_options *options;
  ee_terminal *terminal;
  ee_arena arena;
  const char *out;
  const char *part; /* the journal beside it */
  const char *const *files;
  size_t file_count;
  ee_bench_set set;
  ee_bench_head head;
  ee_provider *provider; /* NULL: recorded answers */
  ee_bench_journal *journal;
  size_t resumed; /* trials that the journal had at the start */
  const volatile sig_atomic_t *interrupted;
  ee_buffer text; /* of run.json */
} bench_run;

/* Before any record is read -------------------------------------------------------------------- */

static ee_status read_trials(bench_run *self, ee_error *error) {
  const ee_options *options = self->options;
  bool variance = options->bench_mode == 1, given = options->trials >= 0;
  self->head.mode = variance ? "variance" : "deterministic";
  self->head.trials = given ? (size_t)options->trials : variance ? DEFAULT_TRIALS : 1;
  if (!variance && self->head.trials != 1)
    return ee_error_set(error, EE_ERROR_USAGE, "--trials %zu needs --mode variance: a deterministic run has one trial",
                        self->head.trials);
  if (variance && self->head.trials < 2)
    return ee_error_set(error, EE_ERROR_USAGE, "--mode variance needs at least 2 trials, got %zu", self->head.trials);
  return EE_OK;
}

/* Without --dataset: the shipped records, below the current folder, else the installed ones. */
static ee_status find_files(bench_run *self, ee_error *error) {
  if (self->options->datasets.count > 0) {
    self->files = self->options->datasets.items;
    self->file_count = self->options->datasets.count;
    return EE_OK;
  }
  const char *const folders[] = {EE_BENCH_DATASETS, ee_data_folder(EE_DATA_DATASETS)};
  const char *folder = NULL;
  for (size_t i = 0; i < 2 && folder == NULL; i++) {
    struct stat status;
    if (stat(folders[i], &status) == 0) {
      if (S_ISDIR(status.st_mode) || i == 1) folder = folders[i];
    } else if (errno != ENOENT && errno != ENOTDIR) {
      return ee_error_set(error, EE_ERROR_SYSTEM, "cannot open '%s': %s", folders[i], strerror(errno));
    }
  }
  if (folder == NULL)
    return ee_error_set(error, EE_ERROR_SYSTEM,
                        "no records: neither '" EE_BENCH_DATASETS "' here nor '%s' exists (name files with --dataset)",
                        folders[1]);
  const char **files = EE_NEW_ARRAY(&self->arena, const char *, 2);
  files[0] = ee_arena_printf(&self->arena, "%s/%s", folder, EE_BENCH_SMOKE);
  files[1] = ee_arena_printf(&self->arena, "%s/%s", folder, EE_BENCH_REGRESSION);
  self->files = files;
  self->file_count = 2;
  return EE_OK;
}

static ee_status check_out(bench_run *self, ee_error *error) {
  const ee_options *options = self->options;
  self->out = options->out != NULL ? options->out : EE_BENCH_RUN_NAME;
  if (*self->out == '\0' || strcmp(self->out, "-") == 0)
    return ee_error_set(error, EE_ERROR_USAGE, "--out takes a file, not '%s': the report goes to standard output",
                        self->out);
  struct stat status;
  if (stat(self->out, &status) == 0 && S_ISDIR(status.st_mode))
    return ee_error_set(error, EE_ERROR_SYSTEM, "cannot write '%s': %s", self->out, strerror(EISDIR));
  if (options->output != NULL && ee_output_is_same_file(options->output, self->out))
    return ee_error_set(error, EE_ERROR_USAGE, "--output and --out name the same file '%s'", self->out);
  /* The journal is emptied at the start and removed at the end: it must not be another file of this command. */
  self->part = ee_arena_printf(&self->arena, "%s" EE_BENCH_JOURNAL_ENDING, self->out);
  if (options->output != NULL && ee_output_is_same_file(options->output, self->part))
    return ee_error_set(error, EE_ERROR_USAGE, "--output names '%s', the journal of the run", self->part);
  const char *const written[] = {self->out, self->part, options->output};
  for (size_t i = 0; i < self->file_count; i++)
    for (size_t k = 0; k < sizeof written / sizeof *written; k++)
      if (written[k] != NULL && ee_output_is_same_file(written[k], self->files[i]))
        return ee_error_set(error, EE_ERROR_USAGE, "'%s' is both read and written", self->files[i]);
  return EE_OK;
}

static ee_status check_options(bench_run *self, ee_error *error) {
  if (self->options->provider == 1 && self->options->offline)
    return ee_error_set(error, EE_ERROR_USAGE,
                        "--offline and --provider openai exclude each other: trials are never answered from the cache");
  ee_status status = read_trials(self, error);
  if (status == EE_OK) status = find_files(self, error);
  return status == EE_OK ? check_out(self, error) : status;
}

/* Opening -------------------------------------------------------------------------------------- */

static ee_status open_records(bench_run *self, ee_error *error) {
  ee_status status =
      ee_bench_open_records(self->terminal, self->files, self->file_count, "no trial was run", &self->set, error);
  if (status == EE_OK && self->set.count == 0)
    status = ee_error_set(error, EE_ERROR_RULES, "no records in '%s'", self->files[0]);
  self->head.data_hash = self->set.hash;
  return status;
}

/* Each trial is a new request: no cache. The settings are the defaults of rule files; the environment adds its own. */
static ee_status open_provider(bench_run *self, ee_error *error) {
  self->head.provider = self->options->provider == 1 ? "openai" : "recorded";
  if (self->options->provider != 1) return EE_OK;
  ee_provider_settings settings = {.kind = EE_PROVIDER_OPENAI,
                                   .model_kind = EE_MODEL_CHAT,
                                   .timeout_s = 60,
                                   .retries = 4,
                                   .in_flight = 8,
                                   .no_cache = true};
  ee_status status = ee_open_model(&settings, NULL, self->options, self->terminal, &self->provider, error);
  if (status != EE_OK) return status;
  self->head.model = getenv("OPENAI_MODEL"); /* set, or there would be no provider */
  return EE_OK;
}

static void note(bench_run *self, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void note(bench_run *self, const char *format, ...) {
  ee_buffer text;
  ee_buffer_init(&text);
  va_list arguments;
  va_start(arguments, format);
  ee_buffer_addv(&text, format, arguments);
  va_end(arguments);
  ee_terminal_note(self->terminal, (ee_str){text.data, text.length});
  ee_buffer_fini(&text);
}

/* Whether --resume finds a complete run of a model: requesting all of it again would throw away what was paid for.
 * (With recorded answers, running again gives the same run.) */
static bool is_finished(const bench_run *self) {
  return self->options->resume && self->provider != NULL && access(self->part, F_OK) != 0 &&
         access(self->out, F_OK) == 0;
}

static ee_status open_journal(bench_run *self, ee_error *error) {
  bool resume = self->options->resume;
  bool exists = access(self->part, F_OK) == 0;
  ee_buffer header;
  ee_buffer_init(&header);
  ee_buffer_add_char(&header, '{');
  ee_bench_head_write(&self->head, "bench_journal", &header);
  ee_buffer_addf(&header, ",\"cases\":%zu,\"version\":\"%s\"}", self->set.count, EE_VERSION);
  self->journal = ee_bench_journal_open(self->out, (ee_str){header.data, header.length}, self->set.count,
                                        self->head.trials, resume, error);
  ee_buffer_fini(&header);
  if (self->journal == NULL) return error->status;
  if (resume && exists)
    note(self, "resuming '%s': %zu of %zu trials are done", self->part, ee_bench_journal_count(self->journal),
         self->set.count * self->head.trials);
  if (ee_bench_journal_damaged(self->journal) > 0)
    note(self, "%zu lines of '%s' are damaged: their trials are repeated", ee_bench_journal_damaged(self->journal),
         self->part);
  if (resume && !exists)
    note(self, "no interrupted run ('%s' does not exist): starting a new one", self->part);
  else if (!resume && exists)
    note(self, "'%s' of an interrupted run is discarded (--resume would have continued it)", self->part);
  return EE_OK;
}

/* Trials with recorded answers ----------------------------------------------------------------- */

/* What judging answers to one record needs. */
typedef struct bench_case {
  const ee_bench_record *record;
  ee_json_schema *schema;
  ee_extraction_document document;
} bench_case;

/* Opens a record in `arena`, which must not be reset meanwhile. Its schema was checked. */
static void open_case(bench_case *current, const ee_bench_record *record, ee_arena *arena) {
  ee_error_list errors;
  ee_error_list_init(&errors);
  *current = (bench_case){.record = record,
                          .schema = ee_json_schema_compile(arena, record->target_schema, NULL, &errors),
                          .document = {.text = record->document}};
  ee_error_list_fini(&errors);
}

static void show_progress(const bench_run *work) {
  size_t done = ee_bench_journal_count(work->journal) - work->resumed;
  ee_terminal_progress(work->terminal,
                       &(ee_progress){done, done, work->set.count * work->head.trials - work->resumed, NULL});
}

/* Workers take one record after the other. */
typedef struct pool {
  bench_run *work;
  pthread_mutex_t mutex; /* of what follows, the journal and the terminal */
  size_t next;
  ee_status status;
  ee_error error;
} pool;

/* The next record without all its trials; false when there is none, or the run must end. */
static bool take_case(pool *self, size_t *number) {
  const bench_run *work = self->work;
  bool found = false;
  pthread_mutex_lock(&self->mutex);
  while (!found && self->next < work->set.count && self->status == EE_OK && !ee_flag_is_set(work->interrupted)) {
    *number = self->next++;
    for (size_t t = 0; t < work->head.trials && !found; t++)
      found = ee_bench_journal_find(work->journal, *number, t).data == NULL;
  }
  pthread_mutex_unlock(&self->mutex);
  return found;
}

/* Adds a trial to the journal. False when the run must end. */
static bool keep(pool *self, size_t number, size_t trial, ee_str text) {
  pthread_mutex_lock(&self->mutex);
  if (self->status == EE_OK)
    self->status = ee_bench_journal_add(self->work->journal, number, trial, text, &self->error);
  show_progress(self->work);
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
  const ee_bench_record *record = &self->work->set.records[number];
  bench_case current;
  open_case(&current, record, arena);
  bool more = true;
  for (size_t t = 0; t < self->work->head.trials && more; t++) {
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

/* Judges the recorded answers: trial t (from 0) is answers[t mod n]. `jobs` threads, 0: one a core; the result is the
 * same for every number. EE_ERROR_SYSTEM when the journal cannot be written. */
static ee_status judge_recorded(bench_run *work, unsigned jobs, ee_error *error) {
  pool self = {.work = work, .mutex = PTHREAD_MUTEX_INITIALIZER};
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  size_t count = jobs > 0 ? jobs : online > 0 ? (size_t)online : 1;
  if (count > work->set.count) count = work->set.count;
  if (count > MAX_WORKERS) count = MAX_WORKERS;
  pthread_t *threads = ee_calloc(count + 1, sizeof *threads);
  size_t started = 0;
  /* This thread is a worker too, so failing to create another one is not an error. */
  while (started + 1 < count && pthread_create(&threads[started], NULL, run_worker, &self) == 0) started++;
  run_worker(&self);
  for (size_t i = 0; i < started; i++) pthread_join(threads[i], NULL);
  ee_free(threads);
  if (self.status != EE_OK && error != NULL) *error = self.error;
  return self.status;
}

/* Trials with a model -------------------------------------------------------------------------- */

void ee_bench_prompt(const ee_bench_record *record, ee_buffer *out) {
  static const char *const units[] = {"UTF-16 code units", "Unicode code points", "bytes of UTF-8"};
  ee_buffer_add_str(out, record->instructions);
  ee_buffer_add_text(out, "\n\nAnswer with one JSON object and nothing else:\n{\"extractions\": [{\"extractionClass\": "
                          "\"...\", \"quote\": \"...\", \"offsetMode\": \"");
  ee_buffer_add_text(out, ee_text_unit_name(record->unit));
  ee_buffer_addf(out,
                 "\", \"charStart\": 0, \"charEnd\": 0}]}\n"
                 "Each quote is an exact copy of a part of the document. charStart and charEnd say where it stands: "
                 "offsets in the document in %s from 0, the end exclusive. If there is nothing to extract, the list "
                 "is empty.\n\nThe answer must fit this JSON Schema:\n",
                 units[record->unit]);
  ee_json_write_value(out, record->target_schema);
  ee_buffer_add_text(out, "\n\nThe document is all that follows this line.\n");
  ee_buffer_add_str(out, record->document);
}

/* Records of one trial that are requested together. */
typedef struct asking {
  bench_run *work;
  ee_provider_session *session;
  size_t trial;
  size_t numbers[BLOCK];
  size_t count;
  ee_arena arena;
  ee_buffer prompt, text;
  ee_error *error;
} asking;

static ee_answer complete(asking *self, size_t number) {
  ee_answer answer;
  ee_buffer_clear(&self->prompt);
  ee_bench_prompt(&self->work->set.records[number], &self->prompt);
  const ee_chat chat = {.prompt = {self->prompt.data, self->prompt.length}, .members = EE_STR("\"temperature\":0")};
  self->session->vtable->complete(self->session, &chat, &self->arena, &answer);
  return answer;
}

static void print_failure(asking *self, const ee_bench_record *record, const char *why) {
  ee_error failure;
  ee_error_at(&failure, EE_ERROR_PROVIDER, record->file, record->line, 0,
              "case '%.*s', trial %zu: " EE_BENCH_NO_ANSWER "%s", (int)ee_utf8_cut(record->case_id, 100),
              record->case_id.data, self->trial + 1, why);
  ee_terminal_message(self->work->terminal, &failure);
}

/* Judges an answer. If `stopped`, a failed request was not finished: its trial remains to be done. */
static ee_status take_answer(asking *self, size_t number, bool stopped) {
  const ee_bench_record *record = &self->work->set.records[number];
  ee_answer answer = complete(self, number);
  if (answer.state == EE_ANSWER_PENDING || (stopped && answer.state == EE_ANSWER_FAILED)) return EE_OK;
  bench_case current;
  open_case(&current, record, &self->arena);
  ee_str text = answer.state == EE_ANSWER_GIVEN ? answer.text : (ee_str){NULL, 0};
  const char *why = NULL;
  if (answer.state == EE_ANSWER_FAILED) {
    why = ee_arena_copy(&self->arena, answer.text.data, answer.text.length);
    print_failure(self, record, why);
  }
  if (text.data == NULL && why == NULL) text = EE_STR("");
  ee_buffer_clear(&self->text);
  ee_bench_trial_write(record, &current.document, current.schema, text, why, &self->arena, &self->text);
  ee_status status = ee_bench_journal_add(self->work->journal, number, self->trial,
                                          (ee_str){self->text.data, self->text.length}, self->error);
  ee_arena_reset(&self->arena, 0);
  return status;
}

static ee_status ask_block(asking *self) {
  ee_stop stop = {.interrupted = self->work->interrupted};
  ee_provider_session_begin(self->session, EE_NO_TICKET);
  for (size_t i = 0; i < self->count; i++) complete(self, self->numbers[i]);
  /* Answers that came before an interrupt are kept. */
  bool stopped =
      ee_provider_session_is_async(self->session) && self->session->vtable->ask(self->session, &stop) != EE_OK;
  ee_status status = EE_OK;
  for (size_t i = 0; i < self->count && status == EE_OK; i++) status = take_answer(self, self->numbers[i], stopped);
  show_progress(self->work); /* not after each: the first would show far too few */
  ee_provider_session_end(self->session);
  return status;
}

static ee_status ask_trial(asking *self) {
  const bench_run *work = self->work;
  ee_status status = EE_OK;
  size_t next = 0;
  while (next < work->set.count && status == EE_OK && !ee_flag_is_set(work->interrupted)) {
    self->count = 0;
    for (; next < work->set.count && self->count < BLOCK; next++)
      if (ee_bench_journal_find(work->journal, next, self->trial).data == NULL) self->numbers[self->count++] = next;
    if (self->count > 0) status = ask_block(self);
  }
  return status;
}

/* Requests each trial from `provider`, BLOCK records at a time. A trial without an answer says why, and so does the
 * terminal. Equal requests of one trial may share an answer. */
static ee_status ask_model(bench_run *work, ee_provider *provider, ee_error *error) {
  ee_provider_session *session = provider->vtable->open(provider, error);
  if (session == NULL) return EE_ERROR_SYSTEM;
  asking *self = ee_calloc(1, sizeof *self);
  *self = (asking){.work = work, .session = session, .error = error};
  ee_arena_init(&self->arena, 0);
  ee_status status = EE_OK;
  for (; self->trial < work->head.trials && status == EE_OK; self->trial++) status = ask_trial(self);
  provider->vtable->close(session);
  ee_buffer_fini(&self->prompt);
  ee_buffer_fini(&self->text);
  ee_arena_fini(&self->arena);
  ee_free(self);
  return status;
}

/* The run -------------------------------------------------------------------------------------- */

static ee_status do_trials(bench_run *self, ee_error *error) {
  self->resumed = ee_bench_journal_count(self->journal);
  self->terminal->counted = "trials";
  ee_status status = self->provider != NULL ? ask_model(self, self->provider, error)
                                            : judge_recorded(self, (unsigned)self->options->jobs, error);
  ee_terminal_clear(self->terminal);
  ee_terminal_rest(self->terminal);
  ee_note_provider(self->provider, self->terminal);
  return status;
}

/* A line for each case, then a line for each trial, in the order of the records whatever the journal's is. */
static void compose(bench_run *self) {
  ee_buffer *out = &self->text;
  ee_buffer_add_char(out, '{');
  ee_bench_head_write(&self->head, "bench_run", out);
  ee_buffer_add_text(out, ",\"cases\":[");
  for (size_t i = 0; i < self->set.count; i++) {
    ee_buffer_add_text(out, i > 0 ? ",\n{" : "\n{");
    ee_bench_case_write(&self->set.records[i], out);
    ee_buffer_add_text(out, ",\"trials\":[");
    for (size_t t = 0; t < self->head.trials; t++) {
      ee_buffer_add_text(out, t > 0 ? ",\n" : "\n");
      ee_buffer_add_str(out, ee_bench_journal_find(self->journal, i, t));
    }
    ee_buffer_add_text(out, "]}");
  }
  ee_buffer_add_text(out, "\n]}\n");
}

/* Reports from the text of run.json, like `bench score`. `*unanswered`: trials without an answer. */
static ee_status report(bench_run *self, uint64_t *unanswered, ee_error *error) {
  const ee_value *run = ee_json_read(&self->arena, (ee_str){self->text.data, self->text.length}, NULL, error);
  if (run == NULL) return EE_ERROR_SYSTEM;
  ee_bench_metrics metrics;
  ee_status status = ee_bench_metrics_read(run, &self->arena, &metrics, error);
  if (status != EE_OK) return status;
  *unanswered = metrics.unanswered;
  ee_bench_score score = {.metrics = &metrics, .run = run};
  return ee_bench_report(self->options, &score, error);
}

static ee_error interrupt_message(const bench_run *self) {
  ee_error message;
  ee_error_set(&message, EE_ERROR_SYSTEM,
               "interrupted: %zu of %zu trials are kept in '%s'; the same command with --resume continues",
               ee_bench_journal_count(self->journal), self->set.count * self->head.trials,
               ee_bench_journal_name(self->journal));
  return message;
}

static ee_status run(bench_run *self, int *result, ee_error *error) {
  ee_status status = check_options(self, error);
  if (status == EE_OK) status = open_records(self, error);
  if (status == EE_OK) status = open_provider(self, error);
  if (status == EE_OK && is_finished(self)) {
    note(self, "nothing to resume: '%s' is complete (without --resume all requests are made again)", self->out);
    return EE_OK;
  }
  if (status == EE_OK) status = open_journal(self, error);
  if (status == EE_OK) status = do_trials(self, error);
  if (status != EE_OK) return status;
  if (ee_bench_journal_count(self->journal) < self->set.count * self->head.trials) {
    ee_error message = interrupt_message(self);
    ee_terminal_fail(self->terminal, &message);
    *result = EE_EXIT_INTERRUPTED;
    return EE_OK;
  }
  ee_error message = interrupt_message(self);
  ee_interrupt_set_message(&message);
  ee_interrupt_end_at_once();
  compose(self);
  status = ee_output_write_all(self->out, &self->text, error);
  if (status != EE_OK) return status;
  uint64_t unanswered = 0;
  status = report(self, &unanswered, error);
  /* Removed only now, so that a run that is killed while it reports can be resumed; kept when answers are missing. */
  ee_bench_journal_close(self->journal, unanswered == 0);
  self->journal = NULL;
  ee_interrupt_set_message(NULL);
  if (unanswered > 0)
    note(self, "%" PRIu64 " of %zu trials have no answer: the same command with --resume requests them again",
         unanswered, self->set.count * self->head.trials);
  *result = unanswered > 0 ? EE_ERROR_DATA : EE_OK;
  return status;
}

int ee_bench_run(const ee_options *options, ee_terminal *terminal) {
  bench_run self = {.options = options, .terminal = terminal};
  ee_arena_init(&self.arena, 0);
  self.interrupted = ee_interrupt_watch();
  ee_error error = {0};
  int result = 0;
  ee_status status = run(&self, &result, &error);
  if (status != EE_OK) ee_terminal_fail(terminal, &error);
  ee_bench_journal_close(self.journal, false);
  ee_provider_free(self.provider);
  ee_bench_set_close(&self.set);
  ee_buffer_fini(&self.text);
  ee_arena_fini(&self.arena);
  return status != EE_OK ? (int)status : result;
}
