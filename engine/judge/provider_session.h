/* provider_session.h: answers from outside, as judges see them.
 *
 * engine/provider implements this vtable; tests implement it in C. A provider is one a run and shared by its
 * workers; each worker has an asker of its own, which one thread uses at a time.
 *
 * A provider that answers over a network is not waited for while a case is judged. The first time a text is asked for,
 * the answer is OPEN: the asker notes the question, and the judge goes on as if nothing matched. Then `ask` sends
 * everything that is open, side by side, and the case is judged again, until no answer is open. A worker does this for
 * a whole block of cases at once (worker.c), so that the requests of many cases fly together; ee_plan_judge() does it
 * for a case alone. So no judge has a stage of its own for collecting questions, and none is asked that judging does
 * not need. */
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
  EE_ANSWER_PENDING, /* not known yet: noted, to be sent by `ask` */
  EE_ANSWER_FAILED   /* there will be none; `text` says why */
} ee_answer_state;

typedef struct ee_answer {
  ee_answer_state state;
  double similarity; /* of a GIVEN similarity: 0..1 */
  ee_str
      text; /* of a GIVEN completion: the completion; of FAILED: why. Lives until the asker's next `begin` or `close` */
} ee_answer;

/* Input order among workers: questions are sent block by block, so that a budget is spent the same way for every number
 * of workers. */
#define EE_NO_TICKET UINT64_MAX

typedef struct ee_provider_vtable {
  const char *name; /* "local", "openai" */
  void (*free)(ee_provider *provider);
  /* Appends what a person wants to know after the run, one line without its end ("12 requests, ..."); nothing where
   * there is nothing to say. NULL: never anything. */
  void (*tell)(const ee_provider *provider, ee_buffer *out);

  /* A worker's own asker; NULL with `error` when it cannot be made. */
  ee_provider_session *(*open)(ee_provider *provider, ee_error *error);
  void (*close)(ee_provider_session *session);

  /* How alike two texts (valid UTF-8, not equal) are in what they say. `scratch` is used and rewound. */
  void (*similarity)(ee_provider_session *session, ee_str expected, ee_str candidate, ee_arena *scratch,
                     ee_answer *answer);
  /* What the model behind the provider answers to `prompt`. NULL where there is no model. */
  void (*complete)(ee_provider_session *session, ee_str prompt, ee_arena *scratch, ee_answer *answer);

  /* The three below are NULL where no answer is ever OPEN.
   * begin: forgets all questions and answers. `turn`: the number of the block, from 0 without a gap, or EE_NO_TICKET.
   * ask: sends what is open, having waited until the turns before have ended. EE_OK when each open question has an
   * answer or a failure; EE_ERROR_SYSTEM when `stop` (may be NULL) was set before that, and then nothing more may be
   * expected. end: ends the turn; answers stay until the next `begin`. Every `begin` has its `end`. */
  void (*begin)(ee_provider_session *session, uint64_t ticket);
  ee_status (*ask)(ee_provider_session *session, const ee_stop *stop);
  void (*end)(ee_provider_session *session);
} ee_provider_vtable;

/* Both begin with their vtable; what follows is the implementation's own. */
struct ee_provider {
  const ee_provider_vtable *vtable;
};
struct ee_provider_session {
  const ee_provider_vtable *vtable;
};

/* Rounds of judging and asking after which a case's questions are taken for endless, as those of a function that keeps
 * state may be. Each match field and judge of line items takes a few at most. */
#define EE_PROVIDER_ROUNDS 100

/* Makes the provider that `settings` describes: handed to what lies below the folder of providers. NULL with `error`.
 */
typedef ee_provider *ee_provider_opener(const struct ee_provider_settings *settings, ee_error *error);

/* Whether an answer is ever OPEN; of an asker also when there is none (NULL). */
static inline bool ee_provider_is_async(const ee_provider *provider) { return provider->vtable->ask != NULL; }
static inline bool ee_provider_session_is_async(const ee_provider_session *session) {
  return session != NULL && session->vtable->ask != NULL;
}
/* Nothing where no answer is ever OPEN; `asker` may be NULL. */
static inline void ee_provider_session_begin(ee_provider_session *session, uint64_t ticket) {
  if (ee_provider_session_is_async(session)) session->vtable->begin(session, ticket);
}
static inline void ee_provider_session_end(ee_provider_session *session) {
  if (ee_provider_session_is_async(session)) session->vtable->end(session);
}

#endif
