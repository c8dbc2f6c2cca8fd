/* run.c: workers claim blocks, judge them concurrently and commit them one after the other.
 *
 * Two locks: `reading` for the data set, `turns` for the turn to commit. Only the worker whose turn it is uses ids,
 * result and counters; they need no lock, since the turn is passed on under one. At most one block per worker is in
 * memory. */
#include "run/run.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/runtime.h"
#include "run/worker.h"

#define MAX_JOBS 1024
/* Up to this --limit, blocks hold one record each. */
#define SMALL_LIMIT 1000
/* Bytes of a block (at least one record) if judges run programs: even a few records are shared among all workers. */
#define WAITING_BLOCK 256

typedef struct run_state {
  const ee_plan *plan;
  ee_dataset *dataset;
  const ee_run_options *options;
  bool absent; /* `dataset` has the ids of expected values without a record */

  pthread_mutex_t reading;
  atomic_bool stopping; /* no block is claimed any more */
  atomic_bool ended;    /* blocks after the one where the run ended are dropped */

  pthread_mutex_t turns;
  pthread_cond_t turn_changed;
  uint64_t ticket;  /* the ticket that may be committed */
  ee_status status; /* the first failure */
  ee_error error;
  bool interrupted;
  ee_run_timings timings;

  /* Used by the worker whose turn it is: */
  ee_run_result *result;
  ee_id_set *ids, own_ids;
  uint64_t scored;
  size_t rule_errors_listed, failures_listed;
} run_state;

/* Ends the run with an error; the first one is kept. */
static void fail(run_state *run, ee_status status, const ee_error *error) {
  pthread_mutex_lock(&run->turns);
  if (run->status == EE_OK) {
    run->status = status;
    run->error = *error;
  }
  pthread_mutex_unlock(&run->turns);
  atomic_store(&run->stopping, true);
}

static bool is_interrupted(const run_state *run) { return ee_flag_is_set(run->options->interrupted); }

static void note_interrupt(run_state *run) {
  pthread_mutex_lock(&run->turns);
  run->interrupted = true;
  pthread_mutex_unlock(&run->turns);
}

/* Claims the next block for `worker`; false at the end of the data and when the run is stopping. */
static bool claim(run_state *run, ee_worker *worker) {
  if (is_interrupted(run)) {
    note_interrupt(run);
    return false;
  }
  bool done = true;
  ee_status status = EE_OK;
  ee_error error;
  uint64_t since = run->options->timings ? ee_worker_now() : 0;
  pthread_mutex_lock(&run->reading);
  if (!atomic_load(&run->stopping)) {
    status = ee_dataset_next(run->dataset, &worker->block, &done, &error);
    if (status != EE_OK || done) atomic_store(&run->stopping, true);
    if (status == EE_OK && done && is_interrupted(run)) note_interrupt(run);
  }
  pthread_mutex_unlock(&run->reading);
  if (run->options->timings) worker->timings.read_ns += ee_worker_now() - since;
  if (status != EE_OK) fail(run, status, &error);
  return status == EE_OK && !done;
}

/* Committing ----------------------------------------------------------------------------------- */

/* Adds the entry's id. If it has occurred before, the entry becomes a duplicate; true then. The candidates of a record
 * share the fate of the first one. */
static bool add_id(run_state *run, const ee_worker *worker, ee_entry *entry) {
  if (entry->unnamed) return false;
  if (entry->trial > 1) {
    entry->kind = entry[-1].kind;
    return entry->kind == EE_ENTRY_DUPLICATE;
  }
  ee_str id = ee_worker_id(worker, entry);
  ee_id_place place = {worker->block.file, worker->block.records[entry->number].line};
  const ee_id_hashes *except = run->options->except;
  if (except != NULL && ee_id_hashes_has(except, entry->id_hash)) {
    entry->kind = EE_ENTRY_DUPLICATE;
    entry->first = (ee_id_place){NULL, 0};
    return true;
  }
  if (ee_id_set_add(run->ids, id, entry->id_hash, place, &entry->first)) return false;
  entry->first.line = ee_dataset_line(run->dataset, entry->first.file, entry->first.line);
  entry->kind = EE_ENTRY_DUPLICATE;
  return true;
}

