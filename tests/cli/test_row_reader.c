/* test_row_reader.c: rows and messages are the same, and in the same order, for every number of threads, and those that
 * reading one line after the other gives; report and compare print the same bytes. */
#include "cli/row_reader.h"

#include "cli/command_folder.h"

#include "data/json/json_reader.h"
#include "support/random.h"

#define COUNTS(tp, fp) "{\"tp\":" #tp ",\"tn\":0,\"fp\":" #fp ",\"fn\":" #fp "}"

/* Appends a line: a row or something else. `odd`: also lines that are wrong, and other kinds of rows. */
static void add_line(test_random *random, size_t number, bool odd, ee_buffer *out) {
  size_t kind = odd ? test_random_below(random, 40) : 39;
  bool wrong = test_random_below(random, 3) == 0;
  size_t id = kind == 0 ? test_random_below(random, number + 1) : number;
  if (kind == 1) ee_buffer_add_text(out, "\n\n");
  ee_buffer_addf(out, "{\"schema\":2,\"id\":\"%s%zu\",", kind == 2 ? "line:" : "case-", kind == 2 ? id % 40 : id);
  if (kind == 3) ee_buffer_addf(out, "\"trial\":%zu,", id % 3 + 1);
  if (kind == 4) ee_buffer_add_text(out, "\"version\":\"0.0\",");
  ee_buffer_addf(
      out,
      "\"version\":\"0.1.0\",\"rules_hash\":\"7c2e9166d0adac6e\",\"expected_hash\":\"%016zx\","
      "\"score\":%s,\"verdict\":\"%s\",\"detail\":\"misses\",\"slices\":{\"kind\":[\"%zu\"]},\"hits\":[\"x\"],"
      "\"misses\":[%s],\"reasoning\":\"\",\"candidate_answer\":{\"x\":%zu,\"text\":\"\\n%.*s\"%s},",
      number + 1, wrong ? "0.5" : "1", wrong ? "fail" : "pass", id % 5, wrong ? "\"y (no)\"" : "", number,
      (int)test_random_below(random, 60), "some text that takes its room, again and again, up to its end",
      kind == 5 ? ",\"x\":1" : "");
  ee_buffer_addf(
      out,
      "\"straight_through\":%s,\"evaluator_results\":[{\"name\":\"f\",\"type\":\"fields\",\"score\":%s,"
      "\"weight\":1,\"verdict\":\"%s\",\"hits\":[],\"misses\":[],\"reasoning\":\"\",\"details\":{\"metrics\":{"
      "\"x\":" COUNTS(1, 0) ",\"y\":%s},\"mismatches\":[%s]}}]}",
      wrong ? "false" : "true", wrong ? "0.5" : "1", wrong ? "fail" : "pass", wrong ? COUNTS(0, 1) : COUNTS(1, 0),
      wrong ? "{\"field\":\"y\",\"path\":\"y\",\"class\":\"incorrect\",\"expected\":1,\"candidate\":2}" : "");
  size_t cut = out->length;
  while (kind >= 6 && kind <= 8 && cut > 0 && out->data[cut - 1] != '\n') cut--;
  if (kind == 6) out->length = cut + test_random_below(random, out->length - cut);
  if (kind == 7 || kind == 8) out->data[cut + test_random_below(random, out->length - cut)] = kind == 7 ? '}' : '\xff';
  ee_buffer_add_char(out, '\n');
}

static void make_rows(const char *name, uint64_t seed, size_t count, bool odd) {
  test_random random = {seed};
  ee_buffer text = {0};
  for (size_t i = 0; i < count; i++) add_line(&random, i, odd, &text);
  save(name, &text);
  ee_buffer_fini(&text);
}

/* Reading ---------------------------------------------------------------------------------------- */

static void note_message(void *user, const ee_error *error) {
  ee_buffer_addf(user, "%zu:%zu %s\n", error->line, error->column, error->message);
}

