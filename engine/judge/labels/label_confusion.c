/* label_confusion.c: ee.confusion. One label of a closed set a case: the expected one against the candidate's.
 *
 * A case: find both labels (find_label), class them, and add their pair to the matrix. The metrics of the data set are
 * those of the matrix (judge/label_matrix.h, prim/agreement.h). */
#include <inttypes.h>

#include "base/memory.h"
#include "base/printable.h"
#include "judge/details.h"
#include "judge/first_case.h"
#include "judge/label_matrix.h"
#include "judge/plan.h"
#include "judge/result.h"
#include "prim/agreement.h"
#include "prim/normalize.h"
#include "prim/sort.h"

#define SUBJECT "ee.confusion"
#define OTHER_LABEL "(other)"

/* Counts of a label in the matrix: answers that have the expected label. The diagonal says the same, except for labels
 * that are others together. */
enum { FIELD_RIGHT, FIELDS };

/* The compiled judge. In the plan's arena. */
typedef struct confusion {
  ee_list_paths paths;
  const ee_str *labels; /* in their order, normalized; NULL: those of the data */
  size_t label_count;
  uint8_t forms[EE_NORMAL_COUNT];
  size_t form_count;
  ee_empty_rule empty;
} confusion;

/* Options -------------------------------------------------------------------------------------- */

static const ee_option confusion_options[] = {
    EE_CANDIDATE_PATH_OPTION,
    {.name = "labels",
     .type = EE_OPTION_TEXTS,
     .default_text = "those of the data",
     .help = "The labels, in their order, for weighted kappa and the matrix; all others count as one, \"(other)\"."},
    {.name = "normalize",
     .type = EE_OPTION_TEXTS,
     .default_text = "none",
     .help = "Normal forms of both labels before they are compared, in this order: { \"trim\", \"casefold\" }."},
    {.name = NULL},
};

static void compile_forms(ee_plan_builder *builder, const ee_rule_node *node, confusion *rules) {
  ee_rule_value list = ee_rule_node_get(node, "normalize");
  if (list.type != EE_RULE_TABLE) return;
  for (size_t i = 0; i < list.node->item_count && rules->form_count < EE_NORMAL_COUNT; i++) {
    if (list.node->items[i].type != EE_RULE_TEXT) continue;
    int form = ee_normal_form_find(list.node->items[i].text);
    if (form >= 0)
      rules->forms[rules->form_count++] = (uint8_t)form;
    else
      ee_compile_error(builder, node, "option 'normalize' of " SUBJECT ": no normal form is called '%.*s'",
                       EE_STR_ARG(list.node->items[i].text));
  }
}

/* The others have a name of their own, and empty values are no labels. */
static void check_labels(ee_plan_builder *builder, const ee_rule_node *node, const confusion *rules) {
  for (size_t i = 0; i < rules->label_count; i++)
    if (ee_str_is(rules->labels[i], OTHER_LABEL))
      ee_compile_error(builder, node,
                       "option 'labels' of " SUBJECT " has '" OTHER_LABEL "', which all other labels are called");
    else if (ee_str_is_blank(rules->labels[i]))
      ee_compile_error(builder, node,
                       "option 'labels' of " SUBJECT " has a label that is empty%s, and empty values are not labels",
                       rules->form_count > 0 ? " in its normal form" : "");
}

static void confusion_compile(ee_plan_builder *builder, const ee_rule_node *node, ee_judge *judge) {
  confusion *rules = EE_NEW(builder->arena, confusion);
  judge->data = rules;
  /* The counts of a label are not of one value: what is wrong for the expected label is invented for no other. */
  judge->data_attributes = judge->brings_counts = true;
  ee_list_paths_compile(builder, node, SUBJECT, false, &rules->paths);
  compile_forms(builder, node, rules);
  rules->labels = ee_label_option_compile(builder, node, SUBJECT, rules->forms, rules->form_count, &rules->label_count);
  rules->empty = builder->plan->empty;
  check_labels(builder, node, rules);
}

