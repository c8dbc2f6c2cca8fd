/* fuzz_state.c: any bytes as the state of a part, with a checksum that fits, so that all of it is read.
 *
 * What is read must be written as the same text again and again, and its totals can be merged and printed. Start it
 * with states of the rules below as its corpus: without them it begins with an empty one. */

#include "base/hash_index.h"
#include "fuzz/fuzz.h"
#include "lua/rule_file.h"
#include "run/parts/part.h"
#include "run/totals_state.h"

static const char rule_text[] =
    "return ee.rules {\n"
    "  cluster = 'doc', slices = { 'kind' }, measures = { 'cost' },\n"
    "  ee.fields { name = 'header', confidence = 'c.*', cost = { incorrect = 5, missing = 1 },\n"
    "    ee.exact 'number', ee.numeric { 'total', tolerance = 0.01 }, ee.fuzzy 'name',\n"
    "    ee.one_of { 'size', 'small', 'large' }, ee.set 'tags' },\n"
    "  ee.line_items { 'items', name = 'rows', match = { ee.fuzzy 'text' }, ee.numeric 'price' },\n"
    "  ee.quality { name = 'keys' },\n"
    "  ee.detection { 'boxes', name = 'boxes' },\n"
    "}\n";

static const ee_plan *plan_of_rules(void) {
  static const ee_plan *plan;
  if (plan != NULL) return plan;
  ee_error_list errors;
  ee_error_list_init(&errors);
  ee_rule_file_options options = {.limits = {.instructions = -1}, .text = ee_str_from(rule_text)};
  ee_rule_file *rules = ee_rule_file_load("fuzz.lua", &options, &errors);
  for (size_t i = 0; i < errors.count; i++) fprintf(stderr, "%zu: %s\n", errors.items[i].line, errors.items[i].message);
  fuzz_require(rules != NULL);
  plan = ee_rule_file_plan(rules);
  return plan;
}

/* Adds the totals of a document to `all`; false if they are refused. */
static bool add_totals(const ee_value *value, ee_totals *all) {
  ee_state_line line;
  ee_totals totals;
  ee_totals_init(&totals, plan_of_rules());
  ee_state_read(&line, value);
  ee_totals_state(&line, &totals);
  bool good = ee_state_close(&line);
  if (good) ee_totals_merge(all, &totals);
  ee_totals_fini(&totals);
  return good;
}

static void write_totals(ee_totals *totals, ee_buffer *out) {
  ee_state_line line;
  ee_state_write(&line, out);
  ee_totals_state(&line, totals);
  fuzz_require(ee_state_close(&line));
}

/* Reads ids and totals of a document; what they are as text is appended to `ids_text` and `totals_text`. */
static bool read_body(const ee_value *body, ee_buffer *ids_text, ee_buffer *totals_text) {
  ee_id_hashes ids = {0};
  ee_totals all;
  ee_state_line line;
  ee_totals_init(&all, plan_of_rules());
  ee_state_read(&line, ee_value_member(body, EE_STR("ids"), NULL));
  ee_id_hashes_state(&line, &ids);
  bool good = ee_state_close(&line) && add_totals(ee_value_member(body, EE_STR("totals"), NULL), &all);
  if (good) {
    ee_state_write(&line, ids_text);
    ee_id_hashes_state(&line, &ids);
    fuzz_require(ee_state_close(&line));
    write_totals(&all, totals_text);
    ee_totals_finish(&all);
  }
  ee_id_hashes_fini(&ids);
  ee_totals_fini(&all);
  return good;
}

/* Reads a state and appends it to `out` as it is written. */
static bool rewrite(ee_str line, ee_buffer *out) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_part part;
  uint64_t check;
  const ee_value *body = NULL;
  ee_error error;
  ee_buffer ids = {0}, totals = {0};
  bool good = ee_part_read(line, &arena, &part, &check, &body, &error) == EE_OK;
  if (good) {
    ee_part joined = ee_part_copy(&part, &arena);
    ee_part_join(&joined, &part, &arena);
    good = read_body(body, &ids, &totals);
  }
  if (good) ee_part_write(&part, (ee_str){ids.data, ids.length}, (ee_str){totals.data, totals.length}, out);
  ee_buffer_fini(&ids);
  ee_buffer_fini(&totals);
  ee_arena_fini(&arena);
  return good;
}

static int ee_fuzz_one(const uint8_t *data, size_t size) {
  static const char check[] = ",\"check\":\"0123456789abcdef\"}";
  const size_t end = sizeof check - 1;
  ee_buffer line = {0}, once = {0}, twice = {0};
  while (size > 0 && data[size - 1] == '\n') size--;
  if (size > end && memcmp(data + size - end, check, 10) == 0) size -= end;
  ee_buffer_add(&line, (const char *)data, size);
  ee_buffer_addf(&line, ",\"check\":\"%016llx\"}", (unsigned long long)ee_hash_bytes((const char *)data, size, 0));
  if (rewrite((ee_str){line.data, line.length}, &once)) {
    fuzz_require(once.length > 0 && rewrite((ee_str){once.data, once.length - 1}, &twice));
    fuzz_require(once.length == twice.length && memcmp(once.data, twice.data, once.length) == 0);
  }
  ee_buffer_fini(&line);
  ee_buffer_fini(&once);
  ee_buffer_fini(&twice);
  return 0;
}

EE_FUZZ_TARGET(65536)
