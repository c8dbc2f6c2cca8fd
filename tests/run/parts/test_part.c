/* test_part.c: the line of a part: read as it was written; cut, changed or made up it is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash_index.h"
#include "run/parts/part.h"
#include "support/arena.h"
#include "support/random.h"

static ee_part make(uint64_t number, uint64_t of) {
  ee_part part = {.kind = EE_STR("run"),
                  .version = EE_STR("0.1.0"),
                  .rules_name = EE_STR("invoice \"x\"\n"),
                  .rules_hash = UINT64_C(0xfedcba9876543210),
                  .options = EE_STR("|where:a=b|cluster:doc"),
                  .from = number,
                  .to = number,
                  .of = of};
  *EE_LIST_ADD(&part.libraries, &arena) = (ee_part_library){EE_STR("lua"), EE_STR("5.4.4")};
  *EE_LIST_ADD(&part.inputs, &arena) = EE_STR("data.jsonl");
  *EE_LIST_ADD(&part.data, &arena) = (ee_part_range){EE_STR("data.jsonl"), 0, (number > 0 ? number - 1 : 0) * 100,
                                                     (number > 0 ? number : 1) * 100, of * 100};
  return part;
}

static ee_str write(const ee_part *part) {
  ee_buffer text = {0};
  ee_part_write(part, EE_STR("[]"), EE_STR("[[1,2],\"x\"]"), &text);
  ee_str line = {ee_arena_copy(&arena, text.data, text.length), text.length};
  ee_buffer_fini(&text);
  assert_true(line.length > 0 && line.data[line.length - 1] == '\n');
  assert_null(memchr(line.data, '\t', line.length));
  line.length--;
  return line;
}

static ee_part read(ee_str line) {
  ee_part part;
  uint64_t check;
  const ee_value *body;
  ee_error error = {0};
  if (ee_part_read(line, &arena, &part, &check, &body, &error) != EE_OK) fail_msg("%s", error.message);
  assert_non_null(ee_value_member(body, EE_STR("totals"), NULL));
  return part;
}

static void test_is_read_as_written(void **state) {
  (void)state;
  ee_part part = make(3, 8);
  part.expected = (ee_part_expected){.given = true, .hash = UINT64_MAX, .in_error = 2};
  test_random random = test_random_start("part", 41);
  bool used[500];
  for (size_t i = 0; i < 500; i++) {
    used[i] = test_random_below(&random, 3) == 0;
    ee_part_expected_add(&part.expected, used[i], &arena);
  }
  ee_error error;
  ee_error_at(&error, EE_ERROR_DATA, "data.jsonl", 17, 3, "no \"id\"\t");
  for (size_t i = 0; i < EE_PART_MESSAGES + 5; i++) ee_part_add_message(&part, &error, &arena);
  *EE_LIST_ADD(&part.repeated, &arena) = (ee_part_repeat){.hash = UINT64_MAX - 1, .from = 3, .to = 3};
  part.data_notes.notes[0] = (ee_foreign_note){.count = 2, .example = "case 'a\tb'"};
  part.expected_notes.notes[EE_FOREIGN_NOTES - 1] = (ee_foreign_note){.count = UINT64_MAX, .example = "line 7"};
  ee_str line = write(&part);
  ee_part again = read(line);
  for (size_t i = 0; i < EE_FOREIGN_NOTES; i++) {
    assert_true(again.data_notes.notes[i].count == part.data_notes.notes[i].count);
    assert_true(again.expected_notes.notes[i].count == part.expected_notes.notes[i].count);
    assert_string_equal(again.data_notes.notes[i].example, part.data_notes.notes[i].example);
    assert_string_equal(again.expected_notes.notes[i].example, part.expected_notes.notes[i].example);
  }
  assert_true(ee_str_equal(write(&again), line));
  assert_true(ee_str_equal(again.rules_name, part.rules_name));
  assert_int_equal(again.from, 3);
  assert_int_equal(again.messages.count, EE_PART_MESSAGES);
  assert_int_equal(again.message_count, EE_PART_MESSAGES + 5);
  assert_string_equal(again.messages.items[0].error.file, "data.jsonl");
  assert_int_equal(again.messages.items[0].error.line, 17);
  assert_int_equal(again.messages.items[0].error.column, 3);
  assert_int_equal(again.messages.items[0].error.status, EE_ERROR_DATA);
  assert_string_equal(again.messages.items[0].error.message, "no \"id\"\t");
  assert_true(again.messages.items[0].from == 3 && again.messages.items[0].to == 3);
  uint64_t unused = 0;
  for (size_t i = 0; i < 500; i++) unused += !used[i];
  assert_true(ee_part_expected_unused(&again.expected) == unused);
  assert_true(again.expected.hash == UINT64_MAX);
}

/* Every byte: cut there, or with each of its bits changed. */
static void test_refuses_damage(void **state) {
  (void)state;
  ee_part part = make(1, 2);
  ee_str line = write(&part);
  char *copy = malloc(line.length);
  for (size_t i = 0; i < line.length; i++) {
    ee_part read;
    uint64_t check;
    ee_error error = {0};
    memcpy(copy, line.data, line.length);
    assert_int_equal(ee_part_read((ee_str){copy, i}, &arena, &read, &check, NULL, &error), EE_ERROR_RULES);
    for (int bit = 0; bit < 8; bit++) {
      copy[i] = (char)(line.data[i] ^ 1 << bit);
      assert_int_equal(ee_part_read((ee_str){copy, line.length}, &arena, &read, &check, NULL, &error), EE_ERROR_RULES);
      assert_true(error.message[0] != '\0');
    }
  }
  free(copy);
}

