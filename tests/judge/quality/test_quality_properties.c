/* test_quality_properties.c: what always holds of ee.quality, on random objects. */
#include "judge/quality/quality_cases.h"

#define ROUNDS 1500

/* What one judgement came to. */
typedef struct view {
  double score, parts[EE_QUALITY_PARTS];
  size_t counts[EE_QUALITY_BUCKETS], distinct, compared;
  uint64_t attributes; /* their names and counts, in any order */
  size_t hits, misses;
} view;

typedef struct trial {
  test_random *random;
  case_subject subject;
  twin_config config;
  ee_arena arena;
  case_object expected, candidate;
} trial;

static view look(const ee_judge_result *result) {
  view seen = {.score = result->score, .hits = result->hit_count, .misses = result->miss_count};
  const ee_quality_result *quality = result->details;
  assert_non_null(quality);
  memcpy(seen.parts, quality->parts, sizeof seen.parts);
  memcpy(seen.counts, quality->counts, sizeof seen.counts);
  seen.distinct = quality->distinct_keys;
  seen.compared = quality->compared;
  for (size_t i = 0; i < result->attribute_count; i++) {
    const ee_attribute_result *one = &result->attributes[i];
    char name[256], counts[128];
    snprintf(name, sizeof name, "%.*s", (int)one->name.length, one->name.data);
    snprintf(counts, sizeof counts, "%d %d %d %d %d", (int)one->counts.tp, (int)one->counts.tn, (int)one->counts.fp,
             (int)one->counts.fn, (int)one->counts.wrong);
    if (strcmp(counts, "0 0 0 0 0") != 0) seen.attributes += twin_hash(name, counts);
  }
  return seen;
}

static view judge_texts(trial *t, const char *expected, const char *candidate) {
  const ee_value *values[2];
  return look(case_judge(&t->subject, expected, candidate, &values[0], &values[1]));
}

static const char *text_of(trial *t, const case_object *object) {
  ee_buffer text;
  ee_buffer_init(&text);
  case_print(object, NULL, &text);
  const char *copy = ee_arena_copy(&t->arena, text.data, text.length);
  ee_buffer_fini(&text);
  return copy;
}

static view judge(trial *t, const case_object *expected, const case_object *candidate) {
  return judge_texts(t, text_of(t, expected), text_of(t, candidate));
}

static void broken(trial *t, const case_object *changed, const char *what, double before, double after) {
  fprintf(stderr, "rules     %s\nexpected  %s\ncandidate %s\nchanged   %s\n", ee_buffer_terminate(&t->subject.rules),
          text_of(t, &t->expected), text_of(t, &t->candidate), text_of(t, changed));
  fail_msg("%s: %.17g, then %.17g", what, before, after);
}

/* Whether the configuration may look at `key` as one value and properties still hold: a list or an object that is
 * compared whole is another one when its items change places, or when null inside it is spelled in another way. */
static bool names_leaf(const trial *t, const char *key) {
  static const char *const leaves[] = {"unused", "c[*].id", "d[*].in.deep"};
  for (size_t i = 0; i < sizeof leaves / sizeof *leaves; i++) {
    if (strcmp(key, leaves[i]) == 0) return true;
  }
  for (size_t i = 0; i < CASE_KEYS; i++) {
    if (strcmp(key, case_keys[i]) != 0) continue;
    const char *expected = t->expected.values[i], *candidate = t->candidate.values[i];
    return (expected == NULL || strchr("[{", *expected) == NULL) &&
           (candidate == NULL || strchr("[{", *candidate) == NULL);
  }
  return false;
}

