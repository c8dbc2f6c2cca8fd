/* letter.c: the table of letters. */
#include "prim/letter.h"

const ee_letter ee_letter_table[EE_LETTER_COUNT] = {
#include "prim/letters.inc"
};

bool ee_letters_are_known(ee_str text) {
  if (ee_is_ascii(text.data, text.length)) return true;
  for (size_t at = 0; at < text.length;) {
    uint32_t code_point;
    ee_letter letter;
    size_t bytes = ee_utf8_decode(text.data + at, text.length - at, &code_point);
    if (bytes == 0 || (bytes > 1 && !ee_letter_find(code_point, &letter))) return false;
    at += bytes;
  }
  return true;
}
