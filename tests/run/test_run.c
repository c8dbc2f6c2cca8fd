/* test_run.c: whole runs: the same bytes for every number of workers, and messages about bad records. */
#include "base/limits.h"
#include "run/run_listener.h"
#include "support/random.h"

/* A large file and what is in it ------------------------------------------------------------------------------------
 */

enum { LINES = 9000, IDS = 6000 };

typedef enum line_kind { LINE_GOOD, LINE_BROKEN, LINE_WITHOUT_EXPECTED, LINE_RAISES, LINE_BLANK } line_kind;

typedef struct line {
  line_kind kind;
  size_t id;
  uint64_t first; /* line of the id's first record, 0 for itself */
} line;

/* The slow twin: what a run over the lines must count, one line after the other. */
typedef struct twin {
  uint64_t records, scored, unreadable, duplicates, filtered, rule_errors;
  bool stopped;
} twin;

static twin count_lines(const line *lines, uint64_t limit, bool only_sevens, bool strict) {
  twin t = {0};
  for (size_t i = 0; i < LINES; i++) {
    const line *at = &lines[i];
    if (at->kind == LINE_BLANK) continue;
    t.records++;
    bool in_error = true;
    if (at->kind == LINE_BROKEN || at->kind == LINE_WITHOUT_EXPECTED) {
      t.unreadable++;
    } else if (only_sevens && at->id % 10 != 7) {
      t.filtered++;
      in_error = false;
    } else if (at->first != 0) {
      t.duplicates++;
    } else {
      t.scored++;
      t.rule_errors += at->kind == LINE_RAISES;
      in_error = at->kind == LINE_RAISES;
    }
    if (strict && in_error) {
      t.stopped = true;
      break;
    }
    if (limit > 0 && t.scored == limit) break;
  }
  return t;
}

static void write_lines(temporary *t, line *lines, uint64_t seed, size_t errors_a_thousand) {
  test_random random = test_random_start("run", seed);
  static uint64_t first[IDS];
  memset(first, 0, sizeof first);
  static const char padding[] = "a text that makes the record long enough for several blocks of records in the file";
  temporary_open(t);
  for (size_t i = 0; i < LINES; i++) {
    line *at = &lines[i];
    *at = (line){.kind = LINE_GOOD, .id = test_random_below(&random, IDS)};
    if (test_random_below(&random, 1000) < errors_a_thousand) at->kind = (line_kind)(1 + test_random_below(&random, 4));
    if (errors_a_thousand == 0) at->id = i % IDS;
    if (at->kind == LINE_GOOD || at->kind == LINE_RAISES) {
      if (first[at->id] != 0)
        at->first = first[at->id];
      else
        first[at->id] = i + 1;
    }
    size_t total = test_random_below(&random, 3);
    switch (at->kind) {
    case LINE_BROKEN: fprintf(t->file, "{\"id\":\"c%zu\" \"expected\":{}}\n", at->id); break;
    case LINE_WITHOUT_EXPECTED: fprintf(t->file, "{\"id\":\"c%zu\",\"candidate\":{}}\n", at->id); break;
    case LINE_BLANK: fprintf(t->file, "  \n"); break;
    default:
      fprintf(
          t->file,
          "{\"id\":\"c%zu\",\"expected\":{\"number\":%zu,\"total\":%zu},\"candidate\":{\"number\":%zu,\"total\":%zu},"
          "\"lang\":\"l%zu\",\"kind\":\"k%zu\",\"raise\":%s,\"padding\":\"%s\"}\n",
          at->id, i, total, i - i % 2, test_random_below(&random, 3), i % 7, i % 11,
          at->kind == LINE_RAISES ? "true" : "false", padding);
      break;
    }
  }
  temporary_written(t);
}

static void assert_counts(const ee_run_result *result, const twin *expected) {
  const ee_totals *totals = &result->totals;
  assert_int_equal(totals->records, expected->records);
  assert_int_equal(totals->scored, expected->scored);
  assert_int_equal(totals->unreadable, expected->unreadable);
  assert_int_equal(totals->duplicates, expected->duplicates);
  assert_int_equal(totals->filtered, expected->filtered);
  assert_int_equal(totals->rule_errors, expected->rule_errors);
  assert_int_equal(totals->all.score.count, expected->scored);
  assert_int_equal(result->data_errors, expected->unreadable + expected->duplicates);
  assert_int_equal(result->stopped, expected->stopped);
  assert_false(result->interrupted);
}

