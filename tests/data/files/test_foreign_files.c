/* test_foreign_files.c: the array inside a document, and sentences, do not depend on the pieces in which a file
 * arrives; and whole files of other tools through the data set, with places of errors. */
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "data/files/array_seeker.h"
#include "data/files/dataset.h"
#include "data/files/record.h"
#include "data/files/sentence_reader.h"
#include "data/foreign/foreign.h"
#include "data/json/json_scan.h"
#include "data/json/json_writer.h"
#include "support/random.h"
#include "support/runner.h"

#include "data/temporary_files.h" /* after cmocka.h */

/* The array ------------------------------------------------------------------------------------- */

static const char *const paths[] = {"results.results", "results", NULL};

static ee_seek seek(ee_str text, size_t piece, ee_array_seeker *seeker) {
  *seeker = (ee_array_seeker){.paths = paths};
  ee_seek result = EE_SEEK_MORE;
  for (size_t at = 0; at < text.length && result == EE_SEEK_MORE;) {
    size_t start = at, length = text.length - at < piece ? text.length - at : piece;
    size_t used = 0;
    result = ee_array_seeker_run(seeker, (ee_str){text.data + start, length}, &used);
    at += used;
    if (result == EE_SEEK_MORE) assert_int_equal(used, length);
  }
  return result;
}

static void expect_found(const char *text, const char *rest) {
  for (size_t piece = 1; piece < 9; piece++) {
    ee_array_seeker seeker;
    assert_int_equal(seek(ee_str_from(text), piece, &seeker), EE_SEEK_FOUND);
    assert_string_equal(text + seeker.byte, rest);
    size_t lines = 0, begin = 0;
    for (size_t i = 0; i < seeker.byte; i++)
      if (text[i] == '\n') lines++, begin = i + 1;
    assert_int_equal(seeker.line, lines);
    assert_int_equal(seeker.line_byte, begin);
  }
}

static void test_array(void **state) {
  (void)state;
  expect_found("{\"results\":[1]}", "1]}");
  expect_found("\xef\xbb\xbf {\n \"a\" : {\"results\":[0]},\n \"results\" :\n{ \"b\":[\"}\\\"]\"], \"results\":[ 1",
               " 1");
  expect_found("{\"results\":{\"x\":{\"results\":[5]},\"results\":[1]}}", "1]}}");
  expect_found("{\"x\":[{\"results\":[2]}],\"results\":[1]}", "1]}");
  expect_found("{\"result\":[2],\"resultss\":[3],\"results.results\":[4],\"results\":[1]}", "1]}");
  /* Keys longer than are compared, and levels deeper than are known, on the way. */
  ee_buffer text = {0};
  ee_buffer_add_text(&text, "{\"");
  for (int i = 0; i < 200; i++) ee_buffer_add_text(&text, "results");
  ee_buffer_add_text(&text, "\":[1],\"results\":{\"");
  for (int i = 0; i < EE_SEEKER_KEY; i++) ee_buffer_add_char(&text, 'k');
  ee_buffer_add_text(&text, "\":");
  for (int i = 0; i < 100; i++) ee_buffer_add_text(&text, i % 3 ? "[" : "[{\"results\":");
  for (int i = 100; i-- > 0;) ee_buffer_add_text(&text, i % 3 ? "]" : i == 99 ? "0}]" : "}]");
  ee_buffer_add_text(&text, ",\"results\":[7]}}");
  expect_found(ee_buffer_terminate(&text), "7]}}");
  ee_buffer_fini(&text);
  /* A comma so deep that it is not known what it is in. */
  text = (ee_buffer){0};
  ee_buffer_add_text(&text, "{\"a\":");
  for (int i = 0; i < 70; i++) ee_buffer_add_char(&text, '[');
  ee_buffer_add_text(&text, "1,{\"results\":[2]},\"results\"");
  for (int i = 0; i < 70; i++) ee_buffer_add_char(&text, ']');
  ee_buffer_add_text(&text, ",\"results\":[3]}");
  expect_found(ee_buffer_terminate(&text), "3]}");
  ee_buffer_fini(&text);
  const char *const absent[] = {
      "[1]", "7", "{}", "{\"a\":1}", "{\"results\":{\"x\":[1]}}", "{\"x\":{\"results\":{\"results\":[1]}}}"};
  for (size_t i = 0; i < sizeof absent / sizeof *absent; i++) {
    ee_array_seeker seeker;
    assert_int_equal(seek(ee_str_from(absent[i]), 3, &seeker), EE_SEEK_ABSENT);
  }
  ee_array_seeker seeker;
  assert_int_equal(seek(EE_STR("{\"results\":{\"results\":"), 3, &seeker), EE_SEEK_MORE);
}

