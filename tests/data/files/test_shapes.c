/* test_shapes.c: every shape of data to the same records, whatever the pieces, the packing and the encoding. */
#include "data/files/record.h"

#include <sys/stat.h>
#ifdef EE_WITH_ZLIB
#include <zlib.h>
#endif
#ifdef EE_WITH_ZSTD
#include <zstd.h>
#endif

#include "data/files/dataset.h"
#include "data/files/table_reader.h"
#include "data/random_document.h"
#include "data/temporary_files.h"

/* All records of the files as text: "line:column id record" and "! line:column message" lines. */
static char *read_files(const char *const *files, size_t count, size_t piece, size_t limit,
                        const ee_record_paths *paths) {
  ee_error error = {0};
  ee_dataset *dataset = ee_dataset_open(files, count, &error);
  if (dataset == NULL) print_error("%s\n", error.message);
  assert_non_null(dataset);
  if (piece > 0) ee_dataset_set_sizes(dataset, piece, limit);
  ee_dataset_look_inside(dataset, paths);
  ee_buffer out = {0};
  ee_block block;
  ee_block_init(&block);
  for (bool done = false;;) {
    assert_int_equal(ee_dataset_next(dataset, &block, &done, &error), EE_OK);
    if (done) break;
    size_t next = 0;
    for (size_t i = 0; i <= block.count; i++) {
      const ee_record_span *r = &block.records[i];
      uint64_t end = i < block.count ? r->byte : UINT64_MAX;
      for (; next < block.errors.count && block.errors.items[next].offset <= end; next++)
        ee_buffer_addf(&out, "! %zu:%zu %s\n", block.errors.items[next].line, block.errors.items[next].column,
                       block.errors.items[next].message);
      if (i == block.count) break;
      ee_str id = ee_block_given_id(&block, r);
      assert_true(r->offset + r->length <= block.text.length);
      ee_buffer_addf(&out, "%llu:%llu %.*s ", (unsigned long long)r->line, (unsigned long long)r->column,
                     id.data != NULL ? (int)id.length : 1, id.data != NULL ? id.data : "-");
      ee_buffer_add(&out, block.text.data + r->offset, r->length);
      ee_buffer_add_char(&out, '\n');
    }
  }
  ee_block_fini(&block);
  ee_dataset_close(dataset);
  char *text = strdup(ee_buffer_terminate(&out));
  ee_buffer_fini(&out);
  return text;
}

#define LIMIT ((size_t)1 << 30)

static void expect(const void *data, size_t length, const char *wanted) {
  write_file(names[0], data, length);
  for (size_t piece = 0; piece <= 33; piece++) {
    char *got = read_files((const char *const[]){names[0]}, 1, piece, LIMIT, NULL);
    if (strcmp(got, wanted) != 0) print_error("pieces of %zu of %.*s\n", piece, (int)length, (const char *)data);
    assert_string_equal(got, wanted);
    free(got);
  }
}

/* UTF-16 of valid UTF-8. */
static void widen(ee_buffer *out, const char *text, size_t length, bool big, bool mark) {
  uint32_t units[3];
  for (size_t at = mark ? SIZE_MAX : 0; at == SIZE_MAX || at < length;) {
    uint32_t c = 0xfeff;
    if (at == SIZE_MAX)
      at = 0;
    else
      at += ee_utf8_decode(text + at, length - at, &c);
    size_t count = 1;
    units[0] = c;
    if (c >= 0x10000) {
      units[0] = 0xd800 + ((c - 0x10000) >> 10);
      units[1] = 0xdc00 + ((c - 0x10000) & 0x3ff);
      count = 2;
    }
    for (size_t i = 0; i < count; i++) {
      ee_buffer_add_char(out, (char)(big ? units[i] >> 8 : units[i] & 0xff));
      ee_buffer_add_char(out, (char)(big ? units[i] & 0xff : units[i] >> 8));
    }
  }
}

static void pack_gzip(ee_buffer *out, const char *text, size_t length) {
#ifdef EE_WITH_ZLIB
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
#else
  ee_buffer_add(out, text, length);
#endif
}

static void pack_zstandard(ee_buffer *out, const char *text, size_t length) {
#ifdef EE_WITH_ZSTD
  size_t room = ZSTD_compressBound(length);
  size_t made = ZSTD_compress(ee_buffer_reserve(out, room), room, text, length, 3);
  assert_false(ZSTD_isError(made));
  out->length += made;
#else
  ee_buffer_add(out, text, length);
#endif
}

/* Reads `text` as it is, with Windows line ends, with a mark, packed, in UTF-16. `wanted` is for LF. */
static void check(const char *text, const char *wanted) {
  size_t length = strlen(text);
  ee_buffer other = {0};
  expect(text, length, wanted);
  ee_buffer_add_text(&other, "\xef\xbb\xbf");
  ee_buffer_add(&other, text, length);
  expect(other.data, other.length, wanted);
  for (int i = 0; i < 4; i++) {
    if (length < 2) break;
    ee_buffer_clear(&other);
    widen(&other, text, length, i % 2 == 1, i < 2);
    expect(other.data, other.length, wanted);
  }
  ee_buffer_clear(&other);
  pack_gzip(&other, text, length / 2);
  pack_gzip(&other, text + length / 2, length - length / 2);
  expect(other.data, other.length, wanted);
  ee_buffer_clear(&other);
  pack_zstandard(&other, text, length / 3);
  pack_zstandard(&other, text + length / 3, length - length / 3);
  expect(other.data, other.length, wanted);
  ee_buffer_fini(&other);
}

/* JSON ------------------------------------------------------------------------------------------ */

