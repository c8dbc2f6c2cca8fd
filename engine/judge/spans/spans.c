/* spans.c: ee.spans. Labelled spans of text, paired once and counted by four schemes; the score is the F1 of one.
 *
 * A case: read both sides (read_sides), pair their spans (span_pairs.c), count what became of each (tally), list hits
 * and misses (list_findings). spans_compile.c reads the options, spans_corpus.c adds up the data set. */
#include "judge/spans/spans.h"

#include "base/hash_index.h"
#include "base/work.h"
#include "judge/details.h"
#include "judge/error_kind.h"
#include "prim/number.h"

/* The label of spans without one. */
#define NO_LABEL "(no label)"
#define TEXT_SHOWN 40

/* A case while it is judged. */
typedef struct judged_spans {
  const ee_spans *rules;
  ee_context *context;
  ee_arena *arena;
  ee_str document;
  bool answered; /* by a text that is not JSON and need not be */
  ee_span_list sides[2];
  ee_span_pairs pairs;    /* of all spans */
  ee_span_pairs alone;    /* of the spans of each label by itself; the same without per_label = "alone" */
  uint32_t *label_of[2];  /* of each span, a number in `labels` */
  ee_spans_label *labels; /* in the order in which they occur */
  size_t label_count;
  ee_hash_index label_index;
  ee_spans_case *kept;
  ee_findings findings;
} judged_spans;

/* Reading -------------------------------------------------------------------------------------- */

static ee_span_format format_of(ee_span_format format, const ee_value *value) {
  if (format != EE_SPANS_AUTO) return format;
  const ee_value *first = ee_type_of(value) == EE_ARRAY ? ee_value_child(value) : NULL;
  if (ee_type_of(first) == EE_STRING || ee_type_of(first) == EE_NULL) return EE_SPANS_TAGS;
  const ee_value *inner = ee_type_of(first) == EE_ARRAY ? ee_value_child(first) : NULL;
  bool sentences = ee_type_of(first) == EE_ARRAY && (inner == NULL || ee_type_of(inner) == EE_STRING);
  return sentences ? EE_SPANS_TAGS : EE_SPANS_ITEMS;
}

static void read_side(judged_spans *j, const ee_span_reader *reader, const ee_value *value, ee_tagging tagging) {
  ee_span_list *list = &j->sides[reader->side];
  if (ee_value_is_empty(value, &j->rules->empty)) return;
  ee_span_format format = format_of(j->rules->formats[reader->side], value);
  bool is_text = format == EE_SPANS_CONLL || format == EE_SPANS_XML;
  if (ee_type_of(value) != (is_text ? EE_STRING : EE_ARRAY)) {
    bool may_be = ee_type_of(value) == EE_STRING && j->rules->formats[reader->side] == EE_SPANS_AUTO;
    list->failure =
        ee_arena_printf(j->arena, "%s, not %s%s", ee_value_describe(value), is_text ? "a text" : "an array of ",
                        is_text                   ? ""
                        : format == EE_SPANS_TAGS ? "tags"
                        : may_be                  ? "spans (format = \"conll\" or \"xml\" reads a text)"
                                                  : "spans");
    return;
  }
  if (format == EE_SPANS_XML)
    ee_span_markup_read(reader, ee_value_text(value), list);
  else if (format == EE_SPANS_ITEMS)
    ee_span_items_read(reader, value, list);
  else
    ee_span_tags_read(reader, value, tagging, list);
}

/* The text of the document; false if the rules name it and it is not there. */
static bool read_document(judged_spans *j, ee_span_reader readers[2]) {
  const ee_spans *rules = j->rules;
  if (rules->document == NULL) return true;
  const ee_value *text = ee_case_get(j->context->current, rules->document, j->arena);
  if (ee_type_of(text) != EE_STRING) return false;
  j->document = ee_value_text(text);
  const ee_unit_index *indexes[2];
  for (int side = EE_EXPECTED; side <= EE_CANDIDATE; side++) {
    if (side == EE_CANDIDATE && rules->units[EE_CANDIDATE] == rules->units[EE_EXPECTED]) {
      indexes[side] = indexes[EE_EXPECTED];
      continue;
    }
    ee_work(j->document.length);
    ee_unit_index *index = EE_NEW(j->arena, ee_unit_index);
    ee_unit_index_build(index, j->arena, j->document, rules->units[side]);
    indexes[side] = index;
  }
  for (int side = EE_EXPECTED; side <= EE_CANDIDATE; side++) {
    readers[side].document = j->document;
    readers[side].indexes[EE_EXPECTED] = indexes[EE_EXPECTED];
    readers[side].indexes[EE_CANDIDATE] = indexes[EE_CANDIDATE];
  }
  return true;
}

