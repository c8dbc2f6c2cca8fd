/* sentence_reader.h: sentences of a file in columns (CoNLL) as records, in pieces.
 *
 * A sentence is lines that are not blank. Lines that begin with -DOCSTART- belong to no sentence and end one, and
 * comments ("# ...") alone do not make a sentence. The id of the k-th sentence is k, which its place gives it, so that
 * two files of the same sentences are joined. Its text, the lines as they are, is converted by data/foreign. */
#ifndef EE_DATA_FILES_SENTENCE_READER_H
#define EE_DATA_FILES_SENTENCE_READER_H

#include "data/files/block.h"

typedef struct ee_sentence_reader ee_sentence_reader;

/* Starts a file. A sentence of more than `record_limit` bytes is an error. `prefix` is put before the ids, with a colon
 * (NULL: nothing); it must outlive the reader. */
ee_sentence_reader *ee_sentence_reader_new(size_t record_limit, const char *prefix);
/* NULL is allowed. */
void ee_sentence_reader_free(ee_sentence_reader *reader);

/* Reads the next piece of the file: adds records, with their text, and errors to `block`. */
void ee_sentence_reader_run(ee_sentence_reader *reader, ee_str piece, ee_block *block);
/* Ends the file. `damage`: why it cannot be read further, an error then; NULL: it ended. */
void ee_sentence_reader_end(ee_sentence_reader *reader, const char *damage, ee_block *block);

#endif
