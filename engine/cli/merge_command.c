/* merge_command.c: `evalengine merge`: states of parts to the report of the whole, or to states of fewer parts. */
#include <inttypes.h>
#include <string.h>

#include "base/runtime.h"
#include "cli/commands.h"
#include "cli/compared_states.h"
#include "cli/conclusion.h"
#include "cli/foreign_inputs.h"
#include "cli/interrupt.h"
#include "cli/merged_states.h"
#include "cli/part_rows.h"
#include "cli/state_output.h"
#include "data/files/byte_source.h"
#include "data/json/json_writer.h"
#include "report/row.h"
#include "run/parts/part_set.h"
#include "run/totals_state.h"

/* Bytes of rows that are read at a time. */
#define ROWS_READ ((size_t)1 << 20)
/* Parts in a message. */
#define PARTS_NAMED 5

/* Everything one merge holds. */
typedef struct merge {
  const ee_options *options;
  ee_terminal terminal;
  ee_annotations *annotations; /* --annotate; NULL: none */
  ee_arena arena;
  ee_rule_file *rules;
  ee_case_file *cases; /* the data set whose evaluators the rules are; NULL: they are a rule file */
  ee_provider *provider;
  ee_inputs inputs; /* only expected values, and names of data */
  ee_conclusion conclusion;
  ee_part_set set;
  ee_part whole; /* the joined header of all states, or of neighbours with --state */
  ee_run_result run;
  bool has_totals;
  ee_id_pool ids;
  ee_part_rows part_rows;
  uint64_t rows;  /* given with --rows */
  bool full_rows; /* in full detail */
  ee_output state;
} merge;

/* The command line ----------------------------------------------------------------------------- */

static bool shows_cases(const merge *self) {
  const ee_report_format *format = self->options->format;
  return format->rows || format->row != NULL || format->listed != NULL || format->cases || format->tests ||
         ee_mistakes_need_rows(&self->conclusion.mistakes);
}

static ee_status check_output(const ee_options *options, const char *output, ee_error *error) {
  bool same = options->expected != NULL && ee_output_is_same_file(output, options->expected);
  for (size_t i = 0; i < options->operand_count; i++)
    same = same || ee_output_is_same_file(output, options->operands[i]);
  for (size_t i = 0; i < options->rows.count; i++)
    same = same || ee_output_is_same_file(output, options->rows.items[i]);
  return same ? ee_error_set(error, EE_ERROR_USAGE, "'%s' is both read and written", output) : EE_OK;
}

static ee_status check_options(const merge *self, ee_error *error) {
  const ee_options *options = self->options;
  const char *rules = options->operands[0];
  if (!ee_is_yaml_name(rules) && !ee_names_rules(options, rules))
    return ee_error_set(error, EE_ERROR_USAGE,
                        "the rule file of the parts comes before their states: evalengine merge RULES.lua %s ...",
                        rules);
  if (options->operand_count < 2)
    return ee_error_set(error, EE_ERROR_USAGE,
                        "'merge' needs a rule file and states: evalengine merge RULES.lua STATE...");
  if (options->fail_on != 0 || options->margin > 0 || options->correction != 0)
    return ee_error_set(error, EE_ERROR_USAGE,
                        "--fail-on, --margin and --correction are for states of comparisons (compare --state)");
  ee_status status = ee_options_check_format(options, EE_DOCUMENT_RUN, "merge", error);
  if (status == EE_OK && options->output != NULL) status = check_output(options, options->output, error);
  if (status == EE_OK && options->state != NULL) status = check_output(options, options->state, error);
  if (status == EE_OK && options->duplicates != NULL) status = check_output(options, options->duplicates, error);
  bool both = options->output != NULL && options->duplicates != NULL &&
              (strcmp(options->output, options->duplicates) == 0 ||
               ee_output_is_same_file(options->output, options->duplicates));
  if (status == EE_OK && both)
    return ee_error_set(error, EE_ERROR_USAGE, "--output and --duplicates name the same file '%s'", options->output);
  if (status != EE_OK) return status;
  const char *misplaced = ee_state_output_misplaced(options);
  if (misplaced == NULL)
    misplaced = options->duplicates != NULL ? "duplicates" : options->rows.count > 0 ? "rows" : NULL;
  if (options->state != NULL && misplaced != NULL)
    return ee_error_set(error, EE_ERROR_USAGE,
                        "--%s does not apply beside --state: a state has no report; give it to the last merge",
                        misplaced);
  if (options->state == NULL && shows_cases(self) && options->rows.count == 0)
    return ee_error_set(error, EE_ERROR_USAGE,
                        "%s shows cases, which states do not have: write the rows of each part with --results FILE%s, "
                        "and give them with --rows FILE",
                        options->worst > 0 || options->reasons
                            ? (options->worst > 0 ? "--worst" : "--reasons")
                            : ee_arena_printf(options->arena, "--format %s", options->format->name),
                        options->format->cases ? " --detail full" : "");
  return EE_OK;
}

