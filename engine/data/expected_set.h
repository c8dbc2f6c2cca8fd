/* expected_set.h: expected values in a file of their own, found by id.
 *
 * `--expected FILE`: JSONL, a JSON array or a YAML data set (case_file.h; known by its name), each plain or .gz, or one
 * COCO file of annotations, known by its content. After opening only the marks of used ids change, atomically, so
 * workers share it. It keeps the records' texts, not their trees: an expected value is parsed when its case is
 * judged. */
#ifndef EE_DATA_EXPECTED_SET_H
#define EE_DATA_EXPECTED_SET_H

#include <signal.h>

#include "base/error.h"
#include "data/coco/coco.h"
#include "data/files/record.h"

typedef struct ee_expected_set ee_expected_set;

/* Reads the whole file ("-": standard input). `paths` (NULL: the known names) says where a record has its id and
 * expected value (record.h); its paths must outlive the set. NULL with `error`: EE_ERROR_SYSTEM when the file cannot be
 * read or `interrupt` (may be NULL) was set; EE_ERROR_DATA when it has no valid record, or is a broken COCO or YAML
 * file (with the place). Records that are invalid, have no id, or repeat an id (the first is kept) are left out and
 * reported in `errors` with file and line, at most EE_UNSPLIT_LISTED of them; duplicate keys are warnings (EE_OK).
 * Memory: the text and about 80 bytes per record. Free with ee_expected_set_close(). */
ee_expected_set *ee_expected_set_open(const char *file, const ee_record_paths *paths,
                                      const volatile sig_atomic_t *interrupt, ee_error_list *errors, ee_error *error);
void ee_expected_set_close(ee_expected_set *set);

/* ee_dataset_looked_inside() of its file. */
bool ee_expected_set_looked_inside(const ee_expected_set *set);

/* Its file, if it could not be read to its end (ee_dataset_unended()); else NULL. */
const char *ee_expected_set_unended(const ee_expected_set *set);

/* What was met in a file of another tool; NULL for other files. Owned by the set. */
const struct ee_foreign_seen *ee_expected_set_foreign(const ee_expected_set *set);

/* The name of its file. */
const char *ee_expected_set_file(const ee_expected_set *set);

/* The number of expected values (of COCO: images), and of records that were left out. */
size_t ee_expected_set_count(const ee_expected_set *set);
uint64_t ee_expected_set_in_error(const ee_expected_set *set);

/* The id of a record that can be used, from 0 to the count; whether there is one with this id. Not of COCO. */
ee_str ee_expected_set_id(const ee_expected_set *set, size_t number);
bool ee_expected_set_has(const ee_expected_set *set, ee_str id);

/* The annotations if the file is COCO's, to be joined with the data files (coco.h); the joined records have their own
 * expected values. NULL otherwise. Owned by the set. */
ee_coco *ee_expected_set_coco(const ee_expected_set *set);

/* Reads the expected value of `id` into `arena` and marks the id as used; NULL if there is none. */
const ee_value *ee_expected_set_find(ee_expected_set *set, ee_str id, ee_arena *arena);

/* ee_record_read() with the expected value from `set`; one in the record itself is ignored. `set` NULL, or a COCO file:
 * the expected value is in the record (of COCO under the known names). EE_ERROR_DATA when the set has none for the
 * record's id. */
ee_status ee_expected_set_read(ee_expected_set *set, const ee_value *record, const ee_record_paths *paths,
                               const ee_record_place *place, ee_arena *arena, ee_case *out, ee_error *error);

/* Appends the next id that no record asked for as a JSON string, from entry `*at` on (0 at first); false at the end. */
bool ee_expected_set_next_unused(const ee_expected_set *set, size_t *at, ee_buffer *text);
/* The case of such an id, without a record and a candidate; false when the set has no such id. The id stays unused. */
bool ee_expected_set_read_absent(ee_expected_set *set, ee_str id, ee_arena *arena, ee_case *out);

/* The ids that no record asked for, in the order of the file: up to `limit` in `*ids` (array in `arena`, texts borrowed
 * from the set). Returns their total number; 0 for COCO. */
size_t ee_expected_set_unused(const ee_expected_set *set, size_t limit, ee_arena *arena, const ee_str **ids);

/* For parts of a data set, each of which reads all expected values: what they are, and which were asked for. */

/* A hash of the ids and records, or of the bytes of a COCO file (of its counts if that is standard input); the same
 * wherever the file is. Reads a COCO file once more. */
uint64_t ee_expected_set_hash(const ee_expected_set *set);
/* Appends the marks of used ids: bit k % 8 of byte k / 8 is that of entry k. Nothing for COCO. */
void ee_expected_set_add_marks(const ee_expected_set *set, ee_buffer *out);
/* Marks what is marked there, too; false if it is of another number of entries. */
bool ee_expected_set_merge_marks(ee_expected_set *set, ee_str marks);

#endif
