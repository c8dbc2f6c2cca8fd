/* test_file_bounds.c: what is ten times as large as its bound is refused with a message that names the option, and what
 * follows it is read: packed files, records, documents with the records in them, YAML, tables. */
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#ifdef EE_WITH_ZLIB
#include <zlib.h>
#endif
#ifdef EE_WITH_ZSTD
#include <zstd.h>
#endif

#include "base/limits.h"
#include "data/files/byte_source.h"
#include "data/files/case_file.h"
#include "data/files/dataset.h"
#include "data/temporary_files.h"
#include "support/random.h"

#define MIB ((size_t)1 << 20)

static int tear_down_bounds(void **state) {
  ee_limits_set(NULL);
  return tear_down(state);
}

/* Packed files --------------------------------------------------------------------------------- */

#if defined(EE_WITH_ZLIB) || defined(EE_WITH_ZSTD)
/* One more member with `text`; its size is not in it if `streamed` (.gz has it in any case). */
static void add_member(ee_buffer *packed, bool gzip, bool streamed, const char *text, size_t length) {
  (void)streamed; /* without Zstandard */
#ifdef EE_WITH_ZLIB
  if (gzip) {
    z_stream stream = {0};
    assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    size_t room = deflateBound(&stream, (uLong)length) + 64;
    stream.next_in = (unsigned char *)text;
    stream.avail_in = (unsigned)length;
    stream.next_out = (unsigned char *)ee_buffer_reserve(packed, room);
    stream.avail_out = (unsigned)room;
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    packed->length += room - stream.avail_out;
    deflateEnd(&stream);
  }
#endif
#ifdef EE_WITH_ZSTD
  if (!gzip) {
    ZSTD_CCtx *context = ZSTD_createCCtx();
    assert_false(ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, !streamed)));
    size_t room = ZSTD_compressBound(length);
    size_t made = ZSTD_compress2(context, ee_buffer_reserve(packed, room), room, text, length);
    assert_false(ZSTD_isError(made));
    packed->length += made;
    ZSTD_freeCCtx(context);
  }
#endif
}

/* Reads `file` to its end or error; returns how many bytes it gave. */
static size_t read_whole(const char *file, unsigned threads, ee_error *error) {
  *error = (ee_error){.status = EE_OK};
  ee_byte_source *source = ee_byte_source_open(file, error);
  assert_non_null(source);
  ee_byte_source_set_threads(source, threads);
  if (threads > 1) ee_byte_source_start(source);
  static char room[100000];
  size_t sum = 0, got = 1;
  while (got > 0 && ee_byte_source_read(source, room, sizeof room, &got, error) == EE_OK) sum += got;
  ee_byte_source_close(source);
  return sum;
}

/* `says`: what the file says that it unpacks to, with a comma. */
static void check_refused(const char *file, const char *says) {
  char wanted[500];
  snprintf(wanted, sizeof wanted,
           "'%s' unpacks to %smore than 1 MiB, and to more than 100 times its packed size (--max-unpacked)", file,
           says);
  for (unsigned threads = 0; threads < 3; threads++) {
    ee_error error;
    assert_int_equal(read_whole(file, threads, &error), 0);
    assert_int_equal(error.status, EE_ERROR_DATA);
    assert_string_equal(error.message, wanted);
  }
}

static void set_unpacked(uint64_t bytes) {
  ee_limits limits = *ee_limits_get();
  limits.unpacked = bytes;
  ee_limits_set(&limits);
}

static char *new_text(size_t length) {
  char *text = malloc(length);
  assert_non_null(text);
  for (size_t i = 0; i < length; i++) text[i] = "{\"id\":1}\n"[i % 9];
  return text;
}

