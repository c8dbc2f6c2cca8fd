/* schema_node.h: a compiled JSON Schema; private to the files of json_schema.h.
 *
 * A node is one schema. Its keywords are in the order of the document; keywords that work together, such as properties,
 * patternProperties and additionalProperties, are one. Everything is in the schema's arena and immutable once
 * compiled. */
#ifndef EE_DATA_SCHEMA_SCHEMA_NODE_H
#define EE_DATA_SCHEMA_SCHEMA_NODE_H

#include "base/hash_index.h"
#include "base/list.h"
#include "data/schema/json_schema.h"
#include "data/schema/schema_format.h"
#include "data/schema/schema_pattern.h"
#include "prim/number.h"

/* A place in a document, as steps from the inside out. NULL is the root of the schema's own document; the root of
 * another one has its name. */
typedef struct ee_schema_place {
  const struct ee_schema_place *above;
  ee_str step;      /* a key as it is, or an index; the document's name */
  bool is_document; /* the root of another document */
} ee_schema_place;

/* The JSON Pointer of a place, NUL-terminated; in another document after its name and "#". */
ee_str ee_schema_place_text(ee_arena *arena, const ee_schema_place *place);

typedef enum ee_keyword_kind {
  /* Look at the value alone. */
  EE_KEYWORD_TYPE,
  EE_KEYWORD_ENUM, /* const is an enum of one */
  EE_KEYWORD_MULTIPLE_OF,
  EE_KEYWORD_MAXIMUM,
  EE_KEYWORD_EXCLUSIVE_MAXIMUM,
  EE_KEYWORD_MINIMUM,
  EE_KEYWORD_EXCLUSIVE_MINIMUM,
  EE_KEYWORD_MAX_LENGTH,
  EE_KEYWORD_MIN_LENGTH,
  EE_KEYWORD_PATTERN,
  EE_KEYWORD_FORMAT,
  EE_KEYWORD_MAX_ITEMS,
  EE_KEYWORD_MIN_ITEMS,
  EE_KEYWORD_UNIQUE_ITEMS,
  EE_KEYWORD_MAX_PROPERTIES,
  EE_KEYWORD_MIN_PROPERTIES,
  EE_KEYWORD_REQUIRED,
  EE_KEYWORD_DEPENDENT_REQUIRED,
  /* Apply subschemas and judge the outcome. */
  EE_KEYWORD_CONTAINS, /* with minContains and maxContains */
  EE_KEYWORD_NOT,
  EE_KEYWORD_ANY_OF,
  EE_KEYWORD_ONE_OF,
  /* Apply subschemas to the same value; it must fit all of them. */
  EE_KEYWORD_ALL_OF,
  EE_KEYWORD_REF,
  EE_KEYWORD_IF, /* with then and else, if they are there */
  EE_KEYWORD_DEPENDENT_SCHEMAS,
  /* Apply subschemas to elements or members; each must fit. */
  EE_KEYWORD_ITEMS,      /* with prefixItems */
  EE_KEYWORD_PROPERTIES, /* with patternProperties and additionalProperties */
  EE_KEYWORD_PROPERTY_NAMES,
  /* The same, to those that no other keyword of the schema or of what it applies to the same value looks at. */
  EE_KEYWORD_UNEVALUATED_ITEMS,
  EE_KEYWORD_UNEVALUATED_PROPERTIES
} ee_keyword_kind;

/* Sets of types: a bit for each ee_type, and one for whole numbers. */
#define EE_TYPE_BIT(type) ((uint16_t)(1u << (type)))
#define EE_TYPE_BIT_BOOLEAN ((uint16_t)(EE_TYPE_BIT(EE_FALSE) | EE_TYPE_BIT(EE_TRUE)))
#define EE_TYPE_BIT_INTEGER ((uint16_t)(1u << (EE_OBJECT + 1)))
#define EE_TYPE_BIT_ALL ((uint16_t)0xffff)

