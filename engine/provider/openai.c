/* openai.c: similarity by meaning from a server with OpenAI's interface: the cosine of two embeddings, or a chat
 * model's judgement; and completions of chats.
 *
 * Workers share the provider and send one at a time, in the order of their tickets. So the content of the cache and the
 * rest of a budget are the same for every number of workers. The worker that sends sets `busy` and holds no lock, so
 * that waiting workers can see an interrupt. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/runtime.h"
#include "prim/number.h"
#include "provider/answer_cache.h"
#include "provider/http.h"
#include "provider/provider.h"
#include "provider/requests.h"

/* The longest time until an interrupt is noticed. */
#define MAX_WAIT_NS 50000000
#define DEFAULT_URL "https://api.openai.com/v1"
#define DEFAULT_KEY_NAME "OPENAI_API_KEY"
#define DEFAULT_BATCH 64
#define DEFAULT_TIMEOUT_MS 60000
#define MAX_TIMEOUT_MS 86400000
/* The time of a request with all its attempts, in times of one attempt. */
#define DEFAULT_TOTAL 10
/* Memory of a large reply that is kept for the next. */
#define READING_KEPT ((size_t)16 << 20)
/* How many schemas are remembered, with how the server takes them. Chats with further ones get no format. */
#define MAX_FORMATS 64

/* What the rule file and the environment say about the server. Texts are NUL-terminated and live in the arena. */
typedef struct server_setup {
  const char *url;   /* without a slash at its end: "https://api.openai.com/v1" */
  const char *model; /* valid UTF-8; the same for the next */
  const char *chat_model;
  char *key;           /* NULL: none. Never printed, and overwritten at the end */
  const char *no_key;  /* why there is no key, as messages say it */
  const char *warning; /* about the key; NULL: none */
  const char *cache;   /* the file; NULL: none */
} server_setup;

/* How the server takes requests with a schema. */
typedef struct known_format {
  uint64_t schema; /* its hash */
  ee_answer_format format;
  bool sure; /* it has answered a request with this format */
} known_format;

typedef struct openai_provider {
  ee_provider base;
  ee_model_kind kind;
  size_t batch;
  const char *offline; /* why nothing is sent, as messages say it; NULL: requests are sent */
  ee_arena arena;      /* of what follows */
  server_setup setup;
  ee_str server, model, key;
  ee_str chat_model; /* of completions */
  double max_cost;   /* 0: no limit */
  double input_price, output_price;
  unsigned in_flight;
  ee_http *http;          /* NULL when offline */
  ee_answer_cache *cache; /* NULL: none */
  bool no_file;           /* offline and the cache file does not exist */

  pthread_mutex_t mutex; /* guards the five below */
  pthread_cond_t changed;
  bool busy;
  uint64_t ticket; /* the current one: all before it have ended */
  struct {
    EE_LIST(uint64_t);
  } ended; /* later tickets that have ended already */

  /* Used only while busy: */
  ee_arena reading;
  ee_request_log log;
  known_format formats[MAX_FORMATS];
  size_t format_count;
  ee_openai_usage used; /* tokens of all replies; `given`: all of them said how many */
} openai_provider;

typedef struct openai_session {
  ee_provider_session base;
  openai_provider *provider;
  ee_request_set set;
  uint64_t ticket; /* EE_NO_TICKET also after it ended */
} openai_session;

static const char *copy(ee_arena *arena, ee_str text) { return ee_arena_copy(arena, text.data, text.length); }

/* A variable that is empty counts as not set. */
static const char *variable(const char *name) {
  const char *value = getenv(name);
  return value != NULL && value[0] != '\0' ? value : NULL;
}

/* Settings: URL -------------------------------------------------------------------------------- */

/* The part after "http://" or "https://"; NULL for another scheme. */
static const char *after_scheme(const char *url) {
  if (strncasecmp(url, "http://", 7) == 0) return url + 7;
  if (strncasecmp(url, "https://", 8) == 0) return url + 8;
  return NULL;
}

/* What is wrong with a base URL, or NULL. The URL is not repeated: it may hold a password. */
static const char *mistake_of(const char *url) {
  for (const char *at = url; *at != '\0'; at++)
    if (*at <= ' ' || *at > '~' || *at == '\\') return "has a character that is not allowed in a URL";
  const char *host = after_scheme(url);
  if (host == NULL) return "does not begin with http:// or https://";
  size_t length = strcspn(host, "/?#");
  if (memchr(host, '@', length) != NULL)
    return "holds a user or a password, which it must not (there are key and key_env)";
  if (length == 0) return "has no host";
  if (strpbrk(host, "?#") != NULL) return "has a query or a fragment, which a base URL must not";
  return NULL;
}

static ee_status read_url(const ee_provider_settings *settings, ee_arena *arena, server_setup *setup, ee_error *error) {
  const char *given = variable("OPENAI_BASE_URL");
  const char *name = "OPENAI_BASE_URL";
  if (settings->url.length > 0) {
    given = copy(arena, settings->url);
    name = "url";
    if (strlen(given) < settings->url.length) given = "\\"; /* what follows a NUL must not be cut off unseen */
  }
  if (given == NULL) given = DEFAULT_URL;
  const char *mistake = mistake_of(given);
  if (mistake != NULL) return ee_error_set(error, EE_ERROR_RULES, "the '%s' of provider 'openai' %s", name, mistake);
  const char *host = after_scheme(given);
  size_t length = strlen(given);
  while (given[length - 1] == '/') length--;
  bool has_path = memchr(host, '/', (size_t)(given + length - host)) != NULL;
  setup->url = ee_arena_printf(arena, "%.*s%s", (int)length, given, has_path ? "" : "/v1");
  return EE_OK;
}

