/* fuzz_text.c: two texts through the distances, similarities, normal forms and slices of prim/.
 *
 * The first line is a list of normal forms (a byte each), the second a pattern and one text, the rest the other text.
 * Distances are those of a table of all prefixes; similarities are symmetric and in 0..1; normal forms give valid
 * UTF-8, and are reached in one step. */
#include "base/printable.h"
#include "fuzz/fuzz.h"
#include "prim/damerau.h"
#include "prim/edit.h"
#include "prim/normalize.h"
#include "prim/text_measure.h"
#include "prim/tokenizer.h"
#include "prim/unicode.h"

static size_t decode(ee_str text, uint32_t *points) {
  size_t count = 0;
  for (size_t at = 0; at < text.length; count++) at += ee_utf8_decode(text.data + at, text.length - at, &points[count]);
  return count;
}

/* The Levenshtein distance, and the length of the longest common subsequence, from their definitions. */
static void distances(ee_str a, ee_str b, ee_arena *arena, size_t *edits, size_t *common) {
  uint32_t *x = EE_NEW_ARRAY(arena, uint32_t, a.length + 1), *y = EE_NEW_ARRAY(arena, uint32_t, b.length + 1);
  size_t rows = decode(a, x), columns = decode(b, y);
  size_t *distance = EE_NEW_ARRAY(arena, size_t, (rows + 1) * (columns + 1));
  size_t *length = EE_NEW_ARRAY(arena, size_t, (rows + 1) * (columns + 1));
#define AT(i, j) ((i) * (columns + 1) + (j))
  for (size_t i = 0; i <= rows; i++)
    for (size_t j = 0; j <= columns; j++) {
      if (i == 0 || j == 0) {
        distance[AT(i, j)] = i + j;
        continue;
      }
      bool equal = x[i - 1] == y[j - 1];
      size_t best = distance[AT(i - 1, j - 1)] + !equal, longest = length[AT(i - 1, j)];
      if (distance[AT(i - 1, j)] + 1 < best) best = distance[AT(i - 1, j)] + 1;
      if (distance[AT(i, j - 1)] + 1 < best) best = distance[AT(i, j - 1)] + 1;
      if (length[AT(i, j - 1)] > longest) longest = length[AT(i, j - 1)];
      distance[AT(i, j)] = best;
      length[AT(i, j)] = equal ? length[AT(i - 1, j - 1)] + 1 : longest;
    }
  *edits = distance[AT(rows, columns)];
  *common = length[AT(rows, columns)];
#undef AT
}

static void check_distances(ee_str a, ee_str b, size_t limit, ee_arena *arena) {
  size_t edits, common;
  distances(a, b, arena, &edits, &common);
  fuzz_require(ee_levenshtein(a, b, EE_NO_LIMIT, arena) == edits && ee_levenshtein(b, a, EE_NO_LIMIT, arena) == edits);
  fuzz_require(ee_levenshtein(a, b, limit, arena) == (edits <= limit ? edits : limit + 1));
  fuzz_require(ee_lcs_length(a, b, arena) == common);
}

