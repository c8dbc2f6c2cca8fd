/* schema_validate.c: decides whether an instance fits a schema, and explains why it does not.
 *
 * Two walks share the rules of the keywords. count_violations() follows the schema; it stops at the first violation
 * unless all are counted, and memoizes, so that a validation costs at most the schema's size times the instance's. Only
 * when the instance does not fit, explain() follows the instance with all schemas that apply to a value at once: so
 * violations come in the order of the instance's document, and a schema that several keywords apply to one value is
 * reported once. */
#include <math.h>

#include "base/list.h"
#include "data/json/json_equal.h"
#include "data/schema/schema_node.h"
#include "prim/number.h"
#include "prim/sort.h"

/* The id under which the memo keeps hashes of containers. */
#define HASH_ID UINT32_MAX

/* Limit of counts, which may grow exponentially: a schema that is applied twice may apply another one twice. */
#define COUNT_LIMIT (UINT64_C(1) << 32)

/* What the memo keeps of a schema and a value: fits, does not fit, or the number of violations plus MEMO_COUNT. */
enum { MEMO_FITS = 1, MEMO_FAILS = 2, MEMO_COUNT = 2 };

typedef enum undecided { DECIDED, PATTERN_GIVEN_UP, TOO_DEEP } undecided;

/* What explain() needs beside the rest. */
typedef struct report {
  ee_schema_result *result;
  ee_violation *violations;
  struct {
    EE_LIST(const ee_schema_node *); /* that apply to the values on the path, the innermost value's last */
  } open;
  uint32_t *rounds; /* by a schema's id: the round in which it was added to `open` last */
  uint32_t *branch_rounds;
  uint32_t round, branch_round;
  bool has_undecided;
} report;

typedef struct validator {
  const ee_json_schema *schema;
  ee_arena *arena;
  ee_pattern_matcher *matcher; /* NULL until a pattern is met */
  ee_schema_memo memo;
  unsigned depth;
  /* The first thing that could not be decided. The instance then does not fit. */
  undecided undecided;
  const ee_schema_place *undecided_keyword;
  const ee_value *undecided_value;
  struct report *report; /* for explain() */
} validator;

static void note_undecided(validator *self, undecided reason, const ee_schema_place *keyword, const ee_value *value) {
  if (self->undecided != DECIDED) return;
  self->undecided = reason;
  self->undecided_keyword = keyword;
  self->undecided_value = value;
}

