/* join_guess.c: collects hashes of the scalar members of both files and counts which members have them in common. */
#include "data/join_guess.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash_index.h"
#include "base/list.h"
#include "data/files/dataset.h"
#include "data/json/json_reader.h"
#include "prim/date.h"
#include "prim/number.h"

/* A longer string is not an id. */
#define ID_LIMIT 256
/* Members of a side that are looked at. */
#define MEMBER_LIMIT 64
/* What the arena keeps from record to record. */
#define ARENA_KEPT ((size_t)4 << 20)

/* The values of one member. */
typedef struct column {
  ee_str name;       /* data NULL: the ids of the side */
  EE_LIST(uint64_t); /* hashes of the values; sorted and distinct once the side is read */
  bool repeats;      /* a value occurs twice */
  bool numbers;      /* a value is a number, also one in a text */
  bool quantities;   /* a value is a fraction, an amount of money or a date */
} column;

typedef struct side {
  column ids;
  struct {
    EE_LIST(column);
  } members;
  uint64_t records;
} side;

static void free_side(side *of) {
  EE_LIST_FINI(&of->ids);
  for (size_t i = 0; i < of->members.count; i++) EE_LIST_FINI(&of->members.items[i]);
  EE_LIST_FINI(&of->members);
}

static void add_id(column *to, ee_str id) {
  if (id.length <= ID_LIMIT) *EE_LIST_ADD(to, NULL) = ee_hash_bytes(id.data, id.length, 0);
}

/* Whether a character is one of amounts ("$5", "5.00"), not of codes ("R17", "INV-5"). */
static bool has_mark(ee_str text) {
  for (size_t i = 0; i < text.length; i++) {
    char c = text.data[i];
    bool code = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || strchr("-_/ #", c);
    if (!code) return true;
  }
  return false;
}

static size_t count_digits(ee_str text) {
  size_t count = 0;
  while (count < text.length && text.data[count] >= '0' && text.data[count] <= '9') count++;
  return count;
}

/* What a value shows about its column. */
static void look_at_value(column *to, ee_str text, ee_arena *arena) {
  static const ee_number_format plain = {.decimal = '.'};
  static const ee_number_format money[] = {{.decimal = '.', .money = true, .percent = true},
                                           {.decimal = ',', .money = true, .percent = true}};
  if (to->quantities || text.length > ID_LIMIT) return;
  ee_str digits;
  bool whole = text.length > 0 && text.length == count_digits(text);
  if (whole || ee_number_parse(text, plain, arena, &(double){0}, &digits)) to->numbers = true;
  if (whole) return;
  for (size_t i = 0; i < sizeof money / sizeof *money && has_mark(text); i++)
    if (ee_number_parse(text, money[i], arena, &(double){0}, &digits)) to->quantities = true;
  if (ee_date_looks_like(text) || ee_date_orders(text) != 0) to->quantities = true;
}

static column *find_column(side *of, ee_str name, ee_arena *arena) {
  for (size_t i = 0; i < of->members.count; i++)
    if (ee_str_equal(of->members.items[i].name, name)) return &of->members.items[i];
  if (of->members.count == MEMBER_LIMIT) return NULL;
  column *added = EE_LIST_ADD(&of->members, NULL);
  *added = (column){.name = {ee_arena_copy(arena, name.data, name.length), name.length}};
  return added;
}

static void add_record(side *of, const ee_value *record, const ee_record_paths *paths, bool expected, ee_str given_id,
                       ee_arena *names, ee_arena *arena) {
  of->records++;
  ee_str id = {NULL, 0};
  ee_record_part part = expected ? EE_PART_EXPECTED_ID : EE_PART_ID;
  if (ee_record_read_id(record, paths, part, arena, &id, NULL) != EE_OK || id.data == NULL) id = given_id;
  if (id.data != NULL) add_id(&of->ids, id);
  if (ee_type_of(record) != EE_OBJECT) return;
  for (const ee_value *member = ee_value_child(record); member != NULL; member = ee_value_next(member)) {
    ee_type type = ee_type_of(member);
    if (type != EE_STRING && type != EE_NUMBER) continue;
    column *to = find_column(of, ee_value_key(member), names);
    if (to == NULL) continue;
    ee_str text = ee_record_id_text(member, arena);
    add_id(to, text);
    look_at_value(to, text, arena);
  }
}

static int compare_hashes(const void *a, const void *b) {
  uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;
  return (first > second) - (first < second);
}

