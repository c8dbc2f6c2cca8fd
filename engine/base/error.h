/* error.h: filling, printing and collecting errors.
 *
 * Wording of messages: what is wrong comes first, subjects are in 'quotes', no full stop at the end. */
#ifndef EE_BASE_ERROR_H
#define EE_BASE_ERROR_H

#include <evalengine.h>
#include <stdarg.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/list.h"
#include "base/printable.h"
#include "base/str.h"

/* Fills `error` (may be NULL) with a message without a location, and returns `status`. An argument may be a part of
 * `error`. A message that is too long is cut and ends in "..."; bytes that are not UTF-8 become question marks. */
ee_status ee_error_set(ee_error *error, ee_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same with a location; `file` may be NULL, `line` and `column` 0. A file name that is too long keeps its end and
 * begins with "...". */
ee_status ee_error_at(ee_error *error, ee_status status, const char *file, size_t line, size_t column,
                      const char *format, ...) __attribute__((format(printf, 6, 7)));

/* Appends "file:line:column: message" to `out`, without the unknown parts and without a newline. */
void ee_error_print(const ee_error *error, ee_buffer *out);

/* A growing list of errors: the mistakes of a rule file, the warnings of a block of records. Owns its array. */
typedef struct ee_error_list {
  EE_LIST(ee_error);
} ee_error_list;

void ee_error_list_init(ee_error_list *list);
void ee_error_list_fini(ee_error_list *list);
void ee_error_list_add(ee_error_list *list, const ee_error *error);
void ee_error_list_addf(ee_error_list *list, ee_status status, const char *file, size_t line, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Sorts by file, line and column, keeping the order of equals. */
void ee_error_list_sort(ee_error_list *list);

/* Appends `text` (any bytes, such as what a server or a program wrote) to `out` as one line of valid UTF-8: control
 * characters and line breaks become spaces, bytes that are not UTF-8 question marks, what else is not printable
 * (printable.h) is written out, and each `secret` (printable
 * ASCII; empty: none) "***". Appends at most `limit` (>= 3) bytes; a longer text is cut and ends in "...". Stops
 * reading once the limit is passed. */
void ee_one_line(ee_buffer *out, ee_str text, ee_str secret, size_t limit);

/* The word of `words` (NULL-terminated) that is closest to the misspelt `word`, or NULL: the smallest optimal string
 * alignment distance (Damerau; a swap of neighbours is one edit) in code points, at most a third of the longer length
 * and at most 3; the first of equals. */
const char *ee_did_you_mean(const char *word, const char *const *words);
/* The same as the end of a message, in `arena` or static: " (did you mean 'x'?)", or "". */
const char *ee_suggestion(ee_arena *arena, ee_str word, const char *const *words);

#endif
