/* annotators.c: sums of the counts and scores of each unit, from which all intervals follow at the end. */
#include "audit/annotators.h"

#include <math.h>

#include "audit/checks.h"
#include "base/memory.h"
#include "judge/outcome.h"
#include "judge/plan.h"
#include "prim/paired.h"
#include "prim/sort.h"

/* Different texts of a field that are kept; one more is [0], no value. */
#define TEXTS 64
/* Bytes of a value that are kept. */
#define SHOWN 1000

/* The values of a field as categories. [0] is "no value". */
typedef struct categories {
  size_t count; /* of texts, with [0] */
  ee_str texts[TEXTS + 1];
  size_t above[TEXTS + 1]; /* the category that it is one with; itself: its own */
  uint32_t matched[TEXTS + 1][TEXTS + 1], unmatched[TEXTS + 1][TEXTS + 1]; /* pairs, by the annotators' texts */
  uint64_t pairs;
  bool many; /* there are more texts */
} categories;

typedef struct field {
  ee_field_agreement made;
  bool derived;
  categories *values; /* NULL: none so far */
} field;

/* What a unit adds to a field. */
typedef struct part {
  uint32_t field, unit;
  ee_counts second, model;
} part;

typedef struct unit {
  ee_str key; /* data NULL: one case */
  uint64_t cases, agreed, values;
  double second, model; /* sums of scores against the first annotator */
} unit;

struct ee_annotators {
  ee_arena arena; /* of everything below */
  ee_annotators_report report;
  struct {
    EE_LIST(field);
  } fields;
  ee_hash_index field_index; /* by judge and name */
  struct {
    EE_LIST(unit);
  } units;
  ee_hash_index unit_index; /* of those with a key */
  struct {
    EE_LIST(part);
  } parts;
  ee_hash_index part_index; /* by field and unit */
  struct {
    EE_LIST(ee_disagreement);
  } disagreements;
  ee_sample first; /* scores of the first against the second */
};

ee_annotators *ee_annotators_new(const ee_plan *plan, double confidence, bool has_model) {
  ee_annotators *made = ee_calloc(1, sizeof *made);
  ee_arena_init(&made->arena, 0);
  made->report = (ee_annotators_report){.plan = plan, .confidence = confidence, .has_model = has_model};
  made->field_index.arena = made->unit_index.arena = made->part_index.arena = &made->arena;
  return made;
}

void ee_annotators_free(ee_annotators *annotators) {
  if (annotators == NULL) return;
  ee_arena_fini(&annotators->arena);
  ee_free(annotators);
}

const char *ee_ceiling_name(ee_ceiling ceiling) {
  switch (ceiling) {
  case EE_CEILING_UNDECIDED: return "undecided";
  case EE_CEILING_REACHED: return "at the ceiling";
  case EE_CEILING_BELOW: return "below";
  case EE_CEILING_ABOVE: return "above";
  case EE_CEILING_UNKNOWN: break;
  }
  return "unknown";
}

/* Finding ----------------------------------------------------------------------------------------- */

static ee_str keep(ee_annotators *self, ee_str text) {
  return (ee_str){ee_arena_copy(&self->arena, text.data, text.length), text.length};
}

static size_t find_field(ee_annotators *self, size_t judge, const ee_judge *type,
                         const ee_attribute_result *attribute) {
  uint64_t hash = ee_hash_bytes(attribute->name.data, attribute->name.length, judge);
  size_t at = 0, number;
  while (ee_hash_index_next(&self->field_index, hash, &at, &number)) {
    const ee_field_agreement *made = &self->fields.items[number].made;
    if (made->judge == judge && ee_str_equal(made->name, attribute->name)) return number;
  }
  ee_hash_index_add(&self->field_index, hash, self->fields.count);
  *EE_LIST_ADD(&self->fields, &self->arena) =
      (field){.made = {.judge = judge, .name = keep(self, attribute->name)},
              .derived = attribute->slot >= 0 && type->attributes[attribute->slot].derived};
  return self->fields.count - 1;
}

