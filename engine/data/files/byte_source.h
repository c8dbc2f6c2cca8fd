/* byte_source.h: reads the bytes of a file, plain or .gz (known by its first two bytes). */
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

/* While `*flag` is not 0 nothing is read, and waiting for a pipe ends within a fraction of a second. NULL: no flag. */
void ee_byte_source_set_interrupt(ee_byte_source *source, const volatile sig_atomic_t *flag);

/* Reads up to `room` > 0 bytes to `out`; `*got` is 0 only at the end. EE_ERROR_SYSTEM if the system cannot read or the
 * flag is set; EE_ERROR_DATA if compressed data is damaged or incomplete; `error` has the message, without a place. */
ee_status ee_byte_source_read(ee_byte_source *source, char *out, size_t room, size_t *got, ee_error *error);

/* Appends the rest of the file to `text`, and stops once that has more than `limit` bytes. Fails as
 * ee_byte_source_read(); `text` then has what was read before. */
ee_status ee_byte_source_read_rest(ee_byte_source *source, size_t limit, ee_buffer *text, ee_error *error);

/* Whether the last read failed because of the flag; no byte is lost. */
bool ee_byte_source_interrupted(const ee_byte_source *source);

/* Bytes read from the file so far (compressed ones for .gz). */
uint64_t ee_byte_source_taken(const ee_byte_source *source);

#endif
