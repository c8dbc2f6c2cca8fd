/* junit.c: tests become XML at once, and wait for the counts of their suite. */
#include "report/junit.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/printable.h"
#include "base/temporary_file.h"
#include "data/json/json_reader.h"
#include "prim/unicode.h"
#include "report/miss_lines.h"

/* Text of a suite that is kept in memory. */
#define KEPT_BYTES ((size_t)1024 * 1024)
/* Bytes of a name, a message and a text. */
#define NAME_SHOWN 250
#define MESSAGE_SHOWN 1000
#define TEXT_SHOWN 16000
#define SUITES 8

typedef struct suite {
  const char *name;
  uint64_t tests, failures, errors, skipped;
  ee_buffer text;
  ee_held_file *file; /* NULL: all of it is in `text` */
  uint64_t file_bytes;
} suite;

struct ee_junit {
  ee_arena names, scratch;
  ee_str name;
  suite suites[SUITES];
  size_t suite_count;
  uint64_t records_listed;
  ee_error error; /* the first that keeping text met */
};

static suite *suite_of(ee_junit *self, const char *name) {
  for (size_t i = 0; i < self->suite_count; i++)
    if (strcmp(self->suites[i].name, name) == 0) return &self->suites[i];
  if (self->suite_count == SUITES) return &self->suites[SUITES - 1];
  suite *added = &self->suites[self->suite_count++];
  *added = (suite){.name = name, .file = NULL};
  ee_buffer_init(&added->text);
  return added;
}

ee_junit *ee_junit_new(ee_str name) {
  ee_junit *self = ee_calloc(1, sizeof *self);
  ee_arena_init(&self->names, 0);
  ee_arena_init(&self->scratch, 0);
  self->name = (ee_str){ee_arena_copy(&self->names, name.data, name.length), name.length};
  /* The first that a reader wants to see; and a place that does not depend on when the first record in error came. */
  suite_of(self, "gates");
  suite_of(self, "records");
  return self;
}

void ee_junit_free(ee_junit *self) {
  if (self == NULL) return;
  for (size_t i = 0; i < self->suite_count; i++) {
    ee_buffer_fini(&self->suites[i].text);
    ee_held_file_close(self->suites[i].file);
  }
  ee_arena_fini(&self->names);
  ee_arena_fini(&self->scratch);
  ee_free(self);
}

/* XML ------------------------------------------------------------------------------------------- */

/* `text`, at most `limit` bytes of it, as text or as the value of an attribute in double quotes. What XML does not
 * allow is not printable either. */
static void add_text(ee_buffer *out, ee_str text, size_t limit, bool attribute) {
  size_t end = text.length <= limit ? text.length : ee_utf8_cut(text, limit);
  ee_buffer printable;
  ee_buffer_init(&printable);
  ee_add_printable(&printable, (ee_str){text.data, end}, attribute ? EE_PRINT_LINE : EE_PRINT_LINES);
  for (size_t i = 0; i < printable.length; i++) {
    char c = printable.data[i];
    if (c == '&')
      ee_buffer_add_text(out, "&amp;");
    else if (c == '<')
      ee_buffer_add_text(out, "&lt;");
    else if (c == '>')
      ee_buffer_add_text(out, "&gt;");
    else if (attribute && c == '"')
      ee_buffer_add_text(out, "&quot;");
    else
      ee_buffer_add_char(out, c);
  }
  ee_buffer_fini(&printable);
  if (end < text.length) ee_buffer_add_text(out, "\xe2\x80\xa6");
}

static void add_attribute(ee_buffer *out, const char *name, ee_str value, size_t limit) {
  ee_buffer_addf(out, " %s=\"", name);
  add_text(out, value, limit, true);
  ee_buffer_add_char(out, '"');
}

static void add_count(ee_buffer *out, const char *name, uint64_t count) {
  ee_buffer_addf(out, " %s=\"%" PRIu64 "\"", name, count);
}

/* Suites ---------------------------------------------------------------------------------------- */

static ee_status file_error(ee_error *error, const char *what) {
  return ee_error_set(error, EE_ERROR_SYSTEM, "cannot %s a temporary file for the report (see TMPDIR): %s", what,
                      strerror(errno));
}

