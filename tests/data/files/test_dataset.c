/* test_dataset.c: files of every kind to blocks of records, in pieces of every size. */
#include "data/files/dataset.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#ifdef EE_WITH_ZLIB
#include <zlib.h>
#endif

#include "data/files/record.h"
#include "data/foreign/foreign.h"
#include "data/random_document.h"
#include "data/temporary_files.h"

/* What could not be split off before the byte `end`: "! line:column message" lines, and the number of untold ones,
 * which is added up over blocks. */
static void print_unsplit(ee_buffer *out, const ee_block *block, uint64_t end, size_t *error, uint64_t *unsplit) {
  for (; *error < block->errors.count && block->errors.items[*error].offset <= end; ++*error) {
    const ee_error *e = &block->errors.items[*error];
    assert_string_equal(e->file, block->file);
    ee_buffer_addf(out, "%c %zu:%zu %s\n", e->status == EE_OK ? '?' : '!', e->line, e->column, e->message);
    *unsplit += e->status != EE_OK;
  }
}

static void print_untold(ee_buffer *out, uint64_t *unlisted) {
  if (*unlisted > 0) ee_buffer_addf(out, "+%llu\n", (unsigned long long)*unlisted);
  *unlisted = 0;
}

/* All blocks of `count` files as text, in the order of the bytes: "line:column:byte record" and "! line:column message"
 * lines, "+n" for errors that are only counted, "?" for their sum; files in brackets. */
static char *read_all(const char *const *files, size_t count, size_t block_size, size_t record_limit, size_t *blocks) {
  ee_error error = {0};
  ee_dataset *dataset = ee_dataset_open(files, count, &error);
  if (dataset == NULL) print_error("%s\n", error.message);
  assert_non_null(dataset);
  if (block_size > 0) ee_dataset_set_sizes(dataset, block_size, record_limit);
  ee_buffer out = {0};
  ee_block block;
  ee_block_init(&block);
  const char *file = NULL;
  uint64_t ticket = 0, unlisted = 0;
  for (bool done = false;;) {
    assert_int_equal(ee_dataset_next(dataset, &block, &done, &error), EE_OK);
    if (done) break;
    assert_int_equal(block.ticket, ticket++);
    assert_true(block.count > 0 || block.errors.count > 0 || block.unsplit > 0);
    if (file == NULL || strcmp(file, block.file) != 0) {
      print_untold(&out, &unlisted);
      file = block.file;
      for (size_t i = 0; i < count; i++)
        if (strcmp(file, files[i]) == 0) ee_buffer_addf(&out, "[%zu]\n", i);
    }
    size_t told = 0;
    uint64_t unsplit = 0;
    for (size_t i = 0; i < block.count; i++) {
      const ee_record_span *r = &block.records[i];
      print_unsplit(&out, &block, r->byte, &told, &unsplit);
      unsplit += r->unlisted;
      unlisted += r->unlisted;
      print_untold(&out, &unlisted);
      assert_true(r->offset + r->length <= block.text.length);
      ee_buffer_addf(&out, "%llu:%llu:%llu %.*s\n", (unsigned long long)r->line, (unsigned long long)r->column,
                     (unsigned long long)r->byte, (int)r->length, block.text.data + r->offset);
    }
    print_unsplit(&out, &block, UINT64_MAX - 1, &told, &unsplit);
    unlisted += block.unlisted;
    unsplit += block.unlisted;
    if (told < block.errors.count) print_untold(&out, &unlisted);
    print_unsplit(&out, &block, UINT64_MAX, &told, &unsplit);
    assert_int_equal(told, block.errors.count);
    assert_true(unsplit == block.unsplit);
  }
  /* The end stays the end. */
  bool done = false;
  assert_int_equal(ee_dataset_next(dataset, &block, &done, &error), EE_OK);
  assert_true(done && block.count == 0 && block.errors.count == 0);
  if (blocks != NULL) *blocks = (size_t)ticket;
  ee_block_fini(&block);
  ee_dataset_close(dataset);
  char *text = strdup(ee_buffer_terminate(&out));
  ee_buffer_fini(&out);
  return text;
}

#define LIMIT ((size_t)1 << 30)

/* Reads `text` as one file in one piece and in pieces of 1 to 40 bytes: the outcome must not change. */
static void check(const char *text, size_t length, const char *wanted) {
  write_file(names[0], text, length);
  const char *files[] = {names[0]};
  for (size_t piece = 0; piece <= 40; piece++) {
    char *got = read_all(files, 1, piece, LIMIT, NULL);
    const char *body = strncmp(got, "[0]\n", 4) == 0 ? got + 4 : got;
    if (strcmp(body, wanted) != 0) print_error("pieces of %zu of %s\n", piece, text);
    assert_string_equal(body, wanted);
    free(got);
  }
}
#define CHECK(text, wanted) check(text, sizeof(text) - 1, wanted)

static void test_lines(void **state) {
  (void)state;
  CHECK("{\"a\":1}\n{\"b\":2}\n", "1:1:0 {\"a\":1}\n2:1:8 {\"b\":2}\n");
  CHECK("{\"a\":1}\n{\"b\":2}", "1:1:0 {\"a\":1}\n2:1:8 {\"b\":2}\n");
  CHECK("{}\r\n{}\r\n", "1:1:0 {}\n2:1:4 {}\n");
  CHECK("\n\n{}\n \t \r\n\n{}\n\n", "3:1:2 {}\n6:1:11 {}\n");
  CHECK("  {}\nx", "1:3:2 {}\n2:1:5 x\n");
  CHECK("\xef\xbb\xbf  {}\n {}", "1:3:5 {}\n2:1:8  {}\n");
  CHECK("\xef\xbb\xbf{}\n{}\n", "1:1:3 {}\n2:1:6 {}\n");
  CHECK("\xef\xbb\xbf\n {}\n", "2:2:5 {}\n");
  CHECK("{}\n\xef\xbb\xbf{}\n", "1:1:0 {}\n2:1:3 \xef\xbb\xbf{}\n");
  CHECK("{\"a\":\"\\n\"}\n[1]\n", "1:1:0 {\"a\":\"\\n\"}\n2:1:11 [1]\n");
  CHECK("no JSON\n{}", "1:1:0 no JSON\n2:1:8 {}\n");
  CHECK("{}", "1:1:0 {}\n");
  CHECK("{}\r", "1:1:0 {}\n");
  CHECK("", "");
  CHECK("\xef\xbb\xbf", "");
  CHECK("\n \n\t", "");
  CHECK("\xef\xbb",
        "! 0:0 neither JSON nor a table (CSV, TSV) with two columns and a row under its header: the file begins with '?"
        "?'\n");
}

