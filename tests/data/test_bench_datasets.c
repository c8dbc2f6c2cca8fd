/* test_bench_datasets.c: the shipped records of the bench, checked without the code that reads them.
 *
 * cJSON reads the lines; offsets are looked up in arrays of code units, code points or bytes into which the texts are
 * expanded here; answers are searched by a slow search of its own. Only the last test asks the bench what it makes of
 * the same files. */
/* cmocka.h needs the four above. */

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/bench_record.h"
#include "data/json/json_in_prose.h"

static const char *const file_names[] = {"bench/datasets/smoke.jsonl", "bench/datasets/regression.jsonl"};

/* The records ---------------------------------------------------------------------------------- */

typedef struct row {
  cJSON *record;
  size_t file, line;
  const char *id;
} row;

static row *rows;
static size_t row_count;

static char *read_file(const char *name, size_t *length) {
  FILE *file = fopen(name, "rb");
  if (file == NULL) fail_msg("cannot open %s", name);
  fseek(file, 0, SEEK_END);
  *length = (size_t)ftell(file);
  rewind(file);
  char *text = malloc(*length + 1);
  assert_int_equal(fread(text, 1, *length, file), *length);
  text[*length] = '\0';
  fclose(file);
  return text;
}

static void read_rows(size_t file) {
  size_t length, line = 0;
  char *text = read_file(file_names[file], &length);
  assert_int_equal(strlen(text), length);
  assert_null(strchr(text, '\r'));
  assert_true(length > 0 && text[length - 1] == '\n');
  for (char *at = text; *at != '\0';) {
    char *end = strchr(at, '\n');
    *end = '\0';
    const char *stop = NULL;
    cJSON *record = cJSON_ParseWithOpts(at, &stop, true);
    if (!cJSON_IsObject(record)) fail_msg("%s:%zu is no object", file_names[file], line + 1);
    rows = realloc(rows, (row_count + 1) * sizeof *rows);
    rows[row_count++] = (row){record, file, ++line, NULL};
    at = end + 1;
  }
  free(text);
}

static const char *text_of(const cJSON *object, const char *key) {
  const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, key);
  if (!cJSON_IsString(value)) fail_msg("%s is no text", key);
  return value->valuestring;
}

static int set_up(void **state) {
  (void)state;
  for (size_t i = 0; i < 2; i++) read_rows(i);
  for (size_t i = 0; i < row_count; i++) rows[i].id = text_of(rows[i].record, "caseId");
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  for (size_t i = 0; i < row_count; i++) cJSON_Delete(rows[i].record);
  free(rows);
  return 0;
}

static bool is_smoke(const row *r) { return cJSON_GetObjectItemCaseSensitive(r->record, "goldSpans") != NULL; }

/* Answer number `i` of a record; NULL behind the last one. */
static const char *answer_of(const row *r, int i) {
  const cJSON *many = cJSON_GetObjectItemCaseSensitive(r->record, "providerResponseTexts");
  if (many == NULL) return i == 0 ? text_of(r->record, "providerResponseText") : NULL;
  const cJSON *one = cJSON_GetArrayItem(many, i);
  return one != NULL ? one->valuestring : NULL;
}

/* Offsets -------------------------------------------------------------------------------------- */

typedef enum unit { UTF16, CODE_POINT, UTF8, NO_UNIT } unit;
static const char *const unit_names[] = {"utf16_code_unit", "code_point", "utf8_byte"};

static unit unit_of(const char *name) {
  unit u = UTF16;
  while (u < NO_UNIT && strcmp(name, unit_names[u]) != 0) u++;
  return u;
}

typedef struct units {
  uint32_t *values;
  size_t count;
} units;

static uint32_t read_character(const unsigned char **at) {
  const unsigned char *p = *at;
  int more = *p >= 0xF0 ? 3 : *p >= 0xE0 ? 2 : *p >= 0xC0 ? 1 : 0;
  uint32_t c = more == 3 ? *p & 7u : more == 2 ? *p & 15u : more == 1 ? *p & 31u : *p;
  for (int i = 1; i <= more; i++) c = c << 6 | (p[i] & 63u);
  *at = p + 1 + more;
  return c;
}

