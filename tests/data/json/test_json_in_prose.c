/* test_json_in_prose.c: JSON found in model answers, against the obvious search, hostile prose in bounded time, and
 * repairs that are counted. */
#include <stdlib.h>
#include <string.h>

#include "data/json/json_in_prose.h"
#include "data/json/json_reader.h"
#include "data/json/json_scan.h"
#include "data/json/json_writer.h"
#include "data/random_document.h"
#include "support/arena.h"

static ee_arena twin_arena;

static int set_up(void **state) {
  ee_arena_init(&twin_arena, 0);
  return make_arena(state);
}

static int tear_down(void **state) {
  ee_arena_fini(&twin_arena);
  return free_arena(state);
}

/* `wanted` NULL: nothing is found. */
static void check(const char *text, const char *wanted) {
  ee_error error = {0};
  ee_value *found = ee_json_in_prose_find(&arena, ee_str_from(text), &error);
  ee_buffer out = {0};
  if (found != NULL) ee_json_write_value(&out, found);
  const char *got = found != NULL ? ee_buffer_terminate(&out) : "nothing";
  if (strcmp(got, wanted != NULL ? wanted : "nothing") != 0) print_error("in: %s\n", text);
  assert_string_equal(got, wanted != NULL ? wanted : "nothing");
  if (found == NULL) {
    /* The mistake is the whole text's. */
    ee_error whole = {0};
    assert_null(ee_json_read(&arena, ee_str_from(text), NULL, &whole));
    assert_string_equal(error.message, whole.message);
    assert_int_equal(error.line, whole.line);
    assert_int_equal(error.column, whole.column);
    assert_int_equal(error.offset, whole.offset);
  }
  ee_buffer_fini(&out);
}

static void test_whole_text(void **state) {
  (void)state;
  check("{\"a\":1}", "{\"a\":1}");
  check(" \n[1,2]\n ", "[1,2]");
  check("42", "42");
  check("\"text\"", "\"text\"");
  check("null", "null");
  check("\"a [1] in a string\"", "\"a [1] in a string\"");
}

static void test_nothing(void **state) {
  (void)state;
  check("", NULL);
  check("  ", NULL);
  check("no JSON here", NULL);
  check("the answer is 42", NULL);
  check("\"text\" and more", NULL);
  check("true enough", NULL);
  check("{\"a\":1", NULL);
  check("[1, 2", NULL);
  check("{a: 1}", NULL);
  check("]}", NULL);
  check("\"[\" \"", NULL);
  check("```json\n42\n```", NULL);
  check("```json\n{\"a\":\n```", NULL);
}

static void test_fences(void **state) {
  (void)state;
  check("```json\n{\"a\":1}\n```", "{\"a\":1}");
  check("```\n[1]\n```", "[1]");
  check("~~~\n[1]\n~~~", "[1]");
  check("~~~~ json\n[1]\n~~~~", "[1]");
  check("Here you are:\n\n```json\n{\"a\":1}\n```\nAnything else? [1,2,3,4,5,6,7,8,9]", "{\"a\":1}");
  check("Here you are: ```json\n{\"a\":1}\n```", "{\"a\":1}");
  check("```json\r\n{\"a\":1}\r\n```\r\n", "{\"a\":1}");
  check("  ```json\n  {\"a\":1}\n  ```  ", "{\"a\":1}");
  check("```python\nx = [1, 2]\n```\n```json\n{\"a\":1}\n```", "{\"a\":1}");
  check("```json\n{\"a\":1}\n```\n```json\n{\"bb\":2}\n```", "{\"a\":1}");
  check("```json\n42\n```\n```\n[7]\n```", "[7]");
  check("```json\n{\"a\":\"```\"}\n```", "{\"a\":\"```\"}");
  check("````\n```\n[1]\n```\n````", "[1]");
  check("```json\n{\"a\":1}", "{\"a\":1}");
  check("```json\n{\"a\":1}```", "{\"a\":1}");
  check("```{\"a\":1}```", "{\"a\":1}");
  check("``` {\"a\":1} ``` and ```\n[1]\n```", "[1]");
  check("`[1]` and ``[1,2]``", "[1,2]");
  check("~~~\n[1]\n```\n~~~ [2, 3]", "[2,3]");
  check("``` ```\n[1]", "[1]");
  check("~~~", NULL);
  check("```", NULL);
}

