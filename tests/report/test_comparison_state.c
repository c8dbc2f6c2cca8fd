/* test_comparison_state.c: comparisons of parts, written, read and merged in random trees, give what the comparison of
 * all rows gives. */
#include "report/comparison_state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/json/json_reader.h"
#include "report/formats.h"
#include "report/made_runs.h"

enum { MOST_PARTS = 7, MOST_ROWS = 60 };

/* Documents ------------------------------------------------------------------------------------- */

static const ee_comparison_options options = {.names = {"base.jsonl", "new.jsonl"}, .common = true, .force = true};

/* The report in a format; JSON without its list of cases. */
static char *report_of(const ee_comparison *comparison, const char *format_name) {
  ee_buffer out = {0};
  const ee_report_format *format = ee_report_format_find(ee_str_from(format_name));
  assert_non_null(format);
  ee_report_write_comparison(format, comparison, (ee_table_style){.width = 200}, &out);
  ee_buffer_terminate(&out);
  char *text = strdup(out.data);
  ee_buffer_fini(&out);
  char *results = strstr(text, "\"results_of_parts\":");
  if (results == NULL) results = strstr(text, "\"results\":");
  if (results != NULL) *results = '\0';
  return text;
}

static void assert_same(const ee_comparison *whole, const ee_comparison *merged, const char *format) {
  char *expected = report_of(whole, format), *got = report_of(merged, format);
  if (strcmp(expected, got) != 0) {
    size_t at = 0;
    while (expected[at] == got[at]) at++;
    size_t from = at > 200 ? at - 200 : 0;
    fail_msg("%s differs:\n--- whole\n%.400s\n--- parts\n%.400s", format, expected + from, got + from);
  }
  free(expected);
  free(got);
}

/* States ---------------------------------------------------------------------------------------- */

/* Writes and reads again. */
static ee_comparison *through_text(ee_comparison *comparison) {
  ee_buffer text = {0}, again = {0};
  ee_state_line line;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_state_write(&line, &text);
  ee_comparison_state(&line, comparison);
  assert_true(ee_state_close(&line));
  const ee_value *value = ee_json_read(&arena, (ee_str){text.data, text.length}, NULL, NULL);
  assert_non_null(value);
  ee_comparison *read = ee_comparison_new(&(ee_comparison_options){.names = {NULL, NULL}});
  ee_state_read(&line, value);
  ee_comparison_state(&line, read);
  if (!ee_state_close(&line)) fail_msg("cannot be read: %.*s", (int)text.length, text.data);
  ee_state_write(&line, &again);
  ee_comparison_state(&line, read);
  ee_state_close(&line);
  assert_int_equal(again.length, text.length);
  assert_memory_equal(again.data, text.data, text.length);
  ee_buffer_fini(&text);
  ee_buffer_fini(&again);
  ee_arena_fini(&arena);
  ee_comparison_free(comparison);
  return read;
}

/* Merges two by two in random order, each step through text or not. NULL: parts contradict each other. */
static ee_comparison *merge_all(test_random *random, ee_comparison **parts, size_t count) {
  ee_error error = {0};
  ee_id_hashes none = {0};
  while (count > 1) {
    size_t into = test_random_below(random, count), from = test_random_below(random, count - 1);
    from += from >= into;
    ee_comparison *merged = parts[into];
    ee_status status = ee_comparison_merge(merged, parts[from], &error);
    if (status == EE_OK) status = ee_comparison_check_trials(merged, &none, &error);
    ee_comparison_free(parts[from]);
    parts[from] = parts[count - 1];
    if (into == count - 1) into = from;
    count--;
    if (status != EE_OK) {
      for (size_t i = 0; i < count; i++) ee_comparison_free(parts[i]);
      assert_non_null(strstr(error.message, "compare the rows in one run"));
      return NULL;
    }
    ee_comparison_settle(merged);
    parts[into] = test_random_below(random, 2) == 0 ? through_text(merged) : merged;
  }
  return parts[0];
}

