/* schema_check.c: keywords, asked about values. */
#include "data/schema/schema_check.h"

#include <math.h>

#include "data/json/json_equal.h"
#include "prim/number.h"
#include "prim/sort.h"

/* The id under which the memo keeps hashes of containers. */
#define HASH_ID UINT32_MAX

/* Counts end here: what is asked twice doubles them, and that again. */
#define COUNT_LIMIT (UINT64_C(1) << 32)

/* What the memo keeps of a schema and a value: it fits, it does not, or how often it does not, from MEMO_COUNT + 1 on.
 */
enum { MEMO_FITS = 1, MEMO_FAILS = 2, MEMO_COUNT = 2 };

static void note_trouble(ee_schema_checker *checker, ee_schema_trouble trouble, const ee_schema_place *keyword,
                         const ee_value *value) {
  if (checker->trouble != EE_SCHEMA_DECIDED) return;
  checker->trouble = trouble;
  checker->trouble_keyword = keyword;
  checker->trouble_value = value;
}

/* Values alone --------------------------------------------------------------------------------- */

static bool is_whole(const ee_value *number) {
  double value = ee_value_number(number);
  if (number->length == 0) return floor(value) == value;
  return ee_decimal_is_whole(ee_value_text(number));
}

static bool has_type(uint16_t types, const ee_value *value) {
  ee_type type = ee_type_of(value);
  if ((types & EE_TYPE_BIT(type)) != 0) return true;
  return type == EE_NUMBER && (types & EE_TYPE_BIT_INTEGER) != 0 && is_whole(value);
}

/* Scalars are looked up by their hash; containers are compared with containers, which ends at the first difference. */
static bool is_in_set(const ee_schema_keyword *keyword, const ee_value *value) {
  if (ee_type_of(value) >= EE_ARRAY) {
    for (size_t i = keyword->as.set.scalar_count; i < keyword->as.set.count; i++) {
      if (ee_json_equal(keyword->as.set.values[i], value)) return true;
    }
    return false;
  }
  uint64_t hash = ee_json_hash_scalar(value);
  size_t low = 0, high = keyword->as.set.scalar_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (keyword->as.set.hashes[middle] < hash)
      low = middle + 1;
    else
      high = middle;
  }
  for (; low < keyword->as.set.scalar_count && keyword->as.set.hashes[low] == hash; low++) {
    if (ee_json_equal(keyword->as.set.values[low], value)) return true;
  }
  return false;
}

static bool is_multiple(const ee_schema_keyword *keyword, const ee_value *value) {
  char room[32];
  return ee_divisor_divides(&keyword->as.multiple.divisor, ee_value_number_text(value, room));
}

/* Between -1 and 1: the value beside the keyword's limit, by decimal value. */
static int beside_limit(const ee_schema_keyword *keyword, const ee_value *value) {
  int order = ee_value_compare(value, keyword->as.limit, NULL);
  return (order > 0) - (order < 0);
}

static uint64_t length_of(const ee_value *text) { return ee_utf8_count(text->json.valuestring, text->length); }

ee_pattern_found ee_schema_search(ee_schema_checker *checker, const ee_schema_matcher *matcher, ee_str text,
                                  const ee_value *value) {
  if (checker->matcher == NULL) checker->matcher = ee_pattern_matcher_new(checker->arena);
  ee_pattern_found found = ee_schema_pattern_find(checker->matcher, matcher->pattern, text);
  if (found == EE_PATTERN_GIVEN_UP) note_trouble(checker, EE_SCHEMA_PATTERN_GIVEN_UP, matcher->place, value);
  return found;
}

static uint64_t count_missing(const ee_schema_names *names, const ee_value *object, bool whole) {
  uint64_t missing = 0;
  for (size_t i = 0; i < names->count && (missing == 0 || whole); i++)
    missing += ee_value_member(object, names->items[i], NULL) == NULL;
  return missing;
}

static uint64_t count_dependent(const ee_schema_keyword *keyword, const ee_value *object, bool whole) {
  uint64_t missing = 0;
  for (size_t i = 0; i < keyword->as.dependent.count && (missing == 0 || whole); i++) {
    const ee_schema_property *property = &keyword->as.dependent.items[i];
    if (ee_value_member(object, property->name, NULL) != NULL)
      missing += count_missing(&property->names, object, whole);
  }
  return missing;
}

