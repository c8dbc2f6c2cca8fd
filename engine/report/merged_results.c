/* merged_results.c: adding up rows, runs and merged results; their page, JSON and CSV. */
#include "report/merged_results.h"

#include <evalengine.h>
#include <inttypes.h>

#include "base/hash_index.h"
#include "base/memory.h"
#include "judge/details.h"
#include "judge/outcome.h"
#include "judge/strategy/strategy.h"
#include "prim/sort.h"
#include "report/corrections_report.h"
#include "report/csv.h"
#include "report/json_out.h"
#include "report/legend.h"
#include "report/run_report.h"
#include "report/signature.h"
#include "report/slices_report.h"
#include "report/trials_report.h"

void ee_merged_init(ee_merged_results *results) {
  *results = (ee_merged_results){.confidence = EE_USUAL_CONFIDENCE};
  ee_arena_init(&results->own, 0);
  ee_trial_total_init(&results->trials, EE_USUAL_LIMITS);
  results->arena = &results->own;
  results->index.arena = results->arena;
}

/* What is not in the arena. */
static void free_lists(ee_merged_results *results);

static void free_path(ee_merged_path *path) {
  for (size_t k = 0; k < path->values.count; k++) free_lists(path->values.items[k].results);
  EE_LIST_FINI(&path->values);
}

static void free_lists(ee_merged_results *results) {
  ee_correction_total_fini(&results->corrections);
  ee_score_units_fini(&results->units);
  for (size_t i = 0; i < results->judges.count; i++) {
    ee_merged_judge *judge = &results->judges.items[i];
    ee_score_units_fini(&judge->units);
    for (size_t k = 0; k < judge->attributes.count; k++) ee_count_units_fini(&judge->attributes.items[k].units);
    EE_LIST_FINI(&judge->attributes);
    if (judge->calibration != NULL) ee_calibration_total_fini(judge->calibration);
    ee_free(judge->calibration);
  }
  EE_LIST_FINI(&results->judges);
  for (size_t i = 0; i < results->measures.count; i++) ee_measure_total_fini(&results->measures.items[i].total);
  EE_LIST_FINI(&results->measures);
  for (size_t i = 0; i < results->slices.count; i++) free_path(&results->slices.items[i]);
  EE_LIST_FINI(&results->slices);
}

void ee_merged_fini(ee_merged_results *results) {
  free_lists(results);
  ee_trial_total_fini(&results->trials);
  ee_arena_fini(&results->own);
  *results = (ee_merged_results){0};
}

static ee_str copy_text(ee_merged_results *results, ee_str text) {
  return (ee_str){ee_arena_copy(results->arena, text.data, text.length), text.length};
}

static uint64_t hash_name(ee_str name) { return ee_hash_bytes(name.data, name.length, 0); }

static bool is_other(ee_str name) { return ee_str_is(name, EE_OTHER_NAME); }

/* By name, "(other)" last. */
static bool name_before(ee_str a, ee_str b) {
  if (is_other(a) || is_other(b)) return !is_other(a);
  return ee_str_compare(a, b) < 0;
}

static bool is_beyond(ee_str name, ee_str bound) {
  return bound.data != NULL && !is_other(name) && ee_str_compare(name, bound) > 0;
}

/* Whether the first of two things that rows list comes before the second. */
static bool place_before(size_t a, ee_str a_name, size_t b, ee_str b_name) {
  return a != b ? a < b : name_before(a_name, b_name);
}

static void add_verdicts(uint64_t to[3], const uint64_t from[3]) {
  for (size_t i = 0; i < 3; i++) to[i] += from[i];
}

static void note_position(size_t *position, size_t place) {
  if (place > *position) *position = place;
}

/* Judges and attributes by name ----------------------------------------------------------------- */

/* Finds or adds. `split` is that of the rows or the run being added, `place` where it is there, from 1. */
static ee_merged_judge *judge_of(ee_merged_results *results, ee_str name, ee_str type, bool split, size_t place) {
  uint64_t hash = hash_name(name);
  ee_merged_judge *judge = NULL;
  size_t at = 0, number;
  while (judge == NULL && ee_hash_index_next(&results->index, hash, &at, &number))
    if (ee_str_equal(results->judges.items[number].name, name)) judge = &results->judges.items[number];
  if (judge == NULL) {
    ee_hash_index_add(&results->index, hash, results->judges.count);
    judge = EE_LIST_ADD(&results->judges, NULL);
    *judge = (ee_merged_judge){.name = copy_text(results, name), .split = split, .index = {.arena = results->arena}};
  }
  if (type.length > 0 && (judge->type.length == 0 || ee_str_compare(type, judge->type) < 0))
    judge->type = copy_text(results, type);
  judge->split = judge->split && split;
  note_position(&judge->position, place);
  return judge;
}

static ee_attribute_total *attribute_find(const ee_merged_judge *judge, ee_str name, uint64_t hash) {
  size_t at = 0, number;
  while (ee_hash_index_next(&judge->index, hash, &at, &number))
    if (ee_str_equal(judge->attributes.items[number].name, name)) return &judge->attributes.items[number];
  return NULL;
}

static void attribute_merge(ee_merged_results *results, ee_attribute_total *to, const ee_attribute_total *from) {
  ee_counts_add(&to->counts, &from->counts);
  to->derived = to->derived || from->derived;
  if (from->position > to->position) to->position = from->position;
  ee_count_units_merge(&to->units, &from->units);
  ee_unread_total_merge(&to->unread, results->arena, from->unread);
  ee_kind_total_merge(&to->kinds, results->arena, from->kinds);
}

static bool attribute_before(const ee_attribute_total *a, const ee_attribute_total *b) {
  return name_before(a->name, b->name);
}
EE_DEFINE_SORT(sort_attributes, ee_attribute_total, attribute_before)

static bool attribute_placed_before(const ee_attribute_total *a, const ee_attribute_total *b) {
  if (is_other(a->name) || is_other(b->name)) return !is_other(a->name);
  return place_before(a->position, a->name, b->position, b->name);
}
EE_DEFINE_SORT(place_attributes, ee_attribute_total, attribute_placed_before)

static void index_attributes(ee_merged_judge *judge) {
  ee_hash_index_clear(&judge->index);
  for (size_t i = 0; i < judge->attributes.count; i++)
    ee_hash_index_add(&judge->index, hash_name(judge->attributes.items[i].name), i);
}

/* Sorts the attributes by name, and folds those beyond `bound` into "(other)"; data NULL: beyond the first
 * EE_DATA_ATTRIBUTES. */
