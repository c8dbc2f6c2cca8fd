/* test_tree_twin.c: ee.tree against a slow and obvious version of itself, and what always holds of it, on random
 * documents and rules. */
#include "judge/tree/tree.h"
#include "judge/tree/tree_twin.h"
#include "support/random.h"

#define ROUNDS 20000

typedef struct trial {
  test_random random;
  twin_rules rules;
  ee_buffer rules_text, texts[2], other;
  fixture f;
  const ee_judge_result *result;
} trial;

static void trial_open(trial *t, const char *name, uint64_t seed) {
  t->random = test_random_start(name, seed);
  ee_buffer_init(&t->rules_text);
  ee_buffer_init(&t->texts[0]);
  ee_buffer_init(&t->texts[1]);
  ee_buffer_init(&t->other);
  fixture_open(&t->f);
}

static void trial_close(trial *t) {
  fixture_close(&t->f);
  ee_buffer_fini(&t->rules_text);
  ee_buffer_fini(&t->texts[0]);
  ee_buffer_fini(&t->texts[1]);
  ee_buffer_fini(&t->other);
}

static void broken(trial *t, const char *what, double ours, double other) {
  fprintf(stderr, "rules     %s\nexpected  %s\ncandidate %s\nother     %s\n", ee_buffer_terminate(&t->rules_text),
          ee_buffer_terminate(&t->texts[0]), ee_buffer_terminate(&t->texts[1]), ee_buffer_terminate(&t->other));
  fail_msg("%s: %.17g, other %.17g", what, ours, other);
}

/* Documents ------------------------------------------------------------------------------------- */

static size_t below(trial *t, size_t limit) { return test_random_below(&t->random, limit); }

static const char *const keys[] = {"a", "b", "c", "d", "e", "id", "k"};
enum { KEYS = sizeof keys / sizeof *keys };

static ee_value *random_scalar(trial *t, ee_arena *arena) {
  static const char *const texts[] = {"ab", "abc", "abcd", "xbcd", "xy", "zz", "", "5"};
  switch (below(t, 8)) {
  case 0: return ee_value_new(arena, EE_NULL);
  case 1: return ee_value_new_bool(arena, below(t, 2) == 0);
  case 2:
  case 3:
  case 4: return ee_value_new_number(arena, (double)below(t, 6));
  default: return ee_value_new_string(arena, ee_str_from(texts[below(t, sizeof texts / sizeof *texts)]));
  }
}

static ee_value *random_value(trial *t, ee_arena *arena, int depth) {
  size_t kind = below(t, 10);
  if (depth == 0 || kind < 4) return random_scalar(t, arena);
  if (kind < 7) {
    ee_value *array = ee_value_new(arena, EE_ARRAY);
    for (size_t i = below(t, 4); i > 0; i--) ee_value_append(array, random_value(t, arena, depth - 1));
    return array;
  }
  ee_value *object = ee_value_new(arena, EE_OBJECT);
  for (size_t i = 0; i < KEYS; i++)
    if (below(t, 5) < 2) ee_value_set(arena, object, ee_str_from(keys[i]), random_value(t, arena, depth - 1));
  return object;
}

/* A copy with some values changed, left out and added, and the items of arrays moved. */
static ee_value *changed_value(trial *t, ee_arena *arena, const ee_value *value, int depth) {
  if (below(t, 12) == 0) return random_value(t, arena, depth);
  if (ee_type_of(value) < EE_ARRAY) return ee_value_copy(arena, value);
  ee_value *copy = ee_value_new(arena, ee_type_of(value));
  const ee_value *children[16];
  size_t count = 0;
  for (const ee_value *child = ee_value_child(value); child != NULL; child = ee_value_next(child))
    if (below(t, 10) > 0) children[count++] = child;
  bool is_array = ee_type_of(value) == EE_ARRAY;
  for (size_t i = 0; i < count && is_array; i++) {
    size_t other = below(t, count);
    const ee_value *moved = children[i];
    children[i] = children[other];
    children[other] = moved;
  }
  for (size_t i = 0; i < count; i++) {
    ee_value *child = changed_value(t, arena, children[i], depth - 1);
    if (is_array)
      ee_value_append(copy, child);
    else
      ee_value_set(arena, copy, ee_value_key(children[i]), child);
  }
  if (is_array && count < 4 && below(t, 8) == 0)
    ee_value_append(copy, random_value(t, arena, depth > 0 ? depth - 1 : 0));
  if (!is_array && ee_value_member(copy, EE_STR("e"), NULL) == NULL && below(t, 8) == 0)
    ee_value_set(arena, copy, EE_STR("e"), random_scalar(t, arena));
  return copy;
}

