/* test_inferred.c: rules that follow from random documents load without a warning, judge the documents against
 * themselves as right, and their tests pass. */
#include "cli/command_folder.h"

#include <inttypes.h>

#include "../data/random_document.h"
#include "data/json/json_reader.h"
#include "data/json/json_writer.h"
#include "infer/infer.h"
#include "lua/rule_file.h"
#include "lua/rule_test.h"
#include "run/run.h"

/* Random data ------------------------------------------------------------------------------------ */

typedef enum kind {
  WHOLE,
  DECIMAL,
  MONEY,
  DATE,
  BOOLEAN,
  LABEL,
  CODE,
  NAME,
  TEXT,
  NOTHING,
  BOX,
  LIST,
  ITEMS,
  OBJECT,
  ANY
} value_kind;

typedef struct schema {
  value_kind kind, element;
  const char *key;
  size_t order; /* of dates; spelling of money */
  struct schema *members;
  size_t count;
} schema;

static const char *const keys[] = {"a",
                                   "total",
                                   "date",
                                   "name",
                                   "items",
                                   "bbox",
                                   "end",
                                   "nil",
                                   "a.b",
                                   "x[0]",
                                   "q\\\"q",
                                   "it's",
                                   "\\n",
                                   "",
                                   "/p",
                                   "$",
                                   "$.a",
                                   "0",
                                   "7",
                                   "\xe6\x97\xa5",
                                   "]]",
                                   "--",
                                   "\\u0000",
                                   "b\\\\",
                                   "*",
                                   "[*]",
                                   "id",
                                   "expected",
                                   "fields",
                                   "quantity",
                                   "invoice_no",
                                   "null",
                                   "\xc3\xa9t\xc3\xa9",
                                   "candidate",
                                   "A b",
                                   "\\u007f"};

static void grow(schema *at, test_random *random, ee_arena *arena, size_t depth) {
  at->kind = (value_kind)test_random_below(random, depth > 0 ? ANY + 1 : BOX + 1);
  at->element = (value_kind)test_random_below(random, BOX + 1);
  at->order = test_random_below(random, 4);
  if (at->kind != ITEMS && at->kind != OBJECT) return;
  at->count = 1 + test_random_below(random, 5);
  at->members = EE_NEW_ARRAY(arena, schema, at->count);
  for (size_t i = 0; i < at->count; i++) {
    at->members[i].key = keys[(test_random_below(random, 7) * 5 + i) % (sizeof keys / sizeof *keys)];
    grow(&at->members[i], random, arena, depth - 1);
  }
}

/* `several`: how many levels of items may have several correct answers; items that have nothing but items inside are
 * paired if they are equal. */
static void write_value(const schema *at, value_kind kind, test_random *random, size_t several, ee_buffer *out);

/* One to three answers; the first has a value. */
static void write_answers(const schema *at, value_kind kind, test_random *random, ee_buffer *out) {
  static const char *const nothings[] = {"null", "\"\"", "\"N/A\"", "\"-\"", "\"none\"", "\" \"", NULL};
  ee_buffer_add_text(out, "{\"anyOf\":[");
  size_t start = out->length;
  bool nothing = true;
  while (nothing) {
    out->length = start;
    write_value(at, kind, random, 0, out);
    nothing = false;
    for (size_t i = 0; nothings[i] != NULL; i++) nothing |= strcmp(ee_buffer_terminate(out) + start, nothings[i]) == 0;
  }
  for (size_t i = test_random_below(random, 3); i > 0; i--) {
    ee_buffer_add_char(out, ',');
    write_value(at, kind, random, 0, out);
  }
  ee_buffer_add_text(out, "]}");
}

static void write_object(const schema *at, test_random *random, size_t several, ee_buffer *out) {
  bool any = false;
  ee_buffer_add_char(out, '{');
  for (size_t i = 0; i < at->count; i++) {
    if (test_random_below(random, 12) == 0) continue;
    ee_buffer_addf(out, "%s\"%s\":", any ? "," : "", at->members[i].key);
    write_value(&at->members[i], at->members[i].kind, random, several, out);
    any = true;
  }
  ee_buffer_add_char(out, '}');
}

static void write_list(const schema *at, value_kind kind, test_random *random, size_t several, ee_buffer *out) {
  ee_buffer_add_char(out, '[');
  for (size_t i = 0, count = test_random_below(random, 4); i < count; i++) {
    if (i > 0) ee_buffer_add_char(out, ',');
    write_value(at, kind, random, several, out);
  }
  ee_buffer_add_char(out, ']');
}

