/* tree_twin.h: ee.tree again, slow and obvious, for tests to compare with.
 *
 * Written from the definition alone, on the documents themselves. Arrays are paired by trying all pairings. Where
 * several are equally good and give different results, `ambiguous` says so: which of them is taken is not part of the
 * definition. It knows the rules that twin_rules_print() prints, and no others. */
#ifndef EE_TESTS_JUDGE_TREE_TWIN_H
#define EE_TESTS_JUDGE_TREE_TWIN_H

#include <math.h>
#include <stdio.h>

#include "data/json/json_equal.h"
#include "judge/plan_fixture.h"

/* Rules ----------------------------------------------------------------------------------------- */

typedef struct twin_rules {
  const char *aggregate; /* "leaves", "mean", "union" */
  const char *method;    /* "optimal", "greedy", "set", "key" (by "id"), "index" */
  double threshold;      /* of optimal and greedy */
  double clip;
  bool clip_unmatched;
  const char *tn;            /* "score", "skip", "either" */
  const char *on_unexpected; /* "fail", "skip", "pass" */
  bool null_is_value;
  bool mixed;   /* compared by ee.exact, as JSON: always different */
  bool weights; /* a: 3, *.b: 0.5, c[*]: 0 */
} twin_rules;

/* Strings by edit distance, graded, from 0.5; numbers within 1; `k` at any depth and all else exactly, `d` not at all.
 */
static inline void twin_rules_print(const twin_rules *rules, ee_buffer *out) {
  ee_buffer_addf(
      out,
      "{\"ee\":\"rules\",\"items\":[{\"ee\":\"tree\",\"leaves\":{\"string\":{\"ee\":\"fuzzy\",\"threshold\":0.5,"
      "\"score\":\"similarity\",\"normalize\":[]},\"number\":{\"ee\":\"numeric\",\"tolerance\":1},\"*.k\":{"
      "\"ee\":\"exact\"},\"d\":{\"ee\":\"ignore\"},\"default\":{\"ee\":\"exact\"}%s},",
      rules->mixed ? ",\"mixed\":{\"ee\":\"exact\"}" : "");
  if (strcmp(rules->method, "key") == 0)
    ee_buffer_add_text(out, "\"arrays\":{\"items\":[\"key\"],\"key\":\"id\"},");
  else if (rules->threshold > 0)
    ee_buffer_addf(out, "\"arrays\":{\"items\":[\"%s\"],\"threshold\":%g},", rules->method, rules->threshold);
  else
    ee_buffer_addf(out, "\"arrays\":\"%s\",", rules->method);
  if (rules->weights) ee_buffer_add_text(out, "\"weights\":{\"a\":3,\"*.b\":0.5,\"c[*]\":0},");
  ee_buffer_addf(out,
                 "\"aggregate\":\"%s\",\"clip\":%g,\"clip_unmatched\":%s,\"tn\":\"%s\",\"on_unexpected\":\"%s\","
                 "\"null\":\"%s\"}]}",
                 rules->aggregate, rules->clip, rules->clip_unmatched ? "true" : "false", rules->tn,
                 rules->on_unexpected, rules->null_is_value ? "value" : "absent");
}

/* Results --------------------------------------------------------------------------------------- */

enum { TWIN_RIGHT, TWIN_WRONG, TWIN_MISSING, TWIN_SPURIOUS, TWIN_NOTHING, TWIN_CLASSES };

typedef struct twin_sum {
  double sum, size;
  int counts[TWIN_CLASSES];
  bool ambiguous;
} twin_sum;

static inline double twin_score(const twin_sum *sum) { return sum->size <= 0 ? 1 : sum->sum / sum->size; }

static inline bool twin_near(double a, double b) { return fabs(a - b) < 1e-9; }

static inline bool twin_same(const twin_sum *a, const twin_sum *b) {
  return twin_near(a->sum, b->sum) && twin_near(a->size, b->size) &&
         memcmp(a->counts, b->counts, sizeof a->counts) == 0;
}

static inline void twin_add(twin_sum *to, const twin_sum *from) {
  to->sum += from->sum;
  to->size += from->size;
  for (int i = 0; i < TWIN_CLASSES; i++) to->counts[i] += from->counts[i];
  to->ambiguous = to->ambiguous || from->ambiguous;
}

