/* test_code_judge.c: ee.code_judge, another rule file as a judge: its results, what it shares with the outer plan, and
 * what it keeps to itself. The loader is one in C: a table of rule trees. */
#include "judge/case.h"
#include "judge/fake_provider.h"
#include "judge/plan.h"
#include "judge/plan_fixture.h"
#include "judge/strategy_usage.h"
#include "run/totals.h"

/* The other rule files ----------------------------------------------------------------------------------------------
 */

typedef struct rule_text {
  const char *path, *rules;
} rule_text;

typedef struct files {
  fixture f;
  const rule_text *texts; /* ended by a NULL path */
  ee_rules_loader loader;
  /* What the scripts answer, and what happened. */
  struct ee_script answers;
  size_t opened, closed, loaded;
  char last_path[64], last_config[256];
  bool silent; /* a file that is not there is no mistake of its own */
  ee_open_plan open;
} files;

static ee_script *open_script(void *host, ee_error *error) {
  (void)error;
  files *self = host;
  self->opened++;
  ee_script *script = ee_malloc(sizeof *script);
  *script = self->answers;
  return script;
}

static size_t calls_of_closed, cases_of_closed;

static void close_script(ee_script *script) {
  assert_int_equal(script->begun, script->ended);
  calls_of_closed += script->calls;
  cases_of_closed += script->begun;
  ee_free(script);
}

static ee_script_vtable vtable;

static const ee_plan *load(void *user, const char *path, const ee_value *config, ee_error_list *errors) {
  files *self = user;
  self->loaded++;
  snprintf(self->last_path, sizeof self->last_path, "%s", path);
  ee_buffer text;
  ee_buffer_init(&text);
  ee_json_write_value(&text, config);
  snprintf(self->last_config, sizeof self->last_config, "%s", ee_buffer_terminate(&text));
  ee_buffer_fini(&text);
  for (const rule_text *at = self->texts; at->path != NULL; at++) {
    if (strcmp(at->path, path) != 0) continue;
    ee_rule_node *root = (ee_rule_node *)(uintptr_t)fixture_spec(&self->f, fixture_json(&self->f.arena, at->rules), 1);
    root->file = at->path;
    size_t before = errors->count;
    const ee_plan *plan = ee_plan_compile_with(&self->f.arena, root, &vtable, self, &self->loader, errors);
    if (plan == NULL) assert_true(errors->count > before);
    return plan;
  }
  if (!self->silent) ee_error_list_addf(errors, EE_ERROR_RULES, path, 0, "no such file");
  return NULL;
}

static void files_open(files *self, const rule_text *texts) {
  memset(self, 0, sizeof *self);
  fixture_open(&self->f);
  self->texts = texts;
  self->loader = (ee_rules_loader){.user = self, .load = load};
  vtable = fixture_vtable;
  vtable.open = open_script;
  vtable.close = close_script;
  calls_of_closed = cases_of_closed = 0;
}

static void files_close(files *self) {
  ee_open_plan_fini(&self->open);
  fixture_close(&self->f);
}

static ee_plan *try_compile(files *self, const char *rules) {
  fixture *f = &self->f;
  const ee_rule_node *root = fixture_spec(f, fixture_json(&f->arena, rules), 1);
  f->plan = ee_plan_compile_with(&f->arena, root, &vtable, self, &self->loader, &f->errors);
  return f->plan;
}

/* Compiles what has no mistakes, and opens it. */
static void compile(files *self, const char *rules, ee_provider *provider) {
  if (try_compile(self, rules) == NULL) fail_msg("%s", self->f.errors.items[0].message);
  ee_error error = {0};
  if (ee_open_plan_init(&self->open, self->f.plan, provider, NULL, &error) != EE_OK) fail_msg("%s", error.message);
}

static const ee_judge_result *judge(files *self, const char *expected, const char *candidate) {
  fixture *f = &self->f;
  ee_arena_reset(&f->case_arena, 0);
  f->current = (ee_case){.id = EE_STR("inv-001"),
                         .expected = fixture_json(&f->case_arena, expected),
                         .candidate = candidate == NULL ? NULL : fixture_json(&f->case_arena, candidate),
                         .candidate_state = candidate == NULL ? EE_CANDIDATE_MISSING : EE_CANDIDATE_READ};
  f->context = ee_open_plan_context(&self->open, &f->case_arena);
  f->rule_errors.count = 0;
  f->context.rule_errors = &f->rule_errors;
  ee_plan_judge(f->plan, &f->context, &f->current, &f->result);
  return f->result.judges;
}

