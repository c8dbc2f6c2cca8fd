/* test_iou_twin.c: ee.iou_score on random lists against a slow twin that tries every pairing, and properties that
 * always hold. */
#include "judge/plan_fixture.h"

#include <math.h>

#include "prim/number.h"
#include "support/random.h"

enum { SMALL = 6, LARGE = 40, LABELS = 3, THRESHOLDS = 2 };

/* Whole numbers, so that a plain division gives the same overlap to the bit. */
typedef struct box {
  int corners[4];
  int label;  /* -1: none */
  int weight; /* -1: none */
} box;

typedef struct boxes {
  box items[LARGE];
  size_t count;
} boxes;

typedef struct options {
  const char *match, *gate, *aggregate;
  bool labelled, weighted;
  double thresholds[THRESHOLDS];
} options;

static box random_box(test_random *random, int room) {
  box made = {.label = (int)test_random_below(random, LABELS) - 1, .weight = (int)test_random_below(random, 4) - 1};
  for (int axis = 0; axis < 2; axis++) {
    made.corners[axis] = (int)test_random_below(random, (size_t)room);
    made.corners[axis + 2] = made.corners[axis] + 1 + (int)test_random_below(random, (size_t)room);
  }
  return made;
}

/* Some candidates are the expected boxes, moved a little or not at all. */
static void random_lists(test_random *random, size_t most, int room, boxes *expected, boxes *candidate) {
  expected->count = test_random_below(random, most + 1);
  candidate->count = test_random_below(random, most + 1);
  for (size_t i = 0; i < expected->count; i++) {
    expected->items[i] = i > 0 && test_random_below(random, 6) == 0 ? expected->items[i - 1] : random_box(random, room);
  }
  for (size_t i = 0; i < candidate->count; i++) {
    box *made = &candidate->items[i];
    *made = random_box(random, room);
    if (expected->count == 0 || test_random_below(random, 3) == 0) continue;
    *made = expected->items[test_random_below(random, expected->count)];
    if (test_random_below(random, 2) == 0) made->corners[2 + test_random_below(random, 2)]++;
  }
}

static options random_options(test_random *random) {
  static const char *const matches[] = {"index", "greedy", "optimal"}, *const gates[] = {"total", "count"};
  static const char *const aggregates[] = {"mean", "weighted_mean", "median", "min"};
  static const double thresholds[] = {0.05, 0.25, 0.5};
  options made = {.match = matches[test_random_below(random, 3)],
                  .gate = gates[test_random_below(random, 2)],
                  .aggregate = aggregates[test_random_below(random, 4)],
                  .labelled = test_random_below(random, 2) == 1,
                  .thresholds = {thresholds[test_random_below(random, 3)], 0.75}};
  made.weighted = strcmp(made.aggregate, "weighted_mean") == 0;
  return made;
}

/* Judging -------------------------------------------------------------------------------------- */

static void print_boxes(const boxes *list, double scale, double shift, ee_buffer *out) {
  ee_buffer_add_text(out, "{\"boxes\":[");
  for (size_t i = 0; i < list->count; i++) {
    const box *item = &list->items[i];
    ee_buffer_add_text(out, i > 0 ? ",{\"b\":[" : "{\"b\":[");
    for (size_t k = 0; k < 4; k++) {
      if (k > 0) ee_buffer_add_char(out, ',');
      ee_json_write_number(out, item->corners[k] * scale + shift);
    }
    ee_buffer_add_char(out, ']');
    if (item->label >= 0) ee_buffer_addf(out, ",\"l\":\"%c\"", 'a' + item->label);
    if (item->weight >= 0) ee_buffer_addf(out, ",\"w\":%d", item->weight);
    ee_buffer_add_char(out, '}');
  }
  ee_buffer_add_text(out, "]}");
}

