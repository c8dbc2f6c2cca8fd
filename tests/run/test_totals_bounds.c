/* test_totals_bounds.c: what totals keep at most, names that are near, and metrics of the whole data set that take too
 * much work. */
#include <stdlib.h>

#include "base/work.h"
#include "run/run_listener.h"
#include "run/totals.h"
#include "support/totals_text.h"

enum { SEEN = 1 }; /* the judge of small_rules.h whose attributes only the data know */

/* Attributes and values of slices that are read -------------------------------------------------- */

static ee_str numbered(ee_arena *arena, size_t number) { return ee_str_from(ee_arena_printf(arena, "n%05zu", number)); }

/* As many as are kept, and "(other)"; each once; in slices only those that the whole has. */
static void test_attributes_that_are_read(void **state) {
  (void)state;
  small_rules rules;
  ee_arena arena;
  ee_totals totals;
  small_rules_open(&rules);
  ee_arena_init(&arena, 0);
  ee_totals_init(&totals, rules.plan);
  ee_slice_total *slice = ee_totals_add_slice(&totals, 0, EE_STR("de"));
  assert_non_null(slice);
  ee_score_totals *all = &totals.all;
  for (size_t i = 0; i < EE_DATA_ATTRIBUTES; i++) {
    ee_str name = numbered(&arena, i);
    if (i % 1000 == 0) assert_null(ee_totals_add_attribute(&totals, &slice->totals, SEEN, name));
    ee_attribute_total *added = ee_totals_add_attribute(&totals, all, SEEN, name);
    assert_non_null(added);
    assert_true(ee_str_equal(added->name, name));
    if (i % 500 == 0) assert_null(ee_totals_add_attribute(&totals, all, SEEN, name));
    if (i % 1000 != 0) continue;
    added = ee_totals_add_attribute(&totals, &slice->totals, SEEN, name);
    assert_non_null(added);
    assert_true(ee_str_equal(added->name, name));
    assert_null(ee_totals_add_attribute(&totals, &slice->totals, SEEN, name));
  }
  assert_null(ee_totals_add_attribute(&totals, all, SEEN, EE_STR("zzz")));
  assert_null(ee_totals_add_attribute(&totals, all, SEEN, EE_STR("a")));
  assert_null(ee_totals_add_attribute(&totals, &slice->totals, SEEN, EE_STR(EE_OTHER_NAME)));
  assert_non_null(ee_totals_add_attribute(&totals, all, SEEN, EE_STR(EE_OTHER_NAME)));
  assert_null(ee_totals_add_attribute(&totals, all, SEEN, EE_STR(EE_OTHER_NAME)));
  assert_null(ee_totals_add_attribute(&totals, all, SEEN, EE_STR("zzzz")));
  assert_non_null(ee_totals_add_attribute(&totals, &slice->totals, SEEN, EE_STR(EE_OTHER_NAME)));
  assert_int_equal(all->judges[SEEN].attribute_count, EE_DATA_ATTRIBUTES + 1);
  assert_int_equal(slice->totals.judges[SEEN].attribute_count, EE_DATA_ATTRIBUTES / 1000 + 1);
  /* A case with a name after the last one is in "(other)", and one before it has its own. */
  static const char *const kinds[] = {"zz", "n00003", "a"};
  for (size_t i = 0; i < 3; i++) {
    const char *text = ee_arena_printf(
        &arena, "{\"id\":\"%zu\",\"lang\":\"de\",\"expected\":{\"number\":1},\"kind\":\"%s\"}", i, kinds[i]);
    ee_case_result result = small_judge_record(&rules, &arena, text);
    ee_totals_add(&totals, &result, &arena);
  }
  ee_totals_settle(&totals);
  const ee_judge_total *seen = &all->judges[SEEN];
  /* "a" came before the others, so the last of them went into "(other)". */
  assert_int_equal(seen->attribute_count, EE_DATA_ATTRIBUTES + 1);
  assert_true(ee_str_is(seen->attributes[0].name, "a"));
  assert_true(ee_str_equal(seen->attributes[EE_DATA_ATTRIBUTES - 1].name, numbered(&arena, EE_DATA_ATTRIBUTES - 2)));
  assert_true(ee_str_is(seen->attributes[EE_DATA_ATTRIBUTES].name, EE_OTHER_NAME));
  assert_int_equal(seen->attributes[EE_DATA_ATTRIBUTES].counts.tp, 1);
  assert_int_equal(seen->attributes[4].counts.tp, 1);
  /* Settled totals take further names that come before the last one. */
  ee_case_result result =
      small_judge_record(&rules, &arena, "{\"id\":\"x\",\"lang\":\"de\",\"expected\":{\"number\":1},\"kind\":\"0\"}");
  for (int i = 0; i < 2; i++) ee_totals_add(&totals, &result, &arena);
  ee_totals_settle(&totals);
  assert_int_equal(seen->attribute_count, EE_DATA_ATTRIBUTES + 1);
  assert_true(ee_str_is(seen->attributes[0].name, "0"));
  assert_int_equal(seen->attributes[0].counts.tp, 2);
  assert_int_equal(seen->attributes[EE_DATA_ATTRIBUTES].counts.tp, 1);
  ee_totals_fini(&totals);
  ee_arena_fini(&arena);
  small_rules_close(&rules);
}

