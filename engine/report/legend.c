/* legend.c: the words of a report, with their formulas. SEMANTICS.md defines them; this is the short form. */
#include "report/legend.h"

typedef struct term {
  const char *word, *meaning;
} term;

static const term terms[] = {
    {"correct (TP)", "the candidate has the expected value, by the field's strategy and threshold"},
    {"wrong", "both have a value, and they do not match (class incorrect): counted as FP and as FN, but as one error"},
    {"missing", "a value is expected, and the candidate has none: FN"},
    {"invented", "the candidate has a value where none is expected (class spurious): FP"},
    {"unread", "the strategy cannot read the expected value as a date, a number, ...: not judged, unless both values "
               "are the same"},
    {"TN", "neither has a value"},
    {"precision", "TP / (TP + FP): how much of what the candidates have is correct"},
    {"recall", "TP / (TP + FN): how much of what is expected is found"},
    {"F1", "2 TP / (2 TP + FP + FN); - if nothing was compared"},
    {"micro", "the metric of the counts of all fields added up"},
    {"macro", "the mean of the fields' metrics: each field counts the same"},
    {"weighted", "the mean weighted by the expected values of each field (TP + FN); of a field without any, by its FP"},
    {"score of a case", "0 to 1: the weighted mean of its judges' scores, unless the rules have a score function"},
    {"verdict", "pass at or above the pass threshold, borderline at or above the borderline threshold, fail below it"},
    {"[low, high]", "the interval that contains the value for all such cases in 95 of 100 data sets (or at the "
                    "confidence named on the "
                    "first line): the fewer the cases, the wider"},
    {"perfect", "cases with a score of 1"},
};

void ee_legend_page(const ee_plan *plan, ee_page *page) {
  static const ee_column columns[] = {{.name = "word", .left = true}, {.name = "meaning", .left = true}};
  if (!page->html) return;
  ee_page_section(page, EE_STR("legend"));
  ee_line_add(page, ee_page_line(page, EE_MEDIUM_HTML, EE_LINE_HEADING),
              ee_cell_words("How values are judged", EE_INK_PLAIN));
  ee_grid *grid = ee_page_grid(page, EE_MEDIUM_HTML, columns, 2);
  grid->caption = "Words and formulas";
  for (size_t i = 0; i < sizeof terms / sizeof *terms; i++) {
    ee_cell *cells = ee_grid_add(grid);
    cells[0] = ee_cell_words(terms[i].word, EE_INK_PLAIN);
    cells[1] = ee_cell_words(terms[i].meaning, EE_INK_PLAIN);
  }
  if (plan == NULL) return;
  ee_line_add(page, ee_page_line(page, EE_MEDIUM_HTML, EE_LINE_HEADING),
              ee_cell_words("The rules that were used", EE_INK_PLAIN));
  ee_buffer text;
  ee_buffer_init(&text);
  ee_plan_print(plan, &text);
  ee_page_text(page, EE_MEDIUM_HTML, (ee_str){text.data, text.length});
  ee_buffer_fini(&text);
}
