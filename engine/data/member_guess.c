/* member_guess.c: names split into words, and values compared record by record. */
#include "data/member_guess.h"

#include <string.h>

#include "data/files/dataset.h"
#include "data/json/json_in_prose.h"
#include "data/json/json_reader.h"

/* Members that are looked at. */
#define MEMBERS 48
/* Records that are. */
#define RECORDS 2000
#define WORDS 8
#define ARENA_KEPT ((size_t)4 << 20)

/* How often the values of two members are alike. */
typedef struct likeness {
  uint32_t both, equal, alike;
} likeness;

typedef struct table {
  ee_str names[MEMBERS];
  size_t count;
  uint64_t first[MEMBERS]; /* hash of the first value */
  bool varies[MEMBERS];    /* values differ from it */
  likeness pairs[MEMBERS][MEMBERS];
  uint32_t records;
} table;

/* Names ----------------------------------------------------------------------------------------- */

typedef struct words {
  char items[WORDS][24];
  size_t count;
} words;

/* Lower-case words, split at capitals and at anything but letters and digits. */
static words split(ee_str name) {
  words result = {0};
  size_t length = 0;
  for (size_t i = 0; i <= name.length && result.count < WORDS; i++) {
    char c = i < name.length ? name.data[i] : '_';
    bool upper = c >= 'A' && c <= 'Z';
    bool part = upper || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c & 0x80) != 0;
    bool starts = upper && i > 0 && name.data[i - 1] >= 'a' && name.data[i - 1] <= 'z';
    if ((!part || starts) && length > 0) {
      result.items[result.count++][length] = '\0';
      length = 0;
    }
    if (part && result.count < WORDS && length + 1 < sizeof result.items[0])
      result.items[result.count][length++] = upper ? (char)(c - 'A' + 'a') : c;
  }
  return result;
}

/* Takes the first word that is one of `roles` out; false if there is none. */
static bool take_role(words *of, const char *const *roles) {
  for (size_t i = 0; i < of->count; i++)
    for (const char *const *role = roles; *role != NULL; role++) {
      if (strcmp(of->items[i], *role) != 0) continue;
      memmove(of->items[i], of->items[i + 1], (of->count - i - 1) * sizeof of->items[0]);
      of->count--;
      return true;
    }
  return false;
}

static bool are_same(const words *a, const words *b) {
  if (a->count != b->count || a->count == 0) return false;
  for (size_t i = 0; i < a->count; i++)
    if (strcmp(a->items[i], b->items[i]) != 0) return false;
  return true;
}

/* Whether the names are the same except for words of their sides. */
static bool names_say_so(ee_str expected, ee_str candidate) {
  static const char *const of_expected[] = {"gold",   "expected", "true",    "truth", "reference",
                                            "ref",    "target",   "correct", "label", "labeled",
                                            "golden", "human",    "gt",      "ideal", NULL};
  static const char *const of_candidate[] = {"generated", "predicted",   "prediction", "pred", "model",
                                             "candidate", "response",    "llm",        "ai",   "extracted",
                                             "system",    "predictions", "inferred",   NULL};
  words first = split(expected), second = split(candidate);
  words whole = first;
  if (!take_role(&second, of_candidate)) return false;
  return take_role(&first, of_expected) ? are_same(&first, &second) : are_same(&whole, &second);
}

/* Values ---------------------------------------------------------------------------------------- */

static size_t find_member(table *self, ee_str name, ee_arena *arena) {
  for (size_t i = 0; i < self->count; i++)
    if (ee_str_equal(self->names[i], name)) return i;
  if (self->count == MEMBERS) return MEMBERS;
  self->names[self->count] = (ee_str){ee_arena_copy(arena, name.data, name.length), name.length};
  return self->count++;
}

/* Whether two values could be answers to the same question: arrays, or objects that share half of their keys. */
static bool are_alike(const ee_value *a, const ee_value *b, ee_arena *arena) {
  if (ee_type_of(a) == EE_ARRAY) return ee_type_of(b) == EE_ARRAY;
  if (ee_type_of(a) != EE_OBJECT || ee_type_of(b) != EE_OBJECT) return false;
  size_t keys = 0, shared = 0;
  for (const ee_value *member = ee_value_child(a); member != NULL; member = ee_value_next(member)) {
    keys++;
    shared += ee_value_member(b, ee_value_key(member), arena) != NULL;
  }
  return keys > 0 && shared * 2 >= keys;
}

static const ee_value *open_text(const ee_value *value, ee_arena *arena) {
  if (ee_type_of(value) != EE_STRING) return value;
  ee_str text = ee_value_text(value);
  if (memchr(text.data, '{', text.length) == NULL && memchr(text.data, '[', text.length) == NULL) return value;
  const ee_value *inside = ee_json_in_prose_find(arena, text, NULL);
  return inside != NULL ? inside : value;
}

