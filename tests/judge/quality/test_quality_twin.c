/* test_quality_twin.c: ee.quality against a slow and obvious version of itself, on random objects and configurations.
 */
#include "judge/quality/quality_cases.h"

#define ROUNDS 6000

/* One random case, and what is needed to see it again. */
typedef struct trial {
  case_subject subject;
  twin_config config;
  ee_arena arena;
  ee_buffer texts[2];
  bool has_candidate;
  const ee_value *expected, *candidate;
  const ee_judge_result *ours;
  twin_result twin;
} trial;

static void trial_broken(trial *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void trial_broken(trial *t, const char *format, ...) {
  fprintf(stderr, "rules     %s\nexpected  %s\ncandidate %s\n", ee_buffer_terminate(&t->subject.rules),
          ee_buffer_terminate(&t->texts[0]), t->has_candidate ? ee_buffer_terminate(&t->texts[1]) : "none");
  va_list arguments;
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
  fail_msg("%s", format);
}

static void trial_close(trial *t) {
  case_close(&t->subject);
  ee_buffer_fini(&t->texts[0]);
  ee_buffer_fini(&t->texts[1]);
  ee_arena_fini(&t->arena);
}

static void check_number(trial *t, const char *name, double ours, double twin) {
  if (!(fabs(ours - twin) <= 1e-12)) trial_broken(t, "%s: %.17g, twin %.17g", name, ours, twin);
}

static void check_count(trial *t, const char *name, size_t ours, size_t twin) {
  if (ours != twin) trial_broken(t, "%s: %zu, twin %zu", name, ours, twin);
}

/* Keys ----------------------------------------------------------------------------------------- */

static bool same_place(const ee_quality_key *ours, const twin_key *twin) {
  return ee_str_is(ours->path, twin->path) && ours->expected == twin->expected && ours->candidate == twin->candidate;
}

static void check_key(trial *t, const ee_quality_key *ours, const twin_key *twin) {
  if (ours->ignored != twin->ignored) trial_broken(t, "'%s': ignored %d", twin->path, ours->ignored);
  if (!ee_str_is(ours->attribute, twin->attribute)) {
    trial_broken(t, "'%s': attribute '%.*s', twin '%s'", twin->path, (int)ours->attribute.length, ours->attribute.data,
                 twin->attribute);
  }
  if (twin->ignored && t->config.everywhere) return;
  if (ours->bucket != twin->bucket) {
    trial_broken(t, "'%s': bucket %s, twin %s", twin->path, ee_quality_bucket_names[ours->bucket],
                 ee_quality_bucket_names[twin->bucket]);
  }
  if (ours->compared != twin->compared) trial_broken(t, "'%s': compared %d", twin->path, ours->compared);
  if (!twin->compared) return;
  if (strcmp(ours->strategy, twin->strategy) != 0 || strcmp(ours->why, twin->why) != 0) {
    trial_broken(t, "'%s': %s (%s), twin %s (%s)", twin->path, ours->strategy, ours->why, twin->strategy, twin->why);
  }
  const ee_comparison *c = &ours->comparison;
  if (c->matched != twin->matched || c->failed != twin->failed) {
    trial_broken(t, "'%s' by %s (%s): matched %d failed %d similarity %g, twin %d %d %g", twin->path, ours->strategy,
                 ours->why, c->matched, c->failed, c->similarity, twin->matched, twin->failed, twin->similarity);
  }
  check_number(t, twin->path, c->score, twin->score);
  /* A similarity below the threshold may have been given up. */
  if (twin->failed || twin->similarity < 0 || (c->similarity < 0 && !twin->matched)) return;
  check_number(t, twin->path, c->similarity, twin->similarity);
}

static void check_keys(trial *t, const ee_quality_result *ours) {
  bool used[TWIN_KEYS] = {false};
  size_t last = 0;
  for (size_t i = 0; i < t->twin.key_count; i++) {
    const twin_key *twin = &t->twin.keys[i];
    size_t at = 0;
    while (at < ours->key_count && (used[at] || !same_place(&ours->keys[at], twin))) at++;
    if (at == ours->key_count) {
      if (twin->ignored && t->config.everywhere) continue;
      trial_broken(t, "'%s' is not there", twin->path);
    }
    used[at] = true;
    check_key(t, &ours->keys[at], twin);
    if (!t->config.leaves && at < last) trial_broken(t, "'%s' is not in order", twin->path);
    last = at;
  }
  for (size_t i = 0; i < ours->key_count; i++) {
    const ee_quality_key *key = &ours->keys[i];
    if (!used[i]) trial_broken(t, "'%.*s' is too much", (int)key->path.length, key->path.data);
  }
}

/* Counts and findings -------------------------------------------------------------------------- */

static bool twin_class(const twin_key *key, bool candidate_filled, ee_class *out) {
  switch (key->bucket) {
  case EE_QUALITY_BOTH: *out = key->matched ? EE_CLASS_TP : EE_CLASS_WRONG; return true;
  case EE_QUALITY_MISSING: *out = EE_CLASS_MISSING; return true;
  case EE_QUALITY_UNEXPECTED: *out = EE_CLASS_INVENTED; return true;
  case EE_QUALITY_EXTRA: *out = EE_CLASS_INVENTED; return candidate_filled;
  default: *out = EE_CLASS_TN; return true;
  }
}

static void add_class(trial *t, const twin_key *key, ee_counts *counts) {
  ee_class found;
  if (key->ignored || !twin_class(key, !twin_empty(&t->arena, &t->config, key->candidate), &found)) return;
  ee_counts_add_class(counts, found);
}

static void check_attributes(trial *t) {
  ee_counts all = {0}, ours = {0};
  for (size_t i = 0; i < t->twin.key_count; i++) {
    ee_counts twin = {0}, found = {0};
    const char *name = t->twin.keys[i].attribute;
    add_class(t, &t->twin.keys[i], &all);
    for (size_t k = 0; k < t->twin.key_count; k++) {
      if (strcmp(t->twin.keys[k].attribute, name) == 0) add_class(t, &t->twin.keys[k], &twin);
    }
    for (size_t k = 0; k < t->ours->attribute_count; k++) {
      if (ee_str_is(t->ours->attributes[k].name, name)) ee_counts_add(&found, &t->ours->attributes[k].counts);
    }
    if (memcmp(&twin, &found, sizeof twin) != 0) trial_broken(t, "counts of '%s'", name);
  }
  for (size_t k = 0; k < t->ours->attribute_count; k++) {
    ee_counts_add(&ours, &t->ours->attributes[k].counts);
    assert_int_equal(t->ours->attributes[k].slot, -1);
  }
  if (memcmp(&all, &ours, sizeof all) != 0) trial_broken(t, "counts of all attributes");
  check_count(t, "hits", t->ours->hit_count, all.tp);
}

/* The whole ------------------------------------------------------------------------------------ */

static void check_trial(trial *t) {
  static const char *const names[EE_QUALITY_PARTS] = {"rqs", "accuracy", "completeness", "safety", "hallucination"};
  if (t->ours->failed != t->twin.failed) trial_broken(t, "failed: %d", t->ours->failed);
  check_number(t, "score", t->ours->score, t->twin.failed ? 0 : t->twin.parts[EE_QUALITY_RQS]);
  const ee_quality_result *ours = t->ours->details;
  assert_non_null(t->ours->case_metrics);
  if (ours == NULL) trial_broken(t, "no details");
  check_keys(t, ours);
  for (size_t i = 0; i < EE_QUALITY_BUCKETS; i++)
    check_count(t, ee_quality_bucket_names[i], ours->counts[i], t->twin.counts[i]);
  check_count(t, "distinct keys", ours->distinct_keys, t->twin.distinct);
  check_count(t, "compared", ours->compared, t->twin.compared);
  check_number(t, "sum", ours->score_sum, t->twin.score_sum);
  for (size_t i = 0; i < EE_QUALITY_PARTS; i++) {
    if (t->twin.failed && (i == EE_QUALITY_SAFETY || i == EE_QUALITY_RQS)) continue;
    check_number(t, names[i], ours->parts[i], t->twin.parts[i]);
    bool none = i == EE_QUALITY_HALLUCINATION && !t->has_candidate;
    assert_true(t->ours->case_metrics[i] == (none ? -1 : ours->parts[i]));
  }
  for (size_t i = 0; i < TWIN_WEIGHTS; i++) check_number(t, "weight", ours->weights[i], t->config.weights[i]);
  if (t->has_candidate && !t->twin.failed) {
    check_number(t, "maximum", ours->maximum, t->twin.maximum);
    check_count(t, "by formula", ours->by_formula, t->config.formula);
  }
  check_attributes(t);
}

static void run_trials(const char *name, uint64_t seed, size_t rounds, bool leaves) {
  test_random random = test_random_start(name, seed);
  for (size_t i = 0; i < rounds; i++) {
    static trial t;
    memset(&t, 0, sizeof t);
    ee_arena_init(&t.arena, 0);
    t.config = case_config(&random, leaves);
    case_open(&t.subject, &random, &t.config, case_chance(&random, 20));
    case_object expected, candidate;
    if (leaves) {
      case_make_nested(&random, &t.arena, &expected, &candidate);
    } else {
      case_make(&random, true, &expected, &candidate);
    }
    case_print(&expected, case_chance(&random, 50) ? &random : NULL, &t.texts[0]);
    case_print(&candidate, case_chance(&random, 50) ? &random : NULL, &t.texts[1]);
    t.has_candidate = !case_chance(&random, 3);
    t.ours = case_judge(&t.subject, ee_buffer_terminate(&t.texts[0]),
                        t.has_candidate ? ee_buffer_terminate(&t.texts[1]) : NULL, &t.expected, &t.candidate);
    twin_judge(&t.arena, &t.config, case_texts, t.expected, t.candidate, &t.twin);
    check_trial(&t);
    trial_close(&t);
  }
}

static void test_top(void **state) {
  (void)state;
  run_trials("top", 41, ROUNDS, false);
}

static void test_leaves(void **state) {
  (void)state;
  run_trials("leaves", 42, ROUNDS, true);
}

/* What is no object, on either side. */
static void test_other_types(void **state) {
  (void)state;
  static const char *const others[] = {"[]", "[{\"a\":1}]", "\"text\"", "12", "true", "null"};
  test_random random = test_random_start("other types", 43);
  for (size_t i = 0; i < 2 * sizeof others / sizeof *others; i++) {
    static trial t;
    memset(&t, 0, sizeof t);
    ee_arena_init(&t.arena, 0);
    t.config = (twin_config){.fuzzy_percent = 85, .semantic_percent = 80, .weights = {0.45, 0.25, 0.15, 0.15}};
    case_open(&t.subject, &random, &t.config, i % 3 == 0);
    bool wrong_expected = i % 2 == 1;
    ee_buffer_add_text(&t.texts[0], wrong_expected ? others[i / 2] : "{\"a\":1,\"b\":null,\"c\":\"x\"}");
    ee_buffer_add_text(&t.texts[1], wrong_expected ? "{\"a\":1}" : others[i / 2]);
    t.has_candidate = true;
    t.ours = case_judge(&t.subject, ee_buffer_terminate(&t.texts[0]), ee_buffer_terminate(&t.texts[1]), &t.expected,
                        &t.candidate);
    assert_true(t.ours->score == 0);
    assert_int_equal(t.ours->failed, wrong_expected);
    for (size_t k = 0; k < EE_QUALITY_PARTS; k++) {
      bool none = k == EE_QUALITY_HALLUCINATION && !wrong_expected;
      assert_true(t.ours->case_metrics[k] == (none ? -1 : 0));
    }
    if (!wrong_expected) {
      twin_judge(&t.arena, &t.config, case_texts, t.expected, t.candidate, &t.twin);
      check_attributes(&t);
    }
    trial_close(&t);
  }
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_top), cmocka_unit_test(test_leaves), cmocka_unit_test(test_other_types));
