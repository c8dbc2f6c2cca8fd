/* judge_command.c: `evalengine judge`. */
#include "cli/commands.h"

int ee_command_judge(const ee_options *options) { return options->operand_count > 0 ? 0 : 2; }
