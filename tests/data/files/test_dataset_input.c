/* test_dataset_input.c: pipes that say nothing while the program is interrupted, and files that cannot be read. */
#include "data/files/dataset.h"
#include "data/temporary_files.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <time.h>

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

EE_TEST_FILE(set_up, tear_down, cmocka_unit_test(test_interrupt), cmocka_unit_test(test_interrupt_at_the_start),
             cmocka_unit_test(test_read_error_half_way));