static void confusion_print(const ee_judge *judge, ee_buffer *out) {
  const confusion *rules = judge->data;
  ee_list_paths_print(&rules->paths, "label", out);
  for (size_t i = 0; i < rules->form_count; i++)
    ee_buffer_addf(out, "%s%s%s", i == 0 ? "  normalize " : ", ", ee_normal_form_names[rules->forms[i]],
                   i + 1 < rules->form_count ? "" : "\n");
  for (size_t i = 0; i < rules->label_count; i++)
    ee_add_shown(out, i == 0 ? "  labels " : ", ", rules->labels[i], i + 1 < rules->label_count ? "" : "\n");
}

/* A case --------------------------------------------------------------------------------------- */

/* What is counted besides pairs of labels. */
typedef enum case_counter {
  BOTH_EMPTY,     /* cases with neither an expected nor a candidate label */
  NOT_A_LABEL,    /* candidates with an object or an array there */
  OTHER_EXPECTED, /* expected labels that the rules do not name */
  OTHER_CANDIDATE,
  UNUSABLE, /* cases whose expected value is an object or an array: in no count */
  COUNTERS
} case_counter;

typedef enum label_kind { NO_LABEL, LABEL, NOT_ONE } label_kind;

typedef struct found_label {
  label_kind kind;
  bool other; /* not one of the labels of the rules */
  ee_str text;
  const ee_value *value;
} found_label;

/* What a case leaves for the data set. */
typedef struct confusion_case {
  found_label sides[2];
  bool right, counted;
  bool counts[COUNTERS];
} confusion_case;

static found_label find_label(const confusion *rules, const ee_value *value, ee_arena *arena) {
  found_label found = {.kind = LABEL, .value = value};
  char room[32];
  switch (ee_type_of(value)) {
  case EE_STRING: found.text = ee_value_text(value); break;
  case EE_NUMBER: {
    ee_str text = ee_value_number_text(value, room);
    found.text = (ee_str){ee_arena_copy(arena, text.data, text.length), text.length};
    break;
  }
  case EE_TRUE: found.text = EE_STR("true"); break;
  case EE_FALSE: found.text = EE_STR("false"); break;
  case EE_ARRAY:
  case EE_OBJECT: found.kind = NOT_ONE; break;
  default: break;
  }
  if (ee_value_is_empty(value, &rules->empty)) found.kind = NO_LABEL;
  if (found.kind != LABEL) return found;
  found.text = ee_normalize(found.text, rules->forms, rules->form_count, arena);
  if (found.text.length == 0) found.kind = NO_LABEL;
  found.other = rules->labels != NULL;
  for (size_t i = 0; i < rules->label_count && found.other; i++)
    found.other = !ee_str_equal(rules->labels[i], found.text);
  return found;
}

static ee_class class_of(const confusion_case *kept) {
  const found_label *expected = &kept->sides[EE_EXPECTED], *candidate = &kept->sides[EE_CANDIDATE];
  if (expected->kind == NO_LABEL) return candidate->kind == NO_LABEL ? EE_CLASS_TN : EE_CLASS_INVENTED;
  if (candidate->kind == NO_LABEL) return EE_CLASS_MISSING;
  return candidate->kind == LABEL && ee_str_equal(expected->text, candidate->text) ? EE_CLASS_TP : EE_CLASS_WRONG;
}

/* The name of the attribute; empty for a value that is not a label. */
static ee_str name_of(const found_label *found) { return found->other ? EE_STR(OTHER_LABEL) : found->text; }

