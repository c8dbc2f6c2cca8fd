/* Every rule of ee.quality on small cases that were worked out by hand. */
#include "judge/quality/quality_view.h"

/* The worked example --------------------------------------------------------------------------- */

#define WORKED_EXPECTED                                                                                                \
  "{\"name\":\"John Smith\",\"email\":\"john@example.com\","                                                           \
  "\"bio\":\"Senior engineer with 10 years of experience...\",\"internal_id\":null,\"status\":\"active\"}"
#define WORKED_CANDIDATE                                                                                               \
  "{\"name\":\"John Smyth\",\"email\":\"john@example.com\","                                                           \
  "\"bio\":\"Experienced senior engineer, 10+ years...\",\"internal_id\":\"abc123\",\"extra_field\":\"surprise\"}"

static void test_worked_example(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  fixed_session session = make_session(0.9);
  f.session = &session.session;
  quality_rules(&f, "\"strategies\":{\"name\":\"FUZZY\",\"bio\":\"SEMANTIC\"}");
  const ee_judge_result *result = fixture_judge_case(&f, WORKED_EXPECTED, WORKED_CANDIDATE);
  assert_true(result->score == 0.7375);
  assert_parts(&f, result, "0.7375 1 0.75 1 0.333333");
  assert_keys(&f, result,
              "name both FUZZY(config) 0.9; email both EXACT(email) 1; bio both SEMANTIC(config) 0.9; internal_id "
              "unexpected; status missing SEMANTIC(text); extra_field extra");
  assert_hits(&f, result, "name; email; bio");
  assert_misses(&f, result, "internal_id (nothing expected); status (missing); extra_field (nothing expected)");
  assert_string_equal(
      fixture_attributes(&f, result),
      "name* 1 0 0 0; email* 1 0 0 0; bio* 1 0 0 0; internal_id* 0 0 1 0; status* 0 0 0 1; extra_field* 0 "
      "0 1 0");
  assert_reasoning(result, "3/3 keys matched, 1 missing, 2 unexpected");
  const ee_quality_result *quality = result->details;
  assert_int_equal(quality->counts[EE_QUALITY_BOTH], 3);
  assert_int_equal(quality->counts[EE_QUALITY_MISSING], 1);
  assert_int_equal(quality->counts[EE_QUALITY_UNEXPECTED], 1);
  assert_int_equal(quality->counts[EE_QUALITY_EXTRA], 1);
  assert_int_equal(quality->counts[EE_QUALITY_NEITHER], 0);
  assert_int_equal(quality->distinct_keys, 6);
  assert_int_equal(quality->compared, 3);
  assert_true(quality->score_sum == 3);
  assert_true(quality->maximum == 0 && !quality->by_formula);
  assert_string_equal(session.last,
                      "Senior engineer with 10 years of experience...|Experienced senior engineer, 10+ years...");
  assert_int_equal(session.asked, 1);
  fixture_close(&f);
}

/* The same as rows have it. */
static void test_written_details(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  fixed_session session = make_session(0.75);
  f.session = &session.session;
  quality_rules(&f, "\"strategies\":{\"name\":\"FUZZY\",\"bio\":\"SEMANTIC\",\"extra_field\":\"IGNORE\"}");
  const ee_judge_result *result = fixture_judge_case(&f, WORKED_EXPECTED, WORKED_CANDIDATE);
  ee_buffer_clear(&f.text);
  fixture_write_details(result, &f.text);
  assert_string_equal(
      ee_buffer_terminate(&f.text),
      "{\"metrics\":{\"name\":{\"tp\":1,\"tn\":0,\"fp\":0,\"fn\":0,\"precision\":1,\"recall\":1,\"f1\":1},"
      "\"email\":{\"tp\":1,\"tn\":0,\"fp\":0,\"fn\":0,\"precision\":1,\"recall\":1,\"f1\":1},"
      "\"bio\":{\"tp\":0,\"tn\":0,\"fp\":1,\"fn\":1,\"incorrect\":1,\"precision\":0,\"recall\":0,\"f1\":0},"
      "\"internal_id\":{\"tp\":0,\"tn\":0,\"fp\":1,\"fn\":0,\"spurious\":1,\"precision\":0,\"f1\":0},"
      "\"status\":{\"tp\":0,\"tn\":0,\"fp\":0,\"fn\":1,\"recall\":0,\"f1\":0}},"
      "\"rqs\":0.5875,\"accuracy\":0.6666666666666666,\"completeness\":0.75,\"safety\":1,\"hallucination\":0."
      "3333333333333333,"
      "\"weights\":{\"accuracy\":0.45,\"completeness\":0.25,\"safety\":0.15,\"hallucination\":0.15},"
      "\"counts\":{\"both_non_null\":3,\"aio_missing_or_null\":1,\"gt_non_null\":4,\"gt_null_aio_has_value\":1,\"extra_"
      "keys\":1,\"distinct_keys\":6,\"compared\":3},"
      "\"buckets\":{\"both_non_null\":[\"name\",\"email\",\"bio\"],\"aio_missing_or_null\":[\"status\"],\"gt_null_aio_"
      "has_value\":[\"internal_id\"],\"extra_keys\":[\"extra_field\"],\"ignored\":[\"extra_field\"]},"
      "\"fields\":[{\"path\":\"name\",\"strategy\":\"FUZZY\",\"why\":\"config\",\"similarity\":0.9,\"score\":1},{"
      "\"path\":\"email\",\"strategy\":\"EXACT\",\"why\":\"email\",\"similarity\":1,\"score\":1},{\"path\":\"bio\","
      "\"strategy\":\"SEMANTIC\",\"why\":\"config\",\"similarity\":0.75,\"score\":0,\"reason\":\"similarity 0.75 below "
      "0.8\"}],"
      "\"mismatches\":[{\"path\":\"bio\",\"expected\":\"Senior engineer with 10 years of "
      "experience...\",\"candidate\":\"Experienced senior engineer, 10+ years...\",\"score\":0,\"reason\":\"similarity "
      "0.75 below "
      "0.8\",\"class\":\"incorrect\"},{\"path\":\"internal_id\",\"expected\":null,\"candidate\":\"abc123\",\"score\":0,"
      "\"reason\":\"nothing "
      "expected\",\"class\":\"spurious\"},{\"path\":\"status\",\"expected\":\"active\",\"score\":0,\"reason\":"
      "\"missing\",\"class\":\"missing\"}]}");
  fixture_close(&f);
}

