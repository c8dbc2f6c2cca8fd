/* unpacker.c: zlib and zstd, as far as they were built in. */
#include "data/files/unpacker.h"

#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"

/* Whether these first bytes, from one to four, can be those of a frame: one of data, or one to skip. */
static bool is_zstandard(const unsigned char *bytes, size_t length) {
  static const unsigned char data[] = {0x28, 0xb5, 0x2f, 0xfd}, skip[] = {0x50, 0x2a, 0x4d, 0x18};
  return memcmp(bytes, data, length) == 0 ||
         ((bytes[0] & 0xf0) == skip[0] && memcmp(bytes + 1, skip + 1, length - 1) == 0);
}

/* Reads compressed bytes if none are left; `*end`: there are no more. */
static ee_status refill_input(ee_unpacker *unpacker, bool *end, ee_error *error) {
  *end = false;
  if (unpacker->input_at < unpacker->input_end) return EE_OK;
  size_t got = 0;
  ee_status status = unpacker->read(unpacker->user, unpacker->input, EE_PACKED_PIECE, &got, error);
  if (status != EE_OK) return status;
  unpacker->byte += got;
  unpacker->input_at = 0;
  unpacker->input_end = got;
  *end = got == 0;
  return EE_OK;
}

/* Not used without zlib and zstd. */
__attribute__((unused)) static ee_status fail_damaged(const ee_unpacker *unpacker, ee_error *error) {
  return ee_error_set(error, EE_ERROR_DATA, "compressed data in '%s' is damaged", unpacker->name);
}

__attribute__((unused)) static ee_status fail_other_data(const ee_unpacker *unpacker, ee_error *error) {
  return ee_error_set(error, EE_ERROR_DATA, "other data after the compressed data in '%s'", unpacker->name);
}

#ifdef EE_WITH_ZLIB
static void end_gzip(void *user) { inflateEnd(&((ee_unpacker *)user)->gzip); }

static ee_status start_gzip(ee_unpacker *unpacker, ee_error *error) {
  /* 15 bits of window; 16 selects the gzip format. */
  int started = inflateInit2(&unpacker->gzip, 15 + 16);
  if (started == Z_MEM_ERROR) ee_out_of_memory();
  if (started != Z_OK) /* unreached: a library of another version */
    return ee_error_set(error, EE_ERROR_SYSTEM, "cannot decompress '%s'", unpacker->name); /* unreached: as above */
  unpacker->packing = EE_GZIP;
  ee_cleanup_add(&unpacker->cleanup, end_gzip, unpacker);
  return EE_OK;
}

/* Unpacks some of the input to `out`. */
static ee_status unpack_gzip(ee_unpacker *unpacker, char *out, size_t room, size_t *got, ee_error *error) {
  z_stream *stream = &unpacker->gzip;
  if (unpacker->between_members) {
    unsigned char next = unpacker->input[unpacker->input_at];
    if (next == 0) { /* padding */
      unpacker->input_at += 1;
      return EE_OK;
    }
    if (next != 0x1f) return fail_other_data(unpacker, error);
    inflateReset(stream);
    unpacker->between_members = false;
  }
  if (room > 1u << 30) room = 1u << 30; /* unreached: only an entry of COCO that is as long is read at once */
  stream->next_out = (unsigned char *)out;
  stream->avail_out = (unsigned)room;
  stream->next_in = unpacker->input + unpacker->input_at;
  stream->avail_in = (unsigned)(unpacker->input_end - unpacker->input_at);
  int result = inflate(stream, Z_NO_FLUSH);
  unpacker->input_at = unpacker->input_end - stream->avail_in;
  *got = room - stream->avail_out;
  unpacker->between_members = result == Z_STREAM_END;
  unpacker->holds_text = stream->avail_out == 0 && result == Z_OK;
  if (result == Z_MEM_ERROR) ee_out_of_memory();
  /* If good bytes precede a mistake, the next call meets it again. */
  if (result != Z_STREAM_END && result != Z_OK && result != Z_BUF_ERROR && *got == 0)
    return fail_damaged(unpacker, error);
  return EE_OK;
}
#endif

#ifdef EE_WITH_ZSTD
/* Of a frame's header, before more is known. */
#define FIRST_WANTED 5

static void end_zstandard(void *user) { ZSTD_freeDStream(((ee_unpacker *)user)->zstandard); }