static ee_comparison *compare_part(const made_run *base, const made_run *fresh, const size_t *part_of, size_t part,
                                   ee_comparison_options chosen) {
  ee_error error = {0};
  ee_comparison *comparison = ee_comparison_new(&chosen);
  const made_run *runs[] = {base, fresh};
  for (int side = 0; side < 2; side++)
    for (size_t i = 0; i < runs[side]->count; i++) {
      size_t number = (size_t)(runs[side]->rows[i].expected_hash / 7);
      if (part_of[number] == part) ee_comparison_add(comparison, (ee_side)side, &runs[side]->rows[i]);
    }
  ee_comparison_add_skipped(comparison, EE_SIDE_BASE, part, 0);
  if (ee_comparison_finish_part(comparison, &error) != EE_OK) fail_msg("%s", error.message);
  return comparison;
}

/* Rows ------------------------------------------------------------------------------------------ */

static void add_slices(test_random *random, ee_arena *arena, ee_stored_row *row) {
  if (test_random_below(random, 8) == 0) return;
  const char *text =
      ee_arena_printf(arena, "{\"vendor\":[\"v%zu\"],\"pages\":[\"%zu\"%s]}", test_random_below(random, 4),
                      test_random_below(random, 3), test_random_below(random, 6) == 0 ? ",\"many\"" : "");
  row->slices = ee_json_read(arena, ee_str_from(text), NULL, NULL);
}

/* Some rows are missing, without score, or trials of a case. */
static void change_rows(test_random *random, ee_arena *arena, made_run *run, size_t clusters, bool trials) {
  size_t left = 0;
  for (size_t i = 0; i < run->count; i++) {
    ee_stored_row row = run->rows[i];
    size_t number = (size_t)(row.expected_hash / 7);
    if (test_random_below(random, 20) == 0) continue;
    if (clusters > 0 && number % 3 > 0)
      row.cluster = ee_str_from(ee_arena_printf(arena, "cluster %zu", number * 31 % clusters));
    if (trials) {
      row.base = ee_str_from(ee_arena_printf(arena, "document-%zu", number / 3));
      row.trial = ee_str_from(ee_arena_printf(arena, "%zu", number % 3));
    }
    row.unscored = test_random_below(random, 30) == 0;
    if (test_random_below(random, 10) == 0) row.has_hash = false;
    row.has_corrections = test_random_below(random, 5) > 0;
    row.corrections.straight_through = test_random_below(random, 2) == 0;
    add_slices(random, arena, &row);
    run->rows[left++] = row;
  }
  run->count = left;
}

/* Tests ----------------------------------------------------------------------------------------- */

static void parts_give_what_the_whole_gives(void **state) {
  (void)state;
  test_random random = test_random_start("comparison: parts", 1501);
  size_t refused = 0, rounds = 1200;
  for (size_t round = 0; round < rounds; round++) {
    ee_arena arena;
    ee_arena_init(&arena, 0);
    /* Sometimes the rules of the two runs differ. */
    made_shape shape = random_shape(&random),
               other = test_random_below(&random, 4) == 0 ? random_shape(&random) : shape;
    size_t count = 2 + test_random_below(&random, MOST_ROWS), parts = 1 + test_random_below(&random, MOST_PARTS);
    size_t clusters = test_random_below(&random, 2) == 0 ? 0 : 1 + test_random_below(&random, 12);
    bool trials = test_random_below(&random, 5) == 0;
    made_run base = random_run(&random, &arena, &shape, count), fresh = random_run(&random, &arena, &other, count);
    change_rows(&random, &arena, &base, clusters, trials);
    change_rows(&random, &arena, &fresh, clusters, trials);
    ee_comparison_options chosen = options;
    chosen.threshold = test_random_below(&random, 3) == 0 ? 0.1 : 0;
    size_t part_of[MOST_ROWS + 2];
    for (size_t i = 0; i < count; i++) part_of[i] = test_random_below(&random, parts);
    /* All trials of a case in one part, where the runs have others. */
    for (size_t i = 0; trials && i < count; i++) part_of[i] = part_of[i / 3 * 3];
    ee_error error = {0};
    ee_comparison *whole = ee_comparison_new(&chosen), *split[MOST_PARTS];
    for (size_t i = 0; i < base.count; i++) ee_comparison_add(whole, EE_SIDE_BASE, &base.rows[i]);
    for (size_t i = 0; i < fresh.count; i++) ee_comparison_add(whole, EE_SIDE_NEW, &fresh.rows[i]);
    ee_comparison_add_skipped(whole, EE_SIDE_BASE, parts * (parts - 1) / 2, 0);
    for (size_t i = 0; i < parts; i++) split[i] = through_text(compare_part(&base, &fresh, part_of, i, chosen));
    ee_status status = ee_comparison_finish(whole, &error);
    ee_comparison *merged = merge_all(&random, split, parts);
    refused += merged == NULL;
    if (merged != NULL) {
      ee_error got = {0};
      assert_int_equal(ee_comparison_finish_merged(merged, &got), status);
      assert_string_equal(got.message, error.message);
      if (status == EE_OK) {
        assert_same(whole, merged, "json");
        assert_same(whole, merged, "table");
        assert_same(whole, merged, "markdown");
      }
      ee_comparison_free(merged);
    }
    ee_comparison_free(whole);
    ee_arena_fini(&arena);
  }
  /* Only where their rules differ. */
  assert_true(refused < rounds / 4);
}