/* Places ---------------------------------------------------------------------------------------- */

typedef struct twin_place {
  char path[200];
  double leaf_weight; /* inherited */
  double weight;      /* its own */
} twin_place;

static inline twin_place twin_root(void) { return (twin_place){.leaf_weight = 1, .weight = 1}; }

static inline bool twin_ends(const char *path, const char *key) {
  size_t length = strlen(path), end = strlen(key);
  if (length < end || strcmp(path + length - end, key) != 0) return false;
  return length == end || path[length - end - 1] == '.';
}

static inline twin_place twin_step(const twin_rules *rules, const twin_place *from, const char *key) {
  twin_place place = *from;
  place.weight = 1;
  size_t length = strlen(place.path);
  if (key == NULL)
    snprintf(place.path + length, sizeof place.path - length, "[*]");
  else
    snprintf(place.path + length, sizeof place.path - length, "%s%s", length > 0 ? "." : "", key);
  if (!rules->weights) return place;
  double own = -1;
  if (strcmp(place.path, "a") == 0)
    own = 3;
  else if (strcmp(place.path, "c[*]") == 0)
    own = 0;
  else if (twin_ends(place.path, "b"))
    own = 0.5;
  if (own >= 0) place.weight = place.leaf_weight = own;
  return place;
}

static inline bool twin_ignored(const twin_place *place) { return strcmp(place->path, "d") == 0; }
static inline bool twin_by_path(const twin_place *place) { return twin_ends(place->path, "k"); }

/* Leaves ---------------------------------------------------------------------------------------- */

static inline int twin_type(const ee_value *value) {
  ee_type type = ee_type_of(value);
  return type == EE_TRUE ? (int)EE_FALSE : (int)type;
}

static inline bool twin_empty(const twin_rules *rules, const ee_value *value) {
  if (value == NULL) return true;
  if (rules->null_is_value) return false;
  if (ee_type_of(value) == EE_NULL) return true;
  return ee_type_of(value) == EE_STRING && strspn(value->json.valuestring, " ") == value->length;
}

static inline double twin_similarity(const char *a, const char *b) {
  size_t n = strlen(a), m = strlen(b), table[20][20];
  for (size_t i = 0; i <= n; i++)
    for (size_t k = 0; k <= m; k++) {
      size_t best = i == 0 ? k : k == 0 ? i : table[i - 1][k - 1] + (a[i - 1] != b[k - 1]);
      if (i > 0 && table[i - 1][k] + 1 < best) best = table[i - 1][k] + 1;
      if (k > 0 && table[i][k - 1] + 1 < best) best = table[i][k - 1] + 1;
      table[i][k] = best;
    }
  size_t longer = n > m ? n : m;
  return longer == 0 ? 1 : 1 - (double)table[n][m] / (double)longer;
}

static inline bool twin_same_value(const twin_rules *rules, const ee_value *e, const ee_value *c) {
  return rules->null_is_value ? ee_json_equal(e, c) : ee_value_equal(e, c);
}

/* The score of two values that are both there, and whether they match. */
static inline double twin_compare(const twin_rules *rules, const twin_place *place, const ee_value *e,
                                  const ee_value *c, bool *matched) {
  bool same = twin_same_value(rules, e, c);
  *matched = same;
  if (same) return 1;
  if (twin_by_path(place)) return 0;
  if (twin_type(e) != twin_type(c) && rules->mixed) return 0;
  if (ee_type_of(e) == EE_STRING && ee_type_of(c) == EE_STRING) {
    double similarity = twin_similarity(e->json.valuestring, c->json.valuestring);
    *matched = similarity >= 0.5 - 1e-12;
    return similarity;
  }
  bool is_text = ee_type_of(c) == EE_STRING && strcmp(c->json.valuestring, "5") == 0;
  if (ee_type_of(e) == EE_NUMBER && (ee_type_of(c) == EE_NUMBER || is_text)) {
    *matched = fabs(ee_value_number(e) - (is_text ? 5 : ee_value_number(c))) <= 1;
    return *matched ? 1 : 0;
  }
  return 0;
}

