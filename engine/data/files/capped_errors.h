/* capped_errors.h: the errors of one file: all are counted, the first EE_UNSPLIT_LISTED are listed. */
#ifndef EE_DATA_FILES_CAPPED_ERRORS_H
#define EE_DATA_FILES_CAPPED_ERRORS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "data/files/block.h"

typedef struct ee_capped_errors {
  ee_error_list *list; /* borrowed */
  const char *file;    /* borrowed; NULL: none */
  uint64_t count;      /* of errors, listed or not */
  uint64_t warnings;
} ee_capped_errors;

/* Adds an error at a place (column 0: unknown). */
void ee_capped_errors_add(ee_capped_errors *errors, uint64_t line, uint64_t column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Adds a warning: status EE_OK. */
void ee_capped_errors_warn(ee_capped_errors *errors, uint64_t line, uint64_t column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Call once after the last error: adds how many were not listed, if any. `what`: "entries". */
void ee_capped_errors_end(ee_capped_errors *errors, const char *what);

#endif
