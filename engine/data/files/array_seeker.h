/* array_seeker.h: finds the array of records inside a file that is one JSON object, as the file arrives.
 *
 * For files whose records have a known place, such as "results.results" of promptfoo: what is before the
 * array is passed and may be dropped, so that memory does not grow with the file. Only strings, brackets, commas and
 * colons are looked at; keys with escapes are compared as they are written. */
#ifndef EE_DATA_FILES_ARRAY_SEEKER_H
#define EE_DATA_FILES_ARRAY_SEEKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/* Keys of a path. */
#define EE_SEEKER_DEPTH 4
/* Bytes of a key that are compared; a longer one is on no path. */
#define EE_SEEKER_KEY 64

typedef enum ee_seek { EE_SEEK_MORE, EE_SEEK_FOUND, EE_SEEK_ABSENT } ee_seek;

/* All zero but `paths` before the file's first byte. */
typedef struct ee_array_seeker {
  const char *const *paths; /* "results.results"; ended by NULL. The first array in the file at one of them is it */
  size_t depth;             /* open brackets */
  uint64_t arrays;          /* of the outer 64 levels: a bit for each that is an array */
  size_t matched;           /* outer levels that are objects on the way, with their keys below */
  char keys[EE_SEEKER_DEPTH][EE_SEEKER_KEY + 1];
  size_t key_length; /* of the string that is open or was the last one; EE_SEEKER_KEY + 1: longer */
  char key[EE_SEEKER_KEY + 1];
  bool in_string, escaped, begun;
  bool is_key;        /* the next string in an object is a key */
  uint64_t byte;      /* of the file, that were passed */
  uint64_t line;      /* breaks that were passed */
  uint64_t line_byte; /* after the last one */
} ee_array_seeker;

/* Scans text[*at...], what the file has next, and moves `*at`. EE_SEEK_FOUND: `*at` is after the array's bracket.
 * EE_SEEK_ABSENT: the object ended without one, or the text is not an object. */
ee_seek ee_array_seeker_run(ee_array_seeker *seeker, ee_str text, size_t *at);

#endif
