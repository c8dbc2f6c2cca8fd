/* request_log.h: what became of each question of a run, for the line that sums it up.
 *
 * Questions are told apart by their hashes, at 16 bytes each: two in 2^64
 * that share one are counted as one, which changes a figure and no answer. */
#ifndef EE_PROVIDER_REQUEST_LOG_H
#define EE_PROVIDER_REQUEST_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

typedef enum ee_request_fate {
  EE_FATE_NONE,     /* was not asked yet */
  EE_FATE_KNOWN,    /* has its answer, from the cache or from the server */
  EE_FATE_FAILED,   /* was sent, and there was no answer of use */
  EE_FATE_NOT_SENT, /* no request was made any more */
  EE_FATE_OFFLINE,  /* no request may be made */
  EE_FATES
} ee_request_fate;

typedef struct ee_request_log {
  struct ee_request_log_slot {
    uint64_t hash;
    ee_request_fate fate;  /* NONE: free */
  } * slots;               /* open addressing, at most half full */
  size_t capacity;         /* a power of two, or 0 */
  size_t counts[EE_FATES]; /* questions of each fate; NONE is not counted */
  /* Counted by who asks: */
  uint64_t sent;     /* questions of requests that were sent; one that is asked again counts again */
  uint64_t cached;   /* questions that the cache answered from before the run */
  uint64_t known;    /* answered once more in this run */
  uint64_t failed;   /* requests that were sent and given up */
  uint64_t unusable; /* answers of no use */
} ee_request_log;

void ee_request_log_init(ee_request_log *log);
void ee_request_log_fini(ee_request_log *log);
/* Notes the fate of the question with that hash, which is not NONE; returns the one that it had. The last one counts.
 */
ee_request_fate ee_request_log_note(ee_request_log *log, uint64_t hash, ee_request_fate fate);

/* True when no question was asked. */
bool ee_request_log_is_empty(const ee_request_log *log);
/* Appends "98 requests for 6194 texts, 0 texts from the cache, 3003 known from this run, 2 retries; 112 texts without
 * an answer (1 request failed, 48 not sent)". `one` is what a question is called; "s" makes it many. */
void ee_request_log_print(const ee_request_log *log, uint64_t requests, uint64_t retries, const char *one,
                          bool has_cache, ee_buffer *out);

#endif