/* With a checksum that fits, by someone who means harm. */
static void test_refuses_nonsense(void **state) {
  (void)state;
  static const char *const changes[][2] = {
      {"\"from\":1", "\"from\":0"},
      {"\"to\":1", "\"to\":3"},
      {"\"of\":2", "\"of\":0"},
      {"\"of\":2", "\"of\":-2"},
      {"\"of\":2", "\"of\":1.5"},
      {"\"kind\":\"run\"", "\"kind\":[]"},
      {"\"hash\":\"f", "\"hash\":\"g"},
      {"\"libraries\":{", "\"libraries\":{\"a\":1,"},
      {"\"inputs\":[", "\"inputs\":[1,"},
      {"\"data\":[", "\"data\":[9000000000,"},
      {"\"evalengine_state\":1", "\"evalengine_state\":2"},
      {"\"evalengine_state\":1", "\"evalengine_state\":\"1\""},
      {"\"digest\":\"", "\"digest\":\"x"},
      {"\"digest\":\"", "\"digest\":1,\"d\":\""},
      {"\"version\":\"", "\"version\":1,\"v\":\""},
      {"\"options\":\"", "\"options\":[],\"o\":\""},
      {"\"name\":\"", "\"name\":null,\"n\":\""},
      {"\"hash\":\"", "\"hash\":1,\"h\":\""},
      {"\"from\":1", "\"from\":\"1\""},
      {"\"to\":1", "\"to\":null"},
      {"\"to\":1", "\"to\":0"},
      {"\"of\":2", "\"of\":2,\"cut\":\"x\""},
      {"\"from\":1,\"to\":1,\"of\":2", "\"from\":0,\"to\":1,\"of\":0"},
      {"\"from\":1,\"to\":1,\"of\":2", "\"from\":0,\"to\":0,\"of\":0,\"cut\":\"0123456789abcdef\""},
      {"\"libraries\":{", "\"libraries\":[],\"l\":{"},
      {"\"inputs\":[", "\"inputs\":{},\"i\":["},
  };
  ee_part part = make(1, 2);
  ee_str line = write(&part);
  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
    const char *text = ee_arena_copy(&arena, line.data, line.length), *at = strstr(text, changes[i][0]);
    assert_non_null(at);
    ee_buffer changed = {0};
    ee_buffer_add(&changed, text, (size_t)(at - text));
    ee_buffer_add_text(&changed, changes[i][1]);
    ee_buffer_add_text(&changed, at + strlen(changes[i][0]));
    changed.length = (size_t)(strstr(ee_buffer_terminate(&changed), ",\"check\":") - changed.data);
    ee_buffer_addf(&changed, ",\"check\":\"%016llx\"}",
                   (unsigned long long)ee_hash_bytes(changed.data, changed.length, 0));
    uint64_t check;
    ee_error error = {0};
    ee_part read;
    assert_int_equal(ee_part_read((ee_str){changed.data, changed.length}, &arena, &read, &check, NULL, &error),
                     EE_ERROR_RULES);
    ee_buffer_fini(&changed);
  }
}

