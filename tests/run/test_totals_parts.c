/* test_totals_parts.c: all that a run counts, over random records for rules with most options: any parts, merged in
 * memory or as states, have the bytes of the whole; kinds of errors and measures against plain sums. */
#include "judge/measure.h"
#include "judge/plan_fixture.h"
#include "support/random.h"
#include "support/totals_text.h"

#include <string.h>

/* Some are not in the rules and occur; 'skip' is ignored, so that a difference there is in no attribute. */
#define RULES                                                                                                          \
  "{\"ee\":\"rules\",\"slices\":[\"lang\"],\"measures\":[\"latency\",\"cost.usd\"],\"cluster\":\"doc\",\"items\":["    \
  "{\"ee\":\"fields\",\"confidence\":\"*.sure\",\"cost\":{\"incorrect\":5},\"items\":["                                \
  "{\"ee\":\"exact\",\"items\":[\"number\"]},{\"ee\":\"numeric\",\"items\":[\"total\"]},"                              \
  "{\"ee\":\"exact\",\"items\":[\"vendor\"]}]},"                                                                       \
  "{\"ee\":\"line_items\",\"name\":\"lines\",\"match\":\"sku\",\"compare_methods\":true,\"items\":[\"lines\","         \
  "{\"ee\":\"exact\",\"items\":[\"text\"]},{\"ee\":\"numeric\",\"items\":[\"price\"]}]},"                              \
  "{\"ee\":\"quality\",\"name\":\"keys\",\"ignore\":\"everywhere\",\"strategies\":{\"skip\":\"IGNORE\","               \
  "\"number\":\"EXACT\",\"nowhere\":\"EXACT\"}}]}"