/* A true positive is of one label; else the expected label has a false negative, the candidate's a false positive. */
static void set_attributes(const confusion_case *kept, ee_class class_of_case, ee_arena *arena,
                           ee_judge_result *result) {
  ee_attribute_result *attributes = EE_NEW_ARRAY(arena, ee_attribute_result, 2);
  const found_label *expected = &kept->sides[EE_EXPECTED], *candidate = &kept->sides[EE_CANDIDATE];
  size_t count = 0;
  if (expected->kind == LABEL) {
    ee_attribute_result *attribute = &attributes[count++];
    *attribute = (ee_attribute_result){.name = name_of(expected), .slot = -1};
    *(class_of_case == EE_CLASS_TP ? &attribute->counts.tp : &attribute->counts.fn) = 1;
  }
  if (candidate->kind == LABEL && class_of_case != EE_CLASS_TP) {
    bool same = count > 0 && ee_str_equal(attributes[0].name, name_of(candidate));
    if (!same) attributes[count++] = (ee_attribute_result){.name = name_of(candidate), .slot = -1};
    attributes[count - 1].counts.fp = 1;
  }
  result->attributes = attributes;
  result->attribute_count = count;
}

static ee_reason reason_of(ee_class class_of_case, label_kind candidate) {
  if (class_of_case == EE_CLASS_MISSING) return (ee_reason){.kind = EE_REASON_REQUIRED_MISSING};
  if (class_of_case == EE_CLASS_INVENTED) return (ee_reason){.kind = EE_REASON_UNEXPECTED};
  return candidate == NOT_ONE ? EE_REASON_OF("not a label") : (ee_reason){.kind = EE_REASON_VALUE_MISMATCH};
}

static void confusion_judge_case(const ee_judge *judge, ee_context *context, ee_judge_result *result) {
  const confusion *rules = judge->data;
  const ee_case *current = context->current;
  ee_arena *arena = context->arena;
  confusion_case *kept = EE_NEW(arena, confusion_case);
  ee_findings findings;
  ee_findings_start(&findings, arena, 1);
  result->corpus_part = kept;
  ee_str path = ee_list_path_text(rules->paths.expected);
  kept->sides[EE_EXPECTED] =
      find_label(rules, ee_list_path_get(rules->paths.expected, current->expected, arena), arena);
  kept->sides[EE_CANDIDATE] =
      find_label(rules, ee_list_path_get(rules->paths.candidate, current->candidate, arena), arena);
  const found_label *expected = &kept->sides[EE_EXPECTED], *candidate = &kept->sides[EE_CANDIDATE];
  if (expected->kind == NOT_ONE) {
    kept->counts[UNUSABLE] = true;
    const char *text = ee_arena_printf(arena, "%s, not a label", ee_value_describe(expected->value));
    ee_findings_fail(&findings, EE_FAULT_DATA, path, (ee_reason){.kind = EE_REASON_TEXT, .text = ee_str_from(text)});
    result->reasoning = EE_STR("the expected value is not a label");
    ee_findings_finish(&findings, result);
    return;
  }
  bool no_candidate = current->candidate_state != EE_CANDIDATE_READ;
  if (no_candidate) ee_findings_no_candidate(&findings, current->candidate_state);
  ee_class class_of_case = class_of(kept);
  kept->counted = class_of_case != EE_CLASS_TN;
  kept->right = class_of_case == EE_CLASS_TP;
  kept->counts[BOTH_EMPTY] = class_of_case == EE_CLASS_TN;
  kept->counts[NOT_A_LABEL] = candidate->kind == NOT_ONE;
  kept->counts[OTHER_EXPECTED] = expected->kind == LABEL && expected->other;
  kept->counts[OTHER_CANDIDATE] = candidate->kind == LABEL && candidate->other;
  set_attributes(kept, class_of_case, arena, result);
  ee_finding finding = {.path = path, .row = EE_NO_ROW};
  if (kept->right) ee_findings_hit(&findings, &finding);
  bool wrong = !kept->right && kept->counted;
  if (wrong) {
    finding.reason = reason_of(class_of_case, candidate->kind);
    ee_mismatch *mismatch =
        ee_findings_miss(&findings, &finding, class_of_case, expected->kind == NO_LABEL ? NULL : expected->value,
                         candidate->kind == NO_LABEL ? NULL : candidate->value, 0);
    mismatch->attribute = name_of(expected->kind == LABEL ? expected : candidate);
    mismatch->slot = -1;
  }
  result->score = wrong || no_candidate ? 0 : 1;
  result->vacuous = !kept->counted && !no_candidate;
  result->reasoning = kept->right     ? EE_STR("the expected label")
                      : kept->counted ? EE_STR("not the expected label")
                                      : EE_STR("no label on either side");
  if (ee_context_keeps_outcomes(context) && kept->counted) {
    ee_outcome outcome = {.place = finding,
                          .attribute = name_of(expected->kind == LABEL ? expected : candidate),
                          .value_class = class_of_case,
                          .expected = expected->value,
                          .candidate = candidate->value,
                          .score = kept->right,
                          .weight = 1,
                          .row = EE_NO_ROW,
                          .partner = EE_NO_ROW};
    ee_outcomes_add(&context->outcomes, arena, &outcome);
  }
  ee_findings_finish(&findings, result);
}

