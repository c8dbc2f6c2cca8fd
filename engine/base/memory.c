/* memory.c: malloc that ends the process, or returns to the thread's recovery point, when it fails. */
#include "base/memory.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/pool.h"
#include "base/recovery.h"

enum { HEADER = sizeof(ee_pool_block) };
_Static_assert(HEADER % _Alignof(max_align_t) == 0, "what follows the header is aligned as malloc() aligns");

/* stdio may need memory itself, so the line is written by write(). */
void ee_out_of_memory(void) {
  ee_recovery_return();
  static const char line[] = "evalengine: out of memory\n";
  ssize_t written = write(STDERR_FILENO, line, sizeof(line) - 1);
  (void)written; /* a failure cannot be reported */
  _exit(5);
}

void ee_check_memory(int number) {
  if (number == ENOMEM) ee_out_of_memory();
}

/* The caller's part of a new block, which its pool knows from now on. */
static void *enter(ee_pool_block *block) {
  if (block == NULL) ee_out_of_memory();
  ee_pool_add(block);
  return block + 1;
}

/* The bytes of a block with `size` for the caller; SIZE_MAX, which malloc() refuses, if there are too many. */
static size_t whole_size(size_t size) {
  if (size == 0) size = 1;
  return size <= SIZE_MAX - HEADER ? size + HEADER : SIZE_MAX;
}

void *ee_malloc(size_t size) { return enter(malloc(whole_size(size))); }

void *ee_calloc(size_t count, size_t size) {
  size_t total;
  if (__builtin_mul_overflow(count, size, &total)) ee_out_of_memory();
  return enter(calloc(1, whole_size(total)));
}

void *ee_try_realloc(void *memory, size_t size) {
  if (memory == NULL) {
    ee_pool_block *block = malloc(whole_size(size));
    if (block == NULL) return NULL;
    ee_pool_add(block);
    return block + 1;
  }
  ee_pool_block *moved = ee_pool_resize((ee_pool_block *)memory - 1, whole_size(size));
  return moved != NULL ? moved + 1 : NULL;
}

void *ee_realloc(void *memory, size_t count, size_t size) {
  size_t total;
  if (__builtin_mul_overflow(count, size, &total)) ee_out_of_memory();
  void *moved = ee_try_realloc(memory, total);
  if (moved == NULL) ee_out_of_memory();
  return moved;
}

char *ee_copy_bytes(const void *data, size_t length) {
  if (length == SIZE_MAX) ee_out_of_memory();
  char *copy = ee_malloc(length + 1);
  if (length > 0) memcpy(copy, data, length);
  copy[length] = '\0';
  return copy;
}

char *ee_copy_string(const char *text) { return ee_copy_bytes(text, strlen(text)); }

void ee_free(void *memory) {
  if (memory == NULL) return;
  ee_pool_block *block = (ee_pool_block *)memory - 1;
  ee_pool_remove(block);
  free(block);
}
