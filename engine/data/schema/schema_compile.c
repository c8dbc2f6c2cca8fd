/* schema_compile.c: compiles a schema's document to nodes: reads keywords, then resolves $ref and refuses cycles. */
#include <stdio.h>

#include "base/list.h"
#include "data/json/json_equal.h"
#include "data/schema/schema_node.h"
#include "prim/sort.h"

/* Mistakes that are listed, and warnings; more are only counted. */
#define MISTAKES_LISTED 100
/* Bytes of a place and of a text in a message. */
#define PLACE_SHOWN 200
#define TEXT_SHOWN 100
/* Bytes of an unknown keyword that may be misspelt. */
#define SUGGESTION_MAX_LENGTH 40
/* Elements of a $ref's array up to which it is walked. */
#define SHORT_ARRAY 16

/* A $ref, resolved after everything else is compiled. */
typedef struct schema_ref {
  ee_schema_keyword *keyword;
  ee_str text;
} schema_ref;

typedef struct schema_anchor {
  ee_str name;
  const ee_schema_node *node;
} schema_anchor;

typedef struct schema_use {
  ee_schema_node *node;
  uint32_t uses; /* keywords that apply the schema */
} schema_use;

typedef struct schema_compiler {
  ee_arena *arena;
  ee_error_list *errors;
  size_t mistakes, warnings;
  const ee_value *document;
  ee_str base;              /* the root's $id without fragment, or empty */
  ee_schema_memo by_source; /* id + 1 of the node that a part of the document became */
  ee_schema_memo elements;  /* addresses by array and index, of long arrays that pointers lead into */
  struct {
    EE_LIST(schema_use); /* by id */
  } nodes;
  struct {
    EE_LIST(schema_ref);
  } refs;
  struct {
    EE_LIST(schema_anchor);
  } anchors;
} schema_compiler;

/* Reads the keywords of one schema. */
typedef struct schema_reader {
  schema_compiler *compiler;
  const ee_value *source;
  const ee_schema_place *place;
  ee_schema_node *node;
  bool has_items, has_contains, has_properties, has_if; /* groups of keywords that were read already */
} schema_reader;

typedef void read_keyword(schema_reader *self, const ee_value *value, const ee_schema_place *place);

typedef struct keyword_row {
  const char *name;
  read_keyword *read;  /* NULL: an annotation */
  const char *warning; /* for a keyword of other dialects: what replaces it; else NULL */
} keyword_row;

static const ee_schema_place *place_below(ee_arena *arena, const ee_schema_place *above, ee_str step) {
  ee_schema_place *place = EE_NEW(arena, ee_schema_place);
  *place = (ee_schema_place){above, step};
  return place;
}

static const ee_schema_place *place_at(ee_arena *arena, const ee_schema_place *above, size_t index) {
  return place_below(arena, above, ee_str_from(ee_arena_printf(arena, "%zu", index)));
}

/* Messages ------------------------------------------------------------------------------------- */

/* The JSON Pointer of a place; a long one is cut at its start. */
static const char *place_shown(ee_arena *arena, const ee_schema_place *place) {
  ee_str text = ee_schema_place_text(arena, place);
  if (text.length <= PLACE_SHOWN) return text.data;
  size_t from = text.length - PLACE_SHOWN;
  while (((unsigned char)text.data[from] & 0xc0) == 0x80) from++;
  return ee_arena_printf(arena, "...%s", text.data + from);
}

static void add_message(schema_compiler *compiler, ee_status status, const ee_schema_place *place,
                        const char *message) {
  ee_error_list_addf(compiler->errors, status, NULL, 0, "%s: %s", place_shown(compiler->arena, place), message);
}

__attribute__((format(printf, 3, 4))) static void mistake(schema_compiler *compiler, const ee_schema_place *place,
                                                          const char *format, ...) {
  if (compiler->mistakes++ >= MISTAKES_LISTED) return;
  char message[500];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  add_message(compiler, EE_ERROR_RULES, place, message);
}

static void warn(schema_compiler *compiler, const ee_schema_place *place, const char *message) {
  if (compiler->warnings++ < MISTAKES_LISTED) add_message(compiler, EE_OK, place, message);
}

/* Bytes of `text` that a message shows. */
static int shown(ee_str text) { return (int)ee_utf8_cut(text, TEXT_SHOWN); }

/* Whether `value` has the type, which the message calls `wanted`. */
static bool expect(schema_reader *self, const ee_value *value, const ee_schema_place *place, ee_type type,
                   const char *wanted) {
  if (ee_type_of(value) == type) return true;
  mistake(self->compiler, place, "expected %s, got %s", wanted, ee_value_describe(value));
  return false;
}

static const ee_schema_place *below(schema_reader *self, const ee_schema_place *place, ee_str step) {
  return place_below(self->compiler->arena, place, step);
}

static ee_schema_keyword *add_keyword(schema_reader *self, ee_keyword_kind kind, uint16_t applies,
                                      const ee_schema_place *place) {
  ee_schema_keyword *keyword = &self->node->keywords[self->node->count++];
  *keyword = (ee_schema_keyword){.kind = kind, .applies = applies, .place = place};
  return keyword;
}

/* Keywords that look at the value alone -------------------------------------------------------- */

typedef struct named_place {
  ee_str name;
  size_t index;
} named_place;
static bool name_before(const named_place *a, const named_place *b) { return ee_str_compare(a->name, b->name) < 0; }
EE_DEFINE_SORT(sort_names, named_place, name_before)

/* Reports duplicate names. */
static void check_unique(schema_reader *self, const ee_schema_names *names, const ee_schema_place *place) {
  ee_arena *arena = self->compiler->arena;
  named_place *sorted = EE_NEW_ARRAY(arena, named_place, names->count);
  for (size_t i = 0; i < names->count; i++) sorted[i] = (named_place){names->items[i], i};
  sort_names(sorted, names->count, arena);
  for (size_t i = 1; i < names->count; i++) {
    if (!ee_str_equal(sorted[i - 1].name, sorted[i].name)) continue;
    mistake(self->compiler, place_at(arena, place, sorted[i].index), "duplicate name '%.*s'", shown(sorted[i].name),
            sorted[i].name.data);
  }
}

