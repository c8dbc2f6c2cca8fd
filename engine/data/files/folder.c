/* folder.c: reads directories recursively; files without a known suffix are recognized by their content. */
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
#include "data/files/byte_source.h"
#include "data/files/case_file.h"
#include "data/files/file_shape.h"
#include "data/json/json_scan.h"

#define DEPTH_LIMIT 32

static bool cut_suffix(ee_str *name, const char *suffix) {
  size_t length = strlen(suffix);
  if (name->length <= length || strncasecmp(name->data + name->length - length, suffix, length) != 0) return false;
  name->length -= length;
  return true;
}

/* Removes the suffixes of a data file; false if the name has none. */
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
  const char *slash = directory[length - 1] == '/' ? "" : "/";
  ee_buffer path;
  ee_buffer_init(&path);
  ee_buffer_addf(&path, "%s%s%s", directory, slash, name);
  ee_buffer_terminate(&path);
  return path.data;
}

/* All files: those with the suffix of a data file, and others. */
typedef struct findings {
  ee_folder known, others;
} findings;

static ee_status read_directory(const char *directory, size_t prefix, int depth, findings *found, ee_error *error);

/* Takes `path`. `prefix`: the length of what precedes the id. */
static ee_status add_entry(char *path, size_t prefix, int depth, findings *found, ee_error *error) {
  struct stat facts;
  ee_status status = EE_OK;
  ee_str name = ee_str_from(path + prefix);
  if (stat(path, &facts) != 0) {
    status = ee_error_set(error, EE_ERROR_SYSTEM, "cannot open '%s': %s", path, strerror(errno));
  } else if (S_ISDIR(facts.st_mode)) {
    status = read_directory(path, prefix, depth + 1, found, error);
  } else {
    bool known = cut_suffixes(&name);
    *EE_LIST_ADD(known ? &found->known : &found->others, NULL) = (ee_folder_file){.path = path, .id = copy(name)};
    return EE_OK;
  }
  ee_free(path);
  return status;
}

static ee_status read_directory(const char *directory, size_t prefix, int depth, findings *found, ee_error *error) {
  if (depth > DEPTH_LIMIT)
    return ee_error_set(error, EE_ERROR_SYSTEM, "directories in '%s' are nested too deep", directory);
  DIR *open = opendir(directory);
  if (open == NULL)                                                                /* unreached: make faults */
    return ee_error_set(error, EE_ERROR_SYSTEM, "cannot open '%s': %s", directory, /* unreached: make faults */
                        strerror(errno));                                          /* unreached: make faults */
  ee_status status = EE_OK;
  const struct dirent *entry;
  while (status == EE_OK && (entry = readdir(open)) != NULL)
    if (entry->d_name[0] != '.') status = add_entry(join(directory, entry->d_name), prefix, depth, found, error);
  closedir(open);
  return status;
}

static int by_path(const void *a, const void *b) {
  return strcmp(((const ee_folder_file *)a)->path, ((const ee_folder_file *)b)->path);
}

static void sort(ee_folder *folder) {
  if (folder->count > 0) qsort(folder->items, folder->count, sizeof *folder->items, by_path);
}

/* Whether the file begins with an object or array, or is a table. */
static bool is_data(const char *path) {
  ee_byte_source *source = ee_is_yaml_name(path) ? NULL : ee_byte_source_open(path, NULL);
  if (source == NULL) return false;
  ee_byte_source_set_brief(source);
  ee_buffer head;
  ee_buffer_init(&head);
  ee_status status = EE_OK;
  size_t got = 1;
  while (status == EE_OK && got > 0 && head.length <= EE_SHAPE_WINDOW) {
    char *room = ee_buffer_reserve(&head, EE_SHAPE_WINDOW);
    status = ee_byte_source_read(source, room, EE_SHAPE_WINDOW, &got, NULL);
    if (status == EE_OK) head.length += got;
  }
  ee_sniffer sniffer = {.scanned = 0};
  ee_str text = {head.data, head.length};
  ee_shape shape = status == EE_OK && head.length > 0 ? ee_sniff(&sniffer, text, got == 0) : EE_SHAPE_OTHER;
  size_t mark = shape != EE_SHAPE_OTHER ? ee_mark_length(text) : 0;
  const char *end = text.data + text.length;
  const char *start = shape != EE_SHAPE_OTHER ? ee_json_skip_space(text.data + mark, end) : end;
  /* Prose may have lines that look like JSON. */
  bool bracket = start < end && (*start == '{' || *start == '[');
  bool found = shape == EE_SHAPE_TABLE || bracket;
  ee_buffer_fini(&head);
  ee_byte_source_close(source);
  return found;
}

