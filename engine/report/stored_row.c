/* stored_row.c: reading a line of results, of this program or another. */
#include "report/stored_row.h"

#include "data/json/json_reader.h"

#include <math.h>

#include "base/hash_index.h"
#include "data/files/record.h"
#include "judge/outside/protocol.h"

/* How far scores of other programs may be outside 0..1 by rounding. */
#define SCORE_SLACK 1e-9
#define HASH_DIGITS 16
/* Bytes of the outer judge's name in the name of an inner one. */
#define OUTER_SHOWN 256

static const ee_value *member(const ee_value *value, const char *key, ee_arena *arena) {
  return ee_value_member(value, ee_str_from(key), arena);
}

/* The text of a member; empty if it is not a string. */
static ee_str text_member(const ee_value *value, const char *key, ee_arena *arena) {
  const ee_value *found = member(value, key, arena);
  return ee_type_of(found) == EE_STRING ? ee_value_text(found) : EE_STR("");
}

static bool is_true(const ee_value *value, const char *key, ee_arena *arena) {
  return ee_type_of(member(value, key, arena)) == EE_TRUE;
}

bool ee_stored_score(double number, double *score) {
  if (!(number >= -SCORE_SLACK && number <= 1 + SCORE_SLACK)) return false;
  *score = number < 0 ? 0 : number > 1 ? 1 : number;
  return true;
}

/* False if the value is not a score. */
static bool read_score(const ee_value *value, double *score) {
  return ee_type_of(value) == EE_NUMBER && ee_stored_score(ee_value_number(value), score);
}

ee_verdict ee_stored_verdict(ee_str text, double score) {
  for (int i = EE_VERDICT_PASS; i <= EE_VERDICT_FAIL; i++)
    if (ee_str_is(text, ee_verdict_name((ee_verdict)i))) return (ee_verdict)i;
  return ee_verdict_of(score, EE_USUAL_LIMITS);
}

static ee_verdict read_verdict(const ee_value *value, double score, ee_arena *arena) {
  return ee_stored_verdict(text_member(value, "verdict", arena), score);
}

/* The id ---------------------------------------------------------------------------------------- */

/* Names of ids besides those of records. */
static const char *const more_id_names[] = {"testId", "evalId", NULL};

static bool read_id(const ee_value *record, ee_arena *arena, ee_str *id, ee_error *error) {
  if (ee_record_read_id(record, NULL, EE_PART_ID, arena, id, error) != EE_OK) return false;
  for (const char *const *name = more_id_names; id->data == NULL && *name != NULL; name++) {
    const ee_value *found = member(record, *name, arena);
    if (ee_type_of(found) == EE_STRING) *id = ee_value_text(found);
  }
  if (id->data != NULL) return true;
  bool is_state = member(record, "evalengine_state", arena) != NULL;
  ee_error_set(error, EE_ERROR_DATA, "%s", is_state ? "a state, not a row: 'merge' reads states" : "row has no id");
  return false;
}

/* Before version 0.2 rows did not say it, and the id was "line:17" in every file. */
static bool is_line(ee_str id) {
  if (id.length < 6 || memcmp(id.data, "line:", 5) != 0) return false;
  for (size_t i = 5; i < id.length; i++)
    if (id.data[i] < '0' || id.data[i] > '9') return false;
  return true;
}

void ee_stored_row_name(ee_stored_row *row, bool unnamed, ee_arena *arena) {
  row->id = ee_trial_id(row->base, row->trial, arena);
  if (row->trial.data != NULL) row->cluster = row->base;
  row->unnamed = unnamed || is_line(row->base);
}

static bool read_names(const ee_value *record, ee_arena *arena, ee_stored_row *row, ee_error *error) {
  if (!read_id(record, arena, &row->base, error)) return false;
  const ee_value *trial = member(record, "trial", arena);
  if (ee_type_of(trial) == EE_STRING || ee_type_of(trial) == EE_NUMBER) row->trial = ee_record_id_text(trial, arena);
  ee_stored_row_name(row, is_true(record, "unnamed", arena), arena);
  return true;
}

