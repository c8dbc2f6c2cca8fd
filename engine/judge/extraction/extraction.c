/* extraction.c: ee.extraction checks extractions from a document: { class, quote, offsets }.
 *
 * A case: read document, expected result and gold spans (read_truth), read all answers (read_runs), compare them
 * (compare_runs). The first answer gives score, findings, counts per class and details; all of them go into the totals
 * over the data set (extraction_corpus.c). */
#include <inttypes.h>
#include <string.h>

#include "base/printable.h"
#include "base/work.h"
#include "judge/details.h"
#include "judge/extraction/extraction_corpus.h"
#include "judge/extraction/gold_match.h"
#include "judge/result.h"
#include "prim/sort.h"

/* Bytes of a string of the data in a message or finding, and in the details. */
#define TEXT_SHOWN 60
#define TEXT_KEPT 400
/* Bytes that are shown before the first difference of two long texts. */
#define SAME_SHOWN 20

#define NO_CLASS "(no class)"

/* The compiled judge. In the plan's arena. */
typedef struct extraction_rules {
  const ee_path *document, *gold, *trials; /* in the record */
  ee_text_unit unit;
} extraction_rules;

/* Options ------------------------------------------------------------------------------------- */

static const ee_option options[] = {
    {.name = "document",
     .type = EE_OPTION_PATH,
     .default_text = "\"documentText\"",
     .help = "The path in the record to the document's text."},
    {.name = "unit",
     .type = EE_OPTION_CHOICE,
     .default_text = "\"utf16_code_unit\"",
     .help = "The unit of offsets without an offsetMode of their own, including those of gold spans; the record's "
             "offsetMode takes precedence.",
     .choices = EE_TEXT_UNITS},
    {.name = "gold",
     .type = EE_OPTION_PATH,
     .default_text = "\"goldSpans\"",
     .help = "The path in the record to gold spans { extractionClass, quote, charStart, charEnd }, if it has any: what "
             "should be found."},
    {.name = "trials",
     .type = EE_OPTION_PATH,
     .default_text = "\"providerResponseTexts\"",
     .help =
         "The path in the record to an array of further answers, if it has any: with the candidate they are the runs "
         "of uniqueExtractionStability and of all metrics."},
    {.name = NULL},
};

static const ee_path *compile_path(ee_plan_builder *builder, const ee_rule_node *node, const char *option,
                                   const char *fallback) {
  ee_str text = ee_option_text(node, option, fallback);
  const char *subject = ee_arena_printf(builder->arena, "option '%s' of ee.extraction", option);
  const ee_path *path = ee_compile_path(builder, node, text, subject, EE_PATH_ONE_VALUE | EE_PATH_CHECKED);
  return path != NULL ? path : ee_compile_path(builder, node, ee_str_from(fallback), subject, 0);
}

static void extraction_compile(ee_plan_builder *builder, const ee_rule_node *node, ee_judge *judge) {
  extraction_rules *rules = EE_NEW(builder->arena, extraction_rules);
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
  const extraction_rules *rules = judge->data;
  ee_buffer_add_text(out, "  document ");
  ee_add_shown(out, "", rules->document->text, "");
  ee_buffer_add_text(out, ", gold ");
  ee_add_shown(out, "", rules->gold->text, "");
  ee_buffer_add_text(out, ", trials ");
  ee_add_shown(out, "", rules->trials->text, "");
  ee_buffer_addf(out, "\n  unit %s\n", ee_text_unit_name(rules->unit));
}

/* The record ---------------------------------------------------------------------------------- */

/* What is correct according to the record. Of the bench record only `has_expected`, `kind`, `min_extractions`,
 * `max_extractions`, `has_gold`, `gold`, `gold_count` and `unit` are used. */
typedef struct record_truth {
  ee_bench_record record;
  ee_str gold_place; /* the path of the gold spans, for findings */
} record_truth;

/* A record while it is read. */
typedef struct reading {
  const extraction_rules *rules;
  const ee_case *current;
  ee_arena *arena;
  ee_bench_record *record;
} reading;

static const ee_value *member(const reading *self, const ee_value *object, const char *key) {
  return ee_value_member(object, ee_str_from(key), self->arena);
}

static const ee_value *value_at(const reading *self, const ee_path *path) {
  return ee_case_get(self->current, path, self->arena);
}

/* A string of the data for a message; cut at a NUL. */
static const char *shown(const reading *self, ee_str text) {
  size_t length = ee_utf8_cut(text, TEXT_SHOWN);
  return ee_arena_printf(self->arena, "%.*s%s", (int)length, text.data, length < text.length ? "..." : "");
}

static bool read_count(const ee_value *value, uint64_t *count) {
  int64_t whole;
  if (!ee_value_whole(value, &whole) || whole < 0) return false;
  *count = (uint64_t)whole;
  return true;
}

/* Document and unit --------------------------------------------------------------------------- */

