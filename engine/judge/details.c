/* details.c: the JSON of judges' results, straight into the output buffer. */
#include "judge/details.h"

#include "judge/confidence.h"
#include "judge/error_kind.h"
#include "judge/judge.h"
#include "judge/outcome.h"

#define ADD(out, literal) EE_JSON_ADD(out, literal)

/* Pieces --------------------------------------------------------------------------------------- */

void ee_details_add_reason(const ee_reason *reason, ee_arena *scratch, ee_buffer *out) {
  ee_buffer_add_char(out, '"');
  size_t from = out->length;
  ee_reason_print(reason, out);
  ee_json_escape_since(out, from, scratch);
  ee_buffer_add_char(out, '"');
}

static void add_finding(const ee_finding *finding, ee_arena *scratch, ee_buffer *out) {
  ee_buffer_add_char(out, '"');
  size_t from = out->length;
  ee_finding_print(finding, out);
  ee_json_escape_since(out, from, scratch);
  ee_buffer_add_char(out, '"');
}

ee_byte_range ee_details_add_findings(const ee_finding *findings, size_t count, bool *any, ee_arena *scratch,
                                      ee_buffer *out) {
  ee_byte_range range = {out->length, out->length};
  for (size_t i = 0; i < count; i++) {
    if (*any) ee_buffer_add_char(out, ',');
    *any = true;
    if (i == 0) range.from = out->length;
    add_finding(&findings[i], scratch, out);
  }
  range.to = out->length;
  return range;
}

void ee_details_add_verdict(ee_verdict verdict, ee_buffer *out) {
  ADD(out, ",\"verdict\":\"");
  ee_buffer_add_text(out, ee_verdict_name(verdict));
  ee_buffer_add_char(out, '"');
}

static void add_metric(ee_buffer *out, const char *key, size_t key_length, ee_metric metric) {
  if (!metric.defined) return;
  ee_buffer_add(out, key, key_length);
  ee_json_write_score(out, metric.value);
}
#define ADD_METRIC(out, name, metric) add_metric((out), ",\"" name "\":", sizeof(",\"" name "\":") - 1, (metric))

/* Adds a count that is not 0. */
static void add_count(ee_buffer *out, const char *key, size_t key_length, uint64_t count) {
  if (count == 0) return;
  ee_buffer_add(out, key, key_length);
  ee_json_write_count(out, count);
}
#define ADD_COUNT(out, name, count) add_count((out), ",\"" name "\":", sizeof(",\"" name "\":") - 1, (count))

static bool is_derived(const ee_judge *judge, const ee_attribute_result *attribute) {
  size_t slot = (size_t)attribute->slot;
  return attribute->slot >= 0 && slot < judge->attribute_count && judge->attributes[slot].derived;
}

/* Whether all values of an attribute are right, as most are. */
static bool is_all_right(const ee_counts *counts) {
  uint64_t others = counts->tn | counts->fp | counts->fn | counts->wrong | counts->unread | counts->unread_candidates;
  return counts->tp > 0 && others == 0;
}

/* The counts of one value that is right. */
#define RIGHT_COUNTS ":{\"tp\":1,\"tn\":0,\"fp\":0,\"fn\":0,\"precision\":1,\"recall\":1,\"f1\":1}"

const ee_str *ee_details_prepare(const ee_judge *judge, ee_arena *arena) {
  ee_str *members = EE_NEW_ARRAY(arena, ee_str, judge->attribute_count);
  ee_buffer text = {0};
  for (size_t i = 0; i < judge->attribute_count; i++) {
    ee_buffer_clear(&text);
    ee_json_write_string(&text, judge->attributes[i].name);
    ADD(&text, RIGHT_COUNTS);
    members[i] = (ee_str){ee_arena_copy(arena, text.data, text.length), text.length};
  }
  ee_buffer_fini(&text);
  return members;
}

/* Whether an attribute that is not derived has one value, which is right. */
static bool is_one_right(const ee_judge *judge, const ee_attribute_result *attribute) {
  return attribute->counts.tp == 1 && is_all_right(&attribute->counts) && !is_derived(judge, attribute);
}

