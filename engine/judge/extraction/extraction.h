/* extraction.h: extractions with their places in a document: whether they are what they say.
 *
 * SEMANTICS: an extraction is {extractionClass, quote, offsetMode, charStart, charEnd, span {offsetMode,
 * charStart, charEnd}, grounding, attributes?}; offsets stand in it, in its span, or in both, and then must agree;
 * without any offsetMode the declared unit counts. What is checked: schema-valid, and the quote invariant, the first of
 * ee_quote_fault that applies. Nothing is dropped for failing one. */
#ifndef EE_JUDGE_EXTRACTION_EXTRACTION_H
#define EE_JUDGE_EXTRACTION_EXTRACTION_H

#include "data/bench_record.h"
#include "data/json/json_in_prose.h"
#include "prim/unicode.h"

typedef enum ee_quote_fault {
  EE_QUOTE_HOLDS,
  EE_QUOTE_UNSUPPORTED_OFFSET_MODE,
  EE_QUOTE_INVALID_OFFSETS,      /* missing, no whole numbers, or start after end */
  EE_QUOTE_OFFSET_MISMATCH,      /* the span says something else */
  EE_QUOTE_OFFSETS_OUT_OF_RANGE, /* below 0 or behind the document's end */
  EE_QUOTE_MISMATCH              /* another text stands there */
} ee_quote_fault;
/* "QUOTE_MISMATCH" ...; NULL for EE_QUOTE_HOLDS. */
const char *ee_quote_fault_name(ee_quote_fault fault);

typedef struct ee_extraction {
  const ee_value *node;
  ee_str extraction_class, quote; /* data NULL where it is no text */
  ee_text_unit unit;
  bool has_offsets; /* both are whole numbers, from -2^53 to 2^53 */
  int64_t start, end;
  bool schema_valid;
  ee_str schema_reason; /* why not; empty when valid */
  ee_quote_fault fault;
  ee_str actual; /* what stands at the offsets, half characters as U+FFFD; data NULL where there is no such place */
} ee_extraction;

/* What one answer gave for one document. */
typedef struct ee_extraction_list {
  ee_empty_kind kind;
  ee_extraction *items; /* as they came */
  size_t count, schema_valid, quote_valid;
  size_t sound; /* both */
  ee_repairs repairs;
  bool bare_list;           /* the answer was a list, not {"extractions": [...]} */
  const ee_value *document; /* what was read, also when it holds no extractions; NULL: nothing could be */
  ee_str failure;           /* why the answer could not be read; empty otherwise */
} ee_extraction_list;

/* A document with indexes of the units that its extractions use, built on first use. */
typedef struct ee_extraction_document {
  ee_str text;
  ee_unit_index index[3];
  bool built[3];
} ee_extraction_document;

/* Reads the extractions of `parsed`, or where that is NULL of `answer` (a text as it came; data NULL: there is none),
 * and checks each against `document`. `unit`: of offsets without offsetMode. Everything lives in `arena`, what
 * `document` builds too, and borrows from the answer. */
void ee_extractions_read(ee_extraction_document *document, ee_str answer, const ee_value *parsed, ee_text_unit unit,
                         ee_arena *arena, ee_extraction_list *list);

/* What an extraction is to the gold spans of its class. */
typedef enum ee_gold_fate {
  EE_GOLD_NONE, /* none, or a second one for a span that has been found */
  EE_GOLD_NEAR, /* it shares a unit with a span that no extraction is exactly */
  EE_GOLD_EXACT
} ee_gold_fate;

/* How gold spans were found. A gold span and an extraction of the same class: exact when offsets and quote agree;
 * overlapping when they share at least one unit; partial when one lies inside the other. Each extraction serves one
 * gold span, by a matching that finds the most. */
typedef struct ee_gold_result {
  size_t gold, extractions;           /* how many there are */
  size_t exact, overlapping, partial; /* gold spans found; exact ones are in the others too */
  const bool *found;                  /* a gold span: whether it was found exactly */
  const ee_gold_fate *fates;          /* an extraction */
  bool approximate; /* there was too much to search: overlapping and partial may be fewer than could be found */
} ee_gold_result;
/* Of `record` only the gold spans and their unit count. */
ee_gold_result ee_gold_match(const ee_bench_record *record, ee_extraction_document *document,
                             const ee_extraction_list *list, ee_arena *arena);

/* Whether kind and count are as the record expects; a record without `expected` expects a readable answer. */
bool ee_extraction_succeeds(const ee_bench_record *record, const ee_extraction_list *list);
/* SEMANTICS: 0 unless it succeeds, else the share of sound extractions, 1 when there is none. */
double ee_extraction_score(bool succeeds, const ee_extraction_list *list);

#endif
