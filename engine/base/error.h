/* error.h: filling, printing and collecting errors.
 *
 * Layer: base (knows libc only). Wording: what is wrong comes first, subjects stand in 'quotes', no full stop. */
#ifndef EE_BASE_ERROR_H
#define EE_BASE_ERROR_H

#include <evalengine.h>
#include <stdarg.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/str.h"

/* Fills `error` (NULL is allowed) with a message and no place, and returns `status`. An argument may be a part of
 * `error`. A message that is too long ends in "..."; bytes that are no UTF-8 become question marks. */
ee_status ee_error_set(ee_error *error, ee_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same with a place; `file` may be NULL, `line` and `column` 0. Of a name that is too long the end is kept, behind
 * "...". */
ee_status ee_error_at(ee_error *error, ee_status status, const char *file, size_t line, size_t column,
                      const char *format, ...) __attribute__((format(printf, 6, 7)));

/* Appends "file:line:column: message" to `out`, without the parts that are unknown and without a newline. */
void ee_error_print(const ee_error *error, ee_buffer *out);

/* A growing list of errors: the mistakes of a rule file, the warnings of a block of records. Owns its array. */
typedef struct ee_error_list {
  ee_error *items;
  size_t count;
  size_t capacity;
} ee_error_list;

void ee_error_list_init(ee_error_list *list);
void ee_error_list_fini(ee_error_list *list);
void ee_error_list_add(ee_error_list *list, const ee_error *error);
void ee_error_list_addf(ee_error_list *list, ee_status status, const char *file, size_t line, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Sorts by file, line and column, keeping the order of equals. */
void ee_error_list_sort(ee_error_list *list);

/* The word of `words` (NULL-terminated) that `word` was probably meant to be, or NULL: the smallest Damerau edit
 * distance in code points (a swap of neighbours is one step; optimal string alignment), at most a third of the longer
 * length and at most 3; the first of equals. */
const char *ee_did_you_mean(const char *word, const char *const *words);
/* The same as a text for the end of a message, in `arena` or static: " (did you mean 'x'?)", or "". */
const char *ee_suggestion(ee_arena *arena, ee_str word, const char *const *words);

#endif
