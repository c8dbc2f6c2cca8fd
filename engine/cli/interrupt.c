/* interrupt.c: what a signal does to the program. The handler calls only what POSIX allows in one. */
#include "cli/interrupt.h"

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/printable.h"
#include "base/work.h"
#include "cli/host.h"

enum { MAX_FILES = 8, MAX_MESSAGE = 1024 };

/* All of this is static since a signal handler takes no context argument; any thread may run it. `used` is set when
 * the path is whole, and cleared before it changes. */
typedef struct unfinished_file {
  volatile sig_atomic_t used;
  char path[PATH_MAX];
} unfinished_file;

static volatile sig_atomic_t interrupted, interrupted_by, at_once, line_drawn, message_length;
static unfinished_file files[MAX_FILES];
static char message[MAX_MESSAGE];

static void set(volatile sig_atomic_t *flag, sig_atomic_t value) { __atomic_store_n(flag, value, __ATOMIC_RELEASE); }
static sig_atomic_t get(const volatile sig_atomic_t *flag) { return __atomic_load_n(flag, __ATOMIC_ACQUIRE); }

static _Noreturn void end_now(int signal_number) {
  for (size_t i = 0; i < MAX_FILES; i++)
    if (get(&files[i].used) && unlink(files[i].path) != 0) rmdir(files[i].path);
  ssize_t written = get(&line_drawn) ? write(STDERR_FILENO, "\r\033[K", 4) : 0;
  written += write(STDERR_FILENO, message, (size_t)get(&message_length));
  (void)written; /* there is nobody left to report a failure to */
  _exit(128 + signal_number);
}

static void on_interrupt(int signal_number) {
  if (get(&at_once) || get(&interrupted)) end_now(signal_number);
  set(&interrupted_by, signal_number);
  set(&interrupted, 1);
}

static void handle_signals(void) {
  struct sigaction action = {.sa_handler = on_interrupt};
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
}

const volatile sig_atomic_t *ee_interrupt_watch(void) {
  const ee_host *host = ee_host_current();
  if (host != NULL) {
    ee_work_watch(host->interrupt);
    return host->interrupt;
  }
  set(&at_once, 0);
  handle_signals();
  ee_work_watch(&interrupted);
  return &interrupted;
}

void ee_interrupt_end_at_once(void) {
  if (ee_host_current() != NULL) return;
  set(&at_once, 1);
  handle_signals();
}

void ee_interrupt_set_message(const ee_error *error) {
  if (ee_host_current() != NULL) return;
  set(&message_length, 0);
  if (error == NULL) return;
  ee_buffer line, printable;
  ee_buffer_init(&line);
  ee_buffer_init(&printable);
  ee_buffer_add_text(&line, "evalengine: ");
  ee_error_print(error, &line);
  ee_add_printable(&printable, (ee_str){line.data, line.length}, EE_PRINT_LINE);
  size_t length = printable.length < MAX_MESSAGE - 1 ? printable.length : MAX_MESSAGE - 1;
  memcpy(message, printable.data, length);
  message[length] = '\n';
  set(&message_length, (sig_atomic_t)length + 1);
  ee_buffer_fini(&printable);
  ee_buffer_fini(&line);
}

void ee_interrupt_remove(const char *path) {
  size_t bytes = strlen(path) + 1;
  for (size_t i = 0; i < MAX_FILES && bytes <= PATH_MAX; i++) {
    if (get(&files[i].used)) continue;
    memcpy(files[i].path, path, bytes);
    set(&files[i].used, 1);
    return;
  }
}

void ee_interrupt_forget(const char *path) {
  for (size_t i = 0; i < MAX_FILES; i++)
    if (get(&files[i].used) && strcmp(files[i].path, path) == 0) set(&files[i].used, 0);
}

void ee_interrupt_clear_line(bool drawn) { set(&line_drawn, drawn); }

int ee_interrupt_status(void) {
  if (ee_host_current() != NULL) return EE_EXIT_INTERRUPTED;
  return get(&interrupted_by) == SIGTERM ? 128 + SIGTERM : EE_EXIT_INTERRUPTED;
}