/* A field that is known already; NULL where no record had it. */
static field *known_field(ee_annotators *self, size_t judge, ee_str name) {
  uint64_t hash = ee_hash_bytes(name.data, name.length, judge);
  size_t at = 0, number;
  while (ee_hash_index_next(&self->field_index, hash, &at, &number)) {
    field *found = &self->fields.items[number];
    if (found->made.judge == judge && ee_str_equal(found->made.name, name)) return found;
  }
  return NULL;
}

static size_t find_unit(ee_annotators *self, ee_str key) {
  uint64_t hash = key.data != NULL ? ee_hash_bytes(key.data, key.length, 0) : 0;
  size_t at = 0, number;
  while (key.data != NULL && ee_hash_index_next(&self->unit_index, hash, &at, &number))
    if (ee_str_equal(self->units.items[number].key, key)) return number;
  if (key.data != NULL) ee_hash_index_add(&self->unit_index, hash, self->units.count);
  *EE_LIST_ADD(&self->units, &self->arena) = (unit){.key = key.data != NULL ? keep(self, key) : key};
  return self->units.count - 1;
}

static part *find_part(ee_annotators *self, size_t field_number, size_t unit_number) {
  uint32_t key[] = {(uint32_t)field_number, (uint32_t)unit_number};
  uint64_t hash = ee_hash_bytes((const char *)key, sizeof key, 0);
  size_t at = 0, number;
  while (ee_hash_index_next(&self->part_index, hash, &at, &number))
    if (self->parts.items[number].field == key[0] && self->parts.items[number].unit == key[1])
      return &self->parts.items[number];
  ee_hash_index_add(&self->part_index, hash, self->parts.count);
  part *made = EE_LIST_ADD(&self->parts, &self->arena);
  *made = (part){.field = key[0], .unit = key[1]};
  return made;
}

/* Values as categories ---------------------------------------------------------------------------- */

/* The number of a value's text; TEXTS + 1 where there are too many. */
static size_t find_text(ee_annotators *self, categories *values, const ee_value *value, ee_arena *scratch) {
  if (ee_value_is_empty(value, &self->report.plan->empty)) return 0;
  ee_str text = ee_audit_text(value, SHOWN, scratch);
  for (size_t i = 1; i < values->count; i++)
    if (ee_str_equal(values->texts[i], text)) return i;
  if (values->count == TEXTS + 1) return TEXTS + 1;
  values->texts[values->count] = keep(self, text);
  values->above[values->count] = values->count;
  return values->count++;
}

static size_t top_of(const categories *values, size_t at) {
  while (values->above[at] != at) at = values->above[at];
  return at;
}

static void add_values(ee_annotators *self, field *of, const ee_outcome *outcome, ee_arena *scratch) {
  if (of->values == NULL) {
    of->values = EE_NEW(&self->arena, categories);
    of->values->count = 1;
  }
  categories *values = of->values;
  if (values->many || outcome->value_class == EE_CLASS_UNREAD) return;
  const ee_value *given[] = {outcome->expected, outcome->candidate};
  const ee_value *normal[] = {outcome->how.expected, outcome->how.candidate}; /* as they were compared */
  size_t pair[2] = {0, 0};
  for (int side = 0; side < 2 && outcome->value_class != EE_CLASS_TN; side++) {
    pair[side] = find_text(self, values, given[side], scratch);
    size_t same = pair[side] == 0 || normal[side] == NULL ? pair[side] : find_text(self, values, normal[side], scratch);
    values->many = values->many || pair[side] > TEXTS || same > TEXTS;
    if (values->many) return;
    values->above[top_of(values, same)] = top_of(values, pair[side]);
  }
  bool matched = outcome->value_class == EE_CLASS_TP || outcome->value_class == EE_CLASS_TN;
  (matched ? values->matched : values->unmatched)[pair[0]][pair[1]]++;
  values->pairs++;
  if (matched) values->above[top_of(values, pair[1])] = top_of(values, pair[0]);
}