static void test_arrays(void **state) {
  (void)state;
  CHECK("[]", "");
  CHECK("[{\"a\":1},{\"b\":2}]", "1:2:1 {\"a\":1}\n1:10:9 {\"b\":2}\n");
  CHECK("\n[\n  {\"a\":\n 1},\n\n  {} , [1,[2]]\n]\n", "3:3:5 {\"a\":\n 1}\n6:3:19 {}\n6:8:24 [1,[2]]\n");
  CHECK("\xef\xbb\xbf[{}]", "1:2:4 {}\n");
  CHECK("[1,\"a,]\\\"[\",true , null]", "1:2:1 1\n1:4:3 \"a,]\\\"[\"\n1:13:12 true\n1:20:19 null\n");
  CHECK("[{\"a\":\"]}\\\\\"},{\"b\":\"\\\"},{\"}]", "1:2:1 {\"a\":\"]}\\\\\"}\n1:15:14 {\"b\":\"\\\"},{\"}\n");
  CHECK("[[[]],[{}]] \r\n\t", "1:2:1 [[]]\n1:7:6 [{}]\n");
}

static void test_broken_arrays(void **state) {
  (void)state;
  CHECK("[", "! 1:2 array is not closed: expected ']' before the end of the file\n");
  CHECK("[{}\n", "1:2:1 {}\n! 2:1 array is not closed: expected ']' before the end of the file\n");
  CHECK("[{},", "1:2:1 {}\n! 1:5 array is not closed: expected ']' before the end of the file\n");
  CHECK("[{},\n{\"a\":1", "1:2:1 {}\n! 2:0 array is not closed: the file ends in the element that starts here\n");
  CHECK("[\n\"a", "! 2:0 array is not closed: the file ends in the element that starts here\n");
  CHECK("[1", "! 1:0 array is not closed: the file ends in the element that starts here\n");
  CHECK("[{}]\n]", "1:2:1 {}\n! 2:1 text after the array\n");
  CHECK("[{}]\n[{}]\n[{}]", "1:2:1 {}\n! 2:1 text after the array\n");
  CHECK("[]x", "! 1:3 text after the array\n");
  /* A bracket or quote that is missing costs its record and not the others. */
  CHECK("[{\"a\":[1},{\"b\":2}]", "1:2:1 {\"a\":[1}\n1:11:10 {\"b\":2}\n");
  CHECK("[{\"a\":{\"b\":[[},\"c\"}]", "1:2:1 {\"a\":{\"b\":[[},\"c\"}\n");
  CHECK("[{\"a\":\"x\n},\n{\"b\":2}]", "1:2:1 {\"a\":\"x\n}\n3:1:12 {\"b\":2}\n");
  CHECK("[\"a\n,{\"b\":2}]", "1:2:1 \"a\n\n2:2:5 {\"b\":2}\n");
}

static void test_commas(void **state) {
  (void)state;
  CHECK("[{}\n{}]", "1:2:1 {}\n! 2:1 expected ',' or ']'\n2:1:4 {}\n");
  CHECK("[{},]", "1:2:1 {}\n! 1:5 expected a value after ','\n");
  CHECK("[,{}]", "! 1:2 expected a value before ','\n1:3:2 {}\n");
  CHECK("[{},,{}]", "1:2:1 {}\n! 1:5 expected a value before ','\n1:6:5 {}\n");
  CHECK("[1 2\n3]", "1:2:1 1\n! 1:4 expected ',' or ']'\n1:4:3 2\n! 2:1 expected ',' or ']'\n2:1:5 3\n");
  CHECK("[\"a\"\"b\"]", "1:2:1 \"a\"\n! 1:5 expected ',' or ']'\n1:5:4 \"b\"\n");
  CHECK("[}]", "1:2:1 }\n");
}

