/* test_expected_set.c: expected values from a file of their own, and data sets whose records are made. */
#include "data/temporary_files.h"

#include <inttypes.h>
#include <pthread.h>
#include <sys/stat.h>
#ifdef EE_WITH_ZLIB
#include <zlib.h>
#endif

#include "data/expected_set.h"
#include "data/files/dataset.h"
#include "data/json/json_reader.h"
#include "data/json/json_writer.h"
#include "support/random.h"

#define FILE_NAME names[0]

static ee_arena arena;
static ee_error_list told;
static ee_buffer messages;

/* Opens the file; `messages` gets what was told, with the file called F. */
static ee_expected_set *open_set(const ee_record_paths *paths, ee_error *error) {
  ee_error_list_init(&told);
  ee_buffer_clear(&messages);
  *error = (ee_error){.status = EE_OK};
  ee_expected_set *set = ee_expected_set_open(FILE_NAME, paths, NULL, &told, error);
  assert_int_equal(set == NULL, error->status != EE_OK);
  for (size_t i = 0; i < told.count; i++) {
    const ee_error *one = &told.items[i];
    if (one->status == EE_OK) ee_buffer_add_text(&messages, "warning ");
    ee_buffer_addf(&messages, "F:%zu:%zu: %s\n", one->line, one->column, one->message);
    assert_string_equal(one->file, FILE_NAME);
  }
  ee_buffer_terminate(&messages);
  ee_error_list_fini(&told);
  return set;
}

static ee_expected_set *open_text(const char *text, const char *told_text) {
  write_file(FILE_NAME, text, strlen(text));
  ee_error error;
  ee_expected_set *set = open_set(NULL, &error);
  if (set == NULL) print_error("%s\n", error.message);
  assert_non_null(set);
  assert_string_equal(messages.data, told_text);
  return set;
}

static const char *text_of(const ee_value *value) {
  if (value == NULL) return "none";
  ee_buffer out = {0};
  ee_json_write_value(&out, value);
  const char *text = ee_arena_copy(&arena, out.data, out.length);
  ee_buffer_fini(&out);
  return text;
}

static void assert_found(ee_expected_set *set, const char *id, const char *expected) {
  assert_string_equal(text_of(ee_expected_set_find(set, ee_str_from(id), &arena)), expected);
}

/* The unused ids and their number: "3: a b". */
static const char *unused(const ee_expected_set *set, size_t limit) {
  const ee_str *ids;
  size_t count = ee_expected_set_unused(set, limit, &arena, &ids);
  ee_buffer out = {0};
  ee_buffer_addf(&out, "%zu:", count);
  for (size_t i = 0; i < count && i < limit; i++) ee_buffer_addf(&out, " %.*s", (int)ids[i].length, ids[i].data);
  const char *text = ee_arena_copy(&arena, out.data, out.length);
  ee_buffer_fini(&out);
  return text;
}

static void test_lines(void **state) {
  (void)state;
  ee_expected_set *set = open_text("\xef\xbb\xbf{\"id\":\"a\",\"expected\":{\"x\":1.50}}\r\n\n"
                                   "{\"ground_truth\":[1,2],\"case_id\":17}\n"
                                   "{\"id\":\"\",\"expected\":\"```json\\n{\\\"y\\\":2}\\n```\"}\n"
                                   "{\"id\":\"t\",\"expected\":\"plain text\"}\n"
                                   "{\"id\":\"n\",\"expected\":null}",
                                   "");
  assert_int_equal(ee_expected_set_count(set), 5);
  assert_int_equal(ee_expected_set_in_error(set), 0);
  assert_null(ee_expected_set_coco(set));
  assert_string_equal(unused(set, 2), "5: a 17");
  assert_found(set, "a", "{\"x\":1.5}");
  assert_found(set, "17", "[1,2]");
  assert_found(set, "", "{\"y\":2}");
  assert_found(set, "t", "\"plain text\"");
  assert_found(set, "n", "null");
  assert_found(set, "b", "none");
  assert_string_equal(unused(set, 2), "0:");
  assert_found(set, "a", "{\"x\":1.5}");
  ee_expected_set_close(set);
}

