/* process.c: starting a program, exchanging text with it through pipes, and ending it.
 *
 * vfork() makes the child without copying the page tables, with every signal blocked: cheap, and safe in a process with
 * many threads as long as the child only makes system calls. (posix_spawn() cannot make it end with us.) All pipe ends
 * of ours are non-blocking; one loop over poll() serves them. A child that has ended stays a zombie until its group was
 * killed, so that its process id is not reused meanwhile. */
#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/memory.h"
#include "base/runtime.h"

#define MILLISECOND UINT64_C(1000000) /* in nanoseconds, like all times here */
/* Bytes read at a time: the capacity of a pipe. */
#define CHUNK ((size_t)1 << 16)
/* `stop` is checked at least this often. */
#define MAX_WAIT_MS 50
/* The end of a child is checked this often on systems without pidfd_open(). */
#define MAX_BLIND_WAIT_MS 5
/* Time to exit for a child that closed its output, and in ee_child_free(). */
#define CLOSED_GRACE_MS 1000
#define FREE_GRACE_MS 200
/* Bytes of standard error read after a child has ended: others may hold the pipe open and keep writing. */
#define LAST_ERRORS ((size_t)1 << 20)
/* Bytes kept of a line of standard error. */
#define LINE_KEPT 256

/* Without the blanks that it begins with, so that an empty one is blank. */
typedef struct error_line {
  char text[LINE_KEPT];
  size_t length;
} error_line;

struct ee_child {
  pid_t pid;                 /* 0: reaped */
  int handle;                /* readable once the child has ended; -1 without pidfd_open() */
  int input, output, errors; /* our ends; -1: closed */
  bool stray;                /* it wrote something after its answer */
  error_line current;        /* the unfinished line of standard error */
  error_line last;           /* the last finished line that is not blank */
  ee_cleanup cleanup;
};

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000 * MILLISECOND + (uint64_t)time.tv_nsec;
}

/* Closes a descriptor that may be -1, and sets it to -1. */
static void close_descriptor(int *descriptor) {
  if (*descriptor >= 0) close(*descriptor);
  *descriptor = -1;
}

/* Starting ------------------------------------------------------------------------------------- */

/* The ends of the three pipes, indexed by the child's descriptor. -1: not open. */
typedef struct pipes {
  int ours[3], theirs[3];
} pipes;

static void close_ends(int *ends) {
  for (int i = 0; i < 3; i++) close_descriptor(&ends[i]);
}

/* Moves a descriptor above 0 to 2, which the child's ends are copied to: a caller without standard input gets 0 for a
 * pipe. */
static bool move_up(int *descriptor) {
  if (*descriptor > 2) return true;
  int moved = fcntl(*descriptor, F_DUPFD_CLOEXEC, 3);
  if (moved < 0) return false;
  close(*descriptor);
  *descriptor = moved;
  return true;
}

/* Opens the pipes, our ends non-blocking; false with errno. */
static bool open_pipes(pipes *p) {
  *p = (pipes){{-1, -1, -1}, {-1, -1, -1}};
  for (int i = 0; i < 3; i++) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return false; /* unreached: make faults */
    p->ours[i] = ends[i == 0 ? 1 : 0];
    p->theirs[i] = ends[i == 0 ? 0 : 1];
    if (!move_up(&p->ours[i]) || !move_up(&p->theirs[i])) return false; /* unreached: no descriptor is left for ours */
    /* Only our end: programs expect blocking descriptors. */
    if (fcntl(p->ours[i], F_SETFL, O_NONBLOCK) != 0) return false; /* unreached: make faults */
  }
  return true;
}

/* What the child needs to become the program; it shares our memory meanwhile and must allocate nothing. */
typedef struct start {
  const char *const *command;
  const char *directory;
  const char *path; /* folders of programs */
  char **environment;
  const pipes *ends;
  int report;   /* an error number goes there; closed by exec */
  pid_t parent; /* us */
} start;

/* Handlers are ours: a signal must not run them in the child. Those that are ignored would stay so in the program. */
static void default_signals(void) {
  for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
}

/* Places the pipes, and closes all else: others may have opened descriptors without O_CLOEXEC, and we may have
 * inherited some. False with errno. */