/* The same document with keys and items in another order. */
static ee_value *shuffled(trial *t, ee_arena *arena, const ee_value *value, bool items) {
  ee_type type = ee_type_of(value);
  if (type < EE_ARRAY) return ee_value_copy(arena, value);
  ee_value *copy = ee_value_new(arena, type);
  const ee_value *children[16];
  size_t count = 0;
  for (const ee_value *child = ee_value_child(value); child != NULL; child = ee_value_next(child))
    children[count++] = child;
  for (size_t i = 0; i < count && (items || type == EE_OBJECT); i++) {
    size_t other = below(t, count);
    const ee_value *moved = children[i];
    children[i] = children[other];
    children[other] = moved;
  }
  for (size_t i = 0; i < count; i++) {
    /* What is one leaf, or a key of items, keeps its order inside. */
    bool leaf =
        type == EE_OBJECT && (ee_str_is(ee_value_key(children[i]), "k") || ee_str_is(ee_value_key(children[i]), "id"));
    ee_value *child = shuffled(t, arena, children[i], items && !leaf);
    if (type == EE_ARRAY)
      ee_value_append(copy, child);
    else
      ee_value_set(arena, copy, ee_value_key(children[i]), child);
  }
  return copy;
}

/* Judging --------------------------------------------------------------------------------------- */

#define PICK(t, ...)                                                                                                   \
  pick(t, (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))
static const char *pick(trial *t, const char *const *words, size_t count) { return words[below(t, count)]; }

static void random_rules(trial *t) {
  twin_rules *rules = &t->rules;
  *rules = (twin_rules){.aggregate = PICK(t, "leaves", "mean", "union"),
                        .method = PICK(t, "optimal", "optimal", "greedy", "set", "key", "index"),
                        .clip = below(t, 3) == 0 ? 0.6 : 0,
                        .clip_unmatched = below(t, 4) == 0,
                        .tn = PICK(t, "score", "score", "skip", "either"),
                        .on_unexpected = PICK(t, "fail", "fail", "skip", "pass"),
                        .null_is_value = below(t, 4) == 0,
                        .mixed = below(t, 4) == 0,
                        .weights = below(t, 3) == 0};
  bool by_score = strcmp(rules->method, "optimal") == 0 || strcmp(rules->method, "greedy") == 0;
  if (by_score && below(t, 3) == 0) rules->threshold = 0.6;
}

static void use_rules(trial *t) {
  ee_buffer_clear(&t->rules_text);
  twin_rules_print(&t->rules, &t->rules_text);
  fixture_close(&t->f);
  fixture_open(&t->f);
  fixture_rules(&t->f, ee_buffer_terminate(&t->rules_text));
}

static void print(ee_buffer *out, const ee_value *value) {
  ee_buffer_clear(out);
  ee_json_write_value(out, value);
}

static const ee_judge_result *judge(trial *t, const ee_value *expected, const ee_value *candidate) {
  return fixture_judge_values(&t->f, expected, candidate, EE_CANDIDATE_READ);
}

static const ee_tree_sum *total_of(const ee_judge_result *result) {
  return &((const ee_tree_result *)result->details)->total;
}

/* Two random documents of random rules, judged. */
static void judge_random(trial *t, const ee_value **expected, const ee_value **candidate) {
  use_rules(t);
  ee_arena *arena = &t->f.arena;
  *expected = random_value(t, arena, 3);
  *candidate = below(t, 8) == 0 ? random_value(t, arena, 3) : changed_value(t, arena, *expected, 3);
  print(&t->texts[0], *expected);
  print(&t->texts[1], *candidate);
  ee_buffer_clear(&t->other);
  t->result = judge(t, *expected, *candidate);
}

static bool is_wrong(const int counts[TWIN_CLASSES]) {
  return counts[TWIN_WRONG] + counts[TWIN_MISSING] + counts[TWIN_SPURIOUS] > 0;
}

