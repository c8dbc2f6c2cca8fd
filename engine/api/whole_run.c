/* whole_run.c: the public interface: whole data sets, merging and comparing.
 *
 * A call runs a command of the program for a host (cli/host.h) on a thread of its own, under a recovery point, while
 * the caller's thread serves its callbacks (mailbox.h). */
#include <evalengine.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "api/guard.h"
#include "api/mailbox.h"
#include "api/rules.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/work.h"
#include "cli/evaluate.h"
#include "cli/host.h"
#include "data/files/given_source.h"
#include "data/json/json_reader.h"

#define INTERRUPTED 130
#define COUNTERS (EE_COUNT_RULE_ERRORS + 1)

struct ee_result {
  ee_pool pool; /* of all that follows, but `report` */
  int status;
  double mean_score;
  uint64_t counts[COUNTERS];
  ee_arena arena; /* words, names, texts */
  bool has_options;
  ee_options options;
  ee_host_words words; /* the command with its operands */
  const char **arguments;
  size_t argument_count;
  ee_str rules_text;
  ee_given_sources sources;  /* of merged and compared results, which are read for each report */
  ee_evaluation *evaluation; /* NULL of merged and compared results */
  ee_buffer rows, state, first;
  char *report; /* the last one; in no pool */
};

/* One call, from its arguments to its result. */
typedef struct call {
  ee_result *result;
  const ee_rules *rules;
  ee_evaluate_options options; /* with all members */
  const char *const *files;    /* of an evaluation */
  size_t file_count;
  const char *word;      /* of another command; NULL: evaluating */
  const ee_input *items; /* its states or runs */
  size_t item_count;
  ee_mailbox mailbox;
  ee_read_ahead *reads;
  ee_given_sources sources; /* of an evaluation */
  bool *owned;              /* of each: its text is ours */
  ee_host host;
  bool finished;      /* it was not ended by a lack of memory */
  int status;         /* of the command */
  ee_error errors[8]; /* the first message of each status */
} call;

/* Messages, rows and progress -------------------------------------------------------------------- */

static void take_message(void *user, const ee_error *error) {
  call *self = user;
  size_t number = (size_t)error->status;
  if (number < sizeof self->errors / sizeof *self->errors && self->errors[number].message[0] == '\0')
    self->errors[number] = *error;
  ee_mailbox_post_message(&self->mailbox, error);
}

static ee_status take_rows(void *user, const char *lines, size_t length, ee_error *error) {
  (void)error;
  call *self = user;
  if ((self->options.keep & EE_KEEP_ROWS) != 0) ee_buffer_add(&self->result->rows, lines, length);
  ee_mailbox_post_rows(&self->mailbox, lines, length);
  return EE_OK;
}

static void take_progress(void *user, uint64_t cases, const ee_sample *scores, uint64_t taken, uint64_t total) {
  call *self = user;
  const ee_progress_of_run progress = {
      .cases = cases, .mean_score = scores->count > 0 ? ee_sample_mean(scores) : NAN, .taken = taken, .total = total};
  ee_mailbox_post_progress(&self->mailbox, &progress);
}

/* Options ---------------------------------------------------------------------------------------- */

static const char *copy_text(ee_result *result, const char *text) {
  return ee_arena_copy(&result->arena, text, strlen(text));
}

/* Reads the result's arguments and `more`, which are borrowed, into `options`. */
static ee_status parse_options(const ee_result *result, bool own, const char *const *more, size_t count,
                               ee_arena *arena, ee_options *options, ee_error *error) {
  size_t before = own ? result->argument_count : 0;
  char **argv = EE_NEW_ARRAY(arena, char *, before + count + 2);
  for (size_t i = 0; i < before + count; i++) {
    // cppcheck-suppress nullPointer; NULL only without words
    const char *word = i < before ? result->arguments[i] : more[i - before];
    argv[i + 1] = (char *)(uintptr_t)ee_arena_copy(arena, word, strlen(word)); /* parsing changes it */
  }
  ee_status status = ee_options_parse_for_host((int)(before + count) + 1, argv, options, &result->words, error);
  return status == EE_OK ? ee_options_read_config(options, error) : status;
}