static void bound_attributes(ee_merged_results *results, ee_merged_judge *judge, ee_str bound) {
  ee_attribute_total *items = judge->attributes.items;
  size_t count = judge->attributes.count, named = count, kept;
  ee_arena scratch;
  ee_arena_init(&scratch, 0);
  sort_attributes(items, count, &scratch);
  ee_arena_fini(&scratch);
  while (named > 0 && is_other(items[named - 1].name)) named--;
  if (named > EE_DATA_ATTRIBUTES) judge->bound = items[EE_DATA_ATTRIBUTES - 1].name;
  if (bound.data == NULL) bound = judge->bound;
  for (kept = named; kept > 0 && is_beyond(items[kept - 1].name, bound);) kept--;
  if (kept < named) {
    ee_attribute_total other = {.name = EE_STR(EE_OTHER_NAME)};
    for (size_t i = kept; i < count; i++) {
      attribute_merge(results, &other, &items[i]);
      ee_count_units_fini(&items[i].units);
    }
    items[kept] = other;
    judge->attributes.count = kept + 1;
  }
  index_attributes(judge);
}

static ee_attribute_total *attribute_of(ee_merged_results *results, ee_merged_judge *judge, ee_str name) {
  uint64_t hash = hash_name(name);
  ee_attribute_total *found = attribute_find(judge, name, hash);
  if (found != NULL) return found;
  if (judge->attributes.count > EE_DATA_ATTRIBUTES + EE_DATA_ATTRIBUTES / 4)
    bound_attributes(results, judge, (ee_str){NULL, 0});
  if (is_beyond(name, judge->bound)) {
    name = EE_STR(EE_OTHER_NAME);
    hash = hash_name(name);
    found = attribute_find(judge, name, hash);
    if (found != NULL) return found;
  }
  ee_hash_index_add(&judge->index, hash, judge->attributes.count);
  found = EE_LIST_ADD(&judge->attributes, NULL);
  *found = (ee_attribute_total){.name = copy_text(results, name)};
  return found;
}

/* Reads an entry of a row's `unread`; false where it is not one. Borrows from it. */
static bool read_unread(const ee_value *entry, ee_unread *unread) {
  const ee_value *field = ee_value_member(entry, EE_STR("field"), NULL);
  const ee_value *strategy = ee_value_member(entry, EE_STR("strategy"), NULL);
  const ee_value *document = ee_value_member(entry, EE_STR("document"), NULL);
  const ee_value *why = ee_value_member(entry, EE_STR("reason"), NULL);
  *unread = (ee_unread){.value = ee_value_member(entry, EE_STR("value"), NULL)};
  if (ee_type_of(field) != EE_STRING || ee_type_of(strategy) != EE_STRING || ee_type_of(document) != EE_STRING ||
      unread->value == NULL)
    return false;
  const ee_strategy_type *type = ee_strategy_type_find(ee_value_text(strategy));
  if (type == NULL || type->reads == NULL) return false;
  unread->strategy = type;
  unread->attribute = ee_value_text(field);
  unread->document =
      ee_str_is(ee_value_text(document), ee_document_side_name(EE_CANDIDATE)) ? EE_CANDIDATE : EE_EXPECTED;
  if (ee_type_of(why) == EE_STRING) unread->why = why->json.valuestring;
  const ee_value *remedies = ee_value_member(entry, EE_STR("remedies"), NULL);
  const ee_value *remedy = remedies != NULL ? ee_value_child(remedies) : NULL;
  for (; remedy != NULL && type->remedies != NULL; remedy = ee_value_next(remedy))
    for (unsigned i = 0; i < EE_REMEDY_LIMIT && type->remedies[i].option != NULL; i++)
      if (ee_type_of(remedy) == EE_STRING && ee_str_is(ee_value_text(remedy), type->remedies[i].option))
        unread->remedies |= UINT32_C(1) << i;
  return true;
}

/* The values that could not be read, as a judge's object in a row lists them. */
static void add_stored_unread(ee_merged_results *results, ee_merged_judge *judge, ee_str id, const ee_value *entry) {
  const ee_value *list = ee_value_member(ee_value_member(entry, EE_STR("details"), NULL), EE_STR("unread"), NULL);
  if (ee_type_of(list) != EE_ARRAY) return;
  ee_arena scratch;
  ee_buffer text;
  ee_arena_init(&scratch, 0);
  ee_buffer_init(&text);
  for (const ee_value *item = ee_value_child(list); item != NULL; item = ee_value_next(item)) {
    ee_unread unread;
    if (!read_unread(item, &unread)) continue;
    ee_attribute_total *total = attribute_of(results, judge, unread.attribute);
    ee_unread_total_add_value(&total->unread, results->arena, &unread, id, &text, &scratch);
  }
  ee_buffer_fini(&text);
  ee_arena_fini(&scratch);
}

static ee_class class_named(ee_str name) {
  for (int i = EE_CLASS_TP; i <= EE_CLASS_UNREAD; i++)
    if (ee_str_is(name, ee_class_name((ee_class)i))) return (ee_class)i;
  return EE_CLASS_WRONG;
}

/* The kinds of mismatches at a path: of the attribute of this name, where the row has it; of items of a list without a
 * partner; or, until all rows are known, of the path. */
static ee_kind_total **kinds_at(ee_merged_results *results, ee_merged_judge *judge, const ee_stored_judge *stored,
                                ee_str path) {
  for (size_t i = 0; i < stored->attribute_count; i++)
    if (ee_str_equal(stored->attributes[i].name, path)) return &attribute_of(results, judge, path)->kinds;
  if (path.length == 0 || path.data[path.length - 1] == ']') return &judge->row_kinds;
  for (size_t i = 0; i < judge->places.count; i++)
    if (ee_str_equal(judge->places.items[i].path, path)) return &judge->places.items[i].kinds;
  if (judge->places.count == EE_DATA_ATTRIBUTES) return &judge->row_kinds;
  ee_merged_place *added = EE_LIST_ADD(&judge->places, results->arena);
  *added = (ee_merged_place){.path = copy_text(results, path)};
  return &added->kinds;
}

/* Once all rows are known: paths that are attributes in some row, and others. */
static void settle_places(ee_merged_results *results, ee_merged_judge *judge) {
  for (size_t i = 0; i < judge->places.count; i++) {
    const ee_merged_place *place = &judge->places.items[i];
    ee_str name = is_beyond(place->path, judge->bound) ? EE_STR(EE_OTHER_NAME) : place->path;
    ee_attribute_total *attribute = attribute_find(judge, name, hash_name(name));
    ee_kind_total_merge(attribute != NULL ? &attribute->kinds : &judge->row_kinds, results->arena, place->kinds);
  }
  judge->places.count = 0;
}

