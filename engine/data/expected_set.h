/* expected_set.h: expected values that stand in a file of their own, found by id.
 *
 * `--expected FILE`: JSONL, a JSON array, a YAML data set (case_file.h; known by its name), each plain or
 * .gz, or one COCO file of annotations ("images", "annotations", "categories"), known by its content. Immutable after
 * opening, shared by workers, but for the marks of what was asked for. The texts of the records are kept, not their
 * trees: an expected value is read when its case is judged. */
#ifndef EE_DATA_EXPECTED_SET_H
#define EE_DATA_EXPECTED_SET_H

#include <signal.h>

#include "base/error.h"
#include "data/coco/coco.h"
#include "data/files/record.h"

typedef struct ee_expected_set ee_expected_set;

/* Reads the file whole ("-": standard input). `paths` (NULL: the known names) tells where id and expected stand in its
 * records (record.h). NULL with `error`: EE_ERROR_SYSTEM when it cannot be read, or `interrupt` (may be NULL) was set;
 * EE_ERROR_DATA when nothing in it is a record, it is COCO's and broken, or it is no YAML data set (`error` has the
 * place then). Records in error, without an id or with an id that was there before (the first stays) are told in
 * `errors` (file and line; at most EE_UNSPLIT_LISTED) and left out; duplicate keys are told with status EE_OK. Memory:
 * the text and about 80 bytes a record. The caller frees it with ee_expected_set_close(). */
ee_expected_set *ee_expected_set_open(const char *file, const ee_record_paths *paths,
                                      const volatile sig_atomic_t *interrupt, ee_error_list *errors, ee_error *error);
void ee_expected_set_close(ee_expected_set *set);

/* Expected values, of COCO's annotations images; and how many records were left out. */
size_t ee_expected_set_count(const ee_expected_set *set);
uint64_t ee_expected_set_in_error(const ee_expected_set *set);

/* When the file is COCO's: its annotations, to be joined with the data files (coco.h); the records that come of it
 * bring their own expected values. NULL otherwise. */
ee_coco *ee_expected_set_coco(const ee_expected_set *set);

/* Reads the expected value of `id` into `arena` and marks it as asked for (atomically); NULL when there is none. */
const ee_value *ee_expected_set_find(ee_expected_set *set, ee_str id, ee_arena *arena);

/* ee_record_read() with the expected value from `set` (NULL: from the record itself; of a joined COCO file too, under
 * the known names). A value that the record itself brings is not looked at. EE_ERROR_DATA when the set has none for the
 * record's id. */
ee_status ee_expected_set_read(ee_expected_set *set, const ee_value *record, const ee_record_paths *paths, size_t line,
                               ee_arena *arena, ee_case *out, ee_error *error);

/* Ids that nobody asked for, in the order of the file: `*ids` gets up to `limit` of them, borrowed from the set, in
 * `arena`. Returns how many there are in all; of COCO's none. */
size_t ee_expected_set_unused(const ee_expected_set *set, size_t limit, ee_arena *arena, const ee_str **ids);

#endif