/* The operands of the command: rules, then files, states or runs. */
static void set_operands(call *self) {
  ee_result *result = self->result;
  ee_arena *arena = &result->arena;
  size_t rules = self->rules != NULL, count = 0;
  const char **operands = EE_NEW_ARRAY(arena, const char *, rules + self->file_count + self->item_count + 1);
  if (rules > 0) operands[count++] = copy_text(result, self->rules->name);
  for (size_t i = 0; i < self->file_count; i++) operands[count++] = copy_text(result, self->files[i]);
  for (size_t i = 0; i < self->item_count; i++) operands[count++] = copy_text(result, self->items[i].name);
  result->words = (ee_host_words){.command = self->word != NULL ? ee_command_named(self->word)
                                                                : ee_evaluation_by(rules > 0 ? operands[0] : NULL),
                                  .operands = operands,
                                  .count = count,
                                  .state = (self->options.keep & EE_KEEP_STATE) != 0};
  result->argument_count = self->options.argument_count;
  result->arguments = EE_NEW_ARRAY(arena, const char *, result->argument_count + 1);
  for (size_t i = 0; i < result->argument_count; i++)
    result->arguments[i] = copy_text(result, self->options.arguments[i]);
  if (rules == 0 || self->rules->text.data == NULL) return;
  ee_str text = self->rules->text;
  result->rules_text = (ee_str){ee_arena_copy(arena, text.data, text.length), text.length};
}

/* Copies an input whose text is read for each report. */
static void keep_input(ee_result *result, const ee_input *input) {
  if (input->text == NULL) return;
  result->sources.items[result->sources.count++] =
      (ee_given_source){.name = copy_text(result, input->name),
                        .text = ee_arena_copy(&result->arena, input->text, input->length),
                        .length = input->length};
}

static void keep_inputs(call *self) {
  size_t count = self->item_count + self->options.input_count;
  self->result->sources.items = EE_NEW_ARRAY(&self->result->arena, ee_given_source, count + 1);
  for (size_t i = 0; i < self->item_count; i++) keep_input(self->result, &self->items[i]);
  for (size_t i = 0; i < self->options.input_count; i++) keep_input(self->result, &self->options.inputs[i]);
}

/* Running ---------------------------------------------------------------------------------------- */

/* Runs function(user) for the host, under a guard, and restores the inputs and limits of the thread, also where memory
 * is refused: they are part of a call that ends. Returns false in that case. */
static bool run_hosted(ee_host *host, ee_pool *pool, void (*function)(void *user), void *user) {
  ee_host *host_before = ee_host_enter(host);
  ee_given_sources *sources_before = ee_given_sources_current();
  const volatile sig_atomic_t *watched = ee_work_watch(host->interrupt);
  const ee_limits *limits_before = ee_limits_enter(NULL);
  bool finished = ee_guard(pool, function, user);
  ee_limits_enter(limits_before);
  ee_work_watch(watched);
  ee_given_sources_enter(sources_before);
  ee_host_enter(host_before);
  return finished;
}

/* Of merged results, from their report. */
static void read_counts(ee_result *result) {
  ee_arena *arena = &result->arena;
  const ee_value *report = ee_json_read(arena, (ee_str){result->first.data, result->first.length}, NULL, NULL);
  if (ee_type_of(report) != EE_OBJECT) return;
  static const struct {
    ee_counter what;
    const char *object, *member; /* object NULL: of the report itself */
  } places[] = {{EE_COUNT_CASES, NULL, "cases"},
                {EE_COUNT_UNSCORED, NULL, "unscored"},
                {EE_COUNT_PASSED, "verdicts", "pass"},
                {EE_COUNT_BORDERLINE, "verdicts", "borderline"},
                {EE_COUNT_FAILED, "verdicts", "fail"},
                {EE_COUNT_UNREADABLE, "errors", "unreadable"},
                {EE_COUNT_DUPLICATES, "errors", "duplicate_ids"},
                {EE_COUNT_RULE_ERRORS, "errors", "rule_errors"}};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    const char *object = places[i].object;
    const ee_value *in = object != NULL ? ee_value_member(report, ee_str_from(object), NULL) : report;
    if (in != NULL) result->counts[places[i].what] = (uint64_t)ee_value_get_number(in, places[i].member, 0);
  }
  result->mean_score = ee_value_get_number(report, "mean_score", NAN);
}

