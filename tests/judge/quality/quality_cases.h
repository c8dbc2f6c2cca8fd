/* quality_cases.h: random objects, configurations of ee.quality, and the judge run on them. */
#ifndef EE_TESTS_JUDGE_QUALITY_CASES_H
#define EE_TESTS_JUDGE_QUALITY_CASES_H

#include "judge/provider_session.h"
#include "judge/quality/quality_twin.h"
#include "support/random.h"

/* Values --------------------------------------------------------------------------------------- */

/* JSON texts; neighbours are easily taken for one another. */
static const char *const case_scalars[] = {
    "1",
    "1.0",
    "\"1\"",
    "true",
    "\"True\"",
    "\"TRUE\"",
    "\"true\"",
    "false",
    "\"False\"",
    "0",
    "-1",
    "\"-1\"",
    "7",
    "\"7\"",
    "\"007\"",
    "100",
    "\"100\"",
    "\" 100 \"",
    "\"100.0\"",
    "100.50",
    "\"100.5\"",
    "1e3",
    "1000",
    "\"1e3\"",
    "\"1000\"",
    "12.5",
    "\"12.50\"",
    "\"12.5\"",
    "9007199254740993",
    "9007199254740992",
    "\"9007199254740993\"",
    "\"2025-01-15\"",
    "\"15-JAN-2025\"",
    "\"15-jan-2025\"",
    "\"Jan 15, 2025\"",
    "\"2025-02-30\"",
    "\"03/04/2025\"",
    "\"31/12/2025\"",
    "\"John@X.com\"",
    "\"john@x.com\"",
    "\"john@x,com\"",
    "\"a@b@c.de\"",
    "\"a b@c.de\"",
    "\"@x.com\"",
    "\"a@.com\"",
    "\"a@x.com.\"",
    "\"John Smith\"",
    "\"john smith\"",
    "\" John Smith\"",
    "\"John Smyth\"",
    "\"Jon Smyth\"",
    "\"Straße\"",
    "\"STRASSE\"",
    "\"Strasse 1\"",
    "\"Élan\"",
    "\"élan\"",
    "\"ÉLAN\xc2\xa0\"",
    "\"ΣΑΣ\"",
    "\"σΑς\"",
    "\"abc\"",
    "\"ABC\"",
    "\"abd\"",
    "\"a\"",
    "\"N/A\"",
    "\"-\"",
    "\" N/A \"",
    "\"n/a\"",
    "null",
    "\"\"",
    "\"  \"",
    "\"\xc2\xa0\"",
};
static const char *const case_containers[] = {
    "[]",
    "\"[]\"",
    "{}",
    "{\"x\":null}",
    "\"{}\"",
    "[1,2]",
    "[1.0,2]",
    "[2,1]",
    "\"[1,2]\"",
    "[\"A\",\"b\"]",
    "[\"a\",\"B\"]",
    "[\"A\",null]",
    "{\"x\":1,\"y\":2}",
    "{\"y\":2.0,\"x\":1}",
    "\"{\\\"x\\\":1,\\\"y\\\":2}\"",
    "{\"x\":1,\"y\":2,\"z\":null}",
    "{\"x\":1,\"y\":\"2\"}",
    "{\"x\":\"A\"}",
    "{\"X\":\"a\"}",
};
enum {
  CASE_SCALARS = sizeof case_scalars / sizeof *case_scalars,
  CASE_CONTAINERS = sizeof case_containers / sizeof *case_containers
};