/* Errors of a file that is no data: the first ones are told, all are counted, in their places. */
static void test_very_many_errors(void **state) {
  (void)state;
  ee_buffer text = {0}, wanted = {0};
  ee_buffer_add_text(&text, "[1,");
  ee_buffer_add_text(&wanted, "[0]\n1:2:1 1\n");
  for (size_t i = 0; i < EE_UNSPLIT_LISTED; i++) {
    ee_buffer_addf(&wanted, "! 1:%zu expected a value before ','\n", text.length + 1);
    ee_buffer_add_char(&text, ',');
  }
  for (size_t i = 0; i < 500000; i++) ee_buffer_add_char(&text, ',');
  ee_buffer_addf(&wanted, "+500000\n1:%zu:%zu 2\n", text.length + 1, text.length);
  ee_buffer_add_text(&text, "2,,,3,4 ");
  ee_buffer_addf(&wanted, "+2\n1:%zu:%zu 3\n1:%zu:%zu 4\n", text.length - 3, text.length - 4, text.length - 1,
                 text.length - 2);
  ee_buffer_add_char(&text, '}'); /* no comma, and no end */
  ee_buffer_add_text(&wanted, "+2\n? 1:0 500004 more records could not be split off\n");
  write_file(names[0], text.data, text.length);
  write_file(names[1], "[,]", 3); /* the next file's errors are listed again */
  ee_buffer_add_text(&wanted, "[1]\n! 1:2 expected a value before ','\n! 1:3 expected a value after ','\n");
  const char *files[] = {names[0], names[1]};
  static const size_t pieces[] = {0, 997, 65536, 1000000};
  for (size_t i = 0; i < 4; i++) {
    char *got = read_all(files, 2, pieces[i], LIMIT, NULL);
    assert_string_equal(got, ee_buffer_terminate(&wanted));
    free(got);
  }
  /* What is told is bounded, and what is counted costs next to nothing. */
  ee_dataset *dataset = ee_dataset_open(files, 1, NULL);
  ee_block block;
  ee_block_init(&block);
  uint64_t unsplit = 0;
  for (bool done = false; !done; unsplit += block.unsplit) {
    assert_int_equal(ee_dataset_next(dataset, &block, &done, NULL), EE_OK);
    assert_true(block.errors.capacity <= 2 * EE_UNSPLIT_LISTED && block.capacity <= 64);
  }
  assert_true(unsplit == 501004);
  ee_block_fini(&block);
  ee_dataset_close(dataset);
  ee_buffer_fini(&text);
  ee_buffer_fini(&wanted);
}

/* Random records as lines and as an array, in pieces, give the records that went in. */
static void test_random_files(void **state) {
  (void)state;
  test_random random = test_random_start("files", 61);
  ee_buffer text = {0}, wanted = {0}, record = {0};
  for (int round = 0; round < 150; round++) {
    bool array = round % 2 == 0;
    ee_buffer_clear(&text);
    ee_buffer_clear(&wanted);
    if (array) ee_buffer_add_char(&text, '[');
    size_t count = 1 + test_random_below(&random, 20), line = 1, line_start = 0;
    ee_buffer_add_text(&wanted, "[0]\n");
    for (size_t i = 0; i < count; i++) {
      ee_buffer_clear(&record);
      ee_buffer_add_text(&record, "{\"x\":");
      random_document(&random, &record, 8, 3, true);
      ee_buffer_add_char(&record, '}');
      if (!array)
        for (size_t k = 0; k < record.length; k++)
          if (record.data[k] == '\n' || record.data[k] == '\r') record.data[k] = ' ';
      if (i > 0) ee_buffer_add_char(&text, array ? ',' : '\n');
      for (size_t k = 0; k < text.length; k++)
        if (text.data[k] == '\n' && k >= line_start) line++, line_start = k + 1;
      ee_buffer_addf(&wanted, "%zu:%zu:%zu ", line, text.length - line_start + 1, text.length);
      ee_buffer_add(&wanted, record.data, record.length);
      ee_buffer_add_char(&wanted, '\n');
      ee_buffer_add(&text, record.data, record.length);
      for (size_t k = 0; k < text.length; k++)
        if (text.data[k] == '\n' && k >= line_start) line++, line_start = k + 1;
    }
    if (array) ee_buffer_add_char(&text, ']');
    write_file(names[0], text.data, text.length);
    const char *files[] = {names[0]};
    for (int i = 0; i < 6; i++) {
      char *got = read_all(files, 1, 1 + test_random_below(&random, 200), LIMIT, NULL);
      assert_string_equal(got, ee_buffer_terminate(&wanted));
      free(got);
    }
  }
  ee_buffer_fini(&text);
  ee_buffer_fini(&wanted);
  ee_buffer_fini(&record);
}

/* Any bytes end in an end, with every record inside its block, and the outcome does not depend on the pieces. */
static void test_random_bytes(void **state) {
  (void)state;
  test_random random = test_random_start("bytes", 62);
  static const char bytes[] = "[[[]]{}{},,\"\"\\\n\n\r ax1\xef\xbb\xbf";
  char text[60];
  for (int i = 0; i < 3000; i++) {
    size_t length = test_random_below(&random, sizeof text);
    for (size_t k = 0; k < length; k++) text[k] = bytes[test_random_below(&random, sizeof bytes - 1)];
    if (length > 0 && i % 2 == 0) text[0] = '[';
    write_file(names[0], text, length);
    const char *files[] = {names[0]};
    size_t limit = 1 + test_random_below(&random, 30);
    char *whole = read_all(files, 1, sizeof text, limit, NULL);
    char *pieces = read_all(files, 1, 1 + test_random_below(&random, 30), limit, NULL);
    assert_string_equal(pieces, whole);
    free(whole);
    free(pieces);
  }
}

static void test_long_records(void **state) {
  (void)state;
  const char *files[] = {names[0]};
  static const char lines[] = "{\"a\":1}\n{\"long\":1234567890}\n{}\n                           \n{\"b\":22222}";
  static const char array[] = "[{\"a\":1},\n{\"long\":1234567890},{},\n{\"b\":22222}]";
  for (size_t piece = 1; piece < 80; piece++) {
    write_file(names[0], lines, sizeof lines - 1);
    char *got = read_all(files, 1, piece, 12, NULL);
    assert_non_null(strstr(got, "1:1:0 {\"a\":1}\n"));
    assert_non_null(strstr(got, "! 2:0 record longer than 12 bytes (--max-record)\n"));
    assert_non_null(strstr(got, "3:1:28 {}\n"));
    assert_non_null(strstr(got, "5:1:59 {\"b\":22222}\n"));
    assert_null(strstr(got, "long\":"));
    free(got);
    write_file(names[0], array, sizeof array - 1);
    got = read_all(files, 1, piece, 12, NULL);
    assert_string_equal(strstr(got, "! 2:0") != NULL ? "seen" : got, "seen");
    assert_non_null(strstr(got, "1:2:1 {\"a\":1}\n"));
    assert_non_null(strstr(got, "2:21:30 {}\n"));
    assert_non_null(strstr(got, "3:1:34 {\"b\":22222}\n"));
    assert_null(strstr(got, "long\":"));
    free(got);
  }
}

