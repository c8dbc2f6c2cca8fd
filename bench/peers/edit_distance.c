/* edit_distance.c: this program's edit distances and those of rapidfuzz-cpp by turns, nanoseconds a pair; the results
 * are compared. The texts have the frequencies of letters of a language, so that unlike ones have most letters in
 * common. A similar text has an edit for about eleven letters. */
#include "edit_distance.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/hash_index.h"
#include "prim/edit.h"
#include "prim/edit_many.h"

enum { ROUNDS = 9, SIDE = 20 };
#define THRESHOLD 0.8
#define ROUND_NS 2e6

static uint64_t state = 42;
static size_t below(size_t limit) { return (size_t)(ee_hash_mix(state += UINT64_C(0x9e3779b97f4a7c15)) % limit); }

static double now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Texts ------------------------------------------------------------------------------------------- */

typedef struct alphabet {
  const char *name, *letters; /* repeated by frequency */
  size_t letter_bytes;
} alphabet;

static const alphabet alphabets[] = {
    {"ASCII", "      eeeeeeeeetttttttaaaaaaooooooiiiiiinnnnnnsssssrrrrrhhhhhllllddddccuuummmffppggwwyybbvkxjqz", 1},
    {"Greek",
     "αααααααααααοοοοοοοοοιιιιιιιιιεεεεεεεεττττττττσσσσσσνννννννηηηηηυυυυυρρρρρπππκκκκμμμλλλςςωωδδγγχθφάάίίόόέέήύώβξζψ",
     2},
};

static uint32_t random_point(const alphabet *letters) {
  if (letters->letter_bytes > 1 && below(7) == 0) return ' ';
  const unsigned char *at = (const unsigned char *)letters->letters +
                            below(strlen(letters->letters) / letters->letter_bytes) * letters->letter_bytes;
  return letters->letter_bytes == 1 ? at[0] : (at[0] & 31u) << 6 | (at[1] & 63u);
}

static peer_text text_of(const uint32_t *points, size_t count) {
  peer_text text = {.count = count};
  char *bytes = malloc(2 * count + 1);
  uint32_t *copy = malloc(count * sizeof *copy + 1);
  memcpy(copy, points, count * sizeof *copy);
  for (size_t i = 0; i < count; i++) {
    if (points[i] >= 128) {
      text.points = copy;
      bytes[text.byte_count++] = (char)(0xc0 | points[i] >> 6);
      bytes[text.byte_count++] = (char)(0x80 | (points[i] & 63));
    } else {
      bytes[text.byte_count++] = (char)points[i];
    }
  }
  if (text.points == NULL) free(copy);
  text.bytes = bytes;
  return text;
}

static void free_texts(const peer_text *texts, size_t count) {
  for (size_t i = 0; i < count; i++) {
    free((void *)(uintptr_t)texts[i].bytes);
    free((void *)(uintptr_t)texts[i].points);
  }
}

/* `from` (at least 5) to `to` letters; with `other` a text like it, else one of its own. */
static peer_text random_text(const alphabet *letters, size_t from, size_t to, const peer_text *other) {
  static uint32_t points[4096];
  size_t count = 0;
  if (other == NULL) {
    size_t length = from + below(to - from + 1);
    while (count < length) points[count++] = random_point(letters);
    return text_of(points, count);
  }
  for (size_t i = 0; i < other->count && count + 2 < to; i++) {
    uint32_t point = other->points != NULL ? other->points[i] : (unsigned char)other->bytes[i];
    switch (below(33)) {
    case 0: points[count++] = random_point(letters); break;
    case 1:
      points[count++] = point;
      points[count++] = random_point(letters);
      break;
    case 2: break;
    default: points[count++] = point;
    }
  }
  while (count < from) points[count++] = random_point(letters);
  return text_of(points, count);
}

/* Ours -------------------------------------------------------------------------------------------- */

static ee_arena arena;
static ee_str str_of(peer_text text) { return (ee_str){text.bytes, text.byte_count}; }

static void our_pairs(peer_metric metric, const peer_text *a, const peer_text *b, size_t count, const size_t *limits,
                      double *results) {
  for (size_t i = 0; i < count; i++) {
    ee_str x = str_of(a[i]), y = str_of(b[i]);
    results[i] = metric == PEER_LEVENSHTEIN
                     ? (double)ee_levenshtein(x, y, limits != NULL ? limits[i] : EE_NO_LIMIT, &arena)
                     : ee_jaro_winkler(x, y, &arena);
  }
}

