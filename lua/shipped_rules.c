/* shipped_rules.c: names of shipped rule files, and what their first comments say. */
#include "lua/shipped_rules.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buffer.h"
#include "base/data_folder.h"
#include "data/files/byte_source.h"

/* A longer file is not one of ours. */
#define LONGEST_FILE ((size_t)1 << 20)
#define LONGEST_NAME 100

/* Names ----------------------------------------------------------------------------------------- */

static bool ends_in(const char *text, const char *ending) {
  size_t length = strlen(text), tail = strlen(ending);
  return length >= tail && strcmp(text + length - tail, ending) == 0;
}

/* Lower case, digits and '_', in at most two parts: no name leads out of the folder. */
static bool is_name(const char *name) {
  size_t slashes = 0, length = strlen(name);
  if (length == 0 || length > LONGEST_NAME || name[0] == '/' || name[length - 1] == '/') return false;
  for (const char *c = name; *c != '\0'; c++) {
    if (*c == '/')
      slashes++;
    else if ((*c < 'a' || *c > 'z') && (*c < '0' || *c > '9') && *c != '_')
      return false;
  }
  return slashes <= 1;
}

static ee_status cannot_look(const char *path, int number, ee_error *error) {
  return ee_error_set(error, EE_ERROR_SYSTEM, "cannot look for '%s': %s", path, strerror(number));
}

/* Whether `path` is a file, or with `folders` a folder. */
static ee_status look(const char *path, bool folders, bool *is_there, ee_error *error) {
  struct stat about;
  *is_there = stat(path, &about) == 0;
  if (*is_there)
    *is_there = folders || !S_ISDIR(about.st_mode);
  else if (errno != ENOENT && errno != ENOTDIR && errno != EACCES && errno != ENAMETOOLONG)
    return cannot_look(path, errno, error);
  return EE_OK;
}

ee_status ee_shipped_find(ee_arena *arena, const char *name, const char *ending, const char **path, ee_error *error) {
  *path = NULL;
  if (!is_name(name) || ends_in(name, "_test")) return EE_OK;
  const char *file = ee_arena_printf(arena, "%s/%s%s.lua", ee_data_folder(EE_DATA_RULES), name, ending);
  if (ee_data_folder_failure() != 0) return cannot_look(file, ee_data_folder_failure(), error);
  bool is_there;
  ee_status status = look(file, false, &is_there, error);
  if (is_there) *path = file;
  return status;
}

/* What a file says of itself ---------------------------------------------------------------------- */

/* The text of the comment that `text` begins with, up to the end of its first sentence or an empty line. */
static const char *first_sentence(ee_arena *arena, ee_str text) {
  ee_buffer line;
  ee_buffer_init(&line);
  const char *at = text.data, *end = text.data + text.length;
  while (end - at > 2 && at[0] == '-' && at[1] == '-') {
    for (at += 2; at < end && *at == ' ';) at++;
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    if (stop == NULL) stop = end;
    if (stop == at) break;
    if (line.length > 0) ee_buffer_add_char(&line, ' ');
    for (; at < stop; at++) {
      ee_buffer_add_char(&line, *at);
      bool is_last = *at == '.' && (at + 1 == stop || at[1] == ' ');
      if (is_last) goto done;
    }
    at = stop < end ? stop + 1 : end;
  }
done:;
  ee_buffer shown;
  ee_buffer_init(&shown);
  ee_add_printable(&shown, (ee_str){line.data, line.length}, EE_PRINT_LINE);
  const char *sentence = ee_arena_copy(arena, shown.data, shown.length);
  ee_buffer_fini(&shown);
  ee_buffer_fini(&line);
  return sentence;
}

static ee_status describe(ee_arena *arena, ee_shipped_file *file, ee_error *error) {
  ee_byte_source *source = ee_byte_source_open(file->path, error);
  if (source == NULL) return EE_ERROR_SYSTEM;
  ee_buffer text;
  ee_buffer_init(&text);
  ee_status status = ee_byte_source_read_whole(source, LONGEST_FILE, &text, error);
  ee_byte_source_close(source);
  if (status == EE_OK) {
    static const char judges[] = "\nreturn ee.rules";
    file->help = first_sentence(arena, (ee_str){text.data, text.length});
    file->is_rules = text.length > 0 && memmem(text.data, text.length, judges, sizeof judges - 1) != NULL;
  }
  ee_buffer_fini(&text);
  return status;
}

/* Lists ------------------------------------------------------------------------------------------- */