static void test_many_files(void **state) {
  (void)state;
  write_file(names[0], "{}\n1", 4);
  write_file(names[1], "", 0);
  write_file(names[2], "[3]", 3);
  write_file(names[3], "4\n", 2);
  const char *files[] = {names[0], names[1], names[2], names[3]};
  size_t blocks;
  char *got = read_all(files, 4, 0, 0, &blocks);
  assert_string_equal(got, "[0]\n1:1:0 {}\n2:1:3 1\n[2]\n1:2:1 3\n[3]\n1:1:0 4\n");
  assert_int_equal(blocks, 3);
  free(got);
}

/* Blocks are about as large as promised, whatever the length of the lines. */
static void test_block_sizes(void **state) {
  (void)state;
  ee_buffer text = {0};
  size_t records = 0;
  for (size_t length = 1; text.length < 3u * 1024 * 1024; length = length * 7 % 99991, records++) {
    ee_buffer_add_char(&text, '"');
    for (size_t i = 0; i < length; i++) ee_buffer_add_char(&text, 'x');
    ee_buffer_add_text(&text, "\"\n");
  }
  write_file(names[0], text.data, text.length);
  const char *files[] = {names[0]};
  ee_error error;
  ee_dataset *dataset = ee_dataset_open(files, 1, &error);
  uint64_t taken, total;
  ee_dataset_progress(dataset, &taken, &total);
  assert_int_equal(total, text.length);
  ee_block block;
  ee_block_init(&block);
  size_t seen = 0, bytes = 0, blocks = 0;
  uint64_t before = 0;
  for (bool done = false; !done; blocks++) {
    assert_int_equal(ee_dataset_next(dataset, &block, &done, &error), EE_OK);
    for (size_t i = 0; i < block.count; i++) {
      const ee_record_span *r = &block.records[i];
      assert_memory_equal(block.text.data + r->offset, text.data + bytes, r->length);
      assert_int_equal(r->byte, bytes);
      bytes += r->length + 1;
    }
    seen += block.count;
    assert_true(block.text.length < 1024 * 1024);
    ee_dataset_progress(dataset, &taken, &total);
    assert_true(taken >= before && taken <= total);
    before = taken;
  }
  assert_int_equal(seen, records);
  assert_int_equal(bytes, text.length);
  assert_int_equal(taken, total);
  assert_true(blocks >= 9 && blocks <= 14);
  ee_block_fini(&block);
  ee_dataset_close(dataset);
  ee_buffer_fini(&text);
}

static void check_not_opened(const char *const *files, size_t count, const char *wanted) {
  ee_error error = {0};
  assert_null(ee_dataset_open(files, count, &error));
  assert_string_equal(error.message, wanted);
  assert_int_equal(error.status, EE_ERROR_SYSTEM);
  assert_null(ee_dataset_open(files, count, NULL));
}

static void test_no_files(void **state) {
  (void)state;
  ee_dataset *nothing = ee_dataset_open(NULL, 0, NULL);
  assert_non_null(nothing);
  const ee_foreign_use use = {.format = &ee_foreign_inspect, .one_file = true};
  ee_dataset_look_inside(nothing, &(ee_record_paths){.from = &use});
  ee_block block;
  ee_block_init(&block);
  bool ended = false;
  assert_int_equal(ee_dataset_next(nothing, &block, &ended, NULL), EE_OK);
  assert_true(ended && block.count == 0);
  ee_block_fini(&block);
  ee_dataset_close(nothing);
}

static void test_not_opened(void **state) {
  (void)state;
  write_file(names[0], "{}", 2);
  char message[400];
  check_not_opened((const char *const[]){"missing.jsonl"}, 1, "cannot open 'missing.jsonl': No such file or directory");
  check_not_opened((const char *const[]){names[0], "missing.jsonl"}, 2,
                   "cannot open 'missing.jsonl': No such file or directory");
  char empty[300];
  snprintf(empty, sizeof empty, "%s/empty", folder);
  assert_int_equal(mkdir(empty, 0700), 0);
  snprintf(message, sizeof message, "no data files (*.json, *.jsonl, *.csv, *.tsv) in '%s'", empty);
  check_not_opened((const char *const[]){empty}, 1, message);
  /* With another file in it. */
  char other[320], longer[600];
  snprintf(other, sizeof other, "%s/boxes.txt", empty);
  write_file(other, "person 1 2 3 4\n", 15);
  snprintf(longer, sizeof longer, "%s, but 1 other file, for example 'boxes.txt'", message);
  check_not_opened((const char *const[]){empty}, 1, longer);
  unlink(other);
  rmdir(empty);
  check_not_opened((const char *const[]){"-", names[0], "-"}, 3, "standard input '-' is given twice");
  /* A file that goes away after it was checked. */
  write_file(names[1], "{}", 2);
  ee_error error = {0};
  ee_dataset *dataset = ee_dataset_open((const char *const[]){names[0], names[1]}, 2, &error);
  assert_non_null(dataset);
  unlink(names[1]);
  ee_block block;
  ee_block_init(&block);
  bool done = false;
  assert_int_equal(ee_dataset_next(dataset, &block, &done, &error), EE_OK);
  assert_int_equal(ee_dataset_next(dataset, &block, &done, &error), EE_ERROR_SYSTEM);
  snprintf(message, sizeof message, "cannot open '%s': No such file or directory", names[1]);
  assert_string_equal(error.message, message);
  assert_int_equal(ee_dataset_next(dataset, &block, &done, &error), EE_OK);
  assert_true(done);
  ee_block_fini(&block);
  ee_dataset_close(dataset);
}

