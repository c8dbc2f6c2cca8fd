/* test_results_file.c: what --resume makes of a part that was harmed, is of another run or is being written; what is
 * left of a run that fails; outputs that are no files. */
#include "cli/command_folder.h"

#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/buffer.h"
#include "data/json/checked_line.h"
#include "evalengine.h"
#include "support/random.h"

enum { RECORDS = 3000 };
#define OLD_ROWS "the rows of an earlier run\n"

static void write_input(void) {
  save_text("r.lua", "return ee.rules { ee.fields { ee.exact 'x', ee.numeric 'y' } }\n");
  ee_buffer text = {0};
  for (size_t i = 0; i < RECORDS; i++)
    ee_buffer_addf(&text, "{\"id\":\"c%zu\",\"expected\":{\"x\":%zu,\"y\":1},\"candidate\":{\"x\":%zu,\"y\":%zu}}\n", i,
                   i, i - i % 2, i % 3);
  save("d.jsonl", &text);
  ee_buffer_fini(&text);
}

/* Leaves a part with several checkpoints, as a run leaves it that is ended while it reports: its report cannot be
 * written as long as nobody reads the pipe. */
static void make_part(void) {
  unlink("pipe");
  assert_int_equal(mkfifo("pipe", 0600), 0);
  int reader = open("pipe", O_RDONLY | O_NONBLOCK);
  assert_true(reader >= 0);
  /* The rows as they go to the report fill the pipe, after some blocks: the run waits there. */
  static const char *const words[] = {"r.lua", "d.jsonl", "--results", "rows", "-f", "jsonl",
                                      "-o",    "pipe",    "-j1",       "-q",   NULL};
  pid_t pid = start_program(words);
  static char piece[65536];
  size_t taken = 0;
  /* What is read lets some blocks pass; then it waits for good. */
  while (taken < 400000) {
    ssize_t got = read(reader, piece, sizeof piece);
    if (got > 0) taken += (size_t)got;
    usleep(got > 0 ? 200000 : 2000); /* time for more than one checkpoint */
    siginfo_t ended = {0};
    if (waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid != 0) break;
  }
  assert_true(pid > 1);
  kill(pid, SIGTERM);
  while (read(reader, piece, sizeof piece) != 0) {
    siginfo_t ended = {0};
    if (waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid != 0) break;
    usleep(1000);
  }
  wait_for(pid);
  close(reader);
  unlink("pipe");
}

static int resume(const char *options) {
  return shell("evalengine r.lua d.jsonl --results rows --resume -j2 %s >out 2>err", options);
}

static void assert_said(const char *text) {
  ee_buffer said = load("err");
  if (strstr(said.data, text) == NULL) fail_msg("'%s' is not in: %s", text, said.data);
  ee_buffer_fini(&said);
}

static void make_whole(void) {
  assert_int_equal(shell("evalengine r.lua d.jsonl --results whole >whole.txt 2>err"), 0);
}

/* A part that a run leaves behind, kept as "p" and "j". False if the run was not cut in the middle. */
static bool has_part(void) {
  make_part();
  if (access("rows.part", F_OK) != 0) return false;
  return shell("cp rows.part p && cp rows.part.journal j") == 0;
}

static void put_back(void) { assert_int_equal(shell("cp p rows.part; cp j rows.part.journal; rm -f rows"), 0); }

/* Whatever was done to the files: refused, or the bytes of the whole run. */
static size_t assert_right_or_refused(void) {
  int status = resume("");
  if (status == 0) {
    assert_same_file("rows", "whole");
    assert_same_file("out", "whole.txt");
    return 0;
  }
  assert_true(status == 3 || status == 5);
  assert_int_not_equal(access("rows", F_OK), 0);
  return 1;
}

