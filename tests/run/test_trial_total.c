/* test_trial_total.c: trials put together, against plain loops over all of them; any split gives the same totals. */
#include "run/trial_total.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/json/json_reader.h"
#include "prim/pass_at_k.h"
#include "support/arena.h"
#include "support/random.h"

#define CASES 26
#define TRIALS 6
#define FIELDS 4

/* What one trial gave. */
typedef struct made_trial {
  unsigned number; /* of its case */
  double score;
  ee_verdict verdict;
  int answers[FIELDS]; /* 0: right; -1: several values, all right; -2: several, some wrong; -3: not judged; else wrong
                        */
} made_trial;

typedef struct made {
  made_trial trials[CASES * TRIALS];
  size_t count;
  bool grouped; /* trials of a case follow each other, and the last one is known */
} made;

static const char *const field_names[FIELDS] = {"a", "b", "c", "d"};

static test_random generator;

static size_t random_below(size_t limit) { return test_random_below(&generator, limit); }

static made make(void) {
  made all = {.grouped = random_below(2) == 0};
  unsigned cases = (unsigned)(1 + random_below(CASES)), equal = (unsigned)random_below(2);
  for (unsigned c = 0; c < cases; c++) {
    unsigned trials = (unsigned)(1 + random_below(TRIALS)), kinds = (unsigned)(1 + random_below(3));
    if (equal) trials = 3;
    for (unsigned t = 0; t < trials; t++) {
      made_trial *trial = &all.trials[all.count++];
      *trial = (made_trial){.number = c, .score = (double)random_below(5) / 4};
      trial->verdict = trial->score >= 0.75  ? EE_VERDICT_PASS
                       : trial->score >= 0.5 ? EE_VERDICT_BORDERLINE
                                             : EE_VERDICT_FAIL;
      for (int f = 0; f < FIELDS; f++) trial->answers[f] = (int)random_below(kinds + 1);
      if (random_below(6) == 0) trial->answers[3] = -(int)(1 + random_below(3));
    }
  }
  for (size_t i = all.count; !all.grouped && i-- > 1;) {
    size_t other = random_below(i + 1);
    made_trial kept = all.trials[i];
    all.trials[i] = all.trials[other];
    all.trials[other] = kept;
  }
  return all;
}

static ee_counts counts_of(int answer) {
  switch (answer) {
  case 0: return (ee_counts){.tp = 1};
  case -1: return (ee_counts){.tp = 1, .tn = 1};
  case -2: return (ee_counts){.tp = 1, .fp = 1, .fn = 1, .wrong = 1};
  case -3: return (ee_counts){0};
  default: return (ee_counts){.fp = 1, .fn = 1, .wrong = 1};
  }
}

static bool is_last(const made *all, size_t number) {
  return number + 1 == all->count || all->trials[number + 1].number != all->trials[number].number;
}

static void add(ee_trial_total *total, const made *all, size_t number) {
  const made_trial *trial = &all->trials[number];
  ee_trial_field fields[FIELDS];
  for (int f = 0; f < FIELDS; f++) {
    fields[f] = (ee_trial_field){ee_str_from(field_names[f]), counts_of(trial->answers[f]), {NULL, 0}};
    if (trial->answers[f] > 0) fields[f].answer = ee_str_from(ee_arena_printf(&arena, "%d", trial->answers[f]));
  }
  const ee_trial_judge judges[] = {
      {.has_score = true, .score = trial->score, .verdict = trial->verdict},
      {ee_str_from("judge"), 1, true, trial->score, trial->verdict, fields, FIELDS},
  };
  bool last = all->grouped && is_last(all, number);
  ee_trial_total_add(total, &(ee_trial){.id = ee_str_from(ee_arena_printf(&arena, "case %u", trial->number)),
                                        .name = ee_str_from(ee_arena_printf(&arena, "%zu", number + 1)),
                                        .last = last,
                                        .judges = judges,
                                        .judge_count = 2});
}

static const ee_verdict_limits limits = {0.75, 0.5};

static void assert_near(double got, double expected, const char *what) {
  if (!(fabs(got - expected) <= 1e-12)) fail_msg("%s: %.17g, not %.17g", what, got, expected);
}

/* The trials of a case, in order. */
static size_t trials_of(const made *all, unsigned number, const made_trial **list) {
  size_t count = 0;
  for (size_t i = 0; i < all->count; i++)
    if (all->trials[i].number == number) list[count++] = &all->trials[i];
  return count;
}

