/* test_properties.c: what always holds of ee.fields and ee.line_items, on random documents through whole plans. */
#include "judge/case_view.h"
#include "judge/line_items/line_items.h"
#include "run/totals.h"
#include "support/random.h"

/* Running -------------------------------------------------------------------------------------- */

/* Calls `check` with `plans` random plans, each with some documents. */
static void run_trials(const char *name, uint64_t seed, size_t plans, void (*check)(trial *t)) {
  test_random random = test_random_start(name, seed);
  ee_arena arena;
  ee_arena_init(&arena, 0);
  for (size_t i = 0; i < plans; i++) {
    random_rules rules;
    subject s;
    rules_make(&random, &arena, &rules);
    subject_open(&s, &rules, "");
    for (size_t k = 0; k < DOCUMENTS_A_PLAN; k++) {
      trial t = {.random = &random, .arena = &arena, .rules = &rules, .subject = &s};
      test_document_make(&random, &arena, &t.expected);
      test_document_answer(&random, &arena, &t.expected, &t.candidate);
      check(&t);
    }
    subject_close(&s);
    ee_arena_reset(&arena, 0);
  }
  ee_arena_fini(&arena);
}

/* Identity ------------------------------------------------------------------------------------- */

static void check_identity(trial *t) {
  case_view view;
  judge(t->subject, &t->expected, &t->expected, &view);
  for (size_t i = 0; i < JUDGES; i++) {
    const judge_view *v = &view.judges[i];
    if (v->missing != 0 || v->extra != 0) broken(t, i, &t->expected, "%zu items missing", v->missing);
    if (v->score != 1 || v->verdict != EE_VERDICT_PASS) broken(t, i, &t->expected, "score %.17g", v->score);
    if (v->misses != 0) broken(t, i, &t->expected, "%zu misses", v->misses);
    for (size_t k = 0; k < RULES_FIELDS; k++) {
      if (v->counts[k].fp + v->counts[k].fn != 0) broken(t, i, &t->expected, "attribute %zu has errors", k);
    }
  }
  assert_true(view.score == 1);
  assert_int_equal(view.verdict, EE_VERDICT_PASS);
}

static void test_a_document_against_itself_is_perfect(void **state) {
  (void)state;
  run_trials("identity", 101, 340, check_identity);
}

/* Order ---------------------------------------------------------------------------------------- */

static void check_key_order(trial *t) {
  case_view before, after;
  judge(t->subject, &t->expected, &t->candidate, &before);
  judge_spelled(t->subject, &t->expected, &t->candidate, &(test_spelling){.keys = t->random}, &after);
  assert_same_view(t, &before, &after, 0, 0);
  assert_true(before.score == after.score);
}

static void test_key_order_never_matters(void **state) {
  (void)state;
  run_trials("key_order", 102, 350, check_key_order);
}

static void check_item_order(trial *t) {
  case_view before, after;
  judge(t->subject, &t->expected, &t->candidate, &before);
  test_document expected = t->expected, candidate = t->candidate;
  test_document_move_items(t->random, &expected, NULL);
  test_document_move_items(t->random, &candidate, NULL);
  judge(t->subject, &expected, &candidate, &after);
  for (size_t i = 1; i < JUDGES; i++) {
    if (strcmp(t->rules->lists[i - 1].name, "index") == 0) continue;
    const char *what = difference(&before.judges[i], &after.judges[i], ANY_FINDINGS | ANY_PAIR_INDICES);
    if (what != NULL) broken(t, i, &t->candidate, "%s", what);
  }
}

static void test_item_order_never_matters(void **state) {
  (void)state;
  run_trials("item_order", 103, 380, check_item_order);
}

/* Right and wrong ------------------------------------------------------------------------------ */

/* Where a false positive scores and a true negative does not, taking an invented value back takes a score away: that is
 * what those two options say. */
static bool is_paid_for(const random_rules *rules, const char *expected, const char *candidate) {
  bool invented = expected == NULL && candidate != NULL;
  return invented && strcmp(rules->unexpected, "pass") == 0 && strcmp(rules->tn, "skip") == 0;
}

