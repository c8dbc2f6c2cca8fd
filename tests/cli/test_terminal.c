/* test_terminal.c: what reaches the terminal of messages about foreign data; the progress line. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/terminal.h"

/* Compares what a message prints on standard error. */
static void assert_printed(const char *message, const char *expected) {
  FILE *file = tmpfile();
  assert_non_null(file);
  fflush(stderr);
  int before = dup(STDERR_FILENO);
  assert_true(before >= 0 && dup2(fileno(file), STDERR_FILENO) >= 0);
  ee_options options = {0};
  ee_terminal terminal;
  ee_terminal_init(&terminal, &options);
  ee_error error;
  ee_error_at(&error, EE_ERROR_DATA, "d.jsonl", 3, 0, "%s", message);
  ee_terminal_message(&terminal, &error);
  fflush(stderr);
  dup2(before, STDERR_FILENO);
  close(before);
  char text[512];
  rewind(file);
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  fclose(file);
  assert_string_equal(text, expected);
}

static void test_control_characters_are_written_out(void **state) {
  (void)state;
  assert_printed("id 'a'", "d.jsonl:3: id 'a'\n");
  assert_printed("\x1b[2J\r\n\x7f", "d.jsonl:3: \\u001b[2J\\r\\n\\u007f\n");
  /* C1 starts sequences too; what only shares a byte with it stays. */
  assert_printed("\xc2\x9b"
                 "2J\xc2\x85",
                 "d.jsonl:3: \\u009b2J\\u0085\n");
  /* What turns the direction of writing, and Unicode's own line breaks. */
  assert_printed("a\xe2\x80\xae"
                 "b\xe2\x80\xa8\xe2\x81\xa6",
                 "d.jsonl:3: a\\u202eb\\u2028\\u2066\n");
  assert_printed("\xc2\xa0\xc3\x9b\xe2\x82\xac", "d.jsonl:3: \xc2\xa0\xc3\x9b\xe2\x82\xac\n");
}

static void assert_line(const ee_progress *progress, double seconds, size_t width, const char *expected) {
  ee_buffer line;
  ee_buffer_init(&line);
  ee_progress_print(progress, "cases", seconds, width, &line);
  assert_string_equal(ee_buffer_terminate(&line), expected);
  ee_buffer_fini(&line);
}

static void test_progress(void **state) {
  (void)state;
  ee_sample score = {0};
  ee_progress progress = {.count = 1234567, .taken = 42, .total = 100, .score = &score};
  assert_line(&progress, 10, 0, "1,234,567 cases  123,456/s  42 %  14 s left");
  ee_sample_add(&score, 0.5);
  ee_sample_add(&score, 1);
  assert_line(&progress, 10, 0, "1,234,567 cases  123,456/s  42 %  14 s left  mean score 0.750");
  assert_line(&progress, 10, 61, "1,234,567 cases  123,456/s  42 %  14 s left  mean score 0.750");
  assert_line(&progress, 10, 60, "1,234,567 cases  42 %  14 s left  mean score 0.750");
  assert_line(&progress, 10, 45, "1,234,567 cases  14 s left  mean score 0.750");
  assert_line(&progress, 10, 40, "1,234,567 cases  14 s left");
  assert_line(&progress, 10, 20, "1,234,567 cases");
  assert_line(&progress, 10, 3, "1,234,567 cases");
  assert_line(&progress, 1000, 0, "1,234,567 cases  1,234/s  42 %  23 min left  mean score 0.750");
  assert_line(&progress, 100000, 0, "1,234,567 cases  12/s  42 %  38 h 22 min left  mean score 0.750");
  progress = (ee_progress){.count = 1, .taken = 5, .total = 0};
  assert_line(&progress, 2, 0, "1 cases  0/s");
  progress = (ee_progress){.count = 999, .taken = 5, .total = 5};
  assert_line(&progress, 1, 0, "999 cases  999/s  100 %  0 s left");
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_control_characters_are_written_out), cmocka_unit_test(test_progress));
