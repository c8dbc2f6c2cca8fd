/* bench_record.h: the records of the extraction bench, checked before anything runs.
 *
 * A regression record: {caseId, category, documentText, instructions, targetSchema, providerResponseText, expected
 * {emptyResultKind, minExtractions, maxExtractions}, sourceUrl, packId}, and optionally `sourceQuote`. A smoke record:
 * {caseId, documentText, instructions, targetSchema, providerResponseText, goldSpans [{extractionClass, quote,
 * charStart, charEnd}]}, and `offsetMode` unless gold spans are in UTF-16 code units. A record with `goldSpans` is a
 * smoke record. providerResponseTexts, an array of at least one string (one a trial), may replace
 * providerResponseText. */
#ifndef EE_DATA_BENCH_RECORD_H
#define EE_DATA_BENCH_RECORD_H

#include "base/error.h"
#include "data/json/value.h"
#include "data/schema/json_schema.h"
#include "prim/unicode.h"

typedef enum ee_empty_kind { EE_NON_EMPTY, EE_EMPTY_BY_EVIDENCE, EE_EMPTY_BY_FAILURE } ee_empty_kind;
/* "non_empty", "empty_by_evidence", "empty_by_failure". */
const char *ee_empty_kind_name(ee_empty_kind kind);
#define EE_EMPTY_KIND_LIST "non_empty, empty_by_evidence, empty_by_failure"
/* Returns false and leaves `*kind` if no kind has that name. */
bool ee_empty_kind_find(ee_str name, ee_empty_kind *kind);

typedef struct ee_gold_span {
  ee_str extraction_class, quote;
  uint64_t start, end; /* [start, end) in the record's `unit` */
} ee_gold_span;
/* NULL if the document of `index` (built for the span's unit) has the span's quote at its offsets; else the reason why
 * not, as text in `arena` or static. */
const char *ee_gold_span_error(const ee_unit_index *index, const ee_gold_span *span, ee_arena *arena);

typedef struct ee_bench_record {
  ee_str case_id, category, document, instructions, source_url, pack_id,
      source_quote; /* each: data NULL if the record lacks it */
  const ee_value *target_schema;
  const ee_str *answers; /* the provider's responses, one for each trial; at least one */
  size_t answer_count;
  bool has_expected; /* a regression record */
  ee_empty_kind kind;
  uint64_t min_extractions, max_extractions;
  bool has_gold;            /* a smoke record */
  const ee_gold_span *gold; /* in the order of the record */
  size_t gold_count;
  ee_text_unit unit;    /* of the gold spans */
  const ee_value *node; /* the whole record */
  const char *file;
  size_t line;
} ee_bench_record;

/* Checks `record` and fills `out`, which borrows from it and from `arena`. All mistakes are added to `errors`
 * (EE_ERROR_RULES, with `file` and `line`): missing and unknown keys (with a suggestion), types, ranges, an empty
 * caseId, a sourceUrl that is not http or https with a host, a targetSchema that does not compile, a gold span whose
 * text in the document is not its quote. False when there was a mistake. */
bool ee_bench_record_read(const ee_value *record, const char *file, size_t line, ee_arena *arena, ee_bench_record *out,
                          ee_error_list *errors);

typedef struct ee_bench_set {
  ee_arena arena;
  ee_bench_record *records; /* in the order of the files */
  size_t count;
  uint64_t hash; /* of all records and their order */
} ee_bench_set;

/* Reads files of JSONL or JSON arrays, plain or .gz, into `set`. All mistakes of all records are added to `errors`,
 * also lines that are not JSON and duplicate caseIds (with both places). EE_ERROR_RULES when there was a mistake,
 * EE_ERROR_SYSTEM when a file cannot be read. Call ee_bench_set_close() in any case. */
ee_status ee_bench_set_open(const char *const *files, size_t count, ee_bench_set *set, ee_error_list *errors,
                            ee_error *error);
void ee_bench_set_close(ee_bench_set *set);

#endif
