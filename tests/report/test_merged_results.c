/* test_merged_results.c: merged rows against counts that the test keeps itself.
 *
 * Rows are made as text. What is made is counted at once, in a list that is searched from its start; the pool sees the
 * text only. */
#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "data/json/json_reader.h"
#include "data/json/json_writer.h"
#include "judge/small_rules.h"
#include "report/merged_results.h"
#include "report/printed.h"
#include "report/row.h"
#include "support/random.h"

enum { ROWS = 120, MOST_ROWS = 1400, JUDGES = 4, NAMES = 9 };

static const char *const judge_names[JUDGES] = {"header", "items, \"all\"", "pipe|d", "empty"};
static const char *const attribute_names[NAMES] = {
    "invoice.number", "total", "", "a|b", "`tick`", "line\nbreak", "\xe6\x97\xa5\xe6\x9c\xac", "retold", "x,\"y\""};

/* The slow twin. */
typedef struct twin_attribute {
  size_t judge, name;
  double tp, tn, fp, fn;
  size_t first; /* in which order they appeared */
} twin_attribute;

typedef struct twin {
  twin_attribute attributes[JUDGES * NAMES];
  size_t count;
  size_t verdicts[3], judge_verdicts[JUDGES][3], judged[JUDGES];
  double score, judge_score[JUDGES];
} twin;

static twin_attribute *twin_find(twin *t, size_t judge, size_t name) {
  for (size_t i = 0; i < t->count; i++)
    if (t->attributes[i].judge == judge && t->attributes[i].name == name) return &t->attributes[i];
  return NULL;
}

static const char *verdict_of(double score) { return score >= 0.8 ? "pass" : score >= 0.6 ? "borderline" : "fail"; }
static size_t number_of(double score) { return score >= 0.8 ? 0 : score >= 0.6 ? 1 : 2; }

static void add_string(ee_buffer *out, const char *text) { ee_json_write_string(out, ee_str_from(text)); }

static void make_attributes(test_random *random, size_t judge, ee_buffer *out, twin *t) {
  bool any = false, seen[NAMES] = {false};
  for (size_t n = test_random_below(random, NAMES + 1); n > 0; n--) {
    size_t name = test_random_below(random, NAMES);
    if (seen[name]) continue;
    seen[name] = true;
    if (any) ee_buffer_add_char(out, ',');
    any = true;
    add_string(out, attribute_names[name]);
    if (test_random_below(random, 8) == 0) { /* no counts */
      ee_buffer_add_text(out, ":{\"tp\":1,\"fp\":0.5,\"fn\":0}");
      continue;
    }
    /* Some attributes never have a denominator. */
    unsigned most = name == 3 ? 1 : 4;
    unsigned counts[4];
    for (size_t i = 0; i < 4; i++) counts[i] = (unsigned)test_random_below(random, most);
    bool with_tn = test_random_below(random, 4) > 0;
    if (!with_tn) counts[1] = 0;
    ee_buffer_addf(out, ":{\"tp\":%u,\"fp\":%u,\"fn\":%u", counts[0], counts[2], counts[3]);
    if (with_tn) ee_buffer_addf(out, ",\"tn\":%u", counts[1]);
    ee_buffer_add_text(out, name == 7 ? ",\"retold\":true}" : ",\"precision\":0.25}");
    twin_attribute *attribute = twin_find(t, judge, name);
    if (attribute == NULL) {
      attribute = &t->attributes[t->count];
      *attribute = (twin_attribute){.judge = judge, .name = name, .first = t->count++};
    }
    attribute->tp += counts[0];
    attribute->tn += counts[1];
    attribute->fp += counts[2];
    attribute->fn += counts[3];
  }
}

