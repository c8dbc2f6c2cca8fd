/* bench_text.c: a run of the bench for programs (JSON) and for pages (Markdown). */
#include <inttypes.h>
#include <string.h>

#include "data/json/json_writer.h"
#include "prim/unicode.h"
#include "report/bench_lines.h"

/* JSON: a member a line, what is inside it on that line -------------------------------------------------------------
 */

static void add_key(ee_buffer *out, const char *key) {
  ee_buffer_addf(out, "%s  \"%s\": ", out->data[out->length - 1] == '{' ? "\n" : ",\n", key);
}

static void add_count(ee_buffer *out, const char *key, uint64_t count) {
  add_key(out, key);
  ee_buffer_add_u64(out, count);
}

static void add_number(ee_buffer *out, const char *key, double number) {
  add_key(out, key);
  ee_json_write_number(out, number);
}

static void add_member(ee_buffer *out, const ee_value *run, const char *key) {
  const ee_value *value = ee_value_member(run, ee_str_from(key), NULL);
  if (value == NULL) return;
  add_key(out, key);
  ee_json_write_value(out, value);
}

/* `"name":"text"`, behind a comma unless it is the first. */
static void add_text(ee_buffer *out, const char *name, ee_str text) {
  if (text.data == NULL) return;
  ee_buffer_addf(out, "%s\"%s\":", out->data[out->length - 1] == '{' ? "" : ",", name);
  ee_json_write_string(out, text);
}

static void add_metrics(ee_buffer *out, const ee_bench_metrics *metrics) {
  for (size_t i = 0; ee_bench_metric_names[i] != NULL; i++) {
    ee_metric value = ee_bench_metric(metrics, ee_bench_metric_names[i]);
    if (value.defined) add_number(out, ee_bench_metric_names[i], value.value);
  }
  add_number(out, "caseOutcomeDriftRate", metrics->drift_rate);
}

static void add_counts(ee_buffer *out, const ee_bench_metrics *metrics) {
  add_count(out, "cases", metrics->cases);
  add_count(out, "extractions", metrics->extractions);
  add_count(out, "schemaValid", metrics->schema_valid);
  add_count(out, "quoteValid", metrics->quote_valid);
  add_count(out, "successes", metrics->successes);
  add_key(out, "gold");
  ee_buffer_addf(out, "{\"spans\":%" PRIu64 ",\"exact\":%" PRIu64 ",\"partial\":%" PRIu64 ",\"overlapping\":%" PRIu64,
                 metrics->gold, metrics->exact, metrics->partial, metrics->overlapping);
  if (metrics->approximate > 0) ee_buffer_addf(out, ",\"approximate\":%" PRIu64, metrics->approximate);
  ee_buffer_add_char(out, '}');
}

static void add_variance(ee_buffer *out, const ee_bench_metrics *metrics) {
  add_key(out, "variance");
  ee_buffer_add_text(out, "{\"counts\":[");
  for (size_t t = 0; t < metrics->trials; t++) ee_buffer_addf(out, "%s%" PRIu64, t > 0 ? "," : "", metrics->counts[t]);
  ee_buffer_addf(out, "],\"min\":%" PRIu64 ",\"max\":%" PRIu64 ",\"mean\":", metrics->count_min, metrics->count_max);
  ee_json_write_number(out, metrics->count_mean);
  ee_buffer_add_text(out, ",\"variance\":");
  ee_json_write_number(out, metrics->count_variance);
  ee_buffer_add_char(out, '}');
  add_key(out, "pairwise");
  for (size_t a = 0; a < metrics->trials; a++) {
    ee_buffer_add_text(out, a > 0 ? ",[" : "[[");
    for (size_t b = 0; b < metrics->trials; b++) {
      if (b > 0) ee_buffer_add_char(out, ',');
      ee_json_write_number(out, metrics->pairwise[a * metrics->trials + b]);
    }
    ee_buffer_add_char(out, ']');
  }
  ee_buffer_add_char(out, ']');
}

