/* bench_lines.c: what a person reads of one failure, one gate, one run. */
#include "report/bench_lines.h"

#include <inttypes.h>
#include <string.h>

#include "data/json/json_writer.h"
#include "prim/number.h"
#include "prim/unicode.h"

/* Columns of a text of the data. */
#define QUOTE_COLUMNS 60
#define CASE_COLUMNS 60
#define REASON_COLUMNS 160

static const char *shown(ee_str text, size_t columns, ee_arena *arena) {
  if (text.length == 0) return "";
  ee_str printable = ee_text_shorten(ee_text_printable(text, arena), columns, arena);
  return ee_arena_copy(arena, printable.data, printable.length);
}

ee_str ee_bench_failure_line(const ee_bench_failure *failure, ee_arena *arena) {
  const char *quote = "", *place = "", *actual = "";
  if (failure->quote.data != NULL) quote = ee_arena_printf(arena, " '%s'", shown(failure->quote, QUOTE_COLUMNS, arena));
  if (failure->has_offsets) place = ee_arena_printf(arena, " at %" PRId64 "..%" PRId64, failure->start, failure->end);
  if (failure->has_actual)
    actual = ee_arena_printf(arena, ": the document says '%s'", shown(failure->actual, QUOTE_COLUMNS, arena));
  else if (failure->actual.length > 0)
    actual = ee_arena_printf(arena, ": %s", shown(failure->actual, REASON_COLUMNS, arena));
  return ee_str_from(ee_arena_printf(arena, "%s trial %zu: %s%s%s%s", shown(failure->case_id, CASE_COLUMNS, arena),
                                     failure->trial, shown(failure->code, QUOTE_COLUMNS, arena), quote, place, actual));
}

static const char *number(double value, ee_arena *arena) {
  ee_buffer text;
  ee_buffer_init(&text);
  ee_json_write_number(&text, value);
  const char *copy = ee_arena_copy(arena, text.data, text.length);
  ee_buffer_fini(&text);
  return copy;
}

ee_str ee_bench_gate_line(const ee_bench_score *score, const ee_bench_gate *gate, ee_arena *arena) {
  ee_metric value = {0};
  ee_bench_metric_find(score->metrics, gate->name, &value);
  const char *least = number(gate->least, arena);
  int length = (int)gate->name.length;
  const char *line = value.defined
                         ? ee_arena_printf(arena, "%.*s %s %s %s", length, gate->name.data, number(value.value, arena),
                                           value.value >= gate->least ? ">=" : "<", least)
                         : ee_arena_printf(arena, "%.*s is undefined in this run (wanted: at least %s)", length,
                                           gate->name.data, least);
  return ee_str_from(line);
}

static ee_str text_of(const ee_value *object, const char *name) {
  const ee_value *value = ee_value_member(object, ee_str_from(name), NULL);
  return ee_type_of(value) == EE_STRING ? ee_value_text(value) : EE_STR("");
}

ee_str ee_bench_head_line(const ee_value *run, ee_arena *arena) {
  const ee_value *provider = ee_value_member(run, EE_STR("provider"), arena);
  const ee_value *trials = ee_value_member(run, EE_STR("trials"), arena);
  double count = ee_type_of(trials) == EE_NUMBER ? ee_value_number(trials) : 0;
  const char *mode = shown(text_of(run, "mode"), QUOTE_COLUMNS, arena);
  const char *kind = shown(text_of(provider, "kind"), QUOTE_COLUMNS, arena), *model = "";
  if (text_of(provider, "model").length > 0)
    model = ee_arena_printf(arena, " '%s'", shown(text_of(provider, "model"), QUOTE_COLUMNS, arena));
  bool recorded = strcmp(kind, "recorded") == 0;
  return ee_str_from(ee_arena_printf(arena, "%s, %.0f trial%s, answers %s%s%s", mode, count, count == 1 ? "" : "s",
                                     recorded ? "" : "of ", kind, model));
}

ee_str ee_bench_approximate_line(const ee_bench_metrics *metrics, ee_arena *arena) {
  if (metrics->approximate == 0) return EE_STR("");
  return ee_str_from(ee_arena_printf(arena,
                                     "%" PRIu64 " answer%s with too many gold spans to search: overlapping and partial "
                                     "may be more",
                                     metrics->approximate, metrics->approximate == 1 ? "" : "s"));
}

const char *ee_bench_figure(double value, ee_arena *arena) {
  char text[32];
  return ee_arena_copy(arena, text, ee_double_format_short(value, 6, text));
}

ee_metric ee_bench_metric(const ee_bench_metrics *metrics, const char *name) {
  ee_metric value = {0};
  ee_bench_metric_find(metrics, ee_str_from(name), &value);
  return value;
}

bool ee_bench_metric_parts(const ee_bench_metrics *metrics, const char *name, uint64_t *part, uint64_t *whole) {
  *whole = metrics->extractions;
  if (strcmp(name, "schemaValidRate") == 0)
    *part = metrics->schema_valid;
  else if (strcmp(name, "quoteInvariantRate") == 0)
    *part = metrics->quote_valid;
  else if (strcmp(name, "successRate") == 0)
    *part = metrics->successes, *whole = (uint64_t)metrics->cases * metrics->trials;
  else
    return false;
  return true;
}
