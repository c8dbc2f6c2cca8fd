/* test_bench_journal.c: journals against a list of what was added, harmed in between. */
#include "cli/command_folder.h"

#include <stdbool.h>
#include <sys/stat.h>

#include "base/error.h"
#include "cli/bench_journal.h"
#include "data/json/checked_line.h"
#include "support/random.h"

enum { CASES = 4, TRIALS = 3 };

static const ee_str header = {"{\"run\":1}", 9};

static ee_bench_journal *open_journal(bool resume) {
  ee_error error = {0};
  ee_bench_journal *journal = ee_bench_journal_open("r", header, CASES, TRIALS, resume, &error);
  if (journal == NULL) fail_msg("%s", error.message);
  return journal;
}

/* What every trial must have; text_of() adds what makes it unique. */
#define TRIAL "{\"kind\":\"empty_by_evidence\",\"success\":true,\"extractions\":[]"
enum { TEXT_ROOM = 128 };

static void text_of(size_t number, size_t trial, char out[TEXT_ROOM]) {
  snprintf(out, TEXT_ROOM, TRIAL ",\"n\":%zu,\"t\":\"%zu }\\n\"}", number, trial);
}

static void add(ee_bench_journal *journal, size_t number, size_t trial) {
  char text[TEXT_ROOM];
  text_of(number, trial, text);
  ee_error error = {0};
  if (ee_bench_journal_add(journal, number, trial, ee_str_from(text), &error) != EE_OK) fail_msg("%s", error.message);
}

static void check(const ee_bench_journal *journal, bool has[CASES][TRIALS]) {
  size_t count = 0;
  for (size_t c = 0; c < CASES; c++)
    for (size_t t = 0; t < TRIALS; t++) {
      ee_str found = ee_bench_journal_find(journal, c, t);
      char text[TEXT_ROOM];
      text_of(c, t, text);
      assert_int_equal(found.data != NULL, has[c][t]);
      if (has[c][t]) assert_true(ee_str_is(found, text));
      count += has[c][t];
    }
  assert_int_equal(ee_bench_journal_count(journal), count);
}

/* Whole lines of the file say which trials are there; where it is cut, the rest is lost and nothing else. */
static void test_cut_anywhere(void **state) {
  (void)state;
  test_random random = test_random_start("journal", 6020);
  for (int round = 0; round < 150; round++) {
    bool has[CASES][TRIALS] = {{false}};
    ee_bench_journal_close(open_journal(false), false);
    for (int part = 0; part < 4; part++) {
      ee_bench_journal *journal = open_journal(true);
      check(journal, has);
      size_t ends[CASES * TRIALS + 1], places[CASES * TRIALS + 1], count = 0;
      ee_buffer before = load("r" EE_BENCH_JOURNAL_ENDING);
      for (size_t i = test_random_below(&random, 5); i > 0; i--) {
        size_t place = test_random_below(&random, CASES * TRIALS);
        if (has[place / TRIALS][place % TRIALS]) continue;
        add(journal, place / TRIALS, place % TRIALS);
        has[place / TRIALS][place % TRIALS] = true;
        ee_buffer now = load("r" EE_BENCH_JOURNAL_ENDING);
        places[count] = place;
        ends[count++] = now.length;
        ee_buffer_fini(&now);
      }
      check(journal, has);
      ee_bench_journal_close(journal, false);
      ee_buffer now = load("r" EE_BENCH_JOURNAL_ENDING);
      size_t kept = before.length + test_random_below(&random, now.length - before.length + 1);
      for (size_t i = 0; i < count; i++)
        if (ends[i] > kept) has[places[i] / TRIALS][places[i] % TRIALS] = false;
      now.length = kept;
      save("r" EE_BENCH_JOURNAL_ENDING, &now);
      ee_buffer_fini(&now);
      ee_buffer_fini(&before);
    }
  }
  remove_files();
}

/* Appends a line of the journal, with its checksum. */
static void add_line(ee_buffer *out, const char *text, uint64_t seed) {
  size_t start = out->length;
  ee_buffer_add_text(out, text);
  ee_checked_line_end(out, start, seed);
}

