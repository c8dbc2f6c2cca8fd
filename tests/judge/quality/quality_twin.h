/* quality_twin.h: ee.quality again, slow and obvious, for tests to compare with.
 *
 * Everything is written from the definition: text forms, folding, decimals, edit distances and formulas are its own. It
 * knows the few white space and letters that quality_cases.h uses, and alignments of lists only where they are beyond
 * doubt: no element is alike to two that differ from one another. */
#ifndef EE_TESTS_JUDGE_QUALITY_TWIN_H
#define EE_TESTS_JUDGE_QUALITY_TWIN_H

#include <math.h>
#include <stdio.h>

#include "judge/plan_fixture.h"
#include "judge/quality/quality.h"

/* Configuration -------------------------------------------------------------------------------- */

typedef enum twin_strategy {
  TWIN_EXACT,
  TWIN_FUZZY,
  TWIN_SEMANTIC,
  TWIN_IGNORE,
  TWIN_NODE_EXACT,  /* ee.exact of the rule language */
  TWIN_NODE_CUSTOM, /* a function, TWIN_FUNCTION_CUSTOM */
  TWIN_AUTO
} twin_strategy;

enum { TWIN_FUNCTION_SIMILARITY, TWIN_FUNCTION_SAFETY, TWIN_FUNCTION_FORMULA, TWIN_FUNCTION_CUSTOM };
enum { TWIN_WA, TWIN_WC, TWIN_WS, TWIN_WH, TWIN_WEIGHTS };
enum { TWIN_STRATEGIES = 12, TWIN_KEYS = 400, TWIN_LETTERS = 1024 };

typedef struct twin_config {
  size_t count;
  const char *keys[TWIN_STRATEGIES];
  twin_strategy strategies[TWIN_STRATEGIES];
  size_t fuzzy_percent, semantic_percent;
  bool similarity, safety, formula; /* functions */
  bool raises;                      /* safety and formula raise an error */
  double weights[TWIN_WEIGHTS];
  bool leaves, everywhere, scaled;
  bool null_values, containers; /* "N/A" and "-"; [] and {} */
} twin_config;

/* What a text is as an expected value; a text that is not listed is "text". */
typedef struct twin_text {
  const char *text, *why;
} twin_text;

/* Texts ---------------------------------------------------------------------------------------- */

static inline size_t twin_space_at(const char *text) {
  if (*text == ' ' || *text == '\t' || *text == '\n') return 1;
  if (strncmp(text, "\xc2\xa0", 2) == 0) return 2;
  if (strncmp(text, "\xe2\x80\x83", 3) == 0) return 3;
  return 0;
}

static inline const char *twin_trim(ee_arena *arena, const char *text) {
  while (twin_space_at(text) > 0) text += twin_space_at(text);
  size_t end = 0;
  for (size_t i = 0; text[i] != '\0';) {
    size_t space = twin_space_at(text + i);
    i += space > 0 ? space : 1;
    if (space == 0) end = i;
  }
  return ee_arena_copy(arena, text, end);
}

static inline const char *twin_fold(ee_arena *arena, const char *text) {
  static const char *const pairs[][2] = {{"É", "é"}, {"Ü", "ü"}, {"ß", "ss"}, {"Σ", "σ"}, {"ς", "σ"}};
  char *out = ee_arena_alloc(arena, 2 * strlen(text) + 1), *at = out;
  while (*text != '\0') {
    size_t taken = 0;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs && taken == 0; i++) {
      if (strncmp(text, pairs[i][0], strlen(pairs[i][0])) != 0) continue;
      taken = strlen(pairs[i][0]);
      at += sprintf(at, "%s", pairs[i][1]);
    }
    if (taken == 0) *at++ = (char)(*text >= 'A' && *text <= 'Z' ? *text + 32 : *text), taken = 1;
    text += taken;
  }
  *at = '\0';
  return out;
}

