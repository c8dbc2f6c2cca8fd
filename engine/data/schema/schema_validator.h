/* schema_validator.h: what the files that validate share; private to them.
 *
 * Two walks share the rules of the keywords. ee_schema_count_violations() (schema_validate.c) follows the schema; it
 * stops at the first violation unless all are counted, and memoizes, so that a validation costs at most the schema's
 * size times the instance's. Only when the instance does not fit, ee_schema_explain() (schema_explain.c) follows the
 * instance with all schemas that apply to a value at once: so violations come in the order of the instance's document,
 * and a schema that several keywords apply to one value is reported once. schema_evaluated.c is for
 * unevaluatedProperties and unevaluatedItems in both. */
#ifndef EE_DATA_SCHEMA_SCHEMA_VALIDATOR_H
#define EE_DATA_SCHEMA_SCHEMA_VALIDATOR_H

#include "base/list.h"
#include "data/schema/schema_node.h"

typedef enum ee_undecided { EE_DECIDED, EE_PATTERN_UNDECIDED, EE_TOO_DEEP } ee_undecided;

typedef struct ee_validator {
  const ee_json_schema *schema;
  ee_arena *arena;
  ee_pattern_matcher *matcher; /* NULL until a pattern is met */
  ee_schema_memo memo;
  unsigned depth;
  /* The first thing that could not be decided. The instance then does not fit. */
  ee_undecided undecided;
  const ee_schema_place *undecided_keyword;
  const ee_value *undecided_value;
  /* For schema_evaluated.c: by a schema's id the round in which it was visited last; NULL until needed. */
  uint64_t *mark_rounds;
  uint64_t mark_round;
  struct schema_report *report; /* of schema_explain.c */
} ee_validator;

void ee_schema_note_undecided(ee_validator *self, ee_undecided reason, const ee_schema_place *keyword,
                              const ee_value *value);

static inline bool ee_schema_applies(const ee_schema_keyword *keyword, const ee_value *value) {
  return (keyword->applies & EE_TYPE_BIT(ee_type_of(value))) != 0;
}

static inline uint64_t ee_schema_characters(const ee_value *text) {
  return ee_utf8_count(text->json.valuestring, text->length);
}

/* Keywords ------------------------------------------------------------------------------------- */

/* Whether `text`, which is or names `value`, has the pattern. A search that is given up counts as no match. */
ee_pattern_found ee_schema_search(ee_validator *self, const ee_schema_matcher *matcher, ee_str text,
                                  const ee_value *value);

/* The index of the first name from `from` on that `object` has no member of; the number of names when it has all. */
size_t ee_schema_next_missing(const ee_schema_names *names, size_t from, const ee_value *object);

/* The indexes of the first two elements that are equal; false when there are none. O(n log n). */
bool ee_schema_find_equal(ee_validator *self, const ee_value *array, size_t *first, size_t *second);

/* The number of elements that fit the schema of `contains`. */
uint64_t ee_schema_count_contained(ee_validator *self, const ee_schema_keyword *keyword, const ee_value *array);

/* The number of schemas in the list that `value` fits, up to `limit`. */
size_t ee_schema_count_fitting(ee_validator *self, const ee_schema_list *list, const ee_value *value, size_t limit);

static inline bool ee_schema_is_unevaluated(const ee_schema_keyword *keyword) {
  return keyword->kind == EE_KEYWORD_UNEVALUATED_ITEMS || keyword->kind == EE_KEYWORD_UNEVALUATED_PROPERTIES;
}

/* The number of violations of one keyword other than those, which must apply to the value's type; with `all` false 1
 * for any number. */
uint64_t ee_schema_count_keyword(ee_validator *self, const ee_schema_keyword *keyword, const ee_value *value, bool all);

/* The same of a schema: 0 when `value` fits. */
uint64_t ee_schema_count_violations(ee_validator *self, const ee_schema_node *node, const ee_value *value, bool all);

static inline bool ee_schema_fits(ee_validator *self, const ee_schema_node *node, const ee_value *value) {
  return ee_schema_count_violations(self, node, value, false) == 0;
}

/* A member's name as a value, for propertyNames. */
ee_value *ee_schema_name_as_value(ee_validator *self, const ee_value *member);

/* What is evaluated (schema_evaluated.c) -------------------------------------------------------- */

/* The elements or members of `value` that keywords of `node`, other than the unevaluated... ones, look at: a byte of 1
 * each, in the arena. If the value does not fit a schema that looks at them, they may count as well: then it does not
 * fit `node` either. */
const unsigned char *ee_schema_evaluated(ee_validator *self, const ee_schema_node *node, const ee_value *value);

/* Why an instance does not fit (schema_explain.c) ----------------------------------------------- */

void ee_schema_explain(ee_validator *self, const ee_value *instance, ee_schema_result *result);

/* Which schemas a keyword applies -------------------------------------------------------------- */

/* Counts, or collects and returns 0. With `all` false the result may be 1 for any number. */
typedef uint64_t ee_visit_schema(ee_validator *self, const ee_schema_node *node, const ee_value *value, bool all);

/* Visits the schemas that `keyword` applies to `value` itself and that all must fit. Like the two functions below it
 * returns the sum of the results and ends at the first that is not 0 unless `all` is set. */
static inline uint64_t ee_schema_visit_same_value(ee_validator *self, const ee_schema_keyword *keyword,
                                                  const ee_value *value, bool all, ee_visit_schema *visit) {
  uint64_t count = 0;
  switch (keyword->kind) {
  case EE_KEYWORD_REF: return visit(self, keyword->as.schema, value, all);
  case EE_KEYWORD_ALL_OF:
    for (size_t i = 0; i < keyword->as.list.count && (count == 0 || all); i++)
      count += visit(self, keyword->as.list.items[i], value, all);
    return count;
  case EE_KEYWORD_IF: {
    if (keyword->as.conditional.then == NULL && keyword->as.conditional.otherwise == NULL) return 0;
    bool condition = ee_schema_fits(self, keyword->as.conditional.condition, value);
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
static inline uint64_t ee_schema_visit_member(ee_validator *self, const ee_schema_keyword *keyword,
                                              const ee_value *member, bool all, ee_visit_schema *visit) {
  uint64_t count = 0;
  const ee_schema_property *property = ee_schema_properties_find(&keyword->as.properties.named, ee_value_key(member));
  bool is_named = property != NULL;
  if (is_named) count += visit(self, property->schema, member, all);
  for (size_t i = 0; i < keyword->as.properties.pattern_count && (count == 0 || all); i++) {
    const ee_schema_matcher *pattern = &keyword->as.properties.patterns[i];
    if (ee_schema_search(self, pattern, ee_value_key(member), member) != EE_PATTERN_FOUND) continue;
    is_named = true;
    count += visit(self, pattern->schema, member, all);
  }
  if (!is_named && keyword->as.properties.rest != NULL) count += visit(self, keyword->as.properties.rest, member, all);
  return count;
}

/* The schema that prefixItems and items apply to an element, or NULL. */
static inline const ee_schema_node *ee_schema_of_element(const ee_schema_keyword *keyword, size_t index) {
  const ee_schema_list *prefix = &keyword->as.items.prefix;
  return index < prefix->count ? prefix->items[index] : keyword->as.items.rest;
}

#endif
