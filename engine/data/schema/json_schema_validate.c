/* json_schema_validate.c: violations of an instance that does not fit, in the order of its document.
 *
 * Whether it fits is decided first (schema_check.c). Only then are violations looked for: at each value with all the
 * schemas that it should fit, gathered from what the value above should fit. So they come in the order of the document,
 * and a schema that leads to a value on several ways is told once. */
#include "data/schema/schema_message.h"

/* A value on the way from the root. */
typedef struct frame {
  const struct frame *above; /* NULL: the root */
  const ee_value *value;
  ee_str key;     /* data NULL: an element, or the root */
  uint32_t index; /* of an element */
  bool is_name;   /* of a member's name, not of its value */
} frame;

typedef struct explainer {
  ee_schema_checker *checker;
  ee_schema_result *result;
  ee_violation *violations;
  const ee_schema_node **open; /* the schemas of all values on the way, the innermost's behind the others */
  size_t open_count, open_room;
  uint32_t *marks; /* by a schema's id: the round in which it was gathered last */
  uint32_t *rank_marks;
  uint32_t round, rank_round;
  bool told_trouble; /* that something was given up stands among the violations */
} explainer;

/* Telling -------------------------------------------------------------------------------------- */

/* The JSON Pointer of a value: written from behind. */
static ee_str pointer_to(ee_arena *arena, const frame *at) {
  size_t length = 0;
  for (const frame *here = at; here->above != NULL; here = here->above) {
    length += 1 + (here->key.data != NULL ? here->key.length : 10);
    for (size_t i = 0; i < here->key.length; i++) length += here->key.data[i] == '~' || here->key.data[i] == '/';
  }
  char *text = ee_arena_alloc(arena, length + 1), *end = text + length, *out = end;
  *end = '\0';
  for (const frame *here = at; here->above != NULL; here = here->above) {
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

/* Room for one more violation; NULL when it is only counted. */
static ee_violation *next_violation(explainer *self, const frame *at, const ee_schema_place *keyword) {
  self->result->total++;
  if (self->result->count == EE_VIOLATIONS_LISTED) return NULL;
  ee_arena *arena = self->checker->arena;
  ee_violation *violation = &self->violations[self->result->count++];
  violation->place = pointer_to(arena, at);
  violation->keyword = ee_schema_place_text(arena, keyword);
  return violation;
}

/* What is wrong with a name says so. */
static ee_str of_name(explainer *self, const frame *at, ee_str message) {
  if (!at->is_name) return message;
  const char *text = ee_arena_printf(self->checker->arena, "its name: %.*s", (int)message.length, message.data);
  return ee_str_from(text);
}

static void tell_keyword(explainer *self, const frame *at, const ee_schema_keyword *keyword) {
  const ee_schema_place *place = keyword->place;
  if (keyword->kind == EE_KEYWORD_CONTAINS) {
    uint64_t count = ee_schema_count_contained(self->checker, keyword, at->value);
    place = count < keyword->as.contains.least ? keyword->as.contains.least_place : keyword->as.contains.most_place;
  }
  ee_violation *violation = next_violation(self, at, place);
  if (violation == NULL) return;
  bool given_up =
      keyword->kind == EE_KEYWORD_PATTERN &&
      ee_schema_search(self->checker, &keyword->as.pattern, ee_value_text(at->value), at->value) == EE_PATTERN_GIVEN_UP;
  if (given_up) self->told_trouble = true;
  violation->message = of_name(self, at,
                               given_up ? ee_schema_message_trouble(self->checker->arena, EE_SCHEMA_PATTERN_GIVEN_UP)
                                        : ee_schema_message(self->checker, keyword, at->value));
}

static void tell_nothing(explainer *self, const frame *at, const ee_schema_node *node) {
  ee_violation *violation = next_violation(self, at, node->place);
  if (violation == NULL) return;
  size_t index = at->above != NULL && at->key.data == NULL ? at->index : SIZE_MAX;
  violation->message = ee_schema_message_nothing(self->checker->arena, at->key, index);
}

/* A violation for each name that is missing. */
static void tell_missing(explainer *self, const frame *at, const ee_schema_names *names, const ee_schema_place *keyword,
                         ee_str because) {
  for (size_t i = 0; i < names->count; i++) {
    if (ee_value_member(at->value, names->items[i], NULL) != NULL) continue;
    ee_violation *violation = next_violation(self, at, keyword);
    if (violation != NULL)
      violation->message = ee_schema_message_missing(self->checker->arena, names->items[i], because);
  }
}

static void tell_dependent(explainer *self, const frame *at, const ee_schema_keyword *keyword) {
  for (size_t i = 0; i < keyword->as.dependent.count; i++) {
    const ee_schema_property *property = &keyword->as.dependent.items[i];
    if (ee_value_member(at->value, property->name, NULL) != NULL)
      tell_missing(self, at, &property->names, property->place, property->name);
  }
}

/* Gathering ------------------------------------------------------------------------------------ */

static void push(explainer *self, const ee_schema_node *node) {
  if (self->open_count == self->open_room) {
    size_t room = self->open_room * 2 + 64;
    const ee_schema_node **larger = EE_NEW_ARRAY(self->checker->arena, const ee_schema_node *, room);
    if (self->open_count > 0) memcpy(larger, self->open, self->open_count * sizeof *larger);
    self->open = larger;
    self->open_room = room;
  }
  self->open[self->open_count++] = node;
}

/* Adds a schema to those of the value that is being looked at, unless it is there. */
static void gather(explainer *self, const ee_schema_node *node) {
  if (self->marks[node->id] == self->round) return;
  self->marks[node->id] = self->round;
  push(self, node);
}

/* Adds what `keyword` asks of the same value, choices aside. `add` is gather() or its like. */
static void follow(explainer *self, const ee_schema_keyword *keyword, const ee_value *value,
                   void (*add)(explainer *self, const ee_schema_node *node)) {
  switch (keyword->kind) {
  case EE_KEYWORD_REF: add(self, keyword->as.schema); break;
  case EE_KEYWORD_ALL_OF:
    for (size_t i = 0; i < keyword->as.list.count; i++) add(self, keyword->as.list.items[i]);
    break;
  case EE_KEYWORD_IF: {
    bool fits = ee_schema_check(self->checker, keyword->as.conditional.condition, value, false) == 0;
    const ee_schema_node *chosen = fits ? keyword->as.conditional.then : keyword->as.conditional.otherwise;
    if (chosen != NULL) add(self, chosen);
    break;
  }
  case EE_KEYWORD_DEPENDENT_SCHEMAS:
    for (size_t i = 0; i < keyword->as.dependent.count; i++) {
      const ee_schema_property *property = &keyword->as.dependent.items[i];
      if (ee_value_member(value, property->name, NULL) != NULL) add(self, property->schema);
    }
    break;
  default: break;
  }
}

/* Choices -------------------------------------------------------------------------------------- */

/* How far a branch of anyOf or oneOf came that the value does not fit. */
typedef enum branch_rank {
  RANK_TYPE,     /* the value is of another type */
  RANK_CONSTANT, /* it is none of the values of const or enum */
  RANK_MEMBER,   /* one of its members is none of those, as with branches that a member tells apart */
  RANK_INSIDE
} branch_rank;

/* The keywords of type and enum that the value itself violates, over all branches. */
typedef struct wanted {
  const ee_schema_keyword **items;
  size_t count, room;
} wanted;

static void want(explainer *self, wanted *list, const ee_schema_keyword *keyword) {
  if (list->count == list->room) {
    size_t room = list->room * 2 + 8;
    const ee_schema_keyword **larger = EE_NEW_ARRAY(self->checker->arena, const ee_schema_keyword *, room);
    if (list->count > 0) memcpy(larger, list->items, list->count * sizeof *larger);
    list->items = larger;
    list->room = room;
  }
  list->items[list->count++] = keyword;
}

static void gather_for_rank(explainer *self, const ee_schema_node *node) {
  if (self->rank_marks[node->id] == self->rank_round) return;
  self->rank_marks[node->id] = self->rank_round;
  push(self, node);
}

static bool violates_enum(explainer *self, const ee_schema_node *node, const ee_value *value) {
  for (size_t i = 0; i < node->count; i++) {
    const ee_schema_keyword *keyword = &node->keywords[i];
    if (keyword->kind == EE_KEYWORD_ENUM && ee_schema_check_keyword(self->checker, keyword, value, false) > 0)
      return true;
  }
  return false;
}

static branch_rank rank_of_keyword(explainer *self, const ee_schema_keyword *keyword, const ee_value *value,
                                   wanted *list) {
  if (!ee_schema_applies(keyword, value)) return RANK_INSIDE;
  switch (keyword->kind) {
  case EE_KEYWORD_TYPE:
  case EE_KEYWORD_ENUM:
    if (ee_schema_check_keyword(self->checker, keyword, value, false) == 0) return RANK_INSIDE;
    want(self, list, keyword);
    return keyword->kind == EE_KEYWORD_TYPE ? RANK_TYPE : RANK_CONSTANT;
  case EE_KEYWORD_PROPERTIES:
    for (const ee_value *member = ee_value_child(value); member != NULL; member = ee_value_next(member)) {
      const ee_schema_property *property =
          ee_schema_properties_find(&keyword->as.properties.named, ee_value_key(member));
      if (property != NULL && violates_enum(self, property->schema, member)) return RANK_MEMBER;
    }
    return RANK_INSIDE;
  default: follow(self, keyword, value, gather_for_rank); return RANK_INSIDE;
  }
}

static branch_rank rank_of(explainer *self, const ee_schema_node *branch, const ee_value *value, wanted *list) {
  size_t base = self->open_count;
  branch_rank rank = RANK_INSIDE;
  self->rank_round++;
  gather_for_rank(self, branch);
  for (size_t at = base; at < self->open_count; at++) {
    const ee_schema_node *node = self->open[at];
    if (node->form == EE_SCHEMA_NOTHING) rank = RANK_TYPE;
    for (size_t i = 0; i < node->count; i++) {
      branch_rank found = rank_of_keyword(self, &node->keywords[i], value, list);
      if (found < rank) rank = found;
    }
  }
  self->open_count = base;
  return rank;
}

static bool fits_none(explainer *self, const ee_schema_keyword *keyword, const ee_value *value) {
  for (size_t i = 0; i < keyword->as.list.count; i++) {
    if (ee_schema_check(self->checker, keyword->as.list.items[i], value, false) == 0) return false;
  }
  return true;
}

/* Adds what a branch stands for that says nothing of its own: what it refers to, or the branches of another choice. */
static bool unfold(explainer *self, const ee_schema_node *branch, const ee_value *value) {
  if (branch->count != 1) return false;
  const ee_schema_keyword *keyword = &branch->keywords[0];
  if (keyword->kind == EE_KEYWORD_REF) {
    gather_for_rank(self, keyword->as.schema);
    return true;
  }
  bool choice = keyword->kind == EE_KEYWORD_ANY_OF || keyword->kind == EE_KEYWORD_ONE_OF;
  if (!choice || !fits_none(self, keyword, value)) return false;
  for (size_t i = 0; i < keyword->as.list.count; i++) gather_for_rank(self, keyword->as.list.items[i]);
  return true;
}

/* All branches, those of choices that are branches in their place; none twice. In the arena. */
static ee_schema_list find_branches(explainer *self, const ee_schema_list *list, const ee_value *value) {
  size_t base = self->open_count, count = 0;
  self->rank_round++;
  for (size_t i = 0; i < list->count; i++) gather_for_rank(self, list->items[i]);
  const ee_schema_node **branches = NULL;
  size_t room = 0;
  for (size_t at = base; at < self->open_count; at++) {
    const ee_schema_node *branch = self->open[at];
    if (unfold(self, branch, value)) continue;
    if (count == room) {
      const ee_schema_node **larger = EE_NEW_ARRAY(self->checker->arena, const ee_schema_node *, room * 2 + 8);
      if (count > 0) memcpy(larger, branches, count * sizeof *larger);
      branches = larger;
      room = room * 2 + 8;
    }
    branches[count++] = branch;
  }
  self->open_count = base;
  return (ee_schema_list){branches, count};
}

/* Of the branches with the best rank the one with the fewest violations, the first of equals. */
static const ee_schema_node *furthest(explainer *self, const ee_schema_list *list, const branch_rank *ranks,
                                      branch_rank best, const ee_value *value) {
  const ee_schema_node *found = NULL;
  uint64_t fewest = 0;
  for (size_t i = 0; i < list->count; i++) {
    if (ranks[i] != best) continue;
    uint64_t count = ee_schema_check(self->checker, list->items[i], value, true);
    if (found != NULL && count >= fewest) continue;
    found = list->items[i];
    fewest = count;
  }
  return found;
}

/* None of the branches fits: what the value should have been at all, or what is wrong in the one that came furthest. */
static void explain_choice(explainer *self, const frame *at, const ee_schema_keyword *keyword) {
  ee_schema_list list = find_branches(self, &keyword->as.list, at->value);
  branch_rank *ranks = EE_NEW_ARRAY(self->checker->arena, branch_rank, list.count);
  branch_rank best = RANK_TYPE;
  wanted wants = {0};
  for (size_t i = 0; i < list.count; i++) {
    ranks[i] = rank_of(self, list.items[i], at->value, &wants);
    if (ranks[i] > best) best = ranks[i];
  }
  if (best >= RANK_MEMBER) {
    gather(self, furthest(self, &list, ranks, best, at->value));
    return;
  }
  ee_violation *violation = next_violation(self, at, keyword->place);
  if (violation == NULL) return;
  violation->message =
      of_name(self, at, ee_schema_message_expected(self->checker->arena, wants.items, wants.count, at->value));
}

/* Walking -------------------------------------------------------------------------------------- */

static void explain_keyword(explainer *self, const frame *at, const ee_schema_keyword *keyword) {
  if (!ee_schema_applies(keyword, at->value)) return;
  switch (keyword->kind) {
  case EE_KEYWORD_REQUIRED: tell_missing(self, at, &keyword->as.names, keyword->place, (ee_str){NULL, 0}); break;
  case EE_KEYWORD_DEPENDENT_REQUIRED: tell_dependent(self, at, keyword); break;
  case EE_KEYWORD_ALL_OF:
  case EE_KEYWORD_REF:
  case EE_KEYWORD_IF:
  case EE_KEYWORD_DEPENDENT_SCHEMAS: follow(self, keyword, at->value, gather); break;
  case EE_KEYWORD_ITEMS:
  case EE_KEYWORD_PROPERTIES:
  case EE_KEYWORD_PROPERTY_NAMES: break; /* of what is inside */
  case EE_KEYWORD_ANY_OF:
  case EE_KEYWORD_ONE_OF:
    if (fits_none(self, keyword, at->value)) {
      explain_choice(self, at, keyword);
      break;
    }
    if (keyword->kind == EE_KEYWORD_ANY_OF) break;
    /* fall through */
  default:
    if (ee_schema_check_keyword(self->checker, keyword, at->value, false) > 0) tell_keyword(self, at, keyword);
    break;
  }
}

static void explain(explainer *self, const frame *at, size_t base);

static void begin_round(explainer *self) { self->round++; }

static void gather_element(explainer *self, const ee_schema_node *node, uint32_t index) {
  for (size_t i = 0; i < node->count; i++) {
    const ee_schema_keyword *keyword = &node->keywords[i];
    if (keyword->kind != EE_KEYWORD_ITEMS) continue;
    const ee_schema_list *prefix = &keyword->as.items.prefix;
    const ee_schema_node *schema = index < prefix->count ? prefix->items[index] : keyword->as.items.rest;
    if (schema != NULL) gather(self, schema);
  }
}

static void gather_member(explainer *self, const ee_schema_node *node, const ee_value *member) {
  for (size_t i = 0; i < node->count; i++) {
    const ee_schema_keyword *keyword = &node->keywords[i];
    if (keyword->kind != EE_KEYWORD_PROPERTIES) continue;
    const ee_schema_property *property = ee_schema_properties_find(&keyword->as.properties.named, ee_value_key(member));
    if (property != NULL) gather(self, property->schema);
    bool known = property != NULL;
    for (size_t j = 0; j < keyword->as.properties.pattern_count; j++) {
      const ee_schema_matcher *pattern = &keyword->as.properties.patterns[j];
      if (ee_schema_search(self->checker, pattern, ee_value_key(member), member) != EE_PATTERN_FOUND) continue;
      gather(self, pattern->schema);
      known = true;
    }
    if (!known && keyword->as.properties.rest != NULL) gather(self, keyword->as.properties.rest);
  }
}

static void explain_elements(explainer *self, const frame *at, size_t base, size_t end) {
  frame below = {.above = at};
  const ee_value *element = ee_value_child(at->value);
  for (; element != NULL; element = ee_value_next(element), below.index++) {
    begin_round(self);
    for (size_t i = base; i < end; i++) gather_element(self, self->open[i], below.index);
    below.value = element;
    if (self->open_count > end) explain(self, &below, end);
    self->open_count = end;
  }
}

/* The names of members are asked before their values. */
static void explain_name(explainer *self, const frame *at, const ee_value *member, size_t base, size_t end) {
  begin_round(self);
  for (size_t i = base; i < end; i++) {
    const ee_schema_node *node = self->open[i];
    for (size_t j = 0; j < node->count; j++) {
      if (node->keywords[j].kind == EE_KEYWORD_PROPERTY_NAMES) gather(self, node->keywords[j].as.schema);
    }
  }
  frame below = {.above = at, .key = ee_value_key(member), .is_name = true};
  if (self->open_count == end) return;
  below.value = ee_schema_name_value(self->checker, member);
  explain(self, &below, end);
  self->open_count = end;
}

static void explain_members(explainer *self, const frame *at, size_t base, size_t end) {
  frame below = {.above = at};
  for (const ee_value *member = ee_value_child(at->value); member != NULL; member = ee_value_next(member)) {
    explain_name(self, at, member, base, end);
    begin_round(self);
    for (size_t i = base; i < end; i++) gather_member(self, self->open[i], member);
    below.value = member;
    below.key = ee_value_key(member);
    if (self->open_count > end) explain(self, &below, end);
    self->open_count = end;
  }
}

/* The schemas of the value stand from `base` on; more are gathered while they are asked. Recursion is bounded by the
 * instance's nesting. */
static void explain(explainer *self, const frame *at, size_t base) {
  for (size_t i = base; i < self->open_count; i++) {
    const ee_schema_node *node = self->open[i];
    if (node->form == EE_SCHEMA_NOTHING) tell_nothing(self, at, node);
    for (size_t j = 0; j < node->count; j++) explain_keyword(self, at, &node->keywords[j]);
  }
  if (ee_type_of(at->value) == EE_ARRAY) explain_elements(self, at, base, self->open_count);
  if (ee_type_of(at->value) == EE_OBJECT) explain_members(self, at, base, self->open_count);
}

/* The way to `wanted_value`, by its address, as frames in the arena; NULL when it is none of the instance's. */
static const frame *find_frame(ee_arena *arena, const frame *at, const ee_value *wanted_value) {
  if (at->value == wanted_value) return at;
  bool is_object = ee_type_of(at->value) == EE_OBJECT;
  if (!is_object && ee_type_of(at->value) != EE_ARRAY) return NULL;
  frame *below = EE_NEW(arena, frame);
  below->above = at;
  for (const ee_value *child = ee_value_child(at->value); child != NULL; child = ee_value_next(child)) {
    below->value = child;
    if (is_object) below->key = ee_value_key(child);
    const frame *found = find_frame(arena, below, wanted_value);
    if (found != NULL) return found;
    below->index++;
  }
  return NULL;
}

/* What could not be decided, unless it was told in its place. */
static void tell_trouble(explainer *self, const frame *root) {
  ee_schema_checker *checker = self->checker;
  if (checker->trouble == EE_SCHEMA_DECIDED || self->told_trouble) return;
  const frame *at = find_frame(checker->arena, root, checker->trouble_value);
  ee_violation *violation = next_violation(self, at != NULL ? at : root, checker->trouble_keyword);
  if (violation != NULL) violation->message = ee_schema_message_trouble(checker->arena, checker->trouble);
}

static void explain_root(ee_schema_checker *checker, const ee_value *instance, ee_violation *violations,
                         ee_schema_result *result) {
  explainer self = {.checker = checker, .result = result, .violations = violations};
  self.marks = EE_NEW_ARRAY(checker->arena, uint32_t, checker->schema->node_count);
  self.rank_marks = EE_NEW_ARRAY(checker->arena, uint32_t, checker->schema->node_count);
  frame root = {.value = instance};
  begin_round(&self);
  gather(&self, checker->schema->root);
  explain(&self, &root, 0);
  tell_trouble(&self, &root);
}

void ee_json_schema_validate(const ee_json_schema *schema, const ee_value *instance, ee_arena *arena,
                             ee_schema_result *result) {
  *result = (ee_schema_result){.valid = true};
  const ee_schema_node *root = schema->root;
  if (instance == NULL && root->form == EE_SCHEMA_KEYWORDS && root->count == 0) return;
  ee_schema_checker checker = {.schema = schema, .arena = arena, .memo = {.arena = arena}};
  bool fits = instance != NULL && ee_schema_check(&checker, root, instance, false) == 0;
  if (fits && checker.trouble == EE_SCHEMA_DECIDED) return;
  ee_violation *violations = EE_NEW_ARRAY(arena, ee_violation, EE_VIOLATIONS_LISTED);
  *result = (ee_schema_result){.violations = violations};
  if (instance == NULL) {
    violations[0] = (ee_violation){EE_STR(""), EE_STR(""), EE_STR("missing")};
    result->count = result->total = 1;
    return;
  }
  explain_root(&checker, instance, violations, result);
}
