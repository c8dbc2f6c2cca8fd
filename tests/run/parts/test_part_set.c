/* test_part_set.c: states that may be merged, and states that may not: in random order, with twins, gaps and lies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "run/parts/part_set.h"
#include "support/arena.h"
#include "support/random.h"

static char name[64];

static ee_part make(uint64_t from, uint64_t to, uint64_t of) {
  ee_part part = {.kind = EE_STR("run"),
                  .version = EE_STR("1.0"),
                  .rules_name = EE_STR("r"),
                  .rules_hash = 7,
                  .options = EE_STR("|where:a=b"),
                  .from = from,
                  .to = to,
                  .of = of};
  *EE_LIST_ADD(&part.libraries, &arena) = (ee_part_library){EE_STR("lua"), EE_STR("5.4.4")};
  *EE_LIST_ADD(&part.inputs, &arena) = EE_STR("d.jsonl");
  *EE_LIST_ADD(&part.data, &arena) =
      (ee_part_range){.name = EE_STR("d.jsonl"), .from = from * 10 - 10, .to = to * 10, .size = of * 10};
  return part;
}

static const ee_part_wanted wanted = {"run", {"1.0", 3}, {"r", 1}, 7, {"|where:a=b", 10}};

/* Reads and checks the states; the message of the first failure, or "". */
static const char *check(const ee_part *parts, size_t count, ee_part_set *set, ee_error_list *warnings) {
  static ee_error error;
  ee_buffer text = {0};
  for (size_t i = 0; i < count; i++) ee_part_write(&parts[i], EE_STR("[]"), EE_STR("[]"), &text);
  FILE *file = fopen(name, "w");
  assert_non_null(file);
  assert_int_equal(fwrite(text.data, 1, text.length, file), text.length);
  assert_int_equal(fclose(file), 0);
  ee_buffer_fini(&text);
  error = (ee_error){0};
  static const char *files[1]; /* the set refers to it */
  files[0] = name;
  ee_part_set_init(set);
  ee_part here = make(1, 1, 1);
  ee_status status = ee_part_set_read(set, files, 1, NULL, &error);
  if (status == EE_OK) status = ee_part_set_match(set, &wanted, &here, warnings, &error);
  if (status == EE_OK) status = ee_part_set_check(set, &error);
  return status == EE_OK ? "" : error.message;
}

static void assert_refused(const ee_part *parts, size_t count, const char *message) {
  ee_part_set set;
  ee_error_list warnings;
  ee_error_list_init(&warnings);
  assert_string_equal(check(parts, count, &set, &warnings), message);
  ee_error_list_fini(&warnings);
  ee_part_set_fini(&set);
}

/* The one that begins later is the one that is refused, in whatever order they are given. */
static void test_part_within_another(void **state) {
  (void)state;
  for (int order = 0; order < 2; order++) {
    const ee_part wide = make(1, 3, 4), inner = make(2, 2, 4), rest = make(4, 4, 4);
    const ee_part parts[] = {order == 0 ? wide : inner, order == 0 ? inner : wide, rest};
    char message[200];
    snprintf(message, sizeof message, "part 2 of 4 is also in %s:%d, as one of parts 1-3 of 4", name, order + 1);
    assert_refused(parts, 3, message);
  }
}

/* Of states of several parts one part is enough. */
static void test_one_part_in_common(void **state) {
  (void)state;
  const ee_part parts[] = {make(1, 2, 4), make(2, 3, 4), make(4, 4, 4)};
  char message[200];
  snprintf(message, sizeof message, "parts 2-3 of 4 is also in %s:1, as one of parts 1-2 of 4", name);
  assert_refused(parts, 3, message);
}

