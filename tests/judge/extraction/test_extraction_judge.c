/* test_extraction_judge.c: one record: its score, its findings, what is an error, and what hostile values do. */
#include "judge/extraction/extraction_fixture.h"

#include "judge/details.h"
#include "support/random.h"

#define NON_EMPTY "\"expected\":{\"emptyResultKind\":\"non_empty\",\"minExtractions\":1,\"maxExtractions\":9}"
#define EVIDENCE "\"expected\":{\"emptyResultKind\":\"empty_by_evidence\",\"minExtractions\":0,\"maxExtractions\":0}"
#define FAILURE "\"expected\":{\"emptyResultKind\":\"empty_by_failure\",\"minExtractions\":0,\"maxExtractions\":0}"
#define RECORD(document, answer, more)                                                                                 \
  "{\"caseId\":\"c\",\"documentText\":\"" document "\",\"providerResponseText\":" answer "," more "}"
/* An answer that the record holds parsed. */
#define ANSWER(extractions) "{\"extractions\":[" extractions "]}"
#define ITEM(name, quote, start, end)                                                                                  \
  "{\"extractionClass\":\"" name "\",\"quote\":\"" quote "\",\"charStart\":" #start ",\"charEnd\":" #end "}"

#define assert_case(record, wanted_score, hits, misses)                                                                \
  do {                                                                                                                 \
    const ee_judge_result *judged = judge_record(f, record);                                                           \
    assert_false(judged->failed);                                                                                      \
    assert_hits(f, judged, hits);                                                                                      \
    assert_misses(f, judged, misses);                                                                                  \
    assert_true(judged->score == (wanted_score));                                                                      \
  } while (0)

static int open_fixture(void **state) {
  fixture *f = test_malloc(sizeof *f);
  extraction_open(f, EXTRACTION_RULES());
  *state = f;
  return 0;
}

static int close_fixture(void **state) {
  fixture_close(*state);
  test_free(*state);
  return 0;
}

/* One record --------------------------------------------------------------------------------------------------------
 */

static void test_findings(void **state) {
  fixture *f = *state;
  assert_case(RECORD("Alpha Beta", ANSWER(ITEM("a", "Alpha", 0, 5) "," ITEM("b", "Beta", 6, 10)), NON_EMPTY), 1,
              "extractions[0] (a); extractions[1] (b)", "");
  assert_case(RECORD("Alpha Beta", ANSWER(ITEM("a", "Alpha", 0, 5) "," ITEM("b", "Beta", 6, 9)), NON_EMPTY), 0.5,
              "extractions[0] (a)", "extractions[1] (QUOTE_MISMATCH: the document says 'Bet' there, not 'Beta')");
  /* Each fault with what it is about. */
  assert_case(
      RECORD("Alpha \\ud83d\\ude42 Beta",
             ANSWER(ITEM("a", "Beta", 8, 12) "," ITEM("a", "x", 0, 99) "," ITEM("a", "x", -1, 2) "," ITEM(
                 "a", "x", 5, 2) ",{\"extractionClass\":\"a\",\"quote\":\"x\"},7,{\"extractionClass\":3,\"quote\":"
                                 "\"Alpha\",\"charStart\":0,\"charEnd\":5},"
                                 "{\"extractionClass\":\"a\",\"quote\":\"x\",\"offsetMode\":\"lines\",\"charStart\":0,"
                                 "\"charEnd\":1},"
                                 "{\"extractionClass\":\"a\",\"quote\":\"Alpha\",\"charStart\":0,\"charEnd\":5,"
                                 "\"span\":{\"charStart\":0,\"charEnd\":6}},"
                                 "{\"extractionClass\":\"a\",\"quote\":null,\"charStart\":0,\"charEnd\":99},"
                                 "{\"extractionClass\":\"a\",\"quote\":\"?\",\"charStart\":6,\"charEnd\":7},"
                                 "{\"quote\":\"\\ud83d\\ude42\",\"charStart\":6,\"charEnd\":8}"),
             "\"expected\":{\"emptyResultKind\":\"non_empty\",\"minExtractions\":1,\"maxExtractions\":99}"),
      0, "",
      "extractions[0] (QUOTE_MISMATCH: the document says ' Bet' there, not 'Beta'); "
      "extractions[1] (OFFSETS_OUT_OF_RANGE: 0 to 99, the document has 13 UTF-16 code units); "
      "extractions[2] (OFFSETS_OUT_OF_RANGE: -1 to 2, the document has 13 UTF-16 code units); "
      "extractions[3] (INVALID_OFFSETS: 5 to 2); "
      "extractions[4] (INVALID_OFFSETS: charStart and charEnd are not whole numbers); "
      "extractions[5] (INVALID_OFFSETS: it is not an object); "
      "extractions[6] (SCHEMA_INVALID: extractionClass is not a string); "
      "extractions[7] (UNSUPPORTED_OFFSET_MODE: not one of utf16_code_unit, code_point, utf8_byte); "
      "extractions[8] (OFFSET_MISMATCH: span has other offsets); "
      "extractions[9] (OFFSETS_OUT_OF_RANGE: 0 to 99, the document has 13 UTF-16 code units; quote is not a string); "
      "extractions[10] (QUOTE_MISMATCH: the document says '\xEF\xBF\xBD' there, not '?'); "
      "extractions[11] (SCHEMA_INVALID: extractionClass is not a string)");
  const ee_judge_result *result = f->result.judges;
  assert_reasoning(result, "0/12 extractions hold");
  assert_true(result->case_metrics[0] == 5.0 / 12 && result->case_metrics[1] == 2.0 / 12 &&
              result->case_metrics[2] == 1);
}

/* Long quotes are shown from shortly before the place where they differ. */
static void test_long_quotes(void **state) {
  fixture *f = *state;
  static const char same[] = "The quick brown fox jumps over the lazy dog, and then \xC3\xA9 over the cat ";
  ee_buffer text = {0};
  ee_buffer_addf(&text,
                 "{\"caseId\":\"c\",\"documentText\":\"%s%s%s1%s\",%s,\"providerResponseText\":{\"extractions\":[{"
                 "\"extractionClass\":\"a\",\"quote\":\"%s%s%s2%s\",\"charStart\":0,\"charEnd\":%zu}]}}",
                 same, same, same, same, NON_EMPTY, same, same, same, same, 4 * (sizeof same - 2) + 1);
  const ee_judge_result *result = judge_record(f, ee_buffer_terminate(&text));
  assert_misses(f, result,
                "extractions[0] (QUOTE_MISMATCH: the document says '...hen \xC3\xA9 over the cat 1The quick brown fox "
                "jumps over the lazy...' there, not '...hen \xC3\xA9 over the cat 2The quick brown fox jumps over the "
                "lazy...')");
  ee_buffer_fini(&text);
}

