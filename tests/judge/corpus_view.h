/* corpus_view.h: the corpus metrics, rows and notes of a judge, for tests. */
#ifndef EE_TESTS_JUDGE_CORPUS_VIEW_H
#define EE_TESTS_JUDGE_CORPUS_VIEW_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "judge/corpus.h"

static inline void add_figure_text(ee_buffer *out, const ee_corpus_metric *figure) {
  if (!figure->defined) return;
  ee_buffer_addf(out, " %s=%.17g", figure->name, figure->value);
}

/* All of it; exact numbers, undefined metrics left out. */
static inline void figures_print(const ee_corpus_summary *summary, ee_buffer *out) {
  for (size_t i = 0; i < summary->metric_count; i++) add_figure_text(out, &summary->metrics[i]);
  for (size_t i = 0; i < summary->row_count; i++) {
    ee_buffer_addf(out, "\n%s ", summary->row_title);
    ee_buffer_add_str(out, summary->rows[i].name);
    for (size_t k = 0; k < summary->column_count; k++) {
      assert_string_equal(summary->rows[i].values[k].name, summary->columns[k]);
      add_figure_text(out, &summary->rows[i].values[k]);
    }
  }
  for (size_t i = 0; i < summary->note_count; i++) {
    ee_buffer_add_text(out, "\n- ");
    ee_buffer_add_str(out, summary->notes[i]);
  }
  ee_buffer_add_char(out, '\n');
}

static inline const ee_corpus_metric *figure_find(const ee_corpus_summary *summary, const char *name) {
  for (size_t i = 0; i < summary->metric_count; i++)
    if (strcmp(summary->metrics[i].name, name) == 0) return &summary->metrics[i];
  return NULL;
}

/* -1 when it is undefined or missing. */
static inline double figure_value(const ee_corpus_summary *summary, const char *name) {
  const ee_corpus_metric *figure = figure_find(summary, name);
  return figure != NULL && figure->defined ? figure->value : -1;
}

/* Whether one of the notes is exactly `text`. */
static inline bool has_note(const ee_corpus_summary *summary, const char *text) {
  for (size_t i = 0; i < summary->note_count; i++) {
    ee_str note = summary->notes[i];
    if (strlen(text) == note.length && memcmp(text, note.data, note.length) == 0) return true;
  }
  return false;
}

#define assert_figure(figures, name, value) assert_true(figure_value(figures, name) == (value))

static inline void assert_note(const ee_corpus_summary *figures, const char *text) {
  if (has_note(figures, text)) return;
  ee_buffer all = {0};
  figures_print(figures, &all);
  fail_msg("no note '%s' in:\n%s", text, ee_buffer_terminate(&all));
}

#endif
