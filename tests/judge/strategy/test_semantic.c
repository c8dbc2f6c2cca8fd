/* ee.semantic: by provider and by function, in fields and in line items; where its answers come from. */
#include "judge/fake_provider.h"
#include "judge/line_items/line_items.h"
#include "judge/plan_fixture.h"
#include "judge/strategy/strategy.h"

/* Comparing ------------------------------------------------------------------------------------ */

#define FIELD(options) "{\"ee\": \"semantic\", \"line\": 4, \"items\": [\"bio\"]" options "}"
#define RULES(fields) "{\"ee\": \"rules\", \"items\": [{\"ee\": \"fields\", \"items\": [" fields "]}]}"

/* A compiled strategy and a context with the provider's asker. */
typedef struct semantic {
  fixture f;
  fake_provider provider;
  ee_provider_session *session;
  const ee_strategy *strategy;
} semantic;

static void semantic_open_rules(semantic *s, const char *rules, bool remote) {
  fixture_open(&s->f);
  fixture_rules(&s->f, rules);
  fake_init(&s->provider, remote);
  s->session = fake_open(&s->provider.base, NULL);
}

static void semantic_open(semantic *s, const char *node) {
  semantic_open_rules(s, RULES("{\"ee\": \"exact\", \"items\": [\"x\"]}"), false);
  ee_plan_builder builder = {&s->f.arena, s->f.plan, &s->f.errors, NULL};
  s->strategy = ee_strategy_compile(&builder, fixture_spec(&s->f, fixture_json(&s->f.arena, node), 1));
  assert_int_equal(s->f.errors.count, 0);
  s->f.current.id = EE_STR("q-7");
  s->f.context = (ee_context){.plan = s->f.plan,
                              .arena = &s->f.case_arena,
                              .script = &s->f.script,
                              .current = &s->f.current,
                              .rule_errors = &s->f.rule_errors,
                              .session = s->session};
}

static void semantic_close(semantic *s) {
  fake_close(s->session);
  fake_fini(&s->provider);
  fixture_close(&s->f);
}

/* Compares at the path `path`, and checks the reason. */
static ee_comparison compare(semantic *s, const char *path, const char *expected, const char *candidate,
                             const char *reason) {
  ee_script_place place = {.path = ee_str_from(path)};
  ee_comparison result;
  memset(&result, 0x5a, sizeof result);
  ee_strategy_compare(s->strategy, &s->f.context, fixture_json(&s->f.case_arena, expected),
                      fixture_json(&s->f.case_arena, candidate), &place, &result);
  ee_buffer_clear(&s->f.text);
  ee_reason_print(&result.reason, &s->f.text);
  assert_string_equal(ee_buffer_terminate(&s->f.text), reason);
  return result;
}

static void assert_comparison(ee_comparison result, double score, bool matched, double similarity) {
  assert_true(result.score == score);
  assert_int_equal(result.matched, matched);
  assert_true(result.similarity == similarity);
}

static void test_provider(void **state) {
  (void)state;
  semantic s;
  semantic_open(&s, FIELD(""));
  assert_true(ee_strategy_uses_provider(s.strategy));
  assert_false(ee_strategy_calls_script(s.strategy));
  assert_true(ee_strategy_is_reflexive(s.strategy));
  assert_comparison(compare(&s, "bio", "\"abcde\"", "\"abcde\"", ""), 1, true, 1);
  assert_int_equal(s.provider.calls, 0); /* equal texts are not asked for */
  assert_comparison(compare(&s, "bio", "\"abcde\"", "\"abcdx\"", ""), 1, true, 0.8);
  assert_comparison(compare(&s, "bio", "\"abcd\"", "\"abcx\"", "similarity 0.75 below 0.8"), 0, false, 0.75);
  assert_comparison(compare(&s, "bio", "\"abcd\"", "\"abcx\"", "similarity 0.75 below 0.8"), 0, false, 0.75);
  assert_int_equal(s.provider.calls, 2); /* a pair once */
  compare(&s, "bio", "\"abcx\"", "\"abcd\"", "similarity 0.75 below 0.8");
  assert_int_equal(s.provider.calls, 3); /* the other way round is another question */
  assert_comparison(compare(&s, "bio", "5", "\"5\"", "type mismatch: got string, expected number"), 0, false, 0);
  assert_comparison(compare(&s, "bio", "5", "6", "value mismatch"), 0, false, 0);
  assert_comparison(compare(&s, "bio", "5", "5.0", ""), 1, true, 1);
  assert_comparison(compare(&s, "bio", "{\"a\":1}", "{\"a\":1}", ""), 1, true, 1);
  assert_int_equal(s.provider.calls, 3);
  assert_int_equal(s.f.context.provider_failures, 0);
  semantic_close(&s);
}