static void add_record(table *self, const ee_value *record, ee_arena *names, ee_arena *arena) {
  const ee_value *values[MEMBERS] = {0};
  uint64_t hashes[MEMBERS];
  self->records++;
  for (const ee_value *member = ee_value_child(record); member != NULL; member = ee_value_next(member)) {
    if (ee_type_of(member) == EE_NULL) continue;
    size_t before = self->count, at = find_member(self, ee_value_key(member), names);
    if (at == MEMBERS) continue;
    values[at] = open_text(member, arena);
    hashes[at] = ee_value_hash(values[at]);
    if (before < self->count) self->first[at] = hashes[at];
    self->varies[at] = self->varies[at] || hashes[at] != self->first[at];
  }
  for (size_t i = 0; i < self->count; i++)
    for (size_t k = 0; k < self->count; k++) {
      if (i == k || values[i] == NULL || values[k] == NULL) continue;
      likeness *pair = &self->pairs[i][k];
      bool equal =
          hashes[i] == hashes[k] && ee_value_equal(values[i], values[k]); /* unreached: two values of one hash */
      pair->both++;
      pair->equal += equal;
      pair->alike += equal || are_alike(values[i], values[k], arena);
    }
}

/* The first record decides whether there is anything to guess. */
static bool is_known(const ee_value *record, const ee_record_paths *paths, ee_str given_id, ee_arena *arena) {
  const ee_record_place place = {.given_id = given_id};
  ee_case current;
  return ee_type_of(record) != EE_OBJECT || ee_record_read(record, paths, &place, arena, &current, NULL) == EE_OK;
}

static bool read_files(table *self, const char *const *files, size_t count, const ee_record_paths *paths,
                       ee_arena *names) {
  ee_dataset *dataset = ee_dataset_open(files, count, NULL);
  if (dataset == NULL) return false;
  ee_dataset_look_inside(dataset, paths);
  ee_block block;
  ee_block_init(&block);
  ee_arena arena;
  ee_arena_init(&arena, 0);
  bool done = false, good = true;
  while (good && self->records < RECORDS && ee_dataset_next(dataset, &block, &done, NULL) == EE_OK && !done) {
    for (size_t i = 0; i < block.count && good && self->records < RECORDS; i++) {
      const ee_record_span *span = &block.records[i];
      ee_str text = {block.text.data + span->offset, span->length};
      const ee_value *record = ee_json_read_data(&arena, text, NULL);
      if (record == NULL) continue;
      if (self->records == 0) good = !is_known(record, paths, ee_block_given_id(&block, span), &arena);
      if (good && ee_type_of(record) == EE_OBJECT) add_record(self, record, names, &arena);
      ee_arena_reset(&arena, ARENA_KEPT);
    }
  }
  ee_arena_fini(&arena);
  ee_block_fini(&block);
  ee_dataset_close(dataset);
  return good && self->records > 0;
}

/* The choice ------------------------------------------------------------------------------------ */

static void set_pair(const table *self, size_t expected, size_t candidate, bool clear, ee_member_guess *guess) {
  *guess = (ee_member_guess){self->names[expected], self->names[candidate], clear};
}

static bool choose_by_names(const table *self, ee_member_guess *guess) {
  size_t found = 0;
  for (size_t i = 0; i < self->count; i++)
    for (size_t k = 0; k < self->count; k++) {
      if (i == k || !names_say_so(self->names[i], self->names[k])) continue;
      const likeness *pair = &self->pairs[i][k];
      bool clear = pair->both > 0 && (pair->equal * 5 >= pair->both || pair->alike * 2 >= pair->both);
      if (found++ == 0 || (clear && !guess->clear)) set_pair(self, i, k, clear, guess);
    }
  if (found > 1) guess->clear = false;
  return found > 0;
}

/* An id is equal to another one, and is neither answer. */
static bool is_id(ee_str name) {
  words of = split(name);
  return of.count > 0 && strcmp(of.items[of.count - 1], "id") == 0;
}

static bool choose_by_values(const table *self, ee_member_guess *guess) {
  uint32_t most = 0;
  for (size_t i = 0; i < self->count; i++)
    for (size_t k = i + 1; k < self->count; k++) {
      const likeness *pair = &self->pairs[i][k];
      bool enough = pair->both > 1 && self->varies[i] && self->varies[k] && pair->equal * 10 >= pair->both * 3;
      if (!enough || pair->equal <= most || is_id(self->names[i]) || is_id(self->names[k])) continue;
      most = pair->equal;
      set_pair(self, i, k, false, guess);
    }
  return most > 0;
}

bool ee_member_guess_find(const char *const *files, size_t count, const ee_record_paths *paths, ee_arena *arena,
                          ee_member_guess *guess) {
  *guess = (ee_member_guess){0};
  for (size_t i = 0; i < count; i++)
    if (strcmp(files[i], "-") == 0) return false;
  table *self = EE_NEW(arena, table);
  return read_files(self, files, count, paths, arena) &&
         (choose_by_names(self, guess) || choose_by_values(self, guess));
}

const char *ee_member_guess_text(const ee_member_guess *guess, ee_arena *arena) {
  return ee_arena_printf(arena, "--expected-path %.*s --candidate %.*s", EE_STR_ARG(guess->expected),
                         EE_STR_ARG(guess->candidate));
}
