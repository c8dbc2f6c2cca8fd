/* worker.h: judges one block of records after the other and keeps the results of each until it is committed.
 *
 * A worker belongs to one thread. */
#ifndef EE_RUN_WORKER_H
#define EE_RUN_WORKER_H

#include <stdatomic.h>

#include "base/list.h"
#include "data/json/known_keys.h"
#include "judge/case.h"
#include "judge/plan.h"
#include "run/id_set.h"
#include "run/run.h"

typedef enum ee_entry_kind {
  EE_ENTRY_UNSPLIT,    /* an error of the block: a record that could not be split off */
  EE_ENTRY_UNLISTED,   /* records that could not be split off and are only counted */
  EE_ENTRY_UNREADABLE, /* a record in error */
  EE_ENTRY_FILTERED,   /* excluded by --only or --where, or without a judge */
  EE_ENTRY_PASSED,     /* judged before the run was resumed: only its id counts */
  EE_ENTRY_SCORED,     /* judged */
  EE_ENTRY_DUPLICATE   /* judged, then dropped at the commit because of its id */
} ee_entry_kind;

/* The outcome of one record of the block. */
typedef struct ee_entry {
  ee_entry_kind kind;
  bool unnamed;                  /* the record has no id; the one made from its line is not checked for duplicates */
  bool failed;                   /* its verdict is fail */
  bool rule_error;               /* a rule raised an error */
  bool given_up;                 /* a value, judge or function was given up */
  bool no_reply;                 /* of the provider, for some value */
  size_t number;                 /* UNSPLIT: index of the error; UNLISTED: how many records; else index of the record */
  size_t trial;                  /* of a record with several candidates: which one, from 1; else 0 */
  size_t id;                     /* offset in `ids` */
  size_t id_length, base_length; /* of the id, and of the id without its trial */
  uint64_t id_hash;
  size_t collected, collected_length; /* of the row in `collected` */
  ee_id_place first;                  /* of a DUPLICATE; file NULL: an earlier part */
} ee_entry;

/* An error or warning to be reported at the commit. */
typedef struct ee_notice {
  ee_status status; /* EE_OK: a warning */
  size_t file;      /* offset in `texts`; SIZE_MAX: the block's file */
  size_t message;   /* offset in `texts` */
  size_t line, column;
  bool once; /* a run reports this text once */
} ee_notice;

typedef struct ee_worker {
  const ee_plan *plan;
  const ee_run_options *options;
  bool absent;        /* the records are ids of expected values without a record */
  bool counts_only;   /* there are no rows */
  bool takes_boxes;   /* records may be had as boxes: there are no rows, and nothing else looks into cases */
  bool cut;           /* an interrupt ended the judging of the current records */
  ee_arena arena;     /* of the case */
  ee_arena sources;   /* of the documents of the record */
  ee_known_keys keys; /* of the records */
  ee_open_plan opened;
  ee_block block;
  uint64_t records_before, errors_before; /* the block, in the run (ee_run_place) */
  size_t first, last;                     /* the current records of the block */
  size_t errors_taken;                    /* of the block: those before the current records and among them */
  size_t next_error;                      /* the first error of the block that has no notice yet */
  struct {
    EE_LIST(size_t);
  } pending; /* records with pending requests */
  struct {
    EE_LIST(ee_entry);
  } entries; /* in the order of the file */
  struct {
    EE_LIST(ee_notice);
  } notices; /* in the order of reporting */
  ee_buffer ids;
  ee_buffer texts;
  size_t rule_notices, provider_notices;
  ee_error_list rule_errors, warnings; /* of the current case */
  ee_buffer rows;
  ee_buffer collected; /* rows for hooks.collect */
  ee_totals totals;    /* of the block */
  ee_run_timings timings;
  uint64_t took_ns; /* judging the last block; 0: not measured */
} ee_worker;

/* What a worker has of a block that it has judged and that is not committed: members of ee_worker under their names. */
typedef struct ee_judged_block {
  ee_block block;
  uint64_t records_before, errors_before;
  size_t first, last, errors_taken, next_error;
  struct {
    EE_LIST(ee_entry);
  } entries;
  struct {
    EE_LIST(ee_notice);
  } notices;
  ee_buffer ids, texts, rows, collected;
  ee_totals totals;
} ee_judged_block;

/* Errors of rules that a run lists, and missing replies that it lists; all are counted. */
#define EE_RULE_ERRORS_LISTED 1000

void ee_worker_init(ee_worker *worker, const ee_plan *plan, const ee_run_options *options);
void ee_worker_fini(ee_worker *worker);

/* Opens the plan, unless that was done: the worker's script, provider session and judges; fails with their error. That
 * costs more than judging some cases, so it waits for the worker's first block. */
ee_status ee_worker_open(ee_worker *worker, ee_error *error);

/* Starts a block that has been read: its first `max` records are current (SIZE_MAX: all). */
void ee_worker_start(ee_worker *worker, size_t max);
/* Records at the block's beginning that were judged before the run was resumed. */
size_t ee_worker_passed(const ee_worker *worker);
/* Makes the next `max` records of the block current; false when none are left. */
bool ee_worker_go_on(ee_worker *worker, size_t max);

/* Sends the requests to the provider that judging the current records needs, so that judging them does not wait. Takes
 * the provider's turn `ticket` and passes it on in any case. When `*dropped` becomes true, because the block will be
 * dropped, nothing more is sent and pending replies are not waited for. False when stopped by that or by an interrupt:
 * the block must be dropped. Does nothing for providers that reply at once. */
bool ee_worker_send_requests(ee_worker *worker, uint64_t ticket, const atomic_bool *dropped);

/* Judges the current records: fills entries, notices, rows and totals. False when an interrupt ended it: then it has
 * those of the records before, which are the current
 * ones then. */
bool ee_worker_judge(ee_worker *worker);

/* The same for the first `count` entries only, without duplicates. False: it has nothing. */
bool ee_worker_judge_again(ee_worker *worker, size_t count);

/* A judged block that holds nothing, for ee_worker_swap(). */
void ee_judged_block_init(ee_judged_block *aside, const ee_plan *plan);
void ee_judged_block_fini(ee_judged_block *aside);
/* Puts what the worker has of its block aside, and takes what was there: it is then as it was when that was judged. */
void ee_worker_swap(ee_worker *worker, ee_judged_block *aside);

/* The id of an entry; valid until the next block. */
ee_str ee_worker_id(const ee_worker *worker, const ee_entry *entry);

/* The row of a scored entry for hooks.collect; valid until the next block. */
ee_str ee_worker_collected(const ee_worker *worker, const ee_entry *entry);

/* Fills `error` with a notice. */
void ee_worker_notice(const ee_worker *worker, size_t number, ee_error *error);

/* Frees memory that only an unusually large block needed. */
void ee_worker_trim(ee_worker *worker);

/* Nanoseconds of a monotonic clock. */
uint64_t ee_worker_now(void);

#endif
