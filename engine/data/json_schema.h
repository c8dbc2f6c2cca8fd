/* json_schema.h: JSON Schema, draft 2020-12, on the document model.
 *
 * Layer: data. Keywords: type, enum, const; multipleOf, maximum, exclusiveMaximum, minimum, exclusiveMinimum (by
 * decimal value where it matters); maxLength, minLength (code points), pattern (PCRE2, Unicode, unanchored);
 * prefixItems, items, contains with minContains and maxContains, maxItems, minItems, uniqueItems; properties,
 * patternProperties, additionalProperties, propertyNames, required, dependentRequired, dependentSchemas, maxProperties,
 * minProperties; allOf, anyOf, oneOf, not, if, then, else; $ref to "#", "#/pointer" and "#anchor", $defs, $anchor, true
 * and false. Annotations (title, description, default, examples, format, $comment, deprecated, readOnly, writeOnly,
 * contentEncoding, contentMediaType, contentSchema) are read over; `format` asserts nothing. What it cannot honour is a
 * mistake, never passed over: $ref elsewhere, $dynamicRef, unevaluatedItems, unevaluatedProperties, $vocabulary. An
 * unknown keyword is an annotation, as the standard says, but one that is a slip of a known one ("reqired") is told as
 * a warning. */
#ifndef EE_DATA_JSON_SCHEMA_H
#define EE_DATA_JSON_SCHEMA_H

#include "base/arena.h"
#include "base/error.h"
#include "data/value.h"

typedef struct ee_json_schema ee_json_schema;

/* Compiles `schema` (a document; must live as long as the result) into `arena`, immutable and shared by threads
 * afterwards. Mistakes are added to `errors`: EE_ERROR_RULES, message beginning with the JSON Pointer into the schema
 * ("/properties/total/minimum: ..."); warnings with EE_OK. NULL when there was a mistake. Recursive schemas are fine; a
 * $ref that leads to itself without entering the instance is a mistake. */
ee_json_schema *ee_json_schema_compile(ee_arena *arena, const ee_value *schema, ee_error_list *errors);
/* What PCRE2 holds outside the arena. NULL is allowed. */
void ee_json_schema_free(ee_json_schema *schema);

typedef struct ee_violation {
  ee_str place;   /* JSON Pointer into the instance: "" is the whole */
  ee_str keyword; /* JSON Pointer into the schema, of the keyword: "/properties/total/type" */
  ee_str message; /* "expected a number, got a string", printable, bounded */
} ee_violation;

/* At most so many are listed. */
#define EE_VIOLATIONS_LISTED 50

typedef struct ee_schema_result {
  bool valid;
  const ee_violation *violations; /* in the order of the instance's document; for anyOf and oneOf the one of the branch
                                     that came furthest */
  size_t count;                   /* listed */
  size_t total;
} ee_schema_result;

/* Validates; everything lives in `arena`. `instance` NULL (missing) violates every schema but true and {}. A pattern
 * that runs out of PCRE2's match limit is a violation that says so. Safe for many threads at a time. */
void ee_json_schema_validate(const ee_json_schema *schema, const ee_value *instance, ee_arena *arena,
                             ee_schema_result *result);

#endif
