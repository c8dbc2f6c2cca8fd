/* test_extraction_twin.c: ee.extraction on random data sets against a slow twin that works on lists of units and of
 * keys; partitions; properties. */
#include "judge/corpus_state.h"
#include "judge/extraction/extraction_model.h"

#include <math.h>

/* The twin -----------------------------------------------------------------------------------------------------------
 */

static bool has_offsets(const item *it) { return it->place != NOWHERE && it->place != HALF; }

static bool is_schema_valid(const item *it) {
  return it->name < 2 && !it->no_quote && it->mode < 3 && has_offsets(it) && it->place != APART;
}

static bool same_units(const unit_list *document, const item *it, const unit_list *quote) {
  if ((size_t)(it->end - it->start) != quote->count) return false;
  for (size_t i = 0; i < quote->count; i++)
    if (document->units[(size_t)it->start + i] != quote->units[i]) return false;
  return true;
}

static ee_quote_fault fault_of(const record *r, const item *it) {
  int mode = it->mode < 0 ? 0 : it->mode;
  if (mode == 3) return EE_QUOTE_UNSUPPORTED_OFFSET_MODE;
  if (!has_offsets(it) || it->start > it->end) return EE_QUOTE_INVALID_OFFSETS;
  if (it->place == APART) return EE_QUOTE_OFFSET_MISMATCH;
  unit_list document = in_units(&r->document, mode), quote = in_units(&it->quote, mode);
  if (it->start < 0 || (size_t)it->end > document.count) return EE_QUOTE_OFFSETS_OUT_OF_RANGE;
  return it->no_quote || !same_units(&document, it, &quote) ? EE_QUOTE_MISMATCH : EE_QUOTE_HOLDS;
}

/* Where the extraction lies in UTF-16 code units; false where it lies nowhere that a gold span could be compared with.
 */
static bool in_gold_units(const record *r, const item *it, size_t *start, size_t *end) {
  ee_quote_fault fault = fault_of(r, it);
  if (it->name == 2 || it->no_quote || (fault != EE_QUOTE_HOLDS && fault != EE_QUOTE_MISMATCH)) return false;
  int mode = it->mode < 0 ? 0 : it->mode;
  *start = (size_t)it->start;
  *end = (size_t)it->end;
  if (mode == 0) return true;
  bool starts = false, ends = false;
  for (size_t i = 0; i <= r->document.count; i++) {
    size_t here = units_before(&r->document, i, mode), there = units_before(&r->document, i, 0);
    if (here == (size_t)it->start) *start = there, starts = true;
    if (here == (size_t)it->end) *end = there, ends = true;
  }
  return starts && ends;
}

static bool same_word(const word *a, const word *b) {
  return a->count == b->count && memcmp(a->letters, b->letters, a->count) == 0;
}

typedef enum how { EXACTLY, PARTLY, SOMEHOW, WAYS } how;

static bool serves(const record *r, const gold_span *gold, const item *it, how way) {
  size_t start, end;
  if (it->name != gold->name || !in_gold_units(r, it, &start, &end)) return false;
  if (start == gold->start && end == gold->end && same_word(&it->quote, &gold->quote)) return true;
  bool some = false;
  for (size_t unit = start; unit < end; unit++) some |= unit >= gold->start && unit < gold->end;
  if (way == EXACTLY || way == SOMEHOW || !some) return way == SOMEHOW && some;
  return (start >= gold->start && end <= gold->end) || (gold->start >= start && gold->end <= end);
}

/* The most gold spans from `from` on that extractions not `taken` can serve: every choice is tried. */
static size_t most_found(const record *r, const answer *run, how way, size_t from, unsigned taken) {
  if (from == r->gold_count) return 0;
  size_t best = most_found(r, run, way, from + 1, taken);
  for (size_t i = 0; i < run->count; i++) {
    if ((taken & 1u << i) != 0 || !serves(r, &r->gold[from], &run->items[i], way)) continue;
    size_t found = 1 + most_found(r, run, way, from + 1, taken | 1u << i);
    if (found > best) best = found;
  }
  return best;
}

static int kind_of(const answer *run) { return run->unreadable ? 2 : run->count > 0 ? 0 : 1; }

static bool succeeds(const record *r, const answer *run) {
  if (!r->has_expected) return !run->unreadable;
  return kind_of(run) == r->kind && run->count >= r->least && run->count <= r->most;
}

