/* standard_streams.c: the C library's stdin, stdout and stderr for archives that were not made for shared libraries.
 * Such code can only reach data of the library that it is in, so there the linker gives it these (--wrap, see
 * static_libraries.cmake). */
#include <stdio.h>

extern FILE *__real_stdin, *__real_stdout, *__real_stderr;
__attribute__((visibility("hidden"))) FILE *__wrap_stdin, *__wrap_stdout, *__wrap_stderr;

__attribute__((constructor)) static void take_streams(void) {
  __wrap_stdin = __real_stdin;
  __wrap_stdout = __real_stdout;
  __wrap_stderr = __real_stderr;
}
