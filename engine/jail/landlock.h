/* landlock.h: the files that a process may use, by the kernel's Landlock (Linux 5.13 and later). */
#ifndef EE_JAIL_LANDLOCK_H
#define EE_JAIL_LANDLOCK_H

#include "jail/jail.h"

/* From now on this thread and those it starts may use only `jail->paths`; with Linux 6.7 they also bind no TCP ports,
 * and connect to some only with `jail->network`; with Linux 6.12 they signal no process outside. EE_ERROR_SYSTEM where
 * the kernel has no Landlock. */
ee_status ee_landlock_enter(const ee_jail *jail, ee_error *error);

#endif
