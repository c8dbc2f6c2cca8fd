/* audit.c: records and paths of the truth, the work list, and the order of the checks. */
#include "audit/audit.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "audit/checks.h"
#include "audit/source_text.h"
#include "base/memory.h"
#include "data/json/json_reader.h"
#include "data/json/json_writer.h"
#include "prim/sort.h"

const ee_audit_kind_row ee_audit_kinds[EE_AUDIT_KINDS] = {
    [EE_AUDIT_UNREADABLE] = {"unreadable", "a value that cannot be read as the type of its field: a number, a date"},
    [EE_AUDIT_MIXED_TYPE] = {"mixed-type", "a value whose JSON type differs from nearly all others at its path"},
    [EE_AUDIT_REPEATED_ID] = {"repeated-id", "an id that several records have; only the first of them is used"},
    [EE_AUDIT_DUPLICATE] = {"duplicate", "the same document under several ids"},
    [EE_AUDIT_SAME_SOURCE] = {"same-source", "records with the same source text but different expected values"},
    [EE_AUDIT_UNJUDGED] = {"unjudged", "a path that no judge compares"},
    [EE_AUDIT_MISSPELT_KEY] = {"misspelt-key", "a rare key, where nearly all other objects have a similar one"},
    [EE_AUDIT_LABEL] = {"label", "a rare label that differs from a frequent one by case, spaces or one letter"},
    [EE_AUDIT_NOT_IN_SOURCE] = {"not-in-source", "a value missing from its source text, unlike nearly all others"},
    [EE_AUDIT_CONTRADICTED] = {"contradicted", "a value that most candidates contradict in the same way"},
    [EE_AUDIT_ANNOTATORS] = {"annotators", "a value that another annotator gives differently"},
    [EE_AUDIT_SUM] = {"sum", "numbers that do not add up as they do in nearly all other records"},
};

ee_audit_kind ee_audit_kind_find(ee_str name) {
  int kind = 0;
  while (kind < EE_AUDIT_KINDS && !ee_str_is(name, ee_audit_kinds[kind].name)) kind++;
  return (ee_audit_kind)kind;
}

ee_audit *ee_audit_new(const ee_audit_options *options) {
  ee_audit *audit = ee_calloc(1, sizeof *audit);
  ee_arena_init(&audit->arena, (size_t)1 << 20);
  audit->options = *options;
  return audit;
}

void ee_audit_free(ee_audit *audit) {
  if (audit == NULL) return;
  for (size_t i = 0; i < audit->columns.count; i++) {
    EE_LIST_FINI(&audit->columns.items[i].values);
    ee_hash_index_fini(&audit->columns.items[i].index);
  }
  for (size_t i = 0; i < audit->models.count; i++) ee_free(audit->models.items[i].seen);
  EE_LIST_FINI(&audit->columns);
  EE_LIST_FINI(&audit->records);
  EE_LIST_FINI(&audit->repeats);
  EE_LIST_FINI(&audit->models);
  EE_LIST_FINI(&audit->differences);
  EE_LIST_FINI(&audit->annotations);
  EE_LIST_FINI(&audit->entries);
  ee_hash_index_fini(&audit->ids);
  ee_hash_index_fini(&audit->column_index);
  ee_hash_index_fini(&audit->entry_index);
  ee_hash_index_fini(&audit->misspelt);
  ee_buffer_fini(&audit->texts);
  ee_arena_fini(&audit->arena);
  ee_free(audit);
}

bool ee_audit_wants(const ee_audit *audit, ee_audit_kind kind) {
  return audit->options.kinds == 0 || (audit->options.kinds >> kind & 1) != 0;
}

/* Records ---------------------------------------------------------------------------------------- */

uint32_t ee_audit_find_record(const ee_audit *audit, ee_str id) {
  size_t at = 0, number;
  while (ee_hash_index_next(&audit->ids, ee_hash_bytes(id.data, id.length, 0), &at, &number))
    if (ee_str_equal(audit->records.items[number].id, id)) return (uint32_t)number;
  return EE_NO_RECORD;
}

static ee_str keep(ee_audit *audit, ee_str text) {
  return (ee_str){ee_arena_copy(&audit->arena, text.data, text.length), text.length};
}

