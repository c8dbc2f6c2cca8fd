/* schema_explain.c: why an instance does not fit a schema: violations in the order of the instance's document, and what
 * they say. */
#include "base/work.h"
#include "data/schema/schema_validator.h"

/* Units of work (base/work.h) of a schema that is collected for a value. */
#define WORK_COLLECT 40

/* What explaining needs beside the rest. */
typedef struct schema_report {
  ee_schema_result *result;
  ee_violation *violations;
  struct {
    EE_LIST(const ee_schema_node *); /* that apply to the values on the path, the innermost value's last */
  } open;
  uint32_t *rounds; /* by a schema's id: the round in which it was added to `open` last */
  uint32_t *branch_rounds;
  uint32_t round, branch_round;
  bool has_undecided;
} schema_report;

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
  if (text.length > room) text.length = ee_utf8_cut(text, room); /* unreached: parts are bounded */
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

static void put_format(message *out, const ee_schema_keyword *keyword, const ee_value *value) {
  put_value(out, value);
  put_text(out, " is not in the format '");
  put_text(out, ee_schema_format_name(keyword->as.format));
  put_text(out, "'");
}

static void put_equal(ee_validator *self, message *out, const ee_value *array) {
  size_t first = 0, second = 0;
  ee_schema_find_equal(self, array, &first, &second);
  put_text(out, "elements ");
  put_number(out, first);
  put_text(out, " and ");
  put_number(out, second);
  put_text(out, " are equal");
}

static void put_contained(ee_validator *self, message *out, const ee_schema_keyword *keyword, const ee_value *array) {
  uint64_t count = ee_schema_count_contained(self, keyword, array);
  bool few = count < keyword->as.contains.min;
  put_text(out, few ? "expected at least " : "expected at most ");
  put_count(out, few ? keyword->as.contains.min : keyword->as.contains.max, "element");
  put_text(out, " matching 'contains', got ");
  put_number(out, count);
}