/* Settings: model, key ------------------------------------------------------------------------- */

static ee_status read_model(const ee_provider_settings *settings, ee_arena *arena, server_setup *setup,
                            ee_error *error) {
  const char *given = variable("OPENAI_MODEL");
  if (settings->model.length > 0) given = copy(arena, settings->model);
  if (given == NULL)
    return ee_error_set(error, EE_ERROR_RULES, "provider 'openai' needs a model (model = \"...\", or OPENAI_MODEL)");
  setup->chat_model = settings->chat_model.length > 0 ? copy(arena, settings->chat_model) : given;
  const char *const models[] = {given, setup->chat_model};
  for (size_t i = 0; i < 2; i++)
    if (ee_utf8_valid_prefix(models[i], strlen(models[i])) < strlen(models[i]))
      return ee_error_set(error, EE_ERROR_RULES, "the model '%s' of provider 'openai' is not UTF-8", models[i]);
  setup->model = copy(arena, ee_str_from(given));
  return EE_OK;
}

/* Whether two base URLs have the same scheme, host and port. */
static bool is_same_server(const char *a, const char *b) {
  const char *host_a = after_scheme(a), *host_b = after_scheme(b);
  if (host_a == NULL || host_b == NULL) return false;
  size_t length = (size_t)(host_a - a) + strcspn(host_a, "/");
  return length == (size_t)(host_b - b) + strcspn(host_b, "/") && strncasecmp(a, b, length) == 0;
}

/* OPENAI_API_KEY is for the server of OPENAI_BASE_URL, or for OpenAI's: a rule file, which may be somebody else's, must
 * not send it elsewhere without saying so. */
static bool may_get_default_key(const ee_provider_settings *settings, const char *url) {
  const char *own = variable("OPENAI_BASE_URL");
  if (settings->url.length == 0 || ee_str_is(settings->key_env, DEFAULT_KEY_NAME)) return true;
  return is_same_server(url, DEFAULT_URL) || (own != NULL && is_same_server(url, own));
}

/* The host of a base URL, with its port. */
static const char *host_of(ee_arena *arena, const char *url) {
  const char *host = after_scheme(url);
  return host == NULL ? "" : ee_arena_copy(arena, host, strcspn(host, "/"));
}

/* Warns of a key that others can read on its way. */
static void check_way(ee_arena *arena, server_setup *setup) {
  bool open = strncasecmp(setup->url, "http:", 5) == 0 && !ee_http_is_loopback(setup->url);
  if (setup->key != NULL && open)
    setup->warning = ee_arena_printf(arena, "the key goes to '%s' over http, where others can read it (use https)",
                                     host_of(arena, setup->url));
}

/* Call read_url() first. */
static ee_status read_key(const ee_provider_settings *settings, ee_arena *arena, server_setup *setup, ee_error *error) {
  ee_str key = settings->key;
  const char *name = settings->key_env.length > 0 ? copy(arena, settings->key_env) : DEFAULT_KEY_NAME;
  bool is_own = strcmp(name, DEFAULT_KEY_NAME) != 0 || may_get_default_key(settings, setup->url);
  const char *value = variable(name);
  setup->no_key = is_own ? ee_arena_printf(arena, "%s is not set", name) : "the rule file has no key_env";
  if (key.length > 0) {
    name = "key";
  } else if (value != NULL && is_own) {
    key = ee_str_from(value);
  } else if (value != NULL) {
    setup->warning = ee_arena_printf(arena,
                                     "OPENAI_API_KEY is not sent to '%s', which the rule file names (with "
                                     "key_env = \"OPENAI_API_KEY\" it is)",
                                     host_of(arena, setup->url));
  }
  /* A line break in a key would be a header of its own. */
  for (size_t i = 0; i < key.length; i++) {
    if (key.data[i] > ' ' && key.data[i] <= '~') continue;
    return ee_error_set(
        error, EE_ERROR_RULES,
        "the '%s' of provider 'openai' has a character that is not allowed, such as a space or a line break", name);
  }
  if (key.length > 0) setup->key = ee_arena_copy(arena, key.data, key.length);
  check_way(arena, setup);
  return EE_OK;
}

/* Settings: cache ------------------------------------------------------------------------------ */

#ifdef EE_WITH_SQLITE

/* Makes the missing folders of `file`. Errors show when the file is opened. */
static void make_folders(ee_arena *arena, const char *file) {
  char *folder = ee_arena_copy(arena, file, strlen(file));
  for (char *slash = folder + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
    *slash = '\0';
    mkdir(folder, 0700);
    *slash = '/';
  }
}

/* By the specification of XDG_CACHE_HOME, a relative path is ignored. */
const char *ee_openai_usual_cache(ee_arena *arena, bool make) {
  const char *named = variable("EVALENGINE_CACHE");
  if (named != NULL) return copy(arena, ee_str_from(named));
  const char *folder = variable("XDG_CACHE_HOME");
  const char *home = variable("HOME");
  const char *file = NULL;
  if (folder != NULL && folder[0] == '/') {
    file = ee_arena_printf(arena, "%s/evalengine/answers.sqlite", folder);
  } else if (home != NULL) {
    file = ee_arena_printf(arena, "%s/.cache/evalengine/answers.sqlite", home);
  }
  if (file != NULL && make) make_folders(arena, file);
  return file;
}