/* The data set --------------------------------------------------------------------------------- */

typedef struct confusion_total {
  ee_label_matrix matrix;
  ee_first_case notes[COUNTERS];
  ee_arena ids;
} confusion_total;

static void *confusion_open(const ee_judge *judge) {
  const confusion *rules = judge->data;
  confusion_total *total = ee_calloc(1, sizeof *total);
  ee_label_matrix_init(&total->matrix, rules->labels, rules->label_count, FIELDS);
  ee_arena_init(&total->ids, 0);
  return total;
}

static void confusion_close(void *corpus_part) {
  confusion_total *total = corpus_part;
  ee_label_matrix_fini(&total->matrix);
  ee_arena_fini(&total->ids);
  ee_free(total);
}

static void confusion_clear(void *corpus_part) {
  confusion_total *total = corpus_part;
  ee_label_matrix_clear(&total->matrix);
  memset(total->notes, 0, sizeof total->notes);
  ee_arena_reset(&total->ids, 0);
}

static uint32_t number_of(ee_label_matrix *matrix, const found_label *found) {
  if (found->kind == NO_LABEL) return EE_LABEL_NONE;
  return found->kind == LABEL ? ee_label_matrix_find(matrix, found->text) : EE_LABEL_OTHER;
}

static void confusion_add(void *corpus_part, const ee_case *source, const ee_judge_result *result) {
  confusion_total *total = corpus_part;
  const confusion_case *kept = result->corpus_part;
  if (kept == NULL) return;
  for (size_t i = 0; i < COUNTERS; i++) ee_first_case_add(&total->notes[i], &total->ids, kept->counts[i], source->id);
  if (!kept->counted) return;
  uint32_t expected = number_of(&total->matrix, &kept->sides[EE_EXPECTED]),
           candidate = number_of(&total->matrix, &kept->sides[EE_CANDIDATE]);
  ee_label_matrix_add(&total->matrix, expected, candidate, 1);
  total->matrix.labels.items[expected].fields[FIELD_RIGHT] += kept->right;
  ee_label_matrix_settle(&total->matrix);
}

static void confusion_merge(void *corpus_part, const void *other) {
  confusion_total *total = corpus_part;
  const confusion_total *part = other;
  ee_label_matrix_merge(&total->matrix, &part->matrix);
  for (size_t i = 0; i < COUNTERS; i++)
    ee_first_case_add(&total->notes[i], &total->ids, part->notes[i].count, part->notes[i].id);
}

static void confusion_state(void *corpus_part, ee_state_line *line) {
  confusion_total *total = corpus_part;
  ee_state_begin(line);
  ee_label_matrix_state(&total->matrix, line);
  for (size_t i = 0; i < COUNTERS; i++) ee_first_case_state(&total->notes[i], &total->ids, line);
  ee_state_end(line);
}

/* Metrics -------------------------------------------------------------------------------------- */

static const char *const gate_metrics[] = {
    "accuracy", "balanced_accuracy", "kappa", "kappa_linear", "kappa_quadratic", "mcc", NULL};

static const char *confusion_lacks(const ee_judge *judge, ee_str metric, ee_arena *arena) {
  const confusion *rules = judge->data;
  (void)arena;
  bool weighted = ee_str_is(metric, "kappa_linear") || ee_str_is(metric, "kappa_quadratic");
  return weighted && rules->labels == NULL ? "labels have no order without option 'labels'" : NULL;
}