/* Gives a case that counts to what collects results; true when functions raised errors. */
static bool collect(run_state *run, const ee_worker *worker, const ee_entry *entry) {
  const ee_run_hooks *hooks = &run->options->hooks;
  if (hooks->collect == NULL || atomic_load(&run->ended)) return false;
  uint64_t errors = 0;
  ee_error error = {0};
  ee_status status = hooks->collect(hooks->user, ee_worker_collected(worker, entry), &errors, &error);
  run->result->totals.rule_errors += errors;
  run->result->totals.cases_with_rule_errors += errors > 0 && !entry->rule_error;
  if (status != EE_OK) {
    atomic_store(&run->ended, true);
    fail(run, status, &error);
  }
  return errors > 0;
}

/* Decides record by record what the block contributes. Returns the number of entries up to the end of the run, or all;
 * `*again`: the block must be judged again without duplicates and without the entries after these. */
static size_t decide(run_state *run, ee_worker *worker, bool *again) {
  const ee_run_options *options = run->options;
  *again = false;
  for (size_t i = 0; i < worker->entries.count; i++) {
    ee_entry *entry = &worker->entries.items[i];
    bool in_error =
        entry->kind == EE_ENTRY_UNSPLIT || entry->kind == EE_ENTRY_UNLISTED || entry->kind == EE_ENTRY_UNREADABLE;
    if (entry->kind == EE_ENTRY_SCORED) {
      if (add_id(run, worker, entry)) {
        in_error = *again = true;
      } else {
        in_error = collect(run, worker, entry) || entry->rule_error || entry->no_reply;
        run->scored++;
      }
    }
    bool strict_end = options->strict && in_error;
    if (!strict_end && (options->limit == 0 || run->scored < options->limit)) continue;
    atomic_store(&run->ended, true);
    run->result->stopped = strict_end;
    if (i + 1 < worker->entries.count) *again = true;
    return i + 1;
  }
  return worker->entries.count;
}

static void report(run_state *run, const ee_worker *worker) {
  const ee_run_hooks *hooks = &run->options->hooks;
  for (size_t i = 0; i < worker->notices.count; i++) {
    ee_error error;
    ee_worker_notice(worker, i, &error);
    if (error.status == EE_ERROR_RULES && ++run->rule_errors_listed > EE_RULE_ERRORS_LISTED) continue;
    if (error.status == EE_ERROR_PROVIDER && ++run->failures_listed > EE_RULE_ERRORS_LISTED) continue;
    if (hooks->report != NULL) hooks->report(hooks->user, &error);
  }
}

/* Names the failed cases among the first `count` entries. */
static void name_failed(run_state *run, const ee_worker *worker, size_t count) {
  const ee_run_hooks *hooks = &run->options->hooks;
  for (size_t i = 0; i < count && hooks->failed != NULL; i++) {
    const ee_entry *entry = &worker->entries.items[i];
    if (entry->kind != EE_ENTRY_SCORED || !entry->failed) continue;
    uint64_t line = ee_block_line(&worker->block, worker->block.records[entry->number].line);
    hooks->failed(hooks->user, ee_worker_id(worker, entry), worker->block.file, line);
  }
}

static ee_status write_rows(run_state *run, ee_worker *worker, ee_error *error) {
  const ee_run_hooks *hooks = &run->options->hooks;
  if (hooks->write == NULL || worker->rows.length == 0) return EE_OK;
  uint64_t since = run->options->timings ? ee_worker_now() : 0;
  ee_status status = hooks->write(hooks->user, worker->rows.data, worker->rows.length, error);
  if (run->options->timings) worker->timings.write_ns += ee_worker_now() - since;
  return status;
}

/* A block that was interrupted while it waited for replies or programs is dropped: the run ends before it. */
static void end_interrupted(run_state *run) {
  atomic_store(&run->ended, true);
  atomic_store(&run->stopping, true);
  note_interrupt(run);
}

