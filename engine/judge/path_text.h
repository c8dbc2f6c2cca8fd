/* path_text.h: the text of a path, while a document is walked.
 *
 * Writes what ee_path_parse() reads back: `a.b[0].c`, keys that a dotted path cannot hold as `["a.b"]`.
 */
#ifndef EE_JUDGE_PATH_TEXT_H
#define EE_JUDGE_PATH_TEXT_H

#include "base/arena.h"
#include "base/str.h"
#include "data/json/path.h"

/* Grows in `arena`; to go back up, set `length` to what it was. All but the arena is zero at first. */
typedef struct ee_path_text {
  ee_arena *arena;
  char *data;
  size_t length, capacity;
} ee_path_text;

void ee_path_text_add_key(ee_path_text *path, ee_str key);
void ee_path_text_add_index(ee_path_text *path, uint32_t index);
/* [+7]: the element of a list that only the candidate has. No path can be written so, and ee_path_parse() takes none.
 */
void ee_path_text_add_extra(ee_path_text *path, uint32_t index);
/* [*] */
void ee_path_text_add_all(ee_path_text *path);

/* The text of the parsed `path` in this one spelling. A step that may be a key or an index is written as a key. */
ee_str ee_path_text_of(const ee_path *path, ee_arena *arena);

static inline ee_str ee_path_text_get(const ee_path_text *path) { return (ee_str){path->data, path->length}; }

#endif
