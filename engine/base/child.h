/* child.h: another program, started without a shell, talked to through pipes.
 *
 * Layer: base (knows libc only). A child gets three pipes and nothing else: every other descriptor is closed on exec, signals have
 * their defaults, and it leads a process group of its own, so that it can be ended with all that it started. Many threads may have children
 * at the same time. SIGPIPE must be ignored by the caller's process. */
#ifndef EE_BASE_CHILD_H
#define EE_BASE_CHILD_H

#include <evalengine.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/stop.h"

typedef struct ee_child ee_child;

/* What a child may do. */
typedef struct ee_child_limits {
  unsigned timeout_ms;   /* of one exchange; 0: none */
  size_t output_limit;   /* bytes that one exchange may bring */
} ee_child_limits;

typedef enum ee_child_end {
  EE_CHILD_ANSWERED, /* it gave what was waited for */
  EE_CHILD_EXITED,   /* it ended by itself: `code` */
  EE_CHILD_KILLED,   /* it ended by a signal: `code` */
  EE_CHILD_TIMED_OUT,
  EE_CHILD_FLOODED,  /* more output than the limit */
  EE_CHILD_STOPPED,  /* `stop` was set */
  EE_CHILD_FAILED    /* the system refused: `code` is errno */
} ee_child_end;

typedef struct ee_child_outcome {
  ee_child_end end;
  int code;
  char complaint[200]; /* the last line it wrote to standard error, UTF-8, printable, cut; "" when there is none */
} ee_child_outcome;

/* Starts `command` (NULL-terminated; a name without a slash is looked up in PATH) in the folder `directory` (NULL: the current one).
 * NULL with `error` (EE_ERROR_SYSTEM) when it cannot be started: "cannot run 'x': No such file or directory". */
ee_child *ee_child_start(const char *const *command, const char *directory, ee_error *error);

/* Hands it `input` and end of file, and takes all it writes to standard output until it ends, appended to `output`. Input and output flow at the
 * same time: a child that writes before it has read, or never reads, is no deadlock. The child and its group are ended and reaped in any case. EE_CHILD_EXITED
 * with code 0 is success. Frees the child. */
ee_child_outcome ee_child_finish(ee_child *child, ee_str input, ee_child_limits limits, const ee_stop *stop, ee_buffer *output);

/* One line each way with a child that goes on running: hands it `line` (without a newline, which is added), and takes one line of its
 * output, appended to `output` without the newline. EE_CHILD_ANSWERED, and the child waits for the next; otherwise it was ended and reaped, and only ee_child_free() may follow. What it wrote
 * behind the newline, before the next line was sent, makes the next exchange fail (EE_CHILD_FAILED, code EPROTO): answers would be those of other cases. */
ee_child_outcome ee_child_exchange(ee_child *child, ee_str line, ee_child_limits limits, const ee_stop *stop, ee_buffer *output);

/* Closes its input, gives it a moment (200 ms) to end by itself, ends and reaps it. NULL is allowed. */
void ee_child_free(ee_child *child);

#endif
