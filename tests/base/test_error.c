/* test_error.c: messages fit their fields, places print, lists sort stably, near words are found. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "support/random.h"

enum { MESSAGE_SIZE = sizeof(((ee_error *)0)->message), FILE_SIZE = sizeof(((ee_error *)0)->file) };

/* Filling -------------------------------------------------------------------------------------- */

static void test_set(void **state) {
  (void)state;
  ee_error error;
  memset(&error, 0xff, sizeof(error));
  assert_int_equal(ee_error_set(&error, EE_ERROR_RULES, "unknown option '%s'", "tolerence"), EE_ERROR_RULES);
  assert_int_equal(error.status, EE_ERROR_RULES);
  assert_string_equal(error.file, "");
  assert_int_equal(error.line, 0);
  assert_int_equal(error.column, 0);
  assert_int_equal(error.offset, 0);
  assert_string_equal(error.message, "unknown option 'tolerence'");
  assert_int_equal(ee_error_set(NULL, EE_ERROR_DATA, "%d", 1), EE_ERROR_DATA);
  assert_int_equal(ee_error_at(NULL, EE_ERROR_SYSTEM, "f", 1, 2, "%d", 1), EE_ERROR_SYSTEM);
}

static void test_at(void **state) {
  (void)state;
  ee_error error;
  assert_int_equal(ee_error_at(&error, EE_ERROR_DATA, "data.jsonl", 1204, 88, "expected '%c'", ','), EE_ERROR_DATA);
  assert_string_equal(error.file, "data.jsonl");
  assert_int_equal(error.line, 1204);
  assert_int_equal(error.column, 88);
  assert_string_equal(error.message, "expected ','");
  ee_error_at(&error, EE_ERROR_DATA, NULL, 3, 0, "%s", "");
  assert_string_equal(error.file, "");
  assert_string_equal(error.message, "");
}

static void test_arguments_may_be_parts_of_the_error(void **state) {
  (void)state;
  ee_error error;
  ee_error_at(&error, EE_ERROR_DATA, "a.lua", 1, 2, "inner");
  ee_error_at(&error, EE_ERROR_RULES, error.file, error.line, 9, "outer: %s in %s", error.message, error.file);
  assert_string_equal(error.file, "a.lua");
  assert_int_equal(error.line, 1);
  assert_string_equal(error.message, "outer: inner in a.lua");
}

/* Fills `text` with `count` copies of `unit` after `lead` letters. */
static void repeat(char *text, size_t lead, const char *unit, size_t count) {
  memset(text, 'a', lead);
  text[lead] = '\0';
  for (char *at = text + lead; count > 0; count--) at = stpcpy(at, unit);
}