/* States --------------------------------------------------------------------------------------- */

static ee_status read_states(merge *self, ee_error *error) {
  const ee_options *options = self->options;
  const ee_plan *plan = ee_rule_file_plan(self->rules);
  ee_status status = ee_part_set_read(&self->set, options->operands + 1, options->operand_count - 1, NULL, error);
  if (status != EE_OK) return status;
  ee_part here;
  ee_state_output_describe(options, plan, &self->arena, &here);
  const ee_part_wanted wanted = {"run", here.version, here.rules_name, here.rules_hash, here.options};
  ee_error_list warnings;
  ee_error_list_init(&warnings);
  status = ee_part_set_match(&self->set, &wanted, &here, &warnings, error);
  for (size_t i = 0; i < warnings.count; i++) ee_terminal_message(&self->terminal, &warnings.items[i]);
  ee_error_list_fini(&warnings);
  if (status == EE_OK) status = ee_part_set_check(&self->set, error);
  if (status != EE_OK || self->set.missing == NULL || options->state != NULL || options->partial) return status;
  return ee_error_set(error, EE_ERROR_RULES, "%s (--partial reports the others)",
                      ee_part_set_missing(&self->set, &self->arena));
}

/* An id of `owner` that an earlier state has. */
static void add_repeat(void *user, uint64_t hash, size_t owner) {
  merge *self = user;
  const ee_part *part = &self->set.items[owner].part;
  size_t input = part->inputs.count > 0 ? ee_part_find_input(&self->whole, part->inputs.items[0]) : 0;
  *EE_LIST_ADD(&self->whole.repeated, &self->arena) =
      (ee_part_repeat){.hash = hash, .from = part->from, .to = part->to, .input = input};
}

/* Adds the totals of an entry, and its summaries; the first one's take the place of those before. False if they make
 * no sense, or with an error of the rules. */
static bool add_totals(merge *self, const ee_value *value, bool first, ee_status *status, ee_error *error) {
  ee_state_line line;
  ee_totals totals;
  ee_collector *collector = self->conclusion.collector;
  ee_totals_init(&totals, ee_rule_file_plan(self->rules));
  ee_state_read(&line, value);
  ee_totals_state(&line, &totals);
  if (collector != NULL)
    *status = first ? ee_collector_state(collector, &line, error) : ee_collector_merge(collector, &line, error);
  bool good = ee_state_close(&line);
  if (good) ee_totals_merge(&self->run.totals, &totals); /* unreached: the state's checksum was right */
  ee_totals_fini(&totals);
  return good;
}