/* As line items are paired: every text is prepared once. */
static void our_matrix(peer_metric metric, const peer_text *a, size_t rows, const peer_text *b, size_t columns,
                       const size_t *limits, double *results) {
  if (metric == PEER_JARO_WINKLER) {
    for (size_t i = 0; i < rows; i++)
      for (size_t j = 0; j < columns; j++) our_pairs(metric, &a[i], &b[j], 1, NULL, &results[i * columns + j]);
    return;
  }
  ee_arena_mark mark = ee_arena_get_mark(&arena);
  ee_edit_text texts[SIDE];
  const ee_edit_text *list[SIDE];
  for (size_t j = 0; j < columns; j++) {
    ee_edit_text_init(&texts[j], str_of(b[j]), &arena);
    list[j] = &texts[j];
  }
  ee_edit_batch batch;
  ee_edit_batch_init(&batch, list, columns, &arena);
  for (size_t i = 0; i < rows; i++) {
    ee_edit_text text;
    size_t distances[SIDE];
    ee_edit_text_init(&text, str_of(a[i]), &arena);
    ee_edit_batch_distances(&batch, &text, limits != NULL ? limits + i * columns : NULL, distances, &arena);
    for (size_t j = 0; j < columns; j++) results[i * columns + j] = (double)distances[j];
  }
  ee_arena_rewind(&arena, mark);
}

/* Cells ------------------------------------------------------------------------------------------- */

typedef enum way { PAIRS, PAIRS_DECODING, MATRIX, BATCH } way;

typedef struct cell {
  way way;
  peer_metric metric;
  const peer_text *a, *b;
  size_t rows, columns; /* of pairs: their number and 1 */
  const size_t *limits;
} cell;

static void run(const cell *c, bool ours, double *results) {
  if (c->way == PAIRS || c->way == PAIRS_DECODING)
    (ours              ? our_pairs
     : c->way == PAIRS ? peer_pairs
                       : peer_pairs_decoding)(c->metric, c->a, c->b, c->rows, c->limits, results);
  else if (c->way == MATRIX || ours)
    (ours ? our_matrix : peer_matrix)(c->metric, c->a, c->rows, c->b, c->columns, c->limits, results);
  else
    peer_batch(c->a, c->rows, c->b, c->columns, c->limits != NULL ? THRESHOLD : 0, results);
}

static double timed(const cell *c, bool ours, size_t repeats, double *results) {
  double start = now_ns();
  for (size_t i = 0; i < repeats; i++) run(c, ours, results);
  return (now_ns() - start) / (double)repeats;
}

static bool same(const cell *c, size_t i, double ours, double theirs) {
  if (c->way == BATCH) {
    const peer_text *a = &c->a[i / c->columns], *b = &c->b[i % c->columns];
    size_t longer = a->count > b->count ? a->count : b->count;
    bool reached = c->limits == NULL || ours <= (double)c->limits[i];
    return fabs((reached ? 1 - ours / (double)longer : 0) - theirs) < 1e-12;
  }
  /* The peer adds the prefix to similarities above 0.7 only. */
  if (c->metric == PEER_JARO_WINKLER && theirs <= 0.7) {
    const peer_text *a = &c->a[i / c->columns], *b = &c->b[c->way <= PAIRS_DECODING ? i : i % c->columns];
    theirs += (double)ee_winkler_prefix(str_of(*a), str_of(*b)) * 0.1 * (1 - theirs);
  }
  return fabs(ours - theirs) < 1e-12;
}

static const char *wanted = ""; /* in the name of each cell that is measured */

static bool measure(const char *name, const cell *c) {
  if (strstr(name, wanted) == NULL) return true;
  size_t count = c->rows * c->columns;
  double *ours = malloc(count * sizeof *ours), *theirs = malloc(count * sizeof *theirs);
  run(c, true, ours);
  run(c, false, theirs);
  bool agrees = true;
  for (size_t i = 0; i < count; i++) agrees = agrees && same(c, i, ours[i], theirs[i]);
  size_t our_repeats = 1 + (size_t)(ROUND_NS / timed(c, true, 1, ours));
  size_t their_repeats = 1 + (size_t)(ROUND_NS / timed(c, false, 1, theirs));
  double our_ns[ROUNDS], their_ns[ROUNDS], ratios[ROUNDS];
  for (int round = 0; round < ROUNDS; round++) {
    our_ns[round] = timed(c, true, our_repeats, ours) / (double)count;
    their_ns[round] = timed(c, false, their_repeats, theirs) / (double)count;
    ratios[round] = their_ns[round] / our_ns[round];
  }
  qsort(our_ns, ROUNDS, sizeof *our_ns, compare);
  qsort(their_ns, ROUNDS, sizeof *their_ns, compare);
  qsort(ratios, ROUNDS, sizeof *ratios, compare);
  printf("%-66s %9.1f %9.1f %6.2f%s\n", name, our_ns[ROUNDS / 2], their_ns[ROUNDS / 2], ratios[ROUNDS / 2],
         agrees ? "" : "  RESULTS DIFFER");
  free(ours);
  free(theirs);
  return agrees;
}

