/* jail.c: the walls, in the order in which each can still be built. */
#include "jail/jail.h"

#include <dirent.h>
#include <errno.h>
#include <linux/capability.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "jail/landlock.h"
#include "jail/system_calls.h"

/* Sanitizers reserve terabytes of addresses. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

/* Seconds to end in after the limit of processor time; then the kernel kills. */
#define CPU_GRACE 5

static ee_status failed(const char *what, ee_error *error) {                 /* unreached: the kernel grants each */
  return ee_error_set(error, EE_ERROR_SYSTEM, "--jail: cannot %s: %s", what, /* unreached: as before */
                      strerror(errno));                                      /* unreached: as before */
}

/* Landlock holds one thread: another one would stay outside. */
static ee_status check_alone(ee_error *error) {
  DIR *threads = opendir("/proc/self/task");
  size_t count = 0;
  for (struct dirent *entry; threads != NULL && (entry = readdir(threads)) != NULL;) count += entry->d_name[0] != '.';
  if (threads != NULL) closedir(threads);
  if (count <= 1) return EE_OK; /* unreached: nobody starts threads before */
  return ee_error_set(error, EE_ERROR_SYSTEM, "--jail: the process has threads already"); /* unreached: as before */
}

/* Leaves root those that read and write files of others, as far as Landlock allows these. */
static void drop_capabilities(void) {
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
  struct __user_cap_data_struct sets[2] = {{0}};
  const uint32_t kept = 1u << CAP_DAC_OVERRIDE | 1u << CAP_DAC_READ_SEARCH;
  if (syscall(SYS_capget, &header, sets) != 0) return; /* unreached: the version is known */
  sets[0].effective &= kept;
  sets[0].permitted &= kept;
  sets[0].inheritable = sets[1].inheritable = sets[1].effective = sets[1].permitted = 0;
  syscall(SYS_capset, &header, sets); /* giving away is always possible; what is left, seccomp refuses to use */
}

static ee_status limit(int resource, uint64_t soft, uint64_t hard, ee_error *error) {
  struct rlimit now;
  if (getrlimit((__rlimit_resource_t)resource, &now) != 0) /* unreached: a resource is known */
    return failed("read limits", error);                   /* unreached: as the line before */
  if (hard > now.rlim_max) hard = now.rlim_max;
  if (soft > hard) soft = hard;
  now = (struct rlimit){.rlim_cur = soft, .rlim_max = hard};
  if (setrlimit((__rlimit_resource_t)resource, &now) == 0) return EE_OK; /* unreached: not above the hard limit */
  return failed("set limits", error);                                    /* unreached: as the line before */
}

static void on_cpu_limit(int number) {
  (void)number;
  static const char line[] = "evalengine: the processor time of --jail-cpu is used up\n";
  ssize_t written = write(STDERR_FILENO, line, sizeof line - 1);
  (void)written; /* there is nobody else to report it to */
  _exit(EE_ERROR_SYSTEM);
}

/* RLIMIT_DATA counts private memory that is written, which is all there is: system_calls.c refuses to share memory. */
static ee_status set_limits(const ee_jail *jail, ee_error *error) {
  ee_status status = limit(RLIMIT_CORE, 0, 0, error);
  if (status == EE_OK && jail->memory_bytes > 0 && !SANITIZED) /* unreached: limits that are refused */
    status = limit(RLIMIT_DATA, jail->memory_bytes, jail->memory_bytes, error);
  if (status != EE_OK || jail->cpu_seconds == 0) return status; /* unreached: limits that are refused */
  struct sigaction action = {.sa_handler = on_cpu_limit};
  sigaction(SIGXCPU, &action, NULL);
  return limit(RLIMIT_CPU, jail->cpu_seconds, jail->cpu_seconds + CPU_GRACE, error);
}

ee_status ee_jail_enter(const ee_jail *jail, ee_error *error) {
  ee_buffer filter;
  ee_buffer_init(&filter);
  ee_status status = check_alone(error);
  if (status == EE_OK) /* unreached: nobody starts threads before */
    status = ee_system_calls_build(jail, &filter, error);
  if (status == EE_OK && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) /* unreached: always granted */
    status = failed("give up privileges", error);                     /* unreached: as the line before */
  if (status == EE_OK) drop_capabilities();
  if (status == EE_OK) status = ee_landlock_enter(jail, error);
  if (status == EE_OK) status = set_limits(jail, error);
  if (status == EE_OK) status = ee_system_calls_enter(&filter, error);
  ee_buffer_fini(&filter);
  return status;
}
