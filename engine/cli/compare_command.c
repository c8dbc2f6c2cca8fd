/* compare_command.c: `evalengine compare`. */
#include "cli/commands.h"

int ee_command_compare(const ee_options *options) { return options->operand_count > 0 ? 0 : 2; }
