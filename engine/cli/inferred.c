/* inferred.c: opens the data twice, builds the command for the head of the rule file, and writes the file. */
#include "cli/inferred.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/runtime.h"
#include "cli/foreign_inputs.h"
#include "cli/output.h"
#include "data/foreign/foreign.h"
#include "data/join_guess.h"
#include "data/json/json_writer.h"
#include "data/member_guess.h"
#include "data/yaml/yaml_reader.h"
#include "judge/rule_text/rule_document.h"
#include "lua/rule_file.h"

/* Saved rules ----------------------------------------------------------------------------------- */

/* Whether `path` holds exactly `text`. EE_ERROR_SYSTEM if it cannot be read. */
static ee_status is_same_text(const char *path, const ee_buffer *text, bool *same, ee_error *error) {
  ee_buffer found;
  ee_buffer_init(&found);
  *same = false;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t got = file < 0 ? -1 : 1;
  /* unreached: a read fails: make faults */
  while (file >= 0 && (got > 0 || (got < 0 && errno == EINTR)) && found.length <= text->length) {
    size_t room = text->length - found.length + 1;
    got = read(file, ee_buffer_reserve(&found, room), room);
    if (got > 0) found.length += (size_t)got;
  }
  ee_status status = EE_OK;
  if (got < 0) /* unreached: a read fails: make faults */
    /* unreached: as the line before */
    status = ee_error_set(error, EE_ERROR_SYSTEM, "cannot read '%s': %s", path, strerror(errno));
  else
    *same = found.length == text->length && memcmp(found.data, text->data, text->length) == 0;
  if (file >= 0) close(file);
  ee_buffer_fini(&found);
  return status;
}

/* The run that --resume goes on with may have saved its rules: they are there, and must be the same. */
static bool is_saved_before(const ee_options *options) {
  return options->resume && ee_output_check_new(options->save_rules, NULL) != EE_OK;
}

static ee_status check_saved(const ee_options *options, ee_error *error) {
  if (options->save_rules == NULL || is_saved_before(options)) return EE_OK;
  if (strcmp(options->save_rules, "-") == 0)
    return ee_error_set(error, EE_ERROR_USAGE, "--save-rules takes a file; 'evalengine init -o -' prints the rules");
  return ee_output_check_new(options->save_rules, error);
}

static ee_status save(const ee_options *options, const ee_buffer *text, ee_error *error) {
  const char *saved = options->save_rules;
  if (saved == NULL) return EE_OK;
  if (!is_saved_before(options)) return ee_output_write_new(saved, text, error);
  bool same;
  ee_status status = is_same_text(saved, text, &same, error);
  if (status != EE_OK || same) return status;
  return ee_error_set(error, EE_ERROR_USAGE,
                      "'%s' exists and holds other rules than this run has: remove it or name another file", saved);
}

/* Where the rules come from --------------------------------------------------------------------- */

/* The file's name without folder and endings: "truth" for "data/truth.jsonl.gz". */
static const char *name_of(const char *file, ee_arena *arena) {
  if (strcmp(file, "-") == 0) return "evaluation";
  size_t end = strlen(file);
  while (end > 1 && file[end - 1] == '/') end--;
  size_t start = end;
  while (start > 0 && file[start - 1] != '/') start--;
  const char *dot = memchr(file + start + 1, '.', end - start > 0 ? end - start - 1 : 0);
  if (dot != NULL) end = (size_t)(dot - file);
  ee_buffer line;
  ee_buffer_init(&line);
  ee_one_line(&line, (ee_str){file + start, end - start}, EE_STR(""), 100);
  const char *name = ee_arena_copy(arena, line.data, line.length);
  ee_buffer_fini(&line);
  return *name != '\0' ? name : "evaluation";
}

static void add_word(ee_buffer *out, const char *word) {
  ee_buffer_add_char(out, ' ');
  ee_one_line(out, ee_str_from(word), EE_STR(""), 300);
}

