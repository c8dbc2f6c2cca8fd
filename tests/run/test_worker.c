/* test_worker.c: a worker by itself: which records of a block it takes, the requests that it sends, and what it keeps
 * when it is interrupted. */
#include "run/worker.h"

#include "base/work.h"
#include "judge/fake_provider.h"
#include "run/run_listener.h"

/* Rules ----------------------------------------------------------------------------------------- */

/* The flag that a record with "stop" sets while it is judged. */
static volatile sig_atomic_t *to_set;

static ee_status judge_or_stop(ee_script *script, int function, const ee_script_model *model,
                               ee_script_judgement *result, ee_error *error) {
  (void)function, (void)model, (void)error;
  const ee_value *stop = ee_value_member(script->current->record, EE_STR("stop"), NULL);
  if (ee_type_of(stop) == EE_NUMBER && ee_value_number(stop) == (double)script->current->trial_number) {
    *to_set = 1;
    for (;;) ee_work(EE_WORK_SECOND / 100); /* does not return */
  }
  result->score = 1;
  return EE_OK;
}

static ee_script_vtable stopping_vtable;

/* ee.rules { ee.fields { ee.semantic "bio" }, ee.judge { "seen", function } } */
static void rules_open(small_rules *rules) {
  *rules = (small_rules){0};
  ee_arena *arena = &rules->arena;
  ee_arena_init(arena, 0);
  stopping_vtable = small_vtable;
  stopping_vtable.judge = judge_or_stop;
  ee_rule_value bio = small_text("bio"), field = small_node(arena, "semantic", &bio, 1, NULL, 0);
  ee_rule_value seen[] = {small_text("seen"), {.type = EE_RULE_FUNCTION, .function = 0}};
  ee_rule_value judges[] = {small_node(arena, "fields", &field, 1, NULL, 0),
                            small_node(arena, "judge", seen, 2, NULL, 0)};
  ee_rule_value root = small_node(arena, "rules", judges, 2, NULL, 0);
  ee_error_list errors;
  ee_error_list_init(&errors);
  rules->plan = ee_plan_compile(arena, root.node, &stopping_vtable, rules, &errors);
  assert_non_null(rules->plan);
  ee_error_list_fini(&errors);
}

/* A worker with the first block of a text -------------------------------------------------------- */

typedef struct opened {
  small_rules rules;
  fake_provider provider;
  temporary file;
  ee_dataset *dataset;
  volatile sig_atomic_t interrupted;
  ee_run_options options;
  ee_worker worker;
} opened;

/* One that can be opened: options are set before. */
static void open_text(opened *self, const char *text) {
  rules_open(&self->rules);
  fake_init(&self->provider, true);
  self->provider.interrupted = to_set = &self->interrupted;
  temporary_fill(&self->file, text, strlen(text));
  const char *name = self->file.name;
  ee_error error = {0};
  self->dataset = ee_dataset_open(&name, 1, &error);
  assert_non_null(self->dataset);
  self->options.provider = &self->provider.base;
  self->options.interrupted = &self->interrupted;
  ee_worker_init(&self->worker, self->rules.plan, &self->options);
  bool done;
  assert_int_equal(ee_dataset_next(self->dataset, &self->worker.block, &done, &error), EE_OK);
  assert_false(done);
  assert_int_equal(ee_worker_open(&self->worker, &error), EE_OK);
}

static void close_text(opened *self) {
  ee_worker_fini(&self->worker);
  ee_dataset_close(self->dataset);
  temporary_remove(&self->file);
  fake_fini(&self->provider);
  small_rules_close(&self->rules);
}

/* With one request for a similarity, and with none. */
#define ASKS(id) "{\"id\":\"" id "\",\"expected\":{\"bio\":\"abcd\"},\"candidate\":{\"bio\":\"ab" id "\"}}\n"
#define QUIET(id) "{\"id\":\"" id "\",\"expected\":{\"bio\":\"abcd\"},\"candidate\":{\"bio\":\"abcd\"}}\n"

