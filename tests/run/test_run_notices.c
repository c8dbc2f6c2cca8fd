/* test_run_notices.c: what a run says about records, rules and limits, where, and how often. */
#include "run/run_listener.h"
#include "run/worker.h"

/* Rules whose function raises what the record says ------------------------------------------------ */

static ee_status raise_what(ee_script *script, int function, const ee_script_model *model, ee_script_judgement *result,
                            ee_error *error) {
  (void)function, (void)model;
  const ee_value *member = ee_value_member(script->current->record, EE_STR("raise"), NULL);
  ee_str what = ee_type_of(member) == EE_STRING ? ee_value_text(member) : EE_STR("");
  const ee_value *trial = ee_value_member(script->current->record, EE_STR("of_trial"), NULL);
  if (trial != NULL && ee_value_number(trial) != (double)script->current->trial_number) what = EE_STR("");
  if (ee_str_is(what, "rule")) return ee_error_at(error, EE_ERROR_RULES, "rules.lua", 30, 7, "no number");
  if (ee_str_is(what, "limit")) return ee_error_set(error, EE_ERROR_LIMIT, "'seen' given up");
  if (ee_str_is(what, "limit here")) return ee_error_at(error, EE_ERROR_LIMIT, "rules.lua", 31, 0, "'seen' given up");
  result->score = 1;
  return EE_OK;
}

static ee_script_vtable raising_vtable;

static void raising_rules_open(small_rules *rules) {
  small_rules_open(rules);
  raising_vtable = small_vtable;
  raising_vtable.judge = raise_what;
  rules->plan->vtable = &raising_vtable;
}

typedef struct seen {
  listener l;
  ee_run_result result;
} seen;

/* Runs a text as a file; in the messages its name is '@'. */
static void run_text(seen *to, const small_rules *rules, const char *text, size_t length, ee_run_options options) {
  temporary file;
  temporary_fill(&file, text, length);
  listener_open(&to->l);
  to->result = run_file(rules, file.name, options, &to->l);
  ee_buffer messages = {0};
  const char *at = ee_buffer_terminate(&to->l.messages);
  for (const char *found; (found = strstr(at, file.name)) != NULL; at = found + strlen(file.name)) {
    ee_buffer_add(&messages, at, (size_t)(found - at));
    ee_buffer_add_char(&messages, '@');
  }
  ee_buffer_add_text(&messages, at);
  ee_buffer_terminate(&messages);
  ee_buffer_fini(&to->l.messages);
  to->l.messages = messages;
  temporary_remove(&file);
}

static void seen_close(seen *what) {
  listener_close(&what->l);
  ee_totals_fini(&what->result.totals);
}

/* Compares the messages, for one and for several workers, and in blocks of a record. */
static void check_messages(const small_rules *rules, const char *text, ee_run_options options, const char *messages) {
  for (unsigned jobs = 1; jobs <= 3; jobs++) {
    for (size_t block = 0; block < 2; block++) {
      seen got;
      options.jobs = jobs;
      options.block_size = block;
      run_text(&got, rules, text, strlen(text), options);
      assert_string_equal(got.l.messages.data, messages);
      seen_close(&got);
    }
  }
}

#define RAISES(id, what) "{\"id\":\"" id "\",\"raise\":\"" what "\",\"expected\":{\"number\":1},\"candidate\":{}}\n"