/* Moves what is in memory to the suite's file. */
static void flush(ee_junit *self, suite *of) {
  if (self->error.status != EE_OK) {
    ee_buffer_clear(&of->text);
    return;
  }
  if (of->file == NULL) of->file = ee_held_file_new();
  if (of->file == NULL)
    file_error(&self->error, "create");
  else if (!ee_write_whole(ee_held_file_descriptor(of->file), of->text.data, of->text.length))
    file_error(&self->error, "write");
  of->file_bytes += of->text.length;
  ee_buffer_clear(&of->text);
}

void ee_junit_add(ee_junit *self, const char *name, const ee_junit_test *test) {
  static const char *const elements[] = {"system-out", "failure", "error", "skipped"};
  suite *of = suite_of(self, name);
  ee_buffer *out = &of->text;
  of->tests++;
  of->failures += test->outcome == EE_JUNIT_FAILED;
  of->errors += test->outcome == EE_JUNIT_ERROR;
  of->skipped += test->outcome == EE_JUNIT_SKIPPED;
  ee_buffer_add_text(out, "    <testcase classname=\"");
  add_text(out, test->of.length > 0 ? test->of : self->name, NAME_SHOWN, true);
  ee_buffer_addf(out, ".%s\"", of->name);
  add_attribute(out, "name", test->name, NAME_SHOWN);
  ee_buffer_add_text(out, " time=\"0\"");
  if (test->outcome == EE_JUNIT_PASSED && test->text.length == 0) {
    ee_buffer_add_text(out, "/>\n");
  } else {
    ee_buffer_addf(out, ">\n      <%s", elements[test->outcome]);
    if (test->outcome != EE_JUNIT_PASSED) {
      add_attribute(out, "type", test->type, NAME_SHOWN);
      add_attribute(out, "message", test->message, MESSAGE_SHOWN);
    }
    if (test->text.length > 0) {
      ee_buffer_add_char(out, '>');
      add_text(out, test->text, TEXT_SHOWN, false);
      ee_buffer_addf(out, "</%s>\n", elements[test->outcome]);
    } else {
      ee_buffer_add_text(out, "/>\n");
    }
    ee_buffer_add_text(out, "    </testcase>\n");
  }
  if (out->length > KEPT_BYTES) flush(self, of);
}

/* Cases, gates, records ------------------------------------------------------------------------- */

/* What the case or one judge of it says. */
typedef struct said {
  double score;
  ee_verdict verdict;
  bool scored;
  const char *fault; /* NULL: none */
} said;

static bool find_said(const ee_stored_row *row, ee_str judge, ee_arena *arena, said *found) {
  *found = (said){.score = row->score, .verdict = row->verdict, .scored = !row->unscored};
  if (judge.data == NULL) {
    if (row->rule_errors > 0)
      found->fault = ee_arena_printf(arena, "%" PRIu64 " error%s raised by the rules", row->rule_errors,
                                     row->rule_errors == 1 ? "" : "s");
    else if (row->provider_failures > 0)
      found->fault = ee_arena_printf(arena, "%" PRIu64 " value%s got no answer from the provider",
                                     row->provider_failures, row->provider_failures == 1 ? "" : "s");
    else if (row->given_up > 0)
      found->fault = ee_arena_printf(arena, "%" PRIu64 " value%s or judge%s given up (--timeout)", row->given_up,
                                     row->given_up == 1 ? "" : "s", row->given_up == 1 ? "" : "s");
  }
  for (size_t i = 0; i < row->judge_count; i++) {
    const ee_stored_judge *each = &row->judges[i];
    if (judge.data != NULL && !ee_str_equal(each->name, judge)) continue;
    if (each->in_error && found->fault == NULL)
      found->fault = ee_arena_printf(arena, "judge '%.*s' is in error", EE_STR_ARG(each->name));
    if (judge.data == NULL) continue;
    found->score = each->score;
    found->verdict = each->verdict;
    found->scored = each->has_score;
    return true;
  }
  return judge.data == NULL;
}

