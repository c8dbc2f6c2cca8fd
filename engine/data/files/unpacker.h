/* unpacker.h: unpacks .gz and .zst, which may have several members (.gz) or frames (.zst), one after the other.
 *
 * A program that was built without zlib or zstd says so when it would need it. */
#ifndef EE_DATA_FILES_UNPACKER_H
#define EE_DATA_FILES_UNPACKER_H

#include <evalengine.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef EE_WITH_ZLIB
#include <zlib.h>
#endif
#ifdef EE_WITH_ZSTD
#include <zstd.h>
#include <zstd_errors.h>
#endif

#include "base/pool.h"

typedef enum ee_packing { EE_PLAIN, EE_GZIP, EE_ZSTANDARD } ee_packing;

#define EE_PACKED_PIECE (64 * 1024)

/* Reads up to `room` packed bytes; `*got` is 0 only at the end. */
typedef ee_status ee_packed_reader(void *user, void *out, size_t room, size_t *got, ee_error *error);

typedef struct ee_unpacker {
  const char *name; /* of the file, for messages; borrowed */
  ee_packing packing;
  ee_packed_reader *read;
  void *user;
  ee_cleanup cleanup;         /* ends what unpacks */
  uint64_t byte;              /* of the file, after what was read */
  bool between_members;       /* a file may end here */
  size_t input_at, input_end; /* bytes that were read and not used yet */
#ifdef EE_WITH_ZLIB
  z_stream gzip;
  bool holds_text; /* zlib may have text for which there was no room, whatever input is left */
#endif
#ifdef EE_WITH_ZSTD
  ZSTD_DStream *zstandard;
  size_t wanted;            /* packed bytes of the next step */
  size_t text_at, text_end; /* of `text`: unpacked and not given yet */
  char *text;
#endif
  unsigned char input[EE_PACKED_PIECE];
} ee_unpacker;

/* All zero but `name`, `read` and `user` is an unpacker of EE_PLAIN. */

/* How a file is packed by these first bytes: four of them, or all that it has. */
ee_packing ee_packing_of(const unsigned char *bytes, size_t length);
/* Whether more bytes are needed to know it. */
bool ee_packing_needs_more(const unsigned char *bytes, size_t length);

/* The size that a regular file of `size` bytes declares for its contents: the sum over the members of a .gz (all of it
 * is scanned), or the header of a .zst, which is in `input`; 0 if it declares none. It may be wrong. */
uint64_t ee_packed_says(const ee_unpacker *unpacker, ee_packing packing, int fd, uint64_t size);

/* Starts to unpack what is in `input` and what `read` gives. EE_ERROR_SYSTEM. */
ee_status ee_unpacker_start(ee_unpacker *unpacker, ee_packing packing, ee_error *error);
void ee_unpacker_stop(ee_unpacker *unpacker);

/* Unpacks bytes until there are some; `*got` is 0 only at the end. EE_ERROR_DATA if the data are damaged or cut short;
 * good bytes before the mistake are given first. */
ee_status ee_unpacker_read(ee_unpacker *unpacker, char *out, size_t room, size_t *got, ee_error *error);

/* The same, one step, after which there may be no bytes although the file goes on. */
ee_status ee_unpacker_step(ee_unpacker *unpacker, char *out, size_t room, size_t *got, bool *end, ee_error *error);

/* Whether a file may end here: all of its members so far were given. */
static inline bool ee_unpacker_is_between(const ee_unpacker *unpacker) {
#ifdef EE_WITH_ZSTD
  if (unpacker->text_at < unpacker->text_end) return false;
#endif
  return unpacker->between_members;
}

/* Where in the file the bytes are that are unpacked next. */
static inline uint64_t ee_unpacker_byte(const ee_unpacker *unpacker) {
  return unpacker->byte - (unpacker->input_end - unpacker->input_at);
}

#endif