static void test_outcomes(void **state) {
  fixture *f = *state;
  assert_case(RECORD("x", "\"[]\"", NON_EMPTY), 0, "", "candidate (empty_by_evidence, expected non_empty)");
  assert_case(RECORD("x", "\"[]\"", EVIDENCE), 1, "candidate (empty_by_evidence)", "");
  assert_false(f->result.judges->vacuous);
  assert_case(RECORD("x", "\"[]\"", FAILURE), 0, "", "candidate (empty_by_evidence, expected empty_by_failure)");
  assert_case(RECORD("x", "\"no idea\"", FAILURE), 1, "candidate (empty_by_failure)", "");
  assert_reasoning(f->result.judges, "unreadable answer");
  assert_case(RECORD("x", "\"no idea\"", EVIDENCE), 0, "", "candidate (not JSON: expected a value at line 1 column 1)");
  assert_case(RECORD("x", "{\"items\":[]}", EVIDENCE), 0, "", "candidate (the answer has no 'extractions')");
  assert_case(RECORD("x", "7", EVIDENCE), 0, "", "candidate (the answer is number)");
  assert_case(RECORD("x", "null", NON_EMPTY), 0, "", "candidate (there is no answer)");
  assert_case("{\"caseId\":\"c\",\"documentText\":\"x\"," FAILURE "}", 1, "candidate (empty_by_failure)", "");
  /* What is there is told, whether or not there are too many of them. */
  assert_case(RECORD("x", ANSWER(ITEM("a", "x", 0, 1)), EVIDENCE), 0, "extractions[0] (a)",
              "candidate (non_empty, expected empty_by_evidence)");
  assert_case(RECORD("x", ANSWER(ITEM("a", "x", 0, 1) "," ITEM("b", "x", 0, 1)),
                     "\"expected\":{\"emptyResultKind\":\"non_empty\",\"minExtractions\":1,\"maxExtractions\":1}"),
              0, "extractions[0] (a); extractions[1] (b)", "candidate (2 extractions, expected 1 to 1)");
  assert_case(RECORD("x", ANSWER(ITEM("a", "x", 0, 1)),
                     "\"expected\":{\"emptyResultKind\":\"non_empty\",\"minExtractions\":2,\"maxExtractions\":3}"),
              0, "extractions[0] (a)", "candidate (1 extraction, expected 2 to 3)");
}

/* Texts are read leniently, and what was done is told. */
static void test_repairs(void **state) {
  fixture *f = *state;
  const ee_judge_result *result = judge_record(
      f,
      RECORD("Beta",
             "\"Sure:\\n```json\\n[{\\\"extractionClass\\\":\\\"b\\\",\\\"quote\\\":\\\"Beta\\\",\\\"charStart\\\":0,"
             "\\\"charEnd\\\":4}]\\n```\"",
             NON_EMPTY));
  assert_true(result->score == 1);
  assert_string_equal(details_text(f, result),
                      "{\"metrics\":{},\"kind\":\"non_empty\",\"success\":true,\"counts\":{\"extractions\":1,"
                      "\"schemaValid\":1,\"quoteValid\":1,\"sound\":1},\"repairs\":{\"fence\":1},\"bareList\":true,"
                      "\"failures\":[]}");
  result =
      judge_record(f, RECORD("Beta",
                             "\"{\\\"extractions\\\":[{\\\"extractionClass\\\":\\\"b\\\",\\\"quote\\\":\\\"Beta\\\","
                             "\\\"charStart\\\":0,\\\"charEnd\\\":3,},],}\"",
                             NON_EMPTY));
  assert_true(result->score == 0);
  assert_string_equal(
      details_text(f, result),
      "{\"metrics\":{},\"kind\":\"non_empty\",\"success\":true,\"counts\":{\"extractions\":1,\"schemaValid\":1,"
      "\"quoteValid\":0,\"sound\":0},\"repairs\":{\"trailing_comma\":3},\"failures\":[{\"extraction\":0,\"code\":"
      "\"QUOTE_MISMATCH\",\"extractionClass\":\"b\",\"quote\":\"Beta\",\"charStart\":0,\"charEnd\":3,\"actual\":"
      "\"Bet\"}]}");
}

/* The same place in each unit; the record's offsetMode stands before the option. */
static void test_units(void **state) {
  (void)state;
  static const struct {
    const char *unit;
    int start, end;
  } units[] = {{"utf16_code_unit", 4, 6}, {"code_point", 3, 5}, {"utf8_byte", 7, 9}};
  for (size_t option = 0; option < 3; option++) {
    for (size_t i = 0; i < 3; i++) {
      for (int declared = 0; declared < 3; declared++) {
        fixture one;
        char text[512], rules[512], mode[64] = "", own[64] = "";
        if (declared == 1) snprintf(mode, sizeof mode, "\"offsetMode\":\"%s\",", units[i].unit);
        if (declared == 2) snprintf(own, sizeof own, ",\"offsetMode\":\"%s\"", units[i].unit);
        snprintf(rules, sizeof rules,
                 "{\"ee\":\"rules\",\"case\":{\"id\":\"caseId\",\"expected\":\"goldSpans\",\"candidate\":\"answer\"},"
                 "\"items\":[{\"ee\":\"extraction\",\"unit\":\"%s\"}]}",
                 units[option].unit);
        snprintf(text, sizeof text,
                 "{\"caseId\":\"c\",\"documentText\":\"\xC3\xA9\xF0\x9F\x99\x82 be\",%s\"goldSpans\":[],\"answer\":[{"
                 "\"extractionClass\":\"b\",\"quote\":\"be\",\"charStart\":%d,\"charEnd\":%d%s}]}",
                 mode, units[i].start, units[i].end, own);
        extraction_open(&one, rules);
        assert_true(judge_record(&one, text)->score == (declared > 0 || i == option));
        fixture_close(&one);
      }
    }
  }
}

