/* commands.h: one function a command; each returns the program's exit status.
 *
 * Layer: cli. */
#ifndef EE_CLI_COMMANDS_H
#define EE_CLI_COMMANDS_H

#include "base/buffer.h"
#include "cli/options.h"
#include "cli/terminal.h"
#include "lua/rule_file.h"
#include "provider/provider.h"

/* evalengine RULES.lua DATA... */
int ee_command_evaluate(const ee_options *options);
/* evalengine check RULES.lua [DATA]... */
int ee_command_check(const ee_options *options);
/* evalengine test FILE_test.lua... */
int ee_command_test(const ee_options *options);
/* evalengine judge RULES.lua: one payload of the code_judge protocol on standard input, one result on standard output; with --persistent a line each
 * way until the input ends. 0 with a result, whatever the score; 3 when the rule file does not load (with the payload's config); 4 when the payload is no JSON object (persistent: that line is
 * answered with score 0 and the reason, and the rest goes on); 5. */
int ee_command_judge(const ee_options *options);
/* evalengine report RESULTS.jsonl...: counts of attributes, pooled. */
int ee_command_report(const ee_options *options);
/* evalengine bench run|score|add: the word is operands[0]. */
int ee_command_bench(const ee_options *options);
/* evalengine compare BASE.jsonl NEW.jsonl. */
int ee_command_compare(const ee_options *options);

/* --list: a line a judge, strategy and primitive. */
void ee_describe_all(ee_buffer *out);
/* --help-on NAME: false when nothing is called so; `*near` is then a suggestion or NULL. */
bool ee_describe(const char *name, ee_buffer *out, const char **near);

/* What the options say of loading rule files; `watchdog` watches their calls. */
ee_rule_file_options ee_load_options(const ee_options *options, ee_watchdog *watchdog);
/* Loads the rule file at `path`; every mistake is printed, and its warnings are. NULL when there was a mistake. */
ee_rule_file *ee_load_rules(const ee_options *options, const char *path, ee_watchdog *watchdog, ee_terminal *terminal);
/* Opens the provider that the rules need, by `settings` (the plan's, or changed ones), into `*provider`: NULL where they need
 * none. `offline` as for ee_provider_open(). An error stands where the rule file names the provider: EE_ERROR_RULES,
 * EE_ERROR_SYSTEM. */
ee_status ee_open_provider(const ee_plan *plan, const ee_provider_settings *settings, const char *offline,
                           ee_provider **provider, ee_error *error);

#endif
