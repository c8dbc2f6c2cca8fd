/* unpack_ahead.c: streams that begin at different places of a file, each with a thread and a queue of text. */
#include "data/files/unpack_ahead.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"

/* Packed bytes of a stream at least, and where the beginning of the next one is looked for. */
#define STREAM_BYTES ((uint64_t)512 * 1024)
#define SEARCHED_BYTES ((uint64_t)64 << 20)
/* Smaller files are unpacked by their reader. */
#define SMALL_FILE ((off_t)256 * 1024)
/* Text that a stream keeps, in pieces. */
#define PIECE_SIZE ((size_t)256 * 1024)
#define PIECES 32
#define SEARCH_PIECE ((size_t)256 * 1024)

typedef struct stream {
  struct ee_unpack_ahead *ahead;
  uint64_t start, stop; /* packed bytes; `stop`: where the next stream begins; UINT64_MAX: no further stream */
  uint64_t read_at;     /* by this thread */
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  /* Under the lock: */
  char *pieces[PIECES]; /* a ring; NULL: not used yet */
  size_t lengths[PIECES];
  uint64_t bytes[PIECES]; /* packed; the piece ends after them */
  size_t first, count;
  bool dropped, done;
  bool stopped; /* done, at `stop` */
  ee_error failure;
} stream;

struct ee_unpack_ahead {
  int fd;
  const char *name;
  ee_packing packing;
  unsigned threads;
  stream *streams[EE_AHEAD_THREADS]; /* in the order of the file; the first is read */
  unsigned count;
  size_t used;         /* of the first stream's first piece */
  uint64_t next_start; /* of the next stream; UINT64_MAX: no further stream */
  uint64_t taken;
};

/* Unpacking ------------------------------------------------------------------------------------- */

static ee_status read_at(void *user, void *out, size_t room, size_t *got, ee_error *error) {
  stream *s = user;
  ssize_t bytes;
  do bytes = pread(s->ahead->fd, out, room, (off_t)s->read_at);
  while (bytes < 0 && errno == EINTR);                                                  /* unreached: make faults */
  if (bytes < 0)                                                                        /* unreached: make faults */
    return ee_error_set(error, EE_ERROR_SYSTEM, "cannot read '%s': %s", s->ahead->name, /* unreached: make faults */
                        strerror(errno));                                               /* unreached: make faults */
  *got = (size_t)bytes;
  s->read_at += (uint64_t)bytes;
  return EE_OK;
}

/* Waits for room in the queue; false if the stream was dropped. */
static bool wait_for_room(stream *s) {
  pthread_mutex_lock(&s->lock);
  while (s->count == PIECES && !s->dropped) pthread_cond_wait(&s->changed, &s->lock);
  bool wanted = !s->dropped;
  pthread_mutex_unlock(&s->lock);
  return wanted;
}

/* Hands out the piece that was filled, and at the end how it ended. */
static void hand_out(stream *s, size_t length, uint64_t byte, bool done, bool stopped) {
  pthread_mutex_lock(&s->lock);
  size_t at = (s->first + s->count++) % PIECES;
  s->lengths[at] = length;
  s->bytes[at] = byte;
  s->done = done;
  s->stopped = stopped;
  pthread_cond_broadcast(&s->changed);
  pthread_mutex_unlock(&s->lock);
}

/* Fills a piece; `*done` at the stream's end, with `*stopped` or `*failure`. */
static size_t fill(stream *s, ee_unpacker *unpacker, char *piece, bool *done, bool *stopped, ee_error *failure) {
  size_t length = 0;
  while (length < PIECE_SIZE && !*done) {
    *stopped = ee_unpacker_is_between(unpacker) && ee_unpacker_byte(unpacker) == s->stop;
    size_t got = 0;
    if (!*stopped && ee_unpacker_step(unpacker, piece + length, PIECE_SIZE - length, &got, done, failure) != EE_OK)
      *done = true;
    *done = *done || *stopped;
    length += got;
  }
  return length;
}

static void *unpack(void *argument) {
  stream *s = argument;
  ee_unpacker *unpacker = ee_calloc(1, sizeof *unpacker);
  unpacker->name = s->ahead->name;
  unpacker->read = read_at;
  unpacker->user = s;
  unpacker->byte = s->start;
  ee_error failure = {.status = EE_OK};
  bool done = ee_unpacker_start(unpacker, s->ahead->packing, &failure) != EE_OK, stopped = false;
  unpacker->between_members = s->start > 0;
  for (size_t at = 0; wait_for_room(s); at = (at + 1) % PIECES) {
    if (s->pieces[at] == NULL) s->pieces[at] = ee_malloc(PIECE_SIZE);
    size_t length = fill(s, unpacker, s->pieces[at], &done, &stopped, &failure);
    if (done) s->failure = failure;
    hand_out(s, length, ee_unpacker_byte(unpacker), done, stopped);
    if (done) break;
  }
  ee_unpacker_stop(unpacker);
  ee_free(unpacker);
  return NULL;
}

/* Streams --------------------------------------------------------------------------------------- */

static bool is_beginning(ee_packing packing, const unsigned char *at) {
  if (packing == EE_ZSTANDARD) return memcmp(at, "\x28\xb5\x2f\xfd", 4) == 0;
  return memcmp(at, "\x1f\x8b\x08", 3) == 0 && (at[3] & 0xe0) == 0;
}

