/* fuzz_coco.c: COCO's annotations and results, joined.
 *
 * The bytes up to the first 0 are the file of annotations, the rest that of results. Every image becomes a record that
 * can be read and whose entries have boxes; the counts are those of the records. */
#include "data/coco/coco.h"
#include "data/files/byte_source.h"
#include "data/files/record.h"
#include "data/json/json_reader.h"
#include "fuzz/fuzz.h"

static uint64_t check_entries(const ee_value *list) {
  fuzz_require(ee_type_of(list) == EE_ARRAY);
  for (const ee_value *entry = ee_value_child(list); entry != NULL; entry = ee_value_next(entry)) {
    const ee_value *box = ee_value_member(entry, EE_STR("bbox"), NULL);
    fuzz_require(ee_type_of(box) == EE_ARRAY && ee_value_count(box) == 4);
    fuzz_require(ee_value_member(entry, EE_STR("category"), NULL) != NULL);
  }
  return ee_value_count(list);
}

static void check_records(ee_coco *coco, bool joined) {
  ee_buffer text = {0};
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_coco_counts counts = ee_coco_count(coco), seen = {0};
  while (joined) {
    ee_buffer_clear(&text);
    ee_arena_reset(&arena, 0);
    if (!ee_coco_make_record(coco, &text)) break;
    const ee_value *record = ee_json_read(&arena, fuzz_buffer_text(&text), NULL, NULL);
    ee_case current;
    ee_error error;
    fuzz_require(record != NULL && ee_record_read(record, NULL, NULL, &arena, &current, &error) == EE_OK);
    seen.images += 1;
    seen.annotations += check_entries(current.expected);
    const ee_value *candidate = ee_value_member(record, EE_STR("candidate"), NULL);
    seen.detections += check_entries(candidate);
  }
  if (joined)
    fuzz_require(seen.images == counts.images && seen.annotations == counts.annotations &&
                 seen.detections == counts.detections);
  ee_arena_fini(&arena);
  ee_buffer_fini(&text);
}

static int ee_fuzz_one(const uint8_t *data, size_t size) {
  const uint8_t *zero = size > 0 ? memchr(data, 0, size) : NULL;
  size_t first = zero != NULL ? (size_t)(zero - data) : size;
  fuzz_file truth, results;
  fuzz_file_make(&truth, fuzz_text(data, first));
  fuzz_file_make(&results, fuzz_text(data + first + (zero != NULL), size - first - (zero != NULL)));
  ee_error error = {0};
  ee_error_list errors;
  ee_error_list_init(&errors);
  ee_buffer text = {0};
  ee_coco *coco = NULL;
  ee_byte_source *source = ee_byte_source_open(truth.name, &error);
  ee_status status = ee_coco_read(source, truth.name, &text, &coco, &errors, &error);
  fuzz_require(status == EE_OK || (status == EE_ERROR_DATA && error.message[0] != '\0' && coco == NULL));
  if (coco != NULL) {
    const char *name = results.name;
    status = ee_coco_join(coco, &name, zero != NULL ? 1 : 0, NULL, &errors, &error);
    fuzz_require(status == EE_OK || (status == EE_ERROR_DATA && error.message[0] != '\0'));
    check_records(coco, status == EE_OK);
    ee_coco_free(coco);
  }
  ee_byte_source_close(source);
  ee_buffer_fini(&text);
  ee_error_list_fini(&errors);
  fuzz_file_close(&truth);
  fuzz_file_close(&results);
  return 0;
}

EE_FUZZ_TARGET(8192)