static void check_fields_monotone(trial *t) {
  case_view before, after;
  judge(t->subject, &t->expected, &t->candidate, &before);
  for (size_t k = 0; k < TEST_SLOTS + TEST_ROWS; k++) {
    test_document better = t->candidate;
    const char **from = k < TEST_SLOTS ? &t->expected.slots[k] : &t->expected.rows[k - TEST_SLOTS];
    const char **to = k < TEST_SLOTS ? &better.slots[k] : &better.rows[k - TEST_SLOTS];
    if (*from == *to || is_paid_for(t->rules, *from, *to)) continue;
    *to = *from;
    if (k >= TEST_SLOTS + better.row_count) better.row_count = k - TEST_SLOTS + 1;
    judge(t->subject, &t->expected, &better, &after);
    double was = before.judges[0].score, is = after.judges[0].score;
    if (is < was) broken(t, 0, &t->candidate, "value %zu made right: %.17g, then %.17g", k, was, is);
    if (after.score < before.score) broken(t, 0, &t->candidate, "value %zu made right lowers the case", k);
  }
}

static void test_a_right_field_never_lowers(void **state) {
  (void)state;
  run_trials("fields_monotone", 104, 200, check_fields_monotone);
}

static size_t monotone_pairs;

static bool same_pairs(const judge_view *a, const judge_view *b) {
  if (a->pair_count != b->pair_count) return false;
  for (size_t i = 0; i < a->pair_count; i++) {
    if (a->pairs[i].expected != b->pairs[i].expected || a->pairs[i].candidate != b->pairs[i].candidate) return false;
  }
  return true;
}

static void check_items_monotone(trial *t) {
  case_view before, after;
  judge(t->subject, &t->expected, &t->candidate, &before);
  for (size_t i = 1; i < JUDGES; i++) {
    const judge_view *view = &before.judges[i];
    if (view->pair_count == 0) continue;
    const ee_alignment *pair = &view->pairs[test_random_below(t->random, view->pair_count)];
    size_t cell = test_random_below(t->random, TEST_CELLS);
    test_document better = t->candidate;
    const char **to = &better.items[pair->candidate].cells[cell];
    const char *from = t->expected.items[pair->expected].cells[cell];
    if (*to == from) continue;
    *to = from;
    judge(t->subject, &t->expected, &better, &after);
    if (!same_pairs(view, &after.judges[i])) continue;
    monotone_pairs++;
    if (after.judges[i].score < view->score) {
      broken(t, i, &t->candidate, "%s of item %u made right: %.17g, then %.17g", test_cell_names[cell], pair->candidate,
             view->score, after.judges[i].score);
    }
  }
}

static void test_a_right_cell_never_lowers(void **state) {
  (void)state;
  monotone_pairs = 0;
  run_trials("items_monotone", 105, 300, check_items_monotone);
  assert_true(monotone_pairs > 500);
}

/* Counting ------------------------------------------------------------------------------------- */

static void check_header_counts(const trial *t, const judge_view *view) {
  for (size_t k = 0; k < RULES_FIELDS; k++) {
    bool judged = t->rules->has_field[k] && t->rules->fields[k].judged;
    assert_int_equal(view->present[k], judged);
    if (!judged) continue;
    bool is_list = k == RULES_ROWS;
    const char *const *expected = is_list ? t->expected.rows : &t->expected.slots[k];
    const char *const *candidate = is_list ? t->candidate.rows : &t->candidate.slots[k];
    size_t values = 1, there = 0, given = 0, neither = 0;
    if (is_list) {
      size_t a = t->expected.row_count, b = t->candidate.row_count;
      values = a > b ? a : b;
      neither = values == 0; /* two empty arrays */
    }
    for (size_t i = 0; i < values; i++) {
      there += expected[i] != NULL;
      given += candidate[i] != NULL;
      neither += expected[i] == NULL && candidate[i] == NULL;
    }
    const ee_counts *c = &view->counts[k];
    bool right = c->tp + c->fn + c->unread == there && c->tp + c->fp <= given && c->tp + c->fp + c->unread >= given &&
                 c->tn == neither && c->wrong <= c->fp && c->wrong <= c->fn;
    if (!right) broken(t, 0, &t->candidate, "field %zu does not add up", k);
  }
}