/* Equal elements ------------------------------------------------------------------------------- */

/* Recursion is bounded by the instance's nesting; hashes of containers are kept, since containers may stand in
 * containers that are looked at too. */
static uint64_t hash_of(ee_schema_checker *checker, const ee_value *value) {
  ee_type type = ee_type_of(value);
  if (type < EE_ARRAY) return ee_json_hash_scalar(value);
  uint64_t known = ee_schema_memo_get(&checker->memo, value, HASH_ID);
  if (known != 0) return known;
  uint64_t hash = ee_json_hash_begin(value);
  for (const ee_value *child = ee_value_child(value); child != NULL; child = ee_value_next(child))
    hash = ee_json_hash_add(hash, child, hash_of(checker, child), type == EE_OBJECT);
  hash = ee_json_hash_finish(hash, value) | 1;
  ee_schema_memo_put(&checker->memo, value, HASH_ID, hash);
  return hash;
}

typedef struct hashed_element {
  const ee_value *value;
  uint64_t hash;
  size_t index;
} hashed_element;
static bool element_before(const hashed_element *a, const hashed_element *b) { return a->hash < b->hash; }
EE_DEFINE_SORT(sort_elements, hashed_element, element_before)

bool ee_schema_find_equal(ee_schema_checker *checker, const ee_value *array, size_t *first, size_t *second) {
  size_t count = ee_value_count(array), index = 0;
  if (count < 2) return false;
  /* The memo may grow meanwhile, so that only what comes behind it can be given back. */
  for (const ee_value *value = ee_value_child(array); value != NULL; value = ee_value_next(value))
    hash_of(checker, value);
  ee_arena_mark mark = ee_arena_get_mark(checker->arena);
  hashed_element *elements = EE_NEW_ARRAY(checker->arena, hashed_element, count);
  for (const ee_value *value = ee_value_child(array); value != NULL; value = ee_value_next(value), index++)
    elements[index] = (hashed_element){value, hash_of(checker, value), index};
  sort_elements(elements, count, checker->arena);
  *second = SIZE_MAX;
  /* Equal hashes stand in the order of the array, and nearly always are equal values: the first of them is it. */
  size_t run = 0;
  for (size_t i = 1; i < count; i++) {
    if (elements[i].hash != elements[run].hash) run = i;
    for (size_t j = run; j < i && elements[i].index < *second; j++) {
      if (!ee_json_equal(elements[j].value, elements[i].value)) continue;
      *first = elements[j].index;
      *second = elements[i].index;
    }
  }
  ee_arena_rewind(checker->arena, mark);
  return *second != SIZE_MAX;
}

/* Other schemas -------------------------------------------------------------------------------- */

uint64_t ee_schema_count_contained(ee_schema_checker *checker, const ee_schema_keyword *keyword,
                                   const ee_value *array) {
  uint64_t count = 0;
  for (const ee_value *element = ee_value_child(array); element != NULL; element = ee_value_next(element))
    count += ee_schema_check(checker, keyword->as.contains.schema, element, false) == 0;
  return count;
}

ee_value *ee_schema_name_value(ee_schema_checker *checker, const ee_value *member) {
  ee_value *name = EE_NEW(checker->arena, ee_value);
  name->json.type = cJSON_String;
  name->json.valuestring = member->json.string;
  name->length = member->key_length;
  return name;
}

static uint64_t check_list(ee_schema_checker *checker, const ee_schema_list *list, const ee_value *value, bool whole) {
  uint64_t count = 0;
  for (size_t i = 0; i < list->count && (count == 0 || whole); i++)
    count += ee_schema_check(checker, list->items[i], value, whole);
  return count;
}

/* How many of the list the value fits; counting ends at `enough`. */
static size_t count_fitting(ee_schema_checker *checker, const ee_schema_list *list, const ee_value *value,
                            size_t enough) {
  size_t count = 0;
  for (size_t i = 0; i < list->count && count < enough; i++)
    count += ee_schema_check(checker, list->items[i], value, false) == 0;
  return count;
}

