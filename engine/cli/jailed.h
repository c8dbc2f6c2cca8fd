/* jailed.h: --jail: which files a command needs by its options, and the way into the jail (jail/jail.h). */
#ifndef EE_CLI_JAILED_H
#define EE_CLI_JAILED_H

#include "cli/options.h"
#include "jail/jail.h"

/* What the command may do in its jail: it reads the folder of the rule file, the data and whatever else the command
 * line names, and writes into the folders of its outputs. Lists are in options->arena. EE_ERROR_SYSTEM when a path of
 * --jail-read is missing. */
ee_status ee_jailed_plan(const ee_options *options, ee_jail *jail, ee_error *error);

/* Goes into the jail, before anything of the rule file or the data is read: opens temporary files in stock, closes
 * descriptors that the command line does not name, and without --allow-network erases what the environment has besides
 * the usual (keys). EE_ERROR_SYSTEM: the program must end. */
ee_status ee_jailed_enter(const ee_options *options, ee_error *error);

#endif
