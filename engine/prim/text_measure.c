/* text_measure.c: similarities of texts by name. */
#include "prim/text_measure.h"

#include "base/work.h"
#include "prim/damerau.h"
#include "prim/edit.h"
#include "prim/edit_many.h"
#include "prim/token.h"

static ee_token_kind default_tokenizer(ee_text_algorithm algorithm) {
  if (algorithm == EE_BLEU) return EE_TOKEN_13A;
  return algorithm == EE_ROUGE_L ? EE_TOKEN_ROUGE : EE_TOKEN_WHITESPACE;
}

ee_text_measure ee_text_measure_of(ee_text_algorithm algorithm) {
  return (ee_text_measure){.algorithm = algorithm,
                           .tokenizer = {default_tokenizer(algorithm), 2},
                           .n = algorithm == EE_CHRF   ? 6
                                : algorithm == EE_BLEU ? 4
                                                       : 2,
                           .beta = 2};
}

unsigned ee_text_measure_options(ee_text_algorithm algorithm, ee_token_kind tokenizer) {
  switch (algorithm) {
  case EE_TOKEN_SORT:
  case EE_TOKEN_SET:
  case EE_TOKEN_F1:
  case EE_PARTIAL_TOKEN_SORT:
  case EE_PARTIAL_TOKEN_SET:
  case EE_ROUGE_L:
  case EE_WER: return EE_MEASURE_TOKENIZER | (tokenizer == EE_TOKEN_NGRAMS ? (unsigned)EE_MEASURE_N : 0);
  case EE_BLEU: return EE_MEASURE_TOKENIZER | EE_MEASURE_N;
  case EE_DICE: return EE_MEASURE_N;
  case EE_CHRF: return EE_MEASURE_N | EE_MEASURE_WORD_ORDER | EE_MEASURE_BETA;
  default: return 0;
  }
}

static ee_text_score ratio_of(size_t parts, size_t whole) {
  if (parts > whole) parts = whole; /* lengths of what is not UTF-8 */
  return (ee_text_score){whole == 0 ? 1 : (double)parts / (double)whole, true, parts, whole};
}

static ee_text_score plain(double value) { return (ee_text_score){.value = value}; }

/* 1 - distance / longer length. */
static ee_text_score closeness(size_t distance, ee_str a, ee_str b) {
  size_t a_count = ee_utf8_count(a.data, a.length), b_count = ee_utf8_count(b.data, b.length);
  size_t longer = a_count > b_count ? a_count : b_count;
  return ratio_of(distance < longer ? longer - distance : 0, longer);
}

/* max(0, 1 - edits / expected). */
static ee_text_score accuracy(size_t edits, size_t expected) {
  return ratio_of(edits < expected ? expected - edits : 0, expected > 0 ? expected : edits);
}

static ee_text_score partial(ee_str a, ee_str b, ee_arena *scratch) {
  ee_part best = ee_best_part(a, b, scratch);
  if (best.whole == 0) return ratio_of(0, a.length + b.length);
  return ratio_of(2 * best.common, best.whole + best.length);
}

static ee_text_score ratio(ee_str a, ee_str b, ee_arena *scratch) {
  return ratio_of(2 * ee_lcs_length(a, b, scratch), ee_utf8_count(a.data, a.length) + ee_utf8_count(b.data, b.length));
}

static ee_text_score of_sorted(const ee_text_measure *measure, ee_str a, ee_str b, ee_arena *scratch) {
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  ee_str x = ee_token_sorted(a, measure->tokenizer, scratch), y = ee_token_sorted(b, measure->tokenizer, scratch);
  ee_text_score score = measure->algorithm == EE_TOKEN_SORT ? ratio(x, y, scratch) : partial(x, y, scratch);
  ee_arena_rewind(scratch, mark);
  return score;
}

static ee_text_score partial_token_set(const ee_text_measure *measure, ee_str a, ee_str b, ee_arena *scratch) {
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  ee_str x, y;
  int decided = ee_token_set_rests(a, b, measure->tokenizer, scratch, &x, &y);
  ee_text_score score = decided >= 0 ? ratio_of((size_t)decided, 1) : partial(x, y, scratch);
  ee_arena_rewind(scratch, mark);
  return score;
}

static ee_text_score chrf(const ee_text_measure *measure, ee_str expected, ee_str candidate, ee_arena *scratch) {
  ee_chrf chrf = {.order = measure->n, .word_order = measure->word_order, .beta = measure->beta};
  if (ee_str_is_blank(expected) && ee_str_is_blank(candidate)) return plain(1);
  ee_chrf_count(&chrf, expected, candidate, scratch);
  return plain(ee_chrf_score(&chrf));
}

static ee_text_score bleu(const ee_text_measure *measure, ee_str expected, ee_str candidate, ee_arena *scratch) {
  ee_bleu bleu = {.order = measure->n};
  ee_bleu_count(&bleu, expected, candidate, measure->tokenizer, scratch);
  return plain(bleu.expected + bleu.candidate == 0 ? 1 : ee_bleu_score(&bleu, true));
}

