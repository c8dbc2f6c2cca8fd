/* contradictions.c: values that several candidates contradict in the same way, and those that another annotator gives
 * differently.
 *
 * Each candidate is judged by the rules, and values that do not match are kept. At least two candidates, and more than
 * half of those that have the record, must give the same value, which differs from the truth. They say the same when
 * their values are the same number, the same day, or the same text without case and with single spaces; a value that is
 * the same as the expected one in this sense does not contradict it (the rules cannot read it).
 *
 * Weight: 0.4, 0.55, 0.65, 0.7 for 2, 3, 4, 5 and more candidates, times the share of all candidates of the record.
 * Halved where the values differ by case, spaces and signs only, or where the candidates' is 0 and nothing is expected.
 * A value that is an element of an expected array is one of several right answers. An item that several candidates have
 * and the truth lacks is a finding of its own.
 * Where the record has a source text it decides: 0.9 if only the candidates' value is in it, 0.15 if only the expected
 * one is. That all candidates (three at least) leave a value out has weight 0.15.
 *
 * Where more than a fifth of at least 10 records of a path are contradicted, the truth follows another convention or
 * the rules do not fit: that is one finding with weight 0.3. None if the candidates have no value at that path: they do
 * not answer it, which says nothing about the truth.
 *
 * Another annotator (ee_audit_add_annotation()): each value that the rules count as wrong, whatever the number of
 * candidates. One of the two is wrong: weight 0.5, halved and decided by the source text as above. */
#include <inttypes.h>
#include <stdlib.h>

#include "audit/checks.h"
#include "audit/source_text.h"
#include "base/memory.h"
#include "data/json/json_writer.h"
#include "judge/plan.h"
#include "prim/date.h"
#include "prim/normalize.h"
#include "prim/sort.h"

#define SLIGHT_FACTOR 0.5
#define MISSING_WEIGHT 0.15
#define ONLY_CANDIDATES_WEIGHT 0.9
#define ONLY_TRUTH_WEIGHT 0.15
#define CONVENTION_WEIGHT 0.3
#define ANNOTATORS_WEIGHT 0.5
#define CONVENTION_SHARE 0.2
#define CONVENTION_RECORDS 10
/* Bytes of a value that are kept. */
#define SHOWN 120

/* Reading candidates ------------------------------------------------------------------------------ */

void ee_audit_begin_candidate(ee_audit *audit, ee_str name) {
  ee_str copy = {ee_arena_copy(&audit->arena, name.data, name.length), name.length};
  *EE_LIST_ADD(&audit->models, NULL) =
      (ee_audit_model){.name = copy, .seen = ee_calloc(audit->records.count / 8 + 1, 1)};
  audit->report.candidates = audit->models.count;
}

static bool has_seen(const ee_audit_model *model, uint32_t record) {
  return (model->seen[record / 8] >> record % 8 & 1) != 0;
}

/* Equal for values that say the same; 0 for an empty one. */
static uint64_t key_of(const ee_value *value, ee_arena *arena) {
  if (ee_value_is_empty(value, NULL)) return 0;
  double number;
  if (ee_audit_number(value, '.', arena, &number, NULL)) {
    number += 0.0; /* -0 is 0 */
    return ee_hash_bytes(&number, sizeof number, 1) | 1;
  }
  if (ee_type_of(value) != EE_STRING) return ee_value_hash(value) | 1;
  ee_str text = ee_value_text(value);
  ee_date date;
  if (ee_date_parse(text, NULL, 0, &date) == EE_DATE_OK) {
    int64_t days = ee_date_days(&date);
    return ee_hash_bytes(&days, sizeof days, 2) | 1;
  }
  ee_str folded = ee_audit_fold(text, arena);
  return ee_hash_bytes(folded.data, folded.length, 3) | 1;
}

static ee_str keep(ee_audit *audit, ee_str text) {
  return (ee_str){ee_arena_copy(&audit->arena, text.data, text.length), text.length};
}

