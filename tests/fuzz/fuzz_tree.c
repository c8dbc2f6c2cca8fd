/* fuzz_tree.c: two whole documents through ee.tree.
 *
 * The first line chooses the options, the second is the expected document, the third the candidate: JSON, or bytes
 * that choose a document. A document against itself has full score, and neither missing nor spurious values; neither
 * the order of keys nor, but for arrays by index, that of items changes a score. */
#include "data/json/json_writer.h"
#include "fuzz/judging.h"

/* The rules; `*ordered`: the order of items matters; `*alternatives`: {"anyOf": ...} is no value. */
static void print_rules(fuzz_source *source, bool *ordered, bool *alternatives, ee_buffer *out) {
  static const char *const strategies[] = {
      "{\"ee\":\"exact\"}",
      "{\"ee\":\"auto\"}",
      "{\"ee\":\"fuzzy\",\"threshold\":0.5,\"score\":\"similarity\",\"normalize\":[]}",
      "{\"ee\":\"fuzzy\",\"algorithm\":\"token_f1\",\"score\":\"similarity\"}",
      "{\"ee\":\"numeric\",\"tolerance\":1,\"decimal\":\"auto\"}",
      "{\"ee\":\"date\"}",
      "{\"ee\":\"ignore\"}"};
  static const char *const places[] = {"string",        "number", "integer", "boolean",    "mixed",
                                       "*.a",           "a",      "b[*]",    "*.b[*].c",   "c.d",
                                       "[\\\"a.b\\\"]", "/a/0",   "*.k*",    "format:date"};
  static const char *const methods[] = {"optimal", "greedy", "set", "index", "key"};
  static const char *const aggregates[] = {"leaves", "mean", "union"};
  static const char *const tns[] = {"score", "skip", "either"};
  static const char *const unexpected[] = {"fail", "skip", "pass"};
  static const double thresholds[] = {0, 0.5, 1, 0.25};
  ee_buffer_addf(out, "{\"ee\":\"rules\",\"items\":[{\"ee\":\"tree\",\"leaves\":{\"default\":%s",
                 FUZZ_PICK(source, strategies));
  bool used[sizeof places / sizeof *places] = {false}, schema = false;
  for (size_t count = fuzz_below(source, 5); count > 0; count--) {
    size_t place = fuzz_below(source, sizeof places / sizeof *places);
    const char *strategy = FUZZ_PICK(source, strategies);
    if (used[place] || strcmp(places[place], "/a/0") == 0) continue;
    used[place] = true;
    schema = schema || strcmp(places[place], "format:date") == 0;
    ee_buffer_addf(out, ",\"%s\":%s", places[place], strategy);
  }
  size_t method = fuzz_below(source, 5);
  *ordered = strcmp(methods[method], "index") == 0;
  if (strcmp(methods[method], "key") == 0)
    ee_buffer_add_text(out, "},\"arrays\":{\"items\":[\"key\"],\"key\":\"id\"}");
  else if (method < 2)
    ee_buffer_addf(out, "},\"arrays\":{\"items\":[\"%s\"],\"threshold\":%g}", methods[method],
                   FUZZ_PICK(source, thresholds));
  else
    ee_buffer_addf(out, "},\"arrays\":\"%s\"", methods[method]);
  if (fuzz_once_in(source, 3)) ee_buffer_add_text(out, ",\"weights\":{\"a\":3,\"*.b\":0.5,\"c[*]\":0}");
  *alternatives = fuzz_once_in(source, 3);
  ee_buffer_addf(out, ",\"aggregate\":\"%s\",\"clip\":%g,\"clip_unmatched\":%s,\"tn\":\"%s\",\"on_unexpected\":\"%s\"",
                 FUZZ_PICK(source, aggregates), FUZZ_PICK(source, thresholds), fuzz_below(source, 2) ? "true" : "false",
                 FUZZ_PICK(source, tns), FUZZ_PICK(source, unexpected));
  ee_buffer_addf(out, ",\"null\":\"%s\",\"alternatives\":%s,\"max_pairs\":%d",
                 fuzz_below(source, 2) ? "value" : "absent", *alternatives ? "true" : "false",
                 fuzz_once_in(source, 4) ? 3 : 4000000);
  if (schema || fuzz_once_in(source, 4))
    ee_buffer_add_text(out,
                       ",\"schema\":{\"properties\":{\"a\":{\"type\":\"integer\"},\"b\":{\"items\":{\"$ref\":\"#\"}},"
                       "\"c\":{\"anyOf\":[{\"format\":\"date\"},{\"type\":\"string\"}]}}}");
  ee_buffer_add_text(out, "}]}");
}

