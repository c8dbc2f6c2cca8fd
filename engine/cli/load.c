/* load.c: opening files in the order in which they depend on each other, with a message for every mistake. */
#include "cli/load.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/runtime.h"
#include "base/temporary_file.h"
#include "cli/foreign_inputs.h"
#include "data/files/byte_source.h"
#include "data/join_guess.h"
#include "data/json/json_reader.h"
#include "data/member_guess.h"
#include "data/name_join.h"
#include "data/yaml/yaml_reader.h"
#include "run/survey.h"

/* Ids without a record that are named; all are counted. */
#define UNUSED_SHOWN 5
/* Bytes of the data that are read again to say why no case was chosen. */
#define EXPLAINED_BYTES ((uint64_t)64 << 20)
/* Bytes of such an id. */
#define ID_SHOWN 60
/* A shorter value of --set is part of a key by chance. */
#define MIN_KEY_PART 8

ee_status ee_load_text(const char *file, ee_buffer *text, ee_error *error) {
  ee_byte_source *source = ee_byte_source_open(file, error);
  if (source == NULL) return EE_ERROR_SYSTEM;
  ee_status status = ee_byte_source_read_whole(source, ee_bound_size(EE_BOUND_FILE), text, error);
  ee_byte_source_close(source);
  return status;
}

/* Standard input, twice ------------------------------------------------------------------------- */

/* How often the flag is checked while a pipe is silent. */
#define WAIT_MS 200

static ee_status spool_failed(const char *what, ee_error *error) {
  return ee_error_set(error, EE_ERROR_SYSTEM, "cannot %s: %s", what, strerror(errno));
}

/* The next bytes of standard input; -1 with errno, EINTR when the flag was set. */
static ssize_t read_input(void *out, size_t room, const volatile sig_atomic_t *interrupt) {
  for (;;) {
    if (ee_flag_is_set(interrupt)) {
      errno = EINTR;
      return -1;
    }
    struct pollfd wanted = {.fd = STDIN_FILENO, .events = POLLIN};
    int ready = poll(&wanted, 1, WAIT_MS);
    if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    ssize_t got = read(STDIN_FILENO, out, room);
    if (got >= 0 || errno != EINTR) return got; /* unreached: a signal during a read */
  }
}

static ee_status copy_input(int file, const volatile sig_atomic_t *interrupt, ee_error *error) {
  static char piece[1 << 16];
  ssize_t got;
  while ((got = read_input(piece, sizeof piece, interrupt)) > 0)
    if (!ee_write_whole(file, piece, (size_t)got)) /* unreached: the disk is full: make faults */
      /* unreached: as the line before */
      return spool_failed("keep standard input in a temporary file (see TMPDIR)", error);
  return got == 0 ? EE_OK : spool_failed("read standard input", error);
}

ee_status ee_spool_standard_input(const volatile sig_atomic_t *interrupt, int64_t *start, ee_error *error) {
  struct stat about;
  off_t at = lseek(STDIN_FILENO, 0, SEEK_CUR);
  *start = 0;
  /* unreached: fstat() of an open file does not fail */
  if (at >= 0 && fstat(STDIN_FILENO, &about) == 0 && S_ISREG(about.st_mode)) {
    *start = (int64_t)at;
    return EE_OK;
  }
  int file = ee_temporary_file();
  /* unreached: no temporary file can be made: make faults */
  if (file < 0) return spool_failed("make a temporary file for standard input (see TMPDIR)", error);
  ee_status status = copy_input(file, interrupt, error);
  /* unreached: dup2() of an open file does not fail */
  if (status == EE_OK && dup2(file, STDIN_FILENO) < 0) status = spool_failed("read standard input again", error);
  close(file);
  return status == EE_OK ? ee_rewind_standard_input(0, error) : status;
}

bool ee_names_standard_input(const ee_options *options) {
  for (size_t i = 0; i < options->operand_count; i++)
    if (strcmp(options->operands[i], "-") == 0) return true;
  return false;
}

ee_status ee_rewind_standard_input(int64_t start, ee_error *error) {
  /* unreached: what was read from a file can be read again */
  if (lseek(STDIN_FILENO, (off_t)start, SEEK_SET) >= 0) return EE_OK;
  return spool_failed("read standard input again", error); /* unreached: as the line before */
}

/* Rules and provider --------------------------------------------------------------------------- */

static ee_path_list list_of(const ee_paths *paths) { return (ee_path_list){paths->items, paths->count}; }

ee_record_paths ee_load_paths(const ee_options *options) {
  return (ee_record_paths){.id = list_of(&options->ids),
                           .expected_id = list_of(&options->expected_ids),
                           .expected = list_of(&options->expected_paths),
                           .candidates = list_of(&options->candidate_lists),
                           .trial = list_of(&options->trial_paths),
                           .candidate = list_of(&options->candidates),
                           .records = list_of(&options->records),
                           .from = options->foreign};
}

