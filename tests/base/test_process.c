/* test_process.c: programs started, talked to and ended, whatever they do. */

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/process.h"
#include "support/processes.h"

/* Long enough for a machine under load, and for a mistake to be seen. */
static const ee_child_limits patient = {.timeout_ms = 30000, .output_limit = (size_t)64 << 20};

static ee_child *start(const char *manner, const char *argument) {
  const char *const command[] = {test_judge_program, manner, argument, NULL};
  ee_error error = {0};
  ee_child *child = ee_child_start(command, NULL, NULL, &error);
  if (child == NULL) fail_msg("%s", error.message);
  return child;
}

static ee_child_outcome finish(const char *manner, const char *argument, ee_str input, ee_child_limits limits,
                               ee_buffer *output) {
  return ee_child_finish(start(manner, argument), input, limits, NULL, output);
}

#define assert_outcome(outcome, wanted_end, wanted_code, wanted_complaint)                                             \
  do {                                                                                                                 \
    assert_int_equal((outcome).end, wanted_end);                                                                       \
    assert_int_equal((outcome).code, wanted_code);                                                                     \
    assert_string_equal((outcome).complaint, wanted_complaint);                                                        \
  } while (0)

/* A text of `length` bytes without a newline. */
static ee_str make_text(size_t length) {
  char *text = ee_malloc(length);
  for (size_t i = 0; i < length; i++) text[i] = (char)('a' + i * 7 % 23);
  return (ee_str){text, length};
}

static void assert_output(const ee_buffer *output, size_t from, ee_str expected) {
  assert_true(ee_str_equal((ee_str){output->data + from, output->length - from}, expected));
}

/* One process a question ----------------------------------------------------------------------- */

static void test_all_input_and_output(void **state) {
  (void)state;
  static const size_t lengths[] = {0, 1, 5000, 65536, 65537, 3000000};
  ee_buffer output = {0};
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
    ee_buffer_clear(&output);
    ee_buffer_add_text(&output, "kept");
    ee_str text = make_text(lengths[i]);
    ee_child_outcome outcome = finish("cat", NULL, text, patient, &output);
    assert_outcome(outcome, EE_CHILD_EXITED, 0, "");
    assert_output(&output, 4, text);
    ee_free((void *)(uintptr_t)text.data);
  }
  ee_buffer_fini(&output);
}

/* It writes far more than a pipe holds before it has read anything of what is far more than a pipe holds. */
static void test_no_deadlock(void **state) {
  (void)state;
  ee_str text = make_text(2000000);
  ee_buffer output = {0};
  ee_child_outcome outcome = finish("flood", "3000000", text, patient, &output);
  assert_outcome(outcome, EE_CHILD_EXITED, 0, "");
  assert_int_equal(output.length, 3000000);
  /* It never reads, and exits: unread input is not a failure. */
  ee_buffer_clear(&output);
  outcome = finish("number", NULL, text, patient, &output);
  assert_outcome(outcome, EE_CHILD_EXITED, 0, "");
  assert_output(&output, 0, EE_STR("{\"score\": 1.5}\n"));
  ee_buffer_fini(&output);
  ee_free((void *)(uintptr_t)text.data);
}

static void test_ends(void **state) {
  (void)state;
  static const ee_child_limits short_time = {.timeout_ms = 100, .output_limit = 100000};
  ee_str text = make_text(1000000);
  static const struct {
    const char *manner, *argument;
    bool patient;
    ee_child_end end;
    int code;
    const char *complaint;
  } rows[] = {
      {"exit", NULL, true, EE_CHILD_EXITED, 3, "ValueError: x"},
      {"quit", NULL, true, EE_CHILD_EXITED, 0, ""},
      {"crash", NULL, true, EE_CHILD_KILLED, SIGSEGV, ""},
      {"hang", NULL, false, EE_CHILD_TIMED_OUT, 0, ""},
      {"close", NULL, false, EE_CHILD_TIMED_OUT, 0, ""},
      {"leave-group", NULL, false, EE_CHILD_TIMED_OUT, 0, ""},
      {"flood", NULL, true, EE_CHILD_FLOODED, 0, ""},
      {"complain", NULL, true, EE_CHILD_EXITED, 4, "\xC3\xA4rger  ?"},
  };
  ee_buffer output = {0};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ee_child_outcome outcome =
        finish(rows[i].manner, rows[i].argument, text, rows[i].patient ? patient : short_time, &output);
    assert_outcome(outcome, rows[i].end, rows[i].code, rows[i].complaint);
    assert_false(test_has_children());
  }
  ee_free((void *)(uintptr_t)text.data);
  ee_buffer_fini(&output);
}

