/* bench_run.c: `evalengine bench run`: records to trials to run.json. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "cli/bench.h"
#include "cli/bench_work.h"
#include "data/json/json_reader.h"
#include "report/bench_trial.h"

#define STANDARD_TRIALS 3

static volatile sig_atomic_t interrupted;

/* The first interrupt asks for an orderly end; the second one ends the program at once. */
static void on_interrupt(int signal_number) {
  __atomic_store_n(&interrupted, 1, __ATOMIC_RELAXED); /* the workers look at it */
  signal(signal_number, SIG_DFL);
}

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
  ee_buffer text; /* of run.json */
} bench_run;

/* Before any record is read -----------------------------------------------------------------------------------------
 */

static ee_status read_trials(bench_run *self, ee_error *error) {
  const ee_options *options = self->options;
  bool variance = options->bench_mode == 1, given = options->trials >= 0;
  self->head.mode = variance ? "variance" : "deterministic";
  self->head.trials = given ? (size_t)options->trials : variance ? STANDARD_TRIALS : 1;
  if (!variance && self->head.trials != 1)
    return ee_error_set(error, EE_ERROR_USAGE,
                        "--trials %zu is of no use without --mode variance: a deterministic run has one trial",
                        self->head.trials);
  if (variance && self->head.trials < 2)
    return ee_error_set(error, EE_ERROR_USAGE, "--mode variance needs at least 2 trials, not %zu", self->head.trials);
  return EE_OK;
}

/* The shipped records: those below the current folder, else those that were installed. */
static ee_status find_files(bench_run *self, ee_error *error) {
  if (self->options->datasets.count > 0) {
    self->files = self->options->datasets.items;
    self->file_count = self->options->datasets.count;
    return EE_OK;
  }
  struct stat status;
  bool here = stat(EE_BENCH_DATASETS, &status) == 0 && S_ISDIR(status.st_mode);
  const char *folder = here ? EE_BENCH_DATASETS : EE_DATASETS_DIR;
  if (!here && stat(folder, &status) != 0)
    return ee_error_set(
        error, EE_ERROR_SYSTEM,
        "no records: there is neither '" EE_BENCH_DATASETS "' here nor '%s' (name files with --dataset)", folder);
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
  /* The journal is emptied at the start and removed at the end: it must be no file of anything else. */
  self->part = ee_arena_printf(&self->arena, "%s" EE_BENCH_JOURNAL_ENDING, self->out);
  if (options->output != NULL && ee_output_is_same_file(options->output, self->part))
    return ee_error_set(error, EE_ERROR_USAGE, "--output names '%s', where an unfinished run is kept", self->part);
  const char *const written[] = {self->out, self->part, options->output};
  for (size_t i = 0; i < self->file_count; i++)
    for (size_t k = 0; k < sizeof written / sizeof *written; k++)
      if (written[k] != NULL && ee_output_is_same_file(written[k], self->files[i]))
        return ee_error_set(error, EE_ERROR_USAGE, "'%s' is both read and written", self->files[i]);
  return EE_OK;
}

static ee_status check_options(bench_run *self, ee_error *error) {
  if (self->options->provider == 1 && self->options->offline)
    return ee_error_set(
        error, EE_ERROR_USAGE,
        "--offline leaves --provider openai nothing: the trials of a run are never answered from the cache");
  ee_status status = read_trials(self, error);
  if (status == EE_OK) status = find_files(self, error);
  return status == EE_OK ? check_out(self, error) : status;
}

/* Opening -----------------------------------------------------------------------------------------------------------
 */

static ee_status open_records(bench_run *self, ee_error *error) {
  ee_status status =
      ee_bench_open_records(self->terminal, self->files, self->file_count, "no trial was run", &self->set, error);
  if (status == EE_OK && self->set.count == 0)
    status = ee_error_set(error, EE_ERROR_RULES, "no records in '%s'", self->files[0]);
  self->head.data_hash = self->set.hash;
  return status;
}

/* Each trial is a question of its own, so that nothing is answered from a cache. What the environment does not say is
 * as for a rule file that says nothing. */
