/* page.c: filling a page; numbers as people read them; the table of attributes. */
#include "report/page.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <strings.h>

#include "prim/number.h"
#include "prim/sort.h"

/* A number this near to 1 is 1 to people. */
#define ROUNDING 1e-9
/* Attributes that are listed; JSON and CSV have all of them. */
#define MAX_ATTRIBUTES 200
/* Of attributes at which nothing was ever expected. */
#define MAX_NEVER_EXPECTED 10
/* Attributes that are listed where the others have few values. */
#define MANY_ATTRIBUTES 40
/* Errors of a full bar, at least. */
#define SHORT_BAR 5
/* So few values are few whatever the others have. */
#define FEW_VALUES 2

/* Cells ----------------------------------------------------------------------------------------- */

ee_cell ee_cell_words(const char *text, ee_ink ink) { return (ee_cell){.text = ee_str_from(text), .ink = ink}; }

ee_cell ee_cell_data(ee_str text, ee_ink ink) {
  return (ee_cell){.text = text,
                   .kind = EE_CELL_DATA,
                   .ink = ink,
                   .max_columns = EE_NAME_COLUMNS,
                   .max_markup_columns = EE_NAME_COLUMNS};
}

ee_cell ee_cell_count(ee_arena *arena, uint64_t count, ee_ink ink) {
  return ee_cell_words(ee_arena_printf(arena, "%llu", (unsigned long long)count), ink);
}

ee_cell ee_cell_count_dim(ee_arena *arena, uint64_t count, ee_ink ink) {
  return ee_cell_count(arena, count, count > 0 ? ink : EE_INK_DIM);
}

/* `share` (0..1) in `steps`ths, rounded, but only a whole one to 0 or to `steps`. */
static unsigned round_share(double share, unsigned steps) {
  double rounded = floor(share * steps + 0.5);
  if (rounded < 1) return share > 0 ? 1 : 0;
  if (rounded >= steps) return share < 1 ? steps - 1 : steps;
  return (unsigned)rounded;
}

ee_cell ee_cell_score(ee_arena *arena, double score, ee_ink ink) {
  /* Average precision has 2^-52 in its denominators: perfect detections come to a little less than 1. */
  unsigned thousandths = fabs(score) > 1 - ROUNDING ? 1000 : round_share(fabs(score), 1000);
  return ee_cell_words(
      ee_arena_printf(arena, "%s%u.%03u", score < 0 ? "-" : "", thousandths / 1000, thousandths % 1000), ink);
}

ee_cell ee_cell_metric(ee_arena *arena, ee_metric metric, ee_ink ink) {
  return metric.defined ? ee_cell_score(arena, metric.value, ink) : ee_cell_words("-", EE_INK_DIM);
}

ee_cell ee_cell_corpus_metric(ee_arena *arena, const ee_corpus_metric *metric) {
  if (metric->is_count && metric->defined) return ee_cell_count(arena, (uint64_t)metric->value, EE_INK_PLAIN);
  return ee_cell_metric(arena, (ee_metric){metric->defined, metric->value}, EE_INK_PLAIN);
}

ee_cell ee_cell_percent(ee_arena *arena, uint64_t part, uint64_t whole, ee_ink ink) {
  return ee_cell_percent_of(arena, (ee_metric){whole > 0, whole > 0 ? (double)part / (double)whole : 0}, ink);
}

ee_cell ee_cell_percent_of(ee_arena *arena, ee_metric share, ee_ink ink) {
  if (!share.defined) return ee_cell_words("-", EE_INK_DIM);
  unsigned tenths = round_share(share.value, 1000);
  return ee_cell_words(ee_arena_printf(arena, "%u.%u %%", tenths / 10, tenths % 10), ink);
}

ee_cell ee_cell_interval(ee_arena *arena, ee_interval interval, ee_ink ink) {
  if (!ee_interval_is_known(interval)) return ee_cell_words("", ink);
  ee_str low = ee_cell_score(arena, interval.low, ink).text, high = ee_cell_score(arena, interval.high, ink).text;
  return ee_cell_words(ee_arena_printf(arena, "[%.*s, %.*s]", EE_STR_ARG(low), EE_STR_ARG(high)), ink);
}

