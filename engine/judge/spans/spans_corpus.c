/* spans_corpus.c: the spans of the whole data set: four schemes, labels, what was confused with what, notes.
 *
 * Kept are counts alone: of all spans, of each label (label_matrix.h), of each pair of labels. */
#include "base/memory.h"
#include "judge/first_case.h"
#include "judge/label_matrix.h"
#include "judge/spans/spans.h"
#include "prim/sort.h"

_Static_assert(EE_SPAN_FATES <= EE_LABEL_FIELDS, "the counts of a label have no room");

typedef struct spans_total {
  const ee_spans *rules;
  ee_label_matrix matrix;
  ee_span_tally all;
  ee_first_case notes[EE_SPANS_COUNTERS];
  ee_arena ids;
} spans_total;

/* Parts ---------------------------------------------------------------------------------------- */

static void *spans_open(const ee_judge *judge) {
  spans_total *total = ee_calloc(1, sizeof *total);
  total->rules = judge->data;
  ee_label_matrix_init(&total->matrix, total->rules->labels, total->rules->label_count, EE_SPAN_FATES);
  ee_arena_init(&total->ids, 0);
  return total;
}

static void spans_close(void *corpus_part) {
  spans_total *total = corpus_part;
  ee_label_matrix_fini(&total->matrix);
  ee_arena_fini(&total->ids);
  ee_free(total);
}

static void spans_clear(void *corpus_part) {
  spans_total *total = corpus_part;
  ee_label_matrix_clear(&total->matrix);
  total->all = (ee_span_tally){{0}};
  for (size_t i = 0; i < EE_SPANS_COUNTERS; i++) total->notes[i] = (ee_first_case){0, {NULL, 0}};
  ee_arena_reset(&total->ids, 0);
}

static void spans_add(void *corpus_part, const ee_case *source, const ee_judge_result *result) {
  spans_total *total = corpus_part;
  const ee_spans_case *found = result->corpus_part;
  if (found == NULL) return;
  ee_label_matrix *matrix = &total->matrix;
  for (size_t i = 0; i < EE_SPANS_COUNTERS; i++)
    ee_first_case_add(&total->notes[i], &total->ids, found->counts[i], source->id);
  ee_span_tally_add(&total->all, &found->all);
  for (size_t i = 0; i < found->label_count; i++) {
    uint32_t number = ee_label_matrix_find(matrix, found->labels[i].name); /* may move the labels */
    uint64_t *fields = matrix->labels.items[number].fields;
    for (size_t k = 0; k < EE_SPAN_FATES; k++) fields[k] += found->labels[i].tally.of[k];
  }
  for (size_t i = 0; i < found->cell_count; i++) {
    const struct ee_spans_cell *cell = &found->cells[i];
    uint32_t numbers[2] = {EE_LABEL_NONE, EE_LABEL_NONE};
    if (cell->expected < found->label_count)
      numbers[0] = ee_label_matrix_find(matrix, found->labels[cell->expected].name);
    if (cell->candidate < found->label_count)
      numbers[1] = ee_label_matrix_find(matrix, found->labels[cell->candidate].name);
    ee_label_matrix_add(matrix, numbers[0], numbers[1], 1);
  }
  ee_label_matrix_settle(matrix);
}

static void spans_merge(void *corpus_part, const void *other) {
  spans_total *total = corpus_part;
  const spans_total *part = other;
  ee_label_matrix_merge(&total->matrix, &part->matrix);
  ee_span_tally_add(&total->all, &part->all);
  for (size_t i = 0; i < EE_SPANS_COUNTERS; i++)
    ee_first_case_add(&total->notes[i], &total->ids, part->notes[i].count, part->notes[i].id);
}

static void spans_state(void *corpus_part, ee_state_line *line) {
  spans_total *total = corpus_part;
  ee_state_begin(line);
  ee_label_matrix_state(&total->matrix, line);
  ee_state_counts(line, total->all.of, EE_SPAN_FATES);
  for (size_t i = 0; i < EE_SPANS_COUNTERS; i++) ee_first_case_state(&total->notes[i], &total->ids, line);
  ee_state_end(line);
}

