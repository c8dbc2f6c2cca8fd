/* fuzz_schema.c: JSON Schemas and what they say of a document.
 *
 * The first byte chooses the draft and whether formats assert; the first line is a schema, the rest a document. A
 * schema that compiles says the same of the document again, of it within allOf, and the opposite within not; violations
 * have places within the document. */
#include "data/json/json_reader.h"
#include "data/schema/json_schema.h"
#include "fuzz/fuzz.h"

static ee_json_schema *compile(const ee_value *schema, uint8_t choice, ee_arena *arena) {
  ee_schema_options options = {.draft = (ee_schema_draft)(choice % 6), .formats = choice / 6 % 2};
  ee_error_list errors;
  ee_error_list_init(&errors);
  ee_json_schema *compiled = ee_json_schema_compile(arena, schema, &options, &errors);
  size_t mistakes = 0;
  for (size_t i = 0; i < errors.count; i++) {
    const char *message = errors.items[i].message;
    fuzz_require(message[0] != '\0' && ee_utf8_valid_prefix(message, strlen(message)) == strlen(message));
    mistakes += errors.items[i].status != EE_OK;
  }
  fuzz_require((compiled == NULL) == (mistakes > 0));
  ee_error_list_fini(&errors);
  return compiled;
}

static void check_result(const ee_schema_result *result, const ee_value *instance, ee_arena *arena) {
  fuzz_require(result->valid == (result->total == 0) && result->count <= result->total);
  fuzz_require(result->count <= EE_VIOLATIONS_LISTED);
  for (size_t i = 0; i < result->count; i++) {
    const ee_violation *violation = &result->violations[i];
    fuzz_require(violation->message.length > 0);
    fuzz_require(ee_utf8_valid_prefix(violation->message.data, violation->message.length) == violation->message.length);
    if (violation->place.length > 0) fuzz_require(violation->place.data[0] == '/');
    (void)instance, (void)arena;
  }
}

/* What is invalid wherever it happens, also below `not`. */
static bool is_bounded(const ee_schema_result *result) {
  for (size_t i = 0; i < result->count; i++) {
    ee_str message = result->violations[i].message;
    if (memmem(message.data, message.length, "steps", 5) != NULL) return false;
    if (memmem(message.data, message.length, "apply each other", 16) != NULL) return false;
    if (memmem(message.data, message.length, "given up", 8) != NULL) return false;
  }
  return result->count < EE_VIOLATIONS_LISTED;
}

/* Whether the schema means the same at another place of a document: not with references and identifiers. */
static bool can_be_moved(ee_str text) {
  return text.length > 0 && memchr(text.data, '$', text.length) == NULL && memchr(text.data, '\\', text.length) == NULL;
}

static bool says(ee_str prefix, ee_str text, ee_str suffix, const ee_value *instance, uint8_t choice, ee_arena *arena) {
  ee_buffer wrapped = {0};
  ee_buffer_add_str(&wrapped, prefix);
  ee_buffer_add_str(&wrapped, text);
  ee_buffer_add_str(&wrapped, suffix);
  const ee_value *schema = ee_json_read(arena, fuzz_buffer_text(&wrapped), NULL, NULL);
  fuzz_require(schema != NULL);
  ee_json_schema *compiled = compile(schema, choice, arena);
  fuzz_require(compiled != NULL);
  ee_schema_result result;
  ee_json_schema_validate(compiled, instance, arena, &result);
  ee_buffer_fini(&wrapped);
  return result.valid;
}

static int ee_fuzz_one(const uint8_t *data, size_t size) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  fuzz_source source = fuzz_source_of(data, size);
  uint8_t choice = fuzz_byte(&source);
  ee_str text = fuzz_line(&source);
  const ee_value *schema = ee_json_read(&arena, text, NULL, NULL);
  const ee_value *instance = ee_json_read(&arena, fuzz_rest(&source), NULL, NULL);
  ee_json_schema *compiled = schema != NULL ? compile(schema, choice, &arena) : NULL;
  if (compiled != NULL) {
    ee_schema_result result, again;
    ee_json_schema_validate(compiled, instance, &arena, &result);
    check_result(&result, instance, &arena);
    ee_json_schema_validate(compiled, instance, &arena, &again);
    fuzz_require(result.valid == again.valid && result.total == again.total);
    if (can_be_moved(text) && is_bounded(&result) && instance != NULL) {
      fuzz_require(says(EE_STR("{\"allOf\":["), text, EE_STR("]}"), instance, choice, &arena) == result.valid);
      fuzz_require(says(EE_STR("{\"not\":"), text, EE_STR("}"), instance, choice, &arena) == !result.valid);
    }
  }
  ee_arena_fini(&arena);
  return 0;
}

EE_FUZZ_TARGET(4096)