ee_cell ee_cell_interval_percent(ee_arena *arena, ee_interval interval, ee_ink ink) {
  if (!ee_interval_is_known(interval)) return ee_cell_words("", ink);
  unsigned low = round_share(interval.low, 1000), high = round_share(interval.high, 1000);
  return ee_cell_words(ee_arena_printf(arena, "[%u.%u, %u.%u]", low / 10, low % 10, high / 10, high % 10), ink);
}

ee_cell ee_cell_ranged(ee_arena *arena, ee_ranged ranged, ee_ink ink) {
  ee_cell cell = ee_cell_metric(arena, ranged.metric, ink);
  if (!ee_interval_is_known(ranged.interval)) return cell;
  ee_str interval = ee_cell_interval(arena, ranged.interval, ink).text;
  return ee_cell_words(ee_arena_printf(arena, "%.*s %.*s", EE_STR_ARG(cell.text), EE_STR_ARG(interval)), ink);
}

const char *ee_confidence_text(ee_arena *arena, double confidence) {
  char digits[32];
  ee_double_format_short(100 * confidence, 6, digits);
  return ee_arena_printf(arena, "%s %%", digits);
}

/* Links ----------------------------------------------------------------------------------------- */

static void add_encoded(ee_buffer *out, ee_str text) {
  static const char digits[] = "0123456789ABCDEF";
  for (size_t i = 0; i < text.length; i++) {
    unsigned char c = (unsigned char)text.data[i];
    bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
                 c == '.' || c == '~';
    if (!plain) ee_buffer_add_char(out, '%');
    ee_buffer_add_char(out, plain ? (char)c : digits[c >> 4]);
    if (!plain) ee_buffer_add_char(out, digits[c & 15]);
  }
}

static const char *copy_link(ee_arena *arena, ee_buffer *link) {
  const char *copy = ee_arena_copy(arena, link->data, link->length);
  ee_buffer_fini(link);
  return copy;
}

const char *ee_page_link(ee_arena *arena, const ee_link_part *parts, size_t count) {
  ee_buffer link;
  ee_buffer_init(&link);
  ee_buffer_add_text(&link, "#cases");
  for (size_t i = 0; i < count; i++) {
    ee_buffer_addf(&link, "%c%s=", i == 0 ? '?' : '&', parts[i].name);
    add_encoded(&link, parts[i].value);
  }
  return copy_link(arena, &link);
}

const char *ee_page_case_link(ee_arena *arena, ee_str id) {
  ee_buffer link;
  ee_buffer_init(&link);
  ee_buffer_add_text(&link, "#case/");
  add_encoded(&link, id);
  return copy_link(arena, &link);
}

/* Pages ------------------------------------------------------------------------------------------ */

void ee_page_init(ee_page *page) {
  *page = (ee_page){0};
  ee_arena_init(&page->arena, 0);
  ee_page_section(page, EE_STR("summary"));
}

void ee_page_fini(ee_page *page) { ee_arena_fini(&page->arena); }

/* Sections --------------------------------------------------------------------------------------- */

static void add_name(ee_page *page, ee_str name) {
  for (size_t i = 0; i < page->names.count; i++)
    if (ee_str_equal(page->names.items[i], name)) return;
  *EE_LIST_ADD(&page->names, &page->arena) = name;
}

void ee_page_section(ee_page *page, ee_str name) {
  add_name(page, name);
  page->section = name;
  page->part = NULL;
}

void ee_page_part(ee_page *page, const char *name) {
  page->part = name;
  if (name != NULL) add_name(page, ee_str_from(name));
}

static bool is_listed(ee_str name, const char *const *names, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (ee_str_is(name, names[i])) return true;
  return false;
}