static ee_schema_names read_names(schema_reader *self, const ee_value *value, const ee_schema_place *place) {
  if (!expect(self, value, place, EE_ARRAY, "an array of names")) return (ee_schema_names){0};
  ee_str *items = EE_NEW_ARRAY(self->compiler->arena, ee_str, ee_value_count(value));
  ee_schema_names names = {items, 0};
  size_t index = 0;
  for (const ee_value *item = ee_value_child(value); item != NULL; item = ee_value_next(item), index++) {
    const ee_schema_place *at = place_at(self->compiler->arena, place, index);
    if (expect(self, item, at, EE_STRING, "a name")) items[names.count++] = ee_value_text(item);
  }
  check_unique(self, &names, place);
  return names;
}

/* A whole number from 0, saturated. */
static uint64_t read_count(schema_reader *self, const ee_value *value, const ee_schema_place *place) {
  if (!expect(self, value, place, EE_NUMBER, "a whole number from 0")) return 0;
  double number = ee_value_number(value);
  char text[32];
  if (!(number >= 0) || !ee_decimal_is_whole(ee_value_number_text(value, text))) {
    ee_str written = ee_value_number_text(value, text);
    mistake(self->compiler, place, "expected a whole number from 0, got %.*s", shown(written), written.data);
    return 0;
  }
  return number < 0x1p63 ? (uint64_t)number : UINT64_MAX;
}

static ee_schema_matcher read_pattern(schema_reader *self, ee_str text, const ee_schema_place *place) {
  ee_schema_matcher matcher = {.text = text, .place = place};
  const char *why = NULL;
  matcher.pattern = ee_schema_pattern_compile(self->compiler->arena, text, &why);
  if (matcher.pattern == NULL) mistake(self->compiler, place, "bad pattern '%.*s': %s", shown(text), text.data, why);
  return matcher;
}

static uint16_t read_type_name(schema_reader *self, const ee_value *value, const ee_schema_place *place) {
  if (!expect(self, value, place, EE_STRING, "the name of a type")) return 0;
  ee_str text = ee_value_text(value);
  const char *names[EE_SCHEMA_TYPES + 1] = {NULL};
  for (size_t i = 0; i < EE_SCHEMA_TYPES; i++) {
    names[i] = ee_schema_types[i].name;
    if (ee_str_is(text, names[i])) return ee_schema_types[i].bits;
  }
  const char *near = ee_did_you_mean(value->json.valuestring, names);
  mistake(self->compiler, place, "unknown type '%.*s'%s%s%s", shown(text), text.data,
          near != NULL ? " (did you mean '" : "", near != NULL ? near : "", near != NULL ? "'?)" : "");
  return 0;
}

static void read_type(schema_reader *self, const ee_value *value, const ee_schema_place *place) {
  ee_schema_keyword *keyword = add_keyword(self, EE_KEYWORD_TYPE, EE_TYPE_BIT_ALL, place);
  if (ee_type_of(value) != EE_ARRAY) {
    keyword->as.types = read_type_name(self, value, place);
    return;
  }
  if (ee_value_count(value) == 0) mistake(self->compiler, place, "an empty array of types");
  size_t index = 0;
  for (const ee_value *item = ee_value_child(value); item != NULL; item = ee_value_next(item), index++) {
    const ee_schema_place *at = place_at(self->compiler->arena, place, index);
    uint16_t bits = read_type_name(self, item, at);
    if ((keyword->as.types & bits) != 0) mistake(self->compiler, at, "duplicate type");
    keyword->as.types = (uint16_t)(keyword->as.types | bits);
  }
}

typedef struct hashed_value {
  const ee_value *value;
  uint64_t hash;
} hashed_value;
static bool hash_before(const hashed_value *a, const hashed_value *b) { return a->hash < b->hash; }
EE_DEFINE_SORT(sort_hashed, hashed_value, hash_before)

/* Adds an enum of `count` values from `first` on: scalars sorted by hash, then containers. */
static void add_set(schema_reader *self, const ee_value *first, size_t count, const ee_schema_place *place) {
  ee_arena *arena = self->compiler->arena;
  ee_schema_keyword *keyword = add_keyword(self, EE_KEYWORD_ENUM, EE_TYPE_BIT_ALL, place);
  keyword->as.set.first = first;
  const ee_value **values = EE_NEW_ARRAY(arena, const ee_value *, count);
  uint64_t *hashes = EE_NEW_ARRAY(arena, uint64_t, count);
  hashed_value *scalars = EE_NEW_ARRAY(arena, hashed_value, count);
  size_t scalar_count = 0, container_count = 0;
  for (size_t i = 0; i < count; i++, first = ee_value_next(first)) {
    if (ee_type_of(first) < EE_ARRAY)
      scalars[scalar_count++] = (hashed_value){first, ee_json_hash_scalar(first)};
    else
      values[count - ++container_count] = first;
  }
  sort_hashed(scalars, scalar_count, arena);
  for (size_t i = 0; i < scalar_count; i++) {
    values[i] = scalars[i].value;
    hashes[i] = scalars[i].hash;
  }
  keyword->as.set.values = values;
  keyword->as.set.hashes = hashes;
  keyword->as.set.scalar_count = scalar_count;
  keyword->as.set.count = count;
}

static void read_enum(schema_reader *self, const ee_value *value, const ee_schema_place *place) {
  if (!expect(self, value, place, EE_ARRAY, "an array of values")) return;
  if (ee_value_count(value) == 0) warn(self->compiler, place, "an empty array of values, which nothing fits");
  add_set(self, ee_value_child(value), ee_value_count(value), place);
}

static void read_const(schema_reader *self, const ee_value *value, const ee_schema_place *place) {
  add_set(self, value, 1, place);
}