/* One row; `number` is its id. */
static void make_row(test_random *random, size_t number, ee_buffer *out, twin *t) {
  double score = (double)test_random_below(random, 65) / 64;
  bool own = test_random_below(random, 2) == 0;
  ee_buffer_addf(out, "{\"%s\":\"case %zu\",\"score\":%.17g,", own ? "id" : "test_id", number, score);
  if (own) ee_buffer_addf(out, "\"verdict\":\"%s\",", verdict_of(score));
  ee_buffer_addf(out, "\"%s\":[", own ? "evaluator_results" : "scores");
  t->score += score;
  t->verdicts[number_of(score)]++;
  bool any = false;
  for (size_t judge = 0; judge < JUDGES; judge++) {
    if (test_random_below(random, 4) == 0) continue;
    double judged = (double)test_random_below(random, 65) / 64;
    if (any) ee_buffer_add_char(out, ',');
    any = true;
    ee_buffer_add_text(out, "{\"name\":");
    add_string(out, judge_names[judge]);
    ee_buffer_addf(out, ",\"type\":\"fields\",\"score\":%.17g,\"details\":{", judged);
    t->judged[judge]++;
    t->judge_score[judge] += judged;
    t->judge_verdicts[judge][number_of(judged)]++;
    if (judge < 3) {
      ee_buffer_add_text(out, "\"metrics\":{");
      make_attributes(random, judge, out, t);
      ee_buffer_add_char(out, '}');
    }
    ee_buffer_add_text(out, "}}");
  }
  ee_buffer_add_text(out, "]}");
}

typedef struct rows {
  ee_buffer text;
  size_t from[MOST_ROWS + 1];
  size_t count;
} rows;

static void make_rows(test_random *random, size_t count, rows *made, twin *t) {
  *made = (rows){.count = count};
  *t = (twin){0};
  for (size_t i = 0; i < count; i++) {
    made->from[i] = made->text.length;
    make_row(random, i, &made->text, t);
  }
  made->from[count] = made->text.length;
}

static void pool_rows(const rows *made, size_t from, size_t to, ee_str judge, ee_merged_results *pool) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  for (size_t i = from; i < to; i++) {
    ee_error error = {0};
    ee_str text = {made->text.data + made->from[i], made->from[i + 1] - made->from[i]};
    const ee_value *record = ee_json_read(&arena, text, NULL, &error);
    ee_stored_row row;
    if (record == NULL || !ee_stored_row_read(record, &arena, &row, &error))
      fail_msg("%.*s: %s", (int)text.length, text.data, error.message);
    ee_merged_add_row(pool, &row, judge);
    ee_arena_reset(&arena, 0);
  }
  ee_arena_fini(&arena);
}

static const ee_str all_judges = {NULL, 0};

/* Against the twin ------------------------------------------------------------------------------ */

static double ranked(const twin_attribute *a) {
  return a->tp == 0 ? (a->fp + a->fn > 0 ? 0 : 2) : 2 * a->tp / (2 * a->tp + a->fp + a->fn);
}

/* Whether `a` stands before `b`: undefined F1 last, worst first, more errors first, then by name. */
static bool stands_before(const twin_attribute *a, const twin_attribute *b) {
  double x = ranked(a), y = ranked(b);
  if (x != y) return x < y;
  if (a->fp + a->fn != b->fp + b->fn) return a->fp + a->fn > b->fp + b->fn;
  return strcmp(attribute_names[a->name], attribute_names[b->name]) < 0;
}

static double number_at(const ee_value *object, const char *key) {
  const ee_value *value = ee_value_member(object, ee_str_from(key), NULL);
  if (value == NULL) return -1;
  assert_int_equal(ee_type_of(value), EE_NUMBER);
  return ee_value_number(value);
}

/* `denominator` 0: the member must not be there. */
static void assert_share(const ee_value *object, const char *key, double part, double denominator) {
  double found = number_at(object, key);
  if (denominator == 0) {
    assert_true(found == -1);
  } else {
    assert_true(fabs(found - part / denominator) < 1e-12);
  }
}

static void check_field(const ee_value *field, const twin_attribute *a) {
  ee_str name = ee_value_text(ee_value_member(field, EE_STR("name"), NULL));
  assert_true(ee_str_is(name, attribute_names[a->name]));
  assert_true(number_at(field, "tp") == a->tp);
  assert_true(number_at(field, "tn") == a->tn);
  assert_true(number_at(field, "fp") == a->fp);
  assert_true(number_at(field, "fn") == a->fn);
  assert_true(number_at(field, "wrong") == -1); /* rows do not say */
  assert_share(field, "precision", a->tp, a->tp + a->fp);
  assert_share(field, "recall", a->tp, a->tp + a->fn);
  assert_share(field, "specificity", a->tn, a->tn + a->fp);
  assert_share(field, "f1", 2 * a->tp, 2 * a->tp + a->fp + a->fn);
}