/* The types that a schema can name: "integer", "an integer". */
typedef struct ee_schema_type {
  const char *name, *phrase;
  uint16_t bits;
} ee_schema_type;
#define EE_SCHEMA_TYPES 7
extern const ee_schema_type ee_schema_types[EE_SCHEMA_TYPES];

typedef struct ee_schema_node ee_schema_node;

typedef struct ee_schema_names {
  const ee_str *items;
  size_t count;
} ee_schema_names;

typedef struct ee_schema_list {
  const ee_schema_node *const *items;
  size_t count;
} ee_schema_list;

/* What applies when an object has a member of this name: a schema, or further required names. Sorted by name where it
 * is looked up. */
typedef struct ee_schema_property {
  ee_str name;
  const ee_schema_node *schema;
  ee_schema_names names;
  const ee_schema_place *place; /* of `names` */
} ee_schema_property;

typedef struct ee_schema_properties {
  const ee_schema_property *items;
  size_t count;
} ee_schema_properties;

typedef struct ee_schema_matcher {
  ee_str text;
  const ee_pattern *pattern;
  const ee_schema_node *schema;
  const ee_schema_place *place;
} ee_schema_matcher;

typedef struct ee_schema_keyword {
  ee_keyword_kind kind;
  uint16_t applies; /* types of values that it looks at */
  const ee_schema_place *place;
  union {
    uint16_t types;
    struct {
      const ee_value *first;         /* in the order of the document */
      const ee_value *const *values; /* scalars in the order of their hashes, then containers */
      const uint64_t *hashes;        /* of the scalars, sorted */
      size_t scalar_count, count;
    } set;
    const ee_value *limit; /* a number */
    struct {
      const ee_value *limit;
      ee_divisor divisor;
    } multiple;
    uint64_t count;
    ee_schema_format format;
    ee_schema_matcher pattern; /* without schema */
    ee_schema_names names;
    ee_schema_properties dependent;
    const ee_schema_node *schema;
    ee_schema_list list;
    struct {
      const ee_schema_node *condition, *then, *otherwise; /* then and otherwise may be NULL */
    } conditional;
    struct {
      ee_schema_list prefix;
      const ee_schema_node *rest; /* NULL: anything */
    } items;
    struct {
      const ee_schema_node *schema;
      uint64_t min, max;
      const ee_schema_place *min_place, *max_place;
      bool evaluates; /* elements that fit count as evaluated */
    } contains;
    struct {
      ee_schema_properties named;
      const ee_schema_matcher *patterns;
      size_t pattern_count;
      const ee_schema_node *rest; /* NULL: anything */
    } properties;
  } as;
} ee_schema_keyword;

struct ee_schema_node {
  uint32_t id;         /* from 0, without gaps */
  bool is_false;       /* the schema `false`: nothing fits */
  bool memoized;       /* its result for a value is kept, because several keywords apply it */
  bool has_subschemas; /* some keyword applies other schemas */
  const ee_schema_place *place;
  ee_schema_keyword *keywords;
  size_t count;
};

struct ee_json_schema {
  const ee_schema_node *root;
  size_t node_count;
};

/* The property called `name`, or NULL. */
const ee_schema_property *ee_schema_properties_find(const ee_schema_properties *properties, ee_str name);

/* Numbers by the address of a value and an id. Empty if all is zero except for the index's arena. */
typedef struct ee_schema_memo_entry {
  const ee_value *value;
  uint32_t id;
  uint64_t number;
} ee_schema_memo_entry;

typedef struct ee_schema_memo {
  ee_hash_index index;
  EE_LIST(ee_schema_memo_entry);
} ee_schema_memo;

/* 0 when there is none. */
uint64_t ee_schema_memo_get(const ee_schema_memo *memo, const ee_value *value, uint32_t id);
/* `number` is not 0; replaces an earlier one. */
void ee_schema_memo_put(ee_schema_memo *memo, const ee_value *value, uint32_t id, uint64_t number);

#endif
