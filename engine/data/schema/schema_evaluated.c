/* schema_evaluated.c: which elements or members of a value the keywords of a schema look at, for unevaluatedItems and
 * unevaluatedProperties.
 *
 * A schema looks at what its own keywords look at, and at what the schemas look at that it applies to the same value
 * and that the value fits. It is worked out for one schema and one value at a time, when such a keyword asks: what does
 * not ask costs nothing. */
#include "base/work.h"
#include "data/schema/schema_validator.h"

/* Units of work (base/work.h) of a member, beside the searches for patterns. */
#define WORK_MEMBER 40

/* What is marked, and for which round. */
typedef struct marking {
  ee_validator *validator;
  const ee_value *value;
  unsigned char *marks;
  uint64_t round;
} marking;

static void mark_schema(marking *self, const ee_schema_node *node);

static void mark_all(marking *self, size_t count) {
  size_t total = ee_value_count(self->value);
  memset(self->marks, 1, count < total ? count : total);
}

/* Those that fit one of the list, or all of them if the value fits none: then it does not fit the schema either. */
static void mark_choice(marking *self, const ee_schema_list *list) {
  bool fits_one = ee_schema_count_fitting(self->validator, list, self->value, 1) > 0;
  for (size_t i = 0; i < list->count; i++)
    if (!fits_one || ee_schema_fits(self->validator, list->items[i], self->value)) mark_schema(self, list->items[i]);
}

static void mark_condition(marking *self, const ee_schema_keyword *keyword) {
  const ee_schema_node *condition = keyword->as.conditional.condition;
  bool holds = ee_schema_fits(self->validator, condition, self->value);
  const ee_schema_node *chosen = holds ? keyword->as.conditional.then : keyword->as.conditional.otherwise;
  if (holds) mark_schema(self, condition);
  if (chosen != NULL) mark_schema(self, chosen);
}

static void mark_contained(marking *self, const ee_schema_keyword *keyword) {
  size_t index = 0;
  for (const ee_value *item = ee_value_child(self->value); item != NULL; item = ee_value_next(item), index++)
    if (!self->marks[index] && ee_schema_fits(self->validator, keyword->as.contains.schema, item))
      self->marks[index] = 1;
}

static void mark_members(marking *self, const ee_schema_keyword *keyword) {
  if (keyword->as.properties.rest != NULL) {
    mark_all(self, SIZE_MAX);
    return;
  }
  size_t index = 0;
  ee_work(ee_work_product(ee_value_count(self->value), WORK_MEMBER));
  for (const ee_value *item = ee_value_child(self->value); item != NULL; item = ee_value_next(item), index++) {
    bool found = ee_schema_properties_find(&keyword->as.properties.named, ee_value_key(item)) != NULL;
    for (size_t i = 0; i < keyword->as.properties.pattern_count && !found && !self->marks[index]; i++)
      found = ee_schema_search(self->validator, &keyword->as.properties.patterns[i], ee_value_key(item), item) ==
              EE_PATTERN_FOUND;
    if (found) self->marks[index] = 1;
  }
}

static void mark_keyword(marking *self, const ee_schema_keyword *keyword) {
  switch (keyword->kind) {
  case EE_KEYWORD_PROPERTIES: mark_members(self, keyword); break;
  case EE_KEYWORD_ITEMS:
    mark_all(self, keyword->as.items.rest != NULL ? SIZE_MAX : keyword->as.items.prefix.count);
    break;
  case EE_KEYWORD_CONTAINS:
    if (keyword->as.contains.evaluates) mark_contained(self, keyword);
    break;
  case EE_KEYWORD_ANY_OF:
  case EE_KEYWORD_ONE_OF: mark_choice(self, &keyword->as.list); break;
  case EE_KEYWORD_IF: mark_condition(self, keyword); break;
  case EE_KEYWORD_REF: mark_schema(self, keyword->as.schema); break;
  case EE_KEYWORD_ALL_OF:
    for (size_t i = 0; i < keyword->as.list.count; i++) mark_schema(self, keyword->as.list.items[i]);
    break;
  case EE_KEYWORD_DEPENDENT_SCHEMAS:
    for (size_t i = 0; i < keyword->as.dependent.count; i++) {
      const ee_schema_property *property = &keyword->as.dependent.items[i];
      if (ee_value_member(self->value, property->name, NULL) != NULL) mark_schema(self, property->schema);
    }
    break;
  default: break;
  }
}

/* Of a schema that is visited twice in a round the second visit would mark the same. */
static void mark_schema(marking *self, const ee_schema_node *node) {
  ee_validator *validator = self->validator;
  if (validator->mark_rounds[node->id] == self->round) return;
  if (validator->depth >= EE_SCHEMA_DEPTH) {
    ee_schema_note_undecided(validator, EE_TOO_DEEP, node->place, self->value);
    return;
  }
  validator->mark_rounds[node->id] = self->round;
  ee_work(WORK_MEMBER);
  validator->depth++;
  for (size_t i = 0; i < node->count; i++) {
    const ee_schema_keyword *keyword = &node->keywords[i];
    if (!ee_schema_applies(keyword, self->value)) continue;
    if (ee_schema_is_unevaluated(keyword))
      mark_all(self, SIZE_MAX);
    else
      mark_keyword(self, keyword);
  }
  validator->depth--;
}

const unsigned char *ee_schema_evaluated(ee_validator *self, const ee_schema_node *node, const ee_value *value) {
  if (self->mark_rounds == NULL) self->mark_rounds = EE_NEW_ARRAY(self->arena, uint64_t, self->schema->node_count);
  marking marks = {.validator = self,
                   .value = value,
                   .marks = EE_NEW_ARRAY(self->arena, unsigned char, (size_t)ee_value_count(value) + 1),
                   .round = ++self->mark_round};
  self->mark_rounds[node->id] = marks.round;
  for (size_t i = 0; i < node->count; i++) {
    const ee_schema_keyword *keyword = &node->keywords[i];
    if (!ee_schema_is_unevaluated(keyword) && ee_schema_applies(keyword, value)) mark_keyword(&marks, keyword);
  }
  return marks.marks;
}
