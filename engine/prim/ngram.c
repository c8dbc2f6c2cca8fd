/* ngram.c: n-grams of two texts, counted; Dice, chrF and BLEU. */
#include "prim/ngram.h"

#include "base/hash_index.h"
#include "base/work.h"
#include "prim/normalize.h"
#include "prim/special.h"

/* Units of an n-gram that is looked up. */
#define LOOKUP_WORK 8

/* Counting ---------------------------------------------------------------------------------------- */

/* N-grams of one length as numbers: an n-gram is the number of its first n - 1 symbols, and its last symbol. */
typedef struct ngrams {
  ee_symbols text;
  uint32_t *numbers; /* of the n-gram that begins at each place */
  size_t count;
} ngrams;

static size_t count_of(size_t symbols, size_t n) { return symbols < n ? 0 : symbols - n + 1; }

/* Makes of n-grams of n - 1 those of n, and counts each in `counts`. `*kinds` different ones are known. */
static void lengthen(ngrams *grams, size_t n, ee_hash_index *index, size_t *kinds, uint32_t *counts) {
  grams->count = count_of(grams->text.count, n);
  for (size_t i = 0; i < grams->count; i++) {
    uint64_t first = n == 1 ? 0 : grams->numbers[i], key = first << 32 | grams->text.at[i + n - 1];
    uint64_t hash = ee_hash_mix(key); /* a bijection: equal hashes are equal n-grams */
    size_t at = 0, number;
    if (!ee_hash_index_next(index, hash, &at, &number)) {
      number = (*kinds)++;
      ee_hash_index_add(index, hash, number);
    }
    grams->numbers[i] = (uint32_t)number;
    counts[number]++;
  }
}

void ee_ngram_counts(ee_symbols expected, ee_symbols candidate, size_t order, ee_ngram_count *counts,
                     ee_arena *scratch) {
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  const size_t total = expected.count + candidate.count;
  ngrams x = {.text = expected, .numbers = ee_arena_alloc(scratch, expected.count * sizeof(uint32_t))};
  ngrams y = {.text = candidate, .numbers = ee_arena_alloc(scratch, candidate.count * sizeof(uint32_t))};
  uint32_t *of_x = ee_arena_alloc(scratch, total * sizeof *of_x), *of_y = ee_arena_alloc(scratch, total * sizeof *of_y);
  ee_hash_index index = {.arena = scratch};
  ee_hash_index_reserve(&index, total);
  bool is_open = true; /* where no n-gram is common, no longer one is */
  for (size_t n = 1; n <= order; n++) {
    ee_ngram_count *count = &counts[n - 1];
    *count = (ee_ngram_count){count_of(expected.count, n), count_of(candidate.count, n), 0};
    if (!is_open || count->expected == 0 || count->candidate == 0) continue;
    size_t kinds = 0;
    ee_work(LOOKUP_WORK * (uint64_t)total);
    ee_hash_index_clear(&index);
    memset(of_x, 0, total * sizeof *of_x);
    memset(of_y, 0, total * sizeof *of_y);
    lengthen(&x, n, &index, &kinds, of_x);
    lengthen(&y, n, &index, &kinds, of_y);
    for (size_t i = 0; i < kinds; i++) count->common += of_x[i] < of_y[i] ? of_x[i] : of_y[i];
    is_open = count->common > 0;
  }
  ee_arena_rewind(scratch, mark);
}

/* Dice -------------------------------------------------------------------------------------------- */

void ee_dice_parts(ee_str a, ee_str b, size_t n, ee_arena *scratch, size_t *parts, size_t *whole) {
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  ee_symbols x = ee_symbols_of(a, scratch), y = ee_symbols_of(b, scratch);
  size_t x_count = count_of(x.count, n), y_count = count_of(y.count, n), common = 0;
  if (x_count > 0 && y_count > 0) {
    ee_ngram_count counts[EE_NGRAM_LIMIT];
    ee_ngram_counts(x, y, n, counts, scratch);
    common = counts[n - 1].common;
  } else {
    x_count = x_count == 0 && x.count > 0 ? 1 : x_count;
    y_count = y_count == 0 && y.count > 0 ? 1 : y_count;
    common = x.count > 0 && ee_str_equal(a, b);
  }
  *parts = 2 * common;
  *whole = x_count + y_count;
  ee_arena_rewind(scratch, mark);
}

/* chrF -------------------------------------------------------------------------------------------- */

static ee_symbols without_space(ee_str text, ee_arena *scratch) {
  ee_symbols all = ee_symbols_of(text, scratch);
  uint32_t *kept = ee_arena_alloc(scratch, all.count * sizeof *kept);
  size_t count = 0;
  for (size_t i = 0; i < all.count; i++) {
    if (!ee_is_space(all.at[i])) kept[count++] = all.at[i];
  }
  return (ee_symbols){kept, count};
}