static void open_rules(fixture *f, const options *o, const char *more) {
  fixture_open(f);
  ee_buffer text;
  ee_buffer_init(&text);
  ee_buffer_addf(
      &text,
      "{\"ee\":\"rules\",\"items\":[{\"ee\":\"iou_score\",\"items\":[\"boxes\"],\"box\":\"b\",\"match\":\"%s\","
      "\"gate\":\"%s\",\"aggregate\":\"%s\",\"thresholds\":[%g,%g]%s%s%s}]}",
      o->match, o->gate, o->aggregate, o->thresholds[0], o->thresholds[1], o->labelled ? ",\"label\":\"l\"" : "",
      o->weighted ? ",\"weight\":\"w\"" : "", more);
  fixture_rules(f, ee_buffer_terminate(&text));
  ee_buffer_fini(&text);
}

static const ee_judge_result *judge_moved(fixture *f, const boxes *expected, const boxes *candidate, double scale,
                                          double shift) {
  ee_buffer texts[2];
  for (size_t i = 0; i < 2; i++) {
    ee_buffer_init(&texts[i]);
    print_boxes(i == 0 ? expected : candidate, scale, shift, &texts[i]);
    ee_buffer_terminate(&texts[i]);
  }
  const ee_judge_result *result = fixture_judge_case(f, texts[0].data, texts[1].data);
  ee_buffer_fini(&texts[0]);
  ee_buffer_fini(&texts[1]);
  assert_false(result->failed);
  return result;
}

static const ee_judge_result *judge_lists(fixture *f, const boxes *expected, const boxes *candidate) {
  return judge_moved(f, expected, candidate, 1, 0);
}

static void show(const boxes *expected, const boxes *candidate, const options *o) {
  ee_buffer text;
  ee_buffer_init(&text);
  print_boxes(expected, 1, 0, &text);
  ee_buffer_add_char(&text, '\n');
  print_boxes(candidate, 1, 0, &text);
  fprintf(stderr, "%s\nmatch %s, gate %s, aggregate %s, labelled %d, thresholds %g %g\n", ee_buffer_terminate(&text),
          o->match, o->gate, o->aggregate, o->labelled, o->thresholds[0], o->thresholds[1]);
  ee_buffer_fini(&text);
}

/* The twin ------------------------------------------------------------------------------------- */

static int smaller(int a, int b) { return a < b ? a : b; }
static int larger(int a, int b) { return a > b ? a : b; }

static double twin_overlap(const box *a, const box *b) {
  int width = smaller(a->corners[2], b->corners[2]) - larger(a->corners[0], b->corners[0]);
  int height = smaller(a->corners[3], b->corners[3]) - larger(a->corners[1], b->corners[1]);
  if (width <= 0 || height <= 0) return 0;
  int area_a = (a->corners[2] - a->corners[0]) * (a->corners[3] - a->corners[1]);
  int area_b = (b->corners[2] - b->corners[0]) * (b->corners[3] - b->corners[1]);
  return (double)(width * height) / (double)(area_a + area_b - width * height);
}

static bool may_pair(const boxes *expected, const boxes *candidate, const options *o, size_t i, size_t k) {
  if (o->labelled && expected->items[i].label != candidate->items[k].label) return false;
  return twin_overlap(&expected->items[i], &candidate->items[k]) >= o->thresholds[0];
}

/* Best total, or best count and then total, over all pairings. */
typedef struct best {
  size_t count;
  double total;
} best;

static bool is_better(best a, best b, bool count_first) {
  if (count_first && a.count != b.count) return a.count > b.count;
  return a.total > b.total;
}

static best try_all(const boxes *expected, const boxes *candidate, const options *o, size_t row, unsigned taken) {
  if (row == expected->count) return (best){0, 0};
  bool count_first = strcmp(o->gate, "count") == 0;
  best found = try_all(expected, candidate, o, row + 1, taken);
  for (size_t k = 0; k < candidate->count; k++) {
    if ((taken & 1u << k) != 0 || !may_pair(expected, candidate, o, row, k)) continue;
    best with = try_all(expected, candidate, o, row + 1, taken | 1u << k);
    with.count++;
    with.total += twin_overlap(&expected->items[row], &candidate->items[k]);
    if (is_better(with, found, count_first)) found = with;
  }
  return found;
}

