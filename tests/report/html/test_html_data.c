/* test_html_data.c: the cases in a page come back as they went in, by an independent reader. */
#include "data/json/json_reader.h"
#include "data/json/json_writer.h"
#include "report/html/html_data.h"
#include "report/html/html_reader.h"
#include "report/html/html_runs.h"
#include "support/arena.h"
#include "support/random.h"

static ee_status append(void *user, const char *data, size_t length, ee_error *error) {
  (void)error;
  ee_buffer_add(user, data, length);
  return EE_OK;
}

/* The page of `cases`, NUL-terminated; frees them. */
static char *write_page(ee_html_cases *cases) {
  ee_buffer page = {0}, out = {0};
  ee_buffer_add_text(&page, "<body>\n");
  ee_html_add_end(&page);
  ee_error error = {0};
  assert_int_equal(ee_html_cases_write(cases, (ee_str){page.data, page.length}, (ee_html_sink){&out, append}, &error),
                   EE_OK);
  ee_buffer_terminate(&out);
  ee_buffer_fini(&page);
  ee_html_cases_free(cases);
  assert_memory_equal(out.data, "<body>\n", 7);
  assert_string_equal(out.data + out.length - 16, "</body>\n</html>\n");
  return out.data;
}

static ee_html_cases *new_cases(void) {
  ee_error error = {0};
  ee_html_cases *cases = ee_html_cases_new(3, &error);
  if (cases == NULL) fail_msg("%s", error.message);
  return cases;
}

static void add_lines(ee_html_cases *cases, const ee_buffer *lines) {
  ee_error error = {0};
  if (ee_html_cases_add_rows(cases, lines->data, lines->length, &error) != EE_OK) fail_msg("%s", error.message);
}

static void test_json(void **state) {
  (void)state;
  ee_buffer out = {0};
  ee_html_add_json(EE_STR("[\"</script><!--\",\"\",\"<\"]"), &out);
  assert_string_equal(ee_buffer_terminate(&out), "[\"\\u003c/script>\\u003c!--\",\"\",\"\\u003c\"]");
  ee_buffer_fini(&out);
}

/* Random rows ----------------------------------------------------------------------------------- */

static const char *const hostile[] = {"</script><script>alert(1)</script>",
                                      "<!--",
                                      "]]>",
                                      "\\u2028\\u2029",
                                      "\\u0000\\u001f",
                                      "\\ud83d\\ude00 \xf0\x9f\x98\x80",
                                      "\xe2\x80\xae\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d",
                                      "\\\"\\\\",
                                      "",
                                      "plain"};
#define HOSTILE (sizeof hostile / sizeof *hostile)

static const char *pick(test_random *random) { return hostile[test_random_below(random, HOSTILE)]; }

