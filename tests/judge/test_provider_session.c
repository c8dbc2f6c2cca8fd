/* Runs with a provider: each block's questions are asked before it is judged, block by block, and everything comes out
 * the same for every number of workers. */
#include "judge/fake_provider.h"
#include "run/run_listener.h"
#include "run/worker.h"
#include "support/random.h"

/* Rules ---------------------------------------------------------------------------------------- */

/*   ee.rules { ee.fields { ee.semantic { "bio", normalize = f }, ee.exact "number" },
 *              ee.line_items { "items", ee.semantic "text", match = { ee.semantic { "text", threshold = 0.5 } } },
 *              ee.judge { "seen", f } }
 * where f of normalize (see small_map) raises for a text that begins with '#'. */
static ee_status small_map(ee_script *script, int function, const ee_value *value, const ee_value **result,
                           ee_error *error) {
  (void)script;
  assert_int_equal(function, 1);
  if (ee_type_of(value) == EE_STRING && value->json.valuestring[0] == '#')
    return ee_error_at(error, EE_ERROR_RULES, "rules.lua", 12, 0, "a comment is no text");
  *result = value;
  return EE_OK;
}

static ee_script_vtable asking_vtable;

static void asking_rules_open(small_rules *rules) {
  *rules = (small_rules){0};
  ee_arena *arena = &rules->arena;
  ee_arena_init(arena, 0);
  asking_vtable = small_vtable;
  asking_vtable.map = small_map;
  ee_rule_value bio = small_text("bio"), number = small_text("number"), text = small_text("text");
  ee_rule_option normalize = {EE_STR("normalize"), {.type = EE_RULE_FUNCTION, .function = 1}};
  ee_rule_option half = {EE_STR("threshold"), small_number(0.5)};
  ee_rule_value fields[] = {small_node(arena, "semantic", &bio, 1, &normalize, 1),
                            small_node(arena, "exact", &number, 1, NULL, 0)};
  ee_rule_value match_item = small_node(arena, "semantic", &text, 1, &half, 1);
  ee_rule_option match = {EE_STR("match"), small_node(arena, "", &match_item, 1, NULL, 0)};
  ee_rule_value items[] = {small_text("items"), small_node(arena, "semantic", &text, 1, NULL, 0)};
  ee_rule_value seen[] = {small_text("seen"), {.type = EE_RULE_FUNCTION, .function = 0}};
  ee_rule_value judges[] = {small_node(arena, "fields", fields, 2, NULL, 0),
                            small_node(arena, "line_items", items, 2, &match, 1),
                            small_node(arena, "judge", seen, 2, NULL, 0)};
  ee_rule_value root = small_node(arena, "rules", judges, 3, NULL, 0);
  ee_error_list errors;
  ee_error_list_init(&errors);
  rules->plan = ee_plan_compile(arena, root.node, &asking_vtable, rules, &errors);
  for (size_t i = 0; i < errors.count; i++) print_error("%s\n", errors.items[i].message);
  assert_non_null(rules->plan);
  assert_true(rules->plan->needs_provider);
  ee_error_list_fini(&errors);
}

/* Data ----------------------------------------------------------------------------------------- */

enum { LINES = 1800 };

/* What is known of the data. */
typedef struct facts {
  uint64_t scored, unreadable, duplicates, raised;
} facts;

static void write_text(FILE *file, test_random *random, bool expected) {
  static const char *const heads[] = {"senior engineer", "senior enginner", "junior clerk", "chief", "!refused"};
  size_t head = test_random_below(random, 40);
  size_t tail = test_random_below(random, expected ? 3 : 6);
  fprintf(file, "\"%s %zu\"", heads[head == 0 ? 4 : head % 4], tail);
}

static void write_document(FILE *file, test_random *random, bool expected, bool comment) {
  fprintf(file, "{\"number\":1,\"bio\":");
  if (comment)
    fprintf(file, "\"# not a text\"");
  else
    write_text(file, random, expected);
  fprintf(file, ",\"items\":[");
  size_t items = test_random_below(random, 4);
  for (size_t i = 0; i < items; i++) {
    fprintf(file, "%s{\"text\":", i > 0 ? "," : "");
    write_text(file, random, expected);
    fprintf(file, "}");
  }
  fprintf(file, "]}");
}