/* Summary -------------------------------------------------------------------------------------- */

/* What spans_finish() works on. */
typedef struct summing {
  const ee_spans *rules;
  const spans_total *total;
  const ee_label_summary *labels;
  ee_arena *arena;
  ee_corpus_summary *summary;
  ee_corpus_metric *metrics;
} summing;

static ee_corpus_metric share_of(const char *name, ee_metric share) {
  return ee_corpus_share(name, share.defined, share.value);
}

static ee_span_tally tally_of(const summing *s, size_t label) {
  ee_span_tally tally;
  for (size_t k = 0; k < EE_SPAN_FATES; k++) tally.of[k] = s->labels->fields[label][k];
  return tally;
}

/* The mean over labels, of the others only if there are any; a label where the metric is undefined counts 0 if it has
 * spans, as in ee_macro(). */
static ee_metric macro(const summing *s, ee_span_scheme scheme, ee_metric (*metric)(const ee_span_counts *)) {
  double sum = 0;
  size_t count = 0;
  for (size_t i = 0; i <= s->labels->count; i++) {
    ee_span_tally tally = tally_of(s, i);
    ee_span_counts counts = ee_span_tally_counts(&tally, scheme);
    if (counts.possible + counts.actual == 0) continue;
    ee_metric found = metric(&counts);
    sum += found.value;
    count++;
  }
  return count > 0 ? (ee_metric){true, sum / (double)count} : (ee_metric){0};
}

/* Names of metrics, by scheme, in the order of the columns: "strict_precision", ... */
enum { SHARES = 6, COUNTS = 7 };
#define SHARE_NAMES(scheme)                                                                                            \
  scheme "_f1", scheme "_precision", scheme "_recall", scheme "_macro_f1", scheme "_macro_precision",                  \
      scheme "_macro_recall"
static const char *const gate_metrics[] = {SHARE_NAMES("strict"), SHARE_NAMES("exact"), SHARE_NAMES("partial"),
                                           SHARE_NAMES("type"), NULL};
#define COUNT_NAMES(scheme)                                                                                            \
  scheme "_correct", scheme "_incorrect", scheme "_partial", scheme "_missed", scheme "_spurious", scheme "_possible", \
      scheme "_actual"
static const char *const count_names[] = {COUNT_NAMES("strict"), COUNT_NAMES("exact"), COUNT_NAMES("partial"),
                                          COUNT_NAMES("type")};

static void scheme_shares(const summing *s, ee_span_scheme scheme, ee_metric shares[SHARES]) {
  ee_span_counts counts = ee_span_tally_counts(&s->total->all, scheme);
  shares[0] = ee_span_f1(&counts);
  shares[1] = ee_span_precision(&counts);
  shares[2] = ee_span_recall(&counts);
  shares[3] = macro(s, scheme, ee_span_f1);
  shares[4] = macro(s, scheme, ee_span_precision);
  shares[5] = macro(s, scheme, ee_span_recall);
}

static void scheme_counts(const summing *s, ee_span_scheme scheme, uint64_t numbers[COUNTS]) {
  ee_span_counts counts = ee_span_tally_counts(&s->total->all, scheme);
  const uint64_t all[COUNTS] = {counts.correct,  counts.incorrect, counts.partial, counts.missed,
                                counts.spurious, counts.possible,  counts.actual};
  memcpy(numbers, all, sizeof all);
}