static void add_value(test_random *random, ee_buffer *out, size_t depth) {
  static const char *const scalars[] = {"1",        "null", "\"\"", "\"results\"", "\"{\\\"results\\\":[\"",
                                        "\"\\\\\"", "-2e3"};
  static const char *const keys[] = {"results", "a", "result", "b", "results.results"};
  size_t kind = test_random_below(random, depth > 4 ? 1 : 3);
  if (kind == 0) {
    ee_buffer_add_text(out, scalars[test_random_below(random, sizeof scalars / sizeof *scalars)]);
    return;
  }
  ee_buffer_add_char(out, kind == 1 ? '{' : '[');
  for (size_t i = 0, count = test_random_below(random, 4); i < count; i++) {
    ee_buffer_add_text(out, i > 0 ? ", " : test_random_below(random, 2) ? "\n" : "");
    if (kind == 1) ee_buffer_addf(out, "\"%s\" :", keys[test_random_below(random, 5)]);
    add_value(random, out, depth + 1);
  }
  ee_buffer_add_char(out, kind == 1 ? '}' : ']');
}

/* The first array at a path in the order of the text, by walking over members. `prefix`: 0 the root, 1 `results`. */
static const char *slow_find(ee_json_scan *scan, const char *object, int level) {
  if (*object != '{') return NULL;
  const char *at = object + 1;
  for (bool first = true;; first = false) {
    ee_str key;
    bool done;
    const char *value = ee_json_next_member(scan, at, first, &key, &done);
    if (value == NULL || done) return NULL;
    bool named = ee_str_is(key, "results");
    if (named && *value == '[') return value + 1;
    const char *inner = named && level == 0 ? slow_find(scan, value, 1) : NULL;
    if (inner != NULL) return inner;
    at = ee_json_skip_value(scan, value);
    if (at == NULL) return NULL;
  }
}

static void test_random_documents(void **state) {
  (void)state;
  test_random random = test_random_start("test_random_documents", 5);
  size_t found = 0;
  for (int i = 0; i < 20000; i++) {
    ee_buffer text = {0};
    do {
      ee_buffer_clear(&text);
      add_value(&random, &text, 0);
    } while (text.data[0] != '{');
    ee_json_scan scan = ee_json_scan_of((ee_str){text.data, text.length});
    const char *wanted = slow_find(&scan, text.data, 0);
    ee_array_seeker seeker;
    ee_seek result = seek((ee_str){text.data, text.length}, 1 + test_random_below(&random, 6), &seeker);
    assert_int_equal(result, wanted != NULL ? EE_SEEK_FOUND : EE_SEEK_ABSENT);
    if (wanted != NULL) assert_int_equal(seeker.byte, wanted - text.data);
    found += wanted != NULL;
    ee_buffer_fini(&text);
  }
  assert_in_range(found, 1000, 19000);
}

/* Sentences ------------------------------------------------------------------------------------- */