static inline size_t twin_code_points(const char *text, uint32_t *out) {
  size_t count = 0, length = strlen(text);
  for (size_t i = 0; i < length; count++) {
    assert_true(count + 1 < TWIN_LETTERS);
    i += ee_utf8_decode(text + i, length - i, &out[count]);
  }
  return count;
}

static inline size_t twin_least(size_t a, size_t b) { return a < b ? a : b; }

static inline size_t twin_levenshtein(const uint32_t *a, size_t n, const uint32_t *b, size_t m) {
  static uint16_t table[TWIN_LETTERS][TWIN_LETTERS];
  for (size_t i = 0; i <= n; i++) {
    for (size_t k = 0; k <= m; k++) {
      if (i == 0 || k == 0) {
        table[i][k] = (uint16_t)(i + k);
      } else {
        size_t changed = table[i - 1][k - 1] + (a[i - 1] != b[k - 1] ? 1u : 0u);
        table[i][k] = (uint16_t)twin_least(changed, twin_least(table[i - 1][k], table[i][k - 1]) + 1);
      }
    }
  }
  return table[n][m];
}

/* "[+-]digits[.digits][e[+-]digits]" in plain digits without needless zeros; NULL when it is no such text. */
static inline const char *twin_decimal(ee_arena *arena, const char *text) {
  bool negative = *text == '-';
  if (*text == '-' || *text == '+') text++;
  char digits[128];
  size_t count = 0;
  long point = -1;
  for (; (*text >= '0' && *text <= '9') || (*text == '.' && point < 0); text++) {
    if (*text == '.') {
      point = (long)count;
    } else {
      digits[count++] = *text;
    }
  }
  if (count == 0) return NULL;
  if (point < 0) point = (long)count;
  if (*text == 'e' || *text == 'E') {
    char *end;
    point += strtol(text + 1, &end, 10);
    if (end == text + 1) return NULL;
    text = end;
  }
  if (*text != '\0') return NULL;
  char *out = ee_arena_alloc(arena, 512), *at = out;
  if (negative) *at++ = '-';
  char *start = at;
  for (long i = 0; i < point; i++) {
    char digit = i < (long)count ? digits[i] : '0';
    if (at > start || digit != '0') *at++ = digit;
  }
  if (at == start) *at++ = '0';
  *at++ = '.';
  for (long i = point; i < (long)count; i++) *at++ = i < 0 ? '0' : digits[i];
  while (at[-1] == '0') at--;
  if (at[-1] == '.') at--;
  *at = '\0';
  return strcmp(out, "-0") == 0 ? "0" : out;
}

/* Values --------------------------------------------------------------------------------------- */

static inline const char *twin_number(ee_arena *arena, const ee_value *value) {
  char space[32];
  ee_str text = ee_value_number_text(value, space);
  return twin_decimal(arena, ee_arena_copy(arena, text.data, text.length));
}

/* Of a rule file that says nothing about what is empty. */
static const twin_config twin_plain = {0};

static inline bool twin_empty(ee_arena *arena, const twin_config *config, const ee_value *value);

/* JSON with sorted keys, without empty members and with null for empty elements, numbers in plain digits. */
static inline const char *twin_json(ee_arena *arena, const twin_config *config, const ee_value *value) {
  switch (ee_type_of(value)) {
  case EE_MISSING:
  case EE_NULL: return "null";
  case EE_FALSE: return "false";
  case EE_TRUE: return "true";
  case EE_NUMBER: return twin_number(arena, value);
  case EE_STRING: return ee_arena_printf(arena, "\"%s\"", value->json.valuestring);
  case EE_ARRAY:
  case EE_OBJECT: break;
  }
  bool object = ee_type_of(value) == EE_OBJECT;
  const char *out = object ? "{" : "[", *last = NULL;
  if (!object) {
    for (const ee_value *item = ee_value_child(value); item != NULL; item = ee_value_next(item)) {
      out = ee_arena_printf(arena, "%s%s%s", out, out[1] == '\0' ? "" : ",",
                            twin_empty(arena, config, item) ? "null" : twin_json(arena, config, item));
    }
    return ee_arena_printf(arena, "%s]", out);
  }
  for (;;) {
    const ee_value *next = NULL;
    for (const ee_value *one = ee_value_child(value); one != NULL; one = ee_value_next(one)) {
      if (twin_empty(arena, config, one) || (last != NULL && strcmp(one->json.string, last) <= 0)) continue;
      if (next == NULL || strcmp(one->json.string, next->json.string) < 0) next = one;
    }
    if (next == NULL) return ee_arena_printf(arena, "%s}", out);
    last = next->json.string;
    out = ee_arena_printf(arena, "%s%s\"%s\":%s", out, out[1] == '\0' ? "" : ",", last, twin_json(arena, config, next));
  }
}

