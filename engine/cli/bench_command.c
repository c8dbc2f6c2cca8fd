/* bench_command.c: `evalengine bench run|score|add`: which job, scoring a run, adding records. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash_index.h"
#include "cli/bench.h"
#include "cli/load.h"
#include "cli/output.h"
#include "data/json/json_equal.h"
#include "data/json/json_reader.h"
#include "data/json/json_writer.h"
#include "prim/number.h"

/* For all jobs --------------------------------------------------------------------------------- */

ee_status ee_bench_open_records(ee_terminal *terminal, const char *const *files, size_t count, const char *consequence,
                                ee_bench_set *set, ee_error *error) {
  ee_error_list errors;
  ee_error_list_init(&errors);
  ee_status status = ee_bench_set_open(files, count, set, &errors, error);
  size_t mistakes = 0;
  for (size_t i = 0; i < errors.count; i++) {
    if (errors.items[i].status == EE_OK) {
      ee_terminal_message(terminal, &errors.items[i]);
      continue;
    }
    ee_terminal_fail(terminal, &errors.items[i]);
    mistakes++;
  }
  ee_error_list_fini(&errors);
  if (status == EE_ERROR_RULES && mistakes > 0)
    ee_error_set(error, status, "%zu mistake%s in records: %s", mistakes, mistakes == 1 ? "" : "s", consequence);
  return status;
}

ee_status ee_bench_report(const ee_options *options, const ee_bench_score *score, ee_error *error) {
  ee_table_style style = ee_terminal_style(options);
  ee_status status = style.choice != NULL ? ee_report_check_bench(score, style.choice, error) : EE_OK;
  if (status != EE_OK) return status;
  ee_buffer text;
  ee_buffer_init(&text);
  ee_report_write_bench(options->format, score, style, &text);
  status = ee_output_write_all(options->output, &text, error);
  ee_buffer_fini(&text);
  return status;
}

/* bench score: the metrics of a run, and its gates --------------------------------------------- */

/* Reads the file of a run and its metrics into `arena`. EE_ERROR_SYSTEM: cannot be read; EE_ERROR_DATA: not a run. */
static ee_status load_run(const char *file, ee_arena *arena, const ee_value **run, ee_bench_metrics *metrics,
                          ee_error *error) {
  ee_buffer text;
  ee_buffer_init(&text);
  ee_error cause = {0};
  ee_status status = ee_load_text(file, &text, error);
  if (status != EE_OK) goto done;
  *run = ee_json_read(arena, (ee_str){text.data, text.length}, NULL, &cause);
  if (*run == NULL) {
    status = ee_error_at(error, EE_ERROR_DATA, file, cause.line, cause.column, "%s", cause.message);
    goto done;
  }
  status = ee_bench_metrics_read(*run, arena, metrics, &cause);
  if (status != EE_OK) ee_error_set(error, status, "'%s' is %s", file, cause.message);
done:
  ee_buffer_fini(&text);
  return status;
}

/* Metrics that must be 1 unless --min names them. */
static const char *const default_gates[] = {"schemaValidRate", "quoteInvariantRate"};
enum { DEFAULT_GATES = sizeof default_gates / sizeof *default_gates };

/* "METRIC=X" */
static ee_status parse_gate(const char *text, ee_arena *arena, ee_gate *gate, ee_error *error) {
  const char *equals = strchr(text, '=');
  if (equals == NULL || equals == text)
    return ee_error_set(error, EE_ERROR_USAGE, "--min must be METRIC=X, got '%s'", text);
  const char *name = ee_arena_copy(arena, text, (size_t)(equals - text));
  *gate = (ee_gate){.metric = EE_GATE_CORPUS_METRIC, .own_metric = ee_str_from(name), .has_min = true};
  ee_metric ignored;
  ee_bench_metrics none = {0};
  if (!ee_bench_metric_find(&none, gate->own_metric, &ignored)) {
    const char *near = ee_did_you_mean(name, ee_bench_metric_names);
    if (near != NULL)
      return ee_error_set(error, EE_ERROR_USAGE, "unknown metric '%s' in --min (did you mean '%s'?)", name, near);
    const char *all = "";
    for (size_t i = 0; ee_bench_metric_names[i] != NULL; i++)
      all = ee_arena_printf(arena, "%s%s%s", all, i > 0 ? ", " : "", ee_bench_metric_names[i]);
    return ee_error_set(error, EE_ERROR_USAGE, "unknown metric '%s' in --min (one of %s)", name, all);
  }
  bool read = ee_number_parse(ee_str_from(equals + 1), (ee_number_format){.decimal = '.'}, arena, &gate->min, NULL);
  if (!read || gate->min < 0 || gate->min > 1)
    return ee_error_set(error, EE_ERROR_USAGE, "--min %s must be a number from 0 to 1, got '%s'", name, equals + 1);
  return EE_OK;
}

