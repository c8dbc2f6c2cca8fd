/* fuzz_shapes.c: any bytes as a data file: unpacking, encodings, shapes, tables, documents with records in them.
 *
 * The first byte says in how large pieces the rest is read; the records must be those of the file in one piece, and
 * each must lie in its block. */
#include "data/files/dataset.h"
#include "data/json/json_reader.h"
#include "fuzz/fuzz.h"

/* All records of the file, with their places and ids, and the errors between them. */
static void read_all(const char *file, size_t piece, ee_buffer *out) {
  ee_error error;
  ee_dataset *dataset = ee_dataset_open(&file, 1, &error);
  fuzz_require(dataset != NULL);
  ee_dataset_set_sizes(dataset, piece, (size_t)1 << 20);
  ee_dataset_look_inside(dataset, NULL);
  ee_block block;
  ee_block_init(&block);
  bool done = false;
  while (ee_dataset_next(dataset, &block, &done, &error) == EE_OK && !done) {
    for (size_t i = 0; i < block.count; i++) {
      const ee_record_span *span = &block.records[i];
      fuzz_require(span->offset + span->length <= block.text.length && span->id + span->id_length <= block.text.length);
      ee_str id = ee_block_given_id(&block, span);
      ee_buffer_addf(out, "%llu:%llu:", (unsigned long long)span->line, (unsigned long long)span->column);
      ee_buffer_add_str(out, id);
      ee_buffer_add(out, block.text.data + span->offset, span->length);
      ee_buffer_add_char(out, '\n');
    }
  }
  ee_block_fini(&block);
  ee_dataset_close(dataset);
}

static int ee_fuzz_one(const uint8_t *data, size_t size) {
  if (size < 1) return 0;
  fuzz_file file;
  fuzz_file_make(&file, fuzz_text(data + 1, size - 1));
  ee_buffer whole, pieces;
  ee_buffer_init(&whole);
  ee_buffer_init(&pieces);
  read_all(file.name, (size_t)1 << 16, &whole);
  read_all(file.name, (size_t)data[0] + 1, &pieces);
  fuzz_require(whole.length == pieces.length &&
               (whole.length == 0 || memcmp(whole.data, pieces.data, whole.length) == 0));
  ee_buffer_fini(&whole);
  ee_buffer_fini(&pieces);
  fuzz_file_close(&file);
  return 0;
}

EE_FUZZ_TARGET(65536)
