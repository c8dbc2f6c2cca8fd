/* value.c: looks into documents, compares, hashes, builds and copies them. */
#include "data/json/value.h"

#include <math.h>

#include "base/hash_index.h"
#include "data/json/json_equal.h"
#include "data/json/json_reader.h"
#include "data/json/json_scan.h"
#include "data/json/value_hash.h"
#include "prim/normalize.h"
#include "prim/number.h"

static const int json_types[] = {
    [EE_MISSING] = cJSON_NULL,  [EE_NULL] = cJSON_NULL,     [EE_FALSE] = cJSON_False, [EE_TRUE] = cJSON_True,
    [EE_NUMBER] = cJSON_Number, [EE_STRING] = cJSON_String, [EE_ARRAY] = cJSON_Array, [EE_OBJECT] = cJSON_Object,
};

const char *ee_type_name(const ee_value *value) {
  switch (ee_type_of(value)) { /* unreached: all are listed */
  case EE_MISSING: return "missing";
  case EE_NULL: return "null";
  case EE_FALSE:
  case EE_TRUE: return "boolean";
  case EE_NUMBER: return "number";
  case EE_STRING: return "string";
  case EE_ARRAY: return "array";
  case EE_OBJECT: break;
  }
  return "object";
}

const char *ee_value_describe(const ee_value *value) {
  switch (ee_type_of(value)) { /* unreached: all are listed */
  case EE_MISSING: return "nothing";
  case EE_NULL: return "null";
  case EE_FALSE:
  case EE_TRUE: return "a boolean";
  case EE_NUMBER: return "a number";
  case EE_STRING: return "a string";
  case EE_ARRAY: return "an array";
  case EE_OBJECT: break;
  }
  return "an object";
}

uint64_t ee_key_hash(ee_str key) {
  uint64_t hash = ee_hash_mix(ee_hash_bytes(key.data, key.length, EE_SEED_KEY));
  return hash != 0 ? hash : 1; /* unreached: one key in 2^64 */
}

static uint64_t key_hash_of(const ee_value *member) {
  return member->key_hash != 0 ? member->key_hash : ee_key_hash(ee_value_key(member));
}

/* Looking -------------------------------------------------------------------------------------- */

/* The numbers in an object's index are the addresses of its members. The last of several members with one key. */
static ee_value *find_in_index(const ee_hash_index *index, ee_str key, uint64_t hash) {
  ee_value *found = NULL;
  size_t at = 0, number;
  while (ee_hash_index_next(index, hash, &at, &number)) {
    ee_value *member = (ee_value *)(uintptr_t)number;
    if (ee_str_equal(ee_value_key(member), key)) found = member; /* unreached: two keys of one hash */
  }
  return found;
}

const ee_value *ee_value_member(const ee_value *value, ee_str key, ee_arena *arena) {
  (void)arena;
  if (ee_type_of(value) != EE_OBJECT || value->length == 0) return NULL;
  if (value->index != NULL) return find_in_index(value->index, key, ee_key_hash(key));
  /* Backwards, to find the last of duplicates. */
  const ee_value *first = ee_value_child(value);
  const ee_value *member = (const ee_value *)first->json.prev;
  for (;;) {
    /* Most keys of that length differ in the last byte already. */
    if (member->key_length == key.length &&
        (key.length == 0 || member->json.string[key.length - 1] == key.data[key.length - 1]) &&
        ee_str_equal(ee_value_key(member), key))
      return member;
    if (member == first) return NULL;
    member = (const ee_value *)member->json.prev;
  }
}

static const ee_value *typed_member(const ee_value *object, const char *key, ee_type type) {
  const ee_value *member = ee_value_member(object, ee_str_from(key), NULL);
  return member != NULL && ee_type_of(member) == type ? member : NULL;
}

ee_str ee_value_get_text(const ee_value *object, const char *key, const char *fallback) {
  const ee_value *member = typed_member(object, key, EE_STRING);
  if (member != NULL) return ee_value_text(member);
  return fallback != NULL ? ee_str_from(fallback) : (ee_str){NULL, 0};
}

double ee_value_get_number(const ee_value *object, const char *key, double fallback) {
  const ee_value *member = typed_member(object, key, EE_NUMBER);
  return member != NULL ? ee_value_number(member) : fallback;
}