static size_t limit_of(const peer_text *a, const peer_text *b) {
  return ee_edit_limit(THRESHOLD, a->count > b->count ? a->count : b->count);
}

static const struct {
  const char *name;
  size_t from, to, pairs;
} lengths[] = {{"5-30", 5, 30, 1000}, {"30-120", 30, 120, 1000}, {"500-2,000", 500, 2000, 40}};

static const struct {
  const char *name;
  peer_metric metric;
  bool limited;
} metrics[] = {{"Levenshtein", PEER_LEVENSHTEIN, false},
               {"Levenshtein, cutoff 0.8", PEER_LEVENSHTEIN, true},
               {"Jaro-Winkler", PEER_JARO_WINKLER, false}};

static bool measure_pairs(size_t m, const alphabet *letters, size_t l, bool similar) {
  size_t count = lengths[l].pairs;
  peer_text *a = malloc(count * sizeof *a), *b = malloc(count * sizeof *b);
  size_t *limits = malloc(count * sizeof *limits);
  for (size_t i = 0; i < count; i++) {
    a[i] = random_text(letters, lengths[l].from, lengths[l].to, NULL);
    b[i] = random_text(letters, lengths[l].from, lengths[l].to, similar ? &a[i] : NULL);
    limits[i] = limit_of(&a[i], &b[i]);
  }
  char name[128];
  snprintf(name, sizeof name, "%s, %s, %s, %s", metrics[m].name, letters->name, lengths[l].name,
           similar ? "similar" : "different");
  cell c = {PAIRS, metrics[m].metric, a, b, count, 1, metrics[m].limited ? limits : NULL};
  bool agrees = measure(name, &c);
  if (letters->letter_bytes > 1) {
    c.way = PAIRS_DECODING;
    snprintf(name + strlen(name), sizeof name - strlen(name), ", from UTF-8");
    agrees &= measure(name, &c);
  }
  free_texts(a, count);
  free_texts(b, count);
  free(a);
  free(b);
  free(limits);
  return agrees;
}

/* Row i is similar to column i, or all are different. */
static bool measure_matrix(way how, size_t m, const alphabet *letters, size_t from, size_t to, bool similar) {
  peer_text a[SIDE], b[SIDE];
  size_t limits[SIDE * SIDE];
  for (size_t i = 0; i < SIDE; i++) {
    a[i] = random_text(letters, from, to, NULL);
    b[i] = random_text(letters, from, to, similar ? &a[i] : NULL);
  }
  for (size_t i = 0; i < SIDE * SIDE; i++) limits[i] = limit_of(&a[i / SIDE], &b[i % SIDE]);
  char name[128];
  snprintf(name, sizeof name, "20 x 20, %s: %s, %s, %zu-%zu, %s", how == BATCH ? "batch" : "prepared", metrics[m].name,
           letters->name, from, to, similar ? "similar rows" : "different");
  bool agrees = measure(name, &(cell){how, metrics[m].metric, a, b, SIDE, SIDE, metrics[m].limited ? limits : NULL});
  free_texts(a, SIDE);
  free_texts(b, SIDE);
  return agrees;
}

int main(int argc, char **argv) {
  if (argc > 1) wanted = argv[1];
  bool agrees = true;
  ee_arena_init(&arena, 0);
  (void)ee_arena_alloc(&arena, 1); /* as in a run, it is not empty */
  printf("%-66s %9s %9s %6s\n", "nanoseconds a pair, medians", "ours", "rapidfuzz", "ratio");
  for (size_t m = 0; m < 3; m++)
    for (size_t k = 0; k < 2; k++)
      for (size_t l = 0; l < 3; l++)
        for (int similar = 1; similar >= 0; similar--) agrees &= measure_pairs(m, &alphabets[k], l, similar);
  for (size_t m = 0; m < 3; m++)
    for (size_t k = 0; k < 2; k++)
      for (int similar = 1; similar >= 0; similar--) {
        agrees &= measure_matrix(MATRIX, m, &alphabets[k], 5, 30, similar);
        agrees &= measure_matrix(MATRIX, m, &alphabets[k], 30, 120, similar);
        if (metrics[m].metric == PEER_JARO_WINKLER) continue;
        agrees &= measure_matrix(BATCH, m, &alphabets[k], 5, 30, similar);
        agrees &= measure_matrix(BATCH, m, &alphabets[k], 30, 64, similar);
      }
  ee_arena_fini(&arena);
  return agrees ? 0 : 1;
}
