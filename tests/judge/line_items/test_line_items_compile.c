/* test_line_items_compile.c: ee.line_items in the rule file: what the rules come to, mistakes, and what is printed. */
#include "judge/plan_fixture.h"

#include "judge/line_items/line_items.h"

#define LIST(options, items)                                                                                           \
  "{\"ee\":\"rules\",\"items\":[{\"ee\":\"line_items\",\"line\":2" options ",\"items\":[\"l\"" items "]}]}"
#define FIELD(strategy, more) ",{\"ee\":\"" strategy "\",\"line\":3,\"items\":[" more "]}"
#define EXACT(path) FIELD("exact", "\"" path "\"")
#define MATCH(more) ",\"match\":{" more "}"
#define INNER(options, items) ",{\"ee\":\"line_items\",\"line\":4" options ",\"items\":[\"lines\"" items "]}"
#define CUSTOM "{\"ee\":\"custom\",\"items\":[\"c\",{\"function\":0}]}"
#define SEMANTIC "{\"ee\":\"semantic\",\"items\":[\"s\"]}"

/* "a b c=2; by 'd'; equal first; inner 1; script; provider; keys of the data": the attributes with their weights other
 * than 1, by what items are paired, and what is true of the judge. */
static const char *facts(fixture *f) {
  const ee_judge *judge = f->plan->judges[0];
  const ee_line_items *items = judge->data;
  ee_buffer_clear(&f->text);
  for (size_t i = 0; i < judge->attribute_count; i++) {
    ee_buffer_addf(&f->text, "%s%.*s", i > 0 ? " " : "", EE_STR_ARG(judge->attributes[i].name));
    if (items->weights[i] != 1) ee_buffer_addf(&f->text, "=%g", items->weights[i]);
  }
  if (items->match_names != NULL) ee_buffer_addf(&f->text, "; by %s", items->match_names);
  if (items->equal_first) ee_buffer_add_text(&f->text, "; equal first");
  if (items->inner_count > 0) ee_buffer_addf(&f->text, "; inner %zu", items->inner_count);
  if (judge->calls_script) ee_buffer_add_text(&f->text, "; script");
  if (judge->uses_provider) ee_buffer_add_text(&f->text, "; provider");
  if (judge->data_attributes) ee_buffer_add_text(&f->text, "; keys of the data");
  return ee_buffer_terminate(&f->text);
}

