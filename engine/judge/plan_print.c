/* plan_print.c: the compiled plan as text, for `evalengine check`. */
#include "judge/plan.h"
#include "prim/number.h"

static void add_figure(ee_buffer *out, double value) {
  char text[32];
  ee_double_format_short(value, 6, text);
  ee_buffer_add_text(out, text);
}

static void print_path(const char *name, const ee_path *path, ee_buffer *out) {
  if (path == NULL) return;
  ee_buffer_addf(out, " %s=%.*s", name, (int)path->text.length, path->text.data);
}

static void print_head(const ee_plan *plan, ee_buffer *out) {
  ee_buffer_addf(out, "rules %.*s", (int)plan->name.length, plan->name.data);
  if (plan->file != NULL && *plan->file != '\0') ee_buffer_addf(out, " (%s)", plan->file);
  ee_buffer_add_char(out, '\n');
  if (plan->paths.id != NULL || plan->paths.expected != NULL || plan->paths.candidate != NULL) {
    ee_buffer_add_text(out, "case");
    print_path("id", plan->paths.id, out);
    print_path("expected", plan->paths.expected, out);
    print_path("candidate", plan->paths.candidate, out);
    ee_buffer_add_char(out, '\n');
  }
  if (plan->empty.null_value_count > 0 || plan->empty.containers) {
    ee_buffer_add_text(out, "empty: blank");
    for (size_t i = 0; i < plan->empty.null_value_count; i++) {
      ee_str text = plan->empty.null_values[i];
      ee_buffer_addf(out, ", \"%.*s\"", (int)text.length, text.data);
    }
    if (plan->empty.containers) ee_buffer_add_text(out, ", [] and {}");
    ee_buffer_add_char(out, '\n');
  }
  for (size_t i = 0; i < plan->slice_count; i++) {
    ee_buffer_addf(out, "slice %.*s\n", (int)plan->slices[i]->text.length, plan->slices[i]->text.data);
  }
}

static void print_judge(const ee_judge *judge, ee_buffer *out) {
  ee_buffer_addf(out, "judge %.*s (%s), weight ", (int)judge->name.length, judge->name.data, judge->type->name);
  add_figure(out, judge->weight);
  ee_buffer_add_text(out, ", pass ");
  add_figure(out, judge->verdict.pass);
  ee_buffer_add_text(out, ", borderline ");
  add_figure(out, judge->verdict.borderline);
  ee_buffer_add_char(out, '\n');
  if (judge->type->print != NULL) judge->type->print(judge, out);
}

static void print_limit(const char *sign, double limit, ee_buffer *out) {
  ee_buffer_addf(out, " %s ", sign);
  add_figure(out, limit);
}

static void print_gate(const ee_gate *gate, ee_buffer *out) {
  ee_buffer_add_text(out, "gate");
  if (gate->judge.length > 0) ee_buffer_addf(out, " %.*s", (int)gate->judge.length, gate->judge.data);
  if (gate->field.length > 0) ee_buffer_addf(out, " %.*s", (int)gate->field.length, gate->field.data);
  ee_buffer_add_char(out, ' ');
  ee_buffer_add_str(out, ee_gate_metric_name(gate));
  if (gate->has_min) print_limit(">=", gate->min, out);
  if (gate->has_max) print_limit("<=", gate->max, out);
  if (gate->min_support > 0) {
    ee_buffer_add_text(out, ", from ");
    ee_buffer_add_u64(out, gate->min_support);
    ee_buffer_add_text(out, " expected values on");
  }
  ee_buffer_add_char(out, '\n');
}

static void print_provider(const ee_plan *plan, ee_buffer *out) {
  if (!plan->needs_provider) return;
  ee_buffer_add_text(out, "provider ");
  ee_provider_settings_print(&plan->provider, out);
  ee_buffer_add_char(out, '\n');
}

/* Which parts enter Lua after loading, in one line. */
static void print_script(const ee_plan *plan, ee_buffer *out) {
  ee_buffer_add_text(out, "calls Lua:");
  const char *separator = " ";
  for (size_t i = 0; i < plan->judge_count; i++) {
    const ee_judge *judge = plan->judges[i];
    if (!judge->calls_script && !judge->calls_inner_script) continue;
    ee_buffer_addf(out, "%s%.*s", separator, (int)judge->name.length, judge->name.data);
    separator = ", ";
  }
  bool any = *separator == ',';
  if (plan->score_function != EE_NO_FUNCTION) ee_buffer_addf(out, "%sscore", separator);
  ee_buffer_add_text(out, any || plan->score_function != EE_NO_FUNCTION ? "\n" : " nothing\n");
}

void ee_plan_print(const ee_plan *plan, ee_buffer *out) {
  print_head(plan, out);
  for (size_t i = 0; i < plan->judge_count; i++) print_judge(plan->judges[i], out);
  if (plan->selection != NULL) ee_buffer_add_text(out, "each case by judges of its own, as the data set says\n");
  for (size_t i = 0; i < plan->gate_count; i++) print_gate(&plan->gates[i], out);
  ee_buffer_add_text(out, plan->score_function != EE_NO_FUNCTION ? "score by a function  (calls Lua)\n"
                                                                 : "score weighted mean of the judges\n");
  print_provider(plan, out);
  print_script(plan, out);
}