/* What confusion_finish() works on. */
typedef struct summing {
  const confusion *rules;
  const confusion_total *total;
  const ee_label_summary *labels;
  ee_arena *arena;
  ee_corpus_summary *summary;
  ee_corpus_metric *metrics;
} summing;

static void add_share(summing *s, const char *name, bool defined, double value) {
  s->metrics[s->summary->metric_count++] = ee_corpus_share(name, defined, value);
}
static void add_number(summing *s, const char *name, uint64_t count) {
  s->metrics[s->summary->metric_count++] = ee_corpus_count(name, count);
}

/* The mean recall over the labels that are expected; the others are one label. */
static ee_metric balanced_accuracy(const summing *s) {
  double sum = 0;
  size_t count = 0;
  for (size_t i = 0; i <= s->labels->count; i++) {
    uint64_t expected = 0;
    for (size_t k = 0; k < s->labels->count + 2; k++) expected += ee_label_summary_at(s->labels, i, k);
    if (expected == 0) continue;
    sum += (double)s->labels->fields[i][FIELD_RIGHT] / (double)expected;
    count++;
  }
  return count > 0 ? (ee_metric){true, sum / (double)count} : (ee_metric){0};
}

/* The part of the matrix that is of the labels alone, without others and what is missing or spurious. */
static uint64_t *named_table(const summing *s) {
  size_t count = s->labels->count;
  uint64_t *table = EE_NEW_ARRAY(s->arena, uint64_t, count * count + 1);
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < count; k++) table[i * count + k] = ee_label_summary_at(s->labels, i, k);
  return table;
}

/* Incorrect answers on the diagonal: both labels are others, and not the same. */
static uint64_t other_for_other(const ee_label_summary *labels) {
  return ee_label_summary_at(labels, labels->count, labels->count) - labels->fields[labels->count][FIELD_RIGHT];
}

/* The matrix with one more label, of side * side counts: that of answers which are others, but not the expected one.
 * So its diagonal is what is correct, as in the accuracy. */
static const uint64_t *judged_table(const summing *s, size_t side) {
  const ee_label_summary *labels = s->labels;
  uint64_t *table = EE_NEW_ARRAY(s->arena, uint64_t, side * side);
  for (size_t i = 0; i + 1 < side; i++)
    for (size_t k = 0; k + 1 < side; k++) table[i * side + k] = ee_label_summary_at(labels, i, k);
  size_t other = labels->count * side;
  table[other + side - 1] = other_for_other(labels);
  table[other + labels->count] -= table[other + side - 1];
  return table;
}

static void add_metrics(summing *s) {
  const ee_label_summary *labels = s->labels;
  size_t side = labels->count + 2;
  uint64_t all = 0, right = 0, missing = 0, spurious = 0;
  for (size_t i = 0; i < side; i++) {
    for (size_t k = 0; k < side; k++) all += ee_label_summary_at(labels, i, k);
    missing += ee_label_summary_at(labels, i, side - 1);
    spurious += ee_label_summary_at(labels, side - 1, i);
    if (i <= labels->count) right += labels->fields[i][FIELD_RIGHT];
  }
  s->metrics = EE_NEW_ARRAY(s->arena, ee_corpus_metric, 16);
  s->summary->metrics = s->metrics;
  ee_metric balanced = balanced_accuracy(s);
  const uint64_t *judged = judged_table(s, side + 1);
  ee_kappa kappa = ee_cohen_kappa(judged, side + 1);
  ee_correlation mcc = ee_matthews(judged, side + 1);
  add_share(s, "accuracy", all > 0, all > 0 ? (double)right / (double)all : 0);
  add_share(s, "balanced_accuracy", balanced.defined, balanced.value);
  add_share(s, "kappa", kappa.defined, kappa.value);
  if (s->rules->labels != NULL) {
    const uint64_t *table = named_table(s);
    ee_kappa linear = ee_weighted_kappa(table, labels->count, EE_KAPPA_LINEAR),
             quadratic = ee_weighted_kappa(table, labels->count, EE_KAPPA_QUADRATIC);
    add_share(s, "kappa_linear", linear.defined, linear.value);
    add_share(s, "kappa_quadratic", quadratic.defined, quadratic.value);
  }
  add_share(s, "mcc", mcc.defined, mcc.value);
  add_number(s, "labelled", all);
  add_number(s, "correct", right);
  add_number(s, "incorrect", all - right - missing - spurious);
  add_number(s, "missing", missing);
  add_number(s, "spurious", spurious);
}