static double score_of(const record *r, const answer *run) {
  if (!succeeds(r, run)) return 0;
  size_t sound = 0;
  for (size_t i = 0; i < run->count; i++)
    sound += is_schema_valid(&run->items[i]) && fault_of(r, &run->items[i]) == EE_QUOTE_HOLDS;
  double share = run->count > 0 ? (double)sound / (double)run->count : 1;
  if (!r->has_gold || r->gold_count == 0) return share;
  return share * ((double)most_found(r, run, EXACTLY, 0, 0) / (double)r->gold_count);
}

static bool same_key(const item *a, const item *b) {
  if (a->name != b->name || a->no_quote != b->no_quote || has_offsets(a) != has_offsets(b)) return false;
  if (!a->no_quote && !same_word(&a->quote, &b->quote)) return false;
  return !has_offsets(a) || (a->start == b->start && a->end == b->end);
}

static bool has_key(const answer *run, size_t count, const item *it) {
  for (size_t i = 0; i < count; i++)
    if (same_key(&run->items[i], it)) return true;
  return false;
}

/* Different keys of `a`; of those, how many `b` has too. */
static void compare_sets(const answer *a, const answer *b, size_t *different, size_t *common) {
  for (size_t i = 0; i < a->count; i++) {
    if (has_key(a, i, &a->items[i])) continue;
    ++*different;
    *common += has_key(b, b->count, &a->items[i]);
  }
}

typedef struct twin {
  size_t runs, extractions, schema_valid, quote_valid, successes, case_runs, gold, found[WAYS], gold_extractions;
  double stability;
  size_t drifting;
} twin;

static const answer *run_of(const record *r, size_t t) { return &r->runs[t % r->run_count]; }

static bool drifts(const record *r) {
  for (size_t t = 1; t < r->run_count; t++) {
    size_t first = 0, second = 0, common = 0, again = 0;
    compare_sets(&r->runs[0], &r->runs[t], &first, &common);
    compare_sets(&r->runs[t], &r->runs[0], &second, &again);
    if (common != first || again != second || kind_of(&r->runs[t]) != kind_of(&r->runs[0]) ||
        r->runs[t].count != r->runs[0].count || succeeds(r, &r->runs[t]) != succeeds(r, &r->runs[0]))
      return true;
  }
  return false;
}

static twin judge_slowly(const record *records, size_t count) {
  twin all = {0};
  for (size_t c = 0; c < count; c++)
    if (records[c].run_count > all.runs) all.runs = records[c].run_count;
  for (size_t c = 0; c < count; c++) {
    const record *r = &records[c];
    all.drifting += drifts(r);
    for (size_t t = 0; t < all.runs; t++) {
      const answer *run = run_of(r, t);
      all.case_runs++;
      all.successes += succeeds(r, run);
      all.extractions += run->count;
      for (size_t i = 0; i < run->count; i++) {
        all.schema_valid += is_schema_valid(&run->items[i]);
        all.quote_valid += fault_of(r, &run->items[i]) == EE_QUOTE_HOLDS;
      }
      if (!r->has_gold) continue;
      all.gold += r->gold_count;
      all.gold_extractions += run->count;
      for (how way = EXACTLY; way < WAYS; way++) all.found[way] += most_found(r, run, way, 0, 0);
    }
  }
  double sum = 0, pairs = 0;
  for (size_t a = 0; a < all.runs; a++) {
    for (size_t b = a + 1; b < all.runs; b++) {
      size_t first = 0, second = 0, common = 0, again = 0;
      for (size_t c = 0; c < count; c++) {
        compare_sets(run_of(&records[c], a), run_of(&records[c], b), &first, &common);
        compare_sets(run_of(&records[c], b), run_of(&records[c], a), &second, &again);
      }
      size_t either = first + second - common;
      sum += either > 0 ? (double)common / (double)either : 1;
      pairs++;
    }
  }
  all.stability = pairs > 0 ? sum / pairs : 1;
  return all;
}

/* Tests --------------------------------------------------------------------------------------------------------------
 */

/* -1 where it is one of nothing. */
static double share(size_t part, size_t of) { return of > 0 ? (double)part / (double)of : -1; }
static double rate(size_t part, size_t of) { return of > 0 ? (double)part / (double)of : 1; }

