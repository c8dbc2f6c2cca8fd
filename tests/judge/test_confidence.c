/* test_confidence.c: where confidences are read, what is a confidence, which values come out of their objects,
 * documents, costs, and what rows keep. */
#include "judge/confidence.h"

#include <math.h>

#include "judge/fields/field.h"
#include "judge/plan_fixture.h"

#define RULES(options, fields)                                                                                         \
  "{\"ee\": \"rules\", \"items\": [{\"ee\": \"fields\", " options ", \"items\": [" fields "]}]}"
#define EXACT(path) "{\"ee\": \"exact\", \"items\": [\"" path "\"]}"

/* The confidences as rows have them, which are the same after they were read back. */
static const char *judge(fixture *f, const char *rules, const char *expected, const char *candidate) {
  const ee_judge_result *result = fixture_judge_rules(f, rules, expected, candidate);
  ee_buffer_clear(&f->text);
  ee_confidences_write(result->confidences, &f->text);
  const char *written = ee_arena_printf(&f->case_arena, "%s", ee_buffer_terminate(&f->text));
  const char *row = ee_arena_printf(&f->case_arena, "{%s}", *written == ',' ? written + 1 : written);
  const ee_confidences *read = ee_confidences_read(fixture_json(&f->case_arena, row), &f->case_arena);
  ee_buffer_clear(&f->text);
  ee_confidences_write(read, &f->text);
  assert_string_equal(ee_buffer_terminate(&f->text), written);
  return written;
}

#define assert_confidences(f, options, fields, expected, candidate, written)                                           \
  assert_string_equal(judge(f, RULES(options, fields), expected, candidate), ",\"confidences\":" written)

static void test_places(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  const char *one = "{\"a\": 1}";
#define SURE "[[\"a\",0.5,true]],\"document_confidence\":[0.5,true]"
  assert_confidences(&f, "\"confidence\": \"*.confidence\"", EXACT("a"), one,
                     "{\"a\": {\"value\": 1, \"confidence\": 0.5}}", SURE);
  assert_confidences(&f, "\"confidence\": \"*.Confidence\"", EXACT("a"), "{\"a\": \"x\"}",
                     "{\"a\": {\"Text\": \"x\", \"Confidence\": 0.5}}", SURE);
  assert_confidences(&f, "\"confidence\": \"c.*\"", EXACT("a"), one, "{\"a\": 1, \"c\": {\"a\": 0.5}}", SURE);
  assert_confidences(&f, "\"confidence\": \"*_sure\"", EXACT("a"), one, "{\"a\": 1, \"a_sure\": \"0.5\"}", SURE);
  assert_confidences(&f, "\"confidence\": {\"path\": \"*.p\", \"value\": \"v.w\"}", EXACT("a"), one,
                     "{\"a\": {\"v\": {\"w\": 1}, \"p\": 0.5}}", SURE);
  /* Quoted keys, a path of the field's own, and none. */
  assert_confidences(&f, "\"confidence\": \"c.*\"", EXACT("[\\\"a.b\\\"]"), "{\"a.b\": 1}",
                     "{\"a.b\": 1, \"c\": {\"a.b\": 0.5}}",
                     "[[\"[\\\"a.b\\\"]\",0.5,true]],\"document_confidence\":[0.5,true]");
  assert_confidences(&f, "\"weight\": 1",
                     "{\"ee\": \"exact\", \"items\": [\"a\"], \"confidence\": \"own\"}," EXACT("b"),
                     "{\"a\": 1, \"b\": 2}", "{\"a\": 1, \"b\": 2, \"own\": 0.5}",
                     "[[\"a\",0.5,true],[\"b\",\"none\",true]],\"document_confidence\":[0.5,true]");
  /* A plain value stays as it is; an object without the confidence is compared whole; one without a value is empty. */
  assert_confidences(&f, "\"confidence\": \"*.confidence\"", EXACT("a"), one, "{\"a\": 1}",
                     "[[\"a\",\"missing\",true]],\"document_confidence\":[\"missing\",true]");
  assert_confidences(&f, "\"confidence\": \"*.confidence\"", EXACT("a"), "{\"a\": {\"x\": 1}}", "{\"a\": {\"x\": 1}}",
                     "[[\"a\",\"missing\",true]],\"document_confidence\":[\"missing\",true]");
  assert_confidences(&f, "\"confidence\": \"*.confidence\"", EXACT("a"), one, "{\"a\": {\"confidence\": 0.1}}",
                     "[[\"a\",null,false]],\"document_confidence\":[null,false]");
  /* Without the option nothing is written. */
  assert_string_equal(judge(&f, RULES("\"weight\": 1", EXACT("a")), one, "{\"a\": 1}"), "");
  fixture_close(&f);
}