static void test_prose(void **state) {
  (void)state;
  check("The answer is {\"a\":1}.", "{\"a\":1}");
  check("First [1], then [1,2,3], last [4,5].", "[1,2,3]");
  check("[1] or [2]", "[1]");
  check("See [citation needed] {\"a\":1}", "{\"a\":1}");
  check("{{\"a\":1}}", "{\"a\":1}");
  check("{\"a\":1}}", "{\"a\":1}");
  check("[[1,2] [3]", NULL);
  check("{\"a\": [1,2,3], \"b\": oops}", NULL);
  check("{\"a\": {\"b\": 1}, \"c\": [1, 2, 3, 4, 5], \"d\"", NULL);
  check("He said \"[1\" and {\"a\":2}", "{\"a\":2}");
  check("an open quote \" before {\"a\":2}", "{\"a\":2}");
  check("{\"text\":\"{}\"} {\"b\":[]}", "{\"text\":\"{}\"}");
  check("x{}y[]z", "{}");
  check("[1,2,3,]", NULL);
  check("\xe7\xad\x94\xe6\xa1\x88\xef\xbc\x9a{\"a\":\"\xc3\xa9\"}\xe3\x80\x82", "{\"a\":\"\xc3\xa9\"}");
}

/* An answer that the token limit cut is no answer, and no part of it is. */
static void test_cut(void **state) {
  (void)state;
  check("{\"name\": \"x\", \"items\": [{\"name\": \"Cafe\", \"total\": 5}, {\"name\": \"Tea\", \"to", NULL);
  check("[{\"a\": 1}, {\"a\": 2}, {\"a\"", NULL);
  check("[[[[1]]], [2", NULL);
  check("{\"a\": [1, 2, 3], \"b\": -", NULL);
  check("{\"a\": [1, 2, 3], \"b\": tr", NULL);
  check("{\"a\": [1, 2, 3], \"b\": \"\\u00", NULL);
  check("{\"a\": [1, 2, 3],\n", NULL);
  check("{\"broken {\\\"a\\\":1} [1,2]", NULL);
  check("[\"x [1,2,3] y", NULL);
  check("Here it is:\n```json\n{\"a\": [1, 2], \"b\": \"x\n```\nDone.", NULL);
  check("Here it is:\n```json\n{\"a\": [1, 2], \"b\": ", NULL);
  check("```json\n{\"a\": [1,\n```\n```json\n{\"b\": 2}\n```", "{\"b\":2}");
  check("{\"draft\": 1} and then {\"a\": [1, 2, 3, 4, 5, 6, 7], \"b\"", "{\"draft\":1}");
  /* A stray bracket cuts nothing. */
  check("I think {it} is {\"a\": 1}", "{\"a\":1}");
  check("{ so [1, 2]", "[1,2]");
  check("{ so: [1, 2]", NULL);
  check("[1, 2] and {", "[1,2]");
}

/* A broken document counts as a whole: what is in it never stands for it. */
static void test_broken(void **state) {
  (void)state;
  check("{\"total\": 5, \"before\": {\"total\": 7},}", NULL);
  check("```json\n{\"total\": 5, \"before\": {\"total\": 7},}\n```", NULL);
  check("Sure! {\"total\": 5, \"before\": {\"total\": 7},} Done.", NULL);
  check("{'total': 5, 'before': {\"total\": 7}}", NULL);
  check("{total: 5, before: {\"total\": 7}}", NULL);
  check("{// the total\n\"total\": 5, \"before\": {\"total\": 7}}", NULL);
  check("[{\"total\": 5}, {\"total\": 7},]", NULL);
  check("[1, {\"total\": 7},]", NULL);
  check("[NaN, {\"total\": 7}]", NULL);
  check("{\"a\": [1, 2}, {\"b\": 2}", NULL);
  /* Another document that is complete, before or after it. */
  check("{\"a\": 1,} or {\"b\": 2}", "{\"b\":2}");
  check("{\"b\": 2}, not {\"a\": \"}\",}", "{\"b\":2}");
  /* Brackets of prose. */
  check("[sic] {name} [a, b] {\"b\": 2}", "{\"b\":2}");
  check("[1-3] [2nd] {\"b\": 2}", "{\"b\":2}");
  check("So {\"b\": \"\\ud83d\"}", "{\"b\":\"\xef\xbf\xbd\"}");
}