static void check_list_counts(const trial *t, size_t number, const judge_view *view) {
  const rules_list *list = &t->rules->lists[number - 1];
  bool expected_seen[TEST_ITEMS] = {false}, candidate_seen[TEST_ITEMS] = {false};
  for (size_t i = 0; i < view->pair_count; i++) {
    const ee_alignment *pair = &view->pairs[i];
    assert_true(pair->expected < t->expected.item_count && pair->candidate < t->candidate.item_count);
    assert_true(pair->similarity >= 0 && pair->similarity <= 1);
    if (expected_seen[pair->expected] || candidate_seen[pair->candidate])
      broken(t, number, &t->candidate, "paired twice");
    expected_seen[pair->expected] = candidate_seen[pair->candidate] = true;
  }
  assert_int_equal(view->pair_count + view->missing, t->expected.item_count);
  assert_int_equal(view->pair_count + view->extra, t->candidate.item_count);
  for (size_t k = 0; k < TEST_CELLS; k++) {
    if (!list->automatic && !(list->has_cell[k] && list->cells[k].judged)) {
      /* Match fields are there with what could not be read. */
      const ee_counts *none = &view->counts[k];
      assert_true(!view->present[k] || none->tp + none->tn + none->fp + none->fn == 0);
      continue;
    }
    size_t there = 0, given = 0, neither = 0;
    for (size_t i = 0; i < t->expected.item_count; i++) there += t->expected.items[i].cells[k] != NULL;
    for (size_t i = 0; i < t->candidate.item_count; i++) given += t->candidate.items[i].cells[k] != NULL;
    for (size_t i = 0; i < view->pair_count; i++) {
      neither += t->expected.items[view->pairs[i].expected].cells[k] == NULL &&
                 t->candidate.items[view->pairs[i].candidate].cells[k] == NULL;
    }
    const ee_counts *c = &view->counts[k];
    bool right = c->tp + c->fn + c->unread == there && c->tp + c->fp <= given && c->tp + c->fp + c->unread >= given &&
                 c->wrong <= c->fp && c->wrong <= c->fn;
    /* A key that stands in no item is no attribute of `auto`. */
    right = right && (c->tn == neither || (list->automatic && there + given == 0));
    if (!right) broken(t, number, &t->candidate, "cell %zu does not add up", k);
  }
}

static void check_counts(trial *t) {
  case_view view;
  judge(t->subject, &t->expected, &t->candidate, &view);
  check_header_counts(t, &view.judges[0]);
  for (size_t i = 1; i < JUDGES; i++) check_list_counts(t, i, &view.judges[i]);
}

static void test_no_value_is_counted_twice(void **state) {
  (void)state;
  run_trials("counts", 106, 420, check_counts);
}

/* Leaving out and inventing -------------------------------------------------------------------- */

static bool counts_field(const trial *t, size_t k) { return t->rules->has_field[k] && t->rules->fields[k].judged; }
static bool counts_cell(const rules_list *list, size_t k) {
  return list->automatic || (list->has_cell[k] && list->cells[k].judged);
}
static bool counts_item(const rules_list *list, const test_item *item) {
  for (size_t k = 0; k < TEST_CELLS; k++) {
    if (counts_cell(list, k) && item->cells[k] != NULL) return true;
  }
  return false;
}

