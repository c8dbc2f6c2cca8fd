/* zip_archive.h: the entries of a zip archive in one stream, such as the samples of a log of Inspect.
 *
 * The entries whose names begin with a prefix and end in .json are given one after the other, each followed by a line
 * break, in the order of the archive's directory; of several entries of one name only the last counts, as for every
 * reader of zip. They may be stored, deflated (zlib) or compressed with Zstandard (method 93), also in ZIP64. The
 * directory is at the end, so that a pipe cannot be read.
 *
 * APPNOTE.TXT of PKWARE, 6.3.10 */
#ifndef EE_DATA_FILES_ZIP_ARCHIVE_H
#define EE_DATA_FILES_ZIP_ARCHIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"

typedef struct ee_zip_archive ee_zip_archive;

/* Whether a file that begins like this may be one. */
bool ee_is_zip(const unsigned char *bytes, size_t length);

/* Reads the directory of the open file `fd` of `size` bytes, which the caller closes after the archive; `name` is for
 * messages. NULL with `error`: EE_ERROR_DATA (damaged, encrypted, no such entry, more in it than --max-unpacked
 * allows), EE_ERROR_SYSTEM. */
ee_zip_archive *ee_zip_archive_open(int fd, uint64_t size, const char *name, const char *prefix, ee_error *error);
/* NULL is allowed. */
void ee_zip_archive_close(ee_zip_archive *archive);

/* Up to `room` bytes of the stream; `*got` is 0 only at the end. EE_ERROR_DATA for an entry that is damaged or longer
 * than it says. */
ee_status ee_zip_archive_read(ee_zip_archive *archive, char *out, size_t room, size_t *got, ee_error *error);

/* Bytes of the file that were read. */
uint64_t ee_zip_archive_taken(const ee_zip_archive *archive);

/* Appends the names of the entries, a line each. */
void ee_zip_archive_names(const ee_zip_archive *archive, ee_buffer *out);

#endif
