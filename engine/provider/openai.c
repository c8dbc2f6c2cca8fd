/* openai.c: similarity by meaning from a server with OpenAI's interface: the cosine of two embeddings, or what a chat
 * model says.
 *
 * Workers share the provider and ask one at a time, in the order of their turns: what the cache holds and what a budget
 * still allows is then the same for every number of workers. The one that asks is marked by `busy` and holds no lock
 * meanwhile, so that the others can see an interrupt while they wait. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "provider/answer_cache.h"
#include "provider/http.h"
#include "provider/openai_setup.h"
#include "provider/provider.h"
#include "provider/request_book.h"
#include "provider/request_log.h"

/* How long an interrupt may stay unseen. */
#define LONGEST_WAIT_NS 50000000
#define STANDARD_BATCH 64
#define STANDARD_TIMEOUT_MS 60000
#define LONGEST_TIMEOUT_MS 86400000
/* What is kept of the memory that a large answer took. */
#define READING_KEPT ((size_t)16 << 20)

typedef struct openai_provider {
  ee_provider base;
  ee_model_kind kind;
  size_t batch;
  const char *offline; /* why no request is made; NULL: they are */
  ee_arena arena;      /* of what follows */
  ee_openai_setup setup;
  ee_str server, model, key;
  ee_http *http;          /* NULL when offline */
  ee_answer_cache *cache; /* NULL: none */
  bool no_file;           /* of the cache, which is only read: offline */

  pthread_mutex_t mutex; /* of the five below */
  pthread_cond_t changed;
  bool busy;
  uint64_t ticket; /* all before it have ended */
  uint64_t *ended; /* turns after it that have ended all the same */
  size_t ended_count, ended_capacity;

  /* Of the one that is busy: */
  ee_arena reading;
  ee_request_log log;
} openai_provider;

typedef struct openai_asker {
  ee_provider_session base;
  openai_provider *provider;
  ee_request_book book;
  uint64_t ticket; /* EE_NO_TICKET also when it was ended */
} openai_asker;

/* Turns ---------------------------------------------------------------------------------------- */

static void wait_a_little(openai_provider *provider) {
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += LONGEST_WAIT_NS;
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  pthread_cond_timedwait(&provider->changed, &provider->mutex, &until);
}

/* Waits until it is this turn's time to ask; false when stopped. */
static bool start_asking(openai_provider *provider, uint64_t ticket, const ee_stop *stop) {
  pthread_mutex_lock(&provider->mutex);
  bool stopped = ee_stop_is_set(stop);
  while (!stopped && (provider->busy || (ticket != EE_NO_TICKET && ticket != provider->ticket))) {
    wait_a_little(provider);
    stopped = ee_stop_is_set(stop);
  }
  if (!stopped) provider->busy = true;
  pthread_mutex_unlock(&provider->mutex);
  return !stopped;
}

static void stop_asking(openai_provider *provider) {
  pthread_mutex_lock(&provider->mutex);
  provider->busy = false;
  pthread_cond_broadcast(&provider->changed);
  pthread_mutex_unlock(&provider->mutex);
}

/* Removes `turn` from the turns that ended early; false when it is none. */
static bool take_ended(openai_provider *provider, uint64_t ticket) {
  for (size_t i = 0; i < provider->ended_count; i++) {
    if (provider->ended[i] != ticket) continue;
    provider->ended[i] = provider->ended[--provider->ended_count];
    return true;
  }
  return false;
}

/* A turn that ends before its time is only written down: nobody waits here, so nobody can wait in vain. */
static void end_turn(openai_provider *provider, uint64_t ticket) {
  if (ticket == EE_NO_TICKET) return;
  pthread_mutex_lock(&provider->mutex);
  if (provider->ended_count == provider->ended_capacity) {
    provider->ended_capacity = provider->ended_capacity > 0 ? provider->ended_capacity * 2 : 16;
    provider->ended = ee_realloc(provider->ended, provider->ended_capacity, sizeof *provider->ended);
  }
  provider->ended[provider->ended_count++] = ticket;
  while (take_ended(provider, provider->ticket)) provider->ticket++;
  pthread_cond_broadcast(&provider->changed);
  pthread_mutex_unlock(&provider->mutex);
}