static facts write_data(temporary *t, bool with_errors) {
  test_random random = test_random_start("asking", 7);
  static const char padding[] =
      "so that a block of records is full before the file is at its end, a record has some text "
      "that nobody compares: it is here for its length alone, and for nothing else at all; and "
      "once more: it is here for its length alone, and for nothing else at all, as was said "
      "before. The same again, so that blocks hold a few hundred records and not thousands. ";
  facts f = {0};
  temporary_open(t);
  for (size_t i = 0; i < LINES; i++) {
    size_t kind = with_errors && i > 0 ? test_random_below(&random, 60) : 60;
    if (kind == 0) {
      fprintf(t->file, "{\"id\": broken}\n");
      f.unreadable++;
      continue;
    }
    bool duplicate = kind == 1 && i > 100;
    bool comment = kind == 2;
    fprintf(t->file, "{\"id\":\"c%zu\",\"padding\":\"%s%s\",\"expected\":", duplicate ? (size_t)0 : i, padding,
            padding);
    /* The last blocks have no questions: they need not wait for the others. */
    bool quiet = i >= LINES * 2 / 3;
    if (quiet) {
      fprintf(t->file, "{\"number\":%zu},\"candidate\":{\"number\":1}}\n", i % 2);
    } else {
      write_document(t->file, &random, true, comment && !duplicate);
      fprintf(t->file, ",\"candidate\":");
      write_document(t->file, &random, false, false);
      fprintf(t->file, "}\n");
    }
    if (duplicate)
      f.duplicates++;
    else
      f.scored++;
    if (comment && !duplicate && !quiet) f.raised++;
  }
  temporary_written(t);
  return f;
}

/* Runs --------------------------------------------------------------------------------------------------------------
 */

typedef struct outcome {
  listener l;
  ee_run_result result;
  fake_provider provider;
} outcome;

/* With the provider of `o`, which fake_init() made: not a remote one is the reference, in which no answer is ever open.
 */
static void run_with(outcome *o, const small_rules *rules, const temporary *file, ee_run_options options) {
  listener_open(&o->l);
  o->provider.interrupted = &o->l.interrupted;
  options.provider = &o->provider.base;
  o->result = run_file(rules, file->name, options, &o->l);
}

static void outcome_close(outcome *o) {
  listener_close(&o->l);
  ee_totals_fini(&o->result.totals);
  fake_fini(&o->provider);
}

static void assert_same_outcome(const outcome *a, const outcome *b) {
  assert_same_buffer(&a->l.rows, &b->l.rows);
  assert_same_buffer(&a->l.messages, &b->l.messages);
  const ee_totals *x = &a->result.totals, *y = &b->result.totals;
  assert_int_equal(x->records, y->records);
  assert_int_equal(x->scored, y->scored);
  assert_int_equal(x->rule_errors, y->rule_errors);
  assert_int_equal(x->provider_failures, y->provider_failures);
  assert_true(x->data_hash == y->data_hash);
  assert_memory_equal(&x->all.score.sum, &y->all.score.sum, sizeof(ee_fixed));
}

static const unsigned all_jobs[] = {1, 2, 7};

/* A provider that leaves answers open gives what one gives that answers at once, whatever the workers. */
static void test_same_bytes(void **state) {
  (void)state;
  small_rules rules;
  asking_rules_open(&rules);
  temporary file;
  facts f = write_data(&file, true);
  outcome reference;
  fake_init(&reference.provider, false);
  reference.provider.refused = "!";
  run_with(&reference, &rules, &file, (ee_run_options){.jobs = 1});
  const ee_totals *totals = &reference.result.totals;
  assert_int_equal(totals->scored, f.scored);
  assert_int_equal(totals->duplicates, f.duplicates);
  assert_int_equal(totals->unreadable, f.unreadable);
  assert_int_equal(totals->rule_errors, f.raised); /* passes that only asked left none behind */
  assert_true(totals->provider_failures > 20);
  assert_true(totals->provider_failures < EE_RULE_ERRORS_LISTED);
  assert_int_equal(count_newlines(&reference.l.rows), f.scored);
  assert_int_equal(count_newlines(&reference.l.messages),
                   f.unreadable + f.duplicates + f.raised + totals->provider_failures);
  uint64_t asked = 0;
  for (size_t i = 0; i < 3; i++) {
    for (unsigned asks_needed = 1; asks_needed <= 2; asks_needed++) {
      outcome o;
      fake_init(&o.provider, true);
      o.provider.refused = "!";
      o.provider.asks_needed = asks_needed;
      run_with(&o, &rules, &file, (ee_run_options){.jobs = all_jobs[i]});
      assert_same_outcome(&reference, &o);
      /* Each question once a block; and a block is asked in a few goes, not each case by itself. */
      if (asked == 0) asked = o.provider.asked;
      assert_int_equal(o.provider.asked, asked);
      assert_true(o.provider.begun >= 3);
      assert_true(o.provider.asks <= o.provider.begun * asks_needed * 3);
      outcome_close(&o);
    }
  }
  outcome_close(&reference);
  temporary_remove(&file);
  small_rules_close(&rules);
}