static void write_value(const schema *at, value_kind kind, test_random *random, size_t several, ee_buffer *out) {
  static const char *const labels[] = {"EUR", "USD", "GBP"}, *const words[] = {"Nordwind", "AG", "& Sons", "Jane",
                                                                               "M\xc3\xbcller"};
  static const char *const dates[] = {"%02zu/%02zu/2024", "%zu.%zu.24", "2024-%02zu-%02zu", "%zu March 20%02zu"};
  static const char *const amounts[] = {"$%zu.%02zu", "%zu,%02zu EUR", "RM %zu.%02zu", "%zu.%02zu"};
  static const char *const nothings[] = {"null", "\"\"", "\"N/A\"", "\"-\"", "\"none\"", "\" \""};
  size_t a = test_random_below(random, 12), b = test_random_below(random, 12);
  if (test_random_below(random, 25) == 0) kind = NOTHING;
  if (test_random_below(random, 60) == 0) kind = ANY;
  if (several > 0 && kind != ANY && kind != NOTHING && test_random_below(random, 10) == 0) {
    write_answers(at, kind, random, out);
    return;
  }
  switch (kind) {
  case WHOLE: ee_buffer_addf(out, "%zu", a * b); break;
  case DECIMAL: ee_buffer_addf(out, "%zu.%zu", a, b); break;
  case BOOLEAN: ee_buffer_add_text(out, a < 6 ? "true" : "false"); break;
  case MONEY:
    ee_buffer_add_char(out, '"'), ee_buffer_addf(out, amounts[at->order], a * 7, b), ee_buffer_add_char(out, '"');
    break;
  case DATE:
    ee_buffer_add_char(out, '"'), ee_buffer_addf(out, dates[at->order], a + 1, b + 1), ee_buffer_add_char(out, '"');
    break;
  case LABEL: ee_buffer_addf(out, "\"%s\"", labels[a % 3]); break;
  case CODE: ee_buffer_addf(out, "\"%c-%04zu\"", (char)('A' + b), a * 77); break;
  case NAME: ee_buffer_addf(out, "\"%s %s\"", words[a % 5], words[b % 5]); break;
  case NOTHING: ee_buffer_add_text(out, nothings[a % 6]); break;
  case BOX: ee_buffer_addf(out, "[%zu,%zu,%zu,%zu]", a, b, a + 1 + b, b + 1 + a); break;
  case LIST: write_list(at, at->element, random, several, out); break;
  case OBJECT: write_object(at, random, several, out); break;
  case ITEMS:
    ee_buffer_add_char(out, '[');
    for (size_t i = 0; i < a % 4; i++) {
      if (i > 0) ee_buffer_add_char(out, ',');
      write_object(at, random, several > 0 ? several - 1 : 0, out);
    }
    ee_buffer_add_char(out, ']');
    break;
  case TEXT: random_string(random, out, 30); break;
  case ANY: random_document(random, out, 4, 2, false); break;
  }
}

/* Runs -------------------------------------------------------------------------------------------- */

/* The document with one of several correct answers. */
static ee_value *with_one_answer(const ee_value *value, test_random *random, ee_arena *arena) {
  const ee_value *answers = ee_value_any_of(value);
  if (answers != NULL) {
    const ee_value *answer = ee_value_child(answers);
    for (size_t i = test_random_below(random, ee_value_count(answers)); i > 0; i--) answer = ee_value_next(answer);
    return with_one_answer(answer, random, arena);
  }
  ee_type type = ee_type_of(value);
  if (type != EE_ARRAY && type != EE_OBJECT) return ee_value_copy(arena, value);
  ee_value *copy = ee_value_new(arena, type);
  for (const ee_value *at = ee_value_child(value); at != NULL; at = ee_value_next(at)) {
    ee_value *child = with_one_answer(at, random, arena);
    if (type == EE_ARRAY)
      ee_value_append(copy, child);
    else
      ee_value_set(arena, copy, ee_value_key(at), child);
  }
  return copy;
}

