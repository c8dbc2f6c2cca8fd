/* output.c: writing and renaming, with the file in every message. */
#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/durable_file.h"
#include "base/error.h"
#include "base/memory.h"
#include "cli/host.h"
#include "cli/interrupt.h"

#define STANDARD_OUTPUT "standard output"
#define PART ".part"
/* Random names that are tried. */
#define MAX_NAMES 100

static ee_status system_error(ee_error *error, const char *what, const char *name) {
  int number = errno;
  const char *quote = strcmp(name, STANDARD_OUTPUT) == 0 ? "" : "'";
  return ee_error_set(error, EE_ERROR_SYSTEM, "cannot %s %s%s%s: %s", what, quote, name, quote, strerror(number));
}

/* How linkat() names an open file. */
static void descriptor_path(int descriptor, char out[64]) { snprintf(out, 64, "/proc/self/fd/%d", descriptor); }

/* A file without a name, on the file system of `path`: nothing of it is left, however the program ends. -1 where that
 * is impossible, or it could not be named later. */
static int open_unnamed(const char *path, mode_t mode) {
  char *directory = ee_folder_of(path), proc[64];
  int descriptor = open(directory, O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
  ee_free(directory);
  if (descriptor < 0) return -1;
  descriptor_path(descriptor, proc);
  if (access(proc, F_OK) == 0) return descriptor; /* unreached: a system without /proc */
  close(descriptor);                              /* unreached: a system without /proc */
  return -1;                                      /* unreached: a system without /proc */
}

/* The number of the open descriptor that `path` names; else -1. Opening it again would truncate a log that it appends
 * to. */
static int named_descriptor(const char *path) {
  if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0) return STDOUT_FILENO;
  if (strcmp(path, "/dev/stderr") == 0) return STDERR_FILENO;
  if (strncmp(path, "/dev/fd/", 8) != 0) return -1;
  size_t digits = strspn(path + 8, "0123456789");
  return digits > 0 && digits < 6 && path[8 + digits] == '\0' ? atoi(path + 8) : -1;
}

bool ee_output_is_open(const char *path) { return named_descriptor(path) >= 0; }

/* Opens what is not a regular file. */
static ee_status open_directly(ee_output *output, const char *path, ee_error *error) {
  output->descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  /* unreached: fcntl() of an open descriptor does not fail */
  return output->descriptor < 0 ? system_error(error, "open", path) : EE_OK;
}

