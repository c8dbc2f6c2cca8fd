/* test_llm_scale.c: scales of ee.llm: how they are said, what is read of an answer, levels; tokens that are broken in
 * prompts. */
#include "judge/plan_fixture.h"

#include <math.h>

#include "judge/outside/llm_prompt.h"
#include "judge/outside/llm_scale.h"

static const double numbers[] = {1, 2, 4};
static const ee_str words[] = {EE_STR("bad"), EE_STR("so \"so\""), EE_STR("Good")};
static const ee_llm_scale pass = {.kind = EE_LLM_PASS, .count = 2},
                          range = {.kind = EE_LLM_RANGE, .count = 2, .numbers = numbers, .min = 1, .max = 5},
                          half = {.kind = EE_LLM_RANGE, .count = 2, .numbers = numbers, .min = -0.5, .max = 1},
                          levels = {.kind = EE_LLM_NUMBERS, .count = 3, .numbers = numbers, .min = 1, .max = 4},
                          named = {.kind = EE_LLM_WORDS, .count = 3, .words = words};
static const ee_llm_scale *const scales[] = {&pass, &range, &half, &levels, &named};
enum { SCALES = sizeof scales / sizeof *scales };

static void test_said(void **state) {
  (void)state;
  static const struct {
    const char *printed, *member, *schema, *form;
  } said[SCALES] = {
      {"pass or fail", "pass", "\"boolean\"", "true or false."},
      {"a number from 1 to 5", "score", "\"number\"", "a number from 1 to 5, from the worst to the best."},
      {"a number from -0.5 to 1", "score", "\"number\"", "a number from -0.5 to 1, from the worst to the best."},
      {"1, 2 or 4", "score", "\"number\",\"enum\":[1,2,4]", "1, 2 or 4, from the worst to the best."},
      {"bad, so \"so\" or Good", "score", "\"string\",\"enum\":[\"bad\",\"so \\\"so\\\"\",\"Good\"]",
       "\"bad\", \"so \\\"so\\\"\" or \"Good\", from the worst to the best."},
  };
  ee_buffer out = {0};
  for (size_t i = 0; i < SCALES; i++) {
    char wanted[512];
    ee_buffer_clear(&out);
    ee_llm_scale_print(scales[i], &out);
    assert_string_equal(ee_buffer_terminate(&out), said[i].printed);
    assert_string_equal(ee_llm_scale_member(scales[i]), said[i].member);
    ee_buffer_clear(&out);
    ee_llm_scale_write_schema(scales[i], &out);
    snprintf(wanted, sizeof wanted,
             "{\"type\":\"object\",\"properties\":{\"reason\":{\"type\":\"string\"},\"%s\":{\"type\":%s}},"
             "\"required\":[\"reason\",\"%s\"],\"additionalProperties\":false}",
             said[i].member, said[i].schema, said[i].member);
    assert_string_equal(ee_buffer_terminate(&out), wanted);
    ee_buffer_clear(&out);
    ee_llm_scale_write_form(scales[i], &out);
    snprintf(
        wanted, sizeof wanted,
        "Answer with one JSON object and nothing else: {\"reason\": \"one to three sentences\", \"%s\": ...}, where "
        "\"%s\" is %s",
        said[i].member, said[i].member, said[i].form);
    assert_string_equal(ee_buffer_terminate(&out), wanted);
  }
  ee_buffer_fini(&out);
}

