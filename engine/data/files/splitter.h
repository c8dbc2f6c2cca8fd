/* splitter.h: splits a file that arrives in pieces into records.
 *
 * The file is a JSON array if its first byte after white space is '[', else JSONL or, if the caller says so, documents
 * one after the other, which may span lines. The text of a record that is not complete yet stays at the end of the
 * block's text; no byte is scanned twice. */
#ifndef EE_DATA_FILES_SPLITTER_H
#define EE_DATA_FILES_SPLITTER_H

#include "data/files/block.h"

/* Levels of nesting whose kind is stored, so that a mismatched bracket closes the level that it belongs to; deeper
 * levels are only counted. */
#define EE_SPLITTER_LEVELS 1024

/* Whether an element of an array was taken by a caller that wants them at once, instead of as records of a block. */
typedef enum ee_taking {
  EE_TAKING_DONE, /* taken */
  EE_TAKING_NOT,  /* it becomes a record */
  EE_TAKING_MORE  /* the text ends in it: asked again with more */
} ee_taking;

/* Takes the object whose '{' begins `text`, or not; `*length`: of a taken one. An element that was not taken becomes a
 * record as if there were no taker, and so do those after it, until its block was handed out: the order stays. */
typedef ee_taking ee_element_taker(void *user, ee_str text, size_t *length);

typedef struct ee_splitter {
  int state;
  uint64_t text_byte;  /* offset in the file of the block's text */
  size_t scanned;      /* offset in the block's text up to which it was scanned */
  size_t start;        /* offset in the block's text of the record that is not complete */
  uint64_t line;       /* of the file, from 1, at `scanned` */
  uint64_t line_byte;  /* offset in the file where that line starts */
  size_t record_limit; /* bytes */
  size_t file_limit;   /* bytes of the first document, which may be the only one and hold the records; 0: of a record */
  bool skipping;       /* the record is too long; its text is dropped */
  uint64_t errors;     /* invalid records of the file */
  bool documents;      /* and not lines or an array */
  bool inside;         /* the array is inside a document, whose other parts are skipped */
  bool unended;        /* the file ends in the middle of an array or document */
  ee_element_taker *take; /* of elements that are objects; NULL: there is no taker */
  void *take_user;
  /* The array element or document: */
  uint64_t element_byte, element_line, element_column;
  bool escaped; /* in a string, after a backslash */
  char before;  /* documents: the last byte that is not white space, outside of strings */
  size_t depth, objects, arrays;
  uint64_t kinds[EE_SPLITTER_LEVELS / 64]; /* a bit for each level: set for an object */
} ee_splitter;

/* Starts a new file. */
void ee_splitter_start(ee_splitter *splitter, size_t record_limit, bool documents);

/* After ee_splitter_start(): the first document may have up to `file_limit` bytes. */
void ee_splitter_set_file_limit(ee_splitter *splitter, size_t file_limit);

/* After ee_splitter_start(): objects in the file's array are offered to `take` first. */
void ee_splitter_set_taker(ee_splitter *splitter, ee_element_taker *take, void *user);

/* Starts in the middle of JSONL, at byte `byte` of the file: the rest of the line that it is in is dropped. Lines are
 * counted from this one, as 1. */
void ee_splitter_start_inside(ee_splitter *splitter, size_t record_limit, uint64_t byte);

/* Starts after the bracket of an array inside a document, which is at byte `byte` - 1 of the file, in line `line` (from
 * 1), which begins at `line_byte`. What is after the array is ignored. */
void ee_splitter_start_array(ee_splitter *splitter, size_t record_limit, uint64_t byte, uint64_t line,
                             uint64_t line_byte);

/* Where in the file the record that is not complete begins, or the next one. */
uint64_t ee_splitter_byte(const ee_splitter *splitter);

/* Scans what was added to block->text since the last call, and adds records and errors to `block`. `at_end`: the file
 * ends here. If the block has no records, the rest of the text may be moved to its front. */
void ee_splitter_run(ee_splitter *splitter, ee_block *block, bool at_end);

/* Ends a file that cannot be read further: adds an error with `message`; an incomplete record is lost. */
void ee_splitter_abandon(ee_splitter *splitter, ee_block *block, const char *message);

/* Moves the incomplete record from block->text to the end of `rest`, with which the next block's text must start. */
void ee_splitter_cut(ee_splitter *splitter, ee_block *block, ee_buffer *rest);

#endif