/* The kinds of the mismatches that a judge's object in a row lists; a mismatch of no attribute is a row of a list. */
static void add_stored_kinds(ee_merged_results *results, ee_merged_judge *judge, ee_str id,
                             const ee_stored_judge *stored) {
  const ee_value *details = ee_value_member(stored->entry, EE_STR("details"), NULL);
  const ee_value *list = ee_value_member(details, EE_STR("mismatches"), NULL);
  if (ee_type_of(list) != EE_ARRAY) return;
  ee_buffer text;
  ee_buffer_init(&text);
  for (const ee_value *item = ee_value_child(list); item != NULL; item = ee_value_next(item)) {
    ee_error_kind kind = ee_error_kind_find(ee_value_get_text(item, "kind", ""));
    if (kind == EE_ERROR_KIND_NONE) continue;
    ee_str name = ee_value_get_text(item, "field", "");
    ee_kind_total **kinds;
    if (name.length > 0)
      kinds = &attribute_of(results, judge, name)->kinds;
    else
      kinds = kinds_at(results, judge, stored, ee_value_get_text(item, "path", ""));
    ee_kind_total_add(kinds, results->arena, kind, class_named(ee_value_get_text(item, "class", "")), id,
                      ee_value_member(item, EE_STR("expected"), NULL), ee_value_member(item, EE_STR("candidate"), NULL),
                      &text);
  }
  if (ee_value_count(list) >= EE_DETAILS_SHOWN && ee_value_get_bool(details, "truncated", false)) judge->kinds_cut++;
  ee_buffer_fini(&text);
}

/* The judge's total of confidences, made when it is first needed. */
static ee_calibration_total *calibration_of(ee_merged_judge *judge) {
  if (judge->calibration == NULL) judge->calibration = ee_calloc(1, sizeof *judge->calibration);
  return judge->calibration;
}

/* The confidences that a judge's object in a row has. */
static void add_stored_confidences(ee_merged_results *results, ee_merged_judge *judge, const ee_stored_row *row,
                                   const ee_value *entry) {
  const ee_value *details = ee_value_member(entry, EE_STR("details"), NULL);
  if (ee_value_member(details, EE_STR("confidences"), NULL) == NULL) return;
  ee_arena scratch;
  ee_buffer text;
  ee_arena_init(&scratch, 0);
  ee_buffer_init(&text);
  const ee_confidences *confidences = ee_confidences_read(details, &scratch);
  if (confidences != NULL)
    ee_calibration_total_add(calibration_of(judge), confidences, row->cluster.data != NULL, row->id, results->arena,
                             &text);
  ee_buffer_fini(&text);
  ee_arena_fini(&scratch);
}

static bool is_selected(ee_str selected, ee_str name) { return selected.data == NULL || ee_str_equal(selected, name); }

/* Measures -------------------------------------------------------------------------------------- */

static ee_measure_total *measure_find(const ee_merged_results *results, ee_str name) {
  for (size_t i = 0; i < results->measures.count; i++)
    if (ee_str_equal(results->measures.items[i].name, name)) return &results->measures.items[i].total;
  return NULL;
}

/* Finds or adds; NULL beyond EE_MERGED_MEASURES. A name that comes before takes the place of the last one. */
static ee_measure_total *measure_of(ee_merged_results *results, ee_str name, size_t place) {
  ee_merged_measure *found = NULL, *last = NULL;
  for (size_t i = 0; i < results->measures.count && found == NULL; i++) {
    ee_merged_measure *measure = &results->measures.items[i];
    if (ee_str_equal(measure->name, name)) found = measure;
    if (last == NULL || ee_str_compare(measure->name, last->name) > 0) last = measure;
  }
  if (found == NULL && last != NULL && results->measures.count == EE_MERGED_MEASURES) {
    if (ee_str_compare(name, last->name) > 0) return NULL;
    ee_measure_total_fini(&last->total);
    found = last;
    *found = (ee_merged_measure){.name = copy_text(results, name)};
  } else if (found == NULL) {
    found = EE_LIST_ADD(&results->measures, NULL);
    *found = (ee_merged_measure){.name = copy_text(results, name)};
  }
  note_position(&found->position, place);
  return &found->total;
}

static uint64_t correct_of(const ee_stored_row *row) {
  uint64_t correct = 0;
  for (size_t i = 0; i < row->judge_count; i++)
    for (size_t k = 0; k < row->judges[i].attribute_count; k++)
      if (!row->judges[i].attributes[k].derived) correct += row->judges[i].attributes[k].counts.tp;
  return correct;
}

static void add_measures(ee_merged_results *results, const ee_stored_row *row) {
  uint64_t correct = row->measure_count > 0 ? correct_of(row) : 0;
  for (size_t i = 0; i < row->measure_count; i++) {
    ee_measure_total *total = measure_of(results, row->measures[i].name, i + 1);
    if (total != NULL) ee_measure_total_add(total, &row->measures[i], row->id, correct, results->arena, NULL, NULL);
  }
}

/* With what is missing in rows. */
static const ee_measure_total *total_in(const ee_merged_results *results, const ee_measure_total *measure,
                                        ee_arena *arena) {
  ee_measure_total *total = EE_NEW(arena, ee_measure_total);
  *total = *measure;
  if (!results->recomputed) total->missing = results->rows - total->values.total - total->not_numbers;
  return total;
}

/* results->measures.count of them. A row without a measure that another one has lacks it. */
static const ee_named_measure *named_measures(const ee_merged_results *results, ee_arena *arena) {
  ee_named_measure *measures = EE_NEW_ARRAY(arena, ee_named_measure, results->measures.count);
  for (size_t i = 0; i < results->measures.count; i++) {
    const ee_merged_measure *measure = &results->measures.items[i];
    measures[i] = (ee_named_measure){measure->name, total_in(results, &measure->total, arena)};
  }
  return measures;
}

/* The measures of a slice, those of the whole in their order. */
static const ee_named_measure *measures_like(const ee_merged_results *whole, const ee_merged_results *slice,
                                             ee_arena *arena) {
  static const ee_measure_total none = {0};
  ee_named_measure *measures = EE_NEW_ARRAY(arena, ee_named_measure, whole->measures.count);
  for (size_t i = 0; i < whole->measures.count; i++) {
    ee_str name = whole->measures.items[i].name;
    const ee_measure_total *found = measure_find(slice, name);
    measures[i] = (ee_named_measure){name, total_in(slice, found != NULL ? found : &none, arena)};
  }
  return measures;
}

/* Slices ---------------------------------------------------------------------------------------- */

/* Finds or adds; NULL beyond EE_MERGED_SLICES. A path that comes before takes the place of the last one. */
static ee_merged_path *path_of(ee_merged_results *results, ee_str name, size_t place) {
  ee_merged_path *found = NULL, *last = NULL;
  for (size_t i = 0; i < results->slices.count && found == NULL; i++) {
    ee_merged_path *path = &results->slices.items[i];
    if (ee_str_equal(path->path, name)) found = path;
    if (last == NULL || ee_str_compare(path->path, last->path) > 0) last = path;
  }
  bool is_new = found == NULL;
  if (is_new && results->slices.count == EE_MERGED_SLICES) {
    if (ee_str_compare(name, last->path) > 0) return NULL;
    free_path(last);
    found = last;
  } else if (is_new) {
    found = EE_LIST_ADD(&results->slices, NULL);
  }
  if (is_new) *found = (ee_merged_path){.path = copy_text(results, name), .index = {.arena = results->arena}};
  note_position(&found->position, place);
  return found;
}