static bool is_chosen(const ee_page_block *block, const ee_page_choice *choice) {
  return is_listed(block->section, choice->sections, choice->section_count) ||
         (block->part != NULL && is_listed(ee_str_from(block->part), choice->sections, choice->section_count));
}

/* Whether a block that follows the judge's heading in its section is chosen. */
static bool has_chosen_part(const ee_page_block *heading, const ee_page_choice *choice) {
  const ee_page_block *block = heading->next;
  for (; block != NULL && ee_str_equal(block->section, heading->section); block = block->next)
    if (block->kind != EE_BLOCK_SPACE && is_chosen(block, choice)) return true;
  return false;
}

/* Several spaces between chosen blocks become one, and none is first. */
static void choose_blocks(ee_page *page, const ee_page_choice *choice) {
  ee_page_block *next = page->first, *space = NULL;
  page->first = page->last = NULL;
  while (next != NULL) {
    ee_page_block *block = next;
    next = block->next;
    if (block->kind == EE_BLOCK_SPACE) space = block;
    if (block->kind == EE_BLOCK_SPACE ||
        !(is_chosen(block, choice) || (block->kind == EE_BLOCK_JUDGE && has_chosen_part(block, choice))))
      continue;
    if (space != NULL && page->last != NULL) page->last = page->last->next = space;
    space = NULL;
    page->last = *(page->last != NULL ? &page->last->next : &page->first) = block;
  }
  if (page->last != NULL) page->last->next = NULL;
}

/* "f1" is "F1". */
static bool is_same_column(ee_str name, const char *other) {
  return strlen(other) == name.length && strncasecmp(name.data, other, name.length) == 0;
}

static bool is_column(ee_str name, const ee_page_choice *choice) {
  for (size_t i = 0; i < choice->column_count; i++)
    if (is_same_column(name, choice->columns[i])) return true;
  return false;
}

static void choose_columns(ee_page *page, ee_grid *grid, const ee_page_choice *choice) {
  ee_column *columns = EE_NEW_ARRAY(&page->arena, ee_column, grid->count);
  memcpy(columns, grid->columns, grid->count * sizeof *columns);
  for (size_t i = 0; i < grid->count; i++) {
    ee_str name = ee_str_from(columns[i].name);
    if (columns[i].name_column) continue;
    if (!is_column(name, choice))
      columns[i].hidden_in = EE_MEDIUM_ALL;
    else if (columns[i].on_choice)
      columns[i].hidden_in = EE_MEDIUM_NONE;
  }
  grid->columns = columns;
}

void ee_page_choose(ee_page *page, const ee_page_choice *choice) {
  if (choice == NULL) return;
  if (choice->section_count > 0) choose_blocks(page, choice);
  if (choice->column_count == 0) return;
  for (ee_page_block *block = page->first; block != NULL; block = block->next)
    if (block->kind == EE_BLOCK_GRID && block->grid.attributes) choose_columns(page, &block->grid, choice);
}

/* "no section 'x' (one of a, b)" */
static ee_status unknown_name(const char *kind, const char *name, const ee_str *names, size_t count, ee_error *error) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  const char *list = "";
  for (size_t i = 0; i < count; i++)
    list = ee_arena_printf(&arena, "%s%s%.*s", list, i > 0 ? ", " : "", EE_STR_ARG(names[i]));
  ee_error_set(error, EE_ERROR_USAGE, "no %s '%s' in this report (one of %s)", kind, name, list);
  ee_arena_fini(&arena);
  return EE_ERROR_USAGE;
}

/* Columns of the tables of attributes. */
enum {
  NAME,
  BAR,
  TP,
  TN,
  FP,
  FN,
  WRONG,
  INVENTED,
  UNREAD,
  PRECISION,
  RECALL,
  F1,
  INTERVAL,
  ACCURACY,
  ANSWERED,
  FABRICATED,
  COLUMNS
};
static const char *const column_names[COLUMNS] = {"attribute", "errors",   "TP",       "TN",        "FP",     "FN",
                                                  "wrong",     "invented", "unread",   "precision", "recall", "F1",
                                                  "interval",  "accuracy", "answered", "fabricated"};