/* In the candidate, or else in the record. */
static void test_records(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  static const struct {
    const char *candidate, *record, *written;
  } rows[] = {
      {"{\"a\": 1}", "{\"c\": {\"a\": 0.25}}", "0.25,true"},
      {"{\"a\": 1, \"c\": {\"a\": 0.5}}", "{\"c\": {\"a\": 0.25}}", "0.5,true"},
      {"{\"a\": 1, \"c\": {}}", "{\"c\": {\"a\": 0.25}}", "\"missing\",true"},
      {"{\"a\": 1}", "{\"a\": 0.25}", "\"missing\",true"},
  };
  fixture_rules(&f, RULES("\"confidence\": \"c.*\"", EXACT("a")));
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ee_arena_reset(&f.case_arena, 0);
    f.current = (ee_case){.id = EE_STR("x"),
                          .expected = fixture_json(&f.case_arena, "{\"a\": 1}"),
                          .candidate = fixture_json(&f.case_arena, rows[i].candidate),
                          .candidate_state = EE_CANDIDATE_READ,
                          .record = fixture_json(&f.case_arena, rows[i].record)};
    f.context =
        (ee_context){.plan = f.plan, .arena = &f.case_arena, .script = &f.script, .rule_errors = &f.rule_errors};
    ee_plan_judge(f.plan, &f.context, &f.current, &f.result);
    ee_buffer_clear(&f.text);
    ee_confidences_write(f.result.judges[0].confidences, &f.text);
    const char *written = ee_arena_printf(&f.case_arena, ",\"confidences\":[[\"a\",%s]],\"document_confidence\":[%s]",
                                          rows[i].written, rows[i].written);
    assert_string_equal(ee_buffer_terminate(&f.text), written);
  }
  fixture_close(&f);
}

/* What is read of `found` with a scale; negative: it is not a confidence. */
static double read_as(fixture *f, const char *scale, const char *found) {
  const char *rules = ee_arena_printf(
      &f->case_arena, RULES("\"confidence\": {\"path\": \"c.*\", \"scale\": \"%s\"}", EXACT("a")), scale);
  char kept[512], candidate[512];
  snprintf(kept, sizeof kept, "%s", rules);
  snprintf(candidate, sizeof candidate, "{\"a\": 1, \"c\": {\"a\": %s}}", found);
  const ee_judge_result *result = fixture_judge_rules(f, kept, "{\"a\": 1}", candidate);
  const ee_confidence_value *value = &result->confidences->items[0];
  return value->state == EE_CONFIDENCE_READ ? value->confidence : value->state == EE_CONFIDENCE_BAD ? -1 : -2;
}

static void test_scales(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  assert_true(read_as(&f, "share", "0") == 0 && read_as(&f, "share", "1") == 1 && read_as(&f, "share", "0.25") == 0.25);
  assert_true(read_as(&f, "share", "1.0000000001") == 1 && read_as(&f, "share", "-1e-10") == 0);
  assert_true(read_as(&f, "share", "1.01") == -1 && read_as(&f, "share", "-0.1") == -1);
  assert_true(read_as(&f, "share", "\"high\"") == -1 && read_as(&f, "share", "true") == -1);
  assert_true(read_as(&f, "share", "[0.5]") == -1 && read_as(&f, "share", "{}") == -1);
  assert_true(read_as(&f, "share", "null") == -2);
  assert_true(read_as(&f, "percent", "50") == 0.5 && read_as(&f, "percent", "\"12.5\"") == 0.125);
  assert_true(read_as(&f, "percent", "101") == -1);
  assert_true(read_as(&f, "logprob", "0") == 1 && read_as(&f, "logprob", "0.1") == -1);
  assert_true(fabs(read_as(&f, "logprob", "[-0.5, -1.5]") - exp(-2)) < 1e-15);
  assert_true(fabs(read_as(&f, "mean_logprob", "[-0.5, -1.5]") - exp(-1)) < 1e-15);
  assert_true(fabs(read_as(&f, "logprob", "[{\"token\": \"x\", \"logprob\": -0.5}]") - exp(-0.5)) < 1e-15);
  assert_true(read_as(&f, "logprob", "[]") == -1 && read_as(&f, "logprob", "[{\"token\": \"x\"}]") == -1);
  assert_true(read_as(&f, "logprob", "-1e308") == 0);
  fixture_close(&f);
}

