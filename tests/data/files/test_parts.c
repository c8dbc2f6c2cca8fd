/* test_parts.c: the parts of random files of every kind, one after the other, are the whole: the same records and
 * errors, each once, at the same places. */
#include "data/files/data_part.h"

#ifdef EE_WITH_ZLIB
#include <zlib.h>
#endif

#include "data/files/dataset.h"
#include "data/files/record.h"
#include "data/random_document.h"
#include "data/temporary_files.h"

/* The files of one list, with a YAML file. */
#define FILES 5
static char yaml_name[300];

static int set_up_all(void **state) {
  set_up(state);
  snprintf(yaml_name, sizeof yaml_name, "%s/4.yaml", folder);
  return 0;
}

static int tear_down_all(void **state) {
  unlink(yaml_name);
  return tear_down(state);
}

/* What a data set hands out: "file line:column id record" and "file ! line:column message" lines. */
static void print_dataset(ee_dataset *dataset, ee_buffer *out) {
  ee_block block;
  ee_block_init(&block);
  ee_error error = {0};
  for (bool done = false;;) {
    ee_status status = ee_dataset_next(dataset, &block, &done, &error);
    if (status != EE_OK) {
      ee_buffer_addf(out, "failed: %s\n", error.message);
      break;
    }
    if (done) break;
    const char *file = strrchr(block.file, '/') != NULL ? strrchr(block.file, '/') + 1 : block.file;
    size_t next = 0;
    uint64_t unsplit = block.unlisted;
    for (size_t i = 0; i <= block.count; i++) {
      const ee_record_span *r = &block.records[i];
      uint64_t end = i < block.count ? r->byte : UINT64_MAX;
      for (; next < block.errors.count && block.errors.items[next].offset <= end; next++) {
        const ee_error *e = &block.errors.items[next];
        ee_buffer_addf(out, "%s ! %zu:%zu %s\n", file, e->line, e->column, e->message);
        unsplit += e->status != EE_OK;
      }
      if (i == block.count) break;
      unsplit += r->unlisted;
      ee_str id = ee_block_given_id(&block, r);
      ee_buffer_addf(out, "%s %llu:%llu %.*s ", file, (unsigned long long)ee_block_line(&block, r->line),
                     (unsigned long long)r->column, id.data != NULL ? (int)id.length : 1,
                     id.data != NULL ? id.data : "-");
      assert_true(ee_dataset_line(dataset, block.file, r->line) == ee_block_line(&block, r->line));
      ee_buffer_add(out, block.text.data + r->offset, r->length);
      ee_buffer_add_char(out, '\n');
    }
    assert_true(unsplit == block.unsplit);
  }
  ee_block_fini(&block);
}

static ee_dataset *open_files(const char *const *files, size_t count, size_t piece, size_t limit) {
  ee_error error = {0};
  ee_dataset *dataset = ee_dataset_open(files, count, &error);
  if (dataset == NULL) print_error("%s\n", error.message);
  assert_non_null(dataset);
  ee_dataset_set_sizes(dataset, piece, limit);
  static const ee_record_paths paths;
  ee_dataset_look_inside(dataset, &paths);
  return dataset;
}

/* Random files ---------------------------------------------------------------------------------- */

static void add_record(test_random *random, ee_buffer *out, bool one_line) {
  size_t start = out->length;
  ee_buffer_addf(out, "{\"id\":%u,\"expected\":", (unsigned)test_random_below(random, 100));
  random_document(random, out, test_random_below(random, 10) == 0 ? 200 : 6, 3, true);
  ee_buffer_add_char(out, '}');
  for (size_t i = start; i < out->length && one_line; i++)
    if (out->data[i] == '\n' || out->data[i] == '\r') out->data[i] = ' ';
}

