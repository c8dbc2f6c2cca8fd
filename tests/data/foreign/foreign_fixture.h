/* foreign_fixture.h: converts one record of another tool. */
#ifndef EE_TESTS_FOREIGN_FIXTURE_H
#define EE_TESTS_FOREIGN_FIXTURE_H

#include <stdlib.h>
#include <string.h>

#include "data/foreign/foreign.h"
#include "support/runner.h"

typedef struct foreign_fixture {
  ee_arena arena;
  ee_buffer out;
  ee_foreign_seen seen;
  ee_foreign_use use;
} foreign_fixture;

static inline int foreign_set_up(void **state) {
  foreign_fixture *fixture = calloc(1, sizeof *fixture);
  fixture->use.one_file = true;
  *state = fixture;
  return 0;
}

static inline int foreign_tear_down(void **state) {
  foreign_fixture *fixture = *state;
  ee_arena_fini(&fixture->arena);
  ee_buffer_fini(&fixture->out);
  free(fixture);
  return 0;
}

/* The converted record; "nothing", or "error: MESSAGE". Valid until the next call. */
static inline const char *foreign_convert(foreign_fixture *fixture, const ee_foreign_format *format, const char *text) {
  fixture->use.format = format;
  ee_buffer_clear(&fixture->out);
  ee_foreign_reading reading = {
      .use = &fixture->use, .seen = &fixture->seen, .line = 7, .arena = &fixture->arena, .out = &fixture->out};
  ee_error error;
  ee_foreign_result result = ee_foreign_convert(&reading, ee_str_from(text), &error);
  if (result != EE_FOREIGN_RECORD) assert_int_equal(fixture->out.length, 0);
  if (result == EE_FOREIGN_NOTHING) return "nothing";
  if (result == EE_FOREIGN_BROKEN) return ee_arena_printf(&fixture->arena, "error: %s", error.message);
  return ee_buffer_terminate(&fixture->out);
}

/* The note `number`, "" if nothing was met. */
static inline const char *foreign_note(foreign_fixture *fixture, size_t number) {
  const char *text = ee_foreign_note_text(fixture->use.format, &fixture->seen, number, &fixture->arena);
  return text != NULL ? text : "";
}

#define EE_FOREIGN_TEST(test) cmocka_unit_test_setup_teardown(test, foreign_set_up, foreign_tear_down)

#endif