/* Who forbids programs; NULL: nobody. */
static const char *why_no_programs(const ee_options *options) {
  if (options->no_exec) return ", which --no-exec forbids";
  if (options->offline) return ", which --offline forbids";
  return options->jail && !options->allow_programs ? ", which --jail forbids without --allow-programs" : NULL;
}

ee_rule_file_options ee_load_options(const ee_options *options) {
  return (ee_rule_file_options){
      .limits = {.instructions = options->lua_budget, .traceback = options->verbose},
      .parameters = options->parameters.items,
      .parameter_count = options->parameters.count,
      .config = options->config_tree,
      .allow_programs = options->allow_programs,
      .no_programs = why_no_programs(options),
      .paths = ee_load_paths(options),
      .asks_models = getenv("OPENAI_MODEL") != NULL,
      .repair = options->repair,
      .cluster = options->cluster,
      .confidence = options->confidence > 0 ? options->confidence : 0,
  };
}

static void warn(const ee_error *about, ee_terminal *terminal) {
  ee_error warning;
  ee_error_at(&warning, EE_OK, about->file[0] != '\0' ? about->file : NULL, about->line, about->column, "warning: %s",
              about->message);
  ee_terminal_message(terminal, &warning);
}

/* Prints the messages of loading and the warnings of the plan; returns `file`. */
static ee_rule_file *print_messages(ee_rule_file *file, const ee_error_list *errors, ee_terminal *terminal) {
  for (size_t i = 0; i < errors->count; i++) {
    if (errors->items[i].status == EE_OK)
      warn(&errors->items[i], terminal);
    else
      ee_terminal_fail(terminal, &errors->items[i]);
  }
  const ee_plan *plan = file != NULL ? ee_rule_file_plan(file) : NULL;
  for (size_t i = 0; plan != NULL && i < plan->warning_count; i++) warn(&plan->warnings[i], terminal);
  return file;
}

/* A report of the rules that has the name of a format could not be chosen. */
static bool check_report_names(const ee_plan *plan, ee_terminal *terminal) {
  bool good = true;
  for (size_t i = 0; i < plan->report_count; i++) {
    const ee_report_rule *report = &plan->reports[i];
    if (ee_report_format_find(report->name) == NULL) continue;
    ee_error error;
    ee_error_at(&error, EE_ERROR_RULES, report->file, report->line, 0,
                "ee.report '%.*s' has the name of a format of the program", EE_STR_ARG(report->name));
    ee_terminal_fail(terminal, &error);
    good = false;
  }
  return good;
}

ee_rule_file *ee_load_rules_with(const ee_rule_file_options *load, const char *path, ee_terminal *terminal) {
  ee_error_list errors;
  ee_error_list_init(&errors);
  ee_rule_file *file = print_messages(ee_rule_file_load(path, load, &errors), &errors, terminal);
  ee_error_list_fini(&errors);
  if (file == NULL || check_report_names(ee_rule_file_plan(file), terminal)) return file;
  ee_rule_file_free(file);
  return NULL;
}

ee_status ee_find_report(const ee_options *options, const ee_plan *plan, const ee_report_rule **report,
                         ee_error *error) {
  *report = NULL;
  if (!options->format->own) return EE_OK;
  const char *name = options->format->name;
  *report = ee_report_rule_find(plan, ee_str_from(name));
  if (*report != NULL) return EE_OK;
  ee_arena *arena = options->arena;
  const char **own = EE_NEW_ARRAY(arena, const char *, plan->report_count + 1);
  for (size_t i = 0; i < plan->report_count; i++)
    own[i] = ee_arena_copy(arena, plan->reports[i].name.data, plan->reports[i].name.length);
  const char *const *names = ee_report_format_names(own, arena);
  const char *suggestion = ee_suggestion(arena, ee_str_from(name), names);
  if (*suggestion != '\0') return ee_error_set(error, EE_ERROR_USAGE, "unknown format '%s'%s", name, suggestion);
  const char *list = "";
  for (; *names != NULL; names++) list = ee_arena_printf(arena, "%s%s%s", list, *list != '\0' ? ", " : "", *names);
  return ee_error_set(error, EE_ERROR_USAGE,
                      "unknown format '%s': neither a format of the program nor an ee.report of "
                      "the rules (one of %s)",
                      name, list);
}

ee_rule_file *ee_load_rules(const ee_options *options, const char *path, ee_terminal *terminal) {
  ee_rule_file_options load = ee_load_options(options);
  return ee_load_rules_with(&load, path, terminal);
}

ee_rule_file *ee_load_rules_of_truths(const ee_options *options, const char *path, const ee_terminal *terminal) {
  ee_rule_file_options load = ee_load_options(options);
  load.two_truths = true;
  ee_terminal silent = *terminal;
  silent.quiet = true;
  return ee_load_rules_with(&load, path, &silent);
}