static void check_scores(const made *all, const ee_trial_total *total) {
  double mean = 0, best = 0, worst = 0, within = 0, variance = 0, at[3] = {0}, every[3] = {0};
  uint64_t outcomes[2] = {0}, by_trials[EE_TRIALS_COUNTED + 1] = {0};
  ee_fleiss agreement = {0};
  char fewest_case[32] = "", id[32];
  size_t fewest = 0;
  double agreed = 0;
  uint64_t cases = 0, repeated = 0, flips = 0, with[3] = {0}, verdicts[EE_TRIAL_RULES][3] = {{0}};
  for (unsigned c = 0; c < CASES; c++) {
    const made_trial *list[TRIALS];
    size_t n = trials_of(all, c, list), passes = 0;
    if (n == 0) continue;
    snprintf(id, sizeof id, "case %u", c);
    if (fewest == 0 || n < fewest || (n == fewest && strcmp(id, fewest_case) < 0)) strcpy(fewest_case, id), fewest = n;
    double sum = 0, high = 0, low = 1, squares = 0;
    for (size_t i = 0; i < n; i++) {
      sum += list[i]->score;
      high = fmax(high, list[i]->score);
      low = fmin(low, list[i]->score);
      passes += list[i]->verdict == EE_VERDICT_PASS;
    }
    for (size_t i = 0; i < n; i++) squares += (list[i]->score - sum / (double)n) * (list[i]->score - sum / (double)n);
    double lower = sum / (double)n;
    if (n > 1) lower -= ee_critical_point(0.95, n - 1) * sqrt(squares / (double)(n - 1) / (double)n);
    cases++, mean += sum / (double)n, best += high, worst += low;
    by_trials[n]++;
    if (n > 1) {
      variance += squares / (double)(n - 1);
      outcomes[0] += passes, outcomes[1] += n - passes;
      agreement.items++;
      agreement.unanimous += passes == 0 || passes == n;
      double pairs = (double)passes * ((double)passes - 1) + (double)(n - passes) * ((double)(n - passes) - 1);
      agreed += pairs / (double)(n * (n - 1));
    }
    if (n > 1) repeated++, within += squares / (double)(n - 1) / (double)n, flips += passes > 0 && passes < n;
    for (unsigned k = 1; k <= 3 && k <= n; k++) {
      with[k - 1]++;
      at[k - 1] += ee_pass_at_k(n, passes, k);
      every[k - 1] += ee_pass_all_k(n, passes, k);
    }
    verdicts[EE_TRIALS_MEAN][ee_verdict_of(sum / (double)n, limits)]++;
    verdicts[EE_TRIALS_ANY][ee_verdict_of(high, limits)]++;
    verdicts[EE_TRIALS_ALL][ee_verdict_of(low, limits)]++;
    verdicts[EE_TRIALS_INTERVAL][ee_verdict_of(fmax(lower, 0), limits)]++;
  }
  /* The judge says what the case does. */
  for (size_t i = 0; i < 2; i++) {
    const ee_trial_figures *of = &total->judges.items[i];
    assert_int_equal(of->trials, all->count);
    assert_int_equal(of->repeated, repeated);
    assert_near(ee_fixed_value(of->variance), variance, "variance");
    assert_memory_equal(of->outcomes, outcomes, sizeof outcomes);
    assert_int_equal(of->agreement.items, agreement.items);
    assert_int_equal(of->agreement.unanimous, agreement.unanimous);
    assert_near(ee_fixed_value(of->agreement.agreement), agreed, "agreement");
  }
  assert_memory_equal(total->by_trials, by_trials, sizeof by_trials);
  const ee_trial_figures *figures = &total->judges.items[1];
  assert_int_equal(total->trials, all->count);
  assert_int_equal(total->cases, cases);
  assert_int_equal(total->fewest, fewest);
  if (fewest > 0) assert_true(ee_str_is(total->fewest_case.id, fewest_case));
  assert_int_equal(figures->cases, cases);
  assert_int_equal(figures->repeated, repeated);
  assert_int_equal(figures->flips, flips);
  assert_near(ee_sample_mean(&figures->mean), mean / (double)cases, "mean");
  assert_near(ee_sample_mean(&figures->best), best / (double)cases, "best");
  assert_near(ee_sample_mean(&figures->worst), worst / (double)cases, "worst");
  assert_near(ee_fixed_value(figures->within), within, "within");
  for (int k = 0; k < 3; k++) {
    assert_int_equal(figures->at[k].count, with[k]);
    if (with[k] == 0) continue;
    assert_near(ee_sample_mean(&figures->at[k]), at[k] / (double)with[k], "pass@k");
    assert_near(ee_sample_mean(&figures->all[k]), every[k] / (double)with[k], "pass^k");
  }
  assert_memory_equal(total->verdicts, verdicts, sizeof verdicts);
}

/* The answer of most trials, the first of equally frequent ones: trials have the numbers of their places. */
static int vote(const made_trial *const *list, size_t n, int field, double *same) {
  int best = -9;
  size_t most = 0, pairs = 0;
  for (size_t i = 0; i < n; i++) {
    size_t votes = 0;
    for (size_t k = 0; k < n; k++) votes += list[k]->answers[field] == list[i]->answers[field];
    pairs += votes - 1;
    if (votes > most) most = votes, best = list[i]->answers[field];
  }
  *same = (double)pairs / (double)(n * (n - 1));
  return best;
}

