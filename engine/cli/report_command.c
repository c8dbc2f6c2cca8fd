/* report_command.c: `evalengine report`. */
#include "cli/commands.h"

int ee_command_report(const ee_options *options) { return options->operand_count > 0 ? 0 : 2; }