static ee_merged_results *value_find(const ee_merged_path *path, ee_str value, uint64_t hash) {
  size_t at = 0, number;
  while (ee_hash_index_next(&path->index, hash, &at, &number))
    // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): the index has what the list has
    if (ee_str_equal(path->values.items[number].value, value)) return path->values.items[number].results;
  return NULL;
}

static ee_merged_results *value_append(ee_merged_results *results, ee_merged_path *path, ee_str value) {
  ee_hash_index_add(&path->index, hash_name(value), path->values.count);
  ee_merged_results *added = EE_NEW(results->arena, ee_merged_results);
  added->arena = added->index.arena = results->arena;
  *EE_LIST_ADD(&path->values, NULL) = (ee_merged_slice){copy_text(results, value), added};
  return added;
}

/* Adds the results of another value of a slice. */
static void merge_value(ee_merged_results *to, const ee_merged_results *from) {
  to->recomputed = to->recomputed || from->recomputed;
  to->rows += from->rows;
  to->unscored += from->unscored;
  ee_sample_merge(&to->score, &from->score);
  ee_score_units_merge(&to->units, &from->units);
  ee_score_bins_merge(&to->bins, &from->bins);
  add_verdicts(to->verdicts, from->verdicts);
  ee_correction_total_merge(&to->corrections, &from->corrections);
  for (size_t i = 0; i < from->judges.count; i++) {
    const ee_merged_judge *part = &from->judges.items[i];
    ee_merged_judge *judge = judge_of(to, part->name, part->type, part->split, part->position);
    judge->failed += part->failed;
    judge->unscored += part->unscored;
    judge->vacuous += part->vacuous;
    ee_sample_merge(&judge->score, &part->score);
    ee_score_units_merge(&judge->units, &part->units);
    ee_count_moments_merge(&judge->pooled, &part->pooled);
    add_verdicts(judge->verdicts, part->verdicts);
    for (size_t k = 0; k < part->attributes.count; k++)
      attribute_merge(to, attribute_of(to, judge, part->attributes.items[k].name), &part->attributes.items[k]);
  }
  for (size_t i = 0; i < from->measures.count; i++) {
    const ee_merged_measure *measure = &from->measures.items[i];
    ee_measure_total *total = measure_of(to, measure->name, measure->position);
    if (total != NULL) ee_measure_total_merge(total, &measure->total, to->arena);
  }
}

static bool value_before(const ee_merged_slice *a, const ee_merged_slice *b) { return name_before(a->value, b->value); }
EE_DEFINE_SORT(sort_values, ee_merged_slice, value_before)

/* Sorts the values, and folds those beyond the first EE_SLICE_VALUES into "(other)". */
static void bound_values(ee_merged_results *results, ee_merged_path *path) {
  size_t named = path->values.count;
  ee_arena scratch;
  ee_arena_init(&scratch, 0);
  sort_values(path->values.items, named, &scratch);
  ee_arena_fini(&scratch);
  while (named > 0 && is_other(path->values.items[named - 1].value)) named--;
  if (named > EE_SLICE_VALUES) {
    if (named == path->values.count) value_append(results, path, EE_STR(EE_OTHER_NAME));
    ee_merged_slice *values = path->values.items, other = values[named];
    path->bound = values[EE_SLICE_VALUES - 1].value;
    for (size_t i = EE_SLICE_VALUES; i < named; i++) {
      merge_value(other.results, values[i].results);
      free_lists(values[i].results);
    }
    values[EE_SLICE_VALUES] = other;
    path->values.count = EE_SLICE_VALUES + 1;
  }
  ee_hash_index_clear(&path->index);
  for (size_t i = 0; i < path->values.count; i++)
    ee_hash_index_add(&path->index, hash_name(path->values.items[i].value), i);
}

/* Finds or adds. */
static ee_merged_results *value_of(ee_merged_results *results, ee_merged_path *path, ee_str value) {
  ee_merged_results *found = value_find(path, value, hash_name(value));
  if (found != NULL) return found;
  if (path->values.count > EE_SLICE_VALUES + EE_SLICE_VALUES / 4) bound_values(results, path);
  if (is_beyond(value, path->bound)) {
    value = EE_STR(EE_OTHER_NAME);
    found = value_find(path, value, hash_name(value));
  }
  return found != NULL ? found : value_append(results, path, value);
}

/* Adding ---------------------------------------------------------------------------------------- */

static void add_scores(ee_merged_results *results, const ee_stored_row *row, ee_str judge) {
  const uint64_t unit = ee_unit_key(row->id, row->cluster);
  const uint64_t cluster = row->cluster.data != NULL ? unit : 0;
  const bool whole = results->arena == &results->own;
  results->rows++;
  results->unscored += row->unscored;
  if (!row->unscored) {
    ee_sample_add(&results->score, row->score);
    ee_score_units_add(&results->units, cluster, row->score, row->verdict == EE_VERDICT_PASS);
    ee_score_bins_add(&results->bins, row->score);
    results->verdicts[row->verdict]++;
    if (row->has_corrections && judge.data == NULL)
      ee_correction_total_add(&results->corrections, &row->corrections, cluster);
  }
  for (size_t i = 0; i < row->judge_count; i++) {
    const ee_stored_judge *stored = &row->judges[i];
    if (!is_selected(judge, stored->name)) continue;
    ee_merged_judge *to = judge_of(results, stored->name, stored->type, stored->split, stored->place);
    to->failed += stored->in_error;
    to->unscored += stored->unscored;
    to->vacuous += stored->vacuous;
    if (stored->has_score) {
      ee_sample_add(&to->score, stored->score);
      to->verdicts[stored->verdict]++;
      ee_score_units_add(&to->units, cluster, stored->score, stored->verdict == EE_VERDICT_PASS);
    }
    ee_counts pooled = {0};
    for (size_t k = 0; k < stored->attribute_count; k++) {
      const ee_stored_attribute *attribute = &stored->attributes[k];
      ee_attribute_total *sum = attribute_of(results, to, attribute->name);
      ee_counts_add(&sum->counts, &attribute->counts);
      sum->derived = sum->derived || attribute->derived;
      if (k >= sum->position) sum->position = (uint32_t)k + 1;
      ee_count_units_add(&sum->units, unit, cluster != 0, whole, &attribute->counts);
      if (!attribute->derived) ee_counts_add(&pooled, &attribute->counts);
    }
    if (cluster == 0) ee_count_moments_add(&to->pooled, &pooled);
    add_stored_unread(results, to, row->id, stored->entry);
    if (!whole) continue; /* not of slices */
    add_stored_kinds(results, to, row->id, stored);
    add_stored_confidences(results, to, row, stored->entry);
  }
  add_measures(results, row);
}

