/* misfit.c: finds misfits and writes the sentences about them. */
#include "run/misfit.h"

#include <inttypes.h>
#include <string.h>

#include "judge/fields/field.h"

/* Attributes and paths that are named for each judge; JSON has the counts of all attributes. */
#define MAX_NAMED 10
#define SHOWN 200 /* bytes of a name in a sentence */
/* Unreadable candidate values are few if at most one in this many is. */
#define FEW 50

const char *ee_misfit_kind_name(ee_misfit_kind kind) {
  static const char *const names[] = {"in_error", "unread_expected", "unread_candidate",
                                      "nowhere",  "one_side",        "match"};
  return names[kind];
}

typedef struct finder {
  const ee_judge *judge;
  const ee_judge_total *total;
  ee_arena *arena;
  ee_misfit_list found;
} finder;

static void add(finder *self, ee_misfit_kind kind, ee_str field, bool grave, const char *text) {
  *EE_LIST_ADD(&self->found, self->arena) =
      (ee_misfit){.kind = kind, .field = field, .text = ee_str_from(text), .grave = grave};
}

/* Judges in error ------------------------------------------------------------------------------ */

static void find_faults(finder *self) {
  const ee_judge_total *total = self->total;
  if (total->failed == 0) return;
  const char *example = "";
  if (total->fault.text.length > 0)
    example = ee_arena_printf(self->arena, ", e.g. '%.*s': %.*s", (int)ee_utf8_cut(total->fault.id, SHOWN),
                              total->fault.id.data, (int)ee_utf8_cut(total->fault.text, SHOWN), total->fault.text.data);
  add(self, EE_MISFIT_IN_ERROR, EE_STR(""), true,
      ee_arena_printf(self->arena, "%" PRIu64 " case%s could not be judged%s", total->failed,
                      total->failed == 1 ? "" : "s", example));
}

/* Unread values -------------------------------------------------------------------------------- */

uint64_t ee_attribute_expected(const ee_attribute_total *attribute) {
  return attribute->counts.tp + attribute->counts.fn + attribute->counts.unread;
}

double ee_attribute_unread_share(const ee_attribute_total *attribute) {
  uint64_t expected = ee_attribute_expected(attribute);
  if (attribute->unread == NULL || expected == 0) return 0;
  return (double)attribute->unread->sides[EE_EXPECTED].count / (double)expected;
}

/* Unreadable candidate values are the candidate's fault, unless they are many and an option would read most of them. */
static bool is_grave(const ee_attribute_total *attribute, ee_document_side side) {
  uint64_t reads, count = attribute->unread->sides[side].count;
  if (side == EE_EXPECTED) return true;
  ee_unread_best_remedy(attribute->unread, side, &reads);
  return reads * 2 > count && reads * FEW > attribute->counts.tp + attribute->counts.fp;
}

static void find_unread(finder *self, const ee_attribute_total *attribute) {
  if (attribute->unread == NULL) return;
  ee_buffer text;
  ee_buffer_init(&text);
  for (int i = EE_EXPECTED; i <= EE_CANDIDATE; i++) {
    ee_document_side side = (ee_document_side)i;
    if (attribute->unread->sides[side].count == 0) continue;
    ee_buffer_clear(&text);
    ee_unread_print(attribute->unread, side, attribute->name,
                    side == EE_EXPECTED ? ee_attribute_expected(attribute) : 0, &text);
    add(self, side == EE_EXPECTED ? EE_MISFIT_UNREAD_EXPECTED : EE_MISFIT_UNREAD_CANDIDATE, attribute->name,
        is_grave(attribute, side), ee_arena_copy(self->arena, ee_buffer_terminate(&text), text.length));
  }
  ee_buffer_fini(&text);
}

static void find_all_unread(finder *self) {
  size_t named = 0, more = 0;
  for (size_t i = 0; i < self->total->attribute_count; i++) {
    const ee_attribute_total *attribute = &self->total->attributes[i];
    if (attribute->unread == NULL) continue;
    if (named++ < MAX_NAMED)
      find_unread(self, attribute);
    else
      more++;
  }
  if (more > 0)
    add(self, EE_MISFIT_UNREAD_EXPECTED, EE_STR(""), true,
        ee_arena_printf(self->arena, "values of %zu more attributes could not be read", more));
}

