/* extraction_judge.c: the judge ee.extraction: a case's runs, its score, and what is kept of it. */
#include "judge/extraction/extraction_judge.h"

#include "judge/extraction/extraction_keys.h"
#include "judge/findings.h"

/* One case while it is judged. */
typedef struct judged_case {
  const ee_extraction_rules *rules;
  ee_arena *arena;
  ee_extraction_truth truth;
  ee_extraction_document document;
  ee_extraction_list *lists; /* one a run */
  size_t count;
  ee_extraction_case *corpus_part;
} judged_case;

/* Keys ---------------------------------------------------------------------------------------------------------------
 */

static ee_extraction_keys make_keys(const ee_extraction_list *list, ee_arena *arena) {
  ee_extraction_key *keys = EE_NEW_ARRAY(arena, ee_extraction_key, list->count + 1);
  for (size_t i = 0; i < list->count; i++) {
    const ee_extraction *item = &list->items[i];
    keys[i] = (ee_extraction_key){item->extraction_class, item->quote, item->has_offsets, 0, 0};
    if (item->has_offsets) keys[i].start = item->start, keys[i].end = item->end;
  }
  return ee_extraction_keys_make(keys, list->count, arena);
}

/* Compares all runs with each other. */
static void compare_runs(judged_case *j) {
  size_t count = j->count;
  uint64_t *common = ee_arena_alloc(j->arena, ee_extraction_pairs(count) * sizeof *common);
  ee_extraction_keys *sets = ee_arena_alloc(j->arena, count * sizeof *sets);
  for (size_t i = 0; i < count; i++) sets[i] = make_keys(&j->lists[i], j->arena);
  if (count > 2) ee_extraction_keys_number(sets, count, j->arena);
  for (size_t a = 0; a < count; a++) {
    j->corpus_part->drifts |= j->lists[a].kind != j->lists[0].kind || sets[a].count != sets[0].count;
    common[ee_extraction_pair(count, a, a)] = sets[a].count;
    for (size_t b = a + 1; b < count; b++)
      common[ee_extraction_pair(count, a, b)] = ee_extraction_keys_shared(&sets[a], &sets[b]);
    j->corpus_part->drifts |= common[ee_extraction_pair(count, 0, a)] != sets[0].count;
  }
  j->corpus_part->common = common;
}

/* Runs ---------------------------------------------------------------------------------------------------------------
 */

static void count_run(const ee_extraction_list *list, bool success, ee_extraction_run *run) {
  uint64_t *counts = run->counts;
  counts[EE_XC_SUCCESSES] = success;
  counts[EE_XC_EXTRACTIONS] = list->count;
  counts[EE_XC_SCHEMA_VALID] = list->schema_valid;
  counts[EE_XC_QUOTE_VALID] = list->quote_valid;
  for (size_t i = 0; i < list->count; i++) {
    const ee_extraction *item = &list->items[i];
    if (item->fault != EE_QUOTE_HOLDS)
      counts[EE_XC_FAULTS + item->fault - 1]++;
    else
      counts[EE_XC_SCHEMA_INVALID] += !item->schema_valid;
  }
  for (int i = 0; i < EE_REPAIR_COUNT; i++) {
    counts[EE_XC_REPAIRS + i] = list->repairs.counts[i];
    if (list->repairs.counts[i] > 0) counts[EE_XC_REPAIRED] = 1;
  }
  counts[EE_XC_BARE_LISTS] = list->bare_list;
  counts[EE_XC_UNREADABLE] = list->failure.length > 0;
}

static void count_gold(const ee_gold_result *gold, ee_extraction_run *run) {
  run->counts[EE_XC_GOLD] = gold->gold;
  run->counts[EE_XC_EXACT] = gold->exact;
  run->counts[EE_XC_OVERLAPPING] = gold->overlapping;
  run->counts[EE_XC_PARTIAL] = gold->partial;
  run->counts[EE_XC_GOLD_EXTRACTIONS] = gold->extractions;
}

