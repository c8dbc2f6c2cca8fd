/* test_byte_source.c: what cannot be read, what is interrupted, text in UTF-16 by pieces, and packed files that look
 * larger than they are. */
#include "data/files/byte_source.h"

#include <pthread.h>
#include <sys/stat.h>
#include <time.h>
#ifdef EE_WITH_ZLIB
#include <zlib.h>
#endif
#ifdef EE_WITH_ZSTD
#include <zstd.h>
#endif

#include "base/limits.h"
#include "data/files/dataset.h"
#include "data/temporary_files.h"
#include "support/random.h"

#define MIB ((size_t)1 << 20)

/* Reads on to the end or an error, whose message is in `error`; appends what comes to `out`. */
static ee_status read_on(ee_byte_source *source, ee_buffer *out, ee_error *error) {
  size_t got = 1;
  ee_status status = EE_OK;
  while (got > 0 && status == EE_OK) {
    status = ee_byte_source_read(source, ee_buffer_reserve(out, 100000), 100000, &got, error);
    out->length += got;
  }
  return status;
}

static ee_status read_file(unsigned threads, ee_buffer *out, ee_error *error) {
  ee_byte_source *source = ee_byte_source_open(names[0], error);
  assert_non_null(source);
  ee_byte_source_set_threads(source, threads);
  ee_buffer_clear(out);
  ee_status status = read_on(source, out, error);
  ee_byte_source_close(source);
  return status;
}

#if defined(EE_WITH_ZLIB) || defined(EE_WITH_ZSTD)
static void add_noise(test_random *random, ee_buffer *out, size_t length) {
  char *text = ee_buffer_reserve(out, length);
  for (size_t i = 0; i < length; i++) text[i] = (char)test_random_below(random, 256);
  out->length += length;
}
#endif

/* Files that begin as packed ones do, and are none; and that have no more bytes. */
static void test_first_bytes(void **state) {
  (void)state;
  static const struct {
    const char *bytes;
    size_t length;
  } files[] = {{"", 0},     {"\x1f", 1},     {"\x1fx", 2},        {"\x1f\x8c\x08 abc", 7}, {"x\x8b", 2},
               {"\x28", 1}, {"\x28\xb5", 2}, {"\x28\xb5\x2f", 3}, {"\x28\xb5\x2fx", 4},    {"PK", 2},
               {"PK\3", 3}};
  ee_buffer out = {0};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    ee_error error = {0};
    write_file(names[0], files[i].bytes, files[i].length);
    if (read_file(0, &out, &error) != EE_OK) fail_msg("%zu: %s", i, error.message);
    assert_int_equal(out.length, files[i].length);
    if (out.length > 0) assert_memory_equal(out.data, files[i].bytes, out.length);
  }
  ee_buffer_fini(&out);
}

/* A source that ends early, at any number of bytes. */
static void test_most(void **state) {
  (void)state;
  ee_buffer out = {0};
  write_file(names[0], "0123456789", 10);
  for (uint64_t most = 0; most < 13; most++) {
    ee_error error = {0};
    ee_byte_source *source = ee_byte_source_open(names[0], &error);
    ee_byte_source_set_most(source, most);
    ee_buffer_clear(&out);
    assert_int_equal(ee_byte_source_read_rest(source, 100, &out, &error), EE_OK);
    assert_int_equal(out.length, most < 10 ? most : 10);
    if (out.length > 0) assert_memory_equal(out.data, "0123456789", out.length);
    ee_byte_source_close(source);
  }
  ee_buffer_fini(&out);
}

/* A failure stays, also for a caller that does not want its message. */
static void test_failures(void **state) {
  (void)state;
  ee_error error = {0};
  char room[10];
  size_t got = 7;
  ee_byte_source *source = ee_byte_source_open("/proc/self/mem", NULL);
  assert_non_null(source);
  for (int i = 0; i < 3; i++) {
    assert_int_equal(ee_byte_source_read(source, room, sizeof room, &got, i < 2 ? NULL : &error), EE_ERROR_SYSTEM);
    assert_int_equal(got, 0);
  }
  assert_string_equal(error.message, "cannot read '/proc/self/mem': Input/output error");
  ee_byte_source_close(source);
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  assert_int_equal(write(ends[1], "0123456789", 10), 10);
  char name[40], wanted[100];
  snprintf(name, sizeof name, "/dev/fd/%d", ends[0]);
  source = ee_byte_source_open(name, NULL);
  assert_int_equal(ee_byte_source_read(source, room, 4, &got, &error), EE_OK);
  ee_byte_source_seek(source, 8);
  assert_int_equal(ee_byte_source_read(source, room, 4, &got, &error), EE_ERROR_SYSTEM);
  snprintf(wanted, sizeof wanted, "cannot read '%s' from byte 8: Illegal seek", name);
  assert_string_equal(error.message, wanted);
  ee_byte_source_close(source);
  close(ends[0]);
  close(ends[1]);
}