void ee_audit_bring_source(ee_audit *audit, uint32_t number, const ee_case *current, ee_arena *scratch) {
  ee_audit_record *record = &audit->records.items[number];
  if (record->source_length > 0) return;
  ee_str source = ee_source_text_find(current->record, current->expected, audit->options.source, scratch);
  record->source = audit->texts.length;
  record->source_length = source.length;
  ee_buffer_add_str(&audit->texts, source);
}

void ee_audit_add(ee_audit *audit, const ee_case *current, const char *file, uint64_t line, ee_arena *scratch) {
  audit->report.records++;
  uint32_t first = !current->unnamed ? ee_audit_find_record(audit, current->id) : EE_NO_RECORD;
  if (first != EE_NO_RECORD) {
    *EE_LIST_ADD(&audit->repeats, NULL) = (ee_audit_repeat){first, file, line};
    return;
  }
  ee_audit_record *record = EE_LIST_ADD(&audit->records, NULL);
  *record = (ee_audit_record){.id = keep(audit, current->id),
                              .expected = audit->texts.length,
                              .hash = ee_value_hash(current->expected),
                              .file = file,
                              .line = line};
  ee_json_write_value(&audit->texts, current->expected);
  record->length = audit->texts.length - record->expected;
  ee_audit_bring_source(audit, (uint32_t)audit->records.count - 1, current, scratch);
  ee_hash_index_add(&audit->ids, ee_hash_bytes(record->id.data, record->id.length, 0), audit->records.count - 1);
}

const ee_value *ee_audit_expected(const ee_audit *audit, uint32_t record, ee_arena *arena) {
  const ee_audit_record *at = &audit->records.items[record];
  return ee_json_read(arena, (ee_str){audit->texts.data + at->expected, at->length}, NULL, NULL);
}

const ee_value *ee_audit_find_expected(const ee_audit *audit, ee_str id, ee_arena *arena) {
  uint32_t record = ee_audit_find_record(audit, id);
  return record != EE_NO_RECORD ? ee_audit_expected(audit, record, arena) : NULL;
}

ee_str ee_audit_source(const ee_audit *audit, uint32_t record) {
  const ee_audit_record *at = &audit->records.items[record];
  return (ee_str){audit->texts.data + at->source, at->source_length};
}

/* Paths ------------------------------------------------------------------------------------------ */

#define ARENA_KEPT ((size_t)4 << 20)
/* Repeated ids that are findings of their own. */
#define MAX_REPEATS 20

bool ee_audit_is_scalar(const ee_value *value) {
  switch (ee_type_of(value)) {
  case EE_MISSING:
  case EE_NULL:
  case EE_ARRAY:
  case EE_OBJECT: return false;
  case EE_STRING: return !ee_str_is_blank(ee_value_text(value));
  default: return true;
  }
}

/* The child of column `parent` under `key` (elements: data NULL), new if need be. */
static uint32_t child_column(ee_audit *audit, uint32_t parent, ee_str key, uint32_t record) {
  bool element = key.data == NULL;
  uint64_t hash = ee_hash_bytes(key.data, key.length, element ? ~(uint64_t)parent : parent);
  size_t at = 0, number;
  while (ee_hash_index_next(&audit->column_index, hash, &at, &number)) {
    const ee_audit_column *column = &audit->columns.items[number];
    if (column->parent == parent && column->element == element && ee_str_equal(column->key, key))
      return (uint32_t)number;
  }
  const ee_audit_column *above = &audit->columns.items[parent];
  ee_path_text path = {.arena = &audit->arena};
  if (parent > 0) {
    path.data = ee_arena_copy(&audit->arena, above->path.data, above->path.length);
    path.length = path.capacity = above->path.length;
  }
  element ? ee_path_text_add_all(&path) : ee_path_text_add_key(&path, key);
  ee_audit_column made = {.path = ee_path_text_get(&path),
                          .key = element ? EE_STR("") : keep(audit, key),
                          .parent = parent,
                          .depth = above->depth + element,
                          .element = element,
                          .first = record};
  *EE_LIST_ADD(&audit->columns, NULL) = made;
  ee_hash_index_add(&audit->column_index, hash, audit->columns.count - 1);
  return (uint32_t)audit->columns.count - 1;
}

