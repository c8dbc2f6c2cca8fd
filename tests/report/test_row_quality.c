/* test_row_quality.c: the details of ee.quality in a row, from results made by hand. */
#include <stdlib.h>

#include "data/json/json_reader.h"
#include "judge/judge.h"
#include "judge/quality/quality.h"
#include "report/row.h"
#include "support/random.h"

typedef struct hand_made {
  ee_arena arena;
  ee_judge judge;
  ee_judge_result judged;
  ee_quality_result quality;
  ee_case source;
  ee_case_result result;
} hand_made;

static void hand_made_open(hand_made *h) {
  memset(h, 0, sizeof *h);
  ee_arena_init(&h->arena, 0);
  h->judge = (ee_judge){.type = &ee_quality_judge, .name = EE_STR("quality"), .weight = 1};
  h->judged = (ee_judge_result){.judge = &h->judge, .case_metrics = h->quality.parts, .details = &h->quality};
  memcpy(h->quality.weights, (const double[]){0.45, 0.25, 0.15, 0.15}, sizeof h->quality.weights);
  h->source = (ee_case){.id = EE_STR("x"), .candidate_state = EE_CANDIDATE_MISSING};
  h->result = (ee_case_result){.source = &h->source, .judges = &h->judged, .judge_count = 1};
}

static void hand_made_close(hand_made *h) { ee_arena_fini(&h->arena); }

/* The row's text, in the arena. */
static const char *row_of(hand_made *h) {
  ee_buffer out = {0};
  ee_row_write(&h->result, &h->arena, &out);
  const char *text = ee_arena_copy(&h->arena, out.data, out.length);
  assert_int_equal(strlen(text), out.length);
  ee_buffer_fini(&out);
  return text;
}

/* Only the details, without the braces that end judge, list and row. */
static const char *details_of(hand_made *h) {
  const char *row = row_of(h), *details = strstr(row, "\"details\":");
  assert_non_null(details);
  details += strlen("\"details\":");
  return ee_arena_copy(&h->arena, details, strlen(details) - strlen("}]}\n"));
}

static const ee_value *read_details(hand_made *h) {
  ee_error error;
  const ee_value *value = ee_json_read(&h->arena, ee_str_from(details_of(h)), NULL, &error);
  if (value == NULL) fail_msg("%s: %s", error.message, details_of(h));
  return value;
}

static const ee_value *member(const ee_value *value, const char *key) {
  const ee_value *found = ee_value_member(value, ee_str_from(key), NULL);
  if (found == NULL) fail_msg("no member '%s'", key);
  return found;
}

static double number(const ee_value *value, const char *key) {
  assert_int_equal(ee_type_of(member(value, key)), EE_NUMBER);
  return ee_value_number(member(value, key));
}

static bool has(const ee_value *value, const char *key) {
  return ee_value_member(value, ee_str_from(key), NULL) != NULL;
}

#define KEY(name, which) .path = EE_STR(name), .attribute = EE_STR(name), .bucket = (which)