/* What those texts are that are not just text. */
static const twin_text case_texts[] = {
    {"1", "number"},
    {"-1", "number"},
    {"7", "number"},
    {"007", "number"},
    {"100", "number"},
    {" 100 ", "number"},
    {"100.0", "number"},
    {"100.5", "number"},
    {"1e3", "number"},
    {"1000", "number"},
    {"12.50", "number"},
    {"12.5", "number"},
    {"9007199254740993", "number"},
    {"True", "boolean"},
    {"TRUE", "boolean"},
    {"true", "boolean"},
    {"False", "boolean"},
    {"2025-01-15", "date"},
    {"15-JAN-2025", "date"},
    {"15-jan-2025", "date"},
    {"Jan 15, 2025", "date"},
    {"31/12/2025", "date"},
    {"John@X.com", "email"},
    {"john@x.com", "email"},
    {"a@x.com.", "email"},
    {NULL, NULL},
};

static inline bool case_chance(test_random *random, size_t percent) { return test_random_below(random, 100) < percent; }

static inline const char *case_value(test_random *random, bool containers) {
  if (containers && case_chance(random, 20)) return case_containers[test_random_below(random, CASE_CONTAINERS)];
  return case_scalars[test_random_below(random, CASE_SCALARS)];
}

/* A value near `value` in the tables. */
static inline const char *case_neighbour(test_random *random, const char *value) {
  size_t step = 1 + test_random_below(random, 3);
  for (size_t i = 0; i < CASE_SCALARS; i++) {
    if (strcmp(case_scalars[i], value) == 0) return case_scalars[(i + (CASE_SCALARS - 2) + step) % CASE_SCALARS];
  }
  for (size_t i = 0; i < CASE_CONTAINERS; i++) {
    if (strcmp(case_containers[i], value) == 0)
      return case_containers[(i + (CASE_CONTAINERS - 2) + step) % CASE_CONTAINERS];
  }
  return value;
}

/* Objects -------------------------------------------------------------------------------------- */

static const char *const case_keys[] = {"a", "b", "c", "d", "e", "f", "Key", "key", "x.y", ""};
enum { CASE_KEYS = sizeof case_keys / sizeof *case_keys };

/* JSON texts by key; NULL: the key is not there. */
typedef struct case_object {
  const char *values[CASE_KEYS];
} case_object;

/* Appends the object; `order` shuffles its keys, NULL does not. */
static inline void case_print(const case_object *object, test_random *order, ee_buffer *out) {
  size_t keys[CASE_KEYS] = {0};
  for (size_t i = 0; i < CASE_KEYS; i++) {
    size_t at = order == NULL ? i : test_random_below(order, i + 1);
    keys[i] = keys[at];
    keys[at] = i;
  }
  ee_buffer_add_char(out, '{');
  bool first = true;
  for (size_t i = 0; i < CASE_KEYS; i++) {
    if (object->values[keys[i]] == NULL) continue;
    ee_buffer_addf(out, "%s\"%s\":%s", first ? "" : ",", case_keys[keys[i]], object->values[keys[i]]);
    first = false;
  }
  ee_buffer_add_char(out, '}');
}

/* Two objects of plain values and small containers. */
static inline void case_make(test_random *random, bool containers, case_object *expected, case_object *candidate) {
  size_t present = 30 + test_random_below(random, 70), wrong = test_random_below(random, 80);
  for (size_t i = 0; i < CASE_KEYS; i++) {
    expected->values[i] = case_chance(random, present) ? case_value(random, containers) : NULL;
    candidate->values[i] = expected->values[i];
    if (expected->values[i] == NULL) {
      candidate->values[i] = case_chance(random, 25) ? case_value(random, containers) : NULL;
    } else if (case_chance(random, wrong)) {
      candidate->values[i] = case_chance(random, 60)   ? case_neighbour(random, expected->values[i])
                             : case_chance(random, 50) ? case_value(random, containers)
                                                       : NULL;
    }
  }
}

/* Documents for depth = "leaves" --------------------------------------------------------------- */

/* Values of two places that nobody can pair in two ways: objects go on, lists hold elements that are equal or alike or
 * have nothing in common, and empty containers stand against what is empty or equal only. */
typedef struct case_pair {
  test_random *random;
  ee_arena *arena;
  unsigned tags; /* numbers what occurs once */
} case_pair;

