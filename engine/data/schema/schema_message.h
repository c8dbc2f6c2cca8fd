/* schema_message.h: what a violation says.
 *
 * Layer: data, and private to the files of json_schema.h. Texts are printable UTF-8 in the checker's arena, and
 * bounded: long values are cut. */
#ifndef EE_DATA_SCHEMA_SCHEMA_MESSAGE_H
#define EE_DATA_SCHEMA_SCHEMA_MESSAGE_H

#include "data/schema/schema_check.h"

/* What `value` violates of a keyword that looks at it alone, of contains, not, or oneOf where more than one fits. */
ee_str ee_schema_message(ee_schema_checker *checker, const ee_schema_keyword *keyword, const ee_value *value);

/* "'x' is missing", "'x' is missing, which 'y' requires" for `because` with data. */
ee_str ee_schema_message_missing(ee_arena *arena, ee_str name, ee_str because);

/* "expected "a", "b" or null, got 3": of keywords of types and of enum, all of which `value` violates. */
ee_str ee_schema_message_expected(ee_arena *arena, const ee_schema_keyword *const *keywords, size_t count,
                                  const ee_value *value);

/* Of `false`: of a member by its name, of an element by its index, of the whole (name without data, SIZE_MAX). */
ee_str ee_schema_message_nothing(ee_arena *arena, ee_str name, size_t index);

/* Of what could not be decided. */
ee_str ee_schema_message_trouble(ee_arena *arena, ee_schema_trouble trouble);

#endif
