/* test_terminal.c: what reaches the terminal of messages about foreign data. */
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

static void test_control_characters_are_masked(void **state) {
  (void)state;
  assert_printed("id 'a'", "d.jsonl:3: id 'a'\n");
  assert_printed("\x1b[2J\r\n\x7f", "d.jsonl:3: ?[2J???\n");
  /* C1 starts sequences too; what only shares a byte with it stays. */
  assert_printed("\xc2\x9b"
                 "2J\xc2\x85",
                 "d.jsonl:3: ??2J??\n");
  /* What turns the direction of writing, and Unicode's own line breaks. */
  assert_printed("a\xe2\x80\xae"
                 "b\xe2\x80\xa8\xe2\x81\xa6",
                 "d.jsonl:3: a???b??????\n");
  assert_printed("\xc2\xa0\xc3\x9b\xe2\x82\xac", "d.jsonl:3: \xc2\xa0\xc3\x9b\xe2\x82\xac\n");
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_control_characters_are_masked));