static bool is_named(const ee_gate *gates, size_t count, const char *name) {
  for (size_t i = 0; i < count; i++)
    if (ee_str_is(gates[i].own_metric, name)) return true;
  return false;
}

/* The default gates that the command line does not name, then those of the command line. */
static ee_status list_gates(const ee_options *options, ee_arena *arena, ee_gate **gates, size_t *count,
                            ee_error *error) {
  ee_gate *given = EE_NEW_ARRAY(arena, ee_gate, options->minimum.count + 1);
  for (size_t i = 0; i < options->minimum.count; i++) {
    ee_status status = parse_gate(options->minimum.items[i], arena, &given[i], error);
    if (status != EE_OK) return status;
  }
  *gates = EE_NEW_ARRAY(arena, ee_gate, options->minimum.count + DEFAULT_GATES);
  for (size_t i = 0; i < DEFAULT_GATES; i++)
    if (!is_named(given, options->minimum.count, default_gates[i]))
      (*gates)[(*count)++] = (ee_gate){
          .metric = EE_GATE_CORPUS_METRIC, .own_metric = ee_str_from(default_gates[i]), .has_min = true, .min = 1};
  for (size_t i = 0; i < options->minimum.count; i++) (*gates)[(*count)++] = given[i];
  return EE_OK;
}

/* The results of the gates; `*passed`: all of them. */
static const ee_gate_result *decide(const ee_bench_metrics *metrics, const ee_gate *gates, size_t count,
                                    ee_arena *arena, bool *passed) {
  ee_gate_result *results = EE_NEW_ARRAY(arena, ee_gate_result, count + 1);
  *passed = true;
  for (size_t i = 0; i < count; i++) {
    ee_metric value = {0};
    // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): all gates are set
    ee_bench_metric_find(metrics, gates[i].own_metric, &value);
    // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): the same
    results[i] = ee_gate_compare(&gates[i], value, metrics->cases);
    *passed = *passed && results[i].passed;
  }
  return results;
}

static ee_status score_run(const ee_options *options, ee_arena *arena, bool *passed, ee_error *error) {
  const char *file = options->operand_count > 1 ? options->operands[1] : EE_BENCH_RUN_NAME;
  ee_bench_metrics metrics, baseline;
  ee_gate *gates = NULL;
  ee_bench_score score = {.metrics = &metrics};
  ee_status status = list_gates(options, arena, &gates, &score.gate_count, error);
  if (status != EE_OK) return status;
  const char *read[] = {file, options->baseline};
  for (size_t i = 0; i < 2; i++)
    if (options->output != NULL && read[i] != NULL && ee_output_is_same_file(options->output, read[i]))
      return ee_error_set(error, EE_ERROR_USAGE, "'%s' is both read and written", read[i]);
  status = load_run(file, arena, &score.run, &metrics, error);
  if (status == EE_OK && options->baseline != NULL) {
    status = load_run(options->baseline, arena, &score.baseline_run, &baseline, error);
    score.baseline = &baseline;
  }
  if (status != EE_OK) return status;
  score.gates = decide(&metrics, gates, score.gate_count, arena, passed);
  return ee_bench_report(options, &score, error);
}

static int run_score(const ee_options *options, ee_terminal *terminal) {
  ee_arena arena;
  ee_arena_init(&arena, 1u << 20);
  ee_error error = {0};
  bool passed = false;
  ee_status status = score_run(options, &arena, &passed, &error);
  if (status != EE_OK) ee_terminal_fail(terminal, &error);
  ee_arena_fini(&arena);
  return status != EE_OK ? (int)status : passed ? 0 : 1;
}

/* bench add: the records of a pack appended to a data set, all or none ------------------------- */

/* The file of a pack that is a folder. */
#define PACK_FILE "regressions.jsonl"
#define ID_SHOWN 100

typedef struct adding {
  ee_terminal *terminal;
  ee_arena arena;
  const char *pack;
  const char *named; /* the data set, as the user named it */
  char *dataset;     /* from realpath(), so that a link remains a link */
  int descriptor;    /* of the data set, locked; -1: not open */
  ee_buffer text;    /* the data set, then with the new records */
  ee_bench_set set;
  size_t mistakes;
} adding;