/* The mean of a metric over attributes that are not retold, each weighing 1 or its support. */
static void check_mean(const ee_value *average, const char *key, const twin *t, size_t judge, bool by_support) {
  double sum = 0, weights = 0;
  for (size_t i = 0; i < t->count; i++) {
    const twin_attribute *a = &t->attributes[i];
    if (a->judge != judge || a->name == 7) continue;
    double denominator = key[0] == 'p' ? a->tp + a->fp : key[0] == 'r' ? a->tp + a->fn : 2 * a->tp + a->fp + a->fn;
    double part = key[0] == 'f' ? 2 * a->tp : a->tp;
    if (key[0] == 'f' && a->tp == 0) denominator = 0;
    if (denominator == 0 && a->fp + a->fn == 0) continue;
    double support = a->tp + a->fn > 0 ? a->tp + a->fn : a->fp, weight = by_support ? support : 1;
    if (denominator > 0) sum += weight * part / denominator;
    weights += weight;
  }
  assert_share(average, key, sum, weights);
}

static void check_judge(const ee_value *found, const twin *t, size_t judge) {
  const twin_attribute *order[NAMES], pooled_start = {0};
  twin_attribute pooled = pooled_start;
  size_t count = 0;
  for (size_t i = 0; i < t->count; i++) {
    const twin_attribute *a = &t->attributes[i];
    if (a->judge != judge) continue;
    size_t at = count++;
    for (; at > 0 && stands_before(a, order[at - 1]); at--) order[at] = order[at - 1];
    order[at] = a;
    if (a->name == 7) continue;
    pooled.tp += a->tp;
    pooled.tn += a->tn;
    pooled.fp += a->fp;
    pooled.fn += a->fn;
  }
  const ee_value *fields = ee_value_member(found, EE_STR("fields"), NULL);
  assert_int_equal(ee_value_count(fields), count);
  for (size_t i = 0; i < count; i++) check_field(ee_value_element(fields, i), order[i]);
  const ee_value *sums = ee_value_member(found, EE_STR("pooled"), NULL);
  assert_true(number_at(sums, "tp") == pooled.tp && number_at(sums, "tn") == pooled.tn);
  assert_true(number_at(sums, "fp") == pooled.fp && number_at(sums, "fn") == pooled.fn);
  const ee_value *micro = ee_value_member(found, EE_STR("micro"), NULL);
  assert_share(micro, "precision", pooled.tp, pooled.tp + pooled.fp);
  assert_share(micro, "recall", pooled.tp, pooled.tp + pooled.fn);
  assert_share(micro, "f1", 2 * pooled.tp, 2 * pooled.tp + pooled.fp + pooled.fn);
  static const char *const metrics[] = {"precision", "recall", "f1"};
  for (size_t i = 0; i < 3; i++) {
    check_mean(ee_value_member(found, EE_STR("macro"), NULL), metrics[i], t, judge, false);
    check_mean(ee_value_member(found, EE_STR("weighted"), NULL), metrics[i], t, judge, true);
  }
}

static void check_scores(const ee_value *found, double sum, size_t count, const size_t verdicts[3]) {
  assert_share(found, "mean_score", sum, (double)count);
  const ee_value *fell = ee_value_member(found, EE_STR("verdicts"), NULL);
  assert_true(number_at(fell, "pass") == (double)verdicts[0]);
  assert_true(number_at(fell, "borderline") == (double)verdicts[1]);
  assert_true(number_at(fell, "fail") == (double)verdicts[2]);
}

