/* test_interrupt.c: SIGINT and SIGTERM end the program at once wherever nothing is judged, and leave nothing half done.
 * A pipe that is not emptied holds the program at a known place, so that no test depends on time. */
#include "cli/command_folder.h"

#include <signal.h>
#include <sys/stat.h>

#include "cli/interrupt.h"

enum { RECORDS = 300, EVALUATIONS = 2 };

static bool exists(const char *name) { return access(name, F_OK) == 0; }

static void write_input(void) {
  ee_buffer text = {0};
  for (size_t i = 0; i < RECORDS; i++)
    ee_buffer_addf(&text, "{\"id\":\"c%zu\",\"expected\":{\"x\":%zu},\"candidate\":{\"x\":%zu}}\n", i, i, i + i % 2);
  save("d.jsonl", &text);
  ee_buffer_fini(&text);
  save_text("r.lua", "return ee.rules { ee.fields { ee.exact 'x' } }\n");
  assert_int_equal(shell("evalengine r.lua d.jsonl --results rows0 -q -o report0"), 0);
  assert_int_equal(shell("evalengine r.lua d.jsonl --state state0 --results rows1 --detail full -q"), 0);
  assert_int_equal(shell("cp rows0 rows2"), 0);
}

/* The signal --------------------------------------------------------------------------------------- */

/* Runs the function in a process of its own, and returns how that ends. */
static int status_of(void (*function)(void)) {
  pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid > 0) return wait_for(pid);
  int err = open("err", O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (dup2(err, STDERR_FILENO) < 0) _exit(99);
  function();
  _exit(98);
}

static void end_with_files(void) {
  ee_interrupt_end_at_once();
  ee_interrupt_remove("folder/a");
  ee_interrupt_remove("b");
  ee_interrupt_remove("folder");
  ee_interrupt_remove("c");
  ee_interrupt_forget("b");
  ee_interrupt_remove("not there");
  for (int i = 0; i < 100; i++) ee_interrupt_remove("too many");
  ee_error message = {0};
  snprintf(message.message, sizeof message.message, "interrupted: 'a\033b'");
  ee_interrupt_set_message(&message);
  raise(SIGINT);
}

static void files_without_their_name_are_removed(void **state) {
  (void)state;
  assert_int_equal(mkdir("folder", 0777), 0);
  for (size_t i = 0; i < 3; i++) save_text(((const char *[]){"folder/a", "b", "c"})[i], "x");
  assert_int_equal(status_of(end_with_files), 130);
  assert_content("err", "evalengine: interrupted: 'a\\u001bb'\n");
  assert_false(exists("folder"));
  assert_false(exists("c"));
  assert_int_equal(remove_files(), 2); /* b and err */
}

static void end_after_the_flag(void) {
  const volatile sig_atomic_t *flag = ee_interrupt_watch();
  if (*flag != 0) _exit(97);
  raise(SIGTERM);
  if (*flag == 0 || ee_interrupt_status() != 143) _exit(96);
  ee_interrupt_end_at_once();
  raise(SIGINT);
}

static void end_at_the_second(void) {
  ee_interrupt_watch();
  raise(SIGINT);
  raise(SIGTERM);
}

static void end_without_message(void) {
  ee_interrupt_end_at_once();
  ee_error message = {.message = "not this"};
  ee_interrupt_set_message(&message);
  ee_interrupt_set_message(NULL);
  raise(SIGTERM);
}

static void a_second_signal_ends_what_the_first_began(void **state) {
  (void)state;
  assert_int_equal(status_of(end_after_the_flag), 130);
  assert_int_equal(status_of(end_at_the_second), 143);
  assert_int_equal(status_of(end_without_message), 143);
  assert_content("err", "");
  remove_files();
}

/* Commands ----------------------------------------------------------------------------------------- */