static inline const char *case_leaf(const case_pair *pair) {
  return case_chance(pair->random, 4) ? (case_chance(pair->random, 50) ? "[]" : "{}") : case_value(pair->random, false);
}

/* Two versions of one element: equal, alike, of other empty members, or too different. Every tag has a letter of its
 * own, so that two tags are never alike. */
static inline void case_element(case_pair *pair, const char *versions[2]) {
  unsigned tag = ++pair->tags;
  const char letter[] = {(char)0xe4, (char)(0xb8 + tag / 64), (char)(0x80 + tag % 64), '\0'};
  assert_true(tag < 512);
  const char *word = ee_arena_printf(pair->arena, "%s%s%s", letter, letter, letter);
  switch (test_random_below(pair->random, 6)) {
  case 0: {
    static const struct {
      const char *before, *more, *sign, *after;
    } others[] = {{"", "x", "", ""},
                  {"", "", "-", ""},
                  {"", "", "", ",\"e\":null"},
                  {"", "x", "-", ""},
                  {"\"e\":\" \",", "", "", ""},
                  {"", "x", "", ",\"e\":null"}};
    size_t which = test_random_below(pair->random, 6);
    versions[0] = ee_arena_printf(pair->arena, "{\"id\":\"%s\",\"n\":%u}", word, tag);
    versions[1] = ee_arena_printf(pair->arena, "{%s\"id\":\"%s%s\",\"n\":%s%u%s}", others[which].before, word,
                                  others[which].more, others[which].sign, tag, others[which].after);
    break;
  }
  case 1:
    versions[0] = ee_arena_printf(pair->arena, "{\"id\":%u,\"in\":{\"deep\":\"%s\"}}", tag, word);
    versions[1] = ee_arena_printf(pair->arena, "{\"id\":%u,\"in\":{\"e\":\"\",\"deep\":\"%s\"}}", tag, word);
    break;
  case 2: versions[0] = versions[1] = ee_arena_printf(pair->arena, "{\"only%u\":true}", tag); break;
  case 3: versions[0] = versions[1] = ee_arena_printf(pair->arena, "%u.5", tag); break;
  case 4:
    versions[0] = "null";
    versions[1] = "\" \"";
    break;
  default:
    versions[0] = ee_arena_printf(pair->arena, "\"%s\"", word);
    versions[1] = ee_arena_printf(pair->arena, case_chance(pair->random, 70) ? "\" %sX\"" : "\"%sabcd\"", word);
    break;
  }
  if (case_chance(pair->random, 40)) versions[1] = versions[0];
}

/* Two lists in which some elements occur on both sides, some of them doubled, in any order. */
static inline void case_lists(case_pair *pair, const char *texts[2]) {
  const char *items[2][20], *element[2];
  size_t counts[2] = {0};
  for (size_t i = 0, n = 1 + test_random_below(pair->random, 5); i < n; i++) {
    case_element(pair, element);
    size_t which = test_random_below(pair->random, 6);
    if (which != 0) items[0][counts[0]++] = element[0];
    if (which != 1) items[1][counts[1]++] = element[1];
    if (which == 2) items[0][counts[0]++] = element[0];
    if (which == 3) items[0][counts[0]++] = element[1];
    if (which == 3 && i % 2 == 0) items[1][counts[1]++] = element[0];
  }
  for (size_t side = 0; side < 2; side++) {
    if (counts[side] == 0) {
      case_element(pair, element);
      items[side][counts[side]++] = element[0];
    }
    texts[side] = "[";
    for (size_t i = 0; i < counts[side]; i++) {
      size_t other = i + test_random_below(pair->random, counts[side] - i);
      const char *moved = items[side][other];
      items[side][other] = items[side][i];
      texts[side] = ee_arena_printf(pair->arena, "%s%s%s", texts[side], i == 0 ? "" : ",", moved);
    }
    texts[side] = ee_arena_printf(pair->arena, "%s]", texts[side]);
  }
}