static void test_documents(void **state) {
  (void)state;
  check("{\n  \"expected\": 1\n}\n", "1:1 - {\n  \"expected\": 1\n}\n");
  check("{\n \"total\": 1\n}", "1:1 document {\n \"total\": 1\n}\n");
  check("{\"total\": 1}", "1:1 document {\"total\": 1}\n");
  check("\n {\"id\": 7}\n\n", "2:2 - {\"id\": 7}\n");
  check("{\n\"a\":1\n}\n{\n\"a\":\n{\"b\":2}\n}\n", "1:1 - {\n\"a\":1\n}\n4:1 - {\n\"a\":\n{\"b\":2}\n}\n");
  check("{\n\"a\":1\n} {\n\"b\":2\n}\n", "1:1 - {\n\"a\":1\n}\n3:3 - {\n\"b\":2\n}\n");
  /* JSONL: one object a line, also when one is broken or is not an object. */
  check("{\"a\":1}\n{\"b\":2}\n", "1:1 - {\"a\":1}\n2:1 - {\"b\":2}\n");
  check("{\"a\":1\n{\"b\":2}\n", "1:1 - {\"a\":1\n2:1 - {\"b\":2}\n");
  check("{\"a\":1}\nx\n", "1:1 - {\"a\":1}\n2:1 - x\n");
  check("{\"a\":1", "1:1 - {\"a\":1\n");
  /* A bracket that is missing costs its document and not the others. */
  check("{\n\"a\":1\n{\n\"b\":2\n}\n", "1:1 - {\n\"a\":1\n\n3:1 - {\n\"b\":2\n}\n");
  check("{\n\"a\":[1\n}\n{\n\"b\":2\n}\n", "1:1 - {\n\"a\":[1\n}\n4:1 - {\n\"b\":2\n}\n");
  check("{\n\"a\":1,\n", "! 1:0 the file ends in the document that starts here\n");
  check("{\n\"a\":1}}\n{\n}\n", "1:1 - {\n\"a\":1}\n2:7 - }\n3:1 - {\n}\n");
}

static void test_records_inside(void **state) {
  (void)state;
  /* An array under a key. */
  check("{\"results\":[{\"a\":1},\n {\"a\":2}]}", "1:13 - {\"a\":1}\n2:2 - {\"a\":2}\n");
  check("{\"version\":1,\"results\":[{\"a\":1}]}", "1:25 - {\"a\":1}\n");
  check("{\"any\":[{\"a\":1},{}]}", "1:9 - {\"a\":1}\n1:17 - {}\n");
  check("{\"v\":1,\"any\":[{\"expected\":1,\"output\":2}]}", "1:15 - {\"expected\":1,\"output\":2}\n");
  /* An invoice has an array of objects, too. */
  check("{\"number\":1,\"items\":[{\"a\":1},{\"a\":2}]}",
        "1:1 document {\"number\":1,\"items\":[{\"a\":1},{\"a\":2}]}\n");
  check("{\"id\":1,\"results\":[{\"a\":1}]}", "1:1 - {\"id\":1,\"results\":[{\"a\":1}]}\n");
  check("{\"results\":[1,2]}", "1:1 document {\"results\":[1,2]}\n");
  check("{\"results\":[]}", "1:1 document {\"results\":[]}\n");
  check("{\"train\":[{\"id\":1}],\"test\":[{\"id\":2}]}",
        "! 1:1 several arrays of objects ('train', 'test'): choose with --records PATH ('$': the whole file is one "
        "record)\n");
  /* Records by id. */
  check("{\"x\":{\"a\":1,\"b\":2},\n\"y/\\\"2\\u00e9\":{\"a\":1}}",
        "1:6 x {\"a\":1,\"b\":2}\n2:15 y/\"2\xc3\xa9 {\"a\":1}\n");
  check("{\"x\":{\"expected\":1,\"candidate\":1,\"p\":1,\"q\":1},\"y\":{\"expected\":2,\"output\":3,\"r\":1}}",
        "1:6 x {\"expected\":1,\"candidate\":1,\"p\":1,\"q\":1}\n1:51 y {\"expected\":2,\"output\":3,\"r\":1}\n");
  check("{\"seller\":{\"name\":1},\"total\":{\"net\":1}}",
        "1:1 document {\"seller\":{\"name\":1},\"total\":{\"net\":1}}\n");
  check("{\"x\":{\"a\":1}}", "1:1 document {\"x\":{\"a\":1}}\n");
  check("{\"gold\":{\"a\":1},\"answer\":{\"a\":1}}", "1:1 - {\"gold\":{\"a\":1},\"answer\":{\"a\":1}}\n");
  check("{\"answer\":{\"a\":1},\"pred\":{\"a\":1}}", "1:1 - {\"answer\":{\"a\":1},\"pred\":{\"a\":1}}\n");
  check("{\"gold\":{\"a\":1},\"pred\":{\"a\":1}}", "1:1 - {\"gold\":{\"a\":1},\"pred\":{\"a\":1}}\n");
  /* Broken ones are reported by whoever reads them. */
  check("{\"x\":{\"a\":1},\"\\ud83d\":{\"a\":1}}", "1:1 - {\"x\":{\"a\":1},\"\\ud83d\":{\"a\":1}}\n");
  check("{\"results\":[{\"a\":1},\n {\"a\" 2}]}", "1:1 - {\"results\":[{\"a\":1},\n {\"a\" 2}]}\n");
  /* Only a document that is alone in its file has records in it. */
  check("{\"results\":[{\"a\":1}]}\n{\"results\":[{\"a\":1}]}\n",
        "1:1 - {\"results\":[{\"a\":1}]}\n2:1 - {\"results\":[{\"a\":1}]}\n");
}

static void check_path(const char *path_text, const char *text, const char *wanted) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  const ee_path *path = ee_record_path_parse(&arena, ee_str_from(path_text), NULL);
  assert_non_null(path);
  const ee_record_paths paths = {.records = {&path, 1}};
  write_file(names[0], text, strlen(text));
  char *got = read_files((const char *const[]){names[0]}, 1, 0, LIMIT, &paths);
  assert_string_equal(got, wanted);
  free(got);
  ee_arena_fini(&arena);
}

