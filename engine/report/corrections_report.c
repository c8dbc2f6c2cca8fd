/* corrections_report.c: the lines that say how much work is left. */
#include "report/corrections_report.h"

#include <inttypes.h>
#include <string.h>

#include "prim/number.h"

/* What a line begins with on a terminal; further lines are indented as far. */
#define STRAIGHT "straight-through  "
#define EDITS "corrections       "

static const char *plural(uint64_t count, const char *one, const char *many) { return count == 1 ? one : many; }

static const char *number_text(double value, int digits, ee_arena *arena) {
  char text[32];
  size_t length = ee_double_format_short(value, digits, text);
  return ee_arena_copy(arena, text, length);
}

/* "0.38", "12.5": three significant digits, so that few edits in many documents are not 0. */
static const char *mean_text(const ee_correction_total *total, ee_arena *arena) {
  return number_text(ee_corrections_mean(total).value, 3, arena);
}

/* "changed 29, missing 11, rows added 2 (with 7 values)": those that occur. */
static const char *kinds_text(const ee_correction_total *total, ee_arena *arena) {
  static const char *const words[] = {"changed", "missing", "removed", "rows added", "rows removed"};
  const char *text = "";
  for (int i = 0; i < EE_CORRECTION_KINDS; i++) {
    if (total->kinds[i] == 0) continue;
    text = ee_arena_printf(arena, "%s%s%s %" PRIu64, text, *text != '\0' ? ", " : "", words[i], total->kinds[i]);
    if (i == EE_CORRECTION_ROW_ADDED && total->row_values > 0)
      text = ee_arena_printf(arena, "%s (with %" PRIu64 " %s)", text, total->row_values,
                             plural(total->row_values, "value", "values"));
  }
  return text;
}

/* "46, 0.38 a case, median 0; cases with 1: 28, 2: 9, 3+: 0" */
static const char *spread_text(const ee_correction_total *total, const char *noun, ee_arena *arena) {
  uint64_t bins[EE_CORRECTION_BINS], sum = ee_correction_total_sum(total);
  ee_correction_total_bins(total, bins);
  const char *median = number_text(ee_value_counts_median(&total->per_case), 17, arena);
  if (sum == 0) return "0";
  return ee_arena_printf(arena,
                         "%" PRIu64 ", %s a %s, median %s; %ss with 1: %" PRIu64 ", 2: %" PRIu64 ", 3+: %" PRIu64, sum,
                         mean_text(total, arena), noun, median, noun, bins[1], bins[2], bins[3]);
}

/* What was counted apart from corrections; empty if nothing was. */
static const char *rest_text(const ee_correction_total *total, ee_arena *arena) {
  const char *text = "";
  if (total->checks > 0) text = ee_arena_printf(arena, "checks failed %" PRIu64, total->checks);
  if (total->optional > 0)
    text = ee_arena_printf(arena, "%s%soptional values missing %" PRIu64 " (not counted)", text,
                           *text != '\0' ? ", " : "", total->optional);
  return text;
}

static void add_rate(const ee_correction_total *total, double confidence, const char *noun, ee_page *page,
                     ee_line *line) {
  ee_ranged rate = ee_straight_through(total, confidence);
  ee_cell cell = ee_cell_percent(&page->arena, total->straight, total->cases, EE_INK_BOLD);
  cell.strong = true;
  ee_line_add(page, line, cell);
  ee_cell interval = ee_cell_interval_percent(&page->arena, rate.interval, EE_INK_PLAIN);
  ee_line_addf(page, line, EE_INK_PLAIN, "%s%.*s: %" PRIu64 " of %" PRIu64 " %s%s need%s no correction",
               interval.text.length > 0 ? " " : "", EE_STR_ARG(interval.text), total->straight, total->cases, noun,
               plural(total->cases, "", "s"), plural(total->straight, "s", ""));
}

static void add_more(const char *text, ee_page *page) {
  if (*text == '\0') return;
  ee_line_addf(page, ee_page_line(page, EE_MEDIUM_TERMINAL, EE_LINE_PARAGRAPH), EE_INK_PLAIN, "%*s%s",
               (int)strlen(EDITS), "", text);
}