static void check_all_jobs(const small_rules *rules, const temporary *file, ee_run_options options,
                           const twin *expected) {
  static const unsigned jobs[] = {1, 2, 7};
  listener reference;
  ee_run_result first = {0};
  for (size_t i = 0; i < 3; i++) {
    listener l;
    listener_open(&l);
    options.jobs = jobs[i];
    ee_run_result result = run_file(rules, file->name, options, &l);
    assert_counts(&result, expected);
    assert_int_equal(count_newlines(&l.rows), expected->scored);
    assert_int_equal(count_newlines(&l.messages), expected->unreadable + expected->duplicates + expected->rule_errors);
    if (i == 0) {
      assert_int_equal(atomic_load(&l.foreign_calls), 0);
      reference = l;
      first = result;
      continue;
    }
    assert_same_buffer(&reference.rows, &l.rows);
    assert_same_buffer(&reference.messages, &l.messages);
    assert_true(first.totals.data_hash == result.totals.data_hash);
    assert_memory_equal(&first.totals.all.score.sum, &result.totals.all.score.sum, sizeof(ee_fixed));
    assert_int_equal(first.totals.slice_count, result.totals.slice_count);
    for (size_t k = 0; k < result.totals.slice_count; k++) {
      assert_true(ee_str_equal(first.totals.slices[k].value, result.totals.slices[k].value));
      assert_memory_equal(&first.totals.slices[k].totals.score.sum, &result.totals.slices[k].totals.score.sum,
                          sizeof(ee_fixed));
    }
    listener_close(&l);
    ee_totals_fini(&result.totals);
  }
  listener_close(&reference);
  ee_totals_fini(&first.totals);
}

#define ONLY(glob) ((const char *const[]){glob})

static void test_same_bytes_for_every_number_of_jobs(void **state) {
  (void)state;
  small_rules rules;
  small_rules_open(&rules);
  line *lines = ee_calloc(LINES, sizeof *lines);
  temporary file;
  write_lines(&file, lines, 21, 60);
  twin expected = count_lines(lines, 0, false, false);
  assert_true(expected.duplicates > 1000 && expected.unreadable > 100 && expected.rule_errors > 30);
  check_all_jobs(&rules, &file, (ee_run_options){0}, &expected);
  expected = count_lines(lines, 0, true, false);
  check_all_jobs(&rules, &file, (ee_run_options){.choice = {.only = ONLY("c*7"), .only_count = 1}}, &expected);
  static const uint64_t limits[] = {1, 2, 1000, 3333, LINES};
  for (size_t i = 0; i < 5; i++) {
    expected = count_lines(lines, limits[i], false, false);
    check_all_jobs(&rules, &file, (ee_run_options){.limit = limits[i]}, &expected);
  }
  expected = count_lines(lines, 300, true, false);
  check_all_jobs(&rules, &file, (ee_run_options){.limit = 300, .choice = {.only = ONLY("c*7"), .only_count = 1}},
                 &expected);
  expected = count_lines(lines, 0, false, true);
  check_all_jobs(&rules, &file, (ee_run_options){.strict = true}, &expected);
  temporary_remove(&file);
  ee_free(lines);
  small_rules_close(&rules);
}

/* The first error is far into the file: line IDS + 1 is the first duplicate. */
static void test_strict_stops_at_a_late_error(void **state) {
  (void)state;
  small_rules rules;
  small_rules_open(&rules);
  line *lines = ee_calloc(LINES, sizeof *lines);
  temporary file;
  write_lines(&file, lines, 22, 0);
  twin expected = count_lines(lines, 0, false, true);
  assert_int_equal(expected.scored, IDS);
  assert_int_equal(expected.duplicates, 1);
  check_all_jobs(&rules, &file, (ee_run_options){.strict = true}, &expected);
  temporary_remove(&file);
  ee_free(lines);
  small_rules_close(&rules);
}

/* Small files and exact messages ------------------------------------------------------------------------------------
 */

/* Runs `text` as a file and compares all messages, in which '@' is the file's name. */
static void assert_messages(const char *text, size_t length, ee_run_options options, const char *rows,
                            const char *messages) {
  small_rules rules;
  small_rules_open(&rules);
  temporary file;
  temporary_fill(&file, text, length);
  for (unsigned jobs = 1; jobs <= 2; jobs++) {
    listener l;
    listener_open(&l);
    options.jobs = jobs;
    ee_run_result result = run_file(&rules, file.name, options, &l);
    ee_buffer expected = {0}, ids = {0};
    for (const char *at = messages; *at != '\0'; at++) {
      if (*at == '@')
        ee_buffer_add_text(&expected, file.name);
      else
        ee_buffer_add_char(&expected, *at);
    }
    assert_string_equal(ee_buffer_terminate(&l.messages), ee_buffer_terminate(&expected));
    bool in_id = true;
    for (size_t i = 0; i < l.rows.length; i++) {
      if (l.rows.data[i] == ' ') in_id = false;
      if (l.rows.data[i] == '\n') in_id = true;
      if (in_id) ee_buffer_add_char(&ids, l.rows.data[i] == '\n' ? ',' : l.rows.data[i]);
    }
    assert_string_equal(ee_buffer_terminate(&ids), rows);
    ee_buffer_fini(&expected);
    ee_buffer_fini(&ids);
    listener_close(&l);
    ee_totals_fini(&result.totals);
  }
  temporary_remove(&file);
  small_rules_close(&rules);
}
#define ASSERT_MESSAGES(text, options, rows, messages)                                                                 \
  assert_messages((text), sizeof(text) - 1, (ee_run_options)options, (rows), (messages))