static bool read_sides(judged_spans *j) {
  const ee_spans *rules = j->rules;
  const ee_case *current = j->context->current;
  ee_span_reader readers[2] = {{.rules = rules, .side = EE_EXPECTED, .arena = j->arena},
                               {.rules = rules, .side = EE_CANDIDATE, .arena = j->arena}};
  if (!read_document(j, readers)) return false;
  const ee_value *expected = ee_list_path_get(rules->paths.expected, current->expected, j->arena);
  const ee_value *candidate = ee_list_path_get(rules->paths.candidate, current->candidate, j->arena);
  /* An answer that is the text itself, and not JSON. */
  bool is_text = rules->formats[EE_CANDIDATE] == EE_SPANS_CONLL || rules->formats[EE_CANDIDATE] == EE_SPANS_XML;
  if (is_text && rules->paths.candidate == NULL && current->candidate == NULL && current->candidate_text.data != NULL) {
    candidate = ee_value_new_string(j->arena, current->candidate_text);
    j->answered = true;
  }
  ee_tagging tagging = rules->tagging;
  if (tagging == EE_TAGGING_AUTO) {
    ee_tagging seen[2] = {ee_span_tagging_of(expected), ee_span_tagging_of(candidate)};
    tagging = seen[0] > seen[1] ? seen[0] : seen[1];
  }
  read_side(j, &readers[EE_EXPECTED], expected, tagging);
  read_side(j, &readers[EE_CANDIDATE], candidate, tagging);
  return true;
}

/* What the two sides have to do with each other: spans of other positions are unusable. */
static void compare_sides(judged_spans *j) {
  ee_span_list *expected = &j->sides[EE_EXPECTED], *candidate = &j->sides[EE_CANDIDATE];
  if (expected->place == EE_SPANS_TOKENS && candidate->place == EE_SPANS_TOKENS &&
      expected->tokens != candidate->tokens) {
    j->kept->counts[EE_SPANS_OTHER_LENGTH] = 1;
    ee_findings_note(&j->findings, EE_STR("candidate"),
                     (ee_reason){.kind = EE_REASON_TEXT,
                                 .text = ee_str_from(ee_arena_printf(j->arena, "%llu tags instead of %llu",
                                                                     (unsigned long long)candidate->tokens,
                                                                     (unsigned long long)expected->tokens))});
  }
  if (expected->plain.data != NULL && candidate->plain.data != NULL &&
      !ee_str_equal(expected->plain, candidate->plain)) {
    j->kept->counts[EE_SPANS_OTHER_TEXT] = 1;
    ee_findings_note(&j->findings, EE_STR("candidate"), EE_REASON_OF("another text without its marks"));
  }
  if (expected->place == EE_SPANS_NOWHERE || candidate->place == EE_SPANS_NOWHERE ||
      expected->place == candidate->place)
    return;
  static const char *const places[] = {"nothing", "offsets", "tags", "texts without offsets"};
  const char *text =
      ee_arena_printf(j->arena, "%s, where %s are expected", places[candidate->place], places[expected->place]);
  j->kept->counts[EE_SPANS_NOT_COMPARABLE] = 1;
  ee_findings_note(&j->findings, EE_STR("candidate"), (ee_reason){.kind = EE_REASON_TEXT, .text = ee_str_from(text)});
  for (size_t i = 0; i < candidate->count; i++)
    if (candidate->items[i].fault == NULL) candidate->items[i].fault = text;
}

/* Counts --------------------------------------------------------------------------------------- */

static uint32_t find_label(judged_spans *j, ee_str name) {
  if (name.length == 0) name = EE_STR(NO_LABEL);
  uint64_t hash = ee_hash_bytes(name.data, name.length, 0);
  size_t at = 0, found;
  while (ee_hash_index_next(&j->label_index, hash, &at, &found))
    if (ee_str_equal(j->labels[found].name, name)) return (uint32_t)found;
  j->labels[j->label_count] = (ee_spans_label){.name = name};
  ee_hash_index_add(&j->label_index, hash, j->label_count);
  return (uint32_t)j->label_count++;
}

