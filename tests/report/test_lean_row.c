/* test_lean_row.c: rows read lean are the rows read whole, also where they are damaged. */
#include "report/lean_row.h"

#include <stdio.h>
#include <string.h>

#include "support/arena.h"
#include "support/random.h"

enum { MOST = 4096 };

#define METRICS(name, counts) "\"" name "\":{" counts "}"
#define RIGHT "\"tp\":1,\"tn\":0,\"fp\":0,\"fn\":0,\"precision\":1,\"recall\":1,\"f1\":1"
#define WRONG "\"tp\":0,\"tn\":0,\"fp\":1,\"fn\":1,\"incorrect\":1,\"spurious\":0"
#define HEAD                                                                                                           \
  "{\"schema\":2,\"id\":\"a\xc3\xa9\",\"version\":\"0.1.0\",\"rules_hash\":\"7c2e9166d0adac6e\",\"expected_hash\":"    \
  "\"8cd15340b9b9a31a\","

static const char *const samples[] = {
    HEAD
    "\"score\":0.5,\"verdict\":\"fail\",\"detail\":\"misses\",\"slices\":{\"lang\":[\"de\"]},\"hits\":[\"x\"],"
    "\"misses\":[\"y \\\" (z)\"],"
    "\"reasoning\":\"f: 1/2\",\"candidate_answer\":{\"a\":[1,{\"b\":null}],\"c\":\"\\ud83d\\ude00 "
    "\xc3\xa9\"},\"rule_errors\":1,"
    "\"measures\":{\"cost\":0.25},\"evaluator_results\":[{\"name\":\"f\",\"type\":\"fields\",\"score\":0.5,\"weight\":"
    "2,"
    "\"verdict\":\"fail\",\"hits\":[],\"misses\":[],\"reasoning\":\"\",\"details\":{\"metrics\":{" METRICS(
        "x",
        RIGHT) "," METRICS("y",
                           WRONG) "," METRICS("z }",
                                              RIGHT) "},\"alignment\":[{\"expected\":0}],\"mismatches\":[{\"path\":"
                                                     "\"y\",\"expected\":1,\"candidate\":{\"hits\":2}}]}}]}",
    HEAD "\"score\":1,\"evaluator_results\":[{\"name\":\"f\",\"score\":1,\"details\":{\"metrics\":{" METRICS(
        "x", RIGHT) "," METRICS("y",
                                RIGHT) "}}},{\"name\":\"g\",\"type\":\"composite\",\"score\":1,\"details\":{"
                                       "\"vacuous\":true,\"metrics\":{}},"
                                       "\"scores\":[{\"name\":\"h\",\"score\":0,\"details\":{\"metrics\":{" METRICS(
                                           "x", WRONG ",\"derived\":true") "}}}]}]}",
    "{ \"test_id\" : 7 , \"score\" : 0.25 , \"scores\" : [ { \"name\" : \"j\" , \"score\" : 0.25 , \"details\" : { "
    "\"metrics\" : { "
    "\"x\" : { \"tp\" : 1 } , \"mean\" : 3 , \"n\" : { \"deep\" : { } } } } } ] , \"hits\" : [ ] }",
    HEAD
    "\"trial\":2,\"unnamed\":false,\"score\":0.875,\"verdict\":\"borderline\",\"cluster\":\"page 7\",\"hits\":[],"
    "\"candidate_answer\":null,\"candidate_state\":\"unparseable\",\"given_up\":1,\"straight_through\":false,"
    "\"corrections\":{\"changed\":2,\"rows_added\":1,\"row_values\":3,\"checks_failed\":1},\"kept\":\"fail,1%\","
    "\"evaluator_results\":[{\"name\":\"f\",\"type\":\"fields\",\"score\":null,\"place\":3,\"unscored\":true,"
    "\"own_counts\":true,\"details\":{\"metrics\":{" METRICS(
        "x",
        WRONG) "},\"unread\":[{\"field\":\"x\"}],"
               "\"truncated\":true,\"costs\":{\"x\":1.5},\"cost\":2,\"document_confidence\":0.5,\"confidences\":[["
               "\"x\",0.25]]}},"
               "{\"name\":\"g\",\"score\":0.125,\"in_error\":true,\"weight\":0.5,\"details\":{\"vacuous\":false}}]}",
    "{\"schema\": 2, \"id\": \"line:12\", \"rules_hash\": \"7c2e9166d0adac6e\", \"score\": 1, \"verdict\": \"pass\", "
    "\"trial\": \"b\", \"evaluator_results\": [{\"name\": \"f\", \"score\": 1.0, \"details\": {\"metrics\": {}}}]}",
    HEAD "\"score\":1,\"metrics\":{},\"evaluator_results\":[{\"name\":\"f\",\"score\":1,\"details\":{\"metrics\":[1]}},"
         "{\"name\":\"k\",\"score\":1,\"details\":{\"metrics\":{" METRICS("x", RIGHT) "," METRICS("x", WRONG) "}}}]}",
};

