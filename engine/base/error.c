/* error.c: filling, printing and collecting errors, and the suggestions in their messages. */
#include "base/error.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/memory.h"
#include "base/printable.h"
#include "base/str.h"

/* Filling -------------------------------------------------------------------------------------- */

/* The text is built in a local array first, because an argument may be the old message. File names and broken input may
 * bring bytes that are not UTF-8; they become question marks, because reports must be valid UTF-8. */
static void set_message(char *message, size_t size, const char *format, va_list arguments) {
  char text[sizeof(((ee_error *)NULL)->message)];
  int written = vsnprintf(text, sizeof(text), format, arguments);
  size_t length = written > 0 ? (size_t)written : 0;
  if (length >= size) {
    length = ee_utf8_cut((ee_str){text, size - 1}, size - 4);
    memcpy(text + length, "...", 3);
    length += 3;
  }
  for (size_t i = 0; (i += ee_utf8_valid_prefix(text + i, length - i)) < length; i++) text[i] = '?';
  memcpy(message, text, length);
  message[length] = '\0';
}

/* Keeps the end of a long name. `file` may be the field itself. */
static void set_file(char *field, size_t size, const char *file) {
  size_t length = file != NULL ? strlen(file) : 0;
  if (length < size) {
    if (length > 0) memmove(field, file, length);
    field[length] = '\0';
    return;
  }
  const char *tail = file + length - (size - 4);
  while (((unsigned char)*tail & 0xc0) == 0x80) tail += 1;
  size_t kept = strlen(tail);
  memmove(field + 3, tail, kept + 1);
  memcpy(field, "...", 3);
}

static ee_status fill(ee_error *error, ee_status status, const char *file, size_t line, size_t column,
                      const char *format, va_list arguments) {
  if (error == NULL) return status;
  set_message(error->message, sizeof(error->message), format, arguments);
  set_file(error->file, sizeof(error->file), file);
  error->status = status;
  error->line = line;
  error->column = column;
  error->offset = 0;
  return status;
}

ee_status ee_error_set(ee_error *error, ee_status status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fill(error, status, NULL, 0, 0, format, arguments);
  va_end(arguments);
  return status;
}

ee_status ee_error_at(ee_error *error, ee_status status, const char *file, size_t line, size_t column,
                      const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fill(error, status, file, line, column, format, arguments);
  va_end(arguments);
  return status;
}

/* A column without a line is left out. */
void ee_error_print(const ee_error *error, ee_buffer *out) {
  if (error->file[0] != '\0') {
    ee_buffer_add_text(out, error->file);
    ee_buffer_add_char(out, ':');
  }
  if (error->line > 0) {
    ee_buffer_add_u64(out, error->line);
    ee_buffer_add_char(out, ':');
    if (error->column > 0) {
      ee_buffer_add_u64(out, error->column);
      ee_buffer_add_char(out, ':');
    }
  }
  if (error->file[0] != '\0' || error->line > 0) ee_buffer_add_char(out, ' ');
  ee_buffer_add_text(out, error->message);
}

/* Lists ---------------------------------------------------------------------------------------- */

void ee_error_list_init(ee_error_list *list) { *list = (ee_error_list){NULL, 0, 0}; }

void ee_error_list_fini(ee_error_list *list) { EE_LIST_FINI(list); }

void ee_error_list_add(ee_error_list *list, const ee_error *error) {
  ee_error copy = *error; /* `error` may be in the array that moves */
  *EE_LIST_ADD(list, NULL) = copy;
}

void ee_error_list_addf(ee_error_list *list, ee_status status, const char *file, size_t line, const char *format, ...) {
  ee_error error;
  va_list arguments;
  va_start(arguments, format);
  fill(&error, status, file, line, 0, format, arguments);
  va_end(arguments);
  ee_error_list_add(list, &error);
}

static int compare_sizes(size_t a, size_t b) { return (a > b) - (a < b); }

/* Of pointers into one array of errors; equals keep their order. */
static int compare_places(const void *left, const void *right) {
  const ee_error *a = *(const ee_error *const *)left;
  const ee_error *b = *(const ee_error *const *)right;
  int order = strcmp(a->file, b->file);
  if (order == 0) order = compare_sizes(a->line, b->line);
  if (order == 0) order = compare_sizes(a->column, b->column);
  return order != 0 ? order : (a > b) - (a < b);
}

void ee_error_list_sort(ee_error_list *list) {
  if (list->count < 2) return;
  const ee_error **order = ee_calloc(list->count, sizeof(*order));
  ee_error *sorted = ee_calloc(list->count, sizeof(*sorted));
  for (size_t i = 0; i < list->count; i++) order[i] = &list->items[i];
  qsort(order, list->count, sizeof(*order), compare_places);
  for (size_t i = 0; i < list->count; i++) sorted[i] = *order[i];
  ee_free(order);
  ee_free(list->items);
  list->items = sorted;
  list->capacity = list->count;
}

/* Text from outside ---------------------------------------------------------------------------- */

