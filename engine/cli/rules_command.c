/* rules_command.c: `evalengine rules`: which rules come with the program, and their text. */
#include <stdio.h>
#include <string.h>

#include "base/data_folder.h"
#include "cli/commands.h"
#include "cli/load.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "cli/usage.h"
#include "lua/shipped_rules.h"

/* Columns of the names. */
#define NAME_WIDTH 26

/* Which files stand together. */
typedef struct group {
  const char *folder; /* "" for the folder of rules itself */
  bool is_rules;
  const char *heading;
} group;

static const group groups[] = {
    {"", true, "Rules: evalengine NAME DATA..."},
    {"compat", true, "The numbers of other tools: evalengine NAME DATA..."},
    {"strategies", false, "Strategies, for rule files: require \"strategies.NAME\""},
    {"summaries", false, "Summaries, for rule files: require \"summaries.NAME\""},
    {"reports", false, "Reports, for rule files: require \"reports.NAME\""},
    {NULL, false, "What these files share"},
};

/* The group of `file`; the last one for files that are in no other. */
static const group *group_of(const ee_shipped_file *file) {
  const char *slash = strchr(file->name, '/');
  ee_str folder = {file->name, slash != NULL ? (size_t)(slash - file->name) : 0};
  const group *at = groups;
  while (at->folder != NULL && (at->is_rules != file->is_rules || !ee_str_is(folder, at->folder))) at++;
  return at;
}

static ee_status list(ee_arena *arena, ee_buffer *out, ee_error *error) {
  ee_shipped_files files;
  ee_status status = ee_shipped_list(arena, &files, error);
  if (status != EE_OK) return status;
  ee_add_shown(out, "Shipped rules, in ", ee_str_from(ee_data_folder(EE_DATA_RULES)), "\n");
  for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) {
    bool any = false;
    for (size_t i = 0; i < files.count; i++) {
      if (group_of(&files.items[i]) != &groups[g]) continue;
      if (!any) ee_buffer_addf(out, "\n%s\n", groups[g].heading);
      any = true;
      ee_buffer_addf(out, "  %-*s", NAME_WIDTH, files.items[i].name);
      ee_wrap(out, NAME_WIDTH + 2, files.items[i].help);
    }
  }
  return EE_OK;
}

static ee_status print(const char *name, ee_arena *arena, ee_buffer *out, ee_error *error) {
  const char *path;
  ee_status status = ee_shipped_find(arena, name, "", &path, error);
  if (path != NULL) return ee_load_text(path, out, error);
  if (status == EE_OK) status = ee_named_rules_check(name, arena, error);
  if (status != EE_OK) return status;
  return ee_error_set(error, EE_ERROR_USAGE, "no shipped rules named '%s' ('evalengine rules' lists them)", name);
}

int ee_command_rules(const ee_options *options) {
  ee_terminal terminal;
  ee_terminal_init(&terminal, options);
  ee_buffer text;
  ee_buffer_init(&text);
  ee_error error = {0};
  ee_status status = options->operand_count == 0 ? list(options->arena, &text, &error)
                                                 : print(options->operands[0], options->arena, &text, &error);
  if (status == EE_OK) status = ee_output_write_all(NULL, &text, &error);
  if (status != EE_OK) ee_terminal_fail(&terminal, &error);
  ee_buffer_fini(&text);
  return (int)status;
}
