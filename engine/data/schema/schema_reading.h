/* schema_reading.h: reading one schema's keywords.
 *
 * Layer: data, and private to the files of json_schema.h. A row a keyword, in a table for each group. */
#ifndef EE_DATA_SCHEMA_SCHEMA_READING_H
#define EE_DATA_SCHEMA_SCHEMA_READING_H

#include "data/schema/schema_compiler.h"

/* One schema while its keywords are read. */
typedef struct ee_schema_reading {
  ee_schema_compiler *compiler;
  const ee_value *source;
  const ee_schema_place *place;
  ee_schema_node *node;
  bool has_items, has_contains, has_properties, has_if; /* keywords that work together have been read */
} ee_schema_reading;

typedef void ee_schema_read_keyword(ee_schema_reading *self, const ee_value *value, const ee_schema_place *place);

typedef struct ee_schema_row {
  const char *name;
  ee_schema_read_keyword *read; /* NULL: an annotation */
  const char *warning;          /* what is told of a keyword that other dialects have, or NULL */
} ee_schema_row;

/* Sorted by name, ended by NULL: what looks at a value alone; what asks other schemas. */
extern const ee_schema_row ee_schema_value_rows[], ee_schema_inner_rows[];

/* Whether `value` is of the type that messages call `wanted`. */
bool ee_schema_expect(ee_schema_reading *self, const ee_value *value, const ee_schema_place *place, ee_type type,
                      const char *wanted);
void ee_schema_warn(ee_schema_compiler *compiler, const ee_schema_place *place, const char *message);
/* Bytes of `text` that a message shows. */
int ee_schema_shown(ee_str text);
const ee_schema_place *ee_schema_below(ee_schema_reading *self, const ee_schema_place *place, ee_str step);
ee_schema_keyword *ee_schema_add_keyword(ee_schema_reading *self, ee_keyword_kind kind, uint16_t applies,
                                         const ee_schema_place *place);
/* A whole number from 0; what is too large for 64 bits is larger than anything that is counted. */
uint64_t ee_schema_read_count(ee_schema_reading *self, const ee_value *value, const ee_schema_place *place);
ee_schema_matcher ee_schema_read_pattern(ee_schema_reading *self, ee_str text, const ee_schema_place *place);

#endif