/* What a rule raises is at its place in the rules; what a limit ended without one is at the record's. */
static void test_places_of_limits(void **state) {
  (void)state;
  small_rules rules;
  raising_rules_open(&rules);
  static const char text[] =
      GOOD("a") RAISES("b", "limit") RAISES("c", "limit here") "\n" RAISES("d", "rule") RAISES("e", "limit");
  check_messages(&rules, text, (ee_run_options){0},
                 "@:2: 'seen' given up (case 'b')\n"
                 "rules.lua:31: 'seen' given up (case 'c')\n"
                 "rule rules.lua:30:7: no number (case 'd')\n"
                 "@:6: 'seen' given up (case 'e')\n");
  seen got;
  run_text(&got, &rules, text, sizeof text - 1, (ee_run_options){.jobs = 2});
  assert_int_equal(got.result.totals.scored, 5);
  assert_int_equal(got.result.totals.given_up, 3);
  assert_int_equal(got.result.totals.cases_with_given_up, 3);
  assert_int_equal(got.result.totals.rule_errors, 1);
  assert_int_equal(got.result.totals.cases_with_rule_errors, 1);
  assert_int_equal(got.result.data_errors, 0);
  seen_close(&got);
  /* Each of them ends a strict run, and counts. */
  static const char *const whats[] = {RAISES("b", "limit"), RAISES("b", "limit here"), RAISES("b", "rule")};
  for (size_t i = 0; i < 3; i++) {
    ee_buffer lines = {0};
    ee_buffer_addf(&lines, "%s%s%s", GOOD("a"), whats[i], GOOD("c"));
    run_text(&got, &rules, lines.data, lines.length, (ee_run_options){.jobs = 1, .strict = true});
    assert_true(got.result.stopped);
    assert_int_equal(got.result.totals.scored, 2);
    assert_int_equal(count_newlines(&got.l.messages), 1);
    seen_close(&got);
    ee_buffer_fini(&lines);
  }
  small_rules_close(&rules);
}

/* EE_RULE_ERRORS_LISTED errors of rules are listed, and all of them counted, in one block and in many. */
static void test_errors_of_rules_that_are_listed(void **state) {
  (void)state;
  small_rules rules;
  raising_rules_open(&rules);
  for (size_t count = EE_RULE_ERRORS_LISTED - 1; count <= EE_RULE_ERRORS_LISTED + 2; count++) {
    ee_buffer text = {0};
    ee_buffer_add_text(&text, RAISES("limit", "limit"));
    for (size_t i = 0; i < count; i++)
      ee_buffer_addf(&text, "{\"id\":\"c%zu\",\"raise\":\"rule\",\"expected\":{\"number\":1}}\n", i);
    for (size_t block = 0; block < 3; block++) {
      seen got;
      size_t sizes[] = {0, 1, text.length + 1};
      run_text(&got, &rules, text.data, text.length, (ee_run_options){.jobs = 2, .block_size = sizes[block]});
      size_t listed = 0;
      for (const char *at = got.l.messages.data; (at = strstr(at, "no number")) != NULL; at++) listed++;
      /* In one block the first message, of a limit, is among those that a block keeps. */
      size_t most = block == 2 ? EE_RULE_ERRORS_LISTED - 1 : EE_RULE_ERRORS_LISTED;
      if (block > 0) assert_int_equal(listed, count < most ? count : most);
      assert_int_equal(got.result.totals.rule_errors, count);
      assert_int_equal(got.result.totals.cases_with_rule_errors, count);
      assert_int_equal(got.result.totals.given_up, 1);
      seen_close(&got);
    }
    ee_buffer_fini(&text);
  }
  small_rules_close(&rules);
}

/* The first ten of a record's duplicate keys, each at its line and column, and how many more there are. */
static void test_duplicate_keys(void **state) {
  (void)state;
  small_rules rules;
  raising_rules_open(&rules);
  ee_buffer text = {0}, messages = {0};
  for (int extra = 0; extra < 4; extra++) {
    ee_buffer_clear(&text);
    ee_buffer_clear(&messages);
    ee_buffer_add_text(&text, "[{\"id\":\"k\",\"expected\":{\"a\":0");
    for (int i = 1; i < 10 + extra; i++) ee_buffer_addf(&text, ",%s\"a\":%d", i % 3 == 0 ? "\n  " : "", i);
    ee_buffer_add_text(&text, ",\"a\":3}},\n {\"id\":\"l\",\"id\":\"l\",\"expected\":1}]");
    /* Places by counting. */
    ee_buffer_terminate(&text);
    size_t line = 1, column = 1, keys = 0;
    for (const char *at = text.data; *at != '\0'; at++, column++) {
      if (strncmp(at, "\"a\":", 4) == 0 && keys++ > 0 && keys <= 11)
        ee_buffer_addf(&messages, "warning @:%zu:%zu: duplicate key 'a', the last one counts\n", line, column);
      if (*at == '\n') line++, column = 0;
    }
    if (keys > 11) ee_buffer_addf(&messages, "warning @:1: %zu more duplicate keys in this record\n", keys - 11);
    ee_buffer_addf(&messages, "warning @:%zu:12: duplicate key 'id', the last one counts\n", line);
    check_messages(&rules, text.data, (ee_run_options){0}, ee_buffer_terminate(&messages));
  }
  /* A long key is cut, and one may be empty. */
  ee_buffer_clear(&text);
  ee_buffer_clear(&messages);
  ee_buffer_add_text(&text, "{\"\":1,\"\":2,\"id\":\"a\",\"");
  for (int i = 0; i < 150; i++) ee_buffer_add_char(&text, 'x');
  ee_buffer_add_text(&text, "\":1,\"");
  for (int i = 0; i < 150; i++) ee_buffer_add_char(&text, 'x');
  ee_buffer_add_text(&text, "\":1,\"expected\":1}");
  ee_buffer_add_text(&messages,
                     "warning @:1:7: duplicate key '', the last one counts\nwarning @:1:176: duplicate key '");
  for (int i = 0; i < 100; i++) ee_buffer_add_char(&messages, 'x');
  ee_buffer_add_text(&messages, "', the last one counts\n");
  check_messages(&rules, ee_buffer_terminate(&text), (ee_run_options){0}, ee_buffer_terminate(&messages));
  ee_buffer_fini(&text);
  ee_buffer_fini(&messages);
  small_rules_close(&rules);
}