/* The worked example of the documentation, with two fields more: one that does not match, one that is ignored. */
static void test_bytes(void **state) {
  (void)state;
  const ee_quality_key keys[] = {
      {KEY("name", EE_QUALITY_BOTH), .strategy = "FUZZY", .why = "config", .compared = true,
       .comparison = {.score = 1, .matched = true, .similarity = 0.9}},
      {KEY("a \"b\"", EE_QUALITY_BOTH), .strategy = "EXACT", .why = "number", .compared = true,
       .comparison = {.similarity = 0, .reason = {.kind = EE_REASON_VALUE_MISMATCH}}},
      {KEY("bio", EE_QUALITY_BOTH), .strategy = "SEMANTIC", .why = "text", .compared = true,
       .comparison = {.similarity = -1, .reason = EE_REASON_OF("no \"answer\"")}},
      {KEY("note", EE_QUALITY_BOTH), .ignored = true, .strategy = "IGNORE", .why = "config"},
      {KEY("internal_id", EE_QUALITY_UNEXPECTED), .strategy = "SEMANTIC", .why = "text"},
      {KEY("status", EE_QUALITY_MISSING), .strategy = "SEMANTIC", .why = "text"},
      {KEY("nothing", EE_QUALITY_NEITHER), .strategy = "SEMANTIC", .why = "text"},
      {KEY("extra_field", EE_QUALITY_EXTRA), .strategy = "SEMANTIC", .why = "text"},
  };
  hand_made h;
  hand_made_open(&h);
  h.quality.keys = keys;
  h.quality.key_count = 8;
  memcpy(h.quality.counts, (const size_t[]){4, 1, 1, 1, 1}, sizeof h.quality.counts);
  h.quality.distinct_keys = 8;
  h.quality.compared = 3;
  h.quality.score_sum = 1;
  memcpy(h.quality.parts, (const double[]){0.4625, 1.0 / 3, 0.8, 1, 0.25}, sizeof h.quality.parts);
  ee_mismatch mismatch = {
      .finding = {.path = EE_STR("bio"), .row = EE_NO_ROW, .field = EE_STR(""), .reason = keys[2].comparison.reason},
      .value_class = EE_CLASS_MISSING};
  h.judged.mismatches = &mismatch;
  h.judged.mismatch_count = 1;
#define MEASURES                                                                                                       \
  "{\"metrics\":{},\"rqs\":0.4625,\"accuracy\":0.3333333333333333,\"completeness\":0.8,\"safety\":1,"                  \
  "\"hallucination\":0.25"
#define WEIGHTS ",\"weights\":{\"accuracy\":0.45,\"completeness\":0.25,\"safety\":0.15,\"hallucination\":0.15}"
#define MISMATCHES                                                                                                     \
  ",\"mismatches\":[{\"path\":\"bio\",\"score\":0,\"reason\":\"no \\\"answer\\\"\",\"class\":\"missing\"}]}"
#define COUNTS                                                                                                         \
  ",\"counts\":{\"both_non_null\":4,\"aio_missing_or_null\":1,\"gt_non_null\":5,\"gt_null_aio_has_value\":1,"          \
  "\"extra_keys\":1,\"distinct_keys\":8,\"compared\":3}"
#define FIELDS                                                                                                         \
  ",\"fields\":[{\"path\":\"name\",\"strategy\":\"FUZZY\",\"why\":\"config\",\"similarity\":0.9,\"score\":1},"         \
  "{\"path\":\"a \\\"b\\\"\",\"strategy\":\"EXACT\",\"why\":\"number\",\"similarity\":0,\"score\":0,"                  \
  "\"reason\":\"value mismatch\"},"                                                                                    \
  "{\"path\":\"bio\",\"strategy\":\"SEMANTIC\",\"why\":\"text\",\"score\":0,\"reason\":\"no \\\"answer\\\"\"}]"
  assert_string_equal(details_of(&h), MEASURES WEIGHTS COUNTS
                      ",\"buckets\":{\"both_non_null\":[\"name\",\"a \\\"b\\\"\",\"bio\",\"note\"],"
                      "\"aio_missing_or_null\":[\"status\"],\"gt_null_aio_has_value\":[\"internal_id\"],"
                      "\"extra_keys\":[\"extra_field\"],\"ignored\":[\"note\"]}" FIELDS MISMATCHES);

  /* Ignored everywhere: in no bucket. */
  h.quality.counts[EE_QUALITY_BOTH] = 3;
  h.quality.distinct_keys = 7;
  assert_non_null(strstr(details_of(&h), "\"buckets\":{\"both_non_null\":[\"name\",\"a \\\"b\\\"\",\"bio\"],"));
  assert_non_null(strstr(details_of(&h), "\"ignored\":[\"note\"]}"));

  h.quality.maximum = 0.85;
  assert_non_null(strstr(details_of(&h), "\"hallucination\":0.15},\"maximum\":0.85,\"counts\""));
  h.quality.maximum = 0;
  h.quality.by_formula = true;
  assert_non_null(strstr(details_of(&h), "\"hallucination\":0.15},\"formula\":true,\"counts\""));
  hand_made_close(&h);
}

/* Without a candidate there is no result, and the parts are told all the same. */
static void test_without_result(void **state) {
  (void)state;
  hand_made h;
  hand_made_open(&h);
  h.judged.details = NULL;
  assert_string_equal(details_of(&h), "{\"metrics\":{},\"rqs\":0,\"accuracy\":0,\"completeness\":0,\"safety\":0,"
                                      "\"hallucination\":0,\"mismatches\":[]}");
  hand_made_close(&h);
}

/* Empty objects on both sides: lists without entries. */
static void test_no_keys(void **state) {
  (void)state;
  hand_made h;
  hand_made_open(&h);
  h.judged.vacuous = true;
  assert_non_null(strstr(details_of(&h), "\"buckets\":{\"both_non_null\":[],\"aio_missing_or_null\":[],"
                                         "\"gt_null_aio_has_value\":[],\"extra_keys\":[],\"ignored\":[]},"
                                         "\"fields\":[],\"mismatches\":[],\"vacuous\":true}"));
  hand_made_close(&h);
}