static void commit_in_turn(run_state *run, ee_worker *worker) {
  bool again;
  size_t count = decide(run, worker, &again);
  if (again && !ee_worker_judge_again(worker, count)) {
    end_interrupted(run);
    return;
  }
  if (atomic_load(&run->ended)) atomic_store(&run->stopping, true);
  report(run, worker);
  name_failed(run, worker, count);
  ee_error error = {0};
  ee_status status = write_rows(run, worker, &error);
  if (status != EE_OK) {
    atomic_store(&run->ended, true);
    fail(run, status, &error);
    return;
  }
  ee_totals_merge(&run->result->totals, &worker->totals);
  const ee_run_hooks *hooks = &run->options->hooks;
  if (hooks->progress == NULL) return;
  uint64_t taken, total;
  ee_dataset_progress(run->dataset, &taken, &total);
  hooks->progress(hooks->user, &run->result->totals, taken, total);
}

static void wait_for_turn(run_state *run, const ee_worker *worker) {
  pthread_mutex_lock(&run->turns);
  while (run->ticket != worker->block.ticket) pthread_cond_wait(&run->turn_changed, &run->turns);
  pthread_mutex_unlock(&run->turns);
}

static void pass_turn_on(run_state *run) {
  pthread_mutex_lock(&run->turns);
  run->ticket++;
  pthread_cond_broadcast(&run->turn_changed);
  pthread_mutex_unlock(&run->turns);
}

/* One block, from its requests to its commit. */
static void do_block(run_state *run, ee_worker *worker) {
  ee_worker_start(worker, SIZE_MAX);
  bool complete = ee_worker_send_requests(worker, worker->block.ticket, &run->ended);
  if (complete && !atomic_load(&run->ended)) complete = ee_worker_judge(worker);
  wait_for_turn(run, worker);
  if (!atomic_load(&run->ended)) {
    if (complete) {
      commit_in_turn(run, worker);
    } else {
      end_interrupted(run);
    }
  }
  pass_turn_on(run);
}

/* The same for the only worker of a run with a provider and a limit, which must not send requests beyond the limit: it
 * takes no more records at a time than may still count. */
static void do_block_in_parts(run_state *run, ee_worker *worker) {
  uint64_t limit = run->options->limit;
  ee_worker_start(worker, (size_t)(limit - run->scored));
  do {
    if (!ee_worker_send_requests(worker, EE_NO_TICKET, &run->ended) || !ee_worker_judge(worker)) {
      end_interrupted(run);
      break;
    }
    commit_in_turn(run, worker);
  } while (!atomic_load(&run->ended) && ee_worker_go_on(worker, (size_t)(limit - run->scored)));
  pass_turn_on(run);
}

/* Workers -------------------------------------------------------------------------------------- */

static void add_timings(run_state *run, const ee_run_timings *timings) {
  pthread_mutex_lock(&run->turns);
  run->timings.read_ns += timings->read_ns;
  run->timings.ask_ns += timings->ask_ns;
  run->timings.judge_ns += timings->judge_ns;
  run->timings.write_ns += timings->write_ns;
  pthread_mutex_unlock(&run->turns);
}

static void *work(void *argument) {
  run_state *run = argument;
  locale_t before = ee_locale_enter();
  ee_worker worker;
  ee_error error = {0};
  ee_status status = ee_worker_init(&worker, run->plan, run->options, &error);
  worker.absent = run->absent;
  if (status != EE_OK) fail(run, status, &error);
  bool in_parts = run->options->limit > 0 && ee_provider_session_is_async(worker.opened.session);
  while (status == EE_OK && claim(run, &worker)) {
    if (in_parts) {
      do_block_in_parts(run, &worker);
    } else {
      do_block(run, &worker);
    }
    ee_worker_trim(&worker);
  }
  add_timings(run, &worker.timings);
  ee_worker_fini(&worker);
  ee_locale_leave(before);
  return NULL;
}

/* The calling thread is one of the workers. If the system refuses threads, fewer workers do the work. */
static void work_together(run_state *run, unsigned jobs) {
  pthread_t *threads = ee_calloc(jobs, sizeof *threads);
  unsigned started = 0;
  while (started + 1 < jobs && pthread_create(&threads[started], NULL, work, run) == 0) started++;
  work(run);
  for (unsigned i = 0; i < started; i++) pthread_join(threads[i], NULL);
  ee_free(threads);
}

/* Expected values without a record ------------------------------------------------------------- */

typedef struct absent_ids {
  const ee_expected_set *set;
  size_t at;
} absent_ids;

