/* failing_calls.c: a library for LD_PRELOAD that makes the n-th call of a kind fail.
 *
 * The environment says which: EE_FAULT="KIND N ON ERROR": the calls of KIND are counted from 1 over all threads; the
 * N-th fails with the error number ERROR, or with 0 does less than it was asked for (reads and writes of more than a
 * byte), and with ON 1 all that follow fail, too. N 0: none. EE_FAULT_COUNTS names a file that gets the number of calls
 * of each kind, in the order of the enum. Programs that the program starts are left alone. Names of the domain ".test"
 * lead to this machine. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum kind { MEMORY, MAP, READ, WRITE, OPEN, NAME, SYNC, LOOK, START, THREAD, WAIT, CLOSE, CONNECT, TRANSFER, KINDS };
static const char *const kind_names[KINDS] = {"memory", "map",   "read",   "write", "open",  "name",    "sync",
                                              "look",   "start", "thread", "wait",  "close", "connect", "transfer"};

static enum kind wanted = KINDS;
static uint64_t fault;
static bool goes_on;
static int number;
static _Atomic uint64_t own_counts[KINDS];
static _Atomic uint64_t *counts = own_counts; /* shared with children, and with the file */

/* False: the call goes ahead. */
static bool fails(enum kind kind) {
  uint64_t n = atomic_fetch_add_explicit(&counts[kind], 1, memory_order_relaxed) + 1;
  if (kind != wanted || fault == 0 || n < fault || (n > fault && !goes_on)) return false;
  errno = number;
  return true;
}

/* The same for what may do less than it was asked for: `*size` is then less. */
static bool fails_or_shortens(enum kind kind, size_t *size) {
  if (!fails(kind)) return false;
  if (number != 0) return true;
  if (*size > 1) *size /= 2;
  return false;
}

/* libseccomp (2.5.4) crashes, or never returns, when it is refused memory: its requests are not counted. */
static uintptr_t seccomp_begin, seccomp_end;

static int find_seccomp(struct dl_phdr_info *library, size_t size, void *user) {
  (void)size, (void)user;
  if (strstr(library->dlpi_name, "/libseccomp.so") == NULL) return 0;
  seccomp_begin = library->dlpi_addr;
  for (size_t i = 0; i < library->dlpi_phnum; i++) {
    uintptr_t end = library->dlpi_addr + library->dlpi_phdr[i].p_vaddr + library->dlpi_phdr[i].p_memsz;
    if (library->dlpi_phdr[i].p_type == PT_LOAD && end > seccomp_end) seccomp_end = end;
  }
  return 1;
}

__attribute__((constructor)) static void start(void) {
  const char *file = getenv("EE_FAULT_COUNTS"), *text = getenv("EE_FAULT");
  char name[32] = "";
  unsigned long long n = 0;
  int on = 0, error = 0;
  if (text != NULL && sscanf(text, "%31s %llu %d %d", name, &n, &on, &error) != 4) abort();
  int descriptor = -1, flags = MAP_SHARED;
  if (file != NULL) {
    descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor < 0 || ftruncate(descriptor, sizeof own_counts) != 0) abort();
  } else {
    flags |= MAP_ANONYMOUS;
  }
  void *shared = mmap(NULL, sizeof own_counts, PROT_READ | PROT_WRITE, flags, descriptor, 0);
  if (shared == MAP_FAILED) abort();
  counts = shared;
  if (descriptor >= 0) close(descriptor);
  dl_iterate_phdr(find_seccomp, NULL);
  unsetenv("LD_PRELOAD");
  unsetenv("EE_FAULT");
  unsetenv("EE_FAULT_COUNTS");
  for (int i = 0; i < KINDS; i++) atomic_store(&counts[i], 0); /* what libraries did before main() cannot be helped */
  for (int i = 0; i < KINDS; i++)
    if (strcmp(name, kind_names[i]) == 0) wanted = (enum kind)i;
  fault = n;
  goes_on = on != 0;
  number = error;
}

#define VISIBLE __attribute__((visibility("default")))
/* The next function of the name, found once. */
#define NEXT(name)                                                                                                     \
  static __typeof__(&name) next;                                                                                       \
  if (next == NULL) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

/* Memory --------------------------------------------------------------------------------------- */

#ifndef EE_FAULT_SANITIZER /* whose malloc() cannot be replaced */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);

static bool is_seccomp(const void *caller) {
  return (uintptr_t)caller >= seccomp_begin && (uintptr_t)caller < seccomp_end;
}

