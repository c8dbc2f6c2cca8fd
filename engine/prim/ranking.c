/* ranking.c: sums of systems over units, their pairs, and samples of units. */
#include "prim/ranking.h"

#include <math.h>
#include <string.h>

#include "base/hash_index.h"
#include "base/memory.h"
#include "prim/paired.h"

/* Units of a score. */
#define ONE 0x1p36
#define MOST_COUNTED 20000
#define GROUPS 10000
/* From a piece of 16 bits of a hash, whose 2^16 values are shared out as Poisson's probabilities are. */
#define PIECES 4
#define PIECE_BITS 16
#define PIECE_VALUES (1u << PIECE_BITS)
/* Changes of a unit's score up to this are rounding. */
#define SLACK 1e-9

/* The sums of the cases of each unit. */
typedef struct unit_sums {
  size_t count, systems;
  uint64_t *keys, *cases;
  int64_t *scores; /* by unit and system */
  int64_t *totals; /* by system */
  uint64_t all_cases;
} unit_sums;

static void open_sums(unit_sums *sums, const ee_score_table *table) {
  ee_hash_index index = {0};
  *sums = (unit_sums){.systems = table->systems,
                      .keys = ee_malloc((table->cases + 1) * sizeof *sums->keys),
                      .cases = ee_calloc(table->cases + 1, sizeof *sums->cases),
                      .scores = ee_calloc(table->cases * table->systems + 1, sizeof *sums->scores),
                      .totals = ee_calloc(table->systems + 1, sizeof *sums->totals),
                      .all_cases = table->cases};
  ee_hash_index_reserve(&index, table->cases);
  for (size_t i = 0; i < table->cases; i++) {
    size_t at = 0, unit;
    if (!ee_hash_index_next(&index, table->units[i], &at, &unit)) {
      unit = sums->count++;
      sums->keys[unit] = table->units[i];
      ee_hash_index_add(&index, table->units[i], unit);
    }
    sums->cases[unit]++;
    for (size_t k = 0; k < table->systems; k++) {
      int64_t score = (int64_t)nearbyint(table->scores[i * table->systems + k] * ONE);
      sums->scores[unit * table->systems + k] += score;
      sums->totals[k] += score;
    }
  }
  ee_hash_index_fini(&index);
}

static void close_sums(unit_sums *sums) {
  ee_free(sums->keys);
  ee_free(sums->cases);
  ee_free(sums->scores);
  ee_free(sums->totals);
}

/* Pairs ----------------------------------------------------------------------------------------- */

static ee_system_pair compare(const unit_sums *sums, size_t base, size_t fresh, double point) {
  ee_paired_sums paired = {.reach = 1};
  double per_unit = (double)sums->all_cases / (double)sums->count;
  double mean = (double)(sums->totals[fresh] - sums->totals[base]) / ONE / (double)sums->all_cases;
  for (size_t i = 0; i < sums->count; i++) {
    const int64_t *scores = &sums->scores[i * sums->systems];
    double change = (double)(scores[fresh] - scores[base]) / ONE, size = (double)sums->cases[i] / per_unit;
    /* Linearized, as in paired.h. */
    ee_paired_add(&paired, change / per_unit - mean * size + mean, fabs(change) > SLACK);
  }
  return (ee_system_pair){.base = base,
                          .fresh = fresh,
                          .change = paired.changed > 0 ? mean : 0,
                          .interval = ee_paired_interval(&paired, point),
                          .p = ee_paired_p(&paired),
                          .changed = paired.changed};
}

static void compare_pairs(const unit_sums *sums, bool all, double confidence, ee_arena *arena, ee_ranking *ranking) {
  size_t systems = sums->systems, count = all ? systems * (systems - 1) / 2 : systems - 1;
  double *p = EE_NEW_ARRAY(arena, double, count + 1);
  ranking->pairs = EE_NEW_ARRAY(arena, ee_system_pair, count + 1);
  ranking->each = count > 0 ? 1 - (1 - confidence) / (double)count : confidence;
  double point = ee_paired_point(sums->count, ranking->each);
  for (size_t base = 0; base < (all ? systems : 1); base++)
    for (size_t fresh = base + 1; fresh < systems; fresh++)
      ranking->pairs[ranking->pair_count++] = compare(sums, base, fresh, point);
  for (size_t i = 0; i < count; i++) p[i] = ranking->pairs[i].p;
  ee_holm(p, count);
  for (size_t i = 0; i < count; i++) ranking->pairs[i].p_adjusted = p[i];
}