typedef struct walk {
  ee_audit *audit;
  ee_audit_visit *visit;
  void *user;
  uint32_t record;
  ee_arena *arena;
  ee_path_text path;
} walk;

/* Recursion is bounded by the reader's nesting limit. */
static void walk_value(walk *self, uint32_t column, const ee_value *value, const ee_value *parent) {
  size_t length = self->path.length;
  ee_audit_node node = {.record = self->record,
                        .column = column,
                        .path = length > 0 ? ee_path_text_get(&self->path) : EE_STR("$"),
                        .value = value,
                        .parent = parent};
  self->visit(self->user, &node, self->arena);
  bool array = ee_type_of(value) == EE_ARRAY;
  if (!array && ee_type_of(value) != EE_OBJECT) return;
  uint32_t index = 0;
  for (const ee_value *child = ee_value_child(value); child != NULL; child = ee_value_next(child)) {
    ee_str key = array ? (ee_str){NULL, 0} : ee_value_key(child);
    array ? ee_path_text_add_index(&self->path, index++) : ee_path_text_add_key(&self->path, key);
    walk_value(self, child_column(self->audit, column, key, self->record), child, value);
    self->path.length = length;
  }
}

void ee_audit_walk_record(ee_audit *audit, uint32_t record, const ee_value *expected, ee_audit_visit *visit, void *user,
                          ee_arena *arena) {
  walk self = {
      .audit = audit, .visit = visit, .user = user, .record = record, .arena = arena, .path = {.arena = arena}};
  walk_value(&self, 0, expected, NULL);
}

void ee_audit_walk(ee_audit *audit, ee_audit_visit *visit, void *user) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  for (uint32_t i = 0; i < audit->records.count; i++) {
    ee_audit_walk_record(audit, i, ee_audit_expected(audit, i, &arena), visit, user, &arena);
    ee_arena_reset(&arena, ARENA_KEPT);
  }
  ee_arena_fini(&arena);
}

/* Counts a distinct scalar. */
static void count_value(ee_audit *audit, ee_audit_column *column, const ee_audit_node *node, ee_arena *arena) {
  column->scalars++;
  uint64_t hash = ee_value_hash(node->value);
  size_t at = 0, number;
  if (ee_hash_index_next(&column->index, hash, &at, &number)) {
    column->values.items[number].count++;
    return;
  }
  if (column->values.count == EE_AUDIT_DISTINCT) {
    column->truncated = true;
    return;
  }
  ee_str text = ee_audit_text(node->value, SIZE_MAX, arena);
  size_t kept = ee_utf8_cut(text, EE_AUDIT_TEXT);
  ee_hash_index_add(&column->index, hash, column->values.count);
  *EE_LIST_ADD(&column->values, NULL) = (ee_audit_value){.hash = hash,
                                                         .type = ee_type_of(node->value),
                                                         .text = keep(audit, (ee_str){text.data, kept}),
                                                         .whole = kept == text.length,
                                                         .count = 1,
                                                         .first = node->record};
}

static void count_node(void *user, const ee_audit_node *node, ee_arena *arena) {
  ee_audit *audit = user;
  ee_audit_column *column = &audit->columns.items[node->column];
  bool scalar = ee_audit_is_scalar(node->value);
  ee_type type = ee_type_of(node->value);
  column->nodes++;
  column->types[type == EE_STRING && !scalar ? EE_NULL : type]++;
  if (!scalar) return;
  audit->records.items[node->record].leaves++;
  count_value(audit, column, node, arena);
}

/* The work list ---------------------------------------------------------------------------------- */

struct ee_audit_entry {
  uint32_t record; /* of an entry about one value; else EE_NO_RECORD */
  uint32_t last;   /* the last record of `ids` */
  ee_audit_finding finding;
  struct {
    EE_LIST(ee_str);
  } ids;
  struct {
    EE_LIST(ee_audit_evidence);
  } evidence;
};

static ee_str printed(ee_audit *audit, const char *format, va_list arguments) {
  va_list again;
  va_copy(again, arguments);
  int length = vsnprintf(NULL, 0, format, arguments);
  char *text = ee_arena_alloc(&audit->arena, (size_t)length + 1);
  vsnprintf(text, (size_t)length + 1, format, again);
  va_end(again);
  return (ee_str){text, (size_t)length};
}