ee_text_score ee_text_measure_score(const ee_text_measure *measure, ee_str a, ee_str b, ee_arena *scratch) {
  const ee_tokenizer tokenizer = measure->tokenizer;
  size_t parts, whole;
  switch (measure->algorithm) { /* unreached: all are listed */
  case EE_LEVENSHTEIN: return closeness(ee_levenshtein(a, b, EE_NO_LIMIT, scratch), a, b);
  case EE_JARO_WINKLER: return plain(ee_jaro_winkler(a, b, scratch));
  case EE_TOKEN_SORT:
  case EE_PARTIAL_TOKEN_SORT: return of_sorted(measure, a, b, scratch);
  case EE_TOKEN_SET: return plain(ee_token_set(a, b, tokenizer, scratch));
  case EE_TOKEN_F1: ee_token_f1_parts(a, b, tokenizer, scratch, &parts, &whole); return ratio_of(parts, whole);
  case EE_RATIO: return ratio(a, b, scratch);
  case EE_PARTIAL_RATIO: return partial(a, b, scratch);
  case EE_PARTIAL_TOKEN_SET: return partial_token_set(measure, a, b, scratch);
  case EE_DAMERAU: return closeness(ee_damerau(a, b, scratch), a, b);
  case EE_OSA: return closeness(ee_osa(a, b, scratch), a, b);
  case EE_HAMMING: return closeness(ee_hamming(a, b), a, b);
  case EE_LCS: {
    ee_text_score longer = closeness(0, a, b);
    return ratio_of(ee_lcs_length(a, b, scratch), longer.whole);
  }
  case EE_DICE: ee_dice_parts(a, b, measure->n, scratch, &parts, &whole); return ratio_of(parts, whole);
  case EE_CHRF: return chrf(measure, a, b, scratch);
  case EE_BLEU: return bleu(measure, a, b, scratch);
  case EE_ROUGE_L: ee_rouge_l_parts(a, b, tokenizer, scratch, &parts, &whole); return ratio_of(parts, whole);
  case EE_WER: ee_wer_parts(a, b, tokenizer, scratch, &parts, &whole); return accuracy(parts, whole);
  case EE_CER: ee_cer_parts(a, b, scratch, &parts, &whole); return accuracy(parts, whole);
  }
  return plain(0); /* unreached: all are listed */
}

/* Matrix ------------------------------------------------------------------------------------------ */

static const ee_edit_text **prepare(const ee_str *texts, size_t count, ee_arena *scratch) {
  const ee_edit_text **prepared = ee_arena_alloc(scratch, count * sizeof *prepared);
  for (size_t i = 0; i < count; i++) {
    ee_edit_text *text = ee_arena_alloc(scratch, sizeof *text);
    ee_edit_text_init(text, texts[i], scratch);
    prepared[i] = text;
  }
  return prepared;
}

/* Each expected text against a batch of candidate texts in one go. */
static void fill_levenshtein(const ee_str *expected, size_t rows, const ee_str *candidate, size_t columns,
                             double *matrix, ee_arena *scratch) {
  const ee_edit_text **x = prepare(expected, rows, scratch), **y = prepare(candidate, columns, scratch);
  for (size_t first = 0; first < columns; first += EE_EDIT_BATCH) {
    const size_t count = columns - first < EE_EDIT_BATCH ? columns - first : EE_EDIT_BATCH;
    ee_arena_mark mark = ee_arena_get_mark(scratch);
    ee_edit_batch batch;
    size_t distances[EE_EDIT_BATCH];
    ee_edit_batch_init(&batch, y + first, count, scratch);
    for (size_t i = 0; i < rows; i++) {
      ee_work(count + x[i]->length);
      ee_edit_batch_distances(&batch, x[i], NULL, distances, scratch);
      for (size_t k = 0; k < count; k++) {
        const size_t length = y[first + k]->length, longer = x[i]->length > length ? x[i]->length : length;
        matrix[i * columns + first + k] = ee_edit_similarity(distances[k], longer);
      }
    }
    ee_arena_rewind(scratch, mark);
  }
}

void ee_text_measure_matrix(const ee_text_measure *measure, const ee_str *expected, size_t rows,
                            const ee_str *candidate, size_t columns, double *matrix, ee_arena *scratch) {
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  if (measure->algorithm == EE_LEVENSHTEIN) {
    fill_levenshtein(expected, rows, candidate, columns, matrix, scratch);
  } else {
    for (size_t i = 0; i < rows; i++) {
      for (size_t k = 0; k < columns; k++) {
        ee_work(expected[i].length + candidate[k].length + 1);
        matrix[i * columns + k] = ee_text_measure_score(measure, expected[i], candidate[k], scratch).value;
      }
    }
  }
  ee_arena_rewind(scratch, mark);
}