static void test_options(void **state) {
  (void)state;
  semantic s;
  semantic_open(&s, FIELD(", \"threshold\": 0.5, \"score\": \"similarity\", \"normalize\": [\"trim\", \"casefold\"]"));
  assert_comparison(compare(&s, "bio", "\"ABCD\"", "\" abxy \"", ""), 0.5, true, 0.5);
  assert_comparison(compare(&s, "bio", "\"ABCD\"", "\"axyz\"", "similarity 0.25 below 0.5"), 0.25, false, 0.25);
  assert_int_equal(s.provider.calls, 2);
  assert_comparison(compare(&s, "bio", "\"ABCD\"", "\"abcd\"", ""), 1, true, 1);
  assert_comparison(compare(&s, "bio", "\"abcd\"", "\"AXYZ\"", "similarity 0.25 below 0.5"), 0.25, false, 0.25);
  assert_int_equal(s.provider.calls, 2); /* equal after normalize, and the pair that was asked for */
  semantic_close(&s);
}

static void check_last_error(semantic *s, size_t count, const char *message) {
  assert_int_equal(s->f.rule_errors.count, count);
  const ee_error *error = &s->f.rule_errors.items[count - 1];
  assert_int_equal(error->status, EE_ERROR_PROVIDER);
  assert_string_equal(error->file, "");
  assert_string_equal(error->message, message);
}

static void test_no_answer(void **state) {
  (void)state;
  semantic s;
  semantic_open(&s, FIELD(", \"score\": \"similarity\""));
  s.provider.refused = "!";
  ee_comparison result = compare(&s, "bio", "\"ab!\"", "\"abc\"", "no answer: HTTP 500 after 5 attempts");
  assert_comparison(result, 0, false, -1);
  assert_true(result.failed);
  assert_int_equal(s.f.context.provider_failures, 1);
  check_last_error(&s, 1, "no answer for 'bio' (case 'q-7'): HTTP 500 after 5 attempts");
  /* The same value once more, as in matching and scoring; then another value with the same texts. */
  assert_true(compare(&s, "bio", "\"ab!\"", "\"abc\"", "no answer: HTTP 500 after 5 attempts").failed);
  assert_int_equal(s.f.context.provider_failures, 1);
  assert_true(compare(&s, "cv", "\"ab!\"", "\"abc\"", "no answer: HTTP 500 after 5 attempts").failed);
  assert_int_equal(s.f.context.provider_failures, 2);
  check_last_error(&s, 2, "no answer for 'cv' (case 'q-7'): HTTP 500 after 5 attempts");
  assert_int_equal(s.provider.calls, 1);

  s.f.context.session = NULL;
  assert_true(compare(&s, "bio", "\"ab\"", "\"abc\"", "no answer: no provider").failed);
  check_last_error(&s, 3, "no answer for 'bio' (case 'q-7'): no provider");
  /* Known answers are still there. */
  assert_true(compare(&s, "bio", "\"x\"", "\"x\"", "").matched);

  s.f.context.dry_run = true;
  assert_true(compare(&s, "bio", "\"ab\"", "\"abd\"", "no answer: no provider").failed);
  assert_int_equal(s.f.context.provider_failures, 3);
  s.f.context.dry_run = false;
  assert_true(compare(&s, "bio", "\"ab\"", "\"abd\"", "no answer: no provider").failed);
  assert_int_equal(s.f.context.provider_failures, 4);
  assert_int_equal(s.f.context.rule_error_count, 0);
  semantic_close(&s);
}

