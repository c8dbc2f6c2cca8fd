/* byte_source.c: three layers: read(); unpacking (unpacker.h), also ahead by threads; UTF-16 to UTF-8. */
#include "data/files/byte_source.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/pool.h"
#include "base/runtime.h"
#include "base/str.h"
#include "data/files/given_source.h"
#include "data/files/unpack_ahead.h"
#include "data/files/unpacker.h"
#include "data/files/zip_archive.h"

/* Bytes that ee_byte_source_read_rest() reads at a time. */
#define PIECE_SIZE ((size_t)256 * 1024)
/* Packed bytes after which a file is known to be usual or not. */
#define PROBED_BYTES ((uint64_t)64 * 1024)
/* How often the flag is checked while a pipe is silent. */
#define WAIT_MS 200

/* Bytes of UTF-16 that are recoded at a time. */
#define WIDE_SIZE (16 * 1024)

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
  ee_given_source *given_by; /* the host, instead of a file; NULL: a file */
  size_t given_at;           /* of its text, the next byte */
  int fd;                    /* -1: given by the host */
  ee_cleanup cleanup;        /* closes it */
  bool may_wait;             /* not a regular file */
  uint64_t size;             /* of a regular file */
  const volatile sig_atomic_t *interrupt;
  bool interrupted;
  uint64_t taken;
  bool packing_known;
  bool brief;       /* only the beginning is wanted */
  uint64_t left;    /* bytes until the source ends, if the file is not shorter */
  unsigned threads; /* that may unpack a file ahead; 0: none */
  ee_unpacker unpacker;
  ee_unpack_ahead *ahead;  /* unpacks instead of it; NULL: nothing does */
  uint64_t given;          /* bytes that were unpacked */
  const char *entries;     /* of a zip archive; NULL: it is not read as one */
  ee_zip_archive *archive; /* gives the bytes; NULL: it is not one */
  bool encoding_known;
  unsigned char
      head[4]; /* the first unpacked bytes, while the encoding is not known, and then as far as not handed out */
  size_t head_at, head_end;
  recoder *recoder; /* NULL: UTF-8 */
  ee_error failure; /* after which nothing is read; EE_OK: none */
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
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return true; /* unreached: poll() of an open file fails only without memory */
  }
  return false;
}

/* The next bytes of the host's. */
static ee_status read_given(ee_byte_source *source, void *out, size_t room, size_t *got, ee_error *error) {
  ee_given_source *given = source->given_by;
  source->interrupted = is_flag_set(source);
  if (source->interrupted) return ee_error_set(error, EE_ERROR_SYSTEM, "reading '%s' was interrupted", source->name);
  ee_status status = EE_OK;
  if (given->text == NULL) {
    status = given->read(given->user, out, room, got, error);
  } else {
    size_t left = given->length - source->given_at;
    *got = left < room ? left : room;
    memcpy(out, given->text + source->given_at, *got);
    source->given_at += *got;
  }
  source->taken += *got;
  return status;
}

/* One read(), repeated after signals that do not set the flag. */
static ee_status read_file(ee_byte_source *source, void *out, size_t room, size_t *got, ee_error *error) {
  ssize_t bytes;
  if (source->given_by != NULL) return read_given(source, out, room, got, error);
  do {
    source->interrupted = !wait_for_bytes(source);
    if (source->interrupted) return ee_error_set(error, EE_ERROR_SYSTEM, "reading '%s' was interrupted", source->name);
    bytes = read(source->fd, out, room);
  } while (bytes < 0 && errno == EINTR); /* unreached: make faults */
  if (bytes < 0) return ee_error_set(error, EE_ERROR_SYSTEM, "cannot read '%s': %s", source->name, strerror(errno));
  *got = (size_t)bytes;
  source->taken += (uint64_t)bytes;
  return EE_OK;
}

/* Packed files --------------------------------------------------------------------------------- */

static ee_status read_packed(void *user, void *out, size_t room, size_t *got, ee_error *error) {
  return read_file(user, out, room, got, error);
}

/* Whether `given` bytes are too many from `used` packed ones. */
static bool is_bomb(uint64_t given, uint64_t used) {
  return given > ee_bound_of(EE_BOUND_UNPACKED) && given / EE_UNPACKED_RATIO > used;
}

/* `bytes`: what the file unpacks to, as far as it says so; 0: more than is allowed. */
static ee_status fail_bomb(const ee_byte_source *source, uint64_t bytes, ee_error *error) {
  char found[EE_BOUND_TEXT] = "", bound[EE_BOUND_TEXT];
  if (bytes > 0) ee_size_text(bytes, found);
  ee_size_text(ee_bound_of(EE_BOUND_UNPACKED), bound);
  return ee_error_set(error, EE_ERROR_DATA,
                      "'%s' unpacks to %s%smore than %s, and to more than %d times its packed size (--max-unpacked)",
                      source->name, found, bytes > 0 ? ", " : "", bound, EE_UNPACKED_RATIO);
}