static void test_damage(void **state) {
  (void)state;
  test_random random = test_random_start("damage", 7002);
  write_input();
  make_whole();
  if (!has_part()) skip();
  static const char *const harms[] = {
      "true",
      ": >rows.part",
      "rm rows.part",
      "rm rows.part.journal",
      ": >rows.part.journal",
      "rm rows.part; : >rows.part.journal",
      "printf x >>rows.part",
      "printf x >>rows.part.journal",
      "printf '\\n' >>rows.part.journal",
      "cat p >>rows.part",
      "cat j >>rows.part.journal",
      "head -n 1 j >rows.part.journal",
      "tail -n 1 j >rows.part.journal",
      "sed 2d j >rows.part.journal",
      "sed '$d' j >rows.part.journal",
      "tac j >rows.part.journal",
      "sed 's/\"cases\":/\"cases\":1/' j >rows.part.journal",
      "sed 's/\"rows\":/\"rows\":1/' j >rows.part.journal",
      "sed 's/\"rules\":\"./\"rules\":\"x/' j >rows.part.journal",
      "sed 's/c1/c2/' p >rows.part",
      "tail -n +2 p >rows.part",
      "tac p >rows.part",
      "cp d.jsonl rows.part",
      "cp d.jsonl rows.part.journal",
      "cp p rows.part.journal; cp j rows.part",
      "tr '\\n' ' ' <j >rows.part.journal",
      "cat p p >rows.part",
      "truncate -s 100M rows.part",
      "truncate -s +1M rows.part.journal",
  };
  size_t refused = 0, count = sizeof harms / sizeof *harms;
  for (size_t i = 0; i < count; i++) {
    put_back();
    assert_int_equal(shell("%s", harms[i]), 0);
    refused += assert_right_or_refused();
  }
  for (size_t i = 0; i < 40; i++) {
    const char *name = i % 2 == 0 ? "rows.part" : "rows.part.journal";
    put_back();
    ee_buffer text = load(name);
    size_t at = test_random_below(&random, (uint32_t)text.length);
    if (i % 4 < 2)
      text.data[at] = (char)(text.data[at] ^ 1 << test_random_below(&random, 8));
    else
      text.length = at;
    save(name, &text);
    ee_buffer_fini(&text);
    refused += assert_right_or_refused();
  }
  print_message("%zu of %zu damaged parts were refused, the others gave the right rows\n", refused, count + 40);
  remove_files();
}

static void test_other_runs(void **state) {
  (void)state;
  write_input();
  make_whole();
  if (!has_part()) skip();
  put_back();
  assert_int_equal(resume("--limit 2000"), 3);
  assert_said("'rows.part' is of a run with other options (without --resume the run begins again)");
  assert_int_equal(resume("--detail full"), 3);
  assert_int_equal(
      shell("sed 's/numeric/exact/' r.lua >r2.lua; evalengine r2.lua d.jsonl --results rows --resume >out 2>err"), 3);
  assert_said("other rules");
  assert_int_equal(shell("cp d.jsonl e.jsonl; evalengine r.lua e.jsonl --results rows --resume >out 2>err"), 3);
  assert_said("other data files");
  assert_int_equal(shell("evalengine r2.lua e.jsonl --limit 2000 --results rows --resume >out 2>err"), 3);
  assert_said("of a run with other rules, other options and other data files (");
  assert_int_equal(shell("cp d.jsonl e.jsonl; sed 's/c1\"/d1\"/' e.jsonl >d.jsonl"), 0);
  assert_int_equal(resume(""), 3);
  assert_said("the data has changed");
  assert_int_equal(shell("cp e.jsonl d.jsonl"), 0);
  /* All of that left the part as it was. */
  assert_same_file("rows.part", "p");
  assert_int_equal(resume(""), 0);
  assert_same_file("rows", "whole");
  assert_same_file("out", "whole.txt");
  assert_int_equal(resume("-q"), 0); /* there is no interrupted run: a new one */
  assert_same_file("rows", "whole");
  put_back();
  assert_int_equal(shell("evalengine r.lua d.jsonl --results rows >out 2>err"), 0);
  assert_said("'rows.part' of an interrupted run is discarded");
  assert_same_file("rows", "whole");
  assert_int_equal(shell("evalengine r.lua d.jsonl --resume >out 2>err"), 2);
  assert_said("--resume needs --results FILE");
  remove_files();
}

