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

/* More names and texts than are kept. */
static void test_many(void **state) {
  (void)state;
  ee_lean_rows *rows = ee_lean_rows_new();
  size_t duplicates;
  static char text[MOST];
  for (int i = 0; i < 30000; i++) {
    int length = snprintf(
        text, sizeof text,
        "{\"id\":\"a\",\"score\":1,\"scores\":[{\"details\":{\"metrics\":{\"f%d\":{\"tp\":%d},\"g\":{\"fp\":1}}}}]}", i,
        i / 3);
    assert_true(read_both(rows, text, (size_t)length, &duplicates));
    ee_arena_reset(&arena, 0);
  }
  ee_lean_rows_free(rows);
}

EE_TEST_FILE(make_arena, free_arena, cmocka_unit_test(test_samples), cmocka_unit_test(test_mistakes),
             cmocka_unit_test(test_damaged), cmocka_unit_test(test_many));