static ee_str refusal(const ee_part *part) {
  ee_part read;
  uint64_t check;
  ee_error error = {0};
  assert_int_equal(ee_part_read(write(part), &arena, &read, &check, NULL, &error), EE_ERROR_RULES);
  return ee_str_from(ee_arena_printf(&arena, "%s", error.message));
}

/* Lists that no run writes, although each number is one. */
static void test_refuses_impossible_lists(void **state) {
  (void)state;
  ee_part parts[8];
  for (size_t i = 0; i < 8; i++) parts[i] = make(1, 2);
  parts[0].data.items[0].from = 101;
  parts[1].data.items[0].name = (ee_str){0};
  *EE_LIST_ADD(&parts[2].unended, &arena) = (ee_str){0};
  /* Records that were asked for: more than there are, none in the middle, fewer, and for some of a file not given. */
  for (size_t i = 3; i < 7; i++) {
    parts[i].expected = (ee_part_expected){.given = true, .hash = 1, .records = 4};
    *EE_LIST_ADD(&parts[i].expected.runs, &arena) = i == 3 ? 5 : i == 4 ? 0 : 2;
    *EE_LIST_ADD(&parts[i].expected.runs, &arena) = i == 5 ? 1 : i == 6 ? 0 : 4;
    *EE_LIST_ADD(&parts[i].expected.runs, &arena) = 2;
  }
  *EE_LIST_ADD(&parts[7].repeated, &arena) = (ee_part_repeat){.hash = 1, .from = 1, .to = 2};
  for (size_t i = 0; i < 8; i++)
    if (!ee_str_is(refusal(&parts[i]), "a damaged state: its header makes no sense")) fail_msg("part %zu is read", i);
  ee_part long_example = make(1, 2), bytes = make(1, 2);
  memset(long_example.data_notes.notes[0].example, 'x', EE_FOREIGN_EXAMPLE - 1);
  long_example.data_notes.notes[0].count = 1;
  ee_str line = write(&long_example);
  assert_int_equal(strlen(read(line).data_notes.notes[0].example), EE_FOREIGN_EXAMPLE - 1);
  bytes.data_notes.notes[0] = (ee_foreign_note){.count = 1, .example = "case '\xff'"};
  assert_string_equal(read(write(&bytes)).data_notes.notes[0].example, "case '?'");
  /* One record that no run has. */
  for (uint64_t records = 3; records <= 4; records++) {
    ee_part short_runs = make(1, 2);
    short_runs.expected = (ee_part_expected){.given = true, .hash = 1, .records = records};
    *EE_LIST_ADD(&short_runs.expected.runs, &arena) = 2;
    *EE_LIST_ADD(&short_runs.expected.runs, &arena) = 1;
    if (records == 3) assert_int_equal(read(write(&short_runs)).expected.records, 3);
    if (records == 4) assert_true(ee_str_is(refusal(&short_runs), "a damaged state: its header makes no sense"));
    /* Of a COCO file the runs are of images, and the records of objects. */
    short_runs.expected.coco = true;
    assert_int_equal(read(write(&short_runs)).expected.records, records);
  }
  /* Units and statuses are small numbers. */
  for (uint32_t number = 15; number <= 16; number++) {
    ee_part odd[2] = {make(1, 2), make(1, 2)};
    odd[0].data.items[0].unit = number;
    ee_error error;
    ee_error_at(&error, (ee_status)number, "d.jsonl", 1, 1, "x");
    ee_part_add_message(&odd[1], &error, &arena);
    for (size_t i = 0; i < 2; i++) {
      if (number == 15) read(write(&odd[i]));
      if (number == 16) refusal(&odd[i]);
    }
  }
  ee_part without_number = make(0, 0);
  *EE_LIST_ADD(&without_number.repeated, &arena) = (ee_part_repeat){.hash = 1, .input = 1};
  assert_true(ee_str_is(refusal(&without_number), "a damaged state: its header makes no sense"));
  without_number.repeated.items[0].input = 0;
  assert_int_equal(read(write(&without_number)).repeated.count, 1);
}

/* Names of files are bytes; a state is UTF-8. */
static void test_names_that_are_no_text(void **state) {
  (void)state;
  ee_part part = make(1, 1);
  part.inputs.items[0] = EE_STR("a\xff.jsonl");
  ee_part_add_unended(&part, EE_STR("b\xff.jsonl.gz"), &arena);
  ee_part again = read(write(&part));
  assert_int_equal(again.inputs.count, 1);
  assert_int_equal(again.unended.count, 1);
  assert_true(ee_utf8_valid_prefix(again.inputs.items[0].data, again.inputs.items[0].length) ==
              again.inputs.items[0].length);
}