static ee_status read_cache(const ee_provider_settings *settings, bool offline, ee_arena *arena, server_setup *setup,
                            ee_error *error) {
  if (settings->no_cache) return EE_OK;
  if (settings->cache.length > 0) {
    /* Relative to the rule file, so that it does not depend on the current folder. */
    setup->cache = ee_file_name_beside(arena, settings->rule_file, settings->cache);
  } else {
    setup->cache = ee_openai_usual_cache(arena, !offline);
  }
  if (setup->cache != NULL) return EE_OK;
  return ee_error_set(
      error, EE_ERROR_SYSTEM,
      "no folder for the cache of provider 'openai': HOME is not set (cache = \"FILE\", or cache = false)");
}

#else

const char *ee_openai_usual_cache(ee_arena *arena, bool make) {
  (void)arena, (void)make;
  return NULL;
}

static ee_status read_cache(const ee_provider_settings *settings, bool offline, ee_arena *arena, server_setup *setup,
                            ee_error *error) {
  (void)offline, (void)arena, (void)setup;
  bool named = settings->cache.length > 0 || variable("EVALENGINE_CACHE") != NULL;
  if (settings->no_cache || !named) return EE_OK;
  return ee_error_set(error, EE_ERROR_RULES, "this evalengine was built without SQLite, which a cache needs");
}

#endif

/* Reads what the rule file and the environment say about the server. Fails with EE_ERROR_RULES for a bad URL, without a
 * model, and for a cache when SQLite was left out of the build; with EE_ERROR_SYSTEM when there is no folder for a
 * cache. Makes the folders of the user's cache unless `offline`. */
static ee_status read_setup(const ee_provider_settings *settings, bool offline, ee_arena *arena, server_setup *setup,
                            ee_error *error) {
  *setup = (server_setup){0};
  ee_status status = read_url(settings, arena, setup, error);
  if (status == EE_OK) status = read_model(settings, arena, setup, error);
  if (status == EE_OK) status = read_key(settings, arena, setup, error);
  if (status == EE_OK) status = read_cache(settings, offline, arena, setup, error);
  return status;
}

/* Tickets -------------------------------------------------------------------------------------- */

static void wait_a_little(openai_provider *provider) {
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += MAX_WAIT_NS;
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  pthread_cond_timedwait(&provider->changed, &provider->mutex, &until);
}