/* A missing answer is told with the record's place, and is an error for --strict. */
static void test_failure_is_told(void **state) {
  (void)state;
  static const char text[] = "{\"id\":\"a\",\"expected\":{\"bio\":\"abcd\"},\"candidate\":{\"bio\":\"abcx\"}}\n"
                             "\n"
                             "{\"id\":\"b\",\"expected\":{\"bio\":\"ab!d\"},\"candidate\":{\"bio\":\"abcx\"}}\n"
                             "{\"id\":\"c\",\"expected\":{\"bio\":\"abcd\"},\"candidate\":{\"bio\":\"ab!x\"}}\n";
  small_rules rules;
  asking_rules_open(&rules);
  temporary file;
  temporary_fill(&file, text, sizeof text - 1);
  for (int strict = 0; strict < 2; strict++) {
    outcome o;
    fake_init(&o.provider, true);
    o.provider.refused = "!";
    run_with(&o, &rules, &file, (ee_run_options){.jobs = 2, .strict = strict == 1});
    char expected[1024];
    snprintf(expected, sizeof expected,
             "answer %s:3: no answer for 'bio' (case 'b'): HTTP 500 after 5 attempts\n%s%s%s%s", file.name,
             strict ? "" : "answer ", strict ? "" : file.name,
             strict ? "" : ":4: no answer for 'bio' (case 'c'): HTTP 500 after 5 attempts", strict ? "" : "\n");
    assert_string_equal(ee_buffer_terminate(&o.l.messages), expected);
    assert_int_equal(o.result.stopped, strict);
    assert_int_equal(o.result.totals.scored, strict ? 2 : 3);
    assert_int_equal(o.result.totals.provider_failures, strict ? 1 : 2);
    assert_int_equal(o.result.totals.cases_with_provider_failures, strict ? 1 : 2);
    assert_int_equal(o.result.totals.rule_errors, 0);
    outcome_close(&o);
  }
  temporary_remove(&file);
  small_rules_close(&rules);
}

/* Where nothing can answer, everything is judged, and every value that asks says so. */
static void test_without_provider(void **state) {
  (void)state;
  small_rules rules;
  asking_rules_open(&rules);
  temporary file;
  static const char text[] = "{\"id\":\"a\",\"expected\":{\"bio\":\"abcd\"},\"candidate\":{\"bio\":\"abcx\"}}\n"
                             "{\"id\":\"b\",\"expected\":{\"bio\":\"abcd\"},\"candidate\":{\"bio\":\"abcd\"}}\n";
  temporary_fill(&file, text, sizeof text - 1);
  listener l;
  listener_open(&l);
  ee_run_result result = run_file(&rules, file.name, (ee_run_options){.jobs = 1}, &l);
  assert_int_equal(result.totals.provider_failures, 1);
  char expected[256];
  snprintf(expected, sizeof expected, "answer %s:1: no answer for 'bio' (case 'a'): no provider\n", file.name);
  assert_string_equal(ee_buffer_terminate(&l.messages), expected);
  ee_totals_fini(&result.totals);
  listener_close(&l);
  temporary_remove(&file);
  small_rules_close(&rules);
}