static void add_lines(test_random *random, ee_buffer *out) {
  static const char *const others[] = {"", " ", "\t\r", "x", "{\"id\":", "[1]", "  {\"id\":1}", "null"};
  size_t count = test_random_below(random, 30);
  if (test_random_below(random, 5) == 0) ee_buffer_add_text(out, "\xef\xbb\xbf");
  if (test_random_below(random, 5) == 0) ee_buffer_add_text(out, "\n \n   ");
  bool windows = test_random_below(random, 3) == 0;
  add_record(random, out, true);
  for (size_t i = 0; i < count; i++) {
    ee_buffer_add_text(out, windows ? "\r\n" : "\n");
    if (i > 0 && test_random_below(random, 4) == 0)
      ee_buffer_add_text(out, others[test_random_below(random, sizeof others / sizeof *others)]);
    else
      add_record(random, out, true);
  }
  if (test_random_below(random, 2) == 0) ee_buffer_add_char(out, '\n');
}

static void add_array(test_random *random, ee_buffer *out) {
  size_t count = test_random_below(random, 12);
  ee_buffer_add_text(out, test_random_below(random, 2) == 0 ? "[" : "\n[\n ");
  for (size_t i = 0; i < count; i++) {
    if (i > 0)
      ee_buffer_add_text(out, test_random_below(random, 8) == 0 ? ",," : test_random_below(random, 2) ? ",\n" : ", ");
    add_record(random, out, false);
  }
  if (test_random_below(random, 8) != 0) ee_buffer_add_char(out, ']');
  if (test_random_below(random, 8) == 0) ee_buffer_add_text(out, "\nmore");
}

static void add_documents(test_random *random, ee_buffer *out) {
  size_t count = 1 + test_random_below(random, 6);
  for (size_t i = 0; i < count; i++) {
    ee_buffer_addf(out, "{\n  \"id\": %zu,\n  \"expected\": ", i);
    random_document(random, out, 6, 3, true);
    ee_buffer_add_text(out, "\n}\n");
  }
  if (test_random_below(random, 5) == 0) ee_buffer_add_text(out, "{\n \"id\": ");
}

/* One document with records in it. */
static void add_nested(test_random *random, ee_buffer *out) {
  size_t count = 2 + test_random_below(random, 8);
  bool by_id = test_random_below(random, 2) == 0;
  ee_buffer_add_text(out, by_id ? "{\n" : "{\"results\": [\n");
  for (size_t i = 0; i < count; i++) {
    if (i > 0) ee_buffer_add_text(out, test_random_below(random, 2) == 0 ? ",\n" : ", ");
    if (by_id) ee_buffer_addf(out, "\"k%zu\": ", i);
    ee_buffer_addf(out, "{\"expected\": %zu,\n \"candidate\": \"%zu\"}", i, i);
  }
  ee_buffer_add_text(out, by_id ? "}" : "]}");
}

static void add_table(test_random *random, ee_buffer *out) {
  static const char *const cells[] = {"", "a", "12.5", "\"x,y\"", "\"two\nlines\"", "\"{\"\"a\"\": 1}\"", "b\"c"};
  size_t count = 1 + test_random_below(random, 20);
  const char *end = test_random_below(random, 3) == 0 ? "\r\n" : "\n";
  if (test_random_below(random, 4) == 0) ee_buffer_add_text(out, "\xef\xbb\xbf");
  ee_buffer_addf(out, "id,expected,candidate%s", end);
  for (size_t i = 0; i < count; i++) {
    if (test_random_below(random, 10) == 0) ee_buffer_add_text(out, end);
    if (i > 2 && test_random_below(random, 10) == 0) ee_buffer_addf(out, "\"x\"y,%s", end);
    ee_buffer_addf(out, "%zu,%s,%s%s%s", i, cells[test_random_below(random, 7)], cells[test_random_below(random, 7)],
                   i > 2 && test_random_below(random, 10) == 0 ? ",more" : "", end);
  }
}

static void add_yaml(test_random *random, ee_buffer *out) {
  size_t count = test_random_below(random, 10);
  ee_buffer_add_text(out, count > 0 ? "cases:\n" : "cases: []\n");
  for (size_t i = 0; i < count; i++) {
    ee_buffer_addf(out, "  - id: c%zu\n    expected: %zu\n", i, i);
    if (test_random_below(random, 2) == 0) ee_buffer_add_text(out, "    candidate: a text\n\n");
  }
  if (test_random_below(random, 10) == 0) ee_buffer_add_text(out, " broken: [\n");
}

