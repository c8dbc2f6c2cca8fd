/* data_folder.c: the place of the code, from the loader and the system. */
#include "base/data_folder.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const names[EE_DATA_KINDS] = {"rules", "meta", "datasets"};
static char folders[EE_DATA_KINDS][PATH_MAX];
static int failure;

/* After a call that failed: keeps its reason, unless there is nothing of that name, or nothing that may be seen. */
static bool absent(void) {
  if (errno != ENOENT && errno != ENOTDIR && errno != EACCES && errno != ENAMETOOLONG) failure = errno;
  return false;
}

/* The path of the program, as far as the system says it: without /proc as it was called. */
static bool find_program(char path[PATH_MAX]) {
  ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
  if (length > 0) {
    path[length] = '\0';
    return true;
  }
  const char *called = (const char *)getauxval(AT_EXECFN);               // NOLINT(performance-no-int-to-ptr)
  return (called != NULL && realpath(called, path) != NULL) || absent(); /* unreached: there is a /proc */
}

/* The path of the program or library that has this code. */
static bool find_object(char path[PATH_MAX]) {
  Dl_info info;
  struct link_map *object = NULL;
  static const char here = 0;
  if (dladdr1(&here, &info, (void **)&object, RTLD_DL_LINKMAP) == 0 || object == NULL) return false;
  /* The loader does not name the program. */
  return *object->l_name == '\0' ? find_program(path) : realpath(object->l_name, path) != NULL || absent();
}

/* Whether `folder` has shipped files that may be used: `owner` is that of the code. */
static bool is_data_folder(const char *folder, uid_t owner) {
  struct stat about;
  char rules[PATH_MAX];
  if (stat(folder, &about) != 0) return absent();
  if (about.st_uid != 0 && about.st_uid != owner && about.st_uid != geteuid()) return false;
  int length = snprintf(rules, sizeof rules, "%s/rules", folder);
  if (length < 0 || (size_t)length >= sizeof rules) return false; /* unreached: a path that long cannot be opened */
  if (stat(rules, &about) != 0) return absent();
  return S_ISDIR(about.st_mode);
}

/* Writes the folder that has the kinds of files into `found`. */
static bool find_beside_code(char found[PATH_MAX]) {
  /* EE_DATA_FROM_LIBRARIES: the way from the folder of libraries, which may be /usr/lib/x86_64-linux-gnu. */
  static const char *const ways[] = {"../share/evalengine", EE_DATA_FROM_LIBRARIES, "share/evalengine"};
  char object[PATH_MAX], tried[2 * PATH_MAX];
  struct stat about;
  if (!find_object(object)) return false;
  if (stat(object, &about) != 0) return absent();
  char *slash = strrchr(object, '/');
  if (slash == NULL) return false; /* unreached: the paths are absolute */
  *slash = '\0';
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    snprintf(tried, sizeof tried, "%s/%s", object, ways[i]);
    if (is_data_folder(tried, about.st_uid)) return realpath(tried, found) != NULL || absent();
  }
  return false;
}

static void find_folders(void) {
  char found[PATH_MAX];
  const char *folder = find_beside_code(found) ? found : EE_DATA_DIR;
  for (size_t i = 0; i < EE_DATA_KINDS; i++) {
    int length = snprintf(folders[i], sizeof folders[i], "%s/%s", folder, names[i]);
    if (length < 0 || (size_t)length >= sizeof folders[i]) /* unreached: a path that long cannot be opened */
      snprintf(folders[i], sizeof folders[i], "%s/%s", EE_DATA_DIR, names[i]); /* unreached: as the line before */
  }
}

static pthread_once_t once = PTHREAD_ONCE_INIT;

const char *ee_data_folder(ee_data_kind kind) {
  pthread_once(&once, find_folders);
  return folders[kind];
}

int ee_data_folder_failure(void) {
  pthread_once(&once, find_folders);
  return failure;
}
