/* state_output.c: the options of a part, its header, its file, and which rows are kept. */
#include "cli/state_output.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/deciding_options.h"
#include "cli/libraries.h"
#include "data/json/checked_line.h"
#include "data/json/json_reader.h"
#include "run/totals_state.h"

/* Options ---------------------------------------------------------------------------------------- */

/* Options that say what becomes of the whole, which a part does not know; `merge` takes them. */
static const char *const of_whole[] = {"format", "section",    "columns",    "kinds",  "reasons",   "worst",    "sort",
                                       "output", "fail-under", "confidence", "accept", "undecided", "annotate", NULL};
static const char *const of_parts[] = {"shard", "part", "range", "keep", "except", NULL};

static bool is_given(const ee_options *options, const char *name) {
  /* unreached: every name is that of an option */
  for (const ee_option_row *row = ee_option_rows; row->name != NULL; row++)
    if (strcmp(row->name, name) == 0) return options->given[row - ee_option_rows] != NULL;
  return false;
}

static const char *first_given(const ee_options *options, const char *const *names) {
  for (; *names != NULL; names++)
    if (is_given(options, *names)) return *names;
  return NULL;
}

const char *ee_state_output_misplaced(const ee_options *options) { return first_given(options, of_whole); }

/* "fail", "borderline", "2.5%" */
static ee_status add_kept(ee_kept_rows *kept, const char *word, ee_error *error) {
  double percent;
  int used = 0;
  kept->all = false;
  if (strcmp(word, "fail") == 0) {
    kept->failed = true;
  } else if (strcmp(word, "borderline") == 0) {
    kept->failed = kept->borderline = true;
  } else if (sscanf(word, "%lf%%%n", &percent, &used) == 1 && used > 0 && word[used] == '\0' && percent > 0 &&
             percent < 100) {
    kept->below = (uint64_t)(percent / 100 * 0x1p64);
  } else {
    return ee_error_set(error, EE_ERROR_USAGE,
                        "--keep must be fail, borderline, a percentage above 0%% and below 100%%, such as 1%%, or "
                        "several of these, got '%s'",
                        word);
  }
  return EE_OK;
}

static ee_status read_kept(const ee_options *options, ee_arena *arena, ee_kept_rows *kept, ee_error *error) {
  *kept = (ee_kept_rows){.all = true};
  for (size_t i = 0; i < options->keep.count; i++) {
    ee_status status = add_kept(kept, options->keep.items[i], error);
    if (status != EE_OK) return status;
    const char *before = kept->words != NULL ? kept->words : "";
    kept->words = ee_arena_printf(arena, "%s%s%s", before, *before != '\0' ? "," : "", options->keep.items[i]);
  }
  return EE_OK;
}

ee_status ee_state_output_check_options(const ee_options *options, ee_error *error) {
  const char *part = first_given(options, of_parts);
  if (options->state == NULL && part != NULL)
    return ee_error_set(error, EE_ERROR_USAGE, "--%s needs --state FILE: a part writes a state, which 'merge' reads",
                        part);
  if (options->state == NULL) return EE_OK;
  const char *whole = first_given(options, of_whole);
  if (whole != NULL)
    return ee_error_set(error, EE_ERROR_USAGE,
                        "--%s does not apply beside --state: a part has no report; give it to 'merge'", whole);
  if (options->limit > 0)
    return ee_error_set(error, EE_ERROR_USAGE,
                        "--limit does not apply beside --state: each part would have a limit of its own");
  if (options->strict)
    return ee_error_set(error, EE_ERROR_USAGE,
                        "--strict does not apply beside --state: it would stop one part, not the others");
  if (ee_options_without_rules(options))
    return ee_error_set(error, EE_ERROR_USAGE,
                        "--state needs a rule file: rules that follow from the data would differ from part to part "
                        "(--save-rules FILE writes them once, from all of the data or some of it)");
  if (options->shard.of > 0 && (options->part.of > 0 || is_given(options, "range")))
    return ee_error_set(error, EE_ERROR_USAGE, "--shard cuts the data, so --%s does not apply beside it",
                        options->part.of > 0 ? "part" : "range");
  if (options->keep.count > 0 && options->results == NULL)
    return ee_error_set(error, EE_ERROR_USAGE, "--keep chooses rows: it needs --results FILE");
  ee_kept_rows kept;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_status status = read_kept(options, &arena, &kept, error);
  ee_arena_fini(&arena);
  return status;
}