/* Gold spans -------------------------------------------------------------------------------------------------------
 */

#define GOLD                                                                                                           \
  "\"goldSpans\":[" ITEM("party", "Ann", 0, 3) "," ITEM("party", "Bob", 8, 11) "," ITEM("day", "May 3", 15, 20) "]"
#define DEAL "Ann and Bob on May 3"

/* A gold span's partner is the extraction that found it, also when two are equal or offsets have another unit. */
static void test_gold_partners(void **state) {
  (void)state;
  static const char record[] =
      "{\"caseId\":\"c\",\"documentText\":\"\\ud83d\\ude42 Ann Bob\",\"goldSpans\":["
      "{\"extractionClass\":\"p\",\"quote\":\"Ann\",\"charStart\":3,\"charEnd\":6},"
      "{\"extractionClass\":\"p\",\"quote\":\"Bob\",\"charStart\":7,\"charEnd\":10},"
      "{\"extractionClass\":\"p\",\"quote\":\"Bob\",\"charStart\":7,\"charEnd\":10}],"
      "\"providerResponseText\":{\"extractions\":["
      "{\"extractionClass\":\"p\",\"quote\":\"Bob\",\"charStart\":7,\"charEnd\":10},"
      "{\"extractionClass\":\"p\",\"quote\":\"Bob\",\"charStart\":6,\"charEnd\":9,\"offsetMode\":\"code_point\"},"
      "{\"extractionClass\":\"p\",\"quote\":\"Ann\",\"charStart\":5,\"charEnd\":8,\"offsetMode\":\"utf8_byte\"}]}}";
  fixture one;
  extraction_open(&one, GOLD_RULES);
  const ee_judge_result *result = judge_record_in(&one, record, EE_DETAIL_FULL);
  assert_true(result->score == 1);
  static const uint32_t partners[] = {2, 0, 1};
  size_t found = 0;
  for (size_t i = 0; i < result->outcome_count; i++) {
    const ee_outcome *outcome = &result->outcomes[i];
    if (outcome->row == EE_NO_ROW) continue;
    assert_int_equal(outcome->partner, partners[outcome->row]);
    assert_non_null(outcome->candidate);
    found++;
  }
  assert_int_equal(found, 3);
  fixture_close(&one);
}

/* The keys of both sets, each once and in order. */
static void test_union_of_keys(void **state) {
  (void)state;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  test_random random = test_random_start("union of keys", 77);
  for (int round = 0; round < 200; round++) {
    ee_extraction_key items[2][8];
    ee_extraction_keys sets[2];
    bool in[2][8] = {{false}};
    for (size_t k = 0; k < 2; k++) {
      size_t count = test_random_below(&random, 9);
      for (size_t i = 0; i < count; i++) {
        size_t number = test_random_below(&random, 8);
        in[k][number] = true;
        memset(&items[k][i], 0, sizeof items[k][i]);
        items[k][i].start = (int64_t)number;
      }
      sets[k] = ee_extraction_keys_make(items[k], count, &arena);
    }
    ee_extraction_keys both = ee_extraction_keys_union(&sets[0], &sets[1], &arena);
    size_t at = 0;
    for (size_t number = 0; number < 8; number++) {
      if (!in[0][number] && !in[1][number]) continue;
      assert_true(at < both.count);
      assert_int_equal(both.items[at].start, number);
      at++;
    }
    assert_int_equal(at, both.count);
    ee_arena_reset(&arena, 0);
  }
  ee_arena_fini(&arena);
}

/* What is said of extractions that are no gold span: whether one is near. */
static void test_outcomes_without_gold(void **state) {
  (void)state;
  fixture one;
  extraction_open(&one, GOLD_RULES);
  const ee_judge_result *result =
      judge_record_in(&one,
                      RECORD(DEAL,
                             ANSWER(ITEM("party", "Ann", 0, 3) "," ITEM("day", "May", 15, 18) "," ITEM(
                                 "party", "and", 4, 7) "," ITEM("party", "x", 8, 9)),
                             GOLD),
                      EE_DETAIL_FULL);
  ee_buffer_clear(&one.text);
  ee_outcomes_write(result, &one.arena, &one.text);
  static const char *const said[] = {
      "{\"path\":\"goldSpans[1]\",\"field\":\"party\",\"outcome\":\"missing\",",
      "{\"path\":\"extractions[1]\",\"field\":\"day\",\"outcome\":\"incorrect\",",
      "\"reason\":\"overlaps a gold span\",\"list\":\"extractions\",\"partner\":1}",
      "{\"path\":\"extractions[2]\",\"field\":\"party\",\"outcome\":\"spurious\",",
      "\"reason\":\"no gold span\",\"list\":\"extractions\",\"partner\":2}",
      "{\"path\":\"extractions[3]\",\"field\":\"party\",",
      "\"reason\":\"QUOTE_MISMATCH: the document says 'B' there, not 'x'\",\"list\":\"extractions\",\"partner\":3}]"};
  const char *text = ee_buffer_terminate(&one.text);
  for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
    text = strstr(text, said[i]);
    if (text == NULL) fail_msg("%s\nis not in\n%s", said[i], one.text.data);
  }
  fixture_close(&one);
}

