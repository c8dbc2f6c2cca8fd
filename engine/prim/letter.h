/* letter.h: the forms of letters of the commonest scripts, without a look into Unicode's tables.
 *
 * Known are most letters of Latin, Greek and Cyrillic up to U+052F, those of Hebrew, Arabic and Japanese, Chinese
 * ideographs and syllables of Hangul: letters that are one code point in lower case and without accents, and that NFC
 * and NFKC leave as they are, also beside each other. What is known is the same as in utf8proc, which knows the others.
 */
#ifndef EE_PRIM_LETTER_H
#define EE_PRIM_LETTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

typedef struct ee_letter {
  uint16_t folded; /* in folded case: a known letter, too */
  uint16_t plain;  /* without accents, in its own case */
} ee_letter;

#define EE_FIRST_LETTER 0xC0
#define EE_LETTER_COUNT 1136
extern const ee_letter ee_letter_table[EE_LETTER_COUNT];

/* Letters without case and accents: Hebrew, Arabic, Hiragana, Katakana, ideographs, Hangul. */
static inline bool ee_letter_is_bare(uint32_t code_point) {
  return (code_point >= 0x620 && code_point <= 0x64A) || (code_point >= 0x5D0 && code_point <= 0x5EA) ||
         (code_point >= 0x4E00 && code_point <= 0x9FA5) || (code_point >= 0xAC00 && code_point <= 0xD7A3) ||
         (code_point >= 0x3041 && code_point <= 0x3096) || (code_point >= 0x30A1 && code_point <= 0x30FA);
}

/* Whether the letter is known. ASCII is not among them. */
static inline bool ee_letter_find(uint32_t code_point, ee_letter *letter) {
  if (code_point - EE_FIRST_LETTER < EE_LETTER_COUNT) {
    *letter = ee_letter_table[code_point - EE_FIRST_LETTER];
    return letter->folded != 0;
  }
  if (!ee_letter_is_bare(code_point)) return false;
  letter->folded = letter->plain = (uint16_t)code_point;
  return true;
}

/* Whether all of `text` (UTF-8) is ASCII and known letters. */
bool ee_letters_are_known(ee_str text);

#endif
