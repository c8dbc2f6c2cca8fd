/* bench_levenshtein.c: nanoseconds a pair, by length of the texts and with and without a limit.
 *
 * Usage:
 *
 * - bench_levenshtein
 *   measures random texts
 *
 * - bench_levenshtein FILE
 *   measures the pairs in the file, a line each, the two texts with a tab between them: prints the nanoseconds of
 *   processor time a pair, then the distance of each pair (for bench/peers/fastest_levenshtein)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/hash_index.h"
#include "prim/edit.h"

#define PAIRS 4096
#define ROUNDS 7

static uint64_t state = 42;
static unsigned below(unsigned limit) { return (unsigned)(ee_hash_mix(state += UINT64_C(0x9e3779b97f4a7c15)) % limit); }

static double now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Random lower-case words; the second text of a pair is the first with about one edit in six letters. */
static char *make_texts(size_t from, size_t to, ee_str pairs[PAIRS][2], const char *letters, size_t letter_bytes,
                        unsigned letter_count) {
  char *text = malloc(PAIRS * 2 * (to + 1) * letter_bytes), *at = text;
  for (size_t i = 0; i < PAIRS; i++) {
    size_t length = from + below((unsigned)(to - from + 1));
    for (int side = 0; side < 2; side++) {
      pairs[i][side] = (ee_str){at, length * letter_bytes};
      for (size_t k = 0; k < length; k++, at += letter_bytes) {
        if (side == 1 && below(6) != 0)
          memcpy(at, pairs[i][0].data + k * letter_bytes, letter_bytes);
        else
          memcpy(at, letters + below(letter_count) * letter_bytes, letter_bytes);
      }
    }
  }
  return text;
}

static void measure(const char *name, size_t from, size_t to, const char *letters, size_t letter_bytes,
                    unsigned letter_count, double threshold) {
  static ee_str pairs[PAIRS][2];
  char *text = make_texts(from, to, pairs, letters, letter_bytes, letter_count);
  ee_arena arena;
  ee_arena_init(&arena, 0);
  double rounds[ROUNDS];
  size_t sum = 0;
  size_t repeats = to <= 100 ? 50 : 2;
  for (int round = 0; round < ROUNDS; round++) {
    double start = now_ns();
    for (size_t repeat = 0; repeat < repeats; repeat++)
      for (size_t i = 0; i < PAIRS; i++) {
        size_t longer = pairs[i][0].length / letter_bytes;
        sum += ee_levenshtein(pairs[i][0], pairs[i][1], threshold > 0 ? ee_edit_limit(threshold, longer) : EE_NO_LIMIT,
                              &arena);
      }
    rounds[round] = (now_ns() - start) / (double)(PAIRS * repeats);
  }
  qsort(rounds, ROUNDS, sizeof *rounds, compare);
  printf("  %-44s %8.1f ns a pair (fastest %.1f, slowest %.1f; checksum %zu)\n", name, rounds[ROUNDS / 2], rounds[0],
         rounds[ROUNDS - 1], sum % 1000);
  ee_arena_fini(&arena);
  free(text);
}

/* The pairs of a file. */
#define ROUND_NS 5e7
static int measure_file(const char *name) {
  static char text[1 << 24];
  static ee_str pairs[PAIRS][2];
  static size_t distances[PAIRS];
  FILE *file = fopen(name, "rb");
  size_t length = file != NULL ? fread(text, 1, sizeof text - 1, file) : 0, count = 0;
  if (file == NULL || !feof(file) || fclose(file) != 0) {
    fprintf(stderr, "bench_levenshtein: %s cannot be read, or has more than 16 MB\n", name);
    return 5;
  }
  text[length] = 0;
  for (char *line = text, *end; count < PAIRS && (end = strchr(line, '\n')) != NULL; line = end + 1, count++) {
    char *tab = memchr(line, '\t', (size_t)(end - line));
    if (tab == NULL) {
      fprintf(stderr, "bench_levenshtein: line %zu has no tab\n", count + 1);
      return 4;
    }
    pairs[count][0] = (ee_str){line, (size_t)(tab - line)};
    pairs[count][1] = (ee_str){tab + 1, (size_t)(end - tab - 1)};
  }
  ee_arena arena;
  ee_arena_init(&arena, 0);
  double rounds[ROUNDS];
  for (int round = 0; round < ROUNDS; round++) {
    size_t repeats = 0;
    clock_t start = clock(), used;
    do {
      for (size_t i = 0; i < count; i++) distances[i] = ee_levenshtein(pairs[i][0], pairs[i][1], EE_NO_LIMIT, &arena);
      repeats++;
      used = clock() - start;
    } while ((double)used * 1e9 / CLOCKS_PER_SEC < ROUND_NS);
    rounds[round] = (double)used * 1e9 / CLOCKS_PER_SEC / (double)(repeats * count);
  }
  qsort(rounds, ROUNDS, sizeof *rounds, compare);
  printf("%.1f\n", rounds[ROUNDS / 2]);
  for (size_t i = 0; i < count; i++) printf("%zu\n", distances[i]);
  ee_arena_fini(&arena);
  return 0;
}

int main(int argc, char **argv) {
  if (argc > 1) return measure_file(argv[1]);
  const char *ascii = "abcdefghijklmnopqrstuvwxyz";
  const char *greek = "αβγδεζηθικλμνξοπρστυφχψω";
  printf("levenshtein, medians of %d rounds\n", ROUNDS);
  measure("5 to 30 ASCII characters", 5, 30, ascii, 1, 26, 0);
  measure("5 to 30 ASCII characters, limit of 0.85", 5, 30, ascii, 1, 26, 0.85);
  measure("5 to 30 Greek characters", 5, 30, greek, 2, 24, 0);
  measure("65 to 200 ASCII characters", 65, 200, ascii, 1, 26, 0);
  measure("1,000 ASCII characters", 1000, 1000, ascii, 1, 26, 0);
  measure("1,000 ASCII characters, limit of 0.85", 1000, 1000, ascii, 1, 26, 0.85);
  return 0;
}