/* Functions ------------------------------------------------------------------------------------ */

/* 0.9 for texts or numbers of the same first byte as text; "raise" raises, "two" answers 2. */
static ee_status first_alike(const ee_value *expected, const ee_value *candidate, double *result, ee_error *error) {
  if (ee_type_of(expected) == EE_STRING && ee_str_is(ee_value_text(expected), "raise"))
    return ee_error_at(error, EE_ERROR_RULES, "rules.lua", 12, 0, "attempt to index a nil value");
  if (ee_type_of(expected) == EE_STRING && ee_str_is(ee_value_text(expected), "two")) {
    *result = 2;
    return EE_OK;
  }
  char a[32], b[32];
  ee_str x = ee_type_of(expected) == EE_NUMBER ? ee_value_number_text(expected, a) : ee_value_text(expected);
  ee_str y = ee_type_of(candidate) == EE_NUMBER ? ee_value_number_text(candidate, b) : ee_value_text(candidate);
  *result = x.data[0] == y.data[0] ? 0.9 : 0.1;
  return EE_OK;
}

static void test_function(void **state) {
  (void)state;
  semantic s;
  semantic_open(&s, FIELD(", \"similarity\": {\"function\": 0}, \"normalize\": \"trim\""));
  s.f.script.similarity = first_alike;
  assert_false(ee_strategy_uses_provider(s.strategy));
  assert_true(ee_strategy_calls_script(s.strategy));
  assert_comparison(compare(&s, "bio", "\"abc\"", "\" abc\"", ""), 1, true, 1);
  assert_int_equal(s.f.script.calls, 0);
  assert_comparison(compare(&s, "bio", "\"abc\"", "\" axx\"", ""), 1, true, 0.9);
  assert_comparison(compare(&s, "bio", "\"abc\"", "\"axx\"", ""), 1, true, 0.9);
  assert_int_equal(s.f.script.calls, 1); /* the same pair after normalize */
  assert_comparison(compare(&s, "bio", "\"5\"", "57", ""), 1, true, 0.9);
  assert_comparison(compare(&s, "bio", "5", "57", ""), 1, true, 0.9);
  assert_int_equal(s.f.script.calls, 3); /* a text is no number */
  assert_comparison(compare(&s, "bio", "5", "6", "similarity 0.1 below 0.8"), 0, false, 0.1);

  ee_comparison result = compare(&s, "bio", "\"raise\"", "\"x\"", "rules.lua:12: attempt to index a nil value");
  assert_comparison(result, 0, false, 0);
  assert_true(result.failed);
  assert_int_equal(s.f.context.rule_error_count, 1);
  assert_true(compare(&s, "bio", "\"two\"", "\"x\"", "rules.lua:4: a similarity outside 0..1: 2").failed);
  assert_int_equal(s.f.context.rule_error_count, 2);
  assert_int_equal(s.f.rule_errors.items[1].status, EE_ERROR_RULES);
  assert_int_equal(s.f.context.provider_failures, 0);
  assert_int_equal(s.provider.calls, 0);
  semantic_close(&s);
}

/* Many pairs: what is remembered stays right while its table grows. */
static void test_many_pairs(void **state) {
  (void)state;
  semantic s;
  semantic_open(&s, FIELD(", \"threshold\": 1"));
  enum { SIDE = 40 };
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < SIDE; i++) {
      for (int k = 0; k < SIDE; k++) {
        char a[32], b[32];
        snprintf(a, sizeof a, "\"%.*s-%d\"", i % 7, "abcdefg", i);
        snprintf(b, sizeof b, "\"%.*s+%d\"", k % 7, "abcdefg", k);
        ee_script_place place = {.path = EE_STR("bio")};
        ee_comparison result;
        const ee_value *x = fixture_json(&s.f.case_arena, a), *y = fixture_json(&s.f.case_arena, b);
        ee_strategy_compare(s.strategy, &s.f.context, x, y, &place, &result);
        assert_true(result.similarity == fake_figure(ee_value_text(x), ee_value_text(y)));
      }
    }
    assert_int_equal(s.provider.calls, SIDE * SIDE);
  }
  semantic_close(&s);
}