static void test_documents_and_costs(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
#define ABC EXACT("a") "," EXACT("b") ",{\"ee\": \"exact\", \"items\": [\"c\"], \"required\": false}"
#define SURES ", \"s\": {\"a\": 0.5, \"b\": 0.25, \"c\": 0.75}}"
  const char *all = "{\"a\": 1, \"b\": 2, \"c\": 3}", *right = "{\"a\": 1, \"b\": 2, \"c\": 3" SURES;
#define THREE "[[\"a\",0.5,true],[\"b\",0.25,true],[\"c\",0.75,true]]"
  assert_confidences(&f, "\"confidence\": \"s.*\"", ABC, all, right, THREE ",\"document_confidence\":[0.25,true]");
  assert_confidences(&f, "\"confidence\": {\"path\": \"s.*\", \"document\": \"min\"}", ABC, all, right,
                     THREE ",\"document_confidence\":[0.25,true]");
  assert_confidences(&f, "\"confidence\": {\"path\": \"s.*\", \"document\": \"mean\"}", ABC, all, right,
                     THREE ",\"document_confidence\":[0.5,true]");
  assert_confidences(&f, "\"confidence\": {\"path\": \"s.*\", \"document\": \"product\"}", ABC, all, right,
                     THREE ",\"document_confidence\":[0.09375,true]");
  assert_confidences(&f, "\"confidence\": {\"path\": \"s.*\", \"document\": \"s.c\"}", ABC, all, right,
                     THREE ",\"document_confidence\":[0.75,true]");
  /* A missing optional value leaves the document right; a wrong one does not. */
  assert_confidences(&f, "\"confidence\": \"s.*\"", ABC, all, "{\"a\": 1, \"b\": 2" SURES,
                     "[[\"a\",0.5,true],[\"b\",0.25,true],[\"c\",null,false]],\"document_confidence\":[0.25,true]");
  assert_confidences(&f, "\"confidence\": \"s.*\"", ABC, all, "{\"a\": 1, \"b\": 2, \"c\": 4" SURES,
                     "[[\"a\",0.5,true],[\"b\",0.25,true],[\"c\",0.75,false]],\"document_confidence\":[0.25,false]");
  /* One of each: right, wrong, invented, missing, rightly empty. */
  assert_confidences(&f, "\"confidence\": \"s.*\", \"cost\": {\"incorrect\": 5, \"missing\": 2}",
                     EXACT("a") "," EXACT("b") "," EXACT("c") "," EXACT("d") "," EXACT("e"),
                     "{\"a\": 1, \"b\": 2, \"d\": 4}", "{\"a\": 1, \"b\": 3, \"c\": 3" SURES,
                     "[[\"a\",0.5,true],[\"b\",0.25,false],[\"c\",0.75,false,\"spurious\"],[\"d\",null,false],"
                     "[\"e\",null,true]],\"document_confidence\":[0.25,false],\"cost\":12,"
                     "\"costs\":{\"incorrect\":5,\"missing\":2,\"spurious\":5}");
  /* No candidate: nothing was answered, and the document is wrong. */
  assert_confidences(&f, "\"confidence\": \"s.*\"", EXACT("a"), "{}", NULL,
                     "[[\"a\",null,true]],\"document_confidence\":[null,false]");
  /* An expected value that cannot be read says nothing about the document. */
  assert_confidences(&f, "\"confidence\": \"s.*\"", "{\"ee\": \"numeric\", \"items\": [\"a\"]}", "{\"a\": \"many\"}",
                     "{\"a\": 1, \"s\": {\"a\": 0.5}}", "[]");
  fixture_close(&f);
}

/* A confidence below the field's own path is of an object around the value; one elsewhere is not, and the object is
 * compared whole. Elements have theirs by position. */
