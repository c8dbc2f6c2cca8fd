/* result.c: reasons, hits and misses of a case, and their texts. */
#include "judge/result.h"

#include <math.h>

#include "data/json/json_writer.h"
#include "data/json/value.h"
#include "prim/number.h"

/* Reasons --------------------------------------------------------------------------------------- */

#define NUMBER_DIGITS 6

static void add_number(ee_buffer *out, double value) {
  char text[32];
  ee_buffer_add(out, text, ee_double_format_short(value, NUMBER_DIGITS, text));
}

/* Six digits, or as many as it takes to tell `value` from `limit`. */
static int digits_beside(double value, double limit) {
  char a[32], b[32];
  int digits = NUMBER_DIGITS;
  /* Numbers with the same six digits differ by at most one of the last, a share of 1e-5 of either. */
  if (fabs(value - limit) > 2e-5 * fmax(fabs(value), fabs(limit))) return digits;
  for (; digits < 17 && value != limit; digits++) {
    size_t length = ee_double_format_short(value, digits, a), other = ee_double_format_short(limit, digits, b);
    if (length != other || memcmp(a, b, length) != 0) break;
  }
  return digits;
}

static void add_beside(ee_buffer *out, double value, double limit) {
  char text[32];
  ee_buffer_add(out, text, ee_double_format_short(value, digits_beside(value, limit), text));
}

/* "diff=0.03", or "diff>0.01" where the doubles are equal and the decimals decided. */
static void add_difference(ee_buffer *out, double difference, double limit) {
  ee_buffer_add_text(out, difference == limit ? "diff>" : "diff=");
  add_beside(out, difference, limit);
}

static void add_count(ee_buffer *out, double count, const char *singular, const char *plural) {
  add_number(out, count);
  ee_buffer_add_char(out, ' ');
  ee_buffer_add_text(out, count == 1 ? singular : plural);
}

static const char *type_name(double type) {
  switch ((ee_type)(int)type) {
  case EE_MISSING: return "missing";
  case EE_NULL: return "null";
  case EE_FALSE:
  case EE_TRUE: return "boolean";
  case EE_NUMBER: return "number";
  case EE_STRING: return "string";
  case EE_ARRAY: return "array";
  case EE_OBJECT: return "object";
  }
  return "unknown";
}

static void print_below(const ee_reason *reason, const char *word, ee_buffer *out) {
  ee_buffer_add_text(out, word);
  if (reason->first >= 0) {
    ee_buffer_add_char(out, ' ');
    add_beside(out, reason->first, reason->second);
  }
  ee_buffer_add_text(out, " below ");
  if (reason->first >= 0)
    add_beside(out, reason->second, reason->first);
  else
    add_number(out, reason->second);
}

static void print_relative(const ee_reason *reason, ee_buffer *out) {
  ee_buffer_add_text(out, "outside tolerance: diff=");
  add_number(out, reason->first);
  /* The share of a tiny number can overflow a double. */
  double percent = reason->first / fabs(reason->third) * 100;
  if (isfinite(percent)) {
    ee_buffer_add_text(out, " (");
    add_beside(out, percent, reason->second * 100);
    ee_buffer_add_text(out, "% of ");
    add_number(out, reason->third);
    ee_buffer_add_char(out, ')');
  }
  ee_buffer_add_text(out, ", tolerance=");
  add_number(out, reason->second * 100);
  ee_buffer_add_char(out, '%');
}

/* Days, or below a day the largest unit that divides the difference. */
static void print_date(const ee_reason *reason, ee_buffer *out) {
  ee_buffer_add_text(out, "date differs by ");
  double seconds = round(reason->first * 86400);
  if (seconds >= 86400) {
    add_count(out, reason->first, "day", "days");
  } else if (fmod(seconds, 3600) == 0) {
    add_count(out, seconds / 3600, "hour", "hours");
  } else if (fmod(seconds, 60) == 0) {
    add_count(out, seconds / 60, "minute", "minutes");
  } else {
    add_count(out, seconds, "second", "seconds");
  }
}

static void print_set(const ee_reason *reason, ee_buffer *out) {
  if (reason->first > 0) {
    add_count(out, reason->first, "element", "elements");
    ee_buffer_add_text(out, " missing");
    if (reason->second <= 0) return;
    ee_buffer_add_text(out, ", ");
    add_number(out, reason->second);
    ee_buffer_add_text(out, " extra");
  } else {
    add_count(out, reason->second, "element", "elements");
    ee_buffer_add_text(out, " extra");
  }
}