static void assert_twin(const ee_corpus_summary *figures, const twin *all) {
  assert_figure(figures, "schemaValidRate", rate(all->schema_valid, all->extractions));
  assert_figure(figures, "quoteInvariantRate", rate(all->quote_valid, all->extractions));
  assert_figure(figures, "successRate", share(all->successes, all->case_runs));
  assert_figure(figures, "coverageRate", share(all->found[EXACTLY], all->gold));
  assert_figure(figures, "precision", share(all->found[EXACTLY], all->gold_extractions));
  assert_figure(figures, "recallPartial", share(all->found[PARTLY], all->gold));
  assert_figure(figures, "precisionPartial", share(all->found[PARTLY], all->gold_extractions));
  assert_figure(figures, "recallOverlapping", share(all->found[SOMEHOW], all->gold));
  assert_figure(figures, "precisionOverlapping", share(all->found[SOMEHOW], all->gold_extractions));
  assert_figure(figures, "extractions", (double)all->extractions);
  assert_figure(figures, "runs", (double)all->runs);
  assert_figure(figures, "drifting", all->runs > 1 ? (double)all->drifting : -1);
  assert_true(fabs(figure_value(figures, "uniqueExtractionStability") - all->stability) < 1e-12);
}

enum { PARTS = 5 };

/* Puts each case into some part, in any order, and merges the parts as any tree, with states in between. */
static void merge_parts(fixture *f, const record *records, size_t count, test_random *random, ee_totals *totals) {
  ee_buffer text = {0};
  ee_totals parts[PARTS];
  size_t order[CASES];
  for (size_t i = 0; i < PARTS; i++) ee_totals_init(&parts[i], f->plan);
  for (size_t i = 0; i < count; i++) {
    size_t at = test_random_below(random, i + 1);
    order[i] = order[at];
    order[at] = i;
  }
  for (size_t i = 0; i < count; i++) {
    print_record(&records[order[i]], order[i], &text);
    judge_into(f, &parts[test_random_below(random, PARTS)], ee_buffer_terminate(&text));
  }
  for (size_t left = PARTS; left > 1; left--) {
    size_t from = test_random_below(random, left), to = test_random_below(random, left - 1);
    to += to >= from;
    if (test_random_below(random, 2) == 0) corpus_through_state(&parts[from]);
    ee_totals_merge(&parts[to], &parts[from]);
    ee_totals merged_away = parts[from];
    parts[from] = parts[left - 1];
    ee_totals_fini(&merged_away);
  }
  ee_totals_merge(totals, &parts[0]);
  ee_totals_fini(&parts[0]);
  ee_buffer_fini(&text);
}

static void print_figures(ee_totals *totals, ee_buffer *out) {
  ee_buffer_clear(out);
  figures_print(figures_of(totals), out);
  ee_buffer_terminate(out);
}

static void test_twin(void **state) {
  (void)state;
  test_random random = test_random_start("extraction twin", 20250301);
  fixture f;
  extraction_open(&f, EXTRACTION_RULES());
  ee_buffer text = {0}, whole = {0}, merged = {0};
  ee_totals parts;
  ee_totals_init(&parts, f.plan);
  for (int round = 0; round < 400; round++) {
    record records[CASES];
    size_t count = 1 + test_random_below(&random, CASES);
    ee_totals totals;
    ee_totals_init(&totals, f.plan);
    for (size_t c = 0; c < count; c++) {
      records[c] = random_record(&random);
      print_record(&records[c], c, &text);
      const ee_judge_result *result = judge_into(&f, &totals, ee_buffer_terminate(&text));
      if (result->failed || result->score != score_of(&records[c], &records[c].runs[0]))
        fail_msg("%s: %g", text.data, result->score);
      for (size_t i = 0; i < result->attribute_count; i++) {
        const ee_counts *counts = &result->attributes[i].counts;
        assert_true(counts->wrong <= counts->fp && counts->wrong <= counts->fn * ITEMS);
      }
    }
    twin all = judge_slowly(records, count);
    assert_twin(figures_of(&totals), &all);
    merge_parts(&f, records, count, &random, &parts);
    corpus_write(&totals, &whole);
    corpus_write(&parts, &merged);
    assert_string_equal(ee_buffer_terminate(&whole), ee_buffer_terminate(&merged));
    if (round % 20 == 0) corpus_refuses_damage(&totals, (ee_str){whole.data, whole.length}, &random);
    print_figures(&totals, &whole);
    print_figures(&parts, &merged);
    assert_string_equal(whole.data, merged.data);
    ee_totals_fini(&totals);
    /* What was cleared is as what was never used. */
    ee_totals_clear(&parts);
  }
  ee_totals_fini(&parts);
  ee_buffer_fini(&text);
  ee_buffer_fini(&whole);
  ee_buffer_fini(&merged);
  fixture_close(&f);
}