/* Reading both ways ----------------------------------------------------------------------------- */

static void count_key(void *user, ee_str key, size_t offset) {
  (void)key, (void)offset;
  ++*(size_t *)user;
}

static bool same_text(ee_str a, ee_str b) { return ee_str_equal(a, b); }

static void compare_judges(const ee_stored_row *lean, const ee_stored_row *whole, const char *text) {
  if (lean->judge_count != whole->judge_count) fail_msg("judges: %s", text);
  for (size_t i = 0; i < whole->judge_count; i++) {
    const ee_stored_judge *a = &lean->judges[i], *b = &whole->judges[i];
    bool same = same_text(a->name, b->name) && same_text(a->type, b->type) && a->has_score == b->has_score &&
                a->in_error == b->in_error && a->unscored == b->unscored && a->vacuous == b->vacuous &&
                a->split == b->split && a->score == b->score && a->weight == b->weight && a->verdict == b->verdict &&
                a->place == b->place && a->attribute_count == b->attribute_count;
    if (!same) fail_msg("judge %zu: %s", i, text);
    for (size_t k = 0; k < b->attribute_count; k++) {
      const ee_stored_attribute *x = &a->attributes[k], *y = &b->attributes[k];
      if (!same_text(x->name, y->name) || x->derived != y->derived ||
          memcmp(&x->counts, &y->counts, sizeof x->counts) != 0)
        fail_msg("attribute %zu of judge %zu: %s", k, i, text);
    }
    const ee_value *lean_details = ee_value_member(a->entry, EE_STR("details"), NULL);
    const ee_value *details = ee_value_member(b->entry, EE_STR("details"), NULL);
    static const char *const kept[] = {"mismatches",          "unread", "truncated", "confidences",
                                       "document_confidence", "costs",  "cost"};
    for (size_t k = 0; k < sizeof kept / sizeof *kept; k++) {
      const ee_value *x = ee_value_member(lean_details, ee_str_from(kept[k]), NULL);
      const ee_value *y = ee_value_member(details, ee_str_from(kept[k]), NULL);
      bool is_empty = ee_type_of(y) == EE_ARRAY && ee_value_count(y) == 0;
      if (!ee_value_equal(x, y) && !(x == NULL && is_empty)) fail_msg("%s of judge %zu: %s", kept[k], i, text);
    }
  }
}

/* Reads `text` both ways; what they say must be the same. `*duplicates` of those that the lean one reports. */
static size_t scanned; /* rows that were not read whole */