/* True when reading from a bracket found nothing wrong until the text ended, and something stood behind the bracket. */
static bool slow_is_cut(ee_str text, const ee_error *error) {
  size_t end = text.length;
  while (end > 0 && memchr(" \t\r\n", text.data[end - 1], 4) != NULL) end--;
  if (end <= 1) return false;
  if (strcmp(error->message, "unterminated string") == 0 || error->offset >= end) return true;
  const char *rest = text.data + error->offset;
  size_t left = text.length - error->offset;
  bool in_string = strstr(error->message, "escape") != NULL || strstr(error->message, "\\u") != NULL;
  if (in_string && *rest == '\\' && left < 12) {
    char copy[12] = {0};
    memcpy(copy, rest, left);
    if (copy[strspn(copy, "\\u0123456789abcdefABCDEF")] == '\0') return true;
  }
  static const char *const words[] = {"true", "false", "null"};
  for (size_t i = 0; i < 3; i++)
    if (left < strlen(words[i]) && memcmp(words[i], rest, left) == 0) return true;
  return false;
}

/* The shortest beginning of the text that has as many closing as opening brackets outside strings. */
static size_t slow_extent(ee_str text) {
  for (size_t end = 1; end <= text.length; end++) {
    int open = 0;
    char quote = '\0', before = ',';
    for (size_t i = 0; i < end; i++) {
      char c = text.data[i];
      if (quote != '\0') {
        if (c == '\\') i++;
        if (c == quote) {
          quote = '\0';
          before = c;
        }
        continue;
      }
      if (c == '"' || (c == '\'' && strchr("{[,:", before) != NULL)) quote = c;
      open += (c == '{' || c == '[') - (c == '}' || c == ']');
      if (strchr(" \t\r\n", c) == NULL) before = c;
    }
    if (open == 0 && quote == '\0') return end;
  }
  return text.length;
}

/* The search as the header words it, without any memory of what was tried. */
static ee_str slow_longest(ee_str text) {
  ee_str best = {NULL, 0};
  for (size_t i = 0; i < text.length;) {
    if (text.data[i] == '{' || text.data[i] == '[') {
      size_t end = 0;
      ee_arena_reset(&twin_arena, 0);
      ee_str rest = {text.data + i, text.length - i};
      ee_error error;
      if (ee_json_read_prefix(&twin_arena, rest, &end, &error) == NULL) {
        if (slow_is_cut(rest, &error)) break;
        if (ee_json_begins(rest)) {
          i += slow_extent(rest);
          continue;
        }
      } else {
        if (end > best.length) best = (ee_str){text.data + i, end};
        i += end;
        continue;
      }
    }
    i++;
  }
  return best;
}

static void check_against_twin(ee_str text) {
  /* The twin's reader has no half surrogate pairs. */
  for (size_t i = 0; i < text.length; i++)
    if (text.data[i] == '\\' && ee_json_lone_surrogate(text.data + i, text.data + text.length) != NULL) return;
  ee_arena_reset(&arena, 0);
  ee_value *found = ee_json_in_prose_find(&arena, text, NULL);
  ee_value *wanted = ee_json_read(&arena, text, NULL, NULL);
  if (wanted == NULL) {
    ee_str longest = slow_longest(text);
    if (longest.length > 0) wanted = ee_json_read(&arena, longest, NULL, NULL);
  }
  if (!ee_value_equal(found, wanted)) print_error("in: %.*s\n", (int)text.length, text.data);
  assert_true(ee_value_equal(found, wanted));
}