/* What is asked at a time ---------------------------------------------------------------------- */

/* Questions that are still open after a look into the cache, and the requests that will answer them. */
typedef struct asking_round {
  openai_provider *provider;
  ee_request_book *book;
  size_t *open; /* numbers of questions */
  size_t open_count;
  ee_http_request *requests;
  size_t request_count;
  ee_buffer *bodies; /* of the requests */
  ee_buffer text;    /* at hand for keys, answers and reasons */
} asking_round;

static void note_fate(asking_round *round, size_t number, ee_request_fate fate) {
  ee_request_log_note(&round->provider->log, round->book->questions[number].hash, fate);
}

static void fail_question(asking_round *round, size_t number, ee_str why, ee_request_fate fate) {
  ee_request_fail(round->book, &round->book->questions[number], why);
  note_fate(round, number, fate);
}

/* Appends the messages that ask the question: the text that a completion is kept under. */
static void write_messages(const ee_provider_request *question, ee_buffer *out) {
  if (question->kind == EE_REQUEST_PAIR) {
    ee_openai_write_question(out, question->first, question->second);
  } else {
    ee_openai_write_prompt(out, question->first);
  }
}

static ee_cache_key key_of(const openai_provider *provider, const ee_provider_request *question, ee_str messages) {
  bool text = question->kind == EE_REQUEST_TEXT;
  return (ee_cache_key){.provider = provider->server,
                        .model = provider->model,
                        .kind = text ? EE_STR("embedding") : EE_STR("completion"),
                        .text = text ? question->first : messages};
}

/* Answers the question with a completion, in the book's arena. False with `why` when it is of no use. */
static bool take_completion(asking_round *round, ee_provider_request *question, ee_str completion, ee_buffer *why) {
  if (question->kind == EE_REQUEST_PROMPT) {
    ee_request_give_text(round->book, question, completion);
    return true;
  }
  double similarity;
  openai_provider *provider = round->provider;
  if (!ee_openai_read_similarity(completion, &provider->reading, &similarity, provider->key, why)) return false;
  ee_request_give_similarity(round->book, question, similarity);
  return true;
}

/* What is in the cache and cannot be read is asked again. */
static bool take_cached(asking_round *round, ee_provider_request *question, ee_str messages) {
  openai_provider *provider = round->provider;
  if (provider->cache == NULL) return false;
  ee_cache_key key = key_of(provider, question, messages);
  if (!ee_answer_cache_get(provider->cache, &key, &round->text)) return false;
  ee_str found = {round->text.data, round->text.length};
  bool taken;
  if (question->kind == EE_REQUEST_TEXT) {
    ee_embedding embedding;
    taken = ee_openai_unpack(found, &round->book->arena, &embedding);
    if (taken) ee_request_give_embedding(round->book, question, embedding);
  } else {
    ee_buffer ignored;
    ee_buffer_init(&ignored);
    ee_str completion = {ee_arena_copy(&round->book->arena, found.data, found.length), found.length};
    taken = ee_utf8_valid_prefix(found.data, found.length) == found.length &&
            take_completion(round, question, completion, &ignored);
    ee_buffer_fini(&ignored);
  }
  if (!taken) return false;
  if (ee_request_log_note(&provider->log, question->hash, EE_FATE_KNOWN) == EE_FATE_KNOWN) {
    provider->log.known++;
  } else {
    provider->log.cached++;
  }
  return true;
}

