/* exits.h: runs a function in a child process and looks at how that ends.
 *
 * For tests of what happens when memory runs out. */
#ifndef EE_TESTS_BASE_EXITS_H
#define EE_TESTS_BASE_EXITS_H

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The exit status of a child that runs `action` (0 when it returns, -1 when a signal ended it); what it wrote to stderr
 * goes to `text`, NUL-terminated and cut to `size`. */
static inline int run_in_child(void (*action)(void), char *text, size_t size) {
  int ends[2];
  if (pipe(ends) != 0) return -1;
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    action();
    _exit(0);
  }
  close(ends[1]);
  size_t length = 0;
  ssize_t got;
  while (length + 1 < size && (got = read(ends[0], text + length, size - 1 - length)) > 0) length += (size_t)got;
  text[length] = '\0';
  close(ends[0]);
  int status = 0;
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

/* A sanitizer may have had its say before the line. */
#define assert_ends_without_memory(action)                                                                             \
  do {                                                                                                                 \
    char said[4096];                                                                                                   \
    assert_int_equal(run_in_child((action), said, sizeof(said)), 5);                                                   \
    assert_non_null(strstr(said, "evalengine: out of memory\n"));                                                      \
  } while (0)

#endif