static void check_field(const made *all, const ee_trial_total *total, int number, uint64_t *elected) {
  ee_trial_field_total want = {0};
  double same = 0, in_one = 0;
  uint64_t all_right = 0;
  for (unsigned c = 0; c < CASES; c++) {
    const made_trial *list[TRIALS];
    size_t n = 0, of = trials_of(all, c, list), right = 0, several = 0, kinds = 0;
    for (size_t i = 0; i < of; i++)
      if (list[i]->answers[number] != -3) list[n++] = list[i];
    if (n < 2) continue;
    for (size_t i = 0; i < n; i++) {
      int answer = list[i]->answers[number];
      right += answer == 0 || answer == -1;
      several += answer < 0;
      bool known = false;
      for (size_t k = 0; k < i; k++) known = known || list[k]->answers[number] == answer;
      kinds += !known;
    }
    want.cases++, want.trials += n, all_right += right;
    in_one += (double)right / (double)n;
    want.flips += right > 0 && right < n;
    want.any += right > 0, want.every += right == n;
    if (several > 0) continue;
    double one;
    want.elected += vote(list, n, number, &one) == 0;
    want.votes++, want.differ += kinds > 1, same += one;
  }
  const ee_trial_field_total *got = NULL;
  for (size_t i = 0; i < total->fields.count; i++)
    if (ee_str_is(total->fields.items[i].name, field_names[number])) got = &total->fields.items[i];
  assert_non_null(got);
  assert_int_equal(got->cases, want.cases);
  assert_int_equal(got->trials, want.trials);
  assert_true(fabs(ee_fixed_value(got->one) - in_one) < 1e-12 * CASES);
  assert_int_equal(got->outcomes[0], all_right);
  assert_int_equal(got->flips, want.flips);
  assert_int_equal(got->any, want.any);
  assert_int_equal(got->every, want.every);
  assert_int_equal(got->votes, want.votes);
  assert_int_equal(got->elected, want.elected);
  assert_int_equal(got->differ, want.differ);
  assert_near(ee_fixed_value(got->same), same, "same answer");
  *elected += want.elected;
}

/* All that is reported is equal, to the bit. */
static void assert_same(const ee_trial_total *a, const ee_trial_total *b) {
  assert_int_equal(a->cases, b->cases);
  assert_true(a->trials == b->trials && a->nameless == b->nameless && a->others == b->others &&
              a->fields_cut == b->fields_cut);
  assert_memory_equal(a->by_trials, b->by_trials, sizeof a->by_trials);
  assert_int_equal(a->fewest, b->fewest);
  assert_true(ee_str_equal(a->fewest_case.id, b->fewest_case.id));
  assert_memory_equal(a->verdicts, b->verdicts, sizeof a->verdicts);
  assert_int_equal(a->judges.count, b->judges.count);
  for (size_t i = 0; i < a->judges.count; i++) {
    ee_trial_figures left = a->judges.items[i], right = b->judges.items[i];
    left.name = right.name = EE_STR("");
    assert_memory_equal(&left, &right, sizeof left);
  }
  assert_int_equal(a->fields.count, b->fields.count);
  for (size_t i = 0; i < a->fields.count; i++) {
    ee_trial_field_total left = a->fields.items[i], right = b->fields.items[i];
    assert_true(ee_str_equal(left.name, right.name));
    left.name = right.name = EE_STR("");
    assert_memory_equal(&left, &right, sizeof left);
  }
  assert_int_equal(a->unstable_count, b->unstable_count);
  for (size_t i = 0; i < a->unstable_count; i++) {
    const ee_buffer *left = &a->unstable[i].json, *right = &b->unstable[i].json;
    assert_true(a->unstable[i].flips == b->unstable[i].flips && a->unstable[i].differ == b->unstable[i].differ &&
                a->unstable[i].spread == b->unstable[i].spread);
    assert_int_equal(left->length, right->length);
    assert_memory_equal(left->data, right->data, left->length);
    assert_non_null(ee_json_read(&arena, (ee_str){left->data, left->length}, NULL, NULL));
  }
}

/* Sums over the fields of each case, and what makes a case unstable. */
typedef struct case_sums {
  ee_ratio_sums one, voted, any, every;
  uint32_t flips, differ;
} case_sums;

static void plain_ratio(ee_ratio_sums *ratio, double a, double b) {
  if (b == 0) return;
  ratio->units++, ratio->a += a, ratio->b += b, ratio->aa += a * a, ratio->ab += a * b, ratio->bb += b * b;
}

static void assert_ratio(const ee_trial_ratio *ratio, const ee_ratio_sums *want) {
  ee_ratio_sums got = ee_trial_ratio_sums(ratio);
  assert_int_equal(got.units, want->units);
  assert_true(fabs(got.a - want->a) < 1e-9 && fabs(got.aa - want->aa) < 1e-9 && fabs(got.ab - want->ab) < 1e-9);
  assert_true(got.b == want->b && got.bb == want->bb);
}

static void plain_case(const made *all, unsigned number, case_sums *sums) {
  const made_trial *trials[TRIALS], *list[TRIALS];
  size_t of = trials_of(all, number, trials);
  double in_one = 0;
  uint64_t elected = 0, votes = 0, any = 0, every = 0, fields = 0;
  sums->flips = sums->differ = 0;
  for (int f = 0; f < FIELDS; f++) {
    size_t n = 0, good = 0, several = 0, others = 0;
    for (size_t i = 0; i < of; i++)
      if (trials[i]->answers[f] != -3) list[n++] = trials[i];
    if (n < 2) continue;
    for (size_t i = 0; i < n; i++) {
      good += list[i]->answers[f] == 0 || list[i]->answers[f] == -1;
      several += list[i]->answers[f] < 0;
      others += list[i]->answers[f] != list[0]->answers[f];
    }
    double same;
    fields++, in_one += (double)good / (double)n, any += good > 0, every += good == n;
    sums->flips += good > 0 && good < n;
    if (several > 0) continue;
    votes++, elected += vote(list, n, f, &same) == 0;
    sums->differ += others > 0;
  }
  plain_ratio(&sums->one, in_one, (double)fields);
  plain_ratio(&sums->voted, (double)elected, (double)votes);
  plain_ratio(&sums->any, (double)any, (double)fields);
  plain_ratio(&sums->every, (double)every, (double)fields);
}