static uint64_t check_if(ee_schema_checker *checker, const ee_schema_keyword *keyword, const ee_value *value,
                         bool whole) {
  bool fits = ee_schema_check(checker, keyword->as.conditional.condition, value, false) == 0;
  const ee_schema_node *chosen = fits ? keyword->as.conditional.then : keyword->as.conditional.otherwise;
  return chosen != NULL ? ee_schema_check(checker, chosen, value, whole) : 0;
}

static uint64_t check_dependent_schemas(ee_schema_checker *checker, const ee_schema_keyword *keyword,
                                        const ee_value *object, bool whole) {
  uint64_t count = 0;
  for (size_t i = 0; i < keyword->as.dependent.count && (count == 0 || whole); i++) {
    const ee_schema_property *property = &keyword->as.dependent.items[i];
    if (ee_value_member(object, property->name, NULL) != NULL)
      count += ee_schema_check(checker, property->schema, object, whole);
  }
  return count;
}

static uint64_t check_items(ee_schema_checker *checker, const ee_schema_keyword *keyword, const ee_value *array,
                            bool whole) {
  uint64_t count = 0;
  size_t index = 0;
  const ee_schema_list *prefix = &keyword->as.items.prefix;
  for (const ee_value *element = ee_value_child(array); element != NULL && (count == 0 || whole);
       element = ee_value_next(element), index++) {
    const ee_schema_node *schema = index < prefix->count ? prefix->items[index] : keyword->as.items.rest;
    if (schema == NULL) break;
    count += ee_schema_check(checker, schema, element, whole);
  }
  return count;
}

static uint64_t check_member(ee_schema_checker *checker, const ee_schema_keyword *keyword, const ee_value *member,
                             bool whole) {
  uint64_t count = 0;
  bool known = false;
  const ee_schema_property *property = ee_schema_properties_find(&keyword->as.properties.named, ee_value_key(member));
  if (property != NULL) {
    known = true;
    count += ee_schema_check(checker, property->schema, member, whole);
  }
  for (size_t i = 0; i < keyword->as.properties.pattern_count && (count == 0 || whole); i++) {
    const ee_schema_matcher *pattern = &keyword->as.properties.patterns[i];
    if (ee_schema_search(checker, pattern, ee_value_key(member), member) != EE_PATTERN_FOUND) continue;
    known = true;
    count += ee_schema_check(checker, pattern->schema, member, whole);
  }
  if (!known && count == 0 && keyword->as.properties.rest != NULL)
    count += ee_schema_check(checker, keyword->as.properties.rest, member, whole);
  return count;
}

static uint64_t check_members(ee_schema_checker *checker, const ee_schema_keyword *keyword, const ee_value *object,
                              bool whole) {
  uint64_t count = 0;
  for (const ee_value *member = ee_value_child(object); member != NULL && (count == 0 || whole);
       member = ee_value_next(member))
    count += check_member(checker, keyword, member, whole);
  return count;
}

static uint64_t check_names(ee_schema_checker *checker, const ee_schema_keyword *keyword, const ee_value *object,
                            bool whole) {
  uint64_t count = 0;
  for (const ee_value *member = ee_value_child(object); member != NULL && (count == 0 || whole);
       member = ee_value_next(member))
    count += ee_schema_check(checker, keyword->as.schema, ee_schema_name_value(checker, member), whole);
  return count;
}

/* A keyword ------------------------------------------------------------------------------------ */

/* What looks at the value alone: whether it is violated. */
static bool violates(ee_schema_checker *checker, const ee_schema_keyword *keyword, const ee_value *value) {
  size_t first, second;
  switch (keyword->kind) {
  case EE_KEYWORD_TYPE: return !has_type(keyword->as.types, value);
  case EE_KEYWORD_ENUM: return !is_in_set(keyword, value);
  case EE_KEYWORD_MULTIPLE_OF: return !is_multiple(keyword, value);
  case EE_KEYWORD_MAXIMUM: return beside_limit(keyword, value) > 0;
  case EE_KEYWORD_EXCLUSIVE_MAXIMUM: return beside_limit(keyword, value) >= 0;
  case EE_KEYWORD_MINIMUM: return beside_limit(keyword, value) < 0;
  case EE_KEYWORD_EXCLUSIVE_MINIMUM: return beside_limit(keyword, value) <= 0;
  case EE_KEYWORD_MAX_LENGTH: return value->length > keyword->as.count && length_of(value) > keyword->as.count;
  case EE_KEYWORD_MIN_LENGTH: return length_of(value) < keyword->as.count;
  case EE_KEYWORD_PATTERN:
    return ee_schema_search(checker, &keyword->as.pattern, ee_value_text(value), value) != EE_PATTERN_FOUND;
  case EE_KEYWORD_MAX_ITEMS:
  case EE_KEYWORD_MAX_PROPERTIES: return ee_value_count(value) > keyword->as.count;
  case EE_KEYWORD_MIN_ITEMS:
  case EE_KEYWORD_MIN_PROPERTIES: return ee_value_count(value) < keyword->as.count;
  default: return ee_schema_find_equal(checker, value, &first, &second);
  }
}