static inline twin_sum twin_leaf(const twin_rules *rules, const twin_place *place, const ee_value *e,
                                 const ee_value *c) {
  twin_sum result = {.sum = 0};
  bool no_e = twin_empty(rules, e), no_c = twin_empty(rules, c), scored = true;
  double score = 0;
  if (no_e && no_c) {
    if (e != NULL) result.counts[TWIN_NOTHING]++;
    score = 1;
    scored = strcmp(rules->tn, "either") == 0 || (strcmp(rules->tn, "score") == 0 && e != NULL);
  } else if (no_e) {
    result.counts[TWIN_SPURIOUS]++;
    scored = strcmp(rules->on_unexpected, "skip") != 0;
    score = strcmp(rules->on_unexpected, "pass") == 0 ? 1 : 0;
  } else if (no_c) {
    result.counts[TWIN_MISSING]++;
  } else {
    bool matched;
    score = twin_compare(rules, place, e, c, &matched);
    result.counts[matched ? TWIN_RIGHT : TWIN_WRONG]++;
    if (score < rules->clip - 1e-12 || (rules->clip_unmatched && !matched)) score = 0;
  }
  if (!scored) return result;
  result.sum = place->leaf_weight * score;
  result.size = place->leaf_weight;
  return result;
}

/* Recursion ------------------------------------------------------------------------------------- */

static inline twin_sum twin_tree(const twin_rules *rules, twin_place place, const ee_value *e, const ee_value *c);

/* What is left of a value where parts of it are ignored; a value of which nothing is left is ignored itself. */
static inline bool twin_is_there(const twin_rules *rules, const twin_place *place, const ee_value *value) {
  if (value == NULL || twin_ignored(place)) return false;
  if (ee_type_of(value) < EE_ARRAY || ee_value_count(value) == 0 || twin_by_path(place)) return true;
  for (const ee_value *child = ee_value_child(value); child != NULL; child = ee_value_next(child)) {
    twin_place inner = twin_step(rules, place, ee_type_of(value) == EE_OBJECT ? child->json.string : NULL);
    if (twin_is_there(rules, &inner, child)) return true;
  }
  return false;
}

static inline bool twin_has_children(const twin_place *place, const ee_value *value) {
  return value != NULL && ee_type_of(value) >= EE_ARRAY && ee_value_count(value) > 0 && !twin_by_path(place);
}

/* All leaves of a value: their number by weight, and whether all that weigh something are empty. */
static inline void twin_count(const twin_rules *rules, twin_place place, const ee_value *value, double *weights,
                              bool *all_empty) {
  if (!twin_is_there(rules, &place, value)) return;
  if (!twin_has_children(&place, value)) {
    *weights += place.leaf_weight;
    *all_empty = *all_empty && (twin_empty(rules, value) || place.leaf_weight == 0);
    return;
  }
  for (const ee_value *child = ee_value_child(value); child != NULL; child = ee_value_next(child))
    twin_count(rules, twin_step(rules, &place, ee_type_of(value) == EE_OBJECT ? child->json.string : NULL), child,
               weights, all_empty);
}

static inline bool twin_by_leaves(const twin_rules *rules) { return strcmp(rules->aggregate, "leaves") == 0; }

/* A value that only one side has. */
static inline twin_sum twin_alone(const twin_rules *rules, twin_place place, const ee_value *value, bool expected) {
  twin_sum result = {.sum = 0};
  if (!twin_is_there(rules, &place, value)) return result;
  if (!twin_has_children(&place, value))
    return twin_leaf(rules, &place, expected ? value : NULL, expected ? NULL : value);
  for (const ee_value *child = ee_value_child(value); child != NULL; child = ee_value_next(child)) {
    twin_place inner = twin_step(rules, &place, ee_type_of(value) == EE_OBJECT ? child->json.string : NULL);
    twin_sum sum = twin_alone(rules, inner, child, expected);
    twin_add(&result, &sum);
  }
  if (twin_by_leaves(rules)) return result;
  /* One child of its parent, that is not there. */
  double weights = 0;
  bool all_empty = true;
  twin_count(rules, place, value, &weights, &all_empty);
  result.sum = 0;
  result.size = weights > 0 ? 1 : 0;
  if (weights <= 0) return result;
  if (all_empty) {
    result.sum = 1;
    if (strcmp(rules->tn, "skip") == 0 || (strcmp(rules->tn, "score") == 0 && !expected)) result.sum = result.size = 0;
  } else if (!expected && strcmp(rules->on_unexpected, "skip") == 0) {
    result.size = 0;
  } else if (!expected && strcmp(rules->on_unexpected, "pass") == 0) {
    result.sum = 1;
  }
  return result;
}

