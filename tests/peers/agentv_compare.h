/* agentv_compare.h: what tests of AgentV's facts share: reading a row, and telling where our result of it differs.
 *
 * A difference is "name=ours"; several of a row stand side by side. */
#ifndef EE_TESTS_PEERS_AGENTV_COMPARE_H
#define EE_TESTS_PEERS_AGENTV_COMPARE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above. */
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/json/json_reader.h"
#include "data/json/json_writer.h"
#include "prim/confusion.h"

/* Where we say something else: the quantities that differ, with our value, and the reason. */
typedef struct deviation {
  const char *id;
  const char *ours;
  const char *reason;
} deviation;

/* Documents ------------------------------------------------------------------------------------ */

static inline const ee_value *member(const ee_value *value, const char *key) {
  return ee_value_member(value, ee_str_from(key), NULL);
}

static inline const char *text_of(const ee_value *value) {
  assert_int_equal(ee_type_of(value), EE_STRING);
  return value->json.valuestring;
}

static inline bool has_text(const ee_value *value, const char *text) {
  return ee_type_of(value) == EE_STRING && ee_str_is(ee_value_text(value), text);
}

static inline const ee_value *read_json(ee_arena *arena, ee_str text) {
  ee_error error = {0};
  const ee_value *value = ee_json_read(arena, text, NULL, &error);
  if (value == NULL) fail_msg("%s: %.*s", error.message, (int)text.length, text.data);
  return value;
}

/* Comparing ------------------------------------------------------------------------------------ */

static inline void add_difference(ee_buffer *differences, const char *name, const char *detail, const ee_value *ours) {
  ee_buffer_addf(differences, "%s%s%s=", differences->length > 0 ? " " : "", name, detail);
  if (ee_type_of(ours) == EE_STRING) {
    ee_buffer_add_str(differences, ee_value_text(ours));
  } else if (ours == NULL) {
    ee_buffer_add_char(differences, '-');
  } else {
    ee_json_write_value(differences, ours);
  }
}

/* Numbers to 1e-9, all else exactly; a metric that is not there is undefined. */
static inline bool same_value(const ee_value *theirs, const ee_value *ours) {
  if (ee_type_of(theirs) == EE_NUMBER && ee_type_of(ours) == EE_NUMBER) {
    return fabs(ee_value_number(theirs) - ee_value_number(ours)) <= 1e-9;
  }
  return ee_value_equal(theirs, ours);
}

static inline void compare(ee_buffer *differences, const char *name, const ee_value *theirs, const ee_value *ours) {
  if (!same_value(theirs, ours)) add_difference(differences, name, "", ours);
}

static inline void compare_count(ee_buffer *differences, ee_arena *arena, const char *name, const ee_value *theirs,
                                 size_t ours) {
  if (ee_value_number(theirs) == (double)ours) return;
  add_difference(differences, name, "", ee_value_new_number(arena, (double)ours));
}

static const char *const metric_names[] = {"tp", "tn", "fp", "fn", "precision", "recall", "f1"};
enum { METRICS = sizeof metric_names / sizeof *metric_names };

/* The attributes of either side; one that the other side does not have differs in everything it has. */
static inline void compare_metrics(ee_buffer *differences, const ee_value *theirs, const ee_value *ours) {
  for (const ee_value *attribute = ee_value_child(theirs); attribute != NULL; attribute = ee_value_next(attribute)) {
    const ee_value *other = ee_value_member(ours, ee_value_key(attribute), NULL);
    for (size_t i = 0; i < METRICS; i++) {
      const ee_value *value = member(other, metric_names[i]);
      if (same_value(member(attribute, metric_names[i]), value)) continue;
      char name[128];
      snprintf(name, sizeof name, "%s.", attribute->json.string);
      add_difference(differences, name, metric_names[i], value);
    }
  }
  for (const ee_value *attribute = ee_value_child(ours); attribute != NULL; attribute = ee_value_next(attribute)) {
    if (ee_value_member(theirs, ee_value_key(attribute), NULL) != NULL) continue;
    for (size_t i = 0; i < METRICS; i++) {
      const ee_value *value = member(attribute, metric_names[i]);
      if (value == NULL) continue;
      char name[128];
      snprintf(name, sizeof name, "%s.", attribute->json.string);
      add_difference(differences, name, metric_names[i], value);
    }
  }
}

static inline void compare_average(ee_buffer *differences, ee_arena *arena, const ee_value *summary, const char *name,
                                   ee_metric ours) {
  compare(differences, name, member(summary, name), ours.defined ? ee_value_new_number(arena, ours.value) : NULL);
}

