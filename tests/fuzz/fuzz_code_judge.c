/* fuzz_code_judge.c: what a program of ee.exec answers, and the payloads that it and `evalengine judge` get.
 *
 * An answer that is read has a score in 0..1 and counts in their range, and is read the same from the reply that this
 * program would write of it; one that is refused says why. Payloads are one line of JSON. */
#include "data/json/json_reader.h"
#include "fuzz/fuzz.h"
#include "fuzz/output_checks.h"
#include "judge/outside/protocol.h"
#include "report/row.h"

static void check_answer(ee_str text, ee_arena *arena) {
  ee_judge_result result = {0};
  const char *why = ee_protocol_read_answer(text, arena, &result);
  if (why != NULL) {
    fuzz_require(why[0] != '\0' && ee_utf8_valid_prefix(why, strlen(why)) == strlen(why));
    fuzz_require(result.score == 0 && result.hit_count == 0 && result.details == NULL);
    ee_buffer out = {0};
    ee_code_judge_reply_write_failure(ee_str_from(why), &out);
    fuzz_check_json(fuzz_buffer_text(&out));
    ee_buffer_fini(&out);
    return;
  }
  fuzz_require(result.score >= 0 && result.score <= 1);
  for (size_t i = 0; i < result.attribute_count; i++) {
    const ee_counts *counts = &result.attributes[i].counts;
    fuzz_require(counts->tp <= UINT64_C(1000000000000) && counts->fp <= UINT64_C(1000000000000));
    fuzz_require(counts->fn <= UINT64_C(1000000000000) && counts->tn <= UINT64_C(1000000000000));
  }
}

static void check_payload(ee_str text, const ee_value *config, ee_arena *arena) {
  const ee_value *record = ee_json_read_data(arena, text, NULL);
  ee_case current;
  ee_error error;
  if (record == NULL || ee_record_read(record, NULL, NULL, arena, &current, &error) != EE_OK) return;
  ee_buffer out = {0};
  ee_protocol_write_payload(&current, config, &out);
  fuzz_require(memchr(out.data, '\n', out.length) == NULL);
  fuzz_check_json(fuzz_buffer_text(&out));
  /* A payload is a record: `evalengine judge` finds the same case in it. */
  const ee_value *payload = ee_json_read_data(arena, fuzz_buffer_text(&out), NULL);
  ee_case again;
  fuzz_require(ee_record_read(payload, NULL, NULL, arena, &again, &error) == EE_OK);
  fuzz_require(ee_str_equal(current.id, again.id));
  ee_buffer_fini(&out);
}

static int ee_fuzz_one(const uint8_t *data, size_t size) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_str text = fuzz_text(data, size);
  check_answer(text, &arena);
  fuzz_source source = fuzz_source_of(data, size);
  ee_str line = fuzz_line(&source);
  const ee_value *config = ee_json_read(&arena, fuzz_rest(&source), NULL, NULL);
  check_payload(line, ee_type_of(config) == EE_OBJECT ? config : NULL, &arena);
  ee_arena_fini(&arena);
  return 0;
}

EE_FUZZ_TARGET(4096)