static bool place_descriptors(const start *how) {
  for (int i = 0; i < 3; i++)
    if (dup2(how->ends->theirs[i], i) < 0) return false; /* unreached: make faults */
  /* Below and above the report, which exec closes. */
  if (how->report > 3) close_range(3, (unsigned)how->report - 1, 0);
  close_range((unsigned)how->report + 1, ~0U, 0);
  return true;
}

/* execve() of `name`, which is looked up in `folders` ("/usr/bin:/bin") if it has no slash. Unlike execvpe() it does
 * not give a file without a first line "#!" to a shell. Returns when it fails, with errno. */
static void run_program(const char *name, const char *folders, char *const *arguments, char *const *environment) {
  if (strchr(name, '/') != NULL) {
    execve(name, arguments, environment);
    return;
  }
  int number = ENOENT;
  char path[PATH_MAX];
  while (*name != '\0' && folders != NULL) {
    size_t length = strcspn(folders, ":"), size = strlen(name);
    if (length + size + 2 <= sizeof path) {
      memcpy(path, folders, length);
      path[length] = '/';
      /* An empty part is the current folder. */
      memcpy(path + length + (length > 0), name, size + 1);
      execve(path, arguments, environment);
      if (errno == EACCES) number = EACCES;
      if (errno != EACCES && errno != ENOENT && errno != ENOTDIR) return;
    }
    folders = folders[length] == ':' ? folders + length + 1 : NULL;
  }
  errno = number;
}

/* In the child. Returns only when that fails, with errno. */
static void become(const start *how) {
  sigset_t none;
  sigemptyset(&none);
  default_signals();
  if (setpgid(0, 0) != 0 || !place_descriptors(how)) return; /* unreached: make faults */
#ifdef __linux__
  /* It ends with the thread that started it, however that ends; which may have been just now. */
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return; /* unreached: make faults */
  if (getppid() != how->parent) _exit(127);          /* unreached: we have ended meanwhile */
#endif
  if (how->directory != NULL && chdir(how->directory) != 0) return;
  sigprocmask(SIG_SETMASK, &none, NULL);
  /* exec's parameters are not const, but it does not change the arguments. */
  run_program(how->command[0], how->path, (char *const *)(uintptr_t)how->command, how->environment);
}

/* In a function of its own: what is on the stack of vfork()'s caller must not change. */
__attribute__((noinline)) static pid_t fork_and_become(const start *how) {
  pid_t pid = vfork();
  if (pid != 0) return pid;
  become(how);
  int number = errno;
  ssize_t written = write(how->report, &number, sizeof number);
  (void)written; /* without it the end of the child says enough */
  _exit(127);
}

/* Waits until the child runs the program, or has failed. 0 or an error number. */
static int read_report(int report) {
  int number = 0;
  ssize_t got;
  do {
    got = read(report, &number, sizeof number);
  } while (got < 0 && errno == EINTR); /* unreached: make faults */
  return got == (ssize_t)sizeof number ? number : 0;
}

/* 0 or an error number. */
static int spawn(const char *const *command, const char *directory, char **environment, const pipes *p, pid_t *pid) {
  int report[2];
  if (pipe2(report, O_CLOEXEC) != 0) return errno; /* unreached: make faults */
  const char *path = getenv("PATH");
  start how = {.command = command,
               .directory = directory,
               .path = path != NULL ? path : "/usr/local/bin:/bin:/usr/bin",
               .environment = environment,
               .ends = p,
               .report = report[1],
               .parent = getpid()};
  int number = 0;
  sigset_t all, before;
  sigfillset(&all);
  if (!move_up(&how.report)) number = errno; /* unreached: no descriptor is left */
  if (number == 0) {                         /* unreached: make faults */
    pthread_sigmask(SIG_BLOCK, &all, &before);
    *pid = fork_and_become(&how);
    if (*pid < 0) number = errno; /* unreached: make faults */
    pthread_sigmask(SIG_SETMASK, &before, NULL);
  }
  close(how.report);
  if (number == 0) { /* unreached: make faults */
    number = read_report(report[0]);
    while (number != 0 && waitpid(*pid, NULL, 0) < 0 && errno == EINTR) continue; /* unreached: make faults */
  }
  close(report[0]);
  return number;
}

