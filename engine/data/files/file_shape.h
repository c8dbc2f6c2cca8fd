/* file_shape.h: finds from the first bytes of a file how it holds records, or what else it is.
 *
 * The decision depends on the bytes alone: not on the name, and not on the pieces in which they arrive.
 *
 *   '[' first                      an array, whatever follows
 *   '{' first, a second one at the same indentation in the next line that is not blank: JSONL; so is a file whose first
 *                                  line closes all its brackets and is not the only one
 *   '{' first, anything else       documents that span lines, or one document in one line
 *   otherwise, by the first EE_SHAPE_WINDOW bytes: a table (CSV, TSV) if a separator gives the first row two or more
 *   cells and at least half of the next rows as many; JSONL if the first line is a JSON value or another begins with
 *   '{' or '['; or not data, with a description of what it seems to be */
#ifndef EE_DATA_FILES_FILE_SHAPE_H
#define EE_DATA_FILES_FILE_SHAPE_H

#include <stdbool.h>

#include "base/str.h"

#define EE_SHAPE_WINDOW ((size_t)64 * 1024)

typedef enum ee_shape {
  EE_SHAPE_UNDECIDED, /* more bytes are needed */
  EE_SHAPE_LINES,     /* JSONL; also a file without a record */
  EE_SHAPE_ARRAY,
  EE_SHAPE_DOCUMENTS, /* JSON documents one after the other, which may span lines; often just one */
  EE_SHAPE_TABLE,
  EE_SHAPE_OTHER
} ee_shape;

/* All zero before a file's first bytes. */
typedef struct ee_sniffer {
  size_t blank;     /* bytes before the first that is not white space, as far as that is known */
  size_t scanned;   /* bytes of the first line that were looked at */
  char separator;   /* of a table: ',', ';' or a tab */
  const char *what; /* of EE_SHAPE_OTHER: "a zip archive: unpack it with unzip"; static. NULL: text that is not data */
} ee_sniffer;

/* `head`: all bytes of the file so far; `at_end`: there are no more. EE_SHAPE_UNDECIDED only if not `at_end`. The time
 * over all calls is linear in the first two lines, or in the window. */
ee_shape ee_sniff(ee_sniffer *sniffer, ee_str head, bool at_end);

/* The length of the byte order mark at the start of `text`: 3 or 0. */
size_t ee_mark_length(ee_str text);

#endif
