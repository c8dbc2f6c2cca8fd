/* signature.h: one line that names everything that decides the numbers of a report, as sacreBLEU prints one (Post 2018,
 * "A call for clarity in reporting BLEU scores"): version, rules, data, cases, confidence, options.
 *
 * "evalengine|v:0.1.0|rules:c0836a94|data:99dece8b|records:0f5a1c22|n:120|conf:0.95|where:meta.language=de"
 * Equal signatures: equal numbers. `data` is of ids and expected values, so it is the same for two systems on the same
 * data; `records` is of the text of the records, answers included, and `rows` of the rows of stored results. Hashes are
 * cut to 32 bits. Options are those of the command line that change numbers: not those that choose what is printed, nor
 * gates, nor the number of workers. */
#ifndef EE_REPORT_SIGNATURE_H
#define EE_REPORT_SIGNATURE_H

#include "judge/plan.h"
#include "report/page.h"

typedef struct ee_signature {
  uint64_t rules, data, records, rows; /* hashes; 0: not known, left out */
  bool several_rules;                  /* rows that were judged by different rules */
  uint64_t cases;
  double confidence;
  const ee_plan *plan; /* for what is asked for similarity; NULL: not known */
  ee_str options;      /* "|where:a=b|limit:10"; may be empty */
} ee_signature;

/* The line, in `arena`. Texts of the data in it have no '|', no backtick and no control characters: these are %XX. */
ee_str ee_signature_text(const ee_signature *signature, ee_arena *arena);
/* Appends "|NAME:VALUE" to the options. */
void ee_signature_add(ee_buffer *out, const char *name, ee_str value);

/* The section "signature": the last line of a page. */
void ee_signature_page(const ee_signature *signature, ee_page *page);

#endif
