/* mailbox.c: one queue of events, one buffer for each input that is read, one lock. */
#include "api/mailbox.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/memory.h"

/* Bytes of events after which who posts waits. */
#define FULL ((size_t)4 << 20)
/* Bytes of an input that are read ahead. */
#define READ_BYTES ((size_t)256 << 10)
/* How often the host's flag is looked at, and progress reported. */
#define LOOK_NS UINT64_C(20000000)
#define TELL_NS UINT64_C(100000000)

/* An event is a head and its bytes. */
typedef struct event_head {
  bool is_row;
  size_t length;
} event_head;

static uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

void ee_mailbox_init(ee_mailbox *mailbox, const ee_evaluate_options *options, ee_read_ahead *reads, size_t count) {
  *mailbox = (ee_mailbox){.host = options, .reads = reads, .read_count = count, .progress = {.mean_score = NAN}};
  for (size_t i = 0; i < count; i++) reads[i].mailbox = mailbox;
  mailbox->told_ns = now_ns();
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_mutex_init(&mailbox->lock, NULL);
  pthread_cond_init(&mailbox->changed, &attributes);
  pthread_condattr_destroy(&attributes);
}

void ee_mailbox_fini(ee_mailbox *mailbox) {
  for (size_t i = 0; i < mailbox->read_count; i++) free(mailbox->reads[i].bytes);
  free(mailbox->events);
  pthread_cond_destroy(&mailbox->changed);
  pthread_mutex_destroy(&mailbox->lock);
}

/* Calling the host ------------------------------------------------------------------------------ */

static void stop(ee_mailbox *mailbox) { __atomic_store_n(&mailbox->stop, 1, __ATOMIC_RELEASE); }

static void look(ee_mailbox *mailbox) {
  const volatile int *flag = mailbox->host != NULL ? mailbox->host->interrupt : NULL;
  if (flag != NULL && __atomic_load_n(flag, __ATOMIC_RELAXED) != 0) stop(mailbox);
}

/* One line, whose newline becomes its end. */
static void give_row(ee_mailbox *mailbox, char *line, size_t length) {
  if (mailbox->silent) return;
  line[length] = '\0';
  if (mailbox->host->on_case(mailbox->host->user, line, length) == 0) return;
  mailbox->silent = true;
  stop(mailbox);
}

static void give_rows(ee_mailbox *mailbox, char *lines, size_t length) {
  for (size_t at = 0; at < length;) {
    char *end = memchr(lines + at, '\n', length - at);
    size_t next = end != NULL ? (size_t)(end - lines) : length - 1; /* unreached: rows end with newlines */
    give_row(mailbox, lines + at, next - at);
    at = next + 1;
    look(mailbox);
  }
}

static void give_message(const ee_mailbox *mailbox, const ee_error *error) {
  mailbox->host->on_message(mailbox->host->user, error);
}

/* When it is time for it. */
static void give_progress(ee_mailbox *mailbox, const ee_progress_of_run *progress) {
  if (mailbox->host == NULL || mailbox->host->on_progress == NULL) return;
  uint64_t now = now_ns();
  if (now - mailbox->told_ns < TELL_NS) return;
  mailbox->told_ns = now;
  if (mailbox->host->on_progress(mailbox->host->user, progress) != 0) {
    mailbox->silent = true;
    stop(mailbox);
  }
}

/* Posting --------------------------------------------------------------------------------------- */

static void post(ee_mailbox *mailbox, bool is_row, const void *data, size_t length) {
  const event_head head = {is_row, length};
  pthread_mutex_lock(&mailbox->lock);
  while (mailbox->length > FULL) pthread_cond_wait(&mailbox->changed, &mailbox->lock);
  size_t wanted = mailbox->length + sizeof head + length;
  if (wanted > mailbox->capacity) {
    size_t capacity = wanted * 2;
    char *moved = realloc(mailbox->events, capacity);
    if (moved == NULL) {                    /* unreached: memory is refused */
      pthread_mutex_unlock(&mailbox->lock); /* unreached: as above */
      ee_out_of_memory();                   /* unreached: as above */
    }
    mailbox->events = moved;
    mailbox->capacity = capacity;
  }
  memcpy(mailbox->events + mailbox->length, &head, sizeof head);
  memcpy(mailbox->events + mailbox->length + sizeof head, data, length);
  mailbox->length = wanted;
  pthread_cond_broadcast(&mailbox->changed);
  pthread_mutex_unlock(&mailbox->lock);
}

void ee_mailbox_post_rows(ee_mailbox *mailbox, const char *lines, size_t length) {
  if (mailbox->host == NULL || mailbox->host->on_case == NULL || length == 0) return;
  if (!mailbox->direct) {
    post(mailbox, true, lines, length);
    return;
  }
  char *copy = ee_copy_bytes(lines, length);
  give_rows(mailbox, copy, length);
  ee_free(copy);
}

void ee_mailbox_post_message(ee_mailbox *mailbox, const ee_error *error) {
  if (mailbox->host == NULL || mailbox->host->on_message == NULL) return;
  if (mailbox->direct)
    give_message(mailbox, error);
  else
    post(mailbox, false, error, sizeof *error);
}