static void test_array(void **state) {
  (void)state;
  ee_expected_set *set =
      open_text(" [ {\"id\":\"a\",\n\"expected\":1},\n {\"id\":\"b\",\"expected\":{\"c\":[{}]}} ]\n", "");
  assert_int_equal(ee_expected_set_count(set), 2);
  assert_found(set, "b", "{\"c\":[{}]}");
  assert_string_equal(unused(set, 9), "1: a");
  ee_expected_set_close(set);
}

/* Invalid records are reported with their lines and left out. */
static void test_errors(void **state) {
  (void)state;
  ee_expected_set *set = open_text("{\"id\":\"a\",\"expected\":1}\n"
                                   "{\"id\":\"b\",\"expected\":}\n"
                                   "{\"id\":\"c\"}\n"
                                   "{\"expected\":1}\n"
                                   "{\"id\":null,\"expected\":1}\n"
                                   "{\"id\":\"a\",\"expected\":2}\n"
                                   "{\"id\":[],\"expected\":2}\n"
                                   "7\n"
                                   "{\"id\":\"d\",\"expected\":1,\"expected\":2}\n",
                                   "F:2:22: expected a value\n"
                                   "F:3:0: record has no expected value: it has 'id'\n"
                                   "F:4:0: record has no id: it has 'expected'\n"
                                   "F:5:0: record has no id: it has 'id', 'expected'\n"
                                   "F:6:0: duplicate id 'a' (first at line 1)\n"
                                   "F:7:0: id must be a string or a number, got an array\n"
                                   "F:8:0: record must be an object, got a number\n"
                                   "warning F:9:24: duplicate key 'expected', the last one counts\n");
  assert_int_equal(ee_expected_set_count(set), 2);
  assert_int_equal(ee_expected_set_in_error(set), 7);
  assert_found(set, "a", "1");
  assert_found(set, "d", "2");
  ee_expected_set_close(set);

  set = open_text("[{\"id\":\"a\",\"expected\":1} , , {\"id\":\"b\",\n \"x\":1,\"x\":1,\"expected\" 1},{\"id\":\"c\"",
                  "F:1:28: expected a value before ','\n"
                  "warning F:2:8: duplicate key 'x', the last one counts\n"
                  "F:2:25: expected ':'\n"
                  "F:2:0: array is not closed: the file ends in the element that starts here\n");
  ee_expected_set_close(set);
}

static void test_nothing(void **state) {
  (void)state;
  static const char *const texts[] = {
      "", " \n", "[]", "{}", "x", "{\"id\":1}", "[{\"image_id\":1,\"bbox\":[1,2,3,4]}]"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    ee_error error;
    write_file(FILE_NAME, texts[i], strlen(texts[i]));
    assert_null(open_set(NULL, &error));
    assert_int_equal(error.status, EE_ERROR_DATA);
    assert_non_null(strstr(error.message, i < 3 || i == 4 ? "no records in" : "has an id and an expected value"));
  }
  unlink(FILE_NAME);
  ee_error error;
  assert_null(open_set(NULL, &error));
  assert_int_equal(error.status, EE_ERROR_SYSTEM);
  assert_non_null(strstr(error.message, "cannot open"));
  assert_null(ee_expected_set_open(FILE_NAME, NULL, NULL, &told, NULL));
}