static bool read_both(ee_lean_rows *rows, const char *text, size_t length, size_t *duplicates) {
  size_t whole_duplicates = 0;
  ee_error why = {0}, reason = {0};
  ee_stored_row lean, whole;
  ee_json_options options = {.on_duplicate_key = count_key, .user = duplicates};
  ee_json_options counted = {.on_duplicate_key = count_key, .user = &whole_duplicates};
  *duplicates = 0;
  const ee_value *record = ee_json_read(&arena, (ee_str){text, length}, &counted, &reason);
  bool good = record != NULL && ee_stored_row_read(record, &arena, &whole, &reason);
  if (ee_lean_rows_read(rows, (ee_str){text, length}, &options, &arena, &lean, &why) != good)
    fail_msg("only one reads %.*s: %s%s", (int)length, text, why.message, reason.message);
  if (!good) {
    if (strcmp(why.message, reason.message) != 0 || why.line != reason.line || why.column != reason.column)
      fail_msg("'%s' at %zu, '%s' at %zu: %.*s", why.message, why.column, reason.message, reason.column, (int)length,
               text);
    return false;
  }
  scanned += lean.record == NULL;
  if (*duplicates != whole_duplicates) fail_msg("%zu duplicate keys: %.*s", *duplicates, (int)length, text);
  bool same = same_text(lean.id, whole.id) && same_text(lean.base, whole.base) && same_text(lean.trial, whole.trial) &&
              same_text(lean.cluster, whole.cluster) && same_text(lean.kept, whole.kept) &&
              lean.unnamed == whole.unnamed && lean.given_up == whole.given_up &&
              lean.has_corrections == whole.has_corrections &&
              memcmp(&lean.corrections, &whole.corrections, sizeof lean.corrections) == 0 &&
              lean.schema == whole.schema && lean.score == whole.score && lean.has_hash == whole.has_hash &&
              lean.has_rules_hash == whole.has_rules_hash && lean.expected_hash == whole.expected_hash &&
              lean.rules_hash == whole.rules_hash && lean.unscored == whole.unscored && lean.verdict == whole.verdict &&
              lean.candidate_state == whole.candidate_state && lean.rule_errors == whole.rule_errors &&
              lean.provider_failures == whole.provider_failures && lean.measure_count == whole.measure_count &&
              ee_value_equal(lean.slices, whole.slices);
  if (!same) fail_msg("%.*s", (int)length, text);
  for (size_t i = 0; i < whole.measure_count; i++)
    assert_true(same_text(lean.measures[i].name, whole.measures[i].name) &&
                lean.measures[i].value == whole.measures[i].value);
  compare_judges(&lean, &whole, text);
  return true;
}

/* Tests ----------------------------------------------------------------------------------------- */

static void test_samples(void **state) {
  (void)state;
  ee_lean_rows *rows = ee_lean_rows_new();
  size_t duplicates, count = sizeof samples / sizeof *samples;
  scanned = 0;
  for (int again = 0; again < 3; again++)
    for (size_t i = 0; i < count; i++) {
      assert_true(read_both(rows, samples[i], strlen(samples[i]), &duplicates));
      assert_int_equal(duplicates, i == count - 1);
    }
  assert_int_equal(scanned, 3 * 3);
  ee_lean_rows_free(rows);
}

/* What makes no document is checked all the same, and its mistakes have their places. */
static void test_mistakes(void **state) {
  (void)state;
  static const char *const broken[] = {
      "{\"id\":\"a\",\"score\":1,\"candidate_answer\":{\"a\":[1,2}}",
      "{\"id\":\"a\",\"score\":1,\"candidate_answer\":\"\xff\"}",
      "{\"id\":\"a\",\"score\":1,\"hits\":[NaN]}",
      "{\"id\":\"a\",\"score\":1,\"reasoning\":\"\\x\"}",
      "{\"id\":\"a\",\"score\":1,\"reasoning\"}",
      "{\"id\":\"a\",\"score\":1,\"reasoning\":",
      "{\"id\":\"a\",\"score\":1,\"hits\":[],}",
      "{\"hits\":[],\"id\":\"a\",\"score\":2}",
      "{\"hits\":[]}",
      "",
      "{\"id\":\"a\",\"score\":1,\"rule_errors\":12",
      "{\"id\":\"a\",\"score\":1,\"trial\":12",
      "{\"hits\":[] \"id\":1}",
      "{\"id\":\"a\",\"score\":1,\"scores\":[{\"details\":{\"metrics\":{\"a\":{\"tp\":01}}}}]}",
      "{\"id\":\"a\",\"score\":1,\"scores\":[{\"details\":{\"metrics\":{\"a\xff\":{\"tp\":1}}}}]}",
      "{\"id\":\"a\",\"score\":1,\"scores\":[{\"details\":{\"metrics\":{\"a\":{\"tp\":1}]}}]}",
      "{\"id\":\"a\",\"score\":1,\"scores\":[{\"details\":{\"metrics\":{\"a\":{\"tp\":1},}}}]}",
  };
  ee_lean_rows *rows = ee_lean_rows_new();
  size_t duplicates;
  for (size_t i = 0; i < sizeof broken / sizeof *broken; i++)
    if (read_both(rows, broken[i], strlen(broken[i]), &duplicates)) fail_msg("read: %s", broken[i]);
  ee_lean_rows_free(rows);
}

