/* page.h: a report before it is printed: lines, counts, tables, notes and verdicts, in order.
 *
 * A document (a run, merged results, a comparison, a run of the bench) fills a page once; renderers print it, a file
 * each: render_table.c for terminals, render_markdown.c, html/render_html.c. Most blocks are for every renderer. Where
 * a person at a terminal and a reader of a web page need different words, there are two blocks, each for one medium. */
#ifndef EE_REPORT_PAGE_H
#define EE_REPORT_PAGE_H

#include "base/arena.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/list.h"
#include "judge/corpus.h"
#include "run/misfit.h"
#include "run/total_interval.h"

/* The most that Markdown takes, in bytes; what was left out is named. GitHub's comments have up to 65,536 characters.
 */
#define EE_MARKDOWN_BYTES ((size_t)60000)

/* Renderers ------------------------------------------------------------------------------------- */

/* Which parts of a page are printed: sections by name, and columns of the tables of attributes. A list without items:
 * all of them. */
typedef struct ee_page_choice {
  const char *const *sections;
  size_t section_count;
  const char *const *columns;
  size_t column_count;
} ee_page_choice;

typedef struct ee_table_style {
  bool color;                   /* ANSI colours */
  size_t width;                 /* columns of the terminal; 0: no limit */
  const ee_page_choice *choice; /* for every renderer; NULL: everything */
  bool csv_raw;                 /* cells of CSV as they are, also those that a spreadsheet takes for formulas */
} ee_table_style;

typedef struct ee_page ee_page;

/* Appends the whole page to `out`. Only a table has a style. */
typedef void ee_page_renderer(const ee_page *page, ee_table_style style, ee_buffer *out);
ee_page_renderer ee_render_table, ee_render_markdown, ee_render_html;

/* Cells ----------------------------------------------------------------------------------------- */

typedef enum ee_medium {
  EE_MEDIUM_NONE = 0,
  EE_MEDIUM_TERMINAL = 1, /* monospaced columns */
  EE_MEDIUM_MARKDOWN = 2,
  EE_MEDIUM_HTML = 4,
  EE_MEDIUM_MARKUP = EE_MEDIUM_MARKDOWN | EE_MEDIUM_HTML,
  EE_MEDIUM_ALL = EE_MEDIUM_TERMINAL | EE_MEDIUM_MARKUP
} ee_medium;

typedef enum ee_ink { EE_INK_PLAIN, EE_INK_BOLD, EE_INK_DIM, EE_INK_RED, EE_INK_YELLOW, EE_INK_GREEN } ee_ink;

typedef enum ee_cell_kind {
  EE_CELL_WORDS, /* our own words and numbers */
  EE_CELL_DATA,  /* a text of the data: code in markup; an empty one is printed as "" */
  EE_CELL_QUOTE, /* our words with texts of the data in them: nothing in it is markup */
  EE_CELL_CODE   /* code of ours without backticks, outside of tables, where pipes need no escape */
} ee_cell_kind;

/* The errors of a field. Where it is not known which false positives are incorrect, they are all `spurious`, and the
 * false negatives `missing`. */
typedef struct ee_bar {
  uint64_t incorrect, missing, spurious;
  uint64_t whole; /* errors of a bar of full length */
  bool split;     /* incorrect and spurious are known apart */
} ee_bar;

/* A piece of text, in a table or in a line. Renderers make texts of the data printable. */
typedef struct ee_cell {
  ee_str text; /* valid UTF-8; borrowed, or in the page's arena; length 0: nothing, except in data */
  ee_cell_kind kind;
  ee_ink ink;                  /* on a terminal */
  bool strong;                 /* bold in markup */
  unsigned max_columns;        /* a longer text is shortened: where terminals have no width, and in cells of several
                                  pieces; 0: never */
  unsigned max_markup_columns; /* the same in markup */
  const char *link;            /* in HTML: where a click leads, of ee_page_link(); NULL: nowhere */
  const struct ee_bar *bar;    /* in HTML: drawn instead of the text; NULL: none */
  const struct ee_cell *next;  /* what follows in the same cell or line */
} ee_cell;

