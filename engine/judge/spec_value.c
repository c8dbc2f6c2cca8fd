/* spec_value.c: plain data that a rule file holds, as a document. */
#include "judge/spec_value.h"

#include <math.h>

/* A table may stand in many places of another, and that one again; a document has a copy for each of them. */
#define VALUE_LIMIT 1000000u
/* Bytes of a place in a message. */
#define PLACE_SHOWN 100

/* Where a value stands: a name or a place (from 1, as in the rule file) in what is above it. */
typedef struct place {
  const struct place *above; /* NULL: the table itself */
  ee_str name;               /* data NULL: `number` counts */
  size_t number;
} place;

typedef struct conversion {
  ee_arena *arena;
  size_t count;
  const char *error; /* NULL: all was well so far */
} conversion;

static ee_value *convert_table(conversion *c, const ee_spec *table, const place *at);

static void print_place(const place *at, ee_buffer *out) {
  if (at->above == NULL) return;
  print_place(at->above, out);
  if (at->name.data == NULL) {
    ee_buffer_addf(out, "[%zu]", at->number);
    return;
  }
  if (out->length > 0) ee_buffer_add_char(out, '.');
  ee_buffer_add_str(out, at->name);
}

/* The first mistake counts: "'fields[2]'" between the two texts, or "it" for the table itself. */
static ee_value *refuse(conversion *c, const place *at, const char *before, const char *behind) {
  if (c->error != NULL) return NULL;
  ee_buffer text;
  ee_buffer_init(&text);
  print_place(at, &text);
  size_t length = ee_utf8_cut((ee_str){text.data, text.length}, PLACE_SHOWN);
  c->error = at->above == NULL ? ee_arena_printf(c->arena, "%sit%s", before, behind)
                               : ee_arena_printf(c->arena, "%s'%.*s%s'%s", before, (int)length, text.data,
                                                 length < text.length ? "..." : "", behind);
  ee_buffer_fini(&text);
  return NULL;
}

static ee_value *convert(conversion *c, const ee_spec_value *value, const place *at) {
  if (++c->count > VALUE_LIMIT) return refuse(c, at, "more than a million values, counted up to ", "");
  switch (value->type) {
  case EE_SPEC_BOOL: return ee_value_new_bool(c->arena, value->boolean);
  case EE_SPEC_TEXT: return ee_value_new_string(c->arena, value->text);
  case EE_SPEC_NULL: return ee_value_new(c->arena, EE_NULL);
  case EE_SPEC_TABLE: return convert_table(c, value->spec, at);
  case EE_SPEC_NUMBER:
    if (isfinite(value->number)) return ee_value_new_number(c->arena, value->number);
    return refuse(c, at, "", isnan(value->number) ? " is no number (NaN)" : " is infinite");
  default: return refuse(c, at, "", ee_arena_printf(c->arena, " is %s", ee_spec_describe(value, c->arena)));
  }
}

static ee_value *convert_table(conversion *c, const ee_spec *table, const place *at) {
  if (table->item_count > 0 && table->option_count > 0)
    return refuse(c, at, "names and places stand side by side in ", "");
  ee_value *result = ee_value_new(c->arena, table->item_count > 0 ? EE_ARRAY : EE_OBJECT);
  for (size_t i = 0; i < table->item_count; i++) {
    place below = {.above = at, .number = i + 1};
    ee_value *element = convert(c, &table->items[i], &below);
    if (element == NULL) return NULL;
    ee_value_append(result, element);
  }
  for (size_t i = 0; i < table->option_count; i++) {
    place below = {.above = at, .name = table->options[i].name};
    ee_value *member = convert(c, &table->options[i].value, &below);
    if (member == NULL) return NULL;
    ee_value_set(c->arena, result, table->options[i].name, member);
  }
  return result;
}

const ee_value *ee_spec_to_value(ee_arena *arena, const ee_spec *table, const char **error) {
  *error = NULL;
  if (table->document != NULL) return table->document; /* a table cannot tell an empty list from an empty object */
  conversion c = {.arena = arena};
  place top = {0};
  ee_value *value = convert_table(&c, table, &top);
  *error = c.error;
  if (value != NULL) ee_value_freeze(value, arena);
  return value;
}
