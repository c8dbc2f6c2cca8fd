/* test_options.c: the tables of options and commands, and values of each kind. */
#include "cli/options.h"

#include "lua/shipped_rules.h"

/* Parses up to 12 words after the program's name; the caller frees the options. */
static ee_status parse(const char *const *words, ee_options *options, ee_error *error) {
  static char copies[12][64];
  char *argv[13] = {(char *)(uintptr_t) "evalengine"};
  int argc = 1;
  for (; words[argc - 1] != NULL; argc++) argv[argc] = strcpy(copies[argc - 1], words[argc - 1]);
  return ee_options_parse(argc, argv, options, error);
}

static void test_rows(void **state) {
  (void)state;
  unsigned all = 0;
  for (const ee_option_row *row = ee_option_rows; row->name != NULL; row++) {
    for (const ee_option_row *other = ee_option_rows; other < row; other++) {
      assert_string_not_equal(row->name, other->name);
      assert_true(row->letter == '\0' || row->letter != other->letter);
      if (strcmp(row->group, other->group) == 0) assert_string_equal(row->group, row[-1].group); /* one heading each */
    }
    assert_true(strlen(row->help) > 0 && row->help[strlen(row->help) - 1] != '.');
    assert_true((row->commands & EE_IN_ANY) != 0 && (row->commands & ~(unsigned)EE_IN_ANY) == 0);
    assert_true((row->kind == EE_KIND_REQUEST) == (row->print != NULL));
    assert_true(row->kind != EE_KIND_FLAG || row->argument == NULL);
    assert_true(row->kind != EE_KIND_CHOICE || strchr(row->argument, '|') != NULL);
  }
  for (const ee_command_row *row = ee_command_rows; row->operands != NULL; row++) {
    all |= row->bits;
    assert_non_null(row->run);
    assert_true(row->max == 0 || row->max >= row->min);
    assert_true(row->word == NULL || row->needs != NULL);
  }
  assert_int_equal(all, EE_IN_ANY);
}

/* Else the shipped rules could not be named. */
static void test_no_command_is_called_as_shipped_rules(void **state) {
  (void)state;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  const char *path;
  for (const ee_command_row *row = ee_command_rows; row->operands != NULL; row++) {
    if (row->word == NULL) continue;
    assert_int_equal(ee_shipped_find(&arena, row->word, "", &path, NULL), EE_OK);
    assert_null(path);
  }
  assert_int_equal(ee_shipped_find(&arena, "help", "", &path, NULL), EE_OK);
  assert_null(path);
  assert_int_equal(ee_shipped_find(&arena, "invoice", "", &path, NULL), EE_OK);
  assert_non_null(path);
  ee_arena_fini(&arena);
}

static void test_values(void **state) {
  (void)state;
  ee_options options;
  ee_error error;
  assert_int_equal(parse((const char *const[]){"r.lua", "-qj4", "d.jsonl", "--set", "a=1", "--set=b=x=y",
                                               "--color=never", "-f", "json", "--only", "x", NULL},
                         &options, &error),
                   EE_OK);
  assert_null(options.command->word);
  assert_int_equal(options.operand_count, 2);
  assert_true(options.quiet && !options.verbose);
  assert_int_equal(options.jobs, 4);
  assert_int_equal(options.lua_budget, -1);
  assert_int_equal(options.color, EE_WHEN_NEVER);
  assert_string_equal(options.format->name, "json");
  assert_int_equal(options.parameters.count, 2);
  assert_string_equal(options.parameters.items[1].name, "b");
  assert_string_equal(options.parameters.items[1].value, "x=y");
  assert_null(ee_options_misplaced(&options, EE_IN_EVALUATE));
  assert_string_equal(ee_options_misplaced(&options, EE_IN_CHECK), "format");
  ee_options_fini(&options);
}

/* Twice the same is harmless; two values for one option, and the first would be ignored without a word. */
static void test_repeated(void **state) {
  (void)state;
  static const struct {
    const char *words[9];
    const char *message; /* NULL: fine */
  } cases[] = {
      {{"r.lua", "d", "-o", "a", "-o", "b"}, "--output is given twice: 'a' and 'b'"},
      {{"r.lua", "d", "-o", "a", "--output=a"}, NULL},
      {{"r.lua", "d", "-fjson", "-fcsv"}, "--format is given twice: 'json' and 'csv'"},
      {{"r.lua", "d", "-j", "2", "--jobs", "3"}, "--jobs is given twice: '2' and '3'"},
      {{"r.lua", "d", "--color", "always", "--color", "never"}, "--color is given twice: 'always' and 'never'"},
      {{"compare", "a", "b", "--threshold", "0", "--threshold", "1"}, "--threshold is given twice: '0' and '1'"},
      {{"r.lua", "d", "--set", "a=1", "--set", "a=2"}, "--set a is given twice, with different values"},
      {{"r.lua", "d", "--set", "a=1", "--set", "b=2"}, NULL},
      {{"r.lua", "d", "--only", "a", "--only", "b"}, NULL},
      {{"r.lua", "d", "-q", "-q"}, NULL},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ee_options options;
    ee_error error = {0};
    assert_int_equal(parse(cases[i].words, &options, &error), cases[i].message != NULL ? EE_ERROR_USAGE : EE_OK);
    assert_string_equal(error.message, cases[i].message != NULL ? cases[i].message : "");
    ee_options_fini(&options);
  }
}

