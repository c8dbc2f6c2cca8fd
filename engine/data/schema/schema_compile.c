/* schema_compile.c: compiles a schema's document to nodes: reads keywords. */
#include <stdio.h>

#include "base/list.h"
#include "data/json/json_equal.h"
#include "data/schema/schema_compiler.h"
#include "data/schema/schema_format.h"
#include "prim/sort.h"

/* Bytes of a place and of a text in a message. */
#define PLACE_SHOWN 200
#define TEXT_SHOWN 100
/* Nodes of a schema. */

/* Reads the keywords of one schema. */
typedef struct schema_reader {
  ee_schema_compiler *compiler;
  const ee_value *source;
  const ee_schema_place *place;
  ee_schema_resource *resource;
  ee_schema_dialect dialect;
  uint32_t scope;
  ee_schema_node *node;
  bool has_items, has_contains, has_properties, has_if; /* groups of keywords that were read already */
} schema_reader;

typedef void read_keyword(schema_reader *self, const ee_value *value, const ee_schema_place *place);

const ee_schema_place *ee_schema_place_below(ee_arena *arena, const ee_schema_place *above, ee_str step) {
  ee_schema_place *place = EE_NEW(arena, ee_schema_place);
  *place = (ee_schema_place){.above = above, .step = step};
  return place;
}

const ee_schema_place *ee_schema_place_at(ee_arena *arena, const ee_schema_place *above, size_t index) {
  return ee_schema_place_below(arena, above, ee_str_from(ee_arena_printf(arena, "%zu", index)));
}

/* Messages ------------------------------------------------------------------------------------- */

/* The place of a message; a long one is cut at its start. */
static const char *place_shown(ee_arena *arena, const ee_schema_place *place) {
  ee_str text = ee_schema_place_text(arena, place);
  if (text.length <= PLACE_SHOWN) return text.data;
  size_t from = text.length - PLACE_SHOWN;
  while (((unsigned char)text.data[from] & 0xc0) == 0x80) from++;
  return ee_arena_printf(arena, "...%s", text.data + from);
}

__attribute__((format(printf, 4, 0))) static void add_message(ee_schema_compiler *self, ee_status status,
                                                              const ee_schema_place *place, const char *format,
                                                              va_list arguments) {
  char message[500];
  vsnprintf(message, sizeof message, format, arguments);
  ee_error_list_addf(self->errors, status, NULL, 0, "%s: %s", place_shown(self->arena, place), message);
}

void ee_schema_mistake(ee_schema_compiler *self, const ee_schema_place *place, const char *format, ...) {
  if (self->mistakes++ >= EE_SCHEMA_MISTAKES_LISTED) return;
  va_list arguments;
  va_start(arguments, format);
  add_message(self, EE_ERROR_RULES, place, format, arguments);
  va_end(arguments);
}

void ee_schema_warn(ee_schema_compiler *self, const ee_schema_place *place, const char *format, ...) {
  if (self->warnings++ >= EE_SCHEMA_MISTAKES_LISTED) return;
  va_list arguments;
  va_start(arguments, format);
  add_message(self, EE_OK, place, format, arguments);
  va_end(arguments);
}

int ee_schema_shown(ee_str text) { return (int)ee_utf8_cut(text, TEXT_SHOWN); }

/* Whether `value` has the type, which the message calls `wanted`. */
static bool expect(schema_reader *self, const ee_value *value, const ee_schema_place *place, ee_type type,
                   const char *wanted) {
  if (ee_type_of(value) == type) return true;
  ee_schema_mistake(self->compiler, place, "expected %s, got %s", wanted, ee_value_describe(value));
  return false;
}

static const ee_schema_place *below(schema_reader *self, const ee_schema_place *place, ee_str step) {
  return ee_schema_place_below(self->compiler->arena, place, step);
}

static ee_schema_keyword *add_keyword(schema_reader *self, ee_keyword_kind kind, uint16_t applies,
                                      const ee_schema_place *place) {
  ee_schema_keyword *keyword = &self->node->keywords[self->node->count++];
  *keyword = (ee_schema_keyword){.kind = kind, .applies = applies, .place = place};
  return keyword;
}

static const ee_value *member(const schema_reader *self, const char *name) {
  return ee_value_member(self->source, ee_str_from(name), NULL);
}