ee_status ee_page_check(const ee_page *page, const ee_page_choice *choice, ee_error *error) {
  for (size_t i = 0; i < choice->section_count; i++) {
    bool known = false;
    for (size_t k = 0; k < page->names.count; k++)
      known = known || ee_str_is(page->names.items[k], choice->sections[i]);
    if (!known) return unknown_name("section", choice->sections[i], page->names.items, page->names.count, error);
  }
  /* The bars are a drawing of the others. */
  ee_str columns[COLUMNS - 1];
  for (size_t i = 0; i + 1 < COLUMNS; i++) columns[i] = ee_str_from(column_names[i < BAR ? i : i + 1]);
  for (size_t i = 0; i < choice->column_count; i++) {
    bool known = false;
    for (size_t k = 0; k + 1 < COLUMNS; k++) known = known || is_same_column(columns[k], choice->columns[i]);
    if (!known) return unknown_name("column", choice->columns[i], columns, COLUMNS - 1, error);
  }
  return EE_OK;
}

/* Blocks ----------------------------------------------------------------------------------------- */

static ee_page_block *add_block(ee_page *page, ee_block_kind kind, ee_medium medium) {
  ee_page_block *block = EE_NEW(&page->arena, ee_page_block);
  block->kind = kind;
  block->medium = medium;
  block->section = page->section;
  block->part = page->part;
  if (page->last != NULL)
    page->last->next = block;
  else
    page->first = block;
  page->last = block;
  return block;
}

void ee_page_space(ee_page *page) { add_block(page, EE_BLOCK_SPACE, EE_MEDIUM_TERMINAL); }

void ee_page_details_end(ee_page *page) { add_block(page, EE_BLOCK_DETAILS_END, EE_MEDIUM_MARKUP); }

ee_line *ee_page_line(ee_page *page, ee_medium medium, ee_line_role role) {
  ee_page_block *block = add_block(page, EE_BLOCK_LINE, medium);
  block->line.role = role;
  return &block->line;
}

void ee_line_add(ee_page *page, ee_line *line, ee_cell cell) {
  ee_cell *copy = EE_NEW(&page->arena, ee_cell);
  *copy = cell;
  copy->next = NULL;
  if (line->last != NULL)
    line->last->next = copy;
  else
    line->first = copy;
  line->last = copy;
}

void ee_line_addf(ee_page *page, ee_line *line, ee_ink ink, const char *format, ...) {
  ee_buffer text;
  ee_buffer_init(&text);
  va_list arguments;
  va_start(arguments, format);
  ee_buffer_addv(&text, format, arguments);
  va_end(arguments);
  ee_str copy = {ee_arena_copy(&page->arena, ee_buffer_terminate(&text), text.length), text.length};
  ee_buffer_fini(&text);
  ee_line_add(page, line, (ee_cell){.text = copy, .ink = ink});
}

static const ee_count *copy_counts(ee_page *page, const ee_count *counts, size_t count) {
  ee_count *copy = EE_NEW_ARRAY(&page->arena, ee_count, count);
  if (count > 0) memcpy(copy, counts, count * sizeof *counts);
  return copy;
}

void ee_page_counts(ee_page *page, ee_medium medium, const char *label, const ee_count *counts, size_t count,
                    const char *tail) {
  add_block(page, EE_BLOCK_COUNTS, medium)->counts =
      (ee_counts_line){label, copy_counts(page, counts, count), count, tail};
}

void ee_page_clusters(ee_page *page, const ee_score_units *units, const ee_sample *score) {
  if (units->clustered.count == 0) return;
  const bool grouped = units->clusters.grouped;
  const ee_count counts[] = {
      {grouped ? "groups of clusters" : "clusters", units->clusters.count, EE_INK_PLAIN, EE_COUNT_ALWAYS, NULL, NULL},
      {"cases without one", score->count - units->clustered.count, EE_INK_PLAIN, EE_COUNT_NONZERO,
       "case has no cluster", "cases have no cluster"},
  };
  ee_page_counts(page, EE_MEDIUM_ALL, "units     ", counts, 2, "");
}

