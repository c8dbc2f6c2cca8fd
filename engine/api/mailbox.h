/* mailbox.h: what a run on other threads wants from the thread that called the library.
 *
 * A run posts rows, messages and progress, and asks for bytes of inputs; the caller's thread serves all of it by
 * calling the host, until the run has ended. Where there is no other thread, the same functions call the host directly.
 */
#ifndef EE_API_MAILBOX_H
#define EE_API_MAILBOX_H

#include <evalengine.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>

/* An input that the host's function reads. */
typedef struct ee_read_ahead {
  const ee_input *input;
  struct ee_mailbox *mailbox;
  char *bytes; /* read and not taken yet; malloc() */
  size_t at, end;
  bool wanted, ended, failed;
} ee_read_ahead;

typedef struct ee_mailbox {
  const ee_evaluate_options *host;
  volatile sig_atomic_t stop; /* the run should end */
  bool direct;                /* no other thread runs */
  pthread_mutex_t lock;
  pthread_cond_t changed;
  /* Under the lock: */
  char *events; /* one after the other; malloc() */
  size_t length, capacity;
  bool ended; /* the run has */
  ee_progress_of_run progress;
  ee_read_ahead *reads;
  size_t read_count;
  /* Of the caller's thread: */
  bool silent; /* a callback stopped the run: no more cases */
  uint64_t told_ns;
} ee_mailbox;

/* `options` may be NULL; `reads` are the inputs that are read. */
void ee_mailbox_init(ee_mailbox *mailbox, const ee_evaluate_options *options, ee_read_ahead *reads, size_t count);
void ee_mailbox_fini(ee_mailbox *mailbox);

/* From the run: lines of rows; a message; how far it is. Wait while too much has been posted. May end by
 * ee_out_of_memory(). */
void ee_mailbox_post_rows(ee_mailbox *mailbox, const char *lines, size_t length);
void ee_mailbox_post_message(ee_mailbox *mailbox, const ee_error *error);
void ee_mailbox_post_progress(ee_mailbox *mailbox, const ee_progress_of_run *progress);
/* Bytes of an input (ee_read_ahead); as ee_given_source.read. */
ee_status ee_mailbox_read(void *read_ahead, char *out, size_t room, size_t *got, ee_error *error);
/* The run has ended. */
void ee_mailbox_end(ee_mailbox *mailbox);

/* On the caller's thread: serves until the run has ended. */
void ee_mailbox_serve(ee_mailbox *mailbox);

#endif