/* A required value that was right is left out, of the perfect answer and of any other. */
static void check_field_left_out(trial *t) {
  size_t k = test_random_below(t->random, TEST_SLOTS);
  if (t->expected.slots[k] == NULL || !counts_field(t, k)) return;
  bool required = t->rules->fields[k].required;
  for (int round = 0; round < 2; round++) {
    test_document right = round == 0 ? t->expected : t->candidate, without;
    right.slots[k] = t->expected.slots[k];
    without = right;
    without.slots[k] = NULL;
    case_view before, after;
    judge(t->subject, &t->expected, &right, &before);
    judge(t->subject, &t->expected, &without, &after);
    /* What the rules cannot read is neither right nor missing. */
    if (after.judges[0].counts[k].unread > 0) return;
    assert_int_equal(after.judges[0].counts[k].fn, 1);
    assert_int_equal(after.judges[0].counts[k].tp, 0);
    if (after.judges[0].score > before.judges[0].score) broken(t, 0, &right, "leaving out value %zu gains", k);
    bool strict = round == 0 || strcmp(t->rules->aggregate, "all_or_nothing") != 0;
    bool counted = required || strstr(t->rules->aggregate, "f1") != NULL;
    if (strict && counted && !(after.judges[0].score < before.judges[0].score)) {
      broken(t, 0, &right, "leaving out value %zu costs nothing", k);
    }
  }
}

static void check_field_invented(trial *t) {
  size_t k = test_random_below(t->random, TEST_SLOTS);
  if (t->expected.slots[k] != NULL || !counts_field(t, k)) return;
  test_document with = t->expected;
  with.slots[k] = test_slot_value(t->random, (test_slot)k, t->arena);
  case_view view;
  judge(t->subject, &t->expected, &with, &view);
  const ee_counts *counts = &view.judges[0].counts[k];
  assert_int_equal(counts->fp, 1);
  ee_metric precision = ee_precision(counts);
  assert_true(precision.defined && precision.value < 1);
  bool costs = strcmp(t->rules->unexpected, "fail") == 0 || strstr(t->rules->aggregate, "f1") != NULL;
  if (costs && !(view.judges[0].score < 1)) broken(t, 0, &with, "inventing value %zu costs nothing", k);
}

static bool any_unread(const judge_view *view) {
  for (size_t k = 0; k < TEST_CELLS; k++)
    if (view->counts[k].unread > 0) return true;
  return false;
}

/* One cell or one item less, or more, than in the perfect answer. */
static void check_items_less_and_more(trial *t) {
  case_view view;
  if (t->expected.item_count > 0) {
    size_t at = test_random_below(t->random, t->expected.item_count), k = test_random_below(t->random, TEST_CELLS);
    test_document changed = t->expected;
    const char **cell = &changed.items[at].cells[k];
    bool invented = *cell == NULL;
    *cell = invented ? test_cell_value(t->random, (test_cell)k, t->arena) : NULL;
    judge(t->subject, &t->expected, &changed, &view);
    for (size_t i = 1; i < JUDGES; i++) {
      if (!counts_cell(&t->rules->lists[i - 1], k)) continue;
      const ee_counts *counts = &view.judges[i].counts[k];
      if (any_unread(&view.judges[i])) continue;
      if (t->rules->lists[i - 1].strict && !(view.judges[i].score < 1))
        broken(t, i, &changed, "%s costs nothing", invented ? "inventing" : "leaving out");
      if (invented && !(ee_precision(counts).defined && ee_precision(counts).value < 1))
        broken(t, i, &changed, "precision");
      if (!invented && !(ee_recall(counts).defined && ee_recall(counts).value < 1)) broken(t, i, &changed, "recall");
    }

    changed = t->expected;
    test_item gone = changed.items[at];
    changed.items[at] = changed.items[--changed.item_count];
    judge(t->subject, &t->expected, &changed, &view);
    for (size_t i = 1; i < JUDGES; i++) {
      if (any_unread(&view.judges[i])) continue;
      const rules_list *list = &t->rules->lists[i - 1];
      bool costs = list->strict || strstr(list->score, "mean") != NULL;
      if (costs && counts_item(list, &gone) && !(view.judges[i].score < 1)) {
        broken(t, i, &changed, "leaving out an item costs nothing");
      }
    }
  }
  test_document more = t->expected;
  test_item *extra = &more.items[more.item_count++];
  *extra = t->candidate.item_count > 0 ? t->candidate.items[0] : (test_item){{"\"new\""}};
  judge(t->subject, &t->expected, &more, &view);
  for (size_t i = 1; i < JUDGES; i++) {
    const rules_list *list = &t->rules->lists[i - 1];
    bool costs = list->strict || strstr(list->score, "union") != NULL || strstr(list->score, "longer") != NULL;
    if (costs && counts_item(list, extra) && !(view.judges[i].score < 1)) {
      broken(t, i, &more, "inventing an item costs nothing");
    }
  }
}