/* What each scale reads, as a score; -1: it is not a verdict. */
static void test_read(void **state) {
  (void)state;
  static const struct {
    const char *value;
    double scores[SCALES];
  } values[] = {
      {"true", {1, -1, -1, -1, -1}},
      {"false", {0, -1, -1, -1, -1}},
      {"\" PASS\"", {1, -1, -1, -1, -1}},
      {"\"passed\"", {1, -1, -1, -1, -1}},
      {"\"Yes \"", {1, -1, -1, -1, -1}},
      {"\"true\"", {1, -1, -1, -1, -1}},
      {"\"no\"", {0, -1, -1, -1, -1}},
      {"\"fail\"", {0, -1, -1, -1, -1}},
      {"\"failed\"", {0, -1, -1, -1, -1}},
      {"\"False\"", {0, -1, -1, -1, -1}},
      {"\"passes\"", {-1, -1, -1, -1, -1}},
      {"null", {-1, -1, -1, -1, -1}},
      {"0", {0, -1, 1.0 / 3, -1, -1}},
      {"1", {1, 0, 1, 0, -1}},
      {"2", {-1, 0.25, -1, 1.0 / 3, -1}},
      {"3", {-1, 0.5, -1, -1, -1}},
      {"4", {-1, 0.75, -1, 1, -1}},
      {"5", {-1, 1, -1, -1, -1}},
      {"5.001", {-1, -1, -1, -1, -1}},
      {"0.999", {-1, -1, 1.499 / 1.5, -1, -1}},
      {"-0.5", {-1, -1, 0, -1, -1}},
      {"-0.501", {-1, -1, -1, -1, -1}},
      {"\"4\"", {-1, 0.75, -1, 1, -1}},
      {"\"bad\"", {-1, -1, -1, -1, 0}},
      {"\" SO \\\"so\\\"\"", {-1, -1, -1, -1, 0.5}},
      {"\"good\\n\"", {-1, -1, -1, -1, 1}},
      {"\"goods\"", {-1, -1, -1, -1, -1}},
      {"[1]", {-1, -1, -1, -1, -1}},
  };
  ee_arena arena;
  ee_arena_init(&arena, 0);
  for (size_t i = 0; i < sizeof values / sizeof *values; i++)
    for (size_t k = 0; k < SCALES; k++) {
      double score = -1;
      bool good = ee_llm_scale_read(scales[k], fixture_json(&arena, values[i].value), &arena, &score);
      double wanted = values[i].scores[k];
      if (good != (wanted >= 0) || (good && !(fabs(score - wanted) < 1e-12)))
        fail_msg("%s, scale %zu: %d %g, not %g", values[i].value, k, good, score, wanted);
    }
  ee_arena_fini(&arena);
}

static void test_levels(void **state) {
  (void)state;
  static const size_t counts[SCALES] = {2, 5, 2, 3, 3};
  for (size_t i = 0; i < SCALES; i++) assert_int_equal(ee_llm_scale_levels(scales[i]), counts[i]);
  /* Ends that are whole, and no more than EE_LLM_LEVELS apart. */
  static const struct {
    double min, max;
    size_t levels;
  } ranges[] = {{0, 1, 2},
                {0, 2, 3},
                {0.5, 3, 2},
                {0, 3.5, 2},
                {-2, 2, 5},
                {1, EE_LLM_LEVELS, EE_LLM_LEVELS},
                {0, EE_LLM_LEVELS, 2},
                {-1e308, 1e308, 2}};
  for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
    const ee_llm_scale one = {.kind = EE_LLM_RANGE, .count = 2, .min = ranges[i].min, .max = ranges[i].max};
    assert_int_equal(ee_llm_scale_levels(&one), ranges[i].levels);
  }
  /* With two levels the smallest score that passes divides them; else the nearest counts, of two as near the worse. */
  static const struct {
    const ee_llm_scale *scale;
    double score, pass;
    size_t level;
  } scores[] = {
      {&pass, 0.49, 0.5, 0},   {&pass, 0.5, 0.5, 1},    {&half, 0.79, 0.8, 0},   {&half, 0.8, 0.8, 1},
      {&range, 0, 0.5, 0},     {&range, 0.12, 0.5, 0},  {&range, 0.125, 0.5, 0}, {&range, 0.13, 0.5, 1},
      {&range, 0.88, 0.5, 4},  {&range, 1, 0.5, 4},     {&levels, 0.16, 0.5, 0}, {&levels, 0.17, 0.5, 1},
      {&levels, 0.66, 0.5, 1}, {&levels, 0.67, 0.5, 2}, {&named, 0.25, 0.5, 0},  {&named, 0.26, 0.5, 1},
      {&named, 0.75, 0.5, 1},  {&named, 0.76, 0.5, 2},
  };
  for (size_t i = 0; i < sizeof scores / sizeof *scores; i++)
    if (ee_llm_scale_level(scores[i].scale, scores[i].score, scores[i].pass) != scores[i].level)
      fail_msg("row %zu: not level %zu", i, scores[i].level);
  /* Two words are levels by distance. */
  const ee_llm_scale two = {.kind = EE_LLM_WORDS, .count = 2, .words = words};
  assert_int_equal(ee_llm_scale_level(&two, 0.6, 0.9), 1);
  assert_int_equal(ee_llm_scale_level(&two, 0.4, 0.1), 0);
  /* Ends that are further apart than the largest number. */
  const ee_llm_scale wide = {.kind = EE_LLM_RANGE, .count = 2, .min = -1.5e308, .max = 1.5e308};
  ee_arena arena;
  ee_arena_init(&arena, 0);
  double score;
  assert_true(ee_llm_scale_read(&wide, fixture_json(&arena, "0.75e308"), &arena, &score) && score == 0.75);
  ee_arena_fini(&arena);
}

