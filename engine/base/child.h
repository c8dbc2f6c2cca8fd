/* child.h: another program, started without a shell, talked to through pipes.
 *
 * Layer: base (knows libc only). A child gets three pipes and nothing else: every other descriptor is closed, signals
 * have their defaults and none is blocked, and it leads a process group of its own, so that it can be ended with all
 * that it started. Many threads may have children at the same time; one thread uses a child at a time. SIGPIPE is kept
 * away here. SIGCHLD must not be ignored, nor other people's children waited for, in the caller's process: how a child
 * ended would be lost. */
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
  unsigned timeout_ms; /* of one exchange; 0: none */
  size_t output_limit; /* bytes that one exchange may bring */
} ee_child_limits;

typedef enum ee_child_end {
  EE_CHILD_ANSWERED, /* it gave what was waited for */
  EE_CHILD_EXITED,   /* it ended by itself: `code` */
  EE_CHILD_KILLED,   /* it ended by a signal: `code` */
  EE_CHILD_TIMED_OUT,
  EE_CHILD_FLOODED, /* more output than the limit */
  EE_CHILD_STOPPED, /* `stop` was set */
  EE_CHILD_FAILED   /* `code` is errno: the system refused, or EPROTO, EPIPE of an exchange */
} ee_child_end;

typedef struct ee_child_outcome {
  ee_child_end end;
  int code;
  char complaint[200]; /* the last line that is not blank of what it wrote to standard error, UTF-8, printable, cut; of
                          an exchange: of what came since the last one. "" when there is none, and of EE_CHILD_ANSWERED
                        */
} ee_child_outcome;

/* Starts `command` (NULL-terminated; a name without a slash is looked up in PATH) in the folder `directory` (NULL: the
 * current one), from where a relative name with a slash is meant. NULL with `error` (EE_ERROR_SYSTEM) when it cannot be
 * started: "cannot run 'x': No such file or directory". About half a millisecond. */
ee_child *ee_child_start(const char *const *command, const char *directory, ee_error *error);

/* Hands it `input` and end of file, and takes all it writes to standard output until it ends, appended to `output`.
 * Input and output flow at the same time: a child that writes before it has read, or never reads, is no deadlock. It
 * has ended when the process itself has: what is in the pipe by then is taken, and a process that it left behind with
 * the pipe open is not waited for. The child and its group are ended and reaped in any case. EE_CHILD_EXITED with code
 * 0 is success. Frees the child. */
ee_child_outcome ee_child_finish(ee_child *child, ee_str input, ee_child_limits limits, const ee_stop *stop,
                                 ee_buffer *output);

/* One line each way with a child that goes on running: hands it `line` (without a newline, which is added), and takes
 * one line of its output, appended to `output` without the newline and the white space before it; blank lines are
 * passed over, between two exchanges as many as a pipe holds. EE_CHILD_ANSWERED, and the child waits for the next;
 * otherwise it was ended and reaped, and only ee_child_free() may follow. What it wrote behind the newline, before the
 * next line was sent, makes the next exchange fail (EE_CHILD_FAILED, code EPROTO): answers would be those of other
 * cases. A child that closed its output and runs on is given a second to exit, then fails (code EPIPE). About 20
 * microseconds and what the child takes. */
ee_child_outcome ee_child_exchange(ee_child *child, ee_str line, ee_child_limits limits, const ee_stop *stop,
                                   ee_buffer *output);

/* Closes its input, gives it a moment (200 ms) to end by itself, ends and reaps it. NULL is allowed. */
void ee_child_free(ee_child *child);

#endif
