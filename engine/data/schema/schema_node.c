/* schema_node.c: places in a schema, and what else both halves of it use. */
#include "data/schema/schema_node.h"

const ee_schema_place *ee_schema_place_below(ee_arena *arena, const ee_schema_place *above, ee_str step) {
  ee_schema_place *place = EE_NEW(arena, ee_schema_place);
  *place = (ee_schema_place){above, step};
  return place;
}

const ee_schema_place *ee_schema_place_at(ee_arena *arena, const ee_schema_place *above, size_t index) {
  return ee_schema_place_below(arena, above, ee_str_from(ee_arena_printf(arena, "%zu", index)));
}

static size_t escaped_length(ee_str step) {
  size_t length = step.length;
  for (size_t i = 0; i < step.length; i++) length += step.data[i] == '~' || step.data[i] == '/';
  return length;
}

ee_str ee_schema_place_text(ee_arena *arena, const ee_schema_place *place) {
  size_t length = 0;
  for (const ee_schema_place *at = place; at != NULL; at = at->above) length += 1 + escaped_length(at->step);
  char *text = ee_arena_alloc(arena, length + 1);
  char *out = text + length;
  *out = '\0';
  for (const ee_schema_place *at = place; at != NULL; at = at->above) {
    for (size_t i = at->step.length; i > 0; i--) {
      char c = at->step.data[i - 1];
      if (c == '~' || c == '/') *--out = c == '~' ? '0' : '1';
      *--out = c == '/' ? '~' : c;
    }
    *--out = '/';
  }
  return (ee_str){text, length};
}

const char *ee_schema_describe(const ee_value *value) {
  switch (ee_type_of(value)) {
  case EE_MISSING: return "nothing";
  case EE_NULL: return "null";
  case EE_FALSE:
  case EE_TRUE: return "a boolean";
  case EE_NUMBER: return "a number";
  case EE_STRING: return "a string";
  case EE_ARRAY: return "an array";
  case EE_OBJECT: break;
  }
  return "an object";
}

const ee_schema_property *ee_schema_properties_find(const ee_schema_properties *properties, ee_str name) {
  size_t low = 0, high = properties->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    int order = ee_str_compare(name, properties->items[middle].name);
    if (order == 0) return &properties->items[middle];
    if (order < 0)
      high = middle;
    else
      low = middle + 1;
  }
  return NULL;
}