/* Whether the folder has a file called `name`, which PATH did not find because it has no slash. */
static bool is_in_folder(const char *directory, const char *name) {
  if (*name == '\0' || strchr(name, '/') != NULL) return false;
  char path[2 * PATH_MAX];
  snprintf(path, sizeof path, "%s/%s", directory != NULL ? directory : ".", name);
  return access(path, F_OK) == 0;
}

/* errno is the same for a missing folder and a missing program. */
static void report_start_failure(const char *name, const char *directory, int number, ee_error *error) {
  struct stat facts;
  int folder_number = 0;
  if (directory != NULL) {
    if (stat(directory, &facts) != 0) {
      folder_number = errno;
    } else if (!S_ISDIR(facts.st_mode)) {
      folder_number = ENOTDIR;
    }
  }
  if (folder_number != 0) {
    ee_error_set(error, EE_ERROR_SYSTEM, "cannot run '%s' in '%s': %s", name, directory, strerror(folder_number));
  } else if (number == ENOENT && is_in_folder(directory, name)) {
    ee_error_set(error, EE_ERROR_SYSTEM, "cannot run '%s': %s (did you mean './%s'?)", name, strerror(number), name);
  } else {
    ee_error_set(error, EE_ERROR_SYSTEM, "cannot run '%s': %s", name, strerror(number));
  }
}

static int end(ee_child *child);
static void end_for_good(void *child) { end(child); }

ee_child *ee_child_start(const char *const *command, const char *directory, const char *const *variables,
                         ee_error *error) {
  pipes p;
  pid_t pid = 0;
  /* Memory first: without memory the program must not be lost. */
  ee_child *child = ee_calloc(1, sizeof *child);
  char **environment = ee_environment_of_programs(variables);
  int number = open_pipes(&p) ? spawn(command, directory, environment, &p, &pid) : errno;
  ee_free(environment);
  close_ends(p.theirs);
  if (number != 0) {
    close_ends(p.ours);
    ee_free(child);
    ee_check_memory(number);
    report_start_failure(command[0], directory, number, error);
    return NULL;
  }
  *child = (ee_child){.pid = pid, .input = p.ours[0], .output = p.ours[1], .errors = p.ours[2]};
  child->handle = (int)syscall(SYS_pidfd_open, pid, 0); /* the C library has it from glibc 2.36 on */
  ee_cleanup_add(&child->cleanup, end_for_good, child);
  return child;
}

/* Ending -------------------------------------------------------------------------------------- */

typedef enum life { ALIVE, ENDED, LOST } life;

/* Whether the child has ended, without reaping it. LOST: another wait() reaped it. */
static life look(const ee_child *child) {
  siginfo_t facts;
  facts.si_pid = 0;
  int result;
  do {
    result = waitid(P_PID, (id_t)child->pid, &facts, WEXITED | WNOHANG | WNOWAIT);
  } while (result != 0 && errno == EINTR); /* unreached: make faults */
  if (result != 0) return LOST;
  return facts.si_pid == child->pid ? ENDED : ALIVE;
}

/* Kills the rest of the group, reaps the child and closes its pipes. Returns its wait status, or -1 if another wait()
 * reaped it. */
static int end(ee_child *child) {
  int status = -1;
  if (child->pid > 0 && look(child) != LOST) {
    /* The child may have left its group. */
    kill(-child->pid, SIGKILL);
    kill(child->pid, SIGKILL);
    pid_t reaped;
    do {
      reaped = waitpid(child->pid, &status, 0);
    } while (reaped < 0 && errno == EINTR); /* unreached: make faults */
    if (reaped < 0) status = -1;            /* unreached: another wait() reaped it meanwhile */
  }
  child->pid = 0;
  close_descriptor(&child->handle);
  close_descriptor(&child->input);
  close_descriptor(&child->output);
  close_descriptor(&child->errors);
  return status;
}

/* Standard error ------------------------------------------------------------------------------- */

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

static void add_error_text(ee_child *child, const char *text, size_t length) {
  error_line *line = &child->current;
  for (size_t i = 0; i < length; i++) {
    /* A carriage return starts the line again, as progress bars do. */
    if (text[i] == '\n' || text[i] == '\r') {
      if (line->length > 0) child->last = *line;
      line->length = 0;
    } else if (line->length < sizeof line->text && (line->length > 0 || !is_blank(text[i]))) {
      line->text[line->length++] = text[i];
    }
  }
}