static void test_path_of_records(void **state) {
  (void)state;
  static const char text[] = "{\"id\":1,\"a\":{\"b\":[{\"x\":1},{\"x\":2}],\"c\":{\"k\":{},\"l\":[]}},\"d\":[[3],[4]]}";
  check_path("a.b", text, "1:19 - {\"x\":1}\n1:27 - {\"x\":2}\n");
  check_path("$.a.c", text, "1:45 k {}\n1:52 l []\n");
  check_path("d[1]", text, "1:67 - 4\n");
  check_path("$", "{\"results\":[{\"a\":1}]}", "1:1 document {\"results\":[{\"a\":1}]}\n");
  check_path("$", "[{\"a\":1}]", "1:1 document [{\"a\":1}]\n");
  check_path("$", "\n [1,\n2]\n", "2:2 document [1,\n2]\n");
  check_path("z", "{\"a\":{\"b\":[{\"x\":1}]},\"c\":[{}],\"d\":[{}]}",
             "! 1:1 no array or object of records at 'z'; arrays of objects: 'a.b', 'c', 'd'\n");
  check_path("z", "{\"z\":5,\"y\":6}", "! 1:1 no array or object of records at 'z'; arrays of objects: none\n");
#define NONE_AT(path, list) "! 1:1 no array or object of records at '" path "'; arrays of objects: " list "\n"
  check_path("y.z", "{\"a\":1}", NONE_AT("y.z", "none"));
  check_path("a.b", "{\"a\":1,\"b\":2}", NONE_AT("a.b", "none"));
  check_path("a[0]", "{\"a\":{\"0\":[{}]},\"b\":{\"c\":[1]}}", NONE_AT("a[0]", "'a.0'"));
  check_path("a.x", "{\"a\":[[{}]],\"b\":1}", NONE_AT("a.x", "none"));
  check_path("a.0", "{\"a\":[[{\"x\":1}]],\"b\":1}", "1:8 - {\"x\":1}\n");
  check_path("z", "{\"a\":[{}],\"b\":[{}],\"c\":[{}],\"d\":[{}],\"e\":[{}],\"f\":[{}],\"g\":[{}]}",
             NONE_AT("z", "'a', 'b', 'c', 'd', ..."));
  check_path("a", "{\"a\":[{}],\"b\" 1}", "1:1 - {\"a\":[{}],\"b\" 1}\n");
  /* Where it does not lead anywhere, the file may have another shape. */
  check_path("z", "{\"results\":[{\"a\":1}]}", "1:13 - {\"a\":1}\n");
  check_path("z", "{\"y\":1,\"results\":[{\"a\":1}]}", NONE_AT("z", "'results'"));
  check_path("z", "{\"id\":1}\n", "1:1 - {\"id\":1}\n");
  check_path("z", "[{\"a\":1}]", "1:2 - {\"a\":1}\n");
}

/* Tables ---------------------------------------------------------------------------------------- */

static void test_tables(void **state) {
  (void)state;
  check("id,total\na,5\nb,\n", "2:1 - {\"id\":\"a\",\"total\":\"5\"}\n3:1 - {\"id\":\"b\",\"total\":\"\"}\n");
  check("id\ttotal\r\na\t5,1\r\n\r\nb\t6",
        "2:1 - {\"id\":\"a\",\"total\":\"5,1\"}\n4:1 - {\"id\":\"b\",\"total\":\"6\"}\n");
  check("id;total\na;5,10\nb;6,20\n",
        "2:1 - {\"id\":\"a\",\"total\":\"5,10\"}\n3:1 - {\"id\":\"b\",\"total\":\"6,20\"}\n");
  check("id,note\na,\"x, \"\"y\"\"\nz\"\nb, 5\" pipe \n",
        "2:1 - {\"id\":\"a\",\"note\":\"x, \\\"y\\\"\\nz\"}\n4:1 - {\"id\":\"b\",\"note\":\" 5\\\" pipe \"}\n");
  /* Paths. */
  check("id,total.net,total.tax,Inv. No.\na,1,2,3\n",
        "2:1 - {\"id\":\"a\",\"total\":{\"net\":\"1\",\"tax\":\"2\"},\"Inv. No.\":\"3\"}\n");
  check("id,items[0].n,items[1].n,t.1,t.0\na,x,,2,1\nb,,,,\nc,,y,,1\n",
        "2:1 - {\"id\":\"a\",\"items\":[{\"n\":\"x\"}],\"t\":[\"1\",\"2\"]}\n"
        "3:1 - {\"id\":\"b\",\"items\":[],\"t\":[]}\n"
        "4:1 - {\"id\":\"c\",\"items\":[{\"n\":\"\"},{\"n\":\"y\"}],\"t\":[\"1\"]}\n");
  check("id,y.2023,y.2024\na,1,2\n", "2:1 - {\"id\":\"a\",\"y\":{\"2023\":\"1\",\"2024\":\"2\"}}\n");
  check("id,$\na,1\n", "2:1 - {\"id\":\"a\",\"$\":\"1\"}\n");
  check("id,a*b.c,t[*]\na,1,2\n", "2:1 - {\"id\":\"a\",\"a*b.c\":\"1\",\"t[*]\":\"2\"}\n");
  check("x,Inv. No\n1,2\n", "2:1 - {\"x\":\"1\",\"Inv. No\":\"2\"}\n");
  check("x,a[0],a.1\n0,1,2\n", "2:1 - {\"x\":\"0\",\"a\":[\"1\",\"2\"]}\n");
  check("x,a.1,a[0]\n0,1,2\n", "2:1 - {\"x\":\"0\",\"a\":[\"2\",\"1\"]}\n");
  check("x,[0],/a/b,a['']\n0,1,2,3\n", "2:1 - {\"x\":\"0\",\"[0]\":\"1\",\"/a/b\":\"2\",\"a['']\":\"3\"}\n");
  char deep[100] = "x,a", row[200];
  for (int i = 0; i < 31; i++) strcat(deep, ".a");
  snprintf(row, sizeof row, "%s.a\n0,1\n", deep);
  char one_key[200];
  snprintf(one_key, sizeof one_key, "2:1 - {\"x\":\"0\",\"%s.a\":\"1\"}\n", deep + 2);
  check(row, one_key);
  check(",a\n0,x\n", "2:1 - {\"column1\":\"0\",\"a\":\"x\"}\n");
  /* Cells that are JSON. */
  check("id,tags,note\n7,\"[\"\"a\"\", {\"\"b\"\":1}]\",[sic]\n8, {} ,{'a': 1}\n9,[],[1] and [2]\n",
        "2:1 - {\"id\":\"7\",\"tags\":[\"a\", {\"b\":1}],\"note\":\"[sic]\"}\n"
        "3:1 - {\"id\":\"8\",\"tags\": {} ,\"note\":\"{'a': 1}\"}\n"
        "4:1 - {\"id\":\"9\",\"tags\":[],\"note\":\"[1] and [2]\"}\n");
  /* Errors of rows. */
  check("a,b\n1,2\n1\n1,2,3\n\"x\"y,2\n3,4\n5,6\n7,8\n",
        "2:1 - {\"a\":\"1\",\"b\":\"2\"}\n! 3:0 row has 1 cell, the header has 2\n"
        "! 4:0 row has 3 cells, the header has 2\n"
        "! 5:0 text after the closing quote of a cell (a quote inside must be doubled)\n"
        "6:1 - {\"a\":\"3\",\"b\":\"4\"}\n7:1 - {\"a\":\"5\",\"b\":\"6\"}\n"
        "8:1 - {\"a\":\"7\",\"b\":\"8\"}\n");
  check("a,b\n1,2\n3,\"4\n5,6\n", "2:1 - {\"a\":\"1\",\"b\":\"2\"}\n"
                                  "! 3:0 a quote is not closed: the rest of the file is in the row that starts here\n");
  /* Errors of the header. */
  check("a,b,a\n1,2,3\n", "! 1:0 two columns are called 'a'\n");
  check("a,a.b\n1,2\n",
        "! 1:0 columns 'a' and 'a.b' conflict: one needs a value, the other an object or array there\n");
  check("a.b.c,x,a.b\n1,2,3\n",
        "! 1:0 columns 'a.b.c' and 'a.b' conflict: one needs a value, the other an object or array there\n");
  check("a[0],a.0\n1,2\n",
        "! 1:0 columns 'a[0]' and 'a.0' conflict: one needs a value, the other an object or array there\n");
  check("a.0,a[0]\n1,2\n",
        "! 1:0 columns 'a.0' and 'a[0]' conflict: one needs a value, the other an object or array there\n");
  check("a[1],x\n1,2\n", "! 1:0 column 'a[1]' makes an array, whose columns must be [0], [1], ... and no others\n");
  check("a[0],a.x\n1,2\n", "! 1:0 column 'a[0]' makes an array, whose columns must be [0], [1], ... and no others\n");
  static const char latin[] = "a,b\n1,caf\xe9\n2,x\n";
  expect(latin, sizeof latin - 1,
         "! 2:0 'b' is not valid UTF-8: convert the file, for example with iconv -f WINDOWS-1252 -t UTF-8\n"
         "3:1 - {\"a\":\"2\",\"b\":\"x\"}\n");
}

