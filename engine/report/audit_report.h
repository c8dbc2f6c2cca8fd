/* audit_report.h: the work list of an audit: a page for people, JSON and CSV for programs, which append to `out`. */
#ifndef EE_REPORT_AUDIT_REPORT_H
#define EE_REPORT_AUDIT_REPORT_H

#include "audit/audit.h"
#include "base/buffer.h"
#include "report/page.h"

/* How many findings of each kind there are, the findings with the largest gain, and what was learned. The page borrows
 * from `report`. */
void ee_audit_page(const ee_audit_report *report, ee_page *page);
/* One JSON object, indented by two spaces, with all findings, their evidence and the ids of their records. */
void ee_audit_json(const ee_audit_report *report, ee_buffer *out);
/* A head line and a line a finding: gain,kind,case,records,path,values,expected,proposed,reason. */
void ee_audit_csv(const ee_audit_report *report, ee_buffer *out);

#endif
