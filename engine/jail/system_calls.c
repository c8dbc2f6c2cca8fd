/* system_calls.c: the list of system calls. What is not on it fails with EPERM. */
#include "jail/system_calls.h"

#ifdef EE_WITH_SECCOMP

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Names, not numbers: libseccomp knows them for each processor, and those that a processor lacks are passed over. */
static const char *const always[] = {
    /* open files; which may be opened is Landlock's to say */
    "read", "pread64", "readv", "preadv", "preadv2", "write", "pwrite64", "writev", "pwritev", "pwritev2", "lseek",
    "_llseek", "close", "close_range", "fstat", "fstat64", "stat", "stat64", "lstat", "lstat64", "newfstatat",
    "fstatat64", "statx", "fstatfs", "fstatfs64", "access", "faccessat", "faccessat2", "readlink", "readlinkat",
    "getcwd", "getdents", "getdents64", "fsync", "fdatasync", "sync_file_range", "ftruncate", "ftruncate64",
    "fallocate", "fadvise64", "fadvise64_64", "arm_fadvise64_64", "flock", "dup", "dup2", "dup3", "pipe", "pipe2",
    "eventfd2", "poll", "ppoll", "ppoll_time64", "select", "_newselect", "pselect6", "pselect6_time64",
    "copy_file_range", "sendfile", "sendfile64", "rename", "renameat", "renameat2", "link", "linkat", "unlink",
    "unlinkat", "umask",
    /* memory and threads */
    "brk", "munmap", "mremap", "madvise", "membarrier", "futex", "futex_time64", "set_robust_list", "rseq",
    "set_tid_address", "sched_yield", "sched_getaffinity", "sched_getparam", "sched_getscheduler", "gettid", "exit",
    "exit_group", "restart_syscall",
    /* signals of this process */
    "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sigreturn", "rt_sigpending", "rt_sigtimedwait",
    "rt_sigtimedwait_time64", "rt_sigsuspend", "sigaltstack",
    /* time, and who we are */
    "clock_gettime", "clock_gettime64", "clock_getres", "clock_getres_time64", "clock_nanosleep",
    "clock_nanosleep_time64", "nanosleep", "gettimeofday", "time", "times", "getrusage", "sysinfo", "uname",
    "getrandom", "getcpu", "getpid", "getppid", "getpgrp", "getuid", "getuid32", "geteuid", "geteuid32", "getgid",
    "getgid32", "getegid", "getegid32", "getrlimit", "ugetrlimit", NULL};

static const char *const of_network[] = {
    "connect",         "getsockname",   "getpeername", "getsockopt", "setsockopt",  "sendto",
    "recvfrom",        "sendmsg",       "recvmsg",     "sendmmsg",   "recvmmsg",    "shutdown",
    "recvmmsg_time64", "epoll_create1", "epoll_ctl",   "epoll_wait", "epoll_pwait", NULL};

/* What programs need besides, as far as it is possible to say that of programs. */
static const char *const of_programs[] = {"fork",
                                          "vfork",
                                          "execve",
                                          "wait4",
                                          "waitid",
                                          "waitpid",
                                          "setpgid",
                                          "getpgid",
                                          "setsid",
                                          "getsid",
                                          "kill",
                                          "tgkill",
                                          "tkill",
                                          "pidfd_open",
                                          "mmap",
                                          "mmap2",
                                          "mprotect",
                                          "arch_prctl",
                                          "set_thread_area",
                                          "set_tls",
                                          "getresuid",
                                          "getresuid32",
                                          "getresgid",
                                          "getresgid32",
                                          "getgroups",
                                          "getgroups32",
                                          "chdir",
                                          "fchdir",
                                          "mincore",
                                          "mlock",
                                          "munlock",
                                          "get_robust_list",
                                          "epoll_create1",
                                          "epoll_create",
                                          "epoll_ctl",
                                          "epoll_wait",
                                          "epoll_pwait",
                                          "epoll_pwait2",
                                          "eventfd",
                                          "timerfd_create",
                                          "timerfd_settime",
                                          "timerfd_gettime",
                                          "signalfd4",
                                          "getitimer",
                                          "setitimer",
                                          "alarm",
                                          "pause",
                                          "getpriority",
                                          "sched_get_priority_max",
                                          "sched_get_priority_min",
                                          "statfs",
                                          "statfs64",
                                          "sched_setaffinity",
                                          NULL};

/* Commands of fcntl(). F_SETOWN and F_SETSIG are not among them: they send signals to others. */
static const int of_fcntl[] = {F_DUPFD,     F_DUPFD_CLOEXEC, F_GETFD,      F_SETFD,     F_GETFL,
                               F_SETFL,     F_GETLK,         F_SETLK,      F_SETLKW,    F_OFD_GETLK,
                               F_OFD_SETLK, F_OFD_SETLKW,    F_GETPIPE_SZ, F_SETPIPE_SZ};
