/* strategy_choices.c: one pass over the records a judge, without judging. */
#include "cli/strategy_choices.h"

#include "judge/strategy_usage.h"

static void observe_judge(const ee_plan *plan, const ee_judge *judge, const ee_record_list *records, ee_buffer *out) {
  ee_strategy_usage observation;
  ee_strategy_usage_init(&observation);
  ee_arena arena;
  ee_arena_init(&arena, 0);
  size_t cases = 0;
  for (size_t i = 0; i < records->count; i++) {
    ee_case current;
    if (ee_record_list_case(records, i, plan, &arena, &current)) {
      ee_context context = {.plan = plan, .arena = &arena, .current = &current};
      judge->type->observe(judge, &context, &observation);
      cases++;
    }
    ee_arena_reset(&arena, 1u << 22);
  }
  /* Another rule file may have no judge whose choice depends on the data. */
  if (observation.count > 0 || cases == 0) {
    ee_buffer_addf(out, "judge %.*s over %zu cases:\n", (int)judge->name.length, judge->name.data, cases);
    ee_strategy_usage_print(&observation, out);
  }
  ee_arena_fini(&arena);
  ee_strategy_usage_fini(&observation);
}

void ee_observe(const ee_plan *plan, const ee_record_list *records, ee_buffer *out) {
  for (size_t i = 0; i < plan->judge_count; i++) {
    if (plan->judges[i]->type->observe != NULL) observe_judge(plan, plan->judges[i], records, out);
  }
}