static void judge_all(fixture *f, const record *records, size_t count, ee_totals *totals) {
  ee_buffer text = {0};
  ee_totals_init(totals, f->plan);
  for (size_t c = 0; c < count; c++) {
    print_record(&records[c], c, &text);
    judge_into(f, totals, ee_buffer_terminate(&text));
  }
  ee_buffer_fini(&text);
}

/* One extraction that was right and is not any more takes away its share, and nothing else. */
static void test_one_wrong_offset(void **state) {
  (void)state;
  test_random random = test_random_start("extraction offset", 20250302);
  fixture f;
  extraction_open(&f, EXTRACTION_RULES());
  for (int round = 0; round < 200; round++) {
    record records[CASES];
    size_t extractions = 0, right = 0;
    for (size_t c = 0; c < CASES; c++) {
      records[c] = random_record(&random);
      records[c].run_count = 1;
      for (size_t i = 0; i < records[c].runs[0].count; i++) {
        extractions++;
        right += fault_of(&records[c], &records[c].runs[0].items[i]) == EE_QUOTE_HOLDS;
      }
    }
    size_t chosen = test_random_below(&random, CASES);
    answer *run = &records[chosen].runs[0];
    size_t number = run->count > 0 ? test_random_below(&random, run->count) : 0;
    if (run->count == 0 || fault_of(&records[chosen], &run->items[number]) != EE_QUOTE_HOLDS) continue;
    ee_totals before, after;
    judge_all(&f, records, CASES, &before);
    run->items[number].end++;
    judge_all(&f, records, CASES, &after);
    const ee_corpus_summary *a = figures_of(&before), *b = figures_of(&after);
    assert_figure(a, "quoteInvariantRate", (double)right / (double)extractions);
    assert_figure(b, "quoteInvariantRate", (double)(right - 1) / (double)extractions);
    assert_figure(b, "extractions", (double)extractions);
    assert_figure(b, "schemaValidRate", figure_value(a, "schemaValidRate"));
    assert_figure(b, "successRate", figure_value(a, "successRate"));
    ee_totals_fini(&before);
    ee_totals_fini(&after);
  }
  fixture_close(&f);
}

static void shuffle(test_random *random, answer *run) {
  for (size_t i = run->count; i > 1; i--) {
    size_t other = test_random_below(random, i);
    item kept = run->items[i - 1];
    run->items[i - 1] = run->items[other];
    run->items[other] = kept;
  }
}

static void test_order(void **state) {
  (void)state;
  test_random random = test_random_start("extraction order", 20250303);
  fixture f;
  extraction_open(&f, EXTRACTION_RULES());
  ee_buffer first = {0}, second = {0};
  for (int round = 0; round < 200; round++) {
    record records[CASES];
    ee_totals before, after;
    for (size_t c = 0; c < CASES; c++) records[c] = random_record(&random);
    judge_all(&f, records, CASES, &before);
    for (size_t c = 0; c < CASES; c++)
      for (size_t t = 0; t < records[c].run_count; t++) shuffle(&random, &records[c].runs[t]);
    judge_all(&f, records, CASES, &after);
    print_figures(&before, &first);
    print_figures(&after, &second);
    assert_string_equal(first.data, second.data);
    assert_memory_equal(&before.all.score.sum, &after.all.score.sum, sizeof before.all.score.sum);
    ee_judge_averages a = ee_judge_total_averages(&before.all.judges[0]);
    ee_judge_averages b = ee_judge_total_averages(&after.all.judges[0]);
    assert_memory_equal(&a.pooled, &b.pooled, sizeof a.pooled);
    ee_totals_fini(&before);
    ee_totals_fini(&after);
  }
  ee_buffer_fini(&first);
  ee_buffer_fini(&second);
  fixture_close(&f);
}

/* Figures
 * -------------------------------------------------------------------------------------------------------------- */

#define WORD_RECORD(id, answers)                                                                                       \
  "{\"caseId\":\"" id                                                                                                  \
  "\",\"documentText\":\"xyz\",\"expected\":{\"emptyResultKind\":\"non_empty\",\"minExtractions\":"                    \
  "0,\"maxExtractions\":9},\"providerResponseTexts\":[" answers "]}"