/* Columns of a name of the data, where lines may have any length. */
#define EE_NAME_COLUMNS 60

ee_cell ee_cell_words(const char *text, ee_ink ink);
/* A name, an id or a value of the data, at most EE_NAME_COLUMNS wide. */
ee_cell ee_cell_data(ee_str text, ee_ink ink);

/* Numbers: a count; a share of 1 as 0.912, a coefficient as -0.120; a metric, "-" in EE_INK_DIM if it is undefined; a
 * share as 91.2 %. Texts are in `arena`. A number that is not quite 0 or 1 is never rounded to look like it; a score
 * within 1e-9 of 1 is 1. */
ee_cell ee_cell_count(ee_arena *arena, uint64_t count, ee_ink ink);
ee_cell ee_cell_score(ee_arena *arena, double score, ee_ink ink);
ee_cell ee_cell_metric(ee_arena *arena, ee_metric metric, ee_ink ink);
ee_cell ee_cell_percent(ee_arena *arena, uint64_t part, uint64_t whole, ee_ink ink);
/* A share as 91.2 %, "-" if it is undefined. */
ee_cell ee_cell_percent_of(ee_arena *arena, ee_metric share, ee_ink ink);
/* A metric that may be a count. */
ee_cell ee_cell_corpus_metric(ee_arena *arena, const ee_corpus_metric *metric);
/* A count that is EE_INK_DIM if it is 0. */
ee_cell ee_cell_count_dim(ee_arena *arena, uint64_t count, ee_ink ink);

/* "0.917 [0.892, 0.938]", without an interval "0.917". */
ee_cell ee_cell_ranged(ee_arena *arena, ee_ranged ranged, ee_ink ink);
/* "[0.892, 0.938]", and in percent "[89.2, 93.8]"; empty for an unknown interval. */
ee_cell ee_cell_interval(ee_arena *arena, ee_interval interval, ee_ink ink);
ee_cell ee_cell_interval_percent(ee_arena *arena, ee_interval interval, ee_ink ink);
/* "95 %", "99.9 %" */
const char *ee_confidence_text(ee_arena *arena, double confidence);

/* "#cases?judge=header&field=total": the cases of an HTML page with these properties (report/html/html_data.h). */
typedef struct ee_link_part {
  const char *name;
  ee_str value;
} ee_link_part;
const char *ee_page_link(ee_arena *arena, const ee_link_part *parts, size_t count);
/* "#case/ID" */
const char *ee_page_case_link(ee_arena *arena, ee_str id);

/* Blocks ---------------------------------------------------------------------------------------- */

typedef enum ee_block_kind {
  EE_BLOCK_SPACE, /* an empty line on a terminal; markup has one before every block */
  EE_BLOCK_LINE,
  EE_BLOCK_COUNTS,
  EE_BLOCK_SCORES,
  EE_BLOCK_JUDGE,
  EE_BLOCK_METRICS,
  EE_BLOCK_GRID,
  EE_BLOCK_NOTES,
  EE_BLOCK_GATES,
  EE_BLOCK_TEXT,
  EE_BLOCK_DETAILS_END
} ee_block_kind;

/* What a line is in markup. */
typedef enum ee_line_role {
  EE_LINE_PARAGRAPH,
  EE_LINE_TITLE,
  EE_LINE_HEADING,
  EE_LINE_ITEM,    /* of a list */
  EE_LINE_DETAILS, /* the summary of what can be opened, up to EE_BLOCK_DETAILS_END; open at first in HTML */
  EE_LINE_FOLDED   /* the same, closed at first, too; of HTML only */
} ee_line_role;

typedef struct ee_line {
  ee_line_role role;
  ee_cell *first, *last;
} ee_line;

typedef enum ee_count_use { EE_COUNT_ALWAYS, EE_COUNT_NONZERO, EE_COUNT_NEVER } ee_count_use;