static const char *one_of(test_random *random, const char *const *texts, size_t count) {
  return texts[test_random_below(random, count)];
}
#define ONE_OF(random, ...)                                                                                            \
  one_of(random, (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

static const char *random_lines(test_random *random, ee_arena *arena) {
  const char *list = "";
  for (size_t count = test_random_below(random, 4); count > 0; count--)
    list = ee_arena_printf(arena, "%s%s{%s\"text\":\"t%zu\",\"price\":%s}", list, *list != '\0' ? "," : "",
                           ONE_OF(random, "", "\"sku\":\"a\",", "\"sku\":\"b\","), test_random_below(random, 3),
                           ONE_OF(random, "1", "2", "\"x\""));
  return list;
}

static const char *random_document(test_random *random, ee_arena *arena, bool candidate) {
  const char *value = ONE_OF(random, "7", "8", "\"many\"", "null");
  return ee_arena_printf(arena, "{\"number\":%s,\"total\":%s%s%s,\"skip\":%zu,\"lines\":[%s]%s}",
                         ONE_OF(random, "\"1\"", "\"12\"", "\"21\""),
                         candidate ? ee_arena_printf(arena, "{\"value\":%s,\"sure\":%s}", value,
                                                     ONE_OF(random, "0.5", "0.75", "1", "\"?\""))
                                   : value,
                         candidate ? "" : ",\"vendor\":", candidate ? "" : ONE_OF(random, "\"v\"", "\"w\""),
                         test_random_below(random, 3), random_lines(random, arena),
                         candidate ? ONE_OF(random, "", ",\"seller\":\"v\"") : "");
}

static const char *random_record(test_random *random, ee_arena *arena, size_t number) {
  return ee_arena_printf(arena, "{\"id\":\"c%zu\",\"expected\":%s,\"candidate\":%s%s%s%s%s}", number,
                         random_document(random, arena, false),
                         test_random_below(random, 9) == 0 ? "null" : random_document(random, arena, true),
                         ONE_OF(random, "", ",\"lang\":\"de\"", ",\"lang\":\"en\"", ",\"lang\":\"fr\""),
                         ONE_OF(random, "", ",\"doc\":\"d1\"", ",\"doc\":\"d2\""),
                         ONE_OF(random, "", ",\"latency\":2", ",\"latency\":0.25", ",\"latency\":\"fast\""),
                         ONE_OF(random, "", ",\"cost\":{\"usd\":3}", ",\"cost\":{\"usd\":1e-3}"));
}

/* The case is in f->case_arena. */
static void judge(fixture *f, const char *text) {
  ee_error error = {0};
  ee_value *record = ee_json_read(&f->case_arena, ee_str_from(text), NULL, &error);
  if (record == NULL) fail_msg("%s: %s", text, error.message);
  if (ee_record_read(record, &f->plan->paths, &(ee_record_place){.line = 1}, &f->case_arena, &f->current, &error) !=
      EE_OK)
    fail_msg("%s: %s", text, error.message);
  f->context = (ee_context){
      .plan = f->plan, .arena = &f->case_arena, .script = &f->script, .kinds = true, .rule_errors = &f->rule_errors};
  ee_plan_judge(f->plan, &f->context, &f->current, &f->result);
}

enum { JUDGES = 3, MEASURES = 2, PARTS = 4 };

/* What is added up, the plain way. */
typedef struct plain {
  uint64_t kinds[JUDGES][EE_ERROR_KIND_COUNT], rows[JUDGES][EE_ERROR_KIND_COUNT];
  uint64_t measured[MEASURES], missing[MEASURES], not_numbers[MEASURES];
  double sums[MEASURES];
} plain;

static void plain_add(plain *sum, const ee_case_result *result) {
  for (size_t i = 0; i < result->judge_count; i++) {
    const ee_judge_result *judged = &result->judges[i];
    for (size_t k = 0; k < judged->mismatch_count; k++) {
      const ee_mismatch *mismatch = &judged->mismatches[k];
      if (mismatch->is_row)
        sum->rows[i][mismatch->kind]++;
      else if (mismatch->attribute.length > 0)
        sum->kinds[i][mismatch->kind]++;
    }
  }
  for (size_t i = 0; i < MEASURES; i++) {
    const ee_value *record = result->source->record;
    const ee_value *found = i == 0
                                ? ee_value_member(record, EE_STR("latency"), NULL)
                                : ee_value_member(ee_value_member(record, EE_STR("cost"), NULL), EE_STR("usd"), NULL);
    sum->missing[i] += found == NULL;
    sum->not_numbers[i] += ee_type_of(found) == EE_STRING;
    if (ee_type_of(found) != EE_NUMBER) continue;
    sum->measured[i]++;
    sum->sums[i] += ee_value_number(found);
  }
}

static void assert_plain(const ee_totals *totals, const plain *sum) {
  for (size_t i = 0; i < JUDGES; i++) {
    const ee_judge_total *judge = &totals->all.judges[i];
    uint64_t kinds[EE_ERROR_KIND_COUNT] = {0};
    for (size_t k = 0; k < judge->attribute_count; k++) {
      assert_true(judge->attributes[k].name.length > 0);
      for (int kind = 0; kind < EE_ERROR_KIND_COUNT && judge->attributes[k].kinds != NULL; kind++)
        kinds[kind] += judge->attributes[k].kinds->kinds[kind].count;
    }
    for (int kind = EE_ERROR_KIND_NONE + 1; kind < EE_ERROR_KIND_COUNT; kind++) {
      assert_int_equal(kinds[kind], sum->kinds[i][kind]);
      assert_int_equal(judge->row_kinds != NULL ? judge->row_kinds->kinds[kind].count : 0, sum->rows[i][kind]);
    }
  }
  for (size_t i = 0; i < MEASURES; i++) {
    const ee_measure_total *measure = &totals->all.measures[i];
    assert_int_equal(measure->values.total, sum->measured[i]);
    assert_int_equal(measure->missing, sum->missing[i]);
    assert_int_equal(measure->not_numbers, sum->not_numbers[i]);
  }
}

static void merge_loaded(ee_totals *to, const ee_plan *plan, ee_str text, ee_arena *arena) {
  ee_totals part;
  if (!totals_load(&part, plan, text, arena)) fail_msg("%.*s", EE_STR_ARG(text));
  ee_totals_merge(to, &part);
  ee_totals_fini(&part);
}

static void parts_are_the_whole(void **state) {
  (void)state;
  test_random random = test_random_start("totals in parts", 3107);
  fixture f;
  fixture_open(&f);
  fixture_rules(&f, RULES);
  assert_int_equal(f.plan->judge_count, JUDGES);
  assert_int_equal(f.plan->measure_count, MEASURES);
  ee_totals whole, merged, loaded, parts[PARTS];
  ee_totals_init(&whole, f.plan);
  ee_totals_init(&merged, f.plan);
  for (size_t i = 0; i < PARTS; i++) ee_totals_init(&parts[i], f.plan);
  ee_arena scratch;
  ee_arena_init(&scratch, 0);
  for (int round = 0; round < 60; round++) {
    plain sum = {0};
    ee_totals_init(&loaded, f.plan);
    size_t cases = test_random_below(&random, 40);
    for (size_t i = 0; i < cases; i++) {
      ee_arena_reset(&f.case_arena, 0);
      judge(&f, random_record(&random, &f.case_arena, i * 7 % 41));
      plain_add(&sum, &f.result);
      ee_totals_add(&whole, &f.result, &scratch);
      ee_totals_add(&parts[test_random_below(&random, PARTS)], &f.result, &scratch);
    }
    for (size_t i = 0; i < PARTS; i++) {
      merge_loaded(&loaded, f.plan, totals_save(&parts[i], &scratch), &scratch);
      ee_totals_merge(&merged, &parts[i]);
    }
    assert_plain(&whole, &sum);
    assert_plain(&merged, &sum);
    ee_str text = totals_save(&whole, &scratch), other = totals_save(&merged, &scratch);
    if (!ee_str_equal(text, other)) fail_msg("%.*s\n%.*s", EE_STR_ARG(text), EE_STR_ARG(other));
    other = totals_save(&loaded, &scratch);
    if (!ee_str_equal(text, other)) fail_msg("%.*s\n%.*s", EE_STR_ARG(text), EE_STR_ARG(other));
    ee_totals_fini(&loaded);
    ee_totals_clear(&whole);
    ee_totals_clear(&merged);
    for (size_t i = 0; i < PARTS; i++) ee_totals_clear(&parts[i]);
    ee_arena_reset(&scratch, 0);
  }
  for (size_t i = 0; i < PARTS; i++) ee_totals_fini(&parts[i]);
  ee_totals_fini(&merged);
  ee_totals_fini(&whole);
  ee_arena_fini(&scratch);
  fixture_close(&f);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(parts_are_the_whole));
