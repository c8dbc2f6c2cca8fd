/* environment.c: names of variables that hold no secrets. */
#include "base/environment.h"

#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"

static const char *const usual[] = {"PATH",
                                    "HOME",
                                    "USER",
                                    "LOGNAME",
                                    "SHELL",
                                    "PWD",
                                    "LANG",
                                    "LANGUAGE",
                                    "TZ",
                                    "TZDIR",
                                    "TMPDIR",
                                    "TMP",
                                    "TEMP",
                                    "TERM",
                                    "COLUMNS",
                                    "LINES",
                                    "NO_COLOR",
                                    "LD_LIBRARY_PATH",
                                    "PYTHONPATH",
                                    "PYTHONHOME",
                                    "PYTHONUTF8",
                                    "PYTHONIOENCODING",
                                    "PYTHONUNBUFFERED",
                                    "PYTHONDONTWRITEBYTECODE",
                                    "PYTHONHASHSEED",
                                    "VIRTUAL_ENV",
                                    "PYENV_ROOT",
                                    "PYENV_VERSION",
                                    "CONDA_PREFIX",
                                    "NODE_PATH",
                                    "GEM_PATH",
                                    "GEM_HOME",
                                    "PERL5LIB",
                                    "JAVA_HOME",
                                    "LUA_PATH",
                                    "LUA_CPATH",
                                    "OMP_NUM_THREADS",
                                    NULL};

bool ee_environment_is_called(const char *entry, const char *name) {
  size_t length = strlen(name);
  return strncmp(entry, name, length) == 0 && entry[length] == '=';
}

bool ee_environment_is_usual(const char *entry) {
  for (const char *const *name = usual; *name != NULL; name++)
    if (ee_environment_is_called(entry, *name)) return true;
  return strncmp(entry, "LC_", 3) == 0;
}

static bool is_wanted(const char *entry, const char *const *names) {
  for (; names != NULL && *names != NULL; names++)
    if (ee_environment_is_called(entry, *names)) return true;
  return ee_environment_is_usual(entry);
}

char **ee_environment_of_programs(const char *const *names) {
  size_t count = 0, kept = 0;
  while (environ != NULL && environ[count] != NULL) count++;
  char **list = ee_malloc((count + 1) * sizeof *list);
  for (size_t i = 0; i < count; i++)
    if (is_wanted(environ[i], names)) list[kept++] = environ[i];
  list[kept] = NULL;
  return list;
}