#define IS_REFUSED (!is_seccomp(__builtin_return_address(0)) && fails(MEMORY))
VISIBLE void *malloc(size_t size) { return IS_REFUSED ? NULL : __libc_malloc(size); }
VISIBLE void *calloc(size_t count, size_t size) { return IS_REFUSED ? NULL : __libc_calloc(count, size); }
VISIBLE void *realloc(void *memory, size_t size) { return IS_REFUSED ? NULL : __libc_realloc(memory, size); }
#endif

VISIBLE void *mmap(void *at, size_t length, int protection, int flags, int descriptor, off_t offset) {
  NEXT(mmap);
  return fails(MAP) ? MAP_FAILED : next(at, length, protection, flags, descriptor, offset);
}

/* Reading and writing --------------------------------------------------------------------------- */

VISIBLE ssize_t read(int descriptor, void *to, size_t size) {
  NEXT(read);
  return fails_or_shortens(READ, &size) ? -1 : next(descriptor, to, size);
}

VISIBLE ssize_t pread(int descriptor, void *to, size_t size, off_t offset) {
  NEXT(pread);
  return fails_or_shortens(READ, &size) ? -1 : next(descriptor, to, size, offset);
}

VISIBLE ssize_t pread64(int descriptor, void *to, size_t size, off64_t offset) {
  NEXT(pread64);
  return fails_or_shortens(READ, &size) ? -1 : next(descriptor, to, size, offset);
}

/* What was compiled with _FORTIFY_SOURCE. */
ssize_t __read_chk(int descriptor, void *to, size_t size, size_t room);
VISIBLE ssize_t __read_chk(int descriptor, void *to, size_t size, size_t room) {
  if (size > room) abort();
  return read(descriptor, to, size);
}

ssize_t __pread_chk(int descriptor, void *to, size_t size, off_t offset, size_t room);
VISIBLE ssize_t __pread_chk(int descriptor, void *to, size_t size, off_t offset, size_t room) {
  if (size > room) abort();
  return pread(descriptor, to, size, offset);
}

#define ERROR_SEEN 0x20 /* glibc's flag in a FILE */

VISIBLE size_t fread(void *to, size_t size, size_t count, FILE *file) {
  NEXT(fread);
  if (!fails(READ) || number == 0) return next(to, size, count, file);
  file->_flags |= ERROR_SEEN;
  return 0;
}

size_t __fread_chk(void *to, size_t room, size_t size, size_t count, FILE *file);
VISIBLE size_t __fread_chk(void *to, size_t room, size_t size, size_t count, FILE *file) {
  if (size * count > room) abort();
  return fread(to, size, count, file);
}

VISIBLE ssize_t write(int descriptor, const void *data, size_t size) {
  NEXT(write);
  return fails_or_shortens(WRITE, &size) ? -1 : next(descriptor, data, size);
}

VISIBLE ssize_t pwrite(int descriptor, const void *data, size_t size, off_t offset) {
  NEXT(pwrite);
  return fails_or_shortens(WRITE, &size) ? -1 : next(descriptor, data, size, offset);
}

VISIBLE ssize_t pwrite64(int descriptor, const void *data, size_t size, off64_t offset) {
  NEXT(pwrite64);
  return fails_or_shortens(WRITE, &size) ? -1 : next(descriptor, data, size, offset);
}

VISIBLE ssize_t writev(int descriptor, const struct iovec *parts, int count) {
  NEXT(writev);
  struct iovec first = count > 0 ? parts[0] : (struct iovec){0};
  size_t before = first.iov_len;
  if (fails_or_shortens(WRITE, &first.iov_len)) return -1;
  return first.iov_len < before ? next(descriptor, &first, 1) : next(descriptor, parts, count);
}

VISIBLE size_t fwrite(const void *data, size_t size, size_t count, FILE *file) {
  NEXT(fwrite);
  if (!fails(WRITE) || number == 0) return next(data, size, count, file);
  file->_flags |= ERROR_SEEN;
  return 0;
}

/* Files and folders ----------------------------------------------------------------------------- */

/* In a build that measures coverage: the run is over, and the counters must not be lost. */
static void leave_counters_alone(const char *path) {
  size_t length = strlen(path);
  if (length > 5 && strcmp(path + length - 5, ".gcda") == 0) fault = 0;
}

