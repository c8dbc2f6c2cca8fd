/* first_case.c: counts with an example. */
#include "judge/first_case.h"

#include <inttypes.h>

void ee_first_case_add(ee_first_case *to, ee_arena *ids, uint64_t count, ee_str id) {
  if (count == 0) return;
  to->count += count;
  if (id.data == NULL || (to->id.data != NULL && ee_str_compare(to->id, id) <= 0)) return;
  to->id = (ee_str){ee_arena_copy(ids, id.data, id.length), id.length};
}

EE_STATE_COVERS(ee_first_case, 24);

void ee_first_case_state(ee_first_case *self, ee_arena *ids, ee_state_line *line) {
  ee_state_count(line, &self->count);
  ee_state_text(line, ids, &self->id);
  if (ee_state_reading(line) && (self->count > 0) != (self->id.data != NULL)) ee_state_fail(line);
}

static ee_str note_of(const ee_first_case *self, const ee_first_case_text *text, ee_arena *arena) {
  size_t shown = ee_utf8_cut(self->id, EE_FIRST_CASE_SHOWN);
  return ee_str_from(ee_arena_printf(arena, "%" PRIu64 " %s (first in '%.*s%s')", self->count,
                                     self->count == 1 ? text->one : text->many, (int)shown, self->id.data,
                                     shown < self->id.length ? "..." : ""));
}

size_t ee_first_case_notes(const ee_first_case *counters, const ee_first_case_text *texts, size_t count, ee_str *notes,
                           ee_arena *arena) {
  size_t written = 0;
  for (size_t i = 0; i < count; i++)
    if (counters[i].count > 0) notes[written++] = note_of(&counters[i], &texts[i], arena);
  return written;
}