/* A slow reader of tables: the same records and errors, from a whole text. */
static void slow_cell(ee_buffer *out, const char *text, size_t length) {
  ee_buffer_add_char(out, '"');
  for (size_t i = 0; i < length; i++) {
    if (text[i] == '"')
      ee_buffer_add_text(out, "\\\"");
    else if (text[i] == '\n')
      ee_buffer_add_text(out, "\\n");
    else if (text[i] == '\r')
      ee_buffer_add_text(out, "\\r");
    else if (text[i] == '\t')
      ee_buffer_add_text(out, "\\t");
    else
      ee_buffer_add_char(out, text[i]);
  }
  ee_buffer_add_char(out, '"');
}

static void slow_table(const char *text, size_t length, char separator, ee_buffer *out) {
  size_t at = 0, number = 0;
  while (at < length) {
    size_t line = 1, cells = 0;
    for (size_t i = 0; i < at; i++) line += text[i] == '\n';
    ee_buffer record = {0}, cell = {0};
    const char *mistake = NULL;
    bool blank = true, row_ends = false;
    if (text[at] == '\n' || text[at] == '\r') {
      at++;
      continue;
    }
    while (!row_ends && mistake == NULL) {
      ee_buffer_clear(&cell);
      if (at < length && text[at] == '"') {
        for (at++;; at++) {
          if (at == length) {
            mistake = "a quote is not closed: the rest of the file is in the row that starts here";
            break;
          }
          if (text[at] == '"' && (at + 1 == length || text[at + 1] != '"')) break;
          at += text[at] == '"';
          ee_buffer_add_char(&cell, text[at]);
        }
        if (mistake != NULL) break;
        at++;
        if (at < length && strchr("\r\n", text[at]) == NULL && text[at] != separator) {
          mistake = "text after the closing quote of a cell (a quote inside must be doubled)";
          while (at < length && text[at] != '\n') at++;
          break;
        }
      } else {
        while (at < length && strchr("\r\n", text[at]) == NULL && text[at] != separator)
          ee_buffer_add_char(&cell, text[at++]);
      }
      for (size_t i = 0; i < cell.length; i++) blank = blank && strchr(" \t\r\n", cell.data[i]) != NULL;
      ee_buffer_addf(&record, "%s\"%c\":", cells == 0 ? "{" : ",", (char)('a' + cells % 26));
      slow_cell(&record, cell.data, cell.length);
      cells++;
      row_ends = at == length || text[at] != separator;
      at++;
    }
    if (mistake != NULL) {
      number++;
      ee_buffer_addf(out, "! %zu:0 %s\n", line, mistake);
    } else if (!(cells == 1 && blank)) {
      number++;
      if (number > 1 && cells != 3)
        ee_buffer_addf(out, "! %zu:0 row has %zu cell%s, the header has 3\n", line, cells, cells == 1 ? "" : "s");
      else if (number > 1)
        ee_buffer_addf(out, "%zu:1 - %s}\n", line, ee_buffer_terminate(&record));
    }
    ee_buffer_fini(&record);
    ee_buffer_fini(&cell);
  }
}

