/* running_hash.h: the XXH3-64 of bytes that come one piece after the other. */
#ifndef EE_BASE_RUNNING_HASH_H
#define EE_BASE_RUNNING_HASH_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

typedef struct ee_running_hash ee_running_hash;

/* Of no bytes. Free with ee_running_hash_free(). */
ee_running_hash *ee_running_hash_new(void);
void ee_running_hash_free(ee_running_hash *hash); /* NULL is allowed */

/* Adds bytes; how they are cut into pieces does not matter. `data` may be NULL if `length` is 0. */
void ee_running_hash_add(ee_running_hash *hash, const void *data, size_t length);
/* Adds a length and then the text, so that neighbours cannot be mistaken for each other. */
void ee_running_hash_add_text(ee_running_hash *hash, ee_str text);

/* Of all bytes so far: what ee_hash_bytes() gives for them in one piece with seed 0. More may follow. */
uint64_t ee_running_hash_value(const ee_running_hash *hash);

#endif