static bool violates_contains(ee_schema_checker *checker, const ee_schema_keyword *keyword, const ee_value *array) {
  uint64_t count = ee_schema_count_contained(checker, keyword, array);
  return count < keyword->as.contains.least || count > keyword->as.contains.most;
}

uint64_t ee_schema_check_keyword(ee_schema_checker *checker, const ee_schema_keyword *keyword, const ee_value *value,
                                 bool whole) {
  switch (keyword->kind) {
  case EE_KEYWORD_REQUIRED: return count_missing(&keyword->as.names, value, whole);
  case EE_KEYWORD_DEPENDENT_REQUIRED: return count_dependent(keyword, value, whole);
  case EE_KEYWORD_CONTAINS: return violates_contains(checker, keyword, value);
  case EE_KEYWORD_NOT: return ee_schema_check(checker, keyword->as.schema, value, false) == 0;
  case EE_KEYWORD_ANY_OF: return count_fitting(checker, &keyword->as.list, value, 1) == 0;
  case EE_KEYWORD_ONE_OF: return count_fitting(checker, &keyword->as.list, value, 2) != 1;
  case EE_KEYWORD_ALL_OF: return check_list(checker, &keyword->as.list, value, whole);
  case EE_KEYWORD_REF: return ee_schema_check(checker, keyword->as.schema, value, whole);
  case EE_KEYWORD_IF: return check_if(checker, keyword, value, whole);
  case EE_KEYWORD_DEPENDENT_SCHEMAS: return check_dependent_schemas(checker, keyword, value, whole);
  case EE_KEYWORD_ITEMS: return check_items(checker, keyword, value, whole);
  case EE_KEYWORD_PROPERTIES: return check_members(checker, keyword, value, whole);
  case EE_KEYWORD_PROPERTY_NAMES: return check_names(checker, keyword, value, whole);
  default: return violates(checker, keyword, value);
  }
}

static uint64_t check_keywords(ee_schema_checker *checker, const ee_schema_node *node, const ee_value *value,
                               bool whole) {
  if (node->form == EE_SCHEMA_NOTHING) return 1;
  uint64_t count = 0;
  for (size_t i = 0; i < node->count && (count == 0 || whole); i++) {
    const ee_schema_keyword *keyword = &node->keywords[i];
    if (ee_schema_applies(keyword, value)) count += ee_schema_check_keyword(checker, keyword, value, whole);
  }
  return count;
}

uint64_t ee_schema_check(ee_schema_checker *checker, const ee_schema_node *node, const ee_value *value, bool whole) {
  if (!node->has_inner) return check_keywords(checker, node, value, whole);
  if (node->remembered) {
    uint64_t known = ee_schema_memo_get(&checker->memo, value, node->id);
    if (known == MEMO_FITS) return 0;
    if (known > MEMO_COUNT) return known - MEMO_COUNT;
    if (known == MEMO_FAILS && !whole) return 1;
  }
  if (checker->depth >= EE_SCHEMA_DEPTH) {
    note_trouble(checker, EE_SCHEMA_TOO_DEEP, node->place, value);
    return 1;
  }
  checker->depth++;
  uint64_t count = check_keywords(checker, node, value, whole);
  checker->depth--;
  if (count > COUNT_LIMIT) count = COUNT_LIMIT;
  if (node->remembered) {
    uint64_t number = count == 0 ? MEMO_FITS : whole ? MEMO_COUNT + count : MEMO_FAILS;
    ee_schema_memo_put(&checker->memo, value, node->id, number);
  }
  return count;
}
