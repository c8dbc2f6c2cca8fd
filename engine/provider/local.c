/* local.c: similarity by words, without a model or a network.
 *
 * Soft Dice: 2 * sum / (n + m) over the best one-to-one pairing of the n words of one text with the m words of the
 * other. Equal words count 1, other words their Jaro-Winkler similarity if it is at least 0.9, unequal numbers nothing.
 * The pairing is always optimal; texts with too many similar words get no answer.
 *
 * The result is bit-identical for every order of the words and of the two texts: Jaro-Winkler is symmetric, and a
 * similarity of 0.9 to 1 is a multiple of 2^-60, so that the sum is exact and the same for all optimal pairings. */
#include <string.h>

#include "base/fixed.h"
#include "base/list.h"
#include "base/memory.h"
#include "prim/assign.h"
#include "prim/edit.h"
#include "prim/normalize.h"
#include "prim/number.h"
#include "prim/sort.h"
#include "provider/local_words.h"
#include "provider/provider.h"

/* The minimum similarity of two words that counts. */
#define ALIKE 0.9

/* Bounds of the work for two texts, each some tenths of a second: candidate pairs of words, letters compared, pairs of
 * similar words, and steps of the search for the best pairing. Texts of 10,000 different words each stay below them
 * unless very many words are similar. */
#define MAX_CANDIDATES UINT64_C(120000000)
#define MAX_LETTERS UINT64_C(40000000)
enum { MAX_PAIRS = 400000 };
#define MAX_STEPS UINT64_C(60000000)

/* A word of either text, or of both. */
typedef struct entry {
  ee_word word;
  uint32_t copies[2]; /* in the expected and the candidate text */
} entry;

/* A summary of a word that rules out most pairs without a comparison. */
typedef struct summary {
  uint64_t letters; /* a bit for each letter (code point modulo 64) */
  uint64_t prefix;  /* the first four code points, modulo 2^16, the first in the lowest bits */
  uint64_t hash;
  uint32_t length; /* in code points */
  uint32_t index;  /* of the entry */
} summary;

/* The distinct words of one text without numbers, sorted by length. */
typedef struct word_side {
  summary *words;
  size_t count;
} word_side;

/* In the scratch arena. */
typedef struct pair_list {
  EE_LIST(ee_pair);
  ee_arena *scratch;
} pair_list;

typedef struct local_session {
  ee_provider_session base;
  ee_word_reader *reader;
} local_session;

typedef struct local_provider {
  ee_provider base;
  ee_str language;
} local_provider;

/* Distinct words ---------------------------------------------------------------------------- */

/* Fills `entries` with the distinct words of both texts; returns their number. */
static size_t collect(const ee_word *words[2], const size_t counts[2], ee_arena *scratch, entry *entries) {
  size_t slots = 16, count = 0;
  while (slots < 2 * (counts[0] + counts[1])) slots *= 2;
  uint32_t *table = EE_NEW_ARRAY(scratch, uint32_t, slots); /* index + 1 */
  for (int text = 0; text < 2; text++) {
    for (size_t i = 0; i < counts[text]; i++) {
      const ee_word *word = &words[text][i];
      size_t at = word->hash & (slots - 1);
      for (; table[at] != 0; at = (at + 1) & (slots - 1)) {
        const ee_word *other = &entries[table[at] - 1].word;
        /* unreached: two words of one hash */
        if (other->hash == word->hash && other->is_number == word->is_number && ee_str_equal(other->text, word->text))
          break;
      }
      if (table[at] == 0) {
        entries[count] = (entry){*word, {0, 0}};
        table[at] = (uint32_t)++count;
      }
      entries[table[at] - 1].copies[text]++;
    }
  }
  return count;
}

/* Similar words ------------------------------------------------------------------------------- */

static summary summarize(ee_word word, uint32_t index) {
  summary seen = {.hash = word.hash, .index = index};
  for (size_t at = 0; at < word.text.length;) {
    uint32_t letter = (unsigned char)word.text.data[at];
    size_t bytes = letter < 0x80 ? 1 : ee_utf8_decode(word.text.data + at, word.text.length - at, &letter);
    at += bytes > 0 ? bytes : 1;
    seen.letters |= UINT64_C(1) << (letter & 63);
    if (seen.length < 4) seen.prefix |= (uint64_t)(letter & 0xffff) << 16 * seen.length;
    seen.length++;
  }
  return seen;
}