/* Starts an element of a list of objects, one a line. */
static void next_element(ee_buffer *out, size_t number) {
  ee_buffer_add_text(out, number > 0 ? ",\n    {" : "\n    {");
}

static void add_drifting(ee_buffer *out, const ee_bench_metrics *metrics) {
  add_key(out, "drifting");
  ee_buffer_add_char(out, '[');
  for (size_t i = 0; i < metrics->drifting_count; i++) {
    const ee_bench_drift *drift = &metrics->drifting[i];
    next_element(out, i);
    add_text(out, "caseId", drift->case_id);
    ee_buffer_addf(out, ",\"min\":%" PRIu64 ",\"max\":%" PRIu64 ",\"stability\":", drift->least, drift->most);
    ee_json_write_number(out, drift->stability);
    ee_buffer_add_char(out, '}');
  }
  ee_buffer_add_char(out, ']');
}

static void add_answers(ee_buffer *out, const ee_bench_metrics *metrics) {
  add_key(out, "answers");
  ee_buffer_addf(out,
                 "{\"unreadable\":%" PRIu64 ",\"noAnswer\":%" PRIu64 ",\"schemaViolations\":%" PRIu64
                 ",\"bareLists\":%" PRIu64 ",\"repaired\":%" PRIu64 "}",
                 metrics->answers_unreadable, metrics->unanswered, metrics->schema_violations, metrics->bare_lists,
                 metrics->answers_repaired);
  add_key(out, "repairs");
  for (int i = 0; i < EE_REPAIR_COUNT; i++)
    ee_buffer_addf(out, "%s\"%s\":%" PRIu64, i > 0 ? "," : "{", ee_repair_name((ee_repair)i), metrics->repairs[i]);
  ee_buffer_add_char(out, '}');
}

static void add_failures(ee_buffer *out, const ee_bench_metrics *metrics) {
  add_key(out, "failures");
  ee_buffer_add_char(out, '[');
  for (size_t i = 0; i < metrics->failure_count; i++) {
    const ee_bench_failure *failure = &metrics->failures[i];
    next_element(out, i);
    add_text(out, "caseId", failure->case_id);
    ee_buffer_addf(out, ",\"trial\":%zu", failure->trial);
    add_text(out, "code", failure->code);
    add_text(out, "extractionClass", failure->extraction_class);
    add_text(out, "quote", failure->quote);
    if (failure->has_offsets)
      ee_buffer_addf(out, ",\"charStart\":%" PRId64 ",\"charEnd\":%" PRId64, failure->start, failure->end);
    add_text(out, failure->has_actual ? "actual" : "reason", failure->actual);
    ee_buffer_add_char(out, '}');
  }
  ee_buffer_add_char(out, ']');
}

static void add_baseline(ee_buffer *out, const ee_bench_score *score, ee_arena *arena) {
  if (score->baseline == NULL) return;
  ee_bench_comparison drift;
  ee_bench_compare(score->run, score->baseline_run, arena, &drift);
  add_key(out, "baseline");
  ee_buffer_addf(out,
                 "{\"sameData\":%s,\"cases\":%zu,\"onlyNow\":%zu,\"onlyBefore\":%zu,\"newExtractions\":%" PRIu64
                 ",\"lostExtractions\":%" PRIu64 ",\"metrics\":{",
                 drift.same_data ? "true" : "false", drift.cases, drift.only_now, drift.only_before, drift.gained,
                 drift.lost);
  for (size_t i = 0; ee_bench_metric_names[i] != NULL; i++) {
    ee_metric value = ee_bench_metric(score->baseline, ee_bench_metric_names[i]);
    if (!value.defined) continue;
    ee_buffer_addf(out, "%s\"%s\":", out->data[out->length - 1] == '{' ? "" : ",", ee_bench_metric_names[i]);
    ee_json_write_number(out, value.value);
  }
  ee_buffer_add_text(out, "},\"changed\":[");
  for (size_t i = 0; i < drift.change_count; i++) {
    const ee_bench_change *change = &drift.changes[i];
    next_element(out, i);
    add_text(out, "caseId", change->case_id);
    add_text(out, "kind", change->kinds);
    add_text(out, "kindBefore", change->kinds_before);
    ee_buffer_addf(out, ",\"new\":%zu,\"lost\":%zu}", change->gained, change->lost);
  }
  ee_buffer_add_text(out, "]}");
}