/* Commands of ioctl(): whether it is a terminal, and how wide. TIOCSTI would type into it. */
static const unsigned long of_ioctl[] = {TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIOCLEX, FIONCLEX};
static const int of_prctl[] = {PR_SET_NAME,      PR_GET_NAME,      PR_CAPBSET_READ,
                               PR_SET_PDEATHSIG, PR_GET_PDEATHSIG, PR_SET_VMA};

#define NEW_SPACES                                                                                                     \
  (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET)
#ifdef __s390x__
#define CLONE_FLAGS 1
#else
#define CLONE_FLAGS 0
#endif

typedef struct builder {
  scmp_filter_ctx filter;
  int failure; /* the first, an error number; 0: none */
  const char *failed_name;
} builder;

static void note(builder *b, const char *name, int result) {
  if (result == 0 || b->failure != 0) return; /* unreached: libseccomp takes these rules */
  b->failure = -result;                       /* unreached: libseccomp takes these rules */
  b->failed_name = name;                      /* unreached: as the line before */
}

/* Allows the call when all `count` conditions hold. One of them may not be about the same argument as another. */
static void allow_if(builder *b, const char *name, unsigned count, const struct scmp_arg_cmp *conditions) {
  int number = seccomp_syscall_resolve_name(name);
  if (number == __NR_SCMP_ERROR) return; /* unreached: another libseccomp */
  note(b, name, seccomp_rule_add_array(b->filter, SCMP_ACT_ALLOW, number, count, conditions));
}

/* The argument of that number is `value`. */
#define IS(number, value) ((struct scmp_arg_cmp){.arg = (number), .op = SCMP_CMP_EQ, .datum_a = (value)})
#define ALLOW_IF(b, name, ...)                                                                                         \
  allow_if(b, name, sizeof((struct scmp_arg_cmp[]){__VA_ARGS__}) / sizeof(struct scmp_arg_cmp),                        \
           (struct scmp_arg_cmp[]){__VA_ARGS__})

static void allow(builder *b, const char *const *names) {
  for (; *names != NULL; names++) allow_if(b, *names, 0, NULL);
}

/* For calls whose arguments are in memory, where a filter cannot look: the C library then uses the older call. */
static void deny_as_missing(builder *b, const char *name) {
  int number = seccomp_syscall_resolve_name(name);
  /* unreached: another libseccomp */
  if (number != __NR_SCMP_ERROR) note(b, name, seccomp_rule_add(b->filter, SCMP_ACT_ERRNO(ENOSYS), number, 0));
}

/* All but O_TRUNC where nothing may be written, which older versions of Landlock let pass. */
static void allow_opening(builder *b) {
  static const struct {
    const char *name;
    unsigned flags;
  } calls[] = {{"open", 1}, {"openat", 2}};
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
    ALLOW_IF(b, calls[i].name, SCMP_CMP(calls[i].flags, SCMP_CMP_MASKED_EQ, O_TRUNC, 0));
    ALLOW_IF(b, calls[i].name, SCMP_CMP(calls[i].flags, SCMP_CMP_MASKED_EQ, O_TRUNC | O_ACCMODE, O_TRUNC | O_WRONLY));
    ALLOW_IF(b, calls[i].name, SCMP_CMP(calls[i].flags, SCMP_CMP_MASKED_EQ, O_TRUNC | O_ACCMODE, O_TRUNC | O_RDWR));
  }
  deny_as_missing(b, "openat2");
}

/* No memory that is run, and none that the limit does not count (shared without a file). */
static void allow_mapping(builder *b) {
  static const char *const names[] = {"mmap", "mmap2"};
  for (size_t i = 0; i < 2; i++) {
    ALLOW_IF(b, names[i], SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0), SCMP_A3(SCMP_CMP_MASKED_EQ, MAP_SHARED, 0));
    ALLOW_IF(b, names[i], SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0), SCMP_A3(SCMP_CMP_MASKED_EQ, MAP_ANONYMOUS, 0));
  }
  ALLOW_IF(b, "mprotect", SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
}

/* Threads; with programs also processes, but no namespaces. */
static void allow_threads(builder *b, bool programs) {
  scmp_datum_t thread = programs ? 0 : CLONE_THREAD;
  ALLOW_IF(b, "clone", SCMP_CMP(CLONE_FLAGS, SCMP_CMP_MASKED_EQ, NEW_SPACES | thread, thread));
  deny_as_missing(b, "clone3");
}

static void allow_commands(builder *b) {
  for (size_t i = 0; i < sizeof of_fcntl / sizeof *of_fcntl; i++) {
    ALLOW_IF(b, "fcntl", IS(1, (scmp_datum_t)of_fcntl[i]));
    ALLOW_IF(b, "fcntl64", IS(1, (scmp_datum_t)of_fcntl[i]));
  }
  for (size_t i = 0; i < sizeof of_ioctl / sizeof *of_ioctl; i++) ALLOW_IF(b, "ioctl", IS(1, of_ioctl[i]));
  for (size_t i = 0; i < sizeof of_prctl / sizeof *of_prctl; i++)
    ALLOW_IF(b, "prctl", IS(0, (scmp_datum_t)of_prctl[i]));
  ALLOW_IF(b, "prctl", IS(0, PR_SET_DUMPABLE), IS(1, 0)); /* no core dumps of keys */
  /* Reads limits, sets none. */
  ALLOW_IF(b, "prlimit64", IS(0, 0), IS(2, 0));
}