/* Waits until `ticket` is the current one and no other thread sends; false if stopped. */
static bool start_sending(openai_provider *provider, uint64_t ticket, const ee_stop *stop) {
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

static void stop_sending(openai_provider *provider) {
  pthread_mutex_lock(&provider->mutex);
  provider->busy = false;
  pthread_cond_broadcast(&provider->changed);
  pthread_mutex_unlock(&provider->mutex);
}

/* Removes `ticket` from those that ended early; false when it is not one of them. */
static bool take_ended(openai_provider *provider, uint64_t ticket) {
  for (size_t i = 0; i < provider->ended.count; i++) {
    if (provider->ended.items[i] != ticket) continue;
    provider->ended.items[i] = provider->ended.items[--provider->ended.count];
    return true;
  }
  return false;
}

static void unlock(void *mutex) { pthread_mutex_unlock(mutex); }

/* Does not wait: a ticket that ends before its predecessors is only remembered. */
static void end_ticket(openai_provider *provider, uint64_t ticket) {
  if (ticket == EE_NO_TICKET) return;
  pthread_mutex_lock(&provider->mutex);
  ee_cleanup cleanup; /* the list may not get its memory */
  ee_cleanup_add(&cleanup, unlock, &provider->mutex);
  *EE_LIST_ADD(&provider->ended, NULL) = ticket;
  while (take_ended(provider, provider->ticket)) provider->ticket++;
  pthread_cond_broadcast(&provider->changed);
  ee_cleanup_remove(&cleanup);
  pthread_mutex_unlock(&provider->mutex);
}

/* One round of sending ------------------------------------------------------------------------ */

/* The requests of a session that the cache does not answer, and the HTTP requests that carry them. */
typedef struct send_round {
  openai_provider *provider;
  ee_request_set *set;
  size_t *pending; /* their numbers in the set */
  size_t pending_count;
  ee_buffer text; /* reused for keys, answers and reasons */
} send_round;

static void note_fate(send_round *round, size_t number, ee_request_fate fate) {
  ee_request_log_note(&round->provider->log, round->set->items[number].hash, fate);
}

static void fail_request(send_round *round, size_t number, ee_str why, ee_request_fate fate) {
  ee_request_fail(round->set, &round->set->items[number], why);
  note_fate(round, number, fate);
}

/* Members of requests for which a completion has the messages alone as its key. */
#define PLAIN_MEMBERS EE_STR("\"temperature\":0")

/* Appends the chat messages of the request. */
static void write_messages(const ee_provider_request *request, ee_buffer *out) {
  if (request->kind == EE_REQUEST_PAIR) {
    ee_openai_write_comparison(out, request->first, request->second);
  } else {
    ee_buffer_add_str(out, request->first);
  }
}

/* Appends the key of the request's completion in the cache: all that is asked for, in whatever format the server took
 * it. */
static void write_key(const ee_provider_request *request, ee_buffer *out) {
  bool plain = request->kind == EE_REQUEST_PAIR ||
               (request->schema.length == 0 && request->sample == 0 && ee_str_equal(request->second, PLAIN_MEMBERS));
  if (!plain) ee_buffer_add_text(out, "{\"messages\":");
  write_messages(request, out);
  if (plain) return;
  ee_buffer_add_text(out, ",\"members\":{");
  ee_buffer_add_str(out, request->second);
  ee_buffer_add_text(out, "},\"schema\":");
  ee_buffer_add_str(out, request->schema.length > 0 ? request->schema : EE_STR("null"));
  ee_buffer_addf(out, ",\"sample\":%u}", request->sample);
}

static ee_str model_of(const openai_provider *provider, const ee_provider_request *request) {
  return request->kind == EE_REQUEST_CHAT ? provider->chat_model : provider->model;
}

/* `text` is of write_key(), and not looked at for texts. */
static ee_cache_key key_of(const openai_provider *provider, const ee_provider_request *request, ee_str text) {
  bool embedding = request->kind == EE_REQUEST_TEXT;
  return (ee_cache_key){.provider = provider->server,
                        .model = model_of(provider, request),
                        .kind = embedding ? EE_STR("embedding") : EE_STR("completion"),
                        .text = embedding ? request->first : text};
}

/* Answers the request from a completion in the set's arena. False with `why` when that is not usable. */
static bool take_completion(send_round *round, ee_provider_request *request, ee_str completion, ee_buffer *why) {
  if (request->kind == EE_REQUEST_CHAT) {
    ee_request_give_text(round->set, request, completion);
    return true;
  }
  double similarity;
  openai_provider *provider = round->provider;
  if (!ee_openai_read_similarity(completion, &provider->reading, &similarity, provider->key, why)) return false;
  ee_request_give_similarity(round->set, request, similarity);
  return true;
}

/* Why the model gave no answer to a request, which is kept beside completions: a run without requests says it again. A
 * run with requests asks again. */
#define DECLINED EE_STR("declined")

/* False when the cache has no such reason. */
static bool take_declined(send_round *round, size_t number, ee_str asked) {
  openai_provider *provider = round->provider;
  const ee_provider_request *request = &round->set->items[number];
  if (provider->cache == NULL || provider->offline == NULL || request->kind == EE_REQUEST_TEXT) return false;
  ee_cache_key key = key_of(provider, request, asked);
  key.kind = DECLINED;
  if (!ee_answer_cache_get(provider->cache, &key, &round->text)) return false;
  ee_str why = {round->text.data, round->text.length};
  if (ee_utf8_valid_prefix(why.data, why.length) < why.length) return false;
  bool known = ee_request_log_note(&provider->log, request->hash, EE_FATE_FAILED) == EE_FATE_FAILED;
  provider->log.cached += !known;
  provider->log.unusable += !known;
  ee_request_fail(round->set, &round->set->items[number], why);
  return true;
}

/* False when the cache has no answer or an unreadable one, so that the request is sent. */
static bool take_cached(send_round *round, ee_provider_request *request, ee_str asked) {
  openai_provider *provider = round->provider;
  if (provider->cache == NULL) return false;
  ee_cache_key key = key_of(provider, request, asked);
  if (!ee_answer_cache_get(provider->cache, &key, &round->text)) return false;
  ee_str found = {round->text.data, round->text.length};
  bool taken;
  if (request->kind == EE_REQUEST_TEXT) {
    ee_embedding embedding;
    taken = ee_openai_unpack(found, &round->set->arena, &embedding);
    if (taken) ee_request_give_embedding(round->set, request, embedding);
  } else {
    ee_buffer ignored;
    ee_buffer_init(&ignored);
    ee_str completion = {ee_arena_copy(&round->set->arena, found.data, found.length), found.length};
    taken = ee_utf8_valid_prefix(found.data, found.length) == found.length &&
            take_completion(round, request, completion, &ignored);
    ee_buffer_fini(&ignored);
  }
  if (!taken) return false;
  if (ee_request_log_note(&provider->log, request->hash, EE_FATE_KNOWN) == EE_FATE_KNOWN) {
    provider->log.known++;
  } else {
    provider->log.cached++;
  }
  return true;
}

/* Answers requests of one kind from the cache, texts or chats; the others become pending. */
static void look_up(send_round *round, bool texts) {
  ee_request_set *set = round->set;
  ee_buffer asked;
  ee_buffer_init(&asked);
  for (size_t i = 0; i < set->count; i++) {
    ee_provider_request *request = &set->items[i];
    bool is_text = request->kind == EE_REQUEST_TEXT;
    if (request->state != EE_ANSWER_PENDING || is_text != texts) continue;
    ee_buffer_clear(&asked);
    if (!is_text) write_key(request, &asked);
    ee_str key = {asked.data, asked.length};
    if (!take_cached(round, request, key) && !take_declined(round, i, key)) round->pending[round->pending_count++] = i;
  }
  ee_buffer_fini(&asked);
}

static void write_batch(const send_round *round, size_t first, size_t past, ee_buffer *body) {
  ee_str *texts = ee_calloc(past - first, sizeof *texts);
  for (size_t i = first; i < past; i++) texts[i - first] = round->set->items[round->pending[i]].first;
  ee_openai_write_embeddings(body, round->provider->model, texts, past - first);
  ee_free(texts);
}

static const ee_provider_request *pending_request(const send_round *round, size_t number) {
  return &round->set->items[round->pending[number]];
}

static void write_chat(send_round *round, const ee_provider_request *request, ee_answer_format format,
                       ee_buffer *body) {
  bool pair = request->kind == EE_REQUEST_PAIR;
  ee_buffer_clear(&round->text);
  write_messages(request, &round->text);
  ee_openai_write_chat(body, model_of(round->provider, request), pair ? PLAIN_MEMBERS : request->second,
                       pair ? EE_FORMAT_OBJECT : format, request->schema,
                       (ee_str){round->text.data, round->text.length});
}

/* Formats of answers --------------------------------------------------------------------------- */

/* Servers know JSON Schemas, or JSON objects, or neither. The first request with a schema goes alone: where its format
 * is refused, it goes again with the next one, and what the server has answered to is remembered. */

/* What is known of the request's schema; NULL: nothing can be, or it has none. */
static known_format *format_of(openai_provider *provider, const ee_provider_request *request) {
  if (request->schema.length == 0) return NULL;
  uint64_t hash = ee_hash_bytes(request->schema.data, request->schema.length, 0);
  for (size_t i = 0; i < provider->format_count; i++)
    if (provider->formats[i].schema == hash) return &provider->formats[i];
  if (provider->format_count == MAX_FORMATS) return NULL;
  known_format *added = &provider->formats[provider->format_count++];
  *added = (known_format){.schema = hash, .format = EE_FORMAT_SCHEMA};
  return added;
}

static ee_answer_format current_format(openai_provider *provider, const ee_provider_request *request) {
  const known_format *known = format_of(provider, request);
  return known != NULL ? known->format : EE_FORMAT_ANY;
}

/* Whether the reply may mean that the server does not know the format. */
static bool may_refuse_format(const ee_http_request *post) {
  return !post->done && (post->status == 400 || post->status == 415 || post->status == 422);
}

/* Answers -------------------------------------------------------------------------------------- */

static void keep(send_round *round, const ee_provider_request *request, ee_str asked, ee_str answer) {
  if (round->provider->cache == NULL) return;
  ee_cache_key key = key_of(round->provider, request, asked);
  ee_answer_cache_put(round->provider->cache, &key, answer);
}

static void keep_declined(send_round *round, const ee_provider_request *request, ee_str why) {
  if (round->provider->cache == NULL) return;
  ee_buffer_clear(&round->text);
  write_key(request, &round->text);
  ee_cache_key key = key_of(round->provider, request, (ee_str){round->text.data, round->text.length});
  key.kind = DECLINED;
  ee_answer_cache_put(round->provider->cache, &key, why);
}

static void add_usage(openai_provider *provider, const ee_openai_usage *usage) {
  provider->used.given = provider->used.given && usage->given;
  if (!usage->given) return;
  provider->used.input += usage->input;
  provider->used.output += usage->output;
}

/* Each returns false with the reason in `why` when the reply is not usable. */
static bool read_batch(send_round *round, ee_str body, size_t first, size_t past, ee_buffer *why) {
  openai_provider *provider = round->provider;
  ee_embedding *embeddings = ee_calloc(past - first, sizeof *embeddings);
  ee_openai_usage usage;
  bool usable = ee_openai_read_embeddings(body, past - first, &round->set->arena, &provider->reading, embeddings,
                                          &usage, provider->key, why);
  add_usage(provider, &usage);
  for (size_t i = first; usable && i < past; i++) {
    ee_provider_request *request = &round->set->items[round->pending[i]];
    ee_request_give_embedding(round->set, request, embeddings[i - first]);
    ee_buffer_clear(&round->text);
    ee_openai_pack(&round->text, embeddings[i - first]);
    keep(round, request, EE_STR(""), (ee_str){round->text.data, round->text.length});
  }
  ee_free(embeddings);
  return usable;
}

static bool read_completion(send_round *round, ee_str body, size_t number, ee_buffer *why) {
  openai_provider *provider = round->provider;
  ee_provider_request *request = &round->set->items[round->pending[number]];
  ee_str completion;
  ee_openai_usage usage;
  bool declined;
  bool usable = ee_openai_read_completion(body, &round->set->arena, &provider->reading, &completion, &usage, &declined,
                                          provider->key, why);
  add_usage(provider, &usage);
  if (declined) keep_declined(round, request, (ee_str){why->data, why->length});
  if (!usable || !take_completion(round, request, completion, why)) return false;
  ee_buffer_clear(&round->text);
  write_key(request, &round->text);
  keep(round, request, (ee_str){round->text.data, round->text.length}, completion);
  return true;
}

/* Reads the reply to pending[first..past). */
static void read_reply(send_round *round, const ee_http_request *request, size_t first, size_t past) {
  openai_provider *provider = round->provider;
  ee_str body = {request->answer.data, request->answer.length};
  bool texts = pending_request(round, first)->kind == EE_REQUEST_TEXT;
  if (request->attempts > 0) provider->log.sent += past - first;
  ee_buffer why;
  ee_buffer_init(&why);
  bool usable = false;
  if (!request->done) {
    ee_buffer_add_text(&why, request->failure);
    provider->log.failed += request->attempts > 0;
  } else {
    usable = texts ? read_batch(round, body, first, past, &why) : read_completion(round, body, first, &why);
    provider->log.unusable += !usable;
  }
  ee_request_fate fate = request->attempts > 0 ? EE_FATE_FAILED : EE_FATE_NOT_SENT;
  for (size_t i = first; i < past; i++) {
    if (usable) {
      note_fate(round, round->pending[i], EE_FATE_KNOWN);
    } else {
      fail_request(round, round->pending[i], (ee_str){why.data, why.length}, fate);
    }
  }
  ee_buffer_fini(&why);
}

/* Sending -------------------------------------------------------------------------------------- */

/* Sends pending[from..to), texts `batch` at a time and chats one by one, and reads the replies. Replies that came
 * before an interrupt were paid for: they are kept, too. */
static ee_status send_together(send_round *round, size_t from, size_t to, size_t batch, const ee_stop *stop) {
  openai_provider *provider = round->provider;
  size_t count = (to - from + batch - 1) / batch;
  ee_http_request *posts = ee_calloc(count, sizeof *posts);
  ee_buffer *bodies = ee_calloc(count, sizeof *bodies);
  for (size_t i = 0; i < count; i++) {
    size_t first = from + i * batch, past = to - first < batch ? to : first + batch;
    const ee_provider_request *request = pending_request(round, first);
    bool texts = request->kind == EE_REQUEST_TEXT;
    if (texts)
      write_batch(round, first, past, &bodies[i]);
    else
      write_chat(round, request, current_format(provider, request), &bodies[i]);
    posts[i] = (ee_http_request){.path = texts ? "/embeddings" : "/chat/completions",
                                 .body = {bodies[i].data, bodies[i].length},
                                 .max_answer = ee_openai_max_reply(texts ? past - first : 0)};
  }
  ee_status status = ee_http_perform(provider->http, posts, count, stop);
  if (provider->cache != NULL) ee_answer_cache_begin(provider->cache);
  for (size_t i = 0; i < count; i++) {
    size_t first = from + i * batch, past = to - first < batch ? to : first + batch;
    read_reply(round, &posts[i], first, past);
    ee_buffer_fini(&posts[i].answer);
    ee_buffer_fini(&bodies[i]);
  }
  if (provider->cache != NULL) ee_answer_cache_commit(provider->cache);
  ee_free(posts);
  ee_free(bodies);
  return status;
}

/* Sends one chat in one format after the other: it is not known yet how the server takes its schema. */
static ee_status send_first(send_round *round, size_t number, known_format *known, const ee_stop *stop) {
  openai_provider *provider = round->provider;
  ee_answer_format format = known->format;
  ee_buffer body;
  ee_buffer_init(&body);
  ee_http_request post;
  ee_status status;
  for (;; format++) {
    ee_buffer_clear(&body);
    write_chat(round, pending_request(round, number), format, &body);
    post = (ee_http_request){
        .path = "/chat/completions", .body = {body.data, body.length}, .max_answer = ee_openai_max_reply(0)};
    status = ee_http_perform(provider->http, &post, 1, stop);
    if (format == EE_FORMAT_ANY || status != EE_OK || !may_refuse_format(&post)) break;
    ee_buffer_fini(&post.answer);
  }
  if (post.done) *known = (known_format){.schema = known->schema, .format = format, .sure = true};
  if (provider->cache != NULL) ee_answer_cache_begin(provider->cache);
  read_reply(round, &post, number, number + 1);
  if (provider->cache != NULL) ee_answer_cache_commit(provider->cache);
  ee_buffer_fini(&post.answer);
  ee_buffer_fini(&body);
  return status;
}

static double cost_of(const openai_provider *provider) {
  return ((double)provider->used.input * provider->input_price +
          (double)provider->used.output * provider->output_price) /
         1e6;
}

static void add_cost(ee_buffer *out, double cost) {
  char text[32];
  ee_buffer_add(out, text, ee_double_format_short(cost, 6, text));
}

/* Whether more may be sent. If not, the reason is in `round->text`. */
static bool may_spend(send_round *round) {
  const openai_provider *provider = round->provider;
  if (provider->max_cost <= 0 || (provider->used.given && cost_of(provider) < provider->max_cost)) return true;
  ee_buffer_clear(&round->text);
  if (provider->used.given) {
    ee_buffer_add_text(&round->text, "budget used up: cost ");
    add_cost(&round->text, provider->max_cost);
  } else {
    ee_buffer_add_text(&round->text, "the server does not say how many tokens an answer took (usage), which max_cost "
                                     "needs");
  }
  return false;
}

/* Fails the requests from `from` on, which are not sent. */
static void drop(send_round *round, size_t from, ee_str why, ee_request_fate fate) {
  for (size_t i = from; i < round->pending_count; i++) fail_request(round, round->pending[i], why, fate);
}

/* How many of the chats from `from` on are sent together: those whose form the server is known to accept; with a limit
 * of costs no more than may be in flight, so that what is sent does not depend on which reply comes first. 0: the first
 * one goes alone. */
static size_t chats_together(const send_round *round, size_t from) {
  openai_provider *provider = round->provider;
  size_t limit = provider->max_cost > 0 ? provider->in_flight : SIZE_MAX, count = 0;
  for (; from + count < round->pending_count && count < limit; count++) {
    const known_format *known = format_of(provider, pending_request(round, from + count));
    if (known != NULL && !known->sure) break;
  }
  return count;
}

static ee_status send_chats(send_round *round, const ee_stop *stop) {
  openai_provider *provider = round->provider;
  ee_status status = EE_OK;
  for (size_t at = 0; at < round->pending_count;) {
    if (status != EE_OK) {
      drop(round, at, EE_STR("interrupted"), EE_FATE_NOT_SENT);
      break;
    }
    if (!may_spend(round)) {
      drop(round, at, (ee_str){round->text.data, round->text.length}, EE_FATE_NOT_SENT);
      break;
    }
    size_t count = chats_together(round, at);
    if (count > 0)
      status = send_together(round, at, at + count, 1, stop);
    else
      status = send_first(round, at, format_of(provider, pending_request(round, at)), stop);
    at += count > 0 ? count : 1;
  }
  return status;
}

static ee_status send_texts(send_round *round, const ee_stop *stop) {
  const openai_provider *provider = round->provider;
  ee_status status = EE_OK;
  size_t step = provider->max_cost > 0 ? provider->batch * provider->in_flight : round->pending_count;
  for (size_t at = 0; at < round->pending_count; at += step) {
    if (status != EE_OK) {
      drop(round, at, EE_STR("interrupted"), EE_FATE_NOT_SENT);
      break;
    }
    if (!may_spend(round)) {
      drop(round, at, (ee_str){round->text.data, round->text.length}, EE_FATE_NOT_SENT);
      break;
    }
    size_t to = round->pending_count - at < step ? round->pending_count : at + step;
    status = send_together(round, at, to, provider->batch, stop);
  }
  return status;
}

static void fail_offline(send_round *round) {
  const openai_provider *provider = round->provider;
  ee_buffer_clear(&round->text);
  ee_buffer_addf(&round->text, "%s (%s)", provider->setup.cache != NULL ? "not in the cache" : "not asked",
                 provider->offline);
  drop(round, 0, (ee_str){round->text.data, round->text.length}, EE_FATE_OFFLINE);
}

static ee_status ask_round(openai_session *session, const ee_stop *stop) {
  openai_provider *provider = session->provider;
  send_round round = {.provider = provider, .set = &session->set};
  round.pending = ee_calloc(session->set.count, sizeof *round.pending);
  ee_status status = EE_OK;
  for (int texts = 1; texts >= 0; texts--) {
    round.pending_count = 0;
    look_up(&round, texts);
    if (status != EE_OK)
      drop(&round, 0, EE_STR("interrupted"), EE_FATE_NOT_SENT);
    else if (provider->offline != NULL)
      fail_offline(&round);
    else
      status = texts ? send_texts(&round, stop) : send_chats(&round, stop);
  }
  ee_arena_reset(&provider->reading, READING_KEPT);
  ee_buffer_fini(&round.text);
  ee_free(round.pending);
  return status;
}

/* Sessions ------------------------------------------------------------------------------------- */

static ee_provider_session *open_session(ee_provider *provider, ee_error *error) {
  (void)error;
  openai_session *session = ee_calloc(1, sizeof *session);
  session->base.vtable = provider->vtable;
  session->provider = (openai_provider *)provider;
  session->ticket = EE_NO_TICKET;
  ee_request_set_init(&session->set);
  return &session->base;
}

static void end(ee_provider_session *self) {
  openai_session *session = (openai_session *)self;
  end_ticket(session->provider, session->ticket);
  session->ticket = EE_NO_TICKET;
}

static void close_session(ee_provider_session *self) {
  openai_session *session = (openai_session *)self;
  end(self); /* a session that was left early must not block the others */
  ee_request_set_fini(&session->set);
  ee_free(session);
}

static void begin(ee_provider_session *self, uint64_t ticket) {
  openai_session *session = (openai_session *)self;
  ee_request_set_clear(&session->set);
  session->ticket = ticket;
}

static ee_status ask(ee_provider_session *self, const ee_stop *stop) {
  openai_session *session = (openai_session *)self;
  if (session->set.pending == 0) return EE_OK;
  if (!start_sending(session->provider, session->ticket, stop)) return EE_ERROR_SYSTEM;
  ee_status status = ask_round(session, stop);
  stop_sending(session->provider);
  return status;
}

static void answer_with(const ee_provider_request *request, ee_answer *answer) {
  *answer = (ee_answer){.state = request->state, .similarity = request->similarity, .text = request->text};
}

/* Blank texts are like each other only, and servers refuse them. */
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
  ee_request_set *set = &((openai_session *)self)->set;
  size_t first = ee_request_set_add(set, EE_REQUEST_TEXT, expected, EE_STR(""));
  size_t second = ee_request_set_add(set, EE_REQUEST_TEXT, candidate, EE_STR(""));
  const ee_provider_request *a = &set->items[first], *b = &set->items[second];
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
  ee_request_set *set = &((openai_session *)self)->set;
  size_t number = ee_request_set_add(set, EE_REQUEST_PAIR, expected, candidate);
  answer_with(&set->items[number], answer);
}