/* Canonical order: label, corners, weight. No label is less than any, and no weight too. */
static int twin_compare(const box *a, const box *b, bool labelled) {
  if (labelled && a->label != b->label) return a->label - b->label;
  for (size_t i = 0; i < 4; i++) {
    if (a->corners[i] != b->corners[i]) return a->corners[i] - b->corners[i];
  }
  /* Without a label the key that comes next is w. */
  if (a->label != b->label) {
    if ((a->label < 0) != (b->label < 0)) {
      const box *without = a->label < 0 ? a : b;
      int less = without->weight < 0 ? -1 : 1;
      return without == a ? less : -less;
    }
    return a->label - b->label;
  }
  return a->weight - b->weight;
}

/* The best pair that is left, n times over. */
static void twin_greedy(const boxes *expected, const boxes *candidate, const options *o, int partner[LARGE]) {
  bool taken[LARGE] = {false};
  for (size_t i = 0; i < expected->count; i++) partner[i] = -1;
  for (;;) {
    size_t at_i = LARGE, at_k = LARGE;
    for (size_t i = 0; i < expected->count; i++) {
      for (size_t k = 0; partner[i] < 0 && k < candidate->count; k++) {
        if (taken[k] || !may_pair(expected, candidate, o, i, k)) continue;
        if (at_i == LARGE) {
          at_i = i;
          at_k = k;
          continue;
        }
        double old = twin_overlap(&expected->items[at_i], &candidate->items[at_k]);
        double new = twin_overlap(&expected->items[i], &candidate->items[k]);
        int order = twin_compare(&expected->items[i], &expected->items[at_i], o->labelled);
        if (order == 0 && i != at_i) order = i < at_i ? -1 : 1;
        if (order == 0) order = twin_compare(&candidate->items[k], &candidate->items[at_k], o->labelled);
        if (new > old || (new == old &&order < 0)) {
          at_i = i;
          at_k = k;
        }
      }
    }
    if (at_i == LARGE) return;
    partner[at_i] = (int)at_k;
    taken[at_k] = true;
  }
}

