/* schema_fixture.h: JSON Schemas and instances from texts, and violations as one text. */
#ifndef EE_TESTS_DATA_SCHEMA_FIXTURE_H
#define EE_TESTS_DATA_SCHEMA_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>

#include "data/json/json_reader.h"
#include "data/schema/json_schema.h"

/* Whether the schema has patterns and this build has none. */
static inline bool schema_needs_patterns(const char *schema) {
#ifdef EE_WITH_PCRE2
  (void)schema;
  return false;
#else
  return strstr(schema, "\"pattern") != NULL;
#endif
}

static inline const ee_value *schema_json(ee_arena *arena, const char *text) {
  ee_error error = {0};
  const ee_value *value = ee_json_read(arena, ee_str_from(text), NULL, &error);
  if (value == NULL) fail_msg("no JSON: %s: %s", text, error.message);
  return value;
}

/* What the compiler said: mistakes, and warnings behind "warning ", a line each. */
static inline const char *schema_told(ee_arena *arena, const ee_error_list *errors) {
  const char *text = "";
  for (size_t i = 0; i < errors->count; i++) {
    assert_true(errors->items[i].status == EE_OK || errors->items[i].status == EE_ERROR_RULES);
    text = ee_arena_printf(arena, "%s%s%s%s", text, i > 0 ? "\n" : "",
                           errors->items[i].status == EE_OK ? "warning " : "", errors->items[i].message);
  }
  return text;
}

/* Compiles a schema that must be right. */
static inline const ee_json_schema *schema_compile(ee_arena *arena, const ee_value *document) {
  ee_error_list errors;
  ee_error_list_init(&errors);
  const ee_json_schema *schema = ee_json_schema_compile(arena, document, NULL, &errors);
  if (schema == NULL) fail_msg("the schema does not compile: %s", schema_told(arena, &errors));
  ee_error_list_fini(&errors);
  return schema;
}

/* "PLACE KEYWORD MESSAGE", a line each; "" of a valid instance. */
static inline const char *schema_violations(ee_arena *arena, const ee_schema_result *result) {
  const char *text = "";
  assert_int_equal(result->valid, result->total == 0);
  assert_true(result->count <= EE_VIOLATIONS_LISTED && result->count <= result->total);
  for (size_t i = 0; i < result->count; i++) {
    const ee_violation *v = &result->violations[i];
    text = ee_arena_printf(arena, "%s%s%.*s %.*s %.*s", text, i > 0 ? "\n" : "", (int)v->place.length, v->place.data,
                           (int)v->keyword.length, v->keyword.data, (int)v->message.length, v->message.data);
  }
  return text;
}

#endif