/* A key that occurs twice is reported wherever it is. */
static void test_duplicate_keys(void **state) {
  (void)state;
#define JUDGE(inside) "{\"id\":\"a\",\"score\":1,\"evaluator_results\":[{\"name\":\"f\",\"score\":1," inside "}]}"
  static const char *const texts[] = {
      "{\"id\":\"a\",\"score\":1,\"id\":\"b\"}",
      "{\"id\":\"a\",\"score\":1,\"more\":1,\"other\":[],\"more\":2}",
      "{\"id\":\"a\",\"score\":1,\"candidate_answer\":{\"a\":[{\"b\":1,\"c\":2,\"b\":3}]}}",
      "{\"id\":\"a\",\"score\":1,\"straight_through\":false,\"corrections\":{\"changed\":1,\"removed\":1,\"changed\":2}"
      "}",
      JUDGE("\"name\":\"g\""),
      JUDGE("\"details\":{\"vacuous\":true,\"cost\":1,\"vacuous\":false}"),
      JUDGE("\"details\":{\"mismatches\":[{\"path\":\"a\",\"path\":\"b\"}]}"),
      JUDGE("\"details\":{\"metrics\":{\"x\":{\"tp\":1},\"y\":{\"tp\":1},\"x\":{\"tp\":2}}}"),
      JUDGE("\"details\":{\"metrics\":{\"x\":{\"tp\":1},\"x\":{\"tp\":1}}}"),
      JUDGE("\"details\":{\"metrics\":{\"x\":{\"tp\":1,\"fp\":0,\"tp\":2}}}"),
  };
  ee_lean_rows *rows = ee_lean_rows_new();
  size_t duplicates;
  for (size_t i = 0; i < 2 * sizeof texts / sizeof *texts; i++) {
    const char *text = texts[i % (sizeof texts / sizeof *texts)];
    assert_true(read_both(rows, text, strlen(text), &duplicates));
    assert_int_equal(duplicates, 1);
    ee_arena_reset(&arena, 0);
  }
  ee_lean_rows_free(rows);
}

/* Finds the keys and the values, and takes one for another. */
static size_t exchange(test_random *random, char *text, size_t length) {
  struct {
    size_t from, to;
  } parts[400];
  size_t count = 0;
  for (size_t at = 0; at + 1 < length && count < 400; at++) {
    if (strchr(",:{[", text[at]) == NULL) continue;
    size_t to = at + 1;
    for (bool quoted = false; to < length && (quoted || strchr(",:]}", text[to]) == NULL); to++)
      if (text[to] == '"') quoted = !quoted;
    parts[count].from = at + 1;
    parts[count++].to = to;
  }
  if (count == 0) return length;
  size_t into = test_random_below(random, count), of = test_random_below(random, count);
  static const char *const others[] = {"null",
                                       "true",
                                       "\"score\"",
                                       "\"id\"",
                                       "[]",
                                       "{}",
                                       "0",
                                       "1e0",
                                       "-0",
                                       "0.1234567890123456789",
                                       "\"scores\"",
                                       "\"\\u0069d\"",
                                       "\"line:7\"",
                                       "\"\\u00e9\"",
                                       "\"a\":1,\"a\":2",
                                       "{\"a\":1,\"a\":2}",
                                       "12345678901234"};
  static char part[MOST];
  const char *from = text + parts[of].from;
  size_t size = parts[of].to - parts[of].from, gap = parts[into].to - parts[into].from;
  if (test_random_below(random, 2) == 0) {
    from = others[test_random_below(random, sizeof others / sizeof *others)];
    size = strlen(from);
  }
  if (length - gap + size > MOST) return length;
  memcpy(part, from, size);
  memmove(text + parts[into].from + size, text + parts[into].to, length - parts[into].to);
  memcpy(text + parts[into].from, part, size);
  return length - gap + size;
}