static inline bool twin_same(ee_arena *arena, const twin_config *config, const ee_value *a, const ee_value *b) {
  return strcmp(twin_json(arena, config, a), twin_json(arena, config, b)) == 0;
}

/* A value as the text that is compared without case. */
static inline const char *twin_form(ee_arena *arena, const ee_value *value) {
  bool text = ee_type_of(value) == EE_STRING;
  return twin_fold(arena, text ? twin_trim(arena, value->json.valuestring) : twin_json(arena, &twin_plain, value));
}

static inline bool twin_empty(ee_arena *arena, const twin_config *config, const ee_value *value) {
  const char *text;
  switch (ee_type_of(value)) {
  case EE_MISSING:
  case EE_NULL: return true;
  case EE_STRING:
    text = twin_trim(arena, value->json.valuestring);
    return *text == '\0' || (config->null_values && (strcmp(text, "N/A") == 0 || strcmp(text, "-") == 0));
  case EE_ARRAY:
  case EE_OBJECT:
    return config->containers &&
           (strcmp(twin_json(arena, config, value), "[]") == 0 || strcmp(twin_json(arena, config, value), "{}") == 0);
  default: return false;
  }
}

static inline const ee_value *twin_get(const ee_value *object, const char *key) {
  if (object == NULL) return NULL;
  for (const ee_value *one = ee_value_child(object); one != NULL; one = ee_value_next(one)) {
    if (strcmp(one->json.string, key) == 0) return one;
  }
  return NULL;
}

static inline uint64_t twin_hash(const char *a, const char *b) {
  uint64_t hash = 14695981039346656037u;
  for (; *a != '\0'; a++) hash = (hash ^ (unsigned char)*a) * 1099511628211u;
  hash = (hash ^ 0xff) * 1099511628211u;
  for (; *b != '\0'; b++) hash = (hash ^ (unsigned char)*b) * 1099511628211u;
  return hash ^ (hash >> 29);
}

/* What functions and the provider return, in hundredths (`percent`); -1 is an error. */
static inline int twin_answer(const char *a, const char *b, uint64_t salt) {
  uint64_t hash = twin_hash(a, b) + salt;
  return hash % 41 == 0 ? -1 : (int)(hash / 41 % 101);
}

static inline int twin_value_answer(ee_arena *arena, const ee_value *expected, const ee_value *candidate,
                                    uint64_t salt) {
  return twin_answer(twin_json(arena, &twin_plain, expected), twin_json(arena, &twin_plain, candidate), salt);
}

/* Comparing ------------------------------------------------------------------------------------ */

typedef struct twin_key {
  const char *path, *attribute;
  const ee_value *expected, *candidate;
  bool is_expected; /* a key of the expected object */
  ee_quality_bucket bucket;
  bool ignored, compared, failed, matched;
  const char *strategy, *why;
  double score, similarity; /* similarity: negative where nothing is measured */
} twin_key;

static inline void twin_decide(twin_key *key, size_t parts, size_t whole, size_t percent) {
  key->similarity = (double)parts / (double)whole;
  key->matched = parts * 100 >= percent * whole;
}

static inline void twin_decide_answer(twin_key *key, int answer, size_t percent) {
  key->failed = answer < 0;
  if (answer < 0) return;
  twin_decide(key, (size_t)answer, 100, percent);
}