static void complete(ee_provider_session *self, const ee_chat *chat, ee_arena *scratch, ee_answer *answer) {
  (void)scratch;
  ee_request_set *set = &((openai_session *)self)->set;
  size_t number = ee_request_set_add_chat(set, chat);
  answer_with(&set->items[number], answer);
}

/* The provider --------------------------------------------------------------------------------- */

static void tell_costs(const openai_provider *provider, ee_buffer *out) {
  if (provider->input_price > 0 || provider->output_price > 0) {
    ee_buffer_addf(out, "; %llu tokens sent, %llu answered, cost ", (unsigned long long)provider->used.input,
                   (unsigned long long)provider->used.output);
    add_cost(out, cost_of(provider));
    if (!provider->used.given) ee_buffer_add_text(out, " without the replies that do not say their tokens");
  }
  ee_answer_format worst = EE_FORMAT_SCHEMA;
  for (size_t i = 0; i < provider->format_count; i++)
    if (provider->formats[i].sure && provider->formats[i].format > worst) worst = provider->formats[i].format;
  if (worst == EE_FORMAT_OBJECT)
    ee_buffer_add_text(out, "; the server takes no JSON Schema: it was asked for a JSON object");
  if (worst == EE_FORMAT_ANY)
    ee_buffer_add_text(out, "; the server takes no response_format: the prompt alone asks for JSON");
}