static void check_costs(trial *t) {
  check_field_left_out(t);
  check_field_invented(t);
  check_items_less_and_more(t);
}

static void test_leaving_out_and_inventing_cost(void **state) {
  (void)state;
  run_trials("costs", 107, 250, check_costs);
}

/* Spelling of null ----------------------------------------------------------------------------- */

static void check_nulls(trial *t) {
  case_view before, after;
  judge(t->subject, &t->expected, &t->candidate, &before);
  judge_spelled(t->subject, &t->expected, &t->candidate, &(test_spelling){.nulls = t->random}, &after);
  for (size_t i = 0; i < JUDGES; i++) {
    /* Of a key that is there with null on both sides, `auto` counts a TN; without the key it knows nothing. */
    bool automatic = i > 0 && t->rules->lists[i - 1].automatic;
    const char *what = difference(&before.judges[i], &after.judges[i], automatic ? ANY_TN : 0);
    if (what != NULL) broken(t, i, &t->candidate, "%s", what);
  }
}

static void test_spelling_of_null_never_matters(void **state) {
  (void)state;
  run_trials("nulls", 108, 400, check_nulls);
}

/* Sign ----------------------------------------------------------------------------------------- */

static void test_sign_matters(void **state) {
  (void)state;
  test_random random = test_random_start("sign", 109);
  static const char *const strategies[] = {"\"exact\"",
                                           "\"numeric\"",
                                           "\"numeric\",\"tolerance\":0.001",
                                           "\"auto\"",
                                           "\"numeric\",\"tolerance\":0.5,\"relative\":true",
                                           "\"one_of\",\"values\":[\"none\"]",
                                           "\"numeric\",\"score\":\"linear\"",
                                           "\"numeric\",\"format\":\"money\""};
  enum { STRATEGIES = sizeof strategies / sizeof *strategies };
  for (size_t i = 0; i < STRATEGIES; i++) {
    char rules[512], expected[160], candidate[160];
    snprintf(rules, sizeof rules,
             "{\"ee\":\"rules\",\"items\":[{\"ee\":\"fields\",\"items\":[{\"ee\":%s,\"items\":[\"total\"]}]},"
             "{\"ee\":\"line_items\",\"match\":\"sku\",\"items\":[\"items\",{\"ee\":%s,\"items\":[\"price\"]}]}]}",
             strategies[i], strategies[i]);
    subject s;
    subject_open_text(&s, rules, "");
    for (int round = 0; round < 300; round++) {
      char value[48];
      /* At least 1e-3: twice the value is then more than any of the tolerances. */
      snprintf(value, sizeof value, "%zu.%02zu%s", 1 + test_random_below(&random, 999),
               1 + test_random_below(&random, 99), test_random_below(&random, 4) == 0 ? "e-3" : "");
      bool text = i != 0 && i != 3 && i != 5 && test_random_below(&random, 3) == 0;
      const char *quote = text ? "\"" : "";
      snprintf(expected, sizeof expected, "{\"total\":%s,\"items\":[{\"sku\":1,\"price\":%s}]}", value, value);
      snprintf(candidate, sizeof candidate, "{\"total\":%s-%s%s,\"items\":[{\"sku\":1,\"price\":%s-%s%s}]}", quote,
               value, quote, quote, value, quote);
      for (int turn = 0; turn < 2; turn++) {
        fixture_judge_case(&s.f, turn == 0 ? expected : candidate, turn == 0 ? candidate : expected);
        for (size_t k = 0; k < 2; k++) {
          const ee_judge_result *result = &s.f.result.judges[k];
          if (result->score != 0 || result->attributes[0].counts.wrong != 1)
            fail_msg("%s %s", strategies[i], candidate);
        }
      }
    }
    subject_close(&s);
  }
}

