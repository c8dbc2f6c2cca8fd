/* spans.h: the compiled ee.spans, and the spans of a case.
 *
 * Spans are read from arrays of items (span_reader.h) or from tags and marked-up text (tag_reader.h), paired
 * (span_pairs.h), and counted (span_tally.h). */
#ifndef EE_JUDGE_SPANS_SPANS_H
#define EE_JUDGE_SPANS_SPANS_H

#include "judge/plan.h"
#include "judge/result.h"
#include "judge/spans/span_tally.h"
#include "prim/unicode.h"

typedef enum ee_span_format {
  EE_SPANS_AUTO, /* by the value: items, or tags */
  EE_SPANS_ITEMS,
  EE_SPANS_TAGS,
  EE_SPANS_CONLL, /* a text of lines with a tag at the end of each */
  EE_SPANS_XML,   /* a text with spans marked in it: <PER>Marie Curie</PER> */
  EE_SPAN_FORMATS
} ee_span_format;
#define EE_SPAN_FORMAT_NAMES "auto|items|tags|conll|xml"
const char *ee_span_format_name(ee_span_format format);

/* How tags make spans. */
typedef enum ee_tagging { EE_TAGGING_AUTO, EE_TAGGING_BIO, EE_TAGGING_BIOES, EE_TAGGING_BILOU } ee_tagging;
#define EE_TAGGING_NAMES "auto|BIO|BIOES|BILOU"

/* The members of an item. */
typedef enum ee_span_member { EE_SPAN_LABEL, EE_SPAN_START, EE_SPAN_END, EE_SPAN_TEXT, EE_SPAN_MEMBERS } ee_span_member;

typedef enum ee_span_pairing { EE_SPANS_OPTIMAL, EE_SPANS_FIRST } ee_span_pairing;

/* The compiled judge. In the plan's arena. */
typedef struct ee_spans {
  ee_list_paths paths;
  const ee_path *members[EE_SPAN_MEMBERS];
  const ee_path *document;   /* of the text, in the record; NULL: offsets are not checked */
  ee_span_format formats[2]; /* by ee_document_side */
  ee_text_unit units[2];     /* of offsets */
  bool inclusive;            /* an end is the last position, not the one after it */
  ee_tagging tagging;
  bool lenient; /* tags that are out of sequence begin a span */
  ee_span_scheme scheme;
  ee_span_pairing pairing;
  double overlap;       /* the smallest share of an overlap; 0: any */
  bool of_union;        /* a share of both spans together; else of the expected span */
  bool alone;           /* each label is counted by itself */
  const ee_str *labels; /* the only labels that count; NULL: all */
  size_t label_count;
  uint64_t max_pairs; /* above it optimal pairing falls back to greedy */
  ee_empty_rule empty;
} ee_spans;

/* What positions are. */
typedef enum ee_span_place {
  EE_SPANS_NOWHERE, /* there are no spans */
  EE_SPANS_OFFSETS, /* units of the expected text */
  EE_SPANS_TOKENS,  /* tags */
  EE_SPANS_TEXTS    /* only the texts of spans are known */
} ee_span_place;

typedef struct ee_span {
  ee_str label;         /* in NFC */
  uint64_t start, end;  /* half-open, start < end; of EE_SPANS_TEXTS 0 and the number of characters */
  ee_str text;          /* data NULL: not known */
  const ee_value *node; /* of an item; else NULL */
  uint32_t index;       /* in its list */
  const char *fault;    /* what makes it unusable, in the case's arena; NULL: nothing */
} ee_span;

/* The spans of one side. In the case's arena. */
typedef struct ee_span_list {
  EE_LIST(ee_span);
  ee_span_place place;
  ee_str plain;         /* of a marked-up text: that without the marks; data NULL: not known */
  uint64_t tokens;      /* of tags: how many */
  const char *failure;  /* why there are no spans: the value is not a list of them; NULL: it is, or it is empty */
  uint64_t faults;      /* items, or tags out of sequence, that are unusable */
  const char *fault;    /* the first */
  uint32_t fault_index; /* where */
  uint64_t repaired;    /* tags out of sequence that began a span */
  uint64_t left_out;    /* spans of labels that do not count */
} ee_span_list;