/* Appends a row, as --results writes it. */
static void add_random_row(test_random *random, size_t number, ee_buffer *out) {
  static const char *const verdicts[] = {"pass", "borderline", "fail"};
  static const char *const classes[] = {"incorrect", "missing", "spurious", "unread"};
  ee_buffer_addf(out, "{\"schema\":2,\"id\":\"%zu %s\",\"score\":0.%zu,\"verdict\":\"%s\"", number, pick(random),
                 test_random_below(random, 10), verdicts[test_random_below(random, 3)]);
  if (test_random_below(random, 8) == 0) ee_buffer_add_text(out, ",\"unscored\":true");
  if (test_random_below(random, 3) > 0) {
    ee_buffer_addf(out, ",\"slices\":{\"l\":[\"%s\"", pick(random));
    if (test_random_below(random, 4) == 0) ee_buffer_addf(out, ",\"%s\"", pick(random));
    ee_buffer_addf(out, "]%s}", number > 250 ? ",\"late\":[\"x\"]" : "");
  }
  ee_buffer_addf(out, ",\"hits\":[],\"misses\":[],\"candidate_answer\":\"%s\",\"evaluator_results\":[", pick(random));
  size_t judges = 1 + test_random_below(random, 3);
  for (size_t j = 0; j < judges; j++) {
    ee_buffer_addf(
        out, "%s{\"name\":\"j%zu\",\"type\":\"fields\",\"score\":0.5,\"weight\":1,\"verdict\":\"fail\",\"details\":{",
        j > 0 ? "," : "", j);
    ee_buffer_add_text(out,
                       "\"metrics\":{\"price\":{\"tp\":1,\"tn\":0,\"fp\":0,\"fn\":1},\"a\":{\"tp\":1,\"tn\":0,\"fp\":0,"
                       "\"fn\":0}},\"mismatches\":[");
    size_t mismatches = test_random_below(random, 4);
    for (size_t m = 0; m < mismatches; m++) {
      ee_buffer_addf(out, "%s{\"path\":\"items[%zu].%s\",\"expected\":\"%s\",\"score\":0,\"reason\":\"\"",
                     m > 0 ? "," : "", test_random_below(random, 12),
                     test_random_below(random, 2) > 0 ? "price" : "other", pick(random));
      if (test_random_below(random, 4) > 0)
        ee_buffer_addf(out, ",\"class\":\"%s\"", classes[test_random_below(random, 4)]);
      if (test_random_below(random, 4) > 0) ee_buffer_addf(out, ",\"kind\":\"kind %zu\"", test_random_below(random, 5));
      ee_buffer_add_text(out, "}");
    }
    ee_buffer_add_text(out, "]}}");
  }
  ee_buffer_add_text(out, "]}\n");
}

static const char *text_at(const cJSON *array, int number) {
  return cJSON_GetStringValue(cJSON_GetArrayItem(array, number));
}

static const cJSON *get(const cJSON *object, const char *name) {
  return cJSON_GetObjectItemCaseSensitive(object, name);
}

static void assert_named(const cJSON *names, int number, const cJSON *expected) {
  if (expected == NULL)
    assert_int_equal(number, -1);
  else
    assert_string_equal(text_at(names, number), cJSON_GetStringValue(expected));
}

/* The triples of one judge's mismatches, from `at`; returns where they end. */
static int check_judge(const read_page *page, const cJSON *judge, const cJSON *triples, int at) {
  const cJSON *mismatch;
  cJSON_ArrayForEach(mismatch, get(get(judge, "details"), "mismatches")) {
    const cJSON *field = cJSON_GetArrayItem(get(page->names, "fields"), cJSON_GetArrayItem(triples, at)->valueint);
    assert_string_equal(text_at(get(page->names, "judges"), get(field, "judge")->valueint),
                        get(judge, "name")->valuestring);
    bool price = strstr(get(mismatch, "path")->valuestring, "].price") != NULL;
    assert_string_equal(get(field, "name")->valuestring, price ? "price" : "items[].other");
    assert_named(get(page->names, "classes"), cJSON_GetArrayItem(triples, at + 1)->valueint, get(mismatch, "class"));
    assert_named(get(page->names, "kinds"), cJSON_GetArrayItem(triples, at + 2)->valueint, get(mismatch, "kind"));
    at += 3;
  }
  return at;
}