static const char *sentences(ee_str text, const char *prefix, size_t piece, size_t limit, const char *damage,
                             ee_buffer *out) {
  ee_sentence_reader *reader = ee_sentence_reader_new(limit, prefix);
  ee_block block;
  ee_block_init(&block);
  block.file = "f";
  for (size_t at = 0; at < text.length; at += piece)
    ee_sentence_reader_run(reader, (ee_str){text.data + at, text.length - at < piece ? text.length - at : piece},
                           &block);
  ee_sentence_reader_end(reader, damage, &block);
  ee_buffer_clear(out);
  for (size_t i = 0; i < block.count; i++) {
    const ee_record_span *span = &block.records[i];
    ee_str id = ee_block_given_id(&block, span);
    ee_buffer_addf(out, "%.*s@%zu:%zu[%.*s]", EE_STR_ARG(id), (size_t)span->line, (size_t)span->byte, (int)span->length,
                   block.text.data + span->offset);
  }
  for (size_t i = 0; i < block.errors.count; i++)
    ee_buffer_addf(out, "!%zu %s", block.errors.items[i].line, block.errors.items[i].message);
  ee_block_fini(&block);
  ee_sentence_reader_free(reader);
  return ee_buffer_terminate(out);
}

static void expect_sentences(const char *text, size_t limit, const char *wanted) {
  ee_buffer out = {0};
  for (size_t piece = 1; piece < 12; piece++)
    assert_string_equal(sentences(ee_str_from(text), NULL, piece, limit, NULL, &out), wanted);
  ee_buffer_fini(&out);
}

static void test_sentences(void **state) {
  (void)state;
  expect_sentences("", 100, "");
  /* A line far beyond the limit, in many pieces. */
  char line[301];
  memset(line, 'x', 200);
  memcpy(line + 200, " O\n\nb O\n", 9);
  expect_sentences(line, 20, "2@3:204[b O]!1 sentence longer than 20 bytes (--max-record)");
  expect_sentences("a O\nb O\n\nc O\n", 100, "1@1:0[a O\nb O]2@4:9[c O]");
  expect_sentences("\xef\xbb\xbf"
                   "a O\r\n\r\nc O",
                   100, "1@1:0[a O\r]2@3:10[c O]");
  expect_sentences("\n\n-DOCSTART- O\n\n# only a comment\n\na O\n-DOCSTART- O\nb O", 100, "1@7:34[a O]2@9:51[b O]");
  expect_sentences("# sent_id = 1\n#a O\n \t\nb", 100, "1@1:0[# sent_id = 1\n#a O]2@4:22[b]");
  expect_sentences("a O\nbbbbbbbbbbbbbbbbbbbbb O\n\nc O\n", 10,
                   "2@4:29[c O]!1 sentence longer than 10 bytes (--max-record)");
}

/* The same by the definition, of the whole text: lines, then groups of them. */
static const char *slow_sentences(ee_str text, size_t limit, ee_buffer *out, ee_buffer *errors) {
  ee_buffer lines = {0};
  size_t first_line = 0, first_byte = 0, words = 0, number = 0, line_number = 0;
  bool begun = false, too_long = false;
  ee_buffer_clear(out);
  ee_buffer_clear(errors);
  for (size_t at = 0; at <= text.length;) {
    const char *newline = at < text.length ? memchr(text.data + at, '\n', text.length - at) : NULL;
    size_t end = newline != NULL ? (size_t)(newline - text.data) : text.length;
    ee_str line = {text.data + at, end - at};
    line_number++;
    bool mark = ee_str_trim(line).length > 0 && line.length >= 10 && memcmp(line.data, "-DOCSTART-", 10) == 0;
    if (ee_str_trim(line).length == 0 || mark) {
      if (too_long) {
        number++;
        ee_buffer_addf(errors, "!%zu sentence longer than %zu bytes (--max-record)", first_line, limit);
      } else if (words > 0) {
        ee_buffer_addf(out, "p:%zu@%zu:%zu[%.*s]", ++number, first_line, first_byte, (int)lines.length, lines.data);
      }
      ee_buffer_clear(&lines);
      words = 0;
      begun = too_long = false;
    } else {
      if (!begun) first_line = line_number, first_byte = at;
      begun = true;
      if (lines.length + (lines.length > 0) + line.length > limit) too_long = true;
      if (!too_long) ee_buffer_addf(&lines, "%s%.*s", lines.length > 0 ? "\n" : "", EE_STR_ARG(line));
      words += !(line.length > 1 && line.data[0] == '#' && (line.data[1] == ' ' || line.data[1] == '\t'));
    }
    if (newline == NULL && at == text.length) break;
    at = newline != NULL ? end + 1 : text.length; /* then an empty line ends the last sentence */
  }
  ee_buffer_add(out, errors->data, errors->length);
  ee_buffer_fini(&lines);
  return ee_buffer_terminate(out);
}