ee_status ee_state_output_check_plan(const ee_options *options, const ee_plan *plan, ee_error *error) {
  if (options->state == NULL) return EE_OK;
  if (plan->decimals->count > 0)
    return ee_error_set(error, EE_ERROR_USAGE,
                        "--state needs rules that judge a record by itself: '%.*s' first looks at all of the data for "
                        "decimal = 'auto'; name the separator instead (decimal = '.' or ',')",
                        EE_STR_ARG(plan->name));
  return ee_summaries_check_parts(plan, error);
}

ee_status ee_state_output_check_summaries(ee_collector *collector, ee_error *error) {
  ee_buffer text = {0};
  ee_state_line line;
  ee_state_write(&line, &text);
  ee_status status = ee_collector_state(collector, &line, error);
  ee_state_close(&line);
  ee_buffer_fini(&text);
  return status;
}

/* The header ------------------------------------------------------------------------------------- */

/* The options without those that only matter to a report. */
static ee_str without_accept(ee_str options, ee_arena *arena) {
  ee_buffer out = {0};
  for (size_t at = 0, length; at < options.length; at += length) {
    const char *start = options.data + at, *end = memchr(start + 1, '|', options.length - at - 1);
    length = end != NULL ? (size_t)(end - start) : options.length - at;
    static const char accept[] = "|accept:";
    bool skipped = length >= sizeof accept - 1 && memcmp(start, accept, sizeof accept - 1) == 0;
    if (!skipped) ee_buffer_add(&out, start, length);
  }
  ee_str text = {ee_arena_copy(arena, out.data, out.length), out.length};
  ee_buffer_fini(&out);
  return text;
}

void ee_state_output_describe(const ee_options *options, const ee_plan *plan, ee_arena *arena, ee_part *part) {
  *part = (ee_part){.kind = EE_STR("run"),
                    .version = EE_STR(EE_VERSION),
                    .rules_name = plan->name,
                    .rules_hash = plan->rules_hash,
                    .options = without_accept(ee_deciding_options(options, arena), arena)};
  ee_add_libraries(part, arena);
}

static void describe_expected(const ee_inputs *inputs, ee_part_expected *expected, ee_arena *arena) {
  const ee_expected_set *set = inputs->expected;
  if (set == NULL) return;
  ee_expected_coverage coverage = ee_inputs_coverage(inputs, false);
  *expected = (ee_part_expected){.given = true,
                                 .coco = coverage.detections_given,
                                 .hash = ee_expected_set_hash(set),
                                 .in_error = coverage.in_error,
                                 .detections = coverage.detections,
                                 .detections_in_error = coverage.detections_in_error,
                                 .detections_without_image = coverage.detections_without_image};
  ee_buffer marks = {0};
  ee_expected_set_add_marks(set, &marks);
  for (size_t i = 0; i < coverage.records && !expected->coco; i++)
    ee_part_expected_add(expected, (marks.data[i / 8] >> i % 8 & 1) != 0, arena);
  ee_buffer_fini(&marks);
  expected->records = coverage.records;
}

/* The name of a file without its folder, which may be another one on the next machine. */
static ee_str base_name(ee_str path) {
  size_t start = path.length;
  while (start > 0 && path.data[start - 1] != '/') start--;
  return (ee_str){path.data + start, path.length - start};
}

