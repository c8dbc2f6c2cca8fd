/* test_alternatives_of_case.c: a case with several accepted documents has the result of the best of them. The twin
 * judges each document in a case of its own, by the same rules without the option, and takes the first of the highest
 * scores. */
#include "judge/case.h"
#include "judge/fake_provider.h"
#include "judge/plan_fixture.h"
#include "support/random.h"

#define HEADER(text)                                                                                                   \
  "{\"ee\":\"fields\",\"name\":\"header\",\"items\":[{\"ee\":\"exact\",\"items\":[\"a\"],\"weight\":2},"               \
  "{\"ee\":\"numeric\",\"items\":[\"n\"],\"tolerance\":1},{\"ee\":\"" text "\",\"items\":[\"t\"],\"required\":false}," \
  "{\"ee\":\"numeric\",\"items\":[\"d\"],\"decimal\":\"auto\"}]},"
#define ROWS                                                                                                           \
  "{\"ee\":\"line_items\",\"name\":\"rows\",\"items\":[\"rows\"],\"match\":{\"items\":[\"k\",\"v\"],\"method\":"       \
  "\"optimal\"}},{\"ee\":\"tree\",\"name\":\"tree\"}"
#define RULES(option, judges) "{\"ee\":\"rules\"" option ",\"items\":[" judges "]}"
#define OPTION ",\"alternatives\":true"
#define WITH_QUALITY HEADER("fuzzy") ROWS ",{\"ee\":\"quality\",\"name\":\"quality\"}"
#define WITH_SEMANTIC HEADER("semantic") ROWS

/* Random documents ----------------------------------------------------------------------------- */

static void add_text(ee_buffer *out, test_random *random, const char *key, bool *any) {
  static const char *const texts[] = {"left", "Left", "right", "rights", "", "N/A", "\xc3\xa9", "e\xcc\x81"};
  if (test_random_below(random, 6) == 0) return;
  ee_buffer_addf(out, "%s\"%s\":\"%s\"", *any ? "," : "", key, texts[test_random_below(random, 8)]);
  *any = true;
}

static void add_number(ee_buffer *out, test_random *random, const char *key, bool *any) {
  static const char *const numbers[] = {"1", "2", "3.5", "null", "\"2\"", "\"x\"", "-0.0", "1e300", "[2]", "{}"};
  if (test_random_below(random, 6) == 0) return;
  ee_buffer_addf(out, "%s\"%s\":%s", *any ? "," : "", key, numbers[test_random_below(random, 10)]);
  *any = true;
}

static void add_document(ee_buffer *out, test_random *random) {
  if (test_random_below(random, 40) == 0) {
    ee_buffer_add_text(out, "null");
    return;
  }
  ee_buffer_add_char(out, '{');
  bool any = false;
  add_text(out, random, "a", &any);
  add_number(out, random, "n", &any);
  add_text(out, random, "t", &any);
  if (test_random_below(random, 2) == 0) {
    static const char *const amounts[] = {"1,5", "1.5", "1,234", "1.234", "12"};
    ee_buffer_addf(out, "%s\"d\":\"%s\"", any ? "," : "", amounts[test_random_below(random, 5)]);
    any = true;
  }
  if (test_random_below(random, 3) > 0) {
    ee_buffer_addf(out, "%s\"rows\":[", any ? "," : "");
    size_t count = test_random_below(random, 4);
    for (size_t i = 0; i < count; i++) {
      bool filled = false;
      ee_buffer_add_text(out, i > 0 ? ",{" : "{");
      add_text(out, random, "k", &filled);
      add_number(out, random, "v", &filled);
      ee_buffer_add_char(out, '}');
    }
    ee_buffer_add_char(out, ']');
  }
  ee_buffer_add_char(out, '}');
}

/* What a case says ----------------------------------------------------------------------------- */

static void say_findings(ee_buffer *out, const ee_finding *findings, size_t count) {
  for (size_t i = 0; i < count; i++) {
    ee_finding_print(&findings[i], out);
    ee_buffer_add_char(out, ';');
  }
}

