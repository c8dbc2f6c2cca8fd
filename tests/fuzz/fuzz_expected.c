/* fuzz_expected.c: a file of --expected, joined with a file of answers, and the guesses of which members join them.
 *
 * The bytes up to the first 0 are the expected values, the rest the answers. Every id finds its value; marks of used
 * ids survive being written and read; the records that nobody asked for are those that are not marked. */
#include "data/expected_set.h"
#include "data/files/dataset.h"
#include "data/join_guess.h"
#include "data/json/json_reader.h"
#include "data/member_guess.h"
#include "fuzz/fuzz.h"

static ee_expected_set *open_set(const char *name, ee_error_list *errors) {
  ee_error error = {0};
  ee_expected_set *set = ee_expected_set_open(name, NULL, NULL, errors, &error);
  fuzz_require(set != NULL || (error.status == EE_ERROR_DATA && error.message[0] != '\0'));
  return set;
}

static void ask_for(ee_expected_set *set, const char *name, ee_arena *arena) {
  ee_error error;
  ee_dataset *dataset = ee_dataset_open(&name, 1, &error);
  fuzz_require(dataset != NULL);
  ee_dataset_set_sizes(dataset, 4096, 65536);
  ee_dataset_look_inside(dataset, NULL);
  ee_block block;
  ee_block_init(&block);
  bool done = false;
  while (ee_dataset_next(dataset, &block, &done, &error) == EE_OK && !done)
    for (size_t i = 0; i < block.count; i++) {
      const ee_record_span *span = &block.records[i];
      ee_str text = {block.text.data + span->offset, span->length};
      const ee_value *record = ee_json_read_data(arena, text, NULL);
      struct ee_record_place place = ee_block_place(&block, span);
      ee_case current;
      if (record == NULL) continue;
      if (ee_expected_set_read(set, record, NULL, &place, arena, &current, &error) == EE_OK)
        fuzz_require(current.expected != NULL);
      else
        fuzz_require(error.message[0] != '\0');
    }
  ee_block_fini(&block);
  ee_dataset_close(dataset);
}

static void check_absent(ee_expected_set *set, ee_arena *arena) {
  ee_buffer text = {0};
  const ee_str *ids;
  size_t unused = ee_expected_set_unused(set, 5, arena, &ids), seen = 0;
  for (size_t at = 0; ee_expected_set_next_unused(set, &at, &text); seen++) {
    const ee_value *id = ee_json_read(arena, fuzz_buffer_text(&text), NULL, NULL);
    ee_case current;
    fuzz_require(ee_type_of(id) == EE_STRING);
    fuzz_require(ee_expected_set_read_absent(set, ee_value_text(id), arena, &current));
    fuzz_require(current.expected != NULL && current.absent);
    if (seen < 5) fuzz_require(ee_str_equal(ids[seen], ee_value_text(id)));
    ee_buffer_clear(&text);
  }
  fuzz_require(seen == unused);
  ee_buffer_fini(&text);
}

static void check_set(ee_expected_set *set, ee_expected_set *twin, const char *answers, ee_arena *arena) {
  bool coco = ee_expected_set_coco(set) != NULL;
  size_t count = ee_expected_set_count(set);
  fuzz_require(ee_expected_set_hash(set) == ee_expected_set_hash(twin));
  if (coco) return;
  fuzz_require(count >= 1);
  ask_for(set, answers, arena);
  check_absent(set, arena);
  for (size_t i = 0; i < count; i++) {
    ee_str id = ee_expected_set_id(set, i);
    fuzz_require(ee_expected_set_has(set, id) && ee_expected_set_find(twin, id, arena) != NULL);
  }
  ee_buffer marks = {0}, again = {0};
  ee_expected_set_add_marks(set, &marks);
  fuzz_require(ee_expected_set_merge_marks(set, fuzz_buffer_text(&marks)));
  ee_expected_set_add_marks(set, &again);
  fuzz_require(ee_str_equal(fuzz_buffer_text(&marks), fuzz_buffer_text(&again)));
  ee_buffer_fini(&marks);
  ee_buffer_fini(&again);
}

static int ee_fuzz_one(const uint8_t *data, size_t size) {
  const uint8_t *zero = size > 0 ? memchr(data, 0, size) : NULL;
  size_t first = zero != NULL ? (size_t)(zero - data) : size, rest = first + (zero != NULL);
  ee_arena arena;
  ee_arena_init(&arena, 0);
  fuzz_file truth, answers;
  fuzz_file_make(&truth, fuzz_text(data, first));
  fuzz_file_make(&answers, fuzz_text(data + rest, size - rest));
  ee_error_list errors;
  ee_error_list_init(&errors);
  ee_expected_set *set = open_set(truth.name, &errors), *twin = open_set(truth.name, &errors);
  if (set != NULL) check_set(set, twin, answers.name, &arena);
  ee_expected_set_close(set);
  ee_expected_set_close(twin);
  const char *name = answers.name;
  ee_join_guess guess;
  if (ee_join_guess_find(truth.name, &name, 1, NULL, &arena, &guess))
    fuzz_require(ee_join_guess_text(&guess, &arena) != NULL && guess.joined >= 1);
  else
    (void)ee_join_guess_near_text(&guess, &arena);
  ee_member_guess members;
  if (ee_member_guess_find(&name, 1, NULL, &arena, &members))
    fuzz_require(ee_member_guess_text(&members, &arena) != NULL);
  ee_error_list_fini(&errors);
  fuzz_file_close(&truth);
  fuzz_file_close(&answers);
  ee_arena_fini(&arena);
  return 0;
}

EE_FUZZ_TARGET(8192)
