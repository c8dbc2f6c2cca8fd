/* version.c: the version of the library. */
#include <evalengine.h>

const char *ee_version(void) { return EE_VERSION; }