/* Adds the row to the values of slices that it names. */
static void add_slices(ee_merged_results *results, const ee_stored_row *row, ee_str judge) {
  size_t place = 0;
  for (const ee_value *slice = ee_value_child(row->slices); slice != NULL; slice = ee_value_next(slice)) {
    ee_merged_path *path = ee_type_of(slice) == EE_ARRAY ? path_of(results, ee_value_key(slice), ++place) : NULL;
    if (path == NULL) continue;
    for (const ee_value *value = ee_value_child(slice); value != NULL; value = ee_value_next(value))
      if (ee_type_of(value) == EE_STRING) add_scores(value_of(results, path, ee_value_text(value)), row, judge);
  }
}

static void add_trial(ee_merged_results *results, const ee_stored_row *row) {
  if (row->trial.data == NULL) {
    results->trials.others++;
    return;
  }
  ee_arena scratch;
  ee_arena_init(&scratch, 0);
  ee_trials_add_row(&results->trials, row, &scratch);
  ee_arena_fini(&scratch);
}

static void add_rules(ee_merged_results *results, uint64_t hash) {
  size_t i = 0;
  while (i < results->rules.count && results->rules.items[i].hash != hash) i++;
  if (i == results->rules.count) *EE_LIST_ADD(&results->rules, results->arena) = (ee_merged_rules){.hash = hash};
  results->rules.items[i].rows++;
}

void ee_merged_add_row(ee_merged_results *results, const ee_stored_row *row, ee_str judge) {
  add_scores(results, row, judge);
  add_trial(results, row);
  results->schema1 += row->schema < 2;
  if (row->kept.data != NULL && results->kept++ == 0)
    results->kept_words = (ee_str){ee_arena_copy(results->arena, row->kept.data, row->kept.length), row->kept.length};
  if (row->has_hash) results->data_hash = ee_data_hash_add(results->data_hash, row->id, row->expected_hash);
  results->rows_hash = ee_data_hash_add(results->rows_hash, row->id, row->text_hash);
  if (row->has_rules_hash) add_rules(results, row->rules_hash);
  results->candidates_missing += row->candidate_state == EE_CANDIDATE_MISSING;
  results->candidates_unparseable += row->candidate_state == EE_CANDIDATE_UNPARSEABLE;
  results->rule_errors += row->rule_errors;
  results->provider_failures += row->provider_failures;
  results->given_up += row->given_up;
  if (row->slices != NULL && judge.data == NULL) add_slices(results, row, judge);
}

static void add_attributes(ee_merged_results *results, ee_merged_judge *judge, const ee_attribute_total *attributes,
                           size_t count) {
  for (size_t i = 0; i < count; i++) {
    ee_attribute_total *to = attribute_of(results, judge, attributes[i].name);
    attribute_merge(results, to, &attributes[i]);
    if (i >= to->position) to->position = (uint32_t)i + 1;
  }
}

/* The whole of a run, or one of its slices. */
static void add_score_totals(ee_merged_results *results, const ee_plan *plan, const ee_score_totals *totals,
                             ee_str judge) {
  ee_sample_merge(&results->score, &totals->score);
  ee_score_units_merge(&results->units, &totals->units);
  ee_score_bins_merge(&results->bins, &totals->bins);
  add_verdicts(results->verdicts, totals->verdicts);
  if (judge.data == NULL) ee_correction_total_merge(&results->corrections, &totals->corrections);
  for (size_t i = 0; i < plan->judge_count; i++) {
    const ee_judge *compiled = plan->judges[i];
    const ee_judge_total *from = &totals->judges[i];
    if (!is_selected(judge, compiled->name)) continue;
    ee_merged_judge *to =
        judge_of(results, compiled->name, ee_str_from(compiled->type->name), ee_judge_splits_fp(compiled), i + 1);
    to->failed += from->failed;
    if (from->calibration != NULL) ee_calibration_total_merge(calibration_of(to), from->calibration, results->arena);
    if (from->calibration != NULL) to->confidence = compiled->confidence;
    ee_kind_total_merge(&to->row_kinds, results->arena, from->row_kinds);
    to->unscored += from->unscored;
    to->vacuous += from->vacuous;
    ee_sample_merge(&to->score, &from->score);
    ee_score_units_merge(&to->units, &from->units);
    ee_count_moments_merge(&to->pooled, &from->pooled);
    add_verdicts(to->verdicts, from->verdicts);
    add_attributes(results, to, from->attributes, from->attribute_count);
  }
  for (size_t i = 0; i < plan->measure_count; i++) {
    ee_measure_total *measure = measure_of(results, plan->measures[i]->text, i + 1);
    if (measure != NULL) ee_measure_total_merge(measure, &totals->measures[i], results->arena);
  }
}

void ee_merged_add_totals(ee_merged_results *results, const ee_totals *totals, ee_str judge) {
  results->recomputed = true;
  results->rules_hash = totals->plan->rules_hash;
  results->data_hash += totals->data_hash;
  results->records_hash += totals->records_hash;
  results->rows += totals->scored;
  results->unscored += totals->unscored;
  results->unreadable += totals->unreadable;
  results->duplicates += totals->duplicates;
  results->candidates_missing += totals->candidates_missing;
  results->candidates_unparseable += totals->candidates_unparseable;
  results->rule_errors += totals->rule_errors;
  results->provider_failures += totals->provider_failures;
  results->given_up += totals->given_up;
  add_score_totals(results, totals->plan, &totals->all, judge);
  results->trials.limits = totals->plan->verdict;
  ee_trial_total_merge(&results->trials, &totals->trials);
  for (size_t i = 0; i < totals->slice_count && judge.data == NULL; i++) {
    const ee_slice_total *slice = &totals->slices[i];
    ee_merged_path *path = path_of(results, totals->plan->slices[slice->slice]->text, slice->slice + 1);
    if (path == NULL) continue;
    ee_merged_results *value = value_of(results, path, slice->value);
    value->recomputed = true;
    add_score_totals(value, totals->plan, &slice->totals, judge);
  }
}

/* Finishing ------------------------------------------------------------------------------------- */

static bool judge_before(const ee_merged_judge *a, const ee_merged_judge *b) {
  return place_before(a->position, a->name, b->position, b->name);
}
EE_DEFINE_SORT(sort_judges, ee_merged_judge, judge_before)

static bool measure_before(const ee_merged_measure *a, const ee_merged_measure *b) {
  return place_before(a->position, a->name, b->position, b->name);
}
EE_DEFINE_SORT(sort_measures, ee_merged_measure, measure_before)

static bool path_before(const ee_merged_path *a, const ee_merged_path *b) {
  return place_before(a->position, a->path, b->position, b->path);
}
EE_DEFINE_SORT(sort_paths, ee_merged_path, path_before)

/* The judge of the whole with this name; NULL: it is not known there. */
static const ee_merged_judge *judge_find(const ee_merged_results *results, ee_str name) {
  for (size_t i = 0; i < results->judges.count; i++)
    if (ee_str_equal(results->judges.items[i].name, name)) return &results->judges.items[i];
  return NULL;
}