/* Halves of surrogate pairs: of the records that are read, whether they are judged or not, once a record. */
static void test_halves_of_surrogate_pairs(void **state) {
  (void)state;
  small_rules rules;
  raising_rules_open(&rules);
  static const char text[] = "{\"id\":\"a\",\"expected\":{\"note\":\"\\ud800 \\udc00\"}}\n" /* two */
                             "{\"id\":\"b\",\"note\":\"\\ud800\"}\n"                        /* no case */
                             "{\"id\":\"c\",\"expected\":1,\"candidate\":\"{\\\"note\\\":\\\"\\\\ud800\\\"}\"}\n"
                             "{\"id\":\"d\",\"expected\":{\"note\":\"\\ud83d\\ude00\"}}\n" GOOD("a");
#define HALF "half a surrogate pair in a string, read as U+FFFD\n"
  check_messages(&rules, text, (ee_run_options){0},
                 "warning @:1: " HALF "warning @:2: " HALF "@:2: record has no expected value: it has 'id', 'note'\n"
                 "warning @:3: " HALF "@:5: duplicate id 'a' (first at @:1)\n");
#undef HALF
  seen got;
  run_text(&got, &rules, text, sizeof text - 1, (ee_run_options){.jobs = 1});
  assert_int_equal(got.result.totals.lone_surrogates, 4);
  seen_close(&got);
  static const char *const only[] = {"c"};
  run_text(&got, &rules, text, sizeof text - 1, (ee_run_options){.jobs = 1, .choice = {.only = only, .only_count = 1}});
  assert_int_equal(got.result.totals.scored, 1);
  assert_int_equal(got.result.totals.filtered, 3);
  assert_int_equal(got.result.totals.lone_surrogates, 4);
  seen_close(&got);
  small_rules_close(&rules);
}

/* Several candidates of a record: each is a case, and the record is a duplicate as a whole, named by its id alone. */
static void test_records_of_several_candidates(void **state) {
  (void)state;
  small_rules rules;
  raising_rules_open(&rules);
#define SEVERAL(id, raise)                                                                                             \
  "{\"id\":\"" id "\",\"raise\":\"" raise                                                                              \
  "\",\"expected\":{\"number\":1},\"candidates\":[{\"number\":1},{\"number\":2},{\"number\":1}]}\n"
  static const char text[] = SEVERAL("a", "no") SEVERAL("b", "rule")
      SEVERAL("a", "no") "{\"id\":\"c\",\"expected\":{\"number\":1},\"candidates\":[{}]}\n" GOOD("a");
  check_messages(&rules, text, (ee_run_options){0},
                 "rule rules.lua:30:7: no number (case 'b (trial 1)')\n"
                 "rule rules.lua:30:7: no number (case 'b (trial 2)')\n"
                 "rule rules.lua:30:7: no number (case 'b (trial 3)')\n"
                 "@:3: duplicate id 'a' (first at @:1)\n");
  seen got;
  run_text(&got, &rules, text, sizeof text - 1, (ee_run_options){.jobs = 1});
  assert_int_equal(got.result.totals.records, 5);
  assert_int_equal(got.result.totals.scored, 3 + 3 + 1 + 1);
  assert_int_equal(got.result.totals.duplicates, 1);
  assert_int_equal(got.result.data_errors, 1);
  assert_int_equal(got.result.totals.trials.cases, 3);
  assert_int_equal(got.result.totals.trials.others, 1);
  seen_close(&got);
  small_rules_close(&rules);
}