static void test_long_complaint(void **state) {
  (void)state;
  ee_buffer output = {0};
  ee_child_outcome outcome = finish("long-complaint", NULL, EE_STR(""), patient, &output);
  assert_int_equal(outcome.code, 5);
  size_t length = strlen(outcome.complaint);
  assert_true(length > 150 && length < sizeof outcome.complaint);
  assert_int_equal(ee_utf8_valid_prefix(outcome.complaint, length), length);
  assert_string_equal(outcome.complaint + length - 3, "...");
  ee_buffer_fini(&output);
}

/* However far to the right its words are. */
static void test_complaint_after_blanks(void **state) {
  (void)state;
  static const struct {
    const char *script, *complaint;
  } rows[] = {{"printf 'one\\n%300s\\n' two >&2", "two"},
              {"printf 'one\\n%300s\\n' '' >&2", "one"},
              {"printf '\\t \\tone\\ttwo \\t ' >&2", "one two"},
              {"printf 'one\\n \\t\\r' >&2", "one"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const char *const command[] = {"sh", "-c", rows[i].script, NULL};
    ee_error error = {0};
    ee_buffer output = {0};
    ee_child *child = ee_child_start(command, NULL, NULL, &error);
    assert_non_null(child);
    ee_child_outcome outcome = ee_child_finish(child, EE_STR(""), patient, NULL, &output);
    assert_outcome(outcome, EE_CHILD_EXITED, 0, rows[i].complaint);
    ee_buffer_fini(&output);
  }
}

static void test_output_limit(void **state) {
  (void)state;
  static const struct {
    size_t limit;
    ee_child_end end;
  } rows[] = {{100000, EE_CHILD_EXITED}, {100001, EE_CHILD_EXITED}, {99999, EE_CHILD_FLOODED}, {0, EE_CHILD_FLOODED}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ee_buffer output = {0};
    ee_child_limits limits = {.timeout_ms = 30000, .output_limit = rows[i].limit};
    ee_child_outcome outcome = finish("flood", "100000", EE_STR(""), limits, &output);
    assert_outcome(outcome, rows[i].end, 0, "");
    assert_true(output.length <= rows[i].limit + 1);
    ee_buffer_fini(&output);
  }
}

/* A process that it left running holds the pipes: the child's output is read, and the other process is not waited for.
 */
static void test_grandchild(void **state) {
  (void)state;
  static const char *const kinds[] = {"", "session"};
  for (size_t i = 0; i < 2; i++) {
    ee_buffer output = {0};
    ee_child_outcome outcome = finish("fork", kinds[i], EE_STR("x"), patient, &output);
    assert_outcome(outcome, EE_CHILD_EXITED, 0, "");
    const char *number = strstr(ee_buffer_terminate(&output), "\"left\": ");
    assert_non_null(number);
    int other = atoi(number + 8);
    assert_true(other > 1);
    /* One that made itself a session of its own is out of reach. */
    if (i == 1) kill(other, SIGKILL);
    assert_true(test_process_ends(other));
    ee_buffer_fini(&output);
  }
}

/* Starting ----------------------------------------------------------------------------------------------------------
 */

static void test_what_it_gets(void **state) {
  (void)state;
  int leaking = open("/dev/null", O_RDONLY);
  assert_true(leaking > 2);
  assert_true(dup2(leaking, 300) == 300);
  sigset_t user, before;
  sigemptyset(&user);
  sigaddset(&user, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &user, &before);
  void (*handler)(int) = signal(SIGPIPE, SIG_IGN);
  const char *const command[] = {test_judge_program, "facts", "a \"b\" $HOME *; `c`", NULL};
  ee_error error = {0};
  ee_buffer output = {0};
  ee_child *child = ee_child_start(command, "/usr", NULL, &error);
  assert_non_null(child);
  ee_child_outcome outcome = ee_child_finish(child, EE_STR(""), patient, NULL, &output);
  signal(SIGPIPE, handler);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  close(300);
  close(leaking);
  assert_outcome(outcome, EE_CHILD_EXITED, 0, "");
  assert_string_equal(ee_buffer_terminate(&output), "/usr|a \"b\" $HOME *; `c`|0 1 2 |leads|default|open\n");
  ee_buffer_fini(&output);
}

/* The pipes of a process that has no standard input and output take their numbers. */
static void test_without_standard_descriptors(void **state) {
  (void)state;
  int kept[2] = {fcntl(0, F_DUPFD_CLOEXEC, 10), fcntl(1, F_DUPFD_CLOEXEC, 10)};
  fflush(stdout);
  close(0);
  close(1);
  const char *const command[] = {test_judge_program, "cat", NULL};
  ee_error error = {0};
  ee_buffer output = {0};
  ee_child *child = ee_child_start(command, NULL, NULL, &error);
  ee_child_outcome outcome = {.end = EE_CHILD_FAILED};
  if (child != NULL) outcome = ee_child_finish(child, EE_STR("text"), patient, NULL, &output);
  bool closed = fcntl(0, F_GETFD) < 0 && fcntl(1, F_GETFD) < 0;
  if (kept[0] >= 0) dup2(kept[0], 0), close(kept[0]);
  if (kept[1] >= 0) dup2(kept[1], 1), close(kept[1]);
  assert_outcome(outcome, EE_CHILD_EXITED, 0, "");
  assert_output(&output, 0, EE_STR("text"));
  assert_true(closed);
  ee_buffer_fini(&output);
}

/* A pipe gets number 0, and there is no descriptor left to move it to. */
static void test_no_descriptor_to_move_to(void **state) {
  (void)state;
  struct rlimit before, few;
  assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
  int kept = fcntl(0, F_DUPFD_CLOEXEC, 10), last = dup(2);
  close(last);
  if (kept == last) skip(); /* many are open */
  close(0);
  few = (struct rlimit){(rlim_t)last + 1, before.rlim_max};
  assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
  const char *const command[] = {test_judge_program, "cat", NULL};
  ee_error error = {0};
  ee_child *child = ee_child_start(command, NULL, NULL, &error);
  bool closed = fcntl(0, F_GETFD) < 0 && fcntl(last, F_GETFD) < 0;
  setrlimit(RLIMIT_NOFILE, &before);
  if (kept >= 0) dup2(kept, 0), close(kept);
  assert_null(child);
  assert_int_equal(error.status, EE_ERROR_SYSTEM);
  assert_non_null(strstr(error.message, "Too many open files"));
  assert_true(closed);
}

static void write_file(char *name, size_t size, const char *folder, const char *base, const char *text, mode_t mode) {
  snprintf(name, size, "%s/%s", folder, base);
  FILE *file = fopen(name, "we");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
  assert_int_equal(chmod(name, mode), 0);
}

static void assert_no_start(const char *program, const char *directory, const char *message) {
  const char *const command[] = {program, NULL};
  ee_error error = {0};
  assert_null(ee_child_start(command, directory, NULL, &error));
  assert_int_equal(error.status, EE_ERROR_SYSTEM);
  assert_string_equal(error.message, message);
}

static void test_no_start(void **state) {
  (void)state;
  const char *temporary = getenv("TMPDIR");
  char folder[200], plain[256], empty[256], message[800];
  snprintf(folder, sizeof folder, "%.150s/ee-test-child-XXXXXX", temporary != NULL ? temporary : P_tmpdir);
  assert_non_null(mkdtemp(folder));
  write_file(plain, sizeof plain, folder, "plain", "#!/bin/sh\n", 0644);
  /* Without a first line that names one, no shell runs it. */
  write_file(empty, sizeof empty, folder, "empty", "exit 0\n", 0755);
  assert_no_start("no-such-program-at-all", NULL, "cannot run 'no-such-program-at-all': No such file or directory");
  assert_no_start("./none", folder, "cannot run './none': No such file or directory");
  assert_no_start("", NULL, "cannot run '': No such file or directory");
  assert_no_start("/", NULL, "cannot run '/': Permission denied");
  assert_no_start("./plain", folder, "cannot run './plain': Permission denied");
  assert_no_start("./empty", folder, "cannot run './empty': Exec format error");
  assert_no_start("empty", folder, "cannot run 'empty': No such file or directory (did you mean './empty'?)");
  assert_no_start("./empty", "/none", "cannot run './empty' in '/none': No such file or directory");
  snprintf(message, sizeof message, "cannot run './empty' in '%s': Not a directory", plain);
  assert_no_start("./empty", plain, message);
  unlink(plain);
  unlink(empty);
  assert_int_equal(rmdir(folder), 0);
}

static void assert_runs(const char *program, const char *folders) {
  if (folders != NULL)
    setenv("PATH", folders, 1);
  else
    unsetenv("PATH");
  const char *const command[] = {program, NULL};
  ee_error error = {0};
  ee_buffer output = {0};
  ee_child *child = ee_child_start(command, NULL, NULL, &error);
  if (child == NULL) fail_msg("%s", error.message);
  ee_child_outcome outcome = ee_child_finish(child, EE_STR(""), patient, NULL, &output);
  assert_outcome(outcome, EE_CHILD_EXITED, 0, "");
  ee_buffer_fini(&output);
}

/* A program without a slash is looked for in the folders of PATH: what is not a folder and what may not be run is
 * passed over, and the best reason is reported. */
static void test_folders_of_programs(void **state) {
  (void)state;
  const char *temporary = getenv("TMPDIR");
  char folder[200], plain[256], twin[256], good[256], other[220], *path = ee_malloc(10000);
  char *before = ee_copy_string(getenv("PATH"));
  snprintf(folder, sizeof folder, "%.150s/ee-test-path-XXXXXX", temporary != NULL ? temporary : P_tmpdir);
  assert_non_null(mkdtemp(folder));
  snprintf(other, sizeof other, "%s/other", folder);
  assert_int_equal(mkdir(other, 0700), 0);
  write_file(plain, sizeof plain, folder, "only_here", "#!/bin/sh\n", 0644);
  write_file(twin, sizeof twin, other, "only_here", "exit 0\n", 0755);
  write_file(good, sizeof good, other, "good", "#!/bin/sh\nexit 0\n", 0755);
  assert_runs("good", other);
  snprintf(path, 10000, "%s:%s:/none:%s", plain, folder, other);
  assert_runs("good", path);
  /* A folder whose path is too long for a file. */
  snprintf(path, 10000, "/%05000d:%s", 0, other);
  assert_runs("good", path);
  /* Without PATH, where systems have their programs. */
  assert_runs("true", NULL);
  setenv("PATH", folder, 1);
  assert_no_start("only_here", NULL, "cannot run 'only_here': Permission denied");
  snprintf(path, 10000, "%s:/none", folder);
  setenv("PATH", path, 1);
  assert_no_start("only_here", NULL, "cannot run 'only_here': Permission denied");
  /* Found, but no program. */
  snprintf(path, 10000, "%s:%s", folder, other);
  setenv("PATH", path, 1);
  assert_no_start("only_here", NULL, "cannot run 'only_here': Exec format error");
  /* An empty part is the current folder. */
  char *here = getcwd(NULL, 0);
  assert_int_equal(chdir(other), 0);
  assert_runs("good", ":/none");
  assert_runs("good", "/none:");
  assert_int_equal(chdir(here), 0);
  free(here);
  setenv("PATH", before, 1);
  assert_int_equal(unlink(plain) + unlink(twin) + unlink(good) + rmdir(other) + rmdir(folder), 0);
  ee_free(before);
  ee_free(path);
}

/* Line by line ------------------------------------------------------------------------------------------------------
 */

static void test_lines(void **state) {
  (void)state;
  static const char *const manners[] = {"cat-lines", "blank-lines"};
  for (size_t m = 0; m < 2; m++) {
    ee_child *child = start(manners[m], NULL);
    ee_buffer output = {0};
    for (size_t i = 0; i < 300; i++) {
      ee_str text = make_text(1 + i * i * i / 100);
      ee_buffer_clear(&output);
      ee_buffer_add_text(&output, "kept");
      ee_child_outcome outcome = ee_child_exchange(child, text, patient, NULL, &output);
      assert_outcome(outcome, EE_CHILD_ANSWERED, 0, "");
      if (m == 1) output.length -= output.data[output.length - 1] == '\r';
      assert_output(&output, 4, text);
      ee_free((void *)(uintptr_t)text.data);
    }
    ee_child_free(child);
    ee_buffer_fini(&output);
    assert_false(test_has_children());
  }
}

static void test_line_limit(void **state) {
  (void)state;
  ee_child *child = start("cat-lines", NULL);
  ee_buffer output = {0};
  const ee_child_limits limits = {.timeout_ms = 30000, .output_limit = 10};
  assert_int_equal(ee_child_exchange(child, EE_STR("0123456789"), limits, NULL, &output).end, EE_CHILD_ANSWERED);
  assert_output(&output, 0, EE_STR("0123456789"));
  assert_int_equal(ee_child_exchange(child, EE_STR("0123456789x"), limits, NULL, &output).end, EE_CHILD_FLOODED);
  assert_false(test_has_children());
  ee_child_free(child);
  ee_buffer_fini(&output);
}

/* A payload that makes a judge of the test program do `manner`, with `padding` bytes more. */
static void make_payload(ee_buffer *payload, const char *manner, size_t padding) {
  ee_buffer_clear(payload);
  ee_buffer_addf(payload, "{\"candidate_answer\": \"do %s\", \"padding\": \"", manner);
  memset(ee_buffer_reserve(payload, padding), 'x', padding);
  payload->length += padding;
  ee_buffer_add_text(payload, "\"}");
}

static void test_line_ends(void **state) {
  (void)state;
  static const ee_child_limits short_time = {.timeout_ms = 100, .output_limit = 100000};
  static const ee_child_limits no_time = {.output_limit = 100000};
  static const struct {
    const char *manner;
    const ee_child_limits *limits;
    ee_child_end end;
    int code;
    const char *complaint;
  } rows[] = {
      {"exit", &no_time, EE_CHILD_EXITED, 3, "ValueError: x"},
      {"quit", &patient, EE_CHILD_EXITED, 0, ""},
      {"half", &patient, EE_CHILD_EXITED, 0, ""},
      {"crash", &patient, EE_CHILD_KILLED, SIGSEGV, ""},
      {"hang", &short_time, EE_CHILD_TIMED_OUT, 0, ""},
      {"close", &short_time, EE_CHILD_TIMED_OUT, 0, ""},
      {"close", &no_time, EE_CHILD_FAILED, EPIPE, ""},
      /* It waits for the end of its input. */
      {"cat", &short_time, EE_CHILD_TIMED_OUT, 0, ""},
      {"flood", &no_time, EE_CHILD_FLOODED, 0, ""},
      {"complain", &patient, EE_CHILD_EXITED, 4, "\xC3\xA4rger  ?"},
  };
  ee_buffer output = {0}, payload = {0};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ee_child *child = start("lines", NULL);
    make_payload(&payload, rows[i].manner, i % 2 == 0 ? 0 : 1000000);
    ee_str line = {payload.data, payload.length};
    ee_child_outcome outcome = ee_child_exchange(child, line, *rows[i].limits, NULL, &output);
    assert_outcome(outcome, rows[i].end, rows[i].code, rows[i].complaint);
    assert_false(test_has_children());
    /* What is over stays over. */
    assert_int_equal(ee_child_exchange(child, EE_STR("x"), patient, NULL, &output).end, EE_CHILD_FAILED);
    ee_child_free(child);
  }
  /* It never reads what no pipe holds. */
  make_payload(&payload, "", 1000000);
  ee_child *child = start("hang", NULL);
  ee_child_outcome outcome =
      ee_child_exchange(child, (ee_str){payload.data, payload.length}, short_time, NULL, &output);
  assert_outcome(outcome, EE_CHILD_TIMED_OUT, 0, "");
  ee_child_free(child);
  ee_buffer_fini(&output);
  ee_buffer_fini(&payload);
}