static void test_standard_input(void **state) {
  (void)state;
  int ends[2], before = dup(STDIN_FILENO);
  assert_int_equal(pipe(ends), 0);
  assert_int_equal(write(ends[1], "{}\n[", 4), 4);
  close(ends[1]);
  dup2(ends[0], STDIN_FILENO);
  close(ends[0]);
  write_file(names[0], "{\"a\":1}", 7);
  const char *files[] = {names[0], "-"};
  ee_dataset *dataset = ee_dataset_open(files, 2, NULL);
  assert_non_null(dataset);
  uint64_t taken, total;
  ee_dataset_progress(dataset, &taken, &total);
  assert_int_equal(total, 0); /* unknown */
  ee_dataset_close(dataset);
  char *got = read_all(files, 2, 0, 0, NULL);
  assert_string_equal(got, "[0]\n1:1:0 {\"a\":1}\n[1]\n1:1:0 {}\n2:1:3 [\n");
  free(got);
  dup2(before, STDIN_FILENO);
  close(before);
}

/* "{}\n" is packed here by other means, so that a program without .gz support is tested too. */
static void test_small_packed(void **state) {
  (void)state;
  static const unsigned char packed[] = {0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xab, 0xae,
                                         0xe5, 0x02, 0x00, 0x06, 0xb0, 0xa1, 0xdd, 0x03, 0x00, 0x00, 0x00};
  write_file(names[0], packed, sizeof packed);
  const char *files[] = {names[0]};
#ifdef EE_WITH_ZLIB
  char *got = read_all(files, 1, 0, 0, NULL);
  assert_string_equal(got, "[0]\n1:1:0 {}\n");
  free(got);
#else
  ee_error error = {0};
  ee_dataset *dataset = ee_dataset_open(files, 1, &error);
  assert_non_null(dataset);
  ee_block block;
  ee_block_init(&block);
  bool done = false;
  assert_int_equal(ee_dataset_next(dataset, &block, &done, &error), EE_ERROR_SYSTEM);
  char message[400];
  snprintf(message, sizeof message, "cannot decompress '%s': this program was built without .gz support", names[0]);
  assert_string_equal(error.message, message);
  ee_block_fini(&block);
  ee_dataset_close(dataset);
#endif
}

