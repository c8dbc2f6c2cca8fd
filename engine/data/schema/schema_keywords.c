/* schema_keywords.c: the table of keywords, and what follows from it. */
#include "data/schema/schema_keywords.h"

#include "base/error.h"

enum {
  D4 = 1u << EE_DRAFT_04 | 1u << EE_DRAFT_OPENAPI_30,
  D6 = 1u << EE_DRAFT_06,
  D7 = 1u << EE_DRAFT_07,
  D19 = 1u << EE_DRAFT_2019_09,
  D20 = 1u << EE_DRAFT_2020_12,
  FROM_19 = D19 | D20,
  FROM_7 = D7 | FROM_19,
  FROM_6 = D6 | FROM_7,
  UP_TO_7 = D4 | D6 | D7,
  UP_TO_19 = UP_TO_7 | D19,
  ALL = UP_TO_19 | D20
};

#define CORE EE_VOCABULARY_CORE
#define APPLICATOR EE_VOCABULARY_APPLICATOR
#define UNEVALUATED EE_VOCABULARY_UNEVALUATED
#define VALIDATION EE_VOCABULARY_VALIDATION
#define META_DATA EE_VOCABULARY_META_DATA
#define CONTENT EE_VOCABULARY_CONTENT

const ee_schema_word_row ee_schema_words[] = {
    {"$schema", EE_WORD_SCHEMA, ALL, CORE, EE_SHAPE_URI, false},
    {"id", EE_WORD_ID, 1u << EE_DRAFT_04, CORE, EE_SHAPE_TEXT, false},
    {"$id", EE_WORD_ID, D6 | D7, CORE, EE_SHAPE_REFERENCE, false},
    {"$id", EE_WORD_ID, FROM_19, CORE, EE_SHAPE_ID, false},
    {"$ref", EE_WORD_REF, D4, CORE, EE_SHAPE_ANY, true},
    {"$ref", EE_WORD_REF, FROM_6, CORE, EE_SHAPE_REFERENCE, false},
    {"$anchor", EE_WORD_ANCHOR, FROM_19, CORE, EE_SHAPE_ANCHOR, false},
    {"$recursiveRef", EE_WORD_RECURSIVE_REF, D19, CORE, EE_SHAPE_REFERENCE, false},
    {"$recursiveAnchor", EE_WORD_RECURSIVE_ANCHOR, D19, CORE, EE_SHAPE_BOOLEAN, false},
    {"$dynamicRef", EE_WORD_DYNAMIC_REF, D20, CORE, EE_SHAPE_REFERENCE, false},
    {"$dynamicAnchor", EE_WORD_DYNAMIC_ANCHOR, D20, CORE, EE_SHAPE_ANCHOR, false},
    {"$vocabulary", EE_WORD_VOCABULARY, FROM_19, CORE, EE_SHAPE_VOCABULARIES, false},
    {"$comment", EE_WORD_ANNOTATION, FROM_7, CORE, EE_SHAPE_TEXT, false},
    {"$defs", EE_WORD_DEFINITIONS, FROM_19, CORE, EE_SHAPE_NAMED_SCHEMAS, false},
    {"$defs", EE_WORD_DEFINITIONS, UP_TO_7, CORE, EE_SHAPE_NAMED_SCHEMAS, true},
    {"definitions", EE_WORD_DEFINITIONS, UP_TO_7, CORE, EE_SHAPE_NAMED_SCHEMAS, false},
    {"definitions", EE_WORD_DEFINITIONS, FROM_19, CORE, EE_SHAPE_NAMED_SCHEMAS, true},

    {"prefixItems", EE_WORD_ITEMS, D20, APPLICATOR, EE_SHAPE_SCHEMAS, false},
    {"items", EE_WORD_ITEMS, D20, APPLICATOR, EE_SHAPE_SCHEMA, false},
    {"items", EE_WORD_ITEMS, UP_TO_19, APPLICATOR, EE_SHAPE_SCHEMA_OR_SCHEMAS, false},
    {"additionalItems", EE_WORD_ADDITIONAL_ITEMS, D4, APPLICATOR, EE_SHAPE_SCHEMA_OR_BOOLEAN, false},
    {"additionalItems", EE_WORD_ADDITIONAL_ITEMS, D6 | D7 | D19, APPLICATOR, EE_SHAPE_SCHEMA, false},
    {"contains", EE_WORD_CONTAINS, FROM_6, APPLICATOR, EE_SHAPE_SCHEMA, false},
    {"additionalProperties", EE_WORD_PROPERTIES, D4, APPLICATOR, EE_SHAPE_SCHEMA_OR_BOOLEAN, false},
    {"additionalProperties", EE_WORD_PROPERTIES, FROM_6, APPLICATOR, EE_SHAPE_SCHEMA, false},
    {"properties", EE_WORD_PROPERTIES, ALL, APPLICATOR, EE_SHAPE_NAMED_SCHEMAS, false},
    {"patternProperties", EE_WORD_PROPERTIES, ALL, APPLICATOR, EE_SHAPE_PATTERN_SCHEMAS, false},
    {"dependentSchemas", EE_WORD_DEPENDENT_SCHEMAS, FROM_19, APPLICATOR, EE_SHAPE_NAMED_SCHEMAS, false},
    {"dependencies", EE_WORD_DEPENDENCIES, UP_TO_7, APPLICATOR, EE_SHAPE_DEPENDENCIES, false},
    {"propertyNames", EE_WORD_PROPERTY_NAMES, FROM_6, APPLICATOR, EE_SHAPE_SCHEMA, false},
    {"if", EE_WORD_IF, FROM_7, APPLICATOR, EE_SHAPE_SCHEMA, false},
    {"then", EE_WORD_IF, FROM_7, APPLICATOR, EE_SHAPE_SCHEMA, false},
    {"else", EE_WORD_IF, FROM_7, APPLICATOR, EE_SHAPE_SCHEMA, false},
    {"allOf", EE_WORD_ALL_OF, ALL, APPLICATOR, EE_SHAPE_SCHEMAS, false},
    {"anyOf", EE_WORD_ANY_OF, ALL, APPLICATOR, EE_SHAPE_SCHEMAS, false},
    {"oneOf", EE_WORD_ONE_OF, ALL, APPLICATOR, EE_SHAPE_SCHEMAS, false},
    {"not", EE_WORD_NOT, ALL, APPLICATOR, EE_SHAPE_SCHEMA, false},
    {"unevaluatedItems", EE_WORD_UNEVALUATED_ITEMS, FROM_19, UNEVALUATED, EE_SHAPE_SCHEMA, false},
    {"unevaluatedProperties", EE_WORD_UNEVALUATED_PROPERTIES, FROM_19, UNEVALUATED, EE_SHAPE_SCHEMA, false},

    {"type", EE_WORD_TYPE, ALL, VALIDATION, EE_SHAPE_TYPES, false},
    {"const", EE_WORD_CONST, FROM_6, VALIDATION, EE_SHAPE_ANY, false},
    {"enum", EE_WORD_ENUM, ALL, VALIDATION, EE_SHAPE_VALUES, false},
    {"multipleOf", EE_WORD_MULTIPLE_OF, ALL, VALIDATION, EE_SHAPE_ABOVE_0, false},
    {"maximum", EE_WORD_MAXIMUM, ALL, VALIDATION, EE_SHAPE_NUMBER, false},
    {"exclusiveMaximum", EE_WORD_EXCLUSIVE_MAXIMUM, D4, VALIDATION, EE_SHAPE_BOOLEAN, false},
    {"exclusiveMaximum", EE_WORD_EXCLUSIVE_MAXIMUM, FROM_6, VALIDATION, EE_SHAPE_NUMBER, false},
    {"minimum", EE_WORD_MINIMUM, ALL, VALIDATION, EE_SHAPE_NUMBER, false},
    {"exclusiveMinimum", EE_WORD_EXCLUSIVE_MINIMUM, D4, VALIDATION, EE_SHAPE_BOOLEAN, false},
    {"exclusiveMinimum", EE_WORD_EXCLUSIVE_MINIMUM, FROM_6, VALIDATION, EE_SHAPE_NUMBER, false},
    {"maxLength", EE_WORD_MAX_LENGTH, ALL, VALIDATION, EE_SHAPE_COUNT, false},
    {"minLength", EE_WORD_MIN_LENGTH, ALL, VALIDATION, EE_SHAPE_COUNT_FROM_0, false},
    {"pattern", EE_WORD_PATTERN, ALL, VALIDATION, EE_SHAPE_PATTERN, false},
    {"maxItems", EE_WORD_MAX_ITEMS, ALL, VALIDATION, EE_SHAPE_COUNT, false},
    {"minItems", EE_WORD_MIN_ITEMS, ALL, VALIDATION, EE_SHAPE_COUNT_FROM_0, false},
    {"uniqueItems", EE_WORD_UNIQUE_ITEMS, ALL, VALIDATION, EE_SHAPE_BOOLEAN, false},
    {"maxContains", EE_WORD_CONTAINS, FROM_19, VALIDATION, EE_SHAPE_COUNT, false},
    {"minContains", EE_WORD_CONTAINS, FROM_19, VALIDATION, EE_SHAPE_COUNT, false},
    {"maxProperties", EE_WORD_MAX_PROPERTIES, ALL, VALIDATION, EE_SHAPE_COUNT, false},
    {"minProperties", EE_WORD_MIN_PROPERTIES, ALL, VALIDATION, EE_SHAPE_COUNT_FROM_0, false},
    {"required", EE_WORD_REQUIRED, ALL, VALIDATION, EE_SHAPE_NAMES, false},
    {"dependentRequired", EE_WORD_DEPENDENT_REQUIRED, FROM_19, VALIDATION, EE_SHAPE_NAMED_NAMES, false},
    {"nullable", EE_WORD_NULLABLE, 1u << EE_DRAFT_OPENAPI_30, VALIDATION, EE_SHAPE_BOOLEAN, false},

    {"title", EE_WORD_ANNOTATION, ALL, META_DATA, EE_SHAPE_TEXT, false},
    {"description", EE_WORD_ANNOTATION, ALL, META_DATA, EE_SHAPE_TEXT, false},
    {"default", EE_WORD_ANNOTATION, ALL, META_DATA, EE_SHAPE_ANY, false},
    {"deprecated", EE_WORD_ANNOTATION, FROM_19, META_DATA, EE_SHAPE_BOOLEAN, false},
    {"readOnly", EE_WORD_ANNOTATION, FROM_7, META_DATA, EE_SHAPE_BOOLEAN, false},
    {"writeOnly", EE_WORD_ANNOTATION, FROM_7, META_DATA, EE_SHAPE_BOOLEAN, false},
    {"examples", EE_WORD_ANNOTATION, FROM_6, META_DATA, EE_SHAPE_EXAMPLES, false},

    {"format", EE_WORD_FORMAT, ALL, EE_VOCABULARY_FORMAT, EE_SHAPE_TEXT, false},
    {"contentEncoding", EE_WORD_ANNOTATION, FROM_7, CONTENT, EE_SHAPE_TEXT, false},
    {"contentMediaType", EE_WORD_ANNOTATION, FROM_7, CONTENT, EE_SHAPE_TEXT, false},
    {"contentSchema", EE_WORD_ANNOTATION, FROM_19, CONTENT, EE_SHAPE_SCHEMA, false},
    {.name = NULL},
};
enum { ROW_COUNT = sizeof ee_schema_words / sizeof *ee_schema_words - 1 };