/* Lists are cut after 50 paths, and the details say so. */
static void test_cut_details(void **state) {
  (void)state;
  static const struct {
    const char *expected, *candidate, *list;
  } sides[] = {{"1", "2", "fields"},
               {"1", "1", "fields"},
               {"1", "null", "aio_missing_or_null"},
               {"null", "2", "gt_null_aio_has_value"}};
  for (int count = 50; count <= 51; count++) {
    for (size_t i = 0; i < 4; i++) {
      fixture f;
      fixture_open(&f);
      quality_rules(&f, "");
      ee_buffer texts[2] = {{0}, {0}};
      for (size_t side = 0; side < 2; side++) {
        for (int k = 0; k < count; k++)
          ee_buffer_addf(&texts[side], "%s\"k%d\":%s", k > 0 ? "," : "{", k,
                         side == 0 ? sides[i].expected : sides[i].candidate);
        ee_buffer_add_char(&texts[side], '}');
      }
      const ee_judge_result *result =
          fixture_judge_case(&f, ee_buffer_terminate(&texts[0]), ee_buffer_terminate(&texts[1]));
      const ee_value *details = fixture_details(result, &f.case_arena);
      const ee_value *buckets = ee_value_member(details, EE_STR("buckets"), NULL);
      const ee_value *list = ee_value_member(i < 2 ? details : buckets, ee_str_from(sides[i].list), NULL);
      assert_int_equal(ee_value_count(list), 50);
      bool cut = ee_value_member(details, EE_STR("truncated"), NULL) != NULL;
      assert_true(cut == (count > 50));
      for (size_t side = 0; side < 2; side++) ee_buffer_fini(&texts[side]);
      fixture_close(&f);
    }
  }
}

/* Only an array or object against another type is called a type mismatch: scalars are compared as texts. */
static void test_types(void **state) {
  (void)state;
  static const struct {
    const char *expected, *candidate, *misses;
  } rows[] = {
      {"1", "\"2\"", "k (value mismatch)"},
      {"1", "\"1\"", ""},
      {"true", "0", "k (value mismatch)"},
      {"[1]", "1", "k (type mismatch: got number, expected array)"},
      {"1", "{\"a\":1}", "k (type mismatch: got object, expected number)"},
      {"[1]", "{\"a\":1}", "k (type mismatch: got object, expected array)"},
      {"[1]", "[2]", "k (value mismatch)"},
      {"{\"a\":1}", "{\"a\":2}", "k (value mismatch)"},
  };
  fixture f;
  fixture_open(&f);
  quality_rules(&f, "\"strategies\":{\"k\":\"EXACT\"}");
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char texts[2][64];
    snprintf(texts[0], sizeof texts[0], "{\"k\":%s}", rows[i].expected);
    snprintf(texts[1], sizeof texts[1], "{\"k\":%s}", rows[i].candidate);
    assert_misses(&f, fixture_judge_case(&f, texts[0], texts[1]), rows[i].misses);
  }
  fixture_close(&f);
}

/* What was cut is said of each list: that of ignored keys, too, when those of compared keys are whole. One key more is
 * compared. */
static void test_cut_ignored(void **state) {
  (void)state;
  for (int count = 49; count <= 50; count++) {
    fixture f;
    fixture_open(&f);
    ee_buffer text = {0}, rules = {0};
    ee_buffer_add_text(&rules, "\"strategies\":{");
    ee_buffer_add_text(&text, "{\"a\":1");
    for (int k = 0; k < count; k++) {
      ee_buffer_addf(&text, ",\"k%d\":1", k);
      ee_buffer_addf(&rules, "%s\"k%d\":\"IGNORE\"", k > 0 ? "," : "", k);
    }
    ee_buffer_add_char(&text, '}');
    ee_buffer_add_char(&rules, '}');
    quality_rules(&f, ee_buffer_terminate(&rules));
    const ee_judge_result *result = fixture_judge_case(&f, ee_buffer_terminate(&text), text.data);
    const ee_value *details = fixture_details(result, &f.case_arena);
    assert_int_equal(ee_value_count(ee_value_member(details, EE_STR("fields"), NULL)), 1);
    assert_true((ee_value_member(details, EE_STR("truncated"), NULL) != NULL) == (count == 50));
    ee_buffer_fini(&text);
    ee_buffer_fini(&rules);
    fixture_close(&f);
  }
}