static units expand(const char *text, unit u) {
  units out = {malloc((strlen(text) + 1) * sizeof(uint32_t)), 0};
  const unsigned char *at = (const unsigned char *)text;
  while (*at != '\0') {
    if (u == UTF8) {
      out.values[out.count++] = *at++;
      continue;
    }
    uint32_t c = read_character(&at);
    if (u == UTF16 && c > 0xFFFF) {
      out.values[out.count++] = 0xD800 + ((c - 0x10000) >> 10);
      c = 0xDC00 + ((c - 0x10000) & 0x3FF);
    }
    out.values[out.count++] = c;
  }
  return out;
}

/* Whether the quote stands from `start` to `end`. A whole text is never equal to a part with half a character in it. */
static bool stands(const char *document, unit u, double start, double end, const char *quote) {
  units all = expand(document, u), part = expand(quote, u);
  bool is = start >= 0 && start == floor(start) && end - start == (double)part.count && end <= (double)all.count &&
            memcmp(all.values + (size_t)start, part.values, part.count * sizeof *part.values) == 0;
  free(all.values);
  free(part.values);
  return is;
}

/* The offset in unit `to` of what is `offset` in unit `from`. */
static double convert(const char *document, unit from, double offset, unit to) {
  const unsigned char *at = (const unsigned char *)document;
  double passed[3] = {0};
  while (passed[from] < offset && *at != '\0') {
    const unsigned char *before = at;
    passed[UTF16] += read_character(&at) > 0xFFFF ? 2 : 1;
    passed[CODE_POINT] += 1;
    passed[UTF8] += (double)(at - before);
  }
  return passed[to];
}

/* Answers -------------------------------------------------------------------------------------- */

/* Copies the object or list that opens at `at` without commas in front of closing brackets, and returns the place
 * behind it. NULL where the text ends first. `*proper` is false for what cJSON takes though JSON is stricter: line
 * breaks in strings, numbers with a zero in front. */
static const char *cut_out(const char *at, char *out, bool *proper) {
  size_t depth = 0;
  bool in_text = false;
  *proper = true;
  for (; *at != '\0'; at++) {
    char c = *at;
    if (in_text) {
      if ((unsigned char)c < ' ') *proper = false;
      *out++ = c;
      if (c == '\\' && at[1] != '\0') *out++ = *++at;
      if (c == '"') in_text = false;
      continue;
    }
    if (c == '"') in_text = true;
    if (c == '0' && isdigit((unsigned char)at[1]) && strchr(" \t\r\n:,[-", at[-1]) != NULL) *proper = false;
    if (c == ',') {
      size_t blank = strspn(at + 1, " \t\r\n");
      if (at[1 + blank] == ']' || at[1 + blank] == '}') continue;
    }
    if (c == '[' || c == '{') depth++;
    *out++ = c;
    if ((c == ']' || c == '}') && --depth == 0) {
      *out = '\0';
      return at + 1;
    }
  }
  return NULL;
}

/* The longest object or list in an answer, wherever it stands; NULL when there is none, or the answer was cut. */
static cJSON *find_answer(const char *text) {
  cJSON *best = NULL;
  size_t length = 0;
  char *copy = malloc(strlen(text) + 1);
  for (const char *at = strpbrk(text, "[{"); at != NULL; at = strpbrk(at, "[{")) {
    bool proper;
    const char *end = cut_out(at, copy, &proper);
    if (end == NULL) break;
    cJSON *value = proper ? cJSON_ParseWithOpts(copy, NULL, true) : NULL;
    if (value != NULL && (size_t)(end - at) > length) {
      cJSON_Delete(best);
      best = value;
      length = (size_t)(end - at);
    } else {
      cJSON_Delete(value);
    }
    at = value != NULL ? end : at + 1;
  }
  free(copy);
  return best;
}