static void add_paths(ee_buffer *out, const char *option, const ee_paths *paths) {
  for (size_t i = 0; i < paths->count; i++) {
    ee_buffer_addf(out, i == 0 ? " --%s " : ",", option);
    ee_one_line(out, paths->items[i]->text, EE_STR(""), 300);
  }
}

/* The command that writes the same rules. */
static const char *command_of(const ee_options *options, ee_arena *arena) {
  ee_buffer text;
  ee_buffer_init(&text);
  ee_buffer_add_text(&text, "evalengine init");
  add_paths(&text, "id", &options->ids);
  add_paths(&text, "expected-id", &options->expected_ids);
  add_paths(&text, "candidate", &options->candidates);
  add_paths(&text, "candidates", &options->candidate_lists);
  add_paths(&text, "trial", &options->trial_paths);
  add_paths(&text, "expected-path", &options->expected_paths);
  if (options->foreign != NULL) ee_buffer_addf(&text, " --from %s", options->foreign->format->name);
  if (options->expected != NULL) {
    ee_buffer_add_text(&text, " --expected");
    add_word(&text, options->expected);
  }
  for (size_t i = 0; i < options->operand_count; i++) add_word(&text, options->operands[i]);
  const char *command = ee_arena_copy(arena, text.data, text.length);
  ee_buffer_fini(&text);
  return command;
}

static void add_case(ee_buffer *out, const char *name, const ee_paths *paths) {
  if (paths->count == 0) return;
  ee_buffer_addf(out, "%s%s = %s", out->length > 0 ? ", " : "", name, paths->count > 1 ? "{ " : "");
  for (size_t i = 0; i < paths->count; i++) {
    if (i > 0) ee_buffer_add_text(out, ", ");
    ee_lua_text_string(out, paths->items[i]->text);
  }
  if (paths->count > 1) ee_buffer_add_text(out, " }");
}

/* The options that describe records, for `case = { ... }`. */
static const char *case_text_of(const ee_options *options, ee_arena *arena) {
  ee_buffer text;
  ee_buffer_init(&text);
  add_case(&text, "id", &options->ids);
  add_case(&text, "expected_id", &options->expected_ids);
  add_case(&text, "expected", &options->expected_paths);
  add_case(&text, "candidate", &options->candidates);
  add_case(&text, "candidates", &options->candidate_lists);
  add_case(&text, "trial", &options->trial_paths);
  add_case(&text, "records", &options->records);
  const char *result = text.length > 0 ? ee_arena_copy(arena, text.data, text.length) : NULL;
  ee_buffer_fini(&text);
  return result;
}

/* The rules ------------------------------------------------------------------------------------- */

/* The path of the member `key`, as an array of one; empty if its data is NULL. */
static void set_member(ee_paths *paths, ee_str key, ee_arena *arena) {
  if (key.data == NULL) return;
  ee_path_text text = {.arena = arena};
  ee_path_text_add_key(&text, key);
  *paths = (ee_paths){0};
  *EE_LIST_ADD(paths, arena) = ee_path_parse(arena, ee_path_text_get(&text), NULL);
}

/* No member is certain to be the id; guessing could take a value that should be judged. */
static ee_status no_ids(const char *expected, const char *file, const ee_join_guess *guess, bool in_one,
                        ee_arena *arena, ee_error *error) {
  const char *near = ee_join_guess_near_text(guess, arena);
  return ee_error_set(error, EE_ERROR_DATA,
                      "the records of '%s' and '%s' have no id, and no member's values are unique and the same on both "
                      "sides%s%s: --id NAME joins them by a member%s",
                      expected, file, near != NULL ? "; " : "", near != NULL ? near : "",
                      in_one ? "" : ", --records '$' takes each file as one document");
}