static void check_pool(const ee_merged_results *pool, const twin *t, size_t count) {
  ee_buffer text = {0};
  ee_merged_json(pool, &text);
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_error error = {0};
  const ee_value *found = ee_json_read(&arena, (ee_str){text.data, text.length}, NULL, &error);
  if (found == NULL) fail_msg("%s", error.message);
  assert_true(number_at(found, "rows") == (double)count);
  check_scores(found, t->score, count, t->verdicts);
  size_t judges = 0;
  for (const ee_value *each = ee_value_child(ee_value_member(found, EE_STR("judges"), NULL)); each != NULL;
       each = ee_value_next(each), judges++) {
    ee_str name = ee_value_text(ee_value_member(each, EE_STR("name"), NULL));
    size_t judge = 0;
    while (judge < JUDGES && !ee_str_is(name, judge_names[judge])) judge++;
    assert_true(judge < JUDGES);
    check_scores(each, t->judge_score[judge], t->judged[judge], t->judge_verdicts[judge]);
    check_judge(each, t, judge);
  }
  size_t expected = 0;
  for (size_t i = 0; i < JUDGES; i++) expected += t->judged[i] > 0;
  assert_int_equal(judges, expected);
  ee_arena_fini(&arena);
  ee_buffer_fini(&text);
}

/* Everything ------------------------------------------------------------------------------------- */

/* In all formats. */
static void print_all(const ee_merged_results *pool, ee_buffer *out) {
  ee_report_write_merged(TABLE, pool, (ee_table_style){0}, out);
  cut_signature(out);
  ee_report_write_merged(TABLE, pool, (ee_table_style){.color = true, .width = 60}, out);
  cut_signature(out);
  ee_merged_csv(pool, out);
  ee_merged_json(pool, out);
  ee_report_write_merged(MARKDOWN, pool, (ee_table_style){0}, out);
  cut_signature(out);
}

/* The same rows in another order, in all formats. */
static void check_other_order(test_random *random, const rows *made, const ee_merged_results *whole) {
  size_t *order = ee_calloc(made->count + 1, sizeof *order);
  for (size_t i = 0; i < made->count; i++) {
    size_t at = test_random_below(random, i + 1);
    order[i] = order[at];
    order[at] = i;
  }
  ee_merged_results shuffled;
  ee_buffer want = {0}, got = {0};
  ee_merged_init(&shuffled);
  for (size_t i = 0; i < made->count; i++) pool_rows(made, order[i], order[i] + 1, all_judges, &shuffled);
  ee_merged_finish(&shuffled);
  print_all(whole, &want);
  print_all(&shuffled, &got);
  assert_string_equal(ee_buffer_terminate(&got), ee_buffer_terminate(&want));
  ee_buffer_fini(&want);
  ee_buffer_fini(&got);
  ee_merged_fini(&shuffled);
  ee_free(order);
}

static void test_against_twin(void **state) {
  (void)state;
  test_random random = test_random_start("test_pool", 20250610);
  for (size_t round = 0; round < 60; round++) {
    rows made;
    twin counted;
    make_rows(&random, test_random_below(&random, ROWS + 1), &made, &counted);
    ee_merged_results whole;
    ee_merged_init(&whole);
    pool_rows(&made, 0, made.count, all_judges, &whole);
    ee_merged_finish(&whole);
    check_pool(&whole, &counted, made.count);
    check_other_order(&random, &made, &whole);
    ee_merged_fini(&whole);
    ee_buffer_fini(&made.text);
  }
}

/* One judge chosen is that judge among all. */
static void test_one_judge(void **state) {
  (void)state;
  test_random random = test_random_start("test_pool, one judge", 7);
  rows made;
  twin counted;
  make_rows(&random, ROWS, &made, &counted);
  ee_merged_results pool;
  ee_merged_init(&pool);
  pool_rows(&made, 0, made.count, ee_str_from(judge_names[2]), &pool);
  ee_merged_finish(&pool);
  assert_int_equal(pool.judges.count, 1);
  assert_true(ee_str_is(pool.judges.items[0].name, judge_names[2]));
  for (size_t i = 0; i < JUDGES; i++) {
    if (i == 2) continue;
    counted.judged[i] = 0;
  }
  check_pool(&pool, &counted, made.count); /* the rows' scores stay */
  ee_merged_fini(&pool);
  ee_buffer_fini(&made.text);
}

