/* corrections_report.h: how many documents go straight through and what the others need, on a page and in JSON, the
 * same for runs, slices and rows. */
#ifndef EE_REPORT_CORRECTIONS_REPORT_H
#define EE_REPORT_CORRECTIONS_REPORT_H

#include "report/json_out.h"
#include "report/page.h"
#include "run/correction_total.h"

/* Two lines after the scores: the share that goes straight through with its interval, and the corrections by kind and
 * by document. `noun`: "case", "row". Nothing without cases. */
void ee_corrections_page(const ee_correction_total *total, double confidence, const char *noun, ee_page *page);

/* The same as tiles of HTML. */
ee_tile_list ee_corrections_tiles(const ee_correction_total *total, double confidence, const char *noun, ee_page *page);

/* "straight_through" with its interval, and "corrections": total, mean, median, by kind, cases by their number. Nothing
 * without cases. */
void ee_corrections_json(const ee_correction_total *total, double confidence, ee_json_out *json);

#endif