/* The counts of an attribute, after its name. */
static void add_counts(const ee_judge *judge, const ee_attribute_result *attribute, ee_buffer *out) {
  const ee_counts *counts = &attribute->counts;
  bool is_right = is_all_right(counts);
  if (is_one_right(judge, attribute)) {
    ADD(out, RIGHT_COUNTS);
    return;
  }
  ADD(out, ":{\"tp\":");
  ee_json_write_count(out, counts->tp);
  if (is_right) {
    ADD(out, ",\"tn\":0,\"fp\":0,\"fn\":0,\"precision\":1,\"recall\":1,\"f1\":1");
  } else {
    ADD(out, ",\"tn\":");
    ee_json_write_count(out, counts->tn);
    ADD(out, ",\"fp\":");
    ee_json_write_count(out, counts->fp);
    ADD(out, ",\"fn\":");
    ee_json_write_count(out, counts->fn);
    if (!judge->brings_counts) {
      ADD_COUNT(out, "incorrect", counts->wrong);
      ADD_COUNT(out, "spurious", counts->fp - counts->wrong);
    }
    ADD_COUNT(out, "unread", counts->unread);
    ADD_COUNT(out, "unread_candidates", counts->unread_candidates);
    ADD_METRIC(out, "precision", ee_precision(counts));
    ADD_METRIC(out, "recall", ee_recall(counts));
    ADD_METRIC(out, "f1", ee_f1(counts));
  }
  if (is_derived(judge, attribute)) ADD(out, ",\"derived\":true");
  ee_buffer_add_char(out, '}');
}

/* An attribute with its name. */
static void add_member(const ee_judge *judge, const ee_attribute_result *attribute, ee_buffer *out) {
  if (judge->right_members == NULL || attribute->slot < 0 || (size_t)attribute->slot >= judge->attribute_count) {
    ee_json_write_string(out, attribute->name);
    add_counts(judge, attribute, out);
  } else if (is_one_right(judge, attribute)) {
    ee_buffer_add_str(out, judge->right_members[attribute->slot]);
  } else {
    ee_str member = judge->right_members[attribute->slot];
    ee_buffer_add(out, member.data, member.length - (sizeof RIGHT_COUNTS - 1));
    add_counts(judge, attribute, out);
  }
}

/* The attributes of a result: all that the judge declares, in its order and with zeros where the result has none, then
 * those of the data. */
typedef struct attribute_walk {
  const ee_judge_result *result;
  size_t slot;  /* the next of the judge's attributes */
  size_t at;    /* where it is in the result, if results keep the order */
  size_t other; /* the next attribute of the result that may be of the data */
  ee_attribute_result none;
} attribute_walk;

/* NULL at the end. Valid until the next call. */
static const ee_attribute_result *next_attribute(attribute_walk *walk) {
  const ee_judge_result *result = walk->result;
  const ee_judge *judge = result->judge;
  if (walk->slot < judge->attribute_count) {
    size_t slot = walk->slot++;
    for (size_t k = 0; k < result->attribute_count; k++, walk->at++) {
      if (walk->at >= result->attribute_count) walk->at = 0;
      const ee_attribute_result *attribute = &result->attributes[walk->at];
      if (attribute->slot != (int32_t)slot) continue;
      walk->at++;
      return attribute;
    }
    walk->none = (ee_attribute_result){.name = judge->attributes[slot].name, .slot = (int32_t)slot};
    return &walk->none;
  }
  while (walk->other < result->attribute_count) {
    const ee_attribute_result *attribute = &result->attributes[walk->other++];
    if (attribute->slot < 0 || (size_t)attribute->slot >= judge->attribute_count) return attribute;
  }
  return NULL;
}

void ee_details_open(const ee_judge_result *result, ee_buffer *out) {
  ADD(out, "{\"metrics\":{");
  attribute_walk walk = {.result = result};
  bool any = false;
  for (const ee_attribute_result *attribute; (attribute = next_attribute(&walk)) != NULL; any = true) {
    if (any) ee_buffer_add_char(out, ',');
    add_member(result->judge, attribute, out);
  }
  ee_buffer_add_char(out, '}');
}

void ee_details_add_fallback(const ee_judge_result *result, ee_buffer *out) {
  if (result->fallbacks > 0) ADD(out, ",\"fallback\":\"greedy\"");
}