/* The same document, with keys and, unless `ordered`, items in another order. */
static ee_value *turned(fuzz_source *source, const ee_value *value, bool ordered, ee_arena *arena) {
  ee_type type = ee_type_of(value);
  if (type < EE_ARRAY) return ee_value_copy(arena, value);
  size_t count = ee_value_count(value), i = 0;
  const ee_value **children = EE_NEW_ARRAY(arena, const ee_value *, count + 1);
  for (const ee_value *child = ee_value_child(value); child != NULL; child = ee_value_next(child))
    children[i++] = child;
  for (i = 0; i + 1 < count && (type == EE_OBJECT || !ordered); i++) {
    size_t other = i + fuzz_below(source, count - i);
    const ee_value *moved = children[i];
    children[i] = children[other];
    children[other] = moved;
  }
  ee_value *copy = ee_value_new(arena, type);
  for (i = 0; i < count; i++) {
    ee_value *child = turned(source, children[i], ordered, arena);
    if (type == EE_OBJECT)
      ee_value_set(arena, copy, ee_value_key(children[i]), child);
    else
      ee_value_append(copy, child);
  }
  return copy;
}

static int ee_fuzz_one(const uint8_t *data, size_t size) {
  ee_arena arena, cases;
  ee_arena_init(&arena, 0);
  ee_arena_init(&cases, 0);
  fuzz_source source = fuzz_source_of(data, size);
  ee_str line = fuzz_line(&source);
  fuzz_source options = fuzz_source_of((const uint8_t *)line.data, line.length);
  ee_buffer rules = {0};
  bool ordered, alternatives;
  print_rules(&options, &ordered, &alternatives, &rules);
  const ee_plan *plan = fuzz_plan(&rules, &arena);
  ee_open_plan open;
  ee_error error = {0};
  fuzz_require(ee_open_plan_init(&open, plan, NULL, NULL, &error) == EE_OK);
  const ee_value *expected = fuzz_line_document(&source, &arena), *candidate = fuzz_line_document(&source, &arena);
  ee_case_result result = fuzz_judge(&open, expected, candidate, EE_DETAIL_MISSES, &cases);
  double score = result.judges[0].score;
  uint64_t given_up = result.given_up;
  fuzz_require(fuzz_judge(&open, expected, candidate, EE_DETAIL_FULL, &cases).judges[0].score == score || given_up > 0);
  if (getenv("EE_FUZZ_VERBOSE") != NULL) {
    ee_buffer shown = {0};
    ee_json_write_value(&shown, expected);
    ee_buffer_add_char(&shown, '\n');
    ee_json_write_value(&shown, candidate);
    fprintf(stderr, "%.*s\n%.*s\n%g\n", (int)rules.length, rules.data, (int)shown.length, shown.data, score);
    ee_buffer_fini(&shown);
  }
  const ee_value *other = turned(&options, candidate, ordered, &arena);
  if (ee_type_of(candidate) != EE_ARRAY || !alternatives)
    fuzz_require(
        fuzz_judge(&open, turned(&options, expected, ordered || alternatives, &arena), other, EE_DETAIL_MISSES, &cases)
                .judges[0]
                .score == score ||
        given_up > 0);
  fuzz_judge(&open, expected, NULL, EE_DETAIL_MISSES, &cases);
  if (!alternatives) {
    ee_case_result own = fuzz_judge(&open, expected, expected, EE_DETAIL_MISSES, &cases);
    fuzz_require(own.judges[0].score == 1 || own.given_up > 0);
    for (size_t i = 0; i < own.judges[0].attribute_count; i++)
      fuzz_require(own.judges[0].attributes[i].counts.fp == 0 && own.judges[0].attributes[i].counts.fn == 0);
  }
  ee_open_plan_fini(&open);
  ee_buffer_fini(&rules);
  ee_arena_fini(&cases);
  ee_arena_fini(&arena);
  return 0;
}

EE_FUZZ_TARGET(1024)