/* Whether the candidate's value is one of several correct answers. */
static bool is_one_of(const ee_value *expected, uint64_t proposed, ee_arena *arena) {
  if (ee_type_of(expected) != EE_ARRAY) return false;
  for (const ee_value *answer = ee_value_child(expected); answer != NULL; answer = ee_value_next(answer))
    if (ee_audit_is_scalar(answer) && key_of(answer, arena) == proposed) return true;
  return false;
}

/* Differences in spelling rather than meaning. */
static bool is_slight(const ee_value *expected, const ee_value *candidate, ee_arena *arena) {
  static const uint8_t forms[] = {EE_NORMAL_NFKC, EE_NORMAL_CASEFOLD, EE_NORMAL_ALNUM};
  double number;
  if (ee_value_is_empty(expected, NULL)) return ee_audit_number(candidate, '.', arena, &number, NULL) && number == 0;
  if (ee_type_of(expected) != EE_STRING || ee_type_of(candidate) != EE_STRING) return false;
  return ee_str_equal(ee_normalize(ee_value_text(expected), forms, sizeof forms, arena),
                      ee_normalize(ee_value_text(candidate), forms, sizeof forms, arena));
}

static void add_difference(ee_audit *audit, ee_audit_differences *list, uint32_t record, const ee_mismatch *mismatch,
                           ee_arena *scratch) {
  const ee_finding *finding = &mismatch->finding;
  uint64_t expected = key_of(mismatch->expected, scratch), proposed = key_of(mismatch->candidate, scratch);
  if (expected == proposed || is_one_of(mismatch->expected, proposed, scratch)) return;
  ee_buffer place;
  ee_buffer_init(&place);
  bool extra = finding->reason.kind == EE_REASON_EXTRA_ITEM;
  if (extra)
    ee_buffer_add_str(&place, finding->path); /* the number of the candidate's item says nothing */
  else
    ee_finding_print_place(finding, &place);
  ee_str path = {place.data, place.length};
  *EE_LIST_ADD(list, NULL) = (ee_audit_difference){
      .record = record,
      .candidate = (uint32_t)audit->models.count - 1, /* of an annotation without a meaning */
      .path = keep(audit, path),
      .column = keep(audit, ee_audit_without_indices(path, scratch)),
      .expected = expected == 0 ? EE_STR("") : keep(audit, ee_audit_text(mismatch->expected, SHOWN, scratch)),
      .proposed = proposed == 0 ? EE_STR("") : keep(audit, ee_audit_text(mismatch->candidate, SHOWN, scratch)),
      .key = proposed,
      .extra = extra,
      .slight = is_slight(mismatch->expected, mismatch->candidate, scratch)};
  ee_buffer_fini(&place);
}

/* Adds what differs from the truth in a record that it has. */
static void compare(ee_audit *audit, const ee_open_plan *open, uint32_t record, const ee_case *current,
                    ee_audit_differences *list, ee_arena *scratch) {
  ee_case joined = *current;
  joined.expected = ee_audit_expected(audit, record, scratch);
  ee_context context = ee_open_plan_context(open, scratch);
  ee_case_result result;
  ee_plan_judge(open->plan, &context, &joined, &result);
  for (size_t i = 0; i < result.judge_count; i++)
    for (size_t k = 0; k < result.judges[i].mismatch_count; k++)
      add_difference(audit, list, record, &result.judges[i].mismatches[k], scratch);
}