static ee_str join_lines(const ee_miss_lines *lines, ee_arena *arena) {
  ee_buffer text;
  ee_buffer_init(&text);
  for (size_t i = 0; i < lines->count; i++) {
    if (i > 0) ee_buffer_add_char(&text, '\n');
    ee_buffer_add_str(&text, lines->items[i]);
  }
  ee_str copy = {ee_arena_copy(arena, text.data, text.length), text.length};
  ee_buffer_fini(&text);
  return copy;
}

void ee_junit_add_case(ee_junit *self, const ee_stored_row *row, ee_str judge) {
  ee_arena *arena = &self->scratch;
  said found;
  if (find_said(row, judge, arena, &found)) {
    ee_junit_test test = {.name = row->id, .outcome = EE_JUNIT_PASSED, .type = EE_STR("fail")};
    ee_miss_lines lines = {0};
    if (found.fault != NULL || !found.scored || found.verdict != EE_VERDICT_PASS) {
      ee_miss_lines_add(row, judge, arena, &lines);
      test.text = join_lines(&lines, arena);
      test.message = ee_miss_lines_summary(found.score, &lines, arena);
    }
    if (found.fault != NULL) {
      test.outcome = EE_JUNIT_ERROR;
      test.type = EE_STR("error");
      test.message = ee_str_from(ee_arena_printf(arena, "%s; %.*s", found.fault, EE_STR_ARG(test.message)));
    } else if (!found.scored) {
      test.outcome = EE_JUNIT_SKIPPED;
      test.type = EE_STR("not scored");
      test.message = EE_STR("no score because of its expected values");
    } else if (found.verdict == EE_VERDICT_FAIL) {
      test.outcome = EE_JUNIT_FAILED;
    } else if (found.verdict == EE_VERDICT_BORDERLINE) {
      ee_miss_lines none = {0};
      ee_str score = ee_miss_lines_summary(found.score, &none, arena);
      test.text =
          ee_str_from(ee_arena_printf(arena, "borderline, %.*s\n%.*s", EE_STR_ARG(score), EE_STR_ARG(test.text)));
    }
    ee_junit_add(self, "cases", &test);
  }
  ee_arena_reset(arena, KEPT_BYTES);
}

void ee_junit_add_rows(ee_junit *self, const char *lines, size_t length) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  for (const char *end = lines + length; lines < end;) {
    const char *newline = memchr(lines, '\n', (size_t)(end - lines));
    size_t line = newline != NULL ? (size_t)(newline - lines) : (size_t)(end - lines);
    ee_stored_row row;
    const ee_value *record = ee_json_read(&arena, (ee_str){lines, line}, NULL, NULL);
    if (record != NULL && ee_stored_row_read(record, &arena, &row, NULL))
      ee_junit_add_case(self, &row, (ee_str){NULL, 0});
    lines += line + (newline != NULL);
    ee_arena_reset(&arena, KEPT_BYTES);
  }
  ee_arena_fini(&arena);
}

void ee_junit_add_gate(ee_junit *self, const ee_gate_result *gate) {
  ee_buffer name, line;
  ee_buffer_init(&name);
  ee_buffer_init(&line);
  ee_gate_print_condition(gate->gate, &name);
  ee_gate_print(gate, &line);
  bool left_open = gate->passed && gate->too_few;
  ee_junit_test test = {.name = {name.data, name.length},
                        .outcome = left_open      ? EE_JUNIT_SKIPPED
                                   : gate->passed ? EE_JUNIT_PASSED
                                                  : EE_JUNIT_FAILED,
                        .type = left_open                    ? EE_STR("not decided")
                                : ee_gate_is_undecided(gate) ? EE_STR("undecided")
                                                             : EE_STR("gate"),
                        .message = {line.data, line.length}};
  if (!left_open) test.text = test.message;
  ee_junit_add(self, "gates", &test);
  ee_buffer_fini(&name);
  ee_buffer_fini(&line);
}

