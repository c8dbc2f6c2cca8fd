/* absent_path.c: collects the keys next to an absent path, and chooses the one that was probably meant. */
#include "run/absent_path.h"

#include <string.h>

#include "base/error.h"
#include "base/list.h"

/* Cases ---------------------------------------------------------------------------------------- */

/* The place of a case with this id among the examined ones; EE_ABSENT_CASES: it is not one of them. */
static size_t place_of(const struct ee_absent_side *side, ee_str id) {
  size_t place = side->cases;
  while (place > 0 && ee_str_compare(id, side->items[place - 1].id) < 0) place--;
  return place;
}

/* Puts a case there; the one that leaves the list lends its memory. */
static void insert(struct ee_absent_side *side, ee_arena *arena, size_t place, ee_str id, ee_str text) {
  if (side->items == NULL) side->items = EE_NEW_ARRAY(arena, ee_case_example, EE_ABSENT_CASES);
  if (side->cases < EE_ABSENT_CASES) side->cases++;
  ee_case_example added = side->items[side->cases - 1];
  memmove(&side->items[place + 1], &side->items[place], (side->cases - 1 - place) * sizeof added);
  added.id = (ee_str){NULL, 0}; /* its memory only */
  ee_case_example_offer(&added, arena, id, text, EE_STR(""));
  side->items[place] = added;
}

/* Only equal values count as agreeing: that is evidence enough. */
static void print_keys(const ee_value *around, const ee_value *value, ee_buffer *text) {
  size_t keys = 0;
  ee_buffer_clear(text);
  if (ee_type_of(around) == EE_ARRAY) {
    ee_buffer_add_char(text, '[');
    return;
  }
  for (const ee_value *item = ee_value_child(around); item != NULL && keys < EE_ABSENT_KEYS;
       item = ee_value_next(item), keys++) {
    ee_buffer_add_char(text, value != NULL && ee_value_equal(item, value) ? '+' : '-');
    ee_buffer_add_u64(text, ee_value_key(item).length);
    ee_buffer_add_char(text, ':');
    ee_buffer_add_str(text, ee_value_key(item));
  }
}

void ee_absent_path_add(ee_absent_path *path, ee_arena *arena, const ee_attribute_result *attribute, ee_str id,
                        ee_buffer *text) {
  for (int i = EE_EXPECTED; i <= EE_CANDIDATE; i++) {
    path->there[i] |= attribute->there[i];
    struct ee_absent_side *side = &path->sides[i];
    if (path->there[i]) side->cases = 0;
    const ee_value *around = attribute->absence != NULL ? attribute->absence->around[i] : NULL;
    if (around == NULL || path->there[i]) continue;
    size_t place = place_of(side, id);
    if (place == EE_ABSENT_CASES) continue;
    print_keys(around, attribute->absence->value, text);
    insert(side, arena, place, id, (ee_str){text->data, text->length});
  }
}

void ee_absent_path_merge(ee_absent_path *path, ee_arena *arena, const ee_absent_path *from) {
  for (int i = EE_EXPECTED; i <= EE_CANDIDATE; i++) {
    path->there[i] |= from->there[i];
    struct ee_absent_side *side = &path->sides[i];
    const struct ee_absent_side *part = &from->sides[i];
    if (path->there[i]) side->cases = 0;
    for (size_t k = 0; k < part->cases && !path->there[i]; k++) {
      size_t place = place_of(side, part->items[k].id);
      if (place == EE_ABSENT_CASES) break;
      insert(side, arena, place, part->items[k].id, part->items[k].text);
    }
  }
}

/* Keys ----------------------------------------------------------------------------------------- */

typedef struct absent_key {
  ee_str name;
  bool agrees;
} absent_key;

/* Takes the next key off `text`; false at the end, and where there is an array. */
static bool next_key(ee_str *text, absent_key *key) {
  size_t at = 1, length = 0;
  if (text->length == 0 || text->data[0] == '[') return false;
  for (; at < text->length && text->data[at] != ':'; at++) length = 10 * length + (size_t)(text->data[at] - '0');
  if (at == text->length || length > text->length - at - 1) return false;
  *key = (absent_key){{text->data + at + 1, length}, text->data[0] == '+'};
  const size_t end = at + 1 + length;
  text->data += end;
  text->length -= end;
  return true;
}

uint32_t ee_absent_path_arrays(const ee_absent_path *path, ee_document_side side) {
  uint32_t count = 0;
  for (size_t i = 0; i < path->sides[side].cases; i++) count += ee_str_is(path->sides[side].items[i].text, "[");
  return count;
}

static bool is_taken(ee_str name, const char *const *taken) {
  for (; *taken != NULL; taken++)
    if (ee_str_is(name, *taken)) return true;
  return false;
}

/* A name, and in how many cases its value agrees. */
typedef struct counted_key {
  ee_str name;
  uint32_t agreements;
} counted_key;

typedef struct counted_keys {
  EE_LIST(counted_key);
} counted_keys;

static void count_key(counted_keys *keys, absent_key key, ee_arena *arena) {
  size_t i = 0;
  while (i < keys->count && !ee_str_equal(keys->items[i].name, key.name)) i++;
  if (i == keys->count) *EE_LIST_ADD(keys, arena) = (counted_key){.name = key.name};
  keys->items[i].agreements += key.agrees;
}

ee_str ee_absent_path_meant(const ee_absent_path *path, ee_document_side document, ee_str name,
                            const char *const *taken, ee_arena *arena, uint32_t *agreed) {
  const struct ee_absent_side *side = &path->sides[document];
  counted_keys keys = {0};
  for (size_t i = 0; i < side->cases; i++) {
    ee_str text = side->items[i].text;
    for (absent_key key; next_key(&text, &key);)
      if (!is_taken(key.name, taken)) count_key(&keys, key, arena);
  }
  const char **words = EE_NEW_ARRAY(arena, const char *, keys.count + 1);
  ee_str best = EE_STR("");
  *agreed = 0;
  for (size_t i = 0; i < keys.count; i++) {
    const counted_key *key = &keys.items[i];
    words[i] = ee_arena_copy(arena, key->name.data, key->name.length);
    if (key->agreements <= *agreed || key->agreements * 3 < side->cases) continue;
    *agreed = key->agreements;
    best = key->name;
  }
  if (best.length > 0 || name.length > 200) return best;
  const char *near = ee_did_you_mean(ee_arena_copy(arena, name.data, name.length), words);
  return near != NULL ? ee_str_from(near) : EE_STR("");
}

EE_STATE_COVERS(ee_absent_path, 40);

static void side_state(ee_state_line *line, struct ee_absent_side *side, ee_arena *arena) {
  size_t count = ee_state_items(line, side->cases);
  if (count > EE_ABSENT_CASES) ee_state_fail(line);
  if (ee_state_reading(line) && count > 0) side->items = EE_NEW_ARRAY(arena, ee_case_example, EE_ABSENT_CASES);
  for (size_t i = 0; ee_state_goes_on(line, i, count); i++) ee_case_example_state(line, arena, &side->items[i]);
  if (ee_state_reading(line)) side->cases = ee_state_failed(line) ? 0 : (uint32_t)count;
  ee_state_end(line);
}

void ee_absent_path_state(ee_state_line *line, ee_arena *arena, ee_absent_path *path) {
  ee_state_begin(line);
  for (int i = EE_EXPECTED; i <= EE_CANDIDATE; i++) ee_state_flag(line, &path->there[i]);
  for (int i = EE_EXPECTED; i <= EE_CANDIDATE; i++) side_state(line, &path->sides[i], arena);
  ee_state_end(line);
}