/* A budget is spent in the order of the data: what is left without an answer does not depend on the workers. */
static void test_budget(void **state) {
  (void)state;
  small_rules rules;
  asking_rules_open(&rules);
  temporary file;
  write_data(&file, true);
  static const uint64_t budgets[] = {0, 1, 100, 1000};
  for (size_t b = 0; b < 4; b++) {
    outcome reference = {0};
    for (size_t i = 0; i < 3; i++) {
      outcome o;
      fake_init(&o.provider, true);
      o.provider.budget = budgets[b];
      run_with(&o, &rules, &file, (ee_run_options){.jobs = all_jobs[i]});
      assert_true(o.provider.asked > budgets[b]);
      assert_true(o.result.totals.provider_failures > 0);
      if (i == 0) {
        reference = o;
        continue;
      }
      assert_same_outcome(&reference, &o);
      assert_int_equal(o.provider.asked, reference.provider.asked);
      outcome_close(&o);
    }
    outcome_close(&reference);
  }
  temporary_remove(&file);
  small_rules_close(&rules);
}

/* A limit asks for no more than the cases that count, and yet for many at a time. */
static void test_limit(void **state) {
  (void)state;
  small_rules rules;
  asking_rules_open(&rules);
  temporary file;
  write_data(&file, true);
  for (size_t k = 0; k < 3; k++) {
    static const uint64_t limits[] = {1, 50, 700};
    ee_run_options options = {.jobs = 1, .limit = limits[k]};
    outcome reference;
    fake_init(&reference.provider, false);
    run_with(&reference, &rules, &file, options);
    assert_int_equal(reference.result.totals.scored, limits[k]);
    uint64_t asked = 0;
    for (size_t i = 0; i < 3; i++) {
      options.jobs = all_jobs[i];
      outcome o;
      fake_init(&o.provider, true);
      run_with(&o, &rules, &file, options);
      assert_same_outcome(&reference, &o);
      if (i == 0) asked = o.provider.asked;
      assert_int_equal(o.provider.asked, asked);
      /* A record in error or a duplicate makes it go on for those that are missing: a few goes more, of fewer each. */
      assert_true(o.provider.begun <= 2 + limits[k] / 8);
      assert_true(o.provider.asks <= 3 * o.provider.begun);
      /* No case has more than 10 questions. */
      assert_true(o.provider.asked <= 11 * limits[k] + 11);
      outcome_close(&o);
    }
    outcome_close(&reference);
  }
  temporary_remove(&file);
  small_rules_close(&rules);
}

/* Cases that --only leaves out are not asked for. */
static void test_only(void **state) {
  (void)state;
  small_rules rules;
  asking_rules_open(&rules);
  temporary file;
  write_data(&file, false);
  outcome all, some;
  fake_init(&all.provider, true);
  run_with(&all, &rules, &file, (ee_run_options){.jobs = 2});
  fake_init(&some.provider, true);
  /* Some cases have nothing to ask. */
  static const char *const only[] = {"nothing", "c71", "c72", "c73", "c74", "c75", "c76", "c77", "c78"};
  run_with(&some, &rules, &file, (ee_run_options){.jobs = 2, .choice = {.only = only, .only_count = 9}});
  assert_int_equal(all.result.totals.scored, LINES);
  assert_int_equal(some.result.totals.scored, 8);
  assert_true(some.provider.asked > 0 && some.provider.asked <= 80);
  assert_true(all.provider.asked > 100);
  outcome_close(&all);
  outcome_close(&some);
  temporary_remove(&file);
  small_rules_close(&rules);
}

/* Whenever a run is interrupted while it asks, it ends, and what was committed is the start of the whole. */
static void test_interrupt(void **state) {
  (void)state;
  small_rules rules;
  asking_rules_open(&rules);
  temporary file;
  write_data(&file, true);
  outcome reference;
  fake_init(&reference.provider, true);
  run_with(&reference, &rules, &file, (ee_run_options){.jobs = 1});
  assert_false(reference.result.interrupted);
  uint64_t asks = reference.provider.asks;
  assert_true(asks >= 4);
  for (uint64_t at = 1; at <= asks; at++) {
    for (size_t i = 0; i < 4; i++) {
      outcome o;
      fake_init(&o.provider, true);
      o.provider.interrupt_at = at;
      ee_run_options options = {.jobs = all_jobs[i % 3], .limit = i == 3 ? LINES : 0};
      run_with(&o, &rules, &file, options);
      assert_true(o.result.interrupted);
      assert_true(o.l.rows.length < reference.l.rows.length);
      if (o.l.rows.length > 0) assert_memory_equal(o.l.rows.data, reference.l.rows.data, o.l.rows.length);
      assert_int_equal(o.result.totals.scored, count_newlines(&o.l.rows));
      /* The first question interrupted: nothing at all is committed. */
      if (at == 1) assert_int_equal(o.l.rows.length, 0);
      outcome_close(&o);
    }
  }
  outcome_close(&reference);
  temporary_remove(&file);
  small_rules_close(&rules);
}