#ifdef EE_WITH_ZLIB
/* A member of a .gz file, appended to `out`. */
static void pack(ee_buffer *out, const char *text, size_t length) {
  z_stream stream = {0};
  assert_int_equal(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  size_t room = deflateBound(&stream, (uLong)length) + 64;
  stream.next_in = (unsigned char *)(uintptr_t)text;
  stream.avail_in = (unsigned)length;
  stream.next_out = (unsigned char *)ee_buffer_reserve(out, room);
  stream.avail_out = (unsigned)room;
  assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out->length += room - stream.avail_out;
  deflateEnd(&stream);
}

static void test_packed(void **state) {
  (void)state;
  const char *files[] = {names[0]};
  ee_buffer packed = {0}, text = {0}, wanted = {0};
  ee_buffer_add_text(&wanted, "[0]\n");
  for (size_t i = 0; i < 30000; i++) {
    ee_buffer_addf(&wanted, "%zu:1:%zu {\"n\":%zu}\n", i + 1, text.length, i);
    ee_buffer_addf(&text, "{\"n\":%zu}\n", i);
  }
  /* One member, three, and padding behind them. */
  pack(&packed, text.data, text.length);
  for (int variant = 0; variant < 3; variant++) {
    write_file(names[0], packed.data, packed.length);
    char *got = read_all(files, 1, 0, 0, NULL);
    assert_string_equal(got, ee_buffer_terminate(&wanted));
    free(got);
    got = read_all(files, 1, 1000, LIMIT, NULL);
    assert_string_equal(got, ee_buffer_terminate(&wanted));
    free(got);
    ee_buffer_clear(&packed);
    pack(&packed, text.data, 1001);
    pack(&packed, text.data + 1001, 0);
    pack(&packed, text.data + 1001, text.length - 1001);
    if (variant == 1) ee_buffer_add(&packed, "\0\0\0\0", 4);
  }
  /* An array, a byte order mark, nothing at all. */
  ee_buffer_clear(&packed);
  pack(&packed, "\xef\xbb\xbf[1,2]", 8);
  write_file(names[0], packed.data, packed.length);
  char *got = read_all(files, 1, 0, 0, NULL);
  assert_string_equal(got, "[0]\n1:2:4 1\n1:4:6 2\n");
  free(got);
  ee_buffer_clear(&packed);
  pack(&packed, "", 0);
  write_file(names[0], packed.data, packed.length);
  got = read_all(files, 1, 0, 0, NULL);
  assert_string_equal(got, "");
  free(got);
  ee_buffer_fini(&packed);
  ee_buffer_fini(&text);
  ee_buffer_fini(&wanted);
}

static void test_damaged_packed(void **state) {
  (void)state;
  const char *files[] = {names[0]};
  ee_buffer packed = {0};
  static const char text[] = "{\"a\":1}\n{\"b\":2}\n{\"c\":\"some more text that is packed\"}\n";
  pack(&packed, text, sizeof text - 1);
  char cut_short[400], damaged[400], behind[400];
  snprintf(cut_short, sizeof cut_short, "compressed data in '%s' is cut short\n", names[0]);
  snprintf(damaged, sizeof damaged, "compressed data in '%s' is damaged\n", names[0]);
  snprintf(behind, sizeof behind, "other data after the compressed data in '%s'\n", names[0]);
  for (size_t length = 2; length < packed.length; length++) {
    write_file(names[0], packed.data, length);
    char *got = read_all(files, 1, 0, 0, NULL);
    assert_non_null(strstr(got, cut_short));
    free(got);
  }
  for (size_t at = 2; at < packed.length; at++) {
    ee_buffer copy = {0};
    ee_buffer_add(&copy, packed.data, packed.length);
    copy.data[at] = (char)(copy.data[at] ^ 0x55);
    write_file(names[0], copy.data, copy.length);
    char *got = read_all(files, 1, 0, 0, NULL);
    /* The header's time and system are nobody's business; all else is covered by checks. */
    /* A first byte may come out as another one, so that the file is refused for its beginning. */
    if (at >= 10 && strstr(got, "this is Python's text") == NULL)
      assert_true(strstr(got, damaged) != NULL || strstr(got, cut_short) != NULL || strstr(got, behind) != NULL);
    free(got);
    ee_buffer_fini(&copy);
  }
  ee_buffer_add_text(&packed, "{}\n");
  write_file(names[0], packed.data, packed.length);
  char *got = read_all(files, 1, 0, 0, NULL);
  assert_non_null(strstr(got, "1:1:0 {\"a\":1}\n2:1:8 {\"b\":2}\n"));
  assert_non_null(strstr(got, behind));
  free(got);
  /* The rows of a table that precede the damage. */
  static const char table[] = "a,b\n1,2\n3,4\n";
  ee_buffer_clear(&packed);
  pack(&packed, table, sizeof table - 1);
  write_file(names[0], packed.data, packed.length - 4);
  got = read_all(files, 1, 0, 0, NULL);
  char rows[800];
  snprintf(rows, sizeof rows, "[0]\n2:1:4 {\"a\":\"1\",\"b\":\"2\"}\n3:1:8 {\"a\":\"3\",\"b\":\"4\"}\n! 4:0 %s",
           cut_short);
  assert_string_equal(got, rows);
  free(got);
  /* Prose, of which one line says what it is; and sentences, of which those before the damage are read. */
  static const char prose[] = "Answers of the model\nare in other files.\n";
  ee_buffer_clear(&packed);
  pack(&packed, prose, sizeof prose - 1);
  write_file(names[0], packed.data, packed.length - 4);
  got = read_all(files, 1, 0, 0, NULL);
  snprintf(
      rows, sizeof rows,
      "[0]\n! 0:0 neither JSON nor a table (CSV, TSV) with two columns and a row under its header: the file begins "
      "with 'Answers of the model', and has 1 more line\n! 0:0 %s",
      cut_short);
  assert_string_equal(got, rows);
  free(got);
  static const char sentences[] = "a X O O\n\nb X O O\nc X O O\n";
  ee_buffer_clear(&packed);
  pack(&packed, sentences, sizeof sentences - 1);
  write_file(names[0], packed.data, packed.length - 4);
  const ee_foreign_use use = {.format = &ee_foreign_conll, .one_file = true};
  ee_dataset *dataset = ee_dataset_open(files, 1, NULL);
  ee_dataset_look_inside(dataset, &(ee_record_paths){.from = &use});
  ee_block block;
  ee_block_init(&block);
  bool done = false;
  assert_int_equal(ee_dataset_next(dataset, &block, &done, NULL), EE_OK);
  assert_int_equal(block.count, 1);
  assert_int_equal(block.errors.count, 1);
  assert_memory_equal(block.errors.items[0].message, cut_short, strlen(cut_short) - 1);
  ee_block_fini(&block);
  ee_dataset_close(dataset);
  /* The next file goes on. */
  write_file(names[1], "{}", 2);
  const char *two[] = {names[0], names[1]};
  got = read_all(two, 2, 0, 0, NULL);
  assert_non_null(strstr(got, "[1]\n1:1:0 {}\n"));
  free(got);
  ee_buffer_fini(&packed);
}
#endif

/* Interrupts and read errors ------------------------------------------------------------------- */

/* A pipe that says something and then nothing; the flag is set once all of it was read. */
typedef struct silent_pipe {
  int ends[2];
  char name[32];
  const char *text;
  volatile sig_atomic_t flag;
} silent_pipe;

static void silent_pipe_open(silent_pipe *p, const char *text) {
  assert_int_equal(pipe(p->ends), 0);
  snprintf(p->name, sizeof p->name, "/dev/fd/%d", p->ends[0]);
  p->text = text;
  p->flag = 0;
}

static void silent_pipe_close(silent_pipe *p) {
  close(p->ends[0]);
  close(p->ends[1]);
}

static void *talk_and_interrupt(void *argument) {
  silent_pipe *p = argument;
  struct timespec moment = {.tv_nsec = 2000000};
  assert_int_equal(write(p->ends[1], p->text, strlen(p->text)), strlen(p->text));
  for (int waiting = 1; waiting > 0; nanosleep(&moment, NULL))
    assert_int_equal(ioctl(p->ends[0], FIONREAD, &waiting), 0);
  __atomic_store_n(&p->flag, 1, __ATOMIC_RELAXED);
  return NULL;
}

/* What was read is handed out, and the rest of it later when the flag is taken back. */
static void test_interrupt(void **state) {
  (void)state;
  static const char *const texts[] = {"{\"a\":1}\n{\"b\":2}\n{\"c\"", "[{\"a\":1},\n{\"b\":2},{\"c\""};
  for (int i = 0; i < 2; i++) {
    silent_pipe p;
    silent_pipe_open(&p, texts[i]);
    ee_error error = {0};
    ee_dataset *dataset = ee_dataset_open((const char *const[]){p.name}, 1, &error);
    assert_non_null(dataset);
    ee_dataset_set_interrupt(dataset, &p.flag);
    ee_block block;
    ee_block_init(&block);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, talk_and_interrupt, &p), 0);
    bool done = false;
    assert_int_equal(ee_dataset_next(dataset, &block, &done, &error), EE_OK);
    pthread_join(thread, NULL);
    assert_false(done);
    assert_int_equal(block.count, 2);
    assert_int_equal(block.ticket, 0);
    for (int again = 0; again < 2; again++) {
      assert_int_equal(ee_dataset_next(dataset, &block, &done, &error), EE_OK);
      assert_true(done && block.count == 0 && block.unsplit == 0);
    }
    p.flag = 0;
    assert_int_equal(write(p.ends[1], ":3}", 3), 3);
    close(p.ends[1]);
    p.ends[1] = dup(p.ends[0]);
    assert_int_equal(ee_dataset_next(dataset, &block, &done, &error), EE_OK);
    assert_false(done);
    assert_int_equal(block.count, 1);
    assert_int_equal(block.ticket, 1);
    assert_memory_equal(block.text.data + block.records[0].offset, "{\"c\":3}", 7);
    ee_block_fini(&block);
    ee_dataset_close(dataset);
    silent_pipe_close(&p);
  }
}