static const cJSON *list_in(const cJSON *answer) {
  const cJSON *list = cJSON_IsArray(answer) ? answer : NULL;
  /* Of equal keys the last one counts. */
  for (const cJSON *m = cJSON_IsObject(answer) ? answer->child : NULL; m != NULL; m = m->next)
    if (strcmp(m->string, "extractions") == 0) list = cJSON_IsArray(m) ? m : NULL;
  return list;
}

typedef struct place {
  double start, end;
  unit u;
  bool there;
} place;

static place read_place(const cJSON *object) {
  place p = {.u = NO_UNIT};
  const cJSON *start = cJSON_GetObjectItemCaseSensitive(object, "charStart");
  const cJSON *end = cJSON_GetObjectItemCaseSensitive(object, "charEnd");
  const cJSON *mode = cJSON_GetObjectItemCaseSensitive(object, "offsetMode");
  if (mode != NULL) p.u = unit_of(text_of(object, "offsetMode"));
  p.there = cJSON_IsNumber(start) && cJSON_IsNumber(end);
  assert_int_equal(start != NULL, p.there);
  assert_int_equal(end != NULL, p.there);
  if (p.there) p.start = start->valuedouble, p.end = end->valuedouble;
  return p;
}

/* Where an extraction says it stands, after checking that it says so once, or the same twice. */
static place place_of(const row *r, const cJSON *extraction, unit declared) {
  place top = read_place(extraction), span = read_place(cJSON_GetObjectItemCaseSensitive(extraction, "span"));
  if (!top.there && !span.there) fail_msg("%s: an extraction stands nowhere", r->id);
  bool same = top.start == span.start && top.end == span.end;
  if (same) same = top.u == span.u || top.u == NO_UNIT || span.u == NO_UNIT;
  if (top.there && span.there && !same) fail_msg("%s: a span says something else", r->id);
  place used = top.there ? top : span;
  if (used.u == NO_UNIT) used.u = top.u != NO_UNIT ? top.u : span.u;
  if (used.u == NO_UNIT) used.u = declared;
  return used;
}

/* The tests ------------------------------------------------------------------------------------ */

static bool is_among(const char *const *keys, const char *key) {
  while (*keys != NULL && strcmp(*keys, key) != 0) keys++;
  return *keys != NULL;
}

static void check_keys(const row *r, const cJSON *object, const char *const *needed, const char *const *allowed) {
  for (const cJSON *m = object->child; m != NULL; m = m->next) {
    if (!is_among(needed, m->string) && !is_among(allowed, m->string)) fail_msg("%s: key %s", r->id, m->string);
    for (const cJSON *n = m->next; n != NULL; n = n->next)
      if (strcmp(m->string, n->string) == 0) fail_msg("%s: key %s twice", r->id, m->string);
  }
  for (; *needed != NULL; needed++)
    if (cJSON_GetObjectItemCaseSensitive(object, *needed) == NULL) fail_msg("%s: no key %s", r->id, *needed);
}

static void test_keys(void **state) {
  (void)state;
  static const char *const smoke[] = {"caseId", "documentText", "instructions", "targetSchema", "goldSpans", NULL};
  static const char *const regression[] = {
      "caseId", "category", "documentText", "instructions", "targetSchema", "expected", "sourceUrl", "packId", NULL};
  static const char *const may_smoke[] = {"providerResponseText", "providerResponseTexts", "offsetMode", NULL};
  static const char *const may_regression[] = {"providerResponseText", "providerResponseTexts", "sourceQuote", NULL};
  static const char *const gold[] = {"extractionClass", "quote", "charStart", "charEnd", NULL}, *const none[] = {NULL};
  static const char *const expected[] = {"emptyResultKind", "minExtractions", "maxExtractions", NULL};
  for (size_t i = 0; i < row_count; i++) {
    const row *r = &rows[i];
    bool is_gold = is_smoke(r);
    assert_int_equal(is_gold, r->file == 0);
    check_keys(r, r->record, is_gold ? smoke : regression, is_gold ? may_smoke : may_regression);
    const cJSON *one = cJSON_GetObjectItemCaseSensitive(r->record, "providerResponseText");
    const cJSON *many = cJSON_GetObjectItemCaseSensitive(r->record, "providerResponseTexts"), *item;
    assert_int_equal(cJSON_IsString(one), many == NULL);
    assert_true(many == NULL || cJSON_GetArraySize(many) > 0);
    cJSON_ArrayForEach(item, many) assert_true(cJSON_IsString(item));
    assert_true(*text_of(r->record, "instructions") != '\0');
    text_of(r->record, "documentText");
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(r->record, "goldSpans")) check_keys(r, item, gold, none);
    if (is_gold) continue;
    check_keys(r, cJSON_GetObjectItemCaseSensitive(r->record, "expected"), expected, none);
    assert_true(*text_of(r->record, "category") != '\0' && *text_of(r->record, "packId") != '\0');
    assert_int_equal(strncmp(text_of(r->record, "sourceUrl"), "http", 4), 0);
  }
}