/* Names beyond the limits are counted together, whatever the order of the rows. */
static void test_many_names(void **state) {
  (void)state;
  enum { MANY = 2 * EE_DATA_ATTRIBUTES + 50, CUT = 6 };
  test_random random = test_random_start("test_pool, many names", 8);
  rows made = {.count = MANY / CUT};
  for (size_t i = 0; i < made.count; i++) {
    made.from[i] = made.text.length;
    ee_buffer_addf(
        &made.text,
        "{\"schema\":2,\"expected_hash\":\"00000000000000aa\",\"id\":%zu,\"score\":1,\"slices\":{\"who\":[\"v%zu\"]},",
        i, i);
    ee_buffer_add_text(&made.text, "\"evaluator_results\":[{\"name\":\"j\",\"details\":{\"metrics\":{");
    for (size_t k = 0; k < CUT; k++)
      ee_buffer_addf(&made.text, "%s\"n%zu\":{\"tp\":1,\"fp\":1,\"fn\":%zu}", k > 0 ? "," : "", i * CUT + k, i % 3);
    ee_buffer_add_text(&made.text, "}}}]}");
  }
  made.from[made.count] = made.text.length;
  ee_merged_results whole;
  ee_merged_init(&whole);
  pool_rows(&made, 0, made.count, all_judges, &whole);
  ee_merged_finish(&whole);
  assert_true(made.count > EE_SLICE_VALUES);
  assert_int_equal(whole.slices.items[0].values.count, EE_SLICE_VALUES + 1);
  check_other_order(&random, &made, &whole);
  assert_int_equal(whole.judges.items[0].attributes.count, EE_DATA_ATTRIBUTES + 1);
  const ee_attribute_total *other = &whole.judges.items[0].attributes.items[EE_DATA_ATTRIBUTES];
  assert_true(ee_str_is(other->name, EE_OTHER_NAME));
  assert_int_equal(other->counts.tp, made.count * CUT - EE_DATA_ATTRIBUTES);
  ee_merged_fini(&whole);
  ee_buffer_fini(&made.text);
}

/* Printing -------------------------------------------------------------------------------------- */

static void add_text_row(ee_merged_results *pool, const char *text) {
  rows made = {.count = 1, .from = {0, strlen(text)}};
  ee_buffer_add_text(&made.text, text);
  pool_rows(&made, 0, 1, all_judges, pool);
  ee_buffer_fini(&made.text);
}

#define ROW(id, counts)                                                                                                \
  "{\"id\":\"" id "\",\"score\":0.5,\"scores\":[{\"name\":\"h|d\",\"type\":\"script\",\"score\":0.5,\"details\":{"     \
  "\"metrics\":{" counts "}}}]}"

/* Members of other types than ours. */
static void test_odd_rows(void **state) {
  (void)state;
  static const char *const members[] = {
      "\"slices\":5",
      "\"slices\":{\"a\":5,\"b\":[],\"c\":[1,null,{},[]],\"\":[\"\",\"\"]}",
      "\"candidate_state\":7,\"rule_errors\":-1,\"provider_failures\":\"x\",\"detail\":{}",
      "\"rule_errors\":1e300,\"record\":5,\"expected\":null",
      "\"evaluator_results\":[{\"name\":\"a\",\"details\":{\"unread\":[5,{},{\"field\":\"f\",\"document\":\"expected\","
      "\"value\":1,\"strategy\":\"date\"},{\"field\":\"f\",\"document\":\"x\",\"value\":1,\"strategy\":\"date\","
      "\"remedies\":[1]}]}}]",
      "\"evaluator_results\":[{\"name\":\"a\",\"details\":{\"metrics\":{\"f\":{\"tp\":0,\"fp\":3,\"incorrect\":9}}}},"
      "{\"name\":\"b\",\"details\":{\"metrics\":{\"f\":{\"fp\":1e12,\"incorrect\":1e12},\"g\":{\"fp\":2,"
      "\"spurious\":-2}}}}]"};
  ee_merged_results pool;
  ee_merged_init(&pool);
  for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
    ee_buffer text = {0};
    ee_buffer_addf(&text, "{\"schema\":2,\"id\":\"%zu\",\"expected_hash\":\"0123456789abcdef\",\"score\":1,%s}", i,
                   members[i]);
    add_text_row(&pool, ee_buffer_terminate(&text));
    ee_buffer_fini(&text);
  }
  assert_int_equal(pool.rows, 6);
  assert_int_equal(pool.schema1 + pool.rule_errors + pool.candidates_missing, 0);
  for (size_t i = 0; i < pool.judges.count; i++) {
    assert_false(pool.judges.items[i].split); /* the parts are not the whole */
    for (size_t k = 0; k < pool.judges.items[i].attributes.count; k++)
      assert_int_equal(pool.judges.items[i].attributes.items[k].counts.wrong, 0);
  }
  assert_int_equal(pool.slices.count, 3);
  assert_int_equal(pool.slices.items[2].values.count, 1);
  ee_buffer printed = {0};
  print_all(&pool, &printed);
  ee_buffer_fini(&printed);
  ee_merged_fini(&pool);
}