/* One level deeper ----------------------------------------------------------------------------- */

static void check_deeper(trial *t) {
  case_view before, after;
  judge(t->subject, &t->expected, &t->candidate, &before);
  subject deeper;
  subject_open(&deeper, t->rules, test_random_below(t->random, 2) == 0 ? "outer." : "pages.first.");
  judge(&deeper, &t->expected, &t->candidate, &after);
  assert_same_view(t, &before, &after, 0, ANY_FINDINGS);
  assert_true(before.score == after.score);
  subject_close(&deeper);
}

static void test_one_level_deeper_changes_nothing(void **state) {
  (void)state;
  run_trials("deeper", 110, 80, check_deeper);
}

/* Partitions ----------------------------------------------------------------------------------- */

static void assert_same_totals(const ee_totals *a, const ee_totals *b) {
  assert_int_equal(a->scored, b->scored);
  assert_true(a->data_hash == b->data_hash);
  for (size_t i = 0; i < a->plan->judge_count; i++) {
    const ee_judge_total *x = &a->all.judges[i], *y = &b->all.judges[i];
    assert_memory_equal(&x->score, &y->score, sizeof x->score);
    assert_memory_equal(x->verdicts, y->verdicts, sizeof x->verdicts);
    assert_int_equal(x->vacuous, y->vacuous);
    assert_int_equal(x->attribute_count, y->attribute_count);
    for (size_t k = 0; k < x->attribute_count; k++) {
      assert_true(ee_str_equal(x->attributes[k].name, y->attributes[k].name));
      assert_memory_equal(&x->attributes[k].counts, &y->attributes[k].counts, sizeof(ee_counts));
    }
    ee_judge_averages one = ee_judge_total_averages(x), other = ee_judge_total_averages(y);
    assert_memory_equal(&one.pooled, &other.pooled, sizeof one.pooled);
    assert_true(one.micro.f1.value == other.micro.f1.value && one.macro.f1.value == other.macro.f1.value);
    assert_true(one.weighted.f1.value == other.weighted.f1.value);
  }
}

/* Cases in parts, and neighbouring parts merged in random order until one is left. */
static void check_partition(test_random *random, ee_arena *arena) {
  enum { PARTS = 6 };
  random_rules rules;
  subject s;
  rules_make(random, arena, &rules);
  subject_open(&s, &rules, "");
  ee_totals whole, parts[PARTS];
  uint64_t pooled[JUDGES][4] = {{0}}; /* tp, tn, fp, fn, added up one by one */
  ee_totals_init(&whole, s.f.plan);
  for (size_t i = 0; i < PARTS; i++) {
    ee_totals_init(&parts[i], s.f.plan);
    for (size_t left = test_random_below(random, 6); left > 0; left--) {
      test_document expected, candidate;
      case_view view;
      test_document_make(random, arena, &expected);
      test_document_answer(random, arena, &expected, &candidate);
      judge(&s, &expected, &candidate, &view);
      ee_totals_add(&whole, &s.f.result, arena);
      ee_totals_add(&parts[i], &s.f.result, arena);
      for (size_t k = 0; k < JUDGES; k++) {
        for (size_t field = 0; field < RULES_FIELDS; field++) {
          const ee_counts *counts = &view.judges[k].counts[field];
          pooled[k][0] += counts->tp;
          pooled[k][1] += counts->tn;
          pooled[k][2] += counts->fp;
          pooled[k][3] += counts->fn;
        }
      }
    }
  }
  for (size_t count = PARTS; count > 1; count--) {
    size_t at = test_random_below(random, count - 1);
    ee_totals_merge(&parts[at], &parts[at + 1]);
    ee_totals_fini(&parts[at + 1]);
    for (size_t i = at + 1; i + 1 < count; i++) parts[i] = parts[i + 1];
  }
  assert_same_totals(&whole, &parts[0]);
  for (size_t k = 0; k < JUDGES; k++) {
    ee_counts sum = ee_judge_total_averages(&whole.all.judges[k]).pooled;
    assert_int_equal(sum.tp, pooled[k][0]);
    assert_int_equal(sum.tn, pooled[k][1]);
    assert_int_equal(sum.fp, pooled[k][2]);
    assert_int_equal(sum.fn, pooled[k][3]);
  }
  ee_totals_fini(&whole);
  ee_totals_fini(&parts[0]);
  subject_close(&s);
}

