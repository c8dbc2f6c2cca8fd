/* corpus_state.h: corpus metrics of the first judge written and read. */
#ifndef EE_TESTS_JUDGE_CORPUS_STATE_H
#define EE_TESTS_JUDGE_CORPUS_STATE_H

#include <stdlib.h>
#include <string.h>

#include "data/json/json_reader.h"
#include "run/totals.h"
#include "support/random.h"

static inline const ee_corpus_type *corpus_of(const ee_totals *totals) { return totals->plan->judges[0]->type->corpus; }

/* Sets `out` to the state of what was added. */
static inline void corpus_write(ee_totals *totals, ee_buffer *out) {
  ee_state_line line;
  ee_buffer_clear(out);
  ee_state_write(&line, out);
  corpus_of(totals)->state(totals->all.judges[0].corpus_part, &line);
  assert_true(ee_state_close(&line));
}

/* Reads a state into the empty `corpus_part`; false if it is refused. */
static inline bool corpus_read(const ee_totals *totals, void *corpus_part, ee_str text) {
  ee_arena arena;
  ee_error error;
  ee_state_line line;
  ee_arena_init(&arena, 0);
  const ee_value *value = ee_json_read_data(&arena, text, &error);
  ee_state_read(&line, value);
  corpus_of(totals)->state(corpus_part, &line);
  bool good = ee_state_close(&line);
  ee_arena_fini(&arena);
  return good;
}

/* Replaces what was added by what its state says. */
static inline void corpus_through_state(ee_totals *totals) {
  ee_buffer text = {0};
  corpus_write(totals, &text);
  void *read = corpus_of(totals)->open(totals->plan->judges[0]);
  assert_true(corpus_read(totals, read, (ee_str){text.data, text.length}));
  corpus_of(totals)->close(totals->all.judges[0].corpus_part);
  totals->all.judges[0].corpus_part = read;
  ee_buffer_fini(&text);
}

/* Cut states are refused. Changed ones are refused or read as something: without harm, also when it is finished. */
static inline void corpus_refuses_damage(const ee_totals *totals, ee_str state, test_random *random) {
  char *text = malloc(state.length);
  const ee_corpus_type *type = corpus_of(totals);
  const ee_judge *judge = totals->plan->judges[0];
  void *part = type->open(judge);
  for (int i = 0; i < 20; i++) {
    memcpy(text, state.data, state.length);
    for (size_t changes = 1 + test_random_below(random, 3); changes > 0; changes--)
      text[test_random_below(random, state.length)] = "AAAB/gw0Z+aQ="[test_random_below(random, 13)];
    ee_arena arena;
    ee_corpus_summary summary;
    ee_arena_init(&arena, 0);
    if (corpus_read(totals, part, (ee_str){text, state.length})) type->finish(judge, part, &arena, &summary);
    ee_arena_fini(&arena);
    type->clear(part);
    if (state.length > 4)
      assert_false(corpus_read(totals, part, (ee_str){text, test_random_below(random, state.length)}));
    type->clear(part);
  }
  type->close(part);
  free(text);
}

#endif
