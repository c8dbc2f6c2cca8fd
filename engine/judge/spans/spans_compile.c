/* spans_compile.c: the options of ee.spans: reading and printing them. */
#include <math.h>

#include "base/printable.h"
#include "judge/label_matrix.h"
#include "judge/pairing/pairs.h"
#include "judge/spans/spans.h"
#include "prim/number.h"

#define SUBJECT "ee.spans"
#define PAIRING_NAMES "optimal|first"
#define SHARE_NAMES "expected|union"

const ee_option ee_spans_options[] = {
    EE_CANDIDATE_PATH_OPTION,
    {.name = "format",
     .type = EE_OPTION_CHOICE,
     .default_text = "\"auto\"",
     .help = "items: an array of { label, start, end } or of [start, end, label]; tags: an array of tags, or of arrays "
             "of tags, which are sentences; conll: a text whose lines end with a tag; xml: a text with spans marked as "
             "<PER>Marie Curie</PER>; auto: items or tags, whichever is there.",
     .choices = EE_SPAN_FORMAT_NAMES},
    {.name = "candidate_format",
     .type = EE_OPTION_CHOICE,
     .default_text = "format",
     .help = "The same for the candidate, if it has another format.",
     .choices = EE_SPAN_FORMAT_NAMES},
    {.name = "label", .type = EE_OPTION_PATH, .default_text = "\"label\"", .help = "The label, in an item."},
    {.name = "from",
     .type = EE_OPTION_PATH,
     .default_text = "\"start\"",
     .help = "The offset of the first character or token, from 0 on, in an item."},
    {.name = "to",
     .type = EE_OPTION_PATH,
     .default_text = "\"end\"",
     .help = "The offset after the last one, in an item; with 'inclusive' that of the last one."},
    {.name = "text",
     .type = EE_OPTION_PATH,
     .default_text = "\"text\"",
     .help = "The text of the span, in an item: checked where it has offsets, looked for where it has none."},
    {.name = "inclusive",
     .type = EE_OPTION_BOOL,
     .default_text = "false",
     .help = "Whether the end is the last position of a span instead of the one after it."},
    {.name = "document",
     .type = EE_OPTION_PATH,
     .default_text = "none",
     .help = "The path in the record to the text that offsets count in: they are checked against it."},
    {.name = "unit",
     .type = EE_OPTION_CHOICE,
     .default_text = "\"code_point\"",
     .help = "What offsets count, as in the document: Python's strings code_point, JavaScript's and Java's "
             "utf16_code_unit.",
     .choices = EE_TEXT_UNITS},
    {.name = "candidate_unit",
     .type = EE_OPTION_CHOICE,
     .default_text = "unit",
     .help = "The same for the candidate, if it has another unit; needs a document.",
     .choices = EE_TEXT_UNITS},
    {.name = "tagging",
     .type = EE_OPTION_CHOICE,
     .default_text = "\"auto\"",
     .help = "How tags make spans; auto: BILOU where a tag of either side begins with L or U, BIOES with E or S, else "
             "BIO.",
     .choices = EE_TAGGING_NAMES},
    {.name = "lenient",
     .type = EE_OPTION_BOOL,
     .default_text = "false",
     .help = "Whether tags out of sequence begin or end a span, as in conlleval, instead of being unusable."},
    {.name = "labels",
     .type = EE_OPTION_TEXTS,
     .default_text = "all",
     .help = "The labels that count, in the order of the matrix; spans of others are left out, and counted."},
    {.name = "scheme",
     .type = EE_OPTION_CHOICE,
     .default_text = "\"strict\"",
     .help =
         "Whose F1 is the score of a case and whose counts are those of the labels: strict (bounds and label), exact "
         "(bounds), partial (overlaps count half), type (label and overlap). All four are in the report.",
     .choices = EE_SPAN_SCHEME_NAMES},
    {.name = "overlap",
     .type = EE_OPTION_NUMBER,
     .default_text = "0",
     .help = "The smallest share of an overlap that makes a pair, inclusive; 0: one character or token.",
     .min = 0,
     .max = 1},
    {.name = "overlap_of",
     .type = EE_OPTION_CHOICE,
     .default_text = "\"expected\"",
     .help = "What the overlap is a share of: the expected span, or both spans together.",
     .choices = SHARE_NAMES},
    {.name = "pairing",
     .type = EE_OPTION_CHOICE,
     .default_text = "\"optimal\"",
     .help = "optimal: equal spans first, then as many pairs as possible; first: each candidate span takes the first "
             "free expected span that it overlaps, in the order of both arrays, as nervaluate does.",
     .choices = PAIRING_NAMES},
    {.name = "per_label",
     .type = EE_OPTION_CHOICE,
     .default_text = "\"pairs\"",
     .help =
         "What the counts of a label are: pairs: its part of all pairs; alone: those of a comparison of the spans of "
         "this label only, as nervaluate's.",
     .choices = "pairs|alone"},
    EE_PAIRS_MAX_OPTION("pairs that overlap", "Above it optimal falls back to greedy, and every report says so."),
    {.name = NULL},
};