/* With `several`, the candidate that is the same has one of the answers, except that sometimes it has all of them. */
static void save_records(const schema *root, size_t count, test_random *random, bool same, bool several) {
  bool one = several && test_random_below(random, 4) > 0;
  ee_buffer text = {0};
  for (size_t i = 0; i < count; i++) {
    ee_buffer document = {0}, other = {0};
    write_object(root, random, several ? 2 : 0, &document);
    if (same && one) {
      ee_arena arena;
      ee_error error;
      ee_arena_init(&arena, 0);
      const ee_value *value = ee_json_read(&arena, (ee_str){document.data, document.length}, NULL, &error);
      assert_non_null(value);
      ee_json_write_value(&other, with_one_answer(value, random, &arena));
      ee_arena_fini(&arena);
    } else if (same) {
      ee_buffer_add(&other, document.data, document.length);
    } else {
      write_object(root, random, several ? 2 : 0, &other);
    }
    ee_buffer_terminate(&other);
    for (size_t at = 0; at < document.length; at++)
      if (document.data[at] == '\n') document.data[at] = ' ';
    for (size_t at = 0; at < other.length; at++)
      if (other.data[at] == '\n') other.data[at] = ' ';
    ee_buffer_addf(&text, "{\"id\":\"c%zu\",\"expected\":%s,\"candidate\":%s}\n", i, ee_buffer_terminate(&document),
                   other.data);
    ee_buffer_fini(&document);
    ee_buffer_fini(&other);
  }
  save("data.jsonl", &text);
  ee_buffer_fini(&text);
}

static ee_dataset *open_data(void) {
  static const char *const file = "data.jsonl";
  ee_error error;
  ee_dataset *dataset = ee_dataset_open(&file, 1, &error);
  assert_non_null(dataset);
  return dataset;
}

static bool infer_as(ee_inference *inference, const char *command) {
  ee_error error;
  const ee_rules_origin origin = {.name = "random", .command = command};
  ee_infer_init(inference);
  ee_dataset *dataset = open_data();
  ee_status status = ee_infer(inference, dataset, NULL, NULL, NULL, &origin, &error);
  ee_dataset_close(dataset);
  assert_true(status == EE_OK || status == EE_ERROR_DATA);
  return status == EE_OK;
}

static bool infer(ee_inference *inference) { return infer_as(inference, "evalengine init data.jsonl"); }

static ee_rule_file *load_rules(const ee_inference *inference) {
  ee_error_list errors;
  ee_error_list_init(&errors);
  ee_rule_file_options options = {.text = {inference->text.data, inference->text.length}};
  ee_rule_file *rules = ee_rule_file_load("rules.lua", &options, &errors);
  for (size_t i = 0; i < errors.count; i++) print_message("%zu: %s\n", errors.items[i].line, errors.items[i].message);
  if (rules == NULL) fprintf(stderr, "%.*s\n", EE_STR_ARG(inference->text));
  assert_non_null(rules);
  assert_int_equal(errors.count, 0);
  const ee_plan *plan = ee_rule_file_plan(rules);
  for (size_t i = 0; i < plan->warning_count; i++) print_message("%s\n", plan->warnings[i].message);
  assert_int_equal(plan->warning_count, 0);
  ee_error_list_fini(&errors);
  return rules;
}

static void report(void *user, const ee_error *error) {
  if (error->status == EE_ERROR_RULES) print_message("%s\n", error->message);
  (void)user;
}

/* Whether every expected value is read by its rule. Others are named, and not always right against themselves. */
static bool fits(const ee_choice *items, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (items[i].read < items[i].values || (items[i].doubt != NULL && strstr(items[i].doubt, "anyOf") != NULL) ||
        !fits(items[i].inner, items[i].inner_count))
      return false;
  return true;
}

static void run(const ee_inference *inference, bool same) {
  ee_rule_file *rules = load_rules(inference);
  ee_dataset *dataset = open_data();
  ee_run_result result;
  ee_error error;
  ee_run_options options = {.jobs = 2, .hooks = {.report = report}};
  assert_int_equal(ee_run(ee_rule_file_plan(rules), dataset, &options, &result, &error), EE_OK);
  bool good = result.totals.rule_errors == 0;
  if (same && fits(inference->choices.items, inference->choices.count))
    good = good && ee_sample_mean(&result.totals.all.score) == 1;
  if (!good) {
    fprintf(stderr, "%.*s\n", EE_STR_ARG(inference->text));
    fail_msg("score %g, %" PRIu64 " errors of rules", ee_sample_mean(&result.totals.all.score),
             result.totals.rule_errors);
  }
  ee_totals_fini(&result.totals);
  ee_dataset_close(dataset);
  ee_rule_file_free(rules);
}

/* The test that is written beside the rules passes. */
static void run_rule_test(ee_inference *inference) {
  save("rules.lua", &inference->text);
  ee_buffer text = {0}, output = {0};
  ee_rule_test_text_write(&inference->choices, &inference->profile, "rules.lua", "rules_test.lua", &inference->arena,
                          &text);
  save("rules_test.lua", &text);
  ee_rule_test_options options = {0};
  ee_rule_test_totals totals = {0};
  ee_error error = {0};
  if (ee_rule_test_run("rules_test.lua", &options, &output, &totals, &error) != EE_OK || totals.failed > 0) {
    fprintf(stderr, "%.*s\n%.*s\n", EE_STR_ARG(inference->text), EE_STR_ARG(text));
    fail_msg("%s\n%s", error.message, ee_buffer_terminate(&output));
  }
  ee_buffer_fini(&text);
  ee_buffer_fini(&output);
}