/* Adds a child to the mean of its parent. */
static inline void twin_child(const twin_rules *rules, twin_sum *to, const twin_sum *child, double weight) {
  if (twin_by_leaves(rules)) {
    twin_add(to, child);
    return;
  }
  twin_sum one = *child;
  double score = twin_score(child);
  bool scored = child->size > 0 && weight > 0;
  one.sum = scored ? weight * score : 0;
  one.size = scored ? weight : 0;
  twin_add(to, &one);
}

static inline twin_sum twin_close(const twin_rules *rules, twin_sum total) {
  if (twin_by_leaves(rules)) return total;
  double score = twin_score(&total);
  total.sum = total.size > 0 ? score : 0;
  total.size = total.size > 0 ? 1 : 0;
  return total;
}

/* Arrays ---------------------------------------------------------------------------------------- */

enum { TWIN_ITEMS = 6 };

typedef struct twin_arrays {
  const twin_rules *rules;
  twin_place place; /* of the items */
  const ee_value *e[TWIN_ITEMS], *c[TWIN_ITEMS];
  int rows, columns;
  twin_sum pairs[TWIN_ITEMS][TWIN_ITEMS];
  int column_of[TWIN_ITEMS];
  bool used[TWIN_ITEMS];
  bool any;
  double best;
  twin_sum result;
} twin_arrays;

/* What the array scores by the pairs chosen. */
static inline twin_sum twin_array_sum(const twin_arrays *a) {
  twin_sum total = {.sum = 0}, lone[2] = {{.sum = 0}, {.sum = 0}};
  for (int i = 0; i < a->rows; i++) {
    if (a->column_of[i] >= 0) {
      twin_child(a->rules, &total, &a->pairs[i][a->column_of[i]], 1);
    } else {
      twin_sum sum = twin_alone(a->rules, a->place, a->e[i], true);
      twin_child(a->rules, &lone[0], &sum, 1);
    }
  }
  for (int k = 0; k < a->columns; k++) {
    if (a->used[k]) continue;
    twin_sum sum = twin_alone(a->rules, a->place, a->c[k], false);
    twin_child(a->rules, &lone[1], &sum, 1);
  }
  double sizes[2] = {lone[0].size, lone[1].size};
  if (strcmp(a->rules->aggregate, "mean") == 0) {
    double larger = fmax(sizes[0], sizes[1]);
    lone[0].size = larger;
    lone[1].size = 0;
  }
  twin_add(&total, &lone[0]);
  twin_add(&total, &lone[1]);
  if (total.sum > total.size) total.sum = total.size;
  return twin_close(a->rules, total);
}

static inline void twin_take(twin_arrays *a, double total) {
  twin_sum sum = twin_array_sum(a);
  if (!a->any || total > a->best + 1e-9) {
    a->any = true;
    a->best = total;
    a->result = sum;
  } else if (total > a->best - 1e-9) {
    if (!twin_same(&sum, &a->result)) a->result.ambiguous = true;
    a->result.ambiguous = a->result.ambiguous || sum.ambiguous;
  }
}

/* All pairings; `complete`: of as many pairs as possible. */
static inline void twin_try(twin_arrays *a, int row, int made, double total, double threshold, bool complete) {
  if (row == a->rows) {
    int most = a->rows < a->columns ? a->rows : a->columns;
    if (!complete || made == most) twin_take(a, total);
    return;
  }
  a->column_of[row] = -1;
  twin_try(a, row + 1, made, total, threshold, complete);
  for (int k = 0; k < a->columns; k++) {
    double score = twin_score(&a->pairs[row][k]);
    if (a->used[k] || (!complete && (score <= 0 || score < threshold - 1e-12))) continue;
    a->used[k] = true;
    a->column_of[row] = k;
    twin_try(a, row + 1, made + 1, total + score, threshold, complete);
    a->used[k] = false;
    a->column_of[row] = -1;
  }
}