bool ee_value_get_bool(const ee_value *object, const char *key, bool fallback) {
  ee_type type = ee_type_of(ee_value_member(object, ee_str_from(key), NULL));
  return type == EE_TRUE || (type != EE_FALSE && fallback);
}

const ee_value *ee_value_any_of(const ee_value *value) {
  if (ee_type_of(value) != EE_OBJECT || ee_value_count(value) != 1) return NULL;
  const ee_value *only = ee_value_child(value);
  bool filled = ee_type_of(only) == EE_ARRAY && ee_value_count(only) > 0;
  return filled && ee_str_is(ee_value_key(only), "anyOf") ? only : NULL;
}

bool ee_value_is_flat(const ee_value *value) {
  if (ee_type_of(value) != EE_ARRAY) return false;
  for (const ee_value *item = ee_value_child(value); item != NULL; item = ee_value_next(item))
    if (ee_type_of(item) >= EE_ARRAY) return false;
  return ee_value_count(value) > 0;
}

const ee_value *ee_value_element(const ee_value *value, size_t index) {
  if (ee_type_of(value) != EE_ARRAY || index >= value->length) return NULL;
  const ee_value *element = ee_value_child(value);
  if (index <= value->length / 2) {
    for (; index > 0; index--) element = ee_value_next(element);
  } else {
    element = (const ee_value *)element->json.prev;
    for (size_t left = value->length - 1 - index; left > 0; left--) element = (const ee_value *)element->json.prev;
  }
  return element;
}

ee_str ee_value_number_text(const ee_value *value, char out[32]) {
  if (value->length > 0) return ee_value_text(value);
  return (ee_str){out, ee_double_format(value->json.valuedouble, out)};
}

ee_str ee_value_written_number(const ee_value *value, char out[32]) {
  if (value->json.valuestring != NULL) return ee_str_from(value->json.valuestring);
  return ee_value_number_text(value, out);
}

/* A number that keeps its source text is not its double's value, so within the limit it is not whole. */
bool ee_value_whole(const ee_value *value, int64_t *whole) {
  if (ee_type_of(value) != EE_NUMBER || value->length > 0) return false;
  double number = ee_value_number(value);
  if (!(fabs(number) <= (double)EE_WHOLE_LIMIT) || floor(number) != number) return false;
  *whole = (int64_t)number;
  return true;
}

/* Empty values --------------------------------------------------------------------------------- */

static inline bool is_visible(char c) { return c > ' ' && c < 0x7f; }

/* Skips trimming where both ends are visible characters. */
static bool is_empty_text(ee_str text, const ee_empty_rule *rule) {
  if (text.length == 0) return true;
  if (!is_visible(text.data[0]) || !is_visible(text.data[text.length - 1])) text = ee_str_trim(text);
  if (text.length == 0) return true;
  if (rule == NULL) return false;
  for (size_t i = 0; i < rule->null_value_count; i++) {
    ee_str null_value = rule->null_values[i];
    if (text.length <= null_value.length && ee_str_equal(text, ee_str_trim(null_value))) return true;
  }
  return false;
}

/* Whether a value that is there is null or a blank string, which equality takes for missing. */
static inline bool is_nothing(const ee_value *value) {
  int type = value->json.type & 0xff;
  if (type != cJSON_String) return type == cJSON_NULL;
  return !is_visible(value->json.valuestring[0]) && is_empty_text(ee_value_text(value), NULL);
}

/* The first member from `member` on that is not nothing, or NULL. */
static inline const ee_value *skip_nothing(const ee_value *member) {
  while (member != NULL && is_nothing(member)) member = ee_value_next(member);
  return member;
}

/* Recursion is bounded by the reader's nesting limit. */
static bool has_only_empty(const ee_value *object, const ee_empty_rule *rule) {
  for (const ee_value *member = ee_value_child(object); member != NULL; member = ee_value_next(member))
    if (!ee_value_is_empty(member, rule)) return false;
  return true;
}

bool ee_value_is_empty(const ee_value *value, const ee_empty_rule *rule) {
  bool none = rule != NULL && rule->none;
  switch (ee_type_of(value)) {
  case EE_MISSING: return true;
  case EE_NULL: return !none;
  case EE_ARRAY: return rule != NULL && rule->containers && value->length == 0;
  case EE_OBJECT: return rule != NULL && rule->containers && has_only_empty(value, rule);
  case EE_STRING: return !none && is_empty_text(ee_value_text(value), rule);
  default: return false;
  }
}

