/* watchdog.c: the thread that ends the process when a call into Lua never returns. */
#include "lua/watchdog.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <evalengine.h>

#include "base/memory.h"

enum { PERIOD_MS = 250 };

struct ee_watchdog {
  pthread_t thread;
  pthread_mutex_t lock; /* guards the list of slots and `stopping` */
  pthread_cond_t wake;
  bool stopping;
  unsigned seconds;
  ee_watchdog_slot *slots;
};

static uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Prints what hangs and ends the process, unless the call returned while its description was read. */
static void give_up(const ee_watchdog *watchdog, ee_watchdog_slot *slot) {
  uint64_t words[EE_WATCHDOG_ID / 8 + 1] = {0};
  for (size_t i = 0; i < EE_WATCHDOG_ID / 8; i++) words[i] = atomic_load_explicit(&slot->id[i], memory_order_relaxed);
  char id[sizeof(words)];
  memcpy(id, words, sizeof(words));
  const char *file = atomic_load_explicit(&slot->file, memory_order_relaxed);
  size_t line = atomic_load_explicit(&slot->line, memory_order_relaxed);
  if (atomic_load_explicit(&slot->calls, memory_order_acquire) != slot->seen) return;

  char text[1024];
  int length = snprintf(text, sizeof(text), "evalengine: ");
  size_t at = (size_t)length;
  if (file != NULL && line != 0) at += (size_t)snprintf(text + at, sizeof(text) - at, "%.300s:%zu: ", file, line);
  if (file != NULL && line == 0) at += (size_t)snprintf(text + at, sizeof(text) - at, "%.300s: ", file);
  at += (size_t)snprintf(text + at, sizeof(text) - at, "a call has not returned for %u s", watchdog->seconds);
  if (id[0] != '\0') at += (size_t)snprintf(text + at, sizeof(text) - at, " (case '%s')", id);
  text[at++] = '\n';
  /* If stderr cannot be written, there is nothing else to do. */
  if (write(STDERR_FILENO, text, at) < 0) _exit(EE_ERROR_SYSTEM);
  _exit(EE_ERROR_SYSTEM);
}

static void look_at(const ee_watchdog *watchdog, ee_watchdog_slot *slot, uint64_t now) {
  uint64_t calls = atomic_load_explicit(&slot->calls, memory_order_acquire);
  if (calls != slot->seen || calls % 2 == 0) {
    slot->seen = calls;
    slot->since_ns = now;
  } else if (now - slot->since_ns >= (uint64_t)watchdog->seconds * 1000000000u) {
    give_up(watchdog, slot);
  }
}

static void *watch(void *user) {
  ee_watchdog *watchdog = user;
  pthread_mutex_lock(&watchdog->lock);
  while (!watchdog->stopping) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += PERIOD_MS * 1000000L;
    if (until.tv_nsec >= 1000000000L) {
      until.tv_sec += 1;
      until.tv_nsec -= 1000000000L;
    }
    pthread_cond_timedwait(&watchdog->wake, &watchdog->lock, &until);
    uint64_t now = now_ns();
    for (ee_watchdog_slot *slot = watchdog->slots; slot != NULL; slot = slot->next) look_at(watchdog, slot, now);
  }
  pthread_mutex_unlock(&watchdog->lock);
  return NULL;
}

ee_watchdog *ee_watchdog_start(unsigned seconds) {
  ee_watchdog *watchdog = ee_calloc(1, sizeof(*watchdog));
  watchdog->seconds = seconds == 0 ? EE_WATCHDOG_SECONDS : seconds;
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_mutex_init(&watchdog->lock, NULL);
  pthread_cond_init(&watchdog->wake, &attributes);
  pthread_condattr_destroy(&attributes);
  if (pthread_create(&watchdog->thread, NULL, watch, watchdog) == 0) return watchdog;
  pthread_cond_destroy(&watchdog->wake);
  pthread_mutex_destroy(&watchdog->lock);
  ee_free(watchdog);
  return NULL;
}

void ee_watchdog_stop(ee_watchdog *watchdog) {
  if (watchdog == NULL) return;
  pthread_mutex_lock(&watchdog->lock);
  watchdog->stopping = true;
  pthread_cond_signal(&watchdog->wake);
  pthread_mutex_unlock(&watchdog->lock);
  pthread_join(watchdog->thread, NULL);
  pthread_cond_destroy(&watchdog->wake);
  pthread_mutex_destroy(&watchdog->lock);
  ee_free(watchdog);
}

ee_watchdog_slot *ee_watchdog_join(ee_watchdog *watchdog) {
  ee_watchdog_slot *slot = ee_calloc(1, sizeof(*slot));
  slot->owner = watchdog;
  pthread_mutex_lock(&watchdog->lock);
  slot->next = watchdog->slots;
  watchdog->slots = slot;
  pthread_mutex_unlock(&watchdog->lock);
  return slot;
}

void ee_watchdog_leave(ee_watchdog_slot *slot) {
  if (slot == NULL) return;
  ee_watchdog *watchdog = slot->owner;
  pthread_mutex_lock(&watchdog->lock);
  ee_watchdog_slot **link = &watchdog->slots;
  while (*link != slot) link = &(*link)->next;
  *link = slot->next;
  pthread_mutex_unlock(&watchdog->lock);
  ee_free(slot);
}

void ee_watchdog_case(ee_watchdog_slot *slot, ee_str id) {
  uint64_t words[EE_WATCHDOG_ID / 8] = {0};
  if (id.length != 0) memcpy(words, id.data, ee_utf8_cut(id, sizeof(words)));
  for (size_t i = 0; i < EE_WATCHDOG_ID / 8; i++) atomic_store_explicit(&slot->id[i], words[i], memory_order_relaxed);
}