#define OPEN_FUNCTION(name)                                                                                            \
  VISIBLE int name(const char *path, int flags, ...) {                                                                 \
    NEXT(name);                                                                                                        \
    va_list arguments;                                                                                                 \
    va_start(arguments, flags);                                                                                        \
    unsigned mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, unsigned) : 0;                                   \
    va_end(arguments);                                                                                                 \
    leave_counters_alone(path);                                                                                        \
    return fails(OPEN) ? -1 : next(path, flags, mode);                                                                 \
  }
OPEN_FUNCTION(open)
OPEN_FUNCTION(open64)

int __open_2(const char *path, int flags);
VISIBLE int __open_2(const char *path, int flags) { return open(path, flags); }
int __open64_2(const char *path, int flags);
VISIBLE int __open64_2(const char *path, int flags) { return open64(path, flags); }

VISIBLE FILE *fopen(const char *path, const char *how) {
  NEXT(fopen);
  return fails(OPEN) ? NULL : next(path, how);
}

VISIBLE DIR *opendir(const char *path) {
  NEXT(opendir);
  return fails(OPEN) ? NULL : next(path);
}

VISIBLE int mkostemp(char *pattern, int flags) {
  NEXT(mkostemp);
  return fails(OPEN) ? -1 : next(pattern, flags);
}

VISIBLE int memfd_create(const char *name, unsigned flags) {
  NEXT(memfd_create);
  return fails(OPEN) ? -1 : next(name, flags);
}

VISIBLE char *mkdtemp(char *pattern) {
  NEXT(mkdtemp);
  return fails(NAME) ? NULL : next(pattern);
}

VISIBLE int mkdir(const char *path, mode_t mode) {
  NEXT(mkdir);
  return fails(NAME) ? -1 : next(path, mode);
}

VISIBLE int rename(const char *from, const char *to) {
  NEXT(rename);
  return fails(NAME) ? -1 : next(from, to);
}

VISIBLE int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) {
  NEXT(linkat);
  return fails(NAME) ? -1 : next(from_folder, from, to_folder, to, flags);
}

VISIBLE int unlink(const char *path) {
  NEXT(unlink);
  return fails(NAME) ? -1 : next(path);
}

VISIBLE int fsync(int descriptor) {
  NEXT(fsync);
  return fails(SYNC) ? -1 : next(descriptor);
}

VISIBLE int fdatasync(int descriptor) {
  NEXT(fdatasync);
  return fails(SYNC) ? -1 : next(descriptor);
}

VISIBLE int ftruncate(int descriptor, off_t length) {
  NEXT(ftruncate);
  return fails(SYNC) ? -1 : next(descriptor, length);
}

VISIBLE int stat(const char *path, struct stat *facts) {
  NEXT(stat);
  return fails(LOOK) ? -1 : next(path, facts);
}

VISIBLE int lstat(const char *path, struct stat *facts) {
  NEXT(lstat);
  return fails(LOOK) ? -1 : next(path, facts);
}

VISIBLE int fstat(int descriptor, struct stat *facts) {
  NEXT(fstat);
  return fails(LOOK) ? -1 : next(descriptor, facts);
}

VISIBLE char *realpath(const char *path, char *resolved) {
  NEXT(realpath);
  return fails(LOOK) ? NULL : next(path, resolved);
}

VISIBLE off_t lseek(int descriptor, off_t offset, int from) {
  NEXT(lseek);
  return fails(LOOK) ? -1 : next(descriptor, offset, from);
}

VISIBLE int close(int descriptor) {
  NEXT(close);
  int result = next(descriptor); /* Linux closes it whatever it reports */
  return fails(CLOSE) ? -1 : result;
}

/* Processes, threads, waiting ------------------------------------------------------------------- */

VISIBLE pid_t fork(void) {
  NEXT(fork);
  return fails(START) ? -1 : next();
}

/* A function around vfork() would return twice into a frame that the child has overwritten. With memory of its own the
 * child does what it would do with ours. */
VISIBLE pid_t vfork(void) { return fork(); }

VISIBLE int execve(const char *path, char *const *arguments, char *const *environment) {
  NEXT(execve);
  return fails(START) ? -1 : next(path, arguments, environment);
}

VISIBLE int dup2(int from, int to) {
  NEXT(dup2);
  return fails(START) ? -1 : next(from, to);
}

VISIBLE int pipe2(int ends[2], int flags) {
  NEXT(pipe2);
  return fails(START) ? -1 : next(ends, flags);
}

VISIBLE int setpgid(pid_t pid, pid_t group) {
  NEXT(setpgid);
  return fails(START) ? -1 : next(pid, group);
}