void ee_page_scores(ee_page *page, ee_scores scores) {
  add_block(page, EE_BLOCK_SCORES, EE_MEDIUM_ALL)->scores = scores;
}

void ee_page_judge(ee_page *page, ee_judge_heading judge) {
  ee_page_block *block = add_block(page, EE_BLOCK_JUDGE, EE_MEDIUM_ALL);
  if (ee_str_equal(judge.name, judge.type)) judge.type = EE_STR("");
  judge.counts = copy_counts(page, judge.counts, judge.count);
  block->judge = judge;
}

void ee_page_metrics(ee_page *page, const ee_corpus_metric *items, size_t count) {
  add_block(page, EE_BLOCK_METRICS, EE_MEDIUM_ALL)->metrics = (ee_metric_list){items, count};
}

void ee_page_notes(ee_page *page, ee_medium medium, const ee_str *items, size_t count) {
  add_block(page, EE_BLOCK_NOTES, medium)->notes = (ee_note_list){items, count};
}

void ee_page_text(ee_page *page, ee_medium medium, ee_str text) {
  add_block(page, EE_BLOCK_TEXT, medium)->text =
      (ee_str){ee_arena_copy(&page->arena, text.data, text.length), text.length};
}

void ee_page_misfits(ee_page *page, ee_medium medium, const ee_misfit_list *misfits) {
  ee_page_part(page, "notes");
  if (misfits->count == 0) return;
  ee_str *notes = EE_NEW_ARRAY(&page->arena, ee_str, misfits->count);
  for (size_t i = 0; i < misfits->count; i++)
    notes[i] = (ee_str){ee_arena_copy(&page->arena, misfits->items[i].text.data, misfits->items[i].text.length),
                        misfits->items[i].text.length};
  if ((medium & EE_MEDIUM_TERMINAL) != 0) ee_page_space(page);
  ee_page_notes(page, medium, notes, misfits->count);
}

ee_grid *ee_page_grid(ee_page *page, ee_medium medium, const ee_column *columns, size_t count) {
  ee_page_block *block = add_block(page, EE_BLOCK_GRID, medium);
  ee_column *copy = EE_NEW_ARRAY(&page->arena, ee_column, count);
  memcpy(copy, columns, count * sizeof *columns);
  block->grid = (ee_grid){.arena = &page->arena, .columns = copy, .count = count};
  return &block->grid;
}

ee_cell *ee_grid_add_for(ee_grid *grid, ee_medium medium) {
  ee_grid_row *row = ee_arena_calloc(grid->arena, 1, sizeof *row + grid->count * sizeof *row->cells);
  row->medium = medium;
  if (grid->last != NULL)
    grid->last->next = row;
  else
    grid->first = row;
  grid->last = row;
  return row->cells;
}

ee_cell *ee_grid_add(ee_grid *grid) { return ee_grid_add_for(grid, EE_MEDIUM_ALL); }

ee_gate_block *ee_page_gates(ee_page *page, ee_medium medium, bool quotes) {
  if ((medium & EE_MEDIUM_TERMINAL) != 0) ee_page_space(page);
  ee_page_block *block = add_block(page, EE_BLOCK_GATES, medium);
  block->gates.quotes = quotes;
  return &block->gates;
}

void ee_gates_add(ee_page *page, ee_gate_block *gates, ee_gate_verdict verdict, ee_str text) {
  ee_gate_line *line = EE_NEW(&page->arena, ee_gate_line);
  *line =
      (ee_gate_line){.text = {ee_arena_copy(&page->arena, text.data, text.length), text.length}, .verdict = verdict};
  if (gates->last != NULL)
    gates->last->next = line;
  else
    gates->first = line;
  gates->last = line;
}

/* Attributes ------------------------------------------------------------------------------------ */

