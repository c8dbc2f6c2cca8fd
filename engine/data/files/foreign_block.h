/* foreign_block.h: a block of records of another tool as a block of records of record.h. */
#ifndef EE_DATA_FILES_FOREIGN_BLOCK_H
#define EE_DATA_FILES_FOREIGN_BLOCK_H

#include "data/files/block.h"
#include "data/foreign/foreign.h"

/* How the records of a data set are converted. */
typedef struct ee_foreign_blocks {
  const ee_foreign_use *use; /* NULL: they are not */
  ee_foreign_seen seen;
  uint64_t errors; /* of the file */
  ee_arena arena;  /* of one record */
  ee_buffer text;  /* of the converted block */
} ee_foreign_blocks;

void ee_foreign_blocks_init(ee_foreign_blocks *self, const ee_foreign_use *use);
void ee_foreign_blocks_fini(ee_foreign_blocks *self);

/* Converts all records of `block`, which keep their places. What is not a case is dropped, and what cannot be read
 * becomes an error at its place. `at_end`: the file has no more blocks. */
void ee_foreign_blocks_convert(ee_foreign_blocks *self, ee_block *block, bool at_end);

#endif
