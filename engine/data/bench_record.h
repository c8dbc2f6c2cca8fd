/* bench_record.h: the records of the extraction bench, checked before anything runs.
 *
 * A regression record: {caseId, category, documentText, instructions, targetSchema, providerResponseText,
 * expected {emptyResultKind, minExtractions, maxExtractions}, sourceUrl, packId}, and `sourceQuote` where a pack has
 * it. A smoke record: {caseId, documentText, instructions, targetSchema, providerResponseText, goldSpans
 * [{extractionClass, quote, charStart, charEnd}]}, and `offsetMode` where gold spans are not in UTF-16 code units.
 * Which it is, `goldSpans` tells. providerResponseTexts, a list of at least one text, may stand in the place of
 * providerResponseText: one a trial. */
#ifndef EE_DATA_BENCH_RECORD_H
#define EE_DATA_BENCH_RECORD_H

#include "base/error.h"
#include "data/json/value.h"
#include "data/schema/json_schema.h"
#include "prim/text_units.h"

typedef enum ee_empty_kind { EE_NON_EMPTY, EE_EMPTY_BY_EVIDENCE, EE_EMPTY_BY_FAILURE } ee_empty_kind;
/* "non_empty", "empty_by_evidence", "empty_by_failure". */
const char *ee_empty_kind_name(ee_empty_kind kind);
#define EE_EMPTY_KIND_LIST "non_empty, empty_by_evidence, empty_by_failure"
/* The kind of that name; false, and `*kind` as it was, when there is none. */
bool ee_empty_kind_find(ee_str name, ee_empty_kind *kind);

typedef struct ee_gold_span {
  ee_str extraction_class, quote;
  uint64_t start, end; /* half-open, in the record's unit */
} ee_gold_span;
/* Why the span is none of the document that `index` (in the span's unit) is of, in `arena`: "5 to 7 is no part of a
 * text of 6", ... NULL when its quote stands there. */
const char *ee_gold_span_trouble(const ee_unit_index *index, const ee_gold_span *span, ee_arena *arena);

typedef struct ee_bench_record {
  ee_str case_id, category, document, instructions, source_url, pack_id,
      source_quote; /* data NULL where the kind has none */
  const ee_value *target_schema;
  const ee_str *answers; /* one at least */
  size_t answer_count;
  bool has_expected; /* a regression record */
  ee_empty_kind kind;
  uint64_t least, most; /* extractions */
  bool has_gold;        /* a smoke record */
  const ee_gold_span *gold;
  size_t gold_count;
  ee_text_unit unit;    /* of the gold spans */
  const ee_value *node; /* the record as it stands in its file */
  const char *file;
  size_t line;
} ee_bench_record;

/* Checks `record` whole and fills `out` (borrowing from it and from `arena`). Every mistake is added to `errors`
 * (EE_ERROR_RULES, with `file` and `line`): missing and unknown keys (with a suggestion), types, ranges, an empty
 * caseId, a sourceUrl that is none of http or https with a host, a targetSchema that does not compile, a gold span
 * whose text in the document is not its quote. False when there was one. */
bool ee_bench_record_read(const ee_value *record, const char *file, size_t line, ee_arena *arena, ee_bench_record *out,
                          ee_error_list *errors);

typedef struct ee_bench_set {
  ee_arena arena;
  ee_bench_record *records; /* in the order of the files */
  size_t count;
  uint64_t hash; /* of all of them: the same records in the same order have the same */
} ee_bench_set;

/* Reads files of JSONL (plain, .gz, or a JSON array) whole. Every mistake of every record is added to `errors`, lines
 * that are no JSON and a caseId that was there before (naming both places) among them. EE_ERROR_RULES when there was
 * any, EE_ERROR_SYSTEM when a file cannot be read. ee_bench_set_close() in either case. */
ee_status ee_bench_set_open(const char *const *files, size_t count, ee_bench_set *set, ee_error_list *errors,
                            ee_error *error);
void ee_bench_set_close(ee_bench_set *set);

#endif