/* Each list alone can be the one that is cut. */
static void test_long_lists_are_cut(void **state) {
  (void)state;
  static const struct {
    ee_quality_bucket bucket;
    bool ignored, compared;
    const char *list;
  } kinds[] = {{EE_QUALITY_BOTH, false, false, "both_non_null"},
               {EE_QUALITY_MISSING, false, false, "aio_missing_or_null"},
               {EE_QUALITY_UNEXPECTED, false, false, "gt_null_aio_has_value"},
               {EE_QUALITY_EXTRA, false, false, "extra_keys"},
               {EE_QUALITY_NEITHER, true, false, "ignored"},
               {EE_QUALITY_NEITHER, false, true, NULL}};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    for (size_t count = 49; count <= 52; count++) {
      hand_made h;
      hand_made_open(&h);
      ee_quality_key *keys = EE_NEW_ARRAY(&h.arena, ee_quality_key, count);
      for (size_t i = 0; i < count; i++)
        keys[i] = (ee_quality_key){KEY("p", kinds[k].bucket),
                                   .ignored = kinds[k].ignored,
                                   .compared = kinds[k].compared,
                                   .strategy = "EXACT",
                                   .why = "text",
                                   .comparison = {.matched = true, .score = 1, .similarity = 1}};
      h.quality.keys = keys;
      h.quality.key_count = h.quality.distinct_keys = count;
      const ee_value *details = read_details(&h);
      const ee_value *buckets = member(details, "buckets");
      const ee_value *list = kinds[k].list != NULL ? member(buckets, kinds[k].list) : member(details, "fields");
      assert_int_equal(ee_value_count(list), count < 50 ? count : 50);
      assert_int_equal(has(details, "truncated"), count > 50);
      hand_made_close(&h);
    }
  }
}

/* Random results -------------------------------------------------------------------------------- */

static ee_str random_text(test_random *random, ee_arena *arena) {
  static const char *const pieces[] = {"a",  "total", "\"", "\\", "\n", "\x01", "\xc3\xa9", " ", "\xf0\x9f\x98\x80",
                                       "[0]"};
  ee_buffer text = {0};
  for (size_t i = test_random_below(random, 5); i > 0; i--)
    ee_buffer_add_text(&text, pieces[test_random_below(random, 10)]);
  ee_str copy = {ee_arena_copy(arena, text.data, text.length), text.length};
  ee_buffer_fini(&text);
  return copy;
}

static void make_random(test_random *random, hand_made *h, bool everywhere) {
  static const char *const strategies[] = {"EXACT", "FUZZY", "SEMANTIC", "numeric"};
  ee_quality_result *quality = &h->quality;
  size_t count = test_random_below(random, 30);
  ee_quality_key *keys = EE_NEW_ARRAY(&h->arena, ee_quality_key, count);
  for (size_t i = 0; i < count; i++) {
    ee_quality_key *key = &keys[i];
    key->path = key->attribute = random_text(random, &h->arena);
    key->bucket = (ee_quality_bucket)test_random_below(random, EE_QUALITY_BUCKETS);
    key->ignored = test_random_below(random, 5) == 0;
    key->strategy = strategies[test_random_below(random, 4)];
    key->why = "config";
    key->compared = key->bucket == EE_QUALITY_BOTH && !key->ignored;
    if (!(everywhere && key->ignored)) {
      quality->counts[key->bucket]++;
      quality->distinct_keys++;
    }
    if (!key->compared) continue;
    bool matched = test_random_below(random, 2) == 0;
    key->comparison = (ee_comparison){.matched = matched,
                                      .score = matched ? 1 : (double)test_random_below(random, 3) / 3,
                                      .similarity = test_random_below(random, 4) == 0 ? -1 : test_random_unit(random),
                                      .reason = {.kind = EE_REASON_TEXT, .text = random_text(random, &h->arena)}};
    quality->compared++;
    quality->score_sum += key->comparison.score;
  }
  quality->keys = keys;
  quality->key_count = count;
  const size_t *counts = quality->counts;
  size_t expected = counts[EE_QUALITY_BOTH] + counts[EE_QUALITY_MISSING];
  size_t invented = counts[EE_QUALITY_UNEXPECTED] + counts[EE_QUALITY_EXTRA];
  double *parts = quality->parts, *weights = quality->weights;
  for (size_t i = 0; i < 4; i++) weights[i] = test_random_unit(random);
  parts[EE_QUALITY_ACCURACY] = quality->compared > 0 ? quality->score_sum / (double)quality->compared : 1;
  parts[EE_QUALITY_COMPLETENESS] = expected > 0 ? (double)counts[EE_QUALITY_BOTH] / (double)expected : 1;
  parts[EE_QUALITY_SAFETY] = test_random_unit(random);
  parts[EE_QUALITY_HALLUCINATION] = quality->distinct_keys > 0 ? (double)invented / (double)quality->distinct_keys : 0;
  double rqs = weights[0] * parts[EE_QUALITY_ACCURACY] + weights[1] * parts[EE_QUALITY_COMPLETENESS] +
               weights[2] * parts[EE_QUALITY_SAFETY] - weights[3] * parts[EE_QUALITY_HALLUCINATION];
  parts[EE_QUALITY_RQS] = rqs < 0 ? 0 : rqs > 1 ? 1 : rqs;
}