static void find_labels(judged_spans *j) {
  size_t count = j->sides[EE_EXPECTED].count + j->sides[EE_CANDIDATE].count;
  j->labels = ee_arena_alloc(j->arena, (count + 1) * sizeof *j->labels);
  j->label_index.arena = j->arena;
  for (int side = EE_EXPECTED; side <= EE_CANDIDATE; side++) {
    const ee_span_list *list = &j->sides[side];
    j->label_of[side] = ee_arena_alloc(j->arena, (list->count + 1) * sizeof(uint32_t));
    for (size_t i = 0; i < list->count; i++) j->label_of[side][i] = find_label(j, list->items[i].label);
  }
}

static ee_span_fate fate_of_pair(const judged_spans *j, size_t expected, size_t candidate) {
  const ee_span_list *left = &j->sides[EE_EXPECTED], *right = &j->sides[EE_CANDIDATE];
  bool label = j->label_of[EE_EXPECTED][expected] == j->label_of[EE_CANDIDATE][candidate];
  bool bounds = ee_span_same_bounds(&left->items[expected], &right->items[candidate], left->place);
  if (label) return bounds ? EE_SPAN_SAME : EE_SPAN_LABEL_ONLY;
  return bounds ? EE_SPAN_BOUNDS_ONLY : EE_SPAN_OVERLAP_ONLY;
}

/* Adds the spans to the tallies of their labels and, where they are of all pairs, to the whole and to the matrix. */
static void tally(judged_spans *j, const ee_span_pairs *pairs, bool labels, bool whole, struct ee_spans_cell *cells) {
  for (size_t e = 0; e < j->sides[EE_EXPECTED].count; e++) {
    uint32_t c = pairs->candidate_of[e], label = j->label_of[EE_EXPECTED][e];
    ee_span_fate fate = c == EE_NO_ROW ? EE_SPAN_MISSED : fate_of_pair(j, e, c);
    uint32_t other = c == EE_NO_ROW ? UINT32_MAX : j->label_of[EE_CANDIDATE][c];
    if (labels) j->labels[label].tally.of[fate]++;
    if (whole) j->kept->all.of[fate]++;
    if (whole) cells[j->kept->cell_count++] = (struct ee_spans_cell){label, other};
    if (fate != EE_SPAN_BOUNDS_ONLY && fate != EE_SPAN_OVERLAP_ONLY) continue;
    ee_span_fate taken = fate == EE_SPAN_BOUNDS_ONLY ? EE_SPAN_BOUNDS_TAKEN : EE_SPAN_OVERLAP_TAKEN;
    if (labels) j->labels[other].tally.of[taken]++;
    if (whole) j->kept->all.of[taken]++;
  }
  for (size_t c = 0; c < j->sides[EE_CANDIDATE].count; c++) {
    uint32_t label = j->label_of[EE_CANDIDATE][c];
    if (pairs->expected_of[c] != EE_NO_ROW) continue;
    if (labels) j->labels[label].tally.of[EE_SPAN_SPURIOUS]++;
    if (whole) j->kept->all.of[EE_SPAN_SPURIOUS]++;
    if (whole) cells[j->kept->cell_count++] = (struct ee_spans_cell){UINT32_MAX, label};
  }
}

static void count(judged_spans *j) {
  const ee_spans *rules = j->rules;
  const ee_span_list *expected = &j->sides[EE_EXPECTED], *candidate = &j->sides[EE_CANDIDATE];
  ee_span_pairs_find(rules, expected, candidate, false, j->arena, &j->pairs);
  if (j->pairs.fell_back) j->context->fallbacks++;
  find_labels(j);
  struct ee_spans_cell *cells = ee_arena_alloc(j->arena, (expected->count + candidate->count + 1) * sizeof *cells);
  j->alone = j->pairs;
  if (rules->alone) {
    ee_span_pairs_find(rules, expected, candidate, true, j->arena, &j->alone);
    tally(j, &j->alone, true, false, cells);
  }
  tally(j, &j->pairs, !rules->alone, true, cells);
  j->kept->cells = cells;
  j->kept->labels = j->labels;
  j->kept->label_count = j->label_count;
}