static void count_cases(ee_result *result) {
  const ee_totals *totals = &ee_evaluation_result(result->evaluation)->totals;
  const uint64_t *verdicts = totals->all.verdicts;
  const ee_sample *score = &totals->all.score;
  if (score->count > 0) result->mean_score = ee_sample_mean(score);
  const uint64_t counts[COUNTERS] = {[EE_COUNT_CASES] = totals->scored,
                                     [EE_COUNT_PASSED] = verdicts[EE_VERDICT_PASS],
                                     [EE_COUNT_BORDERLINE] = verdicts[EE_VERDICT_BORDERLINE],
                                     [EE_COUNT_FAILED] = verdicts[EE_VERDICT_FAIL],
                                     [EE_COUNT_UNSCORED] = totals->unscored,
                                     [EE_COUNT_ABSENT] = totals->absent,
                                     [EE_COUNT_UNREADABLE] = totals->unreadable,
                                     [EE_COUNT_DUPLICATES] = totals->duplicates,
                                     [EE_COUNT_RULE_ERRORS] = totals->rule_errors};
  memcpy(result->counts, counts, sizeof counts);
}

static void run_command(void *user) {
  call *self = user;
  ee_result *result = self->result;
  ee_error error = {0};
  bool given = self->rules != NULL && self->rules->text.data != NULL;
  self->host.rules_name = given ? self->rules->name : NULL;
  set_operands(self);
  if (self->word != NULL) keep_inputs(self);
  self->host.rules_text = result->rules_text;
  ee_given_sources_enter(self->word != NULL ? &result->sources : &self->sources);
  result->has_options = true;
  ee_status status = parse_options(result, true, NULL, 0, &result->arena, &result->options, &error);
  self->status = (int)status;
  if (self->mailbox.direct) result->options.jobs = 1; /* reads are the host's, on its thread */
  ee_limits_enter(&result->options.limits);
  if (status != EE_OK) {
    take_message(self, &error);
  } else if (self->word == NULL) {
    result->evaluation = ee_evaluation_run(&result->options, &self->status);
    if (result->evaluation != NULL) count_cases(result);
  } else {
    self->status = result->options.command->run(&result->options);
    read_counts(result);
  }
  ee_buffer *const texts[] = {&result->rows, &result->state, &result->first};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) ee_buffer_terminate(texts[i]);
}

static void *run_on_thread(void *user) {
  call *self = user;
  self->finished = run_hosted(&self->host, &self->result->pool, run_command, self);
  ee_mailbox_end(&self->mailbox);
  return NULL;
}

/* On a thread that gets no signals: they are the host's. */
static bool start_thread(call *self, pthread_t *thread) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  bool started = pthread_create(thread, NULL, run_on_thread, self) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return started;
}

static void run(call *self) {
  pthread_t thread;
  if (start_thread(self, &thread)) {
    ee_mailbox_serve(&self->mailbox);
    pthread_join(thread, NULL);
  } else {
    self->mailbox.direct = true;
    run_on_thread(self);
  }
}

/* Inputs ----------------------------------------------------------------------------------------- */

/* Reads an input whole, for callers that read it more than once. NULL, with `error`: it cannot be read. */
static char *read_whole(const ee_input *input, size_t *length, ee_error *error) {
  size_t capacity = (size_t)64 << 10;
  char *text = ee_try_realloc(NULL, capacity);
  ptrdiff_t got = 1;
  *length = 0;
  while (text != NULL && got > 0) { /* unreached: memory is refused */
    got = input->read(input->user, text + *length, capacity - *length);
    if (got > 0) *length += (size_t)got;
    if (*length < capacity) continue;
    char *moved = ee_try_realloc(text, capacity *= 2);
    if (moved == NULL) ee_free(text); /* unreached: memory is refused */
    text = moved;
  }
  if (text == NULL) ee_no_memory(error);     /* unreached: memory is refused */
  if (text == NULL || got == 0) return text; /* unreached: memory is refused */
  ee_error_set(error, EE_ERROR_SYSTEM, "cannot read '%s'", input->name);
  ee_free(text);
  return NULL;
}

