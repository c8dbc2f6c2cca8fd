/* lean_row.c: rows scanned for what is needed of them, and attributes by their texts.
 *
 * A table for each kind of object says what becomes of its members; all others are passed. Whatever is unusual (a
 * mistake, a duplicate key, a member of another type, judges inside judges) ends the scan, and the row is read whole.
 */
#include "report/lean_row.h"

#include <stddef.h>

#include "base/hash_index.h"
#include "base/list.h"
#include "base/memory.h"
#include "data/json/json_pass.h"
#include "prim/number.h"

/* Names and texts that are known; rows with further ones are read as usual. */
#define KNOWN_NAMES 20000
#define KNOWN_TEXTS 4000
/* Bytes of a name and of a text. */
#define NAME_BYTES 1000
#define TEXT_BYTES 400
/* A longer row is read whole, which bounds the memory of its values (--max-memory). */
#define ROW_BYTES ((size_t)1 << 20)
/* Judges of a row, whose names are compared with each other. */
#define ROW_JUDGES 64
/* Digits of a count, and of the number of a trial. */
#define COUNT_DIGITS 12
#define HASH_DIGITS 16

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

  const ee_value *nothing; /* an empty object */

  ee_arena *row_arena;
  const char *end; /* of the row's text */
  struct {
    EE_LIST(ee_stored_judge);
  } judges; /* of the row */
  struct {
    EE_LIST(ee_stored_attribute);
  } attributes; /* of the metrics that are read */
};

ee_lean_rows *ee_lean_rows_new(void) {
  ee_lean_rows *rows = ee_calloc(1, sizeof *rows);
  ee_arena_init(&rows->arena, 0);
  ee_arena_init(&rows->scratch, 0);
  rows->name_index.arena = rows->text_index.arena = &rows->arena;
  rows->nothing = ee_value_new(&rows->arena, EE_OBJECT);
  return rows;
}