static size_t damage(test_random *random, char *text, size_t length) {
  static const char bytes[] = "{}[]\",:\\ 01-.eatpfn\x80\xc3\x01";
  size_t at = test_random_below(random, length), run = 1 + test_random_below(random, 12);
  if (length == 0) return 0;
  switch (test_random_below(random, 7)) {
  case 0: text[at] = bytes[test_random_below(random, sizeof bytes - 1)]; return length;
  case 1: /* without some bytes */
    if (at + run >= length) return length;
    memmove(text + at, text + at + run, length - at - run);
    return length - run;
  case 2: /* cut */ return 1 + at;
  case 3: /* some bytes twice */
    if (at + run >= length || length + run >= MOST) return length;
    memmove(text + at + run, text + at, length - at);
    return length + run;
  default: return exchange(random, text, length);
  }
}

static void test_damaged(void **state) {
  (void)state;
  test_random random = test_random_start("damaged rows", 20261122);
  ee_lean_rows *rows = ee_lean_rows_new();
  size_t duplicates, good = 0;
  static char text[MOST];
  scanned = 0;
  for (int i = 0; i < 60000; i++) {
    const char *sample = samples[test_random_below(&random, sizeof samples / sizeof *samples)];
    size_t length = strlen(sample);
    memcpy(text, sample, length + 1);
    for (size_t k = test_random_below(&random, 3); k > 0; k--) length = damage(&random, text, length);
    /* In memory of its own, so that a sanitizer sees what is read beyond it. */
    char *copy = ee_arena_copy(&arena, text, length);
    good += read_both(rows, copy, length, &duplicates);
    ee_arena_reset(&arena, 0);
  }
  assert_true(good > 20000 && good < 50000 && scanned > good / 5);
  ee_lean_rows_free(rows);
}

/* More names and texts than are kept: 20,000 and 4,000; rows with further ones are read whole. */
static void test_many(void **state) {
  (void)state;
  size_t duplicates;
  for (int texts = 0; texts < 2; texts++) {
    const int most = texts ? 4000 : 20000;
    ee_lean_rows *rows = ee_lean_rows_new();
    scanned = 0;
    for (int i = 0; i < most + 100; i++) {
      const char *text = ee_arena_printf(&arena,
                                         "{\"id\":\"a\",\"score\":1,\"evaluator_results\":[{\"name\":\"j\",\"score\":1,"
                                         "\"details\":{\"metrics\":{\"f%d\":{\"tp\":%d}}}}]}",
                                         texts ? 0 : i, texts ? i : 1);
      assert_true(read_both(rows, text, strlen(text), &duplicates));
      assert_int_equal(scanned, i < most ? i + 1 : most);
      ee_arena_reset(&arena, 0);
    }
    ee_lean_rows_free(rows);
  }
  ee_lean_rows_free(NULL);
}

/* Rows that need no document -------------------------------------------------------------------- */