void ee_junit_add_error(ee_junit *self, const ee_error *error) {
  if (error->status != EE_ERROR_DATA) return;
  self->records_listed++;
  const char *file = error->file[0] != '\0' ? error->file : "data";
  const char *name = error->line > 0 ? ee_arena_printf(&self->scratch, "%s:%zu", file, error->line) : file;
  ee_junit_test test = {.name = ee_str_from(name),
                        .outcome = EE_JUNIT_ERROR,
                        .type = EE_STR("record"),
                        .message = ee_str_from(error->message),
                        .text = ee_str_from(ee_arena_printf(&self->scratch, "%s: %s", name, error->message))};
  ee_junit_add(self, "records", &test);
  ee_arena_reset(&self->scratch, KEPT_BYTES);
}

void ee_junit_count_errors(ee_junit *self, uint64_t in_error) {
  if (in_error <= self->records_listed) return;
  const char *more =
      ee_arena_printf(&self->scratch, "%" PRIu64 " more records in error", in_error - self->records_listed);
  ee_junit_test test = {
      .name = ee_str_from(more), .outcome = EE_JUNIT_ERROR, .type = EE_STR("record"), .message = ee_str_from(more)};
  ee_junit_add(self, "records", &test);
}

/* Writing --------------------------------------------------------------------------------------- */

static void add_counts(ee_buffer *out, const suite *of) {
  add_count(out, "tests", of->tests);
  add_count(out, "failures", of->failures);
  add_count(out, "errors", of->errors);
}

static ee_status copy_file(const suite *of, ee_junit_sink *sink, void *user, ee_error *error) {
  ee_status status = EE_OK;
  char *piece = ee_malloc(KEPT_BYTES);
  for (uint64_t at = 0; at < of->file_bytes && status == EE_OK;) {
    uint64_t left = of->file_bytes - at;
    ssize_t got =
        pread(ee_held_file_descriptor(of->file), piece, left < KEPT_BYTES ? (size_t)left : KEPT_BYTES, (off_t)at);
    if (got < 0 && errno == EINTR) continue;
    status = got > 0 ? sink(user, piece, (size_t)got, error) : file_error(error, "read");
    at += got > 0 ? (uint64_t)got : 0;
  }
  ee_free(piece);
  return status;
}

ee_status ee_junit_write(ee_junit *self, ee_junit_sink *sink, void *user, ee_error *error) {
  if (self->error.status != EE_OK) {
    *error = self->error;
    return error->status;
  }
  suite all = {0};
  for (size_t i = 0; i < self->suite_count; i++) {
    all.tests += self->suites[i].tests;
    all.failures += self->suites[i].failures;
    all.errors += self->suites[i].errors;
  }
  ee_buffer text;
  ee_buffer_init(&text);
  ee_buffer_add_text(&text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites");
  add_attribute(&text, "name", self->name, NAME_SHOWN);
  add_counts(&text, &all);
  ee_buffer_add_text(&text, ">\n");
  ee_status status = EE_OK;
  for (size_t i = 0; i < self->suite_count && status == EE_OK; i++) {
    const suite *of = &self->suites[i];
    if (of->tests == 0) continue;
    ee_buffer_addf(&text, "  <testsuite name=\"%s\"", of->name);
    add_counts(&text, of);
    add_count(&text, "skipped", of->skipped);
    ee_buffer_add_text(&text, " time=\"0\">\n");
    status = sink(user, text.data, text.length, error);
    ee_buffer_clear(&text);
    if (status == EE_OK && of->file != NULL) status = copy_file(of, sink, user, error);
    if (status == EE_OK) status = sink(user, of->text.data, of->text.length, error);
    ee_buffer_add_text(&text, "  </testsuite>\n");
  }
  ee_buffer_add_text(&text, "</testsuites>\n");
  if (status == EE_OK) status = sink(user, text.data, text.length, error);
  ee_buffer_fini(&text);
  return status;
}

static ee_status print_piece(void *user, const char *data, size_t length, ee_error *error) {
  (void)error;
  ee_buffer_add(user, data, length);
  return EE_OK;
}

void ee_junit_print(ee_junit *self, ee_buffer *out) {
  ee_error error;
  ee_junit_write(self, print_piece, out, &error);
}