static void test_random_partitions(void **state) {
  (void)state;
  test_random random = test_random_start("part_set", 51);
  for (size_t round = 0; round < 200; round++) {
    uint64_t of = 1 + test_random_below(&random, 40);
    ee_part parts[100];
    bool there[41] = {false};
    size_t count = 0;
    for (uint64_t from = 1, to; from <= of; from = to + 1) {
      to = from + test_random_below(&random, 4);
      if (to > of) to = of;
      if (test_random_below(&random, 6) == 0) continue;
      parts[count++] = make(from, to, of);
      if (test_random_below(&random, 5) == 0) parts[count++] = make(from, to, of);
      for (uint64_t i = from; i <= to; i++) there[i] = true;
    }
    if (count == 0) continue;
    for (size_t i = count; i-- > 1;) {
      size_t other = test_random_below(&random, i + 1);
      ee_part swap = parts[i];
      parts[i] = parts[other];
      parts[other] = swap;
    }
    ee_part_set set;
    ee_error_list warnings;
    ee_error_list_init(&warnings);
    assert_string_equal(check(parts, count, &set, &warnings), "");
    uint64_t missing = 0;
    for (uint64_t i = 1; i <= of; i++) missing += !there[i];
    assert_int_equal(set.missing_count, missing);
    assert_int_equal(set.missing != NULL, missing > 0);
    assert_int_equal(set.count + set.twins, count);
    for (size_t i = 1; i < set.count; i++) {
      assert_true(set.items[i - 1].part.to < set.items[i].part.from);
      assert_int_equal(ee_part_set_follows(&set, i), set.items[i - 1].part.to + 1 == set.items[i].part.from);
    }
    ee_part_set_fini(&set);
    ee_error_list_fini(&warnings);
  }
}

static void test_refuses_what_does_not_fit(void **state) {
  (void)state;
  ee_part parts[3] = {make(1, 1, 2), make(2, 2, 2), make(2, 2, 2)};
  char message[400];
  ee_part good = parts[1];
  parts[1].version = EE_STR("0.9");
  assert_refused(parts, 2, "a state of another version (0.9, this is 1.0)");
  parts[1] = good;
  parts[1].cut = 5;
  snprintf(message, sizeof message,
           "part 2 of 2 was cut from other files than part 1 of 2 (%s:1): one was added, removed or changed between "
           "them, or they were in another order",
           name);
  assert_refused(parts, 2, message);
  parts[1] = good;
  parts[1].kind = EE_STR("comparison");
  assert_refused(parts, 2, "a state of a comparison, not of a run");
  parts[1] = good;
  parts[1].rules_hash = 8;
  assert_refused(parts, 2, "a state of other rules, parameters or config ('r' differs)");
  parts[1] = good;
  parts[1].options = EE_STR("|where:a=b|repair:yes");
  assert_refused(parts, 2, "made with --repair, which is not given here");
  parts[1].options = EE_STR("");
  assert_refused(parts, 2, "made without --where a=b, which is given here");
  parts[1] = good;
  parts[1].expected = (ee_part_expected){.given = true, .hash = 1};
  assert_refused(parts, 2, "made with --expected, others without it");
  parts[0].expected = (ee_part_expected){.given = true, .hash = 2};
  assert_refused(parts, 2, "a state of other expected values");
  parts[0].expected = parts[1].expected = (ee_part_expected){.given = false};
  parts[1].data.items = &(ee_part_range){.name = EE_STR("d.jsonl"), .from = 11, .to = 20, .size = 20};
  snprintf(message, sizeof message, "'d.jsonl' starts at byte 11 here, but ends at 10 in %s:1", name);
  assert_refused(parts, 2, message);
  parts[1].data.items = &(ee_part_range){.name = EE_STR("d.jsonl"), .from = 10, .to = 19, .size = 20};
  assert_refused(parts, 2, "'d.jsonl' ends at 19 of 20 here, and no part has the rest");
  parts[1] = good;
  parts[2].data.items = &(ee_part_range){.name = EE_STR("d.jsonl"), .from = 12, .to = 20, .size = 20};
  snprintf(message, sizeof message, "part 2 of 2 is given twice with different contents (also in %s:2)", name);
  assert_refused(parts, 3, message);
}

