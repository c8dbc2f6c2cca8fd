/* test_schema_files.c: the files that an ee.schema reads: JSON and YAML, those beside the schema and not, and
 * registries of files, folders and URIs; and what is said of what cannot be read. */
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "judge/case.h"
#include "judge/outside/schema_files.h"
#include "judge/plan.h"
#include "judge/plan_fixture.h"

static char folder[] = P_tmpdir "/ee-schema-files-XXXXXX";

static int setup(void **state) {
  (void)state;
  return mkdtemp(folder) != NULL && chdir(folder) == 0 ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *facts, int type, struct FTW *walk) {
  (void)facts, (void)type, (void)walk;
  return remove(path);
}

static int teardown(void **state) {
  (void)state;
  return chdir("/") == 0 && nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS) == 0 ? 0 : -1;
}

static void write_file(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  assert_int_equal(fclose(file), 0);
}

static void make_folder(const char *path) { assert_int_equal(mkdir(path, 0777), 0); }

/* The test's folder is "FOLDER" in messages. */
static void add_message(ee_buffer *out, const char *message) {
  for (const char *found; (found = strstr(message, folder)) != NULL; message = found + strlen(folder)) {
    ee_buffer_add(out, message, (size_t)(found - message));
    ee_buffer_add_text(out, "FOLDER");
  }
  ee_buffer_add_text(out, message);
}

/* Compiles an ee.schema with `options`, and judges `candidate`: all messages as "FILE:LINE: MESSAGE", then warnings,
 * then the misses; "fits" without any. */
static void check(const char *options, const char *candidate, const char *expected) {
  fixture f;
  fixture_open(&f);
  char rules[1024];
  snprintf(rules, sizeof rules, "{\"ee\":\"rules\",\"items\":[{\"ee\":\"schema\",\"line\":2,%s}]}", options);
  bool good = fixture_compile(&f, rules) != NULL;
  ee_buffer found;
  ee_buffer_init(&found);
  for (size_t i = 0; i < f.errors.count; i++) {
    const ee_error *error = &f.errors.items[i];
    ee_buffer_addf(&found, "%s%s:%zu: ", i > 0 ? "\n" : "", error->file, error->line);
    add_message(&found, error->message);
  }
  for (size_t i = 0; good && i < f.plan->warning_count; i++) {
    ee_buffer_addf(&found, "%swarning: ", found.length > 0 ? "\n" : "");
    add_message(&found, f.plan->warnings[i].message);
  }
  if (good) {
    const ee_judge_result *result = fixture_judge_case(&f, "{}", candidate);
    if (found.length > 0) ee_buffer_add_char(&found, '\n');
    ee_buffer_add_text(&found,
                       result->miss_count == 0 ? "fits" : fixture_findings(&f, result->misses, result->miss_count));
  }
  assert_string_equal(ee_buffer_terminate(&found), expected);
  ee_buffer_fini(&found);
  fixture_close(&f);
}

#define NUMBER "{\"type\":\"number\"}"
#define NOT_BELOW "is not below the schema's folder (a file or folder can be named in 'registry')"
#define NOT_KNOWN                                                                                                      \
  "is not known, and nothing is loaded from the network (a file or folder with it can be named in 'registry')"
#define WRONG "total (expected a number, got a string)"

static void json_and_yaml_files_are_read(void **state) {
  (void)state;
  write_file("s.json", "{\"properties\":{\"total\":" NUMBER "}}");
  write_file("s.yaml", "properties:\n  total: {type: number}\n");
  write_file("s.yml", "properties: {total: {type: number}}\n");
  static const char *const files[] = {"\"file\":\"s.json\"", "\"file\":\"s.yaml\"", "\"file\":\"s.yml\""};
  for (size_t i = 0; i < 3; i++) {
    check(files[i], "{\"total\":1}", "fits");
    check(files[i], "{\"total\":\"1\"}", WRONG);
  }
  /* Also by a program that has closed its standard input. */
  int input = dup(0);
  close(0);
  check(files[0], "{\"total\":\"1\"}", WRONG);
  if (input > 0) {
    assert_int_equal(dup2(input, 0), 0);
    close(input);
  }
}

