/* totals_text.h: totals as the text of their state, and read from it. */
#ifndef EE_TESTS_SUPPORT_TOTALS_TEXT_H
#define EE_TESTS_SUPPORT_TOTALS_TEXT_H

#include "data/json/json_reader.h"
#include "run/totals_state.h"
#include "support/runner.h"

/* The state of totals, in `arena`. */
static inline ee_str totals_save(ee_totals *totals, ee_arena *arena) {
  ee_buffer out = {0};
  ee_state_line line;
  ee_state_write(&line, &out);
  ee_totals_state(&line, totals);
  assert_true(ee_state_close(&line));
  ee_str text = {ee_arena_copy(arena, out.data, out.length), out.length};
  ee_buffer_fini(&out);
  return text;
}

/* Totals from a text; false, and nothing to free, if it is refused. `arena` is scratch. */
static inline bool totals_load(ee_totals *totals, const ee_plan *plan, ee_str text, ee_arena *arena) {
  ee_state_line line;
  ee_totals_init(totals, plan);
  ee_state_read(&line, ee_json_read(arena, text, NULL, NULL));
  ee_totals_state(&line, totals);
  if (ee_state_close(&line)) return true;
  ee_totals_fini(totals);
  return false;
}

#endif