static void test_refuses_other_data(void **state) {
  (void)state;
  ee_part parts[2] = {make(1, 1, 2), make(2, 2, 2)};
  char message[400];
  ee_part good = parts[1];
  parts[1].rules_name = EE_STR("s");
  assert_refused(parts, 2, "a state of other rules ('s', not 'r')");
  parts[1] = good;
  parts[1].data.items = &(ee_part_range){.name = EE_STR("d.jsonl"), .from = 10, .to = 30, .size = 30};
  snprintf(message, sizeof message, "'d.jsonl' has 30 bytes here and 20 in %s:1: another file, or it has changed",
           name);
  assert_refused(parts, 2, message);
  /* A file does not begin again; standard input may bring another object, but not from its middle. */
  parts[1].data.items = &(ee_part_range){.name = EE_STR("d.jsonl"), .from = 0, .to = 10, .size = 20};
  snprintf(message, sizeof message, "'d.jsonl' starts at byte 0 here, but ends at 10 in %s:1", name);
  assert_refused(parts, 2, message);
  ee_part before = parts[0];
  parts[0].data.items = &(ee_part_range){.name = EE_STR("-"), .from = 0, .to = 10, .size = 10};
  parts[1].data.items = &(ee_part_range){.name = EE_STR("-"), .from = 0, .to = 30, .size = 30};
  assert_refused(parts, 2, "");
  parts[1].data.items = &(ee_part_range){.name = EE_STR("-"), .from = 5, .to = 10, .size = 10};
  snprintf(message, sizeof message, "'-' starts at byte 5 here, but ends at 10 in %s:1", name);
  assert_refused(parts, 2, message);
  parts[0] = before;
  parts[1].data.items = &(ee_part_range){.name = EE_STR("e.jsonl"), .unit = 1, .from = 10, .to = 20, .size = 20};
  assert_refused(parts, 2, "no part has 'e.jsonl' before record 10");
  parts[1] = good;
  parts[0].expected = (ee_part_expected){.given = true, .hash = 1};
  assert_refused(parts, 2, "made without --expected, others with it");
  static const ee_part_expected others[] = {{.given = true, .hash = 1, .in_error = 1},
                                            {.given = true, .hash = 1, .detections = 1},
                                            {.given = true, .hash = 1, .coco = true}};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    parts[1].expected = others[i];
    assert_refused(parts, 2, "a state of other expected values");
  }
}

static void test_names_what_is_missing(void **state) {
  (void)state;
  ee_part parts[40];
  for (uint64_t i = 0; i < 40; i++) parts[i] = make(2 * i + 1, 2 * i + 1, 80);
  ee_part_set set;
  ee_error_list warnings;
  ee_error_list_init(&warnings);
  assert_string_equal(check(parts, 40, &set, &warnings), "");
  assert_int_equal(set.missing_count, 40);
  assert_true(strncmp(set.missing, "2, 4, 6, ", 9) == 0);
  assert_string_equal(set.missing + strlen(set.missing) - 5, ", ...");
  ee_part_set_fini(&set);
  ee_error_list_fini(&warnings);
}