/* Bytes of an unknown keyword that may be misspelt. */
#define SUGGESTION_MAX_LENGTH 40

const ee_schema_word_row *ee_schema_word_find(ee_schema_dialect dialect, ee_str name) {
  for (size_t i = 0; i < ROW_COUNT; i++) {
    const ee_schema_word_row *row = &ee_schema_words[i];
    if ((row->drafts & EE_DRAFT_BIT(dialect.draft)) != 0 && ee_str_is(name, row->name)) return row;
  }
  return NULL;
}

const char *ee_schema_word_near(ee_schema_dialect dialect, ee_str name) {
  if (name.length > SUGGESTION_MAX_LENGTH) return NULL;
  char text[SUGGESTION_MAX_LENGTH + 1];
  memcpy(text, name.data, name.length);
  text[name.length] = '\0';
  const char *names[ROW_COUNT + 1];
  size_t count = 0;
  for (size_t i = 0; i < ROW_COUNT; i++) {
    if ((ee_schema_words[i].drafts & EE_DRAFT_BIT(dialect.draft)) != 0) names[count++] = ee_schema_words[i].name;
  }
  names[count] = NULL;
  const char *near = ee_did_you_mean(text, names);
  const ee_schema_word_row *row = near == NULL ? NULL : ee_schema_word_find(dialect, ee_str_from(near));
  if (row == NULL) return NULL;
  return row->word == EE_WORD_ANNOTATION || row->word == EE_WORD_DEFINITIONS ? NULL : near;
}