static ee_audit_entry *new_entry(ee_audit *audit, uint32_t record, ee_str path, uint64_t values) {
  ee_audit_entry *entry = EE_NEW(&audit->arena, ee_audit_entry);
  entry->record = record;
  entry->last = EE_NO_RECORD;
  entry->finding.path = keep(audit, path);
  entry->finding.values = values;
  *EE_LIST_ADD(&audit->entries, NULL) = entry;
  return entry;
}

static void add_evidence(ee_audit *audit, ee_audit_entry *entry, ee_audit_evidence evidence) {
  evidence.expected = keep(audit, evidence.expected);
  evidence.proposed = keep(audit, evidence.proposed);
  *EE_LIST_ADD(&entry->evidence, &audit->arena) = evidence;
}

static ee_audit_entry *find_entry(const ee_audit *audit, uint32_t record, ee_str path, uint64_t hash) {
  size_t at = 0, number;
  while (ee_hash_index_next(&audit->entry_index, hash, &at, &number)) {
    ee_audit_entry *entry = audit->entries.items[number];
    if (entry->record == record && ee_str_equal(entry->finding.path, path)) return entry;
  }
  return NULL;
}

void ee_audit_blame(ee_audit *audit, ee_audit_kind kind, uint32_t record, ee_str path, double weight, ee_str expected,
                    ee_str proposed, const char *reason, ...) {
  uint64_t hash = ee_hash_bytes(path.data, path.length, record);
  ee_audit_entry *entry = find_entry(audit, record, path, hash);
  if (entry == NULL) {
    ee_hash_index_add(&audit->entry_index, hash, audit->entries.count);
    entry = new_entry(audit, record, path, 1);
    ee_audit_affect(audit, entry, record);
  }
  va_list arguments;
  va_start(arguments, reason);
  add_evidence(audit, entry, (ee_audit_evidence){kind, weight, expected, proposed, printed(audit, reason, arguments)});
  va_end(arguments);
}

ee_audit_entry *ee_audit_find(ee_audit *audit, ee_audit_kind kind, ee_str path, double weight, uint64_t values,
                              ee_str expected, ee_str proposed, const char *reason, ...) {
  ee_audit_entry *entry = new_entry(audit, EE_NO_RECORD, path, values);
  va_list arguments;
  va_start(arguments, reason);
  add_evidence(audit, entry, (ee_audit_evidence){kind, weight, expected, proposed, printed(audit, reason, arguments)});
  va_end(arguments);
  return entry;
}

void ee_audit_affect(ee_audit *audit, ee_audit_entry *entry, uint32_t record) {
  if (entry->last == record) return;
  entry->last = record;
  entry->finding.records++;
  if (entry->ids.count < EE_AUDIT_IDS) *EE_LIST_ADD(&entry->ids, &audit->arena) = audit->records.items[record].id;
}

void ee_audit_note_that(ee_audit *audit, ee_audit_kind kind, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  *EE_LIST_ADD(&audit->notes, &audit->arena) = (ee_audit_note){kind, printed(audit, format, arguments)};
  va_end(arguments);
}

/* The end ---------------------------------------------------------------------------------------- */

/* An entry as it is sorted. */
typedef struct rank {
  ee_audit_finding finding;
  uint32_t record;
  size_t order; /* in which it was found */
} rank;

static bool is_before(const rank *a, const rank *b) {
  if (a->finding.gain != b->finding.gain) return a->finding.gain > b->finding.gain;
  if (a->record != b->record) return a->record < b->record;
  return a->order < b->order;
}
EE_DEFINE_SORT(sort_ranks, rank, is_before)

static bool is_stronger(const ee_audit_evidence *a, const ee_audit_evidence *b) { return a->weight > b->weight; }
EE_DEFINE_SORT(sort_evidence, ee_audit_evidence, is_stronger)