static void test_paths(void **state) {
  (void)state;
  static const char text[] =
      "{\"meta\":{\"key\":\"a\"},\"id\":\"z\",\"truth\":{\"v\":1},\"expected\":2}\n{\"meta\":{},\"truth\":1}\n";
  write_file(FILE_NAME, text, sizeof text - 1);
  ee_error error;
  const ee_path *id = ee_path_parse(&arena, EE_STR("meta.key"), &error),
                *expected = ee_path_parse(&arena, EE_STR("truth"), &error);
  ee_record_paths paths = {.id = {&id, 1}, .expected = {&expected, 1}};
  ee_expected_set *set = open_set(&paths, &error);
  assert_non_null(set);
  assert_string_equal(messages.data, "F:2:0: record has no id: it has 'meta', 'truth'\n");
  assert_found(set, "a", "{\"v\":1}");
  assert_found(set, "z", "none");

  /* Records of the data have the same paths, and need no expected value; one that they bring does not count. */
  ee_case found;
  const ee_value *record =
      ee_json_read(&arena, EE_STR("{\"meta\":{\"key\":\"a\"},\"truth\":5,\"output\":{\"w\":2}}"), NULL, NULL);
  assert_int_equal(ee_expected_set_read(set, record, &paths, &(ee_record_place){.line = 3}, &arena, &found, &error),
                   EE_OK);
  assert_string_equal(text_of(found.expected), "{\"v\":1}");
  assert_string_equal(text_of(found.candidate), "{\"w\":2}");
  assert_true(ee_str_is(found.id, "a"));
  assert_ptr_equal(found.record, record);
  record = ee_json_read(&arena, EE_STR("{\"meta\":{\"key\":\"b\"},\"truth\":5}"), NULL, NULL);
  assert_int_equal(ee_expected_set_read(set, record, &paths, &(ee_record_place){.line = 3}, &arena, &found, &error),
                   EE_ERROR_DATA);
  assert_non_null(strstr(error.message, "no expected value for id 'b' in '"));
  record = ee_json_read(&arena, EE_STR("{\"truth\":5}"), NULL, NULL);
  assert_int_equal(ee_expected_set_read(set, record, &paths, &(ee_record_place){.line = 3}, &arena, &found, &error),
                   EE_ERROR_DATA);
  assert_non_null(strstr(error.message, "record has no id: it has "));
  assert_int_equal(ee_expected_set_read(NULL, record, &paths, &(ee_record_place){.line = 3}, &arena, &found, &error),
                   EE_OK);
  assert_string_equal(text_of(found.expected), "5");
  ee_expected_set_close(set);
}

/* Marks of parts, put together, are those of the whole; the hash is that of ids and records. */
static void test_marks(void **state) {
  (void)state;
  ee_buffer text = {0}, marks = {0}, both = {0};
  for (int i = 0; i < 11; i++) ee_buffer_addf(&text, "{\"id\":\"k%d\",\"expected\":%d}\n", i, i);
  const char *file = ee_buffer_terminate(&text);
  ee_expected_set *a = open_text(file, ""), *b = open_text(file, "");
  assert_true(ee_expected_set_hash(a) == ee_expected_set_hash(b));
  assert_found(a, "k2", "2");
  assert_found(a, "k10", "10");
  assert_found(b, "k3", "3");
  ee_expected_set_add_marks(a, &marks);
  assert_int_equal(marks.length, 2);
  assert_memory_equal(marks.data, "\x04\x04", 2);
  assert_true(ee_expected_set_merge_marks(b, (ee_str){marks.data, marks.length}));
  ee_expected_set_add_marks(b, &both);
  assert_memory_equal(both.data, "\x0c\x04", 2);
  assert_false(ee_expected_set_merge_marks(b, EE_STR("abc")));
  ee_expected_set_close(b);
  text.data[text.length - 3] = '7';
  b = open_text(ee_buffer_terminate(&text), "");
  assert_true(ee_expected_set_hash(a) != ee_expected_set_hash(b));
  ee_expected_set_close(a);
  ee_expected_set_close(b);
  ee_buffer_fini(&text);
  ee_buffer_fini(&marks);
  ee_buffer_fini(&both);
}

/* Numbers as ids are compared by their decimal value, in all sizes; a text is equal to the number that it shows. */
static void test_numbers(void **state) {
  (void)state;
  ee_expected_set *set = open_text(
      "{\"id\":9007199254740993,\"expected\":1}\n{\"id\":9007199254740992,\"expected\":2}\n{\"id\":1e2,\"expected\":3}"
      "\n"
      "{\"id\":9007199254740995.0,\"expected\":4}\n{\"id\":0.5,\"expected\":5}\n{\"id\":\"100\",\"expected\":6}\n",
      "F:6:0: duplicate id '100' (first at line 3)\n");
  static const struct {
    const char *record, *expected;
  } rows[] = {{"{\"id\":9007199254740993}", "1"},     {"{\"id\":9007199254740993.0}", "1"},
              {"{\"id\":9.007199254740993e15}", "1"}, {"{\"id\":\"9007199254740993\"}", "1"},
              {"{\"id\":9007199254740992}", "2"},     {"{\"id\":100.0}", "3"},
              {"{\"id\":9007199254740995}", "4"},     {"{\"id\":5e-1}", "5"},
              {"{\"id\":9007199254740994}", NULL}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ee_case found;
    ee_error error;
    const ee_value *record = ee_json_read(&arena, ee_str_from(rows[i].record), NULL, NULL);
    ee_status status = ee_expected_set_read(set, record, NULL, &(ee_record_place){.line = 1}, &arena, &found, &error);
    assert_int_equal(status, rows[i].expected != NULL ? EE_OK : EE_ERROR_DATA);
    if (status == EE_OK) assert_string_equal(text_of(found.expected), rows[i].expected);
  }
  ee_expected_set_close(set);
}