ee_status ee_load_first(const ee_options *options, const volatile sig_atomic_t *interrupt, ee_terminal *terminal,
                        ee_rule_file **rules, ee_case_file **cases) {
  const char *path = options->operands[0];
  const ee_host *host = ee_host_current();
  *rules = NULL;
  *cases = NULL;
  if (host != NULL && host->rules_text.data != NULL) {
    ee_rule_file_options load = ee_load_options(options);
    load.text = host->rules_text;
    *rules = ee_load_rules_with(&load, path, terminal);
    return *rules != NULL ? EE_OK : EE_ERROR_RULES;
  }
  if (!ee_is_yaml_name(path) || ee_names_rules(options, path)) {
    *rules = ee_load_rules(options, path, terminal);
    return *rules != NULL ? EE_OK : EE_ERROR_RULES;
  }
  ee_error error = {0};
  if (options->config != NULL) {
    ee_error_set(&error, EE_ERROR_USAGE, "--config does not apply to '%s': its evaluators have their own", path);
    ee_terminal_fail(terminal, &error);
    return EE_ERROR_USAGE;
  }
  *cases = ee_case_file_open(path, interrupt, &error);
  if (*cases == NULL) {
    ee_terminal_fail(terminal, &error);
    /* Here it is the rule file, and nothing can be judged by it. */
    return error.status == EE_ERROR_DATA ? EE_ERROR_RULES : error.status;
  }
  ee_rule_file_options load = ee_load_options(options);
  ee_error_list errors;
  ee_error_list_init(&errors);
  *rules = print_messages(ee_rule_file_of_cases(*cases, &load, &errors), &errors, terminal);
  ee_error_list_fini(&errors);
  return *rules != NULL ? EE_OK : EE_ERROR_RULES;
}

/* A key that the rule file takes from --set, maybe with something added, is not repeated where the command line is. */
static void hide_key(const ee_options *options, ee_str key) {
  for (size_t i = 0; key.length > 0 && i < options->parameters.count; i++) {
    ee_lua_parameter *parameter = &options->parameters.items[i];
    ee_str value = ee_str_from(parameter->value);
    bool has_key = memmem(value.data, value.length, key.data, key.length) != NULL;
    bool is_part = value.length >= MIN_KEY_PART && memmem(key.data, key.length, value.data, value.length) != NULL;
    parameter->secret = parameter->secret || has_key || is_part;
  }
}

ee_status ee_open_model(const ee_provider_settings *settings, const char *offline, const ee_options *options,
                        ee_terminal *terminal, ee_provider **provider, ee_error *error) {
  ee_provider_settings own = *settings;
  own.ca_file = options->ca_file;
  if (options->max_requests > 0) own.max_requests = (uint64_t)options->max_requests;
  if (options->max_cost > 0) own.max_cost = options->max_cost;
  if (own.max_cost > 0 && own.input_price + own.output_price == 0)
    return ee_error_set(error, EE_ERROR_RULES,
                        "--max-cost needs prices in the rules (provider = { ..., prices = { input "
                        "= ..., output = ... } })");
  if (own.kind != EE_PROVIDER_LOCAL && ee_host_current() == NULL) ee_hide_memory();
  *provider = ee_provider_open(&own, offline, error);
  if (*provider == NULL) return error->status;
  if ((*provider)->warning != NULL) {
    ee_error warning;
    ee_error_at(&warning, EE_OK, settings->rule_file, settings->line, 0, "warning: %s", (*provider)->warning);
    ee_terminal_message(terminal, &warning);
  }
  return EE_OK;
}

ee_status ee_open_provider(const ee_plan *plan, const ee_options *options, ee_terminal *terminal,
                           ee_provider **provider, ee_error *error) {
  const char *offline = options->offline                           ? "--offline"
                        : options->jail && !options->allow_network ? "--jail without --allow-network"
                                                                   : NULL;
  return ee_open_provider_as(plan, &plan->provider, offline, options, terminal, provider, error);
}

ee_status ee_open_provider_as(const ee_plan *plan, const ee_provider_settings *settings, const char *offline,
                              const ee_options *options, ee_terminal *terminal, ee_provider **provider,
                              ee_error *error) {
  *provider = NULL;
  hide_key(options, settings->key);
  if (!plan->needs_provider) return EE_OK;
  ee_error failure = {.status = EE_ERROR_RULES};
  if (ee_open_model(settings, offline, options, terminal, provider, &failure) == EE_OK) return EE_OK;
  if (failure.file[0] != '\0') {
    *error = failure;
    return failure.status;
  }
  return ee_error_at(error, failure.status, settings->rule_file, settings->line, 0, "%s", failure.message);
}

void ee_note_provider(const ee_provider *provider, ee_terminal *terminal) {
  if (provider == NULL || provider->vtable->tell == NULL) return;
  ee_buffer text;
  ee_buffer_init(&text);
  provider->vtable->tell(provider, &text);
  if (text.length > 0) ee_terminal_note(terminal, (ee_str){text.data, text.length});
  ee_buffer_fini(&text);
}

/* Files of COCO's in the wrong place ----------------------------------------------------------- */

typedef enum coco_file { NOT_COCO, COCO_ANNOTATIONS, COCO_RESULTS } coco_file;

