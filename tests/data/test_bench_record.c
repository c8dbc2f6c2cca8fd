/* test_bench_record.c: every key of a record taken away, mistyped and given another type; what is told of it. */
#include "data/bench_record.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "data/json/json_reader.h"
#include "support/arena.h"

static const char regression[] =
    "{\"caseId\":\"r\",\"category\":\"c\",\"documentText\":\"a b\",\"instructions\":\"i\",\"targetSchema\":{\"type\":"
    "\"object\"},\"providerResponseText\":\"[]\",\"expected\":{\"emptyResultKind\":\"empty_by_evidence\","
    "\"minExtractions\":0,\"maxExtractions\":3},\"sourceUrl\":\"https://example.org/x\",\"packId\":\"p\"}";
static const char smoke[] =
    "{\"caseId\":\"s\",\"documentText\":\"a \xF0\x9F\x99\x82 b\",\"instructions\":\"i\",\"targetSchema\":{},"
    "\"providerResponseTexts\":[\"[]\",\"{}\"],\"goldSpans\":[{\"extractionClass\":\"x\",\"quote\":\"b\","
    "\"charStart\":5,\"charEnd\":6}]}";

/* All messages for `record`, a line each, in `arena`. */
static const char *mistakes_of(const ee_value *record, ee_bench_record *out) {
  ee_error_list errors;
  ee_error_list_init(&errors);
  bool good = ee_bench_record_read(record, "f", 7, &arena, out, &errors);
  const char *all = "";
  for (size_t i = 0; i < errors.count; i++) {
    assert_string_equal(errors.items[i].file, "f");
    assert_int_equal(errors.items[i].line, 7);
    assert_int_equal(errors.items[i].status, EE_ERROR_RULES);
    all = ee_arena_printf(&arena, "%s%s\n", all, errors.items[i].message);
  }
  assert_int_equal(good, errors.count == 0);
  ee_error_list_fini(&errors);
  return all;
}

static void test_good_records(void **state) {
  (void)state;
  ee_bench_record r, s;
  assert_string_equal(mistakes_of(ee_json_read(&arena, ee_str_from(regression), NULL, NULL), &r), "");
  assert_string_equal(mistakes_of(ee_json_read(&arena, ee_str_from(smoke), NULL, NULL), &s), "");
  assert_true(ee_str_is(r.case_id, "r") && r.has_expected && !r.has_gold && r.kind == EE_EMPTY_BY_EVIDENCE);
  assert_true(r.min_extractions == 0 && r.max_extractions == 3 && r.answer_count == 1 &&
              ee_str_is(r.answers[0], "[]") && r.line == 7);
  assert_true(s.has_gold && !s.has_expected && s.gold_count == 1 && s.answer_count == 2 && s.unit == EE_UNIT_UTF16);
  assert_true(s.gold[0].start == 5 && s.gold[0].end == 6 && ee_str_is(s.gold[0].quote, "b"));
}

/* A copy of `object` without `without`, and with `value` under `key` where that is given. */
static ee_value *changed(const ee_value *object, ee_str without, ee_str key, ee_type type) {
  ee_value *copy = ee_value_new(&arena, EE_OBJECT);
  for (const ee_value *member = ee_value_child(object); member != NULL; member = ee_value_next(member))
    if (!ee_str_equal(ee_value_key(member), without))
      ee_value_set(&arena, copy, ee_value_key(member), ee_value_copy(&arena, member));
  if (key.length > 0) ee_value_set(&arena, copy, key, ee_value_new(&arena, type));
  return copy;
}

static void expect(const char *all, const char *message) {
  if (strstr(all, message) == NULL) fail_msg("no '%s' in:\n%s", message, all);
}

