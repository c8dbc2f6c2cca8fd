/* lean_row.c: rows without what is not needed of them, and attributes by their texts. */
#include "report/lean_row.h"

#include "base/hash_index.h"
#include "base/list.h"
#include "base/memory.h"
#include "data/json/json_scan.h"

/* Names and texts that are known; rows with further ones are read as usual. */
#define KNOWN_NAMES 20000
#define KNOWN_TEXTS 4000
/* Bytes of a name and of a text. */
#define NAME_BYTES 1000
#define TEXT_BYTES 400

/* A name of an attribute as it is in rows. */
typedef struct known_name {
  ee_str key;    /* "total": with its quotes and the colon */
  uint64_t turn; /* the last metrics that had it */
  size_t next;   /* the name that followed it there */
  size_t text;   /* the known text that it had there */
} known_name;

/* The text of an attribute's counts. */
typedef struct known_text {
  ee_str text;
  ee_counts counts;
  bool derived, split;
  bool is_counts;
} known_text;

struct ee_lean_rows {
  ee_arena arena; /* of names and texts */
  struct {
    EE_LIST(known_name);
  } names;
  struct {
    EE_LIST(known_text);
  } texts;
  ee_hash_index name_index, text_index;
  size_t first; /* the name that the last metrics began with */
  uint64_t turn;
  ee_arena scratch;

  ee_arena *row_arena;
  struct {
    EE_LIST(ee_stored_metrics);
  } read; /* of the row */
  struct {
    EE_LIST(ee_stored_attribute);
  } attributes; /* of the metrics that are read */
};

ee_lean_rows *ee_lean_rows_new(void) {
  ee_lean_rows *rows = ee_calloc(1, sizeof *rows);
  ee_arena_init(&rows->arena, 0);
  ee_arena_init(&rows->scratch, 0);
  rows->name_index.arena = rows->text_index.arena = &rows->arena;
  return rows;
}

void ee_lean_rows_free(ee_lean_rows *rows) {
  if (rows == NULL) return;
  EE_LIST_FINI(&rows->names);
  EE_LIST_FINI(&rows->texts);
  EE_LIST_FINI(&rows->read);
  EE_LIST_FINI(&rows->attributes);
  ee_arena_fini(&rows->arena);
  ee_arena_fini(&rows->scratch);
  ee_free(rows);
}

/* Names and texts ------------------------------------------------------------------------------- */

static ee_str keep(ee_lean_rows *rows, ee_str text) {
  return (ee_str){ee_arena_copy(&rows->arena, text.data, text.length), text.length};
}

static bool begins_with(const char *at, const char *end, ee_str text) {
  return (size_t)(end - at) >= text.length && memcmp(at, text.data, text.length) == 0;
}

/* Finds or adds the name at `at`, which is not one of those expected there. */
static bool number_name(ee_lean_rows *rows, const char *at, const char *end, size_t *number) {
  if (end - at < 4 || *at != '"') return false;
  size_t length = ee_json_plain_length(at + 1, (size_t)(end - at) - 1);
  ee_str key = {at, length + 3};
  if ((size_t)(end - at) < key.length || at[length + 1] != '"' || at[length + 2] != ':') return false;
  uint64_t hash = ee_hash_bytes(key.data, key.length, 0);
  size_t from = 0;
  while (ee_hash_index_next(&rows->name_index, hash, &from, number))
    if (ee_str_equal(rows->names.items[*number].key, key)) return true;
  bool good = length <= NAME_BYTES && rows->names.count < KNOWN_NAMES && ee_utf8_valid_prefix(at + 1, length) == length;
  if (!good) return false;
  *number = rows->names.count;
  *EE_LIST_ADD(&rows->names, NULL) = (known_name){.key = keep(rows, key)};
  ee_hash_index_add(&rows->name_index, hash, *number);
  return true;
}

static void note_duplicate(void *user, ee_str key, size_t offset) {
  (void)key, (void)offset;
  *(bool *)user = true;
}

/* Reads a text for the first time. False unless it is one object. */
static bool add_text(ee_lean_rows *rows, ee_str text, uint64_t hash, size_t *number) {
  bool duplicates = false;
  ee_error ignored;
  ee_arena_reset(&rows->scratch, 0);
  const ee_value *metrics = ee_json_read(
      &rows->scratch, text, &(ee_json_options){.on_duplicate_key = note_duplicate, .user = &duplicates}, &ignored);
  if (metrics == NULL || duplicates || rows->texts.count == KNOWN_TEXTS) return false;
  known_text known = {.text = keep(rows, text)};
  ee_stored_attribute attribute;
  known.is_counts = ee_stored_attribute_read(metrics, &attribute, &known.split);
  known.counts = attribute.counts;
  known.derived = attribute.derived;
  *number = rows->texts.count;
  *EE_LIST_ADD(&rows->texts, NULL) = known;
  ee_hash_index_add(&rows->text_index, hash, *number);
  return true;
}