/* Comparing ------------------------------------------------------------------------------------ */

/* Rounding is monotone, so different doubles decide. Equal doubles are compared by their decimal texts, unless neither
 * number keeps one. Only builders make NaN and infinities without a text: an infinity is beyond every decimal that
 * rounds to it, and NaN comes last. */
static int compare_numbers(const ee_value *a, const ee_value *b) {
  double x = a->json.valuedouble, y = b->json.valuedouble;
  if (x < y) return -1;
  if (x > y) return 1;
  if (isnan(x) || isnan(y)) return (isnan(x) ? 1 : 0) - (isnan(y) ? 1 : 0);
  if (a->length == 0 && b->length == 0) return 0;
  if (isinf(x) && (a->length == 0 || b->length == 0)) return ((a->length == 0) == (x > 0)) ? 1 : -1;
  char a_text[32], b_text[32];
  return ee_decimal_compare(ee_value_number_text(a, a_text), ee_value_number_text(b, b_text));
}

/* Ignores members that are nothing. */
static bool equal_objects(const ee_value *a, const ee_value *b) {
  if (ee_value_shares(a, b)) return true;
  const ee_value *same_place = skip_nothing(ee_value_child(b));
  const ee_value *member = skip_nothing(ee_value_child(a));
  for (; member != NULL; member = skip_nothing(ee_value_next(member))) {
    if (same_place == NULL) return false;
    /* Both objects mostly have the same order of keys. */
    const ee_value *other = same_place;
    same_place = skip_nothing(ee_value_next(same_place));
    if (!ee_str_equal(ee_value_key(member), ee_value_key(other)))
      other = ee_value_member(b, ee_value_key(member), NULL);
    if (other == NULL || !ee_value_equal(member, other)) return false;
  }
  return same_place == NULL;
}

static bool equal_elements(const ee_value *a, const ee_value *b) {
  if (a->length != b->length) return false;
  if (ee_value_shares(a, b)) return true;
  a = ee_value_child(a), b = ee_value_child(b);
  for (; a != NULL; a = ee_value_next(a), b = ee_value_next(b))
    if (!ee_value_equal(a, b)) return false;
  return true;
}

bool ee_value_equal(const ee_value *a, const ee_value *b) {
  if (a == b) return true;
  ee_type type = ee_type_of(a);
  if (type != ee_type_of(b)) return a != NULL && b != NULL && is_nothing(a) && is_nothing(b);
  if (a->hash != 0 && b->hash != 0 && a->hash != b->hash) return false;
  switch (type) {
  case EE_NUMBER: return compare_numbers(a, b) == 0;
  case EE_STRING:
    return ee_str_equal(ee_value_text(a), ee_value_text(b)) ||
           (!is_visible(a->json.valuestring[0]) && is_nothing(a) && is_nothing(b));
  case EE_ARRAY: return equal_elements(a, b);
  case EE_OBJECT: return equal_objects(a, b);
  default: return true;
  }
}

static void merge_by_key(const ee_value **from, size_t middle, size_t count, const ee_value **to) {
  size_t left = 0, right = middle;
  for (size_t i = 0; i < count; i++) {
    bool take_left =
        left < middle && (right == count || ee_str_compare(ee_value_key(from[left]), ee_value_key(from[right])) <= 0);
    to[i] = take_left ? from[left++] : from[right++];
  }
}

/* A merge sort, because qsort() may call malloc() and need not be stable. */
const ee_value **ee_value_sorted_members(const ee_value *object, size_t *member_count, ee_arena *scratch) {
  const ee_value **members = EE_NEW_ARRAY(scratch, const ee_value *, object->length);
  bool sorted = true;
  size_t count = 0;
  const ee_value *member = skip_nothing(ee_value_child(object));
  for (; member != NULL; member = skip_nothing(ee_value_next(member))) {
    if (count > 0 && ee_str_compare(ee_value_key(members[count - 1]), ee_value_key(member)) > 0) sorted = false;
    members[count++] = member;
  }
  *member_count = count;
  if (sorted) return members;
  const ee_value **other = EE_NEW_ARRAY(scratch, const ee_value *, count);
  for (size_t run = 1; run < count; run *= 2) {
    for (size_t at = 0; at < count; at += 2 * run) {
      size_t both = count - at < 2 * run ? count - at : 2 * run;
      merge_by_key(members + at, both < run ? both : run, both, other + at);
    }
    const ee_value **swap = members;
    members = other;
    other = swap;
  }
  return members;
}

