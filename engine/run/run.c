/* run.c: workers claim blocks, judge them concurrently and commit them one after the other.
 *
 * Two locks: `reading` for the data set, `turns` for the turn to commit. Only the worker whose turn it is uses ids,
 * result and counters; they need no lock, since the turn is passed on under one. A worker whose turn has not come puts
 * its block aside and goes on with the next one: so it need not wait while another worker has a block that takes long,
 * or while the system lets another program run in its place. At most one block per worker, and ASIDE_LIMIT more if
 * there are several workers, are in memory. */
#include "run/run.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/memory.h"
#include "base/recovery.h"
#include "base/running_hash.h"
#include "base/runtime.h"
#include "base/work.h"
#include "data/files/given_source.h"
#include "run/worker.h"

#define MAX_JOBS 1024
/* Blocks that a worker has judged and not committed, besides the one that it judges. */
#define ASIDE_LIMIT 4
/* How long judging them may have taken where the run keeps checkpoints: it loses them when it is killed. */
#define ASIDE_NS UINT64_C(20000000)
/* Up to this --limit, blocks hold one record each. */
#define SMALL_LIMIT 1000
/* Bytes of a block (at least one record) if judges run programs: even a few records are shared among all workers. */
#define WAITING_BLOCK 256
/* What a run that keeps checkpoints loses when it is killed is little more than a block of each worker: their bytes,
 * and how long judging one should take. No result depends on the size. */
#define FIRST_BLOCK ((size_t)16 << 10)
#define SMALLEST_BLOCK ((size_t)1 << 10)
#define LARGEST_BLOCK ((size_t)256 << 10)
#define SHORT_BLOCK_NS UINT64_C(50000000)
#define LONG_BLOCK_NS UINT64_C(200000000)

/* Warnings of judges about records. */
#define WARNINGS_LISTED 100
/* So many ids before its turn comes, the place of an id in the set of ids is fetched from memory. */
#define EXPECTED_IDS 8

