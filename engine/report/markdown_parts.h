/* markdown_parts.h: what Markdown reports of a run and of pooled rows have in common.
 */
#ifndef EE_REPORT_MARKDOWN_PARTS_H
#define EE_REPORT_MARKDOWN_PARTS_H

#include "report/markdown.h"
#include "run/totals.h"

typedef struct ee_markdown_out {
  ee_buffer *out;
  ee_arena *arena; /* scratch */
} ee_markdown_out;

/* "51 pass (75.0 %), 12 borderline (17.6 %), 5 fail (7.4 %)" */
void ee_markdown_verdicts(ee_markdown_out *markdown, const uint64_t verdicts[3]);

/* A heading "### `name` (type)", and a line with mean score and verdicts; the type is left out where it is the name, or
 * empty. */
void ee_markdown_judge(ee_markdown_out *markdown, ee_str name, ee_str type, const ee_sample *score,
                       const uint64_t verdicts[3]);

/* Attributes worst F1 first, and their averages, behind an empty line; nothing where there are none. `split` and `fold`
 * as for ee_table_attributes(). */
void ee_markdown_attributes(ee_markdown_out *markdown, const ee_judge_total *total, bool split, bool fold);

#endif
