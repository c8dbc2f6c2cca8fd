/* schema_inner_keywords.c: keywords that ask other schemas. */
#include "data/schema/schema_reading.h"
#include "prim/sort.h"

/* The node of a schema that a keyword asks. */
static const ee_schema_node *read_schema(ee_schema_reading *self, const ee_value *value, const ee_schema_place *place) {
  self->node->has_inner = true;
  const ee_schema_node *node = ee_schema_compile_node(self->compiler, value, place);
  self->compiler->uses[node->id]++;
  return node;
}

static const ee_value *member(const ee_schema_reading *self, const char *name) {
  return ee_value_member(self->source, ee_str_from(name), NULL);
}

/* A list with one schema at least. */
static ee_schema_list read_schemas(ee_schema_reading *self, const ee_value *value, const ee_schema_place *place) {
  if (!ee_schema_expect(self, value, place, EE_ARRAY, "a list of schemas")) return (ee_schema_list){0};
  if (ee_value_count(value) == 0) ee_schema_mistake(self->compiler, place, "an empty list of schemas");
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
static ee_schema_properties read_properties(ee_schema_reading *self, const ee_value *value,
                                            const ee_schema_place *place) {
  if (!ee_schema_expect(self, value, place, EE_OBJECT, "an object of schemas")) return (ee_schema_properties){0};
  ee_schema_property *items = EE_NEW_ARRAY(self->compiler->arena, ee_schema_property, ee_value_count(value));
  size_t count = 0;
  for (const ee_value *item = ee_value_child(value); item != NULL; item = ee_value_next(item)) {
    ee_str name = ee_value_key(item);
    items[count++] =
        (ee_schema_property){.name = name, .schema = read_schema(self, item, ee_schema_below(self, place, name))};
  }
  sort_properties(items, count, self->compiler->arena);
  return (ee_schema_properties){items, count};
}

static void read_all_of(ee_schema_reading *self, const ee_value *value, const ee_schema_place *place) {
  ee_schema_list list = read_schemas(self, value, place);
  ee_schema_add_keyword(self, EE_KEYWORD_ALL_OF, EE_TYPE_BIT_ALL, place)->as.list = list;
}

/* Their branches are asked again when all of them fail, to tell which came furthest. */
static void add_choice(ee_schema_reading *self, ee_keyword_kind kind, const ee_value *value,
                       const ee_schema_place *place) {
  ee_schema_list list = read_schemas(self, value, place);
  for (size_t i = 0; i < list.count; i++) self->compiler->nodes[list.items[i]->id]->remembered = true;
  ee_schema_add_keyword(self, kind, EE_TYPE_BIT_ALL, place)->as.list = list;
}
static void read_any_of(ee_schema_reading *self, const ee_value *value, const ee_schema_place *place) {
  add_choice(self, EE_KEYWORD_ANY_OF, value, place);
}
static void read_one_of(ee_schema_reading *self, const ee_value *value, const ee_schema_place *place) {
  add_choice(self, EE_KEYWORD_ONE_OF, value, place);
}

static void read_not(ee_schema_reading *self, const ee_value *value, const ee_schema_place *place) {
  const ee_schema_node *schema = read_schema(self, value, place);
  ee_schema_add_keyword(self, EE_KEYWORD_NOT, EE_TYPE_BIT_ALL, place)->as.schema = schema;
}

static void read_if(ee_schema_reading *self, const ee_value *value, const ee_schema_place *place) {
  (void)value, (void)place;
  if (self->has_if) return;
  self->has_if = true;
  static const char *const names[] = {"if", "then", "else"};
  const ee_schema_node *schemas[3] = {NULL};
  for (size_t i = 0; i < 3; i++) {
    const ee_value *found = member(self, names[i]);
    if (found != NULL) schemas[i] = read_schema(self, found, ee_schema_below(self, self->place, ee_str_from(names[i])));
  }
  if (schemas[0] == NULL || (schemas[1] == NULL && schemas[2] == NULL)) return;
  self->compiler->nodes[schemas[0]->id]->remembered = true;
  ee_schema_keyword *keyword =
      ee_schema_add_keyword(self, EE_KEYWORD_IF, EE_TYPE_BIT_ALL, ee_schema_below(self, self->place, EE_STR("if")));
  keyword->as.conditional.condition = schemas[0];
  keyword->as.conditional.then = schemas[1];
  keyword->as.conditional.otherwise = schemas[2];
}

static void read_dependent_schemas(ee_schema_reading *self, const ee_value *value, const ee_schema_place *place) {
  ee_schema_properties dependent = read_properties(self, value, place);
  ee_schema_add_keyword(self, EE_KEYWORD_DEPENDENT_SCHEMAS, EE_TYPE_BIT(EE_OBJECT), place)->as.dependent = dependent;
}

static void read_items(ee_schema_reading *self, const ee_value *value, const ee_schema_place *place) {
  (void)value, (void)place;
  if (self->has_items) return;
  self->has_items = true;
  const ee_value *prefix = member(self, "prefixItems"), *rest = member(self, "items");
  const ee_schema_place *rest_place = ee_schema_below(self, self->place, EE_STR("items"));
  ee_schema_list list = {0};
  if (prefix != NULL) list = read_schemas(self, prefix, ee_schema_below(self, self->place, EE_STR("prefixItems")));
  if (ee_type_of(rest) == EE_ARRAY) {
    ee_schema_mistake(self->compiler, rest_place, "expected a schema, got an array ('prefixItems' takes a list)");
    rest = NULL;
  }
  const ee_schema_node *rest_node = rest != NULL ? read_schema(self, rest, rest_place) : NULL;
  ee_schema_keyword *keyword = ee_schema_add_keyword(self, EE_KEYWORD_ITEMS, EE_TYPE_BIT(EE_ARRAY), rest_place);
  keyword->as.items.prefix = list;
  keyword->as.items.rest = rest_node;
}

/* Without contains the other two say nothing, but must be counts all the same. */
static void read_contains(ee_schema_reading *self, const ee_value *value, const ee_schema_place *place) {
  (void)value, (void)place;
  if (self->has_contains) return;
  self->has_contains = true;
  const ee_value *schema = member(self, "contains"), *least = member(self, "minContains"),
                 *most = member(self, "maxContains");
  const ee_schema_place *own = ee_schema_below(self, self->place, EE_STR("contains"));
  const ee_schema_place *least_place = ee_schema_below(self, self->place, EE_STR("minContains"));
  const ee_schema_place *most_place = ee_schema_below(self, self->place, EE_STR("maxContains"));
  uint64_t at_least = least != NULL ? ee_schema_read_count(self, least, least_place) : 1;
  uint64_t at_most = most != NULL ? ee_schema_read_count(self, most, most_place) : UINT64_MAX;
  if (schema == NULL) return;
  const ee_schema_node *node = read_schema(self, schema, own);
  ee_schema_keyword *keyword = ee_schema_add_keyword(self, EE_KEYWORD_CONTAINS, EE_TYPE_BIT(EE_ARRAY), own);
  keyword->as.contains.schema = node;
  keyword->as.contains.least = at_least;
  keyword->as.contains.most = at_most;
  keyword->as.contains.least_place = least != NULL ? least_place : own;
  keyword->as.contains.most_place = most_place;
}

static size_t read_patterns(ee_schema_reading *self, const ee_value *value, const ee_schema_matcher **patterns) {
  const ee_schema_place *place = ee_schema_below(self, self->place, EE_STR("patternProperties"));
  if (!ee_schema_expect(self, value, place, EE_OBJECT, "an object of schemas")) return 0;
  ee_schema_matcher *items = EE_NEW_ARRAY(self->compiler->arena, ee_schema_matcher, ee_value_count(value));
  size_t count = 0;
  for (const ee_value *item = ee_value_child(value); item != NULL; item = ee_value_next(item), count++) {
    const ee_schema_place *at = ee_schema_below(self, place, ee_value_key(item));
    items[count] = ee_schema_read_pattern(self, ee_value_key(item), at);
    items[count].schema = read_schema(self, item, at);
  }
  *patterns = items;
  return count;
}

static void read_members(ee_schema_reading *self, const ee_value *value, const ee_schema_place *place) {
  (void)value, (void)place;
  if (self->has_properties) return;
  self->has_properties = true;
  const ee_value *named = member(self, "properties"), *patterns = member(self, "patternProperties"),
                 *rest = member(self, "additionalProperties");
  const ee_schema_place *own = ee_schema_below(self, self->place, EE_STR("properties"));
  ee_schema_keyword keyword = {.kind = EE_KEYWORD_PROPERTIES, .applies = EE_TYPE_BIT(EE_OBJECT), .place = own};
  if (named != NULL) keyword.as.properties.named = read_properties(self, named, own);
  if (patterns != NULL)
    keyword.as.properties.pattern_count = read_patterns(self, patterns, &keyword.as.properties.patterns);
  if (rest != NULL)
    keyword.as.properties.rest =
        read_schema(self, rest, ee_schema_below(self, self->place, EE_STR("additionalProperties")));
  *ee_schema_add_keyword(self, keyword.kind, keyword.applies, own) = keyword;
}

static void read_property_names(ee_schema_reading *self, const ee_value *value, const ee_schema_place *place) {
  const ee_schema_node *schema = read_schema(self, value, place);
  ee_schema_add_keyword(self, EE_KEYWORD_PROPERTY_NAMES, EE_TYPE_BIT(EE_OBJECT), place)->as.schema = schema;
}

const ee_schema_row ee_schema_inner_rows[] = {
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
    {NULL, NULL, NULL},
};