/* Paths ----------------------------------------------------------------------------------------- */

static bool is_found(const ee_counts *counts) { return counts->tp + counts->fp + counts->fn + counts->unread > 0; }

static bool is_inside(ee_str path, ee_str outer) {
  return outer.length > 0 && outer.length < path.length && memcmp(path.data, outer.data, outer.length) == 0 &&
         (path.data[outer.length] == '.' || path.data[outer.length] == '[');
}

/* The first step of `name` if it is a path of several steps; else an empty text. */
static ee_str first_step(ee_str name, ee_arena *scratch) {
  const ee_path *path = ee_path_parse(scratch, name, NULL);
  if (path == NULL || path->count < 2 || path->steps[0].kind == EE_STEP_ALL || path->steps[0].kind == EE_STEP_INDEX)
    return EE_STR("");
  return path->steps[0].key;
}

static bool occurs(const finder *self, ee_str name) {
  const ee_judge_total *total = self->total;
  for (size_t i = total->static_count; i < total->attribute_count; i++)
    if (ee_str_equal(total->attributes[i].name, name)) return true;
  for (size_t i = 0; i < self->judge->expected_path_count; i++)
    if (total->seen[i] && ee_str_equal(self->judge->expected_paths[i].name, name)) return true;
  return false;
}

/* The end of the sentence: a guess at the mistake in a path that no case has. */
static const char *guess(const finder *self, const ee_expected_path *path) {
  const ee_judge *judge = self->judge;
  ee_str near = path->holds_rest ? EE_STR("") : ee_judge_total_near(self->total, path->name);
  if (near.length > 0) return ee_arena_printf(self->arena, "did you mean '%.*s'?", EE_STR_ARG(near));
  if (strcmp(path->what, "key") == 0) {
    ee_str step = first_step(path->name, self->arena);
    if (step.length > 0 && occurs(self, step)) return "that is a path: depth = \"leaves\"";
  }
  for (size_t i = 0; i < judge->expected_path_count && strcmp(path->none, "no leaf") == 0; i++) {
    ee_str outer = judge->expected_paths[i].name;
    if (self->total->seen[i] && is_inside(path->name, outer))
      return ee_arena_printf(self->arena, "it is inside '%.*s', which is one leaf here", (int)ee_utf8_cut(outer, SHOWN),
                             outer.data);
  }
  return ee_arena_printf(self->arena, "is the %s right?", path->what);
}

/* The field of the rule file that an attribute counts; NULL: it is not that of one field. */
static const ee_field *field_of(const ee_judge *judge, size_t number) {
  const ee_field_list *list = judge->fields;
  return list != NULL && number < list->count ? &list->fields[number] : NULL;
}

/* The last step of a path, and what is before it in `text`. */
static ee_str last_step(const ee_path *path, ee_str *before) {
  ee_str key = path->count > 0 ? path->steps[path->count - 1].key : EE_STR("");
  ee_str text = path->text;
  bool plain = key.length > 0 && key.length <= text.length &&
               memcmp(text.data + text.length - key.length, key.data, key.length) == 0;
  *before = (ee_str){text.data, plain ? text.length - key.length : 0};
  return key;
}

/* The last steps of the other fields. */
static const char *const *taken_keys(const finder *self, size_t but, ee_document_side side) {
  const ee_field_list *list = self->judge->fields;
  const char **taken = EE_NEW_ARRAY(self->arena, const char *, list->count + 1);
  size_t count = 0;
  for (size_t i = 0; i < list->count; i++) {
    const ee_field *field = &list->fields[i];
    ee_str before, key = last_step(side == EE_EXPECTED ? field->expected_path : field->candidate_path, &before);
    if (i != but) taken[count++] = ee_arena_copy(self->arena, key.data, key.length);
  }
  return taken;
}