static void make_distinct(column *of) {
  if (of->count == 0) return;
  qsort(of->items, of->count, sizeof *of->items, compare_hashes);
  size_t kept = 1;
  for (size_t i = 1; i < of->count; i++)
    if (of->items[i] != of->items[kept - 1]) of->items[kept++] = of->items[i];
  of->repeats = kept < of->count;
  of->count = kept;
}

/* Whether nine of ten records have a value of their own. */
static bool is_key(const side *of, const column *values) { return values->count * 10 >= of->records * 9; }

/* Whether the values may be ids. Those that were ids before are. */
static bool may_be_id(const side *of, const column *values) {
  if (!is_key(of, values)) return false;
  return values->name.data == NULL || (!values->repeats && !values->quantities);
}

/* Whether a word of the name, split at capitals and at anything but letters, says that it is an id. */
static bool says_id(ee_str name) {
  static const char *const words[] = {"id",   "ids",      "key",      "number", "no",    "nr",  "num",   "code",
                                      "file", "fname",    "filename", "doc",    "docid", "uid", "uuid",  "guid",
                                      "hash", "sha",      "path",     "url",    "uri",   "ref", "index", "idx",
                                      "qid",  "document", "page",     "image",  "sku",   NULL};
  char word[16];
  size_t length = 0;
  for (size_t i = 0; i <= name.length; i++) {
    char c = i < name.length ? name.data[i] : '\0';
    bool upper = c >= 'A' && c <= 'Z', letter = upper || (c >= 'a' && c <= 'z');
    bool starts = upper && i > 0 && name.data[i - 1] >= 'a' && name.data[i - 1] <= 'z';
    if (!letter || starts) {
      word[length < sizeof word ? length : 0] = '\0';
      for (const char *const *at = words; *at != NULL; at++)
        if (strcmp(word, *at) == 0) return true;
      length = 0;
    }
    if (letter && length < sizeof word) word[length++] = upper ? (char)(c - 'A' + 'a') : c;
  }
  return false;
}

/* Reads a side to its end; false when that is not possible or it has no records. */
static bool read_side(side *of, const char *const *files, size_t count, const ee_record_paths *paths, bool expected,
                      ee_arena *names) {
  ee_dataset *dataset = ee_dataset_open(files, count, NULL);
  if (dataset == NULL) return false;
  if (paths != NULL && paths->from != NULL) ee_dataset_look_inside(dataset, paths);
  ee_block block;
  ee_block_init(&block);
  ee_arena arena;
  ee_arena_init(&arena, 0);
  bool done = false;
  ee_status status;
  while ((status = ee_dataset_next(dataset, &block, &done, NULL)) == EE_OK && !done) {
    for (size_t i = 0; i < block.count; i++) {
      const ee_record_span *span = &block.records[i];
      ee_str text = {block.text.data + span->offset, span->length};
      const ee_value *record = ee_json_read_data(&arena, text, NULL);
      if (record != NULL) add_record(of, record, paths, expected, ee_block_given_id(&block, span), names, &arena);
      ee_arena_reset(&arena, ARENA_KEPT);
    }
  }
  ee_arena_fini(&arena);
  ee_block_fini(&block);
  ee_dataset_close(dataset);
  make_distinct(&of->ids);
  for (size_t i = 0; i < of->members.count; i++) make_distinct(&of->members.items[i]);
  return status == EE_OK && of->records > 0;
}

static uint64_t count_common(const column *a, const column *b) {
  uint64_t common = 0;
  for (size_t i = 0, k = 0; i < a->count && k < b->count;) {
    common += a->items[i] == b->items[k];
    bool first = a->items[i] <= b->items[k], second = a->items[i] >= b->items[k];
    i += first;
    k += second;
  }
  return common;
}

/* The columns of a side that may be its ids: `*count` of them. */
static const column *choices(const side *of, size_t *count) {
  bool known = is_key(of, &of->ids);
  *count = known ? 1 : of->members.count;
  return known ? &of->ids : of->members.items;
}

static bool is_name(ee_str name) { return ee_str_equal(name, EE_STR("name")); }

/* How sure it is that a pair with `common` values in common are the ids: 3 by what they are called, 2 also if a side
 * calls them "name", 1 by the values alone, 0 not. */
static int rank_pair(const column *truth, const column *data, uint64_t common, uint64_t smaller) {
  bool truth_says = truth->name.data == NULL || says_id(truth->name);
  bool data_says = data->name.data == NULL || says_id(data->name);
  bool named = (truth_says || is_name(truth->name)) && (data_says || is_name(data->name));
  if (named && common * 100 >= smaller * 95) return truth_says && data_says ? 3 : 2;
  return common >= smaller && !truth->numbers && !data->numbers ? 1 : 0;
}