static void test_slices_that_are_read(void **state) {
  (void)state;
  small_rules rules;
  ee_arena arena;
  ee_totals totals;
  small_rules_open(&rules);
  ee_arena_init(&arena, 0);
  ee_totals_init(&totals, rules.plan);
  for (size_t i = 0; i < EE_SLICE_VALUES; i++) {
    ee_str name = numbered(&arena, i);
    ee_slice_total *added = ee_totals_add_slice(&totals, 0, name);
    assert_non_null(added);
    assert_true(ee_str_equal(added->value, name));
    if (i % 100 == 0) assert_null(ee_totals_add_slice(&totals, 0, name));
  }
  assert_null(ee_totals_add_slice(&totals, 0, EE_STR("zzz")));
  assert_non_null(ee_totals_add_slice(&totals, 0, EE_STR(EE_OTHER_NAME)));
  assert_null(ee_totals_add_slice(&totals, 0, EE_STR(EE_OTHER_NAME)));
  assert_null(ee_totals_add_slice(&totals, 0, EE_STR("zzz")));
  assert_int_equal(totals.slice_count, EE_SLICE_VALUES + 1);
  static const char *const values[] = {"zz", "n00003", "a"};
  for (size_t i = 0; i < 3; i++) {
    const char *text =
        ee_arena_printf(&arena, "{\"id\":\"%zu\",\"lang\":\"%s\",\"expected\":{\"number\":1}}", i, values[i]);
    ee_case_result result = small_judge_record(&rules, &arena, text);
    ee_totals_add(&totals, &result, &arena);
  }
  ee_totals_settle(&totals);
  assert_int_equal(totals.slice_count, EE_SLICE_VALUES + 1);
  assert_true(ee_str_is(totals.slices[0].value, "a"));
  assert_int_equal(totals.slices[0].totals.score.count, 1);
  assert_int_equal(totals.slices[4].totals.score.count, 1);
  assert_true(ee_str_is(totals.slices[EE_SLICE_VALUES].value, EE_OTHER_NAME));
  assert_int_equal(totals.slices[EE_SLICE_VALUES].totals.score.count, 1);
  /* Settled totals take further values that come before the last one. */
  ee_case_result result =
      small_judge_record(&rules, &arena, "{\"id\":\"x\",\"lang\":\"0\",\"expected\":{\"number\":1}}");
  for (int i = 0; i < 2; i++) ee_totals_add(&totals, &result, &arena);
  ee_totals_settle(&totals);
  assert_int_equal(totals.slice_count, EE_SLICE_VALUES + 1);
  assert_true(ee_str_is(totals.slices[0].value, "0"));
  assert_int_equal(totals.slices[0].totals.score.count, 2);
  assert_int_equal(totals.slices[1].totals.score.count, 1);
  assert_int_equal(totals.slices[EE_SLICE_VALUES].totals.score.count, 1);
  ee_totals_fini(&totals);
  ee_arena_fini(&arena);
  small_rules_close(&rules);
}