VISIBLE int prctl(int option, ...) {
  NEXT(prctl);
  va_list list;
  va_start(list, option);
  unsigned long values[4];
  for (size_t i = 0; i < 4; i++) values[i] = va_arg(list, unsigned long);
  va_end(list);
  return option == PR_SET_PDEATHSIG && fails(START) ? -1 : next(option, values[0], values[1], values[2], values[3]);
}

/* What makes a pipe ready for a program: a number above those of the standard files, and no waiting. */
#define FCNTL_FUNCTION(name)                                                                                           \
  VISIBLE int name(int descriptor, int command, ...) {                                                                 \
    NEXT(name);                                                                                                        \
    va_list list;                                                                                                      \
    va_start(list, command);                                                                                           \
    void *value = va_arg(list, void *);                                                                                \
    va_end(list);                                                                                                      \
    return (command == F_DUPFD_CLOEXEC || command == F_SETFL) && fails(START) ? -1 : next(descriptor, command, value); \
  }
FCNTL_FUNCTION(fcntl)
FCNTL_FUNCTION(fcntl64)

/* pidfd_open() of a C library that is too old to have it. */
VISIBLE long syscall(long call, ...) {
  NEXT(syscall);
  va_list list;
  va_start(list, call);
  long values[6];
  for (size_t i = 0; i < 6; i++) values[i] = va_arg(list, long);
  va_end(list);
  if (call == SYS_pidfd_open && fails(START)) return -1;
  return next(call, values[0], values[1], values[2], values[3], values[4], values[5]);
}

VISIBLE int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                        const posix_spawnattr_t *attributes, char *const *arguments, char *const *environment) {
  NEXT(posix_spawn);
  return fails(START) ? number : next(pid, path, actions, attributes, arguments, environment);
}

VISIBLE int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
                         const posix_spawnattr_t *attributes, char *const *arguments, char *const *environment) {
  NEXT(posix_spawnp);
  return fails(START) ? number : next(pid, file, actions, attributes, arguments, environment);
}

VISIBLE int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *), void *user) {
  NEXT(pthread_create);
  return fails(THREAD) ? number : next(thread, attributes, function, user);
}

VISIBLE int poll(struct pollfd *files, nfds_t count, int timeout) {
  NEXT(poll);
  return fails(WAIT) ? -1 : next(files, count, timeout);
}

VISIBLE int flock(int descriptor, int operation) {
  NEXT(flock);
  return fails(WAIT) ? -1 : next(descriptor, operation);
}

VISIBLE pid_t waitpid(pid_t pid, int *status, int options) {
  NEXT(waitpid);
  return fails(WAIT) ? -1 : next(pid, status, options);
}

VISIBLE int waitid(idtype_t which, id_t id, siginfo_t *facts, int options) {
  NEXT(waitid);
  return fails(WAIT) ? -1 : next(which, id, facts, options);
}

/* Servers --------------------------------------------------------------------------------------- */

VISIBLE int socket(int domain, int type, int protocol) {
  NEXT(socket);
  return fails(CONNECT) ? -1 : next(domain, type, protocol);
}

VISIBLE int socketpair(int domain, int type, int protocol, int ends[2]) {
  NEXT(socketpair);
  return fails(CONNECT) ? -1 : next(domain, type, protocol, ends);
}

VISIBLE int connect(int descriptor, const struct sockaddr *address, socklen_t size) {
  NEXT(connect);
  return fails(CONNECT) ? -1 : next(descriptor, address, size);
}

/* ".test" is a domain that no name server knows; here its names lead to this machine. */
static const char *address_of(const char *name) {
  size_t length = name != NULL ? strlen(name) : 0;
  return length > 5 && strcmp(name + length - 5, ".test") == 0 ? "127.0.0.1" : name;
}

VISIBLE int getaddrinfo(const char *name, const char *service, const struct addrinfo *wishes, struct addrinfo **found) {
  NEXT(getaddrinfo);
  return fails(CONNECT) ? EAI_AGAIN : next(address_of(name), service, wishes, found);
}

VISIBLE ssize_t send(int descriptor, const void *data, size_t size, int flags) {
  NEXT(send);
  if (size <= 1) return next(descriptor, data, size, flags); /* libcurl wakes itself up, and does not expect failures */
  return fails_or_shortens(TRANSFER, &size) ? -1 : next(descriptor, data, size, flags);
}

VISIBLE ssize_t recv(int descriptor, void *to, size_t size, int flags) {
  NEXT(recv);
  return fails_or_shortens(TRANSFER, &size) ? -1 : next(descriptor, to, size, flags);
}