static void test_ids_are_unique(void **state) {
  (void)state;
  for (size_t i = 0; i < row_count; i++)
    for (size_t k = 0; k < i; k++)
      if (strcmp(rows[i].id, rows[k].id) == 0) fail_msg("%s is there twice", rows[i].id);
}

static void check_range(const char *what, size_t value, size_t least, size_t most) {
  if (value < least || value > most) fail_msg("%zu %s, not %zu to %zu", value, what, least, most);
}

static void count_smoke(void) {
  size_t records = 0, of_unit[3] = {0}, kilobytes5 = 0, kilobytes60 = 0, no_gold = 0, empty = 0;
  for (size_t i = 0; i < row_count; i++) {
    const cJSON *record = rows[i].record, *span;
    if (!is_smoke(&rows[i])) continue;
    records++;
    size_t length = strlen(text_of(record, "documentText"));
    kilobytes5 += length >= 5000;
    kilobytes60 += length >= 60000;
    const cJSON *gold = cJSON_GetObjectItemCaseSensitive(record, "goldSpans");
    no_gold += cJSON_GetArraySize(gold) == 0;
    cJSON_ArrayForEach(span, gold) empty += *text_of(span, "quote") == '\0';
    bool has_mode = cJSON_GetObjectItemCaseSensitive(record, "offsetMode") != NULL;
    unit u = has_mode ? unit_of(text_of(record, "offsetMode")) : UTF16;
    assert_true(u < NO_UNIT);
    of_unit[u]++;
  }
  check_range("smoke records", records, 30, 40);
  check_range("smoke texts of 5 KB and more", kilobytes5, 5, SIZE_MAX);
  check_range("smoke texts of 60 KB", kilobytes60, 1, SIZE_MAX);
  check_range("smoke records without gold spans", no_gold, 2, SIZE_MAX);
  check_range("empty gold spans", empty, 2, SIZE_MAX);
  check_range("smoke records in code points", of_unit[CODE_POINT], 2, SIZE_MAX);
  check_range("smoke records in bytes", of_unit[UTF8], 2, SIZE_MAX);
}

/* True for the first record of its category. */
static bool is_first_of_category(size_t number) {
  const char *category = text_of(rows[number].record, "category");
  for (size_t i = 0; i < number; i++)
    if (!is_smoke(&rows[i]) && strcmp(text_of(rows[i].record, "category"), category) == 0) return false;
  return true;
}

static void count_regression(void) {
  static const char *const kinds[] = {"non_empty", "empty_by_evidence", "empty_by_failure", NULL};
  size_t records = 0, of_kind[3] = {0}, several = 0, categories = 0;
  for (size_t i = 0; i < row_count; i++) {
    if (is_smoke(&rows[i])) continue;
    records++;
    const cJSON *expected = cJSON_GetObjectItemCaseSensitive(rows[i].record, "expected");
    assert_true(is_among(kinds, text_of(expected, "emptyResultKind")));
    for (size_t k = 0; k < 3; k++) of_kind[k] += strcmp(text_of(expected, "emptyResultKind"), kinds[k]) == 0;
    several += answer_of(&rows[i], 1) != NULL;
    categories += is_first_of_category(i);
  }
  check_range("regression records", records, 80, SIZE_MAX);
  check_range("categories", categories, 25, SIZE_MAX);
  for (size_t k = 0; k < 3; k++) check_range(kinds[k], of_kind[k], 10, SIZE_MAX);
  check_range("records with an answer a trial", several, 5, SIZE_MAX);
}