static void check_packed(bool gzip) {
  char *text = new_text(10 * MIB);
  ee_buffer packed = {0};
  set_unpacked(MIB);
  for (int streamed = 0; streamed < 2; streamed++) {
    ee_buffer_clear(&packed);
    add_member(&packed, gzip, streamed, text, 10 * MIB);
    write_file(names[0], packed.data, packed.length);
    check_refused(names[0], "");
    ee_buffer_clear(&packed);
    for (int i = 0; i < 100; i++) add_member(&packed, gzip, streamed, text, MIB / 10);
    write_file(names[0], packed.data, packed.length);
    check_refused(names[0], "");
  }
  /* What a large file says of its size is believed, if its beginning is unusual, too. */
  ee_buffer_clear(&packed);
  for (int i = 0; i < 12; i++) add_member(&packed, gzip, false, text, 10 * MIB);
  write_file(names[0], packed.data, packed.length);
  ee_error error;
  set_unpacked(50 * MIB);
  (void)read_whole(names[0], 0, &error);
  assert_non_null(strstr(error.message, gzip ? "unpacks to 120 MiB, more than 50 MiB" : "unpacks to more than 50 MiB"));
  set_unpacked(MIB);
  ee_buffer_clear(&packed);
  for (int i = 0; i < 100; i++) add_member(&packed, gzip, true, text, MIB / 10);
  write_file(names[0], packed.data, packed.length);
  /* The bound may be lifted, and raised. */
  set_unpacked(0);
  assert_int_equal(read_whole(names[0], 2, &error), 100 * (MIB / 10));
  assert_int_equal(error.status, EE_OK);
  set_unpacked(10 * MIB);
  assert_int_equal(read_whole(names[0], 2, &error), 100 * (MIB / 10));
  assert_int_equal(error.status, EE_OK);
  /* What is cut short is said to be cut short, whatever its last bytes are. */
  set_unpacked(MIB);
  ee_buffer_clear(&packed);
  add_member(&packed, gzip, false, text, MIB / 2);
  write_file(names[0], packed.data, packed.length - 5);
  (void)read_whole(names[0], 0, &error);
  assert_non_null(strstr(error.message, "cut short"));
  /* Beyond the bound, but not unusual. */
  test_random random = test_random_start("packed", 91);
  for (size_t i = 0; i < 3 * MIB; i++) text[i] = (char)test_random_below(&random, 256);
  ee_buffer_clear(&packed);
  add_member(&packed, gzip, false, text, 3 * MIB);
  write_file(names[0], packed.data, packed.length);
  assert_int_equal(read_whole(names[0], 2, &error), 3 * MIB);
  assert_int_equal(error.status, EE_OK);
  /* A bomb after a usual beginning is found on the way, as soon as all together is unusual. */
  ee_buffer_clear(&packed);
  add_member(&packed, gzip, true, text, 100000);
  for (int i = 0; i < 200; i++) add_member(&packed, gzip, true, (memset(text, 'a', MIB), text), MIB);
  write_file(names[0], packed.data, packed.length);
  size_t given = read_whole(names[0], 0, &error);
  assert_non_null(strstr(error.message, "(--max-unpacked)"));
  assert_true(given >= MIB && given < 100 * MIB);
  ee_buffer_fini(&packed);
  free(text);
  ee_limits_set(NULL);
}
#endif

#ifdef EE_WITH_ZLIB
static void test_gzip(void **state) {
  (void)state;
  check_packed(true);
}

static void *write_pipe(void *user) {
  const ee_buffer *packed = user;
  FILE *file = fopen(names[1], "wb");
  if (file == NULL) return NULL;
  (void)!fwrite(packed->data, 1, packed->length, file);
  fclose(file);
  return NULL;
}

/* Of a pipe the end is not known: it is read up to the bound. */
static void test_pipe(void **state) {
  (void)state;
  char *text = new_text(10 * MIB);
  ee_buffer packed = {0};
  add_member(&packed, true, true, text, 10 * MIB);
  set_unpacked(MIB);
  unlink(names[1]);
  if (mkfifo(names[1], 0600) != 0) skip();
  /* The reader goes away before the writer is done. */
  void (*before)(int) = signal(SIGPIPE, SIG_IGN);
  for (unsigned threads = 0; threads < 3; threads += 2) {
    pthread_t writer;
    assert_int_equal(pthread_create(&writer, NULL, write_pipe, &packed), 0);
    ee_error error;
    size_t given = read_whole(names[1], threads, &error);
    pthread_join(writer, NULL);
    assert_non_null(strstr(error.message, "(--max-unpacked)"));
    assert_true(given > 0 && given <= MIB + 200000);
  }
  signal(SIGPIPE, before);
  ee_limits_set(NULL);
  ee_buffer_fini(&packed);
  free(text);
}
#endif

#ifdef EE_WITH_ZSTD
static void test_zstandard(void **state) {
  (void)state;
  check_packed(false);
}
#endif

/* Records and files ---------------------------------------------------------------------------- */