/* read(), repeated when a signal interrupts it. */
static ssize_t read_some(int descriptor, char *to, size_t max) {
  ssize_t got;
  do {
    got = read(descriptor, to, max);
  } while (got < 0 && errno == EINTR);
  return got;
}

/* Reads once; returns the number of bytes, 0 if none are available now or the pipe is closed. */
static size_t read_errors(ee_child *child) {
  if (child->errors < 0) return 0;
  char text[4096];
  ssize_t got = read_some(child->errors, text, sizeof text);
  if (got < 0 && errno == EAGAIN) return 0;
  if (got <= 0) {
    close_descriptor(&child->errors);
    return 0;
  }
  add_error_text(child, text, (size_t)got);
  return (size_t)got;
}

static void set_complaint(ee_child *child, ee_child_outcome *outcome) {
  for (size_t taken = 0, got = 1; taken < LAST_ERRORS && got > 0; taken += got) got = read_errors(child);
  const error_line *line = child->current.length > 0 ? &child->current : &child->last;
  ee_str text = {line->text, line->length};
  while (text.length > 0 && is_blank(text.data[text.length - 1])) text.length--;
  ee_buffer printable = {0};
  ee_one_line(&printable, text, EE_STR(""), sizeof outcome->complaint - 1);
  if (printable.length > 0) memcpy(outcome->complaint, printable.data, printable.length);
  outcome->complaint[printable.length] = '\0';
  ee_buffer_fini(&printable);
}

/* Input and output ----------------------------------------------------------------------------- */

/* An exchange in progress. */
typedef struct talk {
  ee_child *child;
  const ee_stop *stop;
  ee_str input;  /* not written yet */
  bool newline;  /* a newline follows the input */
  bool one_line; /* else all output is read, and the child's input is closed after the input */
  bool answered; /* the line is complete */
  bool flooded;  /* more output than the limit */
  int failure;   /* the error number of a pipe that could not be read or written; 0: none */
  ee_buffer *output;
  size_t start;        /* of this exchange's part of `output` */
  size_t taken, limit; /* bytes read, and their limit */
  uint64_t deadline;   /* UINT64_MAX: none */
  bool closing;        /* the deadline is for a child that closed its output */
} talk;

static bool has_input(const talk *t) { return t->child->input >= 0 && (t->input.length > 0 || t->newline); }

/* Writes as much as the pipe takes now. */
static void write_input(talk *t) {
  if (has_input(t)) {
    const struct iovec parts[] = {{(void *)(uintptr_t)t->input.data, t->input.length}, {(char[]){'\n'}, t->newline}};
    ssize_t written = writev(t->child->input, parts, 2);
    if (written >= 0) {
      size_t of_text = (size_t)written < t->input.length ? (size_t)written : t->input.length;
      t->newline = t->newline && (size_t)written == of_text;
      t->input.data += of_text;
      t->input.length -= of_text;
    } else if (errno != EAGAIN && errno != EINTR) { /* unreached: make faults */
      /* It closed its input; it may still answer. */
      if (errno != EPIPE) t->failure = errno; /* unreached: make faults */
      t->input.length = 0;
      t->newline = false;
    }
  }
  if (!t->one_line && !has_input(t)) close_descriptor(&t->child->input);
}

static bool is_space(char c) { return is_blank(c) || c == '\r' || c == '\n'; }

static size_t count_spaces(const char *text, size_t length) {
  size_t count = 0;
  while (count < length && is_space(text[count])) count++;
  return count;
}

/* Looks for the end of the line in the output from `fresh` on. */
static void take_line(talk *t, size_t fresh) {
  ee_buffer *out = t->output;
  if (!t->answered && fresh == t->start) {
    size_t spaces = count_spaces(out->data + fresh, out->length - fresh);
    memmove(out->data + fresh, out->data + fresh + spaces, out->length - fresh - spaces);
    out->length -= spaces;
  }
  size_t after = fresh;
  if (!t->answered) {
    const char *newline = memchr(out->data + fresh, '\n', out->length - fresh);
    if (newline == NULL) return;
    t->answered = true;
    fresh = (size_t)(newline - out->data);
    after = fresh + 1;
  }
  size_t length = out->length - after;
  if (count_spaces(out->data + after, length) < length) t->child->stray = true;
  out->length = fresh;
}

