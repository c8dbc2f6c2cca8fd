/* commands.h: one function a command; each returns the program's exit status. Their rows are in options.c. */
#ifndef EE_CLI_COMMANDS_H
#define EE_CLI_COMMANDS_H

#include "cli/options.h"

int ee_command_evaluate(const ee_options *options);
int ee_command_watch(const ee_options *options);
int ee_command_init(const ee_options *options);
int ee_command_check(const ee_options *options);
int ee_command_test(const ee_options *options);
int ee_command_judge(const ee_options *options);
int ee_command_merge(const ee_options *options);
int ee_command_report(const ee_options *options);
int ee_command_explain(const ee_options *options);
int ee_command_bench(const ee_options *options);
int ee_command_compare(const ee_options *options);
int ee_command_trend(const ee_options *options);
int ee_command_plan(const ee_options *options);
int ee_command_agree(const ee_options *options);
int ee_command_audit(const ee_options *options);
int ee_command_rules(const ee_options *options);

#endif
