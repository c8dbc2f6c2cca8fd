/* case_view.h: random rules with a script in C, what they say of a case, and whether two such sayings are the same. */
#ifndef EE_TESTS_JUDGE_CASE_VIEW_H
#define EE_TESTS_JUDGE_CASE_VIEW_H

#include "base/hash_index.h"
#include "judge/line_items/line_items.h"
#include "judge/random_rules.h"

enum { JUDGES = 1 + RULES_LISTS, DOCUMENTS_A_PLAN = 4 };

/* What one judge said, with names mapped to slots and cells. */
typedef struct judge_view {
  double score;
  ee_verdict verdict;
  bool failed, vacuous;
  size_t misses, hits, missing, extra, pair_count;
  ee_alignment pairs[TEST_ITEMS];
  uint64_t pairing;  /* of the pairs' items and similarities, whatever their order */
  uint64_t findings; /* of the texts of hits and misses, whatever their order */
  ee_counts counts[RULES_FIELDS];
  bool present[RULES_FIELDS];
} judge_view;

typedef struct case_view {
  double score;
  ee_verdict verdict;
  judge_view judges[JUDGES];
} case_view;

/* A plan with a script in C. */
typedef struct subject {
  fixture f;
  ee_script_vtable vtable;
  const char *prefix;
  char *rules;
} subject;

/* One random expected document with an answer, and the rules that judge them. */
typedef struct trial {
  test_random *random;
  ee_arena *arena;
  const random_rules *rules;
  subject *subject;
  test_document expected, candidate;
} trial;

static const test_spelling plain = {0};

/* The script ----------------------------------------------------------------------------------- */

static inline ee_status similar_start(const ee_value *expected, const ee_value *candidate, ee_script_score *result,
                                      ee_error *error) {
  (void)error;
  *result = (ee_script_score){.score = ee_value_equal(expected, candidate) ? 1 : 0};
  if (ee_type_of(expected) != EE_STRING || ee_type_of(candidate) != EE_STRING) return EE_OK;
  if (result->score < 1 && expected->json.valuestring[0] == candidate->json.valuestring[0]) result->score = 0.5;
  return EE_OK;
}

static inline ee_status keep(const ee_value *value, const ee_value **result, ee_error *error) {
  (void)error;
  *result = value;
  return EE_OK;
}

static inline ee_status only_odd(int function, bool *result, ee_error *error) {
  (void)error;
  *result = function % 2 == 1;
  return EE_OK;
}

static inline ee_status contains(ee_script *script, ee_str pattern, ee_str text, bool *result, ee_error *error) {
  (void)script, (void)error;
  *result = memmem(text.data, text.length, pattern.data, pattern.length) != NULL;
  return EE_OK;
}

static inline void subject_open_text(subject *s, const char *rules, const char *prefix) {
  fixture_open(&s->f);
  s->prefix = prefix;
  s->rules = strdup(rules);
  fixture_rules(&s->f, rules);
  s->vtable = fixture_vtable;
  s->vtable.pattern = contains;
  s->f.plan->vtable = &s->vtable;
  s->f.script = (ee_script){.strategy = similar_start, .map = keep, .condition = only_odd};
}

static inline void subject_open(subject *s, const random_rules *rules, const char *prefix) {
  ee_buffer text;
  ee_buffer_init(&text);
  rules_print(rules, prefix, &text);
  subject_open_text(s, ee_buffer_terminate(&text), prefix);
  ee_buffer_fini(&text);
}

static inline void subject_close(subject *s) {
  fixture_close(&s->f);
  free(s->rules);
}

/* Judging -------------------------------------------------------------------------------------- */

/* The number of the slot or cell that an attribute is called after. */
static inline size_t attribute_number(const subject *s, size_t judge, ee_str name) {
  size_t skipped = judge == RULES_HEADER ? strlen(s->prefix) : 0;
  ee_str rest = {name.data + skipped, name.length - skipped};
  if (judge == RULES_HEADER && ee_str_is(rest, "rows[*].value")) return RULES_ROWS;
  const char *const *names = judge == RULES_HEADER ? test_slot_paths : test_cell_names;
  size_t count = judge == RULES_HEADER ? TEST_SLOTS : TEST_CELLS;
  for (size_t i = 0; i < count; i++) {
    if (ee_str_is(rest, names[i])) return i;
  }
  fail_msg("unknown attribute %.*s", (int)name.length, name.data);
  return 0;
}

static const ee_value *item_at(const subject *s, const ee_value *document, size_t index) {
  ee_error error;
  ee_arena *arena = (ee_arena *)&s->f.case_arena;
  const ee_path *path = ee_path_parse(arena, ee_str_from(ee_arena_printf(arena, "%sitems", s->prefix)), &error);
  return ee_value_element(ee_path_get(path, document, arena), index);
}

static inline uint64_t pair_hash(const subject *s, const ee_alignment *pair) {
  uint64_t bits;
  memcpy(&bits, &pair->similarity, sizeof bits);
  uint64_t expected = ee_value_hash(item_at(s, s->f.current.expected, pair->expected));
  uint64_t candidate = ee_value_hash(item_at(s, s->f.current.candidate, pair->candidate));
  return ee_hash_mix(ee_hash_mix(expected) ^ ee_hash_mix(candidate + 1) ^ bits);
}

static inline uint64_t findings_hash(const ee_finding *findings, size_t count, uint64_t seed) {
  ee_buffer text;
  ee_buffer_init(&text);
  uint64_t sum = 0;
  for (size_t i = 0; i < count; i++) {
    ee_buffer_clear(&text);
    ee_finding_print(&findings[i], &text);
    sum += ee_hash_bytes(text.data, text.length, seed);
  }
  ee_buffer_fini(&text);
  return sum;
}