/* Words, with ASCII punctuation at the end of one apart from it, or else at its beginning; of "(hi)" the end only. */
static size_t chrf_words(ee_str text, ee_arena *scratch, ee_str **words) {
  ee_str *tokens;
  size_t count = ee_tokens(text, EE_WHITESPACE_TOKENS, scratch, &tokens), parted = 0;
  ee_str *list = ee_arena_alloc(scratch, 2 * count * sizeof *list);
  for (size_t i = 0; i < count; i++) {
    const ee_str word = tokens[i];
    const size_t last = word.length - 1;
    if (last > 0 && ee_is_ascii_punctuation(word.data[last])) {
      list[parted++] = (ee_str){word.data, last};
      list[parted++] = (ee_str){word.data + last, 1};
    } else if (last > 0 && ee_is_ascii_punctuation(word.data[0])) {
      list[parted++] = (ee_str){word.data, 1};
      list[parted++] = (ee_str){word.data + 1, last};
    } else {
      list[parted++] = word;
    }
  }
  *words = list;
  return parted;
}

void ee_chrf_count(ee_chrf *chrf, ee_str expected, ee_str candidate, ee_arena *scratch) {
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  ee_ngram_counts(without_space(expected, scratch), without_space(candidate, scratch), chrf->order, chrf->counts,
                  scratch);
  if (chrf->word_order > 0) {
    ee_str *x_words, *y_words;
    ee_symbols x, y;
    size_t x_count = chrf_words(expected, scratch, &x_words), y_count = chrf_words(candidate, scratch, &y_words);
    ee_number_tokens(x_words, x_count, y_words, y_count, scratch, &x, &y);
    ee_ngram_counts(x, y, chrf->word_order, chrf->counts + chrf->order, scratch);
  }
  for (size_t i = 0; i < chrf->order + chrf->word_order; i++) {
    if (chrf->counts[i].expected == 0) chrf->counts[i].candidate = 0;
  }
  ee_arena_rewind(scratch, mark);
}

bool ee_chrf_means(const ee_chrf *chrf, double *precision, double *recall) {
  size_t orders = 0;
  *precision = *recall = 0;
  for (size_t i = 0; i < chrf->order + chrf->word_order; i++) {
    const ee_ngram_count *count = &chrf->counts[i];
    if (count->expected == 0 || count->candidate == 0) continue;
    *precision += (double)count->common / (double)count->candidate;
    *recall += (double)count->common / (double)count->expected;
    orders++;
  }
  if (orders == 0) return false;
  *precision /= (double)orders;
  *recall /= (double)orders;
  return true;
}

double ee_chrf_score(const ee_chrf *chrf) {
  double precision, recall, factor = chrf->beta * chrf->beta;
  if (!ee_chrf_means(chrf, &precision, &recall) || precision + recall == 0) return 0;
  return (1 + factor) * precision * recall / (factor * precision + recall);
}

/* BLEU -------------------------------------------------------------------------------------------- */

void ee_bleu_count(ee_bleu *bleu, ee_str expected, ee_str candidate, ee_tokenizer tokenizer, ee_arena *scratch) {
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  ee_symbols x, y;
  ee_token_symbols(expected, candidate, tokenizer, scratch, &x, &y);
  bleu->expected = x.count;
  bleu->candidate = y.count;
  ee_ngram_counts(x, y, bleu->order, bleu->counts, scratch);
  ee_arena_rewind(scratch, mark);
}

void ee_bleu_parts_of(const ee_bleu *bleu, bool is_sentence, ee_bleu_parts *parts) {
  bool has_common = false;
  double smoothed = 1;
  for (size_t n = 0; n < bleu->order; n++) has_common = has_common || bleu->counts[n].common > 0;
  *parts = (ee_bleu_parts){.penalty = 1, .orders = has_common ? bleu->order : 0};
  if (bleu->candidate < bleu->expected)
    parts->penalty = bleu->candidate > 0 ? ee_exp(1 - (double)bleu->expected / (double)bleu->candidate) : 0;
  for (size_t n = 0; has_common && n < bleu->order; n++) {
    const ee_ngram_count *count = &bleu->counts[n];
    if (count->candidate == 0) break;
    if (is_sentence) parts->orders = n + 1;
    if (count->common == 0) smoothed *= 2;
    parts->precisions[n] = count->common == 0 ? 1 / (smoothed * (double)count->candidate)
                                              : (double)count->common / (double)count->candidate;
  }
}

double ee_bleu_score(const ee_bleu *bleu, bool is_sentence) {
  ee_bleu_parts parts;
  double sum = 0;
  ee_bleu_parts_of(bleu, is_sentence, &parts);
  if (parts.orders == 0) return 0;
  for (size_t n = 0; n < parts.orders; n++) {
    if (parts.precisions[n] == 0) return 0; /* a data set without an n-gram of that length */
    sum += ee_log(parts.precisions[n]);
  }
  return parts.penalty * ee_exp(sum / (double)parts.orders);
}