#define RAISES(id) "{\"id\":\"" id "\",\"expected\":{\"number\":1},\"raise\":true}\n"

static void test_messages(void **state) {
  (void)state;
  ASSERT_MESSAGES(GOOD("a") "{\"id\" \"b\"}\n" GOOD("c") GOOD("a") "[1]\n{\"id\":\"x\"}\n" GOOD("a"), {0}, "a,c,",
                  "@:2:7: expected ':'\n"
                  "@:4: duplicate id 'a' (first at @:1)\n"
                  "@:5: record must be an object, got an array\n"
                  "@:6: record has no expected value: it has 'id'\n"
                  "@:7: duplicate id 'a' (first at @:1)\n");
  /* A rule's error stands where its record stands. */
  ASSERT_MESSAGES("nonsense\n" RAISES("r") "{\"id\":{},\"expected\":1}\n", {0}, "r,",
                  "@:1:1: expected a value\n"
                  "rule rules.lua:30: attempt to index a nil value (case 'r')\n"
                  "@:3: id must be a string or a number, got an object\n");
  /* Duplicate keys are warnings, and only the first ones of a record are told. */
  ASSERT_MESSAGES("{\"id\":\"k\",\"expected\":{\"a\":1,\"a\":2}}\n", {0}, "k,",
                  "warning @:1:29: duplicate key 'a', the last one counts\n");
  /* An id may be empty, and a block may hold no other. */
  ASSERT_MESSAGES(GOOD("") GOOD(""), {0}, ",", "@:2: duplicate id '' (first at @:1)\n");
}

static void test_bytes_that_are_no_text(void **state) {
  (void)state;
  small_rules rules;
  small_rules_open(&rules);
  static const char text[] = GOOD("a") "{\"id\":\"b\0\",\"expected\":1}\n{\"id\":\"\xff\",\"expected\":1}\n" GOOD("d");
  temporary file;
  temporary_fill(&file, text, sizeof text - 1);
  listener l;
  listener_open(&l);
  ee_run_result result = run_file(&rules, file.name, (ee_run_options){.jobs = 1}, &l);
  assert_int_equal(result.totals.unreadable, 2);
  assert_int_equal(result.totals.scored, 2);
  char place[256];
  snprintf(place, sizeof place, "%s:2:9: ", file.name);
  assert_non_null(strstr(ee_buffer_terminate(&l.messages), place));
  snprintf(place, sizeof place, "%s:3:8: ", file.name);
  assert_non_null(strstr(l.messages.data, place));
  listener_close(&l);
  ee_totals_fini(&result.totals);
  temporary_remove(&file);
  small_rules_close(&rules);
}

static void test_places_in_arrays(void **state) {
  (void)state;
  ASSERT_MESSAGES("[\n  {\"id\":\"a\",\n   \"expected\" 1},\n  {\"id\":\"b\",\"expected\":1}\n]\n", {0}, "b,",
                  "@:3:15: expected ':'\n");
  ASSERT_MESSAGES("[{\"id\":\"a\",\"expected\":1}, {\"id\" 2}]", {0}, "a,", "@:1:33: expected ':'\n");
  /* White space at the start counts, a byte order mark does not. */
  ASSERT_MESSAGES("\xef\xbb\xbf {\"id\" 2}\n {\"id\" 2}", {0}, "", "@:1:8: expected ':'\n@:2:8: expected ':'\n");
}

#define STRICT_ONLY_K                                                                                                  \
  {                                                                                                                    \
    .strict = true, .choice = {.only = ONLY("k*"), .only_count = 1 }                                                   \
  }