/* Sets both texts; NULL: not there. */
static inline void case_nested(case_pair *pair, size_t depth, const char *texts[2]) {
  test_random *random = pair->random;
  size_t kind = test_random_below(random, depth == 0 ? 4 : 8);
  if (kind < 4) {
    texts[0] = case_chance(random, 80) ? case_leaf(pair) : NULL;
    bool container = texts[0] != NULL && (*texts[0] == '[' || *texts[0] == '{');
    texts[1] = case_chance(random, 50) || container ? texts[0] : case_value(random, false);
    if (case_chance(random, 15)) texts[1] = NULL;
  } else if (kind < 6) {
    texts[0] = texts[1] = "{";
    for (size_t i = 0, n = 1 + test_random_below(random, 4); i < n; i++) {
      const char *members[2];
      case_nested(pair, depth - 1, members);
      for (size_t side = 0; side < 2; side++) {
        if (members[side] == NULL && i == 0) members[side] = members[1 - side] == NULL ? "1" : members[1 - side];
        if (members[side] == NULL) continue;
        const char *comma = texts[side][1] == '\0' ? "" : ",";
        texts[side] = ee_arena_printf(pair->arena, "%s%s\"%s\":%s", texts[side], comma, case_keys[i], members[side]);
      }
    }
    for (size_t side = 0; side < 2; side++) texts[side] = ee_arena_printf(pair->arena, "%s}", texts[side]);
  } else {
    case_lists(pair, texts);
  }
  if (case_chance(random, 5)) texts[test_random_below(random, 2)] = NULL;
  if (depth > 0 && kind >= 4 && case_chance(random, 5)) texts[test_random_below(random, 2)] = "\"a text\"";
  if (depth > 0 && kind >= 4 && case_chance(random, 10))
    texts[test_random_below(random, 2)] = case_chance(random, 50) ? "null" : "\" \"";
}

static inline void case_make_nested(test_random *random, ee_arena *arena, case_object *expected,
                                    case_object *candidate) {
  case_pair pair = {random, arena, 0};
  size_t count = 1 + test_random_below(random, CASE_KEYS);
  for (size_t i = 0; i < CASE_KEYS; i++) {
    const char *texts[2] = {NULL, NULL};
    if (i < count) case_nested(&pair, 2, texts);
    expected->values[i] = texts[0];
    candidate->values[i] = texts[1];
  }
}

/* Configurations ------------------------------------------------------------------------------- */

static inline twin_config case_config(test_random *random, bool leaves) {
  static const char *const paths[] = {"a",    "b",         "c",     "Key",  "x.y",     "",     "unused",
                                      "b.a",  "[\"x.y\"]", "a.b.c", "c[*]", "c[*].id", "b[0]", "d[*].in.deep",
                                      "a[*]", "b.a[*]"};
  twin_config config = {.leaves = leaves};
  size_t choices = leaves ? sizeof paths / sizeof *paths : 7;
  for (size_t i = 0; i < choices && config.count < TWIN_STRATEGIES; i++) {
    if (!case_chance(random, leaves ? 25 : 45)) continue;
    if (leaves && *paths[i] == '\0') continue;
    config.keys[config.count] = paths[i];
    config.strategies[config.count++] = (twin_strategy)test_random_below(random, TWIN_AUTO);
  }
  static const size_t percents[] = {85, 80, 0, 100, 50, 73};
  config.fuzzy_percent = case_chance(random, 50) ? 85 : percents[test_random_below(random, 6)];
  config.semantic_percent = case_chance(random, 50) ? 80 : percents[test_random_below(random, 6)];
  config.similarity = case_chance(random, 30);
  /* Pairs by functions are not beyond doubt: test_quality_leaves.c has them. */
  for (size_t i = 0; i < config.count; i++) {
    const char *list = strstr(config.keys[i], "[*]");
    bool pairs = list != NULL && strstr(list, ".in.") == NULL;
    if (pairs && (config.strategies[i] > TWIN_SEMANTIC || config.similarity)) config.strategies[i] = TWIN_EXACT;
  }
  config.safety = case_chance(random, 20);
  config.formula = case_chance(random, 15);
  config.raises = case_chance(random, 10);
  config.everywhere = case_chance(random, 40);
  config.scaled = !config.formula && case_chance(random, 30);
  config.null_values = case_chance(random, 30);
  config.containers = case_chance(random, 30);
  static const double fallback[TWIN_WEIGHTS] = {0.45, 0.25, 0.15, 0.15};
  for (size_t i = 0; i < TWIN_WEIGHTS; i++) {
    config.weights[i] = case_chance(random, 70) ? fallback[i] : (double)test_random_below(random, 40) / 20;
  }
  if (config.weights[TWIN_WA] + config.weights[TWIN_WC] + config.weights[TWIN_WS] == 0) config.weights[TWIN_WC] = 0.5;
  return config;
}