static void note_row(const ee_stored_row *row, ee_buffer *log) {
  ee_buffer_addf(log, "%.*s at %llu, %g, %016llx:", EE_STR_ARG(row->id), (unsigned long long)row->line, row->score,
                 (unsigned long long)row->text_hash);
  for (size_t i = 0; i < row->judge_count; i++)
    for (size_t k = 0; k < row->judges[i].attribute_count; k++)
      ee_buffer_addf(log, " %.*s %d", EE_STR_ARG(row->judges[i].attributes[k].name),
                     (int)row->judges[i].attributes[k].counts.tp);
  ee_buffer_add_text(log, "\n");
}

/* Everything that a reader gives, row by row. */
static ee_buffer read_file(const char *name, unsigned jobs, bool lean, size_t block_size) {
  ee_buffer log = {0};
  ee_row_reader reader;
  ee_stored_row row;
  ee_error error;
  bool done = false;
  assert_int_equal(ee_row_reader_open(&reader, &name, 1, NULL, note_message, &log, &error), EE_OK);
  ee_dataset_set_sizes(reader.dataset, block_size, 0);
  reader.jobs = jobs;
  reader.lean = lean;
  while (ee_row_reader_next(&reader, &row, &done, &error) == EE_OK && !done) note_row(&row, &log);
  ee_buffer_addf(&log, "%d unreadable, %d duplicates", (int)reader.unreadable, (int)reader.duplicates);
  ee_row_reader_close(&reader);
  ee_buffer_terminate(&log);
  return log;
}

typedef struct twin {
  ee_buffer log;
  size_t line;
} twin;

static void note_key(void *user, ee_str key, size_t offset) {
  (void)offset;
  twin *self = user;
  ee_buffer_addf(&self->log, "%zu:0 duplicate key '%.*s', the last one counts\n", self->line, EE_STR_ARG(key));
}

typedef struct seen_ids {
  char names[4000][32];
  size_t lines[4000];
  size_t count;
} seen_ids;

/* False, with a message, for an id that was seen; a second "line:7" is renamed. */
static bool is_new(seen_ids *ids, const char *file, ee_stored_row *row, twin *self, char *name) {
  snprintf(name, 32, "%.*s", EE_STR_ARG(row->id));
  size_t times = 1;
  for (size_t i = 0; i < ids->count; i++) {
    if (strcmp(ids->names[i], name) != 0) continue;
    if (!row->unnamed) {
      ee_buffer_addf(&self->log, "%zu:0 duplicate id '%s' (first at %s:%zu)\n", self->line, name, file, ids->lines[i]);
      return false;
    }
    snprintf(name, 32, "%.*s (%zu)", EE_STR_ARG(row->id), ++times);
  }
  snprintf(ids->names[ids->count], 32, "%s", name);
  ids->lines[ids->count++] = self->line;
  row->id = ee_str_from(name);
  return true;
}

/* The same, one line after the other. */
static ee_buffer read_lines(const char *file) {
  twin self = {.line = 0};
  ee_buffer text = load(file);
  ee_arena arena;
  ee_arena_init(&arena, 0);
  seen_ids *ids = calloc(1, sizeof *ids);
  int unreadable = 0, duplicates = 0;
  ee_json_options options = {.on_duplicate_key = note_key, .user = &self};
  for (char *at = text.data; *at != '\0';) {
    size_t length = strcspn(at, "\n");
    self.line++;
    ee_error error = {0};
    ee_stored_row row;
    char name[32];
    if (length > 0) {
      const ee_value *record = ee_json_read(&arena, (ee_str){at, length}, &options, &error);
      if (record == NULL || !ee_stored_row_read(record, &arena, &row, &error)) {
        ee_buffer_addf(&self.log, "%zu:%zu %s\n", self.line, error.column, error.message);
        unreadable++;
      } else if (is_new(ids, file, &row, &self, name)) {
        row.line = self.line;
        row.text_hash = ee_hash_bytes(at, length, 0);
        note_row(&row, &self.log);
      } else {
        duplicates++;
      }
    }
    at += length + (at[length] == '\n');
    ee_arena_reset(&arena, 0);
  }
  ee_buffer_addf(&self.log, "%d unreadable, %d duplicates", unreadable, duplicates);
  assert_true(unreadable > 10 && duplicates > 10);
  ee_buffer_terminate(&self.log);
  free(ids);
  ee_arena_fini(&arena);
  ee_buffer_fini(&text);
  return self.log;
}