static void test_strict(void **state) {
  (void)state;
  ASSERT_MESSAGES(GOOD("a") "{\"id\":\"b\"}\n" GOOD("c") "broken\n", {.strict = true}, "a,",
                  "@:2: record has no expected value: it has 'id'\n");
  ASSERT_MESSAGES(GOOD("a") GOOD("a") GOOD("c"), {.strict = true}, "a,", "@:2: duplicate id 'a' (first at @:1)\n");
  /* The case in which a rule failed still counts. */
  ASSERT_MESSAGES(GOOD("a") RAISES("b") GOOD("c"), {.strict = true}, "a,b,",
                  "rule rules.lua:30: attempt to index a nil value (case 'b')\n");
  /* Warnings stop nothing, nor does an error in a record that is not selected. */
  ASSERT_MESSAGES("{\"id\":\"k\",\"id\":\"k\",\"expected\":1}\n" RAISES("no") GOOD("k2"), STRICT_ONLY_K, "k,k2,",
                  "warning @:1:11: duplicate key 'id', the last one counts\n");
}

/* A record whose document takes more memory than a case may is in error as a whole. */
static void test_memory(void **state) {
  (void)state;
  ee_limits limits = *ee_limits_get();
  limits.memory = 1 << 20;
  ee_limits_set(&limits);
  ee_buffer text = {0};
  /* The text of a candidate is read as a document besides the record. */
  ee_buffer_add_text(&text, GOOD("a") "{\"id\":\"b\",\"expected\":[0");
  for (int i = 0; i < 8000; i++) ee_buffer_add_text(&text, ",0");
  ee_buffer_add_text(&text, "],\"candidate\":\"[0");
  for (int i = 0; i < 8000; i++) ee_buffer_add_text(&text, ",0");
  ee_buffer_add_text(&text, "]\"}\n" GOOD("c"));
  assert_messages(text.data, text.length, (ee_run_options){0}, "a,c,",
                  "@:2: given up at 1 MiB of memory (--max-memory)\n");
  ee_buffer_fini(&text);
  ee_limits_set(NULL);
}

static void test_limit(void **state) {
  (void)state;
  ASSERT_MESSAGES(GOOD("a") "broken\n" GOOD("a") GOOD("c") "broken\n" GOOD("c") GOOD("d"), {.limit = 2}, "a,c,",
                  "@:2:1: expected a value\n@:3: duplicate id 'a' (first at @:1)\n");
}

/* An error of an array is reported in its place, on any line, and so are records that are only counted. */
static void test_errors_between_records(void **state) {
  (void)state;
#define R(id) "{\"id\":\"" id "\",\"expected\":1}"
  static const char text[] = "[" R("a") ",," R("b") ",{}," R("c") "," R("a") "]";
#define FIRST "@:1:26: expected a value before ','\n"
  ASSERT_MESSAGES(text, {.strict = true}, "a,", FIRST);
  ASSERT_MESSAGES(text, {.limit = 1}, "a,", "");
  ASSERT_MESSAGES(text, {.limit = 2}, "a,b,", FIRST);
  ASSERT_MESSAGES(text, {0}, "a,b,c,",
                  FIRST "@:1: record has no expected value: it is empty\n@:1: duplicate id 'a' (first at @:1)\n");
#undef FIRST
#undef R
}

/* Records without an id get one from their line; two files may both have a line 1. */
static void test_records_without_id(void **state) {
  (void)state;
  static const char text[] = "{\"expected\":1}\n{\"expected\":2}\n{\"id\":\"line:1\",\"expected\":3}\n";
  small_rules rules;
  small_rules_open(&rules);
  temporary one, two;
  temporary_fill(&one, text, sizeof text - 1);
  temporary_fill(&two, text, sizeof text - 1);
  const char *files[] = {one.name, two.name};
  listener l;
  listener_open(&l);
  ee_error error = {0};
  ee_run_result result = run_files(&rules, files, 2, (ee_run_options){.jobs = 1}, &l, EE_OK, &error);
  assert_int_equal(result.totals.scored, 5);
  assert_int_equal(result.totals.duplicates, 1);
  char expected[512];
  snprintf(expected, sizeof expected, "%s:3: duplicate id 'line:1' (first at %s:3)\n", two.name, one.name);
  assert_string_equal(ee_buffer_terminate(&l.messages), expected);
  listener_close(&l);
  ee_totals_fini(&result.totals);
  temporary_remove(&one);
  temporary_remove(&two);
  small_rules_close(&rules);
}

/* How a run ends ----------------------------------------------------------------------------------------------------
 */

