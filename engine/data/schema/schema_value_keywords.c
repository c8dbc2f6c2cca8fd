/* schema_value_keywords.c: keywords that look at a value alone. */
#include "data/json/json_equal.h"
#include "data/schema/schema_reading.h"
#include "prim/sort.h"

typedef struct named_place {
  ee_str name;
  size_t index;
} named_place;
static bool name_before(const named_place *a, const named_place *b) { return ee_str_compare(a->name, b->name) < 0; }
EE_DEFINE_SORT(sort_names, named_place, name_before)

/* Names that stand twice are told. */
static void check_unique(ee_schema_reading *self, const ee_schema_names *names, const ee_schema_place *place) {
  ee_arena *arena = self->compiler->arena;
  named_place *sorted = EE_NEW_ARRAY(arena, named_place, names->count);
  for (size_t i = 0; i < names->count; i++) sorted[i] = (named_place){names->items[i], i};
  sort_names(sorted, names->count, arena);
  for (size_t i = 1; i < names->count; i++) {
    if (!ee_str_equal(sorted[i - 1].name, sorted[i].name)) continue;
    ee_schema_mistake(self->compiler, ee_schema_place_at(arena, place, sorted[i].index), "'%.*s' stands twice",
                      ee_schema_shown(sorted[i].name), sorted[i].name.data);
  }
}

static ee_schema_names read_names(ee_schema_reading *self, const ee_value *value, const ee_schema_place *place) {
  if (!ee_schema_expect(self, value, place, EE_ARRAY, "a list of names")) return (ee_schema_names){0};
  ee_str *items = EE_NEW_ARRAY(self->compiler->arena, ee_str, ee_value_count(value));
  ee_schema_names names = {items, 0};
  size_t index = 0;
  for (const ee_value *item = ee_value_child(value); item != NULL; item = ee_value_next(item), index++) {
    const ee_schema_place *at = ee_schema_place_at(self->compiler->arena, place, index);
    if (ee_schema_expect(self, item, at, EE_STRING, "a name")) items[names.count++] = ee_value_text(item);
  }
  check_unique(self, &names, place);
  return names;
}

