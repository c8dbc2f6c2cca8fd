/* lean_row.h: reading very many rows of results fast, where only what an ee_stored_row holds is needed.
 *
 * A row as this program writes it is scanned, and no document is made of it: members that are not needed (the
 * candidate, hits, misses, reasoning, alignment, outcomes) are only checked. The counts of an attribute are nearly
 * always one of a few texts, such as {"tp":1,"tn":0,"fp":0,"fn":0,"precision":1,"recall":1,"f1":1}: each is read once,
 * and then known by its bytes. What is not as this program writes it is read as usual, so that rows mean the same, and
 * mistakes and duplicate keys are found, either way. */
#ifndef EE_REPORT_LEAN_ROW_H
#define EE_REPORT_LEAN_ROW_H

#include "data/json/json_reader.h"
#include "report/stored_row.h"

typedef struct ee_lean_rows ee_lean_rows;

/* What is known from row to row: at most some MB, whatever the data. */
ee_lean_rows *ee_lean_rows_new(void);
/* NULL is ignored. */
void ee_lean_rows_free(ee_lean_rows *rows);

/* Reads a line as ee_json_read() and ee_stored_row_read() do, with the same mistakes and duplicate keys (`options` may
 * be NULL). `row->record` may be NULL, and of the judges' `entry` there may be only what its details have besides
 * metrics, alignment and outcomes. The row is in `arena`; names of attributes are borrowed from `rows`. False with
 * `error`. */
bool ee_lean_rows_read(ee_lean_rows *rows, ee_str text, const ee_json_options *options, ee_arena *arena,
                       ee_stored_row *row, ee_error *error);

#endif