static const char *read_document(const reading *self, ee_extraction_document *document) {
  const ee_value *value = value_at(self, self->rules->document);
  if (ee_type_of(value) == EE_MISSING) return "missing";
  if (ee_type_of(value) != EE_STRING)
    return ee_arena_printf(self->arena, "the document must be a string, got %s", ee_type_name(value));
  *document = (ee_extraction_document){.text = ee_value_text(value)};
  self->record->document = document->text;
  return NULL;
}

static const char *read_unit(const reading *self) {
  const ee_value *value = member(self, self->current->record, "offsetMode");
  if (value == NULL) value = member(self, self->current->truth, "offsetMode");
  self->record->unit = self->rules->unit;
  if (ee_type_of(value) <= EE_NULL) return NULL;
  if (ee_type_of(value) != EE_STRING)
    return ee_arena_printf(self->arena, "must be a string, got %s", ee_type_name(value));
  if (ee_text_unit_find(ee_value_text(value), &self->record->unit)) return NULL;
  return ee_arena_printf(self->arena, "'%s' is not one of " EE_TEXT_UNIT_LIST, shown(self, ee_value_text(value)));
}

/* What is expected ---------------------------------------------------------------------------- */

static const char *read_kind(const reading *self, const ee_value *value) {
  if (ee_type_of(value) != EE_STRING) return "emptyResultKind is not a string";
  if (ee_empty_kind_find(ee_value_text(value), &self->record->kind)) return NULL;
  return ee_arena_printf(self->arena, "emptyResultKind '%s' is not one of " EE_EMPTY_KIND_LIST,
                         shown(self, ee_value_text(value)));
}

static const char *read_expected(const reading *self, const ee_value *expected) {
  ee_bench_record *record = self->record;
  const char *error = read_kind(self, member(self, expected, "emptyResultKind"));
  if (error != NULL) return error;
  if (!read_count(member(self, expected, "minExtractions"), &record->min_extractions))
    return "minExtractions is not a non-negative whole number";
  if (!read_count(member(self, expected, "maxExtractions"), &record->max_extractions))
    return "maxExtractions is not a non-negative whole number";
  if (record->max_extractions < record->min_extractions) return "maxExtractions is below minExtractions";
  record->has_expected = true;
  return NULL;
}

/* Gold spans ---------------------------------------------------------------------------------- */

static const char *read_span(const reading *self, const ee_unit_index *index, const ee_value *item,
                             ee_gold_span *span) {
  if (ee_type_of(item) != EE_OBJECT) return "it is not an object";
  const ee_value *name = member(self, item, "extractionClass"), *quote = member(self, item, "quote");
  if (ee_type_of(name) != EE_STRING) return "extractionClass is not a string";
  if (ee_type_of(quote) != EE_STRING) return "quote is not a string";
  span->extraction_class = ee_value_text(name);
  span->quote = ee_value_text(quote);
  bool whole = read_count(member(self, item, "charStart"), &span->start) &&
               read_count(member(self, item, "charEnd"), &span->end);
  if (!whole) return "charStart and charEnd are not non-negative whole numbers";
  return ee_gold_span_error(index, span, self->arena);
}

static const char *read_gold(const reading *self, const ee_value *list, ee_extraction_document *document) {
  ee_bench_record *record = self->record;
  ee_unit_index *index = &document->index[record->unit];
  ee_unit_index_build(index, self->arena, document->text, record->unit);
  document->built[record->unit] = true;
  ee_work_bound(EE_BOUND_ITEMS, ee_value_count(list), "gold spans");
  ee_gold_span *gold = EE_NEW_ARRAY(self->arena, ee_gold_span, ee_value_count(list) + 1);
  size_t count = 0;
  for (const ee_value *item = ee_value_child(list); item != NULL; item = ee_value_next(item), count++) {
    const char *error = read_span(self, index, item, &gold[count]);
    if (error != NULL) return ee_arena_printf(self->arena, "gold span %zu: %s", count, error);
  }
  record->has_gold = true;
  record->gold = gold;
  record->gold_count = count;
  return NULL;
}

/* The record ---------------------------------------------------------------------------------- */

/* Reads the truth and the document. Returns NULL, or the error, in `arena` or static; `*place` is then the path it is
 * about. */
static const char *read_truth(const extraction_rules *rules, const ee_case *current, ee_arena *arena,
                              record_truth *truth, ee_extraction_document *document, ee_str *place) {
  *truth = (record_truth){.gold_place = rules->gold->text};
  reading self = {rules, current, arena, &truth->record};
  *place = rules->document->text;
  const char *error = read_document(&self, document);
  if (error != NULL) return error;
  *place = EE_STR("offsetMode");
  error = read_unit(&self);
  if (error != NULL) return error;
  *place = EE_STR("expected");
  const ee_value *expected = current->expected, *gold = value_at(&self, rules->gold);
  if (ee_type_of(expected) == EE_ARRAY) {
    if (gold != expected) truth->gold_place = *place;
    gold = expected;
  } else if (ee_type_of(expected) == EE_OBJECT) {
    error = read_expected(&self, expected);
    if (error != NULL) return error;
  } else {
    return ee_arena_printf(
        arena, "must be { emptyResultKind, minExtractions, maxExtractions } or an array of gold spans, got %s",
        ee_type_name(expected));
  }
  *place = truth->gold_place;
  if (ee_type_of(gold) <= EE_NULL) return NULL;
  if (ee_type_of(gold) != EE_ARRAY)
    return ee_arena_printf(arena, "must be an array of gold spans, got %s", ee_type_name(gold));
  return read_gold(&self, gold, document);
}

