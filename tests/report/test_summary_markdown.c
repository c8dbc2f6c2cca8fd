/* test_summary_markdown.c: a run's report as a comment on a change. */
#include "judge/small_rules.h"
#include "prim/unicode.h"
#include "report/formats.h"
#include "report/run_report.h"
#include "run/gate_decision.h"

#include <stdio.h>

#define MARKDOWN ee_report_format_find(EE_STR("markdown"))

typedef struct fixture {
  small_rules rules;
  ee_arena arena;
  ee_totals totals;
  ee_gate gates[4];
  ee_gate_result results[4];
  ee_summary summary;
  ee_buffer out;
} fixture;

static int open_fixture(void **state) {
  static const char *const records[] = {
      ("{\"id\":\"1\",\"lang\":\"en\",\"expected\":{\"number\":\"7\",\"total\":100},\"candidate\":{\"number\":\"7\","
       "\"total\":100}}"),
      ("{\"id\":\"2\",\"lang\":\"d|`e\",\"expected\":{\"number\":\"7\",\"total\":100},\"candidate\":{\"number\":"
       "\"7\",\"total\":90,\"note\":\"x\"},\"kind\":\"\xe6\x97\xa5\xe6\x9c\xac @you|<b>\"}"),
      "{\"id\":\"3\",\"expected\":{\"number\":\"7\",\"total\":100},\"raise\":true}",
      "{\"id\":\"4\",\"expected\":{\"number\":\"7\",\"total\":100},\"candidate\":\"sorry\"}",
  };
  static const char *const gates[] = {"mean_score=0.5", "header:total:f1=0.9", "header:note:recall=0.5",
                                      "header:macro_f1=0.3"};
  fixture *f = ee_calloc(1, sizeof *f);
  small_rules_open(&f->rules);
  ee_arena_init(&f->arena, 0);
  ee_totals_init(&f->totals, f->rules.plan);
  for (size_t i = 0; i < 4; i++) {
    ee_case_result result = small_judge_record(&f->rules, &f->arena, records[i]);
    ee_totals_add(&f->totals, &result, &f->arena);
    ee_error error;
    assert_true(ee_gate_parse(f->rules.plan, gates[i], &f->arena, &f->gates[i], &error));
  }
  f->totals.records += 3;
  f->totals.unreadable = 2;
  f->totals.duplicates = 1;
  for (size_t i = 0; i < 4; i++) f->results[i] = ee_gate_decide(&f->gates[i], &f->totals);
  f->summary = (ee_summary){.plan = f->rules.plan, .totals = &f->totals, .gates = f->results, .gate_count = 4};
  *state = f;
  return 0;
}

static int close_fixture(void **state) {
  fixture *f = *state;
  ee_buffer_fini(&f->out);
  ee_totals_fini(&f->totals);
  ee_arena_fini(&f->arena);
  small_rules_close(&f->rules);
  free(f);
  return 0;
}

static const char *markdown_of(fixture *f) {
  ee_buffer_clear(&f->out);
  ee_report_write_run(MARKDOWN, &f->summary, (ee_table_style){0}, &f->out);
  return ee_buffer_terminate(&f->out);
}

static void test_whole(void **state) {
  assert_string_equal(
      markdown_of(*state),
      "## `invoice`: mean score 0.525 \xc2\xb1 0.403\n"
      "\n"
      "\xe2\x9d\x8c **FAIL**: 2 of 4 gates failed\n"
      "\n"
      "4 cases: 1 pass (25.0 %), 1 borderline (25.0 %), 2 fail (50.0 %)\n"
      "\n"
      "- 2 records could not be read\n"
      "- 1 record has an id that was there before, and was left out\n"
      "- 1 case has no candidate\n"
      "- 1 candidate holds no JSON\n"
      "- 1 error was raised by the rules\n"
      "\n"
      "### `header` (`fields`)\n"
      "\n"
      "Mean score **0.300 \xc2\xb1 0.467**: 1 pass (25.0 %), 0 borderline, 3 fail (75.0 %)\n"
      "\n"
      "| attribute    | TP | TN | FP | FN | wrong | invented | precision | recall |        F1 |\n"
      "|:-------------|---:|---:|---:|---:|------:|---------:|----------:|-------:|----------:|\n"
      "| `note`       |  0 |  3 |  1 |  0 |     0 |        1 |     0.000 |      - |         - |\n"
      "| `total`      |  1 |  0 |  1 |  3 |     1 |        0 |     0.500 |  0.250 |     0.333 |\n"
      "| `number`     |  2 |  0 |  0 |  2 |     0 |        0 |     1.000 |  0.500 |     0.667 |\n"
      "| **micro**    |  3 |  3 |  2 |  5 |     1 |        1 |     0.600 |  0.375 | **0.462** |\n"
      "| **macro**    |    |    |    |    |       |          |     0.500 |  0.250 | **0.333** |\n"
      "| **weighted** |    |    |    |    |       |          |     0.750 |  0.375 | **0.500** |\n"
      "\n"
      "### `seen` (`judge`)\n"
      "\n"
      "Mean score **0.750 \xc2\xb1 0.490**: 3 pass (75.0 %), 0 borderline, 1 fail (25.0 %)\n"
      "\n"
      "- 1 case in which the judge was in error\n"
      "\n"
      "| attribute                                   | TP | TN | FP | FN | precision | recall |        F1 |\n"
      "|:--------------------------------------------|---:|---:|---:|---:|----------:|-------:|----------:|\n"
      "| <code>\xe6\x97\xa5\xe6\x9c\xac &#64;you&#124;&#60;b&#62;</code> |  1 |  0 |  0 |  0 |     1.000 |  1.000 |    "
      " "
      "1.000 |\n"
      "| **micro**                                   |  1 |  0 |  0 |  0 |     1.000 |  1.000 | **1.000** |\n"
      "| **macro**                                   |    |    |    |    |     1.000 |  1.000 | **1.000** |\n"
      "| **weighted**                                |    |    |    |    |     1.000 |  1.000 | **1.000** |\n"
      "\n"
      "### Slice `lang`\n"
      "\n"
      "| value                      | cases | mean score |    pass |\n"
      "|:---------------------------|------:|-----------:|--------:|\n"
      "| `(missing)`                |     2 |      0.250 |   0.0 % |\n"
      "| <code>d&#124;&#96;e</code> |     1 |      0.600 |   0.0 % |\n"
      "| `en`                       |     1 |      1.000 | 100.0 % |\n"
      "\n"
      "### Gates\n"
      "\n"
      "| gate                                  | verdict |\n"
      "|:--------------------------------------|:--------|\n"
      "| `mean_score 0.525 >= 0.5`             | \xe2\x9c\x85 PASS |\n"
      "| `header total f1 0.3333 >= 0.9`       | \xe2\x9d\x8c FAIL |\n"
      "| `header note recall undefined >= 0.5` | \xe2\x9d\x8c FAIL |\n"
      "| `header macro_f1 0.3333 >= 0.3`       | \xe2\x9c\x85 PASS |\n");
}