/* Answers what the cache knows; gathers the others. */
static void look_up(asking_round *round) {
  ee_request_book *book = round->book;
  ee_buffer messages;
  ee_buffer_init(&messages);
  for (size_t i = 0; i < book->count; i++) {
    ee_provider_request *question = &book->questions[i];
    if (question->state != EE_ANSWER_PENDING) continue;
    ee_buffer_clear(&messages);
    if (question->kind != EE_REQUEST_TEXT) write_messages(question, &messages);
    if (!take_cached(round, question, (ee_str){messages.data, messages.length})) round->open[round->open_count++] = i;
  }
  ee_buffer_fini(&messages);
}

/* Texts a request. */
static size_t batch_of(const asking_round *round) {
  return round->provider->kind == EE_MODEL_EMBEDDINGS ? round->provider->batch : 1;
}

/* The questions of request `number`: open[*first..*behind). */
static void part_of(const asking_round *round, size_t number, size_t *first, size_t *behind) {
  size_t batch = batch_of(round);
  *first = number * batch;
  *behind = round->open_count - *first < batch ? round->open_count : *first + batch;
}

static void write_batch(const asking_round *round, size_t first, size_t behind, ee_buffer *body) {
  ee_str *texts = ee_calloc(behind - first, sizeof *texts);
  for (size_t i = first; i < behind; i++) texts[i - first] = round->book->questions[round->open[i]].first;
  ee_openai_write_embeddings(body, round->provider->model, texts, behind - first);
  free(texts);
}

static void write_requests(asking_round *round) {
  bool embeddings = round->provider->kind == EE_MODEL_EMBEDDINGS;
  size_t batch = batch_of(round);
  round->request_count = (round->open_count + batch - 1) / batch;
  round->requests = ee_calloc(round->request_count, sizeof *round->requests);
  round->bodies = ee_calloc(round->request_count, sizeof *round->bodies);
  for (size_t i = 0; i < round->request_count; i++) {
    ee_buffer *body = &round->bodies[i];
    size_t first, behind;
    part_of(round, i, &first, &behind);
    if (embeddings) {
      write_batch(round, first, behind, body);
    } else {
      const ee_provider_request *question = &round->book->questions[round->open[first]];
      ee_buffer_clear(&round->text);
      write_messages(question, &round->text);
      ee_openai_write_chat(body, round->provider->model, (ee_str){round->text.data, round->text.length},
                           question->kind == EE_REQUEST_PAIR);
    }
    round->requests[i] =
        (ee_http_request){.path = embeddings ? "/embeddings" : "/chat/completions", .body = {body->data, body->length}};
  }
}

/* Answers -------------------------------------------------------------------------------------- */

static void keep(asking_round *round, const ee_provider_request *question, ee_str messages, ee_str answer) {
  if (round->provider->cache == NULL) return;
  ee_cache_key key = key_of(round->provider, question, messages);
  ee_answer_cache_put(round->provider->cache, &key, answer);
}

/* Each returns false with the reason in `why` when the answer is of no use. */
static bool read_batch(asking_round *round, ee_str body, size_t first, size_t behind, ee_buffer *why) {
  openai_provider *provider = round->provider;
  ee_embedding *embeddings = ee_calloc(behind - first, sizeof *embeddings);
  bool usable = ee_openai_read_embeddings(body, behind - first, &round->book->arena, &provider->reading, embeddings,
                                          provider->key, why);
  for (size_t i = first; usable && i < behind; i++) {
    ee_provider_request *question = &round->book->questions[round->open[i]];
    ee_request_give_embedding(round->book, question, embeddings[i - first]);
    ee_buffer_clear(&round->text);
    ee_openai_pack(&round->text, embeddings[i - first]);
    keep(round, question, EE_STR(""), (ee_str){round->text.data, round->text.length});
  }
  free(embeddings);
  return usable;
}

static bool read_completion(asking_round *round, ee_str body, size_t number, ee_buffer *why) {
  openai_provider *provider = round->provider;
  ee_provider_request *question = &round->book->questions[round->open[number]];
  ee_str completion;
  if (!ee_openai_read_completion(body, &round->book->arena, &provider->reading, &completion, provider->key, why) ||
      !take_completion(round, question, completion, why))
    return false;
  ee_buffer_clear(&round->text);
  write_messages(question, &round->text);
  keep(round, question, (ee_str){round->text.data, round->text.length}, completion);
  return true;
}

