/* text_difference.c: the longest common subsequence of two texts, as runs. */
#include "report/text_difference.h"

#include <stdint.h>
#include <string.h>

/* Cells of the table of lengths. */
#define MAX_CELLS 1000000
/* A common run beside a difference is at least so long, in code points: single letters match by chance. */
#define MIN_RUN 2
/* Texts with less in common, as a share of the longer one, are different as a whole. */
#define MIN_COMMON 0.3

/* A text as code points, and which of them the other text has. */
typedef struct side {
  ee_str text;
  uint32_t *points;
  size_t *offsets; /* of each code point, and the end */
  bool *same;
  size_t count;
} side;

static side read_side(ee_str text, ee_arena *arena) {
  side read = {.text = text,
               .points = ee_arena_alloc(arena, text.length * sizeof *read.points),
               .offsets = ee_arena_alloc(arena, (text.length + 1) * sizeof *read.offsets),
               .same = ee_arena_calloc(arena, text.length + 1, sizeof *read.same)};
  for (size_t at = 0; at < text.length; read.count++) {
    size_t bytes = ee_utf8_decode(text.data + at, text.length - at, &read.points[read.count]);
    read.offsets[read.count] = at;
    at += bytes > 0 ? bytes : 1;
  }
  read.offsets[read.count] = text.length;
  return read;
}

/* Marks a longest common subsequence of a[start..a_end) and b[start..b_end). */
static void mark_common(side *a, size_t a_end, side *b, size_t b_end, size_t start, ee_arena *arena) {
  size_t rows = a_end - start, columns = b_end - start, width = columns + 1;
  uint16_t *lengths = ee_arena_calloc(arena, (rows + 1) * width, sizeof *lengths);
  for (size_t i = rows; i-- > 0;) {
    for (size_t k = columns; k-- > 0;) {
      uint16_t down = lengths[(i + 1) * width + k], right = lengths[i * width + k + 1];
      lengths[i * width + k] = a->points[start + i] == b->points[start + k]
                                   ? (uint16_t)(lengths[(i + 1) * width + k + 1] + 1)
                               : down > right ? down
                                              : right;
    }
  }
  for (size_t i = 0, k = 0; i < rows && k < columns;) {
    if (a->points[start + i] == b->points[start + k]) {
      a->same[start + i++] = b->same[start + k++] = true;
    } else if (lengths[(i + 1) * width + k] >= lengths[i * width + k + 1]) {
      i++;
    } else {
      k++;
    }
  }
}

/* Drops common runs that are too short to say anything. Both sides have the same common characters in the same order;
 * a run ends where either side has something between. */
static void drop_short_runs(side *a, size_t a_end, side *b, size_t b_end, size_t start) {
  size_t i = start, k = start;
  while (i < a_end && k < b_end) {
    if (!a->same[i]) {
      i++;
    } else if (!b->same[k]) {
      k++;
    } else {
      size_t length = 0;
      while (i + length < a_end && k + length < b_end && a->same[i + length] && b->same[k + length]) length++;
      for (size_t n = 0; n < length && length < MIN_RUN; n++) a->same[i + n] = b->same[k + n] = false;
      i += length;
      k += length;
    }
  }
}

static size_t count_same(const side *s) {
  size_t count = 0;
  for (size_t i = 0; i < s->count; i++) count += s->same[i];
  return count;
}

static ee_text_parts parts_of(const side *s, ee_arena *arena) {
  ee_text_parts parts = {.items = ee_arena_alloc(arena, (s->count + 1) * sizeof *parts.items)};
  for (size_t i = 0; i < s->count;) {
    size_t end = i + 1;
    while (end < s->count && s->same[end] == s->same[i]) end++;
    ee_str text = {s->text.data + s->offsets[i], s->offsets[end] - s->offsets[i]};
    parts.items[parts.count++] = (ee_text_part){text, s->same[i]};
    i = end;
  }
  return parts;
}

bool ee_text_difference(ee_str a, ee_str b, ee_arena *arena, ee_text_parts *a_parts, ee_text_parts *b_parts) {
  if (ee_str_equal(a, b)) return false;
  side left = read_side(a, arena), right = read_side(b, arena);
  size_t longer = left.count > right.count ? left.count : right.count, start = 0;
  size_t a_end = left.count, b_end = right.count;
  while (start < a_end && start < b_end && left.points[start] == right.points[start])
    left.same[start] = right.same[start] = true, start++;
  while (a_end > start && b_end > start && left.points[a_end - 1] == right.points[b_end - 1])
    left.same[--a_end] = right.same[--b_end] = true;
  if (a_end - start >= UINT16_MAX || b_end - start >= UINT16_MAX) return false;
  if ((a_end - start + 1) * (b_end - start + 1) > MAX_CELLS) return false;
  mark_common(&left, a_end, &right, b_end, start, arena);
  drop_short_runs(&left, a_end, &right, b_end, start);
  if ((double)count_same(&left) < MIN_COMMON * (double)longer) return false;
  *a_parts = parts_of(&left, arena);
  *b_parts = parts_of(&right, arena);
  return true;
}