static void test_random_tables(void **state) {
  (void)state;
  test_random random = test_random_start("tables", 63);
  static const char *const parts[] = {"x",  "1",    "\"", "\"",       "\"\"",   ",",       ",",
                                      "\n", "\r\n", " ",  "\xc3\xa9", ",2,3\n", "\"a\nb\""};
  for (int round = 0; round < 4000; round++) {
    ee_buffer text = {0}, wanted = {0};
    ee_buffer_add_text(&text, "a,b,c\n1,2,3\n");
    for (size_t left = test_random_below(&random, 40); left > 0; left--)
      ee_buffer_add_text(&text, parts[test_random_below(&random, sizeof parts / sizeof *parts)]);
    slow_table(text.data, text.length, ',', &wanted);
    write_file(names[0], text.data, text.length);
    for (int i = 0; i < 3; i++) {
      size_t piece = i == 0 ? 0 : 1 + test_random_below(&random, 60);
      char *got = read_files((const char *const[]){names[0]}, 1, piece, LIMIT, NULL);
      /* Where most rows have other cells than the header, the file is no table. */
      bool refused = strstr(got, "neither JSON nor a table") != NULL || strncmp(got, "1:1 - ", 6) == 0;
      if (!refused && strcmp(got, ee_buffer_terminate(&wanted)) != 0)
        print_error("of %.*s\n", (int)text.length, text.data);
      if (!refused) assert_string_equal(got, ee_buffer_terminate(&wanted));
      free(got);
    }
    ee_buffer_fini(&text);
    ee_buffer_fini(&wanted);
  }
}

/* Pieces ---------------------------------------------------------------------------------------- */

/* The outcome does not depend on the pieces, for any bytes, in any encoding and packing, also with a small limit. */
static void test_random_pieces(void **state) {
  (void)state;
  test_random random = test_random_start("shapes", 64);
  static const char *const starts[] = {"",
                                       "{",
                                       "{\n",
                                       "[",
                                       "a,b\n1,2\n",
                                       "a;b\n1;2\n3;4\n",
                                       "{\"results\":[",
                                       "{\"x\":{\"a\":1},\"y\":{\"a\":",
                                       "\xef\xbb\xbf",
                                       "\xff\xfe",
                                       "x y\n",
                                       "{'a'",
                                       "PK\x03\x04"};
  static const char *const parts[] = {"{",         "}",  "[",       "]",     "\"",    "\"a\"",    ":",
                                      ",",         "\n", "\r\n",    " ",     "1",     "x",        "\\",
                                      "{\"a\":1}", ";",  "\"id\":", "\n{\n", "\n}\n", "\xc3\xa9", "\xf0\x9f\x98\x80"};
  for (int round = 0; round < 6000; round++) {
    ee_buffer text = {0}, file = {0};
    ee_buffer_add_text(&text, starts[test_random_below(&random, sizeof starts / sizeof *starts)]);
    for (size_t left = test_random_below(&random, 30); left > 0; left--)
      ee_buffer_add_text(&text, parts[test_random_below(&random, sizeof parts / sizeof *parts)]);
    size_t valid = ee_utf8_valid_prefix(text.data, text.length);
    switch (test_random_below(&random, 6)) {
    case 0: widen(&file, text.data, valid, false, true); break;
    case 1: widen(&file, text.data, valid, true, false); break;
    case 2: pack_gzip(&file, text.data, text.length); break;
    case 3: pack_zstandard(&file, text.data, text.length); break;
    default: ee_buffer_add(&file, text.data, text.length); break;
    }
    write_file(names[0], file.data, file.length);
    const char *files[] = {names[0]};
    size_t limit = test_random_below(&random, 2) == 0 ? LIMIT : 1 + test_random_below(&random, 40);
    char *whole = read_files(files, 1, 100000, limit, NULL);
    char *pieces = read_files(files, 1, 1 + test_random_below(&random, 40), limit, NULL);
    if (strcmp(pieces, whole) != 0) print_error("of %.*s\n", (int)text.length, text.data);
    assert_string_equal(pieces, whole);
    free(whole);
    free(pieces);
    ee_buffer_fini(&text);
    ee_buffer_fini(&file);
  }
}

/* Encodings and packings ------------------------------------------------------------------------ */

#define EXPECT(data, wanted) expect(data, sizeof(data) - 1, wanted)

/* A table whose byte order mark arrives in pieces. */
static void test_mark_in_pieces(void **state) {
  (void)state;
  static const char text[] = "\xef\xbb\xbf"
                             "a,b\n1,2\n";
  for (size_t first = 0; first < sizeof text; first++) {
    ee_table_reader *reader = ee_table_reader_new(',', 1000);
    ee_block block;
    ee_block_init(&block);
    ee_table_reader_run(reader, (ee_str){text, first}, &block);
    for (size_t at = first; at < sizeof text - 1; at++) ee_table_reader_run(reader, (ee_str){text + at, 1}, &block);
    ee_table_reader_end(reader, NULL, &block);
    assert_int_equal(block.count, 1);
    assert_int_equal(block.records[0].line, 2);
    assert_int_equal(block.records[0].byte, 7);
    assert_string_equal(ee_buffer_terminate(&block.text), "{\"a\":\"1\",\"b\":\"2\"}");
    ee_block_fini(&block);
    ee_table_reader_free(reader);
  }
}