static void add_gates(ee_buffer *out, const ee_bench_score *score) {
  if (score->gate_count == 0) return;
  add_key(out, "gates");
  ee_buffer_add_char(out, '[');
  for (size_t i = 0; i < score->gate_count; i++) {
    const ee_bench_gate *gate = &score->gates[i];
    ee_metric value = {0};
    ee_bench_metric_find(score->metrics, gate->name, &value);
    next_element(out, i);
    add_text(out, "metric", gate->name);
    ee_buffer_add_text(out, ",\"min\":");
    ee_json_write_number(out, gate->least);
    if (value.defined) {
      ee_buffer_add_text(out, ",\"value\":");
      ee_json_write_number(out, value.value);
    }
    ee_buffer_addf(out, ",\"passed\":%s}", gate->passed ? "true" : "false");
  }
  ee_buffer_add_char(out, ']');
}

void ee_bench_json(const ee_bench_score *score, ee_arena *arena, ee_buffer *out) {
  static const char *const heads[] = {"mode", "trials", "provider", "data_hash"};
  const ee_bench_metrics *metrics = score->metrics;
  ee_buffer_add_char(out, '{');
  add_count(out, "schema", 1);
  add_key(out, "kind");
  ee_buffer_add_text(out, "\"bench_score\"");
  for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) add_member(out, score->run, heads[i]);
  add_metrics(out, metrics);
  add_counts(out, metrics);
  add_variance(out, metrics);
  add_drifting(out, metrics);
  add_answers(out, metrics);
  add_failures(out, metrics);
  add_baseline(out, score, arena);
  add_gates(out, score);
  ee_buffer_add_text(out, "\n}\n");
}

/* Markdown ----------------------------------------------------------------------------------------------------------
 */

/* Text of the data, in which nothing is markup. */
static void add_escaped(ee_buffer *out, ee_str text, ee_arena *arena) {
  text = ee_text_printable(text, arena);
  for (size_t i = 0; i < text.length; i++) {
    if (text.data[i] != '\0' && strchr("\\`*_{}[]<>()#|~&!", text.data[i]) != NULL) ee_buffer_add_char(out, '\\');
    ee_buffer_add_char(out, text.data[i]);
  }
}

static void add_metric_row(ee_buffer *out, const ee_bench_score *score, const char *name) {
  ee_metric now = ee_bench_metric(score->metrics, name), before = {0};
  if (score->baseline != NULL) before = ee_bench_metric(score->baseline, name);
  if (!now.defined && !before.defined) return;
  ee_buffer_addf(out, "| %s | ", name);
  if (now.defined)
    ee_json_write_number(out, now.value);
  else
    ee_buffer_add_char(out, '-');
  uint64_t part, whole;
  if (ee_bench_metric_parts(score->metrics, name, &part, &whole))
    ee_buffer_addf(out, " | %" PRIu64 " of %" PRIu64, part, whole);
  else
    ee_buffer_add_text(out, " | ");
  if (score->baseline != NULL) {
    ee_buffer_add_text(out, " | ");
    if (before.defined)
      ee_json_write_number(out, before.value);
    else
      ee_buffer_add_char(out, '-');
  }
  ee_buffer_add_text(out, " |\n");
}

static void add_metric_table(ee_buffer *out, const ee_bench_score *score) {
  ee_buffer_add_text(out, score->baseline != NULL ? "| metric | value | | baseline |\n|---|---:|---:|---:|\n"
                                                  : "| metric | value | |\n|---|---:|---:|\n");
  for (size_t i = 0; ee_bench_metric_names[i] != NULL; i++) add_metric_row(out, score, ee_bench_metric_names[i]);
}

