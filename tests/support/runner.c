#include "support/runner.h"

#include <fnmatch.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Only this file is compiled with the paths: so the others do not depend on where the project lies. */
const char *const test_project_folder = EE_SOURCE_DIR;
const char *const test_judge_program = EE_JUDGE_PROGRAM;

const char *test_project_path(const char *name) {
  static char path[4352];
  snprintf(path, sizeof path, "%s/%s", test_project_folder, name);
  return path;
}

/* Sorted by name, whatever the order of linking. */
static test_runner_file *files;

static const char *name_of(const test_runner_file *file) {
  const char *slash = strrchr(file->path, '/');
  return slash != NULL ? slash + 1 : file->path;
}

static size_t name_length(const test_runner_file *file) { return strcspn(name_of(file), "."); }

static bool has_name(const test_runner_file *file, const char *name) {
  return strlen(name) == name_length(file) && strncmp(name, name_of(file), name_length(file)) == 0;
}

void test_runner_add(test_runner_file *file) {
  test_runner_file **at = &files;
  while (*at != NULL && strcmp(name_of(*at), name_of(file)) < 0) at = &(*at)->next;
  file->next = *at;
  *at = file;
}

/* Returns 0 when all passed. */
static int run(const test_runner_file *file) {
  char name[256];
  snprintf(name, sizeof name, "%.*s", (int)name_length(file), name_of(file));
  if (file->count == 0) return printf("%s: no tests in this build\n", name) < 0;
  return _cmocka_run_group_tests(name, file->tests, file->count, file->set_up, file->tear_down) != 0;
}

/* In a process of its own, so that no file finds what another one left. */
static int run_apart(const test_runner_file *file) {
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) exit(run(file));
  int how;
  if (child < 0 || waitpid(child, &how, 0) != child) return 1;
  if (WIFSIGNALED(how)) printf("%s: %s\n", name_of(file), strsignal(WTERMSIG(how)));
  return !WIFEXITED(how) || (WEXITSTATUS(how) != 0 && WEXITSTATUS(how) != EE_TEST_SKIPPED);
}

static int run_all(void) {
  size_t count = 0, failed = 0;
  for (const test_runner_file *file = files; file != NULL; file = file->next) count++, failed += run_apart(file) != 0;
  printf("%zu files, %zu failed", count, failed);
  return printf("\n") < 0 || failed > 0;
}

static int list(void) {
  for (const test_runner_file *file = files; file != NULL; file = file->next)
    for (size_t i = 0; i < file->count; i++)
      printf("%.*s %s\n", (int)name_length(file), name_of(file), file->tests[i].name);
  return 0;
}

static int run_one(const char *name, const char *pattern) {
  const test_runner_file *file = files;
  while (file != NULL && !has_name(file, name)) file = file->next;
  if (file == NULL) return fprintf(stderr, "no file '%s'; --list prints all\n", name), 2;
  if (pattern == NULL) return run(file);
  size_t matching = 0;
  for (size_t i = 0; i < file->count; i++) matching += fnmatch(pattern, file->tests[i].name, 0) == 0;
  if (matching == 0) return fprintf(stderr, "no test '%s' in %s; --list prints all\n", pattern, name), 2;
  cmocka_set_test_filter(pattern);
  return run(file);
}

/* Enters the project's folder, and puts the folder of the program before the others in PATH. */
static int prepare(void) {
  const char *path = getenv("PATH");
  char *folders;
  if (chdir(test_project_folder) != 0) return perror(test_project_folder), 2;
  if (asprintf(&folders, "%s:%s", EE_PROGRAM_DIR, path != NULL ? path : "/usr/bin:/bin") < 0) return 2;
  int status = setenv("PATH", folders, 1);
  free(folders);
  return status != 0 ? 2 : 0;
}

int main(int count, char **arguments) {
  if (count > 3 || (count > 1 && arguments[1][0] == '-' && strcmp(arguments[1], "--list") != 0))
    return fprintf(stderr, "usage: %s [--list | FILE [TEST]]\n", arguments[0]), 2;
  if (count > 1 && arguments[1][0] == '-') return list();
  int status = prepare();
  if (status != 0) return status;
  return count > 1 ? run_one(arguments[1], arguments[2]) : run_all();
}