static void tell(const ee_provider *self, ee_buffer *out) {
  const openai_provider *provider = (const openai_provider *)self;
  bool embeddings = provider->kind == EE_MODEL_EMBEDDINGS;
  ee_http_counts counts = {0};
  if (provider->http != NULL) counts = ee_http_counted(provider->http);
  const char *problem = provider->cache != NULL ? ee_answer_cache_problem(provider->cache) : NULL;
  if (ee_request_log_is_empty(&provider->log) && counts.requests == 0 && problem == NULL) return;
  ee_buffer_addf(out, "openai %s: ", embeddings ? "embeddings" : "chat");
  ee_request_log_print(&provider->log, counts.requests, counts.retries, embeddings ? "text" : "question",
                       provider->setup.cache != NULL, out);
  tell_costs(provider, out);
  if (provider->no_file) ee_buffer_addf(out, "; cache '%s' does not exist", provider->setup.cache);
  if (problem != NULL) ee_buffer_addf(out, "; %s", problem);
}

static void free_provider(ee_provider *self) {
  openai_provider *provider = (openai_provider *)self;
  if (provider->http != NULL) ee_http_free(provider->http);
  if (provider->cache != NULL) ee_answer_cache_close(provider->cache);
  pthread_cond_destroy(&provider->changed);
  pthread_mutex_destroy(&provider->mutex);
  ee_request_log_fini(&provider->log);
  ee_arena_fini(&provider->reading);
  if (provider->setup.key != NULL) explicit_bzero(provider->setup.key, strlen(provider->setup.key));
  ee_arena_fini(&provider->arena);
  EE_LIST_FINI(&provider->ended);
  ee_free(provider);
}

