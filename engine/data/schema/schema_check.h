/* schema_check.h: whether a value fits a compiled schema.
 *
 * Layer: data, and private to the files of json_schema.h. A schema is asked about a value once for each keyword that
 * asks it, so that the whole costs at most the schema's size times the instance's: what more than one keyword asks is
 * remembered. */
#ifndef EE_DATA_SCHEMA_SCHEMA_CHECK_H
#define EE_DATA_SCHEMA_SCHEMA_CHECK_H

#include "data/schema/schema_memo.h"
#include "data/schema/schema_node.h"

/* Schemas inside schemas that are open at a time, over all levels of the instance. The reader's nesting of 512 leaves
 * room for eight of them a level. */
#define EE_SCHEMA_DEPTH 4096

typedef enum ee_schema_trouble { EE_SCHEMA_DECIDED, EE_SCHEMA_PATTERN_GIVEN_UP, EE_SCHEMA_TOO_DEEP } ee_schema_trouble;

typedef struct ee_schema_checker {
  const ee_json_schema *schema;
  ee_arena *arena;
  ee_pattern_matcher *matcher; /* NULL until a pattern is met */
  ee_schema_memo memo;
  unsigned depth;
  /* The first thing that could not be decided: the instance then does not fit, whatever else there is. */
  ee_schema_trouble trouble;
  const ee_schema_place *trouble_keyword;
  const ee_value *trouble_value;
} ee_schema_checker;

/* How many of the node's requirements `value` violates: 0 when it fits. Unless `whole` is asked for, counting ends at
 * the first. */
uint64_t ee_schema_check(ee_schema_checker *checker, const ee_schema_node *node, const ee_value *value, bool whole);
/* The same of one keyword, which applies to the value's type. */
uint64_t ee_schema_check_keyword(ee_schema_checker *checker, const ee_schema_keyword *keyword, const ee_value *value,
                                 bool whole);

static inline bool ee_schema_applies(const ee_schema_keyword *keyword, const ee_value *value) {
  return (keyword->applies & EE_TYPE_BIT(ee_type_of(value))) != 0;
}

/* Whether `text` has the pattern; what is given up is noted at `place` and `value`, and counts as not. */
ee_pattern_found ee_schema_search(ee_schema_checker *checker, const ee_schema_matcher *matcher, ee_str text,
                                  const ee_value *value);

/* The first two elements of `array` that are equal; false when there are none. O(n log n). */
bool ee_schema_find_equal(ee_schema_checker *checker, const ee_value *array, size_t *first, size_t *second);

/* How many elements fit the schema of `contains`. */
uint64_t ee_schema_count_contained(ee_schema_checker *checker, const ee_schema_keyword *keyword, const ee_value *array);

/* A node of a member's name, for propertyNames. */
ee_value *ee_schema_name_value(ee_schema_checker *checker, const ee_value *member);

#endif
