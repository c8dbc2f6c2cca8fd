/* byte_source.h: the bytes of one file, plain or unpacked from .gz.
 *
 * Layer: data, and private to it. Whether a file is packed is told by its first two bytes. */
#ifndef EE_DATA_BYTE_SOURCE_H
#define EE_DATA_BYTE_SOURCE_H

#include <evalengine.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ee_byte_source ee_byte_source;

/* Opens the file `name`, "-" for standard input; `name` must outlive the result. NULL with `error` (EE_ERROR_SYSTEM).
 */
ee_byte_source *ee_byte_source_open(const char *name, ee_error *error);
void ee_byte_source_close(ee_byte_source *source);

/* Reads up to `room` > 0 bytes to `out`; *got is 0 at the end only. EE_ERROR_SYSTEM when the system cannot read,
 * EE_ERROR_DATA when packed bytes are damaged or cut short; `error` has the message, without a place. */
ee_status ee_byte_source_read(ee_byte_source *source, char *out, size_t room, size_t *got, ee_error *error);

/* Bytes taken from the file so far, packed ones for .gz. */
uint64_t ee_byte_source_taken(const ee_byte_source *source);

#endif