static void test_random_prose(void **state) {
  (void)state;
  test_random random = test_random_start("prose", 51);
  static const char *const pieces[] = {"{",  "}",       "[",   "]",     "\"",    "\\", ",",    ":",
                                       "1",  "{\"a\":", "[1,", "\"b\"", " ",     "x",  "\\\"", "null",
                                       "\n", "{}",      "[]",  "\"]\"", "\\u00", "-",  "01",   "\t"};
  ee_buffer text = {0};
  for (int i = 0; i < 60000; i++) {
    ee_buffer_clear(&text);
    for (size_t left = test_random_below(&random, 40); left > 0; left--)
      ee_buffer_add_text(&text, pieces[test_random_below(&random, sizeof pieces / sizeof *pieces)]);
    check_against_twin((ee_str){text.data, text.length});
  }
  /* Documents with damage, one behind the other. */
  for (int i = 0; i < 3000; i++) {
    ee_buffer_clear(&text);
    for (size_t left = test_random_below(&random, 3); left < 4; left++) {
      random_document(&random, &text, 6, 3, true);
      if (text.length > 0 && left % 2 == 0) text.data[test_random_below(&random, text.length)] = '"';
      ee_buffer_add_text(&text, " prose ");
    }
    for (size_t k = 0; k < text.length; k++)
      if ((unsigned char)text.data[k] > 0x7f) text.data[k] = '?'; /* damage must leave valid UTF-8 */
    check_against_twin((ee_str){text.data, text.length});
  }
  ee_buffer_fini(&text);
}

static void test_depth(void **state) {
  (void)state;
  /* Of 600 levels the inner 512 could be a document, but they are a piece of one that is too deep. */
  char text[1300] = "x";
  size_t length = 1;
  memset(text + length, '[', 600);
  memset(text + length + 600, ']', 600);
  length += 1200;
  ee_value *found = ee_json_in_prose_find(&arena, (ee_str){text, length}, NULL);
  assert_null(found);
  check_against_twin((ee_str){text, length});
}

/* Texts that make a search from each bracket quadratic; a square would take hours here, under a sanitizer or not. */
static void test_hostile_texts(void **state) {
  (void)state;
  static const char *const units[] = {
      "[",    "{",       "[\"",   "{\"a\":[", "{\"a\":",       "[{\"a\":1},", "[\"[\",", "[]",           "[1,",  "{\"",
      "\"[",  "[\"\\\"", "[[1],", "```\n",    "```x\n",        "``` ",        "~~~x\n[", "[1}",          "['x]", "{/*",
      "{a:'", "[''x",    "{//",   "[\\\"",    "{\"[\":\"{\",", "]",           "\\[\"",   "[[[]],{\"a\":"};
  size_t size = 1 << 20;
  char *text = malloc(size);
  for (size_t u = 0; u < sizeof units / sizeof *units; u++) {
    size_t length = strlen(units[u]);
    for (size_t i = 0; i < size; i++) text[i] = units[u][i % length];
    ee_arena_reset(&arena, 0);
    ee_value *found = ee_json_in_prose_find(&arena, (ee_str){text, size}, NULL);
    assert_true(found == NULL || ee_type_of(found) >= EE_ARRAY);
    ee_repairs repairs;
    found = ee_json_in_prose_repair(&arena, (ee_str){text, size}, EE_REPAIRS_ALL, &repairs, NULL);
    assert_true(found == NULL || ee_type_of(found) >= EE_ARRAY);
  }
  free(text);
}

/* Repairs -------------------------------------------------------------------------------------- */

typedef struct repair_fact {
  const char *text, *json; /* json NULL: no answer */
  uint64_t mark, fence, prose, commas;
} repair_fact;