static void test_table(void **state) {
  (void)state;
  ee_merged_results pool;
  ee_merged_init(&pool);
  add_text_row(&pool, ROW("a", "\"x\":{\"tp\":0,\"tn\":1,\"fp\":0,\"fn\":0},\"y\":{\"tp\":1,\"fp\":1,\"fn\":0}"));
  pool.unreadable = 1;
  pool.has_dataset = true;
  pool.cases = 3;
  pool.without_row = 2;
  ee_buffer out = {0};
  ee_report_write_merged(TABLE, &pool, (ee_table_style){0}, &out);
  cut_signature(&out);
  assert_string_equal(
      ee_buffer_terminate(&out),
      "stored results\n"
      "\n"
      "rows 1  mean score 0.500\n"
      "  pass        0    0.0 %\n"
      "  borderline  0    0.0 %\n"
      "  fail        1  100.0 %  "
      "\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2"
      "\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96"
      "\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88"
      "\xe2\x96\x88\xe2\x96\x88\n"
      "\n"
      "rows        read 2  merged 1  in error 1  unreadable 1\n"
      "data set    cases 3  without a row 2  rows without a case 0\n"
      "note        1 of 1 row is of schema 1, or from another program: it does not say which values were wrong and "
      "which "
      "invented, in which slices a case is, whether its candidate was missing, or where rules raised errors\n"
      "\n"
      "h|d (script)  mean score 0.500  pass 0  borderline 0  fail 1\n"
      "  attribute  TP  TN  FP  FN  wrong  invented  precision  recall     F1\n"
      "  y           1   0   1   0      -         -      0.500   1.000  0.667\n"
      "  x           0   1   0   0      -         -          -       -      -\n"
      "  \xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80"
      "\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2"
      "\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94"
      "\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80"
      "\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2"
      "\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94"
      "\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80"
      "\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\n"
      "  micro       1   1   1   0      -         -      0.500   1.000  0.667\n"
      "  macro                                           0.500   1.000  0.667\n"
      "  weighted                                        0.500   1.000  0.667\n");
  ee_buffer_fini(&out);
  ee_merged_fini(&pool);
}

