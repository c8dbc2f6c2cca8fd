/* deciding_options.h: the options of a command line that change numbers, for the signature of a report, and those that
 * change what a run keeps of its cases. */
#ifndef EE_CLI_DECIDING_OPTIONS_H
#define EE_CLI_DECIDING_OPTIONS_H

#include "cli/options.h"

/* "|where:a=b|limit:10" of the options that are given, in the order of the table: all of them but those that choose
 * what is printed and where, gates, files (their contents are in other hashes), and how much work is done at a time. A
 * new option is in it unless it is in one of these lists. In `arena`. */
ee_str ee_deciding_options(const ee_options *options, ee_arena *arena);

/* The same of all options that are given but those that change neither rows nor totals: what a resumed run must have as
 * the run that was cut short. A new option is in it unless it is in the list. */
ee_str ee_lasting_options(const ee_options *options, ee_arena *arena);

#endif
