/* environment.h: the part of the environment that other programs get. */
#ifndef EE_BASE_ENVIRONMENT_H
#define EE_BASE_ENVIRONMENT_H

#include <stdbool.h>

/* Whether `entry` ("NAME=VALUE") is one of those that any program may see: where programs, files and time zones are,
 * the language, the terminal. Not keys, tokens, passwords or proxies. */
bool ee_environment_is_usual(const char *entry);

/* Whether `entry` is of the variable `name`. */
bool ee_environment_is_called(const char *entry, const char *name);

/* The usual entries of this process and those of `names` (NULL-terminated; NULL: none) that it has. The entries are
 * borrowed; the list ends in NULL and is freed with ee_free(). */
char **ee_environment_of_programs(const char *const *names);

#endif