/* Each key of both kinds: missing, with a letter too many, and null. */
static void test_every_key(void **state) {
  (void)state;
  const char *const texts[] = {regression, smoke};
  for (size_t i = 0; i < 2; i++) {
    const ee_value *record = ee_json_read(&arena, ee_str_from(texts[i]), NULL, NULL);
    for (const ee_value *member = ee_value_child(record); member != NULL; member = ee_value_next(member)) {
      ee_str key = ee_value_key(member);
      const char *name = ee_arena_copy(&arena, key.data, key.length), *said = name;
      if (strcmp(name, "providerResponseTexts") == 0) said = "providerResponseText";
      if (strcmp(name, "goldSpans") == 0) said = "expected"; /* without them it is another kind of record */
      ee_bench_record out;
      const char *all = mistakes_of(changed(record, key, EE_STR(""), EE_NULL), &out);
      expect(all, ee_arena_printf(&arena, "missing key '%s'\n", said));
      ee_str longer = ee_str_from(ee_arena_printf(&arena, "%sq", name));
      all = mistakes_of(changed(record, key, longer, EE_STRING), &out);
      expect(all, ee_arena_printf(&arena, "unknown key '%sq' (did you mean '%s", name, name));
      all = mistakes_of(changed(record, key, key, EE_NULL), &out);
      expect(all, ee_arena_printf(&arena, "%s must be ", name));
    }
  }
}

typedef struct fact {
  const char *text; /* `first` of one of the good records is replaced by `then` */
  const char *first, *then, *message;
} fact;

