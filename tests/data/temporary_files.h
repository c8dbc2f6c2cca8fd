/* temporary_files.h: a folder with four files that the tests write again and again. */
#ifndef EE_TESTS_DATA_TEMPORARY_FILES_H
#define EE_TESTS_DATA_TEMPORARY_FILES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[256];
static char names[4][300]; /* files that the tests write, one after the other */

static inline int set_up(void **state) {
  (void)state;
  const char *parent = getenv("TMPDIR");
  snprintf(folder, sizeof folder, "%s/ee_dataset_XXXXXX", parent != NULL ? parent : P_tmpdir);
  assert_non_null(mkdtemp(folder));
  for (int i = 0; i < 4; i++) snprintf(names[i], sizeof names[i], "%s/%d.jsonl", folder, i);
  return 0;
}

static inline int tear_down(void **state) {
  (void)state;
  for (int i = 0; i < 4; i++) unlink(names[i]);
  return rmdir(folder);
}

static inline void write_file(const char *name, const void *data, size_t length) {
  unlink(name); /* some file systems wait for the disk when a file is written over */
  FILE *file = fopen(name, "wb");
  assert_non_null(file);
  if (length > 0) assert_int_equal(fwrite(data, 1, length, file), length);
  assert_int_equal(fclose(file), 0);
}

#endif
