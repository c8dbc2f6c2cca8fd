/* quality_print.c: the compiled ee.quality, for `evalengine check`. */
#include "judge/quality/quality_judge.h"
#include "prim/number.h"

static void add_figure(ee_buffer *out, const char *before, double value) {
  char text[32];
  ee_double_format_short(value, 6, text);
  ee_buffer_addf(out, "%s %s", before, text);
}

static void print_weights(const ee_quality *quality, ee_buffer *out) {
  const double *weights = quality->weights;
  add_figure(out, "  weights accuracy", weights[EE_WEIGHT_ACCURACY]);
  add_figure(out, ", completeness", weights[EE_WEIGHT_COMPLETENESS]);
  add_figure(out, ", safety", weights[EE_WEIGHT_SAFETY]);
  add_figure(out, ", hallucination", weights[EE_WEIGHT_HALLUCINATION]);
  double sum = 0;
  for (size_t i = 0; i < EE_WEIGHTS; i++) sum += weights[i];
  if (sum < 1 - 1e-9 || sum > 1 + 1e-9) {
    add_figure(out, " (sum", sum);
    ee_buffer_add_char(out, ')');
  }
  ee_buffer_add_char(out, '\n');
}

static void print_functions(const ee_quality *quality, ee_buffer *out) {
  if (quality->similarity != EE_NO_FUNCTION) {
    ee_buffer_add_text(out, "  similarity of FUZZY and SEMANTIC by a function  (calls Lua)\n");
  }
  if (quality->safety != EE_NO_FUNCTION) ee_buffer_add_text(out, "  safety by a function  (calls Lua)\n");
  if (quality->formula != EE_NO_FUNCTION) ee_buffer_add_text(out, "  RQS by a function  (calls Lua)\n");
}

static void print_entry(const ee_quality_entry *entry, ee_buffer *out) {
  ee_buffer_add_text(out, "  ");
  ee_buffer_add_str(out, entry->written);
  ee_buffer_addf(out, "  %s  %s", entry->name, entry->place);
  if (entry->strategy != NULL && ee_strategy_calls_script(entry->strategy)) ee_buffer_add_text(out, "  (calls Lua)");
  ee_buffer_add_char(out, '\n');
}

void ee_quality_print(const ee_judge *judge, ee_buffer *out) {
  const ee_quality *quality = judge->data;
  if (quality->path != NULL) {
    ee_buffer_addf(out, "  object %.*s\n", (int)quality->path->text.length, quality->path->text.data);
  }
  ee_buffer_addf(out, "  depth %s, ignore %s, scale %s\n", quality->leaves ? "leaves" : "top",
                 quality->ignore_everywhere ? "everywhere" : "accuracy", quality->maximum > 0 ? "max" : "none");
  print_weights(quality, out);
  add_figure(out, "  thresholds FUZZY", quality->thresholds[EE_QUALITY_FUZZY]);
  add_figure(out, ", SEMANTIC", quality->thresholds[EE_QUALITY_SEMANTIC]);
  ee_buffer_add_char(out, '\n');
  print_functions(quality, out);
  for (size_t i = 0; i < quality->entry_count; i++) print_entry(&quality->entries[i], out);
  ee_buffer_addf(
      out,
      "  every other %s  by its expected value: number, boolean, date, email, list, object EXACT; other text "
      "SEMANTIC\n",
      quality->leaves ? "leaf" : "key");
}