/* Far more errors than are listed. */
static void test_many_errors(void **state) {
  (void)state;
  ee_buffer text = {0};
  ee_buffer_add_text(&text, "{\"id\":\"a\",\"expected\":1}\n");
  for (int i = 0; i < 3000; i++) ee_buffer_addf(&text, "{\"id\":%d}\n", i);
  write_file(FILE_NAME, text.data, text.length);
  ee_error error;
  ee_expected_set *set = open_set(NULL, &error);
  assert_non_null(set);
  assert_int_equal(ee_expected_set_in_error(set), 3000);
  assert_non_null(
      strstr(messages.data,
             "F:1001:0: record has no expected value: it has 'id'\nwarning F:0:0: 2000 more records in error\n"));
  ee_expected_set_close(set);

  /* An array's commas: what cannot even be split off. */
  ee_buffer_clear(&text);
  ee_buffer_add_text(&text, "[{\"id\":\"a\",\"expected\":1}");
  for (int i = 0; i < 3000; i++) ee_buffer_add_text(&text, ",");
  ee_buffer_add_text(&text, "{\"id\":\"b\"}]");
  write_file(FILE_NAME, text.data, text.length);
  set = open_set(NULL, &error);
  assert_non_null(set);
  assert_int_equal(ee_expected_set_in_error(set), 3000);
  ee_expected_set_close(set);
  ee_buffer_fini(&text);
}

/* Random sets against a list that is searched from its start. */
static void test_twin(void **state) {
  (void)state;
  test_random random = test_random_start("expected_set", 31);
  enum { MOST = 300 };
  for (int round = 0; round < 200; round++) {
    size_t count = 1 + test_random_below(&random, MOST), range = 1 + test_random_below(&random, 2 * MOST);
    size_t ids[MOST], good = 0;
    bool asked[2 * MOST] = {false};
    ee_buffer text = {0};
    for (size_t i = 0; i < count; i++) {
      ids[i] = test_random_below(&random, range);
      bool number = test_random_below(&random, 2) == 0;
      ee_buffer_addf(&text, "{\"id\":%s%zu%s,\"expected\":{\"row\":%zu}}\n", number ? "" : "\"", ids[i],
                     number ? "" : "\"", i);
      bool before = false;
      for (size_t k = 0; k < i; k++) before = before || ids[k] == ids[i];
      good += !before;
    }
    write_file(FILE_NAME, text.data, text.length);
    ee_buffer_fini(&text);
    ee_error error;
    ee_expected_set *set = open_set(NULL, &error);
    assert_non_null(set);
    assert_int_equal(ee_expected_set_count(set), good);
    assert_int_equal(ee_expected_set_in_error(set), count - good);
    size_t left = good;
    for (int asking = 0; asking < 200; asking++) {
      size_t id = test_random_below(&random, range), row = 0;
      while (row < count && ids[row] != id) row++;
      const char *twin = row < count ? ee_arena_printf(&arena, "{\"row\":%zu}", row) : "none";
      assert_found(set, ee_arena_printf(&arena, "%zu", id), twin);
      left -= row < count && !asked[id];
      asked[id] = true;
    }
    const ee_str *unasked;
    assert_int_equal(ee_expected_set_unused(set, 3, &arena, &unasked), left);
    size_t at = 0;
    for (size_t i = 0; i < count && at < 3 && at < left; i++) {
      bool before = false;
      for (size_t k = 0; k < i; k++) before = before || ids[k] == ids[i];
      if (before || asked[ids[i]]) continue;
      assert_true(ee_str_is(unasked[at++], ee_arena_printf(&arena, "%zu", ids[i])));
    }
    ee_expected_set_close(set);
    ee_arena_reset(&arena, 0);
  }
}

#ifdef EE_WITH_ZLIB
static void write_packed(const char *text, size_t length, size_t keep) {
  gzFile file = gzopen(FILE_NAME, "wb");
  assert_int_equal(gzwrite(file, text, (unsigned)length), (int)length);
  assert_int_equal(gzclose(file), Z_OK);
  if (keep > 0) assert_int_equal(truncate(FILE_NAME, (off_t)keep), 0);
}