int ee_value_compare_members(const ee_value *const *a, size_t a_count, const ee_value *const *b, size_t b_count,
                             ee_arena *scratch) {
  for (size_t i = 0; i < a_count && i < b_count; i++) {
    int order = ee_str_compare(ee_value_key(a[i]), ee_value_key(b[i]));
    if (order == 0) order = ee_value_compare(a[i], b[i], scratch);
    if (order != 0) return order;
  }
  return (a_count > b_count) - (a_count < b_count);
}

static int compare_objects(const ee_value *a, const ee_value *b, ee_arena *scratch) {
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  size_t a_count, b_count;
  const ee_value *const *a_members = ee_value_sorted_members(a, &a_count, scratch);
  const ee_value *const *b_members = ee_value_sorted_members(b, &b_count, scratch);
  int order = ee_value_compare_members(a_members, a_count, b_members, b_count, scratch);
  ee_arena_rewind(scratch, mark);
  return order;
}

/* The type by which a value is ordered: a blank string is null. */
static ee_type order_type(const ee_value *value) {
  return value != NULL && is_nothing(value) ? EE_NULL : ee_type_of(value);
}

int ee_value_compare(const ee_value *a, const ee_value *b, ee_arena *scratch) {
  ee_type type = order_type(a), b_type = order_type(b);
  if (type != b_type) return type < b_type ? -1 : 1;
  if (a == b || (type >= EE_ARRAY && ee_value_shares(a, b))) return 0;
  switch (type) {
  case EE_NUMBER: return compare_numbers(a, b);
  case EE_STRING: return ee_str_compare(ee_value_text(a), ee_value_text(b));
  case EE_ARRAY:
    a = ee_value_child(a), b = ee_value_child(b);
    for (; a != NULL && b != NULL; a = ee_value_next(a), b = ee_value_next(b)) {
      int order = ee_value_compare(a, b, scratch);
      if (order != 0) return order;
    }
    return (a != NULL) - (b != NULL);
  case EE_OBJECT: return compare_objects(a, b, scratch);
  default: return 0;
  }
}

/* Hashing -------------------------------------------------------------------------------------- */

static uint64_t hash_elements(const ee_value *array) {
  uint64_t hash = EE_SEED_ARRAY;
  for (const ee_value *element = ee_value_child(array); element != NULL; element = ee_value_next(element))
    hash = ee_hash_add_element(hash, ee_value_hash(element));
  return ee_hash_end_array(hash, array->length);
}

static inline uint64_t hash_text(const ee_value *value) {
  return ee_hash_not_zero(ee_hash_bytes(value->json.valuestring, value->length, EE_SEED_STRING));
}

/* The members' hashes are added up, so that their order does not count. Most values are texts and numbers, for which
 * nothing is called that looks at the type again. */
static uint64_t hash_members(const ee_value *object) {
  uint64_t sum = 0, count = 0;
  for (ee_value *member = (ee_value *)object->json.child; member != NULL; member = (ee_value *)member->json.next) {
    int type = member->json.type & 0xff;
    if (type == cJSON_Number) {
      if (member->hash == 0) member->hash = ee_hash_of_number(member->json.valuedouble);
    } else if (is_nothing(member)) {
      continue;
    } else if (member->hash == 0) {
      if (type == cJSON_String)
        member->hash = hash_text(member);
      else
        ee_value_hash(member);
    }
    sum += ee_hash_of_member(key_hash_of(member), member->hash);
    count++;
  }
  return ee_hash_end_object(sum, count);
}

uint64_t ee_value_hash(const ee_value *value) {
  if (value == NULL) return ee_hash_of_word(EE_NULL);
  if (value->hash != 0) return value->hash;
  uint64_t hash;
  ee_type type = ee_type_of(value);
  switch (type) {
  case EE_NUMBER: hash = ee_hash_of_number(value->json.valuedouble); break;
  case EE_STRING:
    if (!is_visible(value->json.valuestring[0]) && is_nothing(value))
      return ((ee_value *)value)->hash = ee_value_hash(NULL);
    hash = hash_text(value);
    break;
  case EE_ARRAY: hash = hash_elements(value); break;
  case EE_OBJECT: hash = hash_members(value); break;
  default: hash = ee_hash_of_word((int)type); break;
  }
  ((ee_value *)value)->hash = hash;
  return hash;
}