static void add_mismatch(const ee_mismatch *mismatch, ee_arena *scratch, ee_buffer *out) {
  ADD(out, "{\"path\":\"");
  size_t from = out->length;
  ee_finding_print_place(&mismatch->finding, out);
  bool is_path = ee_str_equal((ee_str){out->data + from, out->length - from}, mismatch->attribute);
  ee_json_escape_since(out, from, scratch);
  ee_buffer_add_char(out, '"');
  if (!is_path && mismatch->attribute.length > 0) {
    ADD(out, ",\"field\":");
    ee_json_write_string(out, mismatch->attribute);
  }
  if (mismatch->expected != NULL) {
    ADD(out, ",\"expected\":");
    ee_json_write_value(out, mismatch->expected);
  }
  if (mismatch->candidate != NULL) {
    ADD(out, ",\"candidate\":");
    ee_json_write_value(out, mismatch->candidate);
  }
  ADD(out, ",\"score\":");
  ee_json_write_score(out, mismatch->score);
  ADD(out, ",\"reason\":");
  ee_details_add_reason(&mismatch->finding.reason, scratch, out);
  ADD(out, ",\"class\":\"");
  ee_buffer_add_text(out, ee_class_name(mismatch->value_class));
  ee_buffer_add_char(out, '"');
  if (mismatch->kind != EE_ERROR_KIND_NONE) {
    ADD(out, ",\"kind\":\"");
    ee_buffer_add_text(out, ee_error_kind_name((ee_error_kind)mismatch->kind));
    ee_buffer_add_char(out, '"');
  }
  ee_buffer_add_char(out, '}');
}

/* {"path", "field", "document", "value", "strategy", "reason" (where there is more to say), "remedies"}. */
static void add_unread(const ee_unread *unread, ee_arena *scratch, ee_buffer *out) {
  ADD(out, "{\"path\":\"");
  size_t from = out->length;
  ee_finding_print_place(&unread->place, out);
  ee_json_escape_since(out, from, scratch);
  ADD(out, "\",\"field\":");
  ee_json_write_string(out, unread->attribute);
  ADD(out, ",\"document\":\"");
  ee_buffer_add_text(out, ee_document_side_name(unread->document));
  ADD(out, "\",\"value\":");
  ee_json_write_value(out, unread->value);
  ADD(out, ",\"strategy\":\"");
  ee_buffer_add_text(out, unread->strategy_name);
  ADD(out, "\"");
  if (unread->why != NULL) {
    ADD(out, ",\"reason\":");
    ee_json_write_string(out, ee_str_from(unread->why));
  }
  ADD(out, ",\"remedies\":[");
  bool any = false;
  for (unsigned i = 0; i < EE_REMEDY_LIMIT; i++) {
    if ((unread->remedies >> i & 1) == 0) continue;
    if (any) ee_buffer_add_char(out, ',');
    any = true;
    ee_json_write_string(out, ee_str_from(unread->known_remedies[i].option));
  }
  ADD(out, "]}");
}

/* Returns whether the list was cut. */
static bool add_unread_list(const ee_judge_result *result, ee_arena *scratch, ee_buffer *out) {
  if (result->unread_count == 0) return false;
  ADD(out, ",\"unread\":[");
  for (size_t i = 0; i < ee_details_shown(result, result->unread_count); i++) {
    if (i > 0) ee_buffer_add_char(out, ',');
    add_unread(&result->unread[i], scratch, out);
  }
  ee_buffer_add_char(out, ']');
  return result->unread_count > ee_details_limit(result->detail);
}

static void add_mismatches(const ee_judge_result *result, ee_arena *scratch, ee_buffer *out) {
  ADD(out, ",\"mismatches\":[");
  for (size_t i = 0; i < ee_details_shown(result, result->mismatch_count); i++) {
    if (i > 0) ee_buffer_add_char(out, ',');
    add_mismatch(&result->mismatches[i], scratch, out);
  }
  ee_buffer_add_char(out, ']');
}

/* What all details end with. */
static void add_end(const ee_judge_result *result, bool truncated, ee_arena *scratch, ee_buffer *out) {
  truncated |= add_unread_list(result, scratch, out);
  ee_confidences_write(result->confidences, out);
  if (result->vacuous) ADD(out, ",\"vacuous\":true");
  if (truncated || result->mismatch_count > ee_details_limit(result->detail)) ADD(out, ",\"truncated\":true");
  ee_buffer_add_char(out, '}');
}