static const repair_fact repair_facts[] = {
    {"{\"a\":1}", "{\"a\":1}", 0, 0, 0, 0},
    {" [1] \n", "[1]", 0, 0, 0, 0},
    {"\xEF\xBB\xBF[1]", "[1]", 1, 0, 0, 0},
    {"```json\n[1]\n```", "[1]", 0, 1, 0, 0},
    {"Sure:\n```\n{\"a\":[]}\n```\nDone.", "{\"a\":[]}", 0, 1, 0, 0},
    {"The answer is {\"a\":1}, I think.", "{\"a\":1}", 0, 0, 1, 0},
    {"[1,2,]", "[1,2]", 0, 0, 0, 1},
    {"{\"a\":[1, \n],}", "{\"a\":[1]}", 0, 0, 0, 2},
    {"```json\n{\"a\":1,}\n```", "{\"a\":1}", 0, 1, 0, 1},
    {"He said \"this: [1,] and no more", "[1]", 0, 0, 1, 1},
    {"\xEF\xBB\xBFSo: {\"a\":[\"x,]\",],}.", "{\"a\":[\"x,]\"]}", 1, 0, 1, 2},
    {"{\"a\":\",]\\\",}\",}", "{\"a\":\",]\\\",}\"}", 0, 0, 0, 1},
    {"two lists [7,] and [1,2,3,4,]", "[1,2,3,4]", 0, 0, 1, 1},
    {"[1,,]", NULL, 0, 0, 0, 0},
    {"[,]", "[]", 0, 0, 0, 1},
    {"{\"a\":[1,2", NULL, 0, 0, 0, 0},
    {"{\"a\":[1,],\"b\":", NULL, 0, 0, 0, 0},
    {"nothing here", NULL, 0, 0, 0, 0},
    {"", NULL, 0, 0, 0, 0},
};

static void test_repairs(void **state) {
  (void)state;
  ee_buffer out;
  ee_buffer_init(&out);
  for (size_t i = 0; i < sizeof repair_facts / sizeof *repair_facts; i++) {
    const repair_fact *f = &repair_facts[i];
    ee_repairs repairs;
    ee_error error = {0};
    const ee_value *value = ee_json_in_prose_repair(&arena, ee_str_from(f->text), EE_REPAIRS_PLAIN, &repairs, &error);
    if (f->json == NULL) {
      if (value != NULL) fail_msg("'%s' should hold no answer", f->text);
      assert_true(error.message[0] != '\0');
    } else {
      if (value == NULL) fail_msg("'%s' should hold an answer: %s", f->text, error.message);
      ee_buffer_clear(&out);
      ee_json_write_value(&out, value);
      assert_string_equal(ee_buffer_terminate(&out), f->json);
    }
    assert_int_equal(repairs.counts[EE_REPAIR_BYTE_ORDER_MARK], f->json != NULL ? f->mark : 0);
    assert_int_equal(repairs.counts[EE_REPAIR_FENCE], f->fence);
    assert_int_equal(repairs.counts[EE_REPAIR_PROSE], f->prose);
    assert_int_equal(repairs.counts[EE_REPAIR_TRAILING_COMMA], f->commas);
    ee_arena_reset(&arena, 0);
  }
  ee_buffer_fini(&out);
}

/* Commas put before closing brackets of a random text of brackets are all taken away and counted. */
static size_t random_json(test_random *random, char *out, int depth, bool commas, uint64_t *count) {
  size_t length = 0;
  if (depth == 0 || test_random_below(random, 3) == 0) {
    static const char *const some[] = {"1", "\"a,]\"", "\"}\\\"\"", "null", "-2.5", "\"\""};
    const char *text = some[test_random_below(random, 6)];
    while (*text != '\0') out[length++] = *text++;
    return length;
  }
  out[length++] = '[';
  size_t items = test_random_below(random, 4);
  for (size_t i = 0; i < items; i++) {
    if (i > 0) out[length++] = ',';
    length += random_json(random, out + length, depth - 1, commas, count);
  }
  if (items > 0 && commas && test_random_below(random, 2) == 0) {
    out[length++] = ',';
    if (test_random_below(random, 2) == 0) out[length++] = '\n';
    ++*count;
  }
  out[length++] = ']';
  return length;
}

static void test_random_commas(void **state) {
  (void)state;
  test_random random = test_random_start("answer_text", 20260102);
  static char text[1 << 16];
  for (int i = 0; i < 3000; i++) {
    uint64_t commas = 0;
    size_t length = random_json(&random, text, 5, true, &commas);
    ee_repairs repairs;
    const ee_value *value = ee_json_in_prose_repair(&arena, (ee_str){text, length}, EE_REPAIRS_PLAIN, &repairs, NULL);
    assert_non_null(value);
    assert_int_equal(repairs.counts[EE_REPAIR_TRAILING_COMMA], commas);
    assert_int_equal(repairs.counts[EE_REPAIR_PROSE], 0);
    ee_arena_reset(&arena, 0);
  }
}

