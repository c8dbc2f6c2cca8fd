/* beside_file.c: reading what stands beside a rule file. */
#include "judge/beside_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_name.h"
#include "base/hash.h"

/* Opens an ordinary file; -1 when it is none or cannot be opened, which is reported. What may wait for a writer for
 * ever is not waited for. */
static int open_file(ee_plan_builder *builder, const ee_spec *spec, const char *subject, const char *name) {
  struct stat facts;
  int file = open(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  if (file < 0 || fstat(file, &facts) != 0) {
    ee_plan_error(builder, spec, "%s: cannot open '%s': %s", subject, name, strerror(errno));
  } else if (!S_ISREG(facts.st_mode)) {
    ee_plan_error(builder, spec, "%s: '%s' is %s", subject, name,
                  S_ISDIR(facts.st_mode) ? "a directory" : "no ordinary file");
  } else {
    return file;
  }
  if (file >= 0) close(file);
  return -1;
}

const char *ee_beside_file_name(ee_plan_builder *builder, const ee_spec *spec, const char *subject, ee_str name) {
  if (name.length == 0) {
    ee_plan_error(builder, spec, "%s: the name of the file is empty", subject);
    return NULL;
  }
  if (memchr(name.data, '\0', name.length) != NULL) {
    ee_plan_error(builder, spec, "%s: the name of the file has a NUL in it", subject);
    return NULL;
  }
  return ee_file_name_beside(builder->arena, spec->file, name);
}

bool ee_beside_file_read(ee_plan_builder *builder, const ee_spec *spec, const char *subject, const char *name,
                         ee_buffer *text) {
  int file = open_file(builder, spec, subject, name);
  if (file < 0) return false;
  size_t before = text->length;
  ssize_t got;
  do {
    got = read(file, ee_buffer_reserve(text, 1 << 16), 1 << 16);
    if (got > 0) text->length += (size_t)got;
  } while ((got > 0 && text->length - before <= EE_BESIDE_FILE_LIMIT) || (got < 0 && errno == EINTR));
  int number = errno;
  close(file);
  if (got < 0) {
    ee_plan_error(builder, spec, "%s: cannot read '%s': %s", subject, name, strerror(number));
  } else if (text->length - before > EE_BESIDE_FILE_LIMIT) {
    ee_plan_error(builder, spec, "%s: '%s' is larger than 16 MiB", subject, name);
  } else {
    ee_plan *plan = builder->plan;
    plan->rules_hash = ee_hash_bytes(text->data + before, text->length - before, plan->rules_hash);
    return true;
  }
  return false;
}