/* The length of the suffix that all ids have: ".txt". */
static size_t common_suffix(const ee_folder *folder) {
  const char *suffix = folder->count > 0 ? strrchr(folder->items[0].id, '.') : NULL;
  if (suffix == NULL || strchr(suffix, '/') != NULL) return 0;
  size_t length = strlen(suffix);
  for (size_t i = 0; i < folder->count; i++) {
    size_t whole = strlen(folder->items[i].id);
    if (whole <= length || strcmp(folder->items[i].id + whole - length, suffix) != 0) return 0;
  }
  return length;
}

/* Hands over the files that are data by their content; `others` keeps the rest. */
static void take_data(ee_folder *others, ee_folder *folder) {
  size_t kept = 0;
  for (size_t i = 0; i < others->count; i++) {
    if (is_data(others->items[i].path))
      *EE_LIST_ADD(folder, NULL) = others->items[i];
    else
      others->items[kept++] = others->items[i];
  }
  others->count = kept;
  size_t suffix = common_suffix(folder);
  for (size_t i = 0; i < folder->count; i++) folder->items[i].id[strlen(folder->items[i].id) - suffix] = '\0';
}

ee_status ee_folder_read(const char *directory, ee_folder *folder, ee_error *error) {
  findings found = {.known = {.count = 0}};
  size_t length = strlen(directory);
  size_t prefix = length + (directory[length - 1] != '/');
  ee_status status = read_directory(directory, prefix, 0, &found, error);
  *folder = found.known;
  sort(&found.others);
  if (status == EE_OK && folder->count == 0) take_data(&found.others, folder);
  sort(folder);
  folder->others = found.others.count;
  if (folder->others > 0) snprintf(folder->example, sizeof folder->example, "%s", found.others.items[0].path + prefix);
  ee_folder_fini(&found.others);
  return status;
}

/* Names --------------------------------------------------------------------------------------- */

/* Equal names by their paths, equal paths in the order of the list. */
static int compare_names(const void *a, const void *b) {
  const ee_folder_file *left = *(ee_folder_file *const *)a, *right = *(ee_folder_file *const *)b;
  int order = strcmp(left->name, right->name);
  if (order == 0) order = strcmp(left->path, right->path);
  return order != 0 ? order : (left > right) - (left < right);
}

/* The name of a path that is given several times. */
static void number_name(ee_folder_file *file, size_t number) {
  size_t size = strlen(file->path) + 32;
  file->numbered = ee_malloc(size);
  snprintf(file->numbered, size, "%s (%zu)", file->path, number);
  file->name = file->numbered;
}

/* One directory more; false if the name is the whole path. */
static bool lengthen_name(ee_folder_file *file) {
  if (file->name == file->path) return false;
  const char *at = file->name - 1; /* a slash */
  while (at > file->path && at[-1] != '/') at--;
  file->name = at;
  return true;
}

void ee_folder_name_files(ee_folder *folder) {
  ee_folder_file **same = ee_calloc(folder->count + 1, sizeof *same);
  size_t count = 0;
  for (size_t i = 0; i < folder->count; i++) {
    ee_folder_file *file = &folder->items[i];
    const char *slash = strrchr(file->path, '/');
    ee_free(file->numbered);
    file->numbered = NULL;
    file->name = slash != NULL ? slash + 1 : file->path;
    same[count++] = file;
  }
  while (count > 1) {
    qsort(same, count, sizeof *same, compare_names);
    size_t left = 0;
    for (size_t i = 0, next; i < count; i = next) {
      for (next = i + 1; next < count && strcmp(same[next]->name, same[i]->name) == 0;) next++;
      if (next - i == 1) continue;
      for (size_t k = i; k < next; k++) same[left++] = same[k];
    }
    count = 0;
    size_t again = 1; /* of files that are given several times, next to each other: this one's number */
    for (size_t i = 0; i < left; i++) {
      ee_folder_file *file = same[i];
      again = i > 0 && strcmp(file->path, same[i - 1]->path) == 0 ? again + 1 : 1;
      if (lengthen_name(file))
        same[count++] = file;
      else if (again > 1)
        number_name(file, again);
    }
  }
  ee_free(same);
}

void ee_folder_fini(ee_folder *folder) {
  for (size_t i = 0; i < folder->count; i++) {
    ee_free(folder->items[i].path);
    ee_free(folder->items[i].id);
    ee_free(folder->items[i].numbered);
  }
  EE_LIST_FINI(folder);
  *folder = (ee_folder){.count = 0};
}