/* UTF-16 of "ab" and many pairs of units, which pieces of the file cut apart. */
static void test_pairs_in_pieces(void **state) {
  (void)state;
  ee_buffer wide = {0}, wanted = {0}, got = {0};
  ee_buffer_add(&wide,
                "\xff\xfe"
                "a\0b\0",
                6);
  ee_buffer_add_text(&wanted, "\xef\xbb\xbf"
                              "ab");
  for (int i = 0; i < 20000; i++) {
    ee_buffer_add(&wide, "\x3d\xd8\x42\xde", 4);
    ee_buffer_add_text(&wanted, "\xf0\x9f\x99\x82");
  }
  write_file(names[0], wide.data, wide.length);
  ee_error error = {0};
  assert_int_equal(read_file(0, &got, &error), EE_OK);
  assert_int_equal(got.length, wanted.length);
  assert_memory_equal(got.data, wanted.data, wanted.length);
  ee_buffer_fini(&wide);
  ee_buffer_fini(&wanted);
  ee_buffer_fini(&got);
}

#ifdef EE_WITH_ZLIB
static void pack_gzip(ee_buffer *out, const ee_buffer *text, int level) {
  z_stream stream = {0};
  assert_int_equal(deflateInit2(&stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  size_t room = deflateBound(&stream, (uLong)text->length) + 64;
  stream.next_in = (unsigned char *)text->data;
  stream.avail_in = (unsigned)text->length;
  stream.next_out = (unsigned char *)ee_buffer_reserve(out, room);
  stream.avail_out = (unsigned)room;
  assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out->length += room - stream.avail_out;
  deflateEnd(&stream);
}

static void test_packed_utf_16(void **state) {
  (void)state;
  test_random random = test_random_start("packed UTF-16", 11);
  ee_buffer text = {0}, packed = {0}, got = {0};
  ee_buffer_add(&text, "\xff\xfe", 2);
  for (int i = 0; i < 100000; i++) {
    ee_buffer_add_char(&text, (char)('a' + test_random_below(&random, 26)));
    ee_buffer_add_char(&text, '\0');
  }
  pack_gzip(&packed, &text, 6);
  write_file(names[0], packed.data, packed.length);
  ee_error error = {0};
  assert_int_equal(read_file(0, &got, &error), EE_OK);
  assert_int_equal(got.length, 100003);
  write_file(names[0], packed.data, packed.length - 100);
  assert_int_equal(read_file(0, &got, &error), EE_ERROR_DATA);
  assert_non_null(strstr(error.message, "is cut short"));
  ee_buffer_fini(&text);
  ee_buffer_fini(&packed);
  ee_buffer_fini(&got);
}

/* An interrupt ends reading, with threads and without; when the flag is taken back nothing is lost. */
static void test_interrupt(void **state) {
  (void)state;
  test_random random = test_random_start("interrupt", 12);
  ee_buffer text = {0}, packed = {0}, got = {0};
  add_noise(&random, &text, 600000);
  memcpy(text.data, "text", 4);
  pack_gzip(&packed, &text, 1);
  write_file(names[0], packed.data, packed.length);
  for (unsigned threads = 0; threads < 3; threads += 2) {
    volatile sig_atomic_t stop = 0;
    ee_error error = {0};
    ee_byte_source *source = ee_byte_source_open(names[0], NULL);
    ee_byte_source_set_threads(source, threads);
    ee_byte_source_set_interrupt(source, &stop);
    ee_buffer_clear(&got);
    size_t some;
    assert_int_equal(ee_byte_source_read(source, ee_buffer_reserve(&got, 1000), 1000, &some, &error), EE_OK);
    got.length += some;
    stop = 1;
    assert_int_equal(read_on(source, &got, &error), EE_ERROR_SYSTEM);
    assert_non_null(strstr(error.message, "was interrupted"));
    assert_true(ee_byte_source_interrupted(source));
    assert_true(got.length < text.length);
    stop = 0;
    assert_int_equal(read_on(source, &got, &error), EE_OK);
    assert_int_equal(got.length, text.length);
    assert_memory_equal(got.data, text.data, text.length);
    assert_int_equal(ee_byte_source_taken(source), packed.length);
    ee_byte_source_close(source);
  }
  ee_buffer_fini(&text);
  ee_buffer_fini(&packed);
  ee_buffer_fini(&got);
}
#endif

/* Files that look like bombs -------------------------------------------------------------------- */

#if defined(EE_WITH_ZLIB) || defined(EE_WITH_ZSTD)
static void set_unpacked(uint64_t bytes) {
  ee_limits limits = *ee_limits_get();
  limits.unpacked = bytes;
  ee_limits_set(&limits);
}

/* Text that is packed to about a hundredth and a bit less. */
static void add_thin(test_random *random, ee_buffer *out, size_t length) {
  char *text = ee_buffer_reserve(out, length);
  memset(text, ' ', length);
  for (size_t at = 0; at + 4096 <= length; at += 4096)
    for (size_t i = 0; i < 16; i++) text[at + i] = (char)test_random_below(random, 256);
  memcpy(text, "text", 4);
  out->length += length;
}

/* Of one large member or frame the size is known before it is unpacked, if it says so. */
static void test_said_sizes(void **state) {
  (void)state;
  test_random random = test_random_start("said sizes", 13);
  ee_buffer text = {0}, packed = {0}, got = {0};
  add_thin(&random, &text, 40 * MIB);
  set_unpacked(20 * MIB);
  for (int kind = 0; kind < 3; kind++) { /* .gz, .zst, .zst of a stream */
    ee_buffer_clear(&packed);
#ifdef EE_WITH_ZLIB
    if (kind == 0) pack_gzip(&packed, &text, 9);
#endif
#ifdef EE_WITH_ZSTD
    ZSTD_CCtx *context = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, kind == 1);
    size_t room = ZSTD_compressBound(text.length);
    if (kind > 0)
      packed.length = ZSTD_compress2(context, ee_buffer_reserve(&packed, room), room, text.data, text.length);
    ZSTD_freeCCtx(context);
#endif
    if (packed.length == 0) continue;
    write_file(names[0], packed.data, packed.length);
    ee_error error = {0};
    assert_int_equal(read_file(0, &got, &error), EE_ERROR_DATA);
    assert_int_equal(got.length, 0);
    assert_non_null(
        strstr(error.message, kind < 2 ? "unpacks to 40 MiB, more than 20 MiB" : "unpacks to more than 20 MiB"));
  }
  ee_limits_set(NULL);
  ee_buffer_fini(&text);
  ee_buffer_fini(&packed);
  ee_buffer_fini(&got);
}
#endif

#ifdef EE_WITH_ZLIB
/* A thin member, and one in which there are bytes like those between two members: sizes that cannot be are not
 * believed. `packed.length`: with the first `*cut` bytes the file ends in such a size. */
static void test_false_members(void **state) {
  (void)state;
  static const char *const marks[] = {"\x1f\x8b\x08\x01", "\x1f\x8b\x08\xff", "\x1f\x8b\x09\x01", "\x1f\x8c\x08\x01"};
  test_random random = test_random_start("false members", 14);
  ee_buffer text = {0}, packed = {0}, got = {0};
  add_thin(&random, &text, 15 * MIB);
  pack_gzip(&packed, &text, 9);
  size_t first = packed.length, whole = text.length;
  assert_true(first > 70000 && first < 200000);
  ee_buffer_clear(&text);
  for (int i = 0; i < 4; i++) {
    ee_buffer_add_text(&text, "\xff\xff\xff\x7f");
    ee_buffer_add_text(&text, marks[i]);
    ee_buffer_add_text(&text, "\x10\x10\x01\x01 ");
    ee_buffer_add_text(&text, marks[i]);
  }
  for (int i = 0; i < 100; i++) ee_buffer_add_char(&text, '\xff');
  for (int i = 0; i < 300000; i++) ee_buffer_add_char(&text, '\x1f');
  pack_gzip(&packed, &text, 0);
  whole += text.length;
  set_unpacked(20 * MIB);
  write_file(names[0], packed.data, packed.length);
  ee_error error = {0};
  assert_int_equal(read_file(0, &got, &error), EE_OK);
  assert_int_equal(got.length, whole);
  const char *run = memmem(packed.data + first, packed.length - first, "\xff\xff\xff\xff\xff", 5);
  assert_non_null(run);
  write_file(names[0], packed.data, (size_t)(run - packed.data) + 5);
  assert_int_equal(read_file(0, &got, &error), EE_ERROR_DATA);
  assert_non_null(strstr(error.message, "is cut short"));
  assert_true(got.length >= 15 * MIB);
  /* Padding after a member is not text. */
  ee_buffer_clear(&text);
  add_thin(&random, &text, MIB);
  ee_buffer_clear(&packed);
  pack_gzip(&packed, &text, 9);
  memset(ee_buffer_reserve(&packed, 100000), 0, 100000);
  packed.length += 100000;
  write_file(names[0], packed.data, packed.length);
  assert_int_equal(read_file(0, &got, &error), EE_OK);
  assert_int_equal(got.length, MIB);
  ee_limits_set(NULL);
  ee_buffer_fini(&text);
  ee_buffer_fini(&packed);
  ee_buffer_fini(&got);
}

static volatile sig_atomic_t stop_probe;
static void *set_stop(void *unused_argument) {
  struct timespec moment = {.tv_nsec = 50000000};
  nanosleep(&moment, NULL);
  __atomic_store_n(&stop_probe, 1, __ATOMIC_RELAXED);
  return unused_argument;
}

/* A file of 10 GiB that is not too large, as it seems only after a while: an interrupt ends the look at it. */
static void test_interrupted_probe(void **state) {
  (void)state;
  ee_buffer text = {0}, member = {0}, packed = {0}, got = {0};
  memset(ee_buffer_reserve(&text, 10 * MIB), ' ', 10 * MIB);
  text.length = 10 * MIB;
  pack_gzip(&member, &text, 9);
  for (int i = 0; i < 1000; i++) ee_buffer_add(&packed, member.data, member.length);
  write_file(names[0], packed.data, packed.length);
  set_unpacked((uint64_t)1 << 40);
  stop_probe = 0;
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, set_stop, NULL), 0);
  ee_error error = {0};
  ee_byte_source *source = ee_byte_source_open(names[0], NULL);
  ee_byte_source_set_interrupt(source, &stop_probe);
  assert_int_equal(read_on(source, &got, &error), EE_ERROR_SYSTEM);
  assert_non_null(strstr(error.message, "was interrupted"));
  pthread_join(thread, NULL);
  ee_byte_source_close(source);
  ee_limits_set(NULL);
  ee_buffer_fini(&text);
  ee_buffer_fini(&member);
  ee_buffer_fini(&packed);
  ee_buffer_fini(&got);
}

