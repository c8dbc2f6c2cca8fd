/* test_page.c: one page in every format that prints pages. */
#include "report/printed.h"

/* A block of each kind that documents do not show elsewhere in this form. */
static void fill(ee_page *page) {
  ee_page_init(page);
  ee_line *line = ee_page_line(page, EE_MEDIUM_ALL, EE_LINE_TITLE);
  ee_line_addf(page, line, EE_INK_BOLD, "%s ", "a < b:");
  ee_line_add(page, line, ee_cell_data(EE_STR("x|y"), EE_INK_RED));
  ee_line_add(page, line, (ee_cell){.text = EE_STR(" *z*\n"), .kind = EE_CELL_QUOTE, .strong = true});
  ee_page_space(page);
  const ee_count counts[] = {{"seen", 2, EE_INK_GREEN, EE_COUNT_ALWAYS, "thing seen", "things seen"},
                             {"lost", 0, EE_INK_RED, EE_COUNT_ALWAYS, "thing lost", "things lost"},
                             {"none", 0, EE_INK_RED, EE_COUNT_NONZERO, "none", "none"},
                             {"never", 1, EE_INK_RED, EE_COUNT_NEVER, "never", "never"},
                             {NULL, 1, EE_INK_PLAIN, EE_COUNT_ALWAYS, "thing found", "things found"}};
  ee_page_counts(page, EE_MEDIUM_ALL, "things", counts, 5, "; all");
  ee_page_counts(page, EE_MEDIUM_ALL, "again", counts, 1, "");
  const ee_column columns[] = {{.name = "name", .left = true, .name_column = true},
                               {.name = "value", .markup_name = "v"},
                               {.name = "hidden", .hidden_in = EE_MEDIUM_ALL},
                               {.name = "wide", .wide_only = true, .hidden_in = EE_MEDIUM_MARKUP}};
  ee_grid *grid = ee_page_grid(page, EE_MEDIUM_ALL, columns, 4);
  ee_cell *cells = ee_grid_add(grid);
  cells[0] = ee_cell_data(EE_STR("first"), EE_INK_PLAIN);
  cells[1] = ee_cell_count(&page->arena, 12345678, EE_INK_PLAIN);
  cells[2] = cells[3] = ee_cell_words("w", EE_INK_PLAIN);
  ee_grid_add_for(grid, EE_MEDIUM_TERMINAL)[0] = ee_cell_words("1 more: elsewhere", EE_INK_DIM);
  ee_grid_add_for(grid, EE_MEDIUM_MARKUP)[0] = ee_cell_words("1 more", EE_INK_DIM);
  ee_page_line(page, EE_MEDIUM_TERMINAL, EE_LINE_PARAGRAPH);
  line = ee_page_line(page, EE_MEDIUM_MARKUP, EE_LINE_DETAILS);
  ee_line_add(page, line, ee_cell_words("open", EE_INK_PLAIN));
  ee_line_add(page, ee_page_line(page, EE_MEDIUM_MARKUP, EE_LINE_ITEM), ee_cell_words("one", EE_INK_PLAIN));
  ee_line_add(page, ee_page_line(page, EE_MEDIUM_MARKUP, EE_LINE_ITEM), ee_cell_words("two", EE_INK_PLAIN));
  ee_page_details_end(page);
  ee_gate_block *gates = ee_page_gates(page, EE_MEDIUM_ALL, true);
  ee_gates_add(page, gates, true, EE_STR("f1 >= 0.5"));
  ee_gates_add(page, gates, false, EE_STR("f1 < 1"));
}

static void check(ee_page_renderer *render, ee_table_style style, const char *expected) {
  ee_page page;
  fill(&page);
  ee_buffer out = {0};
  render(&page, style, &out);
  assert_string_equal(ee_buffer_terminate(&out), expected);
  ee_buffer_fini(&out);
  ee_page_fini(&page);
}

static void test_table(void **state) {
  (void)state;
  check(ee_render_table, (ee_table_style){0},
        "a < b: x|y *z*\\n\n"
        "\n"
        "things  seen 2  lost 0; all\n"
        "again  seen 2\n"
        "  name                  value  wide\n"
        "  first              12345678     w\n"
        "  1 more: elsewhere\n"
        "\n"
        "\n"
        "gates\n"
        "  PASS  f1 >= 0.5\n"
        "  FAIL  f1 < 1\n");
  /* Narrow: no wide columns, and a shorter name, but never less than 12 columns of it. */
  check(ee_render_table, (ee_table_style){.width = 20},
        "a < b: x|y *z*\\n\n"
        "\n"
        "things  seen 2\n"
        "        lost 0; all\n"
        "again  seen 2\n"
        "  name             value\n"
        "  first         12345678\n"
        "  1 mor\xe2\x80\xa6"
        "ewhere\n"
        "\n"
        "\n"
        "gates\n"
        "  PASS  f1 >= 0.5\n"
        "  FAIL  f1 < 1\n");
}

static void test_markdown(void **state) {
  (void)state;
  check(ee_render_markdown, (ee_table_style){.color = true, .width = 20},
        "## a &lt; b: <code>x&#124;y</code>** \\*z\\*\\\\n**\n"
        "\n"
        "- 2 things seen\n"
        "- 1 thing found\n"
        "- 2 things seen\n"
        "\n"
        "| name    |        v |\n"
        "|:--------|---------:|\n"
        "| `first` | 12345678 |\n"
        "| 1 more  |          |\n"
        "\n"
        "<details><summary>open</summary>\n"
        "\n"
        "- one\n"
        "- two\n"
        "\n"
        "</details>\n"
        "\n"
        "### Gates\n"
        "\n"
        "- PASS f1 \\>= 0.5\n"
        "- FAIL f1 \\< 1\n");
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_table), cmocka_unit_test(test_markdown));