static const fact facts[] = {
    {regression, "\"r\"", "\" \"", "caseId must not be empty\n"},
    {regression, "\"a b\"", "\"\"", ""},
    {regression, "https://example.org/x", "ftp://example.org",
     "sourceUrl 'ftp://example.org' is not an http or https URL\n"},
    {regression, "https://example.org/x", "https://", "sourceUrl 'https://' is not an http or https URL\n"},
    {regression, "https://example.org/x", "https:///x", "sourceUrl 'https:///x' is not an http or https URL\n"},
    {regression, "https://example.org/x", "http://a b", "sourceUrl 'http://a b' is not an http or https URL\n"},
    {regression, "https://example.org/x", "HTTP://e", ""},
    {regression, "\"minExtractions\":0", "\"minExtractions\":0.5",
     "expected.minExtractions must be a whole number from 0\n"},
    {regression, "\"minExtractions\":0", "\"minExtractions\":-1",
     "expected.minExtractions must be a whole number from 0\n"},
    {regression, "\"minExtractions\":0", "\"minExtractions\":4",
     "expected.maxExtractions is below expected.minExtractions\n"},
    {regression, "\"minExtractions\":0", "\"minExtractions\":1",
     "expected.minExtractions must be 0 where emptyResultKind is 'empty_by_evidence'\n"},
    {regression, "\"minExtractions\":0", "\"minExtraction\":0",
     "unknown key 'expected.minExtraction' (did you mean 'minExtractions'?)\nmissing key 'expected.minExtractions'\n"},
    {regression, "empty_by_evidence", "empty",
     "expected.emptyResultKind must be one of non_empty, empty_by_evidence, empty_by_failure, got 'empty'\n"},
    {regression, "empty_by_evidence", " ", "expected.emptyResultKind must not be empty\n"},
    {regression, "\"maxExtractions\":3", "\"maxExtractions\":\"3\"",
     "expected.maxExtractions must be a whole number from 0\n"},
    {regression, "\"empty_by_evidence\",\"minExtractions\":0", "\"non_empty\",\"minExtractions\":-1",
     "expected.minExtractions must be a whole number from 0\n"},
    {regression, "\"empty_by_evidence\",\"minExtractions\":0,\"maxExtractions\":3",
     "\"non_empty\",\"minExtractions\":0,\"maxExtractions\":null",
     "expected.maxExtractions must be a whole number from 0\n"},
    {regression, "\"empty_by_evidence\",\"minExtractions\":0,\"maxExtractions\":3",
     "\"non_empty\",\"minExtractions\":0,\"maxExtractions\":0",
     "expected.maxExtractions must not be 0 where emptyResultKind is 'non_empty'\n"},
    {regression, "\"packId\":\"p\"", "\"packId\":\"p\",\"sourceQuote\":\"\"", ""},
    {regression, "\"packId\":\"p\"", "\"packId\":\"p\",\"sourceQuote\":1",
     "sourceQuote must be a string, got a number\n"},
    {regression, "\"packId\":\"p\"", "\"packId\":\"p\",\"offsetMode\":\"utf8_byte\"",
     "key 'offsetMode' belongs to smoke records ('goldSpans' would make this one)\n"},
    {regression, "\"emptyResultKind\":\"empty_by_evidence\",\"minExtractions\":0",
     "\"emptyResultKind\":\"empty\",\"minExtractions\":0.5",
     "expected.minExtractions must be a whole number from 0\n"
     "expected.emptyResultKind must be one of non_empty, empty_by_evidence, empty_by_failure, got 'empty'\n"},
    {smoke, "\"instructions\"", "\"packId\":\"p\",\"instructions\"",
     "key 'packId' belongs to regression records ('goldSpans' makes this one a smoke record)\n"},
    {regression, "\"packId\":\"p\"", "\"packId\":\"p\",\"providerResponseTexts\":[\"\"]",
     "providerResponseText and providerResponseTexts are both given\n"},
    {smoke, "[\"[]\",\"{}\"]", "[]", "providerResponseTexts must be an array of at least one string\n"},
    {smoke, "[\"[]\",\"{}\"]", "[\"\",1]", "providerResponseTexts must contain only strings, got a number\n"},
    {smoke, "\"charStart\":5", "\"charStart\":4", "goldSpans[0]: the document says ' b' there, not 'b'\n"},
    {smoke, "\"charStart\":5", "\"charStart\":3", "goldSpans[0]: its offsets cut a character\n"},
    {smoke, "\"charStart\":5", "\"charStart\":7", "goldSpans[0]: 7 to 6 is not a range of a text of 6\n"},
    {smoke, "\"charStart\":5,\"charEnd\":6", "\"charStart\":2,\"charEnd\":3",
     "goldSpans[0]: its offsets cut a character\n"},
    {smoke, "\"charEnd\":6", "\"charEnd\":7", "goldSpans[0]: 5 to 7 is not a range of a text of 6\n"},
    {smoke, "\"charEnd\":6", "\"charEnd\":\"6\"", "goldSpans[0].charEnd must be a whole number from 0\n"},
    {smoke, "\"quote\":\"b\"", "\"qoute\":\"b\"",
     "unknown key 'goldSpans[0].qoute' (did you mean 'quote'?)\nmissing key 'goldSpans[0].quote'\n"},
    {smoke, "[{\"extractionClass\"", "[3,{\"extractionClass\"", "goldSpans[0] must be an object, got a number\n"},
    {smoke, "\"instructions\"", "\"offsetMode\":\"utf8\",\"instructions\"",
     "offsetMode must be one of utf16_code_unit, code_point, utf8_byte, got 'utf8'\n"},
    {smoke, "\"instructions\"", "\"offsetMode\":\"code_point\",\"instructions\"",
     "goldSpans[0]: 5 to 6 is not a range of a text of 5\n"},
    {smoke, "\"targetSchema\":{}", "\"targetSchema\":[]", "targetSchema must be a JSON Schema, got an array\n"},
    {smoke, "\"targetSchema\":{}", "\"targetSchema\":true", ""},
    {smoke, "\"targetSchema\":{}", "\"targetSchema\":{\"properties\":{\"a\":{\"type\":\"nmber\"}}}",
     "targetSchema/properties/a/type: "},
    /* What a schema's compiler only warns of is not a mistake. */
    {smoke, "\"targetSchema\":{}", "\"targetSchema\":{\"minLenght\":1}", ""},
};