void ee_state_output_add_unended(const ee_inputs *inputs, ee_part *part, ee_arena *arena) {
  const char *const *names, *expected = inputs->expected != NULL ? ee_expected_set_unended(inputs->expected) : NULL;
  size_t count = ee_dataset_unended(inputs->dataset, &names);
  for (size_t i = 0; i < count; i++) ee_part_add_unended(part, ee_str_from(names[i]), arena);
  if (expected != NULL) ee_part_add_unended(part, base_name(ee_str_from(expected)), arena);
}

static void describe_data(const ee_inputs *inputs, ee_part *part, ee_arena *arena) {
  const ee_data_range *ranges;
  size_t count = ee_dataset_ranges(inputs->dataset, &ranges);
  for (size_t i = 0; i < count; i++)
    *EE_LIST_ADD(&part->data, arena) = (ee_part_range){.name = ee_str_from(ranges[i].name),
                                                       .unit = (uint32_t)ranges[i].unit,
                                                       .from = ranges[i].from,
                                                       .to = ranges[i].to,
                                                       .size = ranges[i].size};
}

/* --except ---------------------------------------------------------------------------------------- */

static bool reads(const ee_part *part, const ee_value *names) {
  for (const ee_value *at = ee_value_child(names); at != NULL; at = ee_value_next(at))
    for (size_t i = 0; i < part->inputs.count && ee_type_of(at) == EE_STRING; i++)
      if (ee_str_equal(base_name(ee_value_text(at)), base_name(part->inputs.items[i]))) return true;
  return false;
}

/* {"id_hash":"0123456789abcdef","from":3,"to":3,"of":8} or {"id_hash":..,"data":["b.jsonl"]}: whether it is about
 * `part`, and the hash; false with `error` if it is neither. */
static bool read_exception(const ee_value *line, const ee_part *part, bool *own, uint64_t *hash) {
  const ee_value *text = ee_value_member(line, EE_STR("id_hash"), NULL);
  const ee_value *data = ee_value_member(line, EE_STR("data"), NULL);
  if (ee_type_of(text) != EE_STRING || !ee_read_hash_text(ee_value_text(text), hash)) return false;
  double from = ee_value_get_number(line, "from", 0), to = ee_value_get_number(line, "to", 0);
  double of = ee_value_get_number(line, "of", 0);
  *own = of > 0 ? part->of == (uint64_t)of && part->from >= (uint64_t)from && part->to <= (uint64_t)to
                : part->of == 0 && reads(part, data);
  return true;
}

static ee_status read_except(ee_state_output *self, ee_error *error) {
  const char *file = self->options->except;
  if (file == NULL) return EE_OK;
  ee_buffer text = {0};
  ee_status status = ee_load_text(file, &text, error);
  ee_arena arena;
  ee_arena_init(&arena, 0);
  size_t line = 0;
  for (size_t at = 0; at < text.length && status == EE_OK; line++) {
    const char *start = text.data + at, *end = memchr(start, '\n', text.length - at);
    size_t length = end != NULL ? (size_t)(end - start) : text.length - at;
    at += length + 1;
    bool own = false;
    uint64_t hash;
    const ee_value *value = ee_json_read(&arena, (ee_str){start, length}, NULL, NULL);
    if (!read_exception(value, &self->part, &own, &hash))
      status = ee_error_at(error, EE_ERROR_RULES, file, line + 1, 0,
                           "not a line of 'merge --duplicates FILE', which --except takes");
    else if (own)
      ee_id_hashes_add(&self->except, hash, SIZE_MAX);
    ee_arena_reset(&arena, 0);
  }
  ee_id_hashes_sort(&self->except);
  ee_arena_fini(&arena);
  ee_buffer_fini(&text);
  return status;
}

/* Opening and writing ----------------------------------------------------------------------------- */

static ee_status take_part(const ee_options *options, ee_dataset *dataset, ee_error *error) {
  if (options->shard.of > 0) return ee_dataset_take_part(dataset, options->shard.part, options->shard.of, error);
  if (is_given(options, "range")) return ee_dataset_take_range(dataset, options->range.from, options->range.to, error);
  return EE_OK;
}