/* A state with a name twice, or with a slice that the rules do not have, is refused. */
static void test_states_of_other_names(void **state) {
  (void)state;
  small_rules rules;
  ee_arena arena;
  ee_totals totals, read;
  small_rules_open(&rules);
  ee_arena_init(&arena, 0);
  ee_totals_init(&totals, rules.plan);
  static const char *const texts[] = {
      "{\"id\":\"1\",\"lang\":\"lang-one\",\"kind\":\"kind-one\",\"expected\":{\"number\":1}}",
      "{\"id\":\"2\",\"lang\":\"lang-two\",\"kind\":\"kind-two\",\"expected\":{\"number\":1}}"};
  for (size_t i = 0; i < 2; i++) {
    ee_case_result result = small_judge_record(&rules, &arena, texts[i]);
    ee_totals_add(&totals, &result, &arena);
  }
  ee_str saved = totals_save(&totals, &arena);
  assert_true(totals_load(&read, rules.plan, saved, &arena));
  ee_totals_fini(&read);
  static const char *const changes[][2] = {{"\"kind-two\"", "\"kind-one\""},
                                           {"\"lang-two\"", "\"lang-one\""},
                                           {"\"kind-one\"", "0"},
                                           {"\"lang-one\"", "0"},
                                           {"0,\"lang-one\"", "1,\"lang-one\""},
                                           {"\"lang-one\"", "1"},
                                           {"\"kind-one\"", "[]"}};
  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
    const char *text = ee_arena_copy(&arena, saved.data, saved.length), *rest = text, *at;
    ee_buffer changed = {0};
    for (; (at = strstr(rest, changes[i][0])) != NULL; rest = at + strlen(changes[i][0]))
      ee_buffer_addf(&changed, "%.*s%s", (int)(at - rest), rest, changes[i][1]);
    assert_true(rest != text);
    ee_buffer_add_text(&changed, rest);
    if (totals_load(&read, rules.plan, (ee_str){changed.data, changed.length}, &arena))
      fail_msg("%s for %s is read", changes[i][1], changes[i][0]);
    ee_buffer_fini(&changed);
  }
  ee_totals_fini(&totals);
  ee_arena_fini(&arena);
  small_rules_close(&rules);
}

/* The name of a slice's value is appended, and cut by itself: behind other text, too. */
static void test_names_of_values(void **state) {
  (void)state;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  char longer[EE_SLICE_TEXT_BYTES + 3];
  memset(longer, 'x', sizeof longer - 1);
  longer[sizeof longer - 1] = '\0';
  static const struct {
    const char *json, *name;
  } facts[] = {
      {"null", "(missing)"}, {"\"a\"", "a"}, {"\"\"", ""}, {"1.50", "1.5"}, {"{\"b\":1,\"a\":2}", "{\"a\":2,\"b\":1}"}};
  static const char *const beginnings[] = {"", "x", "a longer text"};
  for (size_t i = 0; i < 3; i++) {
    ee_buffer out = {0};
    for (size_t k = 0; k < sizeof facts / sizeof *facts; k++) {
      ee_buffer_clear(&out);
      ee_buffer_add_text(&out, beginnings[i]);
      ee_slice_print(ee_json_read(&arena, ee_str_from(facts[k].json), NULL, NULL), &arena, &out);
      assert_string_equal(ee_buffer_terminate(&out), ee_arena_printf(&arena, "%s%s", beginnings[i], facts[k].name));
    }
    for (size_t length = EE_SLICE_TEXT_BYTES - 1; length <= EE_SLICE_TEXT_BYTES + 2; length++) {
      ee_buffer_clear(&out);
      ee_buffer_add_text(&out, beginnings[i]);
      ee_slice_print(ee_value_new_string(&arena, (ee_str){longer, length}), &arena, &out);
      size_t kept = length < EE_SLICE_TEXT_BYTES ? length : EE_SLICE_TEXT_BYTES;
      assert_int_equal(out.length, strlen(beginnings[i]) + kept);
      assert_memory_equal(out.data + strlen(beginnings[i]), longer, kept);
    }
    /* A letter is not cut. */
    ee_buffer_clear(&out);
    ee_buffer_add_text(&out, beginnings[i]);
    const char *letter = ee_arena_printf(&arena, "%.*s\xc3\xa9", EE_SLICE_TEXT_BYTES - 1, longer);
    ee_slice_print(ee_value_new_string(&arena, ee_str_from(letter)), &arena, &out);
    assert_int_equal(out.length, strlen(beginnings[i]) + EE_SLICE_TEXT_BYTES - 1);
    ee_buffer_clear(&out);
    ee_slice_print(NULL, &arena, &out);
    assert_string_equal(ee_buffer_terminate(&out), "(missing)");
    ee_buffer_fini(&out);
  }
  ee_arena_fini(&arena);
}