/* Threads look for the beginning of the next member: not where flags are set that no member has. */
static void test_no_beginning(void **state) {
  (void)state;
  test_random random = test_random_start("no beginning", 15);
  ee_buffer text = {0}, packed = {0}, got = {0};
  add_noise(&random, &text, 900000);
  memcpy(text.data, "text", 4);
  for (size_t at = 600000; at < 900000; at += 50000) memcpy(text.data + at, "\x1f\x8b\x08\xff", 4);
  pack_gzip(&packed, &text, 0);
  write_file(names[0], packed.data, packed.length);
  ee_error error = {0};
  assert_int_equal(read_file(3, &got, &error), EE_OK);
  assert_int_equal(got.length, text.length);
  assert_memory_equal(got.data, text.data, text.length);
  ee_buffer_fini(&text);
  ee_buffer_fini(&packed);
  ee_buffer_fini(&got);
}

/* The next files of a list are unpacked ahead, as far as the part has something of them. */
static void test_coming_files(void **state) {
  (void)state;
  char packed_names[2][320], plain[300], misnamed[300];
  snprintf(plain, sizeof plain, "%s/plain", folder);
  snprintf(misnamed, sizeof misnamed, "%s/not_packed.zst", folder);
  for (int i = 0; i < 2; i++) {
    snprintf(packed_names[i], sizeof packed_names[i], "%s.gz", names[i]);
    ee_buffer text = {0}, packed = {0};
    for (int k = 0; k < 30000; k++) ee_buffer_addf(&text, "{\"n\":%d}\n", i * 30000 + k);
    pack_gzip(&packed, &text, 6);
    write_file(packed_names[i], packed.data, packed.length);
    ee_buffer_fini(&text);
    ee_buffer_fini(&packed);
  }
  write_file(plain, "{\"n\":60000}\n", 12);
  write_file(misnamed, "{\"n\":60001}\n", 12);
  const char *const files[] = {packed_names[0], packed_names[1], plain, misnamed};
  for (uint64_t of = 1; of < 4; of++) {
    int next = 0;
    for (uint64_t part = 1; part <= of; part++) {
      ee_dataset *dataset = ee_dataset_open(files, 4, NULL);
      assert_non_null(dataset);
      if (of > 1) assert_int_equal(ee_dataset_take_part(dataset, part, of, NULL), EE_OK);
      ee_dataset_set_threads(dataset, 4);
      ee_block block;
      ee_block_init(&block);
      for (bool done = false; !done;) {
        assert_int_equal(ee_dataset_next(dataset, &block, &done, NULL), EE_OK);
        for (size_t i = 0; i < block.count; i++, next++)
          assert_int_equal(atoi(block.text.data + block.records[i].offset + 5), next);
      }
      ee_block_fini(&block);
      ee_dataset_close(dataset);
    }
    assert_int_equal(next, 60002);
  }
  /* One that is closed before they were read. */
  ee_dataset *early = ee_dataset_open(files, 4, NULL);
  ee_dataset_set_threads(early, 4);
  uint64_t taken, total;
  ee_dataset_progress(early, &taken, &total);
  assert_int_equal(taken, 0);
  assert_true(total > 24);
  ee_dataset_close(early);
  for (int i = 0; i < 4; i++) unlink(files[i]);
}
#endif