/* What a reader makes of the row alone: the sums again, from fields, buckets and weights. */
static void redo_sums(const ee_value *details) {
  double sum = 0;
  size_t compared = 0;
  for (const ee_value *field = ee_value_child(member(details, "fields")); field != NULL; field = ee_value_next(field)) {
    sum += number(field, "score");
    compared++;
  }
  const ee_value *counts = member(details, "counts"), *buckets = member(details, "buckets");
  assert_true(number(counts, "compared") == (double)compared);
  double accuracy = compared > 0 ? sum / (double)compared : 1;
  assert_true(number(details, "accuracy") == accuracy);
  double both = (double)ee_value_count(member(buckets, "both_non_null"));
  double missing = (double)ee_value_count(member(buckets, "aio_missing_or_null"));
  double unexpected = (double)ee_value_count(member(buckets, "gt_null_aio_has_value"));
  double extra = (double)ee_value_count(member(buckets, "extra_keys"));
  assert_true(number(counts, "both_non_null") == both && number(counts, "aio_missing_or_null") == missing);
  assert_true(number(counts, "gt_null_aio_has_value") == unexpected && number(counts, "extra_keys") == extra);
  assert_true(number(counts, "gt_non_null") == both + missing);
  double distinct = number(counts, "distinct_keys");
  double completeness = both + missing > 0 ? both / (both + missing) : 1;
  double hallucination = distinct > 0 ? (extra + unexpected) / distinct : 0;
  assert_true(number(details, "completeness") == completeness);
  assert_true(number(details, "hallucination") == hallucination);
  const ee_value *weights = member(details, "weights");
  double rqs = number(weights, "accuracy") * accuracy + number(weights, "completeness") * completeness +
               number(weights, "safety") * number(details, "safety") - number(weights, "hallucination") * hallucination;
  assert_true(number(details, "rqs") == (rqs < 0 ? 0 : rqs > 1 ? 1 : rqs));
}

static void assert_text(const ee_value *value, const char *key, ee_str text) {
  assert_true(ee_str_equal(ee_value_text(member(value, key)), text));
}

static void assert_fields(const ee_value *details, const ee_quality_result *quality) {
  const ee_value *field = ee_value_child(member(details, "fields"));
  const ee_value *ignored = ee_value_child(member(member(details, "buckets"), "ignored"));
  for (size_t i = 0; i < quality->key_count; i++) {
    const ee_quality_key *key = &quality->keys[i];
    if (key->ignored) {
      assert_true(ee_str_equal(ee_value_text(ignored), key->path));
      ignored = ee_value_next(ignored);
    }
    if (!key->compared) continue;
    assert_non_null(field);
    assert_text(field, "path", key->path);
    assert_text(field, "strategy", ee_str_from(key->strategy));
    assert_text(field, "why", ee_str_from(key->why));
    assert_int_equal(has(field, "similarity"), key->comparison.similarity >= 0);
    if (has(field, "similarity")) assert_true(number(field, "similarity") == key->comparison.similarity);
    assert_int_equal(has(field, "reason"), !key->comparison.matched);
    if (has(field, "reason")) assert_text(field, "reason", key->comparison.reason.text);
    field = ee_value_next(field);
  }
  assert_null(field);
  assert_null(ignored);
}

static void test_random_results(void **state) {
  (void)state;
  test_random random = test_random_start("row_quality", 41);
  for (int round = 0; round < 3000; round++) {
    hand_made h;
    hand_made_open(&h);
    make_random(&random, &h, test_random_below(&random, 2) == 0);
    const ee_value *details = read_details(&h);
    redo_sums(details);
    assert_fields(details, &h.quality);
    assert_false(has(details, "truncated"));
    hand_made_close(&h);
  }
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_bytes), cmocka_unit_test(test_without_result),
             cmocka_unit_test(test_no_keys), cmocka_unit_test(test_long_lists_are_cut),
             cmocka_unit_test(test_random_results));
