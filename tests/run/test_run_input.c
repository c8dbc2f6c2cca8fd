/* test_run_input.c: runs over files and pipes whose bytes come in pieces, too late, or not at all. */
#include "run/run_listener.h"

#include <sys/ioctl.h>
#include <time.h>

/* Places, counts and ends of a one-line array of several blocks with many gaps do not depend on how its bytes come:
 * from a file, or from a pipe in small pieces, where blocks are cut elsewhere. */
typedef struct trickle {
  const char *text;
  size_t length;
  int end;
} trickle;

static void *pour(void *argument) {
  const trickle *t = argument;
  for (size_t at = 0, step = 1; at < t->length; at += step) {
    step = step * 5 % 4099;
    if (step > t->length - at) step = t->length - at;
    if (write(t->end, t->text + at, step) < 0) break; /* nobody listens any more */
  }
  close(t->end);
  return NULL;
}

static void run_both_ways(const small_rules *rules, const char *text, size_t length, ee_run_options options,
                          uint64_t records, uint64_t unreadable) {
  temporary file;
  temporary_fill(&file, text, length);
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  char name[32];
  snprintf(name, sizeof name, "/dev/fd/%d", ends[0]);
  listener a, b;
  listener_open(&a);
  listener_open(&b);
  b.unknown_total = true;
  trickle t = {text, length, ends[1]};
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, pour, &t), 0);
  ee_run_result one = run_file(rules, file.name, options, &a);
  ee_run_result two = run_file(rules, name, options, &b);
  close(ends[0]);
  pthread_join(thread, NULL);
  assert_same_buffer(&a.rows, &b.rows);
  /* The messages are the same behind the name of the file. */
  const char *left = ee_buffer_terminate(&a.messages), *right = ee_buffer_terminate(&b.messages);
  size_t number = 0;
  for (; *left != '\0' && *right != '\0'; number++) {
    left = strchr(left, ':');
    right = strchr(right, ':');
    size_t ahead = strcspn(left, "\n") + 1;
    if (strncmp(left, right, ahead) != 0) fail_msg("message %zu: %.100s, not %.100s", number, left, right);
    left += ahead;
    right += ahead;
  }
  assert_true(*left == '\0' && *right == '\0');
  assert_int_equal(one.totals.records, records);
  assert_int_equal(one.totals.unreadable, unreadable);
  assert_int_equal(two.totals.records, records);
  assert_int_equal(two.totals.unreadable, unreadable);
  assert_int_equal(one.stopped, two.stopped);
  listener_close(&a);
  listener_close(&b);
  ee_totals_fini(&one.totals);
  ee_totals_fini(&two.totals);
  temporary_remove(&file);
}

static void test_same_bytes_however_they_come(void **state) {
  (void)state;
  signal(SIGPIPE, SIG_IGN);
  small_rules rules;
  small_rules_open(&rules);
  enum { RECORDS = 8000, STOP = 3333 };
  ee_buffer text = {0};
  uint64_t gaps = 0, broken = 0, gaps_before = 0, broken_before = 0;
  ee_buffer_add_char(&text, '[');
  for (size_t i = 0; i < RECORDS; i++) {
    for (size_t commas = i % 3; commas > 0; commas--, gaps++) ee_buffer_add_char(&text, ',');
    if (i == STOP) {
      gaps_before = gaps;
      broken_before = broken;
    }
    bool breaks = i % 7 == 6;
    broken += breaks;
    ee_buffer_addf(&text, "{\"id\":\"r%zu\",\"expected\"%s{\"number\":1},\"padding\":\"so that there are blocks\"},", i,
                   breaks ? "" : ":");
  }
  text.length--;
  ee_buffer_add_char(&text, ']');
  for (unsigned jobs = 1; jobs <= 3; jobs += 2) {
    run_both_ways(&rules, text.data, text.length, (ee_run_options){.jobs = jobs}, RECORDS + gaps, gaps + broken);
    /* The end lies where the gaps are only counted: behind the record STOP. */
    assert_true(gaps_before > EE_UNSPLIT_LISTED && STOP % 7 != 6);
    run_both_ways(&rules, text.data, text.length, (ee_run_options){.jobs = jobs, .limit = STOP + 1 - broken_before},
                  STOP + 1 + gaps_before, gaps_before + broken_before);
    run_both_ways(&rules, text.data, text.length, (ee_run_options){.jobs = jobs, .strict = true}, 2, 1);
  }
  ee_buffer_fini(&text);
  small_rules_close(&rules);
}