/* What the documents of a side have instead of field `number`: a path, or an empty text. */
static ee_str other_path(const finder *self, size_t number, ee_document_side side, uint32_t *agreed) {
  const ee_field *field = field_of(self->judge, number);
  const ee_path *path = side == EE_EXPECTED ? field->expected_path : field->candidate_path;
  ee_str before, key = last_step(path, &before);
  ee_str meant = ee_absent_path_meant(&self->total->attributes[number].absent, side, key,
                                      taken_keys(self, number, side), self->arena, agreed);
  if (meant.length == 0) return meant;
  return ee_str_from(ee_arena_printf(self->arena, "%.*s%.*s", EE_STR_ARG(before), EE_STR_ARG(meant)));
}

/* `number`: of its attribute, or SIZE_MAX. */
static void find_nowhere(finder *self, const ee_expected_path *path, size_t number, bool grave) {
  uint32_t agreed;
  ee_str meant = field_of(self->judge, number) != NULL ? other_path(self, number, EE_EXPECTED, &agreed) : EE_STR("");
  const char *advice =
      meant.length > 0 ? ee_arena_printf(self->arena, "did you mean '%.*s'?", EE_STR_ARG(meant)) : guess(self, path);
  add(self, EE_MISFIT_NOWHERE, path->name, grave,
      ee_arena_printf(self->arena, "%s at '%.*s' in any case, expected or candidate: %s", path->none,
                      (int)ee_utf8_cut(path->name, SHOWN), path->name.data, advice));
}

/* Paths and keys besides the attributes: a strategy for a mistyped key does nothing. */
static void find_expected_paths(finder *self) {
  const ee_judge *judge = self->judge;
  for (size_t k = 0; k < judge->expected_path_count; k++) {
    if (!judge->expected_paths[k].holds_rest || self->total->seen[k]) continue;
    find_nowhere(self, &judge->expected_paths[k], SIZE_MAX, true);
    return;
  }
  size_t missing = 0;
  for (size_t k = 0; k < judge->expected_path_count; k++) {
    if (self->total->seen[k] || missing++ >= MAX_NAMED) continue;
    find_nowhere(self, &judge->expected_paths[k], SIZE_MAX, true);
  }
  if (missing > MAX_NAMED)
    add(self, EE_MISFIT_NOWHERE, EE_STR(""), true,
        ee_arena_printf(self->arena, "nothing at %zu more paths in any case", missing - MAX_NAMED));
}

bool ee_field_is_nowhere(const ee_judge *judge, const ee_judge_total *total, size_t number) {
  const ee_field *field = field_of(judge, number);
  const ee_absent_path *absent = &total->attributes[number].absent;
  return !is_found(&total->attributes[number].counts) && !absent->there[EE_EXPECTED] && !absent->there[EE_CANDIDATE] &&
         (field == NULL || field->required);
}

/* A path that occurs on one side only. */
static void find_one_side(finder *self, size_t number) {
  const ee_field *field = field_of(self->judge, number);
  const ee_attribute_total *attribute = &self->total->attributes[number];
  if (field == NULL) return;
  for (int i = EE_EXPECTED; i <= EE_CANDIDATE; i++) {
    ee_document_side side = (ee_document_side)i, other = i == EE_EXPECTED ? EE_CANDIDATE : EE_EXPECTED;
    const ee_absent_path *absent = &attribute->absent;
    if (absent->there[side] || !absent->there[other] || absent->sides[side].cases == 0) continue;
    const ee_counts *counts = &attribute->counts;
    uint64_t values = side == EE_CANDIDATE ? counts->tp + counts->fn + counts->unread : counts->tp + counts->fp;
    uint32_t agreed;
    ee_str meant = other_path(self, number, side, &agreed);
    bool is_array = ee_absent_path_arrays(absent, side) > 0;
    /* Candidates may have values that are not expected. */
    if (meant.length == 0 && !is_array && side == EE_EXPECTED) continue;
    const char *instead = "";
    if (meant.length > 0)
      instead = ee_arena_printf(
          self->arena, "; %s have '%.*s'%s", side == EE_CANDIDATE ? "candidates" : "expected values", EE_STR_ARG(meant),
          agreed > 0 ? ee_arena_printf(self->arena, ", equal in %u of %u cases", agreed, absent->sides[side].cases)
                     : "");
    if (meant.length > 0 && side == EE_CANDIDATE)
      instead = ee_arena_printf(self->arena, "%s (candidate = \"%.*s\")", instead, EE_STR_ARG(meant));
    if (meant.length == 0 && is_array)
      instead = ee_arena_printf(self->arena, "; %s have an array where an object should be",
                                side == EE_CANDIDATE ? "candidates" : "expected values");
    ee_str name = (side == EE_CANDIDATE ? field->candidate_path : field->expected_path)->text;
    add(self, EE_MISFIT_ONE_SIDE, attribute->name, meant.length > 0 || is_array,
        ee_arena_printf(
            self->arena, "'%.*s' is in %" PRIu64 " %s%s, in no %s%s%s", (int)ee_utf8_cut(attribute->name, SHOWN),
            attribute->name.data, values, other == EE_EXPECTED ? "expected value" : "candidate", values == 1 ? "" : "s",
            side == EE_CANDIDATE ? "candidate" : "expected value",
            ee_str_equal(name, attribute->name) ? "" : ee_arena_printf(self->arena, " (at '%.*s')", EE_STR_ARG(name)),
            instead));
  }
}