/* A file that is unpacked to see how large it is. */
typedef struct probe {
  const ee_byte_source *source;
  uint64_t at;
  ee_unpacker unpacker;
  char text[PIECE_SIZE];
} probe;

static ee_status read_probe(void *user, void *out, size_t room, size_t *got, ee_error *error) {
  probe *self = user;
  ssize_t bytes = pread(self->source->fd, out, room, (off_t)self->at);
  if (bytes < 0) return ee_error_set(error, EE_ERROR_SYSTEM, "%s", strerror(errno)); /* unreached: make faults */
  *got = (size_t)bytes;
  self->at += (uint64_t)bytes;
  return EE_OK;
}

/* Fails if a regular file is a bomb from its first byte on, before its text is used. Of a usual file only a first piece
 * is unpacked. What the file says of its size is believed if that piece is unusual, too: the end of a .gz that was cut
 * short may say anything. */
static ee_status refuse_bomb(const ee_byte_source *source, ee_packing packing, ee_error *error) {
  if (ee_limits_get()->unpacked == 0) return EE_OK;
  uint64_t says = 0;
  probe *self = ee_calloc(1, sizeof *self);
  self->source = source;
  self->unpacker = (ee_unpacker){.name = source->name, .read = read_probe, .user = self};
  uint64_t given = 0;
  bool found = false, asked = false, going = ee_unpacker_start(&self->unpacker, packing, NULL) == EE_OK;
  while (going && !found && !is_flag_set(source)) {
    size_t got = 0;
    going = ee_unpacker_read(&self->unpacker, self->text, PIECE_SIZE, &got, NULL) == EE_OK && got > 0;
    given += got;
    uint64_t used = ee_unpacker_byte(&self->unpacker);
    found = is_bomb(given, used);
    if (found || used < PROBED_BYTES) continue;
    going = going && given / EE_UNPACKED_RATIO > used;
    if (asked || !going) continue;
    asked = true;
    says = ee_packed_says(&source->unpacker, packing, source->fd, source->size);
    found = is_bomb(says, source->size);
    if (!found) says = 0;
  }
  ee_unpacker_stop(&self->unpacker);
  ee_free(self);
  return found ? fail_bomb(source, says, error) : EE_OK;
}

/* Reads the bytes that tell how the file is packed; a pipe may deliver them one by one. */
static ee_status find_packing(ee_byte_source *source, ee_error *error) {
  ee_unpacker *unpacker = &source->unpacker;
  size_t got = 1;
  while (got > 0 && ee_packing_needs_more(unpacker->input, unpacker->input_end)) {
    got = 0;
    ee_status status =
        read_file(source, unpacker->input + unpacker->input_end, EE_PACKED_PIECE - unpacker->input_end, &got, error);
    if (status != EE_OK) return status;
    unpacker->input_end += got;
    unpacker->byte += got;
  }
  source->packing_known = true;
  if (source->entries != NULL && !source->may_wait && ee_is_zip(unpacker->input, unpacker->input_end)) {
    source->archive = ee_zip_archive_open(source->fd, source->size, source->name, source->entries, error);
    return source->archive != NULL ? EE_OK : error->status;
  }
  ee_packing packing = ee_packing_of(unpacker->input, unpacker->input_end);
  if (packing == EE_PLAIN) return EE_OK;
  ee_status status = source->may_wait || source->brief ? EE_OK : refuse_bomb(source, packing, error);
  if (status == EE_OK) status = ee_unpacker_start(unpacker, packing, error);
  if (status == EE_OK && source->threads > 0 && !source->may_wait)
    source->ahead = ee_unpack_ahead_new(source->fd, source->name, packing, source->threads);
  return status;
}

/* By threads or here, until it is too much. */
static ee_status unpack(ee_byte_source *source, char *out, size_t room, size_t *got, ee_error *error) {
  ee_status status = source->ahead != NULL ? ee_unpack_ahead_read(source->ahead, out, room, got, error)
                                           : ee_unpacker_read(&source->unpacker, out, room, got, error);
  uint64_t used = source->ahead != NULL ? ee_unpack_ahead_taken(source->ahead) : ee_unpacker_byte(&source->unpacker);
  source->given += *got;
  if (status != EE_OK || !is_bomb(source->given, used)) return status;
  return fail_bomb(source, 0, error);
}