static ee_status check_input(const ee_input *input, bool must_have_text, bool may_be_file, ee_error *error) {
  if (input->name == NULL || *input->name == '\0' || strcmp(input->name, "-") == 0)
    return ee_error_set(error, EE_ERROR_USAGE, "an input needs a name other than '-'");
  if (input->text == NULL && input->read == NULL && !may_be_file)
    return ee_error_set(error, EE_ERROR_USAGE, "input '%s' has neither a text nor a function that reads it",
                        input->name);
  if (input->text == NULL && input->read != NULL && must_have_text)
    return ee_error_set(error, EE_ERROR_USAGE, "input '%s' must have a text: it is read for each report", input->name);
  return EE_OK;
}

static ee_status check_inputs(const call *self, ee_error *error) {
  ee_status status = EE_OK;
  for (size_t i = 0; i < self->item_count && status == EE_OK; i++)
    status = check_input(&self->items[i], true, true, error);
  for (size_t i = 0; i < self->options.input_count && status == EE_OK; i++)
    status = check_input(&self->options.inputs[i], self->word != NULL, false, error);
  return status;
}

/* Makes sources of the inputs of an evaluation. `twice`: they are read more than once. */
static ee_status take_inputs(call *self, bool twice, ee_error *error) {
  size_t count = self->options.input_count;
  self->sources.items = ee_new_object((count + 1) * sizeof *self->sources.items);
  self->reads = ee_new_object((count + 1) * sizeof *self->reads);
  self->owned = ee_new_object((count + 1) * sizeof *self->owned);
  if (self->sources.items == NULL || self->reads == NULL || self->owned == NULL) /* unreached: memory is refused */
    return ee_no_memory(error);                                                  /* unreached: memory is refused */
  for (size_t i = 0; i < count; i++) {
    const ee_input *input = &self->options.inputs[i];
    self->reads[i].input = input;
    self->sources.items[i] = (ee_given_source){.name = input->name,
                                               .text = input->text,
                                               .length = input->length,
                                               .read = ee_mailbox_read,
                                               .user = &self->reads[i]};
    if (input->text != NULL || !twice) continue;
    self->sources.items[i].text = read_whole(input, &self->sources.items[i].length, error);
    self->owned[i] = true;
    if (self->sources.items[i].text == NULL) return error->status;
  }
  self->sources.count = count;
  return EE_OK;
}

static void free_inputs(call *self) {
  for (size_t i = 0; self->owned != NULL && i < self->options.input_count; i++)
    if (self->owned[i]) ee_free((char *)(uintptr_t)self->sources.items[i].text);
  ee_free(self->sources.items);
  ee_free(self->reads);
  ee_free(self->owned);
}

/* Calls ------------------------------------------------------------------------------------------ */

/* The members that the caller knows of. */
static void take_options(call *self, const ee_evaluate_options *given) {
  self->options = (ee_evaluate_options){.size = sizeof self->options};
  if (given == NULL) return;
  size_t size = given->size < sizeof self->options ? given->size : sizeof self->options;
  memcpy(&self->options, given, size);
}

/* Whether the end of the command is a result. */
static bool has_result(const call *self) {
  if (!self->finished) return false; /* unreached: memory is refused */
  if (self->word == NULL) return self->result->evaluation != NULL;
  return self->status == 0 || self->status == 1 || self->status == INTERRUPTED || self->result->first.length > 0;
}

/* Why there is no result. */
static void explain(const call *self, ee_error *error) {
  size_t number = (size_t)self->status;
  bool known = number < sizeof self->errors / sizeof *self->errors && self->errors[number].message[0] != '\0';
  if (!self->finished)   /* unreached: memory is refused */
    ee_no_memory(error); /* unreached: memory is refused */
  else if (known)
    *error = self->errors[number];
  else if (self->status == INTERRUPTED)
    ee_error_set(error, EE_ERROR_SYSTEM, "interrupted");
  else
    ee_error_set(error, (ee_status)self->status, "no result");
}