#define LETTER(letter, at, to)                                                                                         \
  "{\"extractionClass\":\"c\",\"quote\":\"" letter "\",\"charStart\":" #at ",\"charEnd\":" #to "}"

/* Every figure that a gate may be about is there once there is something to tell. */
static void test_gate_figures(void **state) {
  (void)state;
  fixture f;
  extraction_open(&f, EXTRACTION_RULES());
  ee_totals totals;
  ee_totals_init(&totals, f.plan);
  judge_into(&f, &totals,
             "{\"caseId\":\"a\",\"documentText\":\"xyz\",\"expected\":[" LETTER(
                 "x", 0, 1) "],"
                            "\"providerResponseText\":[" LETTER("xy", 0, 2) "]}");
  const ee_corpus_summary *figures = figures_of(&totals);
  for (const char *const *name = ee_extraction_corpus.gate_metrics; *name != NULL; name++)
    assert_figure(figures, *name, strcmp(*name, "coverageRate") != 0);
  assert_figure(figures, "precision", 0);
  assert_figure(figures, "count_min", -1);
  ee_totals_fini(&totals);
  fixture_close(&f);
}

/* By hand. Three runs: {a:x, a:y, b:x}, {a:x, b:x}, {a:z, b:x}; the second record has two answers, and gives the first
 * one again. Pairs: (3, 2, common 2) 2/3; (3, 2, common 1) 1/4; (2, 2, common 1) 1/3: the mean is 5/12. */
static void test_by_hand(void **state) {
  (void)state;
  fixture f;
  extraction_open(&f, EXTRACTION_RULES());
  ee_totals totals;
  ee_totals_init(&totals, f.plan);
  const ee_corpus_summary *nothing = figures_of(&totals);
  assert_figure(nothing, "quoteInvariantRate", -1);
  assert_figure(nothing, "successRate", -1);
  assert_figure(nothing, "cases", 0);
  assert_int_equal(nothing->note_count, 0);
  ee_totals_clear(&totals);
  /* What cannot be judged is no reason to pass. */
  judge_into(&f, &totals, "{\"caseId\":\"none\",\"expected\":[]}");
  nothing = figures_of(&totals);
  assert_figure(nothing, "quoteInvariantRate", -1);
  assert_figure(nothing, "uniqueExtractionStability", -1);
  assert_figure(nothing, "successRate", 0);
  ee_totals_clear(&totals);
  judge_into(&f, &totals,
             WORD_RECORD(
                 "a", "[" LETTER("x", 0, 1) "," LETTER("y", 1, 2) "],[" LETTER("x", 0, 1) "],[" LETTER("z", 1, 2) "]"));
  judge_into(&f, &totals,
             WORD_RECORD("b", "[" LETTER("x", 0, 1) "],\"["
                                                    "{\\\"extractionClass\\\":\\\"c\\\",\\\"quote\\\":"
                                                    "\\\"x\\\",\\\"charStart\\\":0,\\\"charEnd\\\":1},]\""));
  judge_into(&f, &totals, "{\"caseId\":\"none\",\"expected\":[]}");
  const ee_corpus_summary *figures = figures_of(&totals);
  assert_true(fabs(figure_value(figures, "uniqueExtractionStability") - 5.0 / 12) < 1e-15);
  assert_figure(figures, "quoteInvariantRate", 6.0 / 7);
  assert_figure(figures, "schemaValidRate", 1);
  assert_figure(figures, "successRate", 6.0 / 9);
  assert_figure(figures, "coverageRate", -1);
  assert_figure(figures, "count_min", 2);
  assert_figure(figures, "count_max", 3);
  assert_figure(figures, "in_error", 1);
  assert_figure(figures, "repaired", 1);
  assert_figure(figures, "trailing_comma", 1);
  assert_figure(figures, "bare_list", 6);
  assert_note(figures, "1 record in error, excluded from all metrics but successRate (first in 'none')");
  assert_note(figures, "1 extraction whose quote is not at its offsets (first in 'a')");
  assert_note(figures, "1 answer read after repairs (first in 'b')");
  assert_note(figures, "3 runs of 2 to 3 extractions: mean 2.33333, population variance 0.222222");
  assert_note(figures, "1 case whose runs differ (first in 'a')");
  assert_int_equal(figures->row_count, 1);
  assert_true(ee_str_is(figures->rows[0].name, "QUOTE_MISMATCH"));
  assert_true(figures->rows[0].values[0].value == 1 && figures->rows[0].values[1].value == 1.0 / 7);
  ee_totals_fini(&totals);
  fixture_close(&f);
}