static ee_status start_zstandard(ee_unpacker *unpacker, ee_error *error) {
  (void)error;
  unpacker->zstandard = ZSTD_createDStream();
  if (unpacker->zstandard == NULL) ee_out_of_memory();
  ee_cleanup_add(&unpacker->cleanup, end_zstandard, unpacker);
  unpacker->text = ee_malloc(ZSTD_DStreamOutSize());
  unpacker->wanted = FIRST_WANTED;
  unpacker->packing = EE_ZSTANDARD;
  return EE_OK;
}

static void give_text(ee_unpacker *unpacker, char *out, size_t room, size_t *got) {
  size_t left = unpacker->text_end - unpacker->text_at;
  *got = left < room ? left : room;
  if (*got > 0) memcpy(out, unpacker->text + unpacker->text_at, *got);
  unpacker->text_at += *got;
}

/* Block by block, as zstd asks for them: at a mistake it does not say how much it has unpacked before in the same step,
 * and what is lost must not depend on how the bytes arrive or are asked for. */
static ee_status unpack_zstandard(ee_unpacker *unpacker, char *out, size_t room, size_t *got, ee_error *error) {
  if (unpacker->between_members && !is_zstandard(unpacker->input + unpacker->input_at, 1))
    return fail_other_data(unpacker, error);
  ZSTD_outBuffer to = {.dst = unpacker->text, .size = ZSTD_DStreamOutSize()};
  size_t left = unpacker->input_end - unpacker->input_at;
  size_t end = unpacker->input_at + (left < unpacker->wanted ? left : unpacker->wanted);
  ZSTD_inBuffer from = {.src = unpacker->input, .size = end, .pos = unpacker->input_at};
  size_t result = ZSTD_decompressStream(unpacker->zstandard, &to, &from);
  if (ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation) ee_out_of_memory();
  if (ZSTD_getErrorCode(result) == ZSTD_error_frameParameter_windowTooLarge)
    return ee_error_set(error, EE_ERROR_DATA,
                        "'%s' needs a window of more than 128 MiB to unpack: pack it without zstd's --long or --ultra",
                        unpacker->name);
  if (ZSTD_isError(result)) return fail_damaged(unpacker, error);
  unpacker->input_at = from.pos;
  unpacker->between_members = result == 0;
  unpacker->wanted = result == 0 ? FIRST_WANTED : result;
  unpacker->text_at = 0;
  unpacker->text_end = to.pos;
  give_text(unpacker, out, room, got);
  return EE_OK;
}
#endif

/* This program cannot read the file's packing. */
__attribute__((unused)) static ee_status fail_unpacked(/* unreached: a build with both */
                                                       const ee_unpacker *unpacker, const char *suffix,
                                                       ee_error *error) {
  static const char message[] = "cannot decompress '%s': this program was built without %s support";
  return ee_error_set(error, EE_ERROR_SYSTEM, message, unpacker->name, suffix); /* unreached: a build with both */
}

#ifndef EE_WITH_ZLIB
static ee_status start_gzip(ee_unpacker *unpacker, ee_error *error) { return fail_unpacked(unpacker, ".gz", error); }
static ee_status unpack_gzip(ee_unpacker *unpacker, char *out, size_t room, size_t *got, ee_error *error) {
  (void)out, (void)room, (void)got;
  return start_gzip(unpacker, error);
}
#endif
#ifndef EE_WITH_ZSTD
static ee_status start_zstandard(ee_unpacker *unpacker, ee_error *error) {
  return fail_unpacked(unpacker, ".zst", error);
}
static ee_status unpack_zstandard(ee_unpacker *unpacker, char *out, size_t room, size_t *got, ee_error *error) {
  (void)out, (void)room, (void)got;
  return start_zstandard(unpacker, error);
}
#endif

ee_status ee_unpacker_step(ee_unpacker *unpacker, char *out, size_t room, size_t *got, bool *end, ee_error *error) {
  *got = 0;
  *end = false;
#ifdef EE_WITH_ZSTD
  if (unpacker->text_at < unpacker->text_end) {
    give_text(unpacker, out, room, got);
    return EE_OK;
  }
#endif
#ifdef EE_WITH_ZLIB
  if (unpacker->holds_text) return unpack_gzip(unpacker, out, room, got, error);
#endif
  ee_status status = refill_input(unpacker, end, error);
  if (status != EE_OK || (*end && unpacker->between_members)) return status;
  if (*end) return ee_error_set(error, EE_ERROR_DATA, "compressed data in '%s' is cut short", unpacker->name);
  return unpacker->packing == EE_GZIP ? unpack_gzip(unpacker, out, room, got, error)
                                      : unpack_zstandard(unpacker, out, room, got, error);
}