static void allow_own_signals(builder *b) {
  scmp_datum_t self = (scmp_datum_t)getpid();
  ALLOW_IF(b, "kill", IS(0, self));
  ALLOW_IF(b, "tgkill", IS(0, self));
}

/* The internet, and what the C library asks the kernel about addresses. A pair that is joined already goes nowhere
 * else, unless it is of datagrams. */
static void allow_network(builder *b) {
  allow(b, of_network);
  static const scmp_datum_t families[] = {AF_INET, AF_INET6}, types[] = {SOCK_STREAM, SOCK_DGRAM};
  for (size_t i = 0; i < 2; i++)
    for (size_t k = 0; k < 2; k++)
      ALLOW_IF(b, "socket", IS(0, families[i]), SCMP_A1(SCMP_CMP_MASKED_EQ, 0xf, types[k]));
  ALLOW_IF(b, "socket", IS(0, AF_NETLINK), IS(2, 0));
  ALLOW_IF(b, "socketpair", IS(0, AF_UNIX), SCMP_A1(SCMP_CMP_MASKED_EQ, 0xf, SOCK_STREAM));
}

static void build(builder *b, const ee_jail *jail) {
  /* Calls of another processor's kind, such as those of 32 bits, are refused like others. */
  note(b, "bad arch", seccomp_attr_set(b->filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(EPERM)));
  seccomp_attr_set(b->filter, SCMP_FLTATR_CTL_OPTIMIZE, 2); /* a tree; older libraries make a list */
  allow(b, always);
  allow_opening(b);
  allow_threads(b, jail->programs);
  allow_commands(b);
  if (jail->network) allow_network(b);
  if (jail->programs) {
    allow(b, of_programs);
  } else {
    allow_mapping(b);
    allow_own_signals(b);
  }
}

/* libseccomp writes programs to descriptors only. */
static int export(scmp_filter_ctx filter, ee_buffer *program) {
  int file = memfd_create("filter", MFD_CLOEXEC);
  if (file < 0) return errno;
  int number = -seccomp_export_bpf(filter, file);
  off_t size = number == 0 ? lseek(file, 0, SEEK_END) : 0;
  if (size > 0) {
    ssize_t got = pread(file, ee_buffer_reserve(program, (size_t)size), (size_t)size, 0);
    if (got == size) /* unreached: a memory file is read whole */
      program->length += (size_t)size;
    else
      number = EIO; /* unreached: a memory file is read whole */
  }
  close(file);
  return number;
}

ee_status ee_system_calls_build(const ee_jail *jail, ee_buffer *program, ee_error *error) {
  builder b = {.filter = seccomp_init(SCMP_ACT_ERRNO(EPERM))};
  if (b.filter == NULL) /* unreached: memory is refused */
    /* unreached: memory is refused */
    return ee_error_set(error, EE_ERROR_SYSTEM, "--jail: libseccomp does not start: %s", strerror(ENOMEM));
  build(&b, jail);
  if (b.failure == 0) { /* unreached: libseccomp takes these rules */
    b.failed_name = "export";
    b.failure = export(b.filter, program);
  }
  seccomp_release(b.filter);
  if (b.failure == 0) return EE_OK;
  return ee_error_set(error, EE_ERROR_SYSTEM, "--jail: libseccomp cannot make the filter (%s): %s", b.failed_name,
                      strerror(b.failure));
}

ee_status ee_system_calls_enter(const ee_buffer *program, ee_error *error) {
  struct sock_fprog filter = {.len = (unsigned short)(program->length / sizeof(struct sock_filter)),
                              .filter = (struct sock_filter *)(void *)program->data};
  if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) == 0) return EE_OK; /* unreached: another kernel */
  return ee_error_set(error, EE_ERROR_SYSTEM,                                       /* unreached: another kernel */
                      "--jail needs seccomp, which this kernel does not offer: %s", /* unreached: another kernel */
                      strerror(errno));                                             /* unreached: another kernel */
}

#else

ee_status ee_system_calls_build(const ee_jail *jail, ee_buffer *program, ee_error *error) {
  (void)jail, (void)program;
  return ee_error_set(error, EE_ERROR_SYSTEM, "--jail needs libseccomp, without which this program was built");
}

ee_status ee_system_calls_enter(const ee_buffer *program, ee_error *error) {
  (void)program;
  return ee_error_set(error, EE_ERROR_SYSTEM, "--jail needs libseccomp, without which this program was built");
}

#endif