static bool is_before(const summary *a, const summary *b) {
  return a->length != b->length ? a->length < b->length : a->hash < b->hash;
}

EE_DEFINE_SORT(sort_summaries, summary, is_before)

static word_side side_of(const entry *entries, size_t count, int text, ee_arena *scratch) {
  word_side result = {ee_arena_alloc(scratch, count * sizeof(summary)), 0};
  for (size_t i = 0; i < count; i++) {
    if (entries[i].copies[text] > 0 && !entries[i].word.is_number)
      result.words[result.count++] = summarize(entries[i].word, (uint32_t)i);
  }
  /* An order that does not depend on the order of the texts, so that the bounds do not either. */
  sort_summaries(result.words, result.count, scratch);
  return result;
}

static size_t bits_of(uint64_t bits) { return (size_t)__builtin_popcountll(bits); }

/* By the length 0..4 of the common prefix p: two words of a and b letters, m of which match, can only be similar if
 * m/a + m/b reaches this. Jaro is at most (m/a + m/b + 1) / 3, because transpositions lower it, and Jaro + p/10 *
 * (1 - Jaro) rises with Jaro, so 0.9 needs 3 * (0.9 - p/10) / (1 - p/10) - 1. These are the exact fractions; the code
 * lowers them by 10^-9, which is far more than the rounding errors. */
static const double min_share[5] = {17.0 / 10, 5.0 / 3, 13.0 / 8, 11.0 / 7, 3.0 / 2};
static double min_matches(uint32_t a, uint32_t b, size_t prefix) {
  return min_share[prefix] * (1 - 1e-9) * (double)a * (double)b / ((double)a + (double)b);
}

/* False only if two different words cannot be similar. If x of the a letters of a word do not occur in the other one,
 * at most a - x letters match. Letters that share a bit can only raise that bound. */
static bool can_be_similar(const summary *a, const summary *b) {
  uint64_t differs = a->prefix ^ b->prefix;
  size_t prefix = differs == 0 ? 4 : (size_t)__builtin_ctzll(differs) / 16;
  size_t in_a = a->length - bits_of(a->letters & ~b->letters), in_b = b->length - bits_of(b->letters & ~a->letters);
  return (double)(in_a < in_b ? in_a : in_b) >= min_matches(a->length, b->length, prefix);
}

/* If more kinds of letters than this occur in only one of two words of these lengths, can_be_similar() is false, even
 * with the longest prefix: the sum of both words' matches is less than twice the minimum. May be negative. */
static double max_different(uint32_t a, uint32_t b) { return (double)a + (double)b - 2 * min_matches(a, b, 4); }

static bool add_pair(pair_list *list, uint32_t row, uint32_t column, double similarity) {
  if (list->count == MAX_PAIRS) return false;
  *EE_LIST_ADD(list, list->scratch) = (ee_pair){.row = row, .column = column, .similarity = similarity};
  return true;
}

/* Two similar words differ at most by a factor of 2 in length: even with the longest prefix, m/a + m/b must be 3/2.
 * Returns the first word of `other` at or after `from` that is long enough; both sides ascend. */
static size_t first_partner(const word_side *other, size_t from, uint32_t length) {
  while (from < other->count && 2 * (uint64_t)other->words[from].length < length) from++;
  return from;
}

static size_t end_of_partners(const word_side *other, size_t from, uint32_t length) {
  while (from < other->count && other->words[from].length <= 2 * (uint64_t)length) from++;
  return from;
}

static bool has_too_many_candidates(const word_side *rows, const word_side *columns) {
  size_t first = 0, end = 0;
  uint64_t candidates = 0;
  for (size_t r = 0; r < rows->count; r++) {
    first = first_partner(columns, first, rows->words[r].length);
    end = end_of_partners(columns, end, rows->words[r].length);
    candidates += end - first;
  }
  return candidates > MAX_CANDIDATES;
}