/* Runs ---------------------------------------------------------------------------------------- */

/* A case while it is judged. */
typedef struct judged_case {
  bool repair; /* all mistakes are repaired */
  const extraction_rules *rules;
  ee_arena *arena;
  record_truth truth;
  ee_extraction_document document;
  ee_extraction_list *lists; /* one per run */
  size_t count;
  ee_extraction_case *corpus_part;
} judged_case;

/* A judged answer. */
typedef struct judged_answer {
  const record_truth *truth;
  const ee_extraction_document *document;
  const ee_extraction_list *list;
  ee_gold_result gold; /* if the truth has gold spans */
  bool success;
  ee_arena *arena;
  const ee_extraction_list *runs; /* all answers, this one first */
  size_t run_count;
  double stability; /* of the runs, 0..1 */
} judged_answer;

static ee_extraction_keys make_keys(const ee_extraction_list *list, ee_arena *arena) {
  ee_extraction_key *keys = EE_NEW_ARRAY(arena, ee_extraction_key, list->count + 1);
  for (size_t i = 0; i < list->count; i++) {
    const ee_extraction *item = &list->items[i];
    keys[i] = (ee_extraction_key){item->extraction_class, item->quote, item->has_offsets, 0, 0};
    if (item->has_offsets) keys[i].start = item->start, keys[i].end = item->end;
  }
  return ee_extraction_keys_make(keys, list->count, arena);
}

