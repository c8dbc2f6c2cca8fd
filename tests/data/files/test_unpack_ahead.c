/* test_unpack_ahead.c: threads that unpack ahead give the bytes and the error of one reader, for files of many members,
 * with places that only look like a member's beginning, damaged and cut short. */
#include "data/files/unpack_ahead.h"

#include "data/files/byte_source.h"
#include "data/random_document.h"
#include "data/temporary_files.h"

/* Reads the whole file in pieces of `piece`; then the message of its error is in `out`, too. */
static void read_whole(unsigned threads, size_t piece, ee_buffer *out) {
  ee_error error = {0};
  ee_byte_source *source = ee_byte_source_open(names[0], &error);
  assert_non_null(source);
  ee_byte_source_set_threads(source, threads);
  if (threads > 2) ee_byte_source_start(source);
  size_t got = 1;
  ee_status status = EE_OK;
  while (status == EE_OK && got > 0) {
    status = ee_byte_source_read(source, ee_buffer_reserve(out, piece), piece, &got, &error);
    if (status == EE_OK) out->length += got;
  }
  if (status != EE_OK) ee_buffer_add_text(out, error.message);
  assert_true(ee_byte_source_is_plain(source) == false);
  ee_byte_source_close(source);
}

/* Text that cannot be made much smaller; with the magic bytes of members in it. */
static void add_text(test_random *random, ee_buffer *text, size_t length) {
  static const char *const magics[] = {"\x1f\x8b\x08\x00", "\x28\xb5\x2f\xfd"};
  while (length-- > 0) {
    if (test_random_below(random, 50000) == 0) ee_buffer_add(text, magics[test_random_below(random, 2)], 4);
    ee_buffer_add_char(text, (char)test_random_below(random, 256));
  }
}