/* One case of the index against its row. */
static void check_entry(const read_page *page, const cJSON *row, int i) {
  assert_string_equal(text_at(page->ids, i), get(row, "id")->valuestring);
  bool unscored = get(row, "unscored") != NULL;
  const cJSON *score = cJSON_GetArrayItem(page->scores, i);
  assert_int_equal(cJSON_IsNull(score), unscored);
  if (!unscored) assert_true(score->valuedouble == get(row, "score")->valuedouble);
  assert_int_equal(page->verdicts.data[i], unscored ? 'u' : get(row, "verdict")->valuestring[0]);
  const cJSON *triples = cJSON_GetArrayItem(page->misses, i), *judge;
  int at = 0;
  cJSON_ArrayForEach(judge, get(row, "evaluator_results")) at = check_judge(page, judge, triples, at);
  cJSON_ArrayForEach(judge, get(row, "evaluator_results")) {
    if (cJSON_GetArraySize(get(get(judge, "details"), "mismatches")) > 0) continue;
    const cJSON *field = cJSON_GetArrayItem(get(page->names, "fields"), cJSON_GetArrayItem(triples, at)->valueint);
    assert_string_equal(get(field, "name")->valuestring, "");
    at += 3;
  }
  assert_int_equal(cJSON_GetArraySize(triples), at);
  const cJSON *slice;
  int number = 0;
  cJSON_ArrayForEach(slice, get(page->names, "slices")) {
    const cJSON *values = get(get(row, "slices"), get(slice, "path")->valuestring);
    const cJSON *numbers = cJSON_GetArrayItem(cJSON_GetArrayItem(page->slices, number++), i);
    int count = values == NULL ? 0 : cJSON_GetArraySize(values);
    if (count == 0) assert_int_equal(numbers->valueint, -1);
    if (count == 1) assert_string_equal(text_at(get(slice, "values"), numbers->valueint), text_at(values, 0));
    for (int k = 0; count > 1 && k < count; k++)
      assert_string_equal(text_at(get(slice, "values"), cJSON_GetArrayItem(numbers, k)->valueint), text_at(values, k));
  }
}

/* More cases than a part has, so that there are two; in pieces of any size. */
static void test_cases(void **state) {
  (void)state;
  test_random random = test_random_start("cases in a page", 20261122);
  enum { CASES = EE_HTML_PART_ROWS + 321 };
  ee_html_cases *cases = new_cases();
  cJSON *expected = cJSON_CreateArray();
  ee_buffer lines = {0};
  for (size_t i = 0; i < CASES; i++) {
    size_t before = lines.length;
    add_random_row(&random, i, &lines);
    ee_buffer_terminate(&lines);
    cJSON_AddItemToArray(expected, cJSON_Parse(lines.data + before));
    if (test_random_below(&random, 7) > 0 && i + 1 < CASES) continue;
    add_lines(cases, &lines);
    ee_buffer_clear(&lines);
  }
  char *text = write_page(cases);
  read_page page = page_read(text);
  assert_int_equal(get(page.names, "cases")->valueint, CASES);
  assert_int_equal(cJSON_GetArraySize(page.cases), CASES);
  assert_int_equal(cJSON_GetArraySize(get(page.names, "slices")), 2);
  const cJSON *row = page.cases->child, *wanted;
  int i = 0;
  cJSON_ArrayForEach(wanted, expected) {
    if (cJSON_Compare(row, wanted, 1) == 0) fail_msg("row %d has changed", i);
    /* cJSON walks to element i: every hundredth will do, and all where the parts meet. */
    if (i % 97 == 0 || (i > EE_HTML_PART_ROWS - 5 && i < EE_HTML_PART_ROWS + 5)) check_entry(&page, wanted, i);
    row = row->next;
    i++;
  }
  page_free(&page);
  cJSON_Delete(expected);
  ee_buffer_fini(&lines);
  ee_free(text);
}

static void test_none(void **state) {
  (void)state;
  char *text = write_page(new_cases());
  read_page page = page_read(text);
  assert_int_equal(get(page.names, "cases")->valueint, 0);
  assert_int_equal(cJSON_GetArraySize(page.cases), 0);
  page_free(&page);
  ee_free(text);
}

/* Long strings ---------------------------------------------------------------------------------- */

