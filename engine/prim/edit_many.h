/* edit_many.h: the edit distances of each of some texts from each of some others. */
#ifndef EE_PRIM_EDIT_MANY_H
#define EE_PRIM_EDIT_MANY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

/* A text prepared for many comparisons. */
typedef struct ee_edit_text {
  ee_str text;                  /* UTF-8, borrowed */
  size_t length;                /* code points */
  const unsigned char *letters; /* `length` bytes, one for each code point; NULL: it has letters of several scripts */
  unsigned char page;           /* what the bytes from 128 on mean; 0: the text has none of them */
  uint64_t present;             /* last six bits of code points that occur */
  uint8_t counts[64];           /* code points by their last six bits, at most 255 */
} ee_edit_text;

/* Prepares valid UTF-8 `text`, which must live as long as the result. O(length). */
void ee_edit_text_init(ee_edit_text *prepared, ee_str text, ee_arena *arena);

/* ee_levenshtein() of prepared texts: `limit` + 1 above `limit` (EE_NO_LIMIT: none). Lengths and counts decide most
 * pairs of different texts: each edit changes the length by one at most, and adds one to at most one count. */
size_t ee_edit_distance(const ee_edit_text *a, const ee_edit_text *b, size_t limit, ee_arena *scratch);

/* What holds for each of some texts. */
typedef struct ee_edit_bounds {
  size_t shortest, longest;
  uint64_t present_in_any, present_in_all;
  uint8_t least[64], most[64]; /* of the texts' counts */
} ee_edit_bounds;

void ee_edit_bounds_init(ee_edit_bounds *bounds, const ee_edit_text *const *texts, size_t count);

/* True if lengths and counts show that `text` is farther than `limit` from every text within the bounds. */
bool ee_edit_is_beyond(const ee_edit_bounds *bounds, const ee_edit_text *text, size_t limit);

/* The most texts of a batch. */
#define EE_EDIT_BATCH 32

/* Some texts that others are compared with, all in one go: a text is a lane of vectors. */
typedef struct ee_edit_batch {
  const ee_edit_text *const *texts;
  size_t count, lanes;           /* texts; the same in whole steps of the loop */
  size_t lengths[EE_EDIT_BATCH]; /* of the texts */
  uint64_t present[EE_EDIT_BATCH];
  size_t word_size; /* bytes of a lane */
  void *masks;      /* [row][lane]: where the row's symbol is in the lane's text; NULL: too long or of other scripts */
  uint32_t row_of[256]; /* by letter: where its row begins; 0: a row of zeros */
  unsigned char page;
} ee_edit_batch;

/* Prepares `count` (at most EE_EDIT_BATCH) texts, which must live as long as the batch, as does the array of them. */
void ee_edit_batch_init(ee_edit_batch *batch, const ee_edit_text *const *texts, size_t count, ee_arena *arena);

/* The distance of `text` from each text i of the batch, or limits[i] + 1 above limits[i] (NULL: no limits), as
 * ee_edit_distance(). Pairs that lengths and counts leave open are computed in vector lanes (texts of up to 64 code
 * points) if there are many of them. The portable form gives the same without AVX2. */
void ee_edit_batch_distances(const ee_edit_batch *batch, const ee_edit_text *text, const size_t *limits,
                             size_t *distances, ee_arena *scratch);
void ee_edit_batch_distances_portable(const ee_edit_batch *batch, const ee_edit_text *text, const size_t *limits,
                                      size_t *distances, ee_arena *scratch);

#endif