/* Adds the totals and ids of an entry. */
static ee_status add_entry(merge *self, size_t number, bool first, ee_error *error) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  const ee_value *body = NULL;
  ee_id_hashes ids = {0};
  uint64_t before = self->run.totals.scored;
  ee_status status = ee_part_set_load(&self->set, number, &arena, &body, error);
  if (status == EE_OK) {
    ee_state_line line;
    ee_state_read(&line, ee_value_member(body, EE_STR("ids"), NULL));
    ee_id_hashes_state(&line, &ids);
    bool good = ee_state_close(&line);
    /* unreached: the state's checksum was right */
    good = good && add_totals(self, ee_value_member(body, EE_STR("totals"), NULL), first, &status, error);
    if (!good && status == EE_OK) /* unreached: the state's checksum was right */
      /* unreached: as the line before */
      status = ee_part_set_refuse(&self->set, number, error, "a damaged state: its totals make no sense");
  }
  /* Before the hashes are copied: of a large part the document is as large as these. */
  ee_arena_fini(&arena);
  if (status == EE_OK)
    status = ee_part_rows_find(&self->part_rows, &self->set.items[number].part, &ids, self->run.totals.scored - before,
                               error);
  if (status == EE_OK) ee_id_pool_add(&self->ids, &ids, number);
  ee_id_hashes_fini(&ids);
  return status;
}

/* Starts the totals of the whole, or of the neighbours from the entry `number` on. */
static void start_totals(merge *self, size_t number) {
  if (self->has_totals) ee_totals_fini(&self->run.totals);
  self->run = (ee_run_result){0};
  ee_totals_init(&self->run.totals, ee_rule_file_plan(self->rules));
  self->has_totals = true;
  ee_id_pool_fini(&self->ids);
  self->ids = (ee_id_pool){.repeated = add_repeat, .user = self};
  self->whole = ee_part_copy(&self->set.items[number].part, &self->arena);
}

/* Merges entries from `*next` on: with `all` every one, else those that follow each other. The joined header is then in
 * `whole`. */
static ee_status merge_entries(merge *self, size_t *next, bool all, ee_error *error) {
  ee_status status = EE_OK;
  start_totals(self, *next);
  for (size_t first = *next; *next < self->set.count && status == EE_OK; *next += 1) {
    if (*next > first && !all && !ee_part_set_follows(&self->set, *next)) break;
    if (*next > first) ee_part_join(&self->whole, &self->set.items[*next].part, &self->arena);
    status = add_entry(self, *next, *next == first, error);
  }
  if (status == EE_OK) ee_id_pool_finish(&self->ids);
  return status;
}

/* Ids that several parts have -------------------------------------------------------------------- */

/* Whether an id that an earlier part has is one of this part, which may be several that were merged. */
static bool has_repeat(const ee_part *part, const ee_part *whole, const ee_part_repeat *repeat) {
  if (part->of > 0) return repeat->from >= part->from && repeat->to <= part->to;
  for (size_t i = 0; i < part->inputs.count; i++)
    if (ee_str_equal(whole->inputs.items[repeat->input], part->inputs.items[i])) return true;
  return false;
}

/* "parts 3, 5-6 of 8", or names of data; what --duplicates is about. */
static const char *parts_of_repeats(const merge *self, ee_arena *arena) {
  const ee_part *whole = &self->whole;
  const char *list = "";
  size_t named = 0;
  for (size_t i = 0; i < self->set.count && named <= PARTS_NAMED; i++) {
    const ee_part *part = &self->set.items[i].part;
    bool has = false;
    for (size_t k = 0; k < whole->repeated.count && !has; k++) has = has_repeat(part, whole, &whole->repeated.items[k]);
    if (!has) continue;
    if (named++ < PARTS_NAMED)
      list = ee_arena_printf(arena, "%s%s%s", list, *list != '\0' ? "; " : "", ee_part_name(part, arena));
  }
  return named > PARTS_NAMED ? ee_arena_printf(arena, "%s; ...", list) : list;
}