static void test_packed(void **state) {
  (void)state;
  ee_buffer text = {0};
  for (int i = 0; i < 20000; i++) ee_buffer_addf(&text, "{\"id\":%d,\"expected\":%d}\n", i, (i * 7919) % 10007);
  write_packed(text.data, text.length, 0);
  ee_error error;
  ee_expected_set *set = open_set(NULL, &error);
  assert_non_null(set);
  assert_int_equal(ee_expected_set_count(set), 20000);
  assert_found(set, "19999", "1299");
  ee_expected_set_close(set);

  /* Cut short: what came before counts. */
  struct stat facts;
  assert_int_equal(stat(FILE_NAME, &facts), 0);
  write_packed(text.data, text.length, (size_t)facts.st_size / 2);
  set = open_set(NULL, &error);
  assert_non_null(set);
  assert_in_range(ee_expected_set_count(set), 1000, 19000);
  assert_int_equal(ee_expected_set_in_error(set), 1);
  assert_non_null(strstr(messages.data, "is cut short"));
  ee_expected_set_close(set);

  static const char coco[] =
      "{\"images\":[{\"id\":1}],\"annotations\":[],\"categories\":[{\"id\":1,\"name\":\"a name of some length\"}]}";
  write_packed(coco, sizeof coco - 1, 0);
  set = open_set(NULL, &error);
  assert_non_null(set);
  assert_non_null(ee_expected_set_coco(set));
  assert_int_equal(ee_expected_set_count(set), 1);
  ee_expected_set_close(set);
  write_packed(coco, sizeof coco - 1, 60);
  assert_null(open_set(NULL, &error));
  assert_int_equal(error.status, EE_ERROR_DATA);
  ee_buffer_fini(&text);
}
#endif

/* A pipe into which another thread writes byte by byte. */
typedef struct talker {
  int ends[2];
  const char *text;
} talker;

static void *talk(void *argument) {
  talker *t = argument;
  for (const char *at = t->text; *at != '\0'; at++)
    if (write(t->ends[1], at, 1) != 1) break;
  close(t->ends[1]);
  return NULL;
}

static void test_pipes(void **state) {
  (void)state;
  static const char *const texts[] = {"{\"id\":\"a\",\"expected\":1}\n{\"id\":\"b\",\"expected\":1}\n",
                                      "{\"images\":[{\"id\":1},{\"id\":2}],\"annotations\":[],\"categories\":[]}"};
  for (int i = 0; i < 3; i++) {
    talker t = {.text = texts[i % 2]};
    char name[64];
    assert_int_equal(pipe(t.ends), 0);
    snprintf(name, sizeof name, "/dev/fd/%d", t.ends[0]);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, talk, &t), 0);
    ee_error error;
    ee_error_list_init(&told);
    volatile sig_atomic_t never = 0;
    ee_expected_set *set = ee_expected_set_open(name, NULL, &never, &told, &error);
    assert_non_null(set);
    assert_int_equal(ee_expected_set_count(set), 2);
    assert_int_equal(ee_expected_set_coco(set) != NULL, i == 1);
    ee_expected_set_close(set);
    ee_error_list_fini(&told);
    pthread_join(thread, NULL);
    close(t.ends[0]);
  }
}

static volatile sig_atomic_t stop;
static void *set_stop(void *unused_argument) {
  (void)unused_argument;
  usleep(20000);
  __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
  return NULL;
}

static void test_interrupt(void **state) {
  (void)state;
  for (int i = 0; i < 2; i++) {
    int ends[2];
    char name[64];
    assert_int_equal(pipe(ends), 0);
    const char *text = i == 0 ? "{\"id\":" : "{\"images\":[{\"id\":";
    assert_int_equal(write(ends[1], text, strlen(text)), (ssize_t)strlen(text));
    snprintf(name, sizeof name, "/dev/fd/%d", ends[0]);
    stop = 0;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, set_stop, NULL), 0);
    ee_error error = {0};
    ee_error_list_init(&told);
    assert_null(ee_expected_set_open(name, NULL, &stop, &told, &error));
    assert_int_equal(error.status, EE_ERROR_SYSTEM);
    assert_non_null(strstr(error.message, "interrupted"));
    ee_error_list_fini(&told);
    pthread_join(thread, NULL);
    close(ends[0]);
    close(ends[1]);
  }
}

