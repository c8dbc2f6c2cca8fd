/* requests.c: a set of requests with their answers, and a log of all requests of a run. */
#include "provider/requests.h"

#include <math.h>
#include <stdlib.h>

#include "base/hash_index.h"
#include "base/memory.h"

/* Memory of a large block of cases that is kept for the next. */
#define ARENA_KEPT ((size_t)8 << 20)

/* Requests of a session ------------------------------------------------------------------------ */

void ee_request_set_init(ee_request_set *set) {
  *set = (ee_request_set){0};
  ee_arena_init(&set->arena, 0);
}

void ee_request_set_fini(ee_request_set *set) {
  ee_arena_fini(&set->arena);
  EE_LIST_FINI(set);
  ee_hash_index_fini(&set->index);
  ee_request_set_init(set);
}

void ee_request_set_clear(ee_request_set *set) {
  if (set->count == 0) return;
  ee_arena_reset(&set->arena, ARENA_KEPT);
  ee_hash_index_clear(&set->index);
  set->count = set->pending = 0;
}

static uint64_t hash_request(const ee_provider_request *request) {
  uint64_t hash = ee_hash_bytes(request->first.data, request->first.length, request->kind);
  if (request->kind == EE_REQUEST_TEXT) return hash;
  hash = ee_hash_bytes(request->second.data, request->second.length, hash);
  if (request->kind == EE_REQUEST_PAIR) return hash;
  return ee_hash_bytes(request->schema.data, request->schema.length, hash) + request->sample;
}

static bool same_request(const ee_provider_request *a, const ee_provider_request *b) {
  return a->kind == b->kind && a->sample == b->sample && ee_str_equal(a->first, b->first) &&
         ee_str_equal(a->second, b->second) && ee_str_equal(a->schema, b->schema);
}

static ee_str keep(ee_request_set *set, ee_str text) {
  return (ee_str){ee_arena_copy(&set->arena, text.data, text.length), text.length};
}

/* The index of an equal request; else of a copy. */
static size_t add_request(ee_request_set *set, ee_provider_request *request) {
  request->hash = hash_request(request);
  size_t at = 0, number;
  while (ee_hash_index_next(&set->index, request->hash, &at, &number))
    if (same_request(&set->items[number], request)) return number; /* unreached: two requests of one hash */
  ee_hash_index_add(&set->index, request->hash, set->count);
  request->state = EE_ANSWER_PENDING;
  request->first = keep(set, request->first);
  request->second = keep(set, request->second);
  request->schema = keep(set, request->schema);
  *EE_LIST_ADD(set, NULL) = *request;
  set->pending++;
  return set->count - 1;
}

size_t ee_request_set_add(ee_request_set *set, ee_request_kind kind, ee_str first, ee_str second) {
  ee_provider_request request = {.kind = kind, .first = first, .second = second, .schema = EE_STR("")};
  return add_request(set, &request);
}

size_t ee_request_set_add_chat(ee_request_set *set, const ee_chat *chat) {
  ee_buffer messages;
  ee_buffer_init(&messages);
  ee_openai_write_prompt(&messages, chat->system, chat->prompt);
  ee_provider_request request = {.kind = EE_REQUEST_CHAT,
                                 .first = {messages.data, messages.length},
                                 .second = chat->members,
                                 .schema = chat->schema,
                                 .sample = chat->sample};
  size_t number = add_request(set, &request);
  ee_buffer_fini(&messages);
  return number;
}

static void settle(ee_request_set *set, ee_provider_request *request, ee_answer_state state) {
  request->state = state;
  set->pending--;
}

void ee_request_give_embedding(ee_request_set *set, ee_provider_request *request, ee_embedding embedding) {
  request->embedding = embedding;
  request->square = 0;
  for (size_t i = 0; i < embedding.count; i++)
    request->square += (double)embedding.numbers[i] * (double)embedding.numbers[i];
  settle(set, request, EE_ANSWER_GIVEN);
}

void ee_request_give_similarity(ee_request_set *set, ee_provider_request *request, double similarity) {
  request->similarity = similarity;
  settle(set, request, EE_ANSWER_GIVEN);
}

void ee_request_give_text(ee_request_set *set, ee_provider_request *request, ee_str text) {
  request->text = text;
  settle(set, request, EE_ANSWER_GIVEN);
}