static void add_limit(schema_reader *self, ee_keyword_kind kind, const ee_value *value, const ee_schema_place *place) {
  if (!expect(self, value, place, EE_NUMBER, "a number")) return;
  add_keyword(self, kind, EE_TYPE_BIT(EE_NUMBER), place)->as.limit = value;
}
static void read_maximum(schema_reader *self, const ee_value *value, const ee_schema_place *place) {
  add_limit(self, EE_KEYWORD_MAXIMUM, value, place);
}
static void read_exclusive_maximum(schema_reader *self, const ee_value *value, const ee_schema_place *place) {
  add_limit(self, EE_KEYWORD_EXCLUSIVE_MAXIMUM, value, place);
}
static void read_minimum(schema_reader *self, const ee_value *value, const ee_schema_place *place) {
  add_limit(self, EE_KEYWORD_MINIMUM, value, place);
}
static void read_exclusive_minimum(schema_reader *self, const ee_value *value, const ee_schema_place *place) {
  add_limit(self, EE_KEYWORD_EXCLUSIVE_MINIMUM, value, place);
}

static void read_multiple_of(schema_reader *self, const ee_value *value, const ee_schema_place *place) {
  if (!expect(self, value, place, EE_NUMBER, "a number above 0")) return;
  char room[32];
  ee_str text = ee_value_number_text(value, room);
  ee_schema_keyword *keyword = add_keyword(self, EE_KEYWORD_MULTIPLE_OF, EE_TYPE_BIT(EE_NUMBER), place);
  keyword->as.multiple.limit = value;
  if (ee_divisor_read(text, &keyword->as.multiple.divisor)) return;
  if (ee_value_number(value) > 0)
    mistake(self->compiler, place, "%.*s has more than %d digits, or too large an exponent", shown(text), text.data,
            EE_DIVISOR_DIGITS);
  else
    mistake(self->compiler, place, "expected a number above 0, got %.*s", shown(text), text.data);
}

static void add_count(schema_reader *self, ee_keyword_kind kind, ee_type type, const ee_value *value,
                      const ee_schema_place *place) {
  add_keyword(self, kind, EE_TYPE_BIT(type), place)->as.count = read_count(self, value, place);
}
static void read_max_length(schema_reader *self, const ee_value *value, const ee_schema_place *place) {
  add_count(self, EE_KEYWORD_MAX_LENGTH, EE_STRING, value, place);
}
static void read_min_length(schema_reader *self, const ee_value *value, const ee_schema_place *place) {
  add_count(self, EE_KEYWORD_MIN_LENGTH, EE_STRING, value, place);
}
static void read_max_items(schema_reader *self, const ee_value *value, const ee_schema_place *place) {
  add_count(self, EE_KEYWORD_MAX_ITEMS, EE_ARRAY, value, place);
}
static void read_min_items(schema_reader *self, const ee_value *value, const ee_schema_place *place) {
  add_count(self, EE_KEYWORD_MIN_ITEMS, EE_ARRAY, value, place);
}
static void read_max_properties(schema_reader *self, const ee_value *value, const ee_schema_place *place) {
  add_count(self, EE_KEYWORD_MAX_PROPERTIES, EE_OBJECT, value, place);
}
static void read_min_properties(schema_reader *self, const ee_value *value, const ee_schema_place *place) {
  add_count(self, EE_KEYWORD_MIN_PROPERTIES, EE_OBJECT, value, place);
}

static void read_pattern_keyword(schema_reader *self, const ee_value *value, const ee_schema_place *place) {
  if (!expect(self, value, place, EE_STRING, "a pattern")) return;
  ee_schema_matcher matcher = read_pattern(self, ee_value_text(value), place);
  add_keyword(self, EE_KEYWORD_PATTERN, EE_TYPE_BIT(EE_STRING), place)->as.pattern = matcher;
}

static void read_unique_items(schema_reader *self, const ee_value *value, const ee_schema_place *place) {
  if (ee_type_of(value) == EE_FALSE || !expect(self, value, place, EE_TRUE, "a boolean")) return;
  add_keyword(self, EE_KEYWORD_UNIQUE_ITEMS, EE_TYPE_BIT(EE_ARRAY), place);
}

static void read_required(schema_reader *self, const ee_value *value, const ee_schema_place *place) {
  ee_schema_names names = read_names(self, value, place);
  if (names.count > 0) add_keyword(self, EE_KEYWORD_REQUIRED, EE_TYPE_BIT(EE_OBJECT), place)->as.names = names;
}

static void read_dependent_required(schema_reader *self, const ee_value *value, const ee_schema_place *place) {
  if (!expect(self, value, place, EE_OBJECT, "an object of arrays of names")) return;
  ee_schema_property *items = EE_NEW_ARRAY(self->compiler->arena, ee_schema_property, ee_value_count(value));
  size_t count = 0;
  for (const ee_value *item = ee_value_child(value); item != NULL; item = ee_value_next(item)) {
    const ee_schema_place *at = below(self, place, ee_value_key(item));
    items[count++] = (ee_schema_property){.name = ee_value_key(item), .names = read_names(self, item, at), .place = at};
  }
  ee_schema_keyword *keyword = add_keyword(self, EE_KEYWORD_DEPENDENT_REQUIRED, EE_TYPE_BIT(EE_OBJECT), place);
  keyword->as.dependent = (ee_schema_properties){items, count};
}

/* Keywords with subschemas --------------------------------------------------------------------- */

static ee_schema_node *compile_node(schema_compiler *compiler, const ee_value *source, const ee_schema_place *place);

/* The node of a subschema. */
static const ee_schema_node *read_schema(schema_reader *self, const ee_value *value, const ee_schema_place *place) {
  self->node->has_subschemas = true;
  const ee_schema_node *node = compile_node(self->compiler, value, place);
  self->compiler->nodes.items[node->id].uses++;
  return node;
}

static const ee_value *member(const schema_reader *self, const char *name) {
  return ee_value_member(self->source, ee_str_from(name), NULL);
}

/* An array of at least one schema. */
static ee_schema_list read_schemas(schema_reader *self, const ee_value *value, const ee_schema_place *place) {
  if (!expect(self, value, place, EE_ARRAY, "an array of schemas")) return (ee_schema_list){0};
  if (ee_value_count(value) == 0) mistake(self->compiler, place, "an empty array of schemas");
  const ee_schema_node **items = EE_NEW_ARRAY(self->compiler->arena, const ee_schema_node *, ee_value_count(value));
  size_t count = 0;
  for (const ee_value *item = ee_value_child(value); item != NULL; item = ee_value_next(item), count++)
    items[count] = read_schema(self, item, place_at(self->compiler->arena, place, count));
  return (ee_schema_list){items, count};
}

