/* quality_file.c: the strategies of ee.quality in a JSON file, each with its line. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_name.h"
#include "base/hash.h"
#include "data/json_reader.h"
#include "data/json_token.h"
#include "judge/quality_judge.h"

/* Opens an ordinary file; -1 when it is none or cannot be opened, which is reported. What may wait for a writer for
 * ever is not waited for. */
static int open_file(ee_plan_builder *builder, const ee_spec *spec, const char *name) {
  struct stat facts;
  int file = open(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  if (file < 0 || fstat(file, &facts) != 0) {
    ee_plan_error(builder, spec, "strategies of ee.quality: cannot open '%s': %s", name, strerror(errno));
  } else if (!S_ISREG(facts.st_mode)) {
    ee_plan_error(builder, spec, "strategies of ee.quality: '%s' is %s", name,
                  S_ISDIR(facts.st_mode) ? "a directory" : "no ordinary file");
  } else {
    return file;
  }
  if (file >= 0) close(file);
  return -1;
}

/* The whole file; false when it cannot be read or is too large, which is reported. */
static bool read_text(ee_plan_builder *builder, const ee_spec *spec, const char *name, ee_buffer *text) {
  int file = open_file(builder, spec, name);
  if (file < 0) return false;
  ssize_t got;
  do {
    got = read(file, ee_buffer_reserve(text, 1 << 16), 1 << 16);
    if (got > 0) text->length += (size_t)got;
  } while ((got > 0 && text->length <= EE_QUALITY_FILE_LIMIT) || (got < 0 && errno == EINTR));
  int number = errno;
  close(file);
  if (got < 0) {
    ee_plan_error(builder, spec, "strategies of ee.quality: cannot read '%s': %s", name, strerror(number));
  } else if (text->length > EE_QUALITY_FILE_LIMIT) {
    ee_plan_error(builder, spec, "strategies of ee.quality: '%s' is larger than 16 MiB", name);
  } else {
    return true;
  }
  return false;
}

/* Reads one value at `*at`, which is known to be there, and moves behind it. */
static const ee_value *take_value(ee_arena *arena, const char **at, const char *end) {
  size_t taken = 0;
  ee_error never;
  const ee_value *value = ee_json_read_prefix(arena, (ee_str){*at, (size_t)(end - *at)}, &taken, &never);
  *at = ee_json_skip_space(*at + taken, end);
  return value;
}

/* Walks the members of the object that `text`, valid JSON, holds: the reader knows no lines of what it has read. */
static void read_members(ee_plan_builder *builder, ee_str text, size_t most, ee_quality_file *file) {
  ee_quality_member *members = EE_NEW_ARRAY(builder->arena, ee_quality_member, most);
  file->members = members;
  const char *at = text.data, *end = text.data + text.length;
  const char *counted = at;
  size_t line = 1;
  at = ee_json_skip_space(ee_json_skip_space(at, end) + 1, end);
  while (*at != '}' && file->count < most) {
    for (; counted < at; counted++) line += *counted == '\n';
    ee_quality_member *member = &members[file->count++];
    member->line = line;
    member->key = ee_value_text(take_value(builder->arena, &at, end));
    at = ee_json_skip_space(at + 1, end); /* the colon */
    member->value = take_value(builder->arena, &at, end);
    if (*at == ',') at = ee_json_skip_space(at + 1, end);
  }
}

/* Told to count the members that the reader drops. */
static void on_duplicate_key(void *user, ee_str key, size_t offset) {
  (void)key, (void)offset;
  *(size_t *)user += 1;
}

bool ee_quality_file_read(ee_plan_builder *builder, const ee_spec *spec, ee_str name, ee_quality_file *file) {
  *file = (ee_quality_file){0};
  if (name.length == 0) {
    ee_plan_error(builder, spec, "strategies of ee.quality: the name of the file is empty");
    return false;
  }
  if (memchr(name.data, '\0', name.length) != NULL) {
    ee_plan_error(builder, spec, "strategies of ee.quality: the name of the file has a NUL in it");
    return false;
  }
  file->name = ee_file_name_beside(builder->arena, spec->file, name);
  ee_buffer buffer;
  ee_buffer_init(&buffer);
  bool good = read_text(builder, spec, file->name, &buffer);
  if (good) {
    ee_str text = {buffer.data, buffer.length};
    ee_arena scratch;
    ee_arena_init(&scratch, 0);
    size_t twice = 0;
    ee_json_options options = {.on_duplicate_key = on_duplicate_key, .user = &twice};
    ee_error error = {0};
    const ee_value *root = ee_json_read(&scratch, text, &options, &error);
    good = ee_type_of(root) == EE_OBJECT;
    if (root == NULL) {
      ee_error_at(&error, EE_ERROR_RULES, file->name, error.line, error.column, "%s", error.message);
      ee_error_list_add(builder->errors, &error);
    } else if (!good) {
      ee_spec place = {.file = file->name, .line = 1};
      ee_plan_error(builder, &place, "strategies of ee.quality must be an object (\"key\": \"EXACT\", ...), not %s",
                    ee_type_name(root));
    } else {
      read_members(builder, text, ee_value_count(root) + twice, file);
      builder->plan->rules_hash = ee_hash_bytes(text.data, text.length, builder->plan->rules_hash);
    }
    ee_arena_fini(&scratch);
  }
  ee_buffer_fini(&buffer);
  return good;
}