void ee_value_freeze(ee_value *value, ee_arena *arena) {
  (void)arena;
  ee_value_hash(value);
}

/* Building ------------------------------------------------------------------------------------- */

ee_value *ee_value_new(ee_arena *arena, ee_type type) {
  ee_value *value = EE_NEW(arena, ee_value);
  value->json.type = json_types[type];
  value->json.valueint = type == EE_TRUE; /* as in cJSON's own parser */
  if (type == EE_STRING) value->json.valuestring = ee_arena_copy(arena, "", 0);
  return value;
}

ee_value *ee_value_new_string(ee_arena *arena, ee_str text) {
  ee_value *value = EE_NEW(arena, ee_value);
  value->json.type = cJSON_String;
  value->json.valuestring = ee_arena_copy(arena, text.data, text.length);
  value->length = (uint32_t)text.length;
  return value;
}

ee_value *ee_value_new_number(ee_arena *arena, double number) {
  ee_value *value = EE_NEW(arena, ee_value);
  value->json.type = cJSON_Number;
  value->json.valuedouble = number;
  value->json.valueint = ee_saturated_int(number);
  return value;
}

ee_value *ee_value_new_bool(ee_arena *arena, bool truth) { return ee_value_new(arena, truth ? EE_TRUE : EE_FALSE); }

void ee_value_append(ee_value *array, ee_value *child) {
  child->json.next = NULL;
  if (array->json.child == NULL) {
    array->json.child = &child->json;
  } else {
    cJSON *last = array->json.child->prev;
    last->next = &child->json;
    child->json.prev = last;
  }
  array->json.child->prev = &child->json;
  array->length += 1;
  array->hash = 0;
  array->json.valuestring = NULL; /* the source */
  ee_value_set_plain(array, false);
}

static void add_to_index(ee_value *object, ee_value *member, uint64_t hash) {
  ee_hash_index_add(object->index, hash, (size_t)(uintptr_t)member);
}

void ee_value_index_members(ee_arena *arena, ee_value *object) {
  object->index = EE_NEW(arena, ee_hash_index);
  object->index->arena = arena;
  ee_hash_index_reserve(object->index, 2 * (size_t)object->length);
  for (const ee_value *member = ee_value_child(object); member != NULL; member = ee_value_next(member))
    add_to_index(object, (ee_value *)member, key_hash_of(member));
}

ee_value *ee_value_index_add(ee_value *object, ee_value *member) {
  ee_str key = ee_value_key(member);
  uint64_t hash = key_hash_of(member);
  ee_value *before = find_in_index(object->index, key, hash);
  if (before == NULL) add_to_index(object, member, hash);
  return before;
}

/* Also to an array, which has no index. */
static void append_member(ee_arena *arena, ee_value *object, ee_value *member) {
  ee_value_append(object, member);
  if (object->index != NULL) {
    add_to_index(object, member, key_hash_of(member));
  } else if (object->length > EE_INDEX_ABOVE && ee_type_of(object) == EE_OBJECT) {
    ee_value_index_members(arena, object);
  }
}

void ee_value_set(ee_arena *arena, ee_value *object, ee_str key, ee_value *child) {
  child->json.string = ee_arena_copy(arena, key.data, key.length);
  child->key_length = (uint32_t)key.length;
  child->key_hash = 0;
  append_member(arena, object, child);
}

/* Copying -------------------------------------------------------------------------------------- */

ee_value *ee_value_copy(ee_arena *arena, const ee_value *value) {
  if (value == NULL) return NULL;
  ee_value *copy = EE_NEW(arena, ee_value);
  copy->json.type = value->json.type;
  copy->json.valueint = value->json.valueint;
  copy->json.valuedouble = value->json.valuedouble;
  bool is_container = ee_type_of(value) >= EE_ARRAY;
  if (!is_container && value->json.valuestring != NULL) {
    size_t length = ee_type_of(value) == EE_STRING ? value->length : strlen(value->json.valuestring);
    copy->json.valuestring = ee_arena_copy(arena, value->json.valuestring, length);
    copy->length = value->length;
  }
  bool is_object = ee_type_of(value) == EE_OBJECT;
  for (const ee_value *child = ee_value_child(value); child != NULL; child = ee_value_next(child)) {
    ee_value *child_copy = ee_value_copy(arena, child);
    if (is_object) {
      ee_value_set(arena, copy, ee_value_key(child), child_copy);
    } else {
      ee_value_append(copy, child_copy);
    }
  }
  if (is_container) ee_value_set_plain(copy, ee_value_is_plain(value));
  copy->hash = value->hash;
  return copy;
}