/* Every count of records and cases is added up. */
static void test_counts_are_merged(void **state) {
  (void)state;
  small_rules rules;
  small_rules_open(&rules);
  ee_totals totals, other;
  ee_totals_init(&totals, rules.plan);
  ee_totals_init(&other, rules.plan);
#define COUNTS(of)                                                                                                     \
  {&(of).records,                                                                                                      \
   &(of).scored,                                                                                                       \
   &(of).unscored,                                                                                                     \
   &(of).unreadable,                                                                                                   \
   &(of).duplicates,                                                                                                   \
   &(of).filtered,                                                                                                     \
   &(of).absent,                                                                                                       \
   &(of).unjudged,                                                                                                     \
   &(of).candidates_missing,                                                                                           \
   &(of).candidates_unparseable,                                                                                       \
   &(of).candidates_encoded,                                                                                           \
   &(of).repairable,                                                                                                   \
   &(of).lone_surrogates,                                                                                              \
   &(of).cases_with_rule_errors,                                                                                       \
   &(of).rule_errors,                                                                                                  \
   &(of).cases_with_provider_failures,                                                                                 \
   &(of).provider_failures,                                                                                            \
   &(of).cases_with_given_up,                                                                                          \
   &(of).given_up,                                                                                                     \
   &(of).records_hash,                                                                                                 \
   &(of).data_hash}
  uint64_t *to[] = COUNTS(totals), *from[] = COUNTS(other);
  enum { NUMBER = sizeof to / sizeof *to };
  for (size_t i = 0; i < NUMBER; i++) *to[i] = 100 * i, *from[i] = i + 1;
  for (size_t i = 0; i < EE_REPAIR_COUNT; i++) totals.repairs[i] = 1000 * i, other.repairs[i] = i + 7;
  other.chosen = true;
  ee_totals_merge(&totals, &other);
  for (size_t i = 0; i < NUMBER; i++) assert_int_equal(*to[i], 100 * i + i + 1);
  for (size_t i = 0; i < EE_REPAIR_COUNT; i++) assert_int_equal(totals.repairs[i], 1000 * i + i + 7);
  assert_true(totals.chosen);
  /* What is added is as it was. */
  for (size_t i = 0; i < NUMBER; i++) assert_int_equal(*from[i], i + 1);
  ee_totals_fini(&totals);
  ee_totals_fini(&other);
  small_rules_close(&rules);
}

/* Names that are near ---------------------------------------------------------------------------- */

static void test_near_names(void **state) {
  (void)state;
  char at_limit[202], beyond[203], near_limit[202];
  memset(at_limit, 'x', 200), at_limit[200] = '\0';
  memset(beyond, 'x', 201), beyond[201] = '\0';
  memset(near_limit, 'x', 199), near_limit[199] = 'y', near_limit[200] = '\0';
  ee_attribute_total attributes[] = {{.name = EE_STR("declared")},
                                     {.name = EE_STR("vendor")},
                                     {.name = EE_STR("total")},
                                     {.name = ee_str_from(near_limit)}};
  ee_judge_total total = {.attributes = attributes, .attribute_count = 4, .static_count = 1};
  static const struct {
    const char *name, *near;
  } facts[] = {{"vendro", "vendor"}, {"totals", "total"}, {"declard", ""}, {"other", ""}, {"", ""}};
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    ee_str found = ee_judge_total_near(&total, ee_str_from(facts[i].name));
    if (!ee_str_is(found, facts[i].near)) fail_msg("%s: %.*s", facts[i].name, EE_STR_ARG(found));
  }
  /* Of long names, up to 200 bytes of both. */
  assert_true(ee_str_is(ee_judge_total_near(&total, ee_str_from(at_limit)), near_limit));
  assert_int_equal(ee_judge_total_near(&total, ee_str_from(beyond)).length, 0);
  attributes[3].name = ee_str_from(beyond);
  assert_int_equal(ee_judge_total_near(&total, ee_str_from(at_limit)).length, 0);
  /* The only attribute of the data. */
  total.attribute_count = 2;
  assert_true(ee_str_is(ee_judge_total_near(&total, EE_STR("vendr")), "vendor"));
  total.attribute_count = 1;
  assert_int_equal(ee_judge_total_near(&total, EE_STR("vendr")).length, 0);
}

/* Metrics of the whole data set ------------------------------------------------------------------ */

/* Counts its cases; its finish takes as much work as the test says. */
typedef struct counting {
  uint64_t cases;
} counting;

