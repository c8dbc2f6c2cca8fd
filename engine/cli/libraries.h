/* libraries.h: the versions of libraries that decide results: parts that were judged with others may differ. */
#ifndef EE_CLI_LIBRARIES_H
#define EE_CLI_LIBRARIES_H

#include "run/parts/part.h"

/* Adds them to the header of a part, in a fixed order. */
void ee_add_libraries(ee_part *part, ee_arena *arena);

#endif