void ee_audit_add_candidate(ee_audit *audit, const ee_open_plan *open, const ee_case *current, ee_arena *scratch) {
  ee_audit_model *model = &audit->models.items[audit->models.count - 1];
  uint32_t record = current->unnamed ? EE_NO_RECORD : ee_audit_find_record(audit, current->id);
  if (record == EE_NO_RECORD) audit->report.unknown_ids++;
  if (record == EE_NO_RECORD || has_seen(model, record)) return;
  audit->report.joined++;
  ee_audit_bring_source(audit, record, current, scratch);
  if (current->candidate_state != EE_CANDIDATE_READ || open == NULL || !ee_audit_wants(audit, EE_AUDIT_CONTRADICTED))
    return;
  model->seen[record / 8] |= (uint8_t)(1u << record % 8);
  compare(audit, open, record, current, &audit->differences, scratch);
}

void ee_audit_add_annotation(ee_audit *audit, const ee_open_plan *open, const ee_case *current, ee_arena *scratch) {
  uint32_t record = ee_audit_find_record(audit, current->id);
  if (record == EE_NO_RECORD) {
    audit->report.unknown_ids++;
    return;
  }
  audit->report.annotated++;
  if (open != NULL && ee_audit_wants(audit, EE_AUDIT_ANNOTATORS))
    compare(audit, open, record, current, &audit->annotations, scratch);
}

/* Votes ------------------------------------------------------------------------------------------- */

static bool is_before(const ee_audit_difference *a, const ee_audit_difference *b) {
  if (a->record != b->record) return a->record < b->record;
  int order = ee_str_compare(a->path, b->path);
  if (order != 0) return order < 0;
  if (a->key != b->key) return a->key < b->key;
  return a->candidate < b->candidate;
}
EE_DEFINE_SORT(sort_differences, ee_audit_difference, is_before)

/* The candidates that say the same about one value. */
typedef struct vote {
  const ee_audit_difference *first;
  uint64_t same, others, all; /* candidates: these, those that say something else again, those that have the record */
} vote;

/* Counts of one path. */
typedef struct path_votes {
  ee_str column;
  uint64_t votes, records; /* records: that have one */
  uint64_t valued;         /* votes for a value; the others are for none */
  uint32_t last;           /* record */
  const vote *first;
} path_votes;

typedef struct votes {
  EE_LIST(vote);
} votes;

static uint64_t count_candidates(const ee_audit *audit, uint32_t record) {
  uint64_t count = 0;
  for (size_t i = 0; i < audit->models.count; i++) count += has_seen(&audit->models.items[i], record);
  return count;
}

/* Whether the value is missing, or is there, because of a misspelt key, which is reported. */
static bool is_misspelt(const ee_audit *audit, const ee_audit_difference *at) {
  size_t start = 0, ignored;
  uint64_t hash = ee_hash_bytes(at->column.data, at->column.length, at->record);
  return ee_hash_index_next(&audit->misspelt, hash, &start, &ignored);
}

/* The differences from `start` on that are about one value, or one item that the truth lacks; `*end` is the first of
 * the next. Several judges may list the same value. */
static bool decide(const ee_audit *audit, size_t start, size_t *end, vote *made) {
  const ee_audit_difference *items = audit->differences.items, *first = &items[start];
  uint64_t different = 0, best = 0;
  size_t best_at = start, at = start;
  while (at < audit->differences.count && items[at].record == first->record &&
         ee_str_equal(items[at].path, first->path) && (!first->extra || items[at].key == first->key)) {
    size_t from = at;
    uint64_t same = 0;
    for (; at < audit->differences.count && items[at].record == first->record && items[at].key == items[from].key &&
           ee_str_equal(items[at].path, first->path);
         at++)
      same += at == from || items[at].candidate != items[at - 1].candidate;
    different += same;
    if (same > best) {
      best = same;
      best_at = from;
    }
  }
  *end = at;
  if (is_misspelt(audit, first)) return false;
  *made =
      (vote){&items[best_at], best, different > best ? different - best : 0, count_candidates(audit, first->record)};
  return items[best_at].key == 0 ? best >= 3 && best == made->all : best >= 2 && 2 * best > made->all;
}