static void test_files_that_were_cut(void **state) {
  (void)state;
  ee_part part = make(1, 2), next = make(2, 2);
  assert_null(ee_part_unended_text(&part, &arena));
  ee_part_add_unended(&part, EE_STR("a.gz"), &arena);
  ee_part_add_unended(&part, EE_STR("a.gz"), &arena);
  assert_string_equal(ee_part_unended_text(&part, &arena), "'a.gz' could not be read to its end");
  ee_part_add_unended(&next, EE_STR("a.gz"), &arena);
  ee_part_add_unended(&next, EE_STR("b.gz"), &arena);
  *EE_LIST_ADD(&next.repeated, &arena) = (ee_part_repeat){.hash = 9, .from = 2, .to = 2};
  ee_part joined = ee_part_copy(&part, &arena);
  ee_part_join(&joined, &next, &arena);
  assert_string_equal(ee_part_unended_text(&joined, &arena), "'a.gz' and 1 other file could not be read to their ends");
  ee_part_add_unended(&joined, EE_STR("c.gz"), &arena);
  assert_string_equal(ee_part_unended_text(&joined, &arena),
                      "'a.gz' and 2 other files could not be read to their ends");
  ee_part again = read(write(&joined));
  assert_int_equal(again.unended.count, 3);
  assert_int_equal(again.repeated.count, 1);
  assert_true(ee_str_equal(write(&again), write(&joined)));
  /* A copy of it grows without it. */
  ee_part copy = ee_part_copy(&joined, &arena);
  ee_part_add_unended(&copy, EE_STR("d.gz"), &arena);
  assert_int_equal(joined.unended.count, 3);
}

/* Operands of both, each once, in their order. */
static void test_operands_of_neighbours(void **state) {
  (void)state;
  ee_part part = make(1, 2), next = make(2, 2);
  *EE_LIST_ADD(&part.inputs, &arena) = EE_STR("b.jsonl");
  *EE_LIST_ADD(&next.inputs, &arena) = EE_STR("c.jsonl");
  *EE_LIST_ADD(&next.inputs, &arena) = EE_STR("b.jsonl");
  ee_part joined = ee_part_copy(&part, &arena);
  ee_part_join(&joined, &next, &arena);
  static const char *const names[] = {"data.jsonl", "b.jsonl", "c.jsonl"};
  assert_int_equal(joined.inputs.count, 3);
  for (size_t i = 0; i < 3; i++) assert_true(ee_str_is(joined.inputs.items[i], names[i]));
}

/* A repeated id is of an operand of its part, or of none that is known. */
static void test_operands_of_repeated_ids(void **state) {
  (void)state;
  ee_part part = make(0, 0), next = make(0, 0);
  *EE_LIST_ADD(&part.inputs, &arena) = EE_STR("b.jsonl");
  next.inputs.items[0] = EE_STR("c.jsonl");
  *EE_LIST_ADD(&next.inputs, &arena) = EE_STR("b.jsonl");
  for (size_t i = 0; i < 4; i++) *EE_LIST_ADD(&next.repeated, &arena) = (ee_part_repeat){.hash = i, .input = i};
  ee_part joined = ee_part_copy(&part, &arena);
  ee_part_join(&joined, &next, &arena);
  static const size_t inputs[] = {2, 1, 2, 3};
  assert_int_equal(joined.repeated.count, 4);
  for (size_t i = 0; i < 4; i++) assert_int_equal(joined.repeated.items[i].input, inputs[i]);
}

/* A part that has read no data takes the ranges of the next one as they are. */
static void test_no_data_before(void **state) {
  (void)state;
  ee_part part = make(1, 2), next = make(2, 2);
  part.data.count = 0;
  ee_part joined = ee_part_copy(&part, &arena);
  joined.data.items = NULL;
  joined.data.capacity = 0;
  ee_part_join(&joined, &next, &arena);
  assert_int_equal(joined.data.count, 1);
  assert_int_equal(joined.data.items[0].from, 100);
  assert_int_equal(joined.data.items[0].to, 200);
}