typedef struct plain_unstable {
  uint32_t flips, differ;
  double spread;
  char id[24];
} plain_unstable;

/* Most fields that flip, then the widest scores, then most fields that differ; equal ones by id. */
static int compare_unstable(const void *left, const void *right) {
  const plain_unstable *a = left, *b = right;
  if (a->flips != b->flips) return a->flips > b->flips ? -1 : 1;
  if (a->spread != b->spread) return a->spread > b->spread ? -1 : 1;
  if (a->differ != b->differ) return a->differ > b->differ ? -1 : 1;
  return strcmp(a->id, b->id);
}

static void check_cases(const made *all, const ee_trial_total *total) {
  case_sums sums = {0};
  plain_unstable list[CASES];
  size_t count = 0;
  for (unsigned c = 0; c < CASES; c++) {
    const made_trial *trials[TRIALS];
    size_t n = trials_of(all, c, trials);
    if (n == 0) continue;
    plain_case(all, c, &sums);
    double high = trials[0]->score, low = high;
    for (size_t i = 1; i < n; i++) high = fmax(high, trials[i]->score), low = fmin(low, trials[i]->score);
    if (sums.flips + sums.differ == 0 && high <= low) continue;
    plain_unstable *one = &list[count++];
    *one = (plain_unstable){.flips = sums.flips, .differ = sums.differ, .spread = high - low};
    snprintf(one->id, sizeof one->id, "case %u", c);
  }
  qsort(list, count, sizeof *list, compare_unstable);
  assert_int_equal(total->unstable_count, count < EE_UNSTABLE_CASES ? count : EE_UNSTABLE_CASES);
  for (size_t i = 0; i < total->unstable_count; i++) {
    const ee_unstable_case *listed = &total->unstable[i];
    assert_int_equal(listed->id.length, strlen(list[i].id));
    assert_memory_equal(listed->id.data, list[i].id, listed->id.length);
    const ee_value *json = ee_json_read(&arena, (ee_str){listed->json.data, listed->json.length}, NULL, NULL);
    size_t fields = ee_value_count(ee_value_member(json, EE_STR("fields"), NULL));
    assert_true(fields >= list[i].flips && fields >= list[i].differ && fields <= list[i].flips + list[i].differ);
    assert_true(listed->flips == list[i].flips && listed->differ == list[i].differ && listed->spread == list[i].spread);
  }
  const ee_trial_figures *figures = &total->judges.items[1];
  assert_ratio(&figures->one, &sums.one);
  assert_ratio(&figures->voted, &sums.voted);
  assert_ratio(&figures->any, &sums.any);
  assert_ratio(&figures->every, &sums.every);
}

/* The state, in `arena`, and what is read from it. */
static ee_str save(ee_trial_total *total) {
  ee_buffer out = {0};
  ee_state_line line;
  ee_state_write(&line, &out);
  ee_trial_total_state(&line, total);
  assert_true(ee_state_close(&line));
  ee_str text = {ee_arena_copy(&arena, out.data, out.length), out.length};
  ee_buffer_fini(&out);
  return text;
}

static void load(ee_trial_total *total, ee_str text) {
  ee_state_line line;
  ee_trial_total_init(total, limits);
  ee_state_read(&line, ee_json_read(&arena, text, NULL, NULL));
  ee_trial_total_state(&line, total);
  if (!ee_state_close(&line)) fail_msg("%.*s", EE_STR_ARG(text));
}

/* Replaces a total by what its state says. */
static void through_state(ee_trial_total *total) {
  ee_str text = save(total);
  ee_trial_total read;
  load(&read, text);
  ee_str again = save(&read);
  if (!ee_str_equal(text, again)) fail_msg("%.*s\n%.*s", EE_STR_ARG(text), EE_STR_ARG(again));
  ee_trial_total_fini(total);
  *total = read;
}

static void adds_up_as_plain_loops_do(void **state) {
  (void)state;
  generator = test_random_start("adds_up_as_plain_loops_do", 14);
  for (int round = 0; round < 1500; round++) {
    made all = make();
    ee_trial_total whole, sum, rest, part;
    ee_trial_total_init(&whole, limits);
    ee_trial_total_init(&sum, limits);
    ee_trial_total_init(&rest, limits);
    ee_trial_total_init(&part, limits);
    for (size_t i = 0; i < all.count; i++) {
      add(&whole, &all, i);
      add(&part, &all, i);
      /* A record is never split. */
      if (random_below(3) > 0 || (all.grouped && !is_last(&all, i))) continue;
      if (random_below(4) == 0) through_state(&part);
      ee_trial_total_merge(random_below(2) == 0 ? &sum : &rest, &part);
      ee_trial_total_clear(&part);
    }
    ee_trial_total_merge(&part, &rest);
    ee_trial_total_merge(&sum, &part);
    ee_trial_total_fini(&rest);
    /* Before the open cases are put together, or afterwards. */
    size_t stored = random_below(6);
    if (stored == 0) through_state(&sum);
    ee_trial_total_finish(&whole);
    ee_trial_total_finish(&sum);
    if (stored == 1) through_state(&sum);
    assert_same(&whole, &sum);
    check_cases(&all, &whole);
    check_scores(&all, &whole);
    uint64_t elected = 0;
    for (int f = 0; f < FIELDS; f++) check_field(&all, &whole, f, &elected);
    assert_int_equal((uint64_t)ee_fixed_value(whole.judges.items[1].voted.a), elected);
    ee_trial_total_fini(&whole);
    ee_trial_total_fini(&sum);
    ee_trial_total_fini(&part);
    ee_arena_reset(&arena, 0);
  }
}