/* What a strategy held against its threshold --------------------------------------------------- */

static void check_similarity(semantic *s, const char *node, const char *expected, const char *candidate,
                             double similarity) {
  ee_plan_builder builder = {&s->f.arena, s->f.plan, &s->f.errors, NULL};
  const ee_strategy *strategy = ee_strategy_compile(&builder, fixture_spec(&s->f, fixture_json(&s->f.arena, node), 1));
  assert_non_null(strategy);
  ee_script_place place = {.path = EE_STR("p")};
  ee_comparison result;
  memset(&result, 0x5a, sizeof result);
  ee_strategy_compare(strategy, &s->f.context, fixture_json(&s->f.case_arena, expected),
                      fixture_json(&s->f.case_arena, candidate), &place, &result);
  if (result.similarity != similarity) fail_msg("%s: %.17g", node, result.similarity);
}

static ee_status score_03(const ee_value *expected, const ee_value *candidate, ee_script_score *result,
                          ee_error *error) {
  (void)expected, (void)candidate, (void)error;
  *result = (ee_script_score){.score = 0.3};
  return EE_OK;
}

static void test_similarity_of_strategies(void **state) {
  (void)state;
  semantic s;
  semantic_open(&s, FIELD(""));
  s.f.script.strategy = score_03;
#define NODE(kind, more) "{\"ee\": \"" kind "\", \"items\": [\"p\"" more "}"
  check_similarity(&s, NODE("exact", "]"), "\"a\"", "\"a\"", 1);
  check_similarity(&s, NODE("exact", "]"), "\"a\"", "\"b\"", 0);
  check_similarity(&s, NODE("numeric", "]"), "10", "11", 0);
  check_similarity(&s, NODE("numeric", "]"), "10", "\"x\"", 0);
  check_similarity(&s, NODE("numeric", "], \"score\": \"linear\""), "10", "11", 0.9);
  check_similarity(&s, NODE("numeric", "], \"tolerance\": 1"), "10", "11", 1);
  check_similarity(&s, NODE("date", "]"), "\"2025-01-02\"", "\"2025-01-03\"", 0);
  check_similarity(&s, NODE("date", "]"), "\"2025-01-02\"", "\"02-Jan-2025\"", 1);
  check_similarity(&s, NODE("fuzzy", "]"), "\"abcde\"", "\"abcdx\"", 0.8);
  check_similarity(&s, NODE("fuzzy", "], \"threshold\": 0.8"), "\"abcde\"", "\"abcdx\"", 0.8);
  check_similarity(&s, NODE("fuzzy", "]"), "\"abcde\"", "5", 0);
  check_similarity(&s, NODE("set", "]"), "[1, 2, 3]", "[1, 2, 4]", 0.5);
  check_similarity(&s, NODE("set", "], \"score\": \"all_or_nothing\""), "[1, 2, 3]", "[3, 2, 4]", 0.5);
  check_similarity(&s, NODE("set", "], \"threshold\": 0.5"), "[1, 2, 3]", "[1, 2, 4]", 0.5);
  check_similarity(&s, NODE("one_of", ", \"b\"]"), "\"a\"", "\"b\"", 1);
  check_similarity(&s, NODE("auto", "]"), "7", "7.0", 1);
  check_similarity(&s, NODE("custom", ", {\"function\": 0}]"), "\"a\"", "\"b\"", 0.3);
  semantic_close(&s);
}

/* A long text that cannot match is not measured. */
static void test_similarity_unknown(void **state) {
  (void)state;
  semantic s;
  semantic_open(&s, FIELD(""));
  static char a[6000], b[6000];
  memset(a, 'a', sizeof a - 1);
  memset(b, 'b', sizeof b - 1);
  a[0] = b[0] = a[sizeof a - 2] = b[sizeof b - 2] = '"';
  check_similarity(&s, NODE("fuzzy", "]"), a, b, -1);
  semantic_close(&s);
}