void ee_details_close(const ee_judge_result *result, bool truncated, ee_arena *scratch, ee_buffer *out) {
  add_mismatches(result, scratch, out);
  add_end(result, truncated, scratch, out);
}

static void add_case_metrics(const ee_judge_result *result, ee_buffer *out) {
  const char *const *names = ee_judge_case_metrics(result->judge);
  for (size_t i = 0; names != NULL && names[i] != NULL; i++) {
    if (result->case_metrics[i] < 0) continue;
    ADD(out, ",\"");
    ee_buffer_add_text(out, names[i]);
    ADD(out, "\":");
    ee_json_write_score(out, result->case_metrics[i]);
  }
}

void ee_details_add_case_metrics(const ee_judge_result *result, ee_buffer *out) {
  if (result->case_metrics != NULL) add_case_metrics(result, out);
}

void ee_details_write_plain(const ee_judge_result *result, ee_arena *scratch, ee_buffer *out) {
  ee_details_open(result, out);
  ee_details_add_fallback(result, out);
  ee_details_add_case_metrics(result, out);
  ee_details_close(result, false, scratch, out);
}

/* Adds `outcomes` to the details that have been written, an object. */
static void add_outcomes(const ee_judge_result *result, ee_arena *scratch, ee_buffer *out) {
  out->length--; /* the closing brace */
  if (out->data[out->length - 1] != '{') ee_buffer_add_char(out, ',');
  ADD(out, "\"outcomes\":");
  ee_outcomes_write(result, scratch, out);
  if (result->outcomes_cut) ADD(out, ",\"outcomes_truncated\":true");
  ee_buffer_add_char(out, '}');
}

/* A judge and all about it --------------------------------------------------------------------- */

void ee_details_write(const ee_judge_result *result, ee_arena *scratch, ee_buffer *out) {
  const ee_judge_type *type = result->judge->type;
  if (type->write_details != NULL && !result->bare)
    type->write_details(result, scratch, out);
  else
    ee_details_write_plain(result, scratch, out);
  if (result->detail == EE_DETAIL_FULL) add_outcomes(result, scratch, out);
}

void ee_details_write_value(const ee_judge_result *result, ee_arena *scratch, ee_buffer *out) {
  (void)scratch;
  if (result->details != NULL)
    ee_json_write_value(out, result->details);
  else
    ADD(out, "{}");
}

/* The metrics of a judge whose details are its own: "case_metrics", and the names of those that are better when lower.
 */
static void add_declared_metrics(const ee_judge_result *result, ee_buffer *out) {
  const ee_declared_metrics *declared = result->judge->declared;
  if (declared == NULL || declared->metrics == NULL || result->case_metrics == NULL) return;
  ADD(out, ",\"case_metrics\":{");
  bool any = false;
  for (size_t i = 0; declared->metrics[i] != NULL; i++) {
    if (result->case_metrics[i] < 0) continue;
    if (any) ee_buffer_add_char(out, ',');
    any = true;
    ee_json_write_string(out, ee_str_from(declared->metrics[i]));
    ee_buffer_add_char(out, ':');
    ee_json_write_score(out, result->case_metrics[i]);
  }
  ee_buffer_add_char(out, '}');
  for (size_t i = 0; declared->lower_is_better != NULL && declared->lower_is_better[i] != NULL; i++) {
    ee_buffer_add_text(out, i == 0 ? ",\"lower_is_better\":[" : ",");
    ee_json_write_string(out, ee_str_from(declared->lower_is_better[i]));
    if (declared->lower_is_better[i + 1] == NULL) ee_buffer_add_char(out, ']');
  }
}

/* What is at `range` once more, or the findings where there is no range. */
static void add_again(const ee_byte_range *range, const ee_finding *findings, size_t count, ee_arena *scratch,
                      ee_buffer *out) {
  if (range == NULL) {
    bool any = false;
    ee_details_add_findings(findings, count, &any, scratch, out);
    return;
  }
  size_t length = range->to - range->from;
  if (length == 0) return;
  char *to = ee_buffer_reserve(out, length);
  memcpy(to, out->data + range->from, length);
  out->length += length;
}

