/* worker.h: judging one block of records after the other, and keeping what came of each until it is committed.
 *
 * A worker belongs to one thread. */
#ifndef EE_RUN_WORKER_H
#define EE_RUN_WORKER_H

#include <stdatomic.h>

#include "judge/open_plan.h"
#include "run/id_set.h"
#include "run/run.h"

/* What a worker keeps of its memory from case to case. */
#define EE_WORKER_ARENA_KEPT ((size_t)4 << 20)

typedef enum ee_entry_kind {
  EE_ENTRY_UNSPLIT,    /* an error of the block: a record that could not be split off */
  EE_ENTRY_UNLISTED,   /* records that could not be split off and are only counted */
  EE_ENTRY_UNREADABLE, /* a record in error */
  EE_ENTRY_FILTERED,   /* not selected, or no judge judges it */
  EE_ENTRY_SCORED,     /* judged */
  EE_ENTRY_DUPLICATE   /* judged first, then dropped at the commit: its id was there before */
} ee_entry_kind;

/* What came of one record of the block. */
typedef struct ee_entry {
  ee_entry_kind kind;
  bool unnamed;    /* the record has no id; the one made of its line is not compared with others */
  bool rule_error; /* a rule raised an error, or the provider gave no answer */
  size_t number;   /* in the block's records, or of an UNSPLIT one in its errors; of an UNTOLD one how many */
  size_t id;       /* offset in `ids` */
  size_t id_length;
  uint64_t id_hash;
  ee_id_place first; /* of a DUPLICATE */
} ee_entry;

/* Something to be reported at the commit. */
typedef struct ee_notice {
  ee_status status; /* EE_OK: a warning */
  size_t file;      /* offset in `texts`; SIZE_MAX: the block's file */
  size_t message;   /* offset in `texts` */
  size_t line, column;
} ee_notice;

typedef struct ee_worker {
  const ee_plan *plan;
  const ee_run_options *options;
  ee_arena arena; /* of the case */
  ee_open_plan opened;
  ee_block block;
  size_t first, last; /* the records of the block that are under way */
  size_t next_error;  /* of the block's errors: the first one not told */
  size_t *open;       /* records with questions that have no answer yet; worker_requests.c */
  size_t open_capacity;
  ee_entry *entries; /* in the order of the file */
  size_t entry_count, entry_capacity;
  ee_buffer ids;
  ee_notice *notices; /* in the order in which they are reported */
  size_t notice_count, notice_capacity;
  ee_buffer texts;
  size_t rule_notices, provider_notices;
  ee_error_list rule_errors; /* of the current case */
  ee_buffer rows;
  ee_totals totals; /* of the block */
  ee_run_timings timings;
} ee_worker;

/* At most this many errors of rules are told one by one in a run, and as many missing answers; all are counted. */
#define EE_RULE_ERRORS_LISTED 1000

/* Opens the plan: the worker's script, asker and what judges keep; fails with their error. ee_worker_fini() in either
 * case. */
ee_status ee_worker_init(ee_worker *worker, const ee_plan *plan, const ee_run_options *options, ee_error *error);
void ee_worker_fini(ee_worker *worker);

/* Begins with a block that was read: takes its first `most` records (SIZE_MAX: all). */
void ee_worker_start(ee_worker *worker, size_t most);
/* Takes the next `most` records of the block; false when there are none left. */
bool ee_worker_go_on(ee_worker *worker, size_t most);

/* Has the provider asked what judging the records under way needs to know, so that judging them waits for nothing:
 * judges them without keeping anything, sends the questions side by side, and does so again until no new one comes up.
 * Takes the provider's turn `turn` and hands it on, in any case. `*unwanted`: what comes of the block will be dropped;
 * nothing more is sent then, and what is under way is not waited for. False when it was stopped by that or by an
 * interrupt: the block must be dropped. Does nothing where no answer is ever open. */
bool ee_worker_send_requests(ee_worker *worker, uint64_t ticket, const atomic_bool *unwanted);

/* Judges the records under way: fills entries, notices, rows and totals. False when an interrupt cut short the programs
 * that judges wait for: the block must be dropped. */
bool ee_worker_judge(ee_worker *worker);

/* The same for the first `count` entries only, without those that have become duplicates. */
bool ee_worker_judge_again(ee_worker *worker, size_t count);

/* The id of an entry; it lives until the next block. */
ee_str ee_worker_id(const ee_worker *worker, const ee_entry *entry);

/* Fills `error` with a notice. */
void ee_worker_notice(const ee_worker *worker, size_t number, ee_error *error);

/* Lets go of what an unusually large block left behind. */
void ee_worker_trim(ee_worker *worker);

/* Nanoseconds of a clock that only runs forward. */
uint64_t ee_worker_now(void);

#endif