/* "007": digits that no number begins with. */
static inline bool twin_is_code(const char *text) {
  if (*text == '-' || *text == '+') text++;
  return strlen(text) > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9';
}

static inline void twin_compare_exact(ee_arena *arena, const twin_config *config, twin_key *key) {
  const ee_value *e = key->expected, *c = key->candidate;
  const char *a = twin_form(arena, e), *b = twin_form(arena, c);
  if (ee_type_of(e) >= EE_ARRAY && ee_type_of(c) >= EE_ARRAY) {
    a = twin_fold(arena, twin_json(arena, config, e));
    b = twin_fold(arena, twin_json(arena, config, c));
  }
  if (ee_type_of(e) == EE_NUMBER && ee_type_of(c) == EE_STRING) b = twin_is_code(b) ? NULL : twin_decimal(arena, b);
  if (ee_type_of(c) == EE_NUMBER && ee_type_of(e) == EE_STRING) a = twin_is_code(a) ? NULL : twin_decimal(arena, a);
  key->matched = a != NULL && b != NULL && strcmp(a, b) == 0;
}

static inline void twin_compare_fuzzy(ee_arena *arena, const twin_config *config, twin_key *key) {
  static uint32_t a[TWIN_LETTERS], b[TWIN_LETTERS];
  size_t n = twin_code_points(twin_form(arena, key->expected), a);
  size_t m = twin_code_points(twin_form(arena, key->candidate), b), longer = n < m ? m : n;
  twin_decide(key, longer - twin_levenshtein(a, n, b, m), longer, config->fuzzy_percent);
}

static inline void twin_compare_semantic(ee_arena *arena, const twin_config *config, twin_key *key) {
  const char *a = twin_form(arena, key->expected), *b = twin_form(arena, key->candidate);
  twin_decide_answer(key, strcmp(a, b) == 0 ? 100 : twin_answer(a, b, 7), config->semantic_percent);
}

static inline void twin_compare(ee_arena *arena, const twin_config *config, twin_strategy strategy, twin_key *key) {
  key->compared = true;
  key->similarity = -1;
  bool same = twin_same(arena, config, key->expected, key->candidate);
  size_t percent = strategy == TWIN_FUZZY ? config->fuzzy_percent : config->semantic_percent;
  if (strategy == TWIN_EXACT) {
    twin_compare_exact(arena, config, key);
  } else if (strategy == TWIN_NODE_EXACT) {
    key->matched = same;
  } else if (strategy == TWIN_NODE_CUSTOM) {
    twin_decide_answer(key, twin_value_answer(arena, key->expected, key->candidate, 3), 100);
  } else if (same) {
    twin_decide_answer(key, 100, percent);
  } else if (config->similarity) {
    twin_decide_answer(key, twin_value_answer(arena, key->expected, key->candidate, 5), percent);
  } else if (strategy == TWIN_FUZZY) {
    twin_compare_fuzzy(arena, config, key);
  } else {
    twin_compare_semantic(arena, config, key);
  }
  key->score = strategy == TWIN_NODE_CUSTOM ? (key->failed ? 0 : key->similarity) : key->matched;
}

/* Keys ----------------------------------------------------------------------------------------- */

typedef struct twin_result {
  const twin_config *config;
  twin_key keys[TWIN_KEYS];
  size_t key_count;
  size_t counts[EE_QUALITY_BUCKETS], distinct, compared;
  double score_sum, parts[EE_QUALITY_PARTS], maximum;
  bool failed; /* the judge: no expected object, or a function raised */
} twin_result;

static inline void twin_add(twin_result *result, const char *path, const char *attribute, const ee_value *expected,
                            const ee_value *candidate) {
  assert_true(result->key_count < TWIN_KEYS);
  result->keys[result->key_count++] = (twin_key){.path = path,
                                                 .attribute = attribute,
                                                 .expected = expected,
                                                 .candidate = candidate,
                                                 .is_expected = expected != NULL};
}