static ee_status write_duplicates(merge *self, ee_error *error) {
  const char *file = self->options->duplicates;
  if (file == NULL) return EE_OK;
  const ee_part *whole = &self->whole;
  if (self->ids.all.shift > 0)
    return ee_error_set(error, EE_ERROR_RULES,
                        "--duplicates cannot list all ids: with this many cases the states keep a sample of 1/%" PRIu64
                        " of the ids",
                        UINT64_C(1) << self->ids.all.shift);
  ee_buffer text = {0};
  ee_status status = EE_OK;
  for (size_t i = 0; i < whole->repeated.count && status == EE_OK; i++) {
    const ee_part_repeat *repeat = &whole->repeated.items[i];
    ee_buffer_addf(&text, "{\"id_hash\":\"%016" PRIx64 "\",", repeat->hash);
    if (whole->of > 0) {
      ee_buffer_addf(&text, "\"from\":%" PRIu64 ",\"to\":%" PRIu64 ",\"of\":%" PRIu64 "}\n", repeat->from, repeat->to,
                     whole->of);
      continue;
    }
    ee_str input = repeat->input < whole->inputs.count ? whole->inputs.items[repeat->input] : EE_STR("-");
    if (ee_str_is(input, "-"))
      status = ee_error_set(error, EE_ERROR_RULES,
                            "--duplicates cannot say which part has an id: parts that read standard input need a "
                            "number (--part I/N)");
    ee_buffer_add_text(&text, "\"data\":[");
    ee_json_write_string(&text, input);
    ee_buffer_add_text(&text, "]}\n");
  }
  if (status == EE_OK) status = ee_output_write_all(file, &text, error);
  ee_buffer_fini(&text);
  return status;
}

static const char *missing_parts(merge *self) {
  if (self->set.missing == NULL) return NULL;
  return ee_arena_printf(&self->arena, "part%s %s of %" PRIu64, self->set.missing_count == 1 ? "" : "s",
                         self->set.missing, self->set.of);
}

static void warn_of_missing(merge *self) {
  if (self->set.missing == NULL) return;
  ee_error error;
  ee_error_set(&error, EE_ERROR_DATA, "%s: the report is of the others (--partial)",
               ee_part_set_missing(&self->set, &self->arena));
  ee_terminal_fail(&self->terminal, &error);
}

/* Says how many cases count twice. */
static void warn_of_repeats(merge *self) {
  uint64_t count = self->whole.repeated.count;
  unsigned shift = self->ids.all.shift;
  ee_error warning;
  if (shift > 0) {
    ee_buffer text = {0};
    ee_buffer_addf(&text, "ids that several parts have: %" PRIu64 " in a sample of 1/%" PRIu64, count,
                   UINT64_C(1) << shift);
    ee_terminal_note(&self->terminal, (ee_str){text.data, text.length});
    ee_buffer_fini(&text);
  }
  if (count == 0) return;
  const char *again =
      self->options->duplicates == NULL
          ? "for the result of the whole run, list these ids with --duplicates FILE, and run these parts again with "
            "--except FILE"
          : ee_arena_printf(&self->arena, "for the result of the whole run, run these parts again with --except %s",
                            self->options->duplicates);
  ee_error_set(
      &warning, EE_ERROR_DATA, "%" PRIu64 " case%s counted twice: %s an id that an earlier part has (in %s); %s", count,
      count == 1 ? " is" : "s are", count == 1 ? "it has" : "they have", parts_of_repeats(self, &self->arena), again);
  ee_terminal_fail(&self->terminal, &warning);
}

/* States of fewer parts -------------------------------------------------------------------------- */

static ee_status write_states(merge *self, ee_error *error) {
  ee_status status = ee_output_open(&self->state, self->options->state, error);
  uint64_t cases = 0, repeated = 0;
  for (size_t next = 0; next < self->set.count && status == EE_OK;) {
    status = merge_entries(self, &next, false, error);
    if (status != EE_OK) break;
    ee_buffer text = {0};
    status = ee_state_output_print(&self->whole, &self->ids.all, &self->run.totals, self->conclusion.collector, &text,
                                   error);
    /* unreached: totals that cannot be printed */
    if (status == EE_OK) status = ee_output_write(&self->state, text.data, text.length, error);
    ee_buffer_fini(&text);
    cases += self->run.totals.scored;
    repeated += self->whole.repeated.count;
  }
  if (status == EE_OK) status = ee_output_close(&self->state, true, error);
  if (status != EE_OK) return status;
  self->run.totals.scored = cases;
  ee_note_merged_states(&self->terminal, &self->set, self->run.totals.scored);
  if (repeated > 0)
    ee_terminal_note(&self->terminal,
                     ee_str_from(ee_arena_printf(&self->arena,
                                                 "%" PRIu64 " case%s an id that an earlier part has: the last merge "
                                                 "reports and names them",
                                                 repeated, repeated == 1 ? " has" : "s have")));
  return EE_OK;
}

