/* state_line.h: totals as one JSON value, written and read by the same function.
 *
 * A function such as ee_kind_total_state(line, ...) names the members of a total one after the other. Where the line is
 * written, each call appends a value; where it is read, the same call sets it. So what is written is what is read, and
 * a member cannot be forgotten on one side only.
 *
 *   void sample_state(ee_state_line *line, ee_sample *sample) {
 *     ee_state_begin(line);
 *     ee_state_count(line, &sample->count);
 *     ee_state_fixed(line, &sample->sum);
 *     ee_state_end(line);
 *   }
 *
 * The text is an array of numbers, texts and arrays: no pointers, no byte order, nothing that depends on the machine;
 * equal values give equal bytes. What is zero (0, false, a NULL text, an array in which everything is zero) costs
 * nothing at the end of an array, and -n stands for n zeros elsewhere. Numbers are decimal below 2^53 and hexadecimal
 * texts from there on; sums and doubles are hexadecimal texts. A packed array (ee_state_begin_packed()) is a text of
 * base64 (base/packed.h), with a byte for each number below 128: for what is many numbers.
 *
 * Reading trusts nothing. A value of another type or beyond its range, one too many or too few: all are remembered
 * (`failed`), after which every call gives zeros. A list is never longer than the text that is there, so that a damaged
 * or hostile line cannot make a reader take memory; a caller checks what only it knows (an index, a name) and calls
 * ee_state_fail(). */
#ifndef EE_DATA_JSON_STATE_LINE_H
#define EE_DATA_JSON_STATE_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/exact_sum.h"
#include "base/fixed.h"
#include "base/packed.h"
#include "base/str.h"
#include "data/json/value.h"
#include "prim/confusion.h"
#include "prim/statistics.h"

/* Arrays within each other. */
#define EE_STATE_DEPTH 24

typedef struct ee_state_line {
  ee_buffer *out; /* NULL: reading */
  bool failed;
  bool packed;
  size_t depth; /* of `levels` */
  struct ee_state_level {
    bool list;            /* every value is written, zeros too */
    bool there;           /* writing: its bracket is written; reading: it is there, that is not all zero */
    bool any;             /* writing: it has a value */
    uint64_t zeros;       /* writing: not written yet; reading: still to come */
    const ee_value *next; /* reading: `left` values from here on */
    size_t left;
  } levels[EE_STATE_DEPTH];
  ee_buffer bytes;  /* of a packed array */
  ee_unpacker from; /* reading: those bytes */
} ee_state_line;

/* Starts a line that appends one array to `out`, or one that reads `value` (NULL, or not an array: it has failed),
 * which has to stay until ee_state_close(). */
void ee_state_write(ee_state_line *line, ee_buffer *out);
void ee_state_read(ee_state_line *line, const ee_value *value);
/* Ends it and frees its memory. False if it has failed or if values are left. */
bool ee_state_close(ee_state_line *line);

static inline bool ee_state_reading(const ee_state_line *line) { return line->out == NULL; }
static inline bool ee_state_failed(const ee_state_line *line) { return line->failed; }
/* While reading: what was read makes no sense. */
void ee_state_fail(ee_state_line *line);

/* An array within the array. */
void ee_state_begin(ee_state_line *line);
void ee_state_end(ee_state_line *line);
/* A packed array, until ee_state_end_packed(). Everything inside is packed; no other packed array is within it. */
void ee_state_begin_packed(ee_state_line *line);
void ee_state_end_packed(ee_state_line *line);
/* A list of `count` items, an array of its own until ee_state_end(); each item is at least one call. Returns its
 * length: `count` where it is written (and ignored where it is read); where it is read, at most as many as there are
 * values, 0 after a mistake. */
size_t ee_state_items(ee_state_line *line, size_t count);
/* Whether item `i` of `count` is written or read: none is after a mistake. */
static inline bool ee_state_goes_on(const ee_state_line *line, size_t i, size_t count) {
  return i < count && !line->failed;
}

/* One value. */
void ee_state_count(ee_state_line *line, uint64_t *value);
void ee_state_size(ee_state_line *line, size_t *value);
/* At most `limit`: an index, a number of an enum. */
void ee_state_small(ee_state_line *line, uint32_t *value, uint32_t limit);
void ee_state_flag(ee_state_line *line, bool *value);
/* Bit-exact. Where NaN and infinity make no sense, the caller checks. */
void ee_state_real(ee_state_line *line, double *value);
void ee_state_fixed(ee_state_line *line, ee_fixed *value);
/* Valid UTF-8. What is read is copied to `arena`, with a NUL; data NULL is not the empty text. */
void ee_state_text(ee_state_line *line, ee_arena *arena, ee_str *text);

/* What many totals have. */
void ee_state_counts(ee_state_line *line, uint64_t *values, size_t count);
void ee_state_confusion(ee_state_line *line, ee_counts *counts);
void ee_state_sample(ee_state_line *line, ee_sample *sample);
void ee_state_exact_sum(ee_state_line *line, ee_exact_sum *sum);

/* Beside the function that names the members of a struct: its size, so that whoever adds a member must look there. */
#if defined(__x86_64__)
#define EE_STATE_COVERS(type, bytes)                                                                                   \
  _Static_assert(sizeof(type) == (bytes), "a member of " #type " that its _state function below does not name?")
#else
#define EE_STATE_COVERS(type, bytes) _Static_assert(sizeof(type) > 0, "")
#endif

#endif
