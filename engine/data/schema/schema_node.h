/* schema_node.h: a compiled JSON Schema.
 *
 * Layer: data, and private to the files of json_schema.h. A node is a schema; its keywords stand in the order of the
 * document, those that only work together (properties, patternProperties and additionalProperties) as one. Everything
 * is in the schema's arena and immutable once compiled. */
#ifndef EE_DATA_SCHEMA_SCHEMA_NODE_H
#define EE_DATA_SCHEMA_SCHEMA_NODE_H

#include "data/schema/json_schema.h"
#include "data/schema/schema_pattern.h"
#include "prim/number.h"

/* Where something stands in the schema's document, from the inside out; NULL is the root. */
typedef struct ee_schema_place {
  const struct ee_schema_place *above;
  ee_str step; /* a key as it is, or an index */
} ee_schema_place;

const ee_schema_place *ee_schema_place_below(ee_arena *arena, const ee_schema_place *above, ee_str step);
const ee_schema_place *ee_schema_place_at(ee_arena *arena, const ee_schema_place *above, size_t index);
/* The JSON Pointer. */
ee_str ee_schema_place_text(ee_arena *arena, const ee_schema_place *place);

typedef enum ee_keyword_kind {
  /* What looks at the value alone. */
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
  EE_KEYWORD_MAX_ITEMS,
  EE_KEYWORD_MIN_ITEMS,
  EE_KEYWORD_UNIQUE_ITEMS,
  EE_KEYWORD_MAX_PROPERTIES,
  EE_KEYWORD_MIN_PROPERTIES,
  EE_KEYWORD_REQUIRED,
  EE_KEYWORD_DEPENDENT_REQUIRED,
  /* What asks other schemas about it, as a whole. */
  EE_KEYWORD_CONTAINS, /* with minContains and maxContains */
  EE_KEYWORD_NOT,
  /* What asks others, whose violations are its own. */
  EE_KEYWORD_ANY_OF,
  EE_KEYWORD_ONE_OF,
  EE_KEYWORD_ALL_OF,
  EE_KEYWORD_REF,
  EE_KEYWORD_IF, /* with then and else */
  EE_KEYWORD_DEPENDENT_SCHEMAS,
  /* What asks others about what is inside. */
  EE_KEYWORD_ITEMS,      /* with prefixItems */
  EE_KEYWORD_PROPERTIES, /* with patternProperties and additionalProperties */
  EE_KEYWORD_PROPERTY_NAMES
} ee_keyword_kind;

/* Bits of types: 1 << ee_type, and one for whole numbers. */
#define EE_TYPE_BIT(type) ((uint16_t)(1u << (type)))
#define EE_TYPE_BIT_BOOLEAN ((uint16_t)(EE_TYPE_BIT(EE_FALSE) | EE_TYPE_BIT(EE_TRUE)))
#define EE_TYPE_BIT_INTEGER ((uint16_t)(1u << (EE_OBJECT + 1)))
#define EE_TYPE_BIT_ALL ((uint16_t)0xffff)

typedef struct ee_schema_node ee_schema_node;

typedef struct ee_schema_names {
  const ee_str *items;
  size_t count;
} ee_schema_names;

typedef struct ee_schema_list {
  const ee_schema_node *const *items;
  size_t count;
} ee_schema_list;

/* A schema, or names, by a member's name; lists of them are sorted by it. */
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
  const ee_schema_pattern *pattern;
  const ee_schema_node *schema;
  const ee_schema_place *place;
} ee_schema_matcher;

typedef struct ee_schema_keyword {
  ee_keyword_kind kind;
  uint16_t applies; /* to which types */
  const ee_schema_place *place;
  union {
    uint16_t types;
    struct {
      const ee_value *first; /* in the document, before the others */
      const ee_value *const *values;
      const uint64_t *hashes;     /* of the scalars, sorted; values are sorted alike */
      size_t scalar_count, count; /* containers stand behind the scalars */
    } set;
    const ee_value *limit; /* a number */
    struct {
      const ee_value *limit;
      ee_divisor divisor;
    } multiple;
    uint64_t count;
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
      uint64_t least, most;
      const ee_schema_place *least_place, *most_place;
    } contains;
    struct {
      ee_schema_properties named;
      const ee_schema_matcher *patterns;
      size_t pattern_count;
      const ee_schema_node *rest; /* NULL: anything */
    } properties;
  } as;
} ee_schema_keyword;

typedef enum ee_schema_form { EE_SCHEMA_KEYWORDS, EE_SCHEMA_NOTHING /* false */ } ee_schema_form;

struct ee_schema_node {
  uint32_t id; /* from 0; those of one schema are dense */
  ee_schema_form form;
  bool remembered; /* what it says of a value is kept: it is asked more than once */
  bool has_inner;  /* some keyword asks other schemas */
  const ee_schema_place *place;
  ee_schema_keyword *keywords;
  size_t count;
};

struct ee_json_schema {
  const ee_schema_node *root;
  size_t node_count;
};

/* "a string", "null", "a boolean", "nothing" for NULL. */
const char *ee_schema_describe(const ee_value *value);

/* The property called `name`, or NULL. */
const ee_schema_property *ee_schema_properties_find(const ee_schema_properties *properties, ee_str name);

#endif