static void test_format_of_the_output(void **state) {
  (void)state;
  static const struct {
    const char *output, *format; /* NULL: refused */
  } cases[] = {{"a.json", "json"},
               {"a.JSONL", "jsonl"},
               {"dir.csv/a.md", "markdown"},
               {"a.b.csv", "csv"},
               {"a.txt", "table"},
               {"a", "table"},
               {"dir.json/a", "table"},
               {".json", "table"},
               {"/dev/stdout", "table"},
               {"tmp.Xy2kd8s7Qa", "table"},
               {"report-1.2", "table"},
               {"a.", "table"},
               {"a.out", NULL},
               {"a.json.gz", NULL}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ee_options options;
    ee_error error = {0};
    ee_status status = parse((const char *const[]){"r.lua", "d", "-o", cases[i].output, NULL}, &options, &error);
    assert_int_equal(status, cases[i].format != NULL ? EE_OK : EE_ERROR_USAGE);
    if (status == EE_OK) assert_string_equal(options.format->name, cases[i].format);
    ee_options_fini(&options);
    assert_int_equal(
        parse((const char *const[]){"r.lua", "d", "-o", cases[i].output, "-f", "csv", NULL}, &options, &error), EE_OK);
    assert_string_equal(options.format->name, "csv"); /* --format decides */
    ee_options_fini(&options);
  }
}

/* Numbers are decimal, whatever strtod() would read. */
static void test_numbers(void **state) {
  (void)state;
  static const struct {
    const char *text;
    double value; /* negative: refused */
  } cases[] = {{"0", 0},    {"1", 1},    {"0.25", 0.25}, {"1e-2", 0.01}, {".5", 0.5}, {"0x1p-1", -1}, {"0.5x", -1},
               {"nan", -1}, {"inf", -1}, {"", -1},       {"-0.1", -1},   {"1.1", -1}, {"1e-400", 0.0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ee_options options;
    ee_error error;
    ee_status status =
        parse((const char *const[]){"compare", "a", "b", "--threshold", cases[i].text, NULL}, &options, &error);
    assert_int_equal(status, cases[i].value < 0 ? EE_ERROR_USAGE : EE_OK);
    if (status == EE_OK) assert_true(options.threshold == cases[i].value);
    ee_options_fini(&options);
  }
  static const struct {
    const char *text;
    int64_t value;
  } counts[] = {{"0", 0},
                {"9223372036854775807", INT64_MAX},
                {"9223372036854775808", -1},
                {"007", 7},
                {"", -1},
                {"-1", -1},
                {"+1", -1},
                {"1.0", -1},
                {" 1", -1}};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    ee_options options;
    ee_error error;
    ee_status status = parse((const char *const[]){"r.lua", "d", "--limit", counts[i].text, NULL}, &options, &error);
    assert_int_equal(status, counts[i].value < 0 ? EE_ERROR_USAGE : EE_OK);
    if (status == EE_OK) assert_true(options.limit == counts[i].value);
    ee_options_fini(&options);
  }
}

/* Each command has an example, which the parser accepts. */
static void test_examples(void **state) {
  (void)state;
  for (const ee_command_row *row = ee_command_rows; row->operands != NULL; row++) {
    if (row->word == NULL) continue;
    assert_non_null(row->example);
    char text[256];
    const char *words[16] = {NULL};
    snprintf(text, sizeof text, "%s", row->example);
    size_t count = 0;
    for (char *word = strtok(text, " "); word != NULL && strcmp(word, "<") != 0; word = strtok(NULL, " "))
      words[count++] = word;
    assert_string_equal(words[0], "evalengine");
    assert_string_equal(words[1], row->word);
    ee_options options;
    ee_error error;
    if (parse(words + 1, &options, &error) != EE_OK) fail_msg("%s: %s", row->example, error.message);
    assert_ptr_equal(options.command, row);
    ee_options_fini(&options);
  }
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_examples), cmocka_unit_test(test_rows),
             cmocka_unit_test(test_no_command_is_called_as_shipped_rules), cmocka_unit_test(test_values),
             cmocka_unit_test(test_repeated), cmocka_unit_test(test_format_of_the_output),
             cmocka_unit_test(test_numbers));
