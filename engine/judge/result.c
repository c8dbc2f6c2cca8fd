/* result.c: the texts of verdicts, hits and misses. */
#include "judge/result.h"

const char *ee_verdict_name(ee_verdict verdict) {
  switch (verdict) {
  case EE_VERDICT_PASS: return "pass";
  case EE_VERDICT_BORDERLINE: return "borderline";
  default: return "fail";
  }
}

void ee_finding_print_place(const ee_finding *finding, ee_buffer *out) {
  bool nameless = finding->path.length == 0 && finding->row == EE_NO_ROW && finding->field.length == 0;
  ee_buffer_add_str(out, nameless ? EE_STR("\"\"") : finding->path);
  if (finding->row != EE_NO_ROW) {
    ee_buffer_add_char(out, '[');
    ee_buffer_add_u64(out, finding->row);
    ee_buffer_add_char(out, ']');
  }
  if (finding->field.length == 0) return;
  /* A path that starts with a quoted key, ["a.b"], follows without a dot, as it would in one path. */
  if (finding->field.data[0] != '[') ee_buffer_add_char(out, '.');
  ee_buffer_add_str(out, finding->field);
}

void ee_finding_print(const ee_finding *finding, ee_buffer *out) {
  ee_finding_print_place(finding, out);
  if (finding->reason.kind == EE_REASON_NONE) return;
  ee_buffer_add_text(out, " (");
  ee_reason_print(&finding->reason, out);
  ee_buffer_add_char(out, ')');
}
