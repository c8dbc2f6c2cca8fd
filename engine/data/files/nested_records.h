/* nested_records.h: the records inside a file that is one JSON value.
 *
 * Such an object is one record, an array of records under a key ({"results": [...]}), or an object of records by id
 * ({"inv-1": {...}, "inv-2": {...}}). `paths` may name their place ("$": the object is the record); otherwise:
 *
 *   - with a member where id, expected value or candidate are looked for (record.h), it is a record
 *   - with two or more members that are all objects and have more than half of their keys in common, on average, or
 *     each have an expected value or a candidate, it holds records by id
 *   - with exactly one array of objects, that array has the records, if it is the only member, has a usual name
 *     (results, records, data, rows, cases, examples, samples, documents, predictions, ...), or its first object has an
 *     expected value or a candidate; with several arrays, one like these, or of objects with ids, it is an error that
 *     names them
 *   - otherwise it is a document: a whole expected value or answer
 *
 * In an object of records, the key is the id of a record that has none. An array has its elements as records, unless it
 * is a document (ee_array_use_find()). */
#ifndef EE_DATA_FILES_NESTED_RECORDS_H
#define EE_DATA_FILES_NESTED_RECORDS_H

#include "data/files/block.h"
#include "data/files/record.h"

typedef enum ee_nesting {
  EE_NESTING_NONE,     /* a record, or a broken document, whose reader reports it */
  EE_NESTING_DOCUMENT, /* a record without id, expected value or candidate */
  EE_NESTING_LIST,
  EE_NESTING_BY_ID,
  EE_NESTING_UNCLEAR
} ee_nesting;

/* The records of a document, handed out one after the other. */
typedef struct ee_nested_records {
  ee_nesting nesting;
  ee_buffer text; /* owned; the document is `length` bytes at `start` */
  size_t start, length;
  size_t at;     /* in `text`, after the last record */
  bool any;      /* a record was handed out */
  size_t placed; /* in `text`; the place of this byte: */
  uint64_t line, column;
  uint64_t byte; /* of text[0] in the file */
} ee_nested_records;

/* Finds the records of the document text[span], which is a valid or broken JSON value at `span`'s place. `only_there`:
 * only where `paths` says; elsewhere it is a record. For
 * EE_NESTING_LIST and EE_NESTING_BY_ID, takes `*text`. EE_NESTING_UNCLEAR: with `error` (no place), which names the
 * arrays that there are. Time: linear. */
ee_nesting ee_nested_records_find(ee_nested_records *nested, ee_buffer *text, const ee_record_span *span,
                                  const ee_record_paths *paths, bool only_there, ee_error *error);

/* Whether a file that begins with an array, `head`, holds that array as one document, and not its elements as records:
 * if `paths` say so ("$"), or in a directory if the first element is not an object, or an object that names no part of
 * a record. Of an empty array that is not known. Reads the first element, if it is cut as much as there is of it;
 * `*complete`: it is not cut. */
typedef enum ee_array_use { EE_ARRAY_OF_RECORDS, EE_ARRAY_DOCUMENT, EE_ARRAY_EMPTY } ee_array_use;
ee_array_use ee_array_use_find(ee_str head, const ee_record_paths *paths, bool in_directory, bool *complete);

/* Appends the next records to `block`, about `max_bytes` and at least one; false at the end. */
bool ee_nested_records_fill(ee_nested_records *nested, size_t max_bytes, ee_block *block);
void ee_nested_records_fini(ee_nested_records *nested);

#endif