static bool is_annotations(const char *file) {
  ee_byte_source *source = ee_byte_source_open(file, NULL);
  if (source == NULL) return false;
  /* Another object is read whole before it is known to be one, and one of COCO's that is cut is still known. */
  ee_byte_source_set_most(source, ee_bound_size(EE_BOUND_RECORD));
  ee_buffer text;
  ee_buffer_init(&text);
  ee_error_list errors;
  ee_error_list_init(&errors);
  ee_coco *coco = NULL;
  ee_status status = ee_coco_read(source, file, &text, &coco, &errors, NULL);
  bool found = coco != NULL || status == EE_ERROR_DATA; /* broken or incomplete */
  ee_coco_free(coco);
  ee_error_list_fini(&errors);
  ee_buffer_fini(&text);
  ee_byte_source_close(source);
  return found;
}

/* The first record of a file or directory that is an object, in `arena`; NULL if the first record is not one.
 * `*given_id`: ee_block_given_id(). */
static const ee_value *first_record(const char *file, const ee_record_paths *paths, ee_str *given_id, ee_arena *arena) {
  *given_id = (ee_str){NULL, 0};
  ee_dataset *dataset = strcmp(file, "-") != 0 ? ee_dataset_open(&file, 1, NULL) : NULL;
  if (dataset == NULL) return NULL;
  ee_dataset_set_brief(dataset);
  /* A document with the records in it is looked into only if it is no longer than a record may be. */
  ee_dataset_set_sizes(dataset, 0, ee_bound_size(EE_BOUND_RECORD));
  ee_dataset_look_inside(dataset, paths);
  ee_block block;
  ee_block_init(&block);
  bool done = false;
  const ee_value *record = NULL;
  if (ee_dataset_next(dataset, &block, &done, NULL) == EE_OK && block.count > 0) {
    ee_str text = {block.text.data + block.records[0].offset, block.records[0].length};
    record = ee_json_read_data(arena, text, NULL);
    ee_str id = ee_block_given_id(&block, &block.records[0]);
    if (id.data != NULL) *given_id = (ee_str){ee_arena_copy(arena, id.data, id.length), id.length};
  }
  ee_block_fini(&block);
  ee_dataset_close(dataset);
  return ee_type_of(record) == EE_OBJECT ? record : NULL;
}

bool ee_lacks_id(const char *file, const ee_record_paths *paths, ee_record_part part) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_str given_id, id = {NULL, 0};
  const ee_value *record = first_record(file, paths, &given_id, &arena);
  bool lacks = record != NULL && given_id.data == NULL &&
               ee_record_read_id(record, paths, part, &arena, &id, NULL) == EE_OK && id.data == NULL;
  ee_arena_fini(&arena);
  return lacks;
}

/* Whether the first record has an image and a box. */
static bool is_results(const char *file) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_str given_id;
  const ee_value *record = first_record(file, NULL, &given_id, &arena);
  bool found = ee_value_member(record, EE_STR("image_id"), &arena) != NULL &&
               ee_value_member(record, EE_STR("bbox"), &arena) != NULL;
  ee_arena_fini(&arena);
  return found;
}

static coco_file look_at(const char *file) {
  if (strcmp(file, "-") == 0 || ee_is_yaml_name(file)) return NOT_COCO;
  return is_annotations(file) ? COCO_ANNOTATIONS : is_results(file) ? COCO_RESULTS : NOT_COCO;
}

bool ee_is_coco_file(const char *file) { return look_at(file) != NOT_COCO; }

/* "'res.json' looks like ...", and how to give such files. */
static const char *describe_coco(const char *file, coco_file kind, ee_arena *arena) {
  return ee_arena_printf(arena, "'%s' looks like COCO %s: evalengine RULES.lua --expected INSTANCES.json RESULTS.json",
                         file, kind == COCO_RESULTS ? "results" : "annotations");
}

/* Whether `value` may hold records: objects in an array, or two or more by id. */
static bool holds_records(const ee_value *value) {
  if (ee_type_of(value) < EE_ARRAY) return false;
  for (const ee_value *child = ee_value_child(value); child != NULL; child = ee_value_next(child))
    if (ee_type_of(child) != EE_OBJECT) return false;
  return ee_value_count(value) >= (ee_type_of(value) == EE_ARRAY ? 1 : 2);
}

/* Where the first record of `file` has the records in a member: "--records output reads 181 records"; else NULL. */
static const char *describe_member(const char *file, const ee_record_paths *paths, ee_arena *arena) {
  ee_str given_id;
  const ee_value *record = first_record(file, paths, &given_id, arena), *best = NULL;
  if (record == NULL || paths->records.count > 0) return NULL;
  for (const ee_value *member = ee_value_child(record); member != NULL; member = ee_value_next(member))
    if (holds_records(member) && (best == NULL || ee_value_count(member) > ee_value_count(best))) best = member;
  if (best == NULL) return NULL;
  ee_path_text path = {.arena = arena};
  ee_path_text_add_key(&path, ee_value_key(best));
  unsigned count = ee_value_count(best);
  return ee_arena_printf(arena, "--records %.*s reads %u record%s from '%s'", EE_STR_ARG(ee_path_text_get(&path)),
                         count, count == 1 ? "" : "s", file);
}