/* Of more fields than are kept the first in byte order are, whatever the order of the cases, and the figures of the
 * judge are those of all fields. */
static void keeps_the_first_fields(void **state) {
  (void)state;
  enum { MANY = EE_TRIAL_FIELDS + EE_TRIAL_FIELDS / 2, ROUNDS = 3 };
  generator = test_random_start("keeps_the_first_fields", 15);
  static size_t order[MANY];
  ee_trial_total first;
  for (size_t i = 0; i < MANY; i++) order[i] = i;
  for (int round = 0; round < ROUNDS; round++) {
    ee_trial_total total, part;
    ee_trial_total_init(&total, limits);
    ee_trial_total_init(&part, limits);
    for (size_t i = 0; i < MANY; i++) {
      /* A case of two trials in one record; the field is wrong in the second one. */
      for (int trial = 1; trial <= 2; trial++) {
        ee_trial_field field = {
            ee_str_from(ee_arena_printf(&arena, "f%zu", order[i])), counts_of(trial - 1), {NULL, 0}};
        if (trial == 2) field.answer = EE_STR("x");
        const ee_trial_judge judges[] = {{.has_score = true, .score = 1, .verdict = EE_VERDICT_PASS},
                                         {ee_str_from("judge"), 1, true, 1, EE_VERDICT_PASS, &field, 1}};
        ee_trial_total_add(&part, &(ee_trial){.id = ee_str_from(ee_arena_printf(&arena, "case %zu", order[i])),
                                              .name = ee_str_from(trial == 1 ? "1" : "2"),
                                              .last = trial == 2,
                                              .judges = judges,
                                              .judge_count = 2});
      }
      /* No case is open: there may be a quarter more. */
      assert_true(part.fields.count <= EE_TRIAL_FIELDS + EE_TRIAL_FIELDS / 4);
      if (random_below(6000) > 0 && i + 1 < MANY) continue;
      ee_trial_total_merge(&total, &part);
      assert_true(total.fields.count <= EE_TRIAL_FIELDS + EE_TRIAL_FIELDS / 4);
      ee_trial_total_clear(&part);
    }
    ee_trial_total_finish(&total);
    assert_int_equal(total.fields.count, EE_TRIAL_FIELDS);
    assert_true(total.fields_cut);
    assert_int_equal(total.judges.items[1].one.b, MANY);
    for (size_t i = 1; i < total.fields.count; i++)
      assert_true(ee_str_compare(total.fields.items[i - 1].name, total.fields.items[i].name) < 0);
    for (size_t i = 0; i < total.fields.count; i++) assert_int_equal(total.fields.items[i].cases, 1);
    if (round > 0) assert_same(&first, &total);
    if (round > 0)
      ee_trial_total_fini(&total);
    else
      first = total;
    ee_trial_total_fini(&part);
    for (size_t i = MANY; i-- > 1;) {
      size_t other = random_below(i + 1), kept = order[i];
      order[i] = order[other];
      order[other] = kept;
    }
  }
  ee_trial_total_fini(&first);
}

/* Trials of which only the case as a whole has a score are stored and read, too. */
static void stores_the_whole_alone(void **state) {
  (void)state;
  ee_trial_total total;
  ee_trial_total_init(&total, limits);
  const ee_trial_judge whole = {.has_score = true, .score = 0.75, .verdict = EE_VERDICT_PASS};
  ee_trial_total_add(&total, &(ee_trial){.id = EE_STR("a"), .name = EE_STR("1"), .judges = &whole, .judge_count = 1});
  through_state(&total);
  assert_int_equal(total.trials, 1);
  ee_trial_total_fini(&total);
}

/* Judges are in the order of the rules, as far as it is known, then by name; the case as a whole is the first. */
static void orders_judges(void **state) {
  (void)state;
  static const ee_trial_judge made_judges[] = {{.has_score = true, .score = 1},
                                               {.name = {"d", 1}, .position = 2, .has_score = true, .score = 1},
                                               {.name = {"a", 1}, .position = 2, .has_score = true, .score = 1},
                                               {.name = {"c", 1}, .position = 2, .has_score = true, .score = 1},
                                               {.name = {"z", 1}, .position = 1, .has_score = true, .score = 1},
                                               {.name = {"b", 1}, .position = 3, .has_score = true, .score = 1}};
  static const char *const names[] = {"", "z", "a", "c", "d", "b"};
  ee_trial_total total;
  ee_trial_total_init(&total, limits);
  for (int i = 0; i < 2; i++)
    ee_trial_total_add(&total, &(ee_trial){.id = EE_STR("x"),
                                           .name = ee_str_from(i == 0 ? "1" : "2"),
                                           .last = i == 1,
                                           .judges = made_judges,
                                           .judge_count = 6});
  ee_trial_total_finish(&total);
  assert_int_equal(total.judges.count, 6);
  for (size_t i = 0; i < 6; i++) assert_true(ee_str_is(total.judges.items[i].name, names[i]));
  ee_trial_total_fini(&total);
}