/* The same for a keyword of a group, which may be of another vocabulary than that of the group's first. */
static const ee_value *keyword_member(const schema_reader *self, const char *name) {
  const ee_schema_word_row *row = ee_schema_word_find(self->dialect, ee_str_from(name));
  return row != NULL && (row->vocabulary & self->dialect.vocabularies) != 0 ? member(self, name) : NULL;
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
    ee_schema_mistake(self->compiler, ee_schema_place_at(arena, place, sorted[i].index), "duplicate name '%.*s'",
                      ee_schema_shown(sorted[i].name), sorted[i].name.data);
  }
}

static ee_schema_names read_names(schema_reader *self, const ee_value *value, const ee_schema_place *place) {
  if (!expect(self, value, place, EE_ARRAY, "an array of names")) return (ee_schema_names){0};
  ee_str *items = EE_NEW_ARRAY(self->compiler->arena, ee_str, ee_value_count(value));
  ee_schema_names names = {items, 0};
  size_t index = 0;
  for (const ee_value *item = ee_value_child(value); item != NULL; item = ee_value_next(item), index++) {
    const ee_schema_place *at = ee_schema_place_at(self->compiler->arena, place, index);
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
    ee_schema_mistake(self->compiler, place, "expected a whole number from 0, got %.*s", ee_schema_shown(written),
                      written.data);
    return 0;
  }
  return number < 0x1p63 ? (uint64_t)number : UINT64_MAX;
}

static ee_schema_matcher read_pattern(schema_reader *self, ee_str text, const ee_schema_place *place) {
  ee_schema_matcher matcher = {.text = text, .place = place};
  const char *why = NULL;
  matcher.pattern = ee_schema_pattern_compile(self->compiler->arena, text, &why);
  if (matcher.pattern == NULL)
    ee_schema_mistake(self->compiler, place, "bad pattern '%.*s': %s", ee_schema_shown(text), text.data, why);
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
  ee_schema_mistake(self->compiler, place, "unknown type '%.*s'%s%s%s", ee_schema_shown(text), text.data,
                    near != NULL ? " (did you mean '" : "", near != NULL ? near : "", near != NULL ? "'?)" : "");
  return 0;
}

