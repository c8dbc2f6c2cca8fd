/* random_rules.h: random rule trees for the documents of support/documents.h, as plan_fixture.h reads them.
 *
 * A header of ee.fields in which every built-in strategy can stand, and ee.line_items by every method, with declared
 * fields and with the keys of the data. */
#ifndef EE_TESTS_JUDGE_RANDOM_RULES_H
#define EE_TESTS_JUDGE_RANDOM_RULES_H

#include "judge/plan_fixture.h"
#include "support/documents.h"

enum { RULES_HEADER = 0, RULES_LISTS = 7, RULES_FIELDS = TEST_SLOTS + 1, RULES_ROWS = TEST_SLOTS };

/* What a test must know about a field. */
typedef struct rules_field {
  const char *text; /* the strategy and its options: "exact","weight":2 */
  const char *more; /* what stands behind the path among the items: ,{"function":0} */
  double weight;
  bool required, judged;
} rules_field;

/* Score fields of a list; none: the keys of the data. */
typedef struct rules_list {
  const char *name, *match;
  const char *score; /* its options, with a comma in front */
  bool strict;       /* the score is one of F1: every wrong value costs */
  rules_field cells[TEST_CELLS];
  bool has_cell[TEST_CELLS];
  bool automatic;
} rules_list;

typedef struct random_rules {
  rules_field fields[RULES_FIELDS]; /* one a slot; the last for rows[*].value */
  bool has_field[RULES_FIELDS];
  const char *aggregate, *tn, *unexpected;
  rules_list lists[RULES_LISTS];
} random_rules;

#define RULES_PICK(random, ...)                                                                                        \
  ((const char *const[]){                                                                                              \
      __VA_ARGS__})[test_random_below((random), sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))]

/* A strategy with its options. `slot` is TEST_CODE where a pattern may stand. */
static inline rules_field rules_field_make(test_random *random, ee_arena *arena, size_t slot, bool conditions) {
  rules_field field = {.more = "", .required = true, .judged = true, .weight = 1};
  switch (test_random_below(random, 9)) {
  case 0: field.text = RULES_PICK(random, "\"exact\"", "\"exact\",\"normalize\":[\"trim\",\"casefold\"]"); break;
  case 1:
    field.text = RULES_PICK(random, "\"numeric\"", "\"numeric\",\"tolerance\":0.01",
                            "\"numeric\",\"tolerance\":0.05,\"relative\":true",
                            "\"numeric\",\"tolerance\":1,\"score\":\"linear\"",
                            "\"numeric\",\"score\":\"linear\",\"threshold\":0.9", "\"numeric\",\"format\":\"money\"");
    break;
  case 2:
    field.text = RULES_PICK(random, "\"date\"", "\"date\",\"tolerance_days\":1",
                            "\"date\",\"formats\":[\"YYYY-MM-DD\",\"DD-MMM-YYYY\",\"DD/MM/YYYY\"]");
    break;
  case 3:
    field.text = ee_arena_printf(
        arena, "\"fuzzy\",\"algorithm\":\"%s\",\"threshold\":%s,\"score\":\"%s\"",
        RULES_PICK(random, "levenshtein", "jaro_winkler", "token_sort", "token_set", "token_f1", "ratio"),
        RULES_PICK(random, "0.5", "0.85", "1"), RULES_PICK(random, "match", "similarity"));
    break;
  case 4:
    field.text = "\"one_of\",\"normalize\":\"trim\"";
    field.more = ",\"EUR\",\"ocean\",2,true";
    break;
  case 5:
    field.text = RULES_PICK(random, "\"set\"", "\"set\",\"threshold\":0.5", "\"set\",\"score\":\"all_or_nothing\"",
                            "\"set\",\"normalize\":[\"trim\",\"casefold\"]");
    break;
  case 6: field.text = "\"auto\""; break;
  case 7:
    field.text = RULES_PICK(random, "\"custom\"", "\"custom\",\"threshold\":0.5");
    field.more = ",{\"function\":0}";
    break;
  default:
    field.text = slot == TEST_CODE ? "\"pattern\"" : "\"exact\",\"normalize\":{\"function\":0}";
    field.more = slot == TEST_CODE ? ",\"INV-\"" : "";
    break;
  }
  if (test_random_below(random, 3) == 0) {
    field.weight = (double)(1 + test_random_below(random, 4)) / 2;
    field.text = ee_arena_printf(arena, "%s,\"weight\":%g", field.text, field.weight);
  }
  if (test_random_below(random, 5) == 0) {
    field.required = false;
    field.text = ee_arena_printf(arena, "%s,\"required\":false", field.text);
  }
  if (conditions && test_random_below(random, 10) == 0) {
    field.judged = test_random_below(random, 2) == 0;
    field.text = ee_arena_printf(arena, "%s,\"when\":{\"function\":%d}", field.text, field.judged ? 1 : 0);
  }
  return field;
}