static void documents_are_right_against_themselves(void **state) {
  (void)state;
  test_random random = test_random_start("inferred", 12);
  for (int round = 0; round < 400; round++) {
    ee_arena arena;
    ee_arena_init(&arena, 0);
    schema root = {.kind = OBJECT, .key = ""};
    while (root.kind != OBJECT || root.count == 0) grow(&root, &random, &arena, 3);
    root.kind = OBJECT;
    size_t count = 1 + test_random_below(&random, round % 10 == 0 ? 60 : 8);
    bool same = test_random_below(&random, 3) > 0;
    save_records(&root, count, &random, same, test_random_below(&random, 3) == 0);
    ee_inference inference;
    if (infer(&inference)) {
      run(&inference, same);
      run_rule_test(&inference);
    }
    ee_infer_fini(&inference);
    ee_arena_fini(&arena);
  }
  remove_files();
}

static void check_rules_of(const char *records) {
  ee_buffer text = {0};
  ee_buffer_add_text(&text, records);
  save("data.jsonl", &text);
  ee_buffer_fini(&text);
  ee_inference inference;
  assert_true(infer(&inference));
  run(&inference, false);
  run_rule_test(&inference);
  ee_infer_fini(&inference);
  remove_files();
}

/* A list that candidates have inside another list is not the same list under another name: the two paths differ in
 * their [*]. */
static void lists_of_other_depth_are_not_renamed(void **state) {
  (void)state;
  check_rules_of("{\"id\":1,\"expected\":{\"tags\":[\"a\",\"b\"],\"n\":5},"
                 "\"candidate\":{\"pages\":[{\"tags\":[\"a\",\"b\"]}],\"n\":5}}\n"
                 "{\"id\":2,\"expected\":{\"tags\":[\"c\",\"d\"],\"n\":6},"
                 "\"candidate\":{\"pages\":[{\"tags\":[\"c\",\"d\"]}],\"n\":6}}\n");
}

/* The test's right answer gives one of several right ones. */
static void right_answers_of_several_are_one(void **state) {
  (void)state;
  check_rules_of("{\"id\":1,\"expected\":{\"total\":[5,7]},\"candidate\":{\"total\":5}}\n"
                 "{\"id\":2,\"expected\":{\"total\":[6,8]},\"candidate\":{\"total\":8}}\n");
  /* The mistake in the test is not another right one. */
  check_rules_of("{\"id\":1,\"expected\":{\"paid\":[false,true],\"n\":5},\"candidate\":{\"paid\":false,\"n\":5}}\n");
  check_rules_of("{\"id\":1,\"expected\":{\"n\":{\"anyOf\":[[7,5],[3],\" \"]}},\"candidate\":{\"n\":[3]}}\n");
}

/* Most values are objects with the key "0"; the first element of the one that is an array is not described by it. */
static void an_element_is_not_a_member(void **state) {
  (void)state;
  ee_buffer text = {0};
  for (int i = 1; i <= 12; i++)
    ee_buffer_addf(&text, "{\"id\":%d,\"expected\":{\"x\":%s,\"y\":%d},\"candidate\":{\"x\":{\"0\":1.5},\"y\":%d}}\n",
                   i, i == 12 ? "[\"a\",\"b\",\"c\"]" : "{\"0\":1.5}", i, i);
  check_rules_of(ee_buffer_terminate(&text));
  ee_buffer_fini(&text);
}