static const char *kappa_of(const categories *values, ee_kappa *kappa, ee_arena *scratch) {
  if (values == NULL) return "its values are not listed one by one";
  if (values->many) return "more than 12 different values";
  size_t numbers[TEXTS + 1] = {0}, count = 0;
  bool used[TEXTS + 1] = {false};
  for (size_t i = 0; i < values->count; i++)
    for (size_t k = 0; k < values->count; k++)
      if (values->matched[i][k] + values->unmatched[i][k] > 0) used[top_of(values, i)] = used[top_of(values, k)] = true;
  for (size_t i = 0; i < values->count; i++)
    if (used[i]) numbers[i] = count++;
  if (count > EE_KAPPA_CATEGORIES) return "more than 12 different values";
  if (values->pairs < EE_KAPPA_VALUES * count) return "fewer than 3 values of each kind on average";
  uint64_t *table = EE_NEW_ARRAY(scratch, uint64_t, count * count);
  for (size_t i = 0; i < values->count; i++)
    for (size_t k = 0; k < values->count; k++) {
      uint64_t pairs = (uint64_t)values->matched[i][k] + values->unmatched[i][k];
      if (pairs == 0) continue;
      size_t first = numbers[top_of(values, i)], second = numbers[top_of(values, k)];
      if (first == second && values->unmatched[i][k] > 0) return "which values match is not the same in all records";
      table[first * count + second] += pairs;
    }
  *kappa = ee_cohen_kappa(table, count);
  return kappa->defined ? NULL : "all values are the same";
}

/* Adding ------------------------------------------------------------------------------------------ */

static bool is_derived(const ee_judge_result *judged, int32_t slot) {
  return slot >= 0 && judged->judge->attributes[slot].derived;
}

/* The model's value where the annotators disagree; an item that only one of them has is not looked for. */
static void add_model(ee_annotators *self, ee_disagreement *made, const ee_mismatch *mismatch,
                      const ee_judge_result *model, ee_arena *scratch) {
  made->model_unknown = mismatch->is_row || model->failed;
  if (made->model_unknown) return;
  for (size_t i = 0; i < model->mismatch_count; i++)
    if (ee_finding_same_place(&model->mismatches[i].finding, &mismatch->finding)) {
      if (model->mismatches[i].candidate != NULL)
        made->model = keep(self, ee_audit_text(model->mismatches[i].candidate, SHOWN, scratch));
      return;
    }
  made->model_agrees = true;
}

static ee_str text_of(ee_annotators *self, const ee_value *value, ee_arena *scratch) {
  return ee_value_is_empty(value, &self->report.plan->empty) ? EE_STR("")
                                                             : keep(self, ee_audit_text(value, SHOWN, scratch));
}

/* A difference that a judge lists; `mismatch` NULL: it only lists the miss. */
static void add_disagreement(ee_annotators *self, size_t judge, const ee_case_result *second, const ee_finding *finding,
                             const ee_mismatch *mismatch, const ee_case_result *model, ee_arena *scratch) {
  self->report.disagreements++;
  if (self->disagreements.count == EE_DISAGREEMENTS_KEPT) return;
  ee_buffer text;
  ee_buffer_init(&text);
  ee_finding_print_place(finding, &text);
  ee_disagreement made = {
      .id = keep(self, second->source->id), .path = keep(self, (ee_str){text.data, text.length}), .judge = judge};
  text.length = 0;
  ee_reason_print(&finding->reason, &text);
  made.reason = keep(self, (ee_str){text.data, text.length});
  ee_buffer_fini(&text);
  if (mismatch != NULL) {
    made.field = keep(self, mismatch->attribute);
    made.first = text_of(self, mismatch->expected, scratch);
    made.second = text_of(self, mismatch->candidate, scratch);
    if (model != NULL) add_model(self, &made, mismatch, &model->judges[judge], scratch);
  }
  *EE_LIST_ADD(&self->disagreements, &self->arena) = made;
}