static void set_attributes(judged_spans *j, ee_judge_result *result) {
  ee_attribute_result *attributes = EE_NEW_ARRAY(j->arena, ee_attribute_result, j->label_count);
  for (size_t i = 0; i < j->label_count; i++)
    attributes[i] = (ee_attribute_result){.name = j->labels[i].name,
                                          .slot = -1,
                                          .counts = ee_span_tally_confusion(&j->labels[i].tally, j->rules->scheme)};
  result->attributes = attributes;
  result->attribute_count = j->label_count;
}

/* Findings ------------------------------------------------------------------------------------- */

static char *add_text(char *out, ee_str text) {
  if (text.length > 0) memcpy(out, text.data, text.length);
  return out + text.length;
}

/* "[12, 19)" at `out`, which has room for 44 bytes. */
static char *add_bounds(char *out, const ee_span *span) {
  *out++ = '[';
  out = ee_findings_number(out, span->start);
  out = add_text(out, EE_STR(", "));
  out = ee_findings_number(out, span->end);
  *out++ = ')';
  return out;
}

/* "PER [12, 19) 'John Smith'"; of an unusable span "PER item 3". */
static ee_str place_of(const judged_spans *j, ee_document_side side, size_t index) {
  const ee_span *span = &j->sides[side].items[index];
  ee_str label = j->labels[j->label_of[side][index]].name, text = span->text;
  bool placed = j->sides[side].place != EE_SPANS_TEXTS && span->end > 0;
  size_t shown = text.data != NULL ? ee_utf8_cut(text, TEXT_SHOWN) : 0;
  char *start = ee_arena_alloc(j->arena, label.length + shown + 64), *out = add_text(start, label);
  if (placed) {
    *out++ = ' ';
    out = add_bounds(out, span);
  } else if (span->end == 0) {
    out = add_text(out, EE_STR(" item "));
    out = ee_findings_number(out, span->index);
  }
  if (text.data != NULL) {
    out = add_text(out, EE_STR(" '"));
    out = add_text(out, (ee_str){text.data, shown});
    out = add_text(out, shown < text.length ? EE_STR("...'") : EE_STR("'"));
  }
  return (ee_str){start, (size_t)(out - start)};
}

/* The span as a value: the item it was read from, else one that says the same. */
static const ee_value *value_of(const judged_spans *j, ee_document_side side, size_t index) {
  const ee_span *span = &j->sides[side].items[index];
  if (span->node != NULL) return span->node;
  ee_value *value = ee_value_new(j->arena, EE_OBJECT);
  ee_value_set(j->arena, value, EE_STR("label"), ee_value_new_string(j->arena, span->label));
  ee_value_set(j->arena, value, EE_STR("start"), ee_value_new_number(j->arena, (double)span->start));
  ee_value_set(j->arena, value, EE_STR("end"), ee_value_new_number(j->arena, (double)span->end));
  return value;
}

/* "label ORG", "bounds [12, 17)", or both: what the candidate has instead. */
static ee_reason difference(const judged_spans *j, ee_span_fate fate, size_t candidate) {
  const ee_span *span = &j->sides[EE_CANDIDATE].items[candidate];
  ee_str label = j->labels[j->label_of[EE_CANDIDATE][candidate]].name;
  char *start = ee_arena_alloc(j->arena, label.length + 80), *out = start;
  if (fate != EE_SPAN_LABEL_ONLY) {
    out = add_text(out, EE_STR("label "));
    out = add_text(out, label);
  }
  if (fate != EE_SPAN_BOUNDS_ONLY) {
    out = add_text(out, fate == EE_SPAN_LABEL_ONLY ? EE_STR("bounds ") : EE_STR(", bounds "));
    if (j->sides[EE_CANDIDATE].place != EE_SPANS_TEXTS)
      out = add_bounds(out, span);
    else
      out = add_text(out, EE_STR("of another text"));
  }
  return (ee_reason){.kind = EE_REASON_TEXT, .text = {start, (size_t)(out - start)}};
}

/* Whether the scheme counts the pair as right. */
static bool is_right(ee_span_scheme scheme, ee_span_fate fate) {
  ee_span_tally one = {{0}};
  one.of[fate] = 1;
  return ee_span_tally_counts(&one, scheme).correct == 1;
}

static double worth(ee_span_scheme scheme, ee_span_fate fate) {
  ee_span_tally one = {{0}};
  one.of[fate] = 1;
  ee_span_counts counts = ee_span_tally_counts(&one, scheme);
  return (double)counts.correct + (double)counts.partial / 2;
}

