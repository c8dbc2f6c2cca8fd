/* byte_source.c: three layers: read(); unpacking, as far as zlib and zstd were built in; UTF-16 to UTF-8. */
#include "data/files/byte_source.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/runtime.h"
#include "base/str.h"

#ifdef EE_WITH_ZLIB
#include <zlib.h>
#endif
#ifdef EE_WITH_ZSTD
#include <zstd.h>
#endif

#define INPUT_SIZE (64 * 1024)
/* Bytes that ee_byte_source_read_rest() reads at a time. */
#define PIECE_SIZE ((size_t)256 * 1024)
/* How often the flag is checked while a pipe is silent. */
#define WAIT_MS 200

/* Bytes of UTF-16 that are recoded at a time. */
#define WIDE_SIZE (16 * 1024)

typedef enum packing { PLAIN, GZIP, ZSTANDARD } packing;
typedef enum encoding { UTF_8, UTF_16_LITTLE, UTF_16_BIG } encoding;

/* Recodes UTF-16. */
typedef struct recoder {
  encoding from;
  unsigned char wide[WIDE_SIZE];
  size_t wide_length;       /* bytes that were read and not recoded yet */
  char text[WIDE_SIZE * 3]; /* UTF-8: a pair of two units is four bytes, any other unit at most three */
  size_t text_at, text_end; /* not handed out yet */
} recoder;