static void test_around_values(void **state) {
  (void)state;
  static const struct {
    const char *path, *confidence, *expected, *candidate, *written;
  } rows[] = {
      {"a", "a.sure", "{\"a\": 1}", "{\"a\": {\"value\": 1, \"sure\": 0.5}}", "0.5,true"},
      {"a", "b.sure", "{\"a\": 1}", "{\"a\": {\"value\": 1}, \"b\": {\"sure\": 0.5}}", "0.5,false"},
      {"a.b", "a.c.sure", "{\"a\": {\"b\": 1}}", "{\"a\": {\"b\": {\"value\": 1}, \"c\": {\"sure\": 0.5}}}",
       "0.5,false"},
      {"a.b", "a.b.sure", "{\"a\": {\"b\": 1}}", "{\"a\": {\"b\": {\"value\": 1, \"sure\": 0.5}}}", "0.5,true"},
      {"a", "a", "{\"a\": 0.5}", "{\"a\": 0.5}", "0.5,true"},
      {"a", "a", "{\"a\": 1}", "{\"a\": {\"value\": 1}}", "\"bad\",false"},
      {"a.b", "a", "{\"a\": {\"b\": 1}}", "{\"a\": {\"b\": {\"value\": 1}}}", "\"bad\",false"},
      {"l[0]", "l.0.sure", "{\"l\": [1]}", "{\"l\": [{\"value\": 1, \"sure\": 0.5}]}", "0.5,true"},
      {"l.0", "l[0].sure", "{\"l\": [1]}", "{\"l\": [{\"value\": 1, \"sure\": 0.5}]}", "0.5,true"},
      {"l[0]", "l[1].sure", "{\"l\": [1]}", "{\"l\": [{\"value\": 1}, {\"sure\": 0.5}]}", "0.5,false"},
      {"l[0]", "l['0'].sure", "{\"l\": [1]}", "{\"l\": [{\"value\": 1, \"sure\": 0.5}]}", "\"missing\",false"},
      {"l['0']", "l.0.sure", "{\"l\": {\"0\": 1}}", "{\"l\": {\"0\": {\"value\": 1, \"sure\": 0.5}}}", "0.5,true"},
      {"l[*]", "l[*].sure", "{\"l\": [1, 2]}",
       "{\"l\": [{\"value\": 1, \"sure\": 0.5}, {\"value\": 2, \"sure\": 0.25}]}", "0.5,true],[\"n\",0.25,true"},
      {"l[*]", "s[*]", "{\"l\": [1, 2, 3]}", "{\"l\": [1, 2, 4], \"s\": [0.5, 0.25, 0.75]}",
       "0.5,true],[\"n\",0.25,true],[\"n\",0.75,false"},
      {"l[*]", "s[*]", "{\"l\": [1, 2]}", "{\"l\": [1, 2], \"s\": [0.5]}", "0.5,true],[\"n\",\"missing\",true"},
      {"l[*]", "s[*]", "{\"l\": [1, 2]}", "{\"l\": [1, 2], \"s\": 0.5}", "\"missing\",true],[\"n\",\"missing\",true"},
      {"[*]", "[*].sure", "[1]", "[{\"value\": 1, \"sure\": 0.5}]", "0.5,true"},
      /* An object without the confidence is the value; where only the confidence is there, nothing was found. */
      {"a", "a.b.sure", "{\"a\": {\"b\": {}}}", "{\"a\": {\"b\": {}}}", "\"missing\",true"},
      {"a", "a.sure", "{\"a\": [1]}", "{\"a\": [1]}", "\"missing\",true"},
      {"a", "a.sure", "{\"a\": 1}", "{\"a\": {\"text\": 2, \"content\": 1, \"sure\": 0.5}}", "0.5,true"},
      {"a", "a.sure", "{\"a\": 2}", "{\"a\": {\"valueCurrency\": {\"amount\": 2}, \"sure\": 0.5}}", "0.5,true"},
      {"a", "a.sure", "{\"a\": 1}", "{\"a\": {\"sure\": 0.5}}", "null,false"},
  };
  fixture f;
  fixture_open(&f);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char rules[512], written[128];
    snprintf(
        rules, sizeof rules,
        "{\"ee\": \"rules\", \"items\": [{\"ee\": \"fields\", \"items\": [{\"ee\": \"exact\", \"items\": [\"%s\"], "
        "\"name\": \"n\", \"confidence\": \"%s\"}]}]}",
        rows[i].path, rows[i].confidence);
    snprintf(written, sizeof written, ",\"confidences\":[[\"n\",%s]],", rows[i].written);
    const char *got = judge(&f, rules, rows[i].expected, rows[i].candidate);
    if (strncmp(got, written, strlen(written)) != 0)
      fail_msg("%s with %s in %s: %s", rows[i].path, rows[i].confidence, rows[i].candidate, got);
  }
  fixture_close(&f);
}