/* The last answer of a child that ends behind it counts; what comes next finds it gone, also where the pipe is held
 * open. */
static void test_answer_before_the_end(void **state) {
  (void)state;
  static const char *const manners[] = {"last", "fork"};
  ee_buffer output = {0}, payload = {0};
  for (size_t i = 0; i < 2; i++) {
    ee_child *child = start("lines", NULL);
    make_payload(&payload, manners[i], 0);
    ee_str line = {payload.data, payload.length};
    ee_child_outcome outcome = ee_child_exchange(child, line, patient, NULL, &output);
    assert_outcome(outcome, EE_CHILD_ANSWERED, 0, "");
    outcome = ee_child_exchange(child, line, patient, NULL, &output);
    assert_outcome(outcome, EE_CHILD_EXITED, 0, "");
    ee_child_free(child);
  }
  ee_buffer_fini(&output);
  ee_buffer_fini(&payload);
}

/* An answer before its line was read, or a second answer, makes the exchange fail. */
static void test_stray_output(void **state) {
  (void)state;
  ee_child *child = start("cat-twice", NULL);
  ee_buffer output = {0};
  ee_child_outcome outcome = ee_child_exchange(child, EE_STR("a"), patient, NULL, &output);
  assert_outcome(outcome, EE_CHILD_ANSWERED, 0, "");
  assert_output(&output, 0, EE_STR("a"));
  outcome = ee_child_exchange(child, EE_STR("b"), patient, NULL, &output);
  assert_outcome(outcome, EE_CHILD_FAILED, EPROTO, "");
  assert_output(&output, 0, EE_STR("a"));
  assert_false(test_has_children());
  ee_child_free(child);
  /* The line is far longer than a pipe, and the child answers at once: the rest of it is written all the same. */
  ee_str text = make_text(1000000);
  child = start("answer-first", NULL);
  ee_buffer_clear(&output);
  outcome = ee_child_exchange(child, text, patient, NULL, &output);
  assert_outcome(outcome, EE_CHILD_ANSWERED, 0, "");
  assert_output(&output, 0, EE_STR("early"));
  outcome = ee_child_exchange(child, EE_STR("b"), patient, NULL, &output);
  assert_outcome(outcome, EE_CHILD_FAILED, EPROTO, "");
  ee_child_free(child);
  ee_free((void *)(uintptr_t)text.data);
  /* Endless blank lines are reported, here or as too much output, and are not read for ever. */
  ee_buffer payload = {0};
  make_payload(&payload, "blanks", 0);
  ee_str line = {payload.data, payload.length};
  child = start("lines", NULL);
  outcome = ee_child_exchange(child, line, patient, NULL, &output);
  assert_outcome(outcome, EE_CHILD_ANSWERED, 0, "");
  outcome = ee_child_exchange(child, line, patient, NULL, &output);
  assert_true(outcome.end == EE_CHILD_FLOODED || (outcome.end == EE_CHILD_FAILED && outcome.code == EPROTO));
  ee_child_free(child);
  ee_buffer_fini(&payload);
  ee_buffer_fini(&output);
}