static void what_cannot_be_read_is_reported_with_its_line(void **state) {
  (void)state;
  make_folder("a-folder.json");
  write_file("cut.json", "{\n\"properties\":\n");
  write_file("cut.yaml", "properties:\n  total: {type: number\n");
  write_file("empty.json", "");
  write_file("twice.json", "{\"type\":\"object\",\"type\":\"array\"}");
  check("\"file\":\"missing.json\"", "{}",
        "rules.lua:2: file of ee.schema: cannot open 'missing.json': No such file or directory");
  check("\"file\":\"a-folder.json\"", "{}", "rules.lua:2: file of ee.schema: 'a-folder.json' is a directory");
  check("\"file\":\"cut.json\"", "{}", "cut.json:3: unexpected end of text");
  check("\"file\":\"cut.yaml\"", "{}", "cut.yaml:3: the object that begins on line 2 is not closed");
  check("\"file\":\"empty.json\"", "{}", "empty.json:1: unexpected end of text");
  check("\"file\":\"twice.json\"", "[]",
        "warning: file of ee.schema: key 'type' occurs twice, the last one counts\nfits");
}

static void files_beside_the_schema_are_found(void **state) {
  (void)state;
  make_folder("beside");
  make_folder("beside/below");
  write_file("beside/s.json", "{\"properties\":{\"total\":{\"$ref\":\"below/number%20one.json\"},"
                              "\"name\":{\"$ref\":\"names.yaml#/$defs/name\"}}}");
  write_file("beside/below/number one.json", NUMBER);
  write_file("beside/names.yaml", "$defs:\n  name: {type: string}\n");
  check("\"file\":\"beside/s.json\"", "{\"total\":1,\"name\":\"x\"}", "fits");
  check("\"file\":\"beside/s.json\"", "{\"total\":\"1\",\"name\":2}",
        "total (expected a number, got a string); name (expected a string, got a number)");
}

static void what_is_not_beside_is_not_read(void **state) {
  (void)state;
  make_folder("own");
  write_file("other.json", NUMBER);
  write_file("own/up.json", "{\"$ref\":\"../other.json\"}");
  write_file("own/hidden-up.json", "{\"$ref\":\"%2e%2e/other.json\"}");
  write_file("own/hidden-slash.json", "{\"$ref\":\"%2e%2e%2fother.json\"}");
  write_file("own/root.json", "{\"$ref\":\"file:///etc/passwd\"}");
  write_file("own/net.json", "{\"$ref\":\"http://127.0.0.1:9/s.json\"}");
  write_file("own/missing.json", "{\"$ref\":\"nothing.json\"}");
  write_file("own/bad.json", "{\"$ref\":\"broken.json\"}");
  write_file("own/broken.json", "{\n\"type\": }");
  check("\"file\":\"own/up.json\"", "1", "own/up.json:0: /$ref: 'FOLDER/other.json' " NOT_BELOW);
  check("\"file\":\"own/hidden-up.json\"", "1", "own/hidden-up.json:0: /$ref: 'FOLDER/own/../other.json' " NOT_BELOW);
  check("\"file\":\"own/hidden-slash.json\"", "1",
        "own/hidden-slash.json:0: /$ref: 'FOLDER/own/../other.json' " NOT_BELOW);
  /* Two dots are a step up only where they are all of a part. */
  make_folder("own/dots..");
  make_folder("own/..dots");
  static const char *const names[] = {"a..b.json",     "..c.json", "dots../d.json",
                                      "..dots/e.json", "f..",      "dots../g...h..i"};
  static const char *const steps[] = {"dots..%2f..%2f..%2fother.json", "..dots/%2e%2e/%2e%2e/other.json", "a..b%2f.."};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char path[64], text[64];
    snprintf(path, sizeof path, "own/%s", names[i]);
    snprintf(text, sizeof text, "{\"$ref\":\"%s\"}", names[i]);
    write_file(path, NUMBER);
    write_file("own/dots.json", text);
    check("\"file\":\"own/dots.json\"", "1", "fits");
    check("\"file\":\"own/dots.json\"", "\"1\"", "document (expected a number, got a string)");
  }
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
    char text[64];
    snprintf(text, sizeof text, "{\"$ref\":\"%s\"}", steps[i]);
    write_file("own/dots.json", text);
    fixture f;
    fixture_open(&f);
    assert_null(fixture_compile(&f, "{\"ee\":\"rules\",\"items\":[{\"ee\":\"schema\",\"file\":\"own/dots.json\"}]}"));
    assert_non_null(strstr(f.errors.items[0].message, NOT_BELOW));
    fixture_close(&f);
  }
  check("\"file\":\"own/root.json\"", "1", "own/root.json:0: /$ref: '/etc/passwd' " NOT_BELOW);
  check("\"file\":\"own/net.json\"", "1", "own/net.json:0: /$ref: 'http://127.0.0.1:9/s.json' " NOT_KNOWN);
  check("\"file\":\"own/missing.json\"", "1",
        "own/missing.json:0: /$ref: cannot open 'nothing.json' beside the schema: No such file or directory");
  check("\"file\":\"own/bad.json\"", "1",
        "own/bad.json:0: /$ref: 'broken.json' beside the schema, line 2: expected a value");
  check("\"file\":\"own/up.json\",\"registry\":\"other.json\"", "1", "fits");
}

