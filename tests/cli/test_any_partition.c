/* test_any_partition.c: random records through every kind of judge, cut into random parts that are judged apart,
 * stored, read and merged in random trees: the state and the report of the whole, byte for byte. And states that were
 * damaged: refused, or numbers that a report can print. */
#include "cli/load.h"
#include "data/files/dataset.h"
#include "data/json/json_reader.h"
#include "lua/rule_file.h"
#include "lua/rule_text.h"
#include "provider/provider.h"
#include "report/run_report.h"
#include "run/run.h"
#include "run/totals_state.h"
#include "support/random.h"
#include "support/totals_text.h"

static ee_arena arena;
static ee_provider *provider;

/* Rules and records ------------------------------------------------------------------------------ */

/* Everything that totals have: fields of every kind, also some that fit no value or are in no record; lists;
 * confidences with costs; measures; trials; slices; clusters; judges that raise errors. */
static const char everything[] =
    "return ee.rules {\n"
    "  case = CASE, cluster = CLUSTER,\n"
    "  slices = { 'kind', 'day' }, measures = { 'cost', 'meta.time' },\n"
    "  ee.fields { name = 'header', confidence = 'c.*', cost = { incorrect = 5, missing = 1 },\n"
    "    ee.exact 'number', ee.numeric { 'total', tolerance = 0.01 }, ee.date 'date', ee.fuzzy 'name',\n"
    "    ee.one_of { 'size', 'small', 'large' }, ee.pattern { 'code', '^A%d$' }, ee.exact { 'nowhere', required = "
    "false },\n"
    "    ee.exact 'nmae', ee.set 'tags' },\n"
    "  ee.line_items { 'items', name = 'rows', match = { ee.fuzzy 'text' }, compare_methods = true, ee.numeric 'price' "
    "},\n"
    "  ee.quality { name = 'keys' },\n"
    "  ee.schema { name = 'form', schema = { type = 'object', required = { 'total' },\n"
    "    properties = { total = { type = 'number' } } } },\n"
    "  ee.judge { 'own', function(case)\n"
    "    if case.record.raise then error 'raised' end\n"
    "    return { score = case.record.share, details = { metrics = { [case.record.kind or '-'] = { tp = 1, fn = 2 } } "
    "} }\n"
    "  end },\n"
    "}\n";

static ee_str printed(const char *format, ...) __attribute__((format(printf, 1, 2)));
static ee_str printed(const char *format, ...) {
  va_list arguments;
  ee_buffer out = {0};
  va_start(arguments, format);
  ee_buffer_addv(&out, format, arguments);
  va_end(arguments);
  ee_str text = {ee_arena_copy(&arena, out.data, out.length), out.length};
  ee_buffer_fini(&out);
  return text;
}

#define PICK(random, ...)                                                                                              \
  ((const char *const[]){                                                                                              \
      __VA_ARGS__})[test_random_below((random), sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))]

static ee_str document(test_random *random, bool candidate) {
  ee_buffer out = {0};
  ee_buffer_addf(&out, "{\"number\":%s,\"total\":%s,\"date\":%s,\"name\":\"%s %s\",\"size\":%s,\"code\":%s,\"tags\":%s",
                 PICK(random, "1", "\"1\"", "\"x\"", "null"), PICK(random, "7", "7.5", "\"$8.20\"", "\"\"", "12"),
                 PICK(random, "\"2024-05-01\"", "\"1 May 2024\"", "\"soon\"", "\"\""),
                 PICK(random, "Ann", "Bob", "Eva"), PICK(random, "Lee", "Lea", "Li"),
                 PICK(random, "\"small\"", "\"huge\"", "null"), PICK(random, "\"A1\"", "\"A2\"", "5"),
                 PICK(random, "[\"a\"]", "[\"b\",\"a\"]", "[]"));
  if (candidate) {
    ee_buffer_addf(&out, ",\"name_\":\"Ann Lee\",\"nmae\":1,\"c\":{\"number\":%s,\"total\":0.%zu,\"date\":%s}",
                   PICK(random, "0.9", "\"sure\"", "0.5", "1", "2"), test_random_below(random, 100),
                   PICK(random, "0.25", "null", "0"));
  }
  ee_buffer_add_text(&out, ",\"items\":[");
  for (size_t i = test_random_below(random, 4), first = 1; i > 0; i--, first = 0)
    ee_buffer_addf(&out, "%s{\"text\":\"%s\",\"price\":%zu}", first ? "" : ",",
                   PICK(random, "apples", "pears", "apple pie", "pear cake"), test_random_below(random, 4));
  ee_buffer_add_text(&out, "]}");
  ee_str text = {ee_arena_copy(&arena, out.data, out.length), out.length};
  ee_buffer_fini(&out);
  return text;
}