/* Everything of a result that reports use, as text. */
static char *say(const ee_case_result *result, ee_arena *arena) {
  ee_buffer out;
  ee_buffer_init(&out);
  ee_buffer_addf(&out, "%a %d %d\n", result->score, (int)result->verdict, result->unscored);
  ee_json_write_value(&out, result->source->expected);
  ee_buffer_add_char(&out, ' ');
  ee_json_write_value(&out, result->source->candidate);
  for (int i = 0; i < EE_CORRECTION_KINDS; i++) ee_buffer_addf(&out, " %d", (int)result->corrections.kinds[i]);
  ee_buffer_addf(&out, " %d\n", result->corrections.straight_through);
  for (size_t i = 0; i < result->judge_count; i++) {
    const ee_judge_result *judge = &result->judges[i];
    ee_buffer_addf(&out, "%a %d %d %d %d %d %d ", judge->score, judge->vacuous, judge->failed, judge->unscored,
                   (int)judge->unread_count, (int)judge->outcome_count, judge->corpus_part != NULL);
    say_findings(&out, judge->hits, judge->hit_count);
    say_findings(&out, judge->misses, judge->miss_count);
    for (size_t k = 0; k < judge->attribute_count; k++) {
      const ee_attribute_result *attribute = &judge->attributes[k];
      ee_buffer_addf(&out, " %.*s %d %d %d %d %d %d", EE_STR_ARG(attribute->name), (int)attribute->counts.tp,
                     (int)attribute->counts.tn, (int)attribute->counts.fp, (int)attribute->counts.fn,
                     (int)attribute->counts.unread, (int)attribute->counts.wrong);
    }
    for (size_t k = 0; k < judge->unread_count; k++) {
      ee_buffer_addf(&out, " unread %d ", judge->unread[k].document);
      ee_json_write_value(&out, judge->unread[k].value);
    }
    ee_details_write(judge, arena, &out);
    ee_buffer_add_char(&out, '\n');
  }
  char *text = ee_arena_printf(arena, "%.*s", (int)out.length, out.data);
  ee_buffer_fini(&out);
  return text;
}

/* The twin ------------------------------------------------------------------------------------- */

enum { MOST = 6 };