/* What is left of all messages: the first ones, and the number of all. */
static void test_messages_of_neighbours(void **state) {
  (void)state;
  ee_part part = make(1, 2), next = make(2, 2);
  ee_error error;
  ee_error_at(&error, EE_ERROR_DATA, "d.jsonl", 1, 1, "x");
  for (size_t i = 0; i < EE_PART_MESSAGES; i++) {
    if (i > 3) ee_part_add_message(&part, &error, &arena);
    ee_part_add_message(&next, &error, &arena);
  }
  ee_part joined = ee_part_copy(&part, &arena);
  ee_part_join(&joined, &next, &arena);
  assert_int_equal(joined.messages.count, EE_PART_MESSAGES);
  assert_int_equal(joined.message_count, 2 * EE_PART_MESSAGES - 4);
  /* In their order. */
  for (unsigned from = 1; from <= 2; from++) {
    ee_part *one = from == 1 ? &part : &next;
    *one = make(from, 2);
    for (size_t i = 0; i < 2; i++) {
      error.line = 10 * from + i;
      ee_part_add_message(one, &error, &arena);
    }
  }
  joined = ee_part_copy(&part, &arena);
  ee_part_join(&joined, &next, &arena);
  static const size_t lines[] = {10, 11, 20, 21};
  assert_int_equal(joined.messages.count, 4);
  for (size_t i = 0; i < 4; i++) assert_int_equal(joined.messages.items[i].error.line, lines[i]);
}

static void test_names_of_parts(void **state) {
  (void)state;
  ee_part part = make(2, 8);
  assert_string_equal(ee_part_name(&part, &arena), "part 2 of 8");
  part.to = 4;
  assert_string_equal(ee_part_name(&part, &arena), "parts 2-4 of 8");
  part = make(1, 1);
  assert_string_equal(ee_part_name(&part, &arena), "part 1 of 1");
  part = make(1, 2);
  part.to = 2;
  assert_string_equal(ee_part_name(&part, &arena), "parts 1-2 of 2");
  part = make(0, 0);
  assert_string_equal(ee_part_name(&part, &arena), "'data.jsonl'");
  *EE_LIST_ADD(&part.inputs, &arena) = EE_STR("e");
  *EE_LIST_ADD(&part.inputs, &arena) = EE_STR("");
  assert_string_equal(ee_part_name(&part, &arena), "'data.jsonl', 'e', ''");
  part = make(0, 0);
  for (char name[] = "b.jsonl"; name[0] <= 'd'; name[0]++)
    *EE_LIST_ADD(&part.inputs, &arena) = (ee_str){ee_arena_copy(&arena, name, 7), 7};
  assert_string_equal(ee_part_name(&part, &arena), "'data.jsonl', 'b.jsonl', 'c.jsonl', ...");
}

/* Joined one after the other, or as a tree: the same header. */
static void test_joins_neighbours(void **state) {
  (void)state;
  test_random random = test_random_start("part join", 42);
  enum { PARTS = 9, RECORDS = 200 };
  ee_part parts[PARTS];
  bool used[RECORDS] = {false};
  for (size_t i = 0; i < PARTS; i++) {
    parts[i] = make(i + 1, PARTS);
    parts[i].expected.given = true;
    /* Every part counts its own records, and all have read the same expected values. */
    if (i % 3 == 1) parts[i].data_notes.notes[2] = (ee_foreign_note){.count = i, .example = "case '?'"};
    if (i % 3 == 1) parts[i].data_notes.notes[2].example[6] = (char)('0' + i);
    parts[i].expected_notes.notes[1] = (ee_foreign_note){.count = 5, .example = "line 7"};
    for (size_t k = 0; k < RECORDS; k++) {
      bool own = test_random_below(&random, 12) == 0;
      used[k] = used[k] || own;
      ee_part_expected_add(&parts[i].expected, own, &arena);
    }
  }
  ee_part list = ee_part_copy(&parts[0], &arena);
  for (size_t i = 1; i < PARTS; i++) ee_part_join(&list, &parts[i], &arena);
  for (size_t step = 1; step < PARTS; step *= 2)
    for (size_t i = 0; i + step < PARTS; i += 2 * step) {
      parts[i] = ee_part_copy(&parts[i], &arena);
      ee_part_join(&parts[i], &parts[i + step], &arena);
    }
  assert_true(ee_str_equal(write(&list), write(&parts[0])));
  assert_int_equal(list.data.count, 1);
  assert_int_equal(list.data.items[0].to, PARTS * 100);
  assert_int_equal(list.to, PARTS);
  assert_int_equal(list.data_notes.notes[2].count, 1 + 4 + 7);
  assert_string_equal(list.data_notes.notes[2].example, "case '1'");
  assert_int_equal(list.expected_notes.notes[1].count, 5);
  uint64_t unused = 0;
  for (size_t k = 0; k < RECORDS; k++) unused += !used[k];
  assert_true(ee_part_expected_unused(&list.expected) == unused);
}