/* Expected values ------------------------------------------------------------------------------- */

/* The file of expected values that the parts had: of --expected, or the data set whose evaluators the rules are. */
static const char *expected_file(const merge *self) {
  if (self->options->expected != NULL) return self->options->expected;
  return self->cases != NULL && self->whole.expected.given ? self->options->operands[0] : NULL;
}

/* Marks what some part asked for. */
static void use_expected(ee_expected_set *set, const ee_part_expected *expected) {
  ee_buffer marks = {0};
  size_t bytes = (size_t)(expected->records + 7) / 8, number = 0;
  memset(ee_buffer_reserve(&marks, bytes), 0, bytes);
  marks.length = bytes;
  for (size_t i = 0; i < expected->runs.count; i++)
    for (uint64_t k = 0; k < expected->runs.items[i]; k++, number++)
      if (i % 2 == 1) marks.data[number / 8] = (char)(marks.data[number / 8] | 1 << number % 8);
  ee_expected_set_merge_marks(set, (ee_str){marks.data, marks.length});
  ee_buffer_fini(&marks);
}

static ee_status open_expected(merge *self, ee_error *error) {
  const ee_part_expected *expected = &self->whole.expected;
  const char *file = expected_file(self);
  uint64_t unused = expected->coco ? 0 : ee_part_expected_unused(expected);
  bool judges_absent = self->options->missing == 0 && unused > 0 && self->set.missing == NULL;
  if (file != NULL && !expected->given)
    return ee_error_set(error, EE_ERROR_RULES, "the states were made without --expected, which is given here");
  if (file == NULL && judges_absent)
    return ee_error_set(error, EE_ERROR_USAGE,
                        "no part has a record for %" PRIu64 " of the expected values: --expected FILE of the parts is "
                        "needed to judge them as empty candidates",
                        unused);
  if (file == NULL) return EE_OK;
  const ee_record_paths *paths = &ee_rule_file_plan(self->rules)->paths;
  ee_error_list errors;
  ee_error_list_init(&errors);
  ee_error failure = {.status = EE_ERROR_SYSTEM};
  self->inputs.expected_file = file;
  self->inputs.expected = ee_expected_set_open(file, paths, NULL, &errors, &failure);
  for (size_t i = 0; i < errors.count; i++) ee_terminal_message(&self->terminal, &errors.items[i]);
  ee_error_list_fini(&errors);
  if (self->inputs.expected == NULL) {
    *error = failure;
    return failure.status;
  }
  bool same = ee_expected_set_hash(self->inputs.expected) == expected->hash &&
              ee_expected_set_count(self->inputs.expected) == expected->records;
  if (!same)
    return ee_error_set(error, EE_ERROR_RULES, "'%s' has other expected values than the parts were judged by", file);
  if (!expected->coco) use_expected(self->inputs.expected, expected);
  return EE_OK;
}

static ee_expected_coverage coverage_of(const merge *self) {
  const ee_part_expected *expected = &self->whole.expected;
  bool whole = expected->given && self->set.missing == NULL;
  return (ee_expected_coverage){.given = expected->given,
                                .detections_given = expected->coco,
                                .whole = whole,
                                .records = expected->records,
                                .in_error = expected->in_error,
                                .without_record = whole && !expected->coco ? ee_part_expected_unused(expected) : 0,
                                .detections = expected->detections,
                                .detections_in_error = expected->detections_in_error,
                                .detections_without_image = expected->detections_without_image};
}

static void format_row(void *user, const ee_case_result *result, ee_arena *scratch, ee_buffer *out) {
  (void)user;
  ee_row_write(result, scratch, out);
}

