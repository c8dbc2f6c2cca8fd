/* memory.h: malloc that does not return NULL.
 *
 * A failed allocation ends the program with status 5 after one line on stderr. In a thread with a recovery point
 * (base/recovery.h) it returns there instead, and everything that the thread took since its pool (base/pool.h) was made
 * is given back. */
#ifndef EE_BASE_MEMORY_H
#define EE_BASE_MEMORY_H

#include <stddef.h>

/* `size` bytes (at least 1), freed with ee_free(), never with free(): 16 bytes before them belong to the pool. */
void *ee_malloc(size_t size) __attribute__((returns_nonnull));

/* `count * size` zeroed bytes; an overflow is treated as out of memory. */
void *ee_calloc(size_t count, size_t size) __attribute__((returns_nonnull));

/* Resizes `memory` (of ee_malloc() and its like, or NULL) to `count * size` bytes; an overflow is treated as out of
 * memory. */
void *ee_realloc(void *memory, size_t count, size_t size) __attribute__((returns_nonnull));

/* The same for one size in bytes, but NULL when the system refuses; `memory` is then unchanged. */
void *ee_try_realloc(void *memory, size_t size);

/* A copy of `length` bytes at `data` (may be NULL if there are none), followed by a NUL. */
char *ee_copy_bytes(const void *data, size_t length) __attribute__((returns_nonnull));
/* A copy of a NUL-terminated text. */
char *ee_copy_string(const char *text) __attribute__((returns_nonnull));

/* Frees a block of the functions above; NULL is allowed. */
void ee_free(void *memory);

/* ee_out_of_memory() if `number`, the errno of a call that failed, says that memory is what was missing. */
void ee_check_memory(int number);

/* Returns to the thread's recovery point, or ends the process with status 5 after one line on stderr. */
_Noreturn void ee_out_of_memory(void);

#endif
