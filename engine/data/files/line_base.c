/* line_base.c: counts the lines before a part, once. */
#include "data/files/line_base.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include "base/memory.h"

struct ee_line_base {
  const char *file;
  uint64_t byte;
  pthread_mutex_t lock;
  bool is_there, counted;
  uint64_t lines; /* before `byte` */
};

ee_line_base *ee_line_base_new(const char *file, bool is_there, uint64_t byte) {
  ee_line_base *base = ee_calloc(1, sizeof *base);
  base->file = file;
  base->is_there = is_there;
  base->byte = byte;
  pthread_mutex_init(&base->lock, NULL);
  return base;
}

void ee_line_base_free(ee_line_base *base) {
  if (base == NULL) return;
  pthread_mutex_destroy(&base->lock);
  ee_free(base);
}

bool ee_line_base_is_of(const ee_line_base *base, const char *file) { return base->file == file; }

static uint64_t count_newlines(const char *text, size_t length) {
  uint64_t lines = 0;
  for (size_t i = 0; i < length; i++) lines += text[i] == '\n';
  return lines;
}

/* A file that cannot be read to `byte` any more leaves the lines unknown. */
static void count_lines(ee_line_base *base) {
  int fd = open(base->file, O_RDONLY | O_CLOEXEC);
  char piece[16384]; /* not ee_malloc(), which may not return: there is a lock */
  uint64_t left = base->byte, lines = 0;
  while (fd >= 0 && left > 0) {
    ssize_t got = read(fd, piece, left < sizeof piece ? (size_t)left : sizeof piece);
    if (got <= 0) break;
    lines += count_newlines(piece, (size_t)got);
    left -= (uint64_t)got;
  }
  if (fd >= 0) close(fd);
  base->counted = true;
  base->lines = lines;
  base->is_there = left == 0;
}

uint64_t ee_line_base_line(ee_line_base *base, uint64_t line) {
  pthread_mutex_lock(&base->lock);
  if (base->is_there && !base->counted) count_lines(base);
  uint64_t found = base->is_there ? base->lines + line : 0;
  pthread_mutex_unlock(&base->lock);
  return found;
}