/* Every extraction of the answer is an outcome, the first one, too; an extraction without offsets promises nothing. */
static void test_outcomes_of_extractions(void **state) {
  (void)state;
#define NO_OFFSETS "{\"extractionClass\":\"b\",\"quote\":\"Ann\"}"
  static const struct {
    const char *record, *outcomes;
  } rows[] = {
      {RECORD(DEAL, ANSWER(ITEM("a", "Ann", 0, 3) "," ITEM("a", "Bob", 0, 3) "," NO_OFFSETS), NON_EMPTY),
       "extractions[0] tp 1 (document[0:3] = quote) ; extractions[1] incorrect 0 (document[0:3] != quote) "
       "QUOTE_MISMATCH: the document says 'Ann' there, not 'Bob'; extractions[2] incorrect 0 () INVALID_OFFSETS: "
       "charStart and charEnd are not whole numbers"},
      {RECORD(DEAL, ANSWER(ITEM("party", "and", 4, 7) "," ITEM("party", "Ann", 0, 3)),
              "\"goldSpans\":[" ITEM("party", "Ann", 0, 3) "]"),
       "goldSpans[0] tp 1 (document[0:3] = quote) ; extractions[0] spurious 0 (document[4:7] = quote) no gold span"},
      {RECORD(DEAL, ANSWER(NO_OFFSETS), "\"goldSpans\":[" ITEM("b", "Ann", 0, 3) "]"),
       "goldSpans[0] missing 0 () not found; extractions[0] spurious 0 () INVALID_OFFSETS: charStart and charEnd are "
       "not whole numbers"},
  };
  fixture one, *f = &one;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    extraction_open(f, strstr(rows[i].record, "goldSpans") != NULL ? GOLD_RULES : EXTRACTION_RULES());
    const ee_judge_result *result = judge_record_in(f, rows[i].record, EE_DETAIL_FULL);
    for (size_t k = 0; k < result->outcome_count; k++) {
      const ee_outcome *outcome = &result->outcomes[k];
      ee_buffer_addf(&f->text, "%s%.*s[%u] %s %g (%.*s) ", k > 0 ? "; " : "", EE_STR_ARG(outcome->place.path),
                     outcome->place.row, ee_class_name(outcome->value_class), outcome->score,
                     EE_STR_ARG(outcome->how.formula));
      ee_reason_print(&outcome->place.reason, &f->text);
    }
    assert_string_equal(ee_buffer_terminate(&f->text), rows[i].outcomes);
    fixture_close(f);
  }
}

static void test_gold(void **state) {
  (void)state;
  fixture one, *f = &one;
  extraction_open(f, GOLD_RULES);
  assert_case(
      RECORD(DEAL, ANSWER(ITEM("day", "May 3", 15, 20) "," ITEM("party", "Ann", 0, 3) "," ITEM("party", "Bob", 8, 11)),
             GOLD),
      1, "extractions[0] (day); extractions[1] (party); extractions[2] (party)", "");
  assert_string_equal(fixture_attributes(f, f->result.judges), "party* 2 0 0 0; day* 1 0 0 0");
  /* Found twice, found in part, another class, another place. */
  assert_case(
      RECORD(DEAL,
             ANSWER(ITEM("party", "Ann", 0, 3) "," ITEM("party", "Ann", 0, 3) "," ITEM("day", "May", 15, 18) "," ITEM(
                 "place", "May", 15, 18) "," ITEM("party", "and", 4, 7) ",{\"quote\":\"on\",\"charStart\":12,"
                                                                        "\"charEnd\":14}"),
             GOLD),
      5.0 / 6 * (1.0 / 3),
      "extractions[0] (party); extractions[1] (party); extractions[2] (day); extractions[3] (place); "
      "extractions[4] (party)",
      "extractions[5] (SCHEMA_INVALID: extractionClass is not a string); goldSpans[1] (not found: party 'Bob'); "
      "goldSpans[2] (not found: day 'May 3')");
  const ee_judge_result *result = f->result.judges;
  assert_string_equal(fixture_attributes(f, result),
                      "party* 1 0 2 1; day* 0 0 1 1; place* 0 0 1 0; (no class)* 0 0 1 0");
  assert_int_equal(result->attributes[0].counts.wrong, 0);
  assert_int_equal(result->attributes[1].counts.wrong, 1);
  assert_int_equal(result->attributes[2].counts.wrong, 0);
  assert_reasoning(result, "5/6 extractions hold, 1/3 gold spans found");
  const char *details = details_text(f, result);
  assert_non_null(strstr(details, ",\"gold\":{\"spans\":3,\"exact\":1,\"overlapping\":2,\"partial\":2}}"));
  /* An empty list of gold spans says that nothing is there. */
  assert_case(RECORD("x", ANSWER(ITEM("a", "x", 0, 1)), "\"goldSpans\":[]"), 1, "extractions[0] (a)", "");
  assert_string_equal(fixture_attributes(f, f->result.judges), "a* 0 0 1 0");
  assert_case(RECORD("x", "\"[]\"", "\"goldSpans\":[]"), 1, "candidate (empty_by_evidence)", "");
  assert_true(f->result.judges->vacuous);
  fixture_close(f);
  /* Beside an expected count, from a path of their own, and under the name of `expected` where they stand there. */
  extraction_open(f, EXTRACTION_RULES(",\"gold\":\"truth.spans\""));
  assert_case(
      RECORD("x y", ANSWER(ITEM("a", "x", 0, 1)), NON_EMPTY ",\"truth\":{\"spans\":[" ITEM("a", "y", 2, 3) "]}"), 0,
      "extractions[0] (a)", "truth.spans[0] (not found: a 'y')");
  assert_case(RECORD("x y", ANSWER(ITEM("a", "x", 0, 1)), "\"expected\":[" ITEM("a", "y", 2, 3) "]"), 0,
              "extractions[0] (a)", "expected[0] (not found: a 'y')");
  fixture_close(f);
}

/* The formula of a score: kind and number, the share of sound extractions, the share of gold spans; a part without
 * anything to divide by is left out. */
static void assert_formula(fixture *f, const char *record, const char *expected) {
  const ee_judge_result *result = judge_record_in(f, record, EE_DETAIL_FULL);
  ee_buffer_clear(&f->text);
  ee_buffer_add_str(&f->text, result->formula);
  assert_string_equal(ee_buffer_terminate(&f->text), expected);
}

static void test_formulas(void **state) {
  (void)state;
  fixture one, *f = &one;
  extraction_open(f, GOLD_RULES);
  assert_formula(f, RECORD(DEAL, ANSWER(ITEM("party", "Ann", 0, 3) "," ITEM("day", "May", 15, 17)), GOLD),
                 "1 * 1/2 * 1/3 = 0.166667");
  assert_formula(f, RECORD(DEAL, ANSWER(ITEM("party", "Ann", 0, 3)), "\"goldSpans\":[" ITEM("party", "Ann", 0, 3) "]"),
                 "1 * 1/1 * 1/1 = 1");
  assert_formula(f, RECORD(DEAL, "\"[]\"", GOLD), "1 * 0/3 = 0");
  assert_formula(f, RECORD(DEAL, "\"[]\"", "\"goldSpans\":[]"), "1 = 1");
  assert_formula(f, RECORD(DEAL, ANSWER(ITEM("party", "Ann", 0, 3)), "\"goldSpans\":[]"), "1 * 1/1 = 1");
  fixture_close(f);
  extraction_open(f, EXTRACTION_RULES());
  assert_formula(f, RECORD(DEAL, ANSWER(ITEM("party", "Ann", 0, 3) "," ITEM("day", "May", 15, 17)), NON_EMPTY),
                 "1 * 1/2 = 0.5");
  assert_formula(f, RECORD(DEAL, ANSWER(ITEM("party", "Ann", 0, 3)), EVIDENCE), "0 * 1/1 = 0");
  fixture_close(f);
}