static void test_long_message_is_cut_between_code_points(void **state) {
  (void)state;
  static const char *const units[] = {"x", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80"};
  char text[8000];
  for (size_t u = 0; u < 4; u++) {
    size_t width = strlen(units[u]);
    for (size_t lead = 0; lead < 9; lead++) {
      for (size_t count = (MESSAGE_SIZE - 20) / width; count < (MESSAGE_SIZE + 20) / width; count++) {
        repeat(text, lead, units[u], count);
        size_t length = lead + count * width;
        ee_error error;
        ee_error_set(&error, EE_ERROR_DATA, "%s", text);
        if (length < MESSAGE_SIZE) {
          assert_string_equal(error.message, text);
          continue;
        }
        size_t kept = strlen(error.message) - 3;
        assert_int_equal(kept, lead + (MESSAGE_SIZE - 4 - lead) / width * width);
        assert_memory_equal(error.message, text, kept);
        assert_string_equal(error.message + kept, "...");
      }
    }
  }
}

static void test_message_is_always_utf8(void **state) {
  (void)state;
  ee_error error;
  ee_error_set(&error, EE_ERROR_DATA, "%s", "a\xff\xc3\xa9\xe2\x82 \xed\xa0\x80\xc3");
  assert_string_equal(error.message, "a?\xc3\xa9?? ????");
  test_random random = test_random_start("error message", 51);
  char text[1500];
  for (int i = 0; i < 3000; i++) {
    size_t length = test_random_below(&random, sizeof(text));
    for (size_t k = 0; k < length; k++) text[k] = (char)(1 + test_random_below(&random, 255));
    text[length] = '\0';
    ee_error_set(&error, EE_ERROR_DATA, "%s", text);
    size_t got = strlen(error.message);
    assert_int_equal(ee_utf8_valid_prefix(error.message, got), got);
    if (length < MESSAGE_SIZE) assert_int_equal(got, length);
    if (length >= MESSAGE_SIZE) assert_in_range(got, MESSAGE_SIZE - 4, MESSAGE_SIZE - 1);
  }
}

static void test_long_file_name_keeps_its_end(void **state) {
  (void)state;
  static const char *const units[] = {"x", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80"};
  char name[2000];
  for (size_t u = 0; u < 4; u++) {
    size_t width = strlen(units[u]);
    for (size_t lead = 0; lead < 5; lead++) {
      for (size_t count = (FILE_SIZE - 16) / width; count < (FILE_SIZE + 40) / width; count++) {
        repeat(name, lead, units[u], count);
        strcat(name, "/r.lua");
        ee_error error;
        ee_error_at(&error, EE_ERROR_RULES, name, 1, 1, "m");
        size_t length = strlen(name);
        if (length < FILE_SIZE) {
          assert_string_equal(error.file, name);
          continue;
        }
        size_t kept = strlen(error.file) - 3;
        assert_in_range(kept, FILE_SIZE - 4 - (width - 1), FILE_SIZE - 4);
        assert_memory_equal(error.file, "...", 3);
        assert_string_equal(error.file + 3, name + length - kept);
        assert_int_equal(ee_utf8_valid_prefix(error.file, kept + 3), kept + 3);
      }
    }
  }
}

/* Printing ------------------------------------------------------------------------------------- */

static void assert_prints(const char *file, size_t line, size_t column, const char *expected) {
  ee_error error;
  ee_buffer out = {0};
  ee_error_at(&error, EE_ERROR_DATA, file, line, column, "expected ','");
  ee_buffer_add_text(&out, "> ");
  ee_error_print(&error, &out);
  assert_string_equal(ee_buffer_terminate(&out) + 2, expected);
  ee_buffer_fini(&out);
}

static void test_print_leaves_out_what_is_unknown(void **state) {
  (void)state;
  assert_prints("data.jsonl", 1204, 88, "data.jsonl:1204:88: expected ','");
  assert_prints("data.jsonl", 1204, 0, "data.jsonl:1204: expected ','");
  assert_prints("data.jsonl", 0, 0, "data.jsonl: expected ','");
  assert_prints("data.jsonl", 0, 7, "data.jsonl: expected ','");
  assert_prints(NULL, 4, 7, "4:7: expected ','");
  assert_prints("", 4, 0, "4: expected ','");
  assert_prints(NULL, 0, 0, "expected ','");
}

/* Lists ---------------------------------------------------------------------------------------- */

static void test_list_grows_and_copies(void **state) {
  (void)state;
  ee_error_list list;
  ee_error_list_init(&list);
  assert_int_equal(list.count, 0);
  ee_error_list_sort(&list);
  ee_error_list_addf(&list, EE_ERROR_RULES, "r.lua", 7, "mistake %d", 1);
  for (size_t i = 0; i < 100; i++) ee_error_list_add(&list, &list.items[0]); /* the array moves under the argument */
  assert_int_equal(list.count, 101);
  for (size_t i = 0; i < list.count; i++) {
    assert_int_equal(list.items[i].status, EE_ERROR_RULES);
    assert_int_equal(list.items[i].line, 7);
    assert_int_equal(list.items[i].column, 0);
    assert_string_equal(list.items[i].file, "r.lua");
    assert_string_equal(list.items[i].message, "mistake 1");
  }
  ee_error_list_fini(&list);
  assert_int_equal(list.count, 0);
  ee_error_list_fini(&list);
}

static void test_sort_is_by_place_and_stable(void **state) {
  (void)state;
  test_random random = test_random_start("error list", 52);
  static const char *const files[] = {"", "a.lua", "a.lua.bak", "b.lua"};
  for (int round = 0; round < 100; round++) {
    ee_error_list list;
    ee_error_list_init(&list);
    size_t count = test_random_below(&random, 60);
    for (size_t i = 0; i < count; i++) {
      ee_error error;
      ee_error_at(&error, EE_ERROR_RULES, files[test_random_below(&random, 4)], test_random_below(&random, 3),
                  test_random_below(&random, 3), "%04zu", i);
      ee_error_list_add(&list, &error);
    }
    ee_error_list_sort(&list);
    assert_int_equal(list.count, count);
    size_t sum = 0;
    for (size_t i = 0; i < count; i++) {
      sum += strtoul(list.items[i].message, NULL, 10);
      if (i == 0) continue;
      const ee_error *a = &list.items[i - 1], *b = &list.items[i];
      int order = strcmp(a->file, b->file);
      assert_true(order <= 0);
      if (order == 0) assert_true(a->line <= b->line);
      if (order == 0 && a->line == b->line) assert_true(a->column <= b->column);
      if (order == 0 && a->line == b->line && a->column == b->column) assert_true(strcmp(a->message, b->message) < 0);
    }
    if (count > 0) assert_int_equal(sum, count * (count - 1) / 2);
    ee_error_list_fini(&list);
  }
}

/* Suggestions ---------------------------------------------------------------------------------- */

static void test_known_misspellings(void **state) {
  (void)state;
  static const char *const words[] = {"tolerance", "weight", "matcher", "max", "min", "bankgr\xc3\xb6\xc3\x9f\x65",
                                      NULL};
  assert_string_equal(ee_did_you_mean("tolerence", words), "tolerance");
  assert_string_equal(ee_did_you_mean("tolernace", words), "tolerance");
  assert_string_equal(ee_did_you_mean("tlrance", words), "tolerance");
  assert_string_equal(ee_did_you_mean("wieght", words), "weight");
  assert_string_equal(ee_did_you_mean("match", words), "matcher");
  assert_string_equal(ee_did_you_mean("mix", words), "max"); /* as near as min, which comes later */
  assert_string_equal(ee_did_you_mean("man", words), "max");
  assert_string_equal(ee_did_you_mean("weight", words), "weight");
  assert_string_equal(ee_did_you_mean("bankgrosse", words), words[5]);
}

static void test_far_words_are_no_suggestion(void **state) {
  (void)state;
  static const char *const words[] = {"tolerance", "ab", "max", NULL};
  static const char *const none[] = {NULL};
  assert_null(ee_did_you_mean("zzzzzz", words));
  assert_null(ee_did_you_mean("", words));
  assert_null(ee_did_you_mean("ac", words)); /* one step is more than a third of two */
  assert_null(ee_did_you_mean("tolXXXXce", words));
  assert_null(ee_did_you_mean("tolerance", none));
  assert_string_equal(ee_did_you_mean("tolXXXnce", words), "tolerance");
}

/* The plain recursion with the whole matrix. */
static size_t slow_distance(const char *a, size_t m, const char *b, size_t n) {
  size_t d[32][32];
  for (size_t i = 0; i <= m; i++) {
    for (size_t j = 0; j <= n; j++) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      size_t best = d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      if (d[i - 1][j] + 1 < best) best = d[i - 1][j] + 1;
      if (d[i][j - 1] + 1 < best) best = d[i][j - 1] + 1;
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && d[i - 2][j - 2] + 1 < best)
        best = d[i - 2][j - 2] + 1;
      d[i][j] = best;
    }
  }
  return d[m][n];
}