/* `whole`: what bounds the attributes of a slice; has been ordered itself. */
static void order_results(ee_merged_results *results, const ee_merged_results *whole, ee_arena *scratch) {
  sort_judges(results->judges.items, results->judges.count, scratch);
  sort_measures(results->measures.items, results->measures.count, scratch);
  ee_hash_index_clear(&results->index);
  for (size_t i = 0; i < results->judges.count; i++) {
    ee_merged_judge *judge = &results->judges.items[i];
    ee_hash_index_add(&results->index, hash_name(judge->name), i);
    const ee_merged_judge *of = results != whole ? judge_find(whole, judge->name) : NULL;
    bound_attributes(results, judge, of != NULL ? of->bound : (ee_str){NULL, 0});
    settle_places(results, judge);
    place_attributes(judge->attributes.items, judge->attributes.count, scratch);
    index_attributes(judge);
    if (judge->calibration != NULL) ee_calibration_total_settle(judge->calibration);
  }
}

void ee_merged_finish(ee_merged_results *results) {
  ee_arena scratch;
  ee_arena_init(&scratch, 0);
  order_results(results, results, &scratch);
  for (size_t i = 0; i < results->slices.count; i++) {
    ee_merged_path *path = &results->slices.items[i];
    bound_values(results, path);
    for (size_t k = 0; k < path->values.count; k++) order_results(path->values.items[k].results, results, &scratch);
  }
  sort_paths(results->slices.items, results->slices.count, &scratch);
  uint64_t rows = 0, most = 0;
  for (size_t i = 0; i < results->rules.count; i++) {
    const ee_merged_rules *rules = &results->rules.items[i];
    rows += rules->rows;
    if (rules->rows < most || (rules->rows == most && rules->hash > results->rules_hash)) continue;
    most = rules->rows;
    results->rules_hash = rules->hash;
  }
  results->other_rules = rows - most;
  ee_trial_total_finish(&results->trials);
  ee_arena_fini(&scratch);
}

/* A judge as the functions of totals.h take it. Borrows from `judge`. */
static ee_judge_total total_of(const ee_merged_judge *judge) {
  ee_judge_total total = {.score = judge->score,
                          .units = judge->units,
                          .pooled = judge->pooled,
                          .failed = judge->failed,
                          .row_kinds = judge->row_kinds,
                          .kinds_cut = judge->kinds_cut,
                          .attributes = judge->attributes.items,
                          .attribute_count = judge->attributes.count};
  add_verdicts(total.verdicts, judge->verdicts);
  return total;
}

static const ee_named_calibration *calibrations_of(const ee_merged_results *results, ee_arena *arena) {
  ee_named_calibration *judges = EE_NEW_ARRAY(arena, ee_named_calibration, results->judges.count);
  for (size_t i = 0; i < results->judges.count; i++) {
    const ee_merged_judge *judge = &results->judges.items[i];
    judges[i] = (ee_named_calibration){judge->name, judge->calibration, judge->confidence};
  }
  return judges;
}

static ee_accept_choice accept_of(const ee_merged_results *results) {
  return (ee_accept_choice){results->accept.wanted, results->accept.count, results->confidence};
}

/* The page -------------------------------------------------------------------------------------- */

/* Whether it is known which candidates were missing and where rules raised errors. */
static bool says_cases(const ee_merged_results *results) {
  return results->recomputed || results->schema1 < results->rows;
}

static void add_counts(ee_page *page, const ee_merged_results *results) {
  uint64_t in_error = results->unreadable + results->duplicates;
  const ee_count rows[] = {
      {"read", results->rows + in_error + results->without_case, EE_INK_PLAIN, EE_COUNT_ALWAYS, NULL, NULL},
      {"merged", results->rows, EE_INK_PLAIN, EE_COUNT_ALWAYS, NULL, NULL},
      {"in error", in_error, EE_INK_RED, EE_COUNT_ALWAYS, NULL, NULL},
      {"unreadable", results->unreadable, EE_INK_RED, EE_COUNT_NONZERO, "line could not be read",
       "lines could not be read"},
      {"without a score", results->unscored, EE_INK_YELLOW, EE_COUNT_NONZERO,
       "row has no score because of its expected values or of a missing answer of a model",
       "rows have no score because of their expected values or of missing answers of a model"},
      {"duplicate ids", results->duplicates, EE_INK_RED, EE_COUNT_NONZERO, "row has an id seen before and was left out",
       "rows have ids seen before and were left out"},
      {NULL, results->without_case, EE_INK_PLAIN, EE_COUNT_NONZERO, "row has no case in the data set and was left out",
       "rows have no case in the data set and were left out"},
  };
  ee_page_counts(page, EE_MEDIUM_ALL, "rows      ", rows, sizeof rows / sizeof *rows, "");
  ee_page_clusters(page, &results->units, &results->score);
  const ee_count cases[] = {
      {"cases", results->cases, EE_INK_PLAIN, EE_COUNT_ALWAYS, NULL, NULL},
      {"without a row", results->without_row, EE_INK_YELLOW, EE_COUNT_ALWAYS, "case of the data set has no row",
       "cases of the data set have no row"},
      {"rows without a case", results->without_case, EE_INK_YELLOW, EE_COUNT_ALWAYS, NULL, NULL},
      {"rows judged against other expected values", results->other_expected, EE_INK_YELLOW, EE_COUNT_NONZERO,
       "row was judged against another expected value than the data set has now",
       "rows were judged against other expected values than the data set has now"},
  };
  if (results->has_dataset) ee_page_counts(page, EE_MEDIUM_ALL, "data set  ", cases, sizeof cases / sizeof *cases, "");
  if (!says_cases(results)) return;
  const ee_count candidates[] = {
      {"missing", results->candidates_missing, EE_INK_YELLOW, EE_COUNT_ALWAYS, "row has no candidate",
       "rows have no candidate"},
      {"without JSON", results->candidates_unparseable, EE_INK_YELLOW, EE_COUNT_ALWAYS, "candidate contains no JSON",
       "candidates contain no JSON"},
  };
  ee_page_counts(page, EE_MEDIUM_ALL, "candidates", candidates, 2, "");
  const ee_count rules[] = {
      {"errors", results->rule_errors, EE_INK_RED, EE_COUNT_ALWAYS, "error was raised by the rules",
       "errors were raised by the rules"},
      {"no answer", results->provider_failures, EE_INK_RED, EE_COUNT_NONZERO, "value got no answer from the provider",
       "values got no answer from the provider"},
      {"given up", results->given_up, EE_INK_RED, EE_COUNT_NONZERO, "value or judge was given up (--timeout)",
       "values or judges were given up (--timeout)"},
  };
  ee_page_counts(page, EE_MEDIUM_ALL, "rules     ", rules, sizeof rules / sizeof *rules, "");
}

static void add_note(ee_page *page, const char *text) {
  ee_line *line = ee_page_line(page, EE_MEDIUM_TERMINAL, EE_LINE_PARAGRAPH);
  ee_line_add(page, line, ee_cell_words("note        ", EE_INK_YELLOW));
  ee_line_add(page, line, ee_cell_words(text, EE_INK_PLAIN));
  ee_line_add(page, ee_page_line(page, EE_MEDIUM_MARKUP, EE_LINE_ITEM), ee_cell_words(text, EE_INK_PLAIN));
}

