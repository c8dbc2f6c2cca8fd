/* json_schema.h: JSON Schema, draft 2020-12.
 *
 * Keywords: type, enum, const; multipleOf, maximum, exclusiveMaximum, minimum, exclusiveMinimum (by decimal value);
 * maxLength, minLength (code points), pattern (unanchored; schema_pattern.h); prefixItems, items, contains with
 * minContains and maxContains, maxItems, minItems, uniqueItems; properties, patternProperties, additionalProperties,
 * propertyNames, required, dependentRequired, dependentSchemas, maxProperties, minProperties; allOf, anyOf, oneOf, not,
 * if, then, else; $ref to "#", "#/pointer" and "#anchor" (also after the root's $id), $defs and definitions, $anchor,
 * $dynamicAnchor (as an anchor), true and false. Annotations (title, description, default, examples, format, $comment,
 * deprecated, readOnly, writeOnly, contentEncoding, contentMediaType, contentSchema) are ignored; `format` asserts
 * nothing. What is not supported is a mistake, never ignored: $ref elsewhere, $dynamicRef, $recursiveRef,
 * unevaluatedItems, unevaluatedProperties, $vocabulary, $id below the root, a multipleOf of more than 18 digits.
 *
 * Unknown keywords are annotations, as the standard says. Warnings: a misspelt keyword ("reqired"), a keyword of
 * another dialect (dependencies, additionalItems, nullable, ...), a $schema that is not one of json-schema.org's. Every
 * $schema is read as draft 2020-12.
 *
 * Values: 1, 1.0 and 10e-1 are one number and an integer. {"x":null} and {} differ, unlike elsewhere in judging.
 *
 * Cost of a validation: at most the schema's size times the instance's, however schemas nest in anyOf or refer to each
 * other; uniqueItems sorts by hash; searches for patterns are bounded (EE_PATTERN_STEPS). */
#ifndef EE_DATA_SCHEMA_JSON_SCHEMA_H
#define EE_DATA_SCHEMA_JSON_SCHEMA_H

#include "base/arena.h"
#include "base/error.h"
#include "data/json/value.h"

typedef struct ee_json_schema ee_json_schema;

/* Compiles `schema`, a document that must outlive the result, into `arena`. The result is immutable; threads may share
 * it. Adds at most 100 mistakes (EE_ERROR_RULES) and 100 warnings (EE_OK) to `errors`, without a file; a message begins
 * with the JSON Pointer into the schema ("/properties/total/minimum: ...", ": ..." for the root). NULL when there was a
 * mistake. Schemas may be recursive, but a $ref that leads to itself without entering the instance is a mistake; so is
 * a pattern in a program without PCRE2. Linear but for sorting. */
ee_json_schema *ee_json_schema_compile(ee_arena *arena, const ee_value *schema, ee_error_list *errors);

typedef struct ee_violation {
  ee_str place;   /* JSON Pointer into the instance; "" is the root */
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

/* Validates; the result is in `arena`. `instance` NULL (missing) fits only `true` and schemas without assertions.
 * Several threads may validate at a time, each with its own arena.
 *
 * If a value fits no branch of anyOf or oneOf, the violations are those of the best branch. Branches rank, from worst
 * to best: the value has another type; it violates const or enum; one of its members violates const or enum; others. Of
 * equal rank the fewest violations win, then the first branch. If all branches fail by the value's type, const or enum,
 * there is one violation that says what would fit.
 *
 * Two things make an instance invalid wherever they happen, even below `not` or in one branch of several, and are
 * violations of their own: a search for a pattern that takes too many steps (EE_PATTERN_STEPS), and more than
 * EE_SCHEMA_DEPTH schemas that apply each other. */
void ee_json_schema_validate(const ee_json_schema *schema, const ee_value *instance, ee_arena *arena,
                             ee_schema_result *result);

#endif