/* Made records ------------------------------------------------------------------------------------------------------
 */

typedef struct maker {
  int made, count;
} maker;

static bool make_record(void *user, ee_buffer *text) {
  maker *m = user;
  if (m->made == m->count) return false;
  ee_buffer_addf(text, "{\"id\":%d}", m->made++);
  return true;
}

/* Keys and texts that are read, but not as they are written. */
static void test_warnings(void **state) {
  (void)state;
  ee_expected_set *set = open_text("{\"id\":\"a\",\"\":1,\n\"expected\":1,\"\":2,\"x\":{\"y\":1,\"y\":2}}\n"
                                   "{\"id\":\"b\",\"expected\":\"\\ud83d!\"}\n",
                                   "warning F:2:14: duplicate key '', the last one counts\n"
                                   "warning F:2:30: duplicate key 'y', the last one counts\n"
                                   "warning F:3:0: half a surrogate pair in a string, read as U+FFFD\n");
  assert_found(set, "b", "\"\xef\xbf\xbd!\"");
  ee_expected_set_close(set);
}

/* More warnings than are listed. */
static void test_many_warnings(void **state) {
  (void)state;
  ee_buffer text = {0}, wanted = {0};
  for (int i = 0; i < 1100; i++) {
    ee_buffer_addf(&text, "{\"id\":%d,\"id\":%d,\"expected\":1}\n", i, i);
    if (i < 1000)
      ee_buffer_addf(&wanted, "warning F:%d:%d: duplicate key 'id', the last one counts\n", i + 1,
                     (int)snprintf(NULL, 0, "{\"id\":%d,", i) + 1);
  }
  ee_expected_set *set = open_text(ee_buffer_terminate(&text), ee_buffer_terminate(&wanted));
  assert_int_equal(ee_expected_set_count(set), 1100);
  ee_expected_set_close(set);
  ee_buffer_fini(&text);
  ee_buffer_fini(&wanted);
}

/* The message for a name that cannot be opened or read, and the number of what was reported before. */
static const char *refused(const char *file, size_t reported) {
  ee_error_list errors;
  ee_error_list_init(&errors);
  ee_error error = {0};
  ee_expected_set *set = ee_expected_set_open(file, NULL, NULL, &errors, &error);
  assert_null(set);
  ee_expected_set_close(set);
  assert_int_equal(error.status, EE_ERROR_SYSTEM);
  assert_int_equal(errors.count, reported);
  ee_error_list_fini(&errors);
  return ee_arena_copy(&arena, error.message, strlen(error.message));
}

static void test_refused(void **state) {
  (void)state;
  write_file(FILE_NAME, "{}", 2);
  const char *below = ee_arena_printf(&arena, "%s/x", FILE_NAME);
  assert_string_equal(refused(below, 0), ee_arena_printf(&arena, "cannot open '%s': Not a directory", below));
  unlink(names[1]);
  assert_int_equal(symlink(names[1], names[1]), 0);
  assert_string_equal(refused(names[1], 0),
                      ee_arena_printf(&arena, "cannot open '%s': Too many levels of symbolic links", names[1]));
  unlink(names[1]);
  assert_string_equal(refused("/proc/self/mem", 0), "cannot read '/proc/self/mem': Input/output error");
  const char *directory = ee_arena_printf(&arena, "%s/d", folder);
  assert_int_equal(mkdir(directory, 0700), 0);
  assert_string_equal(refused(directory, 0),
                      ee_arena_printf(&arena, "no data files (*.json, *.jsonl, *.csv, *.tsv) in '%s'", directory));
  rmdir(directory);
}

