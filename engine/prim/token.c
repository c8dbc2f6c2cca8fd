/* token.c: texts as bags of words. */
#include "prim/token.h"

#include <math.h>

#include <stdbool.h>

#include "base/work.h"
#include "prim/edit.h"
#include "prim/sort.h"

static bool str_before(const ee_str *a, const ee_str *b) { return ee_str_compare(*a, *b) < 0; }

EE_DEFINE_SORT(sort_tokens, ee_str, str_before)

/* The first token from `at` on, or an empty slice. */
static ee_str next_token(ee_str text, size_t at) {
  size_t start = text.length;
  while (at < text.length) {
    uint32_t code_point = (unsigned char)text.data[at];
    size_t bytes = 1;
    if (code_point >= 0x80) bytes = ee_utf8_decode(text.data + at, text.length - at, &code_point);
    bool space =
        code_point < 0x80 ? code_point == ' ' || (code_point >= 9 && code_point <= 13) : ee_is_space(code_point);
    if (space && start < text.length) break;
    if (!space && start == text.length) start = at;
    at += bytes;
  }
  if (start == text.length) return (ee_str){NULL, 0};
  return (ee_str){text.data + start, at - start};
}

/* Units of a byte, which is looked at twice. */
#define BYTE_WORK 4

size_t ee_tokens(ee_str text, ee_arena *arena, ee_str **tokens) {
  size_t count = 0;
  ee_work(BYTE_WORK * (uint64_t)text.length);
  for (ee_str token = next_token(text, 0); token.length > 0; count++) {
    token = next_token(text, (size_t)(token.data - text.data) + token.length);
  }
  ee_str *list = ee_arena_calloc(arena, count, sizeof(ee_str));
  size_t at = 0;
  for (size_t i = 0; i < count; i++) {
    list[i] = next_token(text, at);
    at = (size_t)(list[i].data - text.data) + list[i].length;
  }
  *tokens = list;
  return count;
}

static size_t sorted_tokens(ee_str text, ee_arena *scratch, ee_str **tokens) {
  size_t count = ee_tokens(text, scratch, tokens);
  sort_tokens(*tokens, count, scratch);
  return count;
}

static size_t distinct_tokens(ee_str text, ee_arena *scratch, ee_str **tokens) {
  size_t count = sorted_tokens(text, scratch, tokens), kept = 0;
  for (size_t i = 0; i < count; i++) {
    if (kept == 0 || !ee_str_equal((*tokens)[i], (*tokens)[kept - 1])) (*tokens)[kept++] = (*tokens)[i];
  }
  return kept;
}

/* The tokens of both arrays, joined by one space. */
static ee_str join(const ee_str *first, size_t first_count, const ee_str *second, size_t second_count,
                   ee_arena *scratch) {
  size_t size = first_count + second_count;
  for (size_t i = 0; i < first_count; i++) size += first[i].length;
  for (size_t i = 0; i < second_count; i++) size += second[i].length;
  char *text = ee_arena_alloc(scratch, size);
  size_t length = 0;
  for (size_t i = 0; i < first_count + second_count; i++) {
    // cppcheck-suppress nullPointer; NULL only where it has no tokens
    ee_str token = i < first_count ? first[i] : second[i - first_count];
    if (i > 0) text[length++] = ' ';
    memcpy(text + length, token.data, token.length);
    length += token.length;
  }
  return (ee_str){text, length};
}

ee_str ee_token_sorted(ee_str text, ee_arena *arena) {
  ee_str *tokens;
  size_t count = sorted_tokens(text, arena, &tokens);
  return join(tokens, count, NULL, 0, arena);
}

double ee_token_sort(ee_str a, ee_str b, ee_arena *scratch) {
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  double result = ee_ratio(ee_token_sorted(a, scratch), ee_token_sorted(b, scratch), scratch);
  ee_arena_rewind(scratch, mark);
  return result;
}

/* ee_ratio() of a text and a longer one that begins with it: the longest common subsequence is then the text itself. */
static double ratio_of_prefix(ee_str prefix, ee_str whole) {
  size_t common = ee_utf8_count(prefix.data, prefix.length);
  size_t total = common + ee_utf8_count(whole.data, whole.length);
  return 2 * (double)common / (double)total;
}

void ee_token_set_ratios(ee_str a, ee_str b, ee_arena *scratch, double ratios[3]) {
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  ee_str *a_tokens, *b_tokens;
  size_t a_count = distinct_tokens(a, scratch, &a_tokens), b_count = distinct_tokens(b, scratch, &b_tokens);
  /* Merging the sorted arrays splits them into tokens of both, only a and only b; the latter two shrink in place. */
  ee_str *both = ee_arena_calloc(scratch, a_count < b_count ? a_count : b_count, sizeof(ee_str));
  size_t both_count = 0, only_a = 0, only_b = 0, i = 0, j = 0;
  while (i < a_count || j < b_count) {
    int order = i == a_count ? 1 : j == b_count ? -1 : ee_str_compare(a_tokens[i], b_tokens[j]);
    if (order == 0) {
      both[both_count++] = a_tokens[i++];
      j++;
    } else if (order < 0) {
      a_tokens[only_a++] = a_tokens[i++];
    } else {
      b_tokens[only_b++] = b_tokens[j++];
    }
  }
  if (a_count == 0 || b_count == 0) {
    ratios[0] = ratios[1] = ratios[2] = a_count == b_count ? 1 : 0;
  } else if (both_count > 0 && (only_a == 0 || only_b == 0)) {
    ratios[0] = ratios[1] = ratios[2] = 1;
  } else {
    ee_str common = join(both, both_count, NULL, 0, scratch);
    ee_str whole_a = join(both, both_count, a_tokens, only_a, scratch);
    ee_str whole_b = join(both, both_count, b_tokens, only_b, scratch);
    ratios[0] = ratio_of_prefix(common, whole_a);
    ratios[1] = ratio_of_prefix(common, whole_b);
    ratios[2] = ee_ratio(whole_a, whole_b, scratch);
  }
  ee_arena_rewind(scratch, mark);
}

double ee_token_set(ee_str a, ee_str b, ee_arena *scratch) {
  double ratios[3];
  ee_token_set_ratios(a, b, scratch, ratios);
  return fmax(ratios[2], fmax(ratios[0], ratios[1]));
}

void ee_token_f1_parts(ee_str a, ee_str b, ee_arena *scratch, size_t *parts, size_t *whole) {
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  ee_str *a_tokens, *b_tokens;
  size_t a_count = sorted_tokens(a, scratch, &a_tokens), b_count = sorted_tokens(b, scratch, &b_tokens);
  size_t common = 0;
  for (size_t i = 0, j = 0; i < a_count && j < b_count;) {
    int order = ee_str_compare(a_tokens[i], b_tokens[j]);
    if (order == 0) common++;
    if (order <= 0) i++;
    if (order >= 0) j++;
  }
  *parts = 2 * common;
  *whole = a_count + b_count;
  ee_arena_rewind(scratch, mark);
}

double ee_token_f1(ee_str a, ee_str b, ee_arena *scratch) {
  size_t parts, whole;
  ee_token_f1_parts(a, b, scratch, &parts, &whole);
  return whole == 0 ? 1 : (double)parts / (double)whole;
}