/* True for an attribute that candidates made up: only the data knows it, and nothing was ever expected there. */
static bool is_never_expected(const ee_judge_total *total, size_t number) {
  const ee_attribute_total *attribute = &total->attributes[number];
  const ee_counts *counts = &attribute->counts;
  return number >= total->static_count && counts->tp + counts->fn + counts->tn == 0 && counts->fp > 0 &&
         !ee_str_is(attribute->name, EE_OTHER_NAME);
}

/* The order in which attributes are listed, in `arena`, after folding; returns how many are left. `*folded` is the
 * number of those folded away, and `*pooled` their counts. */
static size_t order_attributes(const ee_judge_total *total, bool fold, ee_attribute_order by, ee_arena *arena,
                               size_t **order, size_t *folded, ee_counts *pooled) {
  size_t never = 0, left = 0, seen = 0, *numbers = EE_NEW_ARRAY(arena, size_t, total->attribute_count);
  *order = numbers;
  *folded = 0;
  *pooled = (ee_counts){0};
  ee_judge_total_order(total, by, numbers, arena);
  for (size_t i = 0; i < total->attribute_count; i++) never += fold && is_never_expected(total, i);
  /* A single one is as long as the line that would replace it. */
  if (never <= MAX_NEVER_EXPECTED + 1) return total->attribute_count;
  for (size_t i = 0; i < total->attribute_count; i++) {
    if (is_never_expected(total, numbers[i]) && ++seen > MAX_NEVER_EXPECTED) {
      ee_counts_add(pooled, &total->attributes[numbers[i]].counts);
      ++*folded;
    } else {
      numbers[left++] = numbers[i];
    }
  }
  return left;
}

static uint64_t values_of(const ee_counts *counts) { return counts->tp + counts->fn + counts->fp - counts->wrong; }

static bool is_more(const uint64_t *a, const uint64_t *b) { return *a > *b; }
EE_DEFINE_SORT(sort_counts, uint64_t, is_more)

/* Of many attributes, those with few values would hide the others: folds those away that have no more than the
 * attribute after the first MANY_ATTRIBUTES by values, if that is FEW_VALUES or little against the largest. Returns how
 * many of the `count` in `order` are left; `*few`: how many values a folded one may have. */
static size_t fold_rare(const ee_judge_total *total, size_t *order, size_t count, ee_arena *arena, uint64_t *few,
                        ee_counts *pooled) {
  *pooled = (ee_counts){0};
  if (count <= MANY_ATTRIBUTES) return count;
  uint64_t *values = EE_NEW_ARRAY(arena, uint64_t, count);
  for (size_t i = 0; i < count; i++) values[i] = values_of(&total->attributes[order[i]].counts);
  sort_counts(values, count, arena);
  *few = values[MANY_ATTRIBUTES];
  if (*few * 4 > values[0] && (*few > FEW_VALUES || *few == values[0])) return count;
  size_t left = 0;
  for (size_t i = 0; i < count; i++) {
    const ee_counts *counts = &total->attributes[order[i]].counts;
    if (values_of(counts) <= *few)
      ee_counts_add(pooled, counts);
    else
      order[left++] = order[i];
  }
  return left;
}

static void fill_counts(ee_arena *arena, ee_cell *cells, const ee_counts *counts, bool split) {
  const uint64_t numbers[] = {
      counts->tp, counts->tn, counts->fp, counts->fn, counts->wrong, counts->fp - counts->wrong, counts->unread};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    cells[TP + i] = ee_cell_count_dim(arena, numbers[i], EE_INK_PLAIN);
  if (!split) cells[WRONG] = cells[INVENTED] = ee_cell_words("-", EE_INK_DIM);
  static const ee_metric undefined = {0};
  cells[ACCURACY] = ee_cell_metric(arena, split ? ee_field_accuracy(counts) : undefined, EE_INK_PLAIN);
  cells[ANSWERED] = ee_cell_metric(arena, split ? ee_answered_rate(counts) : undefined, EE_INK_PLAIN);
  cells[FABRICATED] = ee_cell_metric(arena, split ? ee_fabrication_rate(counts) : undefined, EE_INK_PLAIN);
}