static bool property_before(const ee_schema_property *a, const ee_schema_property *b) {
  return ee_str_compare(a->name, b->name) < 0;
}
EE_DEFINE_SORT(sort_properties, ee_schema_property, property_before)

/* Schemas by name. */
static ee_schema_properties read_properties(schema_reader *self, const ee_value *value, const ee_schema_place *place) {
  if (!expect(self, value, place, EE_OBJECT, "an object of schemas")) return (ee_schema_properties){0};
  ee_schema_property *items = EE_NEW_ARRAY(self->compiler->arena, ee_schema_property, ee_value_count(value));
  size_t count = 0;
  for (const ee_value *item = ee_value_child(value); item != NULL; item = ee_value_next(item)) {
    ee_str name = ee_value_key(item);
    items[count++] = (ee_schema_property){.name = name, .schema = read_schema(self, item, below(self, place, name))};
  }
  sort_properties(items, count, self->compiler->arena);
  return (ee_schema_properties){items, count};
}

static void read_all_of(schema_reader *self, const ee_value *value, const ee_schema_place *place) {
  ee_schema_list list = read_schemas(self, value, place);
  add_keyword(self, EE_KEYWORD_ALL_OF, EE_TYPE_BIT_ALL, place)->as.list = list;
}

/* When all branches fail they are evaluated again, to find the one that fits best. */
static void add_choice(schema_reader *self, ee_keyword_kind kind, const ee_value *value, const ee_schema_place *place) {
  ee_schema_list list = read_schemas(self, value, place);
  for (size_t i = 0; i < list.count; i++) self->compiler->nodes.items[list.items[i]->id].node->memoized = true;
  add_keyword(self, kind, EE_TYPE_BIT_ALL, place)->as.list = list;
}
static void read_any_of(schema_reader *self, const ee_value *value, const ee_schema_place *place) {
  add_choice(self, EE_KEYWORD_ANY_OF, value, place);
}
static void read_one_of(schema_reader *self, const ee_value *value, const ee_schema_place *place) {
  add_choice(self, EE_KEYWORD_ONE_OF, value, place);
}

static void read_not(schema_reader *self, const ee_value *value, const ee_schema_place *place) {
  const ee_schema_node *schema = read_schema(self, value, place);
  add_keyword(self, EE_KEYWORD_NOT, EE_TYPE_BIT_ALL, place)->as.schema = schema;
}

static void read_if(schema_reader *self, const ee_value *value, const ee_schema_place *place) {
  (void)value, (void)place;
  if (self->has_if) return;
  self->has_if = true;
  static const char *const names[] = {"if", "then", "else"};
  const ee_schema_node *schemas[3] = {NULL};
  for (size_t i = 0; i < 3; i++) {
    const ee_value *found = member(self, names[i]);
    if (found != NULL) schemas[i] = read_schema(self, found, below(self, self->place, ee_str_from(names[i])));
  }
  if (schemas[0] == NULL || (schemas[1] == NULL && schemas[2] == NULL)) return;
  self->compiler->nodes.items[schemas[0]->id].node->memoized = true;
  ee_schema_keyword *keyword =
      add_keyword(self, EE_KEYWORD_IF, EE_TYPE_BIT_ALL, below(self, self->place, EE_STR("if")));
  keyword->as.conditional.condition = schemas[0];
  keyword->as.conditional.then = schemas[1];
  keyword->as.conditional.otherwise = schemas[2];
}

static void read_dependent_schemas(schema_reader *self, const ee_value *value, const ee_schema_place *place) {
  ee_schema_properties dependent = read_properties(self, value, place);
  add_keyword(self, EE_KEYWORD_DEPENDENT_SCHEMAS, EE_TYPE_BIT(EE_OBJECT), place)->as.dependent = dependent;
}

static void read_items(schema_reader *self, const ee_value *value, const ee_schema_place *place) {
  (void)value, (void)place;
  if (self->has_items) return;
  self->has_items = true;
  const ee_value *prefix = member(self, "prefixItems"), *rest = member(self, "items");
  const ee_schema_place *rest_place = below(self, self->place, EE_STR("items"));
  ee_schema_list list = {0};
  if (prefix != NULL) list = read_schemas(self, prefix, below(self, self->place, EE_STR("prefixItems")));
  if (ee_type_of(rest) == EE_ARRAY) {
    mistake(self->compiler, rest_place, "expected a schema, got an array ('prefixItems' takes an array)");
    rest = NULL;
  }
  const ee_schema_node *rest_node = rest != NULL ? read_schema(self, rest, rest_place) : NULL;
  ee_schema_keyword *keyword = add_keyword(self, EE_KEYWORD_ITEMS, EE_TYPE_BIT(EE_ARRAY), rest_place);
  keyword->as.items.prefix = list;
  keyword->as.items.rest = rest_node;
}

/* minContains and maxContains have no effect without contains, but must be valid. */
static void read_contains(schema_reader *self, const ee_value *value, const ee_schema_place *place) {
  (void)value, (void)place;
  if (self->has_contains) return;
  self->has_contains = true;
  const ee_value *schema = member(self, "contains"), *min = member(self, "minContains"),
                 *max = member(self, "maxContains");
  const ee_schema_place *own = below(self, self->place, EE_STR("contains"));
  const ee_schema_place *min_place = below(self, self->place, EE_STR("minContains"));
  const ee_schema_place *max_place = below(self, self->place, EE_STR("maxContains"));
  uint64_t min_count = min != NULL ? read_count(self, min, min_place) : 1;
  uint64_t max_count = max != NULL ? read_count(self, max, max_place) : UINT64_MAX;
  if (schema == NULL) return;
  const ee_schema_node *node = read_schema(self, schema, own);
  ee_schema_keyword *keyword = add_keyword(self, EE_KEYWORD_CONTAINS, EE_TYPE_BIT(EE_ARRAY), own);
  keyword->as.contains.schema = node;
  keyword->as.contains.min = min_count;
  keyword->as.contains.max = max_count;
  keyword->as.contains.min_place = min != NULL ? min_place : own;
  keyword->as.contains.max_place = max_place;
}