/* The best remaining pair first; equally good ones are ambiguous unless they are of equal values. */
static inline void twin_greedy(twin_arrays *a, double threshold) {
  bool ambiguous = false;
  for (;;) {
    int row = -1, column = -1;
    double best = -1;
    for (int i = 0; i < a->rows; i++)
      for (int k = 0; k < a->columns; k++) {
        double score = twin_score(&a->pairs[i][k]);
        if (a->column_of[i] >= 0 || a->used[k] || (threshold > 0 && score < threshold - 1e-12)) continue;
        if (row >= 0 && twin_near(score, best)) ambiguous = true;
        if (score <= best + 1e-9) continue;
        best = score;
        row = i;
        column = k;
      }
    if (row < 0) break;
    a->column_of[row] = column;
    a->used[column] = true;
  }
  a->result = twin_array_sum(a);
  a->result.ambiguous = a->result.ambiguous || ambiguous;
}

static inline void twin_index(twin_arrays *a) {
  for (int i = 0; i < a->rows && i < a->columns; i++) {
    a->column_of[i] = i;
    a->used[i] = true;
  }
  a->result = twin_array_sum(a);
}

/* Whether two values are the same but for the order of keys and of the items of arrays. */
static inline bool twin_equal(const twin_rules *rules, twin_place place, const ee_value *e, const ee_value *c) {
  bool there = twin_is_there(rules, &place, e);
  if (there != twin_is_there(rules, &place, c)) return false;
  if (!there) return true;
  if (twin_has_children(&place, e) != twin_has_children(&place, c)) return false;
  if (!twin_has_children(&place, e)) {
    if (twin_empty(rules, e) || twin_empty(rules, c)) return twin_empty(rules, e) && twin_empty(rules, c);
    return twin_same_value(rules, e, c);
  }
  if (ee_type_of(e) != ee_type_of(c)) return false;
  bool is_object = ee_type_of(e) == EE_OBJECT, used[16] = {false};
  size_t left = 0, right = 0;
  for (const ee_value *child = ee_value_child(c); child != NULL; child = ee_value_next(child)) {
    twin_place inner = twin_step(rules, &place, is_object ? child->json.string : NULL);
    right += twin_is_there(rules, &inner, child);
  }
  for (const ee_value *child = ee_value_child(e); child != NULL; child = ee_value_next(child)) {
    twin_place inner = twin_step(rules, &place, is_object ? child->json.string : NULL);
    if (!twin_is_there(rules, &inner, child)) continue;
    left++;
    bool found = false;
    size_t at = 0;
    for (const ee_value *other = ee_value_child(c); other != NULL && !found; other = ee_value_next(other), at++) {
      if (used[at] || (is_object && strcmp(child->json.string, other->json.string) != 0)) continue;
      found = twin_equal(rules, inner, child, other);
      if (found) used[at] = true;
    }
    if (!found) return false;
  }
  return left == right;
}

/* Equal items, then equal keys; several of one key are ambiguous. */
static inline void twin_key(twin_arrays *a) {
  bool ambiguous = false;
  for (int i = 0; i < a->rows; i++) {
    for (int k = 0; k < a->columns && a->column_of[i] < 0; k++) {
      if (a->used[k] || !twin_equal(a->rules, a->place, a->e[i], a->c[k])) continue;
      a->column_of[i] = k;
      a->used[k] = true;
    }
  }
  for (int i = 0; i < a->rows; i++) {
    const ee_value *key = ee_value_member(a->e[i], EE_STR("id"), NULL);
    if (a->column_of[i] >= 0 || twin_empty(a->rules, key)) continue;
    for (int k = 0; k < a->columns; k++) {
      const ee_value *other = ee_value_member(a->c[k], EE_STR("id"), NULL);
      if (twin_empty(a->rules, other) || !ee_value_equal(key, other)) continue;
      if (a->used[k] || a->column_of[i] >= 0) {
        ambiguous = true;
        continue;
      }
      a->column_of[i] = k;
      a->used[k] = true;
    }
  }
  a->result = twin_array_sum(a);
  a->result.ambiguous = a->result.ambiguous || ambiguous;
}