static void test_interrupt(void **state) {
  (void)state;
  small_rules rules;
  small_rules_open(&rules);
  line *lines = ee_calloc(LINES, sizeof *lines);
  temporary file;
  write_lines(&file, lines, 23, 0);
  listener whole;
  listener_open(&whole);
  ee_run_result complete = run_file(&rules, file.name, (ee_run_options){.jobs = 1, .block_size = 16384}, &whole);
  assert_true(whole.commits >= 40);
  for (unsigned jobs = 1; jobs <= 3; jobs++) {
    listener l;
    listener_open(&l);
    l.interrupt_at = 1;
    ee_run_result result = run_file(&rules, file.name, (ee_run_options){.jobs = jobs, .block_size = 16384}, &l);
    assert_true(result.interrupted);
    /* What was under way is committed, in order, and nothing else: of each worker a block and what it has put aside. */
    assert_true(l.commits >= 1 && l.commits <= (jobs > 1 ? 1 + jobs * 5 : 2));
    assert_true(l.rows.length > 0 && l.rows.length < whole.rows.length);
    assert_memory_equal(l.rows.data, whole.rows.data, l.rows.length);
    assert_int_equal(count_newlines(&l.rows), result.totals.scored);
    listener_close(&l);
    ee_totals_fini(&result.totals);
  }
  /* Nothing is judged after an interrupt before the first block. */
  listener none;
  listener_open(&none);
  none.interrupted = 1;
  ee_run_result nothing = run_file(&rules, file.name, (ee_run_options){.jobs = 1}, &none);
  assert_true(nothing.interrupted);
  assert_int_equal(nothing.totals.records, 0);
  listener_close(&none);
  ee_totals_fini(&nothing.totals);
  listener_close(&whole);
  ee_totals_fini(&complete.totals);
  temporary_remove(&file);
  ee_free(lines);
  small_rules_close(&rules);
}

static void test_write_failure(void **state) {
  (void)state;
  small_rules rules;
  small_rules_open(&rules);
  line *lines = ee_calloc(LINES, sizeof *lines);
  temporary file;
  write_lines(&file, lines, 24, 0);
  const char *name = file.name;
  for (unsigned jobs = 1; jobs <= 4; jobs++) {
    listener l;
    listener_open(&l);
    l.fail_at = 2;
    ee_error error = {0};
    ee_run_result result = run_files(&rules, &name, 1, (ee_run_options){.jobs = jobs}, &l, EE_ERROR_SYSTEM, &error);
    assert_string_equal(error.message, "cannot write: disk full");
    assert_int_equal(l.writes, 2);
    assert_int_equal(result.totals.scored, count_newlines(&l.rows));
    assert_true(result.totals.scored > 0);
    listener_close(&l);
    ee_totals_fini(&result.totals);
  }
  temporary_remove(&file);
  ee_free(lines);
  small_rules_close(&rules);
}

/* Errors while results are collected count as the rules' errors; they end a strict run, and a failure ends any. */
typedef struct collecting {
  unsigned calls, wrong, fails;
} collecting;

static void format_id(void *user, const ee_case_result *result, ee_arena *scratch, ee_buffer *out) {
  (void)user, (void)scratch;
  ee_buffer_add_str(out, result->source->id);
  ee_buffer_add_char(out, '\n');
}

static ee_status collect_wrong(void *user, ee_str row, uint64_t *errors, ee_error *error) {
  collecting *self = user;
  assert_int_equal(row.data[row.length - 1], '\n');
  self->calls++;
  *errors = self->calls == self->wrong ? 2 : 0;
  return self->calls == self->fails ? ee_error_set(error, EE_ERROR_SYSTEM, "cannot write: disk full") : EE_OK;
}

static ee_run_result run_collecting(const small_rules *rules, const char *file, bool strict, collecting *self,
                                    ee_status status) {
  ee_error error = {0};
  ee_dataset *dataset = ee_dataset_open(&file, 1, &error);
  ee_run_options options = {
      .jobs = 3, .strict = strict, .hooks = {.user = self, .format_collected = format_id, .collect = collect_wrong}};
  ee_run_result result;
  assert_int_equal(ee_run(rules->plan, dataset, &options, &result, &error), status);
  ee_dataset_close(dataset);
  return result;
}

static void test_errors_while_collecting(void **state) {
  (void)state;
  small_rules rules;
  small_rules_open(&rules);
  temporary file;
  temporary_open(&file);
  fputs(GOOD("a") GOOD("b") GOOD("b") GOOD("c") GOOD("d"), file.file);
  temporary_written(&file);
  collecting all = {.wrong = 2};
  ee_run_result result = run_collecting(&rules, file.name, false, &all, EE_OK);
  assert_int_equal(all.calls, 4);
  assert_true(result.totals.scored == 4 && result.totals.rule_errors == 2 && result.totals.cases_with_rule_errors == 1);
  ee_totals_fini(&result.totals);
  collecting strict = {.wrong = 2};
  result = run_collecting(&rules, file.name, true, &strict, EE_OK);
  assert_int_equal(strict.calls, 2);
  assert_true(result.stopped && result.totals.scored == 2 && result.totals.rule_errors == 2);
  ee_totals_fini(&result.totals);
  collecting failing = {.fails = 3};
  result = run_collecting(&rules, file.name, false, &failing, EE_ERROR_SYSTEM);
  assert_int_equal(failing.calls, 3);
  ee_totals_fini(&result.totals);
  temporary_remove(&file);
  small_rules_close(&rules);
}