#ifdef EE_WITH_ZSTD
static void add_frame(ee_buffer *packed, const ee_buffer *text) {
  size_t room = ZSTD_compressBound(text->length);
  packed->length += ZSTD_compress(ee_buffer_reserve(packed, room), room, text->data, text->length, 1);
}

/* Frames that are skipped: one larger than what threads look through, and one that ends like a beginning. */
static void test_skipped_frames(void **state) {
  (void)state;
  test_random random = test_random_start("skipped frames", 16);
  ee_buffer text = {0}, packed = {0}, got = {0};
  add_noise(&random, &text, 600000);
  memcpy(text.data, "text", 4);
  add_frame(&packed, &text);
  size_t frame = packed.length;
  ee_buffer_add(&packed, "\x50\x2a\x4d\x18\x04\0\0\0\x28\0\0\0", 12);
  write_file(names[0], packed.data, packed.length);
  ee_error error = {0};
  assert_int_equal(read_file(3, &got, &error), EE_OK);
  assert_int_equal(got.length, text.length);
  /* 70 MiB that are not written: a hole. */
  packed.length = frame;
  ee_buffer_add(&packed, "\x50\x2a\x4d\x18\0\0\x60\x04", 8);
  write_file(names[0], packed.data, packed.length);
  off_t end = (off_t)(packed.length + 70 * MIB);
  ee_buffer_clear(&packed);
  add_frame(&packed, &text);
  FILE *file = fopen(names[0], "r+b");
  assert_non_null(file);
  assert_int_equal(fseeko(file, end, SEEK_SET), 0);
  assert_int_equal(fwrite(packed.data, 1, packed.length, file), packed.length);
  assert_int_equal(fclose(file), 0);
  assert_int_equal(read_file(3, &got, &error), EE_OK);
  assert_int_equal(got.length, 2 * text.length);
  assert_memory_equal(got.data + text.length, text.data, text.length);
  unlink(names[0]);
  ee_buffer_fini(&text);
  ee_buffer_fini(&packed);
  ee_buffer_fini(&got);
}
#endif

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_failures),          cmocka_unit_test(test_first_bytes),  cmocka_unit_test(test_most),
    cmocka_unit_test(test_pairs_in_pieces),
#ifdef EE_WITH_ZLIB
    cmocka_unit_test(test_packed_utf_16),     cmocka_unit_test(test_interrupt),    cmocka_unit_test(test_false_members),
    cmocka_unit_test(test_interrupted_probe), cmocka_unit_test(test_no_beginning), cmocka_unit_test(test_coming_files),
#endif
#if defined(EE_WITH_ZLIB) || defined(EE_WITH_ZSTD)
    cmocka_unit_test(test_said_sizes),
#endif
#ifdef EE_WITH_ZSTD
    cmocka_unit_test(test_skipped_frames),
#endif
};
EE_TEST_ARRAY(set_up, tear_down, tests);