/* Appends `value` to an array, or to an object under the key of `member`; containers share what is inside. */
static void append_shared(ee_arena *arena, ee_value *container, const ee_value *member, const ee_value *value) {
  ee_value *node = ee_arena_alloc(arena, sizeof *node);
  *node = *value;
  node->json.string = member->json.string;
  node->key_length = member->key_length;
  node->key_hash = member->key_hash;
  append_member(arena, container, node);
}

static const ee_value *fill(ee_arena *arena, const ee_value *value, const ee_empty_rule *rule);

/* `child` as it is in a container without empty values: NULL if it is empty. */
static const ee_value *fill_child(ee_arena *arena, const ee_value *child, const ee_empty_rule *rule) {
  if (ee_type_of(child) >= EE_ARRAY) child = fill(arena, child, rule);
  return ee_value_is_empty(child, rule) ? NULL : child;
}

/* The array or object without what is empty at any depth; itself where nothing changes. Empty elements become null, so
 * that the others keep their places. Recursion is bounded by the reader's nesting limit. */
static const ee_value *fill(ee_arena *arena, const ee_value *value, const ee_empty_rule *rule) {
  bool is_object = ee_type_of(value) == EE_OBJECT;
  const ee_value *changed = ee_value_child(value), *filled = NULL;
  for (; changed != NULL; changed = ee_value_next(changed)) {
    filled = fill_child(arena, changed, rule);
    if (filled != changed) break;
  }
  if (changed == NULL) return value;
  ee_value *copy = ee_value_new(arena, is_object ? EE_OBJECT : EE_ARRAY);
  for (const ee_value *child = ee_value_child(value); child != changed; child = ee_value_next(child))
    append_shared(arena, copy, child, child);
  for (const ee_value *child = changed; child != NULL; child = ee_value_next(child)) {
    if (child != changed) filled = fill_child(arena, child, rule);
    if (filled != NULL)
      append_shared(arena, copy, child, filled);
    else if (!is_object)
      ee_value_append(copy, ee_value_new(arena, EE_NULL));
  }
  return copy;
}

const ee_value *ee_value_without_empty(ee_arena *arena, const ee_value *value, const ee_empty_rule *rule) {
  if (ee_empty_rule_is_plain(rule) || rule->none || ee_type_of(value) < EE_ARRAY) return value;
  return fill(arena, value, rule);
}

bool ee_value_equal_by(const ee_value *a, const ee_value *b, const ee_empty_rule *rule, ee_arena *scratch) {
  bool whole = ee_type_of(a) >= EE_ARRAY && ee_type_of(b) >= EE_ARRAY;
  if (!whole || ee_empty_rule_is_plain(rule)) return ee_value_equal(a, b);
  if (rule->none) return ee_json_equal(a, b);
  if (ee_value_equal(a, b)) return true;
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  bool equal = ee_value_equal(fill(scratch, a, rule), fill(scratch, b, rule));
  ee_arena_rewind(scratch, mark);
  return equal;
}

const ee_value *ee_value_without(ee_arena *arena, const ee_value *object, const ee_value *left_out) {
  ee_value *copy = ee_value_new(arena, EE_OBJECT);
  for (const ee_value *member = ee_value_child(object); member != NULL; member = ee_value_next(member))
    if (member != left_out) append_shared(arena, copy, member, member);
  return copy;
}

/* A string or a key in NFC. */
static const ee_value *nfc_child(ee_arena *arena, const ee_value *value, bool *changed) {
  const ee_value *composed = ee_value_nfc(arena, value);
  ee_str key = ee_value_key(value), composed_key = key.data != NULL ? ee_nfc(key, arena) : key;
  *changed = *changed || composed != value || composed_key.data != key.data;
  if (composed_key.data == key.data) return composed;
  ee_value *node = ee_arena_alloc(arena, sizeof *node);
  *node = *composed;
  node->json.string = ee_arena_copy(arena, composed_key.data, composed_key.length);
  node->key_length = (uint32_t)composed_key.length;
  node->key_hash = 0;
  return node;
}