static const char *slow_suggestion(const char *word, const char *const *words) {
  const char *best = NULL;
  size_t best_distance = 4;
  for (size_t i = 0; words[i] != NULL; i++) {
    size_t m = strlen(word), n = strlen(words[i]);
    size_t distance = slow_distance(word, m, words[i], n);
    if (distance * 3 <= (m > n ? m : n) && distance < best_distance) {
      best = words[i];
      best_distance = distance;
    }
  }
  return best;
}

static void random_word(test_random *random, char *word) {
  size_t length = test_random_below(random, 16);
  for (size_t i = 0; i < length; i++) word[i] = (char)('a' + test_random_below(random, 3));
  word[length] = '\0';
}

/* A few edits away from `word`; at most 20 letters. */
static void random_neighbour(test_random *random, const char *word, char *out) {
  strcpy(out, word);
  for (size_t edits = test_random_below(random, 5); edits > 0; edits--) {
    size_t length = strlen(out);
    size_t at = test_random_below(random, length + 1);
    char letter = (char)('a' + test_random_below(random, 3));
    switch (test_random_below(random, 4)) {
    case 0:
      memmove(out + at + 1, out + at, length - at + 1);
      out[at] = letter;
      break;
    case 1:
      if (at < length) memmove(out + at, out + at + 1, length - at);
      break;
    case 2:
      if (at < length) out[at] = letter;
      break;
    default:
      if (at + 1 < length) {
        letter = out[at];
        out[at] = out[at + 1];
        out[at + 1] = letter;
      }
      break;
    }
  }
}

static void test_suggestions_against_twin(void **state) {
  (void)state;
  test_random random = test_random_start("did you mean", 53);
  size_t found = 0;
  for (int i = 0; i < 20000; i++) {
    char word[32], store[6][32];
    const char *words[7];
    size_t count = test_random_below(&random, 7);
    random_word(&random, word);
    for (size_t k = 0; k < count; k++) {
      if (test_random_below(&random, 3) == 0)
        random_word(&random, store[k]);
      else
        random_neighbour(&random, word, store[k]);
      words[k] = store[k];
    }
    words[count] = NULL;
    const char *expected = slow_suggestion(word, words);
    assert_ptr_equal(ee_did_you_mean(word, words), expected);
    if (expected != NULL) found += 1;
  }
  assert_in_range(found, 5000, 19000);
}

static void test_long_words(void **state) {
  (void)state;
  static char a[100001], b[100001];
  memset(a, 'x', sizeof(a) - 1);
  memset(b, 'x', sizeof(b) - 1);
  b[500] = 'y';
  b[90000] = '\xff';
  const char *const words[] = {"short", b, NULL};
  assert_ptr_equal(ee_did_you_mean(a, words), b);
  b[0] = b[1] = 'z';
  assert_null(ee_did_you_mean(a, words));
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_set), cmocka_unit_test(test_at),
             cmocka_unit_test(test_arguments_may_be_parts_of_the_error),
             cmocka_unit_test(test_long_message_is_cut_between_code_points),
             cmocka_unit_test(test_message_is_always_utf8), cmocka_unit_test(test_long_file_name_keeps_its_end),
             cmocka_unit_test(test_print_leaves_out_what_is_unknown), cmocka_unit_test(test_list_grows_and_copies),
             cmocka_unit_test(test_sort_is_by_place_and_stable), cmocka_unit_test(test_known_misspellings),
             cmocka_unit_test(test_far_words_are_no_suggestion), cmocka_unit_test(test_suggestions_against_twin),
             cmocka_unit_test(test_long_words));
