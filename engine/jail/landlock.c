/* landlock.c: a Landlock ruleset from a list of paths.
 *
 * The definitions are here because the C library's headers may be older than the kernel. Rights that the kernel does
 * not know yet are left to seccomp: system_calls.c refuses truncate() and opening to read with O_TRUNC. */
#include "jail/landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef SYS_landlock_create_ruleset

/* Rights of files. */
enum {
  FS_EXECUTE = 1 << 0,
  FS_WRITE_FILE = 1 << 1,
  FS_READ_FILE = 1 << 2,
  FS_READ_DIR = 1 << 3,
  FS_REMOVE_FILE = 1 << 5,
  FS_MAKE_REG = 1 << 8,
  FS_ALL_1 = (1 << 13) - 1,
  FS_REFER = 1 << 13,    /* from version 2 */
  FS_TRUNCATE = 1 << 14, /* 3 */
  FS_IOCTL_DEV = 1 << 15 /* 5 */
};
/* What a rule for something that is not a folder may have. */
#define FS_OF_FILE (FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE | FS_IOCTL_DEV)

enum { NET_BIND_TCP = 1 << 0, NET_CONNECT_TCP = 1 << 1 };            /* 4 */
enum { SCOPE_ABSTRACT_UNIX_SOCKET = 1 << 0, SCOPE_SIGNAL = 1 << 1 }; /* 6 */
enum { GIVE_VERSION = 1, RULE_PATH_BENEATH = 1 };

typedef struct ruleset_attributes {
  uint64_t handled_fs;
  uint64_t handled_net;
  uint64_t scoped;
} ruleset_attributes;

typedef struct path_beneath {
  uint64_t allowed;
  int32_t parent;
} __attribute__((packed)) path_beneath;

static uint64_t file_rights(int version) {
  uint64_t rights = FS_ALL_1;
  if (version >= 2) rights |= FS_REFER;     /* unreached: another kernel */
  if (version >= 3) rights |= FS_TRUNCATE;  /* unreached: another kernel */
  if (version >= 5) rights |= FS_IOCTL_DEV; /* unreached: another kernel */
  return rights;
}

static uint64_t rights_of(unsigned rights) {
  uint64_t of = 0;
  if (rights & EE_JAIL_READ) of |= FS_READ_FILE | FS_READ_DIR;
  if (rights & EE_JAIL_WRITE) of |= FS_WRITE_FILE | FS_TRUNCATE;
  if (rights & EE_JAIL_CREATE)
    of |= FS_READ_FILE | FS_READ_DIR | FS_WRITE_FILE | FS_TRUNCATE | FS_MAKE_REG | FS_REMOVE_FILE;
  if (rights & EE_JAIL_RUN) of |= FS_EXECUTE | FS_READ_FILE | FS_READ_DIR;
  return of;
}

static ee_status failed(const char *what, const char *path, ee_error *error) {
  return ee_error_set(error, EE_ERROR_SYSTEM, "--jail: cannot %s '%s': %s", what, path, strerror(errno));
}

/* A path that is not there needs no rule: opening it fails by itself. */
static ee_status add_path(int ruleset, uint64_t handled, const ee_jail_path *path, ee_error *error) {
  struct stat about;
  int file = open(path->path, O_PATH | O_CLOEXEC);
  /* What the system cannot open now it may open later, and would then be refused. */
  if (file < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == EIO))
    return failed("open", path->path, error);
  if (file < 0) return EE_OK;
  uint64_t rights = rights_of(path->rights) & handled;
  if (fstat(file, &about) != 0) {                             /* unreached: fstat() of an open file does not fail */
    ee_status unknown = failed("look at", path->path, error); /* unreached: as the line before */
    close(file);
    return unknown; /* unreached: as the line before */
  }
  if (!S_ISDIR(about.st_mode)) rights &= FS_OF_FILE;
  const path_beneath rule = {.allowed = rights, .parent = file};
  long result = rights != 0 ? syscall(SYS_landlock_add_rule, ruleset, RULE_PATH_BENEATH, &rule, 0) : 0;
  /* EBADFD: a pipe without a name, which Landlock does not restrict. */
  /* unreached: the kernel takes these rules */
  ee_status status = result == 0 || errno == EBADFD ? EE_OK : failed("allow", path->path, error);
  close(file);
  return status;
}

ee_status ee_landlock_enter(const ee_jail *jail, ee_error *error) {
  int version = (int)syscall(SYS_landlock_create_ruleset, NULL, 0, GIVE_VERSION);
  if (version < 1)                                                                     /* unreached: another kernel */
    return ee_error_set(error, EE_ERROR_SYSTEM,                                        /* unreached: another kernel */
                        "--jail needs Landlock, which this kernel does not offer: %s", /* unreached: another kernel */
                        strerror(errno));                                              /* unreached: another kernel */
  ruleset_attributes attributes = {.handled_fs = file_rights(version)};
  /* unreached: another kernel */
  if (version >= 4) attributes.handled_net = NET_BIND_TCP | (jail->network ? 0 : NET_CONNECT_TCP);
  if (version >= 6) attributes.scoped = SCOPE_ABSTRACT_UNIX_SOCKET | SCOPE_SIGNAL; /* unreached: another kernel */
  int ruleset = (int)syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0);
  if (ruleset < 0) return failed("use", "Landlock", error); /* unreached: the kernel has these rights */
  ee_status status = EE_OK;
  for (size_t i = 0; status == EE_OK && i < jail->paths.count; i++)
    status = add_path(ruleset, attributes.handled_fs, &jail->paths.items[i], error);
  if (status == EE_OK && syscall(SYS_landlock_restrict_self, ruleset, 0) != 0) /* unreached: privileges are given up */
    status = failed("use", "Landlock", error);                                 /* unreached: as the line before */
  close(ruleset);
  return status;
}

#else

ee_status ee_landlock_enter(const ee_jail *jail, ee_error *error) {
  (void)jail;
  return ee_error_set(error, EE_ERROR_SYSTEM, "--jail needs Landlock, which this system does not offer");
}

#endif