/* The distances with swaps of neighbours, and the number of places that differ, from their definitions. */
static void swap_distances(ee_str a, ee_str b, ee_arena *arena, size_t *osa, size_t *damerau, size_t *hamming) {
  uint32_t *x = EE_NEW_ARRAY(arena, uint32_t, a.length + 1), *y = EE_NEW_ARRAY(arena, uint32_t, b.length + 1);
  size_t rows = decode(a, x), columns = decode(b, y), *tables[2];
  *hamming = rows > columns ? rows - columns : columns - rows;
  for (size_t i = 0; i < rows && i < columns; i++) *hamming += x[i] != y[i];
#define AT(i, j) ((i) * (columns + 1) + (j))
  for (int free_swaps = 0; free_swaps < 2; free_swaps++) {
    size_t *d = tables[free_swaps] = EE_NEW_ARRAY(arena, size_t, (rows + 1) * (columns + 1));
    for (size_t i = 0; i <= rows; i++)
      for (size_t j = 0; j <= columns; j++) {
        if (i == 0 || j == 0) {
          d[AT(i, j)] = i + j;
          continue;
        }
        size_t best = d[AT(i - 1, j - 1)] + (x[i - 1] != y[j - 1]);
        if (d[AT(i - 1, j)] + 1 < best) best = d[AT(i - 1, j)] + 1;
        if (d[AT(i, j - 1)] + 1 < best) best = d[AT(i, j - 1)] + 1;
        /* x[k] ... x[i] is swapped with y[l] ... y[j]; what was between them costs 1 each. */
        for (size_t k = free_swaps ? 1 : i - 1; k > 0 && k < i; k++)
          for (size_t l = free_swaps ? 1 : j - 1; l > 0 && l < j; l++) {
            if (x[k - 1] != y[j - 1] || x[i - 1] != y[l - 1]) continue;
            size_t cost = d[AT(k - 1, l - 1)] + (i - k - 1) + 1 + (j - l - 1);
            if (cost < best) best = cost;
          }
        d[AT(i, j)] = best;
      }
  }
  *osa = tables[0][AT(rows, columns)];
  *damerau = tables[1][AT(rows, columns)];
#undef AT
}

static void check_swaps(ee_str a, ee_str b, ee_arena *arena) {
  size_t osa, damerau, hamming;
  if (a.length > 60 || b.length > 60) return; /* the twin takes the fourth power of it */
  swap_distances(a, b, arena, &osa, &damerau, &hamming);
  fuzz_require(ee_osa(a, b, arena) == osa && ee_osa(b, a, arena) == osa);
  fuzz_require(ee_damerau(a, b, arena) == damerau && ee_damerau(b, a, arena) == damerau);
  fuzz_require(ee_hamming(a, b) == hamming && ee_hamming(b, a) == hamming);
}

/* Tokens are not empty, and valid; those that are parts of the text are in its order. */
static void check_tokens(ee_str text, size_t n, ee_arena *arena) {
  for (int kind = EE_TOKEN_WHITESPACE; kind <= EE_TOKEN_INTL; kind++) {
    ee_str *tokens;
    const char *at = text.data;
    size_t count = ee_tokens(text, (ee_tokenizer){(ee_token_kind)kind, n}, arena, &tokens);
    for (size_t i = 0; i < count; i++) {
      fuzz_require(tokens[i].length > 0 && ee_utf8_valid_prefix(tokens[i].data, tokens[i].length) == tokens[i].length);
      bool part = tokens[i].data >= text.data && tokens[i].data < text.data + text.length;
      if (!part) continue;
      fuzz_require(tokens[i].data >= at && tokens[i].data + tokens[i].length <= text.data + text.length);
      at = tokens[i].data + (kind == EE_TOKEN_NGRAMS ? 1 : tokens[i].length);
    }
    ee_symbols x, y;
    ee_token_symbols(text, text, (ee_tokenizer){(ee_token_kind)kind, n}, arena, &x, &y);
    fuzz_require(x.count == count && y.count == count);
  }
}

static void check_similarities(ee_str a, ee_str b, fuzz_source choices, ee_arena *arena) {
  for (int algorithm = EE_LEVENSHTEIN; algorithm <= EE_CER; algorithm++) {
    ee_text_measure measure = ee_text_measure_of((ee_text_algorithm)algorithm);
    if (algorithm != EE_BLEU) measure.tokenizer.kind = (ee_token_kind)fuzz_below(&choices, EE_TOKEN_INTL + 1);
    measure.n = measure.tokenizer.n = 1 + fuzz_below(&choices, EE_NGRAM_LIMIT);
    measure.word_order = fuzz_below(&choices, 4);
    ee_text_score score = ee_text_measure_score(&measure, a, b, arena);
    ee_text_score back = ee_text_measure_score(&measure, b, a, arena);
    bool has_sides = algorithm == EE_CHRF || algorithm == EE_BLEU || algorithm == EE_WER || algorithm == EE_CER;
    fuzz_require(score.value >= 0 && score.value <= 1 && (has_sides || score.value == back.value));
    fuzz_require(!score.is_ratio || score.parts <= score.whole);
    fuzz_require(ee_text_measure_score(&measure, a, a, arena).value == 1);
    double matrix[4];
    const ee_str pair[] = {a, b};
    ee_text_measure_matrix(&measure, pair, 2, pair, 2, matrix, arena);
    fuzz_require(matrix[0] == 1 && matrix[1] == score.value && matrix[2] == back.value && matrix[3] == 1);
  }
  fuzz_require(ee_winkler_prefix(a, b) <= 4);
}