static void test_script_that_does_not_open(void **state) {
  (void)state;
  small_rules rules;
  small_rules_open(&rules);
  rules.refuse_to_open = true;
  temporary file;
  temporary_fill(&file, GOOD("a"), sizeof GOOD("a") - 1);
  const char *name = file.name;
  for (unsigned jobs = 1; jobs <= 3; jobs++) {
    listener l;
    listener_open(&l);
    ee_error error = {0};
    ee_run_result result = run_files(&rules, &name, 1, (ee_run_options){.jobs = jobs}, &l, EE_ERROR_RULES, &error);
    assert_string_equal(error.message, "does not load a second time");
    assert_int_equal(result.totals.records, 0);
    listener_close(&l);
    ee_totals_fini(&result.totals);
  }
  temporary_remove(&file);
  small_rules_close(&rules);
}

/* Opening a script runs the rule file again: only workers that have something to judge do. */
static void test_scripts_are_opened_for_blocks(void **state) {
  (void)state;
  small_rules rules;
  small_rules_open(&rules);
  static const struct {
    const char *text;
    int opened;
  } rows[] = {{"", 0}, {"\n\n", 0}, {GOOD("a"), 1}, {GOOD("a") "\n" GOOD("b"), 1}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    temporary file;
    temporary_fill(&file, rows[i].text, strlen(rows[i].text));
    listener l;
    listener_open(&l);
    atomic_store(&rules.opened, 0);
    ee_run_result result = run_file(&rules, file.name, (ee_run_options){.jobs = 4}, &l);
    assert_int_equal(atomic_load(&rules.opened), rows[i].opened);
    listener_close(&l);
    ee_totals_fini(&result.totals);
    temporary_remove(&file);
  }
  small_rules_close(&rules);
}

static void test_empty_file(void **state) {
  (void)state;
  ASSERT_MESSAGES("", {0}, "", "");
  ASSERT_MESSAGES("\n \n", {0}, "", "");
  ASSERT_MESSAGES("[]", {0}, "", "");
}

/* Splitting the data over files changes no total. */
static void test_any_split_gives_the_same_totals(void **state) {
  (void)state;
  small_rules rules;
  small_rules_open(&rules);
  temporary whole, parts[3];
  temporary_open(&whole);
  for (size_t i = 0; i < 3; i++) temporary_open(&parts[i]);
  for (int i = 0; i < 3000; i++) {
    char text[256];
    snprintf(text, sizeof text,
             "{\"id\":\"%d\",\"expected\":{\"number\":%d,\"total\":3},\"candidate\":{\"number\":%d},\"lang\":%d}\n", i,
             i, i - i % 2, i % 5);
    fputs(text, whole.file);
    fputs(text, parts[i < 17 ? 0 : i < 1234 ? 1 : 2].file);
  }
  temporary_written(&whole);
  for (size_t i = 0; i < 3; i++) temporary_written(&parts[i]);
  const char *names[] = {parts[0].name, parts[1].name, parts[2].name};
  listener a, b;
  listener_open(&a);
  listener_open(&b);
  ee_error error = {0};
  ee_run_result one = run_file(&rules, whole.name, (ee_run_options){.jobs = 2}, &a);
  ee_run_result three = run_files(&rules, names, 3, (ee_run_options){.jobs = 2}, &b, EE_OK, &error);
  assert_same_buffer(&a.rows, &b.rows);
  assert_true(one.totals.data_hash == three.totals.data_hash);
  assert_memory_equal(&one.totals.all.score, &three.totals.all.score, sizeof(ee_sample));
  assert_int_equal(one.totals.slice_count, 5);
  assert_int_equal(three.totals.slice_count, 5);
  listener_close(&a);
  listener_close(&b);
  ee_totals_fini(&one.totals);
  ee_totals_fini(&three.totals);
  temporary_remove(&whole);
  for (size_t i = 0; i < 3; i++) temporary_remove(&parts[i]);
  small_rules_close(&rules);
}

/* What a row may show: full detail only where it was asked for; kinds likewise. Failures are told with their place, and
 * the end once. */
typedef struct hooked {
  ee_detail detail;
  unsigned rows, other; /* of another detail */
  unsigned judged, failed;
  char failures[200];
} hooked;