/* A trial of case `id` by one judge, whose fields have the answers: NULL a right one. */
static void add_answers(ee_trial_total *total, const char *id, const char *trial, double score, bool last,
                        const char *const *names, const char *const *answers, size_t count) {
  ee_trial_field *fields = EE_NEW_ARRAY(&arena, ee_trial_field, count + 1);
  for (size_t i = 0; i < count; i++) {
    fields[i] = (ee_trial_field){ee_str_from(names[i]), counts_of(answers[i] == NULL ? 0 : 1), {NULL, 0}};
    if (answers[i] != NULL) fields[i].answer = ee_str_from(answers[i]);
  }
  ee_verdict verdict = ee_verdict_of(score, limits);
  const ee_trial_judge judges[] = {{.has_score = true, .score = score, .verdict = verdict},
                                   {ee_str_from("j"), 1, true, score, verdict, fields, count}};
  ee_trial_total_add(
      total,
      &(ee_trial){.id = ee_str_from(id), .name = ee_str_from(trial), .last = last, .judges = judges, .judge_count = 2});
}

static void assert_json(const ee_trial_total *total, size_t number, const char *expected) {
  const ee_buffer *json = &total->unstable[number].json;
  if (json->length != strlen(expected) || memcmp(json->data, expected, json->length) != 0)
    fail_msg("%.*s\nis not\n%s", (int)json->length, json->data, expected);
}

/* What is shown of an unstable case: the scores in the order of the trials, the fields that differ by name, their wrong
 * answers in the order of the first trials that gave them. */
static void tells_of_unstable_cases(void **state) {
  (void)state;
  static const char *const names[] = {"b", "a", "c"};
  ee_trial_total total;
  ee_trial_total_init(&total, limits);
  /* In another order than that of their names: 10 comes after 2. */
  add_answers(&total, "one", "10", 0.5, false, names, (const char *const[]){"x", "7", NULL}, 3);
  add_answers(&total, "one", "2", 0.75, false, names, (const char *const[]){"y", NULL, NULL}, 3);
  add_answers(&total, "one", "1", 1, false, names, (const char *const[]){"x", "8", NULL}, 3);
  add_answers(&total, "one", "x", 0.25, false, names, (const char *const[]){"z", "7", NULL}, 3);
  /* One wrong answer in all trials, and a score that differs; and one case whose trials agree in everything. */
  add_answers(&total, "two", "1", 0.5, false, names, (const char *const[]){"x"}, 1);
  add_answers(&total, "two", "2", 0.25, false, names, (const char *const[]){"x"}, 1);
  add_answers(&total, "three", "1", 0.5, false, names, (const char *const[]){"x"}, 1);
  add_answers(&total, "three", "2", 0.5, false, names, (const char *const[]){"x"}, 1);
  /* Numbers come before other names, also before those that begin with one. */
  add_answers(&total, "zero", "1a", 0.75, false, names, NULL, 0);
  add_answers(&total, "zero", "100", 0.5, false, names, NULL, 0);
  add_answers(&total, "zero", "1b", 0.75, false, names, NULL, 0);
  ee_trial_total_finish(&total);
  assert_int_equal(total.unstable_count, 3);
  assert_json(&total, 2, "{\"id\":\"zero\",\"trials\":3,\"passed\":2,\"scores\":[0.5,0.75,0.75],\"fields\":[]}");
  assert_json(&total, 0,
              "{\"id\":\"one\",\"trials\":4,\"passed\":2,\"scores\":[1,0.75,0.5,0.25],\"fields\":["
              "{\"judge\":\"j\",\"field\":\"a\",\"right\":1,\"wrong\":3,\"answers\":[{\"value\":\"8\",\"trials\":1},"
              "{\"value\":\"7\",\"trials\":2}]},"
              "{\"judge\":\"j\",\"field\":\"b\",\"right\":0,\"wrong\":4,\"answers\":[{\"value\":\"x\",\"trials\":2},"
              "{\"value\":\"y\",\"trials\":1},{\"value\":\"z\",\"trials\":1}]}]}");
  assert_json(&total, 1, "{\"id\":\"two\",\"trials\":2,\"passed\":0,\"scores\":[0.5,0.25],\"fields\":[]}");
  ee_trial_total_fini(&total);
}

/* Of a case without any judge: its trials' scores. */
static void tells_of_the_whole_alone(void **state) {
  (void)state;
  ee_trial_total total;
  ee_trial_total_init(&total, limits);
  for (int i = 0; i < 3; i++) {
    const ee_trial_judge whole = {
        .has_score = i < 2, .score = i == 0 ? 1 : 0.25, .verdict = i == 0 ? EE_VERDICT_PASS : EE_VERDICT_FAIL};
    ee_trial_total_add(&total, &(ee_trial){.id = EE_STR("a"),
                                           .name = ee_str_from(ee_arena_printf(&arena, "%d", i)),
                                           .last = i == 2,
                                           .judges = &whole,
                                           .judge_count = 1});
  }
  assert_int_equal(total.unstable_count, 1);
  assert_json(&total, 0, "{\"id\":\"a\",\"trials\":3,\"passed\":1,\"scores\":[1,0.25],\"fields\":[]}");
  assert_true(total.unstable[0].spread == 0.75);
  ee_trial_total_fini(&total);
}

