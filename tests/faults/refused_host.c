/* refused_host.c: see refused_host.h. */
#include "faults/refused_host.h"

#include <dirent.h>
#include <errno.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "faults/refusing_memory.h"

test_refused_host test_host = {.scene = "", .seed = 1};

char **test_host_options(char **arguments) {
  for (; arguments[0] != NULL && arguments[1] != NULL && strncmp(arguments[0], "--", 2) == 0; arguments += 2) {
    if (strcmp(arguments[0], "--sample") == 0) test_host.sample = strtoul(arguments[1], NULL, 10);
    if (strcmp(arguments[0], "--seed") == 0) test_host.seed = strtoull(arguments[1], NULL, 10);
    if (strcmp(arguments[0], "--only") == 0) test_host.only = strtoul(arguments[1], NULL, 10);
  }
  return arguments;
}

bool test_host_plays(const char *scene, char *const *names) {
  if (*names == NULL) return true;
  for (; *names != NULL; names++)
    if (strcmp(*names, scene) == 0) return true;
  return false;
}

void test_host_fail(const char *format, ...) {
  test_refuse_memory_of_all(0, false);
  va_list arguments;
  va_start(arguments, format);
  printf("%s, allocation %zu%s: ", test_host.scene, test_host.fault, test_host.goes_on ? " and all that follow" : "");
  vprintf(format, arguments);
  printf("\n");
  va_end(arguments);
  fflush(stdout);
  if (++test_host.failures >= 20) exit(1);
}

bool test_is_no_memory(const ee_error *error) {
  return error->status == EE_ERROR_SYSTEM && strcmp(error->message, "out of memory") == 0;
}

size_t test_open_descriptors(void) {
  size_t count = 0;
  DIR *folder = opendir("/proc/self/fd");
  if (folder == NULL) return 0;
  while (readdir(folder) != NULL) count++;
  closedir(folder);
  return count;
}

void test_host_check_process(size_t descriptors) {
  sigset_t blocked;
  pthread_sigmask(SIG_SETMASK, NULL, &blocked);
  for (int i = 1; i < NSIG; i++)
    if (sigismember(&blocked, i) == 1) test_host_fail("signal %d stays blocked", i);
  if (uselocale((locale_t)0) != LC_GLOBAL_LOCALE) test_host_fail("another locale stays");
  if (waitpid(-1, NULL, WNOHANG) >= 0 || errno != ECHILD) test_host_fail("a child process stays");
  size_t now = test_open_descriptors();
  if (now != descriptors) test_host_fail("%zu descriptors are open, not %zu", now, descriptors);
}