/* Line items ----------------------------------------------------------------------------------- */

#define ITEMS_RULES(match, field)                                                                                      \
  "{\"ee\": \"rules\", \"items\": [{\"ee\": \"line_items\", \"items\": [\"items\", {\"ee\": \"semantic\", \"items\": " \
  "[\"text\"], \"threshold\": 0.9" field "}], \"match\": {\"items\": [{\"ee\": \"semantic\", \"items\": "              \
  "[\"text\"], \"threshold\": 0.5, \"score\": \"similarity\"" match "}], \"threshold\": 0.5}}]}"

static const ee_judge_result *judge_items(semantic *s, const char *expected, const char *candidate) {
  fixture *f = &s->f;
  ee_arena_reset(&f->case_arena, 0);
  f->rule_errors.count = 0;
  f->current = (ee_case){.id = EE_STR("q-7"),
                         .expected = fixture_json(&f->case_arena, expected),
                         .candidate = fixture_json(&f->case_arena, candidate)};
  f->context = (ee_context){.plan = f->plan,
                            .arena = &f->case_arena,
                            .script = &f->script,
                            .rule_errors = &f->rule_errors,
                            .session = s->session};
  ee_plan_judge(f->plan, &f->context, &f->current, &f->result);
  assert_int_equal(f->script.begun, f->script.ended);
  return f->result.judges;
}

#define THREE_EXPECTED "{\"items\": [{\"text\": \"aaaa one\"}, {\"text\": \"bbbb two\"}, {\"text\": \"cccc\"}]}"
#define THREE_CANDIDATE "{\"items\": [{\"text\": \"bbbb twx\"}, {\"text\": \"aaaa oxx\"}, {\"text\": \"cccc\"}]}"
/* bbbb two: 7/8; aaaa one: 6/8: paired, but below 0.9. cccc is equal, and paired before anything is asked. */
#define THREE_MISSES "items[0].text (similarity 0.75 below 0.9); items[1].text (similarity 0.875 below 0.9)"

static void test_items_at_once(void **state) {
  (void)state;
  semantic s;
  semantic_open_rules(&s, ITEMS_RULES("", ""), false);
  assert_true(s.f.plan->needs_provider);
  const ee_judge_result *result = judge_items(&s, THREE_EXPECTED, THREE_CANDIDATE);
  assert_misses(&s.f, result, THREE_MISSES);
  assert_int_equal(ee_item_report_of(result)->alignment_count, 3);
  assert_int_equal(s.provider.calls, 4); /* two by two; scoring asks for two of them once more, in vain */
  assert_int_equal(s.f.script.begun, 1);

  judge_items(&s, THREE_EXPECTED, THREE_CANDIDATE);
  assert_int_equal(s.provider.calls, 8); /* nothing is remembered from case to case */

  s.provider.refused = "aaaa";
  result = judge_items(&s, THREE_EXPECTED, THREE_CANDIDATE);
  assert_int_equal(ee_item_report_of(result)->alignment_count, 2);
  /* The three pairs in which one of the texts is, of which all are at the path of the match field. */
  assert_int_equal(s.f.result.provider_failures, 3);
  assert_int_equal(s.f.rule_errors.count, 3);
  assert_string_equal(s.f.rule_errors.items[0].message, "no answer for 'text' (case 'q-7'): HTTP 500 after 5 attempts");
  semantic_close(&s);
}

static void test_items_asked(void **state) {
  (void)state;
  for (unsigned asks_needed = 1; asks_needed <= 3; asks_needed++) {
    semantic s;
    semantic_open_rules(&s, ITEMS_RULES("", ""), true);
    s.provider.asks_needed = asks_needed;
    const ee_judge_result *result = judge_items(&s, THREE_EXPECTED, THREE_CANDIDATE);
    assert_misses(&s.f, result, THREE_MISSES);
    assert_int_equal(s.provider.asked, 4);
    assert_int_equal(s.provider.asks, asks_needed);
    assert_int_equal(s.provider.begun, 1);
    assert_int_equal(s.f.script.begun, 1 + asks_needed);
    assert_int_equal(s.f.result.provider_failures, 0);
    assert_true(s.f.result.score == result->score);
    semantic_close(&s);
  }
}

