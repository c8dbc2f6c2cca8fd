/* capped_errors.c: a list of errors with a limit. */
#include "data/files/capped_errors.h"

#include <inttypes.h>
#include <stdio.h>

static void add(ee_capped_errors *errors, ee_status status, uint64_t line, uint64_t column, const char *format,
                va_list arguments) {
  char message[sizeof((ee_error){0}).message];
  vsnprintf(message, sizeof message, format, arguments);
  ee_error error;
  ee_error_at(&error, status, errors->file, (size_t)line, (size_t)column, "%s", message);
  ee_error_list_add(errors->list, &error);
}

void ee_capped_errors_add(ee_capped_errors *errors, uint64_t line, uint64_t column, const char *format, ...) {
  if (++errors->count > EE_UNSPLIT_LISTED) return;
  va_list arguments;
  va_start(arguments, format);
  add(errors, EE_ERROR_DATA, line, column, format, arguments);
  va_end(arguments);
}

void ee_capped_errors_warn(ee_capped_errors *errors, uint64_t line, uint64_t column, const char *format, ...) {
  if (++errors->warnings > EE_UNSPLIT_LISTED) return;
  va_list arguments;
  va_start(arguments, format);
  add(errors, EE_OK, line, column, format, arguments);
  va_end(arguments);
}

void ee_capped_errors_end(ee_capped_errors *errors, const char *what) {
  if (errors->count <= EE_UNSPLIT_LISTED) return;
  ee_error error;
  ee_error_at(&error, EE_OK, errors->file, 0, 0, "%" PRIu64 " more %s in error", errors->count - EE_UNSPLIT_LISTED,
              what);
  ee_error_list_add(errors->list, &error);
}
