/* bench_floor.c: what reading alone costs: a file of JSON lines parsed by this reader, by cJSON and by simdjson.
 *
 *   bench_floor FILE [--seconds]
 *
 * Whoever judges the file has to read it, so simdjson's time is the floor of all jobs. The readers take turns, each
 * reads the file and parses its lines, and all must find the same number of values. --seconds prints nothing but the
 * floor, in seconds. */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "clock.h"
#include "data/json/json_reader.h"
#include "data/json/known_keys.h"

enum { ROUNDS = 7, READERS = 4 };

#ifdef HAVE_SIMDJSON
size_t simdjson_padding(void);
size_t parse_by_simdjson(const char *text, size_t length, int counts);
#else
static size_t simdjson_padding(void) { return 0; }
#endif

static size_t count_values(const cJSON *value) {
  size_t sum = 1;
  for (const cJSON *child = value->child; child != NULL; child = child->next) sum += count_values(child);
  return sum;
}

static ee_arena arena;

/* The number of lines, or with `counts` of their values; 0 if a line is not JSON. */
static size_t parse_by_ours(const char *text, size_t length, int counts) {
  size_t sum = 0;
  ee_known_keys keys; /* as in a run */
  ee_known_keys_init(&keys);
  ee_json_options options = {.known = &keys};
  for (const char *at = text, *end = text + length, *stop; at < end; at = stop + 1) {
    stop = memchr(at, '\n', (size_t)(end - at));
    if (stop == NULL) stop = end;
    const ee_value *root = ee_json_read(&arena, (ee_str){at, (size_t)(stop - at)}, &options, NULL);
    if (root == NULL) {
      sum = 0;
      break;
    }
    sum += counts ? count_values(&root->json) : 1;
    ee_arena_reset(&arena, 0);
  }
  ee_known_keys_fini(&keys);
  return sum;
}

static size_t parse_by_cjson(const char *text, size_t length, int counts) {
  size_t sum = 0;
  for (const char *at = text, *end = text + length, *stop; at < end; at = stop + 1) {
    stop = memchr(at, '\n', (size_t)(end - at));
    if (stop == NULL) stop = end;
    cJSON *root = cJSON_ParseWithLength(at, (size_t)(stop - at));
    if (root == NULL) return 0;
    sum += counts ? count_values(root) : 1;
    cJSON_Delete(root);
  }
  return sum;
}

static size_t only_read(const char *text, size_t length, int counts) {
  (void)text, (void)counts;
  return length;
}

static const struct {
  const char *name;
  size_t (*parse)(const char *text, size_t length, int counts);
} readers[READERS] = {{"read", only_read},
                      {"evalengine", parse_by_ours},
                      {"cJSON", parse_by_cjson},
#ifdef HAVE_SIMDJSON
                      {"simdjson", parse_by_simdjson}
#endif
};

static size_t read_file(const char *name, char **text) {
  FILE *file = fopen(name, "rb");
  if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
    perror(name);
    exit(2);
  }
  size_t length = (size_t)ftell(file);
  rewind(file);
  *text = realloc(*text, length + simdjson_padding());
  if (*text == NULL || fread(*text, 1, length, file) != length) {
    perror(name);
    exit(2);
  }
  fclose(file);
  memset(*text + length, 0, simdjson_padding());
  return length;
}

int main(int argc, char **argv) {
  int only_seconds = argc == 3 && strcmp(argv[2], "--seconds") == 0;
  if (argc != 2 && !only_seconds) {
    fprintf(stderr, "usage: bench_floor FILE [--seconds]\n");
    return 2;
  }
  ee_arena_init(&arena, 0);
  char *text = NULL;
  size_t length = read_file(argv[1], &text), values[READERS] = {0};
  double seconds[READERS][ROUNDS], medians[READERS] = {0};
  for (int k = 1; k < READERS && readers[k].parse != NULL; k++) {
    values[k] = readers[k].parse(text, length, 1);
    if (values[k] == 0 || values[k] != values[1]) {
      fprintf(stderr, "bench_floor: %s finds %zu values, evalengine %zu\n", readers[k].name, values[k], values[1]);
      return 1;
    }
  }
  for (int round = 0; round < ROUNDS; round++)
    for (int k = 0; k < READERS && readers[k].parse != NULL; k++) {
      double start = now_s();
      length = read_file(argv[1], &text);
      if (readers[k].parse(text, length, 0) == 0) return 1;
      seconds[k][round] = now_s() - start;
    }
  for (int k = 0; k < READERS && readers[k].parse != NULL; k++) {
    medians[k] = sort_for_median(seconds[k], ROUNDS);
  }
  double floor = medians[READERS - 1];
  if (only_seconds) {
    if (floor > 0) printf("%.6f\n", floor);
  } else {
    printf("reading %.0f MB, %zu values; the file read and parsed, medians of %d\n", (double)length / 1e6, values[1],
           (int)ROUNDS);
    for (int k = 0; k < READERS && readers[k].parse != NULL; k++) {
      printf("  %-12s %.3f s, %5.0f MB/s", readers[k].name, medians[k], (double)length / medians[k] / 1e6);
      printf(floor > 0 ? ", %.2f times simdjson\n" : "\n", medians[k] / floor);
    }
    if (floor == 0)
      printf("  simdjson     left out: libsimdjson-dev and a C++ compiler were missing when this was built\n");
  }
  free(text);
  ee_arena_fini(&arena);
  return 0;
}