static void add_member(test_random *random, const ee_buffer *text, ee_buffer *packed, bool gzip) {
  int level = test_random_below(random, 2) == 0 ? 0 : 1;
#ifdef EE_WITH_ZLIB
  if (gzip) {
    z_stream stream = {0};
    assert_int_equal(deflateInit2(&stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    size_t room = deflateBound(&stream, (uLong)text->length) + 64;
    stream.next_in = (unsigned char *)text->data;
    stream.avail_in = (unsigned)text->length;
    stream.next_out = (unsigned char *)ee_buffer_reserve(packed, room);
    stream.avail_out = (unsigned)room;
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    packed->length += room - stream.avail_out;
    deflateEnd(&stream);
  }
#endif
#ifdef EE_WITH_ZSTD
  if (!gzip) {
    size_t room = ZSTD_compressBound(text->length);
    size_t made = ZSTD_compress(ee_buffer_reserve(packed, room), room, text->data, text->length, level);
    assert_false(ZSTD_isError(made));
    packed->length += made;
  }
#endif
}

static void check_files(bool gzip) {
  test_random random = test_random_start(gzip ? "gzip" : "zstd", gzip ? 154 : 155);
  ee_buffer text = {0}, packed = {0}, wanted = {0}, got = {0};
  for (int round = 0; round < 24; round++) {
    ee_buffer_clear(&packed);
    size_t members = 1 + test_random_below(&random, 12);
    for (size_t i = 0; i < members; i++) {
      ee_buffer_clear(&text);
      add_text(&random, &text, test_random_below(&random, 4) == 0 ? 10 : test_random_below(&random, 900000));
      add_member(&random, &text, &packed, gzip);
      if (gzip && test_random_below(&random, 4) == 0)
        ee_buffer_add(&packed, "\0\0\0\0\0", test_random_below(&random, 5));
    }
    size_t kept = packed.length > 200 ? 100 : packed.length / 2; /* of the beginning, which is left as it is */
    if (round % 4 == 1) packed.data[kept + test_random_below(&random, packed.length - kept)] ^= 0x55;
    if (round % 4 == 2) packed.length -= test_random_below(&random, packed.length - kept);
    if (round % 4 == 3) ee_buffer_add_text(&packed, "other data");
    write_file(names[0], packed.data, packed.length);
    ee_buffer_clear(&wanted);
    read_whole(0, 100000, &wanted);
    for (unsigned threads = 1; threads <= 4; threads++) {
      ee_buffer_clear(&got);
      read_whole(threads, 1 + test_random_below(&random, 300000) + 1000, &got);
      assert_int_equal(got.length, wanted.length);
      assert_memory_equal(got.data, wanted.data, wanted.length);
    }
  }
  ee_buffer_fini(&text);
  ee_buffer_fini(&packed);
  ee_buffer_fini(&wanted);
  ee_buffer_fini(&got);
}

#ifdef EE_WITH_ZLIB
static void test_gzip(void **state) {
  (void)state;
  check_files(true);
}
#endif

#ifdef EE_WITH_ZSTD
static void test_zstandard(void **state) {
  (void)state;
  check_files(false);
}
#endif

/* A reader that goes away early leaves no thread waiting. */
#ifdef EE_WITH_ZLIB
/* zlib may hold text for which there was no room when the last byte of a cut file is in: it is read, whatever the room.
 */
static void test_cut_at_each_byte(void **state) {
  (void)state;
  ee_buffer text = {0}, packed = {0}, whole = {0}, pieces = {0};
  test_random random = test_random_start("cut", 7);
  for (int i = 0; i < 12; i++) ee_buffer_addf(&text, "%d: abcabcabcabcabcabcabcabcabcabc\n", i / 4);
  do {
    ee_buffer_clear(&packed);
    add_member(&random, &text, &packed, true);
  } while (packed.length > text.length); /* at a level that packs */
  static const size_t rooms[] = {1, 2, 3, 7, 16, 31};
  for (size_t length = 18; length < packed.length; length++) {
    write_file(names[0], packed.data, length);
    ee_buffer_clear(&whole);
    read_whole(0, 65536, &whole);
    assert_non_null(strstr(ee_buffer_terminate(&whole), "is cut short"));
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) {
      ee_buffer_clear(&pieces);
      read_whole(0, rooms[i], &pieces);
      assert_int_equal(pieces.length, whole.length);
      assert_memory_equal(pieces.data, whole.data, whole.length);
    }
  }
  ee_buffer_fini(&text);
  ee_buffer_fini(&packed);
  ee_buffer_fini(&whole);
  ee_buffer_fini(&pieces);
}
#endif

static void test_left_early(void **state) {
  (void)state;
#ifdef EE_WITH_ZLIB
  test_random random = test_random_start("left early", 156);
  ee_buffer text = {0}, packed = {0};
  for (int i = 0; i < 6; i++) {
    ee_buffer_clear(&text);
    add_text(&random, &text, 700000);
    memset(ee_buffer_reserve(&text, 12000000), 'x', 12000000); /* more than a stream keeps */
    text.length += 12000000;
    add_member(&random, &text, &packed, true);
  }
  write_file(names[0], packed.data, packed.length);
  for (size_t reads = 0; reads < 8; reads++) {
    ee_byte_source *source = ee_byte_source_open(names[0], NULL);
    ee_byte_source_set_threads(source, 4);
    ee_byte_source_start(source);
    char room[5000];
    size_t got;
    for (size_t i = 0; i < reads * reads * 100; i++)
      assert_int_equal(ee_byte_source_read(source, room, sizeof room, &got, NULL), EE_OK);
    ee_byte_source_close(source);
  }
  ee_buffer_fini(&text);
  ee_buffer_fini(&packed);
#endif
}

static const struct CMUnitTest tests[] = {
#ifdef EE_WITH_ZLIB
    cmocka_unit_test(test_gzip),
    cmocka_unit_test(test_cut_at_each_byte),
#endif
#ifdef EE_WITH_ZSTD
    cmocka_unit_test(test_zstandard),
#endif
    cmocka_unit_test(test_left_early),
};
EE_TEST_ARRAY(set_up, tear_down, tests);
