/* jail.h: what this process may still do while it runs rules and reads data that are not trusted. Linux only.
 *
 * Three walls that a process cannot take down again: Landlock leaves the listed files (landlock.h), seccomp the
 * system calls that a run needs (system_calls.h), and rlimits bound memory and processor time. Everything refused fails
 * with EPERM or EACCES. Threads and programs that are started later are in the jail, too.
 *
 * What stays possible: to learn whether a file exists, its size and owner (stat); to use descriptors that are open. */
#ifndef EE_JAIL_JAIL_H
#define EE_JAIL_JAIL_H

#include <evalengine.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/list.h"

/* What may be done with a path; in a folder with everything below it. Bits. */
enum {
  EE_JAIL_READ = 1,   /* files are read and folders listed */
  EE_JAIL_WRITE = 2,  /* what is there is written: a device, a pipe, a file */
  EE_JAIL_CREATE = 4, /* of a folder: files are made, written, replaced and removed; no folders, links, sockets */
  EE_JAIL_RUN = 8     /* files are run as programs */
};

typedef struct ee_jail_path {
  const char *path; /* links are followed */
  unsigned rights;
} ee_jail_path;

typedef struct ee_jail {
  struct {
    EE_LIST(ee_jail_path);
  } paths;               /* what is not there is passed over */
  bool network;          /* connections to other machines; never from them */
  bool programs;         /* other programs are started; each is in the jail, with these limits */
  uint64_t memory_bytes; /* private memory of the process; 0: no limit */
  uint64_t cpu_seconds;  /* processor time of all threads together; 0: no limit. Beyond it the process ends, status 5 */
} ee_jail;

/* Puts the calling thread into the jail, which must be the only one of the process. Also drops capabilities but those
 * that overrule the permissions of files, and forbids core dumps and privileges of programs. EE_ERROR_SYSTEM when the
 * kernel or this build lacks what it needs: then the process may be half in it and should end. */
ee_status ee_jail_enter(const ee_jail *jail, ee_error *error);

#endif