static ee_ink ink_of_f1(const ee_counts *counts, ee_verdict_limits limits) {
  ee_metric f1 = ee_f1(counts);
  if (!f1.defined || f1.value >= limits.pass) return EE_INK_PLAIN;
  return f1.value >= limits.borderline ? EE_INK_YELLOW : EE_INK_RED;
}

/* `whole`: errors of a full bar; 0: no bar, of several attributes in one row. */
static void add_attribute(ee_grid *grid, ee_cell name, const ee_counts *counts, ee_interval f1, bool split,
                          uint64_t whole) {
  ee_cell *cells = ee_grid_add(grid);
  cells[NAME] = name;
  uint64_t incorrect = split ? counts->wrong : 0;
  ee_bar *bar = whole > 0 ? EE_NEW(grid->arena, ee_bar) : NULL;
  if (bar != NULL)
    *bar = (ee_bar){.incorrect = incorrect,
                    .missing = counts->fn > incorrect ? counts->fn - incorrect : 0,
                    .spurious = counts->fp > incorrect ? counts->fp - incorrect : 0,
                    .whole = whole,
                    .split = split};
  cells[BAR].bar = bar;
  fill_counts(grid->arena, cells, counts, split);
  cells[PRECISION] = ee_cell_metric(grid->arena, ee_precision(counts), EE_INK_PLAIN);
  cells[RECALL] = ee_cell_metric(grid->arena, ee_recall(counts), EE_INK_PLAIN);
  cells[F1] = ee_cell_metric(grid->arena, ee_f1(counts), name.ink);
  cells[INTERVAL] = ee_cell_interval(grid->arena, f1, EE_INK_PLAIN);
}

static ee_cell *add_average(ee_grid *grid, const char *name, const ee_ranged_averages *averages) {
  ee_cell *cells = ee_grid_add(grid);
  cells[NAME] = ee_cell_words(name, EE_INK_PLAIN);
  cells[PRECISION] = ee_cell_metric(grid->arena, averages->precision.metric, EE_INK_PLAIN);
  cells[RECALL] = ee_cell_metric(grid->arena, averages->recall.metric, EE_INK_PLAIN);
  cells[F1] = ee_cell_metric(grid->arena, averages->f1.metric, EE_INK_BOLD);
  cells[INTERVAL] = ee_cell_interval(grid->arena, averages->f1.interval, EE_INK_PLAIN);
  cells[NAME].strong = cells[F1].strong = true;
  return cells;
}

static bool any_unread(const ee_judge_total *total) {
  for (size_t i = 0; i < total->attribute_count; i++)
    if (total->attributes[i].counts.unread > 0) return true;
  return false;
}