/* In full detail EXACT shows the texts that it compares, where they are not the values themselves. */
static void test_exact_explained(void **state) {
  (void)state;
  static const struct {
    const char *expected, *candidate, *shown[2]; /* NULL: nothing besides the value */
  } rows[] = {
      {"\"a\"", "\"b\"", {NULL, NULL}},
      {"7", "\"7\"", {"\"7\"", NULL}},
      {"true", "false", {"\"true\"", "\"false\""}},
      {"\" a\"", "\"a\"", {"\"a\"", NULL}},
      {"[1]", "[2]", {NULL, NULL}},
      {"{\"a\":1}", "\"{\\\"a\\\":1}\"", {NULL, NULL}},
      {"[1]", "3", {NULL, "\"3\""}},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    fixture f;
    fixture_open(&f);
    f.detail = EE_DETAIL_FULL;
    ee_buffer texts[2] = {{0}, {0}};
    quality_rules(&f, "\"strategies\":{\"k\":\"EXACT\"}");
    ee_buffer_addf(&texts[0], "{\"k\":%s}", rows[i].expected);
    ee_buffer_addf(&texts[1], "{\"k\":%s}", rows[i].candidate);
    const ee_judge_result *result =
        fixture_judge_case(&f, ee_buffer_terminate(&texts[0]), ee_buffer_terminate(&texts[1]));
    assert_int_equal(result->outcome_count, 1);
    const ee_explanation *how = &result->outcomes[0].how;
    const ee_value *const shown[2] = {how->expected, how->candidate};
    for (size_t side = 0; side < 2; side++) {
      ee_buffer_clear(&f.text);
      if (shown[side] != NULL) ee_json_write_value(&f.text, shown[side]);
      assert_string_equal(ee_buffer_terminate(&f.text), rows[i].shown[side] != NULL ? rows[i].shown[side] : "");
      ee_buffer_fini(&texts[side]);
    }
    fixture_close(&f);
  }
}

/* The keys that a test of a rule file sees. */
static void test_listed_keys(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  quality_rules(&f, "\"strategies\":{\"a\":\"FUZZY\",\"d\":\"IGNORE\"}");
  const ee_judge_result *result =
      fixture_judge_case(&f, "{\"a\":\"xxxx\",\"b\":1,\"c\":null,\"d\":1}", "{\"a\":\"xxxy\",\"d\":1,\"e\":2}");
  size_t count = 99;
  const ee_judged_key *keys = result->judge->type->list_keys(result, &f.case_arena, &count);
  ee_buffer_clear(&f.text);
  for (size_t i = 0; i < count; i++) {
    ee_buffer_addf(&f.text, "%.*s %s %s(%s) %d", EE_STR_ARG(keys[i].path), keys[i].bucket, keys[i].strategy,
                   keys[i].why, keys[i].compared);
    if (keys[i].compared) ee_buffer_addf(&f.text, " %g %g", keys[i].score, keys[i].similarity);
    ee_buffer_add_text(&f.text, "; ");
  }
  assert_string_equal(
      ee_buffer_terminate(&f.text),
      "a both_non_null FUZZY(config) 1 0 0.75; b aio_missing_or_null EXACT(number) 0; c neither () 0; d "
      "both_non_null IGNORE(config) 0; e extra_keys () 0; ");
  /* There are none where nothing was judged. */
  result = fixture_judge_case(&f, "7", "{}");
  count = 99;
  result->judge->type->list_keys(result, &f.case_arena, &count);
  assert_int_equal(count, 0);
  fixture_close(&f);
}

/* Figures that the documentation promises. */
static void test_default_weights(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  quality_rules(&f, "");
  assert_true(fixture_judge_case(&f, "{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1}")->score == 0.85);
  assert_true(fixture_judge_case(&f, "{\"a\":1,\"b\":2}", "{}")->score == 0.6);
  assert_true(fixture_judge_case(&f, "{}", "{}")->score == 0.85);
  /* A wrong value costs more than a missing one. */
  double wrong = fixture_judge_case(&f, "{\"a\":1}", "{\"a\":2}")->score;
  double dropped = fixture_judge_case(&f, "{\"a\":1}", "{}")->score;
  assert_true(wrong == 0.4 && dropped == 0.6);
  fixture_close(&f);
}

/* Buckets -------------------------------------------------------------------------------------- */

static void test_buckets(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  quality_rules(&f, "");
  const ee_judge_result *result = fixture_judge_case(
      &f,
      "{\"both\":1,\"gone\":1,\"nulled\":1,\"blank\":true,\"none\":null,\"empty\":\" \",\"invented\":"
      "null,\"invented2\":\"\",\"list\":[],\"zero\":0}",
      "{\"zero\":0,\"list\":[],\"both\":1,\"nulled\":null,\"blank\":\"\\u00a0\",\"invented\":0,"
      "\"invented2\":[],\"empty\":null,\"x\":1,\"y\":null}");
  assert_keys(&f, result,
              "both both EXACT(number) 1; gone missing EXACT(number); nulled missing EXACT(number); blank missing "
              "EXACT(boolean); none neither; empty neither; invented unexpected; invented2 unexpected; list both "
              "EXACT(list) 1; zero both EXACT(number) 1; x extra; y extra");
  assert_parts(&f, result, "0.675 1 0.5 1 0.333333");
  assert_misses(&f, result,
                "gone (missing); nulled (missing); blank (missing); invented (nothing expected); invented2 (nothing "
                "expected); x (nothing expected); y (nothing expected)");
  /* An extra key without a value is no invented value. */
  assert_string_equal(fixture_attributes(&f, result),
                      "both* 1 0 0 0; gone* 0 0 0 1; nulled* 0 0 0 1; blank* 0 0 0 1; none* 0 1 0 0; empty* 0 1 0 0; "
                      "invented* 0 0 1 0; invented2* 0 0 1 0; list* 1 0 0 0; zero* 1 0 0 0; x* 0 0 1 0");
  assert_int_equal(result->attributes[0].slot, -1);
  assert_string_equal(
      fixture_mismatches(&f, result),
      "gone 1 null 0; nulled 1 null 0; blank true \"\xc2\xa0\" 0; invented null 0 0; invented2 \"\" [] 0; "
      "x null 1 0; y null null 0");
  fixture_close(&f);
}

