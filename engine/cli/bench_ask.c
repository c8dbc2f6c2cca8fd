/* bench_ask.c: trials whose answers a model gives. */
#include <stdlib.h>

#include "base/memory.h"
#include "base/runtime.h"
#include "cli/bench_work.h"
#include "data/json/json_writer.h"
#include "report/bench_trial.h"

/* Questions that fly together. So many trials at most are lost to an interrupt. */
#define BLOCK 64

/* Prompt ------------------------------------------------------------------------------------------------------------
 */

void ee_bench_prompt(const ee_bench_record *record, ee_buffer *out) {
  static const char *const units[] = {"UTF-16 code units", "Unicode code points", "bytes of UTF-8"};
  ee_buffer_add_str(out, record->instructions);
  ee_buffer_add_text(out, "\n\nAnswer with one JSON object and nothing else:\n{\"extractions\": [{\"extractionClass\": "
                          "\"...\", \"quote\": \"...\", \"offsetMode\": \"");
  ee_buffer_add_text(out, ee_text_unit_name(record->unit));
  ee_buffer_addf(out,
                 "\", \"charStart\": 0, \"charEnd\": 0}]}\n"
                 "Each quote is an exact copy of a part of the document. charStart and charEnd say where it stands: "
                 "offsets in the document in %s from 0, the end exclusive. If there is nothing to extract, the list "
                 "is empty.\n\nThe answer must fit this JSON Schema:\n",
                 units[record->unit]);
  ee_json_write_value(out, record->target_schema);
  ee_buffer_add_text(out, "\n\nThe document is all that follows this line.\n");
  ee_buffer_add_str(out, record->document);
}

/* Asking ------------------------------------------------------------------------------------------------------------
 */

/* The records of one trial whose answers are asked for together. */
typedef struct asking {
  ee_bench_work *work;
  ee_provider_session *session;
  size_t trial;
  size_t numbers[BLOCK];
  size_t count;
  ee_arena arena;
  ee_buffer prompt, text;
  ee_error *error;
} asking;

static ee_answer complete(asking *self, size_t number) {
  ee_answer answer;
  ee_buffer_clear(&self->prompt);
  ee_bench_prompt(&self->work->set->records[number], &self->prompt);
  self->session->vtable->complete(self->session, (ee_str){self->prompt.data, self->prompt.length}, &self->arena,
                                  &answer);
  return answer;
}

static void tell_failure(asking *self, const ee_bench_record *record, const char *why) {
  ee_error told;
  ee_error_at(&told, EE_ERROR_PROVIDER, record->file, record->line, 0,
              "case '%.*s', trial %zu: " EE_BENCH_NO_ANSWER "%s", (int)ee_utf8_cut(record->case_id, 100),
              record->case_id.data, self->trial + 1, why);
  ee_terminal_message(self->work->terminal, &told);
}

/* Judges what came. Where `stopped`, a question without an answer was not asked to the end: its trial stays to be done.
 */
static ee_status take_answer(asking *self, size_t number, bool stopped) {
  const ee_bench_record *record = &self->work->set->records[number];
  ee_answer answer = complete(self, number);
  if (answer.state == EE_ANSWER_PENDING || (stopped && answer.state == EE_ANSWER_FAILED)) return EE_OK;
  ee_bench_case current;
  ee_bench_case_open(&current, record, &self->arena);
  ee_str text = answer.state == EE_ANSWER_GIVEN ? answer.text : (ee_str){NULL, 0};
  const char *why = NULL;
  if (answer.state == EE_ANSWER_FAILED) {
    why = ee_arena_copy(&self->arena, answer.text.data, answer.text.length);
    tell_failure(self, record, why);
  }
  if (text.data == NULL && why == NULL) text = EE_STR("");
  ee_buffer_clear(&self->text);
  ee_bench_trial_write(record, &current.document, current.schema, text, why, &self->arena, &self->text);
  ee_status status = ee_bench_journal_add(self->work->journal, number, self->trial,
                                          (ee_str){self->text.data, self->text.length}, self->error);
  ee_arena_reset(&self->arena, 0);
  return status;
}

static ee_status ask_block(asking *self) {
  ee_stop stop = {.interrupted = self->work->interrupted};
  ee_provider_session_begin(self->session, EE_NO_TICKET);
  for (size_t i = 0; i < self->count; i++) complete(self, self->numbers[i]);
  /* Also when it was interrupted: what has come is kept. */
  bool stopped =
      ee_provider_session_is_async(self->session) && self->session->vtable->ask(self->session, &stop) != EE_OK;
  ee_status status = EE_OK;
  for (size_t i = 0; i < self->count && status == EE_OK; i++) status = take_answer(self, self->numbers[i], stopped);
  ee_bench_work_progress(self->work); /* not with each: the first would say that hardly any are done */
  ee_provider_session_end(self->session);
  return status;
}

static ee_status ask_trial(asking *self) {
  const ee_bench_work *work = self->work;
  ee_status status = EE_OK;
  size_t next = 0;
  while (next < work->set->count && status == EE_OK && !ee_flag_is_set(work->interrupted)) {
    self->count = 0;
    for (; next < work->set->count && self->count < BLOCK; next++)
      if (ee_bench_journal_find(work->journal, next, self->trial).data == NULL) self->numbers[self->count++] = next;
    if (self->count > 0) status = ask_block(self);
  }
  return status;
}

ee_status ee_bench_work_ask(ee_bench_work *work, ee_provider *provider, ee_error *error) {
  ee_provider_session *session = provider->vtable->open(provider, error);
  if (session == NULL) return EE_ERROR_SYSTEM;
  asking *self = ee_calloc(1, sizeof *self);
  *self = (asking){.work = work, .session = session, .error = error};
  ee_arena_init(&self->arena, 0);
  ee_status status = EE_OK;
  for (; self->trial < work->trials && status == EE_OK; self->trial++) status = ask_trial(self);
  provider->vtable->close(session);
  ee_buffer_fini(&self->prompt);
  ee_buffer_fini(&self->text);
  ee_arena_fini(&self->arena);
  free(self);
  return status;
}