static bool make_absent(void *user, ee_buffer *text) {
  absent_ids *ids = user;
  return ee_expected_set_next_unused(ids->set, &ids->at, text);
}

/* Sizes of blocks. A small limit is for trying something out: blocks of one record, so that none beyond it is judged.
 */
static void set_sizes(ee_dataset *dataset, const run_state *run, bool has_requests) {
  uint64_t limit = run->options->limit;
  if (limit > 0 && limit <= SMALL_LIMIT && !has_requests) {
    ee_dataset_set_sizes(dataset, 1, 0);
  } else if (run->plan->runs_programs && !has_requests) {
    ee_dataset_set_sizes(dataset, WAITING_BLOCK, 0);
  }
}

/* Judges the expected values without a record, unless the run has ended or could read no record at all: then most
 * likely the ids do not fit. */
static void judge_absent(run_state *run, const char *name, unsigned jobs, bool has_requests) {
  const ee_totals *totals = &run->result->totals;
  bool any_read = run->options->only_absent || totals->scored + totals->filtered + totals->unjudged > 0;
  if (!any_read || run->status != EE_OK || run->interrupted || atomic_load(&run->ended)) return;
  absent_ids ids = {run->options->expected, 0};
  ee_arena arena;
  ee_arena_init(&arena, 0);
  const ee_str *ignored;
  size_t count = ee_expected_set_unused(ids.set, 0, &arena, &ignored);
  ee_arena_fini(&arena);
  if (count == 0) return;
  run->dataset = ee_dataset_open_made(name, count, make_absent, &ids);
  run->absent = true;
  set_sizes(run->dataset, run, has_requests);
  ee_dataset_set_first_ticket(run->dataset, run->ticket);
  ee_dataset_set_interrupt(run->dataset, run->options->interrupted);
  atomic_store(&run->stopping, false);
  work_together(run, jobs);
  ee_dataset_close(run->dataset);
}

ee_status ee_run(const ee_plan *plan, ee_dataset *dataset, const ee_run_options *options, ee_run_result *result,
                 ee_error *error) {
  *result = (ee_run_result){0};
  ee_totals_init(&result->totals, plan);
  run_state run = {.plan = plan, .dataset = dataset, .options = options, .result = result};
  /* With a provider that replies later, many records must be sent at a time, but none beyond the limit, since requests
   * may cost money: one worker does it, since its requests are concurrent anyway. */
  bool has_requests = plan->needs_provider && options->provider != NULL && ee_provider_is_async(options->provider);
  pthread_mutex_init(&run.reading, NULL);
  pthread_mutex_init(&run.turns, NULL);
  pthread_cond_init(&run.turn_changed, NULL);
  atomic_init(&run.stopping, false);
  atomic_init(&run.ended, false);
  ee_id_set_init(&run.own_ids);
  run.ids = options->ids != NULL ? options->ids : &run.own_ids;
  uint64_t since = ee_worker_now();

  unsigned jobs = options->jobs > 0 ? options->jobs : ee_processor_count();
  if (options->limit > 0 && has_requests) jobs = 1;
  if (jobs > MAX_JOBS) jobs = MAX_JOBS;
  if (!options->only_absent) {
    set_sizes(dataset, &run, has_requests);
    ee_dataset_set_interrupt(dataset, options->interrupted);
    if (jobs > 1 && options->limit == 0) ee_dataset_set_threads(dataset, jobs);
    work_together(&run, jobs);
    ee_dataset_set_interrupt(dataset, NULL);
  }
  if (options->judge_absent && options->expected != NULL)
    judge_absent(&run, ee_expected_set_file(options->expected), jobs, has_requests);

  if (!options->part) ee_totals_finish(&result->totals);
  run.timings.wall_ns = ee_worker_now() - since;
  result->timings = run.timings;
  result->interrupted = run.interrupted;
  result->data_errors = result->totals.unreadable + result->totals.duplicates;
  ee_id_set_fini(&run.own_ids);
  pthread_cond_destroy(&run.turn_changed);
  pthread_mutex_destroy(&run.turns);
  pthread_mutex_destroy(&run.reading);
  if (run.status != EE_OK && error != NULL) *error = run.error;
  return run.status;
}