/* Reads once; false if nothing is available now. */
static bool read_output(talk *t) {
  ee_child *child = t->child;
  if (child->output < 0 || t->flooded) return false;
  /* One byte past the limit shows a flood. */
  size_t max = t->limit - t->taken < CHUNK ? t->limit - t->taken + 1 : CHUNK;
  ssize_t got = read_some(child->output, ee_buffer_reserve(t->output, max), max);
  if (got < 0 && errno == EAGAIN) return false; /* unreached: a read fails: make faults */
  if (got < 0) t->failure = errno;              /* unreached: as the line before */
  if (got <= 0) {
    close_descriptor(&child->output);
    return false;
  }
  size_t fresh = t->output->length;
  t->output->length += (size_t)got;
  t->taken += (size_t)got;
  t->flooded = t->taken > t->limit;
  if (t->one_line) take_line(t, fresh);
  return true;
}

/* The loop ------------------------------------------------------------------------------------- */

/* A child that closed its output cannot answer any more, but it can still exit with a status. */
static void shorten_deadline(talk *t) {
  if (!t->one_line || t->closing || t->answered || t->child->output >= 0) return;
  uint64_t at = now() + CLOSED_GRACE_MS * MILLISECOND;
  if (at >= t->deadline) return;
  t->deadline = at;
  t->closing = true;
}

/* Milliseconds for poll(); -1: no limit. */
static int wait_time(const talk *t, uint64_t since) {
  uint64_t wait = UINT64_MAX;
  if (t->deadline != UINT64_MAX) wait = (t->deadline - since + MILLISECOND - 1) / MILLISECOND;
  if (t->stop != NULL && wait > MAX_WAIT_MS) wait = MAX_WAIT_MS;
  if (t->child->handle < 0 && wait > MAX_BLIND_WAIT_MS) { /* unreached: another kernel; make faults */
    /* A child that closed its output is usually about to exit. */
    wait = t->child->output < 0 ? 1 : MAX_BLIND_WAIT_MS; /* unreached: as above */
  }
  return wait == UINT64_MAX ? -1 : wait > INT_MAX ? INT_MAX : (int)wait;
}

/* Waits for an event and reads what is there. Returns whether the child may have ended. */
static bool wait_and_read(talk *t, uint64_t since) {
  ee_child *child = t->child;
  struct pollfd files[] = {{.fd = has_input(t) ? child->input : -1, .events = POLLOUT},
                           {.fd = child->output, .events = POLLIN},
                           {.fd = child->errors, .events = POLLIN},
                           {.fd = child->handle, .events = POLLIN}};
  int ready = poll(files, 4, wait_time(t, since));
  if (ready <= 0) return child->handle < 0;
  if (files[1].revents != 0) read_output(t);
  if (files[2].revents != 0) read_errors(child);
  return child->handle < 0 || files[3].revents != 0; /* unreached: another kernel; make faults */
}

/* Serves the pipes until the child has answered or ended or must be ended. Returns EE_CHILD_EXITED also for a child
 * that a signal killed. */
static ee_child_end serve(talk *t) {
  bool look_again = false;
  for (;;) {
    write_input(t);
    if (t->flooded) return EE_CHILD_FLOODED;
    if (t->answered && !has_input(t)) return EE_CHILD_ANSWERED;
    if (t->failure != 0) return EE_CHILD_FAILED;
    life state = look_again ? look(t->child) : ALIVE;
    if (state != ALIVE) {
      while (read_output(t)) continue;
      if (t->flooded) return EE_CHILD_FLOODED;
      if (t->answered) return EE_CHILD_ANSWERED;
      if (t->failure != 0) return EE_CHILD_FAILED;
      return state == LOST ? EE_CHILD_FAILED : EE_CHILD_EXITED;
    }
    if (ee_stop_is_set(t->stop)) return EE_CHILD_STOPPED;
    shorten_deadline(t);
    uint64_t since = now();
    if (since >= t->deadline) return t->closing ? EE_CHILD_FAILED : EE_CHILD_TIMED_OUT;
    look_again = wait_and_read(t, since);
  }
}

