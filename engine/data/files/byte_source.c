/* byte_source.c: read() and, where zlib was built in, inflate(). */
#include "data/files/byte_source.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/runtime.h"

#ifdef EE_WITH_ZLIB
#include <zlib.h>
#endif

#define INPUT_SIZE (64 * 1024)
/* Bytes that ee_byte_source_read_rest() reads at a time. */
#define PIECE_SIZE ((size_t)256 * 1024)
/* How often the flag is checked while a pipe is silent. */
#define WAIT_MS 200

struct ee_byte_source {
  const char *name;
  int fd;
  bool may_wait; /* not a regular file */
  const volatile sig_atomic_t *interrupt;
  bool interrupted;
  uint64_t taken;
  bool started;               /* `packed` is known */
  size_t input_at, input_end; /* bytes that were read and not used yet */
  bool packed;
#ifdef EE_WITH_ZLIB
  bool between_members; /* a .gz file may have several members */
  z_stream stream;
#endif
  unsigned char input[INPUT_SIZE];
};

static bool is_flag_set(const ee_byte_source *source) { return ee_flag_is_set(source->interrupt); }

/* Waits until read() does not block; false if the flag was set. Polls, because the signal that sets the flag may arrive
 * in another thread or just before the wait, and then no system call ends for it. */
static bool wait_for_bytes(const ee_byte_source *source) {
  bool may_wait = source->may_wait && source->interrupt != NULL;
  while (!is_flag_set(source)) {
    struct pollfd wanted = {.fd = source->fd, .events = POLLIN};
    if (!may_wait) return true;
    int ready = poll(&wanted, 1, WAIT_MS);
    if (ready > 0 || (ready < 0 && errno != EINTR)) return true;
  }
  return false;
}

/* One read(), repeated after signals that do not set the flag. */
static ee_status read_file(ee_byte_source *source, void *out, size_t room, size_t *got, ee_error *error) {
  ssize_t bytes;
  do {
    source->interrupted = !wait_for_bytes(source);
    if (source->interrupted) return ee_error_set(error, EE_ERROR_SYSTEM, "reading '%s' was interrupted", source->name);
    bytes = read(source->fd, out, room);
  } while (bytes < 0 && errno == EINTR);
  if (bytes < 0) return ee_error_set(error, EE_ERROR_SYSTEM, "cannot read '%s': %s", source->name, strerror(errno));
  *got = (size_t)bytes;
  source->taken += (uint64_t)bytes;
  return EE_OK;
}

#ifdef EE_WITH_ZLIB
static ee_status start_unpacking(ee_byte_source *source, ee_error *error) {
  /* 15 bits of window; 16 selects the gzip format. */
  if (inflateInit2(&source->stream, 15 + 16) != Z_OK)
    return ee_error_set(error, EE_ERROR_SYSTEM, "cannot decompress '%s'", source->name);
  source->packed = true;
  return EE_OK;
}

/* Reads compressed bytes if none are left; `*end`: there are no more. */
static ee_status refill_input(ee_byte_source *source, bool *end, ee_error *error) {
  *end = false;
  if (source->input_at < source->input_end) return EE_OK;
  size_t got = 0;
  ee_status status = read_file(source, source->input, INPUT_SIZE, &got, error);
  if (status != EE_OK) return status;
  source->input_at = 0;
  source->input_end = got;
  *end = got == 0;
  return EE_OK;
}

