/* jailed.c: what a command line names, as rights in the jail. */
#include "cli/jailed.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/data_folder.h"
#include "base/environment.h"
#include "base/temporary_file.h"
#include "provider/provider.h"

/* Temporary files that one command may need, besides one for each file of --rows. */
#define TEMPORARY_FILES 6
/* Descriptors that are closed one by one. */
#define MAX_DESCRIPTORS 65536

/* Paths ------------------------------------------------------------------------------------------ */

static void allow(const ee_options *options, ee_jail *jail, const char *path, unsigned rights) {
  if (path == NULL || *path == '\0' || strcmp(path, "-") == 0) return;
  *EE_LIST_ADD(&jail->paths, options->arena) = (ee_jail_path){path, rights};
}

static void allow_all(const ee_options *options, ee_jail *jail, const char *const *paths, unsigned rights) {
  for (; *paths != NULL; paths++) allow(options, jail, *paths, rights);
}

static void allow_texts(const ee_options *options, ee_jail *jail, const ee_texts *paths, unsigned rights) {
  for (size_t i = 0; i < paths->count; i++) allow(options, jail, paths->items[i], rights);
}

/* "" is not possible: "." for a name without a slash. */
static const char *folder_of(ee_arena *arena, const char *path) {
  const char *slash = strrchr(path, '/');
  if (slash == NULL) return ".";
  return slash == path ? "/" : ee_arena_copy(arena, path, (size_t)(slash - path));
}

static bool ends_in(const char *text, const char *ending) {
  size_t length = strlen(text), tail = strlen(ending);
  return length >= tail && strcmp(text + length - tail, ending) == 0;
}

/* A rule file, a rule test or a YAML data set, which name other files of their folder; or data. */
static void allow_input(const ee_options *options, ee_jail *jail, const char *path) {
  bool names_files =
      ends_in(path, ".lua") || ends_in(path, ".yaml") || ends_in(path, ".yml") || ee_names_rules(options, path);
  unsigned run = options->allow_programs ? EE_JAIL_RUN : 0;
  allow(options, jail, path, EE_JAIL_READ);
  if (names_files) allow(options, jail, folder_of(options->arena, path), EE_JAIL_READ | run);
}

/* A new file gets its name at the end, in its folder; a link's is made in the folder that the link leads to. What is
 * not a file is written as it is. */
static void allow_output(const ee_options *options, ee_jail *jail, const char *path) {
  if (path == NULL || *path == '\0' || strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0) return;
  struct stat about;
  if (stat(path, &about) == 0 && !S_ISREG(about.st_mode)) {
    allow(options, jail, path, EE_JAIL_WRITE);
    return;
  }
  allow(options, jail, folder_of(options->arena, path), EE_JAIL_CREATE);
  char *target = realpath(path, NULL);
  if (target != NULL) allow(options, jail, folder_of(options->arena, target), EE_JAIL_CREATE);
  free(target);
}

/* What any run reads: rules that come with the program, how many processors there are. */
static const char *const of_system[] = {"/sys/fs/cgroup", "/proc/self/cgroup", "/sys/devices/system/cpu/online", NULL};

/* Names of machines and certificates. */
static const char *const of_network[] = {"/etc/resolv.conf",
                                         "/etc/hosts",
                                         "/etc/nsswitch.conf",
                                         "/etc/host.conf",
                                         "/etc/gai.conf",
                                         "/etc/services",
                                         "/etc/ssl",
                                         "/etc/pki",
                                         "/etc/ca-certificates",
                                         "/etc/crypto-policies",
                                         "/usr/lib/ssl",
                                         "/usr/share/ca-certificates",
                                         "/usr/local/share/ca-certificates",
                                         NULL};

/* Programs, their libraries and what these read. */
static const char *const of_programs[] = {"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/opt", NULL};
static const char *const read_by_programs[] = {"/etc/ld.so.cache",   "/etc/ld.so.preload", "/etc/localtime",
                                               "/etc/nsswitch.conf", "/dev/zero",          "/dev/full",
                                               "/dev/random",        "/dev/urandom",       NULL};

static void allow_network(const ee_options *options, ee_jail *jail) {
  allow_all(options, jail, of_network, EE_JAIL_READ);
  static const char *const variables[] = {"SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE"};
  for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
    allow(options, jail, getenv(variables[i]), EE_JAIL_READ);
}

/* New answers are kept where there can be some. */
static void allow_cache(const ee_options *options, ee_jail *jail) {
  const char *cache = ee_openai_usual_cache(options->arena, options->allow_network);
  if (cache == NULL) return;
  allow(options, jail, folder_of(options->arena, cache), options->allow_network ? EE_JAIL_CREATE : EE_JAIL_READ);
}