static inline void view_judge(const subject *s, size_t number, const ee_judge_result *result, judge_view *view) {
  memset(view, 0, sizeof *view);
  view->score = result->score;
  view->verdict = result->verdict;
  view->failed = result->failed;
  view->vacuous = result->vacuous;
  view->hits = result->hit_count;
  view->misses = result->miss_count;
  view->missing = ee_item_report_of(result)->missing_items;
  view->extra = ee_item_report_of(result)->extra_items;
  view->pair_count = ee_item_report_of(result)->alignment_count;
  view->findings =
      findings_hash(result->hits, result->hit_count, 1) + findings_hash(result->misses, result->miss_count, 2);
  assert_true(view->pair_count <= TEST_ITEMS);
  for (size_t i = 0; i < view->pair_count; i++) {
    view->pairs[i] = ee_item_report_of(result)->alignment[i];
    view->pairing += pair_hash(s, &ee_item_report_of(result)->alignment[i]);
  }
  for (size_t i = 0; i < result->attribute_count; i++) {
    size_t at = attribute_number(s, number, result->attributes[i].name);
    assert_false(view->present[at]);
    view->present[at] = true;
    view->counts[at] = result->attributes[i].counts;
  }
}

static inline void judge_texts(subject *s, const char *expected, const char *candidate, case_view *view) {
  fixture_judge_case(&s->f, expected, candidate);
  view->score = s->f.result.score;
  view->verdict = s->f.result.verdict;
  assert_int_equal(s->f.result.rule_errors, 0);
  for (size_t i = 0; i < s->f.result.judge_count; i++) view_judge(s, i, &s->f.result.judges[i], &view->judges[i]);
}

static inline char *document_text(const subject *s, const test_document *document, const test_spelling *spelling) {
  test_spelling with_prefix = *spelling;
  with_prefix.prefix = s->prefix;
  ee_buffer text;
  ee_buffer_init(&text);
  test_document_print(document, &with_prefix, &text);
  char *copy = strdup(ee_buffer_terminate(&text));
  ee_buffer_fini(&text);
  return copy;
}

static inline void judge_spelled(subject *s, const test_document *expected, const test_document *candidate,
                                 const test_spelling *spelling, case_view *view) {
  char *expected_text = document_text(s, expected, spelling), *candidate_text = document_text(s, candidate, spelling);
  judge_texts(s, expected_text, candidate_text, view);
  free(expected_text);
  free(candidate_text);
}

static inline void judge(subject *s, const test_document *expected, const test_document *candidate, case_view *view) {
  judge_spelled(s, expected, candidate, &plain, view);
}

/* Fails with everything that is needed to see it again. */
static inline void broken(const trial *t, size_t number, const test_document *candidate, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static inline void broken(const trial *t, size_t number, const test_document *candidate, const char *format, ...) {
  char *expected_text = document_text(t->subject, &t->expected, &plain);
  char *candidate_text = document_text(t->subject, candidate, &plain);
  /* cmocka cuts long messages. */
  fprintf(stderr, "rules     %s\nexpected  %s\ncandidate %s\n", t->subject->rules, expected_text, candidate_text);
  fprintf(stderr, "judge %zu: ", number);
  va_list arguments;
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fail_msg("judge %zu", number);
}

/* Comparing views ------------------------------------------------------------------------------ */

/* What the two may differ in. */
enum { ANY_FINDINGS = 1, ANY_PAIR_INDICES = 2, ANY_TN = 4 };

static inline bool same_counts(const ee_counts *a, const ee_counts *b, unsigned any) {
  return a->tp == b->tp && a->fp == b->fp && a->fn == b->fn && a->wrong == b->wrong &&
         ((any & ANY_TN) || a->tn == b->tn);
}

static inline const char *difference(const judge_view *a, const judge_view *b, unsigned any) {
  if (a->score != b->score) return "score";
  if (a->verdict != b->verdict) return "verdict";
  if (a->failed != b->failed || a->vacuous != b->vacuous) return "failed or vacuous";
  if (a->hits != b->hits || a->misses != b->misses) return "number of hits or misses";
  if (a->missing != b->missing || a->extra != b->extra) return "missing or extra items";
  if (a->pair_count != b->pair_count) return "number of pairs";
  for (size_t i = 0; i < RULES_FIELDS; i++) {
    if (!same_counts(&a->counts[i], &b->counts[i], any)) return "counts";
  }
  if (!(any & ANY_FINDINGS) && a->findings != b->findings) return "texts of hits or misses";
  if ((any & ANY_PAIR_INDICES) != 0) return a->pairing != b->pairing ? "pairs" : NULL;
  for (size_t i = 0; i < a->pair_count; i++) {
    if (a->pairs[i].expected != b->pairs[i].expected || a->pairs[i].candidate != b->pairs[i].candidate) return "pairs";
    if (a->pairs[i].similarity != b->pairs[i].similarity) return "similarity";
  }
  return NULL;
}

static inline void assert_same_view(const trial *t, const case_view *a, const case_view *b, size_t first,
                                    unsigned any) {
  for (size_t i = first; i < JUDGES; i++) {
    const char *what = difference(&a->judges[i], &b->judges[i], any);
    if (what != NULL) broken(t, i, &t->candidate, "%s: %.17g, %.17g", what, a->judges[i].score, b->judges[i].score);
  }
}

#endif