/* A random trial: every option but those with which nothing need hold (functions that answer at random). */
static void trial_open(trial *t, test_random *random, bool leaves) {
  memset(t, 0, sizeof *t);
  t->random = random;
  ee_arena_init(&t->arena, 0);
  t->config = case_config(random, leaves);
  t->config.formula = t->config.safety = t->config.raises = false;
  if (leaves) {
    case_make_nested(random, &t->arena, &t->expected, &t->candidate);
  } else {
    case_make(random, true, &t->expected, &t->candidate);
  }
  size_t kept = 0;
  for (size_t i = 0; i < t->config.count; i++) {
    if (t->config.strategies[i] == TWIN_NODE_CUSTOM || (leaves && !names_leaf(t, t->config.keys[i]))) continue;
    t->config.keys[kept] = t->config.keys[i];
    t->config.strategies[kept++] = t->config.strategies[i];
  }
  t->config.count = kept;
  case_open(&t->subject, random, &t->config, case_chance(random, 20));
}

static void trial_close(trial *t) {
  case_close(&t->subject);
  ee_arena_fini(&t->arena);
}

/* Runs `check` on random trials of both depths. */
static void for_all(const char *name, uint64_t seed, bool with_leaves, void (*check)(trial *t)) {
  test_random random = test_random_start(name, seed);
  for (size_t i = 0; i < ROUNDS; i++) {
    static trial t;
    trial_open(&t, &random, with_leaves && i % 2 == 1);
    check(&t);
    trial_close(&t);
  }
}

/* A document against itself -------------------------------------------------------------------- */

static void check_itself(trial *t) {
  view seen = judge(t, &t->expected, &t->expected);
  const double *w = t->config.weights;
  double most = w[TWIN_WA] + w[TWIN_WC] + w[TWIN_WS];
  const double wanted[] = {fmin(1, t->config.scaled ? 1 : most), 1, 1, 1, 0};
  for (size_t i = 0; i < EE_QUALITY_PARTS; i++) {
    if (!(fabs(seen.parts[i] - wanted[i]) <= 1e-12))
      broken(t, &t->expected, "against itself", wanted[i], seen.parts[i]);
  }
  assert_int_equal(seen.misses, 0);
}

static void test_itself(void **state) {
  (void)state;
  for_all("itself", 71, true, check_itself);
  /* In figures, with the weights of the definition. */
  static trial t;
  test_random random = {1};
  for (int scaled = 0; scaled < 2; scaled++) {
    memset(&t, 0, sizeof t);
    ee_arena_init(&t.arena, 0);
    t.config = (twin_config){
        .fuzzy_percent = 85, .semantic_percent = 80, .weights = {0.45, 0.25, 0.15, 0.15}, .scaled = scaled == 1};
    case_open(&t.subject, &random, &t.config, false);
    t.expected.values[0] = "\"some text\"";
    assert_true(fabs(judge(&t, &t.expected, &t.expected).score - (scaled ? 1 : 0.85)) <= 1e-15);
    trial_close(&t);
  }
}

/* Order ---------------------------------------------------------------------------------------- */

/* Appends `value` with keys, and with `lists` also elements, in a random order. */
static void print_shuffled(trial *t, const ee_value *value, bool lists, ee_buffer *out) {
  ee_type type = ee_type_of(value);
  if (type < EE_ARRAY) {
    ee_json_write_value(out, value);
    return;
  }
  const ee_value *children[64];
  size_t count = 0;
  for (const ee_value *one = ee_value_child(value); one != NULL; one = ee_value_next(one)) {
    size_t at = type == EE_OBJECT || lists ? test_random_below(t->random, count + 1) : count;
    children[count] = children[at];
    children[at] = one;
    count++;
  }
  ee_buffer_add_char(out, type == EE_OBJECT ? '{' : '[');
  for (size_t i = 0; i < count; i++) {
    if (i > 0) ee_buffer_add_char(out, ',');
    if (type == EE_OBJECT) {
      ee_json_write_string(out, ee_value_key(children[i]));
      ee_buffer_add_char(out, ':');
    }
    print_shuffled(t, children[i], lists, out);
  }
  ee_buffer_add_char(out, type == EE_OBJECT ? '}' : ']');
}

static const char *shuffled(trial *t, const case_object *object, bool lists) {
  ee_buffer text;
  ee_buffer_init(&text);
  print_shuffled(t, fixture_json(&t->arena, text_of(t, object)), lists, &text);
  const char *copy = ee_arena_copy(&t->arena, text.data, text.length);
  ee_buffer_fini(&text);
  return copy;
}