/* Returns the mismatch, valid until the next one. */
static ee_mismatch *miss(judged_spans *j, ee_document_side side, size_t index, ee_class class_of_value,
                         ee_reason reason, const ee_value *expected, const ee_value *candidate, double score) {
  ee_finding finding = {.path = place_of(j, side, index), .row = EE_NO_ROW, .reason = reason};
  ee_mismatch *mismatch = ee_findings_miss(&j->findings, &finding, class_of_value, expected, candidate, score);
  mismatch->attribute = j->labels[j->label_of[side][index]].name;
  mismatch->slot = -1;
  return mismatch;
}

static void list_findings(judged_spans *j) {
  for (size_t e = 0; e < j->sides[EE_EXPECTED].count; e++) {
    uint32_t c = j->pairs.candidate_of[e];
    if (c == EE_NO_ROW) {
      miss(j, EE_EXPECTED, e, EE_CLASS_MISSING, EE_REASON_OF("missed"), value_of(j, EE_EXPECTED, e), NULL, 0);
      continue;
    }
    ee_span_fate fate = fate_of_pair(j, e, c);
    if (is_right(j->rules->scheme, fate)) {
      ee_finding hit = {.path = place_of(j, EE_EXPECTED, e), .row = EE_NO_ROW};
      ee_findings_hit(&j->findings, &hit);
      continue;
    }
    ee_mismatch *mismatch = miss(j, EE_EXPECTED, e, EE_CLASS_WRONG, difference(j, fate, c), value_of(j, EE_EXPECTED, e),
                                 value_of(j, EE_CANDIDATE, c), worth(j->rules->scheme, fate));
    if (j->context->kinds)
      mismatch->kind = fate == EE_SPAN_LABEL_ONLY ? EE_ERROR_KIND_WRONG_BOUNDS : EE_ERROR_KIND_WRONG_LABEL;
  }
  for (size_t c = 0; c < j->sides[EE_CANDIDATE].count; c++) {
    const char *fault = j->sides[EE_CANDIDATE].items[c].fault;
    if (j->pairs.expected_of[c] != EE_NO_ROW) continue;
    ee_reason reason = {.kind = EE_REASON_TEXT, .text = ee_str_from(fault != NULL ? fault : "spurious")};
    miss(j, EE_CANDIDATE, c, EE_CLASS_INVENTED, reason, NULL, value_of(j, EE_CANDIDATE, c), 0);
  }
}

/* Outcomes, in full detail --------------------------------------------------------------------- */

/* What a pair is in the counts of the expected span's label: right; wrong, for the same label or in halves; else the
 * expected span is missing in its label, and the candidate spurious in its own. */
static ee_class class_of_pair(ee_span_scheme scheme, ee_span_fate fate) {
  if (is_right(scheme, fate)) return EE_CLASS_TP;
  return fate == EE_SPAN_LABEL_ONLY || scheme == EE_SCHEME_PARTIAL ? EE_CLASS_WRONG : EE_CLASS_MISSING;
}

static ee_outcome outcome_of(const judged_spans *j, ee_document_side side, size_t index, ee_class class_of_value) {
  return (ee_outcome){.place = {.path = place_of(j, side, index), .row = EE_NO_ROW},
                      .attribute = j->labels[j->label_of[side][index]].name,
                      .value_class = class_of_value,
                      .weight = 1,
                      .row = EE_NO_ROW,
                      .partner = EE_NO_ROW};
}

/* Expected spans, then candidate spans that are spurious in their label. They are those of the pairs that the counts of
 * labels are of. */