/* A journal of another version of the program says so, and is not called damaged. */
static void test_other_versions(void **state) {
  (void)state;
  write_input();
  make_whole();
  if (!has_part()) skip();
  static const struct {
    const char *from, *to, *said;
  } rows[] = {
      {"{\"evalengine_results\":2,", "{\"evalengine_results\":1,",
       "'rows.part.journal' is of evalengine " EE_VERSION ", in format 1; evalengine " EE_VERSION
       " reads format 2 (without --resume the run begins again)"},
      {"\"evalengine_results\":2,\"program\":\"" EE_VERSION "\"", "\"evalengine_results\":1",
       "'rows.part.journal' is of another version of evalengine, in format 1; "},
      {"\"program\":\"" EE_VERSION "\",\"version\":\"", "\"program\":\"0.0.9\",\"version\":\"x",
       "'rows.part' is of a run with version 0.0.9 of evalengine (without --resume the run begins again)"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    put_back();
    ee_buffer journal = load("rows.part.journal"), changed = {0};
    size_t length = (size_t)((char *)memchr(journal.data, '\n', journal.length) - journal.data) - EE_CHECK_LENGTH;
    ee_str header = {journal.data, length};
    const char *at = memmem(header.data, header.length, rows[i].from, strlen(rows[i].from));
    assert_non_null(at);
    ee_buffer_add(&changed, header.data, (size_t)(at - header.data));
    ee_buffer_add_text(&changed, rows[i].to);
    const char *rest = at + strlen(rows[i].from);
    if (rows[i].to[strlen(rows[i].to) - 1] == 'x') { /* another hash */
      changed.data[changed.length - 1] = *rest == '0' ? '1' : '0';
      rest++;
    }
    ee_buffer_add(&changed, rest, (size_t)(header.data + header.length - rest));
    ee_checked_line_end(&changed, 0, 0);
    ee_buffer_add(&changed, journal.data + length + EE_CHECK_LENGTH + 1, journal.length - length - EE_CHECK_LENGTH - 1);
    save("rows.part.journal", &changed);
    assert_int_equal(resume(""), 3);
    assert_said(rows[i].said);
    ee_buffer_fini(&journal);
    ee_buffer_fini(&changed);
  }
  remove_files();
}

static void test_locked(void **state) {
  (void)state;
  write_input();
  save_text("rows", OLD_ROWS);
  int part = open("rows.part", O_RDWR | O_CREAT, 0600);
  assert_true(part >= 0);
  if (flock(part, LOCK_EX | LOCK_NB) != 0) skip();
  assert_int_equal(shell("evalengine r.lua d.jsonl --results rows >out 2>err"), 5);
  assert_said("another run is writing 'rows.part'");
  assert_int_equal(resume(""), 5);
  close(part);
  assert_content("rows", OLD_ROWS);
  assert_int_equal(shell("evalengine r.lua d.jsonl --results rows >out 2>err"), 0);
  remove_files();
}

/* What fails leaves the rows of an earlier run. */
static void test_failures(void **state) {
  (void)state;
  write_input();
  make_whole();
  save_text("rows", OLD_ROWS);
  assert_int_equal(shell("(ulimit -f 100; exec evalengine r.lua d.jsonl --results rows) >out 2>err"), 5);
  assert_said("cannot write 'rows.part': File too large");
  assert_content("rows", OLD_ROWS);
  assert_int_equal(resume(""), 0);
  assert_same_file("rows", "whole");
  save_text("rows", OLD_ROWS);
  assert_int_equal(shell("evalengine r.lua d.jsonl --only nothing --results rows >out 2>err"), 4);
  assert_int_equal(shell("evalengine r.lua r.lua --results rows >out 2>err"), 4);
  assert_int_equal(shell("(cat d.jsonl; echo broken) >b.jsonl; evalengine r.lua b.jsonl --strict --results rows >out "
                         "2>err"),
                   4);
  assert_content("rows", OLD_ROWS);
  assert_int_equal(
      shell("rm -f rows.part rows.part.journal; evalengine r.lua d.jsonl --results d.jsonl/rows >out 2>err"), 5);
  assert_said("cannot create 'd.jsonl/rows': Not a directory");
  assert_int_equal(shell("evalengine r.lua d.jsonl --results /dev/full >out 2>err"), 5);
  assert_said("No space left on device");
  assert_int_equal(shell("echo mine >rows.part; evalengine r.lua d.jsonl --results rows >out 2>err"), 5);
  assert_said("'rows.part' is not of a run");
  assert_content("rows.part", "mine\n");
  remove_files();
}

static void test_links_and_pipes(void **state) {
  (void)state;
  write_input();
  make_whole();
  save_text("target", OLD_ROWS);
  assert_int_equal(symlink("target", "rows"), 0);
  assert_int_equal(shell("evalengine r.lua d.jsonl --results rows >out 2>err"), 0);
  struct stat status;
  assert_int_equal(lstat("rows", &status), 0);
  assert_true(S_ISLNK(status.st_mode));
  assert_same_file("target", "whole");
  assert_int_equal(
      shell("mkfifo pipe; cat pipe >copy & evalengine r.lua d.jsonl --results pipe >out 2>err; s=$?; wait; "
            "exit $s"),
      0);
  assert_same_file("copy", "whole");
  assert_int_equal(shell("evalengine r.lua d.jsonl --results pipe --resume >out 2>err"), 2);
  assert_said("--resume needs rows in a file, and 'pipe' is not one");
  assert_int_equal(shell("evalengine r.lua d.jsonl --results /dev/null >out 2>err"), 0);
  assert_int_equal(symlink("target", "other.part"), 0);
  assert_int_equal(shell("evalengine r.lua d.jsonl --results other >out 2>err"), 5);
  assert_same_file("target", "whole");
  remove_files();
}

EE_TEST_FILE(set_up_folder, tear_down_folder, cmocka_unit_test(test_damage), cmocka_unit_test(test_other_runs),
             cmocka_unit_test(test_other_versions), cmocka_unit_test(test_locked), cmocka_unit_test(test_failures),
             cmocka_unit_test(test_links_and_pipes));