/* A model of embeddings has no completions. */
static const ee_provider_vtable embeddings_vtable = {.name = "openai",
                                                     .free = free_provider,
                                                     .tell = tell,
                                                     .open = open_session,
                                                     .close = close_session,
                                                     .similarity = embedding_similarity,
                                                     .begin = begin,
                                                     .ask = ask,
                                                     .end = end};

static const ee_provider_vtable both_vtable = {.name = "openai",
                                               .free = free_provider,
                                               .tell = tell,
                                               .open = open_session,
                                               .close = close_session,
                                               .similarity = embedding_similarity,
                                               .complete = complete,
                                               .begin = begin,
                                               .ask = ask,
                                               .end = end};

static const ee_provider_vtable chat_vtable = {.name = "openai",
                                               .free = free_provider,
                                               .tell = tell,
                                               .open = open_session,
                                               .close = close_session,
                                               .similarity = chat_similarity,
                                               .complete = complete,
                                               .begin = begin,
                                               .ask = ask,
                                               .end = end};

static ee_http *open_http(const ee_provider_settings *settings, const server_setup *setup, ee_error *error) {
  double timeout_ms = settings->timeout_s * 1000;
  if (!(timeout_ms > 0)) timeout_ms = DEFAULT_TIMEOUT_MS;
  if (timeout_ms > MAX_TIMEOUT_MS) timeout_ms = MAX_TIMEOUT_MS;
  double total_ms = settings->total_timeout_s * 1000;
  if (!(total_ms > 0)) total_ms = DEFAULT_TOTAL * timeout_ms;
  if (total_ms > DEFAULT_TOTAL * MAX_TIMEOUT_MS) total_ms = DEFAULT_TOTAL * MAX_TIMEOUT_MS;
  ee_http_settings http = {.url = setup->url,
                           .key = setup->key,
                           .no_key = setup->no_key,
                           .ca_file = settings->ca_file,
                           .timeout_ms = (long)timeout_ms,
                           .total_ms = (long)total_ms,
                           .retries = settings->retries,
                           .in_flight = settings->in_flight,
                           .requests_per_minute = settings->requests_per_minute,
                           .max_requests = settings->max_requests};
  return ee_http_new(&http, error);
}