/* Answers -------------------------------------------------------------------------------------- */

static void test_answers(void **state) {
  (void)state;
  static const struct {
    const char *text, *given, *reason, *why;
  } answers[] = {
      {"{\"reason\":\" a \",\"score\":3}", "3", "a", NULL},
      {"{\"reasoning\":\"b\",\"score\":3}", "3", "b", NULL},
      {"{\"reason\":1,\"reasoning\":\"b\",\"score\":3}", "3", "b", NULL},
      {"{\"score\":3}", "3", "", NULL},
      {"text {x} {\"score\":3} more", "3", "", NULL},
      {"{\"a\":{\"score\":1}} {\"score\":4}", "4", "", NULL},
      {"{\"score\":3} {\"score\":3.0}", "3", "", NULL},
      {"{\"score\":null} {\"score\":2}", "2", "", NULL},
      {"{\"score\":1}</think>{\"score\":2}", "2", "", NULL},
      {"<think></think>{\"score\":1}</think> {\"score\":2}", "2", "", NULL},
      {"{score: 3,}", "3", "", NULL},
      {"{\"score\":3} {\"score\":4}", NULL, NULL, "the model's answer has several verdicts that differ"},
      {"{\"score\":3,\"score\":3}", NULL, NULL, "the model's answer has \"score\" twice"},
      {"nothing", NULL, NULL, "the model's answer has no JSON object with \"score\": 'nothing'"},
      {"[{\"a\":1}]", NULL, NULL, "the model's answer has no JSON object with \"score\": '[{\"a\":1}]'"},
      {"", NULL, NULL, "the model's answer has no JSON object with \"score\": ''"},
  };
  ee_arena arena;
  ee_arena_init(&arena, 0);
  for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
    ee_llm_answer answer;
    const char *why = NULL;
    ee_llm_reading reading = ee_llm_answer_read(&range, NULL, ee_str_from(answers[i].text), &arena, &answer, &why);
    if (answers[i].given == NULL) {
      assert_int_equal(reading, EE_LLM_NOT_JSON);
      assert_string_equal(why, answers[i].why);
      continue;
    }
    if (reading == EE_LLM_NOT_JSON) fail_msg("%s: %s", answers[i].text, why);
    assert_true(ee_value_equal(answer.given, fixture_json(&arena, answers[i].given)));
    assert_true(ee_str_equal(answer.reason, ee_str_from(answers[i].reason)));
  }
  ee_arena_fini(&arena);
}

/* An answer must fit the schema: the message has the first place that does not. */
static void test_schema_of_answers(void **state) {
  (void)state;
  static const struct {
    const char *text, *why; /* NULL: it fits */
  } answers[] = {
      {"{\"reason\":\"a\",\"score\":3}", NULL},
      {"{\"reason\":1,\"score\":3}",
       "the model's answer does not fit the schema: /reason: expected a string, got a number"},
      {"{\"score\":3}", "the model's answer does not fit the schema: 'reason' is missing"},
  };
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_error_list errors;
  ee_error_list_init(&errors);
  const ee_json_schema *schema = ee_json_schema_compile(
      &arena, fixture_json(&arena, "{\"required\":[\"reason\"],\"properties\":{\"reason\":{\"type\":\"string\"}}}"),
      NULL, &errors);
  for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
    ee_llm_answer answer;
    const char *why = NULL;
    ee_llm_reading reading = ee_llm_answer_read(&range, schema, ee_str_from(answers[i].text), &arena, &answer, &why);
    assert_int_equal(reading == EE_LLM_NOT_JSON, answers[i].why != NULL);
    if (answers[i].why != NULL) assert_string_equal(why, answers[i].why);
  }
  ee_error_list_fini(&errors);
  ee_arena_fini(&arena);
}

/* Prompts -------------------------------------------------------------------------------------- */