static void test_random_sentences(void **state) {
  (void)state;
  static const char *const lines[] = {"a O",  "b\tB-X", "",  " \t",           "\r",        "-DOCSTART- O", "# c",
                                      "#\td", "#e O",   "#", "a long line O", "-DOCSTART", "c O\r"};
  test_random random = test_random_start("sentences", 20261124);
  ee_buffer text = {0}, ours = {0}, slow = {0}, errors = {0};
  size_t found = 0, too_long = 0;
  for (int round = 0; round < 20000; round++) {
    ee_buffer_clear(&text);
    for (size_t i = test_random_below(&random, 12); i > 0; i--)
      ee_buffer_addf(&text, "%s%s", lines[test_random_below(&random, sizeof lines / sizeof *lines)],
                     i > 1 || test_random_below(&random, 2) == 0 ? "\n" : "");
    ee_buffer_add_char(&text, '\0');
    text.length--;
    size_t limit = 5 + test_random_below(&random, 30);
    sentences((ee_str){text.data, text.length}, "p", 1 + test_random_below(&random, 9), limit, NULL, &ours);
    slow_sentences((ee_str){text.data, text.length}, limit, &slow, &errors);
    if (strcmp(ours.data, slow.data) != 0) fail_msg("'%s', %zu:\n%s\n%s", text.data, limit, ours.data, slow.data);
    found += strstr(ours.data, "p:2@") != NULL;
    too_long += strstr(ours.data, "longer than") != NULL;
  }
  assert_true(found > 1000 && too_long > 1000);
  /* A file that is damaged in the middle of a sentence: that one is lost. */
  sentences(EE_STR("a O\n\nb O"), NULL, 3, 100, "damaged", &ours);
  assert_string_equal(ours.data, "1@1:0[a O]!3 damaged");
  ee_buffer_fini(&text), ee_buffer_fini(&ours), ee_buffer_fini(&slow), ee_buffer_fini(&errors);
}

/* Files ----------------------------------------------------------------------------------------- */

/* What a data set of the text hands out: records by line and column, and errors. */
static const char *read_file(const ee_foreign_format *format, const char *text, size_t limit, ee_buffer *out) {
  const char *file = names[0];
  write_file(file, text, strlen(text));
  const ee_foreign_use use = {.format = format, .one_file = true};
  const ee_record_paths with = {.from = &use};
  ee_error error;
  ee_dataset *dataset = ee_dataset_open(&file, 1, &error);
  assert_non_null(dataset);
  ee_dataset_look_inside(dataset, &with);
  ee_dataset_set_sizes(dataset, 64, limit);
  ee_block block;
  ee_block_init(&block);
  ee_buffer_clear(out);
  for (bool done = false; !done;) {
    assert_int_equal(ee_dataset_next(dataset, &block, &done, &error), EE_OK);
    for (size_t i = 0; i < block.count; i++)
      ee_buffer_addf(out, "%zu:%zu %.*s\n", (size_t)block.records[i].line, (size_t)block.records[i].column,
                     (int)block.records[i].length, block.text.data + block.records[i].offset);
    for (size_t i = 0; i < block.errors.count; i++)
      ee_buffer_addf(out, "!%zu:%zu %s\n", block.errors.items[i].line, block.errors.items[i].column,
                     block.errors.items[i].message);
  }
  ee_block_fini(&block);
  ee_dataset_close(dataset);
  return ee_buffer_terminate(out);
}