static void test_empty_rules(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  fixture_rules(
      &f, "{\"ee\":\"rules\",\"null_values\":[\"N/A\"],\"empty\":\"containers\",\"items\":[{\"ee\":\"quality\"}]}");
  const ee_judge_result *result =
      fixture_judge_case(&f, "{\"a\":\" N/A \",\"b\":\"N/A\",\"c\":1,\"d\":[],\"e\":{},\"f\":[1],\"g\":\"n/a\"}",
                         "{\"a\":null,\"b\":1,\"c\":\"N/A\",\"d\":{},\"e\":[1],\"f\":[],\"g\":\"N/A\",\"h\":{}}");
  assert_keys(
      &f, result,
      "a neither; b unexpected; c missing EXACT(number); d neither; e unexpected; f missing EXACT(list); g missing "
      "SEMANTIC(text); h extra");
  assert_string_equal(fixture_attributes(&f, result),
                      "a* 0 1 0 0; b* 0 0 1 0; c* 0 0 0 1; d* 0 1 0 0; e* 0 0 1 0; f* 0 0 0 1; g* 0 0 0 1");
  fixture_close(&f);
}

/* A strategy of the rule language has null values of its own. */
static void test_own_null_values(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  quality_rules(&f, "\"strategies\":{\"a\":{\"ee\":\"exact\",\"null_values\":[\"?\"]}}");
  assert_keys(&f, fixture_judge_case(&f, "{\"a\":\"?\",\"b\":1}", "{\"b\":1}"),
              "a neither exact(config); b both EXACT(number) 1");
  fixture_close(&f);
}

/* Which strategy ------------------------------------------------------------------------------- */

static void test_automatic(void **state) {
  (void)state;
  static const struct {
    const char *json, *why;
    ee_quality_kind kind;
  } cases[] = {
      {"1", "number", EE_QUALITY_EXACT},
      {"\"007\"", "number", EE_QUALITY_EXACT},
      {"\" 12.50 \"", "number", EE_QUALITY_EXACT},
      {"\"1e3\"", "number", EE_QUALITY_EXACT},
      {"\"-4\"", "number", EE_QUALITY_EXACT},
      {"\"12 monkeys\"", "text", EE_QUALITY_SEMANTIC},
      {"true", "boolean", EE_QUALITY_EXACT},
      {"false", "boolean", EE_QUALITY_EXACT},
      {"\"True\"", "boolean", EE_QUALITY_EXACT},
      {"\" FALSE \"", "boolean", EE_QUALITY_EXACT},
      {"\"truer\"", "text", EE_QUALITY_SEMANTIC},
      {"\"yes\"", "text", EE_QUALITY_SEMANTIC},
      {"\"2025-01-15\"", "date", EE_QUALITY_EXACT},
      {"\"15-JAN-2025\"", "date", EE_QUALITY_EXACT},
      {"\"2025-02-30\"", "text", EE_QUALITY_SEMANTIC},
      {"\"03/04/2025\"", "text", EE_QUALITY_SEMANTIC},
      {"\"a@b.c\"", "email", EE_QUALITY_EXACT},
      {"\" john.smith@mail.example.com \"", "email", EE_QUALITY_EXACT},
      {"\"@b.c\"", "text", EE_QUALITY_SEMANTIC},
      {"\"a@b@c.d\"", "text", EE_QUALITY_SEMANTIC},
      {"\"a@bc\"", "text", EE_QUALITY_SEMANTIC},
      {"\"a@.b\"", "text", EE_QUALITY_SEMANTIC},
      {"\"a@b.\"", "text", EE_QUALITY_SEMANTIC},
      {"\"a@.b.\"", "text", EE_QUALITY_SEMANTIC},
      {"\"a@.b.c\"", "email", EE_QUALITY_EXACT},
      {"\"a b@c.d\"", "text", EE_QUALITY_SEMANTIC},
      {"\"a\\u2003b@c.d\"", "text", EE_QUALITY_SEMANTIC},
      {"\"a@\"", "text", EE_QUALITY_SEMANTIC},
      {"[]", "list", EE_QUALITY_EXACT},
      {"[1]", "list", EE_QUALITY_EXACT},
      {"{\"a\":1}", "object", EE_QUALITY_EXACT},
      {"\"whatever\"", "text", EE_QUALITY_SEMANTIC},
      {"\"Łódź\"", "text", EE_QUALITY_SEMANTIC},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fixture f;
    fixture_open(&f);
    fixed_session session = make_session(1);
    f.session = &session.session;
    quality_rules(&f, "");
    char expected[200];
    snprintf(expected, sizeof expected, "{\"k\":%s}", cases[i].json);
    const ee_quality_result *result = fixture_judge_case(&f, expected, "{}")->details;
    const ee_quality_key *key = &result->keys[0];
    if (strcmp(key->strategy, ee_quality_kind_names[cases[i].kind]) != 0 || strcmp(key->why, cases[i].why) != 0)
      fail_msg("%s: %s, %s", cases[i].json, key->strategy, key->why);
    fixture_close(&f);
  }
}

