/* audit_fixture.h: audits of records that a test writes as JSON. */
#ifndef EE_TESTS_AUDIT_FIXTURE_H
#define EE_TESTS_AUDIT_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "audit/audit.h"
#include "data/json/json_reader.h"
#include "data/json/json_writer.h"
#include "judge/case.h"
#include "lua/rule_file.h"

typedef struct fixture {
  ee_audit *audit;
  ee_arena arena;
  ee_rule_file *rules; /* NULL: none */
  ee_open_plan open;
  uint64_t line;
  char file[40]; /* of the rules, which scripts load again; empty: none */
} fixture;

/* `rules`: the text of a rule file; NULL: none. `kinds` as in ee_audit_options. */
static inline void fixture_start(fixture *f, const char *rules, unsigned kinds) {
  *f = (fixture){0};
  ee_arena_init(&f->arena, 0);
  f->audit = ee_audit_new(&(ee_audit_options){.kinds = kinds});
  if (rules == NULL) return;
  strcpy(f->file, "/tmp/audit_rules_XXXXXX.lua");
  int file = mkstemps(f->file, 4);
  assert_true(file >= 0);
  assert_int_equal(write(file, rules, strlen(rules)), strlen(rules));
  close(file);
  ee_error_list errors;
  ee_error_list_init(&errors);
  f->rules = ee_rule_file_load(f->file, &(ee_rule_file_options){.limits = {.instructions = -1}}, &errors);
  if (f->rules == NULL) fail_msg("%s", errors.items[0].message);
  ee_error_list_fini(&errors);
  ee_error error;
  assert_int_equal(ee_open_plan_init(&f->open, ee_rule_file_plan(f->rules), NULL, NULL, &error), EE_OK);
}

static inline void fixture_end(fixture *f) {
  ee_audit_free(f->audit);
  ee_open_plan_fini(&f->open);
  ee_rule_file_free(f->rules);
  ee_arena_fini(&f->arena);
  if (f->file[0] != '\0') unlink(f->file);
}

static inline const ee_open_plan *fixture_plan(const fixture *f) { return f->rules != NULL ? &f->open : NULL; }

/* Adds a record; `source` NULL: without a source text. */
static inline void add_truth(fixture *f, const char *id, const char *expected, const char *source) {
  ee_value *record = ee_value_new(&f->arena, EE_OBJECT);
  ee_value_set(&f->arena, record, EE_STR("id"), ee_value_new_string(&f->arena, ee_str_from(id)));
  if (source != NULL)
    ee_value_set(&f->arena, record, EE_STR("documentText"), ee_value_new_string(&f->arena, ee_str_from(source)));
  ee_error error;
  ee_value *tree = ee_json_read(&f->arena, ee_str_from(expected), NULL, &error);
  if (tree == NULL) fail_msg("%s: %s", expected, error.message);
  ee_value_set(&f->arena, record, EE_STR("expected"), tree);
  ee_case current;
  assert_int_equal(ee_record_read(record, NULL, &(ee_record_place){.line = 1}, &f->arena, &current, NULL), EE_OK);
  ee_audit_add(f->audit, &current, "truth.jsonl", ++f->line, &f->arena);
  ee_arena_reset(&f->arena, 0);
}

static inline void begin_candidate(fixture *f, const char *name) {
  ee_audit_begin_candidate(f->audit, ee_str_from(name));
}

static inline void add_answer(fixture *f, const char *id, const char *candidate) {
  ee_case current = {.id = ee_str_from(id), .candidate_state = EE_CANDIDATE_READ};
  current.candidate = current.record = ee_json_read(&f->arena, ee_str_from(candidate), NULL, NULL);
  assert_non_null(current.candidate);
  ee_audit_add_candidate(f->audit, fixture_plan(f), &current, &f->arena);
  ee_arena_reset(&f->arena, 0);
}

static inline const ee_audit_report *fixture_finish(fixture *f) {
  ee_audit_finish(f->audit, fixture_plan(f));
  return ee_audit_get_report(f->audit);
}

static inline const ee_audit_evidence *evidence_of(const ee_audit_finding *finding, ee_audit_kind kind) {
  for (size_t i = 0; i < finding->evidence_count; i++)
    if (finding->evidence[i].kind == kind) return &finding->evidence[i];
  return NULL;
}

/* The finding of that kind that affects the record at `path`; NULL: none. */
static inline const ee_audit_finding *find_finding(const ee_audit_report *report, ee_audit_kind kind, const char *id,
                                                   const char *path) {
  for (size_t i = 0; i < report->count; i++) {
    const ee_audit_finding *finding = &report->findings[i];
    if (!ee_str_is(finding->path, path) || evidence_of(finding, kind) == NULL) continue;
    for (size_t k = 0; k < finding->id_count; k++)
      if (ee_str_is(finding->ids[k], id)) return finding;
  }
  return NULL;
}

#endif
