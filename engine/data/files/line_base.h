/* line_base.h: how many lines of a file are before a part of it.
 *
 * A part that is sought in the middle of a file does not know its lines' numbers. They are counted when the first one
 * is needed, for a message or the name of a record without an id, and then once for the file. */
#ifndef EE_DATA_FILES_LINE_BASE_H
#define EE_DATA_FILES_LINE_BASE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct ee_line_base ee_line_base;

/* Those before byte `byte` of `file`, which must outlive the result. `is_there` false: the file's beginning cannot be
 * read, and the lines are never known. */
ee_line_base *ee_line_base_new(const char *file, bool is_there, uint64_t byte);
void ee_line_base_free(ee_line_base *base);
/* By the address of the name. */
bool ee_line_base_is_of(const ee_line_base *base, const char *file);
/* The file's number of the part's line `line`; 0: not known. Counts at the first call. From any thread. */
uint64_t ee_line_base_line(ee_line_base *base, uint64_t line);

#endif