static inline void rules_make(test_random *random, ee_arena *arena, random_rules *rules) {
  static const char *const names[RULES_LISTS] = {"greedy", "strategies", "key", "index", "fields", "auto", "optimal"};
  rules->aggregate =
      RULES_PICK(random, "weighted_average", "weighted_average", "all_or_nothing", "macro_f1", "micro_f1");
  rules->tn = RULES_PICK(random, "score", "skip");
  rules->unexpected = RULES_PICK(random, "fail", "skip", "pass");
  for (size_t i = 0; i < RULES_FIELDS; i++) {
    rules->has_field[i] = i == TEST_CODE || test_random_below(random, 4) != 0;
    rules->fields[i] = rules_field_make(random, arena, i, i != TEST_CODE);
  }
  for (size_t i = 0; i < RULES_LISTS; i++) {
    rules_list *list = &rules->lists[i];
    list->name = names[i];
    list->automatic = strcmp(names[i], "auto") == 0;
    list->score = RULES_PICK(
        random, "", "", ",\"score\":\"micro_f1\"", ",\"score\":\"coverage\"", ",\"score\":\"mean\",\"of\":\"union\"",
        ",\"score\":\"mean\",\"of\":\"longer\",\"clip\":0.4", ",\"score\":\"mean\",\"of\":\"expected\"");
    list->strict = *list->score == '\0' || strstr(list->score, "f1") != NULL;
    for (size_t k = 0; k < TEST_CELLS; k++) {
      list->has_cell[k] = !list->automatic && (k == TEST_DESCRIPTION || test_random_below(random, 3) != 0);
      list->cells[k] = rules_field_make(random, arena, TEST_SLOTS, k != TEST_DESCRIPTION);
    }
  }
  rules->lists[0].match =
      RULES_PICK(random, "null", "[\"description\"]", "{\"items\":[\"description\"],\"threshold\":0.5}",
                 "{\"items\":[\"description\",\"sku\"],\"threshold\":0.6}", "{\"items\":[\"price\"]}");
  rules->lists[1].match = RULES_PICK(
      random, "[{\"ee\":\"date\",\"items\":[\"delivered\"]},{\"ee\":\"exact\",\"items\":[\"sku\"],\"weight\":2}]",
      "{\"threshold\":0.4,\"items\":[\"description\",{\"ee\":\"numeric\",\"items\":[\"price\"],\"tolerance\":1}]}",
      "{\"items\":[{\"ee\":\"custom\",\"items\":[\"note\",{\"function\":0}]},\"quantity\"],\"threshold\":0.5}",
      "{\"items\":[{\"ee\":\"fuzzy\",\"items\":[\"description\"],\"score\":\"similarity\",\"required\":false}]}");
  rules->lists[2].match =
      RULES_PICK(random, "{\"method\":\"key\",\"key\":\"sku\"}", "{\"items\":[\"quantity\"],\"method\":\"key\"}");
  rules->lists[3].match = "{\"method\":\"index\"}";
  rules->lists[4].match = "\"fields\"";
  rules->lists[5].match = RULES_PICK(random, "\"fields\"", "\"description\"", "{\"items\":[\"sku\",\"note\"]}");
  rules->lists[6].match = RULES_PICK(
      random, "{\"method\":\"optimal\"}",
      "{\"items\":[\"description\",\"sku\"],\"threshold\":0.6,\"method\":\"optimal\"}",
      "{\"threshold\":0.4,\"method\":\"optimal\",\"items\":[\"description\",{\"ee\":\"numeric\",\"items\":[\"price\"],"
      "\"tolerance\":1}]}",
      "{\"score_fields\":true,\"threshold\":0.3,\"method\":\"optimal\"}");
}

static inline void rules_print_field(const rules_field *field, const char *prefix, const char *path, ee_buffer *out) {
  ee_buffer_addf(out, ",{\"ee\":%s,\"items\":[\"%s%s\"%s]}", field->text, prefix, path, field->more);
}

static inline void rules_print_list(const rules_list *list, const char *prefix, ee_buffer *out) {
  ee_buffer_addf(out, ",{\"ee\":\"line_items\",\"name\":\"%s\"", list->name);
  ee_buffer_add_text(out, list->score);
  if (strcmp(list->match, "null") != 0) ee_buffer_addf(out, ",\"match\":%s", list->match);
  ee_buffer_addf(out, ",\"items\":[\"%sitems\"", prefix);
  for (size_t k = 0; k < TEST_CELLS; k++) {
    if (list->has_cell[k]) rules_print_field(&list->cells[k], "", test_cell_names[k], out);
  }
  ee_buffer_add_text(out, "]}");
}

/* The tree, with `prefix` before the path of everything in the document. */
static inline void rules_print(const random_rules *rules, const char *prefix, ee_buffer *out) {
  ee_buffer_addf(
      out,
      "{\"ee\":\"rules\",\"null_values\":" TEST_NULL_VALUES ",\"items\":[{\"ee\":\"fields\",\"name\":\"header\","
      "\"aggregate\":\"%s\",\"tn\":\"%s\",\"on_unexpected\":\"%s\",\"items\":[{\"ee\":\"ignore\",\"items\":[\"x\"]}",
      rules->aggregate, rules->tn, rules->unexpected);
  for (size_t i = 0; i < RULES_FIELDS; i++) {
    const char *path = i == RULES_ROWS ? "rows[*].value" : test_slot_paths[i];
    if (rules->has_field[i]) rules_print_field(&rules->fields[i], prefix, path, out);
  }
  ee_buffer_add_text(out, "]}");
  for (size_t i = 0; i < RULES_LISTS; i++) rules_print_list(&rules->lists[i], prefix, out);
  ee_buffer_add_text(out, "]}");
}

#endif