const ee_value *ee_value_nfc(ee_arena *arena, const ee_value *value) {
  ee_type type = ee_type_of(value);
  if (type == EE_STRING) {
    ee_str before = ee_value_text(value), after = ee_nfc(before, arena);
    if (after.data == before.data) return value;
    ee_value *string = ee_value_new_string(arena, after);
    string->json.string = value->json.string;
    string->key_length = value->key_length;
    return string;
  }
  if (type < EE_ARRAY || ee_value_is_plain(value)) return value;
  size_t count = 0;
  bool changed = false;
  const ee_value **children = EE_NEW_ARRAY(arena, const ee_value *, value->length);
  for (const ee_value *child = ee_value_child(value); child != NULL; child = ee_value_next(child))
    children[count++] = nfc_child(arena, child, &changed);
  if (!changed) return value;
  ee_value *copy = ee_value_new(arena, type);
  for (size_t i = 0; i < count; i++) append_shared(arena, copy, children[i], children[i]);
  copy->json.string = value->json.string;
  copy->key_length = value->key_length;
  return copy;
}

static ee_value *from_cjson(ee_arena *arena, const cJSON *tree, size_t depth, const char **error_text);

/* Copies a member of a cJSON object to the end, or to the place of an earlier one with its key. */
static bool take_member(ee_arena *arena, ee_value *object, const cJSON *item, size_t depth, const char **error_text) {
  if (item->string == NULL) {
    *error_text = "object member without a key";
    return false;
  }
  ee_str key = ee_str_from(item->string);
  if (ee_utf8_valid_prefix(key.data, key.length) != key.length) {
    *error_text = "invalid UTF-8";
    return false;
  }
  ee_value *member = from_cjson(arena, item, depth, error_text);
  if (member == NULL) return false;
  ee_value *before = (ee_value *)ee_value_member(object, key, NULL);
  if (before == NULL) {
    ee_value_set(arena, object, key, member);
    return true;
  }
  before->json.type = member->json.type;
  before->json.child = member->json.child;
  before->json.valuestring = member->json.valuestring;
  before->json.valueint = member->json.valueint;
  before->json.valuedouble = member->json.valuedouble;
  before->length = member->length;
  before->index = member->index;
  return true;
}

static ee_value *container_from_cjson(ee_arena *arena, const cJSON *tree, ee_type type, size_t depth,
                                      const char **error_text) {
  if (depth == EE_JSON_DEPTH_LIMIT) {
    *error_text = "nesting deeper than 512";
    return NULL;
  }
  ee_value *container = ee_value_new(arena, type);
  for (const cJSON *item = tree->child; item != NULL; item = item->next) {
    if (type == EE_OBJECT) {
      if (!take_member(arena, container, item, depth + 1, error_text)) return NULL;
    } else {
      ee_value *element = from_cjson(arena, item, depth + 1, error_text);
      if (element == NULL) return NULL;
      ee_value_append(container, element);
    }
  }
  return container;
}

static ee_value *from_cjson(ee_arena *arena, const cJSON *tree, size_t depth, const char **error_text) {
  switch (tree->type & 0xff) {
  case cJSON_NULL: return ee_value_new(arena, EE_NULL);
  case cJSON_False: return ee_value_new(arena, EE_FALSE);
  case cJSON_True: return ee_value_new(arena, EE_TRUE);
  case cJSON_Array: return container_from_cjson(arena, tree, EE_ARRAY, depth, error_text);
  case cJSON_Object: return container_from_cjson(arena, tree, EE_OBJECT, depth, error_text);
  case cJSON_Number:
    if (isfinite(tree->valuedouble)) return ee_value_new_number(arena, tree->valuedouble);
    *error_text = isnan(tree->valuedouble) ? "NaN is not a JSON number" : "infinity is not a JSON number";
    return NULL;
  case cJSON_String: {
    ee_str text = ee_str_from(tree->valuestring != NULL ? tree->valuestring : "");
    if (ee_utf8_valid_prefix(text.data, text.length) == text.length) return ee_value_new_string(arena, text);
    *error_text = "invalid UTF-8";
    return NULL;
  }
  case cJSON_Raw: *error_text = "raw node"; return NULL;
  default: *error_text = "node without a type"; return NULL;
  }
}

ee_value *ee_value_from_cjson(ee_arena *arena, const cJSON *tree, const char **error_text) {
  const char *ignored;
  if (error_text == NULL) error_text = &ignored;
  *error_text = NULL;
  return tree != NULL ? from_cjson(arena, tree, 0, error_text) : NULL;
}