/* Only pairs that were found are scored: the notes of other pairs are no question, although every pair reaches the
 * threshold by its kind alone as long as the texts are open. */
static void test_items_ask_nothing_needless(void **state) {
  (void)state;
  semantic s;
  semantic_open_rules(&s,
                      "{\"ee\": \"rules\", \"items\": [{\"ee\": \"line_items\", \"items\": [\"items\", {\"ee\": "
                      "\"semantic\", \"items\": [\"note\"]}], \"match\": {\"items\": [{\"ee\": \"exact\", \"items\": "
                      "[\"kind\"]}, {\"ee\": \"semantic\", \"items\": [\"text\"], \"score\": \"similarity\"}], "
                      "\"threshold\": 0.5}}]}",
                      true);
#define ITEM(text, note) "{\"kind\": \"k\", \"text\": \"" text "\", \"note\": \"" note "\"}"
  const ee_judge_result *result =
      judge_items(&s, "{\"items\": [" ITEM("aaaa one", "n1") ", " ITEM("bbbb two", "n2") "]}",
                  "{\"items\": [" ITEM("bbbb twx", "n3") ", " ITEM("aaaa oxx", "n4") "]}");
  assert_int_equal(ee_item_report_of(result)->alignment[0].candidate, 1);
  /* Four pairs of texts, and then the notes of the two pairs that were found. */
  assert_int_equal(s.provider.asked, 6);
  assert_int_equal(s.provider.asks, 2);
  semantic_close(&s);
}

static ee_status prefix_function(const ee_value *expected, const ee_value *candidate, double *result, ee_error *error) {
  (void)error;
  *result = fake_figure(ee_value_text(expected), ee_value_text(candidate));
  return EE_OK;
}

static void test_items_function(void **state) {
  (void)state;
  semantic s;
#define BY_FUNCTION ", \"similarity\": {\"function\": 0}"
  semantic_open_rules(&s, ITEMS_RULES(BY_FUNCTION, BY_FUNCTION), false);
  assert_false(s.f.plan->needs_provider);
  assert_true(s.f.plan->needs_script);
  s.f.script.similarity = prefix_function;
  const ee_judge_result *result = judge_items(&s, THREE_EXPECTED, THREE_CANDIDATE);
  assert_misses(&s.f, result, THREE_MISSES);
  /* Three by three without the pair of equals, each once. */
  assert_int_equal(s.f.script.calls, 8);
  semantic_close(&s);
}

/* Functions that keep state -------------------------------------------------------------------- */

static size_t state_counter;

/* A new value each time: every pass asks another question. */
static ee_status other_each_time(const ee_value *value, const ee_value **result, ee_error *error) {
  (void)value, (void)error;
  static char texts[4096][16];
  static ee_value values[4096];
  size_t at = state_counter++ % 4096;
  snprintf(texts[at], sizeof texts[at], "x%zu", state_counter);
  values[at] =
      (ee_value){.json = {.type = cJSON_String, .valuestring = texts[at]}, .length = (uint32_t)strlen(texts[at])};
  *result = &values[at];
  return EE_OK;
}

static void test_questions_without_end(void **state) {
  (void)state;
  semantic s;
  semantic_open_rules(
      &s, RULES(FIELD(", \"normalize\": {\"function\": 0}") ", {\"ee\": \"exact\", \"items\": [\"c\"]}"), true);
  s.f.script.map = other_each_time;
  const ee_judge_result *result = judge_items(&s, "{\"bio\": \"a\", \"c\": 1}", "{\"bio\": \"b\", \"c\": 1}");
  assert_misses(&s.f, result, "bio (no answer: not requested in time (does a function of the rule file keep state?))");
  assert_int_equal(s.f.result.provider_failures, 1);
  assert_int_equal(s.f.rule_errors.count, 1);
  assert_int_equal(s.provider.asks, EE_PROVIDER_ROUNDS + 1);
  /* The case is judged without that answer. */
  assert_true(result->score == 0.5 && s.f.result.score == 0.5);
  assert_int_equal(s.f.context.pending_answers, 0);
  semantic_close(&s);
}