static void check_same(trial *t, const view *a, const view *b, const char *what) {
  for (size_t i = 0; i < EE_QUALITY_PARTS; i++) {
    if (a->parts[i] != b->parts[i]) broken(t, &t->candidate, what, a->parts[i], b->parts[i]);
  }
  if (a->score != b->score) broken(t, &t->candidate, what, a->score, b->score);
  for (size_t i = 0; i < EE_QUALITY_BUCKETS; i++) {
    if (a->counts[i] != b->counts[i]) broken(t, &t->candidate, what, (double)a->counts[i], (double)b->counts[i]);
  }
  assert_int_equal(a->distinct, b->distinct);
  assert_int_equal(a->compared, b->compared);
  assert_int_equal(a->hits, b->hits);
  assert_int_equal(a->misses, b->misses);
  assert_int_equal(a->attributes, b->attributes);
}

static void check_order(trial *t) {
  /* The order of a list is part of a list that is compared whole. */
  bool lists = t->config.leaves;
  view before = judge(t, &t->expected, &t->candidate);
  view after = judge_texts(t, shuffled(t, &t->expected, lists), shuffled(t, &t->candidate, lists));
  check_same(t, &before, &after, "order of keys");
}

static void test_order(void **state) {
  (void)state;
  for_all("order", 72, true, check_order);
}

/* Spellings of null ---------------------------------------------------------------------------- */

/* With leaves, an array or object is not a value: what is inside it has paths of its own. */
static bool is_empty(trial *t, const char *text) {
  if (text != NULL && t->config.leaves && (*text == '[' || *text == '{')) return false;
  return text == NULL || twin_empty(&t->arena, &t->config, fixture_json(&t->arena, text));
}

static void check_null(trial *t) {
  static const char *const spellings[] = {"null", "\"\"", "\"  \"", "\"\xc2\xa0\\t\""};
  view before = judge(t, &t->expected, &t->candidate);
  case_object expected = t->expected, candidate = t->candidate;
  bool moved = false; /* a key that the expected object no longer has is an extra one */
  for (size_t i = 0; i < CASE_KEYS; i++) {
    bool was_there = expected.values[i] != NULL;
    if (was_there && is_empty(t, expected.values[i])) expected.values[i] = spellings[test_random_below(t->random, 4)];
    if (is_empty(t, candidate.values[i]) && (was_there || candidate.values[i] != NULL)) {
      size_t spelling = test_random_below(t->random, was_there ? 5 : 4);
      candidate.values[i] = spelling == 4 ? NULL : spellings[spelling];
    }
  }
  view after = judge(t, &expected, &candidate);
  check_same(t, &before, &after, "spelling of null");
  /* Leaves may be null too, and are then extra where nothing is expected, and nothing where null is. */
  if (t->config.leaves) return;
  for (size_t i = 0; i < CASE_KEYS; i++) {
    if (expected.values[i] == NULL || !is_empty(t, expected.values[i]) || is_empty(t, candidate.values[i])) continue;
    expected.values[i] = NULL;
    moved = true;
  }
  after = judge(t, &expected, &candidate);
  if (!moved) return;
  assert_int_equal(after.counts[EE_QUALITY_EXTRA] + after.counts[EE_QUALITY_UNEXPECTED],
                   before.counts[EE_QUALITY_EXTRA] + before.counts[EE_QUALITY_UNEXPECTED]);
  for (size_t i = 0; i < EE_QUALITY_PARTS; i++) {
    if (before.parts[i] != after.parts[i]) broken(t, &candidate, "absent for null", before.parts[i], after.parts[i]);
  }
}

static void test_null(void **state) {
  (void)state;
  for_all("null", 73, true, check_null);
}

/* Right and wrong ------------------------------------------------------------------------------ */