static void test_threads(void **state) {
  (void)state;
  test_random random = test_random_start("rows read by threads", 20261123);
  for (int turn = 0; turn < 3; turn++) {
    make_rows("rows.jsonl", test_random_bits(&random), 2000, true);
    ee_buffer expected = read_lines("rows.jsonl");
    static const unsigned jobs[] = {1, 2, 3, 7, 0};
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++)
      for (int lean = 0; lean < 2; lean++) {
        size_t block_size = (size_t)1000 << test_random_below(&random, 10);
        ee_buffer log = read_file("rows.jsonl", jobs[i], lean, block_size);
        if (strcmp(log.data, expected.data) != 0)
          fail_msg("%u threads, lean %d, blocks of %zu", jobs[i], lean, block_size);
        ee_buffer_fini(&log);
      }
    ee_buffer_fini(&expected);
  }
  remove_files();
}

/* A reader may be closed while its threads wait for room, or read. */
static void test_closed_early(void **state) {
  (void)state;
  make_rows("rows.jsonl", 5, 2000, false);
  for (unsigned taken = 0; taken < 60; taken += 6) {
    const char *name = "rows.jsonl";
    ee_row_reader reader;
    ee_stored_row row;
    ee_error error;
    bool done = false;
    ee_buffer log = {0};
    assert_int_equal(ee_row_reader_open(&reader, &name, 1, NULL, note_message, &log, &error), EE_OK);
    ee_dataset_set_sizes(reader.dataset, 2000, 0);
    reader.jobs = 7;
    for (unsigned i = 0; i < taken; i++) assert_int_equal(ee_row_reader_next(&reader, &row, &done, &error), EE_OK);
    ee_row_reader_close(&reader);
    assert_string_equal(ee_buffer_terminate(&log), "");
    ee_buffer_fini(&log);
  }
  remove_files();
}

/* Commands --------------------------------------------------------------------------------------- */

static void check_command(const char *command, const char *format, int expected) {
  static const int jobs[] = {1, 2, 7};
  for (size_t i = 0; i < 3; i++) {
    int status = shell("evalengine %s -f %s -j %d >out.%zu 2>err.%zu", command, format, jobs[i], i, i);
    if (status != expected) fail_msg("%s -f %s: status %d", command, format, status);
    assert_same_file("out.0", i == 1 ? "out.1" : i == 2 ? "out.2" : "out.0");
    assert_same_file("err.0", i == 1 ? "err.1" : i == 2 ? "err.2" : "err.0");
  }
}

static void test_commands(void **state) {
  (void)state;
  static const char *const formats[] = {"table", "json", "csv", "markdown", "junit", "html", "cases"};
  make_rows("a.jsonl", 7, 2000, true);
  make_rows("b.jsonl", 8, 2000, true);
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) check_command("report a.jsonl b.jsonl", formats[i], 4);
  for (size_t i = 0; i < 6; i++) check_command("compare a.jsonl b.jsonl", formats[i], 4);
  check_command("report a.jsonl --kinds --worst 3 --reasons", "table", 4);
  check_command("compare a.jsonl b.jsonl a.jsonl", "json", 4);
  check_command("trend a.jsonl b.jsonl", "table", 4);
  check_command("plan a.jsonl b.jsonl", "table", 4);
  remove_files();
}

EE_TEST_FILE(set_up_folder, tear_down_folder, cmocka_unit_test(test_threads), cmocka_unit_test(test_closed_early),
             cmocka_unit_test(test_commands));