/* Passes for asking ---------------------------------------------------------------------------- */

static ee_status raise_or_lower(const ee_value *value, const ee_value **result, ee_error *error) {
  if (ee_str_is(ee_value_text(value), "raise"))
    return ee_error_at(error, EE_ERROR_RULES, "rules.lua", 12, 0, "attempt to index a nil value");
  *result = value;
  return EE_OK;
}

static ee_status always_half(ee_script *script, ee_script_judgement *result, ee_error *error) {
  (void)script, (void)error;
  *result = (ee_script_judgement){.score = 0.5, .plain = true};
  return EE_OK;
}

static size_t scores_made;
static ee_status make_score(const ee_script_part *parts, size_t count, double *result, ee_error *error) {
  (void)error;
  scores_made++;
  *result = 0;
  for (size_t i = 0; i < count; i++) *result += parts[i].score / (double)count;
  return EE_OK;
}

#define PASSES_RULES                                                                                                   \
  "{\"ee\": \"rules\", \"score\": {\"function\": 2}, \"items\": [{\"ee\": \"fields\", \"items\": ["                    \
  "{\"ee\": \"semantic\", \"items\": [\"bio\"]}, "                                                                     \
  "{\"ee\": \"exact\", \"items\": [\"name\"], \"normalize\": {\"function\": 0}}]}, "                                   \
  "{\"ee\": \"judge\", \"items\": [\"j\", {\"function\": 1}]}]}"

/* Errors and failures of passes that only asked are told once, and the case's score is made once. */
static void test_passes_leave_nothing(void **state) {
  (void)state;
  semantic s;
  semantic_open_rules(&s, PASSES_RULES, true);
  s.f.script.map = raise_or_lower;
  s.f.script.judge = always_half;
  s.f.script.aggregate = make_score;
  s.provider.refused = "!";
  scores_made = 0;
  const ee_judge_result *result =
      judge_items(&s, "{\"bio\": \"ab!\", \"name\": \"raise\"}", "{\"bio\": \"abc\", \"name\": \"x\"}");
  assert_int_equal(scores_made, 1);
  assert_int_equal(s.f.result.rule_errors, 1);
  assert_int_equal(s.f.result.provider_failures, 1);
  assert_int_equal(s.f.rule_errors.count, 2);
  assert_int_equal(result->miss_count, 2);
  assert_true(s.f.result.score == 0.25);
  assert_false(s.f.context.is_final_round);

  /* While collecting, judges that ask nothing are left alone, and nothing is recorded. */
  s.f.script.calls = 0;
  s.f.rule_errors.count = 0;
  scores_made = 0;
  fake_begin(s.session, EE_NO_TICKET);
  s.f.context.dry_run = true;
  ee_plan_judge(s.f.plan, &s.f.context, &s.f.current, &s.f.result);
  assert_int_equal(s.f.context.pending_answers, 1);
  assert_int_equal(s.f.context.rule_error_count, 0);
  assert_int_equal(s.f.rule_errors.count, 0);
  assert_int_equal(scores_made, 0);
  assert_int_equal(s.f.script.calls, 1); /* of normalize, which raised */
  fake_end(s.session);
  semantic_close(&s);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_provider), cmocka_unit_test(test_options),
             cmocka_unit_test(test_no_answer), cmocka_unit_test(test_function), cmocka_unit_test(test_many_pairs),
             cmocka_unit_test(test_similarity_of_strategies), cmocka_unit_test(test_similarity_unknown),
             cmocka_unit_test(test_items_at_once), cmocka_unit_test(test_items_asked),
             cmocka_unit_test(test_items_ask_nothing_needless), cmocka_unit_test(test_items_function),
             cmocka_unit_test(test_questions_without_end), cmocka_unit_test(test_passes_leave_nothing));