/* Values of any type under FUZZY and SEMANTIC become texts; the threshold is inclusive. */
static void test_thresholds(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  fixed_session session = make_session(0.8);
  f.session = &session.session;
  quality_rules(&f, "\"strategies\":{\"a\":\"fuzzy\",\"b\":\"Semantic\"},\"fuzzy_threshold\":0.8");
  const ee_judge_result *result =
      fixture_judge_case(&f, "{\"a\":\"abcde\",\"b\":\" x\"}", "{\"a\":\"ABCDx\",\"b\":\"y\"}");
  assert_keys(&f, result, "a both FUZZY(config) 0.8; b both SEMANTIC(config) 0.8");
  assert_parts(&f, result, "0.85 1 1 1 0");
  assert_string_equal(session.last, "x|y");
  session.similarity = 0.79;
  result = fixture_judge_case(&f, "{\"a\":\"abcd\",\"b\":\"x\"}", "{\"a\":\"abcx\",\"b\":\"y\"}");
  assert_misses(&f, result, "a (similarity 0.75 below 0.8); b (similarity 0.79 below 0.8)");
  assert_parts(&f, result, "0.4 0 1 1 0");
  assert_string_equal(fixture_attributes(&f, result), "a* 0 0 1 1; b* 0 0 1 1");
  assert_int_equal(result->attributes[0].counts.wrong, 1);
  /* Texts that are equal but for the ends are not asked for. */
  session.asked = 0;
  result = fixture_judge_case(&f, "{\"a\":12345,\"b\":\" x \"}", "{\"a\":\"12345\",\"b\":\"x\"}");
  assert_keys(&f, result, "a both FUZZY(config) 1; b both SEMANTIC(config) 1");
  result = fixture_judge_case(&f, "{\"a\":12345.0,\"b\":[1,{\"c\":true,\"b\":null}]}",
                              "{\"a\":12346,\"b\":[1.0,{\"c\":true}]}");
  assert_keys(&f, result, "a both FUZZY(config) 0.8; b both SEMANTIC(config) 1");
  assert_int_equal(session.asked, 0);
  result = fixture_judge_case(&f, "{\"a\":true,\"b\":[1,{\"c\":true,\"b\":2}]}", "{\"a\":[\"true\"],\"b\":7}");
  assert_string_equal(session.last, "[1,{\"b\":2,\"c\":true}]|7");
  assert_keys(&f, result, "a both FUZZY(config) 0.5; b both SEMANTIC(config) 0.79");
  fixture_close(&f);
}

static void test_no_answer(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  fixed_session session = make_session(1);
  session.failing = true;
  f.session = &session.session;
  quality_rules(&f, "");
  const ee_judge_result *result = fixture_judge_case(&f, "{\"bio\":\"x y\",\"n\":1}", "{\"bio\":\"z\",\"n\":1}");
  assert_false(result->failed);
  assert_misses(&f, result, "bio (no answer: the line is dead)");
  assert_parts(&f, result, "0.625 0.5 1 1 0");
  assert_int_equal(f.result.provider_failures, 1);
  fixture_close(&f);
}

/* Functions ------------------------------------------------------------------------------------ */

static const ee_value *seen_expected, *seen_candidate;
static double answered;
static ee_status similar(const ee_value *expected, const ee_value *candidate, double *result, ee_error *error) {
  (void)error;
  seen_expected = expected;
  seen_candidate = candidate;
  *result = answered;
  return EE_OK;
}
static ee_status raise_similarity(const ee_value *expected, const ee_value *candidate, double *result,
                                  ee_error *error) {
  (void)expected, (void)candidate, (void)result;
  return ee_error_at(error, EE_ERROR_RULES, "rules.lua", 9, 0, "boom");
}

static void test_similarity_function(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  f.script.similarity = similar;
  quality_rules(&f, "\"strategies\":{\"a\":\"FUZZY\"},\"similarity\":{\"function\":3}");
  assert_false(f.plan->judges[0]->uses_provider);
  assert_true(f.plan->judges[0]->calls_script);
  answered = 0.85;
  const ee_judge_result *result =
      fixture_judge_case(&f, "{\"a\":5,\"b\":\"some text\",\"c\":1}", "{\"a\":6,\"b\":\" T \",\"c\":1}");
  assert_keys(&f, result, "a both FUZZY(config) 0.85; b both SEMANTIC(text) 0.85; c both EXACT(number) 1");
  assert_int_equal(f.script.calls, 2);
  assert_true(result->score == 0.85);
  /* The values come as they are. */
  assert_int_equal(ee_value_text(seen_candidate).length, 3);
  answered = 0.80;
  result = fixture_judge_case(&f, "{\"a\":5,\"b\":\"t\"}", "{\"a\":6,\"b\":\"u\"}");
  assert_misses(&f, result, "a (similarity 0.8 below 0.85)");
  assert_int_equal(ee_type_of(seen_expected), EE_STRING);
  /* Equal values are not asked about. */
  size_t calls = f.script.calls;
  assert_parts(&f, fixture_judge_case(&f, "{\"a\":5,\"b\":\"t\"}", "{\"a\":5.0,\"b\":\"t\"}"), "0.85 1 1 1 0");
  assert_int_equal(f.script.calls, calls);
  answered = 1.5;
  result = fixture_judge_case(&f, "{\"a\":5}", "{\"a\":6}");
  assert_misses(&f, result, "a (rules.lua:2: a similarity outside 0..1: 1.5)");
  assert_int_equal(f.result.rule_errors, 1);
  f.script.similarity = raise_similarity;
  result = fixture_judge_case(&f, "{\"a\":5,\"b\":1}", "{\"a\":6,\"b\":1}");
  assert_misses(&f, result, "a (rules.lua:9: boom)");
  assert_true(((const ee_quality_result *)result->details)->keys[0].comparison.failed);
  assert_false(result->failed);
  assert_parts(&f, result, "0.625 0.5 1 1 0");
  fixture_close(&f);
}

/* The arguments of the last call of a function, as "name=value ...". */
static char told[2][300];
static double combined[2];
static ee_status combine(int function, const ee_script_number *numbers, size_t count, double *result, ee_error *error) {
  (void)error;
  char *text = told[function];
  text[0] = '\0';
  for (size_t i = 0; i < count; i++) {
    size_t length = strlen(text);
    snprintf(text + length, sizeof told[0] - length, "%s=%g ", numbers[i].name, numbers[i].value);
  }
  if (combined[function] < -1) return ee_error_at(error, EE_ERROR_RULES, "rules.lua", 7, 0, "no idea");
  *result = combined[function];
  return EE_OK;
}