/* The window in which the shape is looked for has one row, or not even that. */
static void test_long_rows(void **state) {
  (void)state;
  static const struct {
    const char *before, *after, *wanted;
    bool whole;
  } cases[] = {{"id,text\n1,\"", "\"\n2,b\n", "2:1 - {\"id\":\"1\",\"text\":\"aaa", true},
               {"id,text\n", ",1\n", "! 0:0 neither JSON nor a table", false},
               {"id,text\n1,2,3,4", "\n", "! 0:0 neither JSON nor a table", false},
               {"id,text", ",x\n1,2\n", "! 0:0 neither JSON nor a table", false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ee_buffer text = {0};
    ee_buffer_add_text(&text, cases[i].before);
    for (int k = 0; k < 100000; k++) ee_buffer_add_char(&text, 'a');
    ee_buffer_add_text(&text, cases[i].after);
    write_file(names[0], text.data, text.length);
    char *got = read_files((const char *const[]){names[0]}, 1, 0, LIMIT, NULL);
    assert_memory_equal(got, cases[i].wanted, strlen(cases[i].wanted));
    if (cases[i].whole) assert_non_null(strstr(got, "\n3:1 - {\"id\":\"2\",\"text\":\"b\"}\n"));
    free(got);
    ee_buffer_fini(&text);
  }
}

static void test_utf_16(void **state) {
  (void)state;
  /* Half of a surrogate pair, and an odd byte at the end, are broken: no reader takes them for text. */
  EXPECT("\xff\xfe{\0}\0\n\0{\0\"\0\x3d\xd8\"\0}\0\n\0", "1:1 - {}\n2:1 - {\"\xed\xa0\xbd\"}\n");
  EXPECT("\xff\xfe{\0}\0\n\0{\0\"\0\x00\xde\"\0}\0\n\0", "1:1 - {}\n2:1 - {\"\xed\xb8\x80\"}\n");
  EXPECT("\xfe\xff\0{\0}\0\n\0{\0}\0\n\0", "1:1 - {}\n2:1 - {}\n3:1 - \xff\n");
  EXPECT("\xfe\xff\0{\0}\0\n\0{\0}\xd8", "1:1 - {}\n2:1 - {}\xff\n");
  EXPECT("\xff\xfe", "");
  EXPECT("\xfe\xff\0{\0}\0\n\0{\0}\xd8\x3d", "1:1 - {}\n2:1 - {}\xed\xa0\xbd\n");
  EXPECT("\xff\xfe{\0}\0\n\0{\0\"\0\x3d\xd8\xff\xff\"\0}\0\n\0", "1:1 - {}\n2:1 - {\"\xed\xa0\xbd\xef\xbf\xbf\"}\n");
  /* What begins like it, and goes on otherwise. */
#define NO_DATA                                                                                                        \
  "! 0:0 neither JSON nor a table (CSV, TSV) with two columns and a row under its header: the file begins with "
  EXPECT("\xff"
         "A",
         NO_DATA "'?A'\n");
  EXPECT("\xfe"
         "A",
         NO_DATA "'?A'\n");
  EXPECT("a\0", NO_DATA "'a'\n");
  EXPECT("\0a", NO_DATA "'a'\n");
  EXPECT("a\0\x01\x4e bc", "! 0:0 this is binary data of an unknown kind\n");
  EXPECT("a\0b\x4e bc", "! 0:0 this is binary data of an unknown kind\n");
  EXPECT("\0a\x4e\x01 bc", "! 0:0 this is binary data of an unknown kind\n");
  EXPECT("\0a\0\x01 bc", "! 0:0 this is binary data of an unknown kind\n");
  char message[400];
  snprintf(message, sizeof message, "! 1:0 '%s' is UTF-32: convert it with iconv -f UTF-32 -t UTF-8\n", names[0]);
  EXPECT("\xff\xfe\0\0{\0\0\0}\0\0\0", message);
  EXPECT("\0\0\0{\0\0\0}", message);
  EXPECT("{\0\0\0}\0\0\0", message);
  EXPECT("\0\0\xfe\xff\0\0\0{", message);
}

static void test_damaged_zstandard(void **state) {
  (void)state;
#ifdef EE_WITH_ZSTD
  ee_buffer packed = {0};
  static const char text[] = "{\"a\":1}\n{\"b\":2}\n{\"c\":\"some more text that is packed\"}\n";
  size_t room = ZSTD_compressBound(sizeof text);
  ZSTD_CCtx *context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  packed.length = ZSTD_compress2(context, ee_buffer_reserve(&packed, room), room, text, sizeof text - 1);
  ZSTD_freeCCtx(context);
  for (size_t length = 4; length < packed.length; length++) {
    write_file(names[0], packed.data, length);
    char *got = read_files((const char *const[]){names[0]}, 1, 0, 0, NULL);
    assert_non_null(strstr(got, "is cut short"));
    free(got);
  }
  for (size_t at = 4; at < packed.length; at++) {
    packed.data[at] = (char)(packed.data[at] ^ 0x55);
    write_file(names[0], packed.data, packed.length);
    char *got = read_files((const char *const[]){names[0]}, 1, 0, 0, NULL);
    assert_non_null(strstr(got, "! "));
    free(got);
    packed.data[at] = (char)(packed.data[at] ^ 0x55);
  }
  ee_buffer_add_text(&packed, "{}\n");
  write_file(names[0], packed.data, packed.length);
  char *got = read_files((const char *const[]){names[0]}, 1, 0, 0, NULL);
  assert_non_null(strstr(got, "1:1 - {\"a\":1}\n2:1 - {\"b\":2}\n"));
  assert_non_null(strstr(got, "other data after the compressed data"));
  free(got);
  ee_buffer_fini(&packed);
#else
  skip();
#endif
}

/* What is no data ------------------------------------------------------------------------------- */

static void test_other_files(void **state) {
  (void)state;
  static const struct {
    const char *data;
    size_t length;
    const char *wanted;
  } cases[] = {
#define CASE(data, wanted) {data, sizeof(data) - 1, "! 0:0 this is " wanted "\n"}
      CASE("PK\x03\x04\n{\"id\":1,\"expected\":1}\n{\"id\":2}\n", "a zip archive: unpack it with unzip"),
      CASE("PK\x03\x04............xl/workbook.xml", "an Excel or other workbook: save the sheet as CSV"),
      CASE("PK\x03\x04............word/document.xml", "a Word or other text document"),
      CASE("PK\x03\x04mimetypeapplication/vnd.oasis.opendocument.spreadsheet",
           "an Excel or other workbook: save the sheet as CSV"),
      CASE("PK\x03\x04mimetypeapplication/vnd.oasis.opendocument.text", "a Word or other text document"),
      CASE("PK\x03\x04............_journal/start.json", "a zip archive: --from inspect reads a log of Inspect"),
      CASE("PK\x03\x04............samples/1_epoch_1.json", "a zip archive: --from inspect reads a log of Inspect"),
      CASE("PK\x05\x06\0\0\0\0", "a zip archive: unpack it with unzip"),
      CASE("{\\rtf1 {hello}}", "an RTF document"),
      CASE("\xfd"
           "7zXZ\0\0",
           "xz-compressed: unpack it with xz -d"),
      CASE("BZh91AY", "bzip2-compressed: unpack it with bzip2 -d"),
      CASE("7z\xbc\xaf\x27\x1c", "a 7z archive: unpack it with 7z x"),
      CASE("%PDF-1.7\n", "a PDF"),
      CASE("\x89PNG\r\n\x1a\n", "an image (PNG)"),
      CASE("\xff\xd8\xff\xe0", "an image (JPEG)"),
      CASE("SQLite format 3\0",
           "an SQLite database: export the table, for example sqlite3 -json FILE 'select * from T'"),
      CASE("PAR1\x15\x04", "a Parquet file: convert it, for example with duckdb: copy (from 'FILE') to 'FILE.json'"),
      CASE("<!DOCTYPE html>\n<p>{}</p>", "HTML, perhaps an error page of a download"),
      CASE("  <html>", "HTML, perhaps an error page of a download"),
      CASE("<?xml version=\"1.0\"?>", "XML: convert it to JSON"),
      CASE("{'a': 1}\n{'a': 2}\n", "Python's text of a dict ('single quotes'): write JSON instead, with json.dumps()"),
      CASE("version https://git-lfs.github.com/spec/v1\noid sha256:0\n",
           "a Git LFS pointer, not the file itself: fetch it with git lfs pull"),
      CASE("\x01\x02\x00\x03\x04 any", "binary data of an unknown kind"),
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) expect(cases[i].data, cases[i].length, cases[i].wanted);
  ee_buffer tar = {0};
  for (int i = 0; i < 257; i++) ee_buffer_add_char(&tar, i < 5 ? 'a' : '\0');
  ee_buffer_add_text(&tar, "ustar");
  expect(tar.data, tar.length, "! 0:0 this is a tar archive: unpack it with tar -xf\n");
  ee_buffer_fini(&tar);
  EXPECT("Dear Sir", "! 0:0 neither JSON nor a table (CSV, TSV) with two columns and a row under its header: the file "
                     "begins with 'Dear Sir'\n");
  EXPECT("\n  Dear\tSir \r\nhello\n\nworld", "! 0:0 neither JSON nor a table (CSV, TSV) with two columns and a row "
                                             "under its header: the file begins with 'Dear Sir', "
                                             "and has 4 more lines\n");
  EXPECT("a,b\n", "! 0:0 neither JSON nor a table (CSV, TSV) with two columns and a row under its header: the file "
                  "begins with 'a,b'\n");
  /* A line of another kind does not make JSONL text. */
  EXPECT("INFO, start\n{\"id\":1}\n", "1:1 - INFO, start\n2:1 - {\"id\":1}\n");
}

/* Directories ----------------------------------------------------------------------------------- */

static void put(const char *path, const char *text) {
  char name[600];
  snprintf(name, sizeof name, "%s/%s", folder, path);
  write_file(name, text, strlen(text));
}

static void make(const char *path) {
  char name[600];
  snprintf(name, sizeof name, "%s/%s", folder, path);
  assert_int_equal(mkdir(name, 0700), 0);
}

static void test_directories(void **state) {
  (void)state;
  make("d");
  make("d/sub");
  make("d/.git");
  put("d/b.json", "{\n\"total\": 2\n}\n");
  put("d/a.v2.json", "{\"total\": {\"net\":1}, \"lines\":{\"net\":2}}");
  put("d/B.JSON", "{\"results\":[{\"a\":1}]}");
  put("d/sub/c.json", "{\"id\":\"own\"}");
  put("d/rows.jsonl", "{\"a\":1}\n{\"a\":2}\n");
  put("d/t.csv", "x,y\n1,2\n");
  put("d/notes.txt", "hello");
  put("d/README", "hello");
  put("d/.hidden.json", "{}");
  put("d/.git/x.json", "{}");
  char directory[300];
  snprintf(directory, sizeof directory, "%s/d", folder);
  for (int slash = 0; slash < 2; slash++) {
    if (slash) strcat(directory, "/");
    const char *files[] = {directory};
    for (size_t piece = 0; piece < 20; piece++) {
      char *got = read_files(files, 1, piece, LIMIT, NULL);
      assert_string_equal(got, "1:1 B {\"results\":[{\"a\":1}]}\n"
                               "1:1 a.v2 {\"total\": {\"net\":1}, \"lines\":{\"net\":2}}\n"
                               "1:1 b {\n\"total\": 2\n}\n"
                               "1:1 - {\"a\":1}\n2:1 - {\"a\":2}\n"
                               "1:1 sub/c {\"id\":\"own\"}\n"
                               "2:1 - {\"x\":\"1\",\"y\":\"2\"}\n");
      free(got);
    }
    ee_dataset *dataset = ee_dataset_open(files, 1, NULL);
    const ee_error_list *notes = ee_dataset_notes(dataset);
    assert_int_equal(notes->count, 1);
    assert_string_equal(notes->items[0].message, "2 other files are not read, for example 'README'");
    ee_dataset_close(dataset);
  }
  ee_buffer remove = {0};
  ee_buffer_addf(&remove, "rm -r '%s'", directory);
  assert_int_equal(system(ee_buffer_terminate(&remove)), 0);
  ee_buffer_fini(&remove);
}

/* The records of the directory "d", which is removed. */
static void expect_of_directory(const char *wanted, const char *note) {
  char directory[300];
  snprintf(directory, sizeof directory, "%s/d", folder);
  const char *files[] = {directory};
  for (size_t piece = 0; piece < 20; piece++) {
    char *got = read_files(files, 1, piece, LIMIT, NULL);
    assert_string_equal(got, wanted);
    free(got);
  }
  ee_dataset *dataset = ee_dataset_open(files, 1, NULL);
  const ee_error_list *notes = ee_dataset_notes(dataset);
  assert_string_equal(notes->count > 0 ? notes->items[0].message : "", note);
  ee_dataset_close(dataset);
  ee_buffer remove = {0};
  ee_buffer_addf(&remove, "rm -r '%s'", directory);
  assert_int_equal(system(ee_buffer_terminate(&remove)), 0);
  ee_buffer_fini(&remove);
}

/* Names that say nothing: the content tells which files are data. */
static void test_directories_by_content(void **state) {
  (void)state;
  make("d");
  put("d/X1.txt", "{\"total\": \"2\"}");
  put("d/X2.txt", "{\n\"total\": 3}\n");
  put("d/README", "Answers of the model.\n");
  put("d/scan.png", "\x89PNG\r\n\x1a\n");
  expect_of_directory("1:1 X1 {\"total\": \"2\"}\n1:1 X2 {\n\"total\": 3}\n",
                      "2 other files are not read, for example 'README'");
  make("d");
  put("d/inv.1", "{\"a\":1}");
  put("d/inv.2", "{\"a\":2}");
  expect_of_directory("1:1 inv.1 {\"a\":1}\n1:1 inv.2 {\"a\":2}\n", "");
  make("d");
  put("d/a.json", "{\"a\":1}");
  put("d/notes.txt", "Answers of the model.\n");
  expect_of_directory("1:1 a {\"a\":1}\n", "1 other file is not read, for example 'notes.txt'");
  /* Nothing of it is data. */
  make("d");
  put("d/README", "Answers of the model.\n");
  put("d/notes.txt", "No more than this.\n");
  char directory[300], wanted[500];
  snprintf(directory, sizeof directory, "%s/d", folder);
  snprintf(wanted, sizeof wanted,
           "no data files (*.json, *.jsonl, *.csv, *.tsv) in '%s', but 2 other files, for example 'README'", directory);
  ee_error error;
  assert_null(ee_dataset_open((const char *const[]){directory}, 1, &error));
  assert_string_equal(error.message, wanted);
  ee_buffer remove = {0};
  ee_buffer_addf(&remove, "rm -r '%s'", directory);
  assert_int_equal(system(ee_buffer_terminate(&remove)), 0);
  ee_buffer_fini(&remove);
  /* Arrays of numbers are values of one document. */
  make("d");
  put("d/a.json", "{\"x\":[1,2],\"y\":[3]}");
  put("d/b.json", "{\"x\":[4],\"y\":[]}");
  expect_of_directory("1:1 a {\"x\":[1,2],\"y\":[3]}\n1:1 b {\"x\":[4],\"y\":[]}\n", "");
}

/* An array is a document if its elements are no records. */
static void test_directories_of_arrays(void **state) {
  (void)state;
  make("d");
  put("d/a.json", "[{\"name\":\"tea\"},\n{\"name\":\"milk\"}]");
  put("d/b.json", " [ ]\n");
  put("d/c.json", "[1, 2]");
  expect_of_directory("1:1 a [{\"name\":\"tea\"},\n{\"name\":\"milk\"}]\n1:2 b [ ]\n1:1 c [1, 2]\n", "");
  make("d");
  put("d/a.json", "[]");
  put("d/b.json", "[{\"id\":1},\n{\"id\":2}]");
  put("d/c.json", "[]");
  put("d/d.json", "[{\"expected\":{\"b\":1}, \"output\":{}}]");
  expect_of_directory("1:2 - {\"id\":1}\n2:1 - {\"id\":2}\n1:2 - {\"expected\":{\"b\":1}, \"output\":{}}\n", "");
  /* Arrays that are broken. */
  make("d");
  put("d/a.json", "[,{\"id\":1}]");
  put("d/b.json", "[{\"id\":1}");
  put("d/c.json", "[{\"id\":");
  put("d/d.json", "[");
  expect_of_directory("1:1 a [,{\"id\":1}]\n1:2 - {\"id\":1}\n"
                      "! 1:10 array is not closed: expected ']' before the end of the file\n"
                      "! 1:0 the file ends in the document that starts here\n"
                      "! 1:2 array is not closed: expected ']' before the end of the file\n",
                      "");
  /* The first element is longer than what is looked at. */
  ee_buffer wanted = {0};
  for (int id = 0; id < 2; id++) {
    ee_buffer long_array = {0};
    ee_buffer_addf(&long_array, "[{\"%s\":1,\"x\":\"", id == 1 ? "id" : "a");
    for (int i = 0; i < 100000; i++) ee_buffer_add_char(&long_array, 'x');
    ee_buffer_add_text(&long_array, "\"}]");
    make("d");
    put("d/a.json", ee_buffer_terminate(&long_array));
    ee_str record = {long_array.data + id, long_array.length - 2 * (size_t)id};
    ee_buffer_clear(&wanted);
    ee_buffer_addf(&wanted, "1:%d %s ", 1 + id, id == 1 ? "-" : "a");
    ee_buffer_add_str(&wanted, record);
    ee_buffer_add_char(&wanted, '\n');
    expect_of_directory(ee_buffer_terminate(&wanted), "");
    ee_buffer_fini(&long_array);
  }
  ee_buffer_fini(&wanted);
}

/* A path of records in a directory: where it does not lead anywhere, the file is the document. */
static void test_directories_with_records_inside(void **state) {
  (void)state;
  make("d");
  put("d/a.json", "{\"data\":[{\"x\":1}]}");
  put("d/b.json", "{\"total\":1}");
  put("d/c.json", "[1, 2]");
  char directory[300];
  snprintf(directory, sizeof directory, "%s/d", folder);
  ee_arena arena;
  ee_arena_init(&arena, 0);
  const ee_path *path = ee_record_path_parse(&arena, EE_STR("data"), NULL);
  const ee_record_paths paths = {.records = {&path, 1}};
  char *got = read_files((const char *const[]){directory}, 1, 0, LIMIT, &paths);
  assert_string_equal(got, "1:10 - {\"x\":1}\n1:1 b {\"total\":1}\n1:1 c [1, 2]\n");
  free(got);
  ee_arena_fini(&arena);
  expect_of_directory("1:1 a {\"data\":[{\"x\":1}]}\n1:1 b {\"total\":1}\n1:1 c [1, 2]\n", "");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_documents),
    cmocka_unit_test(test_records_inside),
    cmocka_unit_test(test_path_of_records),
    cmocka_unit_test(test_tables),
    cmocka_unit_test(test_random_tables),
    cmocka_unit_test(test_random_pieces),
    cmocka_unit_test(test_utf_16),
    cmocka_unit_test(test_damaged_zstandard),
    cmocka_unit_test(test_other_files),
    cmocka_unit_test(test_directories),
    cmocka_unit_test(test_directories_by_content),
    cmocka_unit_test(test_directories_of_arrays),
    cmocka_unit_test(test_directories_with_records_inside),
    cmocka_unit_test(test_mark_in_pieces),
    cmocka_unit_test(test_long_rows),
};
EE_TEST_ARRAY(set_up, tear_down, tests);