/* False without a hash of that name. */
static bool read_hash(const ee_value *record, const char *name, ee_arena *arena, uint64_t *hash) {
  ee_str text = text_member(record, name, arena);
  for (size_t i = 0; i < text.length; i++) {
    int digit = ee_hex_digit(text.data[i]);
    if (digit < 0) return false;
    *hash = *hash << 4 | (unsigned)digit;
  }
  return text.length == HASH_DIGITS;
}

/* Attributes ------------------------------------------------------------------------------------ */

/* A count; 0 if the row does not have it. */
static uint64_t read_count(const ee_value *value, const char *key, ee_arena *arena) {
  uint64_t count = 0;
  ee_protocol_read_count(member(value, key, arena), &count);
  return count;
}

/* Sets how many false positives are incorrect; false where the row does not say it of all. */
static bool read_split(const ee_value *metrics, ee_counts *counts) {
  uint64_t incorrect = read_count(metrics, "incorrect", NULL), spurious = read_count(metrics, "spurious", NULL);
  if (incorrect + spurious != counts->fp) return false;
  counts->wrong = incorrect;
  return true;
}

bool ee_stored_attribute_read(const ee_value *metrics, ee_stored_attribute *attribute, bool *split) {
  *attribute = (ee_stored_attribute){.name = ee_value_key(metrics), .derived = ee_protocol_is_derived(metrics)};
  bool is_read = ee_protocol_read_counts(metrics, &attribute->counts);
  *split = is_read && read_split(metrics, &attribute->counts);
  return is_read;
}

/* The attributes of a judge's details.metrics. */
static void take_attributes(const ee_value *entry, ee_stored_judge *judge, ee_arena *arena) {
  const ee_value *metrics = member(member(entry, "details", arena), "metrics", arena);
  if (ee_type_of(metrics) != EE_OBJECT) return;
  ee_stored_attribute *attributes = EE_NEW_ARRAY(arena, ee_stored_attribute, ee_value_count(metrics));
  for (const ee_value *each = ee_value_child(metrics); each != NULL; each = ee_value_next(each)) {
    bool split;
    if (!ee_stored_attribute_read(each, &attributes[judge->attribute_count], &split)) continue;
    judge->split = judge->split && split;
    judge->attribute_count++;
  }
  /* An attribute without the split makes that of earlier ones useless. */
  for (size_t i = 0; i < judge->attribute_count && !judge->split; i++) attributes[i].counts.wrong = 0;
  judge->attributes = attributes;
}

/* Judges ---------------------------------------------------------------------------------------- */

/* The array of judges of a row, or of those inside a judge; NULL without. */
static const ee_value *judges_of(const ee_value *value, ee_arena *arena) {
  const ee_value *list = member(value, "evaluator_results", arena);
  if (ee_type_of(list) != EE_ARRAY) list = member(value, "scores", arena);
  return ee_type_of(list) == EE_ARRAY ? list : NULL;
}

/* The metrics of an ee.judge that declares them; NULL: none. */
static const ee_value *case_metrics_of(const ee_value *entry, ee_arena *arena) {
  const ee_value *metrics = member(entry, "case_metrics", arena);
  return ee_type_of(metrics) == EE_OBJECT ? metrics : NULL;
}

/* Recursion is bounded by the reader's nesting limit. */
static size_t count_judges(const ee_value *value, ee_arena *arena) {
  const ee_value *list = judges_of(value, arena);
  size_t count = 0;
  for (const ee_value *entry = list != NULL ? ee_value_child(list) : NULL; entry != NULL;
       entry = ee_value_next(entry)) {
    if (ee_type_of(entry) != EE_OBJECT) continue;
    const ee_value *metrics = case_metrics_of(entry, arena);
    count += 1 + (metrics != NULL ? ee_value_count(metrics) : 0) + count_judges(entry, arena);
  }
  return count;
}