/* Finds the members that join two files whose records have no id under a known or given name, and prints a note. */
static ee_status find_ids(ee_options *options, int64_t start, ee_terminal *terminal, ee_arena *arena, ee_error *error) {
  bool apart = options->expected != NULL || options->operand_count > 1;
  if (!apart || options->ids.count > 0 || options->expected_ids.count > 0) return EE_OK;
  const char *expected = options->expected != NULL ? options->expected : options->operands[0];
  size_t first = options->expected != NULL ? 0 : 1;
  const char *const *files = options->operands + first;
  size_t count = options->operand_count - first;
  const ee_record_paths paths = ee_load_paths(options);
  if (strcmp(expected, "-") == 0) return EE_OK;
  if (!ee_lacks_id(expected, &paths, EE_PART_EXPECTED_ID) && !ee_lacks_id(files[0], &paths, EE_PART_ID)) return EE_OK;
  ee_join_guess guess;
  if (ee_join_guess_find(expected, files, count, &paths, arena, &guess)) {
    set_member(&options->ids, guess.id, arena);
    set_member(&options->expected_ids, guess.expected_id, arena);
    const char *text = ee_join_guess_text(&guess, arena);
    ee_terminal_note(terminal, ee_str_from(ee_arena_printf(arena, "joined on members with equal values: %s", text)));
  } else if (guess.nameless && guess.expected > 1 && guess.records > 1 && !ee_is_coco_file(expected) &&
             !ee_is_coco_file(files[0])) {
    return no_ids(expected, files[0], &guess, options->records.count > 0, arena, error);
  }
  return ee_names_standard_input(options) ? ee_rewind_standard_input(start, error) : EE_OK;
}

/* If the records of one file have no expected value under a known or given name, finds the two members whose names and
 * values show that they are the expected value and the candidate, and prints a note. */
static void find_parts(ee_options *options, ee_terminal *terminal, ee_arena *arena) {
  if (options->expected != NULL || options->operand_count > 1) return;
  if (options->expected_paths.count + options->candidates.count + options->candidate_lists.count > 0) return;
  const ee_record_paths paths = ee_load_paths(options);
  ee_member_guess guess;
  if (!ee_member_guess_find(options->operands, options->operand_count, &paths, arena, &guess) || !guess.clear) return;
  set_member(&options->expected_paths, guess.expected, arena);
  set_member(&options->candidates, guess.candidate, arena);
  const char *text = ee_arena_printf(arena, "no member has a known name; names and values suggest %s",
                                     ee_member_guess_text(&guess, arena));
  ee_terminal_note(terminal, ee_str_from(text));
}

/* If whole records are documents, but one side has them inside a member ("entities"), adds the path of that member. */
static bool find_members(ee_options *options, const ee_profile *profile, ee_arena *arena) {
  const ee_profile_node *expected = NULL, *candidate = NULL;
  if (options->expected_paths.count == 0 && profile->expected_key.data == NULL)
    expected = ee_choose_member(profile, EE_PROFILE_EXPECTED);
  if (options->candidates.count == 0 && profile->candidate_key.data == NULL && expected == NULL)
    candidate = ee_choose_member(profile, EE_PROFILE_CANDIDATE);
  if (expected != NULL) set_member(&options->expected_paths, expected->key, arena);
  if (candidate != NULL) set_member(&options->candidates, candidate->key, arena);
  return expected != NULL || candidate != NULL;
}

/* Where the report says how records were read, a path that was given is named as it was given. */
static void name_paths(const ee_options *options, ee_profile *profile) {
  if (options->expected_paths.count == 1) profile->expected_key = options->expected_paths.items[0]->text;
  if (options->candidates.count == 1) profile->candidate_key = options->candidates.items[0]->text;
}