static void check_best(const char *rules_of_one, const char *rules_of_several, size_t least_forgotten) {
  test_random random = test_random_start("test_alternatives_of_case", 20261124);
  fixture several, one;
  fixture_open(&several);
  fixture_open(&one);
  fixture_rules(&several, rules_of_several);
  fixture_rules(&one, rules_of_one);
  /* The signs of decimals are those of all cases, as they are in a run. */
  several.plan->decimals->decided = one.plan->decimals->decided = true;
  fake_provider provider;
  fake_init(&provider, false);
  provider.refused = "igh";
  several.session = fake_open(&provider.base, NULL);
  one.session = fake_open(&provider.base, NULL);
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_buffer text;
  ee_buffer_init(&text);
  size_t ties = 0, later = 0, failed = 0, forgotten = 0;
  for (size_t round = 0; round < 3000; round++) {
    ee_arena_reset(&arena, 0);
    several.detail = one.detail = round % 2 == 0 ? EE_DETAIL_FULL : EE_DETAIL_MISSES;
    char *candidate = NULL, *documents[MOST];
    if (test_random_below(&random, 30) > 0) {
      ee_buffer_clear(&text);
      add_document(&text, &random);
      candidate = ee_arena_printf(&arena, "%.*s", (int)text.length, text.data);
    }
    size_t count = 1 + test_random_below(&random, MOST), best = 0;
    double best_score = -1;
    uint64_t failures = 0, own_failures = 0;
    char *best_said = NULL;
    for (size_t i = 0; i < count; i++) {
      ee_buffer_clear(&text);
      if (candidate != NULL && test_random_below(&random, 20) == 0)
        ee_buffer_add_text(&text, candidate);
      else if (i > 0 && test_random_below(&random, 5) == 0)
        ee_buffer_add_text(&text, documents[i - 1]);
      else
        add_document(&text, &random);
      documents[i] = ee_arena_printf(&arena, "%.*s", (int)text.length, text.data);
      fixture_judge_case(&one, documents[i], candidate);
      assert_false(one.result.has_alternatives);
      failures += one.result.provider_failures;
      one.rule_errors.count = 0;
      double score = one.result.unscored ? -0.5 : one.result.score;
      ties += i > 0 && score == best_score;
      if (score <= best_score) continue;
      best_score = score;
      best = i;
      own_failures = one.result.provider_failures;
      best_said = say(&one.result, &arena);
    }
    later += best > 0;
    failed += failures > 0;
    forgotten += best_score >= 1 && failures > own_failures;
    ee_buffer_clear(&text);
    bool object = test_random_below(&random, 2) == 0;
    ee_buffer_add_text(&text, object ? "{\"anyOf\":[" : "[");
    for (size_t i = 0; i < count; i++) ee_buffer_addf(&text, "%s%s", i > 0 ? "," : "", documents[i]);
    ee_buffer_add_text(&text, object ? "]}" : "]");
    several.rule_errors.count = 0;
    fixture_judge_case(&several, ee_buffer_terminate(&text), candidate);
    const ee_case_result *result = &several.result;
    if (!result->has_alternatives || result->alternative != best)
      fail_msg("%s | %s: %d, not %d", ee_buffer_terminate(&text), candidate, (int)result->alternative, (int)best);
    assert_string_equal(say(result, &arena), best_said);
    assert_true(result->expected_hash == ee_value_hash(several.current.expected));
    /* With full score only its own errors. */
    assert_int_equal(result->provider_failures, best_score >= 1 ? own_failures : failures);
    assert_int_equal(several.rule_errors.count, result->provider_failures);
    assert_int_equal(result->given_up + result->rule_errors, 0);
    assert_ptr_equal(several.context.current, result->source);
  }
  assert_true(ties > 100 && later > 1000 && failed > 100 && forgotten >= least_forgotten);
  fake_close(several.session);
  fake_close(one.session);
  ee_buffer_fini(&text);
  ee_arena_fini(&arena);
  fixture_close(&several);
  fixture_close(&one);
  fake_fini(&provider);
}

static void test_best_of_random_documents(void **state) {
  (void)state;
  check_best(RULES("", WITH_QUALITY), RULES(OPTION, WITH_QUALITY), 0);
  check_best(RULES("", WITH_SEMANTIC), RULES(OPTION, WITH_SEMANTIC), 20);
}

/* By hand -------------------------------------------------------------------------------------- */

#define EXACT(option)                                                                                                  \
  "{\"ee\":\"rules\"" option ",\"items\":[{\"ee\":\"fields\",\"items\":[{\"ee\":\"exact\",\"items\":[\"a\"]}]}]}"

static void test_what_is_several(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  static const struct {
    const char *expected;
    int alternative; /* -1: the expected value is one document */
    double score;
  } cases[] = {
      {"[{\"a\":1},{\"a\":2}]", 1, 1},
      {"{\"anyOf\":[{\"a\":1},{\"a\":2},{\"a\":2}]}", 1, 1},
      {"[{\"a\":2}]", 0, 1},
      {"[{\"a\":3},{\"a\":4}]", 0, 0},
      {"{\"a\":2}", -1, 1},
      {"{\"a\":2,\"anyOf\":[{\"a\":1}]}", -1, 1},
      {"[]", -1, 0},
      {"{\"anyOf\":[]}", -1, 0},
      {"[\"{\\\"a\\\":2}\"]", 0, 1},
      {"[7,{\"a\":2}]", 1, 1},
      {"[[{\"a\":2}],{\"a\":1}]", 0, 0},
      {"[{\"anyOf\":[{\"a\":2}]},{\"a\":1}]", 0, 0},
  };
  fixture_rules(&f, EXACT(",\"alternatives\":true"));
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fixture_judge_case(&f, cases[i].expected, "{\"a\":2}");
    if (f.result.score != cases[i].score || f.result.has_alternatives != (cases[i].alternative >= 0) ||
        (f.result.has_alternatives && (int)f.result.alternative != cases[i].alternative))
      fail_msg("%s: %d %g", cases[i].expected, (int)f.result.alternative, f.result.score);
  }
  /* Without the option they are no documents. */
  fixture_judge_rules(&f, EXACT(""), "[{\"a\":1},{\"a\":2}]", "{\"a\":2}");
  assert_false(f.result.has_alternatives);
  assert_true(f.result.score == 0);
  fixture_close(&f);
}

