/* csv.c: the table of attributes for spreadsheets, as RFC 4180 says, but for plain newlines.
 *
 * It is one table of counts and what follows from them, so what judges measure besides (rqs, completeness) is left out:
 * in these columns it would be something else than what stands above. The JSON summary has it. */
#include "report/csv_out.h"
#include "report/summary.h"

void ee_summary_csv(const ee_summary *summary, ee_buffer *out) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_buffer_add_text(out, EE_CSV_ATTRIBUTES_HEAD);
  for (size_t i = 0; i < summary->plan->judge_count; i++) {
    const ee_judge *judge = summary->plan->judges[i];
    ee_csv_add_attributes(out, judge->name, &summary->totals->all.judges[i], ee_judge_splits_fp(judge), &arena);
  }
  ee_arena_fini(&arena);
}