#define RESULT(n)                                                                                                      \
  "{\"testIdx\":" n ",\"vars\":{\"gt\":1},\"success\":true,\"provider\":\"p\",\"response\":{\"output\":2}}"
#define RECORD(n)                                                                                                      \
  "{\"id\":" n ",\"expected\":1,\"candidate\":2,\"provider\":\"p\",\"vars\":{\"gt\":1},\"tool_pass\":true}\n"

#define NOT_PROMPTFOO "not a result of promptfoo: 'provider', 'success' and 'vars' or 'testCase' are expected in it\n"

static void test_files(void **state) {
  (void)state;
  ee_buffer out = {0};
  const ee_foreign_format *promptfoo = &ee_foreign_promptfoo;
  const char *nested = "{\"a\":\"long enough to be in several pieces\",\n\"results\":{\"results\":[\n" RESULT(
      "1") ",\n {\"x\":1},\n" RESULT("2") "],\"stats\":{\"b\":[1]}},\"config\":{}}\n";
  const char *wanted =
      "3:1 " RECORD("1") "!4:2 not a result of promptfoo: 'provider', 'success' and 'vars' or 'testCase' "
                         "are expected in it\n5:1 " RECORD("2");
  assert_string_equal(read_file(promptfoo, nested, 1 << 20, &out), wanted);
  assert_string_equal(read_file(promptfoo, "[" RESULT("1") "," RESULT("2") "]", 1 << 20, &out),
                      "1:2 " RECORD("1") "1:86 " RECORD("2"));
  assert_string_equal(read_file(promptfoo, RESULT("1") "\n" RESULT("2") "\n", 1 << 20, &out),
                      "1:1 " RECORD("1") "2:1 " RECORD("2"));
  assert_string_equal(read_file(promptfoo, RESULT("1"), 1 << 20, &out), "1:1 " RECORD("1"));
  /* Records that begin their lines, in an object. */
  assert_string_equal(read_file(promptfoo, "{\"results\":[\n" RESULT("1") ",\n" RESULT("2") "\n]}\n", 1 << 20, &out),
                      "2:1 " RECORD("1") "3:1 " RECORD("2"));
  /* What is before the array is longer than a record may be, and is dropped. */
  ee_buffer text = {0};
  ee_buffer_add_text(&text, "{\"a\":\"");
  for (int i = 0; i < 200000; i++) ee_buffer_add_char(&text, 'x');
  size_t length = text.length;
  ee_buffer_add_text(&text, "\",\n\"results\":[\n " RESULT("1") "]}");
  assert_string_equal(read_file(promptfoo, ee_buffer_terminate(&text), 1000, &out), "3:2 " RECORD("1"));
  text.length = length;
  ee_buffer_add_text(&text, "\",\"b\":{}}");
  assert_string_equal(read_file(promptfoo, ee_buffer_terminate(&text), 1000, &out),
                      "!0:0 no array of records at 'results.results': not results of promptfoo (eval -o FILE.json or "
                      "FILE.jsonl, export)\n");
  ee_buffer_fini(&text);
  /* Not closed before an array came: short, and longer than a record. */
  assert_string_equal(read_file(promptfoo, "{\n\"a\":{\"b\":[1,2]},\n", 1 << 20, &out),
                      "!1:0 the file ends in the document that starts here\n");
  text = (ee_buffer){0};
  ee_buffer_add_text(&text, "{\n\"a\":\"");
  for (int i = 0; i < 2000; i++) ee_buffer_add_char(&text, 'x');
  assert_string_equal(read_file(promptfoo, ee_buffer_terminate(&text), 1000, &out),
                      "!0:0 no array of records at 'results.results': not results of promptfoo (eval -o FILE.json or "
                      "FILE.jsonl, export)\n");
  ee_buffer_fini(&text);
  /* Nothing, and a first line that is no JSON. */
  assert_string_equal(read_file(promptfoo, " \n \n", 1 << 20, &out), "");
  assert_string_equal(read_file(promptfoo, "{\"testIdx\" 1}\n" RESULT("2") "\n", 1 << 20, &out),
                      "1:1 {\"testIdx\" 1}\n2:1 " RECORD("2"));
  static const char *const broken[] = {"{\"a\":[1}", "{\"a\" 1}",  "{\"a\":nul}",
                                       "{1:2}",      "{\"a\":01}", "{\"a\":\"\\x\"}"};
  for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
    char lines[300], records[400];
    snprintf(lines, sizeof lines, "%s\n%s\n", broken[i], RESULT("2"));
    snprintf(records, sizeof records, "1:1 %s\n2:1 %s", broken[i], RECORD("2"));
    assert_string_equal(read_file(promptfoo, lines, 1 << 20, &out), records);
  }
  /* Errors of records and of the text are in the order of the file. */
  assert_string_equal(read_file(promptfoo, "[{\"x\":1},,\n{\"z\":1}," RESULT("2") "]", 1 << 20, &out),
                      "!1:2 " NOT_PROMPTFOO "!1:10 expected a value before ','\n!2:1 " NOT_PROMPTFOO
                      "2:9 " RECORD("2"));
  /* Documents of a tool whose files have no array. */
  assert_string_equal(read_file(&ee_foreign_langextract, "{\n\"a\":1\n}\n", 1 << 20, &out),
                      "!1:1 not a document of LangExtract: 'text' and an array 'extractions' are expected in it\n");
  const char *cut = read_file(promptfoo, "{\"results\":[" RESULT("1") ",{\"testIdx\":", 1 << 20, &out);
  assert_non_null(strstr(cut, "1:13 " RECORD("1")));
  assert_non_null(strstr(cut, "array is not closed"));
  assert_string_equal(
      read_file(&ee_foreign_conll, "a X O O\n\nb\n\nc X O O\n", 1 << 20, &out),
      "1:1 {\"expected\":{\"tokens\":[\"a\"],\"tags\":[\"O\"]},\"candidate\":{\"tokens\":[\"a\"],\"tags\":[\"O\"]}}\n"
      "5:1 {\"expected\":{\"tokens\":[\"c\"],\"tags\":[\"O\"]},\"candidate\":{\"tokens\":[\"c\"],\"tags\":[\"O\"]}}\n"
      "!3:1 a line needs a token and a tag, got 1 column: --from conll EXPECTED FOUND takes two files\n");
  ee_buffer_fini(&out);
}

