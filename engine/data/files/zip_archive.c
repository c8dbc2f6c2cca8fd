/* zip_archive.c: the directory is read whole; entries are unpacked one after the other. */
#include "data/files/zip_archive.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#ifdef EE_WITH_ZLIB
#include <zlib.h>
#endif
#ifdef EE_WITH_ZSTD
#include <zstd.h>
#endif

#include "base/hash_index.h"
#include "base/limits.h"
#include "base/list.h"
#include "base/memory.h"
#include "base/pool.h"
#include "base/runtime.h"
#include "base/str.h"
#include "data/files/byte_source.h"

#define PIECE ((size_t)64 * 1024)
/* The end of the directory, without its comment, and with the longest one. */
#define END_SIZE 22
#define END_REACH (END_SIZE + 65535)
#define ENTRY_SIZE 46
#define LOCAL_SIZE 30

enum { STORED = 0, DEFLATED = 8, ZSTANDARD = 93 };

typedef struct entry {
  ee_str name;           /* in the directory */
  uint64_t offset;       /* of its local header */
  uint64_t packed, size; /* bytes */
  uint32_t crc;
  unsigned method;
  bool encrypted;
} entry;

struct ee_zip_archive {
  int fd;
  const char *name;
  uint64_t file_size, taken;
  ee_buffer directory;
  EE_LIST(entry);
  size_t at; /* of the entry that is given, or given next */
  bool open; /* it was begun */
  bool needs_break;
  uint64_t position, packed_left, given; /* in the file; of the entry */
  uint32_t crc;
  size_t input_at, input_end;
  ee_cleanup cleanup;
#ifdef EE_WITH_ZLIB
  z_stream inflate;
  bool inflating;
#endif
#ifdef EE_WITH_ZSTD
  ZSTD_DStream *zstandard;
#endif
  unsigned char input[PIECE];
};

bool ee_is_zip(const unsigned char *bytes, size_t length) {
  return length >= 4 && (memcmp(bytes, "PK\3\4", 4) == 0 || memcmp(bytes, "PK\5\6", 4) == 0);
}

static uint64_t number_at(const char *at, size_t bytes) {
  uint64_t number = 0;
  for (size_t i = bytes; i > 0; i--) number = number << 8 | (unsigned char)at[i - 1];
  return number;
}

static ee_status damaged(const ee_zip_archive *self, const char *what, ee_error *error) {
  return ee_error_set(error, EE_ERROR_DATA, "'%s' is a damaged zip archive: %s", self->name, what);
}

/* All of `length` bytes at `offset`. */
static ee_status read_at(ee_zip_archive *self, void *out, size_t length, uint64_t offset, ee_error *error) {
  if (offset > self->file_size || length > self->file_size - offset)
    return damaged(self, "it refers to bytes after its end", error);
  for (size_t done = 0; done < length;) {
    ssize_t got = pread(self->fd, (char *)out + done, length - done, (off_t)(offset + done));
    if (got < 0 && errno == EINTR) continue; /* unreached: a signal during a read */
    /* unreached: a read fails, or the file became shorter */
    if (got < 0) return ee_error_set(error, EE_ERROR_SYSTEM, "cannot read '%s': %s", self->name, strerror(errno));
    if (got == 0) return damaged(self, "it ends while it is read", error); /* unreached: as the line before */
    done += (size_t)got;
  }
  return EE_OK;
}

/* The directory ---------------------------------------------------------------------------------- */

/* Finds where the directory is. `end`: the last bytes of the file, which begin at `start`. */
static ee_status find_directory(ee_zip_archive *self, ee_str end, uint64_t start, uint64_t *offset, uint64_t *size,
                                ee_error *error) {
  const char *at = NULL;
  for (size_t i = end.length >= END_SIZE ? end.length - END_SIZE + 1 : 0; i > 0 && at == NULL; i--)
    if (memcmp(end.data + i - 1, "PK\5\6", 4) == 0) at = end.data + i - 1;
  if (at == NULL) return damaged(self, "its directory is missing, so that it was cut short", error);
  *size = number_at(at + 12, 4);
  *offset = number_at(at + 16, 4);
  if (*size != UINT32_MAX && *offset != UINT32_MAX && number_at(at + 10, 2) != UINT16_MAX) return EE_OK;
  char locator[20], record[56];
  uint64_t place = start + (uint64_t)(at - end.data);
  if (place < sizeof locator) return EE_OK;
  ee_status status = read_at(self, locator, sizeof locator, place - sizeof locator, error);
  if (status != EE_OK) return status;                  /* unreached: a read fails: make faults */
  if (memcmp(locator, "PK\6\7", 4) != 0) return EE_OK; /* not ZIP64: the numbers are as they are */
  status = read_at(self, record, sizeof record, number_at(locator + 8, 8), error);
  if (status != EE_OK) return status;
  if (memcmp(record, "PK\6\6", 4) != 0) return damaged(self, "its ZIP64 directory is missing", error);
  *size = number_at(record + 40, 8);
  *offset = number_at(record + 48, 8);
  return EE_OK;
}