/* In letters. Short ASCII words are compared in registers, others need a table first. */
static uint64_t cost_of_comparing(ee_str a, uint32_t a_length, ee_str b, uint32_t b_length) {
  bool is_short = a.length <= 64 && b.length <= 64 && a.length == a_length && b.length == b_length;
  return (is_short ? 4 : 32) + (uint64_t)a_length + b_length;
}

/* Lists all pairs of similar words; false when that exceeds a bound. */
static bool list_pairs(const entry *entries, const word_side *rows, const word_side *columns, pair_list *list) {
  if (has_too_many_candidates(rows, columns)) return false;
  uint64_t letters = 0;
  size_t first = 0;
  for (uint32_t r = 0; r < rows->count; r++) {
    const summary *row = &rows->words[r];
    double allowed = 0;
    uint32_t length = 0; /* of the columns that `allowed` is for */
    first = first_partner(columns, first, row->length);
    for (uint32_t c = (uint32_t)first; c < columns->count && columns->words[c].length <= 2 * (uint64_t)row->length;
         c++) {
      const summary *column = &columns->words[c];
      if (column->length != length) {
        length = column->length;
        allowed = max_different(row->length, length);
      }
      if ((double)bits_of(row->letters ^ column->letters) > allowed) continue;
      double similarity = 1;
      if (row->index != column->index) {
        if (!can_be_similar(row, column)) continue;
        ee_str a = entries[row->index].word.text, b = entries[column->index].word.text;
        letters += cost_of_comparing(a, row->length, b, column->length);
        if (letters > MAX_LETTERS) return false;
        similarity = ee_jaro_winkler(a, b, list->scratch);
        if (!ee_score_reaches(similarity, ALIKE)) continue;
      }
      if (!add_pair(list, r, c, similarity)) return false;
    }
  }
  return true;
}

/* The best pairing ----------------------------------------------------------------------------- */

static uint32_t *copies_of(const entry *entries, const word_side *words, int text, ee_arena *scratch) {
  uint32_t *copies = ee_arena_alloc(scratch, words->count * sizeof *copies);
  for (size_t i = 0; i < words->count; i++) copies[i] = entries[words->words[i].index].copies[text];
  return copies;
}

static void add_times(ee_fixed *sum, double similarity, uint32_t times) {
  ee_fixed term = ee_fixed_from(similarity);
  term.units *= times;
  ee_fixed_add(sum, term);
}

