/* fuzz_prose.c: any text as an answer with JSON somewhere in it, read strictly and with repairs.
 *
 * The first byte says which repairs are allowed. What is read survives being written and read again, only allowed
 * repairs are counted, and none where nothing is read. */
#include "data/json/json_in_prose.h"
#include "data/json/json_reader.h"
#include "data/json/json_writer.h"
#include "fuzz/fuzz.h"

static void check_round_trip(const ee_value *value, ee_arena *arena) {
  ee_buffer out = {0};
  ee_json_write_value(&out, value);
  const ee_value *again = ee_json_read(arena, fuzz_buffer_text(&out), NULL, NULL);
  fuzz_require(again != NULL && ee_value_equal(value, again));
  ee_buffer_fini(&out);
}

static void check_repair(ee_str text, unsigned allowed, const ee_value *found, ee_arena *arena) {
  ee_repairs repairs = {0};
  ee_error error = {0};
  const ee_value *value = ee_json_in_prose_repair(arena, text, allowed, &repairs, &error);
  for (unsigned i = 0; i < EE_REPAIR_COUNT; i++) { /* finding the document is always allowed */
    fuzz_require(repairs.counts[i] == 0 || value != NULL);
    if (i >= EE_REPAIR_TRAILING_COMMA) fuzz_require(repairs.counts[i] == 0 || (allowed >> i & 1) == 1);
  }
  if (value != NULL)
    check_round_trip(value, arena);
  else
    fuzz_require(error.message[0] != '\0');
  /* With every repair allowed, nothing that can be read without them is lost. */
  if (allowed == EE_REPAIRS_ALL) fuzz_require(found == NULL || value != NULL);
}

static void check_bracket(ee_str text, unsigned allowed, ee_arena *arena) {
  if (text.length == 0 || (text.data[0] != '{' && text.data[0] != '[')) return;
  fuzz_require(ee_json_bracket_extent(text) <= text.length);
  (void)ee_json_begins(text);
  ee_repairs repairs = {0};
  size_t end = SIZE_MAX, strict_end = 0;
  const ee_value *lenient = ee_json_lenient_read(arena, text, allowed, &end, &repairs);
  fuzz_require(end <= text.length);
  if (lenient == NULL) fuzz_require(ee_repairs_total(&repairs) == 0);
  const ee_value *strict = ee_json_read_prefix(arena, text, &strict_end, NULL);
  if (strict != NULL)
    fuzz_require(lenient != NULL && end == strict_end && ee_repairs_total(&repairs) == 0 &&
                 ee_value_equal(strict, lenient));
}

static int ee_fuzz_one(const uint8_t *data, size_t size) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  fuzz_source source = fuzz_source_of(data, size);
  uint8_t choice = fuzz_byte(&source);
  unsigned allowed = choice % 4 == 0 ? EE_REPAIRS_ALL : choice % 4 == 1 ? EE_REPAIRS_PLAIN : choice * 41u;
  allowed &= EE_REPAIRS_ALL;
  ee_str text = fuzz_utf8(fuzz_rest(&source));
  ee_error error = {0};
  const ee_value *found = ee_json_in_prose_find(&arena, text, &error);
  if (found != NULL)
    check_round_trip(found, &arena);
  else
    fuzz_require(error.message[0] != '\0' && error.offset <= text.length);
  check_repair(text, allowed, found, &arena);
  check_bracket(text, allowed, &arena);
  ee_arena_fini(&arena);
  return 0;
}

EE_FUZZ_TARGET(16384)