static ee_str random_candidate(test_random *random) {
  switch (test_random_below(random, 12)) {
  case 0: return EE_STR("null");
  case 1: return EE_STR("\"no document\"");
  case 2: return EE_STR("\"```json\\n{\\\"total\\\": 7,}\\n```\"");
  case 3: return EE_STR("\"{\\\"total\\\": 7}\"");
  case 4: return EE_STR("\"\\ud800\"");
  default: return document(random, true);
  }
}

static bool with_trials;

static ee_str everything_line(test_random *random, size_t number) {
  switch (test_random_below(random, 40)) {
  case 0: return EE_STR("{\"id\":\n");
  case 1: return printed("{\"id\":\"c%zu\",\"candidate\":{}}\n", number);
  case 2: return printed("{\"id\":\"c%zu\",\"expected\":{},\"candidate\":{}}\n", number);
  default: break;
  }
  ee_str expected = document(random, false), candidate = random_candidate(random);
  /* One of three is one of several trials, which follow each other or do not. */
  ee_str id = !with_trials || test_random_below(random, 3) > 0
                  ? printed("c%zu_p%zu", number, test_random_below(random, 4))
                  : printed("t%zu", number / 7 * 7 + test_random_below(random, 2));
  return printed(
      "{\"id\":\"%.*s\",\"run\":%zu,\"doc\":\"d%zu\",\"kind\":%s,\"day\":%zu,\"cost\":%s,\"meta\":{\"time\":%.17g,"
      "\"page\":%zu},\"share\":0.%zu,\"raise\":%s,\"expected\":%.*s,\"candidate\":%.*s}\n",
      EE_STR_ARG(id), number, test_random_below(random, 40),
      PICK(random, "\"a\"", "\"b\"", "null", "3", "\"(other)\"", "\"\xc3\xa9\""), test_random_below(random, 1500),
      PICK(random, "0.25", "1", "\"free\"", "null"), test_random_unit(random), test_random_below(random, 3),
      test_random_below(random, 1000), test_random_below(random, 15) == 0 ? "true" : "false", EE_STR_ARG(expected),
      EE_STR_ARG(candidate));
}

typedef struct rule_set {
  const char *rules;  /* a file of the project; NULL: `everything` */
  const char *sample; /* records to draw from */
  const char *id;     /* of their id */
} rule_set;

static const rule_set rule_sets[] = {{NULL, NULL, NULL},
                                     {"rules/invoice.lua", "samples/invoices.jsonl", "id"},
                                     {"rules/json_quality.lua", "samples/quality.jsonl", "id"},
                                     {"rules/layout.lua", "samples/layout.jsonl", "id"},
                                     {"rules/extraction.lua", "samples/extractions.jsonl", "caseId"},
                                     {"rules/detection.lua", "samples/detection/images.jsonl", "id"},
                                     {"rules/line_items.lua", "samples/invoices.jsonl", "id"}};

enum { POOL = 200, LINES = 400, PARTS = 9 };

typedef struct pool {
  ee_str lines[POOL]; /* without "}" and newline */
  size_t count;
} pool;

static char *read_text(const char *path, size_t *length) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) fail_msg("%s", path);
  char *text = ee_arena_alloc(&arena, 1 << 20);
  *length = fread(text, 1, (1 << 20) - 1, file);
  text[*length] = '\0';
  assert_int_equal(fclose(file), 0);
  return text;
}

static void read_pool(pool *p, const char *path) {
  size_t length;
  char *text = read_text(path, &length);
  p->count = 0;
  for (char *line = strtok(text, "\n"); line != NULL && p->count < POOL; line = strtok(NULL, "\n")) {
    char *end = strrchr(line, '}');
    if (end != NULL) p->lines[p->count++] = (ee_str){line, (size_t)(end - line)};
  }
}

/* Of duplicate keys the last one counts. */
static ee_str sample_line(test_random *random, const pool *p, const char *id, size_t number) {
  ee_str line = p->lines[test_random_below(random, p->count)];
  return printed("%.*s,\"%s\":\"%s%zu\"}\n", EE_STR_ARG(line), id, PICK(random, "a", "b", "page-"), number);
}

static ee_rule_file *load_rules(const char *path) {
  ee_error_list errors;
  ee_error_list_init(&errors);
  ee_rule_file *rules = ee_rule_file_load(path, &(ee_rule_file_options){.limits = {.instructions = -1}}, &errors);
  for (size_t i = 0; rules == NULL && i < errors.count; i++) print_error("%s\n", errors.items[i].message);
  assert_non_null(rules);
  ee_error_list_fini(&errors);
  return rules;
}

