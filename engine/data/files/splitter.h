/* splitter.h: where records begin and end in the text of a file that arrives in pieces.
 *
 * JSONL or one JSON array, told by the first byte that is no white space. The text of
 * the record that is not complete yet stays at the end of the block's text; nothing is scanned twice. */
#ifndef EE_DATA_FILES_SPLITTER_H
#define EE_DATA_FILES_SPLITTER_H

#include "data/files/dataset.h"

/* Levels of nesting whose kind is known, so that a wrong bracket ends the level that it was meant for; deeper ones are
 * only counted. */
#define EE_SPLITTER_LEVELS 1024

typedef struct ee_splitter {
  int state;
  uint64_t text_byte;  /* offset in the file of the block's text */
  size_t scanned;      /* in the block's text: up to here it was looked at */
  size_t start;        /* in the block's text: where the record that is not complete starts */
  uint64_t line;       /* of the file, from 1, at `scanned` */
  uint64_t line_byte;  /* offset in the file where that line starts */
  size_t record_limit; /* bytes */
  bool skipping;       /* the record is above the limit: its text is dropped */
  uint64_t errors;     /* records of the file that could not be split off */
  /* Of an array's element: */
  uint64_t element_byte, element_line, element_column;
  bool escaped; /* in a string, behind a backslash */
  size_t depth, objects, arrays;
  uint64_t kinds[EE_SPLITTER_LEVELS / 64]; /* a bit for each level: set for an object */
} ee_splitter;

/* Ready for a new file. */
void ee_splitter_start(ee_splitter *splitter, size_t record_limit);

/* Looks at what was added to block->text since the last call, and adds the records and errors that it finds to `block`.
 * `at_end`: no more will come. May move what is left of the text to its front when the block has no records. */
void ee_splitter_run(ee_splitter *splitter, ee_block *block, bool at_end);

/* No more will come, although the text is not at its end: adds an error with `message`, and with it the record that is
 * not complete. */
void ee_splitter_abandon(ee_splitter *splitter, ee_block *block, const char *message);

/* Cuts the incomplete rest off block->text and appends it to `rest`; the next block's text must start with it. */
void ee_splitter_cut(ee_splitter *splitter, ee_block *block, ee_buffer *rest);

#endif