/* Notes the first fault of a list, and counts it. */
void ee_span_list_fault(ee_span_list *list, uint32_t index, const char *fault);

/* What reads spans: a side of a case. */
typedef struct ee_span_reader {
  const ee_spans *rules;
  ee_document_side side;
  ee_arena *arena;
  ee_str document;                 /* data NULL: not given */
  const ee_unit_index *indexes[2]; /* of the document, by side, in the units of each; NULL without a document */
} ee_span_reader;

/* span_pairs.c ---------------------------------------------------------------------------------- */

/* The partners of spans; EE_NO_ROW: none. */
typedef struct ee_span_pairs {
  uint32_t *candidate_of, *expected_of;
  bool fell_back; /* optimal pairing was too much work */
} ee_span_pairs;

/* Pairs usable spans of two lists whose places are comparable. `same_label`: only spans of one label.
 *
 * Optimal: spans that are equal in bounds and label; then those of equal bounds; then, of all that overlap by the share
 * that the rules ask for, so that as many as possible have a partner of their label, then as many as possible a
 * partner, then the largest sum of shares of the union. First: each candidate span, in the order of its list, takes the
 * first expected span that is free and overlaps enough. */
void ee_span_pairs_find(const ee_spans *rules, const ee_span_list *expected, const ee_span_list *candidate,
                        bool same_label, ee_arena *arena, ee_span_pairs *pairs);
bool ee_span_same_bounds(const ee_span *a, const ee_span *b, ee_span_place place);

/* Readers --------------------------------------------------------------------------------------- */

/* Reads an array of items. */
void ee_span_items_read(const ee_span_reader *reader, const ee_value *array, ee_span_list *list);
/* Reads an array of tags, or of arrays of tags, which are sentences, or a CoNLL text. */
void ee_span_tags_read(const ee_span_reader *reader, const ee_value *value, ee_tagging tagging, ee_span_list *list);
/* Marks that may be open at one place of a text. */
#define EE_SPAN_MARKS_OPEN 256
/* Reads a marked-up text. Its offsets are those of the text without the marks, which must be the document's where there
 * is one. */
void ee_span_markup_read(const ee_span_reader *reader, ee_str text, ee_span_list *list);
/* Whether spans of this label count. */
bool ee_span_label_counts(const ee_spans *rules, ee_str label);
/* The tagging of the tags of `value`; EE_TAGGING_AUTO: they could be any. */
ee_tagging ee_span_tagging_of(const ee_value *value);

/* The judge ------------------------------------------------------------------------------------- */

extern const ee_option ee_spans_options[];
void ee_spans_compile(ee_plan_builder *builder, const ee_rule_node *node, ee_judge *judge);
void ee_spans_print(const ee_judge *judge, ee_buffer *out);

/* What is counted of records besides spans. */
typedef enum ee_spans_counter {
  EE_SPANS_BAD_EXPECTED,   /* records whose expected spans cannot be used */
  EE_SPANS_BAD_CANDIDATES, /* candidate spans that cannot be used */
  EE_SPANS_BAD_TAGS,       /* candidate tags out of sequence */
  EE_SPANS_REPAIRED,       /* tags out of sequence that began a span, of both sides */
  EE_SPANS_LEFT_OUT,       /* spans of other labels, of both sides */
  EE_SPANS_OTHER_LENGTH,   /* records with candidate tags of another number */
  EE_SPANS_OTHER_TEXT,     /* records with a marked-up candidate of another text */
  EE_SPANS_NOT_COMPARABLE, /* records whose candidate has other positions */
  EE_SPANS_COUNTERS
} ee_spans_counter;

typedef struct ee_spans_label {
  ee_str name;
  ee_span_tally tally;
} ee_spans_label;

/* What a case leaves for the data set. */
typedef struct ee_spans_case {
  const ee_spans_label *labels;
  size_t label_count;
  ee_span_tally all;
  /* Pairs of labels as numbers in `labels`, UINT32_MAX for none. */
  const struct ee_spans_cell { uint32_t expected, candidate; } * cells;
  size_t cell_count;
  uint64_t counts[EE_SPANS_COUNTERS];
} ee_spans_case;

extern const ee_corpus_type ee_spans_corpus;

#endif
