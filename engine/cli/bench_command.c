/* bench_command.c: `evalengine bench`: which of its jobs, and what they share. */
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "cli/bench.h"
#include "data/files/byte_source.h"
#include "data/json/json_reader.h"

/* What they share ---------------------------------------------------------------------------------------------------
 */

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

static ee_status read_file(const char *file, ee_buffer *text, ee_error *error) {
  ee_byte_source *source = ee_byte_source_open(file, error);
  if (source == NULL) return EE_ERROR_SYSTEM;
  ee_status status = EE_OK;
  size_t got = 1;
  while (status == EE_OK && got > 0) {
    char *to = ee_buffer_reserve(text, 1u << 16);
    status = ee_byte_source_read(source, to, 1u << 16, &got, error);
    if (status == EE_OK) text->length += got;
  }
  ee_byte_source_close(source);
  return status;
}

ee_status ee_bench_load(const char *file, ee_arena *arena, const ee_value **run, ee_bench_metrics *metrics,
                        ee_error *error) {
  ee_buffer text;
  ee_buffer_init(&text);
  ee_error found = {0};
  ee_status status = read_file(file, &text, error);
  if (status != EE_OK) goto done;
  *run = ee_json_read(arena, (ee_str){text.data, text.length}, NULL, &found);
  if (*run == NULL) {
    status = ee_error_at(error, EE_ERROR_DATA, file, found.line, found.column, "%s", found.message);
    goto done;
  }
  status = ee_bench_metrics_read(*run, arena, metrics, &found);
  if (status != EE_OK) ee_error_set(error, status, "'%s' is %s", file, found.message);
done:
  ee_buffer_fini(&text);
  return status;
}

ee_status ee_bench_report(const ee_options *options, const ee_bench_score *score, ee_error *error) {
  ee_buffer text;
  ee_buffer_init(&text);
  ee_report_write_bench(options->format, score, ee_terminal_style(options), &text);
  ee_status status = ee_output_write_all(options->output, &text, error);
  ee_buffer_fini(&text);
  return status;
}

/* Which job ---------------------------------------------------------------------------------------------------------
 */

typedef struct job_row {
  const char *word;
  unsigned bit;
  size_t min, max; /* operands after the word */
  const char *usage;
  int (*run)(const ee_options *options, ee_terminal *terminal);
} job_row;

static const job_row jobs[] = {
    {"run", EE_IN_BENCH_RUN, 0, 0, "run [--dataset FILE]... [--mode variance] [--out run.json]", ee_bench_run},
    {"score", EE_IN_BENCH_SCORE, 0, 1, "score [run.json]", ee_bench_score_run},
    {"add", EE_IN_BENCH_ADD, 1, 2, "add PACK [DATASET.jsonl]", ee_bench_add},
};
static ee_status check_options(const ee_options *options, const job_row *job, ee_error *error) {
  const char *name = ee_options_misplaced(options, job->bit);
  if (name != NULL)
    return ee_error_set(error, EE_ERROR_USAGE, "--%s is of no use to 'bench %s' (see --help)", name, job->word);
  if (!ee_report_format_has(options->format, EE_DOCUMENT_BENCH))
    return ee_error_set(error, EE_ERROR_USAGE, "'bench %s' has no such format (one of table, json, markdown)",
                        job->word);
  return EE_OK;
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
      ee_error_set(error, EE_ERROR_USAGE, "'bench %s' does not know what to do with '%s': evalengine bench %s", word,
                   options->operands[1 + job->max], job->usage);
    return NULL;
  }
  const char *near = ee_did_you_mean(word, (const char *const[]){"run", "score", "add", NULL});
  if (near != NULL)
    ee_error_set(error, EE_ERROR_USAGE, "'bench' knows no '%s' (did you mean '%s'?)", word, near);
  else
    ee_error_set(error, EE_ERROR_USAGE, "'bench' knows no '%s': run, score or add", word);
  return NULL;
}

int ee_command_bench(const ee_options *options) {
  ee_terminal terminal;
  ee_terminal_init(&terminal, options);
  /* Writing then fails with a message. */
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
  ee_error error = {0};
  const job_row *job = find_job(options, &error);
  if (job != NULL) return job->run(options, &terminal);
  ee_terminal_fail(&terminal, &error);
  return EE_ERROR_USAGE;
}
