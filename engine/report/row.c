/* row.c: rows of results and replies of the code_judge protocol.
 *
 * On the path of every case: text goes straight into the output buffer. The hits and misses of the case are those of
 * its judges in order; they are formatted once, and the judges' lists are copied from there. */
#include "report/row.h"

#include <evalengine.h>
#include <inttypes.h>

#include "judge/details.h"
#include "judge/measure.h"
#include "judge/plan.h"
#include "run/totals.h"

#define ADD(out, literal) EE_JSON_ADD(out, literal)
#define DIGITS_OF(number) #number
#define DIGITS(number) DIGITS_OF(number)

static void add_hash(ee_buffer *out, uint64_t hash) {
  static const char hex[] = "0123456789abcdef";
  char *to = ee_buffer_reserve(out, 16);
  for (int i = 0; i < 16; i++) to[i] = hex[(hash >> (60 - 4 * i)) & 15];
  out->length += 16;
}

/* A document that is a string is written as the text it was read from: reading that gives the same document. */
static void add_candidate(ee_buffer *out, const ee_case *source) {
  bool is_document = source->candidate != NULL && ee_type_of(source->candidate) != EE_STRING;
  if (!is_document && source->candidate_text.data != NULL)
    ee_json_write_string(out, source->candidate_text);
  else
    ee_json_write_value(out, source->candidate);
}

/* The score function belongs to no judge, so its error is a miss of the case. */
static void add_score_error(ee_buffer *out, ee_str error) {
  ADD(out, "\"score (");
  ee_json_write_escaped(out, error);
  ADD(out, ")\"");
}

/* `ranges` (NULL: not needed) gets where the misses of each judge are in `out`. */
static void add_misses(ee_buffer *out, const ee_case_result *result, ee_byte_range *ranges, ee_arena *scratch) {
  bool any = result->score_error.length > 0;
  if (any) add_score_error(out, result->score_error);
  for (size_t i = 0; i < result->judge_count; i++) {
    const ee_judge_result *judged = &result->judges[i];
    ee_byte_range range = ee_details_add_findings(judged->misses, judged->miss_count, &any, scratch, out);
    if (ranges != NULL) ranges[i] = range;
  }
}

/* The same for hits. */
static void add_hits(ee_buffer *out, const ee_case_result *result, ee_byte_range *ranges, ee_arena *scratch) {
  bool any = false;
  for (size_t i = 0; i < result->judge_count; i++) {
    const ee_judge_result *judged = &result->judges[i];
    ee_byte_range range = ee_details_add_findings(judged->hits, judged->hit_count, &any, scratch, out);
    if (ranges != NULL) ranges[i] = range;
  }
}

/* "JUDGE: REASONING; ...", escaped, without quotes. */
static void add_reasoning(ee_buffer *out, const ee_case_result *result) {
  bool any = false;
  for (size_t i = 0; i < result->judge_count; i++) {
    const ee_judge_result *judged = &result->judges[i];
    if (judged->reasoning.length == 0) continue;
    if (any) ADD(out, "; ");
    any = true;
    ee_json_write_escaped(out, judged->judge->name);
    ADD(out, ": ");
    ee_json_write_escaped(out, judged->reasoning);
  }
}

/* In which values of the slices the case is, by the slices' paths. */
static void add_slices(ee_buffer *out, const ee_case_result *result, ee_arena *scratch) {
  const ee_plan *plan = result->plan;
  if (plan == NULL || plan->slice_count == 0) return;
  ADD(out, ",\"slices\":{");
  for (size_t i = 0; i < plan->slice_count; i++) {
    if (i > 0) ee_buffer_add_char(out, ',');
    ee_json_write_string(out, plan->slices[i]->text);
    ADD(out, ":[\"");
    size_t from = out->length;
    ee_slice_print(ee_case_get(result->source, plan->slices[i], scratch), scratch, out);
    ee_json_escape_since(out, from, scratch);
    ADD(out, "\"]");
  }
  ee_buffer_add_char(out, '}');
}

static void add_candidate_state(ee_buffer *out, ee_candidate_state state) {
  if (state == EE_CANDIDATE_MISSING) ADD(out, ",\"candidate_state\":\"missing\"");
  if (state == EE_CANDIDATE_UNPARSEABLE) ADD(out, ",\"candidate_state\":\"unparseable\"");
}

/* What the candidate was judged against, and what else the record has: its text, its image. */
static void add_documents(ee_buffer *out, const ee_case_result *result, ee_arena *scratch) {
  ADD(out, ",\"expected\":");
  ee_json_write_value(out, result->source->expected);
  size_t before = out->length;
  ADD(out, ",\"record\":");
  const ee_record_paths *paths = result->plan != NULL ? &result->plan->paths : NULL;
  if (!ee_case_write_rest(result->source, paths, scratch, out)) out->length = before;
}