static void test_facts(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    const fact *f = &facts[i];
    const char *at = strstr(f->text, f->first);
    assert_non_null(at);
    const char *text =
        ee_arena_printf(&arena, "%.*s%s%s", (int)(at - f->text), f->text, f->then, at + strlen(f->first));
    const ee_value *record = ee_json_read(&arena, ee_str_from(text), NULL, NULL);
    assert_non_null(record);
    ee_bench_record out;
    const char *all = mistakes_of(record, &out);
    size_t length = strlen(f->message);
    bool whole = length == 0 || f->message[length - 1] == '\n';
    if (whole ? strcmp(all, f->message) != 0 : strstr(all, f->message) == NULL)
      fail_msg("%s:\n%snot\n%s", text, all, f->message);
  }
}

static void test_sets(void **state) {
  (void)state;
  char name[] = "/tmp/ee_bench_record_XXXXXX";
  int descriptor = mkstemp(name);
  assert_true(descriptor >= 0);
  FILE *file = fdopen(descriptor, "w");
  fprintf(file, "%s\n\n%s\n%s\n{\"a\":\n{\"a\":1,\"a\":2}\n", regression, smoke, regression);
  fclose(file);
  const char *const names[] = {name};
  ee_bench_set set;
  ee_error_list errors;
  ee_error_list_init(&errors);
  ee_error error = {0};
  assert_int_equal(ee_bench_set_open(names, 1, &set, &errors, &error), EE_ERROR_RULES);
  assert_int_equal(set.count, 2);
  assert_int_equal(set.records[1].line, 3);
  char wanted[200];
  snprintf(wanted, sizeof wanted, "duplicate caseId 'r' (first at %s:1)", name);
  assert_string_equal(errors.items[0].message, wanted);
  assert_int_equal(errors.items[0].line, 4);
  assert_int_equal(errors.items[1].line, 5);
  assert_string_equal(errors.items[2].message, "duplicate key 'a'");
  ee_bench_set_close(&set);
  ee_error_list_fini(&errors);
  unlink(name);
  const char *const none[] = {"/tmp/there/is/no/such.jsonl"};
  assert_int_equal(ee_bench_set_open(none, 1, &set, &errors, &error), EE_ERROR_SYSTEM);
  ee_bench_set_close(&set);
  ee_error_list_fini(&errors);
}

/* The messages for one file with `text`, "LINE:COLUMN: MESSAGE" each a line; a warning precedes them in the list. */
static const char *mistakes_of_file(const char *text, ee_status wanted) {
  char name[] = "/tmp/ee_bench_record_XXXXXX";
  int descriptor = mkstemp(name);
  assert_true(descriptor >= 0);
  assert_int_equal(write(descriptor, text, strlen(text)), strlen(text));
  close(descriptor);
  ee_bench_set set;
  ee_error_list errors;
  ee_error_list_init(&errors);
  ee_error_list_addf(&errors, EE_OK, "other", 0, "a warning");
  ee_error error = {0};
  assert_int_equal(ee_bench_set_open((const char *const[]){name}, 1, &set, &errors, &error), wanted);
  if (wanted != EE_OK) assert_string_equal(error.message, "invalid bench records");
  const char *all = "";
  for (size_t i = 1; i < errors.count; i++) {
    const ee_error *at = &errors.items[i];
    if (i < 3 || i + 2 >= errors.count)
      all = ee_arena_printf(&arena, "%s%s%zu:%zu: %s\n", all, at->status == EE_OK ? "warning " : "", at->line,
                            at->column, at->message);
  }
  ee_bench_set_close(&set);
  ee_error_list_fini(&errors);
  unlink(name);
  return all;
}

