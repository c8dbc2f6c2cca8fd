/* capped_errors.h: errors of one file, of which only the first ones are told and all are counted.
 *
 * A file of the wrong kind has one error an entry. */
#ifndef EE_DATA_FILES_CAPPED_ERRORS_H
#define EE_DATA_FILES_CAPPED_ERRORS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "data/files/dataset.h"

typedef struct ee_capped_errors {
  ee_error_list *list; /* borrowed; NULL: only counted */
  const char *file;    /* borrowed */
  uint64_t count;      /* of errors, told or not */
  uint64_t warnings;
} ee_capped_errors;

/* Adds an error with its place (column 0: none). */
void ee_capped_errors_add(ee_capped_errors *told, uint64_t line, uint64_t column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Adds a warning: status EE_OK. */
void ee_capped_errors_warn(ee_capped_errors *told, uint64_t line, uint64_t column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Tells how many were not told, once, behind the last one; `what`: "entries". */
void ee_capped_errors_end(ee_capped_errors *told, const char *what);

#endif
