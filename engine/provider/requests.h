/* requests.h: the requests that a session has collected, with their answers, and a log of all requests of a run.
 *
 * A request is one text to embed, one pair to compare or one prompt to complete; a request over HTTP may carry many
 * texts. */
#ifndef EE_PROVIDER_REQUESTS_H
#define EE_PROVIDER_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/hash_index.h"
#include "base/list.h"
#include "judge/provider_session.h"
#include "provider/openai_json.h"

/* Requests of a session ------------------------------------------------------------------------ */

typedef enum ee_request_kind {
  EE_REQUEST_TEXT, /* the embedding of `first` */
  EE_REQUEST_PAIR, /* a chat model's similarity of `first` (expected) and `second` (candidate) */
  EE_REQUEST_CHAT  /* a chat model's completion: `first` has the messages as JSON, `second` further members */
} ee_request_kind;

typedef struct ee_provider_request {
  ee_request_kind kind;
  ee_answer_state state;
  ee_str first, second; /* these and what follows live in the set's arena */
  ee_str schema;        /* CHAT: as in ee_chat; else empty */
  uint32_t sample;      /* CHAT: as in ee_chat; else 0 */
  uint64_t hash;
  ee_str text;            /* CHAT with an answer: the completion; failed: the reason */
  double similarity;      /* PAIR with an answer: 0..1 */
  ee_embedding embedding; /* TEXT with an answer */
  double square;          /* of the embedding: the sum of its squared numbers, in order */
} ee_provider_request;

/* Requests without duplicates, in the order in which they were added. */
typedef struct ee_request_set {
  ee_arena arena;
  EE_LIST(ee_provider_request);
  size_t pending; /* requests without an answer or failure */
  ee_hash_index index;
} ee_request_set;

void ee_request_set_init(ee_request_set *set);
void ee_request_set_fini(ee_request_set *set);
/* Removes all requests and keeps some of the memory. */
void ee_request_set_clear(ee_request_set *set);

/* The index of the request with this kind and these texts. Adds it as pending, with copies of the texts, when the set
 * does not have it. `second` is empty unless `kind` is PAIR. */
size_t ee_request_set_add(ee_request_set *set, ee_request_kind kind, ee_str first, ee_str second);
/* The same of a chat. */
size_t ee_request_set_add_chat(ee_request_set *set, const ee_chat *chat);

/* Each gives a pending request its answer. The embedding and the text must live in the set's arena; `why` is copied. */
void ee_request_give_embedding(ee_request_set *set, ee_provider_request *request, ee_embedding embedding);
void ee_request_give_similarity(ee_request_set *set, ee_provider_request *request, double similarity);
void ee_request_give_text(ee_request_set *set, ee_provider_request *request, ee_str text);
void ee_request_fail(ee_request_set *set, ee_provider_request *request, ee_str why);

/* The cosine of two TEXTs that have their embeddings, with 0 for negative ones; fails where it is undefined. Computed
 * in double in the order of the numbers, so that it is the same on every machine. */
void ee_request_compare(const ee_provider_request *expected, const ee_provider_request *candidate, ee_answer *answer);

/* The log of a run ----------------------------------------------------------------------------- */

typedef enum ee_request_fate {
  EE_FATE_NONE,     /* not seen yet */
  EE_FATE_KNOWN,    /* has its answer, from the cache or from the server */
  EE_FATE_FAILED,   /* was sent, and got no usable answer */
  EE_FATE_NOT_SENT, /* given up before it was sent */
  EE_FATE_OFFLINE,  /* not sent because the run is offline */
  EE_FATES
} ee_request_fate;

/* The last fate of each request of a run, by its hash, in about 33 bytes each. Two requests of one hash (2^-64) would
 * count as one; answers are not affected. All zero is an empty log. */
typedef struct ee_request_log {
  ee_hash_index index; /* from hashes to `fates` */
  struct {
    EE_LIST(uint8_t);
  } fates;
  size_t counts[EE_FATES]; /* requests by fate; NONE is not counted */
  /* Counted by the caller: */
  uint64_t sent;     /* requests sent; one that is sent again counts again */
  uint64_t cached;   /* requests answered by the cache from before the run */
  uint64_t known;    /* requests answered again in this run */
  uint64_t failed;   /* HTTP requests that were sent and given up */
  uint64_t unusable; /* replies without a usable answer */
} ee_request_log;

void ee_request_log_fini(ee_request_log *log);
/* Sets the fate of the request with that hash, and returns its previous one. */
ee_request_fate ee_request_log_note(ee_request_log *log, uint64_t hash, ee_request_fate fate);
/* True when the log has no request. */
bool ee_request_log_is_empty(const ee_request_log *log);
/* Appends "98 requests for 6194 texts, 0 texts from the cache, 3003 known from this run, 2 retries; 112 texts without
 * an answer (1 request failed, 48 not sent)". `requests` and `retries` are those over HTTP; `one` is the singular of
 * "texts". */
void ee_request_log_print(const ee_request_log *log, uint64_t requests, uint64_t retries, const char *one,
                          bool has_cache, ee_buffer *out);

#endif