/* Waiting for answers is no judging. */
static void test_timings(void **state) {
  (void)state;
  small_rules rules;
  asking_rules_open(&rules);
  temporary file;
  write_data(&file, true);
  for (int remote = 0; remote < 2; remote++) {
    outcome o;
    fake_init(&o.provider, remote != 0);
    run_with(&o, &rules, &file, (ee_run_options){.jobs = 1, .timings = true});
    const ee_run_timings *t = &o.result.timings;
    assert_true(t->judge_ns > 0);
    assert_true((t->ask_ns > 0) == (remote != 0));
    assert_true(t->read_ns + t->ask_ns + t->judge_ns + t->write_ns <= t->wall_ns);
    outcome_close(&o);
  }
  temporary_remove(&file);
  small_rules_close(&rules);
}

/* What lies behind the end of a strict run is not asked, and an answer that is under way is not waited for. */
static void test_strict_end(void **state) {
  (void)state;
  small_rules rules;
  asking_rules_open(&rules);
  temporary file;
  write_data(&file, true);
  for (size_t i = 0; i < 3; i++) {
    outcome o;
    fake_init(&o.provider, true);
    o.provider.budget = 0;
    o.provider.held_from = 1;
    run_with(&o, &rules, &file, (ee_run_options){.jobs = all_jobs[i], .strict = true});
    assert_true(o.result.stopped);
    outcome_close(&o); /* fails for a block that was not stopped */
  }
  temporary_remove(&file);
  small_rules_close(&rules);
}

/* Behind the end of a run that a failed write ended nothing waits for ever. */
static void test_failed_write(void **state) {
  (void)state;
  small_rules rules;
  asking_rules_open(&rules);
  temporary file;
  write_data(&file, true);
  for (size_t i = 0; i < 3; i++) {
    listener l;
    listener_open(&l);
    l.fail_at = 2;
    fake_provider provider;
    fake_init(&provider, true);
    const char *name = file.name;
    ee_error error = {0};
    ee_run_options options = {.jobs = all_jobs[i], .provider = &provider.base};
    ee_run_result result = run_files(&rules, &name, 1, options, &l, EE_ERROR_SYSTEM, &error);
    assert_string_equal(error.message, "cannot write: disk full");
    ee_totals_fini(&result.totals);
    listener_close(&l);
    fake_fini(&provider);
  }
  temporary_remove(&file);
  small_rules_close(&rules);
}

static ee_provider_session *refuse_to_open(ee_provider *provider, ee_error *error) {
  (void)provider;
  ee_error_set(error, EE_ERROR_SYSTEM, "cache 'x' is no database");
  return NULL;
}

static void test_asker_that_does_not_open(void **state) {
  (void)state;
  small_rules rules;
  asking_rules_open(&rules);
  temporary file;
  write_data(&file, true);
  listener l;
  listener_open(&l);
  fake_provider provider;
  fake_init(&provider, true);
  provider.vtable.open = refuse_to_open;
  const char *name = file.name;
  ee_error error = {0};
  ee_run_options options = {.jobs = 2, .provider = &provider.base};
  ee_run_result result = run_files(&rules, &name, 1, options, &l, EE_ERROR_SYSTEM, &error);
  assert_string_equal(error.message, "cache 'x' is no database");
  assert_int_equal(l.rows.length, 0);
  ee_totals_fini(&result.totals);
  listener_close(&l);
  fake_fini(&provider);
  temporary_remove(&file);
  small_rules_close(&rules);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_same_bytes), cmocka_unit_test(test_failure_is_told),
             cmocka_unit_test(test_without_provider), cmocka_unit_test(test_budget), cmocka_unit_test(test_limit),
             cmocka_unit_test(test_only), cmocka_unit_test(test_interrupt), cmocka_unit_test(test_strict_end),
             cmocka_unit_test(test_timings), cmocka_unit_test(test_failed_write),
             cmocka_unit_test(test_asker_that_does_not_open));