static void format_detail(void *user, const ee_case_result *result, ee_arena *scratch, ee_buffer *out) {
  hooked *self = user;
  (void)scratch, (void)out;
  __atomic_fetch_add(&self->rows, 1, __ATOMIC_RELAXED);
  bool other = (result->judges[0].outcomes != NULL) != (self->detail == EE_DETAIL_FULL);
  for (size_t i = 0; i < result->judge_count; i++) other = other || result->judges[i].detail != self->detail;
  __atomic_fetch_add(&self->other, other, __ATOMIC_RELAXED);
}

static ee_status take_row(void *user, const char *data, size_t length, ee_error *error) {
  (void)user, (void)data, (void)length, (void)error;
  return EE_OK;
}

static void note_failed(void *user, ee_str id, const char *file, uint64_t number) {
  hooked *self = user;
  size_t used = strlen(self->failures);
  self->failed++;
  snprintf(self->failures + used, sizeof self->failures - used, "%.*s %d %" PRIu64 "\n", EE_STR_ARG(id), file != NULL,
           number);
}

static void note_judged(void *user) { ((hooked *)user)->judged++; }

static void ignore_report(void *user, const ee_error *error) { (void)user, (void)error; }

static void test_details_and_hooks(void **state) {
  (void)state;
  small_rules rules;
  small_rules_open(&rules);
  const char *const text =
      "{\"id\":\"a\",\"expected\":{\"number\":1,\"total\":5},\"candidate\":{\"number\":1,\"total\":5}}\n"
      "{\"id\":\"b\",\"expected\":{\"number\":1,\"total\":5},\"raise\":true,\"candidate\":{\"number\":2,\"total\":6}}\n"
      "\n"
      "{\"id\":\"c\",\"expected\":{\"number\":12,\"total\":5},\"raise\":true,\"candidate\":{}}\n";
  temporary file;
  temporary_fill(&file, text, strlen(text));
  for (int i = 0; i < 4; i++) {
    hooked self = {.detail = i % 2 == 0 ? EE_DETAIL_MISSES : EE_DETAIL_FULL};
    ee_error error = {0};
    const char *name = file.name;
    ee_dataset *dataset = ee_dataset_open(&name, 1, &error);
    assert_non_null(dataset);
    ee_run_options options = {.jobs = 2, .detail = self.detail, .kinds = i / 2 == 1};
    options.hooks = (ee_run_hooks){.user = &self,
                                   .format = format_detail,
                                   .write = take_row,
                                   .report = ignore_report,
                                   .failed = note_failed,
                                   .judged = note_judged};
    ee_run_result result;
    assert_int_equal(ee_run(rules.plan, dataset, &options, &result, &error), EE_OK);
    assert_int_equal(self.rows, 3);
    assert_int_equal(self.other, 0);
    assert_int_equal(self.judged, 1);
    assert_int_equal(self.failed, result.totals.all.verdicts[EE_VERDICT_FAIL]);
    assert_string_equal(self.failures, "b 1 2\nc 1 4\n");
    const ee_judge_total *header = &result.totals.all.judges[0];
    assert_int_equal(header->attributes[0].kinds != NULL, options.kinds);
    ee_totals_fini(&result.totals);
    ee_dataset_close(dataset);
  }
  temporary_remove(&file);
  small_rules_close(&rules);
}

/* Failures are named from the first record on, and before the rows of their block; a block without rows writes none. */
typedef struct heard {
  ee_buffer events;
} heard;

static void hear_failed(void *user, ee_str id, const char *file, uint64_t number) {
  (void)file;
  ee_buffer_addf(&((heard *)user)->events, "failed %.*s:%" PRIu64 "\n", EE_STR_ARG(id), number);
}

static ee_status hear_write(void *user, const char *data, size_t length, ee_error *error) {
  (void)error;
  assert_true(length > 0);
  ee_buffer_addf(&((heard *)user)->events, "write %.*s", (int)length, data);
  return EE_OK;
}

static void hear_report(void *user, const ee_error *error) {
  ee_buffer_addf(&((heard *)user)->events, "report :%zu\n", error->line);
}

static void format_ids(void *user, const ee_case_result *result, ee_arena *scratch, ee_buffer *out) {
  (void)user, (void)scratch;
  ee_buffer_add_str(out, result->source->id);
  ee_buffer_add_char(out, '\n');
}

