/* merged_states.c: states of runs and of comparisons are described in the same words. */
#include "cli/merged_states.h"

#include <inttypes.h>

static void note(ee_terminal *terminal, ee_buffer *text) {
  ee_terminal_note(terminal, (ee_str){text->data, text->length});
  ee_buffer_clear(text);
}

void ee_note_merged_states(ee_terminal *terminal, const ee_part_set *set, uint64_t cases) {
  ee_buffer text = {0};
  if (set->of == 0 && set->count > 1) {
    ee_buffer_addf(&text,
                   "%zu states without part numbers: a missing one cannot be noticed (give parts --shard or --part)",
                   set->count);
    note(terminal, &text);
  }
  if (set->twins > 0) {
    ee_buffer_addf(&text, "%" PRIu64 " state%s given twice with equal contents, counted once: %s%s", set->twins,
                   set->twins == 1 ? " is" : "s are", set->twin, set->twins > 1 ? ", ..." : "");
    note(terminal, &text);
  }
  ee_buffer_addf(&text, "merged %zu state%s", set->count, set->count == 1 ? "" : "s");
  if (set->of > 0) ee_buffer_addf(&text, ", %" PRIu64 " of %" PRIu64 " parts", set->of - set->missing_count, set->of);
  ee_buffer_addf(&text, ", %" PRIu64 " case%s", cases, cases == 1 ? "" : "s");
  note(terminal, &text);
  ee_buffer_fini(&text);
}