/* Lines that make no sense are left out even if their checksum is right, and so are others. */
static void test_strange_lines(void **state) {
  (void)state;
  ee_buffer text = {0};
  ee_buffer_add_text(&text, "{\"run\":1");
  uint64_t seed = ee_checked_line_end(&text, 0, 0);
  add_line(&text, "{\"case\":0,\"trial\":0,\"result\":" TRIAL ",\"n\":0,\"t\":\"0 }\\n\"}", seed);
  add_line(&text, "{\"case\":0,\"trial\":0,\"result\":" TRIAL ",\"second\":1}", seed);
  static const char *const strange[] = {"",
                                        "{\"case\":4,\"trial\":0,\"result\":" TRIAL "}",
                                        "{\"case\":0,\"trial\":3,\"result\":" TRIAL "}",
                                        "{\"case\":1,\"trial\":1,\"result\":" TRIAL,
                                        "{\"case\":1,\"trial\":1,\"result\":7",
                                        "{\"case\":1,\"trial\":1,\"result\":" TRIAL "}}",
                                        "{\"case\":1,\"trial\":1,\"result\":{}",
                                        "{\"case\":1,\"trial\":1,\"result\":" TRIAL ",\"kind\":\"none\"}",
                                        "{\"case\":-1,\"trial\":1,\"result\":{}",
                                        "{\"case\":99999999999999999999,\"trial\":1,\"result\":{}",
                                        "{\"case\":,\"trial\":1,\"result\":{}",
                                        "}",
                                        "x"};
  size_t count = sizeof strange / sizeof *strange;
  for (size_t i = 0; i < count; i++) add_line(&text, strange[i], seed);
  ee_buffer_add_text(&text, "{\"case\":1,\"trial\":1,\"result\":" TRIAL "}}\n\n");
  add_line(&text, "{\"case\":1,\"trial\":1,\"result\":" TRIAL "}", seed + 1); /* of another run */
  add_line(&text, "{\"case\":3,\"trial\":2,\"result\":" TRIAL ",\"n\":3,\"t\":\"2 }\\n\"}", seed);
  save("r" EE_BENCH_JOURNAL_ENDING, &text);
  ee_buffer_fini(&text);
  bool has[CASES][TRIALS] = {{false}};
  has[0][0] = has[3][2] = true;
  ee_bench_journal *journal = open_journal(true);
  check(journal, has);
  assert_int_equal(ee_bench_journal_damaged(journal), count + 3);
  ee_bench_journal_close(journal, false);
  remove_files();
}

/* No bit of a journal changes another run's trials: it is refused, or the trial is left out. */
static void test_every_bit(void **state) {
  (void)state;
  ee_bench_journal *journal = open_journal(false);
  add(journal, 1, 2);
  add(journal, 2, 0);
  ee_bench_journal_close(journal, false);
  ee_buffer text = load("r.part");
  size_t refused = 0, lost = 0;
  for (size_t i = 0; i < text.length; i++) {
    for (int bit = 0; bit < 8; bit++) {
      text.data[i] = (char)(text.data[i] ^ 1 << bit);
      save("r.part", &text);
      text.data[i] = (char)(text.data[i] ^ 1 << bit);
      ee_error error = {0};
      journal = ee_bench_journal_open("r", header, CASES, TRIALS, true, &error);
      if (journal == NULL) {
        assert_true(error.status == EE_ERROR_RULES || error.status == EE_ERROR_SYSTEM);
        refused++;
        continue;
      }
      bool has[CASES][TRIALS] = {{false}};
      has[1][2] = ee_bench_journal_find(journal, 1, 2).data != NULL;
      has[2][0] = ee_bench_journal_find(journal, 2, 0).data != NULL;
      check(journal, has);
      lost += (has[1][2] ? 0u : 1u) + (has[2][0] ? 0u : 1u);
      ee_bench_journal_close(journal, false);
    }
  }
  assert_true(refused > 100 && lost >= 8 * (text.length - 100));
  ee_buffer_fini(&text);
  remove_files();
}