/* Opens and surveys the data with the options as they are. */
static ee_status infer_with(const ee_options *options, const ee_options *given, const volatile sig_atomic_t *interrupt,
                            ee_terminal *terminal, ee_inputs *inputs, const ee_record_paths *paths,
                            ee_inference *inference, ee_error *error) {
  ee_status status = ee_inputs_open(inputs, options, paths, interrupt, terminal, error);
  if (status != EE_OK) return status;
  ee_arena *arena = &inference->arena;
  const char *named = inputs->expected_file != NULL ? inputs->expected_file : inputs->files[0];
  const ee_rules_origin origin = {
      .name = name_of(named, arena), .command = command_of(given, arena), .case_text = case_text_of(options, arena)};
  if (inputs->expected != NULL && ee_expected_set_coco(inputs->expected) != NULL) {
    ee_infer_detections(inference, &origin);
    return EE_OK;
  }
  ee_dataset_set_interrupt(inputs->dataset, interrupt);
  const ee_case_choice choice = ee_load_choice(options);
  status = ee_infer(inference, inputs->dataset, inputs->expected, paths, &choice, &origin, error);
  name_paths(options, &inference->profile);
  if (status == EE_OK && inference->profile.cases == 0 && (choice.only_count > 0 || choice.where_count > 0) &&
      ee_inputs_explain_choice(inputs, options, paths, arena, error))
    status = EE_ERROR_DATA;
  if (status == EE_OK && ee_flag_is_set(interrupt))
    status = ee_error_set(error, EE_ERROR_SYSTEM, "reading '%s' was interrupted", inputs->files[0]);
  return status;
}

ee_status ee_infer_rules(const ee_options *given, const volatile sig_atomic_t *interrupt, ee_terminal *terminal,
                         ee_inputs *inputs, ee_inference *inference, ee_error *error) {
  int64_t start = 0;
  ee_status status = EE_OK;
  if (ee_names_standard_input(given)) status = ee_spool_standard_input(interrupt, &start, error);
  ee_options options = *given; /* with the ids and members that are found */
  ee_arena *arena = &inference->arena;
  const char *tool = given->foreign == NULL ? ee_foreign_suggestion(given->operands[0], arena) : NULL;
  if (tool != NULL) ee_terminal_note(terminal, ee_str_from(tool));
  if (status == EE_OK) status = find_ids(&options, start, terminal, arena, error);
  if (status != EE_OK) return status;
  find_parts(&options, terminal, arena);
  ee_record_paths *paths = EE_NEW(arena, ee_record_paths); /* `inputs` keep them */
  *paths = ee_load_paths(&options);
  paths->keep_text = true;
  status = infer_with(&options, given, interrupt, terminal, inputs, paths, inference, error);
  bool surveyed = status == EE_OK || status == EE_ERROR_DATA;
  if (surveyed && inputs->dataset != NULL && find_members(&options, &inference->profile, arena)) {
    ee_inputs_close(inputs);
    ee_infer_restart(inference);
    *paths = ee_load_paths(&options);
    paths->keep_text = true;
    status = ee_names_standard_input(given) ? ee_rewind_standard_input(start, error) : EE_OK;
    if (status == EE_OK) status = infer_with(&options, given, interrupt, terminal, inputs, paths, inference, error);
  }
  bool is_coco = inputs->expected != NULL && ee_expected_set_coco(inputs->expected) != NULL;
  if (status == EE_OK && inference->judged != NULL)
    ee_terminal_note(terminal, ee_str_from(ee_arena_printf(arena, "no rule file: %s; --save-rules FILE saves the rules",
                                                           inference->judged)));
  return status == EE_OK && !is_coco ? ee_inputs_restart(inputs, paths, start, error) : status;
}

/* The rules of a YAML document as JSON, which has no comments. */
static ee_status to_json(ee_str yaml, ee_buffer *text, ee_error *error) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  const ee_value *value = ee_yaml_read(&arena, yaml, NULL, error);
  if (value != NULL) ee_json_write_value(text, value);
  ee_buffer_add_text(text, "\n");
  ee_arena_fini(&arena);
  return value != NULL ? EE_OK : error->status;
}