/* Stopping and cleaning up ------------------------------------------------------------------------------------------
 */

static void *set_later(void *flag) {
  usleep(50000);
  __atomic_store_n((volatile sig_atomic_t *)flag, 1, __ATOMIC_RELAXED);
  return NULL;
}

static void test_stop(void **state) {
  (void)state;
  ee_buffer output = {0};
  for (int lines = 0; lines < 2; lines++) {
    for (int at_once = 0; at_once < 2; at_once++) {
      volatile sig_atomic_t flag = at_once;
      const ee_stop stop = {.interrupted = &flag};
      pthread_t thread;
      if (!at_once) assert_int_equal(pthread_create(&thread, NULL, set_later, (void *)(uintptr_t)&flag), 0);
      ee_child *child = start("hang", NULL);
      const ee_child_limits for_ever = {.output_limit = 100};
      ee_child_outcome outcome = lines ? ee_child_exchange(child, EE_STR("x"), for_ever, &stop, &output)
                                       : ee_child_finish(child, EE_STR("x"), for_ever, &stop, &output);
      assert_outcome(outcome, EE_CHILD_STOPPED, 0, "");
      if (lines) ee_child_free(child);
      if (!at_once) pthread_join(thread, NULL);
      assert_false(test_has_children());
    }
  }
  ee_buffer_fini(&output);
}