/* What was judged, as ids. */
static const char *scored(const opened *self) {
  static char ids[200];
  size_t length = 0;
  for (size_t i = 0; i < self->worker.entries.count; i++) {
    const ee_entry *entry = &self->worker.entries.items[i];
    if (entry->kind != EE_ENTRY_SCORED) continue;
    ee_str id = ee_worker_id(&self->worker, entry);
    length += (size_t)snprintf(ids + length, sizeof ids - length, "%s%.*s", length > 0 ? "," : "", EE_STR_ARG(id));
  }
  ids[length] = '\0';
  return ids;
}

/* Requests -------------------------------------------------------------------------------------- */

/* All requests of the current records, and of all candidates of a record, in one go. */
static void test_sends_all_at_once(void **state) {
  (void)state;
  opened self = {.interrupted = 0};
  open_text(&self, ASKS("a") QUIET("b")
                       ASKS("c") "broken\n" ASKS("d") "{\"id\":\"e\",\"expected\":{\"bio\":\"abcd\"},\"candidates\":[{"
                                                      "\"bio\":\"ax\"},{\"bio\":\"ay\"},{\"bio\":"
                                                      "\"az\"}]}\n");
  atomic_bool dropped;
  atomic_init(&dropped, false);
  ee_worker_start(&self.worker, SIZE_MAX);
  assert_true(ee_worker_send_requests(&self.worker, 0, &dropped));
  assert_int_equal(self.provider.asks, 1);
  assert_int_equal(self.provider.asked, 6);
  assert_true(self.provider.turn_ended[0]);
  /* Then judging waits for nothing. */
  assert_true(ee_worker_judge(&self.worker));
  assert_int_equal(self.provider.asks, 1);
  assert_int_equal(self.worker.totals.provider_failures, 0);
  assert_int_equal(self.worker.totals.scored, 7);
  assert_string_equal(scored(&self), "a,b,c,d,e (trial 1),e (trial 2),e (trial 3)");
  close_text(&self);
}

/* Of the current records only, of those that are chosen only, and not of those that were judged before. */
static void test_sends_for_current_records(void **state) {
  (void)state;
  static const char *const only[] = {"a", "d", "f"};
  static const struct {
    bool chooses;
    size_t max;
    uint64_t passed, before, asked;
    const char *scored;
  } facts[] = {
      {false, SIZE_MAX, 0, 0, 6, "a,b,c,d,e,f"},
      {false, 1, 0, 0, 1, "a"},
      {false, 4, 0, 0, 4, "a,b,c,d"},
      {true, SIZE_MAX, 0, 0, 3, "a,d,f"},
      {true, 3, 0, 0, 1, "a"},
      {false, SIZE_MAX, 2, 0, 4, "c,d,e,f"},
      {false, SIZE_MAX, 6, 0, 0, ""},
      {false, SIZE_MAX, 9, 0, 0, ""},
      {false, 3, 2, 0, 1, "c"},
      {false, SIZE_MAX, 12, 10, 4, "c,d,e,f"},
      {false, SIZE_MAX, 10, 10, 6, "a,b,c,d,e,f"},
      {false, SIZE_MAX, 9, 10, 6, "a,b,c,d,e,f"},
      {true, SIZE_MAX, 13, 10, 2, "d,f"},
  };
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    ee_run_place from = {.records = facts[i].passed};
    opened self = {.interrupted = 0};
    if (facts[i].chooses) self.options.choice = (ee_case_choice){.only = only, .only_count = 3};
    if (facts[i].passed > 0) self.options.from = &from;
    open_text(&self, ASKS("a") ASKS("b") ASKS("c") ASKS("d") ASKS("e") ASKS("f"));
    self.worker.records_before = facts[i].before;
    atomic_bool dropped;
    atomic_init(&dropped, false);
    ee_worker_start(&self.worker, facts[i].max);
    uint64_t passed = facts[i].passed > facts[i].before ? facts[i].passed - facts[i].before : 0;
    assert_int_equal(ee_worker_passed(&self.worker), passed < 6 ? passed : 6);
    assert_true(ee_worker_send_requests(&self.worker, 0, &dropped));
    if (self.provider.asked != facts[i].asked) fail_msg("%zu: %d requests", i, (int)self.provider.asked);
    assert_true(ee_worker_judge(&self.worker));
    assert_string_equal(scored(&self), facts[i].scored);
    close_text(&self);
  }
}

