/* late_library.h: libraries that are loaded when a run first needs them.
 *
 * A process that judges one case lives for some milliseconds; loading curl and what it brings would take longer than
 * all the rest. So these libraries are not linked: each room that uses one has a table of its functions,
 *
 *   #define FUNCTIONS(FUNCTION) FUNCTION(sb_stemmer_new, new) FUNCTION(sb_stemmer_stem, stem)
 *   static struct { FUNCTIONS(EE_LATE_MEMBER) } stemmer = {FUNCTIONS(EE_LATE_VALUE(EE_STEMMER_LINKED))};
 *   static ee_late_library library = {EE_STEMMER_FILE, "libstemmer0d", {FUNCTIONS(EE_LATE_NAME)}, &stemmer,
 * EE_STEMMER_LINKED};
 *
 * and calls stemmer.stem(...) after ee_late_library_load(). The compiler checks the calls by the library's own header.
 * Where the build links the library after all (EE_STEMMER_LINKED is 1, see cmake/static_libraries.cmake), the table is
 * filled from the beginning, and nothing is loaded.
 */
#ifndef EE_BASE_LATE_LIBRARY_H
#define EE_BASE_LATE_LIBRARY_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/error.h"

#define EE_LATE_FUNCTIONS 40 /* of one library, at most */

typedef struct ee_late_library {
  const char *file;                         /* as the loader looks for it: "libcurl.so.4" */
  const char *package;                      /* Debian's: "libcurl4" */
  const char *names[EE_LATE_FUNCTIONS + 1]; /* of functions, then NULL */
  void *table;                              /* where their addresses go, in this order */
  atomic_bool is_loaded;                    /* and `table` is filled */
} ee_late_library;

#define EE_LATE_MEMBER(function, name) __typeof__(function) *name; /* NOLINT(bugprone-macro-parentheses) */
#define EE_LATE_NAME(function, name) #function,
#define EE_LATE_VALUE_0(function, name) .name = NULL,
#define EE_LATE_VALUE_1(function, name) .name = function,
#define EE_LATE_VALUE_OF(linked) EE_LATE_VALUE_##linked
#define EE_LATE_VALUE(linked) EE_LATE_VALUE_OF(linked)

/* Loads `library`, unless that was done: it stays until the process ends. For any thread. EE_ERROR_SYSTEM says what is
 * missing and which package has it; the next call tries again. */
ee_status ee_late_library_load(ee_late_library *library, ee_error *error);

#endif
