/* test_bench_run.c: runs of the bench that are cut and gone on with, and what one wrong offset costs. */
#include "cli/command_folder.h"

#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <time.h>

#include "data/json/json_reader.h"
#include "support/random.h"

static double now_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void sleep_s(double seconds) {
  struct timespec time = {(time_t)seconds, (long)((seconds - floor(seconds)) * 1e9)};
  nanosleep(&time, NULL);
}

/* Trials in a journal: its lines without the header. */
static size_t count_trials(const char *name) {
  size_t lines = access(name, F_OK) == 0 ? count_lines(name) : 0;
  return lines > 0 ? lines - 1 : 0;
}

enum { CASES = 900, WORDS = 40, TRIALS = 4 };

static void make_records(const char *name, size_t cases, size_t words, size_t answers) {
  ee_buffer text = {0};
  for (size_t i = 0; i < cases; i++) add_record(&text, i, words, answers, SIZE_MAX);
  save(name, &text);
  ee_buffer_fini(&text);
}

static const char *const whole_run[] = {"bench",    "run", "--dataset", "d.jsonl",    "--mode", "variance",
                                        "--trials", "4",   "--out",     "whole.json", NULL};
static const char *const first_run[] = {"bench",    "run",      "--dataset", "d.jsonl", "--mode",
                                        "variance", "--trials", "4",         NULL};
static const char *const next_run[] = {"bench",    "run",      "--dataset", "d.jsonl",  "--mode",
                                       "variance", "--trials", "4",         "--resume", NULL};

/* What a machine that stops in the middle of a write may leave: a line that is cut, one that is there twice, one of
 * zeros. */
static void harm_journal(test_random *random) {
  if (access("run.json.part", F_OK) != 0) return;
  ee_buffer text = load("run.json.part");
  size_t header = 0;
  while (header < text.length && text.data[header] != '\n') header++;
  if (header + 1 < text.length) {
    size_t from = header + 1 + test_random_below(random, text.length - header - 1);
    switch (test_random_below(random, 3)) {
    case 0: text.length = from; break;
    case 1: {
      while (from > header + 1 && text.data[from - 1] != '\n') from--;
      size_t to = from;
      while (to < text.length && text.data[to] != '\n') to++;
      char *copy = malloc(to + 1 - from);
      memcpy(copy, text.data + from, to - from);
      if (text.data[text.length - 1] == '\n') ee_buffer_add(&text, copy, to - from), ee_buffer_add_char(&text, '\n');
      free(copy);
      break;
    }
    default: memset(text.data + from, 0, text.length - from < 30 ? text.length - from : 30); break;
    }
    save("run.json.part", &text);
  }
  ee_buffer_fini(&text);
}

static size_t size_of(const char *name) {
  struct stat status;
  return stat(name, &status) == 0 ? (size_t)status.st_size : 0;
}

/* Waits until the journal has grown by `bytes`, or the run has come to its end. */
static void await_growth(pid_t pid, size_t bytes) {
  size_t from = size_of("run.json.part"), wanted = from + bytes;
  siginfo_t ended = {0};
  while (size_of("run.json.part") < wanted && ended.si_pid == 0)
    assert_int_equal(waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOHANG | WNOWAIT), 0);
}

/* Ten runs are killed at random moments, each going on with the one before it; then one is left alone. The moments are
 * points of time in every other one, in the others points on the way, since a machine may be busy with something else.
 * Where it is so busy, or so quick, that fewer than three were cut in the middle, more follow. */
static void test_killed_and_resumed(void **state) {
  (void)state;
  test_random random = test_random_start("killed", 6010);
  make_records("d.jsonl", CASES, WORDS, 3);
  double start = now_s();
  assert_int_equal(wait_for(start_program(whole_run)), 0);
  double whole_s = now_s() - start;
  size_t cut = 0, all = size_of("whole.json");
  int kill_number = 0;
  for (; kill_number < 10 || (cut < 3 && kill_number < 300); kill_number++) {
    size_t before = count_trials("run.json.part");
    pid_t pid = start_program(kill_number == 0 ? first_run : next_run);
    if (kill_number % 2 == 0)
      await_growth(pid, 1 + test_random_below(&random, all / 8));
    else
      sleep_s(whole_s * test_random_unit(&random));
    kill(pid, SIGKILL);
    wait_for(pid);
    size_t lines = count_trials("run.json.part");
    cut += lines > before && lines < CASES * TRIALS;
    harm_journal(&random);
  }
  /* Otherwise the test would show nothing. */
  print_message("%zu of %d were cut in the middle\n", cut, kill_number);
  assert_true(cut >= 3);
  assert_int_equal(wait_for(start_program(next_run)), 0);
  assert_same_file("run.json", "whole.json");
  assert_int_not_equal(access("run.json.part", F_OK), 0);
  remove_files();
}

