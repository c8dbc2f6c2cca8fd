/* normalize.h: named normal forms that are applied to texts before they are compared.
 *
 * Case folding and NFKC are utf8proc's; ASCII texts do not need it. */
#ifndef EE_PRIM_NORMALIZE_H
#define EE_PRIM_NORMALIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

typedef enum ee_normal_form {
  EE_NORMAL_TRIM,           /* no white space at either end */
  EE_NORMAL_CASEFOLD,       /* Unicode full case folding */
  EE_NORMAL_NFKC,           /* Unicode compatibility composition */
  EE_NORMAL_COLLAPSE_SPACE, /* each run of white space becomes one space, also at the ends */
  EE_NORMAL_ALNUM,          /* letters, marks and digits only (Unicode L*, M*, N*) */
  EE_NORMAL_DIGITS,         /* decimal digits only (Unicode Nd), converted to ASCII 0-9 */
  EE_NORMAL_TEXT,           /* numbers and booleans as text; nothing to do for texts */
  EE_NORMAL_UNACCENT,       /* letters without accents, see ee_plain_letter() */
  EE_NORMAL_PUNCTUATION,    /* without punctuation (Unicode P*), see below */
  EE_NORMAL_ARTICLES,       /* without the words a, an and the, in any case; white space as `punctuation` leaves it */
  EE_NORMAL_SQUAD,          /* SQuAD's: case folded, without ASCII punctuation, then without articles */
  EE_NORMAL_URL,            /* see contact.h, as the next two */
  EE_NORMAL_EMAIL,
  EE_NORMAL_PHONE,
  EE_NORMAL_COUNT
} ee_normal_form;

/* The names in the order of the enum, then NULL: "trim", "casefold", "nfkc", "collapse_space", "alnum", "digits",
 * "text", "unaccent", "punctuation", "articles", "squad", "url", "email", "phone". */
extern const char *const ee_normal_form_names[EE_NORMAL_COUNT + 1];

/* All of them, for messages and help. */
#define EE_NORMAL_FORM_LIST                                                                                            \
  "trim, casefold, nfkc, collapse_space, alnum, digits, unaccent, punctuation, articles, squad, url, email, phone"

/* The form called `name`, or -1. */
int ee_normal_form_find(ee_str name);

/* About EE_NORMAL_PUNCTUATION: a dot or an apostrophe is dropped (U.S.A., O'Brien), other punctuation becomes a space,
 * and then each run of white space one space, none at the ends. What belongs to a number stays: dots and commas between
 * digits, a hyphen or minus before a digit that no letter or digit precedes, percent and per mille signs. */

/* Applies `forms[0..count)` in order to valid UTF-8 `text`. Returns valid UTF-8 in `arena`, or `text` itself if nothing
 * changed. */
ee_str ee_normalize(ee_str text, const uint8_t *forms, size_t count, ee_arena *arena);

/* `text` (valid UTF-8) in Unicode's normal form C, in which equal letters have equal bytes: "e" with U+0301 is "é".
 * `text` itself if it is in that form, else in `arena`. A text of code points below U+0300 costs a look at its bytes.
 */
ee_str ee_nfc(ee_str text, ee_arena *arena);

/* Whether a code point from U+0300 on may be another one in NFC, alone or together with its neighbours. True also for
 * composed letters, which stay as they are, except for those of the commonest scripts. */
bool ee_nfc_may_change(uint32_t code_point);

/* The largest number of code points that ee_plain_letter() writes. */
#define EE_PLAIN_LETTER_LIMIT 8

/* Writes `code_point` without accents to `out` and returns the number of code points (0 for an accent by itself): é
 * is e, ß is ss, ł is l, ø is o, æ is ae. Only marks above and below letters of Latin, Greek, Cyrillic and the like are
 * accents (blocks of combining diacritical marks); vowel signs of other scripts are part of a word, so their letters
 * stay as they are. With `fold_case` also in folded case. */
size_t ee_plain_letter(uint32_t code_point, bool fold_case, uint32_t out[EE_PLAIN_LETTER_LIMIT]);

/* Punctuation and symbols of ASCII: all that is printed but letters, digits and the space. */
static inline bool ee_is_ascii_punctuation(char c) {
  return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

/* Letters, marks and digits (Unicode L*, M*, N*). */
bool ee_is_alnum(uint32_t code_point);

/* The value of a decimal digit of any script (Unicode Nd), or -1. */
int ee_decimal_digit(uint32_t code_point);

#endif