/* Starts the program, which writes more to the pipe "out.html" than it holds, and ends it while it writes. */
static void end_while_it_writes(const char *const *words, int signal_number, int status) {
  unlink("out.html");
  assert_int_equal(mkfifo("out.html", 0666), 0);
  pid_t pid = start_program(words);
  int pipe_end = open("out.html", O_RDONLY);
  assert_true(pipe_end >= 0);
  char byte;
  assert_int_equal(read(pipe_end, &byte, 1), 1);
  assert_true(pid > 1);
  assert_int_equal(kill(pid, signal_number), 0);
  assert_int_equal(wait_for(pid), status);
  size_t got = 1;
  char rest[4096];
  for (ssize_t n; (n = read(pipe_end, rest, sizeof rest)) > 0;) got += (size_t)n;
  assert_true(got <= 131072); /* what a pipe holds, not the whole page */
  close(pipe_end);
  unlink("out.html");
}

static void reports_end_while_they_are_written(void **state) {
  (void)state;
  write_input();
  static const char *const commands[][12] = {
      {"r.lua", "d.jsonl", "-o", "out.html", "-q"},
      {"d.jsonl", "-o", "out.html", "-q"},
      {"report", "rows0", "-o", "out.html", "-q"},
      {"report", "--rules", "r.lua", "rows0", "--dataset", "d.jsonl", "-o", "out.html", "-q"},
      {"compare", "rows0", "rows0", "-o", "out.html", "-q"},
      {"merge", "r.lua", "state0", "--rows", "rows1", "-o", "out.html", "-q"},
      {"audit", "d.jsonl", "-o", "out.html", "-q"},
      {"trend", "rows0", "rows0", "-o", "out.html", "-q"},
      {"plan", "rows0", "rows2", "-o", "out.html", "-q"},
  };
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
    end_while_it_writes(commands[i], SIGTERM, 143);
    assert_content("err",
                   i < EVALUATIONS ? "evalengine: interrupted: the report is not complete and is not kept\n" : "");
  }
  end_while_it_writes(commands[2], SIGINT, 130);
  remove_files();
}

static void rows_of_a_report_that_was_cut_are_resumed(void **state) {
  (void)state;
  write_input();
  assert_int_equal(shell("evalengine r.lua d.jsonl --results whole -o page.html -q"), 0);
  end_while_it_writes((const char *[]){"r.lua", "d.jsonl", "--results", "rows", "-o", "out.html", "-q", NULL}, SIGTERM,
                      143);
  assert_content("err", "evalengine: interrupted: the rows of 300 cases are kept in 'rows.part'; the same command with "
                        "--resume goes on from there\n");
  assert_false(exists("rows"));
  assert_true(exists("rows.part"));
  assert_int_equal(shell("evalengine r.lua d.jsonl --results rows -o out.html --resume -q 2>err"), 0);
  assert_same_file("rows", "whole");
  assert_false(exists("rows.part"));
  remove_files();
}

/* Starts the program, which reads the pipe "in", and ends it while that is open. */
static void end_while_it_reads(const char *const *words) {
  pid_t pid = start_program(words);
  int pipe_end = open("in", O_WRONLY);
  assert_true(pipe_end >= 0 && pid > 1);
  assert_int_equal(kill(pid, SIGTERM), 0);
  assert_int_equal(wait_for(pid), 143);
  close(pipe_end);
  assert_content("err", "");
}

static void commands_end_while_they_read(void **state) {
  (void)state;
  write_input();
  assert_int_equal(mkfifo("in", 0666), 0);
  static const char *const commands[][8] = {
      {"report", "in", "-q", "-o", "new"},         {"compare", "rows0", "in", "-q", "-o", "new"},
      {"trend", "rows0", "in", "-q", "-o", "new"}, {"plan", "in", "-q", "-o", "new"},
      {"merge", "r.lua", "in", "-q", "-o", "new"}, {"audit", "d.jsonl", "in", "-q", "-o", "new"},
      {"init", "in", "-q", "-o", "new.lua"},
  };
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
    end_while_it_reads(commands[i]);
    assert_false(exists("new") || exists("new.lua"));
  }
  remove_files();
}

EE_TEST_FILE(set_up_folder, tear_down_folder, cmocka_unit_test(files_without_their_name_are_removed),
             cmocka_unit_test(a_second_signal_ends_what_the_first_began),
             cmocka_unit_test(reports_end_while_they_are_written),
             cmocka_unit_test(rows_of_a_report_that_was_cut_are_resumed),
             cmocka_unit_test(commands_end_while_they_read));
