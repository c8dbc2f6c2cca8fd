/* bench_score.c: `evalengine bench score`: the metrics of a run and its gates. */
#include <stdlib.h>
#include <string.h>

#include "cli/bench.h"
#include "cli/output.h"

/* What a run must reach unless --min says otherwise of that metric. */
static const char *const standard_gates[] = {"schemaValidRate", "quoteInvariantRate"};
enum { STANDARD_GATES = sizeof standard_gates / sizeof *standard_gates };

/* "METRIC=X" */
static ee_status parse_gate(const char *text, ee_arena *arena, ee_bench_gate *gate, ee_error *error) {
  const char *equals = strchr(text, '=');
  if (equals == NULL || equals == text)
    return ee_error_set(error, EE_ERROR_USAGE, "--min takes METRIC=X, not '%s'", text);
  char *name = ee_arena_copy(arena, text, (size_t)(equals - text)), *end;
  gate->name = ee_str_from(name);
  gate->least = strtod(equals + 1, &end); /* the program's locale is "C" */
  ee_metric ignored;
  ee_bench_metrics none = {0};
  if (!ee_bench_metric_find(&none, gate->name, &ignored)) {
    const char *near = ee_did_you_mean(name, ee_bench_metric_names);
    if (near != NULL)
      return ee_error_set(error, EE_ERROR_USAGE, "unknown metric '%s' in --min (did you mean '%s'?)", name, near);
    const char *all = "";
    for (size_t i = 0; ee_bench_metric_names[i] != NULL; i++)
      all = ee_arena_printf(arena, "%s%s%s", all, i > 0 ? ", " : "", ee_bench_metric_names[i]);
    return ee_error_set(error, EE_ERROR_USAGE, "unknown metric '%s' in --min (one of %s)", name, all);
  }
  if (end == equals + 1 || *end != '\0' || !(gate->least >= 0 && gate->least <= 1))
    return ee_error_set(error, EE_ERROR_USAGE, "--min %s takes a number from 0 to 1, not '%s'", name, equals + 1);
  return EE_OK;
}

static bool is_named(const ee_bench_gate *gates, size_t count, const char *name) {
  for (size_t i = 0; i < count; i++)
    if (ee_str_is(gates[i].name, name)) return true;
  return false;
}

/* Those of the command line behind the standard ones that it does not name. */
static ee_status list_gates(const ee_options *options, ee_arena *arena, ee_bench_gate **gates, size_t *count,
                            ee_error *error) {
  ee_bench_gate *given = EE_NEW_ARRAY(arena, ee_bench_gate, options->minimum.count + 1);
  for (size_t i = 0; i < options->minimum.count; i++) {
    ee_status status = parse_gate(options->minimum.items[i], arena, &given[i], error);
    if (status != EE_OK) return status;
  }
  *gates = EE_NEW_ARRAY(arena, ee_bench_gate, options->minimum.count + STANDARD_GATES);
  for (size_t i = 0; i < STANDARD_GATES; i++)
    if (!is_named(given, options->minimum.count, standard_gates[i]))
      (*gates)[(*count)++] = (ee_bench_gate){.name = ee_str_from(standard_gates[i]), .least = 1};
  for (size_t i = 0; i < options->minimum.count; i++) (*gates)[(*count)++] = given[i];
  return EE_OK;
}

static bool decide(const ee_bench_metrics *metrics, ee_bench_gate *gates, size_t count) {
  bool passed = true;
  for (size_t i = 0; i < count; i++) {
    ee_metric value = {0};
    ee_bench_metric_find(metrics, gates[i].name, &value);
    gates[i].passed = value.defined && value.value >= gates[i].least;
    passed = passed && gates[i].passed;
  }
  return passed;
}

static ee_status score_run(const ee_options *options, ee_arena *arena, bool *passed, ee_error *error) {
  const char *file = options->operand_count > 1 ? options->operands[1] : EE_BENCH_RUN_NAME;
  ee_bench_metrics metrics, baseline;
  ee_bench_gate *gates = NULL;
  ee_bench_score score = {.metrics = &metrics};
  ee_status status = list_gates(options, arena, &gates, &score.gate_count, error);
  if (status != EE_OK) return status;
  score.gates = gates;
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
  *passed = decide(&metrics, gates, score.gate_count);
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