static uint64_t work_of_finish;
static int finished, open_parts;

static void *open_part(const ee_judge *judge) {
  (void)judge;
  open_parts++;
  return ee_calloc(1, sizeof(counting));
}

static void close_part(void *part) {
  open_parts--;
  ee_free(part);
}

static void clear_part(void *part) { ((counting *)part)->cases = 0; }

static void add_case(void *part, const ee_case *source, const ee_judge_result *result) {
  (void)source, (void)result;
  ((counting *)part)->cases++;
}

static void merge_parts(void *part, const void *other) {
  ((counting *)part)->cases += ((const counting *)other)->cases;
}

static void part_state(void *part, ee_state_line *line) { ee_state_count(line, &((counting *)part)->cases); }

static void finish_part(const ee_judge *judge, void *part, ee_arena *arena, ee_corpus_summary *summary) {
  (void)judge;
  finished++;
  ee_corpus_metric *metric = EE_NEW(arena, ee_corpus_metric);
  *metric = (ee_corpus_metric){"cases", true, true, (double)((counting *)part)->cases};
  *summary = (ee_corpus_summary){.metrics = metric, .metric_count = 1};
  for (uint64_t done = 0; done < work_of_finish && ee_work_goes_on(100); done += 100) continue;
}

static const ee_corpus_type counting_type = {.open = open_part,
                                             .close = close_part,
                                             .clear = clear_part,
                                             .add = add_case,
                                             .merge = merge_parts,
                                             .state = part_state,
                                             .finish = finish_part};

/* Rules both judges of which count. */
typedef struct counting_rules {
  small_rules rules;
  ee_judge_type types[2];
  ee_judge judges[2];
  const ee_judge *list[2];
} counting_rules;

static void counting_rules_open(counting_rules *self) {
  small_rules_open(&self->rules);
  for (size_t i = 0; i < 2; i++) {
    self->judges[i] = *self->rules.plan->judges[i];
    self->types[i] = *self->judges[i].type;
    self->types[i].corpus = &counting_type;
    self->judges[i].type = &self->types[i];
    self->list[i] = &self->judges[i];
  }
  self->rules.plan->judges = self->list;
}

static double cases_of(const ee_totals *totals, size_t judge) {
  const ee_corpus_summary *summary = totals->all.judges[judge].corpus;
  assert_non_null(summary);
  return summary->metric_count == 0 ? -1 : summary->metrics[0].value;
}

/* Each judge's metrics are computed once; those for which no work is left are empty, and what comes after it is told.
 */
static void test_metrics_within_a_limit_of_work(void **state) {
  (void)state;
  counting_rules both;
  counting_rules_open(&both);
  ee_arena arena;
  ee_arena_init(&arena, 0);
  static const struct {
    uint64_t work, units;
    bool complete;
    double first, second;
  } facts[] = {{1000, EE_WORK_UNLIMITED, true, 3, 3},
               {1000, 1000000, true, 3, 3},
               {100000, 150000, false, 3, -1},
               {100000, 50000, false, -1, -1},
               {0, 1000, true, 3, 3}};
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    ee_totals totals, part;
    ee_totals_init(&totals, both.rules.plan);
    ee_totals_init(&part, both.rules.plan);
    for (int k = 0; k < 3; k++) {
      ee_case_result result = small_judge_record(&both.rules, &arena, "{\"id\":\"a\",\"lang\":\"de\",\"expected\":1}");
      ee_totals_add(k == 0 ? &totals : &part, &result, &arena);
    }
    ee_totals_merge(&totals, &part);
    assert_null(totals.all.judges[0].corpus);
    assert_null(totals.slices[0].totals.judges[0].corpus_part);
    work_of_finish = facts[i].work;
    finished = 0;
    uint64_t units = facts[i].units;
    bool complete = ee_totals_finish_within(&totals, units);
    if (complete != facts[i].complete || cases_of(&totals, 0) != facts[i].first ||
        cases_of(&totals, 1) != facts[i].second)
      fail_msg("%zu: %d, %g and %g", i, complete, cases_of(&totals, 0), cases_of(&totals, 1));
    assert_int_equal(finished, 2);
    assert_true(ee_totals_finish_within(&totals, units));
    assert_int_equal(finished, 2);
    /* Emptied, it may be finished again. */
    ee_totals_clear(&totals);
    assert_null(totals.all.judges[0].corpus);
    work_of_finish = 0;
    ee_totals_finish(&totals);
    assert_int_equal(finished, 4);
    assert_true(cases_of(&totals, 0) == 0);
    ee_totals_fini(&totals);
    ee_totals_fini(&part);
    assert_int_equal(open_parts, 0);
  }
  ee_arena_fini(&arena);
  small_rules_close(&both.rules);
}