static openai_provider *new_provider(const ee_provider_settings *settings, const char *offline) {
  openai_provider *provider = ee_calloc(1, sizeof *provider);
  provider->kind = settings->model_kind;
  provider->base.vtable = provider->kind == EE_MODEL_CHAT   ? &chat_vtable
                          : settings->chat_model.length > 0 ? &both_vtable
                                                            : &embeddings_vtable;
  provider->batch = settings->batch > 0 ? settings->batch : DEFAULT_BATCH;
  provider->offline = offline;
  provider->max_cost = settings->max_cost;
  provider->input_price = settings->input_price;
  provider->output_price = settings->output_price;
  provider->in_flight = settings->in_flight > 0 ? settings->in_flight : 1;
  provider->used.given = true;
  ee_arena_init(&provider->arena, 4096);
  ee_arena_init(&provider->reading, 0);
  pthread_mutex_init(&provider->mutex, NULL);
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC); /* setting the clock must not make a wait longer */
  pthread_cond_init(&provider->changed, &attributes);
  pthread_condattr_destroy(&attributes);
  return provider;
}

ee_provider *ee_openai_provider_open(const ee_provider_settings *settings, const char *offline, ee_error *error) {
  openai_provider *provider = new_provider(settings, offline);
  server_setup *setup = &provider->setup;
  if (read_setup(settings, offline != NULL, &provider->arena, setup, error) != EE_OK) goto failed;
  provider->server = ee_str_from(ee_arena_printf(&provider->arena, "openai %s", setup->url));
  provider->model = ee_str_from(setup->model);
  provider->chat_model = ee_str_from(setup->chat_model);
  if (setup->key != NULL) provider->key = ee_str_from(setup->key);
  if (offline == NULL) provider->base.warning = setup->warning;
  if (offline == NULL) {
    provider->http = open_http(settings, setup, error);
    if (provider->http == NULL) goto failed;
  }
  /* Offline, a missing file is not made: it has no answers, and none will be added. */
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
