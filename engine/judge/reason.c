/* reason.c: reasons as text. */
#include "judge/reason.h"

#include <math.h>

#include "data/json/value.h"
#include "prim/number.h"

#define FIGURE_DIGITS 6

static void add_figure(ee_buffer *out, double value) {
  char text[32];
  ee_buffer_add(out, text, ee_double_format_short(value, FIGURE_DIGITS, text));
}

static void add_count(ee_buffer *out, double count, const char *singular, const char *plural) {
  add_figure(out, count);
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
    add_figure(out, reason->first);
  }
  ee_buffer_add_text(out, " below ");
  add_figure(out, reason->second);
}

static void print_relative(const ee_reason *reason, ee_buffer *out) {
  ee_buffer_add_text(out, "outside tolerance: diff=");
  add_figure(out, reason->first);
  /* The share of a tiny number can leave the doubles' range; then it says nothing to a person either. */
  double percent = reason->first / fabs(reason->third) * 100;
  if (isfinite(percent)) {
    ee_buffer_add_text(out, " (");
    add_figure(out, percent);
    ee_buffer_add_text(out, "% of ");
    add_figure(out, reason->third);
    ee_buffer_add_char(out, ')');
  }
  ee_buffer_add_text(out, ", tolerance=");
  add_figure(out, reason->second * 100);
  ee_buffer_add_char(out, '%');
}

/* Whole days are what people expect; times within a day are told in the largest unit that divides them. */
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
    add_figure(out, reason->second);
    ee_buffer_add_text(out, " extra");
  } else {
    add_count(out, reason->second, "element", "elements");
    ee_buffer_add_text(out, " extra");
  }
}

static void print_limit(const ee_reason *reason, const char *side, ee_buffer *out) {
  ee_buffer_add_str(out, reason->text);
  ee_buffer_add_char(out, ' ');
  add_figure(out, reason->first);
  ee_buffer_add_text(out, side);
  add_figure(out, reason->second);
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

void ee_reason_print(const ee_reason *reason, ee_buffer *out) {
  switch (reason->kind) {
  case EE_REASON_NONE: break;
  case EE_REASON_VALUE_MISMATCH: ee_buffer_add_text(out, "value mismatch"); break;
  case EE_REASON_TYPE_MISMATCH:
    ee_buffer_addf(out, "type mismatch: got %s, expected %s", type_name(reason->first), type_name(reason->second));
    break;
  case EE_REASON_OUTSIDE_TOLERANCE:
    ee_buffer_add_text(out, "outside tolerance: diff=");
    add_figure(out, reason->first);
    ee_buffer_add_text(out, ", tolerance=");
    add_figure(out, reason->second);
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
    add_figure(out, reason->first);
    ee_buffer_add_text(out, " and ");
    add_figure(out, reason->second);
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