/* A journal that has every number of finished trials, however it came about: the rest is done. */
static void test_every_length(void **state) {
  (void)state;
  make_records("d.jsonl", 4, 6, 3);
  assert_int_equal(wait_for(start_program(whole_run)), 0);
  /* Stopped by a full disk: a limit on the size of files. The journal then ends in the middle of a line. */
  for (int kilobytes = 1; kilobytes < 12; kilobytes++) {
    unlink("run.json");
    int status = shell(
        "ulimit -f %d; evalengine bench run --dataset d.jsonl --mode variance --trials 4 -j1 -q >out 2>err", kilobytes);
    if (status == 0) break;
    assert_int_equal(status, 5);
    assert_int_equal(wait_for(start_program(next_run)), 0);
    assert_same_file("run.json", "whole.json");
  }
  remove_files();
}

static void test_workers(void **state) {
  (void)state;
  make_records("d.jsonl", 200, 10, 3);
  assert_int_equal(wait_for(start_program(whole_run)), 0);
  for (int jobs = 1; jobs < 9; jobs += 2) {
    assert_int_equal(shell("evalengine bench run --dataset d.jsonl --mode variance --trials 4 -j%d >out 2>err", jobs),
                     0);
    assert_same_file("run.json", "whole.json");
  }
  remove_files();
}

static void test_interrupt(void **state) {
  (void)state;
  make_records("d.jsonl", CASES, WORDS, 3);
  double start = now_s();
  assert_int_equal(wait_for(start_program(whole_run)), 0);
  double whole_s = now_s() - start;
  bool interrupted = false;
  for (int attempt = 0; attempt < 20 && !interrupted; attempt++) {
    unlink("run.json");
    pid_t pid = start_program(first_run);
    while (count_trials("run.json.part") == 0 && access("run.json", F_OK) != 0) sleep_s(whole_s / 200);
    kill(pid, SIGINT);
    int status = wait_for(pid);
    if (status == 0) continue; /* it was faster */
    assert_int_equal(status, 130);
    interrupted = true;
  }
  assert_true(interrupted);
  size_t lines = count_trials("run.json.part");
  assert_true(lines > 0 && lines < CASES * TRIALS);
  assert_int_not_equal(access("run.json", F_OK), 0);
  ee_buffer err = load("err");
  char wanted[200];
  snprintf(wanted, sizeof wanted,
           "evalengine: interrupted: %zu of %d trials are kept in 'run.json.part'; the same command with --resume "
           "continues\n",
           lines, CASES * TRIALS);
  assert_string_equal(err.data, wanted);
  ee_buffer_fini(&err);
  assert_int_equal(wait_for(start_program(next_run)), 0);
  assert_same_file("run.json", "whole.json");
  remove_files();
}

/* Without shipped records, the message says how to name others. */
static void test_no_records_here(void **state) {
  (void)state;
  int status = shell("evalengine bench run >out 2>err");
  ee_buffer err = load("err");
  if (status != 0) { /* else they are installed */
    assert_int_equal(status, 5);
    assert_non_null(strstr(err.data, "evalengine: no records: neither 'bench/datasets' here nor '"));
    assert_non_null(strstr(err.data, "' exists (name files with --dataset)\n"));
  }
  ee_buffer_fini(&err);
  remove_files();
}

/* The journal of other records, of another mode, and one that another process writes. */
static void test_other_journals(void **state) {
  (void)state;
  make_records("d.jsonl", CASES, WORDS, 3);
  pid_t pid = start_program(first_run);
  while (count_trials("run.json.part") == 0 && access("run.json", F_OK) != 0) sleep_s(0.001);
  kill(pid, SIGSTOP);
  int how;
  assert_int_equal(waitpid(pid, &how, WUNTRACED), pid);
  if (WIFSTOPPED(how)) {
    assert_int_equal(shell("evalengine bench run --dataset d.jsonl --mode variance --trials 4 >o2 2>e2"), 5);
    ee_buffer err = load("e2");
    assert_string_equal(err.data, "evalengine: another process is writing 'run.json.part'\n");
    ee_buffer_fini(&err);
    kill(pid, SIGKILL);
    kill(pid, SIGCONT);
    wait_for(pid);
    assert_int_equal(shell("evalengine bench run --dataset d.jsonl --resume >o2 2>e2"), 3);
    make_records("d.jsonl", CASES - 1, WORDS, 3);
    assert_int_equal(wait_for(start_program(next_run)), 3);
    assert_true(count_trials("run.json.part") > 0); /* nothing of it is lost */
    assert_int_equal(wait_for(start_program(first_run)), 0);
  }
  remove_files();
}