/* Notes ---------------------------------------------------------------------------------------- */

static void add_notes(summing *s) {
  static const ee_first_case_text texts[COUNTERS] = {
      [BOTH_EMPTY] = {"case without a label on either side, in no count",
                      "cases without a label on either side, in no count"},
      [NOT_A_LABEL] = {"candidate with an object or an array instead of a label, counted as (other)",
                       "candidates with an object or an array instead of a label, counted as (other)"},
      [OTHER_EXPECTED] = {"expected label that the rules do not name, counted as (other)",
                          "expected labels that the rules do not name, counted as (other)"},
      [OTHER_CANDIDATE] = {"candidate label that the rules do not name, counted as (other)",
                           "candidate labels that the rules do not name, counted as (other)"},
      [UNUSABLE] = {"record whose expected value is not a label: in no count",
                    "records whose expected values are not labels: in no count"},
  };
  ee_str *notes = EE_NEW_ARRAY(s->arena, ee_str, COUNTERS + 3);
  s->summary->note_count = ee_first_case_notes(s->total->notes, texts, COUNTERS, notes, s->arena);
  if (s->rules->labels == NULL && s->labels->has_other && s->labels->count >= EE_LABEL_LIMIT)
    notes[s->summary->note_count++] = ee_str_from(
        ee_arena_printf(s->arena,
                        "the data have more than %d labels: the first in byte order are counted by themselves, all "
                        "others as (other)",
                        EE_LABEL_LIMIT));
  uint64_t incorrect = other_for_other(s->labels);
  if (incorrect > 0)
    notes[s->summary->note_count++] = ee_str_from(ee_arena_printf(
        s->arena,
        "%" PRIu64 " of (other) as (other) %s not the expected label: incorrect, and one more label for "
        "kappa and MCC",
        incorrect, incorrect == 1 ? "is" : "are"));
  if (s->rules->labels != NULL && (s->labels->has_other || s->labels->has_missing || s->labels->has_spurious))
    notes[s->summary->note_count++] =
        EE_STR("weighted kappas are of the cases that have one of the labels on both sides");
  s->summary->notes = notes;
}

static void confusion_finish(const ee_judge *judge, void *corpus_part, ee_arena *arena, ee_corpus_summary *summary) {
  confusion_total *total = corpus_part;
  *summary = (ee_corpus_summary){.metric_count = 0};
  summing s = {.rules = judge->data,
               .total = total,
               .labels = ee_label_matrix_summarize(&total->matrix, arena),
               .arena = arena,
               .summary = summary};
  add_metrics(&s);
  summary->confusion = s.labels;
  add_notes(&s);
}

static const ee_corpus_type confusion_corpus = {
    .gate_metrics = gate_metrics,
    .lacks = confusion_lacks,
    .open = confusion_open,
    .close = confusion_close,
    .clear = confusion_clear,
    .add = confusion_add,
    .merge = confusion_merge,
    .state = confusion_state,
    .finish = confusion_finish,
};

const ee_judge_type ee_confusion_judge = {
    .name = "confusion",
    .help = "A label of a closed set: what was confused with what, accuracy, Cohen's kappa, MCC.",
    .positional = "[1] string?",
    .options = confusion_options,
    .compile = confusion_compile,
    .takes_path = true,
    .lists_values = true,
    .judge_case = confusion_judge_case,
    .corpus = &confusion_corpus,
    .print = confusion_print,
};