static void test_markdown(void **state) {
  (void)state;
  ee_merged_results pool;
  ee_merged_init(&pool);
  add_text_row(&pool,
               ROW("a", "\"a|b`c\":{\"tp\":0,\"tn\":1,\"fp\":0,\"fn\":0},\"y\\n<i>\":{\"tp\":1,\"fp\":1,\"fn\":0}"));
  pool.duplicates = 1;
  pool.without_case = 2;
  ee_buffer out = {0};
  ee_report_write_merged(MARKDOWN, &pool, (ee_table_style){0}, &out);
  cut_signature(&out);
  assert_string_equal(ee_buffer_terminate(&out),
                      "## Mean score 0.500\n"
                      "\n"
                      "1 row: 0 pass, 0 borderline, 1 fail (100.0 %)\n"
                      "\n"
                      "- 1 row has an id seen before and was left out\n"
                      "- 2 rows have no case in the data set and were left out\n"
                      "- 1 of 1 row is of schema 1, or from another program: it does not say which values were wrong "
                      "and which invented, in which slices a case is, whether its candidate was missing, or where "
                      "rules raised errors\n"
                      "\n"
                      "### <code>h&#124;d</code> (`script`)\n"
                      "\n"
                      "Mean score **0.500**: 0 pass, 0 borderline, 1 fail (100.0 %)\n"
                      "\n"
                      "| attribute                   | TP | TN | FP | FN | precision | recall |        F1 |\n"
                      "|:----------------------------|---:|---:|---:|---:|----------:|-------:|----------:|\n"
                      "| `y\\n<i>`                    |  1 |  0 |  1 |  0 |     0.500 |  1.000 |     0.667 |\n"
                      "| <code>a&#124;b&#96;c</code> |  0 |  1 |  0 |  0 |         - |      - |         - |\n"
                      "| **micro**                   |  1 |  1 |  1 |  0 |     0.500 |  1.000 | **0.667** |\n"
                      "| **macro**                   |    |    |    |    |     0.500 |  1.000 | **0.667** |\n"
                      "| **weighted**                |    |    |    |    |     0.500 |  1.000 | **0.667** |\n");
  ee_buffer_fini(&out);
  ee_merged_fini(&pool);
}

/* Nothing at all is a report too. */
static void test_empty(void **state) {
  (void)state;
  ee_merged_results pool;
  ee_merged_init(&pool);
  ee_buffer out = {0};
  print_all(&pool, &out);
  assert_non_null(strstr(ee_buffer_terminate(&out), "rows 0  mean score -\n"));
  assert_non_null(strstr(out.data, "judge,attribute,tp,tn,fp,fn,wrong,precision,recall,f1,unread,"));
  assert_non_null(strstr(out.data, "\"judges\": []"));
  assert_non_null(strstr(out.data, "## Mean score -\n\n0 rows: 0 pass, 0 borderline, 0 fail\n"));
  ee_buffer_fini(&out);
  ee_merged_fini(&pool);
}

/* What a run counted, with wrong values told from invented ones, and what its rows say, are the same but for that. */
static void test_totals(void **state) {
  (void)state;
  static const char *const records[] = {
      "{\"id\":\"a\",\"expected\":{\"number\":\"7\",\"total\":100},\"candidate\":{\"number\":\"7\",\"total\":90}}",
      "{\"id\":\"b\",\"expected\":{\"number\":\"7\",\"total\":100},\"candidate\":{\"number\":\"7\",\"total\":100}}",
      "{\"id\":\"c\",\"expected\":{\"number\":\"7\"},\"candidate\":{\"note\":\"x\",\"total\":3}}",
  };
  small_rules rules;
  small_rules_open(&rules);
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_totals totals;
  ee_totals_init(&totals, rules.plan);
  for (size_t i = 0; i < 3; i++) {
    ee_case_result result = small_judge_record(&rules, &arena, records[i]);
    ee_totals_add(&totals, &result, &arena);
  }
  ee_merged_results pool;
  ee_merged_init(&pool);
  ee_merged_add_totals(&pool, &totals, EE_STR("header"));
  assert_true(pool.recomputed);
  assert_int_equal(pool.rows, 3);
  assert_int_equal(pool.judges.count, 1);
  assert_true(pool.judges.items[0].split);
  assert_int_equal(pool.judges.items[0].attributes.count, totals.all.judges[0].attribute_count);
  uint64_t wrong = 0;
  for (size_t i = 0; i < pool.judges.items[0].attributes.count; i++) {
    const ee_attribute_total *found = &pool.judges.items[0].attributes.items[i],
                             *counted = &totals.all.judges[0].attributes[i];
    assert_true(ee_str_equal(found->name, counted->name));
    assert_memory_equal(&found->counts, &counted->counts, sizeof found->counts);
    wrong += found->counts.wrong;
  }
  assert_int_equal(wrong, 1);
  ee_merged_fini(&pool);
  ee_totals_fini(&totals);
  ee_arena_fini(&arena);
  small_rules_close(&rules);
}

