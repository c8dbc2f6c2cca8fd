/* run_identity.c: the traits of a run as hashes, and in words what differs. */
#include "cli/run_identity.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash_index.h"
#include "base/running_hash.h"
#include "cli/deciding_options.h"
#include "data/json/checked_line.h"
#include "judge/decimal_votes.h"

static const struct {
  const char *key, *words;
} traits[EE_TRAIT_COUNT] = {
    [EE_TRAIT_VERSION] = {"version", "another version of evalengine"},
    [EE_TRAIT_RULES] = {"rules", "other rules"},
    [EE_TRAIT_OPTIONS] = {"options", "other options"},
    [EE_TRAIT_DATA] = {"data", "other data files"},
    [EE_TRAIT_EXPECTED] = {"expected", "other expected values"},
    [EE_TRAIT_MODEL] = {"model", "another model"},
};

static uint64_t hash_text(const char *text) { return ee_hash_bytes(text, strlen(text), 0); }

static void add_word(ee_running_hash *hash, const char *word) { ee_running_hash_add_text(hash, ee_str_from(word)); }

/* Ends a hash. */
static uint64_t value_of(ee_running_hash *hash) {
  uint64_t value = ee_running_hash_value(hash);
  ee_running_hash_free(hash);
  return value;
}

/* Beside the options as they are given: what they, or their defaults, make of the rows, and what the first look at all
 * of the data has decided. */
static uint64_t hash_options(const ee_options *options, const ee_plan *plan, ee_run_keeps keeps) {
  ee_running_hash *hash = ee_running_hash_new();
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_running_hash_add_text(hash, ee_lasting_options(options, &arena));
  add_word(hash, ee_options_detail(options) == EE_DETAIL_FULL ? "full" : "misses");
  add_word(hash, keeps.collected ? "collected" : "");
  add_word(hash, keeps.places ? "places" : "");
  add_word(hash, options->state != NULL ? "part" : "");
  for (size_t i = 0; i < plan->decimals->count; i++) {
    const ee_decimal_votes *votes = &plan->decimals->items[i].votes;
    const char signs[] = {ee_decimal_votes_sign(votes, EE_EXPECTED), ee_decimal_votes_sign(votes, EE_CANDIDATE), '\0'};
    add_word(hash, signs);
  }
  ee_arena_fini(&arena);
  return value_of(hash);
}

static uint64_t hash_names(const char *const *names, size_t count) {
  ee_running_hash *hash = ee_running_hash_new();
  for (size_t i = 0; i < count; i++) add_word(hash, names[i]);
  return value_of(hash);
}

static uint64_t hash_expected(const ee_inputs *inputs) {
  if (inputs->expected == NULL) return 0;
  uint64_t content = ee_expected_set_hash(inputs->expected);
  return ee_hash_mix(content) ^ hash_text(inputs->expected_file);
}

static uint64_t hash_model(const ee_plan *plan) {
  static const char *const variables[] = {"OPENAI_BASE_URL", "OPENAI_MODEL"};
  if (!plan->needs_provider) return 0;
  const char *values[2];
  for (size_t i = 0; i < 2; i++) {
    values[i] = getenv(variables[i]);
    if (values[i] == NULL) values[i] = "";
  }
  return hash_names(values, 2);
}

ee_run_identity ee_run_identity_of(const ee_options *options, const ee_plan *plan, const ee_inputs *inputs,
                                   ee_run_keeps keeps) {
  return (ee_run_identity){.program = EE_VERSION,
                           .traits = {[EE_TRAIT_VERSION] = hash_text(EE_VERSION),
                                      [EE_TRAIT_RULES] = plan->rules_hash,
                                      [EE_TRAIT_OPTIONS] = hash_options(options, plan, keeps),
                                      [EE_TRAIT_DATA] = hash_names(inputs->files, inputs->file_count),
                                      [EE_TRAIT_EXPECTED] = hash_expected(inputs),
                                      [EE_TRAIT_MODEL] = hash_model(plan)}};
}

void ee_run_identity_write(const ee_run_identity *identity, ee_buffer *out) {
  ee_buffer_addf(out, ",\"program\":\"%s\"", identity->program);
  for (size_t i = 0; i < EE_TRAIT_COUNT; i++)
    ee_buffer_addf(out, ",\"%s\":\"%016" PRIx64 "\"", traits[i].key, identity->traits[i]);
}

bool ee_run_identity_read(const ee_value *object, ee_run_identity *identity) {
  ee_str program = ee_value_get_text(object, "program", "");
  size_t length = ee_utf8_cut(program, sizeof identity->program - 1);
  snprintf(identity->program, sizeof identity->program, "%.*s", (int)length, program.data);
  for (size_t i = 0; i < EE_TRAIT_COUNT; i++) {
    const ee_value *member = ee_value_member(object, ee_str_from(traits[i].key), NULL);
    /* unreached: the header's checksum was right */
    if (ee_type_of(member) != EE_STRING || !ee_read_hash_text(ee_value_text(member), &identity->traits[i]))
      return false; /* unreached: as the line before */
  }
  return true;
}

const char *ee_run_identity_difference(const ee_run_identity *wanted, const ee_run_identity *found, ee_arena *arena) {
  const char *list = NULL, *last = NULL;
  for (size_t i = 0; i < EE_TRAIT_COUNT; i++) {
    if (wanted->traits[i] == found->traits[i]) continue;
    if (last != NULL) list = list == NULL ? last : ee_arena_printf(arena, "%s, %s", list, last);
    last = traits[i].words;
    if (i == EE_TRAIT_VERSION && *found->program != '\0')
      last = ee_arena_printf(arena, "version %s of evalengine", found->program);
  }
  return list == NULL ? last : ee_arena_printf(arena, "%s and %s", list, last);
}
