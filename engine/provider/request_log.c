/* request_log.c: a table of hashes. */
#include "provider/request_log.h"

#include <stdlib.h>

#include "base/memory.h"

void ee_request_log_init(ee_request_log *log) { *log = (ee_request_log){0}; }

void ee_request_log_fini(ee_request_log *log) {
  free(log->slots);
  ee_request_log_init(log);
}

/* The slot of the hash, or a free one. */
static struct ee_request_log_slot *find(const ee_request_log *log, uint64_t hash) {
  size_t at = (size_t)hash & (log->capacity - 1);
  while (log->slots[at].fate != EE_FATE_NONE && log->slots[at].hash != hash) at = (at + 1) & (log->capacity - 1);
  return &log->slots[at];
}

static void grow(ee_request_log *log) {
  ee_request_log larger = {.capacity = log->capacity > 0 ? log->capacity * 2 : 64};
  larger.slots = ee_calloc(larger.capacity, sizeof *larger.slots);
  for (size_t i = 0; i < log->capacity; i++) {
    if (log->slots[i].fate != EE_FATE_NONE) *find(&larger, log->slots[i].hash) = log->slots[i];
  }
  free(log->slots);
  log->slots = larger.slots;
  log->capacity = larger.capacity;
}

ee_request_fate ee_request_log_note(ee_request_log *log, uint64_t hash, ee_request_fate fate) {
  size_t count = 0;
  for (size_t i = EE_FATE_NONE + 1; i < EE_FATES; i++) count += log->counts[i];
  if ((count + 1) * 2 > log->capacity) grow(log);
  struct ee_request_log_slot *slot = find(log, hash);
  ee_request_fate before = slot->fate;
  if (before != EE_FATE_NONE) log->counts[before]--;
  slot->hash = hash;
  slot->fate = fate;
  log->counts[fate]++;
  return before;
}

bool ee_request_log_is_empty(const ee_request_log *log) { return log->capacity == 0; }

/* Printing ------------------------------------------------------------------------------------- */

/* "3 texts", with `before` in front and `behind` at the end. */
static void print_count(ee_buffer *out, const char *before, uint64_t count, const char *one, const char *behind) {
  ee_buffer_addf(out, "%s%llu %s%s%s", before, (unsigned long long)count, one, count == 1 ? "" : "s", behind);
}

/* Why there are questions without an answer: requests, answers and questions are counted apart. */
static void print_reasons(const ee_request_log *log, ee_buffer *out) {
  const char *before = " (";
  if (log->failed > 0) {
    print_count(out, before, log->failed, "request", " failed");
    before = ", ";
  }
  if (log->unusable > 0) {
    ee_buffer_addf(out, "%s%llu answer%s of no use", before, (unsigned long long)log->unusable,
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
