/* folder.c: readdir(), recursively. */
#include "data/files/folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/str.h"

#define DEPTH_LIMIT 32

static bool cut_suffix(ee_str *name, const char *suffix) {
  size_t length = strlen(suffix);
  if (name->length <= length || strncasecmp(name->data + name->length - length, suffix, length) != 0) return false;
  name->length -= length;
  return true;
}

/* Cuts the suffixes of a data file; false if it is called something else. */
static bool cut_suffixes(ee_str *name) {
  static const char *const packed[] = {".gz", ".zst"}, *const kinds[] = {".json", ".jsonl", ".ndjson", ".csv", ".tsv"};
  for (size_t i = 0; i < 2; i++)
    if (cut_suffix(name, packed[i])) break;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (cut_suffix(name, kinds[i])) return true;
  return false;
}

static char *copy(ee_str text) {
  char *made = ee_malloc(text.length + 1);
  memcpy(made, text.data, text.length);
  made[text.length] = '\0';
  return made;
}

static char *join(const char *directory, const char *name) {
  size_t length = strlen(directory);
  const char *slash = length > 0 && directory[length - 1] == '/' ? "" : "/";
  ee_buffer path;
  ee_buffer_init(&path);
  ee_buffer_addf(&path, "%s%s%s", directory, slash, name);
  ee_buffer_terminate(&path);
  return path.data;
}

static ee_status read_directory(const char *directory, size_t prefix, int depth, ee_folder *folder, ee_error *error);

/* Takes `path`. `prefix`: the length of what precedes the id. */
static ee_status add_entry(char *path, size_t prefix, int depth, ee_folder *folder, ee_error *error) {
  struct stat facts;
  ee_status status = EE_OK;
  ee_str name = ee_str_from(path + prefix);
  if (stat(path, &facts) != 0) {
    status = ee_error_set(error, EE_ERROR_SYSTEM, "cannot open '%s': %s", path, strerror(errno));
  } else if (S_ISDIR(facts.st_mode)) {
    status = read_directory(path, prefix, depth + 1, folder, error);
  } else if (cut_suffixes(&name)) {
    *EE_LIST_ADD(folder, NULL) = (ee_folder_file){.path = path, .id = copy(name)};
    return EE_OK;
  } else {
    /* The first one by name, whatever the order of the directory. */
    if (folder->others++ == 0 || strcmp(path + prefix, folder->example) < 0)
      snprintf(folder->example, sizeof folder->example, "%s", path + prefix);
  }
  free(path);
  return status;
}

static ee_status read_directory(const char *directory, size_t prefix, int depth, ee_folder *folder, ee_error *error) {
  if (depth > DEPTH_LIMIT)
    return ee_error_set(error, EE_ERROR_SYSTEM, "directories in '%s' are nested too deep", directory);
  DIR *open = opendir(directory);
  if (open == NULL) return ee_error_set(error, EE_ERROR_SYSTEM, "cannot open '%s': %s", directory, strerror(errno));
  ee_status status = EE_OK;
  const struct dirent *entry;
  while (status == EE_OK && (entry = readdir(open)) != NULL)
    if (entry->d_name[0] != '.') status = add_entry(join(directory, entry->d_name), prefix, depth, folder, error);
  closedir(open);
  return status;
}

static int by_path(const void *a, const void *b) {
  return strcmp(((const ee_folder_file *)a)->path, ((const ee_folder_file *)b)->path);
}

ee_status ee_folder_read(const char *directory, ee_folder *folder, ee_error *error) {
  *folder = (ee_folder){.count = 0};
  size_t length = strlen(directory);
  size_t prefix = length + (directory[length - 1] != '/');
  ee_status status = read_directory(directory, prefix, 0, folder, error);
  if (folder->count > 0) qsort(folder->items, folder->count, sizeof *folder->items, by_path);
  return status;
}

void ee_folder_fini(ee_folder *folder) {
  for (size_t i = 0; i < folder->count; i++) {
    free(folder->items[i].path);
    free(folder->items[i].id);
  }
  EE_LIST_FINI(folder);
  *folder = (ee_folder){.count = 0};
}
