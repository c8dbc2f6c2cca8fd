/* processes.c: what a test process has open and running. */
#include "support/processes.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

size_t test_open_descriptors(void) {
  DIR *list = opendir("/proc/self/fd");
  if (list == NULL) return 0;
  size_t count = 0;
  while (readdir(list) != NULL) count++;
  closedir(list);
  return count;
}

bool test_has_children(void) {
  siginfo_t facts;
  return waitid(P_ALL, 0, &facts, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD;
}

/* A process that is dead and waits to be reaped by whoever inherited it has ended. */
static bool is_running(int pid) {
  char name[64], text[512];
  snprintf(name, sizeof name, "/proc/%d/stat", pid);
  FILE *file = fopen(name, "re");
  if (file == NULL) return false;
  size_t length = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  text[length] = '\0';
  const char *state = strrchr(text, ')');
  return state != NULL && state[1] != '\0' && state[2] != 'Z' && state[2] != 'X';
}

bool test_process_ends(int pid) {
  for (int i = 0; i < 6000; i++) {
    if (!is_running(pid)) return true;
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
  }
  return false;
}