/* Their totals and averages over attributes, from our counts. */
static inline void compare_summary(ee_buffer *differences, ee_arena *arena, const ee_value *summary,
                                   const ee_value *metrics) {
  ee_counts counts[16], sum = {0};
  size_t count = 0;
  for (const ee_value *one = ee_value_child(metrics); one != NULL; one = ee_value_next(one)) {
    assert_true(count < sizeof counts / sizeof *counts);
    counts[count] = (ee_counts){.tp = (uint64_t)ee_value_number(member(one, "tp")),
                                .tn = (uint64_t)ee_value_number(member(one, "tn")),
                                .fp = (uint64_t)ee_value_number(member(one, "fp")),
                                .fn = (uint64_t)ee_value_number(member(one, "fn"))};
    ee_counts_add(&sum, &counts[count++]);
  }
  if (member(summary, "total_tp") != NULL) {
    compare_count(differences, arena, "total_tp", member(summary, "total_tp"), sum.tp);
    compare_count(differences, arena, "total_tn", member(summary, "total_tn"), sum.tn);
    compare_count(differences, arena, "total_fp", member(summary, "total_fp"), sum.fp);
    compare_count(differences, arena, "total_fn", member(summary, "total_fn"), sum.fn);
    ee_averages macro = ee_macro(counts, count);
    compare_average(differences, arena, summary, "macro_precision", macro.precision);
    compare_average(differences, arena, summary, "macro_recall", macro.recall);
  }
  compare_average(differences, arena, summary, "macro_f1", ee_macro(counts, count).f1);
}

static inline void compare_alignment(ee_buffer *differences, ee_arena *arena, const ee_value *theirs,
                                     const ee_value *ours) {
  const ee_value *pairs = member(theirs, "alignment"), *our_pairs = member(ours, "alignment");
  const ee_value *a = ee_value_child(pairs), *b = ee_value_child(our_pairs);
  bool same = ee_value_count(pairs) == ee_value_count(our_pairs);
  for (; same && a != NULL; a = ee_value_next(a), b = ee_value_next(b)) {
    same = same_value(member(a, "expectedIdx"), member(b, "expected")) &&
           same_value(member(a, "parsedIdx"), member(b, "candidate")) &&
           same_value(member(a, "similarity"), member(b, "similarity"));
  }
  if (!same) add_difference(differences, "alignment", "", our_pairs);
  const ee_value *items = member(ours, "items"), *summary = member(theirs, "summary");
  size_t matched = (size_t)ee_value_number(member(items, "matched"));
  size_t missing = (size_t)ee_value_number(member(items, "missing"));
  size_t extra = (size_t)ee_value_number(member(items, "extra"));
  compare_count(differences, arena, "matched", member(summary, "matched_count"), matched);
  compare_count(differences, arena, "expected", member(summary, "expected_count"), matched + missing);
  compare_count(differences, arena, "parsed", member(summary, "parsed_count"), matched + extra);
  size_t unmatched = ee_value_count(member(theirs, "unmatched_expected"));
  if (unmatched != missing) add_difference(differences, "missing", "", member(items, "missing"));
  size_t unmatched_parsed = ee_value_count(member(theirs, "unmatched_parsed"));
  if (unmatched_parsed != extra) add_difference(differences, "extra", "", member(items, "extra"));
}

/* Fails when `object` has a member that is not listed, so that nothing of a row is passed over. */
static inline void assert_known_members(const ee_value *object, const char *const *names, size_t count) {
  for (const ee_value *one = object == NULL ? NULL : ee_value_child(object); one != NULL; one = ee_value_next(one)) {
    bool known = false;
    for (size_t i = 0; i < count && !known; i++) known = ee_str_is(ee_value_key(one), names[i]);
    if (!known) fail_msg("'%s' is not compared", one->json.string);
  }
}

/* The one of the `count` deviations that is about row `id`, or NULL. */
static inline const deviation *deviation_of(const deviation *deviations, size_t count, const char *id) {
  for (size_t i = 0; i < count; i++) {
    if (strcmp(deviations[i].id, id) == 0) return &deviations[i];
  }
  return NULL;
}

/* The rows of the data file `path`, 200 at most; in `arena`. */
static inline const ee_value **read_rows(const char *path, ee_arena *arena, size_t *count) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  const ee_value **rows = EE_NEW_ARRAY(arena, const ee_value *, 200);
  char *line = NULL;
  size_t capacity = 0;
  ssize_t length;
  *count = 0;
  while ((length = getline(&line, &capacity, file)) > 0) {
    assert_true(*count < 200);
    rows[(*count)++] = read_json(arena, (ee_str){line, (size_t)length});
  }
  free(line);
  fclose(file);
  return rows;
}

#endif