static void test_facts(void **state) {
  (void)state;
  static const struct {
    const char *rules, *facts;
  } cases[] = {
      {LIST("", ""), "; by 'description'; equal first; keys of the data"},
      {LIST("", EXACT("a") ",{\"ee\":\"exact\",\"items\":[\"b\"],\"weight\":2}"),
       "a b=2; by 'description'; equal first"},
      {LIST(",\"match\":\"d.e\"", EXACT("a")), "a; by 'd.e'; equal first"},
      {LIST(",\"match\":\"fields\"", EXACT("a")), "a; equal first"},
      {LIST(MATCH(""), EXACT("a")), "a; by 'description'; equal first"},
      {LIST(MATCH("\"items\":[\"d\",{\"ee\":\"exact\",\"items\":[\"e\"]}]"), EXACT("a")),
       "a; by 'd', 'e'; equal first"},
      {LIST(MATCH("\"score_fields\":true"), EXACT("a")), "a; equal first"},
      {LIST(MATCH("\"key\":\"k\""), EXACT("a")), "a; by 'k'"},
      {LIST(MATCH("\"method\":\"key\",\"items\":[\"k\"]"), EXACT("a")), "a; by 'k'"},
      {LIST(MATCH("\"key\":{\"function\":0}"), EXACT("a")), "a; script"},
      {LIST(MATCH("\"method\":\"index\""), EXACT("a")), "a"},
      {LIST(MATCH("\"method\":\"index\",\"score_fields\":true"), EXACT("a")), "a"},
      {LIST(MATCH("\"similarity\":{\"function\":0}"), EXACT("a")), "a; script"},
      /* A field of other paths, of a strategy that may reject equal values or calls Lua or a model: to match by, and in
       * the score. */
      {LIST("", ",{\"ee\":\"exact\",\"items\":[\"a\"],\"candidate\":\"b\"}"), "a; by 'description'"},
      {LIST(MATCH("\"items\":[{\"ee\":\"exact\",\"items\":[\"e\"],\"candidate\":\"f\"}]"), EXACT("a")), "a; by 'e'"},
      {LIST("", FIELD("one_of", "\"a\",1,2")), "a; by 'description'"},
      {LIST(MATCH("\"items\":[{\"ee\":\"one_of\",\"items\":[\"e\",1]}]"), EXACT("a")), "a; by 'e'"},
      {LIST("", "," CUSTOM), "c; by 'description'; script"},
      {LIST(MATCH("\"items\":[" CUSTOM "]"), EXACT("a")), "a; by 'c'; script"},
      {LIST("", "," SEMANTIC), "s; by 'description'; equal first; provider"},
      {LIST(MATCH("\"items\":[" SEMANTIC "]"), EXACT("a")), "a; by 's'; equal first; provider"},
      {LIST("", ",{\"ee\":\"exact\",\"items\":[\"a\"],\"when\":{\"function\":0}}"),
       "a; by 'description'; equal first; script"},
      /* Inner lists: attributes in the order of the rule file; what is true of one is true of the judge. */
      {LIST("", EXACT("a") INNER("", EXACT("b") EXACT("['x.y']")) EXACT("c")),
       "a lines.b lines['x.y'] c; by 'description'; equal first; inner 1"},
      {LIST("", INNER(",\"name\":\"in\",\"weight\":3", ",{\"ee\":\"exact\",\"items\":[\"b\"],\"weight\":4}")),
       "in.b=4; by 'description'; equal first; inner 1"},
      {LIST("", INNER("", "")), "; by 'description'; equal first; inner 1; keys of the data"},
      {LIST("", INNER("", INNER("", ""))), "; by 'description'; equal first; inner 1; keys of the data"},
      {LIST("", INNER("", INNER("", "," CUSTOM))), "lines.lines.c; by 'description'; equal first; inner 1; script"},
      {LIST("", INNER(MATCH("\"items\":[" SEMANTIC "]"), EXACT("a"))),
       "lines.a; by 'description'; equal first; inner 1; provider"},
      /* The order of an inner list counts where it is paired by it, or where a field of the outer one reads into it. */
      {LIST("", INNER(MATCH("\"method\":\"index\""), EXACT("b"))), "lines.b; by 'description'; equal first"},
      {LIST("", EXACT("lines[0].b") INNER(",\"name\":\"in\"", EXACT("b"))),
       "lines[0].b in.b; by 'description'; equal first"},
      {LIST("", EXACT("lines") INNER(",\"name\":\"in\"", EXACT("b"))), "lines in.b; by 'description'; equal first"},
      {LIST(",\"match\":\"lines[0].d\"", INNER("", EXACT("b"))), "lines.b; by 'lines[0].d'; equal first"},
      {LIST("", EXACT("line[0]") EXACT("x.lines") INNER("", EXACT("b"))),
       "line[0] x.lines lines.b; by 'description'; equal first; inner 1"},
      /* ee.ignore takes out a field and a list. */
      {LIST("", EXACT("a") FIELD("ignore", "\"lines\"") INNER("", EXACT("b"))), "a; by 'description'; equal first"},
      {LIST("", EXACT("a") FIELD("ignore", "\"line\"") INNER("", EXACT("b"))),
       "a lines.b; by 'description'; equal first; inner 1"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fixture f;
    fixture_open(&f);
    fixture_rules(&f, cases[i].rules);
    if (strcmp(facts(&f), cases[i].facts) != 0)
      fail_msg("%s:\n%s, not\n%s", cases[i].rules, f.text.data, cases[i].facts);
    fixture_close(&f);
  }
}

/* The first mistake of each. */
static void test_mistakes(void **state) {
  (void)state;
  static const struct {
    const char *rules, *mistake;
  } cases[] = {
      {LIST(MATCH("\"items\":[\"a\",\"b\",\"b\"]"), ""), "2: match of ee.line_items has 'b' twice"},
      {LIST(MATCH("\"items\":[{\"ee\":\"exact\",\"items\":[\"a\"]},{\"ee\":\"fuzzy\",\"items\":[\"a\"]}]"), ""),
       "2: match of ee.line_items has 'a' twice"},
      {LIST(MATCH("\"items\":[{\"ee\":\"exact\",\"items\":[\"x.a\"]},\"x.a\"]"), ""),
       "2: match of ee.line_items has 'x.a' twice"},
      {LIST(MATCH("\"items\":[{\"ee\":\"exact\",\"line\":5,\"items\":[\"a\"],\"when\":{\"function\":0}}]"), ""),
       "5: option 'when' is not allowed in match of ee.line_items"},
      {LIST(MATCH("\"items\":[{\"ee\":\"exact\",\"items\":[\"a\"],\"weight\":0}]"), ""),
       "2: the weights in match of ee.line_items sum to 0"},
      {LIST(MATCH("\"method\":\"key\",\"items\":[\"a\",\"b\"]"), ""), "2: method 'key' of match needs option 'key'"},
      {LIST(MATCH("\"method\":\"key\",\"items\":[{\"ee\":\"exact\",\"items\":[\"a\"]}]"), ""),
       "2: method 'key' of match needs option 'key'"},
      {LIST(MATCH("\"key\":\"a[*]\""), ""),
       "2: option 'key' of match: path 'a[*]' has a [*], which only ee.fields takes"},
      {LIST(MATCH("\"method\":\"greedy\",\"key\":\"k\""), ""),
       "2: option 'key' of match belongs to method 'key', not to 'greedy'"},
      {LIST(MATCH("\"method\":\"optimal\",\"key\":{\"function\":0}"), ""),
       "2: option 'key' of match belongs to method 'key', not to 'optimal'"},
      {LIST(",\"compare_methods\":true" MATCH("\"key\":\"k\""), ""),
       "2: option 'compare_methods' of ee.line_items needs method 'greedy' or 'optimal'"},
      {LIST(",\"below_threshold\":\"incorrect\"" MATCH("\"key\":\"k\""), ""),
       "2: below_threshold = \"incorrect\" of ee.line_items needs method 'greedy' or 'optimal'"},
      {LIST(",\"score\":\"micro_f1\",\"of\":\"union\"", ""),
       "2: option 'of' of ee.line_items belongs to score = \"mean\""},
      {LIST("", ",{\"ee\":\"line_items\",\"line\":4}"),
       "4: ee.line_items inside another needs the path of the array as its first value"},
      {LIST("", INNER(",\"name\":\"\"", "")), "4: the name of ee.line_items is empty"},
      {LIST("", INNER(",\"of\":\"union\"", "")), "4: option 'of' belongs to the outermost ee.line_items"},
      {LIST("", INNER(",\"clip\":0", "")), "4: option 'clip' belongs to the outermost ee.line_items"},
      {LIST("", INNER(",\"weight\":-1", "")),
       "4: option 'weight' of ee.line_items inside another must be at least 0, got -1"},
      /* The third list against the first, and a name that the inner list makes. */
      {LIST("", INNER("", "") INNER(",\"name\":\"x\"", "") INNER("", "")),
       "4: the list 'lines' occurs twice in ee.line_items, on line 4 and on line 4 (give one of them a 'name' of its "
       "own)"},
      {LIST("", INNER("", EXACT("b")) EXACT("lines.b")),
       "3: the name 'lines.b' occurs twice in ee.line_items, on line 3 and on line 3 (give one of them a 'name' of its "
       "own)"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check_mistakes(cases[i].rules, cases[i].mistake);
}

static void test_print(void **state) {
  (void)state;
  static const struct {
    const char *rules, *printed;
  } cases[] = {
      {LIST(",\"match\":\"fields\"", EXACT("a")),
       "  list l\n  match the score fields, threshold 0.8, method greedy\n  a  exact  weight 1\n"},
      {LIST(MATCH("\"score_fields\":true,\"method\":\"optimal\",\"threshold\":0.25,\"max_pairs\":10") ",\"score\":"
                                                                                                      "\"mean\"",
            EXACT("a")),
       "  list l\n  match the score fields, threshold 0.25, method optimal, max_pairs 10\n  score mean of union\n"
       "  a  exact  weight 1\n"},
      {LIST(MATCH("\"gate\":\"count\",\"max_pairs\":10") ",\"score\":\"micro_f1\",\"compare_methods\":true",
            EXACT("a")),
       "  list l\n  match description, threshold 0.8, method greedy\n  score micro_f1\n  compares greedy with optimal\n"
       "  a  exact  weight 1\n"},
      {LIST(MATCH("\"similarity\":{\"function\":0}"), EXACT("a")),
       "  list l\n  match similarity function  (calls Lua), threshold 0.8, method greedy\n  a  exact  weight 1\n"},
      {LIST(MATCH("\"items\":[\"x.d\"," CUSTOM ",\"e\"]"), EXACT("a")),
       "  list l\n  match x.d, c  custom(function)  weight 1  (calls Lua), e, threshold 0.8, method greedy\n"
       "  a  exact  weight 1\n"},
      {LIST(MATCH("\"key\":{\"function\":0}"), EXACT("a")),
       "  list l\n  match method key, function  (calls Lua)\n  a  exact  weight 1\n"},
      {LIST(MATCH("\"key\":\"x.k\""), EXACT("a")), "  list l\n  match method key, x.k\n  a  exact  weight 1\n"},
      {LIST(",\"score\":\"mean\",\"of\":\"expected\",\"clip\":0.5" MATCH("\"method\":\"index\""), EXACT("a")),
       "  list l\n  match method index\n  score mean of expected, clip 0.5\n  a  exact  weight 1\n"},
      /* An inner list, and one in it; the score is the outermost list's. */
      {LIST(",\"score\":\"coverage\"",
            EXACT("a") INNER("", INNER(",\"name\":\"in\",\"match\":\"k\",\"below_threshold\":"
                                       "\"incorrect\"",
                                       EXACT("b")))),
       "  list l\n  match description, threshold 0.8, method greedy\n  score coverage\n  a  exact  weight 1\n"
       "    list lines, fields lines.*\n    match description, threshold 0.8, method greedy\n"
       "      list lines, fields lines.in.*\n      match k, threshold 0.8, method greedy\n"
       "      pairs below the threshold are incorrect\n      b  exact  weight 1\n"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fixture f;
    fixture_open(&f);
    fixture_rules(&f, cases[i].rules);
    ee_line_items_print(f.plan->judges[0], &f.text);
    assert_string_equal(ee_buffer_terminate(&f.text), cases[i].printed);
    fixture_close(&f);
  }
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_facts), cmocka_unit_test(test_mistakes), cmocka_unit_test(test_print));
