/* temporary_file.h: a file without a name, for what does not fit into memory. */
#ifndef EE_BASE_TEMPORARY_FILE_H
#define EE_BASE_TEMPORARY_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* A new file in the folder TMPDIR, else /tmp, open for reading and writing and already unlinked: it is gone when the
 * process ends. -1 with errno if it cannot be made. The caller closes it. */
int ee_temporary_file(void);

/* The same, closed when the thread's pool is discarded (base/pool.h). NULL with errno. */
typedef struct ee_held_file ee_held_file;
ee_held_file *ee_held_file_new(void);
int ee_held_file_descriptor(const ee_held_file *held);
/* NULL is ignored. */
void ee_held_file_close(ee_held_file *held);

/* Makes `count` of them now (at most EE_TEMPORARY_STOCK), which ee_temporary_file() gives out first: for a process that
 * may make none later. `descriptors` gets their numbers. Once in a process. False with errno. */
#define EE_TEMPORARY_STOCK 16
bool ee_temporary_files_stock(size_t count, int *descriptors);

/* Writes all of it, also to pipes; false with errno. */
bool ee_write_whole(int file, const char *data, size_t length);

#endif
