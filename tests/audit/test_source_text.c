/* test_source_text.c: what is found in a source text, in which writing; the nearest part against a slow search. */
#include "audit_fixture.h"

#include "audit/source_text.h"
#include "support/random.h"

static const char *const text = "ACME Trading Sdn. Bhd.\n12, Jalan Besar,\n41150 Klang\nInvoice No: INV-1045\n"
                                "Date : 05/03/2018 14:22\nDelivered 7 Sept 2021\nm\xc3\xa4rz: 3. M\xc3\xa4rz 2019\n"
                                "Widget 2 x 1,250.50 2,501.00\nPart 1 234,5\nRounding 12 .50\nTotal RM 1O.9O\n"
                                "VAT 6% .75 due 2018.04.30, Eleven parts, ninefold";

typedef struct lookup {
  const char *value; /* JSON */
  ee_source_place place;
  const char *near;
} lookup;

static const lookup lookups[] = {
    /* numbers by value */
    {"1250.5", EE_PLACE_EXACT, ""},
    {"\"1,250.50\"", EE_PLACE_EXACT, ""},
    {"\"1.250,50\"", EE_PLACE_EXACT, ""},
    {"2501", EE_PLACE_EXACT, ""},
    {"-2501", EE_PLACE_EXACT, ""},
    {"0.06", EE_PLACE_EXACT, ""},
    {"6", EE_PLACE_EXACT, ""},
    {"0.75", EE_PLACE_EXACT, ""},
    {"7.0", EE_PLACE_EXACT, ""},
    {"11", EE_PLACE_EXACT, ""},
    {"9", EE_PLACE_NOWHERE, ""},
    {"1234.5", EE_PLACE_LOOSE, "1 234,5"},
    {"12.5", EE_PLACE_LOOSE, "12 .50"},
    {"10.9", EE_PLACE_LOOSE, "1O.9O"},
    {"2501.1", EE_PLACE_NOWHERE, ""},
    {"\"1251.50\"", EE_PLACE_NEAR, "1,250.50"},
    {"99", EE_PLACE_NOWHERE, ""},
    /* dates in any order and writing */
    {"\"2018-03-05\"", EE_PLACE_EXACT, ""},
    {"\"05.03.18\"", EE_PLACE_EXACT, ""},
    {"\"2021-09-07\"", EE_PLACE_EXACT, ""},
    {"\"Sep 7, 2021\"", EE_PLACE_EXACT, ""},
    {"\"2019-03-03\"", EE_PLACE_EXACT, ""},
    {"\"30 April 2018\"", EE_PLACE_EXACT, ""},
    {"\"2018-03-05T14:22:00Z\"", EE_PLACE_EXACT, ""},
    {"\"2018-05-31\"", EE_PLACE_NEAR, NULL},
    {"\"1999-01-02\"", EE_PLACE_NOWHERE, ""},
    /* texts */
    {"\"acme  trading\"", EE_PLACE_EXACT, ""},
    {"\"12 JALAN BESAR 41150 KLANG\"", EE_PLACE_EXACT, ""},
    {"\"INV-1045\"", EE_PLACE_EXACT, ""},
    {"\"INV1045\"", EE_PLACE_EXACT, ""},
    {"\"ACME Tarding Sdn Bhd\"", EE_PLACE_LOOSE, "ACME Trading Sdn. Bhd"},
    {"\"Jalan Baser\"", EE_PLACE_LOOSE, "Jalan Besar"},
    {"\"Globex Corporation\"", EE_PLACE_NOWHERE, ""},
    {"\"...\"", EE_PLACE_EXACT, ""},
    {"true", EE_PLACE_EXACT, ""},
};

static void finds_values_in_any_writing(void **state) {
  (void)state;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_source_text source;
  ee_source_text_read(&source, ee_str_from(text), &arena);
  for (size_t i = 0; i < sizeof lookups / sizeof *lookups; i++) {
    ee_str near;
    const ee_value *value = ee_json_read(&arena, ee_str_from(lookups[i].value), NULL, NULL);
    ee_source_place place = ee_source_text_look_up(&source, value, &near);
    if (place != lookups[i].place || (lookups[i].near != NULL && !ee_str_is(near, lookups[i].near)))
      fail_msg("%s: place %d, near '%.*s'", lookups[i].value, (int)place, EE_STR_ARG(near));
  }
  ee_arena_fini(&arena);
}