/* Where in a file a mistake is, what cannot be split into records, and what cannot be read. */
static void test_files(void **state) {
  (void)state;
  assert_string_equal(mistakes_of_file(ee_arena_printf(&arena, "[%s,\n%s]", regression, smoke), EE_OK), "");
  assert_string_equal(mistakes_of_file("[\n  {\"caseId\" 1},\n  {\"caseId\":1,\n  \"x\" 2}]", EE_ERROR_RULES),
                      "2:13: expected ':'\n4:7: expected ':'\n");
  const char *doubled = ee_arena_printf(&arena, "%.*s,\"\":1,\"\":2}\n", (int)strlen(smoke) - 1, smoke);
  assert_string_equal(mistakes_of_file(doubled, EE_ERROR_RULES), "1:0: duplicate key ''\n1:0: unknown key ''\n");
  char commas[1010] = "[";
  memset(commas + 1, ',', sizeof commas - 2);
  assert_string_equal(mistakes_of_file(commas, EE_ERROR_RULES),
                      "1:2: expected a value before ','\n1:3: expected a value before ','\n"
                      "1:1001: expected a value before ','\n"
                      "warning 1:0: 9 more records could not be split off\n");
  /* A file that can be opened and not be read; the next one is not opened. */
  const char *const files[] = {"/proc/self/mem", "/tmp/there/is/no/such.jsonl"};
  ee_bench_set set;
  ee_error_list errors;
  ee_error_list_init(&errors);
  ee_error error = {0};
  assert_int_equal(ee_bench_set_open(files, 2, &set, &errors, &error), EE_ERROR_SYSTEM);
  assert_string_equal(error.message, "cannot read '/proc/self/mem': Input/output error");
  assert_int_equal(errors.count, 0);
  ee_bench_set_close(&set);
  ee_error_list_fini(&errors);
}

/* The ends of what a value may be. */
static void test_borders(void **state) {
  (void)state;
  ee_bench_record out;
  expect(mistakes_of(ee_json_read(&arena, EE_STR("[1]"), NULL, NULL), &out),
         "a record must be an object, got an array");
  const ee_value *record = ee_json_read(&arena, ee_str_from(regression), NULL, NULL);
  static const struct {
    const char *url;
    bool good;
  } urls[] = {{"http://a", true},   {"HTTPS://a", true},   {"http://", false},     {"ftp://a", false},
              {"http:///a", false}, {"http://?", false},   {"http://#", false},    {"http://:1", false},
              {"http://@a", false}, {"http://a b", false}, {"http://a\x7f", false}};
  for (size_t i = 0; i < sizeof urls / sizeof *urls; i++) {
    ee_value *copy = changed(record, EE_STR(""), EE_STR(""), EE_NULL);
    ee_value_set(&arena, copy, EE_STR("sourceUrl"), ee_value_new_string(&arena, ee_str_from(urls[i].url)));
    if ((*mistakes_of(copy, &out) == '\0') != urls[i].good) fail_msg("'%s'", urls[i].url);
  }
  static const struct {
    const char *expected, *message;
  } kinds[] = {
      {"{\"emptyResultKind\":\"non_empty\",\"minExtractions\":0,\"maxExtractions\":0}", "must not be 0 where"},
      {"{\"emptyResultKind\":\"non_empty\",\"minExtractions\":2,\"maxExtractions\":1}",
       "is below expected.minExtractions"},
      {"{\"emptyResultKind\":\"a very long kind of which only the beginning can be shown to anybody who reads this "
       "message, "
       "since it goes on and on and on and on and on and on and on and on and on and on and on\"}",
       "..."},
  };
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    ee_value *copy = changed(record, EE_STR(""), EE_STR(""), EE_NULL);
    ee_value_set(&arena, copy, EE_STR("expected"), ee_json_read(&arena, ee_str_from(kinds[i].expected), NULL, NULL));
    expect(mistakes_of(copy, &out), kinds[i].message);
  }
  ee_value *copy = changed(record, EE_STR(""), EE_STR(""), EE_NULL);
  ee_value_set(&arena, copy, EE_STR("targetSchema"), ee_value_new(&arena, EE_TRUE));
  assert_string_equal(mistakes_of(copy, &out), "");
  ee_value_set(&arena, copy, EE_STR("targetSchema"), ee_value_new(&arena, EE_FALSE));
  assert_string_equal(mistakes_of(copy, &out), "");
}

EE_TEST_FILE(make_arena, free_arena, cmocka_unit_test(test_good_records), cmocka_unit_test(test_every_key),
             cmocka_unit_test(test_facts), cmocka_unit_test(test_sets), cmocka_unit_test(test_files),
             cmocka_unit_test(test_borders));