/* Adds a count that is not 0; `key` with the comma in front and the colon. */
static void add_count(ee_buffer *out, const char *key, uint64_t count) {
  if (count == 0) return;
  ee_buffer_add_text(out, key);
  ee_json_write_count(out, count);
}

/* A member of an object whose first one is at `first`; nothing for 0. */
static void add_named(ee_buffer *out, size_t first, const char *name, uint64_t count) {
  if (count == 0) return;
  ee_buffer_add_text(out, out->length == first ? "\"" : ",\"");
  ee_buffer_add_text(out, name);
  ADD(out, "\":");
  ee_json_write_count(out, count);
}

/* What was repaired in the candidate, if some judge got it so. */
static void add_repairs(ee_buffer *out, const ee_case_result *result) {
  const ee_case *source = result->source;
  bool used = source->repaired != NULL && source->candidate == source->repaired;
  for (size_t i = 0; i < result->judge_count && source->repaired != NULL; i++)
    used = used || result->judges[i].judge->repair;
  if (!used) return;
  bool any = false;
  ADD(out, ",\"repairs\":{");
  for (int i = 0; i < EE_REPAIR_COUNT; i++) {
    if (source->repairs.counts[i] == 0) continue;
    ee_buffer_addf(out, "%s\"%s\":%" PRIu64, any ? "," : "", ee_repair_name((ee_repair)i), source->repairs.counts[i]);
    any = true;
  }
  ADD(out, "}");
}

/* Whether the document goes straight through, and what a person must edit: only what is not 0. */
static void add_corrections(ee_buffer *out, const ee_case_result *result) {
  const ee_corrections *corrections = &result->corrections;
  if (result->unscored || result->plan == NULL) return;
  ee_buffer_add_text(out, corrections->straight_through ? ",\"straight_through\":true" : ",\"straight_through\":false");
  size_t start = out->length;
  ADD(out, ",\"corrections\":{");
  size_t empty = out->length;
  for (int i = 0; i < EE_CORRECTION_KINDS; i++)
    add_named(out, empty, ee_correction_name((ee_correction_kind)i), corrections->kinds[i]);
  add_named(out, empty, "row_values", corrections->row_values);
  add_named(out, empty, "optional_missing", corrections->optional);
  add_named(out, empty, "checks_failed", corrections->checks);
  if (out->length == empty)
    out->length = start;
  else
    ee_buffer_add_char(out, '}');
}

/* What is not a number is null; what is missing is left out. */
static void add_measures(ee_buffer *out, const ee_case_result *result) {
  bool any = false;
  for (size_t i = 0; i < result->measure_count; i++) {
    const ee_measure_value *measure = &result->measures[i];
    if (measure->state == EE_MEASURE_MISSING) continue;
    ee_buffer_add_text(out, any ? "," : ",\"measures\":{");
    any = true;
    ee_json_write_string(out, measure->name);
    ee_buffer_add_char(out, ':');
    if (measure->state == EE_MEASURE_READ)
      ee_json_write_number(out, measure->value);
    else
      ADD(out, "null");
  }
  if (any) ee_buffer_add_char(out, '}');
}

/* A whole number as such, any other text as a string. */
static void add_trial(ee_buffer *out, ee_str trial) {
  if (trial.data == NULL) return;
  bool digits = trial.length > 0 && trial.length < 16 && (trial.data[0] != '0' || trial.length == 1);
  for (size_t i = 0; i < trial.length; i++) digits = digits && trial.data[i] >= '0' && trial.data[i] <= '9';
  ADD(out, ",\"trial\":");
  if (digits)
    ee_buffer_add_str(out, trial);
  else
    ee_json_write_string(out, trial);
}

/* `documents`: with the expected document and the rest of the record. */
/* The judges that `when` left out. */
static void add_left_out(ee_buffer *out, const ee_case_result *result) {
  for (size_t i = 0; i < result->left_out_count; i++) {
    if (i == 0)
      ADD(out, ",\"not_judged\":[");
    else
      ee_buffer_add_char(out, ',');
    ee_json_write_string(out, result->left_out[i]->name);
  }
  if (result->left_out_count > 0) ee_buffer_add_char(out, ']');
}