/* The field's path in the place of the '*', which is not the one of a [*]. */
static void test_patterns(void **state) {
  (void)state;
  static const struct {
    const char *pattern, *field, *path;
  } rows[] = {
      {"*.sure", "a", "a.sure"},
      {"*", "a.b", "a.b"},
      {"s.*", "a.b", "s.a.b"},
      {"s_*", "a", "s_a"},
      {"*_sure", "o.a", "o.a_sure"},
      {"s.*.p", "['a.b']", "s[\"a.b\"].p"},
      {"s.*", "['a.b'].c", "s[\"a.b\"].c"},
      {"*.p", "['a.b']", "[\"a.b\"].p"},
      {"s.*", "[0]", "s[0]"},
      {"*.sure", "l[*].a", "l[*].a.sure"},
  };
  fixture f;
  fixture_open(&f);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char rules[512];
    snprintf(rules, sizeof rules, RULES("\"confidence\": \"%s\"", EXACT("%s")), rows[i].pattern, rows[i].field);
    fixture_close(&f);
    fixture_open(&f);
    fixture_rules(&f, rules);
    assert_string_equal(
        ee_arena_printf(&f.arena, "%.*s", EE_STR_ARG(f.plan->judges[0]->fields->fields[0].confidence->path->text)),
        rows[i].path);
  }
  fixture_close(&f);
}

/* Paths that no confidence can be put into have none; mistakes are reported at the table that has them. */
static void test_mistakes(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  static const char *const without[] = {"{\"ee\": \"exact\", \"items\": [\"$\"]}",
                                        "{\"ee\": \"exact\", \"items\": [\"$.l[-1]\"]}",
                                        "{\"ee\": \"exact\", \"items\": [\"a\"], \"confidence\": false}"};
  for (size_t i = 0; i < sizeof without / sizeof *without; i++) {
    char rules[512];
    snprintf(rules, sizeof rules, RULES("\"confidence\": \"*.sure\"", "%s"), without[i]);
    fixture_close(&f);
    fixture_open(&f);
    fixture_rules(&f, rules);
    assert_null(f.plan->judges[0]->fields->fields[0].confidence);
  }
  fixture_close(&f);
  check_mistakes(RULES("\"confidence\": \"sure\"", EXACT("a")),
                 "1: the path 'sure' of confidence needs a '*' for the path of each field (did you mean 'sure.*'?)");
  check_mistakes(RULES("\"confidence\": {\"line\": 3, \"path\": \"sure\"}", EXACT("a")),
                 "3: the path 'sure' of confidence needs a '*' for the path of each field (did you mean 'sure.*'?)");
  check_mistakes(RULES("\"confidence\": {\"line\": 3, \"items\": [\"*.p\"]}", EXACT("a")),
                 "3: confidence takes its values by name, got a string");
  check_mistakes(RULES("\"cost\": {\"line\": 4, \"items\": [1]}", EXACT("a")),
                 "4: cost takes its values by name, got a number");
  check_mistakes(RULES("\"confidence\": {\"line\": 3, \"path\": \"*.p\", \"value\": [\"v\", \"w[*]\"]}", EXACT("a")),
                 "3: option 'value' of confidence must be a path of one value, got 'w[*]'");
  check_mistakes(RULES("\"confidence\": \"s[*].*\"", EXACT("a")),
                 "1: path 'a' and the path 's[*].a' of its confidence differ in their number of [*]");
}

/* Rows of other programs may have anything there. */
static void test_bad_rows(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  static const char *const rows[] = {"{}", "{\"confidences\": 3}", "{\"confidences\": {\"a\": 1}}"};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    assert_null(ee_confidences_read(fixture_json(&f.arena, rows[i]), &f.arena));
  const ee_confidences *read = ee_confidences_read(
      fixture_json(&f.arena,
                   "{\"confidences\": [1, [], [\"a\"], [\"a\", 0.5], [\"a\", 2, true], [\"a\", 0.5, 1], [3, 0.5, "
                   "true], [\"a\", [], true], [\"b\", 0.5, true]], \"document_confidence\": [0.5], "
                   "\"cost\": -1, \"costs\": []}"),
      &f.arena);
  assert_int_equal(read->count, 1);
  assert_true(ee_str_is(read->items[0].field, "b") && !read->has_document && !read->has_cost);
  fixture_close(&f);
}