static void test_letting_go(void **state) {
  (void)state;
  ee_child_free(NULL);
  ee_child_free(start("hang", NULL));
  ee_child_free(start("quit", NULL));
  ee_child_free(start("cat-lines", NULL));
  ee_child_free(start("flood", NULL));
  assert_false(test_has_children());
}

/* SIGPIPE ends a process that does not ask for anything else, and this one does not. */
static void test_closed_input_is_no_signal(void **state) {
  (void)state;
  void (*handler)(int) = signal(SIGPIPE, SIG_DFL);
  ee_str text = make_text(1000000);
  ee_buffer output = {0};
  ee_child_outcome outcome = finish("quit", NULL, text, patient, &output);
  assert_outcome(outcome, EE_CHILD_EXITED, 0, "");
  signal(SIGPIPE, handler);
  ee_free((void *)(uintptr_t)text.data);
  ee_buffer_fini(&output);
}

/* Whoever ignores SIGCHLD never learns how a child ended, but must not wait for it for ever. */
static void test_ignored_children(void **state) {
  (void)state;
  void (*handler)(int) = signal(SIGCHLD, SIG_IGN);
  ee_buffer output = {0};
  ee_child_outcome outcome = finish("exit", NULL, EE_STR(""), patient, &output);
  signal(SIGCHLD, handler);
  assert_outcome(outcome, EE_CHILD_FAILED, ECHILD, "ValueError: x");
  ee_buffer_fini(&output);
}