static size_t read_patterns(schema_reader *self, const ee_value *value, const ee_schema_matcher **patterns) {
  const ee_schema_place *place = below(self, self->place, EE_STR("patternProperties"));
  if (!expect(self, value, place, EE_OBJECT, "an object of schemas")) return 0;
  ee_schema_matcher *items = EE_NEW_ARRAY(self->compiler->arena, ee_schema_matcher, ee_value_count(value));
  size_t count = 0;
  for (const ee_value *item = ee_value_child(value); item != NULL; item = ee_value_next(item), count++) {
    const ee_schema_place *at = below(self, place, ee_value_key(item));
    items[count] = read_pattern(self, ee_value_key(item), at);
    items[count].schema = read_schema(self, item, at);
  }
  *patterns = items;
  return count;
}

static void read_members(schema_reader *self, const ee_value *value, const ee_schema_place *place) {
  (void)value, (void)place;
  if (self->has_properties) return;
  self->has_properties = true;
  const ee_value *named = member(self, "properties"), *patterns = member(self, "patternProperties"),
                 *rest = member(self, "additionalProperties");
  const ee_schema_place *own = below(self, self->place, EE_STR("properties"));
  ee_schema_keyword keyword = {.kind = EE_KEYWORD_PROPERTIES, .applies = EE_TYPE_BIT(EE_OBJECT), .place = own};
  if (named != NULL) keyword.as.properties.named = read_properties(self, named, own);
  if (patterns != NULL)
    keyword.as.properties.pattern_count = read_patterns(self, patterns, &keyword.as.properties.patterns);
  if (rest != NULL)
    keyword.as.properties.rest = read_schema(self, rest, below(self, self->place, EE_STR("additionalProperties")));
  *add_keyword(self, keyword.kind, keyword.applies, own) = keyword;
}

static void read_property_names(schema_reader *self, const ee_value *value, const ee_schema_place *place) {
  const ee_schema_node *schema = read_schema(self, value, place);
  add_keyword(self, EE_KEYWORD_PROPERTY_NAMES, EE_TYPE_BIT(EE_OBJECT), place)->as.schema = schema;
}

/* Other keywords ------------------------------------------------------------------------------- */

/* Definitions are compiled for their mistakes. */
static void read_definitions(schema_reader *self, const ee_value *value, const ee_schema_place *place) {
  if (!expect(self, value, place, EE_OBJECT, "an object of schemas")) return;
  for (const ee_value *item = ee_value_child(value); item != NULL; item = ee_value_next(item))
    compile_node(self->compiler, item, below(self, place, ee_value_key(item)));
}

static bool is_anchor(ee_str text) {
  for (size_t i = 0; i < text.length; i++) {
    char c = text.data[i];
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    bool other = (c >= '0' && c <= '9') || c == '-' || c == '.';
    if (!letter && !(other && i > 0)) return false;
  }
  return text.length > 0;
}

static void read_anchor(schema_reader *self, const ee_value *value, const ee_schema_place *place) {
  if (!expect(self, value, place, EE_STRING, "a name")) return;
  schema_compiler *compiler = self->compiler;
  ee_str name = ee_value_text(value);
  if (!is_anchor(name)) {
    mistake(compiler, place, "'%.*s' is not a valid anchor name", shown(name), name.data);
    return;
  }
  *EE_LIST_ADD(&compiler->anchors, compiler->arena) = (schema_anchor){name, self->node};
}

static void read_id(schema_reader *self, const ee_value *value, const ee_schema_place *place) {
  if (!expect(self, value, place, EE_STRING, "a URI")) return;
  if (self->source != self->compiler->document) {
    mistake(self->compiler, place, "'$id' below the root is not supported");
    return;
  }
  ee_str text = ee_value_text(value);
  const char *fragment = text.length > 0 ? memchr(text.data, '#', text.length) : NULL;
  if (fragment != NULL && fragment + 1 < text.data + text.length)
    mistake(self->compiler, place, "'$id' has a fragment ('$anchor' names a part)");
  if (fragment != NULL) text.length = (size_t)(fragment - text.data);
  self->compiler->base = text;
}

/* Older drafts are treated as 2020-12; their keywords give warnings. */
static void read_dialect(schema_reader *self, const ee_value *value, const ee_schema_place *place) {
  static const char *const known[] = {"https://json-schema.org/", "http://json-schema.org/"};
  if (!expect(self, value, place, EE_STRING, "a URI")) return;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (strncmp(value->json.valuestring, known[i], strlen(known[i])) == 0) return;
  }
  warn(self->compiler, place, "unknown dialect, treated as draft 2020-12");
}

static void read_ref(schema_reader *self, const ee_value *value, const ee_schema_place *place) {
  if (!expect(self, value, place, EE_STRING, "a reference")) return;
  schema_compiler *compiler = self->compiler;
  self->node->has_subschemas = true;
  ee_schema_keyword *keyword = add_keyword(self, EE_KEYWORD_REF, EE_TYPE_BIT_ALL, place);
  *EE_LIST_ADD(&compiler->refs, compiler->arena) = (schema_ref){keyword, ee_value_text(value)};
}

static void refuse_keyword(schema_reader *self, const ee_value *value, const ee_schema_place *place) {
  (void)value;
  mistake(self->compiler, place, "'%.*s' is not supported", shown(place->step), place->step.data);
}

/* Schemas -------------------------------------------------------------------------------------- */