/* Objects with a confidence beside the value tell which option they need. */
static void test_patterns_of_values(void **state) {
  (void)state;
  assert_string_equal(ee_confidence_pattern_of(EE_STR("{\"value\":1,\"confidence\":0.5}")), "*.confidence");
  assert_string_equal(ee_confidence_pattern_of(EE_STR("{\"Text\":1,\"Confidence\":0.5}")), "*.Confidence");
  assert_string_equal(ee_confidence_pattern_of(EE_STR("{\"confidence\":")), "*.confidence");
  static const char *const others[] = {
      "", "{", "{}", "\"confidence\":1", "[{\"confidence\":1}]", "{\"a\":\"confidence\"}", "{\"confidences\":1}"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    if (ee_confidence_pattern_of(ee_str_from(others[i])) != NULL) fail_msg("%s", others[i]);
  }
}

static void assert_printed(fixture *f, const char *options, const char *printed) {
  char rules[512];
  snprintf(rules, sizeof rules,
           "{\"ee\": \"rules\", \"items\": [{\"ee\": \"fields\", %s, \"items\": [" EXACT("a") "]}]}", options);
  fixture_judge_rules(f, rules, "{\"a\":1}", "{\"a\":1}");
  ee_buffer_clear(&f->text);
  ee_plan_print(f->plan, &f->text);
  if (strstr(ee_buffer_terminate(&f->text), printed) == NULL) fail_msg("%s\nis not in\n%s", printed, f->text.data);
}

/* What a plan says of confidences and costs. */
static void test_printed(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  assert_printed(&f, "\"confidence\": \"s.*\"", "  confidence s.* (share), of a document: min\n");
  assert_printed(&f, "\"confidence\": {\"path\": \"s.*\", \"scale\": \"percent\", \"document\": \"mean\"}",
                 "  confidence s.* (percent), of a document: mean\n");
  assert_printed(&f, "\"confidence\": {\"path\": \"s.*\", \"scale\": \"mean_logprob\", \"document\": \"product\"}",
                 "  confidence s.* (mean_logprob), of a document: product\n");
  assert_printed(&f, "\"confidence\": {\"document\": \"meta.sure\"}",
                 "  confidence (share), of a document: meta.sure\n");
  assert_printed(&f, "\"cost\": {\"incorrect\": 5, \"missing\": 0.5}", "  cost incorrect 5, missing 0.5, spurious 5\n");
  fixture_close(&f);
}

/* Wanted accuracies are kept in the order of the rule file. */
static void test_accept(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  const ee_judge_result *result =
      fixture_judge_rules(&f, RULES("\"confidence\": {\"path\": \"s.*\", \"accept\": [0.5, 0.75, 0.9]}", EXACT("a")),
                          "{\"a\":1}", "{\"a\":1}");
  const ee_confidence_rules *rules = result->judge->confidence;
  assert_int_equal(rules->accept_count, 3);
  assert_true(rules->accept[0] == 0.5 && rules->accept[1] == 0.75 && rules->accept[2] == 0.9);
  fixture_close(&f);
}

/* Rows that are equal on both sides have confidences like the others. */
static void test_equal_rows(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  fixture_rules(
      &f, "{\"ee\":\"rules\",\"items\":[{\"ee\":\"line_items\",\"confidence\":\"*_sure\",\"items\":[\"lines\"," EXACT(
              "a") "]}]}");
  fixture_judge_case(&f, "{\"lines\":[{\"a\":1,\"a_sure\":0.5},{\"a\":2,\"a_sure\":0.25}]}",
                     "{\"lines\":[{\"a\":1,\"a_sure\":0.5},{\"a\":2,\"a_sure\":0.75}]}");
  ee_buffer_clear(&f.text);
  ee_confidences_write(f.result.judges[0].confidences, &f.text);
  assert_string_equal(ee_buffer_terminate(&f.text),
                      ",\"confidences\":[[\"a\",0.5,true],[\"a\",0.75,true]],\"document_confidence\":[0.5,true]");
  fixture_close(&f);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_places), cmocka_unit_test(test_records), cmocka_unit_test(test_scales),
             cmocka_unit_test(test_documents_and_costs), cmocka_unit_test(test_around_values),
             cmocka_unit_test(test_patterns), cmocka_unit_test(test_mistakes), cmocka_unit_test(test_bad_rows),
             cmocka_unit_test(test_equal_rows), cmocka_unit_test(test_patterns_of_values),
             cmocka_unit_test(test_printed), cmocka_unit_test(test_accept));