static void test_formula_and_safety(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  f.script.combine = combine;
  quality_rules(
      &f,
      "\"safety\":{\"function\":0},\"formula\":{\"function\":1},\"weights\":{\"safety\":0.1,\"hallucination\":0.2}");
  assert_true(f.plan->judges[0]->calls_script);
  assert_int_equal(f.plan->warning_count, 0);
  combined[0] = 0.25;
  combined[1] = 0.125;
  const ee_judge_result *result = fixture_judge_case(&f, "{\"a\":1,\"b\":2,\"c\":3}", "{\"a\":1,\"b\":3,\"d\":1}");
  assert_parts(&f, result, "0.125 0.5 0.666667 0.25 0.25");
  assert_true(((const ee_quality_result *)result->details)->by_formula);
  assert_string_equal(told[0], "accuracy=0.5 completeness=0.666667 hallucination=0.25 weight_accuracy=0.45 "
                               "weight_completeness=0.25 weight_safety=0.1 weight_hallucination=0.2 ");
  assert_string_equal(told[1], "accuracy=0.5 completeness=0.666667 hallucination=0.25 weight_accuracy=0.45 "
                               "weight_completeness=0.25 weight_safety=0.1 weight_hallucination=0.2 safety=0.25 ");
  combined[1] = -5;
  result = fixture_judge_case(&f, "{\"a\":1}", "{\"a\":1}");
  assert_true(result->failed);
  assert_parts(&f, result, "0 1 1 0.25 0");
  assert_misses(&f, result, "formula (rules.lua:7: no idea)");
  assert_hits(&f, result, "a");
  assert_int_equal(f.result.rule_errors, 1);
  combined[1] = 1.01;
  assert_misses(&f, fixture_judge_case(&f, "{\"a\":1}", "{\"a\":1}"),
                "formula (rules.lua:2: formula returned a number outside 0..1: 1.01)");
  combined[1] = 1;
  combined[0] = -5;
  told[1][0] = '\0';
  result = fixture_judge_case(&f, "{\"a\":1}", "{\"a\":1}");
  assert_parts(&f, result, "0 1 1 0 0");
  assert_misses(&f, result, "safety (rules.lua:7: no idea)");
  assert_string_equal(told[1], "");
  fixture_close(&f);
}

static void test_safety_in_weights(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  f.script.combine = combine;
  quality_rules(&f, "\"safety\":{\"function\":0}");
  combined[0] = 0;
  assert_parts(&f, fixture_judge_case(&f, "{\"a\":1}", "{\"a\":1}"), "0.7 1 1 0 0");
  fixture_close(&f);
}

/* Weights and scale ---------------------------------------------------------------------------- */

static void test_weights(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  quality_rules(&f, "\"weights\":{\"accuracy\":0,\"completeness\":0.5,\"safety\":0,\"hallucination\":2}");
  assert_parts(&f, fixture_judge_case(&f, "{\"a\":1,\"b\":1}", "{\"a\":1,\"b\":1}"), "0.5 1 1 1 0");
  /* Never below 0. */
  assert_parts(&f, fixture_judge_case(&f, "{\"a\":1}", "{\"b\":1}"), "0 1 0 1 0.5");
  fixture_close(&f);
  fixture_open(&f);
  quality_rules(&f, "\"weights\":{\"accuracy\":2}");
  /* Never above 1. */
  assert_parts(&f, fixture_judge_case(&f, "{\"a\":1}", "{\"a\":1}"), "1 1 1 1 0");
  fixture_close(&f);
}

static void test_scale(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  quality_rules(&f, "\"scale\":\"max\"");
  const ee_judge_result *result = fixture_judge_case(&f, "{\"a\":1}", "{\"a\":1}");
  assert_true(result->score == 1);
  assert_true(((const ee_quality_result *)result->details)->maximum == 0.85);
  assert_parts(&f, fixture_judge_case(&f, "{\"a\":1}", "{}"), "0.705882 1 0 1 0");
  fixture_close(&f);
  fixture_open(&f);
  quality_rules(&f, "\"scale\":\"max\",\"weights\":{\"accuracy\":2}");
  result = fixture_judge_case(&f, "{\"a\":1}", "{\"a\":2}");
  assert_true(((const ee_quality_result *)result->details)->maximum == 1);
  assert_parts(&f, result, "0.4 0 1 1 0");
  fixture_close(&f);
}