/* The figures of a data set of one record that are about gold spans. */
static void assert_gold_figures(const char *record, const char *expected) {
  fixture one, *f = &one;
  extraction_open(f, GOLD_RULES);
  ee_totals totals;
  ee_totals_init(&totals, f->plan);
  judge_into(f, &totals, record);
  const ee_corpus_summary *figures = figures_of(&totals);
  ee_buffer_clear(&f->text);
  static const char *const names[] = {"coverageRate", "precision", "gold", "exact", "overlapping", "partial"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const ee_corpus_metric *figure = figure_find(figures, names[i]);
    if (figure == NULL) continue;
    ee_buffer_addf(&f->text, "%s%s=", i > 0 ? " " : "", names[i]);
    ee_buffer_addf(&f->text, figure->defined ? "%g" : "-", figure->value);
  }
  assert_string_equal(ee_buffer_terminate(&f->text), expected);
  ee_totals_fini(&totals);
  fixture_close(f);
}

/* They are left out where there is neither a gold span nor an extraction that could have been one. */
static void test_gold_figures(void **state) {
  (void)state;
  assert_gold_figures(RECORD("x", "\"[]\"", "\"goldSpans\":[]"), "");
  assert_gold_figures(RECORD("x", ANSWER(ITEM("a", "x", 0, 1)), "\"goldSpans\":[]"),
                      "coverageRate=- precision=0 gold=0 exact=0 overlapping=0 partial=0");
  assert_gold_figures(RECORD("x", "\"[]\"", "\"goldSpans\":[" ITEM("a", "x", 0, 1) "]"),
                      "coverageRate=0 precision=- gold=1 exact=0 overlapping=0 partial=0");
  assert_gold_figures(RECORD(DEAL, ANSWER(ITEM("party", "Ann", 0, 3) "," ITEM("day", "May", 15, 18)), GOLD),
                      "coverageRate=0.333333 precision=0.5 gold=3 exact=1 overlapping=2 partial=2");
}

/* Of no case there are counts, all 0, and no share. */
static void test_no_cases(void **state) {
  (void)state;
  fixture one, *f = &one;
  extraction_open(f, GOLD_RULES);
  ee_totals totals;
  ee_totals_init(&totals, f->plan);
  for (int round = 0; round < 2; round++) {
    const ee_corpus_summary *figures = figures_of(&totals);
    for (size_t i = 0; i < figures->metric_count; i++) {
      const ee_corpus_metric *figure = &figures->metrics[i];
      if (figure->is_count != figure->defined || (figure->is_count && figure->value != 0))
        fail_msg("%s is %g", figure->name, figure->value);
    }
    assert_non_null(figure_find(figures, "runs"));
    assert_null(figure_find(figures, "count_min"));
    assert_null(figure_find(figures, "gold"));
    assert_int_equal(figures->row_count, 0);
    assert_int_equal(figures->note_count, 0);
    /* The same when there were some. */
    ee_totals_clear(&totals);
    judge_into(f, &totals, RECORD(DEAL, ANSWER(ITEM("party", "Ann", 0, 3) "," ITEM("day", "May", 15, 17)), GOLD));
    assert_figure(figures_of(&totals), "runs", 1);
    ee_totals_clear(&totals);
  }
  ee_totals_fini(&totals);
  fixture_close(f);
}

/* A gold span in one unit, an extraction in another. */
static void test_gold_in_another_unit(void **state) {
  (void)state;
  fixture one, *f = &one;
  extraction_open(f, GOLD_RULES);
  const ee_judge_result *result = judge_record(
      f, RECORD("\\ud83d\\ude42 be",
                "[{\"extractionClass\":\"b\",\"quote\":\"be\",\"offsetMode\":\"utf8_byte\",\"charStart\":5,"
                "\"charEnd\":7}]",
                "\"goldSpans\":[" ITEM("b", "be", 3, 5) "]"));
  assert_string_equal(fixture_attributes(f, result), "b* 1 0 0 0");
  fixture_close(f);
}

/* Errors of the judge ------------------------------------------------------------------------------------------------
 */

static void assert_failed(fixture *f, const char *record, const char *miss) {
  const ee_judge_result *result = judge_record(f, record);
  assert_misses(f, result, miss);
  assert_true(result->failed && result->score == 0 && result->case_metrics == NULL);
  assert_int_equal(result->attribute_count, 0);
}