/* "! MESSAGE" for each error, else the length of each record, one a line. */
static const char *outline(const char *file, bool looks_inside) {
  static char out[3000];
  ee_error error = {0};
  ee_dataset *dataset = ee_dataset_open(&file, 1, &error);
  assert_non_null(dataset);
  if (looks_inside) ee_dataset_look_inside(dataset, NULL);
  ee_block block;
  ee_block_init(&block);
  size_t length = 0;
  out[0] = '\0';
  for (bool done = false;;) {
    assert_int_equal(ee_dataset_next(dataset, &block, &done, &error), EE_OK);
    if (done) break;
    size_t told = 0;
    for (size_t i = 0; i <= block.count; i++) {
      uint64_t end = i < block.count ? block.records[i].byte : UINT64_MAX;
      for (; told < block.errors.count && block.errors.items[told].offset <= end; told++)
        length += (size_t)snprintf(out + length, sizeof out - length, "! %s\n", block.errors.items[told].message);
      if (i < block.count)
        length += (size_t)snprintf(out + length, sizeof out - length, "%zu\n", block.records[i].length);
      assert_true(length < sizeof out);
    }
  }
  ee_block_fini(&block);
  ee_dataset_close(dataset);
  return out;
}

/* Writes `before`, `count` times `item` and `after`. */
static void write_long(const char *before, const char *item, size_t count, const char *after) {
  ee_buffer text = {0};
  ee_buffer_add_text(&text, before);
  for (size_t i = 0; i < count; i++) ee_buffer_add_text(&text, item);
  ee_buffer_add_text(&text, after);
  write_file(names[0], text.data, text.length);
  ee_buffer_fini(&text);
}

static void set_bounds(uint64_t record, uint64_t file) {
  ee_limits limits = *ee_limits_get();
  limits.record = record;
  limits.file = file;
  ee_limits_set(&limits);
}

static void test_records(void **state) {
  (void)state;
  static const char long_record[] = "! record longer than 1 KiB (--max-record)\n";
  char wanted[300];
  set_bounds(1024, 100000);
  /* Lines, and text that is not JSON. */
  write_long("{\"id\":1}\n{\"id\":\"", "a", 10240, "\"}\n{\"id\":2}\n");
  snprintf(wanted, sizeof wanted, "8\n%s8\n", long_record);
  assert_string_equal(outline(names[0], true), wanted);
  write_long("{\"id\":1}\n", "]", 10240, "\n{\"id\":2}\n");
  assert_string_equal(outline(names[0], true), wanted);
  /* An array; one long element; the rest of the file in a string that is not closed. */
  write_long("[{\"id\":1},{\"id\":\"", "a", 10240, "\"},{\"id\":2}]");
  assert_string_equal(outline(names[0], true), wanted);
  write_long("[{\"id\":1},", "[", 10240, "");
  assert_non_null(strstr(outline(names[0], true), long_record));
  /* Documents that span lines: the first may be the only one. */
  write_long("{\n\"id\":1}\n{\n\"id\":\"", "a", 10240, "\"}\n{\n\"id\":2}\n");
  snprintf(wanted, sizeof wanted, "9\n%s9\n", long_record);
  assert_string_equal(outline(names[0], true), wanted);
  write_long("{\n\"id\":\"", "a", 10240, "\"}\n{\n\"id\":2}\n");
  snprintf(wanted, sizeof wanted, "! record of 10250 bytes, longer than 1 KiB (--max-record)\n9\n");
  assert_string_equal(outline(names[0], true), wanted);
  write_long("{\n\"id\":1, \"expected\":\"", "a", 10240, "\"}\n");
  assert_string_equal(outline(names[0], true), "! record of 10264 bytes, longer than 1 KiB (--max-record)\n");
  assert_string_equal(outline(names[0], false), "! record of 10264 bytes, longer than 1 KiB (--max-record)\n");
  /* What follows it in the file is reported after it. */
  write_long("{\n\"id\":\"", "a", 10240, "\"}\n{\n\"id\":2,\n");
  assert_string_equal(outline(names[0], true), "! record of 10250 bytes, longer than 1 KiB (--max-record)\n"
                                               "! the file ends in the document that starts here\n");
  /* A table. */
  write_long("id,a\n1,2\n2,\"", "a", 10240, "\"\n3,4\n");
  assert_string_equal(outline(names[0], true),
                      "18\n! a cell is longer than 1 KiB (--max-record): perhaps its closing quote is missing\n18\n");
  write_long("id,a\n1,2\n2", ",aaaaaaaaa", 1024, "\n3,4\n");
  snprintf(wanted, sizeof wanted, "18\n%s18\n", long_record);
  assert_string_equal(outline(names[0], true), wanted);
  /* Without a bound. */
  set_bounds(0, 100000);
  write_long("{\"id\":1}\n{\"id\":\"", "a", 10240, "\"}\n{\"id\":2}\n");
  assert_string_equal(outline(names[0], true), "8\n10249\n8\n");
  ee_limits_set(NULL);
}