static void check_forms(ee_str text, ee_str list, ee_arena *arena) {
  uint8_t forms[8];
  size_t count = 0;
  for (; count < list.length && count < sizeof forms; count++)
    forms[count] = (uint8_t)((uint8_t)list.data[count] % EE_NORMAL_COUNT);
  ee_str normal = ee_normalize(text, forms, count, arena);
  fuzz_require(ee_utf8_valid_prefix(normal.data, normal.length) == normal.length);
  for (uint8_t form = 0; form < EE_NORMAL_COUNT; form++) {
    ee_str once = ee_normalize(text, &form, 1, arena), twice = ee_normalize(once, &form, 1, arena);
    fuzz_require(ee_utf8_valid_prefix(once.data, once.length) == once.length);
    fuzz_require(ee_str_equal(once, twice));
  }
  ee_str nfc = ee_nfc(text, arena);
  fuzz_require(ee_str_equal(nfc, ee_nfc(nfc, arena)));
}

static void check_slices(ee_str text, fuzz_source choices, ee_arena *arena) {
  for (int unit = EE_UNIT_UTF16; unit <= EE_UNIT_UTF8; unit++) {
    ee_unit_index index;
    ee_unit_index_build(&index, arena, text, (ee_text_unit)unit);
    uint64_t start = fuzz_below(&choices, (size_t)index.length + 1);
    uint64_t end = start + fuzz_below(&choices, (size_t)(index.length - start) + 1);
    ee_unit_slice slice = ee_unit_index_slice(&index, start, end);
    fuzz_require(slice.text.length <= text.length);
    fuzz_require(ee_utf8_valid_prefix(slice.text.data, slice.text.length) == slice.text.length);
    if (!slice.cuts_start && slice.text.length > 0)
      fuzz_require(ee_unit_index_of_byte(&index, (size_t)(slice.text.data - text.data)) == start);
    fuzz_require(ee_unit_index_of_byte(&index, text.length) == index.length);
  }
}

static void check_printing(ee_str text, size_t columns, ee_arena *arena) {
  ee_str printable = ee_text_printable(text, arena);
  for (size_t at = 0; at < printable.length;) {
    uint32_t point;
    size_t length = ee_utf8_decode(printable.data + at, printable.length - at, &point);
    fuzz_require(length > 0 && !ee_is_harmful(point));
    at += length;
  }
  fuzz_require(ee_text_width(ee_text_shorten(printable, columns, arena)) <= columns);
  fuzz_require(ee_str_trim(text).length <= text.length);
}

static int ee_fuzz_one(const uint8_t *data, size_t size) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  fuzz_source source = fuzz_source_of(data, size);
  size_t number = fuzz_byte(&source);
  ee_str list = fuzz_line(&source), a = fuzz_utf8(fuzz_line(&source)), b = fuzz_utf8(fuzz_rest(&source));
  check_distances(a, b, number % 40, &arena);
  check_swaps(a, b, &arena);
  check_tokens(b, 1 + number % 5, &arena);
  check_similarities(a, b, fuzz_source_of(data, size), &arena);
  check_forms(b, list, &arena);
  check_slices(b, fuzz_source_of(data, size), &arena);
  check_printing(b, number % 60 + 1, &arena);
  (void)ee_glob_match(ee_arena_copy(&arena, a.data, a.length), b);
  ee_arena_fini(&arena);
  return 0;
}

EE_FUZZ_TARGET(600)