static void test_errors(void **state) {
  fixture *f = *state;
  assert_failed(f, "{\"caseId\":\"c\"," NON_EMPTY "}", "documentText (missing)");
  assert_failed(f, "{\"documentText\":7," NON_EMPTY "}", "documentText (the document must be a string, got number)");
  assert_failed(f, "{\"documentText\":\"x\",\"offsetMode\":\"lines\"," NON_EMPTY "}",
                "offsetMode ('lines' is not one of utf16_code_unit, code_point, utf8_byte)");
  assert_failed(f, "{\"documentText\":\"x\",\"offsetMode\":1," NON_EMPTY "}",
                "offsetMode (must be a string, got number)");
  /* null is as good as nothing. */
  assert_case("{\"documentText\":\"x\",\"offsetMode\":null,\"providerResponseText\":\"[]\"," EVIDENCE "}", 1,
              "candidate (empty_by_evidence)", "");
  assert_failed(
      f, "{\"documentText\":\"x\",\"expected\":null}",
      "expected (must be { emptyResultKind, minExtractions, maxExtractions } or an array of gold spans, got null)");
  assert_failed(
      f, "{\"documentText\":\"x\",\"expected\":\"some text\"}",
      "expected (must be { emptyResultKind, minExtractions, maxExtractions } or an array of gold spans, got string)");
  assert_failed(f, "{\"documentText\":\"x\",\"expected\":{}}", "expected (emptyResultKind is not a string)");
  assert_failed(f, "{\"documentText\":\"x\",\"expected\":{\"emptyResultKind\":\"full\"}}",
                "expected (emptyResultKind 'full' is not one of non_empty, empty_by_evidence, empty_by_failure)");
  assert_failed(f, "{\"documentText\":\"x\",\"expected\":{\"emptyResultKind\":\"non_empty\",\"minExtractions\":-1}}",
                "expected (minExtractions is not a non-negative whole number)");
  assert_failed(f,
                "{\"documentText\":\"x\",\"expected\":{\"emptyResultKind\":\"non_empty\",\"minExtractions\":1,"
                "\"maxExtractions\":1.5}}",
                "expected (maxExtractions is not a non-negative whole number)");
  assert_failed(f,
                "{\"documentText\":\"x\",\"expected\":{\"emptyResultKind\":\"non_empty\",\"minExtractions\":2,"
                "\"maxExtractions\":1}}",
                "expected (maxExtractions is below minExtractions)");
  assert_failed(f, "{\"documentText\":\"x\",\"goldSpans\":{}," NON_EMPTY "}",
                "goldSpans (must be an array of gold spans, got object)");
  assert_failed(
      f, "{\"documentText\":\"xy\",\"goldSpans\":[" ITEM("a", "x", 0, 1) "," ITEM("a", "y", 0, 1) "]," NON_EMPTY "}",
      "goldSpans (gold span 1: the document says 'x' there, not 'y')");
  assert_failed(f, "{\"documentText\":\"xy\",\"expected\":[" ITEM("a", "x", 0, 3) "]}",
                "expected (gold span 0: 0 to 3 is not a range of a text of 2)");
  assert_failed(f, "{\"documentText\":\"\\ud83d\\ude42\",\"expected\":[" ITEM("a", "x", 0, 1) "]}",
                "expected (gold span 0: its offsets cut a character)");
  assert_failed(f, "{\"documentText\":\"x\",\"expected\":[5]}", "expected (gold span 0: it is not an object)");
  assert_failed(f, "{\"documentText\":\"x\",\"providerResponseTexts\":\"[]\"," NON_EMPTY "}",
                "providerResponseTexts (not an array)");
  ee_buffer text = {0};
  ee_buffer_add_text(&text, "{\"documentText\":\"x\"," EVIDENCE
                            ",\"providerResponseText\":\"[]\",\"providerResponseTexts\":[");
  for (int i = 0; i < EE_EXTRACTION_RUNS; i++) ee_buffer_add_text(&text, i > 0 ? ",[]" : "[]");
  ee_buffer_add_text(&text, "]}");
  assert_failed(f, ee_buffer_terminate(&text), "providerResponseTexts (257 answers, at most 256 can be compared)");
  ee_buffer_fini(&text);
}

/* Runs ---------------------------------------------------------------------------------------------------------------
 */

static void test_runs(void **state) {
  fixture *f = *state;
  /* {x, y}, {x}, {}, and no answer at all: 1/2, 0, 0, 0, 0, 1. */
  const ee_judge_result *result =
      judge_record(f, RECORD("xy", ANSWER(ITEM("a", "x", 0, 1) "," ITEM("a", "y", 1, 2)),
                             NON_EMPTY ",\"providerResponseTexts\":[\""
                                       "[{\\\"extractionClass\\\":\\\"a\\\",\\\"quote\\\":\\\"x\\\","
                                       "\\\"charStart\\\":0,\\\"charEnd\\\":1}]\",[],null]"));
  assert_true(result->score == 1);
  assert_true(result->case_metrics[2] == (0.5 + 1) / 6);
  const ee_extraction_case *corpus_part = result->corpus_part;
  assert_int_equal(corpus_part->run_count, 4);
  assert_true(corpus_part->drifts);
  const char *details = details_text(f, result);
  assert_non_null(strstr(details, ",\"runs\":[{\"kind\":\"non_empty\",\"success\":true,\"extractions\":2,\"sound\":2},"
                                  "{\"kind\":\"non_empty\",\"success\":true,\"extractions\":1,\"sound\":1},"
                                  "{\"kind\":\"empty_by_evidence\",\"success\":false,\"extractions\":0,\"sound\":0},"
                                  "{\"kind\":\"empty_by_failure\",\"success\":false,\"extractions\":0,\"sound\":0}]}"));
  assert_non_null(strstr(details, ",\"stability\":0.25,"));
  /* Without a candidate they are all the runs. */
  result = judge_record(f, "{\"documentText\":\"x\"," EVIDENCE ",\"providerResponseTexts\":[\"[]\",\"[]\"]}");
  assert_true(result->score == 1 && result->case_metrics[2] == 1);
  corpus_part = result->corpus_part;
  assert_int_equal(corpus_part->run_count, 2);
  assert_false(corpus_part->drifts);
  /* The same keys, but one extraction too many: the first run succeeds, the second does not. */
  result = judge_record(
      f, RECORD("x", ANSWER(ITEM("a", "x", 0, 1)),
                "\"expected\":{\"emptyResultKind\":\"non_empty\",\"minExtractions\":1,"
                "\"maxExtractions\":1},\"providerResponseTexts\":[\"["
                "{\\\"extractionClass\\\":\\\"a\\\",\\\"quote\\\":\\\"x\\\",\\\"charStart\\\":0,\\\"charEnd\\\":1},"
                "{\\\"extractionClass\\\":\\\"a\\\",\\\"quote\\\":\\\"x\\\",\\\"charStart\\\":0,\\\"charEnd\\\":1}"
                "]\"]"));
  corpus_part = result->corpus_part;
  assert_true(result->score == 1 && result->case_metrics[2] == 1 && corpus_part->drifts);
  result = judge_record(f, RECORD("x", "\"[]\"", EVIDENCE ",\"providerResponseTexts\":[]"));
  assert_int_equal(((const ee_extraction_case *)result->corpus_part)->run_count, 1);
}