static void write_row(const ee_case_result *result, bool documents, ee_arena *scratch, ee_buffer *out) {
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  ee_byte_range *hits = EE_NEW_ARRAY(scratch, ee_byte_range, result->judge_count);
  ee_byte_range *misses = EE_NEW_ARRAY(scratch, ee_byte_range, result->judge_count);
  ADD(out, "{\"schema\":" DIGITS(EE_ROW_SCHEMA) ",\"id\":");
  ee_json_write_string(out, ee_case_base(result->source));
  add_trial(out, result->source->trial);
  if (result->source->unnamed) ADD(out, ",\"unnamed\":true");
  ADD(out, ",\"version\":\"" EE_VERSION "\"");
  if (result->plan != NULL && result->plan->rules_hash != 0) {
    ADD(out, ",\"rules_hash\":\"");
    add_hash(out, result->plan->rules_hash);
    ee_buffer_add_char(out, '"');
  }
  ADD(out, ",\"expected_hash\":\"");
  add_hash(out, result->expected_hash);
  ee_buffer_add_char(out, '"');
  if (result->has_alternatives) {
    ADD(out, ",\"expected_alternative\":");
    ee_json_write_count(out, result->alternative);
  }
  ADD(out, ",\"score\":");
  ee_json_write_score(out, result->score);
  ee_details_add_verdict(result->verdict, out);
  if (result->unscored) ADD(out, ",\"unscored\":true");
  if (result->formula.length > 0) {
    ADD(out, ",\"formula\":");
    ee_json_write_string(out, result->formula);
  }
  bool full = result->detail == EE_DETAIL_FULL;
  if (full)
    ADD(out, ",\"detail\":\"full\"");
  else
    ADD(out, ",\"detail\":\"misses\"");
  bool by_id = result->source->trial.data != NULL && ee_str_equal(result->cluster, ee_case_base(result->source));
  if (result->cluster.data != NULL && !by_id) {
    ADD(out, ",\"cluster\":");
    ee_json_write_string(out, result->cluster);
  }
  add_slices(out, result, scratch);

  ADD(out, ",\"hits\":[");
  add_hits(out, result, hits, scratch);
  ADD(out, "],\"misses\":[");
  add_misses(out, result, misses, scratch);
  ADD(out, "],\"reasoning\":\"");
  add_reasoning(out, result);
  ADD(out, "\",\"candidate_answer\":");
  add_candidate(out, result->source);
  add_candidate_state(out, result->source->candidate_state);
  add_repairs(out, result);
  add_count(out, ",\"rule_errors\":", result->rule_errors);
  add_count(out, ",\"provider_failures\":", result->provider_failures);
  if (result->given_up > 0) add_count(out, ",\"given_up\":", result->given_up);
  add_measures(out, result);
  add_corrections(out, result);
  add_left_out(out, result);
  if (documents) add_documents(out, result, scratch);
  ADD(out, ",\"evaluator_results\":[");
  for (size_t i = 0; i < result->judge_count; i++) {
    if (i > 0) ee_buffer_add_char(out, ',');
    ee_details_write_judge(&result->judges[i], i, &hits[i], &misses[i], scratch, out);
  }
  ADD(out, "]}\n");
  ee_arena_rewind(scratch, mark);
}

void ee_row_write(const ee_case_result *result, ee_arena *scratch, ee_buffer *out) {
  write_row(result, result->detail == EE_DETAIL_FULL, scratch, out);
}

void ee_row_write_collected(const ee_case_result *result, ee_arena *scratch, ee_buffer *out) {
  write_row(result, true, scratch, out);
}

static void add_reply_reasoning(ee_buffer *out, const ee_case_result *result) {
  if (result->judge_count == 1)
    ee_json_write_escaped(out, result->judges[0].reasoning);
  else
    add_reasoning(out, result);
}

void ee_code_judge_reply_write(const ee_case_result *result, ee_arena *scratch, ee_buffer *out) {
  ADD(out, "{\"score\":");
  ee_json_write_score(out, result->score);
  ADD(out, ",\"hits\":[");
  add_hits(out, result, NULL, scratch);
  ADD(out, "],\"misses\":[");
  add_misses(out, result, NULL, scratch);
  ADD(out, "],\"reasoning\":\"");
  add_reply_reasoning(out, result);
  ADD(out, "\",\"details\":");
  ee_details_write_case(result, scratch, out);
  ADD(out, "}\n");
}

void ee_code_judge_reply_write_failure(ee_str reason, ee_buffer *out) {
  ADD(out, "{\"score\":0,\"hits\":[],\"misses\":[");
  ee_json_write_string(out, reason);
  ADD(out, "],\"reasoning\":");
  ee_json_write_string(out, reason);
  ADD(out, ",\"details\":{}}\n");
}

void ee_row_mark(ee_buffer *out, size_t start, const char *key, const char *value) {
  if (out->length < start + 2) return;
  out->length -= 2; /* "}\n" */
  ee_buffer_addf(out, ",\"%s\":", key);
  ee_json_write_string(out, ee_str_from(value));
  EE_JSON_ADD(out, "}\n");
}
