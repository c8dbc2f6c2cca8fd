/* schema_validate.c: decides whether an instance fits a schema. */
#include <math.h>

#include "base/list.h"
#include "base/work.h"
#include "data/json/json_equal.h"
#include "data/schema/schema_validator.h"
#include "prim/number.h"
#include "prim/sort.h"

/* Units of work (base/work.h) of a keyword, of a look-up, of a step of a pattern, of an element that is sorted. */
enum { WORK_KEYWORD = 20, WORK_LOOK_UP = 40, WORK_STEP = 20, WORK_SORTED = 60 };

/* The id under which the memo keeps hashes of containers. */
#define HASH_ID UINT32_MAX

/* Limit of counts, which may grow exponentially: a schema that is applied twice may apply another one twice. */
#define COUNT_LIMIT (UINT64_C(1) << 32)

/* What the memo keeps of a schema and a value: fits, does not fit, or the number of violations plus MEMO_COUNT. */
enum { MEMO_FITS = 1, MEMO_FAILS = 2, MEMO_COUNT = 2 };

void ee_schema_note_undecided(ee_validator *self, ee_undecided reason, const ee_schema_place *keyword,
                              const ee_value *value) {
  if (self->undecided != EE_DECIDED) return;
  self->undecided = reason;
  self->undecided_keyword = keyword;
  self->undecided_value = value;
}

/* Keywords that look at the value alone -------------------------------------------------------- */

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

/* Scalars are found by their hash. Comparing containers ends at the first difference. */
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
    if (ee_json_equal(keyword->as.set.values[low], value)) return true; /* unreached: two values of one hash */
  }
  return false;
}

static bool is_multiple(const ee_schema_keyword *keyword, const ee_value *value) {
  char text[32];
  return ee_divisor_divides(&keyword->as.multiple.divisor, ee_value_number_text(value, text));
}

static int compare_with_limit(const ee_value *value, const ee_schema_keyword *keyword) {
  return ee_value_compare(value, keyword->as.limit, NULL);
}

ee_pattern_found ee_schema_search(ee_validator *self, const ee_schema_matcher *matcher, ee_str text,
                                  const ee_value *value) {
  if (self->matcher == NULL) self->matcher = ee_pattern_matcher_new(self->arena);
  ee_pattern_found found = ee_pattern_find(self->matcher, matcher->pattern, text);
  ee_work(WORK_LOOK_UP + WORK_STEP * ee_pattern_steps(self->matcher));
  if (found == EE_PATTERN_GIVEN_UP) ee_schema_note_undecided(self, EE_PATTERN_UNDECIDED, matcher->place, value);
  return found;
}

size_t ee_schema_next_missing(const ee_schema_names *names, size_t from, const ee_value *object) {
  while (from < names->count && ee_value_member(object, names->items[from], NULL) != NULL) from++;
  return from;
}

static uint64_t count_missing(const ee_schema_names *names, const ee_value *object, bool all) {
  uint64_t missing = 0;
  for (size_t i = ee_schema_next_missing(names, 0, object); i < names->count;
       i = ee_schema_next_missing(names, i + 1, object)) {
    missing++;
    if (!all) break;
  }
  return missing;
}

static uint64_t count_dependent(const ee_schema_keyword *keyword, const ee_value *object, bool all) {
  uint64_t missing = 0;
  for (size_t i = 0; i < keyword->as.dependent.count && (missing == 0 || all); i++) {
    const ee_schema_property *property = &keyword->as.dependent.items[i];
    if (ee_value_member(object, property->name, NULL) != NULL) missing += count_missing(&property->names, object, all);
  }
  return missing;
}

/* A hash for uniqueItems. Those of containers are kept, because a container may be inside another one that is hashed
 * too. Recursion is bounded by the instance's nesting. */
static uint64_t hash_of(ee_validator *self, const ee_value *value) {
  ee_type type = ee_type_of(value);
  ee_work(WORK_LOOK_UP);
  if (type < EE_ARRAY) return ee_json_hash_scalar(value);
  uint64_t known = ee_schema_memo_get(&self->memo, value, HASH_ID);
  if (known != 0) return known;
  uint64_t hash = ee_json_hash_begin(value);
  for (const ee_value *child = ee_value_child(value); child != NULL; child = ee_value_next(child))
    hash = ee_json_hash_add(hash, child, hash_of(self, child), type == EE_OBJECT);
  hash = ee_json_hash_finish(hash, value) | 1;
  ee_schema_memo_put(&self->memo, value, HASH_ID, hash);
  return hash;
}

typedef struct hashed_element {
  const ee_value *value;
  uint64_t hash;
  size_t index;
} hashed_element;
static bool element_before(const hashed_element *a, const hashed_element *b) { return a->hash < b->hash; }
EE_DEFINE_SORT(sort_elements, hashed_element, element_before)

