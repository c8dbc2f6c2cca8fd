/* output.c: writing, renaming, and saying what went wrong with which file. */
#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"

#define STANDARD_OUTPUT "standard output"

static ee_status system_error(ee_error *error, const char *what, const char *name) {
  int number = errno;
  const char *quote = strcmp(name, STANDARD_OUTPUT) == 0 ? "" : "'";
  return ee_error_set(error, EE_ERROR_SYSTEM, "cannot %s %s%s%s: %s", what, quote, name, quote, strerror(number));
}

/* ".NAME.PID.tmp" in the directory of `path`. */
static char *temporary_name(const char *path) {
  const char *slash = strrchr(path, '/');
  size_t directory = slash != NULL ? (size_t)(slash - path) + 1 : 0;
  size_t size = strlen(path) + 32;
  char *name = ee_malloc(size);
  snprintf(name, size, "%.*s.%s.%ld.tmp", (int)directory, path, path + directory, (long)getpid());
  return name;
}

ee_status ee_output_open(ee_output *output, const char *path, ee_error *error) {
  *output = (ee_output){.descriptor = -1, .name = path};
  if (path == NULL || strcmp(path, "-") == 0) {
    output->descriptor = STDOUT_FILENO;
    output->name = STANDARD_OUTPUT;
    return EE_OK;
  }
  struct stat status;
  bool exists = stat(path, &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) {
    errno = EISDIR;
    return system_error(error, "write", path);
  }
  if (exists && !S_ISREG(status.st_mode)) {
    output->descriptor = open(path, O_WRONLY | O_CLOEXEC);
    return output->descriptor < 0 ? system_error(error, "open", path) : EE_OK;
  }
  char *temporary = temporary_name(path);
  /* What the file may be read by stays as it was. */
  mode_t mode = exists ? status.st_mode & 0777 : 0666;
  output->descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
  if (output->descriptor < 0) {
    ee_status failed = system_error(error, "create", path);
    free(temporary);
    return failed;
  }
  output->temporary = temporary;
  return EE_OK;
}

ee_status ee_output_write(ee_output *output, const char *data, size_t length, ee_error *error) {
  while (length > 0) {
    ssize_t written = write(output->descriptor, data, length);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return system_error(error, "write", output->name);
    data += written;
    length -= (size_t)written;
  }
  return EE_OK;
}

ee_status ee_output_close(ee_output *output, bool keep, ee_error *error) {
  ee_status status = EE_OK;
  if (output->descriptor >= 0 && output->descriptor != STDOUT_FILENO && close(output->descriptor) != 0)
    status = system_error(error, "write", output->name);
  output->descriptor = -1;
  if (output->temporary != NULL) {
    if (status == EE_OK && keep) {
      if (rename(output->temporary, output->name) != 0) status = system_error(error, "write", output->name);
    }
    if (status != EE_OK || !keep) unlink(output->temporary);
    free(output->temporary);
    output->temporary = NULL;
  }
  return status;
}

bool ee_output_is_same_file(const char *path, const char *other) {
  struct stat a, b;
  return stat(path, &a) == 0 && stat(other, &b) == 0 && S_ISREG(a.st_mode) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}
