/* memory.h: malloc that does not return NULL.
 *
 * A failed allocation prints "evalengine: out of memory" to stderr and ends the process with status 5. */
#ifndef EE_BASE_MEMORY_H
#define EE_BASE_MEMORY_H

#include <stddef.h>

/* `size` bytes (at least 1), freed with free(). */
void *ee_malloc(size_t size);

/* `count * size` zeroed bytes; an overflow is treated as out of memory. */
void *ee_calloc(size_t count, size_t size);

/* Resizes `memory` (may be NULL) to `count * size` bytes; an overflow is treated as out of memory. */
void *ee_realloc(void *memory, size_t count, size_t size);

/* Ends the process with status 5 after one line on stderr. */
_Noreturn void ee_out_of_memory(void);

#endif