ee_status ee_state_output_open(ee_state_output *self, const ee_options *options, const ee_plan *plan,
                               const ee_inputs *inputs, ee_arena *arena, ee_error *error) {
  *self = (ee_state_output){.options = options, .arena = arena, .output = {.descriptor = -1}};
  ee_id_set_init(&self->ids);
  ee_part_number number = options->shard.of > 0 ? options->shard : options->part;
  ee_state_output_describe(options, plan, arena, &self->part);
  self->part.from = self->part.to = number.part;
  self->part.of = number.of;
  for (size_t i = 1; i < options->operand_count; i++)
    *EE_LIST_ADD(&self->part.inputs, arena) = ee_str_from(options->operands[i]);
  ee_status status = read_kept(options, arena, &self->kept, error);
  if (status == EE_OK) status = read_except(self, error);
  if (status == EE_OK) status = take_part(options, inputs->dataset, error);
  if (status == EE_OK) status = ee_output_open(&self->output, options->state, error);
  return status;
}

static void take_hash(void *user, uint64_t hash) { ee_id_hashes_add(user, hash, EE_ID_HASHES_LIMIT); }

ee_status ee_state_output_print(const ee_part *part, ee_id_hashes *ids, ee_totals *totals, ee_collector *collector,
                                ee_buffer *out, ee_error *error) {
  ee_buffer ids_text = {0}, totals_text = {0};
  ee_state_line line;
  ee_state_write(&line, &ids_text);
  ee_id_hashes_state(&line, ids);
  ee_state_close(&line);
  ee_state_write(&line, &totals_text);
  ee_totals_state(&line, totals);
  ee_status status = collector != NULL ? ee_collector_state(collector, &line, error) : EE_OK;
  ee_state_close(&line);
  ee_part_write(part, (ee_str){ids_text.data, ids_text.length}, (ee_str){totals_text.data, totals_text.length}, out);
  ee_buffer_fini(&ids_text);
  ee_buffer_fini(&totals_text);
  return status;
}

ee_status ee_state_output_write(ee_state_output *self, ee_run_result *run, const ee_inputs *inputs,
                                ee_collector *collector, ee_error *error) {
  ee_id_hashes ids = {0};
  ee_id_set_hashes(&self->ids, take_hash, &ids);
  ee_id_set_fini(&self->ids);
  ee_id_hashes_sort(&ids);
  describe_expected(inputs, &self->part.expected, self->arena);
  describe_data(inputs, &self->part, self->arena);
  ee_state_output_add_unended(inputs, &self->part, self->arena);
  self->part.data_notes = *ee_dataset_foreign(inputs->dataset);
  const ee_foreign_seen *expected = inputs->expected != NULL ? ee_expected_set_foreign(inputs->expected) : NULL;
  if (expected != NULL) self->part.expected_notes = *expected;
  if (self->options->shard.of > 0) self->part.cut = ee_dataset_cut_hash(inputs->dataset);
  ee_buffer text = {0};
  ee_status status = ee_state_output_print(&self->part, &ids, &run->totals, collector, &text, error);
  ee_id_hashes_fini(&ids);
  /* unreached: totals that cannot be printed */
  if (status == EE_OK) status = ee_output_write(&self->output, text.data, text.length, error);
  ee_buffer_fini(&text);
  return status == EE_OK ? ee_output_close(&self->output, true, error) : status;
}

void ee_state_output_close(ee_state_output *self) {
  ee_output_close(&self->output, false, NULL);
  ee_id_set_fini(&self->ids);
  ee_id_hashes_fini(&self->except);
}

bool ee_state_output_keeps(const ee_kept_rows *kept, const ee_case_result *result) {
  if (kept->all) return true;
  bool failed = result->unscored || result->verdict == EE_VERDICT_FAIL;
  if (kept->failed && failed) return true;
  if (kept->borderline && result->verdict == EE_VERDICT_BORDERLINE) return true;
  ee_str id = ee_case_base(result->source);
  return kept->below > 0 && ee_hash_mix(ee_id_hash(id)) < kept->below;
}
