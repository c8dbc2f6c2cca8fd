/* durable_file.h: names and bytes of files that other programs, other machines and a power failure may meet half done.
 *
 * A file that must never be seen half done is written under a name of its own in the folder of its final name, synced,
 * and renamed; then the folder is synced, since a name is kept there. */
#ifndef EE_BASE_DURABLE_FILE_H
#define EE_BASE_DURABLE_FILE_H

#include <stdbool.h>
#include <stdint.h>

/* The file that `path` names once all symbolic links are followed, whether it exists or not: renaming to it replaces
 * the file and leaves the links. Allocated. NULL where the last link is one of the kernel's (/proc/self/fd/1, to which
 * /dev/stdout leads): such a file has to be opened by `path`. NULL with errno ELOOP for links in a circle. */
char *ee_followed_path(const char *path);

/* The folder of `path`: all before its last slash, "." without one. Allocated. */
char *ee_folder_of(const char *path);

/* ".NAME.RANDOM.tmp" in the folder of `path`, with 64 random bits: no process number, which processes in two
 * containers share. Whoever makes the file still has to use O_EXCL. Allocated. */
char *ee_temporary_name(const char *path);

/* Brings the bytes of an open file to the disk. False with errno; a file or file system that cannot be synced is not an
 * error. */
bool ee_sync_file(int descriptor);
/* Lets the disk begin with `length` bytes from `from` on, so that syncing the file later does not take as long. Nothing
 * can be relied on, and nothing happens where the system has no such call. */
void ee_start_sync(int descriptor, uint64_t from, uint64_t length);
/* The same as ee_sync_file() for the names in the folder of `path`. A folder that cannot be opened is not synced. */
bool ee_sync_folder_of(const char *path);

/* Gives `from`, which has been synced, the name `to` in the same folder, and syncs the folder. False with errno, also
 * when only the last failed. */
bool ee_rename_durably(const char *from, const char *to);

#endif
