/* fuzz_conditions.c: conditions of the command line: --where on a record, --fail-under on a plan.
 *
 * The first line is a condition, the second a gate, the rest a record. `PATH=VALUE` and `PATH!=VALUE` exclude each
 * other; a gate that is read prints the metric that was written. */
#include "data/json/json_reader.h"
#include "fuzz/fuzz.h"
#include "lua/rule_file.h"
#include "run/gate_decision.h"
#include "run/where.h"

static ee_rule_file *rules(void) {
  static ee_rule_file *file;
  static const char text[] =
      "return ee.rules { slices = { 'kind' }, ee.fields { name = 'header', ee.exact 'number', "
      "ee.numeric 'total' }, ee.detection { 'boxes', name = 'boxes' }, ee.quality { name = 'q' } }";
  if (file != NULL) return file;
  ee_error_list errors;
  ee_error_list_init(&errors);
  ee_rule_file_options options = {.limits = {.instructions = -1}, .text = ee_str_from(text)};
  file = ee_rule_file_load("fuzz.lua", &options, &errors);
  fuzz_require(file != NULL);
  ee_error_list_fini(&errors);
  return file;
}

static void check_where(const char *text, ee_str record_text, ee_arena *arena) {
  ee_error error = {0};
  ee_where where;
  if (ee_where_parse(arena, text, &where, &error) != EE_OK) {
    fuzz_require(error.status == EE_ERROR_USAGE && error.message[0] != '\0');
    return;
  }
  const ee_value *record = ee_json_read_data(arena, record_text, NULL);
  ee_case current;
  if (record == NULL || ee_record_read(record, NULL, NULL, arena, &current, &error) != EE_OK) return;
  ee_where other = where;
  other.excludes = !where.excludes;
  bool keeps = ee_where_keeps(&where, 1, &current, arena), other_keeps = ee_where_keeps(&other, 1, &current, arena);
  fuzz_require(keeps != other_keeps);
}

static void check_gate(const char *text, double confidence) {
  ee_error error = {0};
  ee_gate gate;
  /* Slices are added to the plan, so that it would grow for ever. */
  if (strchr(text, '[') != NULL && strstr(text, "[kind") == NULL) return;
  if (!ee_rule_file_parse_gate(rules(), text, confidence, &gate, &error)) {
    fuzz_require(error.message[0] != '\0');
    return;
  }
  fuzz_require(gate.has_min && !gate.has_max);
  ee_buffer out = {0};
  ee_gate_print_metric(&gate, &out);
  fuzz_require(out.length > 0);
  ee_buffer_fini(&out);
}

static int ee_fuzz_one(const uint8_t *data, size_t size) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  fuzz_source source = fuzz_source_of(data, size);
  double confidence = fuzz_byte(&source) % 2 == 0 ? 0 : 0.95;
  ee_str where = fuzz_line(&source), gate = fuzz_line(&source);
  check_where(ee_arena_copy(&arena, where.data, where.length), fuzz_rest(&source), &arena);
  check_gate(ee_arena_copy(&arena, gate.data, gate.length), confidence);
  ee_arena_fini(&arena);
  return 0;
}

EE_FUZZ_TARGET(1024)
