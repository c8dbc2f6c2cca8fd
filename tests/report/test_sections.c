/* test_sections.c: choosing sections, parts and columns of a page. */
#include <string.h>

#include "report/page.h"

/* A page with a summary, two judges with notes and attributes, and gates. */
static void fill(ee_page *page) {
  static const uint64_t verdicts[3] = {0};
  static ee_attribute_total attributes[2];
  static const ee_str notes[] = {{"a note", 6}};
  attributes[0] = (ee_attribute_total){.name = EE_STR("one"), .counts = {.tp = 3, .fn = 1}};
  attributes[1] = (ee_attribute_total){.name = EE_STR("two"), .counts = {.tp = 4}};
  ee_judge_total total = {.attributes = attributes, .attribute_count = 2};
  ee_page_init(page);
  ee_line_addf(page, ee_page_line(page, EE_MEDIUM_ALL, EE_LINE_TITLE), EE_INK_PLAIN, "title");
  for (int i = 0; i < 2; i++) {
    ee_str name = i == 0 ? EE_STR("first") : EE_STR("second");
    ee_page_section(page, name);
    ee_page_space(page);
    ee_page_judge(page, (ee_judge_heading){.name = name, .mean = {.interval = EE_NO_INTERVAL}, .verdicts = verdicts});
    ee_page_part(page, "notes");
    ee_page_notes(page, EE_MEDIUM_ALL, notes, 1);
    ee_page_space(page);
    ee_page_part(page, "attributes");
    ee_page_attributes(page, &total, true, false, EE_ORDER_USUAL, (ee_verdict_limits){.pass = 0.8, .borderline = 0.6},
                       0.95);
  }
  ee_page_section(page, EE_STR("gates"));
  ee_gates_add(page, ee_page_gates(page, EE_MEDIUM_ALL, false), true, EE_STR("mean_score 1 >= 0"));
}

static const char *print(ee_page_choice choice, ee_page_renderer *render) {
  static ee_buffer out;
  ee_page page;
  fill(&page);
  ee_buffer_clear(&out);
  ee_error error = {0};
  if (ee_page_check(&page, &choice, &error) == EE_OK) {
    ee_page_choose(&page, &choice);
    render(&page, (ee_table_style){0}, &out);
  } else {
    ee_buffer_add_text(&out, error.message);
  }
  ee_page_fini(&page);
  return ee_buffer_terminate(&out);
}

#define SECTIONS(...)                                                                                                  \
  .sections = (const char *const[]){__VA_ARGS__},                                                                      \
  .section_count = sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *)
#define COLUMNS(...)                                                                                                   \
  .columns = (const char *const[]){__VA_ARGS__}, .column_count = sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *)

static void test_sections(void **state) {
  (void)state;
  assert_string_equal(print((ee_page_choice){SECTIONS("summary")}, ee_render_table), "title\n");
  assert_string_equal(print((ee_page_choice){SECTIONS("gates")}, ee_render_table),
                      "gates\n  PASS  mean_score 1 >= 0\n");
  assert_non_null(strstr(print((ee_page_choice){SECTIONS("gates")}, ee_render_markdown), "### Gates\n"));
  /* No empty line comes first, and one stands for several. */
  assert_string_equal(print((ee_page_choice){SECTIONS("second", "summary"), COLUMNS("f1")}, ee_render_table),
                      "title\n"
                      "\n"
                      "second  mean score -  pass 0  borderline 0  fail 0\n"
                      "  - a note\n"
                      "\n"
                      "  attribute     F1\n"
                      "  one        0.857\n"
                      "  two        1.000\n"
                      "  ────────────────\n"
                      "  micro      0.933\n"
                      "  macro      0.929\n"
                      "  weighted   0.929\n");
}

/* A part has the heading of its judge. */
static void test_parts(void **state) {
  (void)state;
  assert_string_equal(print((ee_page_choice){SECTIONS("notes")}, ee_render_table),
                      "first  mean score -  pass 0  borderline 0  fail 0\n"
                      "  - a note\n"
                      "\n"
                      "second  mean score -  pass 0  borderline 0  fail 0\n"
                      "  - a note\n");
}

static void test_unknown_names(void **state) {
  (void)state;
  assert_string_equal(print((ee_page_choice){SECTIONS("summary", "third")}, ee_render_table),
                      "no section 'third' in this report (one of summary, first, notes, attributes, second, gates)");
  assert_string_equal(print((ee_page_choice){COLUMNS("tp", "recal")}, ee_render_table),
                      "no column 'recal' in this report (one of attribute, TP, TN, FP, FN, wrong, invented, unread, "
                      "precision, recall, F1, interval, accuracy, answered, fabricated)");
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_sections), cmocka_unit_test(test_parts),
             cmocka_unit_test(test_unknown_names));