/* A record, in the arena. */
static const char *random_record(test_random *random, ee_arena *arena, size_t number) {
  static const char *const languages[] = {"",
                                          "\"lang\":\"en\",",
                                          "\"lang\":\"(missing)\",",
                                          "\"lang\":null,",
                                          "\"lang\":1,",
                                          "\"lang\":\"1\",",
                                          "\"lang\":{\"b\":1,\"a\":[2]},",
                                          "\"lang\":\"\\u001b\\\"\xc3\xa9\","};
  static const char *const expected[] = {"{\"number\":\"7\",\"total\":100}", "{\"total\":\"no number\"}",
                                         "{\"note\":\"x\"}", "{}", "{\"number\":null,\"total\":0.5}"};
  static const char *const candidates[] = {"null",
                                           "\"no JSON\"",
                                           "{\"number\":\"7\",\"total\":100}",
                                           "{\"number\":\"8\",\"total\":\"100.00\",\"note\":\"x\"}",
                                           "{}",
                                           "\"{\\\"total\\\":\\\"?\\\"}\"",
                                           "{\"total\":0.5}"};
  static const char *const kinds[] = {"", ",\"kind\":\"a\"", ",\"kind\":\"b\\n\"", ",\"raise\":true"};
  return ee_arena_printf(arena, "{\"id\":\"%zu\",%s\"expected\":%s,\"candidate\":%s%s}", number,
                         languages[test_random_below(random, 8)], expected[test_random_below(random, 5)],
                         candidates[test_random_below(random, 7)], kinds[test_random_below(random, 4)]);
}

/* Rows add up to what the run counted, in misses and in full detail. */
static void test_rows_of_a_run(void **state) {
  (void)state;
  test_random random = test_random_start("test_pool, rows of a run", 4711);
  for (size_t round = 0; round < 80; round++) {
    small_rules rules;
    small_rules_open(&rules);
    ee_arena arena;
    ee_arena_init(&arena, 0);
    ee_totals totals;
    ee_totals_init(&totals, rules.plan);
    ee_merged_results of_rows, of_run;
    ee_merged_init(&of_rows);
    ee_merged_init(&of_run);
    for (size_t i = test_random_below(&random, 40) + 1; i > 0; i--) {
      ee_case_result result = small_judge_record(&rules, &arena, random_record(&random, &arena, i));
      if (round % 2 == 1) result.detail = EE_DETAIL_FULL;
      ee_totals_add(&totals, &result, &arena);
      ee_buffer text = {0};
      ee_row_write(&result, &arena, &text);
      ee_error error = {0};
      ee_stored_row row;
      const ee_value *record = ee_json_read(&arena, (ee_str){text.data, text.length}, NULL, &error);
      if (record == NULL || !ee_stored_row_read(record, &arena, &row, &error)) fail_msg("%s", error.message);
      ee_merged_add_row(&of_rows, &row, all_judges);
      ee_buffer_fini(&text);
    }
    ee_merged_add_totals(&of_run, &totals, all_judges);
    assert_int_equal(of_rows.schema1, 0);
    of_rows.recomputed = true; /* what only heading and signature say */
    of_rows.rows_hash = 0;
    of_rows.records_hash = of_run.records_hash;
    ee_buffer printed[2] = {{0}, {0}};
    print_all(&of_rows, &printed[0]);
    print_all(&of_run, &printed[1]);
    assert_string_equal(ee_buffer_terminate(&printed[0]), ee_buffer_terminate(&printed[1]));
    for (size_t i = 0; i < 2; i++) ee_buffer_fini(&printed[i]);
    ee_merged_fini(&of_rows);
    ee_merged_fini(&of_run);
    ee_totals_fini(&totals);
    ee_arena_fini(&arena);
    small_rules_close(&rules);
  }
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_against_twin), cmocka_unit_test(test_rows_of_a_run),
             cmocka_unit_test(test_odd_rows), cmocka_unit_test(test_one_judge), cmocka_unit_test(test_many_names),
             cmocka_unit_test(test_table), cmocka_unit_test(test_markdown), cmocka_unit_test(test_empty),
             cmocka_unit_test(test_totals));