/* With any limit of memory the answer is the same or none. */
static void test_memory(void **state) {
  (void)state;
  ee_buffer text = {0};
  ee_buffer_add_text(&text, "Here: ");
  for (int i = 0; i < 400; i++) ee_buffer_addf(&text, "{'a': %d, 'b': [1, 2, 3,]} and ", i);
  ee_buffer_add_text(&text, "{'a': {'b': [1, 2, 3, 4, 5, 6, 7, 8, 9]}} that is it");
  ee_str whole = {text.data, text.length};
  bool refused = false, found = false;
  for (size_t limit = 1000; limit < 4000000; limit += limit / 20) {
    ee_arena_reset(&arena, 0);
    ee_arena_set_limit(&arena, limit);
    ee_repairs repairs;
    ee_error error = {0};
    const ee_value *value = ee_json_in_prose_repair(&arena, whole, EE_REPAIRS_ALL, &repairs, &error);
    bool over = arena.over;
    ee_arena_set_limit(&arena, 0);
    refused = refused || over;
    if (over) continue;
    found = true;
    assert_int_equal(ee_type_of(value), EE_OBJECT);
    assert_int_equal(ee_type_of(ee_value_member(ee_value_child(value), EE_STR("b"), NULL)), EE_ARRAY);
  }
  assert_true(refused && found);
  ee_buffer_fini(&text);
}

/* What stands at the very end. */
static void test_ends(void **state) {
  (void)state;
  check("```json\n{\"a\": 1}\n``` \t", "{\"a\":1}");
  check("```json\n{\"a\": 1}\n  ", "{\"a\":1}");
  check("```json\n{\"a\": 1}\n  \t```", "{\"a\":1}");
  ee_repairs repairs;
  ee_error error = {0};
  const ee_value *value =
      ee_json_in_prose_repair(&arena, EE_STR("{\"a\": 1, \"b\": \"x\\u12"), EE_REPAIRS_ALL, &repairs, &error);
  assert_true(ee_value_count(value) == 1 && repairs.counts[EE_REPAIR_CUT] == 1);
  assert_null(ee_json_in_prose_repair(&arena, EE_STR("\xef\xbb\xbfnothing"), EE_REPAIRS_ALL, &repairs, &error));
  assert_int_equal(repairs.counts[EE_REPAIR_BYTE_ORDER_MARK], 0);
  /* A comma alone, where that is not repaired; a document in a string in a string in ... */
  assert_null(ee_json_in_prose_repair(&arena, EE_STR("[,]"), EE_REPAIRS_ALL & ~(1u << EE_REPAIR_TRAILING_COMMA),
                                      &repairs, &error));
  ee_buffer text = {0}, next = {0};
  ee_buffer_add_text(&text, "{\"a\": 1}");
  for (int depth = 0; depth < 12; depth++) {
    ee_buffer_clear(&next);
    ee_json_write_string(&next, (ee_str){text.data, text.length});
    ee_buffer_clear(&text);
    ee_buffer_add(&text, next.data, next.length);
    value = ee_json_in_prose_repair(&arena, (ee_str){text.data, text.length}, EE_REPAIRS_ALL, &repairs, &error);
    if (depth == 0) assert_int_equal(ee_type_of(value), EE_OBJECT);
  }
  assert_int_equal(ee_type_of(value), EE_STRING);
  ee_buffer_fini(&text);
  ee_buffer_fini(&next);
}

EE_TEST_FILE(set_up, tear_down, cmocka_unit_test(test_whole_text), cmocka_unit_test(test_nothing),
             cmocka_unit_test(test_fences), cmocka_unit_test(test_prose), cmocka_unit_test(test_cut),
             cmocka_unit_test(test_broken), cmocka_unit_test(test_random_prose), cmocka_unit_test(test_depth),
             cmocka_unit_test(test_hostile_texts), cmocka_unit_test(test_repairs), cmocka_unit_test(test_random_commas),
             cmocka_unit_test(test_memory), cmocka_unit_test(test_ends));