static uint32_t min_u32(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* Adds the total of the best pairing of the listed pairs; false when it takes too many steps. Pairs whose words are in
 * no other pair, which most are, need no search. */
static bool add_best_pairing(const entry *entries, const word_side *rows, const word_side *columns, pair_list *list,
                             ee_fixed *sum) {
  ee_arena *scratch = list->scratch;
  uint32_t *row_pairs = EE_NEW_ARRAY(scratch, uint32_t, rows->count);
  uint32_t *column_pairs = EE_NEW_ARRAY(scratch, uint32_t, columns->count);
  for (size_t i = 0; i < list->count; i++) {
    row_pairs[list->items[i].row]++;
    column_pairs[list->items[i].column]++;
  }
  const uint32_t *row_copies = copies_of(entries, rows, 0, scratch);
  const uint32_t *column_copies = copies_of(entries, columns, 1, scratch);
  size_t rest = 0;
  for (size_t i = 0; i < list->count; i++) {
    const ee_pair *pair = &list->items[i];
    if (row_pairs[pair->row] == 1 && column_pairs[pair->column] == 1) {
      add_times(sum, pair->similarity, min_u32(row_copies[pair->row], column_copies[pair->column]));
    } else {
      list->items[rest++] = *pair;
    }
  }
  if (rest == 0) return true;
  uint32_t *times = ee_arena_alloc(scratch, rest * sizeof *times);
  size_t taken = ee_optimal_match_copies(list->items, rest, row_copies, rows->count, column_copies, columns->count,
                                         times, MAX_STEPS, scratch);
  if (taken == SIZE_MAX) return false;
  for (size_t i = 0; i < taken; i++) add_times(sum, list->items[i].similarity, times[i]);
  return true;
}

/* Soft Dice of two lists of words, both not empty; false when they exceed a bound. 0..1, because no word is paired
 * twice. */
static bool soft_dice(const ee_word *words[2], const size_t counts[2], ee_arena *scratch, double *similarity) {
  entry *entries = ee_arena_alloc(scratch, (counts[0] + counts[1]) * sizeof *entries);
  size_t count = collect(words, counts, scratch, entries);
  ee_fixed sum = {0};
  for (size_t i = 0; i < count; i++) {
    if (entries[i].word.is_number) add_times(&sum, 1, min_u32(entries[i].copies[0], entries[i].copies[1]));
  }
  word_side rows = side_of(entries, count, 0, scratch), columns = side_of(entries, count, 1, scratch);
  pair_list list = {.scratch = scratch};
  EE_LIST_RESERVE(&list, scratch, min_u32((uint32_t)rows.count, (uint32_t)columns.count) + 8);
  if (!list_pairs(entries, &rows, &columns, &list)) return false;
  if (!add_best_pairing(entries, &rows, &columns, &list, &sum)) return false;
  sum.units *= 2;
  *similarity = ee_fixed_mean(sum, counts[0] + counts[1]);
  return true;
}

/* The provider --------------------------------------------------------------------------------- */

static bool is_same_text(ee_str a, ee_str b, ee_arena *scratch) {
  static const uint8_t forms[] = {EE_NORMAL_TRIM, EE_NORMAL_NFKC, EE_NORMAL_CASEFOLD};
  return ee_str_equal(ee_normalize(a, forms, sizeof forms, scratch), ee_normalize(b, forms, sizeof forms, scratch));
}

static void local_similarity(ee_provider_session *base, ee_str expected, ee_str candidate, ee_arena *scratch,
                             ee_answer *answer) {
  ee_word_reader *reader = ((local_session *)base)->reader;
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  const ee_str texts[2] = {expected, candidate};
  const ee_word *words[2];
  size_t counts[2] = {0, 0};
  for (int keep_stop_words = 0; keep_stop_words < 2 && (counts[0] == 0 || counts[1] == 0); keep_stop_words++) {
    for (int text = 0; text < 2; text++) {
      ee_word *read;
      counts[text] = ee_words_read(reader, texts[text], keep_stop_words, scratch, &read);
      words[text] = read;
    }
  }
  *answer = (ee_answer){.state = EE_ANSWER_GIVEN};
  if (counts[0] == 0 || counts[1] == 0) {
    answer->similarity = is_same_text(expected, candidate, scratch) ? 1 : 0;
  } else if (!soft_dice(words, counts, scratch, &answer->similarity)) {
    *answer = (ee_answer){.state = EE_ANSWER_FAILED, .text = EE_STR("too many similar words to pair")};
  }
  ee_arena_rewind(scratch, mark);
}

static ee_provider_session *local_open(ee_provider *provider, ee_error *error) {
  ee_word_reader *reader = ee_word_reader_new(((local_provider *)provider)->language, error);
  if (reader == NULL) return NULL;
  local_session *session = ee_calloc(1, sizeof *session);
  *session = (local_session){{provider->vtable}, reader};
  return &session->base;
}

static void local_close(ee_provider_session *base) {
  local_session *session = (local_session *)base;
  ee_word_reader_free(session->reader);
  ee_free(session);
}

static void local_free(ee_provider *base) {
  local_provider *provider = (local_provider *)base;
  ee_free((char *)(uintptr_t)provider->language.data);
  ee_free(provider);
}

static const ee_provider_vtable local_vtable = {
    .name = "local", .free = local_free, .open = local_open, .close = local_close, .similarity = local_similarity};

ee_provider *ee_local_provider_open(const ee_provider_settings *settings, ee_error *error) {
  ee_str language = settings->language.length > 0 ? settings->language : EE_STR("english");
  /* Checks the language only: each session has its own reader. */
  ee_word_reader *reader = ee_word_reader_new(language, error);
  if (reader == NULL) return NULL;
  ee_word_reader_free(reader);
  local_provider *provider = ee_calloc(1, sizeof *provider);
  char *name = ee_malloc(language.length);
  memcpy(name, language.data, language.length);
  *provider = (local_provider){{.vtable = &local_vtable}, {name, language.length}};
  return &provider->base;
}