typedef struct judge_list {
  ee_arena *arena;
  ee_stored_judge *judges;
  size_t count;
  ee_hash_index names; /* of judges */
  size_t *again;       /* by judge: the number that was last tried after its name */
} judge_list;

static bool find_name(const judge_list *list, ee_str name, uint64_t hash, size_t *number) {
  size_t at = 0;
  while (ee_hash_index_next(&list->names, hash, &at, number))
    if (ee_str_equal(list->judges[*number].name, name)) return true;
  return false;
}

/* `name`, with a number after it if a judge of the row has it already. */
static ee_str unique_name(judge_list *list, ee_str name) {
  size_t first, other;
  uint64_t hash = ee_hash_bytes(name.data, name.length, 0);
  ee_str tried = name;
  if (find_name(list, name, hash, &first)) {
    size_t *number = &list->again[first];
    if (*number == 0) *number = 1;
    do {
      *number += 1;
      tried = ee_str_from(ee_arena_printf(list->arena, "%.*s (%zu)", (int)name.length, name.data, *number));
      hash = ee_hash_bytes(tried.data, tried.length, 0);
    } while (find_name(list, tried, hash, &other));
  }
  ee_hash_index_add(&list->names, hash, list->count);
  return tried;
}

static ee_str name_of(const ee_value *entry, ee_str outer, ee_arena *arena) {
  ee_str name = text_member(entry, "name", arena);
  if (name.length == 0) name = text_member(entry, "type", arena);
  if (name.length == 0) name = EE_STR("(unnamed)");
  if (outer.length == 0) return name;
  /* A long name would be repeated for each inner judge. */
  if (outer.length > OUTER_SHOWN) outer.length = ee_utf8_cut(outer, OUTER_SHOWN);
  return ee_str_from(ee_arena_printf(arena, "%.*s/%.*s", (int)outer.length, outer.data, (int)name.length, name.data));
}

/* Places of judges and, between them, of those inside one. */
#define PLACES_APART 4096

size_t ee_stored_place(size_t *index, uint64_t said) {
  *index = said > 0 && said < PLACES_APART ? (size_t)said : *index + 1;
  return *index * PLACES_APART;
}

/* Metrics that a judge declares are compared and averaged as judges in it, "JUDGE/METRIC". One that is better when
 * lower is read as its complement, "JUDGE/1-METRIC", so that more is better for all. */
static void read_case_metrics(const ee_value *entry, const ee_stored_judge *of, judge_list *list) {
  ee_arena *arena = list->arena;
  const ee_value *metrics = case_metrics_of(entry, arena), *lower = member(entry, "lower_is_better", arena);
  size_t place = of->place;
  for (const ee_value *at = metrics != NULL ? ee_value_child(metrics) : NULL; at != NULL; at = ee_value_next(at)) {
    ee_str name = ee_value_key(at);
    bool complement = false;
    const ee_value *other = ee_type_of(lower) == EE_ARRAY ? ee_value_child(lower) : NULL;
    for (; other != NULL; other = ee_value_next(other))
      complement |= ee_type_of(other) == EE_STRING && ee_str_equal(ee_value_text(other), name);
    double value;
    if (!read_score(at, &value)) continue;
    ee_str full =
        ee_str_from(ee_arena_printf(arena, "%.*s/%s%.*s", (int)ee_utf8_cut(of->name, OUTER_SHOWN), of->name.data,
                                    complement ? "1-" : "", (int)ee_utf8_cut(name, OUTER_SHOWN), name.data));
    ee_stored_judge *judge = &list->judges[list->count];
    place += 1;
    *judge = (ee_stored_judge){.name = unique_name(list, full),
                               .type = EE_STR("metric"),
                               .place = place,
                               .has_score = true,
                               .split = true,
                               .score = complement ? 1 - value : value,
                               .entry = at};
    judge->verdict = ee_stored_verdict((ee_str){NULL, 0}, judge->score);
    list->count++;
  }
}