static inline void case_add_strategy(test_random *random, twin_strategy strategy, ee_buffer *out) {
  static const char *const names[][2] = {
      {"EXACT", "exact"}, {"FUZZY", "Fuzzy"}, {"SEMANTIC", "semantic"}, {"IGNORE", "ignore"}};
  if (strategy == TWIN_NODE_EXACT) {
    ee_buffer_add_text(out, "{\"ee\":\"exact\"}");
  } else if (strategy == TWIN_NODE_CUSTOM) {
    ee_buffer_addf(out, "{\"ee\":\"custom\",\"items\":[{\"function\":%d}]}", TWIN_FUNCTION_CUSTOM);
  } else {
    ee_buffer_addf(out, "\"%s\"", names[strategy][test_random_below(random, 2)]);
  }
}

/* The rule tree of a configuration, as plan_fixture.h reads it; `path` is where the objects are, or NULL. */
static inline void case_rules(test_random *random, const twin_config *config, const char *path, ee_buffer *out) {
  ee_buffer_addf(out, "{\"ee\":\"rules\"%s%s,\"items\":[{\"ee\":\"quality\"",
                 config->null_values ? ",\"null_values\":[\"N/A\",\"-\"]" : "",
                 config->containers ? ",\"empty\":\"containers\"" : "");
  if (path != NULL) ee_buffer_addf(out, ",\"items\":[\"%s\"]", path);
  if (config->count > 0) {
    ee_buffer_add_text(out, ",\"strategies\":{");
    for (size_t i = 0; i < config->count; i++) {
      if (i > 0) ee_buffer_add_char(out, ',');
      ee_json_write_string(out, ee_str_from(config->keys[i]));
      ee_buffer_add_char(out, ':');
      case_add_strategy(random, config->strategies[i], out);
    }
    ee_buffer_add_char(out, '}');
  }
  static const char *const weights[TWIN_WEIGHTS] = {"accuracy", "completeness", "safety", "hallucination"};
  static const double fallback[TWIN_WEIGHTS] = {0.45, 0.25, 0.15, 0.15};
  ee_buffer_add_text(out, ",\"weights\":{\"line\":1");
  for (size_t i = 0; i < TWIN_WEIGHTS; i++) {
    if (config->weights[i] == fallback[i] && case_chance(random, 70)) continue;
    ee_buffer_addf(out, ",\"%s\":%.17g", weights[i], config->weights[i]);
  }
  ee_buffer_addf(out, "},\"fuzzy_threshold\":%g,\"semantic_threshold\":%g", (double)config->fuzzy_percent / 100,
                 (double)config->semantic_percent / 100);
  static const char *const functions[] = {"similarity", "safety", "formula"};
  const bool given[] = {config->similarity, config->safety, config->formula};
  for (int i = 0; i < 3; i++) {
    if (given[i]) ee_buffer_addf(out, ",\"%s\":{\"function\":%d}", functions[i], i);
  }
  if (config->leaves || case_chance(random, 30))
    ee_buffer_addf(out, ",\"depth\":\"%s\"", config->leaves ? "leaves" : "top");
  if (config->everywhere || case_chance(random, 30))
    ee_buffer_addf(out, ",\"ignore\":\"%s\"", config->everywhere ? "everywhere" : "accuracy");
  if (config->scaled || case_chance(random, 30))
    ee_buffer_addf(out, ",\"scale\":\"%s\"", config->scaled ? "max" : "none");
  ee_buffer_add_text(out, "}]}");
}

