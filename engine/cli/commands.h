/* commands.h: one function a command; each returns the program's exit status.
 */
#ifndef EE_CLI_COMMANDS_H
#define EE_CLI_COMMANDS_H

#include <signal.h>

#include "base/buffer.h"
#include "cli/options.h"
#include "cli/terminal.h"
#include "lua/rule_file.h"
#include "provider/provider.h"

/* evalengine RULES.lua DATA..., evalengine DATASET.yaml [CANDIDATES]... */
int ee_command_evaluate(const ee_options *options);
/* evalengine check RULES.lua [DATA]..., evalengine check DATASET.yaml [CANDIDATES]... */
int ee_command_check(const ee_options *options);
/* evalengine test FILE_test.lua... */
int ee_command_test(const ee_options *options);
/* evalengine judge RULES.lua: one payload of the code_judge protocol on standard input, one result on standard output;
 * with
 * --persistent a line each way until the input ends.
 *
 * A payload is read as a record: the known names of record.h, so that its candidate is the text of `candidate_answer`,
 * and its expected value `reference_answer` or the last assistant message of `expected_messages`. Its `config` (else
 * that of --config) goes to ee.config; rule files stay loaded for the last 64 different ones.
 *
 * 0 with a result, whatever the score: also where a function of the rule file raised, or a provider gave no answer,
 * which the result's misses say, and standard error; to the caller another status would mean that the judge itself
 * failed. 3 without a result when the rule file does not load (with the payload's config), in whatever line. 4 when a
 * payload is no JSON object, or has no expected value: it is answered with score 0 and the reason, and with
 * --persistent the rest goes on. 5; 130. */
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

/* What the options say of loading rule files, the tree of --config included; `watchdog` watches their calls. */
ee_rule_file_options ee_load_options(const ee_options *options, ee_watchdog *watchdog);
/* Loads the rule file at `path`; every mistake is printed, and its warnings are. NULL when there was a mistake. */
ee_rule_file *ee_load_rules(const ee_options *options, const char *path, ee_watchdog *watchdog, ee_terminal *terminal);
ee_rule_file *ee_load_rules_with(const ee_rule_file_options *load, const char *path, ee_terminal *terminal);
/* Loads what the first operand names: a rule file, or a YAML data set with evaluators of its own. The latter stays open
 * in
 * `*cases` (NULL for a rule file), which the caller closes behind the rules, whatever comes back. Mistakes are printed:
 * EE_ERROR_RULES, also for a data set that is broken, EE_ERROR_SYSTEM, EE_ERROR_USAGE (--config, which evaluators bring
 * themselves). */
ee_status ee_load_first(const ee_options *options, const volatile sig_atomic_t *interrupt, ee_watchdog *watchdog,
                        ee_terminal *terminal, ee_rule_file **rules, ee_case_file **cases);
/* Opens the provider that the rules need, by `settings` (the plan's, or changed ones), into `*provider`: NULL where
 * they need none. `offline` as for ee_provider_open(). An error stands where the rule file names the provider:
 * EE_ERROR_RULES, EE_ERROR_SYSTEM. */
ee_status ee_open_provider(const ee_plan *plan, const ee_provider_settings *settings, const char *offline,
                           ee_provider **provider, ee_error *error);
/* Notes what the provider (may be NULL) did, such as how much was asked. */
void ee_tell_provider(const ee_provider *provider, ee_terminal *terminal);

#endif