enum { THREADS = 4, ROUNDS = 30 };

static void *talk(void *argument) {
  const char *own = argument;
  ee_error error;
  const char *const command[] = {test_judge_program, "cat-lines", NULL};
  const char *const bad_command[] = {test_judge_program, "exit", NULL};
  size_t good = 0;
  ee_child *child = ee_child_start(command, NULL, NULL, &error);
  for (size_t i = 0; child != NULL && i < ROUNDS; i++) {
    ee_buffer output = {0};
    char line[32];
    snprintf(line, sizeof line, "%s%zu", own, i);
    ee_child_outcome outcome = ee_child_exchange(child, ee_str_from(line), patient, NULL, &output);
    bool answered = outcome.end == EE_CHILD_ANSWERED && strcmp(ee_buffer_terminate(&output), line) == 0;
    ee_child *other = ee_child_start(bad_command, NULL, NULL, &error);
    if (other == NULL) break;
    outcome = ee_child_finish(other, ee_str_from(line), patient, NULL, &output);
    good += answered && outcome.end == EE_CHILD_EXITED && outcome.code == 3 &&
            strcmp(outcome.complaint, "ValueError: x") == 0;
    ee_buffer_fini(&output);
  }
  ee_child_free(child);
  return (void *)(uintptr_t)good;
}

