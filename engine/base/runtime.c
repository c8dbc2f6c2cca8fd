/* runtime.c: the locale, signals and file names of the process around us. */
#include "base/runtime.h"

#include <errno.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>
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

ee_pipe_guard ee_pipe_guard_enter(void) {
  ee_pipe_guard guard;
  sigset_t pipe, pending;
  pipe_signal(&pipe);
  sigpending(&pending);
  guard.was_pending = sigismember(&pending, SIGPIPE) == 1;
  pthread_sigmask(SIG_BLOCK, &pipe, &guard.before);
  return guard;
}

void ee_pipe_guard_leave(const ee_pipe_guard *guard) {
  sigset_t pipe;
  pipe_signal(&pipe);
  const struct timespec at_once = {0, 0};
  if (!guard->was_pending) {
    while (sigtimedwait(&pipe, NULL, &at_once) < 0 && errno == EINTR) continue;
  }
  pthread_sigmask(SIG_SETMASK, &guard->before, NULL);
}

const char *ee_file_name_beside(ee_arena *arena, const char *file, ee_str name) {
  const char *slash = file != NULL ? strrchr(file, '/') : NULL;
  if (slash == NULL || name.length == 0 || name.data[0] == '/') return ee_arena_copy(arena, name.data, name.length);
  return ee_arena_printf(arena, "%.*s%.*s", (int)(slash + 1 - file), file, (int)name.length, name.data);
}

unsigned ee_processor_count(void) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0) return (unsigned)CPU_COUNT(&set);
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? (unsigned)online : 1;
}