/* The formula of the score says what is cut at 0 and 1, and what it is divided by. */
static void test_formula_in_words(void **state) {
  (void)state;
  static const char *const rows[][4] = {
      {"", "{\"a\":1}", "{\"a\":1}", "0.45*1 + 0.25*1 + 0.15*1 - 0.15*0 = 0.85"},
      {"\"scale\":\"max\"", "{\"a\":1}", "{\"a\":1}", "(0.45*1 + 0.25*1 + 0.15*1 - 0.15*0)/0.85 = 1"},
      {"\"weights\":{\"accuracy\":0,\"completeness\":0.25,\"safety\":0,\"hallucination\":1}", "{\"a\":1,\"b\":1}",
       "{\"a\":1,\"c\":1,\"d\":1}", "min(1, max(0, 0*1 + 0.25*0.5 + 0*1 - 1*0.5)) = 0"},
      {"\"weights\":{\"accuracy\":2,\"completeness\":0,\"safety\":0,\"hallucination\":0}", "{\"a\":1}", "{\"a\":1}",
       "min(1, max(0, 2*1 + 0*1 + 0*1 - 0*0)) = 1"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    fixture f;
    fixture_open(&f);
    f.detail = EE_DETAIL_FULL;
    quality_rules(&f, rows[i][0]);
    const ee_judge_result *result = fixture_judge_case(&f, rows[i][1], rows[i][2]);
    char text[256];
    snprintf(text, sizeof text, "%.*s", EE_STR_ARG(result->formula));
    assert_string_equal(text, rows[i][3]);
    fixture_close(&f);
  }
}

/* IGNORE --------------------------------------------------------------------------------------- */

#define IGNORED                                                                                                        \
  "\"strategies\":{\"a\":\"IGNORE\",\"b\":\"ignore\",\"c\":{\"ee\":\"ignore\"},\"d\":\"IGNORE\",\"n\":\"IGNORE\"}"
#define IGNORED_EXPECTED "{\"a\":1,\"b\":2,\"c\":null,\"k\":4,\"n\":null}"
#define IGNORED_CANDIDATE "{\"a\":9,\"c\":1,\"d\":7,\"k\":4}"

static void test_ignore_accuracy(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  quality_rules(&f, IGNORED);
  const ee_judge_result *result = fixture_judge_case(&f, IGNORED_EXPECTED, IGNORED_CANDIDATE);
  assert_keys(&f, result,
              "a both IGNORE(config) ignored; b missing IGNORE(config) ignored; c unexpected IGNORE(config) ignored; k "
              "both EXACT(number) 1; n neither IGNORE(config) ignored; d extra IGNORE(config) ignored");
  assert_parts(&f, result, "0.716667 1 0.666667 1 0.333333");
  assert_string_equal(fixture_attributes(&f, result), "k* 1 0 0 0");
  assert_hits(&f, result, "k");
  assert_misses(&f, result, "");
  assert_int_equal(((const ee_quality_result *)result->details)->distinct_keys, 6);
  fixture_close(&f);
}

static void test_ignore_everywhere(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  quality_rules(&f, "\"ignore\":\"everywhere\"," IGNORED);
  const ee_judge_result *result = fixture_judge_case(&f, IGNORED_EXPECTED, IGNORED_CANDIDATE);
  assert_parts(&f, result, "0.85 1 1 1 0");
  assert_int_equal(((const ee_quality_result *)result->details)->distinct_keys, 1);
  assert_int_equal(((const ee_quality_result *)result->details)->key_count, 6);
  assert_int_equal(((const ee_quality_result *)result->details)->counts[EE_QUALITY_BOTH], 1);
  assert_int_equal(((const ee_quality_result *)result->details)->counts[EE_QUALITY_EXTRA], 0);
  assert_misses(&f, result, "");
  assert_string_equal(fixture_attributes(&f, result), "k* 1 0 0 0");
  /* Nothing is left: as when nothing is expected. */
  assert_parts(&f, fixture_judge_case(&f, "{\"a\":1}", "{\"d\":1}"), "0.85 1 1 1 0");
  fixture_close(&f);
}

/* A strategy of the rule language scores as it does, with the values as they are. */
static ee_status half(const ee_value *expected, const ee_value *candidate, ee_script_score *result, ee_error *error) {
  (void)candidate, (void)error;
  assert_int_equal(ee_type_of(expected), EE_NUMBER);
  *result = (ee_script_score){.score = 0.25, .reason = EE_STR("so so")};
  return EE_OK;
}

static void test_strategy_nodes(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  f.script.strategy = half;
  quality_rules(&f, "\"strategies\":{\"a\":{\"ee\":\"custom\",\"items\":[{\"function\":1}],\"line\":5},"
                    "\"b\":{\"ee\":\"numeric\",\"tolerance\":0.5},\"c\":{\"ee\":\"exact\"}}");
  assert_true(f.plan->judges[0]->calls_script);
  const ee_judge_result *result =
      fixture_judge_case(&f, "{\"a\":1,\"b\":10,\"c\":\"A\"}", "{\"a\":2,\"b\":\"10.5\",\"c\":\"a\"}");
  assert_misses(&f, result, "a (so so); c (value mismatch)");
  assert_hits(&f, result, "b");
  assert_true(((const ee_quality_result *)result->details)->score_sum == 1.25);
  assert_true(((const ee_quality_result *)result->details)->parts[EE_QUALITY_ACCURACY] == 1.25 / 3);
  assert_string_equal(((const ee_quality_result *)result->details)->keys[0].strategy, "custom");
  assert_string_equal(((const ee_quality_result *)result->details)->keys[0].why, "config");
  assert_string_equal(((const ee_quality_result *)result->details)->keys[0].entry->place, "rules.lua:5");
  fixture_close(&f);
}

/* No object ------------------------------------------------------------------------------------ */

static void test_no_candidate(void **state) {
  (void)state;
  static const char expected[] = "{\"a\":1,\"b\":null,\"c\":\"x\"}";
  fixture f;
  fixture_open(&f);
  f.script.combine = combine;
  quality_rules(&f, "\"safety\":{\"function\":0}");
  const ee_judge_result *result = fixture_judge_case(&f, expected, NULL);
  assert_parts(&f, result, "0 0 0 0 0");
  assert_false(result->failed);
  assert_misses(&f, result, "candidate (missing); a (missing); c (missing)");
  assert_keys(&f, result, "a missing EXACT(number); b neither; c missing SEMANTIC(text)");
  assert_string_equal(fixture_attributes(&f, result), "a* 0 0 0 1; b* 0 1 0 0; c* 0 0 0 1");
  assert_reasoning(result, "no candidate document");
  ee_arena_reset(&f.case_arena, 0);
  result = fixture_judge_values(&f, fixture_json(&f.case_arena, expected), NULL, EE_CANDIDATE_UNPARSEABLE);
  assert_misses(&f, result, "candidate (no JSON found); a (missing); c (missing)");
  static const char *const others[] = {"[{\"a\":1}]", "null", "1", "\"text\"", "false"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    result = fixture_judge_case(&f, expected, others[i]);
    assert_misses(&f, result, "candidate (not an object); a (missing); c (missing)");
    assert_reasoning(result, "candidate is not an object");
    assert_parts(&f, result, "0 0 0 0 0");
    assert_false(result->failed);
  }
  assert_int_equal(f.script.calls, 0);
  fixture_close(&f);
}

static void test_no_expected(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  quality_rules(&f, "");
  static const char *const others[] = {"[{\"a\":1}]", "null", "1", "\"text\""};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    const ee_judge_result *result = fixture_judge_case(&f, others[i], "{\"a\":1}");
    assert_misses(&f, result, "expected (not an object)");
    assert_true(result->failed);
    assert_parts(&f, result, "0 0 0 0 0");
    assert_int_equal(((const ee_quality_result *)result->details)->key_count, 0);
  }
  fixture_close(&f);
}