/* What a string of JSON must become, by the definition: whole characters and escapes up to the limit. */
static void test_long_strings(void **state) {
  (void)state;
  static const char *const units[] = {"x",   "\xc3\xa9", "\xe2\x82\xac",  "\xf0\x9f\x98\x80",
                                      "\\n", "\\u00e9",  "\\ud83d\\ude00"};
  ee_buffer line = {0};
  for (size_t u = 0; u < sizeof units / sizeof *units; u++) {
    for (size_t shift = 0; shift < 13; shift++) {
      size_t size = strlen(units[u]), count = (EE_HTML_STRING_LIMIT - shift) / size, all = count + 3;
      ee_buffer_clear(&line);
      ee_buffer_add_text(&line, "{\"id\":\"a\",\"score\":1,\"t\":\"");
      for (size_t i = 0; i < shift; i++) ee_buffer_add_char(&line, 'a');
      for (size_t i = 0; i < all; i++) ee_buffer_add_text(&line, units[u]);
      ee_buffer_add_text(&line, "\",\"after\":\"\\\\\"}\n");
      ee_html_cases *cases = new_cases();
      add_lines(cases, &line);
      char *text = write_page(cases);
      read_page page = page_read(text);
      const char *cut = cJSON_GetStringValue(get(cJSON_GetArrayItem(page.cases, 0), "t"));
      ee_buffer wanted = {0}, mark = {0};
      ee_buffer_add_text(&wanted, "\"");
      for (size_t i = 0; i < shift; i++) ee_buffer_add_char(&wanted, 'a');
      for (size_t i = 0; i < count; i++) ee_buffer_add_text(&wanted, units[u]);
      ee_buffer_addf(&wanted, " [cut: %zu bytes in all]\"", shift + all * size);
      cJSON *string = cJSON_Parse(ee_buffer_terminate(&wanted));
      assert_string_equal(cut, cJSON_GetStringValue(string));
      assert_string_equal(get(cJSON_GetArrayItem(page.cases, 0), "after")->valuestring, "\\");
      cJSON_Delete(string);
      ee_buffer_fini(&wanted);
      ee_buffer_fini(&mark);
      page_free(&page);
      ee_free(text);
    }
  }
  ee_buffer_fini(&line);
}

/* A string at the limit is whole, and 10 MB of text make a small page. */
static void test_limit(void **state) {
  (void)state;
  const size_t lengths[] = {EE_HTML_STRING_LIMIT, 10 * 1000 * 1000};
  for (size_t i = 0; i < 2; i++) {
    ee_buffer line = {0};
    ee_buffer_add_text(&line, "{\"id\":\"a\",\"score\":1,\"t\":\"");
    memset(ee_buffer_reserve(&line, lengths[i]), 'q', lengths[i]);
    line.length += lengths[i];
    ee_buffer_add_text(&line, "\"}\n");
    ee_html_cases *cases = new_cases();
    add_lines(cases, &line);
    char *text = write_page(cases);
    assert_true(strlen(text) < 2000000);
    read_page page = page_read(text);
    size_t length = strlen(get(cJSON_GetArrayItem(page.cases, 0), "t")->valuestring);
    assert_int_equal(length,
                     i == 0 ? EE_HTML_STRING_LIMIT : EE_HTML_STRING_LIMIT + strlen(" [cut: 10000000 bytes in all]"));
    page_free(&page);
    ee_free(text);
    ee_buffer_fini(&line);
  }
}

/* Large rows end a chunk early. */
static void test_chunk_bytes(void **state) {
  (void)state;
  ee_html_cases *cases = new_cases();
  ee_buffer line = {0};
  for (int i = 0; i < 40; i++) {
    ee_buffer_clear(&line);
    ee_buffer_addf(&line, "{\"id\":\"%d\",\"score\":1,\"t\":\"", i);
    memset(ee_buffer_reserve(&line, 60000), 'q', 60000);
    line.length += 60000;
    ee_buffer_add_text(&line, "\"}\n");
    add_lines(cases, &line);
  }
  char *text = write_page(cases), tag[300], *element;
  const char *at = text;
  size_t chunks = 0;
  for (; (element = next_element(&at, "<script type=\"text/plain\" class=\"ee-chunk\"", tag)) != NULL; free(element)) {
    assert_true(tag_number(tag, "data-count") <= EE_HTML_CHUNK_BYTES / 60000 + 1);
    chunks++;
  }
  assert_int_equal(chunks, 3);
  read_page page = page_read(text);
  assert_int_equal(cJSON_GetArraySize(page.cases), 40);
  page_free(&page);
  ee_free(text);
  ee_buffer_fini(&line);
}