static void read_type(schema_reader *self, const ee_value *value, const ee_schema_place *place) {
  ee_schema_keyword *keyword = add_keyword(self, EE_KEYWORD_TYPE, EE_TYPE_BIT_ALL, place);
  const ee_value *nullable = self->dialect.draft == EE_DRAFT_OPENAPI_30 ? member(self, "nullable") : NULL;
  if (ee_type_of(value) != EE_ARRAY) {
    keyword->as.types = read_type_name(self, value, place);
    if (ee_type_of(nullable) == EE_TRUE) keyword->as.types |= EE_TYPE_BIT(EE_NULL);
    return;
  }
  if (ee_value_count(value) == 0) ee_schema_mistake(self->compiler, place, "an empty array of types");
  size_t index = 0;
  for (const ee_value *item = ee_value_child(value); item != NULL; item = ee_value_next(item), index++) {
    const ee_schema_place *at = ee_schema_place_at(self->compiler->arena, place, index);
    uint16_t bits = read_type_name(self, item, at);
    if ((keyword->as.types & bits) != 0) ee_schema_mistake(self->compiler, at, "duplicate type");
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
  if (ee_value_count(value) == 0) ee_schema_warn(self->compiler, place, "an empty array of values, which nothing fits");
  add_set(self, ee_value_child(value), ee_value_count(value), place);
}

static void read_const(schema_reader *self, const ee_value *value, const ee_schema_place *place) {
  add_set(self, value, 1, place);
}

static void add_limit(schema_reader *self, ee_keyword_kind kind, const ee_value *value, const ee_schema_place *place) {
  if (!expect(self, value, place, EE_NUMBER, "a number")) return;
  add_keyword(self, kind, EE_TYPE_BIT(EE_NUMBER), place)->as.limit = value;
}

static bool has_boolean_limits(const schema_reader *self) { return self->dialect.draft >= EE_DRAFT_04; }

/* In draft 04 `exclusive` is a boolean beside the limit. */
static ee_keyword_kind limit_kind(const schema_reader *self, const char *exclusive, ee_keyword_kind inclusive,
                                  ee_keyword_kind exclusive_kind) {
  const ee_value *found = has_boolean_limits(self) ? member(self, exclusive) : NULL;
  return ee_type_of(found) == EE_TRUE ? exclusive_kind : inclusive;
}
static void read_maximum(schema_reader *self, const ee_value *value, const ee_schema_place *place) {
  add_limit(self, limit_kind(self, "exclusiveMaximum", EE_KEYWORD_MAXIMUM, EE_KEYWORD_EXCLUSIVE_MAXIMUM), value, place);
}
static void read_minimum(schema_reader *self, const ee_value *value, const ee_schema_place *place) {
  add_limit(self, limit_kind(self, "exclusiveMinimum", EE_KEYWORD_MINIMUM, EE_KEYWORD_EXCLUSIVE_MINIMUM), value, place);
}

static void read_exclusive(schema_reader *self, ee_keyword_kind kind, const ee_value *value,
                           const ee_schema_place *place) {
  if (!has_boolean_limits(self))
    add_limit(self, kind, value, place);
  else if (ee_type_of(value) != EE_FALSE)
    expect(self, value, place, EE_TRUE, "a boolean (draft 04)");
}
static void read_exclusive_maximum(schema_reader *self, const ee_value *value, const ee_schema_place *place) {
  read_exclusive(self, EE_KEYWORD_EXCLUSIVE_MAXIMUM, value, place);
}
static void read_exclusive_minimum(schema_reader *self, const ee_value *value, const ee_schema_place *place) {
  read_exclusive(self, EE_KEYWORD_EXCLUSIVE_MINIMUM, value, place);
}

static void read_multiple_of(schema_reader *self, const ee_value *value, const ee_schema_place *place) {
  if (!expect(self, value, place, EE_NUMBER, "a number above 0")) return;
  char room[32];
  ee_str text = ee_value_number_text(value, room);
  ee_schema_keyword *keyword = add_keyword(self, EE_KEYWORD_MULTIPLE_OF, EE_TYPE_BIT(EE_NUMBER), place);
  keyword->as.multiple.limit = value;
  if (ee_divisor_read(text, &keyword->as.multiple.divisor)) return;
  if (ee_value_number(value) > 0)
    ee_schema_mistake(self->compiler, place, "%.*s has more than %d digits, or too large an exponent",
                      ee_schema_shown(text), text.data, EE_DIVISOR_DIGITS);
  else
    ee_schema_mistake(self->compiler, place, "expected a number above 0, got %.*s", ee_schema_shown(text), text.data);
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

/* The node of a subschema. */
static const ee_schema_node *read_schema(schema_reader *self, const ee_value *value, const ee_schema_place *place) {
  self->node->has_subschemas = true;
  ee_schema_target target = {value, place, self->resource};
  const ee_schema_node *node = ee_schema_compile_node(self->compiler, &target, self->scope);
  self->compiler->nodes.items[node->id].uses++;
  return node;
}

/* An array of at least one schema. */
static ee_schema_list read_schemas(schema_reader *self, const ee_value *value, const ee_schema_place *place) {
  if (!expect(self, value, place, EE_ARRAY, "an array of schemas")) return (ee_schema_list){0};
  if (ee_value_count(value) == 0) ee_schema_mistake(self->compiler, place, "an empty array of schemas");
  const ee_schema_node **items = EE_NEW_ARRAY(self->compiler->arena, const ee_schema_node *, ee_value_count(value));
  size_t count = 0;
  for (const ee_value *item = ee_value_child(value); item != NULL; item = ee_value_next(item), count++)
    items[count] = read_schema(self, item, ee_schema_place_at(self->compiler->arena, place, count));
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
  /* An `if` alone decides what is evaluated. */
  if (schemas[0] == NULL) return;
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
  const ee_schema_place *items_place = below(self, self->place, EE_STR("items"));
  const char *prefix_name = "prefixItems", *rest_name = "items";
  const ee_value *items = member(self, "items"), *prefix = NULL;
  if (self->dialect.draft == EE_DRAFT_2020_12) {
    prefix = member(self, "prefixItems");
    if (ee_type_of(items) == EE_ARRAY) {
      ee_schema_mistake(self->compiler, items_place, "expected a schema, got an array ('prefixItems' takes an array)");
      items = NULL;
    }
  } else if (ee_type_of(items) == EE_ARRAY) {
    prefix = items;
    prefix_name = "items";
    rest_name = "additionalItems";
    items = member(self, rest_name);
  }
  const ee_schema_place *rest_place = below(self, self->place, ee_str_from(rest_name));
  ee_schema_list list = {0};
  bool may_be_empty = self->dialect.draft != EE_DRAFT_2020_12;
  if (prefix != NULL && !(may_be_empty && ee_value_count(prefix) == 0))
    list = read_schemas(self, prefix, below(self, self->place, ee_str_from(prefix_name)));
  const ee_schema_node *rest = items != NULL ? read_schema(self, items, rest_place) : NULL;
  ee_schema_keyword *keyword = add_keyword(self, EE_KEYWORD_ITEMS, EE_TYPE_BIT(EE_ARRAY), items_place);
  keyword->as.items.prefix = list;
  keyword->as.items.rest = rest;
}

/* minContains and maxContains have no effect without contains, but must be valid. */
static void read_contains(schema_reader *self, const ee_value *value, const ee_schema_place *place) {
  (void)value, (void)place;
  if (self->has_contains) return;
  self->has_contains = true;
  const ee_value *schema = keyword_member(self, "contains"), *min = keyword_member(self, "minContains"),
                 *max = keyword_member(self, "maxContains");
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
  keyword->as.contains.evaluates = self->dialect.draft == EE_DRAFT_2020_12;
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

/* Members that a schema asks for when another one is there, and schemas that then apply. */
static void read_dependencies(schema_reader *self, const ee_value *value, const ee_schema_place *place) {
  if (!expect(self, value, place, EE_OBJECT, "an object of schemas and arrays of names")) return;
  ee_schema_property *names = EE_NEW_ARRAY(self->compiler->arena, ee_schema_property, ee_value_count(value));
  ee_schema_property *schemas = EE_NEW_ARRAY(self->compiler->arena, ee_schema_property, ee_value_count(value));
  size_t name_count = 0, schema_count = 0;
  for (const ee_value *item = ee_value_child(value); item != NULL; item = ee_value_next(item)) {
    ee_str key = ee_value_key(item);
    const ee_schema_place *at = below(self, place, key);
    if (ee_type_of(item) == EE_ARRAY)
      names[name_count++] = (ee_schema_property){.name = key, .names = read_names(self, item, at), .place = at};
    else
      schemas[schema_count++] = (ee_schema_property){.name = key, .schema = read_schema(self, item, at)};
  }
  sort_properties(schemas, schema_count, self->compiler->arena);
  const uint16_t applies = EE_TYPE_BIT(EE_OBJECT);
  if (name_count > 0)
    add_keyword(self, EE_KEYWORD_DEPENDENT_REQUIRED, applies, place)->as.dependent =
        (ee_schema_properties){names, name_count};
  if (schema_count > 0)
    add_keyword(self, EE_KEYWORD_DEPENDENT_SCHEMAS, applies, place)->as.dependent =
        (ee_schema_properties){schemas, schema_count};
}

static void read_unevaluated_items(schema_reader *self, const ee_value *value, const ee_schema_place *place) {
  const ee_schema_node *schema = read_schema(self, value, place);
  add_keyword(self, EE_KEYWORD_UNEVALUATED_ITEMS, EE_TYPE_BIT(EE_ARRAY), place)->as.schema = schema;
}

static void read_unevaluated_properties(schema_reader *self, const ee_value *value, const ee_schema_place *place) {
  const ee_schema_node *schema = read_schema(self, value, place);
  add_keyword(self, EE_KEYWORD_UNEVALUATED_PROPERTIES, EE_TYPE_BIT(EE_OBJECT), place)->as.schema = schema;
}

/* Other keywords ------------------------------------------------------------------------------- */

static void read_format(schema_reader *self, const ee_value *value, const ee_schema_place *place) {
  if (!self->dialect.formats || ee_type_of(value) != EE_STRING) return;
  ee_schema_format format = ee_schema_format_find(ee_value_text(value));
  if (format == EE_FORMAT_UNKNOWN) return;
  add_keyword(self, EE_KEYWORD_FORMAT, EE_TYPE_BIT(EE_STRING), place)->as.format = format;
}

/* Definitions are compiled for their mistakes. In a draft that does not know them they may be anything. */
static void read_definitions(schema_reader *self, const ee_value *value, const ee_schema_place *place) {
  bool is_extra = ee_schema_word_find(self->dialect, place->step)->is_extra;
  if (is_extra && ee_type_of(value) != EE_OBJECT) return;
  if (!expect(self, value, place, EE_OBJECT, "an object of schemas")) return;
  for (const ee_value *item = ee_value_child(value); item != NULL; item = ee_value_next(item)) {
    if (is_extra && ee_type_of(item) != EE_OBJECT) continue;
    ee_schema_target target = {item, below(self, place, ee_value_key(item)), self->resource};
    ee_schema_compile_node(self->compiler, &target, self->scope);
  }
}

static void add_ref(schema_reader *self, ee_reference_kind kind, const ee_value *value, const ee_schema_place *place) {
  if (!expect(self, value, place, EE_STRING, "a reference")) return;
  ee_schema_compiler *compiler = self->compiler;
  self->node->has_subschemas = true;
  *EE_LIST_ADD(&compiler->refs, compiler->arena) =
      (ee_schema_ref){.kind = kind,
                      .keyword = add_keyword(self, EE_KEYWORD_REF, EE_TYPE_BIT_ALL, place),
                      .text = ee_value_text(value),
                      .resource = self->resource,
                      .scope = self->scope};
}
static void read_ref(schema_reader *self, const ee_value *value, const ee_schema_place *place) {
  add_ref(self, EE_REFERENCE_PLAIN, value, place);
}
static void read_dynamic_ref(schema_reader *self, const ee_value *value, const ee_schema_place *place) {
  add_ref(self, EE_REFERENCE_DYNAMIC, value, place);
}
static void read_recursive_ref(schema_reader *self, const ee_value *value, const ee_schema_place *place) {
  add_ref(self, EE_REFERENCE_RECURSIVE, value, place);
}

/* $schema and $id were read when the document was added; here only their types are checked. */
static void check_uri(schema_reader *self, const ee_value *value, const ee_schema_place *place) {
  expect(self, value, place, EE_STRING, "a URI");
}

/* Schemas -------------------------------------------------------------------------------------- */

/* NULL: has nothing to say here. */
static read_keyword *const readers[EE_WORD_COUNT] = {
    [EE_WORD_ADDITIONAL_ITEMS] = NULL, /* read with items */
    [EE_WORD_ALL_OF] = read_all_of,
    [EE_WORD_ANY_OF] = read_any_of,
    [EE_WORD_CONST] = read_const,
    [EE_WORD_CONTAINS] = read_contains,
    [EE_WORD_DEFINITIONS] = read_definitions,
    [EE_WORD_DEPENDENCIES] = read_dependencies,
    [EE_WORD_DEPENDENT_REQUIRED] = read_dependent_required,
    [EE_WORD_DEPENDENT_SCHEMAS] = read_dependent_schemas,
    [EE_WORD_DYNAMIC_REF] = read_dynamic_ref,
    [EE_WORD_ENUM] = read_enum,
    [EE_WORD_EXCLUSIVE_MAXIMUM] = read_exclusive_maximum,
    [EE_WORD_EXCLUSIVE_MINIMUM] = read_exclusive_minimum,
    [EE_WORD_FORMAT] = read_format,
    [EE_WORD_ID] = check_uri,
    [EE_WORD_IF] = read_if,
    [EE_WORD_ITEMS] = read_items,
    [EE_WORD_MAXIMUM] = read_maximum,
    [EE_WORD_MAX_ITEMS] = read_max_items,
    [EE_WORD_MAX_LENGTH] = read_max_length,
    [EE_WORD_MAX_PROPERTIES] = read_max_properties,
    [EE_WORD_MINIMUM] = read_minimum,
    [EE_WORD_MIN_ITEMS] = read_min_items,
    [EE_WORD_MIN_LENGTH] = read_min_length,
    [EE_WORD_MIN_PROPERTIES] = read_min_properties,
    [EE_WORD_MULTIPLE_OF] = read_multiple_of,
    [EE_WORD_NOT] = read_not,
    [EE_WORD_ONE_OF] = read_one_of,
    [EE_WORD_PATTERN] = read_pattern_keyword,
    [EE_WORD_PROPERTIES] = read_members,
    [EE_WORD_PROPERTY_NAMES] = read_property_names,
    [EE_WORD_RECURSIVE_REF] = read_recursive_ref,
    [EE_WORD_REF] = read_ref,
    [EE_WORD_REQUIRED] = read_required,
    [EE_WORD_SCHEMA] = check_uri,
    [EE_WORD_TYPE] = read_type,
    [EE_WORD_UNEVALUATED_ITEMS] = read_unevaluated_items,
    [EE_WORD_UNEVALUATED_PROPERTIES] = read_unevaluated_properties,
    [EE_WORD_UNIQUE_ITEMS] = read_unique_items,
};

/* Unknown keywords are annotations. Warns of one that another draft has, and of one that looks misspelt. */
static void warn_unknown(schema_reader *self, ee_str name) {
  ee_schema_compiler *compiler = self->compiler;
  if (compiler->warnings >= EE_SCHEMA_MISTAKES_LISTED) return;
  const char *elsewhere = ee_schema_word_elsewhere(compiler->arena, self->dialect, name);
  const char *near = elsewhere == NULL ? ee_schema_word_near(self->dialect, name) : NULL;
  if (elsewhere != NULL)
    ee_schema_warn(compiler, below(self, self->place, name), "%s", elsewhere);
  else if (near != NULL)
    ee_schema_warn(compiler, below(self, self->place, name), "unknown keyword (did you mean '%s'?)", near);
}

/* Before 2019-09 a schema with $ref is that reference and nothing else. Definitions are still there to be referred to.
 */
static bool is_ignored(schema_reader *self, const ee_schema_word_row *row, bool is_ref) {
  if (!is_ref || row->word == EE_WORD_REF || row->word == EE_WORD_DEFINITIONS) return false;
  ee_schema_compiler *compiler = self->compiler;
  /* A type is mostly the one that the reference asks for, too. */
  static const ee_schema_word harmless[] = {EE_WORD_SCHEMA, EE_WORD_ID, EE_WORD_FORMAT, EE_WORD_TYPE};
  bool is_missed = readers[row->word] != NULL;
  for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++) is_missed = is_missed && row->word != harmless[i];
  if (is_missed && compiler->ignored_count++ == 0) compiler->ignored = below(self, self->place, ee_str_from(row->name));
  return true;
}

static void read_keywords(schema_reader *self) {
  bool is_ref = self->dialect.draft >= EE_DRAFT_07 && ee_type_of(member(self, "$ref")) == EE_STRING;
  for (int round = 0; round < 2; round++) {
    for (const ee_value *item = ee_value_child(self->source); item != NULL; item = ee_value_next(item)) {
      const ee_schema_word_row *row = ee_schema_word_find(self->dialect, ee_value_key(item));
      /* What is evaluated is known last. */
      bool is_last = row != NULL && row->vocabulary == EE_VOCABULARY_UNEVALUATED;
      if (is_last != (round == 1)) continue;
      if (row == NULL) {
        warn_unknown(self, ee_value_key(item));
      } else if ((row->vocabulary & self->dialect.vocabularies) != 0 && !is_ignored(self, row, is_ref)) {
        if (readers[row->word] != NULL) readers[row->word](self, item, below(self, self->place, ee_value_key(item)));
      }
    }
  }
}

ee_schema_node *ee_schema_compile_node(ee_schema_compiler *self, const ee_schema_target *target, uint32_t scope) {
  const ee_value *source = target->value;
  ee_schema_resource *resource = ee_schema_resource_of(self, source);
  if (resource == NULL) {
    ee_schema_scan(self, source, target->place, target->resource);
    resource = ee_schema_resource_of(self, source);
  }
  if (resource == NULL) resource = target->resource;
  scope = ee_schema_scope_enter(self, scope, resource);
  uint64_t known = ee_schema_memo_get(&self->by_source, source, scope);
  if (known != 0) return self->nodes.items[known - 1].node;
  if (self->nodes.count >= EE_SCHEMA_NODES && !self->is_full) {
    ee_schema_mistake(self, target->place, "more than %zu schemas in all", EE_SCHEMA_NODES);
    self->is_full = true;
  }
  if (self->is_full) return self->nodes.items[0].node;
  ee_schema_node *node = EE_NEW(self->arena, ee_schema_node);
  node->id = (uint32_t)self->nodes.count;
  node->place = target->place;
  *EE_LIST_ADD(&self->nodes, self->arena) = (ee_schema_use){node, 0};
  ee_schema_memo_put(&self->by_source, source, scope, self->nodes.count);
  ee_type type = ee_type_of(source);
  node->is_false = type == EE_FALSE;
  if (type == EE_OBJECT) {
    /* `dependencies` may become two. */
    node->keywords = EE_NEW_ARRAY(self->arena, ee_schema_keyword, ee_value_count(source) + 1);
    schema_reader reader = {.compiler = self,
                            .source = source,
                            .place = target->place,
                            .resource = resource,
                            .dialect = resource->dialect,
                            .scope = scope,
                            .node = node};
    read_keywords(&reader);
  } else if (type != EE_TRUE && type != EE_FALSE) {
    ee_schema_mistake(self, target->place, "expected a schema (an object or a boolean), got %s",
                      ee_value_describe(source));
  }
  return node;
}

/* The document ----------------------------------------------------------------------------------- */

void ee_schema_compiler_init(ee_schema_compiler *self, ee_arena *arena, const ee_schema_options *options,
                             ee_error_list *errors) {
  static const ee_schema_options defaults = {.draft = EE_DRAFT_2020_12};
  *self = (ee_schema_compiler){.arena = arena, .options = options != NULL ? options : &defaults, .errors = errors};
  ee_hash_index *const indexes[] = {&self->names_index,    &self->anchors_index,   &self->resource_of.index,
                                    &self->elements.index, &self->by_source.index, &self->scopes_index,
                                    &self->entered.index};
  for (size_t i = 0; i < sizeof indexes / sizeof *indexes; i++) indexes[i]->arena = arena;
  *EE_LIST_ADD(&self->scopes, arena) = (ee_schema_scope){NULL, 0}; /* unreached: room in an empty list */
}

/* The schema that is meant; value NULL after a mistake. */
static ee_schema_target find_root(ee_schema_compiler *self, ee_schema_resource *resource) {
  ee_schema_target target = {resource->root, NULL, resource};
  ee_str at = self->options->at;
  if (at.length > 0) {
    const char *why;
    ee_schema_ref ref = {.kind = EE_REFERENCE_PLAIN, .text = at, .resource = resource};
    target = ee_schema_resolve(self, &ref, &why);
    if (target.value == NULL) ee_schema_mistake(self, NULL, "'at': %s", why);
  } else if (ee_schema_is_openapi(resource->root)) {
    ee_schema_mistake(self, NULL,
                      "an OpenAPI document has many schemas: 'at' must name one, such as "
                      "\"#/components/schemas/NAME\"");
    target.value = NULL;
  }
  return target;
}

static void compile_root(ee_schema_compiler *self, const ee_value *document) {
  ee_schema_source source = {.document = document, .uri = self->options->location, .location = self->options->location};
  ee_schema_dialect dialect = ee_schema_dialect_of(self->options->draft, self->options->formats);
  ee_schema_resource *resource = ee_schema_add_document(self, &source, true, dialect);
  ee_schema_target target = find_root(self, resource);
  if (target.value == NULL) return;
  ee_schema_node *root = ee_schema_compile_node(self, &target, 0);
  self->nodes.items[root->id].uses++;
  ee_schema_resolve_all(self);
  if (self->ignored_count > 1)
    ee_schema_warn(self, self->ignored, "has no effect beside '$ref' before draft 2019-09 (and %zu more such keywords)",
                   self->ignored_count - 1);
  else if (self->ignored_count == 1)
    ee_schema_warn(self, self->ignored, "has no effect beside '$ref' before draft 2019-09");
}

ee_json_schema *ee_json_schema_compile(ee_arena *arena, const ee_value *schema, const ee_schema_options *options,
                                       ee_error_list *errors) {
  ee_schema_compiler compiler;
  ee_schema_compiler_init(&compiler, arena, options, errors);
  if (schema == NULL)
    ee_schema_mistake(&compiler, NULL, "expected a schema (an object or a boolean), got nothing");
  else
    compile_root(&compiler, schema);
  if (compiler.mistakes > EE_SCHEMA_MISTAKES_LISTED)
    ee_error_list_addf(errors, EE_ERROR_RULES, NULL, 0, ": %zu more mistakes",
                       compiler.mistakes - EE_SCHEMA_MISTAKES_LISTED);
  if (compiler.mistakes > 0) return NULL;
  /* Evaluating a schema without subschemas is cheaper than a look-up. */
  for (size_t i = 0; i < compiler.nodes.count; i++) {
    ee_schema_node *node = compiler.nodes.items[i].node;
    node->memoized = node->has_subschemas && (node->memoized || compiler.nodes.items[i].uses > 1);
  }
  ee_json_schema *result = EE_NEW(arena, ee_json_schema);
  *result = (ee_json_schema){compiler.nodes.items[0].node, compiler.nodes.count};
  return result;
}

size_t ee_json_schema_size(const ee_json_schema *schema) { return schema->node_count; }