/* Lists of several, and names that are not UTF-8. */
static void test_keeps_lists(void **state) {
  (void)state;
  ee_part part = make(2, 3);
  *EE_LIST_ADD(&part.libraries, &arena) = (ee_part_library){EE_STR("cjson"), EE_STR("1.7")};
  *EE_LIST_ADD(&part.inputs, &arena) = EE_STR("\xffmore\xff.jsonl");
  *EE_LIST_ADD(&part.inputs, &arena) = EE_STR("rest.jsonl");
  *EE_LIST_ADD(&part.data, &arena) = (ee_part_range){EE_STR("more.jsonl"), 1, 7, 9, 12};
  *EE_LIST_ADD(&part.data, &arena) = (ee_part_range){EE_STR("rest.jsonl"), 2, 0, 1, 1};
  ee_part_add_unended(&part, EE_STR("a.gz"), &arena);
  ee_part_add_unended(&part, EE_STR("b.gz"), &arena);
  ee_part_add_unended(&part, EE_STR("a.gz"), &arena);
  ee_part_add_unended(&part, EE_STR("c.gz"), &arena);
  for (uint64_t i = 0; i < 3; i++) *EE_LIST_ADD(&part.repeated, &arena) = (ee_part_repeat){.hash = 90 - i, 2, 2, 0};
  ee_str line = write(&part);
  assert_true(ee_utf8_valid_prefix(line.data, line.length) == line.length);
  ee_part again = read(line);
  assert_int_equal(again.libraries.count, 2);
  assert_true(ee_str_is(again.libraries.items[1].name, "cjson") && ee_str_is(again.libraries.items[1].version, "1.7"));
  assert_int_equal(again.inputs.count, 3);
  assert_true(ee_str_is(again.inputs.items[1], "?more?.jsonl"));
  assert_true(ee_str_is(again.inputs.items[2], "rest.jsonl"));
  assert_int_equal(again.data.count, 3);
  for (size_t i = 0; i < 3; i++) {
    const ee_part_range *a = &part.data.items[i], *b = &again.data.items[i];
    assert_true(ee_str_equal(a->name, b->name));
    assert_true(a->unit == b->unit && a->from == b->from && a->to == b->to && a->size == b->size);
  }
  assert_int_equal(again.unended.count, 3);
  static const char *const names[] = {"a.gz", "b.gz", "c.gz"};
  for (size_t i = 0; i < 3; i++) assert_true(ee_str_is(again.unended.items[i], names[i]));
  assert_string_equal(ee_part_unended_text(&again, &arena), "'a.gz' and 2 other files could not be read to their ends");
  assert_int_equal(again.repeated.count, 3);
  for (size_t i = 0; i < 3; i++)
    assert_true(again.repeated.items[i].hash == 90 - i && again.repeated.items[i].from == 2);
}