static void widen(ee_buffer *out, const ee_buffer *text) {
  for (size_t i = 0; i < text->length; i++) {
    ee_buffer_add_char(out, (char)(text->data[i] & 0x7f));
    ee_buffer_add_char(out, '\0');
  }
}

static void write_packed(const char *name, const ee_buffer *text) {
#ifdef EE_WITH_ZLIB
  gzFile file = gzopen(name, "wb");
  assert_non_null(file);
  if (text->length > 0) assert_int_equal(gzwrite(file, text->data, (unsigned)text->length), text->length);
  assert_int_equal(gzclose(file), Z_OK);
#else
  write_file(name, text->data, text->length);
#endif
}

/* Only lines for `kind` 0. */
static void write_random(test_random *random, const char *name, unsigned kind) {
  ee_buffer text = {0}, wide = {0};
  switch (kind) {
  case 1: add_array(random, &text); break;
  case 2: add_documents(random, &text); break;
  case 3: add_nested(random, &text); break;
  case 4: add_table(random, &text); break;
  case 5: break; /* empty */
  case 6: ee_buffer_add_text(&text, "no data\nat all\nin this\n"); break;
  default: add_lines(random, &text); break;
  }
  if (kind == 7) {
    widen(&wide, &text);
    write_file(name, wide.data, wide.length);
  } else if (kind >= 8) {
    write_packed(name, &text);
  } else {
    write_file(name, text.data, text.length);
  }
  ee_buffer_fini(&text);
  ee_buffer_fini(&wide);
}

/* The whole and its parts ----------------------------------------------------------------------- */

/* The ranges of a part follow those of the parts before it. */
typedef struct tiling {
  char name[100];
  uint64_t to, size;
} tiling;

static void follow(tiling *tiles, const ee_dataset *dataset) {
  const ee_data_range *ranges;
  size_t count = ee_dataset_ranges(dataset, &ranges);
  for (size_t i = 0; i < count; i++) {
    const ee_data_range *r = &ranges[i];
    assert_true(r->from < r->to || r->size == 0);
    assert_true(r->to <= r->size);
    if (strcmp(tiles->name, r->name) == 0) {
      assert_true(r->from == tiles->to);
      assert_true(r->size == tiles->size);
    } else {
      assert_true(tiles->to == tiles->size);
      assert_true(r->from == 0);
    }
    snprintf(tiles->name, sizeof tiles->name, "%s", r->name);
    tiles->to = r->to;
    tiles->size = r->size;
  }
}

static void check_parts(test_random *random, const char *const *files, size_t count, uint64_t of) {
  size_t limit = test_random_below(random, 4) == 0 ? 20 + test_random_below(random, 200) : (size_t)1 << 30;
  ee_buffer whole = {0}, parts = {0};
  ee_dataset *dataset = open_files(files, count, 1 + test_random_below(random, 300), limit);
  print_dataset(dataset, &whole);
  ee_dataset_close(dataset);
  tiling tiles = {.size = 0};
  for (uint64_t part = 1; part <= of; part++) {
    dataset = open_files(files, count, 1 + test_random_below(random, 300), limit);
    ee_error error;
    assert_int_equal(ee_dataset_take_part(dataset, part, of, &error), EE_OK);
    print_dataset(dataset, &parts);
    follow(&tiles, dataset);
    ee_dataset_close(dataset);
  }
  assert_true(tiles.to == tiles.size);
  const char *wanted = ee_buffer_terminate(&whole), *got = ee_buffer_terminate(&parts);
  if (strcmp(wanted, got) != 0) {
    print_error("%zu files in %d parts, whole:\n%s\nparts:\n%s\n", count, (int)of, wanted, got);
    fail();
  }
  ee_buffer_fini(&whole);
  ee_buffer_fini(&parts);
}