/* A file with very many errors: the first are listed, all are counted. */
static void test_many_errors(void **state) {
  (void)state;
  ee_buffer text = {0};
  for (int i = 0; i < 3000; i++) ee_buffer_add_text(&text, "{\"x\":1}\n");
  write_file(names[0], text.data, text.length);
  const char *file = names[0];
  const ee_foreign_use use = {.format = &ee_foreign_promptfoo, .one_file = true};
  const ee_record_paths with = {.from = &use};
  ee_dataset *dataset = ee_dataset_open(&file, 1, NULL);
  assert_non_null(dataset);
  ee_dataset_look_inside(dataset, &with);
  ee_block block;
  ee_block_init(&block);
  uint64_t listed = 0, unlisted = 0;
  for (bool done = false; !done;) {
    assert_int_equal(ee_dataset_next(dataset, &block, &done, NULL), EE_OK);
    assert_int_equal(block.count, 0);
    for (size_t i = 0; i < block.errors.count; i++) listed += block.errors.items[i].status == EE_ERROR_DATA;
    unlisted += block.unlisted;
  }
  assert_int_equal(listed, EE_UNSPLIT_LISTED);
  assert_int_equal(listed + unlisted, 3000);
  ee_block_fini(&block);
  ee_dataset_close(dataset);
  ee_buffer_fini(&text);
}

EE_TEST_FILE(set_up, tear_down, cmocka_unit_test(test_many_errors), cmocka_unit_test(test_array),
             cmocka_unit_test(test_random_documents), cmocka_unit_test(test_sentences),
             cmocka_unit_test(test_random_sentences), cmocka_unit_test(test_files));
