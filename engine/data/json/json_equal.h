/* json_equal.h: equality as JSON Schema defines it: {"x":null} is not equal to {}.
 *
 * Numbers are equal by decimal value, strings by code points, objects by keys in any order, arrays in order.
 * (ee_value_equal() is the equality of judging, which ignores members that are null.) */
#ifndef EE_DATA_JSON_JSON_EQUAL_H
#define EE_DATA_JSON_JSON_EQUAL_H

#include "data/json/value.h"

/* Neither is NULL. Ends at the first difference; cost: at most linear in the smaller one. */
bool ee_json_equal(const ee_value *a, const ee_value *b);

/* A hash that equal documents share; the same in every run. O(n), not cached. Recursion is bounded by the reader's
 * nesting limit. */
uint64_t ee_json_hash(const ee_value *value);

/* The hash of a value that is not an object or array. */
uint64_t ee_json_hash_scalar(const ee_value *value);
/* The hash of a container from the hashes of its children, for callers that cache those: begin, add each in order,
 * finish. */
uint64_t ee_json_hash_begin(const ee_value *container);
uint64_t ee_json_hash_add(uint64_t hash, const ee_value *child, uint64_t child_hash, bool is_member);
uint64_t ee_json_hash_finish(uint64_t hash, const ee_value *container);

#endif