/* More units than are kept apart. */
static void many_units_are_grouped_alike(void **state) {
  (void)state;
  enum { ROWS = 36000, SPLIT = 3 };
  test_random random = test_random_start("comparison: many units", 1502);
  for (size_t round = 0; round < 3; round++) {
    ee_arena arena;
    ee_arena_init(&arena, 0);
    made_shape shape = {.judges = 1, .attributes = {3}, .has_judge = 8};
    for (size_t a = 0; a < 3; a++) shape.mentioned[0][a] = 8;
    size_t count = round == 0 ? 700 : ROWS;
    made_run base = random_run(&random, &arena, &shape, count), fresh = random_run(&random, &arena, &shape, count);
    /* Clusters of two in the last round: 18,000; parts have some 6,000 to 17,000 of them. */
    for (size_t i = 0; round == 2 && i < count; i++)
      base.rows[i].cluster = fresh.rows[i].cluster = ee_str_from(ee_arena_printf(&arena, "cluster %zu", i / 2));
    size_t *part_of = calloc(count, sizeof *part_of);
    for (size_t i = 0; i < count; i++) part_of[i] = test_random_below(&random, SPLIT + 1) % SPLIT;
    ee_comparison *whole = compare_or_fail(&base, &fresh, options), *split[SPLIT];
    for (size_t i = 0; i < SPLIT; i++) split[i] = compare_part(&base, &fresh, part_of, i, options);
    for (size_t i = 0; i < SPLIT; i++) split[i] = through_text(split[i]);
    ee_comparison *merged = merge_all(&random, split, SPLIT);
    ee_error error;
    assert_non_null(merged);
    assert_int_equal(ee_comparison_finish_merged(merged, &error), EE_OK);
    assert_true(whole->averages_grouped && whole->clusters_grouped == (round == 2));
    merged->runs[0].unreadable = 0; /* compare_part() makes some up */
    assert_true(merged->score.p == whole->score.p && merged->sign_p == whole->sign_p);
    assert_true(merged->score.change_range.low == whole->score.change_range.low);
    assert_true(merged->units == whole->units && merged->pass_p == whole->pass_p);
    const ee_compared_judge *one = &whole->judges[0], *other = &merged->judges[0];
    assert_true(one->macro.p == other->macro.p && one->micro.p == other->micro.p);
    assert_true(one->macro.before_range.low == other->macro.before_range.low);
    for (size_t i = 0; i < 3; i++) assert_true(whole->fields[i].f1.p == merged->fields[i].f1.p);
    assert_true(merged->listed == 2 * EE_STATE_CASES || round == 0);
    ee_comparison_free(whole);
    ee_comparison_free(merged);
    free(part_of);
    ee_arena_fini(&arena);
  }
}