/* The next bytes, unpacked. */
static ee_status read_bytes(ee_byte_source *source, char *out, size_t room, size_t *got, ee_error *error) {
  *got = 0;
  if (!source->packing_known) {
    ee_status status = find_packing(source, error);
    if (status != EE_OK) return status;
  }
  if (source->archive != NULL) {
    ee_status status = ee_zip_archive_read(source->archive, out, room, got, error);
    source->taken = ee_zip_archive_taken(source->archive);
    return status;
  }
  ee_unpacker *unpacker = &source->unpacker;
  if (source->ahead != NULL) {
    source->interrupted = is_flag_set(source);
    if (source->interrupted) return ee_error_set(error, EE_ERROR_SYSTEM, "reading '%s' was interrupted", source->name);
  }
  if (unpacker->packing != EE_PLAIN) return unpack(source, out, room, got, error);
  size_t left = unpacker->input_end - unpacker->input_at;
  if (left == 0) return read_file(source, out, room, got, error);
  *got = left < room ? left : room;
  memcpy(out, unpacker->input + unpacker->input_at, *got);
  unpacker->input_at += *got;
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

static void close_file(void *user) {
  ee_byte_source *source = user;
  if (source->fd > STDIN_FILENO) close(source->fd);
}

ee_byte_source *ee_byte_source_open(const char *name, ee_error *error) {
  ee_given_source *given = ee_given_source_find(name);
  if (given != NULL && ee_given_source_open(given, error) != EE_OK) return NULL;
  ee_byte_source *source = ee_calloc(1, sizeof *source); /* before the file is open: it may not return */
  source->left = UINT64_MAX;
  int fd = given != NULL ? -1 : strcmp(name, "-") == 0 ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
  if (fd < 0 && given == NULL) {
    ee_error_set(error, EE_ERROR_SYSTEM, "cannot open '%s': %s", name, strerror(errno));
    ee_free(source);
    return NULL;
  }
  source->name = name;
  source->given_by = given;
  source->fd = fd;
  ee_cleanup_add(&source->cleanup, close_file, source);
  source->unpacker = (ee_unpacker){.name = name, .read = read_packed, .user = source};
  struct stat facts = {.st_mode = 0};
  /* Without its size an archive would not be read as one. */
  if (given == NULL && fstat(fd, &facts) != 0) { /* unreached: make faults */
    /* unreached: make faults */
    ee_error_set(error, EE_ERROR_SYSTEM, "cannot read '%s': %s", name, strerror(errno));
    ee_byte_source_close(source); /* unreached: make faults */
    return NULL;                  /* unreached: make faults */
  }
  source->may_wait = !S_ISREG(facts.st_mode);
  source->size = source->may_wait ? 0 : (uint64_t)facts.st_size;
  return source;
}

void ee_byte_source_close(ee_byte_source *source) {
  if (source == NULL) return;
  ee_unpack_ahead_free(source->ahead);
  ee_zip_archive_close(source->archive);
  ee_cleanup_remove(&source->cleanup);
  close_file(source);
  ee_unpacker_stop(&source->unpacker);
  ee_free(source->recoder);
  ee_free(source);
}

void ee_byte_source_set_entries(ee_byte_source *source, const char *prefix) { source->entries = prefix; }

void ee_byte_source_entries(const ee_byte_source *source, ee_buffer *out) {
  if (source->archive != NULL) ee_zip_archive_names(source->archive, out);
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
  if (source->left == 0) return EE_OK;
  if (source->failure.status == EE_OK) {
    ee_error failure;
    ee_status status = read_text(source, out, room < source->left ? room : (size_t)source->left, got, &failure);
    source->left -= *got;
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

ee_status ee_file_too_long(const char *name, size_t limit, ee_error *error) {
  char text[EE_BOUND_TEXT];
  return ee_error_set(error, EE_ERROR_DATA, "'%s' is read whole and longer than %s (--max-file)", name,
                      ee_size_text(limit, text));
}

ee_status ee_byte_source_read_whole(ee_byte_source *source, size_t limit, ee_buffer *text, ee_error *error) {
  ee_status status = ee_byte_source_read_rest(source, limit, text, error);
  return status == EE_OK && text->length > limit ? ee_file_too_long(source->name, limit, error) : status;
}

bool ee_byte_source_is_plain(const ee_byte_source *source) {
  return source->unpacker.packing == EE_PLAIN && source->recoder == NULL && source->archive == NULL;
}

void ee_byte_source_seek(ee_byte_source *source, uint64_t byte) {
  source->unpacker.input_at = source->unpacker.input_end = 0;
  source->head_at = source->head_end = 0;
  if (lseek(source->fd, (off_t)byte, SEEK_SET) >= 0) return;
  ee_error_set(&source->failure, EE_ERROR_SYSTEM, "cannot read '%s' from byte %" PRIu64 ": %s", source->name, byte,
               strerror(errno));
}

void ee_byte_source_set_plain(ee_byte_source *source) { source->packing_known = source->encoding_known = true; }

bool ee_byte_source_interrupted(const ee_byte_source *source) { return source->interrupted; }

uint64_t ee_byte_source_taken(const ee_byte_source *source) {
  return source->ahead != NULL ? ee_unpack_ahead_taken(source->ahead) : source->taken;
}

void ee_byte_source_set_brief(ee_byte_source *source) { source->brief = true; }

void ee_byte_source_set_most(ee_byte_source *source, uint64_t bytes) {
  source->brief = true;
  source->left = bytes;
}

void ee_byte_source_set_threads(ee_byte_source *source, unsigned threads) { source->threads = threads; }

void ee_byte_source_start(ee_byte_source *source) {
  if (!source->may_wait) (void)find_packing(source, &source->failure);
}