/* A limit or a strict end may lie between the candidates of a record. */
static void test_ends_between_candidates(void **state) {
  (void)state;
  small_rules rules;
  raising_rules_open(&rules);
  static const char text[] = GOOD("x") GOOD("x") SEVERAL("a", "no") SEVERAL("a", "no") SEVERAL("b", "no") GOOD("y");
  static const char *const ids[] = {"x",           "a (trial 1)", "a (trial 2)", "a (trial 3)",
                                    "b (trial 1)", "b (trial 2)", "b (trial 3)", "y"};
  for (uint64_t limit = 1; limit <= 9; limit++) {
    for (unsigned i = 0; i < 6; i++) {
      seen got;
      run_text(&got, &rules, text, sizeof text - 1,
               (ee_run_options){.jobs = 1 + i % 3, .limit = limit, .block_size = i < 3 ? 1 : sizeof text});
      uint64_t most = limit < 8 ? limit : 8;
      assert_int_equal(got.result.totals.scored, most);
      assert_int_equal(count_newlines(&got.l.rows), most);
      const char *at = ee_buffer_terminate(&got.l.rows);
      for (size_t k = 0; k < most; k++, at = strchr(at, '\n') + 1) {
        assert_int_equal(strncmp(at, ids[k], strlen(ids[k])), 0);
        assert_int_equal(at[strlen(ids[k])], ' ');
      }
      /* What is after the end is not told. */
      assert_int_equal(got.result.totals.duplicates, limit < 2 ? 0 : limit < 5 ? 1 : 2);
      assert_int_equal(count_newlines(&got.l.messages), limit < 2 ? 0 : limit < 5 ? 1 : 2);
      seen_close(&got);
    }
  }
  for (size_t trial = 1; trial <= 3; trial++) {
    ee_buffer lines = {0};
    ee_buffer_addf(&lines,
                   GOOD("x") "{\"id\":\"a\",\"raise\":\"rule\",\"of_trial\":%zu,\"expected\":{\"number\":1},"
                             "\"candidates\":[{},{},{}]}\n" GOOD("y"),
                   trial);
    for (unsigned i = 0; i < 6; i++) {
      seen got;
      run_text(&got, &rules, lines.data, lines.length,
               (ee_run_options){.jobs = 1 + i % 3, .strict = true, .block_size = i < 3 ? 1 : lines.length + 1});
      assert_true(got.result.stopped);
      assert_int_equal(got.result.totals.scored, 1 + trial);
      assert_int_equal(got.result.totals.records, 2);
      assert_int_equal(count_newlines(&got.l.rows), 1 + trial);
      assert_int_equal(count_newlines(&got.l.messages), 1);
      seen_close(&got);
    }
    ee_buffer_fini(&lines);
  }
  small_rules_close(&rules);
}

/* Where each file is a trial, cases are named by the number of their file, from 1. */
static void test_files_as_trials(void **state) {
  (void)state;
  small_rules rules = {0};
  ee_arena *arena = &rules.arena;
  ee_arena_init(arena, 0);
  ee_rule_option file_trial = {EE_STR("trial"), small_text("@file")};
  ee_rule_option of_case = {EE_STR("case"), small_node(arena, "", NULL, 0, &file_trial, 1)};
  ee_rule_value number = small_text("number"), field = small_node(arena, "exact", &number, 1, NULL, 0),
                judge = small_node(arena, "fields", &field, 1, NULL, 0),
                root = small_node(arena, "rules", &judge, 1, &of_case, 1);
  ee_error_list errors;
  ee_error_list_init(&errors);
  rules.plan = ee_plan_compile(arena, root.node, NULL, NULL, &errors);
  assert_non_null(rules.plan);
  ee_error_list_fini(&errors);
  temporary files[2];
  temporary_fill(&files[0], GOOD("a") GOOD("b"), sizeof(GOOD("a") GOOD("b")) - 1);
  temporary_fill(&files[1], GOOD("b") GOOD("b"), sizeof(GOOD("b") GOOD("b")) - 1);
  const char *names[] = {files[0].name, files[1].name};
  for (unsigned jobs = 1; jobs <= 2; jobs++) {
    listener l;
    listener_open(&l);
    ee_error error = {0};
    ee_run_result result = run_files(&rules, names, 2, (ee_run_options){.jobs = jobs}, &l, EE_OK, &error);
    static const char *const ids[] = {"a (trial 1) ", "b (trial 1) ", "b (trial 2) "};
    const char *at = ee_buffer_terminate(&l.rows);
    for (size_t i = 0; i < 3; i++, at = strchr(at, '\n') + 1) assert_int_equal(strncmp(at, ids[i], strlen(ids[i])), 0);
    assert_int_equal(*at, '\0');
    assert_int_equal(result.totals.duplicates, 1);
    assert_true(result.totals.trials.cases == 2 && result.totals.trials.trials == 3);
    listener_close(&l);
    ee_totals_fini(&result.totals);
  }
  for (size_t i = 0; i < 2; i++) temporary_remove(&files[i]);
  ee_arena_fini(arena);
}