ee_status ee_jailed_plan(const ee_options *options, ee_jail *jail, ee_error *error) {
  *jail = (ee_jail){.network = options->allow_network,
                    .programs = options->allow_programs,
                    .memory_bytes = (uint64_t)options->jail_memory << 20,
                    .cpu_seconds = (uint64_t)options->jail_cpu};
  unsigned run = options->allow_programs ? EE_JAIL_RUN : 0;
  for (size_t i = 0; i < options->jail_read.count; i++) {
    const char *path = options->jail_read.items[i];
    if (access(path, F_OK) != 0)
      return ee_error_set(error, EE_ERROR_SYSTEM, "cannot open '%s' of --jail-read: %s", path, strerror(errno));
    allow(options, jail, path, EE_JAIL_READ | run);
  }
  for (size_t i = 0; i < options->operand_count; i++) allow_input(options, jail, options->operands[i]);
  if (options->rules != NULL) allow_input(options, jail, options->rules);
  allow(options, jail, options->expected, EE_JAIL_READ);
  allow(options, jail, options->config, EE_JAIL_READ);
  allow(options, jail, options->except, EE_JAIL_READ);
  allow(options, jail, options->annotator, EE_JAIL_READ);
  allow(options, jail, options->ca_file, EE_JAIL_READ);
  allow_texts(options, jail, &options->datasets, EE_JAIL_READ);
  allow_texts(options, jail, &options->rows, EE_JAIL_READ);
  const char *const outputs[] = {options->output, options->results, options->state, options->save_rules,
                                 options->duplicates};
  for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++) allow_output(options, jail, outputs[i]);
  allow(options, jail, ee_data_folder(EE_DATA_RULES), EE_JAIL_READ);
  allow(options, jail, "/dev/null", EE_JAIL_READ | EE_JAIL_WRITE);
  allow_all(options, jail, of_system, EE_JAIL_READ);
#ifdef EE_COUNTERS
  allow(options, jail, EE_COUNTERS, EE_JAIL_CREATE); /* of gcov, in builds that measure coverage only */
#endif
  allow_cache(options, jail);
  if (options->allow_network) allow_network(options, jail);
  if (options->allow_programs) {
    allow_all(options, jail, of_programs, EE_JAIL_READ | EE_JAIL_RUN);
    allow_all(options, jail, read_by_programs, EE_JAIL_READ);
  }
  return EE_OK;
}

/* Going in --------------------------------------------------------------------------------------- */

/* Whether one of the paths is "/dev/fd/NUMBER". */
static bool names_descriptor(const ee_jail *jail, const char *number) {
  static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
  for (size_t i = 0; i < jail->paths.count; i++)
    for (size_t k = 0; k < 2; k++) {
      size_t length = strlen(folders[k]);
      const char *path = jail->paths.items[i].path;
      if (strncmp(path, folders[k], length) == 0 && strcmp(path + length, number) == 0) return true;
    }
  return false;
}

/* Where /proc does not say which are open. */
static void close_possible(const ee_jail *jail) {
  long limit = sysconf(_SC_OPEN_MAX);
  if (limit < 0 || limit > MAX_DESCRIPTORS) limit = MAX_DESCRIPTORS;
  for (int descriptor = STDERR_FILENO + 1; descriptor < limit; descriptor++) {
    char number[16];
    snprintf(number, sizeof number, "%d", descriptor);
    if (!names_descriptor(jail, number)) close(descriptor);
  }
}

/* What the shell or another program left open, perhaps for writing. */
static void close_others(const ee_jail *jail) {
  DIR *folder = opendir("/proc/self/fd");
  if (folder == NULL) {
    close_possible(jail);
    return;
  }
  for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    int descriptor = atoi(entry->d_name);
    if (descriptor > STDERR_FILENO && descriptor != dirfd(folder) && !names_descriptor(jail, entry->d_name))
      close(descriptor);
  }
  closedir(folder);
}

/* A rule can read such a file only by its descriptor. Failing to make a stock is not an error: most runs do not need
 * one.
 */
static void stock_temporary_files(const ee_options *options, ee_jail *jail) {
  int descriptors[EE_TEMPORARY_STOCK];
  size_t count = TEMPORARY_FILES + options->rows.count;
  if (count > EE_TEMPORARY_STOCK) count = EE_TEMPORARY_STOCK;
  if (!ee_temporary_files_stock(count, descriptors)) return;
  for (size_t i = 0; i < count; i++)
    allow(options, jail, ee_arena_printf(options->arena, "/proc/self/fd/%d", descriptors[i]),
          EE_JAIL_READ | EE_JAIL_WRITE);
}

/* What the program itself asks for, besides what any program may see. */
static bool is_ours(const char *entry) {
  static const char *const names[] = {"EVALENGINE_CACHE", "XDG_CACHE_HOME", "OPENAI_BASE_URL", "OPENAI_MODEL",
                                      "GITHUB_ACTIONS"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (ee_environment_is_called(entry, names[i])) return true;
  return ee_environment_is_usual(entry);
}

/* Of the process's first memory, too: it stays readable. */
static void erase_environment(void) {
  char **kept = environ;
  for (char **entry = environ; entry != NULL && *entry != NULL; entry++) {
    if (is_ours(*entry))
      *kept++ = *entry;
    else
      explicit_bzero(*entry, strlen(*entry));
  }
  if (kept != NULL) *kept = NULL;
}

ee_status ee_jailed_enter(const ee_options *options, ee_error *error) {
  ee_jail jail;
  ee_status status = ee_jailed_plan(options, &jail, error);
  if (status != EE_OK) return status;
  ee_provider_load();
  close_others(&jail);
  stock_temporary_files(options, &jail);
  if (!options->allow_network) erase_environment();
  return ee_jail_enter(&jail, error);
}