/* In the middle of a document whose array of records has not come yet. */
static void test_interrupt_before_the_array(void **state) {
  (void)state;
  silent_pipe p;
  silent_pipe_open(&p, "{\"config\":{},\n\"results\":{\"version\":3,\n");
  const ee_foreign_use use = {.format = &ee_foreign_promptfoo, .one_file = true};
  ee_dataset *dataset = ee_dataset_open((const char *const[]){p.name}, 1, NULL);
  assert_non_null(dataset);
  ee_dataset_look_inside(dataset, &(ee_record_paths){.from = &use});
  ee_dataset_set_interrupt(dataset, &p.flag);
  ee_block block;
  ee_block_init(&block);
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, talk_and_interrupt, &p), 0);
  bool done = false;
  assert_int_equal(ee_dataset_next(dataset, &block, &done, NULL), EE_OK);
  pthread_join(thread, NULL);
  assert_true(done && block.count == 0 && block.errors.count == 0);
  p.flag = 0;
  static const char rest[] = "\"results\":[\n{\"testIdx\":1,\"vars\":{\"gt\":1},\"success\":true,\"provider\":\"p\","
                             "\"response\":{\"output\":2}}]}}";
  assert_int_equal(write(p.ends[1], rest, sizeof rest - 1), sizeof rest - 1);
  close(p.ends[1]);
  p.ends[1] = dup(p.ends[0]);
  assert_int_equal(ee_dataset_next(dataset, &block, &done, NULL), EE_OK);
  assert_int_equal(block.count, 1);
  assert_int_equal(block.records[0].line, 4);
  ee_block_fini(&block);
  ee_dataset_close(dataset);
  silent_pipe_close(&p);
}

/* Nothing came at all, or one byte, so that it is not even known whether the file is packed. */
static void test_interrupt_at_the_start(void **state) {
  (void)state;
  for (int length = 0; length < 2; length++) {
    silent_pipe p;
    silent_pipe_open(&p, length == 0 ? "" : "1");
    ee_dataset *dataset = ee_dataset_open((const char *const[]){p.name}, 1, NULL);
    assert_non_null(dataset);
    ee_dataset_set_interrupt(dataset, &p.flag);
    ee_block block;
    ee_block_init(&block);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, talk_and_interrupt, &p), 0);
    bool done = false;
    assert_int_equal(ee_dataset_next(dataset, &block, &done, NULL), EE_OK);
    pthread_join(thread, NULL);
    assert_true(done && block.count == 0);
    ee_block_fini(&block);
    ee_dataset_close(dataset);
    silent_pipe_close(&p);
  }
}

/* A terminal whose other side goes away gives what it has, then EIO. */
static void test_read_error_half_way(void **state) {
  (void)state;
  int near = posix_openpt(O_RDWR | O_NOCTTY);
  if (near < 0) skip();
  assert_int_equal(grantpt(near), 0);
  assert_int_equal(unlockpt(near), 0);
  int far = open(ptsname(near), O_RDWR | O_NOCTTY), before = dup(STDIN_FILENO);
  assert_true(far >= 0);
  assert_int_equal(write(far, "{\"a\":1}\n{\"b\"", 12), 12);
  close(far);
  dup2(near, STDIN_FILENO);
  close(near);
  write_file(names[0], "{}", 2);
  ee_dataset *dataset = ee_dataset_open((const char *const[]){"-", names[0]}, 2, NULL);
  assert_non_null(dataset);
  ee_block block;
  ee_block_init(&block);
  ee_error error = {0};
  bool done = false;
  assert_int_equal(ee_dataset_next(dataset, &block, &done, &error), EE_OK);
  assert_false(done);
  assert_int_equal(block.count, 1);
  assert_int_equal(block.unsplit, 0);
  assert_int_equal(ee_dataset_next(dataset, &block, &done, &error), EE_ERROR_SYSTEM);
  assert_int_equal(error.status, EE_ERROR_SYSTEM);
  assert_string_equal(error.message, "cannot read '-': Input/output error");
  assert_int_equal(ee_dataset_next(dataset, &block, &done, &error), EE_OK);
  assert_true(done);
  ee_block_fini(&block);
  ee_dataset_close(dataset);
  dup2(before, STDIN_FILENO);
  close(before);
}

