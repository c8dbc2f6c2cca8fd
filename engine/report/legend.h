/* legend.h: what the words and numbers of a report mean, and the rules that decided, for a page of HTML. */
#ifndef EE_REPORT_LEGEND_H
#define EE_REPORT_LEGEND_H

#include "judge/plan.h"
#include "report/page.h"

/* Of a page of HTML, the section "legend": classes of values, formulas, intervals, and what `evalengine check` prints
 * for `plan` (NULL: not known). */
void ee_legend_page(const ee_plan *plan, ee_page *page);

#endif
