/* temporary_file.c: a file without a name. */
#include "base/temporary_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/pool.h"

/* Files in stock, descriptors plus one; 0: none. */
static atomic_int stock[EE_TEMPORARY_STOCK];

static int make_file(void) {
  const char *folder = getenv("TMPDIR");
  char name[4096];
  int length = snprintf(name, sizeof name, "%s/evalengine-XXXXXX", folder != NULL && *folder ? folder : "/tmp");
  if (length < 0 || (size_t)length >= sizeof name) {
    errno = ENAMETOOLONG;
    return -1;
  }
  int file = mkostemp(name, O_CLOEXEC);
  if (file >= 0) unlink(name);
  return file;
}

int ee_temporary_file(void) {
  for (size_t i = 0; i < EE_TEMPORARY_STOCK; i++) {
    int file = atomic_exchange(&stock[i], 0) - 1;
    if (file >= 0) return file;
  }
  return make_file();
}

bool ee_temporary_files_stock(size_t count, int *descriptors) {
  for (size_t i = 0; i < EE_TEMPORARY_STOCK && i < count; i++) {
    int file = descriptors[i] = make_file();
    if (file < 0) return false;
    atomic_store(&stock[i], file + 1);
  }
  return true;
}

bool ee_write_whole(int file, const char *data, size_t length) {
  while (length > 0) {
    ssize_t written = write(file, data, length);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    data += written;
    length -= (size_t)written;
  }
  return true;
}

struct ee_held_file {
  int file;
  ee_cleanup cleanup;
};

static void close_held(void *user) { close(((ee_held_file *)user)->file); }

ee_held_file *ee_held_file_new(void) {
  ee_held_file *held = ee_malloc(sizeof *held); /* before the file is open: it may not return */
  held->file = ee_temporary_file();
  if (held->file >= 0) {
    ee_cleanup_add(&held->cleanup, close_held, held);
    return held;
  }
  int number = errno;
  ee_free(held);
  errno = number;
  return NULL;
}

int ee_held_file_descriptor(const ee_held_file *held) { return held->file; }

void ee_held_file_close(ee_held_file *held) {
  if (held == NULL) return;
  ee_cleanup_remove(&held->cleanup);
  close_held(held);
  ee_free(held);
}
