/* test_zip_archive.c: archives that the test writes itself, stored, deflated and compressed with Zstandard, are read in
 * any pieces; damaged ones are errors and never crash. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef EE_WITH_ZLIB
#include <zlib.h>
#endif
#ifdef EE_WITH_ZSTD
#include <zstd.h>
#endif

#include "base/limits.h"
#include "data/files/byte_source.h"
#include "data/files/zip_archive.h"
#include "support/random.h"
#include "support/runner.h"

#include "data/temporary_files.h"

typedef struct archive {
  ee_buffer text, directory;
  size_t entries;
} archive;

static void add_number(ee_buffer *out, uint64_t number, size_t bytes) {
  for (size_t i = 0; i < bytes; i++, number >>= 8) ee_buffer_add_char(out, (char)(number & 255));
}

/* The CRC-32 of zip by its definition, bit by bit. */
static uint32_t slow_crc(const char *data, size_t length) {
  uint32_t crc = UINT32_MAX;
  for (size_t i = 0; i < length; i++) {
    crc ^= (unsigned char)data[i];
    for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc;
}

static size_t pack(int method, const char *text, size_t length, char *out, size_t room) {
  if (method == 0) {
    memcpy(out, text, length);
    return length;
  }
#ifdef EE_WITH_ZLIB
  if (method == 8) {
    z_stream stream = {.next_in = NULL};
    assert_int_equal(deflateInit2(&stream, 6, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY), Z_OK);
    stream.next_in = (Bytef *)(uintptr_t)text;
    stream.avail_in = (uInt)length;
    stream.next_out = (Bytef *)out;
    stream.avail_out = (uInt)room;
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    deflateEnd(&stream);
    return stream.total_out;
  }
#endif
#ifdef EE_WITH_ZSTD
  if (method == 93) return ZSTD_compress(out, room, text, length, 3);
#endif
  (void)room;
  return 0;
}

static void add_entry(archive *a, const char *name, int method, const char *text, size_t length, bool large) {
  char *packed = malloc(length + 1000);
  size_t size = pack(method, text, length, packed, length + 1000);
  uint32_t crc = slow_crc(text, length);
  uint64_t offset = a->text.length;
  size_t name_length = strlen(name);
  ee_buffer_add(&a->text, "PK\3\4", 4);
  add_number(&a->text, 20, 2);
  add_number(&a->text, 0, 2);
  add_number(&a->text, (uint64_t)method, 2);
  add_number(&a->text, 0, 4);
  add_number(&a->text, crc, 4);
  add_number(&a->text, size, 4);
  add_number(&a->text, length, 4);
  add_number(&a->text, name_length, 2);
  add_number(&a->text, 0, 2);
  ee_buffer_add(&a->text, name, name_length);
  ee_buffer_add(&a->text, packed, size);
  ee_buffer_add(&a->directory, "PK\1\2", 4);
  add_number(&a->directory, 20, 2);
  add_number(&a->directory, 20, 2);
  add_number(&a->directory, 0, 2);
  add_number(&a->directory, (uint64_t)method, 2);
  add_number(&a->directory, 0, 4);
  add_number(&a->directory, crc, 4);
  add_number(&a->directory, large ? UINT32_MAX : size, 4);
  add_number(&a->directory, large ? UINT32_MAX : length, 4);
  add_number(&a->directory, name_length, 2);
  add_number(&a->directory, large ? 28 : 0, 2);
  add_number(&a->directory, 0, 2);
  add_number(&a->directory, 0, 8);
  add_number(&a->directory, large ? UINT32_MAX : offset, 4);
  ee_buffer_add(&a->directory, name, name_length);
  if (large) {
    add_number(&a->directory, 1, 2);
    add_number(&a->directory, 24, 2);
    add_number(&a->directory, length, 8);
    add_number(&a->directory, size, 8);
    add_number(&a->directory, offset, 8);
  }
  a->entries++;
  free(packed);
}

static void end_archive(archive *a, bool large) {
  uint64_t offset = a->text.length;
  ee_buffer_add(&a->text, a->directory.data, a->directory.length);
  uint64_t place = a->text.length;
  if (large) {
    ee_buffer_add(&a->text, "PK\6\6", 4);
    add_number(&a->text, 44, 8);
    add_number(&a->text, 0, 12);
    add_number(&a->text, a->entries, 8);
    add_number(&a->text, a->entries, 8);
    add_number(&a->text, a->directory.length, 8);
    add_number(&a->text, offset, 8);
    ee_buffer_add(&a->text, "PK\6\7", 4);
    add_number(&a->text, 0, 4);
    add_number(&a->text, place, 8);
    add_number(&a->text, 1, 4);
  }
  ee_buffer_add(&a->text, "PK\5\6", 4);
  add_number(&a->text, 0, 4);
  add_number(&a->text, large ? UINT16_MAX : a->entries, 2);
  add_number(&a->text, large ? UINT16_MAX : a->entries, 2);
  add_number(&a->text, large ? UINT32_MAX : a->directory.length, 4);
  add_number(&a->text, large ? UINT32_MAX : offset, 4);
  add_number(&a->text, 0, 2);
}

static void free_archive(archive *a) {
  ee_buffer_fini(&a->text);
  ee_buffer_fini(&a->directory);
}

/* What is read of the archive in pieces of `piece` bytes, or the message. */
static ee_status read_archive(const archive *a, size_t piece, ee_buffer *out, ee_error *error) {
  write_file(names[0], a->text.data, a->text.length);
  int fd = open(names[0], O_RDONLY);
  ee_buffer_clear(out);
  ee_zip_archive *zip = ee_zip_archive_open(fd, a->text.length, "x.eval", "samples/", error);
  ee_status status = zip != NULL ? EE_OK : error->status;
  for (size_t got = 1; status == EE_OK && got > 0; out->length += got)
    status = ee_zip_archive_read(zip, ee_buffer_reserve(out, piece), piece, &got, error);
  ee_zip_archive_close(zip);
  close(fd);
  return status;
}

static const int methods[] = {
    0,
#ifdef EE_WITH_ZLIB
    8,
#endif
#ifdef EE_WITH_ZSTD
    93,
#endif
};
#define METHODS (sizeof methods / sizeof *methods)

static void test_reading(void **state) {
  (void)state;
  char long_text[300000];
  for (size_t i = 0; i < sizeof long_text; i++) long_text[i] = (char)('a' + i * i % 23);
  ee_buffer out = {0};
  ee_error error;
  for (size_t m = 0; m < METHODS; m++)
    for (int large = 0; large < 2; large++) {
      archive a = {.entries = 0};
      add_entry(&a, "header.json", methods[m], "{}", 2, large != 0);
      add_entry(&a, "samples/1_epoch_1.json", methods[m], "{\"id\":0}", 8, large != 0);
      add_entry(&a, "samples/2_epoch_1.json", methods[m], long_text, sizeof long_text, large != 0);
      add_entry(&a, "samples/x.txt", methods[m], "no", 2, large != 0);
      add_entry(&a, "samples/3.json", 0, "", 0, large != 0);
      add_entry(&a, "samples/1_epoch_1.json", methods[m], "{\"id\":1}", 8, large != 0);
      end_archive(&a, large != 0);
      for (size_t piece = 7; piece < 1000000; piece = piece * 31) {
        assert_int_equal(read_archive(&a, piece, &out, &error), EE_OK);
        assert_int_equal(out.length, 8 + 1 + sizeof long_text + 1 + 1);
        assert_memory_equal(out.data, "{\"id\":1}\n", 9);
        assert_memory_equal(out.data + 9, long_text, sizeof long_text);
        assert_memory_equal(out.data + 9 + sizeof long_text, "\n\n", 2);
      }
      free_archive(&a);
    }
  ee_buffer_fini(&out);
}

/* Through a byte source: the names of the entries, and how much of the file was taken. */
static void test_source(void **state) {
  (void)state;
  archive a = {.entries = 0};
  add_entry(&a, "samples/1_epoch_1.json", 0, "{\"id\":1}", 8, false);
  add_entry(&a, "samples/1_epoch_2.json", 0, "{\"id\":1}", 8, false);
  add_entry(&a, "other.json", 0, "{}", 2, false);
  end_archive(&a, false);
  write_file(names[0], a.text.data, a.text.length);
  ee_error error;
  ee_buffer text = {0};
  ee_byte_source *source = ee_byte_source_open(names[0], &error);
  ee_byte_source_entries(source, &text);
  assert_int_equal(text.length, 0);
  ee_byte_source_set_entries(source, "samples/");
  assert_int_equal(ee_byte_source_read_rest(source, 100, &text, &error), EE_OK);
  assert_string_equal(ee_buffer_terminate(&text), "{\"id\":1}\n{\"id\":1}\n");
  assert_false(ee_byte_source_is_plain(source));
  assert_int_equal(ee_byte_source_taken(source), 16);
  ee_buffer_clear(&text);
  ee_byte_source_entries(source, &text);
  assert_string_equal(ee_buffer_terminate(&text), "samples/1_epoch_1.json\nsamples/1_epoch_2.json\n");
  ee_byte_source_close(source);
  /* Not asked for, or not there: the bytes as they are, or the error. */
  ee_buffer_clear(&text);
  source = ee_byte_source_open(names[0], &error);
  assert_int_equal(ee_byte_source_read_rest(source, 10000, &text, &error), EE_OK);
  assert_int_equal(text.length, a.text.length);
  assert_true(ee_byte_source_is_plain(source));
  ee_byte_source_close(source);
  source = ee_byte_source_open(names[0], &error);
  ee_byte_source_set_entries(source, "none/");
  assert_int_equal(ee_byte_source_read_rest(source, 10000, &text, &error), EE_ERROR_DATA);
  assert_non_null(strstr(error.message, "has no entry 'none/*.json'"));
  ee_byte_source_close(source);
  /* Through a pipe, where it cannot be read from its end: the bytes as they are. */
  int ends[2];
  char name[32];
  assert_int_equal(pipe(ends), 0);
  assert_int_equal(write(ends[1], a.text.data, a.text.length), a.text.length);
  close(ends[1]);
  snprintf(name, sizeof name, "/dev/fd/%d", ends[0]);
  ee_buffer_clear(&text);
  source = ee_byte_source_open(name, &error);
  ee_byte_source_set_entries(source, "samples/");
  assert_int_equal(ee_byte_source_read_rest(source, 10000, &text, &error), EE_OK);
  assert_int_equal(text.length, a.text.length);
  assert_memory_equal(text.data, a.text.data, text.length);
  ee_byte_source_close(source);
  close(ends[0]);
  ee_buffer_fini(&text);
  free_archive(&a);
}

static void test_is_zip(void **state) {
  (void)state;
  assert_true(ee_is_zip((const unsigned char *)"PK\3\4", 4));
  assert_true(ee_is_zip((const unsigned char *)"PK\5\6x", 5));
  assert_false(ee_is_zip((const unsigned char *)"PK\3\4", 3));
  assert_false(ee_is_zip((const unsigned char *)"PK\1\2", 4));
  assert_false(ee_is_zip((const unsigned char *)"", 0));
}

static void expect_error(const archive *a, const char *message) {
  ee_buffer out = {0};
  ee_error error = {.status = EE_OK};
  assert_int_equal(read_archive(a, 100, &out, &error), EE_ERROR_DATA);
  assert_string_equal(error.message, message);
  ee_buffer_fini(&out);
}

static void test_damaged(void **state) {
  (void)state;
  archive a = {.entries = 0};
  add_entry(&a, "other/1.json", 0, "{}", 2, false);
  end_archive(&a, false);
  expect_error(&a, "the zip archive 'x.eval' has no entry 'samples/*.json'");
  a.text.length -= 10;
  expect_error(&a, "'x.eval' is a damaged zip archive: its directory is missing, so that it was cut short");
  free_archive(&a);
  archive b = {.entries = 0};
  add_entry(&b, "samples/1.json", 0, "{\"id\":1}", 8, false);
  end_archive(&b, false);
  size_t content = 30 + 14, directory = content + 8;
#ifdef EE_WITH_ZLIB
  b.text.data[content] ^= 1;
  expect_error(&b, "'x.eval' is a damaged zip archive: the checksum of an entry is wrong");
  b.text.data[content] ^= 1;
#endif
  b.text.data[directory + 8] |= 1;
  expect_error(&b, "the zip archive 'x.eval' is encrypted");
  b.text.data[directory + 8] &= ~1;
  b.text.data[directory + 10] = 14;
  expect_error(&b, "entry 'samples/1.json' of 'x.eval' is compressed by method 14, which this program does not have");
  b.text.data[directory + 10] = 0;
  b.text.data[directory + 24] = 9;
  expect_error(&b, "'x.eval' is a damaged zip archive: an entry has another length than it says");
  b.text.data[directory + 24] = 8;
  b.text.data[directory + 42] = 1;
  expect_error(&b, "'x.eval' is a damaged zip archive: an entry is not where its directory says");
  b.text.data[directory + 42] = (char)200;
  expect_error(&b, "'x.eval' is a damaged zip archive: it refers to bytes after its end");
  b.text.data[directory + 42] = 0;
  b.text.data[directory + 28] = (char)200;
  expect_error(&b, "'x.eval' is a damaged zip archive: an entry of its directory is cut");
  b.text.data[directory + 28] = 14;
  memset(b.text.data + directory + 24, 0xfe, 4);
  ee_buffer out = {0};
  ee_error error;
  assert_int_equal(read_archive(&b, 100, &out, &error), EE_ERROR_DATA);
  assert_non_null(strstr(error.message, "--max-unpacked"));
  ee_buffer_fini(&out);
  free_archive(&b);
}

/* An extra field that is shorter than the numbers that it should have. */
static void test_short_extra(void **state) {
  (void)state;
  archive a = {.entries = 0};
  add_entry(&a, "samples/1.json", 0, "{\"id\":1}", 8, true);
  end_archive(&a, false);
  ee_buffer out = {0};
  ee_error error;
  assert_int_equal(read_archive(&a, 100, &out, &error), EE_OK);
  assert_string_equal(ee_buffer_terminate(&out), "{\"id\":1}\n");
  size_t extra = a.text.length - 22 - 28;
  a.text.data[extra + 2] = 15; /* of 24 bytes: the first number, and a part of the second */
  assert_int_equal(read_archive(&a, 100, &out, &error), EE_ERROR_DATA);
  assert_non_null(strstr(error.message, "refers to bytes after its end"));
  ee_buffer_fini(&out);
  free_archive(&a);
}

/* Much more than the bound, but not more than compression usually makes of it. */
static void test_large_and_honest(void **state) {
  (void)state;
  ee_limits limits = *ee_limits_get();
  limits.unpacked = 100;
  ee_limits_set(&limits);
  archive a = {.entries = 0};
  char text[600];
  memset(text, ' ', sizeof text);
  memcpy(text, "{\"id\":1}", 8);
  add_entry(&a, "samples/1.json", 0, text, sizeof text, false);
  end_archive(&a, false);
  ee_buffer out = {0};
  ee_error error;
  assert_int_equal(read_archive(&a, 100, &out, &error), EE_OK);
  assert_int_equal(out.length, sizeof text + 1); /* with a newline */
  ee_limits_set(NULL);
  ee_buffer_fini(&out);
  free_archive(&a);
}

/* The directory of an archive of many entries or bytes: where it is, is in a record before its end. */
static void test_large_directory(void **state) {
  (void)state;
  ee_buffer out = {0};
  ee_error error;
  for (int field = 0; field < 3; field++) {
    archive a = {.entries = 0};
    add_entry(&a, "samples/1.json", 0, "{\"id\":1}", 8, false);
    end_archive(&a, true);
    /* Only one of the three numbers says so. */
    char *end = a.text.data + a.text.length - 22;
    uint64_t offset = a.text.length - 22 - 76 - a.directory.length;
    if (field != 0) memcpy(end + 10, "\1\0", 2);
    if (field != 1) memcpy(end + 12, (char[]){(char)a.directory.length, 0, 0, 0}, 4);
    if (field != 2) memcpy(end + 16, (char[]){(char)offset, 0, 0, 0}, 4);
    assert_int_equal(read_archive(&a, 100, &out, &error), EE_OK);
    assert_string_equal(ee_buffer_terminate(&out), "{\"id\":1}\n");
    end = a.text.data + a.text.length - 22;
    end[-76] = 'x';
    expect_error(&a, "'x.eval' is a damaged zip archive: its ZIP64 directory is missing");
    end[-76] = 'P';
    end[-20 + 15] = 1; /* of where it is */
    expect_error(&a, "'x.eval' is a damaged zip archive: it refers to bytes after its end");
    free_archive(&a);
  }
  /* Nothing is before the end; or no record is. */
  archive b = {.entries = UINT16_MAX};
  end_archive(&b, false);
  expect_error(&b, "the zip archive 'x.eval' has no entry 'samples/*.json'");
  free_archive(&b);
  archive c = {.entries = 0};
  add_entry(&c, "samples/1.json", 0, "{\"id\":1}", 8, false);
  c.entries = UINT16_MAX;
  end_archive(&c, false);
  assert_int_equal(read_archive(&c, 100, &out, &error), EE_OK);
  assert_string_equal(ee_buffer_terminate(&out), "{\"id\":1}\n");
  free_archive(&c);
  ee_buffer_fini(&out);
}

/* What the entries say to have together is not more than all numbers hold. */
static void test_huge_entries(void **state) {
  (void)state;
  archive a = {.entries = 0};
  for (int i = 0; i < 3; i++) {
    size_t before = a.directory.length;
    char name[] = "samples/0.json";
    name[8] = (char)('0' + i);
    add_entry(&a, name, 0, "{\"id\":1}", 8, true);
    memset(a.directory.data + before + 46 + strlen(name) + 4, 0xff, 8); /* its length */
  }
  end_archive(&a, false);
  ee_buffer out = {0};
  ee_error error;
  assert_int_equal(read_archive(&a, 100, &out, &error), EE_ERROR_DATA);
  assert_non_null(strstr(error.message, "--max-unpacked"));
  ee_buffer_fini(&out);
  free_archive(&a);
}

/* Bytes that were changed at random: whatever comes, nothing crashes, and what is said is of this file. */
static void test_mutations(void **state) {
  (void)state;
  test_random random = test_random_start("test_mutations", 3);
  ee_buffer out = {0};
  size_t failed = 0;
  for (int i = 0; i < 3000; i++) {
    archive a = {.entries = 0};
    bool large = test_random_below(&random, 2) != 0;
    char text[200];
    for (size_t k = 0; k < sizeof text; k++) text[k] = (char)('a' + test_random_below(&random, 4));
    for (size_t k = 0; k < METHODS; k++)
      add_entry(&a,
                k == 0   ? "samples/1.json"
                : k == 1 ? "samples/2.json"
                         : "samples/3.json",
                methods[k], text, sizeof text, large);
    end_archive(&a, large);
    for (size_t k = 0, count = 1 + test_random_below(&random, 4); k < count; k++)
      a.text.data[test_random_below(&random, a.text.length)] = (char)test_random_bits(&random);
    ee_error error;
    ee_status status = read_archive(&a, 50, &out, &error);
    assert_true(status == EE_OK || status == EE_ERROR_DATA);
    failed += status != EE_OK;
    if (status != EE_OK) assert_non_null(strstr(error.message, "x.eval"));
    free_archive(&a);
  }
  assert_in_range(failed, 500, 2999);
  ee_buffer_fini(&out);
}

EE_TEST_FILE(set_up, tear_down, cmocka_unit_test(test_reading), cmocka_unit_test(test_source),
             cmocka_unit_test(test_is_zip), cmocka_unit_test(test_large_directory), cmocka_unit_test(test_huge_entries),
             cmocka_unit_test(test_damaged), cmocka_unit_test(test_short_extra),
             cmocka_unit_test(test_large_and_honest), cmocka_unit_test(test_mutations));