/* The judge ------------------------------------------------------------------------------------ */

/* A compiled configuration that calls the twin's functions. */
typedef struct case_subject {
  fixture f;
  ee_script_vtable vtable;
  const twin_config *config;
  ee_buffer rules;
  const char *prefix, *suffix; /* around each object, where a path was given */
} case_subject;

static inline case_subject *case_subject_of(ee_script *script) {
  return (case_subject *)((char *)script - offsetof(case_subject, f.script));
}

static inline ee_status case_raise(ee_error *error) {
  return ee_error_at(error, EE_ERROR_RULES, "rules.lua", 5, 0, "raised");
}

static inline ee_status case_answer_value(ee_script *script, const ee_value *expected, const ee_value *candidate,
                                          uint64_t salt, double *result, ee_error *error) {
  int answer = twin_value_answer(script->arena, expected, candidate, salt);
  if (answer < 0) return case_raise(error);
  *result = answer / 100.0;
  return EE_OK;
}

static inline ee_status case_similarity(ee_script *script, int function, const ee_value *expected,
                                        const ee_value *candidate, double *result, ee_error *error) {
  assert_int_equal(function, TWIN_FUNCTION_SIMILARITY);
  return case_answer_value(script, expected, candidate, 5, result, error);
}

static inline ee_status case_strategy(ee_script *script, int function, const ee_value *expected,
                                      const ee_value *candidate, const ee_script_place *place, ee_script_score *result,
                                      ee_error *error) {
  (void)place;
  assert_int_equal(function, TWIN_FUNCTION_CUSTOM);
  return case_answer_value(script, expected, candidate, 3, &result->score, error);
}

static inline double case_number(const ee_script_number *numbers, size_t count, const char *name) {
  for (size_t i = 0; i < count; i++) {
    if (strcmp(numbers[i].name, name) == 0) return numbers[i].value;
  }
  fail_msg("no number '%s'", name);
  return 0;
}

static inline ee_status case_combine(ee_script *script, int function, const ee_script_number *numbers, size_t count,
                                     double *result, ee_error *error) {
  const twin_config *config = case_subject_of(script)->config;
  static const char *const weights[TWIN_WEIGHTS] = {"weight_accuracy", "weight_completeness", "weight_safety",
                                                    "weight_hallucination"};
  for (size_t i = 0; i < TWIN_WEIGHTS; i++) assert_true(case_number(numbers, count, weights[i]) == config->weights[i]);
  double parts[EE_QUALITY_PARTS] = {0};
  parts[EE_QUALITY_ACCURACY] = case_number(numbers, count, "accuracy");
  parts[EE_QUALITY_COMPLETENESS] = case_number(numbers, count, "completeness");
  parts[EE_QUALITY_HALLUCINATION] = case_number(numbers, count, "hallucination");
  if (config->raises) return case_raise(error);
  if (function == TWIN_FUNCTION_SAFETY) {
    *result = twin_safety(parts[EE_QUALITY_ACCURACY], parts[EE_QUALITY_COMPLETENESS], parts[EE_QUALITY_HALLUCINATION]);
  } else {
    assert_int_equal(function, TWIN_FUNCTION_FORMULA);
    parts[EE_QUALITY_SAFETY] = case_number(numbers, count, "safety");
    *result = twin_formula(parts);
  }
  return EE_OK;
}