/* ee.rules { ee.schema { from = "schema" } } */
static void schema_rules_open(small_rules *rules) {
  *rules = (small_rules){0};
  ee_arena_init(&rules->arena, 0);
  ee_rule_option from = {EE_STR("from"), small_text("schema")};
  ee_rule_value judge = small_node(&rules->arena, "schema", NULL, 0, &from, 1),
                root = small_node(&rules->arena, "rules", &judge, 1, NULL, 0);
  ee_error_list errors;
  ee_error_list_init(&errors);
  rules->plan = ee_plan_compile(&rules->arena, root.node, NULL, NULL, &errors);
  assert_non_null(rules->plan);
  ee_error_list_fini(&errors);
}

/* A warning of a judge is reported at the first record that has it, once a run; a hundred of them, and no more. */
static void test_warnings_of_judges(void **state) {
  (void)state;
  enum { RECORDS = 130, LISTED = 100 };
  small_rules rules;
  schema_rules_open(&rules);
  static const size_t kinds[] = {1, 3, LISTED - 1, LISTED, LISTED + 1, RECORDS};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    ee_buffer text = {0}, messages = {0};
    for (size_t i = 0; i < RECORDS; i++) {
      ee_buffer_addf(&text,
                     "{\"id\":\"r%zu\",\"schema\":{\"properties\":{\"p%zu\":{\"enum\":[]}}},\"expected\":{},"
                     "\"candidate\":{}}\n",
                     i, i % kinds[k]);
      if (i < kinds[k] && i < LISTED) ee_buffer_addf(&messages, "warning @:%zu: p%zu\n", i + 1, i);
    }
    for (unsigned jobs = 1; jobs <= 3; jobs++) {
      for (size_t block = 0; block < 2; block++) {
        seen got;
        run_text(&got, &rules, text.data, text.length, (ee_run_options){.jobs = jobs, .block_size = block});
        /* Of each message its place, and the property that it names. */
        ee_buffer places = {0};
        for (const char *at = got.l.messages.data; *at != '\0'; at = strchr(at, '\n') + 1) {
          size_t place = strcspn(at, " ") + 1;
          place += strcspn(at + place, " ");
          const char *property = strstr(at, "/p");
          property = strstr(property + 1, "/p");
          assert_non_null(property);
          ee_buffer_addf(&places, "%.*s %.*s\n", (int)place, at, (int)strcspn(property + 1, "/'\n: "), property + 1);
        }
        assert_string_equal(ee_buffer_terminate(&places), ee_buffer_terminate(&messages));
        ee_buffer_fini(&places);
        seen_close(&got);
      }
    }
    ee_buffer_fini(&text);
    ee_buffer_fini(&messages);
  }
  small_rules_close(&rules);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_warnings_of_judges), cmocka_unit_test(test_files_as_trials),
             cmocka_unit_test(test_ends_between_candidates), cmocka_unit_test(test_places_of_limits),
             cmocka_unit_test(test_errors_of_rules_that_are_listed), cmocka_unit_test(test_duplicate_keys),
             cmocka_unit_test(test_halves_of_surrogate_pairs), cmocka_unit_test(test_records_of_several_candidates));