static void add_sentences(ee_buffer *out, const ee_bench_score *score, ee_arena *arena) {
  const ee_bench_metrics *metrics = score->metrics;
  if (metrics->trials > 1)
    ee_buffer_addf(out,
                   "\nExtractions a run: min %" PRIu64 ", max %" PRIu64
                   ", mean %s, variance %s. Cases that drift between trials: %zu of %zu.\n",
                   metrics->count_min, metrics->count_max, ee_bench_figure(metrics->count_mean, arena),
                   ee_bench_figure(metrics->count_variance, arena), metrics->drifting_count, metrics->cases);
  ee_buffer_addf(out,
                 "\nAnswers repaired: %" PRIu64 ", unreadable: %" PRIu64 ", not as targetSchema: %" PRIu64
                 ", none came: %" PRIu64 ".\n",
                 metrics->answers_repaired, metrics->answers_unreadable, metrics->schema_violations,
                 metrics->unanswered);
  if (metrics->approximate > 0) {
    ee_buffer_add_char(out, '\n');
    ee_buffer_add_str(out, ee_bench_approximate_line(metrics, arena));
    ee_buffer_add_text(out, ".\n");
  }
  if (score->baseline == NULL) return;
  ee_bench_comparison drift;
  ee_bench_compare(score->run, score->baseline_run, arena, &drift);
  ee_buffer_addf(out,
                 "\nAgainst the baseline%s: %zu of %zu cases changed, %" PRIu64 " new extractions, %" PRIu64 " lost.\n",
                 drift.same_data ? "" : " (other records)", drift.change_count, drift.cases, drift.gained, drift.lost);
  for (size_t i = 0; i < drift.change_count && i < EE_BENCH_SHOWN; i++) {
    ee_buffer_add_text(out, i == 0 ? "\n- " : "- ");
    add_escaped(out, drift.changes[i].case_id, arena);
    ee_buffer_addf(out, ": %zu new, %zu lost\n", drift.changes[i].gained, drift.changes[i].lost);
  }
  if (drift.change_count > EE_BENCH_SHOWN) ee_buffer_addf(out, "- %zu more\n", drift.change_count - EE_BENCH_SHOWN);
}

void ee_bench_markdown(const ee_bench_score *score, ee_arena *arena, ee_buffer *out) {
  const ee_bench_metrics *metrics = score->metrics;
  ee_buffer_add_text(out, "## Extraction bench\n\n");
  add_escaped(out, ee_bench_head_line(score->run, arena), arena);
  ee_buffer_addf(out, "; cases %zu, extractions %" PRIu64 ".\n\n", metrics->cases, metrics->extractions);
  add_metric_table(out, score);
  add_sentences(out, score, arena);
  if (metrics->failure_count > 0) ee_buffer_add_text(out, "\n### Failures\n\n");
  for (size_t i = 0; i < metrics->failure_count && i < EE_BENCH_SHOWN; i++) {
    ee_buffer_add_text(out, "- ");
    add_escaped(out, ee_bench_failure_line(&metrics->failures[i], arena), arena);
    ee_buffer_add_char(out, '\n');
  }
  if (metrics->failure_count > EE_BENCH_SHOWN)
    ee_buffer_addf(out, "- %zu more\n", metrics->failure_count - EE_BENCH_SHOWN);
  if (score->gate_count > 0) ee_buffer_add_text(out, "\n### Gates\n\n");
  for (size_t i = 0; i < score->gate_count; i++) {
    ee_buffer_addf(out, "- %s ", score->gates[i].passed ? "PASS" : "FAIL");
    add_escaped(out, ee_bench_gate_line(score, &score->gates[i], arena), arena);
    ee_buffer_add_char(out, '\n');
  }
}