/* Finds or adds the object at `at`: up to the first '}', if that is an object. */
static bool number_text(ee_lean_rows *rows, const char *at, const char *end, size_t *number) {
  size_t left = (size_t)(end - at) < TEXT_BYTES ? (size_t)(end - at) : TEXT_BYTES;
  const char *last = left > 0 && *at == '{' ? memchr(at, '}', left) : NULL;
  if (last == NULL) return false;
  ee_str text = {at, (size_t)(last - at) + 1};
  uint64_t hash = ee_hash_bytes(text.data, text.length, 0);
  size_t from = 0;
  while (ee_hash_index_next(&rows->text_index, hash, &from, number))
    if (ee_str_equal(rows->texts.items[*number].text, text)) return true;
  return add_text(rows, text, hash, number);
}

/* Metrics --------------------------------------------------------------------------------------- */

/* One attribute: its name, expected to be number `*name`, and its counts. Returns the place after it. */
static const char *read_attribute(ee_lean_rows *rows, const char *at, const char *end, size_t *name, bool *split) {
  if (*name >= rows->names.count || !begins_with(at, end, rows->names.items[*name].key))
    if (!number_name(rows, at, end, name)) return NULL;
  known_name *known = &rows->names.items[*name];
  if (known->turn == rows->turn) return NULL; /* a duplicate */
  known->turn = rows->turn;
  at += known->key.length;
  if (known->text >= rows->texts.count || !begins_with(at, end, rows->texts.items[known->text].text))
    if (!number_text(rows, at, end, &known->text)) return NULL;
  const known_text *text = &rows->texts.items[known->text];
  if (text->is_counts) {
    *EE_LIST_ADD(&rows->attributes, NULL) =
        (ee_stored_attribute){{known->key.data + 1, known->key.length - 3}, text->counts, text->derived};
    *split = *split && text->split;
  }
  return at + text->text.length;
}

/* For ee_json_place: metrics as this program writes them. */
static const char *read_metrics(void *user, const char *at, const char *end, ee_value *member) {
  ee_lean_rows *rows = user;
  size_t name = rows->first, before = SIZE_MAX;
  bool split = true;
  rows->attributes.count = 0;
  rows->turn++;
  if (at == end || *at != '{') return NULL;
  do {
    at = read_attribute(rows, at + 1, end, &name, &split);
    if (at == NULL || at == end) return NULL;
    if (before == SIZE_MAX)
      rows->first = name;
    else
      rows->names.items[before].next = name;
    before = name;
    name = rows->names.items[name].next;
  } while (*at == ',');
  if (*at != '}') return NULL;
  size_t count = rows->attributes.count;
  ee_stored_attribute *attributes = ee_arena_alloc(rows->row_arena, count * sizeof *attributes);
  if (count > 0) memcpy(attributes, rows->attributes.items, count * sizeof *attributes);
  *EE_LIST_ADD(&rows->read, NULL) = (ee_stored_metrics){member, attributes, count, split};
  member->json.type = cJSON_Object;
  return at + 1;
}

/* Rows ------------------------------------------------------------------------------------------ */

static const ee_json_place details_places[] = {{.key = "metrics", .read = read_metrics},
                                               {.key = "alignment", .skip = true},
                                               {.key = "outcomes", .skip = true},
                                               {.key = NULL}};

static const ee_json_place judge_places[] = {{.key = "hits", .skip = true},
                                             {.key = "misses", .skip = true},
                                             {.key = "reasoning", .skip = true},
                                             {.key = "details", .inside = details_places},
                                             {.key = "evaluator_results", .inside = judge_places},
                                             {.key = "scores", .inside = judge_places},
                                             {.key = NULL}};

static const ee_json_place row_places[] = {{.key = "version", .skip = true},
                                           {.key = "detail", .skip = true},
                                           {.key = "hits", .skip = true},
                                           {.key = "misses", .skip = true},
                                           {.key = "reasoning", .skip = true},
                                           {.key = "candidate_answer", .skip = true},
                                           {.key = "repairs", .skip = true},
                                           {.key = "expected", .skip = true},
                                           {.key = "record", .skip = true},
                                           {.key = "evaluator_results", .inside = judge_places},
                                           {.key = "scores", .inside = judge_places},
                                           {.key = NULL}};

bool ee_lean_rows_read(ee_lean_rows *rows, ee_str text, const ee_json_options *options, ee_arena *arena,
                       ee_stored_row *row, ee_error *error) {
  ee_json_options chosen = options != NULL ? *options : (ee_json_options){0};
  chosen.places = row_places;
  chosen.places_user = rows;
  rows->row_arena = arena;
  rows->read.count = 0;
  const ee_value *record = ee_json_read(arena, text, &chosen, error);
  return record != NULL && ee_stored_row_read_rest(record, rows->read.items, rows->read.count, arena, row, error);
}
