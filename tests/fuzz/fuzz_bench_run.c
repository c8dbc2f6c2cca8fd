/* fuzz_bench_run.c: files of runs of the bench (run.json), and their journals.
 *
 * The bytes up to the first 0 are a run, the rest the lines of a journal after its head. A run without a mistake has
 * metrics in their ranges and is equal to itself; a journal gives trials that are valid, and the same ones once more.
 */
#include <unistd.h>

#include "cli/bench_journal.h"
#include "data/json/json_reader.h"
#include "fuzz/fuzz.h"
#include "fuzz/output_checks.h"
#include "report/bench_metrics.h"
#include "report/bench_trial.h"
#include "report/formats.h"

enum { CASES = 2, TRIALS = 2 };

static void check_run(ee_str text, ee_arena *arena) {
  const ee_value *run = ee_json_read(arena, text, NULL, NULL);
  ee_bench_metrics metrics;
  ee_error error = {0};
  if (run == NULL) return;
  if (ee_bench_metrics_read(run, arena, &metrics, &error) != EE_OK) {
    fuzz_require(error.message[0] != '\0');
    return;
  }
  for (size_t i = 0; ee_bench_metric_names[i] != NULL; i++) {
    ee_metric value;
    fuzz_require(ee_bench_metric_find(&metrics, ee_str_from(ee_bench_metric_names[i]), &value));
    if (value.defined && strstr(ee_bench_metric_names[i], "Rate") != NULL)
      fuzz_require(value.value >= 0 && value.value <= 1);
  }
  ee_bench_comparison comparison;
  ee_bench_compare(run, run, arena, &comparison);
  fuzz_require(comparison.same_data && comparison.change_count == 0 && comparison.gained == 0 && comparison.lost == 0);
  ee_bench_score score = {.metrics = &metrics, .run = run};
  for (const ee_report_format *format = ee_report_formats; format->name != NULL; format++) {
    if (!fuzz_is_turn(format, text.length) || !ee_report_format_has(format, EE_DOCUMENT_BENCH)) continue;
    ee_buffer out = {0};
    ee_report_write_bench(format, &score, (ee_table_style){.width = 80}, &out);
    fuzz_check_report(format, &out);
    ee_buffer_fini(&out);
  }
}

/* How many trials a journal has; each is valid. */
static size_t read_journal(const char *name, ee_str head, ee_arena *arena) {
  ee_error error = {0};
  ee_bench_journal *journal = ee_bench_journal_open(name, head, CASES, TRIALS, true, &error);
  if (journal == NULL) {
    fuzz_require(error.message[0] != '\0');
    return SIZE_MAX;
  }
  size_t found = 0;
  for (size_t number = 0; number < CASES; number++)
    for (size_t trial = 0; trial < TRIALS; trial++) {
      ee_str text = ee_bench_journal_find(journal, number, trial);
      if (text.data == NULL) continue;
      found++;
      const ee_value *value = ee_json_read(arena, text, NULL, NULL);
      fuzz_require(value != NULL && ee_bench_trial_mistake(value) == NULL);
    }
  fuzz_require(found == ee_bench_journal_count(journal));
  ee_bench_journal_close(journal, false);
  return found;
}

static void check_journal(ee_str lines, ee_arena *arena) {
  static const ee_str head = {"{\"run\":1}", 9};
  char folder[] = "/tmp/ee_fuzz_XXXXXX", run[64], journal[80];
  fuzz_require(mkdtemp(folder) != NULL);
  snprintf(run, sizeof run, "%s/run.json", folder);
  snprintf(journal, sizeof journal, "%s" EE_BENCH_JOURNAL_ENDING, run);
  ee_error error = {0};
  ee_bench_journal *fresh = ee_bench_journal_open(run, head, CASES, TRIALS, false, &error);
  fuzz_require(fresh != NULL);
  ee_bench_journal_close(fresh, false);
  FILE *file = fopen(journal, "ab");
  fuzz_require(file != NULL && fwrite(lines.data, 1, lines.length, file) == lines.length && fclose(file) == 0);
  size_t first = read_journal(run, head, arena);
  fuzz_require(first != SIZE_MAX && read_journal(run, head, arena) == first);
  unlink(journal);
  rmdir(folder);
}

static int ee_fuzz_one(const uint8_t *data, size_t size) {
  const uint8_t *zero = size > 0 ? memchr(data, 0, size) : NULL;
  size_t first = zero != NULL ? (size_t)(zero - data) : size;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  check_run(fuzz_text(data, first), &arena);
  if (zero != NULL) check_journal(fuzz_text(zero + 1, size - first - 1), &arena);
  ee_arena_fini(&arena);
  return 0;
}

EE_FUZZ_TARGET(8192)
