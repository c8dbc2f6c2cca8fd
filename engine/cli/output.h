/* output.h: where results go: standard output, or a file that appears whole.
 *
 * Layer: cli. A regular file is written under a temporary name beside it and renamed at the end; anything else (a pipe, a device) is
 * written directly. */
#ifndef EE_CLI_OUTPUT_H
#define EE_CLI_OUTPUT_H

#include <evalengine.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct ee_output {
  int descriptor;         /* -1: not open */
  const char *name;       /* for messages: the path, or "standard output"; borrowed */
  char *temporary;        /* owned; NULL when written directly */
} ee_output;

/* Opens `path` (NULL or "-": standard output). Fails with EE_ERROR_SYSTEM and the file's name in the message. */
ee_status ee_output_open(ee_output *output, const char *path, ee_error *error);

/* Writes all of it. */
ee_status ee_output_write(ee_output *output, const char *data, size_t length, ee_error *error);

/* Closes; with `keep` a temporary file takes its name, else it is removed. Closing a closed output does nothing. */
ee_status ee_output_close(ee_output *output, bool keep, ee_error *error);

/* True when `path` names the file that `other` names. */
bool ee_output_is_same_file(const char *path, const char *other);

#endif