/* `place`: of the judge that they are in, 0: of none. */
static void read_judges(const ee_value *value, ee_str outer, size_t place, unsigned schema, judge_list *list) {
  ee_arena *arena = list->arena;
  size_t index = 0;
  const ee_value *entries = judges_of(value, arena);
  for (const ee_value *entry = entries != NULL ? ee_value_child(entries) : NULL; entry != NULL;
       entry = ee_value_next(entry)) {
    if (ee_type_of(entry) != EE_OBJECT) continue;
    ee_stored_judge *judge = &list->judges[list->count];
    *judge = (ee_stored_judge){.name = unique_name(list, name_of(entry, outer, arena)),
                               .type = text_member(entry, "type", arena),
                               .weight = 1,
                               .split = schema > 1 && !is_true(entry, "own_counts", arena),
                               .entry = entry};
    list->count++;
    size_t before = index, own = ee_stored_place(&index, read_count(entry, "place", arena));
    judge->place = place == 0 ? own : place + before + 1;
    judge->has_score = read_score(member(entry, "score", arena), &judge->score) && !is_true(entry, "unscored", arena);
    judge->in_error = is_true(entry, "in_error", arena);
    judge->unscored = is_true(entry, "unscored", arena);
    judge->vacuous = is_true(member(entry, "details", arena), "vacuous", arena);
    judge->verdict = read_verdict(entry, judge->score, arena);
    const ee_value *weight = member(entry, "weight", arena);
    if (ee_type_of(weight) == EE_NUMBER && ee_value_number(weight) >= 0) judge->weight = ee_value_number(weight);
    take_attributes(entry, judge, arena);
    read_case_metrics(entry, judge, list);
    read_judges(entry, judge->name, judge->place, schema, list);
  }
}

/* The row --------------------------------------------------------------------------------------- */

static bool read_row_score(const ee_value *record, ee_arena *arena, double *score, ee_error *error) {
  const ee_value *value = member(record, "score", arena);
  if (read_score(value, score)) return true;
  char digits[32];
  if (value == NULL) {
    ee_error_set(error, EE_ERROR_DATA, "row has no score");
  } else if (ee_type_of(value) == EE_NUMBER) {
    ee_str text = ee_value_number_text(value, digits);
    ee_error_set(error, EE_ERROR_DATA, "score must be from 0 to 1, got %.*s", (int)ee_utf8_cut(text, 40), text.data);
  } else {
    ee_error_set(error, EE_ERROR_DATA, "score must be a number, got %s", ee_value_describe(value));
  }
  return false;
}

void ee_stored_measures_read(const ee_value *object, ee_arena *arena, ee_stored_row *row) {
  if (ee_type_of(object) != EE_OBJECT) return;
  size_t count = 0;
  for (const ee_value *at = ee_value_child(object); at != NULL; at = ee_value_next(at)) count++;
  ee_measure_value *measures = EE_NEW_ARRAY(arena, ee_measure_value, count);
  for (const ee_value *at = ee_value_child(object); at != NULL; at = ee_value_next(at)) {
    ee_measure_value *measure = &measures[row->measure_count++];
    *measure = (ee_measure_value){.name = ee_value_key(at), .state = EE_MEASURE_NOT_NUMBER};
    if (ee_type_of(at) != EE_NUMBER || !isfinite(ee_value_number(at))) continue;
    measure->state = EE_MEASURE_READ;
    measure->value = ee_value_number(at);
  }
  row->measures = measures;
}

/* A row without a hash of its expected value is another program's, whatever it calls its schema. */
static unsigned read_schema(const ee_value *record, ee_arena *arena) {
  uint64_t ignored = 0;
  bool own = read_hash(record, "expected_hash", arena, &ignored);
  return own && read_count(record, "schema", arena) >= 2 ? 2 : 1;
}