#define OUTER(options) "{\"ee\":\"rules\",\"items\":[{\"ee\":\"code_judge\",\"line\":2" options "}]}"
#define OTHER OUTER(",\"script\":\"other.lua\"")

/* Mistakes ----------------------------------------------------------------------------------------------------------
 */

static const rule_text good_file[] = {
    {"other.lua",
     "{\"ee\":\"rules\",\"items\":[{\"ee\":\"fields\",\"items\":[{\"ee\":\"exact\",\"items\":[\"a\"]}]}]}"},
    {NULL, NULL}};

/* Asserts that `rules` have this mistake, "file:line: message", and no other. */
static void assert_mistake(const rule_text *texts, const char *rules, const char *expected, bool loader) {
  files self;
  files_open(&self, texts);
  fixture *f = &self.f;
  if (loader) {
    assert_null(try_compile(&self, rules));
  } else {
    assert_null(fixture_compile(f, rules));
  }
  assert_int_equal(f->errors.count, 1);
  ee_error_print(&f->errors.items[0], &f->text);
  assert_string_equal(ee_buffer_terminate(&f->text), expected);
  files_close(&self);
}

static void test_mistakes(void **state) {
  (void)state;
  static const struct {
    const char *rules, *message;
  } rows[] = {
      {OUTER(), "rules.lua:2: ee.code_judge has no script (write script = \"other.lua\")"},
      {OUTER(",\"script\":3"), "rules.lua:2: option 'script' of ee.code_judge must be a string, got a number"},
      {OUTER(",\"script\":\" \""), "rules.lua:2: option 'script' of ee.code_judge is empty"},
      {OUTER(",\"script\":\"a\\u0000b.lua\""), "rules.lua:2: option 'script' of ee.code_judge contains a NUL"},
      {OUTER(",\"script\":\"other.lua\",\"skript\":1"),
       "rules.lua:2: unknown option 'skript' for ee.code_judge (did you mean 'script'?)"},
      {OUTER(",\"script\":\"other.lua\",\"name\":\"x\",\"items\":[\"y\"]"), "rules.lua:2: ee.code_judge has two names"},
      {OUTER(",\"script\":\"other.lua\",\"items\":[\"\"]"), "rules.lua:2: the name of ee.code_judge is empty"},
      {OUTER(",\"script\":\"other.lua\",\"items\":[5]"), "rules.lua:2: ee.code_judge takes one name, got a number"},
      {OUTER(",\"script\":\"other.lua\",\"items\":[\"x\",\"y\"]"),
       "rules.lua:2: ee.code_judge takes one name, got also a string"},
      {OUTER(",\"script\":\"other.lua\",\"config\":\"x\""),
       "rules.lua:2: option 'config' of ee.code_judge must be a table, got a string"},
      {OUTER(",\"script\":\"other.lua\",\"config\":[1]"),
       "rules.lua:2: option 'config' of ee.code_judge must be a table with keys, got an array"},
      {OUTER(",\"script\":\"other.lua\",\"config\":{\"a\":[1,{\"function\":0}]}"),
       "rules.lua:2: option 'config' of ee.code_judge must be plain data: 'a[2]' is a function"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    assert_mistake(good_file, rows[i].rules, rows[i].message, true);
  assert_mistake(good_file, OTHER,
                 "rules.lua:2: ee.code_judge cannot be used here: rule files inside rule files are not loaded", false);
  static const rule_text bad_file[] = {{"other.lua", "{\"ee\":\"rules\",\"items\":[]}"}, {NULL, NULL}};
  /* The tree of tests stands in rules.lua wherever it is not said. */
  assert_mistake(bad_file, OTHER, "other.lua:1: ee.rules has no judge", true);
}

/* A file without a place of its own is told where it is wanted. */
static void test_missing_file(void **state) {
  (void)state;
  files self;
  files_open(&self, good_file);
  fixture *f = &self.f;
  assert_null(try_compile(&self, OUTER(",\"script\":\"gone.lua\"")));
  assert_int_equal(f->errors.count, 2);
  ee_error_print(&f->errors.items[0], &f->text);
  assert_string_equal(ee_buffer_terminate(&f->text), "gone.lua: no such file");
  ee_buffer_clear(&f->text);
  ee_error_print(&f->errors.items[1], &f->text);
  assert_string_equal(ee_buffer_terminate(&f->text), "rules.lua:2: 'gone.lua' does not load");
  files_close(&self);
}

static void test_loader_without_a_word(void **state) {
  (void)state;
  files self;
  files_open(&self, good_file + 1);
  self.silent = true;
  assert_null(try_compile(&self, OTHER));
  fixture_check_errors(&self.f, (const char *const[]){"2: 'other.lua' does not load", NULL});
  files_close(&self);
}

/* The name is relative to the file in which it stands, and the config is what the file says. */
static void test_loading(void **state) {
  (void)state;
  static const rule_text deep[] = {{"rules/deep/other.lua", NULL}, {NULL, NULL}};
  rule_text texts[] = {{deep[0].path, good_file[0].rules}, {NULL, NULL}};
  files self;
  files_open(&self, texts);
  fixture *f = &self.f;
  ee_rule_node *root = (ee_rule_node *)(uintptr_t)fixture_spec(
      f,
      fixture_json(&f->arena,
                   OUTER(",\"script\":\"deep/other.lua\",\"items\":[\"x\"],\"config\":{\"fields\":[{\"path\":\"a\"},"
                         "{\"path\":\"b\"}],\"deep\":{\"on\":true,\"none\":null},\"empty\":{}}")),
      1);
  ((ee_rule_node *)(uintptr_t)root->items[0].node)->file = "rules/outer.lua";
  f->plan = ee_plan_compile_with(&f->arena, root, &vtable, &self, &self.loader, &f->errors);
  assert_non_null(f->plan);
  assert_string_equal(self.last_path, "rules/deep/other.lua");
  assert_string_equal(
      self.last_config,
      "{\"deep\":{\"none\":null,\"on\":true},\"empty\":{},\"fields\":[{\"path\":\"a\"},{\"path\":\"b\"}]}");
  assert_true(ee_str_is(f->plan->judges[0]->name, "x"));
  files_close(&self);
}

/* Results -----------------------------------------------------------------------------------------------------------
 */

static void test_one_judge(void **state) {
  (void)state;
  static const rule_text texts[] = {
      {"other.lua",
       "{\"ee\":\"rules\",\"verdict\":{\"pass\":0.1,\"borderline\":0},\"slices\":[\"a\"],\"items\":["
       "{\"ee\":\"fields\",\"name\":\"inner\",\"items\":[{\"ee\":\"exact\",\"items\":[\"a\"]},"
       "{\"ee\":\"numeric\",\"items\":[\"b\"],\"tolerance\":1,\"weight\":2},{\"ee\":\"exact\",\"items\":[\"c\"]}]},"
       "{\"ee\":\"gate\",\"judge\":\"inner\",\"metric\":\"mean_score\",\"min\":1}]}"},
      {NULL, NULL}};
  files self;
  files_open(&self, texts);
  compile(&self, OUTER(",\"script\":\"other.lua\",\"name\":\"outer\",\"weight\":3,\"verdict\":{\"pass\":0.5}"), NULL);
  const ee_plan *plan = self.f.plan;
  const ee_judge *outer = plan->judges[0];
  assert_true(ee_str_is(outer->name, "outer") && outer->weight == 3);
  assert_false(plan->needs_script || plan->needs_provider || outer->calls_script || outer->calls_inner_script);
  assert_int_equal(plan->gate_count, 0);
  assert_int_equal(plan->slice_count, 0);
  assert_int_equal(outer->expected_path_count, 0);
  const ee_judge_result *result = judge(&self, "{\"a\":1,\"b\":2,\"c\":\"x\"}", "{\"a\":1,\"b\":2.5}");
  assert_int_equal(self.f.result.judge_count, 1);
  assert_true(result->score == 0.75 && self.f.result.score == 0.75);
  assert_int_equal(result->verdict, EE_VERDICT_PASS);
  assert_hits(&self.f, result, "a; b");
  assert_misses(&self.f, result, "c (required, missing)");
  assert_reasoning(result, "2/3 fields matched");
  assert_string_equal(fixture_attributes(&self.f, result), "a 1 0 0 0; b 1 0 0 0; c 0 0 0 1");
  assert_false(result->failed || result->vacuous);
  /* Its arrays as they are, and mismatches and the like inside. */
  assert_non_null(result->details);
  assert_int_equal(((const ee_case_result *)result->details)->judge_count, 1);
  const ee_judge_result *inner = &((const ee_case_result *)result->details)->judges[0];
  assert_true(ee_str_is(inner->judge->name, "inner"));
  assert_ptr_equal(result->hits, inner->hits);
  assert_ptr_equal(result->misses, inner->misses);
  assert_ptr_equal(result->attributes, inner->attributes);
  assert_int_equal(inner->mismatch_count, 1);
  assert_int_equal(result->mismatch_count, 0);
  assert_int_equal(inner->verdict, EE_VERDICT_PASS);
  assert_true(((const ee_case_result *)result->details)->score == 0.75);
  /* Without a candidate, and with nothing to score. */
  result = judge(&self, "{\"a\":1}", NULL);
  assert_true(result->score == 0 && result->verdict == EE_VERDICT_FAIL);
  assert_misses(&self.f, result, "candidate (missing); a (required, missing)");
  files_close(&self);
}

static void test_vacuous(void **state) {
  (void)state;
  static const rule_text texts[] = {
      {"other.lua",
       "{\"ee\":\"rules\",\"items\":[{\"ee\":\"fields\",\"tn\":\"skip\",\"items\":[{\"ee\":\"exact\",\"items\":[\"a\"]}"
       "]}"
       ",{\"ee\":\"fields\",\"name\":\"two\",\"tn\":\"skip\",\"items\":[{\"ee\":\"exact\",\"items\":[\"b\"]}]}]}"},
      {NULL, NULL}};
  files self;
  files_open(&self, texts);
  compile(&self, OTHER, NULL);
  assert_true(judge(&self, "{}", "{}")->vacuous);
  assert_true(self.f.result.score == 1);
  assert_false(judge(&self, "{\"b\":1}", "{\"b\":1}")->vacuous);
  files_close(&self);
}

/* Counts what the expected value says; fails where it says nothing. */
static ee_status count_kind(ee_script *script, ee_script_judgement *result, ee_error *error) {
  const ee_value *kind = ee_value_member(script->current->expected, EE_STR("kind"), NULL);
  if (kind == NULL) return ee_error_at(error, EE_ERROR_RULES, "other.lua", 9, 0, "no kind");
  ee_value *details = ee_value_new(script->arena, EE_OBJECT), *metrics = ee_value_new(script->arena, EE_OBJECT);
  ee_value *counts = ee_value_new(script->arena, EE_OBJECT);
  ee_value_set(script->arena, counts, EE_STR("tp"), ee_value_new_number(script->arena, 2));
  ee_value_set(script->arena, metrics, ee_value_text(kind), counts);
  ee_value_set(script->arena, details, EE_STR("metrics"), metrics);
  result->details = details;
  result->score = 0.5;
  result->reasoning = EE_STR("half");
  return EE_OK;
}

#define SEVERAL                                                                                                        \
  "{\"ee\":\"rules\",\"items\":["                                                                                      \
  "{\"ee\":\"fields\",\"name\":\"header\",\"items\":[{\"ee\":\"exact\",\"items\":[\"a\"]},"                            \
  "{\"ee\":\"exact\",\"items\":[\"b\"]}]},"                                                                            \
  "{\"ee\":\"judge\",\"weight\":2,\"items\":[\"kinds\",{\"function\":0}]},"                                            \
  "{\"ee\":\"iou_score\",\"name\":\"boxes\",\"items\":[\"boxes\"],\"thresholds\":[0.5,0.75]}]}"
static const rule_text several_file[] = {{"other.lua", SEVERAL}, {NULL, NULL}};

static void test_several_judges(void **state) {
  (void)state;
  files self;
  files_open(&self, several_file);
  self.answers.judge = count_kind;
  compile(&self, OTHER, NULL);
  const ee_judge *outer = self.f.plan->judges[0];
  assert_true(ee_str_is(outer->name, "code_judge"));
  static const struct {
    const char *name;
    bool derived;
  } attributes[] = {{"header/a", false}, {"header/b", false}, {"boxes/iou>=0.5", false}, {"boxes/iou>=0.75", true}};
  assert_int_equal(outer->attribute_count, 4);
  for (size_t i = 0; i < 4; i++) {
    assert_true(ee_str_is(outer->attributes[i].name, attributes[i].name));
    assert_int_equal(outer->attributes[i].derived, attributes[i].derived);
  }
  assert_true(outer->data_attributes);
  const ee_judge_result *result =
      judge(&self, "{\"a\":1,\"b\":2,\"kind\":\"k\",\"boxes\":[0,0,2,2]}", "{\"a\":1,\"b\":3,\"boxes\":[0,0,2,2]}");
  assert_true(result->score == (0.5 + 2 * 0.5 + 1) / 4);
  assert_string_equal(fixture_attributes(&self.f, result),
                      "header/a 1 0 0 0; header/b 0 0 1 1; kinds/k* 2 0 0 0; boxes/iou>=0.5 1 0 0 0; "
                      "boxes/iou>=0.75 1 0 0 0");
  assert_hits(&self.f, result, "a; boxes");
  assert_misses(&self.f, result, "b (value mismatch)");
  assert_reasoning(result,
                   "header: 1/2 fields matched; kinds: half; boxes: mean iou 1, 1/1 found at 0.5, 0 missing, 0 extra");
  assert_int_equal(((const ee_case_result *)result->details)->judge_count, 3);
  /* Totals know the static ones by their slots, and the others by their names; retold ones are in no average. */
  ee_totals totals;
  ee_totals_init(&totals, self.f.plan);
  ee_totals_add(&totals, &self.f.result, &self.f.case_arena);
  const ee_judge_total *total = &totals.all.judges[0];
  assert_int_equal(total->attribute_count, 5);
  assert_int_equal(total->attributes[1].counts.fp, 1);
  assert_true(total->attributes[3].derived && total->attributes[3].counts.tp == 1);
  assert_true(ee_str_is(total->attributes[4].name, "kinds/k") && total->attributes[4].counts.tp == 2);
  assert_int_equal(ee_judge_total_averages(total).pooled.tp, 4);
  ee_totals_fini(&totals);
  files_close(&self);
}

static ee_status no_score(const ee_script_part *parts, size_t count, double *result, ee_error *error) {
  (void)result;
  assert_int_equal(count, 1);
  assert_true(ee_str_is(parts[0].name, "fields"));
  return ee_error_at(error, EE_ERROR_RULES, "other.lua", 1, 0, "no score today");
}

static void test_score_function(void **state) {
  (void)state;
  static const rule_text texts[] = {
      {"other.lua",
       "{\"ee\":\"rules\",\"score\":{\"function\":0},\"items\":[{\"ee\":\"fields\",\"items\":[{\"ee\":\"exact\","
       "\"items\":[\"a\"]}]}]}"},
      {NULL, NULL}};
  files self;
  files_open(&self, texts);
  self.answers.aggregate = no_score;
  compile(&self, OTHER, NULL);
  const ee_judge_result *result = judge(&self, "{\"a\":1}", "{\"a\":1}");
  assert_true(result->score == 0 && result->failed && !result->vacuous);
  assert_hits(&self.f, result, "a");
  assert_misses(&self.f, result, "score (other.lua:1: no score today)");
  assert_int_equal(self.f.result.rule_errors, 1);
  files_close(&self);
}

/* What is shared ----------------------------------------------------------------------------------------------------
 */

/* The inner script is opened once for all cases, with the inner plan; the outer plan needs none. */
static void test_scripts(void **state) {
  (void)state;
  files self;
  files_open(&self, several_file);
  self.answers.judge = count_kind;
  compile(&self, OTHER, NULL);
  assert_false(self.f.plan->needs_script || self.f.plan->judges[0]->calls_script);
  assert_true(self.f.plan->judges[0]->calls_inner_script);
  assert_int_equal(self.opened, 1);
  for (int i = 0; i < 5; i++) judge(&self, "{\"kind\":\"k\"}", "{}");
  assert_int_equal(self.opened, 1);
  ee_open_plan_fini(&self.open);
  assert_int_equal(calls_of_closed, 5);
  assert_int_equal(cases_of_closed, 5);
  files_close(&self);
}

static void test_errors(void **state) {
  (void)state;
  files self;
  files_open(&self, several_file);
  self.answers.judge = count_kind;
  compile(&self, OTHER, NULL);
  const ee_judge_result *result = judge(&self, "{\"a\":1,\"b\":1}", "{\"a\":1,\"b\":1}");
  assert_int_equal(self.f.result.rule_errors, 1);
  assert_int_equal(self.f.rule_errors.count, 1);
  assert_string_equal(self.f.rule_errors.items[0].message, "no kind (case 'inv-001')");
  assert_misses(&self.f, result, "kinds (other.lua:9: no kind)");
  /* The others are well, but the judge is in error. */
  assert_true(result->failed && result->score > 0);
  assert_true(((const ee_case_result *)result->details)->judges[1].failed &&
              !((const ee_case_result *)result->details)->judges[0].failed);
  files_close(&self);
}

/* A file inside a file inside a file; only the innermost has a function. */
static void test_nested(void **state) {
  (void)state;
  static const rule_text texts[] = {
      {"other.lua",
       "{\"ee\":\"rules\",\"items\":[{\"ee\":\"code_judge\",\"items\":[\"middle\"],\"script\":\"inner.lua\"},"
       "{\"ee\":\"fields\",\"items\":[{\"ee\":\"exact\",\"items\":[\"a\"]}]}]}"},
      {"inner.lua", SEVERAL},
      {NULL, NULL}};
  files self;
  files_open(&self, texts);
  self.answers.judge = count_kind;
  compile(&self, OTHER, NULL);
  assert_true(self.f.plan->judges[0]->calls_inner_script);
  assert_int_equal(self.opened, 1);
  const ee_judge_result *result = judge(&self, "{\"a\":1,\"kind\":\"k\"}", "{\"a\":1}");
  assert_string_equal(fixture_attributes(&self.f, result),
                      "middle/header/a 1 0 0 0; middle/header/b 0 1 0 0; middle/kinds/k* 2 0 0 0; "
                      "fields/a 1 0 0 0");
  const ee_case_result *middle = result->details, *inner = middle->judges[0].details;
  assert_int_equal(inner->judge_count, 3);
  judge(&self, "{}", "{}");
  assert_int_equal(self.f.result.rule_errors, 1);
  files_close(&self);
}

static void test_counters(void **state) {
  (void)state;
  static const rule_text texts[] = {{"other.lua", "{\"ee\":\"rules\",\"items\":[{\"ee\":\"iou_score\",\"items\":["
                                                  "\"boxes\"],\"match\":\"optimal\",\"max_pairs\":1},"
                                                  "{\"ee\":\"iou_score\",\"name\":\"two\",\"items\":[\"boxes\"]}]}"},
                                    {NULL, NULL}};
  files self;
  files_open(&self, texts);
  compile(&self, OTHER, NULL);
  const ee_judge_result *result =
      judge(&self, "{\"boxes\":[[0,0,2,2],[0,0,2,2],[3,3,1,1]]}", "{\"boxes\":[[0,0,2,2],[0,0,2,2]]}");
  /* The first judge fell back once; the bad box is one of both judges. */
  assert_int_equal(result->fallbacks, 1);
  assert_int_equal(result->unread_count, 2);
  for (size_t i = 0; i < 2; i++) {
    assert_int_equal(result->unread[i].document, EE_EXPECTED);
    assert_int_equal(result->unread[i].slot, i);
  }
  files_close(&self);
}

/* Providers ---------------------------------------------------------------------------------------------------------
 */

#define SEMANTIC(name)                                                                                                 \
  "{\"ee\":\"fields\",\"name\":\"" name "\",\"items\":[{\"ee\":\"semantic\",\"items\":[\"" name                        \
  "\"],\"threshold\":0.5}]}"
static const rule_text asking_file[] = {{"other.lua", "{\"ee\":\"rules\",\"items\":[" SEMANTIC("b") "]}"},
                                        {NULL, NULL}};

static void test_asking(void **state) {
  (void)state;
  fake_provider provider;
  fake_init(&provider, true);
  files self;
  files_open(&self, asking_file);
  compile(&self, "{\"ee\":\"rules\",\"items\":[" SEMANTIC("a") ",{\"ee\":\"code_judge\",\"script\":\"other.lua\"}]}",
          &provider.base);
  assert_true(self.f.plan->needs_provider && self.f.plan->judges[1]->uses_provider);
  /* One asker for both, and one round for the questions of both: the inner plan asks nothing by itself. */
  const ee_judge_result *results =
      judge(&self, "{\"a\":\"same one\",\"b\":\"same two\"}", "{\"a\":\"same 1\",\"b\":\"other\"}");
  assert_int_equal(provider.opened, 1);
  assert_int_equal(provider.begun, 1);
  assert_int_equal(provider.ended, 1);
  assert_int_equal(provider.asks, 1);
  assert_int_equal(provider.asked, 2);
  assert_true(results[0].score == 1 && results[1].score == 0);
  assert_misses(&self.f, &results[1], "b (similarity 0 below 0.5)");
  /* While collecting nothing is kept but the number of what is open. */
  fixture *f = &self.f;
  ee_provider_session_begin(f->context.session, EE_NO_TICKET);
  f->context = ee_open_plan_context(&self.open, &f->case_arena);
  f->context.dry_run = true;
  ee_plan_judge(f->plan, &f->context, &f->current, &f->result);
  assert_int_equal(f->context.pending_answers, 2);
  ee_provider_session_end(f->context.session);
  /* Values without an answer are counted. */
  provider.budget = 1;
  judge(&self, "{\"a\":\"same one\",\"b\":\"same two\"}", "{\"a\":\"same 1\",\"b\":\"other\"}");
  assert_int_equal(f->result.provider_failures, 1);
  assert_int_equal(f->rule_errors.count, 1);
  ee_open_plan_fini(&self.open);
  assert_int_equal(provider.closed, 1);
  assert_int_equal(provider.violations, 0);
  files_close(&self);
  fake_fini(&provider);
}

#define NAMED(provider) "{\"ee\":\"rules\",\"line\":3,\"provider\":" provider ",\"items\":[" SEMANTIC("b") "]}"
#define GERMAN "{\"items\":[\"local\"],\"language\":\"german\"}"

static void test_provider_settings(void **state) {
  (void)state;
  static const rule_text german[] = {{"other.lua", NAMED(GERMAN)}, {"second.lua", NAMED("\"local\"")}, {NULL, NULL}};
  files self;
  files_open(&self, german);
  /* The inner file names one, the outer file none: it is for both. */
  compile(&self, OTHER, NULL);
  assert_true(self.f.plan->provider.named && ee_str_is(self.f.plan->provider.language, "german"));
  assert_string_equal(self.f.plan->provider.rule_file, "other.lua");
  files_close(&self);
  /* Both name the same. */
  files_open(&self, german);
  compile(&self,
          "{\"ee\":\"rules\",\"provider\":" GERMAN ",\"items\":[{\"ee\":\"code_judge\",\"script\":\"other.lua\"}]}",
          NULL);
  assert_string_equal(self.f.plan->provider.rule_file, "rules.lua");
  assert_int_equal(self.f.plan->warning_count, 0);
  files_close(&self);
  /* They name two; so do two inner files. */
  files_open(&self, german);
  assert_null(try_compile(
      &self, "{\"ee\":\"rules\",\"line\":7,\"provider\":\"local\",\"items\":[{\"ee\":\"code_judge\",\"line\":8,"
             "\"script\":\"other.lua\"}]}"));
  fixture_check_errors(&self.f, (const char *const[]){"8: other.lua names a different provider than "
                                                      "rules.lua:7 (a run has one provider)",
                                                      NULL});
  files_close(&self);
  files_open(&self, german);
  assert_null(try_compile(&self, "{\"ee\":\"rules\",\"items\":[{\"ee\":\"code_judge\",\"script\":\"other.lua\"},"
                                 "{\"ee\":\"code_judge\",\"line\":9,\"name\":\"x\",\"script\":\"second.lua\"}]}"));
  fixture_check_errors(&self.f, (const char *const[]){"9: second.lua names a different provider than "
                                                      "other.lua:3 (a run has one provider)",
                                                      NULL});
  files_close(&self);
  /* One that names a provider and asks for nothing is no matter. */
  static const rule_text idle[] = {{"other.lua", "{\"ee\":\"rules\",\"provider\":" GERMAN
                                                 ",\"items\":[{\"ee\":\"fields\",\"items\":["
                                                 "{\"ee\":\"exact\",\"items\":[\"a\"]}]}]}"},
                                   {NULL, NULL}};
  files_open(&self, idle);
  compile(&self, "{\"ee\":\"rules\",\"items\":[" SEMANTIC("b") ",{\"ee\":\"code_judge\",\"script\":\"other.lua\"}]}",
          NULL);
  assert_false(self.f.plan->provider.named);
  /* Its warning is ours too, once. */
  assert_int_equal(self.f.plan->warning_count, 1);
  assert_string_equal(self.f.plan->warnings[0].file, "other.lua");
  files_close(&self);
}

/* The rest ----------------------------------------------------------------------------------------------------------
 */

static void test_print(void **state) {
  (void)state;
  files self;
  files_open(&self, several_file);
  self.answers.judge = count_kind;
  compile(&self, OTHER, NULL);
  ee_plan_print(self.f.plan, &self.f.text);
  assert_string_equal(ee_buffer_terminate(&self.f.text),
                      "rules rules (rules.lua)\n"
                      "judge code_judge (code_judge), weight 1, pass 0.8, borderline 0.6\n"
                      "  script other.lua\n"
                      "    rules other (other.lua)\n"
                      "    judge header (fields), weight 1, pass 0.8, borderline 0.6\n"
                      "      aggregate weighted_average\n"
                      "      a  exact  weight 1\n"
                      "      b  exact  weight 1\n"
                      "    judge kinds (judge), weight 2, pass 0.8, borderline 0.6\n"
                      "      function of rules.lua:1  (calls Lua)\n"
                      "    judge boxes (iou_score), weight 1, pass 0.8, borderline 0.6\n"
                      "      shapes boxes\n"
                      "      read as xyxy, iou\n"
                      "      match index, threshold 0.5, 0.75\n"
                      "      score mean\n"
                      "    score weighted mean of the judges\n"
                      "    calls Lua: kinds\n"
                      "score weighted mean of the judges\n"
                      "calls Lua: code_judge\n");
  files_close(&self);
}

static void test_observe(void **state) {
  (void)state;
  static const rule_text texts[] = {{"other.lua",
                                     "{\"ee\":\"rules\",\"null_values\":[\"-\"],\"items\":[{\"ee\":\"quality\"},"
                                     "{\"ee\":\"fields\",\"items\":[{\"ee\":\"exact\",\"items\":[\"a\"]}]}]}"},
                                    {NULL, NULL}};
  files self;
  files_open(&self, texts);
  compile(&self, OTHER, NULL);
  judge(&self, "{\"a\":1,\"b\":\"-\"}", "{\"a\":1}");
  ee_strategy_usage through, direct;
  ee_strategy_usage_init(&through);
  ee_strategy_usage_init(&direct);
  ee_context context = {.plan = self.f.plan, .arena = &self.f.case_arena, .current = &self.f.current};
  self.f.plan->judges[0]->type->observe(self.f.plan->judges[0], &context, &through);
  assert_ptr_equal(context.plan, self.f.plan);
  const ee_judge *quality = ((const ee_case_result *)self.f.result.judges[0].details)->judges[0].judge;
  context.plan = ((const ee_open_plan *)self.open.states[0])->plan;
  quality->type->observe(quality, &context, &direct);
  ee_buffer text;
  ee_buffer_init(&text);
  ee_strategy_usage_print(&through, &self.f.text);
  ee_strategy_usage_print(&direct, &text);
  assert_string_equal(ee_buffer_terminate(&self.f.text), ee_buffer_terminate(&text));
  assert_non_null(strstr(text.data, "  a  EXACT"));
  ee_buffer_fini(&text);
  ee_strategy_usage_fini(&through);
  ee_strategy_usage_fini(&direct);
  files_close(&self);
}

static uint64_t hash_of(const rule_text *texts, const char *rules) {
  files self;
  files_open(&self, texts);
  compile(&self, rules, NULL);
  uint64_t hash = self.f.plan->rules_hash;
  files_close(&self);
  return hash;
}

static void test_hash(void **state) {
  (void)state;
  uint64_t plain = hash_of(good_file, OTHER);
  assert_true(plain == hash_of(good_file, OTHER));
  assert_true(plain != 0);
  assert_true(plain != hash_of(good_file, OUTER(",\"script\":\"other.lua\",\"config\":{\"a\":1}")));
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_mistakes), cmocka_unit_test(test_missing_file),
             cmocka_unit_test(test_loader_without_a_word), cmocka_unit_test(test_loading),
             cmocka_unit_test(test_one_judge), cmocka_unit_test(test_vacuous), cmocka_unit_test(test_several_judges),
             cmocka_unit_test(test_score_function), cmocka_unit_test(test_scripts), cmocka_unit_test(test_errors),
             cmocka_unit_test(test_nested), cmocka_unit_test(test_counters), cmocka_unit_test(test_asking),
             cmocka_unit_test(test_provider_settings), cmocka_unit_test(test_print), cmocka_unit_test(test_observe),
             cmocka_unit_test(test_hash));
