/* process.h: running another program without a shell and talking to it through pipes.
 *
 * A child gets three pipes and nothing else: all other descriptors are closed, signals have their default actions and
 * none is blocked. It leads its own process group, so it can be ended together with everything it started. Many threads
 * may have children at the same time; one thread uses a child at a time. SIGPIPE is handled here. The caller's process
 * must not ignore SIGCHLD or wait for children it did not start: the exit status of a child would be lost. */
#ifndef EE_BASE_PROCESS_H
#define EE_BASE_PROCESS_H

#include <evalengine.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/runtime.h"

typedef struct ee_child ee_child;

typedef struct ee_child_limits {
  unsigned timeout_ms; /* per exchange; 0: none */
  size_t output_limit; /* bytes of output per exchange */
} ee_child_limits;

typedef enum ee_child_end {
  EE_CHILD_ANSWERED, /* the line of output is complete */
  EE_CHILD_EXITED,   /* `code` is the exit status */
  EE_CHILD_KILLED,   /* `code` is the signal */
  EE_CHILD_TIMED_OUT,
  EE_CHILD_FLOODED, /* more output than the limit */
  EE_CHILD_STOPPED, /* `stop` was set */
  EE_CHILD_FAILED   /* `code` is an errno value: of a system call, or EPROTO or EPIPE of an exchange */
} ee_child_end;

typedef struct ee_child_outcome {
  ee_child_end end;
  int code;
  /* The last line of standard error that is not blank (in an exchange: since the last exchange), as printable UTF-8,
   * cut to fit. "" without one, and for EE_CHILD_ANSWERED. */
  char complaint[200];
} ee_child_outcome;

/* Starts `command` (NULL-terminated; a name without a slash is looked up in PATH) in the folder `directory` (NULL: the
 * current one). A relative name with a slash is relative to that folder. The program gets the usual part of our
 * environment (base/environment.h) and the variables of `variables` (names, NULL-terminated; NULL: none), and is killed
 * when the calling thread ends, however that ends. NULL with `error` (EE_ERROR_SYSTEM) if the program cannot be
 * started: "cannot run 'x': No such file or directory". About half a millisecond. */
ee_child *ee_child_start(const char *const *command, const char *directory, const char *const *variables,
                         ee_error *error);

/* Writes `input` and end of file to the child, appends its standard output to `output` until it ends, and frees it.
 * Input and output flow at the same time, so a child that writes before it reads, or never reads, cannot cause a
 * deadlock. The end of the process counts, not of its pipe: output already in the pipe is read, but a process that the
 * child left running with the pipe open is not waited for. The child and its group are always killed and reaped.
 * Success is EE_CHILD_EXITED with code 0. `stop` may be NULL. */
ee_child_outcome ee_child_finish(ee_child *child, ee_str input, ee_child_limits limits, const ee_stop *stop,
                                 ee_buffer *output);

/* Exchanges one line each way with a child that goes on running. Writes `line` (without a newline, which is added), and
 * appends one line of output to `output`, without the newline and the white space before it. Blank lines are skipped;
 * between two exchanges at most as many as a pipe holds. After EE_CHILD_ANSWERED the child waits for the next line;
 * after any other outcome it has been ended and reaped, and only ee_child_free() may follow. Output after the newline
 * and before the next line is sent makes the next exchange fail (EE_CHILD_FAILED, EPROTO), because replies would be
 * assigned to the wrong cases. A child that closes its output but keeps running gets one second to exit, then fails
 * (EPIPE). About 20 microseconds plus the child's time. */
ee_child_outcome ee_child_exchange(ee_child *child, ee_str line, ee_child_limits limits, const ee_stop *stop,
                                   ee_buffer *output);

/* Closes the child's input, gives it 200 ms to exit, then kills and reaps it. NULL is allowed. */
void ee_child_free(ee_child *child);

#endif