static void compare_runs(judged_case *j) {
  ee_extraction_keys *sets = ee_arena_alloc(j->arena, j->count * sizeof *sets);
  ee_empty_kind *kinds = ee_arena_alloc(j->arena, j->count * sizeof *kinds);
  for (size_t i = 0; i < j->count; i++) {
    sets[i] = make_keys(&j->lists[i], j->arena);
    kinds[i] = j->lists[i].kind;
  }
  ee_extraction_compare_runs(sets, kinds, j->arena, j->corpus_part);
}

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
  for (int i = 0; i < EE_REPAIR_PLAIN_COUNT; i++) {
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

/* An answer in the record: a string, or a parsed document; neither: no answer. */
typedef struct answer {
  ee_str text;
  const ee_value *parsed;
} answer;

/* The candidate, if there is one, then the array `trials` (NULL: none). At least one entry, perhaps without answer. */
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

/* Reads and counts all answers; `view` gets the first. */
static void read_runs(judged_case *j, const answer *answers, judged_answer *view) {
  const ee_bench_record *record = &j->truth.record;
  ee_extraction_run *runs = EE_NEW_ARRAY(j->arena, ee_extraction_run, j->count);
  j->lists = ee_arena_alloc(j->arena, j->count * sizeof *j->lists);
  for (size_t i = 0; i < j->count; i++) {
    ee_extraction_list *list = &j->lists[i];
    unsigned repairs = j->repair ? EE_REPAIRS_ALL : EE_REPAIRS_PLAIN;
    ee_extractions_read(&j->document, answers[i].text, answers[i].parsed, repairs, record->unit, j->arena, list);
    judged_answer run = {.truth = &j->truth,
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

/* Texts --------------------------------------------------------------------------------------- */

/* Strings are joined rather than printed: those of the data may contain a NUL. */
static ee_str join(ee_arena *arena, const ee_str *parts, size_t count) {
  size_t length = 0;
  for (size_t i = 0; i < count; i++) length += parts[i].length;
  char *text = ee_arena_alloc(arena, length), *out = text;
  for (size_t i = 0; i < count; i++) {
    if (parts[i].length > 0) memcpy(out, parts[i].data, parts[i].length);
    out += parts[i].length;
  }
  return (ee_str){text, length};
}
#define JOIN(arena, ...)                                                                                               \
  join(arena, (const ee_str[]){__VA_ARGS__}, sizeof((const ee_str[]){__VA_ARGS__}) / sizeof(ee_str))

static ee_str shorten(ee_arena *arena, ee_str text, size_t limit) {
  if (text.length <= limit) return text;
  return JOIN(arena, {text.data, ee_utf8_cut(text, limit)}, EE_STR("..."));
}

/* Both strings quoted and shortened; they start shortly before the first byte that differs. */
static void quote_both(ee_arena *arena, ee_str a, ee_str b, ee_str *shown_a, ee_str *shown_b) {
  size_t same = 0, min = a.length < b.length ? a.length : b.length;
  while (same < min && a.data[same] == b.data[same]) same++;
  size_t from = same > TEXT_SHOWN / 2 ? same - SAME_SHOWN : 0;
  while (from > 0 && ((unsigned char)a.data[from] & 0xC0) == 0x80) from--;
  ee_str dots = from > 0 ? EE_STR("...") : EE_STR("");
  *shown_a =
      JOIN(arena, EE_STR("'"), dots, shorten(arena, (ee_str){a.data + from, a.length - from}, TEXT_SHOWN), EE_STR("'"));
  *shown_b =
      JOIN(arena, EE_STR("'"), dots, shorten(arena, (ee_str){b.data + from, b.length - from}, TEXT_SHOWN), EE_STR("'"));
}

static ee_reason reason_of(ee_str text) { return (ee_reason){.kind = EE_REASON_TEXT, .text = text}; }

/* Why an extraction is not sound -------------------------------------------------------------- */

/* The code of an extraction that fails a check: "QUOTE_MISMATCH", ..., or "SCHEMA_INVALID" if only the schema check
 * failed; NULL when it is sound. */
static const char *code_of(const ee_extraction *item) {
  const char *fault = ee_quote_fault_name(item->fault);
  return fault != NULL ? fault : item->schema_valid ? NULL : "SCHEMA_INVALID";
}

static ee_str offsets_of(const ee_extraction *item, ee_arena *arena) {
  return ee_str_from(ee_arena_printf(arena, "%" PRId64 " to %" PRId64, item->start, item->end));
}

static ee_str describe_range(const judged_answer *view, const ee_extraction *item) {
  static const char *const units[] = {"UTF-16 code units", "code points", "bytes"};
  return ee_str_from(ee_arena_printf(view->arena, "%" PRId64 " to %" PRId64 ", the document has %" PRIu64 " %s",
                                     item->start, item->end, view->document->index[item->unit].length,
                                     units[item->unit]));
}

static ee_str describe_mismatch(const judged_answer *view, const ee_extraction *item) {
  ee_arena *arena = view->arena;
  if (item->quote.data == NULL) return EE_STR("quote is not a string");
  ee_str actual, quote;
  quote_both(arena, item->actual, item->quote, &actual, &quote);
  return JOIN(arena, EE_STR("the document says "), actual, EE_STR(" there, not "), quote);
}

static ee_str describe_fault(const judged_answer *view, const ee_extraction *item) {
  switch (item->fault) {
  case EE_QUOTE_HOLDS: return item->schema_reason;
  case EE_QUOTE_UNSUPPORTED_OFFSET_MODE: return EE_STR("not one of " EE_TEXT_UNIT_LIST);
  case EE_QUOTE_INVALID_OFFSETS:
    if (ee_type_of(item->node) != EE_OBJECT) return EE_STR("it is not an object");
    return item->has_offsets ? offsets_of(item, view->arena) : EE_STR("charStart and charEnd are not whole numbers");
  case EE_QUOTE_OFFSET_MISMATCH: return EE_STR("span has other offsets");
  case EE_QUOTE_OFFSETS_OUT_OF_RANGE: return describe_range(view, item);
  case EE_QUOTE_MISMATCH: return describe_mismatch(view, item);
  }
  return EE_STR("");
}

/* The description of a fault. A fault of the offsets hides an invalid class or quote: then both are described. */
static ee_str describe(const judged_answer *view, const ee_extraction *item) {
  ee_str text = describe_fault(view, item);
  bool hidden = ee_type_of(item->node) == EE_OBJECT && item->fault != EE_QUOTE_HOLDS && !item->schema_valid &&
                (item->extraction_class.data == NULL || item->quote.data == NULL) &&
                !ee_str_equal(text, item->schema_reason);
  return hidden ? JOIN(view->arena, text, EE_STR("; "), item->schema_reason) : text;
}

/* Findings ------------------------------------------------------------------------------------ */

typedef struct finding_lists {
  const judged_answer *view;
  ee_findings findings;
  size_t limit; /* of hits, and of misses */
  size_t hits_left_out, misses_left_out;
} finding_lists;

static void add_hit(finding_lists *f, ee_str path, uint32_t row, ee_str text) {
  if (f->findings.hits.count == f->limit) {
    f->hits_left_out++;
    return;
  }
  ee_finding hit = {.path = path, .row = row, .reason = reason_of(text)};
  ee_findings_hit(&f->findings, &hit);
}

/* Whether the list of misses has room; counts the miss otherwise. */
static bool has_room(finding_lists *f) {
  if (f->findings.misses.count < f->limit) return true;
  f->misses_left_out++;
  return false;
}

/* A miss without values. */
static void add_miss(finding_lists *f, ee_str path, uint32_t row, ee_str text) {
  ee_findings_note(&f->findings, path, reason_of(text));
  f->findings.misses.items[f->findings.misses.count - 1].row = row;
}

/* The finding about the answer as a whole. */
static void add_outcome(finding_lists *f) {
  const judged_answer *view = f->view;
  const ee_bench_record *record = &view->truth->record;
  const ee_extraction_list *list = view->list;
  ee_str candidate = EE_STR("candidate"), text;
  if (view->success) {
    if (list->count == 0) add_hit(f, candidate, EE_NO_ROW, ee_str_from(ee_empty_kind_name(list->kind)));
    return;
  }
  if (list->failure.length > 0) {
    text = list->failure;
  } else if (list->kind != record->kind) {
    text = JOIN(view->arena, ee_str_from(ee_empty_kind_name(list->kind)), EE_STR(", expected "),
                ee_str_from(ee_empty_kind_name(record->kind)));
  } else {
    text = ee_str_from(ee_arena_printf(view->arena, "%zu extraction%s, expected %" PRIu64 " to %" PRIu64, list->count,
                                       list->count == 1 ? "" : "s", record->min_extractions, record->max_extractions));
  }
  add_miss(f, candidate, EE_NO_ROW, text);
}

static void add_extractions(finding_lists *f) {
  const judged_answer *view = f->view;
  for (size_t i = 0; i < view->list->count; i++) {
    const ee_extraction *item = &view->list->items[i];
    const char *code = code_of(item);
    if (code == NULL) {
      add_hit(f, EE_STR("extractions"), (uint32_t)i, shorten(view->arena, item->extraction_class, TEXT_SHOWN));
    } else if (has_room(f)) {
      ee_str text = JOIN(view->arena, ee_str_from(code), EE_STR(": "), describe(view, item));
      add_miss(f, EE_STR("extractions"), (uint32_t)i, text);
    }
  }
}

/* Whether a gold span is found exactly. */
static bool is_found(const judged_answer *view, size_t index) { return view->gold.finders[index] != EE_GOLD_NO_FINDER; }

static void add_gold(finding_lists *f) {
  const judged_answer *view = f->view;
  ee_arena *arena = view->arena;
  for (size_t i = 0; i < view->gold.gold; i++) {
    if (is_found(view, i) || !has_room(f)) continue;
    const ee_gold_span *span = &view->truth->record.gold[i];
    ee_str text = JOIN(arena, EE_STR("not found: "), shorten(arena, span->extraction_class, TEXT_SHOWN), EE_STR(" '"),
                       shorten(arena, span->quote, TEXT_SHOWN), EE_STR("'"));
    add_miss(f, view->truth->gold_place, (uint32_t)i, text);
  }
}

static void list_findings(const judged_answer *view, ee_judge_result *result) {
  finding_lists f = {.view = view, .limit = ee_details_limit(result->detail)};
  ee_findings_start(&f.findings, view->arena, ee_details_shown(result, view->list->count) + 1);
  add_outcome(&f);
  add_extractions(&f);
  add_gold(&f);
  if (f.hits_left_out > 0) {
    ee_finding more = {.path = ee_str_from(ee_arena_printf(view->arena, "%zu more", f.hits_left_out)),
                       .row = EE_NO_ROW};
    ee_findings_hit(&f.findings, &more);
  }
  if (f.misses_left_out > 0)
    ee_findings_note(&f.findings, ee_str_from(ee_arena_printf(view->arena, "%zu more", f.misses_left_out)),
                     (ee_reason){.kind = EE_REASON_NONE});
  ee_findings_finish(&f.findings, result);
}

/* Outcomes, in full detail --------------------------------------------------------------------- */

/* The value of a gold span as it is in the record. */
static const ee_value *gold_node(const ee_value *list, size_t index) {
  const ee_value *node = ee_value_child(list);
  for (; node != NULL && index > 0; index--) node = ee_value_next(node);
  return node;
}

/* "document[12:20] = quote", or "!=": what a sound extraction promises. */
static ee_str promise(const judged_answer *view, const ee_extraction *item) {
  if (!item->has_offsets) return EE_STR("");
  const char *sign = item->fault == EE_QUOTE_HOLDS ? "=" : "!=";
  return ee_str_from(
      ee_arena_printf(view->arena, "document[%" PRId64 ":%" PRId64 "] %s quote", item->start, item->end, sign));
}

static void keep_gold(const judged_answer *view, ee_context *context, size_t index, const ee_value *gold) {
  bool found = is_found(view, index);
  const ee_extraction *item = found ? &view->list->items[view->gold.finders[index]] : NULL;
  ee_outcome kept = {.place = {.path = view->truth->gold_place, .row = (uint32_t)index},
                     .attribute = view->truth->record.gold[index].extraction_class,
                     .value_class = found ? EE_CLASS_TP : EE_CLASS_MISSING,
                     .expected = gold_node(gold, index),
                     .score = found,
                     .weight = 1,
                     .row = (uint32_t)index,
                     .partner = EE_NO_ROW};
  if (item != NULL) {
    kept.candidate = item->node;
    kept.partner = (uint32_t)(item - view->list->items);
    kept.how.formula = promise(view, item);
    const char *code = code_of(item);
    if (code != NULL)
      kept.place.reason = reason_of(JOIN(view->arena, ee_str_from(code), EE_STR(": "), describe(view, item)));
  } else {
    kept.place.reason = EE_REASON_OF("not found");
  }
  ee_outcomes_add(&context->outcomes, view->arena, &kept);
}

/* Keeps an extraction that matches no gold span; without gold spans, every one. */
static void keep_extraction(const judged_answer *view, ee_context *context, size_t index) {
  const ee_extraction *item = &view->list->items[index];
  bool has_gold = view->truth->record.has_gold;
  if (has_gold && view->gold.fates[index] == EE_GOLD_EXACT) return;
  const char *code = code_of(item);
  bool near = has_gold && view->gold.fates[index] == EE_GOLD_NEAR;
  ee_outcome kept = {.place = {.path = EE_STR("extractions"), .row = (uint32_t)index},
                     .value_class = near || !has_gold ? EE_CLASS_WRONG : EE_CLASS_INVENTED,
                     .candidate = item->node,
                     .weight = 1,
                     .how = {.formula = promise(view, item)},
                     .row = EE_NO_ROW,
                     .partner = has_gold ? (uint32_t)index : EE_NO_ROW};
  if (has_gold) kept.attribute = item->extraction_class.data != NULL ? item->extraction_class : EE_STR(NO_CLASS);
  if (!has_gold && code == NULL) {
    kept.value_class = EE_CLASS_TP;
    kept.score = 1;
  }
  if (code != NULL)
    kept.place.reason = reason_of(JOIN(view->arena, ee_str_from(code), EE_STR(": "), describe(view, item)));
  else if (has_gold)
    kept.place.reason = near ? EE_REASON_OF("overlaps a gold span") : EE_REASON_OF("no gold span");
  ee_outcomes_add(&context->outcomes, view->arena, &kept);
}

static void keep_outcomes(const judged_answer *view, ee_context *context, const ee_path *gold_path) {
  const ee_case *current = context->current;
  bool is_list = ee_type_of(current->expected) == EE_ARRAY;
  const ee_value *gold = is_list ? current->expected : ee_case_get(current, gold_path, view->arena);
  for (size_t i = 0; i < view->gold.gold; i++) keep_gold(view, context, i, gold);
  for (size_t i = 0; i < view->list->count; i++) keep_extraction(view, context, i);
}

/* "1 * 2/3 * 1/2 = 0.333333": whether kind and number are as expected, the share of sound extractions, and of gold
 * spans that were found. */
static ee_str formula_of(const judged_answer *view, double score) {
  const ee_extraction_list *list = view->list;
  const char *text = view->success ? "1" : "0";
  if (list->count > 0) text = ee_arena_printf(view->arena, "%s * %zu/%zu", text, list->sound, list->count);
  if (view->gold.gold > 0) text = ee_arena_printf(view->arena, "%s * %zu/%zu", text, view->gold.exact, view->gold.gold);
  return ee_str_from(ee_arena_printf(view->arena, "%s = %s", text, ee_formula_result(score, view->arena)));
}

/* Attributes ---------------------------------------------------------------------------------- */

/* The counts of a gold span or an extraction, then those of a class. */
typedef struct entry {
  ee_str name;
  size_t number; /* in order of appearance, gold spans first */
  ee_counts counts;
} entry;

static bool entries_before(const entry *a, const entry *b) {
  int order = ee_str_compare(a->name, b->name);
  return order != 0 ? order < 0 : a->number < b->number;
}
EE_DEFINE_SORT(sort_entries, entry, entries_before)

static bool appears_before(const entry *a, const entry *b) { return a->number < b->number; }
EE_DEFINE_SORT(sort_by_appearance, entry, appears_before)

static size_t list_entries(const judged_answer *view, entry *entries) {
  const ee_gold_result *gold = &view->gold;
  size_t count = 0;
  for (size_t i = 0; i < gold->gold; i++, count++)
    entries[count] = (entry){.name = view->truth->record.gold[i].extraction_class,
                             .number = count,
                             .counts = {.tp = is_found(view, i), .fn = !is_found(view, i)}};
  for (size_t i = 0; i < view->list->count; i++) {
    if (gold->fates[i] == EE_GOLD_EXACT) continue; /* counted with its gold span */
    ee_str name = view->list->items[i].extraction_class;
    entries[count] = (entry){.name = name.data != NULL ? name : EE_STR(NO_CLASS),
                             .number = count,
                             .counts = {.fp = 1, .wrong = gold->fates[i] == EE_GOLD_NEAR}};
    count++;
  }
  return count;
}

/* Counts per class, if there are gold spans. */
static void set_attributes(const judged_answer *view, ee_judge_result *result) {
  if (!view->truth->record.has_gold) return;
  entry *entries = EE_NEW_ARRAY(view->arena, entry, view->gold.gold + view->list->count + 1);
  size_t count = list_entries(view, entries), classes = 0;
  sort_entries(entries, count, view->arena);
  for (size_t i = 0; i < count; i++) {
    if (classes > 0 && ee_str_equal(entries[classes - 1].name, entries[i].name))
      ee_counts_add(&entries[classes - 1].counts, &entries[i].counts);
    else
      entries[classes++] = entries[i];
  }
  sort_by_appearance(entries, classes, view->arena);
  ee_attribute_result *attributes = EE_NEW_ARRAY(view->arena, ee_attribute_result, classes + 1);
  for (size_t i = 0; i < classes; i++)
    attributes[i] = (ee_attribute_result){.name = entries[i].name, .slot = -1, .counts = entries[i].counts};
  result->attributes = attributes;
  result->attribute_count = classes;
}

/* Details ------------------------------------------------------------------------------------- */

static void set_text(ee_details *details, ee_value *object, const char *key, ee_str text) {
  if (text.data == NULL) return;
  ee_details_set(details, object, key, ee_value_new_string(details->arena, shorten(details->arena, text, TEXT_KEPT)));
}

static void set_bool(ee_details *details, ee_value *object, const char *key, bool value) {
  ee_details_set(details, object, key, ee_value_new_bool(details->arena, value));
}

static ee_value *make_counts(ee_details *details, const ee_extraction_list *list) {
  ee_value *counts = ee_value_new(details->arena, EE_OBJECT);
  ee_details_set_number(details, counts, "extractions", (double)list->count);
  ee_details_set_number(details, counts, "schemaValid", (double)list->schema_valid);
  ee_details_set_number(details, counts, "quoteValid", (double)list->quote_valid);
  ee_details_set_number(details, counts, "sound", (double)list->sound);
  return counts;
}

static ee_value *make_repairs(ee_details *details, const ee_extraction_list *list) {
  ee_value *repairs = ee_value_new(details->arena, EE_OBJECT);
  for (int i = 0; i < EE_REPAIR_PLAIN_COUNT; i++)
    if (list->repairs.counts[i] > 0)
      ee_details_set_number(details, repairs, ee_repair_name((ee_repair)i), (double)list->repairs.counts[i]);
  return repairs;
}

static ee_value *make_failures(ee_details *details, const judged_answer *view) {
  ee_value *failures = ee_value_new(details->arena, EE_ARRAY);
  uint32_t shown = 0;
  for (size_t i = 0; i < view->list->count; i++) {
    const ee_extraction *item = &view->list->items[i];
    const char *code = code_of(item);
    if (code == NULL) continue;
    if (!ee_details_have_room(details, shown++)) break;
    ee_value *failure = ee_value_new(details->arena, EE_OBJECT);
    ee_details_set_number(details, failure, "extraction", (double)i);
    set_text(details, failure, "code", ee_str_from(code));
    set_text(details, failure, "extractionClass", item->extraction_class);
    set_text(details, failure, "quote", item->quote);
    if (item->has_offsets) {
      ee_details_set_number(details, failure, "charStart", (double)item->start);
      ee_details_set_number(details, failure, "charEnd", (double)item->end);
    }
    set_text(details, failure, "actual", item->actual);
    if (!item->schema_valid) set_text(details, failure, "reason", item->schema_reason);
    ee_value_append(failures, failure);
  }
  return failures;
}

static ee_value *make_gold(ee_details *details, const ee_gold_result *result) {
  ee_value *gold = ee_value_new(details->arena, EE_OBJECT);
  ee_details_set_number(details, gold, "spans", (double)result->gold);
  ee_details_set_number(details, gold, "exact", (double)result->exact);
  ee_details_set_number(details, gold, "overlapping", (double)result->overlapping);
  ee_details_set_number(details, gold, "partial", (double)result->partial);
  if (result->approximate) set_bool(details, gold, "approximate", true);
  return gold;
}

/* A short entry per run. */
static ee_value *make_runs(ee_details *details, const judged_answer *view) {
  const ee_extraction_list *lists = view->runs;
  ee_value *runs = ee_value_new(details->arena, EE_ARRAY);
  for (uint32_t i = 0; i < view->run_count && ee_details_have_room(details, i); i++) {
    ee_value *run = ee_value_new(details->arena, EE_OBJECT);
    set_text(details, run, "kind", ee_str_from(ee_empty_kind_name(lists[i].kind)));
    set_bool(details, run, "success", ee_extraction_succeeds(&view->truth->record, &lists[i]));
    ee_details_set_number(details, run, "extractions", (double)lists[i].count);
    ee_details_set_number(details, run, "sound", (double)lists[i].sound);
    ee_value_append(runs, run);
  }
  return runs;
}

static void extraction_write_details(const ee_judge_result *result, ee_arena *scratch, ee_buffer *out) {
  const judged_answer *view = result->details;
  if (view == NULL) {
    ee_details_write_plain(result, scratch, out);
    return;
  }
  const ee_extraction_list *list = view->list;
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  ee_details details;
  ee_details_start(&details, scratch, result);
  set_text(&details, details.tree, "kind", ee_str_from(ee_empty_kind_name(list->kind)));
  set_bool(&details, details.tree, "success", view->success);
  ee_details_set(&details, details.tree, "counts", make_counts(&details, list));
  ee_details_set(&details, details.tree, "repairs", make_repairs(&details, list));
  if (list->bare_list) set_bool(&details, details.tree, "bareList", true);
  if (list->failure.length > 0) set_text(&details, details.tree, "failure", list->failure);
  ee_details_set(&details, details.tree, "failures", make_failures(&details, view));
  if (view->truth->record.has_gold) ee_details_set(&details, details.tree, "gold", make_gold(&details, &view->gold));
  if (view->run_count > 1) {
    ee_details_set_number(&details, details.tree, "stability", view->stability);
    ee_details_set(&details, details.tree, "runs", make_runs(&details, view));
  }
  ee_details_finish(&details, result, out);
  ee_arena_rewind(scratch, mark);
}

/* "2/3 extractions hold, 1/2 gold spans found" */
static ee_str reasoning(const judged_answer *view) {
  const ee_extraction_list *list = view->list;
  const char *text;
  if (list->failure.length > 0)
    text = "unreadable answer";
  else if (list->count == 0)
    text = "no extraction";
  else
    text = ee_arena_printf(view->arena, "%zu/%zu extractions hold", list->sound, list->count);
  if (!view->truth->record.has_gold) return ee_str_from(text);
  return ee_str_from(
      ee_arena_printf(view->arena, "%s, %zu/%zu gold spans found", text, view->gold.exact, view->gold.gold));
}

/* The judge ----------------------------------------------------------------------------------- */

/* In the order of case_metrics. */
static const double *make_case_metrics(const ee_extraction_list *list, double stability, ee_arena *arena) {
  double *metrics = ee_arena_alloc(arena, 3 * sizeof *metrics);
  double count = (double)list->count;
  metrics[0] = list->count > 0 ? (double)list->schema_valid / count : 1;
  metrics[1] = list->count > 0 ? (double)list->quote_valid / count : 1;
  metrics[2] = stability;
  return metrics;
}

/* A record that cannot be judged. */
static void fail_case(ee_arena *arena, ee_str place, const char *reason, ee_judge_result *result) {
  ee_findings findings;
  ee_findings_start(&findings, arena, 0);
  ee_findings_fail(&findings, EE_FAULT_DATA, place, (ee_reason){.kind = EE_REASON_TEXT, .text = ee_str_from(reason)});
  ee_findings_finish(&findings, result);
  result->reasoning = ee_str_from(ee_arena_printf(arena, "%.*s: %s", EE_STR_ARG(place), reason));
}

/* The array of further answers; NULL when there is none. False when the value is not an array. */
static bool find_trials(const judged_case *j, const ee_case *current, const ee_value **trials) {
  *trials = ee_case_get(current, j->rules->trials, j->arena);
  if (ee_type_of(*trials) <= EE_NULL) *trials = NULL;
  return *trials == NULL || ee_type_of(*trials) == EE_ARRAY;
}

static void extraction_judge_case(const ee_judge *judge, ee_context *context, ee_judge_result *result) {
  const ee_case *current = context->current;
  ee_arena *arena = context->arena;
  judged_case *j = EE_NEW(arena, judged_case);
  j->rules = judge->data;
  j->repair = judge->repair || context->plan->repair;
  j->arena = arena;
  j->corpus_part = EE_NEW(arena, ee_extraction_case);
  j->corpus_part->run_count = 1;
  result->corpus_part = j->corpus_part;
  ee_str place;
  const char *error = read_truth(j->rules, current, arena, &j->truth, &j->document, &place);
  const ee_value *trials = NULL;
  const answer *answers = NULL;
  if (error == NULL && !find_trials(j, current, &trials)) error = "not an array";
  if (error == NULL) {
    answers = list_answers(current, trials, arena, &j->count);
    if (j->count > EE_EXTRACTION_RUNS)
      error = ee_arena_printf(arena, "%zu answers, at most %d can be compared", j->count, EE_EXTRACTION_RUNS);
    place = j->rules->trials->text;
  } else if (trials != NULL) {
    place = j->rules->trials->text;
  }
  if (error != NULL) {
    fail_case(arena, place, error, result);
    return;
  }
  judged_answer *view = EE_NEW(arena, judged_answer);
  read_runs(j, answers, view);
  compare_runs(j);
  view->runs = j->lists;
  view->run_count = j->count;
  view->stability = ee_extraction_stability(j->corpus_part->common, j->count);
  const ee_extraction_list *list = view->list;
  result->score = ee_extraction_score(view->success, list) * ee_gold_share(&view->gold);
  result->vacuous = view->success && list->count == 0 && !j->truth.record.has_expected && view->gold.gold == 0;
  result->case_metrics = make_case_metrics(list, view->stability, arena);
  result->reasoning = reasoning(view);
  if (j->corpus_part->approximate) context->fallbacks++;
  set_attributes(view, result);
  list_findings(view, result);
  if (ee_context_keeps_outcomes(context)) {
    keep_outcomes(view, context, j->rules->gold);
    result->formula = formula_of(view, result->score);
  }
  result->details = view;
}

static const char *const case_metrics[] = {"schema_valid", "quote_valid", "stability", NULL};

const ee_judge_type ee_extraction_judge = {
    .name = "extraction",
    .help = "Quotes from a document: whether each is at its offsets, and over the data set how often, how "
            "stably, and how many gold spans are found.",
    .options = options,
    .compile = extraction_compile,
    .as_written = true,
    .judge_case = extraction_judge_case,
    .write_details = extraction_write_details,
    .case_metrics = case_metrics,
    .corpus = &ee_extraction_corpus,
    .print = extraction_print,
};
