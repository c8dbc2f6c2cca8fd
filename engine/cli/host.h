/* host.h: a program that calls the commands through the C API, in place of standard output, standard error and signals.
 *
 * The API makes its host that of the thread on which a command runs. While a thread has one, that command prints
 * nothing, handles no signals, and does not touch what belongs to the process. */
#ifndef EE_CLI_HOST_H
#define EE_CLI_HOST_H

#include <signal.h>
#include <stdbool.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/str.h"
#include "lua/rule_file.h"
#include "run/totals.h"

typedef struct ee_host {
  void *user;
  const volatile sig_atomic_t *interrupt; /* never NULL */
  /* The next four may be called by any thread that works for the command, one at a time; all but `message` may be NULL.
   */
  void (*message)(void *user, const ee_error *error);
  bool keeps_messages; /* further reports list records in error */
  ee_status (*rows)(void *user, const char *lines, size_t length, ee_error *error);
  void (*progress)(void *user, uint64_t cases, const ee_sample *scores, uint64_t taken, uint64_t total);

  ee_str rules_text;      /* instead of the first operand, which is then only their name; data NULL: it is a file */
  const char *rules_name; /* that name; NULL: it is a file */
  ee_buffer *output;      /* what would go to standard output; NULL: nowhere */
  ee_buffer *state;       /* what would be written to the file of --state */
} ee_host;

/* Makes `host` (NULL: none) that of this thread; returns the one before. */
ee_host *ee_host_enter(ee_host *host);
ee_host *ee_host_current(void);

#endif