/* Each thread reaps its own children, and no child holds another's pipes open. */
static void test_threads(void **state) {
  (void)state;
  pthread_t threads[THREADS];
  static const char *const names[THREADS] = {"a", "b", "c", "d"};
  for (int i = 0; i < THREADS; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, talk, (void *)(uintptr_t)names[i]), 0);
  for (int i = 0; i < THREADS; i++) {
    void *good;
    pthread_join(threads[i], &good);
    assert_int_equal((uintptr_t)good, ROUNDS);
  }
  assert_false(test_has_children());
}

/* Environment and death -------------------------------------------------------------------------- */

static void test_environment(void **state) {
  (void)state;
  setenv("TEST_API_KEY", "s3cr3t", 1);
  setenv("LC_TIME", "C", 1);
  const char *const command[] = {"env", NULL}, *const names[] = {"TEST_API_KEY", "TEST_ABSENT", NULL};
  for (int named = 0; named < 2; named++) {
    ee_buffer output = {0};
    ee_error error;
    ee_child *child = ee_child_start(command, NULL, named ? names : NULL, &error);
    assert_non_null(child);
    ee_child_outcome outcome = ee_child_finish(child, EE_STR(""), patient, NULL, &output);
    assert_outcome(outcome, EE_CHILD_EXITED, 0, "");
    const char *text = ee_buffer_terminate(&output);
    assert_true(strstr(text, "PATH=") != NULL && strstr(text, "LC_TIME=C") != NULL);
    assert_int_equal(strstr(text, "TEST_API_KEY=s3cr3t") != NULL, named);
    assert_null(strstr(text, "TEST_ABSENT"));
    ee_buffer_fini(&output);
  }
  unsetenv("TEST_API_KEY");
}