/* No separator that a text could forge makes two keys one, and a repeated extraction is one key. */
static void test_keys(void **state) {
  fixture *f = *state;
  static const char *const different[] = {ITEM("a", "b|0", 0, 1),
                                          ITEM("a|b", "0", 0, 1),
                                          ITEM("a\\u0000b", "", 0, 0),
                                          ITEM("a", "\\u0000b", 0, 0),
                                          ITEM("a", "b", 0, 1),
                                          ITEM("a", "b", 1, 1),
                                          ITEM("a", "b", 0, 2),
                                          ITEM("b", "b", 0, 1),
                                          "{\"extractionClass\":\"a\",\"quote\":\"b\"}",
                                          "{\"extractionClass\":\"\",\"quote\":\"b\"}",
                                          "{\"quote\":\"b\"}",
                                          "{\"extractionClass\":\"a\"}",
                                          "{\"extractionClass\":\"a\",\"quote\":\"b\",\"charStart\":0,\"charEnd\":0}"};
  enum { COUNT = sizeof different / sizeof *different };
  for (size_t i = 0; i < COUNT; i++) {
    for (size_t k = 0; k < COUNT; k++) {
      char text[2048];
      snprintf(text, sizeof text, "{\"documentText\":\"xy\"," NON_EMPTY ",\"providerResponseTexts\":[[%s,%s],[%s]]}",
               different[i], different[i], different[k]);
      assert_true(judge_record(f, text)->case_metrics[2] == (i == k));
    }
  }
}

/* Hostile values -----------------------------------------------------------------------------------------------------
 */

static void test_hostile(void **state) {
  fixture *f = *state;
  static const struct {
    const char *extraction;
    const char *code; /* NULL: sound */
  } rows[] = {
      {ITEM("a", "x", 0, 1), NULL},
      {ITEM("a", "", 0, 0), NULL},
      {ITEM("a", "", 3, 3), NULL},
      {ITEM("", "xyz", 0, 3), NULL},
      {ITEM("a", "", 4, 4), "OFFSETS_OUT_OF_RANGE"},
      {ITEM("a", "x", 0.0, 1e0), NULL},
      {ITEM("a", "x", -0, 1), NULL},
      {ITEM("a", "x", 0, 1.5), "INVALID_OFFSETS"},
      {ITEM("a", "x", 0, 1e308), "INVALID_OFFSETS"},
      {ITEM("a", "x", -1e308, 1e308), "INVALID_OFFSETS"},
      {ITEM("a", "x", 0, 9007199254740992), "OFFSETS_OUT_OF_RANGE"},
      {ITEM("a", "x", -9007199254740992, 1), "OFFSETS_OUT_OF_RANGE"},
      {ITEM("a", "x", 0, 18446744073709551616), "INVALID_OFFSETS"},
      {ITEM("a", "x", 18446744073709551616, 18446744073709551617), "INVALID_OFFSETS"},
      {ITEM("a", "x", 0, "1"), "INVALID_OFFSETS"},
      {ITEM("a", "x", [0], [1]), "INVALID_OFFSETS"},
      {ITEM("a", "x", true, false), "INVALID_OFFSETS"},
      {ITEM("a", "x", null, null), "INVALID_OFFSETS"},
      {"null", "INVALID_OFFSETS"},
      {"[]", "INVALID_OFFSETS"},
      {"\"x\"", "INVALID_OFFSETS"},
      {"[[[[[[[[[[{\"extractions\":[]}]]]]]]]]]]", "INVALID_OFFSETS"},
      {"{\"extractionClass\":{\"extractionClass\":\"a\"},\"quote\":[\"x\"],\"span\":[0,1]}", "INVALID_OFFSETS"},
      {"{\"extractionClass\":\"a\",\"quote\":\"x\",\"span\":{\"charStart\":0,\"charEnd\":1}}", NULL},
      {"{\"extractionClass\":\"a\",\"quote\":\"x\",\"span\":\"0-1\",\"charStart\":0,\"charEnd\":1}", NULL},
      {"{\"extractionClass\":\"a\",\"quote\":\"x\",\"charStart\":0,\"charEnd\":1,\"span\":{\"charStart\":0}}",
       "OFFSET_MISMATCH"},
      {"{\"extractionClass\":\"a\",\"quote\":\"x\",\"offsetMode\":null,\"charStart\":0,\"charEnd\":1}", NULL},
      {"{\"extractionClass\":\"a\",\"quote\":\"x\",\"offsetMode\":8,\"charStart\":0,\"charEnd\":1}",
       "UNSUPPORTED_OFFSET_MODE"},
      {"{\"extractionClass\":\"a\",\"quote\":\"x\",\"offsetMode\":\"UTF16_CODE_UNIT\",\"charStart\":0,\"charEnd\":1}",
       "UNSUPPORTED_OFFSET_MODE"},
      /* Of a repeated key the last stays. */
      {"{\"extractionClass\":\"a\",\"quote\":\"y\",\"quote\":\"x\",\"charStart\":0,\"charEnd\":1}", NULL},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ee_buffer text = {0};
    ee_buffer_addf(&text, "{\"documentText\":\"xyz\"," NON_EMPTY ",\"providerResponseText\":[%s]}", rows[i].extraction);
    const ee_judge_result *result = judge_record(f, ee_buffer_terminate(&text));
    if (result->score != (rows[i].code == NULL)) fail_msg("%s: %g", rows[i].extraction, result->score);
    if (rows[i].code != NULL) {
      const char *miss = fixture_findings(f, result->misses, result->miss_count);
      if (strstr(miss, rows[i].code) == NULL) fail_msg("%s: %s", rows[i].extraction, miss);
    }
    ee_buffer_fini(&text);
  }
}

/* Lists are cut, counts are not. */
static void test_many(void **state) {
  fixture *f = *state;
  ee_buffer text = {0};
  ee_buffer_add_text(&text,
                     "{\"documentText\":\"xyz\",\"expected\":{\"emptyResultKind\":\"non_empty\",\"minExtractions\":1,"
                     "\"maxExtractions\":1000},\"providerResponseText\":[");
  for (int i = 0; i < 200; i++) ee_buffer_addf(&text, "%s" ITEM("a", "x", 0, % d), i > 0 ? "," : "", 1 + i % 2);
  ee_buffer_add_text(&text, "]}");
  const ee_judge_result *result = judge_record(f, ee_buffer_terminate(&text));
  assert_true(result->score == 0.5);
  assert_int_equal(result->hit_count, EE_DETAILS_SHOWN + 1);
  assert_int_equal(result->miss_count, EE_DETAILS_SHOWN + 1);
  fixture_findings(f, &result->misses[EE_DETAILS_SHOWN], 1);
  assert_string_equal(ee_buffer_terminate(&f->text), "50 more");
  const ee_value *failures = ee_value_member(fixture_details(result, &f->case_arena), EE_STR("failures"), NULL);
  assert_int_equal(ee_value_count(failures), EE_DETAILS_SHOWN);
  assert_non_null(ee_value_member(fixture_details(result, &f->case_arena), EE_STR("truncated"), NULL));
  ee_buffer_fini(&text);
}