typedef struct run_state {
  const ee_plan *plan;
  ee_dataset *dataset;
  const ee_run_options *options;
  bool absent; /* `dataset` has the ids of expected values without a record */
  /* Of the thread that called ee_run(), for all workers: */
  ee_pool *pool; /* NULL: without memory the program ends */
  ee_given_sources *sources;
  const ee_limits *limits;

  pthread_mutex_t reading;
  uint64_t records, errors; /* of the blocks that were claimed */
  bool fits_blocks;         /* the size of blocks follows the time that they take; does not change while workers run */
  size_t block_size;        /* of the next block then, under `reading` */
  bool puts_aside;          /* workers may go on before their turn; does not change while workers run */
  atomic_bool stopping;     /* no block is claimed any more */
  atomic_bool ended;        /* blocks after the one where the run ended are dropped */

  pthread_mutex_t turns;
  pthread_cond_t turn_changed;
  uint64_t ticket;    /* the ticket that may be committed */
  bool out_of_memory; /* nobody's turn comes any more */
  ee_status status;   /* the first failure */
  ee_error error;
  bool interrupted;
  ee_run_timings timings;

  /* Used by the worker whose turn it is: */
  ee_run_result *result;
  ee_id_set *ids, own_ids;
  ee_run_place place;
  ee_running_hash *hash;              /* of place.hash; NULL: nobody needs it */
  const char *file;                   /* whose name is in the hash; NULL: none so far */
  uint64_t warnings[WARNINGS_LISTED]; /* hashes of texts that are reported once */
  size_t warning_count;
  ee_totals since; /* the last checkpoint that was kept; where there are none, all is in `result` at once */
  bool collect_failed;
  uint64_t collect_errors, cases_with_collect_errors; /* of the current block */
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

/* Errors of a block as ee_run_place counts them: they tell a block from the next one even if it has nothing but the
 * note how many errors its file has. */
static uint64_t count_errors(const ee_block *block) {
  uint64_t count = block->unsplit;
  for (size_t i = 0; i < block->errors.count; i++) count += block->errors.items[i].status == EE_OK;
  return count;
}

/* Fits the size of the next blocks to the time that the last one of this worker took. */
static void fit_block_size(run_state *run, const ee_worker *worker) {
  size_t size = run->block_size;
  if (worker->took_ns > LONG_BLOCK_NS) size /= 2;
  if (worker->took_ns < SHORT_BLOCK_NS) size *= 2;
  if (size < SMALLEST_BLOCK || size > LARGEST_BLOCK || worker->took_ns == 0) return;
  run->block_size = size;
  ee_dataset_set_sizes(run->dataset, size, 0);
}

/* Remembered outside of the worker, which is gone when its memory is refused. */
static void lock_reading(run_state *run, volatile bool *reading) {
  pthread_mutex_lock(&run->reading);
  *reading = true;
}

static void unlock_reading(run_state *run, volatile bool *reading) {
  *reading = false;
  pthread_mutex_unlock(&run->reading);
}

/* Claims the next block for `worker`; false at the end of the data and when the run is stopping. */
static bool claim(run_state *run, ee_worker *worker, volatile bool *reading) {
  if (is_interrupted(run)) {
    note_interrupt(run);
    return false;
  }
  bool done = true;
  ee_status status = EE_OK;
  ee_error error;
  uint64_t since = run->options->timings ? ee_worker_now() : 0;
  lock_reading(run, reading);
  if (!atomic_load(&run->stopping)) {
    if (run->fits_blocks) fit_block_size(run, worker);
    status = ee_dataset_next(run->dataset, &worker->block, &done, &error);
    worker->records_before = run->records;
    worker->errors_before = run->errors;
    if (status != EE_OK || done) {
      atomic_store(&run->stopping, true);
    } else {
      run->records += worker->block.count;
      run->errors += count_errors(&worker->block);
    }
    if (status == EE_OK && done && is_interrupted(run)) note_interrupt(run);
  }
  unlock_reading(run, reading);
  if (run->options->timings) worker->timings.read_ns += ee_worker_now() - since;
  if (status != EE_OK) fail(run, status, &error);
  return status == EE_OK && !done;
}

/* Committing ----------------------------------------------------------------------------------- */

/* Whether what an earlier run did has been passed. */
static bool has_passed(const run_state *run) {
  const ee_run_place *from = run->options->from;
  return from == NULL || (run->place.records >= from->records && run->place.errors >= from->errors);
}

/* Adds a record, which a worker has read, to the hash of the place. */
static void hash_record(run_state *run, const ee_block *block, size_t number) {
  if (block->file != run->file) ee_running_hash_add_text(run->hash, ee_str_from(block->file));
  run->file = block->file;
  const ee_record_span *span = &block->records[number];
  ee_running_hash_add_text(run->hash, ee_block_given_id(block, span));
  ee_running_hash_add_text(run->hash, (ee_str){(const char *)&span->hash, sizeof span->hash});
}

/* Goes on to the end of the current records of `worker`. False if the data is not what it was when an earlier run
 * judged it. */
static bool advance(run_state *run, const ee_worker *worker) {
  const ee_run_place *from = run->options->from;
  ee_run_place *place = &run->place;
  place->errors = worker->errors_before + worker->errors_taken;
  for (size_t i = worker->first; i < worker->last; i++) {
    if (run->hash != NULL) hash_record(run, &worker->block, i);
    place->records = worker->records_before + i + 1;
    bool there = from != NULL && place->records == from->records;
    if (there && ee_running_hash_value(run->hash) != from->hash) return false;
  }
  if (from == NULL || place->records == from->records) return true;
  return place->records < from->records ? place->errors <= from->errors : place->errors >= from->errors;
}

/* Ends a run that cannot go on where an earlier one was. */
static void end_changed(run_state *run) {
  ee_error error;
  ee_error_set(&error, EE_ERROR_RULES, "the data has changed: its first %" PRIu64 " records are others than before",
               run->options->from->records);
  atomic_store(&run->ended, true);
  fail(run, EE_ERROR_RULES, &error);
}

static bool is_limit_reached(const run_state *run) {
  return run->options->limit > 0 && run->place.cases >= run->options->limit;
}

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

/* Adds the id of a record that was judged before the run was resumed; a duplicate was reported then. */
static void pass_id(run_state *run, const ee_worker *worker, ee_entry *entry) {
  if (add_id(run, worker, entry)) entry->kind = EE_ENTRY_PASSED;
}

/* Gives a case that counts to what collects results; true when functions raised errors. */
static bool collect(run_state *run, const ee_worker *worker, const ee_entry *entry) {
  const ee_run_hooks *hooks = &run->options->hooks;
  if (hooks->collect == NULL || atomic_load(&run->ended)) return false;
  uint64_t errors = 0;
  ee_error error = {0};
  ee_status status = hooks->collect(hooks->user, ee_worker_collected(worker, entry), &errors, &error);
  run->collect_errors += errors;
  run->cases_with_collect_errors += errors > 0 && !entry->rule_error;
  if (status != EE_OK) {
    run->collect_failed = true;
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
    if (i + EXPECTED_IDS < worker->entries.count) ee_id_set_expect(run->ids, entry[EXPECTED_IDS].id_hash);
    bool in_error =
        entry->kind == EE_ENTRY_UNSPLIT || entry->kind == EE_ENTRY_UNLISTED || entry->kind == EE_ENTRY_UNREADABLE;
    if (entry->kind == EE_ENTRY_PASSED) {
      pass_id(run, worker, entry);
      continue;
    }
    if (is_limit_reached(run)) { /* before the run was resumed */
      atomic_store(&run->ended, true);
      *again = true;
      return i;
    }
    if (entry->kind == EE_ENTRY_SCORED) {
      if (add_id(run, worker, entry)) {
        in_error = *again = true;
      } else {
        in_error = collect(run, worker, entry) || entry->rule_error || entry->given_up || entry->no_reply;
        run->place.cases++;
      }
    }
    bool strict_end = options->strict && in_error;
    if (!strict_end && !is_limit_reached(run)) continue;
    atomic_store(&run->ended, true);
    run->result->stopped = strict_end;
    if (i + 1 < worker->entries.count) *again = true;
    return i + 1;
  }
  return worker->entries.count;
}

/* Whether a text that is reported once has been; then it counts as reported. Beyond WARNINGS_LISTED all have. */
static bool is_reported(run_state *run, const char *message) {
  uint64_t hash = ee_hash_bytes(message, strlen(message), 0);
  for (size_t i = 0; i < run->warning_count; i++)
    if (run->warnings[i] == hash) return true;
  if (run->warning_count == WARNINGS_LISTED) return true;
  run->warnings[run->warning_count++] = hash;
  return false;
}

static void report(run_state *run, const ee_worker *worker) {
  const ee_run_hooks *hooks = &run->options->hooks;
  for (size_t i = 0; i < worker->notices.count; i++) {
    ee_error error;
    ee_worker_notice(worker, i, &error);
    if (worker->notices.items[i].once && is_reported(run, error.message)) continue;
    if (error.status == EE_ERROR_RULES && ++run->place.rule_errors_listed > EE_RULE_ERRORS_LISTED) continue;
    if (error.status == EE_ERROR_PROVIDER && ++run->place.failures_listed > EE_RULE_ERRORS_LISTED) continue;
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

/* The run ends here: after the cases of this block that were finished, or before it, if it was interrupted while it
 * waited for replies. */
static void end_interrupted(run_state *run) {
  atomic_store(&run->ended, true);
  atomic_store(&run->stopping, true);
  note_interrupt(run);
}

/* Adds the totals since the last checkpoint to those of the run. */
static void add_since(run_state *run) {
  ee_totals_merge(&run->result->totals, &run->since);
  ee_totals_clear(&run->since);
}

/* Offers what was committed to be written down. */
static void offer_checkpoint(run_state *run, bool last) {
  const ee_run_hooks *hooks = &run->options->hooks;
  if (hooks->checkpoint == NULL || !has_passed(run)) return;
  bool kept = false;
  ee_error error = {0};
  ee_status status = hooks->checkpoint(hooks->user, &run->place, &run->since, last, &kept, &error);
  if (kept) add_since(run);
  if (status == EE_OK) return;
  atomic_store(&run->ended, true);
  fail(run, status, &error);
}

/* What collects results may have failed: then the block counts, but is in no checkpoint. */
static void add_totals(run_state *run, const ee_worker *worker) {
  bool waits = run->options->hooks.checkpoint != NULL && !run->collect_failed;
  ee_totals *to = waits ? &run->since : &run->result->totals;
  ee_totals_merge(to, &worker->totals);
  to->rule_errors += run->collect_errors;
  to->cases_with_rule_errors += run->cases_with_collect_errors;
}

/* False if the run ends before this block. */
static bool commit_block(run_state *run, ee_worker *worker) {
  run->collect_errors = run->cases_with_collect_errors = 0;
  if (!advance(run, worker)) {
    end_changed(run);
    return false;
  }
  bool again;
  size_t count = decide(run, worker, &again);
  if (again && !ee_worker_judge_again(worker, count)) {
    end_interrupted(run);
    return false;
  }
  if (atomic_load(&run->ended)) atomic_store(&run->stopping, true);
  report(run, worker);
  name_failed(run, worker, count);
  ee_error error = {0};
  ee_status status = write_rows(run, worker, &error);
  if (status != EE_OK) {
    atomic_store(&run->ended, true);
    fail(run, status, &error);
    return false;
  }
  add_totals(run, worker);
  return !run->collect_failed;
}

static void commit_in_turn(run_state *run, ee_worker *worker) {
  const ee_run_hooks *hooks = &run->options->hooks;
  const ee_run_place before = run->place;
  if (!commit_block(run, worker)) {
    run->place = before;
    return;
  }
  if (hooks->checkpoint != NULL) {
    run->place.hash = ee_running_hash_value(run->hash);
    if (!run->result->stopped) offer_checkpoint(run, false);
  }
  if (hooks->progress == NULL) return;
  uint64_t taken, total;
  ee_dataset_progress(run->dataset, &taken, &total);
  ee_sample score = run->result->totals.all.score;
  uint64_t scored = run->result->totals.scored;
  if (hooks->checkpoint != NULL) {
    ee_sample_merge(&score, &run->since.all.score);
    scored += run->since.scored;
  }
  hooks->progress(hooks->user, scored, &score, taken, total);
}

/* False: it does not come. */
static bool wait_for_turn(run_state *run, const ee_worker *worker) {
  pthread_mutex_lock(&run->turns);
  while (run->ticket != worker->block.ticket && !run->out_of_memory) pthread_cond_wait(&run->turn_changed, &run->turns);
  bool comes = !run->out_of_memory;
  pthread_mutex_unlock(&run->turns);
  return comes;
}

static void pass_turn_on(run_state *run) {
  pthread_mutex_lock(&run->turns);
  run->ticket++;
  pthread_cond_broadcast(&run->turn_changed);
  pthread_mutex_unlock(&run->turns);
}

/* The blocks that a worker has put aside, in the order of their tickets: `count` from `first` on, in a ring. */
typedef struct shelf {
  ee_judged_block blocks[ASIDE_LIMIT];
  uint64_t took_ns[ASIDE_LIMIT]; /* to judge each; 0 where nobody needs it */
  uint64_t all_ns;               /* of those that are there */
  size_t first, count, made;     /* `made`: how many of `blocks` have been initialised */
} shelf;

static void put_aside(shelf *self, ee_worker *worker) {
  size_t at = (self->first + self->count++) % ASIDE_LIMIT;
  if (at == self->made) ee_judged_block_init(&self->blocks[self->made++], worker->plan);
  ee_worker_swap(worker, &self->blocks[at]);
  self->took_ns[at] = worker->took_ns;
  self->all_ns += worker->took_ns;
}

static void free_shelf(shelf *self) {
  for (size_t i = 0; i < self->made; i++) ee_judged_block_fini(&self->blocks[i]);
}

static bool is_turn_of(run_state *run, uint64_t ticket) {
  pthread_mutex_lock(&run->turns);
  bool is_turn = run->ticket == ticket;
  pthread_mutex_unlock(&run->turns);
  return is_turn;
}

/* Commits the first block on the shelf in its turn; false if that does not come. */
static bool commit_first(run_state *run, ee_worker *worker, shelf *self) {
  ee_judged_block *aside = &self->blocks[self->first];
  ee_worker_swap(worker, aside);
  bool comes = wait_for_turn(run, worker);
  if (comes && !atomic_load(&run->ended)) commit_in_turn(run, worker);
  if (comes) pass_turn_on(run);
  ee_worker_trim(worker);
  ee_worker_swap(worker, aside);
  self->all_ns -= self->took_ns[self->first];
  self->first = (self->first + 1) % ASIDE_LIMIT;
  self->count--;
  return comes;
}

/* Commits blocks on the shelf until at most `left` are there, and those whose turn has come; false if a turn does not
 * come. */
static bool clear_shelf(run_state *run, ee_worker *worker, shelf *self, size_t left) {
  while (self->count > 0 && (self->count > left || is_turn_of(run, self->blocks[self->first].block.ticket)))
    if (!commit_first(run, worker, self)) return false;
  return true;
}

/* One block, from its requests to its commit, or to the shelf. */
static void do_block(run_state *run, ee_worker *worker, shelf *self) {
  ee_worker_start(worker, SIZE_MAX);
  bool sent = ee_worker_send_requests(worker, worker->block.ticket, &run->ended), complete = sent;
  uint64_t since = run->options->hooks.checkpoint != NULL ? ee_worker_now() : 0;
  if (sent && !atomic_load(&run->ended)) complete = ee_worker_judge(worker);
  if (since > 0) worker->took_ns = ee_worker_now() - since;
  bool waits = !run->puts_aside || !complete || self->all_ns + worker->took_ns > ASIDE_NS;
  if (!clear_shelf(run, worker, self, waits ? 0 : ASIDE_LIMIT - 1)) return;
  if (!waits && (self->count > 0 || !is_turn_of(run, worker->block.ticket))) {
    put_aside(self, worker);
    return;
  }
  if (!wait_for_turn(run, worker)) return;
  if (sent && !atomic_load(&run->ended)) commit_in_turn(run, worker);
  if (!complete && !atomic_load(&run->ended)) end_interrupted(run);
  pass_turn_on(run);
}

/* The same for the only worker of a run with a provider and a limit, which must not send requests beyond the limit: it
 * takes no more records at a time than may still count. */
static void do_block_in_parts(run_state *run, ee_worker *worker) {
  uint64_t limit = run->options->limit;
  size_t passed = ee_worker_passed(worker);
  ee_worker_start(worker, passed > 0 ? passed : (size_t)(limit - run->place.cases));
  do {
    bool sent = ee_worker_send_requests(worker, EE_NO_TICKET, &run->ended);
    bool complete = sent && ee_worker_judge(worker);
    if (sent) commit_in_turn(run, worker);
    if (!complete && !atomic_load(&run->ended)) end_interrupted(run);
    if (is_limit_reached(run) && has_passed(run)) atomic_store(&run->ended, true);
  } while (!atomic_load(&run->ended) && ee_worker_go_on(worker, (size_t)(limit - run->place.cases)));
  if (atomic_load(&run->ended)) atomic_store(&run->stopping, true);
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

/* What a worker cannot judge ends the run in its turn: no later block is committed. */
static bool open_worker(run_state *run, ee_worker *worker) {
  ee_error error = {0};
  ee_status status = ee_worker_open(worker, &error);
  if (status == EE_OK) return true;
  fail(run, status, &error);
  if (!wait_for_turn(run, worker)) return false;
  atomic_store(&run->ended, true);
  pass_turn_on(run);
  return false;
}

/* `*reading`: whether it holds the lock of the data. */
static void work_on(run_state *run, volatile bool *reading) {
  ee_worker worker;
  shelf aside;
  aside.first = aside.count = aside.made = 0;
  aside.all_ns = 0;
  ee_worker_init(&worker, run->plan, run->options);
  worker.absent = run->absent;
  while (claim(run, &worker, reading)) {
    if (!open_worker(run, &worker)) break;
    if (run->options->limit > 0 && ee_provider_session_is_async(worker.opened.session)) {
      do_block_in_parts(run, &worker);
    } else {
      do_block(run, &worker, &aside);
    }
    ee_worker_trim(&worker);
  }
  clear_shelf(run, &worker, &aside, 0);
  free_shelf(&aside);
  add_timings(run, &worker.timings);
  ee_worker_fini(&worker);
}

/* A worker ran out of memory: all others end, too, without what they have begun. */
static void end_out_of_memory(run_state *run, bool reading) { /* unreached: memory is refused: make faults */
  atomic_store(&run->ended, true);                            /* unreached: as above */
  atomic_store(&run->stopping, true);                         /* unreached: as above */
  if (reading) pthread_mutex_unlock(&run->reading);           /* unreached: as above */
  pthread_mutex_lock(&run->turns);                            /* unreached: as above */
  run->out_of_memory = true;                                  /* unreached: as above */
  pthread_cond_broadcast(&run->turn_changed);                 /* unreached: as above */
  pthread_mutex_unlock(&run->turns);                          /* unreached: as above */
}

/* With a place to return to where the thread that called ee_run() has one, which it goes to after all workers. */
static void work_recovering(run_state *run) {
  volatile bool reading = false;
  ee_recovery recovery;
  ee_recovery_begin_helper(&recovery, run->pool);
  if (EE_RECOVERY_POINT(&recovery)) { /* unreached: memory is refused */
    ee_work_forget();                 /* unreached: memory is refused */
    end_out_of_memory(run, reading);  /* unreached: memory is refused */
  } else {
    work_on(run, &reading);
    ee_recovery_end(&recovery);
  }
}

static void work(run_state *run) {
  volatile bool reading = false;
  if (run->pool != NULL)
    work_recovering(run);
  else
    work_on(run, &reading);
}

/* Another thread. Without memory for its locale it does nothing. */
static void *work_apart(void *argument) {
  run_state *run = argument;
  locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (c_locale == (locale_t)0) return NULL; /* unreached: memory is refused */
  locale_t before = uselocale(c_locale);
  ee_given_sources_enter(run->sources);
  ee_limits_enter(run->limits);
  work(run);
  uselocale(before);
  freelocale(c_locale);
  return NULL;
}

/* The calling thread is one of the workers. If the system refuses threads, fewer workers do the work. */
static void work_together(run_state *run, unsigned jobs) {
  pthread_t *threads = ee_calloc(jobs, sizeof *threads);
  unsigned started = 0;
  if (run->pool != NULL) ee_pool_share(run->pool, true);
  while (started + 1 < jobs && pthread_create(&threads[started], NULL, work_apart, run) == 0) started++;
  work(run);
  for (unsigned i = 0; i < started; i++) pthread_join(threads[i], NULL);
  if (run->pool != NULL) ee_pool_share(run->pool, false);
  ee_free(threads);
  if (run->out_of_memory) ee_out_of_memory();
}

/* Whether workers may judge blocks before it is their turn to commit the last ones. Not where a run may end at a block
 * and later ones have been judged in vain (--limit, --strict), or at the cost of what they started; not where the next
 * block may be long in coming, because the data is a pipe, and the results of the last ones should not wait for it. */
static bool can_put_aside(const run_state *run, unsigned jobs, bool has_requests) {
  const ee_run_options *options = run->options;
  uint64_t taken, total;
  ee_dataset_progress(run->dataset, &taken, &total);
  return jobs > 1 && total > 0 && !has_requests && options->limit == 0 && !options->strict && !run->plan->runs_programs;
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
static void set_sizes(ee_dataset *dataset, run_state *run, bool has_requests) {
  uint64_t limit = run->options->limit;
  if (run->options->block_size > 0) {
    ee_dataset_set_sizes(dataset, run->options->block_size, 0);
  } else if (limit > 0 && limit <= SMALL_LIMIT && !has_requests) {
    ee_dataset_set_sizes(dataset, 1, 0);
  } else if (run->plan->runs_programs && !has_requests) {
    ee_dataset_set_sizes(dataset, WAITING_BLOCK, 0);
  } else if (run->options->hooks.checkpoint != NULL && !has_requests) {
    run->fits_blocks = true;
    run->block_size = FIRST_BLOCK;
    ee_dataset_set_sizes(dataset, FIRST_BLOCK, 0);
  }
}

static bool has_read(const ee_totals *totals) { return totals->scored + totals->filtered + totals->unjudged > 0; }

/* Judges the expected values without a record, unless the run has ended or could read no record at all: then most
 * likely the ids do not fit. */
static void judge_absent(run_state *run, const char *name, unsigned jobs, bool has_requests) {
  bool any_read = run->options->only_absent || has_read(&run->result->totals) ||
                  (run->options->hooks.checkpoint != NULL && has_read(&run->since));
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

/* Where the run begins. */
static void start_place(run_state *run) {
  const ee_run_options *options = run->options;
  if (options->from != NULL || options->hooks.checkpoint != NULL) run->hash = ee_running_hash_new();
  if (options->hooks.checkpoint != NULL) ee_totals_init(&run->since, run->plan);
  if (options->from == NULL) return;
  ee_totals_merge(&run->result->totals, options->before);
  run->place.cases = options->from->cases;
  run->place.rule_errors_listed = options->from->rule_errors_listed;
  run->place.failures_listed = options->from->failures_listed;
}

/* The last checkpoint: of a run that was interrupted nothing is lost, and of one that has ended the report can still be
 * written. --strict ends before what it would judge again. */
static void end_place(run_state *run) {
  bool whole = run->status == EE_OK && !run->interrupted && !atomic_load(&run->ended);
  if (whole && !has_passed(run)) end_changed(run);
  if (!run->result->stopped) offer_checkpoint(run, true);
  if (run->options->hooks.checkpoint != NULL) {
    add_since(run);
    ee_totals_fini(&run->since);
  }
  ee_running_hash_free(run->hash);
}

ee_status ee_run(const ee_plan *plan, ee_dataset *dataset, const ee_run_options *options, ee_run_result *result,
                 ee_error *error) {
  *result = (ee_run_result){0};
  ee_totals_init(&result->totals, plan);
  run_state run = {.plan = plan,
                   .dataset = dataset,
                   .options = options,
                   .result = result,
                   .pool = ee_pool_current(),
                   .sources = ee_given_sources_current(),
                   .limits = ee_limits_get()};
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
  start_place(&run);

  unsigned jobs = options->jobs > 0 ? options->jobs : ee_processor_count();
  if (options->limit > 0 && has_requests) jobs = 1;
  if (jobs > MAX_JOBS) jobs = MAX_JOBS;
  if (!options->only_absent) {
    set_sizes(dataset, &run, has_requests);
    run.puts_aside = can_put_aside(&run, jobs, has_requests);
    ee_dataset_set_interrupt(dataset, options->interrupted);
    /* A thread that unpacks has no place to return to without memory. */
    if (jobs > 1 && options->limit == 0 && run.pool == NULL) ee_dataset_set_threads(dataset, jobs);
    work_together(&run, jobs);
    ee_dataset_set_interrupt(dataset, NULL);
  }
  if (options->judge_absent && options->expected != NULL)
    judge_absent(&run, ee_expected_set_file(options->expected), jobs, has_requests);

  end_place(&run);
  if (options->hooks.judged != NULL) options->hooks.judged(options->hooks.user);
  /* An interrupt up to here ends the run as one before its last case does. */
  if (is_interrupted(&run)) run.interrupted = true;
  uint64_t units = run.interrupted ? EE_TOTALS_INTERRUPTED_WORK : EE_WORK_UNLIMITED;
  if (!options->part) result->unfinished = !ee_totals_finish_within(&result->totals, units);
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
