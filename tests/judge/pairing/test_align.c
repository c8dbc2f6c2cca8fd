/* test_align.c: pairing line items against a twin that searches the best remaining pair again and again, without
 * looking at equal items first, without limits and without caches, in items whose empty members were taken out before;
 * and what must not change the result. */
#include "judge/plan_fixture.h"

#include <ctype.h>
#include <math.h>

#include "judge/line_items/line_items.h"
#include "judge/pairing/align.h"
#include "support/random.h"

/* The twin ----------------------------------------------------------------------------------------------------------
 */

enum { MOST = 80, FEW = 14, SCORE_FIELDS = 3 };

static const char *const score_fields[SCORE_FIELDS] = {"description", "code", "total"};

/* A match field of the twin: a name and a weight; `exact` compares raw values. */
typedef struct twin_match {
  const char *name;
  double weight;
  bool exact;
} twin_match;

typedef struct twin_rules {
  twin_match match[2];
  size_t match_count;
  int threshold;            /* in hundredths */
  const char *more_options; /* of match */
} twin_rules;

typedef struct twin_list {
  const ee_value *items[MOST];
  size_t count;
} twin_list;

static const ee_value *member(const ee_value *item, const char *key) {
  return ee_value_member(item, ee_str_from(key), NULL);
}

static bool is_empty(const ee_value *value) { return ee_value_is_empty(value, NULL); }

/* ASCII, trimmed, in lower case. */
static size_t fold(const ee_value *value, char *out) {
  ee_str text = ee_value_text(value);
  size_t from = 0, to = text.length, length = 0;
  while (from < to && isspace((unsigned char)text.data[from])) from++;
  while (to > from && isspace((unsigned char)text.data[to - 1])) to--;
  for (; from < to; from++) out[length++] = (char)tolower((unsigned char)text.data[from]);
  return length;
}

