/* memory.c: malloc that ends the process when it fails. */
#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

/* stdio may need memory itself, so the line is written by write(). */
void ee_out_of_memory(void) {
  static const char line[] = "evalengine: out of memory\n";
  ssize_t written = write(STDERR_FILENO, line, sizeof(line) - 1);
  (void)written; /* a failure cannot be reported */
  _exit(5);
}

void *ee_malloc(size_t size) {
  void *memory = malloc(size > 0 ? size : 1);
  if (memory == NULL) ee_out_of_memory();
  return memory;
}

void *ee_calloc(size_t count, size_t size) {
  size_t total;
  if (__builtin_mul_overflow(count, size, &total)) ee_out_of_memory();
  void *memory = calloc(1, total > 0 ? total : 1);
  if (memory == NULL) ee_out_of_memory();
  return memory;
}

void *ee_realloc(void *memory, size_t count, size_t size) {
  size_t total;
  if (__builtin_mul_overflow(count, size, &total)) ee_out_of_memory();
  void *moved = realloc(memory, total > 0 ? total : 1);
  if (moved == NULL) ee_out_of_memory();
  return moved;
}