/* An answer as the record holds it: a text, or a document. Neither: there is none. */
typedef struct answer {
  ee_str text;
  const ee_value *parsed;
} answer;

/* The candidate, where there is one, and behind it the list at `trials` (NULL: none). One answer at least, be it none.
 */
static answer *list_answers(const ee_case *current, const ee_value *trials, ee_arena *arena, size_t *count) {
  answer *answers = EE_NEW_ARRAY(arena, answer, 2 + (trials != NULL ? ee_value_count(trials) : 0));
  *count = 0;
  if (current->candidate_text.data != NULL)
    answers[(*count)++].text = current->candidate_text;
  else if (current->candidate != NULL)
    answers[(*count)++].parsed = current->candidate;
  for (const ee_value *item = trials != NULL ? ee_value_child(trials) : NULL; item != NULL;
       item = ee_value_next(item)) {
    answer *added = &answers[(*count)++];
    if (ee_type_of(item) == EE_STRING)
      added->text = ee_value_text(item);
    else if (ee_type_of(item) != EE_NULL)
      added->parsed = item;
  }
  if (*count == 0) *count = 1;
  return answers;
}

/* Reads all answers, counts what they hold, and fills `view` with the first. */
static void read_runs(judged_case *j, const answer *answers, ee_extraction_view *view) {
  const ee_bench_record *record = &j->truth.record;
  ee_extraction_run *runs = EE_NEW_ARRAY(j->arena, ee_extraction_run, j->count);
  j->lists = ee_arena_alloc(j->arena, j->count * sizeof *j->lists);
  for (size_t i = 0; i < j->count; i++) {
    ee_extraction_list *list = &j->lists[i];
    ee_extractions_read(&j->document, answers[i].text, answers[i].parsed, record->unit, j->arena, list);
    ee_extraction_view run = {.truth = &j->truth,
                              .document = &j->document,
                              .list = list,
                              .success = ee_extraction_succeeds(record, list),
                              .arena = j->arena};
    count_run(list, run.success, &runs[i]);
    if (record->has_gold) {
      run.gold = ee_gold_match(record, &j->document, list, j->arena);
      count_gold(&run.gold, &runs[i]);
      j->corpus_part->approximate |= run.gold.approximate;
    }
    if (i == 0) *view = run;
  }
  j->corpus_part->run_count = j->count;
  j->corpus_part->runs = runs;
}

/* The judge --------------------------------------------------------------------------------------------------------
 */

/* In the order of the type's measures. */
static const double *make_measures(const ee_extraction_list *list, double stability, ee_arena *arena) {
  double *measures = ee_arena_alloc(arena, 3 * sizeof *measures);
  double count = (double)list->count;
  measures[0] = list->count > 0 ? (double)list->schema_valid / count : 1;
  measures[1] = list->count > 0 ? (double)list->quote_valid / count : 1;
  measures[2] = stability;
  return measures;
}

/* A record that cannot be judged. */
static void fail_case(ee_arena *arena, ee_str place, const char *reason, ee_judge_result *result) {
  ee_findings findings;
  ee_findings_start(&findings, arena, 0);
  ee_findings_note(&findings, place, (ee_reason){.kind = EE_REASON_TEXT, .text = ee_str_from(reason)});
  ee_findings_finish(&findings, result);
  result->failed = true;
  result->reasoning = ee_str_from(ee_arena_printf(arena, "%.*s: %s", (int)place.length, place.data, reason));
}

/* The list of further answers; NULL when there is none. False when what stands there is no list. */
static bool find_trials(const judged_case *j, const ee_case *current, const ee_value **trials) {
  *trials = ee_path_get(j->rules->trials, current->record, j->arena);
  if (ee_type_of(*trials) <= EE_NULL) *trials = NULL;
  return *trials == NULL || ee_type_of(*trials) == EE_ARRAY;
}