ee_status ee_unpacker_read(ee_unpacker *unpacker, char *out, size_t room, size_t *got, ee_error *error) {
  bool end = false;
  ee_status status;
  do status = ee_unpacker_step(unpacker, out, room, got, &end, error);
  while (status == EE_OK && *got == 0 && !end);
  return status;
}

void ee_unpacker_stop(ee_unpacker *unpacker) {
  if (unpacker->packing != EE_PLAIN) ee_cleanup_remove(&unpacker->cleanup);
#ifdef EE_WITH_ZLIB
  if (unpacker->packing == EE_GZIP) end_gzip(unpacker);
#endif
#ifdef EE_WITH_ZSTD
  if (unpacker->packing == EE_ZSTANDARD) end_zstandard(unpacker);
  ee_free(unpacker->text);
  unpacker->text = NULL;
#endif
  unpacker->packing = EE_PLAIN;
}

ee_packing ee_packing_of(const unsigned char *bytes, size_t length) {
  if (length >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b) return EE_GZIP;
  return length >= 4 && is_zstandard(bytes, 4) ? EE_ZSTANDARD : EE_PLAIN;
}

bool ee_packing_needs_more(const unsigned char *bytes, size_t length) {
  return length < 2 || (length < 4 && is_zstandard(bytes, length));
}

/* Bytes that are looked through at a time. */
#define SEARCHED_PIECE ((size_t)256 * 1024)
/* What deflate can make of a byte at most. */
#define GZIP_RATIO 1032

static uint64_t little_endian(const unsigned char *at) {
  return at[0] | (uint64_t)at[1] << 8 | (uint64_t)at[2] << 16 | (uint64_t)at[3] << 24;
}

/* The sizes that the members of a .gz end with, as far as they are possible (of each, 2^32 and its multiples are left
 * out). Where packed data looks like a member's beginning, four bytes of it count, too. */
static uint64_t gzip_says(int fd, uint64_t size) {
  unsigned char *text = ee_malloc(SEARCHED_PIECE);
  uint64_t sum = 0, member = 0; /* where the member begins */
  size_t kept = 0;              /* bytes of the piece before, so that nothing is cut apart */
  for (uint64_t byte = 0; byte < size;) {
    ssize_t got = pread(fd, text + kept, SEARCHED_PIECE - kept, (off_t)byte);
    if (got <= 0) break;          /* unreached: a file that becomes shorter while it is read */
    uint64_t start = byte - kept; /* of `text` in the file */
    size_t length = kept + (size_t)got;
    byte += (uint64_t)got;
    for (const unsigned char *at = text + 4, *last = text + length - 4; at <= last; at++) {
      at = memchr(at, 0x1f, (size_t)(last + 1 - at));
      if (at == NULL) break;
      uint64_t place = start + (uint64_t)(at - text), says = little_endian(at - 4);
      if (at[1] != 0x8b || at[2] != 8 || (at[3] & 0xe0) != 0) continue;
      if (says / GZIP_RATIO <= place - member) sum += says;
      member = place;
    }
    kept = length < 7 ? length : 7;
    memmove(text, text + length - kept, kept);
  }
  unsigned char end[4] = {0};
  (void)!pread(fd, end, sizeof end, (off_t)(size - sizeof end));
  if (little_endian(end) / GZIP_RATIO <= size - member) sum += little_endian(end);
  ee_free(text);
  return sum;
}

uint64_t ee_packed_says(const ee_unpacker *unpacker, ee_packing packing, int fd, uint64_t size) {
  if (packing == EE_GZIP) return gzip_says(fd, size);
#ifdef EE_WITH_ZSTD
  unsigned long long says = ZSTD_getFrameContentSize(unpacker->input, unpacker->input_end);
  if (says < ZSTD_CONTENTSIZE_ERROR) return says; /* the largest numbers are this and "unknown" */
#endif
  (void)unpacker;
  return 0;
}

ee_status ee_unpacker_start(ee_unpacker *unpacker, ee_packing packing, ee_error *error) {
  return packing == EE_GZIP ? start_gzip(unpacker, error) : start_zstandard(unpacker, error);
}