static const char *one_of(test_random *random, const char *const *texts, size_t count) {
  return texts[test_random_below(random, count)];
}
#define ONE_OF(random, ...)                                                                                            \
  one_of(random, (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

/* An object or array of the members that some of `choices` have; "" is none. In any order, with white space. */
static const char *join(test_random *random, const char **members, size_t count, const char *brackets) {
  if (test_random_below(random, 3) == 0)
    for (size_t i = count; i > 1; i--) {
      size_t other = test_random_below(random, i);
      const char *kept = members[i - 1];
      members[i - 1] = members[other], members[other] = kept;
    }
  const char *space = test_random_below(random, 4) == 0 ? " \n" : "", *text = "";
  for (size_t i = 0; i < count; i++)
    if (*members[i] != '\0')
      text = ee_arena_printf(&arena, "%s%s%s%s%s", text, *text != '\0' ? "," : "", space, members[i], space);
  return ee_arena_printf(&arena, "%c%s%s%c", brackets[0], *text == '\0' ? space : "", text, brackets[1]);
}
#define JOIN(random, brackets, ...)                                                                                    \
  join(random, (const char *[]){__VA_ARGS__}, sizeof((const char *[]){__VA_ARGS__}) / sizeof(const char *), brackets)

/* Metrics have neither white space nor another order than that of their rules. */
static const char *random_metrics(test_random *random) {
  static const char *const names[] = {"total", "vendor", "a}b", "lines", "macro", "\u6771", ""};
  const char *text = "";
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (test_random_below(random, 3) == 0) continue;
    const char *counts = ONE_OF(random, "{" RIGHT "}", "{" WRONG "}", "{" WRONG ",\"derived\":true}", "{\"tp\":1}",
                                "{}", "{\"mean\":0.5}");
    if (test_random_below(random, 4) == 0)
      counts = ee_arena_printf(&arena, "{\"tp\":%zu,\"fp\":2,\"fn\":0}", test_random_below(random, 100));
    text = ee_arena_printf(&arena, "%s%s\"%s\":%s", text, *text != '\0' ? "," : "", names[i], counts);
  }
  return ee_arena_printf(&arena, "\"metrics\":{%s}", text);
}

static const char *random_details(test_random *random) {
  return JOIN(
      random, "{}", ONE_OF(random, "", random_metrics(random)),
      ONE_OF(random, "", "\"mismatches\":[]", "\"mismatches\":[{\"path\":\"a\",\"expected\":{\"x\":[1,\"\\\"\"]}}]"),
      ONE_OF(random, "", "\"unread\":[{\"field\":\"x\"}]", "\"unread\":[]"),
      ONE_OF(random, "", "\"truncated\":true", "\"truncated\":{\"misses\":3}"),
      ONE_OF(random, "", "\"confidences\":[[\"x\",0.25]]"), ONE_OF(random, "", "\"document_confidence\":0.5"),
      ONE_OF(random, "", "\"costs\":{\"x\":1.5}"), ONE_OF(random, "", "\"cost\":2"),
      ONE_OF(random, "", "\"vacuous\":true", "\"vacuous\":false"),
      ONE_OF(random, "", "\"alignment\":[{\"expected\":0,\"candidate\":1}]"),
      ONE_OF(random, "", "\"outcomes\":{\"a\":{\"b\":[]}}"));
}

static const char *random_judge(test_random *random, size_t number) {
  return JOIN(random, "{}", ee_arena_printf(&arena, "\"name\":\"judge %zu\"", number),
              ONE_OF(random, "", "\"type\":\"fields\"", "\"type\":\"\""),
              ONE_OF(random, "\"score\":0.5", "\"score\":1", "\"score\":0", "\"score\":1e-1", "\"score\":null", ""),
              ONE_OF(random, "", "", "\"place\":1", "\"place\":7", "\"place\":0", "\"place\":999999999999"),
              ONE_OF(random, "", "\"weight\":2", "\"weight\":0", "\"weight\":-1", "\"weight\":0.25", "\"weight\":null"),
              ONE_OF(random, "", "\"verdict\":\"pass\"", "\"verdict\":\"fail\"", "\"verdict\":\"good\""),
              ONE_OF(random, "\"hits\":[]", "\"hits\":[\"a\",\"b (\\u00e9)\"]"), "\"misses\":[[],{},null]",
              "\"reasoning\":\"1 of 2\\n\"", ONE_OF(random, "", "\"unscored\":true", "\"unscored\":false"),
              ONE_OF(random, "", "\"in_error\":true", "\"in_error\":false"),
              ONE_OF(random, "", "\"own_counts\":true", "\"own_counts\":false"),
              ONE_OF(random, "", "\"note\":{\"x\":1}"),
              ONE_OF(random, "", ee_arena_printf(&arena, "\"details\":%s", random_details(random))));
}

static const char *random_corrections(test_random *random) {
  const char *counts = JOIN(random, "{}", ONE_OF(random, "", "\"changed\":2"), ONE_OF(random, "", "\"missing\":1"),
                            ONE_OF(random, "", "\"removed\":3"), ONE_OF(random, "", "\"rows_added\":4"),
                            ONE_OF(random, "", "\"rows_removed\":5"), ONE_OF(random, "", "\"row_values\":6"),
                            ONE_OF(random, "", "\"optional_missing\":7"), ONE_OF(random, "", "\"checks_failed\":8"));
  return ee_arena_printf(&arena, "\"corrections\":%s", counts);
}

static const char *random_row(test_random *random) {
  const char *judges[4] = {""};
  size_t count = test_random_below(random, 4);
  for (size_t i = 0; i < count; i++) judges[i] = random_judge(random, i);
  return JOIN(
      random, "{}", ONE_OF(random, "\"schema\":2", "\"schema\":1", "\"schema\":3", ""),
      ONE_OF(random, "\"id\":\"a\"", "\"id\":\"line:12\"", "\"id\":\"\u00e9\u6771\"", "\"id\":\"\""),
      ONE_OF(random, "", "\"trial\":2", "\"trial\":\"b\"", "\"trial\":0", "\"trial\":120000000000"),
      ONE_OF(random, "", "\"unnamed\":true", "\"unnamed\":false"), "\"version\":\"0.1.0\"",
      ONE_OF(random, "", "\"rules_hash\":\"7c2e9166d0adac6e\""),
      ONE_OF(random, "", "\"expected_hash\":\"8cd15340b9b9a31a\"", "\"expected_hash\":\"ffffffffffffffff\""),
      ONE_OF(random, "\"score\":0.5", "\"score\":1", "\"score\":0", "\"score\":1.0000000001", "\"score\":-1e-10"),
      ONE_OF(random, "", "\"verdict\":\"pass\"", "\"verdict\":\"borderline\"", "\"verdict\":\"fail\""),
      ONE_OF(random, "", "\"unscored\":true", "\"unscored\":false"), ONE_OF(random, "", "\"detail\":\"full\""),
      ONE_OF(random, "", "\"cluster\":\"page 7\"", "\"cluster\":\"\""),
      ONE_OF(random, "", "\"slices\":{\"lang\":[\"de\"]}", "\"slices\":{}", "\"slices\":[]", "\"slices\":7"),
      ONE_OF(random, "", "\"hits\":[]"), ONE_OF(random, "", "\"misses\":[\"a\"]"),
      ONE_OF(random, "", "\"reasoning\":\"\""),
      ONE_OF(random, "", "\"candidate_answer\":{\"a\":[1,-2.5e3,true,false,null,\"\\\\\"]}"),
      ONE_OF(random, "", "\"candidate_state\":\"missing\"", "\"candidate_state\":\"unparseable\"",
             "\"candidate_state\":\"\""),
      ONE_OF(random, "", "\"rule_errors\":0", "\"rule_errors\":3"), ONE_OF(random, "", "\"provider_failures\":12"),
      ONE_OF(random, "", "\"given_up\":10"),
      ONE_OF(random, "", "\"measures\":{\"cost\":0.25,\"time\":\"x\"}", "\"measures\":{}", "\"measures\":[]"),
      ONE_OF(random, "", "\"straight_through\":true", "\"straight_through\":false"),
      ONE_OF(random, "", random_corrections(random)),
      ee_arena_printf(&arena, "\"evaluator_results\":%s", join(random, judges, count, "[]")),
      ONE_OF(random, "", "\"kept\":\"fail,1%\"", "\"kept\":\"\""), ONE_OF(random, "", "\"more\":[{\"id\":1}]"));
}

/* What this program writes is scanned, in any order of members and with white space, and with members of others. */
static void test_scanned(void **state) {
  (void)state;
  test_random random = test_random_start("scanned rows", 20261124);
  ee_lean_rows *rows = ee_lean_rows_new();
  size_t duplicates;
  for (int i = 0; i < 10000; i++) {
    const char *text = random_row(&random);
    char *copy = ee_arena_copy(&arena, text, strlen(text)); /* of its very size and a NUL */
    scanned = 0;
    assert_true(read_both(rows, copy, strlen(text), &duplicates));
    if (scanned != 1) fail_msg("read whole: %s", text);
    ee_arena_reset(&arena, 0);
  }
  ee_lean_rows_free(rows);
}

/* A row up to the bounds is scanned, and one beyond them read whole. */
static void assert_scanned(const char *text, bool is_scanned) {
  ee_lean_rows *rows = ee_lean_rows_new();
  size_t duplicates;
  scanned = 0;
  for (int again = 0; again < 2; again++) /* what is known is read again */
    assert_true(read_both(rows, text, strlen(text), &duplicates));
  if (scanned != (is_scanned ? 2 : 0)) fail_msg("scanned %zu times: %.200s", scanned, text);
  ee_lean_rows_free(rows);
}

static void test_bounds(void **state) {
  (void)state;
#define ROW(more) "{\"id\":\"a\",\"score\":1" more ",\"evaluator_results\":[]}"
  assert_scanned(ROW(",\"rule_errors\":999999999999"), true);
  assert_scanned(ROW(",\"rule_errors\":1000000000000"), false);
  assert_scanned(ROW(",\"trial\":999999999999"), true);
  assert_scanned(ROW(",\"trial\":1000000000000"), false);
  assert_scanned(ROW(",\"trial\":1.5"), false);
  assert_scanned(ROW(",\"trial\":1e2"), false);
  assert_scanned(ROW(",\"trial\":1E2"), false);
  assert_scanned(ROW(",\"rules_hash\":\"7c2e9166d0adac6g\""), false);
  assert_scanned(ROW(",\"rules_hash\":\"7c2e9166d0adac6\""), false);
  assert_scanned(ROW(",\"rules_hash\":\"7c2e9166d0adac6e1\""), false);
  assert_scanned(ROW(",\"cluster\":\"\\u0061\""), false);
  assert_scanned(ROW(",\"unscored\":null"), false);
  assert_scanned("{\"id\":\"a\",\"score\":1,\"evaluator_results\":[{\"score\":1}]}", false);
  assert_scanned("{\"id\":\"a\",\"score\":1,\"evaluator_results\":[{\"name\":\"b\",\"score\":2}]}", false);
  assert_scanned("{\"id\":\"a\",\"score\":1,\"evaluator_results\":[{\"name\":\"b\"},{\"name\":\"b\"}]}", false);
  assert_scanned("{\"id\":\"a\",\"score\":1,\"scores\":[]}", false);
  /* 64 judges. */
  for (size_t count = 64; count <= 65; count++) {
    const char *judges = "";
    for (size_t i = 0; i < count; i++)
      judges = ee_arena_printf(&arena, "%s%s{\"name\":\"%zu\",\"score\":1}", judges, i > 0 ? "," : "", i);
    assert_scanned(ee_arena_printf(&arena, "{\"id\":\"a\",\"score\":1,\"evaluator_results\":[%s]}", judges),
                   count == 64);
  }
  /* Names of 1000 bytes, and counts of 400. */
  for (int i = 0; i < 2; i++) {
#define METRICS_OF                                                                                                     \
  "{\"id\":\"a\",\"score\":1,\"evaluator_results\":[{\"name\":\"b\",\"score\":1,\"details\":{\"metrics\":{"
    const char *name = ee_arena_printf(&arena, "%0*d", 1000 + i, 0);
    assert_scanned(ee_arena_printf(&arena, METRICS_OF "\"%s\":{\"tp\":1}}}}]}", name), i == 0);
    const char *more = ee_arena_printf(&arena, "%0*d", 400 - 13 + i, 0);
    assert_scanned(ee_arena_printf(&arena, METRICS_OF "\"x\":{\"tp\":1,\"%s\":1}}}}]}", more), i == 0);
  }
  /* A row of 1 MiB. */
  for (size_t length = (size_t)1 << 20; length <= ((size_t)1 << 20) + 1; length++) {
    char *text = ee_arena_alloc(&arena, length + 1);
    static const char begin[] = "{\"id\":\"a\",\"score\":1,\"hits\":[\"", end[] = "\"]}";
    memset(text, 'x', length);
    memcpy(text, begin, sizeof begin - 1);
    memcpy(text + length - (sizeof end - 1), end, sizeof end);
    assert_scanned(text, length == (size_t)1 << 20);
  }
  ee_arena_reset(&arena, 0);
}

EE_TEST_FILE(make_arena, free_arena, cmocka_unit_test(test_samples), cmocka_unit_test(test_mistakes),
             cmocka_unit_test(test_duplicate_keys), cmocka_unit_test(test_damaged), cmocka_unit_test(test_many),
             cmocka_unit_test(test_scanned), cmocka_unit_test(test_bounds));
