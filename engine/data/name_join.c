/* name_join.c: looks for some ids in all names, counts what surrounds them, and tries the best pair on all names. */
#include "data/name_join.h"

#include <ctype.h>
#include <string.h>

#include "base/list.h"

/* Ids that are looked for in the names; all are counted in the end. */
#define IDS_TRIED 64
/* Pairs of a prefix and a suffix that are counted. */
#define PAIR_LIMIT 256

typedef struct pair {
  ee_str prefix, suffix; /* of a name of the data set */
  size_t found;
} pair;

typedef struct pairs {
  EE_LIST(pair);
} pairs;

static void count_pair(pairs *all, ee_str prefix, ee_str suffix) {
  for (size_t i = 0; i < all->count; i++) {
    pair *at = &all->items[i];
    if (!ee_str_equal(at->prefix, prefix) || !ee_str_equal(at->suffix, suffix)) continue;
    at->found++;
    return;
  }
  if (all->count < PAIR_LIMIT) *EE_LIST_ADD(all, NULL) = (pair){prefix, suffix, 1};
}

static bool is_part_of_word(char c) { return isalnum((unsigned char)c) || (unsigned char)c >= 0x80; }

/* Counts what surrounds the id wherever it is in the name as a word. */
static void look_for(ee_str id, ee_str name, pairs *all) {
  for (size_t at = 0; id.length > 0 && at + id.length <= name.length; at++) {
    const char *found = memmem(name.data + at, name.length - at, id.data, id.length);
    if (found == NULL) return;
    at = (size_t)(found - name.data);
    size_t end = at + id.length;
    bool apart =
        (at == 0 || !is_part_of_word(name.data[at - 1])) && (end == name.length || !is_part_of_word(name.data[end]));
    if (apart) count_pair(all, (ee_str){name.data, at}, (ee_str){name.data + end, name.length - end});
  }
}

/* The files whose names are ids without the pair. */
static size_t count_joined(const ee_expected_set *expected, const ee_dataset *dataset, ee_str prefix, ee_str suffix) {
  size_t joined = 0;
  for (size_t i = 0; i < ee_dataset_file_count(dataset); i++) {
    ee_str name = ee_dataset_file_id(dataset, i);
    joined += ee_str_cut(&name, prefix, suffix) && ee_expected_set_has(expected, name);
  }
  return joined;
}

static bool has_answer_word(const pair *of) {
  static const char *const words[] = {"pred", "answer", "output", "result", "response", "candidate", "extract"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    size_t length = strlen(words[i]);
    if (memmem(of->prefix.data, of->prefix.length, words[i], length) != NULL ||
        memmem(of->suffix.data, of->suffix.length, words[i], length) != NULL)
      return true;
  }
  return false;
}

/* The pair that was found most often; NULL if several were, and not one alone has a word for answers. */
static const pair *choose(const pairs *all) {
  const pair *best = NULL, *named = NULL;
  size_t equal = 0, named_count = 0;
  for (size_t i = 0; i < all->count; i++)
    if (best == NULL || all->items[i].found > best->found) best = &all->items[i];
  for (size_t i = 0; i < all->count; i++) {
    const pair *at = &all->items[i];
    if (at->found < best->found) continue;
    equal++;
    if (!has_answer_word(at)) continue;
    named = at;
    named_count++;
  }
  return equal == 1 ? best : named_count == 1 ? named : NULL;
}

static ee_str copy(ee_str text, ee_arena *arena) {
  return (ee_str){ee_arena_copy(arena, text.data, text.length), text.length};
}

bool ee_name_join_find(const ee_expected_set *expected, const ee_dataset *dataset, ee_arena *arena,
                       ee_name_join *join) {
  size_t ids = ee_expected_set_count(expected), files = ee_dataset_file_count(dataset), named = 0;
  *join = (ee_name_join){.joined = 0};
  for (size_t i = 0; i < files; i++) {
    ee_str name = ee_dataset_file_id(dataset, i);
    if (name.data != NULL && ee_expected_set_has(expected, name)) return false;
    named += name.data != NULL;
  }
  pairs all = {.count = 0};
  for (size_t i = 0; i < ids && i < IDS_TRIED; i++)
    for (size_t k = 0; k < files; k++) look_for(ee_expected_set_id(expected, i), ee_dataset_file_id(dataset, k), &all);
  const pair *found = choose(&all);
  if (found != NULL)
    *join = (ee_name_join){copy(found->prefix, arena), copy(found->suffix, arena),
                           count_joined(expected, dataset, found->prefix, found->suffix)};
  EE_LIST_FINI(&all);
  return join->joined > 0 && join->joined * 2 >= (ids < named ? ids : named);
}
