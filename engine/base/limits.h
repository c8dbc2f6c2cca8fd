/* limits.h: the bounds that options set: how much the program takes before it refuses something or gives it up.
 *
 * Each is a row of a table: what the option is called, its unit, what is bounded and what happens beyond.
 * The command line, --help, --help-on limits and the manual read the rows. The values are the process's: the program
 * sets them once, before the first thread starts; a host of the library has the defaults. Bounds that no option sets
 * are constants in the headers of what they bound; cli/limits_list.c lists these, too. */
#ifndef EE_BASE_LIMITS_H
#define EE_BASE_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

typedef enum ee_bound {
  EE_BOUND_TIMEOUT,  /* seconds of counted work that a case may take (base/work.h) */
  EE_BOUND_RECORD,   /* bytes of one record */
  EE_BOUND_FILE,     /* bytes of a file that is read whole */
  EE_BOUND_UNPACKED, /* bytes of what a packed file holds, if that is EE_UNPACKED_RATIO times its own size */
  EE_BOUND_MEMORY,   /* bytes that a case may take in memory */
  EE_BOUND_ITEMS,    /* items of one array that are paired with those of another */
  EE_BOUND_PAIRS,    /* possible pairs of two arrays that are held in memory */
  EE_BOUND_CORNERS,  /* corners of a polygon, all rings together */
  EE_BOUND_COUNT
} ee_bound;

/* A packed file is refused only if it also unpacks to more than this many times its own size. */
#define EE_UNPACKED_RATIO 100

typedef enum ee_bound_unit { EE_UNIT_SECONDS, EE_UNIT_BYTES, EE_UNIT_ITEMS } ee_bound_unit;

typedef struct ee_bound_row {
  const char *option; /* without dashes */
  ee_bound_unit unit;
  size_t offset;      /* of the member of ee_limits */
  uint64_t max;       /* of the option */
  const char *what;   /* is bounded, for the manual */
  const char *beyond; /* what happens beyond, for the manual */
} ee_bound_row;

extern const ee_bound_row ee_bound_rows[EE_BOUND_COUNT];

/* Values of all bounds; 0: none. */
typedef struct ee_limits {
  uint64_t timeout, record, file, unpacked, memory, items, pairs, corners;
} ee_limits;

/* The defaults. */
#define EE_LIMITS_DEFAULT                                                                                              \
  {                                                                                                                    \
    .timeout = 20, .record = (uint64_t)64 << 20, .file = (uint64_t)512 << 20, .unpacked = (uint64_t)512 << 20,         \
    .memory = (uint64_t)512 << 20, .items = 100000, .pairs = 4000000, .corners = 10000                                 \
  }

/* The process's values. Never NULL. */
const ee_limits *ee_limits_get(void);
/* Replaces them; not while other threads read them. NULL: the defaults. */
void ee_limits_set(const ee_limits *limits);
/* Makes `limits`, which must stay, those of this thread in place of the process's (NULL: no longer); returns the ones
 * before. Threads that work for a call of the C API take its limits over. */
const ee_limits *ee_limits_enter(const ee_limits *limits);

/* The process's value of one bound; UINT64_MAX: none. */
uint64_t ee_bound_of(ee_bound bound);
/* The same as a size in memory: at most SIZE_MAX / 4, so that adding to it does not overflow. */
size_t ee_bound_size(ee_bound bound);

/* Reads the value of an option: a whole number, for bytes also with K, M, G or T (1024, 1024^2, ...). False for
 * anything else and beyond the row's max. */
bool ee_bound_parse(ee_bound bound, const char *text, uint64_t *value);

/* Room of the text of a size or count. */
#define EE_BOUND_TEXT 32
/* "64 MiB" for what is a whole number of these, else "1234567 bytes". Returns `out`. */
const char *ee_size_text(uint64_t bytes, char out[EE_BOUND_TEXT]);
/* The value as a person would give it to the option: "64M", "100000". Returns `out`. */
const char *ee_bound_value_text(ee_bound bound, uint64_t value, char out[EE_BOUND_TEXT]);

/* The end of messages about what is beyond a bound: ", more than 64 MiB (--max-record)". Returns `out`. */
#define EE_BOUND_MESSAGE 96
const char *ee_bound_message(ee_bound bound, char out[EE_BOUND_MESSAGE]);

#endif
