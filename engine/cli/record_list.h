/* record_list.h: all records of some files, in memory, for commands that go over them more than once.
 *
 * Standard input can be read once only. */
#ifndef EE_CLI_RECORD_LIST_H
#define EE_CLI_RECORD_LIST_H

#include "base/buffer.h"
#include "data/expected_set.h"
#include "data/files/dataset.h"
#include "judge/plan.h"

/* Zero at first, but for what expected values are found in. */
typedef struct ee_record_list {
  ee_expected_set *expected; /* borrowed; NULL: they stand in the records */
  ee_buffer text;
  size_t unsplit; /* records that could not even be told apart */
  struct ee_stored_record {
    size_t offset, length; /* in `text` */
    uint64_t line;
  } * items;
  size_t count, capacity;
} ee_record_list;

/* Appends the records of `dataset`. EE_ERROR_SYSTEM when one cannot be read; ee_record_list_fini() in either case. */
ee_status ee_record_list_read(ee_record_list *list, ee_dataset *dataset, ee_error *error);
void ee_record_list_fini(ee_record_list *list);

/* Reads the record at `index` as a case, into `arena`. False when it is none; evaluating tells why. */
bool ee_record_list_case(const ee_record_list *list, size_t index, const ee_plan *plan, ee_arena *arena,
                         ee_case *current);

#endif