/* Samples --------------------------------------------------------------------------------------- */

/* How often a unit is drawn, by a piece of its hash: e^-1 / k! of the pieces give k. */
static void share_out(unsigned char weights[PIECE_VALUES]) {
  double probability = 0.36787944117144233, below = probability;
  unsigned weight = 0;
  for (unsigned i = 0; i < PIECE_VALUES; i++) {
    while ((i + 0.5) / PIECE_VALUES > below) { /* `below` comes near 1 */
      probability /= ++weight;
      below += probability;
    }
    weights[i] = (unsigned char)weight;
  }
}

/* Adds up groups of units in place of the units. */
static void group(unit_sums *sums) {
  uint64_t *keys = ee_calloc(GROUPS, sizeof *keys);
  int64_t *scores = ee_calloc(GROUPS * sums->systems, sizeof *scores);
  for (size_t i = 0; i < GROUPS; i++) keys[i] = i + 1;
  for (size_t i = 0; i < sums->count; i++) {
    size_t to = ee_hash_mix(sums->keys[i]) % GROUPS;
    for (size_t k = 0; k < sums->systems; k++) scores[to * sums->systems + k] += sums->scores[i * sums->systems + k];
  }
  ee_free(sums->keys);
  ee_free(sums->scores);
  sums->keys = keys;
  sums->scores = scores;
  sums->count = GROUPS;
}

/* Adds the unit to the next PIECES samples, `block` of them. */
static void add_unit(const unit_sums *sums, size_t unit, uint64_t block, const unsigned char *weights,
                     int64_t *totals) {
  uint64_t bits = ee_hash_mix(ee_hash_mix(sums->keys[unit]) + (block + 1) * UINT64_C(0x9e3779b97f4a7c15));
  const int64_t *scores = &sums->scores[unit * sums->systems];
  for (size_t piece = 0; piece < PIECES; piece++, bits >>= PIECE_BITS) {
    int64_t weight = weights[bits & (PIECE_VALUES - 1)];
    int64_t *to = &totals[piece * sums->systems];
    for (size_t k = 0; k < sums->systems && weight > 0; k++) to[k] += weight * scores[k];
  }
}

/* Shares a sample among the systems of the highest total. */
static void count_best(const int64_t *totals, size_t systems, double *best) {
  int64_t highest = totals[0];
  size_t ties = 0;
  for (size_t k = 1; k < systems; k++) highest = totals[k] > highest ? totals[k] : highest;
  for (size_t k = 0; k < systems; k++) ties += totals[k] == highest;
  for (size_t k = 0; k < systems; k++)
    if (totals[k] == highest) best[k] += 1 / (double)ties;
}

static void sample(unit_sums *sums, ee_arena *arena, ee_ranking *ranking) {
  unsigned char *weights = ee_malloc(PIECE_VALUES);
  size_t systems = sums->systems;
  int64_t *totals = ee_malloc(PIECES * systems * sizeof *totals);
  ranking->best = EE_NEW_ARRAY(arena, double, systems);
  share_out(weights);
  if (sums->count > MOST_COUNTED) group(sums);
  for (uint64_t block = 0; block < EE_RANKING_SAMPLES / PIECES; block++) {
    memset(totals, 0, PIECES * systems * sizeof *totals);
    for (size_t i = 0; i < sums->count; i++) add_unit(sums, i, block, weights, totals);
    for (size_t piece = 0; piece < PIECES; piece++) count_best(&totals[piece * systems], systems, ranking->best);
  }
  for (size_t k = 0; k < systems; k++) ranking->best[k] /= EE_RANKING_SAMPLES;
  ee_free(weights);
  ee_free(totals);
}

void ee_rank_systems(const ee_score_table *table, bool all, double confidence, ee_arena *arena, ee_ranking *ranking) {
  unit_sums sums;
  open_sums(&sums, table);
  *ranking = (ee_ranking){.units = sums.count};
  compare_pairs(&sums, all, confidence, arena, ranking);
  sample(&sums, arena, ranking);
  close_sums(&sums);
}