/* The number after `"name": ` in a report as JSON. */
static double figure(const char *file, const char *name) {
  ee_buffer text = load(file);
  ee_arena arena;
  ee_arena_init(&arena, 0);
  const ee_value *report = ee_json_read(&arena, (ee_str){text.data, text.length}, NULL, NULL);
  const ee_value *value = ee_value_member(report, ee_str_from(name), NULL);
  if (ee_type_of(value) != EE_NUMBER) fail_msg("no '%s' in %s", name, text.data);
  double number = ee_value_number(value);
  ee_arena_fini(&arena);
  ee_buffer_fini(&text);
  return number;
}

/* One wrong offset among 20 x 8 extractions: its share is missing from the rate, it is reported, and nothing else is
 * lost. */
static void test_one_wrong_offset(void **state) {
  (void)state;
  ee_buffer text = {0};
  for (size_t i = 0; i < 20; i++) add_record(&text, i, 8, 1, i == 13 ? 5 : SIZE_MAX);
  save("d.jsonl", &text);
  ee_buffer_fini(&text);
  assert_int_equal(shell("evalengine bench run --dataset d.jsonl -q >out 2>err"), 0);
  assert_int_equal(shell("evalengine bench score -f json >score.json 2>err"), 1);
  assert_true(figure("score.json", "quoteInvariantRate") == 159.0 / 160);
  assert_true(figure("score.json", "schemaValidRate") == 1);
  assert_true(figure("score.json", "extractions") == 160);
  assert_true(figure("score.json", "successRate") == 1);
  assert_int_equal(shell("evalengine bench score >out 2>err"), 1);
  ee_buffer out = load("out");
  /* Words are "w0091" and so on: 13 * 7 + 5 = 96. */
  const char *line = "\n  case-13 trial 1: QUOTE_MISMATCH 'w0096' at 31..36: the document says '0096 '\n";
  if (strstr(out.data, line) == NULL) fail_msg("%s", out.data);
  ee_buffer_fini(&out);
  assert_int_equal(shell("evalengine bench score --min quoteInvariantRate=0.99 >out 2>err"), 0);
  remove_files();
}

/* Five trials over three answers: trial t takes answer (t - 1) mod 3, so that 1 and 4, 2 and 5 agree. Ten words of one
 * case: answers 2 and 3 lack those at which (i + a + number) mod 5 is 0, a = 1, 2: i = 4, 9 and i = 3, 8. So |1| = 10,
 * |2| = |3| = 8, 1 and 2 share 8 of 10, 1 and 3 share 8 of 10, 2 and 3 share 6 of 10. Pairs: 1-4 and 2-5 are equal: 1;
 * 1-2, 1-5, 2-4, 4-5, 1-3, 3-4: 0.8; 2-3, 3-5: 0.6. Sum 2 + 4.8 + 1.2 = 8; stability 0.8. Counts 10, 8, 8, 10, 8:
 * mean 8.8, variance (2 * 1.44 + 3 * 0.64) / 5 = 0.96. */
static void test_trials_that_differ(void **state) {
  (void)state;
  make_records("d.jsonl", 1, 10, 3);
  assert_int_equal(shell("evalengine bench run --dataset d.jsonl --mode variance --trials 5 -f json >run-report 2>err"),
                   0);
  assert_int_equal(shell("evalengine bench score -f json >score.json 2>err"), 0);
  assert_true(fabs(figure("score.json", "uniqueExtractionStability") - 0.8) < 1e-12);
  assert_true(fabs(figure("run-report", "uniqueExtractionStability") - 0.8) < 1e-12);
  assert_true(figure("score.json", "caseOutcomeDriftRate") == 1);
  ee_buffer text = load("score.json");
  const char *line = "\"variance\": {\"counts\":[10,8,8,10,8],\"min\":8,\"max\":10,\"mean\":8.8,\"variance\":";
  const char *found = strstr(text.data, line);
  assert_non_null(found);
  assert_true(fabs(strtod(found + strlen(line), NULL) - 0.96) < 1e-12);
  ee_buffer_fini(&text);
  remove_files();
}

EE_TEST_FILE(set_up_folder, tear_down_folder, cmocka_unit_test(test_killed_and_resumed),
             cmocka_unit_test(test_every_length), cmocka_unit_test(test_workers), cmocka_unit_test(test_interrupt),
             cmocka_unit_test(test_no_records_here), cmocka_unit_test(test_other_journals),
             cmocka_unit_test(test_one_wrong_offset), cmocka_unit_test(test_trials_that_differ));