/* Record after record of one block. */
static void test_goes_on(void **state) {
  (void)state;
  for (size_t step = 1; step <= 7; step++) {
    opened self = {.interrupted = 0};
    open_text(&self, ASKS("a") ASKS("b") "broken\n" ASKS("d") ASKS("e") ASKS("f"));
    atomic_bool dropped;
    atomic_init(&dropped, false);
    uint64_t asked = 0, records = 0, scores = 0, goes = 0;
    ee_worker_start(&self.worker, step);
    do {
      assert_true(ee_worker_send_requests(&self.worker, EE_NO_TICKET, &dropped));
      assert_true(ee_worker_judge(&self.worker));
      asked = self.provider.asked;
      records += self.worker.totals.records;
      scores += self.worker.totals.scored;
      goes++;
      assert_int_equal(records, goes * step < 6 ? goes * step : 6);
      assert_int_equal(asked, scores);
    } while (ee_worker_go_on(&self.worker, step));
    assert_int_equal(goes, (6 + step - 1) / step);
    assert_int_equal(scores, 5);
    close_text(&self);
  }
}

/* Nothing is sent for a block that is dropped, and its turn is passed on. */
static atomic_bool *to_drop;
static uint64_t drop_at; /* the similarity, from 1 */

static void similarity_that_drops(ee_provider_session *session, ee_str expected, ee_str candidate, ee_arena *scratch,
                                  ee_answer *answer) {
  fake_similarity(session, expected, candidate, scratch, answer);
  if (((fake_asker *)(void *)session)->provider->calls == drop_at) atomic_store(to_drop, true);
}

static ee_status ask_that_drops(ee_provider_session *session, const ee_stop *stop) {
  ee_status status = fake_ask(session, stop);
  atomic_store(to_drop, true);
  return status;
}

static void test_sends_nothing_for_dropped_blocks(void **state) {
  (void)state;
  atomic_bool dropped;
  to_drop = &dropped;
  /* From the beginning (0), or with the first, second or last record. */
  for (drop_at = 0; drop_at <= 3; drop_at++) {
    opened self = {.interrupted = 0};
    atomic_init(&dropped, drop_at == 0);
    open_text(&self, ASKS("a") ASKS("b") ASKS("c"));
    self.provider.vtable.similarity = similarity_that_drops;
    ee_worker_start(&self.worker, SIZE_MAX);
    assert_true(ee_worker_send_requests(&self.worker, 0, &dropped));
    assert_int_equal(self.provider.calls, drop_at);
    assert_int_equal(self.provider.asks, 0);
    assert_int_equal(self.provider.begun, 1);
    assert_true(self.provider.turn_ended[0]);
    close_text(&self);
  }
  /* While it asks: what has not been answered is not asked for again. */
  opened self = {.interrupted = 0};
  atomic_init(&dropped, false);
  open_text(&self, ASKS("a") ASKS("b") ASKS("c"));
  self.provider.asks_needed = 3;
  self.provider.vtable.ask = ask_that_drops;
  ee_worker_start(&self.worker, SIZE_MAX);
  assert_true(ee_worker_send_requests(&self.worker, 0, &dropped));
  assert_int_equal(self.provider.asks, 1);
  assert_int_equal(self.provider.calls, 3);
  close_text(&self);
}

/* As often as it takes, and up to a bound for one that never answers. */
static void test_asks_until_all_have_answers(void **state) {
  (void)state;
  for (unsigned needed = 1; needed <= EE_PROVIDER_ROUNDS + 3; needed += needed < 4 ? 1 : 33) {
    opened self = {.interrupted = 0};
    atomic_bool dropped;
    atomic_init(&dropped, false);
    open_text(&self, ASKS("a") QUIET("b") ASKS("c"));
    self.provider.asks_needed = needed;
    ee_worker_start(&self.worker, SIZE_MAX);
    assert_true(ee_worker_send_requests(&self.worker, 0, &dropped));
    assert_int_equal(self.provider.asks, needed <= EE_PROVIDER_ROUNDS + 1 ? needed : EE_PROVIDER_ROUNDS + 1);
    assert_true(ee_worker_judge(&self.worker));
    assert_int_equal(self.worker.totals.provider_failures, needed <= EE_PROVIDER_ROUNDS + 1 ? 0 : 2);
    close_text(&self);
  }
}