static ee_status raise_or_compare(const ee_value *expected, const ee_value *candidate, ee_script_score *result,
                                  ee_error *error) {
  if (ee_type_of(expected) == EE_STRING) return ee_error_at(error, EE_ERROR_RULES, "rules.lua", 3, 0, "raised");
  result->score = ee_value_number(expected) == ee_value_number(candidate);
  return EE_OK;
}

/* Errors of other documents count unless the best has the full score. */
static void test_errors_of_the_others(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  f.script.strategy = raise_or_compare;
  fixture_rules(&f,
                "{\"ee\":\"rules\",\"alternatives\":true,\"items\":[{\"ee\":\"fields\",\"items\":[{\"ee\":\"custom\","
                "\"items\":[\"a\",{\"function\":0}]}]}]}");
  static const struct {
    const char *expected;
    uint64_t errors;
    size_t alternative;
  } cases[] = {
      {"[{\"a\":\"x\"},{\"a\":2},{\"a\":\"x\"}]", 0, 1},
      {"[{\"a\":\"x\"},{\"a\":\"y\"}]", 2, 0},
      {"[{\"a\":3},{\"a\":\"x\"}]", 1, 0},
      {"[{\"a\":3},{\"a\":4}]", 0, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    f.rule_errors.count = 0;
    fixture_judge_case(&f, cases[i].expected, "{\"a\":2}");
    assert_int_equal(f.result.rule_errors, cases[i].errors);
    assert_int_equal(f.context.rule_error_count, cases[i].errors);
    assert_int_equal(f.rule_errors.count, cases[i].errors);
    assert_int_equal(f.result.alternative, cases[i].alternative);
  }
  fixture_close(&f);
}

static ee_status raise_text(const ee_value *expected, const ee_value *candidate, ee_script_score *result,
                            ee_error *error) {
  (void)candidate, (void)result;
  return ee_error_at(error, EE_ERROR_RULES, "rules.lua", 3, 0, "raised %s", expected->json.valuestring);
}

/* Of the messages those of the document with the full score are kept, after what was there before the case. */
static void test_messages_of_the_best(void **state) {
  (void)state;
  static const struct {
    const char *expected, *messages;
  } rows[] = {
      {"[{\"a\":3,\"b\":\"one\"},{\"a\":4,\"b\":\"two\"},{\"a\":2,\"b\":\"three\"},{\"a\":2,\"b\":\"four\"}]",
       "before; raised three (case 'inv-001'); "},
      {"[{\"a\":2,\"b\":\"one\"},{\"a\":2,\"b\":\"two\"}]", "before; raised one (case 'inv-001'); "},
      {"[{\"a\":3,\"b\":\"one\"},{\"a\":2}]", "before; "},
      {"[{\"a\":3,\"b\":\"one\"},{\"a\":4,\"b\":\"two\"}]",
       "before; raised one (case 'inv-001'); raised two (case 'inv-001'); "},
  };
  fixture f;
  fixture_open(&f);
  f.script.strategy = raise_text;
  fixture_rules(&f,
                "{\"ee\":\"rules\",\"alternatives\":true,\"items\":[{\"ee\":\"fields\",\"items\":[{\"ee\":\"exact\","
                "\"items\":[\"a\"]}]},{\"ee\":\"fields\",\"name\":\"w\",\"weight\":0,\"items\":[{\"ee\":\"custom\","
                "\"items\":[\"b\",{\"function\":0}]}]}]}");
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    f.rule_errors.count = 0;
    ee_error_list_addf(&f.rule_errors, EE_ERROR_RULES, "x", 1, "before");
    fixture_judge_case(&f, rows[i].expected, "{\"a\":2,\"b\":1}");
    ee_buffer_clear(&f.text);
    for (size_t k = 0; k < f.rule_errors.count; k++) ee_buffer_addf(&f.text, "%s; ", f.rule_errors.items[k].message);
    assert_string_equal(ee_buffer_terminate(&f.text), rows[i].messages);
  }
  fixture_close(&f);
}