static void test_headers(void **state) {
  (void)state;
  ee_error error = {0};
  ee_bench_journal *journal = open_journal(false);
  add(journal, 1, 1);
  /* Locked: also for this process, which opens it again. */
  assert_null(ee_bench_journal_open("r", header, CASES, TRIALS, true, &error));
  assert_int_equal(error.status, EE_ERROR_SYSTEM);
  assert_string_equal(error.message, "another process is writing 'r.part'");
  ee_bench_journal_close(journal, false);
  assert_null(ee_bench_journal_open("r", EE_STR("{\"run\":2}"), CASES, TRIALS, true, &error));
  assert_int_equal(error.status, EE_ERROR_RULES);
  assert_non_null(strstr(error.message, "'r.part' is the journal of another run"));
  /* Nothing was lost by that. */
  bool has[CASES][TRIALS] = {{false}};
  has[1][1] = true;
  journal = open_journal(true);
  check(journal, has);
  ee_bench_journal_close(journal, true);
  assert_int_not_equal(access("r.part", F_OK), 0);
  /* A header that was cut is not a header. */
  save_text("r.part", "{\"run\"");
  has[1][1] = false;
  journal = open_journal(true);
  check(journal, has);
  ee_bench_journal_close(journal, true);
  assert_null(ee_bench_journal_open("none/r", header, CASES, TRIALS, true, &error));
  assert_int_equal(error.status, EE_ERROR_SYSTEM);
  ee_bench_journal_close(NULL, true);
}

/* The journal of another version of the program says which one it is of. */
static void test_versions(void **state) {
  (void)state;
  static const ee_str versions[] = {EE_STR("{\"run\":1,\"version\":\"0.0.9\"}"),
                                    EE_STR("{\"run\":1,\"version\":\"0.1.0\"}")};
  ee_error error = {0};
  ee_bench_journal_close(ee_bench_journal_open("r", versions[0], CASES, TRIALS, false, &error), false);
  assert_null(ee_bench_journal_open("r", versions[1], CASES, TRIALS, true, &error));
  assert_int_equal(error.status, EE_ERROR_RULES);
  assert_string_equal(error.message,
                      "'r.part' is the journal of evalengine 0.0.9, and this is evalengine 0.1.0 (without "
                      "--resume the run begins again)");
  /* So does one whose lines have no checksums yet. */
  save_text("r.part", "{\"run\":1,\"version\":\"0.0.1\"}\n");
  assert_null(ee_bench_journal_open("r", versions[1], CASES, TRIALS, true, &error));
  assert_non_null(strstr(error.message, "'r.part' is the journal of evalengine 0.0.1, and"));
  /* The same version: the run is another one. */
  save_text("r.part", "{\"run\":2,\"version\":\"0.1.0\"}\n");
  assert_null(ee_bench_journal_open("r", versions[1], CASES, TRIALS, true, &error));
  assert_non_null(strstr(error.message, "'r.part' is the journal of another run"));
  remove_files();
}

/* A file that is not a journal is left unchanged, with and without --resume. */
static void test_other_files(void **state) {
  (void)state;
  static const char *const texts[] = {"x", "{\"caseId\":1}\n", "{\"run\":2}", "\n", "{\"run\":1 }\n"};
  ee_error error = {0};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    save_text("r.part", texts[i]);
    for (int resume = 0; resume < 2; resume++) {
      assert_null(ee_bench_journal_open("r", header, CASES, TRIALS, resume, &error));
      ee_buffer now = load("r.part");
      assert_string_equal(ee_buffer_terminate(&now), texts[i]);
      ee_buffer_fini(&now);
      if (resume) continue;
      assert_int_equal(error.status, EE_ERROR_SYSTEM);
      assert_string_equal(
          error.message, "'r.part' is not the journal of a run and is not overwritten: move it, or name another --out");
    }
  }
  save_text("r.part", "");
  ee_bench_journal_close(open_journal(false), true);
  assert_int_equal(mkfifo("r.part", 0600), 0);
  for (int resume = 0; resume < 2; resume++) {
    assert_null(ee_bench_journal_open("r", header, CASES, TRIALS, resume, &error));
    assert_string_equal(error.message, "cannot write 'r.part': it is not a regular file");
  }
  assert_int_equal(unlink("r.part"), 0);
}

EE_TEST_FILE(set_up_folder, tear_down_folder, cmocka_unit_test(test_cut_anywhere), cmocka_unit_test(test_strange_lines),
             cmocka_unit_test(test_every_bit), cmocka_unit_test(test_headers), cmocka_unit_test(test_versions),
             cmocka_unit_test(test_other_files));