static ee_status system_error(const char *what, const char *name, ee_error *error) {
  int number = errno;
  return ee_error_set(error, EE_ERROR_SYSTEM, "cannot %s '%s': %s", what, name, strerror(number));
}

/* Another `bench add` may replace the file while we wait for its lock: the locked file must be the one with the name.
 */
static ee_status lock_dataset(adding *self, ee_error *error) {
  for (;;) {
    struct stat open_one, named;
    self->descriptor = open(self->dataset, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* does not wait for a pipe */
    /* unreached: open() fails although access() allowed it */
    if (self->descriptor < 0) return system_error("open", self->named, error);
    while (flock(self->descriptor, LOCK_EX) != 0)                          /* unreached: a failing flock() */
      if (errno != EINTR) return system_error("lock", self->named, error); /* unreached: as the line before */
    /* unreached: fstat() of an open file does not fail */
    if (fstat(self->descriptor, &open_one) != 0) return system_error("open", self->named, error);
    if (!S_ISREG(open_one.st_mode))
      return ee_error_set(error, EE_ERROR_SYSTEM, "cannot add to '%s': it is not a regular file", self->named);
    errno = 0;
    /* unreached: another run has just replaced the file */
    if (stat(self->dataset, &named) == 0 && open_one.st_dev == named.st_dev && open_one.st_ino == named.st_ino)
      return EE_OK;
    if (errno != 0 && errno != ENOENT) return system_error("open", self->named, error); /* unreached: as above */
    close(self->descriptor);
  }
}

static ee_status read_dataset(adding *self, ee_error *error) {
  for (;;) {
    char *to = ee_buffer_reserve(&self->text, 1u << 16);
    ssize_t got = read(self->descriptor, to, 1u << 16);
    if (got < 0 && errno == EINTR) continue;                      /* unreached: a signal during a read */
    if (got < 0) return system_error("read", self->named, error); /* unreached: a read fails: make faults */
    if (got == 0) break;
    self->text.length += (size_t)got;
  }
  /* Lines can be appended to lines only. */
  ee_str text = {self->text.data, self->text.length};
  if (text.length >= 2 && memcmp(text.data, "\x1f\x8b", 2) == 0)
    return ee_error_set(error, EE_ERROR_RULES, "cannot add to '%s': it is compressed", self->named);
  size_t start = text.length >= 3 && memcmp(text.data, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
  for (size_t i = start; i < text.length && (text.data[i] == '[' || (text.data[i] >= '\t' && text.data[i] <= ' ')); i++)
    if (text.data[i] == '[')
      return ee_error_set(error, EE_ERROR_RULES, "cannot add to '%s': it is a JSON array, not one record a line",
                          self->named);
  return EE_OK;
}

static ee_status find_files(adding *self, const ee_options *options, ee_error *error) {
  self->named = options->operand_count > 2 ? options->operands[2] : EE_BENCH_DATASETS "/" EE_BENCH_REGRESSION;
  struct stat status;
  self->pack = options->operands[1];
  if (stat(self->pack, &status) != 0) return system_error("open", self->pack, error);
  if (S_ISDIR(status.st_mode)) self->pack = ee_arena_printf(&self->arena, "%s/" PACK_FILE, self->pack);
  self->dataset = realpath(self->named, NULL);
  if (self->dataset == NULL && errno == ENOENT && options->operand_count <= 2)
    return ee_error_set(error, EE_ERROR_SYSTEM,
                        "no file '%s' here: name the data set (evalengine bench add PACK DATASET.jsonl)", self->named);
  if (self->dataset == NULL) return system_error("open", self->named, error);
  if (ee_output_is_same_file(self->pack, self->dataset))
    return ee_error_set(error, EE_ERROR_USAGE, "'%s' is both the pack and the data set", self->pack);
  /* Replacing the file needs permissions of its folder only: respect those of the file. */
  return access(self->dataset, W_OK) == 0 ? EE_OK : system_error("write", self->named, error);
}

static void mistake(adding *self, const ee_bench_record *record, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void mistake(adding *self, const ee_bench_record *record, const char *format, ...) {
  ee_buffer text;
  ee_buffer_init(&text);
  va_list arguments;
  va_start(arguments, format);
  ee_buffer_addv(&text, format, arguments);
  va_end(arguments);
  ee_error error;
  ee_error_at(&error, EE_ERROR_RULES, record->file, record->line, 0, "%s", ee_buffer_terminate(&text));
  ee_terminal_fail(self->terminal, &error);
  ee_buffer_fini(&text);
  self->mistakes++;
}

static bool is_of_pack(const adding *self, const ee_bench_record *record) {
  return strcmp(record->file, self->pack) == 0;
}

static uint64_t hash_text(uint64_t before, ee_str text) {
  return ee_hash_bytes(text.length > 0 ? text.data : "", text.length, before);
}

/* A hash of everything that a record tests: all but its names and its source. */
static uint64_t hash_test(const ee_bench_record *record) {
  uint64_t hash = hash_text(ee_json_hash(record->target_schema), record->document);
  hash = hash_text(hash, record->instructions);
  for (size_t i = 0; i < record->answer_count; i++) hash = hash_text(hash, record->answers[i]);
  return ee_hash_mix(hash ^ record->min_extractions ^ (record->max_extractions << 20) ^ ((uint64_t)record->kind << 60));
}

static bool is_same_test(const ee_bench_record *a, const ee_bench_record *b) {
  /* unreached: two tests of one hash */
  if (!ee_str_equal(a->document, b->document) || !ee_str_equal(a->instructions, b->instructions)) return false;
  /* unreached: two tests of one hash */
  if (!ee_json_equal(a->target_schema, b->target_schema) || a->answer_count != b->answer_count) return false;
  for (size_t i = 0; i < a->answer_count; i++)
    if (!ee_str_equal(a->answers[i], b->answers[i])) return false; /* unreached: two tests of one hash */
  /* unreached: two tests of one hash */
  return a->has_expected == b->has_expected && a->kind == b->kind && a->min_extractions == b->min_extractions &&
         a->max_extractions == b->max_extractions; /* unreached: two tests of one hash */
}

/* Checks the pack's records; `*count` gets their number. A record that differs from another in its names alone would
 * only count the same test twice. */
static void check_pack(adding *self, size_t *count) {
  ee_hash_index index = {.arena = &self->arena}; /* of different tests */
  for (size_t i = 0; i < self->set.count; i++) {
    const ee_bench_record *record = &self->set.records[i];
    uint64_t hash = hash_test(record);
    const ee_bench_record *twin = NULL;
    size_t at = 0, number;
    while (twin == NULL && ee_hash_index_next(&index, hash, &at, &number)) {
      /* unreached: two tests of one hash */
      if (is_same_test(&self->set.records[number], record)) twin = &self->set.records[number];
    }
    if (twin == NULL) ee_hash_index_add(&index, hash, i);
    if (!is_of_pack(self, record)) continue;
    ++*count;
    if (!record->has_expected)
      mistake(self, record, "a record of a pack must have 'expected' and no 'goldSpans'");
    else if (twin != NULL)
      mistake(self, record, "tests the same as '%.*s' (%s:%zu)", (int)ee_utf8_cut(twin->case_id, ID_SHOWN),
              twin->case_id.data, twin->file, twin->line);
  }
}

/* Checks the pack's records, also against each other and the data set's. `*count`: how many. */
static ee_status check(adding *self, size_t *count, ee_error *error) {
  const char *files[] = {self->named, self->pack};
  ee_status status = ee_bench_open_records(self->terminal, files, 2, "nothing was added", &self->set, error);
  if (status != EE_OK) return status;
  check_pack(self, count);
  if (self->mistakes > 0)
    return ee_error_set(error, EE_ERROR_RULES, "%zu mistake%s in records: nothing was added", self->mistakes,
                        self->mistakes == 1 ? "" : "s");
  if (*count == 0) return ee_error_set(error, EE_ERROR_RULES, "no records in '%s'", self->pack);
  return EE_OK;
}

static ee_status write_dataset(adding *self, ee_error *error) {
  ee_buffer *text = &self->text;
  if (text->length > 0 && text->data[text->length - 1] != '\n') ee_buffer_add_char(text, '\n');
  for (size_t i = 0; i < self->set.count; i++) {
    if (!is_of_pack(self, &self->set.records[i])) continue;
    ee_json_write_value(text, self->set.records[i].node);
    ee_buffer_add_char(text, '\n');
  }
  ee_output output;
  ee_status status = ee_output_open(&output, self->dataset, error);
  if (status != EE_OK) return status;
  status = ee_output_write(&output, text->data, text->length, error);
  /* The new file must be on the disk before it replaces the old one. */
  /* unreached: fdatasync() fails: make faults */
  if (status == EE_OK && fdatasync(output.descriptor) != 0 && errno != EINVAL && errno != ENOSYS)
    status = system_error("write", self->named, error); /* unreached: as the line before */
  if (status == EE_OK) return ee_output_close(&output, true, error);
  ee_output_close(&output, false, NULL);
  return status;
}

static ee_status add(adding *self, const ee_options *options, ee_error *error) {
  size_t count = 0;
  ee_status status = find_files(self, options, error);
  if (status == EE_OK) status = lock_dataset(self, error);
  if (status == EE_OK) status = read_dataset(self, error);
  if (status == EE_OK) status = check(self, &count, error);
  if (status == EE_OK) status = write_dataset(self, error);
  if (status != EE_OK) return status;
  ee_buffer line;
  ee_buffer_init(&line);
  ee_buffer_addf(&line, "added %zu record%s of '%s' to '%s': %zu record%s now\n", count, count == 1 ? "" : "s",
                 self->pack, self->named, self->set.count, self->set.count == 1 ? "" : "s");
  status = ee_output_write_all(NULL, &line, error);
  ee_buffer_fini(&line);
  return status;
}

static int run_add(const ee_options *options, ee_terminal *terminal) {
  adding self = {.terminal = terminal, .descriptor = -1};
  ee_arena_init(&self.arena, 0);
  ee_error error = {0};
  ee_status status = add(&self, options, &error);
  if (status != EE_OK) ee_terminal_fail(terminal, &error);
  if (self.descriptor >= 0) close(self.descriptor);
  free(self.dataset);
  ee_buffer_fini(&self.text);
  ee_bench_set_close(&self.set);
  ee_arena_fini(&self.arena);
  return (int)status;
}

/* Jobs ----------------------------------------------------------------------------------------- */

typedef struct job_row {
  const char *word;
  unsigned bit;
  size_t min, max; /* operands after the word */
  const char *usage;
  int (*run)(const ee_options *options, ee_terminal *terminal);
} job_row;

static const job_row jobs[] = {
    {"run", EE_IN_BENCH_RUN, 0, 0, "run [--dataset FILE]... [--mode variance] [--out run.json]", ee_bench_run},
    {"score", EE_IN_BENCH_SCORE, 0, 1, "score [run.json]", run_score},
    {"add", EE_IN_BENCH_ADD, 1, 2, "add PACK [DATASET.jsonl]", run_add},
};
static ee_status check_options(const ee_options *options, const job_row *job, ee_error *error) {
  const char *name = ee_options_misplaced(options, job->bit);
  if (name != NULL)
    return ee_error_set(error, EE_ERROR_USAGE, "--%s does not apply to 'bench %s' (see --help)", name, job->word);
  return ee_options_check_format(options, EE_DOCUMENT_BENCH, ee_arena_printf(options->arena, "bench %s", job->word),
                                 error);
}

static const job_row *find_job(const ee_options *options, ee_error *error) {
  const char *word = options->operands[0];
  size_t count = options->operand_count - 1;
  for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
    const job_row *job = &jobs[i];
    if (strcmp(word, job->word) != 0) continue;
    if (count >= job->min && count <= job->max) return check_options(options, job, error) == EE_OK ? job : NULL;
    if (count < job->min)
      ee_error_set(error, EE_ERROR_USAGE, "'bench %s' needs a pack: evalengine bench %s", word, job->usage);
    else
      ee_error_set(error, EE_ERROR_USAGE, "'bench %s' takes no operand '%s': evalengine bench %s", word,
                   options->operands[1 + job->max], job->usage);
    return NULL;
  }
  const char *near = ee_did_you_mean(word, (const char *const[]){"run", "score", "add", NULL});
  if (near != NULL)
    ee_error_set(error, EE_ERROR_USAGE, "unknown job '%s' of 'bench' (did you mean '%s'?)", word, near);
  else
    ee_error_set(error, EE_ERROR_USAGE, "unknown job '%s' of 'bench' (one of run, score, add)", word);
  return NULL;
}

int ee_command_bench(const ee_options *options) {
  ee_terminal terminal;
  ee_terminal_init(&terminal, options);
  /* Writing fails with a message instead. */
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
  ee_error error = {0};
  const job_row *job = find_job(options, &error);
  if (job != NULL) return job->run(options, &terminal);
  ee_terminal_fail(&terminal, &error);
  return EE_ERROR_USAGE;
}