/* Other drafts --------------------------------------------------------------------------------- */

/* What replaces a keyword in later drafts. */
static const char *const replacements[][2] = {
    {"additionalItems", "use 'prefixItems' and 'items'"},
    {"dependencies", "use 'dependentRequired' and 'dependentSchemas'"},
    {"disallow", "use 'not'"},
    {"divisibleBy", "use 'multipleOf'"},
    {"extends", "use 'allOf'"},
    {"nullable", "use 'type' with an array that has \"null\""},
    {"$recursiveAnchor", "use '$dynamicAnchor'"},
    {"$recursiveRef", "use '$dynamicRef'"},
};

const char *ee_schema_word_elsewhere(ee_arena *arena, ee_schema_dialect dialect, ee_str name) {
  const char *here = ee_schema_draft_name(dialect.draft), *known = NULL;
  ee_schema_draft since = EE_DRAFT_2020_12;
  for (size_t i = 0; i < ROW_COUNT; i++) {
    const ee_schema_word_row *row = &ee_schema_words[i];
    if (row->word == EE_WORD_ANNOTATION || row->word == EE_WORD_NULLABLE || !ee_str_is(name, row->name)) continue;
    known = row->name;
    for (ee_schema_draft draft = EE_DRAFT_2020_12; draft <= EE_DRAFT_04; draft++) {
      if ((row->drafts & EE_DRAFT_BIT(draft)) != 0 && draft > since) since = draft;
    }
  }
  /* "id" is too common as a key of others. */
  if (known != NULL && since < dialect.draft && strcmp(known, "id") != 0)
    return ee_arena_printf(arena, "'%s' has no effect in %s: it is a keyword from %s on, if '$schema' says so", known,
                           here, ee_schema_draft_name(since));
  for (size_t i = 0; i < sizeof replacements / sizeof *replacements; i++) {
    if (ee_str_is(name, replacements[i][0]))
      return ee_arena_printf(arena, "'%s' has no effect in %s: %s", replacements[i][0], here, replacements[i][1]);
  }
  return NULL;
}