static void extraction_judge_case(const ee_judge *judge, ee_context *context, ee_judge_result *result) {
  const ee_case *current = context->current;
  ee_arena *arena = context->arena;
  judged_case *j = EE_NEW(arena, judged_case);
  j->rules = judge->data;
  j->arena = arena;
  j->corpus_part = EE_NEW(arena, ee_extraction_case);
  j->corpus_part->run_count = 1;
  result->corpus_part = j->corpus_part;
  ee_str place;
  const char *trouble = ee_extraction_truth_read(j->rules, current, arena, &j->truth, &j->document, &place);
  const ee_value *trials = NULL;
  const answer *answers = NULL;
  if (trouble == NULL && !find_trials(j, current, &trials)) trouble = "no list";
  if (trouble == NULL) {
    answers = list_answers(current, trials, arena, &j->count);
    if (j->count > EE_EXTRACTION_RUNS)
      trouble = ee_arena_printf(arena, "%zu answers in all, of which at most %d can be compared", j->count,
                                EE_EXTRACTION_RUNS);
    place = j->rules->trials->text;
  } else if (trials != NULL) {
    place = j->rules->trials->text;
  }
  if (trouble != NULL) {
    fail_case(arena, place, trouble, result);
    return;
  }
  ee_extraction_view *view = EE_NEW(arena, ee_extraction_view);
  read_runs(j, answers, view);
  compare_runs(j);
  view->runs = j->lists;
  view->run_count = j->count;
  view->stability = ee_extraction_stability(j->corpus_part->common, j->count);
  const ee_extraction_list *list = view->list;
  result->score = ee_extraction_score(view->success, list);
  result->vacuous = view->success && list->count == 0 && !j->truth.record.has_expected;
  result->case_metrics = make_measures(list, view->stability, arena);
  result->reasoning = ee_extraction_reasoning(view);
  if (j->corpus_part->approximate) context->fallbacks++;
  ee_extraction_set_attributes(view, result);
  ee_extraction_list_findings(view, result);
  result->details = view;
}

/* Options ----------------------------------------------------------------------------------------------------------
 */

static const ee_option options[] = {
    {.name = "document",
     .type = EE_OPTION_PATH,
     .default_text = "\"documentText\"",
     .help = "Where the record holds the document's text."},
    {.name = "unit",
     .type = EE_OPTION_CHOICE,
     .default_text = "\"utf16_code_unit\"",
     .help =
         "What offsets count that have no offsetMode of their own, those of gold spans too; the record's offsetMode, "
         "where it has one, stands before it.",
     .choices = EE_TEXT_UNITS},
    {.name = "gold",
     .type = EE_OPTION_PATH,
     .default_text = "\"goldSpans\"",
     .help = "Where the record holds gold spans { extractionClass, quote, charStart, charEnd }, if it has any: what "
             "there is to be found."},
    {.name = "trials",
     .type = EE_OPTION_PATH,
     .default_text = "\"providerResponseTexts\"",
     .help = "Where the record holds further answers, a list, if it has any: with the candidate they are the runs of "
             "uniqueExtractionStability and of all figures."},
    {.name = NULL},
};

static const ee_path *compile_path(ee_plan_builder *builder, const ee_rule_node *node, const char *option,
                                   const char *fallback) {
  ee_str text = ee_option_text(node, option, fallback);
  const ee_path *path = ee_path_parse(builder->arena, text, NULL);
  if (path == NULL) path = ee_path_parse(builder->arena, ee_str_from(fallback), NULL); /* has been reported */
  if (path->wildcards > 0)
    ee_compile_error(builder, node, "option '%s' of ee.extraction: '%.*s' names many values, and one is needed", option,
                     (int)text.length, text.data);
  return path;
}

