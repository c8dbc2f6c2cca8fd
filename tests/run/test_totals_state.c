/* test_totals_state.c: parts that are stored, read and merged, in any partition and tree, are the whole. */
#include "run/run_listener.h"
#include "run/totals_state.h"
#include "support/random.h"
#include "support/totals_text.h"

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

static void must_load(ee_totals *totals, const ee_plan *plan, ee_str text) {
  if (!totals_load(totals, plan, text, &arena)) fail_msg("%.*s", EE_STR_ARG(text));
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
  ee_str merged = totals_save(&all, &arena);
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
  ee_str state = totals_save(&result.totals, &arena);
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

/* Every counter ----------------------------------------------------------------------------------- */

typedef struct counters {
  uint64_t *items[600];
  size_t count;
} counters;

static void list(counters *to, uint64_t *items, size_t count) {
  for (size_t i = 0; i < count; i++) {
    assert_true(to->count < sizeof to->items / sizeof *to->items);
    to->items[to->count++] = &items[i];
  }
}

static void list_sample(counters *to, ee_sample *sample) {
  list(to, &sample->count, 1);
  list(to, (uint64_t *)&sample->sum, 1);
  list(to, (uint64_t *)&sample->sum_of_squares, 1);
}

static void list_judge(counters *to, ee_judge_total *judge) {
  list_sample(to, &judge->score);
  list_sample(to, &judge->units.clustered);
  list(to, &judge->units.passed, 1);
  list(to, judge->verdicts, 3);
  uint64_t *single[] = {&judge->failed,
                        &judge->unscored,
                        &judge->vacuous,
                        &judge->paired,
                        &judge->unpairable,
                        &judge->fallbacks,
                        &judge->kinds_cut,
                        &judge->methods.compared,
                        &judge->methods.different,
                        &judge->methods.lost,
                        (uint64_t *)&judge->methods.lost_similarity,
                        (uint64_t *)&judge->methods.greedy_score,
                        (uint64_t *)&judge->methods.optimal_score};
  for (size_t i = 0; i < sizeof single / sizeof *single; i++) list(to, single[i], 1);
  list(to, (uint64_t *)&judge->pooled, sizeof judge->pooled / sizeof(uint64_t));
  for (size_t i = 0; i < judge->static_count; i++) {
    ee_attribute_total *attribute = &judge->attributes[i];
    list(to, (uint64_t *)&attribute->counts, sizeof attribute->counts / sizeof(uint64_t));
    list(to, (uint64_t *)&attribute->units.alone, sizeof attribute->units.alone / sizeof(uint64_t));
  }
}

/* All that are there without memory of their own; those of ee_totals stand together. */
static void list_counters(counters *to, ee_totals *totals) {
  size_t first = offsetof(ee_totals, records), last = offsetof(ee_totals, pages);
  *to = (counters){0};
  list(to, &totals->records, (last - first) / sizeof(uint64_t));
  list(to, &totals->pages.ids, 4);
  ee_score_totals *all = &totals->all;
  list_sample(to, &all->score);
  list_sample(to, &all->units.clustered);
  list(to, &all->units.passed, 1);
  list(to, all->bins.counts, EE_SCORE_BINS + 1);
  list(to, all->verdicts, 3);
  list(to, &all->corrections.cases, 1);
  list(to, &all->corrections.straight, 1);
  list_sample(to, &all->corrections.units.clustered);
  list(to, &all->corrections.units.passed, 1);
  list(to, all->corrections.kinds, EE_CORRECTION_KINDS);
  list(to, &all->corrections.row_values, 1);
  list(to, &all->corrections.optional, 1);
  list(to, &all->corrections.checks, 1);
  for (size_t i = 0; i < totals->plan->judge_count; i++) list_judge(to, &all->judges[i]);
  ee_trial_total *trials = &totals->trials;
  list(to, &trials->nameless, 1);
  list(to, &trials->others, 1);
  list(to, trials->by_trials, EE_TRIALS_COUNTED + 1);
  list(to, &trials->fewest, 1);
  list(to, trials->verdicts[0], EE_TRIAL_RULES * 3);
}

static void test_every_counter(void **state) {
  (void)state;
  small_rules rules;
  small_rules_open(&rules);
  ee_totals written, read;
  counters from, to;
  ee_totals_init(&written, rules.plan);
  list_counters(&from, &written);
  for (size_t i = 0; i < from.count; i++) {
    assert_int_equal(*from.items[i], 0);
    *from.items[i] = i + 1;
  }
  written.chosen = true;
  must_load(&read, rules.plan, totals_save(&written, &arena));
  list_counters(&to, &read);
  assert_int_equal(from.count, to.count);
  for (size_t i = 0; i < from.count; i++)
    if (*to.items[i] != i + 1) fail_msg("counter %zu", i);
  assert_true(read.chosen);
  ee_totals_fini(&written);
  ee_totals_fini(&read);
  small_rules_close(&rules);
}

/* Emptied totals say nothing of what was there. */
static void test_clear(void **state) {
  (void)state;
  small_rules rules;
  small_rules_open(&rules);
  ee_totals totals, empty;
  counters all;
  ee_totals_init(&totals, rules.plan);
  ee_totals_init(&empty, rules.plan);
  list_counters(&all, &totals);
  for (size_t i = 0; i < all.count; i++) *all.items[i] = i + 1;
  totals.trials.trials = 1;
  ee_totals_clear(&totals);
  list_counters(&all, &totals);
  for (size_t i = 0; i < all.count; i++)
    if (*all.items[i] != 0) fail_msg("counter %zu", i);
  assert_true(ee_str_equal(totals_save(&totals, &arena), totals_save(&empty, &arena)));
  ee_totals_fini(&totals);
  ee_totals_fini(&empty);
  small_rules_close(&rules);
}

/* Units ------------------------------------------------------------------------------------------- */

typedef struct units {
  ee_count_units counts;
  ee_score_units scores;
} units;

static void units_fini(units *of) {
  ee_count_units_fini(&of->counts);
  ee_score_units_fini(&of->scores);
}

static ee_str save_units(units *of) {
  ee_buffer out = {0};
  ee_state_line line;
  ee_unit_keys keys = {0};
  ee_unit_keys_add(&keys, &arena, &of->counts);
  ee_unit_keys_sort(&keys, &arena);
  ee_state_write(&line, &out);
  ee_unit_keys_state(&line, &arena, &keys);
  ee_count_units_state(&line, &of->counts, &keys);
  ee_score_units_state(&line, &of->scores);
  assert_true(ee_state_close(&line));
  ee_str text = {ee_arena_copy(&arena, out.data, out.length), out.length};
  ee_buffer_fini(&out);
  return text;
}

static void load_units(units *of, ee_str text) {
  *of = (units){0};
  ee_unit_keys keys = {0};
  ee_state_line line;
  ee_state_read(&line, ee_json_read(&arena, text, NULL, NULL));
  ee_unit_keys_state(&line, &arena, &keys);
  ee_count_units_state(&line, &of->counts, &keys);
  ee_score_units_state(&line, &of->scores);
  if (!ee_state_close(&line)) fail_msg("%.*s", EE_STR_ARG(text));
}

static void add_case(units *of, uint64_t key, uint64_t bits) {
  ee_counts counts = {.tp = bits % 4, .tn = bits / 4 % 2, .fp = bits / 8 % 3, .fn = bits / 32 % 2};
  ee_count_units_add(&of->counts, key, bits % 7 > 0, true, &counts);
  ee_score_units_add(&of->scores, bits % 5 > 0 ? key : 0, (double)(bits % 1000) / 1000, bits % 2 > 0);
}

/* A few clusters, as many as are kept apart, and many more; stored in parts. */
static void test_units(void **state) {
  (void)state;
  static const size_t sizes[] = {0, 1, 2, 100, 128, 129, 1000, 2047, 2048, 2049, 6000};
  test_random random = test_random_start("test_totals_state units", 3);
  for (size_t round = 0; round < 3 * sizeof sizes / sizeof *sizes; round++) {
    size_t cases = sizes[round / 3] * (1 + test_random_below(&random, 2)), parts = 1 + test_random_below(&random, 5);
    units whole = {0}, part[5] = {0}, merged = {0};
    for (size_t i = 0; i < cases; i++) {
      uint64_t name = test_random_below(&random, sizes[round / 3]), bits = test_random_bits(&random);
      uint64_t key = ee_unit_key((ee_str){(const char *)&name, sizeof name}, (ee_str){0});
      add_case(&whole, key, bits);
      add_case(&part[test_random_below(&random, parts)], key, bits);
    }
    for (size_t i = 0; i < parts; i++) {
      units read;
      load_units(&read, save_units(&part[i]));
      ee_count_units_merge(&merged.counts, &read.counts);
      ee_score_units_merge(&merged.scores, &read.scores);
      units_fini(&read);
      units_fini(&part[i]);
    }
    ee_str all = save_units(&whole), together = save_units(&merged);
    if (!ee_str_equal(all, together)) fail_msg("%zu cases, %zu parts", cases, parts);
    units_fini(&whole);
    units_fini(&merged);
    ee_arena_reset(&arena, 0);
  }
}

/* Units that several tables share are written once: in a table they are a small number each, not their keys. */
static void test_shared_keys(void **state) {
  (void)state;
  enum { CASES = 500, TABLES = 4 };
  ee_count_units tables[TABLES];
  ee_unit_keys keys = {0};
  memset(tables, 0, sizeof tables);
  for (size_t i = 0; i < CASES; i++) {
    uint64_t key = ee_unit_key((ee_str){(const char *)&i, sizeof i}, (ee_str){0});
    for (size_t t = 0; t < TABLES; t++) ee_count_units_add(&tables[t], key, true, false, &(ee_counts){.tp = 1});
  }
  for (size_t t = 0; t < TABLES; t++) ee_unit_keys_add(&keys, &arena, &tables[t]);
  ee_unit_keys_sort(&keys, &arena);
  assert_int_equal(keys.count, CASES);
  ee_buffer out = {0};
  ee_state_line line;
  ee_state_write(&line, &out);
  ee_unit_keys_state(&line, &arena, &keys);
  size_t before = out.length;
  for (size_t t = 0; t < TABLES; t++) ee_count_units_state(&line, &tables[t], &keys);
  assert_true(ee_state_close(&line));
  assert_in_range(before, CASES * 6, CASES * 14);
  assert_in_range(out.length - before, 1, TABLES * CASES * 4);
  for (size_t t = 0; t < TABLES; t++) ee_count_units_fini(&tables[t]);
  ee_buffer_fini(&out);
}

EE_TEST_FILE(set_up, tear_down, cmocka_unit_test(test_partitions), cmocka_unit_test(test_every_counter),
             cmocka_unit_test(test_clear), cmocka_unit_test(test_units), cmocka_unit_test(test_shared_keys));