static ee_status open_provider(bench_run *self, ee_error *error) {
  self->head.provider = self->options->provider == 1 ? "openai" : "recorded";
  if (self->options->provider != 1) return EE_OK;
  ee_provider_settings settings = {.kind = EE_PROVIDER_OPENAI,
                                   .model_kind = EE_MODEL_CHAT,
                                   .key_env = EE_STR("OPENAI_API_KEY"),
                                   .timeout_s = 60,
                                   .retries = 4,
                                   .in_flight = 8,
                                   .no_cache = true};
  self->provider = ee_provider_open(&settings, NULL, error);
  if (self->provider == NULL) return error->status;
  self->head.model = getenv("OPENAI_MODEL"); /* it is set: else there would be no provider */
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

/* Whether --resume finds a run of a model that is whole: asking for it all again would throw away what was paid for.
 * Recorded answers give the same run again. */
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
  ee_buffer_addf(&header, ",\"cases\":%zu}", self->set.count);
  self->journal = ee_bench_journal_open(self->out, (ee_str){header.data, header.length}, self->set.count,
                                        self->head.trials, resume, error);
  ee_buffer_fini(&header);
  if (self->journal == NULL) return error->status;
  if (resume && exists)
    note(self, "going on with '%s': %zu of %zu trials are done", self->part, ee_bench_journal_count(self->journal),
         self->set.count * self->head.trials);
  else if (resume)
    note(self, "no run was cut ('%s' does not exist): this one starts anew", self->part);
  else if (exists)
    note(self, "'%s' of a run that was cut is begun anew (--resume would have gone on with it)", self->part);
  return EE_OK;
}

/* The run -----------------------------------------------------------------------------------------------------------
 */

static ee_status do_trials(bench_run *self, ee_error *error) {
  ee_bench_work work = {.set = &self->set,
                        .trials = self->head.trials,
                        .journal = self->journal,
                        .terminal = self->terminal,
                        .interrupted = &interrupted,
                        .resumed = ee_bench_journal_count(self->journal)};
  self->terminal->counted = "trials";
  ee_status status = self->provider != NULL ? ee_bench_work_ask(&work, self->provider, error)
                                            : ee_bench_work_recorded(&work, (unsigned)self->options->jobs, error);
  ee_terminal_clear(self->terminal);
  ee_terminal_rest(self->terminal);
  if (self->provider == NULL || self->provider->vtable->tell == NULL) return status;
  ee_buffer told;
  ee_buffer_init(&told);
  self->provider->vtable->tell(self->provider, &told);
  if (told.length > 0) ee_terminal_note(self->terminal, (ee_str){told.data, told.length});
  ee_buffer_fini(&told);
  return status;
}

/* A case's line, then each of its trials on a line of its own, in their order whatever the journal's is. */
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

/* The report is made from the run's text, as `bench score` makes it. `*unanswered`: trials without an answer. */
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

static int tell_interrupt(bench_run *self) {
  ee_error told;
  ee_error_set(
      &told, EE_ERROR_SYSTEM, "interrupted: %zu of %zu trials are kept in '%s'; the same command with --resume goes on",
      ee_bench_journal_count(self->journal), self->set.count * self->head.trials, ee_bench_journal_name(self->journal));
  ee_terminal_fail(self->terminal, &told);
  return 130;
}

static ee_status run(bench_run *self, int *result, ee_error *error) {
  ee_status status = check_options(self, error);
  if (status == EE_OK) status = open_records(self, error);
  if (status == EE_OK) status = open_provider(self, error);
  if (status == EE_OK && is_finished(self)) {
    note(self, "nothing to go on with: '%s' is finished (without --resume the model is asked anew)", self->out);
    return EE_OK;
  }
  if (status == EE_OK) status = open_journal(self, error);
  if (status == EE_OK) status = do_trials(self, error);
  if (status != EE_OK) return status;
  if (ee_bench_journal_count(self->journal) < self->set.count * self->head.trials) {
    *result = tell_interrupt(self);
    return EE_OK;
  }
  compose(self);
  status = ee_output_write_all(self->out, &self->text, error);
  if (status != EE_OK) return status;
  uint64_t unanswered = 0;
  status = report(self, &unanswered, error);
  /* Only now: a run that is killed while it reports can still go on, and a model is not asked all over again. Neither
   * is it when some answers did not come. */
  ee_bench_journal_close(self->journal, unanswered == 0);
  self->journal = NULL;
  if (unanswered > 0)
    note(self, "%" PRIu64 " of %zu trials have no answer: the same command with --resume asks for them again",
         unanswered, self->set.count * self->head.trials);
  *result = unanswered > 0 ? EE_ERROR_DATA : EE_OK;
  return status;
}

int ee_bench_run(const ee_options *options, ee_terminal *terminal) {
  bench_run self = {.options = options, .terminal = terminal};
  ee_arena_init(&self.arena, 0);
  struct sigaction action = {.sa_handler = on_interrupt};
  sigaction(SIGINT, &action, NULL);
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
