/* unpack_ahead.h: unpacks a .gz or .zst file by several threads, ahead of its reader.
 *
 * Where a member or frame of the file seems to begin (by its magic bytes), another thread begins to unpack. When the
 * one before it ends a member exactly there, the place was a beginning, and its bytes are next; else what the other
 * thread made is dropped. So a file of many members (of several packed files put together, of pzstd, of bgzip) is
 * unpacked in parallel, and one of a single member is unpacked by one thread while its text is split and judged. The
 * bytes and the error, if there is one, are those of ee_unpacker_read(). Memory: 8 MB a thread. */
#ifndef EE_DATA_FILES_UNPACK_AHEAD_H
#define EE_DATA_FILES_UNPACK_AHEAD_H

#include "data/files/unpacker.h"

#define EE_AHEAD_THREADS 4 /* at most */

typedef struct ee_unpack_ahead ee_unpack_ahead;

/* For the open regular file `fd`, from its beginning; `fd` and `name` are borrowed. Starts one thread; the others are
 * started when reading begins. NULL if the file is small or the system has no thread. */
ee_unpack_ahead *ee_unpack_ahead_new(int fd, const char *name, ee_packing packing, unsigned threads);
void ee_unpack_ahead_free(ee_unpack_ahead *ahead);

/* As ee_unpacker_read(). */
ee_status ee_unpack_ahead_read(ee_unpack_ahead *ahead, char *out, size_t room, size_t *got, ee_error *error);
/* How many packed bytes the reader has passed. */
uint64_t ee_unpack_ahead_taken(const ee_unpack_ahead *ahead);

#endif