static void test_partitions_add_up(void **state) {
  (void)state;
  test_random random = test_random_start("partitions", 111);
  ee_arena arena;
  ee_arena_init(&arena, 0);
  for (int i = 0; i < 80; i++) {
    check_partition(&random, &arena);
    ee_arena_reset(&arena, 0);
  }
  ee_arena_fini(&arena);
}

/* Same input, same bytes ----------------------------------------------------------------------- */

/* Everything that a report may read, in the order in which it would be read. */
static char *result_text(const ee_case_result *result) {
  ee_buffer out;
  ee_buffer_init(&out);
  ee_buffer_addf(&out, "%016llx %a\n", (unsigned long long)result->expected_hash, result->score);
  for (size_t i = 0; i < result->judge_count; i++) {
    const ee_judge_result *judged = &result->judges[i];
    ee_buffer_addf(&out, "%a %.*s\n", judged->score, (int)judged->reasoning.length, judged->reasoning.data);
    for (size_t k = 0; k < judged->hit_count; k++) ee_finding_print(&judged->hits[k], &out);
    for (size_t k = 0; k < judged->miss_count; k++) ee_finding_print(&judged->misses[k], &out);
    for (size_t k = 0; k < ee_item_report_of(judged)->alignment_count; k++) {
      const ee_alignment *pair = &ee_item_report_of(judged)->alignment[k];
      ee_buffer_addf(&out, "\n%u %u %a", pair->expected, pair->candidate, pair->similarity);
    }
    for (size_t k = 0; k < judged->attribute_count; k++) {
      const ee_attribute_result *attribute = &judged->attributes[k];
      ee_buffer_addf(&out, "\n%.*s %d %d", (int)attribute->name.length, attribute->name.data, attribute->slot,
                     (int)(attribute->counts.tp * 1000 + attribute->counts.fp));
    }
    for (size_t k = 0; k < judged->mismatch_count; k++) {
      const ee_mismatch *mismatch = &judged->mismatches[k];
      ee_finding_print(&mismatch->finding, &out);
      ee_json_write_value(&out, mismatch->expected);
      ee_json_write_value(&out, mismatch->candidate);
      ee_buffer_addf(&out, "%a", mismatch->score);
    }
  }
  char *text = strdup(ee_buffer_terminate(&out));
  ee_buffer_fini(&out);
  return text;
}

/* Once in memory that other cases have used, once in fresh memory. */
static void check_same_bytes(trial *t) {
  case_view view;
  judge(t->subject, &t->expected, &t->candidate, &view);
  char *first = result_text(&t->subject->f.result);
  subject fresh;
  subject_open(&fresh, t->rules, "");
  judge(&fresh, &t->expected, &t->candidate, &view);
  char *second = result_text(&fresh.f.result);
  assert_string_equal(first, second);
  free(first);
  free(second);
  subject_close(&fresh);
}

static void test_same_input_same_bytes(void **state) {
  (void)state;
  run_trials("same_bytes", 112, 80, check_same_bytes);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_a_document_against_itself_is_perfect),
             cmocka_unit_test(test_key_order_never_matters), cmocka_unit_test(test_item_order_never_matters),
             cmocka_unit_test(test_a_right_field_never_lowers), cmocka_unit_test(test_a_right_cell_never_lowers),
             cmocka_unit_test(test_no_value_is_counted_twice), cmocka_unit_test(test_leaving_out_and_inventing_cost),
             cmocka_unit_test(test_spelling_of_null_never_matters), cmocka_unit_test(test_sign_matters),
             cmocka_unit_test(test_one_level_deeper_changes_nothing), cmocka_unit_test(test_partitions_add_up),
             cmocka_unit_test(test_same_input_same_bytes));
