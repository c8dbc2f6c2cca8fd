/* mistakes.h: where a model goes wrong: kinds of errors a field, reasons with examples, the worst cases with both
 * values.
 *
 * Kinds are in the totals of a run (run/kind_total.h). Reasons and worst cases are taken from rows, those of a run or
 * stored ones; only if asked for. The order of the rows does not matter: what is kept is first by name or id. */
#ifndef EE_REPORT_MISTAKES_H
#define EE_REPORT_MISTAKES_H

#include "base/hash_index.h"
#include "base/list.h"
#include "report/json_out.h"
#include "report/page.h"
#include "report/stored_row.h"

/* What a report shows of them. */
typedef struct ee_mistake_choice {
  bool kinds, reasons;
  size_t worst;             /* at most this many cases; 0: none */
  ee_attribute_order order; /* of tables of attributes */
} ee_mistake_choice;

#define EE_REASON_EXAMPLES 3
/* Distinct reasons that are counted, the first by judge, field and text; further ones of a judge share EE_OTHER_NAME.
 */
#define EE_REASONS_KEPT 2000

typedef struct ee_mistake_example {
  ee_str id, expected, candidate, reason; /* values as JSON, cut; empty: missing */
  char *memory;                           /* of these; the next example takes it over */
  size_t room;
} ee_mistake_example;

/* A reason of one field, with N for every number. */
typedef struct ee_reason_count {
  ee_str judge, field, reason; /* the field is empty of items without a partner */
  uint64_t count;
  ee_mistake_example examples[EE_REASON_EXAMPLES]; /* the first by id, then by their texts */
} ee_reason_count;

typedef struct ee_worst_row {
  double score;
  ee_str id;  /* after the text */
  char *text; /* the row; owned */
  size_t length;
} ee_worst_row;

typedef struct ee_mistakes {
  ee_mistake_choice choice;
  ee_str judge; /* only its mistakes; data NULL: those of all */
  struct {
    EE_LIST(ee_reason_count);
  } reasons; /* up to a quarter more than EE_REASONS_KEPT, and one a judge of further ones */
  ee_hash_index reason_index;
  uint64_t cut_lists; /* mismatches of a judge in a row that the row does not list all */
  struct {
    EE_LIST(ee_worst_row);
  } worst; /* worst first, ties by id */
  ee_arena arena;
  ee_buffer text; /* scratch */
} ee_mistakes;

/* Of all judges, or of the one named `judge` (borrowed) if its data is not NULL. */
void ee_mistakes_init(ee_mistakes *mistakes, ee_mistake_choice choice, ee_str judge);
void ee_mistakes_fini(ee_mistakes *mistakes);
/* Whether rows must be added. */
static inline bool ee_mistakes_need_rows(const ee_mistakes *mistakes) {
  return mistakes->choice.reasons || mistakes->choice.worst > 0;
}
/* Adds a row. Cases without a score, and those with the score 1 and no miss, are
 * not among the worst. */
void ee_mistakes_add_row(ee_mistakes *mistakes, const ee_stored_row *row);
/* The same for whole lines of rows; fails as ee_stored_rows_read() does. */
ee_status ee_mistakes_add_rows(ee_mistakes *mistakes, ee_str rows, ee_error *error);

/* The kinds of one judge, the part "kinds" of its section: attributes with the most errors first, or in the order
 * chosen, with an example each. `choice` may be NULL. Where kinds were decided and are not asked for, only HTML has
 * them. */
void ee_kinds_page(const ee_judge_total *total, const ee_mistake_choice *choice, ee_page *page);
/* The sections "reasons" and "worst"; without what is not chosen. `mistakes` may be NULL. */
void ee_mistakes_page(const ee_mistakes *mistakes, ee_page *page);
/* "reasons" and "worst", as they are chosen. */
void ee_mistakes_json(const ee_mistakes *mistakes, ee_json_out *json);

#endif