static void registries_name_files_folders_and_uris(void **state) {
  (void)state;
  make_folder("registry");
  make_folder("registry/parts");
  write_file("registry/parts/total.json", NUMBER);
  write_file("registry/with-id.json", "{\"$id\":\"https://example.com/name.json\",\"type\":\"string\"}");
  write_file("registry/notes.txt", "not a schema");
  write_file("uri.json", "{\"properties\":{\"total\":{\"$ref\":\"https://example.com/parts/total.json\"},"
                         "\"name\":{\"$ref\":\"https://example.com/name.json\"}}}");
#define URI "\"file\":\"uri.json\",\"registry\":"
  check(URI "{\"https://example.com/\":\"registry\"}", "{\"total\":1,\"name\":\"x\"}", "fits");
  check(URI "{\"https://example.com/\":\"registry/\"}", "{\"total\":\"1\",\"name\":\"x\"}", WRONG);
  check(URI "[\"registry\"]", "{}",
        "uri.json:0: /properties/total/$ref: 'https://example.com/parts/total.json' " NOT_KNOWN);
  check(URI "{\"https://example.com/parts/total.json\":\"registry/parts/total.json\","
            "\"https://example.com/name.json\":\"registry/with-id.json\"}",
        "{\"total\":\"1\"}", WRONG);
  check(URI "{\"https://example.com/parts\":\"registry/parts\"}", "{}",
        "rules.lua:2: registry of ee.schema: 'https://example.com/parts' must end in '/' and its value be a folder, or "
        "neither");
  check(URI "{\"https://example.com/parts/\":\"registry/parts/total.json\"}", "{}",
        "rules.lua:2: registry of ee.schema: 'https://example.com/parts/' must end in '/' and its value be a folder, "
        "or neither");
  check(URI "{\"https://example.com/parts#a\":\"registry/parts/total.json\"}", "{}",
        "rules.lua:2: registry of ee.schema: a URI with a fragment names a part of a document");
  check(URI "[\"nowhere\"]", "{}",
        "rules.lua:2: registry of ee.schema: cannot open 'nowhere': No such file or directory");
  check(URI "[7]", "{}",
        "rules.lua:2: registry of ee.schema must hold names of files and folders (strings), got a number");
}

static void a_registry_leaves_out_what_is_not_json(void **state) {
  (void)state;
  make_folder("mixed");
  write_file("mixed/good.json", "{\"$id\":\"urn:good\",\"type\":\"number\"}");
  write_file("mixed/same.json", "{\"$id\":\"urn:good\",\"type\":\"string\"}");
  write_file("mixed/wrong.json", "{\n7}");
  write_file("user.json", "{\"$ref\":\"urn:good\"}");
  check("\"file\":\"user.json\",\"registry\":\"mixed\"", "1",
        "warning: registry of ee.schema: 'same.json' has a name or '$id' of 'good.json', which counts\nwarning: "
        "registry of ee.schema: 'wrong.json' is left out: line 2: expected a key in double quotes\nfits");
  /* Named, it must be one. */
  check("\"file\":\"user.json\",\"registry\":[\"mixed/good.json\",\"mixed/wrong.json\"]", "1",
        "mixed/wrong.json:2: expected a key in double quotes");
}