static ee_status write_rows(void *user, const char *data, size_t length, ee_error *error) {
  return ee_conclusion_add_rows(&((merge *)user)->conclusion, data, length, error);
}

static void format_collected(void *user, const ee_case_result *result, ee_arena *scratch, ee_buffer *out) {
  (void)user;
  ee_row_write_collected(result, scratch, out);
}

static ee_status collect(void *user, ee_str row, uint64_t *errors, ee_error *error) {
  return ee_conclusion_collect(&((merge *)user)->conclusion, row, errors, error);
}

static void report_error(void *user, const ee_error *error) {
  ee_conclusion_add_error(&((merge *)user)->conclusion, error);
}

static void end_at_once(void *user) {
  (void)user;
  ee_interrupt_end_at_once();
}

/* Judges the expected values that no part has a record for, as the whole run does at its end. */
static ee_status judge_absent(merge *self, ee_error *error) {
  const ee_options *options = self->options;
  const ee_totals *totals = &self->run.totals;
  bool any_read = totals->scored + totals->filtered + totals->unjudged > 0;
  if (self->inputs.expected == NULL || options->missing != 0 || self->set.missing != NULL || !any_read) return EE_OK;
  const ee_plan *plan = ee_rule_file_plan(self->rules);
  ee_status status = ee_open_provider(plan, options, &self->terminal, &self->provider, error);
  if (status != EE_OK) return status;
  bool rows = ee_conclusion_wants_rows(&self->conclusion), collects = self->conclusion.collector != NULL;
  ee_run_options run_options = {
      .jobs = (unsigned)options->jobs,
      .choice = ee_load_choice(options),
      .judge_absent = true,
      .only_absent = true,
      .part = true,
      .expected = self->inputs.expected,
      .provider = self->provider,
      .detail = self->full_rows ? EE_DETAIL_FULL : EE_DETAIL_MISSES, /* as the rows of the parts */
      .kinds = true,
      .hooks = {.user = self,
                .format = rows ? format_row : NULL,
                .write = write_rows,
                .format_collected = collects ? format_collected : NULL,
                .collect = collects ? collect : NULL,
                .report = report_error,
                .judged = end_at_once},
  };
  run_options.interrupted = ee_interrupt_watch();
  ee_run_result absent;
  status = ee_run(plan, NULL, &run_options, &absent, error);
  /* unreached: a run without records does not fail */
  if (status == EE_OK) ee_totals_merge(&self->run.totals, &absent.totals);
  self->run.interrupted = absent.interrupted;
  ee_totals_fini(&absent.totals);
  return status;
}

/* The report ------------------------------------------------------------------------------------- */

/* A page of HTML shows documents, which only rows in full detail have. */
static void check_detail(merge *self, const char *file, ee_str rows) {
  static const char full[] = "\"detail\":\"full\"";
  const char *end = memchr(rows.data, '\n', rows.length);
  size_t length = end != NULL ? (size_t)(end - rows.data) : rows.length;
  self->full_rows = memmem(rows.data, length, full, sizeof full - 1) != NULL;
  if (self->full_rows || !self->options->format->cases) return;
  ee_error warning;
  ee_error_at(&warning, EE_OK, file, 1, 0,
              "warning: a row without --detail full: the page shows only what is wrong in its cases");
  ee_terminal_message(&self->terminal, &warning);
}