/* Attributes without a value: a mistyped path is a true negative in every case, and raises the score. */
static void find_attributes(finder *self) {
  const ee_judge_total *total = self->total;
  bool any = total->attribute_count > total->static_count;
  for (size_t k = 0; k < total->static_count; k++) any = any || is_found(&total->attributes[k].counts);
  if (!any && total->static_count > 0) {
    /* Nothing is known of cases in which the judge was in error or given up. */
    if (total->failed == total->score.count + total->unscored) return;
    add(self, EE_MISFIT_NOWHERE, EE_STR(""), true,
        total->failed > 0 ? "nothing to compare in any case that could be judged, expected or candidate: is the path "
                            "right?"
                          : "nothing to compare in any case, expected or candidate: is the path right?");
    return;
  }
  for (size_t k = 0; k < total->static_count; k++) {
    if (is_found(&total->attributes[k].counts)) {
      find_one_side(self, k);
      continue;
    }
    /* The path occurs, but always with null. */
    if (total->attributes[k].absent.there[EE_EXPECTED] || total->attributes[k].absent.there[EE_CANDIDATE]) continue;
    const ee_expected_path path = {.name = total->attributes[k].name, .none = "nothing", .what = "path"};
    find_nowhere(self, &path, k, ee_field_is_nowhere(self->judge, total, k));
  }
}

/* Arrays that cannot be paired by their match fields. */
static void find_match(finder *self) {
  const ee_judge_total *total = self->total;
  unsigned candidate = 1u << EE_CANDIDATE;
  if (total->paired > 0 && total->match_names != NULL && total->match_sides < (1u << EE_EXPECTED | candidate)) {
    bool is_missing = (total->match_sides & candidate) == 0; /* of candidates */
    add(self, EE_MISFIT_MATCH, EE_STR(""), true,
        ee_arena_printf(self->arena,
                        "items are paired by %s, which %s items have but no %s item has, so nothing is paired: "
                        "name a field that both sides have, or use match = \"fields\"",
                        total->match_names, is_missing ? "expected" : "candidate",
                        is_missing ? "candidate" : "expected"));
  }
  if (total->unpairable == 0) return;
  add(self, EE_MISFIT_MATCH, EE_STR(""), total->paired == 0,
      ee_arena_printf(self->arena,
                      "no item has the match field %s in %" PRIu64
                      " case%s; items were paired by their score fields (match = \"fields\")",
                      total->match_names, total->unpairable, total->unpairable == 1 ? "" : "s"));
}

ee_misfit_list ee_misfits_of(const ee_judge *judge, const ee_judge_total *total, bool chosen, ee_arena *arena) {
  finder self = {.judge = judge, .total = total, .arena = arena};
  find_faults(&self);
  find_all_unread(&self);
  find_match(&self);
  if (judge == NULL || chosen || total->score.count + total->unscored == 0 || total->seen == NULL) return self.found;
  find_expected_paths(&self);
  find_attributes(&self);
  return self.found;
}
