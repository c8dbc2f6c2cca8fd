/* source_text.h: whether a value occurs in the text that it was read from, in any usual notation. */
#ifndef EE_AUDIT_SOURCE_TEXT_H
#define EE_AUDIT_SOURCE_TEXT_H

#include "base/arena.h"
#include "data/json/path.h"
#include "data/json/value.h"

/* The source text of a record, in `arena` or the record's own; data NULL if it has none. `path` NULL: the first of
 *   documentText, document_text, ocr_text, ocrText, ocr, source_text, sourceText, raw_text, rawText, full_text,
 *   fullText, page_text, pageText, words, ocr_words, tokens, lines, and unless the record is the expected value itself
 * text, source, document, content, context, input that is a text of several words, or an array of texts or of objects
 * with a member text, word or words; those are joined. With `path` any text will do. */
ee_str ee_source_text_find(const ee_value *record, const ee_value *expected, const ee_path *path, ee_arena *arena);

/* A source text prepared for looking up; in an arena. */
typedef struct ee_source_text {
  ee_str text;   /* as it is */
  ee_str folded; /* NFKC, without case, single spaces */
  ee_arena *arena;
  struct ee_source_number *numbers;
  size_t number_count;
  struct ee_source_date *dates;
  size_t date_count;
  uint32_t *letters; /* letters and digits in lower case; NULL: not made yet */
  uint32_t *places;  /* of them: offsets in `text` */
  size_t letter_count;
  ee_str missing; /* words of the last text that the source lacks: "'Tampoi', 'Johor'" */
} ee_source_text;

void ee_source_text_read(ee_source_text *source, ee_str text, ee_arena *arena);

typedef enum ee_source_place {
  EE_PLACE_NOWHERE,
  EE_PLACE_NEAR,  /* the text has something like it, but not the value */
  EE_PLACE_LOOSE, /* it has the value except what scanning changes: some letters, spaces inside a number */
  EE_PLACE_EXACT
} ee_source_place;

/* Looks for `value`, a scalar. Numbers (and texts that are numbers) are found by value: 1234.5 as "1.234,50", 0.06 as
 * "6 %", 4 as "four" (to twelve). Dates by their day in any order, with month names of several languages. Texts without
 * case, spaces and punctuation: EXACT; in a window of at most a fifth of other letters: LOOSE; half: NEAR; longer texts
 * and those on several lines by the share of their letters in words that the text has (0.95, 0.7, 0.4). `*near` gets
 * what the text has instead, in the source text; empty if nothing is like it, or if the place is EXACT. */
ee_source_place ee_source_text_look_up(ee_source_text *source, const ee_value *value, ee_str *near);

#endif