/* Runs a call whose arguments are in `self`. */
static ee_result *make_result(call *self, ee_error *error) {
  ee_error local = {0};
  ee_result *result = ee_new_object(sizeof *result);
  /* unreached: memory is refused */
  ee_status status = result != NULL ? check_inputs(self, &local) : ee_no_memory(&local);
  bool twice = self->rules == NULL || ee_rule_file_plan(self->rules->file)->decimals->count > 0;
  if (status == EE_OK && self->word == NULL) status = take_inputs(self, twice, &local);
  if (status != EE_OK) {
    if (self->options.on_message != NULL) self->options.on_message(self->options.user, &local);
    if (error != NULL) *error = local;
    free_inputs(self);
    ee_free(result);
    return NULL;
  }
  ee_pool_init(&result->pool);
  ee_arena_init(&result->arena, 0);
  result->mean_score = NAN;
  self->result = result;
  pthread_mutex_init(&self->sources.lock, NULL);
  ee_mailbox_init(&self->mailbox, &self->options, self->reads, self->sources.count);
  bool rows = self->options.on_case != NULL || (self->options.keep & EE_KEEP_ROWS) != 0;
  self->host = (ee_host){.user = self,
                         .interrupt = &self->mailbox.stop,
                         .message = take_message,
                         .keeps_messages = (self->options.keep & EE_KEEP_ROWS) != 0,
                         .rows = rows ? take_rows : NULL,
                         .progress = take_progress,
                         .output = &result->first,
                         .state = &result->state};
  run(self);
  ee_mailbox_fini(&self->mailbox);
  pthread_mutex_destroy(&self->sources.lock);
  free_inputs(self);
  result->status = self->status;
  if (has_result(self)) return result;
  explain(self, &local);
  bool silent = self->finished; /* then the message has been given */
  /* unreached: memory is refused */
  if (!silent && self->options.on_message != NULL) self->options.on_message(self->options.user, &local);
  if (error != NULL) *error = local;
  if (!self->finished) { /* unreached: memory is refused; all is gone */
    ee_free(result);     /* unreached: as above */
    return NULL;         /* unreached: as above */
  }
  ee_result_free(result);
  return NULL;
}

ee_result *ee_evaluate(const ee_rules *rules, const char *const *files, size_t file_count,
                       const ee_evaluate_options *options, ee_error *error) {
  call self = {.rules = rules, .files = files, .file_count = file_count};
  take_options(&self, options);
  return make_result(&self, error);
}

ee_result *ee_merge(const ee_rules *rules, const ee_input *states, size_t count, const ee_evaluate_options *options,
                    ee_error *error) {
  call self = {.rules = rules, .word = "merge", .items = states, .item_count = count};
  take_options(&self, options);
  return make_result(&self, error);
}

ee_result *ee_compare(const ee_input *runs, size_t count, const ee_evaluate_options *options, ee_error *error) {
  call self = {.word = "compare", .items = runs, .item_count = count};
  take_options(&self, options);
  return make_result(&self, error);
}

static void free_parts(void *user) {
  ee_result *result = user;
  ee_evaluation_free(result->evaluation);
  if (result->has_options) ee_options_fini(&result->options);
  ee_buffer_fini(&result->rows);
  ee_buffer_fini(&result->state);
  ee_buffer_fini(&result->first);
  ee_arena_fini(&result->arena);
}

void ee_result_free(ee_result *result) {
  if (result == NULL) return;
  ee_guard(&result->pool, free_parts, result);
  ee_free(result->report);
  ee_free(result);
}

/* Results ---------------------------------------------------------------------------------------- */

int ee_result_status(const ee_result *result) { return result->status; }

double ee_result_mean_score(const ee_result *result) { return result->mean_score; }

uint64_t ee_result_count(const ee_result *result, ee_counter what) {
  return (size_t)what < COUNTERS ? result->counts[what] : 0;
}

static const char *text_of(ee_str text, size_t *length) {
  if (length != NULL) *length = text.length;
  return text.length > 0 ? text.data : "";
}