static inline bool applies(const ee_schema_keyword *keyword, const ee_value *value) {
  return (keyword->applies & EE_TYPE_BIT(ee_type_of(value))) != 0;
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
    if (ee_json_equal(keyword->as.set.values[low], value)) return true;
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

static uint64_t characters_of(const ee_value *text) { return ee_utf8_count(text->json.valuestring, text->length); }

/* Whether `text`, which is or names `value`, has the pattern. A search that is given up counts as no match. */
static ee_pattern_found search(validator *self, const ee_schema_matcher *matcher, ee_str text, const ee_value *value) {
  if (self->matcher == NULL) self->matcher = ee_pattern_matcher_new(self->arena);
  ee_pattern_found found = ee_schema_pattern_find(self->matcher, matcher->pattern, text);
  if (found == EE_PATTERN_GIVEN_UP) note_undecided(self, PATTERN_GIVEN_UP, matcher->place, value);
  return found;
}

/* The index of the first name from `from` on that `object` has no member of; the number of names when it has all. */
static size_t next_missing(const ee_schema_names *names, size_t from, const ee_value *object) {
  while (from < names->count && ee_value_member(object, names->items[from], NULL) != NULL) from++;
  return from;
}

static uint64_t count_missing(const ee_schema_names *names, const ee_value *object, bool all) {
  uint64_t missing = 0;
  for (size_t i = next_missing(names, 0, object); i < names->count; i = next_missing(names, i + 1, object)) {
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
static uint64_t hash_of(validator *self, const ee_value *value) {
  ee_type type = ee_type_of(value);
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

/* The indexes of the first two elements that are equal; false when there are none. O(n log n). */
static bool find_equal(validator *self, const ee_value *array, size_t *first, size_t *second) {
  size_t count = ee_value_count(array), index = 0;
  if (count < 2) return false;
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
      if (!ee_json_equal(elements[j].value, elements[i].value)) continue;
      *first = elements[j].index;
      *second = elements[i].index;
    }
  }
  ee_arena_rewind(self->arena, mark);
  return *second != SIZE_MAX;
}

static bool violates(validator *self, const ee_schema_keyword *keyword, const ee_value *value) {
  size_t first, second;
  switch (keyword->kind) {
  case EE_KEYWORD_TYPE: return !has_type(keyword->as.types, value);
  case EE_KEYWORD_ENUM: return !is_in_set(keyword, value);
  case EE_KEYWORD_MULTIPLE_OF: return !is_multiple(keyword, value);
  case EE_KEYWORD_MAXIMUM: return compare_with_limit(value, keyword) > 0;
  case EE_KEYWORD_EXCLUSIVE_MAXIMUM: return compare_with_limit(value, keyword) >= 0;
  case EE_KEYWORD_MINIMUM: return compare_with_limit(value, keyword) < 0;
  case EE_KEYWORD_EXCLUSIVE_MINIMUM: return compare_with_limit(value, keyword) <= 0;
  case EE_KEYWORD_MAX_LENGTH: return value->length > keyword->as.count && characters_of(value) > keyword->as.count;
  case EE_KEYWORD_MIN_LENGTH: return characters_of(value) < keyword->as.count;
  case EE_KEYWORD_PATTERN: return search(self, &keyword->as.pattern, ee_value_text(value), value) != EE_PATTERN_FOUND;
  case EE_KEYWORD_MAX_ITEMS:
  case EE_KEYWORD_MAX_PROPERTIES: return ee_value_count(value) > keyword->as.count;
  case EE_KEYWORD_MIN_ITEMS:
  case EE_KEYWORD_MIN_PROPERTIES: return ee_value_count(value) < keyword->as.count;
  default: return find_equal(self, value, &first, &second);
  }
}

/* Which schemas a keyword applies -------------------------------------------------------------- */

/* Counts, or collects and returns 0. With `all` false the result may be 1 for any number. */
typedef uint64_t visit_schema(validator *self, const ee_schema_node *node, const ee_value *value, bool all);

static uint64_t count_violations(validator *self, const ee_schema_node *node, const ee_value *value, bool all);

static bool fits(validator *self, const ee_schema_node *node, const ee_value *value) {
  return count_violations(self, node, value, false) == 0;
}

/* Visits the schemas that `keyword` applies to `value` itself and that all must fit. Like the two functions below it
 * returns the sum of the results and ends at the first that is not 0 unless `all` is set. */
static inline uint64_t visit_same_value(validator *self, const ee_schema_keyword *keyword, const ee_value *value,
                                        bool all, visit_schema *visit) {
  uint64_t count = 0;
  switch (keyword->kind) {
  case EE_KEYWORD_REF: return visit(self, keyword->as.schema, value, all);
  case EE_KEYWORD_ALL_OF:
    for (size_t i = 0; i < keyword->as.list.count && (count == 0 || all); i++)
      count += visit(self, keyword->as.list.items[i], value, all);
    return count;
  case EE_KEYWORD_IF: {
    bool condition = fits(self, keyword->as.conditional.condition, value);
    const ee_schema_node *chosen = condition ? keyword->as.conditional.then : keyword->as.conditional.otherwise;
    return chosen != NULL ? visit(self, chosen, value, all) : 0;
  }
  case EE_KEYWORD_DEPENDENT_SCHEMAS:
    for (size_t i = 0; i < keyword->as.dependent.count && (count == 0 || all); i++) {
      const ee_schema_property *property = &keyword->as.dependent.items[i];
      if (ee_value_member(value, property->name, NULL) != NULL) count += visit(self, property->schema, value, all);
    }
    return count;
  default: return 0;
  }
}

/* Visits the schemas that properties, patternProperties and additionalProperties apply to a member. */
static inline uint64_t visit_member(validator *self, const ee_schema_keyword *keyword, const ee_value *member, bool all,
                                    visit_schema *visit) {
  uint64_t count = 0;
  const ee_schema_property *property = ee_schema_properties_find(&keyword->as.properties.named, ee_value_key(member));
  bool is_named = property != NULL;
  if (is_named) count += visit(self, property->schema, member, all);
  for (size_t i = 0; i < keyword->as.properties.pattern_count && (count == 0 || all); i++) {
    const ee_schema_matcher *pattern = &keyword->as.properties.patterns[i];
    if (search(self, pattern, ee_value_key(member), member) != EE_PATTERN_FOUND) continue;
    is_named = true;
    count += visit(self, pattern->schema, member, all);
  }
  if (!is_named && keyword->as.properties.rest != NULL) count += visit(self, keyword->as.properties.rest, member, all);
  return count;
}

/* The schema that prefixItems and items apply to an element, or NULL. */
static inline const ee_schema_node *schema_of_element(const ee_schema_keyword *keyword, size_t index) {
  const ee_schema_list *prefix = &keyword->as.items.prefix;
  return index < prefix->count ? prefix->items[index] : keyword->as.items.rest;
}

/* A member's name as a value, for propertyNames. */
static ee_value *name_as_value(validator *self, const ee_value *member) {
  ee_value *name = EE_NEW(self->arena, ee_value);
  name->json.type = cJSON_String;
  name->json.valuestring = member->json.string;
  name->length = member->key_length;
  return name;
}

/* Counting ------------------------------------------------------------------------------------- */

/* The number of schemas in the list that `value` fits, up to `limit`. */
static size_t count_fitting(validator *self, const ee_schema_list *list, const ee_value *value, size_t limit) {
  size_t count = 0;
  for (size_t i = 0; i < list->count && count < limit; i++) count += fits(self, list->items[i], value);
  return count;
}

/* The number of elements that fit the schema of `contains`. */
static uint64_t count_contained(validator *self, const ee_schema_keyword *keyword, const ee_value *array) {
  uint64_t count = 0;
  for (const ee_value *element = ee_value_child(array); element != NULL; element = ee_value_next(element))
    count += fits(self, keyword->as.contains.schema, element);
  return count;
}

static uint64_t count_elements(validator *self, const ee_schema_keyword *keyword, const ee_value *array, bool all) {
  uint64_t count = 0;
  size_t index = 0;
  for (const ee_value *element = ee_value_child(array); element != NULL && (count == 0 || all);
       element = ee_value_next(element), index++) {
    const ee_schema_node *schema = schema_of_element(keyword, index);
    if (schema == NULL) break;
    count += count_violations(self, schema, element, all);
  }
  return count;
}

static uint64_t count_members(validator *self, const ee_schema_keyword *keyword, const ee_value *object, bool all) {
  uint64_t count = 0;
  for (const ee_value *member = ee_value_child(object); member != NULL && (count == 0 || all);
       member = ee_value_next(member))
    count += visit_member(self, keyword, member, all, count_violations);
  return count;
}

static uint64_t count_names(validator *self, const ee_schema_keyword *keyword, const ee_value *object, bool all) {
  uint64_t count = 0;
  for (const ee_value *member = ee_value_child(object); member != NULL && (count == 0 || all);
       member = ee_value_next(member))
    count += count_violations(self, keyword->as.schema, name_as_value(self, member), all);
  return count;
}

static bool violates_contains(validator *self, const ee_schema_keyword *keyword, const ee_value *array) {
  uint64_t count = count_contained(self, keyword, array);
  return count < keyword->as.contains.min || count > keyword->as.contains.max;
}

/* The number of violations of one keyword, which must apply to the value's type. */
static uint64_t count_keyword(validator *self, const ee_schema_keyword *keyword, const ee_value *value, bool all) {
  switch (keyword->kind) {
  case EE_KEYWORD_REQUIRED: return count_missing(&keyword->as.names, value, all);
  case EE_KEYWORD_DEPENDENT_REQUIRED: return count_dependent(keyword, value, all);
  case EE_KEYWORD_CONTAINS: return violates_contains(self, keyword, value);
  case EE_KEYWORD_NOT: return fits(self, keyword->as.schema, value);
  case EE_KEYWORD_ANY_OF: return count_fitting(self, &keyword->as.list, value, 1) == 0;
  case EE_KEYWORD_ONE_OF: return count_fitting(self, &keyword->as.list, value, 2) != 1;
  case EE_KEYWORD_ALL_OF:
  case EE_KEYWORD_REF:
  case EE_KEYWORD_IF:
  case EE_KEYWORD_DEPENDENT_SCHEMAS: return visit_same_value(self, keyword, value, all, count_violations);
  case EE_KEYWORD_ITEMS: return count_elements(self, keyword, value, all);
  case EE_KEYWORD_PROPERTIES: return count_members(self, keyword, value, all);
  case EE_KEYWORD_PROPERTY_NAMES: return count_names(self, keyword, value, all);
  default: return violates(self, keyword, value);
  }
}

static uint64_t count_keywords(validator *self, const ee_schema_node *node, const ee_value *value, bool all) {
  if (node->is_false) return 1;
  uint64_t count = 0;
  for (size_t i = 0; i < node->count && (count == 0 || all); i++) {
    const ee_schema_keyword *keyword = &node->keywords[i];
    if (applies(keyword, value)) count += count_keyword(self, keyword, value, all);
  }
  return count;
}

/* The number of violations of a schema: 0 when `value` fits. Unless `all` is set, counting ends at the first. */
static uint64_t count_violations(validator *self, const ee_schema_node *node, const ee_value *value, bool all) {
  if (!node->has_subschemas) return count_keywords(self, node, value, all);
  if (node->memoized) {
    uint64_t known = ee_schema_memo_get(&self->memo, value, node->id);
    if (known == MEMO_FITS) return 0;
    if (known > MEMO_COUNT) return known - MEMO_COUNT;
    if (known == MEMO_FAILS && !all) return 1;
  }
  if (self->depth >= EE_SCHEMA_DEPTH) {
    note_undecided(self, TOO_DEEP, node->place, value);
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

/* Messages ------------------------------------------------------------------------------------- */

/* Bytes of a string or number in a message; values of an enum that are listed. */
#define TEXT_SHOWN 60
#define VALUES_SHOWN 8

/* A message that is being written. Its parts are bounded, so that it has room. */
typedef struct message {
  char data[4096];
  size_t length;
} message;

static ee_str finish(const message *out, ee_arena *arena) {
  return (ee_str){ee_arena_copy(arena, out->data, out->length), out->length};
}

static void put(message *out, ee_str text) {
  size_t room = sizeof out->data - out->length;
  if (text.length > room) text.length = ee_utf8_cut(text, room);
  memcpy(out->data + out->length, text.data, text.length);
  out->length += text.length;
}
static void put_text(message *out, const char *text) { put(out, ee_str_from(text)); }
static void put_number(message *out, uint64_t number) {
  char digits[20];
  size_t count = 0;
  do {
    digits[sizeof digits - ++count] = (char)('0' + number % 10);
    number /= 10;
  } while (number > 0);
  put(out, (ee_str){digits + sizeof digits - count, count});
}

/* A string of the data, cut; control characters as \u00XX. */
static void put_data(message *out, ee_str text) {
  size_t length = ee_utf8_cut(text, TEXT_SHOWN);
  for (size_t i = 0; i < length; i++) {
    unsigned char c = (unsigned char)text.data[i];
    static const char hex[] = "0123456789abcdef";
    if (c < 0x20 || c == 0x7f)
      put(out, (ee_str){(char[]){'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]}, 6});
    else
      put(out, (ee_str){&text.data[i], 1});
  }
  if (length < text.length) put_text(out, "...");
}

static void put_scalar(message *out, const ee_value *value) {
  char number[32];
  switch (ee_type_of(value)) {
  case EE_FALSE: put_text(out, "false"); break;
  case EE_TRUE: put_text(out, "true"); break;
  case EE_NUMBER: put_data(out, ee_value_number_text(value, number)); break;
  case EE_STRING:
    put_text(out, "\"");
    put_data(out, ee_value_text(value));
    put_text(out, "\"");
    break;
  default: put_text(out, ee_value_describe(value)); break;
  }
}

/* A value as JSON. Containers are cut with "..." once the message is longer than `end`, which bounds recursion too. */
static void put_json(message *out, const ee_value *value, size_t end) {
  ee_type type = ee_type_of(value);
  if (type < EE_ARRAY) {
    put_scalar(out, value);
    return;
  }
  put_text(out, type == EE_ARRAY ? "[" : "{");
  for (const ee_value *child = ee_value_child(value); child != NULL; child = ee_value_next(child)) {
    if (child != ee_value_child(value)) put_text(out, ",");
    if (out->length >= end) {
      put_text(out, "...");
      break;
    }
    if (type == EE_OBJECT) {
      put_text(out, "\"");
      put_data(out, ee_value_key(child));
      put_text(out, "\":");
    }
    put_json(out, child, end);
  }
  put_text(out, type == EE_ARRAY ? "]" : "}");
}

static void put_value(message *out, const ee_value *value) { put_json(out, value, out->length + TEXT_SHOWN); }

/* "3 elements", "1 element". */
static void put_count(message *out, uint64_t count, const char *what) {
  put_number(out, count);
  put_text(out, " ");
  put_text(out, what);
  if (count != 1) put_text(out, "s");
}

/* The types and values that keywords of type and enum allow. */
typedef struct alternatives {
  const ee_value *values[VALUES_SHOWN];
  size_t shown, left_out;
  uint16_t types;
} alternatives;

static void add_alternatives(alternatives *found, const ee_schema_keyword *keyword) {
  if (keyword->kind == EE_KEYWORD_TYPE) {
    found->types = (uint16_t)(found->types | keyword->as.types);
    return;
  }
  const ee_value *value = keyword->as.set.first;
  for (size_t i = 0; i < keyword->as.set.count; i++, value = ee_value_next(value)) {
    if (found->shown < VALUES_SHOWN)
      found->values[found->shown++] = value;
    else
      found->left_out++;
  }
}

static void put_separator(message *out, size_t done, size_t total) {
  if (done > 0) put_text(out, done + 1 == total ? " or " : ", ");
}

static void put_alternatives(message *out, const alternatives *found) {
  size_t total = found->shown + (found->left_out > 0), done = 0;
  for (size_t i = 0; i < EE_SCHEMA_TYPES; i++) total += (found->types & ee_schema_types[i].bits) != 0;
  for (size_t i = 0; i < found->shown; i++, done++) {
    put_separator(out, done, total);
    put_value(out, found->values[i]);
  }
  if (found->left_out > 0) {
    put_separator(out, done++, total);
    put_text(out, "one of ");
    put_number(out, found->left_out);
    put_text(out, " more");
  }
  for (size_t i = 0; i < EE_SCHEMA_TYPES; i++) {
    if ((found->types & ee_schema_types[i].bits) == 0) continue;
    put_separator(out, done++, total);
    put_text(out, ee_schema_types[i].phrase);
  }
  if (total == 0) put_text(out, "nothing");
}

/* "expected "a", "b" or null, got 3": of keywords of type and enum that `value` violates. */
static ee_str message_of_expected(ee_arena *arena, const ee_schema_keyword *const *keywords, size_t count,
                                  const ee_value *value) {
  alternatives found = {.shown = 0};
  for (size_t i = 0; i < count; i++) add_alternatives(&found, keywords[i]);
  message out;
  out.length = 0;
  put_text(&out, "expected ");
  put_alternatives(&out, &found);
  put_text(&out, ", got ");
  /* The value's type is enough where only types are expected, unless a number is not whole. */
  bool only_types = found.shown == 0 && (ee_type_of(value) != EE_NUMBER || (found.types & EE_TYPE_BIT_INTEGER) == 0);
  if (only_types)
    put_text(&out, ee_value_describe(value));
  else
    put_value(&out, value);
  return finish(&out, arena);
}

static void put_limit(message *out, const char *words, const ee_value *limit, const ee_value *value) {
  put_text(out, words);
  put_value(out, limit);
  put_text(out, ", got ");
  put_value(out, value);
}

static void put_counted(message *out, const char *words, uint64_t limit, const char *what, uint64_t count) {
  put_text(out, words);
  put_count(out, limit, what);
  put_text(out, ", got ");
  put_number(out, count);
}

static void put_pattern(message *out, const ee_schema_keyword *keyword, const ee_value *value) {
  put_value(out, value);
  put_text(out, " does not match the pattern '");
  put_data(out, keyword->as.pattern.text);
  put_text(out, "'");
}

static void put_equal(validator *self, message *out, const ee_value *array) {
  size_t first = 0, second = 0;
  find_equal(self, array, &first, &second);
  put_text(out, "elements ");
  put_number(out, first);
  put_text(out, " and ");
  put_number(out, second);
  put_text(out, " are equal");
}

static void put_contained(validator *self, message *out, const ee_schema_keyword *keyword, const ee_value *array) {
  uint64_t count = count_contained(self, keyword, array);
  bool few = count < keyword->as.contains.min;
  put_text(out, few ? "expected at least " : "expected at most ");
  put_count(out, few ? keyword->as.contains.min : keyword->as.contains.max, "element");
  put_text(out, " matching 'contains', got ");
  put_number(out, count);
}

/* Names the first two that fit. */
static void put_one_of(validator *self, message *out, const ee_schema_keyword *keyword, const ee_value *value) {
  size_t named[2] = {0}, count = 0;
  for (size_t i = 0; i < keyword->as.list.count; i++) {
    if (!fits(self, keyword->as.list.items[i], value)) continue;
    if (count < 2) named[count] = i;
    count++;
  }
  put_text(out, "fits ");
  put_number(out, count);
  put_text(out, " alternatives (");
  put_number(out, named[0]);
  put_text(out, count > 2 ? ", " : " and ");
  put_number(out, named[1]);
  put_text(out, count > 2 ? ", ...), exactly one is allowed" : "), exactly one is allowed");
}

/* For a violated keyword other than required, anyOf and those that apply all subschemas. */
static ee_str message_of_keyword(validator *self, const ee_schema_keyword *keyword, const ee_value *value) {
  if (keyword->kind == EE_KEYWORD_TYPE || keyword->kind == EE_KEYWORD_ENUM)
    return message_of_expected(self->arena, &keyword, 1, value);
  message out;
  out.length = 0;
  uint64_t limit = keyword->as.count;
  switch (keyword->kind) {
  case EE_KEYWORD_MULTIPLE_OF: put_limit(&out, "expected a multiple of ", keyword->as.multiple.limit, value); break;
  case EE_KEYWORD_MAXIMUM: put_limit(&out, "expected at most ", keyword->as.limit, value); break;
  case EE_KEYWORD_EXCLUSIVE_MAXIMUM: put_limit(&out, "expected less than ", keyword->as.limit, value); break;
  case EE_KEYWORD_MINIMUM: put_limit(&out, "expected at least ", keyword->as.limit, value); break;
  case EE_KEYWORD_EXCLUSIVE_MINIMUM: put_limit(&out, "expected more than ", keyword->as.limit, value); break;
  case EE_KEYWORD_MAX_LENGTH:
  case EE_KEYWORD_MIN_LENGTH:
    put_counted(&out, keyword->kind == EE_KEYWORD_MAX_LENGTH ? "expected at most " : "expected at least ", limit,
                "character", characters_of(value));
    break;
  case EE_KEYWORD_MAX_ITEMS: put_counted(&out, "expected at most ", limit, "element", value->length); break;
  case EE_KEYWORD_MIN_ITEMS: put_counted(&out, "expected at least ", limit, "element", value->length); break;
  case EE_KEYWORD_MAX_PROPERTIES: put_counted(&out, "expected at most ", limit, "member", value->length); break;
  case EE_KEYWORD_MIN_PROPERTIES: put_counted(&out, "expected at least ", limit, "member", value->length); break;
  case EE_KEYWORD_PATTERN: put_pattern(&out, keyword, value); break;
  case EE_KEYWORD_UNIQUE_ITEMS: put_equal(self, &out, value); break;
  case EE_KEYWORD_CONTAINS: put_contained(self, &out, keyword, value); break;
  case EE_KEYWORD_ONE_OF: put_one_of(self, &out, keyword, value); break;
  default: put_text(&out, "fits what 'not' excludes"); break;
  }
  return finish(&out, self->arena);
}

/* "'x' is missing" or "'x' is missing, which 'y' requires" (`because` with data). */
static ee_str message_of_missing(ee_arena *arena, ee_str name, ee_str because) {
  message out;
  out.length = 0;
  put_text(&out, "'");
  put_data(&out, name);
  put_text(&out, "' is missing");
  if (because.data != NULL) {
    put_text(&out, ", which '");
    put_data(&out, because);
    put_text(&out, "' requires");
  }
  return finish(&out, arena);
}

/* For the schema `false`, of a member (`name`), an element (`index`), or the root (data NULL and SIZE_MAX). */
static ee_str message_of_false(ee_arena *arena, ee_str name, size_t index) {
  message out;
  out.length = 0;
  if (name.data != NULL) {
    put_text(&out, "'");
    put_data(&out, name);
    put_text(&out, "' is not allowed");
  } else if (index != SIZE_MAX) {
    put_text(&out, "element ");
    put_number(&out, index);
    put_text(&out, " is not allowed");
  } else {
    put_text(&out, "nothing is allowed");
  }
  return finish(&out, arena);
}

static ee_str message_of_undecided(ee_arena *arena, undecided reason) {
  if (reason == PATTERN_GIVEN_UP) return EE_STR("the pattern takes too many steps: given up");
  return ee_str_from(ee_arena_printf(arena, "more than %d schemas inside each other: given up", EE_SCHEMA_DEPTH));
}

/* Reporting ------------------------------------------------------------------------------------ */

/* A value on the path from the root. */
typedef struct position {
  const struct position *above; /* NULL: the root */
  const ee_value *value;
  ee_str key;     /* data NULL: an element, or the root */
  uint32_t index; /* of an element */
  bool is_name;   /* `value` is a member's name, not its value */
} position;

/* The JSON Pointer of a value, written from its end. */
static ee_str pointer_to(ee_arena *arena, const position *at) {
  size_t length = 0;
  for (const position *here = at; here->above != NULL; here = here->above) {
    length += 1 + (here->key.data != NULL ? here->key.length : 10);
    for (size_t i = 0; i < here->key.length; i++) length += here->key.data[i] == '~' || here->key.data[i] == '/';
  }
  char *text = ee_arena_alloc(arena, length + 1), *end = text + length, *out = end;
  *end = '\0';
  for (const position *here = at; here->above != NULL; here = here->above) {
    uint32_t index = here->index;
    for (size_t i = here->key.length; i > 0; i--) {
      char c = here->key.data[i - 1];
      if (c == '~' || c == '/') *--out = c == '~' ? '0' : '1';
      *--out = c == '/' ? '~' : c;
    }
    for (bool more = here->key.data == NULL; more; more = index > 0) {
      *--out = (char)('0' + index % 10);
      index /= 10;
    }
    *--out = '/';
  }
  return (ee_str){out, (size_t)(end - out)};
}

/* Counts a violation. NULL when it is not listed. */
static ee_violation *next_violation(validator *self, const position *at, const ee_schema_place *keyword) {
  self->report->result->total++;
  if (self->report->result->count == EE_VIOLATIONS_LISTED) return NULL;
  ee_violation *violation = &self->report->violations[self->report->result->count++];
  violation->place = pointer_to(self->arena, at);
  violation->keyword = ee_schema_place_text(self->arena, keyword);
  return violation;
}

static ee_str of_name(validator *self, const position *at, ee_str text) {
  if (!at->is_name) return text;
  return ee_str_from(ee_arena_printf(self->arena, "its name: %.*s", EE_STR_ARG(text)));
}

static void report_keyword(validator *self, const position *at, const ee_schema_keyword *keyword) {
  const ee_schema_place *place = keyword->place;
  if (keyword->kind == EE_KEYWORD_CONTAINS) {
    uint64_t count = count_contained(self, keyword, at->value);
    place = count < keyword->as.contains.min ? keyword->as.contains.min_place : keyword->as.contains.max_place;
  }
  ee_violation *violation = next_violation(self, at, place);
  if (violation == NULL) return;
  bool given_up = keyword->kind == EE_KEYWORD_PATTERN &&
                  search(self, &keyword->as.pattern, ee_value_text(at->value), at->value) == EE_PATTERN_GIVEN_UP;
  if (given_up) self->report->has_undecided = true;
  violation->message = of_name(self, at,
                               given_up ? message_of_undecided(self->arena, PATTERN_GIVEN_UP)
                                        : message_of_keyword(self, keyword, at->value));
}

static void report_false(validator *self, const position *at, const ee_schema_node *node) {
  ee_violation *violation = next_violation(self, at, node->place);
  if (violation == NULL) return;
  size_t index = at->above != NULL && at->key.data == NULL ? at->index : SIZE_MAX;
  violation->message = message_of_false(self->arena, at->key, index);
}

/* One violation for each missing name. `because`: the member that requires them, or data NULL. */
static void report_missing(validator *self, const position *at, const ee_schema_names *names,
                           const ee_schema_place *keyword, ee_str because) {
  for (size_t i = next_missing(names, 0, at->value); i < names->count; i = next_missing(names, i + 1, at->value)) {
    ee_violation *violation = next_violation(self, at, keyword);
    if (violation != NULL) violation->message = message_of_missing(self->arena, names->items[i], because);
  }
}

static void report_dependent(validator *self, const position *at, const ee_schema_keyword *keyword) {
  for (size_t i = 0; i < keyword->as.dependent.count; i++) {
    const ee_schema_property *property = &keyword->as.dependent.items[i];
    if (ee_value_member(at->value, property->name, NULL) != NULL)
      report_missing(self, at, &property->names, property->place, property->name);
  }
}

/* Collecting ----------------------------------------------------------------------------------- */

/* Adds a schema to those that apply to the current value, unless it is among them. */
static uint64_t collect(validator *self, const ee_schema_node *node, const ee_value *value, bool all) {
  (void)value, (void)all;
  if (self->report->rounds[node->id] == self->report->round) return 0;
  self->report->rounds[node->id] = self->report->round;
  *EE_LIST_ADD(&self->report->open, self->arena) = node;
  return 0;
}

/* The same for the schemas of a branch of anyOf or oneOf. */
static uint64_t collect_branch(validator *self, const ee_schema_node *node, const ee_value *value, bool all) {
  (void)value, (void)all;
  if (self->report->branch_rounds[node->id] == self->report->branch_round) return 0;
  self->report->branch_rounds[node->id] = self->report->branch_round;
  *EE_LIST_ADD(&self->report->open, self->arena) = node;
  return 0;
}

/* Choices -------------------------------------------------------------------------------------- */

/* How well a value matches a branch of anyOf or oneOf that it does not fit; the last is best. */
typedef enum branch_rank {
  RANK_TYPE,     /* the value has another type */
  RANK_CONSTANT, /* it is not among the values of const or enum */
  RANK_MEMBER,   /* one of its members is not among those, as with branches that a member distinguishes */
  RANK_INSIDE
} branch_rank;

/* Keywords of type and enum that the value violates, over all branches. */
typedef struct expectations {
  EE_LIST(const ee_schema_keyword *);
} expectations;

static bool violates_enum(validator *self, const ee_schema_node *node, const ee_value *value) {
  for (size_t i = 0; i < node->count; i++) {
    const ee_schema_keyword *keyword = &node->keywords[i];
    if (keyword->kind == EE_KEYWORD_ENUM && count_keyword(self, keyword, value, false) > 0) return true;
  }
  return false;
}

static branch_rank rank_of_keyword(validator *self, const ee_schema_keyword *keyword, const ee_value *value,
                                   expectations *expected) {
  if (!applies(keyword, value)) return RANK_INSIDE;
  switch (keyword->kind) {
  case EE_KEYWORD_TYPE:
  case EE_KEYWORD_ENUM:
    if (count_keyword(self, keyword, value, false) == 0) return RANK_INSIDE;
    *EE_LIST_ADD(expected, self->arena) = keyword;
    return keyword->kind == EE_KEYWORD_TYPE ? RANK_TYPE : RANK_CONSTANT;
  case EE_KEYWORD_PROPERTIES:
    for (const ee_value *member = ee_value_child(value); member != NULL; member = ee_value_next(member)) {
      const ee_schema_property *property =
          ee_schema_properties_find(&keyword->as.properties.named, ee_value_key(member));
      if (property != NULL && violates_enum(self, property->schema, member)) return RANK_MEMBER;
    }
    return RANK_INSIDE;
  default: visit_same_value(self, keyword, value, true, collect_branch); return RANK_INSIDE;
  }
}

static branch_rank rank_of(validator *self, const ee_schema_node *branch, const ee_value *value,
                           expectations *expected) {
  size_t base = self->report->open.count;
  branch_rank rank = RANK_INSIDE;
  self->report->branch_round++;
  collect_branch(self, branch, value, true);
  for (size_t at = base; at < self->report->open.count; at++) {
    const ee_schema_node *node = self->report->open.items[at];
    if (node->is_false) rank = RANK_TYPE;
    for (size_t i = 0; i < node->count; i++) {
      branch_rank found = rank_of_keyword(self, &node->keywords[i], value, expected);
      if (found < rank) rank = found;
    }
  }
  self->report->open.count = base;
  return rank;
}

/* If a branch consists of a single $ref, anyOf or oneOf, collects what that leads to. An inner choice must fail too. */
static bool unfold(validator *self, const ee_schema_node *branch, const ee_value *value) {
  if (branch->count != 1) return false;
  const ee_schema_keyword *keyword = &branch->keywords[0];
  if (keyword->kind == EE_KEYWORD_REF) {
    collect_branch(self, keyword->as.schema, value, true);
    return true;
  }
  bool is_choice = keyword->kind == EE_KEYWORD_ANY_OF || keyword->kind == EE_KEYWORD_ONE_OF;
  if (!is_choice || count_fitting(self, &keyword->as.list, value, 1) > 0) return false;
  for (size_t i = 0; i < keyword->as.list.count; i++) collect_branch(self, keyword->as.list.items[i], value, true);
  return true;
}

/* All branches, unfolded, without duplicates; in the arena. */
static ee_schema_list find_branches(validator *self, const ee_schema_list *list, const ee_value *value) {
  size_t base = self->report->open.count;
  self->report->branch_round++;
  for (size_t i = 0; i < list->count; i++) collect_branch(self, list->items[i], value, true);
  struct {
    EE_LIST(const ee_schema_node *);
  } branches = {0};
  for (size_t at = base; at < self->report->open.count; at++) {
    const ee_schema_node *branch = self->report->open.items[at];
    if (!unfold(self, branch, value)) *EE_LIST_ADD(&branches, self->arena) = branch;
  }
  self->report->open.count = base;
  return (ee_schema_list){branches.items, branches.count};
}

/* Of the branches with the rank `best` the first with the fewest violations. */
static const ee_schema_node *best_branch(validator *self, const ee_schema_list *list, const branch_rank *ranks,
                                         branch_rank best, const ee_value *value) {
  const ee_schema_node *found = NULL;
  uint64_t fewest = 0;
  for (size_t i = 0; i < list->count; i++) {
    if (ranks[i] != best) continue;
    uint64_t count = count_violations(self, list->items[i], value, true);
    if (found != NULL && count >= fewest) continue;
    found = list->items[i];
    fewest = count;
  }
  return found;
}

/* The value fits no branch: explains the branch that it matches best, or reports what was expected if the value itself
 * matches none. */
static void explain_choice(validator *self, const position *at, const ee_schema_keyword *keyword) {
  ee_schema_list list = find_branches(self, &keyword->as.list, at->value);
  branch_rank *ranks = EE_NEW_ARRAY(self->arena, branch_rank, list.count);
  branch_rank best = RANK_TYPE;
  expectations expected = {0};
  for (size_t i = 0; i < list.count; i++) {
    ranks[i] = rank_of(self, list.items[i], at->value, &expected);
    if (ranks[i] > best) best = ranks[i];
  }
  if (best >= RANK_MEMBER) {
    collect(self, best_branch(self, &list, ranks, best, at->value), at->value, true);
    return;
  }
  ee_violation *violation = next_violation(self, at, keyword->place);
  if (violation == NULL) return;
  violation->message = of_name(self, at, message_of_expected(self->arena, expected.items, expected.count, at->value));
}

/* Explaining ----------------------------------------------------------------------------------- */

static void explain_keyword(validator *self, const position *at, const ee_schema_keyword *keyword) {
  if (!applies(keyword, at->value)) return;
  switch (keyword->kind) {
  case EE_KEYWORD_REQUIRED: report_missing(self, at, &keyword->as.names, keyword->place, (ee_str){NULL, 0}); break;
  case EE_KEYWORD_DEPENDENT_REQUIRED: report_dependent(self, at, keyword); break;
  case EE_KEYWORD_ALL_OF:
  case EE_KEYWORD_REF:
  case EE_KEYWORD_IF:
  case EE_KEYWORD_DEPENDENT_SCHEMAS: visit_same_value(self, keyword, at->value, true, collect); break;
  case EE_KEYWORD_ITEMS:
  case EE_KEYWORD_PROPERTIES:
  case EE_KEYWORD_PROPERTY_NAMES: break; /* later, for each element or member */
  case EE_KEYWORD_ANY_OF:
  case EE_KEYWORD_ONE_OF:
    if (count_fitting(self, &keyword->as.list, at->value, 1) == 0) {
      explain_choice(self, at, keyword);
      break;
    }
    if (keyword->kind == EE_KEYWORD_ANY_OF) break;
    /* fall through */
  default:
    if (count_keyword(self, keyword, at->value, false) > 0) report_keyword(self, at, keyword);
    break;
  }
}

static void explain(validator *self, const position *at, size_t base);

/* Explains an element, member or name with the schemas that were collected for it, which begin at `base`. */
static void explain_below(validator *self, const position *below, size_t base) {
  if (self->report->open.count > base) explain(self, below, base);
  self->report->open.count = base;
}

static void explain_elements(validator *self, const position *at, size_t base, size_t end) {
  position below = {.above = at};
  const ee_value *element = ee_value_child(at->value);
  for (; element != NULL; element = ee_value_next(element), below.index++) {
    self->report->round++;
    for (size_t i = base; i < end; i++) {
      const ee_schema_node *node = self->report->open.items[i];
      for (size_t j = 0; j < node->count; j++) {
        if (node->keywords[j].kind != EE_KEYWORD_ITEMS) continue;
        const ee_schema_node *schema = schema_of_element(&node->keywords[j], below.index);
        if (schema != NULL) collect(self, schema, element, true);
      }
    }
    below.value = element;
    explain_below(self, &below, end);
  }
}

static void explain_name(validator *self, const position *at, const ee_value *member, size_t base, size_t end) {
  self->report->round++;
  for (size_t i = base; i < end; i++) {
    const ee_schema_node *node = self->report->open.items[i];
    for (size_t j = 0; j < node->count; j++) {
      if (node->keywords[j].kind == EE_KEYWORD_PROPERTY_NAMES) collect(self, node->keywords[j].as.schema, member, true);
    }
  }
  if (self->report->open.count == end) return;
  position below = {.above = at, .value = name_as_value(self, member), .key = ee_value_key(member), .is_name = true};
  explain_below(self, &below, end);
}

static void explain_members(validator *self, const position *at, size_t base, size_t end) {
  for (const ee_value *member = ee_value_child(at->value); member != NULL; member = ee_value_next(member)) {
    explain_name(self, at, member, base, end);
    self->report->round++;
    for (size_t i = base; i < end; i++) {
      const ee_schema_node *node = self->report->open.items[i];
      for (size_t j = 0; j < node->count; j++) {
        if (node->keywords[j].kind == EE_KEYWORD_PROPERTIES)
          visit_member(self, &node->keywords[j], member, true, collect);
      }
    }
    explain_below(self, &(position){.above = at, .value = member, .key = ee_value_key(member)}, end);
  }
}

/* Reports the violations of a value and of what is inside it. Its schemas begin at `base` in `open`; the loop collects
 * those that they apply to the same value. Recursion is bounded by the instance's nesting. */
static void explain(validator *self, const position *at, size_t base) {
  for (size_t i = base; i < self->report->open.count; i++) {
    const ee_schema_node *node = self->report->open.items[i];
    if (node->is_false) report_false(self, at, node);
    for (size_t j = 0; j < node->count; j++) explain_keyword(self, at, &node->keywords[j]);
  }
  if (ee_type_of(at->value) == EE_ARRAY) explain_elements(self, at, base, self->report->open.count);
  if (ee_type_of(at->value) == EE_OBJECT) explain_members(self, at, base, self->report->open.count);
}

/* The position of the node `wanted` in the instance, in the arena; NULL when it is not in the instance (a name). */
static const position *find_position(ee_arena *arena, const position *at, const ee_value *wanted) {
  if (at->value == wanted) return at;
  bool is_object = ee_type_of(at->value) == EE_OBJECT;
  if (!is_object && ee_type_of(at->value) != EE_ARRAY) return NULL;
  position *below = EE_NEW(arena, position);
  below->above = at;
  for (const ee_value *child = ee_value_child(at->value); child != NULL; child = ee_value_next(child)) {
    below->value = child;
    if (is_object) below->key = ee_value_key(child);
    const position *found = find_position(arena, below, wanted);
    if (found != NULL) return found;
    below->index++;
  }
  return NULL;
}

static void report_undecided(validator *self, const position *root) {
  if (self->undecided == DECIDED || self->report->has_undecided) return;
  const position *at = find_position(self->arena, root, self->undecided_value);
  ee_violation *violation = next_violation(self, at != NULL ? at : root, self->undecided_keyword);
  if (violation != NULL) violation->message = message_of_undecided(self->arena, self->undecided);
}

void ee_json_schema_validate(const ee_json_schema *schema, const ee_value *instance, ee_arena *arena,
                             ee_schema_result *result) {
  *result = (ee_schema_result){.valid = true};
  const ee_schema_node *root = schema->root;
  if (instance == NULL && !root->is_false && root->count == 0) return;
  validator self = {.schema = schema, .arena = arena, .memo = {.index = {.arena = arena}}};
  if (instance != NULL && fits(&self, root, instance) && self.undecided == DECIDED) return;
  ee_violation *violations = EE_NEW_ARRAY(arena, ee_violation, EE_VIOLATIONS_LISTED);
  *result = (ee_schema_result){.violations = violations};
  if (instance == NULL) {
    violations[0] = (ee_violation){EE_STR(""), EE_STR(""), EE_STR("missing")};
    result->count = result->total = 1;
    return;
  }
  self.report = &(report){.result = result,
                          .violations = violations,
                          .rounds = EE_NEW_ARRAY(arena, uint32_t, schema->node_count),
                          .branch_rounds = EE_NEW_ARRAY(arena, uint32_t, schema->node_count),
                          .round = 1};
  position at_root = {.value = instance};
  collect(&self, root, instance, true);
  explain(&self, &at_root, 0);
  report_undecided(&self, &at_root);
}