/* The configuration names the place, which is then not looked into. */
static inline bool twin_is_named(const twin_config *config, const char *path, const char *attribute) {
  for (size_t i = 0; i < config->count; i++) {
    if (strcmp(config->keys[i], path) == 0 || strcmp(config->keys[i], attribute) == 0) return true;
  }
  return false;
}

static inline bool twin_is_filled(const ee_value *value) {
  return ee_type_of(value) >= EE_ARRAY && ee_value_count(value) > 0;
}

/* `path` with one more key, as a path of the rule language is written. */
static inline const char *twin_step(ee_arena *arena, const char *path, const char *key) {
  bool plain = *key != '\0';
  for (const char *at = key; *at != '\0'; at++) plain = plain && *at != '.' && *at != ' ';
  if (!plain) return ee_arena_printf(arena, "%s[\"%s\"]", path, key);
  return ee_arena_printf(arena, "%s%s%s", path, *path == '\0' ? "" : ".", key);
}

static inline void twin_walk(ee_arena *arena, twin_result *result, const char *path, const char *attribute,
                             const ee_value *expected, const ee_value *candidate);

static inline void twin_walk_object(ee_arena *arena, twin_result *result, const char *path, const char *attribute,
                                    const ee_value *expected, const ee_value *candidate) {
  const ee_value *one = expected == NULL ? NULL : ee_value_child(expected);
  for (; one != NULL; one = ee_value_next(one)) {
    twin_walk(arena, result, twin_step(arena, path, one->json.string), twin_step(arena, attribute, one->json.string),
              one, twin_get(candidate, one->json.string));
  }
  one = candidate == NULL ? NULL : ee_value_child(candidate);
  for (; one != NULL; one = ee_value_next(one)) {
    if (twin_get(expected, one->json.string) != NULL) continue;
    twin_walk(arena, result, twin_step(arena, path, one->json.string), twin_step(arena, attribute, one->json.string),
              NULL, one);
  }
}

/* JSON with sorted keys, without empty values or, with `marked`, with "" in their place. */
static inline const char *twin_shape(ee_arena *arena, const twin_config *config, const ee_value *value, bool marked) {
  if (twin_empty(arena, config, value)) return "\"\"";
  if (ee_type_of(value) < EE_ARRAY) return twin_json(arena, config, value);
  bool object = ee_type_of(value) == EE_OBJECT;
  const char *out = object ? "{" : "[", *last = NULL;
  if (!object) {
    for (const ee_value *item = ee_value_child(value); item != NULL; item = ee_value_next(item)) {
      if (!marked && twin_empty(arena, config, item)) continue;
      out = ee_arena_printf(arena, "%s%s,", out, twin_shape(arena, config, item, marked));
    }
    return ee_arena_printf(arena, "%s]", out);
  }
  for (;;) {
    const ee_value *next = NULL;
    for (const ee_value *one = ee_value_child(value); one != NULL; one = ee_value_next(one)) {
      if ((!marked && twin_empty(arena, config, one)) || (last != NULL && strcmp(one->json.string, last) <= 0))
        continue;
      if (next == NULL || strcmp(one->json.string, next->json.string) < 0) next = one;
    }
    if (next == NULL) return ee_arena_printf(arena, "%s}", out);
    last = next->json.string;
    out = ee_arena_printf(arena, "%s\"%s\":%s,", out, last, twin_shape(arena, config, next, marked));
  }
}

/* How alike two values that are not empty are. */
static inline double twin_alike(ee_arena *arena, const twin_config *config, const ee_value *a, const ee_value *b) {
  static uint32_t x[TWIN_LETTERS], y[TWIN_LETTERS];
  if (ee_type_of(a) == EE_STRING && ee_type_of(b) == EE_STRING) {
    size_t n = twin_code_points(twin_form(arena, a), x), m = twin_code_points(twin_form(arena, b), y);
    size_t longer = n < m ? m : n;
    return (double)(longer - twin_levenshtein(x, n, y, m)) / (double)longer;
  }
  return strcmp(twin_shape(arena, config, a, false), twin_shape(arena, config, b, false)) == 0;
}

