/* embedded.c: text files that are part of the library. */
#include "base/embedded.h"

#include <string.h>

const char *ee_embedded_find(const ee_embedded_file *table, const char *name) {
  for (; table->name != NULL; table++) {
    if (strcmp(table->name, name) == 0) return table->text;
  }
  return NULL;
}