static void test_order_of_events(void **state) {
  (void)state;
#define FAILS(id)                                                                                                      \
  "{\"id\":\"" id                                                                                                      \
  "\",\"expected\":{\"number\":1,\"total\":5},\"candidate\":{\"number\":2,\"total\":6},\"raise\":true}\n"
  static const char text[] = FAILS("f") GOOD("a") "broken\n" FAILS("g") FAILS("f") GOOD("b");
  static const struct {
    size_t block;
    bool failed, write, report;
    const char *events;
  } facts[] = {
      {1, true, true, true,
       "report :30\nfailed f:1\nwrite f\nwrite a\nreport :3\nreport :30\nfailed g:4\nwrite g\nreport :5\nwrite b\n"},
      {sizeof text, true, true, true,
       "report :30\nreport :3\nreport :30\nreport :5\nfailed f:1\nfailed g:4\nwrite f\na\ng\nb\n"},
      {1, true, false, false, "failed f:1\nfailed g:4\n"},
      {1, false, true, false, "write f\nwrite a\nwrite g\nwrite b\n"},
      {sizeof text, false, true, false, "write f\na\ng\nb\n"},
      {1, false, false, true, "report :30\nreport :3\nreport :30\nreport :5\n"},
      {1, false, false, false, ""},
  };
  small_rules rules;
  small_rules_open(&rules);
  temporary file;
  temporary_fill(&file, text, sizeof text - 1);
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    for (unsigned jobs = 1; jobs <= 3; jobs++) {
      heard self = {.events = {0}};
      ee_error error = {0};
      const char *name = file.name;
      ee_dataset *dataset = ee_dataset_open(&name, 1, &error);
      ee_run_options options = {.jobs = jobs, .block_size = facts[i].block};
      options.hooks = (ee_run_hooks){.user = &self,
                                     .format = format_ids,
                                     .write = facts[i].write ? hear_write : NULL,
                                     .report = facts[i].report ? hear_report : NULL,
                                     .failed = facts[i].failed ? hear_failed : NULL};
      ee_run_result result;
      assert_int_equal(ee_run(rules.plan, dataset, &options, &result, &error), EE_OK);
      if (strcmp(ee_buffer_terminate(&self.events), facts[i].events) != 0) fail_msg("%zu: %s", i, self.events.data);
      ee_buffer_fini(&self.events);
      ee_totals_fini(&result.totals);
      ee_dataset_close(dataset);
    }
  }
  temporary_remove(&file);
  small_rules_close(&rules);
}

/* A small limit is for trying something out: no case beyond it is judged, except by other workers. */
static void test_limit_judges_no_more(void **state) {
  (void)state;
  small_rules rules;
  small_rules_open(&rules);
  static const char text[] = GOOD("a") GOOD("b") GOOD("c") GOOD("d") GOOD("e");
  temporary file;
  temporary_fill(&file, text, sizeof text - 1);
  for (uint64_t limit = 1; limit <= 6; limit++) {
    hooked self = {.detail = EE_DETAIL_MISSES};
    ee_error error = {0};
    const char *name = file.name;
    ee_dataset *dataset = ee_dataset_open(&name, 1, &error);
    assert_non_null(dataset);
    ee_run_options options = {.jobs = 1,
                              .limit = limit,
                              .strict = limit % 2 == 0,
                              .hooks = {.user = &self, .format = format_detail, .write = take_row}};
    ee_run_result result;
    assert_int_equal(ee_run(rules.plan, dataset, &options, &result, &error), EE_OK);
    assert_int_equal(self.rows, limit < 5 ? limit : 5);
    assert_false(result.stopped);
    assert_int_equal(result.totals.scored, limit < 5 ? limit : 5);
    ee_totals_fini(&result.totals);
    ee_dataset_close(dataset);
  }
  temporary_remove(&file);
  small_rules_close(&rules);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_details_and_hooks), cmocka_unit_test(test_order_of_events),
             cmocka_unit_test(test_errors_while_collecting), cmocka_unit_test(test_messages),
             cmocka_unit_test(test_bytes_that_are_no_text), cmocka_unit_test(test_places_in_arrays),
             cmocka_unit_test(test_strict), cmocka_unit_test(test_limit), cmocka_unit_test(test_memory),
             cmocka_unit_test(test_errors_between_records), cmocka_unit_test(test_records_without_id),
             cmocka_unit_test(test_same_bytes_for_every_number_of_jobs),
             cmocka_unit_test(test_strict_stops_at_a_late_error), cmocka_unit_test(test_interrupt),
             cmocka_unit_test(test_write_failure), cmocka_unit_test(test_script_that_does_not_open),
             cmocka_unit_test(test_scripts_are_opened_for_blocks), cmocka_unit_test(test_empty_file),
             cmocka_unit_test(test_any_split_gives_the_same_totals), cmocka_unit_test(test_limit_judges_no_more));