/* Numbers of 64 bits that the entry has in an extra field. */
static void read_extra(ee_str extra, entry *found) {
  while (extra.length >= 4) {
    uint64_t id = number_at(extra.data, 2), length = number_at(extra.data + 2, 2);
    if (length > extra.length - 4) return;
    const char *at = extra.data + 4;
    uint64_t *const numbers[] = {&found->size, &found->packed, &found->offset};
    for (size_t i = 0; id == 1 && i < 3; i++) {
      if (*numbers[i] != UINT32_MAX || length < 8) continue;
      *numbers[i] = number_at(at, 8);
      at += 8;
      length -= 8;
    }
    if (id == 1) return;
    extra = (ee_str){extra.data + 4 + length, extra.length - 4 - (size_t)length};
  }
}

static bool is_wanted(ee_str name, const char *prefix) {
  size_t length = strlen(prefix);
  return name.length > length + 5 && memcmp(name.data, prefix, length) == 0 &&
         memcmp(name.data + name.length - 5, ".json", 5) == 0;
}

static ee_status list_entries(ee_zip_archive *self, const char *prefix, ee_error *error) {
  const char *at = self->directory.data, *end = at + self->directory.length;
  ee_hash_index index = {.arena = NULL};
  ee_status status = EE_OK;
  while (end - at >= ENTRY_SIZE && memcmp(at, "PK\1\2", 4) == 0) {
    size_t name = (size_t)number_at(at + 28, 2), extra = (size_t)number_at(at + 30, 2);
    size_t whole = ENTRY_SIZE + name + extra + (size_t)number_at(at + 32, 2);
    if (whole > (size_t)(end - at)) {
      status = damaged(self, "an entry of its directory is cut", error);
      break;
    }
    entry found = {.name = {at + ENTRY_SIZE, name},
                   .encrypted = (number_at(at + 8, 2) & 1) != 0,
                   .method = (unsigned)number_at(at + 10, 2),
                   .crc = (uint32_t)number_at(at + 16, 4),
                   .packed = number_at(at + 20, 4),
                   .size = number_at(at + 24, 4),
                   .offset = number_at(at + 42, 4)};
    read_extra((ee_str){at + ENTRY_SIZE + name, extra}, &found);
    at += whole;
    if (!is_wanted(found.name, prefix)) continue;
    uint64_t hash = ee_hash_bytes(found.name.data, found.name.length, 0);
    size_t probe = 0, number, same = SIZE_MAX;
    while (same == SIZE_MAX && ee_hash_index_next(&index, hash, &probe, &number))
      if (ee_str_equal(self->items[number].name, found.name)) same = number; /* unreached: two names of one hash */
    if (same != SIZE_MAX) {
      self->items[same] = found;
      continue;
    }
    ee_hash_index_add(&index, hash, self->count);
    *EE_LIST_ADD(self, NULL) = found;
  }
  ee_hash_index_fini(&index);
  return status;
}

/* What the entries say that they hold. */
static ee_status check_entries(const ee_zip_archive *self, const char *prefix, ee_error *error) {
  uint64_t sum = 0, bound = ee_bound_of(EE_BOUND_UNPACKED);
  if (self->count == 0)
    return ee_error_set(error, EE_ERROR_DATA, "the zip archive '%s' has no entry '%s*.json'", self->name, prefix);
  for (size_t i = 0; i < self->count; i++) {
    const entry *at = &self->items[i];
    if (at->encrypted) return ee_error_set(error, EE_ERROR_DATA, "the zip archive '%s' is encrypted", self->name);
    sum = at->size > UINT64_MAX - sum ? UINT64_MAX : sum + at->size;
  }
  char found[EE_BOUND_TEXT], limit[EE_BOUND_TEXT];
  if (sum > bound && sum / EE_UNPACKED_RATIO > self->file_size)
    return ee_error_set(error, EE_ERROR_DATA,
                        "'%s' unpacks to %s, more than %s, and to more than %d times its packed size (--max-unpacked)",
                        self->name, ee_size_text(sum, found), ee_size_text(bound, limit), EE_UNPACKED_RATIO);
  return EE_OK;
}