/* A document of a registry has the URI of its file: its own references start there. */
static void references_of_a_registry_start_at_its_file(void **state) {
  (void)state;
  make_folder("far");
  make_folder("far/parts");
  make_folder("near");
  write_file("far/invoice.json", "{\"properties\":{\"total\":{\"$ref\":\"parts/sum.json\"}}}");
  write_file("far/parts/sum.json", "{\"$ref\":\"../amount.json\"}");
  write_file("far/amount.json", NUMBER);
  write_file("near/s.json", "{\"$ref\":\"../far/invoice.json\"}");
  check("\"file\":\"near/s.json\",\"registry\":\"far\"", "{\"total\":1}", "fits");
  check("\"file\":\"near/s.json\",\"registry\":\"far\"", "{\"total\":\"1\"}", WRONG);
  check("\"file\":\"near/s.json\",\"registry\":[\"far/invoice.json\",\"far/parts/sum.json\",\"far/amount.json\"]",
        "{\"total\":\"1\"}", WRONG);
}

/* Of two files of one name the first counts, and the other is reported; their places still tell them apart. */
static void files_of_one_name_are_reported(void **state) {
  (void)state;
  make_folder("one");
  make_folder("two");
  write_file("one/part.json", NUMBER);
  write_file("two/part.json", "{\"type\":\"string\"}");
  write_file("by-name.json", "{\"properties\":{\"total\":{\"$ref\":\"urn:x:part.json\"}}}");
  write_file("by-place.json", "{\"properties\":{\"total\":{\"$ref\":\"two/part.json\"}}}");
#define TWICE "warning: registry of ee.schema: 'part.json' has a name or '$id' of 'part.json', which counts\n"
  check("\"file\":\"by-place.json\",\"registry\":[\"one\",\"two\"]", "{\"total\":\"1\"}", TWICE "fits");
  check("\"file\":\"by-place.json\",\"registry\":[\"one/part.json\",\"two/part.json\"]", "{\"total\":1}",
        TWICE "total (expected a string, got a number)");
  check("\"file\":\"by-place.json\",\"registry\":\"one\"", "{\"total\":\"1\"}", "fits");
  check("\"file\":\"by-name.json\",\"registry\":{\"urn:x:part.json\":\"one/part.json\"}", "{\"total\":\"1\"}", WRONG);
}

/* Files are read until there are more bytes than the limit: at the limit itself one more is. */
static void a_registry_has_a_limit_of_bytes(void **state) {
  (void)state;
  const size_t parts = EE_REGISTRY_BYTES / EE_COMPILE_FILE_LIMIT;
  assert_true(parts * EE_COMPILE_FILE_LIMIT == EE_REGISTRY_BYTES);
  char *text = malloc(EE_COMPILE_FILE_LIMIT + 1), name[32];
  assert_non_null(text);
  memset(text, ' ', EE_COMPILE_FILE_LIMIT);
  memcpy(text, "true", 4);
  text[EE_COMPILE_FILE_LIMIT] = '\0';
  make_folder("large");
  write_file("large/0.json", text);
  free(text);
  for (size_t i = 1; i < parts; i++) {
    snprintf(name, sizeof name, "large/%zu.json", i);
    assert_int_equal(link("large/0.json", name), 0);
  }
  write_file("large/last.json", "{\"$id\":\"urn:last\",\"type\":\"number\"}");
  write_file("to-last.json", "{\"$ref\":\"urn:last\"}");
#define LARGE "\"file\":\"to-last.json\",\"registry\":\"large\""
  check(LARGE, "1", "fits");
  write_file("large/a.json", "1");
  check(LARGE, "1", "rules.lua:2: registry of ee.schema: more than 10000 files or 256 MiB");
}

EE_TEST_FILE(setup, teardown, cmocka_unit_test(json_and_yaml_files_are_read),
             cmocka_unit_test(what_cannot_be_read_is_reported_with_its_line),
             cmocka_unit_test(files_beside_the_schema_are_found), cmocka_unit_test(what_is_not_beside_is_not_read),
             cmocka_unit_test(registries_name_files_folders_and_uris),
             cmocka_unit_test(a_registry_leaves_out_what_is_not_json),
             cmocka_unit_test(references_of_a_registry_start_at_its_file),
             cmocka_unit_test(files_of_one_name_are_reported), cmocka_unit_test(a_registry_has_a_limit_of_bytes));