bool ee_schema_find_equal(ee_validator *self, const ee_value *array, size_t *first, size_t *second) {
  size_t count = ee_value_count(array), index = 0;
  if (count < 2) return false;
  ee_work(ee_work_product(count, WORK_SORTED));
  /* Before the mark, because the memo may grow in the arena. */
  for (const ee_value *value = ee_value_child(array); value != NULL; value = ee_value_next(value)) hash_of(self, value);
  ee_arena_mark mark = ee_arena_get_mark(self->arena);
  hashed_element *elements = EE_NEW_ARRAY(self->arena, hashed_element, count);
  for (const ee_value *value = ee_value_child(array); value != NULL; value = ee_value_next(value), index++)
    elements[index] = (hashed_element){value, hash_of(self, value), index};
  sort_elements(elements, count, self->arena);
  *second = SIZE_MAX;
  /* Elements of one hash are in the order of the array, and nearly always equal. */
  size_t run = 0;
  for (size_t i = 1; i < count; i++) {
    if (elements[i].hash != elements[run].hash) run = i;
    for (size_t j = run; j < i && elements[i].index < *second; j++) {
      if (!ee_json_equal(elements[j].value, elements[i].value)) continue; /* unreached: two values of one hash */
      *first = elements[j].index;
      *second = elements[i].index;
    }
  }
  ee_arena_rewind(self->arena, mark);
  return *second != SIZE_MAX;
}

static bool violates(ee_validator *self, const ee_schema_keyword *keyword, const ee_value *value) {
  size_t first, second;
  switch (keyword->kind) {
  case EE_KEYWORD_TYPE: return !has_type(keyword->as.types, value);
  case EE_KEYWORD_ENUM: return !is_in_set(keyword, value);
  case EE_KEYWORD_MULTIPLE_OF: return !is_multiple(keyword, value);
  case EE_KEYWORD_MAXIMUM: return compare_with_limit(value, keyword) > 0;
  case EE_KEYWORD_EXCLUSIVE_MAXIMUM: return compare_with_limit(value, keyword) >= 0;
  case EE_KEYWORD_MINIMUM: return compare_with_limit(value, keyword) < 0;
  case EE_KEYWORD_EXCLUSIVE_MINIMUM: return compare_with_limit(value, keyword) <= 0;
  case EE_KEYWORD_MAX_LENGTH:
    return value->length > keyword->as.count && ee_schema_characters(value) > keyword->as.count;
  case EE_KEYWORD_MIN_LENGTH: return ee_schema_characters(value) < keyword->as.count;
  case EE_KEYWORD_PATTERN:
    return ee_schema_search(self, &keyword->as.pattern, ee_value_text(value), value) != EE_PATTERN_FOUND;
  case EE_KEYWORD_FORMAT: return !ee_schema_format_fits(keyword->as.format, ee_value_text(value), self->arena);
  case EE_KEYWORD_MAX_ITEMS:
  case EE_KEYWORD_MAX_PROPERTIES: return ee_value_count(value) > keyword->as.count;
  case EE_KEYWORD_MIN_ITEMS:
  case EE_KEYWORD_MIN_PROPERTIES: return ee_value_count(value) < keyword->as.count;
  default: return ee_schema_find_equal(self, value, &first, &second);
  }
}

/* Counting ------------------------------------------------------------------------------------- */

size_t ee_schema_count_fitting(ee_validator *self, const ee_schema_list *list, const ee_value *value, size_t limit) {
  size_t count = 0;
  for (size_t i = 0; i < list->count && count < limit; i++) count += ee_schema_fits(self, list->items[i], value);
  return count;
}

uint64_t ee_schema_count_contained(ee_validator *self, const ee_schema_keyword *keyword, const ee_value *array) {
  uint64_t count = 0;
  for (const ee_value *element = ee_value_child(array); element != NULL; element = ee_value_next(element))
    count += ee_schema_fits(self, keyword->as.contains.schema, element);
  return count;
}

static uint64_t count_elements(ee_validator *self, const ee_schema_keyword *keyword, const ee_value *array, bool all) {
  uint64_t count = 0;
  size_t index = 0;
  for (const ee_value *element = ee_value_child(array); element != NULL && (count == 0 || all);
       element = ee_value_next(element), index++) {
    const ee_schema_node *schema = ee_schema_of_element(keyword, index);
    if (schema == NULL) break;
    count += ee_schema_count_violations(self, schema, element, all);
  }
  return count;
}

static uint64_t count_members(ee_validator *self, const ee_schema_keyword *keyword, const ee_value *object, bool all) {
  uint64_t count = 0;
  for (const ee_value *member = ee_value_child(object); member != NULL && (count == 0 || all);
       member = ee_value_next(member))
    count += ee_schema_visit_member(self, keyword, member, all, ee_schema_count_violations);
  return count;
}

static uint64_t count_names(ee_validator *self, const ee_schema_keyword *keyword, const ee_value *object, bool all) {
  uint64_t count = 0;
  for (const ee_value *member = ee_value_child(object); member != NULL && (count == 0 || all);
       member = ee_value_next(member))
    count += ee_schema_count_violations(self, keyword->as.schema, ee_schema_name_as_value(self, member), all);
  return count;
}