/* The sets hold what their README says: enough of everything. */
static void test_counts(void **state) {
  (void)state;
  count_smoke();
  count_regression();
}

/* Long texts are texts, not a line again and again. */
static void test_lines_of_long_texts_differ(void **state) {
  (void)state;
  for (size_t i = 0; i < row_count; i++) {
    const char *text = text_of(rows[i].record, "documentText");
    if (strlen(text) < 5000) continue;
    for (const char *at = text; *at != '\0'; at += strcspn(at, "\n"), at += *at != '\0') {
      size_t length = strcspn(at, "\n");
      if (length < 4) continue;
      char *line = strndup(at, length);
      if (strstr(at + length, line) != NULL) fail_msg("%s says again: %s", rows[i].id, line);
      free(line);
    }
  }
}

static void test_gold_spans(void **state) {
  (void)state;
  size_t checked = 0, told = 0;
  for (size_t i = 0; i < row_count; i++) {
    const row *r = &rows[i];
    if (!is_smoke(r)) continue;
    const char *document = text_of(r->record, "documentText");
    bool has_mode = cJSON_GetObjectItemCaseSensitive(r->record, "offsetMode") != NULL;
    unit u = has_mode ? unit_of(text_of(r->record, "offsetMode")) : UTF16;
    const cJSON *span;
    cJSON_ArrayForEach(span, cJSON_GetObjectItemCaseSensitive(r->record, "goldSpans")) {
      const char *quote = text_of(span, "quote");
      place p = read_place(span);
      assert_true(p.there);
      if (!stands(document, u, p.start, p.end, quote)) fail_msg("%s: not there: '%s'", r->id, quote);
      checked++;
      told += !stands(document, u, p.start + 1, p.end + 1, quote);
    }
  }
  assert_true(checked > 100);
  /* One unit further another text stands, but for empty quotes and runs of one letter: the check above can fail. */
  assert_true(told >= checked - 4);
}

/* The gold span, not taken yet, that the extraction found; -1: none. */
static int find_gold(const row *r, const cJSON *extraction, place p, unit declared, const bool *taken) {
  const char *document = text_of(r->record, "documentText");
  double start = convert(document, p.u, p.start, declared), end = convert(document, p.u, p.end, declared);
  const cJSON *gold = cJSON_GetObjectItemCaseSensitive(r->record, "goldSpans");
  for (int i = 0; i < cJSON_GetArraySize(gold); i++) {
    const cJSON *span = cJSON_GetArrayItem(gold, i);
    place wanted = read_place(span);
    if (!taken[i] && wanted.start == start && wanted.end == end &&
        strcmp(text_of(span, "extractionClass"), text_of(extraction, "extractionClass")) == 0)
      return i;
  }
  return -1;
}

/* What the answer holds is in its place, and is what the record expects. */
static void check_answer(const row *r, const char *text) {
  const char *document = text_of(r->record, "documentText");
  unit declared = UTF16;
  if (cJSON_GetObjectItemCaseSensitive(r->record, "offsetMode") != NULL)
    declared = unit_of(text_of(r->record, "offsetMode"));
  cJSON *answer = find_answer(text);
  const cJSON *list = list_in(answer), *x;
  bool taken[128] = {false};
  int count = 0;
  cJSON_ArrayForEach(x, list) {
    place p = place_of(r, x, declared);
    const char *quote = text_of(x, "quote");
    assert_true(p.u < NO_UNIT && *text_of(x, "extractionClass") != '\0');
    if (!stands(document, p.u, p.start, p.end, quote)) fail_msg("%s: the answer's '%s' is not there", r->id, quote);
    count++;
    if (!is_smoke(r)) continue;
    int found = find_gold(r, x, p, declared, taken);
    if (found < 0) fail_msg("%s: the answer's '%s' is no gold span", r->id, quote);
    taken[found] = true;
  }
  const char *kind = list == NULL ? "empty_by_failure" : count == 0 ? "empty_by_evidence" : "non_empty";
  if (is_smoke(r)) {
    assert_non_null(list);
    assert_int_equal(count, cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(r->record, "goldSpans")));
  } else {
    const cJSON *expected = cJSON_GetObjectItemCaseSensitive(r->record, "expected");
    double least = cJSON_GetObjectItemCaseSensitive(expected, "minExtractions")->valuedouble;
    double most = cJSON_GetObjectItemCaseSensitive(expected, "maxExtractions")->valuedouble;
    if (strcmp(kind, text_of(expected, "emptyResultKind")) != 0 || count < least || count > most)
      fail_msg("%s: the answer is %s with %d extractions", r->id, kind, count);
  }
  cJSON_Delete(answer);
}

