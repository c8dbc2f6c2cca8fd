/* wrap.c: words into lines. */
#include "cli/wrap.h"

#include <string.h>

#include "prim/width.h"

/* A word of more columns is a list of choices rather than a formula with bars. */
#define LONGEST_WORD 40

static size_t width_of(const char *text, size_t length) { return ee_text_width((ee_str){text, length}); }

/* The columns that the last line of `out` has so far. */
static size_t column_of(const ee_buffer *out) {
  size_t start = out->length;
  while (start > 0 && out->data[start - 1] != '\n') start--;
  return start == out->length ? 0 : width_of(out->data + start, out->length - start);
}

static void start_line(ee_buffer *out, size_t indent) {
  ee_buffer_add_char(out, '\n');
  for (size_t i = 0; i < indent; i++) ee_buffer_add_char(out, ' ');
}

/* The length of the next piece that stays in one line. `*choices` is the end of the choices that are under way. */
static size_t piece_of(const char *text, const char **choices) {
  size_t word = strcspn(text, " \n");
  if (width_of(text, word) > LONGEST_WORD) *choices = text + word;
  if (text >= *choices) return word;
  size_t choice = strcspn(text, "| \n");
  return choice < word ? choice + 1 : word;
}

void ee_wrap(ee_buffer *out, size_t indent, const char *text) {
  size_t column = column_of(out);
  const char *choices = text;
  bool first = true; /* in its line, or at the place where the text begins */
  while (*text != '\0') {
    if (*text == '\n') {
      ee_buffer_add_char(out, '\n');
      text++;
      for (column = 0; *text != '\0' && *text != '\n' && column < indent; column++) ee_buffer_add_char(out, ' ');
      first = true;
      continue;
    }
    size_t spaces = strspn(text, " "), length = piece_of(text + spaces, &choices);
    size_t width = width_of(text + spaces, length);
    if (!first && column + spaces + width > EE_WRAP_COLUMNS) {
      start_line(out, indent);
      column = indent;
    } else {
      ee_buffer_add(out, text, spaces);
      column += spaces;
    }
    ee_buffer_add(out, text + spaces, length);
    column += width;
    text += spaces + length;
    first = false;
  }
  ee_buffer_add_char(out, '\n');
}