/* Twenty parts that are missing, or ranges of them, are named. */
static void test_how_many_are_named(void **state) {
  (void)state;
  for (uint64_t missing = 1; missing <= 22; missing++) {
    ee_part parts[24];
    for (uint64_t i = 0; i <= missing; i++) parts[i] = make(2 * i + 1, 2 * i + 1, 2 * missing + 1);
    ee_part_set set;
    ee_error_list warnings;
    ee_error_list_init(&warnings);
    assert_string_equal(check(parts, missing + 1, &set, &warnings), "");
    const char *list = "";
    for (uint64_t i = 0; i < missing && i < 20; i++)
      list = ee_arena_printf(&arena, "%s%s%d", list, i > 0 ? ", " : "", (int)(2 * i + 2));
    if (missing > 20) list = ee_arena_printf(&arena, "%s, ...", list);
    assert_string_equal(set.missing, list);
    assert_int_equal(set.missing_count, missing);
    assert_string_equal(ee_part_set_missing(&set, &arena),
                        ee_arena_printf(&arena, "part%s %s of %d %s missing", missing == 1 ? "" : "s", list,
                                        (int)(2 * missing + 1), missing == 1 ? "is" : "are"));
    ee_part_set_fini(&set);
    ee_error_list_fini(&warnings);
  }
  /* At the beginning, in the middle, at the end; one by one and as ranges. */
  const ee_part parts[] = {make(3, 4, 12), make(6, 7, 12), make(10, 10, 12)};
  ee_part_set set;
  ee_error_list warnings;
  ee_error_list_init(&warnings);
  assert_string_equal(check(parts, 3, &set, &warnings), "");
  assert_string_equal(set.missing, "1-2, 5, 8-9, 11-12");
  assert_int_equal(set.missing_count, 7);
  ee_part_set_fini(&set);
  const ee_part whole = make(1, 12, 12);
  assert_string_equal(check(&whole, 1, &set, &warnings), "");
  assert_null(ee_part_set_missing(&set, &arena));
  assert_false(ee_part_set_follows(&set, 0));
  ee_part_set_fini(&set);
  ee_error_list_fini(&warnings);
}

enum { LARGE = 4, LARGE_BYTES = 12 << 20 };

/* States of 12 MB each: the memory for texts holds two. */
static void write_large_states(const char *file) {
  ee_buffer totals = {0}, text = {0};
  for (uint64_t i = 1; i <= LARGE; i++) {
    ee_buffer_clear(&totals);
    ee_buffer_add_text(&totals, "[\"");
    memset(ee_buffer_reserve(&totals, LARGE_BYTES), (int)('a' + i), LARGE_BYTES);
    totals.length += LARGE_BYTES;
    ee_buffer_add_text(&totals, "\"]");
    ee_part part = make(i, i, LARGE);
    ee_part_write(&part, EE_STR("[]"), (ee_str){totals.data, totals.length}, &text);
  }
  FILE *out = fopen(file, "w");
  assert_non_null(out);
  assert_int_equal(fwrite(text.data, 1, text.length, out), text.length);
  assert_int_equal(fclose(out), 0);
  ee_buffer_fini(&text);
  ee_buffer_fini(&totals);
}

static void assert_loads(ee_part_set *set, size_t number) {
  ee_arena body_arena;
  ee_arena_init(&body_arena, 0);
  const ee_value *body;
  ee_error error = {0};
  if (ee_part_set_load(set, number, &body_arena, &body, &error) != EE_OK) fail_msg("%s", error.message);
  ee_str text = ee_value_text(ee_value_child(ee_value_member(body, EE_STR("totals"), NULL)));
  assert_int_equal(text.length, LARGE_BYTES);
  assert_int_equal(text.data[LARGE_BYTES / 2], 'b' + (int)number);
  ee_arena_fini(&body_arena);
}

