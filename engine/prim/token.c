/* token.c: texts as bags of words. */
#include "prim/token.h"

#include <math.h>

#include <stdbool.h>

#include "prim/edit.h"
#include "prim/sort.h"

static bool str_before(const ee_str *a, const ee_str *b) { return ee_str_compare(*a, *b) < 0; }

EE_DEFINE_SORT(sort_tokens, ee_str, str_before)

static size_t sorted_tokens(ee_str text, ee_tokenizer tokenizer, ee_arena *scratch, ee_str **tokens) {
  size_t count = ee_tokens(text, tokenizer, scratch, tokens);
  sort_tokens(*tokens, count, scratch);
  return count;
}

static size_t distinct_tokens(ee_str text, ee_tokenizer tokenizer, ee_arena *scratch, ee_str **tokens) {
  size_t count = sorted_tokens(text, tokenizer, scratch, tokens), kept = 0;
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

ee_str ee_token_sorted(ee_str text, ee_tokenizer tokenizer, ee_arena *arena) {
  ee_str *tokens;
  size_t count = sorted_tokens(text, tokenizer, arena, &tokens);
  return join(tokens, count, NULL, 0, arena);
}

double ee_token_sort(ee_str a, ee_str b, ee_tokenizer tokenizer, ee_arena *scratch) {
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  double result = ee_ratio(ee_token_sorted(a, tokenizer, scratch), ee_token_sorted(b, tokenizer, scratch), scratch);
  ee_arena_rewind(scratch, mark);
  return result;
}

double ee_partial_token_sort(ee_str a, ee_str b, ee_tokenizer tokenizer, ee_arena *scratch) {
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  double result =
      ee_partial_ratio(ee_token_sorted(a, tokenizer, scratch), ee_token_sorted(b, tokenizer, scratch), scratch);
  ee_arena_rewind(scratch, mark);
  return result;
}

/* The distinct tokens of two texts: of both, and of one only. Each list is sorted. */
typedef struct token_sets {
  ee_str *both, *only_a, *only_b;
  size_t both_count, only_a_count, only_b_count;
  bool is_a_empty, is_b_empty; /* the text has no tokens */
} token_sets;

static token_sets divide(ee_str a, ee_str b, ee_tokenizer tokenizer, ee_arena *scratch) {
  ee_str *a_tokens, *b_tokens;
  size_t a_count = distinct_tokens(a, tokenizer, scratch, &a_tokens);
  size_t b_count = distinct_tokens(b, tokenizer, scratch, &b_tokens);
  /* Merging the sorted arrays splits them; those of one text only shrink in place. */
  token_sets sets = {.only_a = a_tokens, .only_b = b_tokens, .is_a_empty = a_count == 0, .is_b_empty = b_count == 0};
  sets.both = ee_arena_calloc(scratch, a_count < b_count ? a_count : b_count, sizeof(ee_str));
  for (size_t i = 0, j = 0; i < a_count || j < b_count;) {
    int order = i == a_count ? 1 : j == b_count ? -1 : ee_str_compare(a_tokens[i], b_tokens[j]);
    if (order == 0) {
      sets.both[sets.both_count++] = a_tokens[i++];
      j++;
    } else if (order < 0) {
      a_tokens[sets.only_a_count++] = a_tokens[i++];
    } else {
      b_tokens[sets.only_b_count++] = b_tokens[j++];
    }
  }
  return sets;
}

/* ee_ratio() of a text and a longer one that begins with it: the longest common subsequence is then the text itself. */
static double ratio_of_prefix(ee_str prefix, ee_str whole) {
  size_t common = ee_utf8_count(prefix.data, prefix.length);
  size_t total = common + ee_utf8_count(whole.data, whole.length);
  return 2 * (double)common / (double)total;
}

void ee_token_set_ratios(ee_str a, ee_str b, ee_tokenizer tokenizer, ee_arena *scratch, double ratios[3]) {
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  const token_sets sets = divide(a, b, tokenizer, scratch);
  if (sets.is_a_empty || sets.is_b_empty) {
    ratios[0] = ratios[1] = ratios[2] = sets.is_a_empty == sets.is_b_empty ? 1 : 0;
  } else if (sets.both_count > 0 && (sets.only_a_count == 0 || sets.only_b_count == 0)) {
    ratios[0] = ratios[1] = ratios[2] = 1;
  } else {
    ee_str common = join(sets.both, sets.both_count, NULL, 0, scratch);
    ee_str whole_a = join(sets.both, sets.both_count, sets.only_a, sets.only_a_count, scratch);
    ee_str whole_b = join(sets.both, sets.both_count, sets.only_b, sets.only_b_count, scratch);
    ratios[0] = ratio_of_prefix(common, whole_a);
    ratios[1] = ratio_of_prefix(common, whole_b);
    ratios[2] = ee_ratio(whole_a, whole_b, scratch);
  }
  ee_arena_rewind(scratch, mark);
}

double ee_token_set(ee_str a, ee_str b, ee_tokenizer tokenizer, ee_arena *scratch) {
  double ratios[3];
  ee_token_set_ratios(a, b, tokenizer, scratch, ratios);
  return fmax(ratios[2], fmax(ratios[0], ratios[1]));
}

int ee_token_set_rests(ee_str a, ee_str b, ee_tokenizer tokenizer, ee_arena *arena, ee_str *rest_a, ee_str *rest_b) {
  const token_sets sets = divide(a, b, tokenizer, arena);
  *rest_a = *rest_b = (ee_str){NULL, 0};
  if (sets.is_a_empty || sets.is_b_empty) return sets.is_a_empty == sets.is_b_empty ? 1 : 0;
  if (sets.both_count > 0) return 1;
  *rest_a = join(sets.only_a, sets.only_a_count, NULL, 0, arena);
  *rest_b = join(sets.only_b, sets.only_b_count, NULL, 0, arena);
  return -1;
}

double ee_partial_token_set(ee_str a, ee_str b, ee_tokenizer tokenizer, ee_arena *scratch) {
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  ee_str rest_a, rest_b;
  int decided = ee_token_set_rests(a, b, tokenizer, scratch, &rest_a, &rest_b);
  double result = decided >= 0 ? decided : ee_partial_ratio(rest_a, rest_b, scratch);
  ee_arena_rewind(scratch, mark);
  return result;
}

void ee_token_f1_parts(ee_str a, ee_str b, ee_tokenizer tokenizer, ee_arena *scratch, size_t *parts, size_t *whole) {
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  ee_str *a_tokens, *b_tokens;
  size_t a_count = sorted_tokens(a, tokenizer, scratch, &a_tokens);
  size_t b_count = sorted_tokens(b, tokenizer, scratch, &b_tokens);
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

double ee_token_f1(ee_str a, ee_str b, ee_tokenizer tokenizer, ee_arena *scratch) {
  size_t parts, whole;
  ee_token_f1_parts(a, b, tokenizer, scratch, &parts, &whole);
  return whole == 0 ? 1 : (double)parts / (double)whole;
}

void ee_rouge_l_parts(ee_str a, ee_str b, ee_tokenizer tokenizer, ee_arena *scratch, size_t *parts, size_t *whole) {
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  ee_symbols x, y;
  ee_token_symbols(a, b, tokenizer, scratch, &x, &y);
  *parts = 2 * ee_symbols_lcs(x, y, scratch);
  *whole = x.count + y.count;
  ee_arena_rewind(scratch, mark);
}

void ee_wer_parts(ee_str expected, ee_str candidate, ee_tokenizer tokenizer, ee_arena *scratch, size_t *edits,
                  size_t *tokens) {
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  ee_symbols x, y;
  ee_token_symbols(expected, candidate, tokenizer, scratch, &x, &y);
  *edits = ee_symbols_distance(x, y, scratch);
  *tokens = x.count;
  ee_arena_rewind(scratch, mark);
}

void ee_cer_parts(ee_str expected, ee_str candidate, ee_arena *scratch, size_t *edits, size_t *points) {
  ee_str x = ee_str_trim(expected), y = ee_str_trim(candidate);
  *edits = ee_levenshtein(x, y, EE_NO_LIMIT, scratch);
  *points = ee_utf8_count(x.data, x.length);
}
