/* data_part.h: what makes a part of a data set: where it begins and ends, and which of a block's records are in it. */
#ifndef EE_DATA_FILES_DATA_PART_H
#define EE_DATA_FILES_DATA_PART_H

#include "data/files/block.h"

/* The end of part `part` of `of`: the first of `size` bytes (or records) after it, size * part / of. */
uint64_t ee_part_end(uint64_t size, uint64_t part, uint64_t of);

/* The bytes of the open file that are in the part. */
typedef struct ee_file_part {
  bool is_cut; /* not all of the file */
  uint64_t from, to, size;
  uint64_t places;   /* of records that are numbered and not placed: number k is at byte size * k / places; 0: placed */
  uint64_t unlisted; /* errors that are only counted, since the last record */
} ee_file_part;

/* Drops records and errors of the block that are not in the part. An error at the end of the file is in the part with
 * the file's last byte. True if the part ends in this block. `at_end`: no block of the file follows. */
bool ee_file_part_keep(ee_file_part *part, ee_block *block, bool at_end);

#endif
