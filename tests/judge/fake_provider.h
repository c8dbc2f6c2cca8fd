/* fake_provider.h: a provider of similarity in C that counts what it is asked, for tests of judges and runs.
 *
 * Two texts are as alike as the bytes that they begin with: common prefix / longer length. A text that holds `refused`
 * gets no answer. As a provider over a network (`remote`) it leaves answers open, takes turns, and has a budget. */
#ifndef EE_TESTS_JUDGE_FAKE_PROVIDER_H
#define EE_TESTS_JUDGE_FAKE_PROVIDER_H

#include <pthread.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "judge/provider_session.h"

#define FAKE_TURNS 4096

typedef struct fake_provider {
  ee_provider base;
  ee_provider_vtable vtable;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  const char *refused;   /* or NULL */
  unsigned asks_needed;  /* until a question has its answer: 1, but for askers that need more patience */
  uint64_t budget;       /* questions that are answered; the others fail */
  uint64_t interrupt_at; /* the call of ask, from 1, during which the run is interrupted; 0: none */
  volatile sig_atomic_t *interrupted;
  uint64_t held_from; /* asking in this turn and later ones lasts until it is stopped; 0: in none */

  uint64_t ticket; /* that may ask */
  bool turn_ended[FAKE_TURNS];
  /* What happened: */
  uint64_t calls;    /* of similarity */
  uint64_t asked;    /* questions sent */
  uint64_t repeated; /* questions sent that the same asker had sent since its last begin */
  uint64_t asks, begun, ended, opened, closed;
  uint64_t violations; /* of the order of calls: threads other than the test's cannot fail it */
} fake_provider;

typedef struct fake_question {
  char *expected, *candidate;
  unsigned asks_left;
  bool sent, answered, failed;
} fake_question;

typedef struct fake_asker {
  ee_provider_session base;
  fake_provider *provider;
  fake_question *questions;
  size_t count, capacity;
  uint64_t ticket;
  bool begun;
} fake_asker;

static inline double fake_figure(ee_str a, ee_str b) {
  size_t longer = a.length > b.length ? a.length : b.length, common = 0;
  while (common < a.length && common < b.length && a.data[common] == b.data[common]) common++;
  return longer == 0 ? 1 : (double)common / (double)longer;
}

static inline bool fake_refuses(const fake_provider *provider, ee_str text) {
  return provider->refused != NULL && text.length > 0 &&
         memmem(text.data, text.length, provider->refused, strlen(provider->refused)) != NULL;
}

static inline ee_provider_session *fake_open(ee_provider *base, ee_error *error) {
  (void)error;
  fake_provider *provider = (fake_provider *)(void *)base;
  fake_asker *session = ee_calloc(1, sizeof *session);
  session->base.vtable = base->vtable;
  session->provider = provider;
  pthread_mutex_lock(&provider->lock);
  provider->opened++;
  pthread_mutex_unlock(&provider->lock);
  return &session->base;
}

static inline void fake_forget(fake_asker *session) {
  for (size_t i = 0; i < session->count; i++) {
    ee_free(session->questions[i].expected);
    ee_free(session->questions[i].candidate);
  }
  session->count = 0;
}

static inline void fake_close(ee_provider_session *base) {
  fake_asker *session = (fake_asker *)(void *)base;
  fake_provider *provider = session->provider;
  pthread_mutex_lock(&provider->lock);
  provider->closed++;
  if (session->begun) provider->violations++;
  pthread_mutex_unlock(&provider->lock);
  fake_forget(session);
  ee_free(session->questions);
  ee_free(session);
}

static inline char *fake_copy(ee_str text) {
  char *copy = ee_malloc(text.length + 1);
  if (text.length > 0) memcpy(copy, text.data, text.length);
  copy[text.length] = '\0';
  return copy;
}

static inline void fake_answer_at_once(fake_provider *provider, ee_str expected, ee_str candidate, ee_answer *answer) {
  *answer = (ee_answer){.state = EE_ANSWER_GIVEN, .similarity = fake_figure(expected, candidate)};
  if (!fake_refuses(provider, expected) && !fake_refuses(provider, candidate)) return;
  *answer = (ee_answer){.state = EE_ANSWER_FAILED, .text = EE_STR("HTTP 500 after 5 attempts")};
}

static inline void fake_similarity(ee_provider_session *base, ee_str expected, ee_str candidate, ee_arena *scratch,
                                   ee_answer *answer) {
  (void)scratch;
  fake_asker *session = (fake_asker *)(void *)base;
  fake_provider *provider = session->provider;
  pthread_mutex_lock(&provider->lock);
  provider->calls++;
  bool remote = provider->vtable.ask != NULL;
  if (ee_str_equal(expected, candidate)) provider->violations++;
  pthread_mutex_unlock(&provider->lock);
  if (!remote) {
    fake_answer_at_once(provider, expected, candidate, answer);
    return;
  }
  for (size_t i = 0; i < session->count; i++) {
    const fake_question *question = &session->questions[i];
    if (!ee_str_is(expected, question->expected) || !ee_str_is(candidate, question->candidate)) continue;
    if (!question->answered) {
      *answer = (ee_answer){.state = EE_ANSWER_PENDING};
    } else if (question->failed) {
      *answer = (ee_answer){.state = EE_ANSWER_FAILED, .text = EE_STR("budget used up")};
    } else {
      fake_answer_at_once(provider, expected, candidate, answer);
    }
    return;
  }
  if (session->count == session->capacity) {
    session->capacity = session->capacity == 0 ? 16 : 2 * session->capacity;
    session->questions = ee_realloc(session->questions, session->capacity, sizeof *session->questions);
  }
  session->questions[session->count++] = (fake_question){
      .expected = fake_copy(expected), .candidate = fake_copy(candidate), .asks_left = provider->asks_needed};
  *answer = (ee_answer){.state = EE_ANSWER_PENDING};
}