static void add_disagreements(ee_annotators *self, const ee_case_result *second, const ee_case_result *model,
                              ee_arena *scratch) {
  uint64_t before = self->report.disagreements;
  for (size_t i = 0; i < second->judge_count; i++) {
    const ee_judge_result *judged = &second->judges[i];
    for (size_t k = 0; k < judged->mismatch_count; k++)
      if (!is_derived(judged, judged->mismatches[k].slot))
        add_disagreement(self, i, second, &judged->mismatches[k].finding, &judged->mismatches[k], model, scratch);
    for (size_t k = 0; k < judged->miss_count && judged->mismatch_count == 0; k++)
      add_disagreement(self, i, second, &judged->misses[k], NULL, NULL, scratch);
  }
  bool any = self->report.disagreements > before;
  self->report.disagreeing += any;
  self->report.perfect += !any;
}

/* (agreed, values) of counts. */
static uint64_t agreed_of(const ee_counts *counts) { return counts->tp + counts->tn; }
static uint64_t values_of(const ee_counts *counts) {
  return agreed_of(counts) + counts->fp + counts->fn - counts->wrong;
}

static void add_counts(ee_annotators *self, size_t unit_number, const ee_case_result *second,
                       const ee_case_result *first, const ee_case_result *model) {
  for (size_t i = 0; i < second->judge_count; i++) {
    const ee_judge_result *judged = &second->judges[i];
    for (size_t k = 0; k < judged->attribute_count; k++) {
      const ee_attribute_result *attribute = &judged->attributes[k];
      size_t number = find_field(self, i, judged->judge, attribute);
      ee_counts_add(&find_part(self, number, unit_number)->second, &attribute->counts);
      ee_counts_add(&self->fields.items[number].made.counts, &attribute->counts);
      if (self->fields.items[number].derived) continue;
      self->units.items[unit_number].agreed += agreed_of(&attribute->counts);
      self->units.items[unit_number].values += values_of(&attribute->counts);
    }
    for (size_t k = 0; k < first->judges[i].attribute_count; k++) {
      const ee_attribute_result *attribute = &first->judges[i].attributes[k];
      size_t number = find_field(self, i, judged->judge, attribute);
      ee_counts_add(&self->fields.items[number].made.reverse, &attribute->counts);
    }
    for (size_t k = 0; model != NULL && k < model->judges[i].attribute_count; k++) {
      const ee_attribute_result *attribute = &model->judges[i].attributes[k];
      size_t number = find_field(self, i, judged->judge, attribute);
      ee_counts_add(&find_part(self, number, unit_number)->model, &attribute->counts);
    }
  }
}

void ee_annotators_add(ee_annotators *self, ee_str key, const ee_case_result *second, const ee_case_result *first,
                       const ee_case_result *model, ee_arena *scratch) {
  size_t number = find_unit(self, key);
  self->report.cases++;
  add_counts(self, number, second, first, model);
  for (size_t i = 0; i < second->judge_count; i++)
    for (size_t k = 0; k < second->judges[i].outcome_count; k++) {
      const ee_outcome *outcome = &second->judges[i].outcomes[k];
      field *of = known_field(self, i, outcome->attribute);
      if (of != NULL) add_values(self, of, outcome, scratch);
    }
  add_disagreements(self, second, model, scratch);
  if (!first->unscored) ee_sample_add(&self->first, first->score);
  if (second->unscored || (model != NULL && model->unscored)) return;
  unit *of = &self->units.items[number];
  of->cases++;
  of->second += second->score;
  if (model != NULL) of->model += model->score;
}

/* The end ----------------------------------------------------------------------------------------- */

static void add_ratio(ee_ratio_sums *sums, double a, double b) {
  if (b <= 0) return;
  sums->units++;
  sums->a += a;
  sums->b += b;
  sums->aa += a * a;
  sums->ab += a * b;
  sums->bb += b * b;
}

static ee_ranged ranged_of(const ee_annotators *self, const ee_ratio_sums *sums) {
  ee_metric metric = {sums->b > 0, sums->b > 0 ? sums->a / sums->b : 0};
  return ee_ranged_of(metric, sums, self->report.confidence);
}

/* A ratio of each of two systems in one unit. */
typedef struct pair {
  double a[2], b[2];
} pair;