static talk start_talk(ee_child *child, ee_str input, ee_child_limits limits, const ee_stop *stop, ee_buffer *output) {
  return (talk){.child = child,
                .stop = stop,
                .input = input,
                .output = output,
                .start = output->length,
                .limit = limits.output_limit,
                .deadline = limits.timeout_ms > 0 ? now() + limits.timeout_ms * MILLISECOND : UINT64_MAX};
}

/* Ends the child and returns how it ended. */
static ee_child_outcome conclude(talk *t, ee_child_end how) {
  ee_child_outcome outcome = {.end = how};
  if (how == EE_CHILD_FAILED) outcome.code = t->failure != 0 ? t->failure : t->closing ? EPIPE : ECHILD;
  set_complaint(t->child, &outcome);
  int status = end(t->child);
  if (how != EE_CHILD_EXITED) return outcome;
  if (status == -1) {              /* unreached: another wait() reaped it just now */
    outcome.end = EE_CHILD_FAILED; /* unreached: as the line before */
    outcome.code = ECHILD;         /* unreached: as the line before */
  } else if (WIFSIGNALED(status)) {
    outcome.end = EE_CHILD_KILLED;
    outcome.code = WTERMSIG(status);
  } else {
    outcome.code = WEXITSTATUS(status);
  }
  return outcome;
}

ee_child_outcome ee_child_finish(ee_child *child, ee_str input, ee_child_limits limits, const ee_stop *stop,
                                 ee_buffer *output) {
  talk t = start_talk(child, input, limits, stop, output);
  ee_pipe_guard guard;
  ee_pipe_guard_enter(&guard);
  ee_child_end how = serve(&t);
  ee_pipe_guard_leave(&guard);
  ee_child_outcome outcome = conclude(&t, how);
  ee_cleanup_remove(&child->cleanup);
  ee_free(child);
  return outcome;
}

/* Whether the child wrote something between two exchanges. At most as many blanks as a pipe holds are skipped: a child
 * that keeps writing blanks would block the worker. */
static bool has_strayed(ee_child *child) {
  char text[4096];
  ssize_t got;
  for (size_t taken = 0; !child->stray && child->output >= 0; taken += (size_t)got) {
    got = read_some(child->output, text, sizeof text);
    if (got <= 0) break;
    child->stray = taken >= CHUNK || count_spaces(text, (size_t)got) < (size_t)got;
  }
  return child->stray;
}

ee_child_outcome ee_child_exchange(ee_child *child, ee_str line, ee_child_limits limits, const ee_stop *stop,
                                   ee_buffer *output) {
  talk t = start_talk(child, line, limits, stop, output);
  t.one_line = t.newline = true;
  if (t.limit < SIZE_MAX) t.limit++; /* for the newline */
  child->current.length = child->last.length = 0;
  if (child->pid == 0) return (ee_child_outcome){.end = EE_CHILD_FAILED, .code = ECHILD};
  if (has_strayed(child)) {
    ee_child_outcome outcome = conclude(&t, EE_CHILD_FAILED);
    outcome.code = EPROTO;
    return outcome;
  }
  ee_pipe_guard guard;
  ee_pipe_guard_enter(&guard);
  ee_child_end how = serve(&t);
  ee_pipe_guard_leave(&guard);
  if (how == EE_CHILD_ANSWERED) return (ee_child_outcome){.end = how};
  return conclude(&t, how);
}

void ee_child_free(ee_child *child) {
  if (child == NULL) return;
  close_descriptor(&child->input);
  uint64_t deadline = now() + FREE_GRACE_MS * MILLISECOND;
  while (child->pid > 0 && look(child) == ALIVE) {
    uint64_t since = now();
    if (since >= deadline) break;
    /* unreached: another kernel; make faults */
    int wait = child->handle < 0 ? 1 : (int)((deadline - since + MILLISECOND - 1) / MILLISECOND);
    poll(&(struct pollfd){.fd = child->handle, .events = POLLIN}, 1, wait);
  }
  end(child);
  ee_cleanup_remove(&child->cleanup);
  ee_free(child);
}