/* States ------------------------------------------------------------------------------------------ */

static ee_str report_of(const ee_plan *plan, ee_totals *totals) {
  ee_totals_finish(totals);
  ee_buffer out = {0};
  ee_run_json(&(ee_summary){.plan = plan, .totals = totals}, &out);
  ee_page page;
  ee_page_init(&page);
  ee_run_page(&(ee_summary){.plan = plan, .totals = totals}, &page);
  ee_page_fini(&page);
  ee_str text = {ee_arena_copy(&arena, out.data, out.length), out.length};
  ee_buffer_fini(&out);
  return text;
}

/* Judges lines as a part. */
static ee_str run_part(const ee_plan *plan, const ee_str *lines, size_t from, size_t to, unsigned jobs) {
  FILE *file = fopen("part.jsonl", "wb");
  assert_non_null(file);
  for (size_t i = from; i < to; i++) fwrite(lines[i].data, 1, lines[i].length, file);
  assert_int_equal(fclose(file), 0);
  ee_error error = {0};
  const char *name = "part.jsonl";
  ee_dataset *dataset = ee_dataset_open(&name, 1, &error);
  assert_non_null(dataset);
  ee_run_options options = {.jobs = jobs, .kinds = true, .part = true, .provider = provider};
  ee_run_result result;
  if (ee_run(plan, dataset, &options, &result, &error) != EE_OK) fail_msg("%s", error.message);
  ee_dataset_close(dataset);
  /* The names of records without an id, and of their errors, depend on the file. */
  ee_str state = totals_save(&result.totals, &arena);
  ee_totals_fini(&result.totals);
  return state;
}

/* The states `from` up to `to` merged, a random part of them into another: their order does not matter. */
static ee_str merge_states(test_random *random, const ee_plan *plan, const ee_str *states, size_t from, size_t to) {
  if (to - from == 1) return states[from];
  size_t middle = from + 1 + test_random_below(random, to - from - 1);
  ee_str left = merge_states(random, plan, states, from, middle);
  ee_str right = merge_states(random, plan, states, middle, to);
  bool swapped = test_random_below(random, 2) == 0;
  ee_totals all, part;
  if (!totals_load(&all, plan, swapped ? right : left, &arena) ||
      !totals_load(&part, plan, swapped ? left : right, &arena))
    fail_msg("refused");
  ee_totals_merge(&all, &part);
  ee_str merged = totals_save(&all, &arena);
  ee_totals_fini(&all);
  ee_totals_fini(&part);
  return merged;
}

static void show_difference(const char *what, ee_str a, ee_str b) {
  size_t at = 0;
  while (at < a.length && at < b.length && a.data[at] == b.data[at]) at++;
  size_t from = at > 200 ? at - 200 : 0;
  print_error("%s differ at byte %zu of %zu and %zu:\n%.400s\n%.400s\n", what, at, a.length, b.length, a.data + from,
              b.data + from);
}

static void check_same(const char *what, const rule_set *set, ee_str whole, ee_str merged) {
  if (ee_str_equal(whole, merged)) return;
  show_difference(what, whole, merged);
  fail_msg("%s", set->rules != NULL ? set->rules : "everything");
}

static ee_str report_of_state(const ee_plan *plan, ee_str state) {
  ee_totals totals;
  assert_true(totals_load(&totals, plan, state, &arena));
  ee_str report = report_of(plan, &totals);
  ee_totals_fini(&totals);
  return report;
}

/* Tests ------------------------------------------------------------------------------------------ */

/* The folder of a test of rule files is another one: paths are made absolute before. */
static char project[4096];

static const char *in_project(const char *path) { return ee_arena_printf(&arena, "%s/%s", project, path); }

static ee_rule_file *open_set(const rule_set *set, test_random *random, pool *p) {
  if (set->rules != NULL) {
    read_pool(p, in_project(set->sample));
    return load_rules(in_project(set->rules));
  }
  const char *cluster = test_random_below(random, 2) == 0 ? "nil" : "'doc'";
  with_trials = test_random_below(random, 2) == 0;
  const char *trial = with_trials ? "{ trial = 'run' }" : "nil";
  ee_str text = printed("local CASE, CLUSTER = %s, %s\n%s", trial, cluster, everything);
  write_text("rules.lua", text.data);
  return load_rules("rules.lua");
}