/* Applies the schema to the elements or members that no other keyword of `node` looks at. */
static uint64_t count_unevaluated(ee_validator *self, const ee_schema_node *node, const ee_schema_keyword *keyword,
                                  const ee_value *value, bool all) {
  const unsigned char *evaluated = ee_schema_evaluated(self, node, value);
  uint64_t count = 0;
  size_t index = 0;
  for (const ee_value *child = ee_value_child(value); child != NULL && (count == 0 || all);
       child = ee_value_next(child), index++)
    if (!evaluated[index]) count += ee_schema_count_violations(self, keyword->as.schema, child, all);
  return count;
}

static bool violates_contains(ee_validator *self, const ee_schema_keyword *keyword, const ee_value *array) {
  uint64_t count = ee_schema_count_contained(self, keyword, array);
  return count < keyword->as.contains.min || count > keyword->as.contains.max;
}

uint64_t ee_schema_count_keyword(ee_validator *self, const ee_schema_keyword *keyword, const ee_value *value,
                                 bool all) {
  switch (keyword->kind) {
  case EE_KEYWORD_REQUIRED: return count_missing(&keyword->as.names, value, all);
  case EE_KEYWORD_DEPENDENT_REQUIRED: return count_dependent(keyword, value, all);
  case EE_KEYWORD_CONTAINS: return violates_contains(self, keyword, value);
  case EE_KEYWORD_NOT: return ee_schema_fits(self, keyword->as.schema, value);
  case EE_KEYWORD_ANY_OF: return ee_schema_count_fitting(self, &keyword->as.list, value, 1) == 0;
  case EE_KEYWORD_ONE_OF: return ee_schema_count_fitting(self, &keyword->as.list, value, 2) != 1;
  case EE_KEYWORD_ALL_OF:
  case EE_KEYWORD_REF:
  case EE_KEYWORD_IF:
  case EE_KEYWORD_DEPENDENT_SCHEMAS:
    return ee_schema_visit_same_value(self, keyword, value, all, ee_schema_count_violations);
  case EE_KEYWORD_ITEMS: return count_elements(self, keyword, value, all);
  case EE_KEYWORD_PROPERTIES: return count_members(self, keyword, value, all);
  case EE_KEYWORD_PROPERTY_NAMES: return count_names(self, keyword, value, all);
  default: return violates(self, keyword, value);
  }
}

static uint64_t count_keywords(ee_validator *self, const ee_schema_node *node, const ee_value *value, bool all) {
  if (node->is_false) return 1;
  ee_work(WORK_LOOK_UP + WORK_KEYWORD * node->count);
  uint64_t count = 0;
  for (size_t i = 0; i < node->count && (count == 0 || all); i++) {
    const ee_schema_keyword *keyword = &node->keywords[i];
    if (!ee_schema_applies(keyword, value)) continue;
    count += ee_schema_is_unevaluated(keyword) ? count_unevaluated(self, node, keyword, value, all)
                                               : ee_schema_count_keyword(self, keyword, value, all);
  }
  return count;
}

uint64_t ee_schema_count_violations(ee_validator *self, const ee_schema_node *node, const ee_value *value, bool all) {
  if (!node->has_subschemas) return count_keywords(self, node, value, all);
  if (node->memoized) {
    uint64_t known = ee_schema_memo_get(&self->memo, value, node->id);
    if (known == MEMO_FITS) return 0;
    if (known > MEMO_COUNT) return known - MEMO_COUNT;
    if (known == MEMO_FAILS && !all) return 1;
  }
  if (self->depth >= EE_SCHEMA_DEPTH) {
    ee_schema_note_undecided(self, EE_TOO_DEEP, node->place, value);
    return 1;
  }
  self->depth++;
  uint64_t count = count_keywords(self, node, value, all);
  self->depth--;
  if (count > COUNT_LIMIT) count = COUNT_LIMIT;
  if (node->memoized) {
    uint64_t number = count == 0 ? MEMO_FITS : all ? MEMO_COUNT + count : MEMO_FAILS;
    ee_schema_memo_put(&self->memo, value, node->id, number);
  }
  return count;
}

ee_value *ee_schema_name_as_value(ee_validator *self, const ee_value *member) {
  ee_value *name = EE_NEW(self->arena, ee_value);
  name->json.type = cJSON_String;
  name->json.valuestring = member->json.string;
  name->length = member->key_length;
  return name;
}

void ee_json_schema_validate(const ee_json_schema *schema, const ee_value *instance, ee_arena *arena,
                             ee_schema_result *result) {
  *result = (ee_schema_result){.valid = true};
  const ee_schema_node *root = schema->root;
  if (instance == NULL && !root->is_false && root->count == 0) return;
  ee_validator self = {.schema = schema, .arena = arena, .memo = {.index = {.arena = arena}}};
  if (instance != NULL && ee_schema_fits(&self, root, instance) && self.undecided == EE_DECIDED) return;
  *result = (ee_schema_result){.valid = false};
  if (instance != NULL) {
    ee_schema_explain(&self, instance, result);
    return;
  }
  ee_violation *missing = EE_NEW(arena, ee_violation);
  *missing = (ee_violation){EE_STR(""), EE_STR(""), EE_STR("missing")};
  *result = (ee_schema_result){.violations = missing, .count = 1, .total = 1};
}