/* A pipe that says something and then nothing; the flag is set when it was read. */
typedef struct silence {
  int ends[2];
  listener *l;
} silence;

static void *talk_and_interrupt(void *argument) {
  silence *s = argument;
  static const char text[] = GOOD("a") "broken\n" GOOD("b") "{\"id\":";
  struct timespec moment = {.tv_nsec = 2000000};
  assert_int_equal(write(s->ends[1], text, sizeof text - 1), sizeof text - 1);
  for (int waiting = 1; waiting > 0; nanosleep(&moment, NULL))
    assert_int_equal(ioctl(s->ends[0], FIONREAD, &waiting), 0);
  __atomic_store_n(&s->l->interrupted, 1, __ATOMIC_RELAXED);
  return NULL;
}

/* What came until then is judged. */
static void test_interrupt_while_waiting(void **state) {
  (void)state;
  small_rules rules;
  small_rules_open(&rules);
  for (unsigned jobs = 1; jobs <= 3; jobs++) {
    listener l;
    listener_open(&l);
    silence s = {.l = &l};
    assert_int_equal(pipe(s.ends), 0);
    char name[32];
    snprintf(name, sizeof name, "/dev/fd/%d", s.ends[0]);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, talk_and_interrupt, &s), 0);
    ee_error error = {0};
    const char *names[] = {name};
    l.unknown_total = true;
    ee_run_result result = run_files(&rules, names, 1, (ee_run_options){.jobs = jobs}, &l, EE_OK, &error);
    pthread_join(thread, NULL);
    assert_true(result.interrupted);
    assert_int_equal(result.totals.records, 3);
    assert_int_equal(result.totals.scored, 2);
    assert_int_equal(result.totals.unreadable, 1);
    listener_close(&l);
    ee_totals_fini(&result.totals);
    close(s.ends[0]);
    close(s.ends[1]);
  }
  small_rules_close(&rules);
}

/* A file that cannot be read ends the run; what came before it is kept. */
static void test_read_failure(void **state) {
  (void)state;
  static const char name[] = "/proc/self/mem"; /* nothing is mapped at its start */
  if (access(name, R_OK) != 0) skip();
  small_rules rules;
  small_rules_open(&rules);
  temporary file;
  temporary_fill(&file, GOOD("a") GOOD("b"), sizeof(GOOD("a") GOOD("b")) - 1);
  const char *names[] = {file.name, name, file.name};
  for (unsigned jobs = 1; jobs <= 3; jobs++) {
    listener l;
    listener_open(&l);
    ee_error error = {0};
    l.unknown_total = true;
    ee_run_result result = run_files(&rules, names, 3, (ee_run_options){.jobs = jobs}, &l, EE_ERROR_SYSTEM, &error);
    assert_int_equal(error.status, EE_ERROR_SYSTEM);
    assert_string_equal(error.message, "cannot read '/proc/self/mem': Input/output error");
    assert_int_equal(result.totals.records, 2);
    assert_int_equal(result.totals.scored, 2);
    assert_int_equal(count_newlines(&l.rows), 2);
    assert_int_equal(l.messages.length, 0);
    listener_close(&l);
    ee_totals_fini(&result.totals);
  }
  temporary_remove(&file);
  small_rules_close(&rules);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_same_bytes_however_they_come),
             cmocka_unit_test(test_interrupt_while_waiting), cmocka_unit_test(test_read_failure));