static void test_lines(void **state) {
  (void)state;
  test_random random = test_random_start("parts of lines", 151);
  for (int round = 0; round < 100; round++) {
    size_t count = 1 + test_random_below(&random, 4);
    for (size_t i = 0; i < count; i++) write_random(&random, names[i], test_random_below(&random, 6) == 0 ? 5 : 0);
    const char *const files[] = {names[0], names[1], names[2], names[3]};
    check_parts(&random, files, count, 1 + test_random_below(&random, 50));
  }
}

static void test_all_kinds(void **state) {
  (void)state;
  test_random random = test_random_start("parts of all kinds", 152);
  for (int round = 0; round < 200; round++) {
    const char *files[FILES];
    size_t count = 1 + test_random_below(&random, FILES), yaml = test_random_below(&random, FILES);
    for (size_t i = 0; i < count; i++) {
      files[i] = i == yaml ? yaml_name : names[i < yaml ? i : i - 1];
      if (files[i] == yaml_name) {
        ee_buffer text = {0};
        add_yaml(&random, &text);
        write_file(yaml_name, text.data, text.length);
        ee_buffer_fini(&text);
      } else {
        write_random(&random, files[i], (unsigned)test_random_below(&random, 10));
      }
    }
    check_parts(&random, files, count, 1 + test_random_below(&random, round % 10 == 0 ? 200 : 12));
  }
}

/* A record is in the part with its first byte. */
static void test_definition(void **state) {
  (void)state;
  static const char text[] = "{\"a\":1}\n\n  {\"b\":22}\r\n{\"c\":333}";
  static const struct {
    uint64_t byte;
    const char *record;
  } records[] = {{0, "{\"a\":1}"}, {9, "  {\"b\":22}"}, {21, "{\"c\":333}"}};
  write_file(names[0], text, sizeof text - 1);
  uint64_t size = sizeof text - 1;
  for (uint64_t of = 1; of < 2 * size; of++) {
    for (uint64_t part = 1; part <= of; part++) {
      ee_dataset *dataset = open_files((const char *const[]){names[0]}, 1, 0, 0);
      assert_int_equal(ee_dataset_take_part(dataset, part, of, NULL), EE_OK);
      ee_block block;
      ee_block_init(&block);
      bool done = false;
      size_t next = 0;
      while (ee_dataset_next(dataset, &block, &done, NULL) == EE_OK && !done) {
        for (size_t i = 0; i < block.count; i++, next++) {
          while (next < 3 && records[next].byte < size * (part - 1) / of) next++;
          assert_true(next < 3 && records[next].byte < size * part / of);
          assert_true(block.records[i].byte == records[next].byte);
          assert_memory_equal(block.text.data + block.records[i].offset, records[next].record, block.records[i].length);
        }
      }
      while (next < 3 && records[next].byte < size * (part - 1) / of) next++;
      assert_true(next == 3 || records[next].byte >= size * part / of);
      ee_block_fini(&block);
      ee_dataset_close(dataset);
    }
  }
}

/* Records that are made are counted. */
static bool make_number(void *user, ee_buffer *text) {
  int *next = user;
  if (*next == 7) return false;
  ee_buffer_addf(text, "%d", (*next)++);
  return true;
}

static void test_made(void **state) {
  (void)state;
  /* Fewer than were announced: a part that begins after the last one has none. */
  int few = 0;
  ee_dataset *short_one = ee_dataset_open_made("coco.json", 100, make_number, &few);
  const uint64_t hash = ee_dataset_cut_hash(short_one);
  assert_true(hash != 0);
  assert_int_equal(ee_dataset_take_part(short_one, 2, 2, NULL), EE_OK);
  ee_buffer nothing = {0};
  print_dataset(short_one, &nothing);
  assert_int_equal(nothing.length, 0);
  ee_dataset_close(short_one);
  for (uint64_t of = 1; of < 20; of++) {
    ee_buffer all = {0};
    for (uint64_t part = 1; part <= of; part++) {
      int next = 0;
      ee_dataset *dataset = ee_dataset_open_made("coco.json", 7, make_number, &next);
      assert_int_equal(ee_dataset_take_part(dataset, part, of, NULL), EE_OK);
      assert_int_equal(ee_dataset_cut_hash(dataset), hash);
      print_dataset(dataset, &all);
      ee_dataset_close(dataset);
    }
    assert_string_equal(ee_buffer_terminate(&all), "coco.json 0:1 - 0\ncoco.json 0:1 - 1\ncoco.json 0:1 - 2\n"
                                                   "coco.json 0:1 - 3\ncoco.json 0:1 - 4\ncoco.json 0:1 - 5\n"
                                                   "coco.json 0:1 - 6\n");
    ee_buffer_fini(&all);
  }
}