/* Gives the lines of a file of rows to the report; the rest of a block that ends within a line stays in `text`. */
static ee_status add_rows(merge *self, size_t number, ee_error *error) {
  const char *file = self->part_rows.files.items[number].name;
  ee_byte_source *source = ee_byte_source_open(ee_part_rows_path(&self->part_rows, number), error);
  if (source == NULL) return EE_ERROR_SYSTEM; /* unreached: the file was read before */
  ee_buffer text = {0};
  ee_status status = EE_OK;
  for (size_t got = 1; status == EE_OK && got > 0;) {
    char *room = ee_buffer_reserve(&text, ROWS_READ);
    status = ee_byte_source_read(source, room, ROWS_READ, &got, error);
    if (status != EE_OK) break; /* unreached: a read fails: make faults */
    text.length += got;
    if (got == 0 && text.length > 0 && text.data[text.length - 1] != '\n') ee_buffer_add_char(&text, '\n');
    size_t end = text.length;
    while (end > 0 && text.data[end - 1] != '\n') end--;
    if (self->rows == 0 && end > 0) check_detail(self, file, (ee_str){text.data, end});
    for (size_t i = 0; i < end; i++) self->rows += text.data[i] == '\n';
    if (end > 0) status = ee_conclusion_add_rows(&self->conclusion, text.data, end, error);
    memmove(text.data, text.data + end, text.length - end);
    text.length -= end;
  }
  ee_buffer_fini(&text);
  ee_byte_source_close(source);
  return status;
}

static ee_status add_all_rows(merge *self, ee_error *error) {
  const ee_part_rows *rows = &self->part_rows;
  ee_status status = EE_OK;
  ee_error warning;
  if (rows->guessed > 1) {
    ee_error_set(&warning, EE_OK,
                 "warning: rows without ids are not checked: %zu files of --rows are taken in the order given, which "
                 "must be that of the parts",
                 rows->guessed);
    ee_terminal_message(&self->terminal, &warning);
  }
  for (size_t i = 0; i < rows->order.count && status == EE_OK; i++)
    status = add_rows(self, rows->order.items[i], error);
  uint64_t cases = self->run.totals.scored;
  if (status != EE_OK || rows->files.count == 0 || self->rows == cases) return status;
  ee_error_set(&warning, EE_OK,
               "warning: --rows has %" PRIu64 " rows for %" PRIu64
               " cases: what the report shows of single cases is from these rows only",
               self->rows, cases);
  ee_terminal_message(&self->terminal, &warning);
  return EE_OK;
}

/* Prints what the parts said, with the part that said it. */
static void print_messages(merge *self) {
  uint64_t all = 0, kept = 0;
  for (size_t i = 0; i < self->set.count; i++) {
    const ee_part *part = &self->set.items[i].part;
    all += part->message_count;
    kept += part->messages.count;
    for (size_t k = 0; k < part->messages.count; k++) {
      const ee_part_message *message = &part->messages.items[k];
      const char *of =
          part->of == 0
              ? NULL
              : ee_part_name(&(ee_part){.from = message->from, .to = message->to, .of = part->of}, &self->arena);
      ee_conclusion_add_error_of(&self->conclusion, &message->error, of);
    }
  }
  ee_terminal_rest(&self->terminal);
  if (all == kept) return;
  ee_terminal_note(&self->terminal, ee_str_from(ee_arena_printf(
                                        &self->arena, "the parts gave %" PRIu64 " messages; a state keeps the first %d",
                                        all, EE_PART_MESSAGES)));
}

/* The names of the data, as the whole run would have them on its command line. */
static void name_data(merge *self) {
  const ee_part *whole = &self->whole;
  const char **names = EE_NEW_ARRAY(&self->arena, const char *, whole->inputs.count + 1);
  names[0] = "-";
  for (size_t i = 0; i < whole->inputs.count; i++)
    names[i] = ee_arena_copy(&self->arena, whole->inputs.items[i].data, whole->inputs.items[i].length);
  self->conclusion.data = names;
  self->conclusion.data_count = whole->inputs.count;
  self->inputs.files = names;
}

