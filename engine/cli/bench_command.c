/* bench_command.c: `evalengine bench run|score|add`. */
#include "cli/commands.h"

int ee_command_bench(const ee_options *options) { return options->operand_count > 0 ? 0 : 2; }