static void keep_outcomes(const judged_spans *j, ee_context *context) {
  const ee_span_pairs *pairs = &j->alone;
  ee_span_scheme scheme = j->rules->scheme;
  for (size_t e = 0; e < j->sides[EE_EXPECTED].count; e++) {
    uint32_t c = pairs->candidate_of[e];
    bool paired = c != EE_NO_ROW;
    ee_span_fate fate = paired ? fate_of_pair(j, e, c) : EE_SPAN_MISSED;
    ee_outcome kept = outcome_of(j, EE_EXPECTED, e, paired ? class_of_pair(scheme, fate) : EE_CLASS_MISSING);
    kept.expected = value_of(j, EE_EXPECTED, e);
    if (paired) kept.candidate = value_of(j, EE_CANDIDATE, c);
    kept.score = paired ? worth(scheme, fate) : 0;
    kept.row = (uint32_t)e;
    kept.partner = c;
    if (kept.value_class != EE_CLASS_TP) kept.place.reason = paired ? difference(j, fate, c) : EE_REASON_OF("missed");
    ee_outcomes_add(&context->outcomes, j->arena, &kept);
  }
  for (size_t c = 0; c < j->sides[EE_CANDIDATE].count; c++) {
    uint32_t e = pairs->expected_of[c];
    bool paired = e != EE_NO_ROW;
    if (paired && class_of_pair(scheme, fate_of_pair(j, e, c)) != EE_CLASS_MISSING) continue;
    ee_outcome kept = outcome_of(j, EE_CANDIDATE, c, EE_CLASS_INVENTED);
    const char *fault = j->sides[EE_CANDIDATE].items[c].fault;
    kept.candidate = value_of(j, EE_CANDIDATE, c);
    kept.partner = (uint32_t)c;
    kept.place.reason = (ee_reason){.kind = EE_REASON_TEXT, .text = ee_str_from(fault != NULL ? fault : "spurious")};
    if (paired) kept.place.reason.text = EE_STR("in the place of a span of another label");
    ee_outcomes_add(&context->outcomes, j->arena, &kept);
  }
}

/* Details -------------------------------------------------------------------------------------- */

static void add_metric(ee_buffer *out, const char *name, ee_metric metric) {
  if (!metric.defined) return;
  ee_buffer_addf(out, ",\"%s\":", name);
  ee_json_write_score(out, metric.value);
}

static void spans_write_details(const ee_judge_result *result, ee_arena *scratch, ee_buffer *out) {
  const judged_spans *j = result->details;
  if (j == NULL) {
    ee_details_write_plain(result, scratch, out);
    return;
  }
  ee_details_open(result, out);
  EE_JSON_ADD(out, ",\"schemes\":{");
  for (ee_span_scheme scheme = EE_SCHEME_STRICT; scheme < EE_SPAN_SCHEMES; scheme++) {
    ee_span_counts counts = ee_span_tally_counts(&j->kept->all, scheme);
    ee_buffer_addf(out, "%s\"%s\":{\"correct\":", scheme > 0 ? "," : "", ee_span_scheme_name(scheme));
    ee_json_write_count(out, counts.correct);
    EE_JSON_ADD(out, ",\"incorrect\":");
    ee_json_write_count(out, counts.incorrect);
    EE_JSON_ADD(out, ",\"partial\":");
    ee_json_write_count(out, counts.partial);
    EE_JSON_ADD(out, ",\"missed\":");
    ee_json_write_count(out, counts.missed);
    EE_JSON_ADD(out, ",\"spurious\":");
    ee_json_write_count(out, counts.spurious);
    add_metric(out, "precision", ee_span_precision(&counts));
    add_metric(out, "recall", ee_span_recall(&counts));
    add_metric(out, "f1", ee_span_f1(&counts));
    ee_buffer_add_char(out, '}');
  }
  ee_buffer_add_char(out, '}');
  ee_details_add_fallback(result, out);
  ee_details_close(result, false, scratch, out);
}

/* The judge ------------------------------------------------------------------------------------ */

/* The case is excluded from all counts: its expected spans cannot be used. */
static void fail_case(judged_spans *j, ee_str place, const char *reason, ee_judge_result *result) {
  *j->kept = (ee_spans_case){.label_count = 0};
  j->kept->counts[EE_SPANS_BAD_EXPECTED] = 1;
  ee_findings_fail(&j->findings, EE_FAULT_DATA, place,
                   (ee_reason){.kind = EE_REASON_TEXT, .text = ee_str_from(reason)});
  result->reasoning = EE_STR("the expected spans cannot be used");
  ee_findings_finish(&j->findings, result);
}

/* Whether the expected spans can be used; else the case has failed. */
static bool check_expected(judged_spans *j, ee_judge_result *result) {
  const ee_span_list *list = &j->sides[EE_EXPECTED];
  ee_str path = ee_list_path_text(j->rules->paths.expected);
  if (list->failure != NULL) {
    fail_case(j, path, list->failure, result);
    return false;
  }
  if (list->faults == 0) return true;
  const char *more =
      list->faults > 1 ? ee_arena_printf(j->arena, "; %llu more", (unsigned long long)list->faults - 1) : "";
  fail_case(j, ee_str_from(ee_arena_printf(j->arena, "%.*s[%u]", EE_STR_ARG(path), list->fault_index)),
            ee_arena_printf(j->arena, "%s%s", list->fault, more), result);
  return false;
}