/* Whether the document goes straight through, and what must be edited. */
static void read_corrections(const ee_value *record, ee_arena *arena, ee_stored_row *row) {
  ee_type type = ee_type_of(member(record, "straight_through", arena));
  row->has_corrections = type == EE_TRUE || type == EE_FALSE;
  if (!row->has_corrections) return;
  ee_corrections *corrections = &row->corrections;
  corrections->straight_through = type == EE_TRUE;
  const ee_value *edits = member(record, "corrections", arena);
  if (ee_type_of(edits) != EE_OBJECT) return;
  for (int i = 0; i < EE_CORRECTION_KINDS; i++)
    corrections->kinds[i] = read_count(edits, ee_correction_name((ee_correction_kind)i), arena);
  corrections->row_values = read_count(edits, "row_values", arena);
  corrections->optional = read_count(edits, "optional_missing", arena);
  corrections->checks = read_count(edits, "checks_failed", arena);
}

ee_candidate_state ee_stored_candidate_state(ee_str text) {
  if (ee_str_is(text, "missing")) return EE_CANDIDATE_MISSING;
  return ee_str_is(text, "unparseable") ? EE_CANDIDATE_UNPARSEABLE : EE_CANDIDATE_READ;
}

/* What rows say of their case since schema 2. */
static void read_case(const ee_value *record, ee_arena *arena, ee_stored_row *row) {
  row->candidate_state = ee_stored_candidate_state(text_member(record, "candidate_state", arena));
  row->rule_errors = read_count(record, "rule_errors", arena);
  row->provider_failures = read_count(record, "provider_failures", arena);
  row->given_up = read_count(record, "given_up", arena);
  ee_str cluster = text_member(record, "cluster", arena);
  if (cluster.length > 0) row->cluster = cluster;
  ee_str kept = text_member(record, "kept", arena);
  if (kept.length > 0) row->kept = kept;
  read_corrections(record, arena, row);
  const ee_value *slices = member(record, "slices", arena);
  if (ee_type_of(slices) == EE_OBJECT) row->slices = slices;
}

bool ee_stored_row_read(const ee_value *record, ee_arena *arena, ee_stored_row *row, ee_error *error) {
  *row = (ee_stored_row){.record = record, .schema = read_schema(record, arena)};
  if (!read_names(record, arena, row, error) || !read_row_score(record, arena, &row->score, error)) return false;
  row->verdict = read_verdict(record, row->score, arena);
  row->unscored = is_true(record, "unscored", arena);
  row->has_hash = read_hash(record, "expected_hash", arena, &row->expected_hash);
  row->has_rules_hash = read_hash(record, "rules_hash", arena, &row->rules_hash);
  ee_stored_measures_read(member(record, "measures", arena), arena, row);
  if (row->schema > 1) read_case(record, arena, row);
  size_t count = count_judges(record, arena);
  judge_list list = {.arena = arena,
                     .judges = EE_NEW_ARRAY(arena, ee_stored_judge, count),
                     .names = {.arena = arena},
                     .again = EE_NEW_ARRAY(arena, size_t, count)};
  read_judges(record, EE_STR(""), 0, row->schema, &list);
  row->judges = list.judges;
  row->judge_count = list.count;
  return true;
}

bool ee_stored_row_read_id(const ee_value *record, ee_arena *arena, ee_stored_row *row, ee_error *error) {
  *row = (ee_stored_row){.record = record};
  return read_names(record, arena, row, error);
}

ee_status ee_stored_rows_read(ee_str rows, ee_status (*each)(void *user, const ee_stored_row *row, ee_error *error),
                              void *user, ee_error *error) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_status status = EE_OK;
  while (rows.length > 0 && status == EE_OK) {
    const char *end = memchr(rows.data, '\n', rows.length);
    size_t length = end != NULL ? (size_t)(end - rows.data) : rows.length;
    const ee_value *record = ee_json_read(&arena, (ee_str){rows.data, length}, NULL, error);
    ee_stored_row row;
    bool good = record != NULL && ee_stored_row_read(record, &arena, &row, error);
    status = good ? each(user, &row, error) : EE_ERROR_SYSTEM;
    length += end != NULL;
    rows = (ee_str){rows.data + length, rows.length - length};
    ee_arena_reset(&arena, (size_t)1 << 20);
  }
  ee_arena_fini(&arena);
  return status;
}