/* A whole number from 0; what is too large for 64 bits is larger than anything that is counted. */
uint64_t ee_schema_read_count(ee_schema_reading *self, const ee_value *value, const ee_schema_place *place) {
  if (!ee_schema_expect(self, value, place, EE_NUMBER, "a whole number from 0")) return 0;
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

ee_schema_matcher ee_schema_read_pattern(ee_schema_reading *self, ee_str text, const ee_schema_place *place) {
  ee_schema_matcher matcher = {.text = text, .place = place};
  const char *why = NULL;
  matcher.pattern = ee_schema_pattern_compile(self->compiler->arena, text, &why);
  if (matcher.pattern == NULL)
    ee_schema_mistake(self->compiler, place, "bad pattern '%.*s': %s", ee_schema_shown(text), text.data, why);
  return matcher;
}

static const char *const type_names[] = {"null", "boolean", "number", "integer", "string", "array", "object", NULL};
static const uint16_t type_bits[] = {EE_TYPE_BIT(EE_NULL),  EE_TYPE_BIT_BOOLEAN,    EE_TYPE_BIT(EE_NUMBER),
                                     EE_TYPE_BIT_INTEGER,   EE_TYPE_BIT(EE_STRING), EE_TYPE_BIT(EE_ARRAY),
                                     EE_TYPE_BIT(EE_OBJECT)};

static uint16_t read_type_name(ee_schema_reading *self, const ee_value *value, const ee_schema_place *place) {
  if (!ee_schema_expect(self, value, place, EE_STRING, "the name of a type")) return 0;
  ee_str text = ee_value_text(value);
  for (size_t i = 0; type_names[i] != NULL; i++) {
    if (ee_str_is(text, type_names[i])) return type_bits[i];
  }
  const char *near = ee_did_you_mean(value->json.valuestring, type_names);
  ee_schema_mistake(self->compiler, place, "unknown type '%.*s'%s%s%s", ee_schema_shown(text), text.data,
                    near != NULL ? " (did you mean '" : "", near != NULL ? near : "", near != NULL ? "'?)" : "");
  return 0;
}

static void read_type(ee_schema_reading *self, const ee_value *value, const ee_schema_place *place) {
  ee_schema_keyword *keyword = ee_schema_add_keyword(self, EE_KEYWORD_TYPE, EE_TYPE_BIT_ALL, place);
  if (ee_type_of(value) != EE_ARRAY) {
    keyword->as.types = read_type_name(self, value, place);
    return;
  }
  if (ee_value_count(value) == 0) ee_schema_mistake(self->compiler, place, "an empty list of types");
  size_t index = 0;
  for (const ee_value *item = ee_value_child(value); item != NULL; item = ee_value_next(item), index++) {
    const ee_schema_place *at = ee_schema_place_at(self->compiler->arena, place, index);
    uint16_t bits = read_type_name(self, item, at);
    if ((keyword->as.types & bits) != 0) ee_schema_mistake(self->compiler, at, "the type stands twice");
    keyword->as.types = (uint16_t)(keyword->as.types | bits);
  }
}

typedef struct hashed_value {
  const ee_value *value;
  uint64_t hash;
} hashed_value;
static bool hash_before(const hashed_value *a, const hashed_value *b) { return a->hash < b->hash; }
EE_DEFINE_SORT(sort_hashed, hashed_value, hash_before)

/* The values from `first` on, `count` of them: scalars by their hash, containers behind them. */
static void add_set(ee_schema_reading *self, const ee_value *first, size_t count, const ee_schema_place *place) {
  ee_arena *arena = self->compiler->arena;
  ee_schema_keyword *keyword = ee_schema_add_keyword(self, EE_KEYWORD_ENUM, EE_TYPE_BIT_ALL, place);
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

static void read_enum(ee_schema_reading *self, const ee_value *value, const ee_schema_place *place) {
  if (!ee_schema_expect(self, value, place, EE_ARRAY, "a list of values")) return;
  if (ee_value_count(value) == 0) ee_schema_warn(self->compiler, place, "an empty list of values, which nothing fits");
  add_set(self, ee_value_child(value), ee_value_count(value), place);
}

static void read_const(ee_schema_reading *self, const ee_value *value, const ee_schema_place *place) {
  add_set(self, value, 1, place);
}

static void add_limit(ee_schema_reading *self, ee_keyword_kind kind, const ee_value *value,
                      const ee_schema_place *place) {
  if (!ee_schema_expect(self, value, place, EE_NUMBER, "a number")) return;
  ee_schema_add_keyword(self, kind, EE_TYPE_BIT(EE_NUMBER), place)->as.limit = value;
}
static void read_maximum(ee_schema_reading *self, const ee_value *value, const ee_schema_place *place) {
  add_limit(self, EE_KEYWORD_MAXIMUM, value, place);
}
static void read_exclusive_maximum(ee_schema_reading *self, const ee_value *value, const ee_schema_place *place) {
  add_limit(self, EE_KEYWORD_EXCLUSIVE_MAXIMUM, value, place);
}
static void read_minimum(ee_schema_reading *self, const ee_value *value, const ee_schema_place *place) {
  add_limit(self, EE_KEYWORD_MINIMUM, value, place);
}
static void read_exclusive_minimum(ee_schema_reading *self, const ee_value *value, const ee_schema_place *place) {
  add_limit(self, EE_KEYWORD_EXCLUSIVE_MINIMUM, value, place);
}

static void read_multiple_of(ee_schema_reading *self, const ee_value *value, const ee_schema_place *place) {
  if (!ee_schema_expect(self, value, place, EE_NUMBER, "a number above 0")) return;
  char room[32];
  ee_str text = ee_value_number_text(value, room);
  ee_schema_keyword *keyword = ee_schema_add_keyword(self, EE_KEYWORD_MULTIPLE_OF, EE_TYPE_BIT(EE_NUMBER), place);
  keyword->as.multiple.limit = value;
  if (ee_divisor_read(text, &keyword->as.multiple.divisor)) return;
  if (ee_value_number(value) > 0)
    ee_schema_mistake(self->compiler, place, "%.*s has more than %d digits, or too large an exponent",
                      ee_schema_shown(text), text.data, EE_DIVISOR_DIGITS);
  else
    ee_schema_mistake(self->compiler, place, "expected a number above 0, got %.*s", ee_schema_shown(text), text.data);
}

static void add_count(ee_schema_reading *self, ee_keyword_kind kind, ee_type type, const ee_value *value,
                      const ee_schema_place *place) {
  ee_schema_add_keyword(self, kind, EE_TYPE_BIT(type), place)->as.count = ee_schema_read_count(self, value, place);
}
static void read_max_length(ee_schema_reading *self, const ee_value *value, const ee_schema_place *place) {
  add_count(self, EE_KEYWORD_MAX_LENGTH, EE_STRING, value, place);
}
static void read_min_length(ee_schema_reading *self, const ee_value *value, const ee_schema_place *place) {
  add_count(self, EE_KEYWORD_MIN_LENGTH, EE_STRING, value, place);
}
static void read_max_items(ee_schema_reading *self, const ee_value *value, const ee_schema_place *place) {
  add_count(self, EE_KEYWORD_MAX_ITEMS, EE_ARRAY, value, place);
}
static void read_min_items(ee_schema_reading *self, const ee_value *value, const ee_schema_place *place) {
  add_count(self, EE_KEYWORD_MIN_ITEMS, EE_ARRAY, value, place);
}
static void read_max_properties(ee_schema_reading *self, const ee_value *value, const ee_schema_place *place) {
  add_count(self, EE_KEYWORD_MAX_PROPERTIES, EE_OBJECT, value, place);
}
static void read_min_properties(ee_schema_reading *self, const ee_value *value, const ee_schema_place *place) {
  add_count(self, EE_KEYWORD_MIN_PROPERTIES, EE_OBJECT, value, place);
}

static void read_pattern_keyword(ee_schema_reading *self, const ee_value *value, const ee_schema_place *place) {
  if (!ee_schema_expect(self, value, place, EE_STRING, "a pattern")) return;
  ee_schema_matcher matcher = ee_schema_read_pattern(self, ee_value_text(value), place);
  ee_schema_add_keyword(self, EE_KEYWORD_PATTERN, EE_TYPE_BIT(EE_STRING), place)->as.pattern = matcher;
}

static void read_unique_items(ee_schema_reading *self, const ee_value *value, const ee_schema_place *place) {
  if (ee_type_of(value) == EE_FALSE || !ee_schema_expect(self, value, place, EE_TRUE, "a boolean")) return;
  ee_schema_add_keyword(self, EE_KEYWORD_UNIQUE_ITEMS, EE_TYPE_BIT(EE_ARRAY), place);
}

static void read_required(ee_schema_reading *self, const ee_value *value, const ee_schema_place *place) {
  ee_schema_names names = read_names(self, value, place);
  if (names.count > 0)
    ee_schema_add_keyword(self, EE_KEYWORD_REQUIRED, EE_TYPE_BIT(EE_OBJECT), place)->as.names = names;
}

static void read_dependent_required(ee_schema_reading *self, const ee_value *value, const ee_schema_place *place) {
  if (!ee_schema_expect(self, value, place, EE_OBJECT, "an object of lists of names")) return;
  ee_schema_property *items = EE_NEW_ARRAY(self->compiler->arena, ee_schema_property, ee_value_count(value));
  size_t count = 0;
  for (const ee_value *item = ee_value_child(value); item != NULL; item = ee_value_next(item)) {
    const ee_schema_place *at = ee_schema_below(self, place, ee_value_key(item));
    items[count++] = (ee_schema_property){.name = ee_value_key(item), .names = read_names(self, item, at), .place = at};
  }
  ee_schema_keyword *keyword =
      ee_schema_add_keyword(self, EE_KEYWORD_DEPENDENT_REQUIRED, EE_TYPE_BIT(EE_OBJECT), place);
  keyword->as.dependent = (ee_schema_properties){items, count};
}

const ee_schema_row ee_schema_value_rows[] = {
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
    {NULL, NULL, NULL},
};