/* The mean over the keys of two objects, without those empty on both sides. */
static inline double twin_alike_objects(ee_arena *arena, const twin_config *config, const ee_value *a,
                                        const ee_value *b) {
  double sum = 0;
  size_t count = 0;
  for (const ee_value *one = ee_value_child(a); one != NULL; one = ee_value_next(one)) {
    if (twin_empty(arena, config, one)) continue;
    const ee_value *other = twin_get(b, one->json.string);
    if (!twin_empty(arena, config, other)) sum += twin_alike(arena, config, one, other);
    count++;
  }
  for (const ee_value *one = ee_value_child(b); one != NULL; one = ee_value_next(one)) {
    bool alone = twin_empty(arena, config, twin_get(a, one->json.string));
    if (alone && !twin_empty(arena, config, one)) count++;
  }
  return count == 0 ? 0 : sum / (double)count;
}

/* Whether two elements belong together, in the order of certainty: the same with all that is empty; both empty; the
 * same without; alike. */
enum { TWIN_SURE = 4 };
static inline bool twin_belong(ee_arena *arena, const twin_config *config, size_t certainty, const ee_value *a,
                               const ee_value *b) {
  const char *left = twin_shape(arena, config, a, certainty == 0),
             *right = twin_shape(arena, config, b, certainty == 0);
  if (certainty == 0 || certainty == 2) return strcmp(left, right) == 0;
  static const char *const empty[] = {"\"\"", "[]", "{}"};
  bool nothing[2] = {false, false};
  for (size_t i = 0; i < (config->containers ? 3u : 1u); i++) {
    nothing[0] = nothing[0] || strcmp(left, empty[i]) == 0;
    nothing[1] = nothing[1] || strcmp(right, empty[i]) == 0;
  }
  if (certainty == 1) return nothing[0] && nothing[1];
  if (nothing[0] || nothing[1]) return false;
  if (ee_type_of(a) == EE_STRING && ee_type_of(b) == EE_STRING) return twin_alike(arena, config, a, b) >= 0.5;
  return ee_type_of(a) == EE_OBJECT && ee_type_of(b) == EE_OBJECT && twin_alike_objects(arena, config, a, b) >= 0.5;
}

/* Those that belong together most certainly first, the first with the first; all others stand alone. */
static inline void twin_walk_list(ee_arena *arena, twin_result *result, const char *path, const char *attribute,
                                  const ee_value *expected, const ee_value *candidate) {
  const ee_value *partners[64] = {NULL};
  bool used[64] = {false};
  for (size_t certainty = 0; certainty < TWIN_SURE && expected != NULL && candidate != NULL; certainty++) {
    size_t i = 0;
    for (const ee_value *one = ee_value_child(expected); one != NULL; one = ee_value_next(one), i++) {
      size_t k = 0;
      for (const ee_value *other = ee_value_child(candidate); other != NULL; other = ee_value_next(other), k++) {
        if (partners[i] != NULL || used[k] || !twin_belong(arena, result->config, certainty, one, other)) continue;
        partners[i] = other;
        used[k] = true;
      }
    }
  }
  attribute = ee_arena_printf(arena, "%s[*]", attribute);
  size_t number = 0;
  const ee_value *one = expected == NULL ? NULL : ee_value_child(expected);
  for (; one != NULL; one = ee_value_next(one), number++) {
    twin_walk(arena, result, ee_arena_printf(arena, "%s[%zu]", path, number), attribute, one, partners[number]);
  }
  one = candidate == NULL ? NULL : ee_value_child(candidate);
  for (number = 0; one != NULL; one = ee_value_next(one), number++) {
    if (!used[number]) twin_walk(arena, result, ee_arena_printf(arena, "%s[+%zu]", path, number), attribute, NULL, one);
  }
}