/* The bytes of a state: what is empty is left out, so that equal parts have equal digests. */
static void test_bytes(void **state) {
  (void)state;
  ee_part part = make(1, 2);
#define HEAD                                                                                                           \
  "{\"evalengine_state\":1,\"kind\":\"run\",\"version\":\"0.1.0\",\"rules\":{\"name\":\"invoice \\\"x\\\"\\n\","       \
  "\"hash\":\"fedcba9876543210\"},\"options\":\"|where:a=b|cluster:doc\",\"part\":{\"from\":1,\"to\":1,\"of\":2"
  ee_str line = write(&part);
  const char *text = ee_arena_copy(&arena, line.data, line.length), *digest = strstr(text, ",\"digest\":\"");
  assert_non_null(digest);
  assert_int_equal(strncmp(text, HEAD "},\"data\":[", strlen(HEAD "},\"data\":[")), 0);
  static const char *const lists[] = {"\"cut\"", "\"unended\"", "\"expected\"", "\"repeated\"", "\"messages\""};
  for (size_t i = 0; i < 5; i++)
    if (strstr(text, lists[i]) != NULL) fail_msg("%s in %s", lists[i], text);
  /* Of all before it; what may differ between machines comes after it. */
  char expected[200];
  snprintf(expected, sizeof expected,
           ",\"digest\":\"%016llx\",\"libraries\":{\"lua\":\"5.4.4\"},\"inputs\":[\"data.jsonl\"],\"check\":\"",
           (unsigned long long)ee_hash_bytes(text, (size_t)(digest - text), 0));
  assert_int_equal(strncmp(digest, expected, strlen(expected)), 0);
  assert_int_equal(strlen(digest), strlen(expected) + 16 + 2);
  /* Each list appears with its first item. */
  ee_error error;
  ee_error_at(&error, EE_ERROR_DATA, "d.jsonl", 1, 1, "x");
  part.cut = 0xabc;
  part.expected.given = true;
  ee_part_add_unended(&part, EE_STR("a.gz"), &arena);
  *EE_LIST_ADD(&part.repeated, &arena) = (ee_part_repeat){.hash = 7, .from = 1, .to = 1};
  ee_part_add_message(&part, &error, &arena);
  line = write(&part);
  text = ee_arena_copy(&arena, line.data, line.length);
  for (size_t i = 0; i < 5; i++)
    if (strstr(text, lists[i]) == NULL) fail_msg("no %s in %s", lists[i], text);
  ee_part again = read(line);
  assert_true(again.cut == 0xabc && again.expected.given && again.unended.count == 1 && again.repeated.count == 1 &&
              again.messages.count == 1);
  /* Also of files that were cut into one part. */
  part = make(1, 1);
  part.cut = UINT64_MAX;
  assert_true(read(write(&part)).cut == UINT64_MAX);
  assert_true(again.digest == ee_hash_bytes(text, (size_t)(strstr(text, ",\"digest\":\"") - text), 0));
}

/* What is no state is called so; what was one is called damaged. */
static void test_says_what_a_line_is(void **state) {
  (void)state;
  ee_part part = make(1, 2);
  ee_str line = write(&part);
  const ee_str facts[][2] = {
      {EE_STR(""), EE_STR("not a state (evalengine --state writes them)")},
      {EE_STR("x"), EE_STR("not a state (evalengine --state writes them)")},
      {EE_STR("{\"schema\""), EE_STR("not a state (evalengine --state writes them)")},
      {EE_STR("{\"schema\":"), EE_STR("not a state (evalengine --state writes them)")},
      {EE_STR("{\"schema\":1"), EE_STR("not a state (evalengine --state writes them); rows are given with --rows")},
      {EE_STR("{\"schema\":1,\"id\":\"a\"}"),
       EE_STR("not a state (evalengine --state writes them); rows are given with --rows")},
      {EE_STR("{"), EE_STR("a damaged state: it is cut (run the part again)")},
      {{line.data, 12}, EE_STR("a damaged state: it is cut (run the part again)")},
      {{line.data, line.length / 2}, EE_STR("a damaged state: it is cut (run the part again)")},
      {{line.data, line.length - 1}, EE_STR("a damaged state: it is cut (run the part again)")},
      {{line.data + 1, line.length - 1}, EE_STR("a damaged state: its checksum is wrong (run the part again)")},
      {{line.data + line.length / 2, line.length - line.length / 2},
       EE_STR("a damaged state: its checksum is wrong (run the part again)")},
  };
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    ee_part read;
    uint64_t check;
    ee_error error = {0};
    assert_int_equal(ee_part_read(facts[i][0], &arena, &read, &check, NULL, &error), EE_ERROR_RULES);
    if (!ee_str_is(facts[i][1], error.message)) fail_msg("%zu: %s", i, error.message);
  }
}

EE_TEST_FILE(make_arena, free_arena, cmocka_unit_test(test_is_read_as_written), cmocka_unit_test(test_refuses_damage),
             cmocka_unit_test(test_refuses_nonsense), cmocka_unit_test(test_refuses_impossible_lists),
             cmocka_unit_test(test_names_that_are_no_text), cmocka_unit_test(test_files_that_were_cut),
             cmocka_unit_test(test_operands_of_neighbours), cmocka_unit_test(test_operands_of_repeated_ids),
             cmocka_unit_test(test_messages_of_neighbours), cmocka_unit_test(test_names_of_parts),
             cmocka_unit_test(test_no_data_before), cmocka_unit_test(test_joins_neighbours),
             cmocka_unit_test(test_keeps_lists), cmocka_unit_test(test_bytes),
             cmocka_unit_test(test_says_what_a_line_is));
