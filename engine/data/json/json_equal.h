/* json_equal.h: equality of documents where every member counts.
 *
 * As JSON Schema has it: {"x":null} is not {}. Numbers are equal by decimal value, texts by code points,
 * objects by keys in any order, arrays in order. (ee_value_equal() is the equality of judging, where null is nothing.)
 */
#ifndef EE_DATA_JSON_JSON_EQUAL_H
#define EE_DATA_JSON_JSON_EQUAL_H

#include "data/json/value.h"

/* Neither is NULL. Ends at the first difference, so that it costs at most the smaller of both. */
bool ee_json_equal(const ee_value *a, const ee_value *b);

/* A hash that equal documents share; the same in every run. O(n), not kept. Recursion is bounded by the reader's
 * nesting limit. */
uint64_t ee_json_hash(const ee_value *value);

/* A hash of a value that is no container, which equal ones share. */
uint64_t ee_json_hash_scalar(const ee_value *value);
/* The hash of a container from those of its children: begin, add each in order, finish. */
uint64_t ee_json_hash_begin(const ee_value *container);
uint64_t ee_json_hash_add(uint64_t hash, const ee_value *child, uint64_t child_hash, bool is_member);
uint64_t ee_json_hash_finish(uint64_t hash, const ee_value *container);

#endif