/* Every leaf of the candidate where nothing was expected, which a value said. */
static inline void twin_walk_nothing(ee_arena *arena, twin_result *result, const char *path, const char *attribute,
                                     const ee_value *nothing, const ee_value *candidate) {
  if (!twin_is_filled(candidate) || twin_is_named(result->config, path, attribute)) {
    twin_add(result, path, attribute, nothing, candidate);
    return;
  }
  bool list = ee_type_of(candidate) == EE_ARRAY;
  size_t number = 0;
  for (const ee_value *one = ee_value_child(candidate); one != NULL; one = ee_value_next(one), number++) {
    const char *place =
        list ? ee_arena_printf(arena, "%s[+%zu]", path, number) : twin_step(arena, path, one->json.string);
    const char *name =
        list ? ee_arena_printf(arena, "%s[*]", attribute) : twin_step(arena, attribute, one->json.string);
    twin_walk_nothing(arena, result, place, name, nothing, one);
  }
}

static inline void twin_walk(ee_arena *arena, twin_result *result, const char *path, const char *attribute,
                             const ee_value *expected, const ee_value *candidate) {
  bool left = twin_is_filled(expected), right = twin_is_filled(candidate);
  if ((!left && !right) || twin_is_named(result->config, path, attribute)) {
    twin_add(result, path, attribute, expected, candidate);
  } else if (expected != NULL && !left && twin_empty(arena, result->config, expected)) {
    twin_walk_nothing(arena, result, path, attribute, expected, candidate);
  } else if (candidate != NULL && !right && twin_empty(arena, result->config, candidate)) {
    twin_walk(arena, result, path, attribute, expected, NULL);
  } else if (expected != NULL && candidate != NULL && ee_type_of(expected) != ee_type_of(candidate)) {
    twin_walk(arena, result, path, attribute, expected, NULL);
    twin_walk(arena, result, path, attribute, NULL, candidate);
  } else if (ee_type_of(left ? expected : candidate) == EE_OBJECT) {
    twin_walk_object(arena, result, path, attribute, expected, candidate);
  } else {
    twin_walk_list(arena, result, path, attribute, expected, candidate);
  }
}

/* The whole ------------------------------------------------------------------------------------ */

static inline twin_strategy twin_choose(const twin_config *config, const twin_text *texts, twin_key *key) {
  for (size_t i = 0; i < config->count; i++) {
    if (strcmp(config->keys[i], key->path) != 0) continue;
    key->why = "config";
    return config->strategies[i];
  }
  for (size_t i = 0; i < config->count && config->leaves; i++) {
    if (strcmp(config->keys[i], key->attribute) != 0) continue;
    key->why = "config";
    return config->strategies[i];
  }
  key->why = "text";
  switch (ee_type_of(key->expected)) {
  case EE_NUMBER: key->why = "number"; break;
  case EE_TRUE:
  case EE_FALSE: key->why = "boolean"; break;
  case EE_ARRAY: key->why = "list"; break;
  case EE_OBJECT: key->why = "object"; break;
  case EE_STRING:
    for (; texts->text != NULL; texts++) {
      if (strcmp(texts->text, key->expected->json.valuestring) == 0) key->why = texts->why;
    }
    break;
  default: break;
  }
  return strcmp(key->why, "text") == 0 ? TWIN_SEMANTIC : TWIN_EXACT;
}

static inline void twin_judge_key(ee_arena *arena, const twin_config *config, const twin_text *texts,
                                  twin_result *result, twin_key *key) {
  static const char *const names[] = {"EXACT", "FUZZY", "SEMANTIC", "IGNORE", "exact", "custom"};
  bool expected = !twin_empty(arena, config, key->expected), candidate = !twin_empty(arena, config, key->candidate);
  key->bucket = expected && candidate ? EE_QUALITY_BOTH
                : expected            ? EE_QUALITY_MISSING
                : !key->is_expected   ? EE_QUALITY_EXTRA
                : candidate           ? EE_QUALITY_UNEXPECTED
                                      : EE_QUALITY_NEITHER;
  twin_strategy strategy = twin_choose(config, texts, key);
  key->strategy = names[strategy];
  key->ignored = strategy == TWIN_IGNORE;
  if (key->ignored && config->everywhere) return;
  result->distinct++;
  result->counts[key->bucket]++;
  if (key->ignored || key->bucket != EE_QUALITY_BOTH) return;
  twin_compare(arena, config, strategy, key);
  result->compared++;
  result->score_sum += key->score;
}