/* Keeps the pairs with the most common values, most first. */
static void add_near(ee_join_guess *guess, ee_join_pair pair) {
  size_t at = guess->near_count;
  if (at < EE_JOIN_NEAR)
    guess->near_count++;
  else if (guess->near[--at].joined >= pair.joined)
    return;
  for (; at > 0 && guess->near[at - 1].joined < pair.joined; at--) guess->near[at] = guess->near[at - 1];
  guess->near[at] = pair;
}

static void compare_sides(const side *truth, const side *data, ee_join_guess *guess) {
  size_t truth_count, data_count;
  const column *of_truth = choices(truth, &truth_count), *of_data = choices(data, &data_count);
  uint64_t smaller = truth->records < data->records ? truth->records : data->records;
  int best = 0;
  for (size_t i = 0; i < truth_count; i++) {
    if (!may_be_id(truth, &of_truth[i])) continue;
    for (size_t k = 0; k < data_count; k++) {
      if (!may_be_id(data, &of_data[k])) continue;
      uint64_t common = count_common(&of_truth[i], &of_data[k]);
      if (common == 0 || (of_truth[i].name.data == NULL && of_data[k].name.data == NULL)) continue;
      int rank = rank_pair(&of_truth[i], &of_data[k], common, smaller);
      if (common * 2 >= smaller) add_near(guess, (ee_join_pair){of_truth[i].name, of_data[k].name, common});
      if (rank < best || rank == 0 || (rank == best && common <= guess->joined)) continue;
      best = rank;
      guess->joined = common;
      guess->expected_id = of_truth[i].name;
      guess->id = of_data[k].name;
    }
  }
}

bool ee_join_guess_find(const char *truth, const char *const *files, size_t count, const ee_record_paths *paths,
                        ee_arena *arena, ee_join_guess *guess) {
  *guess = (ee_join_guess){0};
  side sides[2] = {0};
  bool read =
      read_side(&sides[0], &truth, 1, paths, true, arena) && read_side(&sides[1], files, count, paths, false, arena);
  if (read) compare_sides(&sides[0], &sides[1], guess);
  guess->expected = sides[0].records;
  guess->records = sides[1].records;
  guess->nameless = read && !is_key(&sides[0], &sides[0].ids) && !is_key(&sides[1], &sides[1].ids);
  free_side(&sides[0]);
  free_side(&sides[1]);
  if (guess->joined > 0) guess->near_count = 0;
  return guess->joined > 0;
}

/* "'a'", "'a' and 'b'" */
static const char *pair_text(ee_str id, ee_str expected_id, ee_arena *arena) {
  const char *text = "";
  if (id.data != NULL) text = ee_arena_printf(arena, "'%.*s'", EE_STR_ARG(id));
  if (expected_id.data != NULL && !ee_str_equal(id, expected_id))
    text = ee_arena_printf(arena, "%s%s'%.*s'", text, *text != '\0' ? " and " : "", EE_STR_ARG(expected_id));
  return text;
}

const char *ee_join_guess_near_text(const ee_join_guess *guess, ee_arena *arena) {
  const char *text = NULL;
  uint64_t smaller = guess->expected < guess->records ? guess->expected : guess->records;
  for (size_t i = 0; i < guess->near_count; i++) {
    const ee_join_pair *pair = &guess->near[i];
    const char *names = pair_text(pair->id, pair->expected_id, arena);
    text = text == NULL
               ? ee_arena_printf(arena, "%s has %" PRIu64 " of %" PRIu64 " in common", names, pair->joined, smaller)
               : ee_arena_printf(arena, "%s, %s %" PRIu64, text, names, pair->joined);
  }
  return text;
}

const char *ee_join_guess_text(const ee_join_guess *guess, ee_arena *arena) {
  ee_str id = guess->id, expected_id = guess->expected_id;
  bool same = ee_str_equal(id, expected_id);
  const char *text = pair_text(id, expected_id, arena);
  text = ee_arena_printf(arena, "%s %s %" PRIu64 " of %" PRIu64 ":", text,
                         id.data != NULL && expected_id.data != NULL && !same ? "join" : "joins", guess->joined,
                         guess->expected);
  if (id.data != NULL) text = ee_arena_printf(arena, "%s --id %.*s", text, EE_STR_ARG(id));
  if (expected_id.data != NULL && !same)
    text = ee_arena_printf(arena, "%s --expected-id %.*s", text, EE_STR_ARG(expected_id));
  return text;
}
