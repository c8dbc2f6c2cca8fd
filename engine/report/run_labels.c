/* run_labels.c: the shortest ends of paths that tell runs apart. */
#include "report/run_labels.h"

#include <string.h>

/* The last `parts` parts of a path, the last one with or without what rows usually end in. */
static ee_str label_of(const char *name, size_t parts, bool with_ending) {
  static const char *const endings[] = {".gz", ".zst", ".jsonl", ".json", ".rows"};
  ee_str label = ee_str_from(name);
  for (size_t i = label.length; i > 0; i--) {
    if (name[i - 1] != '/' || i == label.length || --parts > 0) continue;
    label = (ee_str){name + i, label.length - i};
    break;
  }
  for (size_t i = 0; !with_ending && i < sizeof endings / sizeof *endings; i++) {
    size_t length = strlen(endings[i]);
    if (label.length > length && memcmp(label.data + label.length - length, endings[i], length) == 0)
      label.length -= length;
  }
  return label;
}

/* Whether another file has the same label. The same file may be there several times. */
static bool any_equal(const ee_str *labels, const char *const *names, size_t count) {
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < i; k++)
      if (ee_str_equal(labels[i], labels[k]) && strcmp(names[i], names[k]) != 0) return true;
  return false;
}

static size_t longest_path(const char *const *names, size_t count) {
  size_t longest = 1;
  for (size_t i = 0; i < count; i++) {
    size_t parts = 1;
    for (const char *at = names[i]; *at != '\0'; at++) parts += *at == '/';
    if (parts > longest) longest = parts;
  }
  return longest;
}

const ee_str *ee_run_labels(const char *const *names, size_t count, ee_arena *arena) {
  ee_str *labels = EE_NEW_ARRAY(arena, ee_str, count);
  size_t longest = longest_path(names, count);
  bool done = false;
  for (size_t parts = 1; parts <= longest && !done; parts++) {
    for (int with_ending = 0; with_ending < 2 && !done; with_ending++) {
      for (size_t i = 0; i < count; i++) labels[i] = label_of(names[i], parts, with_ending == 1);
      done = !any_equal(labels, names, count);
    }
  }
  for (size_t i = 0; !done && i < count; i++) labels[i] = ee_str_from(names[i]);
  for (size_t i = 1; i < count; i++) {
    size_t before = 0;
    for (size_t k = 0; k < i; k++) before += strcmp(names[i], names[k]) == 0;
    if (before == 0) continue;
    labels[i] = ee_str_from(ee_arena_printf(arena, "%.*s (%zu)", (int)labels[i].length, labels[i].data, before + 1));
  }
  return labels;
}
