/* test_given_source.c: bytes of a host in the place of files: found by name, on the thread that has them, those that
 * are read only once. */
#include "data/files/given_source.h"

#include <stdio.h>
#include <string.h>

#include "data/files/byte_source.h"
#include "data/files/dataset.h"
#include "support/runner.h"

/* Hands out "0123456789" in pieces of three bytes; after `fails` pieces it cannot go on. */
typedef struct giver {
  size_t at, pieces, fails;
} giver;

static ee_status give(void *user, char *out, size_t room, size_t *got, ee_error *error) {
  giver *self = user;
  if (self->pieces == self->fails) return ee_error_set(error, EE_ERROR_SYSTEM, "the host has no more");
  size_t left = 10 - self->at, length = left < 3 ? left : 3;
  *got = length < room ? length : room;
  memcpy(out, &"0123456789"[self->at], *got);
  self->at += *got;
  self->pieces++;
  return EE_OK;
}

static giver good, bad;
static ee_given_source items[4];
static ee_given_sources sources = {.items = items, .count = 4, .lock = PTHREAD_MUTEX_INITIALIZER};

static int enter(void **state) {
  (void)state;
  good = (giver){.fails = 100};
  bad = (giver){.fails = 2};
  items[0] = (ee_given_source){.name = "text", .text = "{\"id\":1}\n{\"id\":2}\n", .length = 18};
  items[1] = (ee_given_source){.name = "empty", .text = "", .length = 0};
  items[2] = (ee_given_source){.name = "good", .read = give, .user = &good};
  items[3] = (ee_given_source){.name = "bad", .read = give, .user = &bad};
  assert_null(ee_given_sources_enter(&sources));
  return 0;
}

static int leave(void **state) {
  (void)state;
  assert_ptr_equal(ee_given_sources_enter(NULL), &sources);
  assert_null(ee_given_sources_current());
  return 0;
}

/* What is read of `name` in pieces, or the message. */
static const char *read_all(const char *name, size_t piece, ee_buffer *out) {
  ee_error error = {.status = EE_OK};
  ee_buffer_clear(out);
  ee_byte_source *source = ee_byte_source_open(name, &error);
  ee_status status = source != NULL ? EE_OK : error.status;
  for (size_t got = 1; status == EE_OK && got > 0; out->length += got)
    status = ee_byte_source_read(source, ee_buffer_reserve(out, piece), piece, &got, &error);
  if (status == EE_OK) assert_int_equal(ee_byte_source_taken(source), out->length);
  ee_byte_source_close(source);
  if (status == EE_OK) return ee_buffer_terminate(out);
  ee_buffer_clear(out);
  ee_buffer_addf(out, "%d: %s", status, error.message);
  return ee_buffer_terminate(out);
}

static void test_reading(void **state) {
  (void)state;
  ee_buffer out = {0};
  /* Text may be read again and again, in any pieces. */
  for (size_t piece = 1; piece < 30; piece++) assert_string_equal(read_all("text", piece, &out), items[0].text);
  assert_string_equal(read_all("empty", 8, &out), "");
  assert_string_equal(read_all("good", 100, &out), "0123456789");
  char wanted[100];
  snprintf(wanted, sizeof wanted, "%d: cannot open 'good': a source that is read can be read only once",
           EE_ERROR_SYSTEM);
  assert_string_equal(read_all("good", 100, &out), wanted);
  snprintf(wanted, sizeof wanted, "%d: the host has no more", EE_ERROR_SYSTEM);
  assert_string_equal(read_all("bad", 100, &out), wanted);
  snprintf(wanted, sizeof wanted, "%d: cannot open 'tex': No such file or directory", EE_ERROR_SYSTEM);
  assert_string_equal(read_all("tex", 100, &out), wanted);
  ee_buffer_fini(&out);
}

static void *look_elsewhere(void *found) {
  *(bool *)found = ee_given_source_find("text") != NULL;
  ee_given_sources *before = ee_given_sources_enter(&sources);
  *(bool *)found = *(bool *)found || before != NULL || ee_given_source_find("text") != &items[0];
  return NULL;
}

static void test_threads(void **state) {
  (void)state;
  assert_ptr_equal(ee_given_source_find("text"), &items[0]);
  assert_ptr_equal(ee_given_source_find("bad"), &items[3]);
  assert_null(ee_given_source_find("nothing"));
  bool wrong = true;
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, look_elsewhere, &wrong), 0);
  pthread_join(thread, NULL);
  assert_false(wrong);
  assert_ptr_equal(ee_given_sources_current(), &sources);
}

/* They are files of a data set, and cannot be cut into parts. */
static void test_data_set(void **state) {
  (void)state;
  const char *const files[] = {"text"};
  ee_error error = {0};
  ee_dataset *dataset = ee_dataset_open(files, 1, &error);
  assert_non_null(dataset);
  assert_int_equal(ee_dataset_take_part(dataset, 1, 2, &error), EE_ERROR_USAGE);
  assert_string_equal(error.message,
                      "'text' cannot be cut into parts, because it is not a file; cut it where it is made");
  ee_dataset_close(dataset);
  dataset = ee_dataset_open(files, 1, &error);
  ee_block block;
  ee_block_init(&block);
  size_t records = 0;
  for (bool done = false; !done; records += block.count)
    assert_int_equal(ee_dataset_next(dataset, &block, &done, &error), EE_OK);
  assert_int_equal(records, 2);
  ee_block_fini(&block);
  ee_dataset_close(dataset);
}

/* The flag ends reading, also of the host's bytes. */
static void test_interrupt(void **state) {
  (void)state;
  volatile sig_atomic_t flag = 0;
  ee_error error;
  char out[64];
  size_t got;
  for (size_t i = 0; i < 4; i += 2) {
    ee_byte_source *source = ee_byte_source_open(items[i].name, &error);
    ee_byte_source_set_interrupt(source, &flag);
    flag = 1;
    assert_int_equal(ee_byte_source_read(source, out, sizeof out, &got, &error), EE_ERROR_SYSTEM);
    assert_true(ee_byte_source_interrupted(source));
    assert_non_null(strstr(error.message, "was interrupted"));
    flag = 0;
    assert_int_equal(ee_byte_source_read(source, out, sizeof out, &got, &error), EE_OK);
    assert_true(got > 0 && out[0] == (i == 0 ? '{' : '0'));
    ee_byte_source_close(source);
  }
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test_setup_teardown(test_reading, enter, leave),
             cmocka_unit_test_setup_teardown(test_threads, enter, leave),
             cmocka_unit_test_setup_teardown(test_data_set, enter, leave),
             cmocka_unit_test_setup_teardown(test_interrupt, enter, leave));