/* Whether the whole of `file` is one value. */
static bool is_one_document(const char *file, const ee_record_paths *paths, ee_arena *arena) {
  ee_path_list whole = {.count = 1};
  const ee_path *path = ee_record_path_parse(arena, EE_STR("$"), NULL);
  whole.items = &path;
  ee_record_paths with = *paths;
  with.records = whole;
  ee_str given_id;
  first_record(file, &with, &given_id, arena);
  return given_id.data != NULL;
}

/* Where the records could be, or `otherwise`. */
static const char *describe_records(const ee_inputs *inputs, const ee_record_paths *paths, const char *otherwise,
                                    ee_arena *arena) {
  const char *text = describe_member(inputs->files[0], paths, arena);
  if (text == NULL) text = describe_member(inputs->expected_file, paths, arena);
  if (text != NULL || paths->records.count > 0) return text != NULL ? text : otherwise;
  bool whole = inputs->file_count == 1 && is_one_document(inputs->files[0], paths, arena) &&
               is_one_document(inputs->expected_file, paths, arena);
  return whole ? "--records '$' compares each file as one document" : otherwise;
}

/* "'doc' joins 347 of 347: --id doc", or `otherwise`. */
static const char *describe_join(const ee_inputs *inputs, const ee_record_paths *paths, const char *otherwise,
                                 ee_arena *arena) {
  bool readable = strcmp(inputs->expected_file, "-") != 0;
  for (size_t i = 0; i < inputs->file_count; i++) readable = readable && strcmp(inputs->files[i], "-") != 0;
  ee_join_guess guess = {0};
  if (readable && ee_join_guess_find(inputs->expected_file, inputs->files, inputs->file_count, paths, arena, &guess))
    return ee_join_guess_text(&guess, arena);
  if (readable) otherwise = describe_records(inputs, paths, otherwise, arena);
  const char *near = readable ? ee_join_guess_near_text(&guess, arena) : NULL;
  return near != NULL && otherwise != NULL ? ee_arena_printf(arena, "%s (%s)", otherwise, near) : otherwise;
}

/* "--expected-path PATH says ...", with the two members that could be meant, or the one of `record`. */
static const char *describe_parts(const ee_inputs *inputs, const ee_record_paths *paths, const ee_value *record,
                                  ee_arena *arena) {
  ee_member_guess guess;
  bool found = paths->expected.count == 0 && paths->candidate.count == 0 &&
               ee_member_guess_find(inputs->files, inputs->file_count, paths, arena, &guess);
  if (found)
    return ee_arena_printf(arena, "--expected-path PATH says where they are (likely: %s)",
                           ee_member_guess_text(&guess, arena));
  ee_str likely = paths->expected.count == 0 ? ee_record_likely_expected(record, arena) : (ee_str){NULL, 0};
  if (likely.data != NULL)
    return ee_arena_printf(arena, "--candidate PATH says where the answer is, and then '%.*s' is the expected value",
                           EE_STR_ARG(likely));
  return "--expected-path PATH says where they are, --expected FILE reads them from another file";
}

/* If the first record lacks its id or its expected value: the names that were looked for; else NULL. */
static const char *describe_names(const ee_inputs *inputs, const ee_record_paths *paths, ee_arena *arena) {
  ee_str given_id;
  const ee_value *record = first_record(inputs->files[0], paths, &given_id, arena);
  if (record == NULL) return NULL;
  ee_case current;
  bool joined = inputs->expected != NULL;
  ee_status (*read)(const ee_value *, const ee_record_paths *, const ee_record_place *, ee_arena *, ee_case *,
                    ee_error *) = joined ? ee_record_read_answer : ee_record_read;
  const ee_record_place place = {.given_id = given_id};
  bool good = read(record, paths, &place, arena, &current, NULL) == EE_OK;
  if (joined ? !good || !current.unnamed : good) return NULL;
  ee_buffer names;
  ee_buffer_init(&names);
  ee_record_names(paths, joined ? EE_PART_ID : EE_PART_EXPECTED, &names);
  const char *list = ee_buffer_terminate(&names);
  const char *text = joined ? ee_arena_printf(arena, "ids were looked for under %s: %s", list,
                                              describe_join(inputs, paths, "--id NAME says where they are", arena))
                            : ee_arena_printf(arena, "expected values were looked for under %s: %s", list,
                                              describe_parts(inputs, paths, record, arena));
  ee_buffer_fini(&names);
  return text;
}

const char *ee_inputs_guess(const ee_inputs *inputs, const ee_record_paths *paths, ee_arena *arena) {
  if (inputs->expected != NULL && ee_expected_set_coco(inputs->expected) != NULL) return NULL;
  const char *file = inputs->files[0];
  const char *tool = paths == NULL || paths->from == NULL ? ee_foreign_suggestion(file, arena) : NULL;
  if (tool != NULL) return tool;
  coco_file kind = look_at(file);
  return kind != NOT_COCO ? describe_coco(file, kind, arena) : describe_names(inputs, paths, arena);
}