const char *ee_result_rows(const ee_result *result, size_t *length) {
  return text_of((ee_str){result->rows.data, result->rows.length}, length);
}

const char *ee_result_state(const ee_result *result, size_t *length) {
  return text_of((ee_str){result->state.data, result->state.length}, length);
}

const char *ee_result_rules(const ee_result *result, size_t *length) {
  return text_of(result->evaluation != NULL ? ee_evaluation_inferred(result->evaluation) : (ee_str){NULL, 0}, length);
}

/* Reports ---------------------------------------------------------------------------------------- */

/* A report that is being made, in a pool of its own. */
typedef struct report_call {
  ee_result *result;
  const char *format;
  const char *const *arguments;
  size_t argument_count;
  ee_buffer text;
  ee_host host;
  sig_atomic_t never;
  ee_error error;
  ee_status status;
} report_call;

static void note_message(void *user, const ee_error *error) {
  report_call *self = user;
  if (error->status != EE_OK && self->error.message[0] == '\0') self->error = *error;
}

/* The command once more, in another format. */
static ee_status repeat_command(report_call *self, const ee_options *options) {
  int status = options->command->run(options);
  bool good = status == self->result->status && self->text.length > 0;
  return good ? EE_OK : self->error.status != EE_OK ? self->error.status : EE_ERROR_USAGE;
}

static void make_report(void *user) {
  report_call *self = user;
  ee_result *result = self->result;
  ee_given_sources_enter(&result->sources);
  ee_arena arena;
  ee_arena_init(&arena, 0);
  const char **words = EE_NEW_ARRAY(&arena, const char *, self->argument_count + 3);
  if (self->argument_count > 0) memcpy(words, self->arguments, self->argument_count * sizeof *words);
  words[self->argument_count] = "--format";
  words[self->argument_count + 1] = self->format;
  ee_options options;
  bool whole = result->evaluation == NULL;
  self->status = parse_options(result, whole, words, self->argument_count + 2, &arena, &options, &self->error);
  ee_str rows = {result->rows.data, result->rows.length};
  ee_limits_enter(&result->options.limits);
  if (self->status == EE_OK && whole)
    self->status = repeat_command(self, &options);
  else if (self->status == EE_OK)
    self->status = ee_evaluation_report(result->evaluation, &options, rows.length > 0 ? &rows : NULL, &self->error);
  ee_options_fini(&options);
  ee_arena_fini(&arena);
}

/* Takes the text out of the pool. */
static void keep_report(void *user) {
  report_call *self = user;
  ee_buffer_terminate(&self->text);
}

ee_status ee_result_report(ee_result *result, const char *format, const char *const *arguments, size_t argument_count,
                           const char **text, size_t *length, ee_error *error) {
  if (format == NULL && argument_count == 0) {
    *text = text_of((ee_str){result->first.data, result->first.length}, length);
    return EE_OK;
  }
  report_call self = {.result = result,
                      .format = format != NULL ? format : result->options.format->name,
                      .arguments = arguments,
                      .argument_count = argument_count};
  self.host = (ee_host){.user = &self,
                        .interrupt = &self.never,
                        .message = note_message,
                        .rules_text = result->rules_text,
                        .rules_name = result->rules_text.data != NULL ? result->words.operands[0] : NULL,
                        .output = &self.text,
                        .state = &self.text};
  ee_pool pool;
  ee_pool_init(&pool);
  /* unreached: memory is refused */
  if (!run_hosted(&self.host, &pool, make_report, &self) || !ee_guard(&pool, keep_report, &self))
    return ee_no_memory(error);
  char *copy = self.status == EE_OK ? ee_try_realloc(NULL, self.text.length + 1) : NULL;
  if (copy != NULL) {
    memcpy(copy, self.text.data, self.text.length + 1);
    ee_free(result->report);
    result->report = copy;
    *text = copy;
    if (length != NULL) *length = self.text.length;
  } else if (self.status == EE_OK) {         /* unreached: memory is refused */
    self.status = ee_no_memory(&self.error); /* unreached: as above */
  }
  ee_buffer_fini(&self.text);
  if (self.status != EE_OK && error != NULL) *error = self.error;
  return self.status;
}