/* Groups of units say nearly what the units say. */
static void groups_are_near_their_units(void **state) {
  (void)state;
  enum { ROWS = 3000 };
  test_random random = test_random_start("comparison: groups", 1503);
  ee_arena arena;
  ee_arena_init(&arena, 0);
  made_shape shape = {.judges = 1, .attributes = {1}, .has_judge = 8, .mentioned = {{8}}};
  made_run base = random_run(&random, &arena, &shape, ROWS), fresh = random_run(&random, &arena, &shape, ROWS);
  ee_comparison *comparison = compare_or_fail(&base, &fresh, options);
  /* Of one field macro F1 is micro F1, whose interval is of all units. */
  const ee_compared_judge *judge = &comparison->judges[0];
  double groups = judge->macro.change_range.high - judge->macro.change_range.low;
  double units = judge->micro.change_range.high - judge->micro.change_range.low;
  assert_true(comparison->averages_grouped);
  assert_true(judge->macro.change.value == judge->micro.change.value);
  if (!(fabs(groups / units - 1) < 0.1)) fail_msg("width %g, not %g", groups, units);
  ee_comparison_free(comparison);
  ee_arena_fini(&arena);
}

/* Whatever is in a state: an error or totals, never a crash. */
static void damaged_states_are_refused(void **state) {
  (void)state;
  test_random random = test_random_start("comparison: damaged states", 1504);
  ee_arena arena;
  ee_arena_init(&arena, 0);
  made_shape shape = {.judges = 2, .attributes = {3, 2}, .has_judge = 7, .mentioned = {{8, 8, 4}, {8, 8}}};
  made_run base = random_run(&random, &arena, &shape, 30), fresh = random_run(&random, &arena, &shape, 30);
  change_rows(&random, &arena, &base, 5, false);
  change_rows(&random, &arena, &fresh, 5, false);
  size_t part_of[30] = {0}, readable = 0;
  ee_comparison *comparison = compare_part(&base, &fresh, part_of, 0, options);
  ee_buffer text = {0};
  ee_state_line line;
  ee_state_write(&line, &text);
  ee_comparison_state(&line, comparison);
  assert_true(ee_state_close(&line));
  ee_comparison_free(comparison);
  for (size_t round = 0; round < 4000; round++) {
    ee_arena scratch;
    ee_arena_init(&scratch, 0);
    char *bent = ee_arena_copy(&scratch, text.data, text.length);
    static const char bytes[] = "0123456789abcdefAZ+/=-,[]\"{} .";
    for (size_t i = 0; i <= round % 3; i++)
      bent[test_random_below(&random, text.length)] = bytes[test_random_below(&random, sizeof bytes - 1)];
    const ee_value *value = ee_json_read(&scratch, (ee_str){bent, text.length}, NULL, NULL);
    ee_comparison *read = ee_comparison_new(&(ee_comparison_options){.names = {NULL, NULL}});
    ee_comparison *again = ee_comparison_new(&(ee_comparison_options){.names = {NULL, NULL}});
    ee_state_read(&line, value);
    ee_comparison_state(&line, read);
    if (ee_state_close(&line)) {
      ee_error error;
      readable++;
      if (ee_comparison_merge(again, read, &error) == EE_OK && ee_comparison_finish_merged(again, &error) == EE_OK)
        free(report_of(again, "json"));
    }
    ee_comparison_free(read);
    ee_comparison_free(again);
    ee_arena_fini(&scratch);
  }
  /* A digit of a sum can be another one: the checksum of the line is for these. */
  assert_true(readable > 0 && readable < 4000);
  ee_buffer_fini(&text);
  ee_arena_fini(&arena);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(parts_give_what_the_whole_gives),
             cmocka_unit_test(many_units_are_grouped_alike), cmocka_unit_test(groups_are_near_their_units),
             cmocka_unit_test(damaged_states_are_refused));