/* Where after `byte` a member seems to begin; UINT64_MAX: not near. */
static uint64_t find_beginning(const ee_unpack_ahead *ahead, uint64_t byte) {
  unsigned char *text = ee_malloc(SEARCH_PIECE);
  uint64_t found = UINT64_MAX, end = byte + SEARCHED_BYTES;
  unsigned char first = ahead->packing == EE_GZIP ? 0x1f : 0x28;
  while (byte < end && found == UINT64_MAX) {
    ssize_t got = pread(ahead->fd, text, SEARCH_PIECE, (off_t)byte);
    if (got < 4) break;
    size_t last = (size_t)got - 4;
    const unsigned char *at = text;
    while (found == UINT64_MAX && (at = memchr(at, first, last + 1 - (size_t)(at - text))) != NULL) {
      if (is_beginning(ahead->packing, at)) found = byte + (uint64_t)(at - text);
      if (++at > text + last) break;
    }
    byte += last + 1;
  }
  ee_free(text);
  return found;
}

static bool start_stream(ee_unpack_ahead *ahead) {
  stream *s = ee_calloc(1, sizeof *s);
  s->ahead = ahead;
  s->start = s->read_at = ahead->next_start;
  s->stop = ahead->threads > 1 ? find_beginning(ahead, s->start + STREAM_BYTES) : UINT64_MAX;
  pthread_mutex_init(&s->lock, NULL);
  pthread_cond_init(&s->changed, NULL);
  if (pthread_create(&s->thread, NULL, unpack, s) != 0) { /* unreached: make faults */
    pthread_mutex_destroy(&s->lock);                      /* unreached: make faults */
    pthread_cond_destroy(&s->changed);                    /* unreached: make faults */
    ee_free(s);                                           /* unreached: make faults */
    return false;                                         /* unreached: make faults */
  }
  ahead->next_start = s->stop;
  ahead->streams[ahead->count++] = s;
  return true;
}

static void free_stream(stream *s) {
  pthread_mutex_lock(&s->lock);
  s->dropped = true;
  pthread_cond_broadcast(&s->changed);
  pthread_mutex_unlock(&s->lock);
  pthread_join(s->thread, NULL);
  for (size_t i = 0; i < PIECES; i++) ee_free(s->pieces[i]);
  pthread_mutex_destroy(&s->lock);
  pthread_cond_destroy(&s->changed);
  ee_free(s);
}

ee_unpack_ahead *ee_unpack_ahead_new(int fd, const char *name, ee_packing packing, unsigned threads) {
  struct stat facts = {.st_size = 0};
  (void)fstat(fd, &facts);
  if (facts.st_size < SMALL_FILE) return NULL;
  ee_unpack_ahead *ahead = ee_calloc(1, sizeof *ahead);
  ahead->fd = fd;
  ahead->name = name;
  ahead->packing = packing;
  ahead->threads = threads < EE_AHEAD_THREADS ? threads : EE_AHEAD_THREADS;
  if (start_stream(ahead)) return ahead; /* unreached: make faults */
  ee_free(ahead);                        /* unreached: make faults */
  return NULL;                           /* unreached: make faults */
}

void ee_unpack_ahead_free(ee_unpack_ahead *ahead) {
  if (ahead == NULL) return;
  for (unsigned i = 0; i < ahead->count; i++) free_stream(ahead->streams[i]);
  ee_free(ahead);
}

/* Reading --------------------------------------------------------------------------------------- */

/* Drops the first stream. */
static void pass_on(ee_unpack_ahead *ahead) {
  free_stream(ahead->streams[0]);
  memmove(ahead->streams, ahead->streams + 1, --ahead->count * sizeof *ahead->streams);
}

ee_status ee_unpack_ahead_read(ee_unpack_ahead *ahead, char *out, size_t room, size_t *got, ee_error *error) {
  *got = 0;
  for (;;) {
    while (ahead->count < ahead->threads && ahead->next_start != UINT64_MAX)
      if (!start_stream(ahead)) break; /* unreached: make faults */
    stream *s = ahead->streams[0];
    pthread_mutex_lock(&s->lock);
    while (s->count == 0 && !s->done) pthread_cond_wait(&s->changed, &s->lock);
    if (s->count > 0) {
      const char *piece = s->pieces[s->first];
      size_t left = s->lengths[s->first] - ahead->used;
      *got = left < room ? left : room;
      memcpy(out, piece + ahead->used, *got);
      ahead->used += *got;
      if (*got == left) {
        ahead->taken = s->bytes[s->first];
        ahead->used = 0;
        s->first = (s->first + 1) % PIECES;
        s->count--;
        pthread_cond_broadcast(&s->changed);
      }
      pthread_mutex_unlock(&s->lock);
      if (*got > 0) return EE_OK;
      continue;
    }
    bool stopped = s->stopped;
    ee_error failure = s->failure;
    pthread_mutex_unlock(&s->lock);
    if (!stopped) {
      if (failure.status != EE_OK) *error = failure;
      return failure.status;
    }
    /* A stream that cannot be started is unpacked by no other: the system has no thread left. */
    if (ahead->count == 1 && !start_stream(ahead)) /* unreached: make faults */
      return ee_error_set(error, EE_ERROR_SYSTEM, "cannot start a thread to decompress '%s'", /* unreached: the same */
                          ahead->name);                                                       /* unreached: the same */
    pass_on(ahead);
  }
}

uint64_t ee_unpack_ahead_taken(const ee_unpack_ahead *ahead) { return ahead->taken; }