static inline twin_sum twin_array(const twin_rules *rules, const twin_place *place, const ee_value *e,
                                  const ee_value *c) {
  twin_arrays a = {.rules = rules, .place = twin_step(rules, place, NULL)};
  for (const ee_value *item = ee_value_child(e); item != NULL; item = ee_value_next(item))
    if (twin_is_there(rules, &a.place, item)) a.e[a.rows++] = item;
  for (const ee_value *item = ee_value_child(c); item != NULL; item = ee_value_next(item))
    if (twin_is_there(rules, &a.place, item)) a.c[a.columns++] = item;
  bool ambiguous = false;
  for (int i = 0; i < a.rows; i++) {
    a.column_of[i] = -1;
    for (int k = 0; k < a.columns; k++) {
      a.pairs[i][k] = twin_tree(rules, a.place, a.e[i], a.c[k]);
      ambiguous = ambiguous || a.pairs[i][k].ambiguous;
    }
  }
  bool set = strcmp(rules->method, "set") == 0;
  double threshold = set ? 1 : rules->threshold;
  if (strcmp(rules->method, "index") == 0)
    twin_index(&a);
  else if (strcmp(rules->method, "key") == 0)
    twin_key(&a);
  else if (strcmp(rules->method, "greedy") == 0)
    twin_greedy(&a, threshold);
  else
    twin_try(&a, 0, 0, 0, threshold, threshold == 0);
  a.result.ambiguous = a.result.ambiguous || ambiguous;
  return a.result;
}

/* Any two values -------------------------------------------------------------------------------- */

static inline twin_sum twin_object(const twin_rules *rules, const twin_place *place, const ee_value *e,
                                   const ee_value *c) {
  twin_sum total = {.sum = 0};
  for (const ee_value *member = ee_value_child(e); member != NULL; member = ee_value_next(member)) {
    twin_place inner = twin_step(rules, place, member->json.string);
    twin_sum sum = twin_tree(rules, inner, member, ee_value_member(c, ee_value_key(member), NULL));
    twin_child(rules, &total, &sum, inner.weight);
  }
  for (const ee_value *member = ee_value_child(c); member != NULL; member = ee_value_next(member)) {
    if (ee_value_member(e, ee_value_key(member), NULL) != NULL) continue;
    twin_place inner = twin_step(rules, place, member->json.string);
    twin_sum sum = twin_alone(rules, inner, member, false);
    twin_child(rules, &total, &sum, inner.weight);
  }
  return twin_close(rules, total);
}

static inline twin_sum twin_tree(const twin_rules *rules, twin_place place, const ee_value *e, const ee_value *c) {
  if (!twin_is_there(rules, &place, e)) e = NULL;
  if (!twin_is_there(rules, &place, c)) c = NULL;
  bool inner_e = twin_has_children(&place, e), inner_c = twin_has_children(&place, c);
  if (e == NULL || c == NULL) {
    twin_sum none = {.sum = 0};
    return e != NULL ? twin_alone(rules, place, e, true) : c != NULL ? twin_alone(rules, place, c, false) : none;
  }
  bool unlike = twin_type(e) != twin_type(c);
  if (unlike && rules->mixed && !twin_by_path(&place) && !twin_empty(rules, e) && !twin_empty(rules, c))
    return twin_leaf(rules, &place, e, c);
  if (!inner_e && !inner_c) return twin_leaf(rules, &place, e, c);
  if (!inner_e && (twin_empty(rules, e) || !unlike)) return twin_alone(rules, place, c, false);
  if (!inner_c && (twin_empty(rules, c) || !unlike)) return twin_alone(rules, place, e, true);
  if (unlike) {
    twin_sum left = twin_alone(rules, place, e, true), right = twin_alone(rules, place, c, false);
    double sizes[2] = {0, 0};
    bool all_empty = true;
    twin_count(rules, place, e, &sizes[0], &all_empty);
    twin_count(rules, place, c, &sizes[1], &all_empty);
    twin_add(&left, &right);
    left.sum = 0;
    left.size = fmax(sizes[0], sizes[1]);
    if (!twin_by_leaves(rules) && left.size > 0) left.size = 1;
    return left;
  }
  return ee_type_of(e) == EE_OBJECT ? twin_object(rules, &place, e, c) : twin_array(rules, &place, e, c);
}

#endif