static void print_limit(const ee_reason *reason, const char *side, ee_buffer *out) {
  ee_buffer_add_str(out, reason->text);
  ee_buffer_add_char(out, ' ');
  add_beside(out, reason->first, reason->second);
  ee_buffer_add_text(out, side);
  add_beside(out, reason->second, reason->first);
}

static void print_unreadable(const ee_reason *reason, const char *side, ee_buffer *out) {
  ee_buffer_addf(out, "unreadable %s %s: ", side, reason->first == 0 ? "box" : "point");
  ee_buffer_add_str(out, reason->text);
}

/* An item without partner, and why, where that is known. */
static void print_item(const char *what, ee_str why, ee_buffer *out) {
  ee_buffer_add_text(out, what);
  if (why.length == 0) return;
  ee_buffer_add_text(out, ": ");
  ee_buffer_add_str(out, why);
}

static void print_kind(const ee_reason *reason, ee_buffer *out) {
  switch (reason->kind) {
  case EE_REASON_NONE: break;
  case EE_REASON_VALUE_MISMATCH: ee_buffer_add_text(out, "value mismatch"); break;
  case EE_REASON_TYPE_MISMATCH:
    ee_buffer_addf(out, "type mismatch: got %s, expected %s", type_name(reason->first), type_name(reason->second));
    break;
  case EE_REASON_OUTSIDE_TOLERANCE:
    ee_buffer_add_text(out, "outside tolerance: ");
    add_difference(out, reason->first, reason->second);
    ee_buffer_add_text(out, ", tolerance=");
    add_number(out, reason->second);
    break;
  case EE_REASON_RELATIVE_TOLERANCE: print_relative(reason, out); break;
  case EE_REASON_SIMILARITY: print_below(reason, "similarity", out); break;
  case EE_REASON_SCORE: print_below(reason, "score", out); break;
  case EE_REASON_DATE_DIFFERS: print_date(reason, out); break;
  case EE_REASON_SET_DIFFERS: print_set(reason, out); break;
  case EE_REASON_BELOW: print_limit(reason, " below ", out); break;
  case EE_REASON_ABOVE: print_limit(reason, " above ", out); break;
  case EE_REASON_DIMENSIONS:
    ee_buffer_add_text(out, "dimensions differ: ");
    add_number(out, reason->first);
    ee_buffer_add_text(out, " and ");
    add_number(out, reason->second);
    break;
  case EE_REASON_BAD_EXPECTED: print_unreadable(reason, "expected", out); break;
  case EE_REASON_BAD_CANDIDATE: print_unreadable(reason, "candidate", out); break;
  case EE_REASON_REQUIRED_MISSING: ee_buffer_add_text(out, "required, missing"); break;
  case EE_REASON_OPTIONAL_MISSING: ee_buffer_add_text(out, "optional, missing"); break;
  case EE_REASON_UNEXPECTED: ee_buffer_add_text(out, "nothing expected"); break;
  case EE_REASON_MISSING_ITEM: print_item("missing item", reason->text, out); break;
  case EE_REASON_EXTRA_ITEM: print_item("extra item", reason->text, out); break;
  case EE_REASON_TEXT: ee_buffer_add_str(out, reason->text); break;
  }
}

/* At most this many bytes of a right answer are printed. */
#define ANSWER_LIMIT 60

void ee_reason_print(const ee_reason *reason, ee_buffer *out) {
  print_kind(reason, out);
  if (reason->nearest == NULL) return;
  ee_buffer_add_text(out, "; nearest correct answer: ");
  size_t start = out->length;
  ee_json_write_value(out, reason->nearest);
  if (out->length - start <= ANSWER_LIMIT) return;
  out->length = start + ee_utf8_cut((ee_str){out->data + start, out->length - start}, ANSWER_LIMIT);
  ee_buffer_add_text(out, "...");
}

/* Verdicts, hits and misses --------------------------------------------------------------------- */

const char *ee_verdict_name(ee_verdict verdict) {
  switch (verdict) {
  case EE_VERDICT_PASS: return "pass";
  case EE_VERDICT_BORDERLINE: return "borderline";
  default: return "fail";
  }
}

const char *ee_document_side_name(ee_document_side document) {
  return document == EE_EXPECTED ? "expected" : "candidate";
}

