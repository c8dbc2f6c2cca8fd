/* limits.c: the table of the bounds that options set, and their values in this process. */
#include "base/limits.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define KIB ((uint64_t)1 << 10)
#define MIB (KIB << 10)
#define GIB (MIB << 10)
/* More than any file and any memory has. */
#define LARGEST ((uint64_t)1 << 50)

static const ee_limits defaults = EE_LIMITS_DEFAULT;
static ee_limits current = EE_LIMITS_DEFAULT;

const ee_bound_row ee_bound_rows[EE_BOUND_COUNT] = {
    [EE_BOUND_TIMEOUT] = {"timeout", EE_UNIT_SECONDS, offsetof(ee_limits, timeout), 1000000,
                          "work of one case, counted in units (a usual machine does a thousand million in a second); "
                          "one judge may use half of what is left, one value half of what its judge has left",
                          "the value or judge is given up: it scores 0 with the reason, exit status 4"},
    [EE_BOUND_RECORD] = {"max-record", EE_UNIT_BYTES, offsetof(ee_limits, record), LARGEST,
                         "one record: a line, an element of an array, a row of a table",
                         "the record is in error and is not judged, exit status 4; the next ones are"},
    [EE_BOUND_FILE] =
        {"max-file", EE_UNIT_BYTES, offsetof(ee_limits, file), LARGEST,
         "a file that is read whole: YAML, one JSON document with the records in it, --config, a bench run",
         "the file is in error; of data, the other files are judged, exit status 4"},
    [EE_BOUND_UNPACKED] =
        {"max-unpacked", EE_UNIT_BYTES, offsetof(ee_limits, unpacked), LARGEST,
         "what a .gz or .zst file holds, if that is also more than 100 times the size of the file",
         "the file is in error: refused at once where its own header or end says its size, else after "
         "that many bytes; the other files are judged, exit status 4"},
    [EE_BOUND_MEMORY] = {"max-memory", EE_UNIT_BYTES, offsetof(ee_limits, memory), LARGEST,
                         "memory that one case takes: its documents, and what judging it needs",
                         "the case is given up with the reason, exit status 4; its memory is given back"},
    [EE_BOUND_ITEMS] = {"max-items", EE_UNIT_ITEMS, offsetof(ee_limits, items), INT64_MAX,
                        "items of one array that are paired with those of another: line items, sets, boxes, points",
                        "the judge or value is given up: it scores 0 with the reason, exit status 4"},
    [EE_BOUND_PAIRS] = {"max-pairs", EE_UNIT_ITEMS, offsetof(ee_limits, pairs), INT64_MAX,
                        "possible pairs of two arrays (above the threshold) that are held in memory, 100 bytes each",
                        "the judge or value is given up: it scores 0 with the reason, exit status 4"},
    [EE_BOUND_CORNERS] = {"max-corners", EE_UNIT_ITEMS, offsetof(ee_limits, corners), INT64_MAX,
                          "corners of a polygon, all rings together",
                          "the polygon is invalid, and its value or item is not matched"},
};

static _Thread_local const ee_limits *of_thread;

const ee_limits *ee_limits_get(void) { return of_thread != NULL ? of_thread : &current; }

const ee_limits *ee_limits_enter(const ee_limits *limits) {
  const ee_limits *before = of_thread;
  of_thread = limits;
  return before;
}

void ee_limits_set(const ee_limits *limits) { current = limits != NULL ? *limits : defaults; }

uint64_t ee_bound_of(ee_bound bound) {
  uint64_t value;
  memcpy(&value, (const char *)ee_limits_get() + ee_bound_rows[bound].offset, sizeof value);
  return value > 0 ? value : UINT64_MAX;
}

size_t ee_bound_size(ee_bound bound) {
  uint64_t value = ee_bound_of(bound);
  return value < SIZE_MAX / 4 ? (size_t)value : SIZE_MAX / 4;
}

bool ee_bound_parse(ee_bound bound, const char *text, uint64_t *value) {
  static const char suffixes[] = "KMGT";
  const ee_bound_row *row = &ee_bound_rows[bound];
  if (*text < '0' || *text > '9') return false;
  uint64_t number = 0;
  for (; *text >= '0' && *text <= '9'; text++) {
    number = number * 10 + (uint64_t)(*text - '0');
    if (number > row->max) return false;
  }
  const char *suffix = *text != '\0' && row->unit == EE_UNIT_BYTES ? strchr(suffixes, *text) : NULL;
  if (suffix != NULL) {
    unsigned shift = 10 * (unsigned)(suffix - suffixes + 1);
    if (number > row->max >> shift) return false;
    number <<= shift;
    text++;
  }
  if (*text != '\0') return false;
  *value = number;
  return true;
}

/* The largest unit that divides `bytes`: the number of bits to shift by, and its letter. */
static unsigned unit_of(uint64_t bytes, char *letter) {
  *letter = bytes == 0 || bytes % KIB != 0 ? '\0' : bytes % GIB == 0 ? 'G' : bytes % MIB == 0 ? 'M' : 'K';
  return *letter == 'G' ? 30 : *letter == 'M' ? 20 : *letter == 'K' ? 10 : 0;
}

const char *ee_size_text(uint64_t bytes, char out[EE_BOUND_TEXT]) {
  char letter;
  unsigned bits = unit_of(bytes, &letter);
  if (letter == '\0')
    snprintf(out, EE_BOUND_TEXT, "%" PRIu64 " bytes", bytes);
  else
    snprintf(out, EE_BOUND_TEXT, "%" PRIu64 " %ciB", bytes >> bits, letter);
  return out;
}

const char *ee_bound_value_text(ee_bound bound, uint64_t value, char out[EE_BOUND_TEXT]) {
  char letter = '\0';
  unsigned bits = ee_bound_rows[bound].unit == EE_UNIT_BYTES ? unit_of(value, &letter) : 0;
  snprintf(out, EE_BOUND_TEXT, letter != '\0' ? "%" PRIu64 "%c" : "%" PRIu64, value >> bits, letter);
  return out;
}

const char *ee_bound_message(ee_bound bound, char out[EE_BOUND_MESSAGE]) {
  const ee_bound_row *row = &ee_bound_rows[bound];
  uint64_t value = ee_bound_of(bound);
  char size[EE_BOUND_TEXT];
  if (row->unit == EE_UNIT_BYTES)
    ee_size_text(value, size);
  else
    snprintf(size, sizeof size, "%" PRIu64 "%s", value, row->unit == EE_UNIT_SECONDS ? " s" : "");
  snprintf(out, EE_BOUND_MESSAGE, ", more than %s (--%s)", size, row->option);
  return out;
}
