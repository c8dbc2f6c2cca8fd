/* durable_file.c: following links, temporary names, syncing and renaming. */
#include "base/durable_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"

/* As many as Linux follows. */
#define MAX_LINKS 40

/* Bytes of `path` up to and with its last slash. */
static size_t folder_length(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash != NULL ? (size_t)(slash + 1 - path) : 0;
}

char *ee_folder_of(const char *path) {
  size_t length = folder_length(path);
  if (length == 0) return ee_copy_string(".");
  return ee_copy_bytes(path, length > 1 ? length - 1 : 1);
}

/* What the link `path` leads to, as a path from here; NULL if it is not a link. */
static char *read_link(const char *path) {
  char target[PATH_MAX];
  ssize_t length = readlink(path, target, sizeof target);
  if (length < 0 || (size_t)length == sizeof target) return NULL; /* unreached: no link is that long */
  size_t folder = *target == '/' ? 0 : folder_length(path);
  char *result = ee_malloc(folder + (size_t)length + 1);
  memcpy(result, path, folder);
  memcpy(result + folder, target, (size_t)length);
  result[folder + (size_t)length] = '\0';
  return result;
}

/* A link of the kernel's may lead to a file that has another name by now, or none. */
static bool is_of_kernel(const char *path) {
  return strncmp(path, "/proc/", 6) == 0 || strncmp(path, "/dev/fd/", 8) == 0;
}

char *ee_followed_path(const char *path) {
  char *at = ee_copy_string(path);
  for (int i = 0; i < MAX_LINKS; i++) {
    char *next = read_link(at);
    if (next == NULL) return at;
    bool of_kernel = is_of_kernel(at);
    ee_free(at);
    at = next;
    if (!of_kernel) continue;
    ee_free(at);
    errno = 0;
    return NULL;
  }
  ee_free(at);
  errno = ELOOP;
  return NULL;
}

/* The kernel's random numbers. A system without them: the time and a place in memory, which is random, too. */
static uint64_t random_number(void) {
  uint64_t number;
  /* unreached: a kernel that has no random numbers yet */
  if (getrandom(&number, sizeof number, GRND_NONBLOCK) == (ssize_t)sizeof number) return number;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now); /* unreached: as above */
  /* unreached: as above */
  return (uint64_t)now.tv_nsec * UINT64_C(0x9e3779b97f4a7c15) ^ (uint64_t)now.tv_sec ^ (uint64_t)(uintptr_t)&now;
}

char *ee_temporary_name(const char *path) {
  size_t folder = folder_length(path), size = strlen(path) + 32;
  char *name = ee_malloc(size);
  snprintf(name, size, "%.*s.%s.%016" PRIx64 ".tmp", (int)folder, path, path + folder, random_number());
  return name;
}

bool ee_sync_file(int descriptor) {
  while (fsync(descriptor) != 0) {
    if (errno == EINTR) continue; /* unreached: a signal during fsync() */
    return errno == EINVAL || errno == ENOSYS || errno == ENOTSUP || errno == EROFS; /* unreached: other file systems */
  }
  return true;
}

void ee_start_sync(int descriptor, uint64_t from, uint64_t length) {
#ifdef SYNC_FILE_RANGE_WRITE
  int before = errno;
  sync_file_range(descriptor, (off_t)from, (off_t)length, SYNC_FILE_RANGE_WRITE);
  errno = before;
#else
  (void)descriptor, (void)from, (void)length;
#endif
}

bool ee_sync_folder_of(const char *path) {
  char *folder = ee_folder_of(path);
  int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ee_free(folder);
  if (descriptor < 0) return true;
  bool synced = ee_sync_file(descriptor);
  int number = errno;
  close(descriptor);
  errno = number;
  return synced;
}

bool ee_rename_durably(const char *from, const char *to) { return rename(from, to) == 0 && ee_sync_folder_of(to); }