/* Dialects ------------------------------------------------------------------------------------- */

const char *ee_schema_draft_name(ee_schema_draft draft) {
  static const char *const names[] = {[EE_DRAFT_2020_12] = "draft 2020-12", [EE_DRAFT_2019_09] = "draft 2019-09",
                                      [EE_DRAFT_07] = "draft 07",           [EE_DRAFT_06] = "draft 06",
                                      [EE_DRAFT_04] = "draft 04",           [EE_DRAFT_OPENAPI_30] = "OpenAPI 3.0"};
  return names[draft];
}

/* After "http:" or "https:". */
static const struct {
  const char *uri;
  ee_schema_draft draft;
} drafts[] = {
    {"//json-schema.org/draft/2020-12/schema", EE_DRAFT_2020_12},
    {"//json-schema.org/draft/2020-12/hyper-schema", EE_DRAFT_2020_12},
    {"//json-schema.org/draft/2019-09/schema", EE_DRAFT_2019_09},
    {"//json-schema.org/draft/2019-09/hyper-schema", EE_DRAFT_2019_09},
    {"//json-schema.org/draft-07/schema", EE_DRAFT_07},
    {"//json-schema.org/draft-07/hyper-schema", EE_DRAFT_07},
    {"//json-schema.org/draft-06/schema", EE_DRAFT_06},
    {"//json-schema.org/draft-06/hyper-schema", EE_DRAFT_06},
    {"//json-schema.org/draft-05/schema", EE_DRAFT_04},
    {"//json-schema.org/draft-04/schema", EE_DRAFT_04},
    {"//json-schema.org/draft-04/hyper-schema", EE_DRAFT_04},
    {"//spec.openapis.org/oas/3.1/dialect/base", EE_DRAFT_2020_12},
};