/* Unicode's control characters, LINE SEPARATOR and PARAGRAPH SEPARATOR. */
static bool breaks_a_line(uint32_t code_point) {
  return code_point < 0x20 || (code_point >= 0x7f && code_point < 0xa0) || code_point == 0x2028 || code_point == 0x2029;
}

static bool starts_with(ee_str text, size_t at, ee_str secret) {
  return secret.length > 0 && text.length - at >= secret.length &&
         memcmp(text.data + at, secret.data, secret.length) == 0;
}

void ee_one_line(ee_buffer *out, ee_str text, ee_str secret, size_t limit) {
  size_t start = out->length;
  for (size_t i = 0; i < text.length && out->length - start <= limit;) {
    if (starts_with(text, i, secret)) {
      ee_buffer_add_text(out, "***");
      i += secret.length;
      continue;
    }
    uint32_t c;
    bool stays;
    size_t step = ee_printable_step(text, i, EE_PRINT_LINE, &c, &stays);
    if (stays)
      ee_buffer_add(out, text.data + i, step);
    else if (step == 1 && (unsigned char)text.data[i] > 0x7f)
      ee_buffer_add_char(out, '?');
    else if (breaks_a_line(c))
      ee_buffer_add_char(out, ' ');
    else
      ee_add_escape(out, c);
    i += step;
  }
  if (out->length - start <= limit) return;
  out->length = start + ee_utf8_cut((ee_str){out->data + start, out->length - start}, limit - 3);
  ee_buffer_add_text(out, "...");
}

/* Suggestions ---------------------------------------------------------------------------------- */

enum { MAX_DISTANCE = 3 };

/* Decodes `text` into at most strlen(text) symbols; a byte that is not UTF-8 becomes a symbol of its own. */
static size_t decode_word(const char *text, uint32_t *symbols) {
  size_t length = strlen(text);
  size_t count = 0;
  for (size_t i = 0; i < length;) {
    size_t step = ee_utf8_decode(text + i, length - i, &symbols[count]);
    if (step == 0) symbols[count] = 0x110000u + (unsigned char)text[i];
    count += 1;
    i += step > 0 ? step : 1;
  }
  return count;
}

static size_t min(size_t a, size_t b) { return a < b ? a : b; }

/* The distance of `a` and `b`, at most MAX_DISTANCE + 1. `rows` has room for 3 * (n + 1) numbers. Only cells within
 * MAX_DISTANCE of the diagonal matter: those to the right are `far` from the start, the one to the left is set to `far`
 * in each row. */
static size_t edit_distance(const uint32_t *a, size_t m, const uint32_t *b, size_t n, size_t *rows) {
  const size_t far = MAX_DISTANCE + 1;
  if ((m > n ? m - n : n - m) > MAX_DISTANCE) return far;
  size_t *before = rows, *last = rows + (n + 1), *row = rows + 2 * (n + 1);
  for (size_t j = 0; j <= n; j++) {
    before[j] = far;
    last[j] = min(j, far);
    row[j] = far;
  }
  for (size_t i = 1; i <= m; i++) {
    size_t from = i > MAX_DISTANCE ? i - MAX_DISTANCE : 1;
    size_t to = min(i + MAX_DISTANCE, n);
    row[from - 1] = from == 1 ? min(i, far) : far;
    for (size_t j = from; j <= to; j++) {
      size_t best = last[j - 1] + (a[i - 1] != b[j - 1]);
      best = min(best, min(last[j], row[j - 1]) + 1);
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) best = min(best, before[j - 2] + 1);
      row[j] = min(best, far);
    }
    size_t *oldest = before;
    before = last;
    last = row;
    row = oldest;
  }
  return last[n];
}

const char *ee_did_you_mean(const char *word, const char *const *words) {
  size_t longest = strlen(word);
  for (const char *const *w = words; *w != NULL; w++) longest = strlen(*w) > longest ? strlen(*w) : longest;
  uint32_t *symbols = ee_calloc(longest + 1, 2 * sizeof(*symbols));
  size_t *rows = ee_calloc(longest + 1, 3 * sizeof(*rows));
  uint32_t *other = symbols + longest + 1;
  size_t m = decode_word(word, symbols);

  const char *best = NULL;
  size_t best_distance = MAX_DISTANCE + 1;
  for (const char *const *w = words; *w != NULL; w++) {
    size_t n = decode_word(*w, other);
    size_t distance = edit_distance(symbols, m, other, n, rows);
    if (distance >= best_distance || distance * 3 > (m > n ? m : n)) continue;
    best = *w;
    best_distance = distance;
  }
  ee_free(rows);
  ee_free(symbols);
  return best;
}

const char *ee_suggestion(ee_arena *arena, ee_str word, const char *const *words) {
  const char *meant = ee_did_you_mean(ee_arena_copy(arena, word.data, word.length), words);
  return meant != NULL ? ee_arena_printf(arena, " (did you mean '%s'?)", meant) : "";
}
