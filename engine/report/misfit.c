/* misfit.c: sentences about rules that do not fit the data. */
#include "report/misfit.h"

/* Attributes that are named for each judge; JSON has all of them. */
#define MAX_ATTRIBUTES 20

typedef struct note_list {
  ee_arena *arena;
  EE_LIST(ee_str);
} note_list;

static void add(note_list *notes, ee_buffer *text) {
  *EE_LIST_ADD(notes, notes->arena) = (ee_str){ee_arena_copy(notes->arena, text->data, text->length), text->length};
  ee_buffer_clear(text);
}

/* Unread values --------------------------------------------------------------------------------- */

static void add_unread(note_list *notes, const ee_attribute_total *attribute, ee_buffer *text) {
  const ee_counts *counts = &attribute->counts;
  if (attribute->unread == NULL) return;
  const uint64_t values[] = {counts->tp + counts->fn + counts->unread, 0};
  for (int i = EE_EXPECTED; i <= EE_CANDIDATE; i++) {
    if (attribute->unread->sides[i].count == 0) continue;
    ee_unread_print(attribute->unread, (ee_document_side)i, attribute->name, values[i], text);
    add(notes, text);
  }
}

const ee_str *ee_misfit_notes(const ee_judge_total *total, ee_arena *arena, size_t *count) {
  note_list notes = {.arena = arena};
  ee_buffer text;
  ee_buffer_init(&text);
  size_t shown = 0;
  for (size_t i = 0; i < total->attribute_count && shown < MAX_ATTRIBUTES; i++) {
    shown += total->attributes[i].unread != NULL;
    add_unread(&notes, &total->attributes[i], &text);
  }
  ee_buffer_fini(&text);
  *count = notes.count;
  return notes.items;
}
