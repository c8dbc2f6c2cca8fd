/* worker_requests.c: asking for a block of records at once what judging them will need to know.
 *
 * Judging finds out what to ask: a judge that meets an open answer goes on as if nothing matched, or stops. So the
 * records are judged for nothing but their questions, these fly together, and the records that had some are judged
 * again: what they ask next may depend on the answers. */
#include <stdlib.h>

#include "base/memory.h"
#include "data/json/json_reader.h"
#include "run/worker.h"

/* Judges one record for its questions; whether it has any that are open. */
static bool has_questions(ee_worker *worker, size_t number) {
  const ee_record_span *span = &worker->block.records[number];
  ee_str text = {worker->block.text.data + span->offset, span->length};
  ee_error ignored;
  ee_case current;
  /* What is wrong with a record is told when it is judged in earnest. */
  const ee_value *record = ee_json_read(&worker->arena, text, NULL, &ignored);
  bool readable =
      record != NULL && ee_expected_set_read(worker->options->expected, record, &worker->plan->paths,
                                             (size_t)span->line, &worker->arena, &current, &ignored) == EE_OK;
  const char *only = worker->options->only;
  uint64_t open = 0;
  if (readable && (only == NULL || ee_glob_match(only, current.id))) {
    ee_context context = ee_open_plan_context(&worker->opened, &worker->arena);
    context.dry_run = true;
    ee_case_result result;
    ee_plan_judge(worker->plan, &context, &current, &result);
    open = context.pending_answers;
  }
  ee_arena_reset(&worker->arena, EE_WORKER_ARENA_KEPT);
  return open > 0;
}

/* Lists the records under way. */
static size_t list_records(ee_worker *worker) {
  size_t count = worker->last - worker->first;
  if (count > worker->open_capacity) {
    worker->open_capacity = count;
    worker->open = ee_realloc(worker->open, count, sizeof *worker->open);
  }
  for (size_t i = 0; i < count; i++) worker->open[i] = worker->first + i;
  return count;
}

/* Asks until nothing is open; false when stopped. */
static bool ask_all(ee_worker *worker, const atomic_bool *unwanted) {
  const ee_stop stop = {worker->options->interrupted, unwanted};
  ee_provider_session *session = worker->opened.session;
  size_t count = list_records(worker);
  for (unsigned round = 0; round <= EE_PROVIDER_ROUNDS; round++) {
    size_t left = 0;
    for (size_t i = 0; i < count && !atomic_load(unwanted); i++) {
      if (has_questions(worker, worker->open[i])) worker->open[left++] = worker->open[i];
    }
    count = left;
    if (count == 0 || atomic_load(unwanted)) return true;
    uint64_t since = worker->options->timings ? ee_worker_now() : 0;
    ee_status status = session->vtable->ask(session, &stop);
    if (worker->options->timings) worker->timings.ask_ns += ee_worker_now() - since;
    if (status != EE_OK) return false;
  }
  return true;
}

bool ee_worker_send_requests(ee_worker *worker, uint64_t ticket, const atomic_bool *unwanted) {
  ee_provider_session *session = worker->opened.session;
  if (!ee_provider_session_is_async(session)) return true;
  uint64_t since = worker->options->timings ? ee_worker_now() : 0, asked_before = worker->timings.ask_ns;
  ee_provider_session_begin(session, ticket);
  bool good = atomic_load(unwanted) || ask_all(worker, unwanted);
  ee_provider_session_end(session);
  uint64_t asked = worker->timings.ask_ns - asked_before;
  if (worker->options->timings) worker->timings.judge_ns += ee_worker_now() - since - asked;
  return good;
}