/* In a directory an empty array is what the array before it is, even if another part has that one. */
static void test_empty_arrays(void **state) {
  (void)state;
  test_random random = test_random_start("parts of a directory", 153);
  static const char *const texts[] = {"[1,2]", "[]", "[{\"id\":1,\"expected\":2}]", " [ ] "};
  unlink(yaml_name);
  for (int i = 0; i < 4; i++) write_file(names[i], texts[i], strlen(texts[i]));
  for (uint64_t of = 1; of < 50; of++) check_parts(&random, (const char *const[]){folder}, 1, of);
  /* A YAML file before them. */
  static const char cases[] = "tests:\n- {id: a}\n";
  for (int i = 0; i < 4; i++) write_file(names[i], texts[i & 2], strlen(texts[i & 2]));
  write_file(names[0], "[]", 2);
  write_file(yaml_name, cases, sizeof cases - 1);
  for (uint64_t of = 1; of < 20; of++) check_parts(&random, (const char *const[]){yaml_name, folder}, 2, of);
  unlink(yaml_name);
  /* Files between them that are not arrays. */
  static const char *const others[] = {"[1,2]", "", "{\"id\":1}\n", " [ ] "};
  for (int i = 0; i < 4; i++) write_file(names[i], others[i], strlen(others[i]));
  for (uint64_t of = 1; of < 20; of++) check_parts(&random, (const char *const[]){folder}, 1, of);
}

/* More errors than are listed, in one part and in many. */
static void test_many_errors(void **state) {
  (void)state;
  ee_buffer text = {0};
  ee_buffer_add_text(&text, "[1");
  for (int i = 0; i < 1500; i++) ee_buffer_add_text(&text, i % 50 == 0 ? ",2" : ",");
  ee_buffer_add_text(&text, ",3]");
  write_file(names[0], text.data, text.length);
  ee_buffer_fini(&text);
  for (uint64_t of = 1; of < 4; of++) {
    uint64_t records = 0, unsplit = 0, warnings = 0;
    for (uint64_t part = 1; part <= of; part++) {
      ee_dataset *dataset = open_files((const char *const[]){names[0]}, 1, 100, 0);
      assert_int_equal(ee_dataset_take_part(dataset, part, of, NULL), EE_OK);
      ee_block block;
      ee_block_init(&block);
      for (bool done = false; !done;) {
        assert_int_equal(ee_dataset_next(dataset, &block, &done, NULL), EE_OK);
        records += block.count;
        unsplit += block.unsplit;
        for (size_t i = 0; i < block.errors.count; i++) warnings += block.errors.items[i].status == EE_OK;
      }
      ee_block_fini(&block);
      ee_dataset_close(dataset);
    }
    assert_int_equal(records, 32);
    assert_int_equal(unsplit, 1470);
    assert_int_equal(warnings, 1);
  }
}