/* What rows cannot say, and that they do not belong together. */
static void add_notes(ee_page *page, const ee_merged_results *results) {
  if (results->recomputed) return;
  uint64_t old = results->schema1, other = results->other_rules;
  if (results->kept > 0)
    add_note(page, ee_arena_printf(&page->arena,
                                   "%" PRIu64 " of %" PRIu64
                                   " rows are a choice of the cases of their run (--keep %.*s): counts, means and "
                                   "intervals here are of the rows, not of the run",
                                   results->kept, results->rows, EE_STR_ARG(results->kept_words)));
  if (old > 0)
    add_note(page, ee_arena_printf(&page->arena,
                                   "%" PRIu64 " of %" PRIu64
                                   " row%s %s of schema 1, or from another program: %s not say which values were wrong "
                                   "and which invented, in which slices a case is, whether its candidate was missing, "
                                   "or where rules raised errors",
                                   old, results->rows, results->rows == 1 ? "" : "s", old == 1 ? "is" : "are",
                                   old == 1 ? "it does" : "they do"));
  if (other > 0)
    add_note(page, ee_arena_printf(&page->arena,
                                   "%" PRIu64 " of %" PRIu64
                                   " rows %s judged by other rules than most (their rules_hash differs): --rules "
                                   "judges all of them by the same rules",
                                   other, results->rows, other == 1 ? "was" : "were"));
}

static void add_slices_page(ee_page *page, const ee_merged_results *results) {
  ee_arena *arena = &page->arena;
  size_t measures = results->measures.count;
  ee_page_section(page, EE_STR("slices"));
  for (size_t i = 0; i < results->slices.count; i++) {
    const ee_merged_path *path = &results->slices.items[i];
    ee_slice_line *lines = EE_NEW_ARRAY(arena, ee_slice_line, path->values.count);
    for (size_t k = 0; k < path->values.count; k++) {
      const ee_merged_results *value = path->values.items[k].results;
      lines[k] = (ee_slice_line){path->values.items[k].value, value->score.count,
                                 ee_total_mean(&value->score, &value->units, results->confidence),
                                 ee_total_pass_rate(&value->score, value->verdicts, &value->units, results->confidence),
                                 measures_like(results, value, arena)};
    }
    ee_slice_page(path->path, lines, path->values.count, measures, page);
  }
}

static ee_signature signature_of(const ee_merged_results *results) {
  return (ee_signature){.rules = results->rules_hash,
                        .several_rules = !results->recomputed && results->other_rules > 0,
                        .data = results->data_hash,
                        .records = results->records_hash,
                        .rows = results->rows_hash,
                        .cases = results->rows,
                        .confidence = results->confidence,
                        .plan = results->plan,
                        .options = results->options};
}

void ee_merged_page(const ee_merged_results *results, ee_page *page) {
  ee_line_add(page, ee_page_line(page, EE_MEDIUM_TERMINAL, EE_LINE_TITLE),
              ee_cell_words(results->recomputed ? "judged again" : "stored results", EE_INK_PLAIN));
  const double confidence = results->confidence;
  const uint64_t count = results->score.count;
  const ee_ranged mean = ee_total_mean(&results->score, &results->units, confidence);
  ee_line_addf(page, ee_page_line(page, EE_MEDIUM_MARKUP, EE_LINE_TITLE), EE_INK_PLAIN, "Mean score %.*s",
               EE_STR_ARG(ee_cell_ranged(&page->arena, mean, EE_INK_PLAIN).text));
  ee_page_space(page);
  ee_page_scores(
      page, (ee_scores){
                .count = count,
                .noun = "row",
                .suffix = results->recomputed ? ", judged again" : "",
                .confidence = confidence,
                .mean = mean,
                .passed = ee_total_pass_rate(&results->score, results->verdicts, &results->units, confidence).interval,
                .bins = &results->bins,
                .verdicts = results->verdicts,
                .tiles = ee_corrections_tiles(&results->corrections, confidence, "row", page)});
  ee_corrections_page(&results->corrections, confidence, "row", page);
  ee_page_part(page, "counts");
  ee_page_space(page);
  add_counts(page, results);
  add_notes(page, results);
  for (size_t i = 0; i < results->judges.count; i++) {
    const ee_merged_judge *judge = &results->judges.items[i];
    ee_judge_total total = total_of(judge);
    ee_page_section(page, judge->name);
    ee_page_space(page);
    const ee_count counts[] = {
        {"in error", judge->failed, EE_INK_RED, EE_COUNT_NONZERO, "row in which the judge failed",
         "rows in which the judge failed"},
        {"not scored", judge->unscored, EE_INK_YELLOW, EE_COUNT_NONZERO,
         "row without a score because of its expected values or of a missing answer of a model",
         "rows without a score because of their expected values or of missing answers of a model"},
        {"vacuous", judge->vacuous, EE_INK_YELLOW, EE_COUNT_NONZERO, "row with nothing to score",
         "rows with nothing to score"},
    };
    ee_page_judge(page, (ee_judge_heading){.name = judge->name,
                                           .type = judge->type,
                                           .mean = ee_total_mean(&judge->score, &judge->units, confidence),
                                           .verdicts = judge->verdicts,
                                           .counts = counts,
                                           .count = sizeof counts / sizeof *counts});
    ee_page_part(page, "attributes");
    ee_page_attributes(page, &total, judge->split, true,
                       results->mistakes != NULL ? results->mistakes->choice.order : EE_ORDER_USUAL, EE_USUAL_LIMITS,
                       confidence);
    ee_misfit_list misfits = ee_misfits_of(NULL, &total, true, &page->arena);
    ee_page_misfits(page, EE_MEDIUM_ALL, &misfits);
    ee_kinds_page(&total, results->mistakes != NULL ? &results->mistakes->choice : NULL, page);
  }
  ee_mistakes_page(results->mistakes, page);
  ee_trials_page(&results->trials, results->confidence,
                 results->plan != NULL ? results->plan->trial_rule : EE_TRIALS_MEAN, page);
  ee_calibration_page(calibrations_of(results, &page->arena), results->judges.count, accept_of(results), page);
  ee_measures_page(named_measures(results, &page->arena), results->measures.count, page);
  add_slices_page(page, results);
  ee_summaries_page(&results->summaries, page);
  ee_legend_page(results->plan, page);
  ee_signature signature = signature_of(results);
  ee_signature_page(&signature, page);
}

/* JSON and CSV ---------------------------------------------------------------------------------- */