static int compare_doubles(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

/* The score that follows from a pairing; `partner` is -1 for none. */
static double twin_score(const boxes *expected, const boxes *candidate, const options *o, const int *partner) {
  double scores[2 * LARGE], weights[2 * LARGE];
  size_t places = expected->count > candidate->count ? expected->count : candidate->count;
  if (places == 0) return 1;
  for (size_t i = 0; i < places; i++) {
    bool there = i < expected->count;
    scores[i] = 0;
    weights[i] = there && expected->items[i].weight >= 0 ? expected->items[i].weight : 1;
    if (!there || partner[i] < 0) continue;
    const box *other = &candidate->items[partner[i]];
    if (!o->labelled || expected->items[i].label == other->label) scores[i] = twin_overlap(&expected->items[i], other);
  }
  double sum = 0, weight = 0, least = 1;
  for (size_t i = 0; i < places; i++) {
    double w = o->weighted ? weights[i] : 1;
    sum += w * scores[i];
    weight += w;
    least = fmin(least, scores[i]);
  }
  if (strcmp(o->aggregate, "min") == 0) return least;
  if (strcmp(o->aggregate, "median") != 0) return weight > 0 ? sum / weight : -1;
  qsort(scores, places, sizeof *scores, compare_doubles);
  return places % 2 == 1 ? scores[places / 2] : (scores[places / 2 - 1] + scores[places / 2]) / 2;
}

/* The pairing that the judge reports. */
static void read_pairs(fixture *f, const ee_judge_result *result, const boxes *expected, const boxes *candidate,
                       int *partner) {
  bool taken[LARGE] = {false};
  for (size_t i = 0; i < expected->count; i++) partner[i] = -1;
  const ee_value *pairs = ee_value_member(fixture_details(result, &f->case_arena), EE_STR("pairs"), NULL);
  for (const ee_value *pair = ee_value_child(pairs); pair != NULL; pair = ee_value_next(pair)) {
    size_t i = (size_t)ee_value_number(ee_value_member(pair, EE_STR("expected"), NULL));
    size_t k = (size_t)ee_value_number(ee_value_member(pair, EE_STR("candidate"), NULL));
    assert_true(i < expected->count && k < candidate->count && partner[i] < 0 && !taken[k]);
    partner[i] = (int)k;
    taken[k] = true;
  }
}

static ee_counts counts_of(const ee_judge_result *result, const char *name) {
  for (size_t i = 0; i < result->attribute_count; i++) {
    if (ee_str_is(result->attributes[i].name, name)) return result->attributes[i].counts;
  }
  return (ee_counts){0};
}

static bool check_counts(const boxes *expected, const boxes *candidate, const options *o, const int *partner,
                         const ee_judge_result *result) {
  for (size_t t = 0; t < THRESHOLDS; t++) {
    uint64_t tp = 0;
    for (size_t i = 0; i < expected->count; i++) {
      if (partner[i] < 0) continue;
      const box *other = &candidate->items[partner[i]];
      bool same = !o->labelled || expected->items[i].label == other->label;
      if (same && twin_overlap(&expected->items[i], other) >= o->thresholds[t]) tp++;
    }
    char name[64];
    snprintf(name, sizeof name, "iou>=%g", o->thresholds[t]);
    ee_counts counts = counts_of(result, name);
    if (counts.tp != tp || counts.fn != expected->count - tp || counts.fp != candidate->count - tp) return false;
  }
  /* The labels add up to the lowest threshold. */
  ee_counts sum = {0}, all = counts_of(result, "");
  for (size_t i = 0; i < result->attribute_count; i++) {
    if (strncmp(result->attributes[i].name.data, "label ", 6) == 0) ee_counts_add(&sum, &result->attributes[i].counts);
    if (i == 0) all = result->attributes[i].counts;
  }
  return !o->labelled || (sum.tp == all.tp && sum.fp == all.fp && sum.fn == all.fn);
}

static void test_twin(void **state) {
  (void)state;
  test_random random = test_random_start("iou twin", 4711);
  for (size_t round = 0; round < 4000; round++) {
    boxes expected, candidate;
    random_lists(&random, SMALL, round % 2 == 0 ? 4 : 12, &expected, &candidate);
    options o = random_options(&random);
    fixture f;
    open_rules(&f, &o, "");
    const ee_judge_result *result = judge_lists(&f, &expected, &candidate);
    int partner[LARGE], twin[LARGE];
    read_pairs(&f, result, &expected, &candidate, partner);
    bool good = true;
    if (strcmp(o.match, "index") == 0) {
      for (size_t i = 0; i < expected.count; i++) good &= partner[i] == (i < candidate.count ? (int)i : -1);
    } else {
      for (size_t i = 0; i < expected.count; i++) {
        good &= partner[i] < 0 || may_pair(&expected, &candidate, &o, i, (size_t)partner[i]);
      }
    }
    if (strcmp(o.match, "greedy") == 0) {
      twin_greedy(&expected, &candidate, &o, twin);
      good &=
          fabs(twin_score(&expected, &candidate, &o, twin) - twin_score(&expected, &candidate, &o, partner)) < 1e-12;
      for (size_t i = 0; i < expected.count; i++) good &= (twin[i] < 0) == (partner[i] < 0);
    }
    if (strcmp(o.match, "optimal") == 0) {
      best wanted = try_all(&expected, &candidate, &o, 0, 0), found = {0, 0};
      for (size_t i = 0; i < expected.count; i++) {
        if (partner[i] < 0) continue;
        found.count++;
        found.total += twin_overlap(&expected.items[i], &candidate.items[partner[i]]);
      }
      good &= fabs(found.total - wanted.total) < 1e-12;
      if (strcmp(o.gate, "count") == 0) good &= found.count == wanted.count;
    }
    double score = twin_score(&expected, &candidate, &o, partner);
    if (score < 0) {
      ee_counts counts = counts_of(result, result->attribute_count > 0 ? result->attributes[0].name.data : "");
      score = counts.fp + counts.fn == 0 && result->score == 1 ? 1 : result->score == 0 ? 0 : -1;
    }
    good &= fabs(result->score - score) < 1e-12;
    good &= check_counts(&expected, &candidate, &o, partner, result);
    if (!good) {
      show(&expected, &candidate, &o);
      fail_msg("round %zu: score %.17g, twin %.17g", round, result->score, score);
    }
    fixture_close(&f);
  }
}

/* Properties ----------------------------------------------------------------------------------- */

static void shuffle(test_random *random, boxes *list) {
  for (size_t i = list->count; i > 1; i--) {
    size_t k = test_random_below(random, i);
    box item = list->items[i - 1];
    list->items[i - 1] = list->items[k];
    list->items[k] = item;
  }
}

static uint64_t counts_hash(const ee_judge_result *result) {
  uint64_t sum = 0;
  for (size_t i = 0; i < result->attribute_count; i++) {
    const ee_attribute_result *attribute = &result->attributes[i];
    uint64_t name = 17;
    for (size_t k = 0; k < attribute->name.length; k++) name = name * 31 + (unsigned char)attribute->name.data[k];
    const ee_counts *counts = &attribute->counts;
    sum += name * (1 + counts->tp + 100 * counts->fp + 10000 * counts->fn + 1000000 * counts->wrong);
  }
  return sum;
}

static void test_order(void **state) {
  (void)state;
  test_random random = test_random_start("order of boxes", 99);
  for (size_t round = 0; round < 1500; round++) {
    boxes expected, candidate;
    random_lists(&random, LARGE, round % 2 == 0 ? 5 : 25, &expected, &candidate);
    options o = random_options(&random);
    if (strcmp(o.match, "index") == 0) o.match = "optimal";
    fixture f;
    open_rules(&f, &o, "");
    const ee_judge_result *result = judge_lists(&f, &expected, &candidate);
    double score = result->score;
    uint64_t counts = counts_hash(result);
    boxes moved_expected = expected, moved_candidate = candidate;
    shuffle(&random, &moved_expected);
    shuffle(&random, &moved_candidate);
    result = judge_lists(&f, &moved_expected, &moved_candidate);
    if (result->score != score || counts_hash(result) != counts) {
      show(&expected, &candidate, &o);
      show(&moved_expected, &moved_candidate, &o);
      fail_msg("round %zu: %.17g, moved %.17g", round, score, result->score);
    }
    /* Neither does it matter how large the unit is, nor where the origin lies. */
    result = judge_moved(&f, &expected, &candidate, 0.125, 0);
    assert_true(result->score == score && counts_hash(result) == counts);
    result = judge_moved(&f, &expected, &candidate, 1024, -4096);
    if (result->score != score || counts_hash(result) != counts) {
      show(&expected, &candidate, &o);
      fail_msg("round %zu: %.17g, shifted %.17g", round, score, result->score);
    }
    fixture_close(&f);
  }
}

static void test_optimal_beats_greedy(void **state) {
  (void)state;
  test_random random = test_random_start("optimal and greedy", 7);
  size_t better = 0;
  for (size_t round = 0; round < 1500; round++) {
    boxes expected, candidate;
    random_lists(&random, LARGE, round % 2 == 0 ? 6 : 20, &expected, &candidate);
    double scores[3];
    uint64_t found[3];
    static const char *const matches[] = {"greedy", "optimal", "optimal"}, *const gates[] = {"total", "total", "count"};
    options o = random_options(&random);
    o.aggregate = "mean";
    o.weighted = false;
    for (size_t i = 0; i < 3; i++) {
      o.match = matches[i];
      o.gate = gates[i];
      fixture f;
      open_rules(&f, &o, "");
      const ee_judge_result *result = judge_lists(&f, &expected, &candidate);
      scores[i] = result->score;
      found[i] = result->attribute_count > 0 ? result->attributes[0].counts.tp : 0;
      fixture_close(&f);
    }
    if (scores[1] < scores[0] - 1e-15 || scores[1] < scores[2] - 1e-15 || found[2] < found[1] || found[2] < found[0]) {
      show(&expected, &candidate, &o);
      fail_msg("round %zu: greedy %.17g, optimal %.17g, by count %.17g", round, scores[0], scores[1], scores[2]);
    }
    if (scores[1] > scores[0]) better++;
  }
  assert_true(better > 0);
}

static void test_itself(void **state) {
  (void)state;
  test_random random = test_random_start("lists against themselves", 3);
  static const char *const matches[] = {"index", "greedy", "optimal"};
  static const char *const metrics[] = {"iou", "giou", "diou", "ciou", "ios", "ioa"};
  for (size_t round = 0; round < 600; round++) {
    boxes expected, unused;
    random_lists(&random, LARGE, 10, &expected, &unused);
    options o = random_options(&random);
    o.match = matches[round % 3];
    char more[64];
    const char *metric = metrics[round % 6];
    snprintf(more, sizeof more, ",\"metric\":\"%s\"", metric);
    fixture f;
    open_rules(&f, &o, more);
    const ee_judge_result *result = judge_lists(&f, &expected, &expected);
    bool good = result->score == 1 && result->miss_count == 0;
    for (size_t i = 0; i < result->attribute_count; i++) {
      good &= result->attributes[i].counts.fp == 0 && result->attributes[i].counts.fn == 0;
    }
    /* And in another order. */
    boxes moved = expected;
    shuffle(&random, &moved);
    if (strcmp(o.match, "index") != 0) good &= judge_lists(&f, &expected, &moved)->score == 1;
    if (!good) {
      show(&expected, &moved, &o);
      fail_msg("round %zu (%s): %.17g", round, metric, result->score);
    }
    fixture_close(&f);
  }
}

/* Polygons and oriented boxes in any order and against themselves. */
static void test_polygons(void **state) {
  (void)state;
  test_random random = test_random_start("polygons", 12);
  static const char *const matches[] = {"greedy", "optimal"}, *const formats[] = {"polygon", "oriented"};
  for (size_t round = 0; round < 200; round++) {
    char shapes[12][160];
    size_t count = 1 + test_random_below(&random, 12);
    bool oriented = round % 2 == 1;
    for (size_t i = 0; i < count; i++) {
      double numbers[10];
      for (size_t k = 0; k < 10; k++) numbers[k] = floor(test_random_unit(&random) * 4000) / 100;
      if (oriented) {
        snprintf(shapes[i], sizeof shapes[i], "[%g,%g,%g,%g,%g]", numbers[0], numbers[1], numbers[2] + 1,
                 numbers[3] + 1, numbers[4] * 9);
      } else {
        /* Five points anywhere: most of these cross themselves. */
        snprintf(shapes[i], sizeof shapes[i], "[[%g,%g],[%g,%g],[%g,%g],[%g,%g],[%g,%g]]", numbers[0], numbers[1],
                 numbers[2], numbers[3], numbers[4], numbers[5], numbers[6], numbers[7], numbers[8], numbers[9]);
      }
    }
    char rules[256];
    snprintf(
        rules, sizeof rules,
        "{\"ee\":\"rules\",\"items\":[{\"ee\":\"iou_score\",\"match\":\"%s\",\"format\":\"%s\",\"threshold\":0.05}]}",
        matches[round / 2 % 2], formats[oriented]);
    fixture f;
    fixture_open(&f);
    fixture_rules(&f, rules);
    /* The first half against the second, then the other way round, and the whole against itself. */
    double scores[2];
    for (size_t turn = 0; turn < 3; turn++) {
      ee_buffer texts[2];
      for (size_t side = 0; side < 2; side++) {
        ee_buffer_init(&texts[side]);
        ee_buffer_add_char(&texts[side], '[');
        size_t from = turn == 2 || side == 0 ? 0 : count / 2, to = turn == 2 || side == 1 ? count : count / 2;
        for (size_t i = from; i < to; i++) {
          size_t at = turn == 0 || (turn == 2 && side == 0) ? i : from + to - 1 - i;
          if (i > from) ee_buffer_add_char(&texts[side], ',');
          ee_buffer_add_text(&texts[side], shapes[at]);
        }
        ee_buffer_add_char(&texts[side], ']');
        ee_buffer_terminate(&texts[side]);
      }
      const ee_judge_result *result = fixture_judge_case(&f, texts[0].data, texts[1].data);
      if (turn < 2) scores[turn] = result->score;
      if (turn == 2 && (result->score != 1 || result->miss_count > 0)) {
        fail_msg("round %zu: %.17g %s", round, result->score, texts[0].data);
      }
      ee_buffer_fini(&texts[0]);
      ee_buffer_fini(&texts[1]);
    }
    assert_true(scores[0] == scores[1]);
    fixture_close(&f);
  }
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_twin), cmocka_unit_test(test_order),
             cmocka_unit_test(test_optimal_beats_greedy), cmocka_unit_test(test_itself),
             cmocka_unit_test(test_polygons));