static void check_right_and_wrong(trial *t) {
  view before = judge(t, &t->expected, &t->candidate);
  for (size_t i = 0; i < CASE_KEYS; i++) {
    if (is_empty(t, t->expected.values[i])) continue;
    case_object changed = t->candidate;
    changed.values[i] = t->expected.values[i];
    view right = judge(t, &t->expected, &changed);
    double accuracy = right.parts[EE_QUALITY_ACCURACY];
    if (accuracy < before.parts[EE_QUALITY_ACCURACY])
      broken(t, &changed, "accuracy of a right value", before.parts[EE_QUALITY_ACCURACY], accuracy);
    if (right.parts[EE_QUALITY_COMPLETENESS] < before.parts[EE_QUALITY_COMPLETENESS])
      broken(t, &changed, "completeness", before.parts[EE_QUALITY_COMPLETENESS], right.parts[EE_QUALITY_COMPLETENESS]);
    changed.values[i] = "\"nothing of the kind\"";
    view wrong = judge(t, &t->expected, &changed);
    if (wrong.parts[EE_QUALITY_ACCURACY] > accuracy)
      broken(t, &changed, "accuracy of a wrong value", accuracy, wrong.parts[EE_QUALITY_ACCURACY]);
  }
}

static void test_right_and_wrong(void **state) {
  (void)state;
  for_all("right and wrong", 74, false, check_right_and_wrong);
}

/* Inventing and leaving out -------------------------------------------------------------------- */

static void check_invented(trial *t) {
  view before = judge(t, &t->expected, &t->candidate);
  const char *text = text_of(t, &t->candidate);
  static const char *const values[] = {"null", "\"\"", "1", "\"text\"", "[1]", "{\"a\":{\"b\":2}}", "false"};
  const char *more = ee_arena_printf(&t->arena, "{\"invented\":%s%s%s", values[test_random_below(t->random, 7)],
                                     text[1] == '}' ? "" : ",", text + 1);
  view after = judge_texts(t, text_of(t, &t->expected), more);
  double low = before.parts[EE_QUALITY_HALLUCINATION], high = after.parts[EE_QUALITY_HALLUCINATION];
  if (low < 1 ? high <= low : high != 1) broken(t, &t->candidate, "hallucination of one more key", low, high);
  assert_int_equal(after.counts[EE_QUALITY_EXTRA], before.counts[EE_QUALITY_EXTRA] + 1);
  assert_true(after.parts[EE_QUALITY_ACCURACY] == before.parts[EE_QUALITY_ACCURACY]);
  assert_true(after.parts[EE_QUALITY_COMPLETENESS] == before.parts[EE_QUALITY_COMPLETENESS]);
}

static void test_invented(void **state) {
  (void)state;
  for_all("invented", 75, true, check_invented);
}

static void check_left_out(trial *t) {
  view before = judge(t, &t->expected, &t->candidate);
  size_t wanted = before.counts[EE_QUALITY_BOTH] + before.counts[EE_QUALITY_MISSING];
  for (size_t i = 0; i < CASE_KEYS; i++) {
    case_object changed = t->candidate;
    changed.values[i] = NULL;
    view after = judge(t, &t->expected, &changed);
    /* What is expected does not depend on what came. */
    assert_int_equal(after.counts[EE_QUALITY_BOTH] + after.counts[EE_QUALITY_MISSING], wanted);
    double high = before.parts[EE_QUALITY_COMPLETENESS], low = after.parts[EE_QUALITY_COMPLETENESS];
    bool lost = after.counts[EE_QUALITY_BOTH] < before.counts[EE_QUALITY_BOTH];
    if (lost ? low >= high : low != high) broken(t, &changed, "completeness without a value", high, low);
    bool both = !is_empty(t, t->expected.values[i]) && !is_empty(t, t->candidate.values[i]);
    if (both && !t->config.leaves && !t->config.everywhere) assert_true(lost);
  }
}

static void test_left_out(void **state) {
  (void)state;
  for_all("left out", 76, true, check_left_out);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_itself), cmocka_unit_test(test_order), cmocka_unit_test(test_null),
             cmocka_unit_test(test_right_and_wrong), cmocka_unit_test(test_invented), cmocka_unit_test(test_left_out));