void ee_mailbox_post_progress(ee_mailbox *mailbox, const ee_progress_of_run *progress) {
  if (mailbox->direct) {
    look(mailbox);
    give_progress(mailbox, progress);
    return;
  }
  pthread_mutex_lock(&mailbox->lock);
  mailbox->progress = *progress;
  pthread_mutex_unlock(&mailbox->lock);
}

void ee_mailbox_end(ee_mailbox *mailbox) {
  pthread_mutex_lock(&mailbox->lock);
  mailbox->ended = true;
  pthread_cond_broadcast(&mailbox->changed);
  pthread_mutex_unlock(&mailbox->lock);
}

/* Inputs ---------------------------------------------------------------------------------------- */

/* Asks the host for more of an empty input, which the run leaves alone meanwhile. Called and left with the lock. */
static void fill(ee_read_ahead *read) {
  ee_mailbox *mailbox = read->mailbox;
  char *bytes = read->bytes;
  pthread_mutex_unlock(&mailbox->lock);
  if (bytes == NULL) bytes = malloc(READ_BYTES);
  ptrdiff_t got = -1;                                                               /* memory is refused */
  if (bytes != NULL) got = read->input->read(read->input->user, bytes, READ_BYTES); /* unreached: memory is refused */
  pthread_mutex_lock(&mailbox->lock);
  read->bytes = bytes;
  read->failed = got < 0 || (size_t)got > READ_BYTES;
  read->ended = got == 0;
  read->at = 0;
  read->end = read->failed ? 0 : (size_t)got;
  pthread_cond_broadcast(&mailbox->changed);
}

static bool is_empty(const ee_read_ahead *read) { return read->at == read->end && !read->ended && !read->failed; }

ee_status ee_mailbox_read(void *user, char *out, size_t room, size_t *got, ee_error *error) {
  ee_read_ahead *read = user;
  ee_mailbox *mailbox = read->mailbox;
  pthread_mutex_lock(&mailbox->lock);
  if (mailbox->direct && is_empty(read)) fill(read);
  while (is_empty(read)) {
    read->wanted = true;
    pthread_cond_broadcast(&mailbox->changed);
    pthread_cond_wait(&mailbox->changed, &mailbox->lock);
  }
  size_t left = read->end - read->at;
  *got = left < room ? left : room;
  if (*got > 0) memcpy(out, read->bytes + read->at, *got);
  read->at += *got;
  if (is_empty(read)) pthread_cond_broadcast(&mailbox->changed); /* so that it is read ahead */
  bool failed = *got == 0 && read->failed;
  bool no_memory = failed && read->bytes == NULL; /* unreached: memory is refused */
  pthread_mutex_unlock(&mailbox->lock);
  if (no_memory) ee_out_of_memory();
  return failed ? ee_error_set(error, EE_ERROR_SYSTEM, "cannot read '%s'", read->input->name) : EE_OK;
}

/* An input that is being read and has no bytes ready; NULL: none. */
static ee_read_ahead *find_empty(const ee_mailbox *mailbox) {
  for (size_t i = 0; i < mailbox->read_count; i++)
    if (mailbox->reads[i].wanted && is_empty(&mailbox->reads[i])) return &mailbox->reads[i];
  return NULL;
}

/* Serving --------------------------------------------------------------------------------------- */

/* Takes all events and gives them to the host. Called and left with the lock. */
static void serve_events(ee_mailbox *mailbox) {
  char *events = mailbox->events;
  size_t length = mailbox->length;
  mailbox->events = NULL;
  mailbox->length = mailbox->capacity = 0;
  pthread_cond_broadcast(&mailbox->changed);
  pthread_mutex_unlock(&mailbox->lock);
  for (size_t at = 0; at < length;) {
    event_head head;
    memcpy(&head, events + at, sizeof head);
    char *data = events + at + sizeof head;
    if (head.is_row) {
      give_rows(mailbox, data, head.length);
    } else {
      ee_error error;
      memcpy(&error, data, sizeof error);
      give_message(mailbox, &error);
    }
    at += sizeof head + head.length;
  }
  free(events);
  pthread_mutex_lock(&mailbox->lock);
}

static void wait_a_while(ee_mailbox *mailbox) {
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  uint64_t ns = (uint64_t)until.tv_nsec + LOOK_NS;
  until.tv_sec += (time_t)(ns / UINT64_C(1000000000));
  until.tv_nsec = (long)(ns % UINT64_C(1000000000));
  pthread_cond_timedwait(&mailbox->changed, &mailbox->lock, &until);
}

void ee_mailbox_serve(ee_mailbox *mailbox) {
  pthread_mutex_lock(&mailbox->lock);
  for (;;) {
    ee_read_ahead *empty = find_empty(mailbox);
    if (mailbox->length > 0)
      serve_events(mailbox);
    else if (mailbox->ended)
      break;
    else if (empty != NULL)
      fill(empty);
    else
      wait_a_while(mailbox);
    const ee_progress_of_run progress = mailbox->progress;
    pthread_mutex_unlock(&mailbox->lock);
    look(mailbox);
    give_progress(mailbox, &progress);
    pthread_mutex_lock(&mailbox->lock);
  }
  pthread_mutex_unlock(&mailbox->lock);
}