/* Whether `file` is of the wrong `kind`; `error` then says so. */
static bool is_wrong_kind(const char *file, coco_file kind, ee_error *error) {
  if (look_at(file) != kind) return false;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_error_set(error, EE_ERROR_DATA, "%s", describe_coco(file, kind, &arena));
  ee_arena_fini(&arena);
  return true;
}

/* Data and expected values --------------------------------------------------------------------- */

/* Which operands are which files. */
static ee_status name_files(ee_inputs *inputs, const ee_options *options, ee_error *error) {
  const char *first = options->operands[0];
  if (ee_options_without_rules(options)) {
    bool apart = options->operand_count > 1 && options->expected == NULL;
    inputs->expected_file = apart ? first : options->expected;
    inputs->files = options->operands + apart;
    inputs->file_count = options->operand_count - apart;
    return EE_OK;
  }
  bool brings_expected = ee_is_yaml_name(first) && !ee_names_rules(options, first);
  if (brings_expected && options->expected != NULL)
    return ee_error_set(error, EE_ERROR_USAGE, "--expected does not apply to '%s': it has the expected values", first);
  bool alone = brings_expected && options->operand_count == 1;
  inputs->files = options->operands + (alone ? 0 : 1);
  inputs->file_count = options->operand_count - (alone ? 0 : 1);
  inputs->expected_file = brings_expected && !alone ? first : options->expected;
  return EE_OK;
}

static ee_status check_standard_input(const ee_inputs *inputs, ee_error *error) {
  if (strcmp(inputs->expected_file, "-") != 0) return EE_OK;
  for (size_t i = 0; i < inputs->file_count; i++)
    if (strcmp(inputs->files[i], "-") == 0)
      return ee_error_set(error, EE_ERROR_USAGE, "standard input '-' is both --expected and a data set");
  return EE_OK;
}

/* Joins the annotations' records with the data files. */
static ee_status join(ee_inputs *inputs, ee_coco *coco, const volatile sig_atomic_t *interrupt, ee_error_list *errors,
                      ee_error *error) {
  const char *const *files = inputs->files;
  ee_status status = ee_coco_join(coco, files, inputs->file_count, interrupt, errors, error);
  /* A line of an annotations file may pass for a detection, so that joining may have succeeded. */
  bool suspect = status == EE_ERROR_DATA || (status == EE_OK && ee_coco_count(coco).detections_in_error > 0);
  if (suspect && is_wrong_kind(files[0], COCO_ANNOTATIONS, error)) return EE_ERROR_DATA;
  if (status != EE_OK) return status;
  inputs->dataset = ee_dataset_open_made(files[0], ee_coco_count(coco).images, ee_coco_make_record, coco);
  ee_dataset_set_boxes(inputs->dataset, ee_coco_make_boxes);
  return EE_OK;
}

static uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* Adds to the message which member would join the files, if there is one. */
static void suggest_join(const ee_inputs *inputs, const ee_record_paths *paths, ee_error *error) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  const char *advice = describe_join(inputs, paths, NULL, &arena);
  ee_error before = *error;
  if (advice != NULL) ee_error_set(error, before.status, "%s; %s", before.message, advice);
  ee_arena_fini(&arena);
}

static ee_status open_expected(ee_inputs *inputs, const ee_record_paths *paths, const volatile sig_atomic_t *interrupt,
                               ee_error_list *errors, ee_error *error) {
  const char *file = inputs->expected_file;
  ee_status status = check_standard_input(inputs, error);
  if (status != EE_OK) return status;
  ee_error failure = {.status = EE_ERROR_SYSTEM};
  ee_record_paths own;
  status = ee_foreign_paths_of_expected(paths, file, &own, error);
  if (status != EE_OK) return status;
  inputs->expected = ee_expected_set_open(file, &own, interrupt, errors, &failure);
  if (inputs->expected == NULL) {
    if (failure.status == EE_ERROR_DATA) is_wrong_kind(file, COCO_RESULTS, &failure);
    *error = failure;
    if (failure.status == EE_ERROR_DATA) suggest_join(inputs, paths, error);
    return failure.status;
  }
  ee_coco *coco = ee_expected_set_coco(inputs->expected);
  return coco != NULL ? join(inputs, coco, interrupt, errors, error) : EE_OK;
}

/* Whether the first record of `file` has its id from the file's name. */
static bool is_named_by_file(const char *file, const ee_record_paths *paths) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_str given_id, id = {NULL, 0};
  const ee_value *record = first_record(file, paths, &given_id, &arena);
  bool named =
      given_id.data != NULL &&
      (record == NULL || (ee_record_read_id(record, paths, EE_PART_ID, &arena, &id, NULL) == EE_OK && id.data == NULL));
  ee_arena_fini(&arena);
  return named;
}

