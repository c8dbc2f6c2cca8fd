/* json_schema.h: JSON Schema, draft 2020-12, on the document model.
 *
 * Keywords: type, enum, const; multipleOf, maximum, exclusiveMaximum, minimum, exclusiveMinimum (by
 * decimal value); maxLength, minLength (code points), pattern (unanchored); prefixItems, items, contains with
 * minContains and maxContains, maxItems, minItems, uniqueItems; properties, patternProperties, additionalProperties,
 * propertyNames, required, dependentRequired, dependentSchemas, maxProperties, minProperties; allOf, anyOf, oneOf, not,
 * if, then, else; $ref to "#", "#/pointer" and "#anchor" (also behind the root's $id), $defs and definitions, $anchor,
 * $dynamicAnchor (as an anchor), true and false. Annotations (title, description, default, examples, format, $comment,
 * deprecated, readOnly, writeOnly, contentEncoding, contentMediaType, contentSchema) are read over; `format` asserts
 * nothing. What it cannot honour is a mistake, never passed over: $ref elsewhere, $dynamicRef, $recursiveRef,
 * unevaluatedItems, unevaluatedProperties, $vocabulary, $id below the root, a multipleOf of more than 18 digits.
 *
 * An unknown keyword is an annotation, as the standard says, but these are told as warnings: one that is a slip of a
 * known one ("reqired"), one that another dialect has (dependencies, additionalItems, nullable, ...), a $schema that is
 * none of json-schema.org's. All other $schema are read as draft 2020-12.
 *
 * Values: 1, 1.0 and 10e-1 are one number and an integer. {"x":null} and {} are different, unlike elsewhere in judging.
 *
 * Patterns are ECMA-262's, which PCRE2 is made to follow (ecma_pattern.h): \d, \w and \b are ASCII, \s is ECMA's white
 * space, $ is the end of the text only, `.` stops at ECMA's ends of lines. Different: a lookbehind needs a fixed
 * length; escaped punctuation that the flag u forbids is taken; a pattern has at most 16 KiB; what PCRE2 has and ECMA
 * has not is a mistake.
 *
 * Cost of a validation: at most the schema's size times the instance's, however schemas are nested in anyOf or lead to
 * each other by $ref; uniqueItems sorts by hash; searches for patterns are bounded by PCRE2's match limit. */
#ifndef EE_DATA_SCHEMA_JSON_SCHEMA_H
#define EE_DATA_SCHEMA_JSON_SCHEMA_H

#include "base/arena.h"
#include "base/error.h"
#include "data/json/value.h"

typedef struct ee_json_schema ee_json_schema;

/* Compiles `schema` (a document; must live as long as the result) into `arena`, PCRE2's part too, immutable and shared
 * by threads afterwards. Mistakes are added to `errors`: EE_ERROR_RULES, without a file, message beginning with the
 * JSON Pointer into the schema ("/properties/total/minimum: ...", ": ..." for the root); warnings with EE_OK; 100 of
 * each at most. NULL when there was a mistake. Recursive schemas are fine; a $ref that leads to itself without entering
 * the instance is a mistake. A schema with a pattern is one too where the program was built without PCRE2. Linear but
 * for sorting.
 */
ee_json_schema *ee_json_schema_compile(ee_arena *arena, const ee_value *schema, ee_error_list *errors);

typedef struct ee_violation {
  ee_str place;   /* JSON Pointer into the instance: "" is the whole */
  ee_str keyword; /* JSON Pointer into the schema, of the keyword: "/properties/total/type" */
  ee_str message; /* "expected a number, got a string", printable, bounded */
} ee_violation;

/* Violations that are listed. */
#define EE_VIOLATIONS_LISTED 50

/* Limit of schemas that apply each other, over all levels of the instance. The reader's nesting limit of 512 leaves
 * eight for each level. */
#define EE_SCHEMA_DEPTH 4096

typedef struct ee_schema_result {
  bool valid;
  const ee_violation *violations; /* in the order of the instance's document */
  size_t count;                   /* listed */
  size_t total;
} ee_schema_result;

/* Validates; everything lives in `arena`. `instance` NULL (missing) violates every schema but true and those without an
 * assertion. Safe for many threads at a time, with an arena each.
 *
 * Where no branch of anyOf or oneOf fits, the violations are those of the one that came furthest: not by the type
 * of the value, not by its const or enum, not by a const or enum of one of its members, with the fewest violations, the
 * first of equals. Where all fail by the value's type, const or enum there is one violation that says what would fit.
 *
 * A search for a pattern that runs out of its steps (EE_PATTERN_STEPS) and an instance that needs more than
 * EE_SCHEMA_DEPTH schemas inside each other are violations that say so, and the instance is not valid, even where that
 * happened below `not` or in one branch of several. */
void ee_json_schema_validate(const ee_json_schema *schema, const ee_value *instance, ee_arena *arena,
                             ee_schema_result *result);

#endif