static void test_path(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  quality_rules(&f, "\"items\":[\"a.b\"]");
  assert_parts(&f, fixture_judge_case(&f, "{\"a\":{\"b\":{\"k\":1}},\"z\":1}", "{\"a\":{\"b\":{\"k\":1}}}"),
               "0.85 1 1 1 0");
  assert_misses(&f, fixture_judge_case(&f, "{\"a\":{\"b\":{\"k\":1}}}", "{\"a\":{\"b\":{\"l\":1}}}"),
                "k (missing); l (nothing expected)");
  const ee_judge_result *result = fixture_judge_case(&f, "{\"a\":{\"b\":{\"k\":1}}}", "{\"a\":{}}");
  assert_misses(&f, result, "candidate (missing); k (missing)");
  assert_reasoning(result, "no candidate object");
  assert_parts(&f, result, "0 0 0 0 0");
  assert_misses(&f, fixture_judge_case(&f, "{\"a\":{\"b\":{\"k\":1}}}", "{\"a\":{\"b\":[1]}}"),
                "candidate (not an object); k (missing)");
  /* Nothing expected there. */
  assert_parts(&f, fixture_judge_case(&f, "{\"a\":1}", "{}"), "0.85 1 1 1 0");
  assert_reasoning(fixture_judge_case(&f, "{\"a\":1}", "{}"), "no key to compare, 0 missing, 0 unexpected");
  assert_parts(&f, fixture_judge_case(&f, "{\"a\":1}", "{\"a\":{\"b\":{\"x\":1}}}"), "0.7 1 1 1 1");
  assert_misses(&f, fixture_judge_case(&f, "{\"a\":1}", "{\"a\":{\"b\":3}}"), "candidate (not an object)");
  assert_misses(&f, fixture_judge_case(&f, "{\"a\":1}", NULL), "candidate (missing)");
  result = fixture_judge_case(&f, "{\"a\":{\"b\":[]}}", "{\"a\":{\"b\":{}}}");
  assert_misses(&f, result, "expected (not an object)");
  assert_true(result->failed);
  fixture_close(&f);
}

/* Large objects -------------------------------------------------------------------------------- */

/* 100,000 keys on both sides, in opposite orders: a quadratic search would take minutes. */
static void test_many_keys(void **state) {
  (void)state;
  enum { KEYS = 100000 };
  fixture f;
  fixture_open(&f);
  ee_buffer expected, candidate;
  ee_buffer_init(&expected);
  ee_buffer_init(&candidate);
  for (int i = 0; i < KEYS; i++) {
    ee_buffer_addf(&expected, "%c\"key %d\":%d", i > 0 ? ',' : '{', i, i);
    ee_buffer_addf(&candidate, "%c\"key %d\":%d", i > 0 ? ',' : '{', KEYS - i, KEYS - i);
  }
  ee_buffer_add_char(&expected, '}');
  ee_buffer_add_char(&candidate, '}');
  for (int leaves = 0; leaves < 2; leaves++) {
    quality_rules(&f, leaves ? "\"depth\":\"leaves\"" : "\"strategies\":{\"key 7\":\"IGNORE\"}");
    const ee_judge_result *result =
        fixture_judge_case(&f, ee_buffer_terminate(&expected), ee_buffer_terminate(&candidate));
    assert_int_equal(((const ee_quality_result *)result->details)->distinct_keys, KEYS + 1);
    assert_int_equal(((const ee_quality_result *)result->details)->counts[EE_QUALITY_BOTH], KEYS - 1);
    assert_int_equal(((const ee_quality_result *)result->details)->compared, leaves ? KEYS - 1 : KEYS - 2);
    assert_misses(&f, result, "key 0 (missing); key 100000 (nothing expected)");
  }
  ee_buffer_fini(&expected);
  ee_buffer_fini(&candidate);
  fixture_close(&f);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_worked_example), cmocka_unit_test(test_written_details),
             cmocka_unit_test(test_cut_details), cmocka_unit_test(test_types), cmocka_unit_test(test_cut_ignored),
             cmocka_unit_test(test_exact_explained), cmocka_unit_test(test_listed_keys),
             cmocka_unit_test(test_default_weights), cmocka_unit_test(test_buckets), cmocka_unit_test(test_empty_rules),
             cmocka_unit_test(test_own_null_values), cmocka_unit_test(test_automatic),
             cmocka_unit_test(test_thresholds), cmocka_unit_test(test_no_answer),
             cmocka_unit_test(test_similarity_function), cmocka_unit_test(test_formula_and_safety),
             cmocka_unit_test(test_safety_in_weights), cmocka_unit_test(test_weights), cmocka_unit_test(test_scale),
             cmocka_unit_test(test_formula_in_words), cmocka_unit_test(test_ignore_accuracy),
             cmocka_unit_test(test_ignore_everywhere), cmocka_unit_test(test_strategy_nodes),
             cmocka_unit_test(test_no_candidate), cmocka_unit_test(test_no_expected), cmocka_unit_test(test_path),
             cmocka_unit_test(test_many_keys));