/* {"anyOf": [...]} at any path holds several correct answers; where no rule takes them, a line of the rules says so. */
static void several_answers_at_a_path(void **state) {
  (void)state;
  static const struct {
    const char *records;
    const char *rules[2]; /* lines, without what is before them */
  } cases[] = {
      {"{\"id\":1,\"expected\":{\"n\":{\"anyOf\":[5,7]}},\"candidate\":{\"n\":7}}\n"
       "{\"id\":2,\"expected\":{\"n\":6},\"candidate\":{\"n\":6}}\n",
       {"ee.numeric { \"n\", alternatives = true },\n"}},
      {"{\"id\":1,\"expected\":{\"o\":{\"anyOf\":[{\"c\":\"A\"},{\"c\":\"B\"}]}},\"candidate\":{\"o\":{\"c\":\"B\"}}}"
       "\n",
       {"ee.exact { \"o\", alternatives = true },\n",
        "-- CHECK: each answer is compared as a whole; ee.tree with alternatives = true compares its members\n"}},
      {"{\"id\":1,\"expected\":{\"n\":{\"anyOf\":[[\"a\",\"b\"],[\"c\"]]}},\"candidate\":{\"n\":[\"b\",\"a\"]}}\n"
       "{\"id\":2,\"expected\":{\"n\":[\"d\",\"e\"]},\"candidate\":{\"n\":[\"d\",\"e\"]}}\n",
       {"ee.set { \"n\", match = ee.fuzzy { threshold = 0.85 }, alternatives = true },\n"}},
      {"{\"id\":1,\"expected\":{\"n\":{\"anyOf\":[null,\"\"]},\"m\":1},\"candidate\":{\"n\":\"x\",\"m\":1}}\n",
       {"ee.exact   { \"n\", alternatives = true },\n", "-- always empty, several correct answers: "}},
      /* In the words of a comment, which may be cut anywhere else. */
      {"{\"id\":1,\"expected\":{\"n\":{\"anyOf\":[1,[2]]}},\"candidate\":{\"n\":1}}\n"
       "{\"id\":2,\"expected\":{\"n\":[3,4]},\"candidate\":{\"n\":3}}\n",
       {"ee.exact   \"n\",\n", "-- CHECK: 1 expected value is {\"anyOf\": [...]}, compared as an object: "}},
      {"{\"id\":1,\"expected\":{\"n\":{\"anyOf\":[1,2]}},\"candidate\":{\"n\":{\"anyOf\":[1,2]}}}\n",
       {"ee.exact   \"n\",\n", "compared as an object: candidates have such objects, too\n"}},
      {"{\"id\":1,\"expected\":{\"n\":[{\"anyOf\":[\"a\",\"b\"]},\"c\"]},\"candidate\":{\"n\":[\"a\",\"c\"]}}\n",
       {"ee.set { \"n\"", "1 expected value is {\"anyOf\": [...]}, compared as an object: only ee.tree"}},
      {"{\"id\":1,\"expected\":{\"n\":[{\"anyOf\":[{\"c\":1},{\"c\":2}]},{\"c\":3}]},\"candidate\":{\"n\":[{\"c\":1}]}}"
       "\n",
       {"ee.line_items {\n", "1 expected value is {\"anyOf\": [...]}, compared as an object: only ee.tree"}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ee_buffer text = {0};
    ee_buffer_add_text(&text, cases[i].records);
    save("data.jsonl", &text);
    ee_buffer_fini(&text);
    ee_inference inference;
    assert_true(infer(&inference));
    for (size_t k = 0; k < 2 && cases[i].rules[k] != NULL; k++)
      if (strstr(ee_buffer_terminate(&inference.text), cases[i].rules[k]) == NULL)
        fail_msg("no '%s' in %s", cases[i].rules[k], inference.text.data);
    run(&inference, i < 3);
    run_rule_test(&inference);
    ee_infer_fini(&inference);
    remove_files();
  }
}

/* The names of the files are in comments: answers of two models are judged by the same rules. */
static void names_of_files_do_not_change_the_hash(void **state) {
  (void)state;
  ee_buffer text = {0};
  ee_buffer_add_text(&text, "{\"id\":1,\"expected\":{\"n\":5},\"candidate\":{\"n\":5}}\n");
  save("data.jsonl", &text);
  ee_buffer_fini(&text);
  static const char *const commands[] = {"evalengine init t a.jsonl", "evalengine init t b.jsonl"};
  uint64_t hashes[2];
  for (size_t i = 0; i < 2; i++) {
    ee_inference inference;
    assert_true(infer_as(&inference, commands[i]));
    ee_rule_file *rules = load_rules(&inference);
    hashes[i] = ee_rule_file_plan(rules)->rules_hash;
    ee_rule_file_free(rules);
    ee_infer_fini(&inference);
  }
  assert_true(hashes[0] == hashes[1]);
  assert_true(hashes[0] != 0);
  remove_files();
}

EE_TEST_FILE(set_up_folder, tear_down_folder, cmocka_unit_test(documents_are_right_against_themselves),
             cmocka_unit_test(lists_of_other_depth_are_not_renamed), cmocka_unit_test(right_answers_of_several_are_one),
             cmocka_unit_test(an_element_is_not_a_member), cmocka_unit_test(several_answers_at_a_path),
             cmocka_unit_test(names_of_files_do_not_change_the_hash));
