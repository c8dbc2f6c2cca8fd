/* annotations.h: workflow commands of GitHub Actions: "::error file=data.jsonl,line=17,title=..::message", which GitHub
 * shows at the line of a change and on the page of the run. The runner reads them from both streams of a step.
 *
 * GitHub shows 10 errors and 10 warnings of a step. Gates that fail, cases that got worse, and records and rules in
 * error are errors, in this order; cases that fail are warnings. Where there are more than 10, the last one says how
 * many. */
#ifndef EE_REPORT_ANNOTATIONS_H
#define EE_REPORT_ANNOTATIONS_H

#include "base/arena.h"
#include "base/buffer.h"
#include "base/error.h"
#include "run/gate_decision.h"

#define EE_ANNOTATIONS_SHOWN 10

typedef enum ee_annotation_kind {
  EE_ANNOTATE_GATE,  /* failed */
  EE_ANNOTATE_WORSE, /* a case that got worse */
  EE_ANNOTATE_TEST,  /* a rule test that failed */
  EE_ANNOTATE_ERROR, /* a record or rule in error */
  EE_ANNOTATE_CASE,  /* failed */
  EE_ANNOTATION_KINDS
} ee_annotation_kind;

typedef struct ee_annotation {
  ee_str file, title, message; /* the file may be empty: none */
  uint64_t line;               /* 0: none */
} ee_annotation;

/* The first of each kind, and how many there were. */
typedef struct ee_annotations {
  ee_arena arena;
  struct {
    ee_annotation items[EE_ANNOTATIONS_SHOWN];
    uint64_t count;
  } kinds[EE_ANNOTATION_KINDS];
} ee_annotations;

ee_annotations *ee_annotations_new(void);
/* NULL is ignored. */
void ee_annotations_free(ee_annotations *annotations);

/* Adds one; everything is copied. */
void ee_annotations_add(ee_annotations *annotations, ee_annotation_kind kind, const ee_annotation *annotation);
/* An error of a record or a rule; a warning is left out. */
void ee_annotations_add_error(ee_annotations *annotations, const ee_error *error);
/* A gate, unless it passed. */
void ee_annotations_add_gate(ee_annotations *annotations, const ee_gate_result *gate);

/* A case that failed: its place now, what is wrong with it from its row, which ee_annotations_add_rows() brings later
 * (lines of JSON as ee_row_write() writes them). */
void ee_annotations_add_case(ee_annotations *annotations, ee_str id, const char *file, uint64_t line);
void ee_annotations_add_rows(ee_annotations *annotations, const char *lines, size_t length);

/* Appends the commands, a line each. */
void ee_annotations_print(const ee_annotations *annotations, ee_buffer *out);

#endif
