/* record_list.c: reading whole data sets into memory. */
#include "cli/record_list.h"

#include <stdlib.h>

#include "base/memory.h"
#include "data/json/json_reader.h"

static void add_block(ee_record_list *list, const ee_block *block) {
  if (list->count + block->count > list->capacity) {
    list->capacity = 2 * (list->count + block->count);
    list->items = ee_realloc(list->items, list->capacity, sizeof *list->items);
  }
  for (size_t i = 0; i < block->count; i++) {
    const ee_record_span *span = &block->records[i];
    list->items[list->count++] = (struct ee_stored_record){list->text.length + span->offset, span->length, span->line};
  }
  ee_buffer_add(&list->text, block->text.data, block->text.length);
  list->unsplit += block->unsplit;
}

ee_status ee_record_list_read(ee_record_list *list, ee_dataset *dataset, ee_error *error) {
  ee_block block;
  ee_block_init(&block);
  bool done = false;
  ee_status status = EE_OK;
  while ((status = ee_dataset_next(dataset, &block, &done, error)) == EE_OK && !done) add_block(list, &block);
  ee_block_fini(&block);
  return status;
}

void ee_record_list_fini(ee_record_list *list) {
  ee_buffer_fini(&list->text);
  free(list->items);
  *list = (ee_record_list){0};
}

bool ee_record_list_case(const ee_record_list *list, size_t index, const ee_plan *plan, ee_arena *arena,
                         ee_case *current) {
  const struct ee_stored_record *at = &list->items[index];
  ee_error ignored;
  ee_value *value = ee_json_read(arena, (ee_str){list->text.data + at->offset, at->length}, NULL, &ignored);
  return value != NULL &&
         ee_expected_set_read(list->expected, value, &plan->paths, at->line, arena, current, &ignored) == EE_OK;
}