/* Files that are called X_predicted.json for X. `terminal` (NULL: nothing is said) */
static ee_status join_names(ee_inputs *inputs, const ee_record_paths *paths, ee_terminal *terminal, ee_error *error) {
  ee_name_join found;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_status status = EE_OK;
  size_t files = ee_dataset_file_count(inputs->dataset);
  if (ee_name_join_find(inputs->expected, inputs->dataset, &arena, &found) &&
      is_named_by_file(inputs->files[0], paths)) {
    const char *and = found.prefix.length > 0 && found.suffix.length > 0 ? "' and '" : "";
    const char *text = ee_arena_printf(&arena, "%.*s%s%.*s", EE_STR_ARG(found.prefix), and, EE_STR_ARG(found.suffix));
    status = ee_dataset_cut_names(inputs->dataset, found.prefix, found.suffix, error);
    ee_error note;
    size_t left = files - ee_dataset_file_count(inputs->dataset);
    const char *others = left > 0 ? ee_arena_printf(&arena, "; %zu file%s not called so %s not read", left,
                                                    left == 1 ? "" : "s", left == 1 ? "is" : "are")
                                  : "";
    ee_error_at(&note, EE_OK, inputs->files[0], 0, 0, "%zu of %zu ids are names of files without '%s'%s", found.joined,
                ee_expected_set_count(inputs->expected), text, others);
    if (terminal != NULL) ee_terminal_message(terminal, &note);
  }
  ee_arena_fini(&arena);
  return status;
}

/* `terminal`: NULL: nothing is said. */
static ee_status open_dataset(ee_inputs *inputs, const ee_record_paths *paths, ee_terminal *terminal, ee_error *error) {
  inputs->dataset = ee_dataset_open(inputs->files, inputs->file_count, error);
  if (inputs->dataset == NULL) return EE_ERROR_SYSTEM;
  const ee_error_list *notes = ee_dataset_notes(inputs->dataset);
  for (size_t i = 0; terminal != NULL && i < notes->count; i++) ee_terminal_message(terminal, &notes->items[i]);
  ee_status status = inputs->expected != NULL ? join_names(inputs, paths, terminal, error) : EE_OK;
  ee_dataset_look_inside(inputs->dataset, paths);
  return status;
}

static bool reads_standard_input(const ee_inputs *inputs) {
  for (size_t i = 0; i < inputs->file_count; i++)
    if (strcmp(inputs->files[i], "-") == 0) return true;
  return false;
}

/* Looks through the data before they are read, for runs that must not be mixed. */
static ee_status check_variants(const ee_inputs *inputs, const ee_options *options, const ee_record_paths *paths,
                                const volatile sig_atomic_t *interrupt, ee_error *error) {
  bool piped = reads_standard_input(inputs);
  int64_t start = 0;
  ee_status status = piped ? ee_spool_standard_input(interrupt, &start, error) : EE_OK;
  if (status == EE_OK) status = ee_foreign_check_variants(inputs, options, paths, error);
  return status == EE_OK && piped ? ee_rewind_standard_input(start, error) : status;
}

ee_status ee_inputs_open(ee_inputs *inputs, const ee_options *options, const ee_record_paths *paths,
                         const volatile sig_atomic_t *interrupt, ee_terminal *terminal, ee_error *error) {
  *inputs = (ee_inputs){0};
  ee_status named = name_files(inputs, options, error);
  const ee_record_paths given = ee_load_paths(options);
  if (named == EE_OK) named = ee_record_paths_check(&given, error);
  if (named != EE_OK) return named;
  if (inputs->expected_file != NULL) {
    uint64_t since = now_ns();
    ee_error_list errors;
    ee_error_list_init(&errors);
    ee_status status = open_expected(inputs, paths, interrupt, &errors, error);
    for (size_t i = 0; i < errors.count; i++) ee_terminal_message(terminal, &errors.items[i]);
    ee_error_list_fini(&errors);
    inputs->opening_ns = now_ns() - since;
    if (status != EE_OK) return status;
  }
  ee_status status = ee_foreign_check_coco(inputs, options, error);
  if (status != EE_OK || inputs->dataset != NULL) return status;
  if (ee_foreign_has_variants(options)) status = check_variants(inputs, options, paths, interrupt, error);
  return status == EE_OK ? open_dataset(inputs, paths, terminal, error) : status;
}

ee_status ee_inputs_restart(ee_inputs *inputs, const ee_record_paths *paths, int64_t start, ee_error *error) {
  ee_dataset_close(inputs->dataset);
  inputs->dataset = NULL;
  if (reads_standard_input(inputs)) {
    ee_status status = ee_rewind_standard_input(start, error);
    if (status != EE_OK) return status;
  }
  return open_dataset(inputs, paths, NULL, error);
}

void ee_inputs_close(ee_inputs *inputs) {
  ee_dataset_close(inputs->dataset);
  ee_expected_set_close(inputs->expected);
  *inputs = (ee_inputs){0};
}

uint64_t ee_inputs_in_error(const ee_inputs *inputs) {
  ee_expected_coverage coverage = ee_inputs_coverage(inputs, false);
  return coverage.in_error + coverage.detections_in_error + coverage.detections_without_image;
}

