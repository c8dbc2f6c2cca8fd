/* test_shipped_rules.c: names of shipped rules: their list, what a name stands for, near misses. */
#include "lua/shipped_rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/data_folder.h"

static ee_arena arena;

static int start(void **state) {
  (void)state;
  ee_arena_init(&arena, 0);
  return 0;
}

static int end(void **state) {
  (void)state;
  ee_arena_fini(&arena);
  return 0;
}

/* The path, or NULL. */
static const char *path_of(const char *name, const char *ending) {
  const char *path;
  assert_int_equal(ee_shipped_find(&arena, name, ending, &path, NULL), EE_OK);
  return path;
}

/* Every file of the folder, found by a slow walk of the shell. */
static void test_list_is_whole(void **state) {
  (void)state;
  ee_shipped_files files;
  ee_error error;
  assert_int_equal(ee_shipped_list(&arena, &files, &error), EE_OK);
  FILE *found = popen("cd rules && { LC_ALL=C ls *.lua; LC_ALL=C ls */*.lua; } | grep -v '_test.lua$'", "r");
  assert_non_null(found);
  char line[200];
  size_t count = 0;
  while (fgets(line, sizeof line, found) != NULL) {
    line[strcspn(line, ".")] = '\0';
    assert_true(count < files.count);
    const ee_shipped_file *file = &files.items[count++];
    assert_string_equal(file->name, line);
    /* What it is for: a sentence. */
    assert_true(strlen(file->help) > 10);
    assert_null(strchr(file->help, '\n'));
    assert_int_equal(file->help[strlen(file->help) - 1], '.');
    assert_string_equal(path_of(file->name, ""), file->path);
    assert_non_null(path_of(file->name, "_test"));
  }
  pclose(found);
  assert_int_equal(count, files.count);
  assert_true(count > 20);
}

static void test_rules_and_modules(void **state) {
  (void)state;
  ee_shipped_files files;
  assert_int_equal(ee_shipped_list(&arena, &files, NULL), EE_OK);
  size_t seen = 0;
  for (size_t i = 0; i < files.count; i++) {
    const ee_shipped_file *file = &files.items[i];
    if (strcmp(file->name, "invoice") == 0) assert_true(file->is_rules && ++seen);
    if (strcmp(file->name, "compat/docile") == 0) assert_true(file->is_rules && ++seen);
    if (strcmp(file->name, "compat/docile_metrics") == 0) assert_true(!file->is_rules && ++seen);
    if (strcmp(file->name, "strategies/iban") == 0) assert_true(!file->is_rules && ++seen);
  }
  assert_int_equal(seen, 4);
}

/* Nothing outside of the folder has a name. */
static void test_names_that_are_none(void **state) {
  (void)state;
  static const char *const names[] = {"",         "/invoice",    "invoice/", "../rules/invoice", "compat/../invoice",
                                      ".",        "invoice.lua", "Invoice",  "manual/compat",    "invoice_test",
                                      "compat//", "a/b/c",       "compat",   "strategies",       "./invoice",
                                      "in\nvoice"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) assert_null(path_of(names[i], ""));
  char *longest = ee_arena_alloc(&arena, 5001);
  memset(longest, 'a', 5000);
  longest[5000] = '\0';
  assert_null(path_of(longest, ""));
  assert_int_equal(ee_named_rules_check(longest, &arena, NULL), EE_OK);
}

static void test_what_a_name_stands_for(void **state) {
  (void)state;
  char folder[] = "/tmp/ee_names_XXXXXX", before[1000];
  assert_non_null(getcwd(before, sizeof before));
  assert_non_null(mkdtemp(folder));
  assert_int_equal(chdir(folder), 0);
  ee_named_rules found;
  ee_error error = {0};

  assert_int_equal(ee_named_rules_find("invoice", "", true, &arena, &found, &error), EE_OK);
  assert_true(found.shipped && !found.hidden);
  assert_int_equal(strncmp(found.path, ee_data_folder(EE_DATA_RULES), strlen(ee_data_folder(EE_DATA_RULES))), 0);
  assert_int_equal(ee_named_rules_find("invoice", "_test", false, &arena, &found, &error), EE_OK);
  assert_non_null(strstr(found.path, "/invoice_test.lua"));
  assert_int_equal(ee_named_rules_find("nothing", "", true, &arena, &found, &error), EE_OK);
  assert_true(!found.shipped && !found.hidden && strcmp(found.path, "nothing") == 0);

  /* A folder is no rule file, but it may be data. */
  assert_int_equal(mkdir("invoice", 0700), 0);
  assert_int_equal(ee_named_rules_find("invoice", "", false, &arena, &found, &error), EE_OK);
  assert_true(found.shipped);
  assert_int_equal(ee_named_rules_find("invoice", "", true, &arena, &found, &error), EE_OK);
  assert_true(!found.shipped && found.hidden && strcmp(found.path, "invoice") == 0);
  assert_int_equal(rmdir("invoice"), 0);

  FILE *own = fopen("invoice.lua", "w");
  assert_non_null(own);
  fclose(own);
  assert_int_equal(ee_named_rules_find("invoice", "", true, &arena, &found, &error), EE_ERROR_USAGE);
  assert_int_equal(strncmp(error.message, "'invoice' can be 'invoice.lua' in this folder or the shipped rules: ", 60),
                   0);
  assert_int_equal(ee_named_rules_find("invoice", "_test", true, &arena, &found, &error), EE_OK);
  assert_int_equal(ee_named_rules_find("invoice.lua", "", true, &arena, &found, &error), EE_OK);
  assert_true(!found.shipped && !found.hidden);
  unlink("invoice.lua");

  assert_int_equal(chdir(before), 0);
  assert_int_equal(rmdir(folder), 0);
}

static void test_near_names(void **state) {
  (void)state;
  static const struct {
    const char *name, *near; /* NULL: nothing is near */
  } cases[] = {{"invoce", "invoice"},          {"Invoice", "invoice"},       {"anls", "compat/anls"},
               {"compat/ansl", "compat/anls"}, {"ibann", "strategies/iban"}, {"frobnicate", NULL},
               {"truth.jsonl", NULL},          {"invoice.lua", NULL},        {"rules", NULL}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ee_error error = {0};
    ee_status status = ee_named_rules_check(cases[i].name, &arena, &error);
    assert_int_equal(status, cases[i].near != NULL ? EE_ERROR_USAGE : EE_OK);
    if (cases[i].near == NULL) continue;
    assert_string_equal(error.message,
                        ee_arena_printf(&arena,
                                        "no file and no shipped rules named '%s' (did you mean '%s'?); 'evalengine "
                                        "rules' lists them",
                                        cases[i].name, cases[i].near));
  }
}

EE_TEST_FILE(start, end, cmocka_unit_test(test_list_is_whole), cmocka_unit_test(test_rules_and_modules),
             cmocka_unit_test(test_names_that_are_none), cmocka_unit_test(test_what_a_name_stands_for),
             cmocka_unit_test(test_near_names));