/* Opens a file that will get the name output->target. */
static void open_temporary(ee_output *output, mode_t mode) {
  output->temporary = ee_temporary_name(output->target);
  struct stat link;
  /* An impossible name is an error now, not at the end of the run. */
  if (*output->target == '\0' || (lstat(output->temporary, &link) != 0 && errno != ENOENT)) return;
  output->descriptor = open_unnamed(output->target, mode);
  output->unnamed = output->descriptor >= 0;
  if (output->unnamed) return;
  output->descriptor = open(output->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (output->descriptor >= 0) ee_interrupt_remove(output->temporary);
}

static void forget_names(ee_output *output) {
  if (output->temporary != NULL) ee_interrupt_forget(output->temporary);
  ee_free(output->temporary);
  ee_free(output->target);
  output->temporary = output->target = NULL;
  output->unnamed = false;
}

/* Opens what a host has in place of standard output or of the file of --state: nothing else is written for one. */
static ee_status open_memory(ee_output *output, const char *path, ee_host *host) {
  output->memory = path == NULL ? host->output : host->state;
  return EE_OK;
}

ee_status ee_output_open(ee_output *output, const char *path, ee_error *error) {
  *output = (ee_output){.descriptor = -1, .name = path};
  if (ee_host_current() != NULL) return open_memory(output, path, ee_host_current());
  int open_already = path == NULL ? STDOUT_FILENO : named_descriptor(path);
  if (open_already == STDOUT_FILENO) {
    output->descriptor = STDOUT_FILENO;
    output->name = STANDARD_OUTPUT;
    return EE_OK;
  }
  if (open_already >= 0) {
    output->descriptor = fcntl(open_already, F_DUPFD_CLOEXEC, 3);
    return output->descriptor < 0 ? system_error(error, "write", path) : EE_OK;
  }
  struct stat status;
  bool exists = stat(path, &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) {
    errno = EISDIR;
    return system_error(error, "write", path);
  }
  if (exists && !S_ISREG(status.st_mode)) return open_directly(output, path, error);
  output->target = ee_followed_path(path);
  if (output->target == NULL && errno == ELOOP) return system_error(error, "open", path);
  if (output->target == NULL) return open_directly(output, path, error);
  /* The file keeps its permissions. */
  open_temporary(output, exists ? status.st_mode & 0777 : 0666);
  if (output->descriptor >= 0) return EE_OK;
  ee_status failed = system_error(error, "create", path);
  forget_names(output);
  return failed;
}

static ee_status file_exists(const char *path, ee_error *error) {
  return ee_error_set(error, EE_ERROR_USAGE, "'%s' exists and is not overwritten: remove it or name another file",
                      path);
}

ee_status ee_output_check_new(const char *path, ee_error *error) {
  struct stat status;
  bool exists = !ee_output_is_open(path) && stat(path, &status) == 0 && S_ISREG(status.st_mode);
  return exists ? file_exists(path, error) : EE_OK;
}

ee_status ee_output_open_new(ee_output *output, const char *path, ee_error *error) {
  ee_status status = ee_output_check_new(path, error);
  if (status == EE_OK) status = ee_output_open(output, path, error);
  if (status == EE_OK) output->is_new = true;
  return status;
}

ee_status ee_output_write(ee_output *output, const char *data, size_t length, ee_error *error) {
  if (output->memory != NULL) {
    ee_buffer_add(output->memory, data, length);
    return EE_OK;
  }
  while (length > 0) {
    ssize_t written = write(output->descriptor, data, length);
    if (written < 0 && errno == EINTR) continue; /* unreached: a signal during a write */
    if (written < 0 && errno == EPIPE && output->descriptor == STDOUT_FILENO)
      return ee_error_set(error, (ee_status)EE_EXIT_CLOSED_PIPE, "standard output is closed");
    if (written < 0) return system_error(error, "write", output->name);
    data += written;
    length -= (size_t)written;
  }
  return EE_OK;
}

static ee_status write_piece(void *user, const char *data, size_t length, ee_error *error) {
  return ee_output_write(user, data, length, error);
}

ee_status ee_output_write_page(ee_output *output, const ee_buffer *page, ee_html_cases *cases, ee_error *error) {
  return ee_html_cases_write(cases, (ee_str){page->data, page->length}, (ee_html_sink){output, write_piece}, error);
}

ee_status ee_output_write_tests(ee_output *output, ee_junit *tests, ee_error *error) {
  return ee_junit_write(tests, write_piece, output, error);
}

/* Gives the open file its temporary name: another one where somebody else has it. */
static bool name_file(ee_output *output) {
  char proc[64];
  descriptor_path(output->descriptor, proc);
  for (int i = 0; i < MAX_NAMES; i++) { /* unreached: files of all random names */
    /* unreached: a failing linkat(): make faults */
    if (linkat(AT_FDCWD, proc, AT_FDCWD, output->temporary, AT_SYMLINK_FOLLOW) == 0) {
      ee_interrupt_remove(output->temporary);
      return true;
    }
    if (errno != EEXIST) return false;                     /* unreached: a file of that random name */
    ee_free(output->temporary);                            /* unreached: a file of that random name */
    output->temporary = ee_temporary_name(output->target); /* unreached: a file of that random name */
  }
  return false; /* unreached: as above */
}

/* Gives the temporary file its name, which must be free. A file system without links cannot promise that nobody takes
 * it meanwhile. */
static bool rename_to_new(const ee_output *output) {
  if (link(output->temporary, output->target) == 0) {
    unlink(output->temporary);
    return ee_sync_folder_of(output->target);
  }
  if (errno == EEXIST) return false; /* unreached: a file system without links */
  struct stat status;
  if (lstat(output->target, &status) == 0) { /* unreached: a file system without links */
    errno = EEXIST;                          /* unreached: a file system without links */
    return false;
  }
  return ee_rename_durably(output->temporary, output->target); /* unreached: a file system without links */
}

static bool rename_to_target(const ee_output *output) {
  return output->is_new ? rename_to_new(output) : ee_rename_durably(output->temporary, output->target);
}

/* Closes the file and gives it its name; it is on the disk then. */
static ee_status appear(ee_output *output, ee_error *error) {
  bool named = !output->unnamed;
  bool done = ee_sync_file(output->descriptor);
  if (done && !named) done = named = name_file(output);            /* unreached: fsync() fails: make faults */
  if (!done) {                                                     /* unreached: a failing call: make faults */
    ee_status failed = system_error(error, "write", output->name); /* unreached: as above */
    close(output->descriptor);                                     /* unreached: as above */
    if (named) unlink(output->temporary);                          /* unreached: as above */
    return failed;                                                 /* unreached: as above */
  }
  /* unreached: a failing call: make faults */
  if (close(output->descriptor) == 0 && rename_to_target(output)) return EE_OK;
  bool is_taken = output->is_new && errno == EEXIST;
  ee_status failed = is_taken ? file_exists(output->name, error) : system_error(error, "write", output->name);
  unlink(output->temporary);
  return failed;
}

void ee_output_make_part(ee_output *output) {
  size_t size = strlen(output->target) + sizeof PART;
  output->target = ee_realloc(output->target, size, 1);
  memcpy(output->target + size - sizeof PART, PART, sizeof PART);
}

ee_status ee_output_close(ee_output *output, bool keep, ee_error *error) {
  ee_status status = EE_OK;
  if (output->target != NULL && keep) {
    status = appear(output, error);
  } else if (output->descriptor >= 0) {
    /* unreached: a failing close(): make faults */
    if (output->descriptor != STDOUT_FILENO && close(output->descriptor) != 0)
      status = system_error(error, "write", output->name); /* unreached: as the line before */
    if (output->target != NULL && !output->unnamed) unlink(output->temporary);
  }
  output->descriptor = -1;
  forget_names(output);
  return status;
}

ee_status ee_output_write_report(const char *path, const ee_buffer *page, ee_html_cases *cases, ee_error *error) {
  ee_output output;
  ee_status status = ee_output_open(&output, path, error);
  if (status != EE_OK) return status;
  status = ee_output_write_page(&output, page, cases, error);
  ee_status closed = ee_output_close(&output, status == EE_OK, status == EE_OK ? error : NULL);
  return status != EE_OK ? status : closed;
}

ee_status ee_output_write_all(const char *path, const ee_buffer *text, ee_error *error) {
  return ee_output_write_report(path, text, NULL, error);
}

ee_status ee_output_write_new(const char *path, const ee_buffer *text, ee_error *error) {
  ee_output output;
  ee_status status = ee_output_open_new(&output, path, error);
  if (status != EE_OK) return status;
  status = ee_output_write(&output, text->data, text->length, error);
  ee_status closed = ee_output_close(&output, status == EE_OK, status == EE_OK ? error : NULL);
  return status != EE_OK ? status : closed;
}

ee_status ee_output_write_all_tests(const char *path, ee_junit *tests, ee_error *error) {
  ee_output output;
  ee_status status = ee_output_open(&output, path, error);
  if (status != EE_OK) return status;
  status = ee_output_write_tests(&output, tests, error);
  ee_status closed = ee_output_close(&output, status == EE_OK, status == EE_OK ? error : NULL);
  return status != EE_OK ? status : closed;
}

/* True when both are the same name in the same directory, whether the file exists or not. */
static bool is_same_place(const char *path, const char *other) {
  const char *slash = strrchr(path, '/'), *other_slash = strrchr(other, '/');
  if (strcmp(slash == NULL ? path : slash + 1, other_slash == NULL ? other : other_slash + 1) != 0) return false;
  char *directory = ee_folder_of(path), *other_directory = ee_folder_of(other);
  struct stat a, b;
  bool same =
      stat(directory, &a) == 0 && stat(other_directory, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
  ee_free(directory);
  ee_free(other_directory);
  return same;
}

bool ee_output_is_same_file(const char *path, const char *other) {
  struct stat a, b;
  if (strcmp(path, "-") == 0) return false; /* standard output, which is not standard input */
  bool exists = stat(path, &a) == 0, other_exists = stat(other, &b) == 0;
  if (!exists || !other_exists) return exists == other_exists && is_same_place(path, other);
  return S_ISREG(a.st_mode) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}
