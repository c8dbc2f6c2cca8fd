/* child_start.c: from a command to a running program with three pipes.
 *
 * posix_spawn() does it all between clone and exec, with every signal blocked and without copying the memory's tables,
 * so it is safe and cheap in a process of many threads, and its failure is exec's own. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/child_parts.h"
#include "base/memory.h"

extern char **environ;

/* The ends of the three pipes, by the child's descriptor. -1: not open. */
typedef struct pipes {
  int ours[3], theirs[3];
} pipes;

static void close_ends(int *ends) {
  for (int i = 0; i < 3; i++) ee_child_close(&ends[i]);
}

/* Moves a descriptor above those that the child's are copied to: a caller without standard input gets 0 for a pipe. */
static bool move_up(int *descriptor) {
  if (*descriptor > 2) return true;
  int moved = fcntl(*descriptor, F_DUPFD_CLOEXEC, 3);
  if (moved < 0) return false;
  close(*descriptor);
  *descriptor = moved;
  return true;
}

/* Opens the pipes, ours without waiting; false with errno. */
static bool open_pipes(pipes *p) {
  *p = (pipes){{-1, -1, -1}, {-1, -1, -1}};
  for (int i = 0; i < 3; i++) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return false;
    p->ours[i] = ends[i == 0 ? 1 : 0];
    p->theirs[i] = ends[i == 0 ? 0 : 1];
    if (!move_up(&p->ours[i]) || !move_up(&p->theirs[i])) return false;
    /* The flag belongs to our end alone: the child's waits, as programs expect. */
    if (fcntl(p->ours[i], F_SETFL, O_NONBLOCK) != 0) return false;
  }
  return true;
}

/* What the child gets: its folder, its descriptors and no others. 0 or an error number. */
static int describe_files(posix_spawn_file_actions_t *actions, const pipes *p, const char *directory) {
  int number = directory != NULL ? posix_spawn_file_actions_addchdir_np(actions, directory) : 0;
  for (int i = 0; i < 3 && number == 0; i++) number = posix_spawn_file_actions_adddup2(actions, p->theirs[i], i);
  /* Descriptors that others opened without O_CLOEXEC, or that we were started with ourselves. */
  if (number == 0) number = posix_spawn_file_actions_addclosefrom_np(actions, 3);
  return number;
}

static int describe_signals(posix_spawnattr_t *attributes) {
  sigset_t all, none;
  sigfillset(&all);
  sigemptyset(&none);
  int number = posix_spawnattr_setsigdefault(attributes, &all);
  if (number == 0) number = posix_spawnattr_setsigmask(attributes, &none);
  if (number == 0) number = posix_spawnattr_setpgroup(attributes, 0);
  if (number != 0) return number;
  return posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
}

/* 0 or an error number. */
static int spawn(const char *const *command, const char *directory, const pipes *p, pid_t *pid) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int number = posix_spawn_file_actions_init(&actions);
  if (number != 0) return number;
  number = posix_spawnattr_init(&attributes);
  if (number == 0) {
    number = describe_files(&actions, p, directory);
    if (number == 0) number = describe_signals(&attributes);
    /* exec takes arguments that are not const and leaves them alone. */
    if (number == 0)
      number = posix_spawnp(pid, command[0], &actions, &attributes, (char *const *)(uintptr_t)command, environ);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&actions);
  return number;
}

/* Whether `name` stands in the folder that it was to run in, where nobody looks for a name without a slash. */
static bool stands_in(const char *directory, const char *name) {
  if (*name == '\0' || strchr(name, '/') != NULL) return false;
  int folder = open(directory != NULL ? directory : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  bool found = folder >= 0 && faccessat(folder, name, F_OK, 0) == 0;
  if (folder >= 0) close(folder);
  return found;
}

/* The system tells one number for all that may be missing. */
static void tell_failure(const char *name, const char *directory, int number, ee_error *error) {
  struct stat facts;
  int folder_number = 0;
  if (directory != NULL) {
    if (stat(directory, &facts) != 0) {
      folder_number = errno;
    } else if (!S_ISDIR(facts.st_mode)) {
      folder_number = ENOTDIR;
    }
  }
  if (folder_number != 0) {
    ee_error_set(error, EE_ERROR_SYSTEM, "cannot run '%s' in '%s': %s", name, directory, strerror(folder_number));
  } else if (number == ENOENT && stands_in(directory, name)) {
    ee_error_set(error, EE_ERROR_SYSTEM, "cannot run '%s': %s (did you mean './%s'?)", name, strerror(number), name);
  } else {
    ee_error_set(error, EE_ERROR_SYSTEM, "cannot run '%s': %s", name, strerror(number));
  }
}

ee_child *ee_child_start(const char *const *command, const char *directory, ee_error *error) {
  pipes p;
  pid_t pid = 0;
  int number = open_pipes(&p) ? spawn(command, directory, &p, &pid) : errno;
  close_ends(p.theirs);
  if (number != 0) {
    close_ends(p.ours);
    tell_failure(command[0], directory, number, error);
    return NULL;
  }
  ee_child *child = ee_calloc(1, sizeof *child);
  *child = (ee_child){.pid = pid, .input = p.ours[0], .output = p.ours[1], .errors = p.ours[2]};
  child->handle = pidfd_open(pid, 0);
  return child;
}