/* What was read of a file, and is the same of the same file. */
static void test_hashes(void **state) {
  (void)state;
  ee_expected_set *set = open_text("[{\"id\":\"a\",\"expected\":1}",
                                   "F:1:25: array is not closed: expected ']' before the end of the file\n");
  assert_string_equal(ee_expected_set_unended(set), FILE_NAME);
  ee_expected_set_close(set);
  ee_buffer text = {0};
  ee_buffer_add_text(&text, "{\"images\":[{\"id\":1}],\"annotations\":[],\"categories\":[],\"info\":\"");
  memset(ee_buffer_reserve(&text, 1500000), 'x', 1500000);
  text.length += 1500000;
  ee_buffer_add_text(&text, "\"}");
  uint64_t hashes[3];
  for (int i = 0; i < 3; i++) {
    text.data[text.length - 3] = i < 2 ? 'x' : 'y';
    write_file(FILE_NAME, text.data, text.length);
    ee_error error;
    set = open_set(NULL, &error);
    assert_non_null(set);
    assert_non_null(ee_expected_set_coco(set));
    assert_null(ee_expected_set_unended(set));
    hashes[i] = ee_expected_set_hash(set);
    ee_expected_set_close(set);
  }
  assert_true(hashes[0] == hashes[1] && hashes[0] != hashes[2]);
  /* Of standard input only what is known without reading it again. */
  for (int i = 0; i < 2; i++) {
    text.data[text.length - 3] = i == 0 ? 'x' : 'y';
    write_file(FILE_NAME, text.data, text.length);
    FILE *file = fopen(FILE_NAME, "rb");
    assert_non_null(file);
    int kept = dup(STDIN_FILENO);
    assert_true(dup2(fileno(file), STDIN_FILENO) >= 0);
    ee_error_list errors;
    ee_error_list_init(&errors);
    set = ee_expected_set_open("-", NULL, NULL, &errors, NULL);
    assert_non_null(set);
    hashes[i] = ee_expected_set_hash(set);
    ee_expected_set_close(set);
    ee_error_list_fini(&errors);
    dup2(kept, STDIN_FILENO);
    close(kept);
    fclose(file);
  }
  assert_true(hashes[0] == hashes[1]);
  ee_buffer_fini(&text);
}

static void test_answers_in_error(void **state) {
  (void)state;
  static const char *const rows[][2] = {
      {"5", "record must be an object, got a number"},
      {"[{\"id\":\"a\"}]", "record must be an object, got an array"},
      {"{\"id\":{},\"candidate\":1}", "id must be a string or a number, got an object"}};
  ee_expected_set *set = open_text("{\"id\":\"a\",\"expected\":1}\n", "");
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ee_case answer;
    ee_error error;
    const ee_value *record = ee_json_read(&arena, ee_str_from(rows[i][0]), NULL, NULL);
    assert_int_equal(ee_expected_set_read(set, record, NULL, NULL, &arena, &answer, &error), EE_ERROR_DATA);
    assert_string_equal(error.message, rows[i][1]);
  }
  assert_string_equal(unused(set, 9), "1: a");
  ee_expected_set_close(set);
}

/* An answer with several candidates, at a path, and the expected value of its id. */
static void test_trials(void **state) {
  (void)state;
  ee_expected_set *set = open_text("{\"id\":\"a\",\"expected\":{\"x\":1}}\n", "");
  const ee_path *path = ee_record_path_parse(&arena, EE_STR("runs"), NULL);
  const ee_record_paths paths = {.candidates = {&path, 1}};
  ee_case answer;
  const ee_value *record = ee_json_read(&arena, EE_STR("{\"id\":\"a\",\"runs\":[{\"x\":1},{\"x\":2}]}"), NULL, NULL);
  assert_int_equal(ee_expected_set_read(set, record, &paths, NULL, &arena, &answer, NULL), EE_OK);
  assert_int_equal(ee_case_trial_count(&answer), 2);
  assert_true(ee_str_is(answer.id, "a (trial 1)"));
  assert_string_equal(text_of(answer.expected), "{\"x\":1}");
  ee_expected_set_close(set);
}