/* The second half of lines whose file changed after it was read: `length` bytes are left of it, or it is gone. */
static void check_place(long length, const char *wanted_name, const char *wanted_file) {
  ee_buffer text = {0};
  for (int i = 0; i < 20; i++) ee_buffer_add_text(&text, "{\"a\":1}\n");
  write_file(names[0], text.data, text.length);
  ee_dataset *dataset = open_files((const char *const[]){names[0]}, 1, 0, 0);
  assert_int_equal(ee_dataset_take_part(dataset, 2, 2, NULL), EE_OK);
  ee_block block;
  ee_block_init(&block);
  bool done;
  assert_int_equal(ee_dataset_next(dataset, &block, &done, NULL), EE_OK);
  assert_int_equal(block.count, 10);
  assert_int_equal(length < 0 ? unlink(names[0]) : truncate(names[0], length), 0);
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_record_place place = ee_block_place(&block, &block.records[1]);
  assert_string_equal(ee_record_place_name(&place, &arena).data, wanted_name);
  ee_error error;
  ee_error_at(&error, EE_ERROR_DATA, block.file, 3, 7, "what");
  error.offset = 88;
  ee_block_place_error(&block, &error);
  assert_string_equal(strrchr(error.file, '/') + 1, wanted_file);
  assert_string_equal(error.message, "what");
  assert_int_equal(error.line, wanted_file[strlen(wanted_file) - 1] == 'l' ? 12 : 0);
  ee_arena_fini(&arena);
  ee_block_fini(&block);
  ee_dataset_close(dataset);
  ee_buffer_fini(&text);
}

static void test_lost_lines(void **state) {
  (void)state;
  check_place(160, "0.jsonl:12", "0.jsonl");
  check_place(40, "0.jsonl@88", "0.jsonl@88");
  check_place(-1, "0.jsonl@88", "0.jsonl@88");
}

/* What has no size of its own, what is gone, and what is packed or packed YAML. */
static void test_uncut(void **state) {
  (void)state;
  ee_error error = {0};
  ee_dataset *dataset = open_files((const char *const[]){"/dev/null"}, 1, 0, 0);
  assert_int_equal(ee_dataset_take_part(dataset, 1, 2, &error), EE_ERROR_USAGE);
  assert_non_null(strstr(error.message, "'/dev/null' cannot be cut into parts: it is not a regular file"));
  ee_dataset_close(dataset);
  write_file(names[0], "{}", 2);
  write_file(names[1], "{}", 2);
  dataset = open_files((const char *const[]){names[0], names[1]}, 2, 0, 0);
  unlink(names[1]);
  assert_int_equal(ee_dataset_take_part(dataset, 1, 2, &error), EE_ERROR_SYSTEM);
  assert_non_null(strstr(error.message, "No such file or directory"));
  assert_int_equal(ee_dataset_take_range(dataset, 0, 1, &error), EE_ERROR_USAGE);
  assert_string_equal(error.message, "--range is of standard input ('-' alone): files are cut with --shard I/N");
  ee_dataset_close(dataset);
  dataset = open_files((const char *const[]){names[0]}, 1, 0, 0);
  assert_int_equal(ee_dataset_take_range(dataset, 0, 1, NULL), EE_ERROR_USAGE);
  ee_dataset_close(dataset);
#ifdef EE_WITH_ZLIB
  ee_buffer text = {0}, got[2] = {{0}, {0}};
  ee_buffer_add_text(&text, "tests:\n- {id: a}\n- {id: b}\n");
  write_packed(yaml_name, &text);
  for (uint64_t part = 1; part <= 2; part++) {
    dataset = open_files((const char *const[]){yaml_name}, 1, 0, 0);
    assert_int_equal(ee_dataset_take_part(dataset, part, 2, NULL), EE_OK);
    print_dataset(dataset, &got[part - 1]);
    ee_dataset_close(dataset);
  }
  assert_string_equal(ee_buffer_terminate(&got[0]), "4.yaml 2:3 - {\"id\":\"a\"}\n4.yaml 3:3 - {\"id\":\"b\"}\n");
  assert_int_equal(got[1].length, 0);
  ee_buffer_fini(&got[0]);
  ee_buffer_fini(&text);
  unlink(yaml_name);
#endif
}