/* The functions of the rule file: what they make of the parts. */
static inline double twin_safety(double accuracy, double completeness, double hallucination) {
  return (1 + accuracy + 2 * completeness - hallucination) / 4;
}
static inline double twin_formula(const double *parts) {
  return (parts[EE_QUALITY_ACCURACY] + 2 * parts[EE_QUALITY_COMPLETENESS] + 3 * parts[EE_QUALITY_SAFETY] +
          4 * (1 - parts[EE_QUALITY_HALLUCINATION])) /
         10;
}

static inline void twin_sum_up(const twin_config *config, twin_result *result) {
  const size_t *n = result->counts;
  double *parts = result->parts;
  const double *w = config->weights;
  size_t wanted = n[EE_QUALITY_BOTH] + n[EE_QUALITY_MISSING], invented = n[EE_QUALITY_EXTRA] + n[EE_QUALITY_UNEXPECTED];
  parts[EE_QUALITY_ACCURACY] = result->compared == 0 ? 1 : result->score_sum / (double)result->compared;
  parts[EE_QUALITY_COMPLETENESS] = wanted == 0 ? 1 : (double)n[EE_QUALITY_BOTH] / (double)wanted;
  parts[EE_QUALITY_HALLUCINATION] = result->distinct == 0 ? 0 : (double)invented / (double)result->distinct;
  result->failed = config->raises && (config->safety || config->formula);
  if (result->failed) return;
  parts[EE_QUALITY_SAFETY] = !config->safety ? 1
                                             : twin_safety(parts[EE_QUALITY_ACCURACY], parts[EE_QUALITY_COMPLETENESS],
                                                           parts[EE_QUALITY_HALLUCINATION]);
  /* What is clamped to 1 attains no more. */
  result->maximum = config->scaled ? fmin(1, w[TWIN_WA] + w[TWIN_WC] + w[TWIN_WS]) : 0;
  double rqs = w[TWIN_WA] * parts[EE_QUALITY_ACCURACY] + w[TWIN_WC] * parts[EE_QUALITY_COMPLETENESS] +
               w[TWIN_WS] * parts[EE_QUALITY_SAFETY] - w[TWIN_WH] * parts[EE_QUALITY_HALLUCINATION];
  rqs = fmin(1, fmax(0, rqs));
  if (config->scaled) rqs /= result->maximum;
  parts[EE_QUALITY_RQS] = config->formula ? twin_formula(parts) : rqs;
}

/* Judges two objects. A candidate of NULL or of another type scores 0 in everything. */
static inline void twin_judge(ee_arena *arena, const twin_config *config, const twin_text *texts,
                              const ee_value *expected, const ee_value *candidate, twin_result *result) {
  memset(result, 0, sizeof *result);
  result->config = config;
  if (ee_type_of(expected) != EE_OBJECT) {
    result->failed = true;
    return;
  }
  bool is_object = ee_type_of(candidate) == EE_OBJECT;
  if (!is_object) candidate = NULL;
  if (config->leaves) {
    twin_walk_object(arena, result, "", "", expected, candidate);
  } else {
    for (const ee_value *one = ee_value_child(expected); one != NULL; one = ee_value_next(one)) {
      twin_add(result, one->json.string, one->json.string, one, twin_get(candidate, one->json.string));
    }
    const ee_value *one = candidate == NULL ? NULL : ee_value_child(candidate);
    for (; one != NULL; one = ee_value_next(one)) {
      if (twin_get(expected, one->json.string) == NULL) twin_add(result, one->json.string, one->json.string, NULL, one);
    }
  }
  for (size_t i = 0; i < result->key_count; i++) twin_judge_key(arena, config, texts, result, &result->keys[i]);
  if (is_object) twin_sum_up(config, result);
}

#endif