static inline void fake_begin(ee_provider_session *base, uint64_t ticket) {
  fake_asker *session = (fake_asker *)(void *)base;
  fake_provider *provider = session->provider;
  pthread_mutex_lock(&provider->lock);
  provider->begun++;
  if (session->begun) provider->violations++;
  pthread_mutex_unlock(&provider->lock);
  fake_forget(session);
  session->ticket = ticket;
  session->begun = true;
}

/* Holds the lock. */
static inline void fake_send(fake_asker *session) {
  fake_provider *provider = session->provider;
  for (size_t i = 0; i < session->count; i++) {
    fake_question *question = &session->questions[i];
    if (question->answered) continue;
    if (question->sent && provider->asks_needed == 1) provider->repeated++;
    question->sent = true;
    if (--question->asks_left > 0) continue;
    question->answered = true;
    provider->asked++;
    question->failed = provider->budget == 0;
    if (provider->budget > 0) provider->budget--;
  }
}

/* Whether it was stopped; a run that waits for what it will not use has 5 s to learn it. */
static inline bool fake_hold(const ee_stop *stop) {
  for (int i = 0; i < 500 && !ee_stop_is_set(stop); i++) nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
  return ee_stop_is_set(stop);
}

static inline ee_status fake_ask(ee_provider_session *base, const ee_stop *stop) {
  fake_asker *session = (fake_asker *)(void *)base;
  fake_provider *provider = session->provider;
  ee_status status = EE_OK;
  bool held = provider->held_from > 0 && session->ticket >= provider->held_from;
  bool in_vain = held && !fake_hold(stop);
  pthread_mutex_lock(&provider->lock);
  if (!session->begun || in_vain) provider->violations++;
  while (session->ticket != EE_NO_TICKET && provider->ticket != session->ticket && !ee_stop_is_set(stop)) {
    struct timespec soon;
    clock_gettime(CLOCK_REALTIME, &soon);
    soon.tv_nsec += 10000000;
    if (soon.tv_nsec >= 1000000000) soon.tv_sec++, soon.tv_nsec -= 1000000000;
    pthread_cond_timedwait(&provider->changed, &provider->lock, &soon);
  }
  if (++provider->asks == provider->interrupt_at) __atomic_store_n(provider->interrupted, 1, __ATOMIC_RELAXED);
  if (ee_stop_is_set(stop)) {
    status = EE_ERROR_SYSTEM;
  } else {
    fake_send(session);
  }
  pthread_mutex_unlock(&provider->lock);
  return status;
}

static inline void fake_end(ee_provider_session *base) {
  fake_asker *session = (fake_asker *)(void *)base;
  fake_provider *provider = session->provider;
  pthread_mutex_lock(&provider->lock);
  provider->ended++;
  if (!session->begun) provider->violations++;
  session->begun = false;
  if (session->ticket != EE_NO_TICKET) {
    if (session->ticket >= FAKE_TURNS || provider->turn_ended[session->ticket]) {
      provider->violations++;
    } else {
      provider->turn_ended[session->ticket] = true;
    }
    while (provider->ticket < FAKE_TURNS && provider->turn_ended[provider->ticket]) provider->ticket++;
    pthread_cond_broadcast(&provider->changed);
  }
  pthread_mutex_unlock(&provider->lock);
}

static inline void fake_init(fake_provider *provider, bool remote) {
  memset(provider, 0, sizeof *provider);
  provider->vtable =
      (ee_provider_vtable){.name = "fake", .open = fake_open, .close = fake_close, .similarity = fake_similarity};
  if (remote) {
    provider->vtable.begin = fake_begin;
    provider->vtable.ask = fake_ask;
    provider->vtable.end = fake_end;
  }
  provider->base.vtable = &provider->vtable;
  provider->asks_needed = 1;
  provider->budget = UINT64_MAX;
  pthread_mutex_init(&provider->lock, NULL);
  pthread_cond_init(&provider->changed, NULL);
}

/* Fails the test unless every asker was closed, every turn ended, and all was done in order. */
#define fake_fini(provider)                                                                                            \
  do {                                                                                                                 \
    assert_int_equal((provider)->violations, 0);                                                                       \
    assert_int_equal((provider)->repeated, 0);                                                                         \
    assert_int_equal((provider)->begun, (provider)->ended);                                                            \
    assert_int_equal((provider)->opened, (provider)->closed);                                                          \
    pthread_mutex_destroy(&(provider)->lock);                                                                          \
    pthread_cond_destroy(&(provider)->changed);                                                                        \
  } while (0)

#endif