/* A row that cannot be read again because it is around a document of the deepest nesting. */
static void test_deep(void **state) {
  (void)state;
  ee_buffer line = {0};
  ee_buffer_add_text(
      &line, "{\"schema\":2,\"id\":\"deep\",\"score\":0.5,\"verdict\":\"fail\",\"hits\":[],\"candidate_answer\":");
  for (int i = 0; i < EE_JSON_DEPTH_LIMIT; i++) ee_buffer_add_char(&line, '[');
  for (int i = 0; i < EE_JSON_DEPTH_LIMIT; i++) ee_buffer_add_char(&line, ']');
  ee_buffer_add_text(&line, "}\n");
  ee_html_cases *cases = new_cases();
  add_lines(cases, &line);
  char *text = write_page(cases);
  read_page page = page_read(text);
  assert_string_equal(text_at(page.ids, 0), "deep");
  assert_true(cJSON_GetArrayItem(page.scores, 0)->valuedouble == 0.5);
  assert_string_equal(get(cJSON_GetArrayItem(page.cases, 0), "reasoning")->valuestring,
                      "not in this page: nested too deeply");
  page_free(&page);
  ee_free(text);
  ee_buffer_fini(&line);
}

/* Names ----------------------------------------------------------------------------------------- */

/* Endless names share one. */
static void test_many_names(void **state) {
  (void)state;
  ee_html_cases *cases = new_cases();
  ee_buffer line = {0};
  for (int i = 0; i < 5000; i++) {
    ee_buffer_clear(&line);
    ee_buffer_addf(
        &line,
        "{\"id\":\"%d\",\"score\":0,\"evaluator_results\":[{\"name\":\"j\",\"score\":0,\"details\":{\"mismatches\":"
        "[{\"path\":\"key%d\"}]}}]}\n",
        i, i);
    add_lines(cases, &line);
  }
  ee_html_cases_set_origin(cases, EE_STR("\"command\":{\"rules\":null}"));
  char *text = write_page(cases);
  read_page page = page_read(text);
  const cJSON *fields = get(page.names, "fields");
  assert_int_equal(cJSON_GetArraySize(fields), 4000);
  assert_string_equal(get(cJSON_GetArrayItem(fields, 3999), "name")->valuestring, "(other)");
  assert_string_equal(get(cJSON_GetArrayItem(fields, 3998), "name")->valuestring, "key3998");
  assert_int_equal(cJSON_GetArrayItem(cJSON_GetArrayItem(page.misses, 4999), 0)->valueint, 3999);
  assert_non_null(get(get(page.names, "command"), "rules"));
  page_free(&page);
  ee_free(text);
  ee_buffer_fini(&line);
}

/* Runs ------------------------------------------------------------------------------------------ */

/* "a" wrong in the first run, "b" wrong in it, and so on: a row with one judge and two fields. */
static void add_to_run(ee_html_runs *runs, size_t run, const char *id, const char *wrong) {
  ee_buffer text = {0};
  bool a = strchr(wrong, 'a') != NULL, b = strchr(wrong, 'b') != NULL;
  ee_buffer_addf(
      &text,
      "{\"id\":\"%s\",\"score\":%s,\"evaluator_results\":[{\"name\":\"j\",\"score\":0.5,\"details\":{\"metrics\":{"
      "\"a\":{\"tp\":0,\"fp\":%d,\"fn\":0,\"tn\":0},\"b\":{\"tp\":0,\"fp\":0,\"fn\":%d,\"tn\":0}},\"mismatches\":[%s%s%"
      "s]}}]}",
      id, *wrong == '\0' ? "1" : "0.25", a, b, a ? "{\"path\":\"a\",\"class\":\"incorrect\"}" : "", a && b ? "," : "",
      b ? "{\"path\":\"b\",\"class\":\"missing\"}" : "");
  ee_error error = {0};
  const ee_value *record = ee_json_read(&arena, (ee_str){text.data, text.length}, NULL, &error);
  ee_stored_row row;
  assert_true(record != NULL && ee_stored_row_read(record, &arena, &row, &error));
  assert_int_equal(ee_html_runs_add(runs, run, &row, &error), EE_OK);
  ee_buffer_fini(&text);
}