/* All are in the table of schemes, except for the macro averages of precision and recall. */
static void add_metrics(summing *s) {
  s->metrics = EE_NEW_ARRAY(s->arena, ee_corpus_metric, EE_SPAN_SCHEMES * (SHARES + COUNTS));
  for (ee_span_scheme scheme = EE_SCHEME_STRICT; scheme < EE_SPAN_SCHEMES; scheme++) {
    ee_metric shares[SHARES];
    scheme_shares(s, scheme, shares);
    for (size_t i = 0; i < SHARES; i++)
      s->metrics[s->summary->metric_count++] = share_of(gate_metrics[scheme * SHARES + i], shares[i]);
  }
  for (ee_span_scheme scheme = EE_SCHEME_STRICT; scheme < EE_SPAN_SCHEMES; scheme++) {
    uint64_t numbers[COUNTS];
    scheme_counts(s, scheme, numbers);
    for (size_t i = 0; i < COUNTS; i++)
      s->metrics[s->summary->metric_count++] = ee_corpus_count(count_names[scheme * COUNTS + i], numbers[i]);
  }
  s->summary->metrics = s->metrics;
  s->summary->in_tables = s->summary->metric_count;
}

static void add_schemes(summing *s) {
  static const char *const columns[] = {"correct", "incorrect", "partial",   "missed", "spurious", "possible",
                                        "actual",  "f1",        "precision", "recall", "macro_f1"};
  enum { COLUMNS = sizeof columns / sizeof *columns, SHOWN_SHARES = COLUMNS - COUNTS };
  ee_corpus_row *rows = EE_NEW_ARRAY(s->arena, ee_corpus_row, EE_SPAN_SCHEMES);
  for (ee_span_scheme scheme = EE_SCHEME_STRICT; scheme < EE_SPAN_SCHEMES; scheme++) {
    ee_corpus_metric *values = EE_NEW_ARRAY(s->arena, ee_corpus_metric, COLUMNS);
    uint64_t numbers[COUNTS];
    ee_metric shares[SHARES];
    scheme_counts(s, scheme, numbers);
    scheme_shares(s, scheme, shares);
    for (size_t i = 0; i < COUNTS; i++) values[i] = ee_corpus_count(columns[i], numbers[i]);
    for (size_t i = 0; i < SHOWN_SHARES; i++) values[COUNTS + i] = share_of(columns[COUNTS + i], shares[i]);
    rows[scheme] = (ee_corpus_row){ee_str_from(ee_span_scheme_name(scheme)), values};
  }
  ee_corpus_table *table = EE_NEW(s->arena, ee_corpus_table);
  *table = (ee_corpus_table){.name = "schemes",
                             .row_title = "scheme",
                             .columns = columns,
                             .column_count = COLUMNS,
                             .rows = rows,
                             .row_count = EE_SPAN_SCHEMES};
  s->summary->tables = table;
  s->summary->table_count = 1;
}

/* Labels --------------------------------------------------------------------------------------- */

typedef struct ranked_label {
  double f1; /* of the scheme of the rules */
  size_t number;
} ranked_label;

static bool labels_before(const ranked_label *a, const ranked_label *b) {
  return a->f1 != b->f1 ? a->f1 < b->f1 : a->number < b->number;
}
EE_DEFINE_SORT(sort_ranked, ranked_label, labels_before)

static const char *const label_columns[] = {"expected", "candidate", "strict_f1", "exact_f1", "partial_f1", "type_f1"};
enum { LABEL_COLUMNS = sizeof label_columns / sizeof *label_columns };

static const ee_corpus_metric *label_row(const summing *s, size_t label) {
  ee_corpus_metric *values = EE_NEW_ARRAY(s->arena, ee_corpus_metric, LABEL_COLUMNS);
  ee_span_tally tally = tally_of(s, label);
  for (ee_span_scheme scheme = EE_SCHEME_STRICT; scheme < EE_SPAN_SCHEMES; scheme++) {
    ee_span_counts counts = ee_span_tally_counts(&tally, scheme);
    values[2 + scheme] = share_of(label_columns[2 + scheme], ee_span_f1(&counts));
    if (scheme != EE_SCHEME_STRICT) continue;
    values[0] = ee_corpus_count(label_columns[0], counts.possible);
    values[1] = ee_corpus_count(label_columns[1], counts.actual);
  }
  return values;
}