/* Requests of all documents are sent together, and answered before one is chosen. */
static void test_answers_of_a_provider(void **state) {
  (void)state;
  for (int remote = 0; remote < 2; remote++) {
    fake_provider provider;
    fake_init(&provider, remote == 1);
    fixture f;
    fixture_open(&f);
    f.session = fake_open(&provider.base, NULL);
    fixture_rules(&f, "{\"ee\":\"rules\",\"alternatives\":true,\"items\":[{\"ee\":\"fields\",\"items\":[{\"ee\":"
                      "\"semantic\",\"threshold\":0.9,\"items\":[\"a\"]}]}]}");
    fixture_judge_case(&f, "[{\"a\":\"abcx\"},{\"a\":\"abcdefghij\"},{\"a\":\"abcdefghik\"}]",
                       "{\"a\":\"abcdefghil\"}");
    assert_int_equal(f.result.alternative, 1);
    assert_true(f.result.score == 1);
    if (remote) assert_int_equal(provider.asked, 3);
    if (remote) assert_int_equal(provider.asks, 1);
    /* Without an answer to one of them a better score would be possible. */
    provider.refused = "zz";
    fixture_judge_case(&f, "[{\"a\":\"zz\"},{\"a\":\"bc\"}]", "{\"a\":\"abcd\"}");
    assert_int_equal(f.result.provider_failures, 1);
    fixture_judge_case(&f, "[{\"a\":\"zz\"},{\"a\":\"abcde\"}]", "{\"a\":\"abcde\"}");
    assert_int_equal(f.result.provider_failures, 0);
    assert_int_equal(f.result.alternative, 1);
    fake_close(f.session);
    fixture_close(&f);
    fake_fini(&provider);
  }
}

static void test_bounds(void **state) {
  (void)state;
  ee_limits limits = EE_LIMITS_DEFAULT;
  limits.items = 3;
  ee_limits_set(&limits);
  fixture f;
  fixture_open(&f);
  fixture_rules(&f, EXACT(",\"alternatives\":true"));
  fixture_judge_case(&f, "[{\"a\":2},{\"a\":1},{\"a\":1}]", "{\"a\":2}");
  assert_int_equal(f.result.given_up, 0);
  fixture_judge_case(&f, "[{\"a\":2},{\"a\":1},{\"a\":1},{\"a\":1}]", "{\"a\":2}");
  assert_true(f.result.score == 0);
  assert_int_equal(f.result.given_up, 1);
  assert_misses(&f, f.result.judges, "fields (4 accepted documents, more than 3 (--max-items))");
  /* The next case has no such bound. */
  fixture_judge_case(&f, "{\"a\":2}", "{\"a\":2}");
  assert_true(f.result.score == 1);
  fixture_close(&f);
  ee_limits_set(NULL);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_best_of_random_documents), cmocka_unit_test(test_what_is_several),
             cmocka_unit_test(test_errors_of_the_others), cmocka_unit_test(test_messages_of_the_best),
             cmocka_unit_test(test_answers_of_a_provider), cmocka_unit_test(test_bounds));