/* A number of things, as "  name 12" on a terminal and as a sentence in a list of markup, which leaves out zeros. */
typedef struct ee_count {
  const char *name; /* NULL: markup only */
  uint64_t count;
  ee_ink ink;             /* if it is not 0 */
  ee_count_use use;       /* on a terminal; EE_COUNT_NEVER: in markup neither */
  const char *one, *many; /* "record could not be read", "records could not be read"; NULL: terminal only */
} ee_count;

typedef struct ee_counts_line {
  const char *label; /* what the line begins with on a terminal */
  const ee_count *items;
  size_t count;
  const char *tail; /* what it ends with there */
} ee_counts_line;

/* A number that a reader looks for first, with what it is and what it is made of. */
typedef struct ee_tile {
  const char *name, *value, *text;
} ee_tile;
typedef struct ee_tile_list {
  const ee_tile *items;
  size_t count;
} ee_tile_list;

/* The mean score of cases or rows, and how the verdicts fell. */
typedef struct ee_scores {
  uint64_t count;
  const char *noun;   /* "case", "row" */
  const char *suffix; /* after the noun in markup: ", judged again" */
  double confidence;  /* of all intervals on the page */
  ee_ranged mean;
  ee_interval passed;        /* of the share of these cases */
  const ee_score_bins *bins; /* drawn in HTML; NULL: not known */
  const uint64_t *verdicts;  /* three of them */
  ee_tile_list tiles;        /* further numbers, in HTML */
} ee_scores;

typedef struct ee_judge_heading {
  ee_str name, type;        /* the type may be empty: not known */
  ee_ranged mean;           /* of its scores */
  const uint64_t *verdicts; /* three of them */
  const ee_count *counts;   /* on a terminal after the verdicts */
  size_t count;
} ee_judge_heading;

/* Numbers with names, such as corpus metrics. */
typedef struct ee_metric_list {
  const ee_corpus_metric *items;
  size_t count;
} ee_metric_list;

#define EE_GRID_COLUMNS 18

typedef struct ee_column {
  const char *name;
  const char *markup_name; /* NULL: the same */
  ee_medium hidden_in;
  bool data_name;      /* the name is a text of the data: nothing in it is markup */
  bool left;           /* aligned left; others right */
  bool name_column;    /* what is shortened first where a line is too long for the terminal */
  bool on_choice;      /* hidden unless it is chosen by name; hidden_in is EE_MEDIUM_ALL then */
  bool wide_only;      /* not on terminals of less than 100 columns */
  unsigned char spare; /* where a line is too long for the terminal even so, columns with more of it are left out first;
                          of equal ones the last */
  bool fill;           /* its texts are cut at the end to the room that is left on the terminal */
} ee_column;

typedef struct ee_grid_row {
  struct ee_grid_row *next;
  ee_medium medium;
  bool rule; /* a line across the table, on a terminal */
  ee_cell cells[];
} ee_grid_row;

typedef struct ee_grid {
  ee_arena *arena;
  const ee_column *columns;
  const char *caption; /* in HTML; NULL: the heading before it */
  size_t count;        /* of columns */
  bool no_head;
  bool unaligned;  /* in the source of markup */
  bool attributes; /* its columns can be chosen */
  ee_grid_row *first, *last;
} ee_grid;

typedef struct ee_note_list {
  const ee_str *items;
  size_t count;
} ee_note_list;

typedef enum ee_gate_verdict { EE_GATE_FAILED, EE_GATE_PASSED, EE_GATE_UNDECIDED } ee_gate_verdict;

typedef struct ee_gate_line {
  struct ee_gate_line *next;
  ee_str text; /* of data or of quotes, by the block */
  ee_gate_verdict verdict;
} ee_gate_line;

typedef struct ee_gate_block {
  bool quotes; /* a list in markup; else a table */
  ee_gate_line *first, *last;
} ee_gate_block;

typedef struct ee_page_block {
  struct ee_page_block *next;
  ee_block_kind kind;
  ee_medium medium;
  ee_str section;
  const char *part; /* of the section; NULL: none */
  union {
    ee_line line;
    ee_counts_line counts;
    ee_scores scores;
    ee_judge_heading judge;
    ee_metric_list metrics;
    ee_grid grid;
    ee_note_list notes;
    ee_gate_block gates;
    ee_str text; /* lines as they are; valid UTF-8 */
  };
} ee_page_block;