static void note_candidate(judged_spans *j) {
  const ee_span_list *list = &j->sides[EE_CANDIDATE];
  ee_str path = ee_list_path_text(j->rules->paths.candidate);
  if (list->failure != NULL)
    ee_findings_note(&j->findings, path, (ee_reason){.kind = EE_REASON_TEXT, .text = ee_str_from(list->failure)});
  bool tags = list->place == EE_SPANS_TOKENS || list->plain.data != NULL;
  j->kept->counts[tags ? EE_SPANS_BAD_TAGS : EE_SPANS_BAD_CANDIDATES] += list->faults;
  /* Items that cannot be used are spurious; tags and marks out of sequence are nothing at all. */
  if (tags && list->faults > 0)
    ee_findings_note(&j->findings,
                     ee_str_from(ee_arena_printf(j->arena, "%.*s[%u]", EE_STR_ARG(path), list->fault_index)),
                     (ee_reason){.kind = EE_REASON_TEXT, .text = ee_str_from(list->fault)});
  for (int side = EE_EXPECTED; side <= EE_CANDIDATE; side++) {
    j->kept->counts[EE_SPANS_REPAIRED] += j->sides[side].repaired;
    j->kept->counts[EE_SPANS_LEFT_OUT] += j->sides[side].left_out;
  }
}

/* "5/7 spans found, 1 incorrect, 2 spurious" */
static ee_str reasoning(const judged_spans *j, const ee_span_counts *counts) {
  uint64_t numbers[] = {counts->correct, counts->possible, counts->incorrect + counts->partial, counts->spurious};
  return ee_findings_text(j->arena,
                          counts->partial > 0 ? "#/# spans correct, # partial, # spurious"
                                              : "#/# spans correct, # incorrect, # spurious",
                          numbers);
}

static void spans_judge_case(const ee_judge *judge, ee_context *context, ee_judge_result *result) {
  const ee_case *current = context->current;
  judged_spans *j = EE_NEW(context->arena, judged_spans);
  j->rules = judge->data;
  j->context = context;
  j->arena = context->arena;
  j->kept = EE_NEW(j->arena, ee_spans_case);
  ee_findings_start(&j->findings, j->arena, 8);
  result->corpus_part = j->kept;
  if (!read_sides(j)) {
    fail_case(j, j->rules->document->text, "no text of the document in the record (option 'document')", result);
    return;
  }
  if (!check_expected(j, result)) return;
  bool no_candidate = current->candidate_state != EE_CANDIDATE_READ && !j->answered;
  if (no_candidate) ee_findings_no_candidate(&j->findings, current->candidate_state);
  note_candidate(j);
  compare_sides(j);
  count(j);
  set_attributes(j, result);
  list_findings(j);
  if (ee_context_keeps_outcomes(context)) keep_outcomes(j, context);
  ee_span_counts counts = ee_span_tally_counts(&j->kept->all, j->rules->scheme);
  ee_metric f1 = ee_span_f1(&counts);
  bool no_list = no_candidate || j->sides[EE_CANDIDATE].failure != NULL;
  result->vacuous = !f1.defined && !no_list;
  result->score = f1.defined ? f1.value : result->vacuous ? 1 : 0;
  result->reasoning = reasoning(j, &counts);
  result->details = j;
  ee_findings_finish(&j->findings, result);
  if (ee_context_keeps_outcomes(context) && f1.defined)
    result->formula = ee_str_from(
        ee_arena_printf(j->arena, "2*(%llu + %llu/2)/(%llu + %llu) = %s", (unsigned long long)counts.correct,
                        (unsigned long long)counts.partial, (unsigned long long)counts.possible,
                        (unsigned long long)counts.actual, ee_formula_result(result->score, j->arena)));
}

const ee_judge_type ee_spans_judge = {
    .name = "spans",
    .help = "Labelled spans of text (entities): strict, exact, partial and type F1, by label, with what was confused.",
    .positional = "[1] string?",
    .options = ee_spans_options,
    .compile = ee_spans_compile,
    .as_written = true,
    .takes_path = true,
    .lists_values = true,
    .judge_case = spans_judge_case,
    .write_details = spans_write_details,
    .corpus = &ee_spans_corpus,
    .print = ee_spans_print,
};
