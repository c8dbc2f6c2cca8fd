/* json_text.h: the characters of a JSON string, copied and checked in one pass. */
#ifndef EE_DATA_JSON_JSON_TEXT_H
#define EE_DATA_JSON_JSON_TEXT_H

#include <stdbool.h>

/* What was seen in the characters that were copied. */
typedef struct ee_json_text {
  bool invalid;    /* the place is that of a sequence which is not UTF-8, or is cut by the end */
  bool composable; /* NFC may change a code point (ee_nfc_may_change()) */
  bool respelled;  /* a character would be written as an escape: 0x7f, or a harmful one (printable.h) */
} ee_json_text;

/* Room after the characters that are copied, which may be overwritten. */
#define EE_JSON_TEXT_SLACK 16

/* Copies the characters of a string from `at` up to the first '"', '\' or control character below 0x20, or to `end`, to
 * `out`, which has room for the bytes up to `end` and for EE_JSON_TEXT_SLACK more. Returns the place after them, or of
 * the first invalid sequence; what is after it in `out` is undefined then. `at` is where a character begins.
 *
 * Vectors of 16 bytes are checked by the lookups of Keiser and Lemire, "Validating UTF-8 In Less Than One Instruction
 * Per Byte" (Software: Practice and Experience 51, 2021), on processors that have SSSE3. */
const char *ee_json_copy_text(const char *at, const char *end, char *out, ee_json_text *seen);

#endif