static void test_twin(void **state) {
  (void)state;
  trial t = {0};
  trial_open(&t, "tree twin", 20261124);
  size_t ambiguous = 0;
  for (int round = 0; round < ROUNDS; round++) {
    random_rules(&t);
    const ee_value *expected, *candidate;
    judge_random(&t, &expected, &candidate);
    twin_sum twin = twin_tree(&t.rules, twin_root(), expected, candidate);
    if (twin.ambiguous) {
      ambiguous++;
      continue;
    }
    const ee_tree_sum *ours = total_of(t.result);
    double score = twin.size <= 0 && is_wrong(twin.counts) ? 0 : twin_score(&twin);
    if (fabs(t.result->score - score) > 1e-9) broken(&t, "score", t.result->score, score);
    const uint32_t counts[] = {ours->right, ours->wrong, ours->missing, ours->spurious, ours->nothing};
    for (int i = 0; i < TWIN_CLASSES; i++)
      if ((int)counts[i] != twin.counts[i]) broken(&t, "count", counts[i], twin.counts[i]);
    /* The counts of the attributes are the same ones. */
    ee_counts all = {0};
    for (size_t i = 0; i < t.result->attribute_count; i++) ee_counts_add(&all, &t.result->attributes[i].counts);
    if (all.tp != ours->right || all.wrong != ours->wrong || all.fp != (uint64_t)ours->wrong + ours->spurious ||
        all.fn != (uint64_t)ours->wrong + ours->missing || all.tn != ours->nothing)
      broken(&t, "attributes", (double)all.tp, ours->right);
  }
  printf("tree twin: %zu of %d cases have several equally good pairings\n", ambiguous, ROUNDS);
  assert_true(ambiguous < ROUNDS / 3);
  trial_close(&t);
}

/* A document against itself is perfect. */
static void test_identity(void **state) {
  (void)state;
  trial t = {0};
  trial_open(&t, "tree identity", 7);
  for (int round = 0; round < ROUNDS / 4; round++) {
    random_rules(&t);
    use_rules(&t);
    const ee_value *document = random_value(&t, &t.f.arena, 4);
    print(&t.texts[0], document);
    const ee_value *copy = ee_value_copy(&t.f.arena, document);
    const ee_judge_result *result = judge(&t, document, copy);
    const ee_tree_sum *total = total_of(result);
    if (result->score != 1 || total->wrong + total->missing + total->spurious > 0)
      broken(&t, "itself", result->score, total->wrong);
  }
  trial_close(&t);
}

/* The counts of all attributes, in any order. */
static uint64_t attributes_hash(const ee_judge_result *result) {
  uint64_t sum = 0;
  for (size_t i = 0; i < result->attribute_count; i++) {
    const ee_attribute_result *one = &result->attributes[i];
    const uint64_t counts[] = {one->counts.tp, one->counts.tn, one->counts.fp, one->counts.fn, one->counts.wrong};
    sum += ee_hash_mix(ee_hash_bytes(one->name.data, one->name.length, 0) + ee_hash_numbers(counts, 8, 5, 0));
  }
  return sum;
}

/* The order of keys and, but for method index, of items changes nothing, to the last bit. */
static void test_order(void **state) {
  (void)state;
  trial t = {0};
  trial_open(&t, "tree order", 8);
  for (int round = 0; round < ROUNDS / 2; round++) {
    random_rules(&t);
    const ee_value *expected, *candidate;
    judge_random(&t, &expected, &candidate);
    double score = t.result->score;
    uint64_t hash = attributes_hash(t.result);
    bool items = strcmp(t.rules.method, "index") != 0;
    const ee_value *left = shuffled(&t, &t.f.arena, expected, items);
    const ee_value *right = shuffled(&t, &t.f.arena, candidate, items);
    print(&t.other, right);
    const ee_judge_result *again = judge(&t, left, right);
    if (again->score != score) broken(&t, "order", again->score, score);
    if (attributes_hash(again) != hash) broken(&t, "counts in another order", 0, 0);
  }
  trial_close(&t);
}

/* Both documents may change places where the rules do not tell them apart. */
static void test_symmetry(void **state) {
  (void)state;
  trial t = {0};
  trial_open(&t, "tree symmetry", 9);
  for (int round = 0; round < ROUNDS / 4; round++) {
    random_rules(&t);
    t.rules.tn = below(&t, 2) == 0 ? "skip" : "either";
    t.rules.on_unexpected = "fail";
    t.rules.mixed = true; /* else the type of the expected value chooses the strategy */
    const ee_value *expected, *candidate;
    judge_random(&t, &expected, &candidate);
    if (twin_tree(&t.rules, twin_root(), expected, candidate).ambiguous) continue;
    double score = t.result->score;
    const ee_judge_result *turned = judge(&t, candidate, expected);
    if (!twin_near(turned->score, score)) broken(&t, "turned", turned->score, score);
  }
  trial_close(&t);
}