/* The faults that occur are rows, the most frequent first, of equally frequent ones the first kind. */
static void test_fault_rows(void **state) {
  (void)state;
  fixture f;
  extraction_open(&f, EXTRACTION_RULES());
  ee_totals totals;
  ee_totals_init(&totals, f.plan);
#define BARE "{\"quote\":\"x\",\"charStart\":0,\"charEnd\":1}" /* without a class */
  judge_into(&f, &totals,
             WORD_RECORD("a", "[" BARE "," LETTER("x", 1, 2) "," LETTER("y", 0, 1) "," LETTER("x", 0, 9) "]"));
  const ee_corpus_summary *figures = figures_of(&totals);
  static const char *const names[] = {"QUOTE_MISMATCH", "SCHEMA_INVALID", "OFFSETS_OUT_OF_RANGE"};
  assert_int_equal(figures->row_count, 3);
  for (size_t i = 0; i < 3; i++) {
    assert_true(ee_str_is(figures->rows[i].name, names[i]));
    assert_true(figures->rows[i].values[0].value == (i == 0 ? 2 : 1));
  }
  ee_totals_fini(&totals);
  fixture_close(&f);
}

/* What is noted of answers counts all of them, the first one, too; of its cases the first ids in byte order are shown,
 * however long. */
static void test_notes(void **state) {
  (void)state;
  static const struct {
    const char *answers, *figure, *note;
    double value;
  } rows[] = {
      {"\"\\ufeff[]\"", "byte_order_mark", "1 answer read after repairs (first in 'b')", 1},
      {"\"```json\\n[]\\n```\"", "fence", "1 answer read after repairs (first in 'b')", 1},
      {"\"It is []\"", "prose", "1 answer read after repairs (first in 'b')", 1},
      {"\"[1,]\",[]", "trailing_comma", "1 answer read after repairs (first in 'b')", 1},
      {"[" LETTER("y", 0, 1) "],[]", "repaired", "1 extraction whose quote is not at its offsets (first in 'b')", 0},
      {"[],[" LETTER("y", 0, 1) "]", "repaired", "1 extraction whose quote is not at its offsets (first in 'b')", 0},
  };
  fixture f;
  extraction_open(&f, EXTRACTION_RULES());
  ee_totals totals;
  ee_totals_init(&totals, f.plan);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char text[512];
    snprintf(text, sizeof text, WORD_RECORD("b", "%s"), rows[i].answers);
    judge_into(&f, &totals, text);
    const ee_corpus_summary *figures = figures_of(&totals);
    assert_figure(figures, rows[i].figure, rows[i].value);
    assert_note(figures, rows[i].note);
    ee_totals_clear(&totals);
  }
  test_random random = test_random_start("ids of notes", 91);
  for (int round = 0; round < 200; round++) {
    char first[3][80] = {"~", "~", "~"}, note[400];
    size_t count = 3 + test_random_below(&random, 30);
    for (size_t i = 0; i < count; i++) {
      char id[80], text[512];
      size_t length = 1 + test_random_below(&random, sizeof id - 2), at = 3;
      for (size_t k = 0; k < length; k++) id[k] = (char)('a' + test_random_below(&random, 3));
      id[length] = '\0';
      while (at > 0 && strcmp(id, first[at - 1]) < 0) at--;
      for (size_t k = 2; k > at && at < 3; k--) memcpy(first[k], first[k - 1], sizeof id);
      if (at < 3) memcpy(first[at], id, sizeof id);
      snprintf(text, sizeof text, WORD_RECORD("%s", "[" LETTER("y", 0, 1) "]"), id);
      judge_into(&f, &totals, text);
    }
    for (size_t k = 0; k < 3; k++)
      if (strlen(first[k]) > 60) memcpy(first[k] + 60, "...", 4);
    snprintf(note, sizeof note, "%zu extractions whose quotes are not at their offsets (first in '%s', '%s', '%s')",
             count, first[0], first[1], first[2]);
    assert_note(figures_of(&totals), note);
    ee_totals_clear(&totals);
  }
  ee_totals_fini(&totals);
  fixture_close(&f);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_by_hand), cmocka_unit_test(test_notes),
             cmocka_unit_test(test_gate_figures), cmocka_unit_test(test_twin), cmocka_unit_test(test_one_wrong_offset),
             cmocka_unit_test(test_order), cmocka_unit_test(test_fault_rows));