static ee_status unpack(ee_byte_source *source, char *out, size_t room, size_t *got, ee_error *error) {
  z_stream *stream = &source->stream;
  if (room > 1u << 30) room = 1u << 30;
  stream->next_out = (unsigned char *)out;
  stream->avail_out = (unsigned)room;
  /* If good bytes precede a mistake, the next call meets it again. */
  while (stream->avail_out == room) {
    bool end;
    ee_status status = refill_input(source, &end, error);
    if (status != EE_OK) return status;
    if (end && source->between_members) break;
    if (end) return ee_error_set(error, EE_ERROR_DATA, "compressed data in '%s' is cut short", source->name);
    if (source->between_members) {
      unsigned char next = source->input[source->input_at];
      if (next == 0) { /* padding */
        source->input_at += 1;
        continue;
      }
      if (next != 0x1f)
        return ee_error_set(error, EE_ERROR_DATA, "other data after the compressed data in '%s'", source->name);
      inflateReset(stream);
      source->between_members = false;
    }
    stream->next_in = source->input + source->input_at;
    stream->avail_in = (unsigned)(source->input_end - source->input_at);
    int result = inflate(stream, Z_NO_FLUSH);
    source->input_at = source->input_end - stream->avail_in;
    if (result == Z_STREAM_END) {
      source->between_members = true;
    } else if (result == Z_MEM_ERROR) {
      ee_out_of_memory();
    } else if (result != Z_OK && result != Z_BUF_ERROR && stream->avail_out == room) {
      return ee_error_set(error, EE_ERROR_DATA, "compressed data in '%s' is damaged", source->name);
    }
  }
  *got = room - stream->avail_out;
  return EE_OK;
}

static void stop_unpacking(ee_byte_source *source) {
  if (source->packed) inflateEnd(&source->stream);
}
#else
static ee_status start_unpacking(ee_byte_source *source, ee_error *error) {
  return ee_error_set(error, EE_ERROR_SYSTEM, "cannot decompress '%s': this program was built without .gz support",
                      source->name);
}
static ee_status unpack(ee_byte_source *source, char *out, size_t room, size_t *got, ee_error *error) {
  (void)out, (void)room;
  *got = 0;
  return start_unpacking(source, error);
}
static void stop_unpacking(ee_byte_source *source) { (void)source; }
#endif

ee_byte_source *ee_byte_source_open(const char *name, ee_error *error) {
  int fd = strcmp(name, "-") == 0 ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    ee_error_set(error, EE_ERROR_SYSTEM, "cannot open '%s': %s", name, strerror(errno));
    return NULL;
  }
  ee_byte_source *source = ee_calloc(1, sizeof *source);
  source->name = name;
  source->fd = fd;
  struct stat facts;
  source->may_wait = fstat(fd, &facts) != 0 || !S_ISREG(facts.st_mode);
  return source;
}

void ee_byte_source_close(ee_byte_source *source) {
  if (source == NULL) return;
  stop_unpacking(source);
  if (source->fd != STDIN_FILENO) close(source->fd);
  free(source);
}

void ee_byte_source_set_interrupt(ee_byte_source *source, const volatile sig_atomic_t *flag) {
  source->interrupt = flag;
}

/* Reads the two bytes of the magic number, which a pipe may deliver one by one. */
static ee_status start(ee_byte_source *source, ee_error *error) {
  size_t got = 1;
  while (got > 0 && source->input_end < 2) {
    got = 0;
    ee_status status =
        read_file(source, source->input + source->input_end, INPUT_SIZE - source->input_end, &got, error);
    if (status != EE_OK) return status;
    source->input_end += got;
  }
  source->started = true;
  bool packed = source->input_end >= 2 && source->input[0] == 0x1f && source->input[1] == 0x8b;
  return packed ? start_unpacking(source, error) : EE_OK;
}

ee_status ee_byte_source_read(ee_byte_source *source, char *out, size_t room, size_t *got, ee_error *error) {
  *got = 0;
  if (!source->started) {
    ee_status status = start(source, error);
    if (status != EE_OK) return status;
  }
  if (source->packed) return unpack(source, out, room, got, error);
  size_t left = source->input_end - source->input_at;
  if (left == 0) return read_file(source, out, room, got, error);
  *got = left < room ? left : room;
  memcpy(out, source->input + source->input_at, *got);
  source->input_at += *got;
  return EE_OK;
}

ee_status ee_byte_source_read_rest(ee_byte_source *source, size_t limit, ee_buffer *text, ee_error *error) {
  size_t got = 1;
  ee_status status = EE_OK;
  while (status == EE_OK && got > 0 && text->length <= limit) {
    char *room = ee_buffer_reserve(text, PIECE_SIZE);
    status = ee_byte_source_read(source, room, PIECE_SIZE, &got, error);
    if (status == EE_OK) text->length += got;
  }
  return status;
}

bool ee_byte_source_interrupted(const ee_byte_source *source) { return source->interrupted; }

uint64_t ee_byte_source_taken(const ee_byte_source *source) { return source->taken; }
