/* detection_notes.c: sentences with counts, figures and ids of images. */
#include "judge/detection/detection.h"
#include "prim/number.h"

#define ID_SHOWN 60

void ee_detection_end_note(ee_detection_notes *notes) {
  if (notes->count == notes->capacity) {
    size_t capacity = notes->capacity > 0 ? notes->capacity * 2 : 16;
    ee_str *items = EE_NEW_ARRAY(notes->arena, ee_str, capacity);
    if (notes->count > 0) memcpy(items, notes->items, notes->count * sizeof *items);
    notes->items = items;
    notes->capacity = capacity;
  }
  const char *text = ee_arena_copy(notes->arena, notes->text.data, notes->text.length);
  notes->items[notes->count++] = (ee_str){text, notes->text.length};
  ee_buffer_clear(&notes->text);
}

void ee_detection_note_count(ee_detection_notes *notes, uint64_t count, const char *noun) {
  ee_buffer_add_u64(&notes->text, count);
  ee_buffer_addf(&notes->text, count == 1 ? " %s" : " %ss", noun);
}

void ee_detection_note_figure(ee_detection_notes *notes, double value, int digits) {
  char text[32];
  ee_buffer_add(&notes->text, text, ee_double_format_short(value, digits, text));
}

void ee_detection_note_images(ee_detection_notes *notes, const ee_detection_set *set, const uint32_t *images,
                              size_t count) {
  if (count == 0) return;
  ee_buffer_add_text(&notes->text, " (first in ");
  for (size_t i = 0; i < count; i++) {
    ee_str id = ee_detection_image_id(set, images[i]);
    size_t shown = ee_utf8_cut(id, ID_SHOWN);
    ee_buffer_addf(&notes->text, i > 0 ? ", '%.*s%s'" : "'%.*s%s'", (int)shown, id.data,
                   shown < id.length ? "..." : "");
  }
  ee_buffer_add_char(&notes->text, ')');
}