/* What standard input gives for a range of `text`, if `missing` bytes at its end are cut off. */
static ee_status read_range(const ee_buffer *text, uint64_t from, uint64_t to, size_t missing, ee_buffer *out) {
  size_t start = from > 0 ? (size_t)from - 1 : 0;
  write_file(names[0], text->data + start, text->length - start - missing);
  FILE *file = fopen(names[0], "rb");
  assert_non_null(file);
  int kept = dup(STDIN_FILENO);
  assert_true(dup2(fileno(file), STDIN_FILENO) >= 0);
  ee_dataset *dataset = open_files((const char *const[]){"-"}, 1, 100, (size_t)1 << 30);
  assert_int_equal(ee_dataset_take_range(dataset, from, to, NULL), EE_OK);
  ee_block block;
  ee_block_init(&block);
  bool done = false;
  ee_status status;
  while ((status = ee_dataset_next(dataset, &block, &done, NULL)) == EE_OK && !done) {
    for (size_t i = 0; i < block.count; i++) {
      assert_true(block.records[i].byte >= from && block.records[i].byte < to);
      assert_true((ee_block_line(&block, block.records[i].line) == 0) == (from > 0));
      ee_buffer_addf(out, "%d ", (int)block.records[i].byte);
      ee_buffer_add(out, block.text.data + block.records[i].offset, block.records[i].length);
      ee_buffer_add_char(out, '\n');
    }
    assert_int_equal(block.errors.count, 0);
  }
  const ee_data_range *ranges;
  assert_int_equal(ee_dataset_ranges(dataset, &ranges), 1);
  assert_true(ranges->from == from && ranges->to == to && ranges->size == 0 && ranges->unit == EE_DATA_BYTES);
  ee_block_fini(&block);
  ee_dataset_close(dataset);
  dup2(kept, STDIN_FILENO);
  close(kept);
  fclose(file);
  return status;
}

/* Two ranges that meet at any byte of a file have each line once; one that was cut short fails. */
static void test_ranges(void **state) {
  (void)state;
  ee_buffer text = {0}, wanted = {0}, got = {0};
  for (int i = 0; i < 50; i++)
    ee_buffer_addf(&text, "{\"n\":%d}%s%s", i, i % 7 == 0 ? "\r\n" : "\n", i % 9 == 0 ? "\n" : "");
  text.length--; /* the file ends without a newline */
  assert_int_equal(read_range(&text, 0, text.length, 0, &wanted), EE_OK);
  for (size_t at = 0; at <= text.length; at++) {
    ee_buffer_clear(&got);
    assert_int_equal(read_range(&text, 0, at, 0, &got), EE_OK);
    assert_int_equal(read_range(&text, at, text.length, 0, &got), EE_OK);
    assert_string_equal(ee_buffer_terminate(&got), ee_buffer_terminate(&wanted));
    if (at == text.length) continue;
    ee_buffer_clear(&got);
    assert_int_equal(read_range(&text, at, text.length, 1, &got), EE_ERROR_SYSTEM);
  }
  /* The input ends after the range, in the middle of its last record. */
  ee_buffer_clear(&got);
  const char *last = memchr(text.data + 100, '\n', 100);
  uint64_t begin = (uint64_t)(last - text.data) + 1;
  assert_int_equal(read_range(&text, 50, begin + 1, text.length - begin - 3, &got), EE_ERROR_SYSTEM);
  assert_null(strstr(ee_buffer_terminate(&got), "{\"n\"\n"));
  /* It ends in the middle of a record that is not of the range. */
  ee_buffer_clear(&got);
  ee_buffer_clear(&wanted);
  assert_int_equal(read_range(&text, 50, begin, 0, &wanted), EE_OK);
  assert_int_equal(read_range(&text, 50, begin, text.length - begin - 3, &got), EE_OK);
  assert_string_equal(ee_buffer_terminate(&got), ee_buffer_terminate(&wanted));
  ee_buffer_fini(&text);
  ee_buffer_fini(&wanted);
  ee_buffer_fini(&got);
}