/* What memory does not hold is read again: from the file, or from a copy of what can be read only once. */
static void test_more_than_memory_holds(void **state) {
  (void)state;
  char pipe[80];
  snprintf(pipe, sizeof pipe, "%s.pipe", name);
  const char *const files[3] = {name, pipe, "-"};
  assert_int_equal(mkfifo(pipe, 0600), 0);
  int input = dup(STDIN_FILENO);
  for (size_t i = 0; i < 3; i++) {
    pid_t writer = i != 1 ? 0 : fork();
    if (i == 2) assert_true(freopen(name, "r", stdin) != NULL);
    if (i == 0) write_large_states(name);
    if (i == 1 && writer == 0) {
      write_large_states(pipe);
      _exit(0);
    }
    ee_part_set set;
    ee_part_set_init(&set);
    ee_error error = {0};
    if (ee_part_set_read(&set, &files[i], 1, NULL, &error) != EE_OK) fail_msg("%s", error.message);
    if (i == 1) assert_int_equal(waitpid(writer, NULL, 0), writer);
    if (ee_part_set_check(&set, &error) != EE_OK) fail_msg("%s", error.message);
    assert_true(set.held <= EE_PART_SET_TEXT);
    size_t kept = 0;
    for (size_t k = 0; k < LARGE; k++) kept += set.items[k].text.data != NULL;
    assert_int_equal(kept, 2);
    assert_true(set.held > 2 * (size_t)LARGE_BYTES);
    for (size_t k = 0; k < LARGE; k++) assert_loads(&set, LARGE - 1 - k);
    ee_part_set_fini(&set);
  }
  if (input >= 0) {
    assert_int_equal(dup2(input, STDIN_FILENO), STDIN_FILENO);
    close(input);
  }
  unlink(pipe);
}

/* A file that another run writes to meanwhile. */
static void test_changed_while_read(void **state) {
  (void)state;
  write_large_states(name);
  const char *const files[] = {name};
  ee_part_set set;
  ee_part_set_init(&set);
  ee_error error = {0};
  if (ee_part_set_read(&set, files, 1, NULL, &error) != EE_OK) fail_msg("%s", error.message);
  assert_loads(&set, LARGE - 1);
  ee_arena body_arena;
  ee_arena_init(&body_arena, 0);
  const ee_value *body;
  assert_int_equal(truncate(name, 40 << 20), 0);
  assert_int_equal(ee_part_set_load(&set, LARGE - 1, &body_arena, &body, &error), EE_ERROR_RULES);
  assert_string_equal(error.message, "the file has changed while it was read");
  assert_int_equal(unlink(name), 0);
  assert_int_equal(ee_part_set_load(&set, LARGE - 1, &body_arena, &body, &error), EE_ERROR_SYSTEM);
  char message[200];
  snprintf(message, sizeof message, "cannot open '%s': No such file or directory", name);
  assert_string_equal(error.message, message);
  assert_loads(&set, 0);
  ee_arena_fini(&body_arena);
  ee_part_set_fini(&set);
}

/* Equal states are dropped as attempts of one task; without numbers, only if they are of the same operands. */
static void test_twins(void **state) {
  (void)state;
  for (size_t i = 0; i < 6; i++) {
    ee_part parts[2] = {make(1, 1, 1), make(1, 1, 1)};
    bool numbers = i % 2 == 0, same = i / 2 == 0;
    if (i / 2 == 2) *EE_LIST_ADD(&parts[1].inputs, &arena) = EE_STR("more.jsonl");
    for (size_t k = 0; k < 2 && !numbers; k++) parts[k].from = parts[k].to = parts[k].of = 0;
    if (i / 2 == 1) parts[1].inputs.items[0] = EE_STR("other/d.jsonl");
    ee_part_set set;
    ee_error_list warnings;
    ee_error_list_init(&warnings);
    assert_string_equal(check(parts, 2, &set, &warnings), "");
    assert_int_equal(set.twins, numbers || same ? 1 : 0);
    ee_part_set_fini(&set);
    ee_error_list_fini(&warnings);
  }
}