static ee_status ask_in_vain(ee_provider_session *session, const ee_stop *stop) {
  (void)session, (void)stop;
  return EE_ERROR_SYSTEM;
}

static void test_stops_when_asking_is_stopped(void **state) {
  (void)state;
  opened self = {.interrupted = 0};
  atomic_bool dropped;
  atomic_init(&dropped, false);
  open_text(&self, ASKS("a"));
  self.provider.vtable.ask = ask_in_vain;
  ee_worker_start(&self.worker, SIZE_MAX);
  assert_false(ee_worker_send_requests(&self.worker, 0, &dropped));
  assert_true(self.provider.turn_ended[0]);
  close_text(&self);
}

/* Missing replies that are listed, as many as errors of rules, and all are counted. */
static void test_failures_that_are_listed(void **state) {
  (void)state;
  small_rules rules;
  rules_open(&rules);
  for (size_t count = EE_RULE_ERRORS_LISTED - 1; count <= EE_RULE_ERRORS_LISTED + 2; count++) {
    ee_buffer text = {0};
    for (size_t i = 0; i < count; i++)
      ee_buffer_addf(&text, "{\"id\":\"%zu\",\"expected\":{\"bio\":\"a\"},\"candidate\":{\"bio\":\"b\"}}\n", i);
    temporary file;
    temporary_fill(&file, text.data, text.length);
    for (size_t block = 0; block < 3; block++) {
      const size_t sizes[] = {0, 1, text.length + 1};
      listener l;
      listener_open(&l);
      ee_run_result result = run_file(&rules, file.name, (ee_run_options){.jobs = 2, .block_size = sizes[block]}, &l);
      assert_int_equal(count_newlines(&l.messages), count < EE_RULE_ERRORS_LISTED ? count : EE_RULE_ERRORS_LISTED);
      assert_int_equal(result.totals.provider_failures, count);
      assert_int_equal(result.totals.cases_with_provider_failures, count);
      assert_int_equal(result.totals.rule_errors, 0);
      listener_close(&l);
      ee_totals_fini(&result.totals);
    }
    temporary_remove(&file);
    ee_buffer_fini(&text);
  }
  small_rules_close(&rules);
}

/* Memory that only an unusually large block needed is given back; that of others is kept. */
static void test_trims_what_is_large(void **state) {
  (void)state;
  opened self = {.interrupted = 0};
  open_text(&self, QUIET("a"));
  ee_worker *worker = &self.worker;
  ee_buffer *buffers[] = {&worker->rows, &worker->collected, &worker->texts, &worker->ids, &worker->block.text};
  for (size_t i = 0; i < 5; i++) {
    for (size_t k = 0; k < 5; k++) {
      ee_buffer_fini(buffers[k]);
      ee_buffer_reserve(buffers[k], k == i ? (size_t)9 << 20 : (size_t)1 << 20);
    }
    ee_worker_trim(worker);
    for (size_t k = 0; k < 5; k++) assert_int_equal(buffers[k]->capacity > 0, k != i);
  }
  close_text(&self);
}

/* Interrupts ------------------------------------------------------------------------------------ */

#define STOPS(id, trial)                                                                                               \
  "{\"id\":\"" id "\",\"stop\":" trial ",\"expected\":{\"bio\":\"x\"},\"candidate\":{\"bio\":\"x\"}}\n"
#define SEVERAL(id, trial)                                                                                             \
  "{\"id\":\"" id "\",\"stop\":" trial                                                                                 \
  ",\"expected\":{\"bio\":\"x\"},\"candidates\":[{\"bio\":\"x\"},{\"bio\":\"x\"},{\"bio\":\"x\"}]}\n"

/* The records before the one that was interrupted are kept, and where one of several candidates was, nothing is: their
 * record is not whole. */