ee_expected_coverage ee_inputs_coverage(const ee_inputs *inputs, bool whole) {
  if (inputs->expected == NULL) return (ee_expected_coverage){.given = false};
  ee_expected_coverage coverage = {.given = true,
                                   .whole = whole,
                                   .records = ee_expected_set_count(inputs->expected),
                                   .in_error = ee_expected_set_in_error(inputs->expected)};
  const ee_coco *coco = ee_expected_set_coco(inputs->expected);
  if (coco != NULL) {
    ee_coco_counts counts = ee_coco_count(coco);
    coverage.detections_given = true;
    coverage.detections = counts.detections;
    coverage.detections_in_error = counts.detections_in_error;
    coverage.detections_without_image = counts.detections_without_image;
  } else if (whole) {
    ee_arena arena;
    ee_arena_init(&arena, 0);
    const ee_str *ids;
    coverage.without_record = ee_expected_set_unused(inputs->expected, 0, &arena, &ids);
    ee_arena_fini(&arena);
  }
  return coverage;
}

/* Opens the data again, at their start; NULL when they cannot be read a second time. */
static ee_dataset *reopen(const ee_inputs *inputs) {
  for (size_t i = 0; i < inputs->file_count; i++)
    if (strcmp(inputs->files[i], "-") == 0) return NULL;
  bool coco = inputs->expected != NULL && ee_expected_set_coco(inputs->expected) != NULL;
  return coco ? NULL : ee_dataset_open(inputs->files, inputs->file_count, NULL);
}

/* "'a' or 'b'". */
static const char *quoted_list(const ee_texts *texts, ee_arena *arena) {
  const char *list = "";
  for (size_t i = 0; i < texts->count; i++)
    list = ee_arena_printf(arena, "%s%s'%s'", list, i > 0 ? " or " : "", texts->items[i]);
  return list;
}

ee_case_choice ee_load_choice(const ee_options *options) {
  return (ee_case_choice){.only = options->only.items,
                          .only_count = options->only.count,
                          .where = options->where.items,
                          .where_count = options->where.count};
}

/* Whether there is a case; also the flag that ends reading, since one is enough. */
typedef struct any_case {
  volatile sig_atomic_t found;
} any_case;

static void note_case(void *user, const ee_case *current, ee_arena *arena) {
  (void)current, (void)arena;
  ((any_case *)user)->found = 1;
}

bool ee_inputs_explain_choice(const ee_inputs *inputs, const ee_options *options, const ee_record_paths *paths,
                              ee_arena *arena, ee_error *error) {
  ee_dataset *dataset = reopen(inputs);
  const char *why = NULL;
  any_case any = {.found = dataset == NULL};
  if (dataset != NULL) {
    ee_dataset_look_inside(dataset, paths);
    ee_dataset_set_interrupt(dataset, &any.found);
    ee_survey(dataset, inputs->expected, paths, NULL, note_case, &any, NULL);
    ee_dataset_close(dataset);
  }
  if (any.found == 0) return false;
  dataset = options->where.count > 0 ? reopen(inputs) : NULL;
  if (dataset != NULL) {
    ee_dataset_look_inside(dataset, paths);
    why = ee_where_explain(options->where.items, options->where.count, dataset, EXPLAINED_BYTES, inputs->expected,
                           paths, arena);
    ee_dataset_close(dataset);
  }
  if (why == NULL && options->where.count == 0)
    why = ee_arena_printf(arena, "no case's id matches %s", quoted_list(&options->only, arena));
  ee_error_set(error, EE_ERROR_DATA, "%s", why != NULL ? why : "no case meets all conditions of --where and --only");
  return true;
}

void ee_inputs_warn(const ee_inputs *inputs, uint64_t judged, ee_terminal *terminal) {
  if (inputs->expected == NULL) return;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  const ee_str *ids;
  size_t count = ee_expected_set_unused(inputs->expected, UNUSED_SHOWN, &arena, &ids);
  size_t shown = count < UNUSED_SHOWN ? count : UNUSED_SHOWN;
  ee_buffer list;
  ee_buffer_init(&list);
  for (size_t i = 0; i < shown; i++)
    ee_buffer_addf(&list, "%s'%.*s'", i > 0 ? ", " : "", (int)ee_utf8_cut(ids[i], ID_SHOWN), ids[i].data);
  ee_error warning;
  const char *advice = "";
  if (judged > 0)
    advice = ee_arena_printf(&arena, "; %sjudged as %s (--missing skip leaves %s out)",
                             judged < count ? ee_arena_printf(&arena, "%" PRIu64 " of them ", judged) : "",
                             judged == 1 ? "an empty candidate" : "empty candidates", judged == 1 ? "it" : "them");
  ee_error_set(&warning, EE_OK, "warning: no record for %zu of the ids in '%s': %s%s%s", count, inputs->expected_file,
               ee_buffer_terminate(&list), count > shown ? ", ..." : "", advice);
  if (count > 0) ee_terminal_message(terminal, &warning);
  ee_buffer_fini(&list);
  ee_arena_fini(&arena);
}