/* A record that is too long for the limit is an error, whole or not: it does not mean that the input was cut short. */
static void test_range_with_long_record(void **state) {
  (void)state;
  ee_buffer text = {0};
  ee_buffer_add_text(&text, "{\"n\":1}\n{\"n\":\"");
  for (int i = 0; i < 3000; i++) ee_buffer_add_char(&text, 'x');
  write_file(names[0], text.data, text.length);
  FILE *file = fopen(names[0], "rb");
  assert_non_null(file);
  int kept = dup(STDIN_FILENO);
  assert_true(dup2(fileno(file), STDIN_FILENO) >= 0);
  ee_dataset *dataset = open_files((const char *const[]){"-"}, 1, 100, 1000);
  assert_int_equal(ee_dataset_take_range(dataset, 0, text.length, NULL), EE_OK);
  ee_block block;
  ee_block_init(&block);
  size_t records = 0, errors = 0;
  bool done = false;
  while (!done) {
    assert_int_equal(ee_dataset_next(dataset, &block, &done, NULL), EE_OK);
    records += block.count;
    errors += block.errors.count;
  }
  assert_int_equal(records, 1);
  assert_int_equal(errors, 1);
  ee_block_fini(&block);
  ee_dataset_close(dataset);
  dup2(kept, STDIN_FILENO);
  close(kept);
  fclose(file);
  ee_buffer_fini(&text);
}

/* The message for a range of the whole of standard input; of its first bytes, if it goes on after them, the records. */
static void check_range_of(const char *text, uint64_t from, uint64_t to, const char *wanted) {
  write_file(names[0], text, strlen(text));
  FILE *file = fopen(names[0], "rb");
  assert_non_null(file);
  int kept = dup(STDIN_FILENO);
  assert_true(dup2(fileno(file), STDIN_FILENO) >= 0);
  ee_dataset *dataset = open_files((const char *const[]){"-"}, 1, 0, 0);
  assert_int_equal(ee_dataset_take_range(dataset, from, to, NULL), EE_OK);
  ee_buffer out = {0};
  print_dataset(dataset, &out);
  assert_string_equal(ee_buffer_terminate(&out), wanted);
  ee_buffer_fini(&out);
  ee_dataset_close(dataset);
  dup2(kept, STDIN_FILENO);
  close(kept);
  fclose(file);
}

static void test_ranges_of_other_kinds(void **state) {
  (void)state;
#define REFUSED(what)                                                                                                  \
  "failed: --range is of JSONL, and standard input is " what ": only --shard I/N of the file can cut that\n"
  check_range_of("[{}]", 0, 4, REFUSED("a JSON array"));
  check_range_of("a,b\n1,2\n", 0, 8, REFUSED("a table"));
  check_range_of("{\n\"a\":1}\n", 0, 9, REFUSED("JSON that spans lines, or one record"));
  check_range_of("Dear Sir", 0, 8, REFUSED("no data"));
  check_range_of("\xff\xfe{\n", 0, 4, REFUSED("packed or UTF-16"));
  /* The last record is whole, or broken, where the input ends; or there is only white space. */
  check_range_of("{\"a\":1}\n{\"b\":2}", 0, 9, "- 1:1 - {\"a\":1}\n- 2:1 - {\"b\":2}\n");
  check_range_of("{\"a\":1}\n{\"b\" 2,\"c\":123456789012}", 0, 9,
                 "- 1:1 - {\"a\":1}\n- 2:1 - {\"b\" 2,\"c\":123456789012}\n");
  check_range_of(
      "{\"a\":1}\n{\"b\":", 0, 9,
      "- 1:1 - {\"a\":1}\nfailed: standard input ends at byte 13, in the middle of the record that begins at byte 8\n");
  check_range_of("{\"a\":1}\n{\"b\":", 0, 8, "- 1:1 - {\"a\":1}\n");
  check_range_of("{\"a\":1}\n{}\n  ", 0, 12, "- 1:1 - {\"a\":1}\n- 2:1 - {}\n");
}

EE_TEST_FILE(set_up_all, tear_down_all, cmocka_unit_test(test_lines), cmocka_unit_test(test_all_kinds),
             cmocka_unit_test(test_definition), cmocka_unit_test(test_made), cmocka_unit_test(test_empty_arrays),
             cmocka_unit_test(test_ranges), cmocka_unit_test(test_range_with_long_record),
             cmocka_unit_test(test_ranges_of_other_kinds), cmocka_unit_test(test_many_errors),
             cmocka_unit_test(test_lost_lines), cmocka_unit_test(test_uncut));