static ee_audit_finding complete(ee_audit *audit, ee_audit_entry *entry) {
  sort_evidence(entry->evidence.items, entry->evidence.count, &audit->arena);
  ee_audit_finding finding = entry->finding;
  finding.ids = entry->ids.items;
  finding.id_count = entry->ids.count;
  finding.evidence = entry->evidence.items;
  finding.evidence_count = entry->evidence.count;
  double innocent = 1;
  unsigned kinds = 0;
  for (size_t i = 0; i < finding.evidence_count; i++) {
    const ee_audit_evidence *evidence = &finding.evidence[i];
    /* Two sums that fail at one value are one piece of evidence, the stronger one. */
    if ((kinds >> evidence->kind & 1) == 0) innocent *= 1 - evidence->weight;
    kinds |= 1u << evidence->kind;
  }
  for (int kind = 0; kind < EE_AUDIT_KINDS; kind++) audit->report.counts[kind] += kinds >> kind & 1;
  finding.weight = 1 - innocent;
  /* Rounded, so that gains that are equal on paper are equal here. */
  finding.gain = round(finding.weight * (double)finding.values * 1e6) / 1e6;
  return finding;
}

static void sort_findings(ee_audit *audit) {
  size_t count = audit->entries.count;
  rank *ranks = EE_NEW_ARRAY(&audit->arena, rank, count);
  for (size_t i = 0; i < count; i++) {
    ee_audit_entry *entry = audit->entries.items[i];
    /* EE_AUDIT_IDS ids are kept, but the first record is among them. */
    uint32_t first = entry->ids.count > 0 ? ee_audit_find_record(audit, entry->ids.items[0]) : EE_NO_RECORD;
    ranks[i] = (rank){complete(audit, entry), first, i};
  }
  sort_ranks(ranks, count, &audit->arena);
  ee_audit_finding *findings = EE_NEW_ARRAY(&audit->arena, ee_audit_finding, count);
  for (size_t i = 0; i < count; i++) findings[i] = ranks[i].finding;
  audit->report.findings = findings;
  audit->report.count = count;
}

static bool is_earlier(const ee_audit_repeat *a, const ee_audit_repeat *b) { return a->record < b->record; }
EE_DEFINE_SORT(sort_repeats, ee_audit_repeat, is_earlier)

/* Each id that occurs again; where there are more than MAX_REPEATS, one finding for all of them. */
static void report_repeats(ee_audit *audit) {
  size_t count = audit->repeats.count;
  ee_audit_entry *entry = NULL;
  if (!ee_audit_wants(audit, EE_AUDIT_REPEATED_ID)) return;
  sort_repeats(audit->repeats.items, count, &audit->arena);
  for (size_t i = 0; i < count; i++) {
    const ee_audit_repeat *again = &audit->repeats.items[i];
    const ee_audit_record *record = &audit->records.items[again->record];
    bool same_file = record->file == again->file;
    if (entry == NULL || count <= MAX_REPEATS)
      entry = ee_audit_find(
          audit, EE_AUDIT_REPEATED_ID, EE_STR(""), 1, count > MAX_REPEATS ? count : 1, EE_STR(""), EE_STR(""),
          "%sthis id is used again at line %llu%s%s; the first record with it is at line %llu",
          count > MAX_REPEATS ? ee_arena_printf(&audit->arena, "%zu records have the id of an earlier one; ", count)
                              : "",
          (unsigned long long)again->line, same_file ? "" : " of ", same_file ? "" : again->file,
          (unsigned long long)record->line);
    ee_audit_affect(audit, entry, again->record);
  }
}

void ee_audit_finish(ee_audit *audit, const ee_open_plan *open) {
  *EE_LIST_ADD(&audit->columns, NULL) = (ee_audit_column){.path = EE_STR("$")};
  ee_audit_walk(audit, count_node, audit);
  for (size_t i = 0; i < audit->records.count; i++)
    audit->report.with_source += audit->records.items[i].source_length > 0;
  report_repeats(audit);
  ee_audit_check_types(audit, open);
  ee_audit_check_duplicates(audit);
  ee_audit_check_judged(audit, open);
  ee_audit_check_keys(audit);
  ee_audit_check_labels(audit);
  ee_audit_check_source(audit);
  ee_audit_check_candidates(audit);
  ee_audit_check_annotations(audit);
  ee_audit_check_sums(audit);
  sort_findings(audit);
  audit->report.notes = audit->notes.items;
  audit->report.note_count = audit->notes.count;
}

ee_audit_report *ee_audit_get_report(ee_audit *audit) { return &audit->report; }
