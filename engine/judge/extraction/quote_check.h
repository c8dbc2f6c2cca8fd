/* quote_check.h: reads the extractions of an answer and checks each against its document.
 *
 * An extraction is {extractionClass, quote, offsetMode, charStart, charEnd, span {offsetMode, charStart, charEnd},
 * grounding, attributes?}. The offsets are in the extraction, in its span, or in both, and then must agree; the default
 * offsetMode is the caller's unit. Two checks: whether the extraction is schema-valid, and whether the document has its
 * quote at its offsets (ee_quote_fault). Extractions that fail are kept. */
#ifndef EE_JUDGE_EXTRACTION_QUOTE_CHECK_H
#define EE_JUDGE_EXTRACTION_QUOTE_CHECK_H

#include "data/bench_record.h"
#include "data/json/json_in_prose.h"
#include "prim/unicode.h"

/* Why the document does not have the quote at its offsets: the first that applies. */
typedef enum ee_quote_fault {
  EE_QUOTE_HOLDS,
  EE_QUOTE_UNSUPPORTED_OFFSET_MODE,
  EE_QUOTE_INVALID_OFFSETS,      /* missing, not whole numbers, or start after end */
  EE_QUOTE_OFFSET_MISMATCH,      /* the span has other offsets */
  EE_QUOTE_OFFSETS_OUT_OF_RANGE, /* below 0 or after the document's end */
  EE_QUOTE_MISMATCH              /* the document has another text there */
} ee_quote_fault;
/* "QUOTE_MISMATCH" ...; NULL for EE_QUOTE_HOLDS. */
const char *ee_quote_fault_name(ee_quote_fault fault);

typedef struct ee_extraction {
  const ee_value *node;
  ee_str extraction_class, quote; /* data NULL: not a string */
  ee_text_unit unit;
  bool has_offsets; /* both are whole numbers, from -2^53 to 2^53 */
  int64_t start, end;
  bool schema_valid;
  ee_str schema_reason; /* the error; empty when valid */
  ee_quote_fault fault;
  ee_str actual; /* the text at the offsets, half characters as U+FFFD; data NULL if they are out of range */
} ee_extraction;

/* The extractions of one answer. */
typedef struct ee_extraction_list {
  ee_empty_kind kind;
  ee_extraction *items; /* in the order of the answer */
  size_t count, schema_valid, quote_valid;
  size_t sound; /* schema-valid and quote-valid */
  ee_repairs repairs;
  bool bare_list;           /* the answer was an array, not {"extractions": [...]} */
  const ee_value *document; /* the parsed answer, even without extractions; NULL: not readable */
  ee_str failure;           /* why the answer could not be read; empty otherwise */
} ee_extraction_list;

/* A document with an index per unit of offsets, built on first use. */
typedef struct ee_extraction_document {
  ee_str text;
  ee_unit_index index[3];
  bool built[3];
} ee_extraction_document;

/* Reads the extractions of `parsed`, or if that is NULL of the text `answer` (data NULL: no answer), and checks each
 * against `document`. `repairs`: those that the text may need (json_lenient.h). `unit`: of offsets without offsetMode.
 * The list and the document's indexes are in `arena`; the list borrows from the answer. */
void ee_extractions_read(ee_extraction_document *document, ee_str answer, const ee_value *parsed, unsigned repairs,
                         ee_text_unit unit, ee_arena *arena, ee_extraction_list *list);

/* Whether kind and number of extractions are as the record expects; without `expected` any readable answer succeeds. */
bool ee_extraction_succeeds(const ee_bench_record *record, const ee_extraction_list *list);
/* 0 unless it succeeds, else the share of sound extractions, 1 when there are none. */
double ee_extraction_score(bool succeeds, const ee_extraction_list *list);

#endif