static void read_request(asking_round *round, size_t number) {
  openai_provider *provider = round->provider;
  const ee_http_request *request = &round->requests[number];
  ee_str body = {request->answer.data, request->answer.length};
  size_t first, behind;
  part_of(round, number, &first, &behind);
  if (request->attempts > 0) provider->log.sent += behind - first;
  ee_buffer why;
  ee_buffer_init(&why);
  bool usable = false;
  if (!request->done) {
    ee_buffer_add_text(&why, request->failure);
    provider->log.failed += request->attempts > 0;
  } else {
    usable = provider->kind == EE_MODEL_EMBEDDINGS ? read_batch(round, body, first, behind, &why)
                                                   : read_completion(round, body, first, &why);
    provider->log.unusable += !usable;
  }
  ee_request_fate fate = request->attempts > 0 ? EE_FATE_FAILED : EE_FATE_NOT_SENT;
  for (size_t i = first; i < behind; i++) {
    if (usable) {
      note_fate(round, round->open[i], EE_FATE_KNOWN);
    } else {
      fail_question(round, round->open[i], (ee_str){why.data, why.length}, fate);
    }
  }
  ee_buffer_fini(&why);
}

/* What came before an interrupt was paid for, too: it is kept. */
static ee_status send_requests(asking_round *round, const ee_stop *stop) {
  openai_provider *provider = round->provider;
  write_requests(round);
  ee_status status = ee_http_perform(provider->http, round->requests, round->request_count, stop);
  if (provider->cache != NULL) ee_answer_cache_begin(provider->cache);
  for (size_t i = 0; i < round->request_count; i++) {
    read_request(round, i);
    ee_buffer_fini(&round->requests[i].answer);
    ee_buffer_fini(&round->bodies[i]);
  }
  if (provider->cache != NULL) ee_answer_cache_commit(provider->cache);
  free(round->requests);
  free(round->bodies);
  return status;
}

static void fail_offline(asking_round *round) {
  const openai_provider *provider = round->provider;
  ee_buffer_clear(&round->text);
  ee_buffer_addf(&round->text, "%s (%s)", provider->setup.cache != NULL ? "not in the cache" : "not asked",
                 provider->offline);
  for (size_t i = 0; i < round->open_count; i++)
    fail_question(round, round->open[i], (ee_str){round->text.data, round->text.length}, EE_FATE_OFFLINE);
}

static ee_status ask_round(openai_asker *session, const ee_stop *stop) {
  openai_provider *provider = session->provider;
  asking_round round = {.provider = provider, .book = &session->book};
  round.open = ee_calloc(session->book.count, sizeof *round.open);
  look_up(&round);
  ee_status status = EE_OK;
  if (provider->offline == NULL && round.open_count > 0) {
    status = send_requests(&round, stop);
  } else if (round.open_count > 0) {
    fail_offline(&round);
  }
  ee_arena_reset(&provider->reading, READING_KEPT);
  ee_buffer_fini(&round.text);
  free(round.open);
  return status;
}

/* Askers --------------------------------------------------------------------------------------- */

static ee_provider_session *open_asker(ee_provider *provider, ee_error *error) {
  (void)error;
  openai_asker *session = ee_calloc(1, sizeof *session);
  session->base.vtable = provider->vtable;
  session->provider = (openai_provider *)provider;
  session->ticket = EE_NO_TICKET;
  ee_request_book_init(&session->book);
  return &session->base;
}

static void end(ee_provider_session *self) {
  openai_asker *session = (openai_asker *)self;
  end_turn(session->provider, session->ticket);
  session->ticket = EE_NO_TICKET;
}

static void close_asker(ee_provider_session *self) {
  openai_asker *session = (openai_asker *)self;
  end(self); /* whoever left without its end must not stop the others */
  ee_request_book_fini(&session->book);
  free(session);
}

