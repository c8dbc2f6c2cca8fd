/* bench_coco.c: from COCO's annotations and results to records: reading both files, joining, making the records' texts.
 *
 * Usage:
 *
 * - bench_coco
 *   measures 37,000 objects in 5,000 images, with 42,000 and with 500,000 detections
 *
 * - bench_coco IMAGES OBJECTS DETECTIONS TRUTH RESULTS
 *   writes the two files
 *
 * Annotations have segmentations of some 400 bytes, which make most of their file, as in COCO's own. The same bytes on
 * every machine.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "data/coco/coco.h"
#include "data/expected_set.h"
#include "random.h"

#define CATEGORIES 80
#define ROUNDS 5

static double hundredths(unsigned limit) { return (double)below(limit * 100) / 100; }

static FILE *open_file(const char *name) {
  FILE *file = fopen(name, "w");
  if (file == NULL) {
    perror(name);
    exit(5);
  }
  return file;
}

/* Ids that are not in the order of the file, as COCO's. */
static unsigned image_id(unsigned number) { return number * 7919u % 1000003u; }

static void write_truth(const char *name, unsigned images, unsigned objects) {
  FILE *out = open_file(name);
  fprintf(out, "{\"info\": {\"description\": \"generated\"}, \"licenses\": [], \"images\": [");
  for (unsigned i = 0; i < images; i++)
    fprintf(out, "%s{\"license\": 4,\"file_name\": \"%012u.jpg\",\"height\": 480,\"width\": 640,\"id\": %u}",
            i > 0 ? "," : "", image_id(i), image_id(i));
  fprintf(out, "],\"annotations\": [");
  for (unsigned i = 0; i < objects; i++) {
    fprintf(out, "%s{\"segmentation\": [[", i > 0 ? "," : "");
    for (unsigned k = 0, points = 20 + below(60); k < points; k++)
      fprintf(out, "%s%.2f", k > 0 ? "," : "", hundredths(640));
    double width = 1 + hundredths(200), height = 1 + hundredths(200);
    fprintf(out,
            "]],\"area\": %.4f,\"iscrowd\": %d,\"image_id\": %u,\"bbox\": [%.2f,%.2f,%.2f,%.2f],\"category_id\": "
            "%u,\"id\": %u}",
            width * height * 0.7, below(100) == 0, image_id(below(images)), hundredths(440), hundredths(280), width,
            height, 1 + below(CATEGORIES), 900000 + i);
  }
  fprintf(out, "],\"categories\": [");
  for (unsigned i = 0; i < CATEGORIES; i++)
    fprintf(out, "%s{\"supercategory\": \"thing\",\"id\": %u,\"name\": \"class %u\"}", i > 0 ? "," : "", i + 1, i + 1);
  fprintf(out, "]}");
  fclose(out);
}

static void write_results(const char *name, unsigned images, unsigned detections) {
  FILE *out = open_file(name);
  fputc('[', out);
  for (unsigned i = 0; i < detections; i++)
    fprintf(out, "%s{\"image_id\": %u, \"category_id\": %u, \"bbox\": [%.2f, %.2f, %.2f, %.2f], \"score\": %.*f}",
            i > 0 ? ", " : "", image_id((unsigned)((uint64_t)i * images / detections)), 1 + below(CATEGORIES),
            hundredths(440), hundredths(280), 1 + hundredths(200), 1 + hundredths(200), i % 2 == 0 ? 3 : 16,
            (double)(bits() >> 11) * 0x1p-53);
  fputc(']', out);
  fclose(out);
}

/* One round; milliseconds of its three parts. */
static void measure_once(const char *truth, const char *results, double ms[3], size_t *bytes) {
  ee_error_list told;
  ee_error_list_init(&told);
  ee_error error = {0};
  double start = now_s();
  ee_expected_set *set = ee_expected_set_open(truth, NULL, NULL, &told, &error);
  if (set == NULL) {
    fprintf(stderr, "%s\n", error.message);
    exit(4);
  }
  double opened = now_s();
  ee_coco *coco = ee_expected_set_coco(set);
  ee_coco_join(coco, &results, 1, NULL, &told, &error);
  double joined = now_s();
  ee_buffer text;
  ee_buffer_init(&text);
  *bytes = 0;
  while (ee_coco_make_record(coco, &text)) {
    if (text.length < 256 * 1024) continue;
    *bytes += text.length;
    ee_buffer_clear(&text);
  }
  *bytes += text.length;
  ms[0] = (opened - start) * 1e3;
  ms[1] = (joined - opened) * 1e3;
  ms[2] = (now_s() - joined) * 1e3;
  ee_buffer_fini(&text);
  ee_expected_set_close(set);
  ee_error_list_fini(&told);
}

static void measure(const char *folder, unsigned images, unsigned objects, unsigned detections) {
  char truth[300], results[300];
  snprintf(truth, sizeof truth, "%s/truth.json", folder);
  snprintf(results, sizeof results, "%s/results.json", folder);
  state = 20240607;
  write_truth(truth, images, objects);
  write_results(results, images, detections);
  double parts[3][ROUNDS], sums[ROUNDS];
  size_t bytes = 0;
  for (int i = 0; i < ROUNDS; i++) {
    double ms[3];
    measure_once(truth, results, ms, &bytes);
    for (int k = 0; k < 3; k++) parts[k][i] = ms[k];
    sums[i] = ms[0] + ms[1] + ms[2];
  }
  double medians[3], median = sort_for_median(sums, ROUNDS);
  for (int k = 0; k < 3; k++) medians[k] = sort_for_median(parts[k], ROUNDS);
  printf("coco: %u objects, %u detections: annotations %.1f ms, results %.1f ms, records %.1f ms (%.1f MB); in all "
         "%.1f ms (%.1f to %.1f)\n",
         objects, detections, medians[0], medians[1], medians[2], (double)bytes / 1e6, median, sums[0],
         sums[ROUNDS - 1]);
  remove(truth);
  remove(results);
}

int main(int argc, char **argv) {
  if (argc == 6) {
    write_truth(argv[4], (unsigned)atoi(argv[1]), (unsigned)atoi(argv[2]));
    write_results(argv[5], (unsigned)atoi(argv[1]), (unsigned)atoi(argv[3]));
    return 0;
  }
  char folder[] = "/tmp/bench_coco.XXXXXX";
  if (mkdtemp(folder) == NULL) {
    perror(folder);
    return 5;
  }
  measure(folder, 5000, 37000, 42000);
  measure(folder, 5000, 37000, 500000);
  rmdir(folder);
  return 0;
}