static void json_coverage(ee_json_out *json, const ee_merged_results *results) {
  ee_json_add_count(json, "rows", results->rows);
  if (results->unscored > 0) ee_json_add_count(json, "unscored", results->unscored);
  ee_json_open(json, "errors", '{');
  ee_json_add_count(json, "unreadable", results->unreadable);
  ee_json_add_count(json, "duplicate_ids", results->duplicates);
  if (says_cases(results)) {
    ee_json_add_count(json, "rule_errors", results->rule_errors);
    ee_json_add_count(json, "provider_failures", results->provider_failures);
    if (results->given_up > 0) ee_json_add_count(json, "given_up", results->given_up);
  }
  ee_json_close(json, '}');
  if (results->has_dataset) {
    ee_json_open(json, "dataset", '{');
    ee_json_add_count(json, "cases", results->cases);
    ee_json_add_count(json, "cases_without_row", results->without_row);
    ee_json_add_count(json, "rows_without_case", results->without_case);
    if (!results->recomputed) ee_json_add_count(json, "rows_of_other_expected_values", results->other_expected);
    ee_json_close(json, '}');
  }
  if (results->kept > 0) ee_json_add_count(json, "rows_of_a_choice", results->kept);
  if (results->kept > 0) ee_json_add_text(json, "kept", results->kept_words);
  if (results->schema1 > 0 && !results->recomputed) ee_json_add_count(json, "rows_of_schema_1", results->schema1);
  if (results->other_rules > 0) ee_json_add_count(json, "rows_of_other_rules", results->other_rules);
  if (!says_cases(results)) return;
  ee_json_open(json, "candidates", '{');
  ee_json_add_count(json, "missing", results->candidates_missing);
  ee_json_add_count(json, "without_json", results->candidates_unparseable);
  ee_json_close(json, '}');
}

/* "judges". */
static void json_judges(ee_json_out *json, const ee_merged_results *results, double confidence) {
  ee_json_open(json, "judges", '[');
  for (size_t i = 0; i < results->judges.count; i++) {
    const ee_merged_judge *judge = &results->judges.items[i];
    ee_judge_total total = total_of(judge);
    ee_json_open(json, NULL, '{');
    ee_json_add_text(json, "name", judge->name);
    if (judge->type.length > 0) ee_json_add_text(json, "type", judge->type);
    ee_json_add_mean(json, &judge->score, ee_total_mean(&judge->score, &judge->units, confidence));
    ee_json_add_verdicts(json, judge->verdicts);
    ee_json_add_ranged(json, "pass_rate",
                       ee_total_pass_rate(&judge->score, judge->verdicts, &judge->units, confidence));
    if (judge->failed > 0) ee_json_add_count(json, "in_error", judge->failed);
    if (judge->vacuous > 0) ee_json_add_count(json, "vacuous", judge->vacuous);
    if (judge->unscored > 0) ee_json_add_count(json, "unscored", judge->unscored);
    ee_misfit_list misfits = ee_misfits_of(NULL, &total, true, json->arena);
    ee_json_add_misfits(json, &misfits);
    ee_json_add_attributes(json, &total, judge->split, confidence);
    ee_json_close(json, '}');
  }
  ee_json_close(json, ']');
}

/* "slices", as those of a run. */
static void json_slices(ee_json_out *json, const ee_merged_results *results) {
  if (results->slices.count == 0) return;
  ee_json_open(json, "slices", '[');
  for (size_t i = 0; i < results->slices.count; i++) {
    const ee_merged_path *path = &results->slices.items[i];
    ee_json_open(json, NULL, '{');
    ee_json_add_text(json, "path", path->path);
    ee_json_open(json, "values", '[');
    for (size_t k = 0; k < path->values.count; k++) {
      const ee_merged_results *value = path->values.items[k].results;
      ee_json_open(json, NULL, '{');
      ee_json_add_text(json, "value", path->values.items[k].value);
      ee_json_add_count(json, "cases", value->score.count);
      ee_json_add_mean(json, &value->score, ee_total_mean(&value->score, &value->units, results->confidence));
      ee_json_add_verdicts(json, value->verdicts);
      ee_json_add_ranged(json, "pass_rate",
                         ee_total_pass_rate(&value->score, value->verdicts, &value->units, results->confidence));
      ee_corrections_json(&value->corrections, results->confidence, json);
      ee_measures_json(measures_like(results, value, json->arena), results->measures.count, json);
      json_judges(json, value, results->confidence);
      ee_json_close(json, '}');
    }
    ee_json_close(json, ']');
    ee_json_close(json, '}');
  }
  ee_json_close(json, ']');
}

void ee_merged_json(const ee_merged_results *results, ee_buffer *out) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_json_out json = {.out = out, .arena = &arena, .first = true};
  ee_json_open(&json, NULL, '{');
  ee_json_add_count(&json, "schema", 1);
  ee_json_add_text(&json, "version", EE_STR(EE_VERSION));
  ee_signature signature = signature_of(results);
  ee_json_add_text(&json, "signature", ee_signature_text(&signature, &arena));
  ee_json_add_bool(&json, "recomputed", results->recomputed);
  json_coverage(&json, results);
  ee_json_add_number(&json, "confidence", results->confidence);
  ee_json_add_clusters(
      &json, results->plan != NULL && results->plan->cluster != NULL ? results->plan->cluster->text : EE_STR(""),
      &results->units, &results->score);
  ee_json_add_mean(&json, &results->score, ee_total_mean(&results->score, &results->units, results->confidence));
  ee_json_add_verdicts(&json, results->verdicts);
  ee_json_add_ranged(&json, "pass_rate",
                     ee_total_pass_rate(&results->score, results->verdicts, &results->units, results->confidence));
  ee_corrections_json(&results->corrections, results->confidence, &json);
  ee_trials_json(&results->trials, results->confidence, &json);
  ee_measures_json(named_measures(results, &arena), results->measures.count, &json);
  json_judges(&json, results, results->confidence);
  json_slices(&json, results);
  ee_mistakes_json(results->mistakes, &json);
  ee_calibration_json(calibrations_of(results, &arena), results->judges.count, accept_of(results), &json);
  ee_summaries_json(&results->summaries, &json);
  ee_json_close(&json, '}');
  ee_buffer_add_char(out, '\n');
  ee_arena_fini(&arena);
}

void ee_merged_csv(const ee_merged_results *results, ee_buffer *out) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  bool any = results->measures.count > 0;
  size_t start = out->length;
  ee_buffer_add_text(out, EE_CSV_ATTRIBUTES_HEAD);
  ee_buffer_add_text(out, any ? EE_CSV_MEASURES_HEAD "\n" : "\n");
  for (size_t i = 0; i < results->judges.count; i++) {
    const ee_merged_judge *judge = &results->judges.items[i];
    ee_judge_total total = total_of(judge);
    ee_csv_add_attributes(out, judge->name, &total, judge->split, any ? EE_CSV_NO_MEASURES : "", results->confidence,
                          &arena);
  }
  ee_measures_csv(named_measures(results, &arena), results->measures.count, out);
  ee_summaries_csv(&results->summaries, start, out);
  ee_arena_fini(&arena);
}