/* A megabyte in four bytes a character, offsets all over it. */
static void test_large_document(void **state) {
  fixture *f = *state;
  enum { CHARACTERS = 250000, EXTRACTIONS = 5000 };
  ee_buffer text = {0};
  ee_buffer_add_text(&text,
                     "{\"expected\":{\"emptyResultKind\":\"non_empty\",\"minExtractions\":1,\"maxExtractions\":9999},"
                     "\"documentText\":\"");
  for (int i = 0; i < CHARACTERS; i++) ee_buffer_add_text(&text, "\xF0\x9F\x98\x80");
  ee_buffer_add_text(&text, "\",\"providerResponseText\":[");
  for (int i = 0; i < EXTRACTIONS; i++) {
    int at = 2 * (CHARACTERS / EXTRACTIONS) * i;
    ee_buffer_addf(&text,
                   "%s{\"extractionClass\":\"a\",\"quote\":\"\xF0\x9F\x98\x80\",\"charStart\":%d,\"charEnd\":%d}",
                   i > 0 ? "," : "", at + (i == 7), at + 2 + (i == 7));
  }
  /* All of it, quoted wrongly: what is kept of it is bounded. */
  ee_buffer_addf(&text, ",{\"extractionClass\":\"all\",\"quote\":\"\",\"charStart\":0,\"charEnd\":%d}]}",
                 2 * CHARACTERS);
  const ee_judge_result *result = judge_record(f, ee_buffer_terminate(&text));
  assert_true(result->score == (EXTRACTIONS - 1.0) / (EXTRACTIONS + 1));
  assert_int_equal(result->miss_count, 2);
  assert_true(strlen(details_text(f, result)) < 2000);
  assert_true(strlen(fixture_findings(f, result->misses, 2)) < 400);
  ee_buffer_fini(&text);
}

/* So many gold spans and extractions that meet each other that the largest pairing is not searched. */
static void test_too_many_pairs(void **state) {
  (void)state;
  fixture one, *f = &one;
  extraction_open(f, GOLD_RULES);
  ee_totals totals;
  ee_totals_init(&totals, f->plan);
  ee_buffer text = {0};
  ee_buffer_add_text(&text, "{\"caseId\":\"many\",\"documentText\":\"xyz\",\"goldSpans\":[");
  for (int i = 0; i < 1500; i++) ee_buffer_addf(&text, "%s" ITEM("a", "xyz", 0, 3), i > 0 ? "," : "");
  ee_buffer_add_text(&text, "],\"providerResponseText\":[");
  for (int i = 0; i < 1400; i++) ee_buffer_addf(&text, "%s" ITEM("a", "xy", 0, 2), i > 0 ? "," : "");
  ee_buffer_add_text(&text, "," ITEM("a", "xyz", 0, 3) "]}");
  const ee_judge_result *result = judge_into(f, &totals, ee_buffer_terminate(&text));
  assert_int_equal(result->fallbacks, 1);
  assert_non_null(strstr(details_text(f, result), "\"overlapping\":1401,\"partial\":1401,\"approximate\":true}"));
  assert_note(figures_of(&totals),
              "1 case with too many gold spans to search: overlapping and partial may be more (first in 'many')");
  ee_buffer_fini(&text);
  ee_totals_fini(&totals);
  fixture_close(f);
}

/* Rules --------------------------------------------------------------------------------------------------------------
 */

static void test_rules(void **state) {
  (void)state;
  check_mistakes("{\"ee\":\"rules\",\"items\":[{\"ee\":\"extraction\",\"line\":2,\"items\":[\"documentText\"]}]}",
                 "2: ee.extraction takes named options only, got a string");
  check_mistakes(
      EXTRACTION_RULES(",\"line\":3,\"unit\":\"bytes\""),
      "3: option 'unit' of ee.extraction must be one of 'utf16_code_unit', 'code_point', 'utf8_byte', got 'bytes'");
  check_mistakes(EXTRACTION_RULES(",\"line\":3,\"gold\":\"spans[*].gold\""),
                 "3: option 'gold' of ee.extraction: 'spans[*].gold' may name several values; the path must name one");
  check_mistakes(EXTRACTION_RULES(",\"line\":3,\"documnt\":\"a\",\"trials\":\"b[\""),
                 "3: unknown option 'documnt' for ee.extraction (did you mean 'document'?)",
                 "3: bad path in option 'trials' of ee.extraction: unclosed '[' in path 'b['");
  fixture f;
  extraction_open(&f, EXTRACTION_RULES(",\"document\":\"doc.text\",\"unit\":\"code_point\""));
  ee_buffer text = {0};
  f.plan->judges[0]->type->print(f.plan->judges[0], &text);
  assert_string_equal(ee_buffer_terminate(&text),
                      "  document doc.text, gold goldSpans, trials providerResponseTexts\n  unit code_point\n");
  ee_buffer_fini(&text);
  fixture_close(&f);
}

EE_TEST_FILE(open_fixture, close_fixture, cmocka_unit_test(test_findings), cmocka_unit_test(test_long_quotes),
             cmocka_unit_test(test_outcomes), cmocka_unit_test(test_outcomes_without_gold),
             cmocka_unit_test(test_outcomes_of_extractions), cmocka_unit_test(test_union_of_keys),
             cmocka_unit_test(test_repairs), cmocka_unit_test(test_units), cmocka_unit_test(test_gold_partners),
             cmocka_unit_test(test_gold), cmocka_unit_test(test_formulas), cmocka_unit_test(test_gold_figures),
             cmocka_unit_test(test_no_cases), cmocka_unit_test(test_gold_in_another_unit),
             cmocka_unit_test(test_errors), cmocka_unit_test(test_runs), cmocka_unit_test(test_keys),
             cmocka_unit_test(test_hostile), cmocka_unit_test(test_many), cmocka_unit_test(test_large_document),
             cmocka_unit_test(test_too_many_pairs), cmocka_unit_test(test_rules));