static ee_status read_directory(ee_zip_archive *self, const char *prefix, ee_error *error) {
  uint64_t reach = self->file_size < END_REACH ? self->file_size : END_REACH, start = self->file_size - reach;
  uint64_t offset = 0, size = 0;
  ee_buffer *text = &self->directory;
  ee_status status = read_at(self, ee_buffer_reserve(text, (size_t)reach), (size_t)reach, start, error);
  if (status != EE_OK) return status; /* unreached: a read fails: make faults */
  status = find_directory(self, (ee_str){text->data, (size_t)reach}, start, &offset, &size, error);
  if (status == EE_OK && size > ee_bound_size(EE_BOUND_FILE))
    status = ee_file_too_long(self->name, ee_bound_size(EE_BOUND_FILE), error);
  if (status == EE_OK && (offset > self->file_size || size > self->file_size - offset))
    status = damaged(self, "its directory is not where it says", error);
  if (status == EE_OK) status = read_at(self, ee_buffer_reserve(text, (size_t)size), (size_t)size, offset, error);
  if (status != EE_OK) return status;
  text->length = (size_t)size;
  status = list_entries(self, prefix, error);
  return status == EE_OK ? check_entries(self, prefix, error) : status;
}

/* Entries ---------------------------------------------------------------------------------------- */

static void end_unpacking(void *user) {
  ee_zip_archive *self = user;
#ifdef EE_WITH_ZLIB
  if (self->inflating) inflateEnd(&self->inflate);
  self->inflating = false;
#endif
#ifdef EE_WITH_ZSTD
  ZSTD_freeDStream(self->zstandard);
  self->zstandard = NULL;
#endif
  (void)self;
}

ee_zip_archive *ee_zip_archive_open(int fd, uint64_t size, const char *name, const char *prefix, ee_error *error) {
  ee_zip_archive *self = ee_calloc(1, sizeof *self);
  self->fd = fd;
  self->name = name;
  self->file_size = size;
  ee_buffer_init(&self->directory);
  ee_cleanup_add(&self->cleanup, end_unpacking, self);
  if (read_directory(self, prefix, error) == EE_OK) return self;
  ee_zip_archive_close(self);
  return NULL;
}

void ee_zip_archive_close(ee_zip_archive *self) {
  if (self == NULL) return;
  ee_cleanup_remove(&self->cleanup);
  end_unpacking(self);
  ee_buffer_fini(&self->directory);
  EE_LIST_FINI(self);
  ee_free(self);
}

static ee_status begin_entry(ee_zip_archive *self, ee_error *error) {
  const entry *at = &self->items[self->at];
  char header[LOCAL_SIZE];
  ee_status status = read_at(self, header, sizeof header, at->offset, error);
  if (status != EE_OK) return status;
  if (memcmp(header, "PK\3\4", 4) != 0) return damaged(self, "an entry is not where its directory says", error);
  self->position = at->offset + LOCAL_SIZE + number_at(header + 26, 2) + number_at(header + 28, 2);
  self->packed_left = at->packed;
  self->given = self->input_at = self->input_end = 0;
  self->crc = 0;
  self->open = true;
  bool started = at->method == STORED;
#ifdef EE_WITH_ZLIB
  if (at->method == DEFLATED) {
    self->inflate = (z_stream){.next_in = NULL};
    started = self->inflating = inflateInit2(&self->inflate, -15) == Z_OK;
    if (!started) ee_out_of_memory();
  }
#endif
#ifdef EE_WITH_ZSTD
  if (at->method == ZSTANDARD) {
    self->zstandard = ZSTD_createDStream();
    if (self->zstandard == NULL) ee_out_of_memory();
    started = true;
  }
#endif
  if (started) return EE_OK;
  return ee_error_set(error, EE_ERROR_DATA,
                      "entry '%.*s' of '%s' is compressed by method %u, which this program does "
                      "not have",
                      (int)ee_utf8_cut(at->name, 100), at->name.data, self->name, at->method);
}

