/* test_page_hint.c: ids and members that number pages, and hints however the cases are split. */
#include "run/page_hint.h"

#include <string.h>

#include "data/json/json_reader.h"
#include "support/random.h"
#include "support/runner.h"

static void test_ids(void **state) {
  (void)state;
  static const struct {
    const char *id;
    unsigned page;
  } rows[] = {{"doc1_p2", 2},  {"a.pdf-page-12", 12}, {"Brief Seite 3", 3}, {"x/page/1", 1}, {"scan.PG.07", 7},
              {"doc-p999", 0}, {"invoice-2", 0},      {"SKU-P101", 0},      {"p2", 0},       {"_p2", 0},
              {"receipt7", 0}, {"map2", 0},           {"homepage2", 0},     {"doc_p", 0},    {"", 0},
              {"12", 0},       {"doc-page1234", 0},   {"file.jsonl:17", 0}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    unsigned page = ee_page_of_id(ee_str_from(rows[i].id));
    if (page != rows[i].page) fail_msg("'%s': page %u, not %u", rows[i].id, page, rows[i].page);
  }
}

static void expect_text(const ee_page_hint *hint, uint64_t cases, const char *start) {
  ee_buffer text = {0};
  ee_page_hint_print(hint, cases, &text);
  const char *found = ee_buffer_terminate(&text);
  if (start == NULL)
    assert_string_equal(found, "");
  else
    assert_memory_equal(found, start, strlen(start));
  ee_buffer_fini(&text);
}

/* Written as a state and read again. */
static ee_page_hint again(ee_page_hint *hint, ee_arena *names) {
  ee_buffer text = {0};
  ee_state_line line;
  ee_state_write(&line, &text);
  ee_page_hint_state(&line, names, hint);
  assert_true(ee_state_close(&line));
  ee_page_hint read = {0};
  ee_state_read(&line, ee_json_read(names, (ee_str){text.data, text.length}, NULL, NULL));
  ee_page_hint_state(&line, names, &read);
  assert_true(ee_state_close(&line));
  ee_buffer_fini(&text);
  return read;
}

/* Random cases, counted one by one, and in parts that are merged. */
static void test_cases(void **state) {
  (void)state;
  test_random random = test_random_start("page_hint", 20261122);
  ee_arena arena, names;
  ee_arena_init(&arena, 0);
  ee_arena_init(&names, 0);
  for (int round = 0; round < 500; round++) {
    size_t count = test_random_below(&random, 12);
    ee_page_hint whole = {0}, parts[3] = {{0}}, merged = {0};
    uint64_t ids = 0, later_ids = 0, members = 0, later_members = 0;
    const char *later_id = NULL, *later_member = NULL; /* the first in byte order */
    for (size_t i = 0; i < count; i++) {
      unsigned page = (unsigned)test_random_below(&random, 3), member = (unsigned)test_random_below(&random, 4);
      const char *id = page == 0 ? ee_arena_printf(&arena, "d%zu", i) : ee_arena_printf(&arena, "d%zu_p%u", i, page);
      const char *record = member == 0 ? "{\"pages\": 3, \"page\": \"2\"}"
                                       : ee_arena_printf(&arena, "{\"x\": 1, \"pageNumber\": %u}", member);
      ee_case source = {.id = ee_str_from(id), .record = ee_json_read(&arena, ee_str_from(record), NULL, NULL)};
      ids += page > 0, later_ids += page > 1, members += member > 0, later_members += member > 1;
      if (page > 1 && (later_id == NULL || strcmp(id, later_id) < 0)) later_id = id;
      if (member > 1 && (later_member == NULL || strcmp(id, later_member) < 0)) later_member = id;
      ee_page_hint_add(&whole, &source, &names);
      ee_page_hint_add(&parts[i * 3 / count], &source, &names);
    }
    for (int i = 3; i-- > 0;) ee_page_hint_merge(&merged, &parts[i], &names);
    ee_page_hint read = again(&merged, &names);
    const ee_page_hint *both[] = {&whole, &merged, &read};
    for (int i = 0; i < 3; i++) {
      assert_int_equal(both[i]->ids, ids);
      assert_int_equal(both[i]->later_ids, later_ids);
      assert_int_equal(both[i]->members, members);
      assert_int_equal(both[i]->later_members, later_members);
      assert_true(ee_str_is(both[i]->later_id.id, later_id != NULL ? later_id : ""));
      assert_true(ee_str_is(both[i]->later_member.id, later_member != NULL ? later_member : ""));
      assert_true(ee_str_is(both[i]->later_member.text, later_member != NULL ? "pageNumber" : ""));
    }
    const char *start = count < 5                                            ? NULL
                        : ids * 2 >= count && later_ids * 5 >= count         ? "ids look like those of pages"
                        : members * 2 >= count && later_members * 5 >= count ? "records look like pages"
                                                                             : NULL;
    expect_text(&merged, count, start);
    ee_arena_reset(&arena, 0);
    ee_arena_reset(&names, 0);
  }
  ee_arena_fini(&arena);
  ee_arena_fini(&names);
}

/* The whole sentences. */
static void test_sentences(void **state) {
  (void)state;
#define ADVICE                                                                                                         \
  ": intervals count each page by itself, and are too narrow if pages of a document are right or wrong together; "     \
  "--cluster PATH (in rules: cluster = PATH) names the member that they share"
  ee_page_hint hint = {.ids = 3, .later_ids = 1, .later_id = {.id = EE_STR("d_p2")}};
  ee_buffer text = {0};
  ee_page_hint_print(&hint, 5, &text);
  assert_string_equal(ee_buffer_terminate(&text), "ids look like those of pages of documents, such as 'd_p2'" ADVICE);
  ee_buffer_clear(&text);
  hint = (ee_page_hint){.members = 5, .later_members = 5, .later_member = {.id = EE_STR("x"), .text = EE_STR("page")}};
  ee_page_hint_print(&hint, 5, &text);
  assert_string_equal(ee_buffer_terminate(&text),
                      "records look like pages of documents, such as case 'x' with its 'page'" ADVICE);
  ee_buffer_fini(&text);
  /* At least half of five cases or more, and a fifth that are later pages. */
  static const struct {
    uint64_t ids, later, cases;
    bool said;
  } facts[] = {{5, 5, 4, false}, {5, 5, 5, true},     {5, 1, 5, true},      {5, 0, 5, false},
               {3, 3, 6, true},  {3, 2, 6, true},     {3, 1, 6, false},     {3, 3, 7, false},
               {4, 2, 7, true},  {50, 20, 100, true}, {49, 40, 100, false}, {50, 19, 100, false}};
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    for (int members = 0; members < 2; members++) {
      hint = (ee_page_hint){.later_id = {.id = EE_STR("i")}, .later_member = {.id = EE_STR("m")}};
      *(members ? &hint.members : &hint.ids) = facts[i].ids;
      *(members ? &hint.later_members : &hint.later_ids) = facts[i].later;
      expect_text(&hint, facts[i].cases, !facts[i].said ? NULL : members ? "records look like pages" : "ids look like");
    }
  }
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_sentences), cmocka_unit_test(test_ids), cmocka_unit_test(test_cases));