/* Twelve fields, six answers of each and a hundred scores are shown. */
static void tells_no_more_than_that(void **state) {
  (void)state;
  for (size_t count = 11; count <= 14; count++) {
    ee_trial_total total;
    ee_trial_total_init(&total, limits);
    const char *names[14], *right[14] = {NULL}, *wrong[14];
    for (size_t i = 0; i < count; i++) {
      names[i] = ee_arena_printf(&arena, "f%02zu", (i * 5) % count);
      wrong[i] = "w";
    }
    add_answers(&total, "a", "1", 0.5, false, names, right, count);
    add_answers(&total, "a", "2", 0.5, true, names, wrong, count);
    assert_int_equal(total.unstable_count, 1);
    assert_int_equal(total.unstable[0].flips, count);
    const char *expected = "{\"id\":\"a\",\"trials\":2,\"passed\":0,\"scores\":[0.5,0.5],\"fields\":[";
    for (size_t i = 0; i < count && i < 12; i++)
      expected = ee_arena_printf(&arena,
                                 "%s%s{\"judge\":\"j\",\"field\":\"f%02zu\",\"right\":1,\"wrong\":1,\"answers\":[{"
                                 "\"value\":\"w\",\"trials\":1}]}",
                                 expected, i > 0 ? "," : "", i);
    assert_json(&total, 0, ee_arena_printf(&arena, "%s]}", expected));
    ee_trial_total_fini(&total);
  }
  for (size_t count = 5; count <= 8; count++) {
    ee_trial_total total;
    ee_trial_total_init(&total, limits);
    const char *expected = "";
    for (size_t i = 0; i < count; i++) {
      const char *name = "f", *answer = ee_arena_printf(&arena, "w%zu", 9 - i);
      add_answers(&total, "a", ee_arena_printf(&arena, "%zu", i + 1), 0.5, i + 1 == count, &name, &answer, 1);
      if (i < 6)
        expected = ee_arena_printf(&arena, "%s%s{\"value\":\"%s\",\"trials\":1}", expected, i > 0 ? "," : "", answer);
    }
    assert_non_null(memmem(total.unstable[0].json.data, total.unstable[0].json.length, expected, strlen(expected)));
    const char *end = ee_arena_printf(&arena, "%s]}]}", expected);
    assert_non_null(memmem(total.unstable[0].json.data, total.unstable[0].json.length, end, strlen(end)));
    ee_trial_total_fini(&total);
  }
  for (size_t count = EE_TRIALS_COUNTED - 1; count <= EE_TRIALS_COUNTED + 2; count++) {
    ee_trial_total total;
    ee_trial_total_init(&total, limits);
    for (size_t i = 0; i < count; i++)
      add_answers(&total, "a", ee_arena_printf(&arena, "%zu", i + 1), i % 2 == 0 ? 1 : 0.5, i + 1 == count, NULL, NULL,
                  0);
    const ee_value *json =
        ee_json_read(&arena, (ee_str){total.unstable[0].json.data, total.unstable[0].json.length}, NULL, NULL);
    size_t shown = count < EE_TRIALS_COUNTED ? count : EE_TRIALS_COUNTED;
    assert_int_equal(ee_value_count(ee_value_member(json, EE_STR("scores"), NULL)), shown);
    for (size_t i = 0; i <= EE_TRIALS_COUNTED; i++) assert_int_equal(total.by_trials[i], i == shown ? 1 : 0);
    ee_trial_total_fini(&total);
  }
}

/* A field without a known answer differs where it is right in some trials only, and has no answers to show. */
static void tells_of_unknown_answers(void **state) {
  (void)state;
  ee_trial_total total;
  ee_trial_total_init(&total, limits);
  for (int trial = 0; trial < 2; trial++) {
    ee_trial_field fields[] = {{EE_STR("a"), counts_of(trial == 0 ? -1 : -2), {NULL, 0}},
                               {EE_STR("b"), counts_of(1), {NULL, 0}}};
    const ee_trial_judge judges[] = {{.has_score = true, .score = 0, .verdict = EE_VERDICT_FAIL},
                                     {ee_str_from("j"), 1, true, 0, EE_VERDICT_FAIL, fields, 2}};
    ee_trial_total_add(&total, &(ee_trial){.id = EE_STR("x"),
                                           .name = trial == 0 ? EE_STR("1") : EE_STR("2"),
                                           .last = trial == 1,
                                           .judges = judges,
                                           .judge_count = 2});
  }
  assert_json(&total, 0,
              "{\"id\":\"x\",\"trials\":2,\"passed\":0,\"scores\":[0,0],\"fields\":[{\"judge\":\"j\",\"field\":\"a\","
              "\"right\":1,\"wrong\":1}]}");
  ee_trial_total_fini(&total);
}

/* Trials that say nothing of which one they are, and cases without any trial, are counted. */
static void counts_what_has_no_name(void **state) {
  (void)state;
  ee_trial_total total, other;
  ee_trial_total_init(&total, limits);
  ee_trial_total_init(&other, limits);
  add_answers(&total, "a", "", 1, false, NULL, NULL, 0);
  add_answers(&total, "a", "x", 1, false, NULL, NULL, 0);
  add_answers(&other, "a", "", 1, false, NULL, NULL, 0);
  add_answers(&other, "b", "", 1, false, NULL, NULL, 0);
  other.others = 3;
  total.others = 2;
  ee_trial_total_merge(&total, &other);
  assert_true(total.nameless == 3 && total.others == 5 && total.trials == 4);
  /* Also of totals without a trial. */
  ee_trial_total_clear(&other);
  assert_true(other.nameless == 0 && other.others == 0 && other.trials == 0);
  other.others = 4;
  ee_trial_total_merge(&total, &other);
  assert_int_equal(total.others, 9);
  ee_trial_total_clear(&other);
  assert_int_equal(other.others, 0);
  ee_trial_total_finish(&total);
  assert_int_equal(total.cases, 2);
  assert_int_equal(total.fewest, 1);
  assert_true(ee_str_is(total.fewest_case.id, "b"));
  ee_trial_total_fini(&total);
  ee_trial_total_fini(&other);
}

