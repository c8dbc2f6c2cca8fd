/* byte_source.h: the bytes of one file, plain or unpacked from .gz.
 *
 * Whether a file is packed is told by its first two bytes. */
#ifndef EE_DATA_FILES_BYTE_SOURCE_H
#define EE_DATA_FILES_BYTE_SOURCE_H

#include <evalengine.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

typedef struct ee_byte_source ee_byte_source;

/* Opens the file `name`, "-" for standard input, and reads nothing yet; `name` must outlive the result. NULL with
 * `error` (EE_ERROR_SYSTEM). */
ee_byte_source *ee_byte_source_open(const char *name, ee_error *error);
void ee_byte_source_close(ee_byte_source *source);

/* Nothing is read while *flag is not 0; waiting for a pipe ends within a fraction of a second then. NULL: never. */
void ee_byte_source_set_interrupt(ee_byte_source *source, const volatile sig_atomic_t *flag);

/* Reads up to `room` > 0 bytes to `out`; *got is 0 at the end only. EE_ERROR_SYSTEM when the system cannot read or the
 * flag of ee_byte_source_set_interrupt() was set, EE_ERROR_DATA when packed bytes are damaged or cut short; `error` has
 * the message, without a place. */
ee_status ee_byte_source_read(ee_byte_source *source, char *out, size_t room, size_t *got, ee_error *error);

/* Appends the rest of the file to `text`; reading ends where it has more than `limit` bytes. Fails as
 * ee_byte_source_read() does, and what came before is there. */
ee_status ee_byte_source_read_rest(ee_byte_source *source, size_t limit, ee_buffer *text, ee_error *error);

/* True when the last read failed for the flag alone; no byte is lost. */
bool ee_byte_source_interrupted(const ee_byte_source *source);

/* Bytes taken from the file so far, packed ones for .gz. */
uint64_t ee_byte_source_taken(const ee_byte_source *source);

#endif