/* Fills `check` from the pairs of all units that have a value in either. */
static void check_ceiling(const ee_annotators *self, const pair *pairs, size_t count, ee_ceiling_check *check) {
  ee_ratio_sums sums[2] = {{0}, {0}};
  for (size_t i = 0; i < count; i++)
    for (int side = 0; side < 2; side++) add_ratio(&sums[side], pairs[i].a[side], pairs[i].b[side]);
  check->annotator = ranged_of(self, &sums[0]);
  check->model = ranged_of(self, &sums[1]);
  check->difference = (ee_ranged){{false, 0}, EE_NO_INTERVAL};
  check->p = check->p_adjusted = NAN;
  if (!check->annotator.metric.defined || !check->model.metric.defined) return;
  ee_paired_sums paired = {.reach = 1};
  double mean[2] = {sums[0].b / (double)count, sums[1].b / (double)count};
  double value[2] = {check->annotator.metric.value, check->model.metric.value}, change = value[1] - value[0];
  check->difference.metric = (ee_metric){true, change};
  if (count < 2) return;
  for (size_t i = 0; i < count; i++) {
    const pair *at = &pairs[i];
    double d = (at->a[1] - value[1] * at->b[1]) / mean[1] - (at->a[0] - value[0] * at->b[0]) / mean[0] + change;
    ee_paired_add(&paired, d, at->a[0] != at->a[1] || at->b[0] != at->b[1]);
  }
  check->difference.interval = ee_paired_interval(&paired, ee_paired_point(paired.units, self->report.confidence));
  check->p = check->p_adjusted = ee_paired_p(&paired);
}

static void decide(const ee_annotators *self, ee_ceiling_check *check) {
  if (isnan(check->p_adjusted)) return;
  ee_interval interval = check->difference.interval;
  if (check->p_adjusted <= 1 - self->report.confidence)
    check->ceiling = check->difference.metric.value < 0 ? EE_CEILING_BELOW : EE_CEILING_ABOVE;
  else if (interval.low >= -EE_CEILING_MARGIN && interval.high <= EE_CEILING_MARGIN)
    check->ceiling = EE_CEILING_REACHED;
  else
    check->ceiling = EE_CEILING_UNDECIDED;
}

static bool is_before(const part *a, const part *b) {
  return a->field != b->field ? a->field < b->field : a->unit < b->unit;
}
EE_DEFINE_SORT(sort_parts, part, is_before)

static void finish_field(ee_annotators *self, field *of, const part *parts, size_t count, pair *pairs,
                         ee_arena *scratch) {
  ee_field_agreement *made = &of->made;
  ee_ratio_sums agreement = {0}, f1 = {0};
  size_t valued = 0;
  for (size_t i = 0; i < count; i++) {
    const ee_counts *second = &parts[i].second, *model = &parts[i].model;
    add_ratio(&agreement, (double)agreed_of(second), (double)values_of(second));
    add_ratio(&f1, 2 * (double)second->tp, 2 * (double)second->tp + (double)(second->fp + second->fn));
    pairs[valued] = (pair){.a = {2 * (double)second->tp, 2 * (double)model->tp},
                           .b = {2 * (double)second->tp + (double)(second->fp + second->fn),
                                 2 * (double)model->tp + (double)(model->fp + model->fn)}};
    valued += pairs[valued].b[0] > 0 || pairs[valued].b[1] > 0;
  }
  made->agreement = ranged_of(self, &agreement);
  made->f1 = ranged_of(self, &f1);
  made->reverse_f1 = ee_f1(&made->reverse);
  const ee_counts *counts = &made->counts, *reverse = &made->reverse;
  made->one_way = counts->tp != reverse->tp || counts->fp != reverse->fn || counts->fn != reverse->fp;
  made->no_kappa = kappa_of(of->values, &made->kappa, scratch);
  made->kappa_interval = EE_NO_INTERVAL;
  ee_interval observed = made->agreement.interval;
  double chance = made->kappa.expected;
  if (made->no_kappa == NULL && ee_interval_is_known(observed))
    made->kappa_interval =
        (ee_interval){(observed.low - chance) / (1 - chance), (observed.high - chance) / (1 - chance)};
  if (self->report.has_model) check_ceiling(self, pairs, valued, &made->check);
}

