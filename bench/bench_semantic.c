/* bench_semantic.c: nanoseconds a pair of texts for the provider 'local', by length and by what the texts share.
 *
 * The words are made of syllables and endings, several thousand different ones, so that neither the table of known
 * words nor the processor's caches hold a handful of them and nothing else. */
#include <stdio.h>
#include <stdlib.h>

#include "clock.h"
#include "provider/provider.h"
#include "random.h"

#define PAIRS 2000
#define WORDS 4000
#define ROUNDS 7
#define LONGEST 24

static void make_word(char *out) {
  static const char *const syllables[] = {"con", "tra", "vel", "mi",  "ser", "po", "den", "lan", "gu",  "ri",
                                          "sta", "ble", "nor", "com", "fa",  "ex", "pen", "hos", "tal", "um"};
  static const char *const endings[] = {"", "", "s", "ed", "ing", "er", "ation", "ly", "ment", "able"};
  size_t length = 0;
  for (unsigned left = 1 + below(3); left > 0; left--)
    length += (size_t)snprintf(out + length, LONGEST - length, "%s", syllables[below(20)]);
  snprintf(out + length, LONGEST - length, "%s", endings[below(10)]);
}

/* A third of the words of running English are stop words; one in twelve is a number, here. */
static void add_word(char *out, size_t size, char (*words)[LONGEST]) {
  static const char *const stop_words[] = {"the", "of", "and", "a", "to", "in", "is", "with", "for", "that"};
  if (below(3) == 0)
    snprintf(out, size, "%s", stop_words[below(10)]);
  else if (below(12) == 0)
    snprintf(out, size, "%u", below(2000));
  else
    snprintf(out, size, "%s", words[below(WORDS)]);
}

/* Texts of `length` words; of the second, `shared` in 100 are those of the first, somewhere else in the text. */
static void make_pair(size_t length, unsigned shared, char (*words)[LONGEST], ee_str pair[2]) {
  char(*chosen)[LONGEST] = malloc(length * sizeof *chosen);
  for (int side = 0; side < 2; side++) {
    for (size_t i = 0; i < length; i++)
      if (side == 0 || below(100) >= shared) add_word(chosen[i], LONGEST, words);
    for (size_t i = length; side == 1 && i > 1; i--) {
      size_t k = below((unsigned)i);
      char kept[LONGEST];
      memcpy(kept, chosen[i - 1], LONGEST);
      memcpy(chosen[i - 1], chosen[k], LONGEST);
      memcpy(chosen[k], kept, LONGEST);
    }
    char *text = malloc(length * (LONGEST + 1) + 1), *at = text;
    for (size_t i = 0; i < length; i++) at += sprintf(at, i > 0 ? " %s" : "%s", chosen[i]);
    *text = (char)(*text >= 'a' && *text <= 'z' ? *text - 32 : *text);
    at += sprintf(at, ".");
    pair[side] = (ee_str){text, (size_t)(at - text)};
  }
  free(chosen);
}

static void measure(const char *name, size_t length, unsigned shared, char (*words)[LONGEST],
                    ee_provider_session *session) {
  static ee_str pairs[PAIRS][2];
  size_t count = length > 1000 ? 4 : length > 100 ? 200 : PAIRS;
  size_t repeats = length > 100 ? 1 : 10;
  for (size_t i = 0; i < count; i++) make_pair(length, shared, words, pairs[i]);
  ee_arena scratch;
  ee_arena_init(&scratch, 0);
  double rounds[ROUNDS], sum = 0;
  ee_answer answer;
  for (size_t i = 0; i < count; i++) session->vtable->similarity(session, pairs[i][0], pairs[i][1], &scratch, &answer);
  for (int round = 0; round < ROUNDS; round++) {
    double start = now_s();
    for (size_t repeat = 0; repeat < repeats; repeat++)
      for (size_t i = 0; i < count; i++) {
        session->vtable->similarity(session, pairs[i][0], pairs[i][1], &scratch, &answer);
        sum += answer.similarity;
      }
    rounds[round] = (now_s() - start) * 1e6 / (double)(count * repeats);
  }
  double median = sort_for_median(rounds, ROUNDS);
  printf("  %-44s %8.2f us a pair (fastest %.2f, slowest %.2f; mean similarity %.3f)\n", name, median, rounds[0],
         rounds[ROUNDS - 1], sum / (double)(ROUNDS * repeats * count));
  ee_arena_fini(&scratch);
  for (size_t i = 0; i < count; i++)
    for (int side = 0; side < 2; side++) free((char *)(uintptr_t)pairs[i][side].data);
}

int main(void) {
  state = 42;
  static char words[WORDS][LONGEST];
  for (size_t i = 0; i < WORDS; i++) make_word(words[i]);
  ee_error error;
  ee_provider *provider = ee_local_provider_open(&(ee_provider_settings){.language = EE_STR("english")}, &error);
  ee_provider_session *session = provider != NULL ? provider->vtable->open(provider, &error) : NULL;
  if (session == NULL) {
    printf("semantic: %s\n", error.message);
    return 1;
  }
  printf("semantic, provider 'local', %d different words, medians of %d rounds\n", WORDS, ROUNDS);
  measure("10 words, none the same", 10, 0, words, session);
  measure("10 words, half of them the same", 10, 50, words, session);
  measure("10 words, all the same in another order", 10, 100, words, session);
  measure("100 words, half of them the same", 100, 50, words, session);
  measure("1,000 words, half of them the same", 1000, 50, words, session);
  measure("100,000 words, half of them the same", 100000, 50, words, session);
  session->vtable->close(session);
  provider->vtable->free(provider);
  return 0;
}