/* The records that could not be split off, of which at most EE_UNSPLIT_LISTED are listed. */
static uint64_t count_unsplit(const char *file) {
  ee_dataset *dataset = ee_dataset_open(&file, 1, NULL);
  assert_non_null(dataset);
  ee_dataset_look_inside(dataset, NULL);
  ee_block block;
  ee_block_init(&block);
  uint64_t count = 0, listed = 0;
  for (bool done = false; !done; count += block.unsplit, listed += block.errors.count)
    assert_int_equal(ee_dataset_next(dataset, &block, &done, NULL), EE_OK);
  assert_int_equal(listed, EE_UNSPLIT_LISTED);
  ee_block_fini(&block);
  ee_dataset_close(dataset);
  return count;
}

static void test_files(void **state) {
  (void)state;
  char wanted[500];
  set_bounds(1024, 4096);
  /* The records are in one document: it may be longer than a record, which may not. */
  write_long("{\n\"results\": [{\"id\":1,\"expected\":1}", ",{\"id\":1,\"expected\":1}", 100, "]}\n");
  const char *got = outline(names[0], true);
  assert_int_equal(strlen(got), 101 * strlen("21\n"));
  write_long("{\n\"results\": [{\"id\":1,\"expected\":1},{\"id\":2,\"expected\":\"", "a", 2048, "\"}]}\n");
  assert_string_equal(outline(names[0], true), "21\n! record of 2070 bytes, longer than 1 KiB (--max-record)\n");
  write_long("{\n\"results\": [{\"id\":1,\"expected\":1}", ",{\"id\":1,\"expected\":1}", 2000, "]}\n");
  assert_string_equal(outline(names[0], true), "! document longer than 4 KiB (--max-file)\n");
  /* More records that are too long than are listed. */
  set_bounds(20, 100000);
  write_long("{\n\"results\": [{\"id\":1,\"expected\":1}", ",{\"id\":1,\"expected\":1}", 1499, "]}\n");
  assert_int_equal(count_unsplit(names[0]), 1500);
  set_bounds(1024, 4096);
  /* YAML. */
  unlink(names[2]);
  char yaml[sizeof folder + 20];
  snprintf(yaml, sizeof yaml, "%s/2.yaml", folder);
  write_long("tests:\n", "- id: a\n", 5120, "");
  assert_int_equal(rename(names[0], yaml), 0);
  snprintf(wanted, sizeof wanted, "'%s' is read whole and longer than 4 KiB (--max-file)", yaml);
  ee_error error;
  assert_null(ee_case_file_open(yaml, NULL, &error));
  assert_string_equal(error.message, wanted);
  assert_int_equal(error.status, EE_ERROR_DATA);
  const char *dataset = outline(yaml, true);
  assert_memory_equal(dataset + 2, wanted, strlen(wanted));
  unlink(yaml);
  ee_limits_set(NULL);
}

/* Cells beyond the columns that a table may have are only counted. */
static void test_columns(void **state) {
  (void)state;
  /* A first line that is longer than what is looked at. */
  write_long("a", ",a", 10 * 16384 - 1, "\n1,2\n");
  assert_non_null(strstr(outline(names[0], true), "! neither JSON nor a table"));
  write_long("id,a\n1,2\n3", ",", 10 * 16384 - 1, "\n4,5\n");
  assert_string_equal(outline(names[0], true), "18\n! row has 163840 cells, the header has 2\n18\n");
  ee_buffer header = {0};
  for (int i = 0; i < 19999; i++) ee_buffer_add_char(&header, ',');
  ee_buffer_add_char(&header, '\n');
  write_long("", ee_buffer_terminate(&header), 2, "");
  assert_string_equal(outline(names[0], true), "! table of 20000 columns, at most 16384 can be read\n");
  ee_buffer_fini(&header);
}

static const struct CMUnitTest tests[] = {
#ifdef EE_WITH_ZLIB
    cmocka_unit_test(test_gzip),      cmocka_unit_test(test_pipe),
#endif
#ifdef EE_WITH_ZSTD
    cmocka_unit_test(test_zstandard),
#endif
    cmocka_unit_test(test_records),   cmocka_unit_test(test_files), cmocka_unit_test(test_columns),
};
EE_TEST_ARRAY(set_up, tear_down_bounds, tests);