void ee_page_attributes(ee_page *page, const ee_judge_total *total, bool split, bool fold, ee_attribute_order by,
                        ee_verdict_limits limits, double confidence) {
  if (total->attribute_count == 0) return;
  ee_judge_ranges averages = ee_judge_total_ranges(total, confidence);
  ee_medium hidden = ee_interval_is_known(averages.micro.f1.interval) ? EE_MEDIUM_NONE : EE_MEDIUM_ALL;
  ee_medium unknown = split ? EE_MEDIUM_NONE : EE_MEDIUM_MARKUP;
  ee_column columns[COLUMNS] = {[NAME] = {.left = true, .name_column = true},
                                [BAR] = {.hidden_in = EE_MEDIUM_TERMINAL | EE_MEDIUM_MARKDOWN, .left = true},
                                [WRONG] = {.hidden_in = unknown},
                                [INVENTED] = {.hidden_in = unknown},
                                [INTERVAL] = {.left = true, .hidden_in = hidden},
                                [UNREAD] = {.hidden_in = any_unread(total) ? EE_MEDIUM_NONE : EE_MEDIUM_ALL}};
  static const unsigned char spare[COLUMNS] = {
      [TN] = 8,     [INVENTED] = 7, [WRONG] = 6, [INTERVAL] = 5, [PRECISION] = 4,
      [RECALL] = 3, [TP] = 2,       [FP] = 1,    [FN] = 1};
  for (size_t i = 0; i < COLUMNS; i++) columns[i].name = column_names[i], columns[i].spare = spare[i];
  for (size_t i = ACCURACY; i <= FABRICATED; i++) columns[i].on_choice = true, columns[i].hidden_in = EE_MEDIUM_ALL;
  ee_arena *arena = &page->arena;
  size_t *order, folded;
  ee_counts pooled;
  size_t count = order_attributes(total, fold, by, arena, &order, &folded, &pooled);
  uint64_t few = 0;
  ee_counts rare_counts;
  size_t rare = count;
  if (fold) count = fold_rare(total, order, count, arena, &few, &rare_counts);
  rare -= count;
  size_t shown = count < MAX_ATTRIBUTES ? count : MAX_ATTRIBUTES;
  ee_grid *grid = ee_page_grid(page, EE_MEDIUM_ALL, columns, COLUMNS);
  grid->attributes = true;
  grid->caption = ee_arena_printf(arena, "Fields of %.*s%s", EE_STR_ARG(page->section),
                                  by == EE_ORDER_USUAL ? ", worst F1 first" : "");
  /* A bar of full length is at least a tenth of the values, and SHORT_BAR: a single error is short. */
  uint64_t whole = SHORT_BAR;
  for (size_t i = 0; i < shown; i++) {
    const ee_counts *counts = &total->attributes[order[i]].counts;
    uint64_t errors = counts->fp + counts->fn - (split ? counts->wrong : 0), tenth = values_of(counts) / 10;
    if (errors > whole) whole = errors;
    if (tenth > whole) whole = tenth;
  }
  for (size_t i = 0; i < shown; i++) {
    const ee_attribute_total *attribute = &total->attributes[order[i]];
    ee_cell name = ee_cell_data(attribute->name, ink_of_f1(&attribute->counts, limits));
    /* The names of a rule file are as long as its author wants them. */
    if (order[i] < total->static_count) name.max_columns = 0;
    const ee_link_part parts[] = {{"judge", page->section}, {"field", attribute->name}};
    if (attribute->counts.fp + attribute->counts.fn > 0) name.link = ee_page_link(arena, parts, 2);
    ee_interval f1 = ee_attribute_ranged(attribute, EE_RATIO_F1, confidence).interval;
    add_attribute(grid, name, &attribute->counts, f1, split, whole);
  }
  if (folded > 0)
    add_attribute(
        grid, ee_cell_words(ee_arena_printf(arena, "%zu more keys never expected", folded), ink_of_f1(&pooled, limits)),
        &pooled, EE_NO_INTERVAL, split, 0);
  if (rare > 0) {
    const char *name =
        ee_arena_printf(arena, "%zu more with up to %" PRIu64 " value%s", rare, few, few == 1 ? "" : "s");
    add_attribute(grid, ee_cell_words(name, ink_of_f1(&rare_counts, limits)), &rare_counts, EE_NO_INTERVAL, split, 0);
  }
  if (shown < count) {
    const char *more = ee_arena_printf(arena, "%zu more", count - shown);
    ee_grid_add_for(grid, EE_MEDIUM_MARKUP)[NAME] = ee_cell_words(more, EE_INK_DIM);
    ee_grid_add_for(grid, EE_MEDIUM_TERMINAL)[NAME] =
        ee_cell_words(ee_arena_printf(arena, "%s: --format json or csv", more), EE_INK_DIM);
  }
  ee_grid_add_for(grid, EE_MEDIUM_TERMINAL);
  grid->last->rule = true;
  fill_counts(arena, add_average(grid, "micro", &averages.micro), &averages.pooled, split);
  add_average(grid, "macro", &averages.macro);
  add_average(grid, "weighted", &averages.weighted);
}