static void compile_members(ee_plan_builder *builder, const ee_rule_node *node, ee_spans *spans) {
  static const char *const names[EE_SPAN_MEMBERS][2] = {[EE_SPAN_LABEL] = {"label", "label"},
                                                        [EE_SPAN_START] = {"from", "start"},
                                                        [EE_SPAN_END] = {"to", "end"},
                                                        [EE_SPAN_TEXT] = {"text", "text"}};
  for (size_t i = 0; i < EE_SPAN_MEMBERS; i++) {
    const char *subject = ee_arena_printf(builder->arena, "option '%s' of " SUBJECT, names[i][0]);
    spans->members[i] = ee_compile_path(builder, node, ee_option_text(node, names[i][0], names[i][1]), subject,
                                        EE_PATH_ONE_VALUE | EE_PATH_CHECKED);
    if (spans->members[i] == NULL) spans->members[i] = ee_compile_path(builder, node, EE_STR("label"), NULL, 0);
  }
}

static void compile_sides(ee_plan_builder *builder, const ee_rule_node *node, ee_spans *spans) {
  static const char *const formats[2] = {"format", "candidate_format"}, *const units[2] = {"unit", "candidate_unit"};
  for (int side = EE_EXPECTED; side <= EE_CANDIDATE; side++) {
    bool own = ee_rule_node_get(node, formats[side]).type == EE_RULE_TEXT;
    spans->formats[side] =
        (ee_span_format)ee_option_choice(node, formats[own ? side : 0], EE_SPAN_FORMAT_NAMES, "auto");
    own = ee_rule_node_get(node, units[side]).type == EE_RULE_TEXT;
    spans->units[side] = (ee_text_unit)ee_option_choice(node, units[own ? side : 0], EE_TEXT_UNITS, "code_point");
  }
  if (spans->units[EE_EXPECTED] != spans->units[EE_CANDIDATE] && spans->document == NULL)
    ee_compile_error(builder, node,
                     "option 'candidate_unit' of " SUBJECT " needs option 'document': without the text one unit cannot "
                     "be turned into the other");
}

void ee_spans_compile(ee_plan_builder *builder, const ee_rule_node *node, ee_judge *judge) {
  ee_spans *spans = EE_NEW(builder->arena, ee_spans);
  judge->data = spans;
  judge->data_attributes = true;
  ee_list_paths_compile(builder, node, SUBJECT, false, &spans->paths);
  compile_members(builder, node, spans);
  spans->document = ee_compile_option_path(builder, node, SUBJECT, "document");
  compile_sides(builder, node, spans);
  spans->inclusive = ee_option_bool(node, "inclusive", false);
  spans->tagging = (ee_tagging)ee_option_choice(node, "tagging", EE_TAGGING_NAMES, "auto");
  spans->lenient = ee_option_bool(node, "lenient", false);
  spans->labels = ee_label_option_compile(builder, node, SUBJECT, NULL, 0, &spans->label_count);
  spans->scheme = (ee_span_scheme)ee_option_choice(node, "scheme", EE_SPAN_SCHEME_NAMES, "strict");
  spans->overlap = ee_option_number(node, "overlap", 0);
  spans->of_union = ee_option_is(node, "overlap_of", "union");
  spans->pairing = (ee_span_pairing)ee_option_choice(node, "pairing", PAIRING_NAMES, "optimal");
  spans->alone = ee_option_is(node, "per_label", "alone");
  spans->max_pairs = ee_pairs_compile_max(builder, node, node, NULL);
  spans->empty = builder->plan->empty;
}

static void print_names(const ee_spans *spans, ee_buffer *out) {
  static const char *const names[EE_SPAN_MEMBERS] = {"label", "from", "to", "text"};
  for (size_t i = 0; i < EE_SPAN_MEMBERS; i++) {
    ee_buffer_addf(out, "%s%s ", i == 0 ? "  " : ", ", names[i]);
    ee_add_shown(out, "", spans->members[i]->text, "");
  }
  ee_buffer_add_text(out, spans->inclusive ? ", inclusive\n" : "\n");
}

void ee_spans_print(const ee_judge *judge, ee_buffer *out) {
  static const char *const taggings[] = {"auto", "BIO", "BIOES", "BILOU"};
  const ee_spans *spans = judge->data;
  ee_list_paths_print(&spans->paths, "spans", out);
  print_names(spans, out);
  ee_buffer_addf(out, "  format %s", ee_span_format_name(spans->formats[EE_EXPECTED]));
  if (spans->formats[EE_CANDIDATE] != spans->formats[EE_EXPECTED])
    ee_buffer_addf(out, ", candidate_format %s", ee_span_format_name(spans->formats[EE_CANDIDATE]));
  ee_buffer_addf(out, ", tagging %s%s", taggings[spans->tagging], spans->lenient ? ", lenient" : "");
  if (spans->document != NULL) {
    ee_add_shown(out, ", document ", spans->document->text, "");
    ee_buffer_addf(out, ", unit %s", ee_text_unit_name(spans->units[EE_EXPECTED]));
    if (spans->units[EE_CANDIDATE] != spans->units[EE_EXPECTED])
      ee_buffer_addf(out, ", candidate_unit %s", ee_text_unit_name(spans->units[EE_CANDIDATE]));
  }
  char text[32];
  ee_buffer_addf(out, "\n  scheme %s, pairing %s, per_label %s, overlap ", ee_span_scheme_name(spans->scheme),
                 spans->pairing == EE_SPANS_FIRST ? "first" : "optimal", spans->alone ? "alone" : "pairs");
  ee_buffer_add(out, text, ee_double_format_short(spans->overlap, 6, text));
  ee_buffer_addf(out, " of %s\n", spans->of_union ? "union" : "expected");
  for (size_t i = 0; i < spans->label_count; i++)
    ee_add_shown(out, i == 0 ? "  labels " : ", ", spans->labels[i], i + 1 < spans->label_count ? "" : "\n");
}