static const keyword_row rows[] = {
    {"const", read_const, NULL},
    {"dependentRequired", read_dependent_required, NULL},
    {"enum", read_enum, NULL},
    {"exclusiveMaximum", read_exclusive_maximum, NULL},
    {"exclusiveMinimum", read_exclusive_minimum, NULL},
    {"maxItems", read_max_items, NULL},
    {"maxLength", read_max_length, NULL},
    {"maxProperties", read_max_properties, NULL},
    {"maximum", read_maximum, NULL},
    {"minItems", read_min_items, NULL},
    {"minLength", read_min_length, NULL},
    {"minProperties", read_min_properties, NULL},
    {"minimum", read_minimum, NULL},
    {"multipleOf", read_multiple_of, NULL},
    {"pattern", read_pattern_keyword, NULL},
    {"required", read_required, NULL},
    {"type", read_type, NULL},
    {"uniqueItems", read_unique_items, NULL},
    {"additionalProperties", read_members, NULL},
    {"allOf", read_all_of, NULL},
    {"anyOf", read_any_of, NULL},
    {"contains", read_contains, NULL},
    {"dependentSchemas", read_dependent_schemas, NULL},
    {"else", read_if, NULL},
    {"if", read_if, NULL},
    {"items", read_items, NULL},
    {"maxContains", read_contains, NULL},
    {"minContains", read_contains, NULL},
    {"not", read_not, NULL},
    {"oneOf", read_one_of, NULL},
    {"patternProperties", read_members, NULL},
    {"prefixItems", read_items, NULL},
    {"properties", read_members, NULL},
    {"propertyNames", read_property_names, NULL},
    {"then", read_if, NULL},
    {"$anchor", read_anchor, NULL},
    {"$comment", NULL, NULL},
    {"$defs", read_definitions, NULL},
    {"$dynamicAnchor", read_anchor, NULL},
    {"$dynamicRef", refuse_keyword, NULL},
    {"$id", read_id, NULL},
    {"$recursiveAnchor", refuse_keyword, NULL},
    {"$recursiveRef", refuse_keyword, NULL},
    {"$ref", read_ref, NULL},
    {"$schema", read_dialect, NULL},
    {"$vocabulary", refuse_keyword, NULL},
    {"additionalItems", NULL, "use 'prefixItems' and 'items'"},
    {"contentEncoding", NULL, NULL},
    {"contentMediaType", NULL, NULL},
    {"contentSchema", NULL, NULL},
    {"default", NULL, NULL},
    {"definitions", read_definitions, NULL},
    {"dependencies", NULL, "use 'dependentRequired' and 'dependentSchemas'"},
    {"deprecated", NULL, NULL},
    {"description", NULL, NULL},
    {"disallow", NULL, "use 'not'"},
    {"divisibleBy", NULL, "use 'multipleOf'"},
    {"examples", NULL, NULL},
    {"extends", NULL, "use 'allOf'"},
    {"format", NULL, NULL},
    {"nullable", NULL, "use 'type' with an array that has \"null\""},
    {"readOnly", NULL, NULL},
    {"title", NULL, NULL},
    {"unevaluatedItems", refuse_keyword, NULL},
    {"unevaluatedProperties", refuse_keyword, NULL},
    {"writeOnly", NULL, NULL},
};
enum { ROW_COUNT = sizeof rows / sizeof *rows };

static const keyword_row *find_row(ee_str name) {
  for (size_t i = 0; i < ROW_COUNT; i++)
    if (ee_str_is(name, rows[i].name)) return &rows[i];
  return NULL;
}

/* Unknown keywords are annotations. Warns of one that looks like a misspelt keyword. */
static void warn_unknown(schema_reader *self, const ee_value *value, const ee_schema_place *place) {
  if (value->key_length > SUGGESTION_MAX_LENGTH || self->compiler->warnings >= MISTAKES_LISTED) return;
  const char *names[ROW_COUNT + 1] = {NULL};
  for (size_t i = 0; i < ROW_COUNT; i++) names[i] = rows[i].name;
  const char *near = ee_did_you_mean(value->json.string, names);
  if (near == NULL || find_row(ee_str_from(near))->read == NULL) return;
  char message[200];
  snprintf(message, sizeof message, "unknown keyword (did you mean '%s'?)", near);
  warn(self->compiler, place, message);
}

static void read_keywords(schema_reader *self) {
  for (const ee_value *item = ee_value_child(self->source); item != NULL; item = ee_value_next(item)) {
    const ee_schema_place *place = below(self, self->place, ee_value_key(item));
    const keyword_row *row = find_row(ee_value_key(item));
    if (row == NULL) {
      warn_unknown(self, item, place);
    } else if (row->warning != NULL) {
      char message[200];
      snprintf(message, sizeof message, "'%s' has no effect in draft 2020-12: %s", row->name, row->warning);
      warn(self->compiler, place, message);
    } else if (row->read != NULL) {
      row->read(self, item, place);
    }
  }
}

/* The node of `source`, compiled now unless it was before. Never NULL. */
static ee_schema_node *compile_node(schema_compiler *compiler, const ee_value *source, const ee_schema_place *place) {
  uint64_t known = ee_schema_memo_get(&compiler->by_source, source, 0);
  if (known != 0) return compiler->nodes.items[known - 1].node;
  ee_schema_node *node = EE_NEW(compiler->arena, ee_schema_node);
  node->id = (uint32_t)compiler->nodes.count;
  node->place = place;
  *EE_LIST_ADD(&compiler->nodes, compiler->arena) = (schema_use){node, 0};
  ee_schema_memo_put(&compiler->by_source, source, 0, compiler->nodes.count);
  ee_type type = ee_type_of(source);
  node->is_false = type == EE_FALSE;
  if (type == EE_OBJECT) {
    node->keywords = EE_NEW_ARRAY(compiler->arena, ee_schema_keyword, ee_value_count(source));
    schema_reader self = {.compiler = compiler, .source = source, .place = place, .node = node};
    read_keywords(&self);
  } else if (type != EE_TRUE && type != EE_FALSE) {
    mistake(compiler, place, "expected a schema (an object or a boolean), got %s", ee_value_describe(source));
  }
  return node;
}

/* References ----------------------------------------------------------------------------------- */