void ee_request_fail(ee_request_set *set, ee_provider_request *request, ee_str why) {
  request->text = (ee_str){ee_arena_copy(&set->arena, why.data, why.length), why.length};
  settle(set, request, EE_ANSWER_FAILED);
}

void ee_request_compare(const ee_provider_request *expected, const ee_provider_request *candidate, ee_answer *answer) {
  *answer = (ee_answer){.state = EE_ANSWER_FAILED};
  const ee_embedding *a = &expected->embedding, *b = &candidate->embedding;
  if (a->count != b->count) {
    answer->text = EE_STR("the embeddings of the two texts have different lengths");
    return;
  }
  /* Of floats, neither a square nor the product of two sums of squares leaves the range of a double, upwards or
   * downwards, and the root of a square is exact: equal embeddings give 1. */
  if (expected->square == 0 || candidate->square == 0) {
    answer->text = EE_STR("the embedding of a text has only zeros");
    return;
  }
  double product = 0;
  for (size_t i = 0; i < a->count; i++) product += (double)a->numbers[i] * (double)b->numbers[i];
  double cosine = product / sqrt(expected->square * candidate->square);
  answer->state = EE_ANSWER_GIVEN;
  answer->similarity = cosine <= 0 ? 0 : cosine >= 1 ? 1 : cosine;
}

/* The log of a run ----------------------------------------------------------------------------- */

void ee_request_log_fini(ee_request_log *log) {
  ee_hash_index_fini(&log->index);
  EE_LIST_FINI(&log->fates);
  *log = (ee_request_log){0};
}

ee_request_fate ee_request_log_note(ee_request_log *log, uint64_t hash, ee_request_fate fate) {
  log->counts[fate]++;
  size_t at = 0, number;
  if (!ee_hash_index_next(&log->index, hash, &at, &number)) {
    ee_hash_index_add(&log->index, hash, log->fates.count);
    *EE_LIST_ADD(&log->fates, NULL) = (uint8_t)fate;
    return EE_FATE_NONE;
  }
  ee_request_fate before = (ee_request_fate)log->fates.items[number];
  log->fates.items[number] = (uint8_t)fate;
  log->counts[before]--;
  return before;
}

bool ee_request_log_is_empty(const ee_request_log *log) { return log->fates.count == 0; }

/* Appends "3 texts" between `before` and `after`. */
static void print_count(ee_buffer *out, const char *before, uint64_t count, const char *one, const char *after) {
  ee_buffer_addf(out, "%s%llu %s%s%s", before, (unsigned long long)count, one, count == 1 ? "" : "s", after);
}

/* Why requests have no answer. The three counts are of HTTP requests, of replies and of requests. */
static void print_reasons(const ee_request_log *log, ee_buffer *out) {
  const char *before = " (";
  if (log->failed > 0) {
    print_count(out, before, log->failed, "request", " failed");
    before = ", ";
  }
  if (log->unusable > 0) {
    ee_buffer_addf(out, "%s%llu unusable answer%s", before, (unsigned long long)log->unusable,
                   log->unusable == 1 ? "" : "s");
    before = ", ";
  }
  if (log->counts[EE_FATE_NOT_SENT] > 0) ee_buffer_addf(out, "%s%zu not sent", before, log->counts[EE_FATE_NOT_SENT]);
  ee_buffer_add_char(out, ')');
}

void ee_request_log_print(const ee_request_log *log, uint64_t requests, uint64_t retries, const char *one,
                          bool has_cache, ee_buffer *out) {
  size_t unanswered = log->counts[EE_FATE_FAILED] + log->counts[EE_FATE_NOT_SENT];
  size_t offline = log->counts[EE_FATE_OFFLINE];
  print_count(out, "", requests, "request", "");
  if (log->sent > 0) print_count(out, " for ", log->sent, one, "");
  if (has_cache) print_count(out, ", ", log->cached, one, " from the cache");
  if (log->known > 0) ee_buffer_addf(out, ", %llu known from this run", (unsigned long long)log->known);
  if (offline > 0) print_count(out, ", ", offline, one, has_cache ? " not in the cache" : " not asked");
  if (retries > 0) ee_buffer_addf(out, ", %llu %s", (unsigned long long)retries, retries == 1 ? "retry" : "retries");
  if (unanswered == 0) return;
  print_count(out, "; ", unanswered, one, " without an answer");
  print_reasons(log, out);
}