struct ee_page {
  ee_arena arena; /* of everything that the page owns */
  ee_page_block *first, *last;
  bool html;        /* set before filling: what only HTML prints is wanted */
  const char *kind; /* "run", "merged", "comparison", ...: for formats that embed it */
  ee_str json;      /* the document as --format json prints it, for them; else empty */
  ee_str section;   /* of the next block */
  const char *part;
  struct {
    EE_LIST(ee_str);
  } names; /* of sections and parts, each once, in order */
};

/* Filling --------------------------------------------------------------------------------------- */

void ee_page_init(ee_page *page);
void ee_page_fini(ee_page *page);

/* Starts a section; earlier blocks are the section "summary". `name` is borrowed. */
void ee_page_section(ee_page *page, ee_str name);
/* Starts a part of the section, such as "attributes" of a judge: it can be chosen by its own name, in all sections. If
 * only parts of a judge's section are chosen, they are printed after its heading. NULL: the next blocks are in no part.
 */
void ee_page_part(ee_page *page, const char *name);

/* Each appends a block. What they return may be filled until the page is rendered. What is borrowed must live as long
 * as the page. */
void ee_page_space(ee_page *page);
ee_line *ee_page_line(ee_page *page, ee_medium medium, ee_line_role role);
/* `counts` are copied. */
void ee_page_counts(ee_page *page, ee_medium medium, const char *label, const ee_count *counts, size_t count,
                    const char *tail);
/* How many units intervals count, where cases have clusters. */
void ee_page_clusters(ee_page *page, const ee_score_units *units, const ee_sample *score);
void ee_page_scores(ee_page *page, ee_scores scores);
/* `judge` and its counts are copied. The type is left out where it is the name. */
void ee_page_judge(ee_page *page, ee_judge_heading judge);
void ee_page_metrics(ee_page *page, const ee_corpus_metric *items, size_t count);
/* `columns` is copied. count <= EE_GRID_COLUMNS. */
ee_grid *ee_page_grid(ee_page *page, ee_medium medium, const ee_column *columns, size_t count);
void ee_page_notes(ee_page *page, ee_medium medium, const ee_str *items, size_t count);
/* Copies `text`. Only HTML prints it. */
void ee_page_text(ee_page *page, ee_medium medium, ee_str text);
/* What does not fit the rules of a judge, after an empty line; nothing without. */
void ee_page_misfits(ee_page *page, ee_medium medium, const ee_misfit_list *misfits);
/* With an empty line and a heading. */
ee_gate_block *ee_page_gates(ee_page *page, ee_medium medium, bool quotes);
void ee_page_details_end(ee_page *page);

/* Removes the sections, parts and columns that are not chosen. */
void ee_page_choose(ee_page *page, const ee_page_choice *choice);
/* EE_ERROR_USAGE, with the names that exist, when the page lacks one of `choice`. */
ee_status ee_page_check(const ee_page *page, const ee_page_choice *choice, ee_error *error);

/* Appends a piece to a line; `text` is borrowed. */
void ee_line_add(ee_page *page, ee_line *line, ee_cell cell);
/* Words, formatted into the page's arena. */
void ee_line_addf(ee_page *page, ee_line *line, ee_ink ink, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* A further row of empty cells. */
ee_cell *ee_grid_add(ee_grid *grid);
ee_cell *ee_grid_add_for(ee_grid *grid, ee_medium medium);
void ee_gates_add(ee_page *page, ee_gate_block *gates, ee_gate_verdict verdict, ee_str text);

/* Attributes in the given order (EE_ORDER_USUAL: worst F1 first), and their averages; nothing without attributes.
 * `split`: false positives are split into incorrect and spurious; `fold`: of attributes that only candidates have, the
 * worst are listed and the others are one row, and so are those with few values of more than 40; `limits` colour F1;
 * `confidence` of the intervals. */
void ee_page_attributes(ee_page *page, const ee_judge_total *total, bool split, bool fold, ee_attribute_order by,
                        ee_verdict_limits limits, double confidence);

#endif