static void extraction_compile(ee_plan_builder *builder, const ee_rule_node *node, ee_judge *judge) {
  ee_extraction_rules *rules = EE_NEW(builder->arena, ee_extraction_rules);
  judge->data = rules;
  judge->data_attributes = true;
  if (node->item_count > 0)
    ee_compile_error(builder, node, "ee.extraction takes named options only, got %s",
                     ee_rule_value_describe(&node->items[0], builder->arena));
  rules->document = compile_path(builder, node, "document", "documentText");
  rules->gold = compile_path(builder, node, "gold", "goldSpans");
  rules->trials = compile_path(builder, node, "trials", "providerResponseTexts");
  rules->unit = (ee_text_unit)ee_option_choice(node, "unit", EE_TEXT_UNITS, "utf16_code_unit");
}

static void extraction_print(const ee_judge *judge, ee_buffer *out) {
  const ee_extraction_rules *rules = judge->data;
  ee_buffer_add_text(out, "  document ");
  ee_buffer_add_str(out, rules->document->text);
  ee_buffer_add_text(out, ", gold ");
  ee_buffer_add_str(out, rules->gold->text);
  ee_buffer_add_text(out, ", trials ");
  ee_buffer_add_str(out, rules->trials->text);
  ee_buffer_addf(out, "\n  unit %s\n", ee_text_unit_name(rules->unit));
}

static const char *const measures[] = {"schema_valid", "quote_valid", "stability", NULL};

const ee_judge_type ee_extraction_judge = {
    .name = "extraction",
    .help = "Quotes from a document: whether each stands where it is said to, and over the data set how often, how "
            "stably, and how many gold spans are found.",
    .description =
        "The record holds a document; the candidate is { extractions = [...] } or a list of them, each { "
        "extractionClass, quote, offsetMode, charStart, charEnd, span }. A candidate that is text is read by this "
        "judge "
        "itself, leniently: a code fence, prose around it, a byte order mark and trailing commas are repairs, and "
        "counted. Offsets are half-open, from 0, in UTF-16 code units unless offsetMode or 'unit' says otherwise; they "
        "stand in the extraction, in its span, or in both. An extraction is schema-valid when class and quote are "
        "texts, "
        "the offsets whole numbers and both places agree. Its quote holds unless, the first that applies: "
        "UNSUPPORTED_OFFSET_MODE, INVALID_OFFSETS (none, or the start behind the end), OFFSET_MISMATCH (the span says "
        "something else), OFFSETS_OUT_OF_RANGE, QUOTE_MISMATCH (the document's text there is not the quote). The kind "
        "of "
        "an answer: non_empty with any extraction, empty_by_failure when it cannot be read, else empty_by_evidence. "
        "The "
        "expected value is { emptyResultKind, minExtractions, maxExtractions } or a list of gold spans. A case "
        "succeeds "
        "when kind and number of extractions are as expected (with gold spans alone: when the answer can be read); its "
        "score is 0 when not, else the share of extractions that are schema-valid and hold, 1 when there is none. Gold "
        "spans count a class: TP is found exactly (offsets and quote), FN is not, FP is an extraction that is none; "
        "they do "
        "not change the score. Where 'trials' holds further answers, score, findings and counts are those of the first "
        "(the candidate, where there is one). Over the data set, all extractions of all runs as they came: "
        "schemaValidRate, quoteInvariantRate (1 when there is no extraction), successRate, coverageRate (gold spans "
        "found "
        "exactly), recall and precision of gold spans that an extraction overlaps, or of which one lies inside the "
        "other; "
        "uniqueExtractionStability: the mean, over all pairs of runs, of the Jaccard similarity of their sets of "
        "(case, "
        "class, start, end, quote), 1 when both are empty and for one run. Run t is answer t of every record; a record "
        "with fewer answers gives them again from the first on. A record without a document, or with an expected value "
        "or "
        "gold spans that are none, is an error of this judge, and in no figure but successRate.",
    .options = options,
    .compile = extraction_compile,
    .judge_case = extraction_judge_case,
    .write_details = ee_extraction_write_details,
    .case_metrics = measures,
    .corpus = &ee_extraction_corpus,
    .print = extraction_print,
};