/* A provider that knows all answers at once. */
static inline void case_ask(ee_provider_session *session, ee_str expected, ee_str candidate, ee_arena *scratch,
                            ee_answer *answer) {
  (void)session;
  const char *texts[2] = {ee_arena_copy(scratch, expected.data, expected.length),
                          ee_arena_copy(scratch, candidate.data, candidate.length)};
  for (size_t i = 0; i < 2; i++) texts[i] = twin_fold(scratch, twin_trim(scratch, texts[i]));
  int number = strcmp(texts[0], texts[1]) == 0 ? 100 : twin_answer(texts[0], texts[1], 7);
  *answer = number < 0 ? (ee_answer){EE_ANSWER_FAILED, 0, EE_STR("no answer")}
                       : (ee_answer){EE_ANSWER_GIVEN, number / 100.0, EE_STR("")};
}
static const ee_provider_vtable case_provider = {.name = "twin", .similarity = case_ask};

/* Compiles `config`; with `nested` the objects stand at doc.answer. */
static inline void case_open(case_subject *s, test_random *random, const twin_config *config, bool nested) {
  memset(s, 0, sizeof *s);
  fixture_open(&s->f);
  ee_buffer_init(&s->rules);
  s->config = config;
  s->prefix = nested ? "{\"doc\":{\"answer\":" : "";
  s->suffix = nested ? "}}" : "";
  s->vtable = fixture_vtable;
  s->vtable.similarity = case_similarity;
  s->vtable.strategy = case_strategy;
  s->vtable.combine = case_combine;
  case_rules(random, config, nested ? "doc.answer" : NULL, &s->rules);
  const char *text = ee_buffer_terminate(&s->rules);
  const ee_rule_node *root = fixture_spec(&s->f, fixture_json(&s->f.arena, text), 1);
  s->f.plan = ee_plan_compile(&s->f.arena, root, &s->vtable, NULL, &s->f.errors);
  if (s->f.plan == NULL) fail_msg("%s: %s", text, s->f.errors.items[0].message);
}

static inline void case_close(case_subject *s) {
  ee_buffer_fini(&s->rules);
  fixture_close(&s->f);
}

/* Judges two objects (JSON texts; no candidate: NULL). What is read stays in the case's arena. */
static inline const ee_judge_result *case_judge(case_subject *s, const char *expected, const char *candidate,
                                                const ee_value **expected_value, const ee_value **candidate_value) {
  fixture *f = &s->f;
  ee_arena_reset(&f->case_arena, 0);
  const char *texts[2] = {expected, candidate};
  const ee_value *documents[2] = {NULL, NULL}, *objects[2] = {NULL, NULL};
  for (size_t i = 0; i < 2; i++) {
    if (texts[i] == NULL) continue;
    documents[i] =
        fixture_json(&f->case_arena, ee_arena_printf(&f->case_arena, "%s%s%s", s->prefix, texts[i], s->suffix));
    objects[i] = *s->prefix == '\0' ? documents[i] : twin_get(twin_get(documents[i], "doc"), "answer");
  }
  *expected_value = objects[0];
  *candidate_value = objects[1];
  static ee_provider_session session = {&case_provider};
  f->current = (ee_case){.id = EE_STR("case"),
                         .expected = documents[0],
                         .candidate = documents[1],
                         .candidate_state = documents[1] == NULL ? EE_CANDIDATE_MISSING : EE_CANDIDATE_READ};
  f->context = (ee_context){.plan = f->plan,
                            .arena = &f->case_arena,
                            .script = &f->script,
                            .session = &session,
                            .rule_errors = &f->rule_errors};
  ee_error_list_fini(&f->rule_errors);
  ee_error_list_init(&f->rule_errors);
  ee_plan_judge(f->plan, &f->context, &f->current, &f->result);
  assert_int_equal(f->script.begun, f->script.ended);
  assert_int_equal(f->result.judge_count, 1);
  return f->result.judges;
}

#endif