static double weight_of(const vote *made) {
  static const double weights[] = {0, 0, 0.4, 0.55, 0.65, 0.7};
  if (made->first->key == 0) return MISSING_WEIGHT;
  double share = (double)made->same / (double)made->all;
  return weights[made->same < 5 ? made->same : 5] * share * (made->first->slight ? SLIGHT_FACTOR : 1);
}

/* Adjusts the weight by which value the source text has; returns the reason as text. */
static const char *ask_source(ee_audit *audit, const vote *made, double *weight, ee_arena *arena) {
  ee_str text = ee_audit_source(audit, made->first->record), near;
  if (text.length == 0 || made->first->key == 0 || made->first->expected.length == 0) return "";
  ee_source_text source;
  ee_source_text_read(&source, text, arena);
  bool truth =
      ee_source_text_look_up(&source, ee_value_new_string(arena, made->first->expected), &near) == EE_PLACE_EXACT;
  bool other =
      ee_source_text_look_up(&source, ee_value_new_string(arena, made->first->proposed), &near) == EE_PLACE_EXACT;
  if (truth == other) return truth ? ", and the source text has both" : "";
  *weight = other ? ONLY_CANDIDATES_WEIGHT : ONLY_TRUTH_WEIGHT;
  return other ? ", and the source text has only that" : ", but the source text has only the expected value";
}

/* An item that the truth lacks is a separate finding, since an array may lack several. */
static void report_item(ee_audit *audit, const vote *made) {
  ee_audit_entry *entry = ee_audit_find(
      audit, EE_AUDIT_CONTRADICTED, made->first->path, weight_of(made), 1, EE_STR(""), made->first->proposed,
      "%" PRIu64 " of %" PRIu64 " candidates have an item that is not expected", made->same, made->all);
  ee_audit_affect(audit, entry, made->first->record);
}

static void report_vote(ee_audit *audit, const vote *made, ee_arena *arena) {
  if (made->first->extra) {
    report_item(audit, made);
    return;
  }
  double weight = weight_of(made);
  const char *source = ask_source(audit, made, &weight, arena);
  const char *others = made->others > 0 ? ee_arena_printf(arena, ", %" PRIu64 " something else", made->others) : "";
  ee_audit_blame(audit, EE_AUDIT_CONTRADICTED, made->first->record, made->first->path, weight, made->first->expected,
                 made->first->proposed, "%" PRIu64 " of %" PRIu64 " candidates %s%s%s%s%s", made->same, made->all,
                 made->first->key == 0 ? "have no value here" : "agree on '",
                 made->first->key == 0 ? "" : ee_arena_printf(arena, "%.*s", EE_STR_ARG(made->first->proposed)),
                 made->first->key == 0 ? "" : "'", others, source);
}

static path_votes *find_path(path_votes *paths, size_t *count, ee_hash_index *index, ee_str column) {
  uint64_t hash = ee_hash_bytes(column.data, column.length, 0);
  size_t at = 0, number;
  while (ee_hash_index_next(index, hash, &at, &number))
    if (ee_str_equal(paths[number].column, column)) return &paths[number];
  ee_hash_index_add(index, hash, *count);
  paths[*count] = (path_votes){.column = column};
  return &paths[(*count)++];
}

static void report_convention(ee_audit *audit, const path_votes *path, const votes *all, uint64_t records) {
  const ee_audit_difference *first = path->first->first;
  ee_audit_entry *entry = ee_audit_find(
      audit, EE_AUDIT_CONTRADICTED, path->column, CONVENTION_WEIGHT, path->votes, first->expected, first->proposed,
      "most candidates contradict %" PRIu64 " values in %" PRIu64 " of %" PRIu64
      " records in the same way: the expected values follow another convention, or the rules do not fit",
      path->votes, path->records, records);
  for (size_t i = 0; i < all->count; i++)
    if (ee_str_equal(all->items[i].first->column, path->column))
      ee_audit_affect(audit, entry, all->items[i].first->record);
}