struct ee_byte_source {
  const char *name;
  int fd;
  bool may_wait; /* not a regular file */
  const volatile sig_atomic_t *interrupt;
  bool interrupted;
  uint64_t taken;
  bool packing_known;
  packing packing;
  size_t input_at, input_end; /* bytes that were read and not used yet */
  bool encoding_known;
  unsigned char
      head[4]; /* the first unpacked bytes, while the encoding is not known, and then as far as not handed out */
  size_t head_at, head_end;
  recoder *recoder;     /* NULL: UTF-8 */
  ee_error failure;     /* after which nothing is read; EE_OK: none */
  bool between_members; /* a .gz file may have several members, a .zst file several frames */
#ifdef EE_WITH_ZLIB
  z_stream gzip;
#endif
#ifdef EE_WITH_ZSTD
  ZSTD_DStream *zstandard;
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

/* Packed files --------------------------------------------------------------------------------- */

/* Whether these first bytes, which may be fewer than four, can be those of a frame: one of data, or one to skip. */
static bool is_zstandard(const unsigned char *bytes, size_t length) {
  static const unsigned char data[] = {0x28, 0xb5, 0x2f, 0xfd}, skip[] = {0x50, 0x2a, 0x4d, 0x18};
  if (length == 0) return false;
  if (length > 4) length = 4;
  return memcmp(bytes, data, length) == 0 ||
         ((bytes[0] & 0xf0) == skip[0] && memcmp(bytes + 1, skip + 1, length - 1) == 0);
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

/* Not used without zlib and zstd. */
__attribute__((unused)) static ee_status fail_damaged(const ee_byte_source *source, ee_error *error) {
  return ee_error_set(error, EE_ERROR_DATA, "compressed data in '%s' is damaged", source->name);
}

__attribute__((unused)) static ee_status fail_other_data(const ee_byte_source *source, ee_error *error) {
  return ee_error_set(error, EE_ERROR_DATA, "other data after the compressed data in '%s'", source->name);
}

#ifdef EE_WITH_ZLIB
static ee_status start_gzip(ee_byte_source *source, ee_error *error) {
  /* 15 bits of window; 16 selects the gzip format. */
  if (inflateInit2(&source->gzip, 15 + 16) != Z_OK)
    return ee_error_set(error, EE_ERROR_SYSTEM, "cannot decompress '%s'", source->name);
  source->packing = GZIP;
  return EE_OK;
}

/* Unpacks some of the input to `out`. */
static ee_status unpack_gzip(ee_byte_source *source, char *out, size_t room, size_t *got, ee_error *error) {
  z_stream *stream = &source->gzip;
  unsigned char next = source->input[source->input_at];
  if (source->between_members && next == 0) { /* padding */
    source->input_at += 1;
    return EE_OK;
  }
  if (source->between_members) {
    if (next != 0x1f) return fail_other_data(source, error);
    inflateReset(stream);
    source->between_members = false;
  }
  if (room > 1u << 30) room = 1u << 30;
  stream->next_out = (unsigned char *)out;
  stream->avail_out = (unsigned)room;
  stream->next_in = source->input + source->input_at;
  stream->avail_in = (unsigned)(source->input_end - source->input_at);
  int result = inflate(stream, Z_NO_FLUSH);
  source->input_at = source->input_end - stream->avail_in;
  *got = room - stream->avail_out;
  source->between_members = result == Z_STREAM_END;
  if (result == Z_MEM_ERROR) ee_out_of_memory();
  /* If good bytes precede a mistake, the next call meets it again. */
  if (result != Z_STREAM_END && result != Z_OK && result != Z_BUF_ERROR && *got == 0)
    return fail_damaged(source, error);
  return EE_OK;
}
#endif

#ifdef EE_WITH_ZSTD
static ee_status start_zstandard(ee_byte_source *source, ee_error *error) {
  (void)error;
  source->zstandard = ZSTD_createDStream();
  if (source->zstandard == NULL) ee_out_of_memory();
  source->packing = ZSTANDARD;
  return EE_OK;
}

static ee_status unpack_zstandard(ee_byte_source *source, char *out, size_t room, size_t *got, ee_error *error) {
  if (source->between_members && !is_zstandard(source->input + source->input_at, 1))
    return fail_other_data(source, error);
  ZSTD_outBuffer to = {.dst = out, .size = room};
  ZSTD_inBuffer from = {.src = source->input, .size = source->input_end, .pos = source->input_at};
  size_t result = ZSTD_decompressStream(source->zstandard, &to, &from);
  source->input_at = from.pos;
  *got = to.pos;
  source->between_members = result == 0;
  return ZSTD_isError(result) && to.pos == 0 ? fail_damaged(source, error) : EE_OK;
}
#endif

/* This program cannot read the file's packing. */
__attribute__((unused)) static ee_status fail_unpacked(const ee_byte_source *source, const char *suffix,
                                                       ee_error *error) {
  return ee_error_set(error, EE_ERROR_SYSTEM, "cannot decompress '%s': this program was built without %s support",
                      source->name, suffix);
}

#ifndef EE_WITH_ZLIB
static ee_status start_gzip(ee_byte_source *source, ee_error *error) { return fail_unpacked(source, ".gz", error); }
static ee_status unpack_gzip(ee_byte_source *source, char *out, size_t room, size_t *got, ee_error *error) {
  (void)out, (void)room, (void)got;
  return start_gzip(source, error);
}
#endif
#ifndef EE_WITH_ZSTD
static ee_status start_zstandard(ee_byte_source *source, ee_error *error) {
  return fail_unpacked(source, ".zst", error);
}
static ee_status unpack_zstandard(ee_byte_source *source, char *out, size_t room, size_t *got, ee_error *error) {
  (void)out, (void)room, (void)got;
  return start_zstandard(source, error);
}
#endif

/* Unpacks bytes until there are some; `*got` is 0 only at the end. */
static ee_status unpack(ee_byte_source *source, char *out, size_t room, size_t *got, ee_error *error) {
  while (*got == 0) {
    bool end;
    ee_status status = refill_input(source, &end, error);
    if (status != EE_OK) return status;
    if (end && source->between_members) return EE_OK;
    if (end) return ee_error_set(error, EE_ERROR_DATA, "compressed data in '%s' is cut short", source->name);
    status = source->packing == GZIP ? unpack_gzip(source, out, room, got, error)
                                     : unpack_zstandard(source, out, room, got, error);
    if (status != EE_OK) return status;
  }
  return EE_OK;
}

static void stop_unpacking(ee_byte_source *source) {
#ifdef EE_WITH_ZLIB
  if (source->packing == GZIP) inflateEnd(&source->gzip);
#endif
#ifdef EE_WITH_ZSTD
  if (source->packing == ZSTANDARD) ZSTD_freeDStream(source->zstandard);
#endif
  source->packing = PLAIN;
}

/* Reads the bytes that tell how the file is packed; a pipe may deliver them one by one. */
static ee_status find_packing(ee_byte_source *source, ee_error *error) {
  size_t got = 1;
  while (got > 0 &&
         (source->input_end < 2 || (source->input_end < 4 && is_zstandard(source->input, source->input_end)))) {
    got = 0;
    ee_status status =
        read_file(source, source->input + source->input_end, INPUT_SIZE - source->input_end, &got, error);
    if (status != EE_OK) return status;
    source->input_end += got;
  }
  source->packing_known = true;
  if (source->input_end >= 2 && source->input[0] == 0x1f && source->input[1] == 0x8b) return start_gzip(source, error);
  if (source->input_end >= 4 && is_zstandard(source->input, 4)) return start_zstandard(source, error);
  return EE_OK;
}

/* The next bytes, unpacked. */
static ee_status read_bytes(ee_byte_source *source, char *out, size_t room, size_t *got, ee_error *error) {
  *got = 0;
  if (!source->packing_known) {
    ee_status status = find_packing(source, error);
    if (status != EE_OK) return status;
  }
  if (source->packing != PLAIN) return unpack(source, out, room, got, error);
  size_t left = source->input_end - source->input_at;
  if (left == 0) return read_file(source, out, room, got, error);
  *got = left < room ? left : room;
  memcpy(out, source->input + source->input_at, *got);
  source->input_at += *got;
  return EE_OK;
}

/* UTF-16 --------------------------------------------------------------------------------------- */

static uint32_t unit_at(const recoder *r, size_t at) {
  unsigned first = r->wide[at], second = r->wide[at + 1];
  return r->from == UTF_16_LITTLE ? first | second << 8 : first << 8 | second;
}

/* Three bytes, also for half of a surrogate pair, which then is not valid UTF-8. */
static void add_unit(recoder *r, uint32_t unit) {
  if (unit < 0x800) {
    r->text_end += ee_utf8_encode(unit, r->text + r->text_end);
    return;
  }
  r->text[r->text_end++] = (char)(0xe0 | unit >> 12);
  r->text[r->text_end++] = (char)(0x80 | (unit >> 6 & 0x3f));
  r->text[r->text_end++] = (char)(0x80 | (unit & 0x3f));
}

/* Recodes what was read; what may be half of a character stays. */
static void recode(recoder *r, bool at_end) {
  size_t at = 0;
  r->text_at = r->text_end = 0;
  while (r->wide_length - at >= 2) {
    uint32_t unit = unit_at(r, at);
    bool is_high = unit >= 0xd800 && unit < 0xdc00;
    if (is_high && r->wide_length - at < 4 && !at_end) break;
    uint32_t low = is_high && r->wide_length - at >= 4 ? unit_at(r, at + 2) : 0;
    if (low >= 0xdc00 && low < 0xe000) {
      r->text_end += ee_utf8_encode(0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00), r->text + r->text_end);
      at += 4;
    } else {
      add_unit(r, unit);
      at += 2;
    }
  }
  if (at_end && at < r->wide_length) {
    r->text[r->text_end++] = (char)0xff;
    at = r->wide_length;
  }
  r->wide_length -= at;
  memmove(r->wide, r->wide + at, r->wide_length);
}

static ee_status read_recoded(ee_byte_source *source, char *out, size_t room, size_t *got, ee_error *error) {
  recoder *r = source->recoder;
  size_t more = 1;
  while (r->text_at == r->text_end && more > 0) {
    ee_status status = read_bytes(source, (char *)r->wide + r->wide_length, WIDE_SIZE - r->wide_length, &more, error);
    if (status != EE_OK) return status;
    r->wide_length += more;
    recode(r, more == 0);
  }
  size_t left = r->text_end - r->text_at;
  *got = left < room ? left : room;
  memcpy(out, r->text + r->text_at, *got);
  r->text_at += *got;
  return EE_OK;
}

static bool is_plain(unsigned char c) { return (c >= 0x20 && c < 0x7f) || (c >= '\t' && c <= '\r'); }

/* Whether more than these first bytes are needed to know the encoding. */
static bool needs_more_head(const unsigned char *head, size_t length) {
  if (length < 2) return true;
  return length < 4 && (head[0] == 0 || head[1] == 0 || (head[0] == 0xff && head[1] == 0xfe));
}

static bool is_utf_32(const unsigned char *head, size_t length) {
  if (length < 4) return false;
  return memcmp(head, "\xff\xfe\0\0", 4) == 0 || memcmp(head, "\0\0\xfe\xff", 4) == 0 ||
         (is_plain(head[0]) && memcmp(head + 1, "\0\0", 3) == 0) || (is_plain(head[3]) && memcmp(head, "\0\0", 3) == 0);
}

static encoding encoding_of(const unsigned char *head, size_t length) {
  if (length < 2) return UTF_8;
  if (head[0] == 0xff && head[1] == 0xfe) return UTF_16_LITTLE;
  if (head[0] == 0xfe && head[1] == 0xff) return UTF_16_BIG;
  bool little = is_plain(head[0]) && head[1] == 0, big = head[0] == 0 && is_plain(head[1]);
  if (length == 4) {
    little = little && is_plain(head[2]) && head[3] == 0;
    big = big && head[2] == 0 && is_plain(head[3]);
  }
  return little ? UTF_16_LITTLE : big ? UTF_16_BIG : UTF_8;
}

static ee_status find_encoding(ee_byte_source *source, ee_error *error) {
  size_t got = 1;
  while (got > 0 && needs_more_head(source->head, source->head_end)) {
    ee_status status = read_bytes(source, (char *)source->head + source->head_end,
                                  sizeof source->head - source->head_end, &got, error);
    if (status != EE_OK) return status;
    source->head_end += got;
  }
  if (is_utf_32(source->head, source->head_end))
    return ee_error_set(error, EE_ERROR_DATA, "'%s' is UTF-32: convert it with iconv -f UTF-32 -t UTF-8", source->name);
  source->encoding_known = true;
  encoding found = encoding_of(source->head, source->head_end);
  if (found == UTF_8) return EE_OK;
  source->recoder = ee_calloc(1, sizeof *source->recoder);
  source->recoder->from = found;
  memcpy(source->recoder->wide, source->head, source->head_end);
  source->recoder->wide_length = source->head_end;
  source->head_end = 0;
  return EE_OK;
}

/* The source ----------------------------------------------------------------------------------- */

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
  free(source->recoder);
  if (source->fd != STDIN_FILENO) close(source->fd);
  free(source);
}