/* The line of the verdict says what the gates say. */
static void test_verdict(void **state) {
  fixture *f = *state;
  f->summary.gate_count = 1;
  assert_non_null(strstr(markdown_of(f), "\n\n\xe2\x9c\x85 **PASS**: 1 gate passed\n\n"));
  f->summary.gates = &f->results[1];
  assert_non_null(strstr(markdown_of(f), "\n\n\xe2\x9d\x8c **FAIL**: 1 of 1 gate failed\n\n"));
  f->summary.gate_count = 0;
  const char *text = markdown_of(f);
  assert_null(strstr(text, "PASS"));
  assert_null(strstr(text, "Gates"));
  f->summary.interrupted = true;
  assert_non_null(strstr(markdown_of(f), "**Interrupted**: "));
  f->summary.expected = (ee_expected_coverage){.given = true, .whole = true, .records = 9, .without_record = 3};
  assert_non_null(strstr(markdown_of(f), "- 3 expected values have no record\n"));
}

/* All rows of a table are as wide as its head, and no cell has a bare pipe. */
static void test_alignment(void **state) {
  const char *text = markdown_of(*state);
  size_t width = 0, pipes = 0, tables = 0;
  for (const char *line = text; *line != '\0'; line = strchr(line, '\n') + 1) {
    ee_str row = {line, (size_t)(strchr(line, '\n') - line)};
    if (row.length == 0 || row.data[0] != '|') {
      width = 0;
      continue;
    }
    size_t count = 0;
    for (size_t i = 0; i < row.length; i++) count += row.data[i] == '|';
    if (width == 0) {
      width = ee_text_width(row);
      pipes = count;
      tables++;
    }
    assert_int_equal(ee_text_width(row), width);
    assert_int_equal(count, pipes);
  }
  assert_int_equal(tables, 4);
}

/* Texts of the data in code spans. */
static void test_code(void **state) {
  fixture *f = *state;
  static const char *const texts[][2] = {
      {"a.b[0]", "`a.b[0]`"},
      {"", "`\"\"`"},
      {"\\|", "<code>&#92;&#124;</code>"},
      {"a\nb\x1b", "`a\\nb\\u001b`"},
      {" both ", "`  both  `"},
      {" left", "` left`"},
      {"*x* _y_ ](z) <i> &amp;", "`*x* _y_ ](z) <i> &amp;`"},
      {"`*x* <i> &amp; a.b-c,d/e", "<code>&#96;&#42;x&#42; &#60;i&#62; &#38;amp&#59; a.b-c,d/e</code>"},
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    ee_page page;
    ee_page_init(&page);
    ee_line *line = ee_page_line(&page, EE_MEDIUM_ALL, EE_LINE_PARAGRAPH);
    ee_line_add(&page, line, (ee_cell){.text = ee_str_from(texts[i][0]), .kind = EE_CELL_DATA});
    ee_buffer_clear(&f->out);
    ee_render_markdown(&page, (ee_table_style){0}, &f->out);
    ee_page_fini(&page);
    assert_string_equal(ee_buffer_terminate(&f->out), ee_arena_printf(&f->arena, "%s\n", texts[i][1]));
  }
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test_setup_teardown(test_whole, open_fixture, close_fixture),
             cmocka_unit_test_setup_teardown(test_verdict, open_fixture, close_fixture),
             cmocka_unit_test_setup_teardown(test_alignment, open_fixture, close_fixture),
             cmocka_unit_test_setup_teardown(test_code, open_fixture, close_fixture));
