/* test_totals_state.c: parts that are stored, read and merged, in any partition and tree, are the whole. */
#include "run/run_listener.h"
#include "run/totals_state.h"
#include "support/random.h"

static ee_arena arena;

static int set_up(void **state) {
  (void)state;
  ee_arena_init(&arena, 0);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  ee_arena_fini(&arena);
  return 0;
}

/* The state of totals, in the arena. */
static ee_str save(ee_totals *totals) {
  ee_buffer out = {0};
  ee_state_line line;
  ee_state_write(&line, &out);
  ee_totals_state(&line, totals);
  assert_true(ee_state_close(&line));
  ee_str text = {ee_arena_copy(&arena, out.data, out.length), out.length};
  ee_buffer_fini(&out);
  return text;
}

/* Totals from a text; false, and nothing to free, if it is refused. */
static bool load(ee_totals *totals, const ee_plan *plan, ee_str text) {
  const ee_value *value = ee_json_read(&arena, text, NULL, NULL);
  ee_state_line line;
  ee_totals_init(totals, plan);
  ee_state_read(&line, value);
  ee_totals_state(&line, totals);
  if (ee_state_close(&line)) return true;
  ee_totals_fini(totals);
  return false;
}

static void must_load(ee_totals *totals, const ee_plan *plan, ee_str text) {
  if (!load(totals, plan, text)) fail_msg("%.*s", EE_STR_ARG(text));
}

/* The state of states `from` up to `to`, merged two neighbours at a time. */
static ee_str merge_states(test_random *random, const ee_plan *plan, const ee_str *states, size_t from, size_t to) {
  if (to - from == 1) return states[from];
  size_t middle = from + 1 + test_random_below(random, to - from - 1);
  ee_str left = merge_states(random, plan, states, from, middle);
  ee_str right = merge_states(random, plan, states, middle, to);
  ee_totals all, part;
  must_load(&all, plan, left);
  must_load(&part, plan, right);
  ee_totals_merge(&all, &part);
  ee_str merged = save(&all);
  ee_totals_fini(&all);
  ee_totals_fini(&part);
  return merged;
}

/* Lines of a small run ---------------------------------------------------------------------------- */

enum { LINES = 300, PARTS_LIMIT = 12 };

static ee_str random_line(test_random *random, size_t number) {
  if (test_random_below(random, 20) == 0) return EE_STR("{\"id\":\"broken\n");
  static const char *const candidates[] = {
      "{\"number\":1,\"total\":2}", "{\"number\":2}", "null", "\"no\"", "\"```json\\n{\\\"number\\\": 1}\\n```\"",
      "{\"number\":1,\"note\":3}"};
  return ee_str_from(ee_arena_printf(
      &arena,
      "{\"id\":\"c%zu\",\"expected\":{\"number\":1,\"total\":%zu},\"candidate\":%s,\"lang\":\"l%zu\",\"kind\":\"k%zu\","
      "\"raise\":%s}\n",
      number, test_random_below(random, 3), candidates[test_random_below(random, 6)], test_random_below(random, 9),
      test_random_below(random, 30), test_random_below(random, 30) == 0 ? "true" : "false"));
}

static ee_str run_lines(const small_rules *rules, const ee_str *lines, size_t from, size_t to) {
  temporary file;
  listener l;
  temporary_open(&file);
  for (size_t i = from; i < to; i++) fwrite(lines[i].data, 1, lines[i].length, file.file);
  temporary_written(&file);
  listener_open(&l);
  ee_error error = {0};
  const char *name = file.name;
  ee_run_result result = run_files(rules, &name, 1, (ee_run_options){.jobs = 2, .kinds = true}, &l, EE_OK, &error);
  ee_str state = save(&result.totals);
  ee_totals_fini(&result.totals);
  listener_close(&l);
  temporary_remove(&file);
  return state;
}

static void test_partitions(void **state) {
  (void)state;
  test_random random = test_random_start("test_totals_state", 15);
  small_rules rules;
  small_rules_open(&rules);
  for (int round = 0; round < 25; round++) {
    ee_str lines[LINES], states[PARTS_LIMIT];
    size_t count = 1 + test_random_below(&random, LINES), parts = 1 + test_random_below(&random, PARTS_LIMIT);
    for (size_t i = 0; i < count; i++) lines[i] = random_line(&random, i);
    size_t at = 0;
    for (size_t i = 0; i < parts; i++) {
      size_t to = i + 1 == parts ? count : at + test_random_below(&random, count - at + 1);
      states[i] = run_lines(&rules, lines, at, to);
      at = to;
    }
    ee_str whole = run_lines(&rules, lines, 0, count), merged = merge_states(&random, rules.plan, states, 0, parts);
    if (!ee_str_equal(whole, merged)) fail_msg("%.*s\n%.*s", EE_STR_ARG(whole), EE_STR_ARG(merged));
    ee_arena_reset(&arena, 0);
  }
  small_rules_close(&rules);
}

EE_TEST_FILE(set_up, tear_down, cmocka_unit_test(test_partitions));