/* A row per label that occurs, worst first. */
static void add_labels(summing *s) {
  size_t count = 0;
  ranked_label *ranked = EE_NEW_ARRAY(s->arena, ranked_label, s->labels->count + 1);
  for (size_t i = 0; i <= s->labels->count; i++) {
    ee_span_tally tally = tally_of(s, i);
    ee_span_counts counts = ee_span_tally_counts(&tally, s->rules->scheme);
    if (counts.possible + counts.actual > 0) ranked[count++] = (ranked_label){ee_span_f1(&counts).value, i};
  }
  sort_ranked(ranked, count, s->arena);
  ee_corpus_row *rows = EE_NEW_ARRAY(s->arena, ee_corpus_row, count + 1);
  for (size_t i = 0; i < count; i++) {
    size_t number = ranked[i].number;
    rows[i].name = number < s->labels->count ? s->labels->labels[number] : EE_STR("(other)");
    rows[i].values = label_row(s, number);
  }
  s->summary->row_title = "label";
  s->summary->columns = label_columns;
  s->summary->column_count = LABEL_COLUMNS;
  s->summary->rows = rows;
  s->summary->row_count = count;
}

/* Notes ---------------------------------------------------------------------------------------- */

static void add_notes(summing *s) {
  static const ee_first_case_text texts[EE_SPANS_COUNTERS] = {
      [EE_SPANS_BAD_EXPECTED] = {"record whose expected spans cannot be used: in no count",
                                 "records whose expected spans cannot be used: in no count"},
      [EE_SPANS_BAD_CANDIDATES] = {"candidate span that cannot be used: it is spurious",
                                   "candidate spans that cannot be used: they are spurious"},
      [EE_SPANS_BAD_TAGS] = {"candidate tag or mark out of sequence: it makes no span (lenient = true reads such tags)",
                             "candidate tags or marks out of sequence: they make no span (lenient = true reads such "
                             "tags)"},
      [EE_SPANS_REPAIRED] = {"tag out of sequence that began a span", "tags out of sequence that began spans"},
      [EE_SPANS_LEFT_OUT] = {"span of another label, left out", "spans of other labels, left out"},
      [EE_SPANS_OTHER_LENGTH] = {"candidate with another number of tags", "candidates with another number of tags"},
      [EE_SPANS_OTHER_TEXT] = {"marked-up candidate of another text, whose offsets differ",
                               "marked-up candidates of another text, whose offsets differ"},
      [EE_SPANS_NOT_COMPARABLE] = {"candidate whose spans have another kind of position: they are spurious",
                                   "candidates whose spans have another kind of position: they are spurious"},
  };
  ee_str *notes = EE_NEW_ARRAY(s->arena, ee_str, EE_SPANS_COUNTERS);
  s->summary->note_count = ee_first_case_notes(s->total->notes, texts, EE_SPANS_COUNTERS, notes, s->arena);
  s->summary->notes = notes;
}

static void spans_finish(const ee_judge *judge, void *corpus_part, ee_arena *arena, ee_corpus_summary *summary) {
  spans_total *total = corpus_part;
  *summary = (ee_corpus_summary){.metric_count = 0};
  summing s = {.rules = judge->data,
               .total = total,
               .labels = ee_label_matrix_summarize(&total->matrix, arena),
               .arena = arena,
               .summary = summary};
  add_metrics(&s);
  add_schemes(&s);
  add_labels(&s);
  summary->confusion = s.labels;
  add_notes(&s);
}

static const char *const row_metrics[] = {"strict_f1", "exact_f1", "partial_f1", "type_f1", NULL};

const ee_corpus_type ee_spans_corpus = {
    .gate_metrics = gate_metrics,
    .row_metrics = row_metrics,
    .open = spans_open,
    .close = spans_close,
    .clear = spans_clear,
    .add = spans_add,
    .merge = spans_merge,
    .state = spans_state,
    .finish = spans_finish,
};