static void begin(ee_provider_session *self, uint64_t ticket) {
  openai_asker *session = (openai_asker *)self;
  ee_request_book_clear(&session->book);
  session->ticket = ticket;
}

static ee_status ask(ee_provider_session *self, const ee_stop *stop) {
  openai_asker *session = (openai_asker *)self;
  if (session->book.open == 0) return EE_OK;
  if (!start_asking(session->provider, session->ticket, stop)) return EE_ERROR_SYSTEM;
  ee_status status = ask_round(session, stop);
  stop_asking(session->provider);
  return status;
}

static void answer_with(const ee_provider_request *question, ee_answer *answer) {
  *answer = (ee_answer){.state = question->state, .similarity = question->similarity, .text = question->text};
}

/* A text that says nothing is like no other, and servers refuse it. */
static bool compare_blank(ee_str expected, ee_str candidate, ee_answer *answer) {
  bool a = ee_str_is_blank(expected), b = ee_str_is_blank(candidate);
  if (!a && !b) return false;
  *answer = (ee_answer){.state = EE_ANSWER_GIVEN, .similarity = a && b ? 1 : 0};
  return true;
}

static void embedding_similarity(ee_provider_session *self, ee_str expected, ee_str candidate, ee_arena *scratch,
                                 ee_answer *answer) {
  (void)scratch;
  if (compare_blank(expected, candidate, answer)) return;
  ee_request_book *book = &((openai_asker *)self)->book;
  size_t first = ee_request_book_note(book, EE_REQUEST_TEXT, expected, EE_STR(""));
  size_t second = ee_request_book_note(book, EE_REQUEST_TEXT, candidate, EE_STR(""));
  const ee_provider_request *a = &book->questions[first], *b = &book->questions[second];
  if (a->state == EE_ANSWER_GIVEN && b->state == EE_ANSWER_GIVEN) {
    ee_request_compare(a, b, answer);
  } else {
    answer_with(a->state == EE_ANSWER_FAILED || b->state == EE_ANSWER_GIVEN ? a : b, answer);
  }
}

static void chat_similarity(ee_provider_session *self, ee_str expected, ee_str candidate, ee_arena *scratch,
                            ee_answer *answer) {
  (void)scratch;
  if (compare_blank(expected, candidate, answer)) return;
  ee_request_book *book = &((openai_asker *)self)->book;
  size_t number = ee_request_book_note(book, EE_REQUEST_PAIR, expected, candidate);
  answer_with(&book->questions[number], answer);
}

static void complete(ee_provider_session *self, ee_str prompt, ee_arena *scratch, ee_answer *answer) {
  (void)scratch;
  ee_request_book *book = &((openai_asker *)self)->book;
  size_t number = ee_request_book_note(book, EE_REQUEST_PROMPT, prompt, EE_STR(""));
  answer_with(&book->questions[number], answer);
}

/* The provider --------------------------------------------------------------------------------- */

static void tell(const ee_provider *self, ee_buffer *out) {
  const openai_provider *provider = (const openai_provider *)self;
  bool embeddings = provider->kind == EE_MODEL_EMBEDDINGS;
  ee_http_counts counts = {0};
  if (provider->http != NULL) counts = ee_http_counted(provider->http);
  const char *trouble = provider->cache != NULL ? ee_answer_cache_trouble(provider->cache) : NULL;
  if (ee_request_log_is_empty(&provider->log) && counts.requests == 0 && trouble == NULL) return;
  ee_buffer_addf(out, "openai %s: ", embeddings ? "embeddings" : "chat");
  ee_request_log_print(&provider->log, counts.requests, counts.retries, embeddings ? "text" : "question",
                       provider->setup.cache != NULL, out);
  if (provider->no_file) ee_buffer_addf(out, "; cache '%s' does not exist", provider->setup.cache);
  if (trouble != NULL) ee_buffer_addf(out, "; %s", trouble);
}