static int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Decodes a URI's fragment. data NULL: an invalid %XX or invalid UTF-8. */
static ee_str decode_fragment(ee_arena *arena, ee_str text) {
  char *out = ee_arena_alloc(arena, text.length + 1);
  size_t length = 0;
  for (size_t i = 0; i < text.length; i++) {
    char c = text.data[i];
    if (c == '%') {
      if (i + 2 >= text.length) return (ee_str){NULL, 0};
      int high = hex_value(text.data[i + 1]), low = hex_value(text.data[i + 2]);
      if (high < 0 || low < 0) return (ee_str){NULL, 0};
      c = (char)(high * 16 + low);
      i += 2;
    }
    out[length++] = c;
  }
  out[length] = '\0';
  if (ee_utf8_valid_prefix(out, length) != length) return (ee_str){NULL, 0};
  return (ee_str){out, length};
}

/* Decodes ~0 and ~1 in a step of a JSON Pointer. data NULL: another ~. */
static ee_str decode_step(ee_arena *arena, ee_str text) {
  char *out = ee_arena_alloc(arena, text.length + 1);
  size_t length = 0;
  for (size_t i = 0; i < text.length; i++) {
    char c = text.data[i];
    if (c == '~') {
      if (++i == text.length || (text.data[i] != '0' && text.data[i] != '1')) return (ee_str){NULL, 0};
      c = text.data[i] == '0' ? '~' : '/';
    }
    out[length++] = c;
  }
  out[length] = '\0';
  return (ee_str){out, length};
}

/* Elements of long arrays are found by table, because a schema may have as many pointers into an array as it has
 * elements. */
static const ee_value *find_element(schema_compiler *compiler, const ee_value *array, size_t index) {
  if (index >= ee_value_count(array)) return NULL;
  if (ee_value_count(array) <= SHORT_ARRAY) return ee_value_element(array, index);
  ee_schema_memo *elements = &compiler->elements;
  if (ee_schema_memo_get(elements, array, 0) == 0) {
    uint32_t at = 0;
    for (const ee_value *item = ee_value_child(array); item != NULL; item = ee_value_next(item), at++)
      ee_schema_memo_put(elements, array, at, (uint64_t)(uintptr_t)item);
  }
  return (const ee_value *)(uintptr_t)ee_schema_memo_get(elements, array, (uint32_t)index);
}

static const ee_value *element_at(schema_compiler *compiler, const ee_value *array, ee_str step) {
  if (step.length == 0 || step.length > 9 || (step.data[0] == '0' && step.length > 1)) return NULL;
  size_t index = 0;
  for (size_t i = 0; i < step.length; i++) {
    if (step.data[i] < '0' || step.data[i] > '9') return NULL;
    index = index * 10 + (size_t)(step.data[i] - '0');
  }
  return find_element(compiler, array, index);
}

/* The value at `pointer` in the document, and its place; or NULL. */
static const ee_value *find_pointer(schema_compiler *compiler, ee_str pointer, const ee_schema_place **place) {
  const ee_value *value = compiler->document;
  *place = NULL;
  const char *at = pointer.data, *end = pointer.data + pointer.length;
  while (at < end && value != NULL) {
    const char *from = ++at; /* the slash */
    while (at < end && *at != '/') at++;
    ee_str step = decode_step(compiler->arena, (ee_str){from, (size_t)(at - from)});
    if (step.data == NULL) return NULL;
    value = ee_type_of(value) == EE_ARRAY ? element_at(compiler, value, step) : ee_value_member(value, step, NULL);
    *place = place_below(compiler->arena, *place, step);
  }
  return value;
}

static bool anchor_before(const schema_anchor *a, const schema_anchor *b) {
  return ee_str_compare(a->name, b->name) < 0;
}
EE_DEFINE_SORT(sort_anchors, schema_anchor, anchor_before)