static void finish_fields(ee_annotators *self, ee_arena *scratch) {
  sort_parts(self->parts.items, self->parts.count, scratch);
  pair *pairs = EE_NEW_ARRAY(scratch, pair, self->units.count + 1);
  size_t at = 0;
  for (size_t i = 0; i < self->fields.count; i++) {
    size_t start = at;
    while (at < self->parts.count && self->parts.items[at].field == i) at++;
    finish_field(self, &self->fields.items[i], self->parts.items + start, at - start, pairs, scratch);
  }
}

/* The mean score and the agreement on all values. */
static void finish_whole(ee_annotators *self, ee_arena *scratch) {
  ee_annotators_report *report = &self->report;
  ee_ratio_sums score = {0}, agreement = {0};
  pair *pairs = EE_NEW_ARRAY(scratch, pair, self->units.count + 1);
  size_t scored = 0;
  for (size_t i = 0; i < self->units.count; i++) {
    const unit *of = &self->units.items[i];
    double cases = (double)of->cases;
    report->agreed += of->agreed;
    report->values += of->values;
    add_ratio(&score, of->second, cases);
    add_ratio(&agreement, (double)of->agreed, (double)of->values);
    pairs[scored] = (pair){.a = {of->second, of->model}, .b = {cases, cases}};
    scored += of->cases > 0;
  }
  report->units = self->units.count;
  report->score = ranged_of(self, &score);
  report->reverse_score = (ee_metric){self->first.count > 0, ee_sample_mean(&self->first)};
  report->agreement = ranged_of(self, &agreement);
  if (!report->has_model) return;
  check_ceiling(self, pairs, scored, &report->check);
  decide(self, &report->check); /* a comparison of its own */
}

/* Holm's correction over the fields that are in averages. */
static void decide_fields(ee_annotators *self, ee_arena *scratch) {
  double *p = EE_NEW_ARRAY(scratch, double, self->fields.count + 1);
  for (size_t i = 0; i < self->fields.count; i++)
    p[i] = self->fields.items[i].derived ? NAN : self->fields.items[i].made.check.p;
  ee_holm(p, self->fields.count);
  for (size_t i = 0; i < self->fields.count; i++) {
    self->fields.items[i].made.check.p_adjusted = p[i];
    decide(self, &self->fields.items[i].made.check);
  }
}

/* Fields as they are sorted. */
typedef struct rank {
  ee_field_agreement made;
  size_t order;
} rank;

static bool is_worse(const rank *a, const rank *b) {
  if (a->made.judge != b->made.judge) return a->made.judge < b->made.judge;
  if (a->made.agreement.metric.defined != b->made.agreement.metric.defined) return a->made.agreement.metric.defined;
  if (a->made.agreement.metric.value != b->made.agreement.metric.value)
    return a->made.agreement.metric.value < b->made.agreement.metric.value;
  return a->order < b->order;
}
EE_DEFINE_SORT(sort_ranks, rank, is_worse)

const ee_annotators_report *ee_annotators_finish(ee_annotators *self) {
  ee_arena scratch;
  ee_arena_init(&scratch, 0);
  finish_whole(self, &scratch);
  finish_fields(self, &scratch);
  if (self->report.has_model) decide_fields(self, &scratch);
  size_t count = 0;
  rank *ranks = EE_NEW_ARRAY(&scratch, rank, self->fields.count + 1);
  for (size_t i = 0; i < self->fields.count; i++)
    if (!self->fields.items[i].derived) ranks[count++] = (rank){self->fields.items[i].made, i};
  sort_ranks(ranks, count, &scratch);
  ee_field_agreement *fields = EE_NEW_ARRAY(&self->arena, ee_field_agreement, count + 1);
  for (size_t i = 0; i < count; i++) fields[i] = ranks[i].made;
  self->report.fields = fields;
  self->report.field_count = count;
  self->report.listed = self->disagreements.items;
  self->report.listed_count = self->disagreements.count;
  ee_arena_fini(&scratch);
  return &self->report;
}