/* Names the first two that fit. */
static void put_one_of(ee_validator *self, message *out, const ee_schema_keyword *keyword, const ee_value *value) {
  size_t named[2] = {0}, count = 0;
  for (size_t i = 0; i < keyword->as.list.count; i++) {
    if (!ee_schema_fits(self, keyword->as.list.items[i], value)) continue;
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
static ee_str message_of_keyword(ee_validator *self, const ee_schema_keyword *keyword, const ee_value *value) {
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
                "character", ee_schema_characters(value));
    break;
  case EE_KEYWORD_MAX_ITEMS: put_counted(&out, "expected at most ", limit, "element", value->length); break;
  case EE_KEYWORD_MIN_ITEMS: put_counted(&out, "expected at least ", limit, "element", value->length); break;
  case EE_KEYWORD_MAX_PROPERTIES: put_counted(&out, "expected at most ", limit, "member", value->length); break;
  case EE_KEYWORD_MIN_PROPERTIES: put_counted(&out, "expected at least ", limit, "member", value->length); break;
  case EE_KEYWORD_FORMAT: put_format(&out, keyword, value); break;
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

static ee_str message_of_undecided(ee_arena *arena, ee_undecided reason) {
  if (reason == EE_PATTERN_UNDECIDED) return EE_STR("the pattern takes too many steps: given up");
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
static ee_violation *next_violation(ee_validator *self, const position *at, const ee_schema_place *keyword) {
  self->report->result->total++;
  if (self->report->result->count == EE_VIOLATIONS_LISTED) return NULL;
  ee_violation *violation = &self->report->violations[self->report->result->count++];
  violation->place = pointer_to(self->arena, at);
  violation->keyword = ee_schema_place_text(self->arena, keyword);
  return violation;
}

static ee_str of_name(ee_validator *self, const position *at, ee_str text) {
  if (!at->is_name) return text;
  return ee_str_from(ee_arena_printf(self->arena, "its name: %.*s", EE_STR_ARG(text)));
}

static void report_keyword(ee_validator *self, const position *at, const ee_schema_keyword *keyword) {
  const ee_schema_place *place = keyword->place;
  if (keyword->kind == EE_KEYWORD_CONTAINS) {
    uint64_t count = ee_schema_count_contained(self, keyword, at->value);
    place = count < keyword->as.contains.min ? keyword->as.contains.min_place : keyword->as.contains.max_place;
  }
  ee_violation *violation = next_violation(self, at, place);
  if (violation == NULL) return;
  bool given_up =
      keyword->kind == EE_KEYWORD_PATTERN &&
      ee_schema_search(self, &keyword->as.pattern, ee_value_text(at->value), at->value) == EE_PATTERN_GIVEN_UP;
  if (given_up) self->report->has_undecided = true;
  violation->message = of_name(self, at,
                               given_up ? message_of_undecided(self->arena, EE_PATTERN_UNDECIDED)
                                        : message_of_keyword(self, keyword, at->value));
}

static void report_false(ee_validator *self, const position *at, const ee_schema_node *node) {
  ee_violation *violation = next_violation(self, at, node->place);
  if (violation == NULL) return;
  size_t index = at->above != NULL && at->key.data == NULL ? at->index : SIZE_MAX;
  violation->message = message_of_false(self->arena, at->key, index);
}

/* One violation for each missing name. `because`: the member that requires them, or data NULL. */
static void report_missing(ee_validator *self, const position *at, const ee_schema_names *names,
                           const ee_schema_place *keyword, ee_str because) {
  for (size_t i = ee_schema_next_missing(names, 0, at->value); i < names->count;
       i = ee_schema_next_missing(names, i + 1, at->value)) {
    ee_violation *violation = next_violation(self, at, keyword);
    if (violation != NULL) violation->message = message_of_missing(self->arena, names->items[i], because);
  }
}

static void report_dependent(ee_validator *self, const position *at, const ee_schema_keyword *keyword) {
  for (size_t i = 0; i < keyword->as.dependent.count; i++) {
    const ee_schema_property *property = &keyword->as.dependent.items[i];
    if (ee_value_member(at->value, property->name, NULL) != NULL)
      report_missing(self, at, &property->names, property->place, property->name);
  }
}

/* Collecting ----------------------------------------------------------------------------------- */

/* Adds a schema to those that apply to the current value, unless it is among them. */
static uint64_t collect(ee_validator *self, const ee_schema_node *node, const ee_value *value, bool all) {
  (void)value, (void)all;
  ee_work(WORK_COLLECT);
  if (self->report->rounds[node->id] == self->report->round) return 0;
  self->report->rounds[node->id] = self->report->round;
  *EE_LIST_ADD(&self->report->open, self->arena) = node;
  return 0;
}

/* The same for the schemas of a branch of anyOf or oneOf. */
static uint64_t collect_branch(ee_validator *self, const ee_schema_node *node, const ee_value *value, bool all) {
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

static bool violates_enum(ee_validator *self, const ee_schema_node *node, const ee_value *value) {
  for (size_t i = 0; i < node->count; i++) {
    const ee_schema_keyword *keyword = &node->keywords[i];
    if (keyword->kind == EE_KEYWORD_ENUM && ee_schema_count_keyword(self, keyword, value, false) > 0) return true;
  }
  return false;
}

static branch_rank rank_of_keyword(ee_validator *self, const ee_schema_keyword *keyword, const ee_value *value,
                                   expectations *expected) {
  if (!ee_schema_applies(keyword, value)) return RANK_INSIDE;
  switch (keyword->kind) {
  case EE_KEYWORD_TYPE:
  case EE_KEYWORD_ENUM:
    if (ee_schema_count_keyword(self, keyword, value, false) == 0) return RANK_INSIDE;
    *EE_LIST_ADD(expected, self->arena) = keyword;
    return keyword->kind == EE_KEYWORD_TYPE ? RANK_TYPE : RANK_CONSTANT;
  case EE_KEYWORD_PROPERTIES:
    for (const ee_value *member = ee_value_child(value); member != NULL; member = ee_value_next(member)) {
      const ee_schema_property *property =
          ee_schema_properties_find(&keyword->as.properties.named, ee_value_key(member));
      if (property != NULL && violates_enum(self, property->schema, member)) return RANK_MEMBER;
    }
    return RANK_INSIDE;
  default: ee_schema_visit_same_value(self, keyword, value, true, collect_branch); return RANK_INSIDE;
  }
}

static branch_rank rank_of(ee_validator *self, const ee_schema_node *branch, const ee_value *value,
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
static bool unfold(ee_validator *self, const ee_schema_node *branch, const ee_value *value) {
  if (branch->count != 1) return false;
  const ee_schema_keyword *keyword = &branch->keywords[0];
  if (keyword->kind == EE_KEYWORD_REF) {
    collect_branch(self, keyword->as.schema, value, true);
    return true;
  }
  bool is_choice = keyword->kind == EE_KEYWORD_ANY_OF || keyword->kind == EE_KEYWORD_ONE_OF;
  if (!is_choice || ee_schema_count_fitting(self, &keyword->as.list, value, 1) > 0) return false;
  for (size_t i = 0; i < keyword->as.list.count; i++) collect_branch(self, keyword->as.list.items[i], value, true);
  return true;
}

/* All branches, unfolded, without duplicates; in the arena. */
static ee_schema_list find_branches(ee_validator *self, const ee_schema_list *list, const ee_value *value) {
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
static const ee_schema_node *best_branch(ee_validator *self, const ee_schema_list *list, const branch_rank *ranks,
                                         branch_rank best, const ee_value *value) {
  const ee_schema_node *found = NULL;
  uint64_t fewest = 0;
  for (size_t i = 0; i < list->count; i++) {
    if (ranks[i] != best) continue;
    uint64_t count = ee_schema_count_violations(self, list->items[i], value, true);
    if (found != NULL && count >= fewest) continue;
    found = list->items[i];
    fewest = count;
  }
  return found;
}

/* The value fits no branch: explains the branch that it matches best, or reports what was expected if the value itself
 * matches none. */
static void explain_choice(ee_validator *self, const position *at, const ee_schema_keyword *keyword) {
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

static void explain_keyword(ee_validator *self, const position *at, const ee_schema_keyword *keyword) {
  if (!ee_schema_applies(keyword, at->value)) return;
  switch (keyword->kind) {
  case EE_KEYWORD_REQUIRED: report_missing(self, at, &keyword->as.names, keyword->place, (ee_str){NULL, 0}); break;
  case EE_KEYWORD_DEPENDENT_REQUIRED: report_dependent(self, at, keyword); break;
  case EE_KEYWORD_ALL_OF:
  case EE_KEYWORD_REF:
  case EE_KEYWORD_IF:
  case EE_KEYWORD_DEPENDENT_SCHEMAS: ee_schema_visit_same_value(self, keyword, at->value, true, collect); break;
  case EE_KEYWORD_ITEMS:
  case EE_KEYWORD_PROPERTIES:
  case EE_KEYWORD_PROPERTY_NAMES:
  case EE_KEYWORD_UNEVALUATED_ITEMS:
  case EE_KEYWORD_UNEVALUATED_PROPERTIES: break; /* later, for each element or member */
  case EE_KEYWORD_ANY_OF:
  case EE_KEYWORD_ONE_OF:
    if (ee_schema_count_fitting(self, &keyword->as.list, at->value, 1) == 0) {
      explain_choice(self, at, keyword);
      break;
    }
    if (keyword->kind == EE_KEYWORD_ANY_OF) break;
    /* fall through */
  default:
    if (ee_schema_count_keyword(self, keyword, at->value, false) > 0) report_keyword(self, at, keyword);
    break;
  }
}

static void explain(ee_validator *self, const position *at, size_t base);

/* Explains an element, member or name with the schemas that were collected for it, which begin at `base`. */
static void explain_below(ee_validator *self, const position *below, size_t base) {
  if (self->report->open.count > base) explain(self, below, base);
  self->report->open.count = base;
}

/* The keywords about unevaluated elements or members among the schemas from `base` to `end`, with what is evaluated. */
typedef struct unevaluated {
  const ee_schema_node *schema;
  const unsigned char *evaluated;
} unevaluated;

typedef struct unevaluated_list {
  EE_LIST(unevaluated);
} unevaluated_list;

static unevaluated_list list_unevaluated(ee_validator *self, const ee_value *value, size_t base, size_t end) {
  unevaluated_list list = {0};
  for (size_t i = base; i < end; i++) {
    const ee_schema_node *node = self->report->open.items[i];
    for (size_t j = 0; j < node->count; j++) {
      const ee_schema_keyword *keyword = &node->keywords[j];
      if (!ee_schema_is_unevaluated(keyword) || !ee_schema_applies(keyword, value)) continue;
      *EE_LIST_ADD(&list, self->arena) = (unevaluated){keyword->as.schema, ee_schema_evaluated(self, node, value)};
    }
  }
  return list;
}

static void collect_unevaluated(ee_validator *self, const unevaluated_list *list, size_t index, const ee_value *child) {
  for (size_t i = 0; i < list->count; i++)
    if (!list->items[i].evaluated[index]) collect(self, list->items[i].schema, child, true);
}

static void explain_elements(ee_validator *self, const position *at, size_t base, size_t end) {
  position below = {.above = at};
  unevaluated_list rest = list_unevaluated(self, at->value, base, end);
  const ee_value *element = ee_value_child(at->value);
  for (; element != NULL; element = ee_value_next(element), below.index++) {
    self->report->round++;
    for (size_t i = base; i < end; i++) {
      const ee_schema_node *node = self->report->open.items[i];
      for (size_t j = 0; j < node->count; j++) {
        if (node->keywords[j].kind != EE_KEYWORD_ITEMS) continue;
        const ee_schema_node *schema = ee_schema_of_element(&node->keywords[j], below.index);
        if (schema != NULL) collect(self, schema, element, true);
      }
    }
    collect_unevaluated(self, &rest, below.index, element);
    below.value = element;
    explain_below(self, &below, end);
  }
}

static void explain_name(ee_validator *self, const position *at, const ee_value *member, size_t base, size_t end) {
  self->report->round++;
  for (size_t i = base; i < end; i++) {
    const ee_schema_node *node = self->report->open.items[i];
    for (size_t j = 0; j < node->count; j++) {
      if (node->keywords[j].kind == EE_KEYWORD_PROPERTY_NAMES) collect(self, node->keywords[j].as.schema, member, true);
    }
  }
  if (self->report->open.count == end) return;
  position below = {
      .above = at, .value = ee_schema_name_as_value(self, member), .key = ee_value_key(member), .is_name = true};
  explain_below(self, &below, end);
}

static void explain_members(ee_validator *self, const position *at, size_t base, size_t end) {
  unevaluated_list rest = list_unevaluated(self, at->value, base, end);
  size_t index = 0;
  for (const ee_value *member = ee_value_child(at->value); member != NULL; member = ee_value_next(member), index++) {
    explain_name(self, at, member, base, end);
    self->report->round++;
    for (size_t i = base; i < end; i++) {
      const ee_schema_node *node = self->report->open.items[i];
      for (size_t j = 0; j < node->count; j++) {
        if (node->keywords[j].kind == EE_KEYWORD_PROPERTIES)
          ee_schema_visit_member(self, &node->keywords[j], member, true, collect);
      }
    }
    collect_unevaluated(self, &rest, index, member);
    explain_below(self, &(position){.above = at, .value = member, .key = ee_value_key(member)}, end);
  }
}

/* Reports the violations of a value and of what is inside it. Its schemas begin at `base` in `open`; the loop collects
 * those that they apply to the same value. Recursion is bounded by the instance's nesting. */
static void explain(ee_validator *self, const position *at, size_t base) {
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

static void report_undecided(ee_validator *self, const position *root) {
  if (self->undecided == EE_DECIDED || self->report->has_undecided) return;
  const position *at = find_position(self->arena, root, self->undecided_value);
  ee_violation *violation = next_violation(self, at != NULL ? at : root, self->undecided_keyword);
  if (violation != NULL) violation->message = message_of_undecided(self->arena, self->undecided);
}

void ee_schema_explain(ee_validator *self, const ee_value *instance, ee_schema_result *result) {
  ee_arena *arena = self->arena;
  result->violations = EE_NEW_ARRAY(arena, ee_violation, EE_VIOLATIONS_LISTED);
  self->report = &(schema_report){.result = result,
                                  .violations = (ee_violation *)(uintptr_t)result->violations,
                                  .rounds = EE_NEW_ARRAY(arena, uint32_t, self->schema->node_count),
                                  .branch_rounds = EE_NEW_ARRAY(arena, uint32_t, self->schema->node_count),
                                  .round = 1};
  position at_root = {.value = instance};
  collect(self, self->schema->root, instance, true);
  explain(self, &at_root, 0);
  report_undecided(self, &at_root);
  self->report = NULL;
}