/* In a process of its own: starts a program that waits for ever, reports its number, and waits to be killed. */
static void start_and_wait(int report) {
  ee_error error;
  const char *const command[] = {"sh", "-c", "read line; echo $$; exec sleep 600", NULL};
  ee_child *child = ee_child_start(command, NULL, NULL, &error);
  ee_buffer output = {0};
  if (child == NULL || ee_child_exchange(child, EE_STR(""), patient, NULL, &output).end != EE_CHILD_ANSWERED) _exit(1);
  const char *number = ee_buffer_terminate(&output);
  if (write(report, number, strlen(number) + 1) < 0) _exit(1);
  for (;;) pause();
}

/* Killed, so that nothing of ours can clean up. */
static void test_dies_with_us(void **state) {
  (void)state;
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  fflush(NULL);
  pid_t middle = fork();
  assert_true(middle >= 0);
  if (middle == 0) start_and_wait(ends[1]);
  close(ends[1]);
  char number[32] = "";
  assert_true(read(ends[0], number, sizeof number - 1) > 0);
  close(ends[0]);
  int program = atoi(number);
  assert_true(program > 1);
  assert_int_equal(kill(middle, SIGKILL), 0);
  assert_int_equal(waitpid(middle, NULL, 0), middle);
  assert_true(test_process_ends(program));
}

static size_t descriptors_before;

static int count_descriptors(void **state) {
  (void)state;
  descriptors_before = test_open_descriptors();
  return 0;
}

static int nothing_is_left(void **state) {
  (void)state;
  if (test_open_descriptors() != descriptors_before) fail_msg("descriptors are left open");
  if (test_has_children()) fail_msg("children are left");
  return 0;
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, count_descriptors, nothing_is_left)

EE_TEST_FILE(NULL, NULL, TEST(test_all_input_and_output), TEST(test_no_deadlock), TEST(test_ends),
             TEST(test_long_complaint), TEST(test_complaint_after_blanks), TEST(test_folders_of_programs),
             TEST(test_output_limit), TEST(test_grandchild), TEST(test_what_it_gets),
             TEST(test_without_standard_descriptors), TEST(test_no_descriptor_to_move_to), TEST(test_no_start),
             TEST(test_lines), TEST(test_line_limit), TEST(test_line_ends), TEST(test_answer_before_the_end),
             TEST(test_stray_output), TEST(test_stop), TEST(test_letting_go), TEST(test_closed_input_is_no_signal),
             TEST(test_ignored_children), TEST(test_environment), TEST(test_dies_with_us), TEST(test_threads));