static ee_status to_document(const char *file, ee_str lua, ee_buffer *text, ee_error *error) {
  bool yaml = ee_is_yaml_name(file);
  ee_error_list errors;
  ee_error_list_init(&errors);
  ee_rule_file_options options = {.limits = {.instructions = -1}, .text = lua, .form = EE_RULES_LUA};
  ee_rule_file *rules = ee_rule_file_load(file, &options, &errors);
  ee_buffer written;
  ee_buffer_init(&written);
  if (rules == NULL) *error = errors.items[0]; /* unreached: rules from data load */
  bool good = rules != NULL && ee_rule_file_write(rules, EE_RULES_DOCUMENT, &written, error);
  ee_status status = good ? EE_OK : error->status;
  if (good && yaml) {
    ee_buffer_add_text(text, "# Chosen from the data; the reasons are in what 'evalengine init' writes in Lua.\n");
    ee_buffer_add(text, written.data, written.length);
  } else if (good) {
    status = to_json((ee_str){written.data, written.length}, text, error);
  }
  ee_buffer_fini(&written);
  ee_rule_file_free(rules);
  ee_error_list_fini(&errors);
  return status;
}

ee_status ee_inferred_text(const char *file, const ee_inference *inference, ee_buffer *text, ee_error *error) {
  ee_str lua = {inference->text.data, inference->text.length};
  if (ee_is_rule_document_name(file)) return to_document(file, lua, text, error);
  ee_buffer_add(text, lua.data, lua.length);
  return EE_OK;
}

ee_status ee_load_inferred(const ee_options *options, const volatile sig_atomic_t *interrupt, ee_terminal *terminal,
                           ee_inputs *inputs, ee_inference *inference, ee_rule_file **rules, ee_error *error) {
  *rules = NULL;
  const char *saved = options->save_rules;
  ee_status status = check_saved(options, error);
  if (status == EE_OK) status = ee_infer_rules(options, interrupt, terminal, inputs, inference, error);
  ee_buffer text;
  ee_buffer_init(&text);
  if (status == EE_OK) status = ee_inferred_text(saved != NULL ? saved : "", inference, &text, error);
  if (status != EE_OK) {
    ee_buffer_fini(&text);
    return status;
  }
  ee_rule_file_options load = ee_load_options(options);
  load.text = (ee_str){ee_arena_copy(&inference->arena, text.data, text.length), text.length};
  *rules = ee_load_rules_with(&load, saved != NULL ? saved : "rules suggested by the data", terminal);
  if (*rules != NULL)
    status = save(options, &text, error);
  else /* unreached: rules that we write load */
    status = ee_error_set(error, EE_ERROR_RULES, "the rules suggested by the data do not load");
  ee_buffer_fini(&text);
  return status;
}

ee_status ee_load_profiled(const ee_options *options, ee_inference *inference, const char *name, ee_terminal *terminal,
                           ee_rule_file **rules, ee_error *error) {
  *rules = NULL;
  ee_choose(&inference->profile, &inference->arena, &inference->choices);
  if (inference->choices.judged == 0) return EE_OK;
  const ee_rules_origin origin = {.name = name, .command = "evalengine init"};
  ee_rules_text_write(&inference->choices, &inference->profile, &origin, &inference->arena, &inference->text);
  ee_rule_file_options load = ee_load_options(options);
  load.text = (ee_str){inference->text.data, inference->text.length};
  *rules = ee_load_rules_with(&load, "rules suggested by the data", terminal);
  /* unreached: rules that we write load */
  return *rules != NULL ? EE_OK : ee_error_set(error, EE_ERROR_RULES, "the rules suggested by the data do not load");
}

ee_path_list ee_path_list_of_key(ee_str key, ee_arena *arena) {
  const ee_path **items = EE_NEW_ARRAY(arena, const ee_path *, 1);
  ee_path_text path = {.arena = arena};
  ee_path_text_add_key(&path, key);
  items[0] = ee_record_path_parse(arena, ee_path_text_get(&path), NULL);
  return (ee_path_list){items, items[0] != NULL};
}
