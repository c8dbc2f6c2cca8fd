/* schema_keywords.h: the keywords of JSON Schema by draft, and dialects: a draft with some of its vocabularies.
 *
 * One table says which keywords a draft has and what their values look like. Compiling, looking for $id and anchors,
 * and the metaschemas (ee_metaschema_find()) read it. */
#ifndef EE_DATA_SCHEMA_SCHEMA_KEYWORDS_H
#define EE_DATA_SCHEMA_SCHEMA_KEYWORDS_H

#include "data/json/value.h"
#include "data/schema/json_schema.h"

/* Sets of drafts. */
#define EE_DRAFT_BIT(draft) ((uint8_t)(1u << (draft)))

/* Sets of vocabularies. Drafts before 2019-09 have all keywords that they know. */
typedef enum ee_vocabulary {
  EE_VOCABULARY_CORE = 1,
  EE_VOCABULARY_APPLICATOR = 2,
  EE_VOCABULARY_UNEVALUATED = 4, /* of 2019-09: part of the applicator vocabulary */
  EE_VOCABULARY_VALIDATION = 8,
  EE_VOCABULARY_META_DATA = 16,
  EE_VOCABULARY_FORMAT = 32,
  EE_VOCABULARY_CONTENT = 64,
  EE_VOCABULARY_ALL = 127
} ee_vocabulary;

typedef struct ee_schema_dialect {
  ee_schema_draft draft;
  uint8_t vocabularies;
  bool formats; /* `format` asserts */
} ee_schema_dialect;

/* What the value of a keyword looks like. */
typedef enum ee_keyword_shape {
  EE_SHAPE_ANY,
  EE_SHAPE_SCHEMA,
  EE_SHAPE_SCHEMA_OR_BOOLEAN, /* where booleans are not schemas */
  EE_SHAPE_SCHEMAS,
  EE_SHAPE_SCHEMA_OR_SCHEMAS,
  EE_SHAPE_NAMED_SCHEMAS,
  EE_SHAPE_PATTERN_SCHEMAS,
  EE_SHAPE_DEPENDENCIES, /* schemas or arrays of names, by name */
  EE_SHAPE_COUNT,
  EE_SHAPE_COUNT_FROM_0, /* the same; the default is 0 */
  EE_SHAPE_NUMBER,
  EE_SHAPE_ABOVE_0,
  EE_SHAPE_BOOLEAN,
  EE_SHAPE_TEXT,
  EE_SHAPE_PATTERN,
  EE_SHAPE_NAMES,
  EE_SHAPE_NAMED_NAMES,
  EE_SHAPE_TYPES,
  EE_SHAPE_VALUES,
  EE_SHAPE_EXAMPLES,
  EE_SHAPE_URI,
  EE_SHAPE_REFERENCE,
  EE_SHAPE_ID,
  EE_SHAPE_ANCHOR,
  EE_SHAPE_VOCABULARIES
} ee_keyword_shape;

typedef enum ee_schema_word {
  EE_WORD_ADDITIONAL_ITEMS,
  EE_WORD_ADDITIONAL_PROPERTIES,
  EE_WORD_ALL_OF,
  EE_WORD_ANCHOR,
  EE_WORD_ANY_OF,
  EE_WORD_CONST,
  EE_WORD_CONTAINS,
  EE_WORD_DEFINITIONS,
  EE_WORD_DEPENDENCIES,
  EE_WORD_DEPENDENT_REQUIRED,
  EE_WORD_DEPENDENT_SCHEMAS,
  EE_WORD_DYNAMIC_ANCHOR,
  EE_WORD_DYNAMIC_REF,
  EE_WORD_ENUM,
  EE_WORD_EXCLUSIVE_MAXIMUM,
  EE_WORD_EXCLUSIVE_MINIMUM,
  EE_WORD_FORMAT,
  EE_WORD_ID,
  EE_WORD_IF,
  EE_WORD_ITEMS,
  EE_WORD_MAX_ITEMS,
  EE_WORD_MAX_LENGTH,
  EE_WORD_MAX_PROPERTIES,
  EE_WORD_MAXIMUM,
  EE_WORD_MIN_ITEMS,
  EE_WORD_MIN_LENGTH,
  EE_WORD_MIN_PROPERTIES,
  EE_WORD_MINIMUM,
  EE_WORD_MULTIPLE_OF,
  EE_WORD_NOT,
  EE_WORD_NULLABLE,
  EE_WORD_ONE_OF,
  EE_WORD_PATTERN,
  EE_WORD_PROPERTIES,
  EE_WORD_PROPERTY_NAMES,
  EE_WORD_RECURSIVE_ANCHOR,
  EE_WORD_RECURSIVE_REF,
  EE_WORD_REF,
  EE_WORD_REQUIRED,
  EE_WORD_SCHEMA,
  EE_WORD_TYPE,
  EE_WORD_UNEVALUATED_ITEMS,
  EE_WORD_UNEVALUATED_PROPERTIES,
  EE_WORD_UNIQUE_ITEMS,
  EE_WORD_VOCABULARY,
  EE_WORD_ANNOTATION, /* says nothing about instances */
  EE_WORD_COUNT
} ee_schema_word;

typedef struct ee_schema_word_row {
  const char *name;
  ee_schema_word word;
  uint8_t drafts;
  uint8_t vocabulary;
  ee_keyword_shape shape;
  bool is_extra; /* not in the draft's metaschema, but in use: $defs in draft 07 */
} ee_schema_word_row;

/* The rows, NULL-terminated by name. A name may have a row for each draft. */
extern const ee_schema_word_row ee_schema_words[];

/* The row of a keyword of the draft, or NULL; also of vocabularies that the dialect leaves out. */
const ee_schema_word_row *ee_schema_word_find(ee_schema_dialect dialect, ee_str name);

/* Why the keyword `name` of another draft has no effect in this one, and what to use: "'dependencies' has no effect in
 * draft 2020-12: use ...", in `arena`; NULL for what is not a keyword elsewhere, and for annotations. */
const char *ee_schema_word_elsewhere(ee_arena *arena, ee_schema_dialect dialect, ee_str name);

/* The keyword of the draft that `name` may be a misspelling of, or NULL. Annotations are not suggested. */
const char *ee_schema_word_near(ee_schema_dialect dialect, ee_str name);

/* "draft 2020-12". */
const char *ee_schema_draft_name(ee_schema_draft draft);

/* The draft itself, with all vocabularies. */
static inline ee_schema_dialect ee_schema_dialect_of(ee_schema_draft draft, bool formats) {
  return (ee_schema_dialect){draft, EE_VOCABULARY_ALL, formats};
}

/* Whether `uri` ($schema, with or without an empty fragment, http or https) is a draft's metaschema. */
bool ee_schema_draft_find(ee_str uri, ee_schema_draft *draft);

/* Reads `$vocabulary` of a metaschema of the draft into `dialect`; the result is false with `*unknown` if it requires a
 * vocabulary that is not known. Without `$vocabulary` the dialect is the whole draft. */
bool ee_schema_vocabularies_read(const ee_value *metaschema, ee_schema_dialect *dialect, ee_str *unknown);

/* The metaschema, or the part of one, that `uri` (without fragment) names; NULL for others. Written from the table
 * above in `arena`: it accepts what the official one accepts. */
const ee_value *ee_metaschema_find(ee_arena *arena, ee_str uri);

#endif
