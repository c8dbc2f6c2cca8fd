/* table_reader.h: rows of a table (CSV, TSV) as records, in pieces.
 *
 * The first row names the columns. A row becomes an object, as JSON text: a cell that is a whole JSON array or object
 * is that, any other one is a string, an empty one the empty string. A name is a path (path.h): `total.net` is member
 * `net` of the object `total`, `items[0].name` and `items.0.name` are in the first element of the array `items`.
 * Elements at the end of an array are left out while all their cells are empty. A column without a name is called
 * `column3`; a name that is not a path is one key.
 *
 * Cells may be in double quotes, then with separators, line ends and doubled quotes inside (RFC 4180); white space is
 * part of a cell; a quote inside a cell that does not begin with one is an ordinary character. Lines end in LF or CRLF;
 * blank ones are not rows. An error of one row, at its line: more or fewer cells than the header, text after a closing
 * quote, bytes that are not UTF-8. An error of the file, without records: columns with one name, a name that makes one
 * place a value and an object (`total`, `total.net`), an array that lacks an element. */
#ifndef EE_DATA_FILES_TABLE_READER_H
#define EE_DATA_FILES_TABLE_READER_H

#include "data/files/block.h"

/* Columns at most. */
#define EE_TABLE_COLUMNS 16384

typedef struct ee_table_reader ee_table_reader;

/* Starts a file; `separator` is an ASCII character. A row of more than `record_limit` bytes is an error. */
ee_table_reader *ee_table_reader_new(char separator, size_t record_limit);
/* NULL is allowed. */
void ee_table_reader_free(ee_table_reader *reader);

/* Reads the next piece of the file: adds records, with their text, and errors to `block`. A record's `byte` is
 * that of its row in the file. */
void ee_table_reader_run(ee_table_reader *reader, ee_str piece, ee_block *block);
/* Ends the file. `damage`: why it cannot be read further, an error then; NULL: it ended. */
void ee_table_reader_end(ee_table_reader *reader, const char *damage, ee_block *block);

#endif