static size_t make_lines(test_random *random, const rule_set *set, const pool *p, ee_str *lines) {
  size_t count = 1 + test_random_below(random, LINES);
  for (size_t i = 0; i < count; i++)
    lines[i] = set->rules != NULL ? sample_line(random, p, set->id, i) : everything_line(random, i);
  return count;
}

static void check_round(test_random *random, const rule_set *set) {
  static ee_str lines[LINES];
  static pool p;
  ee_rule_file *rules = open_set(set, random, &p);
  const ee_plan *plan = ee_rule_file_plan(rules);
  size_t count = make_lines(random, set, &p, lines), parts = 1 + test_random_below(random, PARTS), at = 0;
  ee_str states[PARTS];
  for (size_t i = 0; i < parts; i++) {
    size_t to = i + 1 == parts ? count : at + test_random_below(random, count - at + 1);
    states[i] = run_part(plan, lines, at, to, 1 + (unsigned)test_random_below(random, 3));
    at = to;
  }
  ee_str whole = run_part(plan, lines, 0, count, 1), merged = merge_states(random, plan, states, 0, parts);
  check_same("reports", set, report_of_state(plan, whole), report_of_state(plan, merged));
  check_same("states", set, whole, merged);
  ee_rule_file_free(rules);
  ee_arena_reset(&arena, 0);
}

static void test_partitions(void **state) {
  (void)state;
  test_random random = test_random_start("test_any_partition", 15);
  for (int round = 0; round < 5; round++)
    for (size_t i = 0; i < sizeof rule_sets / sizeof *rule_sets; i++) check_round(&random, &rule_sets[i]);
}

/* What a random damage leaves of a text: other bytes, or another number somewhere. */
static ee_str damaged(test_random *random, ee_str text) {
  static const char *const numbers[] = {"0",       "-1", "-3", "-9", "\"ffffffffffffffff\"", "9007199254740991",
                                        "\"7ff\"", "[]"};
  char *copy = ee_arena_copy(&arena, text.data, text.length);
  size_t at = test_random_below(random, text.length);
  if (test_random_below(random, 2) == 0) {
    for (size_t i = test_random_below(random, 3) + 1; i > 0; i--)
      copy[test_random_below(random, text.length)] = "0123456789-[],\"AQgw/+."[test_random_below(random, 22)];
    return (ee_str){copy, text.length};
  }
  size_t end = at;
  while (at > 0 && strchr(",[", copy[at - 1]) == NULL) at--;
  while (end < text.length && strchr(",]", copy[end]) == NULL) end++;
  return printed("%.*s%s%.*s", (int)at, copy, numbers[test_random_below(random, 8)], (int)(text.length - end),
                 copy + end);
}

/* Without its checksum, a damaged state is refused or has numbers that can be merged, stored and printed. */
static void test_damaged(void **state) {
  (void)state;
  static ee_str lines[LINES];
  static pool p;
  test_random random = test_random_start("test_any_partition damaged", 16);
  const char *rounds = getenv("EE_TEST_DAMAGED");
  size_t tries = rounds != NULL ? strtoul(rounds, NULL, 10) : 150, read = 0;
  for (size_t i = 0; i < sizeof rule_sets / sizeof *rule_sets; i++) {
    ee_rule_file *rules = open_set(&rule_sets[i], &random, &p);
    const ee_plan *plan = ee_rule_file_plan(rules);
    size_t count = make_lines(&random, &rule_sets[i], &p, lines);
    ee_str good = run_part(plan, lines, 0, count < 30 ? count : 30, 1);
    for (size_t k = 0; k < tries; k++) {
      ee_arena_mark mark = ee_arena_get_mark(&arena);
      ee_totals totals, all;
      if (totals_load(&totals, plan, damaged(&random, good), &arena)) {
        read++;
        assert_true(totals_load(&all, plan, good, &arena));
        ee_totals_merge(&all, &totals);
        totals_save(&totals, &arena);
        report_of(plan, &all);
        ee_totals_fini(&totals);
        ee_totals_fini(&all);
      }
      ee_arena_rewind(&arena, mark);
    }
    ee_rule_file_free(rules);
    ee_arena_reset(&arena, 0);
  }
  assert_true(read > 0);
}

static int set_up(void **state) {
  ee_arena_init(&arena, 0);
  ee_error error;
  assert_non_null(getcwd(project, sizeof project));
  provider = ee_provider_open(&(ee_provider_settings){0}, NULL, &error);
  return rule_text_setup(state);
}

static int tear_down(void **state) {
  ee_provider_free(provider);
  ee_arena_fini(&arena);
  return rule_text_teardown(state);
}

EE_TEST_FILE(set_up, tear_down, cmocka_unit_test(test_partitions), cmocka_unit_test(test_damaged));