/* Expected values in the files of a directory. */
static void test_directory(void **state) {
  (void)state;
  static const char *const texts[] = {"{\"id\":\"x\",\"expected\":1}\n",
                                      "{\"id\":\"y\",\"expected\":2}\n{\"id\":\"x\",\"expected\":3}\n", "hello"};
  const char *directory = ee_arena_printf(&arena, "%s/d", folder), *files[3];
  assert_int_equal(mkdir(directory, 0700), 0);
  for (int i = 0; i < 3; i++) {
    files[i] = ee_arena_printf(&arena, "%s/%s", directory, i == 0 ? "a.jsonl" : i == 1 ? "b.jsonl" : "notes.txt");
    write_file(files[i], texts[i], strlen(texts[i]));
  }
  ee_error_list errors;
  ee_error_list_init(&errors);
  ee_expected_set *set = ee_expected_set_open(directory, NULL, NULL, &errors, NULL);
  assert_non_null(set);
  assert_int_equal(errors.count, 2);
  assert_int_equal(errors.items[0].status, EE_OK);
  assert_string_equal(errors.items[0].message, "1 other file is not read, for example 'notes.txt'");
  assert_string_equal(errors.items[1].message, ee_arena_printf(&arena, "duplicate id 'x' (first at %s:1)", files[0]));
  assert_string_equal(errors.items[1].file, files[1]);
  assert_int_equal(errors.items[1].line, 2);
  assert_found(set, "x", "1");
  assert_null(ee_expected_set_unended(set));
  /* The record of a case that the candidates do not have; of an id that is not there. */
  ee_case absent;
  assert_true(ee_expected_set_read_absent(set, EE_STR("y"), &arena, &absent));
  assert_true(absent.absent && ee_str_is(absent.id, "y"));
  assert_string_equal(text_of(absent.expected), "2");
  assert_false(ee_expected_set_read_absent(set, EE_STR("z"), &arena, &absent));
  ee_expected_set_close(set);
  ee_error_list_fini(&errors);
  /* A file of it that cannot be read. */
  unlink(files[1]);
  assert_int_equal(symlink("/proc/self/mem", files[1]), 0);
  assert_string_equal(refused(directory, 1), ee_arena_printf(&arena, "cannot read '%s': Input/output error", files[1]));
  for (int i = 0; i < 3; i++) unlink(files[i]);
  rmdir(directory);
}

static void test_made_records(void **state) {
  (void)state;
  static const size_t sizes[] = {0, 1, 40, 1000};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    maker m = {0, 100};
    ee_dataset *dataset = ee_dataset_open_made("made", 100, make_record, &m);
    ee_dataset_set_sizes(dataset, sizes[i], 0);
    ee_block block;
    ee_block_init(&block);
    ee_error error;
    bool done;
    int number = 0;
    uint64_t ticket = 0, taken, total;
    while (ee_dataset_next(dataset, &block, &done, &error) == EE_OK && !done) {
      assert_int_equal(block.ticket, ticket++);
      assert_string_equal(block.file, "made");
      assert_true(block.count > 0 && block.errors.count == 0);
      if (sizes[i] == 1) assert_int_equal(block.count, 1);
      for (size_t k = 0; k < block.count; k++) {
        char text[32];
        snprintf(text, sizeof text, "{\"id\":%d}", number++);
        assert_int_equal(block.records[k].length, strlen(text));
        assert_memory_equal(block.text.data + block.records[k].offset, text, strlen(text));
        assert_int_equal(block.records[k].line, 0);
      }
    }
    assert_true(done);
    assert_int_equal(number, 100);
    ee_dataset_progress(dataset, &taken, &total);
    assert_true(taken == 100 && total == 100);
    assert_int_equal(ee_dataset_next(dataset, &block, &done, &error), EE_OK);
    assert_true(done);
    ee_block_fini(&block);
    ee_dataset_close(dataset);
  }
}

static int start(void **state) {
  ee_arena_init(&arena, 0);
  return set_up(state);
}

static int stop_all(void **state) {
  ee_arena_fini(&arena);
  ee_buffer_fini(&messages);
  return tear_down(state);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_lines),         cmocka_unit_test(test_array),
    cmocka_unit_test(test_errors),        cmocka_unit_test(test_nothing),
    cmocka_unit_test(test_paths),         cmocka_unit_test(test_numbers),
    cmocka_unit_test(test_many_errors),   cmocka_unit_test(test_twin),
#ifdef EE_WITH_ZLIB
    cmocka_unit_test(test_packed),
#endif
    cmocka_unit_test(test_pipes),         cmocka_unit_test(test_interrupt),
    cmocka_unit_test(test_marks),         cmocka_unit_test(test_made_records),
    cmocka_unit_test(test_warnings),      cmocka_unit_test(test_refused),
    cmocka_unit_test(test_many_warnings), cmocka_unit_test(test_directory),
    cmocka_unit_test(test_hashes),        cmocka_unit_test(test_answers_in_error),
    cmocka_unit_test(test_trials),
};
EE_TEST_ARRAY(start, stop_all, tests);
