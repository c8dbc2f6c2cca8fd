/* byte_source.h: reads the text of a file: plain, .gz or .zst, and UTF-8 or UTF-16, all known by the first bytes.
 *
 * UTF-16 (little or big endian, with or without a byte order mark) is handed out as UTF-8. What is broken in it becomes
 * bytes that are not valid UTF-8, so that the record they are in is reported: half of a surrogate pair as its three
 * bytes ED Ax/Bx xx, an odd byte at the end as FF. Without a mark it is UTF-16 if the first character and, if there is
 * one, the second are ASCII. UTF-32 is refused by its name. */
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

/* Before the first read: only the beginning of the file is wanted, so that a packed one is not looked through for being
 * a bomb; it is still refused beyond the bound. */
void ee_byte_source_set_brief(ee_byte_source *source);

/* The same, and the file ends after that many bytes. */
void ee_byte_source_set_most(ee_byte_source *source, uint64_t bytes);

/* Before the first read: the file may be a zip archive, whose entries PREFIX*.json are read one after the other
 * (zip_archive.h). `prefix` must outlive the source. */
void ee_byte_source_set_entries(ee_byte_source *source, const char *prefix);
/* After the first read: the names of the entries, a line each; nothing if it is not such an archive. */
void ee_byte_source_entries(const ee_byte_source *source, ee_buffer *out);

/* Before the first read: how many threads may unpack the file ahead of the reader (unpack_ahead.h); 0, as at first:
 * none. What is read and which errors there are does not depend on it. Pipes are always unpacked by the reader. */
void ee_byte_source_set_threads(ee_byte_source *source, unsigned threads);
/* Begins to unpack, unless it is a pipe; the source is read later. */
void ee_byte_source_start(ee_byte_source *source);

/* Reads up to `room` > 0 bytes to `out`; `*got` is 0 only at the end. EE_ERROR_SYSTEM if the system cannot read or the
 * flag is set; EE_ERROR_DATA if compressed data is damaged or incomplete, or the text is UTF-32; `error` has the
 * message, without a place. */
ee_status ee_byte_source_read(ee_byte_source *source, char *out, size_t room, size_t *got, ee_error *error);

/* Appends the rest of the file to `text`, and stops once that has more than `limit` bytes. Fails as
 * ee_byte_source_read(); `text` then has what was read before. */
ee_status ee_byte_source_read_rest(ee_byte_source *source, size_t limit, ee_buffer *text, ee_error *error);

/* The same for a file that must not have more than `limit` bytes; beyond: ee_file_too_long(). */
ee_status ee_byte_source_read_whole(ee_byte_source *source, size_t limit, ee_buffer *text, ee_error *error);
/* EE_ERROR_DATA: the file is longer than `limit` bytes, by default those of --max-file. */
ee_status ee_file_too_long(const char *name, size_t limit, ee_error *error);

/* After the first read: whether the text is the bytes of the file, neither unpacked nor recoded. */
bool ee_byte_source_is_plain(const ee_byte_source *source);
/* Goes on at this byte of a plain file. What cannot be sought, such as a pipe, fails to be read: EE_ERROR_SYSTEM. */
void ee_byte_source_seek(ee_byte_source *source, uint64_t byte);
/* Before the first read: takes the bytes as they are, since they are from the middle of a file. */
void ee_byte_source_set_plain(ee_byte_source *source);

/* Whether the last read failed because of the flag; no byte is lost. */
bool ee_byte_source_interrupted(const ee_byte_source *source);

/* Bytes read from the file so far (compressed ones for .gz and .zst). */
uint64_t ee_byte_source_taken(const ee_byte_source *source);

#endif
