/* yaml_reader.c: libyaml's events to the document model. */
#include "data/yaml_reader.h"

#include <string.h>

static bool ends_with(const char *text, size_t length, const char *ending) {
  size_t tail = strlen(ending);
  return length >= tail && memcmp(text + length - tail, ending, tail) == 0;
}

bool ee_is_yaml_name(const char *file) {
  size_t length = strlen(file);
  if (ends_with(file, length, ".gz")) length -= 3;
  return ends_with(file, length, ".yaml") || ends_with(file, length, ".yml");
}
