/* fuzz_packed.c: .gz and .zst, as they come and as zlib and zstd make them, and UTF-16.
 *
 * The first byte says whether the rest is a packed file or what is packed, and in how large pieces it is read. The text
 * does not depend on the pieces; what was packed comes out as it went in, from several members too, and a file that is
 * cut short is an error. */
#ifdef EE_WITH_ZLIB
#include <zlib.h>
#endif
#ifdef EE_WITH_ZSTD
#include <zstd.h>
#endif

#include "data/files/byte_source.h"
#include "fuzz/fuzz.h"

/* Reads a file wholly or up to an error; whether it has none. */
static bool read_file(ee_str bytes, size_t piece, ee_buffer *out, char message[768]) {
  fuzz_file file;
  fuzz_file_make(&file, bytes);
  ee_error error = {0};
  ee_byte_source *source = ee_byte_source_open(file.name, &error);
  fuzz_require(source != NULL);
  ee_status status;
  for (;;) {
    size_t got = 0;
    status = ee_byte_source_read(source, ee_buffer_reserve(out, piece), piece, &got, &error);
    fuzz_require(got <= piece);
    out->length += got;
    if (status != EE_OK || got == 0 || out->length > (size_t)8 << 20) break;
  }
  fuzz_require(ee_byte_source_taken(source) <= bytes.length);
  fuzz_require(status == EE_OK || (status == EE_ERROR_DATA && error.message[0] != '\0'));
  snprintf(message, sizeof error.message, "%s", status == EE_OK ? "" : error.message);
  ee_byte_source_close(source);
  fuzz_file_close(&file);
  return status == EE_OK;
}

static void check_pieces(ee_str bytes, size_t piece) {
  ee_buffer whole = {0}, pieces = {0};
  char first[768], second[768];
  (void)read_file(bytes, (size_t)1 << 20, &whole, first);
  if (whole.length < (size_t)8 << 20) {
    (void)read_file(bytes, piece, &pieces, second);
    fuzz_require(ee_str_equal(fuzz_buffer_text(&whole), fuzz_buffer_text(&pieces)));
    fuzz_require(strcmp(first, second) == 0);
  }
  ee_buffer_fini(&whole);
  ee_buffer_fini(&pieces);
}

/* Appends a member with these bytes. */
static void pack(ee_str text, bool zstandard, int level, ee_buffer *out) {
#ifdef EE_WITH_ZSTD
  if (zstandard) {
    size_t room = ZSTD_compressBound(text.length);
    out->length += ZSTD_compress(ee_buffer_reserve(out, room), room, text.data, text.length, level);
    return;
  }
#endif
#ifdef EE_WITH_ZLIB
  z_stream stream = {0};
  (void)zstandard;
  fuzz_require(deflateInit2(&stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  uLong room = deflateBound(&stream, (uLong)text.length);
  stream.next_in = (Bytef *)(uintptr_t)text.data;
  stream.avail_in = (uInt)text.length;
  stream.next_out = (Bytef *)ee_buffer_reserve(out, room);
  stream.avail_out = (uInt)room;
  fuzz_require(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out->length += stream.total_out;
  deflateEnd(&stream);
#else
  (void)text, (void)zstandard, (void)level, (void)out;
#endif
}

static void check_packed(fuzz_source *source, bool zstandard, size_t piece) {
  ee_buffer packed = {0}, read = {0};
  char message[768];
  size_t cut = fuzz_byte(source), level = fuzz_below(source, 9) + 1, at = fuzz_byte(source);
  /* Text, so that it is not taken for UTF-16 or another packed file. */
  ee_buffer text = {0};
  ee_buffer_add_text(&text, "xx");
  ee_buffer_add_str(&text, fuzz_rest(source));
  at %= text.length + 1;
  pack((ee_str){text.data, at}, zstandard, (int)level, &packed);
  size_t first = packed.length;
  pack((ee_str){text.data + at, text.length - at}, zstandard, (int)level, &packed);
  if (packed.length > 0) {
    fuzz_require(read_file(fuzz_buffer_text(&packed), piece, &read, message));
    fuzz_require(ee_str_equal(fuzz_buffer_text(&text), fuzz_buffer_text(&read)));
    if (cut > 0 && cut < packed.length - first && packed.length > first) {
      packed.length -= cut;
      ee_buffer_clear(&read);
      fuzz_require(!read_file(fuzz_buffer_text(&packed), piece, &read, message));
      fuzz_require(read.length <= text.length && memcmp(read.data, text.data, read.length) == 0);
    }
  }
  ee_buffer_fini(&text);
  ee_buffer_fini(&packed);
  ee_buffer_fini(&read);
}

static int ee_fuzz_one(const uint8_t *data, size_t size) {
  fuzz_source source = fuzz_source_of(data, size);
  uint8_t choice = fuzz_byte(&source);
  size_t piece = (size_t)1 << choice / 4 % 14;
  if (choice % 4 < 2)
    check_packed(&source, choice % 4 == 1, piece);
  else
    check_pieces(fuzz_rest(&source), piece);
  return 0;
}

EE_FUZZ_TARGET(8192)