void ee_details_write_judge(const ee_judge_result *result, size_t number, const ee_byte_range *hits,
                            const ee_byte_range *misses, ee_arena *scratch, ee_buffer *out) {
  ADD(out, "{\"name\":");
  ee_json_write_string(out, result->judge->name);
  ADD(out, ",\"type\":\"");
  ee_buffer_add_text(out, result->judge->type->name);
  ADD(out, "\",\"score\":");
  ee_json_write_score(out, result->score);
  if (result->formula.length > 0) {
    ADD(out, ",\"formula\":");
    ee_json_write_string(out, result->formula);
  }
  if (result->judge->number != number) {
    ADD(out, ",\"place\":");
    ee_json_write_count(out, result->judge->number + 1);
  }
  ADD(out, ",\"weight\":");
  ee_json_write_score(out, result->judge->weight);
  ee_details_add_verdict(result->verdict, out);
  ADD(out, ",\"hits\":[");
  add_again(hits, result->hits, result->hit_count, scratch, out);
  ADD(out, "],\"misses\":[");
  add_again(misses, result->misses, result->miss_count, scratch, out);
  ADD(out, "],\"reasoning\":");
  ee_json_write_string(out, result->reasoning);
  if (result->unscored) ADD(out, ",\"unscored\":true");
  if (result->failed) ADD(out, ",\"in_error\":true");
  if (result->judge->brings_counts) ADD(out, ",\"own_counts\":true");
  add_declared_metrics(result, out);
  ADD(out, ",\"details\":");
  ee_details_write(result, scratch, out);
  ee_buffer_add_char(out, '}');
}

/* A case as one judge of another one ----------------------------------------------------------- */

/* The attributes of all judges, "JUDGE/ATTRIBUTE" each. */
static void add_all_metrics(const ee_case_result *result, ee_buffer *out) {
  bool any = false;
  for (size_t i = 0; i < result->judge_count; i++) {
    const ee_judge_result *one = &result->judges[i];
    attribute_walk walk = {.result = one};
    for (const ee_attribute_result *attribute; (attribute = next_attribute(&walk)) != NULL; any = true) {
      if (any) ee_buffer_add_char(out, ',');
      ee_buffer_add_char(out, '"');
      ee_json_write_escaped(out, one->judge->name);
      ee_buffer_add_char(out, '/');
      ee_json_write_escaped(out, attribute->name);
      ee_buffer_add_char(out, '"');
      add_counts(one->judge, attribute, out);
    }
  }
}

void ee_details_write_case(const ee_case_result *result, ee_arena *scratch, ee_buffer *out) {
  if (result->judge_count == 1) {
    ee_details_write(&result->judges[0], scratch, out);
    return;
  }
  ADD(out, "{\"metrics\":{");
  add_all_metrics(result, out);
  ADD(out, "},\"evaluator_results\":[");
  for (size_t i = 0; i < result->judge_count; i++) {
    if (i > 0) ee_buffer_add_char(out, ',');
    ee_details_write_judge(&result->judges[i], i, NULL, NULL, scratch, out);
  }
  ADD(out, "]}");
}

/* Details as a tree ---------------------------------------------------------------------------- */

void ee_details_set(ee_details *details, ee_value *object, const char *key, ee_value *value) {
  ee_value_set(details->arena, object, ee_str_from(key), value);
}

void ee_details_set_number(ee_details *details, ee_value *object, const char *key, double number) {
  ee_details_set(details, object, key, ee_value_new_number(details->arena, number));
}

bool ee_details_have_room(ee_details *details, uint32_t shown) {
  if (shown < details->limit) return true;
  details->truncated = true;
  return false;
}

void ee_details_start(ee_details *details, ee_arena *arena, const ee_judge_result *result) {
  *details =
      (ee_details){.arena = arena, .tree = ee_value_new(arena, EE_OBJECT), .limit = ee_details_limit(result->detail)};
}

void ee_details_finish(ee_details *details, const ee_judge_result *result, ee_buffer *out) {
  ee_details_open(result, out);
  if (ee_value_count(details->tree) > 0) {
    size_t from = out->length;
    ee_json_write_value(out, details->tree);
    out->data[from] = ','; /* instead of its braces */
    out->length--;
  }
  if (result->mismatch_count > 0) add_mismatches(result, details->arena, out);
  add_end(result, details->truncated, details->arena, out);
}