/* The edit distance by its definition, as a table. */
static int distance(const char *a, size_t n, const char *b, size_t m) {
  int table[64][64];
  for (size_t i = 0; i <= n; i++) {
    for (size_t j = 0; j <= m; j++) {
      if (i == 0 || j == 0) {
        table[i][j] = (int)(i + j);
        continue;
      }
      int best = table[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
      if (table[i - 1][j] + 1 < best) best = table[i - 1][j] + 1;
      if (table[i][j - 1] + 1 < best) best = table[i][j - 1] + 1;
      table[i][j] = best;
    }
  }
  return table[n][m];
}

/* The similarity of two values as whole numbers: parts of whole. */
static void field_similarity(const twin_match *match, const ee_value *a, const ee_value *b, int *parts, int *whole) {
  *whole = 1;
  *parts = 0;
  if (is_empty(a) || is_empty(b)) return;
  if (!match->exact && ee_type_of(a) == EE_STRING && ee_type_of(b) == EE_STRING) {
    char left[64], right[64];
    size_t n = fold(a, left), m = fold(b, right);
    *whole = (int)(n > m ? n : m);
    *parts = *whole - distance(left, n, right, m);
  } else {
    *parts = ee_value_equal(a, b);
  }
}

/* Whether the similarity is at or above the threshold, and what it is. */
static bool similarity(const twin_rules *rules, const ee_value *a, const ee_value *b, double *value) {
  double sum = 0, weights = 0;
  int parts = 0, whole = 1, fields = 0;
  for (size_t i = 0; i < rules->match_count; i++) {
    const twin_match *match = &rules->match[i];
    const ee_value *x = member(a, match->name), *y = member(b, match->name);
    if (is_empty(x) && is_empty(y)) continue;
    field_similarity(match, x, y, &parts, &whole);
    sum += match->weight * ((double)parts / whole);
    weights += match->weight;
    fields++;
  }
  if (fields == 0) {
    *value = parts = ee_value_equal(a, b);
    whole = 1;
  } else {
    *value = sum / weights;
  }
  if (fields < 2) return parts * 100 >= rules->threshold * whole;
  return *value * 100 >= rules->threshold - 1e-9;
}

/* Empty values say nothing about a pair. */
static bool field_matches(const ee_value *a, const ee_value *b) {
  return !is_empty(a) && !is_empty(b) && ee_value_equal(a, b);
}

static int count_matches(const ee_value *a, const ee_value *b) {
  int matches = 0;
  for (size_t i = 0; i < SCORE_FIELDS; i++)
    matches += field_matches(member(a, score_fields[i]), member(b, score_fields[i]));
  return matches;
}

/* True when pair (i, j) comes before pair (k, l). */
static bool better(const twin_list *expected, const twin_list *candidate, double similarity_ij, size_t i, size_t j,
                   double similarity_kl, size_t k, size_t l, ee_arena *arena) {
  const ee_value *a = expected->items[i], *b = candidate->items[j], *c = expected->items[k], *d = candidate->items[l];
  if (similarity_ij != similarity_kl) return similarity_ij > similarity_kl;
  int difference = count_matches(a, b) - count_matches(c, d);
  if (difference == 0) difference = ee_value_equal(a, b) - ee_value_equal(c, d);
  if (difference != 0) return difference > 0;
  int order = ee_value_compare(a, c, arena);
  if (order == 0) order = ee_value_compare(b, d, arena);
  if (order != 0) return order < 0;
  return i != k ? i < k : j < l;
}

/* Partners of the expected items, SIZE_MAX for none: O(n^3) after all pairs have been compared. */
static void twin_align(const twin_rules *rules, const twin_list *expected, const twin_list *candidate, size_t *partner,
                       double *similarities, ee_arena *arena) {
  bool taken[MOST] = {false};
  static bool reached[MOST][MOST];
  static double values[MOST][MOST];
  for (size_t i = 0; i < expected->count; i++) {
    partner[i] = SIZE_MAX;
    for (size_t j = 0; j < candidate->count; j++)
      reached[i][j] = similarity(rules, expected->items[i], candidate->items[j], &values[i][j]);
  }
  for (;;) {
    size_t best_i = SIZE_MAX, best_j = 0;
    double best = 0;
    for (size_t i = 0; i < expected->count; i++) {
      for (size_t j = 0; j < candidate->count; j++) {
        double value = values[i][j];
        if (partner[i] != SIZE_MAX || taken[j] || !reached[i][j]) continue;
        if (best_i != SIZE_MAX && !better(expected, candidate, value, i, j, best, best_i, best_j, arena)) continue;
        best = value;
        best_i = i;
        best_j = j;
      }
    }
    if (best_i == SIZE_MAX) return;
    partner[best_i] = best_j;
    similarities[best_i] = best;
    taken[best_j] = true;
  }
}

/* The macro F1 over the score fields, from the twin's pairs. */
static double twin_score(const twin_list *expected, const twin_list *candidate, const size_t *partner) {
  double sum = 0;
  int defined = 0;
  for (size_t k = 0; k < SCORE_FIELDS; k++) {
    int tp = 0, fp = 0, fn = 0;
    bool paired[MOST] = {false};
    for (size_t i = 0; i < expected->count; i++) {
      const ee_value *a = member(expected->items[i], score_fields[k]);
      if (partner[i] != SIZE_MAX) paired[partner[i]] = true;
      const ee_value *b = partner[i] == SIZE_MAX ? NULL : member(candidate->items[partner[i]], score_fields[k]);
      if (!is_empty(a) && !is_empty(b) && ee_value_equal(a, b)) {
        tp++;
        continue;
      }
      fn += !is_empty(a);
      fp += !is_empty(b);
    }
    for (size_t j = 0; j < candidate->count; j++)
      fp += !paired[j] && !is_empty(member(candidate->items[j], score_fields[k]));
    if (tp + fp + fn == 0) continue;
    double precision = tp + fp > 0 ? (double)tp / (tp + fp) : 0, recall = tp + fn > 0 ? (double)tp / (tp + fn) : 0;
    if (precision + recall > 0) sum += 2 * precision * recall / (precision + recall);
    defined++;
  }
  if (defined > 0) return sum / defined;
  bool all_paired = expected->count == candidate->count;
  for (size_t i = 0; i < expected->count; i++) all_paired = all_paired && partner[i] != SIZE_MAX;
  return all_paired ? 1 : 0;
}

/* The most pairs at or above the threshold that any pairing has, and the largest total of those. */
static void try_all(const twin_rules *rules, const twin_list *expected, const twin_list *candidate, size_t row,
                    unsigned taken, size_t pairs, double total, size_t *most, double *largest) {
  if (row == expected->count) {
    if (pairs > *most || (pairs == *most && total > *largest)) *largest = total;
    if (pairs > *most) *most = pairs;
    return;
  }
  try_all(rules, expected, candidate, row + 1, taken, pairs, total, most, largest);
  for (size_t k = 0; k < candidate->count; k++) {
    double value;
    if ((taken >> k & 1) == 0 && similarity(rules, expected->items[row], candidate->items[k], &value))
      try_all(rules, expected, candidate, row + 1, taken | 1u << k, pairs + 1, total + value, most, largest);
  }
}

/* Random lists ------------------------------------------------------------------------------------------------------
 */

/* Few words and few values, so that near-duplicates, ties and equal items abound; with `numbers` of several lengths. */
static void random_item(test_random *random, bool numbers, ee_buffer *out) {
  static const char *const words[] = {"Steel bolts M8",
                                      "steel bolts M6",
                                      "Steel bolt M8",
                                      " STEEL BOLTS M8",
                                      "Copper wire 2mm",
                                      "Copper wire 3mm",
                                      "paint",
                                      "Paint",
                                      "N",
                                      "m"};
  static const char *const values[] = {"1", "2", "null", "\"\"", "\"x\"", "1.0", "true", "\" \"", "{\"y\":null}", "{}"};
  if (test_random_below(random, 25) == 0) {
    ee_buffer_add_text(out, test_random_below(random, 2) == 0 ? "\"plain\"" : "7");
    return;
  }
  ee_buffer_add_char(out, '{');
  const char *separator = "";
  bool reversed = test_random_below(random, 2) == 0;
  for (size_t n = 0; n < 4; n++) {
    size_t k = reversed ? 3 - n : n;
    if (test_random_below(random, 6) == 0) continue;
    static const char *const keys[] = {"description", "code", "total", "note"};
    ee_buffer_addf(out, "%s\"%s\":", separator, keys[k]);
    separator = ",";
    if (k == 0 && test_random_below(random, 8) > 0) {
      ee_buffer_addf(out, "\"%s", words[test_random_below(random, sizeof words / sizeof *words)]);
      if (numbers) ee_buffer_addf(out, "%.*s", (int)test_random_below(random, 5), "1234");
      ee_buffer_add_char(out, '"');
    } else {
      ee_buffer_add_text(out, values[test_random_below(random, k == 3 ? 2 : sizeof values / sizeof *values)]);
    }
  }
  ee_buffer_add_char(out, '}');
}

static const char *random_short_list(test_random *random, size_t most, ee_buffer *out) {
  ee_buffer_clear(out);
  ee_buffer_add_text(out, "{\"lines\":[");
  size_t count = test_random_below(random, most + 1);
  for (size_t i = 0; i < count; i++) {
    if (i > 0) ee_buffer_add_char(out, ',');
    random_item(random, most > FEW, out);
  }
  ee_buffer_add_text(out, "]}");
  return ee_buffer_terminate(out);
}

static const char *random_list(test_random *random, ee_buffer *out) { return random_short_list(random, FEW, out); }

static void random_rules(test_random *random, twin_rules *rules) {
  static const int thresholds[] = {0, 50, 80, 80, 92, 100};
  rules->more_options = "";
  rules->threshold = thresholds[test_random_below(random, 6)];
  rules->match[0] = (twin_match){"description", 1, false};
  rules->match_count = 1 + test_random_below(random, 2);
  bool exact = test_random_below(random, 2) == 0;
  rules->match[1] = (twin_match){test_random_below(random, 2) == 0 ? "code" : "note", exact ? 3 : 1, exact};
}

static const char *rules_text(const twin_rules *rules, ee_buffer *out) {
  ee_buffer_clear(out);
  ee_buffer_add_text(out, "{\"ee\": \"rules\", \"items\": [{\"ee\": \"line_items\", \"items\": [\"lines\"");
  for (size_t i = 0; i < SCORE_FIELDS; i++)
    ee_buffer_addf(out, ", {\"ee\": \"exact\", \"items\": [\"%s\"]}", score_fields[i]);
  ee_buffer_addf(out, "], \"match\": {\"threshold\": %g, \"items\": [\"description\"", rules->threshold / 100.0);
  if (rules->match_count == 2) {
    ee_buffer_addf(out,
                   rules->match[1].exact ? ", {\"ee\": \"exact\", \"items\": [\"%s\"], \"weight\": 3}" : ", \"%s\"",
                   rules->match[1].name);
  }
  ee_buffer_addf(out, "]%s}}]}", rules->more_options);
  return ee_buffer_terminate(out);
}

/* The items as they stand or, with an arena, without their empty members: how these are spelled must not matter. */
static void list_of(const ee_value *document, ee_arena *arena, twin_list *list) {
  list->count = 0;
  const ee_value *lines = member(document, "lines");
  for (const ee_value *item = ee_value_child(lines); item != NULL; item = ee_value_next(item)) {
    list->items[list->count++] = item;
    if (arena == NULL || ee_type_of(item) != EE_OBJECT) continue;
    ee_value *copy = ee_value_new(arena, EE_OBJECT);
    for (const ee_value *at = ee_value_child(item); at != NULL; at = ee_value_next(at)) {
      if (!is_empty(at)) ee_value_set(arena, copy, ee_value_key(at), ee_value_copy(arena, at));
    }
    list->items[list->count - 1] = copy;
  }
}

/* Compares one judged case with the twin. */
static void check_against_twin(fixture *f, const twin_rules *rules, const ee_judge_result *result) {
  if (result->unpairable != NULL) return; /* paired by the score fields */
  twin_list expected, candidate;
  list_of(f->current.expected, &f->case_arena, &expected);
  list_of(f->current.candidate, &f->case_arena, &candidate);
  size_t partner[MOST];
  double similarities[MOST];
  twin_align(rules, &expected, &candidate, partner, similarities, &f->case_arena);
  size_t row = 0;
  for (size_t i = 0; i < expected.count; i++) {
    if (partner[i] == SIZE_MAX) continue;
    assert_true(row < ee_item_report_of(result)->alignment_count);
    assert_int_equal(ee_item_report_of(result)->alignment[row].expected, i);
    assert_int_equal(ee_item_report_of(result)->alignment[row].candidate, partner[i]);
    assert_true(ee_item_report_of(result)->alignment[row].similarity == similarities[i]);
    row++;
  }
  assert_int_equal(ee_item_report_of(result)->alignment_count, row);
  assert_int_equal(ee_item_report_of(result)->missing_items, expected.count - row);
  assert_int_equal(ee_item_report_of(result)->extra_items, candidate.count - row);
  assert_true(fabs(result->score - twin_score(&expected, &candidate, partner)) < 1e-14);
}

static void test_twin(void **state) {
  (void)state;
  test_random random = test_random_start("align", 11);
  ee_buffer left = {0}, right = {0}, text = {0};
  for (int round = 0; round < 300; round++) {
    fixture f;
    fixture_open(&f);
    twin_rules rules;
    random_rules(&random, &rules);
    fixture_rules(&f, rules_text(&rules, &text));
    for (int i = 0; i < 12; i++) {
      const char *expected = random_list(&random, &left);
      const ee_judge_result *result = fixture_judge_case(&f, expected, random_list(&random, &right));
      check_against_twin(&f, &rules, result);
      result = fixture_judge_case(&f, expected, expected);
      check_against_twin(&f, &rules, result);
      assert_true(result->score == 1);
    }
    fixture_close(&f);
  }
  ee_buffer_fini(&left);
  ee_buffer_fini(&right);
  ee_buffer_fini(&text);
}

/* More items than are compared in one go. */
static void test_twin_of_long_lists(void **state) {
  (void)state;
  test_random random = test_random_start("align: long lists", 14);
  ee_buffer left = {0}, right = {0}, text = {0};
  for (int round = 0; round < 120; round++) {
    fixture f;
    fixture_open(&f);
    twin_rules rules;
    random_rules(&random, &rules);
    if (round % 3 > 0) rules.match_count = 1; /* the texts in batches */
    fixture_rules(&f, rules_text(&rules, &text));
    const char *expected = random_short_list(&random, MOST, &left);
    check_against_twin(&f, &rules, fixture_judge_case(&f, expected, random_short_list(&random, MOST, &right)));
    fixture_close(&f);
  }
  ee_buffer_fini(&left);
  ee_buffer_fini(&right);
  ee_buffer_fini(&text);
}

/* Of texts that are decided together, all but one are too far away: the one is as far as its own length allows. */
static void test_limit_of_the_longest(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  twin_rules rules = {.match = {{"description", 1, false}}, .match_count = 1, .threshold = 70, .more_options = ""};
  ee_buffer right = {0}, text = {0};
  fixture_rules(&f, rules_text(&rules, &text));
  ee_buffer_add_text(&right, "{\"lines\":[{\"description\":\"abcdefghxyz\"}");
  for (int i = 0; i < 31; i++) ee_buffer_add_text(&right, ",{\"description\":\"xyz\"}");
  ee_buffer_add_text(&right, ",{\"description\":\"zz\"}]}");
  const ee_judge_result *result =
      fixture_judge_case(&f, "{\"lines\":[{\"description\":\"abcdefgh\"}]}", ee_buffer_terminate(&right));
  assert_int_equal(ee_item_report_of(result)->alignment_count, 1);
  assert_int_equal(ee_item_report_of(result)->alignment[0].candidate, 0);
  assert_true(ee_item_report_of(result)->alignment[0].similarity == 8.0 / 11);
  ee_buffer_fini(&right);
  ee_buffer_fini(&text);
  fixture_close(&f);
}

/* gate = "count": the most pairs, then the largest total; gate = "total": the largest total alone. */
static void test_gate_against_all_pairings(void **state) {
  (void)state;
  test_random random = test_random_start("align gate", 13);
  ee_buffer left = {0}, right = {0}, text = {0};
  size_t differ = 0;
  for (int round = 0; round < 200; round++) {
    fixture total, count;
    twin_rules rules;
    random_rules(&random, &rules);
    rules.threshold = 10 * (round % 5); /* low: two weak pairs in the place of a strong one */
    rules.more_options = ", \"method\": \"optimal\", \"gate\": \"count\"";
    fixture_open(&count);
    fixture_rules(&count, rules_text(&rules, &text));
    rules.more_options = ", \"method\": \"optimal\", \"gate\": \"total\"";
    fixture_open(&total);
    fixture_rules(&total, rules_text(&rules, &text));
    for (int i = 0; i < 12; i++) {
      const char *expected = random_short_list(&random, 5, &left), *candidate = random_short_list(&random, 5, &right);
      const ee_judge_result *result = fixture_judge_case(&count, expected, candidate);
      if (result->unpairable != NULL) continue;
      twin_list a, b;
      list_of(count.current.expected, &count.case_arena, &a);
      list_of(count.current.candidate, &count.case_arena, &b);
      size_t most = 0, pairs = ee_item_report_of(result)->alignment_count;
      double largest = 0, sum = 0;
      try_all(&rules, &a, &b, 0, 0, 0, 0, &most, &largest);
      for (size_t k = 0; k < pairs; k++) sum += ee_item_report_of(result)->alignment[k].similarity;
      assert_int_equal(pairs, most);
      assert_true(fabs(sum - largest) < 1e-12);
      result = fixture_judge_case(&total, expected, candidate);
      double other = 0;
      for (size_t k = 0; k < ee_item_report_of(result)->alignment_count; k++)
        other += ee_item_report_of(result)->alignment[k].similarity;
      assert_true(other >= sum - 1e-12 && ee_item_report_of(result)->alignment_count <= most);
      differ += ee_item_report_of(result)->alignment_count < most;
    }
    fixture_close(&total);
    fixture_close(&count);
  }
  assert_true(differ > 0); /* else the option would have nothing to decide */
  ee_buffer_fini(&left);
  ee_buffer_fini(&right);
  ee_buffer_fini(&text);
}

/* Equal items first, or not -----------------------------------------------------------------------------------------
 */

/* The same plan without the shortcut. */
static void test_equal_first_changes_nothing(void **state) {
  (void)state;
  test_random random = test_random_start("align equal", 12);
  ee_buffer left = {0}, right = {0}, text = {0};
  for (int round = 0; round < 200; round++) {
    fixture f;
    fixture_open(&f);
    twin_rules rules;
    random_rules(&random, &rules);
    fixture_rules(&f, rules_text(&rules, &text));
    ee_line_items *items = (ee_line_items *)f.plan->judges[0]->data;
    assert_true(items->equal_first);
    for (int i = 0; i < 10; i++) {
      random_list(&random, &left);
      random_list(&random, &right);
      const ee_judge_result *with = fixture_judge_case(&f, left.data, right.data);
      char *misses = strdup(fixture_findings(&f, with->misses, with->miss_count));
      char *hits = strdup(fixture_findings(&f, with->hits, with->hit_count));
      double score = with->score;
      items->equal_first = false;
      const ee_judge_result *without = fixture_judge_case(&f, left.data, right.data);
      items->equal_first = true;
      assert_misses(&f, without, misses);
      assert_hits(&f, without, hits);
      assert_true(without->score == score);
      free(misses);
      free(hits);
    }
    fixture_close(&f);
  }
  ee_buffer_fini(&left);
  ee_buffer_fini(&right);
  ee_buffer_fini(&text);
}

/* The order of items and keys ---------------------------------------------------------------------------------------
 */

static ee_value *shuffled_item(test_random *random, const ee_value *item, ee_arena *arena) {
  if (ee_type_of(item) != EE_OBJECT) return ee_value_copy(arena, item);
  const ee_value *members[16];
  size_t count = 0;
  for (const ee_value *at = ee_value_child(item); at != NULL; at = ee_value_next(at)) members[count++] = at;
  ee_value *object = ee_value_new(arena, EE_OBJECT);
  while (count > 0) {
    size_t at = test_random_below(random, count);
    ee_value_set(arena, object, ee_value_key(members[at]), ee_value_copy(arena, members[at]));
    members[at] = members[--count];
  }
  return object;
}

/* A copy of {"lines": [...]} with items and keys in another order. */
static const ee_value *shuffled(test_random *random, const ee_value *document, ee_arena *arena) {
  twin_list list;
  list_of(document, NULL, &list);
  ee_value *lines = ee_value_new(arena, EE_ARRAY), *copy = ee_value_new(arena, EE_OBJECT);
  while (list.count > 0) {
    size_t at = test_random_below(random, list.count);
    ee_value_append(lines, shuffled_item(random, list.items[at], arena));
    list.items[at] = list.items[--list.count];
  }
  ee_value_set(arena, copy, EE_STR("lines"), lines);
  return copy;
}

static int compare_lines(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static void add_sorted(ee_buffer *out, char **lines, size_t count) {
  qsort(lines, count, sizeof *lines, compare_lines);
  for (size_t i = 0; i < count; i++) {
    ee_buffer_addf(out, "%s\n", lines[i]);
    free(lines[i]);
  }
}

/* What the result says, without indices: the score, the counts and the pairs of items in canonical text without empty
 * members, each sorted. */
static char *essence(fixture *f, const ee_judge_result *result) {
  ee_buffer out = {0}, line = {0};
  char *lines[64];
  size_t count = 0;
  ee_buffer_addf(&out, "%.17g %d %zu %zu %zu %zu\n", result->score, result->vacuous, result->hit_count,
                 result->miss_count, ee_item_report_of(result)->missing_items, ee_item_report_of(result)->extra_items);
  for (size_t i = 0; i < result->attribute_count; i++) {
    const ee_attribute_result *attribute = &result->attributes[i];
    ee_buffer_clear(&line);
    ee_buffer_addf(&line, "%.*s %d %d %d %d %d", (int)attribute->name.length, attribute->name.data,
                   (int)attribute->counts.tp, (int)attribute->counts.tn, (int)attribute->counts.fp,
                   (int)attribute->counts.fn, (int)attribute->counts.wrong);
    lines[count++] = strdup(ee_buffer_terminate(&line));
  }
  add_sorted(&out, lines, count);
  count = 0;
  twin_list expected, candidate;
  list_of(f->current.expected, &f->case_arena, &expected);
  list_of(f->current.candidate, &f->case_arena, &candidate);
  for (size_t i = 0; i < ee_item_report_of(result)->alignment_count; i++) {
    const ee_alignment *pair = &ee_item_report_of(result)->alignment[i];
    ee_buffer_clear(&line);
    ee_json_write_canonical(&line, expected.items[pair->expected], &f->case_arena);
    ee_json_write_canonical(&line, candidate.items[pair->candidate], &f->case_arena);
    ee_buffer_addf(&line, "%.17g", pair->similarity);
    lines[count++] = strdup(ee_buffer_terminate(&line));
  }
  add_sorted(&out, lines, count);
  ee_buffer_terminate(&out);
  ee_buffer_fini(&line);
  return out.data;
}

static void test_order_changes_nothing(void **state) {
  (void)state;
  test_random random = test_random_start("align order", 13);
  static const char *const rules[] = {
      "{\"ee\": \"rules\", \"items\": [{\"ee\": \"line_items\", \"items\": [\"lines\"]}]}",
      "{\"ee\": \"rules\", \"items\": [{\"ee\": \"line_items\", \"items\": [\"lines\"], \"match\": \"fields\"}]}",
      "{\"ee\": \"rules\", \"items\": [{\"ee\": \"line_items\", \"items\": [\"lines\"], \"match\": {\"key\": "
      "\"code\"}}]}",
      "{\"ee\": \"rules\", \"items\": [{\"ee\": \"line_items\", \"items\": [\"lines\", {\"ee\": \"exact\", \"items\": "
      "[\"total\"]}], \"match\": "
      "{\"threshold\": 0.3}}]}",
      "{\"ee\": \"rules\", \"items\": [{\"ee\": \"line_items\", \"items\": [\"lines\", {\"ee\": \"one_of\", \"items\": "
      "[\"total\", 2, \"x\"]}], \"match\": "
      "{\"items\": [{\"ee\": \"fuzzy\", \"items\": [\"description\"], \"score\": \"similarity\"}, \"note\"], "
      "\"threshold\": 0.5}}]}",
  };
  ee_buffer left = {0}, right = {0};
  for (int round = 0; round < 1500; round++) {
    fixture f;
    fixture_open(&f);
    fixture_rules(&f, rules[round % 5]);
    ee_arena arena;
    ee_arena_init(&arena, 0);
    random_list(&random, &left);
    random_list(&random, &right);
    const ee_value *expected = fixture_json(&arena, left.data), *candidate = fixture_json(&arena, right.data);
    char *first = essence(&f, fixture_judge_values(&f, expected, candidate, EE_CANDIDATE_READ));
    const ee_value *other_expected = shuffled(&random, expected, &arena),
                   *other_candidate = shuffled(&random, candidate, &arena);
    char *second = essence(&f, fixture_judge_values(&f, other_expected, other_candidate, EE_CANDIDATE_READ));
    assert_string_equal(first, second);
    ee_free(first);
    ee_free(second);
    ee_arena_fini(&arena);
    fixture_close(&f);
  }
  ee_buffer_fini(&left);
  ee_buffer_fini(&right);
}

/* Large lists -------------------------------------------------------------------------------------------------------
 */

/* Many equal items, in another order: all pair, and quickly. */
static void test_many_equal_items(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  fixture_rules(&f, "{\"ee\": \"rules\", \"items\": [{\"ee\": \"line_items\", \"items\": [\"lines\"]}]}");
  enum { COUNT = 20000 };
  ee_buffer left = {0}, right = {0};
  ee_buffer_add_text(&left, "{\"lines\":[{\"description\":\"first\"}");
  ee_buffer_add_text(&right, "{\"lines\":[{\"description\":\"other\"}");
  for (int i = 0; i < COUNT; i++) {
    ee_buffer_addf(&left, ",{\"description\":\"item %d\",\"n\":%d}", i % 100, i % 1000);
    ee_buffer_addf(&right, ",{\"n\":%d,\"description\":\"item %d\"}", (COUNT - i) % 1000, (COUNT - i) % 100);
  }
  ee_buffer_add_text(&left, "]}");
  ee_buffer_add_text(&right, "]}");
  const ee_judge_result *result = fixture_judge_case(&f, ee_buffer_terminate(&left), ee_buffer_terminate(&right));
  assert_int_equal(ee_item_report_of(result)->alignment_count, COUNT);
  assert_int_equal(result->hit_count, COUNT);
  assert_misses(&f, result, "lines[0] (missing item); lines[0] (extra item)");
  ee_buffer_fini(&left);
  ee_buffer_fini(&right);
  fixture_close(&f);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_twin), cmocka_unit_test(test_twin_of_long_lists),
             cmocka_unit_test(test_limit_of_the_longest), cmocka_unit_test(test_gate_against_all_pairings),
             cmocka_unit_test(test_equal_first_changes_nothing), cmocka_unit_test(test_order_changes_nothing),
             cmocka_unit_test(test_many_equal_items));