/* The members of an object at its top level that are wrong, made right one by one, never lower the score. */
static void test_monotony(void **state) {
  (void)state;
  trial t = {0};
  trial_open(&t, "tree monotony", 10);
  size_t mended = 0;
  for (int round = 0; round < ROUNDS / 4; round++) {
    random_rules(&t);
    if (strcmp(t.rules.on_unexpected, "fail") != 0) continue; /* a spurious value may be what raises the score */
    t.rules.tn = "score";
    const ee_value *expected, *candidate;
    judge_random(&t, &expected, &candidate);
    if (ee_type_of(expected) != EE_OBJECT || ee_type_of(candidate) != EE_OBJECT) continue;
    double score = t.result->score;
    for (const ee_value *member = ee_value_child(expected); member != NULL; member = ee_value_next(member)) {
      ee_value *better = ee_value_new(&t.f.arena, EE_OBJECT);
      for (const ee_value *other = ee_value_child(candidate); other != NULL; other = ee_value_next(other))
        if (!ee_str_equal(ee_value_key(other), ee_value_key(member)))
          ee_value_set(&t.f.arena, better, ee_value_key(other), ee_value_copy(&t.f.arena, other));
      ee_value_set(&t.f.arena, better, ee_value_key(member), ee_value_copy(&t.f.arena, member));
      print(&t.other, better);
      const ee_judge_result *result = judge(&t, expected, better);
      /* In a mean over leaves a wrong member with more leaves than the right one is gone altogether: better, too. */
      if (result->score < score - 1e-9) broken(&t, "made right", result->score, score);
      mended++;
    }
  }
  assert_true(mended > 1000);
  trial_close(&t);
}

/* The sum of the scores of the pairs of the outermost array. */
static double outer_total(const ee_judge_result *result) {
  const ee_tree_result *details = result->details;
  double total = 0;
  if (details->arrays.count == 0) return 0;
  const ee_tree_alignment *outer = &details->arrays.items[details->arrays.count - 1];
  for (uint32_t i = 0; i < outer->pair_count; i++) total += outer->scores[i];
  return total;
}

static void test_optimal_is_not_below_greedy(void **state) {
  (void)state;
  trial t = {0};
  trial_open(&t, "tree optimal", 11);
  size_t better = 0;
  for (int round = 0; round < ROUNDS / 4; round++) {
    random_rules(&t);
    t.rules.method = "optimal";
    use_rules(&t);
    ee_value *lists[2];
    for (int side = 0; side < 2; side++) {
      lists[side] = ee_value_new(&t.f.arena, EE_ARRAY);
      for (size_t i = below(&t, 6); i > 0; i--) {
        ee_value *item = ee_value_new(&t.f.arena, EE_OBJECT);
        for (size_t k = 0; k < 5; k++)
          ee_value_set(&t.f.arena, item, ee_str_from(keys[k]), random_scalar(&t, &t.f.arena));
        ee_value_append(lists[side], item);
      }
      print(&t.texts[side], lists[side]);
    }
    double optimal = outer_total(judge(&t, lists[0], lists[1]));
    t.rules.method = "greedy";
    ee_error error = {0};
    const char *texts[2] = {ee_buffer_terminate(&t.texts[0]), ee_buffer_terminate(&t.texts[1])};
    use_rules(&t);
    const ee_value *left = ee_json_read(&t.f.arena, ee_str_from(texts[0]), NULL, &error);
    const ee_value *right = ee_json_read(&t.f.arena, ee_str_from(texts[1]), NULL, &error);
    double greedy = outer_total(judge(&t, left, right));
    if (optimal < greedy - 1e-9) broken(&t, "optimal", optimal, greedy);
    better += optimal > greedy + 1e-9;
  }
  printf("tree optimal: better than greedy in %zu cases\n", better);
  assert_true(better > 20);
  trial_close(&t);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_twin), cmocka_unit_test(test_identity), cmocka_unit_test(test_order),
             cmocka_unit_test(test_symmetry), cmocka_unit_test(test_monotony),
             cmocka_unit_test(test_optimal_is_not_below_greedy));