static void test_warns_of_libraries(void **state) {
  (void)state;
  ee_part parts[2] = {make(1, 1, 2), make(2, 2, 2)};
  parts[1].libraries.items[0].version = EE_STR("5.4.6");
  ee_part_set set;
  ee_error_list warnings;
  ee_error_list_init(&warnings);
  assert_string_equal(check(parts, 2, &set, &warnings), "");
  assert_int_equal(warnings.count, 1);
  assert_string_equal(warnings.items[0].message,
                      "warning: made with lua 5.4.6, this program has 5.4.4: results may differ in detail");
  assert_int_equal(warnings.items[0].line, 2);
  ee_part_set_fini(&set);
  /* The first state that was made with another version, of each library. */
  ee_part three[3] = {make(1, 1, 3), make(2, 2, 3), make(3, 3, 3)};
  for (size_t i = 0; i < 3; i++)
    *EE_LIST_ADD(&three[i].libraries, &arena) = (ee_part_library){EE_STR("pcre2"), i == 2 ? EE_STR("9") : EE_STR("10")};
  three[1].libraries.items[0].version = EE_STR("5.3");
  three[2].libraries.items[0].version = EE_STR("5.1");
  ee_part self = make(1, 1, 1);
  *EE_LIST_ADD(&self.libraries, &arena) = (ee_part_library){EE_STR("pcre2"), EE_STR("10")};
  ee_error_list found;
  ee_error_list_init(&found);
  check(three, 3, &set, &found);
  ee_error_list_fini(&found);
  ee_error_list_init(&found);
  ee_error error;
  assert_int_equal(ee_part_set_match(&set, &wanted, &self, &found, &error), EE_OK);
  assert_int_equal(found.count, 2);
  assert_string_equal(found.items[0].message,
                      "warning: made with lua 5.3, this program has 5.4.4: results may differ in detail");
  assert_int_equal(found.items[0].line, 2);
  assert_string_equal(found.items[1].message,
                      "warning: made with pcre2 9, this program has 10: results may differ in detail");
  assert_int_equal(found.items[1].line, 3);
  ee_error_list_fini(&found);
  ee_part_set_fini(&set);
  parts[1].libraries.count = 0;
  assert_string_equal(check(parts, 2, &set, &warnings), "");
  assert_string_equal(warnings.items[1].message,
                      "warning: made with lua none, this program has 5.4.4: results may differ in detail");
  ee_part_set_fini(&set);
  ee_error_list_fini(&warnings);
}

static int open_all(void **state) {
  snprintf(name, sizeof name, "/tmp/ee_part_set_%ld.state", (long)getpid());
  return make_arena(state);
}

static int close_all(void **state) {
  unlink(name);
  return free_arena(state);
}

/* What a framework writes: a state as one of the fields of a line, between tabs. */
static void test_fields_of_a_line(void **state) {
  (void)state;
  static const char *const lines[][2] = {{"", ""}, {"", "\t7"}, {"key\t", ""}, {"a\t\t b\t ", " \tc\t"}};
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    ee_part part = make(1, 1, 1);
    ee_buffer text = {0};
    ee_part_write(&part, EE_STR("[]"), EE_STR("[]"), &text);
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fprintf(file, "%s%.*s%s\n", lines[i][0], (int)text.length - 1, text.data, lines[i][1]);
    assert_int_equal(fclose(file), 0);
    const char *files[] = {name};
    ee_part_set set;
    ee_error error = {0};
    ee_part_set_init(&set);
    if (ee_part_set_read(&set, files, 1, NULL, &error) != EE_OK) fail_msg("line %zu: %s", i, error.message);
    assert_int_equal(set.count, 1);
    assert_int_equal(set.items[0].part.of, 1);
    ee_part_set_fini(&set);
    ee_buffer_fini(&text);
  }
}

EE_TEST_FILE(open_all, close_all, cmocka_unit_test(test_random_partitions), cmocka_unit_test(test_part_within_another),
             cmocka_unit_test(test_one_part_in_common), cmocka_unit_test(test_refuses_what_does_not_fit),
             cmocka_unit_test(test_refuses_other_data), cmocka_unit_test(test_names_what_is_missing),
             cmocka_unit_test(test_how_many_are_named), cmocka_unit_test(test_more_than_memory_holds),
             cmocka_unit_test(test_changed_while_read), cmocka_unit_test(test_twins),
             cmocka_unit_test(test_warns_of_libraries), cmocka_unit_test(test_fields_of_a_line));