/* Fields stay with their judges, in whatever order those were met. */
static void keeps_fields_with_their_judges(void **state) {
  (void)state;
  static const char *const names[] = {"late", "middle", "early"};
  for (size_t first = 0; first < 3; first++) {
    ee_trial_total total;
    ee_trial_total_init(&total, limits);
    for (unsigned trial = 1; trial <= 2; trial++) {
      ee_trial_field fields[3];
      ee_trial_judge judges[4] = {{.has_score = true, .score = 1, .verdict = EE_VERDICT_PASS}};
      for (size_t i = 0; i < 3; i++) {
        size_t number = (first + i) % 3;
        fields[i] =
            (ee_trial_field){ee_str_from(ee_arena_printf(&arena, "of %s", names[number])), {.tp = 1}, {NULL, 0}};
        judges[i + 1] =
            (ee_trial_judge){ee_str_from(names[number]), 3 - number, true, 1, EE_VERDICT_PASS, &fields[i], 1};
      }
      ee_trial_total_add(&total, &(ee_trial){.id = EE_STR("x"),
                                             .name = ee_str_from(ee_arena_printf(&arena, "%u", trial)),
                                             .last = trial == 2,
                                             .judges = judges,
                                             .judge_count = 4});
    }
    ee_trial_total_finish(&total);
    assert_int_equal(total.judges.count, 4);
    assert_int_equal(total.fields.count, 3);
    for (size_t i = 0; i < 3; i++) {
      assert_true(ee_str_is(total.judges.items[i + 1].name, names[2 - i]));
      const ee_trial_field_total *field = &total.fields.items[i];
      const char *judge = ee_arena_printf(&arena, "of %.*s", EE_STR_ARG(total.judges.items[field->judge].name));
      if (!ee_str_is(field->name, judge)) fail_msg("'%.*s' is of %s", EE_STR_ARG(field->name), judge + 3);
    }
    ee_trial_total_fini(&total);
  }
}

static const char *answer_of(const char *json) {
  ee_str text = ee_trial_answer(ee_json_read(&arena, ee_str_from(json), NULL, NULL), &arena);
  return ee_arena_copy(&arena, text.data, text.length);
}

static void knows_equal_answers(void **state) {
  (void)state;
  assert_string_equal(answer_of("null"), "");
  assert_string_equal(answer_of("\"  \""), "");
  assert_string_equal(answer_of("\" a  b\\n\""), "a b");
  assert_string_equal(answer_of("12.50"), "12.5");
  assert_string_equal(answer_of("\"12.50 \""), "12.5");
  assert_string_equal(answer_of("\"12,5\""), "12,5");
  assert_string_equal(answer_of("true"), "true");
  assert_string_equal(answer_of("{\"b\":1,\"a\":[null]}"), answer_of("{\"a\":[null],\"b\":1}"));
  assert_true(ee_trial_answer(NULL, &arena).length == 0);
}

/* Judges of one position are written by their names, whichever was met first. */
static void states_have_judges_by_name(void **state) {
  (void)state;
  ee_str texts[2];
  for (size_t k = 0; k < 2; k++) {
    ee_trial_total total;
    ee_trial_total_init(&total, limits);
    for (size_t i = 0; i < 2; i++) {
      const ee_trial_judge judges[] = {
          {.has_score = true, .score = 1, .verdict = EE_VERDICT_PASS},
          {i == k ? EE_STR("x") : EE_STR("y"), 1, true, i == k ? 1 : 0.5, EE_VERDICT_PASS, NULL, 0},
      };
      ee_trial_total_add(&total, &(ee_trial){.id = i == k ? EE_STR("a") : EE_STR("b"),
                                             .name = EE_STR("1"),
                                             .last = true,
                                             .judges = judges,
                                             .judge_count = 2});
    }
    texts[k] = save(&total);
    ee_trial_total_fini(&total);
  }
  if (!ee_str_equal(texts[0], texts[1])) fail_msg("%.*s\n%.*s", EE_STR_ARG(texts[0]), EE_STR_ARG(texts[1]));
}

EE_TEST_FILE(make_arena, free_arena, cmocka_unit_test(adds_up_as_plain_loops_do),
             cmocka_unit_test(tells_of_unstable_cases), cmocka_unit_test(keeps_fields_with_their_judges),
             cmocka_unit_test(tells_of_the_whole_alone), cmocka_unit_test(tells_no_more_than_that),
             cmocka_unit_test(tells_of_unknown_answers), cmocka_unit_test(counts_what_has_no_name),
             cmocka_unit_test(keeps_the_first_fields), cmocka_unit_test(knows_equal_answers),
             cmocka_unit_test(stores_the_whole_alone), cmocka_unit_test(orders_judges),
             cmocka_unit_test(states_have_judges_by_name));
