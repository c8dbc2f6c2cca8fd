/* case_example.c: keeps an example in memory that later ones take over. */
#include "run/case_example.h"

#include <string.h>

static ee_str put(char **at, ee_str text) {
  char *to = *at;
  if (text.length > 0) memcpy(to, text.data, text.length);
  *at += text.length;
  return (ee_str){to, text.length};
}

static int compare(ee_str id, ee_str text, ee_str more, const ee_case_example *example) {
  int order = ee_str_compare(id, example->id);
  if (order == 0) order = ee_str_compare(text, example->text);
  return order != 0 ? order : ee_str_compare(more, example->more);
}

/* Ids may come in descending order, each replacing the one before: so memory grows by doubling. */
void ee_case_example_offer(ee_case_example *example, ee_arena *arena, ee_str id, ee_str text, ee_str more) {
  enum { LEAST = 64 };
  if (example->id.data != NULL && compare(id, text, more, example) >= 0) return;
  size_t needed = id.length + text.length + more.length;
  if (example->memory == NULL || needed > example->room) {
    size_t room = example->room > 0 ? 2 * example->room : LEAST;
    example->room = room > needed ? room : needed;
    example->memory = ee_arena_alloc(arena, example->room);
  }
  char *at = example->memory;
  example->id = put(&at, id);
  example->text = put(&at, text);
  example->more = put(&at, more);
}

void ee_case_example_merge(ee_case_example *example, ee_arena *arena, const ee_case_example *from) {
  if (from->id.data != NULL) ee_case_example_offer(example, arena, from->id, from->text, from->more);
}

EE_STATE_COVERS(ee_case_example, 64);

/* `memory` and `room` say only where the texts are. */
void ee_case_example_state(ee_state_line *line, ee_arena *arena, ee_case_example *example) {
  ee_state_begin(line);
  ee_state_text(line, arena, &example->id);
  ee_state_text(line, arena, &example->text);
  ee_state_text(line, arena, &example->more);
  ee_state_end(line);
}