static void test_interrupted_while_judging(void **state) {
  (void)state;
  static const struct {
    const char *text, *scored;
    uint64_t records, unreadable, surrogates;
    size_t last, messages, errors;
  } facts[] = {
      {QUIET("a") QUIET("b"), "a,b", 2, 0, 0, 2, 0, 0},
      {QUIET("a") QUIET("b") STOPS("c", "0") QUIET("d"), "a,b", 2, 0, 0, 2, 0, 0},
      {STOPS("c", "0") QUIET("d"), "", 0, 0, 0, 0, 0, 0},
      {QUIET("a") "broken\n" STOPS("c", "0") "broken\n", "a", 2, 1, 0, 2, 1, 0},
      /* A warning about the record that was interrupted goes with it. */
      {"{\"id\":\"a\\ud800\",\"expected\":{\"bio\":\"x\"}}\n{\"id\":\"\\ud800\",\"stop\":0,\"expected\":{\"bio\":\"x\"}"
       "}\n",
       "a\xef\xbf\xbd", 1, 0, 1, 1, 1, 0},
      /* Of the first candidate nothing was kept; of the second and the third, all that came before is dropped, too. */
      {QUIET("a") SEVERAL("c", "1") QUIET("d"), "a", 1, 0, 0, 1, 0, 0},
      {QUIET("a") SEVERAL("c", "2") QUIET("d"), "", 0, 0, 0, 0, 0, 0},
      {QUIET("a") "broken\n" SEVERAL("c", "3") QUIET("d"), "", 0, 0, 0, 0, 0, 0},
      {SEVERAL("b", "9") SEVERAL("c", "1"), "b (trial 1),b (trial 2),b (trial 3)", 1, 0, 0, 1, 0, 0},
  };
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    opened self = {.interrupted = 0};
    open_text(&self, facts[i].text);
    ee_worker_start(&self.worker, SIZE_MAX);
    bool complete = ee_worker_judge(&self.worker);
    assert_int_equal(complete, i == 0);
    if (strcmp(scored(&self), facts[i].scored) != 0) fail_msg("%zu: %s", i, scored(&self));
    assert_int_equal(self.worker.totals.records, facts[i].records);
    assert_int_equal(self.worker.totals.unreadable, facts[i].unreadable);
    assert_int_equal(self.worker.totals.lone_surrogates, facts[i].surrogates);
    assert_int_equal(self.worker.last, facts[i].last);
    assert_int_equal(self.worker.notices.count, facts[i].messages);
    assert_int_equal(self.worker.errors_taken, facts[i].errors);
    assert_int_equal(self.worker.first, 0);
    close_text(&self);
  }
}

/* Of an array, errors between the records go with those that are kept. */
static void test_errors_before_an_interrupt(void **state) {
  (void)state;
  static const char *const texts[] = {
      "[{\"id\":\"a\",\"expected\":1},,{\"id\":\"b\",\"expected\":1},,{\"id\":\"c\",\"stop\":0,\"expected\":1},,{"
      "\"id\":"
      "\"d\",\"expected\":1}]",
      "[{\"id\":\"a\",\"expected\":1},,{\"id\":\"b\",\"expected\":1},,{\"id\":\"c\",\"stop\":2,\"expected\":1,"
      "\"candidates\":[1,2]},,{\"id\":\"d\",\"expected\":1}]"};
  for (size_t i = 0; i < 2; i++) {
    opened self = {.interrupted = 0};
    open_text(&self, texts[i]);
    ee_worker_start(&self.worker, SIZE_MAX);
    assert_false(ee_worker_judge(&self.worker));
    assert_string_equal(scored(&self), i == 0 ? "a,b" : "");
    assert_int_equal(self.worker.errors_taken, i == 0 ? 2 : 0);
    assert_int_equal(self.worker.totals.records, i == 0 ? 4 : 0);
    assert_int_equal(self.worker.totals.unreadable, i == 0 ? 2 : 0);
    assert_int_equal(self.worker.last, i == 0 ? 2 : 0);
    close_text(&self);
  }
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_sends_all_at_once), cmocka_unit_test(test_sends_for_current_records),
             cmocka_unit_test(test_goes_on), cmocka_unit_test(test_sends_nothing_for_dropped_blocks),
             cmocka_unit_test(test_asks_until_all_have_answers), cmocka_unit_test(test_stops_when_asking_is_stopped),
             cmocka_unit_test(test_failures_that_are_listed), cmocka_unit_test(test_trims_what_is_large),
             cmocka_unit_test(test_interrupted_while_judging), cmocka_unit_test(test_errors_before_an_interrupt));