static void test_runs(void **state) {
  (void)state;
  static const struct {
    const char *id, *first, *last, *change;
    int misses; /* triples, judges as a whole too */
  } rows[] = {{"fixed", "a", "", "fixed", 2},         {"broken", "", "b", "broken", 1},
              {"both ways", "a", "b", "broken", 2},   {"still", "ab", "ab", "still wrong", 2},
              {"partly", "ab", "b", "fixed", 2},      {"right", "", "", "both right", 1},
              {"gone", "a", NULL, "one run only", 1}, {"new", NULL, "a", "one run only", 1}};
  enum { ROWS = sizeof rows / sizeof *rows };
  ee_error error = {0};
  ee_html_runs *runs = ee_html_runs_new(2, &error);
  assert_non_null(runs);
  for (size_t i = ROWS; i-- > 0;)
    if (rows[i].last != NULL) add_to_run(runs, 1, rows[i].id, rows[i].last);
  for (size_t i = 0; i < ROWS; i++)
    if (rows[i].first != NULL) add_to_run(runs, 0, rows[i].id, rows[i].first);
  add_to_run(runs, 0, "fixed", ""); /* a second one is left out */
  ee_html_cases *cases = new_cases();
  const char *const names[] = {"base.jsonl", "new.jsonl"};
  ee_html_cases_set_runs(cases, names, 2);
  assert_int_equal(ee_html_runs_join(runs, cases, &error), EE_OK);
  char *text = write_page(cases);
  read_page page = page_read(text);
  assert_int_equal(cJSON_GetArraySize(page.cases), ROWS);
  assert_string_equal(text_at(get(page.names, "runs"), 1), "new.jsonl");
  for (size_t i = 0; i < ROWS; i++) {
    int at = 0;
    while (strcmp(text_at(page.ids, at), rows[i].id) != 0) at++;
    const cJSON *one = cJSON_GetArrayItem(page.cases, at), *both = get(one, "runs");
    assert_string_equal(get(one, "id")->valuestring, rows[i].id);
    assert_int_equal(cJSON_IsNull(cJSON_GetArrayItem(both, 0)), rows[i].first == NULL);
    assert_int_equal(cJSON_IsNull(cJSON_GetArrayItem(both, 1)), rows[i].last == NULL);
    assert_int_equal(cJSON_IsNull(cJSON_GetArrayItem(page.scores, at)), rows[i].last == NULL);
    assert_int_equal(cJSON_IsNull(cJSON_GetArrayItem(page.before, at)), rows[i].first == NULL);
    assert_string_equal(text_at(get(page.names, "changes"), cJSON_GetArrayItem(page.changes, at)->valueint),
                        rows[i].change);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetArrayItem(page.misses, at)), 3 * rows[i].misses);
  }
  page_free(&page);
  ee_free(text);
  ee_html_runs_free(runs);
}

EE_TEST_FILE(make_arena, free_arena, cmocka_unit_test(test_json), cmocka_unit_test(test_cases),
             cmocka_unit_test(test_none), cmocka_unit_test(test_long_strings), cmocka_unit_test(test_limit),
             cmocka_unit_test(test_chunk_bytes), cmocka_unit_test(test_deep), cmocka_unit_test(test_many_names),
             cmocka_unit_test(test_runs));