/* Tables of more than the window in which their shape is looked for; rows in error without end. */
static void test_long_tables(void **state) {
  (void)state;
  const char *files[] = {names[0]};
  for (int bad = 0; bad < 2; bad++) {
    ee_buffer text = {0}, wanted = {0};
    ee_buffer_add_text(&text, "a,b\n");
    ee_buffer_add_text(&wanted, "[0]\n");
    for (int i = 0; i < 20000; i++) {
      ee_buffer_addf(&wanted, "%d:1:%zu {\"a\":\"1\",\"b\":\"%d\"}\n", i + 2, text.length, i);
      ee_buffer_addf(&text, "1,%d\n", i);
    }
    for (int i = 0; bad == 1 && i < 1500; i++) {
      if (i < 1000) ee_buffer_addf(&wanted, "! %d:0 row has 1 cell, the header has 2\n", i + 20002);
      ee_buffer_add_text(&text, "1\n");
    }
    if (bad == 1) ee_buffer_add_text(&wanted, "+500\n");
    ee_buffer_addf(&wanted, "%d:1:%zu {\"a\":\"x\",\"b\":\"y\"}\n", bad == 1 ? 21502 : 20002, text.length);
    if (bad == 1) ee_buffer_add_text(&wanted, "? 21503:0 500 more records could not be split off\n");
    ee_buffer_add_text(&text, "x,y\n");
    write_file(names[0], text.data, text.length);
    for (size_t piece = 1000; piece <= 100000; piece *= 10) {
      char *got = read_all(files, 1, piece, LIMIT, NULL);
      assert_string_equal(got, ee_buffer_terminate(&wanted));
      free(got);
    }
    ee_buffer_fini(&text);
    ee_buffer_fini(&wanted);
  }
}

/* A table from a pipe, as test_interrupt(). */
static void test_interrupted_table(void **state) {
  (void)state;
  ee_buffer text = {0};
  ee_buffer_add_text(&text, "a,b\n");
  for (int i = 0; i < 30000; i++) ee_buffer_add_text(&text, "1,2\n");
  ee_buffer_add_text(&text, "3");
  silent_pipe p;
  silent_pipe_open(&p, ee_buffer_terminate(&text));
  ee_dataset *dataset = ee_dataset_open((const char *const[]){p.name}, 1, NULL);
  assert_non_null(dataset);
  ee_dataset_set_interrupt(dataset, &p.flag);
  ee_block block;
  ee_block_init(&block);
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, talk_and_interrupt, &p), 0);
  size_t rows = 0;
  for (bool done = false; !done; rows += block.count)
    assert_int_equal(ee_dataset_next(dataset, &block, &done, NULL), EE_OK);
  pthread_join(thread, NULL);
  assert_int_equal(rows, 30000);
  p.flag = 0;
  assert_int_equal(write(p.ends[1], ",4", 2), 2);
  close(p.ends[1]);
  p.ends[1] = dup(p.ends[0]);
  bool done = true;
  assert_int_equal(ee_dataset_next(dataset, &block, &done, NULL), EE_OK);
  assert_false(done);
  assert_string_equal(ee_buffer_terminate(&block.text), "{\"a\":\"3\",\"b\":\"4\"}");
  assert_int_equal(block.records[0].line, 30002);
  ee_block_fini(&block);
  ee_dataset_close(dataset);
  silent_pipe_close(&p);
  ee_buffer_fini(&text);
}

/* Brackets deeper than the levels that are known by their kinds. */
static void test_deep_elements(void **state) {
  (void)state;
  ee_buffer deep = {0}, text = {0}, wanted = {0};
  for (int i = 0; i < 2060; i++) ee_buffer_add_char(&deep, i < 1030 ? '[' : ']');
  ee_buffer_addf(&text, "[%s,1]", ee_buffer_terminate(&deep));
  ee_buffer_addf(&wanted, "[0]\n1:2:1 %s\n1:2063:2062 1\n", deep.data);
  write_file(names[0], text.data, text.length);
  char *got = read_all((const char *const[]){names[0]}, 1, 100, LIMIT, NULL);
  assert_string_equal(got, ee_buffer_terminate(&wanted));
  free(got);
  ee_buffer_fini(&deep);
  ee_buffer_fini(&text);
  ee_buffer_fini(&wanted);
}

/* Two files that are not closed, and one that is. */
static void test_unended(void **state) {
  (void)state;
  write_file(names[0], "[1", 2);
  write_file(names[1], "[1]", 3);
  write_file(names[2], "[2", 2);
  ee_dataset *dataset = ee_dataset_open((const char *const[]){names[0], names[1], names[2]}, 3, NULL);
  assert_non_null(dataset);
  ee_block block;
  ee_block_init(&block);
  for (bool done = false; !done;) assert_int_equal(ee_dataset_next(dataset, &block, &done, NULL), EE_OK);
  const char *const *unended;
  assert_int_equal(ee_dataset_unended(dataset, &unended), 2);
  assert_string_equal(unended[0], "0.jsonl");
  assert_string_equal(unended[1], "2.jsonl");
  ee_block_fini(&block);
  ee_dataset_close(dataset);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_lines),
    cmocka_unit_test(test_arrays),
    cmocka_unit_test(test_broken_arrays),
    cmocka_unit_test(test_commas),
    cmocka_unit_test(test_random_files),
    cmocka_unit_test(test_random_bytes),
    cmocka_unit_test(test_long_records),
    cmocka_unit_test(test_many_files),
    cmocka_unit_test(test_block_sizes),
    cmocka_unit_test(test_no_files),
    cmocka_unit_test(test_not_opened),
    cmocka_unit_test(test_standard_input),
    cmocka_unit_test(test_small_packed),
    cmocka_unit_test(test_very_many_errors),
#ifdef EE_WITH_ZLIB
    cmocka_unit_test(test_packed),
    cmocka_unit_test(test_damaged_packed),
#endif
    cmocka_unit_test(test_interrupt),
    cmocka_unit_test(test_interrupt_before_the_array),
    cmocka_unit_test(test_interrupt_at_the_start),
    cmocka_unit_test(test_interrupted_table),
    cmocka_unit_test(test_long_tables),
    cmocka_unit_test(test_unended),
    cmocka_unit_test(test_deep_elements),
    cmocka_unit_test(test_read_error_half_way),
};
EE_TEST_ARRAY(set_up, tear_down, tests);