static void long_texts_by_their_words(void **state) {
  (void)state;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_source_text source;
  ee_source_text_read(&source,
                      EE_STR("Lot 1851-A Jalan Kpb 6 | ref 77 | Kawasan Perindustrian | tel 03-1 | Balakong 43300 Seri "
                             "Kembangan Selangor"),
                      &arena);
  ee_str near;
  const ee_value *value = ee_value_new_string(
      &arena, EE_STR("LOT 1851-A, JALAN KPB 6, KAWASAN PERINDUSTRIAN BALAKONG, 43300 SERI KEMBANGAN, SELANGOR"));
  assert_int_equal(ee_source_text_look_up(&source, value, &near), EE_PLACE_EXACT);
  value = ee_value_new_string(
      &arena, EE_STR("LOT 1851-A, JALAN KPB 6, KAWASAN PERINDUSTRIAN PUCHONG, 43300 SERI KEMBANGAN, SELANGOR"));
  assert_int_equal(ee_source_text_look_up(&source, value, &near), EE_PLACE_LOOSE);
  assert_true(ee_str_is(source.missing, "'puchong'"));
  ee_arena_fini(&arena);
}

static ee_str source_of(ee_arena *arena, const char *json) {
  const ee_value *record = ee_json_read(arena, ee_str_from(json), NULL, NULL);
  assert_non_null(record);
  return ee_source_text_find(record, ee_value_member(record, EE_STR("expected"), NULL), NULL, arena);
}

static void finds_the_source_text(void **state) {
  (void)state;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  assert_true(ee_str_is(source_of(&arena, "{\"text\":\"a b\",\"documentText\":\"c d\"}"), "c d"));
  assert_true(ee_str_is(source_of(&arena, "{\"ocr\":[{\"text\":\"a\",\"box\":[1]},{\"text\":\"b\"}]}"), "a\nb"));
  assert_true(ee_str_is(source_of(&arena, "{\"ocr\":{\"words\":[\"a\",\"b c\"]}}"), "a\nb c"));
  assert_null(source_of(&arena, "{\"source\":\"file.pdf\"}").data);
  assert_null(source_of(&arena, "{\"expected\":{\"text\":\"a b\"}}").data);
  ee_arena_fini(&arena);
}

/* The fewest edits from `pattern` to any part of `text`, cell by cell. */
static size_t slow_distance(const char *pattern, const char *in) {
  size_t m = strlen(pattern), n = strlen(in), rows[80];
  for (size_t i = 0; i <= m; i++) rows[i] = i;
  size_t best = m;
  for (size_t k = 0; k < n; k++) {
    size_t diagonal = rows[0];
    rows[0] = 0;
    for (size_t i = 1; i <= m; i++) {
      size_t above = rows[i], value = diagonal + (pattern[i - 1] != in[k]);
      if (rows[i - 1] + 1 < value) value = rows[i - 1] + 1;
      if (above + 1 < value) value = above + 1;
      diagonal = above;
      rows[i] = value;
    }
    if (rows[m] < best) best = rows[m];
  }
  return best;
}

static void nearest_part_against_cells(void **state) {
  (void)state;
  test_random random = test_random_start("nearest part", 11);
  for (int round = 0; round < 3000; round++) {
    ee_arena arena;
    ee_arena_init(&arena, 0);
    char in[201] = "", pattern[65] = "";
    size_t n = 1 + test_random_below(&random, 200), m = 5 + test_random_below(&random, 60);
    for (size_t i = 0; i < n; i++) in[i] = "abcdq"[test_random_below(&random, 5)];
    size_t from = test_random_below(&random, n);
    for (size_t i = 0; i < m; i++)
      pattern[i] =
          from + i < n && test_random_below(&random, 6) > 0 ? in[from + i] : "abcdq"[test_random_below(&random, 5)];
    ee_source_text source;
    ee_source_text_read(&source, ee_str_from(in), &arena);
    ee_str near;
    ee_source_place place = ee_source_text_look_up(&source, ee_value_new_string(&arena, ee_str_from(pattern)), &near);
    size_t distance = slow_distance(pattern, in);
    double similarity = 1 - (double)distance / (double)m;
    ee_source_place wanted = distance == 0       ? EE_PLACE_EXACT
                             : similarity >= 0.8 ? EE_PLACE_LOOSE
                             : similarity >= 0.5 ? EE_PLACE_NEAR
                                                 : EE_PLACE_NOWHERE;
    if (place != wanted) fail_msg("'%s' in '%s': place %d, not %d", pattern, in, (int)place, (int)wanted);
    if (place == EE_PLACE_LOOSE || place == EE_PLACE_NEAR) {
      /* The part that is shown is one that is so near. */
      char part[201];
      snprintf(part, sizeof part, "%.*s", EE_STR_ARG(near));
      assert_true(slow_distance(pattern, part) == distance);
    }
    ee_arena_fini(&arena);
  }
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(finds_values_in_any_writing), cmocka_unit_test(long_texts_by_their_words),
             cmocka_unit_test(finds_the_source_text), cmocka_unit_test(nearest_part_against_cells));