/* Each token of a chat model is broken, in capitals too; what only looks like one is not. */
static void test_tokens(void **state) {
  (void)state;
  static const char *const texts[][2] = {
      {"<|x|>", "< |x| >"},
      {"<\xef\xbd\x9cx\xef\xbd\x9c>", "< \xef\xbd\x9cx\xef\xbd\x9c >"},
      {"<<SYS>>a<</sys>>", "<< SYS>>a<< /sys>>"},
      {"<s>a</S>", "< s>a< /S>"},
      {"<bos><EOS>", "< bos>< EOS>"},
      {"<start_of_turn><end_of_turn>", "< start_of_turn>< end_of_turn>"},
      {"<think></think>", "< think>< /think>"},
      {"[INST][/inst]", "[ INST][ /inst]"},
      {"[system_prompt][/SYSTEM_PROMPT]", "[ system_prompt][ /SYSTEM_PROMPT]"},
      {"[AVAILABLE_TOOLS][/available_tools]", "[ AVAILABLE_TOOLS][ /available_tools]"},
      {"[tool_calls][/tool_results]", "[ tool_calls][ /tool_results]"},
      {"<tool_call></tool_call>", "< tool_call>< /tool_call>"},
      {"a<b <p> | > [a] <t> <en </ \xef\xbc\x9c", "a<b <p> | > [a] <t> <en </ \xef\xbc\x9c"},
      {"<", "<"},
      {"x<s", "x<s"},
  };
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_buffer out = {0};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    ee_buffer_clear(&out);
    ee_llm_fence(&out, EE_STR("candidate"), ee_value_new_string(&arena, ee_str_from(texts[i][0])));
    const char *fenced = strchr(ee_buffer_terminate(&out), '\n') + 1;
    const char *end = strstr(fenced, "\n[END ");
    assert_non_null(end);
    assert_int_equal(end - fenced, strlen(texts[i][1]));
    assert_memory_equal(fenced, texts[i][1], strlen(texts[i][1]));
  }
  /* The fence: its code at both ends, and the name. */
  ee_buffer_clear(&out);
  ee_llm_fence(&out, EE_STR("a\nb"), fixture_json(&arena, "{\"x\":1.50}"));
  char code[17], wanted[256];
  assert_memory_equal(ee_buffer_terminate(&out), "[DATA ", 6);
  snprintf(code, sizeof code, "%.16s", out.data + 6);
  assert_int_equal(strspn(code, "0123456789abcdef"), 16);
  snprintf(wanted, sizeof wanted, "[DATA %s a\\nb]\n{\"x\":1.5}\n[END %s]\n", code, code);
  assert_string_equal(ee_buffer_terminate(&out), wanted);
  ee_buffer_clear(&out);
  ee_llm_fence(&out, EE_STR("a"), NULL);
  assert_string_equal(ee_buffer_terminate(&out), "(no value)");
  ee_buffer_fini(&out);
  ee_arena_fini(&arena);
}

/* What a prompt says of the case: which values it has, as they are printed and written. */
static void test_uses(void **state) {
  (void)state;
  static const struct {
    const char *text, *printed;
    bool expected, candidate, part;
    size_t paths;
  } prompts[] = {
      {"good?", "no value of the case", false, false, false, 0},
      {"{{id}}", "id", false, false, false, 0},
      {"a {{candidate}} b", "candidate", false, true, false, 0},
      {"{{candidate.a}}{{ candidate.b[0] }}", "candidate.a, candidate.b[0]", false, false, true, 2},
      {"{{expected}} {{candidate}}", "expected, candidate", true, true, false, 0},
      {"{{expected.x}} {{record.y}}", "expected.x, record.y", true, false, false, 2},
      {"{{record.q}} {{candidate}} {{candidate.z}}", "record.q, candidate, candidate.z", false, true, true, 2},
      {"{{{{candidate}} {{{{x", "no value of the case", false, false, false, 0},
  };
  for (size_t i = 0; i < sizeof prompts / sizeof *prompts; i++) {
    fixture f;
    fixture_open(&f);
    const ee_rule_node node = {.kind = EE_STR("llm"), .file = "rules.lua", .line = 1};
    ee_plan_builder builder = {.arena = &f.arena, .errors = &f.errors};
    const ee_llm_prompt *prompt = ee_llm_prompt_compile(&builder, &node, "prompt", ee_str_from(prompts[i].text));
    if (prompt == NULL) fail_msg("%s: %s", prompts[i].text, f.errors.items[0].message);
    ee_llm_uses uses = ee_llm_prompt_uses(prompt);
    assert_int_equal(uses.expected, prompts[i].expected);
    assert_int_equal(uses.candidate, prompts[i].candidate);
    assert_int_equal(uses.candidate_part, prompts[i].part);
    ee_llm_prompt_print(prompt, &f.text);
    assert_string_equal(ee_buffer_terminate(&f.text), prompts[i].printed);
    size_t count;
    ee_llm_prompt_paths(prompt, &count);
    assert_int_equal(count, prompts[i].paths);
    fixture_close(&f);
  }
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_said), cmocka_unit_test(test_read), cmocka_unit_test(test_levels),
             cmocka_unit_test(test_answers), cmocka_unit_test(test_schema_of_answers), cmocka_unit_test(test_tokens),
             cmocka_unit_test(test_uses));
