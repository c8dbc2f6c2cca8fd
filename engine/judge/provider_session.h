/* provider_session.h: similarities and completions from a provider, as judges see them.
 *
 * engine/provider implements this vtable; tests implement it in C. A run has one provider, which its workers share.
 * Each worker has its own session, which one thread uses at a time.
 *
 * Judging a case does not wait for a network. The first request for an answer is PENDING: the session collects it, and
 * the judge goes on as if nothing matched. Then `ask` sends all pending requests concurrently and the case is judged
 * again, until none is pending. A worker does this for a whole block of cases (worker.c), so that the requests of many
 * cases are sent together; ee_plan_judge() does it for a single case. So a judge needs no separate stage that collects
 * requests, and only requests that judging needs are sent. */
#ifndef EE_JUDGE_PROVIDER_SESSION_H
#define EE_JUDGE_PROVIDER_SESSION_H

#include <evalengine.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/runtime.h"
#include "base/str.h"

typedef struct ee_provider ee_provider;
typedef struct ee_provider_session ee_provider_session;
struct ee_provider_settings;

typedef enum ee_answer_state {
  EE_ANSWER_GIVEN,
  EE_ANSWER_PENDING, /* not known yet: collected, to be sent by `ask` */
  EE_ANSWER_FAILED   /* there will be no answer; `text` says why */
} ee_answer_state;

typedef struct ee_answer {
  ee_answer_state state;
  double similarity; /* of a GIVEN similarity: 0..1 */
  ee_str text;       /* of a GIVEN completion: the completion; of FAILED: why. Valid until the session's next `begin` or
                        `close` */
} ee_answer;

/* A request for a completion. Texts are valid UTF-8. */
typedef struct ee_chat {
  ee_str system;  /* the message with the role "system"; empty: there is none */
  ee_str prompt;  /* the user's message */
  ee_str schema;  /* the JSON Schema that the answer has to fit, as text; empty: the answer is any text. Servers that do
                     not know schemas get requests without it, so the answer may have any form */
  ee_str members; /* further members of the request as JSON, without braces: "\"temperature\":0"; empty: none */
  uint32_t sample; /* chats that differ in it alone are sent, answered and kept apart */
} ee_chat;

/* No ticket. Tickets order the blocks of all workers: requests are sent block by block in input order, so that a budget
 * is spent the same way for every number of workers. */
#define EE_NO_TICKET UINT64_MAX

typedef struct ee_provider_vtable {
  const char *name; /* "local", "openai" */
  void (*free)(ee_provider *provider);
  /* Appends a summary for the end of the run ("12 requests, ..."), one line without a line end, or nothing. NULL: never
   * anything. */
  void (*tell)(const ee_provider *provider, ee_buffer *out);

  /* A session for a worker; NULL with `error` on failure. */
  ee_provider_session *(*open)(ee_provider *provider, ee_error *error);
  void (*close)(ee_provider_session *session);

  /* The similarity in meaning of two texts (valid UTF-8, not equal). `scratch` is used and rewound. */
  void (*similarity)(ee_provider_session *session, ee_str expected, ee_str candidate, ee_arena *scratch,
                     ee_answer *answer);
  /* The completion of a chat by the provider's model. NULL: it has no model. */
  void (*complete)(ee_provider_session *session, const ee_chat *chat, ee_arena *scratch, ee_answer *answer);

  /* The three below are NULL if no answer is ever PENDING.
   * begin: removes all requests and answers. `ticket` is the number of the block, from 0 without a gap, or
   * EE_NO_TICKET. ask: waits until all earlier tickets have ended, then sends the pending requests. EE_OK when each of
   * them has an answer or a failure; EE_ERROR_SYSTEM when `stop` (may be NULL) was set before that: do not ask again.
   * end: ends the ticket; answers stay until the next `begin`. Every `begin` has its `end`. */
  void (*begin)(ee_provider_session *session, uint64_t ticket);
  ee_status (*ask)(ee_provider_session *session, const ee_stop *stop);
  void (*end)(ee_provider_session *session);
} ee_provider_vtable;

/* What follows these is the implementation's own. */
struct ee_provider {
  const ee_provider_vtable *vtable;
  const char *warning; /* about its settings, before anything is sent; NULL: none. Lives as long as the provider */
};
struct ee_provider_session {
  const ee_provider_vtable *vtable;
};

/* The maximum number of rounds of judging and requesting for a case. A function that keeps state could request
 * something new in each round, without end; a match field or a judge of line items takes a few rounds at most. */
#define EE_PROVIDER_ROUNDS 100

/* Opens the provider that `settings` describes; NULL with `error`. Passed to code below engine/provider. */
typedef ee_provider *ee_provider_opener(const struct ee_provider_settings *settings, ee_error *error);

/* Whether answers can be PENDING. A session may be NULL. */
static inline bool ee_provider_is_async(const ee_provider *provider) { return provider->vtable->ask != NULL; }
static inline bool ee_provider_session_is_async(const ee_provider_session *session) {
  return session != NULL && session->vtable->ask != NULL;
}
/* No effect unless answers can be PENDING. `session` may be NULL. */
static inline void ee_provider_session_begin(ee_provider_session *session, uint64_t ticket) {
  if (ee_provider_session_is_async(session)) session->vtable->begin(session, ticket);
}
static inline void ee_provider_session_end(ee_provider_session *session) {
  if (ee_provider_session_is_async(session)) session->vtable->end(session);
}

#endif