/* Places are printed for every value: in one piece. */
void ee_finding_print_place(const ee_finding *finding, ee_buffer *out) {
  ee_str path = finding->path, field = finding->field;
  if (path.length == 0 && finding->row == EE_NO_ROW && field.length == 0) path = EE_STR("\"\"");
  char *start = ee_buffer_reserve(out, path.length + field.length + 16), *to = start;
  if (path.length > 0) memcpy(to, path.data, path.length);
  to += path.length;
  if (finding->row != EE_NO_ROW) {
    *to++ = '[';
    to = ee_findings_number(to, finding->row);
    *to++ = ']';
  }
  if (field.length > 0) {
    /* A path that starts with a quoted key, ["a.b"], follows without a dot, as it would in one path. */
    if (field.data[0] != '[') *to++ = '.';
    memcpy(to, field.data, field.length);
    to += field.length;
  }
  out->length += (size_t)(to - start);
}

bool ee_finding_same_place(const ee_finding *a, const ee_finding *b) {
  return a->row == b->row && ee_str_equal(a->path, b->path) && ee_str_equal(a->field, b->field);
}

void ee_finding_print(const ee_finding *finding, ee_buffer *out) {
  ee_finding_print_place(finding, out);
  if (finding->reason.kind == EE_REASON_NONE) return;
  ee_buffer_add_text(out, " (");
  ee_reason_print(&finding->reason, out);
  ee_buffer_add_char(out, ')');
}

/* Findings -------------------------------------------------------------------------------------- */

void ee_findings_start(ee_findings *findings, ee_arena *arena, size_t hits) {
  *findings = (ee_findings){.arena = arena};
  EE_LIST_RESERVE(&findings->hits, arena, hits);
}

void ee_findings_hit(ee_findings *findings, const ee_finding *finding) {
  *EE_LIST_ADD(&findings->hits, findings->arena) = *finding;
}

void ee_findings_note(ee_findings *findings, ee_str place, ee_reason reason) {
  *EE_LIST_ADD(&findings->misses, findings->arena) = (ee_finding){.path = place, .row = EE_NO_ROW, .reason = reason};
}

void ee_findings_fail(ee_findings *findings, ee_fault fault, ee_str place, ee_reason reason) {
  if (findings->fault == EE_FAULT_NONE) findings->fault_miss = findings->misses.count;
  if (fault > findings->fault) findings->fault = fault;
  ee_findings_note(findings, place, reason);
}

ee_mismatch *ee_findings_miss(ee_findings *findings, const ee_finding *finding, ee_class value_class,
                              const ee_value *expected, const ee_value *candidate, double score) {
  *EE_LIST_ADD(&findings->misses, findings->arena) = *finding;
  ee_mismatch *mismatch = EE_LIST_ADD(&findings->mismatches, findings->arena);
  *mismatch = (ee_mismatch){.finding = *finding,
                            .expected = expected,
                            .candidate = candidate,
                            .score = score,
                            .slot = -1,
                            .value_class = value_class};
  return mismatch;
}

void ee_findings_no_candidate(ee_findings *findings, ee_candidate_state state) {
  ee_reason reason = state == EE_CANDIDATE_MISSING ? EE_REASON_OF("missing") : EE_REASON_OF("no JSON found");
  ee_findings_note(findings, EE_STR("candidate"), reason);
}

void ee_findings_finish(const ee_findings *findings, ee_judge_result *result) {
  result->hits = findings->hits.items;
  result->hit_count = findings->hits.count;
  result->misses = findings->misses.items;
  result->miss_count = findings->misses.count;
  result->mismatches = findings->mismatches.items;
  result->mismatch_count = findings->mismatches.count;
  if (findings->fault == EE_FAULT_NONE) return;
  result->failed = true;
  result->unscored = findings->fault == EE_FAULT_DATA;
  result->fault = &findings->misses.items[findings->fault_miss];
}

char *ee_findings_number(char *out, uint64_t value) {
  if (value < 10) {
    *out++ = (char)('0' + value);
    return out;
  }
  char digits[20];
  size_t count = 0;
  do {
    digits[count++] = (char)('0' + value % 10);
    value /= 10;
  } while (value != 0);
  while (count > 0) *out++ = digits[--count];
  return out;
}

ee_str ee_findings_text(ee_arena *arena, const char *format, const uint64_t *counts) {
  size_t room = 0;
  for (const char *at = format; *at != '\0'; at++) room += *at == '#' ? 20 : 1;
  char *text = ee_arena_alloc(arena, room), *out = text;
  for (; *format != '\0'; format++) {
    if (*format == '#')
      out = ee_findings_number(out, *counts++);
    else
      *out++ = *format;
  }
  return (ee_str){text, (size_t)(out - text)};
}