/* The anchors must be sorted. */
static const ee_schema_node *find_anchor(const schema_compiler *compiler, ee_str name) {
  size_t low = 0, high = compiler->anchors.count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (ee_str_compare(compiler->anchors.items[middle].name, name) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  bool found = low < compiler->anchors.count && ee_str_equal(compiler->anchors.items[low].name, name);
  return found ? compiler->anchors.items[low].node : NULL;
}

/* The part of `text` after #; data NULL when it refers to another document. */
static ee_str fragment_of(const schema_compiler *compiler, ee_str text) {
  const char *hash = text.length > 0 ? memchr(text.data, '#', text.length) : NULL;
  ee_str document = {text.data, hash != NULL ? (size_t)(hash - text.data) : text.length};
  if (document.length > 0 && !ee_str_equal(document, compiler->base)) return (ee_str){NULL, 0};
  if (hash == NULL) return (ee_str){"", 0};
  return (ee_str){hash + 1, (size_t)(text.data + text.length - hash - 1)};
}

/* The schema that `ref` refers to; NULL after a mistake. */
static const ee_schema_node *look_up(schema_compiler *compiler, const schema_ref *ref) {
  const ee_schema_place *at = ref->keyword->place;
  ee_str fragment = fragment_of(compiler, ref->text);
  if (fragment.data == NULL) {
    mistake(compiler, at, "'%.*s' is outside the document", shown(ref->text), ref->text.data);
    return NULL;
  }
  ee_str decoded = decode_fragment(compiler->arena, fragment);
  const ee_schema_node *found = NULL;
  if (decoded.data != NULL && (decoded.length == 0 || decoded.data[0] == '/')) {
    const ee_schema_place *place;
    const ee_value *value = find_pointer(compiler, decoded, &place);
    if (value != NULL) found = compile_node(compiler, value, place);
  } else if (decoded.data != NULL) {
    found = find_anchor(compiler, decoded);
  }
  if (found == NULL) mistake(compiler, at, "'%.*s' refers to nothing", shown(ref->text), ref->text.data);
  return found;
}

static bool names_anchor(const schema_compiler *compiler, const schema_ref *ref) {
  ee_str fragment = fragment_of(compiler, ref->text);
  return fragment.length > 0 && fragment.data[0] != '/' && fragment.data[0] != '%';
}

static void resolve(schema_compiler *compiler, size_t index) {
  schema_ref ref = compiler->refs.items[index];
  const ee_schema_node *found = look_up(compiler, &ref);
  ref.keyword->as.schema = found;
  if (found != NULL) compiler->nodes.items[found->id].uses++;
}

/* Anchors last, because resolving a pointer may compile schemas with further anchors. */
static void resolve_all(schema_compiler *compiler) {
  for (size_t i = 0; i < compiler->refs.count; i++) {
    if (!names_anchor(compiler, &compiler->refs.items[i])) resolve(compiler, i);
  }
  sort_anchors(compiler->anchors.items, compiler->anchors.count, compiler->arena);
  for (size_t i = 0; i < compiler->refs.count; i++) {
    if (names_anchor(compiler, &compiler->refs.items[i])) resolve(compiler, i);
  }
}

static void check_anchors(schema_compiler *compiler) {
  for (size_t i = 1; i < compiler->anchors.count; i++) {
    const schema_anchor *anchor = &compiler->anchors.items[i];
    if (!ee_str_equal(anchor[-1].name, anchor->name)) continue;
    mistake(compiler, anchor->node->place, "duplicate anchor '%.*s'", shown(anchor->name), anchor->name.data);
  }
}

/* Cycles --------------------------------------------------------------------------------------- */

/* The schema number `index` that a keyword applies to the same value, or NULL. */
static const ee_schema_node *same_value(const ee_schema_keyword *keyword, size_t index) {
  switch (keyword->kind) {
  case EE_KEYWORD_REF:
  case EE_KEYWORD_NOT: return index == 0 ? keyword->as.schema : NULL;
  case EE_KEYWORD_ALL_OF:
  case EE_KEYWORD_ANY_OF:
  case EE_KEYWORD_ONE_OF: return index < keyword->as.list.count ? keyword->as.list.items[index] : NULL;
  case EE_KEYWORD_DEPENDENT_SCHEMAS:
    return index < keyword->as.dependent.count ? keyword->as.dependent.items[index].schema : NULL;
  default: return NULL;
  }
}

/* The next schema that a node's keywords apply to the same value; advances `*keyword` and `*index`. NULL at the end. */
static const ee_schema_node *next_same_value(const ee_schema_node *node, size_t *keyword, size_t *index) {
  for (; *keyword < node->count; ++*keyword, *index = 0) {
    const ee_schema_keyword *here = &node->keywords[*keyword];
    if (here->kind == EE_KEYWORD_IF) {
      const ee_schema_node *parts[] = {here->as.conditional.condition, here->as.conditional.then,
                                       here->as.conditional.otherwise};
      while (*index < 3 && parts[*index] == NULL) ++*index;
      if (*index < 3) return parts[(*index)++];
    } else {
      const ee_schema_node *found = same_value(here, *index);
      if (found != NULL) {
        ++*index;
        return found;
      }
    }
  }
  return NULL;
}

/* A schema on the path of the walk and the keyword that the path takes. */
typedef struct walk_step {
  const ee_schema_node *node;
  size_t keyword, index;
} walk_step;

/* The path came back to `again`: reports the last $ref in the cycle. */
static void report_cycle(schema_compiler *compiler, const walk_step *path, size_t length, const ee_schema_node *again) {
  for (size_t i = length; i > 0; i--) {
    const walk_step *step = &path[i - 1];
    const ee_schema_keyword *keyword = &step->node->keywords[step->keyword];
    if (keyword->kind == EE_KEYWORD_REF) {
      mistake(compiler, keyword->place, "refers to itself without entering the instance");
      return;
    }
    if (step->node == again) return;
  }
}

/* Depth first with a stack of its own, because a chain of references may be as long as the document. */
static void check_cycles(schema_compiler *compiler) {
  enum { NEW = 0, ON_PATH, DONE };
  unsigned char *states = EE_NEW_ARRAY(compiler->arena, unsigned char, compiler->nodes.count);
  walk_step *path = EE_NEW_ARRAY(compiler->arena, walk_step, compiler->nodes.count);
  for (size_t start = 0; start < compiler->nodes.count; start++) {
    if (states[start] != NEW) continue;
    size_t length = 0;
    states[start] = ON_PATH;
    path[length++] = (walk_step){compiler->nodes.items[start].node, 0, 0};
    while (length > 0) {
      walk_step *step = &path[length - 1];
      const ee_schema_node *next = next_same_value(step->node, &step->keyword, &step->index);
      if (next == NULL) {
        states[step->node->id] = DONE;
        length--;
      } else if (states[next->id] == NEW) {
        states[next->id] = ON_PATH;
        path[length++] = (walk_step){next, 0, 0};
      } else if (states[next->id] == ON_PATH) {
        report_cycle(compiler, path, length, next);
      }
    }
  }
}

/* Resolves every $ref, including those in schemas that are compiled because a $ref leads there; then refuses those that
 * lead back to themselves without entering the instance. */
static void resolve_refs(schema_compiler *compiler) {
  resolve_all(compiler);
  check_anchors(compiler);
  check_cycles(compiler);
}

ee_json_schema *ee_json_schema_compile(ee_arena *arena, const ee_value *schema, ee_error_list *errors) {
  schema_compiler compiler = {.arena = arena,
                              .errors = errors,
                              .document = schema,
                              .by_source = {.index = {.arena = arena}},
                              .elements = {.index = {.arena = arena}}};
  if (schema == NULL) {
    mistake(&compiler, NULL, "expected a schema (an object or a boolean), got nothing");
    return NULL;
  }
  ee_schema_node *root = compile_node(&compiler, schema, NULL);
  compiler.nodes.items[root->id].uses++;
  resolve_refs(&compiler);
  if (compiler.mistakes > MISTAKES_LISTED) {
    ee_error_list_addf(errors, EE_ERROR_RULES, NULL, 0, ": %zu more mistakes", compiler.mistakes - MISTAKES_LISTED);
  }
  if (compiler.mistakes > 0) return NULL;
  /* Evaluating a schema without subschemas is cheaper than a look-up. */
  for (size_t i = 0; i < compiler.nodes.count; i++) {
    ee_schema_node *node = compiler.nodes.items[i].node;
    node->memoized = node->has_subschemas && (node->memoized || compiler.nodes.items[i].uses > 1);
  }
  ee_json_schema *result = EE_NEW(arena, ee_json_schema);
  *result = (ee_json_schema){root, compiler.nodes.count};
  return result;
}
