/* runtime.h: the process around us: its locale, signals, processors, and file names that rule files give.
 *
 * A library must not change its host's locale or signal handlers, so each of these works on the calling thread only. */
#ifndef EE_BASE_RUNTIME_H
#define EE_BASE_RUNTIME_H

#include <locale.h>
#include <signal.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/flag.h"
#include "base/pool.h"
#include "base/str.h"

/* Switches the calling thread to the "C" locale and returns the one before: strtod, printf and Lua's comparisons read
 * the locale, and results must not depend on it. */
locale_t ee_locale_enter(void);
/* Restores the locale that ee_locale_enter() returned. */
void ee_locale_leave(locale_t before);

typedef struct ee_pipe_guard {
  sigset_t before;
  bool was_pending;
  ee_cleanup cleanup;
} ee_pipe_guard;

/* Blocks SIGPIPE in the calling thread until the same thread leaves; a SIGPIPE that arrives in between is discarded.
 * For writing to pipes and connections whose other end may be closed. curl leaves this to its caller: its own way
 * (CURLOPT_NOSIGNAL off) changes the handlers of all threads. */
void ee_pipe_guard_enter(ee_pipe_guard *guard);
void ee_pipe_guard_leave(ee_pipe_guard *guard);

/* The processors that this process may use, by its affinity and by what its control groups may use (below); at least
 * 1. */
unsigned ee_processor_count(void);

/* The smallest share of time that control groups leave to this process, in processors, rounded up: cpu.max of cgroup
 * v2, cpu.cfs_quota_us of v1, as containers and batch systems set it; 0 without a limit. `root` is the folder of all
 * groups ("/sys/fs/cgroup"), `membership` the file that names those of the process ("/proc/self/cgroup"). Groups that
 * cannot be read, such as those outside of a container, have no limit. */
unsigned ee_cgroup_processors(const char *root, const char *membership);

/* From now on the process leaves no core dump and lets no other process of the same user read its memory: it may hold a
 * key. Children are as before once they run another program. For programs only: a library must leave this to its host.
 */
void ee_hide_memory(void);

/* The path of `name`, a file name found in `file` (may be NULL): relative to the folder of `file`, unless `name` is
 * absolute or empty. NUL-terminated, in `arena`. */
const char *ee_file_name_beside(ee_arena *arena, const char *file, ee_str name);

#endif