/* Finished totals are in their order, and trials of several records are put together. */
static void test_finished_totals_are_settled(void **state) {
  (void)state;
  small_rules rules;
  ee_arena arena;
  small_rules_open(&rules);
  ee_arena_init(&arena, 0);
  for (int i = 0; i < 2; i++) {
    ee_totals totals;
    ee_totals_init(&totals, rules.plan);
    static const char *const languages[] = {"fr", "de", "en"};
    for (size_t k = 0; k < 3; k++) {
      const char *text =
          ee_arena_printf(&arena, "{\"id\":\"%zu\",\"lang\":\"%s\",\"expected\":{\"number\":1},\"kind\":\"%s\"}", k,
                          languages[k], languages[k]);
      ee_case_result result = small_judge_record(&rules, &arena, text);
      ee_totals_add(&totals, &result, &arena);
    }
    const ee_trial_judge whole = {.has_score = true, .score = 1, .verdict = EE_VERDICT_PASS};
    ee_trial_total_add(&totals.trials,
                       &(ee_trial){.id = EE_STR("a"), .name = EE_STR("1"), .judges = &whole, .judge_count = 1});
    if (i == 0)
      ee_totals_finish(&totals);
    else
      assert_true(ee_totals_finish_within(&totals, 1000));
    static const char *const sorted[] = {"de", "en", "fr"};
    assert_int_equal(totals.slice_count, 3);
    for (size_t k = 0; k < 3; k++) {
      assert_true(ee_str_is(totals.slices[k].value, sorted[k]));
      assert_true(ee_str_is(totals.all.judges[SEEN].attributes[k].name, sorted[k]));
    }
    assert_int_equal(totals.trials.open.count, 0);
    assert_int_equal(totals.trials.cases, 1);
    ee_totals_fini(&totals);
  }
  ee_arena_fini(&arena);
  small_rules_close(&rules);
}

/* A run computes them at its end, unless it is of a part; an interrupted one takes 0.2 s for them. */
static void test_metrics_of_runs(void **state) {
  (void)state;
  counting_rules both;
  counting_rules_open(&both);
  temporary file;
  static const char text[] = GOOD("a") GOOD("b") GOOD("c") GOOD("d");
  temporary_fill(&file, text, sizeof text - 1);
  static const struct {
    bool part, interrupted;
    uint64_t work;
    bool unfinished;
  } facts[] = {{false, false, 0, false},
               {true, false, 0, false},
               {false, false, EE_WORK_SECOND, false},
               {false, true, EE_WORK_SECOND / 20, false},
               {false, true, EE_WORK_SECOND, true},
               {true, true, EE_WORK_SECOND, false}};
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    work_of_finish = facts[i].work;
    finished = 0;
    listener l;
    listener_open(&l);
    l.interrupt_at = facts[i].interrupted ? 1 : 0;
    ee_run_result result =
        run_file(&both.rules, file.name, (ee_run_options){.jobs = 1, .part = facts[i].part, .block_size = 1}, &l);
    assert_int_equal(result.interrupted, facts[i].interrupted);
    assert_int_equal(finished, facts[i].part ? 0 : 2);
    assert_int_equal(result.unfinished, facts[i].unfinished);
    if (facts[i].part)
      assert_null(result.totals.all.judges[0].corpus);
    else if (!facts[i].unfinished)
      assert_true(cases_of(&result.totals, 0) == (double)result.totals.scored);
    listener_close(&l);
    ee_totals_fini(&result.totals);
  }
  temporary_remove(&file);
  small_rules_close(&both.rules);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_attributes_that_are_read), cmocka_unit_test(test_slices_that_are_read),
             cmocka_unit_test(test_states_of_other_names), cmocka_unit_test(test_near_names),
             cmocka_unit_test(test_counts_are_merged), cmocka_unit_test(test_names_of_values),
             cmocka_unit_test(test_metrics_within_a_limit_of_work), cmocka_unit_test(test_metrics_of_runs),
             cmocka_unit_test(test_finished_totals_are_settled));