void ee_byte_source_set_interrupt(ee_byte_source *source, const volatile sig_atomic_t *flag) {
  source->interrupt = flag;
}

static ee_status read_text(ee_byte_source *source, char *out, size_t room, size_t *got, ee_error *error) {
  if (!source->encoding_known) {
    ee_status status = find_encoding(source, error);
    if (status != EE_OK) return status;
  }
  if (source->recoder != NULL) return read_recoded(source, out, room, got, error);
  size_t left = source->head_end - source->head_at;
  if (left == 0) return read_bytes(source, out, room, got, error);
  *got = left < room ? left : room;
  memcpy(out, source->head + source->head_at, *got);
  source->head_at += *got;
  return EE_OK;
}

ee_status ee_byte_source_read(ee_byte_source *source, char *out, size_t room, size_t *got, ee_error *error) {
  *got = 0;
  source->interrupted = false;
  if (source->failure.status == EE_OK) {
    ee_error failure;
    ee_status status = read_text(source, out, room, got, &failure);
    if (status == EE_OK) return EE_OK;
    *got = 0;
    if (!source->interrupted) source->failure = failure;
    if (error != NULL) *error = failure;
    return status;
  }
  if (error != NULL) *error = source->failure;
  return source->failure.status;
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

bool ee_byte_source_is_plain(const ee_byte_source *source) {
  return source->packing == PLAIN && source->recoder == NULL;
}

ee_status ee_byte_source_seek(ee_byte_source *source, uint64_t byte, ee_error *error) {
  if (byte > INT64_MAX || lseek(source->fd, (off_t)byte, SEEK_SET) < 0)
    return ee_error_set(error, EE_ERROR_SYSTEM, "cannot read '%s' from byte %" PRIu64 ": %s", source->name, byte,
                        strerror(errno));
  source->input_at = source->input_end = 0;
  source->head_at = source->head_end = 0;
  return EE_OK;
}

void ee_byte_source_set_plain(ee_byte_source *source) { source->packing_known = source->encoding_known = true; }

bool ee_byte_source_interrupted(const ee_byte_source *source) { return source->interrupted; }

uint64_t ee_byte_source_taken(const ee_byte_source *source) { return source->taken; }