/* Reads packed bytes if there are none left. */
static ee_status fill_input(ee_zip_archive *self, ee_error *error) {
  if (self->input_at < self->input_end || self->packed_left == 0) return EE_OK;
  size_t wanted = self->packed_left < PIECE ? (size_t)self->packed_left : PIECE;
  ee_status status = read_at(self, self->input, wanted, self->position, error);
  if (status != EE_OK) return status;
  self->input_at = 0;
  self->input_end = wanted;
  self->position += wanted;
  self->packed_left -= wanted;
  self->taken += wanted;
  return EE_OK;
}

/* Unpacks once. `*ended`: the packed data have ended. */
static bool unpack(ee_zip_archive *self, unsigned method, char *out, size_t room, size_t *got, bool *ended) {
  size_t left = self->input_end - self->input_at;
  if (method == STORED) {
    *got = left < room ? left : room;
    memcpy(out, self->input + self->input_at, *got);
    self->input_at += *got;
    *ended = self->input_at == self->input_end && self->packed_left == 0;
    return true;
  }
#ifdef EE_WITH_ZLIB
  if (method == DEFLATED) {
    self->inflate.next_in = self->input + self->input_at;
    self->inflate.avail_in = (uInt)left;
    self->inflate.next_out = (Bytef *)out;
    self->inflate.avail_out = (uInt)(room < PIECE ? room : PIECE);
    uInt before = self->inflate.avail_out;
    int result = inflate(&self->inflate, Z_NO_FLUSH);
    *got = before - self->inflate.avail_out;
    self->input_at = self->input_end - self->inflate.avail_in;
    *ended = result == Z_STREAM_END;
    if (result == Z_MEM_ERROR) ee_out_of_memory();
    return result == Z_OK || result == Z_STREAM_END;
  }
#endif
#ifdef EE_WITH_ZSTD
  if (method == ZSTANDARD) { /* unreached: begin_entry() refused others */
    ZSTD_inBuffer in = {self->input + self->input_at, left, 0};
    ZSTD_outBuffer to = {out, room, 0};
    size_t result = ZSTD_decompressStream(self->zstandard, &to, &in);
    *got = to.pos;
    self->input_at += in.pos;
    *ended = result == 0;
    return ZSTD_isError(result) == 0 && (*got > 0 || in.pos > 0);
  }
#endif
  return false; /* unreached: begin_entry() refused it */
}

/* The next bytes of the entry; `*got` 0: it has ended. */
static ee_status read_entry(ee_zip_archive *self, char *out, size_t room, size_t *got, ee_error *error) {
  const entry *at = &self->items[self->at];
  bool ended = at->packed == 0;
  *got = 0;
  while (*got == 0 && !ended) {
    ee_status status = fill_input(self, error);
    if (status != EE_OK) return status;
    if (!unpack(self, at->method, out, room, got, &ended)) return damaged(self, "an entry cannot be unpacked", error);
  }
  self->given += *got;
#ifdef EE_WITH_ZLIB
  self->crc = (uint32_t)crc32(self->crc, (const Bytef *)out, (uInt)*got);
  if (ended && self->crc != at->crc) return damaged(self, "the checksum of an entry is wrong", error);
#endif
  if (self->given > at->size || (ended && self->given < at->size))
    return damaged(self, "an entry has another length than it says", error);
  if (ended) {
    self->at += 1;
    self->open = false;
    self->needs_break = true;
    end_unpacking(self);
  }
  return EE_OK;
}

ee_status ee_zip_archive_read(ee_zip_archive *self, char *out, size_t room, size_t *got, ee_error *error) {
  *got = 0;
  while (*got == 0) {
    if (self->needs_break) {
      *out = '\n';
      *got = 1;
      self->needs_break = false;
      return EE_OK;
    }
    if (self->at == self->count) return EE_OK;
    ee_status status = self->open ? EE_OK : begin_entry(self, error);
    if (status == EE_OK) status = read_entry(self, out, room < PIECE ? room : PIECE, got, error);
    if (status != EE_OK) return status;
  }
  return EE_OK;
}

uint64_t ee_zip_archive_taken(const ee_zip_archive *self) { return self->taken; }

void ee_zip_archive_names(const ee_zip_archive *self, ee_buffer *out) {
  for (size_t i = 0; i < self->count; i++) {
    ee_buffer_add_str(out, self->items[i].name);
    ee_buffer_add_char(out, '\n');
  }
}
