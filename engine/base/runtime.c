/* runtime.c: the locale, signals, file names and processors of the process around us. */
#include "base/runtime.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"

locale_t ee_locale_enter(void) {
  locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (c_locale == (locale_t)0) ee_out_of_memory();
  return uselocale(c_locale);
}

void ee_locale_leave(locale_t before) {
  locale_t ours = uselocale(before);
  if (ours != LC_GLOBAL_LOCALE) freelocale(ours);
}

static void pipe_signal(sigset_t *set) {
  sigemptyset(set);
  sigaddset(set, SIGPIPE);
}

static void leave_guard(void *guard) { ee_pipe_guard_leave(guard); }

void ee_pipe_guard_enter(ee_pipe_guard *guard) {
  sigset_t pipe, pending;
  pipe_signal(&pipe);
  sigpending(&pending);
  guard->was_pending = sigismember(&pending, SIGPIPE) == 1;
  pthread_sigmask(SIG_BLOCK, &pipe, &guard->before);
  ee_cleanup_add(&guard->cleanup, leave_guard, guard);
}

void ee_pipe_guard_leave(ee_pipe_guard *guard) {
  ee_cleanup_remove(&guard->cleanup);
  sigset_t pipe;
  pipe_signal(&pipe);
  const struct timespec at_once = {0, 0};
  if (!guard->was_pending) {
    /* unreached: another signal during it */
    while (sigtimedwait(&pipe, NULL, &at_once) < 0 && errno == EINTR) continue;
  }
  pthread_sigmask(SIG_SETMASK, &guard->before, NULL);
}

void ee_hide_memory(void) { prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

const char *ee_file_name_beside(ee_arena *arena, const char *file, ee_str name) {
  const char *slash = file != NULL ? strrchr(file, '/') : NULL;
  if (slash == NULL || name.length == 0 || name.data[0] == '/') return ee_arena_copy(arena, name.data, name.length);
  return ee_arena_printf(arena, "%.*s%.*s", (int)(slash + 1 - file), file, (int)name.length, name.data);
}

/* Processors ------------------------------------------------------------------------------------ */

/* The first line of FOLDER/NAME; false if it cannot be read. */
static bool read_line(const char *folder, const char *name, char *line, int size) {
  char path[PATH_MAX];
  if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path) return false;
  FILE *file = fopen(path, "re");
  bool found = file != NULL && fgets(line, size, file) != NULL;
  if (file != NULL) fclose(file);
  return found;
}

/* What one group may use, in processors, rounded up; 0 without a limit. */
static unsigned read_quota(const char *folder) {
  char line[128], *end;
  long long quota = 0, period = 0;
  if (read_line(folder, "cpu.max", line, sizeof line)) {
    quota = strtoll(line, &end, 10); /* "max" is 0 */
    period = strtoll(end, NULL, 10);
  } else if (read_line(folder, "cpu.cfs_quota_us", line, sizeof line)) {
    quota = strtoll(line, NULL, 10); /* -1 without a limit */
    if (read_line(folder, "cpu.cfs_period_us", line, sizeof line)) period = strtoll(line, NULL, 10);
  }
  if (quota <= 0 || period <= 0) return 0;
  long long processors = quota / period + (quota % period != 0);
  return processors < UINT_MAX ? (unsigned)processors : 0;
}

/* The smallest quota from the group `path` up to the one at `mount`. */
static unsigned smallest_quota(const char *mount, const char *path) {
  char folder[PATH_MAX];
  size_t root = strlen(mount);
  if (snprintf(folder, sizeof folder, "%s%s", mount, path) >= (int)sizeof folder) return 0;
  unsigned smallest = 0;
  for (;;) {
    unsigned quota = read_quota(folder);
    if (quota > 0 && (smallest == 0 || quota < smallest)) smallest = quota;
    char *slash = strrchr(folder + root, '/');
    if (slash == NULL) return smallest;
    *slash = '\0';
  }
}

/* Whether `name` is one of the words of `list`, which has commas between them. */
static bool has_word(const char *list, const char *name) {
  size_t length = strlen(name);
  for (const char *at = list; (at = strstr(at, name)) != NULL; at++)
    if ((at == list || at[-1] == ',') && (at[length] == ',' || at[length] == '\0')) return true;
  return false;
}

unsigned ee_cgroup_processors(const char *root, const char *membership) {
  FILE *file = fopen(membership, "re");
  if (file == NULL) return 0;
  char line[PATH_MAX + 128], mount[PATH_MAX];
  unsigned smallest = 0;
  while (fgets(line, sizeof line, file) != NULL) {
    /* NUMBER:CONTROLLERS:PATH; v2 has one group without controllers. */
    line[strcspn(line, "\n")] = '\0';
    char *controllers = strchr(line, ':'), *path = controllers != NULL ? strchr(controllers + 1, ':') : NULL;
    if (path == NULL) continue;
    *path++ = '\0';
    controllers++;
    bool is_v2 = *controllers == '\0';
    if ((!is_v2 && !has_word(controllers, "cpu")) || strstr(path, "/..") != NULL) continue;
    if (snprintf(mount, sizeof mount, is_v2 ? "%s" : "%s/cpu", root) >= (int)sizeof mount) continue;
    unsigned quota = smallest_quota(mount, path);
    if (quota > 0 && (smallest == 0 || quota < smallest)) smallest = quota;
  }
  fclose(file);
  return smallest;
}

unsigned ee_processor_count(void) {
  cpu_set_t set;
  long count = sysconf(_SC_NPROCESSORS_ONLN);
  /* unreached: more than 1,024 processors, or a system that says nothing of them, or that has a quota */
  if (sched_getaffinity(0, sizeof set, &set) == 0) count = CPU_COUNT(&set);
  unsigned processors = count > 0 ? (unsigned)count : 1, /* unreached: as above */
      quota = ee_cgroup_processors("/sys/fs/cgroup", "/proc/self/cgroup");
  return quota > 0 && quota < processors ? quota : processors; /* unreached: as above */
}
