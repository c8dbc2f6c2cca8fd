/* counted_exit.c: in builds with --coverage _exit() writes gcov's counters, as exit() does. Counting starts anew after
 * it, since a child of vfork() shares its parent's counters. */
#include <gcov.h>
#include <unistd.h>

/* Weak: the shared library has this file, too, and does not wrap. */
__attribute__((noreturn, weak)) void __real__exit(int status);
__attribute__((noreturn)) void __wrap__exit(int status);

void __wrap__exit(int status) {
  __gcov_dump();
  __gcov_reset();
  __real__exit(status);
}