static ee_status write_report(merge *self, int *result, ee_error *error) {
  size_t next = 0;
  const ee_options *options = self->options;
  ee_status status = ee_part_rows_open(&self->part_rows, options->rows.items, options->rows.count,
                                       ee_rule_file_plan(self->rules)->rules_hash, NULL, error);
  if (status == EE_OK) status = merge_entries(self, &next, true, error);
  if (status == EE_OK) status = ee_part_rows_finish(&self->part_rows, error);
  if (status == EE_OK) status = write_duplicates(self, error);
  if (status == EE_OK) status = open_expected(self, error);
  if (status != EE_OK) return status;
  name_data(self);
  status = ee_conclusion_open(&self->conclusion, error);
  if (status != EE_OK) return status;
  print_messages(self);
  status = add_all_rows(self, error);
  if (status == EE_OK) status = judge_absent(self, error); /* unreached: rows that cannot be written: make faults */
  if (status != EE_OK) return status;
  uint64_t units = self->run.interrupted ? EE_TOTALS_INTERRUPTED_WORK : EE_WORK_UNLIMITED;
  self->run.unfinished = !ee_totals_finish_within(&self->run.totals, units);
  ee_note_merged_states(&self->terminal, &self->set, self->run.totals.scored);
  ee_foreign_warn(options, &self->whole.expected_notes, expected_file(self), &self->terminal);
  ee_foreign_warn(options, &self->whole.data_notes, self->conclusion.data_count == 1 ? self->conclusion.data[0] : NULL,
                  &self->terminal);
  warn_of_missing(self);
  warn_of_repeats(self);
  self->run.data_errors = self->run.totals.unreadable + self->run.totals.duplicates + self->whole.repeated.count;
  const char *missing = missing_parts(self);
  const ee_outcome_of_run outcome = {.run = &self->run,
                                     .inputs = &self->inputs,
                                     .expected = coverage_of(self),
                                     .whole = missing == NULL,
                                     .unended = ee_part_unended_text(&self->whole, &self->arena),
                                     .missing_parts = missing,
                                     .one_missing = self->set.missing_count == 1,
                                     .counted_twice = self->whole.repeated.count};
  return ee_conclude(&self->conclusion, &outcome, result, error);
}

static int run_merge(merge *self, ee_error *error) {
  const ee_options *options = self->options;
  ee_status status = check_options(self, error);
  if (status != EE_OK) return (int)status;
  status = ee_load_first(options, NULL, &self->terminal, &self->rules, &self->cases);
  if (status != EE_OK) return (int)status;
  self->conclusion.rules = self->rules;
  self->conclusion.cases = self->cases;
  if (options->state == NULL) status = ee_conclusion_check(&self->conclusion, error);
  if (status == EE_OK && self->conclusion.own_report != NULL)
    status = ee_report_check_parts(self->conclusion.own_report, error);
  if (status == EE_OK) status = ee_summaries_check_parts(ee_rule_file_plan(self->rules), error);
  if (status == EE_OK) status = read_states(self, error);
  if (status == EE_OK) status = ee_conclusion_open_collector(&self->conclusion, error);
  if (status != EE_OK) return (int)status;
  int result = EE_OK;
  status = options->state != NULL ? write_states(self, error) : write_report(self, &result, error);
  return status == EE_OK ? result : (int)status;
}

int ee_command_merge(const ee_options *options) {
  if (ee_compared_states_are_given(options)) return ee_merge_compared_states(options);
  merge self = {.options = options, .state = {.descriptor = -1}};
  ee_error error = {0};
  ee_terminal_init(&self.terminal, options);
  ee_arena_init(&self.arena, 0);
  ee_part_set_init(&self.set);
  ee_conclusion_init(&self.conclusion, options, &self.terminal, &self.arena);
  self.annotations = self.conclusion.annotations = ee_terminal_annotations(options);
  ee_interrupt_end_at_once();
  int result = run_merge(&self, &error);
  ee_terminal_clear(&self.terminal);
  if (error.message[0] != '\0' && result != EE_OK) ee_terminal_fail(&self.terminal, &error);
  ee_terminal_annotate(&self.terminal, self.annotations);
  ee_conclusion_fini(&self.conclusion);
  ee_output_close(&self.state, false, NULL);
  if (self.has_totals) ee_totals_fini(&self.run.totals);
  ee_id_pool_fini(&self.ids);
  ee_part_rows_close(&self.part_rows);
  ee_part_set_fini(&self.set);
  ee_expected_set_close(self.inputs.expected);
  ee_provider_free(self.provider);
  ee_rule_file_free(self.rules);
  ee_case_file_close(self.cases);
  ee_arena_fini(&self.arena);
  return result;
}
