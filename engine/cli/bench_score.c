/* bench_score.c: `evalengine bench score`: the metrics of a run, and its gates. */
#include <string.h>

#include "cli/bench.h"
#include "cli/output.h"
#include "prim/number.h"

/* Metrics that must be 1 unless --min names them. */
static const char *const default_gates[] = {"schemaValidRate", "quoteInvariantRate"};
enum { DEFAULT_GATES = sizeof default_gates / sizeof *default_gates };

/* "METRIC=X" */
static ee_status parse_gate(const char *text, ee_arena *arena, ee_gate *gate, ee_error *error) {
  const char *equals = strchr(text, '=');
  if (equals == NULL || equals == text)
    return ee_error_set(error, EE_ERROR_USAGE, "--min must be METRIC=X, got '%s'", text);
  const char *name = ee_arena_copy(arena, text, (size_t)(equals - text));
  *gate = (ee_gate){.metric = EE_GATE_CORPUS_METRIC, .measure = ee_str_from(name), .has_min = true};
  ee_metric ignored;
  ee_bench_metrics none = {0};
  if (!ee_bench_metric_find(&none, gate->measure, &ignored)) {
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
    if (ee_str_is(gates[i].measure, name)) return true;
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
          .metric = EE_GATE_CORPUS_METRIC, .measure = ee_str_from(default_gates[i]), .has_min = true, .min = 1};
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
    ee_bench_metric_find(metrics, gates[i].measure, &value);
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
  status = ee_bench_load(file, arena, &score.run, &metrics, error);
  if (status == EE_OK && options->baseline != NULL) {
    status = ee_bench_load(options->baseline, arena, &score.baseline_run, &baseline, error);
    score.baseline = &baseline;
  }
  if (status != EE_OK) return status;
  score.gates = decide(&metrics, gates, score.gate_count, arena, passed);
  return ee_bench_report(options, &score, error);
}

int ee_bench_score_run(const ee_options *options, ee_terminal *terminal) {
  ee_arena arena;
  ee_arena_init(&arena, 1u << 20);
  ee_error error = {0};
  bool passed = false;
  ee_status status = score_run(options, &arena, &passed, &error);
  if (status != EE_OK) ee_terminal_fail(terminal, &error);
  ee_arena_fini(&arena);
  return status != EE_OK ? (int)status : passed ? 0 : 1;
}
