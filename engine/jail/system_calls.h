/* system_calls.h: the system calls that a run needs, as a filter of seccomp. */
#ifndef EE_JAIL_SYSTEM_CALLS_H
#define EE_JAIL_SYSTEM_CALLS_H

#include "base/buffer.h"
#include "jail/jail.h"

/* Builds the filter by libseccomp into `program` (instructions of BPF). A filter must exist before memory is limited,
 * since libseccomp needs some. EE_ERROR_SYSTEM, also in a build without libseccomp. */
ee_status ee_system_calls_build(const ee_jail *jail, ee_buffer *program, ee_error *error);

/* From now on this thread, which has no_new_privs, and those it starts can call only what `program` allows. */
ee_status ee_system_calls_enter(const ee_buffer *program, ee_error *error);

#endif
