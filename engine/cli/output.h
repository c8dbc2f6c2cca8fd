/* output.h: standard output, or a file that appears when it is complete.
 *
 * A regular file is written without a name (under a temporary one where the file system cannot do that) and gets its
 * name at the end, when its bytes are on the disk: what had the name stays as it is until then. Of a symbolic link the
 * file that it leads to is replaced, and the link stays. Anything else (a pipe, a device, what is open already) is
 * written directly. A signal that ends the program (interrupt.h) leaves neither name. */
#ifndef EE_CLI_OUTPUT_H
#define EE_CLI_OUTPUT_H

#include <evalengine.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "report/html/html_data.h"
#include "report/junit.h"

/* The status of a failure to write standard output because nobody reads it any more (`evalengine ... | head`), and the
 * exit status of the program then: that of a program which SIGPIPE ended. ee_terminal_fail() prints nothing for it. */
#define EE_EXIT_CLOSED_PIPE 141

typedef struct ee_output {
  ee_buffer *memory; /* of a host, instead of all below; NULL: none. Borrowed */
  int descriptor;    /* -1: not open */
  const char *name;  /* for messages: the path, or "standard output"; borrowed */
  char *target;    /* the file that appears at the end: the path, with links followed; owned; NULL: written directly */
  char *temporary; /* its name until then; owned */
  bool unnamed;    /* it has not even that yet */
  bool is_new;     /* what has the target's name is not replaced */
} ee_output;

/* Opens `path` (NULL, "-" or "/dev/stdout": standard output). Fails with EE_ERROR_SYSTEM and the file's name in the
 * message. */
ee_status ee_output_open(ee_output *output, const char *path, ee_error *error);

/* The same, but where there is a regular file already it fails with EE_ERROR_USAGE, here or when the file gets its
 * name. */
ee_status ee_output_open_new(ee_output *output, const char *path, ee_error *error);
/* EE_ERROR_USAGE if `path` is a regular file, or leads to one. */
ee_status ee_output_check_new(const char *path, ee_error *error);
/* Writes a new file. */
ee_status ee_output_write_new(const char *path, const ee_buffer *text, ee_error *error);

/* Whether `path` names a descriptor that is open already: "-", "/dev/stdout", "/dev/fd/3". */
bool ee_output_is_open(const char *path);

/* Writes all of it. Fails with EE_ERROR_SYSTEM, or with EE_EXIT_CLOSED_PIPE. */
ee_status ee_output_write(ee_output *output, const char *data, size_t length, ee_error *error);

/* Writes a report: `page` with `cases` in it, which may be NULL. */
ee_status ee_output_write_page(ee_output *output, const ee_buffer *page, ee_html_cases *cases, ee_error *error);

/* Writes a list of tests. */
ee_status ee_output_write_tests(ee_output *output, ee_junit *tests, ee_error *error);

/* The file will be called as `path` with ".part": it is not all that `path` should be. Not for what is written
 * directly.
 */
void ee_output_make_part(ee_output *output);

/* Closes; with `keep` the file gets its name, else nothing of it is left. Closing a closed output does nothing. */
ee_status ee_output_close(ee_output *output, bool keep, ee_error *error);

/* Opens `path` as ee_output_open() does, writes all of `text`, closes. What was there stays when writing fails. */
ee_status ee_output_write_all(const char *path, const ee_buffer *text, ee_error *error);

/* The same for a report with `cases` in it, which may be NULL. */
ee_status ee_output_write_report(const char *path, const ee_buffer *page, ee_html_cases *cases, ee_error *error);
/* The same for a list of tests. */
ee_status ee_output_write_all_tests(const char *path, ee_junit *tests, ee_error *error);

/* True when `path` names the regular file that `other` names, or both would make the same one. */
bool ee_output_is_same_file(const char *path, const char *other);

#endif