void ee_lean_rows_free(ee_lean_rows *rows) {
  if (rows == NULL) return;
  EE_LIST_FINI(&rows->names);
  EE_LIST_FINI(&rows->texts);
  EE_LIST_FINI(&rows->judges);
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
  if (at == end || *at != '"') return false;
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
  const char *last = memchr(at, '}', left);
  if (last == NULL || *at != '{') return false;
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

typedef struct attribute_list {
  ee_stored_attribute *items; /* in the order of the row */
  size_t count;
  bool split; /* false positives are split into incorrect and spurious in all attributes */
} attribute_list;

/* Metrics as this program writes them. */
static const char *take_metrics(ee_lean_rows *rows, const char *at, void *into) {
  const char *end = rows->end;
  attribute_list *list = into;
  size_t name = rows->first, before = SIZE_MAX;
  bool split = true;
  rows->attributes.count = 0;
  rows->turn++;
  if (begins_with(at, end, EE_STR("{}"))) return at + 2;
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
  *list = (attribute_list){.count = rows->attributes.count, .split = split};
  list->items = EE_NEW_ARRAY(rows->row_arena, ee_stored_attribute, list->count);
  if (list->count > 0) memcpy(list->items, rows->attributes.items, list->count * sizeof *list->items);
  return at + 1;
}

/* Members --------------------------------------------------------------------------------------- */

/* Takes the value at `at`; returns the place after it, or NULL if it is unusual. */
typedef const char *take_value(ee_lean_rows *rows, const char *at, void *into);

typedef struct member {
  ee_str key;
  take_value *take;
  size_t offset; /* of what `take` sets */
} member;

#define MEMBER(key, take, type, field)                                                                                 \
  { {key, sizeof key - 1}, take, offsetof(type, field) }
#define MEMBERS(table) table, sizeof table / sizeof *table

/* Scans the object at `at` into `into`. Objects have their members mostly in the order of the table, so each is looked
 * for after the one before it. */
static const char *scan_object(ee_lean_rows *rows, const char *at, const member *members, size_t count, void *into) {
  const char *end = rows->end;
  uint64_t seen = 0;
  size_t next = 0;
  ee_json_keys others;
  others.seen = others.count = 0;
  if (at == end || *at != '{') return NULL;
  at = ee_json_pass_space(at + 1, end);
  if (at < end && *at == '}') return at + 1;
  for (;;) {
    ee_str key;
    at = ee_json_pass_key(at, end, &key);
    if (at == NULL) return NULL;
    size_t tried = 0;
    while (tried < count && !ee_str_equal(members[next].key, key)) {
      tried++;
      if (++next == count) next = 0;
    }
    if (tried == count) {
      if (!ee_json_keys_add(&others, key)) return NULL;
      at = ee_json_pass_value(at, end);
    } else {
      if ((seen >> next & 1) != 0) return NULL;
      seen |= UINT64_C(1) << next;
      at = members[next].take(rows, at, (char *)into + members[next].offset);
      if (++next == count) next = 0;
    }
    if (at == NULL) return NULL;
    at = ee_json_pass_space(at, end);
    if (at < end && *at == '}') return at + 1;
    if (at == end || *at != ',') return NULL;
    at = ee_json_pass_space(at + 1, end);
  }
}

/* Values ---------------------------------------------------------------------------------------- */

typedef struct flag {
  bool is_there, is_true;
} flag;

typedef struct hash {
  bool is_there;
  uint64_t value;
} hash;

typedef struct number {
  bool is_there;
  double value;
} number;

static const char *pass(ee_lean_rows *rows, const char *at, void *into) {
  (void)into;
  return ee_json_pass_value(at, rows->end);
}

static const char *refuse(ee_lean_rows *rows, const char *at, void *into) {
  (void)rows, (void)at, (void)into;
  return NULL;
}

/* A string without escapes, borrowed from the row's text. */
static const char *take_word(ee_lean_rows *rows, const char *at, void *into) {
  bool escaped;
  at = ee_json_pass_string(at, rows->end, into, &escaped);
  return at == NULL || escaped ? NULL : at;
}

/* The same, copied. */
static const char *take_text(ee_lean_rows *rows, const char *at, void *into) {
  ee_str *text = into;
  at = take_word(rows, at, text);
  if (at != NULL) text->data = ee_arena_copy(rows->row_arena, text->data, text->length);
  return at;
}

static const char *take_hash(ee_lean_rows *rows, const char *at, void *into) {
  hash *taken = into;
  if (rows->end - at < HASH_DIGITS + 2 || *at != '"' || at[HASH_DIGITS + 1] != '"') return NULL;
  for (int i = 1; i <= HASH_DIGITS; i++) {
    int digit = ee_hex_digit(at[i]);
    if (digit < 0) return NULL;
    taken->value = taken->value << 4 | (unsigned)digit;
  }
  taken->is_there = true;
  return at + HASH_DIGITS + 2;
}

/* The digits of a whole number at `at`; empty if it is written in another way. */
static ee_str digits_at(const char *at, const char *end) {
  const char *start = at;
  while (at < end && at - start <= COUNT_DIGITS && ee_json_is_digit(*at)) at++;
  bool plain = at > start && at - start <= COUNT_DIGITS && (*start != '0' || at - start == 1) && at < end &&
               *at != '.' && *at != 'e' && *at != 'E';
  return (ee_str){start, plain ? (size_t)(at - start) : 0};
}

static const char *take_count(ee_lean_rows *rows, const char *at, void *into) {
  ee_str digits = digits_at(at, rows->end);
  uint64_t count = 0;
  for (size_t i = 0; i < digits.length; i++) count = count * 10 + (uint64_t)(digits.data[i] - '0');
  *(uint64_t *)into = count;
  return digits.length > 0 ? at + digits.length : NULL;
}

/* The name of a trial, which may be a number. */
static const char *take_trial(ee_lean_rows *rows, const char *at, void *into) {
  if (at < rows->end && *at == '"') return take_text(rows, at, into);
  ee_str digits = digits_at(at, rows->end);
  *(ee_str *)into = (ee_str){ee_arena_copy(rows->row_arena, digits.data, digits.length), digits.length};
  return digits.length > 0 ? at + digits.length : NULL;
}

static const char *take_flag(ee_lean_rows *rows, const char *at, void *into) {
  bool is_true = begins_with(at, rows->end, EE_STR("true"));
  if (!is_true && !begins_with(at, rows->end, EE_STR("false"))) return NULL;
  *(flag *)into = (flag){true, is_true};
  return at + (is_true ? 4 : 5);
}

/* A number, or null for none. */
static const char *take_number(ee_lean_rows *rows, const char *at, void *into) {
  ee_json_number parts;
  const char *mistake, *mistake_at, *start = at;
  if (begins_with(at, rows->end, EE_STR("null"))) return at + 4;
  if (at == rows->end || (*at != '-' && !ee_json_is_digit(*at))) return NULL;
  at = ee_json_read_number(at, rows->end, &parts, &mistake, &mistake_at);
  if (at != NULL) *(number *)into = (number){true, ee_decimal_to_double((ee_str){start, (size_t)(at - start)})};
  return at;
}

/* A value as a document; an empty array is left out. */
static const char *take_document(ee_lean_rows *rows, const char *at, void *into) {
  const char *after = ee_json_pass_value(at, rows->end);
  ee_error ignored;
  if (after == NULL || (after - at == 2 && *at == '[')) return after;
  *(const ee_value **)into = ee_json_read(rows->row_arena, (ee_str){at, (size_t)(after - at)}, NULL, &ignored);
  return after;
}

/* Judges ---------------------------------------------------------------------------------------- */

/* What is read of the details besides the metrics; NULL: nothing. */
enum { DETAILS_KEPT = 7 };

typedef struct details {
  attribute_list metrics;
  flag vacuous;
  const ee_value *kept[DETAILS_KEPT];
} details;

static const member details_members[] = {
    MEMBER("metrics", take_metrics, details, metrics),
    MEMBER("mismatches", take_document, details, kept[0]),
    MEMBER("unread", take_document, details, kept[1]),
    MEMBER("truncated", take_document, details, kept[2]),
    MEMBER("confidences", take_document, details, kept[3]),
    MEMBER("document_confidence", take_document, details, kept[4]),
    MEMBER("costs", take_document, details, kept[5]),
    MEMBER("cost", take_document, details, kept[6]),
    MEMBER("vacuous", take_flag, details, vacuous),
};

static const char *take_details(ee_lean_rows *rows, const char *at, void *into) {
  return scan_object(rows, at, MEMBERS(details_members), into);
}

/* A judge's object with what was kept of its details. */
static const ee_value *make_entry(ee_lean_rows *rows, const details *read) {
  ee_value *object = NULL;
  for (size_t i = 0; i < sizeof details_members / sizeof *details_members; i++) {
    if (details_members[i].take != take_document) continue;
    const ee_value *value = *(const ee_value *const *)(const void *)((const char *)read + details_members[i].offset);
    if (value == NULL) continue;
    if (object == NULL) object = ee_value_new(rows->row_arena, EE_OBJECT);
    ee_value_set(rows->row_arena, object, details_members[i].key, (ee_value *)value);
  }
  if (object == NULL) return rows->nothing;
  ee_value *entry = ee_value_new(rows->row_arena, EE_OBJECT);
  ee_value_set(rows->row_arena, entry, EE_STR("details"), object);
  return entry;
}

typedef struct scanned_judge {
  ee_str name, type, verdict;
  number score, weight;
  uint64_t place;
  flag unscored, in_error, own_counts;
  details details;
} scanned_judge;

static const member judge_members[] = {
    MEMBER("name", take_text, scanned_judge, name),
    MEMBER("type", take_text, scanned_judge, type),
    MEMBER("score", take_number, scanned_judge, score),
    MEMBER("place", take_count, scanned_judge, place),
    MEMBER("weight", take_number, scanned_judge, weight),
    MEMBER("verdict", take_word, scanned_judge, verdict),
    MEMBER("hits", pass, scanned_judge, name),
    MEMBER("misses", pass, scanned_judge, name),
    MEMBER("reasoning", pass, scanned_judge, name),
    MEMBER("unscored", take_flag, scanned_judge, unscored),
    MEMBER("in_error", take_flag, scanned_judge, in_error),
    MEMBER("own_counts", take_flag, scanned_judge, own_counts),
    MEMBER("details", take_details, scanned_judge, details),
    MEMBER("case_metrics", refuse, scanned_judge, name),
    MEMBER("evaluator_results", refuse, scanned_judge, name),
    MEMBER("scores", refuse, scanned_judge, name),
};

/* Whether a judge of the row has the name already. */
static bool has_name(const ee_lean_rows *rows, ee_str name) {
  for (size_t i = 0; i < rows->judges.count; i++)
    if (ee_str_equal(rows->judges.items[i].name, name)) return true;
  return false;
}

/* `*place`: of the judge before it. */
static bool add_judge(ee_lean_rows *rows, const scanned_judge *read, size_t *place) {
  if (read->name.length == 0 || rows->judges.count == ROW_JUDGES || has_name(rows, read->name)) return false;
  ee_stored_judge judge = {.name = read->name,
                           .type = read->type.data != NULL ? read->type : EE_STR(""),
                           .weight = read->weight.is_there && read->weight.value >= 0 ? read->weight.value : 1,
                           .in_error = read->in_error.is_true,
                           .unscored = read->unscored.is_true,
                           .vacuous = read->details.vacuous.is_true,
                           .attributes = read->details.metrics.items,
                           .attribute_count = read->details.metrics.count,
                           .entry = make_entry(rows, &read->details)};
  if (read->score.is_there && !ee_stored_score(read->score.value, &judge.score)) return false;
  judge.has_score = read->score.is_there && !judge.unscored;
  judge.verdict = ee_stored_verdict(read->verdict, judge.score);
  /* Until the schema of the row is known. */
  judge.split = !read->own_counts.is_true && (read->details.metrics.split || judge.attribute_count == 0);
  judge.place = ee_stored_place(place, read->place);
  *EE_LIST_ADD(&rows->judges, NULL) = judge;
  return true;
}

static const char *take_judges(ee_lean_rows *rows, const char *at, void *into) {
  (void)into;
  const char *end = rows->end;
  size_t place = 0;
  if (at == end || *at != '[') return NULL;
  at = ee_json_pass_space(at + 1, end);
  if (at < end && *at == ']') return at + 1;
  for (;;) {
    scanned_judge judge = {.place = 0};
    at = scan_object(rows, at, MEMBERS(judge_members), &judge);
    if (at == NULL || !add_judge(rows, &judge, &place)) return NULL;
    at = ee_json_pass_space(at, end);
    if (at < end && *at == ']') return at + 1;
    if (at == end || *at != ',') return NULL;
    at = ee_json_pass_space(at + 1, end);
  }
}

/* Rows ------------------------------------------------------------------------------------------ */

typedef struct scanned_row {
  uint64_t schema;
  ee_str id, trial, verdict, cluster, candidate_state, kept;
  hash rules, expected;
  number score;
  flag unnamed, unscored, straight_through;
  uint64_t rule_errors, provider_failures, given_up;
  ee_corrections corrections;
  const ee_value *measures, *slices;
} scanned_row;

static const member correction_members[] = {
    MEMBER("changed", take_count, ee_corrections, kinds[EE_CORRECTION_CHANGED]),
    MEMBER("missing", take_count, ee_corrections, kinds[EE_CORRECTION_MISSING]),
    MEMBER("removed", take_count, ee_corrections, kinds[EE_CORRECTION_REMOVED]),
    MEMBER("rows_added", take_count, ee_corrections, kinds[EE_CORRECTION_ROW_ADDED]),
    MEMBER("rows_removed", take_count, ee_corrections, kinds[EE_CORRECTION_ROW_REMOVED]),
    MEMBER("row_values", take_count, ee_corrections, row_values),
    MEMBER("optional_missing", take_count, ee_corrections, optional),
    MEMBER("checks_failed", take_count, ee_corrections, checks),
};

static const char *take_corrections(ee_lean_rows *rows, const char *at, void *into) {
  return scan_object(rows, at, MEMBERS(correction_members), into);
}

static const member row_members[] = {
    MEMBER("schema", take_count, scanned_row, schema),
    MEMBER("id", take_text, scanned_row, id),
    MEMBER("trial", take_trial, scanned_row, trial),
    MEMBER("unnamed", take_flag, scanned_row, unnamed),
    MEMBER("version", pass, scanned_row, id),
    MEMBER("rules_hash", take_hash, scanned_row, rules),
    MEMBER("expected_hash", take_hash, scanned_row, expected),
    MEMBER("expected_alternative", pass, scanned_row, id),
    MEMBER("score", take_number, scanned_row, score),
    MEMBER("verdict", take_word, scanned_row, verdict),
    MEMBER("unscored", take_flag, scanned_row, unscored),
    MEMBER("detail", pass, scanned_row, id),
    MEMBER("cluster", take_text, scanned_row, cluster),
    MEMBER("slices", take_document, scanned_row, slices),
    MEMBER("hits", pass, scanned_row, id),
    MEMBER("misses", pass, scanned_row, id),
    MEMBER("reasoning", pass, scanned_row, id),
    MEMBER("candidate_answer", pass, scanned_row, id),
    MEMBER("candidate_state", take_word, scanned_row, candidate_state),
    MEMBER("rule_errors", take_count, scanned_row, rule_errors),
    MEMBER("provider_failures", take_count, scanned_row, provider_failures),
    MEMBER("given_up", take_count, scanned_row, given_up),
    MEMBER("measures", take_document, scanned_row, measures),
    MEMBER("straight_through", take_flag, scanned_row, straight_through),
    MEMBER("corrections", take_corrections, scanned_row, corrections),
    MEMBER("evaluator_results", take_judges, scanned_row, id),
    MEMBER("kept", take_text, scanned_row, kept),
    MEMBER("scores", refuse, scanned_row, id),
};

/* What rows say of their case since schema 2. */
static void set_case(const scanned_row *read, ee_stored_row *row) {
  if (read->candidate_state.length > 0) row->candidate_state = ee_stored_candidate_state(read->candidate_state);
  row->rule_errors = read->rule_errors;
  row->provider_failures = read->provider_failures;
  row->given_up = read->given_up;
  if (read->cluster.length > 0) row->cluster = read->cluster;
  if (read->kept.length > 0) row->kept = read->kept;
  if (ee_type_of(read->slices) == EE_OBJECT) row->slices = read->slices;
  row->has_corrections = read->straight_through.is_there;
  if (!row->has_corrections) return;
  row->corrections = read->corrections;
  row->corrections.straight_through = read->straight_through.is_true;
}

static void set_judges(ee_lean_rows *rows, ee_stored_row *row) {
  ee_stored_judge *judges = EE_NEW_ARRAY(rows->row_arena, ee_stored_judge, rows->judges.count);
  for (size_t i = 0; i < rows->judges.count; i++) {
    judges[i] = rows->judges.items[i];
    judges[i].split = judges[i].split && row->schema > 1;
    ee_stored_attribute *attributes = (ee_stored_attribute *)judges[i].attributes;
    for (size_t k = 0; k < judges[i].attribute_count && !judges[i].split; k++) attributes[k].counts.wrong = 0;
  }
  row->judges = judges;
  row->judge_count = rows->judges.count;
}

/* False for what must be read whole. */
static bool scan_row(ee_lean_rows *rows, ee_str text, ee_stored_row *row) {
  scanned_row read = {.schema = 0};
  if (text.length > ROW_BYTES || text.length == 0) return false;
  rows->end = text.data + text.length;
  rows->judges.count = 0;
  const char *at = scan_object(rows, ee_json_pass_space(text.data, rows->end), MEMBERS(row_members), &read);
  if (at == NULL || ee_json_skip_space(at, rows->end) != rows->end) return false;
  *row = (ee_stored_row){.base = read.id,
                         .trial = read.trial,
                         .schema = read.expected.is_there && read.schema >= 2 ? 2 : 1,
                         .has_hash = read.expected.is_there,
                         .has_rules_hash = read.rules.is_there,
                         .expected_hash = read.expected.value,
                         .rules_hash = read.rules.value,
                         .unscored = read.unscored.is_true};
  if (read.id.data == NULL || !read.score.is_there || !ee_stored_score(read.score.value, &row->score)) return false;
  ee_stored_row_name(row, read.unnamed.is_true, rows->row_arena);
  row->verdict = ee_stored_verdict(read.verdict, row->score);
  if (read.measures != NULL) ee_stored_measures_read(read.measures, rows->row_arena, row);
  if (row->schema > 1) set_case(&read, row);
  set_judges(rows, row);
  return true;
}

bool ee_lean_rows_read(ee_lean_rows *rows, ee_str text, const ee_json_options *options, ee_arena *arena,
                       ee_stored_row *row, ee_error *error) {
  rows->row_arena = arena;
  if (scan_row(rows, text, row)) return true;
  const ee_value *record = ee_json_read(arena, text, options, error);
  return record != NULL && ee_stored_row_read(record, arena, row, error);
}