void ee_corrections_page(const ee_correction_total *total, double confidence, const char *noun, ee_page *page) {
  if (total->cases == 0) return;
  const char *spread = spread_text(total, noun, &page->arena), *kinds = kinds_text(total, &page->arena);
  const char *rest = rest_text(total, &page->arena);
  ee_line *line = ee_page_line(page, EE_MEDIUM_TERMINAL, EE_LINE_PARAGRAPH);
  ee_line_add(page, line, ee_cell_words(STRAIGHT, EE_INK_PLAIN));
  add_rate(total, confidence, noun, page, line);
  ee_line_addf(page, ee_page_line(page, EE_MEDIUM_TERMINAL, EE_LINE_PARAGRAPH), EE_INK_PLAIN, EDITS "%s", spread);
  add_more(kinds, page);
  add_more(rest, page);
  line = ee_page_line(page, EE_MEDIUM_MARKDOWN, EE_LINE_ITEM);
  ee_line_add(page, line, ee_cell_words("straight-through ", EE_INK_PLAIN));
  add_rate(total, confidence, noun, page, line);
  ee_line_addf(page, ee_page_line(page, EE_MEDIUM_MARKDOWN, EE_LINE_ITEM), EE_INK_PLAIN, "corrections %s%s%s%s%s",
               spread, *kinds != '\0' ? ": " : "", kinds, *rest != '\0' ? "; " : "", rest);
}

ee_tile_list ee_corrections_tiles(const ee_correction_total *total, double confidence, const char *noun,
                                  ee_page *page) {
  ee_arena *arena = &page->arena;
  if (total->cases == 0) return (ee_tile_list){NULL, 0};
  ee_tile *tiles = EE_NEW_ARRAY(arena, ee_tile, 2);
  ee_interval interval = ee_straight_through(total, confidence).interval;
  const char *text = ee_arena_printf(arena, "%" PRIu64 " of %" PRIu64, total->straight, total->cases);
  if (ee_interval_is_known(interval))
    text = ee_arena_printf(arena, "%s; %s: %s %%", text, ee_confidence_text(arena, confidence),
                           ee_cell_interval_percent(arena, interval, EE_INK_PLAIN).text.data);
  ee_cell share = ee_cell_percent(arena, total->straight, total->cases, EE_INK_PLAIN);
  tiles[0] = (ee_tile){"Straight through", share.text.data, text};
  const char *kinds = kinds_text(total, arena);
  tiles[1] =
      (ee_tile){ee_arena_printf(arena, "Corrections a %s", noun), mean_text(total, arena),
                ee_arena_printf(arena, "%s%s%s", spread_text(total, noun, arena), *kinds != '\0' ? ": " : "", kinds)};
  return (ee_tile_list){tiles, 2};
}

void ee_corrections_json(const ee_correction_total *total, double confidence, ee_json_out *json) {
  if (total->cases == 0) return;
  ee_json_add_ranged(json, "straight_through", ee_straight_through(total, confidence));
  ee_json_open(json, "corrections", '{');
  ee_json_add_count(json, "total", ee_correction_total_sum(total));
  ee_json_add_number(json, "mean", ee_corrections_mean(total).value);
  ee_json_add_number(json, "median", ee_value_counts_median(&total->per_case));
  for (int i = 0; i < EE_CORRECTION_KINDS; i++)
    ee_json_add_count(json, ee_correction_name((ee_correction_kind)i), total->kinds[i]);
  ee_json_add_count(json, "row_values", total->row_values);
  ee_json_add_count(json, "optional_missing", total->optional);
  ee_json_add_count(json, "checks_failed", total->checks);
  static const char *const names[EE_CORRECTION_BINS] = {"0", "1", "2", "3_or_more"};
  uint64_t bins[EE_CORRECTION_BINS];
  ee_correction_total_bins(total, bins);
  ee_json_open(json, "cases", '{');
  ee_json_add_count(json, "straight_through", total->straight);
  for (int i = 0; i < EE_CORRECTION_BINS; i++) ee_json_add_count(json, names[i], bins[i]);
  ee_json_close(json, '}');
  ee_json_close(json, '}');
}