/* Adds the files of `inside`, a folder in that of the rules ("": itself), and of folders in it. */
static ee_status add_folder(ee_arena *arena, const char *inside, ee_shipped_files *files, ee_error *error) {
  const char *folder = ee_data_folder(EE_DATA_RULES);
  if (*inside != '\0') folder = ee_arena_printf(arena, "%s/%s", folder, inside);
  if (ee_data_folder_failure() != 0) return cannot_look(folder, ee_data_folder_failure(), error);
  DIR *open = opendir(folder);
  if (open == NULL) return ee_error_set(error, EE_ERROR_SYSTEM, "cannot open '%s': %s", folder, strerror(errno));
  ee_status status = EE_OK;
  for (;;) {
    errno = 0; /* which tells the end from a failure */
    const struct dirent *entry = status == EE_OK ? readdir(open) : NULL;
    if (entry == NULL) break;
    const char *path = ee_arena_printf(arena, "%s/%s", folder, entry->d_name);
    struct stat about;
    if (entry->d_name[0] == '.') continue;
    if (stat(path, &about) != 0) break;
    if (S_ISDIR(about.st_mode) && *inside == '\0')
      status = add_folder(arena, ee_arena_copy(arena, entry->d_name, strlen(entry->d_name)), files, error);
    if (!S_ISREG(about.st_mode) || !ends_in(entry->d_name, ".lua")) continue;
    const char *name = ee_arena_copy(arena, entry->d_name, strlen(entry->d_name) - 4);
    if (*inside != '\0') name = ee_arena_printf(arena, "%s/%s", inside, name);
    if (!is_name(name) || ends_in(name, "_test")) continue;
    *EE_LIST_ADD(files, arena) = (ee_shipped_file){.name = name, .path = path, .help = ""};
  }
  int number = errno;
  closedir(open);
  if (status == EE_OK && number != 0)
    status = ee_error_set(error, EE_ERROR_SYSTEM, "cannot read '%s': %s", folder, strerror(number));
  return status;
}

static int compare_names(const void *a, const void *b) {
  const char *one = ((const ee_shipped_file *)a)->name, *other = ((const ee_shipped_file *)b)->name;
  bool one_inside = strchr(one, '/') != NULL, other_inside = strchr(other, '/') != NULL;
  return one_inside != other_inside ? one_inside - other_inside : strcmp(one, other);
}

ee_status ee_shipped_list(ee_arena *arena, ee_shipped_files *files, ee_error *error) {
  *files = (ee_shipped_files){0};
  ee_status status = add_folder(arena, "", files, error);
  if (files->count > 0) qsort(files->items, files->count, sizeof *files->items, compare_names);
  for (size_t i = 0; i < files->count && status == EE_OK; i++) status = describe(arena, &files->items[i], error);
  return status;
}

/* Names on the command line ----------------------------------------------------------------------- */

ee_status ee_named_rules_find(const char *name, const char *ending, bool folders, ee_arena *arena,
                              ee_named_rules *found, ee_error *error) {
  *found = (ee_named_rules){.path = name};
  const char *shipped;
  ee_status status = ee_shipped_find(arena, name, ending, &shipped, error);
  if (status != EE_OK || shipped == NULL) return status;
  status = look(name, folders, &found->hidden, error);
  if (status != EE_OK || found->hidden) return status;
  const char *own = ee_arena_printf(arena, "%s%s.lua", name, ending);
  bool is_own;
  status = look(own, false, &is_own, error);
  if (status == EE_OK && is_own)
    return ee_error_set(error, EE_ERROR_USAGE, "'%s' can be '%s' in this folder or the shipped rules: write %s or %s",
                        name, own, own, shipped);
  if (status != EE_OK) return status;
  found->path = shipped;
  found->shipped = true;
  return EE_OK;
}

/* The shipped name that is nearest to `name`: as a whole, or else by its last part, so that "anls" is "compat/anls";
 * NULL when none is near. */
static const char *near_name(const char *name, ee_arena *arena) {
  ee_shipped_files files = {0};
  if (add_folder(arena, "", &files, NULL) != EE_OK || files.count == 0) return NULL;
  qsort(files.items, files.count, sizeof *files.items, compare_names);
  const char **whole = EE_NEW_ARRAY(arena, const char *, files.count + 1);
  const char **last = EE_NEW_ARRAY(arena, const char *, files.count + 1);
  for (size_t i = 0; i < files.count; i++) {
    whole[i] = files.items[i].name;
    const char *slash = strchr(whole[i], '/');
    last[i] = slash != NULL ? slash + 1 : whole[i];
  }
  const char *near = ee_did_you_mean(name, whole);
  if (near != NULL) return near;
  near = ee_did_you_mean(name, last);
  for (size_t i = 0; near != NULL && i < files.count; i++)
    if (last[i] == near) return whole[i];
  return NULL;
}

ee_status ee_named_rules_check(const char *name, ee_arena *arena, ee_error *error) {
  if (strchr(name, '.') != NULL || strlen(name) > LONGEST_NAME) return EE_OK;
  const char *own = ee_arena_printf(arena, "%s.lua", name);
  bool is_there, is_own = false;
  ee_status status = look(name, true, &is_there, error);
  if (status == EE_OK && !is_there) status = look(own, false, &is_own, error);
  if (status != EE_OK || is_there) return status;
  const char *near = is_own ? own : near_name(name, arena);
  if (near == NULL) return EE_OK;
  return ee_error_set(error, EE_ERROR_USAGE,
                      "no file and no shipped rules named '%s' (did you mean '%s'?); 'evalengine rules' lists them",
                      name, near);
}