static void test_answers(void **state) {
  (void)state;
  for (size_t i = 0; i < row_count; i++)
    for (int k = 0; answer_of(&rows[i], k) != NULL; k++) check_answer(&rows[i], answer_of(&rows[i], k));
}

/* The bench reads the answer as the search here does, and it fits its schema. */
static void check_reading(const row *r, ee_str text, const char *same_text, const ee_json_schema *schema,
                          ee_arena *arena) {
  ee_repairs repairs;
  const ee_value *value = ee_json_in_prose_repair(arena, text, EE_REPAIRS_PLAIN, &repairs, NULL);
  const ee_value *found = value;
  if (ee_type_of(value) == EE_OBJECT) found = ee_value_member(value, EE_STR("extractions"), arena);
  if (ee_type_of(found) != EE_ARRAY) found = NULL;
  cJSON *answer = find_answer(same_text);
  const cJSON *list = list_in(answer);
  if ((found != NULL) != (list != NULL) || (list != NULL && !cJSON_Compare(&found->json, list, true)))
    fail_msg("%s: another answer is read", r->id);
  cJSON_Delete(answer);
  ee_schema_result result = {.valid = true};
  if (value != NULL) ee_json_schema_validate(schema, value, arena, &result);
  if (!result.valid)
    fail_msg("%s: '%.*s': %.*s", r->id, (int)result.violations[0].place.length, result.violations[0].place.data,
             (int)result.violations[0].message.length, result.violations[0].message.data);
}

static void test_the_bench_agrees(void **state) {
  (void)state;
  ee_bench_set set;
  ee_error_list errors;
  ee_error error = {0};
  ee_error_list_init(&errors);
  ee_status status = ee_bench_set_open(file_names, 2, &set, &errors, &error);
  for (size_t i = 0; i < errors.count; i++) print_error("%zu: %s\n", errors.items[i].line, errors.items[i].message);
  assert_int_equal(status, EE_OK);
  assert_int_equal(errors.count, 0);
  assert_int_equal(set.count, row_count);
  ee_arena arena;
  ee_arena_init(&arena, 0);
  for (size_t i = 0; i < row_count; i++) {
    const ee_bench_record *record = &set.records[i];
    assert_true(ee_str_is(record->case_id, rows[i].id));
    ee_json_schema *schema = ee_json_schema_compile(&arena, record->target_schema, NULL, &errors);
    assert_non_null(schema);
    assert_int_equal(errors.count, 0); /* no warnings either */
    for (size_t k = 0; k < record->answer_count; k++)
      check_reading(&rows[i], record->answers[k], answer_of(&rows[i], (int)k), schema, &arena);
    ee_arena_reset(&arena, 0);
  }
  ee_arena_fini(&arena);
  ee_error_list_fini(&errors);
  ee_bench_set_close(&set);
}

EE_TEST_FILE(set_up, tear_down, cmocka_unit_test(test_keys), cmocka_unit_test(test_ids_are_unique),
             cmocka_unit_test(test_counts), cmocka_unit_test(test_lines_of_long_texts_differ),
             cmocka_unit_test(test_gold_spans), cmocka_unit_test(test_answers),
             cmocka_unit_test(test_the_bench_agrees));
