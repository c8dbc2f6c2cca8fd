/* test_results_kills.c: runs that are ended at random moments, by any signal, end after --resume with the bytes of a
 * run that was left alone: rows, report, state. What had the name of the rows stays until then. EE_KILLS=100 for more.
 */
#include "cli/command_folder.h"

#include <signal.h>
#include <sys/stat.h>
#include <time.h>

#include "support/random.h"

enum { RECORDS = 900 };
#define OLD_ROWS "the rows of an earlier run\n"

/* What is run: with a report, as a part with a state, with a report of the rules. */
typedef struct run_command {
  const char *words[20]; /* without -j and --resume; ended by NULL */
  const char *output;    /* beside the rows */
  const char *whole[2];  /* the rows and the output of a run that was left alone */
} run_command;

static const run_command commands[] = {
    {{"r.lua", "d.jsonl", "--results", "rows", "-f", "json", "-o", "report", "-q"}, "report", {"w0", "o0"}},
    {{"r.lua", "d.jsonl", "--shard", "1/2", "--state", "state", "--results", "rows", "-q"}, "state", {"w1", "o1"}},
    {{"r.lua", "d.jsonl", "--results", "rows", "-f", "lines", "-o", "report", "-q"}, "report", {"w2", "o2"}},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static void write_input(void) {
  save_text("r.lua", "local cases = ee.summary { 'cases', init = function() return 0 end,\n"
                     "  step = function(state, case) return state + 1 end,\n"
                     "  merge = function(a, b) return a + b end, finish = function(state) return state end }\n"
                     "local lines = ee.report { 'lines', case = function(case) return case.id .. '\\n' end,\n"
                     "  done = function() return 'done\\n' end }\n"
                     "return ee.rules { slices = { 'lang' }, cases, lines,\n"
                     "  ee.fields { ee.exact 'x', ee.numeric { 'y', tolerance = 1 } },\n"
                     "  ee.judge { 'slow', function(case)\n"
                     "    local sum = 0\n"
                     "    for i = 1, 60000 do sum = sum + i % 7 end\n"
                     "    if case.record.lang == 'l5' then error('no l5') end\n"
                     "    return sum % 2\n"
                     "  end } }\n");
  ee_buffer text = {0};
  for (size_t i = 0; i < RECORDS; i++) {
    if (i % 97 == 5) ee_buffer_add_text(&text, "{\"id\": broken}\n");
    ee_buffer_addf(&text,
                   "{\"id\":\"c%zu\",\"lang\":\"l%zu\",\"expected\":{\"x\":%zu,\"y\":%zu},\"candidate\":{\"x\":%zu,"
                   "\"y\":%zu}}\n",
                   i % 50 == 49 ? i - 20 : i, i % 6, i, i, i - i % 2, i + i % 3);
  }
  save("d.jsonl", &text);
  ee_buffer_fini(&text);
}

static pid_t start(const run_command *command, const char *jobs, bool resume) {
  const char *words[24];
  size_t count = 0;
  for (; command->words[count] != NULL; count++) words[count] = command->words[count];
  words[count++] = jobs;
  if (resume) words[count++] = "--resume";
  words[count] = NULL;
  return start_program(words);
}

static bool exists(const char *name) { return access(name, F_OK) == 0; }

static bool is_same(const char *name, const char *other) { return shell("cmp -s %s %s", name, other) == 0; }

/* Ends the run by `signal` after at most `ns`, or when it has ended by itself. */
static void end_after(pid_t pid, int64_t ns, int signal) {
  struct timespec at, step = {0, 2000000};
  clock_gettime(CLOCK_MONOTONIC, &at);
  for (int64_t passed = 0; passed < ns;) {
    siginfo_t ended = {0};
    if (waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid != 0) break;
    nanosleep(&step, NULL);
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    passed = (now.tv_sec - at.tv_sec) * 1000000000 + now.tv_nsec - at.tv_nsec;
  }
  assert_true(pid > 1);
  kill(pid, signal);
  wait_for(pid);
}

static void assert_done(const run_command *command) {
  assert_true(is_same("rows", command->whole[0]));
  assert_true(is_same(command->output, command->whole[1]));
  assert_false(exists("rows.part"));
  assert_false(exists("rows.part.journal"));
}

/* Until the run is complete the name belongs to what was there before. */
static void assert_not_a_part(const run_command *command) {
  if (!is_same("rows", command->whole[0])) assert_content("rows", OLD_ROWS);
  if (exists(command->output)) assert_true(is_same(command->output, command->whole[1]));
}

static void clean(const run_command *command) {
  save_text("rows", OLD_ROWS);
  unlink(command->output);
  unlink("report.part");
  unlink("rows.part");
  unlink("rows.part.journal");
}

static int64_t run_whole(const run_command *command, int *status) {
  struct timespec from, to;
  clean(command);
  clock_gettime(CLOCK_MONOTONIC, &from);
  *status = wait_for(start(command, "-j1", false));
  clock_gettime(CLOCK_MONOTONIC, &to);
  assert_int_equal(rename("rows", command->whole[0]) + rename(command->output, command->whole[1]), 0);
  return (to.tv_sec - from.tv_sec) * 1000000000 + to.tv_nsec - from.tv_nsec;
}

static void test_kills(void **state) {
  (void)state;
  static const int signals[] = {SIGKILL, SIGKILL, SIGTERM, SIGINT};
  const char *wanted = getenv("EE_KILLS");
  size_t kills = wanted != NULL ? (size_t)atol(wanted) : 6, resumed = 0, complete = 0;
  test_random random = test_random_start("kills", 7001);
  write_input();
  int status[COMMANDS];
  int64_t took[COMMANDS];
  for (size_t i = 0; i < COMMANDS; i++) took[i] = run_whole(&commands[i], &status[i]);
  assert_int_equal(status[0], 4); /* records and rules in error */
  assert_int_equal(status[1], 0);
  bool begun = false;
  const run_command *command = &commands[0];
  for (size_t i = 0; i < kills || begun; i++) {
    size_t number = (size_t)(command - commands);
    if (!begun) {
      number = test_random_below(&random, COMMANDS);
      command = &commands[number];
      clean(command);
    }
    pid_t pid = start(command, test_random_below(&random, 2) == 0 ? "-j1" : "-j4", begun);
    bool left_alone = begun && (i >= kills || test_random_below(&random, 3) == 0);
    if (left_alone) {
      assert_int_equal(wait_for(pid), status[number]);
      assert_done(command);
      complete++;
      begun = false;
      continue;
    }
    end_after(pid, (int64_t)(test_random_unit(&random) * (double)took[number]), signals[test_random_below(&random, 4)]);
    assert_not_a_part(command);
    bool done = is_same("rows", command->whole[0]) && !exists("rows.part");
    if (done && !exists(command->output)) assert_int_equal(number, SIZE_MAX); /* the report comes first */
    resumed += exists("rows.part");
    begun = !done;
  }
  print_message("%zu kills, %zu left something to go on from, %zu runs completed by --resume\n", kills, resumed,
                complete);
  remove_files();
}

EE_TEST_FILE(set_up_folder, tear_down_folder, cmocka_unit_test(test_kills));
