/* yaml_places.c: places of nodes and in texts, and the words of mistakes that carry them. */
#include <stdarg.h>
#include <stdio.h>

#include "base/error.h"
#include "base/hash.h"
#include "data/yaml/yaml_parts.h"

#define FIRST_SLOTS 64u

bool ee_yaml_fail(ee_error *error, ee_yaml_spot spot, const char *format, ...) {
  if (error == NULL) return false;
  char message[sizeof error->message];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  ee_error_at(error, EE_ERROR_DATA, NULL, spot.line, spot.column, "%s", message);
  error->offset = spot.offset;
  return false;
}

const char *ee_yaml_shown(ee_str text, char out[64]) {
  size_t length = ee_utf8_cut(text, 40);
  for (size_t i = 0; i < length; i++)
    out[i] = (unsigned char)text.data[i] < 0x20 || text.data[i] == 0x7f ? '?' : text.data[i];
  memcpy(out + length, length < text.length ? "..." : "", length < text.length ? 4 : 1);
  return out;
}

/* Nodes ---------------------------------------------------------------------------------------- */

static size_t slot_of(const ee_yaml_places *places, const ee_value *value) {
  size_t at = (size_t)ee_hash_mix((uint64_t)(uintptr_t)value) & (places->capacity - 1);
  while (places->slots[at].value != NULL && places->slots[at].value != value) at = (at + 1) & (places->capacity - 1);
  return at;
}

/* The old slots stay behind in the arena: all of them together are no larger than the new ones. */
static void double_slots(ee_arena *arena, ee_yaml_places *places) {
  ee_yaml_places before = *places;
  places->capacity = before.capacity > 0 ? before.capacity * 2 : FIRST_SLOTS;
  places->slots = EE_NEW_ARRAY(arena, struct ee_yaml_place, places->capacity);
  for (size_t i = 0; i < before.capacity; i++)
    if (before.slots[i].value != NULL) places->slots[slot_of(places, before.slots[i].value)] = before.slots[i];
}

void ee_yaml_places_put(ee_arena *arena, ee_yaml_places *places, const ee_value *value, ee_yaml_spot spot) {
  if (places == NULL) return;
  if (places->count * 2 >= places->capacity) double_slots(arena, places);
  struct ee_yaml_place *slot = &places->slots[slot_of(places, value)];
  if (slot->value == NULL) places->count += 1;
  *slot = (struct ee_yaml_place){value, (uint32_t)spot.line, (uint32_t)spot.column};
}

struct ee_yaml_place ee_yaml_place_of(const ee_yaml_places *places, const ee_value *value) {
  if (value == NULL || places->count == 0) return (struct ee_yaml_place){NULL, 0, 0};
  return places->slots[slot_of(places, value)];
}

/* Texts ---------------------------------------------------------------------------------------- */

static void start_over(ee_yaml_cursor *cursor) {
  cursor->at = cursor->line_start = cursor->start;
  cursor->index = 0;
  cursor->line = 1;
}

/* Goes over one code point. A line ends behind LF, CR LF, or a CR alone. */
static inline void step(ee_yaml_cursor *cursor) {
  const char *at = cursor->at++;
  if (*at == '\n' || (*at == '\r' && (cursor->at == cursor->end || *cursor->at != '\n'))) {
    cursor->line += 1;
    cursor->line_start = cursor->at;
  } else if ((unsigned char)*at >= 0x80) {
    while (cursor->at < cursor->end && ((unsigned char)*cursor->at & 0xc0) == 0x80) cursor->at += 1;
  }
  cursor->index += 1;
}

static ee_yaml_spot spot_of(const ee_yaml_cursor *cursor) {
  return (ee_yaml_spot){cursor->line, (size_t)(cursor->at - cursor->line_start) + 1,
                        (size_t)(cursor->at - cursor->first)};
}

ee_yaml_spot ee_yaml_seek_index(ee_yaml_cursor *cursor, size_t index) {
  if (index < cursor->index) start_over(cursor);
  while (cursor->index < index && cursor->at < cursor->end) step(cursor);
  return spot_of(cursor);
}

ee_yaml_spot ee_yaml_seek_byte(ee_yaml_cursor *cursor, const char *at) {
  if (at < cursor->at) start_over(cursor);
  while (cursor->at < at && cursor->at < cursor->end) step(cursor);
  return spot_of(cursor);
}