static uint64_t count_voted(const ee_audit *audit) {
  uint64_t count = 0;
  for (uint32_t i = 0; i < audit->records.count; i++) count += count_candidates(audit, i) >= 2;
  return count;
}

void ee_audit_check_candidates(ee_audit *audit) {
  if (!ee_audit_wants(audit, EE_AUDIT_CONTRADICTED) || audit->models.count < 2) return;
  ee_arena arena, scratch;
  ee_arena_init(&arena, 0);
  ee_arena_init(&scratch, 0);
  sort_differences(audit->differences.items, audit->differences.count, &arena);
  votes all = {0};
  for (size_t at = 0, end; at < audit->differences.count; at = end) {
    vote made;
    if (decide(audit, at, &end, &made)) *EE_LIST_ADD(&all, &arena) = made;
  }
  path_votes *paths = EE_NEW_ARRAY(&arena, path_votes, all.count);
  size_t path_count = 0;
  ee_hash_index index = {.arena = &arena};
  for (size_t i = 0; i < all.count; i++) {
    path_votes *path = find_path(paths, &path_count, &index, all.items[i].first->column);
    uint32_t record = all.items[i].first->record;
    path->records += path->votes == 0 || path->last != record;
    path->last = record;
    path->valued += all.items[i].first->key != 0;
    if (path->votes++ == 0) path->first = &all.items[i];
  }
  uint64_t records = count_voted(audit);
  for (size_t i = 0; i < path_count; i++)
    if (records >= CONVENTION_RECORDS && (double)paths[i].votes > CONVENTION_SHARE * (double)records &&
        paths[i].valued > 0)
      report_convention(audit, &paths[i], &all, records);
  for (size_t i = 0; i < all.count; i++) {
    const path_votes *path = find_path(paths, &path_count, &index, all.items[i].first->column);
    if (records >= CONVENTION_RECORDS && (double)path->votes > CONVENTION_SHARE * (double)records) continue;
    report_vote(audit, &all.items[i], &scratch);
    ee_arena_reset(&scratch, (size_t)1 << 20);
  }
  ee_arena_fini(&scratch);
  ee_arena_fini(&arena);
}

/* Another annotator ------------------------------------------------------------------------------- */

static void report_annotation(ee_audit *audit, const ee_audit_difference *at, ee_arena *arena) {
  vote made = {.first = at, .same = 1, .all = 1};
  double weight = ANNOTATORS_WEIGHT * (at->slight ? SLIGHT_FACTOR : 1);
  if (at->extra) {
    ee_audit_affect(audit,
                    ee_audit_find(audit, EE_AUDIT_ANNOTATORS, at->path, weight, 1, EE_STR(""), at->proposed,
                                  "the other annotator has an item that is not expected"),
                    at->record);
    return;
  }
  const char *source = ask_source(audit, &made, &weight, arena);
  const char *what = at->key == 0 ? "no value here" : ee_arena_printf(arena, "'%.*s'", EE_STR_ARG(at->proposed));
  ee_audit_blame(audit, EE_AUDIT_ANNOTATORS, at->record, at->path, weight, at->expected, at->proposed,
                 "the other annotator has %s%s", what, source);
}

void ee_audit_check_annotations(ee_audit *audit) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  const ee_audit_difference *items = audit->annotations.items;
  sort_differences(audit->annotations.items, audit->annotations.count, &arena);
  for (size_t i = 0; i < audit->annotations.count; i++) {
    /* Several judges may list the same value. */
    bool again = i > 0 && !items[i].extra && items[i].record == items[i - 1].record &&
                 ee_str_equal(items[i].path, items[i - 1].path);
    if (again || is_misspelt(audit, &items[i])) continue;
    report_annotation(audit, &items[i], &arena);
    ee_arena_reset(&arena, (size_t)1 << 20);
  }
  ee_arena_fini(&arena);
}
