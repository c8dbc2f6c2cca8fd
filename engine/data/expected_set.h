/* expected_set.h: expected values that stand in a file of their own, found by id.
 *
 * Layer: data. `--expected FILE`: JSONL, a JSON array (plain or .gz), or one COCO file of annotations ("images", "annotations", "categories"), known by its
 * content. Immutable after opening, shared by workers, but for the marks of what was asked for. */
#ifndef EE_DATA_EXPECTED_SET_H
#define EE_DATA_EXPECTED_SET_H

#include "data/record.h"

typedef struct ee_expected_set ee_expected_set;

/* Reads the file whole. `paths` tells where id and expected stand in its records (record.h). NULL with `error`: EE_ERROR_SYSTEM when it cannot be read, EE_ERROR_DATA when nothing in it is a record.
 * Records in error, without an id or with an id that was there before are told in `errors` (file and line) and left out. */
ee_expected_set *ee_expected_set_open(const char *file, const ee_record_paths *paths, ee_error_list *errors, ee_error *error);
void ee_expected_set_close(ee_expected_set *set);

size_t ee_expected_set_count(const ee_expected_set *set);
/* True when the file is COCO's: data files are then COCO results, an array of detections, joined on image_id (coco.h). */
bool ee_expected_set_is_coco(const ee_expected_set *set);

/* Reads the expected value of `id` into `arena` and marks it as asked for (atomically); NULL when there is none. */
const ee_value *ee_expected_set_find(ee_expected_set *set, ee_str id, ee_arena *arena);

/* Ids that nobody asked for, in the order of the file: copies up to `limit` of them into `arena`; returns how many there are. */
size_t ee_expected_set_unused(const ee_expected_set *set, size_t limit, ee_arena *arena, const ee_str **ids);

#endif