static void free_provider(ee_provider *self) {
  openai_provider *provider = (openai_provider *)self;
  if (provider->http != NULL) ee_http_free(provider->http);
  if (provider->cache != NULL) ee_answer_cache_close(provider->cache);
  pthread_cond_destroy(&provider->changed);
  pthread_mutex_destroy(&provider->mutex);
  ee_request_log_fini(&provider->log);
  ee_arena_fini(&provider->reading);
  ee_arena_fini(&provider->arena);
  free(provider->ended);
  free(provider);
}

/* The cosine of embeddings: their model answers no prompt. */
static const ee_provider_vtable embeddings_vtable = {.name = "openai",
                                                     .free = free_provider,
                                                     .tell = tell,
                                                     .open = open_asker,
                                                     .close = close_asker,
                                                     .similarity = embedding_similarity,
                                                     .begin = begin,
                                                     .ask = ask,
                                                     .end = end};

static const ee_provider_vtable chat_vtable = {.name = "openai",
                                               .free = free_provider,
                                               .tell = tell,
                                               .open = open_asker,
                                               .close = close_asker,
                                               .similarity = chat_similarity,
                                               .complete = complete,
                                               .begin = begin,
                                               .ask = ask,
                                               .end = end};

static ee_http *open_http(const ee_provider_settings *settings, const ee_openai_setup *setup, ee_error *error) {
  double timeout_ms = settings->timeout_s * 1000;
  if (!(timeout_ms > 0)) timeout_ms = STANDARD_TIMEOUT_MS;
  if (timeout_ms > LONGEST_TIMEOUT_MS) timeout_ms = LONGEST_TIMEOUT_MS;
  ee_http_settings http = {.url = setup->url,
                           .key = setup->key,
                           .key_name = setup->key_name,
                           .timeout_ms = (long)timeout_ms,
                           .retries = settings->retries,
                           .in_flight = settings->in_flight,
                           .requests_per_minute = settings->requests_per_minute,
                           .max_requests = settings->max_requests};
  return ee_http_new(&http, error);
}

static openai_provider *new_provider(const ee_provider_settings *settings, const char *offline) {
  openai_provider *provider = ee_calloc(1, sizeof *provider);
  provider->kind = settings->model_kind;
  provider->base.vtable = provider->kind == EE_MODEL_EMBEDDINGS ? &embeddings_vtable : &chat_vtable;
  provider->batch = settings->batch > 0 ? settings->batch : STANDARD_BATCH;
  provider->offline = offline;
  ee_arena_init(&provider->arena, 4096);
  ee_arena_init(&provider->reading, 0);
  pthread_mutex_init(&provider->mutex, NULL);
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC); /* a clock that is set must not make a wait longer */
  pthread_cond_init(&provider->changed, &attributes);
  pthread_condattr_destroy(&attributes);
  return provider;
}

ee_provider *ee_openai_provider_open(const ee_provider_settings *settings, const char *offline, ee_error *error) {
  openai_provider *provider = new_provider(settings, offline);
  ee_openai_setup *setup = &provider->setup;
  if (ee_openai_setup_read(settings, offline != NULL, &provider->arena, setup, error) != EE_OK) goto failed;
  provider->server = ee_str_from(ee_arena_printf(&provider->arena, "openai %s", setup->url));
  provider->model = ee_str_from(setup->model);
  if (setup->key != NULL) provider->key = ee_str_from(setup->key);
  if (offline == NULL) {
    provider->http = open_http(settings, setup, error);
    if (provider->http == NULL) goto failed;
  }
  /* Without requests there is nothing to be kept, and a file that is not there has nothing to say. */
  provider->no_file = offline != NULL && setup->cache != NULL && access(setup->cache, F_OK) != 0 && errno == ENOENT;
  if (setup->cache != NULL && !provider->no_file) {
    provider->cache = ee_answer_cache_open(setup->cache, error);
    if (provider->cache == NULL) goto failed;
  }
  return &provider->base;
failed:
  free_provider(&provider->base);
  return NULL;
}
