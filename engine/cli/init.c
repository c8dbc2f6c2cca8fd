/* init.c: `evalengine init` writes a rule file chosen from the data, a test of it, and editor settings. */
#include <string.h>
#include <sys/stat.h>

#include "base/data_folder.h"
#include "base/runtime.h"
#include "cli/commands.h"
#include "cli/inferred.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "data/json/json_writer.h"
#include "judge/rule_text/rule_document.h"

typedef struct init_files {
  const char *rules;  /* NULL: standard output, and nothing else */
  const char *test;   /* NAME_test.lua */
  const char *editor; /* .luarc.json */
} init_files;

static const char *beside(ee_arena *arena, const char *file, const char *name) {
  return ee_file_name_beside(arena, file, ee_str_from(name));
}

/* The files that are written for -o (NULL: rules.lua). */
static ee_status name_files(const char *output, ee_arena *arena, init_files *files, ee_error *error) {
  *files = (init_files){0};
  if (output != NULL && strcmp(output, "-") == 0) return EE_OK;
  files->rules = output != NULL ? output : "rules.lua";
  const char *name = strrchr(files->rules, '/');
  name = name != NULL ? name + 1 : files->rules;
  const char *ending = strrchr(name, '.');
  if (ending == NULL || ending == name || (strcmp(ending, ".lua") != 0 && !ee_is_rule_document_name(name)))
    return ee_error_set(error, EE_ERROR_USAGE, "-o must name a rule file, NAME.lua, NAME.yaml or NAME.json, got '%s'",
                        output);
  files->test = ee_arena_printf(arena, "%.*s_test.lua", (int)(ending - files->rules), files->rules);
  files->editor = beside(arena, files->rules, ".luarc.json");
  ee_status status = ee_output_check_new(files->rules, error);
  if (status == EE_OK) status = ee_output_check_new(files->test, error);
  return status;
}

static const char *base_name(const char *path) {
  // NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): name_files() has set it
  const char *slash = strrchr(path, '/');
  return slash != NULL ? slash + 1 : path;
}

static ee_status write_rules(const init_files *files, const ee_inference *inference, ee_error *error) {
  ee_buffer text;
  ee_buffer_init(&text);
  ee_status status = ee_inferred_text(files->rules, inference, &text, error);
  if (status == EE_OK) status = ee_output_write_new(files->rules, &text, error);
  ee_buffer_fini(&text);
  return status;
}

static ee_status write_files(const init_files *files, ee_inference *inference, ee_terminal *terminal, ee_error *error) {
  if (files->rules == NULL) return ee_output_write_all(NULL, &inference->text, error);
  int failure = ee_data_folder_failure();
  if (failure != 0)
    return ee_error_set(error, EE_ERROR_SYSTEM, "cannot look for the definitions for editors: %s", strerror(failure));
  ee_buffer text;
  ee_buffer_init(&text);
  ee_rule_test_text_write(&inference->choices, &inference->profile, base_name(files->rules), base_name(files->test),
                          &inference->arena, &text);
  ee_status status = write_rules(files, inference, error);
  if (status == EE_OK) status = ee_output_write_new(files->test, &text, error);
  /* Existing editor settings belong to the project. */
  bool settings = status == EE_OK && ee_output_check_new(files->editor, NULL) == EE_OK;
  if (settings) {
    ee_buffer_clear(&text);
    ee_buffer_add_text(&text, "{\n  \"runtime.version\": \"Lua 5.4\",\n  \"workspace.library\": [");
    ee_json_write_string(&text, ee_str_from(ee_data_folder(EE_DATA_META)));
    ee_buffer_add_text(&text, "]\n}\n");
    status = ee_output_write_new(files->editor, &text, error);
  }
  if (status == EE_OK) {
    ee_buffer_clear(&text);
    ee_buffer_addf(&text, "wrote '%s', '%s'%s%s%s", files->rules, files->test, settings ? ", '" : "",
                   settings ? files->editor : "", settings ? "'" : "");
    ee_terminal_note(terminal, (ee_str){text.data, text.length});
  }
  ee_buffer_fini(&text);
  return status;
}

/* Prints the choices that a person should check. */
static void note_doubts(const ee_choice *items, size_t count, ee_terminal *terminal) {
  for (size_t i = 0; i < count; i++) {
    note_doubts(items[i].inner, items[i].inner_count, terminal);
    if (items[i].doubt == NULL) continue;
    ee_error note;
    ee_error_set(&note, EE_OK, "check %.*s: %s", EE_STR_ARG(items[i].full_path), items[i].doubt);
    ee_terminal_message(terminal, &note);
  }
}

/* Annotations and detections need no survey. */
static bool inputs_are_coco(const ee_inputs *inputs) {
  return inputs->expected != NULL && ee_expected_set_coco(inputs->expected) != NULL;
}

/* Says why nothing could be read, which choosing rules passes over. A pipe is not there a second time. */
static void print_errors(const ee_inputs *inputs, ee_terminal *terminal) {
  struct stat file;
  for (size_t i = 0; i < inputs->file_count; i++)
    if (stat(inputs->files[i], &file) != 0 || !S_ISREG(file.st_mode)) return;
  ee_error error = {0};
  ee_dataset *dataset = ee_dataset_open(inputs->files, inputs->file_count, &error);
  if (dataset == NULL) return;
  ee_block block;
  ee_block_init(&block);
  bool done = false;
  while (ee_dataset_next(dataset, &block, &done, &error) == EE_OK && !done)
    for (size_t i = 0; i < block.errors.count; i++) ee_terminal_message(terminal, &block.errors.items[i]);
  ee_terminal_rest(terminal);
  ee_block_fini(&block);
  ee_dataset_close(dataset);
}

int ee_command_init(const ee_options *options) {
  ee_terminal terminal;
  ee_terminal_init(&terminal, options);
  ee_interrupt_end_at_once();
  ee_inference inference;
  ee_infer_init(&inference);
  ee_inputs inputs = {0};
  init_files files;
  ee_error error = {0};
  ee_status status = name_files(options->output, &inference.arena, &files, &error);
  if (status == EE_OK) status = ee_infer_rules(options, NULL, &terminal, &inputs, &inference, &error);
  if (status == EE_OK && inference.profile.cases == 0 && inputs.dataset != NULL && !inputs_are_coco(&inputs)) {
    print_errors(&inputs, &terminal);
    status = ee_error_set(&error, EE_ERROR_DATA, "no record of '%s' could be read as a case", inputs.files[0]);
  }
  if (status == EE_OK) status = write_files(&files, &inference, &terminal, &error);
  if (status == EE_OK) note_doubts(inference.choices.items, inference.choices.count, &terminal);
  if (status != EE_OK) ee_terminal_fail(&terminal, &error);
  ee_inputs_close(&inputs);
  ee_infer_fini(&inference);
  return (int)status;
}