bool ee_schema_draft_find(ee_str uri, ee_schema_draft *draft) {
  if (uri.length > 0 && uri.data[uri.length - 1] == '#') uri.length--;
  if (uri.length < 6 || memcmp(uri.data, "http", 4) != 0) return false;
  size_t scheme = uri.data[4] == 's' ? 6 : 5;
  if (uri.data[scheme - 1] != ':') return false;
  for (size_t i = 0; i < sizeof drafts / sizeof *drafts; i++) {
    if (!ee_str_is((ee_str){uri.data + scheme, uri.length - scheme}, drafts[i].uri)) continue;
    *draft = drafts[i].draft;
    return true;
  }
  return false;
}

/* After "https://json-schema.org/draft/DRAFT/vocab/". */
static const struct {
  const char *name;
  uint8_t vocabulary_2019, vocabulary_2020; /* 0: the draft has no such vocabulary */
  bool asserts;                             /* formats: also where it is not required */
} vocabularies[] = {
    {"core", CORE, CORE, false},
    {"applicator", APPLICATOR | UNEVALUATED, APPLICATOR, false},
    {"unevaluated", 0, UNEVALUATED, false},
    {"validation", VALIDATION, VALIDATION, false},
    {"meta-data", META_DATA, META_DATA, false},
    {"format", EE_VOCABULARY_FORMAT, 0, false},
    {"format-annotation", 0, EE_VOCABULARY_FORMAT, false},
    {"format-assertion", 0, EE_VOCABULARY_FORMAT, true},
    {"content", CONTENT, CONTENT, false},
};

bool ee_schema_vocabularies_read(const ee_value *metaschema, ee_schema_dialect *dialect, ee_str *unknown) {
  const ee_value *list = ee_value_member(metaschema, EE_STR("$vocabulary"), NULL);
  bool is_2019 = dialect->draft == EE_DRAFT_2019_09;
  if (ee_type_of(list) != EE_OBJECT || (!is_2019 && dialect->draft != EE_DRAFT_2020_12)) return true;
  ee_str prefix = is_2019 ? EE_STR("https://json-schema.org/draft/2019-09/vocab/")
                          : EE_STR("https://json-schema.org/draft/2020-12/vocab/");
  dialect->vocabularies = CORE;
  for (const ee_value *item = ee_value_child(list); item != NULL; item = ee_value_next(item)) {
    ee_str name = ee_value_key(item);
    uint8_t found = 0;
    if (name.length > prefix.length && memcmp(name.data, prefix.data, prefix.length) == 0) {
      ee_str rest = {name.data + prefix.length, name.length - prefix.length};
      for (size_t i = 0; i < sizeof vocabularies / sizeof *vocabularies; i++) {
        if (!ee_str_is(rest, vocabularies[i].name)) continue;
        found = is_2019 ? vocabularies[i].vocabulary_2019 : vocabularies[i].vocabulary_2020;
        bool is_asked = is_2019 && found == EE_VOCABULARY_FORMAT && ee_type_of(item) == EE_TRUE;
        if (is_asked || (found != 0 && vocabularies[i].asserts)) dialect->formats = true;
      }
    }
    dialect->vocabularies |= found;
    if (found != 0 || ee_type_of(item) != EE_TRUE) continue;
    *unknown = name;
    return false;
  }
  return true;
}
