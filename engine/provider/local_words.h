/* local_words.h: the words of a text, as the local provider compares them.
 *
 * Only local_words.c includes libstemmer.h. A reader belongs to one thread at a time. */
#ifndef EE_PROVIDER_LOCAL_WORDS_H
#define EE_PROVIDER_LOCAL_WORDS_H

#include <evalengine.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/str.h"

typedef struct ee_word_reader ee_word_reader;

/* One word: the stem of a case folded word, or a number in plain decimals ("10" of "10+", "1000" of "1,000", "-5" of
 * "-5"). */
typedef struct ee_word {
  ee_str text;
  uint64_t hash;
  bool is_number; /* numbers match only when their decimal values are equal */
} ee_word;

/* Loads libstemmer (base/late_library.h), as the first ee_word_reader_new() does. */
ee_status ee_words_load(ee_error *error);

/* `language` as Snowball names it ("english"); stop words are known for English only. NULL with `error`
 * EE_ERROR_RULES for a language that Snowball does not have, with a suggestion; EE_ERROR_SYSTEM without libstemmer. */
ee_word_reader *ee_word_reader_new(ee_str language, ee_error *error);
void ee_word_reader_free(ee_word_reader *reader);

/* The words of `text` (valid UTF-8) in order, without stop words unless `keep_stop_words`. The array and its texts are
 * copies in `arena`. Linear in time and memory.
 *
 * After NFKC and case folding a word is a run of letters, marks and digits that begins with a letter or digit; every
 * Han, Hiragana, Katakana and Thai character is a word. Words with digits ("b12") have no stem. In English an
 * apostrophe inside a word belongs to it: "isn't" is "is" and "not", "cannot" is "can" and "not", "we'll" is "we" and
 * "will", "John's" is "John", "O'Brien" is "obrien"; in other languages it separates words. A number is a run of digits
 * with '.' and ',' between them that reads as one ("1,000.5", "0,5", "1.234,56"), else each of its parts is
 * ("15.01.2024"); it is negative when a minus stands directly before it and after white space, an opening bracket or
 * nothing.
 */
size_t ee_words_read(ee_word_reader *reader, ee_str text, bool keep_stop_words, ee_arena *arena, ee_word **words);

#endif
